/* SPDX-License-Identifier: Apache-2.0
 * A request to its end: disk cache, then an idle or new compiler process, then the answer or a log that says what went wrong. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "client.h"
#include "tessera/floats.h"

enum { MOST_LOST = 4 }; /* descriptors that the application closes during one build */

/* A request while it is served. */
struct build {
    struct tsr_buf request; /* byte form */
    bool cached;            /* there is a disk cache */
    struct tsr_hash key;    /* in the cache */
    bool may_fall_back;     /* to the compiler library, if no process can be started */
    long long seconds;      /* that a process may take */
    int lost;               /* processes whose socket the application has closed */
    struct tsr_clc_result *result;
};

/* ---- logs of what went wrong ---- */

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

/* Whether the request made the compiler crash, as far as can be told: the process was neither killed by a user nor is it another program.
 * */
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

/* Text about a compiler process that ended before it read its first request. */
static char *start_failure(const struct tsr__worker *worker)
{
    char *words = tsr__worker_last_words(worker);
    char *why = tsr_format("The compiler process %d ended before it read a request.%s%s", (int)worker->pid, words ? " It said: " : "",
                           words ? words : "");
    tsr_free(words);
    return why;
}

/* ---- the byte form of a result ---- */

/* Reads the byte form of a result. DAMAGED or NO_MEMORY: `result` is not changed. */
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

static void take_answer(struct build *build, const unsigned char *answer, size_t size)
{
    struct tsr_arena arena = {0};
    struct tsr_wire_result wire;
    enum tsr_status status = decode(answer, size, build->result, &arena, &wire);
    if (status == TSR_NO_MEMORY)
        fail(build->result, TSR_CLC_NO_MEMORY, NULL);
    else if (status != TSR_OK)
        fail(build->result, TSR_CLC_FAILED,
             tsr_strdup("error: the compiler gave an answer that makes no sense. Is TESSERA_CC another version's compiler?\n"));
    else if (build->cached && wire.outcome == TSR_CLC_DONE && wire.keep) {
        tsr_no_fork_begin();
        tsr__cache_put(build->key, answer, size);
        tsr_no_fork_end();
    }
    tsr_arena_free(&arena);
}

/* ---- who answers ---- */

/* `no_process`: why no process does it, or NULL. */
static void ask_library(struct build *build, const char *no_process)
{
    unsigned char *answer;
    size_t size;
    char *why = NULL;
    if (no_process)
        tsr_log(TSR_LOG_WARN, "a program is compiled in this process: %s", no_process);
    enum tsr_status status = tsr__inprocess_ask(build->request.data, build->request.size, &answer, &size, &why);
    if (status == TSR_OK) {
        take_answer(build, answer, size);
        tsr_free(answer);
    } else if (status == TSR_NO_MEMORY) {
        fail(build->result, TSR_CLC_NO_MEMORY, NULL);
    } else {
        fail(build->result, TSR_CLC_UNAVAILABLE,
             tsr_format("error: no compiler.\n%s%s%s\n", no_process ? no_process : "", no_process ? "\n" : "",
                        why ? why : tsr_status_text(status)));
    }
    tsr_free(why);
}

/* No process could be started: `why`, or NULL. */
static void without_process(struct build *build, enum tsr_status status, const char *why)
{
    if (build->may_fall_back && status == TSR_UNSUPPORTED)
        ask_library(build, why);
    else if (status == TSR_NO_MEMORY)
        fail(build->result, TSR_CLC_NO_MEMORY, NULL);
    else
        fail(build->result, TSR_CLC_UNAVAILABLE, tsr_format("error: no compiler.\n%s\n", why ? why : tsr_status_text(status)));
}

/* The process has died; ends the worker. `used`: it had been idle before. `sent`: it had read the request. `how`: wait status, or -1.
 * False: the request is to go to another process. */
static bool after_death(struct build *build, struct tsr__worker *worker, bool used, bool sent, int how)
{
    /* The request is not the cause if the compiler died while idle, or if the application closed the socket. */
    if (!sent && (used || (!tsr_fd_is_ours(&worker->socket) && ++build->lost < MOST_LOST))) {
        tsr__workers_retire(worker, true);
        return false;
    }
    /* Nor is it if a new process ended at once: a library is missing, or limits and filters of the application, which the process inherits,
     * end it. */
    if (!sent && build->may_fall_back && !tsr_env(TSR_ENV_CC)) {
        char *why = start_failure(worker);
        tsr__workers_retire(worker, true);
        ask_library(build, why ? why : "");
        tsr_free(why);
        return true;
    }
    fail(build->result, crashed(how) ? TSR_CLC_DIED : TSR_CLC_FAILED, death_log(worker, how));
    tsr__workers_retire(worker, true);
    return true;
}

