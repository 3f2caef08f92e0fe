/* SPDX-License-Identifier: Apache-2.0
 * Sets of blocks as sorted lists whose ends are shared. */
#include "lanes/ir/block_list.h"

static struct tsr__block_list *new_element(struct tsr_arena *arena, int block, const struct tsr__block_list *next)
{
    struct tsr__block_list *made = tsr_arena_alloc(arena, sizeof *made);
    *made = (struct tsr__block_list){block, next};
    return made;
}

const struct tsr__block_list *tsr__block_list_with(struct tsr_arena *arena, const struct tsr__block_list *list, int block)
{
    for (const struct tsr__block_list *at = list; at && at->block <= block; at = at->next)
        if (at->block == block)
            return list;
    return tsr__block_list_union(arena, list, new_element(arena, block, NULL));
}

const struct tsr__block_list *tsr__block_list_union(struct tsr_arena *arena, const struct tsr__block_list *a,
                                                    const struct tsr__block_list *b)
{
    const struct tsr__block_list *first = NULL;
    struct tsr__block_list *last = NULL;
    while (a && b && a != b) {
        struct tsr__block_list *made = new_element(arena, a->block < b->block ? a->block : b->block, NULL);
        if (a->block == made->block)
            a = a->next;
        if (b->block == made->block)
            b = b->next;
        if (last)
            last->next = made;
        else
            first = made;
        last = made;
    }
    const struct tsr__block_list *rest = a ? a : b;
    if (!last)
        return rest;
    last->next = rest;
    return first;
}
