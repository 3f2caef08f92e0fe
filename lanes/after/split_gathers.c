/* SPDX-License-Identifier: Apache-2.0
 * Gathers whose lanes are a few rows of consecutive elements become a load for each row, and scatters a store: lanes by lane % 8 and
 * lane / 8, as work-items of an 8 x 8 group have them, and operands of matrix functions with two rows in a packet. */
#include "lanes/after/lane_offsets.h"
#include "lanes/ir/memory_notes.h"
#include "lanes/ir/calls.h"
#include "lanes/ir/explain.h"
#include "lanes/ir/lane_scalars.h"
#include "lanes/ir/layout.h"
#include "lanes/ir/match.h"
#include "lanes/ir/shuffles.h"

enum { MOST_ROWS = 16, LEAST_ROW_BYTES = 16 };

/* The lanes in a row of consecutive elements of `bytes` bytes; 0: there are no such rows. `some`: not all lanes are there. */
static unsigned find_rows(LLVMValueRef pointers, uint64_t bytes, bool some)
{
    struct tsr__lane_offsets o = {.lanes = LLVMGetVectorSize(LLVMTypeOf(pointers)), .in_some_lanes = some};
    if (o.lanes > TSR__MAX_ELEMENTS || o.lanes & (o.lanes - 1))
        return 0;
    for (o.in_row = o.lanes; o.in_row > 1 && o.in_row * bytes >= LEAST_ROW_BYTES && o.lanes / o.in_row <= MOST_ROWS; o.in_row /= 2) {
        bool good = tsr__find_lane_offsets(pointers, &o);
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

static LLVMValueRef load_row(struct tsr__lane_scalars *c, LLVMValueRef call, LLVMTypeRef type, LLVMValueRef at)
{
    LLVMValueRef row = LLVMBuildLoad2(c->b, type, at, "");
    tsr__copy_memory_notes(call, row, tsr__argument_align(call, 0));
    return row;
}

static LLVMValueRef load_row_masked(struct tsr__lane_scalars *c, LLVMValueRef call, LLVMTypeRef type, LLVMValueRef at, LLVMValueRef mask)
{
    LLVMTypeRef types[2] = {type, LLVMTypeOf(at)};
    LLVMValueRef row = tsr__build_intrinsic(c->l, c->b, "llvm.masked.load", types, 2, (LLVMValueRef[]){at, mask, LLVMGetPoison(type)}, 3);
    LLVMAddCallSiteAttribute(row, 1, tsr__int_attr(c->l, "align", tsr__argument_align(call, 0)));
    tsr__copy_notes(call, row);
    return row;
}

/* `mask`: of the lanes that are there; NULL: all are. */
static void replace_gather(struct tsr__lane_scalars *c, LLVMValueRef call, LLVMValueRef *at, unsigned rows, unsigned in_row,
                           LLVMValueRef mask)
{
    LLVMValueRef row[MOST_ROWS];
    LLVMTypeRef type = LLVMVectorType(LLVMGetElementType(LLVMTypeOf(call)), in_row);
    for (unsigned i = 0; i < rows; i++)
        row[i] = mask ? load_row_masked(c, call, type, at[i], tsr__take_lanes(c->l, c->b, mask, NULL, i * in_row, in_row))
                      : load_row(c, call, type, at[i]);
    LLVMValueRef all = tsr__join_lanes(c->l, c->b, row, rows);
    for (LLVMUseRef use = LLVMGetFirstUse(call), next; use; use = next) {
        LLVMValueRef user = LLVMGetUser(use);
        next = LLVMGetNextUse(use);
        if (mask || !LLVMIsAFreezeInst(user)) /* of lanes that no mask leaves out there is nothing to freeze */
            continue;
        LLVMReplaceAllUsesWith(user, all);
        LLVMInstructionEraseFromParent(user);
    }
    LLVMReplaceAllUsesWith(call, all);
}

static void replace_scatter(struct tsr__lane_scalars *c, LLVMValueRef call, LLVMValueRef *at, unsigned rows, unsigned in_row)
{
    for (unsigned i = 0; i < rows; i++)
        tsr__copy_memory_notes(call,
                               LLVMBuildStore(c->b, tsr__take_lanes(c->l, c->b, LLVMGetOperand(call, 0), NULL, i * in_row, in_row), at[i]),
                               tsr__argument_align(call, 1));
}

/* A CPU without masked loads of the elements would take a branch for each. */
static bool may_load_masked(struct tsr__compilation *l, uint64_t bytes)
{
    return tsr__has(l, TSR_CPU_AVX2) && (bytes == 4 || bytes == 8);
}

/* `access`: a call of llvm.masked.gather or of llvm.masked.scatter. */
static void split_access(struct tsr__lane_scalars *c, LLVMValueRef access, bool load)
{
    LLVMTypeRef element = LLVMGetElementType(LLVMTypeOf(load ? access : LLVMGetOperand(access, 0)));
    LLVMValueRef mask, pointers = tsr__addresses_behind(LLVMGetOperand(access, load ? 0 : 1), &mask), at[MOST_ROWS];
    LLVMTargetDataRef layout = LLVMGetModuleDataLayout(c->l->module);
    const uint64_t bytes = LLVMABISizeOfType(layout, element);
    if (!tsr__fills_its_bytes(layout, element))
        return;
    if (!has_all_lanes(LLVMGetOperand(access, load ? 1 : 2)) || (mask && (!load || !may_load_masked(c->l, bytes))))
        return;
    const unsigned lanes = LLVMGetVectorSize(LLVMTypeOf(pointers)), in_row = find_rows(pointers, bytes, mask);
    if (!in_row)
        return;
    const unsigned rows = lanes / in_row;
    for (unsigned i = 0; i < rows; i++)
        at[i] = tsr__lane_scalar(c, pointers, i * in_row);
    tsr__explain(c->l, access, load ? "load" : "store", "rows", "%u rows of %u elements, each one %s", rows, in_row,
                 load ? "load" : "store");
    LLVMPositionBuilderBefore(c->b, access);
    if (load)
        replace_gather(c, access, at, rows, in_row, mask);
    else
        replace_scatter(c, access, at, rows, in_row);
    LLVMInstructionEraseFromParent(access);
}

bool tsr__pass_split_gathers(struct tsr__compilation *l, LLVMValueRef function)
{
    size_t count;
    LLVMValueRef *code = tsr__instructions(l, function, &count);
    struct tsr__lane_scalars c;
    tsr__lane_scalars_begin(&c, l);
    for (size_t i = 0; i < count; i++) {
        const bool load = tsr__calls(code[i], "llvm.masked.gather.");
        if (load || tsr__calls(code[i], "llvm.masked.scatter."))
            split_access(&c, code[i], load);
    }
    tsr__lane_scalars_end(&c);
    return true;
}
