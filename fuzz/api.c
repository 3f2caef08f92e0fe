/* SPDX-License-Identifier: Apache-2.0
 * Fuzzer of the whole API: the input chooses calls, handles (live, NULL, of another kind, no handle at all), sizes and flags.
 *
 * What an application must not do, as the specification leaves it undefined, is not done: use of handles after their last release, sizes
 * beyond its own memory, waiting for user events that nobody will set. Oracles: the sanitizers; a clCreate* gives an object or an error
 * and never both; after all has been released, every context and every buffer has called its destructor callback; commands that move
 * bytes write what a plain model writes (api_bytes.c). */
#include <sched.h>
#include "fuzz/api.h"

enum { SLOTS = 6, MOST_CALLS = 80 };

struct fuzz_bytes fuzz_in;
cl_platform_id fuzz_platform;
unsigned char fuzz_pattern[256];
_Atomic int fuzz_mems_alive;
void *fuzz_svm[4];
cl_context fuzz_svm_context[4];

static struct fuzz_slot table[KINDS][SLOTS];
static cl_device_id root;
static _Atomic int contexts_alive;
static unsigned char no_object[512]; /* memory that is no object */
/* Markers at the end of queues that are released: their commands run on, and use memory until these are complete. */
static cl_event drained[MOST_CALLS];
static unsigned drained_count;

/* ---- choices ---- */

bool fuzz_odds(unsigned n) /* one of n */
{
    return fuzz_below(&fuzz_in, n) == n - 1;
}

void *fuzz_pick(enum fuzz_kind kind)
{
    unsigned how = fuzz_byte(&fuzz_in);
    if (how >= 252)
        return how == 255 ? NULL : how == 254 ? no_object : table[how & 7][how >> 3 & 3].handle;
    void *live[SLOTS];
    unsigned count = 0;
    for (unsigned i = 0; i < SLOTS; i++)
        if (table[kind][i].handle)
            live[count++] = table[kind][i].handle;
    return count ? live[how % count] : NULL;
}

struct fuzz_slot *fuzz_slot_of(enum fuzz_kind kind, const void *handle)
{
    for (unsigned i = 0; handle && i < SLOTS; i++)
        if (table[kind][i].handle == handle)
            return &table[kind][i];
    return NULL;
}

size_t fuzz_any_size(void)
{
    static const size_t odd[] = {0, 1, SIZE_MAX, SIZE_MAX / 2 + 1, (size_t)1 << 40, 4095, 65, 3};
    unsigned byte = fuzz_byte(&fuzz_in);
    return byte >= 248 ? odd[byte & 7] : byte;
}

cl_uint fuzz_any_flags(void)
{
    return fuzz_byte(&fuzz_in) | (fuzz_odds(4) ? fuzz_byte(&fuzz_in) << 8 : 0);
}

/* ---- life ---- */

static cl_int retain(enum fuzz_kind kind, void *handle)
{
    switch (kind) {
    case DEVICE:
        return clRetainDevice(handle);
    case CONTEXT:
        return clRetainContext(handle);
    case QUEUE:
        return clRetainCommandQueue(handle);
    case MEM:
        return clRetainMemObject(handle);
    case SAMPLER:
        return clRetainSampler(handle);
    case PROGRAM:
        return clRetainProgram(handle);
    case KERNEL:
        return clRetainKernel(handle);
    default:
        return clRetainEvent(handle);
    }
}

static cl_int release(enum fuzz_kind kind, void *handle)
{
    switch (kind) {
    case DEVICE:
        return clReleaseDevice(handle);
    case CONTEXT:
        return clReleaseContext(handle);
    case QUEUE:
        return clReleaseCommandQueue(handle);
    case MEM:
        return clReleaseMemObject(handle);
    case SAMPLER:
        return clReleaseSampler(handle);
    case PROGRAM:
        return clReleaseProgram(handle);
    case KERNEL:
        return clReleaseKernel(handle);
    default:
        return clReleaseEvent(handle);
    }
}

