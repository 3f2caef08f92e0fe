/* SPDX-License-Identifier: Apache-2.0
 * The text of kernels: products as people write them for GPUs. */
#include <stdio.h>
#include <string.h>

#include "conformance/matrix/styles.h"

#define HALVES "p[0] | (uint)p[pitch] << 16"
#define BYTES "p[0] | (uint)p[pitch] << 8 | (uint)p[2 * pitch] << 16 | (uint)p[3 * pitch] << 24"

const struct of_type of_types[TYPES] = {
    [INT8] = {1, 1, false, "i8_i8_matrix_mad_k32", "short", "int", "int", "uchar", "transform_8b_32r16x1c", BYTES},
    [UINT8] = {1, 1, false, "u8_u8_matrix_mad_k32", "ushort", "uint", "uint", "uchar", "transform_8b_32r16x1c", BYTES},
    [BF16] = {2, 1, true, "bf16_bf16_matrix_mad_k16", "short", "int", "int", "ushort", "transform_16b_16r16x1c", HALVES},
    [F16] = {2, 1, true, "f16_f16_matrix_mad_k16", "short", "int", "int", "ushort", "transform_16b_16r16x1c", HALVES},
    [TF32] = {4, 1, true, "tf32_tf32_matrix_mad_k8", "float", NULL, "float", "uint", "32b_8r16x1c", "p[0]"},
    [INT4] = {1, 2, false, "i4_i4_matrix_mad_k64", "short", "int", "int", "uchar", "transform_8b_32r16x1c", BYTES},
    [UINT4] = {1, 2, false, "u4_u4_matrix_mad_k64", "ushort", "uint", "uint", "uchar", "transform_8b_32r16x1c", BYTES},
};

static int in_word(const struct style *s)
{
    return 4 / of_types[s->type].element;
}

static int a_parts(const struct style *s)
{
    return s->type == TF32 ? (s->m + 1) / 2 : s->m;
}

/* A and B of the round that begins at `k`, into x and y. */
static void add_reads(struct text *text, const struct style *s, const char *k, const char *x, const char *y)
{
    const struct of_type *t = &of_types[s->type];
    const bool compares = s->checks && !s->limits;
    text_add(text, "        { const index at = %s; private a_part *to_a = %s; private B_TYPE *to_b = %s; const index k = at;\n", k, x, y);
    if (s->blocks & A_BLOCKS)
        text_add(text,
                 "        for (int i = 0; i < ROWS; i++)\n"
                 "            intel_sub_group_2d_block_read_%db_%dr%dx1c(a_at + get_global_id(2) * a_batch, edges.x, edges.y, a_pitch * "
                 "A_BYTES,\n"
                 "                (int2)(k + origin.x, row + i * M + origin.y), (private void *)&to_a[i]);\n",
                 8 * t->element, s->m, 32 / t->element);
    else
        text_add(
            text,
            "        for (int i = 0; i < ROWS; i++)\n"
            "            for (int r = 0; r < A_PARTS; r++) {\n"
            "                const index of_k = k / (A_BYTES * IN_WORD / 4) + A_LANE, of_row = LIMITED(row + i * M + A_ROW(r), edges.y);\n"
            "                ((private a_element *)&to_a[i])[r] = %s OF_A_PART(a[of_row * a_pitch + of_k], of_k)%s;\n"
            "            }\n",
            compares ? "of_row < edges.y && of_k < edges.x / A_BYTES ?" : "", compares ? " : 0" : "");
    if (s->blocks & B_BLOCKS)
        text_add(text,
                 "        for (int j = 0; j < COLUMNS; j++)\n"
                 "            intel_sub_group_2d_block_read_%s(b_at + get_global_id(2) * b_batch, edges.z, edges.w, pitch * %s,\n"
                 "                (int2)(column + j * 16 + origin.z, k / %s + origin.w), (private uint *)&to_b[j]);\n",
                 s->b_rows ? t->transform : "32b_8r16x1c", s->b_rows ? "(4 / IN_WORD)" : "4", s->b_rows ? "1" : "IN_WORD");
    else
        text_add(text,
                 "        for (int j = 0; j < COLUMNS; j++)\n"
                 "            for (int w = 0; w < 8; w++) {\n"
                 "                const index of_column = LIMITED(column + LANES * j + lane, edges.z * B_WIDTH / 4);\n"
                 "                global const element *p = b + (k + w * IN_WORD) * pitch + of_column;\n"
                 "                to_b[j][w] = as_%s(%s OF_B_WORD(%s, k / IN_WORD + w)%s);\n"
                 "            }\n",
                 t->b,
                 !compares   ? ""
                 : s->b_rows ? "of_column < edges.z * IN_WORD / 4 && k + w * IN_WORD + IN_WORD - 1 < edges.w ?"
                             : "of_column < edges.z / 4 && k / IN_WORD + w < edges.w ?",
                 s->b_columns && s->index[0] == 'l' ? "vload8(0, (global const uint *)(b + (column + LANES * j + lane) * pitch + k))[w]"
                 : s->b_columns                     ? "((global const uint *)(b + (column + LANES * j + lane) * pitch + k))[w]"
                 : s->b_rows                        ? t->word
                                                    : "((global const uint *)b)[(k / IN_WORD + w) * pitch + of_column]",
                 compares ? " : 0" : "");
    text_add(text, "        }\n");
}

