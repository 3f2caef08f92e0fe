/* SPDX-License-Identifier: Apache-2.0
 * The engine's passes on small modules: what each must leave behind, and that LLVM's verifier takes it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <llvm-c/Analysis.h>
#include <llvm-c/DebugInfo.h>
#include <llvm-c/IRReader.h>

#include "tessera/item.h"
#include "tessera/printf.h"

#include "ahead.h"
#include "fission.h"

#define HEADER                                                                                                                             \
    "target datalayout = \"e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1\"\n"                      \
    "target triple = \"spir64-unknown-unknown\"\n"

/* The part of the built-in library that the modules below use. */
#define LIBRARY                                                                                                                            \
    "declare void @__tsr_barrier(i32, i32) convergent\n"                                                                                   \
    "declare i64 @__tsr_local_id(i32) memory(none)\n"                                                                                      \
    "define spir_func void @_Z7barrierj(i32 %f) { call void @__tsr_barrier(i32 2, i32 %f)\n ret void }\n"                                  \
    "define spir_func i64 @_Z12get_local_idj(i32 %d) memory(none) { %r = call i64 @__tsr_local_id(i32 %d)\n ret i64 %r }\n"

struct world {
    struct tsr__lanes l;
    struct tsr_lanes_options options;
    struct tsr_arena arena;
    struct tsr_program_info info;
    struct tsr_buf object;
    LLVMContextRef context;
};

/* Functions whose names begin with _Z are the library's, all others the user's. */
static void setup(struct world *w, const char *text)
{
    memset(w, 0, sizeof *w);
    w->context = LLVMContextCreate();
    LLVMModuleRef module;
    char *message = NULL;
    LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(text, strlen(text), "test");
    if (LLVMParseIRInContext(w->context, buffer, &module, &message))
        fail_msg("%s", message);
    w->options = (struct tsr_lanes_options){.cpu_features = 0, .default_sub_group_size = 16, .opt_level = 2};
    w->info.kernels = tsr_arena_alloc(&w->arena, 8 * sizeof *w->info.kernels);
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        if (LLVMIsDeclaration(f))
            continue;
        if (!tsr__starts_with(tsr__name(f), "_Z")) {
            LLVMAttributeRef mark = LLVMCreateStringAttribute(w->context, TSR__USER, strlen(TSR__USER), "", 0);
            LLVMAddAttributeAtIndex(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, mark);
        }
        if (!tsr__is_kernel(f))
            continue;
        struct tsr_kernel_info *k = &w->info.kernels[w->info.kernel_count++];
        k->name = tsr_arena_format(&w->arena, "%s", tsr__name(f));
        k->arg_count = LLVMCountParams(f);
        k->args = tsr_arena_alloc(&w->arena, k->arg_count * sizeof *k->args);
    }
    w->l = (struct tsr__lanes){.module = module,
                               .context = w->context,
                               .options = &w->options,
                               .arena = &w->arena,
                               .info = &w->info,
                               .object = &w->object,
                               .verify = true};
}

static void teardown(struct world *w)
{
    if (w->l.machine)
        LLVMDisposeTargetMachine(w->l.machine);
    LLVMDisposeModule(w->l.module);
    LLVMContextDispose(w->context);
    tsr_arena_free(&w->l.scratch);
    tsr_arena_free(&w->arena);
    tsr_buf_free(&w->object);
    tsr_free(w->l.why);
}

/* Runs passes up to and with `last`, from `first` on; NULL: from the first, to the last. */
static bool try_passes(struct world *w, const char *first, const char *last)
{
    bool on = !first;
    for (size_t i = 0; i < tsr__pass_count; i++) {
        on = on || !strcmp(tsr__passes[i].name, first);
        if (on && !tsr__run_pass(&w->l, &tsr__passes[i], (unsigned)i))
            return false;
        if (last && !strcmp(tsr__passes[i].name, last))
            break;
    }
    return true;
}

static void passes(struct world *w, const char *first, const char *last)
{
    if (!try_passes(w, first, last))
        fail_msg("%s", w->l.why);
}

static unsigned count_calls(struct world *w, const char *function, const char *callee)
{
    size_t n;
    unsigned calls = 0;
    LLVMValueRef f = LLVMGetNamedFunction(w->l.module, function);
    assert_non_null(f);
    LLVMValueRef *code = tsr__instructions(&w->l, f, &n);
    for (size_t i = 0; i < n; i++) {
        LLVMValueRef called = tsr__callee(code[i]);
        calls += called && !strcmp(tsr__name(called), callee);
    }
    return calls;
}

static bool says(LLVMValueRef value, const char *words)
{
    char *text = LLVMPrintValueToString(value);
    bool found = strstr(text, words) != NULL;
    LLVMDisposeMessage(text);
    return found;
}

static LLVMValueRef function(struct world *w, const char *name)
{
    LLVMValueRef f = LLVMGetNamedFunction(w->l.module, name);
    if (!f)
        fail_msg("no function %s", name);
    return f;
}

/* ---- one test per pass ----------------------------------------------------------------------------------------------------------- */

static void test_sites(void **state)
{
    (void)state;
    struct world w;
    setup(&w, HEADER LIBRARY "define spir_func void @helper() noinline optnone { call spir_func void @_Z7barrierj(i32 1)\n ret void }\n"
                             "define spir_kernel void @k() { call spir_func void @helper()\n call spir_func void @helper()\n"
                             "%i = call spir_func i64 @_Z12get_local_idj(i32 0)\n ret void }\n");
    passes(&w, NULL, "sites");
    /* The helper is inlined twice, each time with a site of its own; what does not meet has none. */
    assert_int_equal(count_calls(&w, "k", "__tsr_site"), 2);
    assert_int_equal(count_calls(&w, "k", "_Z7barrierj"), 2);
    assert_int_equal(count_calls(&w, "_Z7barrierj", "__tsr_site"), 0);
    assert_true(says(function(&w, "k"), "@__tsr_site(i32 1)") && says(function(&w, "k"), "@__tsr_site(i32 2)"));
    LLVMValueRef table = LLVMGetNamedGlobal(w.l.module, TSR_SITES_SYMBOL);
    assert_non_null(table);
    assert_true(says(table, "c\"barrier\\0Abarrier\\0A\\00\""));
    teardown(&w);
}

