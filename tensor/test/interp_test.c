/* SPDX-License-Identifier: Apache-2.0
 * The interpreter alone: values that are known, groups with their offset and sizes, and what it reports of programs that do what is
 * undefined. */
#include "tessera/tensor.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static const uint64_t one_group[] = {1, 1, 1};

static struct tsr_tensor_program *parse(const char *text)
{
    struct tsr_tensor_program *p = tsr_tensor_parse(text, strlen(text), "test", &tsr_tensor_cpu_target);
    assert_non_null(p);
    assert_null(tsr_tensor_diagnostics(p));
    return p;
}

static void run(const char *text, const void *const *arguments, const uint64_t groups[3])
{
    struct tsr_tensor_program *p = parse(text);
    const char *why;
    assert_int_equal(tsr_tensor_interpret(p, 0, arguments, groups, &why), TSR_OK);
    tsr_tensor_free(p);
}

static void loops_carry_values(void **state)
{
    (void)state;
    static const char text[] =
        "func @f(%out: memref<i64x2>) { %from = constant 2 : i32 %to = constant 6 : i32 %f0 = constant 0 : i64 %f1 = constant 1 : i64\n"
        "%fn_1, %fn = for %n:i32=%from,%to init(%fn_2=%f0,%fn_1=%f1) -> (i64,i64) { %fn = arith.add %fn_2, %fn_1 : i64 "
        "yield (%fn_1, %fn) } store %fn_1, %out[0] store %fn, %out[1] }";
    int64_t out[2] = {0}, *pointer = out;
    const void *arguments[] = {&pointer};
    run(text, arguments, one_group);
    assert_int_equal(out[0], 3);
    assert_int_equal(out[1], 5);
}

/* Each work-group adds up the matrix that it gets of the group: rows are static, columns and the distance between them are those of the
 * matrix. */
static void groups_have_sizes_of_their_own(void **state)
{
    (void)state;
    static const char text[] = "func @f(%g: group<memref<i32x2x?,strided<1,?>>x?,offset:?>, %out: memref<i32x?>) {\n"
                               "%id = builtin.group_id : index %m = load %g[%id] : memref<i32x2x?,strided<1,?>>\n"
                               "%one = constant 1 : i32 %zero = constant 0 : i32 %t = alloca : memref<i32x2,local>\n"
                               "sum.n %one, %m, %zero, %t  %o = subview %out[%id] : memref<i32>  sum.n %one, %t, %zero, %o }";
    int32_t first[] = {99, 1, 2, 3, 4, 5, 6}, second[] = {99, 10, 20, 99, 30, 40}, out[2] = {0};
    int32_t *matrices[] = {first, second}, **group = matrices, *result = out;
    int64_t columns[] = {3, 2}, strides[] = {2, 3}, count = 2, offset = 1, *column = columns, *stride = strides;
    const void *arguments[] = {&group, &column, &stride, &count, &offset, &result, &count};
    run(text, arguments, (const uint64_t[]){1, 1, 2});
    assert_int_equal(out[0], 21);
    assert_int_equal(out[1], 100);
}

/* As in the example of that release's manual: of 4 x 15 elements work-item 5 has (1, 1), (1, 5), (1, 9) and (1, 13), and 15 no last one. */
static void components_are_laid_out_as_by_release_0_4(void **state)
{
    (void)state;
    enum { ROWS = 4, COLS = 15, LANES = 16 };
    static const char text[] =
        "func @f(%A: memref<i32x4x15>, %E: memref<i32x16x4>) attributes{subgroup_size=16,work_group_size=[16,1]} {\n"
        "parallel { %z = constant 0 : index %l = subgroup_local_id : i32 %i = cast %l : index\n"
        "%a = cooperative_matrix_load %A[%z,%z] : coopmatrix<i32x4x15,matrix_acc>\n"
        "%0 = cooperative_matrix_extract %a[0] : i32 store %0, %E[%i,0] %1 = cooperative_matrix_extract %a[1] : i32 store %1, %E[%i,1]\n"
        "%2 = cooperative_matrix_extract %a[2] : i32 store %2, %E[%i,2] %3 = cooperative_matrix_extract %a[3] : i32 store %3, %E[%i,3]\n"
        "%b = cooperative_matrix_insert %l, %a[3] : coopmatrix<i32x4x15,matrix_acc> cooperative_matrix_store %b, %A[%z,%z] } }";
    int32_t a[ROWS * COLS], e[LANES * ROWS], *pa = a, *pe = e;
    const void *arguments[] = {&pa, &pe};
    for (int i = 0; i < ROWS * COLS; i++)
        a[i] = 100 * (i % ROWS) + i / ROWS;
    run(text, arguments, one_group);
    for (int p = 0; p < LANES; p++)
        for (int v = 0; v < 4; v++)
            assert_int_equal(e[p + v * LANES], v == 3 && p >= 12 ? 0 : 100 * (p % 4) + p / 4 + 4 * v);
    for (int i = 0; i < ROWS * COLS; i++)
        assert_int_equal(a[i], i / ROWS < 12 ? 100 * (i % ROWS) + i / ROWS : i % ROWS + 4 * (i / ROWS - 12));
}

