/* SPDX-License-Identifier: Apache-2.0
 * What the reports of TESSERA_EXPLAIN=json say of gemm.cl, examples/gemm and bench/gemm: what is in tiles, and what goes straight between
 * these and memory. Nothing is run here; gemm_test does. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "conformance/matrix/gemm.h"

/* 4-bit numbers are in tiles, 64 of them in a row of one operation. */
static void nibbles_in_tiles(void **state)
{
    (void)state;
    for (int kind = 0; kind < 4; kind++) {
        struct way w = {.sub_group = 16, .m = 8, .rows = 2, .columns = 2, .chain = 1, .a = kind & 1 ? U4 : S4, .b = kind & 2 ? U4 : S4};
        clReleaseProgram(gemm_build(&w));
        assert_non_null(strstr(device.log, "\"count\":8,\"topic\":\"matrix\",\"verdict\":\"model\""));
        assert_non_null(strstr(device.log, "of 4-bit numbers unpacked to bytes"));
        assert_null(strstr(device.log, "not in tiles"));
    }
}

/* The report has the functions' names as the program has them, of those that become others, too. */
static void names_in_reports(void **state)
{
    (void)state;
    struct way split = {.sub_group = 8, .m = 8, .rows = 2, .columns = 1, .chain = 1, .a = S8, .b = U8, .split = true};
    clReleaseProgram(gemm_build(&split));
    assert_non_null(strstr(device.log, "intel_sub_group_i8_u8_split_matrix_mad_k32 for 16 lanes"));
    clReleaseProgram(gemm_build(&(struct way){.sub_group = 8, .m = 4, .rows = 1, .columns = 1, .chain = 1, .a = U4, .b = S4}));
    assert_non_null(strstr(device.log, "intel_sub_group_u4_i4_matrix_mad_k64 for 8 lanes"));
}

/* What 2D blocks read and write goes straight between memory and tiles. A loop that makes one step of K in a
 * round makes two, and one at the end. */
static void blocks_are_tiles(void **state)
{
    static const struct {
        int rows, columns, chain;
        enum element kind;
        const char *options;
    } ways[] = {{2, 2, 2, S8, "-DBLOCKS=0 -DFROM_ZERO"},
                {4, 2, 2, S8, "-DBLOCKS=0 -DSMALL -DFROM_ZERO"},
                {4, 2, 2, BF16, "-DBLOCKS=0 -DSMALL -Dindex=uint"},
                {6, 1, 2, BF16, "-DBLOCKS=0 -DSMALL"},
                {4, 2, 1, S8, "-DBLOCKS=0 -DSMALL -DFROM_ZERO"},
                {4, 2, 1, S8, "-DBLOCKS=0 -DSMALL -Dindex=uint"}};
    (void)state;
    for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
        clReleaseProgram(gemm_build(&(struct way){.sub_group = 16,
                                                  .m = 8,
                                                  .rows = ways[i].rows,
                                                  .columns = ways[i].columns,
                                                  .chain = ways[i].chain,
                                                  .a = ways[i].kind,
                                                  .b = ways[i].kind,
                                                  .options = ways[i].options}));
        assert_non_null(strstr(device.log, "A and B straight from memory"));
        assert_true(ways[i].chain == 1 || !strstr(device.log, "by way of the stack"));
        assert_non_null(strstr(device.log, "\"topic\":\"store\",\"verdict\":\"tiles\""));
    }
}

/* What a pair of sub-groups has of A lies in memory as a tile has it. */
static void pairs_are_tiles(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        struct way w = {.sub_group = 8, .m = 8, .rows = 4, .columns = 1 + i % 2, .chain = 2, .split = true};
        w.a = w.b = i & 2 ? BF16 : S8;
        w.options = i & 1 ? "-DFROM_ZERO" : NULL;
        clReleaseProgram(gemm_build(&w));
        assert_non_null(strstr(device.log, "a pair of sub-groups"));
        assert_null(strstr(device.log, "A by way of the stack"));
        assert_null(strstr(device.log, "A and B by way of the stack"));
    }
}

static cl_program build_file(const char *path, const char *options)
{
    static char text[1 << 16];
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t size = fread(text, 1, sizeof(text) - 1, file);
    fclose(file);
    assert_true(size > 0);
    text[size] = 0;
    return device_build(&device, text, options);
}

