/* SPDX-License-Identifier: Apache-2.0
 * Numbers the places of the user's program where work-items meet, so that the rendezvous knows who is where.
 *
 * A site is a path of calls: two calls of one helper that has a barrier are two sites. So helpers that meet are inlined first. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tessera/item.h"

#include "lanes/ir/calls.h"
#include "lanes/ir/inline_order.h"
#include "lanes/ir/match.h"

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

struct sites {
    struct tsr__compilation *l;
    struct tsr__map meets; /* functions from which a barrier or an exchange is reached */
    LLVMValueRef marker;   /* called with a number before each call that meets */
    const char **names;    /* of the called functions, by the markers' first numbers */
    size_t name_count, name_room;
};

/* Calls the marker before the call, with the number of the called function's name. */
static void mark_call(struct sites *s, LLVMValueRef call)
{
    if (s->name_count == s->name_room) {
        s->name_room = s->name_room ? 2 * s->name_room : 64;
        const char **more = tsr_arena_alloc(&s->l->scratch, s->name_room * sizeof *more);
        if (s->name_count)
            memcpy(more, s->names, s->name_count * sizeof *more);
        s->names = more;
    }
    s->names[s->name_count] = plain_name(s->l, tsr__name(tsr__callee(call)));
    LLVMBuilderRef b = tsr__builder_before(s->l, call);
    LLVMValueRef number = tsr__i32(s->l, (uint32_t)s->name_count++);
    tsr__call(s->l, b, s->marker, &number, 1);
    LLVMDisposeBuilder(b);
}

/* Marks the user's calls of functions that meet, and makes LLVM inline the user's helpers among their callers. True: there are such. */
static bool mark_calls(struct sites *s)
{
    size_t function_count;
    LLVMValueRef *functions = tsr__defined_functions(s->l, &function_count);
    bool inlines = false;
    for (size_t k = 0; k < function_count; k++) {
        LLVMValueRef f = functions[k];
        if (!is_user(f) || !tsr__map_get(&s->meets, f))
            continue;
        if (!tsr__is_kernel(f)) {
            tsr__drop_fn_attr(f, "noinline");
            tsr__drop_fn_attr(f, "optnone");
            tsr__add_fn_attr(s->l, f, "alwaysinline");
            inlines = true;
        }
        size_t n;
        LLVMValueRef *code = tsr__instructions(s->l, f, &n);
        for (size_t i = 0; i < n; i++) {
            LLVMValueRef callee = tsr__callee(code[i]);
            if (callee && !is_user(callee) && tsr__map_get(&s->meets, callee))
                mark_call(s, code[i]);
        }
    }
    return inlines;
}

/* Numbers the markers from 1 on, and adds the table of their texts. */
static bool number_sites(struct sites *s)
{
    struct tsr_buf text = {0};
    uint32_t site = 0;
    size_t count;
    LLVMValueRef *code = tsr__all_instructions(s->l, &count);
    for (size_t i = 0; i < count; i++) {
        if (tsr__callee(code[i]) != s->marker)
            continue;
        const char *name = s->names[LLVMConstIntGetZExtValue(LLVMGetOperand(code[i], 0))];
        unsigned line = LLVMGetDebugLocLine(code[i]);
        LLVMSetOperand(code[i], 0, tsr__i32(s->l, ++site));
        if (line)
            tsr_buf_printf(&text, "%s, line %u\n", name, line);
        else
            tsr_buf_printf(&text, "%s\n", name);
    }
    bool good = !text.failed || tsr__fail(s->l, "out of memory");
    if (good && text.size)
        add_table(s->l, &text);
    tsr_buf_free(&text);
    return good;
}

bool tsr__pass_call_sites(struct tsr__compilation *l)
{
    LLVMTypeRef i32 = LLVMInt32TypeInContext(l->context);
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(l->context), &i32, 1, false);
    struct sites s = {.l = l, .meets = tsr__functions_reaching(l, is_meeting), .marker = tsr__declare_call(l, TSR__CALL_SITE, type)};
    return (!mark_calls(&s) || tsr__inline_marked(l, "always-inline")) && number_sites(&s);
}
