/* SPDX-License-Identifier: Apache-2.0
 * Finds webs: sets of accumulators that become each other through matrix operations and phis, and so must share a tile register. Joins
 * webs that share operands to blocks. */
#include <string.h>

#include "lanes/analysis/polynomial.h"
#include "lanes/ir/match.h"
#include "lanes/matrix/tiles/tiles.h"

/* ---- fragments ---- */

static struct tsr__fragment *find_fragment(struct tsr__webs *w, const LLVMValueRef *v, unsigned m);

static struct tsr__tile_mad *result_of(const struct tsr__webs *w, const LLVMValueRef *v, unsigned m)
{
    for (unsigned i = 0; i < m; i++)
        if (!LLVMIsAExtractValueInst(v[i]) || LLVMGetOperand(v[i], 0) != LLVMGetOperand(v[0], 0) || *LLVMGetIndices(v[i]) != i)
            return NULL;
    for (size_t i = 0; i < w->mad_count; i++)
        if (w->mads[i].mad.call == LLVMGetOperand(v[0], 0))
            return w->mads[i].mad.f->m == m ? &w->mads[i] : NULL;
    return NULL;
}

static bool are_phis(const LLVMValueRef *v, unsigned m)
{
    for (unsigned i = 0; i < m; i++)
        if (!LLVMIsAPHINode(v[i]) || LLVMGetInstructionParent(v[i]) != LLVMGetInstructionParent(v[0]))
            return false;
    return true;
}

static bool are_zero(const LLVMValueRef *v, unsigned m)
{
    for (unsigned i = 0; i < m; i++)
        if (!LLVMIsAConstant(v[i]) || !(LLVMIsNull(v[i]) || LLVMIsUndef(v[i])))
            return false;
    return true;
}

static void follow_phis(struct tsr__webs *w, struct tsr__fragment *f)
{
    f->in_count = LLVMCountIncoming(f->v[0]);
    f->in = tsr_arena_alloc(&w->l->scratch, f->in_count * sizeof(struct tsr__fragment *));
    for (unsigned e = 0; e < f->in_count; e++) {
        LLVMValueRef v[TSR__MAX_M];
        for (unsigned i = 0; i < f->m; i++)
            v[i] = tsr__incoming_from(f->v[i], LLVMGetIncomingBlock(f->v[0], e));
        f->in[e] = find_fragment(w, v, f->m);
    }
}

static struct tsr__fragment *find_fragment(struct tsr__webs *w, const LLVMValueRef *v, unsigned m)
{
    struct tsr__fragment *first = (struct tsr__fragment *)tsr__map_get(&w->by_first, v[0]);
    for (struct tsr__fragment *f = first; f; f = f->next)
        if (f->m == m && !memcmp(f->v, v, m * sizeof *v))
            return f;
    struct tsr__fragment *f = tsr_arena_alloc(&w->l->scratch, sizeof *f);
    *f = (struct tsr__fragment){.next = first, .m = m};
    w->fragment_count++;
    memcpy(f->v, v, m * sizeof *v);
    f->mad = result_of(w, v, m);
    if (f->mad) {
        f->kind = TSR__FRAGMENT_RESULT;
        f->block = f->mad->block;
        f->mad->d = f;
    } else if (are_phis(v, m)) {
        f->kind = TSR__FRAGMENT_PHI;
        f->block = LLVMGetInstructionParent(v[0]);
    } else {
        f->kind = are_zero(v, m) ? TSR__FRAGMENT_ZERO : TSR__FRAGMENT_OTHER;
        return f; /* zeros, and what no matrix operation made, join no webs */
    }
    tsr__map_set(&w->by_first, v[0], (uintptr_t)f);
    if (f->kind == TSR__FRAGMENT_PHI) {
        f->next_phi = w->phis;
        w->phis = f;
        follow_phis(w, f);
    }
    return f;
}

