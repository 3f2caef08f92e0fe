/* SPDX-License-Identifier: Apache-2.0
 * Register allocation for AMX's tile registers.
 *
 * All fragments of a block of webs share one register: an operation adds to the register, a phi costs nothing. That is correct if,
 * wherever a fragment is used, the register holds just that fragment. A data-flow analysis over the function checks it. */
#include <string.h>

#include "lanes/matrix/tiles/tiles.h"
#include "lanes/ir/match.h"

unsigned tsr__web_index(const struct tsr__fragment *f)
{
    unsigned i = 0;
    while (f->web->fragments[i] != f)
        i++;
    return i;
}

const struct tsr__tile_mad *tsr__last_operation(const struct tsr__tile_block *block, const struct tsr__tile_mad *mad)
{
    const struct tsr__tile_mad *latest = mad;
    for (unsigned r = 0; r < block->rows; r++)
        for (unsigned c = 0; c < block->columns; c++)
            if (tsr__operation_of_web(block, mad, r, c)->order > latest->order)
                latest = tsr__operation_of_web(block, mad, r, c);
    return latest;
}

/* ---- places ---- */

static int number_of(const struct tsr__alloc_blocks *places, LLVMBasicBlockRef block)
{
    return (int)tsr__map_number(&places->number, block);
}

static void find_places(struct tsr__alloc_blocks *p, struct tsr__webs *w)
{
    struct tsr_arena *arena = &w->l->scratch;
    p->number.arena = arena;
    p->at = tsr_arena_alloc(arena, LLVMCountBasicBlocks(w->function) * sizeof *p->at);
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(w->function); b; b = LLVMGetNextBasicBlock(b)) {
        p->at[p->count] = (struct tsr__alloc_block){.ref = b};
        tsr__map_set(&p->number, b, (uintptr_t)++p->count);
    }
    for (int i = 0; i < p->count; i++) {
        LLVMValueRef t = LLVMGetBasicBlockTerminator(p->at[i].ref);
        p->at[i].next = tsr_arena_alloc(arena, (LLVMGetNumSuccessors(t) + 1) * sizeof(int));
        for (unsigned k = 0; k < LLVMGetNumSuccessors(t); k++) {
            int to = number_of(p, LLVMGetSuccessor(t, k));
            p->at[i].next[p->at[i].next_count++] = to;
            p->at[to].before_count++;
        }
    }
    for (int i = 0; i < p->count; i++) {
        p->at[i].before = tsr_arena_alloc(arena, (p->at[i].before_count + 1) * sizeof(int));
        p->at[i].before_count = 0;
    }
    for (int i = 0; i < p->count; i++)
        for (unsigned k = 0; k < p->at[i].next_count; k++) {
            struct tsr__alloc_block *to = &p->at[p->at[i].next[k]];
            to->before[to->before_count++] = i;
        }
}

/* ---- users outside ---- */

static void add_unpacking(struct tsr__live_range *life, struct tsr__fragment *f, int place)
{
    for (size_t i = 0; i < life->unpacking_count; i++)
        if (life->unpackings[i].f == f && life->unpackings[i].place == place)
            return;
    life->unpackings[life->unpacking_count++] = (struct tsr__unpacking){.f = f, .place = place};
}

/* One user of a vector of the fragment `f` of the first web. False: it stands before the instruction that makes the tile. */
static bool note_user(struct tsr__live_range *life, struct tsr__webs *w, const struct tsr__alloc_blocks *places, struct tsr__fragment *f,
                      LLVMValueRef v, LLVMValueRef user)
{
    if (LLVMIsAPHINode(user)) {
        for (unsigned k = 0; k < LLVMCountIncoming(user); k++)
            if (LLVMGetIncomingValue(user, k) == v)
                add_unpacking(life, f, number_of(places, LLVMGetIncomingBlock(user, k)));
        return true;
    }
    LLVMBasicBlockRef block = LLVMGetInstructionParent(user);
    add_unpacking(life, f, number_of(places, block));
    return !f->mad || block != f->block || tsr__map_get(&w->order, user) - 1 > tsr__last_operation(life->block, f->mad)->order;
}

