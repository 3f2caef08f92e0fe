/* SPDX-License-Identifier: Apache-2.0
 * Masked accesses for which the CPU has no instruction, or a slow one.
 *
 * That is bytes and 16-bit values without AVX-512, and all types without AVX2. LLVM would make a branch for each lane. Here a loop
 * copies the active lanes from memory to the stack, or from the stack to memory, and the vector access is an unmasked one on the stack.
 * If all lanes are active, the access is made in place.
 *
 * Without AVX-512, memory that no other thread sees (private and local memory) is read and written with all lanes; inactive lanes write
 * back their old values. Private arrays have room for all lanes on the stack, and the device leaves a margin around local memory
 * (TSR_LOCAL_MARGIN). */
#include "lanes/widen/memory/access.h"
#include "lanes/ir/mad_op.h"
#include "lanes/ir/layout.h"
#include "tessera/item.h"

_Static_assert(TSR_LOCAL_MARGIN >= (TSR_MAX_GROUP_LANES - 1) * 8, "lanes side by side, one of which is there");

bool tsr__is_blended(const struct tsr__widener *s, const struct tsr__access *a)
{
    unsigned space = LLVMGetPointerAddressSpace(LLVMTypeOf(a->pointer));
    return s->mask && !tsr__has(s->l, TSR_CPU_AVX512F) && (space == TSR__PRIVATE_SPACE || space == TSR__LOCAL_SPACE) &&
           (a->class == TSR__ACCESS_CONSECUTIVE || a->class == TSR__ACCESS_REVERSED);
}

bool tsr__needs_mask_emulation(const struct tsr__widener *s, const struct tsr__access *a)
{
    return s->mask && !tsr__has(s->l, a->scalar_bytes < 4 ? TSR_CPU_AVX512BW : TSR_CPU_AVX2);
}

static int64_t stride_of(const struct tsr__access *a)
{
    return a->class == TSR__ACCESS_INTERLEAVED ? (int64_t)a->step * a->scalar_bytes
           : a->class == TSR__ACCESS_REVERSED  ? -(int64_t)a->scalar_bytes
                                               : a->scalar_bytes;
}

/* What stands for lane 0's address: the access, but on the stack. `clear`: what lanes that are not there read is zero, as whatever was on
 * the stack may be denormal numbers, and CPUs take a hundred times as long for those. Not for numbers of 32 bits and more, which CPUs of
 * today need no copies of: undefined lanes save arithmetic. */
static LLVMValueRef stack_copy(struct tsr__widener *s, const struct tsr__access *a, bool clear)
{
    int64_t stride = stride_of(a);
    uint64_t size = s->width * (uint64_t)(stride < 0 ? -stride : stride);
    LLVMValueRef made = tsr__stack_slot(s, LLVMArrayType2(LLVMInt8TypeInContext(s->l->context), size), "lanes");
    LLVMSetAlignment(made, a->align > TSR_CACHE_LINE ? a->align : TSR_CACHE_LINE);
    if (clear)
        LLVMSetAlignment(LLVMBuildStore(s->b, LLVMConstNull(LLVMVectorType(a->scalar, (unsigned)(size / a->scalar_bytes))), made),
                         TSR_CACHE_LINE);
    made = LLVMBuildAddrSpaceCast(s->b, made, LLVMTypeOf(a->pointer), "");
    return stride < 0 ? tsr__plus_bytes(s->l, s->b, made, tsr__i64(s->l, size - a->scalar_bytes)) : made;
}

