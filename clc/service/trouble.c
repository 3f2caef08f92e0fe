/* SPDX-License-Identifier: Apache-2.0
 * The way out when memory ends or LLVM gives up: the request ends with an answer, and the process, or the host that has the compiler as a
 * library, goes on. What the request had taken is lost, so a process should end after that answer. */
#include "clc/service/service.h"

#include <setjmp.h>
#include <stdio.h>
#include <string.h>

#include "clc/service/trouble_shim.h"

enum { NOTHING, MEMORY, FATAL }; /* values of siglongjmp */

static _Thread_local sigjmp_buf *way_out;  /* NULL: this thread has no request */
static _Thread_local char last_words[512]; /* FATAL: LLVM's */

static void leave(int why)
{
    sigjmp_buf *way = way_out;
    way_out = NULL;
    tsr__emit_abandon();
    siglongjmp(*way, why);
}

void tsr__out_of_memory(void)
{
    if (way_out)
        leave(MEMORY);
}

static void arena_failed(size_t size)
{
    (void)size;
    tsr__out_of_memory();
}

static void llvm_failed(const char *reason)
{
    if (!way_out)
        return;
    snprintf(last_words, sizeof last_words, "%s", reason);
    leave(FATAL);
}

bool tsr__guard(void (*work)(void *), void *data, const char **fatal)
{
    static const struct tsr_trouble_handlers handlers = {tsr__out_of_memory, llvm_failed};
    sigjmp_buf here;
    *fatal = NULL;
    tsr_arena_on_failure(arena_failed);
    tsr_trouble_listen(&handlers);
    int why = sigsetjmp(here, 0);
    if (why == NOTHING) {
        way_out = &here;
        work(data);
    } else if (why == FATAL) {
        *fatal = last_words;
    }
    way_out = NULL;
    return why == NOTHING;
}
