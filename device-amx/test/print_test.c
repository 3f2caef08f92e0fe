/* SPDX-License-Identifier: Apache-2.0
 * printf: a table of formats and packed arguments against the text that OpenCL C asks for, and the order of a launch's text. */
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tessera/printf.h"

#include "harness.h"

/* ---- formatting ---- */

struct pack {
    unsigned char bytes[4096];
    size_t size;
    uint32_t count;
};

static void add(struct pack *p, enum tsr_print_kind kind, unsigned bytes, unsigned count, const void *data)
{
    uint32_t tag = TSR_PRINT_TAG(kind, bytes, count);
    if (!p->size)
        p->size = 8;
    memcpy(p->bytes + p->size, &tag, 4);
    memcpy(p->bytes + p->size + 4, data, (size_t)bytes * count);
    p->size += (4 + (size_t)bytes * count + 7) & ~(size_t)7;
    p->count++;
    memcpy(p->bytes, &p->count, 4);
}

static void check(const char *format, struct pack *p, const char *expected)
{
    struct tsr_buf text = {0};
    tsr__print(&text, format, p->bytes);
    tsr_buf_bytes(&text, "", 1);
    assert_string_equal((const char *)text.data, expected);
    tsr_buf_free(&text);
}

#define CHECK(format, expected, kind, type, ...)                                                                                           \
    do {                                                                                                                                   \
        struct pack pack = {0};                                                                                                            \
        type data[] = {__VA_ARGS__};                                                                                                       \
        add(&pack, kind, sizeof data[0], TSR_ARRAY_LEN(data), data);                                                                       \
        check(format, &pack, expected);                                                                                                    \
    } while (0)
#define INT(format, expected, ...) CHECK(format, expected, TSR_PRINT_INT, int32_t, __VA_ARGS__)
#define FLOAT(format, expected, ...) CHECK(format, expected, TSR_PRINT_FLOAT, double, __VA_ARGS__)

static void test_integers(void **state)
{
    (void)state;
    INT("%d", "-5", -5);
    INT("%i|", "7|", 7);
    INT("%5d|", "   42|", 42);
    INT("%-5d|", "42   |", 42);
    INT("%05d", "-0042", -42);
    INT("%+d", "+1", 1);
    INT("% d", " 1", 1);
    INT("%.3d", "007", 7);
    INT("%u", "4294967295", -1);
    INT("%x", "ffffffff", -1);
    INT("%#X", "0XFF", 255);
    INT("%#o", "017", 15);
    INT("%hhd", "-1", 255);
    INT("%hhu", "255", -1);
    INT("%hd", "-32768", 32768);
    INT("%hx", "8000", 0x18000);
    CHECK("%ld", "-9223372036854775808", TSR_PRINT_INT, int64_t, INT64_MIN);
    CHECK("%lu", "18446744073709551615", TSR_PRINT_INT, int64_t, -1);
    CHECK("%lx", "123456789abcdef0", TSR_PRINT_INT, int64_t, 0x123456789abcdef0);
    CHECK("%zu", "5000000000", TSR_PRINT_INT, int64_t, 5000000000);
    CHECK("%6td|", "    -3|", TSR_PRINT_INT, int64_t, -3);
    INT("%c%%", "A%", 'A');
    INT("%3c|", "  A|", 'A');
}

