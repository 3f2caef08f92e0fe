/* SPDX-License-Identifier: Apache-2.0
 * Cooperative and joint matrices in SPIR-V against plain C: products of all types, shapes and layouts, elements and their coordinates,
 * checked loads and stores, arithmetic and conversions. All numbers with a fraction are small integers, so that sums are exact in any
 * order. TESSERA_LONG_TESTS=1 takes every type in every shape. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "conformance/matrix/device.h"
#include "conformance/matrix/spirv_words.h"
#include "conformance/matrix/oracle.h"
#include "tessera/matrix_math.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* ---- components ---------------------------------------------------------------------------------------------------------------- */

enum component { NO_COMPONENT, S2, U2, S4, U4, S8, U8, S16, U16, S32, U32, S64, BFLOAT16, F16, TF32, F32, F64 };

static const struct info {
    unsigned bits;                      /* of one number */
    unsigned storage;                   /* of a component, which has several of 2 and 4 bits */
    bool fraction, is_float, is_signed; /* is_float: a floating-point type in the module */
    unsigned meaning;                   /* of revision 10 */
} infos[] = {
    [S2] = {2, 8, false, false, true, 3},     [U2] = {2, 8, false, false, false, 3},    [S4] = {4, 8, false, false, true, 4},
    [U4] = {4, 8, false, false, false, 4},    [S8] = {8, 8, false, false, true, 0},     [U8] = {8, 8, false, false, false, 0},
    [S16] = {16, 16, false, false, true, 0},  [U16] = {16, 16, false, false, false, 0}, [S32] = {32, 32, false, false, true, 0},
    [U32] = {32, 32, false, false, false, 0}, [S64] = {64, 64, false, false, true, 0},  [BFLOAT16] = {16, 16, true, false, true, 2},
    [F16] = {16, 16, true, true, true, 0},    [TF32] = {32, 32, true, true, true, 1},   [F32] = {32, 32, true, true, true, 0},
    [F64] = {64, 64, true, true, true, 0},
};

static unsigned parts_of(enum component c)
{
    return infos[c].storage / infos[c].bits;
}

static uint64_t encode(enum component c, int64_t value)
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

static int64_t random_value(enum component c, uint32_t *state)
{
    uint32_t r = oracle_random(state) >> 3;
    if (infos[c].fraction)
        return (int)(r % 17) - 8;
    if (c == S16 || c == U16)
        return r % 2001 - (infos[c].is_signed ? 1000 : 0);
    if (infos[c].bits >= 32)
        return (int64_t)(int32_t)(r * 9);
    int64_t span = 1ll << infos[c].bits;
    return (int64_t)(r % (uint32_t)span) - (infos[c].is_signed ? span / 2 : 0);
}

/* ---- matrices -------------------------------------------------------------------------------------------------------------------- */

enum generation { KHRONOS, JOINT, DRAFT };
enum layout { BY_ROWS, BY_COLUMNS, PACKED };
enum use { A, B, ACCUMULATOR };
enum { SUB_GROUPS = 2, PADDING = 3, FIRST = 1, PATTERN = 0xa5 };
enum { GLOBAL = 5, LOCAL = 4, GENERIC = 8, FUNCTION = 7 };
enum { WORK_GROUP = 2, SUB_GROUP = 3 };

/* A matrix as the test has it: numbers, and the memory that it comes from or goes to. Sub-group s has its own, `size` components on. */
struct matrix {
    enum component type;
    enum use use;
    enum layout layout;
    unsigned rows, columns; /* in components */
    unsigned stride;        /* in components */
    size_t size;
    int64_t *value[SUB_GROUPS]; /* rows · columns · parts; of A parts are neighbours in a row, of B in a column */
    unsigned char *memory;
};

static unsigned packing(const struct matrix *m)
{
    return m->layout == PACKED && m->use == B && infos[m->type].storage < 32 ? 32 / infos[m->type].storage : 1;
}

static size_t index_of(const struct matrix *m, unsigned row, unsigned column)
{
    unsigned vf = packing(m);
    return m->layout == BY_COLUMNS ? (size_t)column * m->stride + row : (size_t)(row / vf) * m->stride + (size_t)column * vf + row % vf;
}

static size_t bytes_of(const struct matrix *m)
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

static void make_matrix(struct matrix *m, enum component type, enum use use, enum layout layout, unsigned rows, unsigned columns)
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

static void free_matrix(struct matrix *m)
{
    free(m->memory);
    for (unsigned s = 0; s < SUB_GROUPS; s++)
        free(m->value[s]);
}

static int64_t *values_at(const struct matrix *m, unsigned s, unsigned row, unsigned column)
{
    return &m->value[s][((size_t)row * m->columns + column) * parts_of(m->type)];
}

static void write_all(const struct matrix *m, unsigned char *memory)
{
    for (unsigned s = 0; s < SUB_GROUPS; s++)
        for (unsigned row = 0; row < m->rows; row++)
            for (unsigned column = 0; column < m->columns; column++)
                put(m, memory, s, row, column, values_at(m, s, row, column));
}

static void fill_matrix(struct matrix *m, uint32_t *state, int64_t (*choose)(enum component c, uint32_t *state))
{
    for (unsigned s = 0; s < SUB_GROUPS; s++)
        for (size_t i = 0; i < (size_t)m->rows * m->columns * parts_of(m->type); i++)
            m->value[s][i] = choose(m->type, state);
    write_all(m, m->memory);
}

/* Number k of a row of A, or of a column of B. */
static int64_t number_of(const struct matrix *m, unsigned s, unsigned line, unsigned k)
{
    unsigned parts = parts_of(m->type);
    return m->use == A ? values_at(m, s, line, k / parts)[k % parts] : values_at(m, s, k / parts, line)[k % parts];
}

/* ---- modules ---------------------------------------------------------------------------------------------------------------------- */

static uint32_t component_type(struct module *m, enum component c)
{
    return infos[c].is_float ? module_float(m, infos[c].storage) : module_int(m, infos[c].storage);
}

