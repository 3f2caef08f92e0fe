/* SPDX-License-Identifier: Apache-2.0
 * The engine's passes together, on small modules, and what they do with too much code. passes/ has tests of single passes. */
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

#include "tessera/item.h"

#include "world.h"

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
        assert_int_equal(k[1].flags, TSR_KERNEL_FIBERS);
        assert_int_equal(k[2].flags, TSR_KERNEL_FIBERS | TSR_KERNEL_SUB_GROUP_PAIRS);
        assert_int_equal(k[3].flags, level ? 0 : TSR_KERNEL_FIBERS);
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
    passes(&w, NULL, "drop_items");
    for (size_t i = 0; i < TSR_ARRAY_LEN(packets); i++) {
        assert_non_null(LLVMGetSubprogram(function(&w, packets[i])));
        assert_true(has_line(&w, packets[i], LLVMFCmp, 8));
        assert_true(has_line(&w, packets[i], LLVMFMul, 2));
        assert_true(has_line(&w, packets[i], LLVMCall, 10)); /* the masked store */
    }
    assert_true(has_line(&w, "k.whole", LLVMLoad, 7));
    passes(&w, "local_atomics", NULL);
    assert_non_null(memmem(w.object.data, w.object.size, ".debug_line", sizeof ".debug_line"));
    teardown(&w);
}

/* What is too much code becomes narrower packets, then work-items one by one, and the log says so. Where packets of half the width would be
 * too much in any case, they are not tried. */
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
    } cases[] = {{0, 16, true, 0}, {1000000, 16, true, 0}, {800, 8, true, 1}, {400, 16, false, 1}, {300, 16, false, 2}, {60, 16, false, 1}};
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

/* Of a kernel with so many gathers without an instruction that its packets would be too much code, these become calls. */
static void test_outlined_gathers(void **state)
{
    (void)state;
    enum { GATHERS = 40 };
    struct tsr_buf text = {0};
    struct world w;
    char *why = NULL;
    tsr_buf_printf(&text, "%s",
                   HEADER LIBRARY "define spir_kernel void @k(ptr addrspace(1) %p) {\n"
                                  "  %i = call spir_func i64 @_Z12get_local_idj(i32 0)\n  %s0 = trunc i64 %i to i8\n");
    for (int n = 0; n < GATHERS; n++)
        tsr_buf_printf(&text,
                       "  %%m%d = mul i64 %%i, %d\n  %%a%d = getelementptr i8, ptr addrspace(1) %%p, i64 %%m%d\n"
                       "  %%v%d = load i8, ptr addrspace(1) %%a%d\n  %%s%d = add i8 %%s%d, %%v%d\n",
                       n, 1000 + 7 * n, n, n, n, n, n + 1, n, n);
    tsr_buf_printf(
        &text, "  %%t = getelementptr i8, ptr addrspace(1) %%p, i64 %%i\n  store i8 %%s%d, ptr addrspace(1) %%t\n  ret void\n}\n", GATHERS);
    tsr_buf_bytes(&text, "", 1);
    for (int enough = 0; enough < 2; enough++) {
        struct tsr_buf log = {0};
        setup(&w, (const char *)text.data);
        w.options.packets = true;
        w.options.code_budget = enough ? 1000000 : 12000; /* each gather counts 480, in two functions */
        w.options.log = &log;
        assert_true(tsr_lanes_run(w.l.module, &w.options, &w.arena, &w.info, &w.object, &why));
        assert_true(w.info.kernels[0].flags & TSR_KERNEL_PACKETS);
        assert_int_equal(log.size, 0);
        assert_int_equal(memmem(w.object.data, w.object.size, "tsr.outlined", sizeof "tsr.outlined" - 1) == NULL, enough);
        tsr_buf_free(&log);
        teardown(&w);
    }
    tsr_buf_free(&text);
}

