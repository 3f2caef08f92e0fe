/* SPDX-License-Identifier: Apache-2.0
 * Sums and updates of elements in the tensor language against plain C: gemv, sum, cumsum, axpby, ger and hadamard_product of all types, of
 * sizes that fill sub-groups and words and that do not, known ones and arguments, with gaps between columns and without. Numbers are
 * integers whose sums are exact in the type of sums; integers of few bits wrap around. */
#include "../host/host.h"

#include <complex.h>
#include <stdbool.h>
#include <stdint.h>

enum { MOST_TEXT = 1 << 16, GAP = 3, DEPTH = 3 /* size of the third mode */, OPERANDS = 3 };

/* `factors`: type of A and B; NULL: the same. */
struct type {
    const char *name;
    int bytes;
    bool is_complex;
    const struct type *factors;
};

static const struct type i8 = {"i8", 1, false, NULL}, i16 = {"i16", 2, false, NULL}, f16 = {"f16", 2, false, NULL};
static const struct type types[] = {
    {"i8", 1, false, NULL},   {"i16", 2, false, NULL}, {"i32", 4, false, NULL}, {"i64", 8, false, NULL}, {"f16", 2, false, NULL},
    {"bf16", 2, false, NULL}, {"f32", 4, false, NULL}, {"f64", 8, false, NULL}, {"c32", 8, true, NULL},  {"c64", 16, true, NULL},
    {"i16", 2, false, &i8},   {"i32", 4, false, &i8},  {"i32", 4, false, &i16}, {"f32", 4, false, &f16},
};

/* `order`: of A. `along`: mode of A that is summed up, or that the first mode of C is. */
static const struct op {
    const char *name;
    int order, along;
    bool is_product;
    enum { SUM, SCAN, UPDATE /* of each element of C by one of A, and one of B in a product */ } kind;
} ops[] = {{"gemv.n", 2, 1, true, SUM},      {"gemv.t", 2, 0, true, SUM},
           {"sum.n", 2, 1, false, SUM},      {"sum.t", 2, 0, false, SUM},
           {"sum.n", 1, 0, false, SUM},      {"cumsum", 1, 0, false, SCAN},
           {"cumsum", 2, 0, false, SCAN},    {"cumsum", 2, 1, false, SCAN},
           {"cumsum", 3, 0, false, SCAN},    {"cumsum", 3, 1, false, SCAN},
           {"cumsum", 3, 2, false, SCAN},    {"axpby.n", 2, 0, false, UPDATE},
           {"axpby.t", 2, 1, false, UPDATE}, {"hadamard_product", 2, 0, true, UPDATE},
           {"ger", 1, 0, true, UPDATE}};

static const int sizes[][2] = {{1, 1}, {16, 16}, {17, 9}, {3, 40}, {100, 21}, {7, 6}, {290, 5}, {12, 11}, {700, 2}, {28, 23}};

enum {
    OPS = sizeof ops / sizeof *ops,
    SIZES = sizeof sizes / sizeof *sizes,
    EACH = 5 /* sizes of an operation on a type */,
    PROBLEMS = OPS * EACH
};

struct tensor {
    int order, shape[3], stride[3];
    size_t count; /* elements of memory */
    double complex *number;
};

struct problem {
    const struct op *op;
    bool open, has_factor;
    struct tensor operand[OPERANDS]; /* A, B, C */
    int beta;
};

static const struct type *type_of(const struct type *type, int operand)
{
    return operand < 2 && type->factors ? type->factors : type;
}

static cl_context context;
static cl_command_queue queue;
static cl_device_id device;

static struct tensor make_tensor(const struct type *type, int order, const int *shape, int gap, int seed)
{
    struct tensor t = {.order = order, .count = 1};
    for (int i = 0, next = 1; i < order; i++) {
        t.shape[i] = shape[i];
        t.stride[i] = next;
        t.count = (size_t)next * (size_t)shape[i] + GAP;
        next = next * shape[i] + (i == 0 ? gap : 0);
    }
    t.number = malloc(t.count * sizeof *t.number);
    for (size_t i = 0; i < t.count; i++) {
        unsigned bits = (unsigned)(i + (size_t)seed) * 2654435761u >> 20;
        t.number[i] = (int)(bits & 7) - 3 + (type->is_complex ? (int)(bits >> 3 & 7) - 4 : 0) * I;
    }
    return t;
}

static struct problem make_problem(const struct type *type, const struct op *op, int number)
{
    const int *size = sizes[(number + (int)(type - types)) % SIZES], shape[] = {size[0], size[1], DEPTH};
    struct problem p = {.op = op, .open = (number + number / EACH) % 2, .has_factor = number % 3 == 1, .beta = number / 2 % 3};
    int gap = number % 4 == 3 ? 0 : GAP, other = shape[1 - op->along % 2], turned[] = {shape[op->along], shape[1 - op->along % 2]};
    p.operand[0] = make_tensor(type, op->order, shape, gap, number);
    if (op->kind == UPDATE) {
        p.operand[1] = make_tensor(type, op->order, op->order == 2 ? shape : &shape[1], gap, number + 1000);
        p.operand[2] = make_tensor(type, 2, turned, gap, number + 2000);
        return p;
    }
    p.operand[1] = make_tensor(type, 1, &shape[op->along], gap, number + 1000);
    p.operand[2] = make_tensor(type, op->kind == SCAN ? op->order : op->order - 1, op->kind == SCAN ? shape : &other, gap, number + 2000);
    return p;
}

