/* SPDX-License-Identifier: Apache-2.0
 * Kernels as people write them for GPUs: in how many rows and columns a sub-group works, how A and B are read, which type indices have. */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <stdio.h>
#include <string.h>

#include "../bench.h"
#include "run.h"

/* Whether B is by rows, by columns, or staged in local memory with A; A and B are read, and C is written, by 2D blocks; what happens to the
 * sums before the store; where they begin; how the loop is written; how wide a sub-group is; whether comparisons keep loads inside of the
 * matrices; whether a round loads for the next one, whether two or three buffers take turns for that, and whether it loads into arrays in
 * registers first; whether there are sums of even and of odd steps; whether work-groups make many tiles; and whether sub-groups write C by
 * way of local memory, or share K out there; and whether the loop computes what it multiplies from what it loads. */
enum {
    B_ROWS = 1,
    BLOCKS = 2,
    WRITES = 4,
    EPILOGUE = 8,
    FROM_C = 16,
    NESTED = 32,
    EIGHT = 64,
    B_COLUMNS = 128,
    STAGED = 256,
    CHECKED = 512,
    AHEAD = 1024,
    BY_MAD24 = 2048,
    TWO_SUMS = 4096,
    CLAMPED = 8192,
    TURNS = 16384,
    BY_BOOL = 32768,
    THREE = 65536,
    REGISTERS = 131072,
    WALK = 262144,
    VIA_LOCAL = 524288,
    SHARED_K = 1048576,
    COMPUTED = 2097152
};

enum { WALKERS = 64 /* work-groups of WALK */ };

