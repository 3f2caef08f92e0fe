/* SPDX-License-Identifier: Apache-2.0
 * Programs and what becomes of them: what is accepted as it was by older compilers, what is refused and in which words. */
#include "clc/service/test/service_test.h"

enum { GOOD = TSR_CLC_DONE, BAD = TSR_CLC_FAILED };

/* A program, its outcome, and what the log says; "" where it says nothing. */
struct program {
    const char *source, *options;
    enum tsr_clc_outcome outcome;
    const char *log;
};

static void try_all(const struct program *cases, size_t count)
{
    int wrong = 0;
    for (size_t i = 0; i < count; i++) {
        struct answer answer = compile(TSR_CLC_BUILD, cases[i].source, cases[i].options);
        bool quiet = !*cases[i].log && *answer.result.log && !strstr(answer.result.log, "note: kernel");
        if (quiet || answer.result.outcome != cases[i].outcome || !strstr(answer.result.log, cases[i].log))
            wrong++, print_error("with \"%s\":\n%s\noutcome %d, not %d, or no \"%s\" in the log:\n%s", cases[i].options, cases[i].source,
                                 (int)answer.result.outcome, (int)cases[i].outcome, cases[i].log, answer.result.log);
        end(&answer);
    }
    assert_int_equal(wrong, 0);
}