static void find_mads(struct tsr__webs *w)
{
    size_t n;
    LLVMValueRef *code = tsr__instructions(w->l, w->function, &n), v[TSR__MAX_M];
    w->mads = tsr_arena_alloc(&w->l->scratch, (n + 1) * sizeof *w->mads);
    for (size_t i = 0; i < n; i++) {
        struct tsr__tile_mad *mad = &w->mads[w->mad_count];
        tsr__map_set(&w->order, code[i], i + 1);
        *mad = (struct tsr__tile_mad){.order = i, .block = LLVMGetInstructionParent(code[i])};
        if (tsr__mad_read(code[i], &mad->mad) && tsr__tile_product(w->l, w->unit, mad->mad.f) && tsr__mad_results(&mad->mad, v))
            w->mad_count++;
    }
}

/* ---- webs ---- */

static bool joins_webs(const struct tsr__fragment *f)
{
    return f->kind == TSR__FRAGMENT_PHI || f->kind == TSR__FRAGMENT_RESULT;
}

/* Does the fragment become the other one, by way of phis and operations? */
static bool becomes(struct tsr__webs *w, const struct tsr__fragment *f, const struct tsr__fragment *other, struct tsr__map *seen)
{
    if (f == other)
        return true;
    if (tsr__map_get(seen, f->v[0]))
        return false;
    tsr__map_set(seen, f->v[0], 1);
    for (size_t i = 0; i < w->mad_count; i++)
        if (w->mads[i].c == f && becomes(w, w->mads[i].d, other, seen))
            return true;
    for (struct tsr__fragment *phi = w->phis; phi; phi = phi->next_phi)
        for (unsigned e = 0; e < phi->in_count; e++)
            if (phi->in[e] == f && becomes(w, phi, other, seen))
                return true;
    return false;
}

/* Does the product add to what loops have made, in none itself, and so is the packet's own? */
static bool takes_vectors(struct tsr__webs *w, const struct tsr__tile_mad *mad)
{
    struct tsr__map seen = {.arena = &w->l->scratch};
    return w->loops_only && joins_webs(mad->c) && !(mad->c->mad && mad->c->block == mad->block) && !becomes(w, mad->d, mad->c, &seen);
}

/* Everything that the fragment becomes or comes from goes into the web. */
static void grow_web(struct tsr__webs *w, struct tsr__web *web, struct tsr__fragment *f)
{
    if (!joins_webs(f) || f->web)
        return;
    f->web = web;
    web->fragments[web->fragment_count++] = f;
    web->loops = web->loops || f->kind == TSR__FRAGMENT_PHI;
    for (unsigned e = 0; e < f->in_count; e++)
        grow_web(w, web, f->in[e]);
    if (f->mad && !takes_vectors(w, f->mad))
        grow_web(w, web, f->mad->c);
    for (size_t i = 0; i < w->mad_count; i++)
        if (w->mads[i].c == f && !takes_vectors(w, &w->mads[i]))
            grow_web(w, web, w->mads[i].d);
    for (struct tsr__fragment *phi = w->phis; phi; phi = phi->next_phi)
        for (unsigned e = 0; e < phi->in_count; e++)
            if (phi->in[e] == f)
                grow_web(w, web, phi);
}

static bool is_in_web(const struct tsr__web *web, LLVMValueRef v)
{
    for (unsigned n = 0; n < web->fragment_count; n++)
        for (unsigned r = 0; r < web->m; r++)
            if (web->fragments[n]->v[r] == v)
                return true;
    return false;
}

/* Vectors of an accumulator that are A or B of an operation, too, or rows of C beside other vectors, would have to be there as vectors
 * before the tiles are. */
static bool is_operand(const struct tsr__webs *w, const struct tsr__web *web)
{
    for (size_t i = 0; i < w->mad_count; i++) {
        const struct tsr__tile_mad *mad = &w->mads[i];
        for (unsigned k = 0; k < mad->mad.a_count + TSR__WORDS; k++)
            if (is_in_web(web, LLVMGetOperand(mad->mad.call, k)))
                return true;
        for (unsigned r = 0; r < mad->c->m && !joins_webs(mad->c); r++)
            if (is_in_web(web, mad->c->v[r]))
                return true;
    }
    return false;
}

