/* SPDX-License-Identifier: Apache-2.0
 * What the files of the parser share. */
#ifndef TESSERA_TENSOR_PARSER_H
#define TESSERA_TENSOR_PARSER_H

#include "tensor/lexer.h"

enum { TSR__T_DEEPEST = 100, TSR__T_MOST_LIST = 1 << 16, TSR__T_BUCKETS = 1024 /* of a function's names at first */ };

/* A name that can be used, in the chain of its hash and in the list of its scope. */
struct tsr__t_binding {
    struct tsr__t_value *value;
    struct tsr__t_binding *chain, *in_scope;
};
/* What `$` and a name stand for: a token, a type, or an attribute. */
struct tsr__t_definition {
    const char *name;
    struct tsr__t_token token; /* a number, a truth value, a type of numbers, unless one of these is there: */
    const struct tsr__t_type *type;
    const struct tsr__t_attr *attribute;
    struct tsr_tensor_range at;
    uint32_t number; /* of definitions up to this one */
    struct tsr__t_definition *next;
};
struct tsr__t_scope {
    struct tsr__t_binding *first;
    struct tsr__t_definition *definitions; /* of the scopes around it */
    struct tsr__t_scope *outer;
};

struct tsr__t_parser {
    struct tsr_tensor_program *p;
    struct tsr__t_lexer lexer;
    struct tsr__t_token token;    /* not taken yet */
    struct tsr_tensor_range last; /* of the token taken last */
    struct tsr__t_func *func;
    struct tsr__t_scope *scope;
    struct tsr__t_definition *definitions; /* that can be used */
    struct tsr__t_binding **buckets;       /* of the names that can be used, as many as there have been such names at most */
    uint32_t bucket_count, binding_count;
    enum tsr__t_region_kind kind; /* of the region that is read */
    struct tsr__t_region *region; /* likewise */
    unsigned depth;               /* of regions and attributes */
    struct tsr__t_region *(*read_region)(struct tsr__t_parser *ps, enum tsr__t_region_kind kind);
};

/* ---- parse_core.c: tokens, lists, names ---- */
void tsr__t_advance(struct tsr__t_parser *ps);
bool tsr__t_is(const struct tsr__t_parser *ps, const char *word); /* punctuation or keyword */
bool tsr__t_accept(struct tsr__t_parser *ps, const char *word);
void tsr__t_expect(struct tsr__t_parser *ps, const char *word);
_Noreturn void tsr__t_unexpected(struct tsr__t_parser *ps, const char *expected);
int64_t tsr__t_expect_int(struct tsr__t_parser *ps);
int64_t tsr__t_expect_size(struct tsr__t_parser *ps); /* an integer, or DYNAMIC for '?' */
struct tsr_tensor_range tsr__t_since(const struct tsr__t_parser *ps, struct tsr_tensor_range from);
void tsr__t_deeper(struct tsr__t_parser *ps);

/* What the name with `$` stands for here; NULL: nothing. */
const struct tsr__t_definition *tsr__t_find_definition(const struct tsr__t_parser *ps, const char *name);
/* The same of the token that comes next, unless that has been replaced by another token. */
const struct tsr__t_definition *tsr__t_definition(const struct tsr__t_parser *ps);

/* A growing array in the arena: *array has `count` elements; returns room for one more at its end. */
void *tsr__t_grow(struct tsr__t_parser *ps, void *array, uint32_t count, size_t size);

void tsr__t_append(struct tsr__t_region *region, struct tsr__t_inst *inst);

void tsr__t_open_scope(struct tsr__t_parser *ps, struct tsr__t_scope *scope);
void tsr__t_close_scope(struct tsr__t_parser *ps);
void tsr__t_begin_names(struct tsr__t_parser *ps); /* of a function: none */
/* A value of this name, visible from now on. */
void tsr__t_bind(struct tsr__t_parser *ps, struct tsr__t_value *value);
struct tsr__t_value *tsr__t_new_value(struct tsr__t_parser *ps, const struct tsr__t_token *id);
/* The value of the identifier that comes next. */
struct tsr__t_value *tsr__t_use(struct tsr__t_parser *ps);
/* The same, or a number, of which a constant of this type is made: the language's own samples have them. */
struct tsr__t_value *tsr__t_use_or_number(struct tsr__t_parser *ps, const struct tsr__t_type *type);
/* Identifiers with commas between, not bound yet. */
struct tsr__t_token *tsr__t_identifiers(struct tsr__t_parser *ps, uint32_t *count);

/* ---- parse_define.c ---- */
/* $NAME = …, if that comes next. */
bool tsr__t_read_definition(struct tsr__t_parser *ps);

/* ---- parse_type.c ---- */
const struct tsr__t_type *tsr__t_read_type(struct tsr__t_parser *ps);
const struct tsr__t_type *tsr__t_number_type(struct tsr__t_parser *ps, enum tsr__t_number number);
const struct tsr__t_type *tsr__t_bool_type(struct tsr__t_parser *ps);
/* A dictionary; NULL: none comes next. */
const struct tsr__t_attr *tsr__t_read_attributes(struct tsr__t_parser *ps);
struct tsr__t_attr *tsr__t_read_attribute(struct tsr__t_parser *ps);

/* ---- parse_inst.c ---- */
/* One instruction, with what it defines; it is added to the region. */
void tsr__t_read_inst(struct tsr__t_parser *ps);

#endif
