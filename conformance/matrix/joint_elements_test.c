/* SPDX-License-Identifier: Apache-2.0
 * Elements of cooperative matrices and their coordinates, checked loads and stores, arithmetic and conversions, against plain C. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "conformance/matrix/joint.h"
#include "conformance/matrix/oracle.h"

/* ---- elements ---- */

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
    {S16, B, 65, 16},
    {F32, ACCUMULATOR, 64, 48},
};

/* How the elements are reached: one by one, or by functions that OpCooperativeMatrixApplyFunctionINTEL calls, with element, row, column and
 * a pointer; with row and column first; with a pointer to the element; or with a function object that holds the pointer. */
enum way { ONE_BY_ONE, APPLIED, COORDINATES_FIRST, BY_POINTER, BY_OBJECT, WAYS };

struct element_types {
    uint32_t i32, i64, component, matrix, to_matrix, to_component, i32_pair;
};

static uint32_t add_doubled(struct module *m, const struct matrix *x, const struct element_types *t, uint32_t value)
{
    return module_code(m, infos[x->type].is_float ? 129 : 128, t->component, MODULE_WORDS(value, value));
}

/* counts[row · columns + column] += 1; */
static void add_count(struct module *m, const struct matrix *x, const struct element_types *t, uint32_t counts, uint32_t row,
                      uint32_t column)
{
    uint32_t linear = module_code(m, 132, t->i32, MODULE_WORDS(row, module_u32(m, x->columns)));
    linear = module_code(m, 128, t->i32, MODULE_WORDS(linear, column));
    uint32_t count = module_at(m, GLOBAL, t->i32, counts, module_code(m, 113, t->i64, MODULE_WORDS(linear)));
    uint32_t counted = module_code(m, 61, t->i32, MODULE_WORDS(count));
    module_put(m, MODULE_CODE, 62, MODULE_WORDS(count, module_code(m, 128, t->i32, MODULE_WORDS(counted, module_u32(m, 1)))));
}

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
    module_put(m, MODULE_CODE, 62, MODULE_WORDS(place, add_doubled(m, x, t, old)));
    uint32_t matrix = module_code(m, 61, t->matrix, MODULE_WORDS(variable));
    uint32_t at = module_code(m, 6440, t->i32_pair, MODULE_WORDS(matrix, index));
    uint32_t row = module_code(m, 81, t->i32, MODULE_WORDS(at, 0)), column = module_code(m, 81, t->i32, MODULE_WORDS(at, 1));
    add_count(m, x, t, counts, row, column);
    module_code_as(m, 128, t->i64, next, MODULE_WORDS(index, one));
    module_put(m, MODULE_CODE, 249, MODULE_WORDS(head));
    module_code_as(m, 248, 0, end, MODULE_NONE);
}

/* A struct with a pointer to the counts. Each kernel has one of its own, as the type tells which function belongs to an object. */
static uint32_t object_type(struct module *m, const struct matrix *x, const struct element_types *t)
{
    return module_global(m, 30, 0, MODULE_WORDS(module_pointer(m, GLOBAL, t->i32), module_array(m, t->i32, x->rows * x->columns)));
}

/* A function that counts an element and gives its double. */
static uint32_t add_function(struct module *m, const struct matrix *x, const struct element_types *t, enum way way)
{
    uint32_t result = way == BY_POINTER ? module_global(m, 19, 0, MODULE_NONE) : t->component, counts = module_pointer(m, GLOBAL, t->i32);
    uint32_t object = module_pointer(m, FUNCTION, object_type(m, x, t)), own = way == BY_POINTER ? t->to_component : t->component;
    const uint32_t types[WAYS][5] = {[APPLIED] = {result, own, t->i32, t->i32, counts},
                                     [COORDINATES_FIRST] = {result, t->i32, t->i32, own, counts},
                                     [BY_POINTER] = {result, own, t->i32, t->i32, counts},
                                     [BY_OBJECT] = {result, object, own, t->i32, t->i32}};
    const unsigned element = way == COORDINATES_FIRST ? 2 : way == BY_OBJECT ? 1 : 0, row = way == COORDINATES_FIRST ? 0 : element + 1;
    uint32_t function = module_code(m, 54, result, MODULE_WORDS(0, module_global(m, 33, 0, types[way], 5))), parameters[4];
    for (unsigned i = 0; i < 4; i++)
        parameters[i] = module_code(m, 55, types[way][i + 1], MODULE_NONE);
    module_code(m, 248, 0, MODULE_NONE);
    if (way == BY_OBJECT)
        counts = module_code(
            m, 61, counts,
            MODULE_WORDS(module_code(m, 65, module_pointer(m, FUNCTION, counts), MODULE_WORDS(parameters[0], module_u32(m, 0)))));
    else
        counts = parameters[3];
    add_count(m, x, t, counts, parameters[row], parameters[row + 1]);
    uint32_t value = way == BY_POINTER ? module_code(m, 61, t->component, MODULE_WORDS(parameters[element])) : parameters[element];
    uint32_t doubled = add_doubled(m, x, t, value);
    if (way == BY_POINTER) {
        module_put(m, MODULE_CODE, 62, MODULE_WORDS(parameters[element], doubled));
        module_put(m, MODULE_CODE, 253, MODULE_NONE);
    } else {
        module_put(m, MODULE_CODE, 254, MODULE_WORDS(doubled));
    }
    module_put(m, MODULE_CODE, 56, MODULE_NONE);
    return function;
}

