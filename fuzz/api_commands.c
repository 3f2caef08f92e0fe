/* SPDX-License-Identifier: Apache-2.0
 * The API's fuzzer: command buffers, recorded, changed, enqueued and released in one call. */
#include "fuzz/api.h"

enum { MOST_COMMANDS = 12, MOST_REPLAYS = 3 };

static cl_sync_point_khr points[MOST_COMMANDS];
static cl_mutable_command_khr handles[MOST_COMMANDS];
static cl_uint point_count, handle_count;

struct sync {
    cl_uint count;
    cl_sync_point_khr list[3];
};

static struct sync make_sync(void)
{
    struct sync sync = {.count = fuzz_odds(2) ? fuzz_below(&fuzz_in, 4) : 0};
    for (cl_uint i = 0; i < sync.count; i++)
        sync.list[i] = point_count && !fuzz_odds(16) ? points[fuzz_below(&fuzz_in, point_count)] : (cl_sync_point_khr)fuzz_any_size();
    return sync;
}

static void record(cl_command_buffer_khr buffer)
{
    const cl_command_properties_khr properties[] = {fuzz_odds(8) ? fuzz_any_size() : CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR,
                                                    fuzz_below(&fuzz_in, 33), 0};
    const cl_command_properties_khr *list = fuzz_odds(3) ? properties : NULL;
    struct sync sync = make_sync();
    const cl_sync_point_khr *waits = sync.count || fuzz_odds(16) ? sync.list : NULL;
    cl_sync_point_khr point = 0;
    cl_mutable_command_khr handle = NULL, *out = fuzz_odds(16) ? &handle : NULL;
    cl_command_queue queue = fuzz_odds(16) ? fuzz_pick(QUEUE) : NULL;
    size_t sizes[9];
    for (unsigned i = 0; i < 9; i++)
        sizes[i] = fuzz_odds(3) ? fuzz_any_size() : fuzz_below(&fuzz_in, 64);
    cl_int err;
    switch (fuzz_below(&fuzz_in, 10)) {
    case 0:
        err = clCommandBarrierWithWaitListKHR(buffer, queue, NULL, sync.count, waits, &point, out);
        break;
    case 1:
        err = clCommandCopyBufferKHR(buffer, queue, NULL, fuzz_pick(MEM), fuzz_pick(MEM), sizes[0], sizes[1], sizes[2], sync.count, waits,
                                     &point, out);
        break;
    case 2:
        err = clCommandCopyBufferRectKHR(buffer, queue, NULL, fuzz_pick(MEM), fuzz_pick(MEM), sizes, sizes + 3, sizes + 6, sizes[0],
                                         sizes[1], sizes[2], sizes[3], sync.count, waits, &point, out);
        break;
    case 3:
        err = clCommandFillBufferKHR(buffer, queue, NULL, fuzz_pick(MEM), fuzz_odds(16) ? NULL : fuzz_pattern,
                                     (size_t)1 << fuzz_below(&fuzz_in, 9), sizes[0], sizes[1], sync.count, waits, &point, out);
        break;
    case 4:
        err = clCommandFillImageKHR(buffer, queue, NULL, fuzz_pick(MEM), fuzz_pattern, sizes, sizes + 3, sync.count, waits, &point, out);
        break;
    case 5:
        err = clCommandCopyImageKHR(buffer, queue, NULL, fuzz_pick(MEM), fuzz_pick(MEM), sizes, sizes + 3, sizes + 6, sync.count, waits,
                                    &point, out);
        break;
    case 6:
        err = clCommandCopyImageToBufferKHR(buffer, queue, NULL, fuzz_pick(MEM), fuzz_pick(MEM), sizes, sizes + 3, sizes[6], sync.count,
                                            waits, &point, out);
        break;
    case 7:
        err = clCommandCopyBufferToImageKHR(buffer, queue, NULL, fuzz_pick(MEM), fuzz_pick(MEM), sizes[6], sizes, sizes + 3, sync.count,
                                            waits, &point, out);
        break;
    default:
        sizes[0] = fuzz_below(&fuzz_in, 5); /* kernels write as many items as they have */
        err = clCommandNDRangeKernelKHR(buffer, queue, list, fuzz_pick(KERNEL), 1, NULL, fuzz_odds(16) ? NULL : sizes,
                                        fuzz_odds(2) ? NULL : sizes + 1, sync.count, waits, &point, &handle);
    }
    if (err == CL_SUCCESS && handle)
        handles[handle_count++] = handle;
    FUZZ_CHECK((err == CL_SUCCESS) == (point != 0));
    if (point)
        points[point_count++] = point;
}

static void update(cl_command_buffer_khr buffer)
{
    const size_t size = fuzz_below(&fuzz_in, 5);
    cl_mem mem = fuzz_pick(MEM);
    const cl_mutable_dispatch_arg_khr arg = {fuzz_below(&fuzz_in, 4), fuzz_odds(8) ? fuzz_any_size() : sizeof mem, &mem};
    const cl_mutable_dispatch_config_khr config = {
        .command = handle_count && !fuzz_odds(16) ? handles[fuzz_below(&fuzz_in, handle_count)] : NULL,
        .num_args = fuzz_odds(2),
        .arg_list = fuzz_odds(2) ? &arg : NULL,
        .global_work_size = fuzz_odds(2) ? &size : NULL,
    };
    if (arg.arg_size > sizeof mem) /* a value of this size is not there to be read */
        return;
    const cl_command_buffer_update_type_khr types[] = {fuzz_odds(16) ? 3 : CL_STRUCTURE_TYPE_MUTABLE_DISPATCH_CONFIG_KHR,
                                                       CL_STRUCTURE_TYPE_MUTABLE_DISPATCH_CONFIG_KHR};
    const void *configs[] = {&config, fuzz_odds(16) ? NULL : &config};
    clUpdateMutableCommandsKHR(buffer, 1 + fuzz_odds(2), types, configs);
}

void fuzz_call_command_buffer(void)
{
    cl_command_queue queue = fuzz_pick(QUEUE);
    const cl_command_buffer_properties_khr properties[] = {fuzz_odds(16) ? fuzz_any_size() : CL_COMMAND_BUFFER_FLAGS_KHR,
                                                           fuzz_below(&fuzz_in, 5), 0};
    cl_int err = 1;
    cl_command_buffer_khr buffer = clCreateCommandBufferKHR(1, &queue, fuzz_odds(4) ? NULL : properties, &err);
    FUZZ_CHECK((err == CL_SUCCESS) == (buffer != NULL));
    if (!buffer)
        return;
    point_count = handle_count = 0;
    for (unsigned i = fuzz_below(&fuzz_in, MOST_COMMANDS + 1); i; i--)
        record(buffer);
    if (!fuzz_odds(16))
        FUZZ_CHECK(!clFinalizeCommandBufferKHR(buffer));
    for (unsigned i = fuzz_below(&fuzz_in, MOST_REPLAYS + 1); i; i--) {
        struct fuzz_wait wait;
        cl_command_queue other = fuzz_pick(QUEUE);
        if (fuzz_odds(2))
            update(buffer);
        fuzz_make_wait(&wait);
        bool substitute = fuzz_odds(8);
        err = clEnqueueCommandBufferKHR(substitute, substitute ? &other : NULL, buffer, wait.count, wait.list, wait.event);
        fuzz_keep_event(wait.out, err);
    }
    FUZZ_CHECK(!clReleaseCommandBufferKHR(buffer));
}
