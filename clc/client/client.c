/* SPDX-License-Identifier: Apache-2.0
 * Runs a request: disk cache, then an idle or new compiler process, then the answer or a log that says what went wrong. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "client.h"

enum {
    BUILDS_OF_ONE_WORKER = 500, /* then a fresh process takes over, so that what leaks in a compiler stays small */
    DEFAULT_TIMEOUT_S = 300,
};

/* ---- where things are ------------------------------------------------------------------------------------------------------------ */

char *tsr__parts_folder(void)
{
    char *dir = tsr_dir_of_code((const void *)tsr_clc_run);
    char *parts = dir ? tsr_format("%s/tessera", dir) : NULL;
    tsr_free(dir);
    return parts;
}

char *tsr__compiler_path(void)
{
    const char *named = tsr_env(TSR_ENV_CC);
    if (named)
        return tsr_strdup(named);
    char *parts = tsr__parts_folder();
    char *path = parts ? tsr_format("%s/tessera-cc", parts) : NULL;
    tsr_free(parts);
    return path;
}

/* Whether no process is to be started. A privileged program starts none: the user who called it could take such a process over before that
 * has closed itself up. */
static bool library_only(void)
{
    const char *mode = tsr_env(TSR_ENV_CC_MODE);
    return tsr_is_privileged() || (mode && !strcmp(mode, "inprocess"));
}

struct tsr_hash tsr__knobs_hash(void)
{
    /* Every variable but those that only this side reads. To count one too many costs a miss, one too few a wrong answer. */
    static const bool ours[TSR_ENV_COUNT] = {
        [TSR_ENV_CC] = true,        [TSR_ENV_CC_MODE] = true,    [TSR_ENV_CC_TIMEOUT] = true, [TSR_ENV_CACHE] = true,
        [TSR_ENV_CACHE_DIR] = true, [TSR_ENV_CACHE_SIZE] = true, [TSR_ENV_FAIL_ALLOC] = true,
    };
    struct tsr_buf buf = {0};
    for (int i = 0; i < TSR_ENV_COUNT; i++)
        tsr_buf_str(&buf, ours[i] ? NULL : tsr_env((enum tsr_env_name)i));
    struct tsr_hash hash = tsr_hash_bytes(buf.data, buf.size);
    tsr_buf_free(&buf);
    return hash;
}

/* ---- the set of compiler processes ------------------------------------------------------------------------------------------------ */

static struct {
    pthread_mutex_t lock;
    pthread_cond_t returned;
    struct tsr__worker *idle;
    struct tsr__worker *alive; /* all of them */
    unsigned count;
} workers = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, NULL, NULL, 0};

static void before_fork(void)
{
    pthread_mutex_lock(&workers.lock);
}

static void after_fork_in_parent(void)
{
    pthread_mutex_unlock(&workers.lock);
}

/* The processes serve the parent: two who talk over one socket would get each other's answers. */
static void after_fork_in_child(void)
{
    while (workers.alive) {
        struct tsr__worker *next = workers.alive->next_alive;
        tsr__worker_forget(workers.alive);
        workers.alive = next;
    }
    workers.idle = NULL;
    workers.count = 0;
    pthread_cond_init(&workers.returned, NULL);
    pthread_mutex_unlock(&workers.lock);
}

static void watch_forks(void)
{
    static struct tsr_fork_hooks hooks = {before_fork, after_fork_in_parent, after_fork_in_child, NULL};
    tsr_fork_watch(&hooks);
}

static unsigned most_workers(void)
{
    long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    return cpus < 2 ? 2 : (unsigned)cpus;
}

/* The lock is held. */
static void add_alive(struct tsr__worker *worker)
{
    worker->prev_alive = NULL;
    worker->next_alive = workers.alive;
    if (workers.alive)
        workers.alive->prev_alive = worker;
    workers.alive = worker;
}

static void retire(struct tsr__worker *worker, bool kill_it)
{
    tsr_no_fork_begin(); /* a child must not inherit the descriptors of a worker that is not in the set any more */
    pthread_mutex_lock(&workers.lock);
    if (worker->prev_alive)
        worker->prev_alive->next_alive = worker->next_alive;
    else
        workers.alive = worker->next_alive;
    if (worker->next_alive)
        worker->next_alive->prev_alive = worker->prev_alive;
    workers.count--;
    pthread_cond_signal(&workers.returned);
    pthread_mutex_unlock(&workers.lock);
    tsr__worker_end(worker, kill_it);
    tsr_no_fork_end();
}

