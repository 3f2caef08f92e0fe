/* SPDX-License-Identifier: Apache-2.0
 * Images and samplers (SPIR-V specification 3.52.6, 3.52.10). An image is the address of its descriptor, a sampler a word of 32 bits
 * (tessera/image_desc.h), and both together a struct of the two, as the built-in library takes them. */
#include "clc/spirv/reader.h"

#include "tessera/image_desc.h"

#include <string.h>

enum dim { DIM_1D = 0, DIM_2D = 1, DIM_3D = 2, DIM_BUFFER = 5 };

/* The kinds of images that OpenCL C has. */
static const struct tsr__image_kind {
    const char *name; /* of the type, without its end */
    enum dim dim;
    bool arrayed, depth;
    unsigned coordinates; /* components that the built-in functions take */
    unsigned sizes;       /* components of what OpImageQuerySize gives */
} kinds[] = {
    {"image1d", DIM_1D, false, false, 1, 1},
    {"image1d_array", DIM_1D, true, false, 2, 2},
    {"image1d_buffer", DIM_BUFFER, false, false, 1, 1},
    {"image2d", DIM_2D, false, false, 2, 2},
    {"image2d_array", DIM_2D, true, false, 4, 3},
    {"image2d_depth", DIM_2D, false, true, 2, 2},
    {"image2d_array_depth", DIM_2D, true, true, 4, 3},
    {"image3d", DIM_3D, false, false, 4, 3},
};

static const char *const accesses[] = {"ro", "wo", "rw"};

/* ---- types and constants ---- */

static void make_image(struct tsr__reader *r, const struct tsr__inst *in, struct tsr__type *type)
{
    enum { SAMPLED_TYPE, DIM, DEPTH, ARRAYED, MULTISAMPLED, SAMPLED, FORMAT, ACCESS };
    const uint32_t *o = in->operand;
    if (tsr__spirv_type(r, in, SAMPLED_TYPE)->kind != TSR__VOID)
        tsr__spirv_fail(r, in, "the sampled type of a kernel's image is void");
    if (o[MULTISAMPLED] || o[SAMPLED] || o[FORMAT])
        tsr__spirv_fail(r, in, "a kernel's image has neither several samples, nor a format, nor does it say whether it is sampled");
    for (size_t i = 0; i < TSR_ARRAY_LEN(kinds); i++)
        if (o[DIM] == kinds[i].dim && (o[ARRAYED] != 0) == kinds[i].arrayed && (o[DEPTH] == 1) == kinds[i].depth)
            type->image = &kinds[i];
    type->access = in->count > ACCESS ? o[ACCESS] : 0;
    if (!type->image || type->access >= TSR_ARRAY_LEN(accesses))
        tsr__spirv_fail(r, in, "OpenCL has no such images");
}

bool tsr__image_make_type(struct tsr__reader *r, const struct tsr__inst *in, struct tsr__type *type)
{
    LLVMTypeRef parts[2] = {LLVMPointerTypeInContext(r->context, 1), tsr__i32(r)};
    switch (in->op->number) {
    case TSR__OpTypeImage:
        type->kind = TSR__IMAGE;
        type->llvm = parts[0];
        make_image(r, in, type);
        return true;
    case TSR__OpTypeSampler:
        type->kind = TSR__SAMPLER;
        type->llvm = parts[1];
        return true;
    case TSR__OpTypeSampledImage:
        type->kind = TSR__SAMPLED_IMAGE;
        type->element = tsr__spirv_type(r, in, 0);
        type->llvm = LLVMStructTypeInContext(r->context, parts, 2, false);
        if (type->element->kind != TSR__IMAGE)
            tsr__spirv_fail(r, in, "id %u is no type of images", in->operand[0]);
        return true;
    default:
        return false;
    }
}

