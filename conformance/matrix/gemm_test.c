/* SPDX-License-Identifier: Apache-2.0
 * Whole products with accumulators in loops (gemm.cl), in all shapes and signs, against plain C: what an engine may keep in registers or
 * tiles for long. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <math.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <cmocka.h>

#include "conformance/matrix/gemm.h"
#include "conformance/matrix/oracle.h"
#include "tessera/base.h"
#include "tessera/matrix_math.h"

static double element_at(enum element e, const unsigned char *row, int k)
{
    int bits = elements[e].bits, at = k * bits / 8;
    unsigned word = bits == 16 ? row[at] | (unsigned)row[at + 1] << 8 : bits == 4 ? row[at] >> k % 2 * 4 & 15u : row[at];
    switch (e) {
    case S8:
        return (signed char)word;
    case S4:
        return (int)word - (int)(word & 8) * 2;
    case BF16:
        return tsr_float_of_bf16(word);
    case F16:
        return tsr_float_of_f16(word);
    default:
        return word;
    }
}

struct problem {
    const struct way *w;
    int m, n, k, k_bytes;
    unsigned char *a, *b; /* b: packed words, four bytes each, n in a row */
    uint32_t *c, *d;
};

static unsigned char random_byte(const struct way *w, bool is_high_half, uint32_t *state)
{
    uint32_t r = oracle_random(state) >> 9;
    uint32_t around_one = w->a == BF16 ? 0x3e + (r >> 8) % 3 : 0x38 + (r >> 8) % 8;
    return (unsigned char)(w->a >= BF16 && is_high_half ? (r & 0x80) | around_one : r);
}

static struct problem make(const struct way *w)
{
    struct problem p = {.w = w, .m = 2 * w->rows * w->m, .n = 2 * w->sub_groups * w->columns * w->sub_group};
    uint32_t state = (uint32_t)(w->rows * 31 + w->columns * 7 + w->steps);
    p.k_bytes = w->steps * w->chain * 32;
    p.k = p.k_bytes * 8 / elements[w->a].bits;
    size_t a_size = (size_t)p.m * (size_t)p.k_bytes, b_size = (size_t)p.n * (size_t)p.k_bytes, c_count = (size_t)p.m * (size_t)p.n;
    p.a = malloc(a_size + 1);
    p.b = malloc(b_size + 1);
    p.c = malloc(c_count * 4);
    p.d = malloc(c_count * 4);
    assert_true(p.a && p.b && p.c && p.d);
    for (size_t i = 0; i < a_size; i++)
        p.a[i] = random_byte(w, i % 2, &state);
    for (size_t i = 0; i < b_size; i++)
        p.b[i] = random_byte(w, i % 2, &state);
    if (w->skip)
        for (int k = 0; k < p.k_bytes; k += 3 * 32 * w->chain)
            memcpy(p.b + (size_t)(k / 4) * (size_t)p.n * 4, &w->skip, 4);
    for (size_t i = 0; i < c_count; i++) {
        float f = (float)(int)(oracle_random(&state) % 2000) - 1000;
        p.c[i] = oracle_random(&state);
        if (w->a >= BF16)
            memcpy(&p.c[i], &f, 4);
    }
    return p;
}

/* Vectors leave no choice in the order of additions. */
static bool is_exact(void)
{
    const char *unit = getenv("TESSERA_TILES");
    return unit && !strcmp(unit, "vectors");
}

