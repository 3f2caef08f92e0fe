/* SPDX-License-Identifier: Apache-2.0
 * Products of narrow numbers of which each work-group has a tile of C, against plain C: work-groups in x and in z, tiles that fill the
 * unit's and that do not, C that is replaced, and C that each work-group clears first and then adds to in steps of K, so that products of
 * work-groups may be made together. Small integers, so that all results are exact. Runs in the engine that TESSERA_ENGINE names. */
#include "../host/host.h"

#include <stdbool.h>
#include <stdint.h>

enum { MOST_TEXT = 4096, OTHER = 4321, GUARD = 5 };

static const struct type {
    const char *in, *out;
    int bytes;
    const char *dot;
} types[] = {{"i8", "i32", 1, ""}, {"bf16", "f32", 2, ".0"}};

/* Of C and K, of a tile, and of a step of K, 0: all of it. */
static const struct size {
    int m, n, k, rows, cols, step;
    bool in_x, a_transposed, b_transposed;
} sizes[] = {
    {256, 192, 128, 64, 64, 0, false, false, false}, {256, 192, 128, 64, 64, 0, true, false, false},
    {128, 96, 320, 64, 48, 64, false, false, false}, {200, 150, 70, 64, 64, 0, false, false, false},
    {96, 160, 99, 32, 80, 33, true, false, false},   {160, 64, 64, 16, 16, 0, false, true, false},
    {96, 64, 192, 48, 32, 64, false, false, true},   {33, 65, 1, 16, 64, 0, true, true, true},
    {128, 32, 4096, 64, 32, 0, false, false, false}, {80, 48, 35000, 80, 48, 0, false, false, false},
    {48, 40, 700, 48, 40, 0, true, true, true},      {1, 300, 64, 1, 300, 0, false, false, false},
    {600, 40, 1100, 600, 40, 0, false, false, true}, {576, 32, 2048, 576, 32, 0, false, true, true},
};

static int value(size_t i)
{
    return (int)(i * 2654435761u >> 20 & 7) - 3;
}

/* `floating`: the bits of a float, of which those of bf16 are the upper half. */
static uint32_t bits_of(float floating)
{
    uint32_t bits;
    memcpy(&bits, &floating, sizeof bits);
    return bits;
}

static void *make_operand(const struct type *type, size_t count, size_t first)
{
    char *made = malloc(count * (size_t)type->bytes);
    for (size_t i = 0; i < count; i++) {
        const uint16_t half = (uint16_t)(bits_of((float)value(first + i)) >> 16);
        if (type->bytes == 2)
            memcpy(made + 2 * i, &half, 2);
        else
            made[i] = (char)value(first + i);
    }
    return made;
}

static double number(const struct type *type, const void *memory, size_t i)
{
    return type->bytes == 1 ? ((const int32_t *)memory)[i] : (double)((const float *)memory)[i];
}

/* The size of a tile: as many as are left, if tiles do not fill C. */
static int write_side(char *to, size_t room, char name, int size, int tile)
{
    if (size % tile == 0)
        return snprintf(to, room, "");
    return snprintf(to, room,
                    "  %%all%c = constant %d : index\n  %%most%c = constant %d : index\n  %%left%c = arith.sub %%all%c, %%at%c : index\n"
                    "  %%some%c = arith.min %%left%c, %%most%c : index\n",
                    name, size, name, tile, name, name, name, name, name, name);
}

static void extent(char *to, size_t room, char name, int size, int tile, bool type)
{
    if (size % tile == 0)
        snprintf(to, room, "%d", tile);
    else if (type)
        snprintf(to, room, "?");
    else
        snprintf(to, room, "%%some%c", name);
}

static void write_text(char *to, const struct type *t, const struct size *s)
{
    char rows[16], cols[16], own_rows[16], own_cols[16];
    size_t room = MOST_TEXT;
    int at = snprintf(to, room,
                      "func @mm(%%A: memref<%sx%dx%d>, %%B: memref<%sx%dx%d>, %%C: memref<%sx%dx%d>) {\n  %%g = builtin.group_id : index\n"
                      "  %%tiles = constant %d : index\n  %%r = arith.rem %%g, %%tiles : index\n  %%q = arith.div %%g, %%tiles : index\n"
                      "  %%height = constant %d : index\n  %%width = constant %d : index\n  %%atm = arith.mul %%r, %%height : index\n"
                      "  %%atn = arith.mul %%q, %%width : index\n",
                      t->in, s->a_transposed ? s->k : s->m, s->a_transposed ? s->m : s->k, t->in, s->b_transposed ? s->n : s->k,
                      s->b_transposed ? s->k : s->n, t->out, s->m, s->n, (s->m + s->rows - 1) / s->rows, s->rows, s->cols);
    at += write_side(to + at, room - (size_t)at, 'm', s->m, s->rows);
    at += write_side(to + at, room - (size_t)at, 'n', s->n, s->cols);
    extent(rows, sizeof rows, 'm', s->m, s->rows, false);
    extent(cols, sizeof cols, 'n', s->n, s->cols, false);
    extent(own_rows, sizeof own_rows, 'm', s->m, s->rows, true);
    extent(own_cols, sizeof own_cols, 'n', s->n, s->cols, true);
    const int depth = s->step ? s->step : s->k;
    at += snprintf(to + at, room - (size_t)at,
                   "  %%c = subview %%C[%%atm:%s, %%atn:%s] : memref<%sx%sx%s,strided<1,%d>>\n  %%one = constant 1%s : %s\n"
                   "  %%add = constant 1%s : %s\n  %%none = constant 0%s : %s\n  %%from = constant 0 : index\n  %%k = constant 0 : index\n",
                   rows, cols, t->out, own_rows, own_cols, s->m, t->dot, t->in, t->dot, t->out, t->dot, t->out);
    if (s->step)
        at += snprintf(to + at, room - (size_t)at,
                       "  axpby.n %%none, %%c, %%none, %%c\n  %%step = constant %d : index\n  %%depth = constant %d : index\n"
                       "  for %%kk = %%from, %%depth, %%step {\n",
                       s->step, s->k);
    const char *k = s->step ? "%kk" : "%k";
    char a[128], b[128];
    if (s->a_transposed)
        snprintf(a, sizeof a, "[%s:%d, %%atm:%s] : memref<%sx%dx%s,strided<1,%d>>", k, depth, rows, t->in, depth, own_rows, s->k);
    else
        snprintf(a, sizeof a, "[%%atm:%s, %s:%d] : memref<%sx%sx%d,strided<1,%d>>", rows, k, depth, t->in, own_rows, depth, s->m);
    if (s->b_transposed)
        snprintf(b, sizeof b, "[%%atn:%s, %s:%d] : memref<%sx%sx%d,strided<1,%d>>", cols, k, depth, t->in, own_cols, depth, s->n);
    else
        snprintf(b, sizeof b, "[%s:%d, %%atn:%s] : memref<%sx%dx%s,strided<1,%d>>", k, depth, cols, t->in, depth, own_cols, s->k);
    snprintf(to + at, room - (size_t)at,
             "    %%a = subview %%A%s\n    %%b = subview %%B%s\n    gemm.%c.%c %%one, %%a, %%b, %%%s, %%c\n%s}\n", a, b,
             s->a_transposed ? 't' : 'n', s->b_transposed ? 't' : 'n', s->step ? "add" : "none", s->step ? "  }\n" : "");
}