/* Copies A and B of the round that begins at `k` to buffers in local memory. */
static void add_copies(struct text *text, const struct style *s, const char *k, const char *a, const char *b)
{
    text_add(text,
             "        { const index at = %s; A_BUFFER to_a = %s; B_BUFFER to_b = %s; const index k = at;\n"
             "        for (int i = FIRST_ITEM; i < UNDER * ROWS * M * STEP_A; i += STEP_OF_ITEMS) {\n"
             "            const index of_k = k / (A_BYTES * IN_WORD / 4) + i %% STEP_A, of_row = GROUP_Y * UNDER * ROWS * M + i / "
             "STEP_A;\n"
             "            to_a[i / STEP_A][i %% STEP_A] = %s OF_A_PART(a[of_row * a_pitch + of_k], of_k)%s;\n"
             "        }\n"
             "        for (int i = FIRST_ITEM; i < 8 * WIDE; i += STEP_OF_ITEMS) {\n"
             "            const index of_word = k / IN_WORD + i / WIDE, of_column = GROUP_X * WIDE + i %% WIDE;\n"
             "            to_b[i / WIDE][i %% WIDE] = %s OF_B_WORD(((global const uint *)b)[of_word * pitch + of_column], of_word)%s;\n"
             "        } }\n",
             k, a, b, s->checks ? "of_row < edges.y && of_k < edges.x / A_BYTES ?" : "", s->checks ? " : 0" : "",
             s->checks ? "of_column < edges.z / 4 && of_word < edges.w ?" : "", s->checks ? " : 0" : "");
}

/* The work-item's own elements of the round that begins at `k`, into arrays. */
static void add_loads_to_registers(struct text *text, const struct style *s, const char *k)
{
    text_add(text,
             "        { const index at = %s, k = at;\n"
             "        for (int i = 0; i < OF_A / ALL_ITEMS; i++) {\n"
             "            const int of = ITEM + i * ALL_ITEMS;\n"
             "            const index of_k = k / (A_BYTES * IN_WORD / 4) + of %% STEP_A, of_row = GROUP_Y * UNDER * ROWS * M + of "
             "/ STEP_A;\n"
             "            own_a[i] = %s a[of_row * a_pitch + of_k]%s;\n"
             "        }\n"
             "        for (int i = 0; i < OF_B / ALL_ITEMS; i++) {\n"
             "            const int of = ITEM + i * ALL_ITEMS;\n"
             "            const index of_word = k / IN_WORD + of / WIDE, of_column = GROUP_X * WIDE + of %% WIDE;\n"
             "            own_b[i] = %s ((global const uint *)b)[of_word * pitch + of_column]%s;\n"
             "        } }\n",
             k, s->checks ? "of_row < edges.y && of_k < edges.x / A_BYTES ?" : "", s->checks ? " : 0" : "",
             s->checks ? "of_column < edges.z / 4 && of_word < edges.w ?" : "", s->checks ? " : 0" : "");
}