static uint32_t matrix_type(struct module *m, enum generation g, const struct matrix *x, uint32_t scope)
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
static uint32_t matrix_place(struct module *m, const struct matrix *x, uint32_t storage, uint32_t pointer, uint32_t sub_group)
{
    uint32_t i64 = module_int(m, 64);
    uint32_t at = module_code(m, 132, i64, MODULE_WORDS(sub_group, module_u64(m, x->size)));
    at = module_code(m, 128, i64, MODULE_WORDS(at, module_u64(m, FIRST)));
    return module_at(m, storage, component_type(m, x->type), pointer, at);
}

static uint32_t load(struct module *m, enum generation g, const struct matrix *x, uint32_t type, uint32_t place, uint32_t scope)
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

static void store(struct module *m, enum generation g, const struct matrix *x, uint32_t value, uint32_t place, uint32_t scope)
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

static void begin(struct module *m, enum generation g)
{
    static const uint32_t of_khronos[] = {6022, 6434, 6435, 6192, 6238, 6411, 6115},
                          of_joint[] = {6118, 6434, 6435, 6436, 6437, 6438, 6439};
    module_begin(m);
    const uint32_t *capabilities = g == KHRONOS ? of_khronos : of_joint;
    for (size_t i = 0; i < COUNT(of_khronos); i++)
        module_capability(m, capabilities[i]);
    if (g == KHRONOS) {
        module_extension(m, "SPV_KHR_cooperative_matrix");
        module_extension(m, "SPV_INTEL_bfloat16_conversion");
    }
    module_extension(m, "SPV_INTEL_joint_matrix");
}

static struct device device;

static cl_program build(struct module *m)
{
    cl_int status;
    size_t size;
    const void *bytes = module_bytes(m, &size);
    cl_program program = clCreateProgramWithIL(device.context, bytes, size, &status);
    assert_int_equal(status, CL_SUCCESS);
    status = clBuildProgram(program, 1, &device.id, NULL, NULL, NULL);
    if (status != CL_SUCCESS) {
        clGetProgramBuildInfo(program, device.id, CL_PROGRAM_BUILD_LOG, sizeof device.log, device.log, NULL);
        fail_msg("the build ends with %d: %s", status, device.log);
    }
    return program;
}

/* ---- products ------------------------------------------------------------------------------------------------------------------------ */

struct kind {
    enum component a, b, c, d;
    enum { USUAL, ALWAYS, SATURATING, ONLY_JOINT } way; /* always in the quick tests; in revision 10 alone: integers of 2 and 4 bits */
};

static const struct kind kinds[] = {
    {S8, S8, S32, S32, ALWAYS},
    {S8, U8, S32, S32, USUAL},
    {U8, S8, S32, S32, USUAL},
    {U8, U8, U32, U32, USUAL},
    {S8, S8, S32, S32, SATURATING},
    {U8, U8, U32, U32, SATURATING},
    {S8, S8, S8, S8, USUAL},
    {U8, S8, S64, S64, USUAL},
    {S16, S16, S32, S32, USUAL},
    {U16, S16, S32, S32, USUAL},
    {BFLOAT16, BFLOAT16, F32, F32, ALWAYS},
    {BFLOAT16, BFLOAT16, BFLOAT16, BFLOAT16, USUAL},
    {BFLOAT16, BFLOAT16, F32, BFLOAT16, USUAL},
    {F16, F16, F32, F32, USUAL},
    {F16, F16, F16, F16, USUAL},
    {F16, F16, F32, F16, USUAL},
    {TF32, TF32, F32, F32, USUAL},
    {F32, F32, F32, F32, USUAL},
    {F64, F64, F64, F64, USUAL},
    {S4, S4, S32, S32, ONLY_JOINT},
    {U4, S4, S32, S32, ONLY_JOINT},
    {S2, U2, S32, S32, ONLY_JOINT},
};

/* K in bytes of A: from what one step of the matrix functions takes down to less, and up to two. */
static const struct shape {
    unsigned rows, columns, k_bytes;
} shapes[] = {{16, 16, 64}, {8, 16, 32}, {12, 12, 48}, {1, 64, 32}, {32, 64, 32}, {7, 5, 24}, {3, 33, 16}, {16, 8, 32}, {9, 20, 40}};

struct problem {
    const struct kind *kind;
    enum generation g;
    const struct shape *shape;
    unsigned lanes; /* that the kernel requires, 0: none */
    uint32_t scope, storage;
    struct matrix a, b, c, d;
    unsigned k;
    char name[16];
};

static int64_t saturated(int64_t value, enum component c)
{
    int64_t low = infos[c].is_signed ? INT32_MIN : 0, high = infos[c].is_signed ? INT32_MAX : UINT32_MAX;
    return value < low ? low : value > high ? high : value;
}

/* C of a saturating product is near the ends of its range. */
static int64_t extreme_value(enum component c, uint32_t *state)
{
    int64_t off = oracle_random(state) >> 3 & 0xfffff;
    if (infos[c].is_signed)
        return oracle_random(state) & 64 ? INT32_MAX - off : INT32_MIN + off;
    return UINT32_MAX - off;
}

static int64_t as_component(enum component c, int64_t value)
{
    uint64_t bits = encode(c, value);
    unsigned width = infos[c].bits;
    if (infos[c].fraction || width == 64)
        return value;
    return infos[c].is_signed && bits >> (width - 1) ? (int64_t)(bits - (1ull << width)) : (int64_t)bits;
}

static void multiply(struct problem *p)
{
    for (unsigned s = 0; s < SUB_GROUPS; s++)
        for (unsigned row = 0; row < p->d.rows; row++)
            for (unsigned column = 0; column < p->d.columns; column++) {
                int64_t sum = 0;
                for (unsigned k = 0; k < p->k; k++)
                    sum += number_of(&p->a, s, row, k) * number_of(&p->b, s, column, k);
                sum += *values_at(&p->c, s, row, column);
                *values_at(&p->d, s, row, column) = p->kind->way == SATURATING ? saturated(sum, p->kind->d) : as_component(p->kind->d, sum);
            }
}

