/* SPDX-License-Identifier: Apache-2.0
 * The reference of the matrix functions (base/matrix.c), which shares its arithmetic with the built-in library, against the oracle:
 * every overload, data of every kind, every number of work-items in a team. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "conformance/matrix/oracle.h"
#include "tessera/matrix.h"

/* Arguments and results of one team, lane after lane. */
struct team {
    unsigned char a[16 * ORACLE_ARGUMENT], b[16 * ORACLE_ARGUMENT], c[16 * ORACLE_ARGUMENT], d[16 * ORACLE_ARGUMENT];
};

static const struct tsr_matrix_builtin *builtin_of(const struct oracle_function *o)
{
    for (size_t i = 0; i < tsr_matrix_builtin_count; i++) {
        const struct tsr_matrix_builtin *f = &tsr_matrix_builtins[i];
        if (!strcmp(f->name, o->name) && !strcmp(f->a, o->a) && !strcmp(f->b, o->b) && !strcmp(f->c, o->c))
            return f;
    }
    return NULL;
}

static void run(const struct oracle_function *o, enum oracle_data data, uint32_t seed, unsigned present)
{
    const struct tsr_matrix_builtin *f = builtin_of(o);
    struct oracle_case t;
    struct team team;

    oracle_fill(&t, o, data, seed);
    for (unsigned lane = 0; lane < present; lane++)
        oracle_pack(&t, lane, team.a + lane * f->a_size, team.b + lane * f->b_size, team.c + lane * f->c_size);
    tsr_matrix_reference(f, present, team.a, team.b, team.c, team.d);
    for (unsigned lane = 0; lane < present; lane++)
        assert_true(oracle_check(&t, present, lane, team.d + lane * f->c_size));
}

static void table_is_complete(void **state)
{
    (void)state;
    unsigned forms[4] = {0};
    char one[TSR_MATRIX_TEXT], other[TSR_MATRIX_TEXT];

    for (size_t i = 0; i < tsr_matrix_builtin_count; i++) {
        const struct tsr_matrix_builtin *f = &tsr_matrix_builtins[i];
        forms[f->form]++;
        tsr_matrix_mangle(f, one);
        assert_ptr_equal(tsr_matrix_find(one), f);
        for (size_t j = 0; j < i; j++) {
            tsr_matrix_mangle(&tsr_matrix_builtins[j], other);
            assert_string_not_equal(one, other);
        }
    }
    assert_int_equal(forms[TSR_MATRIX_N8], 40);
    assert_int_equal(forms[TSR_MATRIX_N16], 48);
    assert_int_equal(forms[TSR_MATRIX_TF32], 4);
    assert_int_equal(forms[TSR_MATRIX_SPLIT], 18);
}

static void table_agrees_with_prototypes(void **state)
{
    (void)state;
    for (size_t i = 0; i < oracle_function_count(); i++) {
        const struct oracle_function *o = &oracle_functions[i];
        const struct tsr_matrix_builtin *f = builtin_of(o);
        assert_non_null(f);
        assert_int_equal(f->n, o->n);
        assert_int_equal(f->m, o->m);
        assert_int_equal(f->k, o->k);
        assert_int_equal(f->a_size, o->a_size);
        assert_int_equal(f->c_size, o->c_size);
        assert_int_equal(f->form == TSR_MATRIX_SPLIT, o->split);
    }
}

