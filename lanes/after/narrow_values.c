/* SPDX-License-Identifier: Apache-2.0
 * Vectors of which only the first elements are used become as short as these: a packet that has work for half of its lanes, as at the end
 * of rows of a known number, takes half of the registers. LLVM does so for single instructions, and not for what goes around a loop. */
#include <string.h>

#include "lanes/ir/memory_notes.h"
#include "lanes/ir/calls.h"
#include "lanes/ir/match.h"
#include "lanes/ir/shuffles.h"

enum {
    REGISTER_BYTES = 16, /* of the shortest vector register */
    HALF_BYTES = 32,     /* of the longest */
};

struct narrowing {
    struct tsr__compilation *l;
    LLVMBuilderRef b;
    LLVMValueRef *values; /* vectors that can be made shorter */
    unsigned *need;       /* the number of their first elements that are used */
    LLVMTypeRef *types;   /* of the shorter ones; NULL: the vector stays */
    LLVMValueRef *made;
    size_t count;
    struct tsr__map numbers; /* value → its number + 1 */
};

static unsigned all_of(LLVMValueRef v)
{
    return LLVMGetVectorSize(LLVMTypeOf(v));
}

static bool has_second(LLVMValueRef shuffle)
{
    LLVMValueRef second = LLVMGetOperand(shuffle, 1);
    return !LLVMIsUndef(second) && !LLVMIsPoison(second);
}

static bool is_fma(LLVMValueRef v)
{
    LLVMValueRef callee = tsr__callee(v);
    return callee && LLVMGetIntrinsicID(callee) && tsr__starts_with(tsr__name(callee), "llvm.fma.v");
}

/* The dot products of half as many lanes; NULL: it is no instruction with dot products in all lanes. */
static const char *half_of_dots(LLVMValueRef v)
{
    static const char *const names[][2] = {{"llvm.x86.avx512.vpdpbusd.512", "llvm.x86.avx512.vpdpbusd.256"},
                                           {"llvm.x86.avx512bf16.dpbf16ps.512", "llvm.x86.avx512bf16.dpbf16ps.256"},
                                           {"llvm.x86.avx512.pmaddw.d.512", "llvm.x86.avx2.pmadd.wd"}};
    LLVMValueRef callee = tsr__callee(v);
    for (size_t i = 0; callee && i < TSR_ARRAY_LEN(names); i++)
        if (!strcmp(tsr__name(callee), names[i][0]))
            return names[i][1];
    return NULL;
}

/* Is element i of the result made of the elements i of the operands, or part i of the result of the same part of the operands? */
static bool is_by_elements(LLVMValueRef v)
{
    if (LLVMIsAPHINode(v) || LLVMIsABinaryOperator(v) || LLVMIsAFreezeInst(v) || is_fma(v) || half_of_dots(v))
        return true;
    return LLVMIsACastInst(v) && tsr__is_vector_type(LLVMTypeOf(LLVMGetOperand(v, 0)));
}

/* The number of elements of the operand `v` that are in the same part of it as the first `count` of the user's own. */
static unsigned as_many_of(LLVMValueRef v, LLVMValueRef user, unsigned count)
{
    return (count * all_of(v) + all_of(user) - 1) / all_of(user);
}

static bool can_be_shorter(LLVMValueRef v)
{
    LLVMTypeRef type = LLVMTypeOf(v);
    if (!tsr__is_vector_type(type) || LLVMGetTypeKind(LLVMGetElementType(type)) == LLVMPointerTypeKind || all_of(v) > TSR__MAX_ELEMENTS)
        return false;
    if (LLVMGetTypeKind(LLVMGetElementType(type)) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(LLVMGetElementType(type)) % 8)
        return false;
    if (LLVMIsAShuffleVectorInst(v))
        return !has_second(v);
    return is_by_elements(v) || tsr__is_plain_load(v) || (LLVMIsAInsertElementInst(v) && LLVMIsAConstantInt(LLVMGetOperand(v, 2)));
}

