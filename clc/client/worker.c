/* SPDX-License-Identifier: Apache-2.0
 * One compiler process: start, ask, end.
 *
 * The application never sees the process as a child: an intermediate process, which shares our memory for the few microseconds of its life,
 * starts tessera-cc and ends, so init adopts tessera-cc. The intermediate ends without SIGCHLD, and only a wait for clones finds it. So
 * programs that loop over wait() until there are no children, or that count SIGCHLD, are not disturbed. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "client.h"

/* glibc's other name for clone(), which ThreadSanitizer takes for a fork: it would set itself up anew in the memory that both share. */
extern int __clone(int (*function)(void *), void *stack, int flags, void *argument, ...);

enum {
    STACK_SIZE = 64 << 10, /* of the intermediate */
    WORDS_SHOWN = 4096,    /* bytes of the end of what a dead compiler printed */
};

/* ---- which process it is ---- */

/* A number that differs between the process of `handle` and any other process with the same pid; 0: not known. Uses system calls
 * directly: the intermediate below calls this with a descriptor table of its own in the caller's memory, and a tool that watches the C
 * library's functions (ThreadSanitizer) would take its descriptors for the caller's. */
static uint64_t identity_of(int handle, pid_t pid)
{
    enum { PIDFS = 0x50494446 };
    struct statfs fs;
    struct stat st;
    if (!syscall(SYS_fstatfs, handle, &fs) && fs.f_type == PIDFS &&
        !syscall(SYS_fstat, handle, &st)) /* since Linux 6.9 each process has an inode of its own */
        return st.st_ino;
    /* The time when the process started: field 22 of the line, counted after the name, which may contain anything. */
    char path[40], line[1024];
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    int fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
    long size = fd < 0 ? -1 : syscall(SYS_read, fd, line, sizeof line - 1);
    if (fd >= 0)
        syscall(SYS_close, fd);
    line[size > 0 ? size : 0] = 0;
    const char *at = strrchr(line, ')');
    for (int field = 2; at && field < 22; field++)
        at = strchr(at + 1, ' ');
    return at ? strtoull(at + 1, NULL, 10) : 0;
}

/* A handle of the compiler process, or -1: it has ended, and its pid may belong to another process. Checking after opening is safe: a
 * process that exists now has had its pid all the time. */
static int open_process(const struct tsr__worker *worker)
{
    int handle = worker->identity ? (int)syscall(SYS_pidfd_open, worker->pid, 0) : -1;
    if (handle >= 0 && identity_of(handle, worker->pid) != worker->identity) {
        close(handle);
        handle = -1;
    }
    return handle;
}

/* ---- start ---- */

struct start {
    const char *path;
    char **environment;
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attr;
    pid_t pid;
    uint64_t identity;
    int error;
};

/* Runs in the intermediate process, in the caller's memory; the caller sleeps meanwhile. Returning ends the intermediate alone. */
static int intermediate(void *data)
{
    struct start *start = data;
    char *argv[] = {(char *)"tessera-cc", NULL};
    start->error = posix_spawn(&start->pid, start->path, &start->actions, &start->attr, argv, start->environment);
    /* While the process is our child, no other process can get its pid. */
    int handle = start->error ? -1 : (int)syscall(SYS_pidfd_open, start->pid, 0);
    if (handle >= 0) {
        start->identity = identity_of(handle, start->pid);
        syscall(SYS_close, handle);
    }
    return 0;
}

/* Where /proc is missing, the dynamic linker cannot tell the folder of tessera-cc and so finds no library beside it. This variable tells
 * it. malloc'd; NULL if it is not needed. */
static char *origin_variable(const char *path)
{
    const char *slash = strrchr(path, '/');
    if (!slash || !access("/proc/self/exe", F_OK))
        return NULL;
    return tsr_format("LD_ORIGIN_PATH=%.*s", (int)(slash - path), path);
}

