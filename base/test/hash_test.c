/* SPDX-License-Identifier: Apache-2.0
 * Hash: XXH3's own vectors, streaming equals one call, neighbouring strings do not run together. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "tessera/base.h"

static void known_values(void **state)
{
    (void)state;
    char hex[33];
    tsr_hash_hex(tsr_hash_bytes("", 0), hex); /* XXH3_128bits of nothing, seed 0, as xxhsum -H2 prints it */
    assert_string_equal(hex, "99aa06d3014798d86001c324468d497f");
    tsr_hash_hex(tsr_hash_bytes("abc", 3), hex);
    assert_string_equal(hex, "06b05ab6733a618578af5f94892f3950");
}

static void streaming(void **state)
{
    (void)state;
    unsigned char data[5000];
    for (size_t i = 0; i < sizeof data; i++)
        data[i] = (unsigned char)(i * 31 + i / 256);
    for (size_t step = 1; step < 1500; step += 97) {
        struct tsr_hasher *h = tsr_hasher_new();
        for (size_t at = 0; at < sizeof data; at += step)
            tsr_hasher_add(h, data + at, at + step < sizeof data ? step : sizeof data - at);
        struct tsr_hash a = tsr_hasher_end(h), b = tsr_hash_bytes(data, sizeof data);
        assert_int_equal(a.lo, b.lo);
        assert_int_equal(a.hi, b.hi);
    }
}

static struct tsr_hash of_two(const char *a, const char *b)
{
    struct tsr_hasher *h = tsr_hasher_new();
    tsr_hasher_add_str(h, a);
    tsr_hasher_add_str(h, b);
    return tsr_hasher_end(h);
}

static void strings(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {{"ab", "c"}, {"a", "bc"}, {"abc", ""}, {"", "abc"}, {"abc", NULL}, {NULL, "abc"}, {"", NULL}};
    for (unsigned i = 0; i < TSR_ARRAY_LEN(pairs); i++)
        for (unsigned j = 0; j < i; j++)
            assert_int_not_equal(of_two(pairs[i][0], pairs[i][1]).lo, of_two(pairs[j][0], pairs[j][1]).lo);
    assert_int_equal(of_two("x", "y").hi, of_two("x", "y").hi);
}

static void failure(void **state)
{
    (void)state;
    tsr_fail_alloc(1);
    struct tsr_hasher *h = tsr_hasher_new();
    tsr_fail_alloc(0);
    assert_null(h);
    tsr_hasher_add(h, "a", 1);
    assert_int_equal(tsr_hasher_end(h).lo, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(known_values), cmocka_unit_test(streaming), cmocka_unit_test(strings),
                                       cmocka_unit_test(failure)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
