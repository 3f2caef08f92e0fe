/* SPDX-License-Identifier: Apache-2.0
 * Control divergence: what a divergent branch makes divergent. The phis of the blocks where its ways join, the blocks that run under a
 * mask, and the loops that lanes leave in different rounds. The analysis of values, uniform or not, is shape.c. */
#include "lanes/analysis/shape.h"

struct parting {
    struct tsr__shapes *shapes;
    struct tsr_arena *arena;
};

/* Lanes set out from each of `seeds` separately. Blocks before `stop` (TSR__NONE: the end) where two of the groups meet are joins. */
static void find_joins(struct parting *s, const int *seeds, int seed_count, int stop)
{
    const struct tsr__cfg *cfg = s->shapes->cfg;
    int *label = tsr_arena_alloc(s->arena, (size_t)cfg->block_count * sizeof *label); /* 0: not reached */
    int next = seed_count + 1, first = cfg->block_count;
    for (int i = 0; i < seed_count; i++) {
        int b = seeds[i];
        if (label[b])
            s->shapes->divergent_join[b] = true;
        label[b] = label[b] ? next++ : i + 1;
        first = b < first ? b : first;
    }
    for (int b = first; b < cfg->block_count; b++) {
        if (!label[b] || b == stop)
            continue;
        for (int k = 0; k < cfg->blocks[b].succ_count; k++) {
            int to = cfg->blocks[b].succ[k];
            if (tsr__back_edge(b, to))
                continue;
            if (!label[to]) {
                label[to] = label[b];
            } else if (label[to] != label[b]) {
                s->shapes->divergent_join[to] = true;
                label[to] = next++;
            }
        }
    }
}

/* Every block that can be reached from `from` before `stop` may run with part of the lanes. */
static void mark_partial(struct parting *s, int from, int stop)
{
    const struct tsr__cfg *cfg = s->shapes->cfg;
    int *stack = tsr_arena_alloc(s->arena, ((size_t)cfg->block_count + 1) * sizeof *stack), depth = 0;
    bool *seen = tsr_arena_alloc(s->arena, (size_t)cfg->block_count + 1);
    stack[depth++] = from;
    while (depth) {
        int b = stack[--depth];
        for (int k = 0; k < cfg->blocks[b].succ_count; k++) {
            int to = cfg->blocks[b].succ[k];
            if (to == stop || seen[to])
                continue;
            seen[to] = true;
            s->shapes->partial[to] = true;
            stack[depth++] = to;
        }
    }
}

/* Whether lanes on their way from one of `seeds` to `stop` may leave the loop or come to its header. */
static bool may_leave_round(const struct parting *s, const int *seeds, int seed_count, int loop, int stop)
{
    const struct tsr__cfg *cfg = s->shapes->cfg;
    int *stack = tsr_arena_alloc(s->arena, ((size_t)cfg->block_count + 1) * sizeof *stack), depth = 0;
    bool *seen = tsr_arena_alloc(s->arena, (size_t)cfg->block_count + 1);
    const int *next = seeds;
    int count = seed_count;
    for (;;) {
        for (int k = 0; k < count; k++) {
            if (next[k] == stop || seen[next[k]])
                continue;
            if (next[k] == cfg->loops[loop].header || !tsr__in_loop(cfg, next[k], loop))
                return true;
            seen[next[k]] = true;
            stack[depth++] = next[k];
        }
        if (!depth)
            return false;
        const struct tsr__block *b = &cfg->blocks[stack[--depth]];
        next = b->succ;
        count = b->succ_count;
    }
}

static void mark_loop_divergent(struct parting *s, int loop);

/* Where lanes that set out from `seeds` are together again. That is `stop`, which all come to, but not if some do so a round later than
 * others: then those loops diverge, from `loop` outwards, and the lanes meet behind them. (Rounds through the two entries of what was an
 * irreducible loop are like that.) */
static int reconvergence_block(struct parting *s, const int *seeds, int seed_count, int loop, int stop)
{
    const struct tsr__cfg *cfg = s->shapes->cfg;
    for (int l = loop; l != TSR__NONE; l = cfg->loops[l].parent) {
        if (stop != TSR__NONE && tsr__in_loop(cfg, stop, l) && !may_leave_round(s, seeds, seed_count, l, stop))
            continue;
        while (stop != TSR__NONE && tsr__in_loop(cfg, stop, l))
            stop = cfg->blocks[stop].ipdom;
        mark_loop_divergent(s, l);
    }
    return stop;
}

static void mark_loop_divergent(struct parting *s, int loop)
{
    const struct tsr__cfg *cfg = s->shapes->cfg;
    if (s->shapes->divergent_loop[loop])
        return;
    s->shapes->divergent_loop[loop] = true;
    int *exits = tsr_arena_alloc(s->arena, ((size_t)cfg->block_count * 2 + 1) * sizeof *exits), count = 0;
    for (int b = cfg->loops[loop].begin; b < cfg->loops[loop].end; b++) {
        s->shapes->partial[b] = true;
        for (int k = 0; k < cfg->blocks[b].succ_count && count < cfg->block_count * 2; k++)
            if (!tsr__in_loop(cfg, cfg->blocks[b].succ[k], loop))
                exits[count++] = cfg->blocks[b].succ[k];
    }
    int stop = cfg->loops[loop].header;
    while (stop != TSR__NONE && tsr__in_loop(cfg, stop, loop))
        stop = cfg->blocks[stop].ipdom;
    stop = reconvergence_block(s, exits, count, cfg->loops[loop].parent, stop);
    find_joins(s, exits, count, stop);
    for (int i = 0; i < count; i++)
        if (exits[i] != stop) {
            s->shapes->partial[exits[i]] = true;
            mark_partial(s, exits[i], stop);
        }
}

bool tsr__mark_divergent(struct tsr__shapes *shapes, int block, struct tsr_arena *arena)
{
    struct parting s = {.shapes = shapes, .arena = arena};
    const struct tsr__block *b = &shapes->cfg->blocks[block];
    if (shapes->divergent_branch[block])
        return false;
    shapes->divergent_branch[block] = true;
    int stop = reconvergence_block(&s, b->succ, b->succ_count, b->loop, b->ipdom);
    find_joins(&s, b->succ, b->succ_count, stop);
    mark_partial(&s, block, stop);
    return true;
}
