/* SPDX-License-Identifier: Apache-2.0
 * Kernels with matrix functions: which ones, over which range, and where A, B and C lie. The loops themselves are in matrix_loop.c.
 *
 * Results are the same bits in any order of the sums: numbers with a fraction are small whole ones, and never -0. Where two work-items
 * meet, they only read: a work-item writes elements of C that are its own, whatever loop or store of the kernel it is in. */
#include "matrix.h"

#include <stdio.h>
#include <string.h>

static const struct function functions[] = {
#define TSR_MATRIX(name, form, n, m, k, a, b, c, ea, eb, ec)                                                                               \
    {#name, TSR_MATRIX_##form, n, m, k, #a, #b, #c, TSR_ELEMENT_##ea, TSR_ELEMENT_##eb, TSR_ELEMENT_##ec},
#include "tessera/matrix.def"
#undef TSR_MATRIX
};
enum { FUNCTIONS = sizeof functions / sizeof *functions };

unsigned components(const char *type)
{
    unsigned count = 1;
    sscanf(type + strcspn(type, "0123456789"), "%u", &count);
    return count;
}

bool has_integers(const struct matrices *m)
{
    return m->f[0]->ec == TSR_ELEMENT_S32;
}

unsigned b_in_word(const struct matrices *m)
{
    enum tsr_element e = m->f[0]->eb;
    return e == TSR_ELEMENT_TF32 ? 1 : e == TSR_ELEMENT_BF16 || e == TSR_ELEMENT_F16 ? 2 : 4;
}

static unsigned c_bytes(const struct matrices *m)
{
    return m->f[0]->ec == TSR_ELEMENT_BF16 || m->f[0]->ec == TSR_ELEMENT_F16 ? 2 : 4;
}

unsigned shrink(struct gen *g, unsigned value, unsigned least)
{
    bool drop = node_begin(g);
    node_end(g, drop);
    return drop ? least : value;
}

/* ---- what is multiplied ---- */

/* Any overload, but mostly those that programs call. */
static const struct function *any_function(struct gen *g)
{
    const struct function *f = functions;
    for (int tries = 0; tries < 9; tries++) {
        f = &functions[below(g, FUNCTIONS)];
        unsigned percent = f->m == 8 ? 100 : 45;
        bool four_bits = f->ea == TSR_ELEMENT_S4 || f->ea == TSR_ELEMENT_U4;
        if (f->form == TSR_MATRIX_SPLIT || f->ec == TSR_ELEMENT_BF16 || f->ec == TSR_ELEMENT_F16 || four_bits)
            percent /= 3;
        if (chance(g, percent))
            break;
    }
    return f;
}

/* Another one for the same accumulators, if they are integers: all bytes are operands of all of these. */
static const struct function *related_function(struct gen *g, const struct function *f)
{
    const struct function *found = f;
    unsigned first = below(g, FUNCTIONS);
    for (unsigned i = 0; i < FUNCTIONS; i++) {
        const struct function *other = &functions[(first + i) % FUNCTIONS];
        if (other->form == f->form && other->m == f->m && other->ec == TSR_ELEMENT_S32 && f->ec == TSR_ELEMENT_S32)
            found = other;
    }
    return found;
}

static unsigned any_depth(struct gen *g)
{
    if (chance(g, 80))
        return chance(g, 96) ? 1 + below(g, 12) : 0;
    return chance(g, 75) ? 13 + below(g, 40) : chance(g, 50) ? 100 + below(g, 200) : 1020 + below(g, 20);
}

void matrix_choose(struct gen *g, struct matrices *m)
{
    static const char *const indices[] = {"int", "int", "uint", "long", "ulong", "size_t"};
    *m = (struct matrices){.f = {any_function(g)}};
    m->f[1] = related_function(g, m->f[0]);
    m->rows = chance(g, 50) ? 1 : 1 + below(g, 4);
    m->columns = chance(g, 50) ? 1 : 1 + below(g, chance(g, 20) ? 4 : 2);
    m->products_left = MOST_PRODUCTS;
    m->products_in_step = (int)(m->rows * m->columns);
    m->rows = shrink(g, m->rows, 1);
    m->columns = shrink(g, m->columns, 1);
    m->most_steps = any_depth(g);
    if (m->most_steps > 2)
        m->most_steps = shrink(g, m->most_steps, 2);
    m->index = indices[below(g, 6)];
    m->is_full = chance(g, 80);
    m->is_swapped = chance(g, 15) && m->is_full;
    m->is_bare = chance(g, 30);
    m->is_written_out = chance(g, 30);
    m->calls = chance(g, 10);
    g->matrices = m;
    g->width = m->f[0]->lanes;
    g->small_groups = g->own_vectors = false;
}

/* ---- the range ---- */

/* Whole sub-groups, in work-groups of one or several. */
static void choose_whole_range(struct gen *g, const struct matrices *m)
{
    const unsigned lanes = g->width, most = m->most_steps > 64 ? 6 : m->most_steps > 16 ? 24 : 64;
    unsigned wide = chance(g, 70) ? 1 : 1 + below(g, 3), tall = chance(g, 70) ? 1 : 1 + below(g, 3);
    if (m->f[0]->form == TSR_MATRIX_SPLIT && chance(g, 90))
        wide = 2 * (wide < 3 ? wide : 2);
    unsigned across = 1 + below(g, 6), down = 1 + below(g, 12), far = chance(g, 15) ? 1 + below(g, 3) : 1;
    while (wide * tall * lanes > KGEN_LOCAL_WORDS)
        tall--;
    while (across * wide * down * tall * far > most && across * down > 1)
        *(down > across ? &down : &across) -= 1;
    across = shrink(g, across, 1);
    down = shrink(g, down, 1);
    far = shrink(g, far, 1);
    wide = shrink(g, wide, m->f[0]->form == TSR_MATRIX_SPLIT ? 2 : 1);
    tall = shrink(g, tall, 1);
    const size_t local[3] = {wide * lanes, tall, 1}, groups[3] = {across, down, far};
    bool moved = chance(g, 10), flat = chance(g, 50);
    const size_t offset[3] = {lanes * below(g, 3), below(g, 5), 0};
    g->k.dim = far > 1 ? 3 : down * tall > 1 || !flat ? 2 : 1;
    for (unsigned d = 0; d < 3; d++) {
        g->k.local[d] = local[d];
        g->k.global[d] = local[d] * groups[d];
        g->k.offset[d] = moved && d < g->k.dim ? offset[d] : 0;
    }
}

void matrix_range(struct gen *g)
{
    struct matrices *m = g->matrices;
    const struct kgen_kernel *k = &g->k;
    if (m->is_full)
        choose_whole_range(g, m);
    else
        choose_range(g);
    m->is_aligned = k->local[1] * k->local[2] == 1 || (k->local[0] % g->width == 0 && k->global[0] % g->width == 0);
}

/* ---- where the matrices lie ---- */

static size_t rounded(size_t bytes, size_t unit)
{
    return (bytes + unit - 1) / unit * unit;
}

static enum kgen_filling filling(enum tsr_element e)
{
    return e == TSR_ELEMENT_BF16                           ? KGEN_BF16
           : e == TSR_ELEMENT_F16                          ? KGEN_HALF
           : e == TSR_ELEMENT_TF32 || e == TSR_ELEMENT_F32 ? KGEN_FLOAT
                                                           : KGEN_BITS;
}

static void lay_out_a(struct gen *g, struct matrices *m)
{
    const size_t depth = (m->most_steps + READ_AHEAD) * (size_t)STEP_BYTES;
    struct matrix *a = &m->a;
    a->unit = chance(g, 8) ? 1 : m->f[0]->form == TSR_MATRIX_N16 ? 2 : 4;
    const unsigned element = 4 / b_in_word(m), unit = a->unit > 1 || has_integers(m) ? a->unit : element;
    size_t pad = chance(g, 40) ? 0 : unit * below(g, 40);
    m->is_joint = chance(g, 10) && filling(m->f[0]->ea) == filling(m->f[0]->ec);
    m->in_panels[0] = chance(g, 20) && !m->is_joint;
    const size_t rows = m->height + 2; /* a row more for the upper work-items of tf32 */
    a->offset = chance(g, 30) ? unit * below(g, 20) : 0;
    a->row = m->in_panels[0] ? STEP_BYTES : rounded(depth + pad, 4);
    a->step = m->in_panels[0] ? rows * STEP_BYTES + pad / 4 * 4 : STEP_BYTES;
    if (a->unit == 1 && !m->is_joint && !m->in_panels[0])
        a->row = depth + pad;
    a->batch = m->in_panels[0] ? depth / STEP_BYTES * a->step : rows * a->row;
}

static void lay_out_b(struct gen *g, struct matrices *m)
{
    const size_t steps = m->most_steps + READ_AHEAD, in_panel = m->columns * g->width;
    struct matrix *b = &m->b;
    m->b_kind = chance(g, 20) ? B_TRANSPOSED : chance(g, 45) && b_in_word(m) > 1 ? B_ELEMENTS : B_WORDS;
    m->in_panels[1] = m->b_kind == B_WORDS && m->is_full && chance(g, 40);
    b->unit = m->b_kind == B_ELEMENTS ? 4 / b_in_word(m) : 4;
    size_t pad = chance(g, 40) ? 0 : b->unit * below(g, 40);
    b->offset = chance(g, 30) ? b->unit * below(g, 20) : 0;
    if (m->b_kind == B_TRANSPOSED) {
        b->row = steps * STEP_BYTES + pad;
        b->step = STEP_BYTES;
        b->batch = (m->width + g->width) * b->row;
    } else {
        b->row = (m->in_panels[1] ? in_panel : m->width) * b->unit + (m->in_panels[1] ? 0 : pad);
        b->step = STEP_WORDS * (m->b_kind == B_ELEMENTS ? b_in_word(m) : 1) * b->row;
        m->panel = steps * b->step + pad;
        b->batch = m->in_panels[1] ? (m->width / in_panel + 1) * m->panel : steps * b->step;
    }
}

static void lay_out_c(struct gen *g, struct matrices *m)
{
    struct matrix *c = &m->c;
    c->unit = c_bytes(m);
    size_t pad = chance(g, 40) ? 0 : c->unit * below(g, 40);
    m->c_transposed = chance(g, 8) && !m->is_joint;
    c->offset = chance(g, 30) ? c->unit * below(g, 20) : 0;
    c->row = (m->c_transposed ? m->height : m->width) * c->unit + pad;
    if (m->is_joint) {
        c->offset = m->a.offset = rounded(m->a.offset, 4);
        c->offset += rounded(m->a.row, 4);
        c->row = m->a.row = rounded(m->a.row + c->row, 4);
        m->a.batch = (m->height + 2) * m->a.row;
    }
    c->batch = ((m->c_transposed ? m->width : m->height) + 2) * c->row;
}

void matrix_lay_out(struct gen *g)
{
    struct matrices *m = g->matrices;
    struct kgen_kernel *k = &g->k;
    const size_t x = k->offset[0] + k->global[0], y = k->offset[1] + k->global[1], z = k->offset[2] + k->global[2];
    const size_t down = m->is_swapped ? x / g->width : y, across = m->is_swapped ? y * g->width : m->is_full ? x : rounded(x, g->width);
    m->height = down * m->rows * m->f[0]->m;
    m->width = across * m->columns;
    lay_out_a(g, m);
    lay_out_b(g, m);
    lay_out_c(g, m);
    struct matrix *const all[] = {&m->a, &m->b, &m->c};
    const bool shared[] = {chance(g, 30) && !m->is_joint, chance(g, 30), false};
    const enum tsr_element elements[] = {m->f[0]->ea, m->f[0]->eb, m->f[0]->ec};
    k->has_matrices = true;
    k->c_in_a = m->is_joint;
    for (unsigned i = 0; i < 3; i++) {
        all[i]->is_argument = chance(g, 60);
        k->pitch[i] = (int32_t)(all[i]->row / all[i]->unit);
        k->filling[i] = filling(elements[i]);
        k->matrix_bytes[i] = rounded(all[i]->offset + z * all[i]->batch + 1024, 4);
        all[i]->batch *= !shared[i];
    }
}

/* ---- declarations ---- */

void matrix_function(struct gen *g)
{
    const struct matrices *m = g->matrices;
    for (unsigned i = 0; m->calls && i < 2; i++)
        put(g, "%s f%llu_%u(%s a, %s b, %s c) { return %s(a, b, c); }\n", m->f[i]->c, (unsigned long long)g->k.seed, i, m->f[i]->a,
            m->f[i]->b, m->f[i]->c, m->f[i]->name);
}

/* The first row of C of a sub-group, and its first column; or the first column of a work-item. */
static void place_in_c(struct gen *g, const struct matrices *m)
{
    const unsigned rows = m->rows * m->f[0]->m, columns = m->columns * g->width, lanes = g->width;
    const bool one_in_group = chance(g, 50) && g->k.local[0] == lanes, by_group = chance(g, 30);
    char x[64], y[96];
    snprintf(x, sizeof x, one_in_group ? "get_group_id(0)" : "get_global_id(0) / %u", lanes);
    snprintf(y, sizeof y, "%s", by_group ? "(get_group_id(1) * get_enqueued_local_size(1) + get_local_id(1))" : "get_global_id(1)");
    if (!m->is_full)
        put(g, ", mrow = %s * %u, mcol = get_global_id(0);", y, rows);
    else if (m->is_swapped)
        put(g, ", mrow = %s * %u, mcol = %s * %u;", x, rows, y, columns);
    else
        put(g, ", mrow = %s * %u, mcol = %s * %u;", y, rows, x, columns);
}

static void declare_matrix(struct gen *g, const char *name, const struct matrix *x)
{
    line(g);
    put(g, "global uchar *const %sb = m%s + %zu", name, name, x->offset);
    if (x->batch)
        put(g, " + get_global_id(2) * %zu", x->batch);
    put(g, "; const %s %sr = ", g->matrices->index, name);
    if (x->is_argument)
        put(g, "q%s;", name);
    else
        put(g, "%zu;", x->row / x->unit);
}

void matrix_declare(struct gen *g)
{
    const struct matrices *m = g->matrices;
    line(g);
    put(g, "const %s lane = get_sub_group_local_id()", m->index);
    place_in_c(g, m);
    declare_matrix(g, "a", &m->a);
    declare_matrix(g, "b", &m->b);
    declare_matrix(g, "c", &m->c);
    line(g);
    put(g, "const %s bcol = ", m->index);
    if (m->in_panels[1])
        put(g, "mcol / %u * %zu;", m->columns * g->width, m->panel / 4);
    else
        put(g, "mcol;");
    line(g);
    put(g, "local uint stage[%u];", STEP_WORDS * m->columns * g->width);
    line(g);
    put(g, "%s part[%u][%u];", m->f[0]->c, m->rows, m->columns);
    matrix_begin(g);
}

bool matrix_is_bare(const struct gen *g)
{
    return g->matrices && g->matrices->is_bare;
}

bool matrix_has_room(const struct gen *g)
{
    const struct matrices *m = g->matrices;
    return m && m->products_left >= m->products_in_step;
}
