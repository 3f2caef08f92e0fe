/* SPDX-License-Identifier: Apache-2.0
 * Calls of outlined functions in packets (lanes/prepare/outlined.h). */
#ifndef TESSERA_LANES_WIDEN_WIDEN_OUTLINED_H
#define TESSERA_LANES_WIDEN_WIDEN_OUTLINED_H

#include "lanes/widen/widener.h"

/* A call of one. False: lane by lane. */
bool tsr__widen_outlined(struct tsr__widener *s, LLVMValueRef inst);

#endif
