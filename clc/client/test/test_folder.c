/* SPDX-License-Identifier: Apache-2.0
 * The folder of the disk cache among files of the user: whatever lies there stays as it is, byte for byte, with name, mode and time. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "client_test.h"

static char outside[100], inside[140]; /* the folder that the user names, and that of the cache in it */
static char log_path[] = "/tmp/tessera-folder-log-XXXXXX";

static int begin_cached(void **state)
{
    begin(state);
    snprintf(outside, sizeof(outside), "%s/cache", scratch);
    snprintf(inside, sizeof(inside), "%s/tessera-programs", outside);
    setenv("TESSERA_CACHE", "1", 1);
    setenv("TESSERA_CACHE_DIR", outside, 1);
    unsetenv("TESSERA_CACHE_SIZE");
    assert_int_equal(chdir(scratch), 0);
    assert_int_equal(truncate(log_path, 0), 0);
    return 0;
}

static int end_cached(void **state)
{
    return chdir("/") || end(state);
}

static bool log_has(const char *text)
{
    unsigned char *data;
    size_t size;
    assert_int_equal(tsr_file_read(log_path, 1 << 20, &data, &size), TSR_OK);
    bool found = strstr((char *)data, text) != NULL;
    tsr_free(data);
    return found;
}

/* Builds twice: right both times, and `hits` of the two come from the cache. */
static void build_twice(const char *source, int hits)
{
    long before = runs();
    expect(source, TSR_CLC_DONE, "warning: kept with the image");
    expect(source, TSR_CLC_DONE, "warning: kept with the image");
    assert_int_equal(runs() - before, 2 - hits);
}

/* ---- what lies in a folder ---- */

static struct tsr_buf *listing;

static int list_one(const char *path, const struct stat *st, int kind, struct FTW *ftw)
{
    (void)kind;
    (void)ftw;
    bool folder = S_ISDIR(st->st_mode); /* whose time and size tell what was added in it */
    tsr_buf_printf(listing, "%s %o %u %lu", path, st->st_mode, st->st_uid, (unsigned long)st->st_ino);
    if (!folder)
        tsr_buf_printf(listing, " %lu %lld %lld.%09ld", (unsigned long)st->st_nlink, (long long)st->st_size, (long long)st->st_mtim.tv_sec,
                       st->st_mtim.tv_nsec);
    unsigned char *data;
    size_t size;
    if (S_ISREG(st->st_mode) && tsr_file_read(path, 1 << 20, &data, &size) == TSR_OK) {
        tsr_buf_bytes(listing, data, size);
        tsr_free(data);
    }
    tsr_buf_bytes(listing, "\n", 1);
    return 0;
}

/* Everything about the files, as text to be freed. nftw would need sorted folders; each path is listed alone. */
static char *describe(char *const *paths, size_t count)
{
    struct tsr_buf buf = {0};
    listing = &buf;
    for (size_t i = 0; i < count; i++)
        if (nftw(paths[i], list_one, 16, FTW_PHYS))
            tsr_buf_printf(&buf, "%s is gone\n", paths[i]);
    tsr_buf_bytes(&buf, "", 1);
    assert_false(buf.failed);
    return (char *)buf.data;
}

enum { MOST_FILES = 40 };
static struct {
    char *paths[MOST_FILES], *before;
    size_t count;
} users;

static void age(const char *path)
{
    const struct timespec old[2] = {{1000000000, 7}, {1000000000, 7}};
    assert_int_equal(utimensat(AT_FDCWD, path, old, AT_SYMLINK_NOFOLLOW), 0);
}

static char *user_path(const char *dir, const char *name)
{
    assert_true(users.count < MOST_FILES);
    return users.paths[users.count++] = tsr_format("%s/%s", dir, name);
}

static void user_file(const char *dir, const char *name, const void *data, size_t size)
{
    char *path = user_path(dir, name);
    assert_int_equal(tsr_file_write_atomic(path, data, size), TSR_OK);
    age(path);
}

#define HEX "0123456789abcdef"

