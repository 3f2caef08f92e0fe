/* SPDX-License-Identifier: Apache-2.0
 * Makes a random program: views of the parameters, then statements that read some of them and write one. For each view a bound of its
 * numbers is known, and a statement whose result could be too large to be exact in its type is not made. */
#include "generate.h"

#include <stdio.h>
#include <string.h>

enum { MOST_VIEWS = 24, PALETTE = 4, TRIES = 60, TYPES = 10, FAMILIES = 5, REPEATED = 60, PARTED = 50, OF_PRODUCTS = 40, SQUARE = 60 };

static const struct {
    const char *name;
    double exact; /* integers up to here are exact; 0: of any size, they wrap */
    int class;    /* 0 integer, 1 floating, 2 complex */
    uint32_t bytes;
    bool atomic;
} types[TYPES] = {{"i8", 0, 0, 1, false},       {"i16", 0, 0, 2, false},     {"i32", 0, 0, 4, true},       {"i64", 0, 0, 8, true},
                  {"bf16", 256, 1, 2, false},   {"f16", 2048, 1, 2, true},   {"f32", 1 << 24, 1, 4, true}, {"f64", 0x1p53, 1, 8, true},
                  {"c32", 1 << 24, 2, 8, true}, {"c64", 0x1p53, 2, 16, true}};
/* Types of programs of products: of factors, and of sums. */
static const int families[FAMILIES][2] = {{0, 2}, {4, 6}, {5, 6}, {6, 6}, {7, 7}};

struct view {
    char name[16];
    int type;
    uint32_t order;
    int mode[MOST_MODES]; /* of the palette */
    bool local;
    uint32_t memory; /* views of the same memory */
    double bound;
};

struct gen {
    struct generated *g;
    struct tsr_buf text;
    uint64_t state;
    int64_t size[PALETTE]; /* sizes of modes that the program has */
    bool open[PALETTE];
    struct view views[MOST_VIEWS];
    uint32_t view_count, memories, next_name, indent;
    const int *family; /* of a program of products; otherwise NULL */
    bool adds;         /* the loop that is being written runs more than once: beta is 1 */
    double memory_bound[MOST_VIEWS];
};

static uint32_t below(struct gen *g, uint32_t limit)
{
    g->state = g->state * 6364136223846793005u + 1442695040888963407u;
    return limit ? (uint32_t)((g->state >> 33) % limit) : 0;
}

static bool chance(struct gen *g, uint32_t percent)
{
    return below(g, 100) < percent;
}

static void line(struct gen *g)
{
    tsr_buf_printf(&g->text, "\n%*s", (int)(2 * g->indent), "");
}

int initial_value(uint64_t seed, uint32_t buffer, size_t k)
{
    uint64_t x = (seed + 1) * 0x9e3779b97f4a7c15u + buffer * 0xbf58476d1ce4e5b9u + k * 0x94d049bb133111ebu;
    x ^= x >> 31;
    x *= 0xd6e8feb86659fd93u;
    return (int)((x >> 40) % 5) - 2;
}

/* ---- types ---- */

/* As the table of promotions in the language's manual. */
static bool promotable(int a, int b)
{
    static const uint16_t into[TYPES] = {/* i8 */ 0x3ff,  /* i16 */ 0x3ce, /* i32 */ 0x28c, /* i64 */ 0x008, /* bf16 */ 0x3d0,
                                         /* f16 */ 0x3e0, /* f32 */ 0x3c0, /* f64 */ 0x280, /* c32 */ 0x300, /* c64 */ 0x200};
    return into[a] >> b & 1;
}

static bool fits(int type, double bound)
{
    return !types[type].exact || bound <= types[type].exact;
}

/* The number as a constant of the type. */
static void put_constant(struct gen *g, uint32_t name, int type, int value)
{
    static const char *const formats[] = {"%%c%u = constant %d : %s", "%%c%u = constant %d.0 : %s", "%%c%u = constant [%d.0, 0.0] : %s"};
    line(g);
    tsr_buf_printf(&g->text, formats[types[type].class], name, value, types[type].name);
}

