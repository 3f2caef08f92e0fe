/* SPDX-License-Identifier: Apache-2.0
 * Kernels with matrix functions that stage A and B in local memory read them where they come from.
 *
 * On a GPU a work-group copies a part of A and of B into local memory, waits, and multiplies. Here local memory is memory as any other,
 * the copy costs as much as the products, and packets that wait cannot share operands with those of other work-groups. So a load of local
 * memory becomes a load of the global memory that was copied there: the copy is one store whose place in the array tells which work-item
 * and which round of its loop made it, and so what it copied. If that holds of all loads of local memory, its stores go, and so do
 * barriers, which order nothing else.
 *
 * Tables that work-items copy once, and read at places that numbers in memory tell, are read where they come from by themselves. Where a
 * store may change what is copied, as it has the same type, the kernel gets another body, for launches which say that it does not.
 *
 * Work-items of a group that lacks some, as the range ends there, would have read what nobody has written. */
#include <string.h>

#include "lanes/analysis/index_parts.h"
#include "lanes/analysis/packet_support.h"
#include "lanes/ir/blocks.h"
#include "lanes/ir/calls.h"
#include "lanes/ir/explain.h"
#include "lanes/ir/match.h"
#include "lanes/prepare/apart.h"
#include "lanes/prepare/group_bounds.h"
#include "lanes/prepare/loop_motion.h"
#include "lanes/prepare/staged_ahead.h"
#include "lanes/prepare/staged_arrays.h"
#include "lanes/prepare/staged_indices.h"
#include "lanes/prepare/staged_loops.h"
#include "lanes/prepare/unroll.h"
#include "tessera/item.h"
#include "tessera/matrix.h"

enum { LOCAL_FENCE = 1 /* CLK_LOCAL_MEM_FENCE */, BOTH_FENCES = 3 /* and CLK_GLOBAL_MEM_FENCE */ };
enum { MOST_BLOCKS = 256, MOST_INSTRUCTIONS = 4096 }; /* of a kernel that gets another body */

struct staging {
    struct tsr__place *loads;
    struct tsr__copy *copies;
    LLVMValueRef *barriers, *writes; /* writes: to memory that is not local, nor private */
    LLVMValueRef *atomics;           /* those of the writes that are atomic */
    LLVMValueRef *fences, *reads;    /* fences: those of the barriers that order global memory, too; reads: of memory that is not local */
    size_t load_count, copy_count, barrier_count, write_count, atomic_count, fence_count, read_count;
    LLVMValueRef reading_call; /* a call that may read memory, or NULL */
    uint32_t alone; /* arguments that have to be alone in their memory, a bit for each, so that no store changes what is copied */
    bool typed;     /* The code has the types of its language ("tbaa"): see may_change. */
};

static bool has_local_pointer(LLVMValueRef inst)
{
    for (int i = 0; i < LLVMGetNumOperands(inst); i++) {
        LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(inst, (unsigned)i));
        if (LLVMGetTypeKind(type) == LLVMPointerTypeKind && LLVMGetPointerAddressSpace(type) == TSR__LOCAL_SPACE)
            return true;
    }
    return false;
}

/* Does the call leave memory alone, but for barriers that order nothing but local memory? */
static bool is_harmless(LLVMValueRef call)
{
    LLVMValueRef callee = tsr__callee(call);
    const enum tsr__engine_call kind = tsr__call_of(call);
    if (!callee || kind == TSR__CALL_EXCHANGE || kind == TSR__CALL_BLOCK2D_WRITE)
        return false;
    if (kind == TSR__CALL_BARRIER)
        return tsr__is_constant(LLVMGetOperand(call, 1), LOCAL_FENCE);
    if (tsr_matrix_find(tsr__name(callee)) || (kind != TSR__CALL_NONE && tsr__call_info(kind)->how != TSR__HOW_RT))
        return true;
    return !(tsr__spaces_written(call) & ~(1u << TSR__PRIVATE_SPACE)) && !has_local_pointer(call);
}

/* Is the pointer an address, and nothing else? */
static bool is_only_accessed(LLVMValueRef pointer)
{
    for (LLVMUseRef use = LLVMGetFirstUse(pointer); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        const bool store = LLVMIsAStoreInst(user);
        if (store ? LLVMGetOperand(user, 0) == pointer
                  : !LLVMIsALoadInst(user) && !LLVMIsAGetElementPtrInst(user) && !LLVMIsAAddrSpaceCastInst(user) && !LLVMIsAPHINode(user) &&
                        tsr__call_of(user) != TSR__CALL_SAME)
            return false;
    }
    return true;
}

/* May the call read memory that is not its own? */
static bool may_read(LLVMValueRef call)
{
    LLVMValueRef callee = tsr__callee(call);
    const enum tsr__engine_call kind = tsr__call_of(call);
    if (kind != TSR__CALL_NONE)
        return kind == TSR__CALL_BLOCK2D_READ;
    if (LLVMGetIntrinsicID(callee))
        return LLVMIsAMemCpyInst(call) || LLVMIsAMemMoveInst(call);
    return !tsr_matrix_find(tsr__name(callee)) && !tsr__math_op(callee);
}

