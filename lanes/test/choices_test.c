/* SPDX-License-Identifier: Apache-2.0
 * What the vector engine chooses on small modules: how wide packets are, what goes lane by lane, what is turned.
 * passes/ has tests of single passes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "tessera/item.h"

#include "lanes/ir/costs.h"
#include "world.h"

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

static void test_tile(void **state)
{
    (void)state;
    for (int required = 0; required < 2; required++) {
        struct world w;
        setup(&w, tile);
        w.options.packets = true;
        for (int d = 0; d < 3 && required; d++)
            w.info.kernels[0].reqd_local_size[d] = d < 2 ? 16 : 1;
        passes(&w, NULL, "drop_items");
        assert_true(w.info.kernels[0].flags & TSR_KERNEL_BARRIER_REGIONS);
        /* Turned only if the column is known to be one of its row. */
        assert_int_equal(count_calls(&w, "k.whole", "llvm.masked.scatter.v16f32.v16p3"), !required);
        assert_int_equal(count_calls(&w, "k.whole", "llvm.prefetch.p1"), 1);
        /* The sum is saved before the first round and where it was added to. */
        assert_int_equal(count_saves(&w), 2);
        passes(&w, "local_atomics", NULL);
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

/* A loop that all lanes leave together: each counts what it finds in an array of its own. */
#define COUNTS(sum)                                                                                                                        \
    HEADER "declare i64 @__tsr_global_id(i32) memory(none)\n"                                                                              \
           "define spir_kernel void @k(ptr addrspace(1) %a, ptr addrspace(1) %o, i64 %n) {\n"                                              \
           "entry: %i = call i64 @__tsr_global_id(i32 0)\n %row = mul i64 %i, %n\n br label %loop\n"                                       \
           "loop: %k = phi i64 [0, %entry], [%k1, %loop]\n %s = phi i32 [0, %entry], [%s1, %loop]\n %at = add i64 %row, %k\n"              \
           "%p = getelementptr i32, ptr addrspace(1) %a, i64 %at\n %v = load i32, ptr addrspace(1) %p\n"                                   \
           "%x = sext i32 %v to i64\n %q = getelementptr i32, ptr addrspace(1) %o, i64 %x\n %w = load i32, ptr addrspace(1) %q\n"          \
           "%w1 = add i32 %w, 1\n store i32 %w1, ptr addrspace(1) %q\n" sum                                                                \
           "%k1 = add i64 %k, 1\n %c = icmp slt i64 %k1, %n\n br i1 %c, label %loop, label %out\n"                                         \
           "out: %r = getelementptr i32, ptr addrspace(1) %a, i64 %i\n store i32 %s1, ptr addrspace(1) %r\n ret void }\n"

/* Loops of gathers go lane by lane, but for walks from place to place and those in which others may see the order of stores; loops that all
 * lanes leave together only if no round waits for what another one computes. */
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
        {WALK("store i32 %s1, ptr addrspace(1) %p\n" COUNTED), 0, false},
        {WALK("store volatile i32 %s1, ptr addrspace(1) %p\n" COUNTED), 0, true},
        {COUNTS("%s1 = add i32 %s, %w\n"), avx512 | slow, false},
        {COUNTS("%s0 = mul i32 %s, 5\n %s1 = add i32 %s0, %w\n"), avx512 | slow, true},
    };
    for (size_t i = 0; i < TSR_ARRAY_LEN(cases); i++) {
        struct world w;
        setup(&w, cases[i].text);
        w.options.packets = true;
        w.options.cpu_features = cases[i].features;
        passes(&w, NULL, "drop_items");
        const char *gather = cases[i].features & avx512 ? "llvm.masked.gather.v32i32.v32p1" : "llvm.masked.gather.v16i32.v16p1";
        assert_int_equal(count_calls(&w, "k.whole", gather) > 0, cases[i].vectors);
        assert_int_equal(count_calls(&w, "k.partial", gather) > 0, cases[i].vectors);
        passes(&w, "local_atomics", NULL);
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
        passes(&w, NULL, "drop_items");
        assert_int_equal(tsr__sub_group_size(&w.l, &w.info.kernels[0]), cases[i].width);
        tsr_buf_free(&text);
        passes(&w, "local_atomics", NULL);
        teardown(&w);
    }
}

