/* SPDX-License-Identifier: Apache-2.0
 * Non-temporal stores, for launches that write more than the caches hold. The widener marks the candidates with LLVM's
 * `nontemporal` metadata and the number of the kernel's argument. The pass `nontemporal` makes each marked store twice, and the launch
 * chooses one by a flag. */
#ifndef TESSERA_LANES_AFTER_NONTEMPORAL_H
#define TESSERA_LANES_AFTER_NONTEMPORAL_H

#include "lanes/ir/ir.h"

/* Of a store: smaller ones leave lines half full for long. */
enum { TSR__NONTEMPORAL_MIN_BYTES = 32 };

/* Marks a store through this argument of the kernel: the launch may choose that it goes past the caches. */
void tsr__mark_nontemporal(struct tsr__compilation *l, LLVMValueRef store, int argument);
/* The number of the argument if the store is marked, or -1. */
int tsr__nontemporal_argument(struct tsr__compilation *l, LLVMValueRef store);
/* At a builder, in a function that has the work-item: does the launch store this argument past the caches? */
LLVMValueRef tsr__nontemporal_flag(struct tsr__compilation *l, LLVMBuilderRef b, LLVMValueRef item, int argument);
/* The same store, but past the caches: `align` is that of its address, which the CPU insists on. */
void tsr__nontemporal_store(struct tsr__compilation *l, LLVMBuilderRef b, LLVMValueRef value, LLVMValueRef to, unsigned align);

#endif