/* False: the instruction does what keeps a kernel as it is. */
static bool add_instruction(const struct tsr__unstage *u, struct staging *s, LLVMValueRef inst)
{
    const LLVMOpcode op = LLVMGetInstructionOpcode(inst);
    s->typed = s->typed || LLVMGetMetadata(inst, LLVMGetMDKindIDInContext(u->code.l->context, "tbaa", 4));
    switch (op) {
    case LLVMLoad:
    case LLVMStore: {
        struct tsr__place place;
        const unsigned space = tsr__space_of(tsr__accessed_pointer(inst));
        if (space != TSR__LOCAL_SPACE) {
            if (op == LLVMStore && space != TSR__PRIVATE_SPACE)
                s->writes[s->write_count++] = inst;
            if (op == LLVMLoad && space != TSR__PRIVATE_SPACE)
                s->reads[s->read_count++] = inst;
            return tsr__is_plain_access(inst) &&
                   (op == LLVMLoad || LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(inst, 0))) != LLVMPointerTypeKind);
        }
        if (!tsr__find_place(u, inst, &place))
            return false;
        if (op == LLVMStore)
            return tsr__find_copy(u, &place, &s->copies[s->copy_count++]);
        s->loads[s->load_count++] = place;
        return true;
    }
    case LLVMGetElementPtr:
    case LLVMAddrSpaceCast:
        return tsr__space_of(inst) != TSR__LOCAL_SPACE || is_only_accessed(inst);
    case LLVMCall:
        if (tsr__call_of(inst) == TSR__CALL_BARRIER && tsr__is_constant(LLVMGetOperand(inst, 0), TSR_SCOPE_WORK_GROUP))
            s->barriers[s->barrier_count++] = inst;
        if (tsr__call_of(inst) == TSR__CALL_BARRIER && tsr__is_constant(LLVMGetOperand(inst, 1), BOTH_FENCES)) {
            s->fences[s->fence_count++] = inst;
            return true;
        }
        if (tsr__call_of(inst) == TSR__CALL_SAME)
            return tsr__space_of(inst) != TSR__LOCAL_SPACE || is_only_accessed(inst);
        if (!is_harmless(inst))
            return false;
        if (may_read(inst))
            s->reading_call = inst;
        return true;
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg:
        s->writes[s->write_count++] = s->atomics[s->atomic_count++] = inst;
        return tsr__space_of(LLVMGetOperand(inst, 0)) == TSR__GLOBAL_SPACE;
    case LLVMFence:
        return false;
    case LLVMPHI:
        return !has_local_pointer(inst) || (tsr__is_buffer_in_turn(u, inst) && is_only_accessed(inst));
    default:
        return !has_local_pointer(inst);
    }
}

static LLVMValueRef written_pointer(LLVMValueRef write)
{
    return LLVMGetOperand(write, LLVMIsAStoreInst(write) ? 1 : 0);
}

/* What the language says of which type the accessed object is, as LLVM knows types of C; NULL: it may be any. Vectors that the library's
 * functions read and write are numbers of the elements' type. */
static const char *accessed_type(struct tsr__compilation *l, LLVMValueRef access, unsigned *length)
{
    LLVMValueRef tag = LLVMGetMetadata(access, LLVMGetMDKindIDInContext(l->context, "tbaa", 4)), parts[4];
    if (!tag) {
        LLVMValueRef value = LLVMIsAStoreInst(access)           ? LLVMGetOperand(access, 0)
                             : LLVMIsAAtomicCmpXchgInst(access) ? LLVMGetOperand(access, 2)
                                                                : access;
        LLVMTypeRef type = tsr__element_type(LLVMTypeOf(value));
        LLVMTypeKind kind = LLVMGetTypeKind(type);
        const unsigned bits = kind == LLVMIntegerTypeKind ? LLVMGetIntTypeWidth(type) : 0;
        const char *name = kind == LLVMFloatTypeKind    ? "float"
                           : kind == LLVMHalfTypeKind   ? "half"
                           : kind == LLVMDoubleTypeKind ? "double"
                           : bits == 16                 ? "short"
                           : bits == 32                 ? "int"
                           : bits == 64                 ? "long"
                                                        : NULL;
        *length = name ? (unsigned)strlen(name) : 0;
        return name;
    }
    if (LLVMGetMDNodeNumOperands(tag) < 3 || LLVMGetMDNodeNumOperands(tag) > TSR_ARRAY_LEN(parts))
        return NULL;
    LLVMGetMDNodeOperands(tag, parts);
    if (!parts[1] || !LLVMIsAMDNode(parts[1]) || LLVMGetMDNodeNumOperands(parts[1]) != 3)
        return NULL;
    LLVMValueRef type = parts[1];
    LLVMGetMDNodeOperands(type, parts);
    const char *name = LLVMGetMDString(parts[0], length);
    return name && !tsr__starts_with(name, "omnipotent") ? name : NULL;
}

static bool is_restrict(LLVMValueRef kernel, LLVMValueRef object)
{
    for (unsigned i = 0; i < LLVMCountParams(kernel); i++)
        if (LLVMGetParam(kernel, i) == object)
            return LLVMGetEnumAttributeAtIndex(kernel, i + 1, tsr__attr_kind("noalias"));
    return false;
}

