/* SPDX-License-Identifier: Apache-2.0
 * Stores that copy global memory to local memory. */
#include "lanes/prepare/staged_copies.h"

#include "lanes/ir/calls.h"
#include "lanes/ir/match.h"
#include "lanes/prepare/staged_arrays.h"

enum { DEPTH = 24 /* instructions of an address */ };

bool tsr__same_base(const struct tsr__id_base *a, const struct tsr__id_base *b)
{
    return a->counter == b->counter && a->ids == b->ids;
}

/* Each value of one comes with each value of the other. */
static bool go_together(const struct tsr__id_digit *a, const struct tsr__id_digit *b)
{
    if (!tsr__same_base(&a->base, &b->base))
        return tsr__ids_are_independent(a->base.ids, b->base.ids) || !(a->base.ids && b->base.ids);
    const struct tsr__id_digit *low = a->shift < b->shift ? a : b, *high = low == a ? b : a;
    return low->count << low->shift <= INT64_C(1) << high->shift;
}

/* Sorts the digits by what their values count for. Do no two values of them, or of the bytes of a store, mean one place? */
static bool sort_digits(struct tsr__copy *c)
{
    for (unsigned i = 1; i < c->digit_count; i++)
        for (unsigned k = i; k && c->digits[k].bytes < c->digits[k - 1].bytes; k--) {
            const struct tsr__id_digit d = c->digits[k];
            c->digits[k] = c->digits[k - 1];
            c->digits[k - 1] = d;
        }
    int64_t end = c->to.size;
    for (unsigned i = 0; i < c->digit_count; i++) {
        if (c->digits[i].bytes < end)
            return false;
        end = c->digits[i].bytes * c->digits[i].count;
    }
    return true;
}

LLVMValueRef tsr__source_of(const struct tsr__copy *c)
{
    if (c->source_count)
        return LLVMGetOperand(c->to.access, 0);
    LLVMValueRef pointer = LLVMGetOperand(c->from.load, 0);
    while (LLVMIsAAddrSpaceCastInst(pointer))
        pointer = LLVMGetOperand(pointer, 0);
    return pointer;
}

LLVMValueRef tsr__in_store(const struct tsr__copy *c, LLVMValueRef v)
{
    for (unsigned i = 0; i < c->from.counter_count; i++)
        if (c->from.counters[i].its == v)
            return c->from.counters[i].of_store;
    return v;
}

/* The parts of one number of which the address is made; false: it is also made of the number itself. */
struct parts {
    const struct tsr__unstage *u;
    const struct tsr__copy *copy;
    const struct tsr__id_base *base;
    struct tsr__id_digit digits[TSR__PLACE_DIGITS];
    unsigned count;
};

static bool find_parts(struct parts *p, LLVMValueRef v, int depth)
{
    struct tsr__id_digit d;
    v = tsr__without_extension(v);
    if (!LLVMIsAInstruction(v) || !depth)
        return !LLVMIsAInstruction(v);
    if (tsr__find_id_digit(&p->u->code, v, &d)) {
        if (d.base.counter)
            d.base.counter = tsr__in_store(p->copy, d.base.counter);
        if (!tsr__same_base(&d.base, p->base))
            return true;
        unsigned i = 0;
        while (i < p->count && p->digits[i].value != v)
            i++;
        if (i == TSR__PLACE_DIGITS || d.count == d.base.count)
            return false;
        d.value = v;
        p->digits[i] = d;
        p->count += i == p->count;
        return true;
    }
    for (int i = 0; i < LLVMGetNumOperands(v) && !LLVMIsAPHINode(v) && tsr__call_of(v) == TSR__CALL_NONE; i++)
        if (!find_parts(p, LLVMGetOperand(v, (unsigned)i), depth - 1))
            return false;
    return true;
}

/* Where a vector's number is taken apart into rows and columns of global memory, as `i / 4` and `i % 4`, its parts are the place's digits.
 */