static bool find_unpackings(struct tsr__live_range *life, struct tsr__webs *w, const struct tsr__alloc_blocks *places)
{
    struct tsr__tile_block *b = life->block;
    const struct tsr__web *first = b->webs[0][0];
    size_t most = 0;
    bool good = true;
    for (int pass = 0; pass < 2; pass++) {
        for (unsigned n = 0; n < first->fragment_count * b->rows * b->columns * first->m; n++) {
            unsigned i = n / first->m % first->fragment_count, web = n / first->m / first->fragment_count;
            const struct tsr__fragment *f = b->fragments[web / b->columns][web % b->columns][i];
            LLVMValueRef v = f->v[n % first->m];
            most += tsr__use_count(v);
            for (LLVMUseRef use = pass ? LLVMGetFirstUse(v) : NULL; use; use = LLVMGetNextUse(use)) {
                const struct tsr__web *other = tsr__web_of_user(w, LLVMGetUser(use));
                if (!other)
                    good = note_user(life, w, places, first->fragments[i], v, LLVMGetUser(use)) && good;
                else if (other != f->web) /* a part of an accumulator that another one begins with */
                    good = false;
            }
        }
        if (!pass)
            life->unpackings = tsr_arena_alloc(&w->l->scratch, (most + 1) * sizeof *life->unpackings);
    }
    return good;
}

/* ---- what the register holds ---- */

/* Contents: a fragment, or a phi's address plus an edge's number and one for what is put there for that edge. */
typedef uintptr_t contents;
enum { NOTHING = 0, MIXED = 1, MOST_EDGES = 32 };

struct trace {
    struct tsr__live_range *life;
    const struct tsr__alloc_blocks *places;
    contents *in, *out;
    bool good; /* every user finds what it wants */
};

static bool same_external(const struct tsr__fragment *x, const struct tsr__fragment *y)
{
    return (x->kind == TSR__FRAGMENT_ZERO && y->kind == TSR__FRAGMENT_ZERO) || !memcmp(x->v, y->v, x->m * sizeof *x->v);
}

const struct tsr__fragment *tsr__external_value(const struct tsr__tile_block *block, const struct tsr__fragment *to, unsigned edge,
                                                unsigned row, unsigned column)
{
    const struct tsr__fragment *other = block->fragments[row][column][tsr__web_index(to)];
    return other->mad ? other->mad->c : other->in[tsr__edge_from(other->v[0], LLVMGetIncomingBlock(to->v[0], edge))];
}

/* Do the phis `x` and `y` get the same vectors, of no web, by these edges from the same place? It is so where a loop may be left out. */
static bool get_the_same(const struct tsr__tile_block *block, const struct tsr__fragment *x, unsigned x_edge, const struct tsr__fragment *y,
                         unsigned y_edge)
{
    for (unsigned r = 0; r < block->rows; r++)
        for (unsigned c = 0; c < block->columns; c++)
            if (!same_external(tsr__external_value(block, x, x_edge, r, c), tsr__external_value(block, y, y_edge, r, c)))
                return false;
    return true;
}

bool tsr__is_first_receiver(const struct tsr__tile_block *block, const struct tsr__fragment **phi, unsigned *edge)
{
    const struct tsr__web *web = (*phi)->web;
    LLVMBasicBlockRef from = LLVMGetIncomingBlock((*phi)->v[0], *edge);
    for (unsigned i = 0; i < web->fragment_count; i++) {
        const struct tsr__fragment *other = web->fragments[i];
        if (other == *phi)
            return true;
        for (unsigned e = 0; e < other->in_count; e++)
            if (LLVMGetIncomingBlock(other->v[0], e) == from && !other->in[e]->web && get_the_same(block, *phi, *edge, other, e)) {
                *phi = other;
                *edge = e;
                return false;
            }
    }
    return true;
}

static contents zero_for(const struct trace *t, const struct tsr__fragment *phi, unsigned edge)
{
    tsr__is_first_receiver(t->life->block, &phi, &edge);
    return (contents)phi + edge + 1;
}

