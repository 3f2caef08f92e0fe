/* SPDX-License-Identifier: Apache-2.0
 * Where C of loops over K lies, which one packet comes to one after the other (TSR_TILE_IN_ORDER): done together, they are stored in
 * another order, so no two of them may overlap.
 *
 * Loops in a row of the grid have the same A, and those in a column the same B. C of row i and column j must lie at first + rows[i] +
 * columns[j]. The distances of rows are multiples of all rows that a loop stores; those of columns are multiples of its columns, and all of
 * them lie within one row of C. Then different rows, or columns, of the grid are different ones of C. */
#include "device-amx/tiles_share.h"

static bool is_in(const int64_t *list, uint32_t count, int64_t v)
{
    for (uint32_t i = 0; i < count; i++)
        if (list[i] == v)
            return true;
    return false;
}

void tsr__places_begin(struct tsr__places *p, const struct tsr_tile_loop *x)
{
    p->first = x->to;
    p->rows[0] = p->columns[0] = p->left = p->right = 0;
}

/* The distance of a column, where that of its row is not known either: what is left of a whole number of rows. */
static int64_t column_of(int64_t at, int64_t under, int64_t stride)
{
    const int64_t rest = (at % under + under) % under;
    return rest < stride ? rest : rest - under;
}

static bool add_row(struct tsr__places *p, struct tsr__spot row, int64_t down, int64_t under)
{
    p->rows[row.number] = down;
    return down % under == 0 && !is_in(p->rows, row.count, down);
}

static bool add_column(struct tsr__places *p, struct tsr__spot column, int64_t right, int64_t beside, int64_t stride)
{
    const int64_t first = right < p->left ? right : p->left, last = right > p->right ? right : p->right;
    if (right % beside || last - first + beside > stride || is_in(p->columns, column.count, right))
        return false;
    p->columns[column.number] = right;
    p->left = first;
    p->right = last;
    return true;
}

bool tsr__places_add(struct tsr__places *p, const struct tsr_tile_loop *x, struct tsr__spot row, struct tsr__spot column)
{
    const int64_t at = x->to - p->first, under = x->to_stride * tsr__loop_rows(x);
    const bool new_row = row.number == row.count, new_column = column.number == column.count;
    if (!new_row && !new_column)
        return at == p->rows[row.number] + p->columns[column.number];
    const int64_t right = !new_column ? p->columns[column.number]
                          : !new_row  ? at - p->rows[row.number]
                                      : column_of(at, under, x->to_stride);
    return (!new_row || add_row(p, row, at - right, under)) &&
           (!new_column || add_column(p, column, right, tsr__loop_c_bytes(x), x->to_stride));
}