/* The matrix of what the function gives. */
static uint32_t add_application(struct module *m, const struct element_types *t, enum way way, uint32_t function, uint32_t object,
                                uint32_t value, uint32_t counts)
{
    if (way != BY_OBJECT)
        return module_code(m, 6448, t->matrix, MODULE_WORDS(function, value, counts));
    uint32_t member =
        module_code(m, 65, module_pointer(m, FUNCTION, module_pointer(m, GLOBAL, t->i32)), MODULE_WORDS(object, module_u32(m, 0)));
    module_put(m, MODULE_CODE, 62, MODULE_WORDS(member, counts));
    return module_code(m, 6448, t->matrix, MODULE_WORDS(object, value));
}

static void add_elements(struct module *m, const struct matrix *x, unsigned lanes, const char *name, uint32_t scope, enum way way)
{
    struct element_types t = {module_int(m, 32), module_int(m, 64), component_type(m, x->type), matrix_type(m, KHRONOS, x, scope), 0, 0, 0};
    t.to_matrix = module_pointer(m, FUNCTION, t.matrix);
    t.to_component = module_pointer(m, FUNCTION, t.component);
    t.i32_pair = module_global(m, 23, 0, MODULE_WORDS(t.i32, 2));
    uint32_t elements[] = {t.component, t.component, t.i32}, at[3], function = way != ONE_BY_ONE ? add_function(m, x, &t, way) : 0;
    module_kernel(m, name, lanes, elements, at, 3);
    uint32_t variable_type = way == BY_OBJECT ? module_pointer(m, FUNCTION, object_type(m, x, &t)) : t.to_matrix;
    uint32_t variable = module_code(m, 59, variable_type, MODULE_WORDS(FUNCTION)), sub_group = module_sub_group(m);
    uint32_t value = joint_load(m, KHRONOS, x, t.matrix, matrix_place(m, x, GLOBAL, at[0], sub_group), scope);
    uint32_t counts = module_code(m, 132, t.i64, MODULE_WORDS(sub_group, module_u64(m, (uint64_t)x->rows * x->columns)));
    counts = module_at(m, GLOBAL, t.i32, at[2], counts);
    if (way == ONE_BY_ONE) {
        module_put(m, MODULE_CODE, 62, MODULE_WORDS(variable, value));
        add_element_loop(m, x, &t, variable, counts, module_code(m, 4460, t.i64, MODULE_WORDS(t.matrix)));
        value = module_code(m, 61, t.matrix, MODULE_WORDS(variable));
    } else {
        value = add_application(m, &t, way, function, variable, value, counts);
    }
    joint_store(m, KHRONOS, x, value, matrix_place(m, x, GLOBAL, at[1], sub_group), scope);
    module_end_kernel(m);
}

