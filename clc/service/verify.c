/* SPDX-License-Identifier: Apache-2.0
 * Refuses what clang accepts and a program for a device must not have: recursion, code that runs at load time, too many bytes of arguments,
 * sections of its own. */
#include "clc/service/service.h"

#include <llvm-c/DebugInfo.h>
#include <llvm-c/Target.h>
#include <stdlib.h>
#include <string.h>

/* ---- recursion ---- */

enum state { NEW, ON_PATH, DONE };

struct node {
    LLVMValueRef function;
    enum state state;
    LLVMValueRef call; /* ON_PATH: on the path of calls that the search is in */
    struct node *callee;
};

struct graph {
    struct node *nodes; /* by address of the function */
    size_t count;
    struct tsr_buf *log;
    bool good;
};

static int by_function(const void *a, const void *b)
{
    uintptr_t x = (uintptr_t)((const struct node *)a)->function, y = (uintptr_t)((const struct node *)b)->function;
    return (x > y) - (x < y);
}

static struct node *find(const struct graph *graph, LLVMValueRef function)
{
    struct node key = {.function = function};
    return bsearch(&key, graph->nodes, graph->count, sizeof key, by_function);
}

/* "input.cl:3:12: error: " if the module has lines. */
static void put_place(struct tsr_buf *log, LLVMValueRef instruction)
{
    unsigned length = 0, line = LLVMGetDebugLocLine(instruction);
    const char *file = LLVMGetDebugLocFilename(instruction, &length);
    if (line && file)
        tsr_buf_printf(log, "%.*s:%u:%u: ", (int)length, file, line, LLVMGetDebugLocColumn(instruction));
    tsr_buf_printf(log, "error: ");
}

static void put_name(struct tsr_buf *log, LLVMValueRef function)
{
    char *name = tsr__source_name(function);
    tsr_buf_printf(log, "'%s'", name ? name : "?");
    free(name);
}

static void put_recursion(struct graph *graph, struct node *first, struct node *last)
{
    put_place(graph->log, last->call);
    put_name(graph->log, first->function);
    tsr_buf_printf(graph->log, " calls itself");
    for (struct node *n = first; n != last; n = n->callee) {
        tsr_buf_printf(graph->log, n == first ? " through " : ", ");
        put_name(graph->log, n->callee->function);
    }
    tsr_buf_printf(graph->log, ": OpenCL C has no recursion\n");
    graph->good = false;
}

static void walk(struct graph *graph, struct node *node)
{
    node->state = ON_PATH;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(node->function); b; b = LLVMGetNextBasicBlock(b)) {
        for (LLVMValueRef v = LLVMGetFirstInstruction(b); v; v = LLVMGetNextInstruction(v)) {
            struct node *callee = LLVMIsACallInst(v) ? find(graph, LLVMGetCalledValue(v)) : NULL;
            if (!callee || callee->state == DONE)
                continue;
            node->call = v;
            node->callee = callee;
            if (callee->state == ON_PATH)
                put_recursion(graph, callee, node);
            else
                walk(graph, callee);
        }
    }
    node->state = DONE;
}

/* Looks at the functions that kernels reach. */
static bool has_no_recursion(LLVMModuleRef module, struct tsr_buf *log)
{
    struct graph graph = {.log = log, .good = true};
    struct tsr_arena arena = {0};
    size_t count = 0;
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        count += !LLVMIsDeclaration(f);
    graph.nodes = tsr_arena_alloc(&arena, (count + 1) * sizeof *graph.nodes);
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        if (!LLVMIsDeclaration(f))
            graph.nodes[graph.count++].function = f;
    qsort(graph.nodes, graph.count, sizeof *graph.nodes, by_function);
    for (size_t i = 0; i < graph.count; i++)
        if (graph.nodes[i].state == NEW && tsr__cc_is_kernel(graph.nodes[i].function))
            walk(&graph, &graph.nodes[i]);
    tsr_arena_free(&arena);
    return graph.good;
}

/* ---- arguments ---- */

static LLVMTypeRef type_of_argument(LLVMValueRef kernel, unsigned index)
{
    static const char name[] = "byval";
    unsigned kind = LLVMGetEnumAttributeKindForName(name, sizeof name - 1);
    LLVMAttributeRef by_value = LLVMGetEnumAttributeAtIndex(kernel, index + 1, kind);
    return by_value ? LLVMGetTypeAttributeValue(by_value) : LLVMTypeOf(LLVMGetParam(kernel, index));
}