static void give_back(struct tsr__worker *worker)
{
    if (worker->builds >= BUILDS_OF_ONE_WORKER) {
        retire(worker, false);
        return;
    }
    pthread_mutex_lock(&workers.lock);
    worker->next = workers.idle;
    workers.idle = worker;
    pthread_cond_signal(&workers.returned);
    pthread_mutex_unlock(&workers.lock);
}

/* Starts a worker into the set. The caller has counted it. */
static struct tsr__worker *start_counted(enum tsr_status *status, char **why)
{
    struct tsr__worker *worker = NULL;
    tsr_no_fork_begin(); /* a child must not inherit the descriptors of a worker that is not in the set yet */
    *status = tsr__worker_start(&worker, why);
    pthread_mutex_lock(&workers.lock);
    if (worker) {
        add_alive(worker);
    } else {
        workers.count--;
        pthread_cond_signal(&workers.returned);
    }
    pthread_mutex_unlock(&workers.lock);
    tsr_no_fork_end();
    return worker;
}

/* An idle worker, or a new one, or, if there are as many as CPUs, the next that is given back. *used: it may have died while idle. */
static struct tsr__worker *take(bool *used, enum tsr_status *status, char **why)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, watch_forks);
    struct tsr_hash knobs = tsr__knobs_hash();
    unsigned most = most_workers();
    for (;;) {
        pthread_mutex_lock(&workers.lock);
        while (!workers.idle && workers.count >= most)
            pthread_cond_wait(&workers.returned, &workers.lock);
        struct tsr__worker *worker = workers.idle;
        if (worker)
            workers.idle = worker->next;
        else
            workers.count++;
        pthread_mutex_unlock(&workers.lock);
        if (!worker) {
            *used = false;
            return start_counted(status, why);
        }
        if (!tsr__worker_is_gone(worker) && !memcmp(&worker->knobs, &knobs, sizeof(knobs))) {
            *used = true;
            *status = TSR_OK;
            return worker;
        }
        retire(worker, false);
    }
}

void tsr_clc_warm_up(void)
{
    if (library_only())
        return;
    pthread_mutex_lock(&workers.lock);
    bool have = workers.count != 0;
    pthread_mutex_unlock(&workers.lock);
    if (have)
        return;
    bool used;
    enum tsr_status status;
    char *why = NULL;
    struct tsr__worker *worker = take(&used, &status, &why);
    if (worker)
        give_back(worker);
    else
        tsr_log(TSR_LOG_COMPILE, "no compiler process started ahead: %s", why ? why : tsr_status_text(status));
    tsr_free(why);
}

void tsr_clc_unload(void)
{
    for (;;) {
        pthread_mutex_lock(&workers.lock);
        struct tsr__worker *worker = workers.idle;
        if (worker)
            workers.idle = worker->next;
        pthread_mutex_unlock(&workers.lock);
        if (!worker)
            return;
        retire(worker, false);
    }
}

/* ---- logs of what went wrong -------------------------------------------------------------------------------------------------------- */

static char *death_log(const struct tsr__worker *worker, int how)
{
    char *words = tsr__worker_last_words(worker);
    char *reason;
    if (how != -1 && WIFSIGNALED(how))
        reason =
            tsr_format("was killed by signal %d (SIG%s)%s", WTERMSIG(how), sigabbrev_np(WTERMSIG(how)) ? sigabbrev_np(WTERMSIG(how)) : "?",
                       WTERMSIG(how) == SIGKILL   ? ", by a user or because the machine ran out of memory"
                       : WTERMSIG(how) == SIGXCPU ? ", its limit of CPU time was passed"
                                                  : ", which is a bug in the compiler");
    else if (how != -1 && WIFEXITED(how))
        reason = tsr_format("ended with exit status %d", WEXITSTATUS(how));
    else
        reason = tsr_strdup("ended without an answer");
    char *log = tsr_format(
        "error: the compiler process %d %s while it built this program.\n"
        "Nothing else in the application is affected, and the next build gets a new process. If it happens again with this program, make "
        "the program smaller or report it; TESSERA_DEBUG=compile shows the life of the compiler.\n%s%s%s",
        (int)worker->pid, reason ? reason : "ended", words ? "Its last words:\n" : "", words ? words : "", words ? "\n" : "");
    tsr_free(reason);
    tsr_free(words);
    return log;
}

/* Of the request, as far as one can tell: not by somebody's hand, nor as no compiler of ours. */
static bool crashed(int how)
{
    return how != -1 && WIFSIGNALED(how) && WTERMSIG(how) != SIGKILL;
}

