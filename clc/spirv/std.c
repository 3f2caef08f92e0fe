/* SPDX-License-Identifier: Apache-2.0
 * Calls of functions: the module's own, and the extended instructions of OpenCL.std, which are functions of OpenCL C. */
#include "clc/spirv/reader.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

LLVMValueRef tsr__spirv_call_function(struct tsr__reader *r, LLVMValueRef function, LLVMValueRef *arguments, unsigned count)
{
    LLVMValueRef call = LLVMBuildCall2(r->builder, LLVMGlobalGetValueType(function), function, arguments, count, "");
    LLVMSetInstructionCallConv(call, LLVMGetFunctionCallConv(function));
    unsigned by_value = LLVMGetEnumAttributeKindForName("byval", strlen("byval"));
    for (unsigned i = 0; i < count; i++) {
        LLVMAttributeRef attribute = LLVMGetEnumAttributeAtIndex(function, i + 1, by_value);
        if (attribute)
            LLVMAddCallSiteAttribute(call, i + 1, attribute);
    }
    return call;
}

LLVMValueRef tsr__emit_function_call(struct tsr__reader *r, const struct tsr__inst *in, int argument)
{
    (void)argument;
    const struct tsr__id *id = tsr__spirv_id(r, in, 0);
    if (!id->inst || id->inst->op->number != TSR__OpFunction)
        tsr__spirv_fail(r, in, "id %u is no function", in->operand[0]);
    if (!id->value)
        tsr__spirv_fail(r, in, "id %u is an entry point, which requires another sub-group size", in->operand[0]);
    const struct tsr__type *type = id->type;
    LLVMValueRef *arguments = tsr_arena_alloc(&r->arena, (type->count + 1) * sizeof *arguments);
    if (in->count - 1 != type->count)
        tsr__spirv_fail(r, in, "the function takes %u arguments, not %u", type->count, in->count - 1);
    for (uint32_t i = 0; i < type->count; i++) {
        arguments[i] = tsr__spirv_value(r, in, i + 1);
        if (LLVMTypeOf(arguments[i]) != type->members[i]->llvm)
            tsr__spirv_fail(r, in, "argument %u is not of the type of the parameter", i + 1);
    }
    return tsr__spirv_call_function(r, id->value, arguments, type->count);
}

/* ---- OpenCL.std ---- */

static const char *std_name(uint32_t number)
{
    switch (number) {
#define TSR_SPIRV_STD(name, number)                                                                                                        \
    case number:                                                                                                                           \
        return #name;
#include "spirv_grammar.inc"
    }
    return NULL;
}

/* How a function takes its arguments where the prefix of its name does not say it: a letter for each: s signed, u unsigned, p pointer to
 * what the first argument is, i pointer to as many int. `c_name` is its name in OpenCL C. */
static const struct exception {
    uint32_t number;
    const char *c_name, *letters;
} exceptions[] = {
    {TSR__Std_fract, "fract", "sp"},
    {TSR__Std_modf, "modf", "sp"},
    {TSR__Std_sincos, "sincos", "sp"},
    {TSR__Std_frexp, "frexp", "si"},
    {TSR__Std_lgamma_r, "lgamma_r", "si"},
    {TSR__Std_remquo, "remquo", "ssi"},
    {TSR__Std_nan, "nan", "u"},
    {TSR__Std_fclamp, "clamp", "sss"},
    {TSR__Std_fmax_common, "max", "ss"},
    {TSR__Std_fmin_common, "min", "ss"},
    {TSR__Std_s_upsample, "upsample", "su"},
    {TSR__Std_shuffle, "shuffle", "su"},
    {TSR__Std_shuffle2, "shuffle2", "ssu"},
};

static bool is_number(LLVMTypeRef type)
{
    return (tsr__is_int(type) && LLVMGetIntTypeWidth(tsr__scalar(type)) > 1) || tsr__is_float(type);
}

static struct tsr__arg argument_as(struct tsr__reader *r, const struct tsr__inst *in, uint32_t operand, char letter, LLVMTypeRef first)
{
    LLVMValueRef value = tsr__spirv_value(r, in, operand);
    bool pointer = letter == 'p' || letter == 'i';
    if (pointer ? LLVMGetTypeKind(LLVMTypeOf(value)) != LLVMPointerTypeKind : !is_number(LLVMTypeOf(value)))
        tsr__spirv_fail(r, in, "argument %u of %s has to be %s", operand - 1, std_name(in->operand[1]),
                        pointer ? "a pointer" : "a number or a vector of numbers");
    struct tsr__arg arg = {.value = value, .sign = letter == 'u' ? TSR__UNSIGNED : TSR__SIGNED};
    if (pointer)
        arg.pointee = letter == 'p' ? first : tsr__with_scalar(first, tsr__i32(r));
    return arg;
}

