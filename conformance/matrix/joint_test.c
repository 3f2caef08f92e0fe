/* SPDX-License-Identifier: Apache-2.0
 * Products of cooperative and joint matrices in SPIR-V against plain C: all types, shapes and layouts. All numbers with a fraction are
 * small integers, so that sums are exact in any order. The shapes that the device query names are among them. TESSERA_LONG_TESTS=1 takes
 * every type in every shape. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "conformance/matrix/joint.h"
#include "conformance/matrix/oracle.h"
#include <CL/cl_tessera.h>

/* ---- products ---- */

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
    joint_store(m, p->g, x, value, place, p->scope);
    module_put(m, MODULE_CODE, 224, MODULE_WORDS(two, two, module_u32(m, 0x110))); /* OpControlBarrier */
    return joint_load(m, p->g, x, type, place, p->scope);
}

static uint32_t load_operand(struct module *m, struct problem *p, const struct matrix *x, uint32_t pointer, uint32_t sub_group)
{
    uint32_t type = matrix_type(m, p->g, x, p->scope);
    uint32_t place = matrix_place(m, x, GLOBAL, pointer, sub_group);
    if (p->storage == GENERIC)
        place = module_code(m, 121, module_pointer(m, GENERIC, component_type(m, x->type)), MODULE_WORDS(place));
    uint32_t value = joint_load(m, p->g, x, type, place, p->scope);
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
    joint_store(m, p->g, &p->d, d, matrix_place(m, &p->d, GLOBAL, at[3], sub_group), p->scope);
    module_end_kernel(m);
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
    snprintf(what, sizeof what, "kernel %s: generation %d, components %d %d %d %d, %ux%ux%u, sub-group %u, layouts %d %d %d %d", p->name,
             p->g, p->kind->a, p->kind->b, p->kind->c, p->kind->d, p->shape->rows, p->shape->columns, p->k, p->lanes, p->a.layout,
             p->b.layout, p->c.layout, p->d.layout);
    const struct device_arg args[] = {{bytes_of(&p->a), p->a.memory, NULL},
                                      {bytes_of(&p->b), p->b.memory, NULL},
                                      {bytes_of(&p->c), p->c.memory, NULL},
                                      {bytes_of(&p->d), p->d.memory, out}};
    if (device_run(&joint_device, program, p->name, items, items, args, 4) != CL_SUCCESS)
        fail_msg("%s: it does not run", what);
    joint_expect(&p->d, p->scope, out, what);
    free(out);
}

static bool is_long(void)
{
    const char *value = getenv("TESSERA_LONG_TESTS");
    return value && !strcmp(value, "1");
}

static void run_all(struct module *m, struct problem *problems, unsigned count)
{
    cl_program program = joint_build(m);
    for (unsigned i = 0; i < count; i++) {
        run_product(program, &problems[i]);
        struct matrix *all[] = {&problems[i].a, &problems[i].b, &problems[i].c, &problems[i].d};
        for (size_t k = 0; k < JOINT_COUNT(all); k++)
            free_matrix(all[k]);
    }
    assert_true(count >= 2);
    clReleaseProgram(program);
    module_free(m);
}

/* Of matrix functions that a GPU's units lack the code is long: few of them have to do. */
static bool is_slow(unsigned lanes)
{
    return lanes != 8 && device_is_gpu(&joint_device) && !device_has(&joint_device, "cl_tessera_cooperative_matrix");
}

/* All products of a generation for a sub-group size, in one module. */
static void check_products(enum generation g, unsigned lanes)
{
    enum { MOST = JOINT_COUNT(kinds) * JOINT_COUNT(shapes), FEW = 2 };
    static struct problem problems[MOST];
    unsigned count = 0;
    struct module m;
    if (!joint_has(lanes))
        return;
    bool slow = is_slow(lanes);
    joint_begin(&m, g);
    for (size_t i = 0; i < JOINT_COUNT(kinds); i++)
        for (size_t s = 0; s < JOINT_COUNT(shapes); s++) {
            const struct kind *kind = &kinds[i];
            bool there = g == KHRONOS ? kind->way != ONLY_JOINT : kind->way != SATURATING && (g == JOINT || kind->way != ONLY_JOINT);
            bool elsewhere = g == DRAFT && kind->d == BFLOAT16; /* its types do not tell */
            bool always = kind->way == ALWAYS && s < 1 && g == KHRONOS && lanes != 32;
            there = there && joint_has_type(kind->a);
            there = there && (!slow || count < FEW);
            if (!there || elsewhere || (!is_long() && !always && (i * JOINT_COUNT(shapes) + s + g + lanes / 8) % 37 != 0))
                continue;
            struct problem *p = &problems[count];
            static const uint32_t storages[] = {GLOBAL, GLOBAL, LOCAL, GENERIC};
            *p = (struct problem){.kind = kind, .g = g, .shape = &shapes[s], .lanes = lanes};
            p->scope = (i + s) % 6 == 5 ? WORK_GROUP : SUB_GROUP;
            p->storage = storages[(i + s) % JOINT_COUNT(storages)];
            snprintf(p->name, sizeof p->name, "k%u", count++);
            make_problem(p, (uint32_t)(i * 31 + s * 7 + lanes));
            add_product(&m, p);
        }
    run_all(&m, problems, count);
}

/* ---- what the device says it takes ---- */

