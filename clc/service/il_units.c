/* SPDX-License-Identifier: Apache-2.0
 * Matrix functions that the matrix units of a GPU lack: another sub-group size, another type, or there are no units. A driver would not
 * know the function, or make a loop of its own of it that nobody has compared with anything. */
#include "clc/service/service.h"

#include <stdlib.h>
#include <string.h>

#include "clc/common/names.h"
#include "tessera/matrix.h"

static uint64_t bit_of(enum tsr_element element)
{
    switch (element) {
    case TSR_ELEMENT_S4:
    case TSR_ELEMENT_U4:
        return TSR_IL_INT4;
    case TSR_ELEMENT_BF16:
        return TSR_IL_BF16;
    case TSR_ELEMENT_F16:
        return TSR_IL_FP16;
    case TSR_ELEMENT_TF32:
        return TSR_IL_TF32;
    default:
        return TSR_IL_INT8;
    }
}

/* Why units with these bits of enum tsr_il_units cannot compute it; NULL: they can. */
static const char *lack_of(const struct tsr_matrix_builtin *f, uint64_t has)
{
    uint64_t elements = bit_of(f->ea) | bit_of(f->eb);
    if (!(has & TSR_IL_SIZES))
        return "the device has no matrix units";
    if (!(has & f->n))
        return "the device's matrix units are for another sub-group size";
    if (f->form == TSR_MATRIX_SPLIT && !(has & TSR_IL_PAIRS))
        return "the device's matrix units do not work in pairs";
    return (has & elements) != elements ? "the device's matrix units lack its types" : NULL;
}

/* The same for any function; *replaceable: it has a body of ours. */
static const char *lack_of_function(const char *mangled, uint64_t has, bool *replaceable)
{
    static const char block2d[] = "intel_sub_group_2d_block_", any[] = TSR_CLC_SPIRV_MATRIX;
    const struct tsr_matrix_builtin *f = tsr_matrix_find(mangled);
    *replaceable = f && f->form != TSR_MATRIX_SPLIT;
    if (f)
        return lack_of(f, has);
    size_t length;
    const char *name = tsr__mangled_name(mangled, &length);
    if (name && !strncmp(name, block2d, sizeof block2d - 1))
        return has & 16 ? NULL : "the device has no 2D blocks";
    unsigned size = strncmp(mangled, any, sizeof any - 1) ? 0 : (unsigned)atoi(mangled + sizeof any - 1);
    return size && !(has & TSR_IL_SIZES & size) ? "the device has no matrix units for this sub-group size" : NULL;
}

/* _Z36intel_sub_… becomes _Z47tessera_il_intel_sub_… */
static void rename_to_body(LLVMValueRef function, const char *mangled)
{
    size_t length;
    const char *name = tsr__mangled_name(mangled, &length);
    char *body = tsr_format("_Z%zu" TSR__IL_BODY "%s", length + sizeof TSR__IL_BODY - 1, name);
    if (!body)
        tsr__out_of_memory();
    LLVMSetValueName2(function, body, strlen(body));
    tsr_free(body);
}

bool tsr__il_check_units(LLVMModuleRef module, const struct tsr_target *target, bool replaces, struct tsr_buf *explain, struct tsr_buf *log)
{
    bool good = true;
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        size_t length;
        bool replaceable = false;
        const char *mangled = LLVMGetValueName2(f, &length);
        const char *lack = !LLVMIsDeclaration(f) || !LLVMGetFirstUse(f) ? NULL : lack_of_function(mangled, target->features, &replaceable);
        if (!lack)
            continue;
        char *name = tsr__source_name(f);
        bool works = replaceable && replaces;
        struct tsr_buf *to = works ? explain : log;
        if (to)
            tsr_buf_printf(to, "%s: %s %s: %s\n", works ? "note" : "error", name ? name : mangled,
                           works ? "is Tessera's" : "cannot be used", lack);
        free(name);
        if (works)
            rename_to_body(f, mangled);
        good &= works;
    }
    return good;
}