static LLVMValueRef call_std(struct tsr__reader *r, const struct tsr__inst *in, const char *name)
{
    const struct exception *e = NULL;
    for (size_t i = 0; i < TSR_ARRAY_LEN(exceptions) && !e; i++)
        e = exceptions[i].number == in->operand[1] ? &exceptions[i] : NULL;
    bool has_sign = !strncmp(name, "s_", 2) || !strncmp(name, "u_", 2);
    char usual = name[0] == 'u' && has_sign ? 'u' : 's';
    struct tsr__arg args[4];
    uint32_t count = in->count - 2;
    if (count == 0 || count > TSR_ARRAY_LEN(args) || (e && count != strlen(e->letters)))
        tsr__spirv_fail(r, in, "%s does not take %u arguments", name, count);
    bool writes = false;
    for (uint32_t i = 0; i < count; i++) {
        char letter = e ? e->letters[i] : usual;
        args[i] = argument_as(r, in, i + 2, letter, i ? LLVMTypeOf(args[0].value) : NULL);
        writes |= letter == 'p' || letter == 'i';
    }
    LLVMTypeRef result = tsr__spirv_result_type(r, in)->llvm;
    return tsr__spirv_call(r, e ? e->c_name : has_sign ? name + 2 : name, result, args, count, writes ? 0 : TSR__PURE);
}

/* ---- loads and stores of vectors ---- */

static const char *const roundings[] = {"_rte", "_rtz", "_rtp", "_rtn"};

static struct tsr__arg offset_argument(struct tsr__reader *r, const struct tsr__inst *in, uint32_t operand)
{
    LLVMValueRef offset = tsr__spirv_value(r, in, operand);
    if (LLVMGetTypeKind(LLVMTypeOf(offset)) != LLVMIntegerTypeKind)
        tsr__spirv_fail(r, in, "the offset has to be an integer");
    return (struct tsr__arg){.value = LLVMBuildIntCast2(r->builder, offset, LLVMInt64TypeInContext(r->context), false, ""),
                             .sign = TSR__UNSIGNED};
}

static struct tsr__arg address_argument(struct tsr__reader *r, const struct tsr__inst *in, uint32_t operand, LLVMTypeRef pointee,
                                        bool is_const)
{
    LLVMValueRef pointer = tsr__spirv_value(r, in, operand);
    if (LLVMGetTypeKind(LLVMTypeOf(pointer)) != LLVMPointerTypeKind)
        tsr__spirv_fail(r, in, "argument %u has to be a pointer", operand - 1);
    return (struct tsr__arg){.value = pointer, .pointee = pointee, .is_const = is_const};
}

static const char *with_count(struct tsr__reader *r, const char *name, LLVMTypeRef type, const char *end)
{
    if (tsr__is_vector(type))
        return tsr_arena_format(&r->arena, "%s%u%s", name, LLVMGetVectorSize(type), end);
    return tsr_arena_format(&r->arena, "%s%s", name, end);
}

static LLVMValueRef vload(struct tsr__reader *r, const struct tsr__inst *in, const char *name, bool halves)
{
    LLVMTypeRef type = tsr__spirv_result_type(r, in)->llvm;
    if (!is_number(type) || (halves && !tsr__is_float(type)) || (!halves && !tsr__is_vector(type)))
        tsr__spirv_fail(r, in, "%s does not give this type", name);
    LLVMTypeRef pointee = halves ? LLVMHalfTypeInContext(r->context) : LLVMGetElementType(type);
    struct tsr__arg args[] = {offset_argument(r, in, 2), address_argument(r, in, 3, pointee, true)};
    return tsr__spirv_call(r, with_count(r, name, type, ""), type, args, 2, 0);
}

/* `mode`: the operand that names the rounding mode, 0 if none does. */
static LLVMValueRef vstore(struct tsr__reader *r, const struct tsr__inst *in, const char *name, bool halves, uint32_t mode)
{
    LLVMValueRef data = tsr__spirv_value(r, in, 2);
    LLVMTypeRef type = LLVMTypeOf(data);
    if (!is_number(type) || (halves && !tsr__is_float(type)) || (!halves && !tsr__is_vector(type)))
        tsr__spirv_fail(r, in, "%s does not take this type", name);
    uint32_t rounding = mode ? tsr__spirv_word(r, in, mode) : TSR__RoundDefault;
    LLVMTypeRef pointee = halves ? LLVMHalfTypeInContext(r->context) : LLVMGetElementType(type);
    struct tsr__arg args[] = {{.value = data}, offset_argument(r, in, 3), address_argument(r, in, 4, pointee, false)};
    const char *end = rounding < TSR_ARRAY_LEN(roundings) ? roundings[rounding] : "";
    return tsr__spirv_call(r, with_count(r, name, type, end), LLVMVoidTypeInContext(r->context), args, 3, 0);
}

static LLVMValueRef prefetch(struct tsr__reader *r, const struct tsr__inst *in)
{
    const struct tsr__type *type = tsr__spirv_type_of(r, in, 2);
    if (type->kind == TSR__POINTER && (!type->element || !is_number(type->element->llvm)))
        return NULL; /* a hint, of which there is no function for such pointers */
    struct tsr__arg args[] = {address_argument(r, in, 2, type->element ? type->element->llvm : NULL, true), offset_argument(r, in, 3)};
    return tsr__spirv_call(r, "prefetch", LLVMVoidTypeInContext(r->context), args, 2, 0);
}

