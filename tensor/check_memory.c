/* SPDX-License-Identifier: Apache-2.0
 * Checks of instructions on memrefs and groups: views, loads and stores. */
#include "tensor/check.h"

#include <stdio.h>

static bool is_index(const struct tsr__t_value *value)
{
    return value->type->kind == TSR__T_NUMBER && value->type->number == TSR__T_INDEX;
}

static bool check_indices(struct tsr_tensor_program *p, const struct tsr__t_inst *inst, uint32_t first)
{
    for (uint32_t i = first; i < inst->operand_count; i++)
        if (!is_index(inst->operands[i]))
            return tsr__t_fault(p, inst, inst->operands[i], NULL, "Expected index type");
    return true;
}

static bool check_is_memref(struct tsr_tensor_program *p, const struct tsr__t_inst *inst, const struct tsr__t_value *value)
{
    return value->type->kind == TSR__T_MEMREF || tsr__t_fault(p, inst, value, NULL, "Expected memref type");
}

/* ---- alloca ---- */

TSR_CHECK_FUNCTION(alloca)
{
    enum { LARGEST = 1 << 20 };
    const struct tsr__t_type *type = inst->results[0]->type;
    if (type->kind != TSR__T_MEMREF)
        return tsr__t_fault(p, inst, NULL, NULL, "Expected memref type");
    if (!type->local)
        return tsr__t_fault(p, inst, NULL, NULL, "A memref with local address space is expected");
    int64_t bytes = tsr__t_numbers[type->number].bytes;
    for (uint32_t i = 0; i < type->order; i++)
        if (type->shape[i] == TSR__T_DYNAMIC || type->stride[i] == TSR__T_DYNAMIC)
            return tsr__t_fault(p, inst, NULL, NULL, "The size of the memref must be known at compile-time");
    if (type->order)
        bytes = tsr__t_product(bytes, tsr__t_product(type->stride[type->order - 1], type->shape[type->order - 1]));
    if (bytes == TSR__T_DYNAMIC || bytes > LARGEST)
        return tsr__t_fault(p, inst, NULL, NULL, "The memref is larger than local memory");
    const struct tsr__t_attr *alignment = tsr__t_attr(inst->attributes, "alignment");
    tsr__t_check_attributes(p, inst->at, type, inst->attributes);
    if (alignment && alignment->kind == TSR__T_ATTR_INT && alignment->number > TSR__T_LOCAL_ALIGNMENT)
        return tsr__t_fault(p, inst, NULL, NULL, "The alignment must not be larger than the default alignment of 128 bytes");
    return true;
}

TSR_CHECK_FUNCTION(lifetime)
{
    return check_is_memref(p, inst, inst->operands[0]);
}

/* ---- views ---- */

/* What a view should be like: '?' in the text is taken in the place of any stride. */
struct view {
    uint32_t order;
    int64_t shape[64], stride[64];
};

static bool check_view(struct tsr_tensor_program *p, const struct tsr__t_inst *inst, const struct view *view)
{
    const struct tsr__t_value *operand = inst->operands[0];
    const struct tsr__t_type *from = operand->type, *to = inst->results[0]->type;
    char text[160];
    if (to->number != from->number)
        return tsr__t_fault(p, inst, operand, NULL, "Scalar type mismatch");
    /* Local memory is where an operand has it: types of results that name no space take it from there. */
    if (to->local != from->local)
        return tsr__t_fault(p, inst, operand, NULL, "Address space must match");
    if (to->order != view->order) {
        snprintf(text, sizeof text, "Invalid shape (the view has %u modes, not %u)", view->order, to->order);
        return tsr__t_fault(p, inst, operand, NULL, text);
    }
    for (uint32_t i = 0; i < view->order; i++) {
        if (to->shape[i] == view->shape[i])
            continue;
        snprintf(text, sizeof text, "Invalid shape (Size of mode %u must be %lld, but is %lld)", i, (long long)view->shape[i],
                 (long long)to->shape[i]);
        if (view->shape[i] == TSR__T_DYNAMIC)
            snprintf(text, sizeof text, "Invalid shape (Size of mode %u must be '?', but is %lld)", i, (long long)to->shape[i]);
        else if (to->shape[i] == TSR__T_DYNAMIC)
            snprintf(text, sizeof text, "Invalid shape (Size of mode %u must be %lld, but is '?')", i, (long long)view->shape[i]);
        return tsr__t_fault(p, inst, operand, NULL, text);
    }
    for (uint32_t i = 0; i < view->order; i++) {
        if (to->stride[i] == view->stride[i] || to->stride[i] == TSR__T_DYNAMIC)
            continue;
        snprintf(text, sizeof text, "Invalid stride (Stride of mode %u must be %lld or '?', but is %lld)", i, (long long)view->stride[i],
                 (long long)to->stride[i]);
        if (view->stride[i] == TSR__T_DYNAMIC)
            snprintf(text, sizeof text, "Invalid stride (Stride of mode %u must be '?', but is %lld)", i, (long long)to->stride[i]);
        return tsr__t_fault(p, inst, operand, NULL, text);
    }
    return true;
}

