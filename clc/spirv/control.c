/* SPDX-License-Identifier: Apache-2.0
 * Control flow: branches, returns, phi instructions (SPIR-V specification 3.52.17). */
#include "clc/spirv/matrix.h"

#include <llvm-c/DebugInfo.h>
#include <string.h>

static LLVMBasicBlockRef block_at(struct tsr__reader *r, const struct tsr__inst *in, uint32_t operand)
{
    LLVMBasicBlockRef block = tsr__spirv_id(r, in, operand)->block;
    if (!block)
        tsr__spirv_fail(r, in, "id %u is no block of this function", in->operand[operand]);
    return block;
}

static LLVMMetadataRef text(struct tsr__reader *r, const char *words)
{
    return LLVMMDStringInContext2(r->context, words, strlen(words));
}

/* What the module says of unrolling the loop that begins with this block; NULL: nothing. */
static const char *unroll_hint(const struct tsr__reader *r, LLVMBasicBlockRef header)
{
    const struct tsr__loop *loop = r->body.loops;
    while (loop && loop->header != header)
        loop = loop->next;
    uint32_t control = loop ? loop->merge->operand[2] : 0;
    return control & TSR__LoopUnroll ? "llvm.loop.unroll.enable" : control & TSR__LoopDontUnroll ? "llvm.loop.unroll.disable" : NULL;
}

/* A jump back to the beginning of a loop gets llvm.loop. */
static void note_loop(struct tsr__reader *r, LLVMValueRef jump)
{
    const char *hint = NULL;
    for (unsigned i = 0; r->body.loops && i < LLVMGetNumSuccessors(jump) && !hint; i++)
        hint = unroll_hint(r, LLVMGetSuccessor(jump, i));
    if (!hint)
        return;
    LLVMMetadataRef word = text(r, hint), list = LLVMMDNodeInContext2(r->context, &word, 1);
    LLVMMetadataRef self = LLVMTemporaryMDNode(r->context, NULL, 0), parts[] = {self, list};
    LLVMMetadataRef loop = LLVMMDNodeInContext2(r->context, parts, 2);
    LLVMMetadataReplaceAllUsesWith(self, loop); /* a loop's node refers to itself, so that no two are one */
    LLVMSetMetadata(jump, LLVMGetMDKindIDInContext(r->context, "llvm.loop", strlen("llvm.loop")), LLVMMetadataAsValue(r->context, loop));
}

static void loop_merge(struct tsr__reader *r, const struct tsr__inst *in)
{
    struct tsr__loop *loop = tsr_arena_alloc(&r->arena, sizeof *loop);
    loop->header = r->body.block;
    loop->merge = in;
    loop->next = r->body.loops;
    r->body.loops = loop;
}

static void branch_conditional(struct tsr__reader *r, const struct tsr__inst *in)
{
    LLVMValueRef condition = tsr__spirv_value(r, in, 0);
    if (LLVMTypeOf(condition) != LLVMInt1TypeInContext(r->context))
        tsr__spirv_fail(r, in, "the condition is no truth value");
    LLVMBuildCondBr(r->builder, condition, block_at(r, in, 1), block_at(r, in, 2));
}

static void make_switch(struct tsr__reader *r, const struct tsr__inst *in)
{
    LLVMValueRef selector = tsr__spirv_value(r, in, 0);
    LLVMTypeRef type = LLVMTypeOf(selector);
    if (LLVMGetTypeKind(type) != LLVMIntegerTypeKind || LLVMGetIntTypeWidth(type) == 1)
        tsr__spirv_fail(r, in, "the selector is no integer");
    unsigned width = LLVMGetIntTypeWidth(type), words = width > 32 ? 2 : 1;
    if ((in->count - 2) % (words + 1) != 0)
        tsr__spirv_fail(r, in, "a literal of %u bits has %u words, then an id", width, words);
    LLVMValueRef made = LLVMBuildSwitch(r->builder, selector, block_at(r, in, 1), in->count / (words + 1));
    for (uint32_t i = 2; i < in->count; i += words + 1) {
        uint64_t bits = in->operand[i] | (words == 2 ? (uint64_t)in->operand[i + 1] << 32 : 0);
        if (width < 64)
            bits &= (1ull << width) - 1;
        LLVMAddCase(made, LLVMConstInt(type, bits, false), block_at(r, in, i + words));
    }
}

