/* SPDX-License-Identifier: Apache-2.0
 * Images and samplers: what can be made, copies of every type, kernels, and wrong uses. */
#include <signal.h>
#include <string.h>

#include "device-xmx/standin/test/client.h"

enum { W = 7, H = 5, D = 3, PIXEL = 4 };

static ze_image_desc_t describe(ze_image_type_t type)
{
    return (ze_image_desc_t){.stype = ZE_STRUCTURE_TYPE_IMAGE_DESC,
                             .flags = ZE_IMAGE_FLAG_KERNEL_WRITE,
                             .type = type,
                             .format = {ZE_IMAGE_FORMAT_LAYOUT_8_8_8_8, ZE_IMAGE_FORMAT_TYPE_UINT, ZE_IMAGE_FORMAT_SWIZZLE_R,
                                        ZE_IMAGE_FORMAT_SWIZZLE_G, ZE_IMAGE_FORMAT_SWIZZLE_B, ZE_IMAGE_FORMAT_SWIZZLE_A},
                             .width = type == ZE_IMAGE_TYPE_BUFFER ? W * PIXEL : W, /* of a buffer in bytes */
                             .height = H,
                             .depth = D,
                             .arraylevels = type == ZE_IMAGE_TYPE_1DARRAY ? H : D};
}

static ze_image_handle_t make(const struct client *client, ze_image_type_t type)
{
    ze_image_desc_t desc = describe(type);
    ze_image_handle_t image;
    OK(zeImageCreate(client->context, client->device, &desc, &image));
    return image;
}

/* ---- what there is ---- */

static void properties(void)
{
    struct client client = client_open();
    ze_device_image_properties_t limits = {.stype = ZE_STRUCTURE_TYPE_DEVICE_IMAGE_PROPERTIES};
    OK(zeDeviceGetImageProperties(client.device, &limits));
    CHECK(limits.maxImageDims2D == 16384 && limits.maxReadImageArgs == 128 && limits.maxSamplers == 16);
    ze_image_properties_t image = {.stype = ZE_STRUCTURE_TYPE_IMAGE_PROPERTIES};
    ze_image_desc_t desc = describe(ZE_IMAGE_TYPE_2D);
    OK(zeImageGetProperties(client.device, &desc, &image));
    CHECK(image.samplerFilterFlags & ZE_IMAGE_SAMPLER_FILTER_FLAG_LINEAR);
    desc.format.layout = ZE_IMAGE_FORMAT_LAYOUT_NV12;
    ze_image_handle_t none;
    RESULT(zeImageGetProperties(client.device, &desc, &image), ZE_RESULT_ERROR_UNSUPPORTED_IMAGE_FORMAT);
    RESULT(zeImageCreate(client.context, client.device, &desc, &none), ZE_RESULT_ERROR_UNSUPPORTED_IMAGE_FORMAT);
    client_close(&client);
}

