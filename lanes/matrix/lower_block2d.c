/* SPDX-License-Identifier: Apache-2.0
 * Lowers operations on 2D blocks to loads and stores of whole rows.
 *
 * A block inside its matrix is read in place. A block across an edge is first copied to the stack, with zeros outside of the matrix. The
 * loads are the same in both cases; only their first address and the distance of rows differ, and are phis. Reads of neighbouring
 * blocks, side by side or one below the other, become one read of a larger block. Several reads in a row do all their edge tests first
 * and then all their loads, so that the loads stand in one basic block with the matrix operations that use them: the pass `tiles` makes
 * tile loads of such loads. */

#include <string.h>

#include <llvm-c/DebugInfo.h>

#include "lanes/ir/explain.h"
#include "lanes/prepare/unroll.h"
#include "lanes/matrix/block2d.h"
#include "lanes/analysis/polynomial.h"
#include "lanes/ir/match.h"

enum { LANES = TSR_BLOCK2D_LANES, LINE = TSR_CACHE_LINE };
enum { MAX_BYTES = 256 }; /* of a row of a block that reads are joined to */

/* Operands behind y. */
enum { WRITE_BITS = TSR__BLOCK2D_Y + 1, WRITE_PRESENT, WRITE_VALUES };
enum { PREFETCH_ROWS = TSR__BLOCK2D_Y + 1, PREFETCH_BYTES };

static LLVMTypeRef i64(const struct tsr__blocks2d *o)
{
    return LLVMInt64TypeInContext(o->l->context);
}

/* ---- the matrix in memory ---- */

static LLVMValueRef and_conditions(struct tsr__blocks2d *o, LLVMValueRef a, LLVMValueRef b)
{
    return LLVMBuildAnd(o->b, a, b, "");
}

static LLVMValueRef at_least(struct tsr__blocks2d *o, LLVMValueRef a, LLVMValueRef b)
{
    return LLVMBuildICmp(o->b, LLVMIntSGE, a, b, "");
}

static LLVMValueRef lies_within(struct tsr__blocks2d *o, const struct tsr__block2d_region *r)
{
    LLVMValueRef last_x = LLVMBuildSub(o->b, r->width, tsr__block2d_i64(o, r->bytes), "");
    LLVMValueRef last_y = LLVMBuildSub(o->b, r->height, tsr__block2d_i64(o, r->rows), "");
    LLVMValueRef zero = tsr__block2d_i64(o, 0);
    return and_conditions(o, and_conditions(o, at_least(o, r->x, zero), at_least(o, last_x, r->x)),
                          and_conditions(o, at_least(o, r->y, zero), at_least(o, last_y, r->y)));
}

static LLVMValueRef clamp(struct tsr__blocks2d *o, LLVMValueRef v, LLVMValueRef low, LLVMValueRef high)
{
    v = LLVMBuildSelect(o->b, at_least(o, v, low), v, low, "");
    return LLVMBuildSelect(o->b, at_least(o, high, v), v, high, "");
}

/* The block on the stack, row by row without gaps. */
static LLVMValueRef stack_buffer(struct tsr__blocks2d *o, const struct tsr__block2d_region *r)
{
    LLVMValueRef made = LLVMBuildAlloca(o->entry, LLVMArrayType2(LLVMInt8TypeInContext(o->l->context), r->rows * r->bytes), "block");
    LLVMSetAlignment(made, LINE);
    return made;
}

/* ---- blocks at the edge: a function that copies ---- */

/* void (ptr buffer, ptr base, i64 width, height, pitch, x, y, rows, bytes): for each row of the block, copies the part that lies within the
 * matrix to the buffer or, `out`, from it. */