/* Nor anything of the kernels of examples/gemm. */
static void example_is_tiles(void **state)
{
    static const char *const options[] = {"", "-DBF16"};
    enum { KERNELS = 4 };
    (void)state;
    for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
        int stores = 0;
        cl_program program = build_file(GEMM_EXAMPLE, options[i]);
        assert_non_null(program);
        clReleaseProgram(program);
        assert_null(strstr(device.log, "by way of the stack"));
        for (const char *at = device.log; (at = strstr(at, "4 of them straight to memory")) != NULL; at++)
            stores++;
        assert_int_equal(stores, KERNELS);
    }
}

/* The kernels that bench_gemm measures are loops that the device runs as a whole, whatever the block. LLVM knows that k_bytes, which is an
 * int, is not negative where the loop runs. */
static void bench_is_loops(void **state)
{
    static const int blocks[][3] = {{16, 4, 2}, {8, 4, 4}, {16, 2, 2}, {16, 4, 1}, {8, 4, 2}, {16, 2, 1}, {8, 2, 2}};
    static const char *const more[] = {"", " -DBF16", " -DTILED", " -DBATCH=64", " -DBATCH=16 -DSTEP=32 -DBF16"};
    (void)state;
    for (size_t i = 0; i < sizeof(blocks) / sizeof(blocks[0]); i++)
        for (size_t k = i % 2; k < sizeof(more) / sizeof(more[0]); k += 2) {
            char options[100];
            snprintf(options, sizeof(options), "-DAHEAD=0 -DSG=%d -DROWS=%d -DCOLUMNS=%d%s", blocks[i][0], blocks[i][1], blocks[i][2],
                     more[k]);
            cl_program program = build_file(GEMM_BENCH, options);
            assert_non_null(program);
            clReleaseProgram(program);
            assert_null(strstr(device.log, "by way of the stack"));
            assert_non_null(strstr(device.log, "all rounds of the loop at once"));
        }
}

/* Nor does it matter which type the indices have, nor whether B is packed. */
static void indices_of_any_type(void **state)
{
    static const char *const types[] = {"int", "uint", "long", "ulong"};
    (void)state;
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
        for (int form = 0; form < 4; form++) {
            char options[120];
            snprintf(options, sizeof(options), "-cl-std=CL3.0 -DM=8 -DROWS=%d -DCOLUMNS=2 -DINDEX=%s%s%s", i % 2 ? 2 : 4, types[i],
                     form & 1 ? " -DB_ROWS" : "", form & 2 ? " -DBF16" : "");
            cl_program program = build_file(GEMM_STYLES, options);
            assert_non_null(program);
            clReleaseProgram(program);
            assert_null(strstr(device.log, "by way of the stack"));
            assert_non_null(strstr(device.log, "of them straight to memory"));
        }
}

/* Two tiles of A at a distance that has nothing to do with that of rows are one block with two of B; and a loop that runs at least once has
 * no test in front of it, so that its accumulators are stored in the block right behind it. */
static void tiles_apart_are_one_block(void **state)
{
    static const char text[] =
        "__attribute__((intel_reqd_sub_group_size(16)))\n"
        "kernel void k(global const short *a, global const int *b, global int *c, int rounds, long a_stride, long a_next, long b_next)\n"
        "{\n"
        "    long lane = get_sub_group_local_id();\n"
        "    int8 sum[4][2] = {};\n"
        "    do {\n"
        "        for (int part = 0; part < 2; part++) {\n"
        "            int8 y[2];\n"
        "            for (int j = 0; j < 2; j++)\n"
        "                for (int i = 0; i < 8; i++)\n"
        "                    y[j][i] = b[j * b_next + (part * 8 + i) * 16 + lane];\n"
        "            for (int i = 0; i < 4; i++) {\n"
        "                short8 x;\n"
        "                for (int r = 0; r < 8; r++)\n"
        "                    x[r] = a[(i / 2) * a_next + (i % 2 * 8 + r) * a_stride + part * 16 + lane];\n"
        "                for (int j = 0; j < 2; j++)\n"
        "                    sum[i][j] = intel_sub_group_i8_i8_matrix_mad_k32(x, y[j], sum[i][j]);\n"
        "            }\n"
        "        }\n"
        "        a += 32;\n"
        "        b += 256;\n"
        "    } while (--rounds);\n"
        "    for (int i = 0; i < 4; i++)\n"
        "        for (int j = 0; j < 2; j++)\n"
        "            for (int r = 0; r < 8; r++)\n"
        "                c[(i * 8 + r) * 32 + j * 16 + lane] = sum[i][j][r];\n"
        "}\n";
    (void)state;
    clReleaseProgram(device_build(&device, text, "-cl-std=CL3.0"));
    assert_non_null(strstr(device.log, "A and B straight from memory; all rounds of the loop at once"));
    assert_non_null(strstr(device.log, "4 of them straight to memory"));
}

