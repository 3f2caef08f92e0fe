/* SPDX-License-Identifier: Apache-2.0
 * Elements of a view computed from those of others, by a row of random instructions on numbers: arithmetic, comparisons, casts, branches
 * with several results, loops that carry numbers. */
#include "gen.h"

enum { MOST_VALUES = 12 };

/* %xNAME_NUMBER */
struct value {
    int type;
    double bound;
};

struct body {
    struct gen *g;
    uint32_t name, count, order;
    struct value values[MOST_VALUES];
    const struct view *sources[2];
    char index[64]; /* the element's */
};

static bool is_whole(int type)
{
    return types[type].class == WHOLE;
}

static double largest(int type)
{
    return (double)((uint64_t)1 << (8 * types[type].bytes - 1));
}

/* The next value, of which the text follows. */
static void begin_value(struct body *b)
{
    line(b->g);
    tsr_buf_printf(&b->g->text, "%%x%u_%u = ", b->name, b->count);
}

static void end_value(struct body *b, int type, double bound)
{
    if (is_whole(type) && bound > largest(type))
        bound = largest(type);
    b->values[b->count++] = (struct value){type, bound};
}

static const char *text_of(int type)
{
    return types[type].name;
}

/* A number as a literal of the type. */
static void put_literal(struct gen *g, int type, int value, int imaginary)
{
    static const char *const formats[] = {"constant %d : %s", "constant %d.0 : %s"};
    if (types[type].class == COMPLEX)
        tsr_buf_printf(&g->text, "constant [%d.0, %d.0] : %s", value, imaginary, text_of(type));
    else
        tsr_buf_printf(&g->text, formats[types[type].class], value, text_of(type));
}

/* ---- instructions: each adds a value, or returns false ---- */

static bool add_binary(struct body *b, uint32_t x, uint32_t y)
{
    static const char *const ops[] = {"add", "sub", "mul", "min", "max", "and", "or", "xor", "shl", "shr"};
    int type = b->values[x].type;
    uint32_t op = below(b->g, is_whole(type) ? 10 : types[type].class == FLOATING ? 5 : 3);
    double p = b->values[x].bound, q = b->values[y].bound, bound = op == 2 ? p * q * 2 : op > 4 ? largest(type) : p + q;
    if (!fits(type, bound))
        return false;
    begin_value(b);
    tsr_buf_printf(&b->g->text, "%s%s %%x%u_%u, %%x%u_%u : %s", chance(b->g, 50) ? "arith." : "", ops[op], b->name, x, b->name, y,
                   text_of(type));
    end_value(b, type, bound);
    return true;
}

/* The quotient or the rest: of what is divided by 1 and more, or, if that is complex, by an imaginary number. */
static bool add_division(struct body *b, uint32_t x, uint32_t y)
{
    struct gen *g = b->g;
    int type = b->values[x].type;
    bool rest = !is_whole(type) || chance(g, 50);
    line(g);
    tsr_buf_printf(&g->text, "%%o%u_%u = ", b->name, b->count);
    if (types[type].class == COMPLEX) {
        put_literal(g, type, 0, chance(g, 50) ? 1 : -1);
        begin_value(b);
        tsr_buf_printf(&g->text, "arith.div %%x%u_%u, %%o%u_%u : %s", b->name, x, b->name, b->count, text_of(type));
    } else {
        put_literal(g, type, 1 + (int)below(g, 3), 0);
        line(g);
        tsr_buf_printf(&g->text, "%%d%u_%u = arith.max %%x%u_%u, %%o%u_%u : %s", b->name, b->count, b->name, y, b->name, b->count,
                       text_of(type));
        begin_value(b);
        tsr_buf_printf(&g->text, "arith.%s %%x%u_%u, %%d%u_%u : %s", rest ? "rem" : "div", b->name, x, b->name, b->count, text_of(type));
    }
    end_value(b, type, b->values[x].bound);
    return true;
}

static bool add_unary(struct body *b, uint32_t x)
{
    static const char *const ops[] = {"neg", "abs", "not"}, *const complex_ops[] = {"neg", "conj", "re", "im"};
    int type = b->values[x].type;
    bool complex = types[type].class == COMPLEX;
    uint32_t op = below(b->g, complex ? 4 : is_whole(type) ? 3 : 2);
    int result = complex && op > 1 ? types[type].real : type;
    begin_value(b);
    tsr_buf_printf(&b->g->text, "arith.%s %%x%u_%u : %s", complex ? complex_ops[op] : ops[op], b->name, x, text_of(result));
    end_value(b, result, b->values[x].bound + (op == 2 && !complex));
    return true;
}