static void put_size(struct gen *g, int mode)
{
    if (g->open[mode])
        tsr_buf_printf(&g->text, "x?");
    else
        tsr_buf_printf(&g->text, "x%lld", (long long)g->size[mode]);
}

/* ---- parameters ---- */

static struct view *add_view(struct gen *g, int type, uint32_t order, const int *mode, uint32_t memory, bool local)
{
    struct view *v = &g->views[g->view_count++];
    *v = (struct view){.type = type, .order = order, .memory = memory, .local = local};
    memcpy(v->mode, mode, order * sizeof *mode);
    return v;
}

static void put_param(struct gen *g, uint32_t number)
{
    struct buffer *b = &g->g->buffers[number];
    int type = g->family ? g->family[below(g, 2)] : (int)below(g, TYPES), mode[MOST_MODES] = {0};
    b->order = g->family ? 2 : below(g, 10) < 7 ? 1 + below(g, 2) : below(g, MOST_MODES + 1);
    snprintf(b->type, sizeof b->type, "%s", types[type].name);
    tsr_buf_printf(&g->text, "%s%%P%u: memref<%s", number ? ", " : "", number, types[type].name);
    b->gap = b->order >= 2 && chance(g, 30);
    bool last_open = chance(g, 50);
    b->elements = 1;
    for (uint32_t i = 0; i <= b->order; i++) {
        bool group = i == b->order;
        if (!group)
            mode[i] = g->family && chance(g, SQUARE) ? 0 : (int)below(g, PALETTE);
        b->shape[i] = group ? g->g->groups : g->size[mode[i]];
        b->open[i] = group ? last_open : g->open[mode[i]];
        b->stride[i] = (int64_t)b->elements;
        b->elements = b->elements * (size_t)b->shape[i] + (i == 0 && b->gap);
        tsr_buf_printf(&g->text, b->open[i] ? "x?" : "x%lld", (long long)b->shape[i]);
    }
    if (b->gap) {
        for (uint32_t i = 0; i <= b->order; i++)
            tsr_buf_printf(&g->text, i == 0 ? ",strided<1" : i == 1 ? ",?" : ",?");
        tsr_buf_printf(&g->text, ">");
    }
    tsr_buf_printf(&g->text, ">");
    b->bytes = b->elements * types[type].bytes;
    struct view *v = add_view(g, type, b->order, mode, g->memories, false);
    snprintf(v->name, sizeof v->name, "v%u", number);
    g->memory_bound[g->memories++] = 2;
}

/* The view that a work-group has of a parameter. */
static void put_own_part(struct gen *g, uint32_t number)
{
    const struct buffer *b = &g->g->buffers[number];
    const struct view *v = &g->views[number];
    line(g);
    tsr_buf_printf(&g->text, "%%v%u = subview %%P%u[", number, number);
    for (uint32_t i = 0; i < b->order; i++)
        tsr_buf_printf(&g->text, ":,");
    tsr_buf_printf(&g->text, "%%gid] : memref<%s", b->type);
    for (uint32_t i = 0; i < b->order; i++)
        put_size(g, v->mode[i]);
    for (uint32_t i = 0; i < b->order && b->gap; i++)
        tsr_buf_printf(&g->text, i ? ",?" : ",strided<1");
    tsr_buf_printf(&g->text, b->order && b->gap ? ">>" : ">");
}

/* ---- choices ---- */

static struct view *any_view(struct gen *g)
{
    return &g->views[below(g, g->view_count)];
}

/* A view of a type that goes into `type`, of these modes; NULL: none was found. */
static struct view *find_view(struct gen *g, int type, uint32_t order, const int *mode)
{
    for (int i = 0; i < TRIES; i++) {
        struct view *v = any_view(g);
        if (v->order == order && (!order || !memcmp(v->mode, mode, order * sizeof *mode)) && (type < 0 || promotable(v->type, type)))
            return v;
    }
    return NULL;
}

