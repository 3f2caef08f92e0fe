/* SPDX-License-Identifier: Apache-2.0
 * The way out of the reader. */
#include "clc/spirv/reader.h"

#include <stdarg.h>
#include <stdio.h>

void tsr__spirv_fail(struct tsr__reader *r, const struct tsr__inst *at, const char *format, ...)
{
    char text[512];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    tsr__spirv_put_place(r, at);
    if (at)
        tsr_buf_printf(r->log, "error: SPIR-V, word %u, Op%s: %s\n", at->at, at->op->name, text);
    else
        tsr_buf_printf(r->log, "error: SPIR-V: %s\n", text);
    longjmp(r->out, 1);
}
