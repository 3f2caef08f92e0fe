/* SPDX-License-Identifier: Apache-2.0
 * Machine code of programs: images of the compiler, and their loading. */
#include <signal.h>
#include <string.h>

#include "icd/program.h"

/* Does the user want code for a check, which that of a binary may not be? An image does not say by which engine its code was made. */
static bool wants_checked_code(void)
{
    return tsr_env_names_reference() || tsr_env_bool(TSR_ENV_CHECK);
}

/* Has a kernel that asks for no size smaller sub-groups than the device lists? TESSERA_SUB_GROUP_SIZE was another when it was made. */
static bool has_smaller_sub_groups(const struct tsr_device_caps *caps, const struct tsr_program_info *info)
{
    for (uint32_t i = 0; i < info->kernel_count; i++) {
        const struct tsr_kernel_info *kernel = &info->kernels[i];
        if (!kernel->reqd_sub_group_size && kernel->sub_group_size < caps->sub_group_sizes[0])
            return true;
    }
    return false;
}

static bool should_move(const struct _cl_device_id *device, const struct tsr_program_info *info, const struct tsr_target *target)
{
    return tsr_image_should_move(info, target) ||
           (info->module_size && (wants_checked_code() || has_smaller_sub_groups(device->caps, info)));
}

/* `moved`: NULL, or the image may be one whose code is to be made anew, which it then tells. */
static enum tsr_status take(const struct _cl_device_id *device, struct tsr_code *code, unsigned char *image, size_t size, bool *moved)
{
    enum tsr_status status = tsr_image_read(image, size, &code->arena, &code->info);
    struct tsr_target target;
    device->ops->target(device->impl, &target);
    if (moved)
        *moved = status == TSR_OK && should_move(device, &code->info, &target);
    if (status == TSR_OK && !(moved && *moved) && !tsr_image_fits(&code->info, &target))
        status = TSR_MISMATCH;
    if (status != TSR_OK) {
        tsr_arena_free(&code->arena);
        code->info = (struct tsr_program_info){0};
        return status;
    }
    code->image = image;
    code->image_size = size;
    return TSR_OK;
}

enum tsr_status tsr__code_take(const struct _cl_device_id *device, struct tsr_code *code, unsigned char *image, size_t size)
{
    return take(device, code, image, size, NULL);
}

void tsr__code_clear(const struct _cl_device_id *device, struct tsr_code *code)
{
    struct tsr_module *module = atomic_exchange(&code->module, NULL);
    if (module)
        device->ops->module_unload(module);
    tsr_arena_free(&code->arena);
    tsr_free(code->image);
    code->image = NULL;
    code->image_size = 0;
    code->info = (struct tsr_program_info){0};
}

cl_int tsr__code_load(struct _cl_program *program, const struct _cl_device_id *device, struct tsr_code *code, struct tsr_module **module)
{
    *module = atomic_load_explicit(&code->module, memory_order_acquire);
    if (*module)
        return CL_SUCCESS;
    char *why = NULL;
    enum tsr_status status = TSR_OK;
    tsr_no_fork_begin(); /* which the loader does, too, but not under a lock for which fork() waits */
    pthread_mutex_lock(&program->lock);
    *module = atomic_load_explicit(&code->module, memory_order_relaxed);
    if (!*module) {
        status = device->ops->module_load(device->impl, &code->info, module, &why);
        if (status == TSR_OK)
            atomic_store_explicit(&code->module, *module, memory_order_release);
    }
    pthread_mutex_unlock(&program->lock);
    tsr_no_fork_end();
    cl_int err = CL_SUCCESS;
    if (status != TSR_OK)
        err = tsr__error(program->context, status == TSR_NO_MEMORY ? CL_OUT_OF_HOST_MEMORY : CL_OUT_OF_RESOURCES, __func__, "module_load",
                         "the program's code cannot be loaded: %s", why ? why : tsr_status_text(status));
    tsr_free(why);
    return err;
}

/* Whether the device asks for another compilation, for a target that it has changed. */
static bool wants_another(const struct _cl_device_id *device, const struct tsr_clc_result *result, struct tsr_target *target)
{
    struct tsr_arena arena = {0};
    struct tsr_program_info info;
    bool again = target->doubtful && result->outcome == TSR_CLC_DONE &&
                 tsr_image_read(result->image, result->image_size, &arena, &info) == TSR_OK &&
                 device->ops->compile_again(device->impl, &info, target);
    tsr_arena_free(&arena);
    return again;
}

