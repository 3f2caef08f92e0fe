/* SPDX-License-Identifier: Apache-2.0
 * What the report of a build for a GPU says: which functions are ours. */
#include "clc/service/service.h"

#include <stdlib.h>

/* Calls of the function, directly or not, in the kernel. There is no recursion. */
static unsigned calls_in(LLVMValueRef function, LLVMValueRef kernel)
{
    unsigned count = 0;
    for (LLVMUseRef use = LLVMGetFirstUse(function); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (!LLVMIsACallInst(user))
            continue;
        LLVMValueRef caller = LLVMGetBasicBlockParent(LLVMGetInstructionParent(user));
        count += caller == kernel ? 1 : calls_in(caller, kernel);
    }
    return count;
}

/* Names and reasons have no characters that JSON would want to be escaped. */
static void note_json(const struct tsr__il_report *report, LLVMValueRef function, const char *name, const char *reason)
{
    LLVMModuleRef module = LLVMGetGlobalParent(function);
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        size_t length;
        unsigned count = tsr__cc_is_kernel(f) ? calls_in(function, f) : 0;
        if (count)
            tsr_buf_printf(report->log,
                           "{\"kernel\":\"%s\",\"count\":%u,\"topic\":\"function\",\"verdict\":\"Tessera's\",\"text\":\"%s: %s\"}\n",
                           LLVMGetValueName2(f, &length), count, name, reason);
    }
}

void tsr__il_note(const struct tsr__il_report *report, LLVMValueRef function, const char *reason)
{
    if (!report->log)
        return;
    size_t length;
    char *source = tsr__source_name(function);
    const char *name = source ? source : LLVMGetValueName2(function, &length);
    if (report->json)
        note_json(report, function, name, reason);
    else
        tsr_buf_printf(report->log, "note: %s is Tessera's: %s\n", name, reason);
    free(source);
}

void tsr__il_note_module(const struct tsr__il_report *report, const struct tsr_program_info *info, const char *capability)
{
    static const char reason[] = "not all drivers know the capability";
    if (!report->log)
        return;
    if (!report->json)
        tsr_buf_printf(report->log, "note: the SPIR-V for the driver is Tessera's: %s %s\n", reason, capability);
    for (uint32_t i = 0; i < info->kernel_count && report->json; i++)
        tsr_buf_printf(report->log, "{\"kernel\":\"%s\",\"topic\":\"module\",\"verdict\":\"Tessera's\",\"text\":\"%s %s\"}\n",
                       info->kernels[i].name, reason, capability);
}
