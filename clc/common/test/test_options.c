/* SPDX-License-Identifier: Apache-2.0
 * Build options: every one in the calls that take it, and refusals by name. */
#include "clc/common/options.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void refused(enum tsr_clc_op op, const char *text, const char *word)
{
    char *why = tsr_clc_check_options(op, TSR_CLC_OPENCL_C, text);
    assert_non_null(why);
    if (!strstr(why, word))
        fail_msg("\"%s\" does not name \"%s\"", why, word);
    tsr_free(why);
}

static void accepted(enum tsr_clc_op op, const char *text)
{
    char *why = tsr_clc_check_options(op, TSR_CLC_OPENCL_C, text);
    if (why)
        fail_msg("\"%s\": %s", text ? text : "(null)", why);
}

/* The specification's lists, written down a second time. */
static void takers(void **state)
{
    (void)state;
    static const struct {
        const char *word;
        bool source, link;
    } all[] = {
        {"-cl-single-precision-constant", true, false},
        {"-cl-denorms-are-zero", true, true},
        {"-cl-fp32-correctly-rounded-divide-sqrt", true, false},
        {"-cl-opt-disable", true, false},
        {"-cl-strict-aliasing", true, false},
        {"-cl-mad-enable", true, false},
        {"-cl-no-signed-zeros", true, true},
        {"-cl-unsafe-math-optimizations", true, true},
        {"-cl-finite-math-only", true, true},
        {"-cl-fast-relaxed-math", true, true},
        {"-cl-uniform-work-group-size", true, false},
        {"-cl-no-subgroup-ifp", true, true},
        {"-cl-kernel-arg-info", true, false},
        {"-cl-intel-256-GRF-per-thread", true, false},
        {"-cl-intel-128-GRF-per-thread", true, false},
        {"-cl-intel-enable-auto-large-GRF-mode", true, false},
        {"-cl-intel-greater-than-4GB-buffer-required", true, false},
        {"-w", true, false},
        {"-Werror", true, false},
        {"-g", true, false},
        {"-create-library", false, true},
        {"-create-library -enable-link-options", false, true},
        {"-W", true, false},
        {"-Wall", true, false},
        {"-Wextra", true, false},
        {"-Wl", true, false},
        {"-Wno-unused", true, false},
        {"-Werror=all", true, false},
        {"-Weverything", true, false},
        {"-pedantic", true, false},
        {"-pedantic-errors", true, false},
        {"-DX", true, false},
        {"-D X=1", true, false},
        {"-I.", true, false},
        {"-I /usr/include", true, false},
        {"-cl-std=CL1.0", true, false},
        {"-cl-std=CL1.1", true, false},
        {"-cl-std=CL1.2", true, false},
        {"-cl-std=CL3.0", true, false},
        {"-cl-std=CL3.1", true, false},
    };
    for (size_t i = 0; i < TSR_ARRAY_LEN(all); i++) {
        for (enum tsr_clc_op op = TSR_CLC_BUILD; op <= TSR_CLC_LINK; op++) {
            if (op == TSR_CLC_LINK ? all[i].link : all[i].source) {
                accepted(op, all[i].word);
            } else {
                char first[64];
                snprintf(first, sizeof first, "%.*s", (int)strcspn(all[i].word, " "), all[i].word);
                refused(op, all[i].word, first);
            }
        }
    }
}

static void refusals(void **state)
{
    (void)state;
    refused(TSR_CLC_BUILD, "-w -cl-foo -g", "-cl-foo");
    refused(TSR_CLC_BUILD, "-cl-intel-512-GRF-per-thread", "-cl-intel-512-GRF-per-thread");
    refused(TSR_CLC_BUILD, "-x spir", "-x");
    refused(TSR_CLC_BUILD, "-cl-std=CL3.2", "-cl-std=CL3.2");
    refused(TSR_CLC_BUILD, "-cl-std=CL2.1", "CL1.2"); /* says what there is */
    refused(TSR_CLC_BUILD, "-cl-std=", "-cl-std=");
    refused(TSR_CLC_BUILD, "-O3", "-O3");
    refused(TSR_CLC_BUILD, "-O3", "-cl-fast-relaxed-math"); /* says what there is */
    refused(TSR_CLC_LINK, "-O3", "-create-library");
    refused(TSR_CLC_BUILD, "-Wl,-z,now", "-Wl,-z,now");
    refused(TSR_CLC_BUILD, "-Wa,--x", "-Wa,--x");
    refused(TSR_CLC_BUILD, "-Wp,-D", "-Wp,-D");
    refused(TSR_CLC_BUILD, "-pedanticx", "-pedanticx");
    refused(TSR_CLC_BUILD, "-wx", "-wx");
    refused(TSR_CLC_BUILD, "file.cl", "file.cl");
    refused(TSR_CLC_BUILD, "-D", "-D");
    refused(TSR_CLC_BUILD, "-I", "-I");
    refused(TSR_CLC_BUILD, "-D 1X", "1X");
    refused(TSR_CLC_BUILD, "-D \"A B\"", "A B");
    refused(TSR_CLC_BUILD, "-w \"-I a", "quote");
    refused(TSR_CLC_BUILD, "-cl-std=CL1.2x", "CL1.2x");
    refused(TSR_CLC_LINK, "-enable-link-options", "-create-library");
}