/* A small number of a type that goes into `type`. */
static uint32_t put_scalar(struct gen *g, int type, int value)
{
    uint32_t name = g->next_name++;
    int own = type;
    for (int i = 0; i < 4; i++) {
        int other = (int)below(g, TYPES);
        if (promotable(other, type))
            own = other;
    }
    put_constant(g, name, own, value);
    return name;
}

static double bound_of(const struct gen *g, const struct view *v)
{
    return g->memory_bound[v->memory];
}

static void raise_bound(struct gen *g, const struct view *v, double bound)
{
    if (bound > g->memory_bound[v->memory])
        g->memory_bound[v->memory] = bound;
}

/* ---- linear algebra ---- */

/* Writes alpha, the factors, beta and the result, and notes how large that can be; false: nothing was written. `depth`: products that an
 * element adds up. */
static bool put_blas(struct gen *g, const char *name, const struct view *a, const struct view *b, const struct view *c, int64_t depth,
                     const char *behind_a)
{
    static const int alphas[] = {1, 1, 2, -1, 3}, betas[] = {0, 1, 1, 2, -1};
    int alpha = alphas[below(g, 5)], beta = g->adds ? 1 : betas[below(g, 5)], product = a->type;
    if (a->memory == c->memory || (b && b->memory == c->memory) || !promotable(a->type, c->type))
        return false;
    if (b && promotable(a->type, b->type))
        product = b->type;
    else if (b && !promotable(b->type, a->type))
        return false;
    if (!promotable(product, c->type))
        return false;
    bool atomic = types[c->type].atomic && (beta == 0 || beta == 1) && chance(g, 25);
    double sum = bound_of(g, a) * (b ? bound_of(g, b) : 1) * (double)depth * (types[c->type].class == 2 ? 2 : 1);
    double bound = sum * (alpha < 0 ? -alpha : alpha) + bound_of(g, c) * (beta < 0 ? -beta : beta);
    if (!fits(c->type, bound) || !fits(product, bound_of(g, a)))
        return false;
    uint32_t alpha_name = put_scalar(g, product, alpha), beta_name = put_scalar(g, c->type, beta);
    line(g);
    tsr_buf_printf(&g->text, "%s%s %%c%u, %%%s", name, atomic ? ".atomic" : "", alpha_name, a->name);
    if (b)
        tsr_buf_printf(&g->text, ", %%%s", b->name);
    tsr_buf_printf(&g->text, "%s, %%c%u, %%%s", behind_a, beta_name, c->name);
    raise_bound(g, c, bound);
    return true;
}

static bool put_axpby(struct gen *g)
{
    struct view *c = any_view(g);
    bool transposed = chance(g, 50);
    int mode[] = {c->mode[0], c->mode[1]};
    if (c->order > 2)
        return false;
    if (transposed && c->order == 2) {
        mode[0] = c->mode[1];
        mode[1] = c->mode[0];
    }
    struct view *a = find_view(g, c->type, c->order, mode);
    return a && put_blas(g, transposed ? "axpby.t" : "axpby.n", a, NULL, c, 1, "");
}

static bool put_statement(struct gen *g);

static bool put_gemm(struct gen *g)
{
    struct view *c = any_view(g), *a, *b;
    bool ta = chance(g, 50), tb = chance(g, 50);
    int k = g->family && chance(g, SQUARE) ? 0 : (int)below(g, PALETTE);
    char name[16];
    if (c->order != 2)
        return false;
    int ma[] = {ta ? k : c->mode[0], ta ? c->mode[0] : k}, mb[] = {tb ? c->mode[1] : k, tb ? k : c->mode[1]};
    a = find_view(g, c->type, 2, ma);
    b = find_view(g, c->type, 2, mb);
    snprintf(name, sizeof name, "gemm.%c.%c", ta ? 't' : 'n', tb ? 't' : 'n');
    if (!a || !b || !put_blas(g, name, a, b, c, g->size[k], ""))
        return false;
    while (a && chance(g, REPEATED)) { /* those of one kind may have one code */
        if (chance(g, PARTED))
            put_statement(g);
        a = find_view(g, c->type, 2, ma);
        if (a && !put_blas(g, name, a, b, c, g->size[k], ""))
            break;
    }
    return true;
}

