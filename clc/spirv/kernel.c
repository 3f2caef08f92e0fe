/* SPDX-License-Identifier: Apache-2.0
 * Entry points: a kernel that calls the function, and the metadata of which the queries are answered (clc/service/meta.c reads it). */
#include "clc/spirv/reader.h"

#include "clc/common/names.h"

#include <string.h>

enum { SPIR_KERNEL = 76 }; /* calling convention */

/* ---- metadata ---- */

static void set_metadata(struct tsr__reader *r, LLVMValueRef kernel, const char *name, LLVMMetadataRef *parts, uint32_t count)
{
    LLVMGlobalSetMetadata(kernel, LLVMGetMDKindIDInContext(r->context, name, (unsigned)strlen(name)),
                          LLVMMDNodeInContext2(r->context, parts, count));
}

static LLVMMetadataRef number(struct tsr__reader *r, uint32_t value)
{
    return LLVMValueAsMetadata(tsr__u32(r, value));
}

static LLVMMetadataRef text(struct tsr__reader *r, const char *words)
{
    return LLVMMDStringInContext2(r->context, words, strlen(words));
}

/* Three sizes, literals or ids of constants. */
static void set_sizes(struct tsr__reader *r, LLVMValueRef kernel, const struct tsr__inst *in, const struct tsr__mode *mode,
                      const char *name)
{
    if (!mode)
        return;
    LLVMMetadataRef sizes[3];
    struct tsr__inst operands = *in;
    operands.operand = mode->operand;
    operands.count = mode->count;
    for (uint32_t i = 0; i < 3; i++)
        sizes[i] = number(r, mode->ids ? (uint32_t)tsr__spirv_constant(r, &operands, i, "a size") : tsr__spirv_word(r, &operands, i));
    set_metadata(r, kernel, name, sizes, 3);
}

static void set_modes(struct tsr__reader *r, LLVMValueRef kernel, const struct tsr__inst *in)
{
    uint32_t id = in->result;
    const struct tsr__mode *size = tsr__spirv_mode(r, id, TSR__ModeLocalSize), *hint = tsr__spirv_mode(r, id, TSR__ModeLocalSizeHint);
    set_sizes(r, kernel, in, size ? size : tsr__spirv_mode(r, id, TSR__ModeLocalSizeId), "reqd_work_group_size");
    set_sizes(r, kernel, in, hint ? hint : tsr__spirv_mode(r, id, TSR__ModeLocalSizeHintId), "work_group_size_hint");
    const struct tsr__mode *sub_group = tsr__spirv_mode(r, id, TSR__ModeSubgroupSize);
    if (sub_group && sub_group->count) {
        LLVMMetadataRef lanes = number(r, sub_group->operand[0]);
        set_metadata(r, kernel, "intel_reqd_sub_group_size", &lanes, 1);
    }
}

/* ---- arguments ---- */

/* Translators keep the words of the source in OpString: "kernel_arg_type.<kernel>.<word>,<word>,". NULL: this module does not. */
static const char *find_words(const struct tsr__reader *r, const char *list, const char *kernel)
{
    size_t list_size = strlen(list), kernel_size = strlen(kernel);
    for (uint32_t i = 0; i < r->inst_count && r->insts[i].op->number != TSR__OpFunction; i++) {
        const char *words = r->insts[i].op->number == TSR__OpString ? r->ids[r->insts[i].result].text : NULL;
        if (words && !strncmp(words, list, list_size) && words[list_size] == '.' && !strncmp(words + list_size + 1, kernel, kernel_size) &&
            words[list_size + 1 + kernel_size] == '.')
            return words + list_size + kernel_size + 2;
    }
    return NULL;
}

/* The next word of such a list, NULL after the last. */
static const char *next_word(struct tsr__reader *r, const char **words)
{
    if (!*words || !**words)
        return NULL;
    int size = (int)strcspn(*words, ",");
    const char *word = tsr_arena_format(&r->arena, "%.*s", size, *words);
    *words += size + ((*words)[size] == ',');
    return word;
}

/* `depth`: of the pointers around the type, which may point to themselves. */
static const char *type_name(struct tsr__reader *r, const struct tsr__type *type, unsigned depth)
{
    enum { DEEPEST = 16 };
    static const char *const ints[] = {"char", "short", "int", "long"}, *const floats[] = {"half", "float", "double"};
    switch (type->kind) {
    case TSR__INT:
        return ints[__builtin_ctz(LLVMGetIntTypeWidth(type->llvm)) - 3];
    case TSR__FLOAT:
        if (type->is_bfloat16)
            return "bfloat16";
        return floats[__builtin_ctz((unsigned)LLVMSizeOfTypeInBits(r->layout, type->llvm)) - 4];
    case TSR__VECTOR:
        if (tsr__is_int4_vector(type))
            return ints[__builtin_ctz(LLVMGetIntTypeWidth(type->llvm)) - 3];
        return tsr_arena_format(&r->arena, "%s%u", type_name(r, type->element, depth), type->count);
    case TSR__POINTER:
        return tsr_arena_format(&r->arena, "%s*", type->element && depth < DEEPEST ? type_name(r, type->element, depth + 1) : "void");
    case TSR__STRUCT:
        return LLVMGetStructName(type->llvm);
    case TSR__BOOL:
        return "bool";
    case TSR__IMAGE:
        return tsr__image_type_name(r, type);
    case TSR__SAMPLER:
        return "sampler_t";
    case TSR__QUEUE:
        return "queue_t";
    default:
        return "void";
    }
}