static LLVMValueRef copy_function(struct tsr__blocks2d *o, bool out)
{
    enum { BUFFER, FROM, COPY_WIDTH, COPY_HEIGHT, COPY_PITCH, COPY_X, COPY_Y, ROWS, BYTES, PARAMS };
    const char *name = out ? "tsr.block2d.put" : "tsr.block2d.get";
    LLVMValueRef f = LLVMGetNamedFunction(o->l->module, name), p[PARAMS];
    if (f)
        return f;
    LLVMContextRef c = o->l->context;
    LLVMTypeRef types[PARAMS] = {LLVMPointerTypeInContext(c, 0), LLVMPointerTypeInContext(c, 1)};
    for (unsigned i = COPY_WIDTH; i < PARAMS; i++)
        types[i] = i64(o);
    f = LLVMAddFunction(o->l->module, name, LLVMFunctionType(LLVMVoidTypeInContext(c), types, PARAMS, false));
    LLVMSetLinkage(f, LLVMInternalLinkage);
    tsr__add_fn_attr(o->l, f, "noinline");
    tsr__add_fn_attr(o->l, f, "cold");
    tsr__add_fn_attr(o->l, f, "nounwind");
    LLVMGetParams(f, p);
    LLVMBuilderRef outer = o->b;
    LLVMBasicBlockRef start = LLVMAppendBasicBlockInContext(c, f, ""), loop = LLVMAppendBasicBlockInContext(c, f, "row"),
                      end = LLVMAppendBasicBlockInContext(c, f, "");
    LLVMValueRef zero = tsr__block2d_i64(o, 0);

    o->b = LLVMCreateBuilderInContext(c);
    LLVMPositionBuilderAtEnd(o->b, start);
    if (!out)
        LLVMBuildMemSet(o->b, p[BUFFER], LLVMConstNull(LLVMInt8TypeInContext(o->l->context)), LLVMBuildMul(o->b, p[ROWS], p[BYTES], ""),
                        LINE);
    /* Columns from `low` to `high` of the block, rows from `top` to `bottom`. */
    LLVMValueRef low = clamp(o, LLVMBuildNeg(o->b, p[COPY_X], ""), zero, p[BYTES]);
    LLVMValueRef high = clamp(o, LLVMBuildSub(o->b, p[COPY_WIDTH], p[COPY_X], ""), low, p[BYTES]);
    LLVMValueRef top = clamp(o, LLVMBuildNeg(o->b, p[COPY_Y], ""), zero, p[ROWS]);
    LLVMValueRef bottom = clamp(o, LLVMBuildSub(o->b, p[COPY_HEIGHT], p[COPY_Y], ""), top, p[ROWS]);
    LLVMValueRef any = LLVMBuildICmp(o->b, LLVMIntULT, top, bottom, "");
    LLVMBuildCondBr(o->b, any, loop, end);

    LLVMPositionBuilderAtEnd(o->b, loop);
    LLVMValueRef row = LLVMBuildPhi(o->b, i64(o), "row");
    LLVMValueRef there =
        tsr__block2d_row(o, p[FROM], p[COPY_PITCH], LLVMBuildAdd(o->b, p[COPY_Y], row, ""), LLVMBuildAdd(o->b, p[COPY_X], low, ""));
    LLVMValueRef here = tsr__block2d_row(o, p[BUFFER], p[BYTES], row, low), size = LLVMBuildSub(o->b, high, low, "");
    LLVMBuildMemCpy(o->b, out ? there : here, 1, out ? here : there, 1, size);
    LLVMValueRef next = LLVMBuildAdd(o->b, row, tsr__block2d_i64(o, 1), "");
    LLVMBuildCondBr(o->b, LLVMBuildICmp(o->b, LLVMIntULT, next, bottom, ""), loop, end);
    LLVMAddIncoming(row, (LLVMValueRef[]){top, next}, (LLVMBasicBlockRef[]){start, loop}, 2);
    LLVMPositionBuilderAtEnd(o->b, end);
    LLVMBuildRetVoid(o->b);
    LLVMDisposeBuilder(o->b);
    o->b = outer;
    return f;
}

static void copy_rows(struct tsr__blocks2d *o, const struct tsr__block2d_region *r, LLVMValueRef memory, bool out)
{
    LLVMValueRef f = copy_function(o, out);
    LLVMValueRef args[] = {
        memory, r->base, r->width, r->height, r->pitch, r->x, r->y, tsr__block2d_i64(o, r->rows), tsr__block2d_i64(o, r->bytes)};
    LLVMBuildCall2(o->b, LLVMGlobalGetValueType(f), f, args, TSR_ARRAY_LEN(args), "");
}

