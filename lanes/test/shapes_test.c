/* SPDX-License-Identifier: Apache-2.0
 * What is known of values in a packet of 16: kernels against lines of the text that tessera-opt -shapes prints. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <llvm-c/IRReader.h>

#include "lanes/prepare/packet_kernel.h"

#define SPLIT "_Z42intel_sub_group_i8_i8_split_matrix_mad_k32iDv8_iDv2_i"
static const char head[] = "target datalayout = \"e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024\"\n"
                           "declare i64 @__tsr_local_id(i32) memory(none) nounwind willreturn\n"
                           "declare i64 @__tsr_group_id(i32) memory(none) nounwind willreturn\n"
                           "declare i64 @__tsr_enqueued_local_size(i32) memory(none) nounwind willreturn\n"
                           "declare i32 @__tsr_ballot(i32, i32) convergent\n"
                           "declare i32 @__tsr_shuffle_int(i32, i32, i32) convergent\n"
                           "declare i32 @__tsr_reduce_add_int(i32, i32, i32) convergent\n"
                           "declare i32 @__tsr_scan_inclusive_add_int(i32, i32) convergent\n"
                           "declare <2 x i32> @" SPLIT "(i32, <8 x i32>, <2 x i32>) convergent\n"
                           "define spir_kernel void @k(ptr addrspace(1) %a, ptr addrspace(1) %b, i32 %n, i32 %m) {\n"
                           "%g = call i64 @__tsr_group_id(i32 0)\n%s = call i64 @__tsr_enqueued_local_size(i32 0)\n"
                           "%l = call i64 @__tsr_local_id(i32 0)\n%gs = mul i64 %g, %s\n%id = add i64 %gs, %l\n%i = trunc i64 %id to i32\n"
                           "%y64 = call i64 @__tsr_local_id(i32 1)\n%y = trunc i64 %y64 to i32\n";

/* What makes packets of pairs. */
static const char split[] = "%w = call <2 x i32> @" SPLIT "(i32 %n, <8 x i32> zeroinitializer, <2 x i32> zeroinitializer)\n"
                            "store <2 x i32> %w, ptr addrspace(1) %b\n";

/* A load at %p, whose value is stored at %id, keeps the address alive. */
static const char tail[] = "%v = load float, ptr addrspace(1) %p\n%q = getelementptr float, ptr addrspace(1) %b, i64 %id\n"
                           "store float %v, ptr addrspace(1) %q\nret void }\n";