bool tsr__image_make_constant(struct tsr__reader *r, const struct tsr__inst *in)
{
    enum { ADDRESSING, NORMALISED, FILTER };
    if (in->op->number != TSR__OpConstantSampler)
        return false;
    struct tsr__id *id = &r->ids[in->result];
    id->type = (struct tsr__type *)tsr__spirv_result_type(r, in);
    if (id->type->kind != TSR__SAMPLER || in->operand[ADDRESSING] > 4 || in->operand[FILTER] > 1)
        tsr__spirv_fail(r, in, "OpenCL has no such samplers");
    uint32_t filter = in->operand[FILTER] ? TSR_SAMPLER_LINEAR : TSR_SAMPLER_LINEAR / 2;
    id->value = tsr__u32(r, in->operand[ADDRESSING] << 1 | (in->operand[NORMALISED] ? TSR_SAMPLER_NORMALIZED : 0) | filter);
    return true;
}

const char *tsr__image_type_name(struct tsr__reader *r, const struct tsr__type *type)
{
    return tsr_arena_format(&r->arena, "%s_t", type->image->name);
}

const char *tsr__image_access_name(const struct tsr__type *type)
{
    static const char *const words[] = {"read_only", "write_only", "read_write"};
    return type->kind == TSR__IMAGE || type->kind == TSR__PIPE ? words[type->access] : "none";
}

/* ---- calls ---- */

/* What an instruction does to an image: a call of a function of OpenCL C, whose arguments begin with it. */
struct use {
    const struct tsr__image_kind *kind;
    struct tsr__arg args[6];
    unsigned count;
};

static struct use begin_use(struct tsr__reader *r, const struct tsr__inst *in, const struct tsr__type *type, LLVMValueRef image)
{
    if (type->kind != TSR__IMAGE)
        tsr__spirv_fail(r, in, "id %u is no image", in->operand[0]);
    size_t length = strlen("ocl_") + strlen(type->image->name) + strlen("_ro");
    const char *code = tsr_arena_format(&r->arena, "%zuocl_%s_%s", length, type->image->name, accesses[type->access]);
    return (struct use){.kind = type->image, .args = {{.value = image, .opaque = code}}, .count = 1};
}

static void add(struct use *use, LLVMValueRef value, enum tsr__sign sign)
{
    use->args[use->count++] = (struct tsr__arg){.value = value, .sign = sign};
}

/* As many components as the function takes: those that a vector lacks are zero. */
static LLVMValueRef resized(struct tsr__reader *r, LLVMValueRef value, unsigned wanted)
{
    LLVMTypeRef type = LLVMTypeOf(value), scalar = tsr__scalar(type);
    unsigned has = tsr__is_vector(type) ? LLVMGetVectorSize(type) : 1;
    if (has == wanted)
        return value;
    LLVMValueRef made = wanted > 1 ? LLVMConstNull(LLVMVectorType(scalar, wanted)) : NULL;
    for (unsigned i = 0; i < has && i < wanted; i++) {
        LLVMValueRef one = has > 1 ? LLVMBuildExtractElement(r->builder, value, tsr__u32(r, i), "") : value;
        made = made ? LLVMBuildInsertElement(r->builder, made, one, tsr__u32(r, i), "") : one;
    }
    return made;
}

static void add_coordinate(struct tsr__reader *r, const struct tsr__inst *in, struct use *use)
{
    LLVMValueRef at = tsr__spirv_value(r, in, 1);
    LLVMTypeRef scalar = tsr__scalar(LLVMTypeOf(at));
    if (scalar != tsr__i32(r) && scalar != LLVMFloatTypeInContext(r->context))
        tsr__spirv_fail(r, in, "coordinates are floats or integers of 32 bits");
    add(use, resized(r, at, use->kind->coordinates), TSR__SIGNED);
}

/* The image operands from this operand on: a level of detail, or gradients. Others than hints are refused. */
struct operands {
    LLVMValueRef lod, gradients[2];
};

