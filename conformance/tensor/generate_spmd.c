/* SPDX-License-Identifier: Apache-2.0
 * Elements one by one, and work-items of a sub-group that meet. */
#include "gen.h"

/* Arithmetic on two numbers %x and %y of a type, in names that begin with `name`; the result is the last of them. */
static double put_arithmetic(struct gen *g, int type, uint32_t name, double x, double y)
{
    static const char *const ops[] = {"add", "sub", "mul", "min", "max", "and", "or", "xor", "shl", "shr"};
    uint32_t limit = types[type].class == WHOLE ? 10 : types[type].class == FLOATING ? 5 : 3, op = below(g, limit);
    double bound = op == 2 ? x * y * 2 : x + y;
    if (!fits(type, bound)) {
        op = types[type].class == COMPLEX ? 1 : 3;
        bound = x + y;
    }
    line(g);
    tsr_buf_printf(&g->text, "%%a%u = arith.%s %%x%u, %%y%u : %s", name, ops[op], name, name, types[type].name);
    line(g);
    if (types[type].class == COMPLEX) {
        tsr_buf_printf(&g->text, "%%q%u = cmp.%s %%x%u, %%a%u : bool", name, chance(g, 50) ? "eq" : "ne", name, name);
    } else {
        static const char *const compares[] = {"eq", "ne", "gt", "ge", "lt", "le"};
        tsr_buf_printf(&g->text, "%%q%u = cmp.%s %%x%u, %%a%u : bool", name, compares[below(g, 6)], name, name);
    }
    line(g);
    tsr_buf_printf(&g->text, "%%r%u = if %%q%u -> (%s) { yield (%%a%u) } else { %%n%u = arith.%s %%y%u : %s yield (%%n%u) }", name, name,
                   types[type].name, name, name,
                   chance(g, 50)                  ? "neg"
                   : types[type].class == COMPLEX ? "conj"
                                                  : "abs",
                   name, types[type].name, name);
    return bound > y ? bound : y;
}

/* Each element of a view from those of two others. */
bool put_foreach(struct gen *g)
{
    const struct view *c = any_view(g), *a, *b;
    if (!c->order || !(a = find_view(g, -1, c->order, c->mode)) || !(b = find_view(g, c->type, c->order, c->mode)))
        return false;
    if (a->memory == c->memory || b->memory == c->memory || a->type > c->type ||
        (types[a->type].class == COMPLEX && types[c->type].class != COMPLEX))
        return false;
    if (!fits(c->type, bound_of(g, a)) || !fits(c->type, (bound_of(g, a) + bound_of(g, b)) * 2))
        return false;
    if (types[a->type].class != WHOLE && types[c->type].class == WHOLE)
        return false; /* what does not fit is undefined */
    uint32_t name = g->next_name++;
    const char *width = any_width(g);
    for (uint32_t i = 0; i < c->order; i++) {
        line(g);
        tsr_buf_printf(&g->text, "%%m%u_%u = size %%%s[%u] : index %%e%u_%u = cast %%m%u_%u : %s", name, i, c->name, i, name, i, name, i,
                       width);
    }
    line(g);
    tsr_buf_printf(&g->text, "%%z%u = constant 0 : %s", name, width);
    line(g);
    tsr_buf_printf(&g->text, "foreach (");
    for (int part = 0; part < 3; part++) {
        if (part == 1)
            tsr_buf_printf(&g->text, "):%s = (", width);
        else if (part == 2)
            tsr_buf_printf(&g->text, "), (");
        for (uint32_t i = 0; i < c->order; i++)
            tsr_buf_printf(&g->text, part == 0 ? "%s%%j%u_%u" : part == 1 ? "%s%%z%u" : "%s%%e%u_%u", i ? "," : "", name, i);
    }
    char index[64] = "";
    for (uint32_t i = 0; i < c->order; i++)
        snprintf(index + strlen(index), sizeof index - strlen(index), "%s%%i%u_%u", i ? "," : "", name, i);
    tsr_buf_printf(&g->text, ") {");
    g->indent++;
    for (uint32_t i = 0; i < c->order; i++) {
        line(g);
        tsr_buf_printf(&g->text, "%%i%u_%u = cast %%j%u_%u : index", name, i, name, i);
    }
    line(g);
    tsr_buf_printf(&g->text, "%%w%u = load %%%s[%s] : %s", name, a->name, index, types[a->type].name);
    line(g);
    tsr_buf_printf(&g->text, "%%x%u = cast %%w%u : %s", name, name, types[c->type].name);
    line(g);
    tsr_buf_printf(&g->text, "%%b%u = load %%%s[%s] : %s", name, b->name, index, types[b->type].name);
    line(g);
    tsr_buf_printf(&g->text, "%%y%u = cast %%b%u : %s", name, name, types[c->type].name);
    double bound = put_arithmetic(g, c->type, name, bound_of(g, a), bound_of(g, b));
    line(g);
    bool add = types[c->type].atomic && fits(c->type, bound + bound_of(g, c)) && chance(g, 30);
    tsr_buf_printf(&g->text, "store%s %%r%u, %%%s[%s]", add ? ".atomic_add" : "", name, c->name, index);
    g->indent--;
    line(g);
    tsr_buf_printf(&g->text, "}");
    raise_bound(g, c, add ? bound + bound_of(g, c) : bound);
    return true;
}

