/* SPDX-License-Identifier: Apache-2.0
 * The library's collectives (builtins/collective.h) in a packet: shuffles, ballots, reductions and scans between the lanes of registers. */
#include <math.h>
#include <string.h>

#include "simd.h"
#include "tessera/item.h"

/* ---- operations --------------------------------------------------------------------------------------------------------------------- */

/* Neutral elements of integers: all bits alike, one, or the end of the numbers that is farthest from what the operation looks for. */
enum neutral { ZERO, ONE, ONES, HIGHEST, LOWEST };

static const struct operation {
    const char *name;
    LLVMOpcode integer, floating; /* 0: a comparison and a select */
    enum neutral neutral;
} operations[] = {
    {"add", LLVMAdd, LLVMFAdd, ZERO}, {"mul", LLVMMul, LLVMFMul, ONE}, {"min", 0, 0, HIGHEST},    {"max", 0, 0, LOWEST},
    {"and", LLVMAnd, 0, ONES},        {"or", LLVMOr, 0, ZERO},         {"xor", LLVMXor, 0, ZERO},
};

/* An operation on one type, as the end of a collective's name says: "…_add_int". */
struct fold {
    const struct operation *op;
    LLVMTypeRef type;
    bool is_float, is_unsigned;
};

static struct fold fold_of(LLVMValueRef inst)
{
    struct fold f = {.type = LLVMTypeOf(inst)};
    const char *name = tsr__name(tsr__callee(inst)), *type = strrchr(name, '_') + 1;
    for (size_t i = 0; i < TSR_ARRAY_LEN(operations); i++) {
        size_t length = strlen(operations[i].name);
        if (!strncmp(type - 1 - length, operations[i].name, length) && type[-2 - (ptrdiff_t)length] == '_')
            f.op = &operations[i];
    }
    f.is_float = LLVMGetTypeKind(f.type) != LLVMIntegerTypeKind;
    f.is_unsigned = *type == 'u';
    return f;
}

/* What a lane that is not there stands for: x + -0.0 is x even if x is -0.0. */
static LLVMValueRef absent(const struct fold *f)
{
    enum neutral n = f->op->neutral;
    if (f->is_float)
        return LLVMConstReal(f->type, n == ZERO ? -0.0 : n == ONE ? 1.0 : n == HIGHEST ? HUGE_VAL : -HUGE_VAL);
    LLVMValueRef ones = LLVMConstAllOnes(f->type);
    uint64_t top = UINT64_C(1) << (LLVMGetIntTypeWidth(f->type) - 1);
    switch (n) {
    case ONES:
        return ones;
    case HIGHEST:
        return f->is_unsigned ? ones : LLVMConstInt(f->type, top - 1, false);
    case LOWEST:
        return LLVMConstInt(f->type, f->is_unsigned ? 0 : top, false);
    default:
        return LLVMConstInt(f->type, n == ONE, false);
    }
}

static LLVMValueRef neutral(const struct fold *f)
{
    return f->is_float && f->op->neutral == ZERO ? LLVMConstNull(f->type) : absent(f);
}

static LLVMValueRef combine(struct tsr__simd *s, const struct fold *f, LLVMValueRef a, LLVMValueRef b)
{
    LLVMOpcode plain = f->is_float ? f->op->floating : f->op->integer;
    if (plain)
        return LLVMBuildBinOp(s->b, plain, a, b, "");
    bool least = f->op->neutral == HIGHEST;
    LLVMValueRef low = least ? b : a, high = least ? a : b;
    if (!f->is_float) {
        LLVMValueRef less = LLVMBuildICmp(s->b, f->is_unsigned ? LLVMIntULT : LLVMIntSLT, low, high, "");
        return LLVMBuildSelect(s->b, less, b, a, "");
    }
    LLVMValueRef better = LLVMBuildSelect(s->b, LLVMBuildFCmp(s->b, LLVMRealOLT, low, high, ""), b, a, "");
    return LLVMBuildSelect(s->b, LLVMBuildFCmp(s->b, LLVMRealUNO, a, a, ""), b, better, "");
}

/* ---- permutations ------------------------------------------------------------------------------------------------------------------- */

enum { MAX_LANES = 64 };

