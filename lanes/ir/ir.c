/* SPDX-License-Identifier: Apache-2.0
 * Helpers over the LLVM-C API. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <llvm-c/DebugInfo.h>
#include <llvm-c/Error.h>
#include <llvm-c/Transforms/PassBuilder.h>

#include "lanes/ir/match.h"

bool tsr__fail(struct tsr__compilation *l, const char *format, ...)
{
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (!l->why)
        l->why = tsr_strdup(text);
    return false;
}

/* ---- map ---- */

static size_t map_slot(const struct tsr__map *map, const void *key)
{
    size_t i = ((uintptr_t)key >> 4) * 0x9e3779b97f4a7c15u >> 20 & (map->capacity - 1);
    while (map->keys[i] && map->keys[i] != key)
        i = (i + 1) & (map->capacity - 1);
    return i;
}

void tsr__map_set(struct tsr__map *map, const void *key, uintptr_t value)
{
    if (map->count * 2 >= map->capacity) {
        struct tsr__map bigger = {.arena = map->arena, .capacity = map->capacity ? map->capacity * 2 : 64, .count = map->count};
        bigger.keys = tsr_arena_alloc(map->arena, bigger.capacity * sizeof *bigger.keys);
        bigger.values = tsr_arena_alloc(map->arena, bigger.capacity * sizeof *bigger.values);
        for (size_t i = 0; i < map->capacity; i++) {
            if (map->keys[i]) {
                size_t to = map_slot(&bigger, map->keys[i]);
                bigger.keys[to] = map->keys[i];
                bigger.values[to] = map->values[i];
            }
        }
        *map = bigger;
    }
    size_t i = map_slot(map, key);
    if (!map->keys[i]) {
        map->keys[i] = key;
        map->count++;
    }
    map->values[i] = value;
}

uintptr_t tsr__map_get(const struct tsr__map *map, const void *key)
{
    if (!map->capacity)
        return 0;
    size_t i = map_slot(map, key);
    return map->keys[i] ? map->values[i] : 0;
}

bool tsr__map_add(struct tsr__map *map, const void *key)
{
    bool first = !tsr__map_get(map, key);
    tsr__map_set(map, key, 1);
    return first;
}

size_t tsr__map_number(const struct tsr__map *map, const void *key)
{
    uintptr_t number = tsr__map_get(map, key);
    TSR__REQUIRE(number != 0);
    return number - 1;
}

/* ---- walking ---- */

LLVMValueRef *tsr__defined_functions(struct tsr__compilation *l, size_t *count)
{
    size_t n = 0;
    for (LLVMValueRef f = LLVMGetFirstFunction(l->module); f; f = LLVMGetNextFunction(f))
        n += !LLVMIsDeclaration(f);
    LLVMValueRef *all = tsr_arena_alloc(&l->scratch, n * sizeof *all);
    *count = n;
    n = 0;
    for (LLVMValueRef f = LLVMGetFirstFunction(l->module); f; f = LLVMGetNextFunction(f)) {
        if (!LLVMIsDeclaration(f))
            all[n++] = f;
    }
    return all;
}

LLVMValueRef *tsr__globals(struct tsr__compilation *l, size_t *count)
{
    size_t n = 0;
    for (LLVMValueRef g = LLVMGetFirstGlobal(l->module); g; g = LLVMGetNextGlobal(g))
        n++;
    LLVMValueRef *all = tsr_arena_alloc(&l->scratch, n * sizeof *all);
    *count = n;
    n = 0;
    for (LLVMValueRef g = LLVMGetFirstGlobal(l->module); g; g = LLVMGetNextGlobal(g))
        all[n++] = g;
    return all;
}

LLVMValueRef *tsr__instructions(struct tsr__compilation *l, LLVMValueRef function, size_t *count)
{
    size_t n = 0;
    for (LLVMValueRef i = tsr__first(function); i; i = tsr__next(i))
        n++;
    LLVMValueRef *all = tsr_arena_alloc(&l->scratch, n * sizeof *all);
    *count = n;
    n = 0;
    for (LLVMValueRef i = tsr__first(function); i; i = tsr__next(i))
        all[n++] = i;
    return all;
}

