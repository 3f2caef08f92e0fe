/* SPDX-License-Identifier: Apache-2.0
 * The folder of the disk cache: "tessera-programs" in the folder that the user names. The cache makes it and marks it by a file
 * CACHEDIR.TAG, which also tells backup programs to skip it. A folder without the mark belongs to somebody else and is not used. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "client.h"

static const char own_name[] = "tessera-programs";
static const char mark_name[] = "CACHEDIR.TAG";
/* The first line is that of the Cache Directory Tagging Specification. */
static const char mark[] = "Signature: 8a477f597d28d172789f06886806bc55\n"
                           "# Programs that Tessera compiled. It adds and removes files here; all of the folder may be deleted.\n";

static char *folder_by_environment(void)
{
    const char *dir = tsr_env(TSR_ENV_CACHE_DIR);
    if (dir && dir[0] == '/')
        return tsr_strdup(dir);
    if (dir) {
        /* Absolute from here on: the application may go to another folder. */
        char *here = getcwd(NULL, 0), *path = here ? tsr_format("%s/%s", here, dir) : NULL;
        free(here);
        return path;
    }
    dir = tsr_getenv("XDG_CACHE_HOME");
    if (dir && dir[0] == '/') /* the XDG specification: others are to be ignored */
        return tsr_format("%s/tessera", dir);
    dir = tsr_getenv("HOME");
    return dir && dir[0] == '/' ? tsr_format("%s/.cache/tessera", dir) : NULL;
}

/* Code that is loaded from the folder has the rights of this process, so nobody else may be able to write there. */
static bool is_safe(const struct stat *st)
{
    return st->st_uid == geteuid() && !(st->st_mode & (S_IWGRP | S_IWOTH));
}

/* Whether nobody else can replace the folder in it. In a folder with the sticky bit, as /tmp, only owners can. */
static bool is_safe_outside(const struct stat *st)
{
    return is_safe(st) || ((st->st_mode & S_ISVTX) && (st->st_uid == 0 || st->st_uid == geteuid()));
}

static bool has_mark(int dir)
{
    struct stat st;
    char text[sizeof(mark)];
    if (fstatat(dir, mark_name, &st, AT_SYMLINK_NOFOLLOW) || !S_ISREG(st.st_mode) || st.st_size != sizeof(mark) - 1)
        return false;
    int fd = openat(dir, mark_name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
    bool same = fd >= 0 && read(fd, text, sizeof(text)) == sizeof(mark) - 1 && !memcmp(text, mark, sizeof(mark) - 1);
    if (fd >= 0)
        close(fd);
    return same;
}

/* Whether the folder is empty but for marks that are being written: this or another process has just made it. */
static bool is_new(int dir)
{
    int own = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *stream = own >= 0 ? fdopendir(own) : NULL;
    if (!stream) {
        if (own >= 0)
            close(own);
        return false;
    }
    bool empty = true;
    while (empty) {
        errno = 0;
        struct dirent *e = readdir(stream);
        if (!e) {
            empty = !errno;
            break;
        }
        const char *name = e->d_name;
        empty = !strcmp(name, ".") || !strcmp(name, "..") ||
                (tsr_file_temporary(name) == sizeof(mark_name) - 1 && !memcmp(name, mark_name, sizeof(mark_name) - 1));
    }
    closedir(stream);
    return empty;
}

/* Whether the folder is marked; marks it if it is new. Another process may do so at the same time, hence the second look. */
static bool has_or_gets_mark(int dir)
{
    if (has_mark(dir))
        return true;
    if (is_new(dir))
        tsr_file_write_new(dir, mark_name, mark, sizeof(mark) - 1);
    return has_mark(dir);
}

int tsr__folder_open(const char *path)
{
    enum { FLAGS = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC };
    int dir = open(path, FLAGS);
    if (dir < 0 && errno == ENOENT && (!mkdir(path, 0700) || errno == EEXIST))
        dir = open(path, FLAGS);
    struct stat st;
    if (dir >= 0 && (fstat(dir, &st) || !is_safe(&st) || !has_or_gets_mark(dir))) {
        close(dir);
        dir = -1;
    }
    return dir;
}

/* Logs why the folder cannot be used, and what to do about it. `error` is that of the attempt to make it. */
static void tell(const char *path, int error)
{
    struct stat st;
    if (lstat(path, &st))
        tsr_log(TSR_LOG_WARN, "no cache: %s cannot be made (%s); set TESSERA_CACHE_DIR to a folder that you can write", path,
                strerror(error));
    else if (!S_ISDIR(st.st_mode))
        tsr_log(TSR_LOG_WARN, "no cache: %s is not a folder; move it away, or set TESSERA_CACHE_DIR", path);
    else if (!is_safe(&st))
        tsr_log(TSR_LOG_WARN, "no cache: %s belongs to another user, or others can write it; chmod go-w it, or set TESSERA_CACHE_DIR",
                path);
    else
        tsr_log(TSR_LOG_WARN, "no cache: %s was not made by Tessera, or its file %s is damaged; move it away, or set TESSERA_CACHE_DIR",
                path, mark_name);
}

char *tsr__folder_find(void)
{
    char *outside = folder_by_environment();
    struct stat st;
    char *path = NULL;
    if (!outside)
        return NULL;
    if (stat(outside, &st) && (tsr_dir_make(outside) != TSR_OK || stat(outside, &st)))
        tsr_log(TSR_LOG_WARN, "no cache: %s cannot be made; set TESSERA_CACHE_DIR to a folder that you can write", outside);
    else if (!S_ISDIR(st.st_mode) || !is_safe_outside(&st))
        tsr_log(
            TSR_LOG_WARN,
            "no cache: %s is not a folder that belongs to this user and that no other can write; chmod go-w it, or set TESSERA_CACHE_DIR",
            outside);
    else
        path = tsr_format("%s/%s", outside, own_name);
    tsr_free(outside);
    int dir = path ? tsr__folder_open(path) : -1;
    if (dir >= 0) {
        close(dir);
    } else if (path) {
        tell(path, errno);
        tsr_free(path);
        path = NULL;
    }
    return path;
}
