/* SPDX-License-Identifier: Apache-2.0
 * Gives `struct tsr_item *`, as the last parameter, to every function that needs to know its work-item, and lowers the primitives. */
#include <stdio.h>
#include <string.h>

#include "tessera/item.h"

#include "lanes/ir/calls.h"
#include "lanes/ir/match.h"

/* What the table says of a function that is a primitive, or NULL. */
static const struct tsr__call_info *primitive_of(LLVMValueRef function)
{
    enum tsr__engine_call call = LLVMIsDeclaration(function) ? tsr__call_of_function(function) : TSR__CALL_NONE;
    return tsr__is_primitive(call) ? tsr__call_info(call) : NULL;
}

static bool is_primitive(LLVMValueRef function)
{
    return primitive_of(function) != NULL;
}

/* ---- the parameter ---- */

/* What was promised of a function that saw no work-item does not hold for one that reads and writes through it. */
static const char *const broken_promises[] = {"memory", "speculatable", "nosync", "willreturn"};

/* LLVM-C cannot change a signature: a new function takes over name, attributes, metadata and blocks. */
static LLVMValueRef with_item(struct tsr__compilation *l, LLVMValueRef old)
{
    LLVMTypeRef type = LLVMGlobalGetValueType(old);
    unsigned n = LLVMCountParamTypes(type);
    LLVMTypeRef *types = tsr_arena_alloc(&l->scratch, (n + 1) * sizeof(LLVMTypeRef));
    LLVMGetParamTypes(type, types);
    types[n] = tsr__ptr(l);
    LLVMValueRef made = LLVMAddFunction(l->module, "", LLVMFunctionType(LLVMGetReturnType(type), types, n + 1, false));
    LLVMSetLinkage(made, LLVMGetLinkage(old));
    LLVMSetVisibility(made, LLVMGetVisibility(old));
    LLVMSetUnnamedAddress(made, LLVMGetUnnamedAddress(old));
    LLVMSetFunctionCallConv(made, LLVMGetFunctionCallConv(old));
    tsr__copy_attributes(l, old, made, n);
    for (size_t i = 0; i < TSR_ARRAY_LEN(broken_promises); i++)
        tsr__drop_fn_attr(made, broken_promises[i]);

    LLVMAttributeIndex item_at = n + 1;
    LLVMAddAttributeAtIndex(made, item_at, tsr__int_attr(l, "noundef", 0));
    LLVMAddAttributeAtIndex(made, item_at, tsr__int_attr(l, "nonnull", 0));
    LLVMAddAttributeAtIndex(made, item_at, tsr__int_attr(l, "align", _Alignof(struct tsr_item)));
    LLVMAddAttributeAtIndex(made, item_at, tsr__int_attr(l, "dereferenceable", sizeof(struct tsr_item)));
    tsr__set_fn_text(l, made, TSR__HAS_ITEM, "");

    size_t metadata_count;
    LLVMValueMetadataEntry *metadata = LLVMGlobalCopyAllMetadata(old, &metadata_count);
    LLVMGlobalClearMetadata(old);
    for (unsigned i = 0; i < metadata_count; i++)
        LLVMGlobalSetMetadata(made, LLVMValueMetadataEntriesGetKind(metadata, i), LLVMValueMetadataEntriesGetMetadata(metadata, i));
    LLVMDisposeValueMetadataEntries(metadata);

    for (unsigned i = 0; i < n; i++) {
        LLVMValueRef from = LLVMGetParam(old, i), to = LLVMGetParam(made, i);
        size_t length;
        const char *name = LLVMGetValueName2(from, &length);
        LLVMSetValueName2(to, name, length);
        LLVMReplaceAllUsesWith(from, to);
    }
    for (LLVMBasicBlockRef bb; (bb = LLVMGetFirstBasicBlock(old)) != NULL;) {
        LLVMRemoveBasicBlockFromParent(bb);
        LLVMAppendExistingBasicBlock(made, bb);
    }
    LLVMSetValueName2(tsr__item_of(made), "item", 4);
    return made;
}

