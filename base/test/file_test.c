/* SPDX-License-Identifier: Apache-2.0
 * Files: reading with a limit, atomic writing, folders, memory files, the folder of our own code. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "tessera/base.h"

static char dir[] = "/tmp/tessera-file-test-XXXXXX";

static unsigned entries(const char *path)
{
    DIR *d = opendir(path);
    assert_non_null(d);
    unsigned count = 0;
    for (struct dirent *e; (e = readdir(d));)
        count += e->d_name[0] != '.';
    closedir(d);
    return count;
}

static void write_and_read(void **state)
{
    (void)state;
    assert_int_equal(chdir(dir), 0);
    unsigned char *data = NULL;
    size_t size = 1;
    assert_int_equal(tsr_file_read("a", 100, &data, &size), TSR_NO_FILE);
    assert_int_equal(tsr_file_write_atomic("a", "hello", 5), TSR_OK);
    assert_int_equal(tsr_file_write_atomic("a", "other!", 6), TSR_OK);
    struct stat st;
    assert_int_equal(stat("a", &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    assert_int_equal(tsr_file_read("a", 5, &data, &size), TSR_LIMIT);
    assert_int_equal(tsr_file_read("a", 6, &data, &size), TSR_OK);
    assert_int_equal(size, 6);
    assert_string_equal(data, "other!");
    tsr_free(data);
    assert_int_equal(tsr_file_write_atomic("a", "", 0), TSR_OK);
    assert_int_equal(tsr_file_read("a", 0, &data, &size), TSR_OK);
    assert_int_equal(size, 0);
    tsr_free(data);
    assert_int_equal(tsr_file_write_atomic("none/a", "x", 1), TSR_NO_FILE);
    assert_int_equal(entries("."), 1); /* no temporary file is left */
}

/* Answers the system call with the error from now on, as file systems do that lack it. */
static void refuse(long call, unsigned error)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)call, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {TSR_ARRAY_LEN(code), code};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
        _exit(9);
}

/* 0: a new name is written, and no file, folder or link is replaced. */
static int try_new(const char *folder)
{
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    unsigned char *data;
    size_t size;
    if (tsr_file_write_new(fd, "new", "first", 5) != TSR_OK || tsr_file_write_new(fd, "new", "second", 6) != TSR_EXISTS ||
        tsr_file_write_new(fd, "sub", "x", 1) != TSR_EXISTS || tsr_file_write_new(fd, "link", "x", 1) != TSR_EXISTS)
        return 1;
    close(fd);
    if (tsr_file_read("new-test/new", 10, &data, &size) != TSR_OK || size != 5 || memcmp(data, "first", 5))
        return 2;
    tsr_free(data);
    return entries(folder) == 3 ? 0 : 3; /* nothing temporary */
}

static void nothing_is_replaced(void **state)
{
    (void)state;
    for (int lacking = 0; lacking < 3; lacking++) { /* renameat2 with its flag, then linkat as well */
        assert_int_equal(mkdir("new-test", 0700) || mkdir("new-test/sub", 0700) || symlink("nowhere", "new-test/link"), 0);
        pid_t child = fork();
        if (child == 0) {
            if (lacking > 0)
                refuse(SYS_renameat2, EINVAL);
            if (lacking > 1)
                refuse(SYS_linkat, EPERM);
            _exit(try_new("new-test"));
        }
        int status;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_int_equal(status, 0);
        assert_int_equal(remove("new-test/new") || remove("new-test/sub") || remove("new-test/link") || remove("new-test"), 0);
    }
}

static void temporary_names(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        size_t length;
    } cases[] = {
        {"a.0123456789abcdef.tmp", 1},  {"some.name.0000000000000000.tmp", 9},
        {".0123456789abcdef.tmp", 0},   {"a.0123456789abcde.tmp", 0},
        {"a.0123456789abcdeF.tmp", 0},  {"a.0123456789abcdef.tmp2", 0},
        {"a-0123456789abcdef.tmp", 0},  {"a.tmp", 0},
        {"a.00123456789abcdef.tmp", 0}, {"", 0},
    };
    for (size_t i = 0; i < TSR_ARRAY_LEN(cases); i++)
        assert_int_equal(tsr_file_temporary(cases[i].name), cases[i].length);
}

