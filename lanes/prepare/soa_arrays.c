/* SPDX-License-Identifier: Apache-2.0
 * Structure-of-arrays (SoA) layout of private arrays.
 *
 * An array whose every access is of whole elements becomes one array of the packet: element e of lane l lies at (e · width + l). So
 * element e of all lanes lies side by side, and an access with a uniform index is one vector access. To the widener these are ordinary
 * addresses: uniform base, index, lane. */
#include "lanes/ir/match.h"
#include "lanes/ir/explain.h"
#include "lanes/ir/costs.h"
#include "lanes/analysis/index_parts.h"
#include "lanes/prepare/packet_kernel.h"
#include "lanes/ir/calls.h"
#include "lanes/ir/layout.h"

#include <string.h>

/* ---- may it be done? ---- */

struct candidate {
    struct tsr__compilation *l;
    LLVMTargetDataRef layout;
    uint64_t unit; /* bytes of an element, the largest number that was seen */
    bool grown;    /* it was larger than those before */
    unsigned width;
    LLVMValueRef array, lane_offset;
};

/* Is a value of the type one element, or several? A vector may be cut into larger parts than its own: a char4 into one int. */
static bool is_elements(struct candidate *c, LLVMTypeRef type)
{
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    if (kind == LLVMStructTypeKind || kind == LLVMArrayTypeKind)
        return false;
    LLVMTypeRef scalar = tsr__component_type(type, 0);
    uint64_t bytes = LLVMABISizeOfType(c->layout, scalar), bits = LLVMSizeOfTypeInBits(c->layout, type);
    if (bytes > 8 || LLVMSizeOfTypeInBits(c->layout, scalar) != 8 * bytes)
        return false;
    if (bytes > c->unit) {
        c->unit = bytes;
        c->grown = true;
    }
    return bytes == c->unit || (kind == LLVMVectorTypeKind && bits % (8 * c->unit) == 0);
}

/* The type as elements are cut from it. */
static LLVMTypeRef cut_type(const struct candidate *c, LLVMTypeRef type)
{
    uint64_t count = LLVMSizeOfTypeInBits(c->layout, type) / (8 * c->unit);
    if (LLVMABISizeOfType(c->layout, tsr__component_type(type, 0)) == c->unit)
        return type;
    LLVMTypeRef element = LLVMIntTypeInContext(c->l->context, (unsigned)c->unit * 8);
    return count == 1 ? element : LLVMVectorType(element, (unsigned)count);
}

static bool sets_elements(LLVMValueRef call, LLVMValueRef pointer)
{
    return LLVMIsAMemSetInst(call) && LLVMGetOperand(call, 0) == pointer && LLVMIsAConstantInt(LLVMGetOperand(call, 1)) &&
           LLVMIsAConstantInt(LLVMGetOperand(call, 2));
}

static bool is_lifetime(LLVMValueRef call)
{
    return tsr__callee(call) && tsr__starts_with(tsr__name(tsr__callee(call)), "llvm.lifetime.");
}

/* Finds the unit, and whether all uses are known. */
static bool uses_are_elements(struct candidate *c, LLVMValueRef pointer)
{
    for (LLVMUseRef use = LLVMGetFirstUse(pointer); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        bool good = false;
        switch (LLVMGetInstructionOpcode(user)) {
        case LLVMGetElementPtr:
            good = LLVMGetTypeKind(LLVMTypeOf(user)) == LLVMPointerTypeKind && uses_are_elements(c, user);
            break;
        case LLVMLoad:
            good = LLVMGetOrdering(user) == LLVMAtomicOrderingNotAtomic && is_elements(c, LLVMTypeOf(user));
            break;
        case LLVMStore:
            good = LLVMGetOperand(user, 0) != pointer && LLVMGetOrdering(user) == LLVMAtomicOrderingNotAtomic &&
                   is_elements(c, LLVMTypeOf(LLVMGetOperand(user, 0)));
            break;
        case LLVMCall:
            good = is_lifetime(user) || sets_elements(user, pointer);
            break;
        default:
            break;
        }
        if (!good)
            return false;
    }
    return true;
}

/* Do all indices of the GEP count whole elements, and the constant ones together? */
static bool counts_elements(const struct candidate *c, LLVMValueRef gep)
{
    int64_t offset = 0, unit = (int64_t)c->unit;
    struct tsr__gep_index index;
    for (struct tsr__gep_walk walk = tsr__gep_walk(c->layout, gep); tsr__gep_next(&walk, &index);) {
        if (!index.is_constant && index.bytes % unit && ((uint64_t)index.bytes << tsr__zero_bits(index.value)) % c->unit)
            return false;
        offset += index.offset;
    }
    return offset % unit == 0;
}