/* A new object: into the table, or away with it if that is full. */
struct fuzz_slot *fuzz_keep(enum fuzz_kind kind, void *handle, cl_int err)
{
    FUZZ_CHECK((err == CL_SUCCESS) == (handle != NULL));
    if (!handle)
        return NULL;
    for (unsigned i = 0; i < SLOTS; i++)
        if (!table[kind][i].handle) {
            table[kind][i] = (struct fuzz_slot){.handle = handle, .count = 1};
            return &table[kind][i];
        }
    FUZZ_CHECK(!release(kind, handle));
    return NULL;
}

void fuzz_keep_event(cl_event event, cl_int err)
{
    if (event)
        fuzz_keep(EVENT, event, err);
}

static void set_event(struct fuzz_slot *slot)
{
    FUZZ_CHECK(!clSetUserEventStatus(slot->handle, CL_COMPLETE));
    slot->unset = false;
}

/* Before anything that blocks: nothing waits for us any more. */
void fuzz_settle(void)
{
    for (unsigned i = 0; i < SLOTS; i++)
        if (table[EVENT][i].handle && table[EVENT][i].unset)
            set_event(&table[EVENT][i]);
}

static void call_release(void)
{
    enum fuzz_kind kind = fuzz_below(&fuzz_in, KINDS);
    void *handle = fuzz_pick(kind);
    struct fuzz_slot *slot = fuzz_slot_of(kind, handle);
    if (slot && slot->unset && slot->count == 1)
        set_event(slot);
    if (slot && kind == CONTEXT && slot->count == 1)
        for (unsigned i = 0; i < TSR_ARRAY_LEN(fuzz_svm); i++)
            if (fuzz_svm_context[i] == handle)
                return; /* SVM of a context that is gone cannot be freed */
    if (kind == MEM && slot && slot->count == 1)
        fuzz_mem_released(handle);
    if (kind == QUEUE && slot && slot->count == 1 && !clEnqueueMarkerWithWaitList(handle, 0, NULL, &drained[drained_count]))
        drained_count++;
    cl_int err = release(kind, handle);
    if (kind == DEVICE && handle == root)
        return; /* not counted */
    FUZZ_CHECK((err == CL_SUCCESS) == (slot != NULL));
    if (slot && --slot->count == 0)
        *slot = (struct fuzz_slot){0};
}

static void call_retain(void)
{
    enum fuzz_kind kind = fuzz_below(&fuzz_in, KINDS);
    void *handle = fuzz_pick(kind);
    struct fuzz_slot *slot = fuzz_slot_of(kind, handle);
    cl_int err = retain(kind, handle);
    FUZZ_CHECK((err == CL_SUCCESS) == (slot || (kind == DEVICE && handle == root)));
    if (slot)
        slot->count++;
}

void fuzz_make_wait(struct fuzz_wait *wait)
{
    *wait = (struct fuzz_wait){.count = fuzz_odds(2) ? fuzz_below(&fuzz_in, 4) : 0};
    for (unsigned i = 0; i < wait->count; i++)
        wait->events[i] = fuzz_pick(EVENT);
    wait->list = wait->count || fuzz_odds(32) ? wait->events : NULL;
    wait->event = fuzz_odds(2) ? &wait->out : NULL;
}

/* ---- platform, devices, contexts, queues ---- */

static void CL_CALLBACK on_error(const char *message, const void *info, size_t size, void *data)
{
    (void)info, (void)size, (void)data;
    FUZZ_CHECK(message && *message);
}

static void CL_CALLBACK on_context_end(cl_context context, void *data)
{
    (void)context, (void)data;
    contexts_alive--;
}

static void call_devices(void)
{
    cl_uint count = 0, room = fuzz_below(&fuzz_in, 4);
    cl_device_id *devices = fuzz_odds(4) ? NULL : malloc(room * sizeof *devices + 1);
    clGetDeviceIDs(fuzz_odds(16) ? fuzz_pick(CONTEXT) : fuzz_platform, fuzz_odds(4) ? fuzz_any_flags() : CL_DEVICE_TYPE_ALL, room, devices,
                   fuzz_odds(4) ? NULL : &count);
    free(devices);
}

