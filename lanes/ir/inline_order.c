/* SPDX-License-Identifier: Apache-2.0
 * The order in which functions are inlined. LLVM takes them in the order of the module, each with what has been inlined into it by then. If
 * callees come first, the body at the end of a chain of calls is copied once for each function of the chain, which takes a time that grows
 * with the square of its length. So functions that are called in one place follow their caller: each of them is copied once. */
#include "lanes/ir/inline_order.h"
#include "lanes/ir/inline_order_shim.h"
#include "lanes/ir/match.h"

/* The functions of the module, by number. */
struct order {
    LLVMValueRef *functions;
    size_t count;
    bool *called_once;    /* it is marked, and another function calls it, in one place */
    size_t *first, *next; /* the first such function that this one calls, and the next that its caller calls; counted from 1 */
};

/* The function that calls `f` in one place, if it is marked; otherwise NULL. */
static LLVMValueRef only_caller(LLVMValueRef f)
{
    LLVMValueRef user = tsr__only_user(f);
    if (!user || tsr__callee(user) != f ||
        !LLVMGetEnumAttributeAtIndex(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, tsr__attr_kind("alwaysinline")))
        return NULL;
    LLVMValueRef caller = LLVMGetBasicBlockParent(LLVMGetInstructionParent(user));
    return caller != f ? caller : NULL;
}

static void find_callers(struct tsr__compilation *l, struct order *o)
{
    struct tsr__map numbers = {.arena = &l->scratch};
    for (size_t i = 0; i < o->count; i++)
        tsr__map_set(&numbers, o->functions[i], i + 1);
    for (size_t i = o->count; i-- > 0;) {
        LLVMValueRef caller = only_caller(o->functions[i]);
        if (!caller)
            continue;
        size_t number = tsr__map_number(&numbers, caller);
        o->called_once[i] = true;
        o->next[i] = o->first[number];
        o->first[number] = i + 1;
    }
}

/* Moves the functions that will be inlined into `function`, directly or through others, in front of it, each behind its caller. `work` has
 * room for all functions. */
static void move_callees(const struct order *o, size_t function, size_t *work)
{
    size_t count = 0, at = function;
    for (;;) {
        for (size_t i = o->first[at]; i; i = o->next[i - 1])
            work[count++] = i - 1;
        if (!count)
            break;
        at = work[--count];
        tsr__move_before(o->functions[at], o->functions[function]);
    }
}

bool tsr__inline_marked(struct tsr__compilation *l, const char *pipeline)
{
    struct order o = {0};
    o.functions = tsr__defined_functions(l, &o.count);
    o.called_once = tsr_arena_alloc(&l->scratch, (o.count + 1) * sizeof *o.called_once);
    o.first = tsr_arena_alloc(&l->scratch, (o.count + 1) * sizeof *o.first);
    o.next = tsr_arena_alloc(&l->scratch, (o.count + 1) * sizeof *o.next);
    size_t *work = tsr_arena_alloc(&l->scratch, (o.count + 1) * sizeof *work);
    find_callers(l, &o);
    for (size_t i = 0; i < o.count; i++)
        if (!o.called_once[i])
            move_callees(&o, i, work);
    return tsr__run_llvm(l, pipeline);
}