/* A loop behind a barrier is the packet's own. Eight rows of A are read in place all the same, also those of the last step of an odd
 * number. */
static void eight_rows_alone(void **state)
{
    static const char text[] = "__attribute__((intel_reqd_sub_group_size(16))) __attribute__((reqd_work_group_size(16, 1, 1)))\n"
                               "kernel void k(global const short *a, global const int *b, global int *c, int pitch, int rounds)\n"
                               "{\n"
                               "    local int factors[16];\n"
                               "    int lane = get_sub_group_local_id();\n"
                               "    int8 sum = 0;\n"
                               "    factors[lane] = c[lane];\n"
                               "    barrier(CLK_LOCAL_MEM_FENCE);\n"
                               "    for (int i = 0; i < rounds; i++) {\n"
                               "        short8 x;\n"
                               "        int8 y;\n"
                               "        for (int r = 0; r < 8; r++)\n"
                               "            x[r] = a[r * pitch + i * 16 + lane];\n"
                               "        for (int w = 0; w < 8; w++)\n"
                               "            y[w] = b[(i * 8 + w) * 64 + lane];\n"
                               "        sum = intel_sub_group_i8_i8_matrix_mad_k32(x, y, sum);\n"
                               "    }\n"
                               "    for (int r = 0; r < 8; r++)\n"
                               "        c[r * 16 + lane] = sum[r] * factors[15 - lane];\n"
                               "}\n";
    (void)state;
    clReleaseProgram(device_build(&device, text, "-cl-std=CL3.0"));
    assert_null(strstr(device.log, "by way of the stack"));
    assert_non_null(strstr(device.log, "A and B straight from memory"));
    assert_null(strstr(device.log, "all rounds of the loop at once"));
}

/* Every operation of blocks that tiles can take is made as the variable says, and where a tile's 64 bytes of K
 * are there, so are A and B, and where D goes. Each block meets each way to write the loop and each kind of numbers, and each way each
 * kind; but the two largest blocks, which take long to build, share them. */
static void all_in_tiles(void **state)
{
    static const int blocks[][3] = {{16, 4, 2}, {16, 4, 1}, {16, 2, 2}, {16, 2, 3}, {8, 4, 4}, {8, 4, 2}, {16, 4, 4}, {16, 8, 2}};
    static const char *const options[] = {NULL, NULL, PLAIN_INDICES, UNSIGNED_INDICES " " PLAIN_INDICES, UNSIGNED_INDICES};
    enum { KINDS = 5 };
    (void)state;
    for (size_t i = 0; i < sizeof(blocks) / sizeof(blocks[0]); i++)
        for (size_t k = 0; k < sizeof(options) / sizeof(options[0]); k++) {
            size_t kind = (i + k) % KINDS;
            bool large = blocks[i][0] * blocks[i][1] * blocks[i][2] > 128;
            if (large && k % 2 != i % 2)
                continue;
            struct way w = {.sub_group = blocks[i][0], .m = 8, .rows = blocks[i][1], .columns = blocks[i][2], .chain = 1 + (k > 0)};
            w.a = kind == 4 ? BF16 : kind & 1 ? U8 : S8;
            w.b = kind == 4 ? BF16 : kind & 2 ? U8 : S8;
            w.options = options[k] ? options[k] : i & 1 ? "-DFROM_ZERO" : NULL;
            clReleaseProgram(gemm_build(&w));
            int count = 0;
            for (const char *at = device.log; (at = strstr(at, "\"topic\":\"matrix\"")) != NULL; at++, count++) {
                const char *in_place = strstr(at, "A and B straight from memory");
                assert_ptr_equal(strstr(at, "\"verdict\":\"model\""), strchr(at, ',') + 1);
                assert_true(w.chain == 1 || (in_place && in_place < strchr(at, '\n')));
            }
            assert_true(count > 0);
            assert_true(w.chain == 1 || strstr(device.log, "of them straight to memory"));
        }
}