static struct operands image_operands(struct tsr__reader *r, const struct tsr__inst *in, unsigned at)
{
    enum { LOD = 2, GRADIENTS = 4, SIGN_EXTEND = 0x1000, ZERO_EXTEND = 0x2000, NONTEMPORAL = 0x4000 };
    struct operands o = {0};
    uint32_t mask = in->count > at ? in->operand[at++] : 0;
    if (mask & ~(uint32_t)(LOD | GRADIENTS | SIGN_EXTEND | ZERO_EXTEND | NONTEMPORAL) || (mask & LOD && mask & GRADIENTS))
        tsr__spirv_fail(r, in, "image operands 0x%x: OpenCL has Lod, Grad, SignExtend, ZeroExtend and Nontemporal", mask);
    if (mask & LOD)
        o.lod = tsr__spirv_value(r, in, at);
    for (unsigned i = 0; mask & GRADIENTS && i < 2; i++)
        o.gradients[i] = tsr__spirv_value(r, in, at + i);
    return o;
}

/* The end of the names of functions that read or write pixels of the type. */
static const char *suffix_of(struct tsr__reader *r, const struct tsr__inst *in, const struct use *use, LLVMTypeRef pixel)
{
    LLVMTypeRef scalar = tsr__scalar(pixel);
    if (scalar == LLVMFloatTypeInContext(r->context))
        return "f";
    if (!use->kind->depth && scalar == LLVMHalfTypeInContext(r->context))
        return "h";
    if (!use->kind->depth && scalar == tsr__i32(r))
        return "ui"; /* the same bits for either sign */
    tsr__spirv_fail(r, in, "pixels are floats, halves or integers of 32 bits");
}

static LLVMValueRef read_pixel(struct tsr__reader *r, const struct tsr__inst *in, struct use *use)
{
    LLVMTypeRef type = tsr__spirv_result_type(r, in)->llvm, scalar = tsr__scalar(type);
    const char *name = tsr_arena_format(&r->arena, "read_image%s", suffix_of(r, in, use, type));
    LLVMTypeRef result = use->kind->depth ? scalar : LLVMVectorType(scalar, 4);
    return resized(r, tsr__spirv_call(r, name, result, use->args, use->count, 0), tsr__is_vector(type) ? LLVMGetVectorSize(type) : 1);
}

LLVMValueRef tsr__emit_sampled_image(struct tsr__reader *r, const struct tsr__inst *in, int argument)
{
    (void)argument;
    LLVMValueRef made = LLVMGetPoison(tsr__spirv_result_type(r, in)->llvm);
    if (tsr__spirv_type_of(r, in, 0)->kind != TSR__IMAGE || tsr__spirv_type_of(r, in, 1)->kind != TSR__SAMPLER)
        tsr__spirv_fail(r, in, "its operands are an image and a sampler");
    for (unsigned i = 0; i < 2; i++)
        made = LLVMBuildInsertValue(r->builder, made, tsr__spirv_value(r, in, i), i, "");
    return made;
}

static const struct tsr__type *sampled_type(struct tsr__reader *r, const struct tsr__inst *in)
{
    const struct tsr__type *type = tsr__spirv_type_of(r, in, 0);
    if (type->kind != TSR__SAMPLED_IMAGE)
        tsr__spirv_fail(r, in, "id %u is no image with a sampler", in->operand[0]);
    return type->element;
}

LLVMValueRef tsr__emit_image_of_sampled(struct tsr__reader *r, const struct tsr__inst *in, int argument)
{
    (void)argument;
    sampled_type(r, in);
    return LLVMBuildExtractValue(r->builder, tsr__spirv_value(r, in, 0), 0, "");
}

