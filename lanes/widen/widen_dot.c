/* SPDX-License-Identifier: Apache-2.0
 * Dot products of four bytes (cl_khr_integer_dot_product), of two numbers of 16 bits and of two bfloat16 in packets.
 *
 * VPDPBUSD adds up four products of an unsigned and a signed byte. If both operands have the same signedness, one of them is moved by
 * 128 into the other range, and 128 times the sum of the other operand's bytes corrects the result. Constants below 128 have either
 * signedness. */
#include <string.h>

#include "lanes/widen/widen_dot.h"
#include "lanes/ir/explain.h"
#include "lanes/ir/mad_op.h"
#include "lanes/ir/calls.h"

static LLVMTypeRef bytes_type(struct tsr__widener *s)
{
    return LLVMVectorType(LLVMInt8TypeInContext(s->l->context), 4 * s->width);
}

/* Elements of x and y in turn. */
static LLVMValueRef interleave_elements(struct tsr__widener *s, LLVMValueRef x, LLVMValueRef y)
{
    unsigned n = LLVMGetVectorSize(LLVMTypeOf(x)), *from = tsr_arena_alloc(s->arena, 2 * n * sizeof *from);
    for (unsigned i = 0; i < 2 * n; i++)
        from[i] = i / 2 + i % 2 * n;
    return tsr__pick_elements(s->l, s->b, x, y, from, 2 * n);
}

/* Is the operand made in the block of the call? */
static bool is_beside(LLVMValueRef call, unsigned operand)
{
    LLVMValueRef v = LLVMGetOperand(call, operand);
    return LLVMIsAInstruction(v) && LLVMGetInstructionParent(v) == LLVMGetInstructionParent(call);
}

/* The word that the four bytes are: as_char4(word), in the block of the call, so that the word is there as well. NULL: they are none. */
static LLVMValueRef word_of(LLVMValueRef call, unsigned operand)
{
    LLVMValueRef v = LLVMGetOperand(call, operand), word = is_beside(call, operand) && LLVMIsABitCastInst(v) ? LLVMGetOperand(v, 0) : NULL;
    return word && LLVMGetTypeKind(LLVMTypeOf(word)) == LLVMIntegerTypeKind ? word : NULL;
}

/* The four bytes of each lane of an operand, lane after lane. */
static LLVMValueRef operand_bytes(struct tsr__widener *s, LLVMValueRef call, unsigned number, bool packed)
{
    LLVMValueRef operand = LLVMGetOperand(call, number), word = packed ? operand : word_of(call, number);
    if (word)
        return LLVMBuildBitCast(s->b, tsr__component_of(s, word, 0), bytes_type(s), "");
    if (tsr__is_uniform(tsr__shape_here(s, operand))) {
        word = LLVMBuildBitCast(s->b, tsr__scalar_of(s, operand), LLVMInt32TypeInContext(s->l->context), "");
        return LLVMBuildBitCast(s->b, tsr__splat(s, word), bytes_type(s), "");
    }
    LLVMValueRef even = interleave_elements(s, tsr__component_of(s, operand, 0), tsr__component_of(s, operand, 2));
    LLVMValueRef odd = interleave_elements(s, tsr__component_of(s, operand, 1), tsr__component_of(s, operand, 3));
    return interleave_elements(s, even, odd);
}

static LLVMValueRef every_byte(struct tsr__widener *s, unsigned value)
{
    return tsr__splat_number(bytes_type(s), value);
}

/* sum + u·v, for each lane; `saturate`: clamped to int. */
static LLVMValueRef add_products(struct tsr__widener *s, LLVMValueRef sum, LLVMValueRef u, LLVMValueRef v, bool saturate)
{
    static const char *const names[2][2] = {{"llvm.x86.avx512.vpdpbusd.256", "llvm.x86.avx512.vpdpbusd.512"},
                                            {"llvm.x86.avx512.vpdpbusds.256", "llvm.x86.avx512.vpdpbusds.512"}};
    const char *name = names[saturate][s->width >= 16];
    unsigned lanes = s->width >= 16 ? 16 : 8;
    LLVMValueRef made = NULL;
    for (unsigned at = 0; at < s->width; at += lanes) {
        LLVMValueRef args[3] = {sum, u, v};
        if (s->width > lanes) {
            args[0] = tsr__take_lanes(s->l, s->b, sum, NULL, at, lanes);
            args[1] = tsr__take_lanes(s->l, s->b, u, NULL, 4 * at, 4 * lanes);
            args[2] = tsr__take_lanes(s->l, s->b, v, NULL, 4 * at, 4 * lanes);
        }
        LLVMValueRef component = tsr__build_intrinsic(s->l, s->b, name, NULL, 0, args, 3);
        made = made ? tsr__concat_pair(s->l, s->b, made, component) : component;
    }
    return made;
}