/* Wide packets that are too much code get as wide as others first. */
static void test_too_wide(void **state)
{
    (void)state;
    struct world w;
    struct tsr_buf text = {0}, log = {0};
    char *why = NULL;
    write_steps(&text, 0, 200, true, "__tsr_global_id");
    setup(&w, (const char *)text.data);
    w.options.packets = true;
    w.options.cpu_features = UINT64_C(1) << TSR_CPU_AVX512F;
    w.options.code_budget = 3500;
    w.options.log = &log;
    assert_true(tsr_lanes_run(w.l.module, &w.options, &w.arena, &w.info, &w.object, &why));
    tsr_buf_bytes(&log, "", 1);
    assert_non_null(strstr((const char *)log.data, "packets of 32 would be too much code"));
    assert_non_null(strstr((const char *)log.data, "they get as wide as others"));
    assert_int_equal(w.info.kernels[0].sub_group_size, 16);
    tsr_buf_free(&log);
    tsr_buf_free(&text);
    teardown(&w);
}

/* A kernel that calls `functions` functions of the library, each of `code` instructions, `calls` times. */
static void write_calls(struct tsr_buf *text, int functions, int code, int calls, const char *attributes)
{
    tsr_buf_printf(text, HEADER);
    for (int f = 0; f < functions; f++) {
        tsr_buf_printf(text, "define spir_func float @_Z%cf(float %%x0) %s {\n", 'a' + f, attributes);
        for (int i = 1; i < code; i++)
            tsr_buf_printf(text, "%%x%d = fadd float %%x%d, %d.0\n", i, i - 1, i);
        tsr_buf_printf(text, "ret float %%x%d\n}\n", code - 1);
    }
    tsr_buf_printf(text, "define spir_kernel void @k(ptr addrspace(1) %%p, float %%x) {\n");
    for (int f = 0; f < functions; f++)
        for (int i = 0; i < calls; i++)
            tsr_buf_printf(text, "%%y%d.%d = call spir_func float @_Z%cf(float %%x)\nstore volatile float %%y%d.%d, ptr addrspace(1) %%p\n",
                           f, i, 'a' + f, f, i);
    tsr_buf_printf(text, "ret void }\n");
    tsr_buf_bytes(text, "", 1);
}

/* Large functions of numbers stay calls where they would be much code: from the number of calls on for which one is, or all together are.
 */
static void test_outlined(void **state)
{
    (void)state;
    static const char pure[] = "memory(none) nounwind willreturn", reads[] = "memory(read) nounwind willreturn";
    static const struct {
        int functions, code, calls;
        const char *attributes;
        bool stays;
    } cases[] = {
        {1, TSR__OUTLINED_CODE - 1, 200, pure, false},
        {1, TSR__OUTLINED_CODE, 200, pure, true},
        {1, 50, TSR__OUTLINED_CALLS / 50, pure, false},
        {1, 50, TSR__OUTLINED_CALLS / 50 + 1, pure, true},
        {1, 50, 200, reads, false},
        {3, 100, TSR__OUTLINED_ALL / 300, pure, false},
        {6, 100, TSR__OUTLINED_ALL / 600, pure, false},
        {6, 100, TSR__OUTLINED_ALL / 600 + 1, pure, true},
        {1, TSR__OUTLINED_ALL + 1, 1, pure, false},
        {1, TSR__OUTLINED_ALL + 1, 2, pure, true},
    };
    for (size_t i = 0; i < TSR_ARRAY_LEN(cases); i++) {
        struct world w;
        struct tsr_buf text = {0};
        write_calls(&text, cases[i].functions, cases[i].code, cases[i].calls, cases[i].attributes);
        setup(&w, (const char *)text.data);
        w.options.packets = true;
        passes(&w, NULL, "inline_calls");
        assert_int_equal(count_calls(&w, "k", "_Zaf"), cases[i].stays ? cases[i].calls : 0);
        tsr_buf_free(&text);
        teardown(&w);
    }
}

/* Without CMPXCHG16B atomic updates of places side by side go lane by lane. */
static void test_atomic_rows(void **state)
{
    (void)state;
    for (int has = 0; has < 2; has++) {
        struct world w;
        setup(&w,
              HEADER LIBRARY "define spir_kernel void @k(ptr addrspace(1) %p) {\n"
                             "  %i = call spir_func i64 @_Z12get_local_idj(i32 0)\n  %q = getelementptr i32, ptr addrspace(1) %p, i64 %i\n"
                             "  %old = atomicrmw add ptr addrspace(1) %q, i32 1 monotonic\n  ret void\n}\n");
        w.options.packets = true;
        w.options.cpu_features = UINT64_C(1) << TSR_CPU_AVX2 | (uint64_t)has << TSR_CPU_CX16;
        passes(&w, NULL, "widen_full");
        assert_int_equal(says(function(&w, "k.whole"), "cmpxchg"), has);
        assert_int_equal(says(function(&w, "k.whole"), "atomicrmw"), !has);
        teardown(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tile),     cmocka_unit_test(test_lane_by_lane), cmocka_unit_test(test_wide),
        cmocka_unit_test(test_too_wide), cmocka_unit_test(test_outlined),     cmocka_unit_test(test_atomic_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
