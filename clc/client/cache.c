/* SPDX-License-Identifier: Apache-2.0
 * Results of the compiler on disk: one file per request, named by the hash of everything that the result depends on.
 *
 * Nothing here is ever an error: what is missing, damaged, of another version or not ours is a miss, and where nothing can be written
 * nothing is kept. Several processes share the folder without locks: files appear by rename and are never changed. */
#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include "client.h"

enum {
    MAGIC = 0x43525354,   /* "TSRC" */
    VERSION = 1,          /* of the layout: header, then the byte form of a result */
    SWEEP_ODDS = 64,      /* one of so many files stored brings a sweep */
    STALE_SECONDS = 3600, /* a file of another name is a leftover of a writer that died, if it is older */
    TOUCH_SECONDS = 600,  /* how exact "least recently used" is */
    NAME_LENGTH = 32,     /* the key in hexadecimal */
};

struct header {
    uint32_t magic, version;
    struct tsr_hash key;  /* a copied or renamed file is not taken for another */
    struct tsr_hash hash; /* of what follows */
    uint64_t size;
};

/* ---- the compiler's identity --------------------------------------------------------------------------------------------------------- */

/* Adds the build id that the linker wrote into the file, if there is one. */
static void add_build_id(struct tsr_buf *buf, int fd)
{
    Elf64_Ehdr elf;
    if (pread(fd, &elf, sizeof(elf), 0) != (ssize_t)sizeof(elf) || memcmp(elf.e_ident, ELFMAG, SELFMAG) != 0)
        return;
    for (unsigned i = 0; i < elf.e_phnum && elf.e_phentsize == sizeof(Elf64_Phdr); i++) {
        Elf64_Phdr segment;
        if (pread(fd, &segment, sizeof(segment), (off_t)(elf.e_phoff + i * sizeof(segment))) != (ssize_t)sizeof(segment))
            return;
        unsigned char notes[1024];
        size_t size = segment.p_filesz < sizeof(notes) ? segment.p_filesz : sizeof(notes);
        if (segment.p_type == PT_NOTE && pread(fd, notes, size, (off_t)segment.p_offset) == (ssize_t)size)
            tsr_buf_bytes(buf, notes, size);
    }
}