static void split_digits(const struct tsr__unstage *u, struct tsr__copy *c)
{
    for (unsigned i = 0; i < c->digit_count; i++) {
        const struct tsr__id_digit whole = c->digits[i];
        struct parts p = {.u = u, .copy = c, .base = &whole.base};
        if (whole.scale != 1 || whole.count != whole.base.count || !find_parts(&p, tsr__source_of(c), DEPTH) ||
            c->digit_count + p.count - 1 > TSR__PLACE_DIGITS)
            continue;
        int64_t known = 1;
        for (unsigned found = 0; found < p.count; found++) {
            unsigned k = 0;
            while (k < p.count && INT64_C(1) << p.digits[k].shift != known)
                k++;
            known *= k < p.count ? p.digits[k].count : 0;
        }
        if (!p.count || known != whole.count)
            continue;
        c->digits[i] = c->digits[--c->digit_count];
        for (unsigned k = 0; k < p.count; k++) {
            p.digits[k].bytes = whole.bytes << p.digits[k].shift;
            c->digits[c->digit_count++] = p.digits[k];
        }
        return;
    }
}

static struct tsr__original original_of(const struct tsr__unstage *u, LLVMValueRef load)
{
    return (struct tsr__original){.load = load, .block = tsr__block_of(u, load)};
}

/* Of a phi in a round of the loop: the one load that it is, wherever the load is run; other ways bring what `before` is, or nothing that
 * is defined. NULL: it is not so. */
static LLVMValueRef load_of_ways(const struct tsr__unstage *u, LLVMValueRef phi, LLVMValueRef before, int loop)
{
    LLVMValueRef load = NULL;
    const int at = tsr__block_of(u, phi), header = loop == TSR__NONE ? TSR__NONE : u->cfg.loops[loop].header;
    for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
        LLVMValueRef v = LLVMGetIncomingValue(phi, i);
        if (v == before || LLVMIsUndef(v))
            continue;
        if (load || !tsr__is_source(v) || u->cfg.blocks[tsr__block_of(u, v)].loop != loop)
            return NULL;
        load = v;
    }
    for (unsigned i = 0; load && i < LLVMCountIncoming(phi); i++) {
        const int from = tsr__cfg_number(&u->cfg, LLVMGetIncomingBlock(phi, i)), of_load = tsr__block_of(u, load);
        if (LLVMGetIncomingValue(phi, i) != load && from != TSR__NONE && (from == of_load || tsr__leads(u, of_load, from, at, header)))
            return NULL;
    }
    return load;
}

/* A load of the same round. */
static bool find_load_now(const struct tsr__unstage *u, LLVMValueRef v, struct tsr__copy *c)
{
    LLVMValueRef load = tsr__is_source(v) ? v : NULL;
    if (LLVMIsAPHINode(v)) {
        const int block = tsr__block_of(u, v), loop = block == TSR__NONE ? TSR__NONE : u->cfg.blocks[block].loop;
        LLVMValueRef before = loop == TSR__NONE ? NULL : LLVMGetFirstInstruction(u->cfg.blocks[u->cfg.loops[loop].header].ref);
        if (block == TSR__NONE || (loop != TSR__NONE && u->cfg.loops[loop].header == block))
            return false;
        while (before && LLVMIsAPHINode(before) && !load) {
            load = load_of_ways(u, v, before, loop);
            before = LLVMGetNextInstruction(before);
        }
        load = load ? load : load_of_ways(u, v, NULL, loop);
    }
    if (!load || !tsr__in_loop(&u->cfg, tsr__block_of(u, c->to.access), u->cfg.blocks[tsr__block_of(u, load)].loop))
        return false;
    c->from = original_of(u, load);
    if (load == v)
        c->from.block = TSR__NONE;
    return true;
}

