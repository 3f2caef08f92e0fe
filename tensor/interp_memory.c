/* SPDX-License-Identifier: Apache-2.0
 * The interpreter's memrefs and groups. */
#include "tensor/interp.h"

#include <string.h>

struct tsr__ti_memref tsr__ti_memref(struct tsr__ti *t, const struct tsr__t_value *value, uint32_t item)
{
    const struct tsr__ti_value *own = tsr__ti_value(t, value);
    const int64_t *word = own->word + (size_t)item * own->words;
    return (struct tsr__ti_memref){value->type, (char *)(intptr_t)word[0], word + 1, word + 1 + value->type->order};
}

void *tsr__ti_address(struct tsr__ti *t, const struct tsr__ti_memref *m, const int64_t *index)
{
    int64_t offset = 0;
    for (uint32_t i = 0; i < m->type->order; i++) {
        if (index[i] < 0 || index[i] >= m->shape[i])
            tsr__ti_fail(t, "an index is outside of its memref");
        offset += index[i] * m->stride[i];
    }
    return m->pointer + offset * (int64_t)tsr__t_numbers[m->type->number].bytes;
}

struct tsr__ti_number tsr__ti_store(const struct tsr__ti_memref *m, void *address, struct tsr__ti_number a, enum tsr__t_atomic atomic)
{
    static const enum tsr__t_op ops[] = {
        [TSR__T_ATOMIC_ADD] = TSR__T_ADD, [TSR__T_ATOMIC_MAX] = TSR__T_MAX, [TSR__T_ATOMIC_MIN] = TSR__T_MIN};
    enum tsr__t_number type = m->type->number;
    struct tsr__ti_number before = tsr__ti_read(type, address);
    if (atomic >= TSR__T_ATOMIC_ADD)
        a = tsr__ti_arith(ops[atomic], type, before, a);
    tsr__ti_write(type, address, a);
    return before;
}

/* Sets a memref of the result's type: numbers of the type count before those that are given. */
static void set_memref(struct tsr__ti *t, const struct tsr__t_value *value, uint32_t item, char *pointer, const int64_t *shape,
                       const int64_t *stride)
{
    const struct tsr__t_type *type = value->type;
    struct tsr__ti_value *own = tsr__ti_value(t, value);
    int64_t *word = own->word + (size_t)item * own->words;
    *word++ = (int64_t)(intptr_t)pointer;
    for (uint32_t i = 0; i < type->order; i++) {
        if (type->shape[i] != TSR__T_DYNAMIC && shape && shape[i] != type->shape[i])
            tsr__ti_fail(t, "the size of a mode is not the one of its type");
        word[i] = type->shape[i] == TSR__T_DYNAMIC ? shape[i] : type->shape[i];
        word[type->order + i] = type->stride[i] == TSR__T_DYNAMIC ? stride[i] : type->stride[i];
    }
}

TSR_TI_FUNCTION(alloca)
{
    struct tsr__ti_value *own = tsr__ti_value(t, inst->results[0]);
    const struct tsr__t_type *type = inst->results[0]->type;
    size_t bytes = tsr__t_numbers[type->number].bytes;
    if (type->order)
        bytes *= (size_t)(type->stride[type->order - 1] * type->shape[type->order - 1]);
    char *memory = (char *)(intptr_t)own->word[0]; /* of an earlier round */
    if (!memory)
        memory = tsr__ti_alloc(t, bytes);
    for (uint32_t item = 0; item < t->items; item++)
        set_memref(t, inst->results[0], item, memory, NULL, NULL);
}

TSR_TI_FUNCTION(lifetime)
{
    (void)t;
    (void)inst;
}

static int64_t index_of(struct tsr__ti *t, const struct tsr__t_index *index, uint32_t item)
{
    return index->value ? tsr__ti_value(t, index->value)->number[item].i : index->number;
}

TSR_TI_FUNCTION(expand)
{
    const struct tsr__t_value *result = inst->results[0];
    int64_t shape[64], stride[64];
    for (uint32_t item = 0; item < t->items; item++) {
        struct tsr__ti_memref from = tsr__ti_memref(t, inst->operands[0], item);
        uint32_t at = 0;
        if (!t->active[item])
            continue;
        for (uint32_t i = 0; i < from.type->order; i++) {
            int64_t next = from.stride[i], product = 1;
            if (i != inst->mode[0]) {
                shape[at] = from.shape[i];
                stride[at++] = from.stride[i];
                continue;
            }
            for (uint32_t k = 0; k < inst->slice_count; k++) {
                shape[at] = index_of(t, &inst->shape[k], item);
                stride[at] = next;
                product *= shape[at];
                next *= shape[at++];
            }
            if (product != from.shape[i])
                tsr__ti_fail(t, "the product of an expand shape is not the size of the mode");
        }
        set_memref(t, result, item, from.pointer, shape, stride);
    }
}

TSR_TI_FUNCTION(fuse)
{
    int64_t shape[64], stride[64];
    for (uint32_t item = 0; item < t->items; item++) {
        struct tsr__ti_memref from = tsr__ti_memref(t, inst->operands[0], item);
        uint32_t at = 0;
        if (!t->active[item])
            continue;
        for (uint32_t i = 0; i < from.type->order; i++) {
            if (i > inst->mode[0] && i <= inst->mode[1]) {
                if (from.stride[i] != from.stride[i - 1] * from.shape[i - 1])
                    tsr__ti_fail(t, "modes are fused that do not follow each other");
                shape[at - 1] *= from.shape[i];
                continue;
            }
            shape[at] = from.shape[i];
            stride[at++] = from.stride[i];
        }
        set_memref(t, inst->results[0], item, from.pointer, shape, stride);
    }
}

