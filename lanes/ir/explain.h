/* SPDX-License-Identifier: Apache-2.0
 * Notes for TESSERA_EXPLAIN. Each pass adds a note where it decides something. Nothing happens unless l->explain is set. */
#ifndef TESSERA_LANES_IR_EXPLAIN_H
#define TESSERA_LANES_IR_EXPLAIN_H

#include "lanes/ir/ir.h"

/* A note about an instruction, or about the kernel whose function `at` is: the topic and the verdict on it are one word each, or few. The
 * functions below are for those who have more to find out. */
void tsr__explain(struct tsr__compilation *l, LLVMValueRef at, const char *topic, const char *verdict, const char *format, ...)
    TSR_PRINTF_LIKE(5, 6);

/* An instruction that runs for one lane after the other. */
void tsr__explain_serialised(struct tsr__compilation *l, LLVMValueRef inst);
/* How packets wait for each other. `item`: the work-item function. */
void tsr__explain_barriers(struct tsr__compilation *l, const struct tsr_kernel_info *kernel, LLVMValueRef item);
/* Notes all private arrays, before passes turn some into registers: arrays of which no later note speaks have become registers. */
void tsr__explain_arrays(struct tsr__compilation *l);
/* Notes a private array that remains in memory. */
void tsr__explain_array(struct tsr__compilation *l, LLVMValueRef array, bool lane_order);
/* Sizes of the machine code. */
void tsr__explain_code(struct tsr__compilation *l);

/* Sets l->explain if the options ask for it, before the first pass. */
void tsr__explain_begin(struct tsr__compilation *l);
/* The number of notes; and forgets all notes but the first `count`. */
size_t tsr__explain_count(const struct tsr__compilation *l);
void tsr__explain_forget(struct tsr__compilation *l, size_t count);
/* Forgets the kernel's notes with this topic and verdict, before a pass that made them runs again. */
void tsr__explain_drop(struct tsr__compilation *l, LLVMValueRef kernel, const char *topic, const char *verdict);
/* After the last pass. */
void tsr__explain_print(struct tsr__compilation *l);

/* A type in the words of OpenCL C. */
const char *tsr__type_text(struct tsr__compilation *l, LLVMTypeRef type);

#endif