static struct tsr__web *new_web(struct tsr__webs *w, struct tsr__fragment *first)
{
    struct tsr_arena *arena = &w->l->scratch;
    struct tsr__web *web = tsr_arena_alloc(arena, sizeof *web);
    *web = (struct tsr__web){.m = first->m,
                             .lanes = first->mad->mad.lanes,
                             .mads = tsr_arena_alloc(arena, w->mad_count * sizeof(struct tsr__tile_mad *)),
                             .fragments = tsr_arena_alloc(arena, w->fragment_count * sizeof(struct tsr__fragment *))};
    grow_web(w, web, first);
    bool adds = false;
    for (size_t i = 0; i < w->mad_count; i++) {
        if (w->mads[i].d->web != web)
            continue;
        w->mads[i].number = web->mad_count;
        web->mads[web->mad_count++] = &w->mads[i];
        adds = adds || joins_webs(w->mads[i].c);
    }
    web->loops = web->loops && adds; /* else each product begins with numbers that something else made of the accumulator */
    if (takes_vectors(w, first->mad))
        web->why = "its accumulator does not go round in a loop";
    else if (is_operand(w, web))
        web->why = "its accumulator is an operand of another product, too";
    return web;
}

/* The phi of `block` that gets `v` from `from`, or NULL. */
static LLVMValueRef phi_with(LLVMBasicBlockRef block, LLVMBasicBlockRef from, LLVMValueRef v)
{
    for (LLVMValueRef i = LLVMGetFirstInstruction(block); LLVMIsAPHINode(i); i = LLVMGetNextInstruction(i))
        if (tsr__incoming_from(i, from) == v)
            return i;
    return NULL;
}

/* Phis behind a loop, to which its accumulators flow. */
static void follow_exit_phis(struct tsr__webs *w, const struct tsr__fragment *f)
{
    for (LLVMUseRef use = LLVMGetFirstUse(f->v[0]); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef phi = LLVMGetUser(use), v[TSR__MAX_M];
        for (unsigned e = 0; LLVMIsAPHINode(phi) && e < LLVMCountIncoming(phi); e++) {
            if (LLVMGetIncomingValue(phi, e) != f->v[0])
                continue;
            unsigned i = 0;
            while (i < f->m && (v[i] = phi_with(LLVMGetInstructionParent(phi), LLVMGetIncomingBlock(phi, e), f->v[i])) != NULL)
                i++;
            if (i == f->m)
                find_fragment(w, v, f->m);
        }
    }
}

/* Does it come from operations? */
static bool comes_from_operations(const struct tsr__fragment *f, struct tsr__map *seen)
{
    if (f->kind != TSR__FRAGMENT_PHI || tsr__map_get(seen, f->v[0]))
        return f->kind == TSR__FRAGMENT_RESULT;
    tsr__map_set(seen, f->v[0], 1);
    for (unsigned e = 0; e < f->in_count; e++)
        if (comes_from_operations(f->in[e], seen))
            return true;
    return false;
}

/* Numbers with which accumulators begin, as those of a bias or of C that are loaded in one way or another, are no accumulators. */
static void drop_beginnings(struct tsr__webs *w)
{
    struct tsr__fragment **at = &w->phis;
    while (*at) {
        struct tsr__fragment *f = *at;
        struct tsr__map seen = {.arena = &w->l->scratch};
        if (comes_from_operations(f, &seen)) {
            at = &f->next_phi;
            continue;
        }
        f->kind = TSR__FRAGMENT_OTHER;
        f->in_count = 0;
        *at = f->next_phi;
    }
}

