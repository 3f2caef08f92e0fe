/* SPDX-License-Identifier: Apache-2.0
 * Arrays as values, which LLVM's writer of SPIR-V lacks: matrices of our reader of SPIR-V are such. Each becomes its elements. */
#include "clc/service/service.h"

#include <llvm-c/Target.h>
#include <string.h>

/* A value and its elements. */
struct split {
    LLVMValueRef value; /* NULL: an empty place of the table */
    LLVMValueRef *elements;
};

struct splitter {
    LLVMBuilderRef builder;
    LLVMTargetDataRef layout;
    struct tsr_arena arena;
    struct split *table; /* by the value's address */
    size_t size, count;  /* places, a power of two, and those in use */
};

static bool is_array(LLVMValueRef value)
{
    return LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMArrayTypeKind;
}

static unsigned length_of(LLVMValueRef array)
{
    return (unsigned)LLVMGetArrayLength2(LLVMTypeOf(array));
}

/* ---- the table ---- */

static struct split *place_of(struct split *table, size_t size, LLVMValueRef value)
{
    size_t at = ((uintptr_t)value >> 4) * UINT64_C(0x9e3779b97f4a7c15) >> 20 & (size - 1);
    while (table[at].value && table[at].value != value)
        at = (at + 1) & (size - 1);
    return &table[at];
}

static void grow(struct splitter *s)
{
    enum { FIRST_SIZE = 256 };
    size_t size = s->size ? 2 * s->size : FIRST_SIZE;
    struct split *table = tsr_arena_alloc(&s->arena, size * sizeof *table);
    memset(table, 0, size * sizeof *table);
    for (size_t i = 0; i < s->size; i++)
        if (s->table[i].value)
            *place_of(table, size, s->table[i].value) = s->table[i];
    s->table = table;
    s->size = size;
}

/* Room for the elements of a value that has none yet. */
static LLVMValueRef *add(struct splitter *s, LLVMValueRef value)
{
    if (4 * s->count >= 3 * s->size)
        grow(s);
    s->count++;
    struct split *split = place_of(s->table, s->size, value);
    split->value = value;
    split->elements = tsr_arena_alloc(&s->arena, length_of(value) * sizeof *split->elements);
    return split->elements;
}

static LLVMValueRef *find(const struct splitter *s, LLVMValueRef value)
{
    return s->size ? place_of(s->table, s->size, value)->elements : NULL;
}

/* ---- elements ---- */

static LLVMValueRef address_of(struct splitter *s, LLVMTypeRef array, LLVMValueRef pointer, unsigned i)
{
    LLVMTypeRef i32 = LLVMInt32TypeInContext(LLVMGetTypeContext(array));
    LLVMValueRef at[] = {LLVMConstInt(i32, 0, false), LLVMConstInt(i32, i, false)};
    return LLVMBuildInBoundsGEP2(s->builder, array, pointer, at, TSR_ARRAY_LEN(at), "");
}

/* What the access to the array knows of its alignment, for element i. */
static unsigned alignment_of(const struct splitter *s, LLVMValueRef access, LLVMTypeRef array, unsigned i)
{
    unsigned alignment = LLVMGetAlignment(access);
    uint64_t offset = i * LLVMABISizeOfType(s->layout, LLVMGetElementType(array));
    while (offset % alignment)
        alignment /= 2;
    return alignment;
}

static LLVMValueRef *elements_of(struct splitter *s, LLVMValueRef value);

static void split_load(struct splitter *s, LLVMValueRef load, LLVMValueRef *elements)
{
    LLVMTypeRef array = LLVMTypeOf(load);
    LLVMPositionBuilderBefore(s->builder, load);
    for (unsigned i = 0; i < length_of(load); i++) {
        elements[i] = LLVMBuildLoad2(s->builder, LLVMGetElementType(array), address_of(s, array, LLVMGetOperand(load, 0), i), "");
        LLVMSetAlignment(elements[i], alignment_of(s, load, array, i));
        LLVMSetVolatile(elements[i], LLVMGetVolatile(load));
    }
}

static void split_select(struct splitter *s, LLVMValueRef select, LLVMValueRef *elements)
{
    LLVMValueRef *yes = elements_of(s, LLVMGetOperand(select, 1)), *no = elements_of(s, LLVMGetOperand(select, 2));
    LLVMPositionBuilderBefore(s->builder, select);
    for (unsigned i = 0; i < length_of(select); i++)
        elements[i] = LLVMBuildSelect(s->builder, LLVMGetOperand(select, 0), yes[i], no[i], "");
}

/* The incoming values come when all phis are there. */
static void split_phi(struct splitter *s, LLVMValueRef phi, LLVMValueRef *elements)
{
    LLVMPositionBuilderBefore(s->builder, phi);
    for (unsigned i = 0; i < length_of(phi); i++)
        elements[i] = LLVMBuildPhi(s->builder, LLVMGetElementType(LLVMTypeOf(phi)), "");
}

static LLVMValueRef *elements_of(struct splitter *s, LLVMValueRef value)
{
    LLVMValueRef *elements = find(s, value);
    if (elements)
        return elements;
    if (LLVMIsConstant(value)) {
        elements = add(s, value);
        for (unsigned i = 0; i < length_of(value); i++)
            elements[i] = LLVMGetAggregateElement(value, i);
    } else if (LLVMIsAInsertValueInst(value)) {
        const LLVMValueRef *before = elements_of(s, LLVMGetOperand(value, 0));
        elements = add(s, value);
        memcpy(elements, before, length_of(value) * sizeof *elements);
        elements[LLVMGetIndices(value)[0]] = LLVMGetOperand(value, 1);
    } else if (LLVMIsALoadInst(value)) {
        split_load(s, value, elements = add(s, value));
    } else if (LLVMIsASelectInst(value)) {
        elements = tsr_arena_alloc(&s->arena, length_of(value) * sizeof *elements);
        split_select(s, value, elements);
        memcpy(add(s, value), elements, length_of(value) * sizeof *elements);
    }
    return elements;
}

