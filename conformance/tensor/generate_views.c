/* SPDX-License-Identifier: Apache-2.0
 * Local memory, and views of what there is. */
#include "gen.h"

/* Local memory, which is written at once. */
bool put_alloca(struct gen *g)
{
    const struct view *like = any_view(g);
    int type = (int)below(g, TYPES), mode[MOST_MODES];
    if (like->order > 2 || g->view_count + 1 >= MOST_VIEWS || g->memories >= MOST_VIEWS || !promotable(like->type, type) ||
        !fits(type, bound_of(g, like)))
        return false;
    for (uint32_t i = 0; i < like->order; i++) {
        mode[i] = like->mode[i];
        if (g->open[mode[i]])
            return false;
    }
    uint32_t name = g->next_name++;
    line(g);
    tsr_buf_printf(&g->text, "%%t%u = alloca : memref<%s", name, types[type].name);
    for (uint32_t i = 0; i < like->order; i++)
        put_size(g, mode[i]);
    if (like->order == 2 && chance(g, 20))
        tsr_buf_printf(&g->text, ",strided<1,%lld>", (long long)g->size[mode[0]] + 1);
    tsr_buf_printf(&g->text, ",local>");
    struct view from = *like;
    struct view *v = add_view(g, type, like->order, mode, g->memories, true);
    snprintf(v->name, sizeof v->name, "t%u", name);
    g->memory_bound[g->memories++] = bound_of(g, &from);
    uint32_t one = put_scalar(g, from.type, 1), zero = put_scalar(g, type, 0);
    line(g);
    tsr_buf_printf(&g->text, "axpby.n %%c%u, %%%s, %%c%u, %%%s", one, from.name, zero, v->name);
    return true;
}

/* The strides of a view of `order` modes that begins with the first mode of `from`, and the end of its type. */
static void put_strides_behind(struct gen *g, const struct view *from, uint32_t order)
{
    if (order)
        put_first_stride(g, from);
    for (uint32_t i = 1; i < order; i++)
        tsr_buf_printf(&g->text, ",?");
    tsr_buf_printf(&g->text, "%s%s>", order ? ">" : "", from->local ? ",local" : "");
}

/* A column, by number or by an index that is a value. */
bool put_column(struct gen *g)
{
    const struct view from = *any_view(g);
    if (from.order < 2 || g->view_count + 1 >= MOST_VIEWS)
        return false;
    uint32_t name = g->next_name++, last = from.order - 1;
    uint32_t column = below(g, (uint32_t)g->size[from.mode[last]]);
    bool by_value = chance(g, 50);
    if (by_value) {
        line(g);
        tsr_buf_printf(&g->text, "%%i%u = constant %u : index", name, column);
    }
    line(g);
    tsr_buf_printf(&g->text, "%%s%u = subview %%%s[", name, from.name);
    for (uint32_t i = 0; i < last; i++)
        tsr_buf_printf(&g->text, ":,");
    tsr_buf_printf(&g->text, by_value ? "%%i%u" : "%u:0", by_value ? name : column);
    tsr_buf_printf(&g->text, "] : memref<%s", types[from.type].name);
    for (uint32_t i = 0; i < last; i++)
        put_size(g, from.mode[i]);
    put_strides_behind(g, &from, last);
    struct view *v = add_view(g, from.type, last, from.mode, from.memory, from.local);
    v->first_open = from.first_open;
    v->first = from.first;
    snprintf(v->name, sizeof v->name, "s%u", name);
    return true;
}

/* The size of a mode as a value of its own, for a type in which it is open. */
static void put_open_size(struct gen *g, uint32_t name, int64_t size)
{
    line(g);
    tsr_buf_printf(&g->text, "%%z%u = constant %lld : index", name, (long long)size);
}

