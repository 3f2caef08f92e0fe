/* SPDX-License-Identifier: Apache-2.0
 * Tokens as the parser takes them, and names. */
#include "tensor/parser.h"

#include <stdio.h>
#include <string.h>

/* ---- names with `$` ---- */

const struct tsr__t_definition *tsr__t_find_definition(const struct tsr__t_parser *ps, const char *name)
{
    const struct tsr__t_definition *d = ps->definitions;
    while (d && strcmp(d->name, name) != 0)
        d = d->next;
    return d;
}

const struct tsr__t_definition *tsr__t_definition(const struct tsr__t_parser *ps)
{
    return ps->token.kind == TSR__T_DEFINED_ID ? tsr__t_find_definition(ps, ps->token.word) : NULL;
}

/* Puts what a name with `$` stands for, if that is a token, in its place. */
static void resolve(struct tsr__t_parser *ps, struct tsr__t_token *token)
{
    const struct tsr__t_definition *d = tsr__t_find_definition(ps, token->word);
    if (!d || d->type || d->attribute)
        return;
    struct tsr_tensor_range at = token->at;
    const char *name = token->word;
    *token = d->token;
    token->at = at;
    token->defined = name;
}

/* ---- tokens ---- */

void tsr__t_advance(struct tsr__t_parser *ps)
{
    ps->last = ps->token.at;
    ps->token = tsr__t_next(&ps->lexer);
    if (ps->token.kind == TSR__T_DEFINED_ID)
        resolve(ps, &ps->token);
}

/* Names of attributes can be names of instructions as well. */
bool tsr__t_is(const struct tsr__t_parser *ps, const char *word)
{
    enum tsr__t_token_kind kind = ps->token.kind;
    return (kind == TSR__T_PUNCTUATION || kind == TSR__T_KEYWORD || kind == TSR__T_OPCODE) && !strcmp(ps->token.word, word);
}

bool tsr__t_accept(struct tsr__t_parser *ps, const char *word)
{
    bool is = tsr__t_is(ps, word);
    if (is)
        tsr__t_advance(ps);
    return is;
}

_Noreturn void tsr__t_unexpected(struct tsr__t_parser *ps, const char *expected)
{
    if (ps->token.kind == TSR__T_DEFINED_ID && !tsr__t_definition(ps))
        tsr__t_stop(ps->p, ps->token.at, "Undefined identifier $%s", ps->token.word);
    tsr__t_stop(ps->p, ps->token.at, "syntax error, unexpected %s, expecting %s", tsr__t_describe(ps->p, &ps->token), expected);
}

void tsr__t_expect(struct tsr__t_parser *ps, const char *word)
{
    char quoted[40];
    snprintf(quoted, sizeof quoted, "'%s'", word);
    if (!tsr__t_accept(ps, word))
        tsr__t_unexpected(ps, quoted);
}

int64_t tsr__t_expect_int(struct tsr__t_parser *ps)
{
    int64_t number = ps->token.integer;
    if (ps->token.kind != TSR__T_INT)
        tsr__t_unexpected(ps, "integer constant");
    tsr__t_advance(ps);
    return number;
}

int64_t tsr__t_expect_size(struct tsr__t_parser *ps)
{
    if (tsr__t_accept(ps, "?"))
        return TSR__T_DYNAMIC;
    if (ps->token.kind != TSR__T_INT)
        tsr__t_unexpected(ps, "integer constant or '?'");
    return tsr__t_expect_int(ps);
}

struct tsr_tensor_range tsr__t_since(const struct tsr__t_parser *ps, struct tsr_tensor_range from)
{
    return (struct tsr_tensor_range){from.line, from.column, ps->last.end_line, ps->last.end_column};
}

void tsr__t_deeper(struct tsr__t_parser *ps)
{
    if (++ps->depth > TSR__T_DEEPEST)
        tsr__t_stop(ps->p, ps->token.at, "Regions and attributes are nested deeper than %d", TSR__T_DEEPEST);
}

void *tsr__t_grow(struct tsr__t_parser *ps, void *array, uint32_t count, size_t size)
{
    void **pointer = array;
    if (count >= TSR__T_MOST_LIST)
        tsr__t_stop(ps->p, ps->token.at, "A list of more than %d entries", TSR__T_MOST_LIST);
    if (!(count & (count - 1))) { /* a power of two, or none: full */
        char *grown = tsr__t_alloc(ps->p, (count ? count * 2 : 1) * size);
        if (count)
            memcpy(grown, *pointer, count * size);
        *pointer = grown;
    }
    return (char *)*pointer + count * size;
}

void tsr__t_append(struct tsr__t_region *region, struct tsr__t_inst *inst)
{
    if (region->last)
        region->last->next = inst;
    else
        region->first = inst;
    region->last = inst;
}

/* ---- names ---- */

static struct tsr__t_binding **bucket(struct tsr__t_parser *ps, const char *name)
{
    uint32_t hash = 2166136261u;
    for (; *name; name++)
        hash = (hash ^ (unsigned char)*name) * 16777619u;
    return &ps->buckets[hash % ps->bucket_count];
}