/* ---- two ways to go on ---- */

struct fork {
    LLVMBasicBlockRef within, edge, rest;
};

/* What stands before `at` moves into a block of its own before the rest, so that phis further on need not change. Between them, control
 * goes through one of two blocks. */
static struct fork fork_before(struct tsr__blocks2d *o, LLVMValueRef at, LLVMValueRef is_within)
{
    LLVMContextRef c = o->l->context;
    struct fork f = {.rest = LLVMGetInstructionParent(at)};
    LLVMValueRef end = LLVMGetBasicBlockTerminator(tsr__split_block(o->l, f.rest, at));
    f.within = LLVMInsertBasicBlockInContext(c, f.rest, "within");
    f.edge = LLVMInsertBasicBlockInContext(c, f.rest, "edge");
    LLVMPositionBuilderBefore(o->b, end);
    LLVMBuildCondBr(o->b, is_within, f.within, f.edge);
    LLVMInstructionEraseFromParent(end);
    LLVMBasicBlockRef variants[] = {f.within, f.edge};
    for (int i = 0; i < 2; i++) {
        LLVMPositionBuilderAtEnd(o->b, variants[i]);
        LLVMBuildBr(o->b, f.rest);
    }
    return f;
}

/* ---- reads ---- */

static LLVMValueRef phi_of(struct tsr__blocks2d *o, const struct fork *f, LLVMValueRef straight, LLVMValueRef at_edge)
{
    LLVMValueRef made = LLVMBuildPhi(o->b, LLVMTypeOf(straight), "");
    LLVMAddIncoming(made, (LLVMValueRef[]){straight, at_edge}, (LLVMBasicBlockRef[]){f->within, f->edge}, 2);
    return made;
}

/* The constant by which `to` is larger than `from`, if there is one. */
static bool is_apart(struct tsr__blocks2d *o, LLVMValueRef from, LLVMValueRef to, int64_t *distance)
{
    struct tsr__polynomial a = tsr__polynomial_of(o->l, from), b = tsr__polynomial_of(o->l, to), rest = tsr__polynomial_minus(&b, &a);
    *distance = rest.constant;
    return rest.valid && !rest.count;
}

static bool same_matrix(const struct tsr__block2d_area *a, const struct tsr__block2d_area *b)
{
    static const unsigned operands[] = {TSR__BLOCK2D_BASE, TSR__BLOCK2D_WIDTH, TSR__BLOCK2D_HEIGHT, TSR__BLOCK2D_PITCH, TSR__READ_BITS};
    for (size_t i = 0; i < TSR_ARRAY_LEN(operands); i++)
        if (LLVMGetOperand(a->call, operands[i]) != LLVMGetOperand(b->call, operands[i]))
            return false;
    return true;
}

static void move_into(struct tsr__blocks2d *o, struct tsr__block2d_area *from, struct tsr__block2d_area *to, unsigned row, unsigned byte)
{
    from->in = to;
    for (size_t i = 0; i < o->pending_count; i++)
        if (o->pending[i].area == from) {
            o->pending[i].area = to;
            o->pending[i].row += row;
            o->pending[i].byte += byte;
        }
}

/* Joins b to a if it lies right under it or beside it, and as wide or high. */
static bool merge_areas(struct tsr__blocks2d *o, struct tsr__block2d_area *a, struct tsr__block2d_area *b)
{
    int64_t down, right;
    if (!same_matrix(a, b) || !is_apart(o, a->region.y, b->region.y, &down) || !is_apart(o, a->region.x, b->region.x, &right))
        return false;
    bool under = right == 0 && down == a->region.rows && a->region.bytes == b->region.bytes;
    bool beside = down == 0 && right == a->region.bytes && a->region.rows == b->region.rows;
    if ((!under && !beside) || (under && a->region.rows + b->region.rows > TSR__BLOCK2D_MAX_ROWS) ||
        (beside && a->region.bytes + b->region.bytes > MAX_BYTES))
        return false;
    move_into(o, b, a, under ? a->region.rows : 0, beside ? a->region.bytes : 0);
    a->region.rows += under ? b->region.rows : 0;
    a->region.bytes += beside ? b->region.bytes : 0;
    return true;
}