LLVMValueRef *tsr__all_instructions(struct tsr__compilation *l, size_t *count)
{
    size_t n = 0;
    for (LLVMValueRef f = LLVMGetFirstFunction(l->module); f; f = LLVMGetNextFunction(f))
        for (LLVMValueRef i = tsr__first(f); i; i = tsr__next(i))
            n++;
    LLVMValueRef *all = tsr_arena_alloc(&l->scratch, n * sizeof *all);
    *count = n;
    n = 0;
    for (LLVMValueRef f = LLVMGetFirstFunction(l->module); f; f = LLVMGetNextFunction(f))
        for (LLVMValueRef i = tsr__first(f); i; i = tsr__next(i))
            all[n++] = i;
    return all;
}

LLVMValueRef tsr__callee(LLVMValueRef instruction)
{
    if (!LLVMIsACallInst(instruction))
        return NULL;
    return LLVMIsAFunction(LLVMGetCalledValue(instruction));
}

bool tsr__calls(LLVMValueRef v, const char *prefix)
{
    LLVMValueRef callee = tsr__callee(v);
    return callee && tsr__starts_with(tsr__name(callee), prefix);
}

const char *tsr__name(LLVMValueRef value)
{
    size_t length;
    return LLVMGetValueName2(value, &length);
}