static void find_webs(struct tsr__webs *w)
{
    LLVMValueRef v[TSR__MAX_M];
    for (size_t i = 0; i < w->mad_count; i++) {
        struct tsr__tile_mad *mad = &w->mads[i];
        tsr__mad_results(&mad->mad, v);
        find_fragment(w, v, mad->mad.f->m);
        for (unsigned k = 0; k < mad->mad.f->m; k++)
            v[k] = tsr__mad_c(&mad->mad, k);
        mad->c = find_fragment(w, v, mad->mad.f->m);
    }
    for (size_t i = 0; i < w->mad_count; i++)
        follow_exit_phis(w, w->mads[i].d);
    for (struct tsr__fragment *seen = NULL; seen != w->phis;) { /* those found come first in the list */
        struct tsr__fragment *stop = seen;
        seen = w->phis;
        for (struct tsr__fragment *f = seen; f != stop; f = f->next_phi)
            follow_exit_phis(w, f);
    }
    drop_beginnings(w);
    w->webs = tsr_arena_alloc(&w->l->scratch, (w->mad_count + 1) * sizeof(struct tsr__web *));
    for (size_t i = 0; i < w->mad_count; i++) {
        if (!w->mads[i].d->web)
            w->webs[w->web_count++] = new_web(w, w->mads[i].d);
    }
}

const struct tsr__web *tsr__web_of_user(const struct tsr__webs *w, LLVMValueRef user)
{
    struct tsr__mad mad;
    if (tsr__mad_read(user, &mad)) {
        for (size_t i = 0; i < w->mad_count; i++)
            if (w->mads[i].mad.call == user)
                return w->mads[i].d->web->in_block ? w->mads[i].d->web : NULL;
        return NULL;
    }
    if (!LLVMIsAPHINode(user))
        return NULL;
    for (size_t i = 0; i < w->web_count; i++)
        for (unsigned k = 0; w->webs[i]->in_block && k < w->webs[i]->fragment_count; k++)
            for (unsigned r = 0; r < w->webs[i]->m; r++)
                if (w->webs[i]->fragments[k]->v[r] == user)
                    return w->webs[i];
    return NULL;
}

/* ---- chains in K ---- */

/* Is the result used by nothing but the operation `next`? */
static bool only_for(const struct tsr__fragment *d, const struct tsr__tile_mad *next)
{
    for (unsigned i = 0; i < d->m; i++)
        for (LLVMUseRef use = LLVMGetFirstUse(d->v[i]); use; use = LLVMGetNextUse(use))
            if (LLVMGetUser(use) != next->mad.call)
                return false;
    return true;
}

static void join_chains(struct tsr__web *web)
{
    for (unsigned i = 0; i + 1 < web->mad_count; i++) {
        struct tsr__tile_mad *a = web->mads[i], *b = web->mads[i + 1];
        bool taken = i > 0 && web->mads[i - 1]->joins_next;
        a->joins_next = !taken && b->c == a->d && a->block == b->block && a->mad.f == b->mad.f && only_for(a->d, b);
    }
}

/* ---- blocks ---- */

static bool set_partners(struct tsr__fragment *x, struct tsr__fragment *y)
{
    if (x->kind != y->kind)
        return false;
    if (!joins_webs(x))
        return true;
    if (x->partner)
        return x->partner == y;
    if (x->block != y->block || x->in_count != y->in_count || (x->mad && x->mad->number != y->mad->number))
        return false;
    x->partner = y;
    for (unsigned e = 0; e < x->in_count; e++) {
        unsigned k = tsr__edge_from(y->v[0], LLVMGetIncomingBlock(x->v[0], e));
        if (!set_partners(x->in[e], y->in[k]))
            return false;
    }
    return true;
}

/* Would the phis correspond, as far as partners are known? */
static bool phis_match(const struct tsr__fragment *x, const struct tsr__fragment *y)
{
    if (y->kind != TSR__FRAGMENT_PHI || x->block != y->block || x->in_count != y->in_count)
        return false;
    for (unsigned e = 0; e < x->in_count; e++) {
        unsigned k = tsr__edge_from(y->v[0], LLVMGetIncomingBlock(x->v[0], e));
        if (joins_webs(x->in[e]) ? x->in[e]->partner != y->in[k] : x->in[e]->kind != y->in[k]->kind)
            return false;
    }
    return true;
}

