/* SPDX-License-Identifier: Apache-2.0
 * Diagnostics by their catalogue, and texts that go through parser and printer and come out the same. */
#include "tensor/ir.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

enum { MOST_MARKS = 8 };

struct marked {
    char text[2048];
    struct tsr_tensor_range error, notes[MOST_MARKS];
    unsigned note_count;
};

/* Takes the marks out of a text; see diagnostics.def. A range of nothing is that of the end of the text. */
static void unmark(const char *from, struct marked *m)
{
    uint32_t column = 1, begin = 0;
    char *to = m->text;
    memset(m, 0, sizeof *m);
    for (; *from; from++) {
        if (*from != '`' && *from != '\'') {
            *to++ = *from;
            column++;
        } else if (!begin) {
            begin = column;
        } else {
            struct tsr_tensor_range *range = *from == '`' ? &m->error : &m->notes[m->note_count++];
            *range = (struct tsr_tensor_range){1, begin, 1, column > begin ? column - 1 : begin};
            begin = 0;
        }
    }
}

static bool same_range(const struct tsr_tensor_range *a, const struct tsr_tensor_range *b)
{
    return !memcmp(a, b, sizeof *a);
}

static unsigned check_row(unsigned number, const char *message, const char *text)
{
    struct marked m;
    unmark(text, &m);
    struct tsr_tensor_program *p = tsr_tensor_parse(m.text, strlen(m.text), "test", &tsr_tensor_cpu_target);
    const struct tsr_tensor_diagnostic *d = tsr_tensor_diagnostics(p);
    bool good = d && !d->next && strstr(d->text, message) && same_range(&d->at, &m.error);
    bool seen[MOST_MARKS] = {0};
    for (const struct tsr_tensor_diagnostic *n = d ? d->notes : NULL; n; n = n->next) {
        unsigned i = 0;
        while (i < m.note_count && !same_range(&m.notes[i], &n->at))
            i++;
        good &= i < m.note_count && !strcmp(n->text, "value defined here");
        if (i < m.note_count)
            seen[i] = true;
    }
    for (unsigned i = 0; i < m.note_count; i++)
        good &= seen[i];
    if (!good) {
        struct tsr_buf out = {0};
        tsr_tensor_print_diagnostics(p, &out);
        tsr_buf_bytes(&out, "", 1);
        fprintf(stderr, "row %u: expected '%s' at %u-%u with %u notes:\n%s\nbut got:\n%s\n", number, message, m.error.column,
                m.error.end_column, m.note_count, m.text, (char *)out.data);
        tsr_buf_free(&out);
    }
    tsr_tensor_free(p);
    return !good;
}

static void every_fault_has_its_message_and_range(void **state)
{
    (void)state;
    static const struct {
        const char *message, *text;
    } rows[] = {
#define ROW(message, text) {message, text},
#include "tensor/test/diagnostics.def"
#undef ROW
    };
    unsigned bad = 0;
    for (unsigned i = 0; i < TSR_ARRAY_LEN(rows); i++)
        bad += check_row(i, rows[i].message, rows[i].text);
    assert_int_equal(bad, 0);
}

/* Good texts. They are printed, and what comes out is parsed and printed once more. */
static const char *const good[] = {
#define TEXT(...) #__VA_ARGS__,
#include "tensor/test/good.def"
#undef TEXT
};

static char *print(const char *text)
{
    struct tsr_tensor_program *p = tsr_tensor_parse(text, strlen(text), "test", &tsr_tensor_cpu_target);
    struct tsr_buf out = {0};
    tsr_tensor_print_diagnostics(p, &out);
    if (out.size) {
        fprintf(stderr, "%s\n%.*s", text, (int)out.size, (char *)out.data);
        fail();
    }
    tsr_tensor_print(p, &out);
    tsr_buf_bytes(&out, "", 1);
    tsr_tensor_free(p);
    return (char *)out.data;
}

static void what_is_printed_parses_to_the_same(void **state)
{
    (void)state;
    for (size_t i = 0; i < TSR_ARRAY_LEN(good); i++) {
        char *once = print(good[i]), *twice = print(once);
        assert_string_equal(once, twice);
        tsr_free(once);
        tsr_free(twice);
    }
}

