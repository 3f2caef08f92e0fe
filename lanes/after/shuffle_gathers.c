/* SPDX-License-Identifier: Apache-2.0
 * Gathers whose lanes are a known distance apart and close together become a load of all that lies there, and a shuffle; scatters a shuffle
 * and a store. So it is where a work-group of known size is a packet: neighbours in a tile, in any direction, its rows and columns.
 *
 * Local memory belongs to the thread that runs the work-group, and has a margin: what no lane asked for may be read there, and written as
 * it was, which CPUs with AVX-512 have masks for. A load of all lanes from where a store of all lanes went is no load at all, so accesses
 * begin at multiples of a packet's vector if they can. Masked accesses there by lanes side by side are such accesses, too, with AVX-512 as
 * well, unless the lanes are few enough for a vector of their own (narrow_masks.c). In other memory nothing is written between the
 * elements, and nothing read before the first or behind the last; gaps between them are too small for a page. */
#include "lanes/after/lane_access.h"
#include "lanes/after/lane_offsets.h"
#include "lanes/ir/memory_notes.h"
#include "lanes/analysis/index_parts.h"
#include "lanes/ir/calls.h"
#include "lanes/ir/explain.h"
#include "lanes/ir/lane_scalars.h"
#include "lanes/ir/layout.h"
#include "lanes/ir/match.h"
#include "lanes/ir/shuffles.h"

struct access {
    struct tsr__lane_access of;
    struct tsr__lane_scalars *c;
    bool local;
    unsigned at[TSR__MAX_ELEMENTS]; /* by lane: the element, counted from the first that is accessed; TSR__NO_ELEMENT: none */
    unsigned count;                 /* elements from there to the last one */
    LLVMValueRef first;             /* where the first is */
};

/* Neither a vector of their own nor all. */
static bool has_some_lanes(const struct tsr__lane_access *a)
{
    unsigned count = 0;
    for (unsigned i = 0; i < a->lanes; i++)
        count += a->active[i];
    return count & (count - 1);
}

static bool read_call(struct tsr__lane_scalars *c, LLVMValueRef call, struct access *a)
{
    *a = (struct access){.c = c};
    if (!tsr__read_lane_access(LLVMGetModuleDataLayout(c->l->module), call, &a->of) || a->of.mask)
        return false;
    const bool side_by_side = a->of.side_by_side;
    LLVMTypeRef pointers = LLVMTypeOf(a->of.pointers);
    a->local = LLVMGetPointerAddressSpace(side_by_side ? pointers : LLVMGetElementType(pointers)) == TSR__LOCAL_SPACE &&
               (side_by_side || !tsr__has(c->l, TSR_CPU_AVX512F));
    return !side_by_side || (a->local && a->of.lanes * a->of.bytes <= TSR_LOCAL_MARGIN && has_some_lanes(&a->of));
}

static bool find_offsets(const struct access *a, struct tsr__lane_offsets *o)
{
    for (unsigned i = 0; a->of.side_by_side && i < a->of.lanes; i++)
        o->at[i] = i * a->of.bytes;
    return a->of.side_by_side || tsr__find_lane_offsets(a->of.pointers, o);
}

/* Finds the elements, of which the first is at offset `least` from lane 0 and in lane `lane`. */
static bool find_elements(struct access *a, int64_t *least, unsigned *lane)
{
    struct tsr__lane_offsets o = {.lanes = a->of.lanes, .in_row = a->of.lanes};
    int64_t most = INT64_MIN;
    *least = INT64_MAX;
    if (!find_offsets(a, &o))
        return false;
    for (unsigned i = 0; i < a->of.lanes; i++) {
        if (!a->of.active[i])
            continue;
        *lane = o.at[i] < *least ? i : *lane;
        *least = o.at[i] < *least ? o.at[i] : *least;
        most = o.at[i] > most ? o.at[i] : most;
    }
    if (most < *least || most - *least >= (int64_t)2 * a->of.lanes * a->of.bytes)
        return false;
    for (unsigned i = 0; i < a->of.lanes; i++) {
        int64_t from = o.at[i] - *least;
        if (a->of.active[i] && from % a->of.bytes)
            return false;
        a->at[i] = a->of.active[i] ? (unsigned)(from / a->of.bytes) : TSR__NO_ELEMENT;
    }
    a->count = (unsigned)((most - *least) / a->of.bytes) + 1;
    return a->count <= TSR__MAX_ELEMENTS;
}

/* By how many elements a pointer is known to lie behind what it was made of. */
static int64_t known_distance(const struct access *a, LLVMValueRef pointer)
{
    int64_t sum = 0;
    LLVMTargetDataRef layout = LLVMGetModuleDataLayout(a->c->l->module);
    for (; LLVMIsAGetElementPtrInst(pointer); pointer = LLVMGetOperand(pointer, 0)) {
        struct tsr__gep_index index;
        int64_t number, here = 0;
        for (struct tsr__gep_walk walk = tsr__gep_walk(layout, pointer); tsr__gep_next(&walk, &index);) {
            if (index.is_field)
                here += index.offset;
            else if (tsr__constant_int(index.value, &number))
                here += number * index.bytes;
            else
                return sum / a->of.bytes;
        }
        sum += here;
    }
    return sum % a->of.bytes ? 0 : sum / a->of.bytes;
}

