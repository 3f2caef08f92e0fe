/* SPDX-License-Identifier: Apache-2.0
 * Loops over K as people write them, what the sums begin with and what becomes of them.
 *
 * Names in kernels: `part` the accumulators, ab, bb, cb where A, B and C begin, ar, br, cr how far their rows are apart. A loop has the
 * operands x and y, and its counter k. */
#include "matrix.h"

#include <stdio.h>
#include <string.h>

struct loop {
    const struct matrices *m;
    const struct function *f;
    unsigned number; /* of the function */
    unsigned unit;   /* what the counter grows by in a step: 1, or as many elements as K has */
    bool moves;      /* pointers go through A and B */
    bool wide;       /* as much as possible in one read */
    enum { A_LOADS, A_BLOCK, A_BLOCK_2D } a_way;
    enum { B_LOADS, B_BLOCK, B_BLOCK_2D, B_STAGED } b_way;
    unsigned spelling; /* of words made of elements */
    unsigned order;    /* of products */
    unsigned cut[4];   /* from width and height of A and of B, for 2D blocks */
    int origin[4];     /* where their first block begins */
    unsigned ahead;    /* steps from the counter to what is read */
};

/* What is written for each row of functions, each function beside it, and each component; the same for all. */
typedef void (*writer)(struct gen *g, const struct loop *l, const char *i, const char *j, const char *r);

static void each_written_out(struct gen *g, const struct loop *l, unsigned rows, unsigned columns, unsigned parts, writer write)
{
    char i[8], j[8], r[8];
    for (unsigned n = 0; n < rows * columns * parts; n++) {
        snprintf(i, sizeof i, "%u", n / parts / columns);
        snprintf(j, sizeof j, "%u", n / parts % columns);
        snprintf(r, sizeof r, "%u", n % parts);
        line(g);
        write(g, l, i, j, r);
    }
}

static void each(struct gen *g, const struct loop *l, unsigned rows, unsigned columns, unsigned parts, writer write)
{
    const char *names[] = {"i", "j", "r"};
    const unsigned counts[] = {rows, columns, parts};
    if (l->m->is_written_out) {
        each_written_out(g, l, rows, columns, parts, write);
        return;
    }
    line(g);
    for (unsigned n = 0; n < 3; n++)
        if (counts[n] > 1)
            put(g, "for (int %s = 0; %s < %u; %s++) ", names[n], names[n], counts[n], names[n]);
    write(g, l, rows > 1 ? "i" : "0", columns > 1 ? "j" : "0", parts > 1 ? "r" : "0");
}

static const char *element_type(const char *vector)
{
    static char names[4][16];
    static unsigned next;
    char *name = names[next++ % 4];
    snprintf(name, sizeof names[0], "%.*s", (int)strcspn(vector, "0123456789"), vector);
    return name;
}

/* A component of a variable of a vector type. */
static void component(struct gen *g, const struct loop *l, const char *variable, const char *type, const char *r)
{
    if (components(type) == 1)
        put(g, "%s", variable);
    else if (l->m->is_written_out)
        put(g, "%s.s%s", variable, r);
    else
        put(g, "((private %s *)&%s)[%s]", element_type(type), variable, r);
}

/* So much for each step. */
static void step(struct gen *g, const struct loop *l, size_t scale)
{
    if (!l->moves && scale % l->unit == 0)
        put(g, " + k * %zu", scale / l->unit);
    else if (!l->moves && l->unit % scale == 0)
        put(g, " + k / %zu", l->unit / scale);
    else if (!l->moves)
        put(g, " + k / %u * %zu", l->unit, scale);
    if (l->ahead)
        put(g, " + %zu", l->ahead * scale);
}

/* ---- A ---- */

static void row_of_a(struct gen *g, const struct loop *l, const char *i, const char *r, bool of_lane)
{
    const struct function *f = l->f;
    put(g, "%s%s * %u + %s", l->moves ? "" : "mrow + ", i, f->m, r);
    if (f->form == TSR_MATRIX_TF32)
        put(g, of_lane ? " * 2 + (lane >> 3)" : " * 2");
    else if (f->form == TSR_MATRIX_SPLIT)
        put(g, " + (get_sub_group_id() & 1) * %u", components(f->a));
}