/* Lane i of the result is lane from(i) of x, or of y from the width on. */
static LLVMValueRef pick(struct tsr__simd *s, LLVMValueRef x, LLVMValueRef y, const unsigned *from, unsigned count)
{
    LLVMValueRef indices[MAX_LANES];
    for (unsigned i = 0; i < count; i++)
        indices[i] = tsr__i32(s->l, from[i]);
    return LLVMBuildShuffleVector(s->b, x, y ? y : LLVMGetPoison(LLVMTypeOf(x)), LLVMConstVector(indices, count), "");
}

static LLVMValueRef slice(struct tsr__simd *s, LLVMValueRef x, unsigned first, unsigned count)
{
    unsigned from[MAX_LANES];
    for (unsigned i = 0; i < count; i++)
        from[i] = first + i;
    return pick(s, x, NULL, from, count);
}

static LLVMValueRef join(struct tsr__simd *s, LLVMValueRef low, LLVMValueRef high)
{
    unsigned from[MAX_LANES], count = 2 * LLVMGetVectorSize(LLVMTypeOf(low));
    for (unsigned i = 0; i < count; i++)
        from[i] = i;
    return pick(s, low, high, from, count);
}

/* x of `distance` lanes below; `fill` where there is none. */
static LLVMValueRef shifted_up(struct tsr__simd *s, LLVMValueRef x, LLVMValueRef fill, unsigned distance)
{
    unsigned from[MAX_LANES];
    for (unsigned i = 0; i < s->width; i++)
        from[i] = i < distance ? s->width : i - distance;
    return pick(s, x, tsr__splat(s, fill), from, s->width);
}

/* Instructions that permute the elements of one register, or of two, by those of another. They look at the low bits of an index only. */
static const struct permute {
    unsigned bits, lanes;
    enum tsr_cpu_feature needs[2];
    const char *one, *two; /* sources */
} permutes[] = {
    {8, 32, {TSR_CPU_AVX512VBMI, TSR_CPU_AVX512VL}, "llvm.x86.avx512.permvar.qi.256", NULL},
    {8, 16, {TSR_CPU_AVX512VBMI, TSR_CPU_AVX512VL}, "llvm.x86.avx512.permvar.qi.128", NULL},
    {16, 32, {TSR_CPU_AVX512BW, TSR_CPU_AVX512BW}, "llvm.x86.avx512.permvar.hi.512", NULL},
    {16, 16, {TSR_CPU_AVX512BW, TSR_CPU_AVX512VL}, "llvm.x86.avx512.permvar.hi.256", NULL},
    {16, 8, {TSR_CPU_AVX512BW, TSR_CPU_AVX512VL}, "llvm.x86.avx512.permvar.hi.128", NULL},
    {32, 16, {TSR_CPU_AVX512F, TSR_CPU_AVX512F}, "llvm.x86.avx512.permvar.si.512", "llvm.x86.avx512.vpermi2var.d.512"},
    {32, 8, {TSR_CPU_AVX2, TSR_CPU_AVX2}, "llvm.x86.avx2.permd", NULL},
    {64, 8, {TSR_CPU_AVX512F, TSR_CPU_AVX512F}, "llvm.x86.avx512.permvar.di.512", "llvm.x86.avx512.vpermi2var.q.512"},
};

/* For elements of at least `bits` bits: one that permutes a packet at once, else one for pieces of it. */
static const struct permute *permute_for(const struct tsr__simd *s, unsigned bits)
{
    uint64_t features = s->l->options->cpu_features;
    const struct permute *pieces = NULL;
    for (size_t i = 0; i < TSR_ARRAY_LEN(permutes); i++) {
        const struct permute *p = &permutes[i];
        if (p->bits < bits || p->lanes > s->width || !(features >> p->needs[0] & features >> p->needs[1] & 1))
            continue;
        if (p->lanes == s->width)
            return p;
        pieces = pieces ? pieces : p;
    }
    return pieces;
}

static LLVMValueRef call(struct tsr__simd *s, const char *intrinsic, LLVMValueRef *args, unsigned count)
{
    LLVMValueRef f = LLVMGetIntrinsicDeclaration(s->l->module, LLVMLookupIntrinsicID(intrinsic, strlen(intrinsic)), NULL, 0);
    return LLVMBuildCall2(s->b, LLVMGlobalGetValueType(f), f, args, count, "");
}