static void fail(struct tsr_clc_result *result, enum tsr_clc_outcome outcome, char *log)
{
    result->outcome = log ? outcome : TSR_CLC_NO_MEMORY;
    result->log = log;
    tsr_log(TSR_LOG_COMPILE, "build failed: %s", log ? log : "out of memory");
}

/* ---- a request --------------------------------------------------------------------------------------------------------------------------
 */

/* Takes the byte form of a result apart. DAMAGED or NO_MEMORY: `result` is untouched. */
static enum tsr_status decode(const unsigned char *data, size_t size, struct tsr_clc_result *result, struct tsr_arena *arena,
                              struct tsr_wire_result *wire)
{
    enum tsr_status status = tsr_wire_read_result(data, size, arena, wire);
    if (status != TSR_OK)
        return status;
    char *log = tsr_strdup(wire->log ? wire->log : "");
    unsigned char *image = wire->image_size ? tsr_malloc(wire->image_size) : NULL;
    if (!log || (wire->image_size && !image)) {
        tsr_free(log);
        tsr_free(image);
        return TSR_NO_MEMORY;
    }
    if (image)
        memcpy(image, wire->image, wire->image_size);
    *result = (struct tsr_clc_result){wire->outcome, log, image, wire->image_size};
    return TSR_OK;
}

static bool from_cache(struct tsr_hash key, struct tsr_clc_result *result)
{
    size_t size;
    unsigned char *data = tsr__cache_get(key, &size);
    if (!data)
        return false;
    struct tsr_arena arena = {0};
    struct tsr_wire_result wire;
    enum tsr_status status = decode(data, size, result, &arena, &wire);
    bool good = status == TSR_OK;
    if (good && (wire.outcome != TSR_CLC_DONE || !tsr__files_unchanged(&wire))) {
        tsr_clc_result_free(result);
        good = false;
    }
    if (!good && status != TSR_NO_MEMORY)
        tsr__cache_remove(key);
    tsr_arena_free(&arena);
    tsr_free(data);
    return good;
}

static void finish(const unsigned char *answer, size_t size, bool cached, struct tsr_hash key, struct tsr_clc_result *result)
{
    struct tsr_arena arena = {0};
    struct tsr_wire_result wire;
    enum tsr_status status = decode(answer, size, result, &arena, &wire);
    if (status == TSR_NO_MEMORY)
        fail(result, TSR_CLC_NO_MEMORY, NULL);
    else if (status != TSR_OK)
        fail(result, TSR_CLC_FAILED,
             tsr_strdup("error: the compiler gave an answer that makes no sense. Is TESSERA_CC another version's compiler?\n"));
    else if (cached && wire.outcome == TSR_CLC_DONE && wire.keep) {
        tsr_no_fork_begin();
        tsr__cache_put(key, answer, size);
        tsr_no_fork_end();
    }
    tsr_arena_free(&arena);
}

/* `before`: why no process does it, or NULL. */
static void ask_library(const struct tsr_buf *request, bool cached, struct tsr_hash key, struct tsr_clc_result *result, const char *before)
{
    unsigned char *answer;
    size_t size;
    char *why = NULL;
    if (before)
        tsr_log(TSR_LOG_WARN, "a program is compiled in this process: %s", before);
    enum tsr_status status = tsr__inprocess_ask(request->data, request->size, &answer, &size, &why);
    if (status == TSR_OK) {
        finish(answer, size, cached, key, result);
        tsr_free(answer);
    } else if (status == TSR_NO_MEMORY) {
        fail(result, TSR_CLC_NO_MEMORY, NULL);
    } else {
        fail(result, TSR_CLC_UNAVAILABLE,
             tsr_format("error: no compiler.\n%s%s%s\n", before ? before : "", before ? "\n" : "", why ? why : tsr_status_text(status)));
    }
    tsr_free(why);
}

/* What is to be said of a compiler process that ended before it read its first request. */
static char *start_failure(const struct tsr__worker *worker)
{
    char *words = tsr__worker_last_words(worker);
    char *why = tsr_format("The compiler process %d ended before it read a request.%s%s", (int)worker->pid, words ? " It said: " : "",
                           words ? words : "");
    tsr_free(words);
    return why;
}

enum { MOST_LOST = 4 }; /* descriptors that the application closes during one build */

