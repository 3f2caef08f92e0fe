/* SPDX-License-Identifier: Apache-2.0
 * Strides that are likely at run time but not certain, as of clamp(x + 1, 0, n - 1). */
#ifndef TESSERA_LANES_PREPARE_HOPED_STRIDE_H
#define TESSERA_LANES_PREPARE_HOPED_STRIDE_H

#include "lanes/analysis/shape.h"

enum { TSR__MOST_HOPED_STRIDE = 4096 };

struct tsr__hope {
    struct tsr__shape (*shape_of)(void *context, LLVMValueRef v);
    void *context;
    LLVMValueRef function; /* in which the values are */
};

/* The stride of a number from lane to lane if no limit is met and nothing wraps; 0: it is zero, or unknown even then. */
int64_t tsr__hoped_stride(const struct tsr__hope *h, LLVMValueRef v);

#endif
