/* SPDX-License-Identifier: Apache-2.0
 * Fuzzer of the disk cache: its folder gets files, links and folders of a user and damage to what is stored, as the input says. What comes
 * back is what was stored or nothing, and everything that is not of the cache stays byte for byte, with name, mode and time. */
#include <fcntl.h>
#include <ftw.h>
#include <sys/stat.h>
#include <unistd.h>

#include "clc/client/client.h"
#include "fuzz/fuzz.h"

static char outside[] = "/tmp/tessera-fuzz-cache-XXXXXX";
static char *inside, *elsewhere; /* the folder of the cache, and a file of the user */
static const char content[] = "what a compiler answered, of which no byte may change";
enum { KEYS = 3, MOST_FILES = 6, LENGTH = 40 };

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *ftw)
{
    (void)st;
    (void)kind;
    (void)ftw;
    return remove(path);
}

static void remove_folder(void)
{
    nftw(outside, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static char *path_in(const char *dir, const char *name)
{
    char *path = tsr_format("%s/%s", dir, name);
    FUZZ_CHECK(path);
    return path;
}

void fuzz_begin(void)
{
    FUZZ_CHECK(mkdtemp(outside) && !setenv("TESSERA_CACHE_DIR", outside, 1) && !setenv("TESSERA_CACHE", "1", 1));
    FUZZ_CHECK(!setenv("TESSERA_CACHE_SIZE", "16K", 1)); /* each file stored brings a sweep */
    inside = path_in(outside, "tessera-programs");
    elsewhere = path_in(outside, "own");
    atexit(remove_folder);
}

static struct tsr_hash key_of(unsigned number)
{
    return (struct tsr_hash){number + 1, 2};
}

/* A name that the cache uses, or a like one, for a number of the input. */
static char *name_of(unsigned number)
{
    char hex[33];
    tsr_hash_hex(key_of(number % KEYS), hex);
    switch (number / KEYS % 6) {
    case 0:
        return tsr_format("%s", hex);
    case 1:
        return tsr_format("%s.%016x.tmp", hex, number);
    case 2:
        return tsr_format("%.31s%x", hex, number % 16);
    case 3:
        return tsr_format("%s.%x", hex, number);
    case 4:
        return tsr_format("%.32s.tmp", hex);
    default:
        return tsr_format("notes%u", number);
    }
}

/* ---- files of the user ---- */

struct file {
    char *path;
    struct stat st;
    unsigned char data[LENGTH];
    size_t size;
};

static void look(const char *path, struct file *file)
{
    FUZZ_CHECK(!lstat(path, &file->st));
    ssize_t got = 0;
    if (S_ISREG(file->st.st_mode)) {
        int fd = open(path, O_RDONLY | O_CLOEXEC);
        got = fd < 0 ? -1 : read(fd, file->data, LENGTH);
        close(fd);
    } else if (S_ISLNK(file->st.st_mode)) {
        got = readlink(path, (char *)file->data, LENGTH);
    }
    FUZZ_CHECK(got >= 0);
    file->size = (size_t)got;
}

/* False: the name is taken. */
static bool add_file(struct fuzz_bytes *bytes, struct file *file)
{
    char *name = name_of(fuzz_byte(bytes));
    *file = (struct file){.path = path_in(fuzz_below(bytes, 4) ? inside : outside, name)};
    tsr_free(name);
    /* A file of the user is at least one byte long and does not begin as an entry does. */
    unsigned char data[LENGTH] = {'u'};
    size_t size = 1 + fuzz_below(bytes, LENGTH - 1);
    bool made = false;
    switch (fuzz_below(bytes, 5)) {
    case 0:
        made = !mkdir(file->path, 0700);
        break;
    case 1:
        made = !symlink(elsewhere, file->path);
        break;
    case 2:
        made = !link(elsewhere, file->path);
        break;
    case 3:
        made = !mkfifo(file->path, 0600);
        break;
    default:
        for (size_t i = 1; i < size; i++)
            data[i] = (unsigned char)fuzz_byte(bytes);
        made = tsr_file_write_new(AT_FDCWD, file->path, data, size) == TSR_OK;
    }
    const struct timespec old[2] = {{1000000000, 1}, {1000000000, 1}};
    if (made) {
        FUZZ_CHECK(!utimensat(AT_FDCWD, file->path, old, AT_SYMLINK_NOFOLLOW));
        return true;
    }
    tsr_free(file->path);
    return false;
}

static void check_file(const struct file *before)
{
    struct file now = {0};
    look(before->path, &now);
    FUZZ_CHECK(now.st.st_ino == before->st.st_ino && now.st.st_mode == before->st.st_mode && now.st.st_uid == before->st.st_uid &&
               now.st.st_nlink == before->st.st_nlink && now.st.st_mtim.tv_sec == before->st.st_mtim.tv_sec &&
               now.st.st_mtim.tv_nsec == before->st.st_mtim.tv_nsec && now.st.st_size == before->st.st_size);
    FUZZ_CHECK(now.size == before->size && !memcmp(now.data, before->data, now.size));
}

/* ---- the input ---- */

/* u8 byte of the mark to be changed, or above; u8 count of files and for each what add_file reads; then u16 offset, u16 new length or
 * 0xffff for the old one, and bytes written at the offset of the first entry, or behind its end. */
bool fuzz_seed(unsigned index, struct tsr_buf *seed)
{
    static const unsigned char seeds[][20] = {
        {255, 0, 0, 0, 255, 255, 'T', 'S'},
        {255, 0, 8, 0, 255, 255, 1, 2},
        {255, 0, 40, 0, 100, 0, 9, 9},
        {255, 0, 0, 0, 10, 0, 0, 0},
        {7, 1, 0, 1, 5, 4, 1, 2, 3, 4, 5, 0, 0, 255, 255},
        {255, 3, 1, 1, 0, 1, 2, 1, 0, 2, 3, 1, 0, 4, 0, 0, 255, 255},
        {255, 2, 0, 0, 0, 2, 4, 1, 0, 3, 0, 0, 255, 255},
    };
    if (index >= TSR_ARRAY_LEN(seeds))
        return false;
    tsr_buf_bytes(seed, seeds[index], sizeof seeds[index]);
    return true;
}

static void damage_mark(unsigned at)
{
    char *path = path_in(inside, "CACHEDIR.TAG");
    unsigned char *data;
    size_t size;
    FUZZ_CHECK(tsr_file_read(path, 1000, &data, &size) == TSR_OK);
    if (at < size) {
        data[at] ^= 1;
        FUZZ_CHECK(tsr_file_write_atomic(path, data, size) == TSR_OK);
    }
    tsr_free(data);
    tsr_free(path);
}

static void damage_entry(struct fuzz_bytes *bytes)
{
    off_t offset = (off_t)fuzz_below(bytes, 65536), length = (off_t)fuzz_below(bytes, 65536);
    char *name = name_of(0), *path = path_in(inside, name);
    struct stat st;
    if (!lstat(path, &st) && S_ISREG(st.st_mode) && st.st_nlink == 1 && st.st_mtim.tv_sec != 1000000000) {
        int fd = open(path, O_RDWR | O_CLOEXEC);
        FUZZ_CHECK(fd >= 0 && (length == 65535 || !ftruncate(fd, length)));
        FUZZ_CHECK(pwrite(fd, bytes->at, bytes->left, offset) == (ssize_t)bytes->left);
        close(fd);
    }
    tsr_free(name);
    tsr_free(path);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_bytes bytes = {data, size};
    struct file files[MOST_FILES + 1];
    unsigned count = 0;
    remove_folder();
    FUZZ_CHECK(!mkdir(outside, 0700));
    for (unsigned k = 0; k < KEYS - 1; k++) /* makes the folder, and leaves one name free */
        tsr__cache_put(key_of(k), content, sizeof content);
    damage_mark(fuzz_byte(&bytes));
    FUZZ_CHECK(tsr_file_write_new(AT_FDCWD, elsewhere, "years of work", 13) == TSR_OK);
    files[count++].path = tsr_strdup(elsewhere);
    for (unsigned wanted = fuzz_below(&bytes, MOST_FILES + 1); wanted; wanted--)
        count += add_file(&bytes, &files[count]);
    for (unsigned i = 0; i < count; i++)
        look(files[i].path, &files[i]);
    damage_entry(&bytes);
    for (unsigned round = 0; round < 2; round++)
        for (unsigned k = 0; k < KEYS; k++) {
            size_t got_size = 0;
            unsigned char *got = tsr__cache_get(key_of(k), &got_size);
            FUZZ_CHECK(!got || (got_size == sizeof content && !memcmp(got, content, sizeof content)));
            tsr_free(got);
            if (round)
                tsr__cache_remove(key_of(k));
            else
                tsr__cache_put(key_of(k), content, sizeof content);
        }
    for (unsigned i = 0; i < count; i++) {
        check_file(&files[i]);
        tsr_free(files[i].path);
    }
    return 0;
}
