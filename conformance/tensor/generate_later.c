/* SPDX-License-Identifier: Apache-2.0
 * Instructions that came with release 0.4: atomic ones, tiles that sub-groups take in turn, and matrices component by component. */
#include "gen.h"

static const char *any_scope(struct gen *g)
{
    static const char *const scopes[] = {"", ".cross_device", ".device", ".work_group", ".subgroup"};
    return scopes[below(g, TSR_ARRAY_LEN(scopes))];
}

/* An order that loads and stores have, or updates alone. */
static const char *any_order(struct gen *g, const char *own, bool updates)
{
    const char *const orders[] = {"", ".relaxed", own, ".sequentially_consistent", ".acquire_release"};
    return orders[below(g, updates ? 5 : 4)];
}

static const char *any_update(struct gen *g, int type)
{
    static const char *const updates[] = {"add", "max", "min"};
    return updates[below(g, types[type].class == COMPLEX ? 1 : 3)];
}

/* Each element is updated, and becomes what is there less what was there. */
static void put_updates(struct gen *g, const struct view *a, const struct view *c)
{
    uint32_t n = g->next_name++;
    const char *type = types[c->type].name;
    char index[64] = "";
    line(g);
    tsr_buf_printf(&g->text, "%%z%u = constant 0 : index", n);
    for (uint32_t i = 0; i < c->order; i++)
        tsr_buf_printf(&g->text, " %%e%u_%u = size %%%s[%u] : index", n, i, c->name, i);
    for (uint32_t i = 0; i < c->order; i++)
        snprintf(index + strlen(index), sizeof index - strlen(index), "%s%%i%u_%u", i ? "," : "", n, i);
    line(g);
    tsr_buf_printf(&g->text, "foreach (%s) = (", index);
    for (uint32_t i = 0; i < c->order; i++)
        tsr_buf_printf(&g->text, "%s%%z%u", i ? "," : "", n);
    tsr_buf_printf(&g->text, "), (");
    for (uint32_t i = 0; i < c->order; i++)
        tsr_buf_printf(&g->text, "%s%%e%u_%u", i ? "," : "", n, i);
    tsr_buf_printf(&g->text, ") {");
    g->indent++;
    line(g);
    tsr_buf_printf(&g->text, "%%w%u = load %%%s[%s] : %s %%x%u = cast %%w%u : %s", n, a->name, index, types[a->type].name, n, n, type);
    line(g);
    tsr_buf_printf(&g->text, "%%b%u = atomic_%s%s", n, any_update(g, c->type), any_scope(g));
    tsr_buf_printf(&g->text, "%s %%x%u, %%%s[%s] : %s", any_order(g, ".acquire", true), n, c->name, index, type);
    line(g);
    tsr_buf_printf(&g->text, "%%l%u = atomic_load%s", n, any_scope(g));
    tsr_buf_printf(&g->text, "%s %%%s[%s] : %s", any_order(g, ".acquire", false), c->name, index, type);
    line(g);
    tsr_buf_printf(&g->text, "%%d%u = arith.sub %%l%u, %%b%u : %s", n, n, n, type);
    line(g);
    tsr_buf_printf(&g->text, "atomic_store%s", any_scope(g));
    tsr_buf_printf(&g->text, "%s %%d%u, %%%s[%s]", any_order(g, ".release", false), n, c->name, index);
    g->indent--;
    line(g);
    tsr_buf_printf(&g->text, "}");
}

bool put_atomics(struct gen *g)
{
    const struct view *c = any_view(g), *a = find_view(g, c->type, c->order, c->mode);
    if (!a || a->memory == c->memory || !types[c->type].atomic)
        return false;
    double bound = 2 * (bound_of(g, a) + bound_of(g, c));
    if (!fits(c->type, bound))
        return false;
    if (c->order) {
        put_updates(g, a, c);
    } else { /* once for all work-items, which then have what was there */
        uint32_t n = g->next_name++;
        const char *type = types[c->type].name;
        line(g);
        tsr_buf_printf(&g->text, "%%w%u = load %%%s[] : %s %%x%u = cast %%w%u : %s", n, a->name, types[a->type].name, n, n, type);
        line(g);
        tsr_buf_printf(&g->text, "%%b%u = atomic_%s %%x%u, %%%s[] : %s", n, any_update(g, c->type), n, c->name, type);
        line(g);
        tsr_buf_printf(&g->text, "%%d%u = arith.add %%b%u, %%x%u : %s atomic_store %%d%u, %%%s[]", n, n, n, type, n, c->name);
    }
    raise_bound(g, c, bound);
    return true;
}

