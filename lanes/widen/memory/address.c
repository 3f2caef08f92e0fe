/* SPDX-License-Identifier: Apache-2.0
 * Splits addresses into a uniform base and a varying index; and speculates on contiguous ones.
 *
 * A gather is fastest with a scalar base and 32-bit indices. The code generator finds these only if the extension of the index stands
 * right before the access. And an index that is varying as far as analysis can tell is often contiguous at run time: clamp(x + 1, 0, n -
 * 1) is, except at the edges. So such an index is compared with the contiguous one at run time.
 *
 * What an address is computed from, and which operations stay exact when extended, analysis/index_parts.h says, as it does for polynomials
 * (analysis/polynomial.h). The sums here are made for code: the base stays a pointer, a term is a value that the packet has in the block
 * being built, uniform or a vector, and what fits into an x86 addressing mode stays together. A polynomial is made to be compared: it
 * splits each value as far as possible, has products, and holds for any code. */
#include <string.h>

#include "lanes/widen/memory/access.h"
#include "lanes/ir/match.h"
#include "lanes/prepare/hoped_stride.h"
#include "lanes/prepare/versioning.h"

enum { MAX_DEPTH = 8 };

/* ---- taking apart ---- */

struct sum {
    struct tsr__widener *s;
    struct tsr__address *a;
    struct tsr__term uniform[TSR__ADDRESS_TERMS], varying[TSR__ADDRESS_TERMS];
    int uniform_count, varying_count;
    bool good;
};

static void add_sum_term(struct sum *sum, LLVMValueRef value, enum tsr__extension extension, int64_t scale)
{
    bool is_uniform = tsr__is_uniform(tsr__shape_here(sum->s, value));
    int *count = is_uniform ? &sum->uniform_count : &sum->varying_count;
    if (*count == TSR__ADDRESS_TERMS / 2) {
        sum->good = false;
        return;
    }
    (is_uniform ? sum->uniform : sum->varying)[(*count)++] = (struct tsr__term){value, extension, scale};
}

static void add_sum_index(struct sum *sum, LLVMValueRef v, enum tsr__extension extension, int64_t scale, int depth)
{
    struct tsr__parts p = tsr__parts_of(v, extension);
    int64_t scaled;
    if (p.kind == TSR__PARTS_CONSTANT) {
        sum->a->offset += p.constant * scale;
        return;
    }
    bool splits = depth && p.kind != TSR__PARTS_NONE && !tsr__is_uniform(tsr__shape_here(sum->s, v));
    if (splits && p.kind == TSR__PARTS_SUM && p.scale == 1) {
        add_sum_index(sum, p.first, p.extension, scale, depth - 1);
        add_sum_index(sum, p.second, p.extension, scale, depth - 1);
    } else if (splits && p.kind == TSR__PARTS_EXTENSION) {
        add_sum_index(sum, p.first, p.extension, scale, depth - 1);
    } else if (splits && p.kind == TSR__PARTS_MULTIPLE && extension == TSR__EXT_NONE && p.scale &&
               !__builtin_mul_overflow(scale, p.scale, &scaled)) {
        add_sum_index(sum, p.first, p.extension, scaled, depth - 1);
    } else {
        add_sum_term(sum, v, extension, scale);
    }
}

static void add_gep(struct sum *sum, LLVMValueRef gep)
{
    struct tsr__gep_index index;
    for (struct tsr__gep_walk walk = tsr__gep_walk(sum->s->layout, gep); tsr__gep_next(&walk, &index);) {
        if (index.is_constant)
            sum->a->offset += index.offset;
        else
            add_sum_index(sum, index.value, index.extension, index.bytes, MAX_DEPTH);
    }
}

static bool has_constant_indices(LLVMValueRef gep)
{
    for (int i = 1; i < LLVMGetNumOperands(gep); i++)
        if (!LLVMIsAConstantInt(LLVMGetOperand(gep, (unsigned)i)))
            return false;
    return true;
}

