/* SPDX-License-Identifier: Apache-2.0
 * Results of block reads in every kind of use. Each kernel exists twice: one gets its values by a block read, the other one by ordinary
 * loads of what that read gave, and both must compute the same. Which read meets which use goes round; `all` as an argument tries each
 * read with each use.
 *
 *   block2d_uses [all]
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "conformance/matrix/device.h"

enum { ITEMS = 64, LOCAL = 32, MAX_VALUES = 128, MATRIX = 65536, ACCUMULATORS = 16 };
enum { MOST_IF_FEW = 8, STEP = 7 };

static const struct read {
    const char *name, *type;
    unsigned n, lanes; /* values of a work-item; 2D blocks are of sub-groups of 16 */
    int vector;        /* of an ordinary block read, which gives a vector; 0: a 2D block */
} reads[] = {
#define STRING_(x) #x
#define STRING(x) STRING_(x)
#define TSR_BLOCK2D_READ(name, layout, bits, rows, columns, blocks, T, n) {STRING(name), #T, n, 16, 0},
#include "tessera/block2d.def"
#define BLOCK_READ(suffix, T, n, lanes) {"intel_sub_group_block_read" suffix, #T, n, lanes, n},
#define EACH_SIZE(suffix, T, n) BLOCK_READ(suffix, T, n, 8) BLOCK_READ(suffix, T, n, 16) BLOCK_READ(suffix, T, n, 32)
    EACH_SIZE("_uc", uchar, 1) EACH_SIZE("_uc4", uchar, 4) EACH_SIZE("_uc16", uchar, 16) EACH_SIZE("_us", ushort, 1)
        EACH_SIZE("_us2", ushort, 2) EACH_SIZE("_us8", ushort, 8) EACH_SIZE("", uint, 1) EACH_SIZE("4", uint, 4) EACH_SIZE("8", uint, 8)
            EACH_SIZE("_ul", ulong, 1) EACH_SIZE("_ul2", ulong, 2) EACH_SIZE("_ul8", ulong, 8)};
enum { READS = sizeof reads / sizeof reads[0] };

/* Text of kernels. T: the type; v: the values, N of them; A, B: two of them; i, l: ids; W: lanes; r: numbers from memory, the same in all
 * work-items, of which r[6] is 1 and r[7] is 3; x: the result. READ(w) reads once more. */
