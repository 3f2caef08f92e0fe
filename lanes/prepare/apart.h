/* SPDX-License-Identifier: Apache-2.0
 * Which accesses of a kernel cannot access the same memory. */
#ifndef TESSERA_LANES_PREPARE_APART_H
#define TESSERA_LANES_PREPARE_APART_H

#include "lanes/ir/calls.h"
#include "lanes/prepare/packet_kernel.h"

/* Pointers of different arguments may be taken to be apart if the launch says that one of the two is alone in its memory. */
struct tsr__apart {
    struct tsr__compilation *l;
    const struct tsr__packet_kernel *k;
    bool may_ask;       /* such a question of the launch is allowed */
    bool in_all_rounds; /* compares accesses of any two rounds; else of the same round of all loops */
    uint32_t assumed;   /* the arguments that have to be alone for the answers so far to hold, a bit for each */
};

/* Have two loads or stores no byte in common? Do they access the same number, in the same round of all loops? */
bool tsr__are_apart(struct tsr__apart *a, LLVMValueRef x, LLVMValueRef y);
bool tsr__are_same(struct tsr__apart *a, LLVMValueRef x, LLVMValueRef y);
/* A condition: are all of these arguments, a bit for each, alone in their memory (`what`: TSR__CALL_ALONE), or is their memory small
 * (TSR__CALL_SMALL_MEMORY)? Notes in the kernel's info that its launches have to answer it. */
LLVMValueRef tsr__ask_launch(struct tsr__compilation *l, const struct tsr__packet_kernel *k, LLVMBuilderRef b, enum tsr__engine_call what,
                             uint32_t arguments);

#endif