static const struct tsr__fragment *phi_at(const struct tsr__web *web, LLVMBasicBlockRef block)
{
    for (unsigned i = 0; i < web->fragment_count; i++)
        if (web->fragments[i]->kind == TSR__FRAGMENT_PHI && web->fragments[i]->block == block)
            return web->fragments[i];
    return NULL;
}

static void require_contents(struct trace *t, contents have, const struct tsr__fragment *f)
{
    if (have != (contents)f)
        t->good = false;
}

static contents contents_on_entry(struct trace *t, int at)
{
    const struct tsr__alloc_block *place = &t->places->at[at];
    const struct tsr__fragment *phi = phi_at(t->life->block->webs[0][0], place->ref);
    contents all = NOTHING;
    for (unsigned i = 0; i < place->before_count; i++) {
        contents from = t->out[place->before[i]];
        if (from == NOTHING)
            continue;
        if (phi) {
            unsigned e = tsr__edge_from(phi->v[0], t->places->at[place->before[i]].ref);
            contents wanted = phi->in[e]->web ? (contents)phi->in[e] : zero_for(t, phi, e);
            from = from == wanted ? (contents)phi : MIXED;
        }
        all = all == NOTHING || all == from ? from : MIXED;
    }
    return all;
}

/* What is put there at the end of the place for phis that follow. */
static contents contents_on_exit(struct trace *t, int at, contents have)
{
    const struct tsr__alloc_block *place = &t->places->at[at];
    contents put = NOTHING;
    for (unsigned i = 0; i < place->next_count; i++) {
        const struct tsr__fragment *phi = phi_at(t->life->block->webs[0][0], t->places->at[place->next[i]].ref);
        if (!phi)
            continue;
        unsigned e = tsr__edge_from(phi->v[0], place->ref);
        if (phi->in[e]->web)
            continue;
        if (put != NOTHING && put != zero_for(t, phi, e))
            t->good = false;
        put = zero_for(t, phi, e);
    }
    return put != NOTHING ? put : have;
}

/* Goes through a place; operations of the first web come in order. */
static contents pass_through(struct trace *t, int at, contents have)
{
    const struct tsr__web *first = t->life->block->webs[0][0];
    LLVMBasicBlockRef ref = t->places->at[at].ref;
    for (size_t i = 0; i < t->life->unpacking_count; i++) {
        const struct tsr__fragment *f = t->life->unpackings[i].f;
        if (t->life->unpackings[i].place == at && !(f->mad && f->block == ref))
            require_contents(t, have, f);
    }
    for (unsigned i = 0; i < first->mad_count; i++) {
        const struct tsr__tile_mad *mad = first->mads[i];
        if (mad->block != ref)
            continue;
        if (mad->c->web)
            require_contents(t, have, mad->c);
        have = (contents)mad->d;
    }
    return contents_on_exit(t, at, have);
}

static bool one_register_is_enough(struct tsr__webs *w, struct tsr__live_range *life, const struct tsr__alloc_blocks *places)
{
    const struct tsr__web *first = life->block->webs[0][0];
    struct trace t = {life, places, tsr_arena_alloc(&w->l->scratch, (size_t)places->count * sizeof(contents)),
                      tsr_arena_alloc(&w->l->scratch, (size_t)places->count * sizeof(contents)), true};
    for (unsigned i = 0; i < first->fragment_count; i++)
        if (first->fragments[i]->kind == TSR__FRAGMENT_PHI &&
            (first->fragments[i]->in_count > MOST_EDGES || phi_at(first, first->fragments[i]->block) != first->fragments[i]))
            return false; /* two accumulators in one web, as where they are exchanged */
    /* Joined operations stand together: nothing is between them that could look. */
    for (bool changed = true; changed;) {
        changed = false;
        for (int i = 0; i < places->count; i++) {
            t.in[i] = contents_on_entry(&t, i);
            contents out = pass_through(&t, i, t.in[i]);
            changed = changed || out != t.out[i];
            t.out[i] = out;
        }
    }
    t.good = true;
    for (int i = 0; i < places->count; i++)
        pass_through(&t, i, t.in[i]);
    return t.good;
}

