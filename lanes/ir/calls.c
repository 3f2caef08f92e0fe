/* SPDX-License-Identifier: Apache-2.0
 * The calls that the engine knows by name, and the placeholders that later passes lower. */
#include "lanes/ir/calls.h"

#include <string.h>

#include "tessera/item.h"

const char *tsr__primitive_called(LLVMValueRef inst)
{
    LLVMValueRef callee = tsr__callee(inst);
    const char *name = callee ? tsr__name(callee) : "";
    return tsr__starts_with(name, "__tsr_") ? name + strlen("__tsr_") : NULL;
}

static const struct tsr__dot dots[] = {
#define TSR_DOT(name, a, b, packed, accumulates) {#name, a, b, packed, accumulates},
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
    return tsr__has(l, TSR_CPU_AVX512VNNI) && !tsr__has_text_attr(function, TSR__USER) && tsr__dot_named(tsr__name(function));
}

const char *tsr__dot_name(bool a_signed, bool b_signed, bool packed)
{
    const struct tsr__dot *d = dots;
    while (d->a_signed != a_signed || d->b_signed != b_signed || d->packed != packed || d->accumulates)
        d++;
    return d->name;
}

bool tsr__is_madw(LLVMValueRef function)
{
    const char *name = tsr__name(function);
    return !tsr__has_text_attr(function, TSR__USER) && (!strcmp(name, TSR__MADW_LOW) || !strcmp(name, TSR__MADW_HIGH));
}

LLVMValueRef tsr__exchange_own_slot(struct tsr__compilation *l, LLVMBuilderRef b, LLVMValueRef size)
{
    LLVMTypeRef type = LLVMFunctionType(tsr__ptr(l), (LLVMTypeRef[]){LLVMInt32TypeInContext(l->context)}, 1, false);
    return tsr__call(l, b, tsr__declare(l, "__tsr_own_slot", type), &size, 1);
}

LLVMValueRef tsr__exchange_all_slots(struct tsr__compilation *l, LLVMBuilderRef b)
{
    LLVMTypeRef i32 = LLVMInt32TypeInContext(l->context), list = LLVMFunctionType(tsr__ptr(l), NULL, 0, false);
    LLVMTypeRef barrier = LLVMFunctionType(LLVMVoidTypeInContext(l->context), (LLVMTypeRef[]){i32, i32}, 2, false);
    LLVMValueRef wait[2] = {tsr__i32(l, TSR_SCOPE_WORK_GROUP), tsr__i32(l, TSR__EXCHANGE_FENCE)};
    tsr__call(l, b, tsr__declare(l, "__tsr_barrier", barrier), wait, 2);
    return tsr__call(l, b, tsr__declare(l, "__tsr_all_slots", list), NULL, 0);
}

LLVMValueRef tsr__block2d_build(struct tsr__compilation *l, LLVMBuilderRef b, const char *name, LLVMTypeRef result, LLVMValueRef *args,
                                unsigned count)
{
    LLVMTypeRef *types = tsr_arena_alloc(&l->scratch, count * sizeof *types);
    for (unsigned i = 0; i < count; i++)
        types[i] = LLVMTypeOf(args[i]);
    LLVMTypeRef type = LLVMFunctionType(result, types, count, false);
    name = tsr_arena_format(&l->scratch, TSR__BLOCK2D_PREFIX "%s", name + strlen("__tsr_block2d_"));
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
    LLVMValueRef f = LLVMGetNamedFunction(l->module, TSR__LOCAL_ARRAY);
    if (!f) {
        f = tsr__declare(l, TSR__LOCAL_ARRAY, call);
        for (size_t i = 0; i < TSR_ARRAY_LEN(promises); i++)
            LLVMAddAttributeAtIndex(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, tsr__int_attr(l, promises[i], 0));
    }
    LLVMValueRef args[4] = {tsr__i64(l, offset), tsr__i64(l, LLVMGetArrayLength2(type)), tsr__i64(l, LLVMGetArrayLength2(row)),
                            tsr__i64(l, bytes)};
    return LLVMBuildCall2(b, call, f, args, 4, "");
}