static void add_stores_of_registers(struct text *text, const char *a, const char *b)
{
    text_add(text,
             "        { A_BUFFER to_a = %s; B_BUFFER to_b = %s;\n"
             "        for (int i = 0; i < OF_A / ALL_ITEMS; i++)\n"
             "            to_a[(ITEM + i * ALL_ITEMS) / STEP_A][(ITEM + i * ALL_ITEMS) %% STEP_A] = own_a[i];\n"
             "        for (int i = 0; i < OF_B / ALL_ITEMS; i++)\n"
             "            to_b[(ITEM + i * ALL_ITEMS) / WIDE][(ITEM + i * ALL_ITEMS) %% WIDE] = own_b[i]; }\n",
             a, b);
}

static void add_barrier(struct text *text)
{
    text_add(text, "        barrier(CLK_LOCAL_MEM_FENCE);\n");
}

/* Loads what has been copied there into x and y. */
static void add_loads_of_copies(struct text *text, const struct style *s, const char *a, const char *b)
{
    text_add(text,
             "        for (int i = 0; i < ROWS; i++)\n"
             "            for (int r = 0; r < A_PARTS; r++)\n"
             "                ((private a_element *)&x[i])[r] = %s[(get_sub_group_id() / BESIDE * ROWS + i) * M + A_ROW(r)][A_LANE];\n"
             "        for (int j = 0; j < COLUMNS; j++)\n"
             "            for (int w = 0; w < 8; w++)\n"
             "                y[j][w] = as_%s(%s[w][(get_sub_group_id() %% BESIDE * COLUMNS + j) * LANES + lane]);\n",
             a, of_types[s->type].b, b);
}

static void add_products_of(struct text *text, const char *x, const char *y)
{
    text_add(text,
             "        for (int i = 0; i < ROWS; i++)\n"
             "            for (int j = 0; j < COLUMNS; j++)\n"
             "                sum[i][j] = PRODUCT(%s[i], %s[j], sum[i][j]);\n",
             x, y);
}

static void add_products(struct text *text)
{
    add_products_of(text, "x", "y");
}

/* A round's part of a loop with buffers. */
static void add_fill(struct text *text, const struct style *s, const char *k, const char *a, const char *b)
{
    if (s->staged)
        add_copies(text, s, k, a, b);
    else
        add_reads(text, s, k, a, b);
}

static void add_products_of_buffers(struct text *text, const struct style *s, const char *a, const char *b)
{
    if (!s->staged) {
        add_products_of(text, a, b);
        return;
    }
    add_loads_of_copies(text, s, a, b);
    add_products(text);
}

