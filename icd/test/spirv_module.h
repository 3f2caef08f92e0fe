/* SPDX-License-Identifier: Apache-2.0
 * A module in SPIR-V for tests: kernel void k(global uint *p) { p[0] = flag ? number : 0; }, where `number` and `flag` are specialisation
 * constants. */
#ifndef TESSERA_ICD_SPIRV_MODULE_H
#define TESSERA_ICD_SPIRV_MODULE_H

#include <stdint.h>

enum { SPIRV_NUMBER_ID = 7, SPIRV_FLAG_ID = 300, SPIRV_NUMBER = 5 }; /* their SpecIds, and the default of `number` */

#define SPIRV_OP(number, words) ((words) << 16 | (number))
static const uint32_t spirv_module[] = {
    /* clang-format off */
    0x07230203, 0x00010000, 0, 16, 0,
    SPIRV_OP(17, 2), 4,              /* OpCapability Addresses */
    SPIRV_OP(17, 2), 6,              /* OpCapability Kernel */
    SPIRV_OP(14, 3), 2, 2,           /* OpMemoryModel Physical64 OpenCL */
    SPIRV_OP(15, 4), 6, 10, 'k',     /* OpEntryPoint Kernel %10 "k" */
    SPIRV_OP(16, 6), 10, 18, 1, 1, 1, /* OpExecutionMode %10 LocalSizeHint 1 1 1 */
    SPIRV_OP(71, 4), 7, 1, SPIRV_NUMBER_ID, /* OpDecorate %7 SpecId … */
    SPIRV_OP(71, 4), 8, 1, SPIRV_FLAG_ID,
    SPIRV_OP(19, 2), 1,              /* %1 = OpTypeVoid */
    SPIRV_OP(21, 4), 2, 32, 0,       /* %2 = OpTypeInt 32 0 */
    SPIRV_OP(20, 2), 3,              /* %3 = OpTypeBool */
    SPIRV_OP(32, 4), 4, 5, 2,        /* %4 = OpTypePointer CrossWorkgroup %2 */
    SPIRV_OP(33, 4), 5, 1, 4,        /* %5 = OpTypeFunction %1 %4 */
    SPIRV_OP(43, 4), 2, 6, 0,        /* %6 = OpConstant %2 0 */
    SPIRV_OP(50, 4), 2, 7, SPIRV_NUMBER, /* %7 = OpSpecConstant %2 … */
    SPIRV_OP(48, 3), 3, 8,           /* %8 = OpSpecConstantTrue %3 */
    SPIRV_OP(54, 5), 1, 10, 0, 5,    /* %10 = OpFunction %1 None %5 */
    SPIRV_OP(55, 3), 4, 11,          /* %11 = OpFunctionParameter %4 */
    SPIRV_OP(248, 2), 12,            /* %12 = OpLabel */
    SPIRV_OP(169, 6), 2, 13, 8, 7, 6, /* %13 = OpSelect %2 %8 %7 %6 */
    SPIRV_OP(62, 5), 11, 13, 2, 4,   /* OpStore %11 %13 Aligned 4 */
    SPIRV_OP(253, 1),                /* OpReturn */
    SPIRV_OP(56, 1),                 /* OpFunctionEnd */
    /* clang-format on */
};

#endif
