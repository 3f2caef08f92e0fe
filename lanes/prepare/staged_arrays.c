/* SPDX-License-Identifier: Apache-2.0
 * Copies to local memory by way of private arrays: a loop loads the next step's elements into `T next[4]`, and behind products or a barrier
 * another loop stores them to local memory.
 *
 * Such a loop fills the whole array or stores all of it. So the number of an element tells which round of the other loop it belongs to:
 * counters that count the same part of the index have the same value. What is stored was loaded in the same round of the loop around both,
 * or in the round before, and before the loop for round 0. Other stores to the array must not come between. */
#include "lanes/prepare/staged_arrays.h"

#include "lanes/ir/match.h"

enum { MAX_STORES = 8 };

/* A store to the array, of a load of global memory. */
struct fill {
    struct tsr__place at;
    struct tsr__original from;
    int loop; /* the innermost one around it and the store to local memory */
};

struct filled {
    const struct tsr__unstage *u;
    LLVMValueRef stores[MAX_STORES];
    unsigned count;
};

/* False: there are too many stores, or the array is not only loaded and stored. */
static bool find_stores(struct filled *f, LLVMValueRef pointer)
{
    for (LLVMUseRef use = LLVMGetFirstUse(pointer); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (LLVMIsAGetElementPtrInst(user) || LLVMIsAAddrSpaceCastInst(user)) {
            if (!find_stores(f, user))
                return false;
        } else if (LLVMIsAStoreInst(user)) {
            if (LLVMGetOperand(user, 0) == pointer || f->count == MAX_STORES || tsr__block_of(f->u, user) == TSR__NONE)
                return false;
            f->stores[f->count++] = user;
        } else if (!LLVMIsALoadInst(user) && !(LLVMIsACallInst(user) && tsr__starts_with(tsr__name(tsr__callee(user)), "llvm.lifetime.")))
            return false;
    }
    return true;
}

/* The number of the loop's counter that the place's index has as it is; NULL: it has something else of it. */
static LLVMValueRef counter_of_term(const struct tsr__unstage *u, const struct tsr__place *place, unsigned i, struct tsr__id_digit *d)
{
    const bool whole = tsr__find_id_digit(&u->code, place->at.terms[i].value, d) && d->base.counter && !d->base.ids && !d->shift &&
                       d->count == d->base.count;
    return whole ? d->base.counter : NULL;
}

/* Do no two values of the place's counters mean the same element? */
static bool has_one_round_for_each(const struct tsr__unstage *u, const struct tsr__place *place)
{
    int64_t end = place->size;
    for (unsigned found = 0; found < place->at.count; found++) {
        unsigned next = place->at.count;
        for (unsigned i = 0; i < place->at.count; i++)
            if (place->at.terms[i].factor >= end && (next == place->at.count || place->at.terms[i].factor < place->at.terms[next].factor))
                next = i;
        struct tsr__id_digit d;
        if (next == place->at.count || !counter_of_term(u, place, next, &d))
            return false;
        end = place->at.terms[next].factor * d.count;
    }
    return true;
}

/* Finds the counters of the fill that stand for those of the load from the array. False: they do not mean the same elements. */
static bool pair_counters(const struct tsr__unstage *u, const struct tsr__place *load, struct fill *f)
{
    struct tsr__id_digit a, b;
    if (load->size != f->at.size || load->at.constant != f->at.at.constant || load->at.count != f->at.at.count ||
        load->at.count > TSR__PLACE_DIGITS || load->turn_loop != TSR__NONE || f->at.turn_loop != TSR__NONE ||
        !has_one_round_for_each(u, load) || !has_one_round_for_each(u, &f->at))
        return false;
    for (unsigned i = 0; i < load->at.count; i++) {
        unsigned k = 0;
        while (k < load->at.count && f->at.at.terms[k].factor != load->at.terms[i].factor)
            k++;
        if (k == load->at.count)
            return false;
        f->from.counters[i].of_store = counter_of_term(u, load, i, &a);
        f->from.counters[i].its = counter_of_term(u, &f->at, k, &b);
        if (a.count != b.count)
            return false;
    }
    f->from.counter_count = load->at.count;
    return true;
}

/* Are the loops of all counters of the place in this one? */
static bool counts_within(const struct tsr__unstage *u, const struct tsr__place *place, int within)
{
    struct tsr__id_digit d;
    for (unsigned i = 0; i < place->at.count; i++) {
        LLVMValueRef counter = counter_of_term(u, place, i, &d);
        if (!counter || (within != TSR__NONE &&
                         (tsr__loop_of_counter(&u->code, counter) == within || !tsr__in_loop(&u->cfg, tsr__block_of(u, counter), within))))
            return false;
    }
    return true;
}