static bool check_order(struct tsr_tensor_program *p, const struct tsr__t_inst *inst, uint32_t added)
{
    if (inst->operands[0]->type->order + added <= TSR_ARRAY_LEN(((struct view *)NULL)->shape) &&
        inst->results[0]->type->kind == TSR__T_MEMREF)
        return true;
    return tsr__t_fault(p, inst, inst->operands[0], NULL,
                        inst->results[0]->type->kind == TSR__T_MEMREF ? "A view has 64 modes at most" : "Expected memref type");
}

TSR_CHECK_FUNCTION(expand)
{
    const struct tsr__t_value *operand = inst->operands[0];
    const struct tsr__t_type *from = operand->type;
    struct view view = {0};
    if (!check_is_memref(p, inst, operand) || !check_order(p, inst, inst->slice_count))
        return false;
    if (inst->slice_count < 2)
        return tsr__t_fault(p, inst, NULL, NULL, "Expand shape must have at least 2 entries");
    if (inst->mode[0] < 0 || inst->mode[0] >= from->order)
        return tsr__t_fault(p, inst, operand, NULL, "Argument is out of bounds");
    uint32_t mode = (uint32_t)inst->mode[0];
    int64_t product = 1;
    for (uint32_t i = 0; i < from->order; i++) {
        if (i != mode) {
            view.shape[view.order] = from->shape[i];
            view.stride[view.order++] = from->stride[i];
            continue;
        }
        int64_t stride = from->stride[i];
        for (uint32_t k = 0; k < inst->slice_count; k++) {
            const struct tsr__t_index *factor = &inst->shape[k];
            if (factor->value && !is_index(factor->value))
                return tsr__t_fault(p, inst, factor->value, NULL, "Expected index type");
            if (!factor->value && factor->number < 0)
                return tsr__t_fault(p, inst, NULL, NULL, "Invalid shape (the expand shape must not be negative)");
            int64_t size = factor->value ? TSR__T_DYNAMIC : factor->number;
            view.shape[view.order] = size;
            view.stride[view.order++] = stride;
            stride = tsr__t_product(stride, size);
            product = tsr__t_product(product, size);
        }
    }
    if (product != TSR__T_DYNAMIC && from->shape[mode] != TSR__T_DYNAMIC && product != from->shape[mode]) {
        char text[160];
        snprintf(text, sizeof text, "Invalid shape (the product of the expand shape is %lld, but mode %u has size %lld)",
                 (long long)product, mode, (long long)from->shape[mode]);
        return tsr__t_fault(p, inst, operand, NULL, text);
    }
    return check_view(p, inst, &view);
}

