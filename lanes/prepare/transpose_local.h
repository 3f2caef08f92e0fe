/* SPDX-License-Identifier: Apache-2.0
 * Local arrays of two dimensions: those along whose first one the lanes run are laid out the other way round. */
#ifndef TESSERA_LANES_PREPARE_TRANSPOSE_LOCAL_H
#define TESSERA_LANES_PREPARE_TRANSPOSE_LOCAL_H

#include "lanes/ir/ir.h"

/* Turns the arrays of a kernel where that saves scatters and gathers. */
void tsr__transpose_local_arrays(struct tsr__compilation *l, LLVMValueRef kernel, const struct tsr_kernel_info *info);
/* Addresses in place of all placeholders of the module. */
void tsr__lower_local_arrays(struct tsr__compilation *l);

#endif