static bool arguments_fit(LLVMModuleRef module, LLVMValueRef kernel, struct tsr_buf *log)
{
    LLVMTargetDataRef layout = LLVMGetModuleDataLayout(module);
    uint64_t total = 0, largest_size = 0;
    unsigned largest = 0;
    for (unsigned i = 0; i < LLVMCountParams(kernel); i++) {
        LLVMTypeRef type = type_of_argument(kernel, i);
        uint64_t size = LLVMTypeIsSized(type) ? LLVMABISizeOfType(layout, type) : 0;
        total += size;
        if (size > largest_size) {
            largest = i;
            largest_size = size;
        }
    }
    if (total <= TSR_MAX_PARAMETER_BYTES)
        return true;
    size_t length;
    const char *name = LLVMGetValueName2(LLVMGetParam(kernel, largest), &length);
    tsr_buf_printf(log, "error: kernel ");
    put_name(log, kernel);
    tsr_buf_printf(
        log, ": its arguments take %llu bytes, and CL_DEVICE_MAX_PARAMETER_SIZE is %d; the largest is argument %u%s%s%s, %llu bytes\n",
        (unsigned long long)total, TSR_MAX_PARAMETER_BYTES, largest, length ? ", '" : "", length ? name : "", length ? "'" : "",
        (unsigned long long)largest_size);
    return false;
}

/* ---- the rest ---- */

/* __attribute__((constructor)): it would run in the application when the code is loaded. */
static bool runs_when_loaded(LLVMModuleRef module, struct tsr_buf *log)
{
    static const char *const lists[] = {"llvm.global_ctors", "llvm.global_dtors"};
    bool found = false;
    for (size_t i = 0; i < TSR_ARRAY_LEN(lists); i++) {
        if (!LLVMGetNamedGlobal(module, lists[i]))
            continue;
        tsr_buf_printf(log, "error: __attribute__((%s)): the code of a device runs in kernels alone\n", i ? "destructor" : "constructor");
        found = true;
    }
    return found;
}

/* What is in the section .init_array would run when the code is loaded; a naked function would run into its neighbour. */
static void drop_attributes(LLVMValueRef symbol, struct tsr_buf *log)
{
    static const char naked[] = "naked";
    const char *section = LLVMGetSection(symbol);
    const char *ignored = section && *section ? "section" : NULL;
    if (ignored)
        LLVMSetSection(symbol, "");
    if (LLVMIsAFunction(symbol)) {
        unsigned kind = LLVMGetEnumAttributeKindForName(naked, sizeof naked - 1);
        if (LLVMGetEnumAttributeAtIndex(symbol, LLVMAttributeFunctionIndex, kind)) {
            LLVMRemoveEnumAttributeAtIndex(symbol, LLVMAttributeFunctionIndex, kind);
            ignored = naked;
        }
    }
    /* clang gives a kernel's body a function of its own, and that the same attributes. */
    size_t length;
    if (!ignored || !strncmp(LLVMGetValueName2(symbol, &length), TSR_CLC_KERNEL_BODY, strlen(TSR_CLC_KERNEL_BODY)))
        return;
    tsr_buf_printf(log, "warning: ");
    put_name(log, symbol);
    tsr_buf_printf(log, ": attribute '%s' is ignored\n", ignored);
}

void tsr__plain_symbols(LLVMModuleRef module, struct tsr_buf *log)
{
    for (LLVMValueRef a = LLVMGetFirstGlobalAlias(module); a; a = LLVMGetNextGlobalAlias(a)) {
        LLVMReplaceAllUsesWith(a, LLVMAliasGetAliasee(a));
        LLVMSetLinkage(a, LLVMInternalLinkage); /* unused now: removed with all that is unused */
    }
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        drop_attributes(f, log);
    for (LLVMValueRef g = LLVMGetFirstGlobal(module); g; g = LLVMGetNextGlobal(g))
        if (strncmp(LLVMGetSection(g) ? LLVMGetSection(g) : "", "llvm.", 5) != 0)
            drop_attributes(g, log);
}

bool tsr__verify(LLVMModuleRef module, struct tsr_buf *log)
{
    bool good = has_no_recursion(module, log);
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        if (tsr__cc_is_kernel(f))
            good &= arguments_fit(module, f, log);
    return !runs_when_loaded(module, log) && good;
}