static void merge_reads(struct tsr__blocks2d *o, struct tsr__block2d_area *areas, size_t count)
{
    for (bool again = true; again;) {
        again = false;
        for (size_t i = 0; i < count; i++)
            for (size_t k = 0; k < count; k++)
                again = (i != k && !areas[i].in && !areas[k].in && merge_areas(o, &areas[i], &areas[k])) || again;
    }
}

/* Finds out where the rows are, before `at`. */
static void find_rows(struct tsr__blocks2d *o, struct tsr__block2d_area *area, LLVMValueRef at)
{
    struct tsr__block2d_region *r = &area->region;
    LLVMPositionBuilderBefore(o->b, at);
    LLVMValueRef memory = stack_buffer(o, r), first = tsr__block2d_row(o, r->base, r->pitch, r->y, r->x);
    struct fork f = fork_before(o, at, lies_within(o, r));
    LLVMPositionBuilderBefore(o->b, LLVMGetBasicBlockTerminator(f.edge));
    copy_rows(o, r, memory, false);
    LLVMValueRef copied = LLVMBuildAddrSpaceCast(o->b, memory, LLVMTypeOf(r->base), "");
    LLVMPositionBuilderBefore(o->b, at);
    area->first = phi_of(o, &f, first, copied);
    area->pitch = phi_of(o, &f, r->pitch, tsr__block2d_i64(o, r->bytes));
}

/* Of all reads so far. */
static void find_rows_of_all(struct tsr__blocks2d *o, LLVMValueRef at)
{
    struct tsr__block2d_area *areas = tsr_arena_alloc(&o->l->scratch, (o->pending_count + 1) * sizeof *areas);
    LLVMPositionBuilderBefore(o->b, at);
    for (size_t i = 0; i < o->pending_count; i++) {
        LLVMValueRef call = o->pending[i].call;
        areas[i] = (struct tsr__block2d_area){.call = call, .region = tsr__block2d_region_of_read(o, call)};
        o->pending[i].area = &areas[i];
        tsr__explain(o->l, call, "block", "rows", "%u rows of %u bytes, each one load", areas[i].region.rows, areas[i].region.bytes);
    }
    merge_reads(o, areas, o->pending_count);
    for (size_t i = 0; i < o->pending_count; i++)
        if (!areas[i].in)
            find_rows(o, &areas[i], at);
}

/* The result of a read as one value, for users other than extractvalue: LLVM makes a phi of results where it finds one of their values. */
static LLVMValueRef whole_of(struct tsr__blocks2d *o, LLVMTypeRef type, LLVMValueRef *values, unsigned count)
{
    LLVMValueRef whole = LLVMGetPoison(type);
    for (unsigned i = 0; i < count; i++)
        whole = LLVMBuildInsertValue(o->b, whole, values[i], i, "");
    return whole;
}

static void finish_read(struct tsr__blocks2d *o, struct tsr__block2d_read *p)
{
    LLVMTypeRef all = LLVMTypeOf(p->call);
    unsigned count = LLVMCountStructElementTypes(all);
    LLVMValueRef *values = tsr_arena_alloc(&o->l->scratch, count * sizeof *values);
    tsr__block2d_values(o, p, LLVMStructGetTypeAtIndex(all, 0), count, values);
    for (unsigned i = 0; i < count && tsr__map_get(&o->frozen, p->call); i++)
        values[i] = LLVMBuildFreeze(o->b, values[i], "");
    for (LLVMUseRef use = LLVMGetFirstUse(p->call); use;) {
        LLVMValueRef user = LLVMGetUser(use);
        use = LLVMGetNextUse(use);
        if (!LLVMIsAExtractValueInst(user))
            continue;
        LLVMReplaceAllUsesWith(user, values[*LLVMGetIndices(user)]);
        LLVMInstructionEraseFromParent(user);
    }
    if (LLVMGetFirstUse(p->call))
        LLVMReplaceAllUsesWith(p->call, whole_of(o, all, values, count));
    LLVMInstructionEraseFromParent(p->call);
}