/* What says something about the text of a source is ignored for SPIR-V, whatever it says; the rest is judged as ever. */
static void options_of_spirv(void **state)
{
    (void)state;
    static const char *const ignored[] = {"-D 1X -I. -DA=1", "-cl-std=CL2.0", "-cl-std=", "-w -Werror -Wall -pedantic",
                                          "-cl-single-precision-constant"};
    static const char *const refused_too[] = {"-cl-foo", "-x spir", "-O3", "-D", "-vc-codegen", "-create-library", "\"-w"};
    for (enum tsr_clc_op op = TSR_CLC_BUILD; op <= TSR_CLC_COMPILE; op++) {
        struct tsr_clc_options options;
        char *why;
        for (size_t i = 0; i < TSR_ARRAY_LEN(ignored); i++) {
            assert_int_equal(tsr_clc_options_parse(op, TSR_CLC_SPIRV, ignored[i], &options, &why), TSR_OK);
            assert_int_equal(options.word_count, 0);
            tsr_clc_options_free(&options);
        }
        for (size_t i = 0; i < TSR_ARRAY_LEN(refused_too); i++) {
            assert_int_equal(tsr_clc_options_parse(op, TSR_CLC_SPIRV, refused_too[i], &options, &why), TSR_INVALID);
            assert_non_null(why);
            tsr_free(why);
        }
        assert_int_equal(tsr_clc_options_parse(op, TSR_CLC_SPIRV, "-DA -cl-fast-relaxed-math", &options, &why), TSR_OK);
        assert_true(tsr_clc_option_set(&options, TSR_CLC_OPTION_FAST_MATH));
        tsr_clc_options_free(&options);
    }
}

static void empty(void **state)
{
    (void)state;
    for (enum tsr_clc_op op = TSR_CLC_BUILD; op <= TSR_CLC_LINK; op++) {
        accepted(op, NULL);
        accepted(op, "");
        accepted(op, " \t\n ");
    }
}

static void words(void **state)
{
    (void)state;
    struct tsr_clc_options options;
    char *why;
    const char *text = "-DA -D B=2  -D \"C=x y\" '-DD=\"q\"' -DE=\\\"s\\\" -I dir -I\"with space\" -DF=a\\b -D G(x)=x";
    assert_int_equal(tsr_clc_options_parse(TSR_CLC_BUILD, TSR_CLC_OPENCL_C, text, &options, &why), TSR_OK);
    static const char *const expected[] = {"-DA",   "-DB=2",        "-DC=x y",  "-DD=\"q\"", "-DE=\"s\"",
                                           "-Idir", "-Iwith space", "-DF=a\\b", "-DG(x)=x"};
    assert_int_equal(options.word_count, TSR_ARRAY_LEN(expected));
    for (size_t i = 0; i < TSR_ARRAY_LEN(expected); i++)
        assert_string_equal(options.words[i], expected[i]);
    assert_int_equal(options.c_version, 120);
    tsr_clc_options_free(&options);
}

static void values(void **state)
{
    (void)state;
    struct tsr_clc_options options;
    char *why;
    assert_int_equal(tsr_clc_options_parse(TSR_CLC_COMPILE, TSR_CLC_OPENCL_C, "-cl-std=CL1.1 -g -cl-std=CL3.0", &options, &why), TSR_OK);
    assert_int_equal(options.c_version, 300);
    assert_true(tsr_clc_option_set(&options, TSR_CLC_OPTION_DEBUG_INFO));
    assert_false(tsr_clc_option_set(&options, TSR_CLC_OPTION_ARG_INFO));
    tsr_clc_options_free(&options);
}

static void versions(void **state)
{
    (void)state;
    static const unsigned expected[] = {100, 110, 120, 200, 300, 310, 0};
    for (uint32_t i = 0; i < TSR_ARRAY_LEN(expected); i++)
        assert_int_equal(tsr_clc_c_version(i), expected[i]);
}

/* The device's words are words, and the compiler can split them. */
static void macros(void **state)
{
    (void)state;
    struct tsr_clc_words split;
    assert_int_equal(tsr_clc_words_split(tsr_clc_all_macros(), &split), TSR_OK);
    assert_true(split.count >= 1);
    assert_string_equal(split.at[0], "-cl-ext=-all");
    for (uint32_t i = 1; i < split.count; i++)
        assert_true(!strncmp(split.at[i], "-cl-ext=+", 9) || !strncmp(split.at[i], "-D", 2));
    tsr_clc_words_free(&split);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(takers),   cmocka_unit_test(refusals), cmocka_unit_test(options_of_spirv),
                                       cmocka_unit_test(empty),    cmocka_unit_test(words),    cmocka_unit_test(values),
                                       cmocka_unit_test(versions), cmocka_unit_test(macros)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
