/* SPDX-License-Identifier: Apache-2.0
 * Functions of three vectors of bits, written as several operations, become one VPTERNLOG. LLVM's code generator joins two operations at a
 * time, so that the majority of three, in any of the ways to write it, would take two or three. */
#include "lanes/ir/match.h"
#include "lanes/ir/shuffles.h"

#include <string.h>

enum {
    LEAVES = 3,
    LEAST = 3, /* operations that become one: LLVM joins two itself */
    MOST_DEPTH = 4
};

struct function {
    LLVMValueRef leaf[LEAVES], inner[1 << MOST_DEPTH];
    unsigned leaves, inners;
};

static bool is_ones(LLVMValueRef v)
{
    return LLVMIsAConstant(v) && v == LLVMConstAllOnes(LLVMTypeOf(v));
}

static bool add(LLVMValueRef *list, unsigned *count, unsigned most, LLVMValueRef v)
{
    for (unsigned i = 0; i < *count; i++)
        if (list[i] == v)
            return true;
    if (*count == most)
        return false;
    list[(*count)++] = v;
    return true;
}

/* False: it depends on more vectors than that. */
static bool collect(struct function *f, LLVMValueRef v, unsigned depth)
{
    if (is_ones(v))
        return true;
    if (!depth || !tsr__is_logic(v))
        return add(f->leaf, &f->leaves, LEAVES, v);
    return add(f->inner, &f->inners, 1 << MOST_DEPTH, v) && collect(f, LLVMGetOperand(v, 0), depth - 1) &&
           collect(f, LLVMGetOperand(v, 1), depth - 1);
}

/* The results for the eight combinations of bits, where a leaf is no operation. */
static unsigned table_of(const struct function *f, LLVMValueRef v)
{
    static const unsigned of_leaf[LEAVES] = {0xf0, 0xcc, 0xaa};
    for (unsigned i = 0; i < f->leaves; i++)
        if (f->leaf[i] == v)
            return of_leaf[i];
    if (is_ones(v))
        return 0xff;
    unsigned a = table_of(f, LLVMGetOperand(v, 0)), b = table_of(f, LLVMGetOperand(v, 1));
    LLVMOpcode op = LLVMGetInstructionOpcode(v);
    return op == LLVMAnd ? a & b : op == LLVMOr ? a | b : a ^ b;
}

/* Operations that nothing else needs; those that are leaves as well count as needed. */
static unsigned saved(const struct function *f)
{
    unsigned count = 0;
    for (unsigned i = 0; i < f->inners; i++) {
        bool needed = false;
        for (unsigned k = 0; k < f->leaves; k++)
            needed = needed || f->leaf[k] == f->inner[i];
        for (LLVMUseRef use = LLVMGetFirstUse(f->inner[i]); use && i; use = LLVMGetNextUse(use)) {
            bool inside = false;
            for (unsigned k = 0; k < f->inners; k++)
                inside = inside || f->inner[k] == LLVMGetUser(use);
            needed = needed || !inside;
        }
        count += !needed;
    }
    return count;
}

/* The name of the intrinsic for `total` bits in elements of `bits` bits, which fit into one register, or NULL. */
static const char *intrinsic(const struct tsr__compilation *l, unsigned bits, unsigned total)
{
    static const struct {
        unsigned bits, total;
        const char *name;
    } names[] = {{32, 128, "llvm.x86.avx512.pternlog.d.128"}, {32, 256, "llvm.x86.avx512.pternlog.d.256"},
                 {32, 512, "llvm.x86.avx512.pternlog.d.512"}, {64, 128, "llvm.x86.avx512.pternlog.q.128"},
                 {64, 256, "llvm.x86.avx512.pternlog.q.256"}, {64, 512, "llvm.x86.avx512.pternlog.q.512"}};
    for (size_t i = 0; i < TSR_ARRAY_LEN(names); i++)
        if (names[i].bits == bits && names[i].total == total && tsr__has(l, total == 512 ? TSR_CPU_AVX512F : TSR_CPU_AVX512VL))
            return names[i].name;
    return NULL;
}

static LLVMValueRef build(struct tsr__compilation *l, LLVMBuilderRef b, const struct function *f, unsigned table, unsigned bits,
                          unsigned count)
{
    LLVMValueRef made = NULL;
    const char *name = intrinsic(l, bits, bits * count);
    unsigned all = LLVMGetVectorSize(LLVMTypeOf(f->inner[0]));
    for (unsigned first = 0; first < all; first += count) {
        LLVMValueRef args[4] = {NULL, NULL, NULL, tsr__i32(l, table)};
        for (unsigned i = 0; i < LEAVES; i++) {
            LLVMValueRef leaf = f->leaf[i < f->leaves ? i : 0];
            args[i] = count == all ? leaf : tsr__take_lanes(l, b, leaf, NULL, first, count);
        }
        LLVMValueRef one = tsr__build_intrinsic(l, b, name, NULL, 0, args, 4);
        made = made ? tsr__take_lanes(l, b, made, one, 0, first + count) : one;
    }
    return made;
}

/* Replaces the operation, if it is the last of several. */
static void join(struct tsr__compilation *l, LLVMValueRef root)
{
    LLVMTypeRef type = LLVMTypeOf(root);
    if (LLVMGetTypeKind(type) != LLVMVectorTypeKind || LLVMGetTypeKind(LLVMGetElementType(type)) != LLVMIntegerTypeKind)
        return;
    unsigned bits = LLVMGetIntTypeWidth(LLVMGetElementType(type)), all = LLVMGetVectorSize(type), count = all;
    while (count > 1 && count % 2 == 0 && bits * count > 512)
        count /= 2;
    if ((bits != 32 && bits != 64) || (all / count & (all / count - 1)) || all / count > 2 || !intrinsic(l, bits, bits * count))
        return;
    for (unsigned depth = MOST_DEPTH; depth > 1; depth--) {
        struct function f = {.leaves = 0};
        if (!collect(&f, root, depth) || !f.leaves || saved(&f) < LEAST)
            continue;
        LLVMBuilderRef b = tsr__builder_before(l, root);
        LLVMReplaceAllUsesWith(root, build(l, b, &f, table_of(&f, root), bits, count));
        LLVMDisposeBuilder(b);
        return;
    }
}

bool tsr__pass_ternary_logic(struct tsr__compilation *l, LLVMValueRef function)
{
    size_t count;
    if (!tsr__has(l, TSR_CPU_AVX512F))
        return true;
    for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(function); bb; bb = LLVMGetNextBasicBlock(bb))
        for (LLVMValueRef i = LLVMGetLastInstruction(bb), before; i; i = before) { /* the last of several first */
            before = LLVMGetPreviousInstruction(i);
            if (!tsr__is_logic(i) || !LLVMGetFirstUse(i))
                continue;
            join(l, i);
        }
    LLVMValueRef *code = tsr__instructions(l, function, &count);
    for (size_t i = count; i-- > 0;)
        if (tsr__is_logic(code[i]) && !LLVMGetFirstUse(code[i]))
            LLVMInstructionEraseFromParent(code[i]);
    return true;
}
