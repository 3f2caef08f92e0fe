/* SPDX-License-Identifier: Apache-2.0 */
#include "lanes/ir/lane_registers.h"

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
void tsr__transpose_registers(const struct tsr__lane_registers *r, LLVMBuilderRef b, LLVMValueRef *registers)
{
    LLVMTypeRef i32 = LLVMInt32TypeInContext(LLVMGetTypeContext(LLVMTypeOf(registers[0])));
    for (unsigned half = r->count / 2; half; half /= 2)
        for (unsigned i = 0; i < r->count; i++) {
            if (i & half)
                continue;
            LLVMValueRef x = registers[i], y = registers[i + half];
            for (unsigned upper = 0; upper < 2; upper++) {
                LLVMValueRef from[TSR__MAX_ELEMENTS];
                for (unsigned k = 0; k < r->lanes; k++) {
                    /* Scalar k of the block of `count`: from x and y in turn. */
                    unsigned in = k % r->count, at = k - in + in / 2 + upper * (r->count / 2);
                    from[k] = LLVMConstInt(i32, in % 2 ? r->lanes + at : at, false);
                }
                registers[upper ? i + half : i] = LLVMBuildShuffleVector(b, x, y, LLVMConstVector(from, r->lanes), "");
            }
        }
}
