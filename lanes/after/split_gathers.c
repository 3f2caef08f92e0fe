/* SPDX-License-Identifier: Apache-2.0
 * Gathers whose lanes are a few rows of consecutive elements become a load for each row, and scatters a store: lanes by lane % 8 and
 * lane / 8, as work-items of an 8 x 8 group have them, and operands of matrix functions with two rows in a packet. */
#include "lanes/after/memory_notes.h"
#include "lanes/ir/calls.h"
#include "lanes/ir/explain.h"
#include "lanes/ir/lane_scalars.h"
#include "lanes/ir/match.h"

enum { MOST_ROWS = 4, LEAST_ROW_BYTES = 16, MAX_DEPTH = 12 };

/* The row of a lane begins at lane / in_row * in_row. `at`: by how much each lane's number exceeds that of the first lane of its row. */
struct offsets {
    unsigned lanes, in_row;
    int64_t at[TSR__MAX_ELEMENTS];
};

/* What makes a number of more bits of it, if anything: then it must not wrap. */
enum extension { EXACT, SIGNED, UNSIGNED };

static bool find_offsets(LLVMValueRef v, struct offsets *o, enum extension extension, int depth);

static bool of_constant(LLVMValueRef v, struct offsets *o, enum extension extension)
{
    int64_t number[TSR__MAX_ELEMENTS];
    for (unsigned i = 0; i < o->lanes; i++) {
        LLVMValueRef element = LLVMGetAggregateElement(v, i);
        if (!element || !LLVMIsAConstantInt(element) || !tsr__constant_int(element, &number[i]))
            return false;
        if (extension == UNSIGNED && number[i] < 0)
            return false;
        o->at[i] = number[i] - number[i / o->in_row * o->in_row];
    }
    return true;
}

static bool is_zero(const struct offsets *o)
{
    for (unsigned i = 0; i < o->lanes; i++)
        if (o->at[i])
            return false;
    return true;
}

static bool of_operation(LLVMValueRef v, struct offsets *o, enum extension extension, int depth)
{
    const LLVMOpcode op = LLVMGetInstructionOpcode(v);
    struct offsets y = *o;
    int64_t factor = 0;
    if (!find_offsets(LLVMGetOperand(v, 0), o, extension, depth - 1) || !find_offsets(LLVMGetOperand(v, 1), &y, extension, depth - 1))
        return false;
    if (is_zero(o) && is_zero(&y)) /* whatever it does, it does the same in all lanes of a row */
        return true;
    if (op == LLVMOr) {
        if (!LLVMGetIsDisjoint(v))
            return false;
    } else if (op != LLVMAdd && op != LLVMSub && op != LLVMMul && op != LLVMShl)
        return false;
    else if ((extension == SIGNED && !LLVMGetNSW(v)) || (extension == UNSIGNED && !LLVMGetNUW(v)))
        return false;
    if (op == LLVMMul || op == LLVMShl) {
        const bool by_second = tsr__same_number(LLVMGetOperand(v, 1), &factor);
        if (!by_second && (op == LLVMShl || !tsr__same_number(LLVMGetOperand(v, 0), &factor)))
            return false;
        const int64_t bits = (int64_t)LLVMGetIntTypeWidth(LLVMGetElementType(LLVMTypeOf(v)));
        if (op == LLVMShl && (factor < 0 || factor >= bits))
            return false;
        factor = op == LLVMShl ? (int64_t)(UINT64_C(1) << factor) : factor;
        for (unsigned i = 0; i < o->lanes; i++)
            o->at[i] = (int64_t)((uint64_t)(by_second ? o->at[i] : y.at[i]) * (uint64_t)factor);
        return true;
    }
    for (unsigned i = 0; i < o->lanes; i++)
        o->at[i] = (int64_t)((uint64_t)o->at[i] + (op == LLVMSub ? -(uint64_t)y.at[i] : (uint64_t)y.at[i]));
    return true;
}

static bool of_address(LLVMValueRef v, struct offsets *o, int depth)
{
    LLVMValueRef base = LLVMGetOperand(v, 0), index = LLVMGetOperand(v, 1);
    LLVMModuleRef module = LLVMGetGlobalParent(LLVMGetBasicBlockParent(LLVMGetInstructionParent(v)));
    const uint64_t size = LLVMABISizeOfType(LLVMGetModuleDataLayout(module), LLVMGetGEPSourceElementType(v));
    struct offsets of_base = *o;
    if (LLVMGetNumOperands(v) != 2 || LLVMGetTypeKind(LLVMTypeOf(index)) != LLVMVectorTypeKind ||
        LLVMGetIntTypeWidth(LLVMGetElementType(LLVMTypeOf(index))) != 64)
        return false;
    if (LLVMGetTypeKind(LLVMTypeOf(base)) != LLVMVectorTypeKind)
        memset(of_base.at, 0, sizeof of_base.at);
    else if (!find_offsets(base, &of_base, EXACT, depth - 1))
        return false;
    if (!find_offsets(index, o, EXACT, depth - 1))
        return false;
    for (unsigned i = 0; i < o->lanes; i++)
        o->at[i] = (int64_t)((uint64_t)of_base.at[i] + (uint64_t)o->at[i] * size);
    return true;
}

static bool is_splat(LLVMValueRef v)
{
    if (!LLVMIsAShuffleVectorInst(v))
        return false;
    for (unsigned i = 0; i < LLVMGetNumMaskElements(v); i++)
        if (LLVMGetMaskValue(v, i))
            return false;
    return true;
}