static void load_a(struct gen *g, const struct loop *l, const char *i, const char *j, const char *r)
{
    const struct matrix *a = &l->m->a;
    const char *type = element_type(l->f->a), *lane = l->f->form == TSR_MATRIX_TF32 ? "(lane & 7)" : "lane";
    char x[16];
    (void)j;
    snprintf(x, sizeof x, "x[%s]", i);
    put(g, "{ global const %s *p = (global const %s *)%s + (", a->unit == 1 ? "uchar" : type, a->unit == 1 ? "uchar" : type,
        l->moves ? "xa" : "ab");
    row_of_a(g, l, i, r, true);
    put(g, ") * ar");
    step(g, l, a->step / a->unit);
    put(g, " + %s", lane);
    const bool pairs = l->f->form == TSR_MATRIX_N16;
    put(g, a->unit > 1 ? "; " : pairs ? " * 2; " : " * 4; ");
    component(g, l, x, l->f->a, r);
    put(g, a->unit > 1 ? " = *p; }" : pairs ? " = p[0] | p[1] << 8; }" : " = as_%s((uchar4)(p[0], p[1], p[2], p[3])); }", type);
}

/* Rows by the functions of cl_intel_subgroups, where several follow each other all at once. */
static void block_read_a(struct gen *g, const struct loop *l, const char *i, const char *j, const char *r)
{
    const bool pairs = l->f->form == TSR_MATRIX_N16;
    const unsigned parts = components(l->f->a);
    char wide[4] = "";
    (void)j;
    if (l->wide && parts > 1 && strcmp(r, "0") == 0)
        snprintf(wide, sizeof wide, "%u", parts);
    const char *type = pairs ? "ushort" : "uint";
    put(g, "((private %s%s *)&x[%s])[%s] = intel_sub_group_block_read%s%s((global const %s *)%s + (", type, wide, i, r, pairs ? "_us" : "",
        wide, type, l->moves ? "xa" : "ab");
    row_of_a(g, l, i, r, false);
    put(g, ") * ar");
    step(g, l, l->m->a.step / l->m->a.unit);
    put(g, ");");
}

static void block_2d_read_a(struct gen *g, const struct loop *l, const char *i, const char *j, const char *r)
{
    const struct matrices *m = l->m;
    const unsigned bytes = l->f->form == TSR_MATRIX_TF32 ? 4 : 4 / b_in_word(m), depth = STEP_BYTES / bytes;
    (void)j;
    (void)r;
    put(g, "intel_sub_group_2d_block_read_%ub_%ur%ux1c(ab, %d, %d, (int)(ar * %u), (int2)(%d", 8 * bytes, l->f->m * (l->wide ? m->rows : 1),
        depth, (int)((m->most_steps + READ_AHEAD) * STEP_BYTES) - (int)l->cut[0], (int)m->height - (int)l->cut[1], m->a.unit, l->origin[0]);
    step(g, l, depth);
    put(g, ", mrow + %s * %u + %d), (private %s *)&x[%s]);", i, l->f->m, l->origin[1], bytes == 4 ? "uint" : "ushort", i);
}

static void read_a(struct gen *g, const struct loop *l)
{
    const unsigned parts = components(l->f->a);
    if (l->a_way == A_LOADS)
        each(g, l, l->m->rows, 1, parts, load_a);
    else if (l->a_way == A_BLOCK)
        each(g, l, l->m->rows, 1, l->wide ? 1 : parts, block_read_a);
    else
        each(g, l, l->wide ? 1 : l->m->rows, 1, 1, block_2d_read_a);
}

/* ---- B ---- */

/* The work-item's column, or the first one of the sub-group. */
static void column_of(struct gen *g, const struct loop *l, const char *first, const char *j, bool of_lane)
{
    if (l->m->is_full)
        put(g, "%s + %s * %u%s", first, j, g->width, of_lane ? " + lane" : "");
    else
        put(g, "%s + %s * %zu%s", first, j, l->m->width / l->m->columns, of_lane ? "" : " - lane");
}

