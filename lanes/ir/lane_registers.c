/* SPDX-License-Identifier: Apache-2.0 */
#include "lanes/ir/lane_registers.h"
#include "lanes/ir/match.h"
#include "lanes/ir/shuffles.h"

struct tsr__lane_registers tsr__lane_registers(struct tsr__compilation *l, unsigned scalar_bytes, unsigned width)
{
    struct tsr__lane_registers r = {.count = TSR__REGISTER_BYTES / scalar_bytes,
                                    .parts = tsr__has(l, TSR_CPU_AVX512F) ? 4
                                             : tsr__has(l, TSR_CPU_AVX2)  ? 2
                                                                          : 1};
    while (r.parts > 1 && r.parts * r.count > width)
        r.parts /= 2;
    r.lanes = r.parts * r.count;
    return r;
}

/* A network of shuffles in quarters, or halves, of registers, or in all of them. */
void tsr__transpose_registers(struct tsr__compilation *l, const struct tsr__lane_registers *r, LLVMBuilderRef b, LLVMValueRef *registers)
{
    for (unsigned half = r->count / 2; half; half /= 2)
        for (unsigned i = 0; i < r->count; i++) {
            if (i & half)
                continue;
            LLVMValueRef x = registers[i], y = registers[i + half];
            for (unsigned upper = 0; upper < 2; upper++) {
                unsigned from[TSR__MAX_ELEMENTS];
                for (unsigned k = 0; k < r->lanes; k++) {
                    /* Scalar k of the block of `count`: from x and y in turn. */
                    unsigned in = k % r->count, at = k - in + in / 2 + upper * (r->count / 2);
                    from[k] = in % 2 ? r->lanes + at : at;
                }
                registers[upper ? i + half : i] = tsr__pick_elements(l, b, x, y, from, r->lanes);
            }
        }
}

void tsr__lane_pointers_begin(struct tsr__lane_pointers *p, struct tsr__compilation *l, LLVMBuilderRef b)
{
    *p = (struct tsr__lane_pointers){.l = l, .b = b};
    for (size_t i = 0; i < TSR_ARRAY_LEN(p->made); i++)
        p->made[i] = (struct tsr__map){.arena = &l->scratch};
}

/* Code for the vector may still be the last that was built. */
static LLVMValueRef element_of(struct tsr__lane_pointers *p, LLVMValueRef v, unsigned lane)
{
    LLVMValueRef made = (LLVMValueRef)tsr__map_get(&p->made[lane], v), next = LLVMIsAInstruction(v) ? LLVMGetNextInstruction(v) : NULL;
    if (made)
        return made;
    LLVMBuilderRef behind = next ? tsr__builder_before(p->l, tsr__after_phis(next)) : NULL;
    made = LLVMBuildExtractElement(behind ? behind : p->b, v, tsr__i32(p->l, lane), "");
    if (behind)
        LLVMDisposeBuilder(behind);
    if (LLVMIsAInstruction(v))
        tsr__map_set(&p->made[lane], v, (uintptr_t)made);
    return made;
}

LLVMValueRef tsr__pointer_of_lane(struct tsr__lane_pointers *p, LLVMValueRef pointers, unsigned lane)
{
    if (!LLVMIsAGetElementPtrInst(pointers) || LLVMGetNumOperands(pointers) != 2)
        return element_of(p, pointers, lane);
    LLVMValueRef base = LLVMGetOperand(pointers, 0), index = LLVMGetOperand(pointers, 1);
    if (LLVMGetTypeKind(LLVMTypeOf(base)) == LLVMVectorTypeKind)
        base = tsr__pointer_of_lane(p, base, lane);
    if (LLVMGetTypeKind(LLVMTypeOf(index)) == LLVMVectorTypeKind)
        index = element_of(p, index, lane);
    return LLVMBuildGEP2(p->b, LLVMGetGEPSourceElementType(pointers), base, &index, 1, "");
}

bool tsr__has_pointers_of_lanes(const struct tsr__lane_pointers *p, LLVMValueRef pointers)
{
    if (LLVMGetTypeKind(LLVMTypeOf(pointers)) != LLVMVectorTypeKind) /* the base of an index */
        return true;
    if (!LLVMIsAGetElementPtrInst(pointers) || LLVMGetNumOperands(pointers) != 2)
        return tsr__map_get(&p->made[1], pointers);
    LLVMValueRef index = LLVMGetOperand(pointers, 1);
    return tsr__has_pointers_of_lanes(p, LLVMGetOperand(pointers, 0)) &&
           (LLVMGetTypeKind(LLVMTypeOf(index)) != LLVMVectorTypeKind || tsr__map_get(&p->made[1], index));
}
