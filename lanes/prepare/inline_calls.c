/* SPDX-License-Identifier: Apache-2.0
 * Inlines all calls of kernels that run in packets, except those for which a packet has an operation (collectives, matrix functions, dot
 * products, MADW, pieces of math functions) or a function (lanes/prepare/outlined.h). */
#include "lanes/analysis/shape.h"
#include "lanes/ir/calls.h"
#include "lanes/ir/costs.h"
#include "lanes/ir/explain.h"
#include "lanes/ir/inline_order.h"
#include "lanes/ir/match.h"
#include "lanes/prepare/outlined.h"
#include "tessera/matrix.h"

#include <string.h>

/* What the body of a collective is called while a declaration stands in its place. */
#define BODY ".__tsr_body"

/* A collective's body is how a work-item would do it; a packet has instructions for the call. Of outlined functions a packet has
 * functions of its own. */
static LLVMValueRef keep_call(struct tsr__compilation *l, LLVMValueRef function, bool meets)
{
    static const char *const promises[] = {"nounwind", "willreturn", "convergent"};
    const char *name = tsr_arena_format(&l->scratch, "%s", tsr__name(function));
    const char *aside = tsr_arena_format(&l->scratch, "%s" BODY, name);
    LLVMSetValueName2(function, aside, strlen(aside));
    LLVMValueRef made = LLVMAddFunction(l->module, name, LLVMGlobalGetValueType(function));
    for (size_t i = 0; i < TSR_ARRAY_LEN(promises) - !meets; i++)
        tsr__add_fn_attr(l, made, promises[i]);
    LLVMAttributeIndex at = (LLVMAttributeIndex)LLVMAttributeFunctionIndex;
    LLVMAttributeRef memory = LLVMGetEnumAttributeAtIndex(function, at, tsr__attr_kind("memory"));
    if (memory && !meets)
        LLVMAddAttributeAtIndex(made, at, memory);
    LLVMReplaceAllUsesWith(function, made);
    LLVMSetLinkage(function, LLVMExternalLinkage); /* so that it stays */
    return made;
}

static void outline(struct tsr__compilation *l, LLVMValueRef function)
{
    LLVMValueRef made = keep_call(l, function, false);
    tsr__mark_outlined(l, made);
    if (tsr__is_cold(function))
        tsr__add_fn_attr(l, made, "cold");
}

/* Those that are called so often that their code would be long, by themselves or all together, are outlined, the others inlined. */
static bool outline_repeated(struct tsr__compilation *l)
{
    size_t count, size, total = 0, candidates = 0;
    LLVMValueRef *functions = tsr__defined_functions(l, &count);
    for (size_t i = 0; i < count; i++) {
        if (!tsr__may_outline(functions[i]))
            continue;
        tsr__instructions(l, functions[i], &size);
        total += tsr__use_count(functions[i]) * size;
        functions[candidates++] = functions[i];
    }
    for (size_t i = 0; i < candidates; i++) {
        tsr__instructions(l, functions[i], &size);
        const size_t calls = tsr__use_count(functions[i]);
        if (calls > 1 && (total > TSR__OUTLINED_ALL || calls * size > TSR__OUTLINED_CALLS)) {
            outline(l, functions[i]);
        } else {
            tsr__drop_fn_attr(functions[i], "noinline");
            tsr__add_fn_attr(l, functions[i], "alwaysinline");
        }
    }
    return !candidates || tsr__inline_marked(l, "always-inline,globaldce");
}

/* Matrix functions and dot products stay calls where the packet has an operation for them. (A loop with calls that might be inlined is not
 * unrolled.) */
