/* SPDX-License-Identifier: Apache-2.0
 * Calls of outlined functions: one call of their packet function (lanes/prepare/outlined.h), with the lanes' numbers in memory. */
#include "lanes/widen/widen_outlined.h"

#include "lanes/ir/layout.h"
#include "lanes/prepare/outlined.h"

static LLVMValueRef row(struct tsr__widener *s, LLVMValueRef array, unsigned i)
{
    return tsr__at_offset(s->l, s->b, array, (uint64_t)i * TSR__OUTLINED_ROW);
}

static LLVMValueRef array_of_rows(struct tsr__widener *s, unsigned rows)
{
    LLVMTypeRef byte = LLVMInt8TypeInContext(s->l->context);
    LLVMValueRef array = tsr__stack_slot(s, LLVMArrayType2(byte, (uint64_t)rows * TSR__OUTLINED_ROW), "outlined");
    LLVMSetAlignment(array, TSR_CACHE_LINE);
    return array;
}

static void store_row(struct tsr__widener *s, LLVMValueRef vector, LLVMValueRef array, unsigned i)
{
    LLVMValueRef store = LLVMBuildStore(s->b, vector, row(s, array, i));
    LLVMSetAlignment(store, TSR_CACHE_LINE);
}

/* What all lanes have alike is an argument itself. */
static bool has_uniform_parameters(struct tsr__widener *s, LLVMValueRef inst, const struct tsr__outlined *o)
{
    bool uniform = true;
    for (unsigned i = 0; i < o->first; i++)
        uniform = uniform && tsr__is_uniform(tsr__shape_here(s, LLVMGetOperand(inst, i)));
    return uniform;
}

bool tsr__widen_outlined(struct tsr__widener *s, LLVMValueRef inst)
{
    enum { MOST_PARAMETERS = 4 };
    struct tsr__compilation *l = s->l;
    struct tsr__outlined o;
    LLVMValueRef item = tsr__is_outlined(inst, &o) ? tsr__outlined_item(l, inst) : NULL,
                 packet = item ? tsr__outlined_packet(l, item, s->width) : NULL;
    if (!packet || !has_uniform_parameters(s, inst, &o))
        return false;
    LLVMValueRef arguments = array_of_rows(s, o.arguments), results = o.results ? array_of_rows(s, o.results) : arguments;
    for (unsigned i = o.first; i < LLVMGetNumArgOperands(inst); i++)
        store_row(s, tsr__component_of(s, LLVMGetOperand(inst, i), 0), arguments, i - o.first);
    if (o.asks) {
        LLVMTypeRef words = tsr__vector_of(s, LLVMInt32TypeInContext(l->context));
        store_row(s, LLVMBuildZExt(s->b, tsr__mask_or_all(s, s->mask), words, ""), arguments, o.arguments - 1);
    }
    LLVMValueRef args[MOST_PARAMETERS];
    for (unsigned i = 0; i < o.first; i++)
        args[i] = tsr__scalar_of(s, LLVMGetOperand(inst, i));
    args[o.first] = arguments;
    args[o.first + 1] = results;
    tsr__call(l, s->b, packet, args, o.first + 2);
    for (unsigned i = 0; i < o.results; i++) {
        LLVMTypeRef type = tsr__vector_of(s, tsr__component_type(LLVMTypeOf(inst), (int)i));
        LLVMValueRef load = LLVMBuildLoad2(s->b, type, row(s, results, i), "");
        LLVMSetAlignment(load, TSR_CACHE_LINE);
        tsr__set_component(s, inst, (int)i, load);
    }
    return true;
}
