/* SPDX-License-Identifier: Apache-2.0
 * Whole files and folders. */
#include <errno.h>
#include <fcntl.h>
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

enum tsr_status tsr_file_write_atomic(const char *path, const void *data, size_t size)
{
    char *temporary = tsr_format("%s.XXXXXX", path);
    if (!temporary)
        return TSR_NO_MEMORY;
    enum tsr_status status = TSR_OK;
    int fd = mkostemp(temporary, O_CLOEXEC);
    if (fd < 0) {
        status = from_errno(errno);
    } else {
        bool written = tsr__write_all(fd, data, size);
        int e = errno;
        if (close(fd) && written) {
            written = false;
            e = errno;
        }
        if (written && rename(temporary, path)) {
            written = false;
            e = errno;
        }
        if (!written) {
            unlink(temporary);
            status = from_errno(e);
        }
    }
    tsr_free(temporary);
    return status;
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