#define AT_T "%x = sext i32 %t to i64\n%p = getelementptr float, ptr addrspace(1) %a, i64 %x"
struct shape_case {
    const char *code;  /* defines %p from %a, %id, %i, %y, %n, %m */
    const char *shape; /* of %p, as printed */
};
static const struct shape_case cases[] = {
    {"%p = getelementptr float, ptr addrspace(1) %a, i64 %id", "affine 4 "},
    /* The index of OpenCL C: an int, extended again. */
    {"%x = sext i32 %i to i64\n%p = getelementptr float, ptr addrspace(1) %a, i64 %x", "affine 4 "},
    {"%x = sext i32 %i to i64\n%p = getelementptr i8, ptr addrspace(1) %a, i64 %x", "affine 1 "},
    {"%c = add nsw i32 %i, -3\n%x = sext i32 %c to i64\n%p = getelementptr float, ptr addrspace(1) %a, i64 %x", "affine 4 "},
    {"%r = mul nsw i32 %y, %n\n%c = add nsw i32 %r, %i\n%x = sext i32 %c to i64\n%p = getelementptr float, ptr addrspace(1) %a, i64 %x",
     "affine 4 "},
    {"%r = shl i32 %i, 2\n%c = or disjoint i32 %r, 1\n%x = sext i32 %c to i64\n%p = getelementptr i8, ptr addrspace(1) %a, i64 %x",
     "affine 4 "},
    /* May wrap within the packet, for all one knows. */
    {"%c = add i32 %i, %m\n%x = zext i32 %c to i64\n%p = getelementptr float, ptr addrspace(1) %a, i64 %x", "varying "},
    {"%r = mul nsw i32 %i, %n\n%x = sext i32 %r to i64\n%p = getelementptr float, ptr addrspace(1) %a, i64 %x", "varying "},
    /* Bits that all lanes share. */
    {"%c = and i64 %id, 63\n%p = getelementptr float, ptr addrspace(1) %a, i64 %c", "affine 4 "},
    {"%c = lshr i64 %id, 6\n%p = getelementptr float, ptr addrspace(1) %a, i64 %c", "uniform "},
    {"%c = and i64 %id, -16\n%p = getelementptr float, ptr addrspace(1) %a, i64 %c", "uniform "},
    {"%c = lshr i64 %id, 3\n%p = getelementptr float, ptr addrspace(1) %a, i64 %c", "varying "},
    {"%c = and i64 %id, 7\n%p = getelementptr float, ptr addrspace(1) %a, i64 %c", "varying "},
    {"%d = shl i64 %id, 2\n%c = and i64 %d, 67\n%p = getelementptr float, ptr addrspace(1) %a, i64 %c", "uniform "},
    {"%c = lshr i64 %id, 3\n%d = and i64 %c, -2\n%p = getelementptr float, ptr addrspace(1) %a, i64 %d", "uniform "},
    {"%c = lshr i64 %id, 3\n%t = trunc i64 %c to i32\n%d = or i32 %t, 1\n%x = sext i32 %d to i64\n"
     "%p = getelementptr float, ptr addrspace(1) %a, i64 %x",
     "uniform "},
    {"%c = lshr i64 %id, 3\n%t = trunc i64 %c to i32\n%d = shl i32 %t, 4\n%e = or i32 %d, 16\n%f = add nsw i32 %e, %i\n"
     "%x = sext i32 %f to i64\n%p = getelementptr float, ptr addrspace(1) %a, i64 %x",
     "affine 4 "},
    {"%c = lshr i64 %id, 2\n%d = and i64 %c, -2\n%p = getelementptr float, ptr addrspace(1) %a, i64 %d", "varying "},
    {"%c = xor i64 %id, 32\n%p = getelementptr float, ptr addrspace(1) %a, i64 %c", "affine 4 "},
    {"%c = or i64 %id, 15\n%p = getelementptr float, ptr addrspace(1) %a, i64 %c", "uniform "},
    {"%c = or i64 %id, 1\n%p = getelementptr float, ptr addrspace(1) %a, i64 %c", "varying "},
    {"%d = shl i64 %id, 2\n%c = or i64 %d, 67\n%p = getelementptr float, ptr addrspace(1) %a, i64 %c", "affine 16 "},
    {"%d = shl i64 %id, 2\n%c = or i64 %d, 4\n%p = getelementptr float, ptr addrspace(1) %a, i64 %c", "varying "},
    {"%d = shl i64 %id, 2\n%c = or i64 %d, 3\n%p = getelementptr i8, ptr addrspace(1) %a, i64 %c", "affine 4 "},
    {"%d = shl i64 %id, 2\n%c = or i64 %d, 60\n%p = getelementptr i8, ptr addrspace(1) %a, i64 %c", "uniform "},
    /* -1 - id */
    {"%c = xor i64 %id, -1\n%p = getelementptr float, ptr addrspace(1) %a, i64 %c", "affine -4 "},
    {"%t = xor i32 %i, -1\n" AT_T, "affine -4 "},
    {"%c = xor i64 %id, 1\n%p = getelementptr float, ptr addrspace(1) %a, i64 %c", "varying "},
    {"%p = getelementptr float, ptr addrspace(1) %a, i64 %y64", "uniform "},
    /* A bound that no packet straddles. */
    {"%c = icmp slt i32 %i, 64\n%t = select i1 %c, i32 %n, i32 %m\n" AT_T, "uniform "},
    {"%c = icmp slt i32 %i, 60\n%t = select i1 %c, i32 %n, i32 %m\n" AT_T, "varying "},
    {"%c = icmp sgt i32 %i, 47\n%t = select i1 %c, i32 %n, i32 %m\n" AT_T, "uniform "},
    {"%c = icmp sgt i32 %i, 48\n%t = select i1 %c, i32 %n, i32 %m\n" AT_T, "varying "},
    {"%d = shl i32 %n, 4\n%c = icmp ugt i32 %d, %i\n%t = select i1 %c, i32 %n, i32 %m\n" AT_T, "uniform "},
    {"%d = shl i32 %n, 3\n%c = icmp ugt i32 %d, %i\n%t = select i1 %c, i32 %n, i32 %m\n" AT_T, "varying "},
    {"%d = shl i32 %n, 4\n%c = icmp uge i32 %d, %i\n%t = select i1 %c, i32 %n, i32 %m\n" AT_T, "varying "},
    {"%c = icmp eq i32 %i, 64\n%t = select i1 %c, i32 %n, i32 %m\n" AT_T, "varying "},
    {"%d = shl i32 %i, 1\n%c = icmp slt i32 %d, 80\n%t = select i1 %c, i32 %n, i32 %m\n" AT_T, "varying "},
    {"%d = sub i32 64, %i\n%c = icmp slt i32 %d, 32\n%t = select i1 %c, i32 %n, i32 %m\n" AT_T, "varying "},
    /* Both sides as far apart from lane to lane. */
    {"%d = getelementptr float, ptr addrspace(1) %a, i64 %id\n%x = sext i32 %n to i64\n"
     "%e = getelementptr inbounds float, ptr addrspace(1) %d, i64 %x\n%c = icmp ult ptr addrspace(1) %d, %e\n"
     "%u = select i1 %c, i64 3, i64 %y64\n%p = getelementptr float, ptr addrspace(1) %a, i64 %u",
     "uniform "},
    {"%d = add nsw i32 %i, %n\n%e = add nsw i32 %i, %m\n%c = icmp slt i32 %d, %e\n%t = select i1 %c, i32 %n, i32 %m\n" AT_T, "uniform "},
    {"%d = add i32 %i, %n\n%e = add i32 %i, %m\n%c = icmp slt i32 %d, %e\n%t = select i1 %c, i32 %n, i32 %m\n" AT_T, "varying "},
    {"%d = add nsw i32 %i, %n\n%e = add nsw i32 %i, %m\n%c = icmp ult i32 %d, %e\n%t = select i1 %c, i32 %n, i32 %m\n" AT_T, "varying "},
    {"%d = mul nsw i32 %n, %m\n%e = add i32 %i, %d\n%f = add i32 %i, %m\n%c = icmp eq i32 %e, %f\n%t = select i1 %c, i32 %n, i32 %m\n" AT_T,
     "uniform "},
    {"%d = shl nsw i32 %i, 1\n%e = add nsw i32 %i, %n\n%c = icmp slt i32 %d, %e\n%t = select i1 %c, i32 %n, i32 %m\n" AT_T, "varying "},
    /* What lanes make together. */
    {"%t = call i32 @__tsr_ballot(i32 1, i32 %i)\n" AT_T, "uniform "},
    {"%t = call i32 @__tsr_reduce_add_int(i32 0, i32 %i, i32 32)\n" AT_T, "uniform "},
    {"%t = call i32 @__tsr_reduce_add_int(i32 0, i32 %i, i32 8)\n" AT_T, "varying "},
    {"%t = call i32 @__tsr_reduce_add_int(i32 0, i32 %i, i32 %n)\n" AT_T, "varying "},
    {"%t = call i32 @__tsr_scan_inclusive_add_int(i32 0, i32 %n)\n" AT_T, "varying "},
    {"%t = call i32 @__tsr_shuffle_int(i32 0, i32 %i, i32 %n)\n" AT_T, "uniform "},
    {"%t = call i32 @__tsr_shuffle_int(i32 0, i32 %n, i32 %i)\n" AT_T, "uniform "},
    {"%t = call i32 @__tsr_shuffle_int(i32 0, i32 %i, i32 %i)\n" AT_T, "varying "},
};

