/* SPDX-License-Identifier: Apache-2.0
 * Images: what is written is read back; every truncation and every flipped bit is refused. */
#include "tessera/program.h"
#include "tessera/tiles.h"

#include "clc/common/build_id.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct tsr_arg_info args[] = {
    {"p", "int*", TSR_ARG_POINTER, 0x119B, 0x11A3, 3, 8, 8, 0, 4, 24, 0, false},
    {NULL, NULL, TSR_ARG_VALUE, 0x119E, 0x11A3, 0, 16, 16, 16, 1, 0, 0, false},
    {NULL, NULL, TSR_ARG_LOCAL, 0x119C, 0x11A3, 0, 8, 8, 8, 4, 0, 0, false},
    {NULL, NULL, TSR_ARG_IMAGE, 0x119B, 0x11A0, 0, 8, 8, 24, 1, 0, 0x10F1, true},
};
static struct tsr_kernel_info kernels[] = {
    {.name = "a", .attributes = "", .entry = "a.kernel", .sub_group_size = 16},
    {.name = "b",
     .attributes = "reqd_work_group_size(1,2,3)",
     .entry = "b.kernel",
     .arg_count = 4,
     .args = args,
     .args_size = 32,
     .flags = TSR_KERNEL_FIBERS,
     .reqd_local_size = {1, 2, 3},
     .local_size_hint = {4, 5, 6},
     .reqd_sub_group_size = 8,
     .sub_group_size = 8,
     .local_bytes = 77,
     .context_bytes = 256,
     .private_bytes = 88,
     .device_stack_bytes = 89,
     .groups_at_once = 2,
     .column_rows = 16,
     .tile_shapes = TSR_TILE_SHAPES_HALVES,
     .asked_arguments = 5},
};
static struct tsr_program_info sample = {.kind = TSR_IMAGE_EXECUTABLE,
                                         .triple = TSR_TRIPLE_X86_64,
                                         .cpu_features = 5,
                                         .global_bytes = 5,
                                         .kernel_count = 2,
                                         .kernels = kernels,
                                         .code = "CODE",
                                         .code_size = 4,
                                         .module = "MODULE",
                                         .module_size = 6};
/* Damage there makes an image of another build. */
enum { BUILD_ID_AT = 8, BUILD_ID_END = 24 };

static struct tsr_buf write_sample(const struct tsr_program_info *info)
{
    struct tsr_buf buf = {0};
    tsr_image_write(info, &buf);
    assert_false(buf.failed);
    return buf;
}

static enum tsr_status read_status(const void *data, size_t size)
{
    struct tsr_arena arena = {0};
    struct tsr_program_info info;
    void *copy = malloc(size ? size : 1); /* of exact size, for sanitizers */
    assert_non_null(copy);
    memcpy(copy, data, size);
    enum tsr_status status = tsr_image_read(copy, size, &arena, &info);
    free(copy);
    tsr_arena_free(&arena);
    return status;
}

static void round_trip(void **state)
{
    (void)state;
    struct tsr_buf buf = write_sample(&sample);
    struct tsr_arena arena = {0};
    struct tsr_program_info info;
    assert_int_equal(tsr_image_read(buf.data, buf.size, &arena, &info), TSR_OK);
    assert_int_equal(info.kind, TSR_IMAGE_EXECUTABLE);
    assert_int_equal(info.kernel_count, 2);
    assert_int_equal(info.code_size, 4);
    assert_memory_equal(info.code, "CODE", 4);
    assert_int_equal(info.module_size, 6);
    assert_memory_equal(info.module, "MODULE", 6);
    assert_false(info.other_build);
    assert_int_equal(info.global_bytes, 5);
    const struct tsr_kernel_info *b = &info.kernels[1];
    assert_string_equal(b->name, "b");
    assert_string_equal(b->attributes, "reqd_work_group_size(1,2,3)");
    assert_string_equal(b->entry, "b.kernel");
    assert_int_equal(b->args_size, 32);
    assert_int_equal(b->flags, TSR_KERNEL_FIBERS);
    assert_int_equal(b->reqd_local_size[2], 3);
    assert_int_equal(b->local_size_hint[0], 4);
    assert_int_equal(b->reqd_sub_group_size, 8);
    assert_int_equal(b->local_bytes, 77);
    assert_int_equal(b->context_bytes, 256);
    assert_int_equal(b->private_bytes, 88);
    assert_int_equal(b->device_stack_bytes, 89);
    assert_int_equal(b->groups_at_once, 2);
    assert_int_equal(b->column_rows, 16);
    assert_int_equal(b->tile_shapes, TSR_TILE_SHAPES_HALVES);
    assert_int_equal(b->asked_arguments, 5);
    assert_string_equal(b->args[0].type_name, "int*");
    assert_int_equal(b->args[0].nontemporal_bytes, 24);
    assert_null(b->args[1].name);
    assert_int_equal(b->args[1].offset, 16);
    assert_int_equal(b->args[2].kind, TSR_ARG_LOCAL);
    assert_int_equal(b->args[3].image_type, 0x10F1);
    assert_true(b->args[3].image_depth);
    tsr_arena_free(&arena);
    tsr_buf_free(&buf);
}