/* Of 5 x 4 elements columns lie 8 work-items apart; of a matrix A of f16 pairs of columns do. */
static void rows_are_padded_to_a_power_of_two(void **state)
{
    (void)state;
    enum { ROWS = 5, COLS = 4, LANES = 16 };
    static const char text[] =
        "func @f(%A: memref<i16x5x4>, %E: memref<i16x16x2>, %P: memref<i16x16x2>) attributes{subgroup_size=16,work_group_size=[16,1]} {\n"
        "parallel { %z = constant 0 : index %l = subgroup_local_id : i32 %i = cast %l : index %n = cast %l : i16\n"
        "%a = cooperative_matrix_load %A[%z,%z] : coopmatrix<i16x5x4,matrix_acc>\n"
        "%0 = cooperative_matrix_extract %a[0] : i16 store %0, %E[%i,0] %1 = cooperative_matrix_extract %a[1] : i16 store %1, %E[%i,1]\n"
        "%p = cooperative_matrix_load %A[%z,%z] : coopmatrix<i16x5x4,matrix_a>\n"
        "%2 = cooperative_matrix_extract %p[0] : i16 store %2, %P[%i,0] %3 = cooperative_matrix_extract %p[1] : i16 store %3, %P[%i,1]\n"
        "%b = cooperative_matrix_insert %n, %a[1] : coopmatrix<i16x5x4,matrix_acc> cooperative_matrix_store %b, %A[%z,%z] } }";
    int16_t a[ROWS * COLS], e[LANES * 2], pairs[LANES * 2], *pa = a, *pe = e, *pp = pairs;
    const void *arguments[] = {&pa, &pe, &pp};
    for (int i = 0; i < ROWS * COLS; i++)
        a[i] = (int16_t)(100 * (i % ROWS) + i / ROWS + 1);
    run(text, arguments, one_group);
    for (int lane = 0; lane < LANES; lane++) {
        int row = lane % 8, side = lane / 8;
        for (int v = 0; v < 2; v++) {
            assert_int_equal(e[lane + v * LANES], row < ROWS ? 100 * row + side + 2 * v + 1 : 0);
            assert_int_equal(pairs[lane + v * LANES], row < ROWS ? 100 * row + 2 * side + v + 1 : 0);
        }
    }
    for (int i = 0; i < ROWS * COLS; i++)
        assert_int_equal(a[i], i / ROWS < 2 ? 100 * (i % ROWS) + i / ROWS + 1 : i % ROWS + 8 * (i / ROWS - 2));
}

static void numbers_wrap_and_are_rounded_once(void **state)
{
    (void)state;
    static const char text[] = "func @f(%i: memref<i8x3>, %b: memref<bf16x2>, %d: f64) {\n"
                               "%x = constant 127 : i8 %y = constant 1 : i8 %z = arith.add %x, %y : i8 store %z, %i[0]\n"
                               "%m = constant -128 : i8 %n = arith.abs %m : i8 store %n, %i[1] %s = arith.shr %m, %y : i8 store %s, %i[2]\n"
                               "%c = cast %d : bf16 store %c, %b[0] %e = cast %d : f32 %g = cast %e : bf16 store %g, %b[1] }";
    int8_t ints[3] = {0}, *i = ints;
    uint16_t bits[2] = {0}, *b = bits;
    double d = 1 + 0x1p-8 + 0x1p-40; /* by way of f32 it would be half way, and go down */
    const void *arguments[] = {&i, &b, &d};
    run(text, arguments, one_group);
    assert_int_equal(ints[0], -128);
    assert_int_equal(ints[1], -128);
    assert_int_equal(ints[2], -64);
    assert_int_equal(bits[0], 0x3f81);
    assert_int_equal(bits[1], 0x3f80);
}

