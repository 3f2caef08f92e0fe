/* SPDX-License-Identifier: Apache-2.0
 * Lowers the matrix operations of packets to vector instructions (those that the pass `tiles` left).
 *
 * Lane n holds column n of B and D. So row r of D grows, eight times, by the dot product of one word of A's row r, the same for all
 * lanes, with one vector of B. A and B are first *prepared*: converted to the operand types of the instruction. A goes through a buffer
 * on the stack, from which a broadcasting load reads each word: that needs no shuffle. */
#include <string.h>

#include "lanes/ir/explain.h"
#include "lanes/ir/mad_op.h"
#include "lanes/ir/shuffles.h"

enum { MAX_PIECES = 2, ROW_BYTES = 4 * TSR__WORDS /* of A */ };

/* ---- which instructions ---- */

/* How a word of A meets a vector of B. */
enum unit {
    UNIT_VNNI, /* 4 products of unsigned by signed bytes */
    UNIT_WORD, /* 2 products of signed 16-bit numbers */
    UNIT_PAIR, /* 2 products of bfloat16 */
    UNIT_FMA,  /* 1 product of floats, in the order of k */
};

static bool has_vnni(const struct tsr__compilation *l)
{
    return tsr__has(l, TSR_CPU_AVXVNNI) || (tsr__has(l, TSR_CPU_AVX512VNNI) && tsr__has(l, TSR_CPU_AVX512VL));
}

static enum unit choose_unit(const struct tsr__compilation *l, const struct tsr_matrix_builtin *f)
{
    if (f->ec != TSR_ELEMENT_S32)
        return f->ea == TSR_ELEMENT_BF16 && tsr__has(l, TSR_CPU_BF16_PAIRS) ? UNIT_PAIR : UNIT_FMA;
    return has_vnni(l) ? UNIT_VNNI : UNIT_WORD;
}

struct instruction {
    const char *name;
    unsigned lanes;
    enum tsr_cpu_feature feature;
};

/* For vectors of as many lanes; the first that the CPU has and that is not too long. AVX-VNNI and AVX-512 share their names. */
static const struct instruction instructions[][3] = {
    [UNIT_VNNI] = {{"llvm.x86.avx512.vpdpbusd.512", 16, TSR_CPU_AVX512VNNI}, {"llvm.x86.avx512.vpdpbusd.256", 8, TSR_CPU_AVX2}},
    [UNIT_WORD] = {{"llvm.x86.avx512.pmaddw.d.512", 16, TSR_CPU_AVX512BW},
                   {"llvm.x86.avx2.pmadd.wd", 8, TSR_CPU_AVX2},
                   {"llvm.x86.sse2.pmadd.wd", 4, TSR_CPU_COUNT}},
    [UNIT_PAIR] = {{"llvm.x86.avx512bf16.dpbf16ps.512", 16, TSR_CPU_BF16_PAIRS},
                   {"llvm.x86.avx512bf16.dpbf16ps.256", 8, TSR_CPU_BF16_PAIRS}},
};

/* ---- one operation ---- */

/* How the operands of an integer product are read. */
struct signs {
    bool a, b;       /* as signed numbers, once prepared */
    unsigned bias_a; /* added to each element of A */
    bool correct_up; /* what the bias makes too much or too little of is added, not subtracted */
};

/* Prepared B of a block, for the operations that share it. */
struct prepared {
    struct prepared *next;
    enum unit unit;
    enum tsr_element element;
    bool is_signed;
    unsigned bias;
    LLVMValueRef from[TSR__WORDS];              /* its vectors */
    LLVMValueRef made[MAX_PIECES * TSR__WORDS]; /* vectors in the order of k */
    LLVMValueRef correction;                    /* for A's bias, or NULL */
};

struct lower {
    struct tsr__compilation *l;
    LLVMBuilderRef b;
    struct tsr__mad mad;
    enum unit unit;
    struct signs signs;
    LLVMBasicBlockRef block;
    struct prepared *bs; /* of this block */
    LLVMValueRef buffer; /* for A of one operation after the other */
};

static LLVMTypeRef i32_vector(struct lower *o, unsigned lanes)
{
    return LLVMVectorType(LLVMInt32TypeInContext(o->l->context), lanes);
}

static LLVMValueRef shift_by(struct lower *o, LLVMOpcode op, LLVMValueRef x, unsigned by)
{
    return by ? LLVMBuildBinOp(o->b, op, x, tsr__splat_number(LLVMTypeOf(x), by), "") : x;
}

