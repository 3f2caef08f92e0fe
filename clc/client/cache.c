/* SPDX-License-Identifier: Apache-2.0
 * Results of the compiler on disk: one file per request, named by the hash of everything that the result depends on.
 *
 * No failure here is an error of the build: a file that is missing, damaged, of another version or another owner is a miss, and where
 * nothing can be written nothing is kept. Several processes share the folder without locks: files appear by rename and never change.
 *
 * No file of the user is replaced or removed: the cache removes only files of the folder that folder.c has marked, and only if they begin
 * with the header of the entry that their name stands for. */
#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "client.h"

enum {
    MAGIC = 0x43525354,   /* "TSRC" */
    VERSION = 2,          /* of the layout: header, then the byte form of a result */
    SWEEP_ODDS = 64,      /* one of so many stored files causes a sweep */
    STALE_SECONDS = 3600, /* a temporary file that is older was left by a writer that died */
    TOUCH_SECONDS = 600,  /* how exact "least recently used" is */
    NAME_LENGTH = 32,     /* the key in hexadecimal */
};

struct header {
    uint32_t magic, version;
    struct tsr_hash key;  /* a copied or renamed file is not taken for another */
    struct tsr_hash hash; /* of what follows */
    uint64_t size;
};

/* ---- the compiler's identity ---- */

/* Adds the build id that the linker wrote into the file, if there is one: linkers place the program headers and the notes at the start. */
static void add_build_id(struct tsr_buf *buf, int fd)
{
    unsigned char start[4096];
    ssize_t got = pread(fd, start, sizeof start, 0);
    size_t size = got > 0 ? (size_t)got : 0;
    Elf64_Ehdr elf;
    if (size < sizeof elf || memcmp(start, ELFMAG, SELFMAG) != 0)
        return;
    memcpy(&elf, start, sizeof elf);
    for (unsigned i = 0; i < elf.e_phnum && elf.e_phentsize == sizeof(Elf64_Phdr); i++) {
        Elf64_Phdr segment;
        if (elf.e_phoff > size || (i + 1) * sizeof segment > size - elf.e_phoff)
            return;
        memcpy(&segment, start + elf.e_phoff + i * sizeof segment, sizeof segment);
        if (segment.p_type == PT_NOTE && segment.p_offset <= size && segment.p_filesz <= size - segment.p_offset)
            tsr_buf_bytes(buf, start + segment.p_offset, segment.p_filesz);
    }
}

static void add_file(struct tsr_buf *buf, const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY); /* TESSERA_CC may name a FIFO */
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
    char *compiler, *parts, *why;
    tsr__compiler_path(&compiler, &why); /* without a path no build asks for results */
    tsr__parts_folder(&parts);
    tsr_free(why);
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

/* ---- the folder and the key ---- */