static void test_divide(void **state)
{
    (void)state;
    struct world w;
    setup(&w, HEADER "define spir_func i32 @f(i32 %a, i32 %b) { %q = sdiv i32 %a, %b\n %r = urem i32 %q, %b\n ret i32 %r }\n"
                     "define spir_func <4 x i64> @v(<4 x i64> %a, <4 x i64> %b) { %q = srem <4 x i64> %a, %b\n ret <4 x i64> %q }\n"
                     "define spir_func i32 @c(i32 %a) { %q = sdiv i32 %a, 3\n ret i32 %q }\n"
                     "define spir_func i32 @z(i32 %a) { %q = sdiv i32 %a, 0\n ret i32 %q }\n");
    passes(&w, "divide", "divide");
    assert_true(says(function(&w, "f"), "icmp eq i32") && says(function(&w, "f"), "-2147483648"));
    assert_true(says(function(&w, "v"), "select <4 x i1>") && says(function(&w, "v"), "splat (i64 -9223372036854775808)"));
    assert_false(says(function(&w, "c"), "select"));
    assert_false(says(function(&w, "z"), "sdiv i32 %a, 0"));
    teardown(&w);
}

static void test_byval(void **state)
{
    (void)state;
    struct world w;
    setup(&w, HEADER "%s = type { double, <16 x double> }\n"
                     "define spir_func void @f(ptr byval(%s) align 128 %p) { store double 1.0, ptr %p\n ret void }\n"
                     "define spir_kernel void @k(ptr byval(%s) align 128 %p) { call spir_func void @f(ptr byval(%s) align 128 %p)\n"
                     "ret void }\n");
    passes(&w, "byval", "byval");
    assert_false(says(function(&w, "f"), "byval"));
    assert_true(says(function(&w, "k"), "alloca %s, align 128") && says(function(&w, "k"), "llvm.memcpy"));
    assert_false(says(function(&w, "k"), "@f(ptr byval"));
    teardown(&w);
}

static void test_locals(void **state)
{
    (void)state;
    struct world w;
    setup(&w, HEADER
          "@a = internal addrspace(3) global [3 x i8] undef\n"
          "@b = internal addrspace(3) global <4 x float> undef, align 16\n"
          "@c = internal addrspace(3) global i32 undef\n"
          "@d = internal addrspace(3) global i64 undef, align 64\n"
          "define spir_func void @shared() { store i32 1, ptr addrspace(3) @c\n ret void }\n"
          "define spir_kernel void @k1() { store i8 1, ptr addrspace(3) getelementptr ([3 x i8], ptr addrspace(3) @a, i64 0, i64 2)\n"
          "store <4 x float> zeroinitializer, ptr addrspace(3) @b\n call void @shared()\n ret void }\n"
          "define spir_kernel void @k2() { call void @shared()\n ret void }\n"
          "define spir_kernel void @k3(i1 %x, ptr addrspace(3) %y) {\n br i1 %x, label %t, label %e\n"
          "t:\n br label %e\n"
          "e:\n %p = phi ptr addrspace(4) [ addrspacecast (ptr addrspace(3) @d to ptr addrspace(4)), %0 ], [ null, %t ]\n"
          "store i64 1, ptr addrspace(4) %p\n ret void }\n");
    passes(&w, "locals", "locals");
    assert_null(LLVMGetFirstGlobal(w.l.module));
    /* k1 and k2 share a function, so they share a layout: 3 bytes, 16 at 16, 4 at 32. */
    assert_int_equal(w.info.kernels[0].local_bytes, 36);
    assert_int_equal(w.info.kernels[1].local_bytes, 36);
    assert_int_equal(w.info.kernels[2].local_bytes, 8);
    assert_true(says(function(&w, "shared"), "i64 32"));
    assert_int_equal(count_calls(&w, "k3", "__tsr_local_base"), 1);
    teardown(&w);
}

static void test_print(void **state)
{
    (void)state;
    struct world w;
    setup(&w,
          HEADER "@f = internal addrspace(2) constant [3 x i8] c\"%d\\00\"\n"
                 "declare spir_func i32 @printf(ptr addrspace(2), ...)\n"
                 "define spir_kernel void @k(<3 x i8> %v, ptr addrspace(1) %p) {\n"
                 "%r = call spir_func i32 (ptr addrspace(2), ...) @printf(ptr addrspace(2) @f, i32 7, <3 x i8> %v, ptr addrspace(2) @f)\n"
                 "store i32 %r, ptr addrspace(1) %p\n ret void }\n");
    passes(&w, "print", "print");
    char tag[64];
    LLVMValueRef k = function(&w, "k");
    assert_int_equal(count_calls(&w, "k", "printf"), 0);
    assert_int_equal(count_calls(&w, "k", "__tsr_print"), 1);
    const uint32_t tags[] = {TSR_PRINT_TAG(TSR_PRINT_INT, 4, 1), TSR_PRINT_TAG(TSR_PRINT_INT, 1, 3), TSR_PRINT_TAG(TSR_PRINT_STRING, 8, 1)};
    for (size_t i = 0; i < TSR_ARRAY_LEN(tags); i++) {
        snprintf(tag, sizeof tag, "store i32 %u,", tags[i]);
        assert_true(says(k, tag));
    }
    assert_true(says(k, "alloca [40 x i8], align 8")); /* count, 8 + 8 + 16 */
    assert_true(says(k, "store i32 0, ptr addrspace(1) %p"));
    teardown(&w);
}