static LLVMValueRef as_type(struct lower *o, LLVMValueRef x, LLVMTypeRef type)
{
    return LLVMBuildBitCast(o->b, x, type, "");
}

static LLVMValueRef call_intrinsic(struct lower *o, const char *name, LLVMTypeRef *types, size_t type_count, LLVMValueRef *args,
                                   unsigned count)
{
    LLVMValueRef f = tsr__intrinsic(o->l, name, types, type_count);
    for (unsigned i = 0; i < count; i++)
        args[i] = as_type(o, args[i], LLVMTypeOf(LLVMGetParam(f, i)));
    return LLVMBuildCall2(o->b, LLVMGlobalGetValueType(f), f, args, count, "");
}

static LLVMValueRef slice_elements(struct lower *o, LLVMValueRef x, unsigned first, unsigned count)
{
    return LLVMGetVectorSize(LLVMTypeOf(x)) == count ? x : tsr__take_lanes(o->l, o->b, x, NULL, first, count);
}

/* ---- preparation ---- */

static unsigned piece_count(enum unit unit, enum tsr_element e)
{
    switch (unit) {
    case UNIT_VNNI:
    case UNIT_PAIR:
        return 1;
    case UNIT_WORD:
        return 2;
    default:
        return e == TSR_ELEMENT_TF32 ? 1 : 2;
    }
}

/* 16-bit numbers of each word, piece `p`: lower or upper bytes. */
static LLVMValueRef word_piece(struct lower *o, LLVMValueRef x, unsigned p, bool is_signed)
{
    LLVMTypeRef type = LLVMTypeOf(x), halves = LLVMVectorType(LLVMInt16TypeInContext(o->l->context), 2 * LLVMGetVectorSize(type));
    x = shift_by(o, LLVMShl, as_type(o, x, halves), 8 - 8 * p);
    return as_type(o, shift_by(o, is_signed ? LLVMAShr : LLVMLShr, x, 8), type);
}

/* A NaN stays one even if only the bits said so that tf32 does not have. */
static LLVMValueRef tf32_operand(struct lower *o, LLVMValueRef x)
{
    LLVMTypeRef type = LLVMTypeOf(x);
    LLVMValueRef magnitude = LLVMBuildAnd(o->b, x, tsr__splat_number(type, 0x7fffffff), "");
    LLVMValueRef is_nan = LLVMBuildICmp(o->b, LLVMIntUGT, magnitude, tsr__splat_number(type, 0x7f800000), "");
    x = LLVMBuildSelect(o->b, is_nan, LLVMBuildOr(o->b, x, tsr__splat_number(type, 0x400000), ""), x, "");
    return LLVMBuildAnd(o->b, x, tsr__splat_number(type, 0xffffe000), "");
}

/* Float `p` of each word. */
static LLVMValueRef float_piece(struct lower *o, LLVMValueRef x, enum tsr_element e, unsigned p)
{
    LLVMContextRef c = o->l->context;
    LLVMTypeRef type = LLVMTypeOf(x);
    unsigned lanes = LLVMGetVectorSize(type);
    LLVMTypeRef floats = LLVMVectorType(LLVMFloatTypeInContext(c), lanes);
    if (e == TSR_ELEMENT_TF32)
        return as_type(o, tf32_operand(o, x), floats);
    if (e == TSR_ELEMENT_BF16)
        return as_type(o, p ? LLVMBuildAnd(o->b, x, tsr__splat_number(type, 0xffff0000), "") : shift_by(o, LLVMShl, x, 16), floats);
    x = LLVMBuildTrunc(o->b, shift_by(o, LLVMLShr, x, 16 * p), LLVMVectorType(LLVMInt16TypeInContext(c), lanes), "");
    return LLVMBuildFPExt(o->b, as_type(o, x, LLVMVectorType(LLVMHalfTypeInContext(c), lanes)), floats, "");
}

static LLVMValueRef operand_piece(struct lower *o, LLVMValueRef x, enum tsr_element e, unsigned p, bool is_signed, unsigned bias)
{
    switch (o->unit) {
    case UNIT_VNNI:
        return bias ? LLVMBuildXor(o->b, x, tsr__splat_number(LLVMTypeOf(x), 0x01010101u * bias), "") : x;
    case UNIT_WORD:
        return word_piece(o, x, p, is_signed);
    case UNIT_PAIR:
        return x;
    default:
        return float_piece(o, x, e, p);
    }
}

/* VNNI multiplies unsigned by signed bytes. Where both are of one kind, A is moved into the other one's range: a signed number s becomes
 * s + 128, an unsigned one u becomes u - 128, both by turning the highest bit. */
