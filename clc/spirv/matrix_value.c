/* SPDX-License-Identifier: Apache-2.0
 * Matrices as LLVM values: slots, tables, helper functions of the module, and code that only some work-items run. */
#include "clc/spirv/matrix.h"

#include <assert.h>
#include <string.h>

const char *const tsr__matrix_memory_names[] = {"rows", "columns", "packed"};

/* ---- slots ---- */

static LLVMValueRef take(struct tsr__reader *r, LLVMValueRef vector, uint32_t i)
{
    return tsr__is_vector(LLVMTypeOf(vector)) ? LLVMBuildExtractElement(r->builder, vector, tsr__u32(r, i), "") : vector;
}

static uint32_t length_of(LLVMValueRef value)
{
    return tsr__is_vector(LLVMTypeOf(value)) ? LLVMGetVectorSize(LLVMTypeOf(value)) : 1;
}

/* Vectors of one length, one behind the other. */
static LLVMValueRef concat(struct tsr__reader *r, LLVMValueRef *parts, uint32_t count)
{
    LLVMValueRef mask[64];
    for (; count > 1; count /= 2)
        for (uint32_t i = 0; i < count; i += 2) {
            uint32_t length = 2 * length_of(parts[i]);
            for (uint32_t k = 0; k < length; k++)
                mask[k] = tsr__u32(r, k);
            parts[i / 2] = LLVMBuildShuffleVector(r->builder, parts[i], parts[i + 1], LLVMConstVector(mask, length), "");
        }
    return parts[0];
}

LLVMValueRef tsr__matrix_get(struct tsr__reader *r, const struct tsr__matrix *m, LLVMValueRef value, uint32_t first, uint32_t count)
{
    enum { MOST_PARTS = 8 };
    uint32_t v = first / m->vector, parts = count / m->vector;
    if (count == 1)
        return take(r, LLVMBuildExtractValue(r->builder, value, v, ""), first % m->vector);
    if (m->vector > 1 && first % m->vector == 0 && count % m->vector == 0 && parts <= MOST_PARTS && (parts & (parts - 1)) == 0) {
        LLVMValueRef part[MOST_PARTS];
        for (uint32_t i = 0; i < parts; i++)
            part[i] = LLVMBuildExtractValue(r->builder, value, v + i, "");
        return concat(r, part, parts);
    }
    LLVMValueRef made = LLVMGetPoison(LLVMVectorType(m->component->llvm, count));
    for (uint32_t i = 0; i < count; i++)
        made = LLVMBuildInsertElement(r->builder, made, tsr__matrix_get(r, m, value, first + i, 1), tsr__u32(r, i), "");
    return made;
}

static LLVMValueRef slice(struct tsr__reader *r, LLVMValueRef vector, uint32_t first, uint32_t count)
{
    LLVMValueRef mask[16];
    if (count == length_of(vector))
        return vector;
    if (count == 1)
        return take(r, vector, first);
    for (uint32_t i = 0; i < count; i++)
        mask[i] = tsr__u32(r, first + i);
    return LLVMBuildShuffleVector(r->builder, vector, LLVMGetPoison(LLVMTypeOf(vector)), LLVMConstVector(mask, count), "");
}

LLVMValueRef tsr__matrix_put(struct tsr__reader *r, const struct tsr__matrix *m, LLVMValueRef value, uint32_t first, LLVMValueRef part)
{
    uint32_t count = length_of(part);
    for (uint32_t done = 0, size; done < count; done += size) {
        uint32_t v = (first + done) / m->vector, in_vector = (first + done) % m->vector;
        LLVMValueRef vector;
        if (in_vector == 0 && m->vector <= count - done) {
            size = m->vector;
            vector = slice(r, part, done, size);
        } else {
            size = 1;
            vector = LLVMBuildExtractValue(r->builder, value, v, "");
            vector = LLVMBuildInsertElement(r->builder, vector, take(r, part, done), tsr__u32(r, in_vector), "");
        }
        value = LLVMBuildInsertValue(r->builder, value, vector, v, "");
    }
    return value;
}

