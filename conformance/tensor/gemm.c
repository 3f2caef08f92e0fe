/* SPDX-License-Identifier: Apache-2.0
 * gemm in the tensor language against plain C: sizes that fill blocks and that do not, transposed operands, distances of columns, sizes
 * that the kernel gets as arguments, alpha and beta. Integers that are exact in every type, so that all results are. What lies between
 * columns of C, and behind them, stays as it was. Runs in the engine that TESSERA_ENGINE names. */
#include "../host/host.h"

#include <stdbool.h>
#include <stdint.h>

enum { MOST_TEXT = 1 << 17, CASES = 128, FIRST_LARGE = 14, GAP = 3, OTHER = 12345 };

static const struct type {
    const char *in, *out;
    int in_bytes, out_bytes;
    bool is_int;
} types[] = {{"f32", "f32", 4, 4, false},
             {"f64", "f64", 8, 8, false},
             {"bf16", "f32", 2, 4, false},
             {"i8", "i32", 1, 4, true},
             {"bf16", "bf16", 2, 2, false}};

enum open { NONE, ALL_BUT_K, ALL };

/* `open`: which sizes are arguments; distances are, too, then. From FIRST_LARGE on they are cut to fit caches; the sizes fill
 * nothing, and there is more than one part of K, and of rows. Then come matrices that are small, or have columns in the same lines of a
 * cache, and one without any K. */
static const struct size {
    int m, n, k;
    bool a_turned, b_turned;
    enum open open;
} sizes[] = {
    {1, 1, 1, false, false, NONE},     {16, 16, 16, false, false, NONE},      {64, 24, 32, false, false, NONE},
    {17, 25, 33, false, false, NONE},  {17, 25, 33, true, false, NONE},       {17, 25, 33, false, true, NONE},
    {17, 25, 33, true, true, NONE},    {56, 9, 9, false, false, NONE},        {40, 49, 6, false, true, NONE},
    {100, 5, 70, false, false, NONE},  {33, 40, 8, false, false, ALL_BUT_K},  {16, 16, 64, false, true, ALL_BUT_K},
    {5, 26, 1030, false, false, NONE}, {9, 12, 20, false, true, ALL},         {300, 40, 901, false, false, ALL},
    {45, 31, 515, true, true, ALL},    {64, 40, 181, true, false, NONE},      {70, 30, 40, false, false, ALL},
    {256, 26, 64, false, false, ALL},  {256, 26, 64, false, true, ALL},       {64, 48, 20, true, false, ALL},
    {18, 11, 300, false, false, ALL},  {5, 7, 0, false, false, ALL},          {1, 1, 1, true, true, ALL},
    {37, 33, 0, true, true, ALL},      {64, 72, 80, false, false, ALL_BUT_K},
};

struct problem {
    const struct type *type;
    const struct size *size;
    int rows[3], cols[3], distance[3]; /* of A, B, C as they lie in memory */
    void *memory[3];
};

static cl_context context;
static cl_command_queue queue;
static cl_device_id device;

static int value(size_t i)
{
    return (int)(i * 2654435761u >> 20 & 7) - 3;
}

static void put(const struct type *type, bool result, void *memory, size_t i, int own)
{
    float single = (float)own;
    double wide = own;
    int32_t word = own;
    int8_t byte = (int8_t)own;
    uint32_t bits;
    memcpy(&bits, &single, sizeof bits);
    uint16_t half = (uint16_t)(bits >> 16);
    int bytes = result ? type->out_bytes : type->in_bytes;
    const void *number = type->is_int ? (bytes == 4 ? (const void *)&word : &byte)
                         : bytes == 8 ? (const void *)&wide
                         : bytes == 2 ? (const void *)&half
                                      : &single;
    memcpy((char *)memory + i * (size_t)bytes, number, (size_t)bytes);
}

static double of_bf16(uint16_t half)
{
    uint32_t bits = (uint32_t)half << 16;
    float number;
    memcpy(&number, &bits, sizeof number);
    return (double)number;
}

/* To bfloat16, to nearest even. */
static double rounded(double exact)
{
    float number = (float)exact;
    uint32_t bits;
    memcpy(&bits, &number, sizeof bits);
    return of_bf16((uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16));
}

static double result(const struct type *type, const void *memory, size_t i)
{
    if (type->is_int)
        return ((const int32_t *)memory)[i];
    if (type->out_bytes == 2)
        return of_bf16(((const uint16_t *)memory)[i]);
    return type->out_bytes == 8 ? ((const double *)memory)[i] : (double)((const float *)memory)[i];
}

static size_t elements(const struct problem *p, int which)
{
    return (size_t)p->distance[which] * (size_t)p->cols[which] + GAP;
}

static struct problem make_problem(const struct type *type, const struct size *s, int gap)
{
    struct problem p = {.type = type,
                        .size = s,
                        .rows = {s->a_turned ? s->k : s->m, s->b_turned ? s->n : s->k, s->m},
                        .cols = {s->a_turned ? s->m : s->k, s->b_turned ? s->k : s->n, s->n}};
    for (int w = 0; w < 3; w++) {
        p.distance[w] = p.rows[w] + gap;
        p.memory[w] = malloc(elements(&p, w) * 8);
        for (size_t i = 0; i < elements(&p, w); i++)
            put(type, w == 2, p.memory[w], i, value(i + (size_t)w * OTHER));
    }
    return p;
}

