/* SPDX-License-Identifier: Apache-2.0
 * Calls of the built-in library, by the names that clang gives the overloads of OpenCL C: Itanium C++ ABI 5.1, with "U3AS<n>" for the
 * address space of a pointee. */
#include "clc/spirv/reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SPIR_FUNC = 75, MOST_PARTS = 24, PART_BYTES = 48 };

/* ---- names ---- */

/* A name that grows, and the parts of it that later parts may refer to. */
struct mangled {
    struct tsr__reader *r;
    struct tsr_buf text;
    char part[MOST_PARTS][PART_BYTES]; /* spelled out, without references */
    unsigned parts;
};

/* Writes the reference to a part that was there before. False: it is new, and from now on it is there. */
static bool refer(struct mangled *m, const char *part)
{
    for (unsigned i = 0; i < m->parts; i++) {
        if (strcmp(m->part[i], part) != 0)
            continue;
        if (i == 0)
            tsr_buf_printf(&m->text, "S_");
        else
            tsr_buf_printf(&m->text, "S%c_", i <= 10 ? '0' + (int)i - 1 : 'A' + (int)i - 11);
        return true;
    }
    return false;
}

static void remember(struct mangled *m, const char *part)
{
    if (m->parts == MOST_PARTS || strlen(part) >= PART_BYTES)
        tsr__spirv_fail(m->r, NULL, "a call with too many different types");
    strcpy(m->part[m->parts++], part);
}

static const char *scalar_code(struct tsr__reader *r, LLVMTypeRef type, enum tsr__sign sign)
{
    static const char *const codes[2][4] = {{"c", "s", "i", "l"}, {"h", "t", "j", "m"}};
    switch (LLVMGetTypeKind(type)) {
    case LLVMIntegerTypeKind:
        if (LLVMGetIntTypeWidth(type) == 1)
            return "b";
        return codes[sign][__builtin_ctz(LLVMGetIntTypeWidth(type)) - 3];
    case LLVMHalfTypeKind:
        return "Dh";
    case LLVMFloatTypeKind:
        return "f";
    case LLVMDoubleTypeKind:
        return "d";
    case LLVMVoidTypeKind:
        return "v";
    default:
        tsr__spirv_fail(r, NULL, "a value of this type cannot be given to a built-in function");
    }
}

/* The type without references into `spelled`, with them at the end of the name. */
static void put_data(struct mangled *m, LLVMTypeRef type, enum tsr__sign sign, char spelled[PART_BYTES])
{
    const char *code = scalar_code(m->r, tsr__scalar(type), sign);
    if (!tsr__is_vector(type)) {
        strcpy(spelled, code);
        tsr_buf_printf(&m->text, "%s", code);
        return;
    }
    snprintf(spelled, PART_BYTES, "Dv%u_%s", LLVMGetVectorSize(type), code);
    if (refer(m, spelled))
        return;
    tsr_buf_printf(&m->text, "%s", spelled);
    remember(m, spelled);
}

static void put_event(struct mangled *m, char spelled[PART_BYTES])
{
    strcpy(spelled, "9ocl_event");
    if (refer(m, spelled))
        return;
    tsr_buf_printf(&m->text, "%s", spelled);
    remember(m, spelled);
}

/* What the pointer points to as it is spelled, to find out whether the whole was there before. */
static void spell_pointee(struct mangled *m, const struct tsr__arg *arg, char spelled[PART_BYTES])
{
    if (arg->is_event)
        strcpy(spelled, "9ocl_event");
    else if (!arg->pointee)
        strcpy(spelled, "v");
    else if (tsr__is_vector(arg->pointee))
        snprintf(spelled, PART_BYTES, "Dv%u_%s", LLVMGetVectorSize(arg->pointee), scalar_code(m->r, tsr__scalar(arg->pointee), arg->sign));
    else
        strcpy(spelled, scalar_code(m->r, arg->pointee, arg->sign));
}

static void put_pointer(struct mangled *m, const struct tsr__arg *arg)
{
    unsigned space = LLVMGetPointerAddressSpace(LLVMTypeOf(arg->value));
    char qualifiers[16] = "", pointee[PART_BYTES], qualified[PART_BYTES + 16], whole[PART_BYTES + 20];
    if (space)
        snprintf(qualifiers, sizeof qualifiers, "U3AS%u", space);
    strcat(qualifiers, arg->is_const ? "K" : "");
    spell_pointee(m, arg, pointee);
    snprintf(qualified, sizeof qualified, "%s%s", qualifiers, pointee);
    snprintf(whole, sizeof whole, "P%s", qualified);
    if (refer(m, whole))
        return;
    tsr_buf_printf(&m->text, "P");
    if (!*qualifiers || !refer(m, qualified)) {
        tsr_buf_printf(&m->text, "%s", qualifiers);
        if (arg->is_event)
            put_event(m, pointee);
        else
            put_data(m, arg->pointee ? arg->pointee : LLVMVoidTypeInContext(m->r->context), arg->sign, pointee);
        if (*qualifiers)
            remember(m, qualified);
    }
    remember(m, whole);
}

static void mangle(struct mangled *m, const char *name, const struct tsr__arg *args, unsigned count)
{
    char spelled[PART_BYTES];
    tsr_buf_printf(&m->text, "_Z%zu%s", strlen(name), name);
    for (unsigned i = 0; i < count; i++) {
        LLVMTypeRef type = LLVMTypeOf(args[i].value);
        if (args[i].opaque)
            tsr_buf_printf(&m->text, "%s", args[i].opaque); /* to which no later part refers */
        else if (args[i].is_event && !args[i].pointee)
            put_event(m, spelled);
        else if (LLVMGetTypeKind(type) == LLVMPointerTypeKind)
            put_pointer(m, &args[i]);
        else
            put_data(m, type, args[i].sign, spelled);
    }
    tsr_buf_bytes(&m->text, count ? "" : "v", 1 + !count);
}