/* Element by element, in the order of k. */
static void check_one(const struct problem *p, int row, int column)
{
    const struct way *w = p->w;
    size_t at = (size_t)row * (size_t)p->n + (size_t)column;
    int in_word = 32 / elements[w->a].bits, in_step = p->k / (w->steps ? w->steps : 1);
    bool from_zero = w->options && strstr(w->options, "FROM_ZERO");
    uint32_t whole = from_zero ? 0 : p->c[at];
    float start = 0, got, ordered;
    memcpy(&start, &whole, 4);
    ordered = start;
    double sum = start, magnitude = fabs((double)start);
    for (int i = 0; i < p->k; i++) {
        int k = w->a == BF16 && tsr_cpu_has(tsr_cpu(), TSR_CPU_BF16_PAIRS) ? i ^ 1 : i; /* VDPBF16PS begins with the second one */
        const unsigned char *word = p->b + ((size_t)(k / in_word) * (size_t)p->n + (size_t)column) * 4;
        const unsigned char *first = p->b + (size_t)(k / in_step * in_step / in_word) * (size_t)p->n * 4;
        bool skipped = w->skip && !memcmp(first, &w->skip, 4);
        double x = element_at(w->a, p->a + (size_t)row * (size_t)p->k_bytes, k), y = element_at(w->b, word, k % in_word);
        double product = skipped ? 0 : x * y;
        ordered = skipped ? ordered : fmaf((float)x, (float)y, ordered);
        whole += (uint32_t)(int64_t)product;
        sum += product;
        magnitude += fabs(product);
        if (w->scale && (i + 1) % in_step == 0) {
            whole *= (uint32_t)w->scale;
            sum *= w->scale;
            ordered *= (float)w->scale;
            magnitude *= w->scale;
        }
    }
    memcpy(&got, &p->d[at], 4);
    bool right = w->a < BF16  ? p->d[at] == whole
                 : is_exact() ? got == ordered
                              : fabs(got - sum) <= (p->k + 2 * w->steps) * 0x1p-23 * magnitude;
    if (!right)
        fprintf(stderr, "SG%d m %d, %d x %d blocks, chain %d, %d steps, %s: D[%d][%d] is %d (%g), must be %d (%g)\n", w->sub_group, w->m,
                w->rows, w->columns, w->chain, w->steps, w->options ? w->options : "", row, column, (int)p->d[at], (double)got, (int)whole,
                sum);
    assert_true(right);
}

/* With PACKED: for each place of D the row and column of what was written there last, by which rows that overlap differ from others. */
static void check_packed(struct problem *p)
{
    const struct way *w = p->w;
    int height = w->rows * w->m, width = w->columns * w->sub_group, count = p->m * p->n;
    int *from = calloc((size_t)count, sizeof(*from));
    uint32_t *at_place = p->d;
    assert_non_null(from);
    for (int row = 0; row < p->m; row += height)
        for (int column = 0; column < p->n; column += width)
            for (int n = 0; n < height * width; n++) {
                int i = n / w->sub_group / w->m / w->columns, j = n / w->sub_group / w->m % w->columns, r = n / w->sub_group % w->m;
                int lane = n % w->sub_group, place = row * p->n + column * height + (i * w->m + r) * w->packed + j * w->sub_group + lane;
                from[place] = (row + i * w->m + r) * p->n + column + j * w->sub_group + lane + 1;
            }
    p->d = calloc((size_t)count, sizeof(*p->d));
    assert_non_null(p->d);
    for (int place = 0; place < count; place++) {
        if (!from[place])
            continue;
        p->d[from[place] - 1] = at_place[place];
        check_one(p, (from[place] - 1) / p->n, (from[place] - 1) % p->n);
    }
    free(p->d);
    free(from);
    p->d = at_place;
}