/* The loads of all reads so far, before `at`. */
static void finish_reads(struct tsr__blocks2d *o, LLVMValueRef at)
{
    find_rows_of_all(o, at);
    for (size_t i = 0; i < o->pending_count; i++) {
        LLVMPositionBuilderBefore(o->b, at);
        finish_read(o, &o->pending[i]);
    }
    o->pending_count = 0;
}

/* ---- writes and prefetches ---- */

static void write_rows(struct tsr__blocks2d *o, LLVMValueRef call, LLVMValueRef first, LLVMValueRef pitch, unsigned rows)
{
    for (unsigned i = 0; i < rows; i++) {
        LLVMValueRef at = tsr__block2d_row(o, first, pitch, tsr__block2d_i64(o, i), tsr__block2d_i64(o, 0));
        LLVMSetAlignment(LLVMBuildStore(o->b, LLVMGetOperand(call, WRITE_VALUES + i), at), 1);
    }
}

/* A write that is to be made. */
struct writing {
    LLVMValueRef call, memory, first; /* a buffer; where its rows begin if it lies within the matrix */
    struct tsr__block2d_region r;
    LLVMValueRef is_within;
};

/* Before the builder's place. Work-items that are absent have no columns. */
static struct writing begin_write(struct tsr__blocks2d *o, LLVMValueRef call)
{
    unsigned rows = LLVMGetNumArgOperands(call) - WRITE_VALUES, size = tsr__block2d_number(call, WRITE_BITS) / 8;
    LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(call, WRITE_VALUES));
    unsigned each = LLVMGetIntTypeWidth(LLVMGetElementType(type)) / 8;
    struct writing w = {.call = call, .r = tsr__block2d_region(o, call, rows, LANES * each / size, size)};
    w.memory = stack_buffer(o, &w.r);
    w.first = tsr__block2d_row(o, w.r.base, w.r.pitch, w.r.y, w.r.x);
    LLVMValueRef present = LLVMBuildZExt(o->b, LLVMGetOperand(call, WRITE_PRESENT), i64(o), "");
    LLVMValueRef end = LLVMBuildAdd(o->b, w.r.x, LLVMBuildMul(o->b, present, tsr__block2d_i64(o, each), ""), "");
    w.r.width = LLVMBuildSelect(o->b, at_least(o, w.r.width, end), end, w.r.width, "");
    w.is_within = lies_within(o, &w.r);
    tsr__explain(o->l, call, "block", "rows", "%u rows of %u bytes, each one store", w.r.rows, w.r.bytes);
    return w;
}

/* At the edge by way of the stack. */
static void write_before(struct tsr__blocks2d *o, const struct writing *w, LLVMValueRef at)
{
    struct fork f = fork_before(o, at, w->is_within);
    LLVMPositionBuilderBefore(o->b, LLVMGetBasicBlockTerminator(f.within));
    write_rows(o, w->call, w->first, w->r.pitch, w->r.rows);
    LLVMPositionBuilderBefore(o->b, LLVMGetBasicBlockTerminator(f.edge));
    write_rows(o, w->call, w->memory, tsr__block2d_i64(o, w->r.bytes), w->r.rows);
    copy_rows(o, &w->r, w->memory, true);
}

/* Writes that follow each other, with nothing in between that touches memory. If all lie within their matrices, one basic block has all
 * their stores, where the pass `tiles` finds them. */
static void lower_writes(struct tsr__blocks2d *o, LLVMValueRef *calls, size_t count)
{
    struct writing *list = tsr_arena_alloc(&o->l->scratch, count * sizeof *list);
    LLVMValueRef last = calls[count - 1], all = NULL;
    LLVMPositionBuilderBefore(o->b, last);
    for (size_t i = 0; i < count; i++) {
        list[i] = begin_write(o, calls[i]);
        all = all ? and_conditions(o, all, list[i].is_within) : list[i].is_within;
    }
    if (count == 1) {
        write_before(o, &list[0], last);
    } else {
        struct fork f = fork_before(o, last, all);
        LLVMPositionBuilderBefore(o->b, LLVMGetBasicBlockTerminator(f.within));
        for (size_t i = 0; i < count; i++)
            write_rows(o, calls[i], list[i].first, list[i].r.pitch, list[i].r.rows);
        LLVMValueRef end = LLVMGetBasicBlockTerminator(f.edge);
        for (size_t i = 0; i < count; i++)
            write_before(o, &list[i], end);
    }
    for (size_t i = 0; i < count; i++)
        LLVMInstructionEraseFromParent(calls[i]);
}

