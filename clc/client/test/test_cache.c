/* SPDX-License-Identifier: Apache-2.0
 * The disk cache: hits, every kind of damage, folders that cannot be used, its size. */
#include <dirent.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <time.h>

#include "client_test.h"

static char folder[120]; /* where the cache keeps its files, in the one that TESSERA_CACHE_DIR names */

static int begin_cached(void **state)
{
    begin(state);
    snprintf(folder, sizeof(folder), "%s/cache", scratch);
    setenv("TESSERA_CACHE", "1", 1);
    setenv("TESSERA_CACHE_DIR", folder, 1);
    strcat(folder, "/tessera-programs");
    unsetenv("TESSERA_CACHE_SIZE");
    unsetenv("TESSERA_CPU");
    return 0;
}

static bool is_entry(const char *name)
{
    return strlen(name) == 32 && strspn(name, "0123456789abcdef") == 32;
}

/* Path of the only entry. */
static void only_entry(char path[400])
{
    DIR *dir = opendir(folder);
    assert_non_null(dir);
    int count = 0;
    for (struct dirent *e; (e = readdir(dir));)
        if (is_entry(e->d_name)) {
            snprintf(path, 400, "%s/%s", folder, e->d_name);
            count++;
        }
    closedir(dir);
    assert_int_equal(count, 1);
}

static void a_second_build_is_a_hit_with_image_and_log(void **state)
{
    (void)state;
    struct tsr_clc_result first = run("source"), second = run("source");
    assert_int_equal(runs(), 1);
    assert_int_equal(second.outcome, TSR_CLC_DONE);
    assert_string_equal(first.log, second.log);
    assert_int_equal(first.image_size, second.image_size);
    assert_memory_equal(first.image, second.image, first.image_size);
    tsr_clc_result_free(&first);
    tsr_clc_result_free(&second);
    struct stat st;
    assert_int_equal(stat(folder, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0700);
}

static void whatever_differs_is_a_miss(void **state)
{
    (void)state;
    struct tsr_clc_text headers[2] = {{"a.h", "1", 1}, {"b.h", "1", 1}};
    static const struct tsr_spirv_constant constants[] = {{1, 1, "\1"}, {1, 1, "\2"}, {2, 1, "\2"}};
    struct tsr_clc_request request = request_for("source"), variants[17];
    for (size_t i = 0; i < TSR_ARRAY_LEN(variants); i++)
        variants[i] = request;
    variants[1].options = "-w";
    variants[2].target.macros = "-DX=1";
    variants[3].target.features = 1;
    variants[4].target.default_sub_group_size = 8;
    variants[5].op = TSR_CLC_COMPILE;
    variants[6].header_count = 1;
    variants[6].headers = &headers[0];
    variants[7].header_count = 1;
    variants[7].headers = &headers[1];
    variants[8].target.triple = "another-cpu";
    variants[9].target.engine = TSR_ENGINE_REFERENCE;
    for (int i = 0; i < 4; i++) {
        variants[10 + i].language = TSR_CLC_SPIRV;
        variants[10 + i].spec_count = i > 0;
        variants[10 + i].spec_constants = &constants[i - (i > 0)];
    }
    variants[14].target.sub_group_sizes = 8;
    for (uint32_t i = 0; i < 2; i++) {
        variants[15 + i].target.engine = TSR_ENGINE_GROUP_SIZE;
        for (uint32_t d = 0; d < 3; d++)
            variants[15 + i].target.group_size[d] = d + i + 1;
    }
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < 17; i++) {
            struct tsr_clc_result result;
            tsr_clc_run(&variants[i], &result);
            assert_int_equal(result.outcome, TSR_CLC_DONE);
            tsr_clc_result_free(&result);
            assert_int_equal(runs(), round ? 17 : i + 1);
        }
    setenv("TESSERA_CPU", "sse2", 1); /* a variable that changes code */
    expect("source", TSR_CLC_DONE, "");
    assert_int_equal(runs(), 18);
    unsetenv("TESSERA_CPU");
    expect("source", TSR_CLC_DONE, "");
    assert_int_equal(runs(), 18);
}