/* Files of a user in `dir`, all of them old: of every kind, and with names that the cache uses. */
static void user_files(const char *dir)
{
    static const char *const names[] = {"thesis.tex",
                                        ".bashrc",
                                        "notes.tmp",
                                        HEX HEX,
                                        HEX HEX "." HEX ".tmp",
                                        "x." HEX ".tmp",
                                        HEX HEX ".XyZ123",
                                        "CACHEDIR.TAG." HEX ".tmp",
                                        "TESSERA"};
    char large[5000] = "TSRC\2";
    for (size_t i = 0; i < TSR_ARRAY_LEN(names); i++)
        user_file(dir, names[i], "years of work", 13);
    user_file(dir, "f" HEX "123456789abcdef", large, sizeof(large)); /* begins as an entry does, but is that of no key */
    char *path = user_path(dir, "aaaa" HEX "0123456789ab"), *target = tsr_format("%s/linked", scratch);
    assert_int_equal(tsr_file_write_atomic(target, "elsewhere", 9), TSR_OK);
    assert_int_equal(symlink(target, path), 0);
    age(path);
    path = user_path(dir, "bbbb" HEX "0123456789ab");
    assert_int_equal(link(target, path), 0);
    age(path);
    users.paths[users.count++] = target;
    path = user_path(dir, "cccc" HEX "0123456789ab");
    assert_int_equal(mkfifo(path, 0600), 0);
    age(path);
    path = user_path(dir, "dddd" HEX "0123456789ab");
    assert_int_equal(mkdir(path, 0700), 0);
    user_file(path, HEX HEX, "deep", 4);
}

static void remember(void)
{
    users.before = describe(users.paths, users.count);
}

static void assert_untouched(void)
{
    char *after = describe(users.paths, users.count);
    assert_string_equal(after, users.before);
    tsr_free(after);
    tsr_free(users.before);
    for (size_t i = 0; i < users.count; i++)
        tsr_free(users.paths[i]);
    memset(&users, 0, sizeof(users));
}

/* Stores more than the cache may hold, so that it sweeps and removes. */
static void overflow(void)
{
    setenv("TESSERA_CACHE_SIZE", "400K", 1);
    for (int i = 0; i < 20; i++) {
        char source[40];
        snprintf(source, sizeof(source), "large 10 of %d", i); /* 40 KiB */
        expect(source, TSR_CLC_DONE, "");
    }
    build_twice("large 10 of 19", 2);
}

/* ---- files of the user stay ---- */

static void the_named_folder_may_hold_anything(void **state)
{
    (void)state;
    assert_int_equal(mkdir(outside, 0700), 0);
    user_files(outside);
    remember();
    overflow();
    assert_untouched();
}

static void so_may_the_folder_of_the_cache(void **state)
{
    (void)state;
    build_twice("source", 1);
    user_files(inside);
    remember();
    overflow();
    assert_untouched();
}

/* Path of the only entry. */
static char *only_entry(void)
{
    DIR *dir = opendir(inside);
    assert_non_null(dir);
    char *path = NULL;
    for (struct dirent *e; (e = readdir(dir));)
        if (strlen(e->d_name) == 32) {
            assert_null(path);
            path = tsr_format("%s/%s", inside, e->d_name);
        }
    closedir(dir);
    assert_non_null(path);
    return path;
}