static void make_problem(struct problem *p, uint32_t seed)
{
    const struct kind *kind = p->kind;
    unsigned k = p->shape->k_bytes * 8 / infos[kind->a].storage;
    uint32_t state = seed;
    p->k = k * parts_of(kind->a);
    make_matrix(&p->a, kind->a, A, (enum layout)(seed % 3), p->shape->rows, k);
    make_matrix(&p->b, kind->b, B, (enum layout)((seed + 2) % 3), k, p->shape->columns);
    make_matrix(&p->c, kind->c, ACCUMULATOR, (enum layout)(seed / 3 % 2), p->shape->rows, p->shape->columns);
    make_matrix(&p->d, kind->d, ACCUMULATOR, (enum layout)(seed / 2 % 2), p->shape->rows, p->shape->columns);
    fill_matrix(&p->a, &state, random_value);
    fill_matrix(&p->b, &state, random_value);
    fill_matrix(&p->c, &state, kind->way == SATURATING ? extreme_value : random_value);
    multiply(p);
}

/* Through local memory: a variable that all sub-groups share. */
static uint32_t through_local(struct module *m, struct problem *p, const struct matrix *x, uint32_t type, uint32_t value,
                              uint32_t sub_group)
{
    uint32_t element = component_type(m, x->type), count = (uint32_t)(SUB_GROUPS * x->size + FIRST + PADDING);
    uint32_t array = module_global(m, 28, 0, MODULE_WORDS(element, module_u32(m, count)));
    uint32_t variable = module_id(m), words[] = {module_pointer(m, LOCAL, array), variable, LOCAL};
    module_put(m, MODULE_GLOBALS, 59, words, 3);
    uint32_t first = module_code(m, 65, module_pointer(m, LOCAL, element), MODULE_WORDS(variable, module_u32(m, 0)));
    uint32_t place = matrix_place(m, x, LOCAL, first, sub_group), two = module_u32(m, 2);
    store(m, p->g, x, value, place, p->scope);
    module_put(m, MODULE_CODE, 224, MODULE_WORDS(two, two, module_u32(m, 0x110))); /* OpControlBarrier */
    return load(m, p->g, x, type, place, p->scope);
}

static uint32_t load_operand(struct module *m, struct problem *p, const struct matrix *x, uint32_t pointer, uint32_t sub_group)
{
    uint32_t type = matrix_type(m, p->g, x, p->scope);
    uint32_t place = matrix_place(m, x, GLOBAL, pointer, sub_group);
    if (p->storage == GENERIC)
        place = module_code(m, 121, module_pointer(m, GENERIC, component_type(m, x->type)), MODULE_WORDS(place));
    uint32_t value = load(m, p->g, x, type, place, p->scope);
    return p->storage == LOCAL ? through_local(m, p, x, type, value, sub_group) : value;
}

static uint32_t mad_operands(const struct kind *k)
{
    uint32_t mask = k->way == SATURATING ? 0x10 : 0;
    if (infos[k->a].fraction)
        return (k->a == TF32 ? 0x20u : k->a == BFLOAT16 ? 0x40u : 0u) | (k->c == BFLOAT16 ? 0x80u : 0u) | (k->d == BFLOAT16 ? 0x100u : 0u);
    return mask | (infos[k->a].is_signed ? 1u : 0u) | (infos[k->b].is_signed ? 2u : 0u) | (infos[k->c].is_signed ? 4u : 0u) |
           (infos[k->d].is_signed ? 8u : 0u);
}