/* An array in local memory has an address also where all kernels of a module run a work-item at a time. */
static void test_local_array_alone(void **state)
{
    (void)state;
    for (uint64_t budget = 40; budget <= 100000; budget += 100000 - 40) {
        struct world w;
        char *why = NULL;
        setup(&w, HEADER LIBRARY "@k.tile = internal addrspace(3) global [16 x [17 x float]] undef\n"
                                 "define spir_kernel void @k(i64 %y) {\n %x = call spir_func i64 @_Z12get_local_idj(i32 0)\n"
                                 "%p = getelementptr [16 x [17 x float]], ptr addrspace(3) @k.tile, i64 0, i64 %x, i64 %y\n"
                                 "store volatile float 1.0, ptr addrspace(3) %p\n ret void }\n");
        w.options.packets = true;
        w.options.code_budget = budget;
        if (!tsr_lanes_run(w.l.module, &w.options, &w.arena, &w.info, &w.object, &why))
            fail_msg("%s", why);
        assert_int_equal(!!(w.info.kernels[0].flags & TSR_KERNEL_PACKETS), budget > 40);
        assert_int_equal(w.info.kernels[0].local_bytes, 16 * 17 * 4);
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
    } cases[] = {{40, false}, {1600, true}};
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
        w.options.code_budget = cases[i].branches * 130;
        w.l.variants = tsr_arena_alloc(&w.l.scratch, sizeof *w.l.variants);
        passes(&w, NULL, "size_early");
        assert_int_equal(w.l.retry, cases[i].again);
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

/* An array of 2^60 bytes would have a size of zero in a packet of 16. */
static void test_private_bytes(void **state)
{
    (void)state;
    static const struct {
        const char *arrays;
        bool fits;
    } cases[] = {{"%a = alloca [1073741824 x i8]\n", true},
                 {"%a = alloca [1073741825 x i8]\n", false},
                 {"%a = alloca [1073741824 x i8]\n %b = alloca i8\n", false},
                 {"%a = alloca [1152921504606846976 x i8]\n", false}};
    for (size_t i = 0; i < TSR_ARRAY_LEN(cases); i++) {
        struct world w;
        struct tsr_buf text = {0};
        tsr_buf_printf(&text, "%sdefine spir_kernel void @k() {\n %s ret void\n}\n", HEADER, cases[i].arrays);
        tsr_buf_bytes(&text, "", 1);
        setup(&w, (const char *)text.data);
        assert_int_equal(tsr__pass_local_memory(&w.l), cases[i].fits);
        assert_int_equal(w.l.why && strstr(w.l.why, "private variables of function 'k' take more than 1073741824 bytes"), !cases[i].fits);
        tsr_buf_free(&text);
        teardown(&w);
    }
}

/* Each way of a switch counts as 64 instructions, and a quarter of the budget may be there before a kernel runs a work-item at a time. */
static void test_many_ways(void **state)
{
    (void)state;
    static const struct {
        unsigned variants;
        bool packets;
    } cases[] = {{38, true}, {39, false}};
    for (size_t i = 0; i < TSR_ARRAY_LEN(cases); i++) {
        struct tsr_buf text = {0};
        struct world w;
        char *why = NULL;
        tsr_buf_printf(&text, "%s",
                       HEADER LIBRARY "define spir_kernel void @k(ptr addrspace(1) %p) {\n"
                                      "  %x = call spir_func i64 @_Z12get_local_idj(i32 0)\n"
                                      "  %q = getelementptr i64, ptr addrspace(1) %p, i64 %x\n  switch i64 %x, label %other [\n");
        for (unsigned n = 1; n < cases[i].variants; n++)
            tsr_buf_printf(&text, "    i64 %u, label %%%s\n", n * 3, n % 2 ? "odd" : "even");
        tsr_buf_printf(
            &text, "  ]\nodd:\n  store i64 1, ptr addrspace(1) %%q\n  ret void\neven:\n  store i64 2, ptr addrspace(1) %%q\n  ret void\n"
                   "other:\n  ret void\n}\n");
        tsr_buf_bytes(&text, "", 1);
        setup(&w, (const char *)text.data);
        w.options.packets = true;
        w.options.code_budget = 10000;
        assert_true(tsr_lanes_run(w.l.module, &w.options, &w.arena, &w.info, &w.object, &why));
        assert_int_equal((w.info.kernels[0].flags & TSR_KERNEL_PACKETS) != 0, cases[i].packets);
        assert_true(w.object.size > 0);
        tsr_buf_free(&text);
        teardown(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole),
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_budget),
        cmocka_unit_test(test_many_branches),
        cmocka_unit_test(test_exponential_inlining),
        cmocka_unit_test(test_many_ways),
        cmocka_unit_test(test_private_bytes),
        cmocka_unit_test(test_outlined_gathers),
        cmocka_unit_test(test_local_array_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
