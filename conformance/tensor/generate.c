/* SPDX-License-Identifier: Apache-2.0
 * Makes a random program: views of the parameters, then statements that read some of them and write one. For each view a bound of its
 * numbers is known, and a statement whose result could be too large to be exact in its type is not made. */
#include "gen.h"

enum { FAMILIES = 5, REPEATED = 60, PARTED = 50, OF_PRODUCTS = 40, SQUARE = 60, GROUPS = 20, SPREAD = 10 };

const struct number_type types[TYPES] = {{"i8", 0, WHOLE, 1, false, 0},          {"i16", 0, WHOLE, 2, false, 1},
                                         {"i32", 0, WHOLE, 4, true, 2},          {"i64", 0, WHOLE, 8, true, 3},
                                         {"bf16", 256, FLOATING, 2, false, 4},   {"f16", 2048, FLOATING, 2, true, 5},
                                         {"f32", 1 << 24, FLOATING, 4, true, 6}, {"f64", 0x1p53, FLOATING, 8, true, 7},
                                         {"c32", 1 << 24, COMPLEX, 8, true, 6},  {"c64", 0x1p53, COMPLEX, 16, true, 7}};
/* Types of programs of products: of factors, and of sums. */
static const int families[FAMILIES][2] = {{0, 2}, {4, 6}, {5, 6}, {6, 6}, {7, 7}};

uint32_t below(struct gen *g, uint32_t limit)
{
    g->state = g->state * 6364136223846793005u + 1442695040888963407u;
    return limit ? (uint32_t)((g->state >> 33) % limit) : 0;
}

bool chance(struct gen *g, uint32_t percent)
{
    return below(g, 100) < percent;
}

void line(struct gen *g)
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

bool promotable(int a, int b)
{
    static const uint16_t into[TYPES] = {/* i8 */ 0x3ff,  /* i16 */ 0x3ce, /* i32 */ 0x28c, /* i64 */ 0x008, /* bf16 */ 0x3d0,
                                         /* f16 */ 0x3e0, /* f32 */ 0x3c0, /* f64 */ 0x280, /* c32 */ 0x300, /* c64 */ 0x200};
    return into[a] >> b & 1;
}

bool fits(int type, double bound)
{
    return !types[type].exact || bound <= types[type].exact;
}

void put_constant(struct gen *g, uint32_t name, int type, int value)
{
    static const char *const formats[] = {"%%c%u = constant %d : %s", "%%c%u = constant %d.0 : %s", "%%c%u = constant [%d.0, 0.0] : %s"};
    line(g);
    tsr_buf_printf(&g->text, formats[types[type].class], name, value, types[type].name);
}

void put_size(struct gen *g, int mode)
{
    if (g->open[mode])
        tsr_buf_printf(&g->text, "x?");
    else
        tsr_buf_printf(&g->text, "x%lld", (long long)g->size[mode]);
}

void put_first_stride(struct gen *g, const struct view *v)
{
    if (v->first_open)
        tsr_buf_printf(&g->text, ",strided<?");
    else
        tsr_buf_printf(&g->text, ",strided<%lld", (long long)v->first);
}

/* ---- parameters ---- */

struct view *add_view(struct gen *g, int type, uint32_t order, const int *mode, uint32_t memory, bool local)
{
    struct view *v = &g->views[g->view_count++];
    *v = (struct view){.type = type, .order = order, .memory = memory, .local = local, .first = 1};
    memcpy(v->mode, mode, order * sizeof *mode);
    return v;
}

/* The strides of `order` modes, of which the first may be told. */
static void put_strides(struct gen *g, const struct buffer *b, uint32_t order)
{
    for (uint32_t i = 0; i < order; i++) {
        tsr_buf_printf(&g->text, i ? "," : ",strided<");
        if (i || b->first_open)
            tsr_buf_printf(&g->text, "?");
        else
            tsr_buf_printf(&g->text, "%lld", (long long)b->stride[0]);
    }
    tsr_buf_printf(&g->text, order ? ">" : "");
}

