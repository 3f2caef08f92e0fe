/* SPDX-License-Identifier: Apache-2.0
 * Types, calls and control flow. */
#include "tensor/llvm/emit.h"
#include "tessera/lanes.h"

#include <llvm-c/DebugInfo.h>
#include <stdio.h>
#include <string.h>

enum { SPIR_FUNC = 75 };

LLVMTypeRef tsr__te_type(struct tsr__te *e, enum tsr__t_number number)
{
    switch (tsr__t_numbers[number].component) {
    case TSR__T_I8:
        return LLVMInt8TypeInContext(e->context);
    case TSR__T_I16:
    case TSR__T_BF16:
        return LLVMInt16TypeInContext(e->context);
    case TSR__T_I32:
        return LLVMInt32TypeInContext(e->context);
    case TSR__T_F16:
        return LLVMHalfTypeInContext(e->context);
    case TSR__T_F32:
        return LLVMFloatTypeInContext(e->context);
    case TSR__T_F64:
        return LLVMDoubleTypeInContext(e->context);
    default:
        return LLVMInt64TypeInContext(e->context);
    }
}

LLVMValueRef tsr__te_i64(struct tsr__te *e, int64_t number)
{
    return LLVMConstInt(LLVMInt64TypeInContext(e->context), (uint64_t)number, true);
}

LLVMValueRef tsr__te_i32(struct tsr__te *e, uint32_t number)
{
    return LLVMConstInt(LLVMInt32TypeInContext(e->context), number, false);
}

int64_t tsr__te_known(LLVMValueRef number)
{
    return LLVMIsAConstantInt(number) ? LLVMConstIntGetSExtValue(number) : -1;
}

uint64_t tsr__te_divisor(LLVMValueRef number)
{
    bool is_product = LLVMIsAInstruction(number) && LLVMGetInstructionOpcode(number) == LLVMMul;
    int64_t known = tsr__te_known(is_product ? LLVMGetOperand(number, 1) : number);
    return known >= 0 ? (uint64_t)known : 1;
}

_Noreturn void tsr__te_refuse(struct tsr__te *e, const struct tsr__t_inst *inst, const char *format, ...)
{
    char text[200];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    tsr__t_error(e->program, inst->at, "%s", text);
    longjmp(e->out, 1);
}

/* ---- calls ---- */

void tsr__te_set_attributes(struct tsr__te *e, LLVMValueRef function)
{
    static const char *const attributes[] = {"nounwind", "convergent"};
    for (size_t i = 0; i < TSR_ARRAY_LEN(attributes); i++) {
        unsigned kind = LLVMGetEnumAttributeKindForName(attributes[i], strlen(attributes[i]));
        LLVMAddAttributeAtIndex(function, (unsigned)LLVMAttributeFunctionIndex, LLVMCreateEnumAttribute(e->context, kind, 0));
    }
}

static LLVMValueRef call(struct tsr__te *e, const char *name, LLVMTypeRef result, LLVMValueRef *args, unsigned count)
{
    LLVMTypeRef *types = tsr_arena_alloc(e->arena, (count + 1) * sizeof *types);
    for (unsigned i = 0; i < count; i++)
        types[i] = LLVMTypeOf(args[i]);
    LLVMTypeRef type = LLVMFunctionType(result, types, count, false);
    LLVMValueRef function = LLVMGetNamedFunction(e->module, name);
    if (!function) {
        function = LLVMAddFunction(e->module, name, type);
        LLVMSetFunctionCallConv(function, SPIR_FUNC);
        tsr__te_set_attributes(e, function);
    }
    LLVMValueRef made = LLVMBuildCall2(e->builder, type, function, args, count, "");
    LLVMSetInstructionCallConv(made, SPIR_FUNC);
    return made;
}

LLVMValueRef tsr__te_call(struct tsr__te *e, const char *name, const char *codes, LLVMTypeRef result, LLVMValueRef *args, unsigned count)
{
    char mangled[160];
    snprintf(mangled, sizeof mangled, "_Z%zu%s%s", strlen(name), name, codes);
    return call(e, mangled, result, args, count);
}

