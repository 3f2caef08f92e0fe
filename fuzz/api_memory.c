/* SPDX-License-Identifier: Apache-2.0
 * The API's fuzzer: buffers, shared virtual memory, and the commands on them. */
#include "fuzz/api.h"

enum { HOST_BYTES = 1 << 16 };

static unsigned char host[HOST_BYTES]; /* where transfers go */
static struct {
    cl_mem mem;
    void *at;
} maps[4];

/* Within the host's memory, or so large that the call must refuse it. */
static size_t transfer_size(void)
{
    return fuzz_below(&fuzz_in, 16) == 15 ? SIZE_MAX : fuzz_below(&fuzz_in, SLICE);
}

/* ---- memory ---- */

static void CL_CALLBACK on_mem_end(cl_mem mem, void *data)
{
    (void)mem, (void)data;
    fuzz_mems_alive--;
}

struct fuzz_slot *fuzz_keep_mem(cl_mem mem, cl_int err)
{
    if (mem) {
        fuzz_mems_alive++;
        FUZZ_CHECK(!clSetMemObjectDestructorCallback(mem, on_mem_end, NULL));
    }
    return fuzz_keep(MEM, mem, err);
}

/* Flags, and the host pointer that belongs to them or does not. Memory for CL_MEM_USE_HOST_PTR is never shared and freed with all else. */
static unsigned char *host_pointers[64];
static unsigned host_pointer_count;

static void *host_pointer(cl_mem_flags flags, size_t size)
{
    if (!(flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR)) || fuzz_odds(16))
        return fuzz_odds(16) ? host : NULL;
    if (size > SLICE || host_pointer_count == TSR_ARRAY_LEN(host_pointers))
        return NULL;
    return host_pointers[host_pointer_count++] = calloc(1, size + !size);
}

void fuzz_call_buffer(void)
{
    size_t size = fuzz_odds(4) ? fuzz_any_size() : fuzz_below(&fuzz_in, SLICE);
    cl_mem_flags flags = fuzz_odds(4) ? fuzz_any_flags() : fuzz_below(&fuzz_in, 8) | (cl_mem_flags)(fuzz_below(&fuzz_in, 8) << 3);
    cl_mem_properties list[] = {fuzz_any_size(), fuzz_any_size(), 0};
    cl_int err = 1;
    void *memory = host_pointer(flags, size);
    if (memory == host && size > HOST_BYTES)
        memory = NULL;
    if (memory == host)
        flags &= ~(cl_mem_flags)CL_MEM_USE_HOST_PTR;
    cl_mem mem = fuzz_odds(4) ? clCreateBufferWithProperties(fuzz_pick(CONTEXT), fuzz_odds(2) ? NULL : list, flags, size, memory, &err)
                              : clCreateBuffer(fuzz_pick(CONTEXT), flags, size, memory, &err);
    fuzz_keep_mem(mem, err);
}

void fuzz_call_sub_buffer(void)
{
    cl_buffer_region region = {fuzz_odds(2) ? (size_t)128 * fuzz_below(&fuzz_in, 8) : fuzz_any_size(),
                               fuzz_odds(4) ? fuzz_any_size() : fuzz_below(&fuzz_in, 512)};
    cl_int err = 1;
    cl_mem mem = clCreateSubBuffer(fuzz_pick(MEM), fuzz_odds(4) ? fuzz_any_flags() : fuzz_below(&fuzz_in, 5),
                                   fuzz_odds(16) ? 0x1221 : CL_BUFFER_CREATE_TYPE_REGION, fuzz_odds(16) ? NULL : &region, &err);
    fuzz_keep_mem(mem, err);
}

void fuzz_svm_free(unsigned i)
{
    if (clMemFreeINTEL(fuzz_svm_context[i], fuzz_svm[i])) /* an error: it is SVM */
        clSVMFree(fuzz_svm_context[i], fuzz_svm[i]);
}

