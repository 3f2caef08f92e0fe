/* SPDX-License-Identifier: Apache-2.0
 * Machine code. The code generator reports every function's frame through the context's diagnostic handler (each function asks for a
 * warning above 0 bytes), and the call graph adds them up to what one work-item of a kernel needs. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lanes/lower/codegen_shim.h"
#include "lanes/ir/explain.h"
#include "lanes/ir/match.h"

enum {
    CALL_BYTES = 8 + TSR_MAX_ALIGN, /* return address, and what aligning a frame may cost */
    LEAF_BYTES = 512,               /* memcpy and the like */
};

/* "<file>:<line>:<column>: stack frame size (1234) exceeds limit (0) in function 'name'" */
static bool take_frame(struct tsr__compilation *l, const char *text)
{
    unsigned long bytes;
    text = strstr(text, "stack frame size (");
    if (!text || sscanf(text, "stack frame size (%lu)", &bytes) != 1)
        return false;
    const char *name = strstr(text, "function '");
    const char *end = strrchr(text, '\'');
    if (!name || end <= name)
        return false;
    name += strlen("function '");
    if (l->frame_count == l->frame_room) {
        size_t room = l->frame_room ? 2 * l->frame_room : 64;
        struct tsr__stack_frame *more = tsr_arena_alloc(&l->scratch, room * sizeof *more);
        if (l->frame_count)
            memcpy(more, l->frames, l->frame_count * sizeof *more);
        l->frames = more;
        l->frame_room = room;
    }
    l->frames[l->frame_count++] = (struct tsr__stack_frame){tsr_arena_format(&l->scratch, "%.*s", (int)(end - name), name), bytes};
    return true;
}

static void on_diagnostic(LLVMDiagnosticInfoRef info, void *context)
{
    struct tsr__compilation *l = context;
    char *text = LLVMGetDiagInfoDescription(info);
    if (!take_frame(l, text) && LLVMGetDiagInfoSeverity(info) == LLVMDSError)
        tsr__fail(l, "%s", text);
    LLVMDisposeMessage(text);
}

/* ---- stack of a kernel ---- */

struct depth {
    struct tsr__compilation *l;
    struct tsr__map frames; /* function → bytes + 1 */
    struct tsr__map known;  /* function → bytes with all that it calls + 1; 1 while it is being computed */
};

static uint64_t depth_of(struct depth *d, LLVMValueRef f)
{
    uintptr_t known = tsr__map_get(&d->known, f);
    if (known)
        return known - 1;
    tsr__map_set(&d->known, f, 1);
    uint64_t deepest = LEAF_BYTES;
    for (LLVMValueRef i = tsr__first(f); i; i = tsr__next(i)) {
        LLVMValueRef callee = LLVMIsAStoreInst(i) ? LLVMIsAFunction(LLVMGetOperand(i, 0)) : tsr__callee(i); /* stored: for the device */
        uint64_t depth = callee && !LLVMIsDeclaration(callee) ? depth_of(d, callee) : 0;
        if (depth > deepest)
            deepest = depth;
    }
    uintptr_t frame = tsr__map_get(&d->frames, f);
    deepest += (frame ? frame - 1 : 0) + CALL_BYTES;
    tsr__map_set(&d->known, f, deepest + 1);
    return deepest;
}

/* ---- large functions ---- */

/* The code generator has passes whose time grows with the square of a function's size.
 * - Many blocks: the register allocator's search for the blocks in which a register is worth keeping starts anew for each register: 200
 * loops one after the other took it 18 s.
 * - Large: constants of a loop move in front of it, however many there are, as those of all cases of a switch out of the loop over packets.
 *   Registers that live through thousands of blocks take the register allocator such time, as do the ways of one jump table the placement
 * of blocks.
 * - Huge: nearly all of it, so the code generator does no more than it must, as for -cl-opt-disable. Of packets, which gain most from
 *   it, the pass "size_late" has seen to it that there are not too many instructions. */
