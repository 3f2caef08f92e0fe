/* SPDX-License-Identifier: Apache-2.0
 * The functions that the engine knows by name: each row of engine_calls.def is found by its name, and by no other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lanes/ir/calls.h"

static enum tsr__engine_call found(LLVMModuleRef module, const char *before, const char *name, const char *after)
{
    struct tsr_arena arena = {0};
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(LLVMGetModuleContext(module)), NULL, 0, false);
    LLVMValueRef f = LLVMAddFunction(module, tsr_arena_format(&arena, "%s%s%s", before, name, after), type);
    enum tsr__engine_call call = tsr__call_of_function(f);
    LLVMDeleteFunction(f);
    tsr_arena_free(&arena);
    return call;
}

static void test_names(void **state)
{
    (void)state;
    LLVMContextRef context = LLVMContextCreate();
    LLVMModuleRef module = LLVMModuleCreateWithNameInContext("names", context);
    for (int k = TSR__CALL_NONE + 1; k < TSR__CALL_COUNT; k++) {
        enum tsr__engine_call call = (enum tsr__engine_call)k;
        const char *name = tsr__call_info(call)->name;
        assert_int_equal(found(module, TSR__CALL_PREFIX, name, ""), call);
        /* The types of a collective stand behind its name. */
        assert_int_equal(found(module, TSR__CALL_PREFIX, name, "_add_int"), tsr__is_collective(call) ? call : TSR__CALL_NONE);
        assert_int_equal(found(module, TSR__CALL_PREFIX, name, "x"), TSR__CALL_NONE);
        assert_int_equal(found(module, TSR__RT_PREFIX, name, ""), TSR__CALL_NONE);
        assert_int_equal(found(module, "", name, ""), TSR__CALL_NONE);
        /* What needs the work-item is no collective; what can be asked for again has a result. */
        assert_false(tsr__is_primitive(call) && tsr__is_collective(call));
        assert_false(tsr__is_query(call) && tsr__call_info(call)->type == TSR__CALL_VOID);
    }
    assert_int_equal(found(module, TSR__CALL_PREFIX, "", ""), TSR__CALL_NONE);
    assert_false(tsr__is_primitive(TSR__CALL_NONE) || tsr__is_query(TSR__CALL_NONE) || tsr__is_collective(TSR__CALL_NONE));
    LLVMDisposeModule(module);
    LLVMContextDispose(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_names)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