static struct signs signs_of(enum unit unit, const struct tsr_matrix_builtin *f)
{
    bool a = f->ea == TSR_ELEMENT_S8, b = f->eb == TSR_ELEMENT_S8;
    if (unit != UNIT_VNNI || a != b)
        return (struct signs){.a = a, .b = b};
    return (struct signs){.a = !a, .b = b, .bias_a = 128, .correct_up = !a};
}

/* ---- products ---- */

static LLVMValueRef word_product(struct lower *o, const struct instruction *i, LLVMValueRef acc, LLVMValueRef x, LLVMValueRef y)
{
    LLVMValueRef args[2] = {x, y};
    return LLVMBuildAdd(o->b, acc, call_intrinsic(o, i->name, NULL, 0, args, 2), "");
}

static LLVMValueRef added_product(struct lower *o, const struct instruction *i, LLVMValueRef acc, LLVMValueRef x, LLVMValueRef y)
{
    LLVMValueRef args[3] = {acc, x, y};
    return call_intrinsic(o, i->name, NULL, 0, args, 3);
}

/* acc + x·y in each lane; for VNNI x is the unsigned one. */
static LLVMValueRef dot_product(struct lower *o, LLVMValueRef acc, LLVMValueRef x, LLVMValueRef y)
{
    const struct instruction *i = instructions[o->unit];
    unsigned lanes = LLVMGetVectorSize(LLVMTypeOf(acc));
    while (i->lanes > lanes || (i->feature != TSR_CPU_COUNT && !tsr__has(o->l, i->feature)))
        i++;
    LLVMValueRef parts[8];
    unsigned n = lanes / i->lanes;
    for (unsigned k = 0; k < n; k++) {
        LLVMValueRef c = slice_elements(o, acc, k * i->lanes, i->lanes), u = slice_elements(o, x, k * i->lanes, i->lanes),
                     v = slice_elements(o, y, k * i->lanes, i->lanes);
        parts[k] = o->unit == UNIT_WORD ? word_product(o, i, c, u, v) : added_product(o, i, c, u, v);
    }
    for (; n > 1; n /= 2)
        for (unsigned k = 0; k < n / 2; k++)
            parts[k] = tsr__concat_pair(o->l, o->b, parts[2 * k], parts[2 * k + 1]);
    return parts[0];
}

static LLVMValueRef add_product(struct lower *o, LLVMValueRef acc, LLVMValueRef a, LLVMValueRef b)
{
    if (o->unit == UNIT_FMA) {
        LLVMTypeRef type = LLVMTypeOf(acc);
        LLVMValueRef args[3] = {a, b, acc};
        return call_intrinsic(o, "llvm.fma", &type, 1, args, 3);
    }
    /* LLVM's code generator makes a load of a word for all lanes part of the instruction as the second operand alone. */
    return o->signs.a || o->unit != UNIT_VNNI ? dot_product(o, acc, b, a) : dot_product(o, acc, a, b);
}

/* ---- operands ---- */

static bool same_vectors(const LLVMValueRef *b, const struct tsr__mad *mad)
{
    for (unsigned i = 0; i < TSR__WORDS; i++)
        if (b[i] != tsr__mad_b(mad, i))
            return false;
    return true;
}

static struct prepared *find_prepared(const struct lower *o, const struct prepared *like)
{
    for (struct prepared *p = o->bs; p; p = p->next)
        if (p->unit == like->unit && p->element == like->element && p->is_signed == like->is_signed && p->bias == like->bias &&
            same_vectors(p->from, &o->mad))
            return p;
    return NULL;
}

/* The sum of each column of B times A's bias. */
static LLVMValueRef bias_correction(struct lower *o, const struct prepared *p, unsigned count)
{
    LLVMTypeRef type = LLVMTypeOf(p->made[0]);
    LLVMValueRef sum = LLVMConstNull(type);
    bool half = o->signs.a; /* 128 is no signed byte: twice 64 */
    LLVMValueRef bias = tsr__splat_number(type, 0x01010101u * (half ? 64 : o->signs.bias_a));
    for (unsigned i = 0; i < count; i++)
        sum = add_product(o, sum, bias, p->made[i]);
    return shift_by(o, LLVMShl, sum, half);
}

