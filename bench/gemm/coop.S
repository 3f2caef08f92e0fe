/* SPDX-License-Identifier: Apache-2.0
 * The modules that llc makes of coop.ll.in, as words: one after the other, in the order of enum gemm_type. */
    .section .rodata
    .balign 4
    .global gemm_module_int8, gemm_module_bf16, gemm_modules_end
    .hidden gemm_module_int8, gemm_module_bf16, gemm_modules_end
gemm_module_int8:
    .incbin GEMM_INT8
gemm_module_bf16:
    .incbin GEMM_BF16
gemm_modules_end:
    .section .note.GNU-stack,"",@progbits