static void add_product(struct module *m, struct problem *p)
{
    static const uint32_t joint[2][2] = {{6130, 6129}, {6128, 6122}}; /* by the signs of A and B */
    const struct kind *k = p->kind;
    uint32_t elements[] = {component_type(m, k->a), component_type(m, k->b), component_type(m, k->c), component_type(m, k->d)}, at[4];
    module_kernel(m, p->name, p->lanes, elements, at, 4);
    uint32_t sub_group = p->scope == WORK_GROUP ? module_u64(m, 0) : module_sub_group(m);
    uint32_t a = load_operand(m, p, &p->a, at[0], sub_group), b = load_operand(m, p, &p->b, at[1], sub_group);
    uint32_t c = load_operand(m, p, &p->c, at[2], sub_group), type = matrix_type(m, p->g, &p->d, p->scope), d;
    if (p->g == KHRONOS)
        d = module_code(m, 4459, type, MODULE_WORDS(a, b, c, mad_operands(k)));
    else if (p->g == JOINT)
        d = module_code(m, joint[infos[k->a].is_signed][infos[k->b].is_signed], type, MODULE_WORDS(a, b, c));
    else
        d = module_code(m, joint[infos[k->a].is_signed][infos[k->b].is_signed], type, MODULE_WORDS(a, b, c, module_u32(m, p->scope)));
    store(m, p->g, &p->d, d, matrix_place(m, &p->d, GLOBAL, at[3], sub_group), p->scope);
    module_end_kernel(m);
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
static void expect(const struct matrix *x, uint32_t scope, const unsigned char *is, const char *what)
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

static unsigned lanes_of(unsigned required)
{
    return required ? required : 16;
}

static void run_product(cl_program program, struct problem *p)
{
    size_t items = SUB_GROUPS * lanes_of(p->lanes);
    unsigned char *out = malloc(bytes_of(&p->d));
    char what[120];
    assert_non_null(out);
    snprintf(what, sizeof what, "kernel %s: generation %d, kind %d, %ux%ux%u, sub-group %u, layouts %d %d %d %d", p->name, p->g,
             (int)(p->kind - kinds), p->shape->rows, p->shape->columns, p->k, p->lanes, p->a.layout, p->b.layout, p->c.layout, p->d.layout);
    const struct device_arg args[] = {{bytes_of(&p->a), p->a.memory, NULL},
                                      {bytes_of(&p->b), p->b.memory, NULL},
                                      {bytes_of(&p->c), p->c.memory, NULL},
                                      {bytes_of(&p->d), p->d.memory, out}};
    if (device_run(&device, program, p->name, items, items, args, 4) != CL_SUCCESS)
        fail_msg("%s: it does not run", what);
    expect(&p->d, p->scope, out, what);
    free(out);
}

static bool is_long(void)
{
    const char *value = getenv("TESSERA_LONG_TESTS");
    return value && !strcmp(value, "1");
}

/* All products of a generation for a sub-group size, in one module. */
static void check_products(enum generation g, unsigned lanes)
{
    enum { MOST = COUNT(kinds) * COUNT(shapes) };
    static struct problem problems[MOST];
    unsigned count = 0;
    struct module m;
    begin(&m, g);
    for (size_t i = 0; i < COUNT(kinds); i++)
        for (size_t s = 0; s < COUNT(shapes); s++) {
            const struct kind *kind = &kinds[i];
            bool there = g == KHRONOS ? kind->way != ONLY_JOINT : kind->way != SATURATING && (g == JOINT || kind->way != ONLY_JOINT);
            bool elsewhere = g == DRAFT && kind->d == BFLOAT16; /* its types do not tell */
            bool always = kind->way == ALWAYS && s < 2 && g == KHRONOS && lanes != 32;
            if (!there || elsewhere || (!is_long() && !always && (i * COUNT(shapes) + s + g + lanes / 8) % 23 != 0))
                continue;
            struct problem *p = &problems[count];
            static const uint32_t storages[] = {GLOBAL, GLOBAL, LOCAL, GENERIC};
            *p = (struct problem){.kind = kind, .g = g, .shape = &shapes[s], .lanes = lanes};
            p->scope = (i + s) % 6 == 5 ? WORK_GROUP : SUB_GROUP;
            p->storage = storages[(i + s) % COUNT(storages)];
            snprintf(p->name, sizeof p->name, "k%u", count++);
            make_problem(p, (uint32_t)(i * 31 + s * 7 + lanes));
            add_product(&m, p);
        }
    cl_program program = build(&m);
    for (unsigned i = 0; i < count; i++) {
        run_product(program, &problems[i]);
        struct matrix *all[] = {&problems[i].a, &problems[i].b, &problems[i].c, &problems[i].d};
        for (size_t k = 0; k < COUNT(all); k++)
            free_matrix(all[k]);
    }
    assert_true(count > 3);
    clReleaseProgram(program);
    module_free(&m);
}

static void products_of_sixteen(void **state)
{
    (void)state;
    check_products(KHRONOS, 16);
}

static void products_without_a_size(void **state)
{
    (void)state;
    check_products(JOINT, 0);
}

static void products_of_eight(void **state)
{
    (void)state;
    check_products(KHRONOS, 8);
}

static void joint_products_of_eight(void **state)
{
    (void)state;
    check_products(JOINT, 8);
}

static void products_of_the_draft(void **state)
{
    (void)state;
    check_products(DRAFT, 16);
}

static void products_of_thirty_two(void **state)
{
    (void)state;
    check_products(KHRONOS, 32);
}

/* ---- elements ---------------------------------------------------------------------------------------------------------------------- */

/* A matrix of which each work-item doubles its elements, and counts them at their coordinates. */
struct elements {
    enum component type;
    enum use use;
    unsigned rows, columns;
};

static const struct elements element_cases[] = {
    {F32, ACCUMULATOR, 16, 16},
    {S32, ACCUMULATOR, 9, 20},
    {F16, ACCUMULATOR, 3, 33},
    {S8, A, 16, 64},
    {S8, A, 7, 23},
    {S16, A, 12, 24},
    {TF32, A, 5, 8},
    {F64, A, 6, 8},
    {TF32, A, 7, 12},
    {S8, B, 64, 16},
    {S16, B, 13, 20},
    {F32, B, 8, 8},
    {U8, A, 8, 32},
    {S64, ACCUMULATOR, 4, 5},
};

struct element_types {
    uint32_t i32, i64, component, matrix, to_matrix, to_component, i32_pair;
};

/* for (i = 0; i < length; i++) { element i += element i; counts[row · columns + column] += 1; } */
static void add_element_loop(struct module *m, const struct matrix *x, const struct element_types *t, uint32_t variable, uint32_t counts,
                             uint32_t length)
{
    uint32_t boolean = module_global(m, 20, 0, MODULE_NONE), before = module_id(m), head = module_id(m), body = module_id(m),
             end = module_id(m);
    uint32_t next = module_id(m), index = module_id(m), one = module_u64(m, 1);
    module_put(m, MODULE_CODE, 249, MODULE_WORDS(before));
    module_code_as(m, 248, 0, before, MODULE_NONE);
    module_put(m, MODULE_CODE, 249, MODULE_WORDS(head));
    module_code_as(m, 248, 0, head, MODULE_NONE);
    module_code_as(m, 245, t->i64, index, MODULE_WORDS(module_u64(m, 0), before, next, body));
    uint32_t more = module_code(m, 176, boolean, MODULE_WORDS(index, length));
    module_put(m, MODULE_CODE, 250, MODULE_WORDS(more, body, end));
    module_code_as(m, 248, 0, body, MODULE_NONE);
    uint32_t place = module_code(m, 65, t->to_component, MODULE_WORDS(variable, index));
    uint32_t old = module_code(m, 61, t->component, MODULE_WORDS(place));
    module_put(m, MODULE_CODE, 62,
               MODULE_WORDS(place, module_code(m, infos[x->type].is_float ? 129 : 128, t->component, MODULE_WORDS(old, old))));
    uint32_t matrix = module_code(m, 61, t->matrix, MODULE_WORDS(variable));
    uint32_t at = module_code(m, 6440, t->i32_pair, MODULE_WORDS(matrix, index));
    uint32_t row = module_code(m, 81, t->i32, MODULE_WORDS(at, 0)), column = module_code(m, 81, t->i32, MODULE_WORDS(at, 1));
    uint32_t linear = module_code(m, 132, t->i32, MODULE_WORDS(row, module_u32(m, x->columns)));
    linear = module_code(m, 128, t->i32, MODULE_WORDS(linear, column));
    uint32_t count = module_at(m, GLOBAL, t->i32, counts, module_code(m, 113, t->i64, MODULE_WORDS(linear)));
    uint32_t counted = module_code(m, 61, t->i32, MODULE_WORDS(count));
    module_put(m, MODULE_CODE, 62, MODULE_WORDS(count, module_code(m, 128, t->i32, MODULE_WORDS(counted, module_u32(m, 1)))));
    module_code_as(m, 128, t->i64, next, MODULE_WORDS(index, one));
    module_put(m, MODULE_CODE, 249, MODULE_WORDS(head));
    module_code_as(m, 248, 0, end, MODULE_NONE);
}

static void add_elements(struct module *m, const struct matrix *x, unsigned lanes, const char *name, uint32_t scope)
{
    struct element_types t = {module_int(m, 32), module_int(m, 64), component_type(m, x->type), matrix_type(m, KHRONOS, x, scope), 0, 0, 0};
    t.to_matrix = module_pointer(m, FUNCTION, t.matrix);
    t.to_component = module_pointer(m, FUNCTION, t.component);
    t.i32_pair = module_global(m, 23, 0, MODULE_WORDS(t.i32, 2));
    uint32_t elements[] = {t.component, t.component, t.i32}, at[3];
    module_kernel(m, name, lanes, elements, at, 3);
    uint32_t variable = module_code(m, 59, t.to_matrix, MODULE_WORDS(FUNCTION)), sub_group = module_sub_group(m);
    uint32_t value = load(m, KHRONOS, x, t.matrix, matrix_place(m, x, GLOBAL, at[0], sub_group), scope);
    module_put(m, MODULE_CODE, 62, MODULE_WORDS(variable, value));
    uint32_t length = module_code(m, 4460, t.i64, MODULE_WORDS(t.matrix));
    uint32_t counts = module_code(m, 132, t.i64, MODULE_WORDS(sub_group, module_u64(m, (uint64_t)x->rows * x->columns)));
    counts = module_at(m, GLOBAL, t.i32, at[2], counts);
    add_element_loop(m, x, &t, variable, counts, length);
    value = module_code(m, 61, t.matrix, MODULE_WORDS(variable));
    store(m, KHRONOS, x, value, matrix_place(m, x, GLOBAL, at[1], sub_group), scope);
    module_end_kernel(m);
}

static void run_elements(cl_program program, struct matrix *x, unsigned lanes, const char *name, uint32_t scope)
{
    size_t items = SUB_GROUPS * lanes, each = (size_t)x->rows * x->columns, count = SUB_GROUPS * each;
    unsigned char *out = malloc(bytes_of(x)), *before = malloc(bytes_of(x));
    uint32_t *counts = calloc(count, sizeof *counts);
    char what[80];
    assert_true(out && before && counts);
    snprintf(what, sizeof what, "elements of %ux%u, use %d, component %d, sub-group %u", x->rows, x->columns, x->use, x->type, lanes);
    memset(before, PATTERN, bytes_of(x));
    const struct device_arg args[] = {{bytes_of(x), x->memory, NULL}, {bytes_of(x), before, out}, {count * sizeof *counts, counts, counts}};
    assert_int_equal(device_run(&device, program, name, items, items, args, 3), CL_SUCCESS);
    for (unsigned s = 0; s < SUB_GROUPS; s++)
        for (size_t i = 0; i < each; i++) {
            x->value[s][i] = as_component(x->type, 2 * x->value[s][i]);
            if (counts[s * each + i] != (scope == WORK_GROUP && s > 0 ? 0 : 1))
                fail_msg("%s: element %zu of sub-group %u is there %u times", what, i, s, counts[s * each + i]);
        }
    expect(x, scope, out, what);
    free(out);
    free(before);
    free(counts);
}

static void elements_and_coordinates(void **state)
{
    static const unsigned sizes[] = {16, 8, 32};
    static const uint32_t scopes[] = {SUB_GROUP, WORK_GROUP};
    (void)state;
    for (size_t l = 0; l < COUNT(sizes); l++) {
        struct matrix matrices[COUNT(element_cases)];
        struct module m;
        uint32_t seed = 1;
        char name[8];
        begin(&m, KHRONOS);
        for (size_t i = 0; i < COUNT(element_cases); i++) {
            const struct elements *e = &element_cases[i];
            make_matrix(&matrices[i], e->type, e->use, (enum layout)(i % 2), e->rows, e->columns);
            fill_matrix(&matrices[i], &seed, random_value);
            snprintf(name, sizeof name, "e%zu", i);
            add_elements(&m, &matrices[i], sizes[l], name, scopes[i % 5 == 4]);
        }
        cl_program program = build(&m);
        for (size_t i = 0; i < COUNT(element_cases); i++) {
            snprintf(name, sizeof name, "e%zu", i);
            run_elements(program, &matrices[i], sizes[l], name, scopes[i % 5 == 4]);
            free_matrix(&matrices[i]);
        }
        clReleaseProgram(program);
        module_free(&m);
    }
}

/* ---- checked loads and stores
 * -------------------------------------------------------------------------------------------------------------- */

/* Where the matrix begins in one of `lines` lines of `width` elements; row and column of matrices in the layout by rows. */
static const struct window {
    int64_t x, y;
    unsigned lines, width;
} windows[] = {{0, 0, 16, 16}, {2, 3, 40, 40},  {-3, 0, 16, 16},    {0, -5, 16, 16},
               {4, 9, 16, 16}, {20, 0, 16, 16}, {-40, -40, 16, 16}, {1, 2, 3, 4}};

static const struct elements checked_cases[] = {
    {F32, ACCUMULATOR, 12, 12}, {S8, A, 12, 48}, {S8, B, 48, 12}, {S16, B, 16, 16}, {TF32, A, 8, 8}};

/* Line and element of a line in units of memory. */
static void place_in_memory(const struct matrix *x, unsigned row, unsigned column, int64_t *line, int64_t *in_line)
{
    unsigned vf = packing(x);
    *line = x->layout == BY_COLUMNS ? column : row / vf;
    *in_line = x->layout == BY_COLUMNS ? row : column * vf + row % vf;
}

/* Copies the window of one array to the same window of another, then a matrix of a value, checked too, to a third. */
static void add_checked(struct module *m, const struct matrix *x, unsigned lanes, const char *name)
{
    uint32_t component = component_type(m, x->type), i64 = module_int(m, 64), type = matrix_type(m, KHRONOS, x, SUB_GROUP);
    uint32_t elements[] = {component, component, component, i64}, at[4], value[4], memory = module_u32(m, x->layout);
    module_kernel(m, name, lanes, elements, at, 4);
    for (unsigned i = 0; i < 4; i++) /* x, y, lines, width */
        value[i] = module_code(m, 61, i64, MODULE_WORDS(module_at(m, GLOBAL, i64, at[3], module_u64(m, i)), 2, 8));
    uint32_t loaded = module_code(m, 6193, type, MODULE_WORDS(at[0], value[0], value[1], memory, value[2], value[3], value[3]));
    module_put(m, MODULE_CODE, 6194, MODULE_WORDS(at[1], value[0], value[1], loaded, memory, value[2], value[3], value[3]));
    uint32_t one = infos[x->type].is_float ? module_global(m, 43, component, MODULE_WORDS(0x3f800000))
                                           : module_global(m, 43, component, MODULE_WORDS(1));
    uint32_t made = module_code(m, 6195, type, MODULE_WORDS(value[0], value[1], value[2], value[3], one));
    module_put(m, MODULE_CODE, 6240, MODULE_WORDS(at[2], module_u64(m, 0), module_u64(m, 0), made, memory, module_u64(m, x->stride)));
    module_end_kernel(m);
}

static void check_window(cl_program program, const struct matrix *x, unsigned lanes, const char *name, const struct window *w)
{
    unsigned size = infos[x->type].storage / 8;
    size_t bytes = (size_t)w->lines * w->width * size, whole = x->size * size;
    unsigned char *in = malloc(bytes), *before = malloc(bytes), *out = malloc(bytes), *wanted = malloc(bytes);
    unsigned char *made_before = malloc(whole), *made = malloc(whole), *made_wanted = malloc(whole);
    int64_t values[] = {w->x, w->y, w->lines, w->width};
    uint64_t one = encode(x->type, 1), zero = 0;
    assert_true(in && before && out && wanted && made_before && made && made_wanted);
    for (size_t i = 0; i < bytes; i++)
        in[i] = (unsigned char)(i * 7 + 1);
    memset(before, PATTERN, bytes);
    memset(wanted, PATTERN, bytes);
    memset(made_before, PATTERN, whole);
    memset(made_wanted, PATTERN, whole);
    for (unsigned row = 0; row < x->rows; row++)
        for (unsigned column = 0; column < x->columns; column++) {
            int64_t line, in_line;
            place_in_memory(x, row, column, &line, &in_line);
            bool there = row + w->x >= 0 && row + w->x < w->lines && column + w->y >= 0 && column + w->y < w->width;
            memcpy(made_wanted + index_of(x, row, column) * size, there ? &one : &zero, size);
            line += w->x;
            in_line += w->y;
            if (line < 0 || line >= w->lines || in_line < 0 || in_line >= w->width)
                continue;
            size_t at = (size_t)(line * w->width + in_line) * size;
            memcpy(wanted + at, in + at, size);
        }
    const struct device_arg args[] = {{bytes, in, NULL}, {bytes, before, out}, {whole, made_before, made}, {sizeof values, values, NULL}};
    assert_int_equal(device_run(&device, program, name, lanes, lanes, args, 4), CL_SUCCESS);
    if (memcmp(out, wanted, bytes) != 0 || memcmp(made, made_wanted, whole) != 0)
        fail_msg("%s of %ux%u, use %d, layout %d, sub-group %u, at %lld, %lld of %ux%u",
                 memcmp(out, wanted, bytes) ? "transfer" : "construction", x->rows, x->columns, x->use, x->layout, lanes, (long long)w->x,
                 (long long)w->y, w->lines, w->width);
    unsigned char *all[] = {in, before, out, wanted, made_before, made, made_wanted};
    for (size_t i = 0; i < COUNT(all); i++)
        free(all[i]);
}

static void checked_transfers(void **state)
{
    enum { MOST = COUNT(checked_cases) * 3 };
    static const unsigned sizes[] = {16, 8};
    (void)state;
    for (size_t l = 0; l < COUNT(sizes); l++) {
        struct matrix matrices[MOST];
        struct module m;
        size_t count = 0;
        char name[8];
        begin(&m, KHRONOS);
        for (size_t i = 0; i < COUNT(checked_cases); i++)
            for (enum layout layout = BY_ROWS; layout <= (checked_cases[i].use == B ? PACKED : BY_COLUMNS); layout++) {
                const struct elements *e = &checked_cases[i];
                make_matrix(&matrices[count], e->type, e->use, layout, e->rows, e->columns);
                snprintf(name, sizeof name, "w%zu", count);
                add_checked(&m, &matrices[count++], sizes[l], name);
            }
        cl_program program = build(&m);
        for (size_t i = 0; i < count; i++) {
            snprintf(name, sizeof name, "w%zu", i);
            for (size_t w = 0; w < COUNT(windows); w++)
                check_window(program, &matrices[i], sizes[l], name, &windows[w]);
            free_matrix(&matrices[i]);
        }
        clReleaseProgram(program);
        module_free(&m);
    }
}

/* ---- arithmetic
 * ------------------------------------------------------------------------------------------------------------------------------ */

/* s32 x: y = float(-x · 3 + x - 5), z = half(y / 2), w = s16(z), and bfloat16(y), each stored; shapes with and without whole vectors. */
static void arithmetic_and_conversions(void **state)
{
    static const struct {
        unsigned rows, columns, lanes;
    } cases[] = {{8, 16, 16}, {9, 20, 8}, {16, 33, 16}};
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        enum component types[] = {S32, F32, F16, S16, BFLOAT16};
        struct matrix x[COUNT(types)];
        struct module m;
        uint32_t seed = 3, element[COUNT(types)], type[COUNT(types)], at[COUNT(types)], value[COUNT(types)];
        begin(&m, KHRONOS);
        for (size_t k = 0; k < COUNT(types); k++) {
            make_matrix(&x[k], types[k], ACCUMULATOR, (enum layout)(k % 2), cases[i].rows, cases[i].columns);
            element[k] = component_type(&m, types[k]);
            type[k] = matrix_type(&m, KHRONOS, &x[k], SUB_GROUP);
        }
        for (size_t k = 0; k < (size_t)cases[i].rows * cases[i].columns; k++)
            for (unsigned s = 0; s < SUB_GROUPS; s++)
                x[0].value[s][k] = (int64_t)(oracle_random(&seed) >> 3) % 50;
        write_all(&x[0], x[0].memory);
        module_kernel(&m, "k", cases[i].lanes, element, at, COUNT(types));
        uint32_t sub_group = module_sub_group(&m), three, five, two;
        three = module_global(&m, 44, type[0], MODULE_WORDS(module_global(&m, 43, element[0], MODULE_WORDS(3))));
        two = module_global(&m, 44, type[1], MODULE_WORDS(module_global(&m, 43, element[1], MODULE_WORDS(0x40000000))));
        five = module_code(&m, 80, type[0], MODULE_WORDS(module_global(&m, 43, element[0], MODULE_WORDS(5))));
        value[0] = load(&m, KHRONOS, &x[0], type[0], matrix_place(&m, &x[0], GLOBAL, at[0], sub_group), SUB_GROUP);
        uint32_t sum = module_code(&m, 132, type[0], MODULE_WORDS(module_code(&m, 126, type[0], MODULE_WORDS(value[0])), three));
        sum = module_code(&m, 130, type[0], MODULE_WORDS(module_code(&m, 128, type[0], MODULE_WORDS(sum, value[0])), five));
        value[1] = module_code(&m, 111, type[1], MODULE_WORDS(sum));
        value[2] = module_code(&m, 115, type[2], MODULE_WORDS(module_code(&m, 136, type[1], MODULE_WORDS(value[1], two))));
        value[3] = module_code(&m, 110, type[3], MODULE_WORDS(value[2]));
        value[4] = module_code(&m, 6116, type[4], MODULE_WORDS(value[1]));
        for (size_t k = 1; k < COUNT(types); k++)
            store(&m, KHRONOS, &x[k], value[k], matrix_place(&m, &x[k], GLOBAL, at[k], sub_group), SUB_GROUP);
        module_end_kernel(&m);

        unsigned char *out[COUNT(types)];
        struct device_arg args[COUNT(types)];
        size_t items = SUB_GROUPS * cases[i].lanes;
        for (size_t k = 0; k < COUNT(types); k++) {
            out[k] = malloc(bytes_of(&x[k]));
            assert_non_null(out[k]);
            args[k] = (struct device_arg){bytes_of(&x[k]), x[k].memory, out[k]};
        }
        cl_program program = build(&m);
        assert_int_equal(device_run(&device, program, "k", items, items, args, COUNT(types)), CL_SUCCESS);
        for (unsigned s = 0; s < SUB_GROUPS; s++)
            for (size_t k = 0; k < (size_t)cases[i].rows * cases[i].columns; k++) {
                int64_t y = -3 * x[0].value[s][k] + x[0].value[s][k] - 5;
                x[1].value[s][k] = x[4].value[s][k] = y;
                x[3].value[s][k] = y / 2;
            }
        for (size_t k = 1; k < COUNT(types); k++) {
            if (types[k] != F16) /* halves are in x[3] as integers */
                expect(&x[k], SUB_GROUP, out[k], "arithmetic");
            free(out[k]);
        }
        free(out[0]);
        for (size_t k = 0; k < COUNT(types); k++)
            free_matrix(&x[k]);
        clReleaseProgram(program);
        module_free(&m);
    }
}