/* ---- where it holds anything ---- */

/* Does the place look at what the register holds on entry? */
static bool reads_on_entry(const struct tsr__live_range *life, const struct tsr__alloc_blocks *places, int at)
{
    const struct tsr__web *first = life->block->webs[0][0];
    LLVMBasicBlockRef ref = places->at[at].ref;
    if (phi_at(first, ref))
        return true;
    for (size_t i = 0; i < life->unpacking_count; i++)
        if (life->unpackings[i].place == at && !(life->unpackings[i].f->mad && life->unpackings[i].f->block == ref))
            return true;
    for (unsigned i = 0; i < first->mad_count; i++)
        if (first->mads[i]->block == ref)
            return first->mads[i]->c->web;
    return false;
}

static bool writes_whole(const struct tsr__live_range *life, const struct tsr__alloc_blocks *places, int at)
{
    const struct tsr__web *first = life->block->webs[0][0];
    for (unsigned i = 0; i < first->mad_count; i++)
        if (first->mads[i]->block == places->at[at].ref)
            return true;
    return false;
}

/* Is something new put there at the end of the place, for a phi? */
static bool puts_in(const struct tsr__live_range *life, const struct tsr__alloc_blocks *places, int at)
{
    for (unsigned i = 0; i < places->at[at].next_count; i++) {
        const struct tsr__fragment *phi = phi_at(life->block->webs[0][0], places->at[places->at[at].next[i]].ref);
        if (phi && !phi->in[tsr__edge_from(phi->v[0], places->at[at].ref)]->web)
            return true;
    }
    return false;
}

/* Bits of the registers that are taken where the accumulator is. */
static uint32_t occupied_registers(struct tsr__webs *w, const struct tsr__live_range *life, struct tsr__alloc_blocks *places, bool *busy)
{
    bool *live = tsr_arena_alloc(&w->l->scratch, (size_t)places->count);
    uint32_t others = 0;
    for (bool changed = true; changed;) {
        changed = false;
        for (int i = places->count - 1; i >= 0; i--) {
            bool after = false;
            for (unsigned k = 0; k < places->at[i].next_count; k++)
                after = after || live[places->at[i].next[k]];
            bool now = reads_on_entry(life, places, i) || (after && !writes_whole(life, places, i) && !puts_in(life, places, i));
            busy[i] = now || after || writes_whole(life, places, i);
            changed = changed || now != live[i];
            live[i] = now;
        }
    }
    for (int i = 0; i < places->count; i++)
        others |= busy[i] ? places->at[i].taken : 0;
    return others;
}

/* ---- accumulators of straight code ---- */

/* One that goes round in no loop, and whose results are vectors again right behind its last operation, needs its register for the
 * operations between only: several take turns, which others of the same place cannot. */

/* The store of a vector as it is, cast or not: it may become a tile's, which leaves later. */
static bool is_stored(LLVMValueRef user)
{
    LLVMUseRef only = LLVMIsABitCastInst(user) ? LLVMGetFirstUse(user) : NULL;
    return LLVMIsAStoreInst(only && !LLVMGetNextUse(only) ? LLVMGetUser(only) : user);
}

static void find_turn(struct tsr__live_range *life, const struct tsr__alloc_blocks *places)
{
    const struct tsr__web *first = life->block->webs[0][0];
    const struct tsr__tile_mad *last = first->mads[first->mad_count - 1];
    int place = number_of(places, last->block);
    bool computed = false;
    for (unsigned i = 0; i < first->mad_count; i++)
        if (first->loops || first->mads[i]->block != last->block)
            return;
    for (size_t i = 0; i < life->unpacking_count; i++)
        if (life->unpackings[i].place != place || life->unpackings[i].f != last->d)
            return;
    for (LLVMUseRef use = LLVMGetFirstUse(last->d->v[0]); use; use = LLVMGetNextUse(use))
        computed = computed || !is_stored(LLVMGetUser(use));
    if (!computed)
        return;
    life->turn = place + 1;
    life->turn_begin = tsr__last_operation(life->block, first->mads[0])->order;
    life->turn_end = tsr__last_operation(life->block, last)->order;
}

