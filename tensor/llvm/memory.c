/* SPDX-License-Identifier: Apache-2.0
 * Memrefs and groups: addresses, views, loads and stores. */
#include "tensor/llvm/index.h"

#include <string.h>

/* ---- memrefs ---- */

struct tsr__te_memref tsr__te_get_memref(struct tsr__te *e, const struct tsr__t_value *value)
{
    LLVMValueRef *part = e->values[value->index].part;
    return (struct tsr__te_memref){value->type, part[0], part + 1, part + 1 + value->type->order};
}

/* A memref of this type: where the type has numbers, they count. */
static void set_memref(struct tsr__te *e, const struct tsr__t_value *value, LLVMValueRef pointer, LLVMValueRef *shape, LLVMValueRef *stride)
{
    const struct tsr__t_type *type = value->type;
    LLVMValueRef *part = tsr__te_room(e, 1 + 2 * type->order);
    part[0] = pointer;
    for (uint32_t i = 0; i < type->order; i++) {
        part[1 + i] = type->shape[i] == TSR__T_DYNAMIC ? shape[i] : tsr__te_i64(e, type->shape[i]);
        part[1 + type->order + i] = type->stride[i] == TSR__T_DYNAMIC ? stride[i] : tsr__te_i64(e, type->stride[i]);
    }
    tsr__te_set(e, value, part, 1 + 2 * type->order);
}

static LLVMTypeRef element_type(struct tsr__te *e, enum tsr__t_number number)
{
    LLVMTypeRef part = tsr__te_type(e, number);
    return tsr__te_is_complex(number) ? LLVMArrayType2(part, 2) : part;
}

static LLVMValueRef offset_address(struct tsr__te *e, enum tsr__t_number number, LLVMValueRef pointer, LLVMValueRef elements)
{
    if (tsr__te_known(elements) == 0)
        return pointer;
    return LLVMBuildInBoundsGEP2(e->builder, element_type(e, number), pointer, &elements, 1, "");
}

LLVMValueRef tsr__te_address(struct tsr__te *e, const struct tsr__te_memref *memref, LLVMValueRef *index)
{
    LLVMValueRef offset = tsr__te_i64(e, 0);
    for (uint32_t i = memref->type->order; i--;) {
        LLVMValueRef distance = mul(e, index[i], memref->stride[i]);
        offset = add(e, offset, distance);
    }
    return offset_address(e, memref->type->number, memref->pointer, offset);
}

LLVMValueRef tsr__te_element_address(struct tsr__te *e, const struct tsr__te_memref *memref, bool transposed, LLVMValueRef i,
                                     LLVMValueRef j)
{
    LLVMValueRef index[] = {transposed ? j : i, transposed ? i : j};
    return tsr__te_address(e, memref, index);
}

static LLVMValueRef part_address(struct tsr__te *e, const struct tsr__te_memref *memref, LLVMValueRef address, unsigned part)
{
    LLVMValueRef one = tsr__te_i64(e, part);
    return part ? LLVMBuildInBoundsGEP2(e->builder, tsr__te_type(e, memref->type->number), address, &one, 1, "") : address;
}

struct tsr__te_number tsr__te_load_number(struct tsr__te *e, const struct tsr__te_memref *memref, LLVMValueRef address)
{
    enum tsr__t_number number = memref->type->number;
    LLVMValueRef parts[2] = {NULL, NULL};
    for (unsigned i = 0; i < tsr__te_parts(number); i++) {
        parts[i] = LLVMBuildLoad2(e->builder, tsr__te_type(e, number), part_address(e, memref, address, i), "");
        LLVMSetAlignment(parts[i], tsr__t_numbers[tsr__t_numbers[number].component].bytes);
    }
    return (struct tsr__te_number){parts[0], parts[1]};
}

struct tsr__te_number tsr__te_load_or_zero(struct tsr__te *e, const struct tsr__te_memref *memref, LLVMValueRef *index, LLVMValueRef good)
{
    struct tsr__te_guard guard = tsr__te_guard(e, good);
    struct tsr__te_number loaded = tsr__te_load_number(e, memref, tsr__te_address(e, memref, index));
    LLVMValueRef parts[] = {loaded.re, loaded.im};
    tsr__te_end_guard(e, &guard, parts, tsr__te_parts(memref->type->number));
    return (struct tsr__te_number){parts[0], parts[1]};
}

