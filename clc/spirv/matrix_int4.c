/* SPDX-License-Identifier: Apache-2.0
 * Loads and stores of matrices of integers of 4 bits (SPV_INTEL_int4). Two elements share a byte of memory, the first one in its low bits;
 * the work-item that has the first one stores both. */
#include "clc/spirv/matrix.h"

enum { BITS = 4, PACKED_ROWS = 8 /* of B, side by side in 32 bits */ };

struct transfer {
    struct tsr__reader *r;
    const struct tsr__matrix *m;
    enum tsr__matrix_memory memory;
    LLVMValueRef base, stride, lane;
};

static LLVMValueRef number(const struct transfer *t, uint64_t value)
{
    return LLVMConstInt(LLVMInt64TypeInContext(t->r->context), value, false);
}

static bool is_packed(const struct transfer *t)
{
    return t->memory == TSR__PACKED && t->m->use == TSR__MATRIX_B;
}

/* Whether neighbours in memory are neighbours in a row. */
static bool is_along_rows(const struct transfer *t)
{
    return t->memory != TSR__COLUMN_MAJOR && !is_packed(t);
}

/* The byte of an element, and whether it has the second place in it. */
static LLVMValueRef byte_of(const struct transfer *t, LLVMValueRef row, LLVMValueRef column, LLVMValueRef *second)
{
    LLVMBuilderRef b = t->r->builder;
    LLVMValueRef line = t->memory == TSR__COLUMN_MAJOR ? column : row, in_line = t->memory == TSR__COLUMN_MAJOR ? row : column;
    if (is_packed(t)) {
        LLVMValueRef rows = number(t, PACKED_ROWS);
        line = LLVMBuildUDiv(b, row, rows, "");
        in_line = LLVMBuildAdd(b, LLVMBuildMul(b, column, rows, ""), LLVMBuildURem(b, row, rows, ""), "");
    }
    LLVMValueRef offset = LLVMBuildAdd(b, LLVMBuildMul(b, line, t->stride, ""), LLVMBuildLShr(b, in_line, number(t, 1), ""), "");
    *second = LLVMBuildTrunc(b, in_line, LLVMInt1TypeInContext(t->r->context), "");
    return LLVMBuildGEP2(b, LLVMInt8TypeInContext(t->r->context), t->base, &offset, 1, "");
}

static LLVMValueRef load_byte(const struct transfer *t, LLVMValueRef at)
{
    LLVMValueRef byte = LLVMBuildLoad2(t->r->builder, LLVMInt8TypeInContext(t->r->context), at, "");
    LLVMSetAlignment(byte, 1);
    return byte;
}

static LLVMValueRef load_slot(const struct transfer *t, uint32_t slot)
{
    LLVMBuilderRef b = t->r->builder;
    LLVMTypeRef type = LLVMInt8TypeInContext(t->r->context);
    LLVMValueRef row, column, there, second;
    struct tsr__guard guard;
    tsr__matrix_position(t->r, t->m, slot, t->lane, &row, &column, &there);
    tsr__guard_begin(t->r, &guard, there);
    LLVMValueRef byte = load_byte(t, byte_of(t, row, column, &second));
    LLVMValueRef low = LLVMBuildAnd(b, byte, LLVMConstInt(type, 15, false), ""),
                 high = LLVMBuildLShr(b, byte, LLVMConstInt(type, BITS, false), "");
    return tsr__guard_end(t->r, &guard, LLVMBuildSelect(b, second, high, low, ""), LLVMConstNull(type));
}