static void what_lies_in_the_place_of_an_entry_stays(void **state)
{
    static const char *const kinds[] = {"file", "copy of another entry", "hard link", "symbolic link", "link to nothing", "fifo", "folder"};
    for (size_t i = 0; i < TSR_ARRAY_LEN(kinds); i++) {
        end_cached(state);
        begin_cached(state);
        build_twice("source", 1);
        char *path = only_entry(), *own = tsr_format("%s/own", scratch);
        assert_int_equal(rename(path, "aside"), 0);
        assert_int_equal(tsr_file_write_atomic(own, "years of work", 13), TSR_OK);
        age(own);
        switch (i) {
        case 0:
            assert_int_equal(tsr_file_write_atomic(path, "years of work", 13), TSR_OK);
            break;
        case 1: {
            unsigned char *data;
            size_t size;
            assert_int_equal(tsr_file_read("aside", 1 << 20, &data, &size), TSR_OK);
            data[8] ^= 1; /* the key */
            assert_int_equal(tsr_file_write_atomic(path, data, size), TSR_OK);
            tsr_free(data);
            break;
        }
        case 2:
            assert_int_equal(link(own, path), 0);
            break;
        case 3: /* not even to an entry */
            assert_int_equal(symlink("../../aside", path), 0);
            break;
        case 4:
            assert_int_equal(symlink("nowhere", path), 0);
            break;
        case 5:
            assert_int_equal(mkfifo(path, 0600), 0);
            break;
        case 6:
            assert_int_equal(mkdir(path, 0700), 0);
            break;
        }
        age(path);
        users.paths[users.count++] = path;
        users.paths[users.count++] = own;
        remember();
        build_twice("source", 0);
        overflow();
        assert_untouched();
        assert_int_not_equal(access("nowhere", F_OK), 0);
    }
}

/* ---- a folder that is not ours ---- */

static const char mark[] = "Signature: 8a477f597d28d172789f06886806bc55\n"
                           "# Programs that Tessera compiled. It adds and removes files here; all of the folder may be deleted.\n";

static void marked(const char *text, size_t size)
{
    assert_int_equal(mkdir(inside, 0700), 0);
    user_file(inside, "CACHEDIR.TAG", text, size);
}

static void a_folder_in_the_place_of_ours_is_not_used(void **state)
{
    static const char *const kinds[] = {"with a file", "other mark", "longer mark", "shorter mark", "mark is a link", "mark is a fifo",
                                        "writable",    "group's",    "link",        "dead link",    "file",           "fifo"};
    for (size_t i = 0; i < TSR_ARRAY_LEN(kinds); i++) {
        end_cached(state);
        begin_cached(state);
        char text[sizeof(mark) + 1];
        memcpy(text, mark, sizeof(mark));
        assert_int_equal(mkdir(outside, 0700), 0);
        switch (i) {
        case 0:
            assert_int_equal(mkdir(inside, 0700), 0);
            user_file(inside, "thesis.tex", "x", 1);
            break;
        case 1:
            text[60] ^= 1;
            marked(text, sizeof(mark) - 1);
            break;
        case 2:
            marked(text, sizeof(mark));
            break;
        case 3:
            marked(text, sizeof(mark) - 2);
            break;
        case 4:
            assert_int_equal(mkdir(inside, 0700), 0);
            user_file(scratch, "mark", mark, sizeof(mark) - 1);
            assert_int_equal(symlink("../../mark", user_path(inside, "CACHEDIR.TAG")), 0);
            break;
        case 5:
            assert_int_equal(mkdir(inside, 0700), 0);
            assert_int_equal(mkfifo(user_path(inside, "CACHEDIR.TAG"), 0600), 0);
            break;
        case 6:
        case 7:
            marked(text, sizeof(mark) - 1);
            assert_int_equal(chmod(inside, i == 6 ? 0707 : 0770), 0);
            break;
        case 8:
            assert_int_equal(mkdir("elsewhere", 0700), 0);
            user_file("elsewhere", "CACHEDIR.TAG", mark, sizeof(mark) - 1);
            assert_int_equal(symlink("../elsewhere", inside), 0);
            break;
        case 9:
            assert_int_equal(symlink("../elsewhere", inside), 0);
            break;
        case 10:
            user_file(outside, "tessera-programs", "x", 1);
            break;
        case 11:
            assert_int_equal(mkfifo(inside, 0700), 0);
            break;
        }
        users.paths[users.count++] = tsr_strdup(outside);
        remember();
        build_twice("source", 0);
        assert_untouched();
        if (!log_has(inside) || !log_has("TESSERA_CACHE_DIR"))
            fail_msg("%s: the log does not say what to do", kinds[i]);
    }
}