/* Copies the lanes that are there, some at least, unless all are. */
static void copy_lanes(struct tsr__widener *s, const struct tsr__access *a, LLVMValueRef to, LLVMValueRef from, LLVMValueRef bits,
                       LLVMValueRef all)
{
    LLVMContextRef c = s->l->context;
    LLVMTypeRef type = LLVMTypeOf(bits), i64 = LLVMInt64TypeInContext(c);
    LLVMBasicBlockRef before = LLVMGetInsertBlock(s->b), loop = LLVMAppendBasicBlockInContext(c, s->to, "lane"),
                      after = LLVMAppendBasicBlockInContext(c, s->to, "copied");
    LLVMBuildCondBr(s->b, all, after, loop);
    LLVMPositionBuilderAtEnd(s->b, loop);
    LLVMValueRef left = LLVMBuildPhi(s->b, type, "left");
    LLVMValueRef at =
        LLVMBuildMul(s->b, LLVMBuildZExt(s->b, tsr__first_lane(s, left), i64, ""), tsr__i64(s->l, (uint64_t)stride_of(a)), "");
    for (unsigned i = 0, count; i < a->step; i += count + 1) {
        for (count = 0; a->members >> (i + count) & 1;)
            count++;
        if (!count)
            continue;
        LLVMValueRef field = LLVMBuildAdd(s->b, at, tsr__i64(s->l, (uint64_t)i * a->scalar_bytes), "");
        LLVMTypeRef run = count > 1 ? LLVMVectorType(a->scalar, count) : a->scalar;
        LLVMValueRef value = LLVMBuildLoad2(s->b, run, tsr__plus_bytes(s->l, s->b, from, field), "");
        LLVMValueRef store = LLVMBuildStore(s->b, value, tsr__plus_bytes(s->l, s->b, to, field));
        LLVMSetAlignment(value, tsr__align_at(a->align, (uint64_t)i * a->scalar_bytes));
        LLVMSetAlignment(store, tsr__align_at(a->align, (uint64_t)i * a->scalar_bytes));
        tsr__copy_alias_metadata(s, a, LLVMIsALoadInst(a->inst) ? value : store);
    }
    LLVMValueRef rest = LLVMBuildAnd(s->b, left, LLVMBuildSub(s->b, left, LLVMConstInt(type, 1, false), ""), "");
    LLVMAddIncoming(left, (LLVMValueRef[]){bits, rest}, (LLVMBasicBlockRef[]){before, loop}, 2);
    LLVMBuildCondBr(s->b, LLVMBuildICmp(s->b, LLVMIntEQ, rest, LLVMConstNull(type), ""), after, loop);
    LLVMPositionBuilderAtEnd(s->b, after);
}

/* The access of all lanes. */
static struct tsr__access of_all(struct tsr__widener *s, const struct tsr__access *a, struct tsr__widener *unmasked)
{
    struct tsr__access own = *a;
    own.copied = true;
    *unmasked = *s;
    unmasked->mask = NULL;
    return own;
}

void tsr__emulated_load(struct tsr__widener *s, const struct tsr__access *a, LLVMValueRef p, LLVMValueRef *components)
{
    struct tsr__widener unmasked;
    struct tsr__access own = of_all(s, a, &unmasked);
    LLVMValueRef bits = tsr__mask_bits(s, s->mask), all = tsr__all_lanes(s, s->mask),
                 to = stack_copy(s, a, a->scalar_bytes == sizeof(uint16_t));
    copy_lanes(s, a, to, p, bits, all);
    tsr__direct_load(&unmasked, &own, LLVMBuildSelect(s->b, all, p, to, ""), components);
    for (unsigned i = 0; i < a->step; i++)
        if (a->members >> i & 1)
            components[i] = LLVMBuildFreeze(s->b, components[i], "");
}

void tsr__emulated_store(struct tsr__widener *s, const struct tsr__access *a, LLVMValueRef p, LLVMValueRef *components)
{
    struct tsr__widener unmasked;
    struct tsr__access own = of_all(s, a, &unmasked);
    LLVMValueRef bits = tsr__mask_bits(s, s->mask), all = tsr__all_lanes(s, s->mask), from = stack_copy(s, a, false);
    tsr__direct_store(&unmasked, &own, LLVMBuildSelect(s->b, all, p, from, ""), components);
    copy_lanes(s, a, p, from, bits, all);
}

void tsr__blended_load(struct tsr__widener *s, const struct tsr__access *a, LLVMValueRef p, LLVMValueRef *components)
{
    struct tsr__widener unmasked;
    struct tsr__access own = of_all(s, a, &unmasked);
    tsr__direct_load(&unmasked, &own, p, components);
    components[0] = LLVMBuildFreeze(s->b, components[0], "");
}

/* The old value is frozen: of a store that selects between a vector and what memory has the code generator makes a masked one. */
void tsr__blended_store(struct tsr__widener *s, const struct tsr__access *a, LLVMValueRef p, LLVMValueRef *components)
{
    struct tsr__widener unmasked;
    struct tsr__access own = of_all(s, a, &unmasked);
    LLVMValueRef old;
    tsr__direct_load(&unmasked, &own, p, &old);
    old = tsr__blend(s, s->mask, components[0], LLVMBuildFreeze(s->b, old, ""));
    tsr__direct_store(&unmasked, &own, p, &old);
}
