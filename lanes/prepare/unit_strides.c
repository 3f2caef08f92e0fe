/* SPDX-License-Identifier: Apache-2.0
 * Loop versioning by strides: kernels with matrix functions get a second body for launches in which matrices lie as they mostly do.
 *
 * A kernel for matrices of any layout multiplies each index by a stride that is an argument: `a[row * row_stride + (k + lane) * k_stride]`.
 * Then no lanes lie side by side for sure, and each element is gathered. But mostly one of the two strides is 1. So the kernel begins with
 * the question whether the strides by which lanes are multiplied are 1, and if so, goes on in a copy in which they are constants; and with
 * another one, where a matrix whose columns are lanes may lie by columns: is the stride by which K is multiplied 1?
 *
 * Not if an index has a part that no argument multiplies: there elements lie side by side along that, and the argument is the distance of
 * rows, which is hardly ever 1.
 */
#include "lanes/analysis/index_parts.h"
#include "lanes/analysis/packet_support.h"
#include "lanes/ir/blocks.h"
#include "lanes/ir/calls.h"
#include "lanes/ir/explain.h"
#include "lanes/ir/match.h"

enum { MOST_STRIDES = 8, MOST_BLOCKS = 256, MOST_INSTRUCTIONS = 4096, DEPTH = 24 /* instructions of an address */ };

/* Arguments, or loads of their parts. */
struct set {
    LLVMValueRef at[MOST_STRIDES];
    unsigned count;
};

enum { BY_ROWS, BY_COLUMNS, WAYS }; /* how B lies */

struct strides {
    struct tsr__compilation *l;
    LLVMValueRef kernel;
    LLVMTargetDataRef layout;
    struct set ones[WAYS];     /* that are 1 */
    struct set of_lanes, of_k; /* of one access: by which lanes are multiplied, or a counter or step of a loop over K */
    struct tsr__map seen;      /* sums and phis of its address */
    bool in_step;              /* what a pointer is moved by */
    struct tsr_arena arena;
};

static LLVMValueRef without_casts(LLVMValueRef v)
{
    while (LLVMIsAZExtInst(v) || LLVMIsASExtInst(v) || LLVMIsATruncInst(v) || LLVMIsAFreezeInst(v))
        v = LLVMGetOperand(v, 0);
    return v;
}

static bool is_of_launch(LLVMValueRef v)
{
    return LLVMIsAArgument(v) || tsr__is_part_of_argument(v);
}

/* Is it the same number, by the same load of a part of an argument or another one? */
static bool is_same_stride(LLVMTargetDataRef layout, LLVMValueRef a, LLVMValueRef b)
{
    if (a == b || LLVMIsAArgument(a) || LLVMIsAArgument(b) || LLVMTypeOf(a) != LLVMTypeOf(b))
        return a == b;
    LLVMValueRef from[2] = {LLVMGetOperand(a, 0), LLVMGetOperand(b, 0)};
    int64_t offset[2] = {0, 0};
    for (int i = 0; i < 2; i++)
        for (; LLVMIsAGetElementPtrInst(from[i]); from[i] = LLVMGetOperand(from[i], 0)) {
            struct tsr__gep_index index;
            for (struct tsr__gep_walk walk = tsr__gep_walk(layout, from[i]); tsr__gep_next(&walk, &index);)
                offset[i] += index.offset;
        }
    return from[0] == from[1] && offset[0] == offset[1];
}

static bool is_of_lane(LLVMValueRef v)
{
    const enum tsr__engine_call call = tsr__call_of(v);
    if (call == TSR__CALL_LOCAL_ID || call == TSR__CALL_GLOBAL_ID)
        return tsr__is_constant(LLVMGetOperand(v, 0), 0);
    return call == TSR__CALL_LANE || call == TSR__CALL_LINEAR_ID;
}