void tsr__address_sum(struct tsr__widener *s, LLVMValueRef pointer, struct tsr__address *a)
{
    struct sum sum = {.s = s, .a = a, .good = true};
    *a = (struct tsr__address){0};
    while (LLVMIsAGetElementPtrInst(pointer) && (!tsr__is_uniform(tsr__shape_here(s, pointer)) || has_constant_indices(pointer))) {
        add_gep(&sum, pointer);
        pointer = LLVMGetOperand(pointer, 0);
    }
    if (!sum.good)
        return;
    a->base = pointer;
    for (int i = 0; i < sum.uniform_count; i++)
        a->terms[a->count++] = sum.uniform[i];
    a->first_varying = a->count;
    for (int i = 0; i < sum.varying_count; i++)
        a->terms[a->count++] = sum.varying[i];
}

bool tsr__address_of(struct tsr__widener *s, LLVMValueRef pointer, struct tsr__address *a)
{
    if (LLVMGetTypeKind(LLVMTypeOf(pointer)) != LLVMPointerTypeKind)
        return false;
    tsr__address_sum(s, pointer, a);
    return a->base && a->count > a->first_varying && tsr__is_uniform(tsr__shape_here(s, a->base));
}

void tsr__address_prepare(struct tsr__widener *s, LLVMValueRef pointer)
{
    struct tsr__address a;
    if (!tsr__address_of(s, pointer, &a))
        return;
    tsr__note_use_in_block(s, a.base);
    for (int i = 0; i < a.count; i++)
        tsr__note_use_in_block(s, a.terms[i].value);
}

/* ---- putting together ---- */

static LLVMValueRef extend_index(struct tsr__widener *s, LLVMValueRef value, enum tsr__extension extension, LLVMTypeRef to)
{
    if (extension == TSR__EXT_NONE || LLVMTypeOf(value) == to)
        return value;
    return extension == TSR__EXT_SIGNED ? LLVMBuildSExt(s->b, value, to, "") : LLVMBuildZExt(s->b, value, to, "");
}

LLVMValueRef tsr__address_base(struct tsr__widener *s, const struct tsr__address *a)
{
    LLVMTypeRef i64 = LLVMInt64TypeInContext(s->l->context);
    LLVMValueRef p = tsr__scalar_of(s, a->base);
    for (int i = 0; i < a->first_varying; i++) {
        const struct tsr__term *t = &a->terms[i];
        LLVMValueRef bytes = extend_index(s, tsr__scalar_of(s, t->value), t->extension, i64);
        p = tsr__plus_bytes(s->l, s->b, p, LLVMBuildMul(s->b, bytes, LLVMConstInt(i64, (uint64_t)t->scale, true), ""));
    }
    return a->offset ? tsr__plus_bytes(s->l, s->b, p, LLVMConstInt(i64, (uint64_t)a->offset, true)) : p;
}

LLVMValueRef tsr__address_of_lane(struct tsr__widener *s, const struct tsr__address *a, LLVMValueRef base, unsigned lane)
{
    LLVMTypeRef i64 = LLVMInt64TypeInContext(s->l->context);
    for (int i = a->first_varying; i < a->count; i++) {
        const struct tsr__term *t = &a->terms[i];
        LLVMValueRef index = LLVMBuildExtractElement(s->b, tsr__component_of(s, t->value, 0), tsr__i32(s->l, lane), "");
        index = extend_index(s, index, t->extension, i64);
        base = tsr__plus_bytes(s->l, s->b, base, LLVMBuildMul(s->b, index, LLVMConstInt(i64, (uint64_t)t->scale, true), ""));
    }
    return base;
}

/* Sizes that x86's addresses multiply an index with. */
static bool legal_scale(int64_t scale)
{
    return scale == 1 || scale == 2 || scale == 4 || scale == 8;
}