static void nor_is_that_of_another_user(void **state)
{
    (void)state;
    if (getuid() != 0)
        skip();
    build_twice("source", 1);
    char *path = only_entry(), *again = tsr_format("%s/", outside);
    assert_int_equal(chown(inside, 65534, 65534), 0);
    setenv("TESSERA_CACHE_DIR", again, 1);
    build_twice("source", 0);
    assert_true(log_has("another user"));
    /* Nor an entry of another user. */
    assert_int_equal(chown(inside, 0, 0), 0);
    assert_int_equal(chown(path, 65534, 65534), 0);
    setenv("TESSERA_CACHE_DIR", outside, 1);
    build_twice("source", 0);
    assert_int_equal(access(path, F_OK), 0);
    tsr_free(path);
    tsr_free(again);
}

static void a_file_system_that_is_read_only(void **state)
{
    (void)state;
    assert_int_equal(mkdir(outside, 0700), 0);
    if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) || mount("none", outside, "tmpfs", MS_RDONLY, "mode=700"))
        skip(); /* not root, or in a container */
    build_twice("source", 0);
    bool told = log_has(inside) && log_has(strerror(EROFS));
    assert_int_equal(umount(outside), 0);
    assert_true(told);
}

/* ---- where the named folder is ---- */

static void named_folders(void **state)
{
    const struct {
        const char *name; /* in the scratch folder */
        int mode;         /* of the folder, made before; 0: it is not there */
        bool used;
    } cases[] = {
        {"missing/parents/of/it", 0, true},
        {"missing//slashes/", 0, true},
        {"private", 0700, true},
        {"usual", 0755, true},
        {"groups", 0775, false},
        {"open", 0777, false},
        {"sticky", 01777, true},
        {"file", 0, false},
        {"file/below", 0, false},
        {"link", 0, true},
        {"dead-link", 0, false},
    };
    for (size_t i = 0; i < TSR_ARRAY_LEN(cases); i++) {
        end_cached(state);
        begin_cached(state);
        assert_int_equal(tsr_file_write_atomic("file", "x", 1), TSR_OK);
        assert_int_equal(mkdir("target", 0700) || symlink("target", "link") || symlink("nowhere", "dead-link"), 0);
        if (cases[i].mode)
            assert_int_equal(mkdir(cases[i].name, 0700) || chmod(cases[i].name, (mode_t)cases[i].mode), 0);
        char *path = tsr_format("%s/%s", scratch, cases[i].name);
        setenv("TESSERA_CACHE_DIR", path, 1);
        build_twice(cases[i].name, cases[i].used);
        if (!cases[i].used && (!log_has(path) || !log_has("TESSERA_CACHE_DIR")))
            fail_msg("%s: the log does not say what to do", cases[i].name);
        /* The same by a relative path, which counts from where the program stood when it named it. */
        long before = runs();
        setenv("TESSERA_CACHE_DIR", cases[i].name, 1);
        expect(cases[i].name, TSR_CLC_DONE, "");
        assert_int_equal(mkdir("sub", 0700) || chdir("sub"), 0);
        expect(cases[i].name, TSR_CLC_DONE, "");
        assert_int_equal(runs() - before, cases[i].used ? 0 : 2);
        DIR *sub = opendir(".");
        for (struct dirent *e; (e = readdir(sub));)
            assert_true(e->d_name[0] == '.');
        closedir(sub);
        tsr_free(path);
    }
}

/* ---- while it is used ---- */

static void remove_folder(const char *path)
{
    char command[200];
    snprintf(command, sizeof(command), "rm -rf %s", path);
    assert_int_equal(system(command), 0);
}

static void a_folder_that_goes_is_made_again(void **state)
{
    (void)state;
    build_twice("source", 1);
    remove_folder(inside);
    build_twice("source", 1);
    remove_folder(outside);
    build_twice("source", 0); /* the folder that the user names is the user's matter */
    assert_int_equal(mkdir(outside, 0700), 0);
    build_twice("source", 1);
    /* Another folder takes its place. */
    remove_folder(inside);
    assert_int_equal(mkdir(inside, 0700), 0);
    user_files(inside);
    remember();
    build_twice("source", 0);
    assert_untouched();
}