TSR_TI_FUNCTION(subview)
{
    int64_t shape[64], stride[64];
    for (uint32_t item = 0; item < t->items; item++) {
        struct tsr__ti_memref from = tsr__ti_memref(t, inst->operands[0], item);
        int64_t offset = 0;
        uint32_t at = 0;
        if (!t->active[item])
            continue;
        for (uint32_t i = 0; i < from.type->order; i++) {
            const struct tsr__t_slice *slice = &inst->slices[i];
            int64_t first = slice->whole ? 0 : index_of(t, &slice->offset, item), size = 1;
            bool dropped = tsr__t_is_dropped(slice);
            if (!dropped)
                size = slice->whole ? from.shape[i] : index_of(t, &slice->size, item);
            if (first < 0 || size < 0 || first > from.shape[i] - size)
                tsr__ti_fail(t, "a subview is outside of its memref");
            offset += first * from.stride[i];
            if (dropped)
                continue;
            shape[at] = size;
            stride[at++] = from.stride[i];
        }
        char *pointer = from.pointer + offset * (int64_t)tsr__t_numbers[from.type->number].bytes;
        set_memref(t, inst->results[0], item, pointer, shape, stride);
    }
}

TSR_TI_FUNCTION(size)
{
    const struct tsr__ti_value *own = tsr__ti_value(t, inst->operands[0]);
    bool is_group = inst->operands[0]->type->kind == TSR__T_GROUP;
    for (uint32_t item = 0; item < t->items; item++) {
        int64_t size = is_group ? own->word[own->words - 2] : own->word[(size_t)item * own->words + 1 + (size_t)inst->mode[0]];
        tsr__ti_value(t, inst->results[0])->number[item].i = size;
    }
}

/* The address of a memref is a work-item's, that of a group all of them have. */
TSR_TI_FUNCTION(associated)
{
    const struct tsr__ti_value *own = tsr__ti_value(t, inst->operands[0]);
    uint32_t step = inst->operands[0]->type->kind == TSR__T_GROUP ? 0 : own->words;
    for (uint32_t item = 0; item < t->items; item++)
        tsr__ti_value(t, inst->results[0])->number[item].i = own->word[(size_t)item * step] != 0;
}

static void load_group(struct tsr__ti *t, const struct tsr__t_inst *inst, uint32_t item)
{
    const struct tsr__t_type *type = inst->operands[0]->type->memref;
    const struct tsr__ti_value *group = tsr__ti_value(t, inst->operands[0]);
    int64_t index = tsr__ti_value(t, inst->operands[1])->number[item].i, sizes[128] = {0};
    if (2 * type->order > TSR_ARRAY_LEN(sizes))
        tsr__ti_fail(t, "the interpreter takes memrefs of 64 modes at most");
    if (index < 0 || index >= group->word[group->words - 2])
        tsr__ti_fail(t, "an index is outside of its group");
    for (uint32_t i = 0; i < 2 * type->order; i++)
        sizes[i] = group->word[1 + i] ? ((const int64_t *)(intptr_t)group->word[1 + i])[index]
                   : i < type->order  ? type->shape[i]
                                      : type->stride[i - type->order];
    char *pointer = ((char *const *)(intptr_t)group->word[0])[index];
    pointer += group->word[group->words - 1] * (int64_t)tsr__t_numbers[type->number].bytes;
    set_memref(t, inst->results[0], item, pointer, sizes, sizes + type->order);
}

/* The indices of an element, operands from `first` on. */
static void *element(struct tsr__ti *t, const struct tsr__t_inst *inst, const struct tsr__ti_memref *m, uint32_t first, uint32_t item)
{
    int64_t index[64];
    if (m->type->order > TSR_ARRAY_LEN(index))
        tsr__ti_fail(t, "the interpreter takes memrefs of 64 modes at most");
    for (uint32_t i = first; i < inst->operand_count; i++)
        index[i - first] = tsr__ti_value(t, inst->operands[i])->number[item].i;
    return tsr__ti_address(t, m, index);
}

TSR_TI_FUNCTION(load)
{
    for (uint32_t item = 0; item < t->items; item++) {
        if (!t->active[item])
            continue;
        if (inst->operands[0]->type->kind == TSR__T_GROUP) {
            load_group(t, inst, item);
            continue;
        }
        struct tsr__ti_memref m = tsr__ti_memref(t, inst->operands[0], item);
        tsr__ti_value(t, inst->results[0])->number[item] = tsr__ti_read(m.type->number, element(t, inst, &m, 1, item));
    }
}

/* In a collective region once, as all have the same value. */
TSR_TI_FUNCTION(store)
{
    for (uint32_t item = 0; item < (t->spmd ? t->items : 1); item++) {
        if (!t->active[item])
            continue;
        struct tsr__ti_memref m = tsr__ti_memref(t, inst->operands[1], item);
        tsr__ti_store(&m, element(t, inst, &m, 2, item), tsr__ti_value(t, inst->operands[0])->number[item], inst->atomic);
    }
}

TSR_TI_FUNCTION(update)
{
    struct tsr__ti_number *before = tsr__ti_value(t, inst->results[0])->number;
    for (uint32_t item = 0; item < t->items; item++) {
        if (!t->active[item])
            continue;
        struct tsr__ti_memref m = tsr__ti_memref(t, inst->operands[1], item);
        if (t->spmd || !item)
            before[item] =
                tsr__ti_store(&m, element(t, inst, &m, 2, item), tsr__ti_value(t, inst->operands[0])->number[item], inst->atomic);
        else
            before[item] = before[0];
    }
}

TSR_TI_FUNCTION(barrier)
{
    (void)t;
    (void)inst;
}