/* May the store change what is copied? `typed`: the code has the types of its language, in which objects of different types are apart. */
static bool may_change(struct tsr__compilation *l, LLVMValueRef kernel, bool typed, LLVMValueRef store, LLVMValueRef load)
{
    LLVMValueRef to = tsr__object_of(written_pointer(store)), from = tsr__object_of(LLVMGetOperand(load, 0));
    if (LLVMIsAArgument(to) && LLVMIsAArgument(from) && to != from && (is_restrict(kernel, to) || is_restrict(kernel, from)))
        return false;
    unsigned stored = 0, loaded = 0;
    if (!typed)
        return true;
    const char *a = accessed_type(l, store, &stored), *b = accessed_type(l, load, &loaded);
    return !a || !b || (stored == loaded && !memcmp(a, b, stored));
}

static bool uses_local_memory(LLVMValueRef kernel)
{
    for (LLVMValueRef i = tsr__first(kernel); i; i = tsr__next(i))
        if ((LLVMIsALoadInst(i) || LLVMIsAStoreInst(i)) && tsr__space_of(tsr__accessed_pointer(i)) == TSR__LOCAL_SPACE)
            return true;
    return false;
}

static bool stays(const struct tsr__unstage *u, LLVMValueRef at, const char *why)
{
    tsr__explain(u->code.l, at, "local memory", "stays", "%s", why);
    return false;
}

static bool is_in_body(const struct tsr__unstage *u, LLVMValueRef inst)
{
    const int block = tsr__cfg_number(&u->cfg, LLVMGetInstructionParent(inst));
    return block != TSR__NONE && (u->body == TSR__NONE || tsr__dominates(&u->cfg, u->body, block));
}

/* Notes that the argument through which is stored has to be alone in its memory. False: it is none. */
static bool add_alone(struct staging *s, LLVMValueRef kernel, LLVMValueRef store)
{
    LLVMValueRef to = tsr__object_of(written_pointer(store));
    for (unsigned i = 0; i < LLVMCountParams(kernel) && i < TSR_SIZED_ARGUMENTS; i++)
        if (LLVMGetParam(kernel, i) == to) {
            s->alone |= UINT32_C(1) << i;
            return true;
        }
    return false;
}

/* Does the store leave alone what is loaded, if its argument is alone in its memory, as is noted then? Not where both go by one argument.
 */
static bool leaves_alone(const struct tsr__unstage *u, struct staging *s, LLVMValueRef kernel, LLVMValueRef store, LLVMValueRef load)
{
    return !may_change(u->code.l, kernel, s->typed, store, load) ||
           (tsr__object_of(written_pointer(store)) != tsr__object_of(LLVMGetOperand(load, 0)) && add_alone(s, kernel, store));
}

static bool leaves_copied_alone(const struct tsr__unstage *u, struct staging *s, LLVMValueRef kernel, LLVMValueRef store,
                                const struct tsr__copy *c)
{
    bool alone = leaves_alone(u, s, kernel, store, c->from.load); /* the first of the sources, if there are such */
    for (unsigned i = 1; i < c->source_count && alone; i++)
        alone = leaves_alone(u, s, kernel, store, c->sources[i]);
    return alone;
}

/* May `other` come after the instruction? */
static bool is_followed_by(const struct tsr__unstage *u, LLVMValueRef inst, LLVMValueRef other)
{
    const int from = tsr__block_of(u, inst), to = tsr__block_of(u, other);
    return (from == to && tsr__comes_after(u, inst, other)) || tsr__leads(u, from, to, TSR__NONE, TSR__NONE);
}

/* Does no barrier keep reads and writes of global memory in their order? Not if no write may come before one, and none changes what is
 * read. */
static bool fences_order_nothing(const struct tsr__unstage *u, LLVMValueRef kernel, struct staging *s)
{
    for (size_t f = 0; f < s->fence_count; f++)
        for (size_t w = 0; w < s->write_count; w++)
            if (is_followed_by(u, s->writes[w], s->fences[f]))
                return stays(u, s->fences[f], "this barrier orders what is written to global memory");
    if (s->fence_count && s->write_count && s->reading_call)
        return stays(u, s->reading_call, "barriers order what this call may read, and stores");
    for (size_t w = 0; w < s->write_count && s->fence_count; w++)
        for (size_t r = 0; r < s->read_count; r++)
            if (!leaves_alone(u, s, kernel, s->writes[w], s->reads[r]))
                return stays(u, s->writes[w], "barriers order this store and loads of the same type");
    return true;
}

