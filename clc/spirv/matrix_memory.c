/* SPDX-License-Identifier: Apache-2.0
 * Loads and stores of matrices: a helper function for each matrix type, layout and address space. Its code is plain loads and stores of
 * each work-item, whose addresses are what the vectoriser and the tile passes look for. */
#include "clc/spirv/matrix.h"

/* A load or a store that is being made. */
struct transfer {
    struct tsr__reader *r;
    const struct tsr__matrix *m;
    enum tsr__matrix_memory memory;
    bool store, checked;
    LLVMValueRef base, stride;        /* the pointer; bytes from a row, or a column, to the next */
    LLVMValueRef x, y, height, width; /* see tsr__emit_matrix_transfer; NULL: it has none */
    LLVMValueRef value;               /* of a store */
    LLVMValueRef lane;
};

static LLVMTypeRef i64(struct transfer *t)
{
    return LLVMInt64TypeInContext(t->r->context);
}

static LLVMValueRef number(struct transfer *t, uint64_t value)
{
    return LLVMConstInt(i64(t), value, false);
}

static LLVMValueRef add(struct transfer *t, LLVMValueRef a, LLVMValueRef b)
{
    return LLVMBuildAdd(t->r->builder, a, b, "");
}

static LLVMValueRef times(struct transfer *t, LLVMValueRef a, uint64_t factor)
{
    return factor == 1 ? a : LLVMBuildMul(t->r->builder, a, number(t, factor), "");
}

/* ---- one access ---- */

/* The rows of B that the packed layout keeps in 32 bits, side by side; 1: it is the layout by rows. */
static uint32_t packing(const struct transfer *t)
{
    return t->memory == TSR__PACKED && t->m->use == TSR__MATRIX_B && t->m->bits < 32 ? 32 / t->m->bits : 1;
}

/* Where an element is in memory, in lines (rows, or columns) and in elements of a line. */
static void place(struct transfer *t, LLVMValueRef row, LLVMValueRef column, LLVMValueRef *line, LLVMValueRef *in_line)
{
    LLVMBuilderRef b = t->r->builder;
    uint32_t rows = packing(t);
    *line = t->memory == TSR__COLUMN_MAJOR ? column : row;
    *in_line = t->memory == TSR__COLUMN_MAJOR ? row : column;
    if (rows > 1) {
        *line = LLVMBuildUDiv(b, row, number(t, rows), "");
        *in_line = add(t, times(t, column, rows), LLVMBuildURem(b, row, number(t, rows), ""));
    }
}

static LLVMValueRef address(struct transfer *t, LLVMValueRef line, LLVMValueRef in_line)
{
    LLVMValueRef offset = add(t, LLVMBuildMul(t->r->builder, line, t->stride, ""), times(t, in_line, t->m->bits / 8));
    return LLVMBuildGEP2(t->r->builder, LLVMInt8TypeInContext(t->r->context), t->base, &offset, 1, "");
}

static LLVMValueRef address_of(struct transfer *t, LLVMValueRef row, LLVMValueRef column)
{
    LLVMValueRef line, in_line;
    place(t, row, column, &line, &in_line);
    return address(t, line, in_line);
}

/* Memory is aligned as a component is. */
static LLVMValueRef load_from(struct transfer *t, LLVMTypeRef type, LLVMValueRef from)
{
    LLVMValueRef made = LLVMBuildLoad2(t->r->builder, type, from, "");
    LLVMSetAlignment(made, t->m->bits / 8);
    return made;
}

static void store_to(struct transfer *t, LLVMValueRef value, LLVMValueRef to)
{
    LLVMSetAlignment(LLVMBuildStore(t->r->builder, value, to), t->m->bits / 8);
}

static LLVMTypeRef vector_of(LLVMTypeRef element, uint32_t count)
{
    return count > 1 ? LLVMVectorType(element, count) : element;
}

static LLVMTypeRef components(struct transfer *t, uint32_t count)
{
    return vector_of(t->m->component->llvm, count);
}

/* `count` slots from `first` on, which lie one behind the other in memory. For a load *value grows by them. */
static void move_together(struct transfer *t, uint32_t first, uint32_t count, LLVMValueRef at, LLVMValueRef *value)
{
    for (uint32_t done = 0, size; done < count; done += size) {
        for (size = 16; size > count - done;)
            size /= 2;
        LLVMValueRef offset = number(t, (uint64_t)done * t->m->bits / 8);
        LLVMValueRef p = done ? LLVMBuildGEP2(t->r->builder, LLVMInt8TypeInContext(t->r->context), at, &offset, 1, "") : at;
        if (t->store)
            store_to(t, tsr__matrix_get(t->r, t->m, t->value, first + done, size), p);
        else
            *value = tsr__matrix_put(t->r, t->m, *value, first + done, load_from(t, components(t, size), p));
    }
}