static void run(const struct way *w)
{
    if (!gemm_has(w))
        return;
    struct problem p = make(w);
    cl_program program = gemm_build(w);
    size_t a_size = (size_t)p.m * (size_t)p.k_bytes, b_size = (size_t)p.n * (size_t)p.k_bytes, c_size = (size_t)p.m * (size_t)p.n * 4;
    size_t global[2] = {(size_t)p.n / (size_t)w->columns, 2}, local[2] = {(size_t)(w->sub_groups * w->sub_group), 1};
    void *data[4] = {p.a, p.b, p.c, p.d};
    size_t sizes[4] = {a_size ? a_size : 1, b_size ? b_size : 1, c_size, c_size};
    cl_int status, numbers[2] = {p.k_bytes, p.n};
    cl_kernel kernel = clCreateKernel(program, "gemm", &status);
    cl_mem memory[4];

    assert_int_equal(status, CL_SUCCESS);
    for (cl_uint i = 0; i < 4; i++) {
        memory[i] = clCreateBuffer(device.context, CL_MEM_USE_HOST_PTR, sizes[i], data[i], &status);
        assert_int_equal(status, CL_SUCCESS);
        assert_int_equal(clSetKernelArg(kernel, i, sizeof(cl_mem), &memory[i]), CL_SUCCESS);
    }
    for (cl_uint i = 0; i < 2; i++)
        assert_int_equal(clSetKernelArg(kernel, 4 + i, sizeof(cl_int), &numbers[i]), CL_SUCCESS);
    assert_int_equal(clEnqueueNDRangeKernel(device.queue, kernel, 2, NULL, global, local, 0, NULL, NULL), CL_SUCCESS);
    assert_int_equal(clEnqueueReadBuffer(device.queue, memory[3], CL_TRUE, 0, c_size, p.d, 0, NULL, NULL), CL_SUCCESS);
    bool packed = w->options && strstr(w->options, "PACKED");
    if (packed)
        check_packed(&p);
    for (int row = 0; row < p.m && !packed; row++)
        for (int column = 0; column < p.n; column++)
            check_one(&p, row, column);
    for (int i = 0; i < 4; i++) {
        clReleaseMemObject(memory[i]);
        free(data[i]);
    }
    clReleaseKernel(kernel);
    clReleaseProgram(program);
}

static void shapes(void **state)
{
    (void)state;
    static const int blocks[][2] = {{1, 1}, {2, 1}, {1, 2}, {2, 2}, {4, 2}, {3, 3}, {4, 4}, {6, 2}, {2, 5}};
    for (int sub_group = 8; sub_group <= 16; sub_group *= 2)
        for (size_t i = 0; i < sizeof(blocks) / sizeof(blocks[0]); i++)
            run(&(struct way){.sub_group = sub_group,
                              .m = 8,
                              .rows = blocks[i][0],
                              .columns = blocks[i][1],
                              .chain = 1 + (int)i % 3,
                              .a = i % 4 == 3 ? BF16 : S8,
                              .b = i % 4 == 3 ? BF16 : S8,
                              .steps = 4,
                              .sub_groups = 1});
}

static void signs_and_rows(void **state)
{
    (void)state;
    for (int kind = 0; kind < 5; kind++)
        for (int m = 1; m <= 8; m *= 2)
            run(&(struct way){.sub_group = kind % 2 ? 8 : 16,
                              .m = m,
                              .rows = 16 / m < 4 ? 16 / m : 4,
                              .columns = 2,
                              .chain = 2,
                              .a = kind == 4  ? BF16
                                   : kind & 1 ? U8
                                              : S8,
                              .b = kind == 4  ? BF16
                                   : kind & 2 ? U8
                                              : S8,
                              .steps = 3,
                              .sub_groups = 2});
}

/* Elements that tiles have no instruction for, or few CPUs. */
static void other_elements(void **state)
{
    (void)state;
    for (int kind = 0; kind < 5; kind++)
        for (int chain = 1; chain < 3; chain++)
            run(&(struct way){.sub_group = (kind + chain) % 2 ? 8 : 16,
                              .m = 8,
                              .rows = 2,
                              .columns = 2,
                              .chain = chain,
                              .a = kind == 4  ? F16
                                   : kind & 1 ? U4
                                              : S4,
                              .b = kind == 4  ? F16
                                   : kind & 2 ? U4
                                              : S4,
                              .steps = 3,
                              .sub_groups = 2,
                              .options = kind & 2 ? "-DFROM_ZERO" : NULL});
}

/* No round at all, one, and odd numbers of them. */
static void rounds(void **state)
{
    (void)state;
    for (int steps = 0; steps < 6; steps++)
        for (int chain = 1; chain < 3; chain++)
            run(&(struct way){.sub_group = 16,
                              .m = 8,
                              .rows = 2,
                              .columns = 1,
                              .chain = chain,
                              .a = chain == 1 ? S8 : BF16,
                              .b = chain == 1 ? S8 : BF16,
                              .steps = steps,
                              .sub_groups = 3,
                              .options = "-DFROM_ZERO"});
}

