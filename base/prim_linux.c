/* SPDX-License-Identifier: Apache-2.0
 * The places that speak to the Linux kernel or the instruction set directly. They call no other file. */
#include <cpuid.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/internal.h"

uint64_t tsr_now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * UINT64_C(1000000000) + (uint64_t)t.tv_nsec;
}

int tsr_append_open(const char *path)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0644);
    if (fd >= 0)
        fcntl(fd, F_SETFL, O_APPEND);
    return fd;
}

static bool write_pieces(int fd, const void *data, size_t size)
{
    for (const char *at = data; size;) {
        ssize_t n = write(fd, at, size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        at += n;
        size -= (size_t)n;
    }
    return true;
}

bool tsr_write_all(int fd, const void *data, size_t size)
{
    sigset_t guarded, before, pending;
    sigemptyset(&pending);
    sigemptyset(&guarded);
    sigaddset(&guarded, SIGXFSZ);
    sigaddset(&guarded, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &guarded, &before);
    /* A signal that the application has blocked may be pending already, and is to stay so. */
    if (sigismember(&before, SIGXFSZ) || sigismember(&before, SIGPIPE))
        sigpending(&pending);
    bool good = write_pieces(fd, data, size);
    int error = errno, raised = good ? 0 : error == EFBIG ? SIGXFSZ : error == EPIPE ? SIGPIPE : 0;
    if (raised && !sigismember(&pending, raised)) {
        const struct timespec now = {0};
        sigemptyset(&guarded);
        sigaddset(&guarded, raised);
        while (sigtimedwait(&guarded, NULL, &now) < 0 && errno == EINTR)
            ;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = error;
    return good;
}

int tsr_memfd(const char *name, const void *data, size_t size)
{
    /* Kernels from 6.3 on can be set to refuse execution unless asked for; older ones do not know the flag. */
    const unsigned want_exec = 0x10; /* MFD_EXEC, which the headers of Debian 12 lack */
    int fd = memfd_create(name, MFD_CLOEXEC | want_exec);
    if (fd < 0 && errno == EINVAL)
        fd = memfd_create(name, MFD_CLOEXEC);
    if (fd >= 0 && !tsr_write_all(fd, data, size)) {
        int error = errno;
        close(fd);
        errno = error;
        fd = -1;
    }
    return fd;
}

struct tsr_fd tsr_fd_keep(int number)
{
    struct stat st;
    if (number < 0 || fstat(number, &st))
        return (struct tsr_fd){.number = -1};
    return (struct tsr_fd){number, st.st_dev, st.st_ino};
}

bool tsr_fd_is_ours(const struct tsr_fd *fd)
{
    int saved = errno;
    struct tsr_fd now = tsr_fd_keep(fd->number);
    errno = saved;
    return now.number >= 0 && now.device == fd->device && now.inode == fd->inode;
}

void tsr_fd_close(struct tsr_fd *fd)
{
    if (tsr_fd_is_ours(fd))
        close(fd->number);
    fd->number = -1;
}

bool tsr_is_privileged(void)
{
    return getauxval(AT_SECURE);
}

void tsr__cpuid(uint32_t leaf, uint32_t subleaf, uint32_t regs[4])
{
    static _Atomic uint32_t highest[2]; /* basic and extended leaves; 0: not asked yet */
    uint32_t extended = leaf >> 31, limit = atomic_load_explicit(&highest[extended], memory_order_relaxed);
    if (!limit) {
        limit = __get_cpuid_max(leaf & 0x80000000, NULL);
        atomic_store_explicit(&highest[extended], limit, memory_order_relaxed);
    }
    if (leaf <= limit)
        __cpuid_count(leaf, subleaf, regs[0], regs[1], regs[2], regs[3]);
    else
        memset(regs, 0, 4 * sizeof regs[0]);
}

uint64_t tsr__xcr0(void)
{
    uint32_t low, high;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return (uint64_t)high << 32 | low;
}

bool tsr__request_tile_data(void)
{
    enum { ARCH_REQ_XCOMP_PERM = 0x1023, XFEATURE_XTILEDATA = 18 };
    return !syscall(SYS_arch_prctl, ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA);
}