static bool find_staging(const struct tsr__unstage *u, LLVMValueRef kernel, struct staging *s)
{
    size_t count;
    LLVMValueRef *code = tsr__instructions(u->code.l, kernel, &count);
    *s = (struct staging){.loads = tsr_arena_alloc(u->arena, count * sizeof *s->loads),
                          .copies = tsr_arena_alloc(u->arena, count * sizeof *s->copies),
                          .barriers = tsr_arena_alloc(u->arena, count * sizeof(LLVMValueRef)),
                          .writes = tsr_arena_alloc(u->arena, count * sizeof(LLVMValueRef)),
                          .atomics = tsr_arena_alloc(u->arena, count * sizeof(LLVMValueRef)),
                          .fences = tsr_arena_alloc(u->arena, count * sizeof(LLVMValueRef)),
                          .reads = tsr_arena_alloc(u->arena, count * sizeof(LLVMValueRef))};
    for (size_t i = 0; i < count; i++)
        if (is_in_body(u, code[i]) && !add_instruction(u, s, code[i]))
            return stays(u, code[i], "this is no copy of global memory, no load of one, or may change memory in a way that is not known");
    for (size_t w = 0; w < s->write_count; w++)
        for (size_t c = 0; c < s->copy_count; c++)
            if (!leaves_copied_alone(u, s, kernel, s->writes[w], &s->copies[c]))
                return stays(u, s->writes[w],
                             "this store may change what is copied, as both are of one type and go by one argument, or by none");
    if (!fences_order_nothing(u, kernel, s))
        return false;
    for (size_t a = 0; a < s->atomic_count; a++) /* what other work-groups have written by then, the copy does not have */
        for (size_t i = 0; i < s->load_count; i++)
            if (is_followed_by(u, s->atomics[a], s->loads[i].access))
                return stays(u, s->atomics[a], "what is copied may be read behind this atomic operation");
    return s->load_count && s->barrier_count;
}

/* ---- which copy is read ---- */

/* Have all rounds of the copy's own loops stored when the barrier is reached? */
static bool is_complete(const struct tsr__unstage *u, const struct tsr__copy *c, LLVMValueRef barrier)
{
    const int at = tsr__block_of(u, barrier);
    int within = u->cfg.blocks[tsr__block_of(u, c->to.access)].loop;
    while (within != TSR__NONE && !tsr__in_loop(&u->cfg, at, within))
        within = u->cfg.loops[within].parent;
    const int head = tsr__head_of_copy(u, c, within);
    return head == tsr__block_of(u, c->to.access) ? tsr__comes_after(u, c->to.access, barrier)
                                                  : head != TSR__NONE && tsr__dominates(&u->cfg, head, at);
}

/* Is the copy made into the buffer that the load reads in the same round? */
static bool same_turn(const struct tsr__place *load, const struct tsr__place *copy)
{
    return load->turn_loop == copy->turn_loop && !memcmp(load->turn, copy->turn, sizeof load->turn);
}

enum { MOST_COPIES = 1 + TSR__MOST_AHEAD };

/* The number of copies that write what is loaded; 0 if there are too many. */
static unsigned find_copies(const struct tsr__copy *copies, size_t copy_count, const struct tsr__place *load,
                            const struct tsr__copy *found[MOST_COPIES])
{
    unsigned count = 0;
    for (size_t i = 0; i < copy_count; i++) {
        if (!tsr__overlap(load, &copies[i].to))
            continue;
        if (count == MOST_COPIES)
            return 0;
        found[count++] = &copies[i];
    }
    return count;
}

/* The copy that wrote what is loaded, or several if an earlier round has made it (staged_ahead.h), and how to tell what it had loaded;
 * false: there is none, or there are others, or no barrier of the work-group is behind it. */
static bool find_reading(struct tsr__unstage *u, const struct tsr__copy *copies, size_t copy_count, LLVMValueRef const *barriers,
                         size_t barrier_count, const struct tsr__place *load, struct tsr__reading *r)
{
    const struct tsr__copy *found[MOST_COPIES];
    const unsigned count = find_copies(copies, copy_count, load, found);
    for (unsigned k = 0; count > 1 && k < count; k++)
        if (found[k]->first_from.load || found[k]->source_count)
            return false;
    if (count != 1)
        return count && tsr__find_reading_ahead(u, found, count, barriers, barrier_count, load, r);
    *r = (struct tsr__reading){
        .u = u, .copy = found[0], .load = load, .at = load->at, .uniform = {.arena = u->arena}, .first_round = TSR__NONE};
    if (load->at.constant < r->copy->to.at.constant || !same_turn(load, &r->copy->to))
        return false;
    r->at.constant -= r->copy->to.at.constant;
    size_t i = 0;
    while (i < barrier_count && !(is_complete(u, r->copy, barriers[i]) && tsr__comes_after(u, barriers[i], load->access)))
        i++;
    const int loaded = r->copy->from.block; /* behind it all that the copy stores has been loaded */
    if (i == barrier_count ||
        (r->copy->ahead == TSR__NONE && loaded != TSR__NONE && !tsr__dominates(&u->cfg, loaded, tsr__block_of(u, r->copy->to.access))))
        return false;
    if (r->copy->first_from.load)
        return tsr__find_loaded_ahead(u, r->copy, load, r);
    r->loop = u->cfg.blocks[tsr__block_of(u, barriers[i])].loop;
    return tsr__can_read_original(r);
}

/* ---- kernels ---- */

/* Nothing asks for local memory any more, nor for where in the code a work-item waits. */
static void drop_calls(const struct tsr__unstage *u, LLVMValueRef kernel)
{
    size_t count;
    LLVMValueRef *code = tsr__instructions(u->code.l, kernel, &count);
    for (size_t i = count; i-- > 0;) {
        const enum tsr__engine_call call = tsr__call_of(code[i]);
        const bool unused =
            !LLVMGetFirstUse(code[i]) && (LLVMIsAGetElementPtrInst(code[i]) || LLVMIsAAddrSpaceCastInst(code[i]) ||
                                          call == TSR__CALL_LOCAL_BASE || call == TSR__CALL_LOCAL_ARRAY || call == TSR__CALL_SAME);
        if (unused || (is_in_body(u, code[i]) && (call == TSR__CALL_SITE || call == TSR__CALL_BARRIER)))
            LLVMInstructionEraseFromParent(code[i]);
    }
}