/* `count` slots from `first` on as words of several components, each of which lies at an address of its own. A vector of words stays one
 * all the way to the matrix functions, as do those that an OpenCL C kernel loads. */
struct words {
    uint32_t first, count, in_word;
    LLVMTypeRef word;
    LLVMValueRef vector; /* or scalar, of one word */
};

static struct words begin_words(struct transfer *t, uint32_t first, uint32_t count, uint32_t in_word)
{
    LLVMTypeRef word = in_word > 1 ? LLVMIntTypeInContext(t->r->context, in_word * t->m->bits) : t->m->component->llvm;
    struct words w = {first, count, in_word, word, NULL};
    LLVMTypeRef type = vector_of(word, count / in_word);
    w.vector =
        t->store ? LLVMBuildBitCast(t->r->builder, tsr__matrix_get(t->r, t->m, t->value, first, count), type, "") : LLVMGetPoison(type);
    return w;
}

static void move_word(struct transfer *t, struct words *w, uint32_t i, LLVMValueRef at)
{
    LLVMBuilderRef b = t->r->builder;
    bool one = w->count == w->in_word;
    LLVMValueRef index = tsr__u32(t->r, i);
    if (t->store) {
        store_to(t, one ? w->vector : LLVMBuildExtractElement(b, w->vector, index, ""), at);
        return;
    }
    LLVMValueRef word = load_from(t, w->word, at);
    w->vector = one ? word : LLVMBuildInsertElement(b, w->vector, word, index, "");
}

static void end_words(struct transfer *t, struct words *w, LLVMValueRef *value)
{
    if (t->store)
        return;
    LLVMValueRef part = LLVMBuildBitCast(t->r->builder, w->vector, components(t, w->count), "");
    *value = tsr__matrix_put(t->r, t->m, *value, w->first, part);
}

/* ---- blocks ---- */

/* A block of columns: a slot is a row. */
static void move_columns(struct transfer *t, const struct tsr__matrix_block *b, LLVMValueRef *value)
{
    LLVMValueRef column = add(t, number(t, b->column), t->lane);
    uint32_t group = packing(t);
    if (t->memory == TSR__COLUMN_MAJOR) {
        move_together(t, b->slot, b->rows, address_of(t, number(t, b->row), column), value);
        return;
    }
    uint32_t whole = b->rows / group * group;
    if (whole) {
        struct words w = begin_words(t, b->slot, whole, group);
        for (uint32_t i = 0; i < whole; i += group)
            move_word(t, &w, i / group, address_of(t, number(t, b->row + i), column));
        end_words(t, &w, value);
    }
    if (whole < b->rows)
        move_together(t, b->slot + whole, b->rows - whole, address_of(t, number(t, b->row + whole), column), value);
}

/* A block of rows, each of which lies over the work-items with `run` elements in each. */
static void move_rows(struct transfer *t, const struct tsr__matrix_block *b, LLVMValueRef *value)
{
    uint32_t run = t->m->run;
    LLVMValueRef column = add(t, number(t, b->column), times(t, t->lane, run));
    if (t->memory != TSR__COLUMN_MAJOR) {
        struct words w = begin_words(t, b->slot, b->slots, run);
        for (uint32_t i = 0; i < b->rows; i++)
            move_word(t, &w, i, address_of(t, number(t, b->row + i), column));
        end_words(t, &w, value);
        return;
    }
    for (uint32_t p = 0; p < run; p++) {
        LLVMValueRef at = address_of(t, number(t, b->row), add(t, column, number(t, p)));
        LLVMValueRef rows = t->store ? LLVMGetPoison(components(t, b->rows)) : load_from(t, components(t, b->rows), at);
        for (uint32_t i = 0; i < b->rows; i++) {
            uint32_t slot = b->slot + i * run + p;
            LLVMValueRef index = tsr__u32(t->r, i), one;
            if (t->store) {
                one = tsr__matrix_get(t->r, t->m, t->value, slot, 1);
                rows = b->rows > 1 ? LLVMBuildInsertElement(t->r->builder, rows, one, index, "") : one;
            } else {
                one = b->rows > 1 ? LLVMBuildExtractElement(t->r->builder, rows, index, "") : rows;
                *value = tsr__matrix_put(t->r, t->m, *value, slot, one);
            }
        }
        if (t->store)
            store_to(t, rows, at);
    }
}