/* ---- products in a loop over K
 * ------------------------------------------------------------------------------------------------------------- */

enum { ROUNDS = 3, TILES = 2 }; /* accumulators of a sub-group: two by two */

/* c[i][j] += a[i] · b[j] for each step of K; accumulators are phi instructions, or variables that are loaded and stored in each round. */
static void add_loop(struct module *m, const struct matrix *a, const struct matrix *b, const struct matrix *c, const struct kind *kind,
                     unsigned deep, bool variables)
{
    struct matrix at = *a, bt = *b, ct = *c;
    at.rows = bt.columns = ct.rows = ct.columns = 16;
    at.columns = bt.rows = deep;
    uint32_t types[] = {matrix_type(m, KHRONOS, &at, SUB_GROUP), matrix_type(m, KHRONOS, &bt, SUB_GROUP),
                        matrix_type(m, KHRONOS, &ct, SUB_GROUP)};
    uint32_t elements[] = {component_type(m, a->type), component_type(m, b->type), component_type(m, c->type)}, p[3];
    uint32_t i64 = module_int(m, 64), boolean = module_global(m, 20, 0, MODULE_NONE), zero = module_global(m, 46, types[2], MODULE_NONE);
    uint32_t place[TILES][TILES] = {0}, sum[TILES][TILES], next[TILES][TILES], loaded[2][TILES];
    module_kernel(m, variables ? "variables" : "phis", 16, elements, p, 3);
    for (unsigned i = 0; i < TILES * TILES && variables; i++)
        place[i / TILES][i % TILES] = module_code(m, 59, module_pointer(m, FUNCTION, types[2]), MODULE_WORDS(FUNCTION));
    for (unsigned i = 0; i < TILES * TILES && variables; i++)
        module_put(m, MODULE_CODE, 62, MODULE_WORDS(place[i / TILES][i % TILES], zero));
    uint32_t sub_group = module_sub_group(m), before = module_id(m), body = module_id(m), end = module_id(m), k = module_id(m),
             k_next = module_id(m);
    module_put(m, MODULE_CODE, 249, MODULE_WORDS(before));
    module_code_as(m, 248, 0, before, MODULE_NONE);
    module_put(m, MODULE_CODE, 249, MODULE_WORDS(body));
    module_code_as(m, 248, 0, body, MODULE_NONE);
    module_code_as(m, 245, i64, k, MODULE_WORDS(module_u64(m, 0), before, k_next, body));
    for (unsigned i = 0; i < TILES * TILES; i++) {
        next[i / TILES][i % TILES] = module_id(m);
        if (!variables)
            sum[i / TILES][i % TILES] = module_code(m, 245, types[2], MODULE_WORDS(zero, before, next[i / TILES][i % TILES], body));
    }
    for (unsigned i = 0; i < TILES * TILES && variables; i++)
        sum[i / TILES][i % TILES] = module_code(m, 61, types[2], MODULE_WORDS(place[i / TILES][i % TILES]));
    const struct matrix *whole[] = {a, b}, *tile[] = {&at, &bt};
    for (unsigned side = 0; side < 2; side++) {
        uint32_t first = matrix_place(m, whole[side], GLOBAL, p[side], sub_group);
        uint64_t step = side ? index_of(b, deep, 0) : index_of(a, 0, deep);
        uint32_t moved = module_at(m, GLOBAL, elements[side], first, module_code(m, 132, i64, MODULE_WORDS(k, module_u64(m, step))));
        for (unsigned i = 0; i < TILES; i++) {
            uint64_t off = side ? index_of(b, 0, 16 * i) : index_of(a, 16 * i, 0);
            uint32_t here = module_at(m, GLOBAL, elements[side], moved, module_u64(m, off));
            loaded[side][i] = load(m, KHRONOS, tile[side], types[side], here, SUB_GROUP);
        }
    }
    for (unsigned i = 0; i < TILES; i++)
        for (unsigned j = 0; j < TILES; j++) {
            module_code_as(m, 4459, types[2], next[i][j], MODULE_WORDS(loaded[0][i], loaded[1][j], sum[i][j], mad_operands(kind)));
            if (variables)
                module_put(m, MODULE_CODE, 62, MODULE_WORDS(place[i][j], next[i][j]));
        }
    module_code_as(m, 128, i64, k_next, MODULE_WORDS(k, module_u64(m, 1)));
    uint32_t more = module_code(m, 176, boolean, MODULE_WORDS(k_next, module_u64(m, ROUNDS)));
    module_put(m, MODULE_CODE, 250, MODULE_WORDS(more, body, end));
    module_code_as(m, 248, 0, end, MODULE_NONE);
    uint32_t to = matrix_place(m, c, GLOBAL, p[2], sub_group);
    for (unsigned i = 0; i < TILES; i++)
        for (unsigned j = 0; j < TILES; j++) {
            uint32_t value = variables ? module_code(m, 61, types[2], MODULE_WORDS(place[i][j])) : next[i][j];
            store(m, KHRONOS, &ct, value, module_at(m, GLOBAL, elements[2], to, module_u64(m, index_of(c, 16 * i, 16 * j))), SUB_GROUP);
        }
    module_end_kernel(m);
}

