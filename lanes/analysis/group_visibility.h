/* SPDX-License-Identifier: Apache-2.0
 * What a kernel can tell about the work-groups and sub-groups that it runs in. */
#ifndef TESSERA_LANES_ANALYSIS_GROUP_VISIBILITY_H
#define TESSERA_LANES_ANALYSIS_GROUP_VISIBILITY_H

#include "lanes/ir/calls.h"

/* The most that one of its calls and arguments lets the kernel know. */
enum tsr__visibility tsr__group_visibility(struct tsr__compilation *l, LLVMValueRef item);
/* Packets wait for each other. */
bool tsr__has_barrier(struct tsr__compilation *l, LLVMValueRef packet);

#endif
