/* SPDX-License-Identifier: Apache-2.0
 * A text from its first character to an LLVM module that has been verified. */
#include "tensor/llvm/module.h"

#include <llvm-c/Analysis.h>
#include <string.h>

#include "tensor/llvm/emit.h"
#include "tessera/abi.h"

enum { SPIR_KERNEL = 76 };

static const char data_layout[] = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1";

/* ---- instructions ---- */

static void (*const emitters[])(struct tsr__te *e, const struct tsr__t_inst *inst) = {
#define TSR_OP(name, text, later, form, transposes, operands, region, group) [TSR__T_##name] = tsr__te_emit_##group,
#include "tensor/ops.def"
#undef TSR_OP
};

static void emit_inst(struct tsr__te *e, const struct tsr__t_inst *inst)
{
    bool outer = e->at_end;
    e->at_end = inst == e->last;
    emitters[inst->op](e, inst);
    e->at_end = outer;
}

static void emit_region(struct tsr__te *e, const struct tsr__t_region *region)
{
    if (tsr__te_emit_shared(e, region))
        return;
    for (const struct tsr__t_inst *i = region->first; i; i = i->next)
        emit_inst(e, i);
}

/* ---- parameters ---- */

enum { SPACE_PRIVATE, SPACE_GLOBAL, SPACE_LOCAL = 3 };

static unsigned address_space(const struct tsr_tensor_argument_info *info)
{
    if (info->kind == TSR_TENSOR_VALUE || info->kind == TSR_TENSOR_SIZE)
        return SPACE_PRIVATE;
    return info->kind == TSR_TENSOR_LOCAL ? SPACE_LOCAL : SPACE_GLOBAL;
}

static LLVMTypeRef argument_type(struct tsr__te *e, const struct tsr_tensor_argument_info *info, const struct tsr__t_type *type)
{
    switch (info->kind) {
    case TSR_TENSOR_VALUE: {
        LLVMTypeRef part = type->kind == TSR__T_BOOL ? LLVMInt8TypeInContext(e->context) : tsr__te_type(e, type->number);
        return type->kind != TSR__T_BOOL && tsr__te_is_complex(type->number) ? LLVMVectorType(part, 2) : part;
    }
    case TSR_TENSOR_SIZE:
        return LLVMInt64TypeInContext(e->context);
    default:
        return LLVMPointerTypeInContext(e->context, address_space(info));
    }
}

/* The sizes and strides of a memref: arguments from *next on, or the numbers of the type; of a group NULL for these. */
static void take_sizes(struct tsr__te *e, const struct tsr__t_type *memref, bool of_group, LLVMValueRef *part, unsigned *next)
{
    for (uint32_t i = 0; i < 2 * memref->order; i++) {
        int64_t size = i < memref->order ? memref->shape[i] : memref->stride[i - memref->order];
        if (size == TSR__T_DYNAMIC)
            part[i] = LLVMGetParam(e->function, (*next)++);
        else
            part[i] = of_group ? NULL : tsr__te_i64(e, size);
    }
}

static LLVMValueRef take_size(struct tsr__te *e, int64_t size, unsigned *next)
{
    return size == TSR__T_DYNAMIC ? LLVMGetParam(e->function, (*next)++) : tsr__te_i64(e, size);
}

static void take_param(struct tsr__te *e, const struct tsr__t_value *value, unsigned *next)
{
    const struct tsr__t_type *type = value->type;
    LLVMValueRef first = LLVMGetParam(e->function, (*next)++), *part = tsr__te_room(e, 2), one = tsr__te_i32(e, 1);
    uint32_t count = 1;
    part[0] = first;
    if (type->kind == TSR__T_BOOL) {
        part[0] = LLVMBuildICmp(e->builder, LLVMIntNE, first, LLVMConstNull(LLVMTypeOf(first)), "");
    } else if (type->kind == TSR__T_NUMBER && tsr__te_is_complex(type->number)) {
        part[0] = LLVMBuildExtractElement(e->builder, first, tsr__te_i32(e, 0), "");
        part[1] = LLVMBuildExtractElement(e->builder, first, one, "");
        count = 2;
    } else if (type->kind == TSR__T_MEMREF) {
        count = 1 + 2 * type->order;
        part = tsr__te_room(e, count);
        part[0] = first;
        take_sizes(e, type, false, part + 1, next);
    } else if (type->kind == TSR__T_GROUP) {
        count = 3 + 2 * type->memref->order;
        part = tsr__te_room(e, count);
        part[0] = first;
        take_sizes(e, type->memref, true, part + 1, next);
        part[count - 2] = take_size(e, type->size, next);
        part[count - 1] = take_size(e, type->offset, next);
    }
    tsr__te_set(e, value, part, count);
}