static const char *type_qualifiers(struct tsr__reader *r, const struct tsr__type *type, uint32_t id)
{
    bool is_const = type->kind == TSR__POINTER && type->storage == TSR__StorageUniformConstant, restricted = false;
    for (const struct tsr__decoration *d = r->ids[id].decorations; d; d = d->next) {
        is_const |= d->number == TSR__DecorationFuncParamAttr && d->count && d->operand[0] == TSR__AttrNoWrite;
        restricted |= d->number == TSR__DecorationFuncParamAttr && d->count && d->operand[0] == TSR__AttrNoAlias;
    }
    bool is_volatile = tsr__spirv_decoration(r, id, TSR__DecorationVolatile, -1) != NULL;
    const char *all =
        tsr_arena_format(&r->arena, "%s%s%s", restricted ? " restrict" : "", is_const ? " const" : "", is_volatile ? " volatile" : "");
    return *all ? all + 1 : all;
}

/* A pointer that the caller fills with a struct has the struct's type. */
static const struct tsr__type *declared_type(const struct tsr__reader *r, const struct tsr__type *type, uint32_t id)
{
    for (const struct tsr__decoration *d = r->ids[id].decorations; d; d = d->next)
        if (d->number == TSR__DecorationFuncParamAttr && d->count && d->operand[0] == TSR__AttrByVal && type->element)
            return type->element;
    return type;
}

static void set_arguments(struct tsr__reader *r, LLVMValueRef kernel, const struct tsr__inst *in, const char *name)
{
    const struct tsr__type *type = r->ids[in->result].type;
    enum { SPACE, ACCESS, TYPE, BASE, QUALIFIERS, NAME, LISTS };
    static const char *const names[LISTS] = {"kernel_arg_addr_space", "kernel_arg_access_qual", "kernel_arg_type",
                                             "kernel_arg_base_type",  "kernel_arg_type_qual",   "kernel_arg_name"};
    LLVMMetadataRef *lists[LISTS];
    for (int i = 0; i < LISTS; i++)
        lists[i] = tsr_arena_alloc(&r->arena, (type->count + 1) * sizeof(LLVMMetadataRef));
    const char *types = find_words(r, "kernel_arg_type", name), *qualifiers = find_words(r, "kernel_arg_type_qual", name);
    const struct tsr__inst *p = in;
    bool named = false;
    for (uint32_t i = 0; i < type->count; i++) {
        while ((++p)->op->number != TSR__OpFunctionParameter)
            continue;
        const struct tsr__id *id = &r->ids[p->result];
        const struct tsr__type *own = declared_type(r, type->members[i], p->result);
        const char *word = next_word(r, &types), *qualifier = next_word(r, &qualifiers);
        bool opaque = own->kind == TSR__IMAGE || own->kind == TSR__SAMPLER || own->kind == TSR__QUEUE;
        bool address = own->kind == TSR__POINTER || own->kind == TSR__IMAGE || own->kind == TSR__PIPE;
        lists[SPACE][i] = number(r, address ? LLVMGetPointerAddressSpace(own->llvm) : 0);
        lists[ACCESS][i] = text(r, tsr__image_access_name(own));
        lists[TYPE][i] = text(r, word ? word : type_name(r, own, 0));
        lists[BASE][i] = opaque ? text(r, type_name(r, own, 0)) : lists[TYPE][i];
        lists[QUALIFIERS][i] = text(r, own->kind == TSR__PIPE ? "pipe" : qualifier ? qualifier : type_qualifiers(r, own, p->result));
        lists[NAME][i] = text(r, id->name ? id->name : "");
        named |= id->name != NULL;
    }
    for (int i = 0; i < LISTS; i++)
        if (i != NAME || named)
            set_metadata(r, kernel, names[i], lists[i], type->count);
}

/* ---- the kernel ---- */

static bool by_value(const struct tsr__type *type)
{
    return type->kind == TSR__STRUCT || type->kind == TSR__ARRAY;
}

static void copy_attributes(LLVMValueRef from, unsigned index, LLVMValueRef to)
{
    LLVMAttributeRef list[16];
    unsigned count = LLVMGetAttributeCountAtIndex(from, index);
    if (count > TSR_ARRAY_LEN(list))
        return;
    LLVMGetAttributesAtIndex(from, index, list);
    for (unsigned i = 0; i < count; i++)
        LLVMAddAttributeAtIndex(to, index, list[i]);
}