/* One register of the result: looks up `index` in the `count` registers of the source. */
static LLVMValueRef look_up(struct tsr__simd *s, const struct permute *p, const LLVMValueRef *source, unsigned count, LLVMValueRef index)
{
    LLVMValueRef found[MAX_LANES];
    LLVMTypeRef type = LLVMTypeOf(index);
    unsigned pairs = count > 1 && p->two ? 2 : 1, reach = p->lanes * pairs; /* indices that one instruction tells apart */
    for (unsigned i = 0; i < count / pairs; i++) {
        LLVMValueRef one[2] = {source[i], index}, two[3] = {source[2 * i], index, source[2 * i + 1 < count ? 2 * i + 1 : 0]};
        found[i] = pairs == 2 ? call(s, p->two, two, 3) : call(s, p->one, one, 2);
    }
    for (count /= pairs; count > 1; count /= 2, reach *= 2) {
        LLVMValueRef bits[MAX_LANES];
        for (unsigned i = 0; i < p->lanes; i++)
            bits[i] = LLVMConstInt(LLVMGetElementType(type), reach, false);
        LLVMValueRef bit = LLVMConstVector(bits, p->lanes);
        LLVMValueRef upper = LLVMBuildICmp(s->b, LLVMIntNE, LLVMBuildAnd(s->b, index, bit, ""), LLVMConstNull(type), "");
        for (unsigned i = 0; i < count / 2; i++)
            found[i] = LLVMBuildSelect(s->b, upper, found[2 * i + 1], found[2 * i], "");
    }
    return found[0];
}

/* Integers of a packet by `index`, with what the CPU has for it. */
static LLVMValueRef permute_by(struct tsr__simd *s, const struct permute *p, LLVMValueRef x, LLVMValueRef index)
{
    LLVMTypeRef type = LLVMTypeOf(x), wide = tsr__vector(s, LLVMIntTypeInContext(s->l->context, p->bits));
    unsigned count = s->width / p->lanes;
    LLVMValueRef source[MAX_LANES], made[MAX_LANES];
    x = LLVMBuildZExt(s->b, x, wide, "");
    index = LLVMBuildIntCast2(s->b, index, wide, false, "");
    for (unsigned i = 0; i < count; i++)
        source[i] = slice(s, x, i * p->lanes, p->lanes);
    for (unsigned i = 0; i < count; i++)
        made[i] = look_up(s, p, source, count, slice(s, index, i * p->lanes, p->lanes));
    for (; count > 1; count /= 2)
        for (unsigned i = 0; i < count / 2; i++)
            made[i] = join(s, made[2 * i], made[2 * i + 1]);
    return LLVMBuildTrunc(s->b, made[0], type, "");
}

static bool is_constant_vector(struct tsr__simd *s, LLVMValueRef v)
{
    for (unsigned i = 0; i < s->width; i++) {
        LLVMValueRef element = LLVMIsAConstant(v) ? LLVMGetAggregateElement(v, i) : NULL;
        if (!element || !LLVMIsAConstantInt(element))
            return false;
    }
    return true;
}

/* Lane i of the result is lane index(i) of x, modulo the width. */
static LLVMValueRef permute(struct tsr__simd *s, LLVMValueRef x, LLVMValueRef index)
{
    if (is_constant_vector(s, index)) {
        unsigned from[MAX_LANES];
        for (unsigned i = 0; i < s->width; i++)
            from[i] = (unsigned)LLVMConstIntGetZExtValue(LLVMGetAggregateElement(index, i)) & (s->width - 1);
        return pick(s, x, NULL, from, s->width);
    }
    LLVMTypeRef type = LLVMTypeOf(x), i32 = LLVMInt32TypeInContext(s->l->context);
    unsigned bits = (unsigned)LLVMSizeOfTypeInBits(s->layout, LLVMGetElementType(type));
    LLVMTypeRef integers = tsr__vector(s, LLVMIntTypeInContext(s->l->context, bits));
    LLVMValueRef number = LLVMBuildBitCast(s->b, x, integers, "");
    const struct permute *p = permute_for(s, bits);
    if (p)
        return LLVMBuildBitCast(s->b, permute_by(s, p, number, index), type, "");
    if (bits == 64 && permute_for(s, 32)) {
        LLVMTypeRef halves = tsr__vector(s, i32);
        LLVMValueRef by_32 = tsr__splat(s, LLVMConstInt(LLVMGetElementType(integers), 32, false));
        LLVMValueRef low = LLVMBuildTrunc(s->b, number, halves, ""), high = LLVMBuildLShr(s->b, number, by_32, "");
        low = permute(s, low, index);
        high = permute(s, LLVMBuildTrunc(s->b, high, halves, ""), index);
        high = LLVMBuildShl(s->b, LLVMBuildZExt(s->b, high, integers, ""), by_32, "");
        return LLVMBuildBitCast(s->b, LLVMBuildOr(s->b, high, LLVMBuildZExt(s->b, low, integers, ""), ""), type, "");
    }
    LLVMValueRef made = LLVMGetPoison(type);
    for (unsigned i = 0; i < s->width; i++) {
        LLVMValueRef lane = LLVMBuildExtractElement(s->b, index, tsr__i32(s->l, i), "");
        lane = LLVMBuildAnd(s->b, lane, tsr__i32(s->l, s->width - 1), "");
        made = LLVMBuildInsertElement(s->b, made, LLVMBuildExtractElement(s->b, x, lane, ""), tsr__i32(s->l, i), "");
    }
    return made;
}