static void add_file(struct tsr_buf *buf, const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat st;
    if (fd >= 0 && !fstat(fd, &st)) {
        tsr_buf_u64(buf, (uint64_t)st.st_size);
        tsr_buf_u64(buf, (uint64_t)st.st_mtim.tv_sec);
        tsr_buf_u64(buf, (uint64_t)st.st_mtim.tv_nsec);
        add_build_id(buf, fd);
    }
    if (fd >= 0)
        close(fd);
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

/* The compiler's build id, and name, size and date of everything beside it (the built-in library, headers). */
static struct tsr_hash compiler_identity(void)
{
    struct tsr_buf buf = {0};
    char *compiler = tsr__compiler_path(), *parts = tsr__parts_folder();
    struct dirent **entries = NULL;
    if (compiler) {
        tsr_buf_str(&buf, compiler);
        add_file(&buf, compiler);
    }
    int count = parts ? scandir(parts, &entries, NULL, by_name) : 0;
    for (int i = 0; i < count; i++) {
        char *path = tsr_format("%s/%s", parts, entries[i]->d_name);
        tsr_buf_str(&buf, entries[i]->d_name);
        if (path && entries[i]->d_name[0] != '.')
            add_file(&buf, path);
        tsr_free(path);
        free(entries[i]);
    }
    free(entries);
    tsr_free(compiler);
    tsr_free(parts);
    struct tsr_hash hash = tsr_hash_bytes(buf.data, buf.size);
    tsr_buf_free(&buf);
    return hash;
}

/* ---- the folder -------------------------------------------------------------------------------------------------------------------------
 */

static char *folder_by_environment(void)
{
    const char *dir = tsr_env(TSR_ENV_CACHE_DIR);
    if (dir)
        return tsr_strdup(dir);
    dir = getenv("XDG_CACHE_HOME");
    if (dir && dir[0] == '/') /* the XDG specification: others are to be ignored */
        return tsr_format("%s/tessera", dir);
    dir = getenv("HOME");
    return dir && dir[0] == '/' ? tsr_format("%s/.cache/tessera", dir) : NULL;
}

/* What is loaded from there runs with our rights, so nobody else may have put it there. */
static bool trusted(const struct stat *st)
{
    return st->st_uid == geteuid() && !(st->st_mode & (S_IWGRP | S_IWOTH));
}

static char *open_folder(void)
{
    if (getauxval(AT_SECURE) || !tsr_env_bool(TSR_ENV_CACHE, true))
        return NULL;
    char *dir = folder_by_environment();
    struct stat st;
    if (!dir)
        return NULL;
    if (stat(dir, &st) && (tsr_dir_make(dir) != TSR_OK || stat(dir, &st)))
        tsr_log(TSR_LOG_CACHE, "no cache: %s cannot be made", dir);
    else if (!S_ISDIR(st.st_mode) || !trusted(&st))
        tsr_log(TSR_LOG_WARN, "no cache: %s is not a folder that belongs to this user and that no other can write (chmod go-w)", dir);
    else
        return dir;
    tsr_free(dir);
    return NULL;
}

static struct {
    pthread_mutex_t lock;
    struct tsr_hash settings, identity;
    char *folder; /* leaked at exit, as builds may go on then */
    bool opened;
} cache = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* The folder, malloc'd; NULL: no cache. It is looked for again when the variables that name it or the compiler change. */
static char *folder(struct tsr_hash *identity)
{
    struct tsr_buf buf = {0};
    static const enum tsr_env_name names[] = {TSR_ENV_CACHE, TSR_ENV_CACHE_DIR, TSR_ENV_CC};
    for (size_t i = 0; i < TSR_ARRAY_LEN(names); i++)
        tsr_buf_str(&buf, tsr_env(names[i]));
    tsr_buf_str(&buf, getenv("XDG_CACHE_HOME"));
    tsr_buf_str(&buf, getenv("HOME"));
    struct tsr_hash settings = tsr_hash_bytes(buf.data, buf.size);
    tsr_buf_free(&buf);
    pthread_mutex_lock(&cache.lock);
    if (!cache.opened || memcmp(&settings, &cache.settings, sizeof(settings))) {
        tsr_free(cache.folder);
        cache.folder = open_folder();
        cache.identity = compiler_identity();
        cache.settings = settings;
        cache.opened = true;
    }
    char *copy = cache.folder ? tsr_strdup(cache.folder) : NULL;
    if (identity)
        *identity = cache.identity;
    pthread_mutex_unlock(&cache.lock);
    return copy;
}

static char *path_of(struct tsr_hash key)
{
    char name[NAME_LENGTH + 1];
    tsr_hash_hex(key, name);
    char *dir = folder(NULL);
    char *path = dir ? tsr_format("%s/%s", dir, name) : NULL;
    tsr_free(dir);
    return path;
}

bool tsr__cache_on(void)
{
    char *dir = folder(NULL);
    tsr_free(dir);
    return dir != NULL;
}

struct tsr_hash tsr__cache_key(const void *request, size_t size)
{
    struct {
        struct tsr_hash request, knobs, compiler;
        uint64_t version;
    } all = {.request = tsr_hash_bytes(request, size), .knobs = tsr__knobs_hash(), .version = VERSION};
    char *dir = folder(&all.compiler);
    tsr_free(dir);
    return tsr_hash_bytes(&all, sizeof(all));
}

/* ---- get, put ------------------------------------------------------------------------------------------------------------------------ */

static bool read_all(int fd, void *data, size_t size)
{
    for (size_t done = 0; done < size;) {
        ssize_t got = read(fd, (char *)data + done, size - done);
        if (got == 0 || (got < 0 && errno != EINTR))
            return false;
        if (got > 0)
            done += (size_t)got;
    }
    return true;
}

/* NULL: defective or not ours, or out of memory, which is no fault of the file. */
static unsigned char *read_entry(int fd, struct tsr_hash key, size_t *size, bool *defective)
{
    *defective = true;
    struct stat st;
    struct header header;
    if (fstat(fd, &st) || !S_ISREG(st.st_mode) || !trusted(&st) || !read_all(fd, &header, sizeof(header)))
        return NULL;
    if (header.magic != MAGIC || header.version != VERSION || memcmp(&header.key, &key, sizeof(key)) != 0 || header.size > TSR_WIRE_LIMIT ||
        header.size + sizeof(header) != (uint64_t)st.st_size)
        return NULL;
    unsigned char *data = tsr_malloc(header.size);
    if (!data) {
        *defective = false;
        return NULL;
    }
    struct tsr_hash hash = {0};
    if (read_all(fd, data, header.size))
        hash = tsr_hash_bytes(data, header.size);
    if (memcmp(&hash, &header.hash, sizeof(hash)) != 0) {
        tsr_free(data);
        return NULL;
    }
    struct timespec now;
    clock_gettime(CLOCK_REALTIME_COARSE, &now);
    if (now.tv_sec - st.st_mtim.tv_sec > TOUCH_SECONDS && futimens(fd, NULL))
        tsr_log(TSR_LOG_CACHE, "time of last use not written: %s", strerror(errno));
    *size = header.size;
    return data;
}

unsigned char *tsr__cache_get(struct tsr_hash key, size_t *size)
{
    char *path = path_of(key);
    if (!path)
        return NULL;
    uint64_t begin = tsr_now_ns();
    unsigned char *data = NULL;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd >= 0) {
        bool defective;
        data = read_entry(fd, key, size, &defective);
        close(fd);
        if (!data && defective) {
            tsr_log(TSR_LOG_CACHE, "%s is damaged and removed", path);
            unlink(path);
        } else if (data) {
            tsr_log(TSR_LOG_CACHE, "hit: %s, %zu bytes in %.0f us", path, *size, (double)(tsr_now_ns() - begin) / 1e3);
        }
    } else {
        tsr_log(TSR_LOG_CACHE, "miss: %s", path);
    }
    tsr_free(path);
    return data;
}

