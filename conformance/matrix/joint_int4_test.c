/* SPDX-License-Identifier: Apache-2.0
 * Cooperative matrices of integers of 4 bits (SPV_INTEL_int4) against plain C: loads and stores in each layout, products, conversions. Two
 * elements share a byte of memory, and what shares a byte with the last element of an odd line stays as it is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "conformance/matrix/joint.h"
#include "conformance/matrix/oracle.h"

enum { BYTES = 4096, OP_TYPE_INT = 21, OP_S_CONVERT = 114, OP_U_CONVERT = 113, OP_MUL_ADD = 4459, OP_LOAD = 4457, OP_STORE = 4458 };
enum { A_SIGNED = 1, B_SIGNED = 2, C_SIGNED = 4, RESULT_SIGNED = 8, SATURATING = 16 };

/* D = A·B + C; C and D are integers of 4 bits, or of 32. A comes out as it went in, by way of bytes. The quick test has every other one,
 * with TESSERA_LONG_TESTS=1 it has all. */
static const struct product {
    unsigned rows, columns, k, lanes;
    enum layout a, b, d;
    unsigned signs;
    bool narrow;
    uint32_t scope;
} products[] = {
    {8, 16, 64, 16, BY_ROWS, PACKED, BY_ROWS, 15, false, SUB_GROUP},
    {16, 16, 64, 16, BY_ROWS, BY_ROWS, BY_ROWS, 0, false, SUB_GROUP},
    {7, 5, 23, 16, BY_ROWS, BY_ROWS, BY_ROWS, 14, true, SUB_GROUP},
    {12, 12, 48, 16, BY_COLUMNS, BY_COLUMNS, BY_COLUMNS, 13, true, SUB_GROUP},
    {9, 20, 33, 8, BY_COLUMNS, PACKED, BY_COLUMNS, 12, true, SUB_GROUP},
    {8, 8, 64, 8, BY_ROWS, PACKED, BY_ROWS, 15, true, SUB_GROUP},
    {5, 33, 40, 32, BY_ROWS, BY_COLUMNS, BY_ROWS, 3, true, SUB_GROUP},
    {16, 32, 32, 32, BY_ROWS, BY_ROWS, BY_COLUMNS, 15, true, SUB_GROUP},
    {12, 16, 64, 16, BY_ROWS, PACKED, BY_ROWS, 15, true, WORK_GROUP},
    {8, 16, 1, 16, BY_ROWS, BY_ROWS, BY_ROWS, SATURATING, true, SUB_GROUP},
    {8, 16, 1, 16, BY_ROWS, BY_ROWS, BY_ROWS, 15 | SATURATING, true, SUB_GROUP},
};

/* A matrix in memory. */
struct numbers {
    unsigned rows, columns, bits;
    enum layout layout;
    bool is_b;
    unsigned stride; /* in bytes */
    unsigned char memory[SUB_GROUPS][BYTES];
};

static void make(struct numbers *n, unsigned rows, unsigned columns, unsigned bits, enum layout layout, bool is_b)
{
    *n = (struct numbers){.rows = rows, .columns = columns, .bits = bits, .layout = layout, .is_b = is_b};
    unsigned elements = layout == BY_COLUMNS ? rows : layout == PACKED && is_b ? columns * 8 : columns;
    n->stride = (elements * bits + 7) / 8 + (bits == 32 ? 8 : 3);
    n->stride += bits == 32 ? n->stride % 4 : 0;
    memset(n->memory, PATTERN, sizeof n->memory);
}

/* Where an element is: the byte, and the bits in it. */
static unsigned byte_of(const struct numbers *n, unsigned row, unsigned column, unsigned *shift)
{
    unsigned line = n->layout == BY_COLUMNS ? column : row, in_line = n->layout == BY_COLUMNS ? row : column;
    if (n->layout == PACKED && n->is_b) {
        line = row / 8;
        in_line = column * 8 + row % 8;
    }
    *shift = in_line * n->bits % 8;
    assert_true(line * n->stride + in_line * n->bits / 8 + 4 <= BYTES);
    return line * n->stride + in_line * n->bits / 8;
}

static int64_t get(const struct numbers *n, unsigned s, unsigned row, unsigned column, bool is_signed)
{
    unsigned shift, at = byte_of(n, row, column, &shift);
    uint32_t bits = 0;
    memcpy(&bits, n->memory[s] + at, n->bits > 8 ? 4 : 1);
    bits = bits >> shift << (32 - n->bits);
    return is_signed ? (int64_t)((int32_t)bits >> (32 - n->bits)) : (int64_t)(bits >> (32 - n->bits));
}