enum tsr__code_size tsr__code_size(LLVMValueRef function, bool alone)
{
    enum { MANY_BLOCKS = 500, VERY_MANY_BLOCKS = 1500, TOO_MANY_BLOCKS = 5000, TOO_MANY_INSTRUCTIONS = 40000, TOO_MANY_IN_BLOCK = 8000 };
    unsigned blocks = LLVMCountBasicBlocks(function), instructions = 0, most_in_block = 0;
    for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(function); bb; bb = LLVMGetNextBasicBlock(bb)) {
        unsigned in_block = 0;
        for (LLVMValueRef i = LLVMGetFirstInstruction(bb); i; i = LLVMGetNextInstruction(i))
            in_block++;
        instructions += in_block;
        most_in_block = in_block > most_in_block ? in_block : most_in_block;
    }
    bool huge = blocks > TOO_MANY_BLOCKS || (alone && (instructions > TOO_MANY_INSTRUCTIONS || most_in_block > TOO_MANY_IN_BLOCK));
    if (huge)
        return TSR__CODE_HUGE;
    return blocks > VERY_MANY_BLOCKS ? TSR__CODE_LARGE : blocks > MANY_BLOCKS ? TSR__CODE_MANY_BLOCKS : TSR__CODE_USUAL;
}

static enum tsr__code_size size_of_largest(struct tsr__compilation *l)
{
    size_t count;
    enum tsr__code_size largest = TSR__CODE_USUAL;
    bool alone = tsr__all_run_as_reference(l);
    LLVMValueRef *functions = tsr__defined_functions(l, &count);
    for (size_t i = 0; i < count; i++) {
        enum tsr__code_size size = tsr__code_size(functions[i], alone);
        largest = size > largest ? size : largest;
    }
    return largest;
}

static bool make_plain_machine(struct tsr__compilation *l)
{
    LLVMDisposeTargetMachine(l->machine);
    l->machine = NULL;
    return tsr__make_machine(l, 0);
}

static bool generate(struct tsr__compilation *l, char **message, LLVMMemoryBufferRef *code)
{
    static pthread_rwlock_t setting = PTHREAD_RWLOCK_INITIALIZER;
    enum tsr__code_size size = size_of_largest(l);
    if (size == TSR__CODE_HUGE && !make_plain_machine(l))
        return false;
    bool many = size == TSR__CODE_LARGE || size == TSR__CODE_MANY_BLOCKS,
         chains = LLVMGetNamedMetadata(l->module, TSR__INTERLEAVED, strlen(TSR__INTERLEAVED));
    bool sets = many || chains;
    if (sets)
        pthread_rwlock_wrlock(&setting);
    else
        pthread_rwlock_rdlock(&setting);
    if (many)
        tsr__for_many_blocks(true);
    if (chains)
        tsr__for_several_chains(true);
    if (size == TSR__CODE_LARGE)
        tsr__for_large_functions(true, tsr__all_run_as_reference(l));
    bool failed = LLVMTargetMachineEmitToMemoryBuffer(l->machine, l->module, LLVMObjectFile, message, code);
    if (size == TSR__CODE_LARGE)
        tsr__for_large_functions(false, false);
    if (chains)
        tsr__for_several_chains(false);
    if (many)
        tsr__for_many_blocks(false);
    pthread_rwlock_unlock(&setting);
    return !failed;
}

bool tsr__pass_emit(struct tsr__compilation *l)
{
    if (!l->machine)
        return tsr__fail(l, "the module is not for x86-64: the pass retarget comes first");
    LLVMDiagnosticHandler old_handler = LLVMContextGetDiagnosticHandler(l->context);
    void *old_context = LLVMContextGetDiagnosticContext(l->context);
    LLVMContextSetDiagnosticHandler(l->context, on_diagnostic, l);
    char *message = NULL;
    LLVMMemoryBufferRef code = NULL;
    bool good = generate(l, &message, &code);
    LLVMContextSetDiagnosticHandler(l->context, old_handler, old_context);
    if (!good) {
        if (message) {
            tsr__fail(l, "no machine code: %s", message);
            LLVMDisposeMessage(message);
        }
        return false;
    }
    tsr_buf_bytes(l->object, LLVMGetBufferStart(code), LLVMGetBufferSize(code));
    LLVMDisposeMemoryBuffer(code);
    if (l->why)
        return false;
    struct depth d = {.l = l, .frames = {.arena = &l->scratch}, .known = {.arena = &l->scratch}};
    for (size_t i = 0; i < l->frame_count; i++) {
        LLVMValueRef f = LLVMGetNamedFunction(l->module, l->frames[i].function);
        if (f)
            tsr__map_set(&d.frames, f, l->frames[i].bytes + 1);
    }
    for (uint32_t k = 0; k < l->info->kernel_count; k++) {
        struct tsr_kernel_info *kernel = &l->info->kernels[k];
        LLVMValueRef entry = tsr__entry(l, kernel);
        if (!entry)
            return false;
        kernel->private_bytes = depth_of(&d, entry);
    }
    tsr__explain_code(l);
    return true;
}