/* In a packet of two sub-groups. */
static const struct shape_case pair_cases[] = {
    {"%c = and i64 %id, 7\n%p = getelementptr float, ptr addrspace(1) %a, i64 %c", "halves 4    0 apart "},
    {"%c = lshr i64 %id, 3\n%d = mul i64 %c, 100\n%p = getelementptr float, ptr addrspace(1) %a, i64 %d", "halves 0    400 apart "},
    {"%c = lshr i64 %id, 3\n%d = mul i64 %c, %y64\n%e = add i64 %d, %l\n%p = getelementptr float, ptr addrspace(1) %a, i64 %e",
     "halves 4 "},
    {"%c = lshr i64 %id, 3\n%d = and i64 %c, 1\n%e = shl i64 %d, 4\n%f = and i64 %id, 7\n%h = add i64 %e, %f\n"
     "%p = getelementptr float, ptr addrspace(1) %a, i64 %h",
     "halves 4    64 apart "},
    {"%c = lshr i64 %id, 2\n%p = getelementptr float, ptr addrspace(1) %a, i64 %c", "varying "},
    {"%c = lshr i64 %id, 3\n%d = or i64 %c, 1\n%p = getelementptr float, ptr addrspace(1) %a, i64 %d", "halves 0    0 apart "},
    {"%c = lshr i64 %id, 3\n%d = or i64 %c, 2\n%p = getelementptr float, ptr addrspace(1) %a, i64 %d", "halves 0    4 apart "},
    {"%p = getelementptr float, ptr addrspace(1) %a, i64 %id", "affine 4 "},
    {"%t = call i32 @__tsr_ballot(i32 1, i32 %i)\n" AT_T, "halves 0 "},
    {"%t = call i32 @__tsr_reduce_add_int(i32 0, i32 %i, i32 8)\n" AT_T, "halves 0 "},
    {"%t = call i32 @__tsr_shuffle_int(i32 0, i32 %i, i32 %n)\n" AT_T, "halves 0 "},
    {"%t = call i32 @__tsr_shuffle_int(i32 0, i32 %n, i32 %i)\n" AT_T, "uniform "},
};

