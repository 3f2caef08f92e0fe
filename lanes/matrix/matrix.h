/* SPDX-License-Identifier: Apache-2.0
 * Shared by the passes on matrix operations and those on tiles. */
#ifndef TESSERA_LANES_MATRIX_MATRIX_H
#define TESSERA_LANES_MATRIX_MATRIX_H

#include "lanes/ir/blocks.h"
#include "lanes/ir/mad_op.h"
#include "tessera/item.h"

struct tsr__tile_product {
    enum tsr_element a, b;
    enum tsr_cpu_feature feature; /* of AMX, or of vectors */
    const char *instruction;      /* LLVM's name of AMX's; NULL: a product of vectors */
    enum tsr_tile_product number;
};
/* For an overload on this unit of the CPU, or NULL. */
const struct tsr__tile_product *tsr__tile_product(const struct tsr__compilation *l, enum tsr__tile_unit unit,
                                                  const struct tsr_matrix_builtin *f);
/* The unit that has the function's products: vectors, too, where AMX has none of them; none in a retry without tiles. */
enum tsr__tile_unit tsr__tile_unit_of(const struct tsr__compilation *l, LLVMValueRef function);

/* Of a loop that the device is to run with the sums of each round, or of parts of it, apart: how many operations make a sum. Else 0.
 * (sums_apart.c) */
unsigned tsr__sums_apart(LLVMBasicBlockRef loop);

/* The kernel whose code the function is; NULL: of none, or of several. (launch_values.c) */
struct tsr_kernel_info *tsr__kernel_of_function(struct tsr__compilation *l, LLVMValueRef function);
/* The number of the kernel's argument that the value is. -1: it is none. */
int tsr__kernel_argument_of(struct tsr__compilation *l, LLVMValueRef v);
/* Is the value computed from numbers and arguments of the kernel alone, and from phis of the blocks `round`, which count rounds? `seen`: it
 * is of these anyway. */
bool tsr__is_of_launch(struct tsr__compilation *l, const struct tsr__map *round, struct tsr__map *seen, LLVMValueRef v);

/* Moves what is computed for the block alone there, which hardly ever runs. (cold_sink.c) */
void tsr__sink_to_cold_block(struct tsr__compilation *l, LLVMBasicBlockRef block);

#endif