/* ---- kernels ---- */

static void set_metadata(struct tsr__te *e, const char *name, LLVMMetadataRef *parts, uint32_t count)
{
    LLVMGlobalSetMetadata(e->function, LLVMGetMDKindIDInContext(e->context, name, (unsigned)strlen(name)),
                          LLVMMDNodeInContext2(e->context, parts, count));
}

static LLVMMetadataRef number(struct tsr__te *e, uint32_t value)
{
    return LLVMValueAsMetadata(tsr__te_i32(e, value));
}

static LLVMMetadataRef text(struct tsr__te *e, const char *words)
{
    return LLVMMDStringInContext2(e->context, words, strlen(words));
}

/* What the queries answer from, see clc/service/meta.c. */
static void describe(struct tsr__te *e)
{
    enum { SPACE, ACCESS, TYPE, BASE, QUALIFIERS, NAME, LISTS };
    static const char *const names[LISTS] = {"kernel_arg_addr_space", "kernel_arg_access_qual", "kernel_arg_type",
                                             "kernel_arg_base_type",  "kernel_arg_type_qual",   "kernel_arg_name"};
    const struct tsr_tensor_function_info *info = &e->func->info;
    LLVMMetadataRef *list = tsr_arena_alloc(e->arena, (info->argument_count + 3) * sizeof *list);
    for (int which = 0; which < LISTS; which++) {
        for (uint32_t i = 0; i < info->argument_count; i++) {
            const struct tsr_tensor_argument_info *a = &info->arguments[i];
            list[i] = which == SPACE    ? number(e, address_space(a))
                      : which == ACCESS ? text(e, "none")
                      : which == NAME   ? text(e, a->name)
                                        : text(e, which == QUALIFIERS ? "" : a->type);
        }
        set_metadata(e, names[which], list, info->argument_count);
    }
    list[0] = number(e, info->work_group_size[0]);
    list[1] = number(e, info->work_group_size[1]);
    list[2] = number(e, 1);
    set_metadata(e, "reqd_work_group_size", list, 3);
    list[0] = number(e, info->sub_group_size);
    set_metadata(e, "intel_reqd_sub_group_size", list, 1);
}

static void declare(struct tsr__te *e)
{
    const struct tsr_tensor_function_info *info = &e->func->info;
    LLVMTypeRef *types = tsr_arena_alloc(e->arena, (info->argument_count + 1) * sizeof *types);
    uint32_t next = 0;
    for (uint32_t p = 0; p < e->func->param_count; p++)
        for (uint32_t first = next; next < info->argument_count && (next == first || info->arguments[next].kind >= TSR_TENSOR_SIZE); next++)
            types[next] = argument_type(e, &info->arguments[next], e->func->params[p].value.type);
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(e->context), types, info->argument_count, false);
    e->function = LLVMAddFunction(e->module, info->name, type);
    LLVMSetFunctionCallConv(e->function, SPIR_KERNEL);
    static const char uniform[] = "uniform-work-group-size", yes[] = "true";
    LLVMAddAttributeAtIndex(e->function, (unsigned)LLVMAttributeFunctionIndex,
                            LLVMCreateStringAttribute(e->context, uniform, sizeof uniform - 1, yes, sizeof yes - 1));
    tsr__te_set_attributes(e, e->function);
}