static void word_of_elements(struct gen *g, const struct loop *l, const char *type)
{
    static const char *const spellings[][3] = {
        {"(uint)p[0] | (uint)p[br] << 16", "(ushort2)(p[0], p[br])", "upsample(p[br], p[0])"},
        {"p[0] | (uint)p[br] << 8 | (uint)p[2 * br] << 16 | (uint)p[3 * br] << 24", "(uchar4)(p[0], p[br], p[2 * br], p[3 * br])",
         "upsample(upsample(p[3 * br], p[2 * br]), upsample(p[br], p[0]))"},
    };
    put(g, "as_%s(%s)", type, spellings[b_in_word(l->m) == 4][l->spelling]);
}

/* One word of a column: the index of the row is `r`. */
static void load_b(struct gen *g, const struct loop *l, const char *i, const char *j, const char *r)
{
    const struct matrices *m = l->m;
    const char *type = element_type(l->f->b), *element = b_in_word(m) == 4 ? "uchar" : "ushort";
    const bool elements = m->b_kind == B_ELEMENTS;
    char y[16];
    (void)i;
    snprintf(y, sizeof y, "y[%s]", j);
    put(g, "{ global const %s *p = (global const %s *)%s + ", elements ? element : type, elements ? element : type, l->moves ? "xb" : "bb");
    if (m->b_kind == B_TRANSPOSED) {
        put(g, "(");
        column_of(g, l, "bcol", j, true);
        put(g, ") * br + %s", r);
        step(g, l, STEP_WORDS);
    } else {
        const unsigned in_row = elements ? b_in_word(m) : 1;
        put(g, "(%s * %u", r, in_row);
        step(g, l, STEP_WORDS * in_row);
        put(g, ") * br + ");
        column_of(g, l, "bcol", j, true);
    }
    put(g, "; ");
    component(g, l, y, l->f->b, r);
    put(g, " = ");
    if (elements)
        word_of_elements(g, l, type);
    else
        put(g, "*p");
    put(g, "; }");
}

/* A whole column. */
static void load_column(struct gen *g, const struct loop *l, const char *i, const char *j, const char *r)
{
    const char *type = element_type(l->f->b);
    (void)i;
    (void)r;
    put(g, "y[%s] = vload8(0, (global const %s *)%s + (", j, type, l->moves ? "xb" : "bb");
    column_of(g, l, "bcol", j, true);
    put(g, ") * br");
    step(g, l, STEP_WORDS);
    put(g, ");");
}

static void block_read_b(struct gen *g, const struct loop *l, const char *i, const char *j, const char *r)
{
    const char *wide = l->wide ? "8" : "";
    (void)i;
    put(g, "((private uint%s *)&y[%s])[%s] = intel_sub_group_block_read%s((global const uint *)%s + (%s", wide, j, r, wide,
        l->moves ? "xb" : "bb", r);
    step(g, l, STEP_WORDS);
    put(g, ") * br + ");
    column_of(g, l, "bcol", j, false);
    put(g, ");");
}

static void block_2d_read_b(struct gen *g, const struct loop *l, const char *i, const char *j, const char *r)
{
    const struct matrices *m = l->m;
    const unsigned in_word = b_in_word(m), in_row = m->b_kind == B_ELEMENTS ? in_word : 1, depth = m->most_steps + READ_AHEAD;
    const bool transposed = m->b_kind == B_TRANSPOSED;
    const char *layout = transposed             ? "transpose_32b_16r8x1c"
                         : m->b_kind == B_WORDS ? "32b_8r16x1c"
                         : in_word == 4         ? "transform_8b_32r16x1c"
                                                : "transform_16b_16r16x1c";
    const int width = (int)(transposed ? depth * STEP_BYTES : m->width * m->b.unit),
              height = (int)(transposed ? m->width : depth * STEP_WORDS * in_row);
    (void)i;
    (void)r;
    put(g, "intel_sub_group_2d_block_read_%s(bb, %d, %d, (int)(br * %u), (int2)(", layout, width - (int)l->cut[2], height - (int)l->cut[3],
        m->b.unit);
    if (!transposed) {
        column_of(g, l, "bcol", j, false);
        put(g, " + %d, ", l->origin[2]);
    }
    put(g, "%d", l->origin[3]);
    step(g, l, STEP_WORDS * in_row);
    if (transposed) {
        put(g, ", ");
        column_of(g, l, "bcol", j, false);
        put(g, " + %d", l->origin[2]);
    }
    put(g, "), (private uint *)&y[%s]);", j);
}

