/* SPDX-License-Identifier: Apache-2.0
 * Reductions and scans over the lanes of a register. */
#include <math.h>
#include <string.h>

#include "lanes/widen/memory/access.h"
#include "lanes/widen/reduce_scan.h"

/* Neutral elements of integers: all bits alike, one, or the end of the numbers that is farthest from what the operation looks for. */
enum neutral { ZERO, ONE, ONES, HIGHEST, LOWEST };

static const struct tsr__reduction_op {
    const char *name;
    LLVMOpcode integer, floating; /* 0: a comparison and a select */
    enum neutral neutral;
} operations[] = {
    {"add", LLVMAdd, LLVMFAdd, ZERO}, {"mul", LLVMMul, LLVMFMul, ONE}, {"min", 0, 0, HIGHEST},    {"max", 0, 0, LOWEST},
    {"and", LLVMAnd, 0, ONES},        {"or", LLVMOr, 0, ZERO},         {"xor", LLVMXor, 0, ZERO},
};

struct tsr__reduction tsr__reduction_make(const char *operation, LLVMTypeRef type, bool is_unsigned)
{
    struct tsr__reduction f = {.type = type, .is_float = LLVMGetTypeKind(type) != LLVMIntegerTypeKind, .is_unsigned = is_unsigned};
    for (size_t i = 0; i < TSR_ARRAY_LEN(operations); i++)
        if (tsr__starts_with(operation, operations[i].name))
            f.op = &operations[i];
    return f;
}

/* What a lane that is not there stands for: x + -0.0 is x even if x is -0.0. */
static LLVMValueRef absent_value(const struct tsr__reduction *f)
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

LLVMValueRef tsr__reduction_identity(const struct tsr__reduction *f)
{
    return f->is_float && f->op->neutral == ZERO ? LLVMConstNull(f->type) : absent_value(f);
}

LLVMValueRef tsr__reduce_pair(struct tsr__widener *s, const struct tsr__reduction *f, LLVMValueRef a, LLVMValueRef b)
{
    LLVMOpcode plain = f->is_float ? f->op->floating : f->op->integer;
    if (plain)
        return LLVMBuildBinOp(s->b, plain, a, b, "");
    bool least = f->op->neutral == HIGHEST;
    if (f->is_float) {
        LLVMTypeRef type = LLVMTypeOf(a);
        return tsr__build_intrinsic(s->l, s->b, least ? "llvm.minnum" : "llvm.maxnum", &type, 1, (LLVMValueRef[]){a, b}, 2);
    }
    LLVMValueRef less = LLVMBuildICmp(s->b, f->is_unsigned ? LLVMIntULT : LLVMIntSLT, least ? b : a, least ? a : b, "");
    return LLVMBuildSelect(s->b, less, b, a, "");
}

/* x of `distance` lanes below; `fill` where the sub-group has none. */
static LLVMValueRef shifted_up(struct tsr__widener *s, LLVMValueRef x, LLVMValueRef fill, unsigned distance)
{
    unsigned from[TSR__MAX_ELEMENTS];
    for (unsigned i = 0; i < s->width; i++)
        from[i] = i % s->sub_group < distance ? s->width : i - distance;
    return tsr__pick_elements(s->l, s->b, x, tsr__splat(s, fill), from, s->width);
}

LLVMValueRef tsr__fill_absent_lanes(struct tsr__widener *s, const struct tsr__reduction *f, LLVMValueRef v)
{
    LLVMValueRef x = tsr__component_of(s, v, 0);
    return s->mask ? LLVMBuildSelect(s->b, s->mask, x, tsr__splat(s, absent_value(f)), "") : x;
}

LLVMValueRef tsr__reduce_lanes(struct tsr__widener *s, const struct tsr__reduction *f, LLVMValueRef x)
{
    for (unsigned d = s->width / 2; d; d /= 2)
        x = tsr__reduce_pair(s, f, tsr__take_lanes(s->l, s->b, x, NULL, 0, d), tsr__take_lanes(s->l, s->b, x, NULL, d, d));
    return LLVMBuildExtractElement(s->b, x, tsr__i32(s->l, 0), "");
}

LLVMValueRef tsr__scan_inclusive(struct tsr__widener *s, const struct tsr__reduction *f, LLVMValueRef x)
{
    for (unsigned d = 1; d < s->sub_group; d *= 2)
        x = tsr__reduce_pair(s, f, shifted_up(s, x, absent_value(f), d), x);
    return x;
}

LLVMValueRef tsr__scan_exclusive(struct tsr__widener *s, const struct tsr__reduction *f, LLVMValueRef x)
{
    LLVMValueRef before = shifted_up(s, tsr__scan_inclusive(s, f, x), absent_value(f), 1);
    return tsr__reduce_pair(s, f, tsr__splat(s, tsr__reduction_identity(f)), before);
}
