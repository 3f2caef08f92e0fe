/* SPDX-License-Identifier: Apache-2.0
 * The control-flow graph: compact order, dominators (Cooper, Harvey, Kennedy), loops. */
#include "lanes/ir/cfg.h"

#include <string.h>

/* ---- depth-first order ---- */

struct order {
    LLVMBasicBlockRef *blocks; /* reverse post-order */
    int count;
    struct tsr__map index; /* → number + 1 */
};

static struct order reverse_post_order(LLVMValueRef function, struct tsr_arena *arena)
{
    unsigned total = LLVMCountBasicBlocks(function);
    struct frame {
        LLVMBasicBlockRef block;
        unsigned next;
    } *stack = tsr_arena_alloc(arena, total * sizeof *stack);
    struct order order = {tsr_arena_alloc(arena, total * sizeof *order.blocks), 0, {.arena = arena}};
    struct tsr__map seen = {.arena = arena};
    unsigned depth = 0, left = total;

    stack[depth++] = (struct frame){LLVMGetEntryBasicBlock(function), 0};
    tsr__map_set(&seen, stack[0].block, 1);
    while (depth) {
        struct frame *top = &stack[depth - 1];
        LLVMValueRef terminator = LLVMGetBasicBlockTerminator(top->block);
        if (top->next == LLVMGetNumSuccessors(terminator)) {
            order.blocks[--left] = top->block;
            depth--;
            continue;
        }
        LLVMBasicBlockRef succ = LLVMGetSuccessor(terminator, top->next++);
        if (!tsr__map_get(&seen, succ)) {
            tsr__map_set(&seen, succ, 1);
            stack[depth++] = (struct frame){succ, 0};
        }
    }
    order.count = (int)(total - left);
    memmove(order.blocks, order.blocks + left, (size_t)order.count * sizeof *order.blocks);
    for (int i = 0; i < order.count; i++)
        tsr__map_set(&order.index, order.blocks[i], (uintptr_t)i + 1);
    return order;
}

/* Edges between numbered blocks; an edge that stands twice in a terminator (both arms of a branch) counts once. */
static void connect_blocks(struct tsr__block *blocks, int count, const struct tsr__map *index, struct tsr_arena *arena)
{
    for (int i = 0; i < count; i++) {
        struct tsr__block *b = &blocks[i];
        b->terminator = LLVMGetBasicBlockTerminator(b->ref);
        unsigned edges = LLVMGetNumSuccessors(b->terminator);
        b->succ = tsr_arena_alloc(arena, (edges + 1) * sizeof *b->succ);
        for (unsigned e = 0; e < edges; e++) {
            int to = (int)tsr__map_number(index, LLVMGetSuccessor(b->terminator, e)), k = 0;
            while (k < b->succ_count && b->succ[k] != to)
                k++;
            if (k == b->succ_count) {
                b->succ[b->succ_count++] = to;
                blocks[to].pred_count++;
            }
        }
    }
    for (int i = 0; i < count; i++) {
        blocks[i].pred = tsr_arena_alloc(arena, ((size_t)blocks[i].pred_count + 1) * sizeof *blocks[i].pred);
        blocks[i].pred_count = 0;
    }
    for (int i = 0; i < count; i++)
        for (int k = 0; k < blocks[i].succ_count; k++) {
            struct tsr__block *to = &blocks[blocks[i].succ[k]];
            to->pred[to->pred_count++] = i;
        }
}

/* ---- dominators ---- */

static int common_dominator(const struct tsr__block *blocks, int a, int b)
{
    while (a != b) {
        while (a > b)
            a = blocks[a].idom;
        while (b > a)
            b = blocks[b].idom;
    }
    return a;
}

/* Blocks numbered so that a dominator precedes what it dominates. */
static void find_dominators(struct tsr__block *blocks, int count)
{
    for (int i = 0; i < count; i++)
        blocks[i].idom = TSR__NONE;
    blocks[0].idom = 0;
    for (bool changed = true; changed;) {
        changed = false;
        for (int i = 1; i < count; i++) {
            int idom = TSR__NONE;
            for (int k = 0; k < blocks[i].pred_count; k++) {
                int p = blocks[i].pred[k];
                if (blocks[p].idom != TSR__NONE)
                    idom = idom == TSR__NONE ? p : common_dominator(blocks, idom, p);
            }
            if (blocks[i].idom != idom) {
                blocks[i].idom = idom;
                changed = true;
            }
        }
    }
    blocks[0].idom = TSR__NONE;
}

