/* SPDX-License-Identifier: Apache-2.0
 * Transposition of arrays in local memory.
 *
 * A kernel may store a tile across its rows and read it along them: `as[lane][row] = …`, then `… as[k][row]`. On a GPU that costs
 * nothing; in a packet the store is a scatter. Only the kernel itself sees the layout of its local arrays. So the array is transposed:
 * element (i, j) lies where (j, i) would.
 *
 * The pass must know every access: it must be of a whole element, and bounds must show that its column is less than the number of
 * columns. C forbids a[0][n] for the first element of the next row, but programs do write it. */

#include <string.h>

#include "lanes/ir/explain.h"
#include "lanes/ir/costs.h"
#include "lanes/analysis/index_parts.h"
#include "lanes/analysis/range.h"
#include "lanes/analysis/shape.h"
#include "lanes/ir/calls.h"
#include "lanes/analysis/packet_support.h"
#include "lanes/ir/match.h"

enum {
    MAX_TERMS = 12, /* of an index */
    MAX_LOOP_DEPTH = 5
};

/* ---- accesses ---- */

/* An index is kept whole, unlike in a polynomial (analysis/polynomial.h): which indices count rows and which columns is all that is asked,
 * and they are multiplied anew. */
struct term {
    LLVMValueRef index;
    int64_t bytes;
};

struct access {
    LLVMValueRef inst, base;
    struct term terms[MAX_TERMS];
    int term_count;
    int64_t bytes; /* constant part */
    struct access *next;
};

struct array {
    struct tsr__compilation *l;
    const struct tsr_kernel_info *info;
    LLVMTargetDataRef layout;
    int64_t offset, rows, columns, unit;
    struct access *accesses;
};

static bool in_row(const struct array *a, int64_t bytes)
{
    return bytes % a->unit == 0 && bytes % (a->unit * a->columns) != 0;
}

/* Rows and columns of the constant part. */
static int64_t constant_row(const struct array *a, const struct access *x)
{
    return x->bytes / (a->unit * a->columns);
}

static int64_t constant_column(const struct array *a, const struct access *x)
{
    return x->bytes % (a->unit * a->columns) / a->unit;
}

/* The column is one of its row, whatever the indices are. */
static bool stays_in_row(const struct array *a, const struct access *x)
{
    if (x->bytes < 0 || x->bytes % a->unit)
        return false;
    int64_t most = constant_column(a, x);
    for (int i = 0; i < x->term_count; i++) {
        struct tsr__range b;
        if (x->terms[i].bytes % (a->unit * a->columns) == 0)
            continue;
        if (!in_row(a, x->terms[i].bytes) || x->terms[i].bytes < 0 || !tsr__range_of(a->info, x->terms[i].index, &b))
            return false;
        most += b.most * (x->terms[i].bytes / a->unit);
    }
    return most < a->columns;
}

static bool collect_accesses(struct array *a, LLVMValueRef pointer, const struct access *so_far);

static bool add_gep_index(const struct tsr__gep_index *index, struct access *x)
{
    if (index->is_constant) {
        x->bytes += index->offset;
        return !index->is_field;
    }
    if (index->extension != TSR__EXT_NONE || x->term_count == MAX_TERMS)
        return false;
    x->terms[x->term_count++] = (struct term){index->value, index->bytes};
    return true;
}

static bool collect_user(struct array *a, LLVMValueRef pointer, LLVMValueRef user, const struct access *so_far)
{
    struct access x = *so_far;
    x.inst = user;
    switch (LLVMGetInstructionOpcode(user)) {
    case LLVMGetElementPtr: {
        struct tsr__gep_index index;
        for (struct tsr__gep_walk walk = tsr__gep_walk(a->layout, user); tsr__gep_next(&walk, &index);)
            if (!add_gep_index(&index, &x))
                return false;
        return LLVMGetTypeKind(LLVMTypeOf(user)) == LLVMPointerTypeKind && collect_accesses(a, user, &x);
    }
    case LLVMLoad:
    case LLVMStore: {
        bool store = LLVMIsAStoreInst(user);
        LLVMTypeRef type = LLVMTypeOf(store ? LLVMGetOperand(user, 0) : user);
        LLVMTypeKind kind = LLVMGetTypeKind(type);
        if ((store && LLVMGetOperand(user, 0) == pointer) || !tsr__is_plain_access(user) || kind == LLVMVectorTypeKind ||
            kind == LLVMArrayTypeKind || kind == LLVMStructTypeKind || LLVMABISizeOfType(a->layout, type) != (uint64_t)a->unit ||
            !stays_in_row(a, &x))
            return false;
        struct access *kept = tsr_arena_alloc(&a->l->scratch, sizeof *kept);
        *kept = x;
        kept->next = a->accesses;
        a->accesses = kept;
        return true;
    }
    default:
        return false;
    }
}

static bool collect_accesses(struct array *a, LLVMValueRef pointer, const struct access *so_far)
{
    for (LLVMUseRef use = LLVMGetFirstUse(pointer); use; use = LLVMGetNextUse(use))
        if (!LLVMIsAInstruction(LLVMGetUser(use)) || !collect_user(a, pointer, LLVMGetUser(use), so_far))
            return false;
    return true;
}

/* ---- is it worth it? ---- */

