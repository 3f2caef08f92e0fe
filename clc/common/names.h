/* SPDX-License-Identifier: Apache-2.0
 * Names that the readers of source languages and what comes after them agree on. */
#ifndef TESSERA_CLC_NAMES_H
#define TESSERA_CLC_NAMES_H

/* The prefix of the function that clang makes of a kernel's body. */
#define TSR_CLC_KERNEL_BODY "__clang_ocl_kern_imp_"

/* Metadata of a kernel of which CL_KERNEL_ATTRIBUTES tells nothing: "for kernels not created from OpenCL C source … the string … will be
 * empty". */
#define TSR_CLC_NO_ATTRIBUTES "tsr.no_attributes"

/* Attribute of the kernel of a block. */
#define TSR_CLC_BLOCK "tsr-block"

/* The prefix of functions for a matrix of a sub-group; the size of the sub-group follows as a decimal number. */
#define TSR_CLC_SPIRV_MATRIX "spirv.matrix."

#endif
