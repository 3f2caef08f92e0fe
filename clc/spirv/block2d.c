/* SPDX-License-Identifier: Apache-2.0
 * Two-dimensional blocks (SPV_INTEL_2d_block_io): calls of the functions of cl_intel_subgroup_2d_block_io, which lay blocks over a
 * sub-group in the same way (docs/matrix.md). Prefetches of SPV_INTEL_subgroup_buffer_prefetch: those of cl_intel_subgroup_buffer_prefetch.
 */
#include "clc/spirv/reader.h"

#include "tessera/block2d.h"

/* A function of block2d.def. */
static const struct block {
    uint32_t opcode;
    const char *name, *type; /* type of what `values` points to, NULL: the function takes no values */
    uint32_t bits, rows, columns, blocks;
} blocks[] = {
#define OP_PLAIN TSR__OpSubgroup2DBlockLoadINTEL
#define OP_TRANSFORM TSR__OpSubgroup2DBlockLoadTransformINTEL
#define OP_TRANSPOSE TSR__OpSubgroup2DBlockLoadTransposeINTEL
/* The names are macros of the table, which a second macro lets the preprocessor replace. */
#define TEXT(name) #name
#define TSR_BLOCK2D_READ(name, layout, bits, rows, columns, blocks, T, n) {OP_##layout, TEXT(name), #T, bits, rows, columns, blocks},
#define TSR_BLOCK2D_WRITE(name, bits, rows, columns, T, n) {TSR__OpSubgroup2DBlockStoreINTEL, TEXT(name), #T, bits, rows, columns, 1},
#define TSR_BLOCK2D_PREFETCH(name, bits, rows, columns, blocks)                                                                            \
    {TSR__OpSubgroup2DBlockPrefetchINTEL, TEXT(name), NULL, bits, rows, columns, blocks},
#include "tessera/block2d.def"
#undef TEXT
#undef OP_PLAIN
#undef OP_TRANSFORM
#undef OP_TRANSPOSE
};

static uint32_t size_operand(struct tsr__reader *r, const struct tsr__inst *in, uint32_t operand, const char *what)
{
    uint64_t size = tsr__spirv_constant(r, in, operand, what);
    if (LLVMTypeOf(tsr__spirv_value(r, in, operand)) != tsr__i32(r))
        tsr__spirv_fail(r, in, "%s has to be an integer of 32 bits", what);
    return (uint32_t)size;
}

static const struct block *find_block(struct tsr__reader *r, const struct tsr__inst *in)
{
    uint32_t bytes = size_operand(r, in, 0, "the size of an element"), columns = size_operand(r, in, 1, "the width of a block");
    uint32_t rows = size_operand(r, in, 2, "the height of a block"), count = size_operand(r, in, 3, "the number of blocks");
    for (size_t i = 0; i < TSR_ARRAY_LEN(blocks); i++) {
        const struct block *b = &blocks[i];
        if (b->opcode == in->op->number && b->bits / 8 == bytes && b->columns == columns && b->rows == rows && b->blocks == count)
            return b;
    }
    tsr__spirv_fail(r, in,
                    "the device has no such access to %u blocks of %u rows of %u elements of %u bytes; docs/matrix.md lists those it has",
                    count, rows, columns, bytes);
}

static LLVMValueRef pointer_operand(struct tsr__reader *r, const struct tsr__inst *in, uint32_t operand, uint32_t storage, const char *text)
{
    const struct tsr__type *type = tsr__spirv_type_of(r, in, operand);
    if (type->kind != TSR__POINTER || type->storage != storage)
        tsr__spirv_fail(r, in, "operand %u has to be a pointer to %s memory", operand + 1, text);
    return tsr__spirv_value(r, in, operand);
}

