/* SPDX-License-Identifier: Apache-2.0
 * Text into tokens. */
#include "tensor/lexer.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct word {
    const char *text;
    enum tsr__t_token_kind kind;
    uint32_t op;
};

static const struct word words[] = {
#define TSR_WORD(text) {text, TSR__T_KEYWORD, 0},
#include "tensor/words.def"
#undef TSR_WORD
#define TSR_NUMBER(name, text, bytes, class, component) {text, TSR__T_TYPE_NAME, TSR__T_##name},
#include "tensor/numbers.def"
#undef TSR_NUMBER
#define TSR_OP(name, text, later, form, transposes, operands, region, group)                                                               \
    {text, TSR__T_OPCODE, TSR__T_##name}, {later, TSR__T_OPCODE, TSR__T_##name},
#include "tensor/ops.def"
#undef TSR_OP
    {"hadamard_product", TSR__T_OPCODE, TSR__T_HADAMARD},
};

enum { MOST_NUMBER = 4096 }; /* characters of a number */

static int peek(const struct tsr__t_lexer *l, size_t ahead)
{
    size_t at = l->at + ahead, size = l->program->size;
    return at < size ? (unsigned char)l->program->text[at] : 0;
}

static void advance(struct tsr__t_lexer *l, size_t count)
{
    for (; count; count--, l->at++) {
        l->column++;
        if (l->program->text[l->at] == '\n') {
            l->line++;
            l->column = 1;
        }
    }
}

static void skip_space(struct tsr__t_lexer *l)
{
    for (int c = peek(l, 0); c == ' ' || c == '\t' || c == '\v' || c == '\f' || c == '\r' || c == '\n' || c == ';'; c = peek(l, 0)) {
        if (c != ';')
            advance(l, 1);
        else
            while (l->at < l->program->size && peek(l, 0) && peek(l, 0) != '\n')
                advance(l, 1);
    }
}

/* Takes `count` characters as the token. */
static struct tsr__t_token take(struct tsr__t_lexer *l, enum tsr__t_token_kind kind, size_t count)
{
    struct tsr__t_token token = {.kind = kind, .at = {l->line, l->column, l->line, l->column}};
    size_t last = count ? count - 1 : 0;
    advance(l, last);
    token.at.end_line = l->line;
    token.at.end_column = l->column;
    advance(l, count - last);
    return token;
}

static const char *copy(struct tsr__t_lexer *l, size_t from, size_t count)
{
    char *word = tsr__t_alloc(l->program, count + 1);
    memcpy(word, l->program->text + l->at + from, count);
    return word;
}

/* In every locale. */
static bool is_letter(int c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static struct tsr__t_token identifier(struct tsr__t_lexer *l)
{
    size_t count = 1, from = 1;
    enum tsr__t_token_kind kind = peek(l, 0) == '%' ? TSR__T_LOCAL_ID : peek(l, 0) == '@' ? TSR__T_GLOBAL_ID : TSR__T_DEFINED_ID;
    if (isdigit(peek(l, 1))) {
        while (isdigit(peek(l, count)))
            count++;
        while (from + 1 < count && peek(l, from) == '0')
            from++;
    } else if (is_letter(peek(l, 1))) {
        while (is_letter(peek(l, count)) || isdigit(peek(l, count)) || peek(l, count) == '_')
            count++;
    } else {
        struct tsr__t_token none = take(l, TSR__T_END, 1);
        tsr__t_stop(l->program, none.at, "Unknown token");
    }
    const char *word = copy(l, from, count - from);
    struct tsr__t_token token = take(l, kind, count);
    token.word = word;
    token.defined = kind == TSR__T_DEFINED_ID ? word : NULL;
    return token;
}

static struct tsr__t_token string(struct tsr__t_lexer *l)
{
    size_t count = 1;
    while (peek(l, count) >= 0x20 && peek(l, count) <= 0x7e && peek(l, count) != '"')
        count++;
    if (peek(l, count) != '"') {
        struct tsr__t_token none = take(l, TSR__T_END, count);
        tsr__t_stop(l->program, none.at, "Unknown token");
    }
    const char *word = copy(l, 1, count - 1);
    struct tsr__t_token token = take(l, TSR__T_STRING, count + 1);
    token.word = word;
    return token;
}

/* ---- numbers ---- */

static size_t digits(const struct tsr__t_lexer *l, size_t at, bool hex)
{
    size_t count = 0;
    while (hex ? isxdigit(peek(l, at + count)) : isdigit(peek(l, at + count)))
        count++;
    return count;
}

/* Length of an exponent, from its letter on; 0: there is none. */
static size_t exponent(const struct tsr__t_lexer *l, size_t at, int letter)
{
    if (tolower(peek(l, at)) != letter)
        return 0;
    size_t sign = peek(l, at + 1) == '-' || peek(l, at + 1) == '+';
    size_t count = digits(l, at + 1 + sign, false);
    return count ? 1 + sign + count : 0;
}

/* Length of "inf" or "nan" with its sign; 0: neither is there. */
static size_t special_length(const struct tsr__t_lexer *l)
{
    size_t sign = peek(l, 0) == '-' || peek(l, 0) == '+', left = l->program->size - l->at;
    const char *text = l->program->text + l->at + sign;
    return left >= sign + 3 && (!memcmp(text, "inf", 3) || !memcmp(text, "nan", 3)) ? sign + 3 : 0;
}

/* Length of a floating-point number; 0: there is none. With neither a point nor an exponent it is an integer, or `0`, `x` and so on. */
static size_t floating_length(const struct tsr__t_lexer *l)
{
    size_t at = peek(l, 0) == '-' || peek(l, 0) == '+';
    bool hex = peek(l, at) == '0' && peek(l, at + 1) == 'x';
    for (;; hex = false) {
        size_t end = at + (hex ? 2 : 0), before = digits(l, end, hex), after = 0;
        end += before;
        bool point = peek(l, end) == '.';
        if (point) {
            after = digits(l, end + 1, hex);
            end += 1 + after;
        }
        size_t power = exponent(l, end, hex ? 'p' : 'e');
        if ((before || after) && (point || power))
            return end + power;
        if (!hex)
            return 0;
    }
}

static struct tsr__t_token number(struct tsr__t_lexer *l)
{
    size_t special = special_length(l), count = special ? special : floating_length(l);
    bool is_float = count != 0;
    if (!is_float) {
        size_t sign = peek(l, 0) == '-' || peek(l, 0) == '+';
        count = sign + digits(l, sign, false);
    }
    const char *word = copy(l, 0, count);
    struct tsr__t_token token = take(l, is_float ? TSR__T_FLOAT : TSR__T_INT, count);
    token.word = word;
    errno = 0;
    if (is_float) {
        token.floating = strtod(word, NULL);
        if (count > MOST_NUMBER || (isinf(token.floating) && !special))
            tsr__t_stop(l->program, token.at, "Floating point value out of range: %.40s", word);
        return token;
    }
    token.integer = strtoll(word, NULL, 10);
    if (errno == ERANGE || token.integer == INT64_MIN)
        tsr__t_stop(l->program, token.at, "Integer overflow: %.40s", word);
    return token;
}

static bool begins_number(const struct tsr__t_lexer *l)
{
    size_t sign = peek(l, 0) == '-' || peek(l, 0) == '+';
    return isdigit(peek(l, sign)) || (peek(l, sign) == '.' && isdigit(peek(l, sign + 1))) || special_length(l);
}

/* ---- keywords ---- */

static const struct word *longest_word(const struct tsr__t_lexer *l, size_t *length)
{
    const struct word *found = NULL;
    const char *text = l->program->text + l->at;
    size_t left = l->program->size - l->at;
    *length = 0;
    for (size_t i = 0; i < TSR_ARRAY_LEN(words); i++) {
        if (words[i].text[0] != text[0])
            continue;
        size_t size = strlen(words[i].text);
        if (size > *length && size <= left && !memcmp(words[i].text, text, size)) {
            found = &words[i];
            *length = size;
        }
    }
    return found;
}

struct tsr__t_token tsr__t_next(struct tsr__t_lexer *l)
{
    skip_space(l);
    int c = peek(l, 0);
    if (!c)
        return take(l, TSR__T_END, 0);
    static const char *const operators[] = {"^", "-", "+", "*", "/", "%"};
    for (size_t i = 0; l->calculates && i < TSR_ARRAY_LEN(operators); i++)
        if (operators[i][0] == c && !begins_number(l)) {
            struct tsr__t_token token = take(l, TSR__T_PUNCTUATION, 1);
            token.word = operators[i];
            return token;
        }
    if (c == '%' || c == '@' || c == '$')
        return identifier(l);
    if (c == '"')
        return string(l);
    if (begins_number(l))
        return number(l);
    size_t length;
    const struct word *word = longest_word(l, &length);
    if (word) {
        struct tsr__t_token token = take(l, word->kind, length);
        token.word = word->text;
        token.op = word->op;
        return token;
    }
    static const char *const punctuation[] = {"->", "=", ",", ":", "(", ")", "{", "}", "<", ">", "[", "]", "?"};
    for (size_t i = 0; i < TSR_ARRAY_LEN(punctuation); i++) {
        size_t size = strlen(punctuation[i]);
        if (punctuation[i][0] == c && (size == 1 || peek(l, 1) == punctuation[i][1])) {
            struct tsr__t_token token = take(l, TSR__T_PUNCTUATION, size);
            token.word = punctuation[i];
            return token;
        }
    }
    size_t count = 0;
    while (is_letter(peek(l, count)) || (count && (isdigit(peek(l, count)) || peek(l, count) == '_' || peek(l, count) == '.')))
        count++;
    const char *unknown = copy(l, 0, count);
    struct tsr__t_token none = take(l, TSR__T_END, count ? count : 1);
    tsr__t_stop(l->program, none.at, count ? "Unknown token: %.40s" : "Unknown token", unknown);
}

const char *tsr__t_describe(struct tsr_tensor_program *p, const struct tsr__t_token *token)
{
    static const char *const kinds[] = {
        [TSR__T_END] = "end of file", [TSR__T_LOCAL_ID] = "local identifier", [TSR__T_GLOBAL_ID] = "global identifier",
        [TSR__T_STRING] = "string",   [TSR__T_INT] = "integer constant",      [TSR__T_FLOAT] = "floating point constant"};
    if (token->kind < TSR_ARRAY_LEN(kinds) && kinds[token->kind])
        return kinds[token->kind];
    const char *text = tsr_arena_format(&p->arena, token->kind == TSR__T_DEFINED_ID ? "'$%s'" : "'%s'", token->word);
    return text ? text : token->word;
}

bool tsr_tensor_is_text(const void *text, size_t size)
{
    struct tsr_tensor_program p = {.text = text, .size = size};
    struct tsr__t_lexer l = {&p, 0, 1, 1, false};
    skip_space(&l);
    size_t left = size - l.at;
    if (peek(&l, 0) == '$' && (is_letter(peek(&l, 1)) || isdigit(peek(&l, 1)))) {
        size_t count = 1;
        while (is_letter(peek(&l, count)) || isdigit(peek(&l, count)) || peek(&l, count) == '_')
            count++;
        advance(&l, count);
        skip_space(&l);
        return peek(&l, 0) == '=' && peek(&l, 1) != '=';
    }
    if (left < 5 || memcmp(p.text + l.at, "func", 4) != 0)
        return false;
    advance(&l, 4);
    skip_space(&l);
    return peek(&l, 0) == '@' && (is_letter(peek(&l, 1)) || isdigit(peek(&l, 1)));
}