static void return_value(struct tsr__reader *r, const struct tsr__inst *in)
{
    LLVMValueRef value = tsr__spirv_value(r, in, 0);
    if (LLVMTypeOf(value) != LLVMGetReturnType(LLVMGlobalGetValueType(r->body.function)))
        tsr__spirv_fail(r, in, "the value is not of the type that the function returns");
    LLVMBuildRet(r->builder, value);
}

/* The first instruction that is no phi, NULL: there is none. */
static LLVMValueRef first_other(LLVMBasicBlockRef block)
{
    LLVMValueRef v = LLVMGetFirstInstruction(block);
    while (v && LLVMGetInstructionOpcode(v) == LLVMPHI)
        v = LLVMGetNextInstruction(v);
    return v;
}

static void phi(struct tsr__reader *r, const struct tsr__inst *in)
{
    const struct tsr__type *type = tsr__spirv_result_type(r, in);
    LLVMValueRef other = first_other(r->body.block);
    if (other && other != r->body.after_phis)
        tsr__spirv_fail(r, in, "it does not stand at the beginning of a block");
    if (in->count % 2 != 0)
        tsr__spirv_fail(r, in, "a value without its block");
    if (!LLVMTypeIsSized(type->llvm))
        tsr__spirv_fail(r, in, "its type has no values");
    if (other)
        LLVMPositionBuilderBefore(r->builder, other);
    r->ids[in->result].value = type->kind == TSR__MATRIX ? tsr__matrix_phi(r, type->matrix) : LLVMBuildPhi(r->builder, type->llvm, "");
    r->ids[in->result].type = (struct tsr__type *)type;
    r->body.after_phis = first_other(r->body.block);
    LLVMPositionBuilderAtEnd(r->builder, r->body.block);
}

void tsr__spirv_finish_phis(struct tsr__reader *r, uint32_t first, uint32_t last)
{
    for (uint32_t i = first; i < last; i++) {
        const struct tsr__inst *in = &r->insts[i];
        if (in->op->number != TSR__OpPhi)
            continue;
        LLVMValueRef made = r->ids[in->result].value;
        for (uint32_t k = 0; k < in->count; k += 2) {
            LLVMValueRef value = tsr__spirv_value(r, in, k);
            LLVMBasicBlockRef block = block_at(r, in, k + 1);
            if (LLVMTypeOf(value) != LLVMTypeOf(made))
                tsr__spirv_fail(r, in, "value %u is not of its type", k / 2 + 1);
            if (r->ids[in->result].type->kind == TSR__MATRIX)
                tsr__matrix_add_incoming(r, made, value, block);
            else
                LLVMAddIncoming(made, &value, &block, 1);
        }
    }
}

/* The end of a block. False: the instruction is none. */
static bool terminate(struct tsr__reader *r, const struct tsr__inst *in)
{
    switch (in->op->number) {
    case TSR__OpBranch:
        LLVMBuildBr(r->builder, block_at(r, in, 0));
        break;
    case TSR__OpBranchConditional:
        branch_conditional(r, in);
        break;
    case TSR__OpSwitch:
        make_switch(r, in);
        break;
    case TSR__OpReturn:
        if (LLVMGetTypeKind(LLVMGetReturnType(LLVMGlobalGetValueType(r->body.function))) != LLVMVoidTypeKind)
            tsr__spirv_fail(r, in, "the function returns a value");
        LLVMBuildRetVoid(r->builder);
        break;
    case TSR__OpReturnValue:
        return_value(r, in);
        break;
    case TSR__OpUnreachable:
        LLVMBuildUnreachable(r->builder);
        break;
    default:
        return false;
    }
    return true;
}

bool tsr__spirv_control(struct tsr__reader *r, const struct tsr__inst *in)
{
    switch (in->op->number) {
    case TSR__OpPhi:
        phi(r, in);
        return true;
    case TSR__OpLoopMerge:
        loop_merge(r, in);
        return true;
    case TSR__OpSelectionMerge:
    case TSR__OpLoopControlINTEL:
        return true;
    default:
        if (!terminate(r, in))
            return false;
        note_loop(r, LLVMGetBasicBlockTerminator(r->body.block));
        r->body.block = NULL;
        tsr__spirv_end_of_line(r);
        return true;
    }
}