/* Reads a vector into the work-items of a sub-group, lets them meet, and writes what they get. */
bool put_sub_group(struct gen *g)
{
    static const char *const ops[] = {"add", "max", "min"}, *const kinds[] = {"exclusive_scan", "inclusive_scan", "reduce"};
    const struct view *c = any_view(g), *a;
    if (c->order != 1 || !(a = find_view(g, c->type, 1, c->mode)) || a->memory == c->memory || !fits(c->type, bound_of(g, a)))
        return false;
    uint32_t op = below(g, types[c->type].class == COMPLEX ? 1 : 3), kind = below(g, 3), name = g->next_name++;
    double bound = bound_of(g, a) * 32;
    if (op && kind == 0 && types[c->type].class) /* begins with an infinity */
        kind = 1;
    if (!fits(c->type, bound))
        return false;
    const char *type = types[c->type].name;
    tsr_buf_printf(&g->text, "\n%*sparallel {\n", (int)(2 * g->indent), "");
    tsr_buf_printf(&g->text, "    %%l%u = builtin.subgroup_local_id : i32\n    %%k%u = cast %%l%u : index\n", name, name, name);
    tsr_buf_printf(&g->text, "    %%e%u = size %%%s[0] : index\n    %%q%u = cmp.lt %%k%u, %%e%u : bool\n", name, a->name, name, name, name);
    if (types[c->type].class == WHOLE)
        tsr_buf_printf(&g->text, "    %%o%u = constant 1 : %s\n", name, type);
    else
        tsr_buf_printf(&g->text,
                       types[c->type].class == FLOATING ? "    %%o%u = constant 1.0 : %s\n" : "    %%o%u = constant [1.0,0.0] : %s\n", name,
                       type);
    tsr_buf_printf(&g->text, "    %%x%u = if %%q%u -> (%s) { %%w%u = load %%%s[%%k%u] : %s %%n%u = cast %%w%u : %s yield (%%n%u) } ", name,
                   name, type, name, a->name, name, types[a->type].name, name, name, type, name);
    tsr_buf_printf(&g->text, "else { yield (%%o%u) }\n", name);
    if (chance(g, 30))
        tsr_buf_printf(&g->text, "    %%i%u = constant %u : i32\n    %%r%u = subgroup_broadcast %%x%u, %%i%u : %s\n", name, below(g, 8),
                       name, name, name, type);
    else
        tsr_buf_printf(&g->text, "    %%r%u = subgroup_%s.%s %%x%u : %s\n", name, ops[op], kinds[kind], name, type);
    tsr_buf_printf(&g->text, "    if %%q%u { store %%r%u, %%%s[%%k%u] }\n  }", name, name, c->name, name);
    raise_bound(g, c, bound);
    return true;
}

enum { MOST_ITEMS = 128 }; /* of a work-group */

/* Each work-item of the work-group reads an element into local memory, and writes the one that the work-item with the opposite number has
 * read. */
bool put_exchange(struct gen *g)
{
    const struct view *c = any_view(g), *a;
    if (c->order != 1 || !(a = find_view(g, c->type, 1, c->mode)) || a->memory == c->memory || !fits(c->type, bound_of(g, a)))
        return false;
    static const char *const ones[] = {"1", "1.0", "[1.0,0.0]"};
    uint32_t n = g->next_name++;
    const char *type = types[c->type].name;
    line(g);
    tsr_buf_printf(&g->text, "%%t%u = alloca : memref<%sx%u,local>", n, type, MOST_ITEMS);
    line(g);
    tsr_buf_printf(&g->text, "parallel {\n    %%l%u = builtin.subgroup_local_id : i32 %%g%u = builtin.subgroup_id : i32\n", n, n);
    tsr_buf_printf(&g->text, "    %%s%u = builtin.subgroup_size : i32 %%m%u = builtin.num_subgroups : i32 %%u%u = constant 1 : i32\n", n, n,
                   n);
    tsr_buf_printf(&g->text, "    %%p%u = arith.mul %%g%u, %%s%u : i32 %%i%u = arith.add %%p%u, %%l%u : i32 %%x%u = cast %%i%u : index\n",
                   n, n, n, n, n, n, n, n);
    tsr_buf_printf(&g->text, "    %%a%u = arith.mul %%s%u, %%m%u : i32 %%b%u = arith.sub %%a%u, %%u%u : i32\n", n, n, n, n, n, n);
    tsr_buf_printf(&g->text, "    %%o%u = arith.sub %%b%u, %%i%u : i32 %%y%u = cast %%o%u : index\n", n, n, n, n, n);
    tsr_buf_printf(&g->text, "    %%e%u = size %%%s[0] : index %%q%u = cmp.lt %%x%u, %%e%u : bool\n", n, c->name, n, n, n);
    tsr_buf_printf(&g->text, "    %%k%u = if %%q%u -> (%s) { %%w%u = load %%%s[%%x%u] : %s %%n%u = cast %%w%u : %s yield (%%n%u) } else { ",
                   n, n, type, n, a->name, n, types[a->type].name, n, n, type, n);
    tsr_buf_printf(&g->text, "%%z%u = constant %s : %s yield (%%z%u) }\n", n, ones[types[c->type].class], type, n);
    tsr_buf_printf(&g->text, "    store %%k%u, %%t%u[%%x%u]\n    barrier.local\n    %%r%u = load %%t%u[%%y%u] : %s\n", n, n, n, n, n, n,
                   type);
    tsr_buf_printf(&g->text, "    if %%q%u { store %%r%u, %%%s[%%x%u] }\n  }", n, n, c->name, n);
    raise_bound(g, c, bound_of(g, a));
    return true;
}
