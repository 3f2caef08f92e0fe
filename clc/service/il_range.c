/* SPDX-License-Identifier: Apache-2.0
 * Ranges that work-groups do not divide: the device runs them as several launches of uniform groups, in which its own functions tell sizes
 * and numbers of the launch. A kernel that asks for these gets the numbers of the whole range as one more argument (struct tsr_il_range), a
 * vector, from which they are computed. */
#include "clc/service/service.h"

#include <string.h>

#include "clc/service/il_shim.h"
#include "tessera/il_code.h"

enum { DIMENSIONS = 3, LANES = sizeof(struct tsr_il_range) / sizeof(uint64_t) };

/* The first of three lanes of the argument. */
enum lane {
    GLOBAL_SIZE = offsetof(struct tsr_il_range, global_size) / sizeof(uint64_t),
    GLOBAL_OFFSET = offsetof(struct tsr_il_range, global_offset) / sizeof(uint64_t),
    NUM_GROUPS = offsetof(struct tsr_il_range, num_groups) / sizeof(uint64_t),
    FIRST_GROUP = offsetof(struct tsr_il_range, first_group) / sizeof(uint64_t),
    LOCAL_SIZE = offsetof(struct tsr_il_range, local_size) / sizeof(uint64_t),
};

/* A kernel that is changed. */
struct range {
    LLVMContextRef context;
    LLVMModuleRef module;
    LLVMBuilderRef builder; /* before the call */
    LLVMValueRef argument;
};

static LLVMTypeRef i32(const struct range *r)
{
    return LLVMInt32TypeInContext(r->context);
}

static LLVMTypeRef i64(const struct range *r)
{
    return LLVMInt64TypeInContext(r->context);
}

static LLVMValueRef number(const struct range *r, uint64_t value)
{
    return LLVMConstInt(i64(r), value, false);
}

static LLVMValueRef lane(const struct range *r, unsigned index)
{
    return LLVMBuildExtractElement(r->builder, r->argument, LLVMConstInt(i32(r), index, false), "");
}

/* Of the dimension that the call's argument numbers; `otherwise` beyond the third. */
static LLVMValueRef by_dimension(const struct range *r, LLVMValueRef call, enum lane first, uint64_t otherwise)
{
    LLVMValueRef dimension = LLVMGetOperand(call, 0), value = number(r, otherwise);
    for (unsigned d = DIMENSIONS; d--;) {
        LLVMValueRef is = LLVMBuildICmp(r->builder, LLVMIntEQ, dimension, LLVMConstInt(LLVMTypeOf(dimension), d, false), "");
        value = LLVMBuildSelect(r->builder, is, lane(r, first + d), value, "");
    }
    return value;
}

static LLVMValueRef global_size(const struct range *r, LLVMValueRef call)
{
    return by_dimension(r, call, GLOBAL_SIZE, 1);
}

static LLVMValueRef global_offset(const struct range *r, LLVMValueRef call)
{
    return by_dimension(r, call, GLOBAL_OFFSET, 0);
}

static LLVMValueRef num_groups(const struct range *r, LLVMValueRef call)
{
    return by_dimension(r, call, NUM_GROUPS, 1);
}

static LLVMValueRef enqueued_local_size(const struct range *r, LLVMValueRef call)
{
    return by_dimension(r, call, LOCAL_SIZE, 1);
}

static LLVMValueRef group_id(const struct range *r, LLVMValueRef call)
{
    LLVMValueRef own = LLVMInstructionClone(call);
    LLVMInsertIntoBuilder(r->builder, own);
    return LLVMBuildAdd(r->builder, own, by_dimension(r, call, FIRST_GROUP, 0), "");
}

