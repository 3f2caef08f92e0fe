/* SPDX-License-Identifier: Apache-2.0
 * A device for tests with all that the CPU device does not need: memory of its own, at other addresses than the host's buffers and closed
 * (PROT_NONE) but for the device's own functions while they run, so that any other access faults; a queue of its own, run by a thread;
 * fewer extensions, smaller limits, another target. Kernels run by the CPU device's code. It is never in libtessera.so. */
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>

#include "tessera/device.h"

extern const struct tsr_device_ops tsr_cpu_device, tsr_remote_device;

enum {
    MEMORY = 64 << 20,
    MOST_BYTES = 16 << 20, /* of one allocation */
    LOCAL_MEMORY = 32 << 10,
    GAP = 4096, /* between allocations */
    MOST_ALLOCATIONS = 4096,
};

/* ---- memory ---- */

static struct {
    pthread_mutex_t lock;
    unsigned char *base;
    unsigned users; /* functions inside, for which it is open */
    struct {
        uint64_t begin, end;
    } taken[MOST_ALLOCATIONS]; /* by address */
    unsigned count;
} memory = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void memory_open(void)
{
    pthread_mutex_lock(&memory.lock);
    if (!memory.users++)
        mprotect(memory.base, MEMORY, PROT_READ | PROT_WRITE);
    pthread_mutex_unlock(&memory.lock);
}

static void memory_close(void)
{
    pthread_mutex_lock(&memory.lock);
    if (!--memory.users)
        mprotect(memory.base, MEMORY, PROT_NONE);
    pthread_mutex_unlock(&memory.lock);
}

static enum tsr_status memory_allocate(const struct tsr_device *device, uint64_t size, uint64_t *address)
{
    (void)device;
    enum tsr_status status = TSR_NO_MEMORY;
    pthread_mutex_lock(&memory.lock);
    if (!memory.base) {
        void *base = mmap(NULL, MEMORY, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        memory.base = base == MAP_FAILED ? NULL : base;
    }
    uint64_t at = (uint64_t)(uintptr_t)memory.base, end = at + MEMORY;
    unsigned i = 0;
    for (; i < memory.count && memory.taken[i].begin - at < size + GAP; i++)
        at = (memory.taken[i].end + GAP + 127) & ~(uint64_t)127;
    if (memory.base && memory.count < MOST_ALLOCATIONS && at <= end && size <= end - at) {
        memmove(memory.taken + i + 1, memory.taken + i, (memory.count - i) * sizeof memory.taken[0]);
        memory.taken[i].begin = at;
        memory.taken[i].end = at + size;
        memory.count++;
        *address = at;
        status = TSR_OK;
    }
    pthread_mutex_unlock(&memory.lock);
    return status;
}

static void memory_free(const struct tsr_device *device, uint64_t address)
{
    (void)device;
    pthread_mutex_lock(&memory.lock);
    for (unsigned i = 0; i < memory.count; i++)
        if (memory.taken[i].begin == address) {
            memory.count--;
            memmove(memory.taken + i, memory.taken + i + 1, (memory.count - i) * sizeof memory.taken[0]);
            break;
        }
    pthread_mutex_unlock(&memory.lock);
}

/* Whether one allocation has all of it: the interface promises that. */
static bool is_taken(uint64_t address, uint64_t size)
{
    bool found = false;
    pthread_mutex_lock(&memory.lock);
    for (unsigned i = 0; i < memory.count; i++)
        found |= address >= memory.taken[i].begin && address <= memory.taken[i].end && size <= memory.taken[i].end - address;
    pthread_mutex_unlock(&memory.lock);
    return found;
}

static enum tsr_status memory_write(const struct tsr_device *device, uint64_t to, const void *from, uint64_t size)
{
    (void)device;
    if (!is_taken(to, size))
        return TSR_IO;
    memory_open();
    memcpy((void *)(uintptr_t)to, from, size);
    memory_close();
    return TSR_OK;
}

static enum tsr_status memory_read(const struct tsr_device *device, void *to, uint64_t from, uint64_t size)
{
    (void)device;
    if (!is_taken(from, size))
        return TSR_IO;
    memory_open();
    memcpy(to, (const void *)(uintptr_t)from, size);
    memory_close();
    return TSR_OK;
}

static enum tsr_status memory_copy(const struct tsr_device *device, uint64_t to, uint64_t from, uint64_t size)
{
    return is_taken(from, size) ? memory_write(device, to, (const void *)(uintptr_t)from, size) : TSR_IO;
}

static enum tsr_status memory_fill(const struct tsr_device *device, uint64_t to, uint64_t size, const void *pattern, uint64_t pattern_size)
{
    (void)device;
    if (!is_taken(to, size))
        return TSR_IO;
    memory_open();
    for (uint64_t at = 0; at < size; at += pattern_size)
        memcpy((unsigned char *)(uintptr_t)to + at, pattern, pattern_size);
    memory_close();
    return TSR_OK;
}

/* ---- launches ---- */

struct tsr_launch {
    struct tsr_module *module; /* the CPU device's */
    const struct tsr_kernel_info *kernel;
    struct tsr_ndrange range;
    uint64_t local_bytes;
    char *why;
    struct tsr_launch *next;
    void (*ended)(void *data, int status);
    void *data;
    struct tsr_launch *inner; /* the CPU device's, while it runs */
    struct tsr_task task;
    _Alignas(128) unsigned char args[];
};

static struct tsr_launch *launch_make(struct tsr_module *module, const struct tsr_kernel_info *kernel, const struct tsr_ndrange *range,
                                      const void *args, uint64_t local_argument_bytes, const struct tsr_arg_memory *reached)
{
    (void)reached;
    struct tsr_launch *launch = tsr_aligned(_Alignof(struct tsr_launch), sizeof *launch + kernel->args_size);
    if (!launch)
        return NULL;
    memset(launch, 0, sizeof *launch);
    launch->module = module;
    launch->kernel = kernel;
    launch->range = *range;
    launch->local_bytes = local_argument_bytes;
    memcpy(launch->args, args, kernel->args_size);
    return launch;
}

static void launch_bind(struct tsr_launch *launch, uint32_t argument, uint64_t address)
{
    memcpy(launch->args + launch->kernel->args[argument].offset, &address, sizeof address);
}

static int run_task(struct tsr_task *task, struct tsr_worker *worker, uint64_t begin, uint64_t end)
{
    return tsr_cpu_device.launch_run(TSR_CONTAINER_OF(task, struct tsr_launch, task)->inner, worker, begin, end);
}

static int run(struct tsr_launch *launch)
{
    int status = -5;
    launch->inner = tsr_cpu_device.launch_make(launch->module, launch->kernel, &launch->range, launch->args, launch->local_bytes, NULL);
    if (!launch->inner)
        return status;
    launch->task.run = run_task;
    launch->task.units = tsr_cpu_device.launch_units(launch->inner, &launch->task.unit_cost);
    memory_open();
    tsr_task_init(&launch->task, tsr_pool_get(tsr_cpus_allowed()));
    tsr_task_submit(&launch->task);
    tsr_task_wait(&launch->task, &status);
    memory_close();
    tsr_cpu_device.launch_end(launch->inner, &launch->why);
    return status;
}

static struct {
    pthread_mutex_t lock;
    pthread_cond_t more;
    struct tsr_launch *first, **last;
} queue = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, NULL, &queue.first};

