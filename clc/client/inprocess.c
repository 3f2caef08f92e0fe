/* SPDX-License-Identifier: Apache-2.0
 * The compiler as a library in this process, for hosts that may not start processes.
 *
 * RTLD_DEEPBIND, because the application may export another LLVM: without it the dynamic linker would bind ours to theirs. AddressSanitizer
 * refuses DEEPBIND, as its own malloc must win everywhere; there the library is not loaded. */
#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

#include "client.h"

static struct {
    pthread_mutex_t lock;
    __typeof__(tsr_cc_answer) *answer;
    __typeof__(tsr_cc_free) *release;
} library = {PTHREAD_MUTEX_INITIALIZER, NULL, NULL};

/* The lock is held. The library is never closed: LLVM's state does not outlive that well. */
static enum tsr_status load(char **why)
{
    if (dlsym(RTLD_DEFAULT, "__asan_init") || dlsym(RTLD_DEFAULT, "__tsan_init")) {
        *why =
            tsr_strdup("The compiler cannot be loaded into a process with a sanitizer; let it start processes (TESSERA_CC_MODE=process).");
        return TSR_UNSUPPORTED;
    }
    char *parts = tsr__parts_folder();
    char *path = parts ? tsr_format("%s/libtessera-cc.so", parts) : NULL;
    tsr_free(parts);
    if (!path)
        return TSR_NO_MEMORY;
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
    if (handle) {
        *(void **)&library.answer = dlsym(handle, "tsr_cc_answer");
        *(void **)&library.release = dlsym(handle, "tsr_cc_free");
    }
    bool good = library.answer && library.release;
    if (!good) {
        const char *error = handle ? "it is not Tessera's compiler" : dlerror();
        *why = tsr_format("The compiler library %s does not load: %s.", path, error ? error : "unknown reason");
        library.answer = NULL;
    }
    tsr_free(path);
    return good ? TSR_OK : TSR_NO_FILE;
}

enum tsr_status tsr__inprocess_ask(const void *request, size_t size, unsigned char **answer, size_t *answer_size, char **why)
{
    *why = NULL;
    pthread_mutex_lock(&library.lock);
    enum tsr_status status = library.answer ? TSR_OK : load(why);
    pthread_mutex_unlock(&library.lock);
    if (status != TSR_OK)
        return status;
    unsigned char *theirs = library.answer(request, size, answer_size);
    *answer = theirs ? tsr_malloc(*answer_size) : NULL;
    if (*answer)
        memcpy(*answer, theirs, *answer_size);
    if (theirs)
        library.release(theirs);
    return *answer ? TSR_OK : TSR_NO_MEMORY;
}
