/* SPDX-License-Identifier: Apache-2.0
 * Does LLVM still have the faults of lanes/llvm_bugs.def? Each module of llvm_bugs/ is compiled without the engine. Its comments say how:
 *
 *     ; codegen: FEATURES     to assembly, for a CPU that has these
 *     ; passes: PASSES        through these of LLVM's passes, to text
 *
 * and what the result has, or lacks, as long as LLVM has the fault:
 *
 *     ; fault with: TEXT
 *     ; fault without: TEXT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <llvm-c/Core.h>
#include <llvm-c/IRReader.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>
#include <llvm-c/Transforms/PassBuilder.h>

#include "tessera/base.h"

enum shows { HIDDEN, SHOWS };

static const struct bug {
    const char *id;
    enum shows shows;
    unsigned issue; /* 0: none */
    const char *work_round;
} bugs[] = {
#define TSR_LLVM_BUG(id, shows, issue, work_round, text) {#id, shows, issue, work_round},
#include "lanes/llvm_bugs.def"
#undef TSR_LLVM_BUG
};

static LLVMTargetMachineRef make_machine(const char *features)
{
    static const char triple[] = "x86_64-unknown-linux-gnu";
    LLVMTargetRef target;
    char *why = NULL;
    if (LLVMGetTargetFromTriple(triple, &target, &why))
        fail_msg("%s", why);
    return LLVMCreateTargetMachine(target, triple, "x86-64", features, LLVMCodeGenLevelDefault, LLVMRelocPIC, LLVMCodeModelDefault);
}

/* The result as text in which tabs are blanks. */
static char *compile(struct tsr_arena *arena, LLVMModuleRef module, const char *features, const char *passes)
{
    LLVMTargetMachineRef machine = make_machine(features ? features : "");
    char *text, *why = NULL;
    if (passes) {
        LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
        LLVMErrorRef error = LLVMRunPasses(module, passes, machine, options);
        assert_null(error);
        LLVMDisposePassBuilderOptions(options);
        char *printed = LLVMPrintModuleToString(module);
        text = tsr_arena_format(arena, "%s", strstr(printed, "\ndefine "));
        LLVMDisposeMessage(printed);
    } else {
        LLVMMemoryBufferRef buffer;
        if (LLVMTargetMachineEmitToMemoryBuffer(machine, module, LLVMAssemblyFile, &why, &buffer))
            fail_msg("%s", why);
        text = tsr_arena_format(arena, "%.*s", (int)LLVMGetBufferSize(buffer), LLVMGetBufferStart(buffer));
        LLVMDisposeMemoryBuffer(buffer);
    }
    LLVMDisposeTargetMachine(machine);
    for (char *c = text; *c; c++)
        *c = *c == '\t' ? ' ' : *c;
    return text;
}

/* What stands behind `key` in the rest of the comments, from *at on, which moves behind it; or NULL. */
static char *find_comment(struct tsr_arena *arena, const char **at, const char *key)
{
    const char *found = strstr(*at, key);
    if (!found)
        return NULL;
    found += strlen(key);
    *at = found + strcspn(found, "\n");
    return tsr_arena_format(arena, "%.*s", (int)(*at - found), found);
}

static bool has_fault(struct tsr_arena *arena, const char *id)
{
    char *why = NULL, *source;
    LLVMMemoryBufferRef buffer;
    LLVMModuleRef module;
    size_t size;
    const char *path = tsr_arena_format(arena, SOURCES "/lanes/test/llvm_bugs/%s.ll", id);
    LLVMContextRef context = LLVMContextCreate();
    if (LLVMCreateMemoryBufferWithContentsOfFile(path, &buffer, &why))
        fail_msg("%s: %s", path, why);
    size = LLVMGetBufferSize(buffer);
    source = tsr_arena_format(arena, "%.*s", (int)size, LLVMGetBufferStart(buffer));
    if (LLVMParseIRInContext(context, buffer, &module, &why))
        fail_msg("%s: %s", path, why);
    const char *at = source, *features = find_comment(arena, &at, "; codegen: ");
    const char *passes = features ? NULL : find_comment(arena, &at, "; passes: ");
    assert_true(features || passes);
    const char *made = compile(arena, module, features, passes), *wanted;
    bool fault = true;
    unsigned conditions = 0;
    for (at = source; (wanted = find_comment(arena, &at, "; fault with: ")) != NULL; conditions++)
        fault = fault && strstr(made, wanted);
    for (at = source; (wanted = find_comment(arena, &at, "; fault without: ")) != NULL; conditions++)
        fault = fault && !strstr(made, wanted);
    assert_true(conditions);
    if (!fault)
        print_message("%s\n", made);
    LLVMDisposeModule(module);
    LLVMContextDispose(context);
    return fault;
}

static void test_faults(void **state)
{
    unsigned major, minor, patch, gone = 0;
    (void)state;
    LLVMGetVersion(&major, &minor, &patch);
    for (size_t i = 0; i < TSR_ARRAY_LEN(bugs); i++) {
        const struct bug *bug = &bugs[i];
        struct tsr_arena arena = {0};
        const char *work_round = tsr_arena_format(&arena, SOURCES "/%s", bug->work_round);
        if (access(work_round, R_OK))
            fail_msg("lanes/llvm_bugs.def: there is no %s", bug->work_round);
        if (bug->shows == SHOWS && !has_fault(&arena, bug->id)) {
            print_error(
                "LLVM %u.%u.%u does not show the fault '%s' (issue %u) any more. If LLVM is mended, its work-round in %s can go, with its "
                "row in\n"
                "lanes/llvm_bugs.def and lanes/test/llvm_bugs/%s.ll; if the code above is wrong in another way, mend that module.\n",
                major, minor, patch, bug->id, bug->issue, bug->work_round, bug->id);
            gone++;
        }
        tsr_arena_free(&arena);
    }
    assert_int_equal(gone, 0);
}

int main(void)
{
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_faults)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