bool tsr__starts_with(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

bool tsr__has(const struct tsr__compilation *l, enum tsr_cpu_feature feature)
{
    return l->options->cpu_features >> feature & 1;
}

uint32_t tsr__power_of_two_above(uint32_t n)
{
    uint32_t power = 1;
    while (power < n)
        power *= 2;
    return power;
}

/* A work-group of a known size is a packet if it fits into one, or its rows are if they are neither too long nor too short. */
static unsigned usual_width(const struct tsr_lanes_options *options)
{
    const uint32_t *size = options->group_size, items = size[0] * size[1] * size[2];
    if (items > 1 && items <= TSR_MAX_GROUP_LANES)
        return tsr__power_of_two_above(items);
    bool rows = items > size[0] && size[0] >= TSR__LEAST_ROW && size[0] <= TSR_MAX_LANES;
    return rows ? tsr__power_of_two_above(size[0]) : options->default_sub_group_size;
}

unsigned tsr__sub_group_size(const struct tsr__compilation *l, const struct tsr_kernel_info *kernel)
{
    if (kernel->reqd_sub_group_size)
        return kernel->reqd_sub_group_size;
    enum tsr__variant way = l->variants ? l->variants[kernel - l->info->kernels] : TSR__VARIANT_AS_ASKED;
    return way == TSR__VARIANT_WIDE ? TSR__WIDE_LANES : way == TSR__VARIANT_NARROW ? TSR__NARROW_LANES : usual_width(l->options);
}

bool tsr__is_kernel(LLVMValueRef function)
{
    return LLVMGetFunctionCallConv(function) == TSR__SPIR_KERNEL_CONV;
}

LLVMValueRef tsr__kernel(struct tsr__compilation *l, const struct tsr_kernel_info *kernel)
{
    LLVMValueRef f = LLVMGetNamedFunction(l->module, kernel->name);
    return f && !LLVMIsDeclaration(f) ? f : NULL;
}

LLVMValueRef tsr__entry(struct tsr__compilation *l, const struct tsr_kernel_info *kernel)
{
    LLVMValueRef entry = kernel->entry ? LLVMGetNamedFunction(l->module, kernel->entry) : NULL;
    if (!entry)
        tsr__fail(l, "kernel '%s' has no entry: the pass entry comes first", kernel->name);
    return entry;
}

struct tsr__map tsr__functions_reaching(struct tsr__compilation *l, bool (*seed)(LLVMValueRef called))
{
    struct tsr__map reaching = {.arena = &l->scratch};
    size_t count = 0, todo = 0;
    for (LLVMValueRef f = LLVMGetFirstFunction(l->module); f; f = LLVMGetNextFunction(f))
        count++;
    LLVMValueRef *stack = tsr_arena_alloc(&l->scratch, count * sizeof *stack);
    for (LLVMValueRef f = LLVMGetFirstFunction(l->module); f; f = LLVMGetNextFunction(f)) {
        if (seed(f)) {
            tsr__map_set(&reaching, f, 1);
            stack[todo++] = f;
        }
    }
    while (todo) {
        LLVMValueRef called = stack[--todo];
        for (LLVMUseRef use = LLVMGetFirstUse(called); use; use = LLVMGetNextUse(use)) {
            LLVMValueRef user = LLVMGetUser(use);
            if (!LLVMIsACallInst(user) || LLVMGetCalledValue(user) != called)
                continue;
            LLVMValueRef caller = LLVMGetBasicBlockParent(LLVMGetInstructionParent(user));
            if (!tsr__map_get(&reaching, caller)) {
                tsr__map_set(&reaching, caller, 1);
                stack[todo++] = caller;
            }
        }
    }
    return reaching;
}

/* ---- attributes ---- */

unsigned tsr__attr_kind(const char *name)
{
    return LLVMGetEnumAttributeKindForName(name, strlen(name));
}

unsigned tsr__param_align(LLVMValueRef function, unsigned param)
{
    LLVMAttributeRef a = LLVMGetEnumAttributeAtIndex(function, param + 1, tsr__attr_kind("align"));
    return a ? (unsigned)LLVMGetEnumAttributeValue(a) : 1;
}

void tsr__copy_attributes(struct tsr__compilation *l, LLVMValueRef from, LLVMValueRef to, unsigned params)
{
    for (unsigned i = 0; i <= params + 1; i++) {
        LLVMAttributeIndex at = i == params + 1 ? (LLVMAttributeIndex)LLVMAttributeFunctionIndex : i;
        unsigned n = LLVMGetAttributeCountAtIndex(from, at);
        LLVMAttributeRef *attributes = tsr_arena_alloc(&l->scratch, n * sizeof *attributes);
        LLVMGetAttributesAtIndex(from, at, attributes);
        for (unsigned k = 0; k < n; k++)
            LLVMAddAttributeAtIndex(to, at, attributes[k]);
    }
}

void tsr__drop_attr(LLVMValueRef function, LLVMAttributeIndex at, const char *name)
{
    LLVMRemoveEnumAttributeAtIndex(function, at, tsr__attr_kind(name));
}

void tsr__drop_fn_attr(LLVMValueRef function, const char *name)
{
    tsr__drop_attr(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, name);
}

void tsr__drop_call_attr(LLVMValueRef call, LLVMAttributeIndex at, const char *name)
{
    LLVMRemoveCallSiteEnumAttribute(call, at, tsr__attr_kind(name));
}

LLVMAttributeRef tsr__int_attr(struct tsr__compilation *l, const char *name, uint64_t value)
{
    return LLVMCreateEnumAttribute(l->context, tsr__attr_kind(name), value);
}

void tsr__add_fn_attr(struct tsr__compilation *l, LLVMValueRef function, const char *name)
{
    LLVMAddAttributeAtIndex(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, tsr__int_attr(l, name, 0));
}

void tsr__set_fn_text(struct tsr__compilation *l, LLVMValueRef function, const char *name, const char *value)
{
    LLVMAttributeRef a = LLVMCreateStringAttribute(l->context, name, (unsigned)strlen(name), value, (unsigned)strlen(value));
    LLVMAddAttributeAtIndex(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, a);
}

void tsr__drop_fn_text(LLVMValueRef function, const char *name)
{
    LLVMRemoveStringAttributeAtIndex(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, name, (unsigned)strlen(name));
}

bool tsr__has_text_attr(LLVMValueRef function, const char *name)
{
    LLVMAttributeIndex at = (LLVMAttributeIndex)LLVMAttributeFunctionIndex;
    return LLVMGetStringAttributeAtIndex(function, at, name, (unsigned)strlen(name)) != NULL;
}

const char *tsr__fn_text(struct tsr__compilation *l, LLVMValueRef function, const char *name)
{
    unsigned length;
    LLVMAttributeRef attribute =
        LLVMGetStringAttributeAtIndex(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, name, (unsigned)strlen(name));
    const char *text = attribute ? LLVMGetStringAttributeValue(attribute, &length) : NULL;
    return text ? tsr_arena_format(&l->scratch, "%.*s", (int)length, text) : NULL;
}

/* ---- building ---- */

LLVMValueRef tsr__after_phis(LLVMValueRef instruction)
{
    while (LLVMIsAPHINode(instruction))
        instruction = LLVMGetNextInstruction(instruction);
    return instruction;
}

LLVMBuilderRef tsr__builder_before(struct tsr__compilation *l, LLVMValueRef instruction)
{
    LLVMBuilderRef b = LLVMCreateBuilderInContext(l->context);
    LLVMPositionBuilderBefore(b, instruction);
    return b;
}

void tsr__move_instruction(LLVMBuilderRef b, LLVMValueRef instruction, LLVMValueRef before)
{
    LLVMMetadataRef line = LLVMInstructionGetDebugLoc(instruction);
    LLVMInstructionRemoveFromParent(instruction);
    LLVMPositionBuilderBefore(b, before);
    LLVMInsertIntoBuilder(b, instruction);
    LLVMInstructionSetDebugLoc(instruction, line);
}

LLVMBuilderRef tsr__builder_at_entry(struct tsr__compilation *l, LLVMValueRef function)
{
    return tsr__builder_before(l, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(function)));
}