/* The work-group copies a step of B to local memory, the same for all its sub-groups. */
static void stage_b(struct gen *g, const struct loop *l)
{
    const unsigned columns = l->m->columns * g->width;
    line(g);
    put(g, "barrier(CLK_LOCAL_MEM_FENCE); for (uint t = lid; t < %u; t += (uint)lsize) stage[t] = ((global const uint *)%s)[(t / %u",
        STEP_WORDS * columns, l->moves ? "xb" : "bb", columns);
    step(g, l, STEP_WORDS);
    put(g, ") * br + get_group_id(0) * %u + t %% %u]; barrier(CLK_LOCAL_MEM_FENCE);", columns, columns);
}

static void staged_b(struct gen *g, const struct loop *l, const char *i, const char *j, const char *r)
{
    (void)i;
    put(g, "((private uint *)&y[%s])[%s] = stage[%s * %u + ", j, r, r, l->m->columns * g->width);
    column_of(g, l, "0", j, true);
    put(g, "];");
}

static void read_b(struct gen *g, const struct loop *l)
{
    const unsigned columns = l->m->columns;
    if (l->b_way == B_STAGED) {
        stage_b(g, l);
        each(g, l, 1, columns, STEP_WORDS, staged_b);
    } else if (l->b_way == B_BLOCK_2D)
        each(g, l, 1, columns, 1, block_2d_read_b);
    else if (l->b_way == B_BLOCK)
        each(g, l, 1, columns, l->wide ? 1 : STEP_WORDS, block_read_b);
    else if (l->m->b_kind == B_TRANSPOSED && l->wide)
        each(g, l, 1, columns, 1, load_column);
    else
        each(g, l, 1, columns, STEP_WORDS, load_b);
}

/* ---- C ---- */

static void element_of_c(struct gen *g, const struct loop *l, const char *i, const char *j, const char *r)
{
    put(g, "((global %s *)cb)[(", element_type(l->f->c));
    if (l->m->c_transposed)
        column_of(g, l, "mcol", j, true);
    else
        put(g, "mrow + %s * %u + %s", i, l->f->m, r);
    put(g, ") * cr + ");
    if (l->m->c_transposed)
        put(g, "mrow + %s * %u + %s", i, l->f->m, r);
    else
        column_of(g, l, "mcol", j, true);
    put(g, "]");
}

static void element_of_part(struct gen *g, const struct loop *l, const char *i, const char *j, const char *r)
{
    char name[32];
    snprintf(name, sizeof name, "part[%s][%s]", i, j);
    component(g, l, name, l->f->c, r);
}

static void zero_part(struct gen *g, const struct loop *l, const char *i, const char *j, const char *r)
{
    (void)r;
    put(g, "part[%s][%s] = (%s)0;", i, j, l->f->c);
}

static void zero_element(struct gen *g, const struct loop *l, const char *i, const char *j, const char *r)
{
    element_of_part(g, l, i, j, r);
    put(g, " = 0;");
}

static void begin_with_c(struct gen *g, const struct loop *l, const char *i, const char *j, const char *r)
{
    element_of_part(g, l, i, j, r);
    put(g, " = ");
    element_of_c(g, l, i, j, r);
    put(g, ";");
}

static void begin_with_bias(struct gen *g, const struct loop *l, const char *i, const char *j, const char *r)
{
    element_of_part(g, l, i, j, r);
    put(g, " = (%s)(in[(uint)(", element_type(l->f->c));
    column_of(g, l, "mcol", j, true);
    put(g, ") & 1023] & 7);");
}

static void block_2d_of_c(struct gen *g, const struct loop *l, const char *i, const char *j, const char *action)
{
    const struct matrices *m = l->m;
    put(g, "intel_sub_group_2d_block_%s_%ub_%ur16x1c(cb, %d, %d, (int)(cr * %u), (int2)(", action, 8 * m->c.unit, l->f->m,
        (int)(m->width * m->c.unit) - (int)l->cut[2], (int)m->height - (int)l->cut[1], m->c.unit);
    column_of(g, l, "mcol", j, false);
    put(g, ", mrow + %s * %u), (private %s *)&part[%s][%s]);", i, l->f->m, m->c.unit == 4 ? "uint" : "ushort", i, j);
}