/* Of SVM or of unified shared memory. */
void fuzz_call_svm_alloc(void)
{
    unsigned i = fuzz_below(&fuzz_in, TSR_ARRAY_LEN(fuzz_svm));
    cl_context context = fuzz_pick(CONTEXT);
    cl_svm_mem_flags flags = fuzz_odds(4) ? fuzz_any_flags() : fuzz_below(&fuzz_in, 3) | (fuzz_odds(2) ? CL_MEM_SVM_FINE_GRAIN_BUFFER : 0);
    size_t size = fuzz_odds(8) ? fuzz_any_size() : SLICE;
    cl_uint alignment = fuzz_odds(2) ? 0 : (cl_uint)fuzz_any_size();
    const cl_mem_properties_intel properties[] = {fuzz_odds(4) ? CL_MEM_ALLOC_FLAGS_INTEL : 0, fuzz_any_size() & 15, 0};
    cl_int err = 1;
    if (fuzz_svm[i])
        return;
    const cl_svm_alloc_properties_khr list[] = {fuzz_odds(4) ? CL_SVM_ALLOC_ALIGNMENT_KHR : 0, fuzz_any_size() & 255,
                                                fuzz_odds(4) ? CL_SVM_ALLOC_ASSOCIATED_DEVICE_HANDLE_KHR : 0,
                                                (cl_ulong)(uintptr_t)fuzz_pick(DEVICE), 0};
    switch (fuzz_below(&fuzz_in, 7)) {
    case 3:
        fuzz_svm[i] = clSVMAllocWithPropertiesKHR(context, list, fuzz_below(&fuzz_in, 5), size | 1, &err);
        break;
    case 0:
        fuzz_svm[i] = clHostMemAllocINTEL(context, properties, size, alignment, &err);
        break;
    case 1:
        fuzz_svm[i] = clDeviceMemAllocINTEL(context, fuzz_pick(DEVICE), properties, size, alignment, &err);
        break;
    case 2:
        fuzz_svm[i] = clSharedMemAllocINTEL(context, fuzz_odds(2) ? fuzz_pick(DEVICE) : NULL, properties, size, alignment, &err);
        break;
    default:
        fuzz_svm[i] = clSVMAlloc(context, flags, size, alignment);
        err = fuzz_svm[i] ? CL_SUCCESS : 1;
        break;
    }
    FUZZ_CHECK((err == CL_SUCCESS) == (fuzz_svm[i] != NULL));
    fuzz_svm_context[i] = fuzz_svm[i] ? context : NULL;
    if (fuzz_svm[i] && size < SLICE) { /* the calls below take SLICE bytes for granted */
        fuzz_svm_free(i);
        fuzz_svm[i] = NULL;
        fuzz_svm_context[i] = NULL;
    }
}

/* ---- commands ---- */

void fuzz_call_transfer(void)
{
    cl_command_queue queue = fuzz_pick(QUEUE);
    cl_mem a = fuzz_pick(MEM), b = fuzz_pick(MEM);
    size_t offset = fuzz_odds(4) ? fuzz_any_size() : fuzz_below(&fuzz_in, 64),
           other = fuzz_odds(4) ? fuzz_any_size() : fuzz_below(&fuzz_in, SLICE), size = transfer_size();
    bool blocking = fuzz_odds(4);
    struct fuzz_wait w;
    fuzz_make_wait(&w);
    if (blocking)
        fuzz_settle();
    unsigned char *at = fuzz_odds(32) ? NULL : host + fuzz_below(&fuzz_in, 16);
    cl_int err;
    switch (fuzz_below(&fuzz_in, 5)) {
    case 0:
        err = clEnqueueReadBuffer(queue, a, blocking, offset, size, at, w.count, w.list, w.event);
        break;
    case 1:
        err = clEnqueueWriteBuffer(queue, a, blocking, offset, size, at, w.count, w.list, w.event);
        break;
    case 2:
        err = clEnqueueCopyBuffer(queue, a, b, offset, other, size, w.count, w.list, w.event);
        break;
    case 3:
        err = clEnqueueFillBuffer(queue, a, fuzz_odds(16) ? NULL : fuzz_pattern,
                                  fuzz_odds(4) ? fuzz_any_size() : (size_t)1 << fuzz_below(&fuzz_in, 8), offset, size, w.count, w.list,
                                  w.event);
        break;
    default:
        err =
            clEnqueueMigrateMemObjects(queue, fuzz_below(&fuzz_in, 3), (cl_mem[]){a, b}, fuzz_below(&fuzz_in, 5), w.count, w.list, w.event);
        break;
    }
    fuzz_keep_event(w.out, err);
}