static void drop_rounds(struct tsr__unstage *u)
{
    for (int k = 0; u->rounds && k < u->cfg.loop_count; k++)
        if (u->rounds[k].b)
            LLVMDisposeBuilder(u->rounds[k].b);
    u->rounds = NULL;
}

/* ---- tables ---- */

/* A copy of the first elements of an array of global memory, which work-items make once, one element or some each, and that is read at
 * places that memory tells. */
struct table {
    struct tsr__copy copy;
    LLVMValueRef array; /* an argument */
    int64_t count;
    int first, joined; /* where it is asked which work-items copy, and behind their store; both the store's block if nobody asks */
};

/* The greatest number that it may be, without a sign. */
static bool find_most(LLVMValueRef v, int depth, int64_t *most)
{
    enum { SMALL = 16 /* bits */ };
    int64_t n = 0;
    if (tsr__constant_int(v, most))
        return *most >= 0;
    const unsigned bits = LLVMGetIntTypeWidth(LLVMTypeOf(v));
    const LLVMOpcode op = LLVMIsAInstruction(v) && depth ? LLVMGetInstructionOpcode(v) : LLVMUnreachable;
    const bool by_constant = (op == LLVMLShr || op == LLVMAnd || op == LLVMURem) && tsr__constant_int(LLVMGetOperand(v, 1), &n) && n >= 0;
    if (by_constant && op != LLVMLShr) {
        *most = op == LLVMURem ? n - 1 : n;
        return *most >= 0;
    }
    if ((op == LLVMZExt || (by_constant && n < SMALL)) && find_most(LLVMGetOperand(v, 0), depth - 1, most)) {
        *most >>= n;
        return true;
    }
    *most = (INT64_C(1) << (bits <= SMALL ? bits : 0)) - 1;
    return bits <= SMALL;
}

/* Is local memory accessed at `constant` plus `number` times `bytes`? */
static bool find_element(const struct tsr__unstage *u, LLVMValueRef pointer, int64_t *constant, LLVMValueRef *number, int64_t *bytes)
{
    LLVMValueRef object = tsr__object_of(pointer);
    const enum tsr__engine_call of = tsr__call_of(object);
    *number = NULL;
    *constant = of == TSR__CALL_LOCAL_ARRAY ? LLVMConstIntGetSExtValue(LLVMGetOperand(object, 0)) : 0;
    for (; pointer != object; pointer = LLVMGetOperand(pointer, 0)) {
        struct tsr__gep_index index;
        if (!LLVMIsAGetElementPtrInst(pointer))
            continue;
        for (struct tsr__gep_walk walk = tsr__gep_walk(u->layout, pointer); tsr__gep_next(&walk, &index);) {
            if (!index.is_constant && *number)
                return false;
            *constant += index.is_constant ? index.offset : 0;
            *number = index.is_constant ? *number : index.value;
            *bytes = index.is_constant ? *bytes : index.bytes;
        }
    }
    return of == TSR__CALL_LOCAL_ARRAY || of == TSR__CALL_LOCAL_BASE;
}

/* Only the first of the work-items copy, if a branch asks for their number. */
static void find_guard(const struct tsr__unstage *u, struct table *t)
{
    const int block = t->first = t->joined = tsr__block_of(u, t->copy.to.access);
    const struct tsr__block *b = &u->cfg.blocks[block];
    const int before = b->pred_count == 1 ? b->pred[0] : TSR__NONE;
    struct tsr__id_digit d;
    struct tsr__below below;
    if (before == TSR__NONE || b->succ_count != 1 || !tsr__asks_below(u->cfg.blocks[before].terminator, b->ref, &below) ||
        below.otherwise != u->cfg.blocks[b->succ[0]].ref || !tsr__find_id_digit(&u->code, below.number, &d) || d.base.counter || d.shift ||
        d.scale != 1 || d.count != d.base.count || !tsr__same_base(&d.base, &t->copy.digits[0].base))
        return;
    t->first = before;
    t->joined = b->succ[0];
    t->count = below.bound < t->count ? below.bound : t->count;
}

static bool find_table(const struct tsr__unstage *u, LLVMValueRef store, struct table *t)
{
    struct tsr__place to;
    const struct tsr__copy *c = &t->copy;
    const struct tsr__id_digit *d = &c->digits[0];
    if (!tsr__find_place(u, store, &to) || to.turn_loop != TSR__NONE || to.at.count != 1 || !tsr__find_copy(u, &to, &t->copy) ||
        c->source_count || c->ahead != TSR__NONE || c->array || c->from.block != TSR__NONE || c->from.load != LLVMGetOperand(store, 0) ||
        c->digit_count != 1 || d->shift || d->count != d->base.count || d->bytes != to.size)
        return false;
    LLVMValueRef from = tsr__source_of(c);
    if (!LLVMIsAGetElementPtrInst(from) || LLVMGetNumOperands(from) != 2 || !LLVMIsAArgument(LLVMGetOperand(from, 0)) ||
        (int64_t)LLVMABISizeOfType(u->layout, LLVMGetGEPSourceElementType(from)) != to.size ||
        tsr__without_extension(LLVMGetOperand(from, 1)) != d->value)
        return false;
    t->array = LLVMGetOperand(from, 0);
    t->count = d->count;
    find_guard(u, t);
    return true;
}