/* Blocks from which all ways lead to where nobody comes (behind a trap, or by the program's word). Loops around are not looked through. */
static bool *find_dead_ends(const struct tsr__cfg *cfg, struct tsr_arena *arena)
{
    bool *dead = tsr_arena_alloc(arena, (size_t)cfg->block_count + 1);
    for (int b = cfg->block_count - 1; b >= 0; b--) {
        const struct tsr__block *block = &cfg->blocks[b];
        dead[b] = block->succ_count || LLVMGetInstructionOpcode(block->terminator) == LLVMUnreachable;
        for (int k = 0; k < block->succ_count; k++)
            dead[b] = dead[b] && block->succ[k] > b && dead[block->succ[k]];
    }
    return dead;
}

/* Post-dominators need an order of their own (reverse post-order of the reversed graph). Blocks from which no exit can be reached, in
 * endless loops and dead ends, hang on the virtual exit. No block has to wait for lanes that went into a dead end. */
static void find_post_dominators(struct tsr__cfg *cfg, struct tsr_arena *arena)
{
    int n = cfg->block_count, exit = n;
    int *post = tsr_arena_alloc(arena, ((size_t)n + 1) * sizeof *post);   /* post-order numbers of the reversed graph */
    int *order = tsr_arena_alloc(arena, ((size_t)n + 1) * sizeof *order); /* blocks by that number */
    int *stack = tsr_arena_alloc(arena, ((size_t)n + 1) * sizeof *stack);
    int *next = tsr_arena_alloc(arena, ((size_t)n + 1) * sizeof *next);
    bool *root = tsr_arena_alloc(arena, (size_t)n + 1), *dead = find_dead_ends(cfg, arena);
    int count = 0;

    for (int i = 0; i < n; i++)
        post[i] = TSR__NONE;
    /* Exits first, then whatever they do not reach, last block first: the latch of an endless loop stands for its end. */
    for (int pass = 0; pass < 2; pass++)
        for (int i = n - 1; i >= 0; i--) {
            if (post[i] != TSR__NONE || (pass == 0 && (cfg->blocks[i].succ_count || dead[i])))
                continue;
            int depth = 0;
            root[i] = true;
            post[i] = -2; /* on the stack */
            stack[depth++] = i;
            while (depth) {
                int b = stack[depth - 1];
                if (next[b] == cfg->blocks[b].pred_count) {
                    post[b] = count;
                    order[count++] = b;
                    depth--;
                    continue;
                }
                int p = cfg->blocks[b].pred[next[b]++];
                if (post[p] == TSR__NONE) {
                    post[p] = -2;
                    stack[depth++] = p;
                }
            }
        }
    post[exit] = count;

    int *ipdom = tsr_arena_alloc(arena, ((size_t)n + 1) * sizeof *ipdom);
    for (int i = 0; i < n; i++)
        ipdom[i] = TSR__NONE;
    ipdom[exit] = exit;
    for (bool changed = true; changed;) {
        changed = false;
        for (int k = count - 1; k >= 0; k--) {
            int b = order[k], found = root[b] ? exit : TSR__NONE;
            for (int e = 0; e < cfg->blocks[b].succ_count; e++) {
                int s = cfg->blocks[b].succ[e];
                if (ipdom[s] == TSR__NONE || (dead[s] && !dead[b]))
                    continue;
                if (found == TSR__NONE) {
                    found = s;
                    continue;
                }
                int x = found, y = s;
                while (x != y) {
                    while (post[x] < post[y])
                        x = ipdom[x];
                    while (post[y] < post[x])
                        y = ipdom[y];
                }
                found = x;
            }
            if (found != ipdom[b]) {
                ipdom[b] = found;
                changed = true;
            }
        }
    }
    for (int i = 0; i < n; i++)
        cfg->blocks[i].ipdom = ipdom[i] == exit ? TSR__NONE : ipdom[i];
}