LLVMTypeRef tsr__ptr(struct tsr__compilation *l)
{
    return LLVMPointerTypeInContext(l->context, 0);
}

LLVMValueRef tsr__i32(struct tsr__compilation *l, uint32_t value)
{
    return LLVMConstInt(LLVMInt32TypeInContext(l->context), value, false);
}

LLVMValueRef tsr__i64(struct tsr__compilation *l, uint64_t value)
{
    return LLVMConstInt(LLVMInt64TypeInContext(l->context), value, false);
}

LLVMValueRef tsr__at_offset(struct tsr__compilation *l, LLVMBuilderRef b, LLVMValueRef base, uint64_t offset)
{
    LLVMValueRef index = tsr__i64(l, offset);
    return offset ? LLVMBuildInBoundsGEP2(b, LLVMInt8TypeInContext(l->context), base, &index, 1, "") : base;
}

LLVMValueRef tsr__plus_bytes(struct tsr__compilation *l, LLVMBuilderRef b, LLVMValueRef base, LLVMValueRef bytes)
{
    return LLVMBuildGEP2(b, LLVMInt8TypeInContext(l->context), base, &bytes, 1, "");
}

LLVMValueRef tsr__load_fixed(struct tsr__compilation *l, LLVMBuilderRef b, LLVMTypeRef type, LLVMValueRef base, uint64_t offset,
                             unsigned align)
{
    LLVMValueRef load = LLVMBuildLoad2(b, type, tsr__at_offset(l, b, base, offset), "");
    LLVMSetAlignment(load, align);
    unsigned kind = LLVMGetMDKindIDInContext(l->context, "invariant.load", 14);
    LLVMSetMetadata(load, kind, LLVMMetadataAsValue(l->context, LLVMMDNodeInContext2(l->context, NULL, 0)));
    return load;
}

bool tsr__is_fixed_load(struct tsr__compilation *l, LLVMValueRef inst)
{
    return LLVMIsALoadInst(inst) && LLVMGetMetadata(inst, LLVMGetMDKindIDInContext(l->context, "invariant.load", 14));
}

bool tsr__kernel_of_code(const struct tsr__compilation *l, const char *name, uint32_t *kernel)
{
    const size_t length = strcspn(name, ".");
    for (*kernel = 0; *kernel < l->info->kernel_count; ++*kernel)
        if (!strncmp(l->info->kernels[*kernel].name, name, length) && !l->info->kernels[*kernel].name[length])
            return true;
    return false;
}

