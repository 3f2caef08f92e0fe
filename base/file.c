/* SPDX-License-Identifier: Apache-2.0
 * Whole files and folders, and the folder that code was loaded from. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/internal.h"

static enum tsr_status from_errno(int e)
{
    switch (e) {
    case ENOMEM:
        return TSR_NO_MEMORY;
    case ENOENT:
    case ENOTDIR:
        return TSR_NO_FILE;
    case EEXIST:
        return TSR_EXISTS;
    default:
        return TSR_IO;
    }
}

static enum tsr_status read_all(int fd, size_t limit, struct stat *st, unsigned char **data, size_t *size)
{
    /* The size is a hint only: files of /proc say 0, and a file may grow meanwhile. */
    size_t capacity = (st->st_size > 0 ? (size_t)st->st_size : 4096) + 2, used = 0;
    unsigned char *to = tsr_malloc(capacity);
    while (to) {
        ssize_t n = read(fd, to + used, capacity - used - 1);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 || used + (size_t)n > limit) {
            int e = errno;
            tsr_free(to);
            return n < 0 ? from_errno(e) : TSR_LIMIT;
        }
        used += (size_t)n;
        if (!n) {
            to[used] = 0;
            *data = to;
            *size = used;
            return TSR_OK;
        }
        if (used + 1 == capacity) {
            unsigned char *more = tsr_realloc(to, capacity *= 2);
            if (!more)
                tsr_free(to);
            to = more;
        }
    }
    return TSR_NO_MEMORY;
}

enum tsr_status tsr_file_read(const char *path, size_t limit, unsigned char **data, size_t *size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a FIFO must not block us */
    if (fd < 0)
        return from_errno(errno);
    struct stat st;
    enum tsr_status status;
    if (fstat(fd, &st))
        status = from_errno(errno);
    else if (!S_ISREG(st.st_mode))
        status = TSR_INVALID;
    else if (st.st_size > 0 && (uint64_t)st.st_size > limit)
        status = TSR_LIMIT;
    else
        status = read_all(fd, limit, &st, data, size);
    close(fd);
    return status;
}

/* ---- writing ---- */

/* Under a temporary name, "NAME.0123456789abcdef.tmp", that then becomes the name. */

static const char temporary_end[] = ".tmp";
enum { NUMBER_LENGTH = 16, TEMPORARY_LENGTH = 1 + NUMBER_LENGTH + sizeof temporary_end - 1, MOST_TRIES = 100 };

size_t tsr_file_temporary(const char *name)
{
    size_t length = strlen(name);
    if (length <= TEMPORARY_LENGTH)
        return 0;
    const char *end = name + length - TEMPORARY_LENGTH;
    if (*end != '.' || strspn(end + 1, "0123456789abcdef") != NUMBER_LENGTH || strcmp(end + 1 + NUMBER_LENGTH, temporary_end) != 0)
        return 0;
    return length - TEMPORARY_LENGTH;
}