static void put_matrix_type(struct gen *g, int type, uint32_t rows, uint32_t cols)
{
    tsr_buf_printf(&g->text, "coopmatrix<%sx%ux%u,matrix_acc>", types[type].name, rows, cols);
}

/* %r NAME: each component of %a NAME, or its negative where row and column, or the size of the tile, say so. */
static void put_apply(struct gen *g, uint32_t n, int type, uint32_t rows, uint32_t cols)
{
    static const char *const compares[] = {"eq", "ne", "gt", "ge", "lt", "le"};
    const char *name = types[type].name;
    line(g);
    tsr_buf_printf(&g->text, "%%r%u = cooperative_matrix_apply (%%i%u,%%j%u,%%k%u)=%%a%u -> ", n, n, n, n, n);
    put_matrix_type(g, type, rows, cols);
    tsr_buf_printf(&g->text, " {");
    g->indent++;
    line(g);
    tsr_buf_printf(&g->text, "%%c%u = cast %%p%u : i32 %%t%u = cmp.%s %%i%u, %%%c%u : bool", n, n, n, compares[below(g, 6)], n,
                   chance(g, 50) ? 'j' : 'c', n);
    line(g);
    tsr_buf_printf(&g->text, "%%g%u = if %%t%u -> (%s) { yield (%%k%u) } else { %%n%u = arith.neg %%k%u : %s yield (%%n%u) }", n, n, name,
                   n, n, n, name, n);
    line(g);
    tsr_buf_printf(&g->text, "yield (%%g%u)", n);
    g->indent--;
    line(g);
    tsr_buf_printf(&g->text, "}");
}

/* One component of each work-item of the matrix %WHAT NAME becomes its negative in %z NAME. */
static void put_component(struct gen *g, uint32_t n, char what, int type, uint32_t rows, uint32_t cols)
{
    uint32_t at = rows >= 32 ? below(g, cols) : 0; /* which they have, whatever the size of sub-groups */
    line(g);
    tsr_buf_printf(&g->text, "%%xe%u = cooperative_matrix_extract %%%c%u[%u] : %s %%xn%u = arith.neg %%xe%u : %s", n, what, n, at,
                   types[type].name, n, n, types[type].name);
    line(g);
    tsr_buf_printf(&g->text, "%%xm%u = cooperative_matrix_insert %%xn%u, %%%c%u[%u] : ", n, n, what, n, at);
    put_matrix_type(g, type, rows, cols);
}

