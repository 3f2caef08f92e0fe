/* SPDX-License-Identifier: Apache-2.0
 * The pass widen_outlined: packet functions of the outlined functions that a kernel calls (lanes/prepare/outlined.h). */
#include <string.h>

#include "lanes/ir/explain.h"
#include "lanes/prepare/outlined.h"
#include "lanes/prepare/packet_kernel.h"
#include "lanes/widen/widener.h"

static bool widen_items(struct tsr__compilation *l, LLVMValueRef function, unsigned width);

static bool widen_item(struct tsr__compilation *l, LLVMValueRef item, unsigned width)
{
    if (tsr__outlined_packet(l, item, width))
        return true;
    if (!widen_items(l, item, width)) /* an outlined function may call others, but not itself */
        return false;
    const char *name = tsr_arena_format(&l->scratch, "%s.%u", tsr__name(item), width);
    LLVMValueRef packet = LLVMAddFunction(l->module, name, LLVMGlobalGetValueType(item));
    tsr__copy_attributes(l, item, packet, LLVMCountParams(item));
    tsr__drop_fn_text(packet, TSR__OUTLINED_ITEM);
    LLVMSetLinkage(packet, LLVMInternalLinkage);
    tsr__add_fn_attr(l, packet, "noinline");
    tsr__add_fn_attr(l, packet, "nounwind");
    struct tsr__explain *explain = l->explain;
    l->explain = NULL; /* the code is not the program's */
    bool good = tsr__widen_function(l, item, packet, (struct tsr__packet){.width = width, .sub_group = width, .whole_rows = true}, false);
    l->explain = explain;
    return good || tsr__fail(l, "%s: irreducible control flow", name);
}

static bool widen_items(struct tsr__compilation *l, LLVMValueRef function, unsigned width)
{
    size_t count;
    LLVMValueRef *code = tsr__instructions(l, function, &count);
    for (size_t i = 0; i < count; i++) {
        struct tsr__outlined o;
        LLVMValueRef item = tsr__is_outlined(code[i], &o) ? tsr__outlined_item(l, code[i]) : NULL;
        if (item && !widen_item(l, item, width))
            return false;
    }
    return true;
}

bool tsr__pass_widen_outlined(struct tsr__compilation *l, struct tsr__packet_kernel *k)
{
    return k->packet.width == 1 || widen_items(l, k->item, k->packet.width);
}