static void ask_process(const struct tsr_buf *request, bool cached, struct tsr_hash key, struct tsr_clc_result *result, bool may_fall_back)
{
    long long seconds = tsr_env_int(TSR_ENV_CC_TIMEOUT, DEFAULT_TIMEOUT_S, 1, 1000000);
    for (int lost = 0;;) {
        bool used, sent;
        int how;
        char *why = NULL;
        enum tsr_status status;
        unsigned char *answer;
        size_t size;
        struct tsr__worker *worker = take(&used, &status, &why);
        if (!worker) {
            if (may_fall_back && status == TSR_UNSUPPORTED)
                ask_library(request, cached, key, result, why);
            else if (status == TSR_NO_MEMORY)
                fail(result, TSR_CLC_NO_MEMORY, NULL);
            else
                fail(result, TSR_CLC_UNAVAILABLE, tsr_format("error: no compiler.\n%s\n", why ? why : tsr_status_text(status)));
            tsr_free(why);
            return;
        }
        uint64_t begin = tsr_now_ns();
        status =
            tsr__worker_ask(worker, request->data, request->size, begin + (uint64_t)seconds * 1000000000u, &answer, &size, &sent, &how);
        switch (status) {
        case TSR_OK:
            tsr_log(TSR_LOG_COMPILE, "compiler process %d answered %zu bytes after %.2f ms", (int)worker->pid, size,
                    (double)(tsr_now_ns() - begin) / 1e6);
            give_back(worker);
            finish(answer, size, cached, key, result);
            tsr_free(answer);
            return;
        case TSR_DIED:
            /* The request is not to blame if the compiler died while idle, or if the application closed the socket. */
            if (!sent && (used || (!tsr_fd_is_ours(&worker->socket) && ++lost < MOST_LOST))) {
                retire(worker, true);
                continue;
            }
            /* Nor if a new one ended at once: a library is missing, or the application's limits and filters, which it inherits, end it. */
            if (!sent && may_fall_back && !tsr_env(TSR_ENV_CC)) {
                why = start_failure(worker);
                retire(worker, true);
                ask_library(request, cached, key, result, why ? why : "");
                tsr_free(why);
                return;
            }
            fail(result, crashed(how) ? TSR_CLC_DIED : TSR_CLC_FAILED, death_log(worker, how));
            break;
        case TSR_TIMEOUT:
            fail(
                result, TSR_CLC_FAILED,
                tsr_format("error: the build took longer than %lld seconds and was stopped. TESSERA_CC_TIMEOUT=<seconds> sets the limit.\n",
                           seconds));
            break;
        case TSR_NO_MEMORY:
            fail(result, TSR_CLC_NO_MEMORY, NULL);
            break;
        default:
            fail(result, TSR_CLC_FAILED,
                 tsr_format("error: the talk with the compiler process failed: %s. Is TESSERA_CC another program?\n",
                            tsr_status_text(status)));
        }
        retire(worker, true);
        return;
    }
}

void tsr_clc_run(const struct tsr_clc_request *request, struct tsr_clc_result *result)
{
    memset(result, 0, sizeof(*result));
    char *directory = tsr_wire_reads_files(request) ? getcwd(NULL, 0) : NULL;
    struct tsr_wire_request wire = {.request = *request, .directory = directory};
    struct tsr_buf bytes = {0};
    tsr_wire_write_request(&wire, &bytes);
    free(directory);
    if (bytes.failed) {
        tsr_buf_free(&bytes);
        fail(result, TSR_CLC_NO_MEMORY, NULL);
        return;
    }
    if (bytes.size > TSR_WIRE_LIMIT) {
        fail(result, TSR_CLC_FAILED, tsr_format("error: source and headers of %zu bytes are more than the compiler takes.\n", bytes.size));
        tsr_buf_free(&bytes);
        return;
    }
    struct tsr_hash key = {0};
    tsr_no_fork_begin(); /* the cache has a lock and, for a moment, descriptors */
    bool cached = tsr__cache_on();
    if (cached)
        key = tsr__cache_key(bytes.data, bytes.size);
    bool found = cached && from_cache(key, result);
    tsr_no_fork_end();
    if (!found) {
        if (library_only())
            ask_library(&bytes, cached, key, result, NULL);
        else
            ask_process(&bytes, cached, key, result, !tsr_env(TSR_ENV_CC_MODE));
    }
    tsr_buf_free(&bytes);
    if (result->outcome == TSR_CLC_DIED)
        tsr__blame(request, result);
    if (result->log && tsr_clc_explain())
        tsr_log_text(result->log);
}

void tsr_clc_result_free(struct tsr_clc_result *result)
{
    tsr_free(result->log);
    tsr_free(result->image);
    memset(result, 0, sizeof(*result));
}