/* Is the table there behind the barrier? */
static bool is_made(const struct tsr__unstage *u, const struct table *t, LLVMValueRef barrier)
{
    const int at = tsr__block_of(u, barrier);
    if (t->first == t->joined)
        return is_complete(u, &t->copy, barrier);
    return u->cfg.blocks[at].loop == TSR__NONE && u->cfg.blocks[t->first].loop == TSR__NONE && tsr__dominates(&u->cfg, t->joined, at);
}

/* Does the load read an element of the table, behind one of the barriers? 0: it reads nothing of it; less: that is not known. */
static int reads_table(const struct tsr__unstage *u, const struct table *t, const struct staging *s, LLVMValueRef load,
                       LLVMValueRef *number)
{
    enum { DEPTH = 6 };
    const struct tsr__place *to = &t->copy.to;
    const int64_t size = (int64_t)LLVMStoreSizeOfType(u->layout, LLVMTypeOf(load)), begin = to->at.constant,
                  end = begin + t->count * to->size;
    int64_t constant, bytes = 0, most = 0;
    if (!find_element(u, LLVMGetOperand(load, 0), &constant, number, &bytes) || (*number && !find_most(*number, DEPTH, &most)))
        return -1;
    if (constant + most * bytes + size <= begin || constant >= begin + t->copy.digits[0].count * to->size)
        return 0;
    bool behind = false;
    for (size_t i = 0; i < s->barrier_count && !behind; i++)
        behind = is_made(u, t, s->barriers[i]) && tsr__comes_after(u, s->barriers[i], load);
    return behind && *number && constant == begin && bytes == to->size && constant + most * bytes + size <= end &&
                   LLVMTypeOf(load) == LLVMTypeOf(t->copy.from.load) && tsr__is_plain_load(load)
               ? 1
               : -1;
}

static void read_array(const struct tsr__unstage *u, const struct table *t, LLVMValueRef load, LLVMValueRef number)
{
    LLVMBuilderRef b = tsr__builder_before(u->code.l, load);
    LLVMValueRef at = LLVMBuildGEP2(b, LLVMTypeOf(load), t->array, &number, 1, ""), made = LLVMBuildLoad2(b, LLVMTypeOf(load), at, "");
    LLVMSetAlignment(made, LLVMGetAlignment(t->copy.from.load));
    LLVMReplaceAllUsesWith(load, made);
    LLVMInstructionEraseFromParent(load);
    LLVMDisposeBuilder(b);
}

/* Loads and stores of local memory in `s`, and stores elsewhere. False: it is accessed in other ways, or barriers order other memory. */
static bool find_accesses(const struct tsr__unstage *u, LLVMValueRef kernel, struct staging *s, LLVMValueRef **loads, LLVMValueRef **stores)
{
    size_t count;
    LLVMValueRef *code = tsr__instructions(u->code.l, kernel, &count);
    *s = (struct staging){.barriers = tsr_arena_alloc(u->arena, count * sizeof *code),
                          .writes = tsr_arena_alloc(u->arena, count * sizeof *code)};
    *loads = tsr_arena_alloc(u->arena, count * sizeof *code);
    *stores = tsr_arena_alloc(u->arena, count * sizeof *code);
    for (size_t i = 0; i < count; i++) {
        const LLVMOpcode op = LLVMGetInstructionOpcode(code[i]);
        const enum tsr__engine_call call = tsr__call_of(code[i]);
        s->typed = s->typed || LLVMGetMetadata(code[i], LLVMGetMDKindIDInContext(u->code.l->context, "tbaa", 4));
        if (op == LLVMLoad || op == LLVMStore) {
            const bool local = tsr__space_of(tsr__accessed_pointer(code[i])) == TSR__LOCAL_SPACE;
            if (local && op == LLVMLoad)
                (*loads)[s->load_count++] = code[i];
            else if (op == LLVMStore && local)
                (*stores)[s->copy_count++] = code[i];
            else if (op == LLVMStore && tsr__space_of(tsr__accessed_pointer(code[i])) != TSR__PRIVATE_SPACE)
                s->writes[s->write_count++] = code[i];
        } else if (call == TSR__CALL_BARRIER) {
            if (!is_harmless(code[i]))
                return false;
            s->barriers[s->barrier_count] = code[i];
            s->barrier_count += tsr__is_constant(LLVMGetOperand(code[i], 0), TSR_SCOPE_WORK_GROUP);
        } else if (op == LLVMCall ? !is_harmless(code[i]) : op == LLVMAtomicRMW || op == LLVMAtomicCmpXchg || op == LLVMFence)
            return false;
        else if ((op == LLVMGetElementPtr || op == LLVMAddrSpaceCast) && tsr__space_of(code[i]) == TSR__LOCAL_SPACE &&
                 !is_only_accessed(code[i]))
            return false;
        else if (op == LLVMPHI && has_local_pointer(code[i]))
            return false;
    }
    return true;
}