static LLVMValueRef print(struct tsr__reader *r, const struct tsr__inst *in)
{
    enum { MOST = 256 };
    LLVMValueRef values[MOST];
    uint32_t count = in->count - 2;
    if (count == 0 || count > MOST || tsr__spirv_result_type(r, in)->llvm != tsr__i32(r))
        tsr__spirv_fail(r, in, "printf takes a format and up to %d arguments, and gives an int", MOST - 1);
    for (uint32_t i = 0; i < count; i++)
        values[i] = tsr__spirv_value(r, in, i + 2);
    LLVMTypeRef format = LLVMTypeOf(values[0]), type;
    if (LLVMGetTypeKind(format) != LLVMPointerTypeKind || (LLVMGetPointerAddressSpace(format) != 2 && !r->relaxed_printf))
        tsr__spirv_fail(r, in, "the format of printf has to be in UniformConstant memory");
    if (LLVMGetPointerAddressSpace(format) != 2) /* one declaration of printf for all kinds of memory */
        values[0] = LLVMBuildAddrSpaceCast(r->builder, values[0], format = LLVMPointerTypeInContext(r->context, 2), "");
    type = LLVMFunctionType(tsr__i32(r), &format, 1, true);
    LLVMValueRef function = LLVMGetNamedFunction(r->module, "printf");
    if (!function)
        function = LLVMAddFunction(r->module, "printf", type);
    LLVMSetFunctionCallConv(function, LLVMGetFunctionCallConv(r->body.function));
    LLVMValueRef call = LLVMBuildCall2(r->builder, type, function, values, count, "");
    LLVMSetInstructionCallConv(call, LLVMGetFunctionCallConv(function));
    return call;
}

/* ---- accuracy ---- */

float tsr__spirv_promised_error(struct tsr__reader *r, const struct tsr__inst *in)
{
    /* What OpenCL C allows (7.4, full profile), which conformance/math_ulp.c holds the library to. */
    static const struct {
        float most;
        const char *names; /* between blanks */
    } functions[] = {
        {0.5f,
         " ceil copysign fabs fclamp fdim floor fma fmax fmax_common fmin fmin_common fmod fract frexp ldexp logb maxmag minmag modf nan"
         " nextafter remainder remquo rint round sign step trunc "},
        {2, " cbrt degrees log1p radians rsqrt "},
        {3, " exp exp10 exp2 expm1 log log10 log2 sqrt "},
        {4, " acos acosh asin asinh cos cosh cospi hypot sin sincos sinh sinpi "},
        {5, " acospi asinpi atan atanh atanpi tan tanh "},
        {6, " atan2 atan2pi tanpi "},
        {16, " erf erfc pow pown powr rootn tgamma "},
        {8192, " half_cos half_divide half_exp half_exp10 half_exp2 half_log half_log10 half_log2 half_powr half_recip half_rsqrt half_sin"
               " half_sqrt half_tan "},
    };
    if (in->op->number == TSR__OpDot)
        return INFINITY;
    if (in->op->number != TSR__OpExtInst)
        return 0.5f; /* rounded correctly */
    const char *name = std_name(in->operand[1]);
    const char *between = tsr_arena_format(&r->arena, " %s ", name ? name : "");
    for (size_t i = 0; i < TSR_ARRAY_LEN(functions); i++)
        if (strstr(functions[i].names, between))
            return functions[i].most;
    return INFINITY;
}

LLVMValueRef tsr__emit_ext_inst(struct tsr__reader *r, const struct tsr__inst *in, int argument)
{
    (void)argument;
    if (tsr__spirv_id(r, in, 0)->import != TSR__OPENCL_STD)
        tsr__spirv_fail(r, in, "id %u is no set of extended instructions", in->operand[0]);
    const char *name = std_name(in->operand[1]);
    switch (in->operand[1]) {
    case TSR__Std_vloadn:
        return vload(r, in, "vload", false);
    case TSR__Std_vload_half:
    case TSR__Std_vload_halfn:
        return vload(r, in, "vload_half", true);
    case TSR__Std_vloada_halfn:
        return vload(r, in, "vloada_half", true);
    case TSR__Std_vstoren:
        return vstore(r, in, "vstore", false, 0);
    case TSR__Std_vstore_half:
    case TSR__Std_vstore_halfn:
        return vstore(r, in, "vstore_half", true, 0);
    case TSR__Std_vstore_half_r:
    case TSR__Std_vstore_halfn_r:
        return vstore(r, in, "vstore_half", true, 5);
    case TSR__Std_vstorea_halfn:
        return vstore(r, in, "vstorea_half", true, 0);
    case TSR__Std_vstorea_halfn_r:
        return vstore(r, in, "vstorea_half", true, 5);
    case TSR__Std_prefetch:
        return prefetch(r, in);
    case TSR__Std_printf:
        return print(r, in);
    default:
        if (!name)
            tsr__spirv_fail(r, in, "OpenCL.std has no instruction %u", in->operand[1]);
        return call_std(r, in, name);
    }
}