/* The counter of a loop that ends at no constant. */
static bool is_of_k(LLVMValueRef v)
{
    if (!LLVMIsAPHINode(v))
        return false;
    for (LLVMUseRef use = LLVMGetFirstUse(v); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (LLVMIsAICmpInst(user) && LLVMIsAConstantInt(LLVMGetOperand(user, 1)))
            return false;
    }
    return true;
}

/* Is the number made of such a value? */
static bool depends_on(LLVMValueRef v, bool (*is)(LLVMValueRef v), int depth)
{
    if (is(v))
        return true;
    if (!depth || (!LLVMIsABinaryOperator(v) && !LLVMIsACastInst(v) && !LLVMIsAFreezeInst(v)))
        return false;
    for (int i = 0; i < LLVMGetNumOperands(v); i++)
        if (depends_on(LLVMGetOperand(v, (unsigned)i), is, depth - 1))
            return true;
    return false;
}

/* Is it a sum or address that begins with the phi? */
static bool goes_on_from(LLVMValueRef v, LLVMValueRef phi, int depth)
{
    if (v == phi)
        return true;
    if (!depth || (!tsr__is_sum(v) && !LLVMIsAGetElementPtrInst(v)))
        return false;
    return goes_on_from(LLVMGetOperand(v, 0), phi, depth - 1) || goes_on_from(LLVMGetOperand(v, 1), phi, depth - 1);
}

static bool add(const struct strides *x, struct set *set, LLVMValueRef stride)
{
    unsigned i = 0;
    while (i < set->count && !is_same_stride(x->layout, set->at[i], stride))
        i++;
    if (i == MOST_STRIDES)
        return false;
    set->at[i] = stride;
    set->count += i == set->count;
    return true;
}

static bool is_multiplied(struct strides *x, LLVMValueRef v, int depth);

/* Is it a product with an argument? A constant factor may be in front of that. */
static bool find_product(struct strides *x, LLVMValueRef v, int depth)
{
    const LLVMOpcode op = LLVMIsABinaryOperator(v) ? LLVMGetInstructionOpcode(v) : LLVMCall;
    if ((op == LLVMShl || op == LLVMMul) && LLVMIsAConstantInt(LLVMGetOperand(v, 1)))
        return is_multiplied(x, LLVMGetOperand(v, 0), depth - 1);
    for (unsigned i = 0; op == LLVMMul && i < 2; i++) {
        LLVMValueRef stride = without_casts(LLVMGetOperand(v, i)), other = LLVMGetOperand(v, 1 - i);
        if (is_of_launch(stride))
            return (!depends_on(other, is_of_lane, DEPTH) || add(x, &x->of_lanes, stride)) &&
                   ((!x->in_step && !depends_on(other, is_of_k, DEPTH)) || add(x, &x->of_k, stride));
    }
    return false;
}

static bool find_parts(struct strides *x, LLVMValueRef v, int depth)
{
    const unsigned count = LLVMIsAPHINode(v) ? LLVMCountIncoming(v) : (unsigned)LLVMGetNumOperands(v);
    const bool in_step = x->in_step;
    bool good = true;
    for (unsigned i = 0; i < count && good; i++) {
        LLVMValueRef part = LLVMIsAPHINode(v) ? LLVMGetIncomingValue(v, i) : LLVMGetOperand(v, i);
        x->in_step = in_step || (LLVMIsAPHINode(v) && goes_on_from(part, v, DEPTH));
        good = is_multiplied(x, part, depth - 1);
        x->in_step = in_step;
    }
    return good;
}

