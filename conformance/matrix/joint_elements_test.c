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
    uint32_t value = joint_load(m, KHRONOS, x, t.matrix, matrix_place(m, x, GLOBAL, at[0], sub_group), scope);
    module_put(m, MODULE_CODE, 62, MODULE_WORDS(variable, value));
    uint32_t length = module_code(m, 4460, t.i64, MODULE_WORDS(t.matrix));
    uint32_t counts = module_code(m, 132, t.i64, MODULE_WORDS(sub_group, module_u64(m, (uint64_t)x->rows * x->columns)));
    counts = module_at(m, GLOBAL, t.i32, at[2], counts);
    add_element_loop(m, x, &t, variable, counts, length);
    value = module_code(m, 61, t.matrix, MODULE_WORDS(variable));
    joint_store(m, KHRONOS, x, value, matrix_place(m, x, GLOBAL, at[1], sub_group), scope);
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

static void elements_and_coordinates(void **state)
{
    static const unsigned sizes[] = {16, 8, 32};
    static const uint32_t scopes[] = {SUB_GROUP, WORK_GROUP};
    (void)state;
    for (size_t l = 0; l < JOINT_COUNT(sizes); l++) {
        struct matrix matrices[JOINT_COUNT(element_cases)];
        struct module m;
        uint32_t seed = 1;
        char name[8];
        joint_begin(&m, KHRONOS);
        for (size_t i = 0; i < JOINT_COUNT(element_cases); i++) {
            const struct elements *e = &element_cases[i];
            make_matrix(&matrices[i], e->type, e->use, (enum layout)(i % 2), e->rows, e->columns);
            fill_matrix(&matrices[i], &seed, random_value);
            snprintf(name, sizeof name, "e%zu", i);
            add_elements(&m, &matrices[i], sizes[l], name, scopes[i % 5 == 4]);
        }
        cl_program program = joint_build(&m);
        for (size_t i = 0; i < JOINT_COUNT(element_cases); i++) {
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
    static const unsigned sizes[] = {16, 8};
    (void)state;
    for (size_t l = 0; l < JOINT_COUNT(sizes); l++) {
        struct matrix matrices[MOST];
        struct module m;
        size_t count = 0;
        char name[8];
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

/* ---- arithmetic
 * ------------------------------------------------------------------------------------------------------------------------------ */

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

/* With an argument only the tests that fit this pattern. */
int main(int count, char **words)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elements_and_coordinates),
        cmocka_unit_test(checked_transfers),
        cmocka_unit_test(arithmetic_and_conversions),
    };
    if (count > 1)
        cmocka_set_test_filter(words[1]);
    device_open(&joint_device);
    int failures = cmocka_run_group_tests(tests, NULL, NULL);
    device_close(&joint_device);
    return failures;
}