struct tsr__te_number tsr__te_load_as(struct tsr__te *e, const struct tsr__te_memref *memref, LLVMValueRef *index, LLVMValueRef good,
                                      enum tsr__t_number number)
{
    return tsr__te_convert(e, tsr__te_load_or_zero(e, memref, index, good), memref->type->number, number);
}

struct tsr__te_number tsr__te_load_element(struct tsr__te *e, const struct tsr__te_memref *memref, bool transposed, LLVMValueRef i,
                                           LLVMValueRef j, LLVMValueRef good, enum tsr__t_number number)
{
    LLVMValueRef index[] = {transposed ? j : i, transposed ? i : j};
    return tsr__te_load_as(e, memref, index, good, number);
}

LLVMValueRef tsr__te_load_part(struct tsr__te *e, const struct tsr__te_memref *memref, LLVMValueRef col, LLVMValueRef at,
                               enum tsr__t_number number)
{
    enum tsr__t_number from = tsr__t_numbers[memref->type->number].component;
    LLVMTypeRef type = tsr__te_type(e, from);
    LLVMValueRef first = tsr__te_element_address(e, memref, false, tsr__te_i64(e, 0), col);
    LLVMValueRef part = LLVMBuildLoad2(e->builder, type, LLVMBuildInBoundsGEP2(e->builder, type, first, &at, 1, ""), "");
    LLVMSetAlignment(part, tsr__t_numbers[from].bytes);
    return tsr__te_convert(e, (struct tsr__te_number){part, NULL}, from, number).re;
}

void tsr__te_prefetch_at(struct tsr__te *e, LLVMValueRef address)
{
    LLVMValueRef args[] = {address, tsr__te_i64(e, 1)};
    tsr__te_call(e, "prefetch", "PU3AS1Kcm", LLVMVoidTypeInContext(e->context), args, 2);
}

void tsr__te_prefetch(struct tsr__te *e, const struct tsr__te_memref *memref, LLVMValueRef i, LLVMValueRef j)
{
    if (memref->type->local)
        return;
    tsr__te_prefetch_at(e, tsr__te_element_address(e, memref, false, i, j));
}

void tsr__te_prefetch_rows(struct tsr__te *e, const struct tsr__te_memref *memref, LLVMValueRef first, LLVMValueRef col, uint32_t rows)
{
    enum { LINE_BYTES = 64 }; /* of the caches */
    uint32_t in_line = LINE_BYTES / tsr__t_numbers[memref->type->number].bytes;
    for (uint32_t i = 0; i < rows; i += in_line)
        tsr__te_prefetch(e, memref, plus(e, first, i), col);
}

/* ---- stores ---- */

/* There is an instruction for all but half, which has a function of OpenCL C. */
static LLVMValueRef update_atomically(struct tsr__te *e, enum tsr__t_number number, enum tsr__t_atomic atomic, LLVMValueRef address,
                                      LLVMValueRef value)
{
    static const struct {
        LLVMAtomicRMWBinOp whole, floating;
        const char *name;
    } ops[] = {[TSR__T_ATOMIC_ADD] = {LLVMAtomicRMWBinOpAdd, LLVMAtomicRMWBinOpFAdd, "atomic_fetch_add"},
               [TSR__T_ATOMIC_MAX] = {LLVMAtomicRMWBinOpMax, LLVMAtomicRMWBinOpFMax, "atomic_fetch_max"},
               [TSR__T_ATOMIC_MIN] = {LLVMAtomicRMWBinOpMin, LLVMAtomicRMWBinOpFMin, "atomic_fetch_min"}};
    number = tsr__t_numbers[number].component;
    if (number != TSR__T_F16)
        return LLVMBuildAtomicRMW(e->builder, tsr__t_numbers[number].class == TSR__T_INTEGER ? ops[atomic].whole : ops[atomic].floating,
                                  address, value, LLVMAtomicOrderingSequentiallyConsistent, false);
    LLVMValueRef args[] = {address, value};
    bool local = LLVMGetPointerAddressSpace(LLVMTypeOf(address)) == 3;
    return tsr__te_call(e, ops[atomic].name, local ? "PU3AS3VU7_AtomicDhDh" : "PU3AS1VU7_AtomicDhDh", LLVMTypeOf(value), args, 2);
}