/* Is every part of the number or address that changes from element to element multiplied by an argument? */
static bool is_multiplied(struct strides *x, LLVMValueRef v, int depth)
{
    v = without_casts(v);
    if (LLVMIsAConstant(v))
        return !x->in_step || LLVMIsNull(v);
    if (is_of_launch(v))
        return !x->in_step || LLVMGetTypeKind(LLVMTypeOf(v)) != LLVMIntegerTypeKind || add(x, &x->of_k, v);
    if (tsr__map_get(&x->seen, v))
        return true;
    if (!depth || !LLVMIsAInstruction(v))
        return false;
    if (LLVMIsAAddrSpaceCastInst(v) || tsr__call_of(v) == TSR__CALL_SAME)
        return is_multiplied(x, LLVMGetOperand(v, 0), depth - 1);
    const bool sum = tsr__is_sum(v) || (LLVMIsABinaryOperator(v) && LLVMGetInstructionOpcode(v) == LLVMSub);
    if (!sum && !LLVMIsAPHINode(v) && !LLVMIsAGetElementPtrInst(v))
        return find_product(x, v, depth);
    tsr__map_set(&x->seen, v, 1);
    return find_parts(x, v, depth);
}

/* Notes which strides are 1 where the accessed matrix lies as it mostly does. */
static bool add_access(struct strides *x, LLVMValueRef access)
{
    x->of_lanes.count = x->of_k.count = 0;
    x->seen = (struct tsr__map){.arena = &x->arena};
    if (!is_multiplied(x, tsr__accessed_pointer(access), DEPTH))
        return true;
    const bool is_b = LLVMIsALoadInst(access) && x->of_lanes.count == 1 && x->of_k.count == 1 &&
                      !is_same_stride(x->layout, x->of_lanes.at[0], x->of_k.at[0]);
    bool good = true;
    for (unsigned way = 0; way < WAYS; way++) {
        const struct set *from = is_b && way == BY_COLUMNS ? &x->of_k : &x->of_lanes;
        for (unsigned i = 0; i < from->count; i++)
            good = good && add(x, &x->ones[way], from->at[i]);
    }
    return good;
}

/* Is it the same to ask for the strides of the one set as for those of the other? */
static bool is_same_set(const struct strides *x, const struct set *a, const struct set *b)
{
    unsigned same = 0;
    for (unsigned i = 0; i < a->count; i++)
        for (unsigned k = 0; k < b->count; k++)
            same += is_same_stride(x->layout, a->at[i], b->at[k]);
    return same == a->count && same == b->count;
}

static bool find_strides(struct strides *x)
{
    for (LLVMValueRef i = tsr__first(x->kernel); i; i = tsr__next(i))
        if ((LLVMIsALoadInst(i) || LLVMIsAStoreInst(i)) && tsr__is_plain_access(i) && !add_access(x, i))
            return false;
    return x->ones[BY_ROWS].count;
}

/* Is all of it blocks of branches, and little enough? The entry block keeps its allocations alone. */
static bool can_be_copied(const struct strides *x)
{
    const LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(x->kernel);
    unsigned blocks = 0, instructions = 0;
    for (LLVMBasicBlockRef b = entry; b; b = LLVMGetNextBasicBlock(b), blocks++)
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i), instructions++)
            if (b != entry && LLVMIsAAllocaInst(i))
                return false;
    return blocks < MOST_BLOCKS && instructions < MOST_INSTRUCTIONS;
}

/* The stride where the kernel begins. */
static LLVMValueRef at_entry(LLVMBuilderRef b, LLVMValueRef stride)
{
    LLVMValueRef parts[DEPTH], from;
    unsigned count = 0;
    if (LLVMIsAArgument(stride))
        return stride;
    for (from = LLVMGetOperand(stride, 0); LLVMIsAGetElementPtrInst(from) && count < DEPTH; from = LLVMGetOperand(from, 0))
        parts[count++] = from;
    while (count--) {
        LLVMValueRef part = LLVMInstructionClone(parts[count]);
        LLVMSetOperand(part, 0, from);
        LLVMInsertIntoBuilder(b, from = part);
    }
    LLVMValueRef load = LLVMInstructionClone(stride);
    LLVMSetOperand(load, 0, from);
    LLVMInsertIntoBuilder(b, load);
    return load;
}