/* To a type that can hold the number; wider whole numbers lose bits. */
static bool add_cast(struct body *b, uint32_t x, int to)
{
    int from = b->values[x].type;
    if (types[from].class == COMPLEX && types[to].class != COMPLEX)
        return false;
    if (!is_whole(to) && !fits(to, b->values[x].bound))
        return false;
    if (!is_whole(from) && is_whole(to) && b->values[x].bound >= largest(to))
        return false;
    begin_value(b);
    tsr_buf_printf(&b->g->text, "cast %%x%u_%u : %s", b->name, x, text_of(to));
    end_value(b, to, b->values[x].bound);
    return true;
}

/* A condition of one or two comparisons, as %q NAME _ NUMBER. */
static void put_condition(struct body *b, uint32_t x, uint32_t y)
{
    static const char *const compares[] = {"cmp.eq", "cmp.ne", "cmp.gt", "cmp.ge", "cmp.lt", "cmp.le"};
    static const char *const later[] = {"equal", "not_equal", "greater_than", "greater_than_equal", "less_than", "less_than_equal"};
    static const char *const joins[] = {"and", "or", "xor"};
    struct gen *g = b->g;
    const char *const *names = chance(g, 50) ? compares : later;
    uint32_t limit = types[b->values[x].type].class == COMPLEX ? 2 : 6, n = b->count;
    line(g);
    tsr_buf_printf(&g->text, "%%q%u_%u = %s %%x%u_%u, %%x%u_%u : bool", b->name, n, names[below(g, limit)], b->name, x, b->name, y);
    if (chance(g, 50)) {
        line(g);
        tsr_buf_printf(&g->text, "%%r%u_%u = cmp.ge %%h%u, %%w%u : bool", b->name, n, b->name, b->name);
        line(g);
        tsr_buf_printf(&g->text, "%%s%u_%u = arith.%s %%q%u_%u, %%r%u_%u : bool", b->name, n, joins[below(g, 3)], b->name, n, b->name, n);
        line(g);
        tsr_buf_printf(&g->text, "%%k%u_%u = arith.not %%s%u_%u : bool", b->name, n, b->name, n);
    } else {
        line(g);
        tsr_buf_printf(&g->text, "%%k%u_%u = arith.not %%q%u_%u : bool", b->name, n, b->name, n);
    }
}

/* A branch that gives two values of two types. */
static bool add_branch(struct body *b, uint32_t x, uint32_t y)
{
    struct gen *g = b->g;
    uint32_t n = b->count, z = below(g, n);
    int type = b->values[x].type, other = b->values[z].type;
    double bound = b->values[x].bound > b->values[y].bound ? b->values[x].bound : b->values[y].bound;
    if (n + 2 > MOST_VALUES)
        return false;
    put_condition(b, x, y);
    line(g);
    tsr_buf_printf(&g->text, "%%x%u_%u, %%x%u_%u = if %%k%u_%u -> (%s, %s) { %%n%u_%u = arith.neg %%x%u_%u : %s ", b->name, n, b->name,
                   n + 1, b->name, n, text_of(type), text_of(other), b->name, n, b->name, z, text_of(other));
    tsr_buf_printf(&g->text, "yield (%%x%u_%u, %%n%u_%u) } else { yield (%%x%u_%u, %%x%u_%u) }", b->name, x, b->name, n, b->name, y,
                   b->name, z);
    end_value(b, type, bound);
    end_value(b, other, b->values[z].bound);
    return true;
}

/* A loop that adds up the elements of a source along its first mode. */
static bool add_loop(struct body *b, uint32_t x)
{
    struct gen *g = b->g;
    const struct view *v = b->sources[below(g, 2)];
    int type = v->type;
    uint32_t n = b->count;
    double bound = b->values[x].bound + bound_of(g, v) * (double)g->size[v->mode[0]];
    if (b->values[x].type != type || !fits(type, bound))
        return false;
    const char *width = any_width(g), *rest = strchr(b->index, ',');
    line(g);
    tsr_buf_printf(&g->text, "%%f%u_%u = constant 0 : %s %%t%u_%u = cast %%w%u : %s", b->name, n, width, b->name, n, b->name, width);
    begin_value(b);
    tsr_buf_printf(&g->text, "for %%l%u_%u:%s = %%f%u_%u,%%t%u_%u init(%%y%u_%u=%%x%u_%u) -> (%s) { ", b->name, n, width, b->name, n,
                   b->name, n, b->name, n, b->name, x, text_of(type));
    tsr_buf_printf(&g->text, "%%p%u_%u = cast %%l%u_%u : index %%e%u_%u = load %%%s[%%p%u_%u%s] : %s ", b->name, n, b->name, n, b->name, n,
                   v->name, b->name, n, rest ? rest : "", text_of(type));
    tsr_buf_printf(&g->text, "%%z%u_%u = arith.add %%y%u_%u, %%e%u_%u : %s yield (%%z%u_%u) }%s", b->name, n, b->name, n, b->name, n,
                   text_of(type), b->name, n,
                   chance(g, 30)   ? " {unroll=true}"
                   : chance(g, 20) ? " {unroll=false}"
                                   : "");
    end_value(b, type, bound);
    return true;
}