static LLVMValueRef local_array(struct tsr__te *e, const char *name, uint32_t bytes)
{
    LLVMTypeRef type = LLVMArrayType2(LLVMInt8TypeInContext(e->context), bytes);
    LLVMValueRef made = LLVMAddGlobalInAddressSpace(e->module, type, tsr_arena_format(e->arena, "%s.%s", e->func->name, name), SPACE_LOCAL);
    LLVMSetLinkage(made, LLVMInternalLinkage);
    LLVMSetInitializer(made, LLVMGetUndef(type));
    LLVMSetAlignment(made, TSR__T_LOCAL_ALIGNMENT);
    return made;
}

LLVMValueRef tsr__te_scratch(struct tsr__te *e, uint32_t bytes)
{
    uint64_t own = e->local ? LLVMGetArrayLength2(LLVMGlobalGetValueType(e->local)) : 0;
    struct tsr__te_memory *memory = &e->scratch[e->spmd];
    if (own + 2 * TSR__T_LOCAL_ALIGNMENT + e->scratch[!e->spmd].bytes + bytes > TSR_CPU_LOCAL_MEMORY)
        return NULL;
    if (!memory->array)
        memory->array = local_array(e, "any", 0);
    memory->bytes = bytes > memory->bytes ? bytes : memory->bytes;
    return memory->array;
}

/* How large it has to be is known now. */
static void make_scratch(struct tsr__te *e)
{
    static const char *const names[] = {"scratch", "spmd_scratch"};
    for (int i = 0; i < 2; i++) {
        struct tsr__te_memory *memory = &e->scratch[i];
        if (memory->array) {
            LLVMReplaceAllUsesWith(memory->array, local_array(e, names[i], memory->bytes));
            LLVMDeleteGlobal(memory->array);
        }
        *memory = (struct tsr__te_memory){0};
    }
    if (e->room) {
        LLVMReplaceAllUsesWith(e->room, LLVMConstIntToPtr(tsr__te_i64(e, e->room_bytes), LLVMTypeOf(e->room)));
        LLVMDeleteGlobal(e->room);
    }
    e->room = NULL;
    e->room_bytes = 0;
}

static void make_local(struct tsr__te *e)
{
    e->local_offset = tsr_arena_alloc(e->arena, e->func->value_count * sizeof *e->local_offset + 1);
    uint32_t bytes = tsr__te_layout(e->func, e->arena, e->local_offset);
    if (bytes == TSR__TE_TOO_MUCH) {
        tsr__t_error(e->program, e->func->head, "The function allocates more than 16 MiB of local memory");
        longjmp(e->out, 1);
    }
    e->local = bytes ? local_array(e, "local", bytes) : NULL;
}

/* Lanes of a sub-group are numbers that the engine knows, so masks of sizes that are known are constants. */
static LLVMValueRef local_id(struct tsr__te *e, uint32_t dimension)
{
    LLVMTypeRef i64 = LLVMInt64TypeInContext(e->context);
    LLVMValueRef argument = tsr__te_i32(e, dimension);
    if (e->func->info.work_group_size[dimension] == 1)
        return tsr__te_i64(e, 0);
    if (!e->one_sub_group)
        return tsr__te_call(e, "get_local_id", "j", i64, &argument, 1);
    return tsr__te_lane(e);
}

static void note_atomic(const struct tsr__t_inst *inst, void *data)
{
    *(bool *)data |= inst->atomic != TSR__T_PLAIN || inst->fences;
}

/* The last instruction of the body that touches memory, behind which nothing looks at what it has written until the launch ends. NULL:
 * other work-groups may. */
static const struct tsr__t_inst *find_last(const struct tsr__te *e)
{
    const struct tsr__t_inst *last = NULL;
    bool is_atomic = false;
    tsr__t_visit(e->func->body, note_atomic, &is_atomic);
    for (const struct tsr__t_inst *i = e->func->body->first; i && !is_atomic; i = i->next) {
        struct tsr__te_touched touched = tsr__te_touched_by_inst(i);
        last = touched.read | touched.written ? i : last;
    }
    return last;
}