static struct tsr__t_value *find(struct tsr__t_parser *ps, const char *name)
{
    for (struct tsr__t_binding *b = *bucket(ps, name); b; b = b->chain)
        if (!strcmp(b->value->name, name))
            return b->value;
    return NULL;
}

static void set_buckets(struct tsr__t_parser *ps, uint32_t count)
{
    ps->buckets = tsr__t_alloc(ps->p, count * sizeof *ps->buckets);
    memset(ps->buckets, 0, count * sizeof *ps->buckets);
    ps->bucket_count = count;
}

void tsr__t_begin_names(struct tsr__t_parser *ps)
{
    if (!ps->buckets)
        set_buckets(ps, TSR__T_BUCKETS);
    ps->scope = NULL; /* of the function before all scopes are closed, and their names gone */
}

/* The table grows with the names, so that a chain is short however many there are. */
static void grow_buckets(struct tsr__t_parser *ps)
{
    struct tsr__t_binding **before = ps->buckets, *next;
    uint32_t count = ps->bucket_count;
    set_buckets(ps, 2 * count);
    for (uint32_t i = 0; i < count; i++) {
        for (struct tsr__t_binding *b = before[i]; b; b = next) {
            struct tsr__t_binding **head = bucket(ps, b->value->name);
            next = b->chain;
            b->chain = *head;
            *head = b;
        }
    }
}

void tsr__t_open_scope(struct tsr__t_parser *ps, struct tsr__t_scope *scope)
{
    *scope = (struct tsr__t_scope){.outer = ps->scope, .definitions = ps->definitions};
    ps->scope = scope;
}

void tsr__t_close_scope(struct tsr__t_parser *ps)
{
    for (struct tsr__t_binding *b = ps->scope->first; b; b = b->in_scope) {
        struct tsr__t_binding **link = bucket(ps, b->value->name);
        while (*link != b)
            link = &(*link)->chain;
        *link = b->chain;
        ps->binding_count--;
    }
    ps->definitions = ps->scope->definitions;
    ps->scope = ps->scope->outer;
}

void tsr__t_bind(struct tsr__t_parser *ps, struct tsr__t_value *value)
{
    struct tsr__t_value *other = find(ps, value->name);
    if (other) {
        struct tsr_tensor_diagnostic *d = tsr__t_error(ps->p, value->at, "Identifier %%%s was already used at %u.%u-%u", value->name,
                                                       other->at.line, other->at.column, other->at.end_column);
        tsr__t_note_value(ps->p, d, other);
        return;
    }
    if (++ps->binding_count > ps->bucket_count)
        grow_buckets(ps);
    struct tsr__t_binding *b = tsr__t_alloc(ps->p, sizeof *b), **head = bucket(ps, value->name);
    *b = (struct tsr__t_binding){value, *head, ps->scope->first};
    *head = ps->scope->first = b;
}

struct tsr__t_value *tsr__t_new_value(struct tsr__t_parser *ps, const struct tsr__t_token *id)
{
    struct tsr__t_value *value = tsr__t_alloc(ps->p, sizeof *value);
    value->name = id ? id->word : NULL;
    value->at = id ? id->at : ps->token.at;
    value->index = ps->func->value_count++;
    return value;
}

struct tsr__t_value *tsr__t_use(struct tsr__t_parser *ps)
{
    if (ps->token.kind != TSR__T_LOCAL_ID)
        tsr__t_unexpected(ps, "local identifier");
    struct tsr__t_value *value = find(ps, ps->token.word);
    if (!value)
        tsr__t_stop(ps->p, ps->token.at, "Undefined identifier %%%s", ps->token.word);
    tsr__t_advance(ps);
    return value;
}

struct tsr__t_value *tsr__t_use_or_number(struct tsr__t_parser *ps, const struct tsr__t_type *type)
{
    if (ps->token.kind != TSR__T_INT)
        return tsr__t_use(ps);
    struct tsr__t_value *value = tsr__t_new_value(ps, NULL);
    struct tsr__t_inst *constant = tsr__t_alloc(ps->p, sizeof *constant);
    *constant = (struct tsr__t_inst){.op = TSR__T_CONSTANT,
                                     .at = ps->token.at,
                                     .result_count = 1,
                                     .hidden = true,
                                     .constant_is_integer = true,
                                     .integer = ps->token.integer};
    constant->results = tsr__t_alloc(ps->p, sizeof *constant->results);
    constant->results[0] = value;
    value->type = type;
    value->by = constant;
    tsr__t_append(ps->region, constant);
    tsr__t_advance(ps);
    return value;
}

struct tsr__t_token *tsr__t_identifiers(struct tsr__t_parser *ps, uint32_t *count)
{
    struct tsr__t_token *list = NULL;
    *count = 0;
    do {
        if (ps->token.kind != TSR__T_LOCAL_ID)
            tsr__t_unexpected(ps, "local identifier");
        *(struct tsr__t_token *)tsr__t_grow(ps, &list, *count, sizeof *list) = ps->token;
        ++*count;
        tsr__t_advance(ps);
    } while (tsr__t_accept(ps, ","));
    return list;
}