LLVMValueRef tsr__emit_image_sample(struct tsr__reader *r, const struct tsr__inst *in, int argument)
{
    (void)argument;
    const struct tsr__type *type = sampled_type(r, in);
    LLVMValueRef both = tsr__spirv_value(r, in, 0);
    struct use use = begin_use(r, in, type, LLVMBuildExtractValue(r->builder, both, 0, ""));
    struct operands o = image_operands(r, in, 2);
    use.args[use.count++] = (struct tsr__arg){.value = LLVMBuildExtractValue(r->builder, both, 1, ""), .opaque = "11ocl_sampler"};
    add_coordinate(r, in, &use);
    bool whole = tsr__is_int(LLVMTypeOf(use.args[2].value));
    if (whole && (o.gradients[0] || (o.lod && !LLVMIsNull(o.lod))))
        tsr__spirv_fail(r, in, "integer coordinates are those of level 0");
    if (o.lod && !LLVMIsNull(o.lod)) /* level 0 is what functions without a level read */
        add(&use, o.lod, TSR__SIGNED);
    unsigned gradient = use.kind->dim == DIM_1D ? 1 : use.kind->dim == DIM_2D ? 2 : 4;
    for (unsigned i = 0; i < 2 && o.gradients[0]; i++)
        add(&use, resized(r, o.gradients[i], gradient), TSR__SIGNED);
    return read_pixel(r, in, &use);
}

LLVMValueRef tsr__emit_image_read(struct tsr__reader *r, const struct tsr__inst *in, int argument)
{
    (void)argument;
    struct use use = begin_use(r, in, tsr__spirv_type_of(r, in, 0), tsr__spirv_value(r, in, 0));
    struct operands o = image_operands(r, in, 2);
    add_coordinate(r, in, &use);
    if (o.gradients[0] || (o.lod && !LLVMIsNull(o.lod)))
        tsr__spirv_fail(r, in, "reads without a sampler are those of level 0");
    return read_pixel(r, in, &use);
}

LLVMValueRef tsr__emit_image_write(struct tsr__reader *r, const struct tsr__inst *in, int argument)
{
    (void)argument;
    struct use use = begin_use(r, in, tsr__spirv_type_of(r, in, 0), tsr__spirv_value(r, in, 0));
    struct operands o = image_operands(r, in, 3);
    LLVMValueRef pixel = tsr__spirv_value(r, in, 2);
    add_coordinate(r, in, &use);
    if (o.gradients[0])
        tsr__spirv_fail(r, in, "a write has no gradients");
    if (o.lod && !LLVMIsNull(o.lod))
        add(&use, o.lod, TSR__SIGNED);
    add(&use, resized(r, pixel, use.kind->depth ? 1 : 4), TSR__UNSIGNED);
    const char *name = tsr_arena_format(&r->arena, "write_image%s", suffix_of(r, in, &use, LLVMTypeOf(pixel)));
    tsr__spirv_call(r, name, LLVMVoidTypeInContext(r->context), use.args, use.count, 0);
    return NULL;
}

/* ---- blocks (SPV_INTEL_subgroups) ---- */

static struct use begin_block(struct tsr__reader *r, const struct tsr__inst *in)
{
    struct use use = begin_use(r, in, tsr__spirv_type_of(r, in, 0), tsr__spirv_value(r, in, 0));
    LLVMValueRef at = tsr__spirv_value(r, in, 1);
    if (use.kind->dim != DIM_2D || use.kind->arrayed || use.kind->depth)
        tsr__spirv_fail(r, in, "blocks are of 2D images that are neither arrays nor of depths");
    if (LLVMTypeOf(at) != LLVMVectorType(tsr__i32(r), 2))
        tsr__spirv_fail(r, in, "its coordinate has to be two integers of 32 bits");
    add(&use, at, TSR__SIGNED);
    return use;
}

LLVMValueRef tsr__emit_image_block_read(struct tsr__reader *r, const struct tsr__inst *in, int argument)
{
    (void)argument;
    struct use use = begin_block(r, in);
    LLVMTypeRef type = tsr__spirv_result_type(r, in)->llvm;
    const char *name = tsr__block_name(r, in, "read", type);
    LLVMValueRef made = tsr__spirv_call(r, name, tsr__int_like(r, type), use.args, use.count, TSR__MEETS);
    return LLVMBuildBitCast(r->builder, made, type, "");
}