bool tsr__touches_no_memory(LLVMValueRef function)
{
    const LLVMAttributeIndex at = (LLVMAttributeIndex)LLVMAttributeFunctionIndex;
    LLVMAttributeRef memory = LLVMGetEnumAttributeAtIndex(function, at, tsr__attr_kind("memory"));
    return memory && !LLVMGetEnumAttributeValue(memory);
}

bool tsr__is_pure(LLVMValueRef inst)
{
    switch (LLVMGetInstructionOpcode(inst)) {
    case LLVMFNeg:
    case LLVMFreeze:
    case LLVMICmp:
    case LLVMFCmp:
    case LLVMSelect:
    case LLVMGetElementPtr:
    case LLVMExtractElement:
    case LLVMInsertElement:
    case LLVMShuffleVector:
        return true;
    case LLVMCall: {
        LLVMValueRef callee = tsr__callee(inst);
        return callee && LLVMGetIntrinsicID(callee) && tsr__touches_no_memory(callee);
    }
    default:
        return LLVMIsABinaryOperator(inst) || LLVMIsACastInst(inst);
    }
}

LLVMValueRef tsr__intrinsic(struct tsr__compilation *l, const char *name, LLVMTypeRef *types, size_t type_count)
{
    return LLVMGetIntrinsicDeclaration(l->module, LLVMLookupIntrinsicID(name, strlen(name)), types, type_count);
}

LLVMValueRef tsr__build_intrinsic(struct tsr__compilation *l, LLVMBuilderRef b, const char *name, LLVMTypeRef *types, size_t type_count,
                                  LLVMValueRef *args, unsigned count)
{
    LLVMValueRef f = tsr__intrinsic(l, name, types, type_count);
    return LLVMBuildCall2(b, LLVMGlobalGetValueType(f), f, args, count, "");
}

void tsr__build_prefetch(struct tsr__compilation *l, LLVMBuilderRef b, LLVMValueRef address)
{
    enum { FOR_READING = 0, ALL_LEVELS = 3, DATA = 1 };
    LLVMTypeRef type = LLVMTypeOf(address);
    LLVMValueRef args[] = {address, tsr__i32(l, FOR_READING), tsr__i32(l, ALL_LEVELS), tsr__i32(l, DATA)};
    tsr__build_intrinsic(l, b, "llvm.prefetch", &type, 1, args, 4);
}

LLVMValueRef tsr__declare(struct tsr__compilation *l, const char *name, LLVMTypeRef type)
{
    LLVMValueRef f = LLVMGetNamedFunction(l->module, name);
    if (!f) {
        f = LLVMAddFunction(l->module, name, type);
        tsr__add_fn_attr(l, f, "nounwind");
    }
    return f;
}

LLVMValueRef tsr__declare_returning(struct tsr__compilation *l, const char *name, LLVMTypeRef type)
{
    static const char *const promises[] = {"nounwind", "willreturn", "nosync", "nofree", "nocallback"};
    LLVMValueRef f = tsr__declare(l, name, type);
    for (size_t i = 0; i < TSR_ARRAY_LEN(promises); i++)
        tsr__add_fn_attr(l, f, promises[i]);
    return f;
}

LLVMValueRef tsr__declare_pure(struct tsr__compilation *l, const char *name, LLVMTypeRef type)
{
    LLVMValueRef f = tsr__declare_returning(l, name, type);
    LLVMAddAttributeAtIndex(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, tsr__int_attr(l, "memory", 0));
    return f;
}

LLVMValueRef tsr__call(struct tsr__compilation *l, LLVMBuilderRef b, LLVMValueRef function, LLVMValueRef *args, unsigned count)
{
    LLVMValueRef call = LLVMBuildCall2(b, LLVMGlobalGetValueType(function), function, args, count, "");
    LLVMAddCallSiteAttribute(call, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, tsr__int_attr(l, "convergent", 0));
    LLVMAddCallSiteAttribute(call, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, tsr__int_attr(l, "nounwind", 0));
    return call;
}