/* What is printed of a kernel whose text this is, in `arena`. */
static char *shapes_of(struct tsr_arena *arena, const char *text, bool pair)
{
    struct tsr_buf out = {0};
    struct tsr_program_info info = {.kernel_count = 1};
    struct tsr_lanes_options options = {.default_sub_group_size = pair ? 8 : 16, .opt_level = 2, .packets = true};
    LLVMContextRef context = LLVMContextCreate();
    char *message = NULL;
    LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(text, strlen(text), "test");
    LLVMModuleRef module;
    if (LLVMParseIRInContext(context, buffer, &module, &message))
        fail_msg("%s", message);
    info.kernels = tsr_arena_alloc(arena, sizeof *info.kernels);
    info.kernels[0].name = "k";
    struct tsr__compilation l = {.module = module, .context = context, .options = &options, .arena = arena, .info = &info};
    assert_true(tsr__run_passes(&l, tsr__find_pass("inline_calls"), tsr__find_pass("dot_idiom")));
    assert_true(tsr__packet_shapes(&l, &out));
    char *all = tsr_arena_format(arena, "%.*s", (int)out.size, (const char *)out.data);
    tsr_buf_free(&out);
    tsr_arena_free(&l.scratch);
    LLVMDisposeModule(module);
    LLVMContextDispose(context);
    return all;
}

static void check(const struct shape_case *list, size_t count, bool pair)
{
    for (size_t i = 0; i < count; i++) {
        struct tsr_arena arena = {0};
        char *all = shapes_of(&arena, tsr_arena_format(&arena, "%s%s\n%s%s", head, list[i].code, pair ? split : "", tail), pair);
        char *at = strstr(all, "%p = getelementptr");
        if (!at)
            fail_msg("case %zu: no %%p in\n%s", i, all);
        while (at > all && at[-1] != '\n')
            at--;
        if (strncmp(at, "  ", 2) != 0 || strncmp(at + 2, list[i].shape, strlen(list[i].shape)) != 0)
            fail_msg("case %zu: not %sbut %.*s", i, list[i].shape, (int)strcspn(at, "\n"), at);
        tsr_arena_free(&arena);
    }
}