static void no_images(void)
{
    struct client client = client_open();
    ze_device_image_properties_t limits = {.stype = ZE_STRUCTURE_TYPE_DEVICE_IMAGE_PROPERTIES, .maxImageDims1D = 1};
    OK(zeDeviceGetImageProperties(client.device, &limits));
    CHECK(!limits.maxImageDims1D && !limits.maxSamplers);
    ze_image_desc_t desc = describe(ZE_IMAGE_TYPE_2D);
    ze_image_handle_t image;
    RESULT(zeImageCreate(client.context, client.device, &desc, &image), ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
    client_close(&client);
}

static void no_signed_formats(void)
{
    struct client client = client_open();
    ze_image_desc_t desc = describe(ZE_IMAGE_TYPE_2D);
    desc.format.type = ZE_IMAGE_FORMAT_TYPE_SNORM;
    ze_image_properties_t image = {.stype = ZE_STRUCTURE_TYPE_IMAGE_PROPERTIES};
    RESULT(zeImageGetProperties(client.device, &desc, &image), ZE_RESULT_ERROR_UNSUPPORTED_IMAGE_FORMAT);
    client_close(&client);
}

static void no_memory(void)
{
    struct client client = client_open();
    ze_image_desc_t desc = describe(ZE_IMAGE_TYPE_2D);
    desc.width = desc.height = 1024;
    ze_image_handle_t image;
    RESULT(zeImageCreate(client.context, client.device, &desc, &image), ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY);
    client_close(&client);
}

static void test_properties(void **state)
{
    (void)state;
    client_run(properties, (const char *[]){"STANDIN_STRICT=0", NULL});
    client_run(no_images, (const char *[]){"STANDIN_DEVICES=pvc", NULL});
    client_run(no_images, (const char *[]){"STANDIN_FAULT=images", NULL});
    client_run(no_signed_formats, (const char *[]){"STANDIN_FAULT=formats", NULL});
    client_run(no_memory, (const char *[]){"STANDIN_FAULT=memory=4000000", NULL});
}

/* ---- copies ---- */

static void copies(void)
{
    static const struct {
        ze_image_type_t type;
        uint32_t height, depth;
    } cases[] = {{ZE_IMAGE_TYPE_1D, 1, 1},      {ZE_IMAGE_TYPE_1DARRAY, H, 1}, {ZE_IMAGE_TYPE_2D, H, 1},
                 {ZE_IMAGE_TYPE_2DARRAY, H, D}, {ZE_IMAGE_TYPE_3D, H, D},      {ZE_IMAGE_TYPE_BUFFER, 1, 1}};
    struct client client = client_open();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint32_t height = cases[i].height, depth = cases[i].depth, bytes = W * height * depth * PIXEL;
        unsigned char from[W * H * D * PIXEL], to[sizeof from];
        for (uint32_t b = 0; b < bytes; b++)
            from[b] = (unsigned char)(b * 7 + i);
        ze_image_handle_t a = make(&client, cases[i].type), b = make(&client, cases[i].type);
        OK(zeCommandListAppendImageCopyFromMemory(client.list, a, from, NULL, NULL, 0, NULL));
        OK(zeCommandListAppendImageCopy(client.list, b, a, NULL, 0, NULL));
        /* The last pixel of the second image, from the first pixel of the first one. */
        const ze_image_region_t first = {0, 0, 0, 1, 1, 1}, last = {W - 1, height - 1, depth - 1, 1, 1, 1};
        OK(zeCommandListAppendImageCopyRegion(client.list, b, a, &last, &first, NULL, 0, NULL));
        memcpy(from + bytes - PIXEL, from, PIXEL);
        memset(to, 0, sizeof to);
        OK(zeCommandListAppendImageCopyToMemory(client.list, to, b, NULL, NULL, 0, NULL));
        CHECK(!memcmp(to, from, bytes));
        unsigned char pixel[PIXEL];
        OK(zeCommandListAppendImageCopyToMemory(client.list, pixel, b, &last, NULL, 0, NULL));
        CHECK(!memcmp(pixel, from, PIXEL));
        OK(zeImageDestroy(a));
        OK(zeImageDestroy(b));
    }
    client_close(&client);
}

static void test_copies(void **state)
{
    (void)state;
    client_run(copies, NULL);
    client_run(copies, (const char *[]){"STANDIN_DEVICES=tgl", NULL});
}

/* ---- kernels ---- */

static void kernels(void)
{
    struct client client = client_open();
    ze_module_handle_t module = client_module(&client, "kernels");
    ze_kernel_handle_t flip = client_kernel(module, "flip"), reads = client_kernel(module, "read_buffer");
    ze_image_handle_t from = make(&client, ZE_IMAGE_TYPE_2D), to = make(&client, ZE_IMAGE_TYPE_2D),
                      buffer = make(&client, ZE_IMAGE_TYPE_BUFFER);
    const ze_sampler_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_SAMPLER_DESC,
                                    .addressMode = ZE_SAMPLER_ADDRESS_MODE_CLAMP,
                                    .filterMode = ZE_SAMPLER_FILTER_MODE_NEAREST};
    ze_sampler_handle_t sampler;
    OK(zeSamplerCreate(client.context, client.device, &desc, &sampler));
    unsigned char before[W * H * PIXEL], after[sizeof before];
    for (size_t b = 0; b < sizeof before; b++)
        before[b] = (unsigned char)(b * 5);
    OK(zeCommandListAppendImageCopyFromMemory(client.list, from, before, NULL, NULL, 0, NULL));
    OK(zeKernelSetArgumentValue(flip, 0, sizeof from, &from));
    OK(zeKernelSetArgumentValue(flip, 1, sizeof to, &to));
    OK(zeKernelSetArgumentValue(flip, 2, sizeof sampler, &sampler));
    OK(zeKernelSetGroupSize(flip, W, 1, 1));
    OK(zeCommandListAppendLaunchKernel(client.list, flip, &(ze_group_count_t){1, H, 1}, NULL, 0, NULL));
    OK(zeCommandListAppendImageCopyToMemory(client.list, after, to, NULL, NULL, 0, NULL));
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W * PIXEL; x++)
            CHECK(after[y * W * PIXEL + x] == 255 - before[(y * W + W - 1 - x / PIXEL) * PIXEL + x % PIXEL]);
    uint32_t *out = client_shared_memory(&client, W * 4 * sizeof *out);
    OK(zeCommandListAppendImageCopyFromMemory(client.list, buffer, before, NULL, NULL, 0, NULL));
    OK(zeKernelSetArgumentValue(reads, 0, sizeof buffer, &buffer));
    client_set_pointer(reads, 1, out);
    client_launch(&client, reads, 1, W);
    for (int i = 0; i < W * PIXEL; i++)
        CHECK(out[i] == before[i]);
    OK(zeMemFree(client.context, out));
    OK(zeSamplerDestroy(sampler));
    OK(zeImageDestroy(from));
    OK(zeImageDestroy(to));
    OK(zeImageDestroy(buffer));
    OK(zeKernelDestroy(flip));
    OK(zeKernelDestroy(reads));
    OK(zeModuleDestroy(module));
    client_close(&client);
}