/* Part of a view: one of its modes gets the size of another mode of the program. */
bool put_window(struct gen *g)
{
    const struct view from = *any_view(g);
    if (!from.order || g->view_count + 1 >= MOST_VIEWS)
        return false;
    uint32_t cut = below(g, from.order), name = g->next_name++;
    int to = (int)below(g, g->modes);
    int64_t room = g->size[from.mode[cut]] - g->size[to];
    if (room < 0)
        return false;
    int64_t offset = below(g, (uint32_t)room + 1);
    bool by_value = chance(g, 50);
    put_open_size(g, name, g->size[to]);
    line(g);
    tsr_buf_printf(&g->text, "%%i%u = constant %lld : index", name, (long long)offset);
    line(g);
    tsr_buf_printf(&g->text, "%%s%u = subview %%%s[", name, from.name);
    for (uint32_t i = 0; i < from.order; i++) {
        tsr_buf_printf(&g->text, i ? "," : "");
        if (i != cut)
            tsr_buf_printf(&g->text, ":");
        else if (by_value)
            tsr_buf_printf(&g->text, "%%i%u:", name);
        else
            tsr_buf_printf(&g->text, "%lld:", (long long)offset);
        if (i == cut && g->open[to])
            tsr_buf_printf(&g->text, "%%z%u", name);
        else if (i == cut)
            tsr_buf_printf(&g->text, "%lld", (long long)g->size[to]);
    }
    tsr_buf_printf(&g->text, "] : memref<%s", types[from.type].name);
    struct view *v = add_view(g, from.type, from.order, from.mode, from.memory, from.local);
    v->mode[cut] = to;
    v->first_open = from.first_open;
    v->first = from.first;
    snprintf(v->name, sizeof v->name, "s%u", name);
    for (uint32_t i = 0; i < v->order; i++)
        put_size(g, v->mode[i]);
    put_strides_behind(g, &from, from.order);
    return true;
}

/* All elements of a view that is at hand as %e NAME are negated. */
static void put_negation(struct gen *g, uint32_t name, uint32_t order, int type)
{
    char own[64] = "", from[64] = "", to[64] = "";
    for (uint32_t i = 0; i < order; i++) {
        line(g);
        tsr_buf_printf(&g->text, "%%u%u_%u = size %%e%u[%u] : index", name, i, name, i);
        snprintf(own + strlen(own), sizeof own - strlen(own), "%s%%h%u_%u", i ? "," : "", name, i);
        snprintf(from + strlen(from), sizeof from - strlen(from), "%s%%o%u", i ? "," : "", name);
        snprintf(to + strlen(to), sizeof to - strlen(to), "%s%%u%u_%u", i ? "," : "", name, i);
    }
    line(g);
    tsr_buf_printf(&g->text, "%%o%u = constant 0 : index", name);
    line(g);
    tsr_buf_printf(&g->text, "foreach (%s) = (%s), (%s) { %%x%u = load %%e%u[%s] : %s %%n%u = arith.neg %%x%u : %s ", own, from, to, name,
                   name, own, types[type].name, name, name, types[type].name);
    tsr_buf_printf(&g->text, "store %%n%u, %%e%u[%s] }", name, name, own);
}

/* A mode becomes two or three, in which elements are negated, and these one again. */
bool put_expanded(struct gen *g)
{
    const struct view from = *any_view(g);
    if (!from.order || g->view_count + 1 >= MOST_VIEWS)
        return false;
    uint32_t cut = below(g, from.order), name = g->next_name++, count = 2 + below(g, 2), dynamic = below(g, count);
    int64_t left = g->size[from.mode[cut]], factor[3] = {1, 1, 1};
    bool open = g->open[from.mode[cut]];
    for (uint32_t i = 0; i + 1 < count; i++) {
        do
            factor[i] = 1 + below(g, (uint32_t)left);
        while (left % factor[i]);
        left /= factor[i];
    }
    factor[count - 1] = left;
    put_open_size(g, name, factor[dynamic]);
    line(g);
    tsr_buf_printf(&g->text, "%%e%u = expand %%%s[%u -> ", name, from.name, cut);
    for (uint32_t i = 0; i < count; i++) {
        tsr_buf_printf(&g->text, i ? " x " : "");
        if (open && i == dynamic)
            tsr_buf_printf(&g->text, "%%z%u", name);
        else
            tsr_buf_printf(&g->text, "%lld", (long long)factor[i]);
    }
    tsr_buf_printf(&g->text, "] : memref<%s", types[from.type].name);
    for (uint32_t i = 0; i < from.order; i++) {
        for (uint32_t k = 0; i == cut && k < count; k++) {
            if (open && k == dynamic)
                tsr_buf_printf(&g->text, "x?");
            else
                tsr_buf_printf(&g->text, "x%lld", (long long)factor[k]);
        }
        if (i != cut)
            put_size(g, from.mode[i]);
    }
    put_strides_behind(g, &from, from.order + count - 1);
    put_negation(g, name, from.order + count - 1, from.type);
    line(g);
    tsr_buf_printf(&g->text, "%%s%u = fuse %%e%u[%u,%u] : memref<%s", name, name, cut, cut + count - 1, types[from.type].name);
    for (uint32_t i = 0; i < from.order; i++)
        put_size(g, from.mode[i]);
    put_strides_behind(g, &from, from.order);
    struct view *v = add_view(g, from.type, from.order, from.mode, from.memory, from.local);
    v->first_open = from.first_open;
    v->first = from.first;
    snprintf(v->name, sizeof v->name, "s%u", name);
    return true;
}
