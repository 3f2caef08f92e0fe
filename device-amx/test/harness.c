/* SPDX-License-Identifier: Apache-2.0
 * The harness of the device's tests. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"

struct run {
    struct tsr_task task;
    struct tsr_launch *launch;
};

static int run_units(struct tsr_task *task, struct tsr_worker *worker, uint64_t begin, uint64_t end)
{
    return tsr_cpu_device.launch_run(TSR_CONTAINER_OF(task, struct run, task)->launch, worker, begin, end);
}

static void read_info(struct program *p, const char *path)
{
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    char line[512], name[128], entry[128];
    struct tsr_program_info *info = &p->info;
    info->kernels = tsr_arena_alloc(&p->arena, 64 * sizeof *info->kernels);
    while (fgets(line, sizeof line, file)) {
        struct tsr_kernel_info k = {.attributes = ""};
        struct tsr_arg_info a = {0};
        unsigned number, kind;
        unsigned long local_bytes, private_bytes, device_stack_bytes, context_bytes;
        if (sscanf(
                line,
                "kernel %127s entry %127s args_size %u flags %u sub_group_size %u local_bytes %lu private_bytes %lu device_stack_bytes %lu "
                "context_bytes %lu",
                name, entry, &k.args_size, &k.flags, &k.sub_group_size, &local_bytes, &private_bytes, &device_stack_bytes,
                &context_bytes) == 9) {
            assert_true(info->kernel_count < 64);
            k.name = tsr_arena_format(&p->arena, "%s", name);
            k.entry = tsr_arena_format(&p->arena, "%s", entry);
            k.local_bytes = local_bytes;
            k.private_bytes = private_bytes;
            k.device_stack_bytes = device_stack_bytes;
            k.context_bytes = context_bytes;
            k.args = tsr_arena_alloc(&p->arena, 32 * sizeof *k.args);
            info->kernels[info->kernel_count++] = k;
        } else if (sscanf(line, " arg %u kind %u size %u align %u offset %u", &number, &kind, &a.size, &a.align, &a.offset) == 5) {
            struct tsr_kernel_info *last = &info->kernels[info->kernel_count - 1];
            assert_true(number < 32);
            a.kind = (enum tsr_arg_kind)kind;
            last->args[number] = a;
            last->arg_count = number + 1;
        }
    }
    fclose(file);
}

void program_load(struct program *p, const char *name)
{
    char path[1024];
    memset(p, 0, sizeof *p);
    snprintf(path, sizeof path, KERNELS_DIR "/%s.info", name);
    read_info(p, path);
    snprintf(path, sizeof path, KERNELS_DIR "/%s.so", name);
    assert_int_equal(tsr_file_read(path, 64 << 20, &p->code, &p->info.code_size), TSR_OK);
    p->info.kind = TSR_IMAGE_EXECUTABLE;
    p->info.code = p->code;
    char *why = NULL;
    if (tsr_cpu_device.module_load(test_device(), &p->info, &p->module, &why))
        fail_msg("%s", why ? why : "no reason");
}

const struct tsr_device *test_device(void)
{
    struct tsr_device **devices;
    tsr_cpu_device.roots(&devices);
    return devices[0];
}

void program_free(struct program *p)
{
    tsr_cpu_device.module_unload(p->module);
    tsr_free(p->code);
    tsr_arena_free(&p->arena);
}

const struct tsr_kernel_info *program_kernel(const struct program *p, const char *name)
{
    for (uint32_t i = 0; i < p->info.kernel_count; i++) {
        if (!strcmp(p->info.kernels[i].name, name))
            return &p->info.kernels[i];
    }
    fail_msg("no kernel %s", name);
    return NULL;
}

int launch_run(struct tsr_launch *launch)
{
    struct run run = {.launch = launch};
    run.task.run = run_units;
    run.task.units = tsr_cpu_device.launch_units(launch, &run.task.unit_cost);
    tsr_task_init(&run.task, tsr_pool_get(tsr_cpus_allowed()));
    tsr_task_submit(&run.task);
    int status = 0;
    assert_int_equal(tsr_task_wait(&run.task, &status), TSR_OK);
    return status;
}

int program_run(struct program *p, const char *kernel, const struct tsr_ndrange *range, const struct argument *args, size_t count,
                char **why)
{
    const struct tsr_kernel_info *k = program_kernel(p, kernel);
    assert_int_equal(count, k->arg_count);
    unsigned char *block = tsr_aligned(128, k->args_size + 1);
    assert_non_null(block);
    uint64_t local = (k->local_bytes + 127) / 128 * 128, dynamic = 0;
    for (size_t i = 0; i < count; i++) {
        const struct tsr_arg_info *a = &k->args[i];
        if (args[i].value) {
            assert_int_equal(args[i].size, a->size);
            memcpy(block + a->offset, args[i].value, a->size);
        } else {
            assert_int_equal(a->kind, TSR_ARG_LOCAL);
            uint64_t offset = local + dynamic;
            memcpy(block + a->offset, &offset, 8);
            dynamic += (args[i].size + 127) / 128 * 128;
        }
    }
    struct tsr_launch *launch = tsr_cpu_device.launch_make(p->module, k, range, block, dynamic, NULL);
    assert_non_null(launch);
    tsr_free(block);
    int status = launch_run(launch);
    tsr_cpu_device.launch_end(launch, why);
    return status;
}

struct tsr_ndrange range3(uint64_t gx, uint64_t gy, uint64_t gz, uint64_t lx, uint64_t ly, uint64_t lz)
{
    return (struct tsr_ndrange){.dim = 3, .global = {gx, gy, gz}, .local = {lx, ly, lz}};
}

struct tsr_ndrange range1(uint64_t global, uint64_t local)
{
    struct tsr_ndrange r = range3(global, 1, 1, local, 1, 1);
    r.dim = 1;
    return r;
}