/* Phis to which the webs flow, and from which no operation adds to anything. Every fragment must get a partner. */
static bool match_the_rest(struct tsr__web *x, const struct tsr__web *y)
{
    unsigned left = 0, before;
    do {
        before = left;
        left = 0;
        for (unsigned i = 0; i < x->fragment_count; i++) {
            struct tsr__fragment *f = x->fragments[i];
            for (unsigned k = 0; k < y->fragment_count && !f->partner; k++)
                if (phis_match(f, y->fragments[k]))
                    f->partner = y->fragments[k];
            left += !f->partner;
        }
    } while (left && left != before);
    return !left;
}

/* Do two webs run side by side with the same A (or, else, the same B)? Then partners are set in the first. */
static bool run_side_by_side(struct tsr__web *x, struct tsr__web *y, bool same_a)
{
    if (x->mad_count != y->mad_count || x->fragment_count != y->fragment_count || x->m != y->m || x->lanes != y->lanes)
        return false;
    for (unsigned i = 0; i < x->fragment_count; i++)
        x->fragments[i]->partner = NULL;
    for (unsigned i = 0; i < x->mad_count; i++) {
        struct tsr__tile_mad *a = x->mads[i], *b = y->mads[i];
        unsigned first = same_a ? 0 : a->mad.a_count, count = same_a ? a->mad.a_count : TSR__WORDS;
        if (a->block != b->block || a->mad.f != b->mad.f || a->joins_next != b->joins_next ||
            !tsr__mads_share(&a->mad, &b->mad, first, count) || !set_partners(a->d, b->d) || !set_partners(a->c, b->c))
            return false;
    }
    return match_the_rest(x, y);
}

static void add_to_block(struct tsr__webs *w, struct tsr__tile_block *block, unsigned row, unsigned column, struct tsr__web *web)
{
    struct tsr__web *first = block->webs[0][0] ? block->webs[0][0] : web;
    struct tsr__fragment **list = tsr_arena_alloc(&w->l->scratch, first->fragment_count * sizeof(struct tsr__fragment *));
    for (unsigned i = 0; i < first->fragment_count; i++)
        list[i] = web == first ? first->fragments[i] : first->fragments[i]->partner;
    block->webs[row][column] = web;
    block->fragments[row][column] = list;
    web->in_block = true;
}

static bool is_free(const struct tsr__web *web)
{
    return !web->why && !web->in_block;
}

/* A load from which the number is made, or NULL. */
static LLVMValueRef load_behind(LLVMValueRef v, unsigned depth)
{
    if (!LLVMIsAInstruction(v) || LLVMIsAPHINode(v) || !depth)
        return NULL;
    LLVMValueRef found = LLVMIsALoadInst(v) ? v : NULL;
    for (int i = 0; i < LLVMGetNumOperands(v) && !found; i++)
        found = load_behind(LLVMGetOperand(v, (unsigned)i), depth - 1);
    return found;
}

/* Do both read B from memory, but not side by side, as from two matrices? A tile with both would be put together in each step. */
static bool have_b_apart(const struct tsr__webs *w, const struct tsr__web *x, const struct tsr__web *y)
{
    enum { DEPTH = 8 };
    const LLVMValueRef left = load_behind(LLVMGetOperand(x->mads[0]->mad.call, x->mads[0]->mad.a_count), DEPTH),
                       right = load_behind(LLVMGetOperand(y->mads[0]->mad.call, y->mads[0]->mad.a_count), DEPTH);
    if (!left || !right)
        return false;
    const struct tsr__polynomial from = tsr__polynomial_of(w->l, LLVMGetOperand(left, 0)),
                                 to = tsr__polynomial_of(w->l, LLVMGetOperand(right, 0)), distance = tsr__polynomial_minus(&to, &from);
    return !distance.valid || distance.count || distance.constant > TSR_TILE_ROW_BYTES || distance.constant < -TSR_TILE_ROW_BYTES;
}