static const struct style {
    const char *name;
    int m, rows, columns; /* rows of a matrix function; functions under each other, and beside each other */
    const char *index;
    unsigned how;
} styles[] = {
    {"32x32 loads", 8, 4, 2, "int", 0},
    {"32x32 uint", 8, 4, 2, "uint", 0},
    {"32x32 long", 8, 4, 2, "long", 0},
    {"32x32 ulong", 8, 4, 2, "ulong", 0},
    {"16x64 loads", 8, 2, 4, "int", 0},
    {"8x16 loads", 8, 1, 1, "int", 0},
    {"8x16 blocks", 8, 1, 1, "int", BLOCKS},
    {"32x32 blocks", 8, 4, 2, "int", BLOCKS},
    {"32x32 rows", 8, 4, 2, "int", B_ROWS},
    {"16x64 rows", 8, 2, 4, "long", B_ROWS},
    {"8x16 rows", 8, 1, 1, "int", B_ROWS},
    {"8x16 transform", 8, 1, 1, "int", BLOCKS | B_ROWS},
    {"32x32 transform", 8, 4, 2, "int", BLOCKS | B_ROWS},
    {"4x16 loads", 4, 1, 1, "int", 0},
    {"2x16 loads", 2, 1, 1, "int", 0},
    {"1x16 loads", 1, 1, 1, "int", 0},
    {"32x32 epilogue", 8, 4, 2, "int", EPILOGUE},
    {"8x16 epilogue", 8, 1, 1, "int", EPILOGUE},
    {"32x32 rows epi", 8, 4, 2, "int", B_ROWS | EPILOGUE},
    {"8x16 rows epi", 8, 1, 1, "int", B_ROWS | EPILOGUE},
    {"32x32 from C", 8, 4, 2, "int", FROM_C},
    {"8x16 from C", 8, 1, 1, "int", FROM_C},
    {"8x16 rows from C", 8, 1, 1, "int", B_ROWS | FROM_C},
    {"32x32 nested", 8, 4, 2, "int", NESTED},
    {"8x16 nested", 8, 1, 1, "int", NESTED},
    {"8x16 rows nested", 8, 1, 1, "int", B_ROWS | NESTED},
    {"32x32 writes", 8, 4, 2, "int", BLOCKS | WRITES},
    {"8x16 writes", 8, 1, 1, "int", BLOCKS | WRITES},
    {"32x32 trans wr", 8, 4, 2, "int", BLOCKS | B_ROWS | WRITES},
    {"8x8 loads", 8, 1, 1, "int", EIGHT},
    {"32x32 SG8", 8, 4, 4, "int", EIGHT},
    {"8x8 rows", 8, 1, 1, "int", EIGHT | B_ROWS},
    {"8x8 epilogue", 8, 1, 1, "int", EIGHT | EPILOGUE},
    {"32x32 columns", 8, 4, 2, "long", B_COLUMNS},
    {"8x16 columns", 8, 1, 1, "int", B_COLUMNS},
    {"32x32 staged", 8, 4, 2, "int", STAGED},
    {"8x16 staged", 8, 1, 1, "int", STAGED},
    {"32x32 checked", 8, 4, 2, "int", CHECKED},
    {"8x16 checked", 8, 1, 1, "int", CHECKED},
    {"32x32 ahead", 8, 4, 2, "int", AHEAD},
    {"8x16 ahead", 8, 1, 1, "int", AHEAD},
    {"8x16 rows ahead", 8, 1, 1, "int", B_ROWS | AHEAD},
    {"32x32 staged ck", 8, 4, 2, "int", STAGED | CHECKED},
    {"8x16 staged ck", 8, 1, 1, "int", STAGED | CHECKED},
    {"32x32 ahead ck", 8, 4, 2, "int", AHEAD | CHECKED},
    {"8x16 ahead ck", 8, 1, 1, "int", AHEAD | CHECKED},
    {"32x32 clamped", 8, 4, 2, "int", AHEAD | CLAMPED},
    {"8x16 clamped", 8, 1, 1, "int", AHEAD | CLAMPED},
    {"8x16 clamped ck", 8, 1, 1, "int", AHEAD | CLAMPED | CHECKED},
    {"32x32 turns", 8, 4, 2, "int", AHEAD | TURNS},
    {"8x16 turns", 8, 1, 1, "int", AHEAD | TURNS},
    {"32x32 st. turns", 8, 4, 2, "int", STAGED | TURNS},
    {"8x16 st. turns", 8, 1, 1, "int", STAGED | TURNS},
    {"32x32 st. min", 8, 4, 2, "int", STAGED | TURNS | CLAMPED},
    {"8x16 st. min", 8, 1, 1, "int", STAGED | TURNS | CLAMPED},
    {"32x32 st. bool", 8, 4, 2, "int", STAGED | TURNS | BY_BOOL},
    {"8x16 st. bool", 8, 1, 1, "int", STAGED | TURNS | BY_BOOL},
    {"32x32 st. three", 8, 4, 2, "int", STAGED | TURNS | THREE},
    {"8x16 st. three", 8, 1, 1, "int", STAGED | TURNS | THREE},
    {"32x32 st. regs", 8, 4, 2, "int", STAGED | REGISTERS},
    {"8x16 st. regs", 8, 1, 1, "int", STAGED | REGISTERS},
    {"32x32 regs turns", 8, 4, 2, "int", STAGED | REGISTERS | TURNS},
    {"8x16 regs turns", 8, 1, 1, "int", STAGED | REGISTERS | TURNS},
    {"8x16 mad24", 8, 1, 1, "int", BY_MAD24},
    {"32x32 two sums", 8, 4, 2, "int", TWO_SUMS},
    {"8x16 two sums", 8, 1, 1, "int", TWO_SUMS},
    {"32x32 walk", 8, 4, 2, "int", WALK},
    {"8x16 walk", 8, 1, 1, "int", WALK},
    {"8x16 rows walk", 8, 1, 1, "int", WALK | B_ROWS},
    {"32x32 via local", 8, 4, 2, "int", VIA_LOCAL},
    {"8x16 via local", 8, 1, 1, "int", VIA_LOCAL},
    {"32x32 shared K", 8, 4, 2, "int", SHARED_K},
    {"8x16 shared K", 8, 1, 1, "int", SHARED_K},
    {"32x32 computed", 8, 4, 2, "int", COMPUTED},
    {"8x16 computed", 8, 1, 1, "int", COMPUTED},
    {"8x16 rows comp.", 8, 1, 1, "int", B_ROWS | COMPUTED},
};