/* What an access costs for each way to lay out the array. */
static void add_costs(const struct array *a, const struct tsr__shapes *shapes, const struct access *x, int64_t costs[2])
{
    int64_t row = 0, column = 0;
    bool varying = false;
    for (int i = 0; i < x->term_count; i++) {
        struct tsr__shape shape = tsr__shape_of(shapes, x->terms[i].index);
        int64_t elements = x->terms[i].bytes / a->unit;
        varying = varying || shape.kind != TSR__SHAPE_AFFINE;
        if (shape.kind == TSR__SHAPE_AFFINE && in_row(a, x->terms[i].bytes))
            column += shape.stride * elements;
        else if (shape.kind == TSR__SHAPE_AFFINE)
            row += shape.stride * (elements / a->columns);
    }
    int block = tsr__cfg_number(shapes->cfg, LLVMGetInstructionParent(x->inst));
    if (block == TSR__NONE)
        return;
    int loop = shapes->cfg->blocks[block].loop, depth = loop == TSR__NONE ? 0 : shapes->cfg->loops[loop].depth;
    int64_t weight = INT64_C(1) << TSR__LOOP_ROUNDS_LOG2 * (depth < MAX_LOOP_DEPTH ? depth : MAX_LOOP_DEPTH);
    int64_t strides[2] = {row * a->columns + column, row + column * a->rows};
    for (int i = 0; i < 2; i++)
        costs[i] += weight * (!varying && strides[i] >= -1 && strides[i] <= 1 ? 1 : TSR__SCATTERED_COST);
}

/* ---- turning ---- */

static void transpose_access(const struct array *a, const struct access *x)
{
    struct tsr__compilation *l = a->l;
    LLVMBuilderRef b = tsr__builder_before(l, x->inst);
    LLVMValueRef row = tsr__i64(l, (uint64_t)constant_row(a, x)), column = tsr__i64(l, (uint64_t)constant_column(a, x));
    for (int i = 0; i < x->term_count; i++) {
        bool along = in_row(a, x->terms[i].bytes);
        LLVMValueRef times = tsr__i64(l, (uint64_t)(x->terms[i].bytes / (along ? a->unit : a->unit * a->columns)));
        LLVMValueRef part = LLVMBuildNSWMul(b, x->terms[i].index, times, ""), *sum = along ? &column : &row;
        *sum = LLVMBuildNSWAdd(b, part, *sum, "");
    }
    LLVMValueRef at = LLVMBuildNSWAdd(b, LLVMBuildNSWMul(b, column, tsr__i64(l, (uint64_t)a->rows), ""), row, "");
    at = LLVMBuildNSWMul(b, at, tsr__i64(l, (uint64_t)a->unit), "");
    at = LLVMBuildInBoundsGEP2(b, LLVMInt8TypeInContext(l->context), x->base, &at, 1, "");
    LLVMDisposeBuilder(b);
    LLVMSetOperand(x->inst, LLVMIsAStoreInst(x->inst) ? 1 : 0, at);
}

static bool find_accesses(struct array *a, LLVMValueRef *bases, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if ((int64_t)LLVMConstIntGetZExtValue(LLVMGetOperand(bases[i], 0)) == a->offset &&
            !collect_accesses(a, bases[i], &(struct access){.base = bases[i]}))
            return false;
    return true;
}

/* Transposes the arrays of a kernel where that saves scatters and gathers. */
static void transpose_arrays(struct tsr__compilation *l, LLVMValueRef kernel, const struct tsr_kernel_info *info)
{
    size_t count, base_count = 0;
    LLVMValueRef *code = tsr__instructions(l, kernel, &count), *bases = tsr_arena_alloc(&l->scratch, (count + 1) * sizeof *bases);
    for (size_t i = 0; i < count; i++)
        if (tsr__call_of(code[i]) == TSR__CALL_LOCAL_ARRAY)
            bases[base_count++] = code[i];
    if (!base_count)
        return;
    struct tsr_arena arena = {0};
    struct tsr__cfg cfg;
    struct tsr__shapes shapes;
    bool known = tsr__cfg_make(&cfg, kernel, &arena);
    unsigned width = tsr__sub_group_size(l, info);
    if (known)
        tsr__shapes_find(&shapes, &cfg, (struct tsr__packet){.width = width, .sub_group = width, .whole_rows = true}, &arena);
    struct tsr__map done = {.arena = &arena};
    for (size_t i = 0; known && i < base_count; i++) {
        int64_t layout[4], costs[2] = {0};
        for (unsigned k = 0; k < 4; k++)
            layout[k] = (int64_t)LLVMConstIntGetZExtValue(LLVMGetOperand(bases[i], k));
        struct array a = {.l = l,
                          .info = info,
                          .layout = LLVMGetModuleDataLayout(l->module),
                          .offset = layout[0],
                          .rows = layout[1],
                          .columns = layout[2],
                          .unit = layout[3]};
        if (tsr__map_get(&done, LLVMGetOperand(bases[i], 0)))
            continue;
        tsr__map_set(&done, LLVMGetOperand(bases[i], 0), 1);
        if (!find_accesses(&a, bases, base_count))
            continue;
        for (struct access *x = a.accesses; x; x = x->next)
            add_costs(&a, &shapes, x, costs);
        if (costs[1] >= costs[0])
            continue;
        for (struct access *x = a.accesses; x; x = x->next)
            transpose_access(&a, x);
    }
    tsr_arena_free(&arena);
}

bool tsr__pass_transpose_local(struct tsr__compilation *l)
{
    for (uint32_t i = 0; i < l->info->kernel_count; i++) {
        LLVMValueRef kernel = tsr__kernel(l, &l->info->kernels[i]);
        if (tsr__can_run_as_packet(l, kernel) && !tsr__has_text_attr(kernel, TSR__ONE_LANE))
            transpose_arrays(l, kernel, &l->info->kernels[i]);
    }
    return true;
}