/* Is A of the first product the same numbers everywhere, as rows of ones are, by which columns of B are added up? */
static bool has_constant_a(const struct tsr__web *web)
{
    const struct tsr__mad *mad = &web->mads[0]->mad;
    bool constant = true;
    for (unsigned i = 0; i < mad->a_count; i++)
        constant = constant && LLVMIsAConstant(tsr__mad_a(mad, i));
    return constant;
}

static struct tsr__web *find_neighbour(struct tsr__webs *w, struct tsr__web *of, bool same_a)
{
    for (size_t i = 0; i < w->web_count; i++)
        if (w->webs[i] != of && is_free(w->webs[i]) && run_side_by_side(of, w->webs[i], same_a) &&
            !(same_a ? have_b_apart(w, of, w->webs[i]) : has_constant_a(of) != has_constant_a(w->webs[i])))
            return w->webs[i];
    return NULL;
}

/* The web that stands under the first row's second web as `left` stands under its first. */
static struct tsr__web *find_corner(struct tsr__webs *w, struct tsr__tile_block *block, struct tsr__web *left)
{
    for (size_t i = 0; i < w->web_count; i++)
        if (w->webs[i] != left && is_free(w->webs[i]) && run_side_by_side(block->webs[0][1], w->webs[i], false) &&
            run_side_by_side(left, w->webs[i], true))
            return w->webs[i];
    return NULL;
}

static void make_block(struct tsr__webs *w, struct tsr__tile_block *block, struct tsr__web *first)
{
    enum { LANES = TSR_TILE_ROW_BYTES / 4 };
    *block = (struct tsr__tile_block){.rows = 1, .columns = 1};
    add_to_block(w, block, 0, 0, first);
    struct tsr__web *right = first->lanes < LANES ? find_neighbour(w, first, true) : NULL;
    if (right) {
        add_to_block(w, block, 0, 1, right);
        block->columns = 2;
    }
    while (block->rows < TSR__MAX_ROW_WEBS && (block->rows + 1) * first->m <= TSR_TILE_ROWS) {
        struct tsr__web *below = find_neighbour(w, first, false), *other = NULL;
        if (!below)
            break;
        if (right) {
            other = find_corner(w, block, below);
            if (!other)
                break;
            run_side_by_side(first, below, false); /* the partners again */
        }
        add_to_block(w, block, block->rows, 0, below);
        if (other) {
            /* From the first web to its right neighbour, and from there down. */
            struct tsr__fragment **top = block->fragments[0][1];
            struct tsr__fragment **list = tsr_arena_alloc(&w->l->scratch, first->fragment_count * sizeof(struct tsr__fragment *));
            run_side_by_side(right, other, false);
            for (unsigned i = 0; i < first->fragment_count; i++)
                list[i] = top[i]->partner;
            block->webs[block->rows][1] = other;
            block->fragments[block->rows][1] = list;
            other->in_block = true;
        }
        block->rows++;
    }
}

void tsr__webs_find(struct tsr__webs *w, struct tsr__compilation *l, LLVMValueRef function, bool loops_only)
{
    *w = (struct tsr__webs){.l = l,
                            .function = function,
                            .unit = tsr__tile_unit_of(l, function),
                            .loops_only = loops_only,
                            .order = {.arena = &l->scratch},
                            .by_first = {.arena = &l->scratch}};
    find_mads(w);
    find_webs(w);
    for (size_t i = 0; i < w->web_count; i++)
        join_chains(w->webs[i]);
    w->blocks = tsr_arena_alloc(&l->scratch, (w->web_count + 1) * sizeof *w->blocks);
    for (size_t i = 0; i < w->web_count; i++)
        if (is_free(w->webs[i]))
            make_block(w, &w->blocks[w->block_count++], w->webs[i]);
}