static LLVMValueRef and(struct transfer *t, LLVMValueRef a, LLVMValueRef b)
{
    return a && b ? LLVMBuildAnd(t->r->builder, a, b, "") : a ? a : b;
}

/* Slot by slot: for blocks that lie in no simple way, and where each element is checked. */
static void move_slot(struct transfer *t, uint32_t slot, LLVMValueRef *value)
{
    LLVMBuilderRef b = t->r->builder;
    LLVMValueRef row, column, there, line, in_line, one = NULL;
    tsr__matrix_position(t->r, t->m, slot, t->lane, &row, &column, &there);
    place(t, row, column, &line, &in_line);
    if (t->x) {
        line = add(t, line, t->x);
        in_line = add(t, in_line, t->y);
    }
    if (t->checked) { /* an index below zero is a large unsigned number */
        there = and(t, there, LLVMBuildICmp(b, LLVMIntULT, line, t->height, ""));
        there = and(t, there, LLVMBuildICmp(b, LLVMIntULT, in_line, t->width, ""));
    }
    struct tsr__guard guard;
    tsr__guard_begin(t->r, &guard, there);
    LLVMValueRef at = address(t, line, in_line);
    if (t->store)
        store_to(t, tsr__matrix_get(t->r, t->m, t->value, slot, 1), at);
    else
        one = load_from(t, t->m->component->llvm, at);
    one = tsr__guard_end(t->r, &guard, one, LLVMConstNull(t->m->component->llvm));
    if (!t->store)
        *value = tsr__matrix_put(t->r, t->m, *value, slot, one);
}

static bool is_simple(const struct tsr__matrix *m)
{
    return m->order == TSR__COLUMNS || (m->order == TSR__ROWS && m->rows_at_once == 1);
}

/* The whole matrix, which lies within memory. */
static LLVMValueRef move_blocks(struct transfer *t)
{
    const struct tsr__matrix *m = t->m;
    LLVMValueRef value = t->store ? NULL : LLVMConstNull(m->llvm);
    for (uint32_t i = 0; i < m->block_count && is_simple(m); i++) {
        struct tsr__guard guard;
        LLVMValueRef before = value;
        tsr__guard_begin(t->r, &guard, tsr__matrix_in_block(t->r, m, &m->blocks[i], t->lane));
        if (m->order == TSR__COLUMNS)
            move_columns(t, &m->blocks[i], &value);
        else
            move_rows(t, &m->blocks[i], &value);
        value = tsr__guard_end(t->r, &guard, value, before);
    }
    for (uint32_t slot = 0; slot < m->slots && !is_simple(m); slot++)
        move_slot(t, slot, &value);
    return value;
}

static LLVMValueRef move_checked(struct transfer *t)
{
    LLVMValueRef value = t->store ? NULL : LLVMConstNull(t->m->llvm);
    for (uint32_t slot = 0; slot < t->m->slots; slot++)
        move_slot(t, slot, &value);
    return value;
}

/* ---- helper functions ---- */

/* Calls the helper for a transfer at t->base. Loads give the matrix. */
static LLVMValueRef call_plain(struct transfer *t)
{
    struct tsr__helper h;
    struct tsr__reader *r = t->r;
    LLVMTypeRef types[] = {LLVMTypeOf(t->base), i64(t), t->m->llvm};
    LLVMValueRef args[] = {t->base, t->stride, t->value};
    unsigned count = t->store ? 3 : 2;
    const char *name = tsr_arena_format(&r->arena, "%s.%s.%s.as%u.scope%u", t->m->name, t->store ? "store" : "load",
                                        tsr__matrix_memory_names[t->memory], LLVMGetPointerAddressSpace(types[0]), t->m->scope);
    if (tsr__helper_begin(r, &h, name, t->store ? LLVMVoidTypeInContext(r->context) : t->m->llvm, types, count)) {
        struct transfer inner = *t;
        inner.base = LLVMGetParam(h.function, 0);
        inner.stride = LLVMGetParam(h.function, 1);
        inner.value = t->store ? LLVMGetParam(h.function, 2) : NULL;
        inner.x = inner.y = NULL;
        inner.checked = false;
        inner.lane = tsr__matrix_lane(r);
        struct tsr__guard guard;
        tsr__guard_begin(r, &guard, t->store ? tsr__matrix_holder(r, t->m) : NULL);
        LLVMValueRef value = move_blocks(&inner);
        tsr__guard_end(r, &guard, NULL, NULL);
        tsr__helper_end(r, &h, value);
    }
    return tsr__helper_call(r, &h, args, count);
}