static void put_param(struct gen *g, uint32_t number)
{
    struct buffer *b = &g->g->buffers[number];
    int type = g->family ? g->family[below(g, 2)] : (int)below(g, TYPES), mode[MOST_MODES] = {0};
    b->order = g->family ? 2 : below(g, 10) < 7 ? 1 + below(g, 2) : below(g, MOST_MODES + 1);
    snprintf(b->type, sizeof b->type, "%s", types[type].name);
    bool gap = b->order >= 2 && chance(g, 30), spread = b->order && chance(g, SPREAD);
    b->strided = gap || spread;
    b->first_open = b->strided && chance(g, 20);
    b->group = chance(g, GROUPS);
    b->offset = b->group ? below(g, 4) : 0;
    b->offset_open = b->group && chance(g, 50);
    tsr_buf_printf(&g->text, "%s%%P%u: %smemref<%s", number ? ", " : "", number, b->group ? "group<" : "", types[type].name);
    bool last_open = chance(g, 50);
    b->elements = 1 + spread;
    for (uint32_t i = 0; i <= b->order; i++) {
        bool last = i == b->order;
        if (!last)
            mode[i] = g->family && chance(g, SQUARE) ? 0 : (int)below(g, g->modes);
        b->shape[i] = last ? g->g->groups : g->size[mode[i]];
        b->open[i] = last ? last_open : g->open[mode[i]];
        b->stride[i] = (int64_t)b->elements;
        b->elements = b->elements * (size_t)b->shape[i] + (i == 0 && gap);
        if (last && b->group) {
            if (b->strided)
                put_strides(g, b, b->order);
            tsr_buf_printf(&g->text, ">");
        }
        tsr_buf_printf(&g->text, b->open[i] ? "x?" : "x%lld", (long long)b->shape[i]);
    }
    if (b->strided && !b->group)
        put_strides(g, b, b->order + 1);
    if (b->offset_open)
        tsr_buf_printf(&g->text, ", offset: ?");
    else if (b->offset)
        tsr_buf_printf(&g->text, ", offset: %lld", (long long)b->offset);
    tsr_buf_printf(&g->text, ">");
    b->elements += (size_t)b->offset;
    b->bytes = b->elements * types[type].bytes;
    struct view *v = add_view(g, type, b->order, mode, g->memories, false);
    snprintf(v->name, sizeof v->name, "v%u", number);
    v->first_open = b->first_open;
    v->first = b->order ? b->stride[0] : 1;
    g->memory_bound[g->memories++] = 2;
}

/* The view that a work-group has of a parameter. */
static void put_own_part(struct gen *g, uint32_t number)
{
    const struct buffer *b = &g->g->buffers[number];
    const struct view *v = &g->views[number];
    line(g);
    tsr_buf_printf(&g->text, "%%v%u = %s %%P%u[", number, b->group ? "load" : "subview", number);
    for (uint32_t i = 0; i < b->order && !b->group; i++)
        tsr_buf_printf(&g->text, ":,");
    tsr_buf_printf(&g->text, "%%gid] : memref<%s", b->type);
    for (uint32_t i = 0; i < b->order; i++)
        put_size(g, v->mode[i]);
    if (b->strided)
        put_strides(g, b, b->order);
    tsr_buf_printf(&g->text, ">");
}

/* ---- choices ---- */

struct view *any_view(struct gen *g)
{
    return &g->views[below(g, g->view_count)];
}

struct view *find_view(struct gen *g, int type, uint32_t order, const int *mode)
{
    for (int i = 0; i < TRIES; i++) {
        struct view *v = any_view(g);
        if (v->order == order && (!order || !memcmp(v->mode, mode, order * sizeof *mode)) && (type < 0 || promotable(v->type, type)))
            return v;
    }
    return NULL;
}

uint32_t put_scalar(struct gen *g, int type, int value)
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

const char *any_width(struct gen *g)
{
    static const char *const widths[] = {"i8", "i16", "i32", "i64", "index"};
    return widths[below(g, TSR_ARRAY_LEN(widths))];
}

double bound_of(const struct gen *g, const struct view *v)
{
    return g->memory_bound[v->memory];
}

void raise_bound(struct gen *g, const struct view *v, double bound)
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
    double sum = bound_of(g, a) * (b ? bound_of(g, b) : 1) * (double)depth * (types[c->type].class == COMPLEX ? 2 : 1);
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
    int k = g->family && chance(g, SQUARE) ? 0 : (int)below(g, g->modes);
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
    put_first_stride(g, &part);
    tsr_buf_printf(&g->text, part.local ? ",?>,local>" : ",?>>");
    return part;
}

/* A product in steps of K. */
static bool put_steps(struct gen *g)
{
    struct view *c = any_view(g), *a, *b;
    bool ta = chance(g, 50), tb = chance(g, 50);
    int k = g->family && chance(g, SQUARE) ? 0 : (int)below(g, g->modes);
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
    int k = (int)below(g, g->modes);
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
    int k = (int)below(g, g->modes);
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
    static bool (*const kinds[])(struct gen *) = {
        put_axpby,    put_gemm,    put_gemm,   put_gemm,    put_steps,   put_steps,     put_gemv,      put_gemv,     put_ger,
        put_hadamard, put_sum,     put_sum,    put_cumsum,  put_alloca,  put_column,    put_window,    put_window,   put_expanded,
        put_foreach,  put_foreach, put_values, put_values,  put_values,  put_sub_group, put_sub_group, put_exchange, put_coop,
        put_tiles,    put_tiles,   put_branch, put_carried, put_atomics, put_turns,     put_turns,     put_reduction};
    for (int i = 0; i < TRIES; i++) {
        uint32_t kind = below(g, TSR_ARRAY_LEN(kinds));
        for (int k = 0; k < TRIES_OF_A_KIND; k++)
            if (kinds[kind](g))
                return true;
    }
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
    g.modes = 1 + below(&g, PALETTE);
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