void fuzz_call_rect(void)
{
    cl_command_queue queue = fuzz_pick(QUEUE);
    cl_mem a = fuzz_pick(MEM), b = fuzz_pick(MEM);
    size_t origin[3], host_origin[3], region[3], pitch[4];
    for (int i = 0; i < 3; i++) {
        origin[i] = fuzz_below(&fuzz_in, 9) == 8 ? fuzz_any_size() : fuzz_below(&fuzz_in, 4);
        host_origin[i] = fuzz_below(&fuzz_in, 4);
        region[i] = fuzz_below(&fuzz_in, 33) == 32 ? fuzz_any_size() : fuzz_below(&fuzz_in, 16);
    }
    for (int i = 0; i < 4; i++)
        pitch[i] = fuzz_odds(2) ? 0 : fuzz_below(&fuzz_in, 64) * (i & 1 ? 8u : 1u);
    /* The host's area: at most 19 slices of the larger of the pitch given and region[0] × region[1]. */
    bool huge = region[0] > 255 || region[1] > 255 || region[2] > 255;
    bool blocking = fuzz_odds(4);
    struct fuzz_wait w;
    fuzz_make_wait(&w);
    if (blocking)
        fuzz_settle();
    cl_int err;
    switch (huge ? 2 : fuzz_below(&fuzz_in, 3)) {
    case 0:
        for (int i = 0; i < 3; i++)
            region[i] &= 15;
        err = clEnqueueReadBufferRect(queue, a, blocking, origin, host_origin, region, pitch[0], pitch[1], pitch[2], pitch[3], host,
                                      w.count, w.list, w.event);
        break;
    case 1:
        for (int i = 0; i < 3; i++)
            region[i] &= 15;
        err = clEnqueueWriteBufferRect(queue, a, blocking, origin, host_origin, region, pitch[0], pitch[1], pitch[2], pitch[3],
                                       fuzz_odds(32) ? NULL : host, w.count, w.list, w.event);
        break;
    default:
        err = clEnqueueCopyBufferRect(queue, a, b, origin, fuzz_odds(4) ? origin : host_origin, region, pitch[0], pitch[1],
                                      fuzz_odds(4) ? fuzz_any_size() : pitch[2], pitch[3], w.count, w.list, w.event);
        break;
    }
    fuzz_keep_event(w.out, err);
}

void fuzz_map_with(fuzz_map *map)
{
    unsigned i = fuzz_below(&fuzz_in, TSR_ARRAY_LEN(maps));
    cl_command_queue queue = fuzz_pick(QUEUE);
    cl_int err = 1;
    struct fuzz_wait w;
    fuzz_make_wait(&w);
    if (maps[i].mem && fuzz_odds(2)) {
        err = clEnqueueUnmapMemObject(queue, fuzz_odds(8) ? fuzz_pick(MEM) : maps[i].mem, fuzz_odds(8) ? host : maps[i].at, w.count, w.list,
                                      w.event);
        if (!err)
            maps[i].mem = NULL;
    } else {
        bool blocking = fuzz_odds(2);
        if (blocking)
            fuzz_settle();
        cl_mem mem = fuzz_pick(MEM);
        size_t size;
        unsigned char *at = map(queue, mem, blocking, fuzz_odds(4) ? fuzz_any_flags() : 1 + fuzz_below(&fuzz_in, 4), &size, &w, &err);
        FUZZ_CHECK((err == CL_SUCCESS) == (at != NULL));
        if (at && blocking)
            at[0] ^= at[size - 1];
        maps[i].mem = at ? mem : maps[i].mem;
        maps[i].at = at ? at : maps[i].at;
    }
    fuzz_keep_event(w.out, err);
}

static void *map_buffer(cl_command_queue queue, cl_mem mem, cl_bool blocking, cl_map_flags flags, size_t *size, struct fuzz_wait *w,
                        cl_int *err)
{
    size_t offset = fuzz_below(&fuzz_in, 64);
    *size = fuzz_odds(8) ? fuzz_any_size() : fuzz_below(&fuzz_in, 64);
    return clEnqueueMapBuffer(queue, mem, blocking, flags, offset, *size, w->count, w->list, w->event, err);
}

void fuzz_call_map(void)
{
    fuzz_map_with(map_buffer);
}