/* Whether all of the matrix lies within height and width, from x and y on. */
static LLVMValueRef is_inside(struct transfer *t)
{
    LLVMBuilderRef b = t->r->builder;
    uint32_t rows = packing(t), lines = t->m->rows, elements = t->m->columns * rows;
    if (t->memory == TSR__COLUMN_MAJOR) {
        lines = t->m->columns;
        elements = t->m->rows;
    } else {
        lines = (lines + rows - 1) / rows;
    }
    LLVMValueRef zero = number(t, 0);
    LLVMValueRef inside = and(t, LLVMBuildICmp(b, LLVMIntSGE, t->x, zero, ""), LLVMBuildICmp(b, LLVMIntSGE, t->y, zero, ""));
    inside = and(t, inside, LLVMBuildICmp(b, LLVMIntSLE, add(t, t->x, number(t, lines)), t->height, ""));
    return and(t, inside, LLVMBuildICmp(b, LLVMIntSLE, add(t, t->y, number(t, elements)), t->width, ""));
}

/* What a checked transfer does where the matrix lies within memory, and where it does not. */
static LLVMValueRef make_checked(struct transfer *t)
{
    struct tsr__guard inside, outside;
    LLVMValueRef zero = LLVMConstNull(t->m->llvm), within = is_inside(t), value, part = NULL;
    tsr__guard_begin(t->r, &inside, within);
    struct transfer plain = *t;
    plain.base = address(t, t->x, t->y);
    value = call_plain(&plain);
    value = tsr__guard_end(t->r, &inside, t->store ? NULL : value, zero);
    tsr__guard_begin(t->r, &outside, LLVMBuildNot(t->r->builder, within, ""));
    struct tsr__guard guard;
    tsr__guard_begin(t->r, &guard, t->store ? tsr__matrix_holder(t->r, t->m) : NULL);
    part = move_checked(t);
    tsr__guard_end(t->r, &guard, NULL, NULL);
    return tsr__guard_end(t->r, &outside, part, value);
}

static LLVMValueRef call_checked(struct transfer *t)
{
    struct tsr__helper h;
    struct tsr__reader *r = t->r;
    LLVMTypeRef types[] = {LLVMTypeOf(t->base), i64(t), i64(t), i64(t), i64(t), i64(t), t->m->llvm};
    LLVMValueRef args[] = {t->base, t->stride, t->x, t->y, t->height, t->width, t->value};
    unsigned count = t->store ? 7 : 6;
    const char *name = tsr_arena_format(&r->arena, "%s.%s_checked.%s.as%u.scope%u", t->m->name, t->store ? "store" : "load",
                                        tsr__matrix_memory_names[t->memory], LLVMGetPointerAddressSpace(types[0]), t->m->scope);
    if (tsr__helper_begin(r, &h, name, t->store ? LLVMVoidTypeInContext(r->context) : t->m->llvm, types, count)) {
        struct transfer inner = *t;
        LLVMValueRef *parameters[] = {&inner.base, &inner.stride, &inner.x, &inner.y, &inner.height, &inner.width, &inner.value};
        for (unsigned i = 0; i < count; i++)
            *parameters[i] = LLVMGetParam(h.function, i);
        inner.lane = tsr__matrix_lane(r);
        tsr__helper_end(r, &h, make_checked(&inner));
    }
    return tsr__helper_call(r, &h, args, count);
}

/* ---- instructions ---- */

/* The operands of each instruction, NONE: it has none. The stride may be absent. */
enum { NONE = UINT32_MAX };
static const struct form {
    uint32_t opcode, object, x, layout, height, stride; /* y stands behind x, width behind height */
    bool by_pointee;                                    /* the stride counts what the pointer points to */
} forms[] = {
    {TSR__OpCooperativeMatrixLoadKHR, NONE, NONE, 1, NONE, 2, true},
    {TSR__OpCooperativeMatrixStoreKHR, 1, NONE, 2, NONE, 3, true},
    {TSR__OpCooperativeMatrixLoadCheckedINTEL, NONE, 1, 3, 4, 6, true},
    {TSR__OpCooperativeMatrixStoreCheckedINTEL, 3, 1, 4, 5, 7, true},
    {TSR__OpCooperativeMatrixLoadOffsetINTEL, NONE, 1, 3, NONE, 4, true},
    {TSR__OpCooperativeMatrixStoreOffsetINTEL, 3, 1, 4, NONE, 5, true},
    {TSR__OpJointMatrixLoadINTEL, NONE, NONE, 2, NONE, 1, false},
    {TSR__OpJointMatrixStoreINTEL, 1, NONE, 3, NONE, 2, false},
};