static const struct use {
    const char *name, *text;
} uses[] = {
    {"arithmetic", "for (int k = 0; k < N; k++) x = x * 31 + v[k];"},
    {"one_value", "x = B;"},
    {"float_values", "float f = 0; for (int k = 0; k < N; k++) f = fma((float)v[k], 0.5f, f * 0.25f); x = as_uint(f);"},
    {"casts", "x = (ulong)(long)(char)A + (ulong)convert_uchar_sat(B) * 3 + as_uint((float)A) + (ushort)B;"},
    {"broadcast", "x = sub_group_broadcast(A, 3) + 5 * (ulong)sub_group_broadcast(B, r[7]);"},
    {"broadcasts", "for (int k = 0; k < 8; k++) x = x * 3 + (ulong)sub_group_broadcast(A, k) * B;"},
    {"broadcast_float",
     "float f = 0; for (int k = 0; k < 4; k++) f = fma(sub_group_broadcast((float)A, k), (float)B, f * 0.5f); x = as_uint(f);"},
    {"broadcast_all", "for (int k = 0; k < N; k++) x = x * 31 + sub_group_broadcast(v[k], k % W);"},
    {"broadcast_first", "if (A & 1) x = sub_group_broadcast_first(A); else x = B;"},
    {"non_uniform_broadcast", "if ((l ^ A) & 1) x = sub_group_non_uniform_broadcast(B, 2) & 0; else x = A;"},
    {"shuffle", "x = intel_sub_group_shuffle((uint)A, (l * 7 + 3) % W) + 3 * (ulong)sub_group_shuffle(B, (l + r[7]) % W);"},
    {"shuffle_by_value", "x = sub_group_shuffle(A, (uint)B % W);"},
    {"shuffle_xor", "x = sub_group_shuffle_xor(A, 5) + 3 * (ulong)sub_group_shuffle_xor(B, r[7]);"},
    {"shuffle_up", "x = intel_sub_group_shuffle_up((uint)A, (uint)B, 3u) + (l ? sub_group_shuffle_up(B, 1) : 0);"},
    {"shuffle_down", "x = intel_sub_group_shuffle_down((uint)B, (uint)A, (uint)r[7]) + (l + 1 < W ? sub_group_shuffle_down(A, 1) : 0);"},
    {"rotate", "x = sub_group_rotate(A, 3) + 3 * (ulong)sub_group_clustered_rotate(B, r[7], 4);"},
    {"reduce", "x = sub_group_reduce_add((uint)A) + 3 * (ulong)sub_group_reduce_max((ulong)B) + sub_group_reduce_min((int)A);"},
    {"clustered", "x = sub_group_clustered_reduce_add((uint)A, 4) + sub_group_clustered_reduce_xor((ulong)B, 8);"},
    {"non_uniform_reduce",
     "if (A & 1) x = sub_group_non_uniform_reduce_add((uint)B); else x = sub_group_non_uniform_scan_exclusive_max((uint)A);"},
    {"scan", "x = sub_group_scan_inclusive_add((uint)A) + 3 * (ulong)sub_group_scan_exclusive_max((int)B) + "
             "sub_group_scan_exclusive_min((ulong)A);"},
    {"ballot", "uint4 m = sub_group_ballot(A & 1); x = m.x + sub_group_ballot_bit_count(m) + "
               "sub_group_ballot_inclusive_scan(sub_group_ballot(B & 2));"},
    {"votes", "x = sub_group_any((int)(A & 1)) + 2 * sub_group_all((int)(B & 1)) + 4 * sub_group_non_uniform_all_equal((int)A);"},
    {"select", "x = (l & 1 ? A : B) + select((uint)B, (uint)A, (uint)(r[6] & 1)) + max(A, B);"},
    {"uniform_choice", "x = sub_group_broadcast(r[6] ? A : B, 1);"},
    {"uniform_phi", "T y = B; if (r[6]) { y = A; out[ITEMS] = 1; } x = sub_group_shuffle(y, l ^ 1);"},
    {"read_in_branches",
     "T w[N]; if (r[6]) { READ(w); } else { READ(w); w[0] += 1; } x = w[0] + 3 * (ulong)sub_group_broadcast(w[N - 1], 2);"},
    {"frozen_choice",
     "T w[N]; READ(w); int c = r[6] > (int)l; x = c ? sub_group_shuffle(w[0], 1) : v[0]; x += 3 * (ulong)(c ? w[N - 1] : A);"},
    {"divergent", "if (A & 4) x = B * 3; else if (B & 8) x = A + 1; else { x = 7; for (int k = 0; k < N; k++) x += v[k]; }"},
    {"divergent_loop", "for (ulong k = A & 15; k; k >>= 1) x += (k & 1) * B;"},
    {"uniform_loop", "for (int k = 0; k < r[7]; k++) x = x * 3 + sub_group_shuffle_xor(A, k) + v[k % N];"},
    {"read_in_loop", "for (int k = 0; k < r[7]; k++) { T w[N]; READ(w); x = x * 3 + w[0] + sub_group_broadcast(w[N - 1], k); }"},
    {"carried", "T y = A; for (int k = 0; k < r[7]; k++) { T w[N]; READ(w); x += sub_group_shuffle(y, k); y = w[N - 1]; } x += y;"},
    {"switch", "switch (A & 3) { case 0: x = B; break; case 1: x = A; case 2: x += B * 3; break; default: x = 9; }"},
    {"scattered_store", "out[(i ^ 5)] = A; x = B; barrier(CLK_GLOBAL_MEM_FENCE); x += out[i]; barrier(CLK_GLOBAL_MEM_FENCE);"},
    {"values_stored", "global T *p = (global T *)(out + ITEMS + 1); for (int k = 0; k < N && k < 4; k++) p[k * ITEMS + i] = v[k];"},
    {"block_stored", "intel_sub_group_block_write((global uint *)(out + ITEMS + 2) + i / W * W, (uint)A); x = B;"},
    {"through_local", "local T t[LOCAL]; uint g = get_local_id(0); t[g] = A; barrier(CLK_LOCAL_MEM_FENCE); x = t[g ^ 7] + (ulong)B * 3;"},
    {"index", "x = r[(uint)A & 7] + in[(uint)B & 1023];"},
    {"address", "x = in[((uint)sub_group_broadcast(A, 1) & 1023)] + in[(i + (uint)sub_group_broadcast(B, 2)) & 1023];"},
    {"dynamic_index", "x = v[r[6] % N] + 3 * (ulong)v[(uint)(l + A) % N];"},
    {"pointer", "T *p = v + (r[7] % N); x = *p; v[l % N] += 1; for (int k = 0; k < N; k++) x = x * 3 + v[k];"},
    {"other_type", "uchar *p = (uchar *)v; for (int k = 0; k < (int)sizeof(T); k++) x = x * 31 + p[k * r[6]];"},
    {"called", "x = helper(v, A, (int)l) + helper(v, B, 1);"},
    {"atomic", "atomic_add(acc + ((uint)A & 7), (uint)B & 255); atomic_max(acc + 8, (uint)A); atomic_xor(acc + 9, (uint)B);"},
    {"atomic_uniform", "uint g = sub_group_broadcast(A, 2); if (l == 0) atomic_add(acc + 10, g & 1023); x = sub_group_broadcast(B, 0);"},
    {"printed", "if (r[6] == 12345) printf(\"%d %v4d\\n\", (int)A, (int4)((int)B)); x = A;"},
    {"vectors",
     "uint4 q = (uint4)((uint)A, (uint)B, (uint)A * 3, l); q = q.wzyx * 5 + q; x = dot(convert_float4(q & 255u), (float4)1) + q.x;"},
    {"divided", "x = A / (B | 1) + A % ((uint)r[7]) + (ulong)B / (A | 1);"},
    {"reads_apart", "T w[N]; READ(w); x = w[0] + 3 * (ulong)sub_group_shuffle_xor(w[N - 1], 1); in[1024 + i] = (uchar)l; READ(w); x += 7 * "
                    "(ulong)w[N - 1];"},
    {"early_return", "if (A & 16) { out[i] = B; return; } x = A * 5;"},
    {"dot_products", "uint d = 0; for (int k = 0; k < 4; k++) d += ((uint)A >> 8 * k & 255) * ((uint)B >> 8 * k & 255); x = d;"},
    {"work_group", "x = work_group_reduce_add((uint)A) + work_group_broadcast((uint)B, 5);"},
};
enum { USES = sizeof uses / sizeof uses[0] };