/* Local and private memory is far smaller than 2 GiB: an offset in it has 32 bits, whatever its terms have. */
static bool has_short_offsets(const struct tsr__address *a)
{
    unsigned space = LLVMGetPointerAddressSpace(LLVMTypeOf(a->base));
    return space == 0 || space == 3;
}

LLVMValueRef tsr__address_lanes(struct tsr__widener *s, const struct tsr__address *a, bool gathers)
{
    LLVMContextRef c = s->l->context;
    LLVMTypeRef i32 = LLVMInt32TypeInContext(c), v32 = tsr__vector_of(s, i32), v64 = tsr__vector_of(s, LLVMInt64TypeInContext(c));
    LLVMValueRef base = tsr__address_base(s, a);
    const struct tsr__term *only = &a->terms[a->first_varying];
    if (a->count == a->first_varying + 1 && legal_scale(only->scale)) {
        LLVMValueRef index = tsr__component_of(s, only->value, 0);
        unsigned bits = LLVMGetIntTypeWidth(LLVMTypeOf(only->value));
        if (only->extension == TSR__EXT_ZERO && bits == 32 && gathers && !tsr__is_marked_no_wrap(s->l, only->value)) {
            /* Signed, from the middle of what it reaches; but tiles are to see of what an index is made that does not wrap. */
            index = LLVMBuildXor(s->b, index, tsr__splat(s, LLVMConstInt(i32, UINT32_C(1) << 31, false)), "");
            index = LLVMBuildSExt(s->b, index, v64, "");
            base = tsr__plus_bytes(s->l, s->b, base, tsr__i64(s->l, (UINT64_C(1) << 31) * (uint64_t)only->scale));
        } else if (only->extension != TSR__EXT_NONE && bits < 32)
            index = LLVMBuildSExt(s->b, extend_index(s, index, only->extension, v32), v64, "");
        else
            index = extend_index(s, index, only->extension, v64);
        return LLVMBuildGEP2(s->b, LLVMArrayType2(LLVMInt8TypeInContext(c), (uint64_t)only->scale), base, &index, 1, "");
    }
    bool is_short = has_short_offsets(a);
    LLVMTypeRef type = is_short ? v32 : v64, scalar = LLVMGetElementType(type);
    LLVMValueRef sum = NULL;
    for (int i = a->first_varying; i < a->count; i++) {
        const struct tsr__term *t = &a->terms[i];
        LLVMValueRef index = tsr__component_of(s, t->value, 0);
        unsigned bits = LLVMGetIntTypeWidth(LLVMTypeOf(t->value)), wanted = LLVMGetIntTypeWidth(scalar);
        index = bits > wanted ? LLVMBuildTrunc(s->b, index, type, "") : bits < wanted ? extend_index(s, index, t->extension, type) : index;
        index = LLVMBuildMul(s->b, index, tsr__splat(s, LLVMConstInt(scalar, (uint64_t)t->scale, true)), "");
        sum = sum ? LLVMBuildAdd(s->b, sum, index, "") : index;
    }
    if (is_short)
        sum = LLVMBuildSExt(s->b, sum, v64, "");
    return tsr__plus_bytes(s->l, s->b, base, sum);
}

/* ---- speculation ---- */

static struct tsr__shape shape_here(void *widener, LLVMValueRef v)
{
    return tsr__shape_here(widener, v);
}

static int64_t speculated_stride(struct tsr__widener *s, LLVMValueRef v)
{
    return tsr__hoped_stride(&(struct tsr__hope){shape_here, s, s->from}, v);
}

int64_t tsr__speculated_stride(struct tsr__widener *s, const struct tsr__address *a)
{
    int64_t sum = 0, bytes;
    for (int i = a->first_varying; i < a->count; i++) {
        int64_t stride = speculated_stride(s, a->terms[i].value);
        if (stride <= -TSR__MOST_HOPED_STRIDE || stride >= TSR__MOST_HOPED_STRIDE ||
            __builtin_mul_overflow(stride, a->terms[i].scale, &bytes) || __builtin_add_overflow(sum, bytes, &sum))
            return 0;
    }
    return sum;
}

