/* SPDX-License-Identifier: Apache-2.0
 * Parses build options against the table of options.def; anything else is refused by name. */
#include "clc/common/options.h"

#include <stdio.h>
#include <string.h>

enum { BUILD = 1 << TSR_CLC_BUILD, COMPILE = 1 << TSR_CLC_COMPILE, LINK = 1 << TSR_CLC_LINK };
enum { SOURCE = BUILD | COMPILE, ANY = BUILD | COMPILE | LINK };

static const struct {
    const char *word;
    unsigned takers;
    const char *clang;
} table[] = {
#define TSR_OPTION(name, word, takers, clang) {word, takers, clang},
#include "clc/common/options.def"
#undef TSR_OPTION
};
_Static_assert(TSR_CLC_OPTION_COUNT <= 64, "options are bits of one word");

static const char *const taker_names[] = {
    [TSR_CLC_BUILD] = "clBuildProgram",
    [TSR_CLC_COMPILE] = "clCompileProgram",
    [TSR_CLC_LINK] = "clLinkProgram",
    [TSR_CLC_CODE] = "clCreateKernel",
};

/* ---- versions of OpenCL C ---- */

unsigned tsr_clc_c_version(uint32_t index)
{
    static const unsigned versions[] = {100, 110, 120, 200, 300, 310};
    return index < TSR_ARRAY_LEN(versions) ? versions[index] : 0;
}

/* ---- words ---- */

static bool is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Copies one word to `out`, unquoted; the rest of the text, or NULL if a quote is not closed. */
static const char *take_word(const char *p, char *out)
{
    char quote = 0;
    for (; *p && (quote || !is_space(*p)); p++) {
        bool escape = *p == '\\' && quote != '\'' && p[1] && strchr(quote ? "\"\\" : "\"'\\ ", p[1]);
        if (escape)
            *out++ = *++p;
        else if (!quote && (*p == '"' || *p == '\''))
            quote = *p;
        else if (quote && *p == quote)
            quote = 0;
        else
            *out++ = *p;
    }
    *out = 0;
    return quote ? NULL : p;
}

enum tsr_status tsr_clc_words_split(const char *text, struct tsr_clc_words *words)
{
    size_t size = text ? strlen(text) : 0;
    *words = (struct tsr_clc_words){0};
    words->text = tsr_malloc(size + 1);
    words->at = tsr_calloc(size / 2 + 1, sizeof *words->at); /* a word is a character and a space at least */
    if (!words->text || !words->at) {
        tsr_clc_words_free(words);
        return TSR_NO_MEMORY;
    }
    char *out = words->text;
    for (const char *p = text ? text : "";;) {
        while (is_space(*p))
            p++;
        if (!*p)
            return TSR_OK;
        words->at[words->count++] = out;
        p = take_word(p, out);
        if (!p) {
            tsr_clc_words_free(words);
            return TSR_INVALID;
        }
        out += strlen(out) + 1;
    }
}

void tsr_clc_words_free(struct tsr_clc_words *words)
{
    tsr_free(words->text);
    tsr_free(words->at);
    *words = (struct tsr_clc_words){0};
}

/* ---- options ---- */

const char *tsr_clc_option_clang(enum tsr_clc_option option)
{
    return table[option].clang;
}

/* C++ for OpenCL; the first name means the version that CL_DEVICE_CXX_FOR_OPENCL_NUMERIC_VERSION_EXT tells, 1.0. */
static const char *const cxx_names[] = {"CLC++", "CLC++1.0", "CLC++2021"};

static char *refuse_version(const char *word)
{
    char list[128];
    size_t n = 0;
    list[0] = 0;
    for (uint32_t i = 0; tsr_clc_c_version(i); i++)
        n += (size_t)snprintf(list + n, sizeof list - n, "%sCL%u.%u", i ? ", " : "", tsr_clc_c_version(i) / 100,
                              tsr_clc_c_version(i) / 10 % 10);
    for (size_t i = 0; i < TSR_ARRAY_LEN(cxx_names); i++)
        n += (size_t)snprintf(list + n, sizeof list - n, ", %s", cxx_names[i]);
    return tsr_format("'%s': this device compiles %s", word, list);
}