static const enum component components[] = {
    [CL_MATRIX_INT8_TESSERA] = S8,           [CL_MATRIX_UINT8_TESSERA] = U8, [CL_MATRIX_INT32_TESSERA] = S32,
    [CL_MATRIX_BFLOAT16_TESSERA] = BFLOAT16, [CL_MATRIX_HALF_TESSERA] = F16, [CL_MATRIX_TF32_TESSERA] = TF32,
    [CL_MATRIX_FLOAT_TESSERA] = F32,
};

/* A size of a side: the given one, the largest, or for the second round one below that. */
static unsigned side_of(cl_uint size, cl_uint largest, int round)
{
    return size ? size : round ? (largest + 1) / 2 - 1 : largest;
}

/* Both shapes of each combination of the device for sub-groups of a size, in one module. */
static void check_combinations(const cl_device_matrix_combination_tessera *all, size_t all_count, unsigned lanes)
{
    enum { MOST = 64 };
    static struct problem problems[MOST];
    static struct kind own[MOST];
    static struct shape sizes[MOST];
    unsigned count = 0;
    struct module m;
    if (!joint_has(lanes))
        return;
    joint_begin(&m, KHRONOS);
    for (size_t i = 0; i < 2 * all_count; i++) {
        const cl_device_matrix_combination_tessera *c = &all[i / 2];
        int round = i % 2;
        if (lanes != (c->n == 8 ? 8 : 16) || (round && !is_long() && i / 2 % 6 != 0))
            continue;
        assert_true(count < MOST);
        own[count] = (struct kind){components[c->a], components[c->b], components[c->c], components[c->d], USUAL};
        sizes[count] = (struct shape){side_of(c->m, c->max_m, round), side_of(c->n, c->max_n, round),
                                      side_of(c->k, c->max_k, round) * infos[components[c->a]].storage / 8};
        struct problem *p = &problems[count];
        *p = (struct problem){
            .kind = &own[count], .g = KHRONOS, .shape = &sizes[count], .lanes = lanes, .scope = SUB_GROUP, .storage = GLOBAL};
        snprintf(p->name, sizeof p->name, "k%u", count++);
        make_problem(p, (uint32_t)i);
        add_product(&m, p);
    }
    run_all(&m, problems, count);
}

static void combinations_of_the_device(void **state)
{
    static cl_device_matrix_combination_tessera all[64];
    size_t bytes;
    (void)state;
    assert_int_equal(clGetDeviceInfo(joint_device.id, CL_DEVICE_MATRIX_COMBINATIONS_TESSERA, sizeof all, all, &bytes), CL_SUCCESS);
    if (!device_has(&joint_device, "cl_tessera_cooperative_matrix")) { /* a GPU whose units are not for sub-groups of 16 */
        assert_int_equal(bytes, 0);
        return;
    }
    check_combinations(all, bytes / sizeof *all, 16);
    check_combinations(all, bytes / sizeof *all, 8);
}

/* ---- every generation ---- */

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

/* ---- products in a loop over K ---- */

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
            loaded[side][i] = joint_load(m, KHRONOS, tile[side], types[side], here, SUB_GROUP);
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
            joint_store(m, KHRONOS, &ct, value, module_at(m, GLOBAL, elements[2], to, module_u64(m, index_of(c, 16 * i, 16 * j))),
                        SUB_GROUP);
        }
    module_end_kernel(m);
}

static void loops(void **state)
{
    static const struct kind looped[] = {{S8, U8, S32, S32, USUAL}, {BFLOAT16, BFLOAT16, F32, F32, USUAL}, {F16, F16, F32, F32, USUAL}};
    (void)state;
    if (is_slow(16))
        skip();
    for (size_t i = 0; i < JOINT_COUNT(looped); i++)
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
            joint_begin(&m, KHRONOS);
            add_loop(&m, &p.a, &p.b, &p.d, p.kind, deep, false);
            add_loop(&m, &p.a, &p.b, &p.d, p.kind, deep, true);
            cl_program program = joint_build(&m);
            for (int variables = 0; variables < 2; variables++) {
                unsigned char *out = malloc(bytes_of(&p.d));
                assert_non_null(out);
                const struct device_arg args[] = {
                    {bytes_of(&p.a), p.a.memory, NULL}, {bytes_of(&p.b), p.b.memory, NULL}, {bytes_of(&p.d), zero.memory, out}};
                size_t items = SUB_GROUPS * 16;
                assert_int_equal(device_run(&joint_device, program, variables ? "variables" : "phis", items, items, args, 3), CL_SUCCESS);
                joint_expect(&p.d, SUB_GROUP, out, "loop");
                free(out);
            }
            struct matrix *all[] = {&p.a, &p.b, &p.c, &p.d, &zero};
            for (size_t k = 0; k < JOINT_COUNT(all); k++)
                free_matrix(all[k]);
            clReleaseProgram(program);
            module_free(&m);
        }
}

/* With an argument only the tests that fit this pattern. */
int main(int count, char **words)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_of_sixteen),        cmocka_unit_test(products_without_a_size),
        cmocka_unit_test(products_of_eight),          cmocka_unit_test(joint_products_of_eight),
        cmocka_unit_test(products_of_the_draft),      cmocka_unit_test(products_of_thirty_two),
        cmocka_unit_test(combinations_of_the_device), cmocka_unit_test(loops),
    };
    if (count > 1)
        cmocka_set_test_filter(words[1]);
    device_open(&joint_device);
    int failures = cmocka_run_group_tests(tests, NULL, NULL);
    device_close(&joint_device);
    return failures;
}