void fuzz_call_svm(void)
{
    cl_command_queue queue = fuzz_pick(QUEUE);
    unsigned char *a = fuzz_svm[fuzz_below(&fuzz_in, TSR_ARRAY_LEN(fuzz_svm))],
                  *b = fuzz_svm[fuzz_below(&fuzz_in, TSR_ARRAY_LEN(fuzz_svm))];
    size_t at = fuzz_below(&fuzz_in, 64), size = fuzz_odds(32) ? 0 : fuzz_below(&fuzz_in, SLICE - 64);
    bool blocking = fuzz_odds(4);
    struct fuzz_wait w;
    fuzz_make_wait(&w);
    if (blocking)
        fuzz_settle();
    if (!a)
        at = 0;
    cl_int err;
    clEnqueueMemcpyINTEL_fn copy = fuzz_odds(2) ? clEnqueueMemcpyINTEL : clEnqueueSVMMemcpy;
    clEnqueueMemFillINTEL_fn fill = fuzz_odds(2) ? clEnqueueMemFillINTEL : clEnqueueSVMMemFill;
    switch (fuzz_below(&fuzz_in, 8)) {
    case 0:
        err = copy(queue, blocking, a ? a + at : a, b, size, w.count, w.list, w.event);
        break;
    case 1: {
        size_t unit = fuzz_odds(4) ? fuzz_any_size() : (size_t)1 << fuzz_below(&fuzz_in, 8);
        err = fill(queue, a, fuzz_odds(16) ? NULL : fuzz_pattern, unit, unit && unit < 256 ? size / unit * unit : size, w.count, w.list,
                   w.event);
        break;
    }
    case 4:
        err = clEnqueueMemsetINTEL(queue, a, fuzz_byte(&fuzz_in), size, w.count, w.list, w.event);
        break;
    case 5:
        err = clEnqueueMigrateMemINTEL(queue, a, size, fuzz_below(&fuzz_in, 5), w.count, w.list, w.event);
        break;
    case 6:
        err = clEnqueueMemAdviseINTEL(queue, a, size, fuzz_byte(&fuzz_in), w.count, w.list, w.event);
        break;
    case 2:
        err = clEnqueueSVMMap(queue, blocking, fuzz_below(&fuzz_in, 5), a, size, w.count, w.list, w.event);
        break;
    case 3:
        err = clEnqueueSVMUnmap(queue, a, w.count, w.list, w.event);
        break;
    default:
        err = clEnqueueSVMMigrateMem(queue, fuzz_below(&fuzz_in, 3), (const void *[]){a, b}, fuzz_odds(2) ? NULL : (size_t[]){size, 0},
                                     fuzz_below(&fuzz_in, 4), w.count, w.list, w.event);
        break;
    }
    fuzz_keep_event(w.out, err);
}

static void CL_CALLBACK on_native(void *args)
{
    (void)args;
}

void fuzz_call_marker(void)
{
    cl_command_queue queue = fuzz_pick(QUEUE);
    cl_mem mems[] = {fuzz_pick(MEM), fuzz_pick(MEM)};
    void *args[4] = {0};
    const void *places[] = {&args[1], &args[2]};
    struct fuzz_wait w;
    fuzz_make_wait(&w);
    cl_int err;
    switch (fuzz_below(&fuzz_in, 5)) {
    case 0:
        err = clEnqueueMarkerWithWaitList(queue, w.count, w.list, w.event);
        break;
    case 1:
        err = clEnqueueBarrierWithWaitList(queue, w.count, w.list, w.event);
        break;
    case 2:
        err = clEnqueueMarker(queue, w.event);
        break;
    case 3:
        err = clEnqueueBarrier(queue);
        break;
    default: {
        cl_uint count = fuzz_below(&fuzz_in, 3);
        err = clEnqueueNativeKernel(queue, fuzz_odds(16) ? NULL : on_native, fuzz_odds(8) ? NULL : args, fuzz_odds(8) ? 0 : sizeof args,
                                    count, count || fuzz_odds(8) ? mems : NULL, count || fuzz_odds(8) ? places : NULL, w.count, w.list,
                                    w.event);
        break;
    }
    }
    fuzz_keep_event(w.out, err);
}

void fuzz_mem_released(cl_mem mem)
{
    for (unsigned i = 0; i < TSR_ARRAY_LEN(maps); i++)
        if (maps[i].mem == mem)
            maps[i].mem = NULL;
}

void fuzz_memory_end(void)
{
    memset(maps, 0, sizeof maps);
    while (host_pointer_count)
        free(host_pointers[--host_pointer_count]);
    fuzz_images_end();
}