static void run_elements(cl_program program, struct matrix *x, unsigned lanes, const char *name, uint32_t scope, enum way way)
{
    size_t items = SUB_GROUPS * lanes, each = (size_t)x->rows * x->columns, count = SUB_GROUPS * each;
    unsigned char *out = malloc(bytes_of(x)), *before = malloc(bytes_of(x));
    uint32_t *counts = calloc(count, sizeof *counts);
    char what[80];
    assert_true(out && before && counts);
    snprintf(what, sizeof what, "elements of %ux%u, use %d, component %d, sub-group %u, way %d", x->rows, x->columns, x->use, x->type,
             lanes, way);
    memset(before, PATTERN, bytes_of(x));
    const struct device_arg args[] = {{bytes_of(x), x->memory, NULL}, {bytes_of(x), before, out}, {count * sizeof *counts, counts, counts}};
    assert_int_equal(device_run(&joint_device, program, name, items, items, args, 3), CL_SUCCESS);
    for (unsigned s = 0; s < SUB_GROUPS; s++)
        for (size_t i = 0; i < each; i++) {
            x->value[s][i] = as_component(x->type, 2 * x->value[s][i]);
            if (counts[s * each + i] != (scope == WORK_GROUP && s > 0 ? 0 : 1))
                fail_msg("%s: element %zu of sub-group %u is there %u times", what, i, s, counts[s * each + i]);
        }
    joint_expect(x, scope, out, what);
    free(out);
    free(before);
    free(counts);
}

static const unsigned sizes[] = {16, 8, 32};

/* Row, column and element of S32 cannot be told apart: the element is the first of them. */
static enum way way_of_application(size_t number)
{
    enum way way = (enum way)(APPLIED + number % (WAYS - APPLIED));
    return way == COORDINATES_FIRST && element_cases[number].type == S32 ? APPLIED : way;
}

/* Each of the cases from `first` on, in steps, with sub-groups of this size. */
static void check_elements(unsigned lanes, bool apply, size_t first, size_t step)
{
    static const uint32_t scopes[] = {SUB_GROUP, WORK_GROUP};
    struct matrix matrices[JOINT_COUNT(element_cases)];
    struct module m;
    uint32_t seed = 1;
    char name[8];
    if (!joint_has(lanes))
        return;
    joint_begin(&m, KHRONOS);
    for (size_t i = first; i < JOINT_COUNT(element_cases); i += step) {
        const struct elements *e = &element_cases[i];
        if (!joint_has_type(e->type))
            continue;
        make_matrix(&matrices[i], e->type, e->use, (enum layout)(i % 2), e->rows, e->columns);
        fill_matrix(&matrices[i], &seed, random_value);
        snprintf(name, sizeof name, "e%zu", i);
        add_elements(&m, &matrices[i], lanes, name, scopes[i % 5 == 4], apply ? way_of_application(i) : ONE_BY_ONE);
    }
    cl_program program = joint_build(&m);
    for (size_t i = first; i < JOINT_COUNT(element_cases); i += step) {
        if (!joint_has_type(element_cases[i].type))
            continue;
        snprintf(name, sizeof name, "e%zu", i);
        run_elements(program, &matrices[i], lanes, name, scopes[i % 5 == 4], apply ? way_of_application(i) : ONE_BY_ONE);
        free_matrix(&matrices[i]);
    }
    clReleaseProgram(program);
    module_free(&m);
}

static void elements_and_coordinates(void **state)
{
    (void)state;
    for (size_t l = 0; l < JOINT_COUNT(sizes); l++)
        check_elements(sizes[l], false, 0, 1);
}

/* Each case with one size; all with TESSERA_LONG_TESTS=1. */
static void applied_functions(void **state)
{
    bool all = getenv("TESSERA_LONG_TESTS") != NULL;
    (void)state;
    for (size_t l = 0; l < JOINT_COUNT(sizes); l++)
        check_elements(sizes[l], true, all ? 0 : l, all ? 1 : JOINT_COUNT(sizes));
}

/* M f(M matrix) { return matrix + matrix; } */
static uint32_t add_matrix_function(struct module *m, const struct matrix *x, uint32_t type)
{
    uint32_t function = module_code(m, 54, type, MODULE_WORDS(0, module_global(m, 33, 0, MODULE_WORDS(type, type))));
    uint32_t matrix = module_code(m, 55, type, MODULE_NONE);
    module_code(m, 248, 0, MODULE_NONE);
    module_put(m, MODULE_CODE, 254, MODULE_WORDS(module_code(m, infos[x->type].is_float ? 129 : 128, type, MODULE_WORDS(matrix, matrix))));
    module_put(m, MODULE_CODE, 56, MODULE_NONE);
    return function;
}