static bool steps_are_elements(const struct candidate *c, LLVMValueRef pointer)
{
    for (LLVMUseRef use = LLVMGetFirstUse(pointer); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (LLVMIsAMemSetInst(user)) {
            uint64_t bytes = LLVMConstIntGetZExtValue(LLVMGetOperand(user, 2));
            if (bytes % c->unit || bytes / c->unit > TSR__SOA_MAX_SET)
                return false;
        }
        if (LLVMIsAGetElementPtrInst(user) && (!counts_elements(c, user) || !steps_are_elements(c, user)))
            return false;
    }
    return true;
}

/* ---- doing it ---- */

/* Bytes from an array's start, in its own order: a constant and, unless NULL, an i64. */
struct place {
    int64_t constant;
    LLVMValueRef rest;
};

/* The place that a GEP leads to from `place`. */
static struct place place_behind(const struct candidate *c, LLVMBuilderRef b, LLVMValueRef gep, struct place place)
{
    LLVMTypeRef i64 = LLVMInt64TypeInContext(c->l->context);
    struct tsr__gep_index index;
    for (struct tsr__gep_walk walk = tsr__gep_walk(c->layout, gep); tsr__gep_next(&walk, &index);) {
        place.constant += index.offset;
        if (index.is_constant)
            continue;
        LLVMValueRef by = index.extension == TSR__EXT_SIGNED ? LLVMBuildSExt(b, index.value, i64, "") : index.value;
        by = LLVMBuildMul(b, by, LLVMConstInt(i64, (uint64_t)index.bytes * c->width, true), "");
        place.rest = place.rest ? LLVMBuildAdd(b, place.rest, by, "") : by;
    }
    return place;
}

/* Where a lane has the element at a place. */
static LLVMValueRef element_at(const struct candidate *c, LLVMBuilderRef b, struct place place, uint64_t element)
{
    LLVMTypeRef i64 = LLVMInt64TypeInContext(c->l->context), i8 = LLVMInt8TypeInContext(c->l->context);
    LLVMValueRef by = LLVMConstInt(i64, ((uint64_t)place.constant + element * c->unit) * c->width, true);
    LLVMValueRef p = LLVMBuildGEP2(b, i8, c->array, &by, 1, "");
    p = place.rest ? LLVMBuildGEP2(b, i8, p, &place.rest, 1, "") : p;
    LLVMValueRef lane = c->lane_offset;
    return LLVMBuildGEP2(b, i8, p, &lane, 1, "");
}

static LLVMValueRef copy_with(const struct candidate *c, LLVMBuilderRef b, LLVMValueRef inst, unsigned operand, LLVMValueRef pointer)
{
    LLVMValueRef copy = LLVMInstructionClone(inst);
    LLVMSetOperand(copy, operand, pointer);
    LLVMSetAlignment(copy, (unsigned)c->unit);
    LLVMInsertIntoBuilder(b, copy);
    return copy;
}

static LLVMValueRef load_element(const struct candidate *c, LLVMBuilderRef b, LLVMTypeRef type, struct place place, unsigned element)
{
    LLVMValueRef made = LLVMBuildLoad2(b, type, element_at(c, b, place, element), "");
    LLVMSetAlignment(made, (unsigned)c->unit);
    return made;
}

static void store_element(const struct candidate *c, LLVMBuilderRef b, LLVMValueRef value, struct place place, unsigned element)
{
    LLVMSetAlignment(LLVMBuildStore(b, value, element_at(c, b, place, element)), (unsigned)c->unit);
}

static void rewrite_load(const struct candidate *c, LLVMBuilderRef b, LLVMValueRef load, struct place place)
{
    LLVMTypeRef own = LLVMTypeOf(load), type = cut_type(c, own);
    LLVMValueRef made;
    if (LLVMGetTypeKind(type) == LLVMVectorTypeKind) {
        made = LLVMGetPoison(type);
        for (unsigned i = 0; i < LLVMGetVectorSize(type); i++) {
            LLVMValueRef part = load_element(c, b, LLVMGetElementType(type), place, i);
            made = LLVMBuildInsertElement(b, made, part, tsr__i32(c->l, i), "");
        }
    } else {
        made = type == own ? copy_with(c, b, load, 0, element_at(c, b, place, 0)) : load_element(c, b, type, place, 0);
    }
    LLVMReplaceAllUsesWith(load, LLVMBuildBitCast(b, made, own, ""));
}

static void rewrite_store(const struct candidate *c, LLVMBuilderRef b, LLVMValueRef store, struct place place)
{
    LLVMTypeRef own = LLVMTypeOf(LLVMGetOperand(store, 0)), type = cut_type(c, own);
    LLVMValueRef value = LLVMBuildBitCast(b, LLVMGetOperand(store, 0), type, "");
    if (LLVMGetTypeKind(type) == LLVMVectorTypeKind) {
        for (unsigned i = 0; i < LLVMGetVectorSize(type); i++)
            store_element(c, b, LLVMBuildExtractElement(b, value, tsr__i32(c->l, i), ""), place, i);
    } else if (type == own) {
        copy_with(c, b, store, 1, element_at(c, b, place, 0));
    } else {
        store_element(c, b, value, place, 0);
    }
}