static void odd_files(void **state)
{
    (void)state;
    unsigned char *data;
    size_t size;
    assert_int_equal(tsr_file_read(".", 100, &data, &size), TSR_INVALID);
    assert_int_equal(mkfifo("fifo", 0600), 0);
    assert_int_equal(tsr_file_read("fifo", 100, &data, &size), TSR_INVALID);
    assert_int_equal(tsr_file_read("/proc/self/smaps", 10 << 20, &data, &size), TSR_OK); /* its size is said to be 0 */
    assert_true(size > 500 && data[size] == 0);
    tsr_free(data);
    assert_int_equal(tsr_file_read("/proc/self/smaps", 100, &data, &size), TSR_LIMIT);
    assert_int_equal(tsr_file_write_atomic("full", "x", 1), TSR_OK);
    assert_int_equal(mkdir("folder", 0700), 0);
    assert_int_equal(tsr_file_write_atomic("folder", "x", 1), TSR_IO);
}

static void allocation_fails(void **state)
{
    (void)state;
    unsigned char *data;
    size_t size;
    tsr_fail_alloc(1);
    assert_int_equal(tsr_file_read("full", 100, &data, &size), TSR_NO_MEMORY);
    assert_int_equal(tsr_file_write_atomic("full", "x", 1), TSR_NO_MEMORY);
    assert_int_equal(tsr_dir_make("b"), TSR_NO_MEMORY);
    char *folder;
    assert_int_equal(tsr_dir_of_code((const void *)allocation_fails, &folder), TSR_NO_MEMORY);
    assert_null(folder);
    tsr_fail_alloc(0);
    tsr_fail_alloc(2);
    enum tsr_status second = tsr_file_read("/proc/self/smaps", 10 << 20, &data, &size);
    tsr_fail_alloc(0);
    assert_int_equal(second, TSR_NO_MEMORY);
}

static void folders(void **state)
{
    (void)state;
    assert_int_equal(tsr_dir_make("x/y//z/"), TSR_OK);
    assert_int_equal(tsr_dir_make("x/y"), TSR_OK);
    assert_int_equal(tsr_dir_make("/"), TSR_OK);
    struct stat st;
    assert_int_equal(stat("x/y/z", &st), 0);
    assert_int_equal(st.st_mode & 0777, 0700);
    assert_int_equal(tsr_dir_make("a/b"), TSR_IO); /* a is a file */
    assert_int_equal(tsr_dir_make("a"), TSR_IO);
    assert_int_equal(tsr_dir_make(""), TSR_NO_FILE);
    assert_int_equal(tsr_dir_make("/proc/none/x"), TSR_NO_FILE);
}

static void memory_file(void **state)
{
    (void)state;
    char text[8] = "";
    int fd = tsr_memfd("test", "payload", 7);
    assert_true(fd >= 0);
    assert_int_equal(pread(fd, text, 8, 0), 7);
    assert_string_equal(text, "payload");
    assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
    close(fd);
}

/* A kept descriptor that the application has closed is nobody's, or another's. */
static void kept_descriptor(void **state)
{
    (void)state;
    int pair[2];
    assert_int_equal(pipe(pair), 0);
    struct tsr_fd none = tsr_fd_keep(-1), kept = tsr_fd_keep(pair[0]);
    assert_int_equal(none.number, -1);
    assert_false(tsr_fd_is_ours(&none));
    tsr_fd_close(&none);
    assert_true(tsr_fd_is_ours(&kept));
    close(pair[0]);
    errno = 7;
    assert_false(tsr_fd_is_ours(&kept));
    assert_int_equal(errno, 7);
    assert_int_equal(open("/dev/null", O_RDWR), pair[0]);
    assert_false(tsr_fd_is_ours(&kept));
    tsr_fd_close(&kept);
    assert_int_equal(kept.number, -1);
    assert_true(fcntl(pair[0], F_GETFD) >= 0);
    struct tsr_fd mine = tsr_fd_keep(pair[0]);
    tsr_fd_close(&mine);
    assert_true(fcntl(pair[0], F_GETFD) < 0);
    close(pair[1]);
}