/* The ways of a loop to say which buffer it multiplies in a round, and which it fills. */
static const struct {
    int count;
    unsigned rounds; /* by which the second is ahead */
    const char *begin, *now[2], *next[2], *end;
} buffers[BUFFERS] = {
    [COPIED] = {1, 1, "", {"", ""}, {"", ""}, ""},
    [BY_ROUND] = {2, 1, "", {"in_a[k / STEP & 1]", "in_b[k / STEP & 1]"}, {"in_a[k / STEP + 1 & 1]", "in_b[k / STEP + 1 & 1]"}, ""},
    [TOGGLED] = {2, 1, "    int turn = 0;\n", {"in_a[turn]", "in_b[turn]"}, {"in_a[turn ^ 1]", "in_b[turn ^ 1]"}, "        turn ^= 1;\n"},
    [EXCHANGED] = {2,
                   1,
                   "    A_BUFFER now_a = in_a[0], next_a = in_a[1]; B_BUFFER now_b = in_b[0], next_b = in_b[1];\n",
                   {"now_a", "now_b"},
                   {"next_a", "next_b"},
                   "        { A_BUFFER last_a = now_a; now_a = next_a; next_a = last_a; }\n"
                   "        { B_BUFFER last_b = now_b; now_b = next_b; next_b = last_b; }\n"},
    [BY_BOOL] = {2, 1, "    bool turn = false;\n", {"in_a[turn]", "in_b[turn]"}, {"in_a[!turn]", "in_b[!turn]"}, "        turn = !turn;\n"},
    [REFILLED] = {1, 1, "", {"in_a[0]", "in_b[0]"}, {"in_a[0]", "in_b[0]"}, ""},
    [BY_THREE] = {3, 1, "", {"in_a[k / STEP % 3]", "in_b[k / STEP % 3]"}, {"in_a[(k / STEP + 1) % 3]", "in_b[(k / STEP + 1) % 3]"}, ""},
    [BY_STAGE] = {3,
                  1,
                  "    int stage = 0;\n",
                  {"in_a[stage]", "in_b[stage]"},
                  {"in_a[stage == 2 ? 0 : stage + 1]", "in_b[stage == 2 ? 0 : stage + 1]"},
                  "        stage = stage == 2 ? 0 : stage + 1;\n"},
    [TWO_AHEAD] = {3,
                   2,
                   "    int stage = 0, last = 2;\n",
                   {"in_a[stage]", "in_b[stage]"},
                   {"in_a[last]", "in_b[last]"},
                   "        stage = (stage + 1) % 3; last = (last + 1) % 3;\n"},
    [ROTATED] = {3,
                 2,
                 "    A_BUFFER now_a = in_a[0], next_a = in_a[1], last_a = in_a[2];\n"
                 "    B_BUFFER now_b = in_b[0], next_b = in_b[1], last_b = in_b[2];\n",
                 {"now_a", "now_b"},
                 {"last_a", "last_b"},
                 "        { A_BUFFER free_a = now_a; now_a = next_a; next_a = last_a; last_a = free_a; }\n"
                 "        { B_BUFFER free_b = now_b; now_b = next_b; next_b = last_b; last_b = free_b; }\n"},
    [THREE_AHEAD] = {4, 3, "", {"in_a[k / STEP & 3]", "in_b[k / STEP & 3]"}, {"in_a[k / STEP + 3 & 3]", "in_b[k / STEP + 3 & 3]"}, ""},
};

unsigned style_rounds_ahead(const struct style *s)
{
    return buffers[s->buffers].rounds;
}

/* What the first rounds multiply. */
static void add_first_fills(struct text *text, const struct style *s)
{
    if (s->registers) {
        add_loads_to_registers(text, s, "0");
        add_stores_of_registers(text, "in_a[0]", "in_b[0]");
    } else if (buffers[s->buffers].rounds == 1)
        add_fill(text, s, "0", "in_a[0]", "in_b[0]");
    else if (s->buffers == ROTATED) {
        add_fill(text, s, "0", "now_a", "now_b");
        add_fill(text, s, "STEP", "next_a", "next_b");
    } else {
        text_add(text, "    for (int stage = 0; stage < %u; stage++) {\n", buffers[s->buffers].rounds);
        add_fill(text, s, "stage * STEP", "in_a[stage]", "in_b[stage]");
        text_add(text, "    }\n");
    }
    if (s->staged)
        add_barrier(text);
}