static void put(const struct type *type, char *to, size_t i, double number)
{
    float single = (float)number;
    uint32_t bits;
    memcpy(&bits, &single, sizeof bits);
    int64_t whole = (int64_t)number;
    _Float16 half = (_Float16)number;
    uint16_t upper = (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
    int bytes = type->is_complex ? type->bytes / 2 : type->bytes;
    const void *from = type->name[0] == 'i'   ? (const void *)&whole
                       : bytes == 8           ? (const void *)&number
                       : bytes == 4           ? (const void *)&single
                       : type->name[0] == 'b' ? (const void *)&upper
                                              : &half;
    memcpy(to + i * (size_t)bytes, from, (size_t)bytes);
}

/* The memory of a tensor, rounded to the type. */
static char *in_memory(const struct type *type, const struct tensor *t)
{
    char *to = malloc(t->count * (size_t)type->bytes);
    for (size_t i = 0; i < t->count; i++)
        if (type->is_complex) {
            put(type, to, 2 * i, creal(t->number[i]));
            put(type, to, 2 * i + 1, cimag(t->number[i]));
        } else {
            put(type, to, i, creal(t->number[i]));
        }
    return to;
}

static void write_type(FILE *to, const struct type *type, const struct problem *p, const struct tensor *t)
{
    fprintf(to, "memref<%s", type->name);
    for (int i = 0; i < t->order; i++)
        p->open ? fprintf(to, "x?") : fprintf(to, "x%d", t->shape[i]);
    for (int i = 0; i < t->order; i++) {
        fprintf(to, "%s", i ? "," : ",strided<");
        i && p->open ? fprintf(to, "?") : fprintf(to, "%d", t->stride[i]);
    }
    fprintf(to, "%s>", t->order ? ">" : "");
}

static void write_constant(FILE *to, const struct type *type, const char *name, int number)
{
    fprintf(to,
            type->is_complex       ? "  %%%s = constant [%d.0, 0.0] : %s\n"
            : type->name[0] == 'i' ? "  %%%s = constant %d : %s\n"
                                   : "  %%%s = constant %d.0 : %s\n",
            name, number, type->name);
}

static void write_function(FILE *to, const struct type *type, const struct problem *p, int number)
{
    static const char *const names[] = {"A", "B", "C"};
    fprintf(to, "func @f%d(", number);
    for (int i = 0; i < OPERANDS; i++) {
        if (i == 1 && !p->op->is_product)
            continue;
        fprintf(to, "%s%%%s: ", i ? ", " : "", names[i]);
        write_type(to, type_of(type, i), p, &p->operand[i]);
    }
    fprintf(to, ") {\n");
    write_constant(to, type_of(type, 0), "alpha", p->has_factor ? 2 : 1);
    write_constant(to, type, "beta", p->beta);
    fprintf(to, "  %s %%alpha, %%A, %s", p->op->name, p->op->is_product ? "%B, " : "");
    if (p->op->kind == SCAN)
        fprintf(to, "%d, ", p->op->along);
    fprintf(to, "%%beta, %%C\n}\n");
}

/* Sums up one line of A, whose first element is `first`, into C. */
static void sum_line(struct problem *p, size_t first, size_t result)
{
    const struct tensor *a = &p->operand[0], *c = &p->operand[2];
    double complex sum = 0;
    for (int k = 0; k < a->shape[p->op->along]; k++) {
        size_t at = first + (size_t)k * (size_t)a->stride[p->op->along];
        sum += a->number[at] * (p->op->is_product ? p->operand[1].number[k] : 1);
        if (p->op->kind == SCAN)
            c->number[at] = (p->has_factor ? 2 : 1) * sum + p->beta * c->number[at];
    }
    if (p->op->kind != SCAN)
        c->number[result] = (p->has_factor ? 2 : 1) * sum + p->beta * c->number[result];
}

static void update_elements(struct problem *p)
{
    const struct tensor *a = &p->operand[0], *b = &p->operand[1], *c = &p->operand[2];
    for (int j = 0; j < c->shape[1]; j++)
        for (int i = 0; i < c->shape[0]; i++) {
            int first = p->op->along ? j : i, second = p->op->along ? i : j;
            double complex product = a->number[a->order == 2 ? first + second * a->stride[1] : first],
                           *to = &c->number[i + j * c->stride[1]];
            if (p->op->is_product)
                product *= b->number[b->order == 2 ? i + j * b->stride[1] : j];
            *to = (p->has_factor ? 2 : 1) * product + p->beta * *to;
        }
}

static void expect(struct problem *p)
{
    const struct tensor *a = &p->operand[0];
    int index[3];
    if (p->op->kind == UPDATE) {
        update_elements(p);
        return;
    }
    for (index[2] = 0; index[2] < (a->order > 2 ? a->shape[2] : 1); index[2]++)
        for (index[1] = 0; index[1] < (a->order > 1 ? a->shape[1] : 1); index[1]++)
            for (index[0] = 0; index[0] < a->shape[0]; index[0]++) {
                size_t first = 0;
                for (int i = 0; i < a->order; i++)
                    first += (size_t)index[i] * (size_t)a->stride[i];
                if (!index[p->op->along])
                    sum_line(p, first, (size_t)index[1 - p->op->along % 2]);
            }
}

static bool set_arguments(cl_kernel kernel, const struct type *type, const struct problem *p, cl_mem *memory)
{
    bool good = true;
    cl_uint next = 0;
    for (int i = 0; i < OPERANDS; i++) {
        const struct tensor *t = &p->operand[i];
        if (i == 1 && !p->op->is_product)
            continue;
        const struct type *own = type_of(type, i);
        char *numbers = in_memory(own, t);
        memory[i] = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, t->count * (size_t)own->bytes, numbers, NULL);
        free(numbers);
        good &= !clSetKernelArg(kernel, next++, sizeof memory[i], &memory[i]);
        for (int m = 0; p->open && m < 2 * t->order; m++) {
            cl_long size = m < t->order ? t->shape[m] : t->stride[m - t->order];
            if (m != t->order) /* the first stride is 1 */
                good &= !clSetKernelArg(kernel, next++, sizeof size, &size);
        }
    }
    return good;
}