static void lines_of_the_source_stand_in_messages(void **state)
{
    (void)state;
    static const char text[] = "func @f(%a: f32) {\n  ; a comment\n  %0 = arith.neg %a\n      : f64\n}\n";
    static const char expected[] = "x.tt:3.8-4.11: error: Type of operand must match return type\n\nfunc @f(%a: f32) {\n  ; a comment\n"
                                   "  %0 = arith.neg %a\n       ~~~~~~~~~~~~\n      : f64\n~~~~~~~~~~~\n"
                                   "x.tt:1.9-15: note: value defined here\n\nfunc @f(%a: f32) {\n        ~~~~~~~\n";
    struct tsr_tensor_program *p = tsr_tensor_parse(text, strlen(text), "x.tt", &tsr_tensor_cpu_target);
    struct tsr_buf out = {0};
    tsr_tensor_print_diagnostics(p, &out);
    tsr_buf_bytes(&out, "", 1);
    assert_string_equal((char *)out.data, expected);
    tsr_buf_free(&out);
    tsr_tensor_free(p);
}

static void other_languages_are_told_apart(void **state)
{
    (void)state;
    static const char *const ours[] = {"func @f", " ; kernel void\n\tfunc @f() {}", "$n_1 = 4 func @f() {}"};
    static const char *const others[] = {"", "func", "func @", "func(@f)", "kernel void f() {}", "$", "$n", "$n == 1", "$ = 1"};
    for (size_t i = 0; i < TSR_ARRAY_LEN(ours); i++)
        assert_true(tsr_tensor_is_text(ours[i], strlen(ours[i])));
    for (size_t i = 0; i < TSR_ARRAY_LEN(others); i++)
        assert_false(tsr_tensor_is_text(others[i], strlen(others[i])));
}

