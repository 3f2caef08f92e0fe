/* SPDX-License-Identifier: Apache-2.0
 * The table of image formats against what the specification says of some, and against itself. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tessera/base.h"
#include "tessera/image_desc.h"

/* As the OpenCL headers, which this folder does not see, number them. */
enum {
#define TSR_IMAGE_ORDER(name, number, ...) CL_##name = number,
#include "tessera/image_format.def"
#define TSR_IMAGE_TYPE(name, number, ...) CL_##name = number,
#include "tessera/image_format.def"
};

static void formats_have_their_sizes(void **state)
{
    (void)state;
    static const struct {
        uint32_t order, type, bytes;
    } some[] = {
        {CL_R, CL_UNORM_INT8, 1},        {CL_RGBA, CL_FLOAT, 16},          {CL_RG, CL_HALF_FLOAT, 4},
        {CL_RGB, CL_UNORM_SHORT_565, 2}, {CL_RGB, CL_UNORM_INT_101010, 4}, {CL_RGBA, CL_UNORM_INT_101010_2, 4},
        {CL_DEPTH, CL_UNORM_INT16, 2},   {CL_sRGBA, CL_UNORM_INT8, 4},     {CL_RGBA, CL_SIGNED_INT32, 16},
    };
    for (size_t i = 0; i < TSR_ARRAY_LEN(some); i++) {
        const struct tsr_image_format *format = tsr_image_find_format(some[i].order, some[i].type);
        assert_non_null(format);
        assert_int_equal(format->pixel_bytes, some[i].bytes);
    }
    assert_null(tsr_image_find_format(CL_RGB, CL_UNORM_INT8));
}

/* OpenCL 3.0, 5.3.1.1: full profile, read or write. */
static void what_is_mandatory_is_there(void **state)
{
    (void)state;
    static const uint32_t orders[] = {CL_R, CL_RG, CL_RGBA};
    static const uint32_t types[] = {CL_UNORM_INT8,     CL_UNORM_INT16,    CL_SNORM_INT8,   CL_SNORM_INT16,
                                     CL_SIGNED_INT8,    CL_SIGNED_INT16,   CL_SIGNED_INT32, CL_UNSIGNED_INT8,
                                     CL_UNSIGNED_INT16, CL_UNSIGNED_INT32, CL_HALF_FLOAT,   CL_FLOAT};
    for (size_t o = 0; o < TSR_ARRAY_LEN(orders); o++)
        for (size_t t = 0; t < TSR_ARRAY_LEN(types); t++) {
            const struct tsr_image_format *format = tsr_image_find_format(orders[o], types[t]);
            assert_non_null(format);
            assert_true(format->both);
        }
    assert_non_null(tsr_image_find_format(CL_BGRA, CL_UNORM_INT8));
    assert_non_null(tsr_image_find_format(CL_DEPTH, CL_FLOAT));
}

static void writes_undo_reads(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < tsr_image_format_count; i++) {
        const struct tsr_image_format *format = &tsr_image_formats[i];
        struct tsr_image_desc desc = {0};
        tsr_image_set_format(&desc, format);
        assert_int_equal(desc.pixel_bytes, format->pixel_bytes);
        assert_in_range(format->channels, 1, 4);
        for (unsigned c = 0; c < format->channels; c++)
            assert_int_equal(desc.read[desc.write[c]], c);
        for (unsigned c = 0; c < 4; c++)
            assert_true(desc.read[c] < format->channels || desc.read[c] == TSR_IMAGE_ZERO || desc.read[c] == TSR_IMAGE_ONE);
        assert_ptr_equal(tsr_image_find_format(format->order, format->type), format);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formats_have_their_sizes),
        cmocka_unit_test(what_is_mandatory_is_there),
        cmocka_unit_test(writes_undo_reads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