static bool find_offsets(LLVMValueRef v, struct offsets *o, enum extension extension, int depth)
{
    if (LLVMIsAConstant(v))
        return of_constant(v, o, extension);
    if (is_splat(v)) {
        memset(o->at, 0, sizeof o->at);
        return true;
    }
    if (!depth || !LLVMIsAInstruction(v))
        return false;
    if (LLVMIsABinaryOperator(v))
        return of_operation(v, o, extension, depth);
    switch (LLVMGetInstructionOpcode(v)) {
    case LLVMGetElementPtr:
        return of_address(v, o, depth);
    case LLVMSExt: /* a number with zeros before it is no longer negative, so it may not get its sign as well */
        return extension != UNSIGNED && find_offsets(LLVMGetOperand(v, 0), o, SIGNED, depth - 1);
    case LLVMZExt:
        return find_offsets(LLVMGetOperand(v, 0), o, UNSIGNED, depth - 1);
    default:
        return false;
    }
}

/* The lanes in a row of consecutive elements of so many bytes; 0: there are no such rows. */
static unsigned find_rows(LLVMValueRef pointers, uint64_t bytes)
{
    struct offsets o = {.lanes = LLVMGetVectorSize(LLVMTypeOf(pointers))};
    if (o.lanes > TSR__MAX_ELEMENTS || o.lanes & (o.lanes - 1))
        return 0;
    for (o.in_row = o.lanes; o.in_row * bytes >= LEAST_ROW_BYTES && o.lanes / o.in_row <= MOST_ROWS; o.in_row /= 2) {
        bool good = find_offsets(pointers, &o, EXACT, MAX_DEPTH);
        for (unsigned i = 0; good && i < o.lanes; i++)
            good = o.at[i] == (int64_t)(i % o.in_row * bytes);
        if (good)
            return o.in_row;
    }
    return 0;
}

static bool has_all_lanes(LLVMValueRef mask)
{
    int64_t bit;
    return tsr__same_number(mask, &bit) && bit;
}

static void replace_gather(struct tsr__lane_scalars *c, LLVMValueRef call, LLVMValueRef *at, unsigned rows, unsigned in_row)
{
    LLVMValueRef row[MOST_ROWS];
    for (unsigned i = 0; i < rows; i++) {
        row[i] = LLVMBuildLoad2(c->b, LLVMVectorType(LLVMGetElementType(LLVMTypeOf(call)), in_row), at[i], "");
        tsr__copy_memory_notes(call, row[i], tsr__argument_align(call, 0));
    }
    for (unsigned lanes = in_row; rows > 1; rows /= 2, lanes *= 2)
        for (unsigned i = 0; i < rows / 2; i++)
            row[i] = tsr__take_lanes(c->l, c->b, row[2 * i], row[2 * i + 1], 0, 2 * lanes);
    for (LLVMUseRef use = LLVMGetFirstUse(call), next; use; use = next) {
        LLVMValueRef user = LLVMGetUser(use);
        next = LLVMGetNextUse(use);
        if (!LLVMIsAFreezeInst(user)) /* of lanes that no mask leaves out there is nothing to freeze */
            continue;
        LLVMReplaceAllUsesWith(user, row[0]);
        LLVMInstructionEraseFromParent(user);
    }
    LLVMReplaceAllUsesWith(call, row[0]);
}

static void replace_scatter(struct tsr__lane_scalars *c, LLVMValueRef call, LLVMValueRef *at, unsigned rows, unsigned in_row)
{
    for (unsigned i = 0; i < rows; i++)
        tsr__copy_memory_notes(call,
                               LLVMBuildStore(c->b, tsr__take_lanes(c->l, c->b, LLVMGetOperand(call, 0), NULL, i * in_row, in_row), at[i]),
                               tsr__argument_align(call, 1));
}

/* `access`: a call of llvm.masked.gather or of llvm.masked.scatter. */
static void split_access(struct tsr__lane_scalars *c, LLVMValueRef access, bool load)
{
    LLVMTypeRef element = LLVMGetElementType(LLVMTypeOf(load ? access : LLVMGetOperand(access, 0)));
    LLVMValueRef pointers = LLVMGetOperand(access, load ? 0 : 1), at[MOST_ROWS];
    if (!has_all_lanes(LLVMGetOperand(access, load ? 1 : 2)))
        return;
    const unsigned lanes = LLVMGetVectorSize(LLVMTypeOf(pointers)),
                   in_row = find_rows(pointers, LLVMABISizeOfType(LLVMGetModuleDataLayout(c->l->module), element));
    if (!in_row)
        return;
    const unsigned rows = lanes / in_row;
    for (unsigned i = 0; i < rows; i++)
        at[i] = tsr__lane_scalar(c, pointers, i * in_row);
    tsr__explain(c->l, access, load ? "load" : "store", "rows", "%u rows of %u elements, each one %s", rows, in_row,
                 load ? "load" : "store");
    LLVMPositionBuilderBefore(c->b, access);
    (load ? replace_gather : replace_scatter)(c, access, at, rows, in_row);
    LLVMInstructionEraseFromParent(access);
}

bool tsr__pass_split_gathers(struct tsr__compilation *l, LLVMValueRef function)
{
    size_t count;
    LLVMValueRef *code = tsr__instructions(l, function, &count);
    struct tsr__lane_scalars c;
    tsr__lane_scalars_begin(&c, l);
    for (size_t i = 0; i < count; i++) {
        LLVMValueRef callee = tsr__callee(code[i]);
        const bool load = callee && tsr__starts_with(tsr__name(callee), "llvm.masked.gather.");
        if (load || (callee && tsr__starts_with(tsr__name(callee), "llvm.masked.scatter.")))
            split_access(&c, code[i], load);
    }
    tsr__lane_scalars_end(&c);
    return true;
}