/* A call of a function of OpenCL C, which is declared if it is not. `dimension`: its argument; NULL: it has none. */
static LLVMValueRef ask(const struct range *r, const char *name, LLVMTypeRef result, LLVMValueRef dimension)
{
    enum { SPIR_FUNC = 75 };
    LLVMTypeRef parameter = i32(r), type = LLVMFunctionType(result, &parameter, dimension != NULL, false);
    LLVMValueRef function = LLVMGetNamedFunction(r->module, name);
    if (!function) {
        function = LLVMAddFunction(r->module, name, type);
        LLVMSetFunctionCallConv(function, SPIR_FUNC);
    }
    LLVMValueRef call = LLVMBuildCall2(r->builder, type, function, &dimension, dimension != NULL, "");
    LLVMSetInstructionCallConv(call, SPIR_FUNC);
    return call;
}

static LLVMValueRef global_linear_id(const struct range *r, LLVMValueRef call)
{
    (void)call;
    LLVMValueRef id = NULL;
    for (unsigned d = DIMENSIONS; d--;) {
        LLVMValueRef own = ask(r, "_Z13get_global_idj", i64(r), LLVMConstInt(i32(r), d, false));
        own = LLVMBuildSub(r->builder, own, lane(r, GLOBAL_OFFSET + d), "");
        id = id ? LLVMBuildAdd(r->builder, LLVMBuildMul(r->builder, id, lane(r, GLOBAL_SIZE + d), ""), own, "") : own;
    }
    return id;
}

static LLVMValueRef enqueued_num_sub_groups(const struct range *r, LLVMValueRef call)
{
    LLVMValueRef size = LLVMBuildZExt(r->builder, ask(r, "_Z22get_max_sub_group_sizev", i32(r), NULL), i64(r), "");
    LLVMValueRef items = lane(r, LOCAL_SIZE);
    for (unsigned d = 1; d < DIMENSIONS; d++)
        items = LLVMBuildMul(r->builder, items, lane(r, LOCAL_SIZE + d), "");
    items = LLVMBuildAdd(r->builder, items, LLVMBuildSub(r->builder, size, number(r, 1), ""), "");
    return LLVMBuildTrunc(r->builder, LLVMBuildUDiv(r->builder, items, size, ""), LLVMTypeOf(call), "");
}

static const struct builtin {
    const char *name;
    LLVMValueRef (*compute)(const struct range *r, LLVMValueRef call);
} builtins[] = {
    {"_Z12get_group_idj", group_id},
    {"_Z14get_num_groupsj", num_groups},
    {"_Z15get_global_sizej", global_size},
    {"_Z17get_global_offsetj", global_offset},
    {"_Z20get_global_linear_idv", global_linear_id},
    {"_Z23get_enqueued_local_sizej", enqueued_local_size},
    {"_Z27get_enqueued_num_sub_groupsv", enqueued_num_sub_groups},
};

/* ---- who asks ---- */

static struct tsr_kernel_info *info_of(const struct tsr_program_info *info, LLVMValueRef kernel)
{
    size_t length;
    const char *name = LLVMGetValueName2(kernel, &length);
    for (uint32_t i = 0; i < info->kernel_count; i++)
        if (!strcmp(info->kernels[i].name, name))
            return &info->kernels[i];
    return NULL;
}

/* Calls `visit` for every function that calls this one, directly or not; `visit` may have seen it before. */
static void each_caller(LLVMValueRef function, const struct tsr_program_info *info,
                        void (*visit)(LLVMValueRef caller, struct tsr_kernel_info *kernel, bool *found), bool *found)
{
    for (LLVMUseRef use = LLVMGetFirstUse(function); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (!LLVMIsACallInst(user))
            continue;
        LLVMValueRef caller = LLVMGetBasicBlockParent(LLVMGetInstructionParent(user));
        bool is_kernel = tsr__cc_is_kernel(caller);
        visit(caller, is_kernel ? info_of(info, caller) : NULL, found);
        if (!is_kernel)
            each_caller(caller, info, visit, found); /* there is no recursion */
    }
}

static bool each_asker(LLVMModuleRef module, const struct tsr_program_info *info,
                       void (*visit)(LLVMValueRef caller, struct tsr_kernel_info *kernel, bool *found))
{
    bool found = false;
    for (size_t i = 0; i < TSR_ARRAY_LEN(builtins); i++) {
        LLVMValueRef function = LLVMGetNamedFunction(module, builtins[i].name);
        if (function)
            each_caller(function, info, visit, &found);
    }
    return found;
}

