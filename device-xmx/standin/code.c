/* SPDX-License-Identifier: Apache-2.0
 * Code of programs: an image of the compiler, loaded by the CPU device. */
#include "device-xmx/standin/standin.h"

struct tsr__code *tsr__standin_code_new(struct tsr__device *device, unsigned char *image, size_t size, char **why)
{
    *why = NULL;
    struct tsr__code *code = tsr_calloc(1, sizeof *code);
    if (!code) {
        tsr_free(image);
        return NULL;
    }
    atomic_init(&code->holds, 1);
    code->image = image;
    code->image_size = size;
    code->device = device;
    struct tsr_target target;
    device->cpu->ops->target(device->cpu, &target);
    enum tsr_status status = tsr_image_read(image, size, &code->arena, &code->info);
    if (status == TSR_OK && !tsr_image_fits(&code->info, &target))
        status = TSR_MISMATCH;
    if (status == TSR_OK && code->info.kind == TSR_IMAGE_EXECUTABLE)
        status = device->cpu->ops->module_load(device->cpu, &code->info, &code->module, why);
    if (status == TSR_OK)
        return code;
    if (!*why && status != TSR_NO_MEMORY)
        *why = tsr_format("error: %s\n", tsr_status_text(status));
    tsr__standin_code_drop(code);
    return NULL;
}

void tsr__standin_code_drop(struct tsr__code *code)
{
    if (!code || atomic_fetch_sub(&code->holds, 1) != 1)
        return;
    if (code->module)
        code->device->cpu->ops->module_unload(code->module);
    tsr_arena_free(&code->arena);
    tsr_free(code->image);
    tsr_free(code);
}