/* A part of K of a factor, from the loop's variable on. */
static struct view put_part(struct gen *g, const struct view *whole, uint32_t k_mode, uint32_t loop, int64_t step)
{
    struct view part = *whole;
    uint32_t name = g->next_name++;
    snprintf(part.name, sizeof part.name, "p%u", name);
    line(g);
    tsr_buf_printf(&g->text, "%%%s = subview %%%s[", part.name, whole->name);
    tsr_buf_printf(&g->text, k_mode ? ":, %%k%u:%lld" : "%%k%u:%lld, :", loop, (long long)step);
    tsr_buf_printf(&g->text, "] : memref<%s", types[part.type].name);
    for (uint32_t i = 0; i < 2; i++) {
        if (i == k_mode)
            tsr_buf_printf(&g->text, "x%lld", (long long)step);
        else
            put_size(g, part.mode[i]);
    }
    tsr_buf_printf(&g->text, part.local ? ",strided<1,?>,local>" : ",strided<1,?>>");
    return part;
}

/* A product in steps of K. */
static bool put_steps(struct gen *g)
{
    struct view *c = any_view(g), *a, *b;
    bool ta = chance(g, 50), tb = chance(g, 50);
    int k = g->family && chance(g, SQUARE) ? 0 : (int)below(g, PALETTE);
    int64_t step = 1 + below(g, (uint32_t)g->size[k]);
    char name[16];
    if (c->order != 2 || g->size[k] % step || g->adds)
        return false;
    int ma[] = {ta ? k : c->mode[0], ta ? c->mode[0] : k}, mb[] = {tb ? c->mode[1] : k, tb ? k : c->mode[1]};
    a = find_view(g, c->type, 2, ma);
    b = find_view(g, c->type, 2, mb);
    if (!a || !b || a->memory == c->memory || b->memory == c->memory)
        return false;
    uint32_t loop = g->next_name++;
    line(g);
    tsr_buf_printf(&g->text, "%%f%u = constant 0 : index %%g%u = size %%%s[%d] : index %%h%u = constant %lld : index", loop, loop, a->name,
                   !ta, loop, (long long)step);
    line(g);
    tsr_buf_printf(&g->text, "for %%k%u = %%f%u,%%g%u,%%h%u {", loop, loop, loop, loop);
    g->indent++;
    g->adds = true;
    struct view part_a = put_part(g, a, !ta, loop, step), part_b = put_part(g, b, tb, loop, step);
    snprintf(name, sizeof name, "gemm.%c.%c", ta ? 't' : 'n', tb ? 't' : 'n');
    put_blas(g, name, &part_a, &part_b, c, g->size[k], "");
    g->adds = false;
    g->indent--;
    line(g);
    tsr_buf_printf(&g->text, "}");
    return true;
}

static bool put_gemv(struct gen *g)
{
    struct view *c = any_view(g), *a, *b;
    bool transposed = chance(g, 50);
    int k = (int)below(g, PALETTE);
    if (c->order != 1)
        return false;
    int mode[] = {transposed ? k : c->mode[0], transposed ? c->mode[0] : k};
    a = find_view(g, c->type, 2, mode);
    b = find_view(g, c->type, 1, &k);
    return a && b && put_blas(g, transposed ? "gemv.t" : "gemv.n", a, b, c, g->size[k], "");
}

static bool put_ger(struct gen *g)
{
    struct view *c = any_view(g), *a, *b;
    if (c->order != 2)
        return false;
    a = find_view(g, c->type, 1, c->mode);
    b = find_view(g, c->type, 1, c->mode + 1);
    return a && b && put_blas(g, "ger", a, b, c, 1, "");
}

static bool put_hadamard(struct gen *g)
{
    struct view *c = any_view(g), *a, *b;
    if (c->order != 1 && c->order != 2)
        return false;
    a = find_view(g, c->type, c->order, c->mode);
    b = find_view(g, c->type, c->order, c->mode);
    return a && b && put_blas(g, chance(g, 50) ? "hadamard_product" : "hadamard", a, b, c, 1, "");
}