static void block_2d_read_c(struct gen *g, const struct loop *l, const char *i, const char *j, const char *r)
{
    (void)r;
    block_2d_of_c(g, l, i, j, "read");
}

static void block_2d_write_c(struct gen *g, const struct loop *l, const char *i, const char *j, const char *r)
{
    (void)r;
    block_2d_of_c(g, l, i, j, "write");
}

/* The value of an accumulator, changed. Integers wrap; numbers with a fraction stay small, whole, and above -0; what holds bfloat16 has no
 * arithmetic. */
static void changed(struct gen *g, const struct loop *l, const char *i, const char *j, const char *r)
{
    const bool integers = has_integers(l->m);
    if (l->f->ec == TSR_ELEMENT_BF16 || l->spelling == 0) {
        element_of_part(g, l, i, j, r);
    } else if (l->spelling == 1) {
        put(g, "max(");
        element_of_part(g, l, i, j, r);
        put(g, ", (%s)0)", element_type(l->f->c));
    } else {
        put(g, integers ? "(int)((uint)" : "(clamp(");
        element_of_part(g, l, i, j, r);
        put(g, integers ? " * 3u + (uint)(lane + %s))" : ", (%s)-1000, (%s)1000) * 3 + (%s)(lane + %s))",
            integers ? j : element_type(l->f->c), element_type(l->f->c), element_type(l->f->c), j);
    }
}

static void store_element(struct gen *g, const struct loop *l, const char *i, const char *j, const char *r)
{
    element_of_c(g, l, i, j, r);
    put(g, " = ");
    changed(g, l, i, j, r);
    put(g, ";");
}

static void change_element(struct gen *g, const struct loop *l, const char *i, const char *j, const char *r)
{
    element_of_part(g, l, i, j, r);
    put(g, " = ");
    changed(g, l, i, j, r);
    put(g, ";");
}

static void add_to_c(struct gen *g, const struct loop *l, const char *i, const char *j, const char *r)
{
    const char *number = has_integers(l->m) ? "(uint)" : "";
    element_of_c(g, l, i, j, r);
    put(g, " = %s", number);
    element_of_c(g, l, i, j, r);
    put(g, " + %s", number);
    element_of_part(g, l, i, j, r);
    put(g, ";");
}

/* The components of a column lie beside each other. */
static void store_column(struct gen *g, const struct loop *l, const char *i, const char *j, const char *r)
{
    const unsigned parts = components(l->f->c);
    (void)r;
    put(g, "vstore%u(part[%s][%s], 0, &", parts, i, j);
    element_of_c(g, l, i, j, "0");
    put(g, ");");
}

static bool has_blocks_of_c(const struct gen *g, const struct matrices *m)
{
    return m->is_aligned && g->width == 16 && !m->c_transposed;
}

static void begin(struct gen *g, const struct loop *l)
{
    const struct matrices *m = l->m;
    const unsigned parts = components(l->f->c);
    bool drop = node_begin(g);
    unsigned how = below(g, 13);
    if (how == 0)
        each(g, l, m->rows, m->columns, parts, begin_with_c);
    else if (how == 1 && has_blocks_of_c(g, m))
        each(g, l, m->rows, m->columns, 1, block_2d_read_c);
    else if (how == 2 && l->f->ec != TSR_ELEMENT_BF16)
        each(g, l, m->rows, m->columns, parts, begin_with_bias);
    else if (how < 6)
        each(g, l, m->rows, m->columns, parts, zero_element);
    else
        each(g, l, m->rows, m->columns, 1, zero_part);
    node_end(g, drop);
    if (drop)
        each(g, l, m->rows, m->columns, 1, zero_part);
}

static void store(struct gen *g, struct loop *l)
{
    const struct matrices *m = l->m;
    const unsigned parts = components(l->f->c);
    unsigned how = below(g, 10);
    l->spelling = chance(g, 50) ? 0 : below(g, 3);
    if (how == 0 && l->f->ec != TSR_ELEMENT_BF16)
        each(g, l, m->rows, m->columns, parts, add_to_c);
    else if (how < 3 && has_blocks_of_c(g, m))
        each(g, l, m->rows, m->columns, 1, block_2d_write_c);
    else if (how < 6 && m->c_transposed && parts > 1)
        each(g, l, m->rows, m->columns, 1, store_column);
    else
        each(g, l, m->rows, m->columns, parts, store_element);
}