LLVMValueRef tsr__emit_image_block_write(struct tsr__reader *r, const struct tsr__inst *in, int argument)
{
    (void)argument;
    struct use use = begin_block(r, in);
    LLVMValueRef data = tsr__spirv_value(r, in, 2);
    const char *name = tsr__block_name(r, in, "write", LLVMTypeOf(data));
    add(&use, LLVMBuildBitCast(r->builder, data, tsr__int_like(r, LLVMTypeOf(data)), ""), TSR__UNSIGNED);
    tsr__spirv_call(r, name, LLVMVoidTypeInContext(r->context), use.args, use.count, TSR__MEETS);
    return NULL;
}

/* ---- questions ---- */

static LLVMValueRef ask(struct tsr__reader *r, const struct use *use, const char *name)
{
    bool wide = !strcmp(name, "get_image_array_size");
    LLVMTypeRef type = wide ? LLVMInt64TypeInContext(r->context) : tsr__i32(r);
    LLVMValueRef answer = tsr__spirv_call(r, name, type, use->args, 1, TSR__PURE);
    return wide ? LLVMBuildTrunc(r->builder, answer, tsr__i32(r), "") : answer;
}

/* The result's own width; at level n an image is 2^n times smaller. */
LLVMValueRef tsr__emit_image_query_size(struct tsr__reader *r, const struct tsr__inst *in, int argument)
{
    static const char *const names[] = {"get_image_width", "get_image_height", "get_image_depth"};
    struct use use = begin_use(r, in, tsr__spirv_type_of(r, in, 0), tsr__spirv_value(r, in, 0));
    LLVMValueRef lod = argument == TSR__WITH_LOD ? tsr__spirv_value(r, in, 1) : NULL, made = NULL;
    LLVMTypeRef type = tsr__spirv_result_type(r, in)->llvm, scalar = tsr__scalar(type);
    if (!tsr__is_int(type) || (tsr__is_vector(type) ? LLVMGetVectorSize(type) : 1) != use.kind->sizes)
        tsr__spirv_fail(r, in, "its result has %u integers", use.kind->sizes);
    for (unsigned i = 0; i < use.kind->sizes; i++) {
        bool layers = use.kind->arrayed && i + 1 == use.kind->sizes;
        LLVMValueRef size = ask(r, &use, layers ? "get_image_array_size" : names[i]);
        if (lod && !layers && !LLVMIsNull(lod)) {
            LLVMValueRef one = tsr__u32(r, 1),
                         less = LLVMBuildLShr(r->builder, size, LLVMBuildIntCast2(r->builder, lod, tsr__i32(r), false, ""), "");
            size = LLVMBuildSelect(r->builder, LLVMBuildICmp(r->builder, LLVMIntEQ, less, tsr__u32(r, 0), ""), one, less, "");
        }
        size = LLVMBuildIntCast2(r->builder, size, scalar, false, "");
        made =
            !tsr__is_vector(type) ? size : LLVMBuildInsertElement(r->builder, made ? made : LLVMGetPoison(type), size, tsr__u32(r, i), "");
    }
    return made;
}

LLVMValueRef tsr__emit_image_query(struct tsr__reader *r, const struct tsr__inst *in, int argument)
{
    static const struct {
        const char *name;
        uint32_t first; /* OpenCL's number of what SPIR-V counts from 0 */
    } questions[] = {
        [TSR__QUERY_FORMAT] = {"get_image_channel_data_type", 0x10d0},
        [TSR__QUERY_ORDER] = {"get_image_channel_order", 0x10b0},
        [TSR__QUERY_LEVELS] = {"get_image_num_mip_levels", 0},
    };
    struct use use = begin_use(r, in, tsr__spirv_type_of(r, in, 0), tsr__spirv_value(r, in, 0));
    LLVMTypeRef type = tsr__spirv_result_type(r, in)->llvm;
    if (LLVMGetTypeKind(type) != LLVMIntegerTypeKind)
        tsr__spirv_fail(r, in, "its result has to be an integer");
    LLVMValueRef answer = LLVMBuildSub(r->builder, ask(r, &use, questions[argument].name), tsr__u32(r, questions[argument].first), "");
    return LLVMBuildIntCast2(r->builder, answer, type, false, "");
}
