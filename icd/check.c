/* SPDX-License-Identifier: Apache-2.0
 * Errors and how they are told, and the checks that many entry points share. */
#include <stdio.h>

#include "icd/icd.h"

cl_int tsr__error(struct _cl_context *context, cl_int code, const char *function, const char *condition, const char *format, ...)
{
    bool notify = context && context->notify;
    if (!notify && !tsr_log_on(TSR_LOG_ERR))
        return code;

    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    tsr_log(TSR_LOG_ERR, "%s: error %d: %s [%s]", function, code, text, condition);
    if (notify) {
        char line[1200];
        snprintf(line, sizeof(line), "Tessera: %s: error %d: %s", function, code, text);
        context->notify(line, NULL, 0, context->notify_data);
    }
    return code;
}

cl_int tsr__check_wait_list(struct _cl_context *context, cl_uint count, const cl_event *list)
{
    /* "CL_INVALID_EVENT_WAIT_LIST if event_wait_list is NULL and num_events_in_wait_list > 0, or event_wait_list is not NULL and
     * num_events_in_wait_list is 0, or if event objects in event_wait_list are not valid events." */
    RETURN_IF(context, !list && count, CL_INVALID_EVENT_WAIT_LIST, "%u events are announced, but the list is NULL", count);
    RETURN_IF(context, list && !count, CL_INVALID_EVENT_WAIT_LIST, "a list without events must be NULL");
    for (cl_uint i = 0; i < count; i++)
        RETURN_IF(context, !tsr__valid(list[i], TSR_TAG_EVENT), CL_INVALID_EVENT_WAIT_LIST, "entry %u of the wait list is no event", i);
    /* "CL_INVALID_CONTEXT if the context associated with command_queue and events in event_wait_list are not the same." */
    for (cl_uint i = 0; i < count; i++)
        RETURN_IF(context, list[i]->context != context, CL_INVALID_CONTEXT, "event %u of the wait list is of another context", i);
    return CL_SUCCESS;
}
