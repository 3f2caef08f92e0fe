/* SPDX-License-Identifier: Apache-2.0
 * Sums of vectors of integers, and exclusive ors of scalars, whose operands are ready at different times: those that are ready first are
 * added first, so that the last one to come, which further code waits for, goes through one addition. Hashes are such chains, of a few
 * operations in each step, and so are ciphers whose tables are looked up one work-item at a time.
 *
 * The code generator moves constants behind all other operands, to the end of the chain. Those that are to be added before stand in memory,
 * as they would be anyway, and are loaded in a way that it does not look through. */
#include "lanes/ir/costs.h"
#include "lanes/ir/match.h"
#include "lanes/ir/shuffles.h"

enum { MOST_ADDENDS = 16 };

struct addend {
    LLVMValueRef value;
    uintptr_t depth; /* as in struct sums */
    bool constant;
};

struct sums {
    struct tsr__compilation *l;
    LLVMBuilderRef b;
    struct tsr__map depth;     /* instruction of the block → operations that must run before it in the block, itself included */
    struct tsr__map constants; /* constant → its global */
    LLVMBasicBlockRef block;
};

struct sum {
    struct addend addend[MOST_ADDENDS];
    unsigned count;
};

static uintptr_t depth_of(const struct sums *s, LLVMValueRef v)
{
    return LLVMIsAInstruction(v) && LLVMGetInstructionParent(v) == s->block ? tsr__map_get(&s->depth, v) : 0;
}

static uintptr_t own_depth(LLVMValueRef inst)
{
    switch (LLVMGetInstructionOpcode(inst)) {
    case LLVMBitCast:
    case LLVMFreeze:
    case LLVMGetElementPtr:
        return 0;
    case LLVMLoad:
        return TSR__CHAIN_LOAD;
    case LLVMMul:
        return TSR__CHAIN_MULTIPLY;
    default:
        return 1;
    }
}

static void note_depth(struct sums *s, LLVMValueRef inst)
{
    uintptr_t deepest = 0;
    for (int k = 0; k < LLVMGetNumOperands(inst) && !LLVMIsAPHINode(inst); k++) {
        uintptr_t depth = depth_of(s, LLVMGetOperand(inst, (unsigned)k));
        deepest = depth > deepest ? depth : deepest;
    }
    tsr__map_set(&s->depth, inst, LLVMIsAPHINode(inst) ? 0 : deepest + own_depth(inst));
}

static bool is_word(LLVMTypeRef type)
{
    return LLVMGetTypeKind(type) == LLVMIntegerTypeKind && (LLVMGetIntTypeWidth(type) == 32 || LLVMGetIntTypeWidth(type) == 64);
}

static bool is_vector_of_words(LLVMTypeRef type)
{
    return LLVMGetTypeKind(type) == LLVMVectorTypeKind && is_word(LLVMGetElementType(type)) &&
           LLVMGetIntTypeWidth(LLVMGetElementType(type)) * LLVMGetVectorSize(type) >= 128;
}

/* Additions of scalars are parts of addresses and counters, and exclusive ors of vectors are one instruction for three of them. */
static bool is_sum(const struct sums *s, LLVMValueRef v)
{
    if (!LLVMIsABinaryOperator(v) || LLVMGetInstructionParent(v) != s->block)
        return false;
    return LLVMGetInstructionOpcode(v) == (is_word(LLVMTypeOf(v)) ? LLVMXor : LLVMAdd);
}

/* False: they are too many. */
static bool collect(const struct sums *s, struct sum *sum, LLVMValueRef v)
{
    for (unsigned k = 0; k < 2; k++) {
        LLVMValueRef operand = LLVMGetOperand(v, k);
        if (is_sum(s, operand) && tsr__only_user(operand)) {
            if (!collect(s, sum, operand))
                return false;
            continue;
        }
        if (sum->count == MOST_ADDENDS)
            return false;
        sum->addend[sum->count++] = (struct addend){operand, depth_of(s, operand), LLVMIsConstant(operand)};
    }
    return true;
}

/* Takes out the addend that is ready first. Constants come before others. */
static struct addend take_first(struct sum *sum)
{
    unsigned first = 0;
    for (unsigned i = 1; i < sum->count; i++) {
        const struct addend *a = &sum->addend[i], *best = &sum->addend[first];
        if (a->depth < best->depth || (a->depth == best->depth && a->constant && !best->constant))
            first = i;
    }
    struct addend taken = sum->addend[first];
    sum->addend[first] = sum->addend[--sum->count];
    return taken;
}

/* The number that all elements are, or NULL. */
static LLVMValueRef number_of_splat(LLVMValueRef constant)
{
    LLVMValueRef first = LLVMGetAggregateElement(constant, 0);
    for (unsigned i = 1; i < LLVMGetVectorSize(LLVMTypeOf(constant)); i++)
        if (LLVMGetAggregateElement(constant, i) != first)
            return NULL;
    return first;
}

