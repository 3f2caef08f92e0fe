/* SPDX-License-Identifier: Apache-2.0
 * The last step of a build for devices whose driver has a compiler of its own: that makes machine code of what our compiler has made. What
 * comes of it is in the disk cache as well, under the name of the driver. */
#include <string.h>

#include "icd/program.h"

/* The end of the result's log gets more text. False: out of memory. */
static bool add_to_log(struct tsr_clc_result *result, const char *text)
{
    char *log = tsr_format("%s%s%s", result->log ? result->log : "", text, *text && text[strlen(text) - 1] != '\n' ? "\n" : "");
    if (!log)
        return false;
    tsr_free(result->log);
    result->log = log;
    return true;
}

static void fail(struct tsr_clc_result *result, enum tsr_clc_outcome outcome)
{
    tsr_free(result->image);
    result->image = NULL;
    result->image_size = 0;
    result->outcome = outcome;
}

/* The result becomes one with this image, which the result owns from here on. */
static void replace_image(struct tsr_clc_result *result, struct tsr_buf *image)
{
    tsr_free(result->image);
    result->image = image->data;
    result->image_size = image->size;
}

/* Lets the device make its code. */
static void finish(const struct _cl_device_id *device, struct tsr_program_info *info, struct tsr_clc_result *result)
{
    struct tsr_buf code = {0}, image = {0};
    char *log = NULL;
    enum tsr_status status = device->ops->finish(device->impl, info, &code, &log);
    bool logged = !log || add_to_log(result, log);
    tsr_free(log);
    if (status == TSR_OK) {
        info->code = code.data;
        info->code_size = code.size;
        tsr_image_write(info, &image);
    }
    tsr_buf_free(&code);
    if (status == TSR_OK && !image.failed && logged) {
        replace_image(result, &image);
        return;
    }
    tsr_buf_free(&image);
    fail(result, status == TSR_OK || status == TSR_NO_MEMORY ? TSR_CLC_NO_MEMORY : TSR_CLC_FAILED);
}

void tsr__code_finish(const struct _cl_device_id *device, struct tsr_clc_result *result)
{
    struct tsr_arena arena = {0};
    struct tsr_program_info info;
    enum tsr_status status = tsr_image_read(result->image, result->image_size, &arena, &info);
    if (status == TSR_OK && info.kind == TSR_IMAGE_EXECUTABLE) {
        struct tsr_buf key = {0};
        char *driver = device->ops->finish_key(device->impl);
        tsr_buf_str(&key, driver);
        tsr_buf_str(&key, result->log); /* which the kept result has as well */
        tsr_buf_bytes(&key, result->image, result->image_size);
        struct tsr_clc_result kept;
        bool has_key = driver && !key.failed;
        if (has_key && tsr_clc_find(key.data, key.size, &kept)) {
            tsr_clc_result_free(result);
            *result = kept;
        } else {
            finish(device, &info, result);
            if (has_key && result->outcome == TSR_CLC_DONE)
                tsr_clc_keep(key.data, key.size, result);
        }
        tsr_buf_free(&key);
        tsr_free(driver);
    } else if (status != TSR_OK) {
        fail(result, status == TSR_NO_MEMORY ? TSR_CLC_NO_MEMORY : TSR_CLC_FAILED);
    }
    tsr_arena_free(&arena);
}