static void rewrite_calls(struct tsr__compilation *l, LLVMValueRef old, LLVMValueRef made)
{
    size_t n = 0;
    for (LLVMUseRef use = LLVMGetFirstUse(old); use; use = LLVMGetNextUse(use))
        n++;
    LLVMValueRef *calls = tsr_arena_alloc(&l->scratch, n * sizeof(LLVMValueRef));
    n = 0;
    for (LLVMUseRef use = LLVMGetFirstUse(old); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (tsr__callee(user) == old)
            calls[n++] = user;
    }
    LLVMBuilderRef b = LLVMCreateBuilderInContext(l->context);
    for (size_t i = 0; i < n; i++) {
        LLVMValueRef caller = LLVMGetBasicBlockParent(LLVMGetInstructionParent(calls[i]));
        LLVMValueRef call = tsr__call_like(l, b, calls[i], made, tsr__item_of(caller));
        for (size_t k = 0; k < TSR_ARRAY_LEN(broken_promises); k++)
            tsr__drop_call_attr(call, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, broken_promises[k]);
        LLVMReplaceAllUsesWith(calls[i], call);
        LLVMInstructionEraseFromParent(calls[i]);
    }
    LLVMDisposeBuilder(b);
    /* Addresses of functions are taken by blocks, which clang calls directly all the same. */
    LLVMReplaceAllUsesWith(old, made);
    size_t length;
    const char *name = LLVMGetValueName2(old, &length);
    char *kept = tsr_arena_format(&l->scratch, "%.*s", (int)length, name);
    LLVMDeleteFunction(old);
    LLVMSetValueName2(made, kept, length);
}

static bool no_indirect_calls(struct tsr__compilation *l, LLVMValueRef *functions, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        for (LLVMValueRef i = tsr__first(functions[k]); i; i = tsr__next(i)) {
            if (!LLVMIsACallInst(i) || tsr__callee(i) || LLVMIsAInlineAsm(LLVMGetCalledValue(i)))
                continue;
            return tsr__fail(l, "'%s' calls through a pointer, which OpenCL C does not allow", tsr__name(functions[k]));
        }
    }
    return true;
}

/* ---- primitives ---- */

static LLVMValueRef load_group(struct tsr__compilation *l, LLVMBuilderRef b, LLVMValueRef item)
{
    return tsr__load_fixed(l, b, tsr__ptr(l), item, offsetof(struct tsr_item, group), _Alignof(void *));
}

/* The field of three dimensions that the call names. */
static LLVMValueRef load_dim(struct tsr__compilation *l, LLVMBuilderRef b, LLVMTypeRef type, LLVMValueRef base, size_t offset,
                             LLVMValueRef dim)
{
    LLVMTypeRef i64 = LLVMInt64TypeInContext(l->context);
    if (LLVMIsAConstantInt(dim))
        return tsr__load_fixed(l, b, type, base, offset + 8 * LLVMConstIntGetZExtValue(dim), 8);
    LLVMValueRef wide = LLVMBuildZExt(b, dim, i64, "");
    LLVMValueRef at = LLVMBuildInBoundsGEP2(b, i64, tsr__at_offset(l, b, base, offset), &wide, 1, "");
    return tsr__load_fixed(l, b, type, at, 0, 8);
}

/* Groups before the last of a dimension have the enqueued size, so that is the stride of group ids. */
static LLVMValueRef global_id(struct tsr__compilation *l, LLVMBuilderRef b, LLVMTypeRef type, LLVMValueRef item, size_t local,
                              LLVMValueRef dim)
{
    LLVMValueRef group = load_group(l, b, item);
    LLVMValueRef id = load_dim(l, b, type, group, offsetof(struct tsr_group, group_id), dim);
    LLVMValueRef size = load_dim(l, b, type, group, offsetof(struct tsr_group, enqueued_local_size), dim);
    LLVMValueRef offset = load_dim(l, b, type, group, offsetof(struct tsr_group, global_offset), dim);
    LLVMValueRef base = LLVMBuildAdd(b, LLVMBuildMul(b, id, size, ""), offset, "");
    return LLVMBuildAdd(b, base, load_dim(l, b, type, item, local, dim), "");
}