static size_t number_of(const struct narrowing *n, LLVMValueRef v)
{
    return tsr__map_get(&n->numbers, v); /* + 1 */
}

/* Elements of its operands that the first `count` elements of a shuffle are taken from. */
static unsigned need_of_shuffle(LLVMValueRef shuffle, unsigned count)
{
    unsigned most = 0, operand, element;
    for (unsigned i = 0; i < count; i++)
        if (tsr__shuffle_source(shuffle, i, &operand, &element) && element >= most)
            most = element + 1;
    return most;
}

/* Fewer registers, or half of one of 64 bytes: some CPUs compute in halves, one after the other. */
static bool saves(const struct tsr__compilation *l, LLVMTypeRef from, LLVMTypeRef to)
{
    unsigned long long half = HALF_BYTES, before = LLVMABISizeOfType(LLVMGetModuleDataLayout(l->module), from);
    return tsr__vector_registers(l, to) < tsr__vector_registers(l, from) ||
           (before > half && LLVMABISizeOfType(LLVMGetModuleDataLayout(l->module), to) <= half);
}

/* The type of the shorter vector; NULL: it would save nothing. */
static LLVMTypeRef shorter_type(const struct narrowing *n, size_t i)
{
    LLVMTypeRef type = LLVMTypeOf(n->values[i]), element = LLVMGetElementType(type);
    unsigned bytes = half_of_dots(n->values[i]) ? HALF_BYTES : REGISTER_BYTES;
    unsigned least = (unsigned)(bytes / LLVMABISizeOfType(LLVMGetModuleDataLayout(n->l->module), element));
    LLVMTypeRef made = LLVMVectorType(element, tsr__power_of_two_above(n->need[i] > least ? n->need[i] : least));
    return n->need[i] && saves(n->l, type, made) ? made : NULL;
}

/* Elements of its operand `v` that a user needs: all, if it stays as long as it is. */
static unsigned need_of_user(const struct narrowing *n, LLVMValueRef user, LLVMValueRef v)
{
    size_t number = number_of(n, user);
    unsigned own = number ? n->need[number - 1] : all_of(v);
    if (LLVMIsAShuffleVectorInst(user) && !has_second(user))
        return need_of_shuffle(user, number ? own : LLVMGetNumMaskElements(user));
    if (LLVMIsAExtractElementInst(user) && LLVMIsAConstantInt(LLVMGetOperand(user, 1)))
        return (unsigned)LLVMConstIntGetZExtValue(LLVMGetOperand(user, 1)) + 1;
    return !own ? 0 : number && shorter_type(n, number - 1) ? as_many_of(v, user, own) : all_of(v);
}

/* The least that is enough for all: nothing at first, then what users need. */
static void find_needs(struct narrowing *n)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = n->count; i--;) {
            unsigned need = n->need[i], all = all_of(n->values[i]);
            for (LLVMUseRef use = LLVMGetFirstUse(n->values[i]); use && need < all; use = LLVMGetNextUse(use)) {
                unsigned more = need_of_user(n, LLVMGetUser(use), n->values[i]);
                need = more > need ? more : need;
            }
            need = need < all ? need : all;
            changed |= need != n->need[i];
            n->need[i] = need;
        }
    }
}

static LLVMValueRef shorter(struct narrowing *n, size_t i);

/* The shorter vector, if there is to be one. */
static LLVMValueRef replaced(struct narrowing *n, LLVMValueRef v)
{
    size_t number = number_of(n, v);
    if (!number || !n->types[number - 1])
        return v;
    if (!n->made[number - 1])
        n->made[number - 1] = shorter(n, number - 1);
    return n->made[number - 1];
}