/* 0 or errno. */
static int spawn(const char *path, int socket, int words, struct tsr__worker *worker)
{
    char *origin = origin_variable(path);
    struct start start = {.path = path, .environment = tsr__compiler_environment(origin)};
    void *stack =
        start.environment ? mmap(NULL, STACK_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0) : MAP_FAILED;
    if (stack == MAP_FAILED) {
        tsr_free(start.environment);
        tsr_free(origin);
        return ENOMEM;
    }
    sigset_t all, none, before;
    sigfillset(&all);
    sigemptyset(&none);
    int err = posix_spawn_file_actions_init(&start.actions);
    if (err)
        goto unmap;
    err = posix_spawnattr_init(&start.attr);
    if (err)
        goto actions;
    posix_spawnattr_setsigmask(&start.attr, &none);
    posix_spawnattr_setsigdefault(&start.attr, &all);
    /* A session of its own: Ctrl-C in the terminal goes to the application, which may handle it. */
    posix_spawnattr_setflags(&start.attr, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSID);
    /* dup2 of a descriptor to itself clears close-on-exec, so low numbers of our own need no special case. Words first: 1 or 2 may be the
     * socket's own number only if the application closed its standard streams, hence the copies made above 2 by the caller. */
    err = posix_spawn_file_actions_adddup2(&start.actions, socket, 0);
    if (!err)
        err = posix_spawn_file_actions_adddup2(&start.actions, words, 1);
    if (!err)
        err = posix_spawn_file_actions_adddup2(&start.actions, words, 2);
    if (!err)
        err = posix_spawn_file_actions_addclosefrom_np(&start.actions, 3);
    if (err)
        goto attr;

    /* No signal handler of the application may run in the intermediate. */
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pid_t clone_pid = __clone(intermediate, (char *)stack + STACK_SIZE, CLONE_VM | CLONE_VFORK, &start);
    err = clone_pid < 0 ? errno : 0;
    if (!err) {
        while (waitpid(clone_pid, NULL, __WALL) < 0 && errno == EINTR)
            ;
        err = start.error;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    worker->pid = start.pid;
    worker->identity = start.identity;
attr:
    posix_spawnattr_destroy(&start.attr);
actions:
    posix_spawn_file_actions_destroy(&start.actions);
unmap:
    munmap(stack, STACK_SIZE);
    tsr_free(start.environment);
    tsr_free(origin);
    return err;
}

/* Moves a descriptor above the standard streams, which an application may have closed. -1 with errno. */
static int above_standard(int fd)
{
    if (fd < 0 || fd > 2)
        return fd;
    int moved = fcntl(fd, F_DUPFD_CLOEXEC, 3), error = errno;
    close(fd);
    errno = error;
    return moved;
}

static int new_words_file(void)
{
    int fd = above_standard(tsr_memfd("tessera-cc output", "", 0));
    if (fd >= 0)
        fcntl(fd, F_SETFL, O_APPEND); /* so that it can be emptied between builds */
    return fd;
}

/* What a compiler process is connected by. */
struct channels {
    int ours, theirs; /* ends of a socket; -1: none */
    int words;        /* file that its standard output and error go to */
};

static void close_channels(struct channels *channels)
{
    if (channels->ours >= 0)
        close(channels->ours);
    if (channels->theirs >= 0)
        close(channels->theirs);
    if (channels->words >= 0)
        close(channels->words);
}

/* UNSUPPORTED: *why says what cannot be had here. */
static enum tsr_status open_channels(struct channels *channels, char **why)
{
    int pair[2];
    *channels = (struct channels){-1, -1, -1};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair)) {
        *why = tsr_format("No socket for the compiler process: %s.", strerror(errno));
        return TSR_UNSUPPORTED;
    }
    channels->ours = above_standard(pair[0]);
    int error = channels->ours < 0 ? errno : 0;
    channels->theirs = above_standard(pair[1]);
    if (!error && channels->theirs < 0)
        error = errno;
    if (error) {
        *why = tsr_format("No descriptor above the standard streams for the compiler process: %s.", strerror(error));
        return TSR_UNSUPPORTED;
    }
    channels->words = new_words_file();
    if (channels->words < 0) {
        *why = tsr_format("No file in memory for the output of the compiler process: %s.", strerror(errno));
        return TSR_UNSUPPORTED;
    }
    return TSR_OK;
}

/* Starts the program at `path`. *why as tsr__worker_start. */
static enum tsr_status start_program(const char *path, struct tsr__worker *worker, char **why)
{
    if (access(path, X_OK)) {
        *why = tsr_format("The compiler %s cannot be run: %s. Install Tessera's folder tessera/ beside libtessera.so, or set TESSERA_CC.",
                          path, strerror(errno));
        return TSR_NO_FILE;
    }
    struct channels channels;
    enum tsr_status status = open_channels(&channels, why);
    int err = status == TSR_OK ? spawn(path, channels.theirs, channels.words, worker) : 0;
    if (err) {
        *why = tsr_format("The compiler %s cannot be started: %s.", path, strerror(err));
        status = err == ENOENT ? TSR_NO_FILE : TSR_UNSUPPORTED;
    }
    if (status != TSR_OK) {
        close_channels(&channels);
        return status;
    }
    close(channels.theirs);
    worker->socket = tsr_fd_keep(channels.ours);
    worker->words = tsr_fd_keep(channels.words);
    return TSR_OK;
}

enum tsr_status tsr__worker_start(struct tsr__worker **out, char **why)
{
    uint64_t begin = tsr_now_ns();
    char *path;
    enum tsr_status status = tsr__compiler_path(&path, why);
    if (status != TSR_OK)
        return status;
    struct tsr__worker *worker = tsr_calloc(1, sizeof(*worker));
    status = worker ? start_program(path, worker, why) : TSR_NO_MEMORY;
    tsr_free(path);
    if (status != TSR_OK) {
        tsr_free(worker);
        return status;
    }
    worker->environment = tsr__environment_hash();
    tsr_log(TSR_LOG_COMPILE, "compiler process %d started in %llu us", (int)worker->pid, (unsigned long long)(tsr_now_ns() - begin) / 1000);
    *out = worker;
    return TSR_OK;
}