/* Structs that the function takes by value lie in memory for a kernel. */
static LLVMValueRef declare_kernel(struct tsr__reader *r, LLVMValueRef function, const struct tsr__type *type, const char *name)
{
    LLVMTypeRef *parameters = tsr_arena_alloc(&r->arena, (type->count + 1) * sizeof *parameters);
    for (uint32_t i = 0; i < type->count; i++)
        parameters[i] = by_value(type->members[i]) ? LLVMPointerTypeInContext(r->context, 0) : type->members[i]->llvm;
    LLVMTypeRef kernel_type = LLVMFunctionType(LLVMVoidTypeInContext(r->context), parameters, type->count, false);
    LLVMValueRef kernel = LLVMAddFunction(r->module, name, kernel_type);
    LLVMSetFunctionCallConv(kernel, SPIR_KERNEL);
    copy_attributes(function, (unsigned)LLVMAttributeFunctionIndex, kernel);
    unsigned inlined = LLVMGetEnumAttributeKindForName("alwaysinline", strlen("alwaysinline"));
    LLVMRemoveEnumAttributeAtIndex(kernel, LLVMAttributeFunctionIndex, inlined);
    unsigned value = LLVMGetEnumAttributeKindForName("byval", strlen("byval"));
    for (uint32_t i = 0; i < type->count; i++) {
        LLVMValueRef parameter = LLVMGetParam(function, i), own = LLVMGetParam(kernel, i);
        size_t size;
        const char *parameter_name = LLVMGetValueName2(parameter, &size);
        LLVMSetValueName2(own, parameter_name, size);
        if (by_value(type->members[i]))
            LLVMAddAttributeAtIndex(kernel, i + 1, LLVMCreateTypeAttribute(r->context, value, type->members[i]->llvm));
        else
            copy_attributes(function, i + 1, kernel);
    }
    return kernel;
}

static void call_function(struct tsr__reader *r, LLVMValueRef kernel, LLVMValueRef function, const struct tsr__inst *in)
{
    LLVMPositionBuilderAtEnd(r->builder, LLVMAppendBasicBlockInContext(r->context, kernel, "entry"));
    tsr__spirv_function_lines(r, in, kernel, r->builder);
    const struct tsr__type *type = r->ids[in->result].type;
    LLVMValueRef *arguments = tsr_arena_alloc(&r->arena, (type->count + 1) * sizeof *arguments);
    for (uint32_t i = 0; i < type->count; i++) {
        arguments[i] = LLVMGetParam(kernel, i);
        if (by_value(type->members[i]))
            arguments[i] = LLVMBuildLoad2(r->builder, type->members[i]->llvm, arguments[i], "");
    }
    tsr__spirv_call_function(r, function, arguments, type->count);
    LLVMBuildRetVoid(r->builder);
    tsr__spirv_end_function_lines(r);
}

/* A body that the kernel alone calls becomes part of it. */
static void inline_body(struct tsr__reader *r, LLVMValueRef function)
{
    if (LLVMGetNextUse(LLVMGetFirstUse(function)))
        return;
    unsigned inlined = LLVMGetEnumAttributeKindForName("alwaysinline", strlen("alwaysinline"));
    LLVMRemoveEnumAttributeAtIndex(function, LLVMAttributeFunctionIndex, LLVMGetEnumAttributeKindForName("noinline", strlen("noinline")));
    LLVMAddAttributeAtIndex(function, (unsigned)LLVMAttributeFunctionIndex, LLVMCreateEnumAttribute(r->context, inlined, 0));
}

void tsr__spirv_kernel(struct tsr__reader *r, LLVMValueRef function, const struct tsr__inst *in, const char *name)
{
    const struct tsr__type *type = r->ids[in->result].type;
    if (type->element->kind != TSR__VOID)
        tsr__spirv_fail(r, in, "a kernel returns nothing");
    /* The body gives its name to the kernel. Translators make two functions of a kernel that others call: the entry point, and the body
     * under the same name for the linker. */
    LLVMValueRef same = LLVMGetNamedFunction(r->module, name);
    const char *body = tsr_arena_format(&r->arena, "%s%s", TSR_CLC_KERNEL_BODY, name);
    if (same && LLVMIsDeclaration(same))
        tsr__spirv_fail(r, in, "the module imports a function with the name of the entry point '%.100s'", name);
    if (same) {
        LLVMSetValueName2(same, body, strlen(body));
        LLVMSetLinkage(same, LLVMInternalLinkage);
    }
    LLVMValueRef kernel = declare_kernel(r, function, type, name);
    call_function(r, kernel, function, in);
    set_modes(r, kernel, in);
    set_metadata(r, kernel, TSR_CLC_NO_ATTRIBUTES, NULL, 0);
    set_arguments(r, kernel, in, name);
    inline_body(r, function);
}