static void call_sub_devices(void)
{
    cl_device_partition_property list[6] = {0};
    static const cl_device_partition_property kinds[] = {CL_DEVICE_PARTITION_EQUALLY, CL_DEVICE_PARTITION_BY_COUNTS,
                                                         CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN, 0};
    list[0] = kinds[fuzz_below(&fuzz_in, 4)];
    for (unsigned i = 1; i < 5; i++)
        list[i] = fuzz_below(&fuzz_in, 4) == 3 ? (cl_device_partition_property)fuzz_any_size() : fuzz_below(&fuzz_in, 3);
    cl_uint room = fuzz_below(&fuzz_in, 5), count = 0;
    cl_device_id devices[4] = {0};
    cl_int err = clCreateSubDevices(fuzz_pick(DEVICE), fuzz_odds(16) ? NULL : list, room, fuzz_odds(8) ? NULL : devices, &count);
    for (cl_uint i = 0; i < 4 && devices[i]; i++)
        fuzz_keep(DEVICE, devices[i], err);
}

static void call_context(void)
{
    cl_context_properties list[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)fuzz_platform, 0, 0, 0};
    if (fuzz_odds(8))
        list[fuzz_below(&fuzz_in, 4)] = (cl_context_properties)fuzz_any_size();
    if (list[0] == CL_CONTEXT_PLATFORM && list[1] != (cl_context_properties)fuzz_platform)
        list[1] = fuzz_odds(2) ? 0 : (cl_context_properties)no_object;
    cl_device_id devices[3] = {fuzz_pick(DEVICE), fuzz_pick(DEVICE), fuzz_pick(DEVICE)};
    cl_int err = 1;
    cl_context context;
    if (fuzz_odds(3))
        context = clCreateContextFromType(fuzz_odds(2) ? list : NULL, fuzz_odds(4) ? fuzz_any_flags() : CL_DEVICE_TYPE_CPU,
                                          fuzz_odds(2) ? on_error : NULL, NULL, &err);
    else
        context = clCreateContext(fuzz_odds(2) ? list : NULL, fuzz_below(&fuzz_in, 4), fuzz_odds(16) ? NULL : devices,
                                  fuzz_odds(2) ? on_error : NULL, fuzz_odds(16) ? &fuzz_in : NULL, &err);
    if (context) {
        contexts_alive++;
        FUZZ_CHECK(!clSetContextDestructorCallback(context, on_context_end, NULL));
    }
    fuzz_keep(CONTEXT, context, err);
}

static void call_queue(void)
{
    cl_queue_properties list[] = {CL_QUEUE_PROPERTIES, fuzz_below(&fuzz_in, 4), 0, 0, 0};
    if (fuzz_odds(8))
        list[fuzz_below(&fuzz_in, 4)] = fuzz_any_size();
    cl_context context = fuzz_pick(CONTEXT);
    cl_device_id device = fuzz_pick(DEVICE);
    cl_int err = 1;
    cl_command_queue queue = fuzz_odds(3)
                                 ? clCreateCommandQueue(context, device, fuzz_odds(4) ? fuzz_any_flags() : fuzz_below(&fuzz_in, 4), &err)
                                 : clCreateCommandQueueWithProperties(context, device, fuzz_odds(4) ? NULL : list, &err);
    fuzz_keep(QUEUE, queue, err);
}

static void call_wait(void)
{
    fuzz_settle();
    cl_command_queue queue = fuzz_pick(QUEUE);
    cl_event list[] = {fuzz_pick(EVENT), fuzz_pick(EVENT)};
    switch (fuzz_below(&fuzz_in, 4)) {
    case 0:
        clFinish(queue);
        break;
    case 1:
        clWaitForEvents(fuzz_below(&fuzz_in, 3), fuzz_odds(16) ? NULL : list);
        break;
    case 2:
        clEnqueueWaitForEvents(queue, fuzz_below(&fuzz_in, 3), list);
        break;
    default:
        clFlush(queue);
    }
}

