/* SPDX-License-Identifier: Apache-2.0
 * gemm in the tensor language against plain C: sizes that fill blocks and that do not, transposed operands, distances of columns, sizes
 * that the kernel gets as arguments, alpha and beta. Integers that are exact in every type, so that all results are. What lies between
 * columns of C, and behind them, stays as it was. Runs in the engine that TESSERA_ENGINE names. */
#include "../host/host.h"

#include <stdbool.h>
#include <stdint.h>

enum { MOST_TEXT = 1 << 20, CASES = 640, FIRST_LARGE = 14, OTHER_LANES = 6, GAP = 3, OTHER = 12345 };

static const struct type {
    const char *in, *out;
    int in_bytes, out_bytes;
    bool is_int;
} types[] = {{"f32", "f32", 4, 4, false}, {"f64", "f64", 8, 8, false}, {"bf16", "f32", 2, 4, false}, {"i8", "i32", 1, 4, true},
             {"f16", "f32", 2, 4, false}, {"i16", "i32", 2, 4, true},  {"bf16", "bf16", 2, 2, false}};

enum open { NONE, ALL_BUT_K, ONLY_K, ALL };

/* `open`: which sizes are arguments; distances are, too, then. `step`: a loop adds up products of so much of K. From FIRST_LARGE on they
 * are cut to fit caches; the sizes fill nothing, and there is more than one part of K, and of rows. Then come matrices that are small, or
 * have columns in the same lines of a cache, and one without any K. */
static const struct size {
    int m, n, k;
    bool a_transposed, b_transposed;
    enum open open;
    int step;
} sizes[] = {
    {1, 1, 1, false, false, NONE, 0},        {16, 16, 16, false, false, NONE, 0},      {64, 24, 32, false, false, NONE, 0},
    {17, 25, 33, false, false, NONE, 0},     {17, 25, 33, true, false, NONE, 0},       {17, 25, 33, false, true, NONE, 0},
    {17, 25, 33, true, true, NONE, 0},       {56, 9, 9, false, false, NONE, 0},        {40, 49, 6, false, true, NONE, 0},
    {100, 5, 70, false, false, NONE, 0},     {33, 40, 8, false, false, ALL_BUT_K, 0},  {16, 16, 64, false, true, ALL_BUT_K, 0},
    {5, 26, 1030, false, false, NONE, 0},    {9, 12, 20, false, true, ALL, 0},         {300, 40, 901, false, false, ALL, 0},
    {45, 31, 515, true, true, ALL, 0},       {64, 40, 181, true, false, NONE, 0},      {70, 30, 40, false, false, ALL, 0},
    {256, 26, 64, false, false, ALL, 0},     {256, 26, 64, false, true, ALL, 0},       {64, 48, 20, true, false, ALL, 0},
    {18, 11, 300, false, false, ALL, 0},     {5, 7, 0, false, false, ALL, 0},          {1, 1, 1, true, true, ALL, 0},
    {37, 33, 0, true, true, ALL, 0},         {64, 72, 80, false, false, ALL_BUT_K, 0}, {64, 48, 192, false, false, ALL, 64},
    {29, 70, 96, true, true, ALL, 16},       {17, 9, 60, false, true, NONE, 12},       {25, 31, 64, true, false, ALL_BUT_K, 32},
    {5, 7, 0, false, false, ALL, 8},         {64, 64, 0, false, false, ONLY_K, 64},    {64, 64, 320, false, false, ONLY_K, 64},
    {40, 24, 90, true, true, ONLY_K, 9},     {26, 30, 7, false, false, ONLY_K, 0},     {56, 9, 56, true, false, NONE, 0},
    {64, 64, 1091, false, false, ONLY_K, 0}, {90, 48, 1040, false, false, ONLY_K, 0},  {64, 64, 1091, false, true, ONLY_K, 0},
    {24, 20, 64, true, true, NONE, 0},       {9, 40, 68, true, false, NONE, 0},        {64, 25, 60, false, true, NONE, 0},
    {1, 40, 33, false, false, NONE, 0},      {3, 49, 40, false, true, NONE, 0},        {4, 16, 32, true, false, NONE, 0},
    {56, 9, 56, false, false, NONE, 0},      {33, 30, 37, false, false, NONE, 0},      {50, 40, 70, false, false, NONE, 0},
    {50, 40, 70, true, false, NONE, 0},      {50, 40, 70, false, true, NONE, 0},       {50, 40, 70, true, true, NONE, 0},
    {64, 64, 64, false, false, NONE, 0},     {20, 33, 200, false, false, ALL, 0},      {48, 33, 64, false, false, NONE, 0},
};