/* A loop that fills one buffer while it multiplies what is in another one. */
static void add_loop_with_buffers(struct text *text, const struct style *s)
{
    const bool behind = s->ahead == LAST_BEHIND, first = s->buffers != REFILLED; /* the next copy is made before the products */
    const bool guarded = !behind && !s->to_last;
    const char *const *now = buffers[s->buffers].now, *const *next = buffers[s->buffers].next,
                      *k = s->to_last ? "LAST_STEP(LATER)" : "LATER";
    if (!s->staged)
        text_add(text,
                 "    a_part in_a[%d][ROWS]; B_TYPE in_b[%d][COLUMNS];\n"
                 "    typedef private a_part *A_BUFFER; typedef private B_TYPE *B_BUFFER;\n",
                 buffers[s->buffers].count, buffers[s->buffers].count);
    if (s->registers)
        text_add(text, "    a_element own_a[OF_A / ALL_ITEMS]; uint own_b[OF_B / ALL_ITEMS];\n");
    text_add(text, "#define LATER k + %u * STEP\n#define LAST_STEP(k) min((index)(k), (index)(depth - STEP))\n%s",
             buffers[s->buffers].rounds, buffers[s->buffers].begin);
    add_first_fills(text, s);
    text_add(text, "    for (index k = 0; k < depth%s; k += STEP) {\n", behind ? " - STEP" : "");
    if (s->registers) {
        text_add(text, guarded ? "        if (LATER < depth) {\n" : "");
        add_loads_to_registers(text, s, k);
        text_add(text, guarded ? "        }\n" : "");
        add_products_of_buffers(text, s, now[0], now[1]);
        if (!first)
            add_barrier(text);
        add_stores_of_registers(text, next[0], next[1]);
        add_barrier(text);
    }
    for (int part = 0; part < 2 && !s->registers; part++) {
        if ((part == 0) == first) {
            text_add(text, guarded ? "        if (LATER < depth) {\n" : "");
            add_fill(text, s, k, next[0], next[1]);
            text_add(text, guarded ? "        }\n" : "");
        } else
            add_products_of_buffers(text, s, now[0], now[1]);
        if (s->staged && (part == 1 || !first))
            add_barrier(text);
    }
    text_add(text, "%s    }\n", buffers[s->buffers].end);
    if (!behind)
        return;
    if (s->buffers == BY_ROUND || s->buffers == BY_THREE)
        text_add(text, "    const index k = depth - STEP;\n");
    add_products_of_buffers(text, s, now[0], now[1]);
}

/* A loop over both halves of K at once, and what is left. */
static void add_halves(struct text *text, const struct style *s)
{
    text_add(text, "    c_part second[ROWS][COLUMNS] = {0};\n"
                   "    const index middle = depth / (2 * STEP) * STEP;\n"
                   "    for (index k = 0; k < middle; k += STEP) {\n");
    add_reads(text, s, "k", "x", "y");
    add_products(text);
    add_reads(text, s, "k + middle", "next_x", "next_y");
    text_add(text, "        for (int i = 0; i < ROWS; i++)\n"
                   "            for (int j = 0; j < COLUMNS; j++)\n"
                   "                second[i][j] = MAD(next_x[i], next_y[j], second[i][j]);\n"
                   "    }\n"
                   "    for (index k = 2 * middle; k < depth; k += STEP) {\n");
    add_reads(text, s, "k", "x", "y");
    add_products(text);
    text_add(text, "    }\n"
                   "    for (int i = 0; i < ROWS; i++)\n"
                   "        for (int j = 0; j < COLUMNS; j++)\n"
                   "            sum[i][j] += second[i][j];\n");
}

/* The round's product with B of the sub-group at the same place from the other end. */
static void add_product_of_other_b(struct text *text, const struct style *s)
{
    text_add(text, "        { const index own_column = column;\n"
                   "        { const index column = last_column - own_column;\n");
    add_reads(text, s, "k", "x", "next_y");
    text_add(text, "        } }\n"
                   "        for (int i = 0; i < ROWS; i++)\n"
                   "            for (int j = 0; j < COLUMNS; j++)\n"
                   "                other[i][j] = MAD(x[i], next_y[j], other[i][j]);\n");
}