static LLVMValueRef are_ones(LLVMBuilderRef b, const struct set *strides)
{
    LLVMValueRef all = NULL;
    for (unsigned i = 0; i < strides->count; i++) {
        LLVMValueRef stride = at_entry(b, strides->at[i]), one = LLVMConstInt(LLVMTypeOf(stride), 1, false),
                     is_one = LLVMBuildICmp(b, LLVMIntEQ, stride, one, "");
        all = all ? LLVMBuildAnd(b, all, is_one, "") : is_one;
    }
    return LLVMBuildFreeze(b, all, "");
}

static void make_constants(const struct strides *x, const struct set *strides, LLVMBasicBlockRef from)
{
    for (LLVMBasicBlockRef b = from; b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
            for (int o = 0; o < LLVMGetNumOperands(i); o++) {
                LLVMValueRef v = LLVMGetOperand(i, (unsigned)o);
                bool one = false;
                for (unsigned k = 0; k < strides->count && is_of_launch(v); k++)
                    one = one || is_same_stride(x->layout, v, strides->at[k]);
                if (one)
                    LLVMSetOperand(i, (unsigned)o, LLVMConstInt(LLVMTypeOf(v), 1, false));
            }
}

static void make_bodies(struct strides *x)
{
    LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(x->kernel), blocks[MOST_BLOCKS];
    LLVMValueRef first = LLVMGetFirstInstruction(entry);
    size_t count = 0;
    while (LLVMIsAAllocaInst(first))
        first = LLVMGetNextInstruction(first);
    entry = tsr__split_block(x->l, entry, first);
    LLVMBasicBlockRef body = LLVMGetNextBasicBlock(entry);
    for (LLVMBasicBlockRef b = body; b; b = LLVMGetNextBasicBlock(b))
        blocks[count++] = b;
    LLVMInstructionEraseFromParent(LLVMGetBasicBlockTerminator(entry));
    LLVMBuilderRef b = LLVMCreateBuilderInContext(x->l->context);
    for (unsigned way = 0; way < WAYS; way++) {
        const bool last = way + 1 == WAYS || is_same_set(x, &x->ones[BY_ROWS], &x->ones[BY_COLUMNS]);
        struct tsr__map copies = {.arena = &x->arena};
        tsr__copy_blocks(x->l, blocks, count, body, NULL, "side.by.side", &copies);
        LLVMBasicBlockRef copy = tsr__copy_of_block(&copies, body),
                          otherwise = last ? body : LLVMInsertBasicBlockInContext(x->l->context, body, "");
        make_constants(x, &x->ones[way], copy);
        LLVMPositionBuilderAtEnd(b, entry);
        LLVMBuildCondBr(b, are_ones(b, &x->ones[way]), copy, otherwise);
        entry = otherwise;
        if (last)
            break;
    }
    LLVMDisposeBuilder(b);
}

bool tsr__pass_unit_strides(struct tsr__compilation *l)
{
    for (uint32_t i = 0; i < l->info->kernel_count; i++) {
        struct strides x = {.l = l, .kernel = tsr__kernel(l, &l->info->kernels[i]), .layout = LLVMGetModuleDataLayout(l->module)};
        const bool made = tsr__multiplies_tiles(l, x.kernel) && (!l->variants || l->variants[i] == TSR__VARIANT_AS_ASKED) &&
                          can_be_copied(&x) && find_strides(&x);
        if (made) {
            make_bodies(&x);
            tsr__explain(l, x.kernel, "strides", "left out", "in launches in which %u of them, which lanes or K are multiplied by, are 1",
                         x.ones[BY_ROWS].count);
        }
        tsr_arena_free(&x.arena);
        if (made && !tsr__run_llvm_on(l, x.kernel, "instcombine<no-verify-fixpoint>,simplifycfg,adce"))
            return false;
    }
    return true;
}