/* What a device's driver has made of a result is kept under another key. */
static void results_of_others_are_kept(void **state)
{
    (void)state;
    static const char key[] = "driver 1", other[] = "driver 2";
    struct tsr_clc_result made = {TSR_CLC_DONE, (char *)"words of the driver", (unsigned char *)"code", 4}, found;
    assert_false(tsr_clc_find(key, sizeof key, &found));
    tsr_clc_keep(key, sizeof key, &made);
    assert_false(tsr_clc_find(other, sizeof other, &found));
    assert_true(tsr_clc_find(key, sizeof key, &found));
    assert_int_equal(found.outcome, TSR_CLC_DONE);
    assert_string_equal(found.log, made.log);
    assert_int_equal(found.image_size, 4);
    assert_memory_equal(found.image, made.image, 4);
    tsr_clc_result_free(&found);
    setenv("TESSERA_CACHE", "0", 1);
    tsr_clc_keep(other, sizeof other, &made);
    assert_false(tsr_clc_find(other, sizeof other, &found));
    unsetenv("TESSERA_CACHE");
}

/* A variable of the compiler's makes a miss and reaches the process, another is a hit and does not. */
static void variables_of_the_compiler_are_in_the_key(void **state)
{
    (void)state;
    enum { HOST, COMPILER, BOTH };
    static const struct {
        const char *name;
        int side;
    } variables[] = {
#define TSR_ENV(name, obeys, side, values, default_value, text) {"TESSERA_" #name, side},
#include "tessera/env.def"
#undef TSR_ENV
    };
    /* What the driver could not do its work with, and what would make a file. */
    static const struct {
        const char *name, *value;
    } special[] = {
        {"TESSERA_CC_MODE", "process"}, {"TESSERA_CACHE_SIZE", "2G"}, {"TESSERA_CC_TIMEOUT", "200"}, {"TESSERA_LOG_FILE", "/dev/null"}};
    for (size_t i = 0; i < TSR_ARRAY_LEN(variables); i++) {
        const char *name = variables[i].name, *value = "1";
        if (getenv(name)) /* the compiler and the cache of this test */
            continue;
        for (size_t k = 0; k < TSR_ARRAY_LEN(special); k++)
            if (!strcmp(name, special[k].name))
                value = special[k].value;
        char source[100];
        snprintf(source, sizeof(source), "environment %s", name);
        char *unset = image_of(source);
        long before = runs();
        setenv(name, value, 1);
        char *cached = image_of(source);
        assert_int_equal(runs() - before, variables[i].side != HOST);
        setenv("TESSERA_BUDGET", "7", 1); /* another process and key in any case */
        char *fresh = image_of(source);
        const char *expected = variables[i].side == HOST ? "unset" : !strcmp(name, "TESSERA_BUDGET") ? "7" : value;
        if (strcmp(fresh, expected) != 0 || strcmp(unset, "unset") != 0)
            fail_msg("%s is \"%s\", then \"%s\" in the compiler process, not \"%s\"", name, unset, fresh, expected);
        assert_string_equal(cached, variables[i].side == HOST ? "unset" : value);
        unsetenv("TESSERA_BUDGET");
        unsetenv(name);
        tsr_free(unset);
        tsr_free(cached);
        tsr_free(fresh);
    }
}

static void failures_and_passing_results_are_not_kept(void **state)
{
    (void)state;
    for (int i = 1; i <= 2; i++) {
        expect("once", TSR_CLC_DONE, "");
        expect("fail", TSR_CLC_FAILED, "error: no");
        assert_int_equal(runs(), 2 * i);
    }
}

static void every_flipped_bit_and_every_length_is_a_miss(void **state)
{
    (void)state;
    expect("source", TSR_CLC_DONE, "");
    char path[400];
    only_entry(path);
    unsigned char *data;
    size_t size;
    assert_int_equal(tsr_file_read(path, 1 << 20, &data, &size), TSR_OK);
    long before = runs();
    for (size_t i = 0; i < size; i++) {
        data[i] ^= (unsigned char)(1 << i % 8);
        assert_int_equal(tsr_file_write_atomic(path, data, size), TSR_OK);
        data[i] ^= (unsigned char)(1 << i % 8);
        expect("source", TSR_CLC_DONE, "warning: kept with the image");
        assert_int_equal(runs(), ++before);
    }
    for (size_t length = 0; length < size; length++) {
        assert_int_equal(tsr_file_write_atomic(path, data, length), TSR_OK);
        expect("source", TSR_CLC_DONE, "warning: kept with the image");
        assert_int_equal(runs(), ++before);
    }
    tsr_free(data);
    expect("source", TSR_CLC_DONE, "");
    assert_int_equal(runs(), before);
}