static struct prepared *prepared_b(struct lower *o)
{
    const struct tsr__mad *mad = &o->mad;
    struct prepared like = {.next = o->bs, .unit = o->unit, .element = mad->f->eb, .is_signed = o->signs.b, .bias = o->signs.bias_a};
    struct prepared *p = find_prepared(o, &like);
    if (p)
        return p;
    p = o->bs = tsr_arena_alloc(&o->l->scratch, sizeof *p);
    *p = like;
    for (unsigned i = 0; i < TSR__WORDS; i++)
        p->from[i] = tsr__mad_b(mad, i);
    unsigned pieces = piece_count(o->unit, mad->f->eb);
    for (unsigned i = 0; i < TSR__WORDS; i++)
        for (unsigned k = 0; k < pieces; k++)
            p->made[i * pieces + k] = operand_piece(o, tsr__mad_b(mad, i), mad->f->eb, k, o->signs.b, 0);
    if (o->signs.bias_a)
        p->correction = bias_correction(o, p, TSR__WORDS * pieces);
    return p;
}

/* The vectors of A one after the other are its rows of 32 bytes. In the buffer, the words of piece 0 of all rows come first.
 *
 * Operations that share A write it again: LLVM would load each word once for all of them, and then keep what has no register on the stack,
 * in vectors with that word in all lanes. */
static void write_a(struct lower *o)
{
    const struct tsr__mad *mad = &o->mad;
    unsigned bits = mad->f->a_size * 8 / mad->a_count, in_vector = mad->lanes * bits / 32, pieces = piece_count(o->unit, mad->f->ea);
    unsigned plane = mad->a_count * in_vector * 4;
    for (unsigned i = 0; i < mad->a_count; i++) {
        LLVMValueRef row = as_type(o, tsr__mad_a(mad, i), i32_vector(o, in_vector));
        for (unsigned k = 0; k < pieces; k++) {
            LLVMValueRef to = tsr__at_offset(o->l, o->b, o->buffer, k * plane + i * in_vector * 4);
            LLVMSetAlignment(LLVMBuildStore(o->b, operand_piece(o, row, mad->f->ea, k, o->signs.a, o->signs.bias_a), to), 32);
        }
    }
}

static LLVMValueRef a_word(struct lower *o, unsigned row, unsigned k, unsigned pieces)
{
    const struct tsr__mad *mad = &o->mad;
    LLVMTypeRef type = o->unit == UNIT_FMA ? LLVMFloatTypeInContext(o->l->context) : LLVMInt32TypeInContext(o->l->context);
    unsigned plane = mad->lanes * mad->f->a_size;
    unsigned offset = k % pieces * plane + ROW_BYTES * row + k / pieces * 4;
    LLVMValueRef word = LLVMBuildLoad2(o->b, type, tsr__at_offset(o->l, o->b, o->buffer, offset), "");
    LLVMSetAlignment(word, 4);
    return tsr__splat_scalar(o->l, o->b, word, o->mad.lanes);
}

/* ---- C and D ---- */

static LLVMValueRef widen_accumulator(struct lower *o, LLVMValueRef c)
{
    enum tsr_element e = o->mad.f->ec;
    LLVMTypeRef floats = LLVMVectorType(LLVMFloatTypeInContext(o->l->context), o->mad.lanes);
    if (e == TSR_ELEMENT_F16)
        return LLVMBuildFPExt(o->b, c, floats, "");
    if (e != TSR_ELEMENT_BF16)
        return c;
    LLVMValueRef bits = LLVMBuildZExt(o->b, c, i32_vector(o, o->mad.lanes), "");
    return as_type(o, shift_by(o, LLVMShl, bits, 16), floats);
}

/* To bfloat16: nearest even, and NaNs stay NaNs. */
static LLVMValueRef rounded_to_bf16(struct lower *o, LLVMValueRef d)
{
    LLVMTypeRef type = i32_vector(o, o->mad.lanes);
    LLVMValueRef bits = as_type(o, d, type);
    LLVMValueRef is_nan = LLVMBuildFCmp(o->b, LLVMRealUNO, d, d, "");
    LLVMValueRef odd = LLVMBuildAnd(o->b, shift_by(o, LLVMLShr, bits, 16), tsr__splat_number(type, 1), "");
    LLVMValueRef up = LLVMBuildAdd(o->b, bits, LLVMBuildAdd(o->b, odd, tsr__splat_number(type, 0x7fff), ""), "");
    LLVMValueRef made = LLVMBuildSelect(o->b, is_nan, LLVMBuildOr(o->b, bits, tsr__splat_number(type, 0x400000), ""), up, "");
    LLVMTypeRef shorts = LLVMVectorType(LLVMInt16TypeInContext(o->l->context), o->mad.lanes);
    return LLVMBuildTrunc(o->b, shift_by(o, LLVMLShr, made, 16), shorts, "");
}