/* ---- loops ---- */

static void product(struct gen *g, const struct loop *l, const char *i, const char *j, const char *r)
{
    (void)r;
    put(g, "part[%s][%s] = ", i, j);
    if (l->m->calls)
        put(g, "f%llu_%u", (unsigned long long)g->k.seed, l->number);
    else
        put(g, "%s", l->f->name);
    put(g, "(x[%s], y[%s], part[%s][%s]);", i, j, i, j);
}

static void product_from_below(struct gen *g, const struct loop *l, const char *i, const char *j, const char *r)
{
    char row[32];
    snprintf(row, sizeof row, "%u - %s", l->m->rows - 1, i);
    product(g, l, row, j, r);
}

static void products(struct gen *g, const struct loop *l)
{
    each(g, l, l->m->rows, l->m->columns, 1, l->order ? product_from_below : product);
}

/* A condition on a product that is the same for the work-group. */
static void perhaps(struct gen *g, const struct loop *l)
{
    switch (below(g, 3)) {
    case 0:
        put(g, "if (k / %u & 1) ", l->unit);
        return;
    case 1:
        put(g, "if (get_group_id(0) != %u) ", below(g, 3));
        return;
    default:
        put(g, "if (");
        condition(g, true);
        put(g, ") ");
        return;
    }
}

/* What stands in a loop beside its products. */
static void aside(struct gen *g, const struct loop *l)
{
    bool drop = node_begin(g);
    line(g);
    switch (below(g, 4)) {
    case 0:
        put(g, "prefetch((global const uchar *)ab + k * %u, 64);", STEP_BYTES / (l->unit > STEP_BYTES ? STEP_BYTES : l->unit));
        break;
    case 1:
        if (l->b_way != B_STAGED) {
            put(g, "if (k / %u > %u + n%u) break;", l->unit, below(g, 6), below(g, 4));
            break;
        } /* fall through */
    default:
        assign(g);
        break;
    }
    node_end(g, drop);
}

static void round_of(struct gen *g, struct loop *l, unsigned steps, bool is_ahead)
{
    for (unsigned s = 0; s < steps; s++) {
        bool drop = node_begin(g), conditional = chance(g, 6);
        l->ahead = s + is_ahead;
        line(g);
        if (!is_ahead) {
            put(g, "{ %s x[%u]; %s y[%u];", l->f->a, l->m->rows, l->f->b, l->m->columns);
            read_a(g, l);
            read_b(g, l);
            line(g);
        }
        if (conditional)
            perhaps(g, l);
        put(g, "{");
        products(g, l);
        line(g);
        put(g, "}");
        if (is_ahead) {
            read_a(g, l);
            read_b(g, l);
        } else {
            put(g, "}");
        }
        node_end(g, drop);
    }
    if (!g->matrices->is_bare && chance(g, 12))
        aside(g, l);
    l->ahead = 0;
}

/* How many rounds: at most `most`, the same for the work-group, or for the sub-group. */
static void rounds(struct gen *g, const struct loop *l, unsigned most)
{
    const bool of_group = l->b_way == B_STAGED || l->f->form == TSR_MATRIX_SPLIT;
    unsigned how = below(g, 8);
    if (how < 4) {
        put(g, "%u", most);
        return;
    }
    put(g, "min((uint)(");
    if (how == 7 && !of_group)
        put(g, "get_sub_group_id() & 3");
    else if (how == 6)
        put(g, "get_group_id(%u) & 3", below(g, 2));
    else
        uniform_value(g);
    put(g, ") + %uu, %uu)", below(g, most + 1), most);
}

/* Pointers that go on with the loop. */
static void move(struct gen *g, const struct loop *l, unsigned steps)
{
    const struct matrices *m = l->m;
    if (l->moves)
        put(g, " xa += %zu; xb += ", m->a.step * steps);
    if (l->moves && m->b_kind == B_TRANSPOSED)
        put(g, "%zu;", m->b.step * steps);
    else if (l->moves)
        put(g, "br * %zu;", m->b.step / m->b.row * m->b.unit * steps);
}

