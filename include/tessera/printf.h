/* SPDX-License-Identifier: Apache-2.0
 * How lanes/printf.c packs the arguments of a kernel's printf and device-amx/print.c reads them.
 *
 * args is a sequence, one item per argument: uint32 tag, then the bytes, padded to 8. The first word of the block is the number of items,
 * padded to 8. The value keeps the type that the call passed after OpenCL's promotions (char, short → int; half → double when the device
 * has doubles; vectors are not promoted element-wise). */
#ifndef TESSERA_PRINTF_H
#define TESSERA_PRINTF_H

enum tsr_print_kind { TSR_PRINT_INT = 1, TSR_PRINT_FLOAT = 2, TSR_PRINT_POINTER = 3, TSR_PRINT_STRING = 4 };

/* tag = kind | element bytes << 8 | element count << 16. A string's bytes are a pointer to constant memory. */
#define TSR_PRINT_TAG(kind, bytes, count) ((uint32_t)(kind) | (uint32_t)(bytes) << 8 | (uint32_t)(count) << 16)
#define TSR_PRINT_KIND(tag) ((tag) & 0xff)
#define TSR_PRINT_BYTES(tag) ((tag) >> 8 & 0xff)
#define TSR_PRINT_COUNT(tag) ((tag) >> 16)

#endif