static struct device device;
static bool each; /* read with each use */

/* ---- programs ---- */

static void add_read(struct text *source, const struct read *r)
{
    if (!r->vector)
        text_add(source, "#define READ(w) %s(in, r[0], r[1], r[2], (int2)(r[3], r[4]), w)\n", r->name);
    else if (r->vector == 1)
        text_add(source, "#define READ(w) (w)[0] = %s((global T *)in + i / W * W)\n", r->name);
    else
        text_add(source, "#define READ(w) vstore%d(%s((global T *)in + i / W * W * N), 0, w)\n", r->vector, r->name);
}

static void add_kernel(struct text *source, const char *name, const char *text, bool from_memory)
{
    text_add(source,
             "__attribute__((intel_reqd_sub_group_size(W), reqd_work_group_size(LOCAL, 1, 1)))\n"
             "kernel void %s_%s(global uchar *in, global const int *r, global T *values, global ulong *out, global uint *acc)\n{\n"
             "    size_t i = get_global_id(0);\n    uint l = get_sub_group_local_id();\n    ulong x = 0;\n    T v[N];\n    %s;\n"
             "    %s\n    out[i] = x;\n}\n",
             from_memory ? "loaded" : "direct", name,
             from_memory ? "for (int k = 0; k < N; k++)\n        v[k] = values[k * ITEMS + i]" : "READ(v)", text);
}

/* Of few values, if not each: code of many takes long to make. */
static bool is_tried(size_t read, size_t use)
{
    static size_t few[READS], count;
    for (size_t i = count ? READS : 0; i < READS; i++)
        if (reads[i].n <= MOST_IF_FEW)
            few[count++] = i;
    return each || few[use * STEP % count] == read;
}

static bool is_tried_at_all(size_t read)
{
    size_t use = 0;
    while (use < USES && !is_tried(read, use))
        use++;
    return use < USES;
}

