/* SPDX-License-Identifier: Apache-2.0
 * The arguments of a kernel: what the host passes for the parameters of a function. A number is one argument. A memref is a pointer, then
 * an int64 for each '?' of its shape and then for each '?' of its strides; in a group each of these is a pointer to as many int64 as the
 * group has memrefs, and the size and the offset of the group follow, if they are '?'. */
#include "tensor/ir.h"

#include <stdio.h>
#include <string.h>

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

struct arguments {
    struct tsr_tensor_program *p;
    struct tsr_tensor_argument_info *next;
    const char *parameter;
};

static void add(struct arguments *a, enum tsr_tensor_argument kind, uint32_t size, const char *type)
{
    *a->next++ = (struct tsr_tensor_argument_info){kind, size, type, a->parameter, a->parameter};
}

/* A size of the parameter, by a name that no parameter can have. */
static void add_size(struct arguments *a, bool of_each, const char *what)
{
    char *name = tsr__t_alloc(a->p, strlen(a->parameter) + strlen(what) + 2);
    sprintf(name, "%s.%s", a->parameter, what);
    add(a, of_each ? TSR_TENSOR_POINTER_SIZES : TSR_TENSOR_SIZE, 8, of_each ? "long*" : "long");
    a->next[-1].name = name;
}

static void add_open(struct arguments *a, const struct tsr__t_type *memref, bool of_each)
{
    static const char *const forms[] = {"shape%u", "stride%u"};
    char what[32];
    for (int which = 0; which < 2; which++)
        for (uint32_t i = 0; i < memref->order; i++)
            if ((which ? memref->stride : memref->shape)[i] == TSR__T_DYNAMIC) {
                snprintf(what, sizeof what, forms[which], i);
                add_size(a, of_each, what);
            }
}

static void add_param(struct arguments *a, const struct tsr__t_value *value)
{
    const struct tsr__t_type *type = value->type;
    a->parameter = value->name;
    switch (type->kind) {
    case TSR__T_BOOL:
        add(a, TSR_TENSOR_VALUE, 1, "uchar");
        break;
    case TSR__T_MEMREF:
        add(a, type->local ? TSR_TENSOR_LOCAL : TSR_TENSOR_POINTER, 8, words[type->number][1]);
        add_open(a, type, false);
        break;
    case TSR__T_GROUP:
        add(a, TSR_TENSOR_POINTERS, 8, "ulong*");
        add_open(a, type->memref, true);
        if (type->size == TSR__T_DYNAMIC)
            add_size(a, false, "size");
        if (type->offset == TSR__T_DYNAMIC)
            add_size(a, false, "offset");
        break;
    default:
        add(a, TSR_TENSOR_VALUE, tsr__t_numbers[type->number].bytes, words[type->number][0]);
        break;
    }
}

void tsr__t_make_signature(struct tsr_tensor_program *p, struct tsr__t_func *func)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < func->param_count; i++)
        count += count_arguments(func->params[i].value.type);
    struct tsr_tensor_argument_info *arguments = tsr__t_alloc(p, (count + 1) * sizeof *arguments);
    struct arguments a = {.p = p, .next = arguments};
    for (uint32_t i = 0; i < func->param_count; i++)
        add_param(&a, &func->params[i].value);
    func->info.name = func->name;
    func->info.argument_count = count;
    func->info.arguments = arguments;
}