/* The element of a source that lies as far from the end of the first mode as this one from its start. */
static bool add_mirrored(struct body *b)
{
    struct gen *g = b->g;
    const struct view *v = b->sources[below(g, 2)];
    const char *rest = strchr(b->index, ',');
    line(g);
    tsr_buf_printf(&g->text, "%%m%u_%u = arith.sub %%u%u, %%h%u : index", b->name, b->count, b->name, b->name);
    begin_value(b);
    tsr_buf_printf(&g->text, "load %%%s[%%m%u_%u%s] : %s", v->name, b->name, b->count, rest ? rest : "", text_of(v->type));
    end_value(b, v->type, bound_of(g, v));
    return true;
}

static bool add_value(struct body *b)
{
    struct gen *g = b->g;
    uint32_t x = below(g, b->count), y = x;
    for (int i = 0; i < 4; i++) {
        uint32_t other = below(g, b->count);
        if (b->values[other].type == b->values[x].type)
            y = other;
    }
    switch (below(g, 9)) {
    case 0:
    case 1:
        return add_binary(b, x, y);
    case 2:
        return add_division(b, x, y);
    case 3:
        return add_unary(b, x);
    case 4:
    case 5:
        return add_cast(b, x, (int)below(g, TYPES));
    case 6:
        return add_branch(b, x, y);
    case 7:
        return add_loop(b, x);
    default:
        return add_mirrored(b);
    }
}

/* ---- the statement ---- */

/* The bounds of all modes, and the loop's head. %h is the index in the first mode, %w its size, %u the last index. */
static void open_loop(struct body *b, const struct view *c)
{
    struct gen *g = b->g;
    char from[64] = "", to[64] = "";
    for (uint32_t i = 0; i < c->order; i++) {
        line(g);
        if (i)
            tsr_buf_printf(&g->text, "%%w%u_%u = size %%%s[%u] : index", b->name, i, c->name, i);
        else
            tsr_buf_printf(&g->text, "%%w%u = size %%%s[0] : index", b->name, c->name);
        snprintf(b->index + strlen(b->index), sizeof b->index - strlen(b->index), i ? ",%%h%u_%u" : "%%h%u", b->name, i);
        snprintf(from + strlen(from), sizeof from - strlen(from), "%s%%b%u", i ? "," : "", b->name);
        snprintf(to + strlen(to), sizeof to - strlen(to), i ? ",%%w%u_%u" : "%%w%u", b->name, i);
    }
    line(g);
    tsr_buf_printf(&g->text, "%%b%u = constant 0 : index %%j%u = constant 1 : index %%u%u = arith.sub %%w%u, %%j%u : index", b->name,
                   b->name, b->name, b->name, b->name);
    line(g);
    tsr_buf_printf(&g->text, "foreach (%s) = (%s), (%s) {", b->index, from, to);
    g->indent++;
}

bool put_values(struct gen *g)
{
    struct body b = {.g = g};
    const struct view *c = any_view(g);
    if (!c->order)
        return false;
    for (int i = 0; i < 2; i++) {
        b.sources[i] = find_view(g, -1, c->order, c->mode);
        if (!b.sources[i] || b.sources[i]->memory == c->memory)
            return false;
    }
    if (types[c->type].class != COMPLEX && (types[b.sources[0]->type].class == COMPLEX || !fits(c->type, bound_of(g, b.sources[0]))))
        return false;
    if (!is_whole(b.sources[0]->type) && is_whole(c->type) && bound_of(g, b.sources[0]) >= largest(c->type))
        return false;
    if (!fits(c->type, bound_of(g, b.sources[0])))
        return false;
    b.name = g->next_name++;
    open_loop(&b, c);
    for (int i = 0; i < 2; i++) {
        begin_value(&b);
        tsr_buf_printf(&g->text, "load %%%s[%s] : %s", b.sources[i]->name, b.index, text_of(b.sources[i]->type));
        end_value(&b, b.sources[i]->type, bound_of(g, b.sources[i]));
    }
    for (uint32_t i = 2 + below(g, 6); i && b.count + 2 < MOST_VALUES; i--)
        add_value(&b);
    uint32_t last = b.count - 1; /* the newest one that C can have; the first one is such */
    while (!add_cast(&b, last, c->type))
        last--;
    last = b.count - 1;
    double bound = b.values[last].bound;
    bool add = types[c->type].atomic && fits(c->type, bound + bound_of(g, c)) && chance(g, 20);
    bool atomic = types[c->type].atomic && !add && chance(g, 20);
    line(g);
    tsr_buf_printf(&g->text, "store%s %%x%u_%u, %%%s[%s]", add ? ".atomic_add" : atomic ? ".atomic" : "", b.name, last, c->name, b.index);
    g->indent--;
    line(g);
    tsr_buf_printf(&g->text, "}");
    raise_bound(g, c, add ? bound + bound_of(g, c) : bound);
    return true;
}
