/* SPDX-License-Identifier: Apache-2.0
 * Functions of matrices and 2D blocks that a GPU lacks: another sub-group size, another type, or there are no units. A driver would not
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

static const char all_lack[] = "not all drivers know it";

/* What has bodies of ours besides matrix functions: names that begin so, and what the bits of enum tsr_il_units have to be for the
 * driver's. */
static const struct {
    const char *prefix;
    uint64_t needs; /* 0: no device has it for sure */
    const char *lack;
} others[] = {
    {"intel_sub_group_2d_block_", 16, "the device has no 2D blocks"},
    {"intel_sub_group_block_prefetch_", 0, all_lack},
    {"sub_group_rotate", 0, all_lack},
    {"sub_group_clustered_rotate", 0, all_lack},
};

/* The same for any function; *replaceable: it has a body of ours. */
static const char *lack_of_function(const char *mangled, uint64_t has, bool *replaceable)
{
    const struct tsr_matrix_builtin *f = tsr_matrix_find(mangled);
    *replaceable = !f || f->form != TSR_MATRIX_SPLIT;
    if (f)
        return lack_of(f, has);
    size_t length;
    const char *name = tsr__mangled_name(mangled, &length);
    for (size_t i = 0; name && i < TSR_ARRAY_LEN(others); i++)
        if (!strncmp(name, others[i].prefix, strlen(others[i].prefix)))
            return has & others[i].needs ? NULL : others[i].lack;
    return NULL;
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

bool tsr__il_check_units(LLVMModuleRef module, const struct tsr_target *target, const struct tsr__il_report *report, bool *replaced,
                         struct tsr_buf *log)
{
    bool good = true;
    *replaced = false;
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        size_t length;
        bool replaceable = false;
        const char *mangled = LLVMGetValueName2(f, &length);
        const char *lack = !LLVMIsDeclaration(f) || !LLVMGetFirstUse(f) ? NULL : lack_of_function(mangled, target->features, &replaceable);
        if (lack && replaceable) {
            tsr__il_note(report, f, lack);
            rename_to_body(f, mangled);
            *replaced = true;
        } else if (lack) {
            char *name = tsr__source_name(f);
            tsr_buf_printf(log, "error: %s cannot be used: %s\n", name ? name : mangled, lack);
            free(name);
            good = false;
        }
    }
    return good;
}
