/* SPDX-License-Identifier: Apache-2.0
 * No-wrap marks on index arithmetic of kernels with matrix functions. (versioning.c) */
#ifndef TESSERA_LANES_PREPARE_VERSIONING_H
#define TESSERA_LANES_PREPARE_VERSIONING_H

#include "lanes/prepare/packet_kernel.h"

/* Operations that the pass has marked as ones that do not wrap become what they were; or stay so, and only the marks go. */
void tsr__drop_no_wrap_marks(struct tsr__compilation *l, LLVMValueRef function);
void tsr__forget_no_wrap_marks(struct tsr__compilation *l, LLVMValueRef function);
bool tsr__is_marked_no_wrap(struct tsr__compilation *l, LLVMValueRef v);

#endif