/* Also where the next number would be beyond the type. */
static void loops_end_at_their_bound(void **state)
{
    (void)state;
    static const char text[] =
        "func @f(%y: memref<i32x2>) {\n"
        "%a = constant 120 : i8 %b = constant 127 : i8 %s = constant 50 : i8 %0 = constant 0 : i32 %1 = constant 1 : i32\n"
        "%n = for %i:i8=%a,%b,%s init(%c=%0) -> (i32) { %d = arith.add %c, %1 : i32 yield (%d) } store %n, %y[0]\n"
        "%p = constant -3 : index %q = constant 9223372036854775807 : index %t = constant 9223372036854775806 : index\n"
        "%m = for %i=%p,%q,%t init(%c=%0) -> (i32) { %d = arith.add %c, %1 : i32 yield (%d) } store %m, %y[1] }";
    int32_t out[2] = {0}, *pointer = out;
    const void *arguments[] = {&pointer};
    run(text, arguments, one_group);
    assert_int_equal(out[0], 1);
    assert_int_equal(out[1], 2);
}

static void any_byte_but_zero_is_true(void **state)
{
    (void)state;
    static const char text[] = "func @f(%t: bool, %out: memref<i32>) { %y = constant true : bool %e = arith.xor %t, %y : bool\n"
                               "%r = if %e -> (i32) { %a = constant 1 : i32 yield (%a) } else { %b = constant 2 : i32 yield (%b) }\n"
                               "store %r, %out[] }";
    int32_t out, *pointer = &out;
    for (int8_t truth = -1; truth <= 2; truth++) {
        const void *arguments[] = {&truth, &pointer};
        run(text, arguments, one_group);
        assert_int_equal(out, truth ? 2 : 1);
    }
}

static void what_is_undefined_is_reported(void **state)
{
    (void)state;
    static const char *const texts[][2] = {
        {"func @f(%a: memref<f32x4>) { %0 = load %a[4] : f32 }", "index is outside"},
        {"func @f(%a: memref<f32x4>) { %i = constant -1 : index %0 = load %a[%i] : f32 }", "index is outside"},
        {"func @f(%a: memref<f32x4>) { %i = constant 3 : index %0 = subview %a[%i:2] : memref<f32x2> }", "subview is outside"},
        {"func @f(%a: memref<f32x4>) { %i = constant 3 : index %0 = expand %a[0 -> %i x 2] : memref<f32x?x2> }",
         "not the size of the mode"},
        {"func @f(%a: memref<f32x4>) { %i = constant 0 : index %j = constant 1 : index for %k=%i,%j,%i { } }", "not positive"},
        {"func @f(%a: memref<f32x4>) { parallel { %i = constant 16 : i32 %x = constant 1 : i32 %0 = subgroup_broadcast %x, %i : i32 } }",
         "does not have"},
    };
    float memory[4] = {0}, *pointer = memory;
    const void *arguments[] = {&pointer};
    for (size_t i = 0; i < TSR_ARRAY_LEN(texts); i++) {
        struct tsr_tensor_program *p = parse(texts[i][0]);
        const char *why = NULL;
        assert_int_equal(tsr_tensor_interpret(p, 0, arguments, one_group, &why), TSR_INVALID);
        assert_non_null(strstr(why, texts[i][1]));
        tsr_tensor_free(p);
    }
}

static void each_allocation_may_fail(void **state)
{
    (void)state;
    struct tsr_tensor_program *p =
        parse("func @f(%a: memref<f32x4>) { %b = alloca : memref<f32x64x64> %0 = constant 0.0 : f32 axpby.n %0, %a, %0, %a }");
    float memory[4] = {0}, *pointer = memory;
    const void *arguments[] = {&pointer};
    enum tsr_status status = TSR_NO_MEMORY;
    const char *why;
    for (int n = 1; status == TSR_NO_MEMORY; n++) {
        tsr_fail_alloc(n);
        status = tsr_tensor_interpret(p, 0, arguments, one_group, &why);
        tsr_fail_alloc(0);
        assert_true(n < 100);
    }
    assert_int_equal(status, TSR_OK);
    tsr_tensor_free(p);
}