static void call_sampler(void)
{
    cl_sampler_properties list[] = {CL_SAMPLER_NORMALIZED_COORDS + fuzz_below(&fuzz_in, 4), fuzz_below(&fuzz_in, 3), 0, 0, 0};
    cl_int err = 1;
    cl_sampler sampler = fuzz_odds(2) ? clCreateSampler(fuzz_pick(CONTEXT), fuzz_below(&fuzz_in, 3), 0x1130 + fuzz_below(&fuzz_in, 6),
                                                        0x1140 + fuzz_below(&fuzz_in, 3), &err)
                                      : clCreateSamplerWithProperties(fuzz_pick(CONTEXT), fuzz_odds(4) ? NULL : list, &err);
    fuzz_keep(SAMPLER, sampler, err);
}

/* ---- queries ---- */

static void call_query(void)
{
    static const size_t sizes[] = {0, 1, 4, 8, 64, 4096, 16384, 7};
    size_t room = sizes[fuzz_below(&fuzz_in, 8)], ret = 0, *size = fuzz_odds(2) ? &ret : NULL;
    void *value = fuzz_odds(4) ? NULL : calloc(1, room + !room); /* zeros: CL_PROGRAM_BINARIES reads pointers from it */
    cl_uint what = fuzz_byte(&fuzz_in);
    size_t input[3] = {fuzz_any_size(), fuzz_any_size(), fuzz_any_size()};
    cl_device_id device = fuzz_pick(DEVICE);
    switch (fuzz_below(&fuzz_in, 16)) {
    case 0:
        clGetPlatformInfo(fuzz_odds(16) ? (void *)device : fuzz_platform, 0x0900 + what, room, value, size);
        break;
    case 1:
        clGetDeviceInfo(device, 0x1000 + what, room, value, size);
        break;
    case 2:
        clGetContextInfo(fuzz_pick(CONTEXT), 0x1080 + (what & 15), room, value, size);
        break;
    case 3:
        clGetCommandQueueInfo(fuzz_pick(QUEUE), 0x1090 + (what & 15), room, value, size);
        break;
    case 4:
        clGetMemObjectInfo(fuzz_pick(MEM), 0x1100 + (what & 15), room, value, size);
        break;
    case 5:
        clGetSamplerInfo(fuzz_pick(SAMPLER), 0x1150 + (what & 15), room, value, size);
        break;
    case 6:
        clGetProgramInfo(fuzz_pick(PROGRAM), 0x1160 + (what & 15), room, value, size);
        break;
    case 7:
        clGetProgramBuildInfo(fuzz_pick(PROGRAM), device, 0x1180 + (what & 7), room, value, size);
        break;
    case 8:
        clGetKernelInfo(fuzz_pick(KERNEL), 0x1190 + (what & 7), room, value, size);
        break;
    case 9:
        clGetKernelArgInfo(fuzz_pick(KERNEL), fuzz_below(&fuzz_in, 6), 0x1196 + (what & 7), room, value, size);
        break;
    case 10:
        clGetKernelWorkGroupInfo(fuzz_pick(KERNEL), device, 0x11B0 + (what & 7), room, value, size);
        break;
    case 11:
        clGetKernelSubGroupInfo(fuzz_pick(KERNEL), device, fuzz_odds(2) ? 0x2033 + (what & 1) : 0x11B8 + (what & 7),
                                8 * (size_t)fuzz_below(&fuzz_in, 4), fuzz_odds(8) ? NULL : input, room, value, size);
        break;
    case 12:
        clGetEventInfo(fuzz_pick(EVENT), 0x11D0 + (what & 7), room, value, size);
        break;
    case 13:
        clGetImageInfo(fuzz_pick(MEM), 0x1110 + (what & 15), room, value, size);
        break;
    case 14:
        clGetImageRequirementsInfoEXT(
            fuzz_pick(CONTEXT), NULL, fuzz_below(&fuzz_in, 8), &(cl_image_format){CL_RGBA, 0x10D0 + (what & 15)},
            &(cl_image_desc){.image_type = 0x10F0 + (what & 7), .image_width = input[0], .image_height = input[1]}, 0x1290 + (what & 15),
            room, value, size);
        break;
    default:
        clGetEventProfilingInfo(fuzz_pick(EVENT), 0x1280 + (what & 7), room, value, size);
        break;
    }
    free(value);
}