/* In local memory the access takes whole vectors, from a multiple of their size on if one will do. */
static void round_out(struct access *a)
{
    unsigned packets = a->count <= a->of.lanes ? 1 : 2, whole = packets * a->of.lanes;
    if (!a->local || whole > TSR__MAX_ELEMENTS || (int64_t)whole * a->of.bytes > TSR_LOCAL_MARGIN)
        return;
    int64_t known = known_distance(a, a->first), before = known > 0 ? known % a->of.lanes : 0;
    if (before && a->count + before <= whole) {
        LLVMValueRef back = LLVMConstInt(LLVMInt64TypeInContext(a->c->l->context), (uint64_t)-before, true);
        a->first = LLVMBuildGEP2(a->c->b, a->of.element, a->first, &back, 1, "");
        for (unsigned i = 0; i < a->of.lanes; i++)
            a->at[i] += a->at[i] == TSR__NO_ELEMENT ? 0 : (unsigned)before;
    }
    a->count = whole;
}

/* Of the first element, wherever that is. */
static unsigned align_of_element(const struct access *a)
{
    unsigned align = tsr__argument_align(a->of.call, a->of.load ? 0 : 1);
    return a->of.side_by_side ? tsr__align_at(align, (uint64_t)a->of.bytes) : align;
}

static LLVMValueRef load_all(struct access *a)
{
    LLVMValueRef made = LLVMBuildLoad2(a->c->b, LLVMVectorType(a->of.element, a->count), a->first, "");
    LLVMSetAlignment(made, align_of_element(a));
    return made;
}

static void replace_gather(struct access *a)
{
    LLVMValueRef all = load_all(a), made = tsr__pick_elements(a->c->l, a->c->b, all, NULL, a->at, a->of.lanes),
                 other = LLVMGetOperand(a->of.call, 2);
    tsr__copy_memory_notes(a->of.call, all, align_of_element(a));
    if (!LLVMIsUndef(other)) /* poison as well */
        made = LLVMBuildSelect(a->c->b, LLVMGetOperand(a->of.call, 1), made, other, "");
    LLVMReplaceAllUsesWith(a->of.call, made);
}

/* Of lanes with the same element the last one stores it. What lies between the elements may have another type. */
static void replace_scatter(struct access *a, const unsigned *lane_of, bool gaps)
{
    LLVMValueRef made = tsr__pick_elements(a->c->l, a->c->b, LLVMGetOperand(a->of.call, 0), NULL, lane_of, a->count);
    unsigned blend[TSR__MAX_ELEMENTS];
    for (unsigned i = 0; i < a->count; i++)
        blend[i] = lane_of[i] == TSR__NO_ELEMENT ? a->count + i : i;
    if (gaps) {
        LLVMValueRef old = load_all(a);
        if (a->of.side_by_side) /* LLVM's code generator would make a masked store of it again, from which CPUs forward nothing */
            old = LLVMBuildFreeze(a->c->b, old, "");
        made = tsr__pick_elements(a->c->l, a->c->b, made, old, blend, a->count);
    }
    LLVMValueRef store = LLVMBuildStore(a->c->b, made, a->first);
    if (gaps)
        LLVMSetAlignment(store, align_of_element(a));
    else
        tsr__copy_memory_notes(a->of.call, store, align_of_element(a));
}

static void replace(struct access *a)
{
    int64_t least;
    unsigned lane = 0;
    if (!find_elements(a, &least, &lane))
        return;
    LLVMValueRef pointer = a->of.side_by_side ? a->of.pointers : tsr__lane_scalar(a->c, a->of.pointers, lane),
                 offset = tsr__i64(a->c->l, (uint64_t)least);
    LLVMPositionBuilderBefore(a->c->b, a->of.call);
    a->first = a->of.side_by_side && least ? tsr__plus_bytes(a->c->l, a->c->b, pointer, offset) : pointer;
    round_out(a);
    unsigned lane_of[TSR__MAX_ELEMENTS];
    bool gaps = false;
    for (unsigned i = 0; i < a->count; i++)
        lane_of[i] = TSR__NO_ELEMENT;
    for (unsigned i = 0; i < a->of.lanes; i++)
        if (a->at[i] != TSR__NO_ELEMENT)
            lane_of[a->at[i]] = i;
    for (unsigned i = 0; i < a->count; i++)
        gaps = gaps || lane_of[i] == TSR__NO_ELEMENT;
    if (!a->of.load && gaps && !a->local)
        return;
    tsr__explain(a->c->l, a->of.call, a->of.load ? "load" : "store", "shuffled", "one %s of %u elements, and a shuffle",
                 a->of.load ? "load" : "store", a->count);
    if (a->of.load)
        replace_gather(a);
    else
        replace_scatter(a, lane_of, gaps);
    LLVMInstructionEraseFromParent(a->of.call);
}

bool tsr__pass_shuffle_gathers(struct tsr__compilation *l, LLVMValueRef function)
{
    size_t count;
    LLVMValueRef *code = tsr__instructions(l, function, &count);
    struct tsr__lane_scalars c;
    tsr__lane_scalars_begin(&c, l);
    for (size_t i = 0; i < count; i++) {
        struct access a;
        if (read_call(&c, code[i], &a))
            replace(&a);
    }
    tsr__lane_scalars_end(&c);
    return true;
}
