/* SPDX-License-Identifier: Apache-2.0
 * Cooperative matrices. */
#include "gen.h"

enum { CONSTRUCTED = 5 }; /* is more than the numbers of matrices that are made of one */

/* A product of cooperative matrices, at places that may be partly outside. */
bool put_coop(struct gen *g)
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
    if (!fits(c->type, bound) || (types[c->type].class == COMPLEX && m * n * k > 512))
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

/* ---- products of whole matrices, tile by tile ---- */

struct tiles {
    uint32_t name, m, n, k;
    const struct view *a, *b, *c;
    bool ta, tb;
    const char *check; /* that tiles need which do not fill the matrices */
};

static void put_matrix_type(struct gen *g, const char *type, uint32_t rows, uint32_t cols, const char *use)
{
    tsr_buf_printf(&g->text, "coopmatrix<%sx%ux%u,%s>", type, rows, cols, use);
}

/* %WHAT NAME: a tile of a matrix at two positions. */
static void put_tile_load(struct gen *g, const struct tiles *t, char what, const struct view *v, bool transposed, const char *row,
                          const char *col, uint32_t rows, uint32_t cols, const char *use)
{
    line(g);
    tsr_buf_printf(&g->text, "%%%c%u = cooperative_matrix_load%s%s %%%s[%%%s%u,%%%s%u] : ", what, t->name, transposed ? ".t" : ".n",
                   t->check, v->name, transposed ? col : row, t->name, transposed ? row : col, t->name);
    put_matrix_type(g, types[v->type].name, rows, cols, use);
}

/* A component-wise change that keeps numbers as large as they are, at the end of which %WHAT NAME is the name NEXT NAME. */
static void put_change(struct gen *g, const struct tiles *t, const char *what, const char *next, const struct view *v, uint32_t rows,
                       uint32_t cols, const char *use)
{
    static const char *const minus_one[] = {"-1", "-1.0", "[-1.0, 0.0]"};
    uint32_t n = t->name, kind = below(g, 3);
    const char *type = types[v->type].name, *number = minus_one[types[v->type].class];
    line(g);
    if (kind == 0) {
        tsr_buf_printf(&g->text, "%%%s%u = arith.neg %%%s%u : ", next, n, what, n);
    } else if (kind == 1) {
        tsr_buf_printf(&g->text, "%%n%s%u = constant %s : %s %%%s%u = cooperative_matrix_scale %%n%s%u, %%%s%u : ", next, n, number, type,
                       next, n, next, n, what, n);
    } else {
        tsr_buf_printf(&g->text, "%%n%s%u = constant %s : ", next, n, number);
        put_matrix_type(g, type, rows, cols, use);
        line(g);
        tsr_buf_printf(&g->text, "%%%s%u = arith.%s %%%s%u, %%n%s%u : ", next, n,
                       types[v->type].class == WHOLE || chance(g, 50) ? "mul" : "div", what, n, next, n);
    }
    put_matrix_type(g, type, rows, cols, use);
}

/* The loop over K: %s NAME is the sum of the products of tiles, which begins with %r NAME. */
static void put_sum_of_tiles(struct gen *g, const struct tiles *t)
{
    uint32_t n = t->name;
    const char *type = types[t->c->type].name, *a = chance(g, 20) ? "ax" : "a", *b = chance(g, 20) ? "bx" : "b";
    line(g);
    tsr_buf_printf(&g->text, "%%s%u = for %%k%u = %%z%u,%%ke%u,%%ks%u init(%%i%u=%%r%u) -> (", n, n, n, n, n, n, n);
    put_matrix_type(g, type, t->m, t->n, "matrix_acc");
    tsr_buf_printf(&g->text, ") {");
    g->indent++;
    put_tile_load(g, t, 'a', t->a, t->ta, "x", "k", t->m, t->k, "matrix_a");
    put_tile_load(g, t, 'b', t->b, t->tb, "k", "y", t->k, t->n, "matrix_b");
    if (a[1])
        put_change(g, t, "a", a, t->a, t->m, t->k, "matrix_a");
    if (b[1])
        put_change(g, t, "b", b, t->b, t->k, t->n, "matrix_b");
    line(g);
    tsr_buf_printf(&g->text, "%%d%u = cooperative_matrix_mul_add %%%s%u, %%%s%u, %%i%u : ", n, a, n, b, n, n);
    put_matrix_type(g, type, t->m, t->n, "matrix_acc");
    line(g);
    tsr_buf_printf(&g->text, "yield (%%d%u)", n);
    g->indent--;
    line(g);
    tsr_buf_printf(&g->text, "}");
}