static void put(struct numbers *n, unsigned s, unsigned row, unsigned column, int64_t value)
{
    unsigned shift, at = byte_of(n, row, column, &shift);
    uint32_t bits = (uint32_t)value;
    if (n->bits == 4)
        n->memory[s][at] = (unsigned char)((n->memory[s][at] & ~(15u << shift)) | (bits & 15) << shift);
    else
        memcpy(n->memory[s] + at, &bits, n->bits / 8);
}

static void fill(struct numbers *n, uint32_t *seed)
{
    for (unsigned s = 0; s < SUB_GROUPS; s++)
        for (unsigned row = 0; row < n->rows; row++)
            for (unsigned column = 0; column < n->columns; column++)
                put(n, s, row, column, oracle_random(seed) >> 3);
}

static uint32_t type_of(struct module *m, const struct numbers *n, enum use use, uint32_t scope)
{
    uint32_t component = module_global(m, OP_TYPE_INT, 0, MODULE_WORDS(n->bits, 0));
    return module_global(
        m, 4456, 0, MODULE_WORDS(component, module_u32(m, scope), module_u32(m, n->rows), module_u32(m, n->columns), module_u32(m, use)));
}

/* Where the matrix of the sub-group begins; pointers are to bytes, which the stride counts. */
static uint32_t place_of(struct module *m, uint32_t pointer, uint32_t sub_group)
{
    uint32_t offset = module_code(m, 132, module_int(m, 64), MODULE_WORDS(sub_group, module_u64(m, BYTES)));
    return module_at(m, GLOBAL, module_int(m, 8), pointer, offset);
}

static uint32_t load(struct module *m, const struct numbers *n, uint32_t type, uint32_t place)
{
    uint32_t unit = n->bits == 32 ? 4 : 1;
    return module_code(m, OP_LOAD, type, MODULE_WORDS(place, module_u32(m, n->layout), module_u64(m, n->stride / unit)));
}

static void store(struct module *m, const struct numbers *n, uint32_t value, uint32_t place)
{
    uint32_t unit = n->bits == 32 ? 4 : 1;
    module_put(m, MODULE_CODE, OP_STORE, MODULE_WORDS(place, value, module_u32(m, n->layout), module_u64(m, n->stride / unit)));
}

enum { IN_A, IN_B, IN_C, OUT_D, OUT_A, OUT_BYTES, MATRICES };

static void add_kernel(struct module *m, const struct product *p, const struct numbers *n, const char *name)
{
    static const enum use uses[] = {A, B, ACCUMULATOR, ACCUMULATOR, A, A};
    uint32_t bytes[MATRICES], at[MATRICES], type[MATRICES], place[MATRICES], value[MATRICES];
    for (int i = 0; i < MATRICES; i++) {
        bytes[i] = module_int(m, 8);
        type[i] = type_of(m, &n[i], uses[i], p->scope);
    }
    module_kernel(m, name, p->lanes, bytes, at, MATRICES);
    uint32_t sub_group = module_sub_group(m);
    for (int i = 0; i < MATRICES; i++)
        place[i] = place_of(m, at[i], sub_group);
    for (int i = IN_A; i <= IN_C; i++)
        value[i] = load(m, &n[i], type[i], place[i]);
    value[OUT_D] = module_code(m, OP_MUL_ADD, type[OUT_D], MODULE_WORDS(value[IN_A], value[IN_B], value[IN_C], p->signs));
    value[OUT_BYTES] = module_code(m, p->signs & A_SIGNED ? OP_S_CONVERT : OP_U_CONVERT, type[OUT_BYTES], MODULE_WORDS(value[IN_A]));
    value[OUT_A] = module_code(m, OP_U_CONVERT, type[OUT_A], MODULE_WORDS(value[OUT_BYTES]));
    for (int i = OUT_D; i < MATRICES; i++)
        store(m, &n[i], value[i], place[i]);
    module_end_kernel(m);
}

static int64_t saturated(int64_t value, bool is_signed)
{
    int64_t least = is_signed ? -8 : 0, most = is_signed ? 7 : 15;
    return value < least ? least : value > most ? most : value;
}