static LLVMValueRef call_rt(struct tsr__compilation *l, LLVMBuilderRef b, LLVMValueRef item, LLVMValueRef call)
{
    LLVMTypeRef type = LLVMGetCalledFunctionType(call);
    unsigned n = LLVMCountParamTypes(type);
    LLVMTypeRef *types = tsr_arena_alloc(&l->scratch, (n + 1) * sizeof(LLVMTypeRef));
    LLVMValueRef *args = tsr_arena_alloc(&l->scratch, (n + 1) * sizeof(LLVMValueRef));
    types[0] = tsr__ptr(l);
    LLVMGetParamTypes(type, types + 1);
    args[0] = item;
    for (unsigned i = 0; i < n; i++)
        args[i + 1] = LLVMGetOperand(call, i);
    char name[64];
    snprintf(name, sizeof name, TSR__RT_PREFIX "%s", tsr__name(LLVMGetCalledValue(call)) + strlen(TSR__CALL_PREFIX));
    LLVMValueRef function = tsr__declare(l, name, LLVMFunctionType(LLVMGetReturnType(type), types, n + 1, false));
    return tsr__call(l, b, function, args, n + 1);
}

static void lower_primitive(struct tsr__compilation *l, LLVMValueRef call, const struct tsr__call_info *p, LLVMValueRef item)
{
    LLVMTypeRef type = LLVMTypeOf(call);
    unsigned align = LLVMGetTypeKind(type) == LLVMPointerTypeKind ? 8 : 4;
    LLVMBuilderRef b = tsr__builder_before(l, call);
    LLVMValueRef made = NULL;
    switch (p->how) {
    case TSR__HOW_GROUP_DIM:
        made = load_dim(l, b, type, load_group(l, b, item), p->offset, LLVMGetOperand(call, 0));
        break;
    case TSR__HOW_ITEM_DIM:
        made = load_dim(l, b, type, item, p->offset, LLVMGetOperand(call, 0));
        break;
    case TSR__HOW_GLOBAL_DIM:
        made = global_id(l, b, type, item, p->offset, LLVMGetOperand(call, 0));
        break;
    case TSR__HOW_GROUP:
        made = tsr__load_fixed(l, b, type, load_group(l, b, item), p->offset, align);
        break;
    case TSR__HOW_ITEM:
        made = tsr__load_fixed(l, b, type, item, p->offset, align);
        break;
    case TSR__HOW_SITE:
        LLVMSetAlignment(LLVMBuildStore(b, LLVMGetOperand(call, 0), tsr__at_offset(l, b, item, p->offset)), 4);
        break;
    case TSR__HOW_RT:
        made = call_rt(l, b, item, call);
        break;
    case TSR__HOW_LOOP: /* none of these is a primitive */
    case TSR__HOW_EXCHANGE:
    case TSR__HOW_LAYOUT:
    case TSR__HOW_COLLECTIVE:
        break;
    }
    if (made && LLVMGetTypeKind(type) != LLVMVoidTypeKind)
        LLVMReplaceAllUsesWith(call, made);
    LLVMInstructionEraseFromParent(call);
    LLVMDisposeBuilder(b);
}

bool tsr__pass_lower_primitives(struct tsr__compilation *l)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(l->module); f; f = LLVMGetNextFunction(f)) {
        if (LLVMIsDeclaration(f) && tsr__starts_with(tsr__name(f), TSR__CALL_PREFIX) && !is_primitive(f) && LLVMGetFirstUse(f))
            return tsr__fail(l, "the built-in library uses '%s', which is no primitive", tsr__name(f));
    }
    struct tsr__map needs = tsr__functions_reaching(l, is_primitive);
    size_t count;
    LLVMValueRef *functions = tsr__defined_functions(l, &count);
    if (!no_indirect_calls(l, functions, count))
        return false;
    LLVMValueRef *made = tsr_arena_alloc(&l->scratch, count * sizeof(LLVMValueRef));
    for (size_t k = 0; k < count; k++) {
        if (tsr__map_get(&needs, functions[k]))
            made[k] = with_item(l, functions[k]);
    }
    for (size_t k = 0; k < count; k++) {
        if (made[k])
            rewrite_calls(l, functions[k], made[k]);
    }
    for (size_t k = 0; k < count; k++) {
        if (!made[k])
            continue;
        size_t n;
        LLVMValueRef *code = tsr__instructions(l, made[k], &n);
        for (size_t i = 0; i < n; i++) {
            LLVMValueRef callee = tsr__callee(code[i]);
            const struct tsr__call_info *p = callee ? primitive_of(callee) : NULL;
            if (p)
                lower_primitive(l, code[i], p, tsr__item_of(made[k]));
        }
    }
    return true;
}