static void test_item(void **state)
{
    (void)state;
    struct world w;
    setup(&w, HEADER LIBRARY "define spir_func i64 @deep() memory(none) { %r = call spir_func i64 @_Z12get_local_idj(i32 2) memory(none)\n"
                             "ret i64 %r }\n"
                             "define spir_func i64 @plain(i64 %x) { ret i64 %x }\n"
                             "define spir_kernel void @k(ptr addrspace(1) %p) { %r = call spir_func i64 @deep()\n"
                             "%s = call spir_func i64 @plain(i64 %r)\n store i64 %s, ptr addrspace(1) %p\n ret void }\n");
    passes(&w, "item", "item");
    assert_int_equal(LLVMCountParams(function(&w, "deep")), 1);
    assert_int_equal(LLVMCountParams(function(&w, "k")), 2);
    assert_int_equal(LLVMCountParams(function(&w, "plain")), 1);
    assert_false(says(function(&w, "deep"), "__tsr_"));
    /* A load from the work-item is no longer free of memory, neither in the function nor at the call. */
    assert_null(
        LLVMGetEnumAttributeAtIndex(function(&w, "deep"), (LLVMAttributeIndex)LLVMAttributeFunctionIndex, tsr__attr_kind("memory")));
    assert_true(says(function(&w, "_Z12get_local_idj"), "!invariant.load"));
    teardown(&w);

    setup(&w, HEADER "declare void @__tsr_unheard_of()\ndefine spir_kernel void @k() { call void @__tsr_unheard_of()\n ret void }\n");
    assert_false(try_passes(&w, "item", "item"));
    assert_non_null(strstr(w.l.why, "__tsr_unheard_of"));
    teardown(&w);

    setup(&w, HEADER "define spir_kernel void @k(ptr %p) { call void %p()\n ret void }\n");
    assert_false(try_passes(&w, "item", "item"));
    assert_non_null(strstr(w.l.why, "pointer"));
    teardown(&w);
}

static void test_entry(void **state)
{
    (void)state;
    struct world w;
    setup(&w, HEADER "%s = type { i32, <4 x float> }\n"
                     "define spir_kernel void @k(i8 %a, ptr addrspace(1) align 4 %b, ptr byval(%s) align 16 %c, <3 x float> %d,\n"
                     "ptr addrspace(3) align 16 %e, <16 x double> %f, ptr addrspace(2) %g) { ret void }\n");
    passes(&w, "entry", "entry");
    static const struct tsr_arg_info expected[] = {
        {.kind = TSR_ARG_VALUE, .size = 1, .align = 1, .offset = 0, .pointee_align = 1},
        {.kind = TSR_ARG_POINTER, .size = 8, .align = 8, .offset = 8, .pointee_align = 4},
        {.kind = TSR_ARG_VALUE, .size = 32, .align = 16, .offset = 16, .pointee_align = 1},
        {.kind = TSR_ARG_VALUE, .size = 16, .align = 16, .offset = 48, .pointee_align = 1},
        {.kind = TSR_ARG_LOCAL, .size = 8, .align = 8, .offset = 64, .pointee_align = 16},
        {.kind = TSR_ARG_VALUE, .size = 128, .align = 128, .offset = 128, .pointee_align = 1},
        {.kind = TSR_ARG_POINTER, .size = 8, .align = 8, .offset = 256, .pointee_align = 1},
    };
    const struct tsr_kernel_info *k = &w.info.kernels[0];
    assert_int_equal(k->arg_count, TSR_ARRAY_LEN(expected));
    for (size_t i = 0; i < TSR_ARRAY_LEN(expected); i++) {
        assert_int_equal(k->args[i].kind, expected[i].kind);
        assert_int_equal(k->args[i].size, expected[i].size);
        assert_int_equal(k->args[i].align, expected[i].align);
        assert_int_equal(k->args[i].offset, expected[i].offset);
        assert_int_equal(k->args[i].pointee_align, expected[i].pointee_align);
    }
    assert_int_equal(k->args_size, 264);
    assert_string_equal(k->entry, "k.kernel");
    teardown(&w);

    setup(&w, HEADER "define spir_kernel void @k(target(\"spirv.Sampler\") %s) { ret void }\n");
    assert_false(try_passes(&w, "entry", "entry"));
    assert_non_null(strstr(w.l.why, "spirv.Sampler"));
    teardown(&w);
}

static void test_whole(void **state)
{
    (void)state;
    for (int level = 0; level <= 3; level++) {
        struct world w;
        setup(&w, HEADER LIBRARY
              "declare void @__tsr_unused()\n"
              "@g = addrspace(1) global [10 x i32] zeroinitializer\n"
              "define spir_func void @_Z4pairv() { call void @__tsr_barrier(i32 3, i32 0)\n ret void }\n"
              "define spir_func void @memcpy(ptr addrspace(1) %p) noinline { store volatile i32 1, ptr addrspace(1) %p\n ret void }\n"
              "define spir_kernel void @plain(ptr addrspace(1) %p) { call spir_func void @memcpy(ptr addrspace(1) %p)\n"
              "store i32 1, ptr addrspace(1) @g\n ret void }\n"
              "define spir_kernel void @meets(ptr addrspace(1) %p) { call spir_func void @_Z7barrierj(i32 1)\n ret void }\n"
              "define spir_kernel void @pairs() { call spir_func void @_Z4pairv()\n ret void }\n"
              "define spir_kernel void @dead() { br i1 false, label %a, label %b\na:\n call spir_func void @_Z7barrierj(i32 1)\n"
              "br label %b\nb:\n ret void }\n"
              "define spir_kernel void @large(i64 %i) { %a = alloca [65536 x i8]\n %p = getelementptr i8, ptr %a, i64 %i\n"
              "store volatile i8 1, ptr %p\n ret void }\n");
        w.options.opt_level = level;
        passes(&w, NULL, NULL);
        const struct tsr_kernel_info *k = w.info.kernels;
        assert_int_equal(k[0].flags, 0);
        assert_int_equal(k[1].flags, TSR_KERNEL_MEETS);
        assert_int_equal(k[2].flags, TSR_KERNEL_MEETS | TSR_KERNEL_PAIRS);
        assert_int_equal(k[3].flags, level ? 0 : TSR_KERNEL_MEETS);
        assert_in_range(k[4].private_bytes, 65536, 70000);
        assert_in_range(k[0].private_bytes, 1, 2000);
        assert_int_equal(w.info.global_bytes, 40);
        assert_int_equal(k[0].sub_group_size, 16);
        /* The user's memcpy is not libc's. */
        assert_null(LLVMGetNamedFunction(w.l.module, "memcpy"));
        assert_true(w.object.size > 64 && !memcmp(w.object.data, "\177ELF", 4));
        teardown(&w);
    }
}

/* Is there an instruction with this operation and source line? */
static bool has_line(struct world *w, const char *function_name, LLVMOpcode op, unsigned line)
{
    size_t n;
    LLVMValueRef *code = tsr__instructions(&w->l, function(w, function_name), &n);
    for (size_t i = 0; i < n; i++)
        if (LLVMGetInstructionOpcode(code[i]) == op && LLVMGetDebugLocLine(code[i]) == line)
            return true;
    return false;
}