static void an_entry_under_another_name_is_a_miss(void **state)
{
    (void)state;
    char first[400], second[400];
    expect("one", TSR_CLC_DONE, "");
    only_entry(first);
    char aside[100];
    snprintf(aside, sizeof(aside), "%s/aside", scratch);
    assert_int_equal(rename(first, aside), 0);
    expect("two", TSR_CLC_DONE, "");
    only_entry(second);
    assert_int_equal(rename(aside, second), 0);
    expect("two", TSR_CLC_DONE, "");
    assert_int_equal(runs(), 3);
}

static void a_changed_included_file_is_a_miss(void **state)
{
    (void)state;
    char header[100], source[120];
    snprintf(header, sizeof(header), "%s/h.h", scratch);
    snprintf(source, sizeof(source), "file %s", header);
    for (int i = 0; i < 3; i++) {
        char text[] = {(char)('a' + i), 0};
        assert_int_equal(tsr_file_write_atomic(header, text, 1), TSR_OK);
        for (int round = 0; round < 2; round++) {
            char *image = image_of(source);
            assert_string_equal(image, text);
            tsr_free(image);
            assert_int_equal(runs(), i + 1);
        }
    }
    unlink(header);
    expect(source, TSR_CLC_FAILED, "error: no");
    assert_int_equal(runs(), 4);
}

static void odd_folders_mean_no_cache_and_no_error(void **state)
{
    (void)state;
    const char *odd[] = {"/proc/nowhere/cache", "/dev/null/cache", "/dev/null", ""};
    for (size_t i = 0; i < TSR_ARRAY_LEN(odd); i++) {
        setenv("TESSERA_CACHE_DIR", odd[i], 1);
        if (!*odd[i]) {
            setenv("XDG_CACHE_HOME", "relative", 1);
            setenv("HOME", "", 1);
        }
        long before = runs();
        expect("source", TSR_CLC_DONE, "");
        expect("source", TSR_CLC_DONE, "");
        assert_int_equal(runs(), before + 2);
    }
    unsetenv("XDG_CACHE_HOME");
}

