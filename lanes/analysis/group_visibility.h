/* SPDX-License-Identifier: Apache-2.0
 * What a kernel can tell about the work-groups and sub-groups that it runs in. */
#ifndef TESSERA_LANES_ANALYSIS_GROUP_VISIBILITY_H
#define TESSERA_LANES_ANALYSIS_GROUP_VISIBILITY_H

#include "lanes/ir/ir.h"

/* What the work-items know: their global ids only, so that they do the same whatever their work-groups are; the ids in groups and of
 * groups, too; local memory and barriers; or sub-groups. */
enum tsr__visibility { TSR__SEES_RANGE, TSR__SEES_NUMBERS, TSR__SEES_GROUPS, TSR__SEES_SUB_GROUPS };

enum tsr__visibility tsr__group_visibility(struct tsr__compilation *l, LLVMValueRef item);
/* Packets wait for each other. */
bool tsr__has_barrier(struct tsr__compilation *l, LLVMValueRef packet);

#endif
