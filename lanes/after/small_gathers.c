/* SPDX-License-Identifier: Apache-2.0
 * Gathers of bytes and of 16-bit numbers, which CPUs have no instruction for. LLVM's code generator takes each lane's pointer out of
 * vectors of 64 bits and puts the elements together one by one.
 *
 * Where gathers of words are fast, the aligned words that the elements lie in are gathered, and shifted. Such a word lies in the page of
 * its element, and what else it holds is thrown away. Elsewhere the indices leave their vector in as few pieces of 64 bits as they fit
 * into.
 *
 * Stands behind all passes that know gathers; none comes behind that would take the pieces for elements of the vector again. */
#include "lanes/after/lane_offsets.h"
#include "lanes/ir/memory_notes.h"
#include "lanes/ir/calls.h"
#include "lanes/ir/ir.h"
#include "lanes/ir/mad_op.h"
#include "lanes/ir/match.h"
#include "lanes/ir/shuffles.h"

enum { WORD = 4, PIECE_BITS = 64 };

/* Element i: the number at base + index[i] * bytes, or at pointers[i] if there is no base. */
struct small_gather {
    struct tsr__compilation *l;
    LLVMBuilderRef b;
    LLVMValueRef call, pointers, mask; /* NULL: all lanes */
    LLVMTypeRef element;
    unsigned width, bytes;
    LLVMValueRef base, index; /* of at most 32 bits */
    bool is_signed, may_wrap; /* if a number below 4 is added to the index in 32 bits */
};

static LLVMTypeRef numbers(const struct small_gather *g, unsigned bits)
{
    return LLVMVectorType(LLVMIntTypeInContext(g->l->context, bits), g->width);
}

static LLVMValueRef number(const struct small_gather *g, unsigned bits, uint64_t value)
{
    return tsr__splat_number(numbers(g, bits), value);
}

static unsigned bits_of(struct tsr__compilation *l, LLVMTypeRef type)
{
    return (unsigned)LLVMSizeOfTypeInBits(LLVMGetModuleDataLayout(l->module), type);
}

/* ---- what is gathered ---- */

static void find_index(struct small_gather *g)
{
    LLVMValueRef p = g->pointers;
    if (!LLVMIsAGetElementPtrInst(p) || LLVMGetNumOperands(p) != 2 || tsr__is_vector(LLVMGetOperand(p, 0)))
        return;
    LLVMValueRef index = LLVMGetOperand(p, 1);
    if (bits_of(g->l, LLVMGetGEPSourceElementType(p)) != 8 * g->bytes || (!LLVMIsASExtInst(index) && !LLVMIsAZExtInst(index)))
        return;
    const bool is_signed = LLVMIsASExtInst(index);
    const bool below_half = !is_signed && LLVMGetNNeg(index);
    index = LLVMGetOperand(index, 0);
    const unsigned bits = LLVMGetIntTypeWidth(LLVMGetElementType(LLVMTypeOf(index)));
    if (bits != 8 && bits != 16 && bits != 32)
        return;
    g->base = LLVMGetOperand(p, 0);
    g->index = index;
    g->is_signed = is_signed;
    g->may_wrap = bits == 32 && !below_half;
}

static bool find_small_gather(struct small_gather *g, LLVMValueRef call)
{
    if (!tsr__calls(call, "llvm.masked.gather."))
        return false;
    int64_t all;
    LLVMTypeRef type = LLVMTypeOf(call);
    g->call = call;
    g->element = LLVMGetElementType(type);
    g->width = LLVMGetVectorSize(type);
    g->bytes = bits_of(g->l, g->element) / 8;
    g->base = g->index = NULL;
    g->pointers = tsr__addresses_behind(LLVMGetOperand(call, 0), &g->mask);
    if ((g->bytes != 1 && g->bytes != 2) || bits_of(g->l, g->element) % 8 || !tsr__same_number(LLVMGetOperand(call, 1), &all) || !all ||
        tsr__argument_align(call, 0) < g->bytes)
        return false;
    find_index(g);
    return true;
}

/* ---- words ---- */

static LLVMValueRef align_down(struct small_gather *g, LLVMValueRef pointer, LLVMTypeRef integer)
{
    const uint64_t bits = ~(uint64_t)(WORD - 1);
    LLVMTypeRef types[2] = {LLVMTypeOf(pointer), integer};
    LLVMValueRef mask = tsr__is_vector_type(integer) ? tsr__splat_number(integer, bits) : LLVMConstInt(integer, bits, false);
    LLVMValueRef args[2] = {pointer, mask};
    return tsr__build_intrinsic(g->l, g->b, "llvm.ptrmask", types, 2, args, 2);
}