TSR_CHECK_FUNCTION(fuse)
{
    const struct tsr__t_value *operand = inst->operands[0];
    const struct tsr__t_type *from = operand->type;
    struct view view = {0};
    if (!check_is_memref(p, inst, operand) || !check_order(p, inst, 0))
        return false;
    if (inst->mode[0] < 0 || inst->mode[0] >= inst->mode[1] || inst->mode[1] >= from->order)
        return tsr__t_fault(p, inst, operand, NULL, "Argument is out of bounds");
    uint32_t first = (uint32_t)inst->mode[0], last = (uint32_t)inst->mode[1];
    bool known = true;
    for (uint32_t i = first; i <= last; i++)
        known &= from->shape[i] != TSR__T_DYNAMIC && from->stride[i] != TSR__T_DYNAMIC;
    for (uint32_t i = first; i < last && known; i++) {
        if (tsr__t_product(from->shape[i], from->stride[i]) == from->stride[i + 1])
            continue;
        char text[160];
        snprintf(text, sizeof text, "Invalid stride (modes %u and %u cannot be fused: %lld * %lld is not %lld)", i, i + 1,
                 (long long)from->stride[i], (long long)from->shape[i], (long long)from->stride[i + 1]);
        return tsr__t_fault(p, inst, operand, NULL, text);
    }
    for (uint32_t i = 0; i < from->order; i++) {
        if (i > first && i <= last) {
            view.shape[view.order - 1] = tsr__t_product(view.shape[view.order - 1], from->shape[i]);
            continue;
        }
        view.shape[view.order] = from->shape[i];
        view.stride[view.order++] = from->stride[i];
    }
    return check_view(p, inst, &view);
}

TSR_CHECK_FUNCTION(subview)
{
    const struct tsr__t_value *operand = inst->operands[0];
    const struct tsr__t_type *from = operand->type;
    struct view view = {0};
    if (!check_is_memref(p, inst, operand) || !check_order(p, inst, 0))
        return false;
    if (inst->slice_count != from->order)
        return tsr__t_fault(p, inst, operand, NULL, "Number of indices must match memref order");
    for (uint32_t i = 0; i < from->order; i++) {
        const struct tsr__t_slice *slice = &inst->slices[i];
        const struct tsr__t_value *values[] = {slice->offset.value, slice->size.value};
        for (int k = 0; k < 2; k++)
            if (values[k] && !is_index(values[k]))
                return tsr__t_fault(p, inst, values[k], NULL, "Expected index type");
        if (slice->offset.number < 0 || slice->size.number < 0)
            return tsr__t_fault(p, inst, NULL, NULL, "Static offset and size must be non-negative or dynamic ('?')");
        bool dropped = tsr__t_is_dropped(slice);
        if (dropped)
            continue;
        view.shape[view.order] = slice->whole ? from->shape[i] : slice->size.value ? TSR__T_DYNAMIC : slice->size.number;
        view.stride[view.order++] = from->stride[i];
    }
    return check_view(p, inst, &view);
}

/* ---- elements ---- */

TSR_CHECK_FUNCTION(size)
{
    const struct tsr__t_value *operand = inst->operands[0];
    const struct tsr__t_type *type = operand->type;
    if (type->kind != TSR__T_MEMREF && type->kind != TSR__T_GROUP)
        return tsr__t_fault(p, inst, operand, NULL, "Expected memref or group operand");
    if (!is_index(inst->results[0]))
        return tsr__t_fault(p, inst, NULL, NULL, "Expected index type");
    if (inst->mode[0] < 0 || inst->mode[0] >= (type->kind == TSR__T_GROUP ? 1 : type->order))
        return tsr__t_fault(p, inst, operand, NULL, "Argument is out of bounds");
    return true;
}

TSR_CHECK_FUNCTION(associated)
{
    const struct tsr__t_value *operand = inst->operands[0];
    if (operand->type->kind != TSR__T_MEMREF && operand->type->kind != TSR__T_GROUP)
        return tsr__t_fault(p, inst, operand, NULL, "Expected memref or group operand");
    return inst->results[0]->type->kind == TSR__T_BOOL || tsr__t_fault(p, inst, NULL, NULL, "Expected boolean type");
}

static bool check_result(struct tsr_tensor_program *p, const struct tsr__t_inst *inst, const struct tsr__t_value *operand)
{
    return tsr__t_same_type(operand->type, inst->results[0]->type) ||
           tsr__t_fault(p, inst, operand, NULL, "Type of operand must match return type");
}