static bool parse_version(const char *word, struct tsr_clc_options *options)
{
    options->cxx_name = NULL;
    for (size_t i = 0; i < TSR_ARRAY_LEN(cxx_names); i++)
        if (!strcmp(word, cxx_names[i])) {
            options->cxx_name = cxx_names[i];
            return true;
        }
    for (uint32_t i = 0; tsr_clc_c_version(i); i++) {
        char name[16];
        snprintf(name, sizeof name, "CL%u.%u", tsr_clc_c_version(i) / 100, tsr_clc_c_version(i) / 10 % 10);
        if (!strcmp(word, name)) {
            options->c_version = tsr_clc_c_version(i);
            return true;
        }
    }
    return false;
}

static bool valid_macro(const char *name)
{
    size_t n = strcspn(name, "=(");
    if (!n || (name[0] >= '0' && name[0] <= '9'))
        return false;
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)name[i];
        if (!(c == '_' || c == '$' || c >= 0x80 || (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z')))
            return false;
    }
    return true;
}

static char *refuse_at_link(enum tsr_clc_op op, const char *word)
{
    return tsr_format("'%s' is an option of clBuildProgram and clCompileProgram, not of %s", word, taker_names[op]);
}

/* Also names the options that the call takes: drivers differ, and the log is all that a user sees. */
static char *refuse_unknown(enum tsr_clc_op op, const char *word)
{
    struct tsr_buf text = {0};
    tsr_buf_printf(&text, "unknown option '%s'; %s takes", word, taker_names[op]);
    if (op != TSR_CLC_LINK)
        tsr_buf_printf(&text, " -D -I -cl-std= -W… -pedantic");
    for (size_t i = 0; i < TSR_ARRAY_LEN(table); i++)
        if (table[i].takers >> op & 1)
            tsr_buf_printf(&text, " %s", table[i].word);
    tsr_buf_bytes(&text, "", 1);
    if (!text.failed)
        return (char *)text.data;
    tsr_buf_free(&text);
    return NULL;
}

/* What the words are options of. */
struct call {
    enum tsr_clc_op op;
    enum tsr_clc_language language;
};

/* -D and -I, with their value in the same word or in the next. Takes `next` if it uses it. INVALID with *why NULL: out of memory. */
static enum tsr_status take_value(struct call call, const char *word, char *const *next, bool *used_next, struct tsr_clc_options *options,
                                  char **why)
{
    char letter = word[1];
    const char *value = word + 2;
    *used_next = false;
    if (call.op == TSR_CLC_LINK || call.op == TSR_CLC_CODE) {
        *why = refuse_at_link(call.op, word);
        return TSR_INVALID;
    }
    if (!*value && next) {
        value = *next;
        *used_next = true;
    }
    if (!*value) {
        *why = tsr_format("'-%c' needs a %s after it", letter, letter == 'D' ? "name" : "folder");
        return TSR_INVALID;
    }
    if (call.language == TSR_CLC_SPIRV)
        return TSR_OK;
    if (letter == 'D' && !valid_macro(value)) {
        *why = tsr_format("'-D %s': a macro's name is a letter or '_', then letters, digits and '_'", value);
        return TSR_INVALID;
    }
    char *joined = tsr_format("-%c%s", letter, value);
    if (!joined)
        return TSR_NO_MEMORY;
    options->words[options->word_count++] = joined;
    return TSR_OK;
}

static enum tsr_status take_flag(enum tsr_clc_op op, const char *word, struct tsr_clc_options *options, char **why)
{
    for (size_t i = 0; i < TSR_ARRAY_LEN(table); i++) {
        if (strcmp(word, table[i].word))
            continue;
        if (table[i].takers >> op & 1) {
            options->set |= 1ull << i;
            return TSR_OK;
        }
        *why = tsr_format("'%s' is not an option of %s", word, taker_names[op]);
        return TSR_INVALID;
    }
    *why = refuse_unknown(op, word);
    return TSR_INVALID;
}

/* Options about warnings (-Wall, -Wno-…, -Werror=…), which go to clang as they are. -Wa, -Wl, and -Wp, are for other programs. */
static bool is_warning_option(const char *word)
{
    if (!strcmp(word, "-pedantic") || !strcmp(word, "-pedantic-errors"))
        return true;
    bool passed_on = word[0] == '-' && word[1] == 'W' && word[2] && strchr("alp", word[2]) && word[3] == ',';
    return !strncmp(word, "-W", 2) && strcmp(word, "-Werror") != 0 && !passed_on;
}

static enum tsr_status take_warning(struct call call, const char *word, struct tsr_clc_options *options, char **why)
{
    if (call.op == TSR_CLC_LINK || call.op == TSR_CLC_CODE) {
        *why = refuse_at_link(call.op, word);
        return TSR_INVALID;
    }
    if (call.language == TSR_CLC_SPIRV)
        return TSR_OK;
    char *copy = tsr_strdup(strcmp(word, "-W") ? word : "-Wextra");
    if (!copy)
        return TSR_NO_MEMORY;
    options->words[options->word_count++] = copy;
    return TSR_OK;
}

static enum tsr_status take_words(struct call call, char *const *words, uint32_t count, struct tsr_clc_options *options, char **why)
{
    enum tsr_status status = TSR_OK;
    for (uint32_t i = 0; i < count && status == TSR_OK; i++) {
        const char *word = words[i];
        if (word[0] == '-' && (word[1] == 'D' || word[1] == 'I')) {
            bool used_next;
            status = take_value(call, word, i + 1 < count ? &words[i + 1] : NULL, &used_next, options, why);
            i += used_next;
        } else if (!strncmp(word, "-cl-std=", 8) && call.op != TSR_CLC_LINK) {
            if (call.language == TSR_CLC_OPENCL_C && !parse_version(word + 8, options)) {
                *why = refuse_version(word);
                return TSR_INVALID;
            }
        } else if (is_warning_option(word)) {
            status = take_warning(call, word, options, why);
        } else {
            status = take_flag(call.op, word, options, why);
        }
    }
    if (status != TSR_OK)
        return status;
    if (tsr_clc_option_set(options, TSR_CLC_OPTION_ENABLE_LINK_OPTIONS) && !tsr_clc_option_set(options, TSR_CLC_OPTION_CREATE_LIBRARY)) {
        *why = tsr_format("'-enable-link-options' needs '-create-library'");
        return TSR_INVALID;
    }
    return TSR_OK;
}

enum tsr_status tsr_clc_options_parse(enum tsr_clc_op op, enum tsr_clc_language language, const char *text, struct tsr_clc_options *options,
                                      char **why)
{
    struct tsr_clc_words words;
    *why = NULL;
    *options = (struct tsr_clc_options){.c_version = 120};
    enum tsr_status status = tsr_clc_words_split(text, &words);
    if (status == TSR_INVALID)
        *why = tsr_format("a quote is not closed in '%s'", text);
    if (status != TSR_OK)
        return status;
    options->words = tsr_calloc(words.count + 1, sizeof *options->words);
    status = options->words ? take_words((struct call){op, language}, words.at, words.count, options, why) : TSR_NO_MEMORY;
    tsr_clc_words_free(&words);
    if (status != TSR_OK)
        tsr_clc_options_free(options);
    return status;
}

void tsr_clc_options_free(struct tsr_clc_options *options)
{
    for (uint32_t i = 0; i < options->word_count; i++)
        tsr_free(options->words[i]);
    tsr_free(options->words);
    options->words = NULL;
    options->word_count = 0;
}

char *tsr_clc_check_options(enum tsr_clc_op op, enum tsr_clc_language language, const char *options)
{
    struct tsr_clc_options parsed;
    char *why;
    if (tsr_clc_options_parse(op, language, options, &parsed, &why) == TSR_OK)
        tsr_clc_options_free(&parsed);
    return why;
}

enum tsr_clc_explain tsr_clc_explain(void)
{
    static const char *const words[] = {[TSR_CLC_EXPLAIN_NOT] = "0", [TSR_CLC_EXPLAIN_TEXT] = "1", [TSR_CLC_EXPLAIN_JSON] = "json"};
    return (enum tsr_clc_explain)tsr_env_choice(TSR_ENV_EXPLAIN, words, TSR_ARRAY_LEN(words));
}