static bool put_sum(struct gen *g)
{
    struct view *c = any_view(g), *a;
    bool transposed = chance(g, 50);
    int k = (int)below(g, PALETTE);
    if (c->order > 1)
        return false;
    int mode[] = {transposed && c->order ? k : c->mode[0], transposed && c->order ? c->mode[0] : k};
    if (!c->order)
        mode[0] = k;
    a = find_view(g, c->type, c->order + 1, mode);
    return a && put_blas(g, transposed ? "sum.t" : "sum.n", a, NULL, c, g->size[k], "");
}

static bool put_cumsum(struct gen *g)
{
    struct view *c = any_view(g), *a;
    char mode[16];
    if (!c->order)
        return false;
    uint32_t along = below(g, c->order);
    a = find_view(g, c->type, c->order, c->mode);
    snprintf(mode, sizeof mode, ", %u", along);
    return a && put_blas(g, "cumsum", a, NULL, c, g->size[c->mode[along]], mode);
}

/* ---- views and local memory ---- */

/* Local memory, which is written at once. */
static bool put_alloca(struct gen *g)
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

/* A column, by number or by an index that is a value. */
static bool put_column(struct gen *g)
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
    tsr_buf_printf(&g->text, ",strided<");
    for (uint32_t i = 0; i < last; i++)
        tsr_buf_printf(&g->text, i ? ",?" : "1");
    tsr_buf_printf(&g->text, ">%s>", from.local ? ",local" : "");
    struct view *v = add_view(g, from.type, last, from.mode, from.memory, from.local);
    snprintf(v->name, sizeof v->name, "s%u", name);
    return true;
}

/* ---- SPMD ---- */

/* Arithmetic on two numbers %x and %y of a type, in names that begin with `name`; the result is the last of them. */
static double put_arithmetic(struct gen *g, int type, uint32_t name, double x, double y)
{
    static const char *const ops[] = {"add", "sub", "mul", "min", "max", "and", "or", "xor", "shl", "shr"};
    uint32_t limit = types[type].class == 0 ? 10 : types[type].class == 1 ? 5 : 3, op = below(g, limit);
    double bound = op == 2 ? x * y * 2 : x + y;
    if (!fits(type, bound)) {
        op = types[type].class == 2 ? 1 : 3;
        bound = x + y;
    }
    line(g);
    tsr_buf_printf(&g->text, "%%a%u = arith.%s %%x%u, %%y%u : %s", name, ops[op], name, name, types[type].name);
    line(g);
    if (types[type].class == 2) {
        tsr_buf_printf(&g->text, "%%q%u = cmp.%s %%x%u, %%a%u : bool", name, chance(g, 50) ? "eq" : "ne", name, name);
    } else {
        static const char *const compares[] = {"eq", "ne", "gt", "ge", "lt", "le"};
        tsr_buf_printf(&g->text, "%%q%u = cmp.%s %%x%u, %%a%u : bool", name, compares[below(g, 6)], name, name);
    }
    line(g);
    tsr_buf_printf(&g->text, "%%r%u = if %%q%u -> (%s) { yield (%%a%u) } else { %%n%u = arith.%s %%y%u : %s yield (%%n%u) }", name, name,
                   types[type].name, name, name,
                   chance(g, 50)            ? "neg"
                   : types[type].class == 2 ? "conj"
                                            : "abs",
                   name, types[type].name, name);
    return bound > y ? bound : y;
}

/* A type that a loop may count in; all sizes fit into each. */
static const char *any_width(struct gen *g)
{
    static const char *const widths[] = {"i8", "i16", "i32", "i64", "index"};
    return widths[below(g, TSR_ARRAY_LEN(widths))];
}