/* ---- loops ---- */

static bool block_dominates(const struct tsr__block *blocks, int a, int b)
{
    while (b != TSR__NONE && b > a)
        b = blocks[b].idom;
    return a == b;
}

/* Finds loops over blocks in reverse post-order: members[i] = innermost loop. Loops come out by header, so outer before inner. */
static bool find_loops(struct tsr__block *blocks, int count, struct tsr__cfg *cfg, struct tsr_arena *arena)
{
    cfg->loops = tsr_arena_alloc(arena, ((size_t)count + 1) * sizeof *cfg->loops);
    int *stack = tsr_arena_alloc(arena, ((size_t)count + 1) * sizeof *stack);
    int *mark = tsr_arena_alloc(arena, ((size_t)count + 1) * sizeof *mark);
    for (int i = 0; i < count; i++)
        blocks[i].loop = TSR__NONE;
    for (int h = 0; h < count; h++) {
        int depth = 0, latches = 0, latch = TSR__NONE, number = cfg->loop_count;
        for (int k = 0; k < blocks[h].pred_count; k++) {
            int p = blocks[h].pred[k];
            if (p < h)
                continue;
            if (!block_dominates(blocks, h, p))
                return false; /* entered past its header */
            latches++;
            latch = p;
            if (mark[p] != number + 1) {
                mark[p] = number + 1;
                stack[depth++] = p;
            }
        }
        if (!latches)
            continue;
        int parent = blocks[h].loop;
        cfg->loops[cfg->loop_count++] = (struct tsr__loop){.parent = parent,
                                                           .depth = parent == TSR__NONE ? 1 : cfg->loops[parent].depth + 1,
                                                           .header = h,
                                                           .latch = latches == 1 ? latch : TSR__NONE};
        mark[h] = number + 1;
        blocks[h].loop = number;
        while (depth) {
            int b = stack[--depth];
            blocks[b].loop = number; /* inner loops come later and take their blocks over */
            if (b == h)
                continue;
            for (int k = 0; k < blocks[b].pred_count; k++) {
                int p = blocks[b].pred[k];
                if (mark[p] != number + 1) {
                    mark[p] = number + 1;
                    stack[depth++] = p;
                }
            }
        }
    }
    return true;
}

/* ---- compact order ---- */

/* Loop of `loops` that contains `block` and whose parent is `outer`; TSR__NONE if the block is in `outer` itself. */
static int child_loop(const struct tsr__cfg *cfg, const struct tsr__block *blocks, int block, int outer)
{
    int loop = blocks[block].loop;
    while (loop != outer && cfg->loops[loop].parent != outer)
        loop = cfg->loops[loop].parent;
    return loop == outer ? TSR__NONE : loop;
}

/* Kahn's algorithm with a stack of ready blocks: whatever is ready inside the loop that was entered last comes first, so that loops stay
 * together; among those the one that became ready last, so that dominated regions mostly do. */
static int *compact_order(const struct tsr__block *blocks, int count, const struct tsr__cfg *cfg, struct tsr_arena *arena)
{
    int *order = tsr_arena_alloc(arena, ((size_t)count + 1) * sizeof *order);
    int *waiting = tsr_arena_alloc(arena, ((size_t)count + 1) * sizeof *waiting);
    int *ready = tsr_arena_alloc(arena, ((size_t)count + 1) * sizeof *ready);
    int *unplaced = tsr_arena_alloc(arena, ((size_t)cfg->loop_count + 1) * sizeof *unplaced);
    int placed = 0, ready_count = 0, current = TSR__NONE;
    struct tsr__cfg view = *cfg;

    view.blocks = (struct tsr__block *)blocks;
    for (int i = 0; i < count; i++) {
        for (int k = 0; k < blocks[i].pred_count; k++)
            waiting[i] += blocks[i].pred[k] < i;
        for (int l = blocks[i].loop; l != TSR__NONE; l = cfg->loops[l].parent)
            unplaced[l]++;
    }
    ready[ready_count++] = 0;
    while (ready_count) {
        while (current != TSR__NONE && !unplaced[current])
            current = cfg->loops[current].parent;
        int pick = ready_count - 1;
        while (!tsr__in_loop(&view, ready[pick], current))
            pick--;
        int b = ready[pick];
        memmove(&ready[pick], &ready[pick + 1], (size_t)(--ready_count - pick) * sizeof *ready);
        order[placed++] = b;
        if (child_loop(cfg, blocks, b, current) != TSR__NONE)
            current = blocks[b].loop; /* b is the header of a loop in the current one: blocks inside cannot be ready earlier */
        for (int l = blocks[b].loop; l != TSR__NONE; l = cfg->loops[l].parent)
            unplaced[l]--;
        for (int k = blocks[b].succ_count - 1; k >= 0; k--) {
            int s = blocks[b].succ[k];
            if (s > b && --waiting[s] == 0)
                ready[ready_count++] = s;
        }
    }
    return order;
}

