/* SPDX-License-Identifier: Apache-2.0
 * Sums of products that a program writes out, as calls of the library's dot products. */
#ifndef TESSERA_LANES_PREPARE_DOT_IDIOM_H
#define TESSERA_LANES_PREPARE_DOT_IDIOM_H

#include "lanes/analysis/shape.h"

bool tsr__form_dot_calls(struct tsr__compilation *l, LLVMValueRef function, struct tsr__packet packet);

#endif
