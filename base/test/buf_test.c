/* SPDX-License-Identifier: Apache-2.0
 * Byte buffers: what is written comes back, every truncation and every damage is noticed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "tessera/base.h"

static void write_sample(struct tsr_buf *buf)
{
    tsr_buf_u32(buf, 0x01020304);
    tsr_buf_u64(buf, UINT64_C(0x1122334455667788));
    tsr_buf_blob(buf, "ab\0cd", 5);
    tsr_buf_str(buf, "text");
    tsr_buf_str(buf, "");
    tsr_buf_str(buf, NULL);
    tsr_buf_u32(buf, 2);
    tsr_buf_u32(buf, 7);
    tsr_buf_u32(buf, 8);
}

/* True if everything came back as written. */
static bool read_sample(const void *data, size_t size)
{
    struct tsr_reader r = tsr_reader_over(data, size);
    size_t n = 0;
    bool same = tsr_read_u32(&r) == 0x01020304 && tsr_read_u64(&r) == UINT64_C(0x1122334455667788);
    const void *blob = tsr_read_blob(&r, &n);
    same = same && n == 5 && !memcmp(blob, "ab\0cd", 5);
    const char *text = tsr_read_str(&r), *empty = tsr_read_str(&r), *none = tsr_read_str(&r);
    same = same && text && !strcmp(text, "text") && empty && !*empty && !none;
    uint32_t count = tsr_read_count(&r, 4);
    same = same && count == 2 && tsr_read_u32(&r) == 7 && tsr_read_u32(&r) == 8;
    assert_true(same || r.failed);
    return !r.failed && r.at == r.end;
}

static void round_trip(void **state)
{
    (void)state;
    struct tsr_buf buf = {0};
    write_sample(&buf);
    assert_false(buf.failed);
    assert_int_equal(buf.data[0], 4); /* little-endian */
    assert_true(read_sample(buf.data, buf.size));
    for (size_t cut = 0; cut < buf.size; cut++) {
        unsigned char *exact = tsr_malloc(cut); /* so that a sanitizer sees a read past the end */
        memcpy(exact, buf.data, cut);
        assert_false(read_sample(exact, cut));
        tsr_free(exact);
    }
    tsr_buf_free(&buf);
    assert_null(buf.data);
}

static void malformed(void **state)
{
    (void)state;
    struct tsr_reader r = tsr_reader_over("\3\0\0\0\0\0\0\0abc", 11); /* no zero at the end */
    assert_null(tsr_read_str(&r));
    assert_true(r.failed);
    r = tsr_reader_over("\3\0\0\0\0\0\0\0a\0\0", 11); /* a zero inside */
    assert_null(tsr_read_str(&r));
    assert_true(r.failed);
    r = tsr_reader_over("\377\377\377\377\377\377\377\377abc", 11); /* huge length */
    size_t size = 1;
    assert_null(tsr_read_blob(&r, &size));
    assert_int_equal(size, 0);
    assert_true(r.failed);
    r = tsr_reader_over("\4\0\0\0abcabcabcab", 15); /* four records of three bytes do not fit */
    assert_int_equal(tsr_read_count(&r, 3), 0);
    assert_true(r.failed);
    assert_int_equal(tsr_read_u32(&r), 0);
    r = tsr_reader_over(NULL, 0);
    assert_int_equal(tsr_read_u64(&r), 0);
    assert_true(r.failed);
}

static void text(void **state)
{
    (void)state;
    struct tsr_buf buf = {0};
    for (int i = 0; i < 1000; i++)
        tsr_buf_printf(&buf, "%03d,", i);
    assert_int_equal(buf.size, 4000);
    assert_memory_equal(buf.data + 3996, "999,", 4);
    tsr_buf_free(&buf);
}

static void every_allocation_fails(void **state)
{
    (void)state;
    unsigned failures = 0;
    for (long long n = 1;; n++) {
        struct tsr_buf buf = {0};
        tsr_fail_alloc(n);
        for (int i = 0; i < 300; i++)
            write_sample(&buf);
        tsr_buf_printf(&buf, "%d", 5);
        tsr_fail_alloc(0);
        bool failed = buf.failed;
        if (!failed)
            assert_int_equal(buf.data[buf.size - 1], '5');
        tsr_buf_free(&buf);
        if (!failed)
            break;
        failures++;
    }
    assert_in_range(failures, 3, 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(round_trip),
        cmocka_unit_test(malformed),
        cmocka_unit_test(text),
        cmocka_unit_test(every_allocation_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