static bool find_fill(const struct tsr__unstage *u, LLVMValueRef store, const struct tsr__place *load, int loop, struct fill *f)
{
    LLVMValueRef from = LLVMGetOperand(store, 0);
    *f = (struct fill){.loop = loop};
    if (!tsr__is_source(from) || LLVMGetInstructionParent(from) != LLVMGetInstructionParent(store) || !tsr__find_place(u, store, &f->at) ||
        !pair_counters(u, load, f) || !counts_within(u, &f->at, loop))
        return false;
    f->from.load = from;
    f->from.block = tsr__head_of_rounds(u, tsr__block_of(u, store), loop, true);
    return f->from.block != TSR__NONE;
}

/* The one store to the array in this loop, outside of inner ones that have the store to local memory, too, that fills it. */
static bool find_fill_in(const struct filled *a, LLVMValueRef stored, const struct tsr__place *load, int loop, int inner, struct fill *f)
{
    bool any = false;
    for (unsigned i = 0; i < a->count; i++) {
        struct fill found;
        const int block = tsr__block_of(a->u, a->stores[i]);
        if (tsr__common_loop(a->u, tsr__block_of(a->u, stored), block) != loop ||
            (inner != TSR__NONE && tsr__in_loop(&a->u->cfg, block, inner)) || !find_fill(a->u, a->stores[i], load, loop, &found))
            continue;
        if (any)
            return false;
        any = true;
        *f = found;
    }
    return any;
}

/* Does no store to the array but those of the two fills come between the last of these and block `to`, which stores all of it to local
 * memory? A fill that does not dominate that block is followed by it if another round of the loop follows; what the block does otherwise
 * does not matter. */
static bool is_kept(const struct filled *a, const struct fill *now, const struct fill *first, int loop, int to)
{
    const struct tsr__unstage *u = a->u;
    const int fill = now->from.block, header = loop == TSR__NONE ? TSR__NONE : u->cfg.loops[loop].header;
    const bool dominates = !first && tsr__dominates(&u->cfg, fill, to);
    for (unsigned i = 0; i < a->count; i++) {
        const int other = tsr__block_of(u, a->stores[i]);
        if (a->stores[i] == now->at.access || (first && a->stores[i] == first->at.access))
            continue;
        if (other == fill || other == to || (first && other == first->from.block))
            return false;
        const bool inside = tsr__in_loop(&u->cfg, other, loop);
        if (first ? inside ? tsr__leads(u, other, to, fill, TSR__NONE) : tsr__leads(u, other, header, first->from.block, TSR__NONE)
                  : (dominates || inside) && tsr__leads(u, other, to, fill, dominates ? TSR__NONE : header))
            return false;
    }
    return true;
}

bool tsr__find_array_copy(const struct tsr__unstage *u, LLVMValueRef stored, struct tsr__copy *c)
{
    struct filled a = {.u = u};
    struct tsr__place load;
    struct fill now, first;
    LLVMValueRef array = tsr__is_plain_load(stored) ? tsr__object_of(LLVMGetOperand(stored, 0)) : NULL;
    if (!array || !LLVMIsAAllocaInst(array) || LLVMGetInstructionParent(stored) != LLVMGetInstructionParent(c->to.access) ||
        !find_stores(&a, array) || !tsr__find_place(u, stored, &load))
        return false;
    int loop = u->cfg.blocks[tsr__block_of(u, stored)].loop, inner = TSR__NONE;
    while (loop != TSR__NONE && !find_fill_in(&a, stored, &load, loop, inner, &now)) {
        inner = loop;
        loop = u->cfg.loops[loop].parent;
    }
    if (loop == TSR__NONE && !find_fill_in(&a, stored, &load, loop, inner, &now))
        return false;
    const int to = tsr__head_of_rounds(u, tsr__block_of(u, stored), loop, true);
    if (to == TSR__NONE || !counts_within(u, &load, loop))
        return false;
    c->array = array;
    c->from = now.from;
    if (now.from.block < to) /* in compact order: of a round, the fill comes first */
        return is_kept(&a, &now, NULL, loop, to);
    if (loop == TSR__NONE || !find_fill_in(&a, stored, &load, u->cfg.loops[loop].parent, loop, &first) ||
        !is_kept(&a, &now, &first, loop, to))
        return false;
    c->first_from = first.from;
    c->ahead = loop;
    return true;
}

void tsr__drop_unread_array(const struct tsr__unstage *u, LLVMValueRef kernel, LLVMValueRef array)
{
    size_t count;
    LLVMValueRef *code = tsr__instructions(u->code.l, kernel, &count);
    for (size_t i = 0; i < count; i++)
        if (LLVMIsALoadInst(code[i]) && tsr__object_of(LLVMGetOperand(code[i], 0)) == array && LLVMGetFirstUse(code[i]))
            return;
    for (size_t i = 0; i < count; i++)
        if (LLVMIsAStoreInst(code[i]) && tsr__object_of(LLVMGetOperand(code[i], 1)) == array)
            LLVMInstructionEraseFromParent(code[i]);
}