static void copy_call_attributes(struct tsr__compilation *l, LLVMValueRef from, LLVMValueRef to, unsigned args)
{
    for (unsigned i = 0; i <= args + 1; i++) {
        LLVMAttributeIndex at = i == args + 1 ? (LLVMAttributeIndex)LLVMAttributeFunctionIndex : i;
        unsigned n = LLVMGetCallSiteAttributeCount(from, at);
        LLVMAttributeRef *attributes = tsr_arena_alloc(&l->scratch, n * sizeof *attributes);
        LLVMGetCallSiteAttributes(from, at, attributes);
        for (unsigned k = 0; k < n; k++)
            LLVMAddCallSiteAttribute(to, at, attributes[k]);
    }
}

LLVMValueRef tsr__call_like(struct tsr__compilation *l, LLVMBuilderRef b, LLVMValueRef call, LLVMValueRef function, LLVMValueRef extra)
{
    unsigned n = LLVMGetNumArgOperands(call), bundle_count = LLVMGetNumOperandBundles(call);
    LLVMValueRef *args = tsr_arena_alloc(&l->scratch, (n + 1) * sizeof *args);
    for (unsigned i = 0; i < n; i++)
        args[i] = LLVMGetOperand(call, i);
    args[n] = extra;
    LLVMOperandBundleRef *bundles = tsr_arena_alloc(&l->scratch, bundle_count * sizeof *bundles);
    for (unsigned i = 0; i < bundle_count; i++)
        bundles[i] = LLVMGetOperandBundleAtIndex(call, i);
    LLVMPositionBuilderBefore(b, call);
    LLVMTypeRef type = LLVMGlobalGetValueType(function);
    LLVMValueRef made = LLVMBuildCallWithOperandBundles(b, type, function, args, n + (extra != NULL), bundles, bundle_count, "");
    for (unsigned i = 0; i < bundle_count; i++)
        LLVMDisposeOperandBundle(bundles[i]);
    LLVMSetInstructionCallConv(made, LLVMGetInstructionCallConv(call));
    copy_call_attributes(l, call, made, n);
    if (LLVMCanValueUseFastMathFlags(call))
        LLVMSetFastMathFlags(made, LLVMGetFastMathFlags(call));
    size_t metadata_count;
    LLVMValueMetadataEntry *metadata = LLVMInstructionGetAllMetadataOtherThanDebugLoc(call, &metadata_count);
    for (unsigned i = 0; i < metadata_count; i++) {
        LLVMMetadataRef node = LLVMValueMetadataEntriesGetMetadata(metadata, i);
        LLVMSetMetadata(made, LLVMValueMetadataEntriesGetKind(metadata, i), LLVMMetadataAsValue(l->context, node));
    }
    LLVMDisposeValueMetadataEntries(metadata);
    LLVMInstructionSetDebugLoc(made, LLVMInstructionGetDebugLoc(call));
    return made;
}

LLVMValueRef tsr__item_of(LLVMValueRef function)
{
    return LLVMGetParam(function, LLVMCountParams(function) - 1);
}

static bool take_error(struct tsr__compilation *l, LLVMErrorRef error, const char *pipeline)
{
    if (!error)
        return true;
    char *text = LLVMGetErrorMessage(error);
    tsr__fail(l, "LLVM refused the passes '%s': %s", pipeline, text);
    LLVMDisposeErrorMessage(text);
    return false;
}

bool tsr__run_llvm(struct tsr__compilation *l, const char *pipeline)
{
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    LLVMErrorRef error = LLVMRunPasses(l->module, pipeline, l->machine, options);
    LLVMDisposePassBuilderOptions(options);
    return take_error(l, error, pipeline);
}

bool tsr__run_llvm_on(struct tsr__compilation *l, LLVMValueRef function, const char *pipeline)
{
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    LLVMErrorRef error = LLVMRunPassesOnFunction(function, pipeline, l->machine, options);
    LLVMDisposePassBuilderOptions(options);
    return take_error(l, error, pipeline);
}