static LLVMValueRef narrow_result(struct lower *o, LLVMValueRef d)
{
    enum tsr_element e = o->mad.f->ec;
    if (e == TSR_ELEMENT_F16)
        return LLVMBuildFPTrunc(o->b, d, LLVMVectorType(LLVMHalfTypeInContext(o->l->context), o->mad.lanes), "");
    return e == TSR_ELEMENT_BF16 ? rounded_to_bf16(o, d) : d;
}

/* ---- the pass ---- */

static void explain_mad(struct lower *o)
{
    static const char *const names[] = {
        [UNIT_VNNI] = "VPDPBUSD", [UNIT_WORD] = "VPMADDWD", [UNIT_PAIR] = "VDPBF16PS", [UNIT_FMA] = "VFMADD"};
    static const char *const why[] = {
        [UNIT_VNNI] = "four products of bytes at once",
        [UNIT_WORD] = "two products of 16-bit numbers at once: there is no VNNI on this CPU, or TESSERA_CPU does without",
        [UNIT_PAIR] = "two products of bfloat16 at once, the second one added first",
        [UNIT_FMA] = "one product of floats at once, rounded in the order of k",
    };
    const char *no_tiles = tsr__mad_why(o->l, o->mad.call);
    tsr__explain(o->l, o->mad.call, "matrix", names[o->unit], "%s for %u lanes%s: %s; not in tiles: %s", o->mad.called->name, o->mad.lanes,
                 tsr__mad_origin(&o->mad), why[o->unit],
                 no_tiles ? no_tiles : "there are none on this CPU, or TESSERA_CPU or TESSERA_TILES does without");
}

static void lower_mad(struct lower *o)
{
    const struct tsr__mad *mad = &o->mad;
    LLVMValueRef rows[TSR__MAX_M];
    o->unit = choose_unit(o->l, mad->f);
    o->signs = signs_of(o->unit, mad->f);
    explain_mad(o);
    LLVMPositionBuilderBefore(o->b, mad->call);
    const struct prepared *b = prepared_b(o);
    write_a(o);
    unsigned pieces = piece_count(o->unit, mad->f->ea);
    for (unsigned r = 0; r < mad->f->m; r++)
        rows[r] = widen_accumulator(o, tsr__mad_c(mad, r));
    for (unsigned k = 0; k < TSR__WORDS * pieces; k++)
        for (unsigned r = 0; r < mad->f->m; r++)
            rows[r] = add_product(o, rows[r], a_word(o, r, k, pieces), b->made[k]);
    for (unsigned r = 0; r < mad->f->m && b->correction; r++) /* last, as it is a chain of operations of its own */
        rows[r] = o->signs.correct_up ? LLVMBuildAdd(o->b, rows[r], b->correction, "") : LLVMBuildSub(o->b, rows[r], b->correction, "");
    for (unsigned r = 0; r < mad->f->m; r++)
        rows[r] = narrow_result(o, rows[r]);
    tsr__mad_replace(o->l, mad, rows);
}

/* All operations of a function, in order. */
static struct tsr__mad *find_operations(struct tsr__compilation *l, LLVMValueRef function, size_t *count)
{
    size_t n;
    LLVMValueRef *code = tsr__instructions(l, function, &n);
    struct tsr__mad *found = tsr_arena_alloc(&l->scratch, (n + 1) * sizeof *found);
    *count = 0;
    for (size_t i = 0; i < n; i++)
        *count += tsr__mad_read(code[i], &found[*count]);
    return found;
}

bool tsr__pass_lower_mad(struct tsr__compilation *l)
{
    size_t function_count;
    LLVMValueRef *functions = tsr__defined_functions(l, &function_count);
    for (size_t i = 0; i < function_count; i++) {
        size_t n;
        tsr__nibbles_lower(l, functions[i]);
        const struct tsr__mad *mads = find_operations(l, functions[i], &n);
        if (!n)
            continue;
        tsr__set_fn_text(l, functions[i], TSR__PRODUCTS, "");
        struct lower o = {.l = l, .b = tsr__builder_at_entry(l, functions[i])};
        o.buffer = LLVMBuildAlloca(o.b, LLVMArrayType2(LLVMInt8TypeInContext(l->context), TSR__MAX_M * ROW_BYTES * MAX_PIECES), "a");
        LLVMSetAlignment(o.buffer, 64);
        for (size_t k = 0; k < n; k++) {
            LLVMBasicBlockRef block = LLVMGetInstructionParent(mads[k].call);
            if (block != o.block)
                o.bs = NULL;
            o.block = block;
            o.mad = mads[k];
            lower_mad(&o);
        }
        LLVMDisposeBuilder(o.b);
    }
    return true;
}