/* The round's product with a B of ones, whose columns are the sums of A's rows. */
static void add_row_sums(struct text *text, const struct style *s)
{
    static const char *const ones[TYPES] = {[INT8] = "0x01010101", [UINT8] = "0x01010101", [BF16] = "0x3f803f80", [F16] = "0x3c003c00",
                                            [TF32] = "1.0f",       [INT4] = "0x11111111",  [UINT4] = "0x11111111"};
    text_add(text,
             "        { const B_TYPE ones = (B_TYPE)(%s);\n"
             "        for (int i = 0; i < ROWS; i++)\n"
             "            row_sums[i] = MAD(x[i], ones, row_sums[i]); }\n",
             ones[s->type]);
}

/* The loops over K. */
static void add_loops(struct text *text, const struct style *s)
{
    text_add(text, "    enum { STEP = 8 * IN_WORD };\n"
                   "    a_part x[ROWS], next_x[ROWS]; B_TYPE y[COLUMNS], next_y[COLUMNS];\n");
    if (s->halves) {
        add_halves(text, s);
        return;
    }
    if (s->buffers) {
        add_loop_with_buffers(text, s);
        return;
    }
    if (s->two_b)
        text_add(text, "    c_part other[ROWS][COLUMNS] = {0};\n"
                       "    const index last_column = (groups.x * get_local_size(0) / LANES - 1) * COLUMNS * LANES;\n");
    if (s->row_sums)
        text_add(text, "    c_part row_sums[ROWS] = {0};\n");
    if (s->ahead)
        add_reads(text, s, "0", "x", "y");
    text_add(text, "%s    for (index k = %s; k < %s; k += STEP) {\n",
             !s->nested ? ""
             : s->backwards
                 ? "    for (index left = (depth + 3 * STEP - 1) / (3 * STEP), block; left > 0 && (block = (left - 1) * (3 * STEP), true); "
                   "left--)\n"
                 : "    for (index block = 0; block < depth; block += 3 * STEP)\n",
             s->nested                 ? "block"
             : s->ahead == LAST_BEHIND ? "STEP"
                                       : "0",
             s->nested ? "min(block + 3 * STEP, depth)" : "depth");
    if (s->ahead == A_ROUND_AHEAD)
        text_add(text, "        if (k + STEP < depth)\n");
    if (s->staged) {
        add_barrier(text);
        add_copies(text, s, "k", "in_a[0]", "in_b[0]");
        add_barrier(text);
        add_loads_of_copies(text, s, "in_a[0]", "in_b[0]");
    } else
        add_reads(text, s, s->ahead == A_ROUND_AHEAD ? "k + STEP" : "k", s->ahead ? "next_x" : "x", s->ahead ? "next_y" : "y");
    add_products(text);
    if (s->two_b)
        add_product_of_other_b(text, s);
    if (s->row_sums)
        add_row_sums(text, s);
    if (s->ahead)
        text_add(text, "        for (int i = 0; i < ROWS; i++)\n"
                       "            x[i] = next_x[i];\n"
                       "        for (int j = 0; j < COLUMNS; j++)\n"
                       "            y[j] = next_y[j];\n");
    text_add(text, "    }\n");
    if (s->ahead == LAST_BEHIND)
        add_products(text);
    if (s->two_b)
        text_add(text, "    for (int i = 0; i < ROWS; i++)\n"
                       "        for (int j = 0; j < COLUMNS; j++)\n"
                       "            sum[i][j] += 2 * other[i][j];\n");
    if (s->row_sums)
        text_add(text, "    for (int i = 0; i < ROWS; i++)\n"
                       "        for (int j = 0; j < COLUMNS; j++)\n"
                       "            sum[i][j] -= 3 * row_sums[i];\n");
}

