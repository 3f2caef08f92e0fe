/* SPDX-License-Identifier: Apache-2.0
 * Register pressure of packets. */
#ifndef TESSERA_LANES_ANALYSIS_PRESSURE_H
#define TESSERA_LANES_ANALYSIS_PRESSURE_H

#include "lanes/analysis/shape.h"

unsigned tsr__cpu_registers(const struct tsr__compilation *l);
/* Registers that a value takes in a packet, a vector for each of its scalars. 0: what has no lanes. */
uint64_t tsr__packet_registers(const struct tsr__compilation *l, LLVMTypeRef type, unsigned width);
/* At most in use at a time, of values whose types count. */
uint64_t tsr__registers_in_use(const struct tsr__compilation *l, const struct tsr__shapes *shapes, bool (*counts)(LLVMTypeRef type),
                               struct tsr_arena *arena);
/* The same of the vectors of one work-item, but those that are the same for all of the packet. */
uint64_t tsr__item_registers_in_use(const struct tsr__compilation *l, const struct tsr__shapes *shapes, struct tsr_arena *arena);
bool tsr__any_type(LLVMTypeRef type);

#endif
