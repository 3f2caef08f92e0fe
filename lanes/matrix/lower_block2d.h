/* SPDX-License-Identifier: Apache-2.0
 * 2D blocks between the vectoriser and the pass `lower_block2d`.
 *
 * The vectoriser leaves each call of __tsr_block2d_<action> (builtins/block2d.h) as one operation of the packet, a call of
 *
 *     { <lanes x T>, … } tsr.block2d_<action>(the same arguments, where those that are no numbers are <lanes x T>, …)
 *
 * with a vector for each value of a work-item. */
#ifndef TESSERA_LANES_MATRIX_LOWER_BLOCK2D_H
#define TESSERA_LANES_MATRIX_LOWER_BLOCK2D_H

#include "lanes/ir/ir.h"

#endif