/* `next` has the elements that follow in memory, and may end a line before `value` does: what lies in the second place stays then. */
static void store_slot(const struct transfer *t, uint32_t slot, LLVMValueRef value, LLVMValueRef next)
{
    LLVMBuilderRef b = t->r->builder;
    LLVMTypeRef type = LLVMInt8TypeInContext(t->r->context);
    bool along_rows = is_along_rows(t);
    uint32_t length = along_rows ? t->m->columns : t->m->rows;
    LLVMValueRef row, column, there, second;
    struct tsr__guard guard;
    tsr__matrix_position(t->r, t->m, slot, t->lane, &row, &column, &there);
    LLVMValueRef at = byte_of(t, row, column, &second), first = LLVMBuildNot(b, second, "");
    tsr__guard_begin(t->r, &guard, there ? LLVMBuildAnd(b, there, first, "") : first);
    LLVMValueRef high = LLVMBuildShl(b, tsr__matrix_get(t->r, t->m, next, slot, 1), LLVMConstInt(type, BITS, false), "");
    if (length % 2) {
        LLVMValueRef last = LLVMBuildICmp(b, LLVMIntEQ, along_rows ? column : row, number(t, length - 1), "");
        LLVMValueRef old = LLVMBuildAnd(b, load_byte(t, at), LLVMConstInt(type, 0xf0, false), "");
        high = LLVMBuildSelect(b, last, old, high, "");
    }
    LLVMSetAlignment(LLVMBuildStore(b, LLVMBuildOr(b, tsr__matrix_get(t->r, t->m, value, slot, 1), high, ""), at), 1);
    tsr__guard_end(t->r, &guard, NULL, NULL);
}

static const char *name_of(const struct transfer *t, const char *what)
{
    return tsr_arena_format(&t->r->arena, "%s.%s.%s.as%u.scope%u", t->m->name, what, tsr__matrix_memory_names[t->memory],
                            LLVMGetPointerAddressSpace(LLVMTypeOf(t->base)), t->m->scope);
}

LLVMValueRef tsr__matrix_load_int4(struct tsr__reader *r, const struct tsr__matrix *m, enum tsr__matrix_memory memory, LLVMValueRef base,
                                   LLVMValueRef stride)
{
    struct transfer t = {.r = r, .m = m, .memory = memory, .base = base, .stride = stride};
    LLVMValueRef args[] = {base, stride}, value = LLVMConstNull(m->llvm);
    LLVMTypeRef types[] = {LLVMTypeOf(base), LLVMTypeOf(stride)};
    struct tsr__helper h;
    if (tsr__helper_begin(r, &h, name_of(&t, "load"), m->llvm, types, 2)) {
        t.base = LLVMGetParam(h.function, 0);
        t.stride = LLVMGetParam(h.function, 1);
        t.lane = tsr__matrix_lane(r);
        for (uint32_t slot = 0; slot < m->slots; slot++)
            value = tsr__matrix_put(r, m, value, slot, load_slot(&t, slot));
        tsr__helper_end(r, &h, value);
    }
    return tsr__helper_call(r, &h, args, 2);
}

void tsr__matrix_store_int4(struct tsr__reader *r, const struct tsr__matrix *m, enum tsr__matrix_memory memory, LLVMValueRef base,
                            LLVMValueRef stride, LLVMValueRef value)
{
    struct transfer t = {.r = r, .m = m, .memory = memory, .base = base, .stride = stride};
    bool along_rows = is_along_rows(&t);
    LLVMValueRef args[] = {base, stride, value, tsr__matrix_shift(r, m, !along_rows, along_rows, value)};
    LLVMTypeRef types[] = {LLVMTypeOf(base), LLVMTypeOf(stride), m->llvm, m->llvm};
    struct tsr__helper h;
    if (tsr__helper_begin(r, &h, name_of(&t, "store"), LLVMVoidTypeInContext(r->context), types, 4)) {
        struct tsr__guard holder;
        t.base = LLVMGetParam(h.function, 0);
        t.stride = LLVMGetParam(h.function, 1);
        t.lane = tsr__matrix_lane(r);
        tsr__guard_begin(r, &holder, tsr__matrix_holder(r, m));
        for (uint32_t slot = 0; slot < m->slots; slot++)
            store_slot(&t, slot, LLVMGetParam(h.function, 2), LLVMGetParam(h.function, 3));
        tsr__guard_end(r, &holder, NULL, NULL);
        tsr__helper_end(r, &h, NULL);
    }
    tsr__helper_call(r, &h, args, 4);
}