/* Rows and columns outside are no reason to look for pages that are not there. */
static void lower_prefetch(struct tsr__blocks2d *o, LLVMValueRef call)
{
    unsigned rows = tsr__block2d_number(call, PREFETCH_ROWS), bytes = tsr__block2d_number(call, PREFETCH_BYTES);
    LLVMPositionBuilderBefore(o->b, call);
    struct tsr__block2d_region r = tsr__block2d_region(o, call, rows, bytes, 1);
    LLVMValueRef zero = tsr__block2d_i64(o, 0), one = tsr__block2d_i64(o, 1), last = LLVMBuildSub(o->b, r.height, one, "");
    for (unsigned byte = 0; byte < bytes; byte += LINE) {
        LLVMValueRef x = LLVMBuildAdd(o->b, r.x, tsr__block2d_i64(o, byte), "");
        x = clamp(o, x, zero, LLVMBuildSub(o->b, r.width, one, ""));
        for (unsigned row = 0; row < rows; row++) {
            LLVMValueRef y = clamp(o, LLVMBuildAdd(o->b, r.y, tsr__block2d_i64(o, row), ""), zero, last);
            tsr__build_prefetch(o->l, o->b, tsr__block2d_row(o, r.base, r.pitch, y, x));
        }
    }
    LLVMInstructionEraseFromParent(call);
}

/* ---- the pass ---- */

static bool may_write_memory(LLVMValueRef inst)
{
    struct tsr__mad mad;
    switch (LLVMGetInstructionOpcode(inst)) {
    case LLVMStore:
    case LLVMFence:
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg:
        return true;
    case LLVMLoad:
        return !tsr__is_plain_access(inst);
    case LLVMCall: {
        LLVMValueRef callee = tsr__callee(inst);
        return !tsr__mad_read(inst, &mad) && !(callee && tsr__touches_no_memory(callee));
    }
    default:
        return false;
    }
}

/* Does the instruction use the result of a read, or a value of it? Extractvalues, which stand behind their read, do not count. */
static bool uses_pending(const struct tsr__blocks2d *o, LLVMValueRef inst)
{
    for (int i = 0; !LLVMIsAExtractValueInst(inst) && i < LLVMGetNumOperands(inst); i++) {
        LLVMValueRef v = LLVMGetOperand(inst, (unsigned)i), result = LLVMIsAExtractValueInst(v) ? LLVMGetOperand(v, 0) : v;
        for (size_t k = 0; k < o->pending_count; k++)
            if (result == o->pending[k].call)
                return true;
    }
    return false;
}

/* A freeze of a result would part reads that follow each other. */
static void take_freeze(struct tsr__blocks2d *o, LLVMValueRef freeze)
{
    LLVMValueRef read = LLVMGetOperand(freeze, 0);
    if (!tsr__is_block2d_operation(read, "read"))
        return;
    tsr__map_set(&o->frozen, read, true);
    LLVMReplaceAllUsesWith(freeze, read);
    LLVMInstructionEraseFromParent(freeze);
}

/* What takes a result apart goes right behind the read: it is erased together with it, so it must not stand where code is still to come. */
static void gather_values(struct tsr__blocks2d *o, LLVMValueRef read)
{
    LLVMValueRef behind = LLVMGetNextInstruction(read);
    for (LLVMUseRef use = LLVMGetFirstUse(read); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (!LLVMIsAExtractValueInst(user) || user == behind)
            continue;
        LLVMMetadataRef line = LLVMInstructionGetDebugLoc(user);
        LLVMInstructionRemoveFromParent(user);
        LLVMPositionBuilderBefore(o->b, behind);
        LLVMInsertIntoBuilder(o->b, user);
        LLVMInstructionSetDebugLoc(user, line);
    }
}

