/* SPDX-License-Identifier: Apache-2.0
 * tessera-cc with a bug: it crashes where it would give out the code of a kernel whose name begins with "crash". Like the real one it works
 * in a child of its own. */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clc/common/wire.h"
#include "tessera/program.h"

static bool has_code_to_crash_on(const void *answer, size_t size)
{
    struct tsr_arena arena = {0};
    struct tsr_wire_result result;
    struct tsr_program_info info;
    bool found = false;
    if (tsr_wire_read_result(answer, size, &arena, &result) == TSR_OK && result.outcome == TSR_CLC_DONE &&
        tsr_image_read(result.image, result.image_size, &arena, &info) == TSR_OK && info.kind == TSR_IMAGE_EXECUTABLE)
        for (uint32_t i = 0; i < info.kernel_count; i++)
            found |= !strncmp(info.kernels[i].name, "crash", 5);
    tsr_arena_free(&arena);
    return found;
}

static void serve(void)
{
    for (;;) {
        uint32_t kind;
        unsigned char *request;
        size_t size, answer_size;
        if (tsr_wire_receive(STDIN_FILENO, &kind, &request, &size, UINT64_MAX) != TSR_OK)
            _exit(0);
        unsigned char *answer = tsr_cc_answer(request, size, &answer_size);
        if (!answer)
            _exit(1);
        if (has_code_to_crash_on(answer, answer_size))
            raise(SIGSEGV);
        tsr_wire_send(STDIN_FILENO, TSR_WIRE_RESULT, answer, answer_size, UINT64_MAX);
        tsr_cc_free(answer);
        tsr_free(request);
    }
}

int main(void)
{
    pid_t child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        signal(SIGSEGV, SIG_DFL);
        serve();
    }
    int status;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    tsr_wire_send_died(STDIN_FILENO, status);
    return 0;
}