/* With -g, packet functions have the kernel's lines, and those of what was inlined into it. */
static void test_lines(void **state)
{
    (void)state;
    static const char *const packets[] = {"k.whole", "k.partial"};
    struct world w;
    setup(&w, HEADER "declare i64 @__tsr_global_id(i32) memory(none)\n"
                     "define spir_func float @square(float %x) !dbg !6 { %y = fmul float %x, %x, !dbg !7\n ret float %y, !dbg !7 }\n"
                     "define spir_kernel void @k(ptr addrspace(1) %p) !dbg !8 { %i = call i64 @__tsr_global_id(i32 0), !dbg !9\n"
                     "%a = getelementptr float, ptr addrspace(1) %p, i64 %i, !dbg !10\n %x = load float, ptr addrspace(1) %a, !dbg !10\n"
                     "%c = fcmp ogt float %x, 2.0, !dbg !11\n br i1 %c, label %t, label %e, !dbg !11\n"
                     "t: %y = call spir_func float @square(float %x), !dbg !12\n store float %y, ptr addrspace(1) %a, !dbg !13\n"
                     "br label %e, !dbg !13\ne: ret void, !dbg !14 }\n"
                     "!llvm.dbg.cu = !{!0}\n!llvm.module.flags = !{!1, !2}\n"
                     "!0 = distinct !DICompileUnit(language: DW_LANG_OpenCL, file: !3, emissionKind: FullDebug)\n"
                     "!1 = !{i32 2, !\"Debug Info Version\", i32 3}\n!2 = !{i32 7, !\"Dwarf Version\", i32 5}\n"
                     "!3 = !DIFile(filename: \"input.cl\", directory: \"/\")\n!4 = !DISubroutineType(types: !5)\n!5 = !{}\n"
                     "!6 = distinct !DISubprogram(name: \"square\", scope: !3, file: !3, line: 1, type: !4, scopeLine: 1, spFlags: "
                     "DISPFlagDefinition, unit: !0)\n!7 = !DILocation(line: 2, column: 14, scope: !6)\n"
                     "!8 = distinct !DISubprogram(name: \"k\", scope: !3, file: !3, line: 5, type: !4, scopeLine: 5, spFlags: "
                     "DISPFlagDefinition, unit: !0)\n!9 = !DILocation(line: 6, column: 1, scope: !8)\n"
                     "!10 = !DILocation(line: 7, column: 1, scope: !8)\n!11 = !DILocation(line: 8, column: 1, scope: !8)\n"
                     "!12 = !DILocation(line: 9, column: 1, scope: !8)\n!13 = !DILocation(line: 10, column: 1, scope: !8)\n"
                     "!14 = !DILocation(line: 11, column: 1, scope: !8)\n");
    w.options.packets = w.options.debug = true;
    passes(&w, NULL, "vectorise");
    for (size_t i = 0; i < TSR_ARRAY_LEN(packets); i++) {
        assert_non_null(LLVMGetSubprogram(function(&w, packets[i])));
        assert_true(has_line(&w, packets[i], LLVMFCmp, 8));
        assert_true(has_line(&w, packets[i], LLVMFMul, 2));
        assert_true(has_line(&w, packets[i], LLVMCall, 10)); /* the masked store */
    }
    assert_true(has_line(&w, "k.whole", LLVMLoad, 7));
    passes(&w, "solitary", NULL);
    assert_non_null(memmem(w.object.data, w.object.size, ".debug_line", sizeof ".debug_line"));
    teardown(&w);
}

/* What is too much code becomes narrower packets, then work-items one by one, and the log says so. */
static void test_budget(void **state)
{
    (void)state;
    static const char text[] =
        HEADER LIBRARY "define spir_kernel void @k(ptr addrspace(1) %p) {\n"
                       "  %i = call spir_func i64 @_Z12get_local_idj(i32 0)\n  %a = getelementptr i64, ptr addrspace(1) %p, i64 %i\n"
                       "  %x = load i64, ptr addrspace(1) %a\n  %y = mul i64 %x, %x\n  store i64 %y, ptr addrspace(1) %a\n  ret void\n}\n";
    static const struct {
        uint64_t budget;
        uint32_t size;
        bool packets;
        int notes;
    } cases[] = {{0, 16, true, 0}, {1000000, 16, true, 0}, {800, 8, true, 1}, {60, 16, false, 2}};
    for (size_t i = 0; i < TSR_ARRAY_LEN(cases); i++) {
        struct world w;
        struct tsr_buf log = {0};
        char *why = NULL;
        setup(&w, text);
        w.options.packets = true;
        w.options.code_budget = cases[i].budget;
        w.options.log = &log;
        assert_true(tsr_lanes_run(w.l.module, &w.options, &w.arena, &w.info, &w.object, &why));
        tsr_buf_bytes(&log, "", 1);
        const char *said = (const char *)log.data;
        assert_int_equal(w.info.kernels[0].sub_group_size, cases[i].size);
        assert_int_equal(!!(w.info.kernels[0].flags & TSR_KERNEL_PACKETS), cases[i].packets);
        assert_int_equal(strstr(said, "note: kernel k: packets of 16 would be too much code") != NULL, cases[i].notes > 0);
        assert_int_equal(strstr(said, "note: kernel k: packets of 8 would be too much code") != NULL, cases[i].notes > 1);
        assert_true(w.object.size > 0);
        tsr_buf_free(&log);
        teardown(&w);
    }
}