/* Makes a locale with a comma in numbers and é among the letters, in the folder. False: there is no localedef. */
static bool make_locale(const char *folder)
{
    static const char categories[] = "LC_CTYPE\nalpha <U00E9>\nEND LC_CTYPE\nLC_NUMERIC\ndecimal_point \",\"\nthousands_sep \"\"\n"
                                     "grouping -1\nEND LC_NUMERIC\n";
    char command[256], path[64];
    snprintf(path, sizeof path, "%s/comma", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(categories, file);
    fclose(file);
    snprintf(command, sizeof command, "localedef -c -i %s/comma -f ISO-8859-1 %s/xx_XX >%s/log 2>&1", folder, folder, folder);
    int unused = system(command); /* warns of what is missing */
    (void)unused;
    setenv("LOCPATH", folder, 1);
    return setlocale(LC_ALL, "xx_XX");
}

static void the_locale_of_the_application_does_not_matter(void **state)
{
    (void)state;
    static const char text[] = "func @f() {\n  %0 = constant 2.5 : f32\n  %1 = constant [0.125, 1e-3] : c64\n}\n";
    char folder[] = "/tmp/tessera-test-XXXXXX", command[64], number[8];
    assert_non_null(mkdtemp(folder));
    bool made = make_locale(folder);
    snprintf(number, sizeof number, "%.1f", 2.5);
    char *once = made ? print(text) : NULL, *twice = made ? print(once) : NULL;
    assert_false(tsr_tensor_is_text("func @\xe9", 7));
    const char *after = setlocale(LC_ALL, NULL);
    bool same = !made || !strcmp(after, "xx_XX");
    snprintf(command, sizeof command, "rm -r %s", folder);
    setlocale(LC_ALL, "C");
    assert_int_equal(system(command), 0);
    if (!made)
        skip();
    assert_string_equal(number, "2,5");
    assert_true(same);
    assert_non_null(strstr(once, "constant 2.5 : f32"));
    assert_non_null(strstr(once, "constant [0.125, 0.001] : c64"));
    assert_string_equal(once, twice);
    tsr_free(once);
    tsr_free(twice);
}

/* Texts that would need a stack or time without end. */
static void nesting_has_a_limit(void **state)
{
    (void)state;
    enum { DEPTH = 100000 };
    static const char *const parts[][2] = {{"func @f(%a: bool) {", "if %a {"}, {"func @f(%a: f32 {\"a\"=", "["}};
    for (size_t i = 0; i < TSR_ARRAY_LEN(parts); i++) {
        struct tsr_buf text = {0};
        tsr_buf_printf(&text, "%s", parts[i][0]);
        for (int k = 0; k < DEPTH; k++)
            tsr_buf_printf(&text, "%s", parts[i][1]);
        struct tsr_tensor_program *p = tsr_tensor_parse((char *)text.data, text.size, "test", &tsr_tensor_cpu_target);
        assert_non_null(strstr(tsr_tensor_diagnostics(p)->text, "nested deeper"));
        tsr_tensor_free(p);
        tsr_buf_free(&text);
    }
}

static void matrices_without_rows_or_columns_are_refused_and_have_no_components(void **state)
{
    (void)state;
    static const char *const shapes[] = {"0x8", "8x0", "0x0"};
    for (size_t i = 0; i < TSR_ARRAY_LEN(shapes); i++) {
        struct tsr_buf text = {0};
        tsr_buf_printf(&text, "func @f() { parallel { %%0 = constant 1.0 : coopmatrix<f32x%s,matrix_acc> ", shapes[i]);
        tsr_buf_printf(&text, "%%1 = cooperative_matrix_extract %%0[0] : f32 } }");
        struct tsr_tensor_program *p = tsr_tensor_parse((char *)text.data, text.size, "test", &tsr_tensor_cpu_target);
        assert_non_null(strstr(tsr_tensor_diagnostics(p)->text, "Invalid shape"));
        assert_non_null(strstr(tsr_tensor_diagnostics(p)->next->text, "Argument is out of bounds"));
        tsr_tensor_free(p);
        tsr_buf_free(&text);
    }
}

/* Processor time in seconds of a function with `count` names. */
static double parse_names(int count)
{
    struct tsr_buf text = {0};
    tsr_buf_printf(&text, "func @f(%%a: i32) {\n");
    for (int i = 0; i < count; i++)
        tsr_buf_printf(&text, "%%x%d = arith.neg %%a : i32\n", i);
    tsr_buf_printf(&text, "}\n");
    clock_t begin = clock();
    struct tsr_tensor_program *p = tsr_tensor_parse((char *)text.data, text.size, "test", &tsr_tensor_cpu_target);
    double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
    assert_null(tsr_tensor_diagnostics(p));
    tsr_tensor_free(p);
    tsr_buf_free(&text);
    return seconds;
}

static void time_grows_with_the_names(void **state)
{
    (void)state;
    enum { COUNT = 25000, TIMES = 8 };
    double few = parse_names(COUNT), many = parse_names(COUNT * TIMES);
    assert_true(many < 3 * TIMES * few); /* with chains that grow it is 8 times as much */
}

static void each_allocation_may_fail(void **state)
{
    (void)state;
    const char *text = good[0];
    struct tsr_tensor_program *p = NULL;
    for (int n = 1; !p; n++) {
        tsr_fail_alloc(n);
        p = tsr_tensor_parse(text, strlen(text), "test", &tsr_tensor_cpu_target);
        tsr_fail_alloc(0);
        assert_true(n < 1000);
    }
    assert_null(tsr_tensor_diagnostics(p));
    tsr_tensor_free(p);
}

/* Products of f64 whose last rows fill half a sub-group or less get smaller ones, if nothing in the function sees the size. */
static void work_groups_fit_products(void **state)
{
    (void)state;
    static const struct {
        const char *type, *rows, *more, *attributes;
        uint32_t lanes;
    } cases[] = {
        {"f64", "56", "", "", 8},
        {"f64", "64", "", "", 16},
        {"f64", "4", "", "", 8},
        {"f64", "28", "", "", 16},
        {"f32", "56", "", "", 16},
        {"f64", "?", "", "", 16},
        {"f64", "56", "parallel {}", "", 16},
        {"f64", "56", "", "attributes{subgroup_size=16}", 16},
    };
    for (size_t i = 0; i < TSR_ARRAY_LEN(cases); i++) {
        char text[400];
        snprintf(text, sizeof text,
                 "func @f(%%a: %s, %%A: memref<%sx%sx4>, %%B: memref<%sx4x4>, %%C: memref<%sx%sx4>) %s {\n"
                 " %%t = constant true : bool if %%t { gemm.n.n %%a, %%A, %%B, %%a, %%C } %s }\n",
                 cases[i].type, cases[i].type, cases[i].rows, cases[i].type, cases[i].type, cases[i].rows, cases[i].attributes,
                 cases[i].more);
        struct tsr_tensor_program *p = tsr_tensor_parse(text, strlen(text), "test", &tsr_tensor_cpu_target);
        assert_null(tsr_tensor_diagnostics(p));
        assert_int_equal(tsr_tensor_function(p, 0)->sub_group_size, cases[i].lanes);
        assert_int_equal(tsr_tensor_function(p, 0)->work_group_size[0], cases[i].lanes);
        tsr_tensor_free(p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_fault_has_its_message_and_range),
        cmocka_unit_test(what_is_printed_parses_to_the_same),
        cmocka_unit_test(lines_of_the_source_stand_in_messages),
        cmocka_unit_test(other_languages_are_told_apart),
        cmocka_unit_test(the_locale_of_the_application_does_not_matter),
        cmocka_unit_test(work_groups_fit_products),
        cmocka_unit_test(nesting_has_a_limit),
        cmocka_unit_test(matrices_without_rows_or_columns_are_refused_and_have_no_components),
        cmocka_unit_test(time_grows_with_the_names),
        cmocka_unit_test(each_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