void tsr__code_compile(const struct tsr_build *build, struct tsr_clc_request *request, struct tsr_clc_result *result)
{
    const struct _cl_device_id *device = build->device;
    const struct tsr_environment *before = tsr_environment_use(build->environment);
    device->ops->target(device->impl, &request->target);
    request->target.macros = device->macros;
    tsr_clc_run(request, result);
    if (wants_another(device, result, &request->target)) {
        tsr_clc_result_free(result);
        tsr_clc_run(request, result);
    }
    if (device->ops->finish && result->outcome == TSR_CLC_DONE)
        tsr__code_finish(device, result);
    tsr_environment_use(before);
}

bool tsr__build_thread(pthread_t *thread, void *(*function)(void *), void *data)
{
    enum { STACK = 8 << 20 };
    pthread_attr_t attr;
    sigset_t all;
    if (pthread_attr_init(&attr))
        return false;
    sigfillset(&all);
    pthread_attr_setsigmask_np(&attr, &all);
    bool started = !pthread_attr_setstacksize(&attr, STACK) && !pthread_create(thread, &attr, function, data);
    pthread_attr_destroy(&attr);
    return started;
}

/* ---- images of a build ---- */

void tsr__build_clear(struct tsr_build *build)
{
    for (uint32_t i = 0; build->kernels && i < build->code.info.kernel_count; i++)
        tsr__code_clear(build->device, &build->kernels[i]);
    while (build->group_codes) {
        struct tsr__group_code *first = build->group_codes;
        build->group_codes = first->next;
        tsr__code_clear(build->device, &first->code);
        tsr_free(first);
    }
    for (uint32_t i = 0; build->partials && i < build->code.info.kernel_count; i++)
        tsr__code_clear(build->device, &build->partials[i]);
    tsr_free(build->kernels);
    tsr_free(build->partials);
    build->kernels = build->partials = NULL;
    build->coded = 0;
    tsr__code_clear(build->device, &build->whole);
    tsr__code_clear(build->device, &build->code);
    tsr_free(build->options);
    tsr_free(build->log);
    build->options = build->log = NULL;
    tsr_environment_free(build->environment);
    build->environment = NULL;
    build->kind = CL_PROGRAM_BINARY_TYPE_NONE;
    build->moved = false;
}

static cl_program_binary_type kind_of(enum tsr_image_kind kind)
{
    switch (kind) {
    case TSR_IMAGE_OBJECT:
        return CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT;
    case TSR_IMAGE_LIBRARY:
        return CL_PROGRAM_BINARY_TYPE_LIBRARY;
    default:
        return CL_PROGRAM_BINARY_TYPE_EXECUTABLE;
    }
}

/* Takes the code for packets that are not full out of the image. */
static enum tsr_status take_partial(struct tsr_build *build)
{
    const struct tsr_program_info *info = &build->code.info;
    if (!info->partial_size)
        return TSR_OK;
    unsigned char *image = tsr_malloc(info->partial_size);
    build->partials = tsr_calloc(info->kernel_count + (size_t)1, sizeof(*build->partials));
    if (image)
        memcpy(image, info->partial, info->partial_size);
    enum tsr_status status =
        image && build->partials ? tsr__code_take(build->device, &build->partials[0], image, info->partial_size) : TSR_NO_MEMORY;
    if (status == TSR_OK && build->partials[0].info.kernel_count != 1) {
        tsr__code_clear(build->device, &build->partials[0]);
        return TSR_DAMAGED;
    }
    if (status != TSR_OK)
        tsr_free(image);
    return status;
}

static enum tsr_status take_into(struct tsr_build *build, unsigned char *image, size_t size, bool *moved)
{
    enum tsr_status status = take(build->device, &build->code, image, size, moved);
    if (status != TSR_OK)
        return status;
    if (build->code.info.kind == TSR_IMAGE_PROGRAM)
        build->kernels = tsr_calloc(build->code.info.kernel_count + 1, sizeof(*build->kernels));
    if (build->code.info.kind == TSR_IMAGE_PROGRAM && !build->kernels)
        status = TSR_NO_MEMORY;
    else if (!(moved && *moved))
        status = take_partial(build);
    if (status != TSR_OK) {
        tsr_free(build->partials);
        build->partials = NULL;
        build->code.image = NULL; /* the image stays the caller's */
        tsr__code_clear(build->device, &build->code);
        return status;
    }
    build->kind = kind_of(build->code.info.kind);
    return TSR_OK;
}

enum tsr_status tsr__build_take_image(struct tsr_build *build, unsigned char *image, size_t size)
{
    return take_into(build, image, size, NULL);
}

enum tsr_status tsr__build_take_binary(struct tsr_build *build, unsigned char *image, size_t size)
{
    return take_into(build, image, size, &build->moved);
}