/* A packet with many branches has as many values on the stack for a while: both together count, not the code alone. */
static void test_many_branches(void **state)
{
    (void)state;
    static const struct {
        unsigned branches;
        bool again;
    } cases[] = {{40, false}, {400, true}};
    for (size_t i = 0; i < TSR_ARRAY_LEN(cases); i++) {
        struct tsr_buf text = {0};
        struct world w;
        tsr_buf_printf(&text, "%s",
                       HEADER LIBRARY "define spir_kernel void @k(ptr addrspace(1) %p) {\n"
                                      "m0:\n  %x0 = call spir_func i64 @_Z12get_local_idj(i32 0)\n");
        for (unsigned n = 0; n < cases[i].branches; n++)
            tsr_buf_printf(&text,
                           "  %%c%u = icmp ugt i64 %%x%u, %u\n  br i1 %%c%u, label %%t%u, label %%m%u\n"
                           "t%u:\n  %%a%u = getelementptr i64, ptr addrspace(1) %%p, i64 %%x%u\n"
                           "  %%y%u = load i64, ptr addrspace(1) %%a%u\n  br label %%m%u\n"
                           "m%u:\n  %%x%u = phi i64 [%%x%u, %%m%u], [%%y%u, %%t%u]\n",
                           n, n, n, n, n, n + 1, n, n, n, n, n, n + 1, n + 1, n + 1, n, n, n, n);
        tsr_buf_printf(&text, "  store i64 %%x%u, ptr addrspace(1) %%p\n  ret void\n}\n", cases[i].branches);
        tsr_buf_bytes(&text, "", 1);
        setup(&w, (const char *)text.data);
        w.options.packets = true;
        w.options.cpu_features = UINT64_C(1) << TSR_CPU_AVX512F;
        w.options.code_budget = cases[i].branches * 40;
        w.l.ways = tsr_arena_alloc(&w.l.scratch, sizeof *w.l.ways);
        passes(&w, NULL, "ration");
        assert_int_equal(w.l.again, cases[i].again);
        tsr_buf_free(&text);
        teardown(&w);
    }
}

/* Thirty functions of which each calls the next one twice are a thousand million calls if all are inlined. */
static void test_exponential_inlining(void **state)
{
    (void)state;
    struct tsr_buf text = {0}, log = {0};
    struct world w;
    char *why = NULL;
    static const char first[] = HEADER LIBRARY "define spir_func i64 @f0(i64 %x) {\n  %y = mul i64 %x, %x\n  ret i64 %y\n}\n";
    tsr_buf_bytes(&text, first, sizeof first - 1);
    for (int i = 1; i < 30; i++)
        tsr_buf_printf(&text,
                       "define spir_func i64 @f%d(i64 %%x) {\n  %%y = call spir_func i64 @f%d(i64 %%x)\n"
                       "  %%z = call spir_func i64 @f%d(i64 %%y)\n  ret i64 %%z\n}\n",
                       i, i - 1, i - 1);
    tsr_buf_printf(&text, "define spir_kernel void @k(ptr addrspace(1) %%p) {\n  %%i = call spir_func i64 @_Z12get_local_idj(i32 0)\n"
                          "  %%y = call spir_func i64 @f29(i64 %%i)\n  store i64 %%y, ptr addrspace(1) %%p\n  ret void\n}\n");
    tsr_buf_bytes(&text, "", 1);
    setup(&w, (const char *)text.data);
    w.options.packets = true;
    w.options.code_budget = 10000;
    w.options.log = &log;
    assert_true(tsr_lanes_run(w.l.module, &w.options, &w.arena, &w.info, &w.object, &why));
    tsr_buf_bytes(&log, "", 1);
    assert_non_null(strstr((const char *)log.data, "note: kernel k: with all that it calls it has more than 2500 instructions"));
    assert_false(w.info.kernels[0].flags & TSR_KERNEL_PACKETS);
    assert_true(w.object.size > 0);
    tsr_buf_free(&log);
    tsr_buf_free(&text);
    teardown(&w);
}

/* A tile of a matrix, stored across: (row, column) of the work-item's (column, row). */
static const char tile[] =
    HEADER LIBRARY "@k.tile = internal addrspace(3) global [16 x [17 x float]] undef\n"
                   "define spir_kernel void @k(ptr addrspace(1) %a, ptr addrspace(1) %o, i64 %n) {\n"
                   "%x = call spir_func i64 @_Z12get_local_idj(i32 0)\n%y = call spir_func i64 @_Z12get_local_idj(i32 1)\n"
                   "%to.row = getelementptr inbounds [16 x [17 x float]], ptr addrspace(3) @k.tile, i64 0, i64 %x\n"
                   "%to = getelementptr inbounds [17 x float], ptr addrspace(3) %to.row, i64 0, i64 %y\n"
                   "%from = getelementptr inbounds [16 x [17 x float]], ptr addrspace(3) @k.tile, i64 0, i64 %y, i64 3\n"
                   "%z = shl i64 %y, 4\n%l = add nuw nsw i64 %z, %x\n%q = getelementptr inbounds float, ptr addrspace(1) %o, i64 %l\n"
                   "br label %round\nround: %i = phi i64 [ 0, %0 ], [ %j, %round ]\n%s = phi float [ 0.0, %0 ], [ %t, %round ]\n"
                   "%row = add nsw i64 %i, %y\n%begin = mul nsw i64 %row, %n\n%at = add nsw i64 %begin, %x\n"
                   "%p = getelementptr inbounds float, ptr addrspace(1) %a, i64 %at\n%v = load float, ptr addrspace(1) %p\n"
                   "store float %v, ptr addrspace(3) %to\ncall void @_Z7barrierj(i32 1)\n%w = load float, ptr addrspace(3) %from\n"
                   "%e = load float, ptr addrspace(1) %q\n%we = fmul float %w, %e\n%t = fadd float %s, %we\ncall void @_Z7barrierj(i32 "
                   "1)\n%j = add nsw i64 %i, 16\n%c = icmp slt i64 %j, %n\n"
                   "br i1 %c, label %round, label %end\nend: store float %t, ptr addrspace(1) %q\nret void }\n";

/* Whole vectors that the packet puts into its context. */
static unsigned count_saves(struct world *w)
{
    size_t n;
    unsigned saves = 0;
    LLVMValueRef *code = tsr__instructions(&w->l, function(w, "k.whole"), &n);
    for (size_t i = 0; i < n; i++)
        saves += LLVMIsAStoreInst(code[i]) && LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(code[i], 0))) == LLVMVectorTypeKind &&
                 LLVMIsAGetElementPtrInst(LLVMGetOperand(code[i], 1)) &&
                 LLVMGetPointerAddressSpace(LLVMTypeOf(LLVMGetOperand(code[i], 1))) == 0;
    return saves;
}

/* Loads or stores of whole vectors in global memory, without a mask. */
static unsigned count_vectors(struct world *w, const char *name, LLVMOpcode opcode)
{
    size_t n;
    unsigned count = 0;
    LLVMValueRef *code = tsr__instructions(&w->l, function(w, name), &n);
    for (size_t i = 0; i < n; i++) {
        if (LLVMGetInstructionOpcode(code[i]) != opcode)
            continue;
        LLVMTypeRef type = LLVMTypeOf(opcode == LLVMLoad ? code[i] : LLVMGetOperand(code[i], 0));
        LLVMTypeRef pointer = LLVMTypeOf(LLVMGetOperand(code[i], opcode == LLVMLoad ? 0 : 1));
        count += LLVMGetTypeKind(type) == LLVMVectorTypeKind && LLVMGetPointerAddressSpace(pointer) == 1;
    }
    return count;
}

