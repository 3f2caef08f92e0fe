/* SPDX-License-Identifier: Apache-2.0
 * How errors are reported. */
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
        int begun = tsr_no_cancel_begin();
        context->notify(line, NULL, 0, context->notify_data);
        tsr_no_cancel_end(begun);
    }
    return code;
}