/* ---- calls ---- */

static void add_attribute(struct tsr__reader *r, LLVMValueRef function, const char *name, uint64_t value)
{
    unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
    LLVMAddAttributeAtIndex(function, (unsigned)LLVMAttributeFunctionIndex, LLVMCreateEnumAttribute(r->context, kind, value));
}

static LLVMValueRef declare(struct tsr__reader *r, const char *name, LLVMTypeRef type, unsigned flags)
{
    LLVMValueRef function = LLVMGetNamedFunction(r->module, name);
    if (function && LLVMGlobalGetValueType(function) != type)
        tsr__spirv_fail(r, NULL, "'%.100s' is declared in the module with another type", name);
    if (function)
        return function;
    function = LLVMAddFunction(r->module, name, type);
    LLVMSetFunctionCallConv(function, SPIR_FUNC);
    add_attribute(r, function, "nounwind", 0);
    add_attribute(r, function, "convergent", 0); /* as clang declares them all */
    if (flags & TSR__PURE) {
        add_attribute(r, function, "memory", 0);
        add_attribute(r, function, "willreturn", 0);
    }
    return function;
}

static LLVMValueRef call(struct tsr__reader *r, const char *name, LLVMTypeRef result, LLVMValueRef *values, unsigned count, unsigned flags)
{
    LLVMTypeRef types[16];
    if (count > TSR_ARRAY_LEN(types))
        tsr__spirv_fail(r, NULL, "a call with %u arguments", count);
    for (unsigned i = 0; i < count; i++)
        types[i] = LLVMTypeOf(values[i]);
    LLVMTypeRef type = LLVMFunctionType(result, types, count, false);
    LLVMValueRef made = LLVMBuildCall2(r->builder, type, declare(r, name, type, flags), values, count, "");
    LLVMSetInstructionCallConv(made, SPIR_FUNC);
    return made;
}

LLVMValueRef tsr__spirv_call_plain(struct tsr__reader *r, const char *name, LLVMTypeRef result, const LLVMValueRef *args, unsigned count,
                                   unsigned flags)
{
    LLVMValueRef values[16];
    for (unsigned i = 0; i < count && i < TSR_ARRAY_LEN(values); i++)
        values[i] = args[i];
    return call(r, name, result, values, count, flags);
}

LLVMValueRef tsr__spirv_call(struct tsr__reader *r, const char *name, LLVMTypeRef result, const struct tsr__arg *args, unsigned count,
                             unsigned flags)
{
    struct mangled m = {.r = r};
    LLVMValueRef values[16];
    mangle(&m, name, args, count);
    for (unsigned i = 0; i < count && i < TSR_ARRAY_LEN(values); i++)
        values[i] = args[i].value;
    const char *mangled = tsr_arena_format(&r->arena, "%s", m.text.data ? (const char *)m.text.data : "");
    tsr_buf_free(&m.text);
    return call(r, mangled, result, values, count, flags);
}

LLVMValueRef tsr__spirv_call_intrinsic(struct tsr__reader *r, const char *name, LLVMTypeRef overloaded, const LLVMValueRef *args,
                                       unsigned count)
{
    LLVMValueRef values[16];
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    LLVMTypeRef type = LLVMIntrinsicGetType(r->context, id, &overloaded, overloaded ? 1 : 0);
    for (unsigned i = 0; i < count && i < TSR_ARRAY_LEN(values); i++)
        values[i] = args[i];
    return LLVMBuildCall2(r->builder, type, LLVMGetIntrinsicDeclaration(r->module, id, &overloaded, overloaded ? 1 : 0), values, count, "");
}

LLVMValueRef tsr__spirv_splat(struct tsr__reader *r, LLVMTypeRef type, LLVMValueRef scalar)
{
    if (!tsr__is_vector(type))
        return scalar;
    LLVMValueRef one = LLVMBuildInsertElement(r->builder, LLVMGetPoison(type), scalar, tsr__u32(r, 0), "");
    LLVMTypeRef mask = tsr__with_scalar(type, tsr__i32(r));
    return LLVMBuildShuffleVector(r->builder, one, LLVMGetPoison(type), LLVMConstNull(mask), "");
}

LLVMTypeRef tsr__spirv_c_type(struct tsr__reader *r, const char *name, enum tsr__sign *sign)
{
    const struct {
        const char *name;
        LLVMTypeRef type;
    } scalars[] = {
        {"char", LLVMInt8TypeInContext(r->context)},     {"short", LLVMInt16TypeInContext(r->context)},
        {"int", LLVMInt32TypeInContext(r->context)},     {"long", LLVMInt64TypeInContext(r->context)},
        {"half", LLVMHalfTypeInContext(r->context)},     {"float", LLVMFloatTypeInContext(r->context)},
        {"double", LLVMDoubleTypeInContext(r->context)},
    };
    bool is_unsigned = name[0] == 'u';
    size_t length = strcspn(name += is_unsigned, "0123456789"), i = 0;
    if (sign)
        *sign = is_unsigned ? TSR__UNSIGNED : TSR__SIGNED;
    while (strlen(scalars[i].name) != length || strncmp(scalars[i].name, name, length) != 0)
        i++; /* the names are those of tables, so each is found */
    return name[length] ? LLVMVectorType(scalars[i].type, (unsigned)atoi(name + length)) : scalars[i].type;
}