/* A matrix goes into another one tile by tile. */
bool put_turns(struct gen *g)
{
    static const uint32_t columns[] = {1, 3, 8, 16};
    const struct view *c = any_view(g), *a = find_view(g, c->type, c->order, c->mode);
    uint32_t rows = chance(g, 70) ? 32 : 64, cols = columns[below(g, 4)];
    if (!a || c->order != 2 || a->memory == c->memory)
        return false;
    uint32_t kind = types[c->type].atomic ? below(g, 3) : 0;
    double bound = bound_of(g, a) + bound_of(g, c);
    if (!fits(c->type, 2 * bound))
        return false;
    uint32_t n = g->next_name++;
    const char *memory = kind ? "cooperative_matrix_atomic_" : "cooperative_matrix_";
    line(g);
    tsr_buf_printf(&g->text, "%%z%u = constant 0 : index %%m%u = size %%%s[0] : index %%e%u = size %%%s[1] : index", n, n, c->name, n,
                   c->name);
    line(g);
    tsr_buf_printf(&g->text, "foreach_tile (%%x%u,%%y%u)=(%%z%u,%%z%u),(%%m%u,%%e%u) as (%%p%u,%%q%u)<=(%u,%u) {", n, n, n, n, n, n, n, n,
                   rows, cols);
    g->indent++;
    line(g);
    bool atomic = kind && types[a->type].atomic;
    tsr_buf_printf(&g->text, "%%%c%u = %sload.both_checked %%%s[%%x%u,%%y%u] : ", a->type == c->type ? 'a' : 'l', n,
                   atomic ? memory : "cooperative_matrix_", a->name, n, n);
    put_matrix_type(g, a->type, rows, cols);
    if (a->type != c->type) {
        line(g);
        tsr_buf_printf(&g->text, "%%a%u = cast %%l%u : ", n, n);
        put_matrix_type(g, c->type, rows, cols);
    }
    if (chance(g, 40)) {
        line(g);
        tsr_buf_printf(&g->text, "cooperative_matrix_prefetch %u, %%%s[%%x%u,%%y%u], %u, %u", below(g, 4), c->name, n, n, rows, cols);
    }
    put_apply(g, n, c->type, rows, cols);
    line(g);
    const char *what = "r";
    if (chance(g, 30)) {
        put_component(g, n, 'r', c->type, rows, cols);
        line(g);
        what = "xm";
    }
    if (types[c->type].class != COMPLEX && chance(g, 40)) {
        static const char *const ops[] = {"abs", "max", "min"};
        uint32_t op = below(g, 3);
        tsr_buf_printf(&g->text, "%%u%u = %s %%r%u", n, ops[op], n);
        if (op)
            tsr_buf_printf(&g->text, ", %%a%u", n);
        tsr_buf_printf(&g->text, " : ");
        put_matrix_type(g, c->type, rows, cols);
        line(g);
        what = "u";
    }
    if (kind == 2) { /* what was there is added */
        tsr_buf_printf(&g->text, "%%b%u = cooperative_matrix_atomic_%s.both_checked%s %%%s%u, %%%s[%%x%u,%%y%u] : ", n,
                       any_update(g, c->type), any_scope(g), what, n, c->name, n, n);
        put_matrix_type(g, c->type, rows, cols);
        line(g);
        tsr_buf_printf(&g->text, "%%s%u = arith.add %%b%u, %%%s%u : ", n, n, what, n);
        put_matrix_type(g, c->type, rows, cols);
        line(g);
        what = "s";
    }
    tsr_buf_printf(&g->text, "%sstore.both_checked %%%s%u, %%%s[%%x%u,%%y%u]", memory, what, n, c->name, n, n);
    g->indent--;
    line(g);
    tsr_buf_printf(&g->text, "}");
    raise_bound(g, c, 2 * bound);
    return true;
}

/* A part of a matrix is reduced to a row or a column of another one. */
bool put_reduction(struct gen *g)
{
    static const char *const ops[] = {"add", "max", "min"};
    static const uint32_t heights[] = {4, 8, 16, 32, 5, 12, 40}, widths[] = {1, 3, 8, 16};
    const struct view *c = any_view(g), *a = any_view(g);
    uint32_t rows = heights[below(g, 7)], cols = widths[below(g, 4)], op = below(g, types[c->type].class == COMPLEX ? 1 : 3);
    bool down = chance(g, 50);
    double bound = bound_of(g, a) * (down ? rows : cols);
    if (c->order != 2 || a->order != 2 || a->type != c->type || a->memory == c->memory || !fits(c->type, bound))
        return false;
    uint32_t n = g->next_name++;
    line(g);
    tsr_buf_printf(&g->text, "parallel {\n    %%i%u = constant %d : index %%k%u = constant %u : index\n", n, chance(g, 50) ? -1 : 0, n,
                   below(g, 3));
    tsr_buf_printf(&g->text, "    %%a%u = cooperative_matrix_load.%c.both_checked %%%s[%%i%u,%%k%u] : ", n, chance(g, 30) ? 't' : 'n',
                   a->name, n, n);
    put_matrix_type(g, a->type, rows, cols);
    bool changed = chance(g, 40);
    if (changed)
        put_component(g, n, 'a', a->type, rows, cols);
    tsr_buf_printf(&g->text, "\n    %%r%u = cooperative_matrix_reduce_%s.%s %%%s%u : ", n, ops[op], down ? "column" : "row",
                   changed ? "xm" : "a", n);
    put_matrix_type(g, a->type, down ? 1 : rows, down ? cols : 1);
    tsr_buf_printf(&g->text, "\n    cooperative_matrix_store.both_checked %%r%u, %%%s[%%k%u,%%k%u]\n  }", n, c->name, n, n);
    raise_bound(g, c, bound);
    return true;
}