TSR_CHECK_FUNCTION(load)
{
    const struct tsr__t_value *operand = inst->operands[0];
    const struct tsr__t_type *type = operand->type, *result = inst->results[0]->type;
    if (type->kind != TSR__T_MEMREF && type->kind != TSR__T_GROUP)
        return tsr__t_fault(p, inst, operand, NULL, "Expected memref or group operand");
    if (!check_indices(p, inst, 1))
        return false;
    if (inst->operand_count - 1 != (type->kind == TSR__T_GROUP ? 1 : type->order))
        return tsr__t_fault(p, inst, operand, NULL, "Number of indices must match memref order or must be 1 for group types");
    bool fits = type->kind == TSR__T_GROUP ? tsr__t_same_type(type->memref, result)
                                           : result->kind == TSR__T_NUMBER && result->number == type->number;
    if (!fits)
        return tsr__t_fault(p, inst, operand, NULL, "Type of operand must match return type");
    return type->kind == TSR__T_GROUP || tsr__t_check_atomic(p, inst, operand);
}

TSR_CHECK_FUNCTION(store)
{
    const struct tsr__t_value *value = inst->operands[0], *memory = inst->operands[1];
    if (!check_is_memref(p, inst, memory) || !check_indices(p, inst, 2))
        return false;
    if (value->type->kind != TSR__T_NUMBER || value->type->number != memory->type->number)
        return tsr__t_fault(p, inst, value, memory, "Scalar type mismatch");
    if (inst->operand_count - 2 != memory->type->order)
        return tsr__t_fault(p, inst, memory, NULL, "Number of indices must match memref order or must be 1 for group types");
    return tsr__t_check_atomic(p, inst, memory);
}

TSR_CHECK_FUNCTION(update)
{
    return tsr__t_check_store(p, inst) && check_result(p, inst, inst->operands[0]);
}

/* A matrix and the memory it goes to or comes from, whose indices begin with operand `first`. */
static bool check_coop_memory(struct tsr_tensor_program *p, const struct tsr__t_inst *inst, const struct tsr__t_type *matrix,
                              const struct tsr__t_value *memory, uint32_t first)
{
    if (!check_is_memref(p, inst, memory))
        return false;
    if (memory->type->order != 2)
        return tsr__t_fault(p, inst, memory, NULL, "Expected memref of order 2 (matrix)");
    if (!check_indices(p, inst, first))
        return false;
    if (inst->operand_count - first != 2)
        return tsr__t_fault(p, inst, memory, NULL, "Number of indices must match memref order or must be 1 for group types");
    if (matrix->number != memory->type->number)
        return tsr__t_fault(p, inst, memory, NULL, "Scalar type mismatch");
    return tsr__t_check_atomic(p, inst, memory);
}

TSR_CHECK_FUNCTION(coop_load)
{
    const struct tsr__t_type *result = inst->results[0]->type;
    if (result->kind != TSR__T_COOP)
        return tsr__t_fault(p, inst, NULL, NULL, "Expected coopmatrix type");
    return check_coop_memory(p, inst, result, inst->operands[0], 1);
}

TSR_CHECK_FUNCTION(coop_store)
{
    if (inst->operands[0]->type->kind != TSR__T_COOP)
        return tsr__t_fault(p, inst, inst->operands[0], NULL, "Expected coopmatrix type");
    return check_coop_memory(p, inst, inst->operands[0]->type, inst->operands[1], 2);
}

TSR_CHECK_FUNCTION(coop_update)
{
    return tsr__t_check_coop_store(p, inst) && check_result(p, inst, inst->operands[0]);
}

TSR_CHECK_FUNCTION(coop_prefetch)
{
    const struct tsr__t_value *memory = inst->operands[0];
    if (!check_is_memref(p, inst, memory))
        return false;
    if (memory->type->order != 2)
        return tsr__t_fault(p, inst, memory, NULL, "Expected memref of order 2 (matrix)");
    if (!check_indices(p, inst, 1))
        return false;
    if (inst->operand_count != 3)
        return tsr__t_fault(p, inst, memory, NULL, "Number of indices must match memref order or must be 1 for group types");
    if (inst->mode[0] < 0)
        return tsr__t_fault(p, inst, NULL, NULL, "The level of the caches must not be negative");
    for (uint32_t i = 0; i < 2; i++)
        if (inst->shape[i].number < 1 || inst->shape[i].number > INT32_MAX)
            return tsr__t_fault(p, inst, NULL, NULL, "Invalid shape: rows and columns must be positive");
    return true;
}

TSR_CHECK_FUNCTION(barrier)
{
    (void)p;
    (void)inst;
    return true;
}