/* LLVM's passes leave freezes of whole results, and move extractvalues down, into other blocks, too. */
static void settle_results(struct tsr__blocks2d *o, LLVMValueRef function)
{
    size_t count;
    LLVMValueRef *code = tsr__instructions(o->l, function, &count);
    for (size_t i = 0; i < count; i++)
        if (LLVMIsAFreezeInst(code[i]))
            take_freeze(o, code[i]);
    code = tsr__instructions(o->l, function, &count);
    for (size_t i = 0; i < count; i++)
        if (tsr__is_block2d_operation(code[i], "read"))
            gather_values(o, code[i]);
}

static bool has_operations(LLVMValueRef *code, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (tsr__is_block2d_operation(code[i], ""))
            return true;
    return false;
}

/* Variables of the packet, which no block in memory can be part of. */
static bool is_own(LLVMValueRef address)
{
    while (LLVMIsAGetElementPtrInst(address))
        address = LLVMGetOperand(address, 0);
    return LLVMIsAAllocaInst(address);
}

/* Takes from the code, which begins with a write, those that can be made together with it. */
static size_t take_writes(LLVMValueRef *code, size_t count, LLVMValueRef *taken)
{
    size_t n = 0;
    for (size_t i = 0; i < count && !LLVMIsATerminatorInst(code[i]); i++) {
        bool loads = LLVMIsALoadInst(code[i]), stores = LLVMIsAStoreInst(code[i]);
        if (tsr__is_block2d_operation(code[i], "write")) {
            taken[n++] = code[i];
            code[i] = NULL;
        } else if (loads || stores ? !is_own(LLVMGetOperand(code[i], stores)) : may_write_memory(code[i])) {
            break;
        }
    }
    return n;
}

/* ---- reads of the next step ---- */

enum { MAX_CHAIN = 12 }; /* of arithmetic that makes an operand */

static uintptr_t position_of(const struct tsr__blocks2d *o, LLVMValueRef v)
{
    return tsr__map_get(&o->places, v);
}

/* Is the value there at the place, or can be, as it is arithmetic of what is? */
static bool can_come_to(const struct tsr__blocks2d *o, LLVMValueRef v, LLVMValueRef place, int depth)
{
    if (!LLVMIsAInstruction(v) || LLVMGetInstructionParent(v) != LLVMGetInstructionParent(place) ||
        position_of(o, v) < position_of(o, place))
        return true;
    bool arithmetic = depth && (LLVMIsABinaryOperator(v) || LLVMIsACastInst(v) || LLVMIsASelectInst(v) || LLVMIsAICmpInst(v) ||
                                LLVMIsAGetElementPtrInst(v));
    for (int i = 0; arithmetic && i < LLVMGetNumOperands(v); i++)
        arithmetic = can_come_to(o, LLVMGetOperand(v, (unsigned)i), place, depth - 1);
    return arithmetic;
}

static void make_available(struct tsr__blocks2d *o, LLVMValueRef v, LLVMValueRef place)
{
    if (!LLVMIsAInstruction(v) || LLVMGetInstructionParent(v) != LLVMGetInstructionParent(place) ||
        position_of(o, v) < position_of(o, place))
        return;
    for (int i = 0; i < LLVMGetNumOperands(v); i++)
        make_available(o, LLVMGetOperand(v, (unsigned)i), place);
    tsr__move_instruction(o->b, v, place);
    tsr__map_set(&o->places, v, position_of(o, place) - 1);
}