bool tsr__worker_is_gone(const struct tsr__worker *worker)
{
    /* An idle compiler sends nothing: anything that can be read is its end. */
    struct pollfd poll_fd = {.fd = worker->socket.number, .events = POLLIN | POLLRDHUP};
    return !tsr_fd_is_ours(&worker->socket) || poll(&poll_fd, 1, 0) != 0;
}

enum tsr_status tsr__worker_ask(struct tsr__worker *worker, const void *request, size_t size, uint64_t deadline_ns, unsigned char **answer,
                                size_t *answer_size, bool *sent, int *how)
{
    uint32_t kind = 0;
    *answer = NULL;
    *how = -1;
    enum tsr_status status = tsr_wire_send_on(&worker->socket, TSR_WIRE_REQUEST, request, size, deadline_ns);
    *sent = status == TSR_OK;
    /* Also after a send that failed because the compiler has died: it may have sent why. One that is cut off as the socket may be another's
     * (EBADF) leaves a compiler that waits for the rest. */
    if (status == TSR_OK || (status == TSR_DIED && errno != EBADF)) {
        enum tsr_status received = tsr_wire_receive_on(&worker->socket, &kind, answer, answer_size, deadline_ns);
        if (received == TSR_DIED && (errno == ECONNRESET || errno == EBADF))
            *sent = false;
        status = received == TSR_OK && kind == TSR_WIRE_RESULT && status == TSR_DIED ? TSR_DAMAGED : received;
    }
    if (status == TSR_OK && kind == TSR_WIRE_DIED) {
        struct tsr_reader reader = tsr_reader_over(*answer, *answer_size);
        uint32_t wait_status = tsr_read_u32(&reader), unread = tsr_read_u32(&reader);
        if (!reader.failed) {
            *how = (int)wait_status;
            *sent = *sent && !unread;
        }
        status = TSR_DIED;
    } else if (status == TSR_OK && kind != TSR_WIRE_RESULT) {
        status = TSR_DAMAGED;
    }
    if (status != TSR_OK) {
        tsr_free(*answer);
        *answer = NULL;
        return status;
    }
    worker->builds++;
    if (tsr_fd_is_ours(&worker->words) && ftruncate(worker->words.number, 0)) /* later output belongs to the next build */
        tsr_log(TSR_LOG_WARN, "output of compiler process %d cannot be emptied: %s", (int)worker->pid, strerror(errno));
    return TSR_OK;
}

char *tsr__worker_last_words(const struct tsr__worker *worker)
{
    off_t size = tsr_fd_is_ours(&worker->words) ? lseek(worker->words.number, 0, SEEK_END) : 0;
    if (size <= 0)
        return NULL;
    off_t from = size > WORDS_SHOWN ? size - WORDS_SHOWN : 0;
    char *text = tsr_malloc((size_t)(size - from) + 1);
    ssize_t got = text ? pread(worker->words.number, text, (size_t)(size - from), from) : -1;
    if (got <= 0) {
        tsr_free(text);
        return NULL;
    }
    text[got] = 0;
    for (ssize_t i = 0; i < got; i++) /* a log is text */
        if (!text[i])
            text[i] = ' ';
    return text;
}

/* If we are init or a subreaper, tessera-cc has become our child: without a wait it would stay a zombie. */
static void reap(int process)
{
    siginfo_t info = {0};
    if (waitid(P_PIDFD, (id_t)process, &info, WEXITED | WNOHANG) || info.si_pid)
        return;
    syscall(SYS_pidfd_send_signal, process, SIGKILL, NULL, 0);
    while (waitid(P_PIDFD, (id_t)process, &info, WEXITED) && errno == EINTR)
        ;
}

void tsr__worker_end(struct tsr__worker *worker, bool kill_it)
{
    tsr_no_fork_begin(); /* the handle */
    int process = open_process(worker);
    /* Closing the socket makes the process kill its work; the signal is for a process that is stopped or does not react. */
    if (kill_it && process >= 0)
        syscall(SYS_pidfd_send_signal, process, SIGKILL, NULL, 0);
    tsr_log(TSR_LOG_COMPILE, "compiler process %d %s after %u builds", (int)worker->pid, kill_it ? "killed" : "let go", worker->builds);
    tsr_fd_close(&worker->socket);
    if (process >= 0) {
        reap(process);
        close(process);
    }
    tsr_no_fork_end();
    tsr_fd_close(&worker->words);
    tsr_free(worker);
}

void tsr__worker_forget(struct tsr__worker *worker)
{
    tsr_fd_close(&worker->socket);
    tsr_fd_close(&worker->words);
    tsr_free(worker);
}
