/* SPDX-License-Identifier: Apache-2.0
 * Calls that the engine knows by name (engine_calls.def, dot products, MADW), and the placeholder calls that one pass makes and a later
 * pass lowers. */
#include "lanes/ir/calls.h"

#include <string.h>

#include "lanes/ir/costs.h"
#include "lanes/ir/match.h"
#include "tessera/item.h"

static const struct tsr__call_info calls[TSR__CALL_COUNT] = {
    [TSR__CALL_NONE] = {.name = "", .sees = TSR__SEES_SUB_GROUPS},
#define GROUP_DIM_OFFSET(field) offsetof(struct tsr_group, field)
#define GROUP_OFFSET(field) offsetof(struct tsr_group, field)
#define ITEM_DIM_OFFSET(field) offsetof(struct tsr_item, field)
#define GLOBAL_DIM_OFFSET(field) offsetof(struct tsr_item, field)
#define ITEM_OFFSET(field) offsetof(struct tsr_item, field)
#define SITE_OFFSET(field) offsetof(struct tsr_item, field)
#define RT_OFFSET(field) offsetof(struct tsr_rt, field)
#define SEEN_BY_LOOP TSR__SEES_SUB_GROUPS
#define SEEN_BY_EXCHANGE TSR__SEES_SUB_GROUPS
#define SEEN_BY_LAYOUT TSR__SEES_GROUPS
#define SMALL true
#define ANY false
#define TSR_PRIMITIVE(NAME, call, kind, lowering, field, is_small, known)                                                                  \
    [TSR__CALL_##NAME] = {.name = #call,                                                                                                   \
                          .length = sizeof #call - 1,                                                                                      \
                          .how = TSR__HOW_##lowering,                                                                                      \
                          .type = TSR__CALL_##kind,                                                                                        \
                          .offset = lowering##_OFFSET(field),                                                                              \
                          .small = is_small,                                                                                               \
                          .sees = TSR__SEES_##known},
#define TSR_PLACEHOLDER(NAME, call, kind, lowering)                                                                                        \
    [TSR__CALL_##NAME] = {                                                                                                                 \
        .name = #call, .length = sizeof #call - 1, .how = TSR__HOW_##lowering, .type = TSR__CALL_##kind, .sees = SEEN_BY_##lowering},
#define TSR_COLLECTIVE(NAME, call, uniform)                                                                                                \
    [TSR__CALL_##NAME] = {.name = #call,                                                                                                   \
                          .length = sizeof #call - 1,                                                                                      \
                          .how = TSR__HOW_COLLECTIVE,                                                                                      \
                          .sees = TSR__SEES_SUB_GROUPS,                                                                                    \
                          .result = TSR__RESULT_##uniform},
#include "lanes/ir/engine_calls.def"
#undef SEEN_BY_LOOP
#undef SEEN_BY_EXCHANGE
#undef SEEN_BY_LAYOUT
#undef SMALL
#undef ANY
};

const struct tsr__call_info *tsr__call_info(enum tsr__engine_call call)
{
    return &calls[call];
}

enum tsr__engine_call tsr__call_of_function(LLVMValueRef function)
{
    static const char prefix[] = TSR__CALL_PREFIX;
    size_t length;
    const char *name = LLVMGetValueName2(function, &length);
    if (length < sizeof prefix || memcmp(name, prefix, sizeof prefix - 1) != 0)
        return TSR__CALL_NONE;
    name += sizeof prefix - 1;
    length -= sizeof prefix - 1;
    for (int k = TSR__CALL_NONE + 1; k < TSR__CALL_COUNT; k++) {
        const struct tsr__call_info *info = &calls[k];
        bool whole = info->length == length;
        bool begins = info->how == TSR__HOW_COLLECTIVE && info->length < length && name[info->length] == '_';
        if ((whole || begins) && !memcmp(name, info->name, info->length))
            return (enum tsr__engine_call)k;
    }
    return TSR__CALL_NONE;
}

enum tsr__engine_call tsr__call_of(LLVMValueRef instruction)
{
    LLVMValueRef callee = tsr__callee(instruction);
    return callee ? tsr__call_of_function(callee) : TSR__CALL_NONE;
}

static const char *full_name(struct tsr__compilation *l, enum tsr__engine_call call)
{
    return tsr_arena_format(&l->scratch, TSR__CALL_PREFIX "%s", calls[call].name);
}

LLVMValueRef tsr__find_call(struct tsr__compilation *l, enum tsr__engine_call call)
{
    return LLVMGetNamedFunction(l->module, full_name(l, call));
}

LLVMValueRef tsr__declare_call(struct tsr__compilation *l, enum tsr__engine_call call, LLVMTypeRef type)
{
    return tsr__declare(l, full_name(l, call), type);
}

LLVMValueRef tsr__build_query(struct tsr__compilation *l, LLVMBuilderRef b, enum tsr__engine_call call, int dim)
{
    LLVMTypeRef i32 = LLVMInt32TypeInContext(l->context);
    LLVMTypeRef result = calls[call].type == TSR__CALL_U32   ? i32
                         : calls[call].type == TSR__CALL_U64 ? LLVMInt64TypeInContext(l->context)
                                                             : tsr__ptr(l);
    LLVMTypeRef type = LLVMFunctionType(result, &i32, dim >= 0, false);
    LLVMValueRef at = tsr__i32(l, (uint32_t)dim);
    return LLVMBuildCall2(b, type, tsr__declare_call(l, call, type), &at, dim >= 0, "");
}

static const struct tsr__dot dots[] = {
#define TSR_DOT(name, a, b, packed, sum) {#name, a, b, packed, TSR__DOT_##sum},
#include "lanes/ir/dot.def"
#undef TSR_DOT
};

const struct tsr__dot *tsr__dot_named(const char *name)
{
    for (size_t i = 0; i < TSR_ARRAY_LEN(dots); i++)
        if (strcmp(dots[i].name, name) == 0)
            return &dots[i];
    return NULL;
}

bool tsr__is_dot(struct tsr__compilation *l, LLVMValueRef function)
{
    static const enum tsr_cpu_feature needed[TSR__DOT_SUMS] = {
        [TSR__DOT_NONE] = TSR_CPU_AVX512VNNI, [TSR__DOT_CLAMPED] = TSR_CPU_AVX512VNNI,  [TSR__DOT_WRAPPED] = TSR_CPU_AVX512VNNI,
        [TSR__DOT_HALVES] = TSR_CPU_AVX2,     [TSR__DOT_BFLOAT16] = TSR_CPU_BF16_PAIRS,
    };
    const struct tsr__dot *dot = tsr__has_text_attr(function, TSR__USER) ? NULL : tsr__dot_named(tsr__name(function));
    return dot && tsr__has(l, needed[dot->sum]);
}

const char *tsr__dot_name(bool a_signed, bool b_signed, bool packed)
{
    const struct tsr__dot *d = dots;
    while (d->a_signed != a_signed || d->b_signed != b_signed || d->packed != packed || d->sum)
        d++;
    return d->name;
}

static const struct tsr__math_op math_ops[] = {
#define TSR_MATH_OP(name, operation, bits) {#name, TSR__MATH_##operation, bits},
#include "lanes/ir/math_op.def"
#undef TSR_MATH_OP
};

static const struct tsr__math_op *math_op_named(const char *name)
{
    for (size_t i = 0; i < TSR_ARRAY_LEN(math_ops); i++)
        if (strcmp(math_ops[i].name, name) == 0)
            return &math_ops[i];
    return NULL;
}

/* The attribute of a piece that is not inlined. */
#define MATH_OP "tsr-math-op"

static bool has_instruction(const struct tsr__compilation *l, const struct tsr__math_op *op)
{
    if (tsr__has(l, TSR_CPU_AVX512F) && tsr__has(l, TSR_CPU_AVX512VL) && tsr__has(l, TSR_CPU_AVX512DQ))
        return true;
    return op->operation == TSR__MATH_ROUGH_RSQRT && tsr__has(l, TSR_CPU_AVX2); /* AVX's 1/x has no result below 2^-125 */
}

bool tsr__keep_math_op(struct tsr__compilation *l, LLVMValueRef function)
{
    const struct tsr__math_op *op = tsr__has_text_attr(function, TSR__USER) ? NULL : math_op_named(tsr__name(function));
    if (!op || !has_instruction(l, op))
        return false;
    tsr__set_fn_text(l, function, MATH_OP, "");
    return true;
}

const struct tsr__math_op *tsr__math_op(LLVMValueRef function)
{
    return tsr__has_text_attr(function, MATH_OP) ? math_op_named(tsr__name(function)) : NULL;
}

bool tsr__is_extreme(LLVMValueRef function)
{
    static const char *const names[] = {"llvm.smax.", "llvm.smin.", "llvm.umax.", "llvm.umin."};
    for (size_t i = 0; i < TSR_ARRAY_LEN(names); i++)
        if (tsr__starts_with(tsr__name(function), names[i]))
            return true;
    return false;
}

bool tsr__has_effect(LLVMValueRef inst)
{
    LLVMValueRef callee = tsr__callee(inst);
    if (callee && tsr__is_query(tsr__call_of(inst)))
        return false;
    if (callee)
        return !LLVMGetIntrinsicID(callee) || !tsr__touches_no_memory(callee);
    return LLVMIsAStoreInst(inst) || LLVMIsACallInst(inst) || LLVMIsAAtomicRMWInst(inst) || LLVMIsAAtomicCmpXchgInst(inst) ||
           LLVMIsAFenceInst(inst) || (LLVMIsALoadInst(inst) && (LLVMGetVolatile(inst) || LLVMGetOrdering(inst)));
}

bool tsr__is_hint(LLVMValueRef callee)
{
    static const char *const hints[] = {"llvm.assume", "llvm.lifetime", "llvm.prefetch", "llvm.dbg", "llvm.experimental.noalias.scope"};
    for (size_t i = 0; i < TSR_ARRAY_LEN(hints); i++)
        if (tsr__starts_with(tsr__name(callee), hints[i]))
            return true;
    return false;
}

/* As LLVM encodes it: two bits for each kind of memory. */
bool tsr__may_change_memory(LLVMValueRef callee)
{
    const uint64_t changes = 0xaaaaaaaa;
    if (tsr__is_hint(callee))
        return false;
    LLVMAttributeRef memory = LLVMGetEnumAttributeAtIndex(callee, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, tsr__attr_kind("memory"));
    return !memory || LLVMGetEnumAttributeValue(memory) & changes;
}

bool tsr__may_write(LLVMValueRef inst)
{
    if (LLVMIsALoadInst(inst))
        return !tsr__is_plain_access(inst);
    if (LLVMIsACallInst(inst))
        return !tsr__callee(inst) || tsr__may_change_memory(tsr__callee(inst));
    return tsr__stores_or_orders(inst);
}

bool tsr__is_madw(LLVMValueRef function)
{
    const char *name = tsr__name(function);
    return !tsr__has_text_attr(function, TSR__USER) && (!strcmp(name, TSR__MADW_LOW) || !strcmp(name, TSR__MADW_HIGH));
}

bool tsr__is_cold(LLVMValueRef function)
{
    return LLVMGetEnumAttributeAtIndex(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, tsr__attr_kind("cold")) &&
           !tsr__has_text_attr(function, TSR__USER);
}

static bool is_number(LLVMTypeRef type)
{
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    return kind == LLVMFloatTypeKind || kind == LLVMDoubleTypeKind ||
           (kind == LLVMIntegerTypeKind && (LLVMGetIntTypeWidth(type) == 32 || LLVMGetIntTypeWidth(type) == 64));
}

bool tsr__may_outline(LLVMValueRef function)
{
    bool numbers = tsr__touches_no_memory(function) && !tsr__is_kernel(function) && !tsr__has_text_attr(function, TSR__USER) &&
                   is_number(LLVMGetReturnType(LLVMGlobalGetValueType(function)));
    for (unsigned i = 0; numbers && i < LLVMCountParams(function); i++)
        numbers = is_number(LLVMTypeOf(LLVMGetParam(function, i)));
    size_t size = 0;
    for (LLVMValueRef i = numbers ? tsr__first(function) : NULL; i; i = tsr__next(i))
        size++;
    return size >= TSR__OUTLINED_CODE;
}

#define OUTLINED "tsr-outlined"

void tsr__mark_outlined(struct tsr__compilation *l, LLVMValueRef function)
{
    tsr__set_fn_text(l, function, OUTLINED, "");
}

bool tsr__is_marked_outlined(LLVMValueRef function)
{
    return tsr__has_text_attr(function, OUTLINED);
}

bool tsr__is_image(LLVMValueRef function)
{
    const char *name = tsr__name(function);
    return tsr__starts_with(name, TSR__CALL_PREFIX "image_") && !strchr(name, '.') && !tsr__has_text_attr(function, TSR__USER);
}

static LLVMValueRef place_of(struct tsr__compilation *l, LLVMBuilderRef b, enum tsr__engine_call call, LLVMValueRef size)
{
    LLVMTypeRef type = LLVMFunctionType(tsr__ptr(l), (LLVMTypeRef[]){LLVMInt32TypeInContext(l->context)}, 1, false);
    return tsr__call(l, b, tsr__declare_call(l, call, type), &size, 1);
}

LLVMValueRef tsr__exchange_own_slot(struct tsr__compilation *l, LLVMBuilderRef b, LLVMValueRef size)
{
    return place_of(l, b, TSR__CALL_OWN_SLOT, size);
}

LLVMValueRef tsr__exchange_so_far(struct tsr__compilation *l, LLVMBuilderRef b, LLVMValueRef size)
{
    return place_of(l, b, TSR__CALL_SO_FAR, size);
}

LLVMValueRef tsr__exchange_all_slots(struct tsr__compilation *l, LLVMBuilderRef b)
{
    LLVMTypeRef i32 = LLVMInt32TypeInContext(l->context), list = LLVMFunctionType(tsr__ptr(l), NULL, 0, false);
    LLVMTypeRef barrier = LLVMFunctionType(LLVMVoidTypeInContext(l->context), (LLVMTypeRef[]){i32, i32}, 2, false);
    LLVMValueRef wait[2] = {tsr__i32(l, TSR_SCOPE_WORK_GROUP), tsr__i32(l, TSR__EXCHANGE_FENCE)};
    tsr__call(l, b, tsr__declare_call(l, TSR__CALL_BARRIER, barrier), wait, 2);
    return tsr__call(l, b, tsr__declare_call(l, TSR__CALL_ALL_SLOTS, list), NULL, 0);
}

LLVMValueRef tsr__call_in(LLVMValueRef function, const char *name)
{
    LLVMValueRef called = LLVMGetNamedFunction(LLVMGetGlobalParent(function), name);
    for (LLVMUseRef use = called ? LLVMGetFirstUse(called) : NULL; use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (LLVMIsACallInst(user) && LLVMGetBasicBlockParent(LLVMGetInstructionParent(user)) == function)
            return user;
    }
    return NULL;
}

LLVMValueRef tsr__block2d_build(struct tsr__compilation *l, LLVMBuilderRef b, const char *name, LLVMTypeRef result, LLVMValueRef *args,
                                unsigned count)
{
    LLVMTypeRef *types = tsr_arena_alloc(&l->scratch, count * sizeof *types);
    for (unsigned i = 0; i < count; i++)
        types[i] = LLVMTypeOf(args[i]);
    LLVMTypeRef type = LLVMFunctionType(result, types, count, false);
    name = tsr_arena_format(&l->scratch, TSR__BLOCK2D_PREFIX "%s", name + strlen(TSR__CALL_PREFIX "block2d_"));
    LLVMValueRef f = tsr__declare(l, name, type);
    tsr__add_fn_attr(l, f, "willreturn"); /* else LLVM does not count a loop's rounds */
    return LLVMBuildCall2(b, type, f, args, count, "");
}

LLVMValueRef tsr__local_array_placeholder(struct tsr__compilation *l, LLVMBuilderRef b, LLVMTypeRef type, uint64_t offset)
{
    static const char *const promises[] = {"memory", "willreturn", "speculatable"};
    if (!l->options->packets || LLVMGetTypeKind(type) != LLVMArrayTypeKind ||
        LLVMGetTypeKind(LLVMGetElementType(type)) != LLVMArrayTypeKind)
        return NULL;
    LLVMTypeRef row = LLVMGetElementType(type), element = LLVMGetElementType(row), i64 = LLVMInt64TypeInContext(l->context);
    uint64_t bytes = LLVMABISizeOfType(LLVMGetModuleDataLayout(l->module), element);
    LLVMTypeKind kind = LLVMGetTypeKind(element);
    if ((kind != LLVMIntegerTypeKind && kind != LLVMHalfTypeKind && kind != LLVMFloatTypeKind && kind != LLVMDoubleTypeKind) || bytes > 8)
        return NULL;
    LLVMTypeRef types[4] = {i64, i64, i64, i64};
    LLVMTypeRef call = LLVMFunctionType(LLVMPointerTypeInContext(l->context, TSR__LOCAL_SPACE), types, 4, false);
    LLVMValueRef f = tsr__declare_call(l, TSR__CALL_LOCAL_ARRAY, call);
    if (!LLVMGetFirstUse(f)) {
        for (size_t i = 0; i < TSR_ARRAY_LEN(promises); i++)
            LLVMAddAttributeAtIndex(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, tsr__int_attr(l, promises[i], 0));
    }
    LLVMValueRef args[4] = {tsr__i64(l, offset), tsr__i64(l, LLVMGetArrayLength2(type)), tsr__i64(l, LLVMGetArrayLength2(row)),
                            tsr__i64(l, bytes)};
    return LLVMBuildCall2(b, call, f, args, 4, "");
}