struct tsr__te_number tsr__te_update_memory(struct tsr__te *e, const struct tsr__te_memref *memref, LLVMValueRef address,
                                            struct tsr__te_number number, enum tsr__t_atomic atomic)
{
    LLVMValueRef parts[2] = {number.re, number.im};
    for (unsigned i = 0; i < tsr__te_parts(memref->type->number); i++)
        parts[i] = update_atomically(e, memref->type->number, atomic, part_address(e, memref, address, i), parts[i]);
    return (struct tsr__te_number){parts[0], parts[1]};
}

/* Integers of the same size stand for half. */
struct tsr__te_number tsr__te_load_atomic(struct tsr__te *e, const struct tsr__te_memref *memref, LLVMValueRef address)
{
    enum tsr__t_number number = memref->type->number;
    LLVMTypeRef type = tsr__te_type(e, number);
    LLVMValueRef parts[2] = {NULL, NULL};
    for (unsigned i = 0; i < tsr__te_parts(number); i++) {
        LLVMTypeRef own = number == TSR__T_F16 ? LLVMInt16TypeInContext(e->context) : type;
        LLVMValueRef loaded = LLVMBuildLoad2(e->builder, own, part_address(e, memref, address, i), "");
        LLVMSetAlignment(loaded, tsr__t_numbers[tsr__t_numbers[number].component].bytes);
        LLVMSetOrdering(loaded, LLVMAtomicOrderingSequentiallyConsistent);
        parts[i] = LLVMBuildBitCast(e->builder, loaded, type, "");
    }
    return (struct tsr__te_number){parts[0], parts[1]};
}

void tsr__te_store_number(struct tsr__te *e, const struct tsr__te_memref *memref, LLVMValueRef address, struct tsr__te_number value,
                          enum tsr__t_atomic atomic)
{
    enum tsr__t_number number = memref->type->number;
    LLVMValueRef parts[2] = {value.re, value.im};
    for (unsigned i = 0; i < tsr__te_parts(number); i++) {
        LLVMValueRef at = part_address(e, memref, address, i);
        if (atomic >= TSR__T_ATOMIC_ADD) {
            update_atomically(e, number, atomic, at, parts[i]);
            continue;
        }
        if (atomic == TSR__T_ATOMIC && number == TSR__T_F16)
            parts[i] = LLVMBuildBitCast(e->builder, parts[i], LLVMInt16TypeInContext(e->context), "");
        LLVMValueRef store = LLVMBuildStore(e->builder, parts[i], at);
        LLVMSetAlignment(store, tsr__t_numbers[tsr__t_numbers[number].component].bytes);
        if (atomic == TSR__T_ATOMIC)
            LLVMSetOrdering(store, LLVMAtomicOrderingRelease);
    }
}

/* ---- instructions ---- */

static LLVMValueRef index_of(struct tsr__te *e, const struct tsr__t_index *index)
{
    return index->value ? tsr__te_get_number(e, index->value).re : tsr__te_i64(e, index->number);
}

TSR_TE_FUNCTION(alloca)
{
    const struct tsr__t_value *result = inst->results[0];
    LLVMValueRef offset = tsr__te_i64(e, e->local_offset[result->index]);
    LLVMValueRef pointer = LLVMBuildInBoundsGEP2(e->builder, LLVMInt8TypeInContext(e->context), e->local, &offset, 1, "");
    set_memref(e, result, pointer, NULL, NULL);
}

TSR_TE_FUNCTION(lifetime)
{
    (void)e;
    (void)inst;
}

