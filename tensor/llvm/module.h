/* SPDX-License-Identifier: Apache-2.0
 * From a text in the tensor language to an LLVM module, in the form that clang gives an OpenCL C source. */
#ifndef TESSERA_TENSOR_LLVM_MODULE_H
#define TESSERA_TENSOR_LLVM_MODULE_H

#include "tessera/tensor.h"

#include <llvm-c/Core.h>

/* What the code is for. */
struct tsr_tensor_unit {
    bool dots_of_bytes, dots_of_bf16; /* AVX-512 has dot products of words of these */
    bool dots_of_i16;                 /* the same of two i16 */
    bool pairs;                       /* bytes and i16 are multiplied as words of two i16: there is no dot product of bytes */
    bool mad_first;                   /* after dot products, matrix functions are the fastest code for narrow numbers */
    bool mad_of_f16;                  /* the same of f16 */
    uint32_t tiles;        /* a unit multiplies tiles of bytes and bf16: TSR_TILE_IN_AMX or _IN_MODEL (tessera/tiles.h); 0: none */
    bool tiles_of_f16;     /* the same of f16 */
    bool multiplies_apart; /* there is no multiply-add, whose emulation takes a hundred times as long as a product and a sum */
    bool blocks;           /* code is for a CPU: products are cut to fit its caches, and packed in local memory */
    bool half_registers;   /* the CPU computes vector registers in halves, so loads take no time beside products */
    uint32_t registers, register_bytes; /* vector registers for the sums of a product, and bytes of one */
    uint32_t block_rows;                /* rows of A, 1 KiB of each, that the second level of the caches holds beside columns of B */
};

/* The module, for spir64; each function of the text is a kernel that requires its work-group and sub-group sizes. NULL: the log says why,
 * as tsr_tensor_print_diagnostics does. Memory that ends leaves through tsr_arena_on_failure. One context at a time for each thread. */
LLVMModuleRef tsr_tensor_module(const void *text, size_t size, const struct tsr_tensor_unit *unit, LLVMContextRef context,
                                struct tsr_buf *log);

#endif