static int shape(char *to, size_t room, const struct problem *p, int which)
{
    const char *type = which == 2 ? p->type->out : p->type->in;
    if (p->size->open == ALL || (p->size->open && which == 2))
        return snprintf(to, room, "memref<%sx?x?>", type);
    if (p->size->open && which == 0)
        return snprintf(to, room, p->size->a_turned ? "memref<%sx%dx?,strided<1,?>>" : "memref<%sx?x%d,strided<1,?>>", type, p->size->k);
    if (p->size->open)
        return snprintf(to, room, p->size->b_turned ? "memref<%sx?x%d,strided<1,?>>" : "memref<%sx%dx?,strided<1,?>>", type, p->size->k);
    return snprintf(to, room, "memref<%sx%dx%d,strided<1,%d>>", type, p->rows[which], p->cols[which], p->distance[which]);
}

static int beta_of(int number)
{
    static const int betas[] = {0, 1, 3};
    return betas[number % 3];
}

static int write_function(char *to, size_t room, const struct problem *p, int number)
{
    char a[80], b[80], c[80];
    const struct size *s = p->size;
    shape(a, sizeof a, p, 0);
    shape(b, sizeof b, p, 1);
    shape(c, sizeof c, p, 2);
    const char *dot = p->type->is_int ? "" : ".0";
    /* Two of three functions have a factor and add to C, one of them C times a number. */
    return snprintf(to, room,
                    "func @f%d(%%A: %s, %%B: %s, %%C: %s) {\n  %%alpha = constant %d%s : %s\n  %%beta = constant %d%s : %s\n"
                    "  gemm.%c.%c %%alpha, %%A, %%B, %%beta, %%C\n}\n",
                    number, a, b, c, number % 3 ? 2 : 1, dot, p->type->in, beta_of(number), dot, p->type->out, s->a_turned ? 't' : 'n',
                    s->b_turned ? 't' : 'n');
}

static bool is_right(const struct problem *p, const void *made, int number)
{
    const struct size *s = p->size;
    for (size_t at = 0; at < elements(p, 2); at++) {
        int i = (int)(at % (size_t)p->distance[2]), j = (int)(at / (size_t)p->distance[2]);
        double expected = result(p->type, p->memory[2], at);
        if (i < s->m && j < s->n) {
            double sum = 0;
            for (int k = 0; k < s->k; k++) {
                int a = s->a_turned ? k + i * p->distance[0] : i + k * p->distance[0];
                int b = s->b_turned ? j + k * p->distance[1] : k + j * p->distance[1];
                sum += value((size_t)a) * value((size_t)b + OTHER);
            }
            expected = (number % 3 ? 2 * sum : sum) + beta_of(number) * expected;
            expected = p->type->out_bytes == 2 ? rounded(expected) : expected;
        }
        if (result(p->type, made, at) != expected) {
            fprintf(stderr, "%s, %d x %d x %d, function f%d: element %zu is %g, not %g\n", p->type->in, s->m, s->n, s->k, number, at,
                    result(p->type, made, at), expected);
            return false;
        }
    }
    return true;
}

static bool set_arguments(cl_kernel kernel, const struct problem *p, cl_mem *memory)
{
    bool good = true;
    cl_uint next = 0;
    for (int w = 0; w < 3; w++) {
        size_t bytes = elements(p, w) * (size_t)(w == 2 ? p->type->out_bytes : p->type->in_bytes);
        cl_long open[] = {p->rows[w], p->cols[w], p->distance[w]};
        memory[w] = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, bytes, p->memory[w], NULL);
        good &= !clSetKernelArg(kernel, next++, sizeof memory[w], &memory[w]);
        for (int i = 0; i < 3 && p->size->open; i++)
            if (w == 2 || i == 2 || p->size->open == ALL || open[i] != p->size->k)
                good &= !clSetKernelArg(kernel, next++, sizeof open[i], &open[i]);
    }
    return good;
}

static bool run(cl_program program, const struct problem *p, int number)
{
    char name[16];
    cl_int error;
    cl_mem memory[3] = {NULL};
    size_t local[3], bytes = elements(p, 2) * (size_t)p->type->out_bytes;
    void *made = malloc(bytes);
    snprintf(name, sizeof name, "f%d", number);
    cl_kernel kernel = clCreateKernel(program, name, &error);
    bool good = !error && set_arguments(kernel, p, memory) &&
                !clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof local, local, NULL) &&
                !clEnqueueNDRangeKernel(queue, kernel, 3, NULL, local, local, 0, NULL, NULL) &&
                !clEnqueueReadBuffer(queue, memory[2], CL_TRUE, 0, bytes, made, 0, NULL, NULL);
    if (!good)
        fprintf(stderr, "function f%d did not run\n", number);
    good = good && is_right(p, made, number);
    for (int w = 0; w < 3; w++)
        if (memory[w])
            clReleaseMemObject(memory[w]);
    if (kernel)
        clReleaseKernel(kernel);
    free(made);
    return good;
}

int main(void)
{
    static struct problem problems[CASES];
    static char text[MOST_TEXT];
    int count = 0, length = 0, failures = 0;
    struct session session = open_session();
    context = session.context;
    queue = session.queue;
    device = session.device;
    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        for (size_t s = types[t].out_bytes == 2 ? FIRST_LARGE : 0; s < sizeof sizes / sizeof *sizes; s++) {
            problems[count] = make_problem(&types[t], &sizes[s], s % 3 ? GAP : 0);
            length += write_function(text + length, sizeof text - (size_t)length, &problems[count], count);
            count++;
        }
    const char *source = text;
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, NULL);
    if (clBuildProgram(program, 1, &device, "", NULL, NULL)) {
        clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof text, text, NULL);
        fprintf(stderr, "%s\n", text);
        return 1;
    }
    for (int i = 0; i < count; i++) {
        failures += !run(program, &problems[i], i);
        for (int w = 0; w < 3; w++)
            free(problems[i].memory[w]);
    }
    clReleaseProgram(program);
    close_session(&session);
    return failures != 0;
}