static void test_addresses(void **state)
{
    (void)state;
    check(cases, TSR_ARRAY_LEN(cases), false);
}

static void test_pairs(void **state)
{
    (void)state;
    check(pair_cases, TSR_ARRAY_LEN(pair_cases), true);
}

/* Code that makes its values visible: nothing of it may be optimised away. */
#define KEEP(name, place, value)                                                                                                           \
    "%p" name " = getelementptr i32, ptr addrspace(1) %b, i32 " place "\nstore volatile i32 " value ", ptr addrspace(1) %p" name "\n"

/* What is printed of blocks, each without its number, and of some values. */
static void test_divergence(void **state)
{
    (void)state;
    static const struct {
        const char *code;
        const char *lines[4];
    } flow[] = {
        /* A branch on a varying condition, and the join behind it. */
        {"br label %from\nfrom: " KEEP("0", "%n", "%n") "%c = icmp slt i32 %i, %n\nbr i1 %c, label %then, label %else\n"
                                                        "then: " KEEP("1", "%i", "%m") "br label %end\nelse: " KEEP(
                                                            "2", "%i", "%n") "br label %end\n"
                                                                             "end: %v = phi i32 [ %n, %then ], [ %m, %else ]\n" KEEP(
                                                                                 "3", "%i", "%v") "ret void }\n",
         {" diverges\n", "then partial\n", "else partial\n", "end join\n  varying            %v = phi"}},
        /* … on a uniform one. */
        {"%c = icmp slt i32 %m, %n\nbr i1 %c, label %then, label %else\n"
         "then: " KEEP("1", "%i", "%m") "br label %end\nelse: " KEEP(
             "2", "%i", "%n") "br label %end\n"
                              "end: %v = phi i32 [ %n, %then ], [ %m, %else ]\n" KEEP("3", "%i", "%v") "ret void }\n",
         {"then\n", "else\n", "end\n  uniform            %v = phi", NULL}},
        /* Nobody comes back from a trap: behind it are all who are left. */
        {"%c = icmp slt i32 %i, %n\nbr i1 %c, label %bad, label %good\nbad: call void @llvm.trap()\nunreachable\n"
         "good: " KEEP("1", "%n", "%m") "ret void }\ndeclare void @llvm.trap()\n",
         {" diverges\n", "bad partial\n", "good\n", NULL}},
        /* A loop that lanes leave in different rounds: its counter is uniform in it and varying behind it. */
        {"br label %loop\nloop: %r = phi i32 [ 0, %0 ], [ %t, %loop ]\n" KEEP(
             "1", "%i", "%r") "%t = add i32 %r, 1\n"
                              "%c = icmp slt i32 %t, %i\nbr i1 %c, label %loop, label %end\nend: %v = mul i32 %t, 3\n" KEEP(
                                  "2", "%i", "%v") "ret void }\n",
         {"loop partial diverges loop 0 divergent\n", "  uniform            %r = phi", "  varying            %v = mul", NULL}},
        /* One that they leave together. */
        {"br label %loop\nloop: %r = phi i32 [ 0, %0 ], [ %t, %loop ]\n" KEEP(
             "1", "%i", "%r") "%t = add i32 %r, 1\n"
                              "%c = icmp slt i32 %t, %n\nbr i1 %c, label %loop, label %end\nend: %v = mul i32 %t, 3\n" KEEP(
                                  "2", "%i", "%v") "ret void }\n",
         {"loop loop 0\n", "end\n", "  uniform            %v = mul", NULL}},
    };
    for (size_t i = 0; i < TSR_ARRAY_LEN(flow); i++) {
        struct tsr_arena arena = {0};
        char *all = shapes_of(&arena, tsr_arena_format(&arena, "%s%s", head, flow[i].code), false);
        for (size_t k = 0; k < TSR_ARRAY_LEN(flow[i].lines) && flow[i].lines[k]; k++)
            if (!strstr(all, flow[i].lines[k]))
                fail_msg("case %zu: no '%s' in\n%s", i, flow[i].lines[k], all);
        tsr_arena_free(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_addresses), cmocka_unit_test(test_pairs), cmocka_unit_test(test_divergence)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