static void test_tile(void **state)
{
    (void)state;
    for (int required = 0; required < 2; required++) {
        struct world w;
        setup(&w, tile);
        w.options.packets = true;
        for (int d = 0; d < 3 && required; d++)
            w.info.kernels[0].reqd_local_size[d] = d < 2 ? 16 : 1;
        passes(&w, NULL, "vectorise");
        assert_true(w.info.kernels[0].flags & TSR_KERNEL_REGIONS);
        /* Turned only if the column is known to be one of its row. */
        assert_int_equal(count_calls(&w, "k.whole", "llvm.masked.scatter.v16f32.v16p3"), !required);
        assert_int_equal(count_calls(&w, "k.whole", "llvm.prefetch.p1"), 1);
        /* The sum is saved before the first round and where it was added to. */
        assert_int_equal(count_saves(&w), 2);
        passes(&w, "solitary", NULL);
        teardown(&w);
    }
}

/* A loop from %first on, which adds what it finds at %k; `next` makes %k1 and the condition %c to go on, and may do more. */
#define WALK(next)                                                                                                                         \
    HEADER "declare i64 @__tsr_global_id(i32) memory(none)\n"                                                                              \
           "define spir_kernel void @k(ptr addrspace(1) %a, ptr addrspace(1) %o) {\n"                                                      \
           "entry: %i = call i64 @__tsr_global_id(i32 0)\n %f = getelementptr i32, ptr addrspace(1) %a, i64 %i\n"                          \
           "%first = load i32, ptr addrspace(1) %f\n %q = getelementptr i32, ptr addrspace(1) %o, i64 %i\n"                                \
           "%end = load i32, ptr addrspace(1) %q\n br label %loop\n"                                                                       \
           "loop: %k = phi i32 [%first, %entry], [%k1, %loop]\n %s = phi i32 [0, %entry], [%s1, %loop]\n"                                  \
           "%x = sext i32 %k to i64\n %p = getelementptr i32, ptr addrspace(1) %a, i64 %x\n %v = load i32, ptr addrspace(1) %p\n"          \
           "%s1 = add i32 %s, %v\n" next "br i1 %c, label %loop, label %out\n"                                                             \
           "out: store i32 %s1, ptr addrspace(1) %q\n ret void }\n"
#define COUNTED "%k1 = add nsw i32 %k, 1\n %c = icmp slt i32 %k1, %end\n"

/* Loops of gathers go lane by lane, but for walks from place to place and those whose stores others may see. */
static void test_lane_by_lane(void **state)
{
    (void)state;
    static const uint64_t avx512 = UINT64_C(1) << TSR_CPU_AVX512F, slow = UINT64_C(1) << TSR_CPU_SLOW_GATHERS;
    static const struct {
        const char *text;
        uint64_t features;
        bool vectors;
    } cases[] = {
        {WALK(COUNTED), 0, false},
        {WALK(COUNTED), avx512, true},
        {WALK(COUNTED), avx512 | slow, false},
        {WALK("%j = add i32 %v, %k\n %y = sext i32 %j to i64\n %r = getelementptr i32, ptr addrspace(1) %a, i64 %y\n"
              "%t = load i32, ptr addrspace(1) %r\n %z = sext i32 %t to i64\n %w = getelementptr i32, ptr addrspace(1) %a, i64 %z\n"
              "%u = load volatile i32, ptr addrspace(1) %w\n" COUNTED),
         0, true},
        {WALK("%j = add i32 %v, %k\n %y = sext i32 %j to i64\n %r = getelementptr i32, ptr addrspace(1) %a, i64 %y\n"
              "%t = load i32, ptr addrspace(1) %r\n %k1 = add i32 %k, 1\n %e = add i32 %t, %end\n %c = icmp slt i32 %k1, %e\n"),
         avx512 | slow, false},
        {WALK("%k1 = add i32 %v, 1\n %c = icmp slt i32 %k1, %end\n"), avx512 | slow, true},
        {WALK("store i32 %s1, ptr addrspace(1) %p\n" COUNTED), 0, true},
    };
    for (size_t i = 0; i < TSR_ARRAY_LEN(cases); i++) {
        struct world w;
        setup(&w, cases[i].text);
        w.options.packets = true;
        w.options.cpu_features = cases[i].features;
        passes(&w, NULL, "vectorise");
        const char *gather = cases[i].features & avx512 ? "llvm.masked.gather.v32i32.v32p1" : "llvm.masked.gather.v16i32.v16p1";
        assert_int_equal(count_calls(&w, "k.whole", gather) > 0, cases[i].vectors);
        assert_int_equal(count_calls(&w, "k.partial", gather) > 0, cases[i].vectors);
        passes(&w, "solitary", NULL);
        teardown(&w);
    }
}

/* What AVX2 has for masks is for packets in which not all lanes are there. */
static void test_tested_masks(void **state)
{
    (void)state;
    static const char text[] =
        HEADER "declare i64 @__tsr_global_id(i32) memory(none)\n"
               "define spir_kernel void @k(ptr addrspace(1) %a, ptr addrspace(1) %o, i64 %n) {\n"
               "entry: %i = call i64 @__tsr_global_id(i32 0)\n %c = icmp slt i64 %i, %n\n br i1 %c, label %some, label %out\n"
               "some: %p = getelementptr i32, ptr addrspace(1) %a, i64 %i\n %v = load i32, ptr addrspace(1) %p\n"
               "%q = getelementptr i32, ptr addrspace(1) %o, i64 %i\n store i32 %v, ptr addrspace(1) %q\n br label %out\n"
               "out: ret void }\n";
    static const uint64_t avx2 = UINT64_C(1) << TSR_CPU_AVX2, avx512 = UINT64_C(1) << TSR_CPU_AVX512F;
    for (int wide = 0; wide < 2; wide++) {
        struct world w;
        setup(&w, text);
        w.options.packets = true;
        w.options.cpu_features = wide ? avx2 | avx512 : avx2;
        passes(&w, NULL, "vectorise");
        static const char *const bodies[] = {"k.whole", "k.partial"};
        for (size_t i = 0; i < TSR_ARRAY_LEN(bodies); i++) {
            assert_int_equal(count_calls(&w, bodies[i], "llvm.masked.load.v16i32.p1"), 1);
            assert_int_equal(count_calls(&w, bodies[i], "llvm.masked.store.v16i32.p1"), 1);
            assert_int_equal(count_vectors(&w, bodies[i], LLVMLoad), !wide && !i);
            assert_int_equal(count_vectors(&w, bodies[i], LLVMStore), !wide);
        }
        passes(&w, "solitary", NULL);
        teardown(&w);
    }
}