/* Two products of one A by sub-groups of 8, as a layer and the one that gates it, with rows of half of K in words: neither a tile of both B
 * nor the mask that LLVM makes of two such rows keeps operands from being read where they lie. */
static void layer_with_gate(void **state)
{
    static const char text[] =
        "__attribute__((intel_reqd_sub_group_size(8)))\n"
        "kernel void k(global const INDEX *x, global const INDEX *w, global const INDEX *v, global float *out, INDEX K, INDEX N)\n"
        "{\n"
        "    INDEX n = get_group_id(0) * 8 + get_sub_group_local_id(), m = (get_group_id(1) * get_num_sub_groups() + get_sub_group_id()) * "
        "8;\n"
        "    float8 g = 0, u = 0;\n"
        "    x += m * (K / 2) + get_sub_group_local_id();\n"
        "    for (INDEX k = 0; k < K / 2; k += 8) {\n"
        "        int8 a, b, c;\n"
        "        for (INDEX r = 0; r < 8; ++r) {\n"
        "            a[r] = x[r * (K / 2) + k];\n"
        "            b[r] = w[(k + r) * N + n];\n"
        "            c[r] = v[(k + r) * N + n];\n"
        "        }\n"
        "        g = intel_sub_group_bf16_bf16_matrix_mad_k16(a, b, g);\n"
        "        u = intel_sub_group_bf16_bf16_matrix_mad_k16(a, c, u);\n"
        "    }\n"
        "    g = g / (1 + exp(-g)) * u;\n"
        "    for (INDEX r = 0; r < 8; ++r)\n"
        "        out[(m + r) * N + n] = g[r];\n"
        "}\n";
    static const char *const options[] = {"-cl-std=CL3.0 -DINDEX=int", "-cl-std=CL3.0 -DINDEX=uint"};
    (void)state;
    for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
        clReleaseProgram(device_build(&device, text, options[i]));
        assert_non_null(strstr(device.log, "A and B straight from memory; all rounds of the loop at once"));
        assert_null(strstr(device.log, "computed by the loop's code"));
    }
}

/* Split functions of one tile, with sums of A's rows: which half of the pair a sub-group is hides in a shift and a mask of its number, and
 * the product with ones is a loop of its own beside the one whose B is in memory. */
static void split_with_row_sums(void **state)
{
    static const char text[] =
        "__attribute__((intel_reqd_sub_group_size(8), reqd_work_group_size(16, 1, 1)))\n"
        "kernel void k(global const int *a, global const int *b, global const int *zero, global int *c, int n, int words)\n"
        "{\n"
        "    int lane = get_sub_group_local_id(), odd = get_sub_group_id() & 1;\n"
        "    int column = get_global_id(0), row = get_group_id(1) * 8;\n"
        "    int8 sum = 0, of_rows = 0, ones = 0x01010101;\n"
        "    for (int k = 0; k < words; k += 8) {\n"
        "        int4 x;\n"
        "        int8 y;\n"
        "        for (int r = 0; r < 4; r++)\n"
        "            x[r] = a[(row + odd * 4 + r) * words + k + lane];\n"
        "        for (int i = 0; i < 8; i++)\n"
        "            y[i] = b[(k + i) * n + column];\n"
        "        sum = intel_sub_group_i8_i8_split_matrix_mad_k32(x, y, sum);\n"
        "        of_rows = intel_sub_group_i8_i8_split_matrix_mad_k32(x, ones, of_rows);\n"
        "    }\n"
        "    sum -= of_rows * zero[column];\n"
        "    for (int r = 0; r < 8; r++)\n"
        "        c[(row + r) * n + column] = sum[r];\n"
        "}\n";
    (void)state;
    clReleaseProgram(device_build(&device, text, "-cl-std=CL3.0"));
    assert_non_null(strstr(device.log, "A and B straight from memory; all rounds of the loop at once"));
    assert_non_null(strstr(device.log, "A straight from memory, B computed by the loop's code where it is packed"));
    assert_null(strstr(device.log, "by way of the stack"));
}