static void damage(void **state)
{
    (void)state;
    struct tsr_buf buf = write_sample(&sample);
    assert_int_equal(read_status(buf.data, buf.size), TSR_OK);
    for (size_t n = 0; n < buf.size; n++)
        assert_int_not_equal(read_status(buf.data, n), TSR_OK);
    for (size_t bit = 0; bit < buf.size * 8; bit++) {
        if (bit / 8 >= BUILD_ID_AT && bit / 8 < BUILD_ID_END)
            continue;
        buf.data[bit / 8] ^= (unsigned char)(1u << bit % 8);
        enum tsr_status status = read_status(buf.data, buf.size);
        assert_true(status == TSR_DAMAGED || status == TSR_MISMATCH);
        buf.data[bit / 8] ^= (unsigned char)(1u << bit % 8);
    }
    tsr_buf_bytes(&buf, "", 1);
    assert_int_equal(read_status(buf.data, buf.size), TSR_DAMAGED);
    tsr_buf_free(&buf);
}

static void other_builds(void **state)
{
    (void)state;
    struct tsr_buf buf = write_sample(&sample);
    buf.data[4] ^= 1; /* format version */
    assert_int_equal(read_status(buf.data, buf.size), TSR_MISMATCH);
    buf.data[4] ^= 1;
    assert_memory_equal(buf.data + BUILD_ID_AT, tsr_clc_build_id, BUILD_ID_END - BUILD_ID_AT);
    struct tsr_target target = {.triple = sample.triple, .features = sample.cpu_features};
    for (size_t at = BUILD_ID_AT; at < BUILD_ID_END; at++) {
        struct tsr_arena arena = {0};
        struct tsr_program_info info;
        buf.data[at] ^= 1;
        assert_int_equal(tsr_image_read(buf.data, buf.size, &arena, &info), TSR_OK);
        assert_true(info.other_build);
        assert_false(tsr_image_fits(&info, &target));
        assert_true(tsr_image_should_move(&info, &target));
        info.module_size = 0;
        assert_false(tsr_image_should_move(&info, &target));
        info.kind = TSR_IMAGE_OBJECT;
        assert_true(tsr_image_fits(&info, &target));
        buf.data[at] ^= 1;
        tsr_arena_free(&arena);
    }
    tsr_buf_free(&buf);
}

static void other_targets(void **state)
{
    (void)state;
    struct tsr_target target = {.triple = sample.triple, .features = sample.cpu_features | 8};
    assert_true(tsr_image_fits(&sample, &target));
    struct tsr_program_info other = sample;
    other.cpu_features = target.features << 1 | target.features;
    assert_false(tsr_image_fits(&other, &target));
    other = sample;
    other.triple = "another-cpu";
    assert_false(tsr_image_fits(&other, &target));
    assert_false(tsr_image_should_move(&other, &target));
}

static void other_features(void **state)
{
    (void)state;
    struct tsr_target target = {.triple = sample.triple, .features = sample.cpu_features};
    assert_false(tsr_image_should_move(&sample, &target));
    target.features |= 8; /* a better CPU */
    assert_true(tsr_image_should_move(&sample, &target));
    target.doubtful = 8;
    assert_false(tsr_image_should_move(&sample, &target));
    target.doubtful = 0;
    target.features = sample.cpu_features & (sample.cpu_features - 1); /* one that lacks a feature */
    assert_true(tsr_image_should_move(&sample, &target));
    target.features = sample.cpu_features | UINT64_C(1) << TSR_CPU_SLOW_GATHERS;
    assert_false(tsr_image_should_move(&sample, &target));
    struct tsr_program_info alone = sample;
    alone.module_size = 0;
    target.features |= 8;
    assert_false(tsr_image_should_move(&alone, &target));
}

/* Wrong values under a right checksum: what a hostile file would hold. */
static void nonsense(void **state)
{
    (void)state;
    struct tsr_program_info bad = sample;
    struct tsr_kernel_info k[TSR_ARRAY_LEN(kernels)];
    struct tsr_arg_info a[TSR_ARRAY_LEN(args)];
#define REFUSED(change)                                                                                                                    \
    do {                                                                                                                                   \
        memcpy(k, kernels, sizeof k);                                                                                                      \
        memcpy(a, args, sizeof a);                                                                                                         \
        k[1].args = a;                                                                                                                     \
        bad = sample;                                                                                                                      \
        bad.kernels = k;                                                                                                                   \
        change;                                                                                                                            \
        struct tsr_buf buf = write_sample(&bad);                                                                                           \
        assert_int_equal(read_status(buf.data, buf.size), TSR_DAMAGED);                                                                    \
        tsr_buf_free(&buf);                                                                                                                \
    } while (0)
    REFUSED(bad.kind = 0);
    REFUSED(bad.kind = 5);
    REFUSED(bad.code_size = 0);
    REFUSED(bad.kind = TSR_IMAGE_LIBRARY); /* with a module beside its bitcode */
    REFUSED(k[0].name = "c");              /* not sorted */
    REFUSED(k[0].name = "b");              /* twice */
    REFUSED(k[0].name = "");
    REFUSED(k[0].entry = NULL);
    REFUSED(k[0].sub_group_size = 0);
    REFUSED(k[0].sub_group_size = 128);
    REFUSED(k[1].args_size = 28);
    REFUSED(k[1].args_size = 24);
    REFUSED(k[1].args_size = 1u << 30);
    REFUSED(a[0].offset = UINT32_MAX - 7);
    REFUSED(a[0].offset = 4);
    REFUSED(a[0].size = 4);
    REFUSED(a[0].align = 0);
    REFUSED(a[0].align = 256);
    REFUSED(a[0].pointee_align = 3);
    REFUSED(a[0].kind = 99);
#undef REFUSED
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(round_trip),    cmocka_unit_test(damage),         cmocka_unit_test(other_builds),
                                       cmocka_unit_test(other_targets), cmocka_unit_test(other_features), cmocka_unit_test(nonsense)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
