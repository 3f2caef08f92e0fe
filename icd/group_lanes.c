/* SPDX-License-Identifier: Apache-2.0
 * Code of kernels for launches of small work-groups, in which these are lanes of a packet, or packets. It is made when such launches have
 * taken long, from the bitcode in the program's image. */
#include <string.h>

#include "icd/program.h"

/* Whether launches may take one in place of the other: the arguments lie at the same places. */
static bool is_same_kernel(const struct tsr_code *code, const struct tsr_kernel_info *kernel, enum tsr_engine engine)
{
    const uint32_t flag = engine == TSR_ENGINE_GROUPS ? TSR_KERNEL_GROUP_LANES : TSR_KERNEL_GROUP_PACKETS;
    const struct tsr_kernel_info *made = code->info.kernel_count == 1 ? code->info.kernels : NULL;
    bool same = made && made->flags & flag && !strcmp(made->name, kernel->name) && made->arg_count == kernel->arg_count &&
                made->args_size == kernel->args_size && made->local_bytes == kernel->local_bytes &&
                (engine != TSR_ENGINE_GROUPS || made->sub_group_size == kernel->sub_group_size);
    for (uint32_t i = 0; same && i < kernel->arg_count; i++)
        same = made->args[i].kind == kernel->args[i].kind && made->args[i].offset == kernel->args[i].offset;
    return same;
}

/* Makes the code; without the program's lock. */
static bool make(const struct tsr_build *build, const struct tsr_kernel_info *kernel, enum tsr_engine engine, struct tsr_code *code)
{
    struct tsr_clc_result result;
    struct tsr_clc_input input = {build->code.image, build->code.image_size};
    struct tsr_clc_request request = {
        .op = TSR_CLC_CODE, .input_count = 1, .inputs = &input, .kernel = kernel->name, .kernel_count = 1, .options = ""};
    const struct tsr_environment *before = tsr_environment_use(build->environment);
    build->device->ops->target(build->device->impl, &request.target);
    request.target.macros = build->device->macros;
    request.target.engine = engine;
    tsr_clc_run(&request, &result);
    tsr_environment_use(before);
    bool good = result.outcome == TSR_CLC_DONE && tsr__code_take(build->device, code, result.image, result.image_size) == TSR_OK;
    if (good)
        result.image = NULL;
    if (good && !is_same_kernel(code, kernel, engine)) {
        tsr__code_clear(build->device, code);
        good = false;
    }
    if (good)
        tsr_log(TSR_LOG_COMPILE, "%s: small work-groups may be %s from now on%s%s", kernel->name,
                engine == TSR_ENGINE_GROUPS ? "lanes of packets" : "packets", result.log && *result.log ? "\n" : "",
                result.log ? result.log : "");
    tsr_clc_result_free(&result);
    return good;
}

/* The engine that makes such code, and its place among the codes of a kernel. */
static enum tsr_engine engine_of(enum tsr_group_code which, uint64_t size)
{
    return which == TSR_GROUPS_AS_LANES ? TSR_ENGINE_GROUPS : TSR_ENGINE_GROUP_OF_1 + (unsigned)__builtin_ctzll(size);
}

static struct tsr_code *find(struct tsr_build *build, const char *name, enum tsr_engine engine)
{
    uint32_t count = build->code.info.kernel_count, i = tsr_find_kernel(&build->code.info, name);
    if (!build->group_codes)
        build->group_codes = tsr_calloc(TSR__GROUP_SLOTS * (count + (size_t)1), sizeof(*build->group_codes));
    return i < count && build->group_codes ? &build->group_codes[TSR__GROUP_SLOTS * i + (engine - TSR_ENGINE_GROUPS)] : NULL;
}

struct tsr_code *tsr__code_of_groups(struct _cl_program *program, const struct _cl_device_id *device, const struct tsr_kernel_info *kernel,
                                     enum tsr_group_code which, uint64_t size, bool wanted, bool *never)
{
    enum tsr_engine engine = engine_of(which, size);
    pthread_mutex_lock(&program->lock);
    struct tsr_build *build = tsr__program_build_for(program, device);
    const struct tsr_program_info *info = build ? &build->code.info : NULL;
    const bool has_bitcode = info && (info->kind == TSR_IMAGE_PROGRAM || info->module_size);
    struct tsr_code *code =
        has_bitcode && !info->global_bytes ? find(build, kernel->name, engine) : NULL; /* variables would be there twice */
    bool there = code && code->image && !code->busy;
    if (code && !there && wanted && !code->busy && !code->alone) {
        struct tsr_code made = {0};
        code->busy = true;
        pthread_mutex_unlock(&program->lock);
        there = make(build, kernel, engine, &made);
        pthread_mutex_lock(&program->lock);
        if (there) {
            code->image = made.image;
            code->image_size = made.image_size;
            code->arena = made.arena;
            code->info = made.info;
        }
        code->alone = !there; /* not again */
        code->busy = false;
    }
    *never = !code || code->alone;
    pthread_mutex_unlock(&program->lock);
    return there ? code : NULL;
}