/* What is in each element of a vector; NULL: that is not known to be one number. */
static LLVMValueRef broadcast_number(LLVMValueRef v)
{
    unsigned operand, element;
    if (!LLVMIsAShuffleVectorInst(v) || !LLVMIsAInsertElementInst(LLVMGetOperand(v, 0)))
        return NULL;
    for (unsigned i = 0; i < all_of(v); i++)
        if (!tsr__shuffle_source(v, i, &operand, &element) || operand || element)
            return NULL;
    LLVMValueRef first = LLVMGetOperand(v, 0);
    return tsr__is_constant(LLVMGetOperand(first, 2), 0) ? LLVMGetOperand(first, 1) : NULL;
}

/* `count` first elements of an operand, before `at`. LLVM takes a part of a number's broadcast for another broadcast of it, if both are of
 * the number itself. */
static LLVMValueRef first_elements(struct narrowing *n, LLVMValueRef v, unsigned count, LLVMValueRef at)
{
    LLVMValueRef made = replaced(n, v), number = broadcast_number(made), from = LLVMIsABitCastInst(made) ? LLVMGetOperand(made, 0) : NULL;
    LLVMPositionBuilderBefore(n->b, at);
    if (all_of(made) == count)
        return made;
    if (number)
        return tsr__splat_scalar(n->l, n->b, number, count);
    if (!from || !tsr__is_vector(from))
        return tsr__take_lanes(n->l, n->b, made, NULL, 0, count);
    LLVMTypeRef type = LLVMVectorType(LLVMGetElementType(LLVMTypeOf(made)), count);
    return LLVMBuildBitCast(n->b, first_elements(n, from, as_many_of(from, made, count), at), type, "");
}

/* A shuffle with its mask as far as that goes. */
static LLVMValueRef shorter_shuffle(struct narrowing *n, LLVMValueRef v, unsigned count)
{
    LLVMValueRef from = replaced(n, LLVMGetOperand(v, 0));
    unsigned number[TSR__MAX_ELEMENTS], there = all_of(from), operand;
    bool same = there == count;
    for (unsigned i = 0; i < count; i++) {
        if (!tsr__shuffle_source(v, i, &operand, &number[i]) || operand || number[i] >= there)
            number[i] = TSR__NO_ELEMENT;
        same &= number[i] == TSR__NO_ELEMENT || number[i] == i;
    }
    LLVMPositionBuilderBefore(n->b, v);
    return same ? from : tsr__pick_elements(n->l, n->b, from, NULL, number, count);
}

/* Made of the same part of each operand. */
static LLVMValueRef shorter_operation(struct narrowing *n, LLVMValueRef v, LLVMTypeRef type)
{
    LLVMValueRef operand[3], made;
    const char *dots = half_of_dots(v);
    unsigned count = LLVMIsACallInst(v) ? LLVMGetNumArgOperands(v) : (unsigned)LLVMGetNumOperands(v);
    unsigned id = is_fma(v) ? LLVMGetIntrinsicID(tsr__callee(v)) : 0;
    for (unsigned i = 0; i < count; i++) {
        LLVMValueRef own = LLVMGetOperand(v, i);
        operand[i] = first_elements(n, own, as_many_of(own, v, LLVMGetVectorSize(type)), v);
    }
    if (dots)
        made = tsr__build_intrinsic(n->l, n->b, dots, NULL, 0, operand, count);
    else if (id)
        made = LLVMBuildCall2(n->b, LLVMIntrinsicGetType(n->l->context, id, &type, 1),
                              LLVMGetIntrinsicDeclaration(n->l->module, id, &type, 1), operand, count, "");
    else if (LLVMIsACastInst(v))
        made = LLVMBuildCast(n->b, LLVMGetInstructionOpcode(v), operand[0], type, "");
    else if (LLVMIsAFreezeInst(v))
        made = LLVMBuildFreeze(n->b, operand[0], "");
    else
        made = LLVMBuildBinOp(n->b, LLVMGetInstructionOpcode(v), operand[0], operand[1], "");
    if (LLVMIsAInstruction(made) && LLVMCanValueUseFastMathFlags(made))
        LLVMSetFastMathFlags(made, LLVMGetFastMathFlags(v));
    return made;
}