static void set_index(struct gemm_run *run, cl_uint argument, const struct style *s, cl_int value)
{
    const cl_long wide = value;
    BENCH_CHECK(strstr(s->index, "long") ? clSetKernelArg(run->kernel, argument, sizeof(wide), &wide)
                                         : clSetKernelArg(run->kernel, argument, sizeof(value), &value));
}

static struct gemm_run prepare(const struct gemm_device *d, const struct style *s, struct gemm_problem *p)
{
    static const char *const types[GEMM_TYPES] = {"INT8", "BF16", "F16", "TF32", "INT4"};
    static const char *const defines[] = {"B_ROWS", "BLOCKS",    "WRITES", "EPILOGUE",  "FROM_C",   "NESTED",  "LANES=8", "B_COLUMNS",
                                          "STAGED", "CHECKED",   "AHEAD",  "MAD24",     "TWO_SUMS", "CLAMPED", "TURNS",   "BY_BOOL",
                                          "THREE",  "REGISTERS", "WALK",   "VIA_LOCAL", "SHARED_K", "COMPUTED"};
    const int lanes = s->how & EIGHT ? 8 : 16, group = s->how & STAGED ? 8 : 1; /* sub-groups under each other */
    const int beside = s->how & (VIA_LOCAL | SHARED_K) ? 4 : 1;                 /* … and side by side */
    const cl_float scale = 1;
    char options[300];
    const bool blocks = s->how & BLOCKS;
    const struct gemm_size size = blocks ? p->size : p->room; /* blocks may end outside of their matrices */
    const cl_int3 within = {{size.rows, size.columns, blocks ? gemm_depth(p) : p->room.depth}};
    const int height = s->m * s->rows * group, width = s->columns * lanes;
    cl_int zero = 0;
    snprintf(options, sizeof(options), "-cl-std=CL3.0 -DM=%d -DROWS=%d -DCOLUMNS=%d -DINDEX=%s -D%s", s->m, s->rows, s->columns, s->index,
             types[p->type]);
    for (size_t i = 0; i < sizeof(defines) / sizeof(defines[0]); i++)
        if (s->how >> i & 1)
            snprintf(options + strlen(options), sizeof(options) - strlen(options), " -D%s", defines[i]);
    struct gemm_run run = {
        .kernel = gemm_build(d, GEMM_STYLES, options),
        .global = {(size_t)((p->size.columns + width - 1) / width * lanes * group), (size_t)((p->size.rows + height - 1) / height), 1},
        .local = {(size_t)(lanes * group), 1, 1}};
    run.local[0] *= (size_t)beside;
    if (s->how & WALK) {
        run.global[0] = WALKERS * run.local[0];
        run.global[1] = 1;
    } else if (s->how & SHARED_K) {
        run.global[0] *= (size_t)beside;
    } else {
        run.global[0] = (run.global[0] + run.local[0] - 1) / run.local[0] * run.local[0];
    }
    if (s->how & B_COLUMNS)
        gemm_transpose(p);
    else
        gemm_pack(p, p->room.columns);
    gemm_run_bind(d, &run, p, p->a, s->how & B_ROWS ? p->b : p->packed);
    set_index(&run, 3, s, p->room.columns);
    set_index(&run, 4, s, p->room.depth);
    BENCH_CHECK(clSetKernelArg(run.kernel, 5, sizeof(within), &within));
    BENCH_CHECK(clSetKernelArg(run.kernel, 6, sizeof(scale), &scale));
    BENCH_CHECK(clSetKernelArg(run.kernel, 7, sizeof(zero), &zero));
    return run;
}

bool gemm_styles(const struct gemm_device *d, struct gemm_problem *p, const char *only, int rounds, double peak)
{
    bool right = true;
    for (size_t i = 0; i < sizeof(styles) / sizeof(styles[0]); i++) {
        const struct style *s = &styles[i];
        char name[40];
        snprintf(name, sizeof(name), "%s %s", gemm_type_name(p->type), s->name);
        if (!strstr(name, only) || (p->type == GEMM_TF32 && s->how & (B_ROWS | EIGHT))) /* words are elements; there is no such function */
            continue;
        struct gemm_run run = prepare(d, s, p);
        right &= gemm_measure(d, &run, s->name, p, rounds, peak, 0);
    }
    return right;
}
