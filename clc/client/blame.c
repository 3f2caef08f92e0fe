/* SPDX-License-Identifier: Apache-2.0
 * Finds the kernel that a compiler process died of. A build makes the code of several kernels in one process, and a dead process cannot
 * tell. So the code of each kernel is made alone, and the log names the kernels whose process dies. */
#include <string.h>

#include "client.h"
#include "tessera/program.h"

static void blame_kernel(const char *name, struct tsr_buf *log)
{
    tsr_buf_printf(log, "error: kernel '%s': the compiler process died while it made the code of this kernel\n", name);
}

/* Makes the code of each kernel of a TSR_IMAGE_PROGRAM. Errors go to `errors`, other logs to `rest`. */
static void try_kernels(const struct tsr_clc_request *request, const struct tsr_clc_input *program, const struct tsr_program_info *info,
                        struct tsr_buf *errors, struct tsr_buf *rest)
{
    for (uint32_t i = 0; i < info->kernel_count; i++) {
        struct tsr_clc_request code = {
            .op = TSR_CLC_CODE,
            .input_count = 1,
            .inputs = program,
            .kernel = info->kernels[i].name,
            .options = "",
            .target = request->target,
        };
        struct tsr_clc_result made;
        tsr__request_run(&code, &made);
        if (made.outcome == TSR_CLC_DIED)
            blame_kernel(code.kernel, errors);
        else if (made.log)
            tsr_buf_printf(rest, "%s", made.log);
        tsr_clc_result_free(&made);
    }
}

/* Makes the text the log of the result, if there was memory for it. */
static void take_log(struct tsr_clc_result *result, struct tsr_buf *log)
{
    tsr_buf_bytes(log, "", 1);
    if (log->failed) {
        tsr_buf_free(log);
        return;
    }
    tsr_free(result->log);
    result->log = (char *)log->data;
}

/* `program` has the image whose code the dead process was to make. */
static void blame_kernels(const struct tsr_clc_request *request, struct tsr_clc_result *program, struct tsr_clc_result *result)
{
    struct tsr_clc_input input = {program->image, program->image_size};
    struct tsr_arena arena = {0};
    struct tsr_program_info info;
    struct tsr_buf errors = {0}, rest = {0}, log = {0};
    if (tsr_image_read(input.data, input.size, &arena, &info) == TSR_OK) {
        try_kernels(request, &input, &info, &errors, &rest);
        tsr_buf_printf(&log, "%s%.*s", result->log, (int)errors.size, errors.size ? (const char *)errors.data : "");
        if (!errors.size)
            tsr_buf_printf(&log, "note: the code of each kernel alone can be made\n");
        /* Under TESSERA_EXPLAIN a build makes the code of all kernels at once. It succeeds without the kernels that have no code. */
        if (request->op != TSR_CLC_CODE && request->by_kernel && tsr_clc_explain() && info.kernel_count > 1 && !info.global_bytes) {
            tsr_buf_printf(&log, "%.*s", (int)rest.size, rest.size ? (const char *)rest.data : "");
            result->outcome = TSR_CLC_DONE;
            result->image = program->image;
            result->image_size = program->image_size;
            program->image = NULL;
        }
        take_log(result, &log);
    }
    tsr_buf_free(&errors);
    tsr_buf_free(&rest);
    tsr_arena_free(&arena);
}

void tsr__blame(const struct tsr_clc_request *request, struct tsr_clc_result *result)
{
    if (request->op == TSR_CLC_COMPILE || request->without_code || request->kernel || !result->log)
        return;
    struct tsr_clc_result program = {.outcome = TSR_CLC_DONE};
    if (request->op == TSR_CLC_CODE) {
        program.image = tsr_malloc(request->inputs[0].size);
        if (!program.image)
            return;
        program.image_size = request->inputs[0].size;
        memcpy(program.image, request->inputs[0].data, program.image_size);
    } else {
        struct tsr_clc_request check = *request;
        check.without_code = true;
        tsr__request_run(&check, &program);
    }
    if (program.outcome == TSR_CLC_DONE) {
        blame_kernels(request, &program, result);
    } else if (program.outcome == TSR_CLC_DIED) {
        struct tsr_buf log = {0};
        tsr_buf_printf(&log, "%serror: it died of the program as a whole, before the code of kernels\n", result->log);
        take_log(result, &log);
    }
    tsr_clc_result_free(&program);
}