static LLVMValueRef shorter(struct narrowing *n, size_t i)
{
    LLVMValueRef v = n->values[i], made;
    unsigned count = LLVMGetVectorSize(n->types[i]);
    LLVMPositionBuilderBefore(n->b, v);
    if (LLVMIsAPHINode(v))
        return LLVMBuildPhi(n->b, n->types[i], ""); /* its operands come later */
    if (LLVMIsAShuffleVectorInst(v))
        return shorter_shuffle(n, v, count);
    if (LLVMIsAInsertElementInst(v)) {
        LLVMValueRef at = LLVMGetOperand(v, 2);
        made = first_elements(n, LLVMGetOperand(v, 0), count, v);
        return LLVMConstIntGetZExtValue(at) < count ? LLVMBuildInsertElement(n->b, made, LLVMGetOperand(v, 1), at, "") : made;
    }
    if (!LLVMIsALoadInst(v))
        return shorter_operation(n, v, n->types[i]);
    made = LLVMBuildLoad2(n->b, n->types[i], LLVMGetOperand(v, 0), "");
    tsr__copy_memory_notes(v, made, LLVMGetAlignment(v));
    return made;
}

static void fill_phi(struct narrowing *n, LLVMValueRef from, LLVMValueRef to)
{
    for (unsigned i = 0; i < LLVMCountIncoming(from); i++) {
        LLVMBasicBlockRef block = LLVMGetIncomingBlock(from, i);
        LLVMValueRef value = first_elements(n, LLVMGetIncomingValue(from, i), all_of(to), LLVMGetBasicBlockTerminator(block));
        LLVMAddIncoming(to, &value, &block, 1);
    }
}

/* What is no shorter and uses the vector needs its first elements alone. */
static void use_shorter(struct narrowing *n, size_t i)
{
    LLVMUseRef next;
    for (LLVMUseRef use = LLVMGetFirstUse(n->values[i]); use; use = next) {
        LLVMValueRef user = LLVMGetUser(use);
        size_t number = number_of(n, user);
        next = LLVMGetNextUse(use);
        if (LLVMIsAExtractElementInst(user))
            LLVMSetOperand(user, 0, n->made[i]);
        else if (LLVMIsAShuffleVectorInst(user) && !(number && n->types[number - 1]))
            LLVMReplaceAllUsesWith(user, shorter_shuffle(n, user, all_of(user)));
    }
}

static void collect(struct narrowing *n, LLVMValueRef function)
{
    size_t count;
    LLVMValueRef *code = tsr__instructions(n->l, function, &count);
    n->values = tsr_arena_alloc(&n->l->scratch, count * sizeof *n->values + 1);
    for (size_t i = 0; i < count; i++) {
        if (!can_be_shorter(code[i]))
            continue;
        n->values[n->count++] = code[i];
        tsr__map_set(&n->numbers, code[i], n->count);
    }
    n->need = tsr_arena_alloc(&n->l->scratch, n->count * sizeof *n->need + 1);
    n->types = tsr_arena_alloc(&n->l->scratch, n->count * sizeof *n->types + 1);
    n->made = tsr_arena_alloc(&n->l->scratch, n->count * sizeof *n->made + 1);
}

bool tsr__pass_narrow_values(struct tsr__compilation *l, LLVMValueRef function)
{
    struct narrowing n = {.l = l, .numbers = {.arena = &l->scratch}};
    collect(&n, function);
    find_needs(&n);
    n.b = LLVMCreateBuilderInContext(l->context);
    for (size_t i = 0; i < n.count; i++)
        n.types[i] = shorter_type(&n, i);
    for (size_t i = 0; i < n.count; i++)
        replaced(&n, n.values[i]);
    for (size_t i = 0; i < n.count; i++) {
        if (n.types[i] && LLVMIsAPHINode(n.values[i]))
            fill_phi(&n, n.values[i], n.made[i]);
        if (n.types[i])
            use_shorter(&n, i);
    }
    LLVMDisposeBuilder(n.b);
    return true;
}
