/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "conformance/matrix/joint.h"
#include "conformance/matrix/oracle.h"
#include "tessera/matrix_math.h"

/* ---- components ---- */

const struct info infos[] = {
    [S2] = {2, 8, false, false, true, 3},     [U2] = {2, 8, false, false, false, 3},    [S4] = {4, 8, false, false, true, 4},
    [U4] = {4, 8, false, false, false, 4},    [S8] = {8, 8, false, false, true, 0},     [U8] = {8, 8, false, false, false, 0},
    [S16] = {16, 16, false, false, true, 0},  [U16] = {16, 16, false, false, false, 0}, [S32] = {32, 32, false, false, true, 0},
    [U32] = {32, 32, false, false, false, 0}, [S64] = {64, 64, false, false, true, 0},  [BFLOAT16] = {16, 16, true, false, true, 2},
    [F16] = {16, 16, true, true, true, 0},    [TF32] = {32, 32, true, true, true, 1},   [F32] = {32, 32, true, true, true, 0},
    [F64] = {64, 64, true, true, true, 0},
};

unsigned parts_of(enum component c)
{
    return infos[c].storage / infos[c].bits;
}

uint64_t encode(enum component c, int64_t value)
{
    double d = (double)value;
    float f = (float)value;
    uint64_t bits = 0;
    switch (c) {
    case BFLOAT16:
        return tsr_bf16_of_float(f);
    case F16:
        return tsr_f16_of_float(f);
    case TF32:
    case F32:
        memcpy(&bits, &f, 4);
        return bits;
    case F64:
        memcpy(&bits, &d, 8);
        return bits;
    default:
        return infos[c].bits < 64 ? (uint64_t)value & ((1ull << infos[c].bits) - 1) : (uint64_t)value;
    }
}

int64_t random_value(enum component c, uint32_t *state)
{
    uint32_t r = oracle_random(state) >> 3;
    if (infos[c].fraction)
        return (int)(r % 17) - 8;
    if (c == S16 || c == U16)
        return (int64_t)(r % 2001) - (infos[c].is_signed ? 1000 : 0);
    if (infos[c].bits >= 32)
        return (int64_t)(int32_t)(r * 9);
    int64_t span = 1ll << infos[c].bits;
    return (int64_t)(r % (uint32_t)span) - (infos[c].is_signed ? span / 2 : 0);
}

/* ---- matrices ---- */

unsigned packing(const struct matrix *m)
{
    return m->layout == PACKED && m->use == B && infos[m->type].storage < 32 ? 32 / infos[m->type].storage : 1;
}

size_t index_of(const struct matrix *m, unsigned row, unsigned column)
{
    unsigned vf = packing(m);
    return m->layout == BY_COLUMNS ? (size_t)column * m->stride + row : (size_t)(row / vf) * m->stride + (size_t)column * vf + row % vf;
}

size_t bytes_of(const struct matrix *m)
{
    return (SUB_GROUPS * m->size + FIRST + PADDING) * infos[m->type].storage / 8;
}

static void put(const struct matrix *m, unsigned char *memory, unsigned s, unsigned row, unsigned column, const int64_t *values)
{
    uint64_t bits = 0;
    unsigned size = infos[m->type].storage / 8;
    for (unsigned p = 0; p < parts_of(m->type); p++)
        bits |= encode(m->type, values[p]) << p * infos[m->type].bits;
    memcpy(memory + (FIRST + s * m->size + index_of(m, row, column)) * size, &bits, size);
}

void make_matrix(struct matrix *m, enum component type, enum use use, enum layout layout, unsigned rows, unsigned columns)
{
    *m = (struct matrix){.type = type, .use = use, .layout = layout, .rows = rows, .columns = columns};
    unsigned vf = packing(m), lines = layout == BY_COLUMNS ? columns : (rows + vf - 1) / vf;
    m->stride = (layout == BY_COLUMNS ? rows : columns * vf) + PADDING;
    m->size = (size_t)lines * m->stride;
    m->memory = malloc(bytes_of(m));
    assert_non_null(m->memory);
    memset(m->memory, PATTERN, bytes_of(m));
    for (unsigned s = 0; s < SUB_GROUPS; s++) {
        m->value[s] = calloc((size_t)rows * columns * parts_of(type), sizeof(int64_t));
        assert_non_null(m->value[s]);
    }
}

