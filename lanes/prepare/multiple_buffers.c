/* SPDX-License-Identifier: Apache-2.0
 * Private arrays of several parts that a loop uses in turn: `a[k % 3]` is computed with while `a[(k + 2) % 3]` is filled.
 *
 * The index is no constant, so the array would stay in memory, in a packet one element of each lane beside the other. It becomes an array
 * for each part: that whose turn it is, and those whose turn comes later, each of which takes what is in the next one at the end of each
 * round. Then all indices are constants, LLVM makes registers of the arrays, and the exchange is some phis. */
#include "lanes/analysis/round_cycle.h"
#include "lanes/analysis/index_parts.h"
#include "lanes/ir/explain.h"
#include "lanes/ir/match.h"

enum { MAX_ACCESSES = 512, MAX_BYTES = 4096 /* of an array that may become registers */, MAX_PARTS = 4 };

/* A load or store of the array. */
struct access {
    LLVMValueRef inst;
    struct tsr__round_cycle at; /* bytes from the array's beginning */
    int64_t size;
};

struct multiple_buffer {
    struct tsr__compilation *l;
    LLVMTargetDataRef layout;
    struct tsr__cfg *cfg;
    LLVMValueRef array;
    struct access *accesses;
    unsigned count;
    int loop;           /* in which its parts take turns */
    unsigned parts;     /* the number of these */
    int64_t part;       /* bytes of one */
    bool left_at_latch; /* and nowhere else, so that the parts are exchanged once more */
};

/* Adds the bytes by which the GEP moves its pointer. False: they do not repeat from round to round. */
static bool add_offset(const struct multiple_buffer *d, LLVMValueRef gep, struct tsr__round_cycle *at)
{
    struct tsr__gep_index index;
    for (struct tsr__gep_walk walk = tsr__gep_walk(d->layout, gep); tsr__gep_next(&walk, &index);) {
        struct tsr__round_cycle by = {.loop = TSR__NONE};
        for (int i = 0; i < TSR__CYCLE_ROUNDS; i++)
            by.values[i] = index.offset;
        const int64_t scale = index.is_constant ? 1 : index.bytes;
        if (!index.is_constant && !tsr__find_round_cycle(d->cfg, index.value, &by))
            return false;
        if (by.loop != TSR__NONE && at->loop != TSR__NONE && (by.loop != at->loop || by.of_next != at->of_next))
            return false;
        at->loop = by.loop != TSR__NONE ? by.loop : at->loop;
        at->of_next = by.of_next || at->of_next;
        for (int i = 0; i < TSR__CYCLE_ROUNDS; i++) {
            if (by.values[i] < -MAX_BYTES || by.values[i] > MAX_BYTES || scale > MAX_BYTES)
                return false;
            at->values[i] += by.values[i] * scale;
        }
    }
    return true;
}

/* Finds the accesses by a pointer to the array. False: the pointer is used otherwise. */
static bool find_accesses(struct multiple_buffer *d, LLVMValueRef pointer, struct tsr__round_cycle at)
{
    for (LLVMUseRef use = LLVMGetFirstUse(pointer); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        struct tsr__round_cycle moved = at;
        const bool store = LLVMIsAStoreInst(user);
        if (LLVMIsAGetElementPtrInst(user)) {
            if (!add_offset(d, user, &moved) || !find_accesses(d, user, moved))
                return false;
        } else if (LLVMIsAAddrSpaceCastInst(user)) {
            if (!find_accesses(d, user, at))
                return false;
        } else if (tsr__is_plain_load(user) || (store && LLVMGetOperand(user, 0) != pointer && tsr__is_plain_access(user))) {
            if (d->count == MAX_ACCESSES)
                return false;
            const LLVMTypeRef type = LLVMTypeOf(store ? LLVMGetOperand(user, 0) : user);
            d->accesses[d->count++] = (struct access){user, at, (int64_t)LLVMStoreSizeOfType(d->layout, type)};
        } else if (!LLVMIsACallInst(user) || !tsr__callee(user) || !tsr__starts_with(tsr__name(tsr__callee(user)), "llvm.lifetime."))
            return false;
    }
    return true;
}