/* What asks becomes part of its callers. */
static void mark(LLVMValueRef caller, struct tsr_kernel_info *kernel, bool *found)
{
    if (!tsr__cc_is_kernel(caller))
        tsr__il_mark_inline(caller);
    *found |= kernel && !(kernel->flags & TSR_KERNEL_UNIFORM_GROUPS);
}

bool tsr__il_asks_for_range(LLVMModuleRef module, const struct tsr_program_info *info)
{
    return each_asker(module, info, mark);
}

static void forbid(LLVMValueRef caller, struct tsr_kernel_info *kernel, bool *found)
{
    (void)caller;
    (void)found;
    if (kernel)
        kernel->flags |= TSR_KERNEL_UNIFORM_GROUPS;
}

void tsr__il_forbid_uneven_groups(LLVMModuleRef module, struct tsr_program_info *info)
{
    each_asker(module, info, forbid);
}

/* ---- kernels ---- */

static const struct builtin *find_builtin(LLVMValueRef instruction)
{
    LLVMValueRef callee = LLVMIsACallInst(instruction) ? LLVMGetCalledValue(instruction) : NULL;
    size_t length;
    const char *name = callee && LLVMIsAFunction(callee) ? LLVMGetValueName2(callee, &length) : "";
    for (size_t i = 0; i < TSR_ARRAY_LEN(builtins); i++)
        if (!strcmp(builtins[i].name, name))
            return &builtins[i];
    return NULL;
}

static bool asks(LLVMValueRef kernel)
{
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(kernel); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef v = LLVMGetFirstInstruction(b); v; v = LLVMGetNextInstruction(v))
            if (find_builtin(v))
                return true;
    return false;
}

static void replace_calls(struct range *r, LLVMValueRef kernel)
{
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(kernel); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef v = LLVMGetFirstInstruction(b), next; v; v = next) {
            const struct builtin *builtin = find_builtin(v);
            next = LLVMGetNextInstruction(v);
            if (!builtin)
                continue;
            LLVMPositionBuilderBefore(r->builder, v);
            LLVMReplaceAllUsesWith(v, builtin->compute(r, v));
            LLVMInstructionEraseFromParent(v);
        }
}

/* Lists of the arguments, which have been read, would be too short. */
static void forget_arguments(LLVMValueRef kernel)
{
    static const char *const lists[] = {"kernel_arg_addr_space", "kernel_arg_access_qual", "kernel_arg_type",
                                        "kernel_arg_base_type",  "kernel_arg_type_qual",   "kernel_arg_name"};
    for (size_t i = 0; i < TSR_ARRAY_LEN(lists); i++)
        LLVMGlobalEraseMetadata(
            kernel, LLVMGetMDKindIDInContext(LLVMGetModuleContext(LLVMGetGlobalParent(kernel)), lists[i], (unsigned)strlen(lists[i])));
}

bool tsr__il_add_range(LLVMModuleRef module, struct tsr_program_info *info, struct tsr_buf *log)
{
    if (!tsr__il_inline(module, log))
        return false;
    struct range r = {.context = LLVMGetModuleContext(module), .module = module};
    r.builder = LLVMCreateBuilderInContext(r.context);
    for (uint32_t i = 0; i < info->kernel_count; i++) {
        struct tsr_kernel_info *kernel = &info->kernels[i];
        LLVMValueRef function = LLVMGetNamedFunction(module, kernel->name);
        if (kernel->flags & TSR_KERNEL_UNIFORM_GROUPS || !asks(function))
            continue;
        forget_arguments(function);
        function = tsr_il_add_parameter(function, LLVMVectorType(i64(&r), LANES));
        r.argument = LLVMGetLastParam(function);
        replace_calls(&r, function);
        kernel->flags |= TSR_KERNEL_RANGE_ARGUMENT;
    }
    LLVMDisposeBuilder(r.builder);
    return true;
}