/* Registers that are in use during the life's turn; those of other turns in the same place are not among `taken`. */
static uint32_t in_turns(const struct tsr__tile_allocation *r, const struct tsr__live_range *life)
{
    uint32_t used = 0;
    for (const struct tsr__live_range *x = r->live_ranges; x != life; x++)
        if (x->accumulator >= 0 && x->turn == life->turn && x->turn_begin <= life->turn_end && life->turn_begin <= x->turn_end)
            used |= UINT32_C(1) << x->accumulator;
    return used;
}

static void take_register(struct tsr__alloc_blocks *places, const struct tsr__live_range *life, const bool *busy)
{
    for (int i = 0; i < places->count; i++) {
        uint32_t bit = busy[i] ? UINT32_C(1) << life->accumulator : 0;
        places->at[i].taken |= bit;
        places->at[i].taken_throughout |= life->turn ? 0 : bit;
    }
}

static void free_registers(struct tsr__alloc_blocks *places)
{
    for (int i = 0; i < places->count; i++)
        places->at[i].taken = places->at[i].taken_throughout = 0;
}

/* False: none is left. */
static bool choose_register(struct tsr__tile_allocation *r, struct tsr__webs *w, struct tsr__live_range *life)
{
    struct tsr__alloc_blocks *places = &r->places;
    bool *busy = tsr_arena_alloc(&w->l->scratch, (size_t)places->count);
    uint32_t others = occupied_registers(w, life, places, busy);
    int most = r->in_memory ? TSR__SCRATCH_TILE : TSR__MAX_ACCUMULATORS;
    find_turn(life, places);
    if (life->turn)
        others = places->at[life->turn - 1].taken_throughout | in_turns(r, life);
    life->accumulator = life->to_memory ? TSR_TILE_COUNT : 0;
    while (life->accumulator < TSR__ALL_TILES && others >> life->accumulator & 1) {
        life->accumulator++;
        if (r->in_memory && life->accumulator == most)
            life->accumulator = most = TSR_TILE_COUNT;
    }
    if (life->accumulator >= (r->in_memory ? TSR__ALL_TILES : most)) {
        life->accumulator = -1;
        life->why = "no tile register is left";
        return false;
    }
    take_register(places, life, busy);
    return true;
}

static bool is_whole(const struct tsr__tile_block *block)
{
    return tsr__row_of_block(block) == TSR_TILE_ROW_BYTES && tsr__rows_of_block(block) == TSR_TILE_ROWS;
}

static bool is_of_bytes(const struct tsr__tile_block *block)
{
    return block->webs[0][0]->mads[0]->mad.f->ec == TSR_ELEMENT_S32;
}

bool tsr__is_part_of_tile(const struct tsr__webs *w, const struct tsr__tile_block *block)
{
    return !is_whole(block) && (w->unit == TSR__TILES_VECTORS || (is_of_bytes(block) && tsr__rows_of_block(block) <= TSR__MAX_M));
}

/* Does the product stand beside others? One that is all that a kernel multiplies stays in the strict order. */
static bool has_company(const struct tsr__webs *w, const struct tsr__tile_mad *mad)
{
    unsigned count = 0;
    for (size_t i = 0; i < w->mad_count; i++)
        count += w->mads[i].block == mad->block;
    return count > 1;
}

/* An accumulator that goes round in no loop, as one in a loop with barriers, comes and goes with its tiles: that is worth it for whole
 * blocks, of bytes, of which vectors multiply four at once, for all of a tile's K, and of numbers with a fraction for eight rows, too. */