static bool is_table_alone(const struct tsr__unstage *u, LLVMValueRef kernel, const struct table *t, const struct staging *s,
                           LLVMValueRef const *stores)
{
    for (size_t i = 0; i < s->copy_count; i++) {
        struct tsr__place other;
        if (stores[i] != t->copy.to.access && (!tsr__find_place(u, stores[i], &other) || tsr__overlap(&other, &t->copy.to)))
            return false;
    }
    for (size_t i = 0; i < s->write_count; i++)
        if (may_change(u->code.l, kernel, s->typed, s->writes[i], t->copy.from.load))
            return false;
    return true;
}

/* Loads of tables read what was copied. */
static bool read_tables(struct tsr__unstage *u, LLVMValueRef kernel)
{
    struct staging s;
    LLVMValueRef *loads, *stores, *number;
    u->body = TSR__NONE;
    if (!find_accesses(u, kernel, &s, &loads, &stores))
        return false;
    number = tsr_arena_alloc(u->arena, (s.load_count + 1) * sizeof *number);
    size_t left = s.load_count;
    for (size_t i = 0; i < s.copy_count; i++) {
        struct table t;
        bool good = find_table(u, stores[i], &t) && is_table_alone(u, kernel, &t, &s, stores);
        int *reads = tsr_arena_alloc(u->arena, (s.load_count + 1) * sizeof *reads);
        for (size_t k = 0; k < s.load_count && good; k++)
            good = loads[k] == NULL || (reads[k] = reads_table(u, &t, &s, loads[k], &number[k])) >= 0;
        for (size_t k = 0; k < s.load_count && good; k++)
            if (loads[k] && reads[k]) {
                read_array(u, &t, loads[k], number[k]);
                loads[k] = NULL;
                left--;
            }
        if (good) {
            LLVMInstructionEraseFromParent(stores[i]);
            stores[i] = stores[--s.copy_count];
            i--;
        }
    }
    const bool any = left < s.load_count;
    if (!left && !s.copy_count && any) {
        drop_calls(u, kernel);
        tsr__explain(u->code.l, kernel, "local memory", "read through", "it only holds the beginning of an array of global memory");
    }
    return any;
}

/* ---- bodies ---- */