void tsr__cache_remove(struct tsr_hash key)
{
    char *path = path_of(key);
    if (path && !unlink(path))
        tsr_log(TSR_LOG_CACHE, "%s is out of date and removed", path);
    tsr_free(path);
}

/* ---- sweeping: keeps the folder below TESSERA_CACHE_SIZE ----------------------------------------------------------------------------- */

struct entry {
    char name[NAME_LENGTH + 1];
    struct timespec used;
    uint64_t size;
};

static int by_use(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    if (x->used.tv_sec != y->used.tv_sec)
        return x->used.tv_sec < y->used.tv_sec ? -1 : 1;
    return x->used.tv_nsec < y->used.tv_nsec ? -1 : x->used.tv_nsec > y->used.tv_nsec;
}

static bool is_entry_name(const char *name)
{
    return strlen(name) == NAME_LENGTH && strspn(name, "0123456789abcdef") == NAME_LENGTH;
}

static void sweep(const char *dir, uint64_t limit)
{
    DIR *stream = opendir(dir);
    if (!stream)
        return;
    struct tsr_buf list = {0};
    uint64_t total = 0;
    time_t now = time(NULL);
    for (struct dirent *e; (e = readdir(stream));) {
        struct stat st;
        if (fstatat(dirfd(stream), e->d_name, &st, AT_SYMLINK_NOFOLLOW) || !S_ISREG(st.st_mode))
            continue;
        if (is_entry_name(e->d_name)) {
            struct entry entry = {.used = st.st_mtim, .size = (uint64_t)st.st_blocks * 512};
            memcpy(entry.name, e->d_name, NAME_LENGTH);
            tsr_buf_bytes(&list, &entry, sizeof(entry));
            total += entry.size;
        } else if (now - st.st_mtime > STALE_SECONDS && st.st_uid == geteuid()) {
            unlinkat(dirfd(stream), e->d_name, 0);
        }
    }
    if (total > limit && !list.failed) {
        size_t count = list.size / sizeof(struct entry);
        struct entry *entries = (struct entry *)(void *)list.data;
        qsort(entries, count, sizeof(*entries), by_use);
        uint64_t before = total;
        size_t removed = 0;
        for (; removed < count && total > limit / 4 * 3; removed++) { /* below the limit, so that the next sweep has nothing to do */
            unlinkat(dirfd(stream), entries[removed].name, 0);
            total -= entries[removed].size;
        }
        tsr_log(TSR_LOG_CACHE, "%zu least recently used files removed: %llu of %llu bytes kept", removed, (unsigned long long)total,
                (unsigned long long)before);
    }
    tsr_buf_free(&list);
    closedir(stream);
}

void tsr__cache_put(struct tsr_hash key, const void *data, size_t size)
{
    uint64_t limit = tsr_env_size(TSR_ENV_CACHE_SIZE, (uint64_t)1 << 30);
    char *dir = folder(NULL), *path = path_of(key);
    struct header header = {MAGIC, VERSION, key, tsr_hash_bytes(data, size), size};
    struct tsr_buf buf = {0};
    if (dir && path && size <= limit / 4) { /* one program must not push out all others */
        tsr_buf_bytes(&buf, &header, sizeof(header));
        tsr_buf_bytes(&buf, data, size);
        enum tsr_status status = buf.failed ? TSR_NO_MEMORY : tsr_file_write_atomic(path, buf.data, buf.size);
        tsr_log(TSR_LOG_CACHE, "%s: %s, %zu bytes", status == TSR_OK ? "stored" : tsr_status_text(status), path, buf.size);
        /* No count is kept of what the folder holds: on the average the folder grows by SWEEP_ODDS files between sweeps. A small folder
         * cannot afford that, so there every file brings one. */
        if (status == TSR_OK && (key.lo % SWEEP_ODDS == 0 || limit / SWEEP_ODDS < buf.size))
            sweep(dir, limit);
    }
    tsr_buf_free(&buf);
    tsr_free(dir);
    tsr_free(path);
}