static void test_vectors(void **state)
{
    (void)state;
    INT("%v4hld", "1,-2,3,-4", 1, -2, 3, -4);
    INT("%v4hlx", "1,2,a,ff", 1, 2, 10, 255);
    INT("%5v2hld|", "    1,    2|", 1, 2);
    CHECK("%v3hhd", "1,-1,127", TSR_PRINT_INT, int8_t, 1, -1, 127);
    CHECK("%v3hhu", "1,255,127", TSR_PRINT_INT, int8_t, 1, -1, 127);
    CHECK("%#v2hx", "0xffff,0x1", TSR_PRINT_INT, int16_t, -1, 1);
    CHECK("%v2ld", "-1,5", TSR_PRINT_INT, int64_t, -1, 5);
    CHECK("%v16hhd", "0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15", TSR_PRINT_INT, int8_t, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    CHECK("%v4hlf", "1.000000,2.500000,-3.000000,0.000000", TSR_PRINT_FLOAT, float, 1, 2.5f, -3, 0);
    CHECK("%.1v2hlf", "0.5,1.5", TSR_PRINT_FLOAT, float, 0.5f, 1.5f);
    CHECK("%v2hle", "1.000000e+00,2.000000e+10", TSR_PRINT_FLOAT, float, 1, 2e10f);
    CHECK("%v2lg", "0.1,1e+100", TSR_PRINT_FLOAT, double, 0.1, 1e100);
    CHECK("%v4hf", "1.000000,-2.000000,0.333252,65504.000000", TSR_PRINT_FLOAT, uint16_t, 0x3c00, 0xc000, 0x3555, 0x7bff);
    CHECK("%v2ha", "0x1p-24,inf", TSR_PRINT_FLOAT, uint16_t, 0x0001, 0x7c00);
}

static void test_floats(void **state)
{
    (void)state;
    FLOAT("%f", "1.500000", 1.5);
    FLOAT("%.2f", "-0.33", -1.0 / 3);
    FLOAT("%10.3f|", "     3.142|", 3.14159265);
    FLOAT("%-10.3f|", "3.142     |", 3.14159265);
    FLOAT("%010.3f", "000003.142", 3.14159265);
    FLOAT("%+.0f", "+2", 2.0);
    FLOAT("%#.0f", "2.", 2.0);
    FLOAT("%e", "1.234568e+05", 123456.789);
    FLOAT("%E", "1.234568E-05", 0.0000123456789);
    FLOAT("%g", "0.0001", 0.0001);
    FLOAT("%G", "1E-05", 0.00001);
    FLOAT("%a", "0x1.8p+0", 1.5);
    FLOAT("%A", "0X1.8P+0", 1.5);
    FLOAT("%f", "inf", INFINITY);
    FLOAT("%F", "-INF", -INFINITY);
    FLOAT("%f", "nan", NAN);
    FLOAT("%f", "nan", -NAN);
    FLOAT("%08f|", "     inf|", INFINITY);
    FLOAT("%G", "NAN", NAN);
    CHECK("%f", "0.100000", TSR_PRINT_FLOAT, float, 0.1f);
}

static void test_others(void **state)
{
    (void)state;
    const char *text = "text";
    CHECK("%s|", "text|", TSR_PRINT_STRING, const char *, text);
    CHECK("%6s|%%", "  text|%", TSR_PRINT_STRING, const char *, text);
    CHECK("%-6s|", "text  |", TSR_PRINT_STRING, const char *, text);
    CHECK("%.2s|", "te|", TSR_PRINT_STRING, const char *, text);
    CHECK("%p", "0x1234", TSR_PRINT_POINTER, uint64_t, 0x1234);
    CHECK("%s", "(no string)", TSR_PRINT_POINTER, uint64_t, 0x1234);
    CHECK(NULL, "(null)", TSR_PRINT_INT, int32_t, 1);
    INT("%y %d", "%y 3", 3);
    INT("%d %d", "3 %d", 3);
    INT("%", "%", 3);
    INT("", "", 3);
    struct pack pack = {0};
    int8_t chars[3] = {1, 2, 3};
    double d = 4;
    int32_t i = 5;
    add(&pack, TSR_PRINT_INT, 1, 3, chars);
    add(&pack, TSR_PRINT_FLOAT, 8, 1, &d);
    add(&pack, TSR_PRINT_INT, 4, 1, &i);
    check("%v3hhd %g %d\n", &pack, "1,2,3 4 5\n");
}

/* ---- kernels ---- */

static struct program programs[2];

/* What running the kernel writes to standard output. */
static char *output_of(struct program *p, const char *kernel, struct tsr_ndrange range, const struct argument *args, size_t count)
{
    fflush(stdout);
    FILE *file = tmpfile();
    int saved = dup(STDOUT_FILENO);
    assert_true(file && saved >= 0 && dup2(fileno(file), STDOUT_FILENO) >= 0);
    int status = program_run(p, kernel, &range, args, count, NULL);
    fflush(stdout);
    dup2(saved, STDOUT_FILENO);
    close(saved);
    assert_int_equal(status, 0);
    long size = ftell(file);
    fseek(file, 0, SEEK_END);
    size = ftell(file);
    rewind(file);
    char *text = calloc(1, (size_t)size + 1);
    assert_int_equal(fread(text, 1, (size_t)size, file), size);
    fclose(file);
    return text;
}

/* An application whose locale writes numbers with a comma: `localedef` makes one. */
static void test_locale(void **state)
{
    (void)state;
    char folder[] = "/tmp/tessera-test-XXXXXX", command[400];
    assert_non_null(mkdtemp(folder));
    snprintf(command, sizeof command,
             "printf 'LC_NUMERIC\\ndecimal_point \",\"\\nthousands_sep \"\"\\ngrouping -1\\nEND LC_NUMERIC\\n' >%s/comma;"
             "localedef -c --no-archive -i %s/comma %s/xx_XX >%s/log 2>&1",
             folder, folder, folder, folder);
    int unused = system(command); /* warns of what is missing */
    (void)unused;
    setenv("LOCPATH", folder, 1);
    bool made = setlocale(LC_NUMERIC, "xx_XX");
    char number[8];
    snprintf(number, sizeof number, "%.1f", 2.5);
    struct pack pack = {0};
    struct tsr_buf text = {0};
    double data[] = {2.5, 0.25};
    add(&pack, TSR_PRINT_FLOAT, sizeof data[0], 2, data);
    tsr__print(&text, "%v2lg", pack.bytes);
    tsr_buf_bytes(&text, "", 1);
    char after[8];
    snprintf(after, sizeof after, "%.1f", 2.5);
    setlocale(LC_NUMERIC, "C");
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
    if (!made)
        skip();
    assert_string_equal(number, "2,5");
    assert_string_equal(after, "2,5");
    assert_string_equal((const char *)text.data, "2.5,0.25");
    tsr_buf_free(&text);
}

static void test_order(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        char *text = output_of(&programs[k], "print_groups", range1(3000, 10), NULL, 0), *at = text;
        for (unsigned i = 0; i < 300; i++) {
            char expected[32];
            int n = snprintf(expected, sizeof expected, "group %u\n", i);
            assert_memory_equal(at, expected, (size_t)n);
            at += n;
        }
        assert_int_equal(*at, 0);
        free(text);
    }
}