/* Programs of which clang of today refuses more than its forerunners did, and those that are no OpenCL C. */
static void language(void **state)
{
    (void)state;
    static const struct program cases[] = {
        /* old C: warnings, and errors with -Werror */
        {"kernel void k(global int *o) { global int4 *t = o; t[0] = 1; }", "", GOOD, "warning: incompatible pointer types"},
        {"kernel void k(global int *o) { global int4 *t = o; t[0] = 1; }", "-Werror", BAD, "error: incompatible pointer types"},
        {"kernel void k(global int *o) { global int4 *t = o; t[0] = 1; }", "-w", GOOD, ""},
        {"kernel void k(global int *o) { global int4 *t = o; t[0] = 1; }", "-Werror=incompatible-pointer-types", BAD,
         "error: incompatible"},
        {"kernel void k(global int *o) { long a = o; *o = a; }", "", GOOD, "warning: incompatible pointer to integer"},
        {"kernel void k(global int *o) { global int *p = (ulong)o; *p = 1; }", "", GOOD, "warning: incompatible integer to pointer"},
        {"kernel void k(global int *o, global const int *c) { global int *p = c; *o = *p; }", "", GOOD, "warning: initializing"},
        {"kernel void k(global int *o, constant int *c) { const constant int *p = c; *o = *p; }", "", GOOD, ""},
        {"kernel void k(global int *o, constant int *c) { global int *p = c; *o = *p; }", "", BAD, "changes address space"},
        {"f(int a) { return a; } kernel void k(global int *o) { *o = f(1); }", "", GOOD, "warning: type specifier missing"},
        {"kernel void k(global int *o) { *o = f(1); } int f(int a) { return a; }", "", GOOD,
         "input.cl:1:37: warning: call to undeclared function 'f'"},
        {"kernel void k(global int *o) { *o = (f(1)); } int f(int a) { return a; }", "-w", GOOD, ""},
        {"kernel void k(global int *o) { *o = f(1); } int f(int a) { return a; }", "-Werror", BAD,
         "error: call to undeclared function 'f'"},
        {"kernel void k(global int *o) { f(1); *o = f(2); }", "", BAD, "undefined reference to 'f' in 'k'"},
        {"#define C(x) x(1)\nkernel void k(global int *o) { *o = C(f); }\n", "", BAD, "use of undeclared identifier 'f'"},
        {"kernel void k(global int *o) { *o = f; }", "", BAD, "use of undeclared identifier 'f'"},
        {"kernel void k(global float *o) { *o = (sin(*o)) + (float)(cos(*o)); }", "", GOOD, ""}, /* built-in functions need none */
        {"kernel void k(global int *o) { *o = __builtin_nothing(1); }", "", BAD, "__builtin_nothing"},
        {"kernel void k(global int *o) { *o = sub_group_nothing(1); }", "-w", BAD, "sub_group_nothing"},
        /* warnings that are asked for */
        {"kernel void k(global int *o) { int unused; *o = 1; }\n", "", GOOD, ""},
        {"kernel void k(global int *o) { int unused; *o = 1; }\n", "-Wall", GOOD, "unused variable"},
        {"kernel void k(global int *o) { int unused; *o = 1; }\n", "-Wall -Wno-unused-variable", GOOD, ""},
        {"kernel void k(global int *o) { int unused; *o = 1; }\n", "-Werror=unused-variable", BAD, "error: unused variable"},
        {"kernel void k(global int *o) { *o = 1; }\n", "-Wno-such-warning -pedantic -Wextra", GOOD, "unknown warning option"},
        /* recursion */
        {"int f(int a) { return a < 2 ? 1 : a * f(a - 1); }\nkernel void k(global int *o) { *o = f(*o); }", "", BAD,
         "input.cl:1:39: error: 'f' calls itself: OpenCL C has no recursion"},
        {"int f(int a);\nint g(int a) { return f(a); }\nint f(int a) { return a ? g(a - 1) : 0; }\nkernel void k(global int *o) { *o = "
         "f(*o); }",
         "", BAD, "input.cl:2:23: error: 'f' calls itself through 'g'"},
        {"kernel void k(global int *o) { if (*o) k(o); }", "", BAD, "'k' calls itself"},
        {"int f(int a) { return a ? f(a - 1) : 0; }\nkernel void k(global int *o) { *o = 1; }", "", GOOD, ""}, /* nobody calls it */
        {"int f(int a) { return a; }\nint g(int a) { return f(a) + f(1); }\nkernel void k(global int *o) { *o = f(1) + g(1) + g(2); }", "",
         GOOD, ""},
        /* assembly */
        {"kernel void k(global int *o) { asm(\"nop\"); }", "", BAD, "inline assembly is not part of OpenCL C"},
        {"kernel void k(global int *o) { __asm__ volatile(\"nop\"); }", "", BAD, "inline assembly is not part of OpenCL C"},
        {"__asm__(\".globl x\");\nkernel void k(global int *o) { *o = 1; }", "", BAD, "inline assembly is not part of OpenCL C"},
        {"kernel void k(global int *o) { int asm = 1; *o = asm; }", "", GOOD, ""},
        /* attributes */
        {"int f(int a) { return a; } int g(int) __attribute__((alias(\"f\")));\nkernel void k(global int *o) { *o = g(1); }", "", GOOD, ""},
        {"int g(int) __attribute__((ifunc(\"r\")));\nkernel void k(global int *o) { *o = g(1); }", "", BAD, "'ifunc' ignored"},
        {"__attribute__((weak)) int f(int);\nkernel void k(global int *o) { *o = f(1); }", "", BAD, "undefined reference to 'f'"},
        {"__attribute__((weak, visibility(\"hidden\"))) int f(int a) { return a; }\nkernel void k(global int *o) { *o = f(1); }", "", GOOD,
         ""},
        {"__attribute__((section(\".init_array\"))) constant long a = 1;\nkernel void k(global int *o) { *o = a; }", "", GOOD,
         "warning: 'a': attribute 'section' is ignored"},
        {"__attribute__((constructor)) void f(void) {}\nkernel void k(global int *o) { *o = 1; }", "", BAD, "__attribute__((constructor))"},
        {"__attribute__((destructor)) void f(void) {}\nkernel void k(global int *o) { *o = 1; }", "", BAD, "__attribute__((destructor))"},
        {"__attribute__((naked)) void f(void) {}\nkernel void k(global int *o) { f(); }", "", GOOD, "'f': attribute 'naked' is ignored"},
        /* arguments on both sides of the limit */
        {"struct s { char c[4080]; };\nkernel void k(struct s big, global char *o, ulong i) { *o = big.c[i]; }", "", GOOD, ""},
        {"struct s { char c[4080]; };\nkernel void k(struct s big, global char *o, ulong i, char j) { *o = big.c[i + j]; }", "", BAD,
         "kernel 'k': its arguments take 4097 bytes, and CL_DEVICE_MAX_PARAMETER_SIZE is 4096; the largest is argument 0, 'big', 4080 "
         "bytes"},
        {"struct s { char c[1 << 20]; };\nkernel void k(struct s big, global char *o) { *o = big.c[1]; }", "", BAD, "'big', 1048576 bytes"},
        /* texts that are hardly programs */
        {"", "", GOOD, ""},
        {"/* nothing */", "", GOOD, ""},
        {"\xef\xbb\xbfkernel void k(global int *o) { *o = 1; }", "", GOOD, ""},
        {"#define A \\\r\n 1\r\nkernel void k(global int *o)\r\n{\r\n*o = A;\r\n}\r\n", "", GOOD, ""},
        {"kernel void main(global int *o) { *o = 1; }", "", BAD, "cannot be called 'main'"},
        {"kernel void memcpy(global int *o) { *o = 1; }", "", GOOD, ""},
        {"kernel void gr\xc3\xb6\xc3\x9f\x65(global int *\xc3\xb6) { *\xc3\xb6 = 1; }", "", GOOD, ""},
        {"#if __has_embed(\"x\")\n#endif\n", "", BAD, "'__has_embed' is not defined"},
        {"#ifdef __has_embed\n#error\n#endif\n", "", GOOD, ""},
        {"constant char t[] = {\n#embed \"none.bin\"\n};\n", "", BAD, "'none.bin' file not found"},
    };
    try_all(cases, TSR_ARRAY_LEN(cases));
}