/* Accumulators start at zero, and the loop may be left out: both ways bring the same zeros together. */
static void from_zero(void **state)
{
    (void)state;
    static const int blocks[][2] = {{4, 2}, {4, 1}, {2, 4}};
    for (int i = 0; i < 12; i++)
        run(&(struct way){.sub_group = i & 1 ? 8 : 16,
                          .m = 8,
                          .rows = blocks[i / 4][0],
                          .columns = blocks[i / 4][1],
                          .chain = 2,
                          .a = i & 2 ? BF16 : S8,
                          .b = i & 2 ? BF16 : S8,
                          .steps = i % 3,
                          .sub_groups = 2,
                          .options = "-DFROM_ZERO"});
}

/* Pairs of sub-groups, with and without what makes loops hard. */
static void split(void **state)
{
    (void)state;
    static const struct {
        int m, rows, columns, chain, sub_groups;
        enum element a, b;
        const char *options;
        int scale, skip;
    } ways[] = {
        {8, 1, 1, 1, 2, S8, S8, NULL, 0, 0},
        {8, 4, 1, 2, 4, S8, S8, "-DFROM_ZERO", 0, 0},
        {8, 4, 2, 2, 2, BF16, BF16, "-DFROM_ZERO", 0, 0},
        {8, 2, 2, 1, 4, U8, S8, NULL, 0, 0},
        {4, 4, 1, 2, 2, S8, U8, NULL, 0, 0},
        {4, 2, 2, 1, 2, BF16, BF16, NULL, 0, 0},
        {2, 4, 2, 2, 2, U8, U8, NULL, 0, 0},
        {2, 3, 1, 1, 6, BF16, BF16, NULL, 0, 0},
        {8, 2, 2, 2, 4, S8, S8, "-DSTAGED", 0, 0},
        {8, 2, 1, 1, 2, BF16, BF16, "-DSTAGED", 0, 0},
        {8, 2, 2, 2, 2, U8, S8, "-DSCALE=3", 3, 0},
        {8, 2, 2, 1, 2, S8, S8, "-DSKIP=305419896", 0, 305419896},
    };
    for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++)
        run(&(struct way){.sub_group = 8,
                          .m = ways[i].m,
                          .rows = ways[i].rows,
                          .columns = ways[i].columns,
                          .chain = ways[i].chain,
                          .a = ways[i].a,
                          .b = ways[i].b,
                          .steps = 5,
                          .sub_groups = ways[i].sub_groups,
                          .split = true,
                          .options = ways[i].options,
                          .scale = ways[i].scale,
                          .skip = ways[i].skip});
}

/* Rows of D side by side and overlapping, where the order of stores counts. */
static void rows_close_together(void **state)
{
    (void)state;
    static const struct {
        int packed;
        const char *options;
    } ways[] = {{32, "-DPACKED=32"}, {16, "-DPACKED=16"}, {0, "-DPACKED=0"}};
    for (int i = 0; i < 6; i++)
        run(&(struct way){.sub_group = i & 1 ? 8 : 16,
                          .m = 8,
                          .rows = 4,
                          .columns = i & 1 ? 4 : 2,
                          .chain = 2,
                          .a = i % 3 ? BF16 : S8,
                          .b = i % 3 ? BF16 : S8,
                          .steps = 2,
                          .sub_groups = 2,
                          .options = ways[i / 2].options,
                          .packed = ways[i / 2].packed});
}

/* One operation for each accumulator in a round: of an odd number of steps the last is half of a tile's K, and the only one of one. Where
 * TESSERA_EXPLAIN=json tells, its operands come straight from memory, too. */
static void half_steps(void **state)
{
    (void)state;
    static const int blocks[][2] = {{2, 1}, {4, 2}, {6, 2}};
    for (int i = 0; i < 9; i++) {
        bool bytes = i % 2 == 0, narrow = i % 4 / 2;
        run(&(struct way){.sub_group = narrow ? 8 : 16,
                          .m = 8,
                          .rows = blocks[i % 3][0],
                          .columns = blocks[i % 3][1] * (narrow ? 2 : 1),
                          .chain = 1,
                          .a = bytes ? S8 : BF16,
                          .b = bytes ? U8 : BF16,
                          .steps = 1 + i / 3,
                          .sub_groups = 2,
                          .options = i % 5 ? "-DFROM_ZERO" : NULL});
        assert_true(!explains_tiles() || i % 3 == 2 || !strstr(device.log, "by way of the stack"));
    }
}