static void inline_all(struct tsr__compilation *l)
{
    size_t count;
    struct tsr__map inlined = tsr__inlined_functions(l);
    const bool packets = !tsr__all_run_as_reference(l);
    LLVMValueRef *functions = tsr__defined_functions(l, &count);
    for (size_t i = 0; i < count; i++) {
        if (tsr__is_collective(tsr__call_of_function(functions[i]))) {
            keep_call(l, functions[i], true);
            continue;
        }
        if (tsr__is_image(functions[i])) {
            keep_call(l, functions[i], false);
            continue;
        }
        if (tsr__is_cold(functions[i])) {
            outline(l, functions[i]);
            continue;
        }
        if (tsr_matrix_find(tsr__name(functions[i])) || tsr__is_dot(l, functions[i]) || tsr__is_madw(functions[i]) ||
            tsr__keep_math_op(l, functions[i]) || (packets && tsr__may_outline(functions[i]))) {
            tsr__add_fn_attr(l, functions[i], "noinline");
            continue;
        }
        tsr__drop_fn_attr(functions[i], "noinline");
        tsr__drop_fn_attr(functions[i], "optnone");
        if (!tsr__is_kernel(functions[i]) && tsr__map_get(&inlined, functions[i]))
            tsr__add_fn_attr(l, functions[i], "alwaysinline");
    }
}

static LLVMValueRef kept_body(struct tsr__compilation *l, LLVMValueRef function)
{
    return LLVMGetNamedFunction(l->module, tsr_arena_format(&l->scratch, "%s" BODY, tsr__name(function)));
}

/* What the optimiser cannot know of the primitives: no device has work-groups of TSR_WORK_GROUP_BOUND work-items. */
static void promise_ranges(struct tsr__compilation *l)
{
    for (int call = TSR__CALL_NONE + 1; call < TSR__CALL_COUNT; call++) {
        LLVMValueRef f = tsr__call_info(call)->small ? tsr__find_call(l, call) : NULL;
        if (!f)
            continue;
        unsigned bits = LLVMGetIntTypeWidth(LLVMGetReturnType(LLVMGlobalGetValueType(f)));
        uint64_t from = 0, to = TSR_WORK_GROUP_BOUND;
        LLVMAddAttributeAtIndex(f, LLVMAttributeReturnIndex,
                                LLVMCreateConstantRangeAttribute(l->context, tsr__attr_kind("range"), bits, &from, &to));
    }
}

/* Kernels that do not run as packets need the bodies. */
bool tsr__pass_restore_bodies(struct tsr__compilation *l)
{
    size_t count;
    LLVMValueRef *functions = tsr__defined_functions(l, &count);
    for (size_t i = 0; i < count; i++) {
        const char *name = tsr_arena_format(&l->scratch, "%s", tsr__name(functions[i])), *dot = strrchr(name, '.');
        if (tsr__math_op(functions[i])) { /* calls that are left are of one work-item */
            tsr__drop_fn_attr(functions[i], "noinline");
            tsr__add_fn_attr(l, functions[i], "alwaysinline");
        }
        if (!dot || strcmp(dot, BODY) != 0)
            continue;
        char *plain = tsr_arena_format(&l->scratch, "%.*s", (int)(dot - name), name);
        LLVMValueRef declared = LLVMGetNamedFunction(l->module, plain);
        if (declared) {
            LLVMReplaceAllUsesWith(declared, functions[i]);
            LLVMDeleteFunction(declared);
        }
        LLVMSetValueName2(functions[i], plain, strlen(plain));
        LLVMSetLinkage(functions[i], LLVMInternalLinkage);
    }
    return true;
}

bool tsr__pass_inline_calls(struct tsr__compilation *l)
{
    inline_all(l);
    for (uint32_t i = 0; l->variants && i < l->info->kernel_count; i++)
        if (l->variants[i] == TSR__VARIANT_REFERENCE)
            tsr__explain(l, tsr__kernel(l, &l->info->kernels[i]), "engine", "reference",
                         "a work-item at a time: packets would be too much code");
    if (tsr__all_run_as_reference(l)) /* their calls stay, as in the reference engine */
        return true;
    promise_ranges(l);
    if (!tsr__inline_marked(l, "always-inline,globaldce") || !outline_repeated(l) || !tsr__make_outlined_items(l, kept_body))
        return false;
    tsr__explain_arrays(l);
    return true;
}
