/* SPDX-License-Identifier: Apache-2.0
 * Code of devices whose driver compiles SPIR-V: what is written is read back, and every damaged form is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "tessera/il_code.h"

static const unsigned char words[] = {3, 2, 35, 7, 0, 4, 1, 0}, native[] = {1, 2, 3};
static const uint64_t value = 0x1122334455667788;

static struct tsr_buf written(bool whole)
{
    struct tsr_spirv_constant constants[] = {{7, 8, &value}, {9, 1, &value}};
    struct tsr_il_code code = {.spirv = words, .spirv_size = sizeof words, .unoptimised = whole};
    if (whole) {
        code.constants = constants;
        code.constant_count = 2;
        code.native_key = "driver 1";
        code.native = native;
        code.native_size = sizeof native;
    }
    struct tsr_buf buf = {0};
    tsr_il_code_write(&code, &buf);
    assert_false(buf.failed);
    return buf;
}

static void what_is_written_is_read(void **state)
{
    (void)state;
    for (int whole = 0; whole < 2; whole++) {
        struct tsr_buf buf = written(whole);
        struct tsr_arena arena = {0};
        struct tsr_il_code code;
        assert_int_equal(tsr_il_code_read(buf.data, buf.size, &arena, &code), TSR_OK);
        assert_int_equal(code.spirv_size, sizeof words);
        assert_memory_equal(code.spirv, words, sizeof words);
        assert_int_equal(code.unoptimised, whole);
        assert_false(code.debug);
        assert_int_equal(code.constant_count, whole ? 2 : 0);
        if (whole) {
            assert_int_equal(code.constants[0].id, 7);
            assert_memory_equal(code.constants[0].data, &value, 8);
            assert_int_equal(code.constants[1].size, 1);
            assert_string_equal(code.native_key, "driver 1");
            assert_memory_equal(code.native, native, sizeof native);
        } else {
            assert_null(code.native_key);
            assert_null(code.native);
            assert_int_equal(code.native_size, 0);
        }
        tsr_arena_free(&arena);
        tsr_buf_free(&buf);
    }
}

static void what_is_cut_off_is_refused(void **state)
{
    (void)state;
    struct tsr_buf buf = written(true);
    struct tsr_il_code code;
    for (size_t size = 0; size < buf.size; size++) {
        struct tsr_arena arena = {0};
        assert_int_equal(tsr_il_code_read(buf.data, size, &arena, &code), TSR_DAMAGED);
        tsr_arena_free(&arena);
    }
    static const size_t bad_bytes[] = {0 /* magic */, 7 /* flags */, 16 /* size of a constant */};
    for (size_t i = 0; i < TSR_ARRAY_LEN(bad_bytes); i++) {
        struct tsr_arena arena = {0};
        buf.data[bad_bytes[i]] ^= 0x41;
        assert_int_equal(tsr_il_code_read(buf.data, buf.size, &arena, &code), TSR_DAMAGED);
        buf.data[bad_bytes[i]] ^= 0x41;
        tsr_arena_free(&arena);
    }
    tsr_buf_free(&buf);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read),
        cmocka_unit_test(what_is_cut_off_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