static void a_folder_that_cannot_be_written_is_still_read(void **state)
{
    (void)state;
    expect("source", TSR_CLC_DONE, "");
    assert_int_equal(chmod(folder, 0500), 0);
    pid_t child = fork();
    if (child == 0) {
        /* The super-user may write everywhere: become somebody else, whom the folder belongs to. */
        if (getuid() == 0 && (chown(folder, 65534, 65534) || chown(scratch, 65534, 65534)))
            _exit(2);
        char path[400];
        only_entry(path);
        if (getuid() == 0 && (chown(path, 65534, 65534) || setgid(65534) || setuid(65534)))
            _exit(3);
        expect("source", TSR_CLC_DONE, "warning: kept with the image");
        long hits = runs();
        expect("other", TSR_CLC_DONE, "");
        _exit(hits == 1 ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

static uint64_t bytes_in_folder(void)
{
    uint64_t total = 0;
    DIR *dir = opendir(folder);
    struct stat st;
    for (struct dirent *e; (e = readdir(dir));)
        if (is_entry(e->d_name) && !fstatat(dirfd(dir), e->d_name, &st, 0))
            total += (uint64_t)st.st_blocks * 512;
    closedir(dir);
    return total;
}

static void it_stays_below_its_size_and_keeps_what_was_used_last(void **state)
{
    (void)state;
    setenv("TESSERA_CACHE_SIZE", "1M", 1);
    for (int i = 0; i < 60; i++) {
        char source[40];
        snprintf(source, sizeof(source), "large 10 of %d", i); /* 40 KiB */
        expect(source, TSR_CLC_DONE, "");
        assert_true(bytes_in_folder() <= 1 << 20);
    }
    assert_true(bytes_in_folder() > 1 << 19);
    assert_int_equal(runs(), 60);
    expect("large 10 of 59", TSR_CLC_DONE, "");
    assert_int_equal(runs(), 60);
    expect("large 10 of 0", TSR_CLC_DONE, "");
    assert_int_equal(runs(), 61);
    expect("large 100", TSR_CLC_DONE, ""); /* 400 KiB is more than its share */
    expect("large 100", TSR_CLC_DONE, "");
    assert_int_equal(runs(), 63);
}

static void set_age(const char *path, time_t seconds)
{
    struct timespec then[2] = {{time(NULL) - seconds, 0}, {time(NULL) - seconds, 0}};
    assert_int_equal(utimensat(AT_FDCWD, path, then, 0), 0);
}

static void leftovers_of_dead_writers_go(void **state)
{
    (void)state;
    setenv("TESSERA_CACHE_SIZE", "1M", 1);
    expect("source", TSR_CLC_DONE, "");
    char entry[400], path[440];
    only_entry(entry);
    unsigned char *data;
    size_t size;
    assert_int_equal(tsr_file_read(entry, 1 << 20, &data, &size), TSR_OK);
    const struct {
        size_t size; /* how far the writer came */
        int age;
        bool goes;
    } cases[] = {
        {size, 3700, true}, {size, 3500, false}, /* its writer may be alive */
        {24, 3700, true},   {23, 3700, false},   /* no longer to be told from a file of the user */
        {0, 3700, true},    {0, 3500, false},
    };
    for (size_t i = 0; i < TSR_ARRAY_LEN(cases); i++) {
        snprintf(path, sizeof(path), "%s.%016zx.tmp", entry, i);
        assert_int_equal(tsr_file_write_atomic(path, data, cases[i].size), TSR_OK);
        set_age(path, cases[i].age);
    }
    tsr_free(data);
    expect("large 9", TSR_CLC_DONE, ""); /* stores a file that brings a sweep */
    for (size_t i = 0; i < TSR_ARRAY_LEN(cases); i++) {
        snprintf(path, sizeof(path), "%s.%016zx.tmp", entry, i);
        assert_int_equal(access(path, F_OK) != 0, cases[i].goes);
    }
}

static void what_a_crash_emptied_is_replaced(void **state)
{
    (void)state;
    expect("source", TSR_CLC_DONE, "");
    char path[400];
    only_entry(path);
    assert_int_equal(truncate(path, 0), 0);
    expect("source", TSR_CLC_DONE, "");
    expect("source", TSR_CLC_DONE, "");
    assert_int_equal(runs(), 2);
}

static void what_others_can_write_is_not_loaded(void **state)
{
    (void)state;
    expect("source", TSR_CLC_DONE, "");
    char path[400];
    only_entry(path);
    assert_int_equal(chmod(path, 0620), 0);
    expect("source", TSR_CLC_DONE, "");
    assert_int_equal(runs(), 2);
    expect("source", TSR_CLC_DONE, "");
    assert_int_equal(runs(), 2); /* another has taken its place */
}

static void another_compiler_is_a_miss(void **state)
{
    (void)state;
    expect("source", TSR_CLC_DONE, "");
    char path[100], command[600];
    snprintf(path, sizeof(path), "%s/cc", scratch);
    snprintf(command, sizeof(command), "cp %s %s", FAKE_COMPILER, path);
    assert_int_equal(system(command), 0);
    setenv("TESSERA_CC", path, 1);
    expect("source", TSR_CLC_DONE, "");
    assert_int_equal(runs(), 2);
}

static void a_hit_is_fast(void **state)
{
    (void)state;
    expect("source", TSR_CLC_DONE, "");
    uint64_t best = UINT64_MAX;
    for (int i = 0; i < 200; i++) {
        uint64_t start = tsr_now_ns();
        struct tsr_clc_result result = run("source");
        uint64_t took = tsr_now_ns() - start;
        tsr_clc_result_free(&result);
        best = took < best ? took : best;
    }
    print_message("hit: %.0f us\n", (double)best / 1e3);
    assert_int_equal(runs(), 1);
    assert_true(best < 500000);
}

int main(void)
{
#define CASE(function) cmocka_unit_test_setup_teardown(function, begin_cached, end)
    const struct CMUnitTest tests[] = {
        CASE(a_second_build_is_a_hit_with_image_and_log),
        CASE(whatever_differs_is_a_miss),
        CASE(results_of_others_are_kept),
        CASE(variables_of_the_compiler_are_in_the_key),
        CASE(failures_and_passing_results_are_not_kept),
        CASE(every_flipped_bit_and_every_length_is_a_miss),
        CASE(an_entry_under_another_name_is_a_miss),
        CASE(a_changed_included_file_is_a_miss),
        CASE(a_folder_that_cannot_be_written_is_still_read),
        CASE(it_stays_below_its_size_and_keeps_what_was_used_last),
        CASE(leftovers_of_dead_writers_go),
        CASE(what_a_crash_emptied_is_replaced),
        CASE(what_others_can_write_is_not_loaded),
        CASE(another_compiler_is_a_miss),
        CASE(a_hit_is_fast),
        CASE(odd_folders_mean_no_cache_and_no_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
