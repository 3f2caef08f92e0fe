/* SPDX-License-Identifier: Apache-2.0
 * clang's opencl-c-base.h as bytes. */
    .section .rodata
    .global tsr__base_header, tsr__base_header_end
    .hidden tsr__base_header, tsr__base_header_end
tsr__base_header:
    .incbin OPENCL_C_BASE
tsr__base_header_end:
    .byte 0
    .section .note.GNU-stack,"",@progbits