/* Five accumulators of sixteen numbers, four of SSE2's registers each; `round` makes %a1 to %e1 of %a to %e and the counter %j, `behind`
 * uses them. */
#define ACCUMULATE(round, behind)                                                                                                          \
    HEADER "declare <16 x float> @llvm.fma.v16f32(<16 x float>, <16 x float>, <16 x float>)\n"                                             \
           "define void @f(<16 x float> %x, ptr addrspace(3) %near, ptr addrspace(1) %far, i32 %n) {\n"                                    \
           "entry: br label %loop\nloop: %i = phi i32 [0, %entry], [%j, %loop]\n" SUM("a") SUM("b") SUM("c") SUM("d") SUM("e") round       \
        "%go = icmp slt i32 %j, %n\n br i1 %go, label %loop, label %out\nout:\n" behind "ret void }\n"
#define SUM(name) "%" name " = phi <16 x float> [%x, %entry], [%" name "1, %loop]\n"
#define ADD(name, to) "%" name "1 = fadd <16 x float> %" name ", " to "\n"
#define COUNT "%j = add i32 %i, 1\n"
#define KEEP(name) "store <16 x float> %" name "1, ptr addrspace(1) %far\n"
#define KEEP_ALL KEEP("a") KEEP("b") KEEP("c") KEEP("d") KEEP("e")
#define ADD_ALL(to) ADD("a", to) ADD("b", to) ADD("c", to) ADD("d", to) ADD("e", to)

/* Loops with more accumulators than registers become several, unless that makes too much twice. */
static void test_split_loops(void **state)
{
    (void)state;
    static const uint64_t avx512 = UINT64_C(1) << TSR_CPU_AVX512F;
    static const struct {
        const char *text;
        uint64_t features;
        unsigned loops, phis;
    } cases[] = {
        {ACCUMULATE(COUNT ADD_ALL("%x"), KEEP_ALL), 0, 2, 7},
        {ACCUMULATE(COUNT ADD_ALL("%x"), KEEP_ALL), avx512, 1, 6},
        /* Each from another one: one chain. */
        {ACCUMULATE(COUNT ADD("a", "%e") ADD("b", "%a") ADD("c", "%b") ADD("d", "%c") ADD("e", "%d"), KEEP_ALL), 0, 1, 6},
        /* Two chains, and what is made of two accumulators. */
        {ACCUMULATE(COUNT ADD("a", "%e") ADD("b", "%a") ADD("c", "%x") ADD("d", "%c") ADD("e", "%b"), KEEP_ALL), 0, 2, 7},
        {ACCUMULATE(COUNT ADD_ALL("%x") "%g1 = fadd <16 x float> %a1, %e1\n", KEEP("g") KEEP_ALL), 0, 2, 7},
        /* What all take from memory is read twice only if it is near. */
        {ACCUMULATE(COUNT "%v = load <16 x float>, ptr addrspace(3) %near\n" ADD_ALL("%v"), KEEP_ALL), 0, 2, 7},
        {ACCUMULATE(COUNT "%v = load <16 x float>, ptr addrspace(1) %far\n" ADD_ALL("%v"), KEEP_ALL), 0, 1, 6},
        {ACCUMULATE(COUNT "%v = load volatile <16 x float>, ptr addrspace(3) %near\n" ADD_ALL("%v"), KEEP_ALL), 0, 1, 6},
        {ACCUMULATE(COUNT ADD_ALL("%x") "store <16 x float> %a, ptr addrspace(3) %near\n", KEEP_ALL), 0, 1, 6},
        /* When they end is decided by an accumulator. */
        {ACCUMULATE(ADD_ALL("%x") "%y = extractelement <16 x float> %a, i32 0\n%j = fptosi float %y to i32\n", KEEP_ALL), 0, 1, 5},
    };
    for (size_t i = 0; i < TSR_ARRAY_LEN(cases); i++) {
        struct world w;
        size_t n;
        unsigned loops = 0, phis = 0;
        setup(&w, cases[i].text);
        w.options.cpu_features = cases[i].features;
        assert_int_equal(tsr__split_loops(&w.l, function(&w, "f")), cases[i].loops > 1);
        assert_false(LLVMVerifyFunction(function(&w, "f"), LLVMReturnStatusAction));
        assert_true(tsr__llvm(&w.l, "function(adce)"));
        LLVMValueRef *code = tsr__instructions(&w.l, function(&w, "f"), &n);
        for (size_t k = 0; k < n; k++) {
            loops += LLVMIsABranchInst(code[k]) && LLVMIsConditional(code[k]);
            phis += LLVMIsAPHINode(code[k]) != NULL;
        }
        assert_int_equal(loops, cases[i].loops);
        assert_int_equal(phis, cases[i].phis);
        teardown(&w);
    }
}

/* A kernel of `steps` multiplications. They stand in a loop that carries so many numbers of 64 bits, if any; each needs the result of the
 * one before it if they are a chain. */