static struct {
    pthread_mutex_t lock;
    struct tsr_hash settings, identity;
    char *folder; /* not freed at exit: builds may still run then */
    bool opened;
} cache = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* The folder, malloc'd; NULL: no cache. It is looked up again when a variable changes that names it or the compiler. */
static char *folder(struct tsr_hash *identity)
{
    struct tsr_buf buf = {0};
    static const enum tsr_env_name names[] = {TSR_ENV_CACHE, TSR_ENV_CACHE_DIR, TSR_ENV_CC};
    for (size_t i = 0; i < TSR_ARRAY_LEN(names); i++)
        tsr_buf_str(&buf, tsr_env(names[i]));
    tsr_buf_str(&buf, tsr_getenv("XDG_CACHE_HOME"));
    tsr_buf_str(&buf, tsr_getenv("HOME"));
    struct tsr_hash settings = tsr_hash_bytes(buf.data, buf.size);
    tsr_buf_free(&buf);
    pthread_mutex_lock(&cache.lock);
    if (!cache.opened || memcmp(&settings, &cache.settings, sizeof(settings))) {
        tsr_free(cache.folder);
        cache.folder = getauxval(AT_SECURE) || !tsr_env_bool(TSR_ENV_CACHE) ? NULL : tsr__folder_find();
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

bool tsr__cache_on(void)
{
    char *dir = folder(NULL);
    tsr_free(dir);
    return dir != NULL;
}

struct tsr_hash tsr__cache_key(const void *request, size_t size)
{
    struct {
        struct tsr_hash request, environment, compiler;
        uint64_t version;
    } all = {.request = tsr_hash_bytes(request, size), .environment = tsr__environment_hash(), .version = VERSION};
    char *dir = folder(&all.compiler);
    tsr_free(dir);
    return tsr_hash_bytes(&all, sizeof(all));
}

/* ---- entries ---- */

/* The entry of a key, to be written or removed. */
struct place {
    char name[NAME_LENGTH + 1];
    char *folder;
    int dir; /* -1: no folder */
};

static struct place open_place(struct tsr_hash key)
{
    struct place place = {.folder = folder(NULL)};
    tsr_hash_hex(key, place.name);
    place.dir = place.folder ? tsr__folder_open(place.folder) : -1;
    return place;
}

static void close_place(struct place *place)
{
    if (place->dir >= 0)
        close(place->dir);
    tsr_free(place->folder);
}

/* A regular file of this user, to be read; -1 if there is none. */
static int open_file(int dir, const char *name, struct stat *st)
{
    int fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
    if (fd >= 0 && (fstat(fd, st) || !S_ISREG(st->st_mode) || st->st_uid != geteuid())) {
        close(fd);
        return -1;
    }
    return fd;
}

/* Whether the file begins with the header of the entry of this name, or is empty: a crash of the system empties the files that were written
 * last. */
static bool is_entry(int fd, const struct stat *st, const char name[NAME_LENGTH + 1])
{
    struct header header;
    const size_t head = offsetof(struct header, hash);
    char own[NAME_LENGTH + 1];
    if (!st->st_size)
        return true;
    if (pread(fd, &header, head, 0) != (ssize_t)head || header.magic != MAGIC)
        return false;
    tsr_hash_hex(header.key, own);
    return !memcmp(own, name, NAME_LENGTH);
}

/* The same for a file of the folder; `name` begins with the name of the entry. */
static bool is_ours(int dir, const char *name)
{
    struct stat st;
    int fd = open_file(dir, name, &st);
    bool ours = fd >= 0 && is_entry(fd, &st, name);
    if (fd >= 0)
        close(fd);
    return ours;
}

/* The content of an entry. NULL: *defective, or there is no memory, which is no fault of the file. */
static unsigned char *read_entry(int fd, const struct stat *st, struct tsr_hash key, size_t *size, bool *defective)
{
    *defective = true;
    struct header header;
    uint64_t whole = (uint64_t)st->st_size;
    if ((st->st_mode & (S_IWGRP | S_IWOTH)) || whole < sizeof(header) || whole - sizeof(header) > TSR_WIRE_LIMIT)
        return NULL;
    *size = (size_t)whole - sizeof(header);
    unsigned char *data = tsr_malloc(*size);
    if (!data) {
        *defective = false;
        return NULL;
    }
    const struct iovec parts[] = {{&header, sizeof(header)}, {data, *size}};
    struct tsr_hash hash = {0};
    bool good = readv(fd, parts, 2) == (ssize_t)whole && header.magic == MAGIC && header.version == VERSION && header.size == *size &&
                !memcmp(&header.key, &key, sizeof(key));
    if (good)
        hash = tsr_hash_bytes(data, *size);
    if (!good || memcmp(&hash, &header.hash, sizeof(hash)) != 0) {
        tsr_free(data);
        return NULL;
    }
    struct timespec now;
    clock_gettime(CLOCK_REALTIME_COARSE, &now);
    if (now.tv_sec - st->st_mtim.tv_sec > TOUCH_SECONDS && futimens(fd, NULL))
        tsr_log(TSR_LOG_CACHE, "time of last use not written: %s", strerror(errno));
    return data;
}

/* Opens no descriptor of the folder, since programs that start read hundreds of entries: the file must have the right header and hash and
 * belong to this user, and nobody else can replace the folder. */
unsigned char *tsr__cache_get(struct tsr_hash key, size_t *size)
{
    uint64_t begin = tsr_now_ns();
    char name[NAME_LENGTH + 1];
    tsr_hash_hex(key, name);
    char *dir = folder(NULL), *path = dir ? tsr_format("%s/%s", dir, name) : NULL;
    unsigned char *data = NULL;
    struct stat st;
    int fd = path ? open_file(AT_FDCWD, path, &st) : -1;
    if (fd >= 0) {
        bool defective;
        data = read_entry(fd, &st, key, size, &defective);
        close(fd);
        if (data)
            tsr_log(TSR_LOG_CACHE, "hit: %s, %zu bytes in %llu us", path, *size, (unsigned long long)(tsr_now_ns() - begin) / 1000);
        else if (defective)
            tsr__cache_remove(key);
    } else if (path) {
        tsr_log(TSR_LOG_CACHE, "miss: %s", path);
    }
    tsr_free(dir);
    tsr_free(path);
    return data;
}

void tsr__cache_remove(struct tsr_hash key)
{
    struct place place = open_place(key);
    if (place.dir >= 0) {
        bool gone = is_ours(place.dir, place.name) && !unlinkat(place.dir, place.name, 0);
        tsr_log(TSR_LOG_CACHE, gone ? "%s/%s is damaged or out of date and removed" : "%s/%s is not a file of this cache and stays",
                place.folder, place.name);
    }
    close_place(&place);
}

/* ---- sweeping: keeps the folder below TESSERA_CACHE_SIZE ---- */

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

static bool is_entry_name(const char *name, size_t length)
{
    return length == NAME_LENGTH && strspn(name, "0123456789abcdef") >= NAME_LENGTH;
}

/* Lists the files that have names of entries; removes what dead writers left. */
static void list_entries(DIR *stream, struct tsr_buf *list)
{
    int dir = dirfd(stream);
    time_t now = time(NULL);
    for (struct dirent *e; (e = readdir(stream));) {
        struct stat st;
        bool entry_name = is_entry_name(e->d_name, strlen(e->d_name));
        if (!entry_name && !is_entry_name(e->d_name, tsr_file_temporary(e->d_name)))
            continue;
        if (fstatat(dir, e->d_name, &st, AT_SYMLINK_NOFOLLOW) || !S_ISREG(st.st_mode))
            continue;
        if (entry_name) {
            struct entry entry = {.used = st.st_mtim, .size = (uint64_t)st.st_blocks * 512};
            memcpy(entry.name, e->d_name, NAME_LENGTH);
            tsr_buf_bytes(list, &entry, sizeof(entry));
        } else if (now - st.st_mtime > STALE_SECONDS && is_ours(dir, e->d_name)) {
            unlinkat(dir, e->d_name, 0);
        }
    }
}

static uint64_t size_of(const struct entry *entries, size_t count)
{
    uint64_t total = 0;
    for (size_t i = 0; i < count; i++)
        total += entries[i].size;
    return total;
}

/* Keeps the entries that are files of the cache. Only in a folder that is too large each file is opened for that. */
static size_t only_ours(int dir, struct entry *entries, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (is_ours(dir, entries[i].name))
            entries[kept++] = entries[i];
    return kept;
}

static void remove_least_used(int dir, struct entry *entries, size_t count, uint64_t limit)
{
    count = only_ours(dir, entries, count);
    uint64_t before = size_of(entries, count), total = before;
    size_t removed = 0;
    if (total <= limit)
        return;
    qsort(entries, count, sizeof(*entries), by_use);
    for (; removed < count && total > limit / 4 * 3; removed++) { /* below the limit, so that the next sweep has nothing to do */
        unlinkat(dir, entries[removed].name, 0);
        total -= entries[removed].size;
    }
    tsr_log(TSR_LOG_CACHE, "%zu least recently used files removed: %llu of %llu bytes kept", removed, (unsigned long long)total,
            (unsigned long long)before);
}

static void sweep(int dir, uint64_t limit)
{
    int own = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *stream = own >= 0 ? fdopendir(own) : NULL;
    if (!stream) {
        if (own >= 0)
            close(own);
        return;
    }
    struct tsr_buf list = {0};
    list_entries(stream, &list);
    struct entry *entries = (struct entry *)(void *)list.data;
    size_t count = list.size / sizeof(*entries);
    if (!list.failed && size_of(entries, count) > limit)
        remove_least_used(dir, entries, count, limit);
    tsr_buf_free(&list);
    closedir(stream);
}

void tsr__cache_put(struct tsr_hash key, const void *data, size_t size)
{
    uint64_t limit = tsr_env_size(TSR_ENV_CACHE_SIZE);
    struct header header = {MAGIC, VERSION, key, tsr_hash_bytes(data, size), size};
    struct place place = open_place(key);
    struct tsr_buf buf = {0};
    if (place.dir >= 0 && size <= limit / 4) { /* one program must not push out all others */
        tsr_buf_bytes(&buf, &header, sizeof(header));
        tsr_buf_bytes(&buf, data, size);
        enum tsr_status status = buf.failed ? TSR_NO_MEMORY : tsr_file_write_new(place.dir, place.name, buf.data, buf.size);
        tsr_log(TSR_LOG_CACHE, "%s: %s/%s, %zu bytes", status == TSR_OK ? "stored" : tsr_status_text(status), place.folder, place.name,
                buf.size);
        /* No count is kept of what the folder holds: on the average the folder grows by SWEEP_ODDS files between sweeps. A small folder
         * cannot afford that, so there every file brings one. */
        if (status == TSR_OK && (key.lo % SWEEP_ODDS == 0 || limit / SWEEP_ODDS < buf.size))
            sweep(place.dir, limit);
    }
    tsr_buf_free(&buf);
    close_place(&place);
}
