/* SPDX-License-Identifier: Apache-2.0
 * Regions, functions, programs. */
#include "tensor/parser.h"

#include <locale.h>
#include <string.h>

enum { MOST_FUNCTIONS = 4096 };

const struct tsr_tensor_target tsr_tensor_cpu_target = {{8, 16, 32}, 16, 1024};

static struct tsr__t_region *read_region(struct tsr__t_parser *ps, enum tsr__t_region_kind kind)
{
    struct tsr__t_region *region = tsr__t_alloc(ps->p, sizeof *region), *outer = ps->region;
    enum tsr__t_region_kind outer_kind = ps->kind;
    struct tsr__t_scope scope;
    tsr__t_deeper(ps);
    ps->kind = kind;
    ps->region = region;
    tsr__t_open_scope(ps, &scope);
    tsr__t_expect(ps, "{");
    while (!tsr__t_is(ps, "}")) {
        if (ps->token.kind == TSR__T_END)
            tsr__t_unexpected(ps, "'}'");
        if (!tsr__t_read_definition(ps))
            tsr__t_read_inst(ps);
    }
    tsr__t_advance(ps);
    tsr__t_close_scope(ps);
    ps->region = outer;
    ps->kind = outer_kind;
    ps->depth--;
    return region;
}

static void read_param(struct tsr__t_parser *ps, struct tsr__t_func *func)
{
    struct tsr__t_token id = ps->token;
    if (id.kind != TSR__T_LOCAL_ID)
        tsr__t_unexpected(ps, "local identifier");
    tsr__t_advance(ps);
    tsr__t_expect(ps, ":");
    struct tsr__t_param *param = tsr__t_grow(ps, &func->params, func->param_count, sizeof *param);
    func->param_count++;
    *param = (struct tsr__t_param){.value = {.name = id.word, .at = id.at, .index = func->value_count++}};
    param->value.type = tsr__t_read_type(ps);
    param->value.at = tsr__t_since(ps, id.at);
    param->attributes = tsr__t_read_attributes(ps);
    if (param->value.type->kind == TSR__T_COOP)
        tsr__t_error(ps->p, param->value.at, "Parameters must not have coopmatrix type");
    tsr__t_check_attributes(ps->p, tsr__t_since(ps, id.at), param->value.type, param->attributes);
}

static void check_name(struct tsr__t_parser *ps, const struct tsr__t_token *name)
{
    for (const struct tsr__t_func *f = ps->p->first; f; f = f->next)
        if (!strcmp(f->name, name->word))
            tsr__t_error(ps->p, name->at, "Identifier @%s was already used at %u.%u", name->word, f->at.line, f->at.column);
}

static struct tsr__t_func *read_func(struct tsr__t_parser *ps)
{
    struct tsr__t_func *func = tsr__t_alloc(ps->p, sizeof *func);
    struct tsr__t_scope scope;
    struct tsr_tensor_range from = ps->token.at;
    func->at = from;
    ps->func = func;
    ps->p->reading = func;
    tsr__t_begin_names(ps);
    tsr__t_open_scope(ps, &scope);
    tsr__t_expect(ps, "func");
    if (ps->token.kind != TSR__T_GLOBAL_ID)
        tsr__t_unexpected(ps, "global identifier");
    check_name(ps, &ps->token);
    func->name = ps->token.word;
    tsr__t_advance(ps);
    tsr__t_expect(ps, "(");
    if (!tsr__t_is(ps, ")")) {
        do
            read_param(ps, func);
        while (tsr__t_accept(ps, ","));
    }
    tsr__t_expect(ps, ")");
    func->head = tsr__t_since(ps, from);
    for (uint32_t i = 0; i < func->param_count; i++) /* now that the array stays where it is */
        tsr__t_bind(ps, &func->params[i].value);
    if (tsr__t_accept(ps, "attributes")) {
        func->attributes = tsr__t_read_attributes(ps);
        if (!func->attributes)
            tsr__t_unexpected(ps, "'{'");
    }
    tsr__t_check_func(ps->p, func);
    tsr__t_make_signature(ps->p, func);
    func->body = read_region(ps, TSR__T_COLLECTIVE);
    tsr__t_check_returns(ps->p, NULL, func->body, false);
    tsr__t_fit_work_group(ps->p, func);
    tsr__t_close_scope(ps);
    func->at = tsr__t_since(ps, from);
    return func;
}

static void read_program(struct tsr_tensor_program *p)
{
    struct tsr__t_parser *ps = tsr__t_alloc(p, sizeof *ps);
    struct tsr__t_func **last = &p->first;
    ps->p = p;
    ps->lexer = (struct tsr__t_lexer){p, 0, 1, 1, false};
    ps->read_region = read_region;
    tsr__t_advance(ps);
    do {
        while (tsr__t_read_definition(ps))
            ;
        if (ps->token.kind == TSR__T_END && p->first)
            break;
        if (!tsr__t_is(ps, "func"))
            tsr__t_unexpected(ps, p->first ? "'func' or end of file" : "'func'");
        if (p->func_count == MOST_FUNCTIONS)
            tsr__t_stop(p, ps->token.at, "More than %d functions", MOST_FUNCTIONS);
        *last = read_func(ps);
        last = &(*last)->next;
        p->func_count++;
    } while (ps->token.kind != TSR__T_END);
}

struct tsr_tensor_program *tsr_tensor_parse(const char *text, size_t size, const char *name, const struct tsr_tensor_target *target)
{
    struct tsr_tensor_program *p = tsr_calloc(1, sizeof *p);
    if (!p)
        return NULL;
    /* Of this thread: numbers have a point, whatever the application's locale has. */
    locale_t own_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0), before = uselocale(own_locale);
    p->last_diagnostic = &p->diagnostics;
    p->target = *target;
    int left = setjmp(p->out);
    if (!left) {
        char *own = tsr__t_alloc(p, size + 1), *own_name = tsr__t_alloc(p, strlen(name) + 1);
        memcpy(own, text, size);
        p->text = own;
        p->size = size;
        p->name = strcpy(own_name, name);
        read_program(p);
    }
    uselocale(before);
    freelocale(own_locale);
    if (left == TSR__T_NO_MEMORY) {
        tsr_tensor_free(p);
        return NULL;
    }
    return p;
}

void tsr_tensor_free(struct tsr_tensor_program *p)
{
    if (p)
        tsr_arena_free(&p->arena);
    tsr_free(p);
}

const struct tsr_tensor_function_info *tsr_tensor_function(const struct tsr_tensor_program *p, uint32_t index)
{
    const struct tsr__t_func *f = p->first;
    while (f && index--)
        f = f->next;
    return f ? &f->info : NULL;
}