static void write_steps(struct tsr_buf *text, int carried, int steps, bool chain, const char *id)
{
    tsr_buf_printf(text,
                   HEADER "declare i64 @%s(i32) memory(none)\ndefine spir_kernel void @k(ptr addrspace(1) %%a, i64 %%n) {\n"
                          "entry: %%i = call i64 @%s(i32 0)\n %%p = getelementptr i64, ptr addrspace(1) %%a, i64 %%i\n"
                          "%%x = load i64, ptr addrspace(1) %%p\n br label %%round\nround:\n",
                   id, id);
    for (int i = 0; i < carried; i++)
        tsr_buf_printf(text, "%%c%d = phi i64 [%d, %%entry], [%%c%d.next, %%round]\n", i, i, i);
    tsr_buf_printf(text, "%%v0 = add i64 %s, 0\n%%s0 = add i64 %%x, 0\n", carried ? "%c0" : "%x");
    for (int i = 1; i <= steps; i++)
        tsr_buf_printf(text, "%%f%d = add i64 %%x, %d\n%%v%d = mul i64 %%%c%d, %%f%d\n%%s%d = xor i64 %%s%d, %%v%d\n", i, 3 * i, i,
                       chain ? 's' : 'v', chain ? i - 1 : 0, i, i, i - 1, i);
    for (int i = 0; i < carried; i++)
        tsr_buf_printf(text, "%%c%d.next = add i64 %%c%d, %%s%d\n", i, (i + 1) % carried, steps);
    tsr_buf_printf(text, "%%more = icmp slt i64 %s, %%n\nbr i1 %s, label %%round, label %%out\n", carried ? "%c0.next" : "%n",
                   carried ? "%more" : "false");
    tsr_buf_printf(text, "out: store i64 %%s%d, ptr addrspace(1) %%p\nret void }\n", steps);
    tsr_buf_bytes(text, "", 1);
}

/* Packets are wider where one register would wait for its own results, if the kernel can't tell and the CPU has registers enough. */
static void test_wide(void **state)
{
    (void)state;
    static const uint64_t avx2 = UINT64_C(1) << TSR_CPU_AVX2, avx512 = UINT64_C(1) << TSR_CPU_AVX512F;
    static const char global[] = "__tsr_global_id", local[] = "__tsr_local_id";
    static const struct {
        int carried, steps;
        bool chain;
        const char *id;
        uint64_t features;
        unsigned width;
    } cases[] = {
        {2, 3, true, global, avx512, 32},    {2, 3, true, global, avx2, 16},     {2, 3, true, local, avx512, 16},
        {6, 3, true, global, avx512, 16},    {0, 200, true, global, avx512, 32}, {0, 20, true, global, avx512, 16},
        {0, 200, false, global, avx512, 16},
    };
    for (size_t i = 0; i < TSR_ARRAY_LEN(cases); i++) {
        struct world w;
        struct tsr_buf text = {0};
        write_steps(&text, cases[i].carried, cases[i].steps, cases[i].chain, cases[i].id);
        setup(&w, (const char *)text.data);
        w.options.packets = true;
        w.options.cpu_features = cases[i].features;
        passes(&w, NULL, "vectorise");
        assert_int_equal(tsr__sub_group_size(&w.l, &w.info.kernels[0]), cases[i].width);
        tsr_buf_free(&text);
        passes(&w, "solitary", NULL);
        teardown(&w);
    }
}

/* A loop that reads a vector of numbers at %p, which may say where it adds up others; `list` makes %p and the counter %j of %i, `to` the
 * place. */
#define LIST(space, list, to)                                                                                                              \
    HEADER "declare <16 x i32> @llvm.masked.gather.v16i32.v16p1(<16 x ptr addrspace(1)>, <16 x i1>, <16 x i32>)\n"                         \
           "define void @f(ptr addrspace(1) %x, ptr addrspace(" space ") %a, ptr addrspace(1) %o, i64 %pitch, i64 %n) {\n"                 \
           "entry: br label %loop\nloop: %i = phi i64 [0, %entry], [%j, %loop]\n %s = phi <16 x i32> [zeroinitializer, %entry], [%t, "     \
           "%loop]\n" list "%k = load <16 x i32>, ptr addrspace(" space ") %p\n %w = sext <16 x i32> %k to <16 x i64>\n"                   \
           "%q = getelementptr i32, ptr addrspace(1) %x, <16 x i64> " to "\n"                                                              \
           "%v = call <16 x i32> @llvm.masked.gather.v16i32.v16p1(<16 x ptr addrspace(1)> %q, <16 x i1> splat (i1 true), "                 \
           "<16 x i32> %k)\n %t = add <16 x i32> %s, %v\n %c = icmp slt i64 %j, %n\n br i1 %c, label %loop, label %out\n"                  \
           "out: store <16 x i32> %t, ptr addrspace(1) %o\n ret void }\n"
#define AT(space, index) "%p = getelementptr i32, ptr addrspace(" space ") %a, i64 " index "\n"
#define ROW(by) "%j = add nsw i64 %i, 1\n %r = mul nsw i64 %i, " by "\n"

/* Lists are fetched ahead whose rows lie where no prefetcher of the CPU looks. */
static void test_lists(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        unsigned fetches;
    } cases[] = {
        {LIST("1", ROW("%pitch") AT("1", "%r"), "%w"), 1},
        {LIST("1", ROW("1024") AT("1", "%r"), "%w"), 1},
        {LIST("1", ROW("16") AT("1", "%r"), "%w"), 0},
        {LIST("3", ROW("%pitch") AT("3", "%r"), "%w"), 0},
        /* No list: what is read says nothing of where the others are. */
        {LIST("1", ROW("%pitch") AT("1", "%r"), "zeroinitializer"), 0},
        /* Where the next row lies is found in the list. */
        {LIST("1", "%z = getelementptr i64, ptr addrspace(1) %o, i64 %i\n %j = load i64, ptr addrspace(1) %z\n" AT("1", "%i"), "%w"), 0},
    };
    for (size_t i = 0; i < TSR_ARRAY_LEN(cases); i++) {
        struct world w;
        setup(&w, cases[i].text);
        tsr__fetch_lists(&w.l, function(&w, "f"));
        assert_false(LLVMVerifyFunction(function(&w, "f"), LLVMReturnStatusAction));
        assert_int_equal(count_calls(&w, "f", "llvm.prefetch.p1"), cases[i].fetches);
        teardown(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_budget),      cmocka_unit_test(test_sites),        cmocka_unit_test(test_divide),
        cmocka_unit_test(test_byval),       cmocka_unit_test(test_locals),       cmocka_unit_test(test_print),
        cmocka_unit_test(test_item),        cmocka_unit_test(test_entry),        cmocka_unit_test(test_whole),
        cmocka_unit_test(test_lines),       cmocka_unit_test(test_tile),         cmocka_unit_test(test_lane_by_lane),
        cmocka_unit_test(test_split_loops), cmocka_unit_test(test_tested_masks), cmocka_unit_test(test_exponential_inlining),
        cmocka_unit_test(test_lists),       cmocka_unit_test(test_wide),         cmocka_unit_test(test_many_branches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
