/* SPDX-License-Identifier: Apache-2.0
 * Arguments through which a kernel only writes. */
#ifndef TESSERA_LANES_ANALYSIS_WRITE_ONLY_H
#define TESSERA_LANES_ANALYSIS_WRITE_ONLY_H

#include "lanes/ir/ir.h"

/* A bit for each parameter of a kernel's function through which all memory is written only, in a kernel that does not speak with others
 * while it runs. */
uint32_t tsr__write_only_params(struct tsr__compilation *l, LLVMValueRef item);

/* The parameter that a pointer is made of, or -1. */
int tsr__parameter_of(LLVMValueRef pointer);

#endif