static const char *no_gain(const struct tsr__webs *w, const struct tsr__tile_block *block)
{
    const struct tsr__web *first = block->webs[0][0];
    const bool bytes = is_of_bytes(block),
               eight = tsr__row_of_block(block) == TSR_TILE_ROW_BYTES && tsr__rows_of_block(block) == TSR__MAX_M &&
                       has_company(w, first->mads[0]),
               pays = bytes ? is_whole(block) && first->mad_count > 1 : is_whole(block) || eight;
    return !first->loops && (w->unit == TSR__TILES_VECTORS || !pays) ? "its accumulator does not go round in a loop" : NULL;
}

static void reject_webs(const struct tsr__live_range *life)
{
    for (unsigned i = 0; i < life->block->rows * life->block->columns; i++) {
        struct tsr__web *web = life->block->webs[i / life->block->columns][i % life->block->columns];
        web->in_block = false;
        web->why = life->why;
    }
}

void tsr__reject_tile(struct tsr__live_range *life, const char *why)
{
    life->accumulator = -1;
    life->why = why;
    reject_webs(life);
}

/* False: there are more accumulators than registers. */
static bool choose_registers(struct tsr__tile_allocation *r, struct tsr__webs *w)
{
    free_registers(&r->places);
    for (size_t i = 0; i < w->block_count; i++)
        if (!r->live_ranges[i].why && !choose_register(r, w, &r->live_ranges[i]) && !r->in_memory) {
            r->live_ranges[i].why = NULL;
            return false;
        }
    return true;
}

void tsr__allocate_tiles(struct tsr__tile_allocation *r, struct tsr__webs *w)
{
    *r = (struct tsr__tile_allocation){.live_ranges = tsr_arena_alloc(&w->l->scratch, (w->block_count + 1) * sizeof *r->live_ranges)};
    find_places(&r->places, w);
    for (size_t i = 0; i < w->block_count; i++) {
        struct tsr__live_range *life = &r->live_ranges[i];
        *life = (struct tsr__live_range){.block = &w->blocks[i], .accumulator = -1};
        life->why = no_gain(w, &w->blocks[i]);
        life->is_part = tsr__is_part_of_tile(w, &w->blocks[i]);
        if (!life->why && (!find_unpackings(life, w, &r->places) || !one_register_is_enough(w, life, &r->places))) {
            life->why = "two values of its accumulator are needed at the same time";
            r->two_values = true;
        }
    }
    if (!choose_registers(r, w)) {
        r->in_memory = true;
        choose_registers(r, w);
    }
    for (size_t i = 0; i < w->block_count; i++)
        if (r->live_ranges[i].accumulator < 0)
            reject_webs(&r->live_ranges[i]);
}

void tsr__free_rejected_registers(struct tsr__tile_allocation *r, struct tsr__webs *w)
{
    bool *busy = tsr_arena_alloc(&w->l->scratch, (size_t)r->places.count);
    free_registers(&r->places);
    for (size_t i = 0; i < w->block_count; i++)
        if (r->live_ranges[i].accumulator >= 0) {
            occupied_registers(w, &r->live_ranges[i], &r->places, busy);
            take_register(&r->places, &r->live_ranges[i], busy);
        }
}

void tsr__tiles_to_memory(struct tsr__tile_allocation *r, struct tsr__webs *w)
{
    const size_t bytes = w->block_count * sizeof *r->live_ranges;
    struct tsr__live_range *before = tsr_arena_alloc(&w->l->scratch, bytes + 1);
    const bool in_memory = r->in_memory;
    bool good = true;
    memcpy(before, r->live_ranges, bytes);
    r->in_memory = true; /* the scratch tile holds nothing for long */
    choose_registers(r, w);
    for (size_t i = 0; i < w->block_count; i++) {
        const int was = before[i].accumulator, is = r->live_ranges[i].accumulator;
        good = good && (is < 0) == (was < 0) && (r->live_ranges[i].to_memory || (is < TSR_TILE_COUNT) == (was < TSR_TILE_COUNT));
    }
    if (good)
        return;
    memcpy(r->live_ranges, before, bytes);
    r->in_memory = in_memory;
    for (size_t i = 0; i < w->block_count; i++)
        r->live_ranges[i].to_memory = false;
    choose_registers(r, w);
}
