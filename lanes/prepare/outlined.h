/* SPDX-License-Identifier: Apache-2.0
 * Outlined functions: those of the library that stay calls in packets.
 *
 * A read or write of an image (builtins/image.cl) is a lot of code, and so are functions that hardly ever run (COLD in builtins/library.h)
 * and large functions of numbers that a module calls many times. They are no part of the kernel's packet functions: each gets a packet
 * function of its own, which all kernels share; one on images gets one for each constant sampler. The function
 *
 *     void <call>.<sampler>.item(image, sampler, arguments, results)      on images
 *     void <call>.item(arguments, results)                                of numbers
 *
 * does it for a work-item, whose lane says where in the arrays `arguments` and `results` its numbers are: number i of lane k is element k
 * of row i, and rows are TSR__OUTLINED_ROW bytes apart. From that the vectoriser makes <call>….item.<width>. */
#ifndef TESSERA_LANES_PREPARE_OUTLINED_H
#define TESSERA_LANES_PREPARE_OUTLINED_H

#include "lanes/ir/ir.h"

/* Marks such a function. */
#define TSR__OUTLINED_ITEM "tsr-outlined-item"
/* … that is known to read one pixel. */
#define TSR__IMAGE_NEAREST "tsr-image-nearest"

enum { TSR__OUTLINED_ROW = TSR_MAX_LANES * 8 };

/* Of a call of an outlined function. */
struct tsr__outlined {
    LLVMValueRef function;
    unsigned first;              /* its first argument that lies in memory; those before it are parameters of the item function */
    unsigned arguments, results; /* rows of each */
    bool asks;                   /* the last row of arguments says which lanes are there (i32): the function works for no others */
};

/* Whether it is such a call, of which *o gets the shape. */
bool tsr__is_outlined(LLVMValueRef call, struct tsr__outlined *o);
/* The function for a work-item that stands for the call; NULL: there is none. */
LLVMValueRef tsr__outlined_item(struct tsr__compilation *l, LLVMValueRef call);
/* Its packet function for `width` lanes; NULL: there is none. */
LLVMValueRef tsr__outlined_packet(struct tsr__compilation *l, LLVMValueRef item, unsigned width);
/* Makes the functions for work-items that the calls in the module need. `body_of`: the outlined function itself, of which the module calls
 * a declaration. */
bool tsr__make_outlined_items(struct tsr__compilation *l, LLVMValueRef (*body_of)(struct tsr__compilation *l, LLVMValueRef function));

#endif
