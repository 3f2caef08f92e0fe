/* SPDX-License-Identifier: Apache-2.0
 * Markers and barriers, with their forms of OpenCL 1.1. */
#include "icd/icd.h"

static cl_int enqueue_point(const char *function, cl_command_queue queue, cl_command_type type, cl_uint wait_count,
                            const cl_event *wait_list, cl_event *event)
{
    if (!tsr__valid(queue, TSR_TAG_QUEUE))
        return tsr__error(NULL, CL_INVALID_COMMAND_QUEUE, function, "command_queue", "not a queue: %p", (void *)queue);
    cl_int err = tsr__check_wait_list(queue->context, wait_count, wait_list);
    if (err != CL_SUCCESS)
        return err;
    struct _cl_event *command = tsr__command_new(queue, type, 0);
    if (!command)
        return tsr__error(queue->context, CL_OUT_OF_HOST_MEMORY, function, "command", "no memory for a command");
    command->task.units = 0;
    return tsr__command_submit(command, wait_count, wait_list, event, false);
}

/* clEnqueueMarkerWithWaitList, clEnqueueBarrierWithWaitList: OpenCL 3.0, 5.12. Without a wait list: after everything enqueued before. */
TSR_API cl_int CL_API_CALL clEnqueueMarkerWithWaitList(cl_command_queue queue, cl_uint wait_count, const cl_event *wait_list,
                                                       cl_event *event)
{
    return enqueue_point(__func__, queue, CL_COMMAND_MARKER, wait_count, wait_list, event);
}

TSR_API cl_int CL_API_CALL clEnqueueBarrierWithWaitList(cl_command_queue queue, cl_uint wait_count, const cl_event *wait_list,
                                                        cl_event *event)
{
    return enqueue_point(__func__, queue, CL_COMMAND_BARRIER, wait_count, wait_list, event);
}

/* clEnqueueMarker, clEnqueueBarrier, clEnqueueWaitForEvents: OpenCL 1.1, 5.10; deprecated. */
TSR_API cl_int CL_API_CALL clEnqueueMarker(cl_command_queue queue, cl_event *event)
{
    RETURN_IF(NULL, !tsr__valid(queue, TSR_TAG_QUEUE), CL_INVALID_COMMAND_QUEUE, "not a queue: %p", (void *)queue);
    RETURN_IF(queue->context, !event, CL_INVALID_VALUE, "event is NULL: a marker without an event marks nothing");
    return enqueue_point(__func__, queue, CL_COMMAND_MARKER, 0, NULL, event);
}

TSR_API cl_int CL_API_CALL clEnqueueBarrier(cl_command_queue queue)
{
    return enqueue_point(__func__, queue, CL_COMMAND_BARRIER, 0, NULL, NULL);
}

TSR_API cl_int CL_API_CALL clEnqueueWaitForEvents(cl_command_queue queue, cl_uint num_events, const cl_event *event_list)
{
    RETURN_IF(NULL, !tsr__valid(queue, TSR_TAG_QUEUE), CL_INVALID_COMMAND_QUEUE, "not a queue: %p", (void *)queue);
    RETURN_IF(queue->context, num_events == 0 || !event_list, CL_INVALID_VALUE, "an empty list: %u events at %p", num_events,
              (const void *)event_list);
    for (cl_uint i = 0; i < num_events; i++)
        RETURN_IF(queue->context, !tsr__valid(event_list[i], TSR_TAG_EVENT), CL_INVALID_EVENT, "entry %u is not an event: %p", i,
                  (void *)event_list[i]);
    return enqueue_point(__func__, queue, CL_COMMAND_BARRIER, num_events, event_list, NULL);
}
