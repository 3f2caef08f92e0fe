/* SPDX-License-Identifier: Apache-2.0
 * The service as a library, for hosts that must not start processes: libtessera-cc.so. */
#include "clc/service/service.h"

#include <pthread.h>

enum { STACK_SIZE = 64 << 20 }; /* clang recurses; the caller's thread may have little */

struct call {
    const void *request;
    size_t size;
    struct tsr_buf answer;
};

static void *work(void *data)
{
    struct call *call = data;
    tsr__answer_bytes(call->request, call->size, &call->answer);
    return NULL;
}

__attribute__((visibility("default"))) unsigned char *tsr_cc_answer(const void *request, size_t size, size_t *answer_size)
{
    struct call call = {.request = request, .size = size};
    pthread_attr_t attr;
    pthread_t thread;
    if (pthread_attr_init(&attr))
        return NULL;
    bool started = !pthread_attr_setstacksize(&attr, STACK_SIZE) && !pthread_create(&thread, &attr, work, &call);
    pthread_attr_destroy(&attr);
    if (!started)
        return NULL;
    pthread_join(thread, NULL);
    if (call.answer.failed) {
        tsr_buf_free(&call.answer);
        return NULL;
    }
    *answer_size = call.answer.size;
    return call.answer.data;
}

__attribute__((visibility("default"))) void tsr_cc_free(void *answer)
{
    tsr_free(answer);
}
