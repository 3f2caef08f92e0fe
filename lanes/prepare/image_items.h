/* SPDX-License-Identifier: Apache-2.0
 * Functions on images of a packet.
 *
 * A read or write of an image (builtins/image.cl) is a lot of code, so it is no part of the kernel's packet functions: each gets a packet
 * function of its own, which all kernels share, for each constant sampler another one. The function
 *
 *     void <call>.<sampler>.item(image, sampler, arguments, results)
 *
 * does it for a work-item, whose lane says where in the arrays `arguments` and `results` its numbers are: number i of lane k is word
 * i * TSR_MAX_LANES + k. From that the vectoriser makes <call>.<sampler>.item.<width>. */
#ifndef TESSERA_LANES_PREPARE_IMAGE_ITEMS_H
#define TESSERA_LANES_PREPARE_IMAGE_ITEMS_H

#include "lanes/ir/ir.h"

/* Marks such a function. */
#define TSR__IMAGE_ITEM "tsr-image-item"
/* … that is known to read one pixel. */
#define TSR__IMAGE_NEAREST "tsr-image-nearest"

enum { TSR__IMAGE_WORD = 4, TSR__IMAGE_RESULTS = 4 }; /* bytes of a number; results of a read */

/* The function for a work-item that stands for a call of an image function; NULL: there is none. */
LLVMValueRef tsr__image_item(struct tsr__compilation *l, LLVMValueRef call);
/* Its packet function for so many lanes; NULL: there is none. */
LLVMValueRef tsr__image_packet(struct tsr__compilation *l, LLVMValueRef item, unsigned width);
/* Makes the functions for work-items that the calls in the module need. `body_of`: the image function itself, of which the module calls a
 * declaration. */
bool tsr__make_image_items(struct tsr__compilation *l, LLVMValueRef (*body_of)(struct tsr__compilation *l, LLVMValueRef function));

#endif