/* With TESSERA_EXPLAIN=json: between barriers accumulators are in tiles, too, if these are whole; with sub-groups of 16 they come from the
 * packet's context and go back there as tiles. */
static void barriers_in_the_loop(void **state)
{
    (void)state;
    for (int i = 0; i < 6; i++) {
        struct way w = {.sub_group = i & 1 ? 8 : 16, .m = 8, .rows = 2, .columns = 2, .chain = 1 + (i >= 2), .steps = 3, .sub_groups = 3};
        w.a = w.b = i >= 4 ? BF16 : S8;
        w.options = "-DSTAGED";
        run(&w);
        if (!explains_tiles() || w.chain == 1)
            continue;
        assert_null(strstr(device.log, "not in tiles"));
        assert_true(w.sub_group == 8 || strstr(device.log, "\"topic\":\"store\",\"verdict\":\"tiles\""));
    }
}

static void accumulators_change_in_the_loop(void **state)
{
    (void)state;
    run(&(struct way){.sub_group = 16,
                      .m = 8,
                      .rows = 2,
                      .columns = 2,
                      .chain = 2,
                      .a = U8,
                      .b = S8,
                      .steps = 3,
                      .sub_groups = 1,
                      .options = "-DSCALE=3",
                      .scale = 3});
    run(&(struct way){.sub_group = 8,
                      .m = 4,
                      .rows = 4,
                      .columns = 2,
                      .chain = 1,
                      .a = BF16,
                      .b = BF16,
                      .steps = 3,
                      .sub_groups = 1,
                      .options = "-DSCALE=3",
                      .scale = 3});
}

static void rounds_left_out(void **state)
{
    (void)state;
    run(&(struct way){.sub_group = 16,
                      .m = 8,
                      .rows = 2,
                      .columns = 2,
                      .chain = 2,
                      .a = S8,
                      .b = U8,
                      .steps = 7,
                      .sub_groups = 2,
                      .options = "-DSKIP=305419896",
                      .skip = 305419896});
    run(&(struct way){.sub_group = 8,
                      .m = 8,
                      .rows = 4,
                      .columns = 2,
                      .chain = 1,
                      .a = S8,
                      .b = S8,
                      .steps = 5,
                      .sub_groups = 1,
                      .options = "-DSKIP=305419896",
                      .skip = 305419896});
}

/* Without block reads, indices of 32 bits. */
static void plain_indices(void **state)
{
    (void)state;
    for (int i = 0; i < 8; i++)
        run(&(struct way){.sub_group = i & 1 ? 8 : 16,
                          .m = 8,
                          .rows = 2,
                          .columns = 2,
                          .chain = 1 + i / 4,
                          .a = i & 2 ? BF16 : U8,
                          .b = i & 2 ? BF16 : S8,
                          .steps = 3,
                          .sub_groups = 1,
                          .options = PLAIN_INDICES});
}

/* Sums of a uint may wrap; if a program lets them, they do. */
static void unsigned_indices(void **state)
{
    static const char *const options[] = {UNSIGNED_INDICES, UNSIGNED_INDICES " " PLAIN_INDICES, UNSIGNED_INDICES " -DWRAPS=67108864",
                                          UNSIGNED_INDICES " -DWRAPS=67108864 " PLAIN_INDICES,
                                          UNSIGNED_INDICES " -DSTAGED -DWRAPS=67108864"};
    (void)state;
    for (int i = 0; i < 10; i++)
        run(&(struct way){.sub_group = i & 1 ? 8 : 16,
                          .m = 8,
                          .rows = 2,
                          .columns = i & 1 ? 4 : 2,
                          .chain = 1 + i % 3 / 2,
                          .a = i % 3 ? BF16 : U8,
                          .b = i % 3 ? BF16 : S8,
                          .steps = 3,
                          .sub_groups = 1, /* so D has 64 columns */
                          .options = options[i / 2]});
}

