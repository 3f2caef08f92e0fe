/* SPDX-License-Identifier: Apache-2.0
 * Loops over K that have an operand in common, by way of others too, make a grid. Where the sub-groups of a work-group share K out among
 * them, there are as many grids as parts of K, and where z numbers products, as many as products. Their rows and columns get new numbers,
 * in which those of a grid follow each other. */
#include "device-amx/tiles_share.h"

/* Rows of the one grid are nodes 0 to MOST_SIDE - 1, columns the others. */
static uint32_t root_of(struct tsr__grids *g, uint32_t node)
{
    while (g->parent[node] != node)
        node = g->parent[node] = g->parent[g->parent[node]];
    return node;
}

void tsr__grids_begin(struct tsr__grids *g, uint32_t rows, uint32_t columns)
{
    g->rows = rows;
    g->columns = columns;
    for (uint32_t i = 0; i < rows; i++)
        g->parent[i] = (uint16_t)i;
    for (uint32_t i = TSR__MOST_SIDE; i < TSR__MOST_SIDE + columns; i++)
        g->parent[i] = (uint16_t)i;
}

void tsr__grids_add(struct tsr__grids *g, uint32_t row, uint32_t column)
{
    g->parent[root_of(g, TSR__MOST_SIDE + column)] = (uint16_t)root_of(g, row);
}

/* Numbers the nodes of one side, and notes where each grid begins. */
static void number_side(struct tsr__grids *g, uint32_t first, uint32_t count, uint32_t *begin, uint16_t *number)
{
    memset(begin, 0, (g->count + 1) * sizeof *begin);
    for (uint32_t i = 0; i < count; i++)
        begin[g->grid_of[root_of(g, first + i)] + 1]++;
    for (uint32_t i = 0; i < g->count; i++)
        begin[i + 1] += begin[i];
    for (uint32_t i = 0; i < count; i++)
        number[i] = (uint16_t)begin[g->grid_of[root_of(g, first + i)]]++;
    for (uint32_t i = g->count; i > 0; i--)
        begin[i] = begin[i - 1];
    begin[0] = 0;
}

bool tsr__grids_end(struct tsr__grids *g)
{
    g->count = 0;
    for (uint32_t i = 0; i < g->rows; i++)
        if (g->parent[i] == i)
            g->grid_of[i] = (uint16_t)g->count++;
    if (g->count > TSR__MOST_GRIDS) {
        memset(g->grid_of, 0, g->rows * sizeof g->grid_of[0]);
        g->count = 1;
    }
    for (uint32_t i = TSR__MOST_SIDE; i < TSR__MOST_SIDE + g->columns; i++)
        g->grid_of[i] = 0; /* a column without loops may be in any grid */
    number_side(g, 0, g->rows, g->row_begin, g->row);
    number_side(g, TSR__MOST_SIDE, g->columns, g->column_begin, g->column);
    return g->count > 1;
}

void tsr__grids_order(struct tsr__grids *g, struct tsr__side *side, uint32_t count, const uint16_t *number)
{
    memcpy(g->at, side->at, count * sizeof g->at[0]);
    memcpy(g->in, side->in, count * sizeof g->in[0]);
    for (uint32_t i = 0; i < count; i++) {
        side->at[number[i]] = g->at[i];
        side->in[number[i]] = g->in[i];
    }
    if (!side->has_right)
        return;
    memcpy(g->at, side->right, count * sizeof g->at[0]);
    for (uint32_t i = 0; i < count; i++)
        side->right[number[i]] = g->at[i];
}