static void expect_doubled(cl_program program, const struct matrix *x, unsigned lanes, const char *name)
{
    struct matrix doubled;
    unsigned char *out = malloc(bytes_of(x));
    assert_non_null(out);
    make_matrix(&doubled, x->type, x->use, x->layout, x->rows, x->columns);
    const struct device_arg args[] = {{bytes_of(x), x->memory, NULL}, {bytes_of(x), doubled.memory, out}};
    assert_int_equal(device_run(&joint_device, program, name, SUB_GROUPS * lanes, SUB_GROUPS * lanes, args, 2), CL_SUCCESS);
    for (unsigned s = 0; s < SUB_GROUPS; s++)
        for (size_t i = 0; i < (size_t)x->rows * x->columns; i++)
            doubled.value[s][i] = as_component(x->type, 2 * x->value[s][i]);
    joint_expect(&doubled, SUB_GROUP, out, name);
    free_matrix(&doubled);
    free(out);
}

/* Kernels that require different sizes, and one that requires none, call one function; others go through elements; and the size that a
 * kernel without matrices requires is none of theirs. Some work-items have fewer elements than others. */
static void several_sizes(void **state)
{
    static const unsigned required[] = {8, 32, 0}, lanes[] = {8, 32, 8};
    static const char *const names[] = {"s0", "s1", "s2"};
    struct module m;
    struct matrix x, one_by_one, applied_to;
    struct matrix *const all[] = {&x, &one_by_one, &applied_to};
    uint32_t seed = 5;
    (void)state;
    if (!joint_has(8) || !joint_has(32))
        return;
    joint_begin(&m, KHRONOS);
    for (size_t i = 0; i < JOINT_COUNT(all); i++) {
        make_matrix(all[i], S16, ACCUMULATOR, BY_ROWS, 9, 20);
        fill_matrix(all[i], &seed, random_value);
    }
    uint32_t type = matrix_type(&m, KHRONOS, &x, SUB_GROUP), component = component_type(&m, S16), at[2];
    uint32_t function = add_matrix_function(&m, &x, type);
    for (size_t i = 0; i < JOINT_COUNT(required); i++) {
        module_kernel(&m, names[i], required[i], (const uint32_t[]){component, component}, at, 2);
        uint32_t sub_group = module_sub_group(&m);
        uint32_t value = joint_load(&m, KHRONOS, &x, type, matrix_place(&m, &x, GLOBAL, at[0], sub_group), SUB_GROUP);
        value = module_code(&m, 57, type, MODULE_WORDS(function, value));
        joint_store(&m, KHRONOS, &x, value, matrix_place(&m, &x, GLOBAL, at[1], sub_group), SUB_GROUP);
        module_end_kernel(&m);
    }
    add_elements(&m, &one_by_one, 32, "e0", SUB_GROUP, ONE_BY_ONE);
    add_elements(&m, &applied_to, 8, "e1", SUB_GROUP, APPLIED);
    module_kernel(&m, "other", 16, &component, at, 1);
    module_end_kernel(&m);
    cl_program program = joint_build(&m);
    for (size_t i = 0; i < JOINT_COUNT(required); i++)
        expect_doubled(program, &x, lanes[i], names[i]);
    run_elements(program, &one_by_one, 32, "e0", SUB_GROUP, ONE_BY_ONE);
    run_elements(program, &applied_to, 8, "e1", SUB_GROUP, APPLIED);
    for (size_t i = 0; i < JOINT_COUNT(all); i++)
        free_matrix(all[i]);
    clReleaseProgram(program);
    module_free(&m);
}

/* ---- checked loads and stores ---- */

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
    assert_int_equal(device_run(&joint_device, program, name, lanes, lanes, args, 4), CL_SUCCESS);
    if (memcmp(out, wanted, bytes) != 0 || memcmp(made, made_wanted, whole) != 0)
        fail_msg("%s of %ux%u, use %d, layout %d, sub-group %u, at %lld, %lld of %ux%u",
                 memcmp(out, wanted, bytes) ? "transfer" : "construction", x->rows, x->columns, x->use, x->layout, lanes, (long long)w->x,
                 (long long)w->y, w->lines, w->width);
    unsigned char *all[] = {in, before, out, wanted, made_before, made, made_wanted};
    for (size_t i = 0; i < JOINT_COUNT(all); i++)
        free(all[i]);
}