static void choose_ways(struct gen *g, struct loop *l)
{
    const struct matrices *m = l->m;
    const bool blocks_2d = g->width == 16 && m->is_aligned && chance(g, 35);
    const bool rows_fit = m->a.unit > 1 && m->is_aligned && m->a.row % 4 == 0 && m->a.offset % 4 == 0 && m->a.step % 4 == 0;
    const bool is_tf32 = l->f->form == TSR_MATRIX_TF32;
    const unsigned rows = m->rows * l->f->m;
    if (blocks_2d && !m->in_panels[0] && chance(g, 95))
        l->a_way = A_BLOCK_2D;
    else if (rows_fit && (!is_tf32 || m->in_panels[0]) && chance(g, 30))
        l->a_way = A_BLOCK;
    if (blocks_2d && !m->in_panels[1] && chance(g, 95))
        l->b_way = B_BLOCK_2D;
    else if (m->b_kind == B_WORDS && m->is_aligned && chance(g, 30))
        l->b_way = B_BLOCK;
    else if (m->b_kind == B_WORDS && m->is_full && !m->is_swapped && !m->in_panels[1] && g->together && chance(g, 15))
        l->b_way = B_STAGED;
    const bool wide_a = l->a_way == A_LOADS || (l->a_way == A_BLOCK && m->in_panels[0] && l->f->form != TSR_MATRIX_SPLIT) ||
                        (l->a_way == A_BLOCK_2D && l->f->m > 1 && (rows == 16 || rows == 32));
    const bool wide_b = l->b_way != B_BLOCK || (m->in_panels[1] && m->columns == 1);
    l->wide = chance(g, 50) && wide_a && wide_b;
    l->moves = l->a_way != A_BLOCK_2D && l->b_way != B_BLOCK_2D && chance(g, 15);
    for (unsigned i = 0; i < 4; i++) {
        bool cuts = chance(g, 15), shifts = chance(g, 8);
        l->cut[i] = below(g, chance(g, 80) ? 20 : 200) * cuts;
        l->origin[i] = ((int)below(g, 25) - 12) * shifts;
    }
}

/* The kernel's loops may follow each other in other loops; then they are short, so that no sum gets large. */
static unsigned most_rounds(const struct gen *g, unsigned steps, bool is_inside)
{
    unsigned most = g->matrices->most_steps / steps;
    return is_inside && most > 4 ? 4 : most;
}

/* One loop goes on in A and B where the one before has ended, or each begins anew. */
static void nested_loops(struct gen *g, struct loop *l, unsigned steps, unsigned most)
{
    const unsigned in_block = 1 + below(g, 5), each_round = steps * l->unit;
    const char *type = l->m->index;
    const bool anew = chance(g, 25);
    put(g, "const %s last = (%s)", type, type);
    rounds(g, l, anew && most > 4 ? 4 : most);
    put(g, " * %u;", each_round);
    line(g);
    if (anew)
        put(g, "for (%s block = 0; block < %u; block++) for (%s k = 0; k < last; k += %u) {", type, 1 + below(g, 3), type, each_round);
    else
        put(g, "for (%s block = 0; block < last; block += %u) for (%s k = block; k < min(block + %u, last); k += %u) {", type,
            in_block * each_round, type, in_block * each_round, each_round);
    round_of(g, l, steps, false);
    line(g);
    put(g, "}");
}

static void one_loop(struct gen *g, struct loop *l, unsigned steps, unsigned most)
{
    const struct matrices *m = l->m;
    const unsigned each_round = steps * l->unit, form = below(g, 4);
    const bool is_ahead = steps == 1 && chance(g, 8);
    const char *type = m->index;
    if (l->moves)
        put(g, "global const uchar *xa = ab + mrow * ar * %u, *xb = bb; ", m->a.unit);
    if (is_ahead) {
        put(g, "%s x[%u]; %s y[%u]; { const %s k = 0;", l->f->a, m->rows, l->f->b, m->columns, type);
        read_a(g, l);
        read_b(g, l);
        put(g, " }");
        line(g);
    }
    if (form < 2)
        put(g, "const %s last = (%s)", type, type);
    else
        put(g, "%s k = 0; uint left = ", type);
    rounds(g, l, most);
    if (form < 2)
        put(g, " * %u; for (%s k = 0; k < last; k += %u) {", each_round, type, each_round);
    else
        put(g, form == 2 ? "; while (left-- > 0) {" : "; if (left) do {");
    round_of(g, l, steps, is_ahead);
    line(g);
    move(g, l, steps);
    if (form >= 2)
        put(g, " k += %u;", each_round);
    put(g, form < 3 ? "}" : "} while (--left);");
}