static LLVMValueRef loaded(struct sums *s, LLVMValueRef constant)
{
    LLVMValueRef splat = tsr__has(s->l, TSR_CPU_AVX512F) ? number_of_splat(constant) : NULL, kept = splat ? splat : constant;
    LLVMValueRef global = (LLVMValueRef)tsr__map_get(&s->constants, kept);
    if (!global) {
        global = LLVMAddGlobal(s->l->module, LLVMTypeOf(kept), "tsr.addend");
        LLVMSetInitializer(global, kept);
        LLVMSetGlobalConstant(global, true);
        LLVMSetLinkage(global, LLVMPrivateLinkage);
        LLVMSetUnnamedAddress(global, LLVMGlobalUnnamedAddr);
        tsr__map_set(&s->constants, kept, (uintptr_t)global);
    }
    LLVMValueRef value = LLVMBuildLoad2(s->b, LLVMTypeOf(kept), global, "");
    return splat ? tsr__splat_scalar(s->l, s->b, value, LLVMGetVectorSize(LLVMTypeOf(constant))) : value;
}

static LLVMValueRef build_add(struct sums *s, const struct addend *a, const struct addend *b, bool last)
{
    const bool words = is_word(LLVMTypeOf(a->value));
    LLVMValueRef first = a->constant && !b->constant && !last && !words ? loaded(s, a->value) : a->value;
    LLVMValueRef made = words ? LLVMBuildXor(s->b, b->value, first, "") : LLVMBuildAdd(s->b, b->value, first, "");
    if (LLVMIsAInstruction(made))
        note_depth(s, made);
    return made;
}

/* Adds those first that are ready first; `build`: or only says how deep the sum would be. */
static struct addend add_up(struct sums *s, struct sum sum, bool build)
{
    while (sum.count > 1) {
        struct addend a = take_first(&sum), b = take_first(&sum), both = {.constant = a.constant && b.constant};
        both.depth = both.constant ? 0 : (a.depth > b.depth ? a.depth : b.depth) + 1;
        both.value = build ? build_add(s, &a, &b, !sum.count) : NULL;
        sum.addend[sum.count++] = both;
    }
    return sum.addend[0];
}

/* As the code generator would have it. */
static uintptr_t depth_with_constants_last(struct sums *s, struct sum sum)
{
    struct sum others = {.count = 0};
    for (unsigned i = 0; i < sum.count; i++)
        if (!sum.addend[i].constant)
            others.addend[others.count++] = sum.addend[i];
    return others.count ? add_up(s, others, false).depth + (others.count < sum.count) : 0;
}

static void erase_sum(const struct sums *s, LLVMValueRef v)
{
    LLVMValueRef operands[2] = {LLVMGetOperand(v, 0), LLVMGetOperand(v, 1)};
    LLVMInstructionEraseFromParent(v);
    for (unsigned k = 0; k < 2; k++)
        if ((!k || operands[1] != operands[0]) && is_sum(s, operands[k]) && !LLVMGetFirstUse(operands[k]))
            erase_sum(s, operands[k]);
}

/* `v`: an addition whose depth is known. */
static void shorten(struct sums *s, LLVMValueRef v)
{
    struct sum sum = {.count = 0};
    LLVMValueRef user = tsr__only_user(v);
    if (!(is_word(LLVMTypeOf(v)) || is_vector_of_words(LLVMTypeOf(v))) || (user && is_sum(s, user)) || !collect(s, &sum, v) ||
        sum.count < 3)
        return;
    uintptr_t least = add_up(s, sum, false).depth;
    if (least >= depth_of(s, v) && least >= depth_with_constants_last(s, sum))
        return;
    LLVMPositionBuilderBefore(s->b, v);
    LLVMReplaceAllUsesWith(v, add_up(s, sum, true).value);
    erase_sum(s, v);
}

bool tsr__pass_short_chains(struct tsr__compilation *l, LLVMValueRef function)
{
    struct tsr_arena arena = {0};
    size_t count;
    LLVMValueRef *code = tsr__instructions(l, function, &count);
    struct sums s = {.l = l, .depth = {.arena = &arena}, .constants = {.arena = &arena}, .b = LLVMCreateBuilderInContext(l->context)};
    for (size_t i = 0; i < count; i++) {
        s.block = LLVMGetInstructionParent(code[i]);
        note_depth(&s, code[i]);
        if (is_sum(&s, code[i]))
            shorten(&s, code[i]);
    }
    LLVMDisposeBuilder(s.b);
    tsr_arena_free(&arena);
    return true;
}
