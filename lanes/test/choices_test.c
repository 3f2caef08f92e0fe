/* SPDX-License-Identifier: Apache-2.0
 * What the vector engine chooses on small modules: how wide packets are, what goes lane by lane, what is turned, split or fetched ahead. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <llvm-c/Analysis.h>

#include "tessera/item.h"

#include "lanes/prepare/unroll.h"
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
        passes(&w, NULL, "drop_items");
        const char *gather = cases[i].features & avx512 ? "llvm.masked.gather.v32i32.v32p1" : "llvm.masked.gather.v16i32.v16p1";
        assert_int_equal(count_calls(&w, "k.whole", gather) > 0, cases[i].vectors);
        assert_int_equal(count_calls(&w, "k.partial", gather) > 0, cases[i].vectors);
        passes(&w, "local_atomics", NULL);
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
        passes(&w, NULL, "drop_items");
        static const char *const bodies[] = {"k.whole", "k.partial"};
        for (size_t i = 0; i < TSR_ARRAY_LEN(bodies); i++) {
            assert_int_equal(count_calls(&w, bodies[i], "llvm.masked.load.v16i32.p1"), 1);
            assert_int_equal(count_calls(&w, bodies[i], "llvm.masked.store.v16i32.p1"), 1);
            assert_int_equal(count_vectors(&w, bodies[i], LLVMLoad), !wide && !i);
            assert_int_equal(count_vectors(&w, bodies[i], LLVMStore), !wide);
        }
        passes(&w, "local_atomics", NULL);
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
        assert_true(tsr__pass_loop_fission(&w.l, function(&w, "f")));
        assert_true(tsr__run_llvm(&w.l, "function(adce)"));
        assert_false(LLVMVerifyFunction(function(&w, "f"), LLVMReturnStatusAction));
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
        assert_true(tsr__pass_prefetch(&w.l, function(&w, "f")));
        assert_false(LLVMVerifyFunction(function(&w, "f"), LLVMReturnStatusAction));
        assert_int_equal(count_calls(&w, "f", "llvm.prefetch.p1"), cases[i].fetches);
        teardown(&w);
    }
}

/* A loop that stores its counter to local memory, `ends` at some number, and does more. */
#define FILL(ends, more)                                                                                                                   \
    HEADER "declare void @__tsr_barrier(i32, i32) convergent\n"                                                                            \
           "define void @f(ptr addrspace(3) %t, i32 %lane, i32 %n) {\nentry: br label %loop\n"                                             \
           "loop: %i = phi i32 [%lane, %entry], [%j, %loop]\n %p = getelementptr i32, ptr addrspace(3) %t, i32 %i\n"                       \
           "store i32 %i, ptr addrspace(3) %p\n" more "%j = add i32 %i, 16\n %c = icmp slt i32 %j, " ends "\n"                             \
           "br i1 %c, label %loop, label %out\nout: ret void }\n"

/* What fills a tile is unrolled, and what sorts it; a thousand rounds with barriers would be as many regions. */
static void test_unrolling(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool unrolls;
    } cases[] = {
        {FILL("64", ""), true},
        {FILL("%n", ""), true},
        {FILL("16000", ""), false},
        {FILL("64", "call void @__tsr_barrier(i32 2, i32 1)\n"), true},
        {FILL("16000", "call void @__tsr_barrier(i32 2, i32 1)\n"), false},
    };
    for (size_t i = 0; i < TSR_ARRAY_LEN(cases); i++) {
        struct world w;
        setup(&w, cases[i].text);
        assert_true(tsr__mark_array_unroll(&w.l, function(&w, "f")));
        char *text = LLVMPrintModuleToString(w.l.module);
        assert_int_equal(strstr(text, "llvm.loop.unroll.enable") != NULL, cases[i].unrolls);
        LLVMDisposeMessage(text);
        teardown(&w);
    }
}

/* Vectors of four bytes %p, %q, %r, %u, of which %u is the same in all lanes, and what is made of them; %s is stored. */
#define BYTES(code)                                                                                                                        \
    HEADER                                                                                                                                 \
    "declare i64 @__tsr_global_id(i32) memory(none)\n"                                                                                     \
    "define spir_kernel void @k(ptr addrspace(1) %a, ptr addrspace(1) %o) {\nentry: %i = call i64 @__tsr_global_id(i32 0)\n" VECTOR(       \
        "p", "0") VECTOR("q", "64")                                                                                                        \
        VECTOR("r", "128") "%u = load <4 x i8>, ptr addrspace(1) %a\n" code                                                                \
                           "%to = getelementptr i32, ptr addrspace(1) %o, i64 %i\n store i32 %s, ptr addrspace(1) %to\n ret void }\n"
#define VECTOR(name, offset)                                                                                                               \
    "%" name "g = getelementptr i8, ptr addrspace(1) %a, i64 " offset "\n %" name "a = getelementptr <4 x i8>, ptr addrspace(1) %" name    \
    "g, i64 %i\n %" name " = load <4 x i8>, ptr addrspace(1) %" name "a\n"