static int block_of(const struct multiple_buffer *d, LLVMValueRef inst)
{
    return tsr__cfg_number(d->cfg, LLVMGetInstructionParent(inst));
}

/* The least distance of the first of these places and another one. */
static int64_t distance_of(const int64_t values[TSR__CYCLE_ROUNDS], unsigned period)
{
    int64_t distance = MAX_BYTES;
    for (unsigned i = 1; i < period; i++) {
        const int64_t by = values[i] - values[0], apart = by < 0 ? -by : by;
        distance = apart < distance ? apart : distance;
    }
    return distance;
}

/* The loop, the number and the distance of the parts, of all accesses whose place changes. False: there are none, or they differ. */
static bool find_parts(struct multiple_buffer *d)
{
    d->loop = TSR__NONE;
    for (unsigned i = 0; i < d->count; i++) {
        const struct access *a = &d->accesses[i];
        const unsigned period = tsr__period_of_rounds(a->at.values);
        const int64_t distance = distance_of(a->at.values, period);
        if (period == 1)
            continue;
        if (!distance || period > MAX_PARTS ||
            (d->loop != TSR__NONE && (d->loop != a->at.loop || d->part != distance || d->parts != period)))
            return false;
        d->loop = a->at.loop;
        d->part = distance;
        d->parts = period;
    }
    return d->loop != TSR__NONE;
}

/* True: all ways out of the loop are behind the exchange, or all are in front of it. */
static bool find_exits(struct multiple_buffer *d)
{
    const struct tsr__loop *loop = &d->cfg->loops[d->loop];
    bool elsewhere = false;
    for (int b = loop->begin; b < loop->end; b++)
        for (int i = 0; i < d->cfg->blocks[b].succ_count; i++)
            if (!tsr__in_loop(d->cfg, d->cfg->blocks[b].succ[i], d->loop))
                *(b == loop->latch ? &d->left_at_latch : &elsewhere) = true;
    return !d->left_at_latch || !elsewhere;
}

static int64_t part_of(const struct multiple_buffer *d, int64_t at)
{
    return at / d->part % d->parts;
}

/* Does the access, if its place changes, go on to the next of the same parts in each round? */
static bool goes_round(const struct multiple_buffer *d, const struct access *a)
{
    const int64_t all = d->parts * d->part, *at = a->at.values;
    for (unsigned i = 1; i < TSR__CYCLE_ROUNDS && at[0] != at[1]; i++)
        if (at[i] / all != at[0] / all || at[i] % d->part != at[0] % d->part || part_of(d, at[i]) != (part_of(d, at[i - 1]) + 1) % d->parts)
            return false;
    return true;
}

/* Is each access within a part, and at a time when it is known whose turn it is: in the loop or behind it by a number that repeats, in
 * front of it by a constant? */
static bool takes_turns(struct multiple_buffer *d)
{
    const int64_t bytes = (int64_t)LLVMABISizeOfType(d->layout, LLVMGetAllocatedType(d->array));
    const int header = d->cfg->loops[d->loop].header;
    for (unsigned i = 0; i < d->count; i++) {
        const struct access *a = &d->accesses[i];
        const int block = block_of(d, a->inst);
        const bool changes = a->at.values[0] != a->at.values[1];
        for (int k = 0; k < TSR__CYCLE_ROUNDS; k++)
            if (a->at.values[k] < 0 || a->at.values[k] + a->size > bytes || a->at.values[k] % d->part + a->size > d->part)
                return false;
        if (!goes_round(d, a))
            return false;
        if (block == TSR__NONE || (changes ? !a->at.of_next && !tsr__dominates(d->cfg, header, block)
                                           : !tsr__dominates(d->cfg, block, header) || block == header))
            return false;
    }
    return d->cfg->loops[d->loop].parent == TSR__NONE && find_exits(d);
}

static LLVMValueRef new_array(struct multiple_buffer *d, LLVMBuilderRef b)
{
    LLVMValueRef made = LLVMBuildAlloca(b, LLVMGetAllocatedType(d->array), "");
    LLVMSetAlignment(made, LLVMGetAlignment(d->array));
    return made;
}