void tsr__te_device_call(struct tsr__te *e, const char *name, LLVMValueRef *args, unsigned count)
{
    call(e, name, LLVMVoidTypeInContext(e->context), args, count);
}

LLVMValueRef tsr__te_intrinsic(struct tsr__te *e, const char *name, LLVMTypeRef overloaded, LLVMValueRef *args, unsigned count)
{
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    LLVMTypeRef type = LLVMIntrinsicGetType(e->context, id, &overloaded, 1);
    return LLVMBuildCall2(e->builder, type, LLVMGetIntrinsicDeclaration(e->module, id, &overloaded, 1), args, count, "");
}

LLVMValueRef tsr__te_lane(struct tsr__te *e)
{
    LLVMValueRef id = tsr__te_call(e, "get_sub_group_local_id", "v", LLVMInt32TypeInContext(e->context), NULL, 0);
    return LLVMBuildZExt(e->builder, id, LLVMInt64TypeInContext(e->context), "");
}

const char *tsr__te_code(enum tsr__t_number number)
{
    static const char *const codes[] = {[TSR__T_I8] = "c",   [TSR__T_I16] = "s",   [TSR__T_I32] = "i",
                                        [TSR__T_I64] = "l",  [TSR__T_INDEX] = "l", [TSR__T_BF16] = "s",
                                        [TSR__T_F16] = "Dh", [TSR__T_F32] = "f",   [TSR__T_F64] = "d"};
    return codes[tsr__t_numbers[number].component];
}

/* ---- values ---- */

LLVMValueRef *tsr__te_room(struct tsr__te *e, uint32_t count)
{
    return tsr_arena_alloc(e->arena, (count + 1) * sizeof(LLVMValueRef));
}

void tsr__te_set(struct tsr__te *e, const struct tsr__t_value *value, LLVMValueRef *parts, uint32_t count)
{
    struct tsr__te_value *own = &e->values[value->index];
    own->part = tsr__te_room(e, count);
    own->count = count;
    memcpy(own->part, parts, count * sizeof *parts);
}

LLVMValueRef tsr__te_slot(struct tsr__te *e, LLVMTypeRef type)
{
    LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(e->function), here = LLVMGetInsertBlock(e->builder);
    LLVMPositionBuilderBefore(e->builder, LLVMGetFirstInstruction(entry));
    LLVMValueRef made = LLVMBuildAlloca(e->builder, type, "");
    LLVMPositionBuilderAtEnd(e->builder, here);
    return made;
}

struct tsr__te_number tsr__te_get_number(struct tsr__te *e, const struct tsr__t_value *value)
{
    const struct tsr__te_value *own = &e->values[value->index];
    return tsr__te_number_at(own->part, own->count, 0);
}

void tsr__te_set_number(struct tsr__te *e, const struct tsr__t_value *value, struct tsr__te_number number)
{
    LLVMValueRef parts[] = {number.re, number.im};
    tsr__te_set(e, value, parts, number.im ? 2 : 1);
}

/* ---- control flow ---- */

LLVMBasicBlockRef tsr__te_block(struct tsr__te *e)
{
    return LLVMAppendBasicBlockInContext(e->context, e->function, "");
}

