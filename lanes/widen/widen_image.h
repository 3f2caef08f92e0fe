/* SPDX-License-Identifier: Apache-2.0
 * Calls of functions on images in packets. */
#ifndef TESSERA_LANES_WIDEN_WIDEN_IMAGE_H
#define TESSERA_LANES_WIDEN_WIDEN_IMAGE_H

#include "lanes/widen/widener.h"

/* A call of one. False: lane by lane. */
bool tsr__widen_image(struct tsr__widener *s, LLVMValueRef inst);

#endif