#define BYTE(name, vector, at, extension, to)                                                                                              \
    "%" name "x = extractelement <4 x i8> %" vector ", i64 " at "\n %" name " = " extension " i8 %" name "x to " to "\n"
#define TIMES(name, p, i, pe, q, j, qe)                                                                                                    \
    BYTE(name "p", p, i, pe, "i32") BYTE(name "q", q, j, qe, "i32") "%" name " = mul i32 %" name "p, %" name "q\n"
#define FIRST(p, pe, q, qe) TIMES("k", p, "0", pe, q, "0", qe) TIMES("l", p, "1", pe, q, "1", qe) TIMES("m", p, "2", pe, q, "2", qe)
#define ADD_UP "%kl = add i32 %k, %l\n %mn = add i32 %m, %n\n %s = add i32 %kl, %mn\n"
#define FOUR(p, pe, q, qe) FIRST(p, pe, q, qe) TIMES("n", p, "3", pe, q, "3", qe) ADD_UP
#define THREE_AND(fourth) BYTES(FIRST("p", "sext", "q", "zext") fourth ADD_UP)
#define ROUNDS(end)                                                                                                                        \
    BYTES(BYTE("end", end, "0", "zext", "i32") "br label %loop\nloop: %j = phi i32 [0, %entry], [%j1, %loop]\n" FOUR(                      \
        "p", "sext", "q", "zext") "store i32 %s, ptr addrspace(1) %o\n %j1 = add i32 %j, 1\n %c = icmp ult i32 %j1, %end\n br i1 %c, "     \
                                  "label %loop, label %out\nout:\n")

/* Dot products that a program writes out become an instruction, or two. */
static void test_written_dots(void **state)
{
    (void)state;
    static const uint64_t avx512 = UINT64_C(1) << TSR_CPU_AVX512F, vnni = avx512 | UINT64_C(1) << TSR_CPU_AVX512VNNI;
    static const struct {
        const char *text;
        uint64_t features;
        unsigned instructions;
    } cases[] = {
        {BYTES(FOUR("p", "sext", "q", "zext")), vnni, 1},
        {BYTES(FOUR("p", "zext", "q", "sext")), vnni, 1},
        {BYTES(FOUR("p", "sext", "q", "sext")), vnni, 2},
        {BYTES(FOUR("p", "zext", "q", "zext")), vnni, 2},
        {BYTES(FOUR("p", "sext", "u", "zext")), vnni, 1},
        {THREE_AND(TIMES("n", "q", "3", "zext", "p", "3", "sext")), vnni, 1},
        {BYTES(FOUR("p", "sext", "q", "zext")), avx512, 0},
        /* What all lanes have in common is computed once. */
        {BYTES(FOUR("u", "sext", "u", "zext")), vnni, 0},
        /* Lanes may go through a loop one by one. */
        {ROUNDS("u"), vnni, 2}, /* of a wider packet */
        {ROUNDS("p"), vnni, 0},
        /* An element twice; another vector; another sign; one that is used elsewhere, too. */
        {THREE_AND(TIMES("n", "p", "2", "sext", "q", "2", "zext")), vnni, 0},
        {THREE_AND(TIMES("n", "p", "3", "sext", "r", "3", "zext")), vnni, 0},
        {THREE_AND(TIMES("n", "p", "3", "sext", "q", "3", "sext")), vnni, 0},
        {THREE_AND(TIMES("n", "p", "3", "sext", "q", "3", "zext") "store i32 %n, ptr addrspace(1) %o\n"), vnni, 0},
        /* Elements that do not go together. */
        {BYTES(TIMES("k", "p", "0", "sext", "q", "1", "zext") TIMES("l", "p", "1", "sext", "q", "0", "zext")
                   TIMES("m", "p", "2", "sext", "q", "3", "zext") TIMES("n", "p", "3", "sext", "q", "2", "zext") ADD_UP),
         vnni, 0},
        /* Narrow products. */
        {THREE_AND(BYTE("np", "p", "3", "sext", "i16") BYTE("nq", "q", "3", "zext", "i16") "%nm = mul i16 %np, %nq\n"
                                                                                           "%n = zext i16 %nm to i32\n"),
         vnni, 0},
    };
    for (size_t i = 0; i < TSR_ARRAY_LEN(cases); i++) {
        struct world w;
        setup(&w, cases[i].text);
        w.options.packets = true;
        w.options.cpu_features = cases[i].features;
        passes(&w, NULL, "drop_items");
        assert_int_equal(count_calls(&w, "k.whole", "llvm.x86.avx512.vpdpbusd.512"), cases[i].instructions);
        assert_int_equal(count_calls(&w, "k.partial", "llvm.x86.avx512.vpdpbusd.512"), cases[i].instructions);
        teardown(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tile),        cmocka_unit_test(test_lane_by_lane), cmocka_unit_test(test_tested_masks),
        cmocka_unit_test(test_split_loops), cmocka_unit_test(test_wide),         cmocka_unit_test(test_too_wide),
        cmocka_unit_test(test_lists),       cmocka_unit_test(test_written_dots), cmocka_unit_test(test_unrolling),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