TSR_TE_FUNCTION(expand)
{
    struct tsr__te_memref from = tsr__te_get_memref(e, inst->operands[0]);
    uint32_t order = from.type->order + inst->slice_count - 1, at = 0;
    LLVMValueRef *shape = tsr__te_room(e, order), *stride = tsr__te_room(e, order);
    for (uint32_t i = 0; i < from.type->order; i++) {
        if (i != inst->mode[0]) {
            shape[at] = from.shape[i];
            stride[at++] = from.stride[i];
            continue;
        }
        LLVMValueRef next = from.stride[i];
        for (uint32_t k = 0; k < inst->slice_count; k++) {
            shape[at] = index_of(e, &inst->shape[k]);
            stride[at] = next;
            next = LLVMBuildNSWMul(e->builder, next, shape[at++], "");
        }
    }
    set_memref(e, inst->results[0], from.pointer, shape, stride);
}

TSR_TE_FUNCTION(fuse)
{
    struct tsr__te_memref from = tsr__te_get_memref(e, inst->operands[0]);
    LLVMValueRef *shape = tsr__te_room(e, from.type->order), *stride = tsr__te_room(e, from.type->order);
    uint32_t at = 0;
    for (uint32_t i = 0; i < from.type->order; i++) {
        if (i > inst->mode[0] && i <= inst->mode[1]) {
            shape[at - 1] = LLVMBuildNSWMul(e->builder, shape[at - 1], from.shape[i], "");
            continue;
        }
        shape[at] = from.shape[i];
        stride[at++] = from.stride[i];
    }
    set_memref(e, inst->results[0], from.pointer, shape, stride);
}

TSR_TE_FUNCTION(subview)
{
    struct tsr__te_memref from = tsr__te_get_memref(e, inst->operands[0]);
    uint32_t order = from.type->order, at = 0;
    LLVMValueRef *shape = tsr__te_room(e, order), *stride = tsr__te_room(e, order), *first = tsr__te_room(e, order);
    for (uint32_t i = 0; i < order; i++) {
        const struct tsr__t_slice *slice = &inst->slices[i];
        first[i] = slice->whole ? tsr__te_i64(e, 0) : index_of(e, &slice->offset);
        if (tsr__t_is_dropped(slice))
            continue;
        shape[at] = slice->whole ? from.shape[i] : index_of(e, &slice->size);
        stride[at++] = from.stride[i];
    }
    set_memref(e, inst->results[0], tsr__te_address(e, &from, first), shape, stride);
}

TSR_TE_FUNCTION(size)
{
    const struct tsr__t_value *operand = inst->operands[0];
    const struct tsr__te_value *own = &e->values[operand->index];
    bool is_group = operand->type->kind == TSR__T_GROUP;
    LLVMValueRef size = is_group ? own->part[own->count - 2] : own->part[1 + inst->mode[0]];
    tsr__te_set(e, inst->results[0], &size, 1);
}

/* Local memory is always there, whatever its address. */
TSR_TE_FUNCTION(associated)
{
    const struct tsr__t_type *type = inst->operands[0]->type;
    LLVMValueRef address = e->values[inst->operands[0]->index].part[0],
                 is_there = LLVMConstInt(LLVMInt1TypeInContext(e->context), 1, false);
    if (type->kind == TSR__T_GROUP || !type->local)
        is_there = LLVMBuildICmp(e->builder, LLVMIntNE, address, LLVMConstNull(LLVMTypeOf(address)), "");
    tsr__te_set(e, inst->results[0], &is_there, 1);
}

/* An entry of an array of numbers or addresses. */
static LLVMValueRef load_entry(struct tsr__te *e, LLVMTypeRef type, LLVMValueRef array, LLVMValueRef index)
{
    LLVMValueRef address = LLVMBuildInBoundsGEP2(e->builder, type, array, &index, 1, "");
    LLVMValueRef entry = LLVMBuildLoad2(e->builder, type, address, "");
    LLVMSetAlignment(entry, 8);
    return entry;
}

static void load_group(struct tsr__te *e, const struct tsr__t_inst *inst)
{
    const struct tsr__t_type *type = inst->operands[0]->type->memref;
    const struct tsr__te_value *group = &e->values[inst->operands[0]->index];
    LLVMValueRef index = tsr__te_get_number(e, inst->operands[1]).re, *sizes = tsr__te_room(e, 2 * type->order);
    LLVMTypeRef i64 = LLVMInt64TypeInContext(e->context);
    LLVMValueRef pointer = load_entry(e, LLVMTypeOf(group->part[0]), group->part[0], index);
    for (uint32_t i = 0; i < 2 * type->order; i++)
        if (group->part[1 + i])
            sizes[i] = load_entry(e, i64, group->part[1 + i], index);
    pointer = offset_address(e, type->number, pointer, group->part[group->count - 1]);
    set_memref(e, inst->results[0], pointer, sizes, sizes + type->order);
}