static void test_kernels(void **state)
{
    (void)state;
    client_run(kernels, NULL);
}

/* ---- wrong uses ---- */

static void a_dead_image(void)
{
    struct client client = client_open();
    ze_image_handle_t image = make(&client, ZE_IMAGE_TYPE_2D);
    unsigned char bytes[W * H * PIXEL];
    OK(zeImageDestroy(image));
    zeCommandListAppendImageCopyToMemory(client.list, bytes, image, NULL, NULL, 0, NULL);
}

static void beyond_the_image(void)
{
    struct client client = client_open();
    ze_image_handle_t image = make(&client, ZE_IMAGE_TYPE_2D);
    unsigned char bytes[W * H * PIXEL];
    const ze_image_region_t region = {1, 0, 0, W, 1, 1};
    zeCommandListAppendImageCopyToMemory(client.list, bytes, image, &region, NULL, 0, NULL);
}

static void regions_of_two_sizes(void)
{
    struct client client = client_open();
    ze_image_handle_t a = make(&client, ZE_IMAGE_TYPE_2D), b = make(&client, ZE_IMAGE_TYPE_2D);
    const ze_image_region_t one = {0, 0, 0, 1, 1, 1}, two = {0, 0, 0, 2, 1, 1};
    zeCommandListAppendImageCopyRegion(client.list, a, b, &one, &two, NULL, 0, NULL);
}

static void regions_that_overlap(void)
{
    struct client client = client_open();
    ze_image_handle_t image = make(&client, ZE_IMAGE_TYPE_2D);
    const ze_image_region_t a = {0, 0, 0, 3, 3, 1}, b = {2, 2, 0, 3, 3, 1};
    zeCommandListAppendImageCopyRegion(client.list, image, image, &a, &b, NULL, 0, NULL);
}

static void a_size_beyond_the_limit(void)
{
    struct client client = client_open();
    ze_image_desc_t desc = describe(ZE_IMAGE_TYPE_2D);
    ze_image_handle_t image;
    desc.width = 16384;
    OK(zeImageCreate(client.context, client.device, &desc, &image));
    desc.width++;
    zeImageCreate(client.context, client.device, &desc, &image);
}

static void an_image_that_no_kernel_may_write(void)
{
    struct client client = client_open();
    ze_module_handle_t module = client_module(&client, "kernels");
    ze_kernel_handle_t flip = client_kernel(module, "flip");
    ze_image_desc_t desc = describe(ZE_IMAGE_TYPE_2D);
    desc.flags = 0;
    ze_image_handle_t image;
    OK(zeImageCreate(client.context, client.device, &desc, &image));
    OK(zeKernelSetArgumentValue(flip, 0, sizeof image, &image)); /* which it reads */
    zeKernelSetArgumentValue(flip, 1, sizeof image, &image);
}

static void an_image_of_another_type(void)
{
    struct client client = client_open();
    ze_module_handle_t module = client_module(&client, "kernels");
    ze_kernel_handle_t flip = client_kernel(module, "flip");
    ze_image_handle_t image = make(&client, ZE_IMAGE_TYPE_3D);
    zeKernelSetArgumentValue(flip, 0, sizeof image, &image);
}

static void test_wrong_uses(void **state)
{
    (void)state;
    void (*const cases[])(void) = {a_dead_image,
                                   beyond_the_image,
                                   regions_of_two_sizes,
                                   regions_that_overlap,
                                   a_size_beyond_the_limit,
                                   an_image_that_no_kernel_may_write,
                                   an_image_of_another_type};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        client_run_dies(cases[i], (const char *[]){"STANDIN_STRICT=1", NULL}, SIGABRT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_properties),
        cmocka_unit_test(test_copies),
        cmocka_unit_test(test_kernels),
        cmocka_unit_test(test_wrong_uses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
