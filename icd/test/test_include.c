/* SPDX-License-Identifier: Apache-2.0
 * Programs that read files, and the disk cache: each build gives what it would give without a cache, whatever came, went or changed among
 * the files that it looks for. */
#include <sys/stat.h>
#include <unistd.h>

#include "icd/test/cl_test.h"

static char folder[] = "/tmp/tessera-include-XXXXXX";
static struct test_world world;

static void shell(const char *command)
{
    if (system(command))
        fail_msg("%s failed", command);
}

static cl_int run(cl_program program)
{
    cl_int value = 0;
    const size_t one = 1;
    cl_kernel kernel = test_kernel(program, "k");
    cl_mem buffer = test_buffer(world.context, 0, sizeof(value), NULL);
    CHECK(clSetKernelArg(kernel, 0, sizeof(buffer), &buffer));
    CHECK(clEnqueueNDRangeKernel(world.queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
    CHECK(clEnqueueReadBuffer(world.queue, buffer, CL_TRUE, 0, sizeof(value), &value, 0, NULL, NULL));
    CHECK(clReleaseMemObject(buffer));
    CHECK(clReleaseKernel(kernel));
    return value;
}

enum { NONE = -1 };

/* What the kernel of the source writes; NONE if it does not build. */
static cl_int value_of(const char *source, const char *options)
{
    cl_program program;
    CHECK_CREATE(program, clCreateProgramWithSource(world.context, 1, &source, NULL, &err), CL_SUCCESS);
    cl_int err = clBuildProgram(program, 1, &world.device, options, NULL, NULL), value = NONE;
    if (err == CL_SUCCESS)
        value = run(program);
    else
        CHECK_THAT(err == CL_BUILD_PROGRAM_FAILURE);
    CHECK(clReleaseProgram(program));
    return value;
}

#define KERNEL(expression) "\nkernel void k(global int *p) { *p = " expression "; }"
#define V_H "#include \"v.h\"" KERNEL("V")
#define HAS_INCLUDE(name) "#if __has_include(" name ")\n#define V 1\n#else\n#define V 0\n#endif" KERNEL("V")

enum { MOST_STEPS = 5 };
/* In a folder of its own with empty folders a and b. FOLDER in the source stands for it. */
static const struct {
    const char *source, *options;
    struct {
        const char *command; /* for the shell */
        int value;
    } steps[MOST_STEPS];
} cases[] = {
    /* headers that come earlier on the path, and go again */
    {V_H, "-Ia -Ib", {{"echo '#define V 2' > b/v.h", 2}, {"echo '#define V 1' > a/v.h", 1}, {"rm a/v.h", 2}, {"rm b/v.h", NONE}}},
    {V_H,
     "-Ia -Ib",
     {{"echo '#define V 2' > v.h", 2}, {"echo '#define V 1' > b/v.h", 1}, {"rm b/v.h && mkfifo b/v.h", 2}, {"mkdir a/v.h", 2}}},
    {V_H,
     "-Ia -Ib",
     {{"mkfifo a/v.h && ln -s /dev/zero b/v.h && echo '#define V 2' > v.h", 2}, {"rm b/v.h", 2}, {"rm a/v.h && touch a/v.h", NONE}}},
    {V_H, "-IFOLDER/a -IFOLDER/b", {{"echo '#define V 2' > b/v.h", 2}, {"echo '#define V 1' > a/v.h", 1}}},
    /* a folder of the path comes */
    {V_H,
     "-Ic -Ib",
     {{"echo '#define V 2' > b/v.h", 2}, {"mkdir c && echo '#define V 1' > c/v.h", 1}, {"mv c d && ln -s d c", 1}, {"rm c", 2}}},
    {"#include \"sub/v.h\"" KERNEL("V"),
     "-Ia -Ib",
     {{"mkdir b/sub && echo '#define V 2' > b/sub/v.h", 2}, {"mkdir a/sub", 2}, {"echo '#define V 1' > a/sub/v.h", 1}}},
    /* content */
    {V_H, "", {{"echo '#define V 1' > v.h", 1}, {"echo '#define V 2' > v.h", 2}, {"echo '#define V 3' > a/v.h && ln -sf a/v.h v.h", 3}}},
    {V_H,
     "-w",
     {{"echo '#define V 1' > v.h", 1},
      {"rm v.h && mkfifo v.h", NONE},
      {"rm v.h && ln -s /dev/zero v.h", NONE},
      {"rm v.h && mkdir v.h", NONE}}},
    /* two levels */
    {"#include \"one.h\"" KERNEL("V"),
     "-Ia -Ib",
     {{"echo '#include <v.h>' > b/one.h && echo '#define V 1' > b/v.h", 1},
      {"echo '#define V 2' > b/v.h", 2},
      {"echo '#define V 3' > a/v.h", 3}}},
    {"#include \"b/one.h\"" KERNEL("V"),
     "",
     {{"echo '#include \"v.h\"' > b/one.h && echo '#define V 1' > v.h", 1}, {"echo '#define V 2' > b/v.h", 2}, {"rm b/v.h", 1}}},
    /* #include_next */
    {V_H,
     "-Ia -Ib -Ic",
     {{"echo '#include_next <v.h>' > a/v.h && mkdir c && echo '#define V 3' > c/v.h", 3},
      {"echo '#define V 2' > b/v.h", 2},
      {"rm b/v.h", 3}}},
    /* one folder under two names is searched once */
    {V_H,
     "-Ia -Id -Ic",
     {{"echo '#include_next <v.h>' > a/v.h && ln -s a d && mkdir c && echo '#define V 3' > c/v.h", 3},
      {"rm d && mkdir d && echo '#define V 2' > d/v.h", 2}}},
    /* one file under two names is read once */
    {"#include \"a/v.h\"\n#include \"b/v.h\"" KERNEL("V - 1"),
     "-w",
     {{"printf '#pragma once\\n#ifdef V\\n#undef V\\n#define V 2\\n#else\\n#define V 1\\n#endif\\n' > a/v.h && ln a/v.h b/v.h", 0},
      {"cp a/v.h v.h && mv v.h b/v.h", 1}}},
    /* __has_include */
    {HAS_INCLUDE("\"opt.h\""),
     "",
     {{":", 0}, {"touch opt.h", 1}, {"rm opt.h", 0}, {"mkdir opt.h", 0}, {"rmdir opt.h && ln -s a opt.h", 0}}},
    {HAS_INCLUDE("<opt.h>"), "-Ia", {{":", 0}, {"touch a/opt.h", 1}, {"echo 1 > a/opt.h", 1}, {"mv a/opt.h b", 0}}},
    {HAS_INCLUDE("\"FOLDER/c/opt.h\""), "", {{":", 0}, {"mkdir c", 0}, {"touch c/opt.h", 1}, {"rm -r c", 0}}},
    {"#include \"one.h\"" KERNEL("V"),
     "-Ia",
     {{"printf '#if __has_include(<opt.h>)\\n#define V 1\\n#else\\n#define V 0\\n#endif\\n' > b/one.h && ln -s ../b/one.h a/one.h", 0},
      {"touch a/opt.h", 1},
      {"rm a/opt.h", 0}}},
    /* #embed */
    {"constant char t[] = {\n#embed \"data.bin\"\n};" KERNEL("t[0]"),
     "-w",
     {{"printf A > data.bin", 'A'}, {"printf B > data.bin", 'B'}, {"rm data.bin", NONE}}},
    {"constant char t[] = {\n#embed \"FOLDER/data.bin\"\n};" KERNEL("t[0]"),
     "-w",
     {{"printf A > data.bin", 'A'}, {"printf B > data.bin", 'B'}}},
    {"#include \"a/one.h\"" KERNEL("t[0]"),
     "-w",
     {{"printf 'constant char t[] = {\\n#embed \"data.bin\"\\n};\\n' > a/one.h && printf A > data.bin", 'A'},
      {"printf B > a/data.bin", 'B'}}},
    /* the compiler's own headers are none of the application's */
    {KERNEL("2"),
     "-Ia -I.",
     {{"echo '#error' > a/opencl-c-base.h && cp a/opencl-c-base.h . && mkdir .builtin && cp a/opencl-c-base.h .builtin/ &&"
       " cp a/opencl-c-base.h .builtin/tessera-opencl.h",
       2}}},
    /* a directive on two lines */
    {"#inc\\\nlude \"v.h\"" KERNEL("V"), "", {{"echo '#define V 1' > v.h", 1}, {"echo '#define V 2' > v.h", 2}}},
};

/* The text with the folder in the place of FOLDER, to be freed. */
static char *with_folder(const char *text, const char *path)
{
    const char *at = strstr(text, "FOLDER");
    char *out = malloc(2 * strlen(text) + 2 * strlen(path) + 1), *end = out;
    assert_non_null(out);
    for (; at; text = at + 6, at = strstr(text, "FOLDER"))
        end += sprintf(end, "%.*s%s", (int)(at - text), text, path);
    strcpy(end, text);
    return out;
}

static void enter(const char *name)
{
    char path[100];
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    assert_int_equal(chdir(folder), 0);
    shell("rm -rf work && mkdir work work/a work/b");
    assert_int_equal(chdir(path), 0);
}

static void what_is_found_is_what_is_built(void **state)
{
    (void)state;
    char here[100];
    snprintf(here, sizeof(here), "%s/work", folder);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char *source = with_folder(cases[i].source, here), *options = with_folder(cases[i].options, here);
        enter("work");
        for (int s = 0; s < MOST_STEPS && cases[i].steps[s].command; s++) {
            shell(cases[i].steps[s].command);
            for (int round = 0; round < 2; round++) {
                int value = value_of(source, options);
                if (value != cases[i].steps[s].value)
                    fail_msg("%s\noptions %s, after %s, build %d: %d, expected %d", source, options, cases[i].steps[s].command, round,
                             value, cases[i].steps[s].value);
            }
        }
        free(source);
        free(options);
    }
}

static void the_working_directory_counts_at_each_build(void **state)
{
    (void)state;
    enter("work");
    shell("echo '#define V 1' > a/v.h && echo '#define V 2' > b/v.h && mkdir a/i b/i && echo '#define W 3' > a/i/w.h && echo '#define W 4' "
          "> b/i/w.h");
    for (int round = 0; round < 2; round++) {
        assert_int_equal(chdir("a"), 0);
        assert_int_equal(value_of(V_H, ""), 1);
        assert_int_equal(value_of("#include <w.h>" KERNEL("W"), "-Ii"), 3);
        assert_int_equal(chdir("../b"), 0);
        assert_int_equal(value_of(V_H, ""), 2);
        assert_int_equal(value_of("#include <w.h>" KERNEL("W"), "-Ii"), 4);
        assert_int_equal(chdir(".."), 0);
        assert_int_equal(value_of(V_H, ""), NONE);
    }
    shell("mkdir gone");
    assert_int_equal(chdir("gone"), 0);
    shell("rmdir ../gone");
    assert_int_equal(value_of(V_H, ""), NONE);
    assert_int_equal(value_of(KERNEL("7"), ""), 7);
}

/* A header of clCompileProgram that reads files of the disk. */
static void given_headers(void **state)
{
    (void)state;
    static const char *const source = "#include \"given.h\"" KERNEL("V"), *const name = "given.h";
    static const char *const texts[] = {"#include \"v.h\"\n", "#define V 9\n"};
    static const struct {
        const char *command;
        int text, value;
    } steps[] = {
        {"echo '#define V 1' > v.h", 0, 1},     {"echo '#define V 2' > v.h", 0, 2},       {"echo '#define V 3' > a/v.h", 0, 3},
        {"echo '#define V 4' > given.h", 1, 9}, {"echo '#define V 5' > a/given.h", 0, 3}, {"rm a/v.h", 0, 2},
    };
    enter("work");
    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
        shell(steps[i].command);
        for (int round = 0; round < 2; round++) {
            cl_program program, header, linked;
            CHECK_CREATE(program, clCreateProgramWithSource(world.context, 1, (const char **)&source, NULL, &err), CL_SUCCESS);
            CHECK_CREATE(header, clCreateProgramWithSource(world.context, 1, (const char **)&texts[steps[i].text], NULL, &err), CL_SUCCESS);
            CHECK(clCompileProgram(program, 1, &world.device, "-Ia", 1, &header, (const char **)&name, NULL, NULL));
            CHECK_CREATE(linked, clLinkProgram(world.context, 1, &world.device, "", 1, &program, NULL, NULL, &err), CL_SUCCESS);
            int value = run(linked);
            if (value != steps[i].value)
                fail_msg("after %s, build %d: %d, expected %d", steps[i].command, round, value, steps[i].value);
            CHECK(clReleaseProgram(linked));
            CHECK(clReleaseProgram(header));
            CHECK(clReleaseProgram(program));
        }
    }
}