void tsr__te_loop(struct tsr__te *e, struct tsr__te_loop *loop, LLVMValueRef from, LLVMValueRef to, LLVMValueRef step, LLVMValueRef *first,
                  uint32_t count)
{
    LLVMBasicBlockRef before = LLVMGetInsertBlock(e->builder), body = tsr__te_block(e);
    *loop = (struct tsr__te_loop){
        .head = tsr__te_block(e), .end = tsr__te_block(e), .step = step, .carried = tsr__te_room(e, count), .count = count};
    LLVMMoveBasicBlockAfter(body, loop->head);
    LLVMBuildBr(e->builder, loop->head);
    LLVMPositionBuilderAtEnd(e->builder, loop->head);
    loop->index = LLVMBuildPhi(e->builder, LLVMTypeOf(from), "");
    LLVMAddIncoming(loop->index, &from, &before, 1);
    for (uint32_t i = 0; i < count; i++) {
        loop->carried[i] = LLVMBuildPhi(e->builder, LLVMTypeOf(first[i]), "");
        LLVMAddIncoming(loop->carried[i], &first[i], &before, 1);
    }
    LLVMBuildCondBr(e->builder, LLVMBuildICmp(e->builder, LLVMIntSLT, loop->index, to, ""), body, loop->end);
    LLVMPositionBuilderAtEnd(e->builder, body);
}

void tsr__te_sure_loop(struct tsr__te *e, struct tsr__te_loop *loop, LLVMValueRef from, LLVMValueRef to, LLVMValueRef step)
{
    LLVMBasicBlockRef before = LLVMGetInsertBlock(e->builder);
    *loop = (struct tsr__te_loop){.head = tsr__te_block(e), .end = tsr__te_block(e), .step = step, .to = to};
    LLVMBuildBr(e->builder, loop->head);
    LLVMPositionBuilderAtEnd(e->builder, loop->head);
    loop->index = LLVMBuildPhi(e->builder, LLVMTypeOf(from), "");
    LLVMAddIncoming(loop->index, &from, &before, 1);
}

void tsr__te_loop_or_once(struct tsr__te *e, struct tsr__te_loop *loop, LLVMValueRef from, LLVMValueRef to, LLVMValueRef step)
{
    int64_t first = tsr__te_known(from), last = tsr__te_known(to);
    if (first >= 0 && first < last && last - first <= tsr__te_known(step))
        *loop = (struct tsr__te_loop){.index = from};
    else
        tsr__te_loop(e, loop, from, to, step, NULL, 0);
}

void tsr__te_end_loop(struct tsr__te *e, struct tsr__te_loop *loop, LLVMValueRef *next)
{
    if (!loop->head)
        return;
    LLVMValueRef next_index[] = {loop->index, loop->step};
    LLVMValueRef index = loop->saturating ? tsr__te_intrinsic(e, "llvm.sadd.sat", LLVMTypeOf(loop->index), next_index, 2)
                                          : LLVMBuildAdd(e->builder, loop->index, loop->step, "");
    LLVMBasicBlockRef latch = LLVMGetInsertBlock(e->builder);
    if (loop->to)
        LLVMBuildCondBr(e->builder, LLVMBuildICmp(e->builder, LLVMIntSLT, index, loop->to, ""), loop->head, loop->end);
    else
        LLVMBuildBr(e->builder, loop->head);
    LLVMAddIncoming(loop->index, &index, &latch, 1);
    for (uint32_t i = 0; i < loop->count; i++)
        LLVMAddIncoming(loop->carried[i], &next[i], &latch, 1);
    LLVMMoveBasicBlockAfter(loop->end, latch);
    LLVMPositionBuilderAtEnd(e->builder, loop->end);
}

static LLVMMetadataRef hint(struct tsr__te *e, const char *name, uint32_t count)
{
    LLVMMetadataRef parts[2] = {LLVMMDStringInContext2(e->context, name, strlen(name))};
    if (count)
        parts[1] = LLVMValueAsMetadata(tsr__te_i32(e, count));
    return LLVMMDNodeInContext2(e->context, parts, count ? 2 : 1);
}

static void set_hints(struct tsr__te *e, const struct tsr__te_loop *loop, LLVMMetadataRef first, LLVMMetadataRef second)
{
    LLVMValueRef back = LLVMGetLastInstruction(LLVMGetPreviousBasicBlock(loop->end));
    LLVMMetadataRef place = LLVMTemporaryMDNode(e->context, NULL, 0), parts[] = {place, first, second};
    LLVMMetadataRef node = LLVMMDNodeInContext2(e->context, parts, second ? 3 : 2);
    LLVMMetadataReplaceAllUsesWith(place, node); /* the node is its own first part */
    LLVMSetMetadata(back, LLVMGetMDKindIDInContext(e->context, "llvm.loop", 9), LLVMMetadataAsValue(e->context, node));
}