TSR_TE_FUNCTION(load)
{
    const struct tsr__t_value *operand = inst->operands[0];
    if (operand->type->kind == TSR__T_GROUP) {
        load_group(e, inst);
        return;
    }
    struct tsr__te_memref memref = tsr__te_get_memref(e, operand);
    LLVMValueRef *index = tsr__te_room(e, inst->operand_count);
    for (uint32_t i = 1; i < inst->operand_count; i++)
        index[i - 1] = tsr__te_get_number(e, inst->operands[i]).re;
    tsr__te_touch(e, (struct tsr__te_touched){.read = tsr__te_space(memref.type)});
    LLVMValueRef address = tsr__te_address(e, &memref, index);
    tsr__te_set_number(e, inst->results[0],
                       inst->atomic == TSR__T_PLAIN ? tsr__te_load_number(e, &memref, address) : tsr__te_load_atomic(e, &memref, address));
}

/* Stores release, and all other atomic operations are in one order; with this, stores are as well. */
void tsr__te_order_behind(struct tsr__te *e, const struct tsr__t_inst *inst)
{
    if (inst->order == TSR__T_SEQUENTIALLY_CONSISTENT)
        LLVMBuildFence(e->builder, LLVMAtomicOrderingSequentiallyConsistent, false, "");
}

/* The address of the element that an instruction names whose first operand goes to memory, the second one. */
static LLVMValueRef target_address(struct tsr__te *e, const struct tsr__t_inst *inst, const struct tsr__te_memref *memref)
{
    LLVMValueRef *index = tsr__te_room(e, inst->operand_count);
    for (uint32_t i = 2; i < inst->operand_count; i++)
        index[i - 2] = tsr__te_get_number(e, inst->operands[i]).re;
    return tsr__te_address(e, memref, index);
}

/* In a collective region all work-items have the same value, and the first one stores it. */
TSR_TE_FUNCTION(store)
{
    struct tsr__te_memref memref = tsr__te_get_memref(e, inst->operands[1]);
    tsr__te_touch(e, (struct tsr__te_touched){.written = tsr__te_space(memref.type)});
    LLVMValueRef address = target_address(e, inst, &memref);
    LLVMBasicBlockRef end = tsr__te_if(e, e->spmd ? NULL : e->first_item);
    tsr__te_store_number(e, &memref, address, tsr__te_get_number(e, inst->operands[0]), inst->atomic);
    tsr__te_order_behind(e, inst);
    tsr__te_end_if(e, end);
}

/* In a collective region the first work-item does it, and tells the others what was there. */
TSR_TE_FUNCTION(update)
{
    struct tsr__te_memref memref = tsr__te_get_memref(e, inst->operands[1]);
    enum tsr__t_number number = memref.type->number;
    uint32_t bytes = tsr__t_numbers[number].bytes;
    tsr__te_touch(e, (struct tsr__te_touched){tsr__te_space(memref.type), tsr__te_space(memref.type)});
    LLVMValueRef address = target_address(e, inst, &memref), room = e->spmd ? NULL : tsr__te_scratch(e, bytes);
    if (!e->spmd && !room)
        tsr__te_refuse(e, inst, "There is no local memory left for the result of this instruction");
    LLVMBasicBlockRef end = tsr__te_if(e, e->spmd ? NULL : e->first_item);
    struct tsr__te_number before = tsr__te_update_memory(e, &memref, address, tsr__te_get_number(e, inst->operands[0]), inst->atomic);
    if (room)
        tsr__te_store_number(e, &memref, room, before, TSR__T_PLAIN);
    tsr__te_end_if(e, end);
    if (room) {
        tsr__te_scratch_barrier(e);
        before = tsr__te_load_number(e, &memref, room);
    }
    tsr__te_set_number(e, inst->results[0], before);
}

TSR_TE_FUNCTION(barrier)
{
    tsr__te_barrier(e, inst->fences);
}