/* A folder on the search path in which no file can be looked for, as the names would be too long. A folder that the user may not enter is
 * another, but root may enter each. */
static void a_folder_that_refuses(void **state)
{
    (void)state;
    enum { LONGEST = 4095, PART = 200, ROOM = 10 };
    char path[LONGEST + 1], name[PART + 1], options[LONGEST + 10];
    memset(name, 'x', PART);
    name[PART] = 0;
    enter("work");
    int length = snprintf(path, sizeof(path), "%s/work", folder);
    while (length + 1 + ROOM < LONGEST) {
        if (length + 1 + PART + ROOM > LONGEST)
            name[LONGEST - ROOM - length - 1] = 0;
        assert_int_equal(mkdir(name, 0700), 0);
        assert_int_equal(chdir(name), 0);
        length += snprintf(path + length, sizeof(path) - (size_t)length, "/%s", name);
    }
    shell("echo '#define V 5' > v.h");
    snprintf(options, sizeof(options), "-I%s", path);
    assert_int_equal(value_of(KERNEL("4"), options), 4);
    assert_int_equal(value_of(V_H, options), 5);
    assert_int_equal(value_of(KERNEL("4"), "-I."), 4);
    assert_int_equal(value_of("#include \"longer_name.h\"" KERNEL("V"), options), NONE);
}

static int set_up(void **state)
{
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    setenv("TESSERA_CACHE", "1", 1);
    setenv("TESSERA_CACHE_DIR", folder, 1);
    world = test_begin(0);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    char command[60];
    test_end(&world);
    snprintf(command, sizeof(command), "rm -rf %s", folder);
    return chdir("/") || system(command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_found_is_what_is_built),
        cmocka_unit_test(the_working_directory_counts_at_each_build),
        cmocka_unit_test(given_headers),
        cmocka_unit_test(a_folder_that_refuses),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
