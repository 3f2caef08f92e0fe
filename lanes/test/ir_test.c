/* SPDX-License-Identifier: Apache-2.0
 * Maps of numbers, blocks that a switch reaches by several ways, and what happens if something does not hold that the engine relies on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include <llvm-c/Analysis.h>
#include <llvm-c/ErrorHandling.h>

#include "lanes/ir/blocks.h"

static jmp_buf way_out;
static char said[256];

static void fatal(const char *reason)
{
    snprintf(said, sizeof said, "%s", reason);
    longjmp(way_out, 1);
}

/* A key that is not there would count as a number far beside any array: the compiler says so, and goes no further. */
static void test_numbers(void **state)
{
    struct tsr_arena arena = {0};
    struct tsr__map map = {.arena = &arena};
    int keys[100], absent;
    (void)state;
    for (uintptr_t i = 0; i < TSR_ARRAY_LEN(keys); i++)
        tsr__map_set(&map, &keys[i], i + 1);
    for (size_t i = 0; i < TSR_ARRAY_LEN(keys); i++)
        assert_int_equal(tsr__map_number(&map, &keys[i]), i);
    LLVMInstallFatalErrorHandler(fatal);
    if (!setjmp(way_out)) {
        tsr__map_number(&map, &absent);
        fail_msg("a number for a key that is not there");
    }
    LLVMResetFatalErrorHandler();
    assert_non_null(strstr(said, "ir.c: number != 0"));
    tsr_arena_free(&arena);
}

/* A function whose switch reaches the block `behind` for two numbers, and by way of `other` for the rest. */
struct ways {
    struct tsr__compilation l;
    LLVMValueRef function, result;
    LLVMBasicBlockRef entry, other, behind;
};

static void make_ways(struct ways *w)
{
    *w = (struct ways){.l = {.context = LLVMContextCreate()}};
    LLVMContextRef c = w->l.context;
    LLVMTypeRef i32 = LLVMInt32TypeInContext(c);
    w->l.module = LLVMModuleCreateWithNameInContext("ways", c);
    w->function = LLVMAddFunction(w->l.module, "f", LLVMFunctionType(i32, &i32, 1, false));
    w->entry = LLVMAppendBasicBlockInContext(c, w->function, "entry");
    w->other = LLVMAppendBasicBlockInContext(c, w->function, "other");
    w->behind = LLVMAppendBasicBlockInContext(c, w->function, "behind");
    LLVMBuilderRef b = LLVMCreateBuilderInContext(c);
    LLVMPositionBuilderAtEnd(b, w->other);
    LLVMBuildBr(b, w->behind);
    LLVMPositionBuilderAtEnd(b, w->entry);
    LLVMValueRef by_number = LLVMBuildSwitch(b, LLVMGetParam(w->function, 0), w->other, 2);
    for (unsigned i = 0; i < 2; i++)
        LLVMAddCase(by_number, LLVMConstInt(i32, i, false), w->behind);
    LLVMPositionBuilderAtEnd(b, w->behind);
    LLVMValueRef phi = LLVMBuildPhi(b, i32, ""), one = LLVMConstInt(i32, 1, false), two = LLVMConstInt(i32, 2, false);
    LLVMAddIncoming(phi, (LLVMValueRef[]){one, one, two}, (LLVMBasicBlockRef[]){w->entry, w->entry, w->other}, 3);
    w->result = LLVMBuildRet(b, phi);
    LLVMDisposeBuilder(b);
    assert_int_equal(LLVMVerifyFunction(w->function, LLVMReturnStatusAction), 0);
}

static void drop_ways(struct ways *w)
{
    LLVMDisposeModule(w->l.module);
    LLVMContextDispose(w->l.context);
}

static void test_split_block(void **state)
{
    struct ways w;
    (void)state;
    make_ways(&w);
    LLVMBasicBlockRef made = tsr__split_block(&w.l, w.behind, w.result);
    assert_int_equal(LLVMVerifyFunction(w.function, LLVMReturnStatusAction), 0);
    assert_ptr_equal(LLVMGetSuccessor(LLVMGetBasicBlockTerminator(w.other), 0), made);
    for (unsigned way = 1; way <= 2; way++)
        assert_ptr_equal(LLVMGetSuccessor(LLVMGetBasicBlockTerminator(w.entry), way), made);
    drop_ways(&w);
}

static void test_split_edge(void **state)
{
    struct ways w;
    (void)state;
    make_ways(&w);
    LLVMBasicBlockRef made = tsr__split_edge(&w.l, w.entry, 1);
    assert_int_equal(LLVMVerifyFunction(w.function, LLVMReturnStatusAction), 0);
    assert_ptr_equal(LLVMGetSuccessor(LLVMGetBasicBlockTerminator(w.entry), 1), made);
    assert_ptr_equal(LLVMGetSuccessor(LLVMGetBasicBlockTerminator(w.entry), 2), w.behind);
    drop_ways(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_numbers), cmocka_unit_test(test_split_block),
                                       cmocka_unit_test(test_split_edge)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