/* Of a phi that a loop begins with a load, and goes on with a load of each round that is followed by another one. */
static bool find_loads_ahead(const struct tsr__unstage *u, LLVMValueRef phi, struct tsr__copy *c)
{
    const int block = LLVMIsAPHINode(phi) ? tsr__block_of(u, phi) : TSR__NONE,
              loop = block == TSR__NONE ? TSR__NONE : u->cfg.blocks[block].loop;
    if (loop == TSR__NONE || u->cfg.loops[loop].header != block || u->cfg.loops[loop].latch == TSR__NONE || LLVMCountIncoming(phi) != 2)
        return false;
    const unsigned back = LLVMGetIncomingBlock(phi, 1) == u->cfg.blocks[u->cfg.loops[loop].latch].ref;
    LLVMValueRef next = LLVMGetIncomingValue(phi, back), first = LLVMGetIncomingValue(phi, !back);
    LLVMValueRef load = LLVMIsAPHINode(next) && next != phi ? load_of_ways(u, next, phi, loop) : next;
    if (!load || !tsr__is_source(load) || !tsr__is_source(first))
        return false;
    c->from = original_of(u, load);
    c->first_from = original_of(u, first);
    c->ahead = loop;
    return true;
}

/* ---- what is computed before it is stored ---- */

/* Finds the loads of which the value is computed, in the same round as the store. Ids and counters are looked at where it is read. */
static bool find_sources(const struct tsr__unstage *u, LLVMValueRef v, struct tsr__copy *c, struct tsr__map *seen, int depth)
{
    if (!LLVMIsAInstruction(v) || LLVMIsAPHINode(v) || tsr__map_get(seen, v) || tsr__call_of(v) != TSR__CALL_NONE)
        return true;
    tsr__map_set(seen, v, 1);
    if (LLVMIsALoadInst(v)) {
        if (!tsr__is_source(v) || c->source_count == TSR__COPY_SOURCES ||
            !tsr__dominates(&u->cfg, tsr__block_of(u, v), tsr__block_of(u, c->to.access)))
            return false;
        c->sources[c->source_count++] = v;
        return true;
    }
    if (!depth || !tsr__is_pure(v))
        return false;
    const int operands = LLVMGetNumOperands(v) - (LLVMIsACallInst(v) ? 1 : 0);
    for (int i = 0; i < operands; i++)
        if (!find_sources(u, LLVMGetOperand(v, (unsigned)i), c, seen, depth - 1))
            return false;
    return true;
}

static bool find_computed(const struct tsr__unstage *u, LLVMValueRef stored, struct tsr__copy *c)
{
    struct tsr__map seen = {.arena = u->arena};
    c->source_count = 0;
    if (!LLVMIsAInstruction(stored) || !find_sources(u, stored, c, &seen, DEPTH) || !c->source_count)
        return false;
    c->from = original_of(u, c->sources[0]);
    c->from.block = TSR__NONE;
    return true;
}

bool tsr__find_copy(const struct tsr__unstage *u, const struct tsr__place *to, struct tsr__copy *c)
{
    LLVMValueRef stored = LLVMGetOperand(to->access, 0);
    *c = (struct tsr__copy){.to = *to, .ahead = TSR__NONE};
    if (to->at.count > TSR__PLACE_DIGITS || (!find_load_now(u, stored, c) && !find_loads_ahead(u, stored, c) &&
                                             !tsr__find_array_copy(u, stored, c) && !find_computed(u, stored, c)))
        return false;
    for (unsigned i = 0; i < to->at.count; i++) {
        struct tsr__id_digit *d = &c->digits[c->digit_count];
        if (!tsr__find_id_digit(&u->code, to->at.terms[i].value, d))
            return false;
        d->value = tsr__without_extension(to->at.terms[i].value);
        d->bytes = to->at.terms[i].factor * d->scale;
        for (unsigned k = 0; k < c->digit_count; k++)
            if (!go_together(d, &c->digits[k]))
                return false;
        c->digit_count++;
    }
    split_digits(u, c);
    return sort_digits(c);
}

int tsr__head_of_copy(const struct tsr__unstage *u, const struct tsr__copy *c, int within)
{
    for (unsigned i = 0; i < c->digit_count; i++)
        if (c->digits[i].base.counter && within != TSR__NONE &&
            tsr__in_loop(&u->cfg, u->cfg.loops[within].header, tsr__loop_of_counter(&u->code, c->digits[i].base.counter)))
            return TSR__NONE;
    return tsr__head_of_rounds(u, tsr__block_of(u, c->to.access), within, false);
}