/* Code for launches in which these arguments are alone in their memory, and the same for others, which stays as it is. */
static bool make_body_for(struct tsr__unstage *u, LLVMValueRef kernel, uint32_t alone)
{
    struct tsr__compilation *l = u->code.l;
    struct tsr__map copies = {.arena = u->arena};
    LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(kernel), *blocks = tsr_arena_alloc(u->arena, MOST_BLOCKS * sizeof *blocks);
    LLVMValueRef first = LLVMGetFirstInstruction(entry), end;
    size_t count = 0, instructions = 0;
    for (LLVMBasicBlockRef b = entry; b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
            if (instructions++ > MOST_INSTRUCTIONS || (b != entry && LLVMIsAAllocaInst(i)))
                return false;
    for (LLVMBasicBlockRef b = entry; b; b = LLVMGetNextBasicBlock(b))
        if (++count == MOST_BLOCKS)
            return false;
    while (LLVMIsAAllocaInst(first))
        first = LLVMGetNextInstruction(first);
    entry = tsr__split_block(l, entry, first);
    count = 0;
    LLVMBasicBlockRef body = LLVMGetNextBasicBlock(entry);
    for (LLVMBasicBlockRef b = body; b; b = LLVMGetNextBasicBlock(b))
        blocks[count++] = b;
    tsr__copy_blocks(l, blocks, count, body, body, "apart", &copies);
    const struct tsr__packet_kernel k = {.info = u->code.info};
    LLVMBuilderRef b = tsr__builder_before(l, end = LLVMGetBasicBlockTerminator(entry));
    LLVMValueRef answer = tsr__ask_launch(l, &k, b, TSR__CALL_ALONE, alone);
    LLVMBuildCondBr(b, answer, tsr__copy_of_block(&copies, body), body);
    LLVMInstructionEraseFromParent(end);
    LLVMDisposeBuilder(b);
    drop_rounds(u);
    if (!tsr__cfg_make(&u->cfg, kernel, u->arena))
        return false;
    u->body = tsr__cfg_number(&u->cfg, tsr__copy_of_block(&copies, body));
    return true;
}

/* Once its stores are gone, a loop of copies goes if it is known to end, and it does: a counter of ids has a step and a last value, even
 * where the step is a size of work-groups that is no constant in the code. */
static void let_loops_go(const struct tsr__unstage *u, const struct tsr__copy *c)
{
    for (unsigned i = 0; i < c->digit_count; i++) {
        if (!c->digits[i].base.counter)
            continue;
        const int latch = u->cfg.loops[tsr__loop_of_counter(&u->code, c->digits[i].base.counter)].latch;
        tsr__set_loop_hint(u->code.l, u->cfg.blocks[latch].terminator, "llvm.loop.mustprogress", 0);
    }
}

static bool unstage(struct tsr__unstage *u, LLVMValueRef kernel, uint32_t alone)
{
    struct staging s;
    if (!find_staging(u, kernel, &s))
        return false;
    struct tsr__reading *readings = tsr_arena_alloc(u->arena, s.load_count * sizeof *readings);
    for (size_t i = 0; i < s.load_count; i++)
        if (!find_reading(u, s.copies, s.copy_count, s.barriers, s.barrier_count, &s.loads[i], &readings[i]))
            return stays(u, s.loads[i].access, "which one copy this load reads cannot be told");
    if (s.alone & ~alone && u->code.l->options->group_size[0]) /* the code is for such launches alone */
        u->code.info->alone_arguments |= s.alone;
    else if (s.alone & ~alone) {
        u->code.info->flags |= TSR_KERNEL_STAGES;
        if (u->body != TSR__NONE)
            return stays(u, s.writes[0], "a store may change what is copied, as types are the same and no pointer is restrict");
        return make_body_for(u, kernel, s.alone) && unstage(u, kernel, s.alone);
    }
    for (size_t i = 0; i < s.load_count; i++)
        tsr__read_original(&readings[i]);
    for (size_t i = 0; i < s.copy_count; i++) {
        let_loops_go(u, &s.copies[i]);
        LLVMInstructionEraseFromParent(s.copies[i].to.access);
    }
    for (size_t i = 0; i < s.copy_count; i++)
        if (s.copies[i].array)
            tsr__drop_unread_array(u, kernel, s.copies[i].array);
    drop_calls(u, kernel);
    tsr__explain(u->code.l, kernel, "local memory", "read through",
                 "it only holds copies of global memory, or what is computed from it, which is read instead");
    return true;
}

/* Is the condition the same for all work-items of a work-group? */
static bool is_of_group(struct tsr__compilation *l, LLVMValueRef condition)
{
    const struct tsr__group_bounds g = {.l = l};
    if (LLVMIsAFreezeInst(condition))
        return is_of_group(l, LLVMGetOperand(condition, 0));
    if (LLVMIsABinaryOperator(condition) && LLVMGetInstructionOpcode(condition) == LLVMAnd)
        return is_of_group(l, LLVMGetOperand(condition, 0)) && is_of_group(l, LLVMGetOperand(condition, 1));
    return tsr__is_same(&g, condition);
}

/* The two bodies of a kernel that begins with a choice between them (range_versions.c), or whose author wrote it so. */
static unsigned find_bodies(const struct tsr__unstage *u, int bodies[2])
{
    const struct tsr__block *block = &u->cfg.blocks[0];
    while (block->succ_count == 1)
        block = &u->cfg.blocks[block->succ[0]];
    if (block->succ_count != 2 || block->loop != TSR__NONE || !LLVMIsABranchInst(block->terminator) ||
        !is_of_group(u->code.l, LLVMGetCondition(block->terminator)))
        return 0;
    unsigned count = 0;
    for (int i = 0; i < 2; i++)
        if (u->cfg.blocks[block->succ[i]].pred_count == 1)
            bodies[count++] = block->succ[i];
    return count;
}

/* All of the kernel at once; or each of its bodies by itself, which may copy to the same places. */
static bool unstage_bodies(struct tsr__unstage *u, LLVMValueRef kernel)
{
    int bodies[2];
    const size_t notes = tsr__explain_count(u->code.l);
    u->body = TSR__NONE;
    const unsigned count = find_bodies(u, bodies);
    bool any = unstage(u, kernel, 0);
    if (!any && count)
        tsr__explain_forget(u->code.l, notes);
    for (unsigned i = 0; i < count && (!any || i); i++) {
        u->body = bodies[i];
        any = unstage(u, kernel, 0) || any;
    }
    return any;
}

static bool unstage_kernel(struct tsr__unstage *u, LLVMValueRef kernel)
{
    bool any = read_tables(u, kernel);
    tsr__count_multiples(u);
    if (!uses_local_memory(kernel) || (tsr__make_copy_loops(u, kernel) && !tsr__cfg_make(&u->cfg, kernel, u->arena)))
        return any;
    tsr__split_indices(u, kernel);
    return unstage_bodies(u, kernel) || any;
}

bool tsr__pass_unstage(struct tsr__compilation *l)
{
    bool any = false;
    for (uint32_t i = 0; i < l->info->kernel_count; i++) {
        LLVMValueRef kernel = tsr__kernel(l, &l->info->kernels[i]);
        struct tsr_arena arena = {0};
        struct tsr__unstage u = {.layout = LLVMGetModuleDataLayout(l->module), .arena = &arena};
        u.code = (struct tsr__item_code){l, &l->info->kernels[i], &u.cfg};
        const bool may = tsr__multiplies_tiles(l, kernel) && uses_local_memory(kernel), knows_size = tsr_required_size(u.code.info, 0);
        if (may)
            tsr__explain_drop(l, kernel, "local memory", "stays");
        if (may && !knows_size) {
            l->info->kernels[i].flags |= TSR_KERNEL_STAGES;
            tsr__explain(l, kernel, "local memory", "stays",
                         "the kernel requires no local size; launches that take long get code for theirs");
        }
        if (may && knows_size && tsr__cfg_make(&u.cfg, kernel, &arena))
            any = unstage_kernel(&u, kernel) || any;
        drop_rounds(&u);
        tsr_arena_free(&arena);
    }
    return !any || tsr__run_llvm(l, "function(adce,loop(loop-deletion),simplifycfg)");
}