/* What the kernel has to leave. */
static void compute(const struct product *p, struct numbers *n)
{
    for (unsigned s = 0; s < (p->scope == WORK_GROUP ? 1 : SUB_GROUPS); s++) {
        for (unsigned row = 0; row < p->rows; row++)
            for (unsigned column = 0; column < p->columns; column++) {
                int64_t sum = get(&n[IN_C], s, row, column, p->signs & C_SIGNED);
                for (unsigned k = 0; k < p->k; k++)
                    sum += get(&n[IN_A], s, row, k, p->signs & A_SIGNED) * get(&n[IN_B], s, k, column, p->signs & B_SIGNED);
                put(&n[OUT_D], s, row, column, p->signs & SATURATING ? saturated(sum, p->signs & RESULT_SIGNED) : sum);
            }
        for (unsigned row = 0; row < p->rows; row++)
            for (unsigned k = 0; k < p->k; k++) {
                put(&n[OUT_A], s, row, k, get(&n[IN_A], s, row, k, false));
                put(&n[OUT_BYTES], s, row, k, get(&n[IN_A], s, row, k, p->signs & A_SIGNED));
            }
    }
}

static void make_all(const struct product *p, struct numbers *n)
{
    unsigned bits = p->narrow ? 4 : 32;
    uint32_t seed = 11;
    make(&n[IN_A], p->rows, p->k, 4, p->a, false);
    make(&n[IN_B], p->k, p->columns, 4, p->b, true);
    make(&n[IN_C], p->rows, p->columns, bits, BY_ROWS, false);
    make(&n[OUT_D], p->rows, p->columns, bits, p->d, false);
    make(&n[OUT_A], p->rows, p->k, 4, p->d, false);
    make(&n[OUT_BYTES], p->rows, p->k, 8, p->d, false);
    for (int i = IN_A; i <= IN_C; i++)
        fill(&n[i], &seed);
    for (unsigned row = 0; p->signs & SATURATING && row < p->rows; row++) /* so that the product itself is no more than 4 bits */
        for (unsigned s = 0; s < SUB_GROUPS; s++)
            put(&n[IN_A], s, row, 0, row % 2);
}

static void run(cl_program program, const struct product *p, struct numbers *n, size_t number)
{
    static unsigned char out[MATRICES][sizeof n->memory];
    struct device_arg args[MATRICES];
    size_t items = SUB_GROUPS * p->lanes;
    char name[8];
    snprintf(name, sizeof name, "p%zu", number);
    for (int i = 0; i < MATRICES; i++)
        args[i] = (struct device_arg){sizeof n[i].memory, n[i].memory, i < OUT_D ? NULL : out[i]};
    assert_int_equal(device_run(&joint_device, program, name, items, items, args, MATRICES), CL_SUCCESS);
    compute(p, n);
    for (int i = OUT_D; i < MATRICES; i++)
        for (size_t k = 0; k < sizeof n[i].memory; k++)
            if (out[i][k] != ((unsigned char *)n[i].memory)[k])
                fail_msg("product %zu, matrix %d: byte %zu of sub-group %zu is 0x%x, not 0x%x", number, i, k % BYTES, k / BYTES, out[i][k],
                         ((unsigned char *)n[i].memory)[k]);
}

static void products_and_conversions(void **state)
{
    static const uint32_t capabilities[] = {5112, 5114, 6022, 6434, 0};
    static const char *const extensions[] = {"SPV_KHR_cooperative_matrix", "SPV_INTEL_joint_matrix", "SPV_INTEL_int4", NULL};
    static struct numbers numbers[JOINT_COUNT(products)][MATRICES];
    const size_t step = getenv("TESSERA_LONG_TESTS") ? 1 : 2;
    struct module m;
    char name[8];
    (void)state;
    module_begin(&m, capabilities, extensions);
    for (size_t i = 0; i < JOINT_COUNT(products); i += step) {
        if (!joint_has(products[i].lanes))
            continue;
        make_all(&products[i], numbers[i]);
        snprintf(name, sizeof name, "p%zu", i);
        add_kernel(&m, &products[i], numbers[i], name);
    }
    cl_program program = joint_build(&m);
    for (size_t i = 0; i < JOINT_COUNT(products); i += step)
        if (joint_has(products[i].lanes))
            run(program, &products[i], numbers[i], i);
    clReleaseProgram(program);
    module_free(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(products_and_conversions)};
    device_open(&joint_device);
    int failures = cmocka_run_group_tests(tests, NULL, NULL);
    device_close(&joint_device);
    return failures;
}
