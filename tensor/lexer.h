/* SPDX-License-Identifier: Apache-2.0
 * Tokens. There are no words without a sigil but keywords, which are taken by longest match: `f32x4` is a type, an `x` and a number. */
#ifndef TESSERA_TENSOR_LEXER_H
#define TESSERA_TENSOR_LEXER_H

#include "tensor/ir.h"

enum tsr__t_token_kind {
    TSR__T_END,
    TSR__T_PUNCTUATION, /* word: "->", or one character */
    TSR__T_KEYWORD,     /* word */
    TSR__T_OPCODE,      /* word, op */
    TSR__T_TYPE_NAME,   /* word, op: a number of enum tsr__t_number */
    TSR__T_LOCAL_ID,    /* word: without sigil, numbers without leading zeros */
    TSR__T_GLOBAL_ID,
    TSR__T_DEFINED_ID, /* `$` and a name that is not, or not yet, a number, a truth value or a type of numbers */
    TSR__T_STRING,     /* word: without quotes */
    TSR__T_INT,        /* integer */
    TSR__T_FLOAT,      /* floating */
};

struct tsr__t_token {
    enum tsr__t_token_kind kind;
    const char *word;
    uint32_t op;
    int64_t integer;
    double floating;
    struct tsr_tensor_range at;
    const char *defined; /* the token stands for `$` and this name; otherwise NULL */
};

struct tsr__t_lexer {
    struct tsr_tensor_program *program;
    size_t at;
    uint32_t line, column;
    bool calculates; /* operators are tokens */
};

/* The next token. What is none ends the parse with a message. */
struct tsr__t_token tsr__t_next(struct tsr__t_lexer *lexer);
/* As messages name it. */
const char *tsr__t_describe(struct tsr_tensor_program *p, const struct tsr__t_token *token);

#endif