/* What becomes of the sum: it may be changed, be cast to another type and back, or be another one by a branch. Returns its name. */
static const char *put_end_of_sum(struct gen *g, const struct tiles *t, double bound)
{
    uint32_t n = t->name;
    int own = t->c->type, other = (int)below(g, TYPES);
    const char *sum = "s";
    if (chance(g, 40)) {
        put_change(g, t, sum, "sx", t->c, t->m, t->n, "matrix_acc");
        sum = "sx";
    }
    if (types[other].class == types[own].class && types[own].class != WHOLE && fits(other, bound)) {
        line(g);
        tsr_buf_printf(&g->text, "%%f%u = cast %%%s%u : ", n, sum, n);
        put_matrix_type(g, types[other].name, t->m, t->n, "matrix_acc");
        line(g);
        tsr_buf_printf(&g->text, "%%h%u = cast %%f%u : ", n, n);
        put_matrix_type(g, types[own].name, t->m, t->n, "matrix_acc");
        sum = "h";
    }
    if (chance(g, 20)) {
        line(g);
        tsr_buf_printf(&g->text, "%%p%u = cmp.%s %%gid, %%z%u : bool", n, chance(g, 50) ? "eq" : "gt", n);
        line(g);
        tsr_buf_printf(&g->text, "%%u%u = if %%p%u -> (", n, n);
        put_matrix_type(g, types[own].name, t->m, t->n, "matrix_acc");
        tsr_buf_printf(&g->text, ") { yield (%%r%u) } else { yield (%%%s%u) }", n, sum, n);
        sum = "u";
    }
    return sum;
}

/* The product of two matrices, of which the first sub-group makes one tile after the other. */
bool put_tiles(struct gen *g)
{
    static const uint32_t rows[] = {8, 16, 32, 4, 64}, cols[] = {1, 3, 8, 16}, depths[] = {16, 16, 32, 1, 3, 8};
    struct tiles t = {.c = any_view(g), .ta = chance(g, 30), .tb = chance(g, 30)};
    int k = g->family && chance(g, 60) ? 0 : (int)below(g, g->modes);
    if (t.c->order != 2)
        return false;
    int ma[] = {t.ta ? k : t.c->mode[0], t.ta ? t.c->mode[0] : k}, mb[] = {t.tb ? t.c->mode[1] : k, t.tb ? k : t.c->mode[1]};
    t.a = find_view(g, t.c->type, 2, ma);
    t.b = find_view(g, t.c->type, 2, mb);
    if (!t.a || !t.b || t.a->memory == t.c->memory || t.b->memory == t.c->memory)
        return false;
    int product = promotable(t.a->type, t.b->type) ? t.b->type : t.a->type;
    if ((!promotable(t.a->type, t.b->type) && !promotable(t.b->type, t.a->type)) || !promotable(product, t.c->type))
        return false;
    t.m = rows[below(g, 5)];
    t.n = cols[below(g, 4)];
    t.k = depths[below(g, 6)];
    bool exact = g->size[t.c->mode[0]] % t.m == 0 && g->size[t.c->mode[1]] % t.n == 0 && g->size[k] % t.k == 0;
    static const char *const checks[] = {"", ".rows_checked", ".cols_checked", ".both_checked"};
    t.check = checks[exact ? below(g, 4) : 3];
    bool adds = chance(g, 50), atomic = types[t.c->type].atomic && chance(g, 30);
    double bound = bound_of(g, t.a) * bound_of(g, t.b) * (double)(g->size[k] + t.k) * 2 + bound_of(g, t.c) * (adds + atomic);
    if (!fits(t.c->type, bound) || !fits(product, bound_of(g, t.a)) || (types[t.c->type].class == COMPLEX && t.m * t.n * t.k > 512))
        return false;
    uint32_t n = t.name = g->next_name++;
    const char *type = types[t.c->type].name;
    line(g);
    tsr_buf_printf(&g->text,
                   "%%z%u = constant 0 : index %%ms%u = constant %u : index %%ns%u = constant %u : index %%ks%u = constant %u : index", n,
                   n, t.m, n, t.n, n, t.k);
    line(g);
    tsr_buf_printf(&g->text, "%%me%u = size %%%s[0] : index %%ne%u = size %%%s[1] : index %%ke%u = size %%%s[%d] : index", n, t.c->name, n,
                   t.c->name, n, t.a->name, !t.ta);
    line(g);
    tsr_buf_printf(&g->text,
                   "parallel { %%g%u = builtin.subgroup_id : i32 %%o%u = constant 0 : i32 %%q%u = cmp.eq %%g%u, %%o%u : bool if %%q%u {", n,
                   n, n, n, n, n);
    line(g);
    tsr_buf_printf(&g->text, "for %%x%u = %%z%u,%%me%u,%%ms%u { for %%y%u = %%z%u,%%ne%u,%%ns%u {", n, n, n, n, n, n, n, n);
    g->indent++;
    if (adds) {
        put_tile_load(g, &t, 'r', t.c, false, "x", "y", t.m, t.n, "matrix_acc");
    } else {
        static const char *const zeros[] = {"0", "0.0", "[0.0, 0.0]"};
        line(g);
        tsr_buf_printf(&g->text, "%%r%u = constant %s : ", n, zeros[types[t.c->type].class]);
        put_matrix_type(g, type, t.m, t.n, "matrix_acc");
    }
    put_sum_of_tiles(g, &t);
    const char *sum = put_end_of_sum(g, &t, bound);
    line(g);
    tsr_buf_printf(&g->text, "cooperative_matrix_store%s%s %%%s%u, %%%s[%%x%u,%%y%u]", t.check,
                   atomic ? (chance(g, 50) ? ".atomic_add" : ".atomic") : "", sum, n, t.c->name, n, n);
    g->indent--;
    line(g);
    tsr_buf_printf(&g->text, "} } } }");
    raise_bound(g, t.c, bound);
    return true;
}
