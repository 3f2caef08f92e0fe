/* SPDX-License-Identifier: Apache-2.0
 * Identity of the compiler: changes with every source file that generated code depends on. */
#ifndef TESSERA_CLC_COMMON_BUILD_ID_H
#define TESSERA_CLC_COMMON_BUILD_ID_H

/* Part of every image and of every cache key. Host and compiler process of one build have the same. */
extern const unsigned char tsr_clc_build_id[16];

#endif