static void an_empty_folder_of_the_name_becomes_ours(void **state)
{
    (void)state;
    assert_int_equal(mkdir(outside, 0700) || mkdir(inside, 0700), 0); /* as a process leaves it that dies after mkdir */
    build_twice("source", 1);
}

static void many_processes_make_it_at_once(void **state)
{
    (void)state;
    enum { PROCESSES = 8 };
    pid_t children[PROCESSES];
    int start[2];
    char byte;
    assert_int_equal(pipe(start), 0);
    for (int i = 0; i < PROCESSES; i++) {
        children[i] = fork();
        if (children[i] == 0) {
            close(start[1]);
            (void)!read(start[0], &byte, 1); /* until all are there */
            struct tsr_hash key = {(uint64_t)i, 1};
            size_t size;
            tsr__cache_put(key, "data", 5);
            unsigned char *data = tsr__cache_get(key, &size);
            _exit(data && size == 5 && !memcmp(data, "data", 5) ? 0 : 1);
        }
    }
    close(start[0]);
    close(start[1]);
    for (int i = 0; i < PROCESSES; i++) {
        int status;
        assert_int_equal(waitpid(children[i], &status, 0), children[i]);
        assert_int_equal(status, 0);
    }
    int count = 0;
    DIR *dir = opendir(inside);
    for (struct dirent *e; (e = readdir(dir));)
        count += e->d_name[0] != '.';
    closedir(dir);
    assert_int_equal(count, PROCESSES + 1); /* and the mark; nothing temporary */
}

static void a_full_disk_leaves_nothing(void **state)
{
    (void)state;
    build_twice("source", 1);
    pid_t child = fork();
    if (child == 0) {
        signal(SIGXFSZ, SIG_IGN); /* then what goes on is as on a full disk: a part is written, and then an error */
        struct rlimit limit = {10000, 10000};
        setrlimit(RLIMIT_FSIZE, &limit);
        struct tsr_hash key = {1, 1};
        static char data[20000];
        size_t size;
        tsr__cache_put(key, data, sizeof(data));
        bool miss = !tsr__cache_get(key, &size);
        _exit(miss ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    char *path = only_entry(), *none = NULL;
    tsr_free(path);
    DIR *dir = opendir(inside);
    for (struct dirent *e; (e = readdir(dir));)
        if (strstr(e->d_name, ".tmp"))
            none = e->d_name;
    assert_null(none);
    closedir(dir);
}

static void no_descriptor_stays(void **state)
{
    (void)state;
    build_twice("source", 1); /* and the compiler process has its descriptors */
    int before = open("/dev/null", O_RDONLY | O_CLOEXEC);
    close(before);
    build_twice("source", 2);
    build_twice("other", 1);
    char *again = tsr_format("%s//", outside);
    setenv("TESSERA_CACHE_DIR", again, 1);
    build_twice("source", 2);
    int after = open("/dev/null", O_RDONLY | O_CLOEXEC);
    close(after);
    assert_int_equal(after, before);
    tsr_free(again);
}

int main(void)
{
    int fd = mkstemp(log_path);
    if (fd < 0)
        return 1;
    close(fd);
    setenv("TESSERA_DEBUG", "warn", 1);
    setenv("TESSERA_LOG_FILE", log_path, 1);
#define CASE(function) cmocka_unit_test_setup_teardown(function, begin_cached, end_cached)
    const struct CMUnitTest tests[] = {
        CASE(the_named_folder_may_hold_anything),
        CASE(so_may_the_folder_of_the_cache),
        CASE(what_lies_in_the_place_of_an_entry_stays),
        CASE(a_folder_in_the_place_of_ours_is_not_used),
        CASE(nor_is_that_of_another_user),
        CASE(a_file_system_that_is_read_only),
        CASE(named_folders),
        CASE(a_folder_that_goes_is_made_again),
        CASE(an_empty_folder_of_the_name_becomes_ours),
        CASE(many_processes_make_it_at_once),
        CASE(a_full_disk_leaves_nothing),
        CASE(no_descriptor_stays),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(log_path);
    return failed;
}