static void call_device_misc(void)
{
    cl_ulong device_time, host_time;
    cl_image_format formats[4];
    cl_uint count;
    switch (fuzz_below(&fuzz_in, 4)) {
    case 0:
        clGetDeviceAndHostTimer(fuzz_pick(DEVICE), fuzz_odds(8) ? NULL : &device_time, &host_time);
        break;
    case 1:
        clGetHostTimer(fuzz_pick(DEVICE), fuzz_odds(8) ? NULL : &host_time);
        break;
    case 2:
        clGetSupportedImageFormats(fuzz_pick(CONTEXT), fuzz_any_flags(), 0x10F0 + fuzz_below(&fuzz_in, 8), fuzz_below(&fuzz_in, 5), formats,
                                   &count);
        break;
    default:
        clSetDefaultDeviceCommandQueue(fuzz_pick(CONTEXT), fuzz_pick(DEVICE), fuzz_pick(QUEUE));
        break;
    }
}

/* ---- events ---- */

static void CL_CALLBACK on_event(cl_event event, cl_int status, void *data)
{
    (void)event, (void)status, (void)data;
}

static void call_event(void)
{
    cl_int err = 1;
    cl_event event = fuzz_pick(EVENT);
    struct fuzz_slot *slot = fuzz_slot_of(EVENT, event);
    switch (fuzz_below(&fuzz_in, 3)) {
    case 0:
        event = clCreateUserEvent(fuzz_pick(CONTEXT), &err);
        slot = fuzz_keep(EVENT, event, err); /* in a full table it goes at once, and nobody waits for it */
        if (slot)
            slot->unset = true;
        break;
    case 1:
        err = clSetUserEventStatus(event, fuzz_odds(4)   ? (cl_int)fuzz_below(&fuzz_in, 4)
                                          : fuzz_odds(3) ? -1 - (cl_int)fuzz_below(&fuzz_in, 9)
                                                         : CL_COMPLETE);
        FUZZ_CHECK(err || slot->unset);
        if (!err)
            slot->unset = false;
        break;
    default:
        clSetEventCallback(event, fuzz_odds(8) ? (cl_int)fuzz_any_size() : (cl_int)fuzz_below(&fuzz_in, 4), fuzz_odds(16) ? NULL : on_event,
                           NULL);
    }
}

/* ---- one input ---- */

static void (*const calls[])(void) = {
    call_context,
    call_queue,
    fuzz_call_buffer,
    fuzz_call_sub_buffer,
    fuzz_call_program,
    fuzz_call_build,
    fuzz_call_kernel,
    fuzz_call_arg,
    fuzz_call_arg,
    fuzz_call_arg,
    fuzz_call_launch,
    fuzz_call_launch,
    fuzz_call_transfer,
    fuzz_call_rect,
    fuzz_call_map,
    fuzz_call_marker,
    fuzz_call_svm,
    fuzz_call_svm_alloc,
    call_event,
    call_wait,
    call_query,
    call_query,
    call_retain,
    call_release,
    fuzz_call_program_misc,
    fuzz_call_binary,
    call_sub_devices,
    call_devices,
    call_sampler,
    fuzz_call_image,
    fuzz_call_image,
    fuzz_call_image_transfer,
    fuzz_call_image_transfer,
    fuzz_call_image_map,
    call_device_misc,
    fuzz_call_transfer,
    fuzz_call_bytes,
    fuzz_call_command_buffer,
};

bool fuzz_seed(unsigned index, struct tsr_buf *seed)
{
    enum { SEEDS = 24, LENGTH = 600 };
    if (index >= SEEDS)
        return false;
    uint64_t state = index * UINT64_C(0x9e3779b97f4a7c15) + 1;
    for (unsigned i = 0; i < LENGTH; i++) {
        state = state * UINT64_C(6364136223846793005) + 1442695040888963407u;
        unsigned char byte = (unsigned char)(state >> 33);
        tsr_buf_bytes(seed, &byte, 1);
    }
    return true;
}

