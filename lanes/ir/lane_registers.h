/* SPDX-License-Identifier: Apache-2.0
 * Values of 16 bytes, a register of SSE, of each lane: to vectors with one scalar of all lanes, and back. A register of `lanes` scalars has
 * the values of several lanes; of as many registers as a value has scalars, register r has those of the lanes r, r + count… */
#ifndef TESSERA_LANES_IR_LANE_REGISTERS_H
#define TESSERA_LANES_IR_LANE_REGISTERS_H

#include "lanes/ir/ir.h"

enum { TSR__REGISTER_BYTES = 16 };

struct tsr__lane_registers {
    unsigned count;        /* scalars of 4 or 8 bytes in a value, and registers of a turn */
    unsigned parts, lanes; /* values in a register, and so scalars; lanes of a turn */
};

/* In packets of `width` lanes. */
struct tsr__lane_registers tsr__lane_registers(struct tsr__compilation *l, unsigned scalar_bytes, unsigned width);
/* The lane whose value is this part of a register. */
static inline unsigned tsr__lane_of_part(const struct tsr__lane_registers *r, unsigned turn, unsigned number, unsigned part)
{
    return turn * r->lanes + part * r->count + number;
}
/* Registers become vectors with one scalar of all lanes of the turn, and these registers. */
void tsr__transpose_registers(struct tsr__compilation *l, const struct tsr__lane_registers *r, LLVMBuilderRef b, LLVMValueRef *registers);

/* The lanes' addresses, out of vectors of pointers. */
struct tsr__lane_pointers {
    struct tsr__compilation *l;
    LLVMBuilderRef b;                        /* where code goes */
    struct tsr__map made[TSR__MAX_ELEMENTS]; /* by lane: vector → its element */
};

void tsr__lane_pointers_begin(struct tsr__lane_pointers *p, struct tsr__compilation *l, LLVMBuilderRef b);
/* Sums of a uniform base, an index of the lanes and constants stay such sums. The index is taken out of its vector behind that, so in front
 * of loops that do not change it, and is not computed again for each lane (lane_scalars.h). */
LLVMValueRef tsr__pointer_of_lane(struct tsr__lane_pointers *p, LLVMValueRef pointers, unsigned lane);
/* Has their index, or what has the lanes' addresses otherwise, been taken out of its vector? */
bool tsr__has_pointers_of_lanes(const struct tsr__lane_pointers *p, LLVMValueRef pointers);

#endif