struct problem {
    const struct type *type;
    const struct size *size;
    int lanes;                         /* of a sub-group; 0: the compiler chooses */
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
    int16_t low = (int16_t)own;
    int8_t byte = (int8_t)own;
    _Float16 f16 = (_Float16)own;
    uint32_t bits;
    memcpy(&bits, &single, sizeof bits);
    uint16_t half = (uint16_t)(bits >> 16);
    int bytes = result ? type->out_bytes : type->in_bytes;
    const void *number = type->is_int ? (bytes == 4   ? (const void *)&word
                                         : bytes == 2 ? (const void *)&low
                                                      : &byte)
                         : bytes == 8 ? (const void *)&wide
                         : bytes == 2 ? (!strcmp(type->in, "f16") ? (const void *)&f16 : &half)
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

static struct problem make_problem(const struct type *type, const struct size *s, int gap, int lanes)
{
    struct problem p = {.type = type,
                        .size = s,
                        .lanes = lanes,
                        .rows = {s->a_transposed ? s->k : s->m, s->b_transposed ? s->n : s->k, s->m},
                        .cols = {s->a_transposed ? s->m : s->k, s->b_transposed ? s->k : s->n, s->n}};
    for (int w = 0; w < 3; w++) {
        p.distance[w] = p.rows[w] + gap;
        p.memory[w] = malloc(elements(&p, w) * 8);
        for (size_t i = 0; i < elements(&p, w); i++)
            put(type, w == 2, p.memory[w], i, value(i + (size_t)w * OTHER));
    }
    return p;
}

/* Whether a size of a matrix is an argument: of its rows, its columns or their distance. */
static bool is_open(const struct size *s, int which, int mode)
{
    bool is_k = which < 2 && mode == (which == 0 ? !s->a_transposed : s->b_transposed);
    switch (s->open) {
    case NONE:
        return false;
    case ALL_BUT_K:
        return !is_k;
    case ONLY_K:
        return which < 2 && (mode == 2 || is_k);
    default:
        return true;
    }
}

/* The type of a matrix; `step`: of a part of K. */
static void shape(char *to, size_t room, const struct problem *p, int which, int step)
{
    const struct size *s = p->size;
    int sizes_of[] = {p->rows[which], p->cols[which], p->distance[which]}, at = 0;
    int k_mode = which == 0 ? !s->a_transposed : s->b_transposed;
    at += snprintf(to, room, "memref<%s", which == 2 ? p->type->out : p->type->in);
    for (int mode = 0; mode < 3; mode++) {
        const char *before = mode < 2 ? "x" : ",strided<1,";
        if (step && which < 2 && mode == k_mode)
            at += snprintf(to + at, room - (size_t)at, "%s%d", before, step);
        else if (is_open(s, which, mode))
            at += snprintf(to + at, room - (size_t)at, "%s?", before);
        else
            at += snprintf(to + at, room - (size_t)at, "%s%d", before, sizes_of[mode]);
    }
    snprintf(to + at, room - (size_t)at, ">>");
}

static int beta_of(int number)
{
    static const int betas[] = {0, 1, 3};
    return betas[number % 3];
}

/* C := beta C, and then the products of one part of K after the other. */
static int write_steps(char *to, size_t room, const struct problem *p)
{
    char a[80], b[80], part[2][32];
    const struct size *s = p->size;
    const char *dot = p->type->is_int ? "" : ".0", *out = p->type->out;
    shape(a, sizeof a, p, 0, s->step);
    shape(b, sizeof b, p, 1, s->step);
    snprintf(part[0], sizeof part[0], "%%k:%d, :", s->step);
    snprintf(part[1], sizeof part[1], ":, %%k:%d", s->step);
    return snprintf(to, room,
                    "  %%none = constant 0%s : %s\n  %%one = constant 1%s : %s\n  axpby.n %%none, %%C, %%beta, %%C\n"
                    "  %%from = constant 0 : index\n  %%side = constant %d : index\n  %%depth = size %%A[%d] : index\n"
                    "  for %%k = %%from, %%depth, %%side {\n    %%a = subview %%A[%s] : %s\n    %%b = subview %%B[%s] : %s\n"
                    "    gemm.%c.%c %%alpha, %%a, %%b, %%one, %%C\n  }\n}\n",
                    dot, out, dot, out, s->step, !s->a_transposed, part[!s->a_transposed], a, part[s->b_transposed], b,
                    s->a_transposed ? 't' : 'n', s->b_transposed ? 't' : 'n');
}

static int write_function(char *to, size_t room, const struct problem *p, int number)
{
    char a[80], b[80], c[80], lanes[80] = "";
    const struct size *s = p->size;
    if (p->lanes)
        snprintf(lanes, sizeof lanes, "attributes{subgroup_size=%d,work_group_size=[%d,1]} ", p->lanes, p->lanes);
    shape(a, sizeof a, p, 0, 0);
    shape(b, sizeof b, p, 1, 0);
    shape(c, sizeof c, p, 2, 0);
    const char *dot = p->type->is_int ? "" : ".0";
    /* Two of three functions have a factor and add to C, one of them C times a number. */
    int head =
        snprintf(to, room, "func @f%d(%%A: %s, %%B: %s, %%C: %s) %s{\n  %%alpha = constant %d%s : %s\n  %%beta = constant %d%s : %s\n",
                 number, a, b, c, lanes, number % 3 ? 2 : 1, dot, p->type->in, beta_of(number), dot, p->type->out);
    to += head;
    room -= (size_t)head;
    if (s->step)
        return head + write_steps(to, room, p);
    return head +
           snprintf(to, room, "  gemm.%c.%c %%alpha, %%A, %%B, %%beta, %%C\n}\n", s->a_transposed ? 't' : 'n', s->b_transposed ? 't' : 'n');
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
                int a = s->a_transposed ? k + i * p->distance[0] : i + k * p->distance[0];
                int b = s->b_transposed ? j + k * p->distance[1] : k + j * p->distance[1];
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
        for (int i = 0; i < 3; i++)
            if (is_open(p->size, w, i))
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
    static const int lanes[] = {0, 8, 32};
    static struct problem problems[CASES];
    static char text[MOST_TEXT];
    int count = 0, length = 0, failures = 0;
    struct session session = open_session();
    context = session.context;
    queue = session.queue;
    device = session.device;
    for (size_t l = 0; l < sizeof lanes / sizeof *lanes; l++)
        for (size_t t = 0; t < sizeof types / sizeof *types; t++)
            for (size_t s = types[t].out_bytes == 2 ? FIRST_LARGE : 0; s < sizeof sizes / sizeof *sizes; s++) {
                if (types[t].out_bytes == 2 && sizes[s].step) /* each step would be rounded */
                    continue;
                if (lanes[l] && s % OTHER_LANES != OTHER_LANES - 1)
                    continue;
                problems[count] = make_problem(&types[t], &sizes[s], s % 3 ? GAP : 0, lanes[l]);
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