/* An instruction that takes `lanes` lanes of each operand, for all lanes; the operands are words. */
static LLVMValueRef on_slices(struct tsr__widener *s, const char *name, unsigned lanes, const LLVMValueRef *operands, unsigned count)
{
    enum { MOST = 3, MOST_SLICES = 4 };
    LLVMValueRef f = tsr__intrinsic(s->l, name, NULL, 0), made[MOST_SLICES], args[MOST];
    unsigned slices = 0;
    for (unsigned at = 0; at < s->width; at += lanes) {
        for (unsigned i = 0; i < count; i++) {
            args[i] = s->width > lanes ? tsr__take_lanes(s->l, s->b, operands[i], NULL, at, lanes) : operands[i];
            args[i] = LLVMBuildBitCast(s->b, args[i], LLVMTypeOf(LLVMGetParam(f, i)), "");
        }
        made[slices++] = LLVMBuildCall2(s->b, LLVMGlobalGetValueType(f), f, args, count, "");
    }
    return tsr__join_lanes(s->l, s->b, made, slices);
}

/* VDPBF16PS: for each lane the sum and two products. VPMADDWD: two products. */
static void add_pairs(struct tsr__widener *s, LLVMValueRef inst, bool bf16)
{
    static const char *const names[2][2] = {{"llvm.x86.avx2.pmadd.wd", "llvm.x86.avx512.pmaddw.d.512"},
                                            {"llvm.x86.avx512bf16.dpbf16ps.256", "llvm.x86.avx512bf16.dpbf16ps.512"}};
    bool wide = s->width >= 16 && tsr__has(s->l, TSR_CPU_AVX512BW);
    const char *name = names[bf16][wide];
    LLVMValueRef sum = tsr__component_of(s, LLVMGetOperand(inst, 2), 0);
    LLVMValueRef operands[] = {sum, tsr__component_of(s, LLVMGetOperand(inst, 0), 0), tsr__component_of(s, LLVMGetOperand(inst, 1), 0)};
    tsr__explain(s->l, inst, "dot", bf16 ? "VDPBF16PS" : "VPMADDWD", "one");
    LLVMValueRef made = on_slices(s, name, wide ? 16 : 8, operands + !bf16, bf16 ? 3 : 2);
    tsr__set_component(s, inst, 0, bf16 ? made : LLVMBuildAdd(s->b, made, sum, ""));
}

/* Is the operand a constant whose bytes are the same numbers with a sign and without? */
static bool has_any_sign(LLVMValueRef v)
{
    enum { BYTES = 4 };
    const bool is_word = LLVMIsAConstantInt(v);
    if (!is_word && !LLVMIsAConstantDataVector(v))
        return false;
    for (unsigned i = 0; i < BYTES; i++)
        if ((is_word ? LLVMConstIntGetZExtValue(v) >> 8 * i : LLVMConstIntGetZExtValue(LLVMGetAggregateElement(v, i))) & 0x80)
            return false;
    return true;
}

void tsr__widen_dot(struct tsr__widener *s, LLVMValueRef inst)
{
    const struct tsr__dot *dot = tsr__dot_named(tsr__name(tsr__callee(inst)));
    bool clamps = dot->sum == TSR__DOT_CLAMPED;
    if (dot->sum >= TSR__DOT_HALVES) {
        add_pairs(s, inst, dot->sum == TSR__DOT_BFLOAT16);
        return;
    }
    LLVMTypeRef words = tsr__vector_of(s, LLVMInt32TypeInContext(s->l->context));
    LLVMValueRef a = operand_bytes(s, inst, 0, dot->packed), b = operand_bytes(s, inst, 1, dot->packed);
    LLVMValueRef none = LLVMConstNull(words), more = dot->sum ? tsr__component_of(s, LLVMGetOperand(inst, 2), 0) : none, made;
    /* The sum of the instruction that clamps is signed. */
    const bool same = dot->a_signed == dot->b_signed, fits = same && (dot->a_signed || !clamps),
               b_fits = fits && has_any_sign(LLVMGetOperand(inst, 1)), a_fits = fits && !b_fits && has_any_sign(LLVMGetOperand(inst, 0)),
               one = !same || a_fits || b_fits, a_is_signed = a_fits ? !dot->a_signed : dot->a_signed;
    tsr__explain(s->l, inst, "dot", "VPDPBUSD", "%s", one ? "one" : dot->a_signed ? "two: both sides are signed" : "two: none is signed");
    if (one) {
        made = add_products(s, more, a_is_signed ? b : a, a_is_signed ? a : b, clamps);
    } else {
        /* (x + 128)·y - 128·y, with signs; (x - 128)·y + 128·y without. What is taken away or added is of the side from another block: if
         * that is before a loop, so is the product. */
        bool swaps = is_beside(inst, 1) && !is_beside(inst, 0);
        LLVMValueRef x = swaps ? b : a, y = swaps ? a : b, moved = every_byte(s, 0x80), near = LLVMBuildXor(s->b, x, moved, ""), extra;
        made = dot->a_signed ? add_products(s, none, near, y, false) : add_products(s, none, y, near, false);
        extra = dot->a_signed ? add_products(s, none, moved, y, false) : add_products(s, none, y, moved, false);
        made = LLVMBuildSub(s->b, made, extra, "");
        if (clamps) {
            const char *name = dot->a_signed ? "llvm.sadd.sat" : "llvm.uadd.sat";
            made = tsr__build_intrinsic(s->l, s->b, name, &words, 1, (LLVMValueRef[]){made, more}, 2);
        } else if (dot->sum == TSR__DOT_WRAPPED) {
            made = LLVMBuildAdd(s->b, made, more, "");
        }
    }
    tsr__set_component(s, inst, 0, made);
}