static const struct form *form_of(const struct tsr__inst *in)
{
    const struct form *f = forms;
    while (f->opcode != in->op->number)
        f++;
    return f;
}

/* Bytes that the stride counts by. A pointer to bytes is how LLVM's writer of SPIR-V puts one to anything, so only larger elements count.
 */
static uint64_t stride_unit(struct transfer *t, const struct form *f, const struct tsr__type *pointee)
{
    uint64_t own = t->m->bits / 8;
    while (pointee && pointee->kind == TSR__ARRAY)
        pointee = pointee->element;
    uint64_t size =
        f->by_pointee && pointee && pointee->llvm && LLVMTypeIsSized(pointee->llvm) ? LLVMABISizeOfType(t->r->layout, pointee->llvm) : own;
    return size > own ? size : own;
}

static void read_place(struct tsr__reader *r, const struct tsr__inst *in, struct transfer *t, const struct form *f)
{
    t->base = tsr__spirv_value(r, in, 0);
    const struct tsr__type *type = tsr__spirv_type_of(r, in, 0);
    if (type->kind != TSR__POINTER || type->storage == TSR__StorageFunction || type->storage == TSR__StoragePrivate)
        tsr__spirv_fail(r, in, "a matrix comes from, and goes to, memory of storage class CrossWorkgroup, Workgroup or Generic");
    uint64_t memory = tsr__spirv_constant(r, in, f->layout, "the layout");
    if (memory > TSR__PACKED)
        tsr__spirv_fail(r, in, "layout %llu: it is by rows, 0, by columns, 1, or packed, 2", (unsigned long long)memory);
    t->memory = (enum tsr__matrix_memory)memory;
    if (f->stride >= in->count)
        tsr__spirv_fail(r, in, "these layouts need a stride");
    t->stride = times(t, tsr__matrix_integer(r, in, f->stride), stride_unit(t, f, type->element));
    if (f->x == NONE)
        return;
    t->x = tsr__matrix_integer(r, in, f->x);
    t->y = tsr__matrix_integer(r, in, f->x + 1);
    t->checked = f->height != NONE;
    t->height = t->checked ? tsr__matrix_integer(r, in, f->height) : NULL;
    t->width = t->checked ? tsr__matrix_integer(r, in, f->height + 1) : NULL;
}

/* x and y are the line and the element of it where the matrix begins. Of a checked transfer, height and width say how many lines memory has
 * and how many elements each has: elements outside read as zero and are not written. */
LLVMValueRef tsr__emit_matrix_transfer(struct tsr__reader *r, const struct tsr__inst *in, int argument)
{
    (void)argument;
    const struct form *f = form_of(in);
    struct transfer t = {.r = r, .store = f->object != NONE};
    t.m = t.store ? tsr__matrix_operand(r, in, f->object) : tsr__matrix_result(r, in);
    t.value = t.store ? tsr__spirv_value(r, in, f->object) : NULL;
    read_place(r, in, &t, f);
    if (t.m->int4 && t.x)
        tsr__spirv_fail(r, in, "matrices of integers of 4 bits are loaded and stored by OpCooperativeMatrixLoadKHR and StoreKHR alone");
    if (t.m->int4 && t.store)
        tsr__matrix_store_int4(r, t.m, t.memory, t.base, t.stride, t.value);
    if (t.m->int4)
        return t.store ? NULL : tsr__matrix_load_int4(r, t.m, t.memory, t.base, t.stride);
    if (t.x && !t.checked)
        t.base = address(&t, t.x, t.y);
    LLVMValueRef made = t.checked ? call_checked(&t) : call_plain(&t);
    return t.store ? NULL : made;
}

/* A hint: the tile loops and the processor fetch ahead by themselves. */
LLVMValueRef tsr__emit_matrix_prefetch(struct tsr__reader *r, const struct tsr__inst *in, int argument)
{
    (void)argument;
    if (tsr__spirv_type_of(r, in, 0)->kind != TSR__POINTER)
        tsr__spirv_fail(r, in, "operand 1 has to be a pointer");
    return NULL;
}