static void loop_over_k(struct gen *g, bool is_inside)
{
    struct loop l = {.m = g->matrices, .number = below(g, 4) == 0};
    l.f = l.m->f[l.number];
    const int in_step = l.m->products_in_step;
    const unsigned steps = l.m->most_steps > 1 && l.m->products_left >= 2 * in_step && chance(g, 12) ? 2 : 1;
    g->matrices->products_left -= in_step * (int)steps;
    choose_ways(g, &l);
    l.unit = chance(g, 50) ? 1 : l.f->k;
    l.spelling = below(g, 3);
    l.order = chance(g, 15);
    line(g);
    put(g, "{ ");
    g->indent++;
    if (!l.moves && chance(g, 20))
        nested_loops(g, &l, steps, most_rounds(g, steps, is_inside));
    else
        one_loop(g, &l, steps, most_rounds(g, steps, is_inside));
    g->indent--;
    put(g, " }");
}

/* ---- statements ---- */

/* Accumulators as others see them, or changed by others. */
static void touch(struct gen *g, struct loop *l)
{
    const struct matrices *m = l->m;
    const unsigned parts = components(l->f->c);
    char i[8], j[8], r[8];
    snprintf(i, sizeof i, "%u", below(g, m->rows));
    snprintf(j, sizeof j, "%u", below(g, m->columns));
    snprintf(r, sizeof r, "%u", below(g, parts));
    l->spelling = below(g, 3);
    line(g);
    switch (below(g, 4)) {
    case 0:
        put(g, "v0 ^= ");
        put(g, l->f->ec == TSR_ELEMENT_BF16 ? "as_ushort(" : has_integers(m) ? "(uint)(" : "(uint)convert_int_sat(");
        element_of_part(g, l, i, j, r);
        put(g, ");");
        break;
    case 1:
        if (l->f->ec != TSR_ELEMENT_BF16) {
            element_of_part(g, l, i, j, r);
            put(g, " = (%s)(", element_type(l->f->c));
            expression(g, scalar(UINT), 1);
            put(g, " & 7);");
            break;
        } /* fall through */
    case 2:
        each(g, l, m->rows, m->columns, parts, change_element);
        break;
    default:
        put(g, "{ %s t = part[%s][%s]; part[%s][%s] = part[0][0]; part[0][0] = t; }", l->f->c, i, j, i, j);
        break;
    }
}

void matrix_begin(struct gen *g)
{
    const struct loop l = {.m = g->matrices, .f = g->matrices->f[0]};
    begin(g, &l);
}

void matrix_end(struct gen *g)
{
    struct loop l = {.m = g->matrices, .f = g->matrices->f[0]};
    store(g, &l);
}

/* A loop, and what belongs to it. */
void matrix_statement(struct gen *g, bool is_inside, bool stores)
{
    struct loop l = {.m = g->matrices, .f = g->matrices->f[0]};
    bool drop;
    for (unsigned i = 0; i < 4; i++)
        l.cut[i] = chance(g, 15) ? below(g, 40) : 0;
    bool together = g->together, apart = !l.m->is_bare && l.f->form != TSR_MATRIX_SPLIT && chance(g, 8);
    if (apart)
        put(g, "if (get_sub_group_id() != %u) ", below(g, 2));
    g->together = together && !apart;
    put(g, "{");
    if (chance(g, is_inside ? 60 : 25))
        begin(g, &l);
    loop_over_k(g, is_inside);
    if (!l.m->is_bare && chance(g, 20)) {
        drop = node_begin(g);
        touch(g, &l);
        node_end(g, drop);
    }
    if (stores) {
        drop = node_begin(g);
        store(g, &l);
        node_end(g, drop);
    }
    line(g);
    put(g, "}");
    g->together = together;
}