static void names_that_are_none(void **state)
{
    (void)state;
    static const char *const names[] = {"",
                                        "_Z",
                                        "intel_sub_group_i8_i8_matrix_mad_k32",
                                        "_Z36intel_sub_group_i8_i8_matrix_mad_k32",
                                        "_Z36intel_sub_group_i8_i8_matrix_mad_k32iDv8_i",
                                        "_Z36intel_sub_group_i8_i8_matrix_mad_k32iDv8_iii",
                                        "_Z36intel_sub_group_i8_i8_matrix_mad_k32Dv3_iDv8_iS_",
                                        "_Z37intel_sub_group_i8_i8_matrix_mad_k32iDv8_ii",
                                        "_Z99999999999999999999intel_sub_group_i8_i8_matrix_mad_k32iDv8_ii",
                                        "_Z-1intel_sub_group_i8_i8_matrix_mad_k32iDv8_ii",
                                        "_Z19get_sub_group_size"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        assert_null(tsr_matrix_find(names[i]));
}

static void signature(void **state)
{
    (void)state;
    char text[TSR_MATRIX_TEXT];
    tsr_matrix_signature(tsr_matrix_find("_Z42intel_sub_group_i8_i8_split_matrix_mad_k32Dv4_iDv8_iS0_"), text);
    assert_string_equal(text, "intel_sub_group_i8_i8_split_matrix_mad_k32(int4, int8, int8)");
}

static void every_element_has_its_place(void **state)
{
    (void)state;
    for (size_t i = 0; i < oracle_function_count(); i++) {
        const struct oracle_function *o = &oracle_functions[i];
        for (uint32_t seed = 0; seed < o->m * o->k; seed++)
            run(o, ORACLE_ONE_HOT, seed, o->team);
    }
}

static void values(void **state)
{
    (void)state;
    for (size_t i = 0; i < oracle_function_count(); i++)
        for (unsigned data = 0; data < ORACLE_DATA_KINDS; data++)
            for (uint32_t seed = 0; seed < 8; seed++)
                run(&oracle_functions[i], data, seed, oracle_functions[i].team);
}

static void absent_work_items(void **state)
{
    (void)state;
    for (size_t i = 0; i < oracle_function_count(); i++)
        for (unsigned data = 0; data < ORACLE_DATA_KINDS; data++)
            for (unsigned present = 1; present < oracle_functions[i].team; present++)
                run(&oracle_functions[i], data, present, present);
}

/* Every half and bfloat16 survives the way to float and back; halfway between halves, the even one is taken. */
static void conversions(void **state)
{
    (void)state;
    for (uint32_t bits = 0; bits < 0x10000; bits++) {
        if ((bits & 0x7fff) <= 0x7c00)
            assert_int_equal(tsr_f16_of_float(tsr_float_of_f16(bits)), bits);
        else
            assert_true(tsr_f16_of_float(tsr_float_of_f16(bits)) == (bits | 0x200));
        if ((bits & 0x7fff) <= 0x7f80)
            assert_int_equal(tsr_bf16_of_float(tsr_float_of_bf16(bits)), bits);
        else
            assert_int_equal(tsr_bf16_of_float(tsr_float_of_bf16(bits)), bits | 0x40);
    }
    for (uint32_t bits = 0; bits < 0x7bff; bits++) { /* halfway between neighbours, and a hair to either side */
        float middle = (tsr_float_of_f16(bits) + tsr_float_of_f16(bits + 1)) / 2;
        uint32_t m = tsr_bits_of_float(middle);
        assert_int_equal(tsr_f16_of_float(middle), bits + (bits & 1));
        assert_int_equal(tsr_f16_of_float(tsr_float_of_bits(m - 1)), bits);
        assert_int_equal(tsr_f16_of_float(tsr_float_of_bits(m + 1)), bits + 1);
        assert_int_equal(tsr_f16_of_float(-tsr_float_of_bits(m + 1)), 0x8000 | (bits + 1));
    }
    assert_int_equal(tsr_f16_of_float(65519.996f), 0x7bff);
    assert_int_equal(tsr_f16_of_float(65520.0f), 0x7c00);
    assert_int_equal(tsr_f16_of_float(-0x1p127f), 0xfc00);
    assert_int_equal(tsr_bf16_of_float(tsr_float_of_bits(0x7f7f7fff)), 0x7f7f);
    assert_int_equal(tsr_bf16_of_float(tsr_float_of_bits(0x7f7f8000)), 0x7f80);
    assert_int_equal(tsr_bits_of_float(tsr_tf32_of_float(tsr_float_of_bits(0x3f801000))), 0x3f800000);
    assert_int_equal(tsr_bits_of_float(tsr_tf32_of_float(tsr_float_of_bits(0x3f803000))), 0x3f804000);
    assert_int_equal(tsr_bits_of_float(tsr_tf32_of_float(tsr_float_of_bits(0xff7fffff))), 0xff800000);
    assert_int_equal(tsr_bits_of_float(tsr_tf32_of_float(tsr_float_of_bits(0x7f800001))), 0x7fc00000);
    assert_int_equal(tsr_bits_of_float(tsr_tf32_operand(0x7f800001)), 0x7fc00000);
    assert_int_equal(tsr_bits_of_float(tsr_tf32_operand(0x3f803fff)), 0x3f802000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(table_is_complete),           cmocka_unit_test(table_agrees_with_prototypes),
        cmocka_unit_test(names_that_are_none),         cmocka_unit_test(signature),
        cmocka_unit_test(every_element_has_its_place), cmocka_unit_test(values),
        cmocka_unit_test(absent_work_items),           cmocka_unit_test(conversions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
