/* SPDX-License-Identifier: Apache-2.0
 * Which accesses of a kernel cannot meet in memory. */
#include "lanes/prepare/apart.h"

#include "lanes/analysis/index_parts.h"
#include "lanes/analysis/write_only.h"
#include "lanes/ir/match.h"
#include "lanes/prepare/loop_motion.h"

/* Bytes of memory, from a constant distance behind a pointer on. */
struct place {
    LLVMValueRef base;
    int64_t offset, bytes;
};

static struct place place_of(const struct tsr__apart *a, LLVMValueRef access)
{
    LLVMTargetDataRef layout = LLVMGetModuleDataLayout(a->l->module);
    struct place place = {tsr__accessed_pointer(access), 0, (int64_t)LLVMStoreSizeOfType(layout, tsr__accessed_type(access))};
    while (LLVMIsAGetElementPtrInst(place.base)) {
        int64_t offset = 0;
        struct tsr__gep_index index;
        struct tsr__gep_walk walk = tsr__gep_walk(layout, place.base);
        while (tsr__gep_next(&walk, &index)) {
            if (!index.is_constant)
                return place;
            offset += index.offset;
        }
        place.offset += offset;
        place.base = LLVMGetOperand(place.base, 0);
    }
    return place;
}

static bool is_restrict(const struct tsr__apart *a, int parameter)
{
    return LLVMGetEnumAttributeAtIndex(a->k->kernel, (LLVMAttributeIndex)parameter + 1, tsr__attr_kind("noalias"));
}

bool tsr__are_apart(struct tsr__apart *a, LLVMValueRef x, LLVMValueRef y)
{
    struct place at = place_of(a, x), other = place_of(a, y);
    if (at.base == other.base)
        return !a->in_all_rounds && (at.offset + at.bytes <= other.offset || other.offset + other.bytes <= at.offset);
    if (!(tsr__space_bit(tsr__accessed_pointer(x)) & tsr__space_bit(tsr__accessed_pointer(y))))
        return true;
    int p = tsr__parameter_of(at.base), q = tsr__parameter_of(other.base);
    if (p < 0 || q < 0 || p == q)
        return false;
    bool local = LLVMGetPointerAddressSpace(LLVMTypeOf(at.base)) == TSR__LOCAL_SPACE; /* each argument has local memory of its own */
    if (local || is_restrict(a, p) || is_restrict(a, q))
        return true;
    int first = p < q ? p : q;
    if (!a->may_ask || first >= TSR_SIZED_ARGUMENTS)
        return false;
    a->assumed |= UINT32_C(1) << first;
    return true;
}

bool tsr__are_same(struct tsr__apart *a, LLVMValueRef x, LLVMValueRef y)
{
    struct place at = place_of(a, x), other = place_of(a, y);
    return at.base == other.base && at.offset == other.offset && tsr__accessed_type(x) == tsr__accessed_type(y);
}

LLVMValueRef tsr__ask_launch(struct tsr__compilation *l, const struct tsr__packet_kernel *k, LLVMBuilderRef b, enum tsr__engine_call what,
                             uint32_t arguments)
{
    LLVMValueRef answer = tsr__build_query(l, b, what, -1), wanted = tsr__i64(l, arguments);
    k->info->asked_arguments |= arguments;
    return LLVMBuildICmp(b, LLVMIntEQ, LLVMBuildAnd(b, answer, wanted, ""), wanted, "");
}