LLVMValueRef tsr__matrix_fill(struct tsr__reader *r, const struct tsr__matrix *m, LLVMValueRef scalar)
{
    LLVMValueRef made = LLVMGetPoison(m->llvm), vector = tsr__spirv_splat(r, m->vector_llvm, scalar);
    for (uint32_t v = 0; v < m->vector_count; v++)
        made = LLVMBuildInsertValue(r->builder, made, vector, v, "");
    return made;
}

LLVMValueRef tsr__matrix_lane(struct tsr__reader *r)
{
    LLVMValueRef lane = tsr__spirv_call(r, "get_sub_group_local_id", tsr__i32(r), NULL, 0, TSR__PURE);
    return LLVMBuildZExt(r->builder, lane, LLVMInt64TypeInContext(r->context), "");
}

LLVMValueRef tsr__matrix_holder(struct tsr__reader *r, const struct tsr__matrix *m)
{
    enum { WORK_GROUP = 2 };
    if (m->scope != WORK_GROUP)
        return NULL;
    LLVMValueRef id = tsr__spirv_call(r, "get_sub_group_id", tsr__i32(r), NULL, 0, TSR__PURE);
    return LLVMBuildICmp(r->builder, LLVMIntEQ, id, tsr__u32(r, 0), "");
}

LLVMValueRef tsr__matrix_integer(struct tsr__reader *r, const struct tsr__inst *in, uint32_t operand)
{
    LLVMValueRef value = tsr__spirv_value(r, in, operand);
    if (LLVMGetTypeKind(LLVMTypeOf(value)) != LLVMIntegerTypeKind)
        tsr__spirv_fail(r, in, "operand %u has to be an integer", operand + 1);
    return LLVMBuildIntCast2(r->builder, value, LLVMInt64TypeInContext(r->context), true, "");
}

LLVMValueRef tsr__constant_table(struct tsr__reader *r, const char *name, LLVMTypeRef type, LLVMValueRef *numbers, uint32_t count)
{
    enum { CONSTANT = 2 };
    LLVMValueRef table = LLVMAddGlobalInAddressSpace(r->module, LLVMArrayType2(type, count), name, CONSTANT);
    LLVMSetInitializer(table, LLVMConstArray2(type, numbers, count));
    LLVMSetGlobalConstant(table, true);
    LLVMSetLinkage(table, LLVMInternalLinkage);
    return table;
}

/* ---- helper functions ---- */

bool tsr__helper_begin(struct tsr__reader *r, struct tsr__helper *h, const char *name, LLVMTypeRef result, const LLVMTypeRef *parameters,
                       unsigned count)
{
    static const char *const attributes[] = {"alwaysinline", "convergent", "nounwind"};
    const char *whole = tsr_arena_format(&r->arena, "%s%u.%s", TSR_CLC_SPIRV_MATRIX, r->matrix_lanes, name);
    h->caller = LLVMGetInsertBlock(r->builder);
    h->line = LLVMGetCurrentDebugLocation2(r->builder);
    h->function = LLVMGetNamedFunction(r->module, whole);
    if (h->function)
        return false;
    LLVMTypeRef types[16];
    assert(count <= TSR_ARRAY_LEN(types));
    for (unsigned i = 0; i < count; i++)
        types[i] = parameters[i];
    h->function = LLVMAddFunction(r->module, whole, LLVMFunctionType(result, types, count, false));
    LLVMSetLinkage(h->function, LLVMInternalLinkage);
    for (size_t i = 0; i < TSR_ARRAY_LEN(attributes); i++) {
        unsigned kind = LLVMGetEnumAttributeKindForName(attributes[i], strlen(attributes[i]));
        LLVMAddAttributeAtIndex(h->function, (unsigned)LLVMAttributeFunctionIndex, LLVMCreateEnumAttribute(r->context, kind, 0));
    }
    LLVMPositionBuilderAtEnd(r->builder, LLVMAppendBasicBlockInContext(r->context, h->function, "entry"));
    LLVMSetCurrentDebugLocation2(r->builder, NULL); /* inlined code gets the line of the call */
    return true;
}