/* ---- the collectives ----------------------------------------------------------------------------------------------------------------- */

static bool is_result_uniform(struct tsr__simd *s, LLVMValueRef inst)
{
    return tsr__is_uniform(tsr__shape_of(&s->shapes, inst));
}

/* A part whose lanes others read: one that is not there may hold poison. */
static LLVMValueRef shown(struct tsr__simd *s, LLVMValueRef v, int part)
{
    LLVMValueRef x = tsr__part(s, v, part);
    return s->mask ? LLVMBuildFreeze(s->b, x, "") : x;
}

static void shuffle(struct tsr__simd *s, LLVMValueRef inst)
{
    LLVMValueRef x = LLVMGetOperand(inst, 1), lane = LLVMGetOperand(inst, 2);
    if (!is_result_uniform(s, inst)) {
        LLVMValueRef index = tsr__part(s, lane, 0);
        for (int i = 0; i < tsr__part_count(LLVMTypeOf(inst)); i++)
            tsr__set_part(s, inst, i, permute(s, shown(s, x, i), index));
        return;
    }
    if (tsr__is_uniform(tsr__seen(s, x))) {
        tsr__set_whole(s, inst, tsr__whole(s, x));
        return;
    }
    LLVMValueRef index = tsr__splat(s, tsr__whole(s, lane)), made = LLVMGetPoison(LLVMTypeOf(inst));
    for (int i = 0; i < tsr__part_count(LLVMTypeOf(inst)); i++) {
        LLVMValueRef all = permute(s, shown(s, x, i), index);
        made = tsr__put_scalar(s, made, i, LLVMBuildExtractElement(s->b, all, tsr__i32(s->l, 0), ""));
        tsr__set_part(s, inst, i, all);
    }
    tsr__set_whole(s, inst, made);
}

static void ballot(struct tsr__simd *s, LLVMValueRef inst)
{
    LLVMValueRef predicate = tsr__part(s, LLVMGetOperand(inst, 1), 0);
    LLVMValueRef yes = LLVMBuildICmp(s->b, LLVMIntNE, predicate, LLVMConstNull(LLVMTypeOf(predicate)), "");
    LLVMValueRef bits = tsr__mask_bits(s, tsr__mask_and(s, s->mask, yes));
    tsr__set_whole(s, inst, LLVMBuildIntCast2(s->b, bits, LLVMTypeOf(inst), false, ""));
}

/* What a fold starts from: the lanes that are there, neutral elements elsewhere. */
static LLVMValueRef filled(struct tsr__simd *s, const struct fold *f, LLVMValueRef v)
{
    LLVMValueRef x = tsr__part(s, v, 0);
    return s->mask ? LLVMBuildSelect(s->b, s->mask, x, tsr__splat(s, absent(f)), "") : x;
}

/* Each lane gets what its cluster makes: partners whose numbers differ in one bit fold their values, the lower lane's first. */
static LLVMValueRef reduce_clusters(struct tsr__simd *s, const struct fold *f, LLVMValueRef x, LLVMValueRef cluster)
{
    for (unsigned d = s->width / 2; d; d /= 2) {
        unsigned low[MAX_LANES], high[MAX_LANES];
        for (unsigned i = 0; i < s->width; i++) {
            low[i] = i & ~d;
            high[i] = i | d;
        }
        LLVMValueRef distance = tsr__splat(s, tsr__i32(s->l, d)), within = LLVMBuildICmp(s->b, LLVMIntULT, distance, cluster, "");
        if (LLVMIsNull(within))
            continue;
        LLVMValueRef folded = combine(s, f, pick(s, x, NULL, low, s->width), pick(s, x, NULL, high, s->width));
        x = LLVMBuildSelect(s->b, within, folded, x, "");
    }
    return x;
}