void fuzz_begin(void)
{
    cl_uint count = 0;
    FUZZ_CHECK(!clIcdGetPlatformIDsKHR(1, &fuzz_platform, &count) && count == 1);
    FUZZ_CHECK(!clGetDeviceIDs(fuzz_platform, CL_DEVICE_TYPE_ALL, 1, &root, NULL));
    for (unsigned i = 0; i < sizeof fuzz_pattern; i++)
        fuzz_pattern[i] = (unsigned char)i;
    fuzz_begin_bytes();
}

static void release_all(void)
{
    fuzz_settle();
    fuzz_wait_for_builds();
    for (unsigned i = 0; i < SLOTS; i++)
        if (table[QUEUE][i].handle)
            FUZZ_CHECK(!clFinish(table[QUEUE][i].handle));
    for (; drained_count; drained_count--) {
        clWaitForEvents(1, &drained[drained_count - 1]); /* an error if a command before it failed */
        FUZZ_CHECK(!clReleaseEvent(drained[drained_count - 1]));
    }
    for (unsigned i = 0; i < TSR_ARRAY_LEN(fuzz_svm); i++)
        if (fuzz_svm[i])
            fuzz_svm_free(i);
    memset(fuzz_svm, 0, sizeof fuzz_svm);
    memset(fuzz_svm_context, 0, sizeof fuzz_svm_context);
    for (int kind = KINDS - 1; kind >= 0; kind--)
        for (unsigned i = 0; i < SLOTS; i++)
            for (struct fuzz_slot *slot = &table[kind][i]; slot->count; slot->count--)
                if (kind != DEVICE || slot->handle != root)
                    FUZZ_CHECK(!release(kind, slot->handle));
    memset(table, 0, sizeof table);
    /* The last holds go with the threads that ran the commands. */
    uint64_t end = tsr_now_ns() + 5000000000u;
    while ((contexts_alive || fuzz_mems_alive) && tsr_now_ns() < end)
        sched_yield();
    FUZZ_CHECK(!contexts_alive && !fuzz_mems_alive);
    fuzz_memory_end();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_in = (struct fuzz_bytes){data, size};
    cl_int err;
    table[DEVICE][0] = (struct fuzz_slot){.handle = root, .count = 1};
    for (unsigned i = 0; i < 2; i++) {
        cl_context context = clCreateContext(NULL, 1, &root, on_error, NULL, &err);
        FUZZ_CHECK(context && !err && !clSetContextDestructorCallback(context, on_context_end, NULL));
        contexts_alive++;
        fuzz_keep(CONTEXT, context, err);
        cl_command_queue queue =
            clCreateCommandQueue(context, root, i ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : CL_QUEUE_PROFILING_ENABLE, &err);
        fuzz_keep(QUEUE, queue, err);
        if (i == 0)
            fuzz_keep_mem(clCreateBuffer(context, 0, 2048, NULL, &err), err);
    }
    cl_program program =
        clCreateProgramWithSource(table[CONTEXT][0].handle, 1, (const char *[]){fuzz_source(fuzz_below(&fuzz_in, 4))}, NULL, &err);
    fuzz_keep(PROGRAM, program, err);
    FUZZ_CHECK(!clBuildProgram(program, 0, NULL, "-cl-std=CL3.0", NULL, NULL));
    cl_kernel kernels[2] = {0};
    FUZZ_CHECK(!clCreateKernelsInProgram(program, 2, kernels, NULL));
    for (unsigned i = 0; i < 2 && kernels[i]; i++)
        fuzz_keep(KERNEL, kernels[i], CL_SUCCESS);
    for (unsigned i = 0; i < MOST_CALLS && fuzz_in.left; i++)
        calls[fuzz_below(&fuzz_in, TSR_ARRAY_LEN(calls))]();
    release_all();
    return 0;
}
