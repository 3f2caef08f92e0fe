/* SPDX-License-Identifier: Apache-2.0
 * Numbers the places of the user's program where work-items meet, so that the rendezvous knows who is where.
 *
 * A site is a path of calls: two calls of one helper that has a barrier are two sites. So helpers that meet are inlined first. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tessera/item.h"

#include "lanes/ir/calls.h"

static bool is_meeting(LLVMValueRef f)
{
    enum tsr__engine_call call = tsr__call_of_function(f);
    return call == TSR__CALL_BARRIER || call == TSR__CALL_EXCHANGE;
}

static bool is_user(LLVMValueRef f)
{
    return tsr__has_text_attr(f, TSR__USER);
}

/* "_Z18work_group_barrierj" → "work_group_barrier". */
static const char *plain_name(struct tsr__compilation *l, const char *mangled)
{
    if (!tsr__starts_with(mangled, "_Z"))
        return mangled;
    char *end;
    unsigned long length = strtoul(mangled + 2, &end, 10);
    if (!length || length > strlen(end))
        return mangled;
    return tsr_arena_format(l->arena, "%.*s", (int)length, end);
}

/* One line of text per site, which a report of illegal divergence quotes. */
static void add_table(struct tsr__compilation *l, const struct tsr_buf *text)
{
    LLVMValueRef data = LLVMConstStringInContext2(l->context, (const char *)text->data, text->size, false);
    LLVMValueRef table = LLVMAddGlobal(l->module, LLVMTypeOf(data), TSR_SITES_SYMBOL);
    LLVMSetInitializer(table, data);
    LLVMSetGlobalConstant(table, true);
    LLVMSetLinkage(table, LLVMExternalLinkage);
}

bool tsr__pass_call_sites(struct tsr__compilation *l)
{
    struct tsr__map meets = tsr__functions_reaching(l, is_meeting);
    size_t function_count;
    LLVMValueRef *functions = tsr__defined_functions(l, &function_count);
    LLVMTypeRef i32 = LLVMInt32TypeInContext(l->context);
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(l->context), &i32, 1, false);
    LLVMValueRef marker = tsr__declare_call(l, TSR__CALL_SITE, type);
    const char **names = NULL; /* of the called functions, by the markers' first number */
    size_t name_count = 0, name_room = 0;
    bool inlines = false;

    for (size_t k = 0; k < function_count; k++) {
        LLVMValueRef f = functions[k];
        if (!is_user(f) || !tsr__map_get(&meets, f))
            continue;
        if (!tsr__is_kernel(f)) {
            tsr__drop_fn_attr(f, "noinline");
            tsr__drop_fn_attr(f, "optnone");
            tsr__add_fn_attr(l, f, "alwaysinline");
            inlines = true;
        }
        size_t n;
        LLVMValueRef *code = tsr__instructions(l, f, &n);
        for (size_t i = 0; i < n; i++) {
            LLVMValueRef callee = tsr__callee(code[i]);
            if (!callee || is_user(callee) || !tsr__map_get(&meets, callee))
                continue;
            if (name_count == name_room) {
                name_room = name_room ? 2 * name_room : 64;
                const char **more = tsr_arena_alloc(&l->scratch, name_room * sizeof *more);
                if (name_count)
                    memcpy(more, names, name_count * sizeof *more);
                names = more;
            }
            names[name_count] = plain_name(l, tsr__name(callee));
            LLVMBuilderRef b = tsr__builder_before(l, code[i]);
            LLVMValueRef number = tsr__i32(l, (uint32_t)name_count++);
            tsr__call(l, b, marker, &number, 1);
            LLVMDisposeBuilder(b);
        }
    }
    if (inlines && !tsr__run_llvm(l, "always-inline"))
        return false;

    struct tsr_buf text = {0};
    uint32_t site = 0;
    functions = tsr__defined_functions(l, &function_count);
    for (size_t k = 0; k < function_count; k++) {
        size_t n;
        LLVMValueRef *code = tsr__instructions(l, functions[k], &n);
        for (size_t i = 0; i < n; i++) {
            if (tsr__callee(code[i]) != marker)
                continue;
            const char *name = names[LLVMConstIntGetZExtValue(LLVMGetOperand(code[i], 0))];
            unsigned line = LLVMGetDebugLocLine(code[i]);
            LLVMSetOperand(code[i], 0, tsr__i32(l, ++site));
            if (line)
                tsr_buf_printf(&text, "%s, line %u\n", name, line);
            else
                tsr_buf_printf(&text, "%s\n", name);
        }
    }
    bool good = !text.failed || tsr__fail(l, "out of memory");
    if (good && text.size)
        add_table(l, &text);
    tsr_buf_free(&text);
    return good;
}