/* Numbers of 4 bits whose zero is 8, made signed in front of the product. */
static void computed_nibbles(void **state)
{
    static const char text[] =
        "__attribute__((intel_reqd_sub_group_size(16), reqd_work_group_size(16, 1, 1)))\n"
        "kernel void k(global const short *restrict a, global const int *restrict b, global int *restrict c, int n, int deep)\n"
        "{\n"
        "    int lane = get_sub_group_local_id(), column = get_global_id(0), row = get_group_id(1) * 8;\n"
        "    int8 sum = 0;\n"
        "    for (int k = 0; k < deep; k += 64) {\n"
        "        short8 x;\n"
        "        int8 y;\n"
        "        for (int r = 0; r < 8; r++)\n"
        "            x[r] = a[((row + r) * deep + k) / 4 + lane];\n"
        "        for (int w = 0; w < 8; w++)\n"
        "            y[w] = b[(k / 8 + w) * n + column] ^ 0x88888888;\n"
        "        sum = intel_sub_group_i4_i4_matrix_mad_k64(x, y, sum);\n"
        "    }\n"
        "    for (int r = 0; r < 8; r++)\n"
        "        c[(row + r) * n + column] = sum[r];\n"
        "}\n";
    (void)state;
    clReleaseProgram(device_build(&device, text, "-cl-std=CL3.0"));
    assert_non_null(strstr(device.log, "B computed by the loop's code where it is packed"));
}

/* Rows that are there by a number from memory, and else are padding. */
static void guarded_rows(void **state)
{
    static const char text[] =
        "__attribute__((intel_reqd_sub_group_size(16), reqd_work_group_size(16, 1, 1)))\n"
        "kernel void k(global const short *a, global const int *b, global int *c, global const int *rows, short padding, int n, int deep)\n"
        "{\n"
        "    int lane = get_sub_group_local_id(), column = get_global_id(0), row = get_group_id(1) * 8;\n"
        "    int8 sum = 0;\n"
        "    for (int k = 0; k < deep; k += 16) {\n"
        "        short8 x;\n"
        "        int8 y;\n"
        "        for (int r = 0; r < 8; r++)\n"
        "            x[r] = rows[row + r] >= 0 ? a[rows[row + r] * deep + k + lane] : padding;\n"
        "        for (int w = 0; w < 8; w++)\n"
        "            y[w] = b[(k / 2 + w) * n + column];\n"
        "        sum = intel_sub_group_i8_i8_matrix_mad_k32(x, y, sum);\n"
        "    }\n"
        "    for (int r = 0; r < 8; r++)\n"
        "        c[(row + r) * n + column] = sum[r];\n"
        "}\n";
    (void)state;
    clReleaseProgram(device_build(&device, text, "-cl-std=CL3.0"));
    assert_non_null(strstr(device.log, "A computed by the loop's code where it is packed, B straight from memory; all rounds of the loop"));
}

/* Why a loop is the packet's own: a row of local memory that is there by a number from memory is a branch, and a table in local memory is
 * not there for other work-groups. */