/* Each element of a view from those of two others. */
static bool put_foreach(struct gen *g)
{
    const struct view *c = any_view(g), *a, *b;
    if (!c->order || !(a = find_view(g, -1, c->order, c->mode)) || !(b = find_view(g, c->type, c->order, c->mode)))
        return false;
    if (a->memory == c->memory || b->memory == c->memory || a->type > c->type || (types[a->type].class == 2 && types[c->type].class != 2))
        return false;
    if (!fits(c->type, bound_of(g, a)) || !fits(c->type, (bound_of(g, a) + bound_of(g, b)) * 2))
        return false;
    if (types[a->type].class != 0 && types[c->type].class == 0)
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
static bool put_sub_group(struct gen *g)
{
    static const char *const ops[] = {"add", "max", "min"}, *const kinds[] = {"exclusive_scan", "inclusive_scan", "reduce"};
    const struct view *c = any_view(g), *a;
    if (c->order != 1 || !(a = find_view(g, c->type, 1, c->mode)) || a->type != c->type || a->memory == c->memory)
        return false;
    uint32_t op = below(g, types[c->type].class == 2 ? 1 : 3), kind = below(g, 3), name = g->next_name++;
    double bound = bound_of(g, a) * 32;
    if (op && kind == 0 && types[c->type].class) /* begins with an infinity */
        kind = 1;
    if (!fits(c->type, bound))
        return false;
    const char *type = types[c->type].name;
    tsr_buf_printf(&g->text, "\n%*sparallel {\n", (int)(2 * g->indent), "");
    tsr_buf_printf(&g->text, "    %%l%u = builtin.subgroup_local_id : i32\n    %%k%u = cast %%l%u : index\n", name, name, name);
    tsr_buf_printf(&g->text, "    %%e%u = size %%%s[0] : index\n    %%q%u = cmp.lt %%k%u, %%e%u : bool\n", name, a->name, name, name, name);
    if (types[c->type].class == 0)
        tsr_buf_printf(&g->text, "    %%o%u = constant 1 : %s\n", name, type);
    else
        tsr_buf_printf(&g->text, types[c->type].class == 1 ? "    %%o%u = constant 1.0 : %s\n" : "    %%o%u = constant [1.0,0.0] : %s\n",
                       name, type);
    tsr_buf_printf(&g->text, "    %%x%u = if %%q%u -> (%s) { %%w%u = load %%%s[%%k%u] : %s yield (%%w%u) } else { yield (%%o%u) }\n", name,
                   name, type, name, a->name, name, type, name, name);
    if (chance(g, 30))
        tsr_buf_printf(&g->text, "    %%i%u = constant %u : i32\n    %%r%u = subgroup_broadcast %%x%u, %%i%u : %s\n", name, below(g, 8),
                       name, name, name, type);
    else
        tsr_buf_printf(&g->text, "    %%r%u = subgroup_%s.%s %%x%u : %s\n", name, ops[op], kinds[kind], name, type);
    tsr_buf_printf(&g->text, "    if %%q%u { store %%r%u, %%%s[%%k%u] }\n  }", name, name, c->name, name);
    raise_bound(g, c, bound);
    return true;
}

enum { CONSTRUCTED = 5 }; /* is more than the numbers of matrices that are made of one */

/* A product of cooperative matrices, at places that may be partly outside. */
static bool put_coop(struct gen *g)
{
    static const int sizes[] = {8, 16, 32, 4}, small[] = {1, 3, 8, 16};
    const struct view *c = any_view(g), *a, *b;
    int m = sizes[below(g, 4)], n = small[below(g, 4)], k = chance(g, 50) ? 16 : small[below(g, 4)];
    bool ta = chance(g, 40), tb = chance(g, 40);
    if (c->order != 2 || !(a = any_view(g)) || a->order != 2 || !(b = any_view(g)) || b->order != 2 || a->memory == c->memory ||
        b->memory == c->memory)
        return false;
    int product = promotable(a->type, b->type) ? b->type : a->type;
    if ((!promotable(a->type, b->type) && !promotable(b->type, a->type)) || !promotable(product, c->type))
        return false;
    double bound = bound_of(g, a) * bound_of(g, b) * k * 2 + bound_of(g, c) + CONSTRUCTED;
    if (!fits(c->type, bound) || (types[c->type].class == 2 && m * n * k > 512))
        return false;
    uint32_t name = g->next_name++;
    const char *ct = types[c->type].name;
    line(g);
    tsr_buf_printf(&g->text, "parallel {\n    %%i%u = constant %d : index\n    %%k%u = constant %u : index\n", name, chance(g, 50) ? -1 : 0,
                   name, below(g, 3));
    tsr_buf_printf(&g->text, "    %%a%u = cooperative_matrix_load.%c.both_checked %%%s[%%i%u,%%k%u] : coopmatrix<%sx%dx%d,matrix_a>\n",
                   name, ta ? 't' : 'n', a->name, name, name, types[a->type].name, m, k);
    tsr_buf_printf(&g->text, "    %%b%u = cooperative_matrix_load.%c.both_checked %%%s[%%k%u,%%i%u] : coopmatrix<%sx%dx%d,matrix_b>\n",
                   name, tb ? 't' : 'n', b->name, name, name, types[b->type].name, k, n);
    if (chance(g, 30)) {
        static const char *const numbers[] = {"3", "3.0", "[3.0, -2.0]"};
        tsr_buf_printf(&g->text,
                       "    %%o%u = constant %s : %s\n    %%c%u = cooperative_matrix_construct %%o%u : coopmatrix<%sx%dx%d,matrix_acc>\n",
                       name, numbers[types[c->type].class], ct, name, name, ct, m, n);
    } else {
        tsr_buf_printf(&g->text, "    %%c%u = cooperative_matrix_load.n.both_checked %%%s[%%k%u,%%k%u] : coopmatrix<%sx%dx%d,matrix_acc>\n",
                       name, c->name, name, name, ct, m, n);
    }
    tsr_buf_printf(&g->text, "    %%d%u = cooperative_matrix_mul_add %%a%u, %%b%u, %%c%u : coopmatrix<%sx%dx%d,matrix_acc>\n", name, name,
                   name, name, ct, m, n);
    tsr_buf_printf(&g->text, "    %%f%u = arith.neg %%d%u : coopmatrix<%sx%dx%d,matrix_acc>\n", name, name, ct, m, n);
    /* All sub-groups read and write the same. */
    bool asks = chance(g, 30);
    tsr_buf_printf(&g->text, "    barrier.global.local\n");
    if (asks)
        tsr_buf_printf(&g->text, "    %%y%u = associated %%%s : bool if %%y%u {", name, c->name, name);
    tsr_buf_printf(&g->text, "    cooperative_matrix_store.both_checked %%f%u, %%%s[%%k%u,%%k%u]%s\n  }", name, c->name, name, name,
                   asks ? " }" : "");
    raise_bound(g, c, bound);
    return true;
}

/* ---- control flow ---- */

static bool put_statement(struct gen *g);

/* Twice the same statements, or those of one branch. What is defined within is out of reach afterwards. */
static bool put_branch(struct gen *g)
{
    uint32_t views = g->view_count, name = g->next_name++;
    if (g->indent > 2)
        return false;
    if (chance(g, 50)) {
        const char *width = any_width(g);
        line(g);
        tsr_buf_printf(&g->text, "%%f%u = constant 3 : %s", name, width);
        line(g);
        tsr_buf_printf(&g->text, "%%g%u = constant 4 : %s", name, width);
        line(g);
        tsr_buf_printf(&g->text, "for %%h%u:%s = %%f%u,%%g%u {", name, width, name, name);
    } else {
        line(g);
        tsr_buf_printf(&g->text, "%%f%u = constant %u : index", name, below(g, g->g->groups));
        line(g);
        tsr_buf_printf(&g->text, "%%g%u = cmp.%s %%gid, %%f%u : bool", name, chance(g, 50) ? "ne" : "le", name);
        line(g);
        tsr_buf_printf(&g->text, "if %%g%u {", name);
    }
    g->indent++;
    for (uint32_t i = 1 + below(g, 2); i; i--)
        put_statement(g);
    g->indent--;
    g->view_count = views;
    line(g);
    tsr_buf_printf(&g->text, "}");
    return true;
}

/* A number that a loop carries, from one element of a view to another. */
static bool put_carried(struct gen *g)
{
    const struct view *c = any_view(g);
    uint32_t name = g->next_name++;
    if (c->order != 1 || !fits(c->type, bound_of(g, c) * 16))
        return false;
    const char *type = types[c->type].name;
    line(g);
    tsr_buf_printf(&g->text, "%%x%u = load %%%s[0] : %s", name, c->name, type);
    line(g);
    tsr_buf_printf(&g->text, "%%f%u = constant 0 : i32 %%g%u = constant 7 : i32 %%h%u = constant 2 : i32", name, name, name);
    line(g);
    tsr_buf_printf(
        &g->text,
        "%%r%u = for %%k%u:i32 = %%f%u,%%g%u,%%h%u init(%%y%u=%%x%u) -> (%s) { %%z%u = arith.add %%y%u, %%y%u : %s yield (%%z%u) }", name,
        name, name, name, name, name, name, type, name, name, name, type, name);
    line(g);
    tsr_buf_printf(&g->text, "store %%r%u, %%%s[0]", name, c->name);
    raise_bound(g, c, bound_of(g, c) * 16);
    return true;
}

static bool put_statement(struct gen *g)
{
    static bool (*const kinds[])(struct gen *) = {put_axpby,     put_gemm,      put_gemm,   put_gemm,     put_steps,   put_steps,
                                                  put_gemv,      put_gemv,      put_ger,    put_hadamard, put_sum,     put_sum,
                                                  put_cumsum,    put_alloca,    put_column, put_foreach,  put_foreach, put_foreach,
                                                  put_sub_group, put_sub_group, put_coop,   put_coop,     put_branch,  put_carried};
    for (int i = 0; i < TRIES; i++)
        if (kinds[below(g, TSR_ARRAY_LEN(kinds))](g))
            return true;
    return false;
}

void generate(uint64_t seed, struct generated *out)
{
    static const int64_t sizes[] = {1, 3, 4, 5, 7, 8, 9, 16, 16, 17, 20, 32, 32, 33, 40, 48, 64, 70};
    struct gen g = {.g = out, .state = seed * 0x2545f4914f6cdd1du + 1, .indent = 1};
    memset(out, 0, sizeof *out);
    for (int i = 0; i < 8; i++)
        below(&g, 2);
    out->groups = 1 + below(&g, 3);
    for (int i = 0; i < PALETTE; i++) {
        g.size[i] = sizes[below(&g, TSR_ARRAY_LEN(sizes))];
        g.open[i] = chance(&g, 40);
    }
    g.family = chance(&g, OF_PRODUCTS) ? families[below(&g, FAMILIES)] : NULL;
    uint32_t lanes = 8u << below(&g, 3), sized = below(&g, 3);
    out->local[0] = sized ? lanes * (1 + below(&g, 2)) : 0;
    out->local[1] = sized ? 1 + below(&g, 2) : 0;
    out->buffer_count = 3 + below(&g, MOST_BUFFERS - 2);
    tsr_buf_printf(&g.text, "func @f(");
    for (uint32_t i = 0; i < out->buffer_count; i++)
        put_param(&g, i);
    tsr_buf_printf(&g.text, ")");
    if (sized)
        tsr_buf_printf(&g.text, " attributes{subgroup_size=%u,work_group_size=[%u,%u]}", lanes, out->local[0], out->local[1]);
    tsr_buf_printf(&g.text, " {");
    line(&g);
    tsr_buf_printf(&g.text, "%%gid = builtin.group_id : index");
    for (uint32_t i = 0; i < out->buffer_count; i++)
        put_own_part(&g, i);
    for (uint32_t i = 2 + below(&g, 6); i; i--)
        put_statement(&g);
    tsr_buf_printf(&g.text, "\n}\n");
    tsr_buf_bytes(&g.text, "", 1);
    out->text = (char *)g.text.data;
}