static cl_program program_of(size_t read)
{
    const struct read *r = &reads[read];
    struct text source = {0};
    text_add(&source,
             "#pragma OPENCL EXTENSION cl_khr_subgroup_extended_types : enable\n"
             "#define T %s\n#define N %u\n#define W %u\n#define ITEMS %d\n#define LOCAL %d\n#define A v[0]\n#define B v[N - 1]\n",
             r->type, r->n, r->lanes, ITEMS, LOCAL);
    text_add(
        &source,
        "__attribute__((noinline)) ulong helper(T *v, T a, int k)\n{\n    return a * 3 + v[k %% N] + sub_group_reduce_add((uint)a);\n}\n");
    add_read(&source, r);
    add_kernel(&source, "read", "for (int k = 0; k < N; k++)\n        values[k * ITEMS + i] = v[k];", false);
    for (size_t u = 0; u < USES; u++)
        if (is_tried(read, u)) {
            add_kernel(&source, uses[u].name, uses[u].text, false);
            add_kernel(&source, uses[u].name, uses[u].text, true);
        }
    return device_build_text(&device, &source);
}

/* ---- running ---- */

enum { OUT = ITEMS + 2 + 4 * ITEMS }; /* x of each work-item, and what else uses store */

struct results {
    uint64_t out[OUT];
    uint32_t acc[ACCUMULATORS];
};

static unsigned char matrix[MATRIX];
static uint64_t values[MAX_VALUES * ITEMS];

static bool run(cl_program program, const char *kind, const char *use, struct results *results)
{
    static const int numbers[8] = {256, 40, 288, 4, 2, 0, 1, 3};
    static const struct results zero;
    char name[64];
    snprintf(name, sizeof name, "%s_%s", kind, use);
    const struct device_arg args[] = {{sizeof matrix, matrix, NULL},
                                      {sizeof numbers, numbers, NULL},
                                      {sizeof values, values, !strcmp(use, "read") ? values : NULL},
                                      {sizeof zero.out, zero.out, results->out},
                                      {sizeof zero.acc, zero.acc, results->acc}};
    cl_int err = device_run(&device, program, name, ITEMS, LOCAL, args, sizeof args / sizeof args[0]);
    if (err)
        fprintf(stderr, "%s: error %d\n", name, err);
    return err == CL_SUCCESS;
}

static bool try_use(cl_program program, const struct read *r, const struct use *use)
{
    static struct results direct, loaded;
    if (!run(program, "direct", use->name, &direct) || !run(program, "loaded", use->name, &loaded)) {
        fprintf(stderr, "%s, %u lanes, %s\n", r->name, r->lanes, use->name);
        return false;
    }
    if (!memcmp(&direct, &loaded, sizeof direct))
        return true;
    for (size_t i = 0; i < OUT; i++)
        if (direct.out[i] != loaded.out[i]) {
            fprintf(stderr, "%s, %u lanes, %s: number %zu is %llx, not %llx\n", r->name, r->lanes, use->name, i,
                    (unsigned long long)direct.out[i], (unsigned long long)loaded.out[i]);
            return false;
        }
    fprintf(stderr, "%s, %u lanes, %s: atomic sums differ\n", r->name, r->lanes, use->name);
    return false;
}

static void uses_of_reads(void **state)
{
    (void)state;
    size_t wrong = 0;
    for (size_t i = 0; i < READS; i++) {
        if (!is_tried_at_all(i) || !device_has_size(&device, reads[i].lanes))
            continue;
        cl_program program = program_of(i);
        struct results unused;
        assert_non_null(program);
        assert_true(run(program, "direct", "read", &unused));
        for (size_t u = 0; u < USES; u++)
            wrong += is_tried(i, u) && !try_use(program, &reads[i], &uses[u]);
        clReleaseProgram(program);
    }
    assert_int_equal(wrong, 0);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(uses_of_reads)};
    each = argc > 1 && !strcmp(argv[1], "all");
    device_open(&device);
    uint32_t seed = 1;
    for (size_t i = 0; i < sizeof matrix; i++) {
        seed = seed * 1664525 + 1013904223;
        matrix[i] = (unsigned char)(seed >> 24);
    }
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    device_close(&device);
    return failed;
}