static void reduce(struct tsr__simd *s, LLVMValueRef inst)
{
    struct fold f = fold_of(inst);
    LLVMValueRef x = filled(s, &f, LLVMGetOperand(inst, 1));
    if (!is_result_uniform(s, inst)) {
        tsr__set_part(s, inst, 0, reduce_clusters(s, &f, x, tsr__part(s, LLVMGetOperand(inst, 2), 0)));
        return;
    }
    for (unsigned d = s->width / 2; d; d /= 2)
        x = combine(s, &f, slice(s, x, 0, d), slice(s, x, d, d));
    tsr__set_whole(s, inst, LLVMBuildExtractElement(s->b, x, tsr__i32(s->l, 0), ""));
}

static LLVMValueRef scan(struct tsr__simd *s, LLVMValueRef inst, const struct fold *f)
{
    LLVMValueRef x = filled(s, f, LLVMGetOperand(inst, 1));
    for (unsigned d = 1; d < s->width; d *= 2)
        x = combine(s, f, shifted_up(s, x, absent(f), d), x);
    return x;
}

static void scan_inclusive(struct tsr__simd *s, LLVMValueRef inst)
{
    struct fold f = fold_of(inst);
    tsr__set_part(s, inst, 0, scan(s, inst, &f));
}

static void scan_exclusive(struct tsr__simd *s, LLVMValueRef inst)
{
    struct fold f = fold_of(inst);
    LLVMValueRef before = shifted_up(s, scan(s, inst, &f), absent(&f), 1);
    tsr__set_part(s, inst, 0, combine(s, &f, tsr__splat(s, neutral(&f)), before));
}

/* What an active lane has, as the program promises that all have the same. Lane 0 is there unless lanes have parted. */
static LLVMValueRef of_any(struct tsr__simd *s, LLVMValueRef v)
{
    if (tsr__is_uniform(tsr__seen(s, v)))
        return tsr__whole(s, v);
    LLVMValueRef lane = s->mask == s->function_mask ? tsr__i32(s->l, 0) : tsr__first_lane(s, tsr__mask_bits(s, s->mask));
    return LLVMBuildExtractElement(s->b, tsr__part(s, v, 0), lane, "");
}

static void same(struct tsr__simd *s, LLVMValueRef inst)
{
    tsr__set_whole(s, inst, of_any(s, LLVMGetOperand(inst, 0)));
}

static void exchange_uniform(struct tsr__simd *s, LLVMValueRef inst)
{
    LLVMContextRef c = s->l->context;
    LLVMTypeRef i32 = LLVMInt32TypeInContext(c), ptr = LLVMTypeOf(inst), types[5] = {i32, i32, ptr, i32, ptr};
    LLVMTypeRef type = LLVMFunctionType(ptr, types, 5, false);
    LLVMValueRef args[5] = {tsr__i32(s->l, TSR_SCOPE_WORK_GROUP), tsr__i32(s->l, TSR_EXCHANGE_ALL), of_any(s, LLVMGetOperand(inst, 0)),
                            tsr__whole(s, LLVMGetOperand(inst, 1)), tsr__home(s, LLVMInt64TypeInContext(c), "mask")};
    tsr__set_whole(s, inst, tsr__call(s->l, s->b, tsr__declare(s->l, "__tsr_exchange", type), args, 5));
}

static void uniform_stride(struct tsr__simd *s, LLVMValueRef inst)
{
    tsr__set_whole(s, inst, LLVMConstInt(LLVMTypeOf(inst), 1, false));
}

/* ---- which they are ------------------------------------------------------------------------------------------------------------------ */

static void (*const build[])(struct tsr__simd *s, LLVMValueRef inst) = {
#define TSR_COLLECTIVE(name, result) name,
#include "collectives.def"
#undef TSR_COLLECTIVE
};

bool tsr__widen_collective(struct tsr__simd *s, LLVMValueRef inst)
{
    const struct tsr__collective *c = tsr__collective(tsr__callee(inst));
    if (c)
        build[c - tsr__collectives](s, inst);
    return c != NULL;
}