/* A new file; its name, malloc'd, goes to *temporary. -1: errno says why. */
static int open_temporary(int dir, const char *name, char **temporary)
{
    static atomic_uint count;
    for (int i = 0; i < MOST_TRIES; i++) {
        struct {
            uint64_t now, pid, count;
        } unique = {tsr_now_ns(), (uint64_t)getpid(), atomic_fetch_add(&count, 1)};
        *temporary = tsr_format("%s.%016llx%s", name, (unsigned long long)tsr_hash_bytes(&unique, sizeof unique).lo, temporary_end);
        if (!*temporary) {
            errno = ENOMEM;
            return -1;
        }
        int fd = openat(dir, *temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
        if (fd >= 0 || errno != EEXIST)
            return fd;
        tsr_free(*temporary);
        *temporary = NULL;
    }
    return -1;
}

/* The file system cannot do it in this way; another way may work. */
static bool unable(int e)
{
    return e == EINVAL || e == ENOSYS || e == EPERM || e == ENOTSUP;
}

/* Renames, but replaces nothing: EEXIST. 0 or errno. */
static int rename_new(int dir, const char *from, const char *to)
{
    if (!renameat2(dir, from, dir, to, RENAME_NOREPLACE))
        return 0;
    if (!unable(errno))
        return errno;
    if (!linkat(dir, from, dir, to, 0)) /* file systems over a network */
        return unlinkat(dir, from, 0) ? errno : 0;
    if (!unable(errno))
        return errno;
    struct stat st; /* file systems without links. A file that appears between the look and the rename would be replaced. */
    if (!fstatat(dir, to, &st, AT_SYMLINK_NOFOLLOW))
        return EEXIST;
    return renameat(dir, from, dir, to) ? errno : 0;
}

static enum tsr_status write_file(int dir, const char *name, const void *data, size_t size, bool replace)
{
    char *temporary = NULL;
    int fd = open_temporary(dir, name, &temporary);
    int e = fd < 0 ? errno : 0;
    if (fd >= 0) {
        if (!tsr_write_all(fd, data, size))
            e = errno ? errno : EIO;
        if (close(fd) && !e)
            e = errno;
        if (!e && replace)
            e = renameat(dir, temporary, dir, name) ? errno : 0;
        else if (!e)
            e = rename_new(dir, temporary, name);
        if (e)
            unlinkat(dir, temporary, 0);
    }
    tsr_free(temporary);
    return e ? from_errno(e) : TSR_OK;
}

enum tsr_status tsr_file_write_atomic(const char *path, const void *data, size_t size)
{
    return write_file(AT_FDCWD, path, data, size, true);
}

enum tsr_status tsr_file_write_new(int dir, const char *name, const void *data, size_t size)
{
    return write_file(dir, name, data, size, false);
}

enum tsr_status tsr_dir_make(const char *path)
{
    char *partial = tsr_strdup(path);
    if (!partial)
        return TSR_NO_MEMORY;
    enum tsr_status status = *path ? TSR_OK : TSR_NO_FILE;
    size_t length = strlen(path);
    for (size_t i = 1; i <= length && status == TSR_OK; i++) {
        if (path[i] && path[i] != '/')
            continue;
        partial[i] = 0;
        struct stat st;
        /* An existing folder is not created anew: mkdir may answer EROFS or EACCES for one that is there. */
        if (!stat(partial, &st)) {
            if (!S_ISDIR(st.st_mode))
                status = TSR_IO;
        } else if (mkdir(partial, 0700) && errno != EEXIST) {
            status = from_errno(errno);
        }
        partial[i] = path[i];
    }
    tsr_free(partial);
    return status;
}

/* ---- where code was loaded from ---- */

/* Path of the file mapped at `address` as the kernel knows it, malloc'd. */
static enum tsr_status mapped_file(uintptr_t address, char **path)
{
    FILE *maps = fopen("/proc/self/maps", "re");
    if (!maps)
        return from_errno(errno);
    char *line = NULL;
    size_t capacity = 0;
    enum tsr_status status = TSR_NO_FILE;
    while (getline(&line, &capacity, maps) > 0) {
        uintptr_t begin, end;
        int at = 0;
        if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " %*s %*s %*s %*s %n", &begin, &end, &at) != 2 || !at || address < begin ||
            address >= end)
            continue;
        line[strcspn(line, "\n")] = 0;
        if (line[at] == '/') {
            *path = tsr_strdup(line + at);
            status = *path ? TSR_OK : TSR_NO_MEMORY;
        }
        break;
    }
    free(line);
    fclose(maps);
    return status;
}

enum tsr_status tsr_dir_of_code(const void *address, char **folder)
{
    Dl_info info;
    char *path = NULL, real[PATH_MAX];
    enum tsr_status status;
    tsr_no_fork_begin(); /* the dynamic linker's lock */
    bool known = dladdr(address, &info);
    tsr_no_fork_end();
    if (known && info.dli_fname && info.dli_fname[0] == '/' && realpath(info.dli_fname, real)) {
        path = tsr_strdup(real);
        status = path ? TSR_OK : TSR_NO_MEMORY;
    } else {
        /* The program itself goes by argv[0], and a library opened by a relative path by just that, whatever the working directory is now.
         */
        status = mapped_file((uintptr_t)address, &path);
    }
    char *slash = path ? strrchr(path, '/') : NULL;
    if (slash)
        slash[slash == path] = 0;
    *folder = path;
    return status;
}