/* ---- all together ---- */

bool tsr__cfg_make(struct tsr__cfg *cfg, LLVMValueRef function, struct tsr_arena *arena)
{
    *cfg = (struct tsr__cfg){.function = function, .index = {.arena = arena}};
    struct order rpo = reverse_post_order(function, arena);
    struct tsr__block *first = tsr_arena_alloc(arena, (size_t)rpo.count * sizeof *first);
    for (int i = 0; i < rpo.count; i++)
        first[i].ref = rpo.blocks[i];
    connect_blocks(first, rpo.count, &rpo.index, arena);
    find_dominators(first, rpo.count);
    if (!find_loops(first, rpo.count, cfg, arena))
        return false;

    /* Renumber. */
    int *order = compact_order(first, rpo.count, cfg, arena);
    int *number = tsr_arena_alloc(arena, ((size_t)rpo.count + 1) * sizeof *number);
    for (int i = 0; i < rpo.count; i++)
        number[order[i]] = i;
    cfg->block_count = rpo.count;
    cfg->blocks = tsr_arena_alloc(arena, (size_t)rpo.count * sizeof *cfg->blocks);
    for (int i = 0; i < rpo.count; i++) {
        const struct tsr__block *old = &first[order[i]];
        cfg->blocks[i] =
            (struct tsr__block){.ref = old->ref, .loop = old->loop, .idom = old->idom == TSR__NONE ? TSR__NONE : number[old->idom]};
        tsr__map_set(&cfg->index, old->ref, (uintptr_t)i + 1);
    }
    connect_blocks(cfg->blocks, cfg->block_count, &cfg->index, arena);
    for (int l = 0; l < cfg->loop_count; l++) {
        struct tsr__loop *loop = &cfg->loops[l];
        loop->header = number[loop->header];
        if (loop->latch != TSR__NONE)
            loop->latch = number[loop->latch];
        loop->begin = loop->header;
        loop->end = loop->begin;
        while (loop->end < cfg->block_count && tsr__in_loop(cfg, loop->end, l))
            loop->end++;
    }
    find_post_dominators(cfg, arena);
    return true;
}

int tsr__cfg_number(const struct tsr__cfg *cfg, LLVMBasicBlockRef block)
{
    return (int)tsr__map_get(&cfg->index, block) - 1;
}

bool tsr__dominates(const struct tsr__cfg *cfg, int a, int b)
{
    return block_dominates(cfg->blocks, a, b);
}

bool tsr__post_dominates(const struct tsr__cfg *cfg, int a, int b)
{
    while (b != TSR__NONE && b != a)
        b = cfg->blocks[b].ipdom;
    return a == b;
}

bool tsr__in_loop(const struct tsr__cfg *cfg, int block, int loop)
{
    if (loop == TSR__NONE)
        return true;
    int at = cfg->blocks[block].loop;
    while (at != TSR__NONE && at != loop)
        at = cfg->loops[at].parent;
    return at == loop;
}

bool tsr__is_in_loop(const struct tsr__cfg *cfg, LLVMValueRef v, int loop)
{
    int block = LLVMIsAInstruction(v) ? tsr__cfg_number(cfg, LLVMGetInstructionParent(v)) : TSR__NONE;
    return block != TSR__NONE && tsr__in_loop(cfg, block, loop);
}