/* Products write no memory: what is read behind them can be read before them, together with what they want. */
static void take_reads_ahead(struct tsr__blocks2d *o, LLVMValueRef *code, size_t count)
{
    for (size_t i = 0; i < count && code[i] && !LLVMIsATerminatorInst(code[i]); i++) {
        bool read = tsr__is_block2d_operation(code[i], "read"), comes = read;
        if (!read && !tsr__is_block2d_operation(code[i], "prefetch") && may_write_memory(code[i]))
            break;
        for (int k = 0; comes && k < LLVMGetNumOperands(code[i]); k++)
            comes = can_come_to(o, LLVMGetOperand(code[i], (unsigned)k), code[0], MAX_CHAIN);
        if (!comes)
            continue;
        LLVMValueRef call = code[i];
        make_available(o, call, code[0]);
        o->pending[o->pending_count++] = (struct tsr__block2d_read){.call = call};
        code[i] = NULL;
        /* What takes the result apart stands behind it, and is erased together with it. */
        for (; i + 1 < count && code[i + 1] && LLVMIsAExtractValueInst(code[i + 1]) && LLVMGetOperand(code[i + 1], 0) == call; i++)
            code[i + 1] = NULL;
    }
}

static void lower_all(struct tsr__blocks2d *o, LLVMValueRef *code, size_t count)
{
    LLVMValueRef *writes = tsr_arena_alloc(&o->l->scratch, count * sizeof *writes);
    for (size_t i = 0; i < count; i++) {
        LLVMValueRef inst = code[i];
        if (!inst) /* taken */
            continue;
        bool read = tsr__is_block2d_operation(inst, "read"), prefetch = tsr__is_block2d_operation(inst, "prefetch");
        if (o->pending_count && !read && !prefetch && (LLVMIsATerminatorInst(inst) || may_write_memory(inst) || uses_pending(o, inst))) {
            take_reads_ahead(o, code + i, count - i);
            finish_reads(o, inst);
        }
        if (read)
            o->pending[o->pending_count++] = (struct tsr__block2d_read){.call = inst};
        else if (prefetch)
            lower_prefetch(o, inst);
        else if (tsr__is_block2d_operation(inst, "write"))
            lower_writes(o, writes, take_writes(code + i, count - i, writes));
    }
}

/* Reads are joined within a round of a loop; so loops in which one step of K is made are made to do two now; not so the copies of loops
 * that are for the device. */
bool tsr__pass_unroll_block_reads(struct tsr__compilation *l)
{
    size_t function_count;
    LLVMValueRef *functions = tsr__defined_functions(l, &function_count);
    bool any = false;
    for (size_t i = 0; i < function_count && !any && tsr__tile_unit(l) != TSR__TILES_NONE; i++) {
        size_t count;
        LLVMValueRef *code = tsr__instructions(l, functions[i], &count);
        any = has_operations(code, count);
    }
    if (!any)
        return true;
    if (!tsr__run_llvm(l, "function(sroa,early-cse,simplifycfg,loop-simplify)"))
        return false;
    for (size_t i = 0; i < function_count; i++)
        tsr__block2d_loops(l, functions[i]);
    for (size_t i = 0; i < function_count; i++)
        tsr__mark_mad_unroll(l, functions[i], NULL);
    for (size_t i = 0; i < function_count; i++)
        tsr__pass_widen_indices(l, functions[i]);
    return tsr__run_llvm(l, "function(loop-unroll<O2;no-peeling>,instcombine<no-verify-fixpoint>,early-cse,simplifycfg)");
}

bool tsr__pass_lower_block2d(struct tsr__compilation *l)
{
    size_t function_count;
    LLVMValueRef *functions = tsr__defined_functions(l, &function_count);
    for (size_t i = 0; i < function_count; i++) {
        size_t count;
        LLVMValueRef *code = tsr__instructions(l, functions[i], &count);
        if (!has_operations(code, count))
            continue;
        struct tsr__blocks2d o = {.l = l, .b = LLVMCreateBuilderInContext(l->context), .entry = tsr__builder_at_entry(l, functions[i])};
        o.places.arena = o.frozen.arena = &l->scratch;
        settle_results(&o, functions[i]);
        code = tsr__instructions(l, functions[i], &count);
        o.pending = tsr_arena_alloc(&l->scratch, count * sizeof *o.pending);
        for (size_t k = 0; k < count; k++)
            tsr__map_set(&o.places, code[k], k + 2); /* what is moved gets the number of what stands in front of it */
        lower_all(&o, code, count);
        LLVMDisposeBuilder(o.entry);
        LLVMDisposeBuilder(o.b);
    }
    return true;
}