static void cxx(void **state)
{
    (void)state;
    static const struct program cases[] = {
        {"template <class T> T f(T x) { return x; }\nkernel void k(global int *o) { *o = f(1); }", "-cl-std=CLC++", GOOD, ""},
        {"template <class T> T f(T x) { return x; }\nkernel void k(global int *o) { *o = f(1); }", "", BAD, "template"},
        {"struct S { int a; S() { a = 5; } };\nglobal S s;\nkernel void k(global int *o) { *o = s.a; }", "-cl-std=CLC++2021", BAD,
         "input.cl:2:10: error: declaration requires a global constructor"},
        {"struct S { int a; S() { a = 5; } };\nglobal S s;\nkernel void k(global int *o) { *o = s.a; }", "-cl-std=CLC++ -w", BAD,
         "error: a variable of the program has a constructor or destructor that has to run"},
        {"struct S { int a; ~S() { a = 5; } };\nglobal S s;\nkernel void k(global int *o) { *o = s.a; }", "-cl-std=CLC++", BAD,
         "input.cl:2:10: error: declaration requires a"},
        {"struct S { int a; constexpr S() : a(5) {} };\nglobal S s;\nkernel void k(global int *o) { *o = s.a; }", "-cl-std=CLC++", GOOD,
         ""},
        {"struct S { int a; S(int n) { a = n; } };\nkernel void k(global int *o, int n) { global static S s(n); *o = s.a; }",
         "-cl-std=CLC++ -w", BAD, "guard variable"},
        {"kernel void k(global int *o) { *o = f(1); }", "-cl-std=CLC++", BAD, "use of undeclared identifier 'f'"},
        {"kernel void k(global int *o) { throw 1; }", "-cl-std=CLC++", BAD, "exceptions"},
        {"struct S { virtual int f(); };\nkernel void k(global int *o) { *o = 1; }", "-cl-std=CLC++", BAD, "virtual"},
    };
    try_all(cases, TSR_ARRAY_LEN(cases));
}

/* #embed finds what #include finds on the disk, and the result names the file as one that was read. */
static void embedded_files(void **state)
{
    (void)state;
    char *path = tsr_format("%s/embedded.bin", folder), *option = tsr_format("-I%s -Wno-c23-extensions", folder);
    assert_int_equal(tsr_file_write_atomic(path, "ABC", 3), TSR_OK);
    static const char source[] =
        "constant char t[] = {\n#embed \"embedded.bin\"\n};\nkernel void k(global int *o) { *o = t[*o] + sizeof t; }\n";
    const char *const options[] = {option, "-Wno-c23-extensions"}; /* by its folder, and where the application stands */
    for (size_t i = 0; i < TSR_ARRAY_LEN(options); i++) {
        struct answer answer = compile(TSR_CLC_BUILD, source, options[i]);
        expect(&answer, TSR_CLC_DONE, NULL);
        unsigned read = 0;
        for (uint32_t k = 0; k < answer.result.file_count; k++)
            if (answer.result.files[k].found == TSR_WIRE_READ) {
                assert_string_equal(answer.result.files[k].path, path);
                read++;
            }
        assert_int_equal(read, 1);
        end(&answer);
    }
    unlink(path);
    tsr_free(path);
    tsr_free(option);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(language), cmocka_unit_test(cxx), cmocka_unit_test(embedded_files)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