struct reader {
    int from;
    struct tsr_buf text;
};

static void *read_slowly(void *argument)
{
    struct reader *reader = argument;
    char bytes[512];
    for (ssize_t size; (size = read(reader->from, bytes, sizeof bytes)) > 0; usleep(1000))
        tsr_buf_bytes(&reader->text, bytes, (size_t)size);
    return NULL;
}

/* Standard output is a pipe that is smaller than the text, and writes to it do not wait. */
static void test_full_pipe(void **state)
{
    (void)state;
    int ends[2], saved = dup(STDOUT_FILENO);
    fflush(stdout);
    assert_return_code(pipe(ends), errno);
    assert_true(fcntl(ends[1], F_SETPIPE_SZ, 4096) >= 0 && fcntl(ends[1], F_SETFL, O_NONBLOCK) == 0 && dup2(ends[1], STDOUT_FILENO) >= 0);
    struct reader reader = {.from = ends[0]};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, read_slowly, &reader), 0);
    struct tsr_ndrange range = range1(30000, 10);
    int status = program_run(&programs[1], "print_groups", &range, NULL, 0, NULL);
    fflush(stdout);
    dup2(saved, STDOUT_FILENO);
    close(saved);
    close(ends[1]);
    pthread_join(thread, NULL);
    close(ends[0]);
    tsr_buf_bytes(&reader.text, "", 1);
    assert_int_equal(status, 0);
    const char *last = strstr((const char *)reader.text.data, "group 2999\n");
    assert_non_null(last);
    assert_int_equal(reader.text.size, 10 * 8 + 90 * 9 + 900 * 10 + 2000 * 11 + 1);
    tsr_buf_free(&reader.text);
}

static void test_barrier(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        char *text = output_of(&programs[k], "print_in_barrier", range1(3, 3), NULL, 0);
        /* Who goes on first after a barrier is open. */
        assert_memory_equal(text, "before 0|before 1|before 2|", 27);
        assert_int_equal(strlen(text), 27 + 3 * 8);
        assert_true(strstr(text, "|after 0|") && strstr(text, "|after 1|") && strstr(text, "|after 2|"));
        free(text);
    }
}

static void test_kinds(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        float x = 1.25f;
        int32_t v[4] = {1, -2, 3, 255};
        int8_t c[4] = {-1, 2, 3, 99};
        void *p = (void *)0xabc0;
        char *text = output_of(&programs[k], "print_kinds", range1(1, 1), (struct argument[]){ARG(x), ARG(v), ARG(c), ARG(p)}, 4);
        assert_string_equal(text, "42  1.25 1,-2,3,255 -1,2,3 ff,2,3 text z %|0xabc0|1,fffffffe,3,ff 0.500000,-1.000000 0x1p+0\n0\n");
        free(text);
    }
}

static int load(void **state)
{
    (void)state;
    program_load(&programs[0], "kernels-O0");
    program_load(&programs[1], "kernels-O2");
    return 0;
}

static int unload(void **state)
{
    (void)state;
    program_free(&programs[0]);
    program_free(&programs[1]);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_integers),  cmocka_unit_test(test_vectors), cmocka_unit_test(test_floats),
        cmocka_unit_test(test_others),    cmocka_unit_test(test_locale),  cmocka_unit_test(test_order),
        cmocka_unit_test(test_full_pipe), cmocka_unit_test(test_barrier), cmocka_unit_test(test_kinds),
    };
    return cmocka_run_group_tests(tests, load, unload);
}
