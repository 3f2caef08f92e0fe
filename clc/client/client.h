/* SPDX-License-Identifier: Apache-2.0
 * What the files of clc/client share: compiler processes, the library form of the compiler, the disk cache. */
#ifndef TESSERA_CLC_CLIENT_H
#define TESSERA_CLC_CLIENT_H

#include <sys/types.h>

#include "tessera/clc.h"
#include "clc/common/wire.h"

/* ---- where the compiler's files are (paths.c) ---- */

/* The folder tessera/ beside the driver; malloc'd. NO_MEMORY; any other status: it is not known. *folder is NULL then. */
enum tsr_status tsr__parts_folder(char **folder);
/* The program to start as compiler process: TESSERA_CC, or that in the folder. malloc'd. NO_MEMORY; NO_FILE: the folder is not known, *why
 * gets malloc'd text. *path is NULL then. */
enum tsr_status tsr__compiler_path(char **path, char **why);
/* Likewise the compiler as a library. */
enum tsr_status tsr__library_path(char **path, char **why);

/* ---- the environment of the compiler (environment.c) ---- */

/* Hash of the variables that the compiler reads. A worker started under other values is of no use, and they are in the key of the cache: a
 * variable too many costs a miss, one too few a wrong answer. */
struct tsr_hash tsr__environment_hash(void);
/* The environment of a compiler process, ended by NULL, to be tsr_freed: the application's without the variables that the driver alone
 * reads; `more`, if not NULL, is one more line of it. NULL: out of memory. */
char **tsr__compiler_environment(char *more);

/* ---- one compiler process (worker.c) ---- */

struct tsr__worker {
    struct tsr__worker *next; /* in the list of idle workers */
    struct tsr__worker *next_alive, *prev_alive;
    struct tsr_fd socket;
    struct tsr_fd words; /* file that its standard output and error go to */
    pid_t pid;           /* of tessera-cc, which is no child of ours */
    uint64_t identity;   /* tells the process from a later one with the same number; 0: not known */
    unsigned builds;
    struct tsr_hash environment; /* tsr__environment_hash() at its start */
};

/* Starts a process. NO_FILE: no compiler there. UNSUPPORTED: processes cannot be started here. *why gets malloc'd text on failure. */
enum tsr_status tsr__worker_start(struct tsr__worker **worker, char **why);
/* True if the process has ended while idle, or if the application has closed our end of the socket. */
bool tsr__worker_is_gone(const struct tsr__worker *worker);
/* Sends a request and waits for the answer. DIED: *how gets the wait status of the process, or -1 if it is unknown. *sent: the compiler has
 * read the whole request; false, too, if the application closed our end of the socket. */
enum tsr_status tsr__worker_ask(struct tsr__worker *worker, const void *request, size_t size, uint64_t deadline_ns, unsigned char **answer,
                                size_t *answer_size, bool *sent, int *how);
/* The end of the process's output, malloc'd; NULL if there is none. */
char *tsr__worker_last_words(const struct tsr__worker *worker);
/* Closes the socket and frees the worker. That kills a process that works on a request; `kill_it` also kills a stopped one. */
void tsr__worker_end(struct tsr__worker *worker, bool kill_it);
/* In the child of a fork: frees the worker; the process stays with the parent. */
void tsr__worker_forget(struct tsr__worker *worker);

/* ---- the set of compiler processes (workers.c) ---- */

/* An idle worker, or a new one, or, if there are as many as CPUs, the next that is given back. *used: it may have died while idle. NULL:
 * *status and *why as tsr__worker_start. */
struct tsr__worker *tsr__workers_take(bool *used, enum tsr_status *status, char **why);
void tsr__workers_give_back(struct tsr__worker *worker);
/* In place of giving it back: ends it, as tsr__worker_end. */
void tsr__workers_retire(struct tsr__worker *worker, bool kill_it);

/* ---- compiler in this process (inprocess.c) ---- */

/* OK: *answer is the byte form of a result, to be tsr_freed. NO_FILE, UNSUPPORTED: the library is not there or cannot be used; *why says
 * so.
 */
enum tsr_status tsr__inprocess_ask(const void *request, size_t size, unsigned char **answer, size_t *answer_size, char **why);

/* ---- files that builds look up (lookups.c) ---- */

/* Whether everything that the build looked up is found as it was then. */
bool tsr__files_unchanged(const struct tsr_wire_result *wire);

/* ---- a request (request.c) ---- */

/* tsr_clc_run, but a request that a process died of ends with DIED, and no report goes to the log. */
void tsr__request_run(const struct tsr_clc_request *request, struct tsr_clc_result *result);

/* ---- which kernel a process died of (blame.c) ---- */

/* `result` says DIED: adds to its log which kernels of the request did that. A build under TESSERA_EXPLAIN becomes DONE, without the code
 * of those kernels. */
void tsr__blame(const struct tsr_clc_request *request, struct tsr_clc_result *result);

/* ---- disk cache (cache.c) ---- */

/* False if there is no cache (switched off, or no folder that can be written). Then the functions below do nothing. */
bool tsr__cache_on(void);
/* Key of a request in byte form. */
struct tsr_hash tsr__cache_key(const void *request, size_t size);
/* The byte form of the result stored under the key, to be tsr_freed; NULL: a miss. Any defect is a miss, and the file is removed if it is
 * one of the cache. */
unsigned char *tsr__cache_get(struct tsr_hash key, size_t *size);
void tsr__cache_put(struct tsr_hash key, const void *data, size_t size);
void tsr__cache_remove(struct tsr_hash key);

/* ---- folder of the disk cache (folder.c) ---- */

/* Path of the folder, absolute, malloc'd. It is made if need be. NULL: none can be used, which is told in the log. */
char *tsr__folder_find(void);
/* A descriptor of the folder, which is made if it is missing. The caller closes it before the application goes on: applications close
 * descriptors that they do not know. -1: it is not there, or was not made by the cache, or others can write it. */
int tsr__folder_open(const char *path);

#endif