static void checked_transfers(void **state)
{
    enum { MOST = JOINT_COUNT(checked_cases) * 3 };
    (void)state;
    for (size_t l = 0; l < 2; l++) {
        struct matrix matrices[MOST];
        struct module m;
        size_t count = 0;
        char name[8];
        if (!joint_has(sizes[l]))
            continue;
        joint_begin(&m, KHRONOS);
        for (size_t i = 0; i < JOINT_COUNT(checked_cases); i++)
            for (enum layout layout = BY_ROWS; layout <= (checked_cases[i].use == B ? PACKED : BY_COLUMNS); layout++) {
                const struct elements *e = &checked_cases[i];
                make_matrix(&matrices[count], e->type, e->use, layout, e->rows, e->columns);
                snprintf(name, sizeof name, "w%zu", count);
                add_checked(&m, &matrices[count++], sizes[l], name);
            }
        cl_program program = joint_build(&m);
        for (size_t i = 0; i < count; i++) {
            snprintf(name, sizeof name, "w%zu", i);
            for (size_t w = 0; w < JOINT_COUNT(windows); w++)
                check_window(program, &matrices[i], sizes[l], name, &windows[w]);
            free_matrix(&matrices[i]);
        }
        clReleaseProgram(program);
        module_free(&m);
    }
}

/* ---- arithmetic ---- */

/* s32 x: y = float(-x · 3 + x - 5), z = half(y / 2), w = s16(z), and bfloat16(y), each stored; shapes with and without whole vectors. */
static void arithmetic_and_conversions(void **state)
{
    static const struct {
        unsigned rows, columns, lanes;
    } cases[] = {{8, 16, 16}, {9, 20, 8}, {16, 33, 16}};
    (void)state;
    for (size_t i = 0; i < JOINT_COUNT(cases); i++) {
        enum component types[] = {S32, F32, F16, S16, BFLOAT16};
        struct matrix x[JOINT_COUNT(types)];
        struct module m;
        uint32_t seed = 3, element[JOINT_COUNT(types)], type[JOINT_COUNT(types)], at[JOINT_COUNT(types)], value[JOINT_COUNT(types)];
        if (!joint_has(cases[i].lanes))
            continue;
        joint_begin(&m, KHRONOS);
        for (size_t k = 0; k < JOINT_COUNT(types); k++) {
            make_matrix(&x[k], types[k], ACCUMULATOR, (enum layout)(k % 2), cases[i].rows, cases[i].columns);
            element[k] = component_type(&m, types[k]);
            type[k] = matrix_type(&m, KHRONOS, &x[k], SUB_GROUP);
        }
        for (size_t k = 0; k < (size_t)cases[i].rows * cases[i].columns; k++)
            for (unsigned s = 0; s < SUB_GROUPS; s++)
                x[0].value[s][k] = (int64_t)(oracle_random(&seed) >> 3) % 50;
        write_all(&x[0], x[0].memory);
        module_kernel(&m, "k", cases[i].lanes, element, at, JOINT_COUNT(types));
        uint32_t sub_group = module_sub_group(&m), three, five, two;
        three = module_global(&m, 44, type[0], MODULE_WORDS(module_global(&m, 43, element[0], MODULE_WORDS(3))));
        two = module_global(&m, 44, type[1], MODULE_WORDS(module_global(&m, 43, element[1], MODULE_WORDS(0x40000000))));
        five = module_code(&m, 80, type[0], MODULE_WORDS(module_global(&m, 43, element[0], MODULE_WORDS(5))));
        value[0] = joint_load(&m, KHRONOS, &x[0], type[0], matrix_place(&m, &x[0], GLOBAL, at[0], sub_group), SUB_GROUP);
        uint32_t sum = module_code(&m, 132, type[0], MODULE_WORDS(module_code(&m, 126, type[0], MODULE_WORDS(value[0])), three));
        sum = module_code(&m, 130, type[0], MODULE_WORDS(module_code(&m, 128, type[0], MODULE_WORDS(sum, value[0])), five));
        value[1] = module_code(&m, 111, type[1], MODULE_WORDS(sum));
        value[2] = module_code(&m, 115, type[2], MODULE_WORDS(module_code(&m, 136, type[1], MODULE_WORDS(value[1], two))));
        value[3] = module_code(&m, 110, type[3], MODULE_WORDS(value[2]));
        value[4] = module_code(&m, 6116, type[4], MODULE_WORDS(value[1]));
        for (size_t k = 1; k < JOINT_COUNT(types); k++)
            joint_store(&m, KHRONOS, &x[k], value[k], matrix_place(&m, &x[k], GLOBAL, at[k], sub_group), SUB_GROUP);
        module_end_kernel(&m);

        unsigned char *out[JOINT_COUNT(types)];
        struct device_arg args[JOINT_COUNT(types)];
        size_t items = SUB_GROUPS * cases[i].lanes;
        for (size_t k = 0; k < JOINT_COUNT(types); k++) {
            out[k] = malloc(bytes_of(&x[k]));
            assert_non_null(out[k]);
            args[k] = (struct device_arg){bytes_of(&x[k]), x[k].memory, out[k]};
        }
        cl_program program = joint_build(&m);
        assert_int_equal(device_run(&joint_device, program, "k", items, items, args, JOINT_COUNT(types)), CL_SUCCESS);
        for (unsigned s = 0; s < SUB_GROUPS; s++)
            for (size_t k = 0; k < (size_t)cases[i].rows * cases[i].columns; k++) {
                int64_t y = -3 * x[0].value[s][k] + x[0].value[s][k] - 5;
                x[1].value[s][k] = x[4].value[s][k] = y;
                x[3].value[s][k] = y / 2;
            }
        for (size_t k = 1; k < JOINT_COUNT(types); k++) {
            if (types[k] != F16) /* halves are in x[3] as integers */
                joint_expect(&x[k], SUB_GROUP, out[k], "arithmetic");
            free(out[k]);
        }
        free(out[0]);
        for (size_t k = 0; k < JOINT_COUNT(types); k++)
            free_matrix(&x[k]);
        clReleaseProgram(program);
        module_free(&m);
    }
}

