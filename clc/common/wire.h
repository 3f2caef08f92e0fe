/* SPDX-License-Identifier: Apache-2.0
 * How the driver (clc/client) and the compiler (clc/service) talk: frames over a stream socket, and the byte forms of request and result.
 *
 * tessera-cc gets the socket as file descriptor 0. It answers each REQUEST with one RESULT, in order, and exits at end of file. Its
 * standard output and error go to a file that the driver reads when a compiler dies, so that the last words of LLVM get into the build log.
 *
 * tessera-cc works in a child of its own: the parent only waits for it. When the child dies, the parent sends DIED with the wait status and
 * exits; when the driver hangs up, the parent kills the child. So the driver needs no child process of its own in the application, whose
 * wait() and SIGCHLD handler never meet a compiler. */
#ifndef TESSERA_CLC_WIRE_H
#define TESSERA_CLC_WIRE_H

#include <sys/stat.h>

#include "tessera/clc.h"

enum tsr_wire_kind {
    TSR_WIRE_REQUEST = 1, /* driver → compiler: tsr_wire_write_request */
    TSR_WIRE_RESULT = 2,  /* compiler → driver: tsr_wire_write_result */
    TSR_WIRE_DIED = 3,    /* compiler → driver: u32 status of waitpid, u32 1 if a request was left unread */
};

enum { TSR_WIRE_MAGIC = 0x57525354 };      /* "TSRW" */
#define TSR_WIRE_LIMIT ((uint64_t)1 << 30) /* bytes of one frame's content */

/* A request, and the working directory of the application: relative -I paths are relative to it. */
struct tsr_wire_request {
    struct tsr_clc_request request;
    const char *directory; /* absolute; NULL if unknown, or if the request reads no files */
};

/* Whether the request can read files (reads.c). Only then the working directory, and which folders exist, can matter. */
bool tsr_wire_reads_files(const struct tsr_clc_request *request);

/* What a build found at a path. */
enum tsr_wire_found {
    TSR_WIRE_ABSENT,  /* nothing, or what is neither a file nor a folder */
    TSR_WIRE_REFUSED, /* a path that this user may not follow, or that no user can follow */
    TSR_WIRE_FOLDER,
    TSR_WIRE_PRESENT, /* a file that was not read (__has_include) */
    TSR_WIRE_READ,
    TSR_WIRE_UNKNOWN, /* an error that may pass (no memory, a server that does not answer); in no result that is kept */
};
/* Looks at a path: anything but READ. *st is set for a folder or file, otherwise zero. Opens nothing. */
enum tsr_wire_found tsr_wire_look(const char *path, struct stat *st);

/* A path that the build looked up: a cached result is good as long as the same is found under all of them. */
struct tsr_wire_file {
    const char *path; /* absolute */
    enum tsr_wire_found found;
    uint32_t same_as;     /* index of the first entry that is the same file or folder under another path; otherwise its own index */
    struct tsr_hash hash; /* READ: tsr_hash_bytes of the content */
};

struct tsr_wire_result {
    enum tsr_clc_outcome outcome;
    bool keep;         /* false: another run could give something else (__TIME__, out of memory), so it must not be cached */
    const char *log;   /* NULL counts as "" */
    const void *image; /* DONE only */
    size_t image_size;
    uint32_t file_count;
    const struct tsr_wire_file *files;
};

/* Appends the byte form. Failure: buf->failed. */
void tsr_wire_write_request(const struct tsr_wire_request *request, struct tsr_buf *buf);
void tsr_wire_write_result(const struct tsr_wire_result *result, struct tsr_buf *buf);
/* Reads it back, strictly; texts and images point into `data`, arrays live in `arena`. DAMAGED or NO_MEMORY. */
enum tsr_status tsr_wire_read_request(const void *data, size_t size, struct tsr_arena *arena, struct tsr_wire_request *request);
enum tsr_status tsr_wire_read_result(const void *data, size_t size, struct tsr_arena *arena, struct tsr_wire_result *result);

/* Sends or receives one whole frame. No SIGPIPE. `deadline_ns` is a time of tsr_now_ns, UINT64_MAX for none.
 * DIED: the other side has hung up, and errno is ECONNRESET if it left unread what was sent before, or else 0; TIMEOUT; DAMAGED: no frame,
 * or longer than the limit; IO; NO_MEMORY. *data is to be tsr_freed. */
enum tsr_status tsr_wire_send(int socket, enum tsr_wire_kind kind, const void *data, size_t size, uint64_t deadline_ns);
enum tsr_status tsr_wire_receive(int socket, uint32_t *kind, unsigned char **data, size_t *size, uint64_t deadline_ns);

/* The same on a descriptor that an application may have closed: DIED with EBADF as soon as that shows, and the application's own file with
 * that number is left alone. */
enum tsr_status tsr_wire_send_on(const struct tsr_fd *socket, enum tsr_wire_kind kind, const void *data, size_t size, uint64_t deadline_ns);
enum tsr_status tsr_wire_receive_on(const struct tsr_fd *socket, uint32_t *kind, unsigned char **data, size_t *size, uint64_t deadline_ns);

/* For the process that watches a compiler, when the compiler has died: sends its wait status to the driver, and whether a request was left
 * unread, as such a request is not the cause. */
void tsr_wire_send_died(int socket, int wait_status);

/* The service as a library, libtessera-cc.so (clc/service): byte form of a request in, byte form of a result out. Any thread; several at
 * once. NULL: out of memory. The answer is released with tsr_cc_free, as the library may have an allocator of its own. */
unsigned char *tsr_cc_answer(const void *request, size_t size, size_t *answer_size);
void tsr_cc_free(void *answer);

#endif
