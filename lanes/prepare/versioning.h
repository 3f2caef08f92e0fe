/* SPDX-License-Identifier: Apache-2.0
 * Index arithmetic of kernels with matrix functions that does not wrap in most launches. */
#ifndef TESSERA_LANES_PREPARE_VERSIONING_H
#define TESSERA_LANES_PREPARE_VERSIONING_H

#include "lanes/ir/ir.h"

/* An operation that was marked as one that does not wrap, and what was known of it before. */
struct tsr__no_wrap_mark {
    struct tsr__no_wrap_mark *next;
    LLVMValueRef operation;
    bool nsw, nuw;
};

/* Marks operations of a work-item's function that make indices, and begins the body of the kernel with code that finds out whether they
 * are right in a launch: the answer. NULL: marks would not help, there are none, and the kernel has no body yet. */
LLVMValueRef tsr__version_no_wrap(struct tsr__compilation *l, LLVMValueRef item, LLVMValueRef kernel, struct tsr__no_wrap_mark **assumed);
/* Takes the marks off again. */
void tsr__drop_no_wrap_marks(struct tsr__no_wrap_mark *assumed);

#endif