static void rewrite_set(const struct candidate *c, LLVMBuilderRef b, LLVMValueRef call, struct place place)
{
    LLVMTypeRef type = LLVMIntTypeInContext(c->l->context, (unsigned)c->unit * 8);
    uint64_t byte = LLVMConstIntGetZExtValue(LLVMGetOperand(call, 1)) & 255;
    uint64_t count = LLVMConstIntGetZExtValue(LLVMGetOperand(call, 2)) / c->unit;
    LLVMValueRef value = LLVMConstInt(type, byte * UINT64_C(0x0101010101010101), false);
    for (uint64_t i = 0; i < count; i++)
        store_element(c, b, value, place, (unsigned)i);
}

/* Takes over and erases all uses of a pointer to `place`. */
static void rewrite_uses(const struct candidate *c, LLVMValueRef pointer, struct place place)
{
    for (LLVMUseRef use; (use = LLVMGetFirstUse(pointer)) != NULL;) {
        LLVMValueRef user = LLVMGetUser(use);
        LLVMBuilderRef b = tsr__builder_before(c->l, user);
        if (LLVMIsAGetElementPtrInst(user)) {
            rewrite_uses(c, user, place_behind(c, b, user, place));
        } else if (LLVMIsALoadInst(user)) {
            rewrite_load(c, b, user, place);
        } else if (LLVMIsAStoreInst(user)) {
            rewrite_store(c, b, user, place);
        } else if (LLVMIsAMemSetInst(user)) {
            rewrite_set(c, b, user, place);
        }
        LLVMDisposeBuilder(b);
        LLVMInstructionEraseFromParent(user);
    }
}

static void make_soa_array(struct candidate *c, LLVMValueRef alloca)
{
    LLVMContextRef context = c->l->context;
    LLVMTypeRef i64 = LLVMInt64TypeInContext(context);
    uint64_t bytes = LLVMABISizeOfType(c->layout, LLVMGetAllocatedType(alloca));
    LLVMBuilderRef b = tsr__builder_before(c->l, alloca);
    c->array = LLVMBuildAlloca(b, LLVMArrayType2(LLVMInt8TypeInContext(context), bytes * c->width), LLVMGetValueName(alloca));
    LLVMSetAlignment(c->array, 64);
    LLVMValueRef none = LLVMMetadataAsValue(context, LLVMMDNodeInContext2(context, NULL, 0));
    LLVMSetMetadata(c->array, tsr__soa_array_kind(context), none);
    LLVMValueRef lane = tsr__build_query(c->l, b, TSR__CALL_LANE, -1);
    LLVMSetMetadata(lane, tsr__soa_array_kind(context), none); /* the kernel itself does not ask */
    c->lane_offset = LLVMBuildMul(b, LLVMBuildZExt(b, lane, i64, ""), LLVMConstInt(i64, c->unit, false), "");
    LLVMDisposeBuilder(b);
    rewrite_uses(c, alloca, (struct place){0, NULL});
    LLVMInstructionEraseFromParent(alloca);
}

bool tsr__pass_soa_arrays(struct tsr__compilation *l, struct tsr__packet_kernel *kernel)
{
    LLVMTargetDataRef layout = LLVMGetModuleDataLayout(l->module);
    unsigned width = kernel->packet.width;
    size_t count;
    if (width == 1)
        return true;
    LLVMValueRef *arrays = tsr__instructions(l, kernel->item, &count);
    size_t allocas = 0;
    for (size_t k = 0; k < count; k++)
        if (LLVMIsAAllocaInst(arrays[k]) && LLVMGetInstructionParent(arrays[k]) == LLVMGetEntryBasicBlock(kernel->item))
            arrays[allocas++] = arrays[k];
    for (size_t k = 0; k < allocas; k++) {
        LLVMValueRef i = arrays[k];
        if (!LLVMIsAConstantInt(LLVMGetOperand(i, 0)) || LLVMConstIntGetZExtValue(LLVMGetOperand(i, 0)) != 1)
            continue;
        struct candidate c = {.l = l, .layout = layout, .width = width};
        uint64_t bytes = LLVMABISizeOfType(layout, LLVMGetAllocatedType(i));
        bool good;
        do
            c.grown = false, good = uses_are_elements(&c, i);
        while (good && c.grown);
        good = good && c.unit && bytes % c.unit == 0 && bytes * width <= INT32_MAX && steps_are_elements(&c, i);
        tsr__explain_array(l, i, good);
        if (good)
            make_soa_array(&c, i);
    }
    return true;
}