void free_matrix(struct matrix *m)
{
    free(m->memory);
    for (unsigned s = 0; s < SUB_GROUPS; s++)
        free(m->value[s]);
}

int64_t *values_at(const struct matrix *m, unsigned s, unsigned row, unsigned column)
{
    return &m->value[s][((size_t)row * m->columns + column) * parts_of(m->type)];
}

void write_all(const struct matrix *m, unsigned char *memory)
{
    for (unsigned s = 0; s < SUB_GROUPS; s++)
        for (unsigned row = 0; row < m->rows; row++)
            for (unsigned column = 0; column < m->columns; column++)
                put(m, memory, s, row, column, values_at(m, s, row, column));
}

void fill_matrix(struct matrix *m, uint32_t *state, int64_t (*choose)(enum component c, uint32_t *state))
{
    for (unsigned s = 0; s < SUB_GROUPS; s++)
        for (size_t i = 0; i < (size_t)m->rows * m->columns * parts_of(m->type); i++)
            m->value[s][i] = choose(m->type, state);
    write_all(m, m->memory);
}

/* Number k of a row of A, or of a column of B. */
int64_t number_of(const struct matrix *m, unsigned s, unsigned line, unsigned k)
{
    unsigned parts = parts_of(m->type);
    return m->use == A ? values_at(m, s, line, k / parts)[k % parts] : values_at(m, s, k / parts, line)[k % parts];
}

/* ---- modules ---- */

uint32_t component_type(struct module *m, enum component c)
{
    return infos[c].is_float ? module_float(m, infos[c].storage) : module_int(m, infos[c].storage);
}

uint32_t matrix_type(struct module *m, enum generation g, const struct matrix *x, uint32_t scope)
{
    uint32_t component = component_type(m, x->type), rows = module_u32(m, x->rows), columns = module_u32(m, x->columns);
    uint32_t use = module_u32(m, x->use), in = module_u32(m, scope);
    switch (g) {
    case KHRONOS:
        return module_global(m, 4456, 0, MODULE_WORDS(component, in, rows, columns, use));
    case JOINT:
        return module_global(m, 6184, 0, MODULE_WORDS(component, rows, columns, in, use, module_u32(m, infos[x->type].meaning)));
    default:
        return module_global(m, 6119, 0, MODULE_WORDS(component, rows, columns, module_u32(m, x->layout), in, use));
    }
}

/* Where the matrix of this sub-group begins. */
uint32_t matrix_place(struct module *m, const struct matrix *x, uint32_t storage, uint32_t pointer, uint32_t sub_group)
{
    uint32_t i64 = module_int(m, 64);
    uint32_t at = module_code(m, 132, i64, MODULE_WORDS(sub_group, module_u64(m, x->size)));
    at = module_code(m, 128, i64, MODULE_WORDS(at, module_u64(m, FIRST)));
    return module_at(m, storage, component_type(m, x->type), pointer, at);
}

uint32_t joint_load(struct module *m, enum generation g, const struct matrix *x, uint32_t type, uint32_t place, uint32_t scope)
{
    uint32_t layout = module_u32(m, x->layout), stride = module_u64(m, x->stride);
    switch (g) {
    case KHRONOS:
        return module_code(m, 4457, type, MODULE_WORDS(place, layout, stride));
    case JOINT:
        return module_code(m, 6120, type, MODULE_WORDS(place, stride, layout));
    default:
        return module_code(m, 6120, type, MODULE_WORDS(place, stride, layout, module_u32(m, scope)));
    }
}