/* ---- uses ---- */

static void fill_phi(struct splitter *s, LLVMValueRef phi)
{
    const LLVMValueRef *elements = find(s, phi);
    for (unsigned k = 0; k < LLVMCountIncoming(phi); k++) {
        LLVMBasicBlockRef from = LLVMGetIncomingBlock(phi, k);
        LLVMValueRef *values = elements_of(s, LLVMGetIncomingValue(phi, k));
        for (unsigned i = 0; i < length_of(phi); i++)
            LLVMAddIncoming(elements[i], &values[i], &from, 1);
    }
}

static void split_store(struct splitter *s, LLVMValueRef store)
{
    LLVMValueRef value = LLVMGetOperand(store, 0), *elements = elements_of(s, value);
    LLVMPositionBuilderBefore(s->builder, store);
    for (unsigned i = 0; i < length_of(value); i++) {
        LLVMValueRef one = LLVMBuildStore(s->builder, elements[i], address_of(s, LLVMTypeOf(value), LLVMGetOperand(store, 1), i));
        LLVMSetAlignment(one, alignment_of(s, store, LLVMTypeOf(value), i));
        LLVMSetVolatile(one, LLVMGetVolatile(store));
    }
}

/* Whether the instruction is one of those that are split: arrays of arrays, calls and the like are not. */
static bool can_split(LLVMValueRef v)
{
    bool uses = false, flat = true;
    for (int i = 0, n = LLVMGetNumOperands(v); i < n; i++)
        uses |= is_array(LLVMGetOperand(v, (unsigned)i));
    if (is_array(v)) {
        LLVMTypeKind kind = LLVMGetTypeKind(LLVMGetElementType(LLVMTypeOf(v)));
        flat = kind != LLVMArrayTypeKind && kind != LLVMStructTypeKind;
    }
    if (!uses && !is_array(v))
        return true;
    switch (LLVMGetInstructionOpcode(v)) {
    case LLVMInsertValue:
    case LLVMExtractValue:
        return flat && LLVMGetNumIndices(v) == 1 && is_array(LLVMGetOperand(v, 0));
    case LLVMLoad:
    case LLVMStore:
    case LLVMSelect:
    case LLVMPHI:
        return flat;
    default:
        return false;
    }
}

/* What is done with arrays, in order; phis first. False: something with an array cannot be split. */
static bool collect(LLVMModuleRef module, struct tsr_buf *found)
{
    bool good = true;
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef v = LLVMGetFirstInstruction(b); v; v = LLVMGetNextInstruction(v)) {
                good = good && can_split(v);
                if (is_array(v) || ((LLVMIsAExtractValueInst(v) || LLVMIsAStoreInst(v)) && is_array(LLVMGetOperand(v, 0))))
                    tsr_buf_bytes(found, &v, sizeof v);
            }
    if (found->failed)
        tsr__out_of_memory();
    return good;
}

/* What the instruction takes out of an array; not another instruction that does so, as all of these go. */
static LLVMValueRef element_of(struct splitter *s, LLVMValueRef extract)
{
    LLVMValueRef element = extract;
    while (LLVMIsAExtractValueInst(element) && is_array(LLVMGetOperand(element, 0)))
        element = elements_of(s, LLVMGetOperand(element, 0))[LLVMGetIndices(element)[0]];
    return element;
}

static void split_all(struct splitter *s, const LLVMValueRef *code, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (LLVMIsAPHINode(code[i]))
            split_phi(s, code[i], add(s, code[i]));
    for (size_t i = 0; i < count; i++) {
        if (LLVMIsAPHINode(code[i]))
            fill_phi(s, code[i]);
        else if (LLVMIsAStoreInst(code[i]))
            split_store(s, code[i]);
        else if (is_array(code[i]))
            elements_of(s, code[i]);
    }
    for (size_t i = 0; i < count; i++)
        if (LLVMIsAExtractValueInst(code[i]))
            LLVMReplaceAllUsesWith(code[i], element_of(s, code[i]));
    for (size_t i = 0; i < count; i++) {
        if (is_array(code[i]))
            LLVMReplaceAllUsesWith(code[i], LLVMGetPoison(LLVMTypeOf(code[i])));
        LLVMInstructionEraseFromParent(code[i]);
    }
}

bool tsr__il_has_arrays(LLVMModuleRef module)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef v = LLVMGetFirstInstruction(b); v; v = LLVMGetNextInstruction(v))
                if (is_array(v) || (LLVMIsAStoreInst(v) && is_array(LLVMGetOperand(v, 0))))
                    return true;
    return false;
}

bool tsr__il_split_arrays(LLVMModuleRef module, struct tsr_buf *log)
{
    struct tsr_buf found = {0};
    bool good = collect(module, &found);
    if (good && found.size) {
        struct splitter s = {.builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(module)),
                             .layout = LLVMGetModuleDataLayout(module)};
        split_all(&s, (const LLVMValueRef *)(const void *)found.data, found.size / sizeof(LLVMValueRef));
        LLVMDisposeBuilder(s.builder);
        tsr_arena_free(&s.arena);
    }
    tsr_buf_free(&found);
    if (!good)
        tsr_buf_printf(log, "error: the program uses arrays as values, other than as matrices, and no SPIR-V can be made of these\n");
    return good;
}