/* The words' pointers from 32-bit indices, and how many elements lie in a word before the one that is meant, or more with other bits. */
static LLVMValueRef words_by_index(struct small_gather *g, LLVMValueRef *before)
{
    LLVMTypeRef i32 = LLVMInt32TypeInContext(g->l->context), i64 = LLVMInt64TypeInContext(g->l->context), type = numbers(g, 32);
    const unsigned each = WORD / g->bytes, log2 = each == 4 ? 2 : 1;
    LLVMValueRef index = g->index, shift = number(g, 32, log2);
    if (LLVMTypeOf(index) != type)
        index = g->is_signed ? LLVMBuildSExt(g->b, index, type, "") : LLVMBuildZExt(g->b, index, type, "");
    LLVMValueRef lower = LLVMBuildAnd(g->b, LLVMBuildPtrToInt(g->b, g->base, i64, ""), tsr__i64(g->l, WORD - 1), "");
    lower = LLVMBuildLShr(g->b, LLVMBuildTrunc(g->b, lower, i32, ""), tsr__i32(g->l, g->bytes - 1), "");
    lower = tsr__splat_scalar(g->l, g->b, lower, g->width);
    *before = LLVMBuildAdd(g->b, index, lower, "");
    LLVMValueRef word = *before;
    if (g->may_wrap)
        word = LLVMBuildAdd(g->b, LLVMBuildAnd(g->b, index, number(g, 32, each - 1), ""), lower, "");
    word = g->is_signed && !g->may_wrap ? LLVMBuildAShr(g->b, word, shift, "") : LLVMBuildLShr(g->b, word, shift, "");
    if (g->may_wrap) {
        LLVMValueRef whole = g->is_signed ? LLVMBuildAShr(g->b, index, shift, "") : LLVMBuildLShr(g->b, index, shift, "");
        word = LLVMBuildAdd(g->b, word, whole, "");
    }
    word = LLVMBuildSExt(g->b, word, numbers(g, 64), "");
    return LLVMBuildGEP2(g->b, i32, align_down(g, g->base, i64), &word, 1, "");
}

static LLVMValueRef words_by_pointer(struct small_gather *g, LLVMValueRef *before)
{
    LLVMTypeRef wide = numbers(g, 64);
    LLVMValueRef lower = LLVMBuildTrunc(g->b, LLVMBuildPtrToInt(g->b, g->pointers, wide, ""), numbers(g, 32), "");
    *before = g->bytes == 1 ? lower : LLVMBuildLShr(g->b, lower, number(g, 32, 1), "");
    return align_down(g, g->pointers, wide);
}

static LLVMValueRef gather_words(struct small_gather *g)
{
    LLVMValueRef before, pointers = g->base ? words_by_index(g, &before) : words_by_pointer(g, &before);
    LLVMTypeRef type = numbers(g, 32), types[2] = {type, LLVMTypeOf(pointers)};
    LLVMValueRef mask = g->mask ? g->mask : LLVMGetOperand(g->call, 1), args[3] = {pointers, mask, LLVMGetPoison(type)};
    LLVMValueRef words = tsr__build_intrinsic(g->l, g->b, "llvm.masked.gather", types, 2, args, 3);
    LLVMAddCallSiteAttribute(words, 1, LLVMCreateEnumAttribute(g->l->context, tsr__attr_kind("align"), WORD));
    tsr__copy_notes(g->call, words);
    words = LLVMBuildFreeze(g->b, words, "");
    LLVMValueRef by = LLVMBuildAnd(g->b, before, number(g, 32, WORD / g->bytes - 1), "");
    by = LLVMBuildShl(g->b, by, number(g, 32, g->bytes == 1 ? 3 : 4), "");
    LLVMValueRef made = LLVMBuildTrunc(g->b, LLVMBuildLShr(g->b, words, by, ""), numbers(g, 8 * g->bytes), "");
    return LLVMBuildBitCast(g->b, made, LLVMTypeOf(g->call), "");
}

/* ---- lane by lane ---- */

static LLVMValueRef load_lanes(struct small_gather *g)
{
    LLVMTypeRef i64 = LLVMInt64TypeInContext(g->l->context), index = LLVMGetElementType(LLVMTypeOf(g->index));
    const unsigned bits = LLVMGetIntTypeWidth(index), each = PIECE_BITS / bits;
    LLVMValueRef pieces = LLVMBuildBitCast(g->b, g->index, LLVMVectorType(i64, g->width / each), ""), piece = NULL;
    LLVMValueRef made = LLVMGetPoison(LLVMTypeOf(g->call));
    for (unsigned lane = 0; lane < g->width; lane++) {
        if (lane % each == 0)
            piece = LLVMBuildExtractElement(g->b, pieces, tsr__i32(g->l, lane / each), "");
        LLVMValueRef at = LLVMBuildLShr(g->b, piece, tsr__i64(g->l, lane % each * bits), "");
        at = LLVMBuildTrunc(g->b, at, index, "");
        at = g->is_signed ? LLVMBuildSExt(g->b, at, i64, "") : LLVMBuildZExt(g->b, at, i64, "");
        LLVMValueRef load = LLVMBuildLoad2(g->b, g->element, LLVMBuildGEP2(g->b, g->element, g->base, &at, 1, ""), "");
        tsr__copy_memory_notes(g->call, load, tsr__argument_align(g->call, 0));
        made = LLVMBuildInsertElement(g->b, made, load, tsr__i32(g->l, lane), "");
    }
    return made;
}

bool tsr__pass_small_gathers(struct tsr__compilation *l, LLVMValueRef function)
{
    const bool fast = tsr__has(l, TSR_CPU_AVX512F) && !tsr__has(l, TSR_CPU_SLOW_GATHERS);
    struct small_gather g = {.l = l, .b = LLVMCreateBuilderInContext(l->context)};
    size_t count;
    LLVMValueRef *code = tsr__instructions(l, function, &count);
    bool any = false;
    for (size_t i = 0; i < count; i++) {
        if (!find_small_gather(&g, code[i]) || g.width < 8 || (!fast && (!g.base || g.mask)))
            continue;
        LLVMPositionBuilderBefore(g.b, code[i]);
        LLVMReplaceAllUsesWith(code[i], fast ? gather_words(&g) : load_lanes(&g));
        LLVMInstructionEraseFromParent(code[i]);
        any = true;
    }
    LLVMDisposeBuilder(g.b);
    return !any || tsr__run_llvm_on(l, function, "dce");
}