void tsr__helper_end(struct tsr__reader *r, struct tsr__helper *h, LLVMValueRef value)
{
    if (value)
        LLVMBuildRet(r->builder, value);
    else
        LLVMBuildRetVoid(r->builder);
    LLVMPositionBuilderAtEnd(r->builder, h->caller);
    LLVMSetCurrentDebugLocation2(r->builder, h->line);
}

LLVMValueRef tsr__helper_call(struct tsr__reader *r, const struct tsr__helper *h, LLVMValueRef *args, unsigned count)
{
    return LLVMBuildCall2(r->builder, LLVMGlobalGetValueType(h->function), h->function, args, count, "");
}

/* ---- guards ---- */

void tsr__guard_begin(struct tsr__reader *r, struct tsr__guard *g, LLVMValueRef condition)
{
    *g = (struct tsr__guard){0};
    if (!condition)
        return;
    g->before = LLVMGetInsertBlock(r->builder);
    LLVMValueRef function = LLVMGetBasicBlockParent(g->before);
    LLVMBasicBlockRef inside = LLVMAppendBasicBlockInContext(r->context, function, "");
    g->after = LLVMAppendBasicBlockInContext(r->context, function, "");
    LLVMBuildCondBr(r->builder, condition, inside, g->after);
    LLVMPositionBuilderAtEnd(r->builder, inside);
}

LLVMValueRef tsr__guard_end(struct tsr__reader *r, struct tsr__guard *g, LLVMValueRef value, LLVMValueRef other)
{
    if (!g->after)
        return value;
    LLVMBasicBlockRef inside = LLVMGetInsertBlock(r->builder);
    LLVMBuildBr(r->builder, g->after);
    LLVMPositionBuilderAtEnd(r->builder, g->after);
    if (!value)
        return NULL;
    LLVMValueRef phi = LLVMBuildPhi(r->builder, LLVMTypeOf(value), "");
    LLVMAddIncoming(phi, &value, &inside, 1);
    LLVMAddIncoming(phi, &other, &g->before, 1);
    return phi;
}

/* ---- loops ---- */

LLVMValueRef tsr__loop_begin(struct tsr__reader *r, struct tsr__matrix_loop *l, uint64_t count, LLVMValueRef first)
{
    LLVMTypeRef i64 = LLVMInt64TypeInContext(r->context);
    LLVMBasicBlockRef before = LLVMGetInsertBlock(r->builder);
    LLVMValueRef zero = LLVMConstNull(i64);
    *l = (struct tsr__matrix_loop){.count = count};
    l->body = LLVMAppendBasicBlockInContext(r->context, LLVMGetBasicBlockParent(before), "");
    LLVMBuildBr(r->builder, l->body);
    LLVMPositionBuilderAtEnd(r->builder, l->body);
    l->index = LLVMBuildPhi(r->builder, i64, "");
    LLVMAddIncoming(l->index, &zero, &before, 1);
    if (first) {
        l->sum = LLVMBuildPhi(r->builder, LLVMTypeOf(first), "");
        LLVMAddIncoming(l->sum, &first, &before, 1);
    }
    return l->index;
}

void tsr__loop_end(struct tsr__reader *r, struct tsr__matrix_loop *l, LLVMValueRef next)
{
    LLVMTypeRef i64 = LLVMInt64TypeInContext(r->context);
    LLVMBasicBlockRef end = LLVMGetInsertBlock(r->builder);
    LLVMBasicBlockRef after = LLVMAppendBasicBlockInContext(r->context, LLVMGetBasicBlockParent(end), "");
    LLVMValueRef index = LLVMBuildAdd(r->builder, l->index, LLVMConstInt(i64, 1, false), "");
    LLVMValueRef more = LLVMBuildICmp(r->builder, LLVMIntULT, index, LLVMConstInt(i64, l->count, false), "");
    LLVMBuildCondBr(r->builder, more, l->body, after);
    LLVMAddIncoming(l->index, &index, &end, 1);
    if (next)
        LLVMAddIncoming(l->sum, &next, &end, 1);
    LLVMPositionBuilderAtEnd(r->builder, after);
}