/* Tiles of 16 x 2 of 20 x 3, whose components become others by their place in the tile; sums of rows and columns of all; and an update that
 * all work-items get the result of. */
static void tiles_are_cut_off_and_reduced(void **state)
{
    (void)state;
    enum { ROWS = 20, COLS = 3 };
    static const char text[] =
        "$row = coopmatrix<i32x20x1,matrix_acc>\n"
        "func @f(%A: memref<i32x20x3>, %R: memref<i32x20x1>, %C: memref<i32x1x3>, %S: memref<i32x2x2>, %M: memref<i32x3>) {\n"
        "%z = constant 0 : index %m = size %A[0] : index %n = size %A[1] : index %c16 = constant 16 : index %c2 = constant 2 : index\n"
        "foreach_tile (%x,%y)=(%z,%z),(%m,%n) as (%p,%q)<=(16,2) {\n"
        "%a = cooperative_matrix_load.both_checked %A[%x,%y] : coopmatrix<i32x16x2,matrix_acc>\n"
        "%b = cooperative_matrix_apply (%i,%j,%v)=%a -> coopmatrix<i32x16x2,matrix_acc> {\n"
        "%c100 = constant 100 : i32 %h = mul %i, %c100 : i32 %w = add %v, %h : i32 %r = add %w, %j : i32 yield (%r) }\n"
        "cooperative_matrix_store.both_checked %b, %A[%x,%y]\n"
        "%k = div %x, %c16 : index %l = div %y, %c2 : index %rows = cast %p : i32 %cols = cast %q : i32\n"
        "store %rows, %S[%k,0] store %cols, %S[%l,1] }\n"
        "parallel { %a = cooperative_matrix_load %A[%z,%z] : coopmatrix<i32x20x3,matrix_acc>\n"
        "%b = cooperative_matrix_reduce_add.row %a : $row cooperative_matrix_store %b, %R[%z,%z]\n"
        "%c = cooperative_matrix_reduce_max.column %a : coopmatrix<i32x1x3,matrix_acc> cooperative_matrix_store %c, %C[%z,%z] }\n"
        "%five = constant 5 : i32 %old = atomic_max %five, %M[0] : i32 atomic_store %old, %M[1]\n"
        "%new = atomic_load %M[0] : i32 store %new, %M[2] }";
    int32_t a[ROWS * COLS], r[ROWS] = {0}, c[COLS] = {0}, s[4] = {0}, m[3] = {3, 0, 0};
    int32_t *pa = a, *pr = r, *pc = c, *ps = s, *pm = m;
    const void *arguments[] = {&pa, &pr, &pc, &ps, &pm};
    for (int i = 0; i < ROWS * COLS; i++)
        a[i] = i % ROWS;
    run(text, arguments, one_group);
    for (int i = 0; i < ROWS; i++) { /* columns 0, 1 and 0 of their tiles */
        assert_int_equal(a[i], i + i % 16 * 100);
        assert_int_equal(a[i + ROWS], i + i % 16 * 100 + 1);
        assert_int_equal(r[i], 3 * (i + i % 16 * 100) + 1);
    }
    assert_int_equal(c[0], 1515);
    assert_int_equal(c[1], 1516);
    assert_int_equal(s[0], 16);
    assert_int_equal(s[1], 4);
    assert_int_equal(s[2], 2);
    assert_int_equal(s[3], 1);
    assert_int_equal(m[0], 5);
    assert_int_equal(m[1], 3);
    assert_int_equal(m[2], 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loops_carry_values),
        cmocka_unit_test(groups_have_sizes_of_their_own),
        cmocka_unit_test(numbers_wrap_and_are_rounded_once),
        cmocka_unit_test(loops_end_at_their_bound),
        cmocka_unit_test(tiles_are_cut_off_and_reduced),
        cmocka_unit_test(components_are_laid_out_as_by_release_0_4),
        cmocka_unit_test(rows_are_padded_to_a_power_of_two),
        cmocka_unit_test(any_byte_but_zero_is_true),
        cmocka_unit_test(what_is_undefined_is_reported),
        cmocka_unit_test(each_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