static void *queue_main(void *unused)
{
    (void)unused;
    for (;;) {
        pthread_mutex_lock(&queue.lock);
        while (!queue.first)
            pthread_cond_wait(&queue.more, &queue.lock);
        struct tsr_launch *launch = queue.first;
        queue.first = launch->next;
        if (!queue.first)
            queue.last = &queue.first;
        pthread_mutex_unlock(&queue.lock);
        int status = run(launch);
        launch->ended(launch->data, status);
    }
    return NULL;
}

static bool queue_runs;

static void start_queue(void)
{
    pthread_t thread;
    queue_runs = !pthread_create(&thread, NULL, queue_main, NULL) && !pthread_detach(thread);
}

/* A kernel whose name begins with "refused" cannot be submitted, for tests of that. */
static int launch_submit(struct tsr_launch *launch, void (*ended)(void *data, int status), void *data)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, start_queue);
    if (!queue_runs || !strncmp(launch->kernel->name, "refused", 7))
        return -5;
    launch->ended = ended;
    launch->data = data;
    pthread_mutex_lock(&queue.lock);
    *queue.last = launch;
    queue.last = &launch->next;
    pthread_cond_signal(&queue.more);
    pthread_mutex_unlock(&queue.lock);
    return 0;
}

static void launch_end(struct tsr_launch *launch, char **why)
{
    if (why)
        *why = launch->why;
    else
        tsr_free(launch->why);
    tsr_free(launch);
}

/* ---- the device ---- */

static struct tsr_device_caps caps;
static struct tsr_device remote = {.ops = &tsr_remote_device, .caps = &caps, .compute_units = 1};

