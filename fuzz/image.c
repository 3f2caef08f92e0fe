/* SPDX-License-Identifier: Apache-2.0
 * Fuzzer of program images: the head with build id and checksum is made right for most inputs, so that what stands behind is reached.
 * An image that is read must be written back as the same bytes. */
#include "tessera/program.h"

#include "fuzz/fuzz.h"

enum { BODY_AT = 40, HASH_AT = 24 };

void fuzz_begin(void) {}

bool fuzz_seed(unsigned index, struct tsr_buf *seed)
{
    struct tsr_arg_info args[] = {
        {.kind = TSR_ARG_POINTER, .name = "a", .type_name = "int*", .size = 8, .align = 8, .offset = 0, .pointee_align = 4},
        {.kind = TSR_ARG_LOCAL, .size = 8, .align = 8, .offset = 8, .pointee_align = 16},
        {.kind = TSR_ARG_VALUE, .size = 4, .align = 4, .offset = 16, .pointee_align = 1},
        {.kind = TSR_ARG_SAMPLER, .size = 4, .align = 4, .offset = 20, .pointee_align = 1},
    };
    struct tsr_kernel_info kernels[] = {
        {.name = "f", .attributes = "", .entry = "f.entry", .sub_group_size = 16},
        {.name = "g", .attributes = "x", .entry = "g.entry", .sub_group_size = 8, .args = args, .arg_count = 4, .args_size = 24},
    };
    struct tsr_program_info info = {.triple = TSR_TRIPLE_X86_64,
                                    .kind = TSR_IMAGE_EXECUTABLE,
                                    .kernel_count = index ? 2 : 0,
                                    .kernels = kernels,
                                    .code = "ELF",
                                    .code_size = 3,
                                    .partial = "TSRP",
                                    .partial_size = index ? 4 : 0,
                                    .module = "module",
                                    .module_size = index ? 6 : 0};
    if (index > 1)
        return false;
    struct tsr_buf image = {0};
    tsr_image_write(&info, &image);
    tsr_buf_bytes(seed, "\1", 1);
    tsr_buf_bytes(seed, image.data + BODY_AT, image.size - BODY_AT);
    tsr_buf_free(&image);
    return true;
}

static void try_image(const unsigned char *data, size_t size)
{
    struct tsr_arena arena = {0};
    struct tsr_program_info info;
    if (tsr_image_read(data, size, &arena, &info) == TSR_OK && !info.other_build) {
        struct tsr_buf again = {0};
        tsr_image_write(&info, &again);
        FUZZ_CHECK(!again.failed && again.size == size && !memcmp(again.data, data, size));
        tsr_buf_free(&again);
    }
    tsr_arena_free(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!size)
        return 0;
    if (data[0] % 8 == 0) {
        try_image(data + 1, size - 1);
        return 0;
    }
    struct tsr_program_info none = {0};
    struct tsr_buf image = {0};
    tsr_image_write(&none, &image);
    image.size = BODY_AT;
    tsr_buf_bytes(&image, data + 1, size - 1);
    FUZZ_CHECK(!image.failed);
    struct tsr_hash hash = tsr_hash_bytes(image.data + BODY_AT, image.size - BODY_AT);
    memcpy(image.data + HASH_AT, &hash.lo, 8);
    memcpy(image.data + HASH_AT + 8, &hash.hi, 8);
    try_image(image.data, image.size);
    tsr_buf_free(&image);
    return 0;
}