static void exchange(struct multiple_buffer *d, LLVMValueRef const arrays[MAX_PARTS])
{
    LLVMTypeRef type = LLVMGetAllocatedType(d->array);
    LLVMBuilderRef b = tsr__builder_before(d->l, d->cfg->blocks[d->cfg->loops[d->loop].latch].terminator);
    LLVMValueRef contents[MAX_PARTS];
    for (unsigned i = 0; i < d->parts; i++)
        contents[i] = LLVMBuildLoad2(b, type, arrays[i], "");
    for (unsigned i = 0; i < d->parts; i++)
        LLVMBuildStore(b, contents[(i + 1) % d->parts], arrays[i]);
    LLVMDisposeBuilder(b);
}

/* The first of the new arrays is the part that is at the beginning in round 0. */
static void split(struct multiple_buffer *d)
{
    LLVMBuilderRef b = tsr__builder_before(d->l, d->array);
    LLVMValueRef arrays[MAX_PARTS];
    for (unsigned i = 0; i < d->parts; i++)
        arrays[i] = new_array(d, b);
    for (unsigned i = 0; i < d->count; i++) {
        LLVMValueRef inst = d->accesses[i].inst, pointer = tsr__accessed_pointer(inst);
        const int64_t at = d->accesses[i].at.values[0], part = part_of(d, at);
        const int block = block_of(d, inst);
        const bool behind = !tsr__in_loop(d->cfg, block, d->loop) && tsr__dominates(d->cfg, d->cfg->loops[d->loop].header, block);
        LLVMPositionBuilderBefore(b, inst);
        LLVMValueRef offset = tsr__i64(d->l, (uint64_t)(at - part * d->part));
        const bool exchanged = behind && d->left_at_latch && !d->accesses[i].at.of_next; /* since the round of the place */
        LLVMValueRef array = arrays[(part + (exchanged ? d->parts - 1 : 0)) % d->parts];
        LLVMValueRef to = LLVMBuildInBoundsGEP2(b, LLVMInt8TypeInContext(d->l->context), array, &offset, 1, "");
        if (LLVMTypeOf(to) != LLVMTypeOf(pointer))
            to = LLVMBuildAddrSpaceCast(b, to, LLVMTypeOf(pointer), "");
        LLVMSetOperand(inst, LLVMIsALoadInst(inst) ? 0 : 1, to);
    }
    LLVMDisposeBuilder(b);
    exchange(d, arrays);
}

/* False: the kernel has no such array. */
static bool split_arrays(struct tsr__compilation *l, LLVMValueRef kernel, struct tsr_arena *arena)
{
    struct tsr__cfg cfg;
    bool any = false;
    if (!tsr__cfg_make(&cfg, kernel, arena) || !cfg.loop_count)
        return false;
    for (LLVMValueRef i = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(kernel)), next; i; i = next) {
        struct multiple_buffer d = {.l = l, .layout = LLVMGetModuleDataLayout(l->module), .cfg = &cfg, .array = i};
        next = LLVMGetNextInstruction(i);
        if (!LLVMIsAAllocaInst(i) || !LLVMIsAConstantInt(LLVMGetOperand(i, 0)) ||
            LLVMABISizeOfType(d.layout, LLVMGetAllocatedType(i)) > MAX_BYTES)
            continue;
        d.accesses = tsr_arena_alloc(arena, MAX_ACCESSES * sizeof *d.accesses);
        if (!find_accesses(&d, i, (struct tsr__round_cycle){.loop = TSR__NONE}) || !find_parts(&d) || !takes_turns(&d))
            continue;
        tsr__explain(l, d.accesses[0].inst, "array", "in turn", "its parts, which a loop uses in turn, are arrays of their own");
        split(&d);
        any = true;
    }
    return any;
}

bool tsr__pass_multiple_buffers(struct tsr__compilation *l)
{
    for (uint32_t i = 0; i < l->info->kernel_count; i++) {
        LLVMValueRef kernel = tsr__kernel(l, &l->info->kernels[i]);
        struct tsr_arena arena = {0};
        const bool any = split_arrays(l, kernel, &arena);
        tsr_arena_free(&arena);
        if (any && !tsr__run_llvm_on(l, kernel, "sroa,early-cse,adce,simplifycfg"))
            return false;
    }
    return true;
}