/* ---- other places of elements ---- */

/* A matrix that becomes one of other components, by an instruction of SPIR-V, or for another use, by a function that is such an
 * instruction. */
static const struct change {
    enum component from, to;
    enum use from_use, to_use;
    unsigned rows, columns, opcode;
} changes[] = {
    {S8, S16, A, A, 16, 64, 114},
    {S16, S8, A, A, 16, 64, 114},
    {S8, S32, A, A, 7, 23, 114},
    {S8, F32, A, A, 8, 32, 111},
    {F16, F32, A, A, 12, 24, 115},
    {F32, F16, A, A, 16, 32, 115},
    {F64, F32, A, A, 6, 8, 115},
    {S32, S64, A, A, 5, 8, 114},
    {S64, S8, A, A, 9, 40, 114},
    {F32, BFLOAT16, A, A, 8, 16, 6116},
    {BFLOAT16, F32, A, A, 3, 48, 6117},
    {F16, S8, A, A, 10, 36, 110},
    {S16, S64, B, B, 40, 9, 114},
    {F32, F16, ACCUMULATOR, A, 16, 32, 115},
    {S32, S8, ACCUMULATOR, A, 16, 64, 114},
    {S8, S32, A, ACCUMULATOR, 7, 23, 114},
    {S16, S16, A, B, 16, 32, 124},
    {F32, F32, B, A, 9, 20, 124},
    {S32, S32, A, ACCUMULATOR, 8, 8, 124},
    {F32, F64, ACCUMULATOR, B, 33, 5, 115},
};

/* T f(element) { return the instruction on the element; } */
static uint32_t add_conversion(struct module *m, const struct change *c)
{
    uint32_t from = component_type(m, c->from), to = component_type(m, c->to);
    uint32_t function = module_code(m, 54, to, MODULE_WORDS(0, module_global(m, 33, 0, MODULE_WORDS(to, from))));
    uint32_t element = module_code(m, 55, from, MODULE_NONE);
    module_code(m, 248, 0, MODULE_NONE);
    module_put(m, MODULE_CODE, 254, MODULE_WORDS(c->opcode == 124 ? element : module_code(m, c->opcode, to, MODULE_WORDS(element))));
    module_put(m, MODULE_CODE, 56, MODULE_NONE);
    return function;
}

