/* SPDX-License-Identifier: Apache-2.0
 * Strides that hold at run time mostly, though not for sure. */
#ifndef TESSERA_LANES_PREPARE_HOPED_STRIDE_H
#define TESSERA_LANES_PREPARE_HOPED_STRIDE_H

#include "lanes/analysis/shape.h"

enum { TSR__MOST_HOPED_STRIDE = 4096 };

struct tsr__hope {
    struct tsr__shape (*shape_of)(void *context, LLVMValueRef v);
    void *context;
    LLVMValueRef function; /* that the value is of */
};

/* What the stride of a number would be if limits were not met and nothing wrapped; 0 also if there is nothing to hope for. */
int64_t tsr__hoped_stride(const struct tsr__hope *h, LLVMValueRef v);

#endif
