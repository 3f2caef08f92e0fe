/* SPDX-License-Identifier: Apache-2.0
 * Scatters of bytes, which CPUs have no instruction for, by indices of 32 bits. LLVM's code generator takes each lane's pointer and byte
 * out of vectors, for which the CPU has one port. Here indices and bytes leave their vectors in pieces of 64 bits, which are shifted.
 *
 * Stands behind all passes that know scatters; none comes behind that would take the pieces for elements of the vectors again. */
#include "lanes/ir/memory_notes.h"
#include "lanes/ir/match.h"
#include "lanes/ir/shuffles.h"

enum { PIECE_BITS = 64 };

struct scatter {
    struct tsr__compilation *l;
    LLVMBuilderRef b;
    LLVMValueRef call, values, base, index; /* byte i lies at base + index[i] */
    LLVMTypeRef place;                      /* what the index counts */
    bool is_signed;                         /* the index */
    unsigned lanes;
};

static unsigned bits_of(const struct scatter *s, LLVMValueRef vector)
{
    return (unsigned)LLVMSizeOfTypeInBits(LLVMGetModuleDataLayout(s->l->module), LLVMGetElementType(LLVMTypeOf(vector)));
}

static bool find_scatter(struct scatter *s, LLVMValueRef call)
{
    int64_t all;
    if (!tsr__calls(call, "llvm.masked.scatter."))
        return false;
    LLVMValueRef pointers = LLVMGetOperand(call, 1), index;
    s->call = call;
    s->values = LLVMGetOperand(call, 0);
    s->lanes = LLVMGetVectorSize(LLVMTypeOf(s->values));
    if (s->lanes < PIECE_BITS / 8 || s->lanes % (PIECE_BITS / 8) || bits_of(s, s->values) != 8 ||
        !tsr__same_number(LLVMGetOperand(call, 2), &all) || !all || !LLVMIsAGetElementPtrInst(pointers) ||
        LLVMGetNumOperands(pointers) != 2 || tsr__is_vector(LLVMGetOperand(pointers, 0)))
        return false;
    index = LLVMGetOperand(pointers, 1);
    s->base = LLVMGetOperand(pointers, 0);
    s->place = LLVMGetGEPSourceElementType(pointers);
    s->is_signed = LLVMIsASExtInst(index);
    if (!s->is_signed && !LLVMIsAZExtInst(index))
        return false;
    s->index = LLVMGetOperand(index, 0);
    return bits_of(s, s->index) == 32;
}

/* A vector's elements, which leave it in pieces of 64 bits. */
struct pieces {
    LLVMValueRef vector, piece;
    unsigned bits; /* of an element */
};

static struct pieces cut(struct scatter *s, LLVMValueRef vector)
{
    const unsigned bits = bits_of(s, vector);
    LLVMTypeRef type = LLVMVectorType(LLVMIntTypeInContext(s->l->context, PIECE_BITS), s->lanes * bits / PIECE_BITS);
    return (struct pieces){.vector = LLVMBuildBitCast(s->b, vector, type, ""), .bits = bits};
}

/* Lanes in order. */
static LLVMValueRef take(struct scatter *s, struct pieces *p, unsigned lane)
{
    const unsigned each = PIECE_BITS / p->bits;
    if (lane % each == 0)
        p->piece = LLVMBuildExtractElement(s->b, p->vector, tsr__i32(s->l, lane / each), "");
    LLVMValueRef made = LLVMBuildLShr(s->b, p->piece, tsr__i64(s->l, lane % each * p->bits), "");
    return LLVMBuildTrunc(s->b, made, LLVMIntTypeInContext(s->l->context, p->bits), "");
}

static void store_lanes(struct scatter *s)
{
    LLVMTypeRef i64 = LLVMInt64TypeInContext(s->l->context);
    struct pieces places = cut(s, s->index), values = cut(s, s->values);
    for (unsigned lane = 0; lane < s->lanes; lane++) {
        LLVMValueRef at = take(s, &places, lane), value = take(s, &values, lane);
        at = s->is_signed ? LLVMBuildSExt(s->b, at, i64, "") : LLVMBuildZExt(s->b, at, i64, "");
        LLVMValueRef store = LLVMBuildStore(s->b, value, LLVMBuildGEP2(s->b, s->place, s->base, &at, 1, ""));
        tsr__copy_memory_notes(s->call, store, tsr__argument_align(s->call, 1));
    }
    LLVMInstructionEraseFromParent(s->call);
}

bool tsr__pass_small_scatters(struct tsr__compilation *l, LLVMValueRef function)
{
    struct scatter s = {.l = l, .b = LLVMCreateBuilderInContext(l->context)};
    size_t count;
    LLVMValueRef *code = tsr__instructions(l, function, &count);
    bool any = false;
    for (size_t i = 0; i < count; i++) {
        if (!find_scatter(&s, code[i]))
            continue;
        LLVMPositionBuilderBefore(s.b, code[i]);
        store_lanes(&s);
        any = true;
    }
    LLVMDisposeBuilder(s.b);
    return !any || tsr__run_llvm_on(l, function, "dce");
}