static void loops(void **state)
{
    static const struct kind looped[] = {{S8, U8, S32, S32, USUAL}, {BFLOAT16, BFLOAT16, F32, F32, USUAL}, {F16, F16, F32, F32, USUAL}};
    (void)state;
    for (size_t i = 0; i < COUNT(looped); i++)
        for (enum layout layout = BY_ROWS; layout <= PACKED; layout++) {
            unsigned deep = 512 / infos[looped[i].a].bits;
            uint32_t seed = (uint32_t)i;
            struct problem p = {.kind = &looped[i], .scope = SUB_GROUP, .k = ROUNDS * deep};
            struct matrix zero;
            struct module m;
            make_matrix(&p.a, looped[i].a, A, layout == BY_COLUMNS ? BY_COLUMNS : BY_ROWS, 16 * TILES, p.k);
            make_matrix(&p.b, looped[i].b, B, layout, p.k, 16 * TILES);
            make_matrix(&p.c, looped[i].d, ACCUMULATOR, BY_ROWS, 16 * TILES, 16 * TILES);
            make_matrix(&p.d, looped[i].d, ACCUMULATOR, BY_ROWS, 16 * TILES, 16 * TILES);
            fill_matrix(&p.a, &seed, random_value);
            fill_matrix(&p.b, &seed, random_value);
            multiply(&p);
            make_matrix(&zero, looped[i].d, ACCUMULATOR, BY_ROWS, 16 * TILES, 16 * TILES);
            begin(&m, KHRONOS);
            add_loop(&m, &p.a, &p.b, &p.d, p.kind, deep, false);
            add_loop(&m, &p.a, &p.b, &p.d, p.kind, deep, true);
            cl_program program = build(&m);
            for (int variables = 0; variables < 2; variables++) {
                unsigned char *out = malloc(bytes_of(&p.d));
                assert_non_null(out);
                const struct device_arg args[] = {
                    {bytes_of(&p.a), p.a.memory, NULL}, {bytes_of(&p.b), p.b.memory, NULL}, {bytes_of(&p.d), zero.memory, out}};
                size_t items = SUB_GROUPS * 16;
                assert_int_equal(device_run(&device, program, variables ? "variables" : "phis", items, items, args, 3), CL_SUCCESS);
                expect(&p.d, SUB_GROUP, out, "loop");
                free(out);
            }
            struct matrix *all[] = {&p.a, &p.b, &p.c, &p.d, &zero};
            for (size_t k = 0; k < COUNT(all); k++)
                free_matrix(all[k]);
            clReleaseProgram(program);
            module_free(&m);
        }
}

/* With an argument only the tests that fit this pattern. */
int main(int count, char **words)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_of_sixteen),
        cmocka_unit_test(products_without_a_size),
        cmocka_unit_test(products_of_eight),
        cmocka_unit_test(joint_products_of_eight),
        cmocka_unit_test(products_of_the_draft),
        cmocka_unit_test(products_of_thirty_two),
        cmocka_unit_test(loops),
        cmocka_unit_test(elements_and_coordinates),
        cmocka_unit_test(checked_transfers),
        cmocka_unit_test(arithmetic_and_conversions),
    };
    if (count > 1)
        cmocka_set_test_filter(words[1]);
    device_open(&device);
    int failures = cmocka_run_group_tests(tests, NULL, NULL);
    device_close(&device);
    return failures;
}