/* Zeros have no sign from here on. */
static void clear_signs(const struct type *type, char *memory, size_t count)
{
    size_t bytes = (size_t)(type->is_complex ? type->bytes / 2 : type->bytes);
    if (type->name[0] == 'i')
        return;
    for (char *at = memory; at < memory + count * (size_t)type->bytes; at += bytes)
        if (!(at[bytes - 1] & 0x7f) && !at[0] && !memcmp(at, at + 1, bytes - 2))
            at[bytes - 1] = 0;
}

static bool run(cl_program program, const struct type *type, struct problem *p, int number)
{
    char name[16];
    cl_int error;
    cl_mem memory[OPERANDS] = {NULL};
    size_t local[3], bytes = p->operand[2].count * (size_t)type->bytes;
    char *made = malloc(bytes);
    snprintf(name, sizeof name, "f%d", number);
    cl_kernel kernel = clCreateKernel(program, name, &error);
    bool good = !error && set_arguments(kernel, type, p, memory) &&
                !clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof local, local, NULL) &&
                !clEnqueueNDRangeKernel(queue, kernel, 3, NULL, local, local, 0, NULL, NULL) &&
                !clEnqueueReadBuffer(queue, memory[2], CL_TRUE, 0, bytes, made, 0, NULL, NULL);
    if (!good)
        fprintf(stderr, "function f%d did not run\n", number);
    expect(p);
    char *expected = in_memory(type, &p->operand[2]);
    clear_signs(type, made, p->operand[2].count);
    clear_signs(type, expected, p->operand[2].count);
    good = good && !memcmp(made, expected, bytes);
    if (!good)
        fprintf(stderr, "%s of %s into %s, order %d, mode %d, %d x %d, %s sizes: wrong\n", p->op->name, type_of(type, 0)->name, type->name,
                p->op->order, p->op->along, p->operand[0].shape[0], p->operand[0].shape[1], p->open ? "open" : "known");
    for (int i = 0; i < OPERANDS; i++)
        if (memory[i])
            clReleaseMemObject(memory[i]);
    if (kernel)
        clReleaseKernel(kernel);
    free(made);
    free(expected);
    return good;
}

/* All operations on numbers of a type, as one program. */
static int test_type(const struct type *type)
{
    static struct problem problems[PROBLEMS];
    static char text[MOST_TEXT];
    int failures = 0;
    FILE *to = fmemopen(text, sizeof text, "w");
    for (int i = 0; i < PROBLEMS; i++) {
        problems[i] = make_problem(type, &ops[i / EACH], i);
        write_function(to, type, &problems[i], i);
    }
    fclose(to);
    const char *source = text;
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, NULL);
    bool built = !clBuildProgram(program, 1, &device, "", NULL, NULL);
    if (!built) {
        clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof text, text, NULL);
        fprintf(stderr, "%s\n", text);
        failures++;
    }
    for (int i = 0; i < PROBLEMS; i++) {
        failures += built && !run(program, type, &problems[i], i);
        for (int k = 0; k < OPERANDS; k++)
            free(problems[i].operand[k].number);
    }
    clReleaseProgram(program);
    return failures;
}

int main(void)
{
    int failures = 0;
    struct session session = open_session();
    context = session.context;
    queue = session.queue;
    device = session.device;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        failures += test_type(&types[i]);
    close_session(&session);
    return failures != 0;
}