static void add_change(struct module *m, const struct change *c, const struct matrix *from, const struct matrix *to, unsigned lanes,
                       const char *name)
{
    bool by_function = c->from_use != c->to_use;
    uint32_t from_type = matrix_type(m, KHRONOS, from, SUB_GROUP), to_type = matrix_type(m, KHRONOS, to, SUB_GROUP), at[2];
    uint32_t elements[] = {component_type(m, c->from), component_type(m, c->to)}, function = by_function ? add_conversion(m, c) : 0;
    module_kernel(m, name, lanes, elements, at, 2);
    uint32_t sub_group = module_sub_group(m);
    uint32_t value = joint_load(m, KHRONOS, from, from_type, matrix_place(m, from, GLOBAL, at[0], sub_group), SUB_GROUP);
    value = by_function ? module_code(m, 6448, to_type, MODULE_WORDS(function, value))
                        : module_code(m, c->opcode, to_type, MODULE_WORDS(value));
    joint_store(m, KHRONOS, to, value, matrix_place(m, to, GLOBAL, at[1], sub_group), SUB_GROUP);
    module_end_kernel(m);
}

static void run_change(cl_program program, const struct matrix *from, struct matrix *to, unsigned lanes, const char *name)
{
    size_t items = SUB_GROUPS * lanes;
    unsigned char *out = malloc(bytes_of(to));
    char what[100];
    assert_non_null(out);
    snprintf(what, sizeof what, "%s, sub-group %u: %ux%u of use %d and component %d to use %d and component %d", name, lanes, from->rows,
             from->columns, from->use, from->type, to->use, to->type);
    const struct device_arg args[] = {{bytes_of(from), from->memory, NULL}, {bytes_of(to), to->memory, out}};
    assert_int_equal(device_run(&joint_device, program, name, items, items, args, 2), CL_SUCCESS);
    for (unsigned s = 0; s < SUB_GROUPS; s++)
        for (size_t i = 0; i < (size_t)from->rows * from->columns; i++)
            to->value[s][i] = as_component(to->type, from->value[s][i]);
    joint_expect(to, SUB_GROUP, out, what);
    free(out);
}

/* Each change with one size; all with TESSERA_LONG_TESTS=1. */
static void other_components_and_uses(void **state)
{
    const size_t step = getenv("TESSERA_LONG_TESTS") ? 1 : JOINT_COUNT(sizes);
    (void)state;
    for (size_t l = 0; l < JOINT_COUNT(sizes); l++) {
        struct matrix from[JOINT_COUNT(changes)], to[JOINT_COUNT(changes)];
        struct module m;
        uint32_t seed = 7;
        char name[8];
        if (!joint_has(sizes[l]))
            continue;
        joint_begin(&m, KHRONOS);
        for (size_t i = l % step; i < JOINT_COUNT(changes); i += step) {
            const struct change *c = &changes[i];
            if (!joint_has_type(c->from) || !joint_has_type(c->to))
                continue;
            make_matrix(&from[i], c->from, c->from_use, (enum layout)(i % 2), c->rows, c->columns);
            fill_matrix(&from[i], &seed, random_value);
            make_matrix(&to[i], c->to, c->to_use, (enum layout)(i / 2 % 2), c->rows, c->columns);
            snprintf(name, sizeof name, "c%zu", i);
            add_change(&m, c, &from[i], &to[i], sizes[l], name);
        }
        cl_program program = joint_build(&m);
        for (size_t i = l % step; i < JOINT_COUNT(changes); i += step) {
            if (!joint_has_type(changes[i].from) || !joint_has_type(changes[i].to))
                continue;
            snprintf(name, sizeof name, "c%zu", i);
            run_change(program, &from[i], &to[i], sizes[l], name);
            free_matrix(&from[i]);
            free_matrix(&to[i]);
        }
        clReleaseProgram(program);
        module_free(&m);
    }
}

/* With an argument only the tests that fit this pattern. */
int main(int count, char **words)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elements_and_coordinates),
        cmocka_unit_test(applied_functions),
        cmocka_unit_test(several_sizes),
        cmocka_unit_test(checked_transfers),
        cmocka_unit_test(arithmetic_and_conversions),
        cmocka_unit_test(other_components_and_uses),
    };
    if (count > 1)
        cmocka_set_test_filter(words[1]);
    device_open(&joint_device);
    int failures = cmocka_run_group_tests(tests, NULL, NULL);
    device_close(&joint_device);
    return failures;
}
