/* SPDX-License-Identifier: Apache-2.0
 * The compiler as a library in this process, for hosts that may not start processes.
 *
 * The library exports its three entry points and nothing else, so the dynamic linker binds its LLVM to itself even if the application
 * exports another one. RTLD_DEEPBIND is not used: if the application has an allocator of its own, libc and the library both use it, so the
 * library can free what libc has allocated (realpath, getline). */
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "client.h"

static struct {
    pthread_mutex_t lock;
    __typeof__(tsr_cc_answer) *answer;
    __typeof__(tsr_cc_free) *release;
} library = {PTHREAD_MUTEX_INITIALIZER, NULL, NULL};

static _Atomic unsigned asking; /* threads that are in the library */
static bool torn;               /* this is the child of a fork that came while a thread was in the library: LLVM's locks stay held */

static void after_fork_in_child(void)
{
    torn |= atomic_exchange(&asking, 0) != 0;
}

/* The library is never closed: LLVM's state does not outlive that well. dlopen is called without the lock, as another thread may be here
 * in the constructor of a library that it loads, and has the dynamic linker's. */
static enum tsr_status load(char **why)
{
    static struct tsr_fork_hooks hooks = {NULL, NULL, after_fork_in_child, NULL};
    __typeof__(tsr_cc_answer) *answer = NULL;
    __typeof__(tsr_cc_free) *release = NULL;
    char *path;
    enum tsr_status status = tsr__library_path(&path, why);
    if (status != TSR_OK)
        return status;
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (handle) {
        *(void **)&answer = dlsym(handle, "tsr_cc_answer");
        *(void **)&release = dlsym(handle, "tsr_cc_free");
    }
    const bool good = answer && release;
    if (!good) {
        const char *error = handle ? "it is not Tessera's compiler" : dlerror();
        *why = tsr_format("The compiler library %s does not load: %s.", path, error ? error : "unknown reason");
    }
    tsr_free(path);
    pthread_mutex_lock(&library.lock);
    if (good && !library.answer) {
        tsr_fork_watch(&hooks);
        library.answer = answer;
        library.release = release;
    }
    pthread_mutex_unlock(&library.lock);
    return good ? TSR_OK : TSR_NO_FILE;
}

enum tsr_status tsr__inprocess_ask(const void *request, size_t size, unsigned char **answer, size_t *answer_size, char **why)
{
    *why = NULL;
    tsr_no_fork_begin();
    pthread_mutex_lock(&library.lock);
    const bool loaded = library.answer;
    pthread_mutex_unlock(&library.lock);
    enum tsr_status status = loaded ? TSR_OK : load(why);
    tsr_no_fork_end();
    if (status != TSR_OK)
        return status;
    if (torn) {
        *why = tsr_strdup("This process was forked while another thread compiled in it, so the compiler library cannot be used here. Fork "
                          "before the first build, or let the driver start compiler processes (TESSERA_CC_MODE=process).");
        return TSR_UNSUPPORTED;
    }
    atomic_fetch_add(&asking, 1);
    unsigned char *theirs = library.answer(request, size, answer_size);
    atomic_fetch_sub(&asking, 1);
    *answer = theirs ? tsr_malloc(*answer_size) : NULL;
    if (*answer)
        memcpy(*answer, theirs, *answer_size);
    if (theirs)
        library.release(theirs);
    return *answer ? TSR_OK : TSR_NO_MEMORY;
}