bool tsr__all_run_as_reference(const struct tsr__compilation *l)
{
    uint32_t k = 0;
    while (l->variants && k < l->info->kernel_count && l->variants[k] == TSR__VARIANT_REFERENCE)
        k++;
    return k == l->info->kernel_count && k;
}

/* ---- comparisons ---- */

static const LLVMIntPredicate opposites[] = {
    [LLVMIntEQ] = LLVMIntNE,   [LLVMIntNE] = LLVMIntEQ,   [LLVMIntUGT] = LLVMIntULE, [LLVMIntUGE] = LLVMIntULT, [LLVMIntULT] = LLVMIntUGE,
    [LLVMIntULE] = LLVMIntUGT, [LLVMIntSGT] = LLVMIntSLE, [LLVMIntSGE] = LLVMIntSLT, [LLVMIntSLT] = LLVMIntSGE, [LLVMIntSLE] = LLVMIntSGT,
};
static const LLVMIntPredicate swapped[] = {
    [LLVMIntEQ] = LLVMIntEQ,   [LLVMIntNE] = LLVMIntNE,   [LLVMIntUGT] = LLVMIntULT, [LLVMIntUGE] = LLVMIntULE, [LLVMIntULT] = LLVMIntUGT,
    [LLVMIntULE] = LLVMIntUGE, [LLVMIntSGT] = LLVMIntSLT, [LLVMIntSGE] = LLVMIntSLE, [LLVMIntSLT] = LLVMIntSGT, [LLVMIntSLE] = LLVMIntSGE,
};

LLVMIntPredicate tsr__opposite_of(LLVMIntPredicate how)
{
    return opposites[how];
}

LLVMIntPredicate tsr__swapped(LLVMIntPredicate how)
{
    return swapped[how];
}

LLVMIntPredicate tsr__holds_on_way(LLVMValueRef branch, LLVMBasicBlockRef to, unsigned left)
{
    LLVMIntPredicate how = LLVMGetICmpPredicate(LLVMGetCondition(branch));
    how = LLVMGetSuccessor(branch, 0) == to ? how : tsr__opposite_of(how);
    return left ? tsr__swapped(how) : how;
}

/* ---- numbers ---- */

enum { MOST_ZERO_BITS = 32, ZERO_BITS_DEPTH = 8 };

static unsigned zero_bits(LLVMValueRef v, int depth)
{
    int64_t n;
    unsigned bits = 0;
    if (tsr__constant_int(v, &n)) {
        while (bits < MOST_ZERO_BITS && !(n >> bits & 1))
            bits++;
        return bits;
    }
    if (!depth || !LLVMIsAInstruction(v))
        return 0;
    if (LLVMIsAZExtInst(v) || LLVMIsASExtInst(v) || LLVMIsATruncInst(v))
        return zero_bits(LLVMGetOperand(v, 0), depth - 1);
    if (!LLVMIsABinaryOperator(v))
        return 0;
    const LLVMOpcode op = LLVMGetInstructionOpcode(v);
    const unsigned a = zero_bits(LLVMGetOperand(v, 0), depth - 1);
    unsigned b = 0;
    if (op == LLVMShl)
        b = tsr__constant_int(LLVMGetOperand(v, 1), &n) && n >= 0 && n < MOST_ZERO_BITS ? (unsigned)n : 0;
    else if (op == LLVMAdd || op == LLVMSub || op == LLVMOr || op == LLVMMul)
        b = zero_bits(LLVMGetOperand(v, 1), depth - 1);
    else
        return 0;
    if (op == LLVMShl || op == LLVMMul)
        return a + b < MOST_ZERO_BITS ? a + b : MOST_ZERO_BITS;
    return a < b ? a : b;
}

unsigned tsr__zero_bits(LLVMValueRef integer)
{
    return zero_bits(integer, ZERO_BITS_DEPTH);
}
