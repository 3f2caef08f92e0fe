/* SPDX-License-Identifier: Apache-2.0
 * From a text in the tensor language to an LLVM module, in the form that clang gives an OpenCL C source. */
#ifndef TESSERA_TENSOR_LLVM_MODULE_H
#define TESSERA_TENSOR_LLVM_MODULE_H

#include "tessera/tensor.h"

#include <llvm-c/Core.h>

/* What the code is for. */
struct tsr_tensor_unit {
    bool dots_of_bytes, dots_of_bf16;   /* packets of AVX-512 have dot products of these, and there is no unit that multiplies blocks */
    bool dots_of_shorts;                /* … and of two numbers of 16 bits */
    bool dots_of_halves;                /* of two numbers of 16 bits where there is none of bytes */
    bool mad_first;                     /* no other code for products of narrow numbers is faster than the matrix functions */
    bool mad_of_f16;                    /* the same of f16 */
    bool blocks;                        /* large products are to be cut to fit a CPU's caches, by way of local memory */
    bool halves;                        /* vector registers are computed in halves, so a load with each of them costs nothing */
    uint32_t registers, register_bytes; /* for the sums of a product: vector registers, and what one holds */
    uint32_t block_rows;                /* of A, 1 KiB of each: what the second level of the caches holds beside columns of B */
};

/* The module, for spir64; each function of the text is a kernel that requires its work-group and sub-group sizes. NULL: the log says why,
 * as tsr_tensor_print_diagnostics does. Memory that ends leaves through tsr_arena_on_failure. One context at a time for each thread. */
LLVMModuleRef tsr_tensor_module(const void *text, size_t size, const struct tsr_tensor_unit *unit, LLVMContextRef context,
                                struct tsr_buf *log);

#endif
