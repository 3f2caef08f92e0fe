/* SPDX-License-Identifier: Apache-2.0
 * What the files of the checks share. A check reports the first fault of an instruction. */
#ifndef TESSERA_TENSOR_CHECK_H
#define TESSERA_TENSOR_CHECK_H

#include "tensor/ir.h"

/* One check of an instruction; false: told. */
#define TSR_CHECK_FUNCTION(group) bool tsr__t_check_##group(struct tsr_tensor_program *p, const struct tsr__t_inst *inst)

/* Reports at the instruction, with notes for up to two values; returns false. */
bool tsr__t_fault(struct tsr_tensor_program *p, const struct tsr__t_inst *inst, const struct tsr__t_value *a, const struct tsr__t_value *b,
                  const char *text);

/* Numbers of this memory have the atomic operation that the instruction asks for, if any. */
bool tsr__t_check_atomic(struct tsr_tensor_program *p, const struct tsr__t_inst *inst, const struct tsr__t_value *memory);

TSR_CHECK_FUNCTION(arith);
TSR_CHECK_FUNCTION(unary);
TSR_CHECK_FUNCTION(compare);
TSR_CHECK_FUNCTION(cast);
TSR_CHECK_FUNCTION(math);
TSR_CHECK_FUNCTION(constant);
TSR_CHECK_FUNCTION(builtin);
TSR_CHECK_FUNCTION(broadcast);
TSR_CHECK_FUNCTION(subgroup);
TSR_CHECK_FUNCTION(alloca);
TSR_CHECK_FUNCTION(lifetime);
TSR_CHECK_FUNCTION(expand);
TSR_CHECK_FUNCTION(fuse);
TSR_CHECK_FUNCTION(subview);
TSR_CHECK_FUNCTION(size);
TSR_CHECK_FUNCTION(associated);
TSR_CHECK_FUNCTION(load);
TSR_CHECK_FUNCTION(store);
TSR_CHECK_FUNCTION(update);
TSR_CHECK_FUNCTION(barrier);
TSR_CHECK_FUNCTION(for);
TSR_CHECK_FUNCTION(foreach);
TSR_CHECK_FUNCTION(foreach_tile);
TSR_CHECK_FUNCTION(if);
TSR_CHECK_FUNCTION(parallel);
TSR_CHECK_FUNCTION(yield);
TSR_CHECK_FUNCTION(axpby);
TSR_CHECK_FUNCTION(cumsum);
TSR_CHECK_FUNCTION(gemm);
TSR_CHECK_FUNCTION(gemv);
TSR_CHECK_FUNCTION(ger);
TSR_CHECK_FUNCTION(hadamard);
TSR_CHECK_FUNCTION(sum);
TSR_CHECK_FUNCTION(coop_load);
TSR_CHECK_FUNCTION(coop_mul_add);
TSR_CHECK_FUNCTION(coop_construct);
TSR_CHECK_FUNCTION(coop_scale);
TSR_CHECK_FUNCTION(coop_store);
TSR_CHECK_FUNCTION(coop_update);
TSR_CHECK_FUNCTION(coop_apply);
TSR_CHECK_FUNCTION(coop_extract);
TSR_CHECK_FUNCTION(coop_insert);
TSR_CHECK_FUNCTION(coop_prefetch);
TSR_CHECK_FUNCTION(coop_reduce);

#endif