static void find_out(void)
{
    static const enum tsr_ext lacks[] = {
        TSR_HAS_cl_khr_3d_image_writes,
        TSR_HAS_cl_khr_depth_images,
        TSR_HAS_cl_khr_image2d_from_buffer,
        TSR_HAS_cl_khr_mipmap_image,
        TSR_HAS_cl_khr_mipmap_image_writes,
        TSR_HAS_cl_khr_srgb_image_writes,
        TSR_HAS_cl_ext_image_from_buffer,
        TSR_HAS_cl_ext_image_requirements_info,
        TSR_HAS___opencl_c_3d_image_writes,
        TSR_HAS___opencl_c_images,
        TSR_HAS___opencl_c_read_write_images,
        TSR_HAS___opencl_c_pipes,
        TSR_HAS___opencl_c_device_enqueue,
        TSR_HAS_cl_khr_il_program,
        TSR_HAS_cl_khr_spirv_queries,
        TSR_HAS_cl_khr_spirv_linkonce_odr,
        TSR_HAS_cl_khr_spirv_no_integer_wrap_decoration,
        TSR_HAS_cl_intel_unified_shared_memory,
        TSR_HAS_cl_khr_unified_svm,
        TSR_HAS_cl_khr_fp16,
        TSR_HAS_cl_khr_fp64,
        TSR_HAS___opencl_c_fp64,
        TSR_HAS___opencl_c_ext_fp16_global_atomic_add,
        TSR_HAS___opencl_c_ext_fp16_global_atomic_load_store,
        TSR_HAS___opencl_c_ext_fp16_global_atomic_min_max,
        TSR_HAS___opencl_c_ext_fp16_local_atomic_add,
        TSR_HAS___opencl_c_ext_fp16_local_atomic_load_store,
        TSR_HAS___opencl_c_ext_fp16_local_atomic_min_max,
        TSR_HAS___opencl_c_ext_fp64_global_atomic_add,
        TSR_HAS___opencl_c_ext_fp64_global_atomic_min_max,
        TSR_HAS___opencl_c_ext_fp64_local_atomic_add,
        TSR_HAS___opencl_c_ext_fp64_local_atomic_min_max,
        TSR_HAS___opencl_c_atomic_scope_all_devices,
        TSR_HAS_cl_khr_external_memory,
        TSR_HAS_cl_khr_external_memory_dma_buf,
        TSR_HAS_cl_intel_exec_by_local_thread,
    };
    struct tsr_device **cpu;
    tsr_cpu_device.roots(&cpu);
    caps = *cpu[0]->caps;
    caps.type = TSR_DEVICE_ACCELERATOR;
    caps.name = "Remote test device";
    caps.compute_units = 1;
    caps.global_memory = MEMORY;
    caps.max_allocation = MOST_BYTES;
    caps.local_memory = LOCAL_MEMORY;
    caps.native_kernels = false;
    caps.own_memory = true;
    caps.svm = 0;
    caps.spirv = false;
    caps.images = caps.device_queues = false;
    for (size_t i = 0; i < TSR_ARRAY_LEN(lacks); i++)
        caps.extensions.has[lacks[i]] = false;
}

static unsigned roots(struct tsr_device ***devices)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    static struct tsr_device *list[] = {&remote};
    pthread_once(&once, find_out);
    *devices = list;
    return 1;
}

static const void *identity(const struct tsr_device *device, size_t *size)
{
    *size = strlen(device->caps->name);
    return device->caps->name;
}

static struct tsr_pool *pool(const struct tsr_device *device)
{
    (void)device;
    return tsr_pool_get(tsr_cpus_allowed());
}

static void target(const struct tsr_device *device, struct tsr_target *target)
{
    (void)device;
    *target = (struct tsr_target){.triple = TSR_TRIPLE_X86_64, .engine = TSR_ENGINE_REFERENCE, .default_sub_group_size = 8};
}

static uint64_t max_work_group(const struct tsr_device *device, const struct tsr_kernel_info *kernel, uint64_t local_argument_bytes)
{
    return kernel->local_bytes + local_argument_bytes > LOCAL_MEMORY ? 0
                                                                     : tsr_cpu_device.max_work_group(device, kernel, local_argument_bytes);
}

static void suggest_local_size(const struct tsr_device *device, const struct tsr_kernel_info *kernel, struct tsr_ndrange *range)
{
    tsr_cpu_device.suggest_local_size(device, kernel, range);
}

static enum tsr_status module_load(const struct tsr_device *device, const struct tsr_program_info *info, struct tsr_module **module,
                                   char **why)
{
    return tsr_cpu_device.module_load(device, info, module, why);
}

static void module_unload(struct tsr_module *module)
{
    tsr_cpu_device.module_unload(module);
}

const struct tsr_device_ops tsr_remote_device = {
    .name = "remote",
    .roots = roots,
    .identity = identity,
    .pool = pool,
    .target = target,
    .module_load = module_load,
    .module_unload = module_unload,
    .memory_allocate = memory_allocate,
    .memory_free = memory_free,
    .memory_write = memory_write,
    .memory_read = memory_read,
    .memory_copy = memory_copy,
    .memory_fill = memory_fill,
    .max_work_group = max_work_group,
    .suggest_local_size = suggest_local_size,
    .launch_make = launch_make,
    .launch_bind = launch_bind,
    .launch_submit = launch_submit,
    .launch_end = launch_end,
};