static void emit_function(struct tsr__te *e)
{
    const struct tsr_tensor_function_info *info = &e->func->info;
    declare(e);
    describe(e);
    make_local(e);
    e->values = tsr_arena_alloc(e->arena, (e->func->value_count + TSR__TE_MORE_VALUES) * sizeof *e->values);
    e->one_sub_group = info->work_group_size[1] == 1 && info->work_group_size[0] == info->sub_group_size;
    e->touched = (struct tsr__te_touched){0};
    e->spmd = e->at_end = false;
    e->last = find_last(e);
    LLVMPositionBuilderAtEnd(e->builder, LLVMAppendBasicBlockInContext(e->context, e->function, "entry"));
    for (uint32_t i = 0; i < 2; i++)
        e->item[i] = local_id(e, i);
    LLVMValueRef any = LLVMBuildOr(e->builder, e->item[0], e->item[1], "");
    e->first_item = LLVMBuildICmp(e->builder, LLVMIntEQ, any, tsr__te_i64(e, 0), "");
    unsigned next = 0;
    for (uint32_t i = 0; i < e->func->param_count; i++)
        take_param(e, &e->func->params[i].value, &next);
    emit_region(e, e->func->body);
    LLVMBuildRetVoid(e->builder);
    make_scratch(e);
}

/* ---- modules ---- */

static void add_versions(struct tsr__te *e)
{
    static const char *const names[] = {"opencl.ocl.version", "opencl.spir.version"};
    LLVMMetadataRef numbers[] = {number(e, 3), number(e, 0)};
    LLVMValueRef node = LLVMMetadataAsValue(e->context, LLVMMDNodeInContext2(e->context, numbers, 2));
    for (size_t i = 0; i < TSR_ARRAY_LEN(names); i++)
        LLVMAddNamedMetadataOperand(e->module, names[i], node);
}

/* False: the program has the error. */
static bool emit_program(struct tsr__te *e)
{
    if (setjmp(e->out))
        return false;
    e->module = LLVMModuleCreateWithNameInContext("program", e->context);
    LLVMSetTarget(e->module, "spir64-unknown-unknown");
    LLVMSetDataLayout(e->module, data_layout);
    LLVMSetSourceFileName(e->module, "input.tensor", strlen("input.tensor"));
    e->builder = LLVMCreateBuilderInContext(e->context);
    for (e->func = e->program->first; e->func; e->func = e->func->next)
        emit_function(e);
    add_versions(e);
    return true;
}

static bool verify(struct tsr__te *e)
{
    char *message = NULL;
    bool broken = LLVMVerifyModule(e->module, LLVMReturnStatusAction, &message);
    if (broken)
        tsr_buf_printf(e->log,
                       "error: the code of the program is not valid: %.400s\nThis is a bug in the compiler; please report the program.\n",
                       message);
    LLVMDisposeMessage(message);
    return !broken;
}

/* pyopencl adds a line in OpenCL C to every source, so that no driver takes it from a cache. */
static size_t without_added_line(const char *text, size_t size)
{
    static const char added[] = "\n__constant int pyopencl_defeat_cache_";
    const char *at = memmem(text, size, added, sizeof added - 1);
    return at ? (size_t)(at - text) : size;
}

LLVMModuleRef tsr_tensor_module(const void *text, size_t size, const struct tsr_tensor_unit *unit, LLVMContextRef context,
                                struct tsr_buf *log)
{
    struct tsr_tensor_program *program = tsr_tensor_parse(text, without_added_line(text, size), "input.tensor", &tsr_tensor_cpu_target);
    if (!program) {
        tsr_buf_printf(log, "error: out of memory\n");
        return NULL;
    }
    struct tsr__te *e = tsr_arena_alloc(&program->arena, sizeof *e);
    *e = (struct tsr__te){.program = program,
                          .arena = &program->arena,
                          .log = log,
                          .context = context,
                          .region = emit_region,
                          .inst = emit_inst,
                          .unit = *unit};
    bool good = !program->diagnostics && emit_program(e);
    tsr_tensor_print_diagnostics(program, log);
    good = good && verify(e);
    if (e->builder)
        LLVMDisposeBuilder(e->builder);
    LLVMModuleRef module = e->module;
    if (!good && module)
        LLVMDisposeModule(module);
    tsr_tensor_free(program);
    return good ? module : NULL;
}