/* Whether a term's lanes are that far apart; its number in lane 0, with 64 bits. */
static LLVMValueRef term_test(struct tsr__widener *s, const struct tsr__term *t, LLVMValueRef *first)
{
    LLVMContextRef c = s->l->context;
    LLVMTypeRef type = LLVMTypeOf(t->value);
    int64_t stride = speculated_stride(s, t->value);
    LLVMValueRef start, yes = LLVMConstInt(LLVMInt1TypeInContext(c), 1, false);
    tsr__component_of(s, t->value, 0); /* for tsr__address_lanes, in whichever branch */
    if (!tsr__is_varying(tsr__shape_here(s, t->value))) {
        start = LLVMBuildFreeze(s->b, tsr__scalar_of(s, t->value), "");
    } else {
        /* All lanes must be that far apart, absent ones, too: then lane 0 stands for all. */
        LLVMValueRef lanes = LLVMBuildFreeze(s->b, tsr__component_of(s, t->value, 0), "");
        start = LLVMBuildExtractElement(s->b, lanes, tsr__i32(s->l, 0), "");
        LLVMValueRef wanted = LLVMBuildAdd(s->b, tsr__splat(s, start), tsr__iota(s, type, stride), "");
        LLVMValueRef bits = tsr__mask_bits(s, LLVMBuildICmp(s->b, LLVMIntEQ, lanes, wanted, ""));
        yes = LLVMBuildICmp(s->b, LLVMIntEQ, bits, LLVMConstAllOnes(LLVMTypeOf(bits)), "");
    }
    *first = extend_index(s, start, t->extension, LLVMInt64TypeInContext(c));
    if (t->extension == TSR__EXT_NONE || !stride)
        return yes;
    /* Nor may the extension see them wrap. */
    bool is_signed = t->extension == TSR__EXT_SIGNED, up = stride > 0;
    unsigned bits = LLVMGetIntTypeWidth(type);
    uint64_t span = (uint64_t)(up ? stride : -stride) * (s->width - 1);
    uint64_t most = is_signed ? (UINT64_C(1) << (bits - 1)) - 1 : UINT64_MAX >> (64 - bits), least = is_signed ? most + 1 : 0;
    if (span >= most)
        return LLVMConstInt(LLVMInt1TypeInContext(c), 0, false);
    LLVMIntPredicate below = is_signed ? (up ? LLVMIntSLE : LLVMIntSGE) : (up ? LLVMIntULE : LLVMIntUGE);
    LLVMValueRef bound = LLVMConstInt(type, up ? most - span : least + span, false);
    return LLVMBuildAnd(s->b, yes, LLVMBuildICmp(s->b, below, start, bound, ""), "");
}

LLVMValueRef tsr__stride_test(struct tsr__widener *s, const struct tsr__address *a, LLVMValueRef *first)
{
    LLVMContextRef c = s->l->context;
    LLVMTypeRef i64 = LLVMInt64TypeInContext(c);
    LLVMValueRef yes = LLVMConstInt(LLVMInt1TypeInContext(c), 1, false), bytes = tsr__i64(s->l, 0);
    for (int i = a->first_varying; i < a->count; i++) {
        LLVMValueRef start, scale = LLVMConstInt(i64, (uint64_t)a->terms[i].scale, true);
        yes = LLVMBuildAnd(s->b, yes, term_test(s, &a->terms[i], &start), "");
        bytes = LLVMBuildAdd(s->b, bytes, LLVMBuildMul(s->b, start, scale, ""), "");
    }
    *first = tsr__plus_bytes(s->l, s->b, tsr__address_base(s, a), bytes);
    return yes;
}