static void why_alone(void **state)
{
    static const char text[] = "__attribute__((intel_reqd_sub_group_size(16), reqd_work_group_size(16, 1, 1)))\n"
                               "kernel void k(global const short *restrict a, global const int *restrict b, global float *restrict c, "
                               "global const int *rows, int n,\n"
                               "              int deep)\n"
                               "{\n"
                               "    int lane = get_sub_group_local_id(), column = get_global_id(0), row = get_group_id(1) * 8;\n"
                               "    local int table[16];\n"
                               "    table[lane] = 0;\n"
                               "    barrier(CLK_LOCAL_MEM_FENCE);\n"
                               "    atomic_add(&table[15 - lane], rows[lane]);\n"
                               "    barrier(CLK_LOCAL_MEM_FENCE);\n"
                               "    float8 sum = 0;\n"
                               "    for (int k = 0; k < deep; k += 16) {\n"
                               "        short8 x;\n"
                               "        int8 y;\n"
                               "        for (int r = 0; r < 8; r++)\n"
                               "            x[r] = ROW(r) ? FROM(a[(row + r) * deep + k + lane]) : 0;\n"
                               "        for (int w = 0; w < 8; w++)\n"
                               "            y[w] = WORD(b[(k / 2 + w) * n + column]);\n"
                               "        sum = intel_sub_group_bf16_bf16_matrix_mad_k16(x, y, sum);\n"
                               "    }\n"
                               "    for (int r = 0; r < 8; r++)\n"
                               "        c[(row + r) * n + column] = sum[r];\n"
                               "}\n";
    (void)state;
    clReleaseProgram(device_build(&device, text, "-cl-std=CL3.0 -DROW(r)=(rows[r]>0) -DFROM(x)=(x+table[rows[k]]) -DWORD(w)=w"));
    assert_non_null(strstr(device.log, "the loop over K has branches"));
    clReleaseProgram(device_build(&device, text, "-cl-std=CL3.0 -DROW(r)=1 -DFROM(x)=x -DWORD(w)=table[w&15]"));
    assert_non_null(strstr(device.log, "A or B is not read from global memory in a way that could be done for other work-groups"));
}

/* The loop of cooperative matrices is what it would be of matrix functions, and its notes have lines of the program. */
static void cooperative_is_loops(void **state)
{
    static const char *const options[] = {"-cl-std=CL3.0", "-cl-std=CL3.0 -DBF16"};
    (void)state;
    for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
        cl_program program = build_file(COOPERATIVE_EXAMPLE, options[i]);
        assert_non_null(program);
        clReleaseProgram(program);
        assert_non_null(strstr(device.log, "A and B straight from memory; all rounds of the loop at once"));
        assert_null(strstr(device.log, "by way of the stack"));
        assert_null(strstr(device.log, ".builtin/"));
    }
}

/* Where vectors make tiles: loops that are known to have little of K are the packet's own. More of it is little where packets would run
 * twice, as what they store is made of the sums. */
static void little_of_k(void **state)
{
    static const char text[] =
        "__attribute__((intel_reqd_sub_group_size(16)))\n"
        "kernel void k(global const short *a, global const int *b, global TYPE *c, int n)\n"
        "{\n"
        "    int lane = get_sub_group_local_id(), row = get_group_id(1) * 8, column = get_group_id(0) * 16 * COLUMNS + lane;\n"
        "    int8 sum[COLUMNS];\n"
        "    for (int j = 0; j < COLUMNS; j++)\n"
        "        sum[j] = 0;\n"
        "    for (int k = 0; k < DEPTH; k += 32) {\n"
        "        short8 x;\n"
        "        for (int i = 0; i < 8; i++)\n"
        "            x[i] = a[(row + i) * (DEPTH / 2) + k / 2 + lane];\n"
        "        for (int j = 0; j < COLUMNS; j++) {\n"
        "            int8 y;\n"
        "            for (int i = 0; i < 8; i++)\n"
        "                y[i] = b[(k / 4 + i) * n + column + j * 16];\n"
        "            sum[j] = intel_sub_group_i8_i8_matrix_mad_k32(x, y, sum[j]);\n"
        "        }\n"
        "    }\n"
        "    for (int j = 0; j < COLUMNS; j++)\n"
        "        for (int i = 0; i < 8; i++)\n"
        "            c[(row + i) * n + column + j * 16] = MADE(sum[j][i]);\n"
        "}\n";
    static const struct {
        const char *options;
        bool shared;
    } cases[] = {{"-DDEPTH=64 -DCOLUMNS=4 -DTYPE=int -DMADE=", false},
                 {"-DDEPTH=96 -DCOLUMNS=4 -DTYPE=int -DMADE=", true},
                 {"-DDEPTH=128 -DCOLUMNS=1 -DTYPE=char -DMADE=convert_char_sat", false},
                 {"-DDEPTH=160 -DCOLUMNS=1 -DTYPE=char -DMADE=convert_char_sat", true}};
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        clReleaseProgram(device_build(&device, text, cases[i].options));
        assert_int_equal(strstr(device.log, "all rounds of the loop at once") != NULL, cases[i].shared);
        assert_int_equal(strstr(device.log, "not in tiles: it has no more than") != NULL, !cases[i].shared);
    }
}