static volatile sig_atomic_t signals;
static void on_signal(int number)
{
    (void)number;
    signals++;
}

static bool is_pending(int number)
{
    sigset_t pending;
    sigpending(&pending);
    return sigismember(&pending, number) == 1;
}

static void writes_raise_no_signal(void **state)
{
    (void)state;
    char path[64];
    int pair[2];
    struct rlimit before, small;
    snprintf(path, sizeof path, "%s/a", dir);
    signal(SIGXFSZ, on_signal);
    signal(SIGPIPE, on_signal);
    assert_int_equal(pipe(pair), 0);
    close(pair[0]);
    assert_false(tsr_write_all(pair[1], "x", 1));
    assert_int_equal(errno, EPIPE);
    getrlimit(RLIMIT_FSIZE, &before);
    small = before;
    small.rlim_cur = 8;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    int fd = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0600);
    assert_true(tsr_write_all(fd, "12345678", 8)); /* up to the limit */
    assert_false(tsr_write_all(fd, "9", 1));       /* and above */
    assert_int_equal(errno, EFBIG);
    assert_int_equal(tsr_memfd("test", "123456789", 9), -1);
    assert_int_equal(errno, EFBIG);
    assert_int_not_equal(tsr_file_write_atomic(path, "123456789", 9), TSR_OK);
    assert_int_equal(signals, 0);
    assert_false(is_pending(SIGXFSZ) || is_pending(SIGPIPE));
    /* One of the application's own stays, and comes when the application lets it. */
    sigset_t set, old;
    sigemptyset(&set);
    sigaddset(&set, SIGXFSZ);
    sigprocmask(SIG_BLOCK, &set, &old);
    assert_false(tsr_write_all(fd, "9", 1));
    assert_false(is_pending(SIGXFSZ));
    raise(SIGXFSZ);
    assert_false(tsr_write_all(fd, "9", 1));
    assert_true(is_pending(SIGXFSZ));
    sigprocmask(SIG_SETMASK, &old, NULL);
    assert_int_equal(signals, 1);
    setrlimit(RLIMIT_FSIZE, &before);
    close(fd);
    close(pair[1]);
    signal(SIGXFSZ, SIG_DFL);
    signal(SIGPIPE, SIG_DFL);
}

static void own_folder(void **state)
{
    (void)state;
    char exe[4096];
    ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);
    assert_true(n > 0);
    exe[n] = 0;
    *strrchr(exe, '/') = 0;
    char *own, *libc, *none;
    assert_int_equal(tsr_dir_of_code((const void *)own_folder, &own), TSR_OK); /* after chdir: argv[0] says nothing */
    assert_string_equal(own, exe);
    tsr_free(own);
    assert_int_equal(tsr_dir_of_code((const void *)getenv, &libc), TSR_OK);
    assert_non_null(strstr(libc, "/lib"));
    tsr_free(libc);
    assert_int_equal(tsr_dir_of_code(&n, &none), TSR_NO_FILE);
    assert_null(none);
}

int main(void)
{
    if (!mkdtemp(dir))
        return 1;
    const struct CMUnitTest tests[] = {cmocka_unit_test(write_and_read),   cmocka_unit_test(nothing_is_replaced),
                                       cmocka_unit_test(temporary_names),  cmocka_unit_test(odd_files),
                                       cmocka_unit_test(allocation_fails), cmocka_unit_test(folders),
                                       cmocka_unit_test(memory_file),      cmocka_unit_test(own_folder),
                                       cmocka_unit_test(kept_descriptor),  cmocka_unit_test(writes_raise_no_signal)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    static const char *const leftovers[] = {"a", "fifo", "full", "folder", "x/y/z", "x/y", "x"};
    for (unsigned i = 0; i < TSR_ARRAY_LEN(leftovers); i++)
        remove(leftovers[i]);
    return failed || rmdir(dir);
}