void joint_store(struct module *m, enum generation g, const struct matrix *x, uint32_t value, uint32_t place, uint32_t scope)
{
    uint32_t layout = module_u32(m, x->layout), stride = module_u64(m, x->stride);
    switch (g) {
    case KHRONOS:
        module_put(m, MODULE_CODE, 4458, MODULE_WORDS(place, value, layout, stride));
        break;
    case JOINT:
        module_put(m, MODULE_CODE, 6121, MODULE_WORDS(place, value, stride, layout));
        break;
    default:
        module_put(m, MODULE_CODE, 6121, MODULE_WORDS(place, value, stride, layout, module_u32(m, scope)));
    }
}

void joint_begin(struct module *m, enum generation g)
{
    static const uint32_t of_khronos[] = {6022, 6434, 6435, 6192, 6238, 6411, 6115, 0},
                          of_joint[] = {6118, 6434, 6435, 6436, 6437, 6438, 6439, 0};
    static const char *const names[] = {"SPV_INTEL_joint_matrix", "SPV_KHR_cooperative_matrix", "SPV_INTEL_bfloat16_conversion", NULL};
    static const char *const joint_names[] = {"SPV_INTEL_joint_matrix", NULL};
    module_begin(m, g == KHRONOS ? of_khronos : of_joint, g == KHRONOS ? names : joint_names);
}

struct device joint_device;

bool joint_has(unsigned lanes)
{
    return !lanes || device_has_size(&joint_device, lanes);
}

bool joint_has_type(enum component c)
{
    return c != F64 || device_has(&joint_device, "cl_khr_fp64");
}

cl_program joint_build(struct module *m)
{
    cl_int status;
    size_t size;
    const void *bytes = module_bytes(m, &size);
    cl_program program = clCreateProgramWithIL(joint_device.context, bytes, size, &status);
    assert_int_equal(status, CL_SUCCESS);
    status = clBuildProgram(program, 1, &joint_device.id, NULL, NULL, NULL);
    if (status != CL_SUCCESS) {
        clGetProgramBuildInfo(program, joint_device.id, CL_PROGRAM_BUILD_LOG, sizeof joint_device.log, joint_device.log, NULL);
        fail_msg("the build ends with %d: %s", status, joint_device.log);
    }
    return program;
}

/* ---- results ---- */

int64_t as_component(enum component c, int64_t value)
{
    uint64_t bits = encode(c, value);
    unsigned width = infos[c].bits;
    if (infos[c].fraction || width == 64)
        return value;
    return infos[c].is_signed && bits >> (width - 1) ? (int64_t)(bits - (1ull << width)) : (int64_t)bits;
}

static void fail_at(const struct matrix *x, const unsigned char *is, const unsigned char *expected, const char *what)
{
    unsigned size = infos[x->type].storage / 8;
    for (unsigned s = 0; s < SUB_GROUPS; s++)
        for (unsigned row = 0; row < x->rows; row++)
            for (unsigned column = 0; column < x->columns; column++) {
                size_t at = (FIRST + s * x->size + index_of(x, row, column)) * size;
                uint64_t got = 0, want = 0;
                memcpy(&got, is + at, size);
                memcpy(&want, expected + at, size);
                if (got != want)
                    fail_msg("%s: sub-group %u, row %u, column %u: 0x%llx, not 0x%llx", what, s, row, column, (unsigned long long)got,
                             (unsigned long long)want);
            }
    fail_msg("%s: memory outside of the matrix has changed", what);
}

/* What a matrix of one sub-group only leaves of the memory of the others. */
void joint_expect(const struct matrix *x, uint32_t scope, const unsigned char *is, const char *what)
{
    unsigned char *expected = malloc(bytes_of(x));
    assert_non_null(expected);
    memset(expected, PATTERN, bytes_of(x));
    for (unsigned s = 0; s < (scope == WORK_GROUP ? 1 : SUB_GROUPS); s++)
        for (unsigned row = 0; row < x->rows; row++)
            for (unsigned column = 0; column < x->columns; column++)
                put(x, expected, s, row, column, values_at(x, s, row, column));
    if (memcmp(is, expected, bytes_of(x)) != 0)
        fail_at(x, is, expected, what);
    free(expected);
}