void tsr__te_hint(struct tsr__te *e, const struct tsr__te_loop *loop, const char *name, uint32_t count)
{
    set_hints(e, loop, hint(e, name, count), NULL);
}

struct tsr__te_number tsr__te_carried(const struct tsr__te_loop *loop, uint32_t parts, uint32_t i)
{
    return tsr__te_number_at(loop->carried, parts, i);
}

struct tsr__te_number tsr__te_number_loop(struct tsr__te *e, struct tsr__te_loop *loop, LLVMValueRef from, LLVMValueRef to,
                                          LLVMValueRef step, struct tsr__te_number first)
{
    LLVMValueRef parts[] = {first.re, first.im};
    tsr__te_loop(e, loop, from, to, step, parts, first.im ? 2 : 1);
    return tsr__te_carried(loop, loop->count, 0);
}

struct tsr__te_number tsr__te_end_number_loop(struct tsr__te *e, struct tsr__te_loop *loop, struct tsr__te_number next)
{
    LLVMValueRef parts[] = {next.re, next.im};
    tsr__te_end_loop(e, loop, parts);
    return tsr__te_carried(loop, loop->count, 0);
}

void tsr__te_end_rolled_loop(struct tsr__te *e, struct tsr__te_loop *loop, LLVMValueRef *next)
{
    tsr__te_end_loop(e, loop, next);
    tsr__te_hint(e, loop, "llvm.loop.unroll.disable", 0);
}

void tsr__te_unroll_late(struct tsr__te *e, const struct tsr__te_loop *loop, uint32_t rounds)
{
    set_hints(e, loop, hint(e, "llvm.loop.unroll.disable", 0), hint(e, TSR_UNROLL_LATE, rounds));
}

void tsr__te_few_rounds(struct tsr__te *e, const struct tsr__te_loop *loop)
{
    set_hints(e, loop, hint(e, "llvm.loop.unroll.disable", 0), hint(e, TSR_ROW_REST, 0));
}

LLVMBasicBlockRef tsr__te_if(struct tsr__te *e, LLVMValueRef condition)
{
    if (!condition)
        return NULL;
    LLVMBasicBlockRef then = tsr__te_block(e), end = tsr__te_block(e);
    LLVMBuildCondBr(e->builder, condition, then, end);
    LLVMPositionBuilderAtEnd(e->builder, then);
    return end;
}

LLVMBasicBlockRef tsr__te_else(struct tsr__te *e, LLVMBasicBlockRef end)
{
    LLVMBasicBlockRef after = tsr__te_block(e);
    LLVMBuildBr(e->builder, after);
    LLVMMoveBasicBlockAfter(end, LLVMGetInsertBlock(e->builder));
    LLVMPositionBuilderAtEnd(e->builder, end);
    return after;
}

void tsr__te_end_if(struct tsr__te *e, LLVMBasicBlockRef end)
{
    if (!end)
        return;
    LLVMBuildBr(e->builder, end);
    LLVMMoveBasicBlockAfter(end, LLVMGetInsertBlock(e->builder));
    LLVMPositionBuilderAtEnd(e->builder, end);
}

LLVMValueRef tsr__te_whole(struct tsr__te *e, LLVMValueRef from, LLVMValueRef to, uint32_t width)
{
    LLVMBuilderRef b = e->builder;
    LLVMValueRef size = LLVMBuildSub(b, to, from, ""), unit = tsr__te_i64(e, width);
    LLVMValueRef blocks = LLVMBuildMul(b, LLVMBuildUDiv(b, size, unit, ""), unit, "");
    return LLVMBuildSelect(b, LLVMBuildICmp(b, LLVMIntSLT, from, to, ""), LLVMBuildAdd(b, from, blocks, ""), from, "");
}

