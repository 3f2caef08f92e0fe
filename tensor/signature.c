/* SPDX-License-Identifier: Apache-2.0
 * The arguments of a kernel: what the host passes for the parameters of a function. A number is one argument. A memref is a pointer, then
 * an int64 for each '?' of its shape and then for each '?' of its strides; in a group each of these is a pointer to as many int64 as the
 * group has memrefs, and the size and the offset of the group follow, if they are '?'. */
#include "tensor/ir.h"

static uint32_t count_open(const struct tsr__t_type *memref)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < memref->order; i++)
        count += (memref->shape[i] == TSR__T_DYNAMIC) + (memref->stride[i] == TSR__T_DYNAMIC);
    return count;
}

static uint32_t count_arguments(const struct tsr__t_type *type)
{
    if (type->kind == TSR__T_MEMREF)
        return 1 + count_open(type);
    if (type->kind == TSR__T_GROUP)
        return 1 + count_open(type->memref) + (type->size == TSR__T_DYNAMIC) + (type->offset == TSR__T_DYNAMIC);
    return 1;
}

static const char *const words[][2] = {
    [TSR__T_I8] = {"char", "char*"},      [TSR__T_I16] = {"short", "short*"},     [TSR__T_I32] = {"int", "int*"},
    [TSR__T_I64] = {"long", "long*"},     [TSR__T_INDEX] = {"long", "long*"},     [TSR__T_BF16] = {"ushort", "ushort*"},
    [TSR__T_F16] = {"half", "half*"},     [TSR__T_F32] = {"float", "float*"},     [TSR__T_F64] = {"double", "double*"},
    [TSR__T_C32] = {"float2", "float2*"}, [TSR__T_C64] = {"double2", "double2*"},
};

static void add(struct tsr_tensor_argument_info **next, enum tsr_tensor_argument kind, uint32_t size, const char *type, const char *name)
{
    *(*next)++ = (struct tsr_tensor_argument_info){kind, size, type, name};
}

static void add_param(struct tsr_tensor_argument_info **next, const struct tsr__t_value *value)
{
    const struct tsr__t_type *type = value->type;
    switch (type->kind) {
    case TSR__T_BOOL:
        add(next, TSR_TENSOR_VALUE, 1, "uchar", value->name);
        break;
    case TSR__T_MEMREF:
        add(next, type->local ? TSR_TENSOR_LOCAL : TSR_TENSOR_POINTER, 8, words[type->number][1], value->name);
        for (uint32_t i = count_open(type); i; i--)
            add(next, TSR_TENSOR_SIZE, 8, "long", value->name);
        break;
    case TSR__T_GROUP:
        add(next, TSR_TENSOR_POINTERS, 8, "ulong*", value->name);
        for (uint32_t i = count_open(type->memref); i; i--)
            add(next, TSR_TENSOR_POINTER_SIZES, 8, "long*", value->name);
        if (type->size == TSR__T_DYNAMIC)
            add(next, TSR_TENSOR_SIZE, 8, "long", value->name);
        if (type->offset == TSR__T_DYNAMIC)
            add(next, TSR_TENSOR_SIZE, 8, "long", value->name);
        break;
    default:
        add(next, TSR_TENSOR_VALUE, tsr__t_numbers[type->number].bytes, words[type->number][0], value->name);
        break;
    }
}

void tsr__t_make_signature(struct tsr_tensor_program *p, struct tsr__t_func *func)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < func->param_count; i++)
        count += count_arguments(func->params[i].value.type);
    struct tsr_tensor_argument_info *arguments = tsr__t_alloc(p, (count + 1) * sizeof *arguments), *next = arguments;
    for (uint32_t i = 0; i < func->param_count; i++)
        add_param(&next, &func->params[i].value);
    func->info.name = func->name;
    func->info.argument_count = count;
    func->info.arguments = arguments;
}