/* Width, height and pitch of the memory, and the coordinate: `first` is the operand of the pointer to it. */
static unsigned region(struct tsr__reader *r, const struct tsr__inst *in, uint32_t first, struct tsr__arg *args)
{
    args[0] = (struct tsr__arg){.value = pointer_operand(r, in, first, TSR__StorageCrossWorkgroup, "CrossWorkgroup")};
    for (uint32_t i = 1; i < 4; i++) {
        args[i] = (struct tsr__arg){.value = tsr__spirv_value(r, in, first + i)};
        if (LLVMTypeOf(args[i].value) != tsr__i32(r))
            tsr__spirv_fail(r, in, "width, height and pitch of the memory have to be integers of 32 bits");
    }
    args[4] = (struct tsr__arg){.value = tsr__spirv_value(r, in, first + 4)};
    if (LLVMTypeOf(args[4].value) != LLVMVectorType(tsr__i32(r), 2))
        tsr__spirv_fail(r, in, "the coordinate has to be a vector of two integers of 32 bits");
    return 5;
}

LLVMValueRef tsr__emit_block2d(struct tsr__reader *r, const struct tsr__inst *in, int argument)
{
    (void)argument;
    const struct block *b = find_block(r, in);
    bool store = b->opcode == TSR__OpSubgroup2DBlockStoreINTEL;
    uint32_t values = store ? 4 : 9; /* operands: a store names the values first, a load last */
    struct tsr__arg args[6];
    unsigned count = region(r, in, store ? 5 : 4, args);
    if (b->type) {
        enum tsr__sign sign;
        const struct tsr__type *type = tsr__spirv_type_of(r, in, values);
        args[count] = (struct tsr__arg){.value = pointer_operand(r, in, values, TSR__StorageFunction, "Function")};
        args[count].pointee = tsr__spirv_c_type(r, b->type, &sign);
        args[count++].sign = sign;
        if (b->opcode == TSR__OpSubgroup2DBlockLoadTransformINTEL && type->element && type->element->llvm != tsr__i32(r))
            tsr__spirv_fail(r, in, "operand %u has to point to integers of 32 bits", values + 1);
    }
    tsr__spirv_call(r, b->name, LLVMVoidTypeInContext(r->context), args, count, TSR__MEETS);
    return NULL;
}

/* A number of bytes for each work-item that the device has no prefetch of is ignored, as the extension says. */
LLVMValueRef tsr__emit_block_prefetch(struct tsr__reader *r, const struct tsr__inst *in, int argument)
{
    (void)argument;
    static const struct {
        uint32_t bytes;
        const char *name, *type;
    } prefetches[] = {
        {1, "intel_sub_group_block_prefetch_uc", "uchar"},    {2, "intel_sub_group_block_prefetch_uc2", "uchar"},
        {4, "intel_sub_group_block_prefetch_uc4", "uchar"},   {8, "intel_sub_group_block_prefetch_uc8", "uchar"},
        {16, "intel_sub_group_block_prefetch_uc16", "uchar"}, {32, "intel_sub_group_block_prefetch_us16", "ushort"},
        {64, "intel_sub_group_block_prefetch_ul8", "ulong"},
    };
    struct tsr__arg arg = {.value = pointer_operand(r, in, 0, TSR__StorageCrossWorkgroup, "CrossWorkgroup"), .is_const = true};
    uint32_t bytes = size_operand(r, in, 1, "the number of bytes");
    const struct tsr__type *pointee = tsr__spirv_type_of(r, in, 0)->element;
    if (pointee && pointee->kind != TSR__INT)
        tsr__spirv_fail(r, in, "operand 1 has to point to integers");
    for (size_t i = 0; i < TSR_ARRAY_LEN(prefetches); i++) {
        if (prefetches[i].bytes != bytes)
            continue;
        arg.pointee = tsr__spirv_c_type(r, prefetches[i].type, &arg.sign);
        tsr__spirv_call(r, prefetches[i].name, LLVMVoidTypeInContext(r->context), &arg, 1, TSR__MEETS);
    }
    return NULL;
}