/* Products behind a loop add to its sums, one half of a tile after the other: the loop is one for the device all the same. */
static void sums_go_on(void **state)
{
    static const char text[] = "__attribute__((intel_reqd_sub_group_size(16)))\n"
                               "kernel void k(global const short *a, global const int *b, global const int *third, global const int *last, "
                               "global int *c, int n, int deep)\n"
                               "{\n"
                               "    int lane = get_sub_group_local_id(), column = get_global_id(0), row = get_group_id(1) * 16;\n"
                               "    int8 sum[2] = {0, 0}, more[2] = {0, 0}, y, z;\n"
                               "    short8 x;\n"
                               "    for (int k = 0; k < deep; k += 32) {\n"
                               "        for (int i = 0; i < 8; i++) {\n"
                               "            y[i] = b[(k / 4 + i) * n + column];\n"
                               "            z[i] = third[(k / 4 + i) * 16 + lane];\n"
                               "        }\n"
                               "        for (int h = 0; h < 2; h++) {\n"
                               "            for (int i = 0; i < 8; i++)\n"
                               "                x[i] = a[((row + 8 * h + i) * deep + k) / 2 + lane];\n"
                               "            sum[h] = intel_sub_group_i8_i8_matrix_mad_k32(x, y, sum[h]);\n"
                               "            more[h] = intel_sub_group_i8_i8_matrix_mad_k32(x, z, more[h]);\n"
                               "        }\n"
                               "    }\n"
                               "    for (int i = 0; i < 8; i++)\n"
                               "        y[i] = last[i * n + column];\n"
                               "    for (int h = 0; h < 2; h++) {\n"
                               "        for (int i = 0; i < 8; i++)\n"
                               "            x[i] = more[h][i] >> 8;\n"
                               "        sum[h] = intel_sub_group_i8_i8_matrix_mad_k32(x, y, sum[h]);\n"
                               "        for (int i = 0; i < 8; i++)\n"
                               "            c[(row + 8 * h + i) * n + column] = sum[h][i];\n"
                               "    }\n"
                               "}\n";
    (void)state;
    clReleaseProgram(device_build(&device, text, "-cl-std=CL3.0"));
    assert_non_null(strstr(device.log, "all rounds of the loop at once, with those of work-groups that share A or B"));
    assert_null(strstr(device.log, "two values of its accumulator are needed at the same time"));
}

/* matrix_reports [vectors]: of tiles in plain C, or of those that vectors make */
int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "vectors") == 0) {
        const struct CMUnitTest of_vectors[] = {cmocka_unit_test(little_of_k), cmocka_unit_test(why_alone), cmocka_unit_test(guarded_rows),
                                                cmocka_unit_test(sums_go_on)};
        return cmocka_run_group_tests(of_vectors, gemm_open, gemm_close);
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cooperative_is_loops), cmocka_unit_test(nibbles_in_tiles), cmocka_unit_test(names_in_reports),
        cmocka_unit_test(blocks_are_tiles),     cmocka_unit_test(pairs_are_tiles),  cmocka_unit_test(example_is_tiles),
        cmocka_unit_test(bench_is_loops),       cmocka_unit_test(all_in_tiles),     cmocka_unit_test(tiles_apart_are_one_block),
        cmocka_unit_test(indices_of_any_type),  cmocka_unit_test(layer_with_gate),  cmocka_unit_test(split_with_row_sums),
        cmocka_unit_test(computed_nibbles),     cmocka_unit_test(guarded_rows),     cmocka_unit_test(sums_go_on),
        cmocka_unit_test(eight_rows_alone),
    };
    if (!explains_tiles()) {
        fputs("matrix_reports: TESSERA_TILES=model and TESSERA_EXPLAIN=json must be set\n", stderr);
        return 1;
    }
    return cmocka_run_group_tests(tests, gemm_open, gemm_close);
}
