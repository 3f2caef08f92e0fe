/* SPDX-License-Identifier: Apache-2.0
 * Values of operands that are computed: the same bytes have one address, others another one, up to what there is room for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "device-amx/tiles_share.h"

enum { WORDS = 32 };

static struct tsr__values *make(void **state)
{
    struct tsr__values *v = *state = aligned_alloc(_Alignof(struct tsr__values), sizeof *v);
    assert_non_null(v);
    memset(v, 0x5a, sizeof *v); /* as a worker's memory may be */
    tsr__values_begin(v, 1);
    return v;
}

static int drop(void **state)
{
    free(*state);
    return 0;
}

static const char *keep(struct tsr__values *v, bool is_b, uint64_t number, uint64_t bytes)
{
    uint64_t values[WORDS] = {number};
    return tsr__values_keep(v, is_b, values, bytes);
}

static void the_same_bytes_have_one_address(void **state)
{
    struct tsr__values *v = make(state);
    const char *first = keep(v, false, 7, 16), *other = keep(v, false, 8, 16), *longer = keep(v, true, 7, 24);
    assert_non_null(first);
    assert_true(other && other != first && longer && longer != first && longer != other);
    for (int round = 0; round < 3; round++) {
        assert_ptr_equal(keep(v, round % 2, 7, 16), first);
        assert_ptr_equal(keep(v, round % 2, 8, 16), other);
        assert_ptr_equal(keep(v, round % 2, 7, 24), longer);
    }
    assert_int_equal(*(const uint64_t *)first, 7);
    tsr__values_begin(v, 1);
    assert_ptr_equal(keep(v, false, 7, 16), first);
    assert_int_equal(v->count, 3);
    tsr__values_begin(v, 2); /* those of another launch are gone */
    assert_int_equal(v->count, 0);
}

static void so_many_and_no_more(void **state)
{
    struct tsr__values *v = make(state);
    const char *at[TSR__MOST_VALUES];
    for (uint64_t i = 0; i < TSR__MOST_VALUES; i++)
        assert_non_null(at[i] = keep(v, i % 2, i, 8));
    assert_null(keep(v, false, TSR__MOST_VALUES, 8));
    for (uint64_t i = 0; i < TSR__MOST_VALUES; i++) /* in another order, so that none is the one behind the last */
        assert_ptr_equal(keep(v, false, i * 2741 % TSR__MOST_VALUES, 8), at[i * 2741 % TSR__MOST_VALUES]);
    tsr__values_clear(v);
    assert_non_null(keep(v, false, TSR__MOST_VALUES, 8));
}

static void up_to_the_last_byte(void **state)
{
    struct tsr__values *v = make(state);
    static char large[TSR__VALUES_BYTES - 256];
    assert_non_null(tsr__values_keep(v, false, large, sizeof large));
    assert_non_null(keep(v, false, 1, 248));
    assert_null(keep(v, false, 2, 16));
    assert_non_null(keep(v, false, 2, 8));
    assert_null(keep(v, false, 3, 8));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test_teardown(the_same_bytes_have_one_address, drop),
                                       cmocka_unit_test_teardown(so_many_and_no_more, drop),
                                       cmocka_unit_test_teardown(up_to_the_last_byte, drop)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