static bool is_right(const struct type *t, const struct size *s, const void *made)
{
    for (int j = 0; j < s->n; j++)
        for (int i = 0; i < s->m; i++) {
            double sum = 0;
            for (int k = 0; k < s->k; k++)
                sum += value((size_t)(s->a_transposed ? k + i * s->k : i + k * s->m)) *
                       value((size_t)(s->b_transposed ? j + k * s->n : k + j * s->k) + OTHER);
            if (number(t, made, (size_t)(i + j * s->m)) != sum) {
                fprintf(stderr, "%s, %d x %d x %d: element (%d, %d) is %g, not %g\n", t->in, s->m, s->n, s->k, i, j,
                        number(t, made, (size_t)(i + j * s->m)), sum);
                return false;
            }
        }
    return true;
}

static bool run(const struct session *session, const struct type *t, const struct size *s)
{
    enum { LAUNCHES = 3, MARK = 0x5a };
    static char text[MOST_TEXT];
    const char *source = text;
    const size_t a_count = (size_t)s->m * (size_t)s->k, b_count = (size_t)s->k * (size_t)s->n,
                 c_bytes = ((size_t)s->m * (size_t)s->n + GUARD) * 4;
    void *a = make_operand(t, a_count, 0), *b = make_operand(t, b_count, OTHER);
    unsigned char *c = malloc(c_bytes);
    cl_int error;
    size_t local[3], global[3];
    write_text(text, t, s);
    cl_program program = clCreateProgramWithSource(session->context, 1, &source, NULL, &error);
    if (clBuildProgram(program, 1, &session->device, "", NULL, NULL)) {
        static char log[MOST_TEXT];
        clGetProgramBuildInfo(program, session->device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
        fprintf(stderr, "%s\n%s\n", text, log);
        return false;
    }
    cl_kernel kernel = clCreateKernel(program, "mm", &error);
    cl_mem memory[] = {clCreateBuffer(session->context, CL_MEM_COPY_HOST_PTR, a_count * (size_t)t->bytes, a, NULL),
                       clCreateBuffer(session->context, CL_MEM_COPY_HOST_PTR, b_count * (size_t)t->bytes, b, NULL),
                       clCreateBuffer(session->context, CL_MEM_READ_WRITE, c_bytes, NULL, NULL)};
    bool good = true;
    for (cl_uint i = 0; i < 3; i++)
        good &= !clSetKernelArg(kernel, i, sizeof memory[i], &memory[i]);
    good &= !clGetKernelWorkGroupInfo(kernel, session->device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof local, local, NULL);
    const size_t groups = (size_t)((s->m + s->rows - 1) / s->rows) * (size_t)((s->n + s->cols - 1) / s->cols);
    memcpy(global, local, sizeof global);
    global[s->in_x ? 0 : 2] *= groups;
    for (int i = 0; i < LAUNCHES && good; i++) {
        memset(c, MARK, c_bytes);
        good = !clEnqueueWriteBuffer(session->queue, memory[2], CL_TRUE, 0, c_bytes, c, 0, NULL, NULL) &&
               !clEnqueueNDRangeKernel(session->queue, kernel, 3, NULL, global, local, 0, NULL, NULL) &&
               !clEnqueueReadBuffer(session->queue, memory[2], CL_TRUE, 0, c_bytes, c, 0, NULL, NULL) && is_right(t, s, c);
        for (size_t at = c_bytes - GUARD * 4; at < c_bytes; at++)
            good &= c[at] == MARK;
    }
    if (!good)
        fprintf(stderr, "%s, %d x %d x %d in tiles of %d x %d went wrong\n", t->in, s->m, s->n, s->k, s->rows, s->cols);
    for (int i = 0; i < 3; i++)
        clReleaseMemObject(memory[i]);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    free(a);
    free(b);
    free(c);
    return good;
}

int main(void)
{
    int failures = 0;
    struct session session = open_session();
    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
            failures += !run(&session, &types[t], &sizes[s]);
    close_session(&session);
    return failures != 0;
}
