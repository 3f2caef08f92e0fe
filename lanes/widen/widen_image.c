/* SPDX-License-Identifier: Apache-2.0
 * Calls of functions on images: one call of their packet function (lanes/prepare/image_items.h), with the lanes' numbers in memory. */
#include "lanes/widen/widen_image.h"

#include "lanes/ir/layout.h"
#include "lanes/prepare/image_items.h"

/* The numbers are the i-th of an array of all lanes. */
static LLVMValueRef row(struct tsr__widener *s, LLVMValueRef array, unsigned i)
{
    return tsr__at_offset(s->l, s->b, array, (uint64_t)i * TSR_MAX_LANES * TSR__IMAGE_WORD);
}

static LLVMValueRef array_of_rows(struct tsr__widener *s, unsigned rows)
{
    LLVMTypeRef word = LLVMInt32TypeInContext(s->l->context);
    LLVMValueRef array = tsr__stack_slot(s, LLVMArrayType2(word, (uint64_t)rows * TSR_MAX_LANES), "image");
    LLVMSetAlignment(array, TSR_CACHE_LINE);
    return array;
}

static void store_row(struct tsr__widener *s, LLVMValueRef vector, LLVMValueRef array, unsigned i)
{
    LLVMValueRef store = LLVMBuildStore(s->b, vector, row(s, array, i));
    LLVMSetAlignment(store, TSR_CACHE_LINE);
}

bool tsr__widen_image(struct tsr__widener *s, LLVMValueRef inst)
{
    struct tsr__compilation *l = s->l;
    unsigned count = LLVMGetNumArgOperands(inst);
    LLVMValueRef item = tsr__image_item(l, inst), packet = item ? tsr__image_packet(l, item, s->width) : NULL;
    if (!packet || !tsr__is_uniform(tsr__shape_here(s, LLVMGetOperand(inst, 0))) ||
        !tsr__is_uniform(tsr__shape_here(s, LLVMGetOperand(inst, 1))))
        return false;
    bool writes = LLVMGetTypeKind(LLVMTypeOf(inst)) == LLVMVoidTypeKind;
    LLVMTypeRef words = tsr__vector_of(s, LLVMInt32TypeInContext(l->context));
    LLVMValueRef arguments = array_of_rows(s, count - 2 + writes), results = writes ? arguments : array_of_rows(s, TSR__IMAGE_RESULTS);
    for (unsigned i = 2; i < count; i++)
        store_row(s, tsr__component_of(s, LLVMGetOperand(inst, i), 0), arguments, i - 2);
    if (writes)
        store_row(s, LLVMBuildZExt(s->b, tsr__mask_or_all(s, s->mask), words, ""), arguments, count - 2);
    LLVMValueRef args[4] = {tsr__scalar_of(s, LLVMGetOperand(inst, 0)), tsr__scalar_of(s, LLVMGetOperand(inst, 1)), arguments, results};
    tsr__call(l, s->b, packet, args, 4);
    for (int i = 0; !writes && i < TSR__IMAGE_RESULTS; i++) {
        LLVMValueRef load =
            LLVMBuildLoad2(s->b, tsr__vector_of(s, tsr__component_type(LLVMTypeOf(inst), i)), row(s, results, (unsigned)i), "");
        LLVMSetAlignment(load, TSR_CACHE_LINE);
        tsr__set_component(s, inst, i, load);
    }
    return true;
}
