/* SPDX-License-Identifier: Apache-2.0
 * Code of kernels for launches of small work-groups, in which these are lanes of a packet, of work-groups of one size or that are columns,
 * and of ranges that are narrow in the dimension that lanes follow. It is made when such launches have taken long, from the bitcode in the
 * program's image. */
#include <string.h>

#include "icd/program.h"

/* What such code is: for the compiler, and for the log. */
static const struct way {
    enum tsr_engine engine;
    uint32_t flag;    /* that the code has if it has become what was asked for */
    const char *text; /* NULL: it names the size */
} ways[] = {
    [TSR_GROUPS_AS_LANES] = {TSR_ENGINE_GROUPS, TSR_KERNEL_GROUP_LANES, "small work-groups may be lanes of packets"},
    [TSR_GROUPS_OF_SIZE] = {TSR_ENGINE_GROUP_SIZE, 0, NULL}, /* its required size says it */
    [TSR_GROUPS_IN_X] = {TSR_ENGINE_LANES_IN_X, TSR_KERNEL_MIXED_GROUPS, "lanes follow x"},
    [TSR_GROUPS_IN_Y] = {TSR_ENGINE_LANES_IN_Y, TSR_KERNEL_LANES_IN_Y, "lanes follow y"},
    [TSR_GROUPS_IN_Z] = {TSR_ENGINE_LANES_IN_Z, TSR_KERNEL_LANES_IN_Z, "lanes follow z"},
};

static bool is_made_for(const struct tsr_kernel_info *made, const struct tsr__group_code *groups)
{
    bool size = true;
    for (int d = 0; d < 3 && groups->which == TSR_GROUPS_OF_SIZE; d++)
        size = size && made->reqd_local_size[d] == groups->size[d];
    return size && (made->flags & ways[groups->which].flag) == ways[groups->which].flag;
}

/* Whether launches may take one in place of the other: the arguments lie at the same places. */
static bool is_same_kernel(const struct tsr_code *code, const struct tsr_kernel_info *kernel, const struct tsr__group_code *groups)
{
    const struct tsr_kernel_info *made = code->info.kernel_count == 1 ? code->info.kernels : NULL;
    bool same =
        made && is_made_for(made, groups) && !strcmp(made->name, kernel->name) && made->arg_count == kernel->arg_count &&
        made->args_size == kernel->args_size && made->local_bytes == kernel->local_bytes &&
        ((groups->which != TSR_GROUPS_AS_LANES && !tsr_may_be_unstaged(kernel->flags)) || made->sub_group_size == kernel->sub_group_size);
    for (uint32_t i = 0; same && i < kernel->arg_count; i++)
        same = made->args[i].kind == kernel->args[i].kind && made->args[i].offset == kernel->args[i].offset;
    return same;
}

static void report(const struct tsr_kernel_info *kernel, const struct tsr__group_code *groups, const char *log)
{
    const uint32_t *size = groups->size;
    const char *text = ways[groups->which].text;
    char *of = text ? tsr_strdup(text) : tsr_format("work-groups of %u x %u x %u may have their own code", size[0], size[1], size[2]);
    tsr_log(TSR_LOG_COMPILE, "%s: %s from now on%s%s", kernel->name, of ? of : "", log && *log ? "\n" : "", log ? log : "");
    tsr_free(of);
}

/* Makes the code; without the program's lock. */
static bool make(const struct tsr_build *build, const struct tsr_kernel_info *kernel, const struct tsr__group_code *groups,
                 struct tsr_code *code)
{
    struct tsr_clc_result result;
    struct tsr_clc_input input = {build->code.image, build->code.image_size};
    struct tsr_clc_request request = {
        .op = TSR_CLC_CODE, .input_count = 1, .inputs = &input, .kernel = kernel->name, .kernel_count = 1, .options = ""};
    const struct tsr_environment *before = tsr_environment_use(build->environment);
    build->device->ops->target(build->device->impl, &request.target);
    request.target.macros = build->device->macros;
    request.target.engine = ways[groups->which].engine;
    memcpy(request.target.group_size, groups->size, sizeof request.target.group_size);
    tsr_clc_run(&request, &result);
    tsr_environment_use(before);
    bool good = result.outcome == TSR_CLC_DONE && tsr__code_take(build->device, code, result.image, result.image_size) == TSR_OK;
    if (good)
        result.image = NULL;
    if (good && !is_same_kernel(code, kernel, groups)) {
        tsr__code_clear(build->device, code);
        good = false;
    }
    if (good)
        report(kernel, groups, result.log);
    tsr_clc_result_free(&result);
    return good;
}

/* A program that tries sizes out must not fill the memory with code. */
enum { MOST_CODES = 64 };

static bool is_it(const struct tsr__group_code *groups, uint32_t kernel, enum tsr_group_code which, const uint32_t size[3])
{
    return groups->kernel == kernel && groups->which == which && !memcmp(groups->size, size, sizeof groups->size);
}

static struct tsr_code *find(struct tsr_build *build, const char *name, enum tsr_group_code which, const uint32_t size[3],
                             struct tsr__group_code **found)
{
    uint32_t kernel = tsr_find_kernel(&build->code.info, name), count = 0;
    *found = build->group_codes;
    for (; *found && !is_it(*found, kernel, which, size); *found = (*found)->next)
        count++;
    if (!*found && kernel < build->code.info.kernel_count && count < MOST_CODES) {
        struct tsr__group_code *made = *found = tsr_calloc(1, sizeof *made);
        if (made) {
            *made =
                (struct tsr__group_code){.next = build->group_codes, .kernel = kernel, .which = which, .size = {size[0], size[1], size[2]}};
            build->group_codes = made;
        }
    }
    return *found ? &(*found)->code : NULL;
}

struct tsr_code *tsr__code_of_groups(struct _cl_program *program, const struct _cl_device_id *device, const struct tsr_kernel_info *kernel,
                                     enum tsr_group_code which, const uint64_t local[3], bool wanted, bool *never)
{
    uint32_t size[3] = {0};
    for (int d = 0; d < 3 && which == TSR_GROUPS_OF_SIZE; d++)
        size[d] = (uint32_t)local[d];
    pthread_mutex_lock(&program->lock);
    struct tsr_build *build = tsr__program_build_for(program, device);
    struct tsr__group_code *groups = NULL;
    const struct tsr_program_info *info = build ? &build->code.info : NULL;
    const bool has_bitcode = info && (info->kind == TSR_IMAGE_PROGRAM || info->module_size);
    struct tsr_code *code =
        has_bitcode && !info->global_bytes ? find(build, kernel->name, which, size, &groups) : NULL; /* variables would be there twice */
    bool there = code && code->image && !code->busy;
    if (code && !there && wanted && !code->busy && !code->alone) {
        struct tsr_code made = {0};
        code->busy = true;
        pthread_mutex_unlock(&program->lock);
        there = make(build, kernel, groups, &made);
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