/* More accumulators than a matrix unit has tile registers. */
static void many_accumulators(void **state)
{
    static const struct {
        int sub_group, rows, columns, skip;
        const char *options;
    } ways[] = {
        {16, 4, 4, 0, NULL},          {16, 8, 2, 0, "-DFROM_ZERO"}, {8, 4, 8, 0, NULL},
        {16, 4, 4, 0, "-DSTAGED"},    {8, 6, 6, 0, "-DSTAGED"},     {16, 4, 4, 305419896, "-DSKIP=305419896"},
        {16, 8, 4, 0, "-DFROM_ZERO"}, {16, 3, 4, 0, "-DFROM_ZERO"}, {16, 4, 5, 305419896, "-DSKIP=305419896"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++)
        run(&(struct way){.sub_group = ways[i].sub_group,
                          .m = 8,
                          .rows = ways[i].rows,
                          .columns = ways[i].columns,
                          .chain = 1 + (int)i % 2,
                          .a = i & 1 ? BF16 : U8,
                          .b = i & 1 ? BF16 : S8,
                          .steps = 4,
                          .sub_groups = 1,
                          .options = ways[i].options,
                          .skip = ways[i].skip});
}

/* Blocks of two dimensions, within D and across its edge. */
static void blocks_of_rows(void **state)
{
    static const char *const outside[] = {"-DBLOCKS=0", "-DBLOCKS=5", "-DBLOCKS=0 -DFROM_ZERO", "-DBLOCKS=12 -DFROM_ZERO"};
    (void)state;
    static const char *const small[] = {"-DSMALL -DBLOCKS=0", "-DSMALL -DBLOCKS=5", "-DSMALL -DBLOCKS=9 -Dindex=uint",
                                        "-DSMALL -DBLOCKS=3 -DFROM_ZERO -Dindex=uint"};
    for (int i = 0; i < 12; i++)
        run(&(struct way){.sub_group = 16,
                          .m = 8,
                          .rows = i < 4 ? 2 : 1 + i % 4,
                          .columns = 1 + i % 3,
                          .chain = i < 4 ? 2 : 1 + i / 4 % 2,
                          .a = i & 1 ? BF16 : U8,
                          .b = i & 1 ? BF16 : S8,
                          .steps = 3,
                          .sub_groups = 2,
                          .options = i < 4 ? outside[i] : small[i % 4]});
}

/* With TESSERA_EXPLAIN=json, too: a loop whose counter starts at a number that no compiler knows, of which LLVM unrolls the odd round
 * first. */
static void loops_from_anywhere(void **state)
{
    struct way w = {.sub_group = 16, .m = 8, .rows = 2, .columns = 2, .chain = 1, .steps = 5, .sub_groups = 2};
    (void)state;
    for (int i = 0; i < 4; i++) {
        w.a = w.b = i & 1 ? BF16 : S8;
        w.options = i & 2 ? "-DFIRST=(n>>28) -DFROM_ZERO" : "-DFIRST=(n>>28)";
        run(&w);
        if (explains_tiles())
            assert_null(strstr(device.log, "not in tiles"));
    }
}

/* D lies where A or B does: a sub-group reads all of them before it writes. */
static void in_place(void **state)
{
    (void)state;
    for (int i = 0; i < 10; i++) {
        struct way w = {
            .sub_group = 16, .m = 8, .rows = 4, .columns = 2, .chain = 2, .steps = 2, .sub_groups = 1, .options = "-DFROM_ZERO"};
        w.a = i / 2 == 4 ? BF16 : i / 2 & 1 ? U8 : S8;
        w.b = i / 2 == 4 ? BF16 : i / 2 & 2 ? U8 : S8;
        struct problem p = make(&w); /* of which one block of D is made: 4 KiB, as much as there is of its A and B */
        int size = w.rows * w.m, bytes = size * p.k_bytes;
        p.n = size;
        cl_program program = gemm_build(&w);
        assert_int_equal(bytes, size * size * 4);
        cl_int status, numbers[2] = {p.k_bytes, p.n};
        cl_kernel kernel = clCreateKernel(program, "gemm", &status);
        cl_mem memory[4] = {NULL, NULL, NULL, NULL};
        for (cl_uint k = 0; k < 4; k++) {
            memory[k] = k < 2 ? clCreateBuffer(device.context, CL_MEM_COPY_HOST_PTR, (size_t)bytes, k ? p.b : p.a, &status) : memory[i % 2];
            assert_int_equal(clSetKernelArg(kernel, k, sizeof(cl_mem), &memory[k]), CL_SUCCESS);
        }
        for (cl_uint k = 0; k < 2; k++)
            assert_int_equal(clSetKernelArg(kernel, 4 + k, sizeof(cl_int), &numbers[k]), CL_SUCCESS);
        size_t lanes = 16;
        assert_int_equal(clEnqueueNDRangeKernel(device.queue, kernel, 1, NULL, &lanes, &lanes, 0, NULL, NULL), CL_SUCCESS);
        assert_int_equal(clEnqueueReadBuffer(device.queue, memory[i % 2], CL_TRUE, 0, (size_t)bytes, p.d, 0, NULL, NULL), CL_SUCCESS);
        for (int n = 0; n < size * size; n++)
            check_one(&p, n / size, n % size);
        clReleaseMemObject(memory[0]);
        clReleaseMemObject(memory[1]);
        clReleaseKernel(kernel);
        clReleaseProgram(program);
        free(p.a);
        free(p.b);
        free(p.c);
        free(p.d);
    }
}

/* Whether this process may use tiles: then it has been asked for, and signal handlers need large stacks. */
static bool granted(void)
{
    enum { ARCH_GET_XCOMP_PERM = 0x1022, TILE_DATA = 18 };
    uint64_t bits = 0;
    return !syscall(SYS_arch_prctl, ARCH_GET_XCOMP_PERM, &bits) && bits >> TILE_DATA & 1;
}

/* A kernel without matrices asks for nothing. */
static void nothing_is_asked_in_vain(void **state)
{
    (void)state;
    int in[16] = {1, 2, 3}, out[16];
    cl_program program = device_build(&device, "kernel void k(global int *p) { p[get_global_id(0)] *= 2; }", "");
    assert_non_null(program);
    assert_int_equal(device_run(&device, program, "k", 16, 16, &(struct device_arg){sizeof(in), in, out}, 1), CL_SUCCESS);
    assert_int_equal(out[2], 6);
    clReleaseProgram(program);
    assert_false(granted());
}

/* A stack for signal handlers that the operating system finds too small for tiles: it refuses them, and products are what they are. */
static void without_grant(void **state)
{
    static char small[8192];
    stack_t stack = {.ss_sp = small, .ss_size = sizeof(small)};
    (void)state;
    assert_int_equal(sigaltstack(&stack, NULL), 0);
    run(&(struct way){.sub_group = 16, .m = 8, .rows = 2, .columns = 2, .chain = 2, .a = S8, .b = U8, .steps = 3, .sub_groups = 1});
    assert_false(granted());
    stack.ss_flags = SS_DISABLE;
    assert_int_equal(sigaltstack(&stack, NULL), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_asked_in_vain),
        cmocka_unit_test(without_grant),
        cmocka_unit_test(shapes),
        cmocka_unit_test(signs_and_rows),
        cmocka_unit_test(other_elements),
        cmocka_unit_test(rounds),
        cmocka_unit_test(from_zero),
        cmocka_unit_test(split),
        cmocka_unit_test(rows_close_together),
        cmocka_unit_test(in_place),
        cmocka_unit_test(barriers_in_the_loop),
        cmocka_unit_test(accumulators_change_in_the_loop),
        cmocka_unit_test(rounds_left_out),
        cmocka_unit_test(half_steps),
        cmocka_unit_test(plain_indices),
        cmocka_unit_test(unsigned_indices),
        cmocka_unit_test(many_accumulators),
        cmocka_unit_test(blocks_of_rows),
        cmocka_unit_test(loops_from_anywhere),
    };
    return cmocka_run_group_tests(tests, gemm_open, gemm_close);
}
