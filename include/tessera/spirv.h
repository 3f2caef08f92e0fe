/* SPDX-License-Identifier: Apache-2.0
 * SPIR-V modules as the driver sees them, before the compiler reads them (clc/common/spirv.c). What they may declare: tessera/spirv.def. */
#ifndef TESSERA_SPIRV_H
#define TESSERA_SPIRV_H

#include "tessera/base.h"

enum {
    TSR_SPIRV_MAGIC = 0x07230203, /* first word of a module, in the module's byte order */
    TSR_SPIRV_HEADER = 20,        /* bytes */
};

/* The value of a specialisation constant. */
struct tsr_spirv_constant {
    uint32_t id;   /* of the decoration SpecId */
    uint32_t size; /* bytes: 1, 2, 4 or 8; a bool has 1 */
    const void *data;
};

/* Whether these bytes are a module as a whole: header, version, and instructions that end with the last word. What the instructions say is
 * the compiler's to judge. NULL: it is one; otherwise what is wrong with it, static text. Any alignment, either byte order. */
const char *tsr_spirv_check(const void *module, size_t size);
/* Bytes of the specialisation constant with this SpecId in a checked module: 1, 2, 4 or 8; 0: there is none. */
uint32_t tsr_spirv_constant_size(const void *module, size_t size, uint32_t id);

#endif
