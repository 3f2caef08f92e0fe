/* SPDX-License-Identifier: Apache-2.0
 * Loops in which each lane goes along a row of its own. */
#ifndef TESSERA_LANES_ANALYSIS_ROW_WALKS_H
#define TESSERA_LANES_ANALYSIS_ROW_WALKS_H

#include "lanes/analysis/shape.h"

bool tsr__has_row_walks(struct tsr__compilation *l, const struct tsr__shapes *shapes);

#endif