enum tsr__te_blocks tsr__te_blocks_of(LLVMValueRef from, LLVMValueRef to, uint32_t width)
{
    int64_t first = tsr__te_known(from), last = tsr__te_known(to);
    if (first < 0 || last < first)
        return TSR__TE_MASKED;
    return (last - first) % width == 0 ? TSR__TE_WHOLE : last - first < width ? TSR__TE_LAST : TSR__TE_MASKED;
}

void tsr__te_spread(struct tsr__te *e, const struct tsr__te_spread *spread, enum tsr__te_blocks blocks, LLVMValueRef from, LLVMValueRef to)
{
    struct tsr__te_loop loop = {.index = from};
    if (blocks != TSR__TE_LAST)
        tsr__te_loop(e, &loop, from, to, tsr__te_i64(e, spread->width), NULL, 0);
    LLVMValueRef index = LLVMBuildAdd(e->builder, loop.index, spread->item, "");
    LLVMBasicBlockRef end = tsr__te_if(e, blocks == TSR__TE_WHOLE ? NULL : LLVMBuildICmp(e->builder, LLVMIntSLT, index, to, ""));
    spread->body(e, spread->context, index);
    tsr__te_end_if(e, end);
    tsr__te_end_loop(e, &loop, NULL);
}

struct tsr__te_guard tsr__te_guard(struct tsr__te *e, LLVMValueRef condition)
{
    LLVMBasicBlockRef before = LLVMGetInsertBlock(e->builder);
    return (struct tsr__te_guard){before, tsr__te_if(e, condition)};
}

void tsr__te_end_guard(struct tsr__te *e, const struct tsr__te_guard *guard, LLVMValueRef *values, uint32_t count)
{
    LLVMBasicBlockRef blocks[] = {LLVMGetInsertBlock(e->builder), guard->before};
    tsr__te_end_if(e, guard->end);
    for (uint32_t i = 0; guard->end && i < count; i++) {
        LLVMTypeRef type = LLVMTypeOf(values[i]);
        LLVMValueRef from[] = {values[i], LLVMConstNull(type)};
        values[i] = LLVMBuildPhi(e->builder, type, "");
        LLVMAddIncoming(values[i], from, blocks, 2);
    }
}

/* ---- barriers ---- */

/* A work-group of one sub-group needs no more than a barrier of that. */
void tsr__te_barrier(struct tsr__te *e, uint32_t fences)
{
    enum { CLK_LOCAL = 1, CLK_GLOBAL = 2 };
    uint32_t flags = (fences & TSR__T_FENCE_LOCAL ? CLK_LOCAL : 0) | (fences & TSR__T_FENCE_GLOBAL ? CLK_GLOBAL : 0);
    LLVMValueRef argument = tsr__te_i32(e, flags);
    tsr__te_call(e, e->one_sub_group ? "sub_group_barrier" : "barrier", "j", LLVMVoidTypeInContext(e->context), &argument, 1);
    if (e->spmd) /* what comes behind it in an SPMD region is touched after it */
        return;
    e->touched.read &= ~fences;
    e->touched.written &= ~fences;
}

void tsr__te_scratch_barrier(struct tsr__te *e)
{
    struct tsr__te_touched before = e->touched;
    tsr__te_barrier(e, TSR__T_FENCE_LOCAL);
    e->touched = before;
}

void tsr__te_touch(struct tsr__te *e, struct tsr__te_touched now)
{
    uint32_t hazard = (e->touched.written & (now.read | now.written)) | (e->touched.read & now.written);
    if (e->spmd)
        return;
    if (hazard) /* one barrier for all memory that has been touched */
        tsr__te_barrier(e, e->touched.read | e->touched.written);
    e->touched.read |= now.read;
    e->touched.written |= now.written;
}