/* What becomes of the sums. */
static void add_end(struct text *text, const struct style *s)
{
    text_add(text,
             "    for (int i = 0; i < ROWS; i++)\n"
             "        for (int j = 0; j < COLUMNS; j++) {\n"
             "            for (int r = 0; r < M; r++) {\n"
             "                number value = ((private number *)&sum[i][j])[r];\n"
             "                value = %s;\n"
             "                %s%s = value;\n"
             "            }\n",
             s->end == CUTS_NEGATIVE ? "max(value, (number)0)"
             : s->end == SCALES      ? "value * 3 + (number)(column + LANES * j + lane)"
                                     : "value",
             s->checks ? "if (row + i * M + r < c_edges.y && column + LANES * j + lane < c_edges.x / 4) " : "",
             s->writes ? "((private number *)&sum[i][j])[r]" : "c[(row + i * M + r) * c_pitch + column + LANES * j + lane]");
    if (s->writes)
        text_add(text,
                 "            intel_sub_group_2d_block_write_32b_%dr16x1c(c, c_edges.x, c_edges.y, c_pitch * 4,\n"
                 "                (int2)(column + j * 16, row + i * M), (private uint *)&sum[i][j]);\n",
                 s->m);
    text_add(text, "        }\n%s}\n",
             s->end == READS_BACK ? "    c[row * c_pitch + column + lane] += 1;\n"
             : s->end == COUNTS   ? "    atomic_inc(count);\n"
                                  : "");
}

static const char *const orders[ORDERS] = {
    [IN_GRID] = "#define GROUP_X get_group_id(0)\n#define GROUP_Y get_group_id(1)\n",
    [BY_ROWS] = "#define GROUP_X ((int)get_group_id(0) % groups.x)\n#define GROUP_Y ((int)get_group_id(0) / groups.x)\n",
    [IN_BANDS] =
        ("    const int group = get_group_id(0), in_band = 2 * groups.x, band = group / in_band, high = min(groups.y - 2 * band, 2);\n"
         "#define GROUP_X (group % in_band / high)\n#define GROUP_Y (2 * band + group % in_band % high)\n")};