/* The process is alive but has given no answer. */
static void fail_without_answer(const struct build *build, enum tsr_status status)
{
    if (status == TSR_NO_MEMORY)
        fail(build->result, TSR_CLC_NO_MEMORY, NULL);
    else if (status == TSR_TIMEOUT)
        fail(build->result, TSR_CLC_FAILED,
             tsr_format("error: the build took longer than %lld seconds and was stopped. TESSERA_CC_TIMEOUT=<seconds> sets the limit.\n",
                        build->seconds));
    else
        fail(build->result, TSR_CLC_FAILED,
             tsr_format("error: the talk with the compiler process failed: %s. Is TESSERA_CC another program?\n", tsr_status_text(status)));
}

/* Asks one compiler process. False: the request is to go to another. */
static bool ask_one_process(struct build *build)
{
    bool used, sent;
    int how;
    char *why = NULL;
    enum tsr_status status;
    unsigned char *answer;
    size_t size;
    struct tsr__worker *worker = tsr__workers_take(&used, &status, &why);
    if (!worker) {
        without_process(build, status, why);
        tsr_free(why);
        return true;
    }
    uint64_t begin = tsr_now_ns(), deadline = begin + (uint64_t)build->seconds * 1000000000u;
    status = tsr__worker_ask(worker, build->request.data, build->request.size, deadline, &answer, &size, &sent, &how);
    if (status == TSR_DIED)
        return after_death(build, worker, used, sent, how);
    if (status != TSR_OK) {
        fail_without_answer(build, status);
        tsr__workers_retire(worker, true);
        return true;
    }
    tsr_log(TSR_LOG_COMPILE, "compiler process %d answered %zu bytes after %.2f ms", (int)worker->pid, size,
            (double)(tsr_now_ns() - begin) / 1e6);
    tsr__workers_give_back(worker);
    take_answer(build, answer, size);
    tsr_free(answer);
    return true;
}

static void ask_process(struct build *build)
{
    build->may_fall_back = !tsr_env(TSR_ENV_CC_MODE);
    build->seconds = tsr_env_int(TSR_ENV_CC_TIMEOUT, 1, 1000000);
    while (!ask_one_process(build))
        ;
}

/* ---- a request ---- */

/* The byte form of the request. False: the result says why there is none. */
static bool encode(const struct tsr_clc_request *request, struct build *build)
{
    char *directory = tsr_wire_reads_files(request) ? getcwd(NULL, 0) : NULL;
    struct tsr_wire_request wire = {.request = *request, .directory = directory};
    tsr_wire_write_request(&wire, &build->request);
    free(directory);
    if (build->request.failed)
        fail(build->result, TSR_CLC_NO_MEMORY, NULL);
    else if (build->request.size > TSR_WIRE_LIMIT)
        fail(build->result, TSR_CLC_FAILED,
             tsr_format("error: source and headers of %zu bytes are more than the compiler takes.\n", build->request.size));
    else
        return true;
    return false;
}

static bool find_in_cache(struct build *build)
{
    tsr_no_fork_begin(); /* the cache has a lock and, for a moment, descriptors */
    build->cached = tsr__cache_on();
    if (build->cached)
        build->key = tsr__cache_key(build->request.data, build->request.size);
    bool found = build->cached && from_cache(build->key, build->result);
    tsr_no_fork_end();
    return found;
}

void tsr__request_run(const struct tsr_clc_request *request, struct tsr_clc_result *result)
{
    memset(result, 0, sizeof(*result));
    int begun = tsr_no_cancel_begin();
    const unsigned floats = tsr_floats_begin(); /* also for the compiler as a library */
    struct build build = {.result = result};
    if (encode(request, &build) && !find_in_cache(&build)) {
        if (tsr_clc_is_library())
            ask_library(&build, NULL);
        else
            ask_process(&build);
    }
    tsr_buf_free(&build.request);
    tsr_floats_end(floats);
    tsr_no_cancel_end(begun);
}

bool tsr_clc_find(const void *key, size_t size, struct tsr_clc_result *result)
{
    tsr_no_fork_begin();
    bool found = tsr__cache_on() && from_cache(tsr__cache_key(key, size), result);
    tsr_no_fork_end();
    return found;
}

void tsr_clc_keep(const void *key, size_t size, const struct tsr_clc_result *result)
{
    struct tsr_wire_result wire = {
        .outcome = result->outcome, .keep = true, .log = result->log, .image = result->image, .image_size = result->image_size};
    struct tsr_buf bytes = {0};
    tsr_wire_write_result(&wire, &bytes);
    tsr_no_fork_begin();
    if (!bytes.failed && tsr__cache_on())
        tsr__cache_put(tsr__cache_key(key, size), bytes.data, bytes.size);
    tsr_no_fork_end();
    tsr_buf_free(&bytes);
}

void tsr_clc_result_free(struct tsr_clc_result *result)
{
    tsr_free(result->log);
    tsr_free(result->image);
    memset(result, 0, sizeof(*result));
}