cl_program style_build(struct device *device, const struct style *s)
{
    const struct of_type *t = &of_types[s->type];
    struct text text = {0};
    const char *a = s->eight ? t->a_of_8 : t->a, *number = t->has_fraction ? "float" : "int";
    char m[4] = "", parts[4] = "";
    if (s->m > 1)
        snprintf(m, sizeof m, "%d", s->m);
    if (a_parts(s) > 1)
        snprintf(parts, sizeof parts, "%d", a_parts(s));
    text_add(&text,
             "enum { M = %d, ROWS = %d, COLUMNS = %d, IN_WORD = %d, LANES = %d, A_BYTES = %d, A_PARTS = %d };\n"
             "typedef %s a_element; typedef %s index; typedef %s number; typedef %s element; typedef %s%s a_part; typedef %s%s c_part;\n"
             "#define MAD intel_sub_group_%s\n#define B_TYPE %s8\n#define A_ROW(r) %s\n#define A_LANE %s\n",
             s->m, s->rows, s->columns, in_word(s), lanes_of(s), a_bytes(s), a_parts(s), a, s->index, number, t->element_type, a, parts,
             number, m, t->function, t->b, s->type == TF32 ? "(r * 2 + (lane >> 3))" : "r", s->type == TF32 ? "(lane & 7)" : "lane");
    text_add(&text,
             "enum { BESIDE = %d, UNDER = %d, WIDE = BESIDE * COLUMNS * LANES, WIDE_ITEMS = BESIDE * LANES, STEP_A = 32 / A_BYTES,\n"
             "       ALL_ITEMS = WIDE_ITEMS * UNDER, OF_A = UNDER * ROWS * M * STEP_A, OF_B = 8 * WIDE };\n"
             "#define ITEM (int)(get_local_id(1) * WIDE_ITEMS + get_local_id(0))\n",
             STAGED_BESIDE, STAGED_UNDER);
    const char *signs = t->numbers > 1 ? "0x88888888" : t->element == 1 ? "0x80808080" : "0x80008000";
    text_add(&text, "#define FLIPPED(v, i) ((v) ^ ((i) & 1 ? %s : 0))\n#define OF_A_PART(v, i) %s\n#define OF_B_WORD(v, i) %s\n", signs,
             s->computes & COMPUTES_A ? "FLIPPED(v, i)" : "(v)", s->computes & COMPUTES_B ? "FLIPPED(v, i)" : "(v)");
    text_add(&text, "#define PRODUCT(x, y, sum) %s\n", s->apart ? "((sum) + MAD(x, y, (c_part)0))" : "MAD(x, y, sum)");
    text_add(&text, "#define FIRST_ITEM get_local_id(1) * %s + get_local_id(0)\n#define STEP_OF_ITEMS %s\n",
             s->any_size ? "get_local_size(0)" : "WIDE_ITEMS",
             s->any_size ? "get_local_size(0) * get_local_size(1)" : "WIDE_ITEMS * UNDER");
    if (s->staged && !s->any_size)
        text_add(&text, "__attribute__((reqd_work_group_size(WIDE_ITEMS, UNDER, 1)))\n");
    text_add(&text,
             "__attribute__((intel_reqd_sub_group_size(LANES)))\n"
             "kernel void k(global char *a_at, global char *b_at, global char *c_at, global int *count, index depth, index a_pitch,\n"
             "              index pitch, index c_pitch, index a_batch, index b_batch, index c_batch, int4 edges, int4 origin,\n"
             "              int2 c_edges, int2 groups)\n"
             "{\n"
             "%s"
             "    index lane = get_sub_group_local_id(), row = %s * ROWS * M,\n"
             "          column = %s / LANES * COLUMNS * LANES;\n",
             orders[s->order], s->order ? "(GROUP_Y * get_local_size(1) + get_local_id(1))" : "get_global_id(1)",
             s->order ? "(GROUP_X * get_local_size(0) + get_local_id(0))" : "get_global_id(0)");
    if (s->staged)
        text_add(&text,
                 "    typedef local a_element (*A_BUFFER)[STEP_A]; typedef local uint (*B_BUFFER)[WIDE];\n"
                 "    local a_element in_a[%d][UNDER * ROWS * M][STEP_A];\n    local uint in_b[%d][8][WIDE];\n",
                 buffers[s->buffers].count, buffers[s->buffers].count);
    text_add(&text, "#define B_WIDTH %s\n#define LIMITED(at, end) %s\n", s->b_rows ? "IN_WORD" : "1",
             s->limits ? "min((index)(at), (index)((end) - 1))" : "(at)");
    if (s->limits) /* nothing is stored where there is no row or column */
        text_add(&text, "    edges = max(edges, (int4)(0, 1, 4, 0));\n");
    if (s->checks)
        text_add(&text, "    edges = max(edges, 0);\n    c_edges = max(c_edges, 0);\n");
    if (s->clamps)
        text_add(&text, "    row = min(row, (index)*count - ROWS * M);\n");
    text_add(&text,
             "    global const a_element *a = (global const a_element *)(a_at + get_global_id(2) * a_batch);\n"
             "    global const element *b = (global const element *)(b_at + get_global_id(2) * b_batch);\n"
             "    global number *c = (global number *)(c_at + get_global_id(2) * c_batch);\n"
             "    c_part sum[ROWS][COLUMNS];\n"
             "    for (int i = 0; i < ROWS; i++)\n"
             "        for (int j = 0; j < COLUMNS; j++)\n"
             "            for (int r = 0; r < M; r++)\n"
             "                ((private number *)&sum[i][j])[r] = %s;\n",
             s->end == ADDS_TO_C ? "c[(row + i * M + r) * c_pitch + column + LANES * j + lane]" : "0");
    add_loops(&text, s);
    add_end(&text, s);
    return device_build_text(device, &text);
}
