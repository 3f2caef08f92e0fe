/* SPDX-License-Identifier: Apache-2.0
 * Lines of the source that the module was made of, in messages and as LLVM's debug locations: OpLine and OpNoLine, and DebugLine and
 * DebugNoLine of the sets NonSemantic.*.DebugInfo.100. Of variables and types nothing is made. */
#include "clc/spirv/reader.h"

#include <llvm-c/DebugInfo.h>
#include <string.h>

/* Instructions of NonSemantic.Shader.DebugInfo.100 and of NonSemantic.Kernel.DebugInfo.100. */
enum { DEBUG_SOURCE = 35, DEBUG_LINE = 103, DEBUG_NO_LINE = 104 };

struct tsr__file {
    const char *name;
    LLVMMetadataRef node;
    struct tsr__file *next;
};

struct tsr__lines {
    LLVMDIBuilderRef builder;
    struct tsr__file *files;
    LLVMMetadataRef function, function_file; /* of the function that is made */
};

/* A place in a source; file NULL: none. */
struct place {
    const char *file;
    uint32_t line, column;
};

static bool is_debug(const struct tsr__reader *r, const struct tsr__inst *in, uint32_t number)
{
    return in->op->number == TSR__OpExtInst && r->ids[in->operand[0]].import == TSR__DEBUG_LINES && in->operand[1] == number;
}

/* The text of an OpString, or of the one that a DebugSource names; NULL: the id is neither. */
static const char *file_name(const struct tsr__reader *r, uint32_t id)
{
    const struct tsr__inst *in = id < r->bound ? r->ids[id].inst : NULL;
    if (in && is_debug(r, in, DEBUG_SOURCE) && in->count > 2)
        id = in->operand[2];
    return id < r->bound ? r->ids[id].text : NULL;
}

static uint32_t constant(const struct tsr__reader *r, uint32_t id)
{
    const struct tsr__inst *in = id < r->bound ? r->ids[id].inst : NULL;
    return in && in->op->number == TSR__OpConstant && in->count ? in->operand[0] : 0;
}

/* What the instruction says of those that follow it. False: nothing. */
static bool read_place(const struct tsr__reader *r, const struct tsr__inst *in, struct place *place)
{
    if (in->op->number == TSR__OpLine)
        *place = (struct place){file_name(r, in->operand[0]), in->operand[1], in->operand[2]};
    else if (is_debug(r, in, DEBUG_LINE) && in->count > 5)
        *place = (struct place){file_name(r, in->operand[2]), constant(r, in->operand[3]), constant(r, in->operand[5])};
    else if (in->op->number == TSR__OpNoLine || is_debug(r, in, DEBUG_NO_LINE))
        *place = (struct place){0};
    else
        return false;
    return true;
}

static bool ends_lines(const struct tsr__inst *in)
{
    switch (in->op->number) {
    case TSR__OpBranch:
    case TSR__OpBranchConditional:
    case TSR__OpSwitch:
    case TSR__OpReturn:
    case TSR__OpReturnValue:
    case TSR__OpUnreachable:
    case TSR__OpFunctionEnd:
        return true;
    default:
        return false;
    }
}

/* Where the instruction comes from. */
static struct place find_place(const struct tsr__reader *r, const struct tsr__inst *in)
{
    struct place place = {0};
    if (in < r->insts || in >= r->insts + r->inst_count) /* a part of another one */
        return place;
    while (in > r->insts && !ends_lines(--in))
        if (read_place(r, in, &place))
            return place;
    return place;
}

void tsr__spirv_put_place(struct tsr__reader *r, const struct tsr__inst *in)
{
    struct place place = in ? find_place(r, in) : (struct place){0};
    if (place.file && place.line)
        tsr_buf_printf(r->log, "%.200s:%u:%u: ", place.file, place.line, place.column);
}

/* ---- debug locations ---- */

static bool has_lines(const struct tsr__reader *r)
{
    struct place place;
    for (uint32_t i = 0; i < r->inst_count; i++)
        if (read_place(r, &r->insts[i], &place) && place.file)
            return true;
    return false;
}

static void add_flag(struct tsr__reader *r, const char *name, uint32_t value)
{
    LLVMAddModuleFlag(r->module, LLVMModuleFlagBehaviorWarning, name, strlen(name), LLVMValueAsMetadata(tsr__u32(r, value)));
}

static LLVMMetadataRef file_node(struct tsr__reader *r, const char *name)
{
    struct tsr__file *file = r->lines->files;
    while (file && strcmp(file->name, name) != 0)
        file = file->next;
    if (file)
        return file->node;
    file = tsr_arena_alloc(&r->arena, sizeof *file);
    file->name = name;
    file->node = LLVMDIBuilderCreateFile(r->lines->builder, name, strlen(name), "", 0);
    file->next = r->lines->files;
    r->lines->files = file;
    return file->node;
}

/* The first file that a line names is that of the unit. */
static const char *main_file(const struct tsr__reader *r)
{
    struct place place = {0};
    for (uint32_t i = 0; i < r->inst_count && !place.file; i++)
        read_place(r, &r->insts[i], &place);
    return place.file;
}

void tsr__spirv_begin_lines(struct tsr__reader *r)
{
    if (!r->input->lines || !has_lines(r))
        return;
    r->lines = tsr_arena_alloc(&r->arena, sizeof *r->lines);
    r->lines->builder = LLVMCreateDIBuilder(r->module);
    LLVMDIBuilderCreateCompileUnit(r->lines->builder, LLVMDWARFSourceLanguageOpenCL, file_node(r, main_file(r)), "tessera",
                                   strlen("tessera"), true, "", 0, 0, "", 0, LLVMDWARFEmissionLineTablesOnly, 0, true, false, "", 0, "", 0);
    add_flag(r, "Debug Info Version", LLVMDebugMetadataVersion());
    add_flag(r, "Dwarf Version", 4);
}

void tsr__spirv_end_lines(struct tsr__reader *r)
{
    if (!r->lines)
        return;
    LLVMDIBuilderFinalize(r->lines->builder);
    LLVMDisposeDIBuilder(r->lines->builder);
    r->lines = NULL;
}

static void set_location(struct tsr__reader *r, LLVMBuilderRef builder, uint32_t line, uint32_t column, LLVMMetadataRef scope)
{
    LLVMSetCurrentDebugLocation2(builder, LLVMDIBuilderCreateDebugLocation(r->context, line, column, scope, NULL));
}

/* A function's line is that of its first instruction which has one. */
static struct place function_place(const struct tsr__reader *r, const struct tsr__inst *in)
{
    struct place place = find_place(r, in);
    for (; !place.file && in < r->insts + r->inst_count && in->op->number != TSR__OpFunctionEnd; in++)
        read_place(r, in, &place);
    return place;
}

void tsr__spirv_function_lines(struct tsr__reader *r, const struct tsr__inst *in, LLVMValueRef function, LLVMBuilderRef builder)
{
    if (!r->lines)
        return;
    struct place place = function_place(r, in);
    size_t length;
    const char *name = LLVMGetValueName2(function, &length);
    r->lines->function_file = file_node(r, place.file ? place.file : main_file(r));
    LLVMMetadataRef type = LLVMDIBuilderCreateSubroutineType(r->lines->builder, r->lines->function_file, NULL, 0, LLVMDIFlagZero);
    r->lines->function =
        LLVMDIBuilderCreateFunction(r->lines->builder, r->lines->function_file, name, length, "", 0, r->lines->function_file, place.line,
                                    type, true, true, place.line, LLVMDIFlagZero, true);
    LLVMSetSubprogram(function, r->lines->function);
    set_location(r, builder, place.line, 0, r->lines->function); /* calls need one in a function that has lines */
    set_location(r, r->builder, place.line, 0, r->lines->function);
}

bool tsr__spirv_line(struct tsr__reader *r, const struct tsr__inst *in)
{
    struct place place;
    if (!read_place(r, in, &place))
        return false;
    if (!r->lines || !r->lines->function)
        return true;
    LLVMMetadataRef scope = r->lines->function, file = place.file ? file_node(r, place.file) : r->lines->function_file;
    if (file != r->lines->function_file)
        scope = LLVMDIBuilderCreateLexicalBlockFile(r->lines->builder, scope, file, 0);
    set_location(r, r->builder, place.line, place.column, scope);
    return true;
}

/* A line holds to the end of its block. */
void tsr__spirv_end_of_line(struct tsr__reader *r)
{
    if (r->lines && r->lines->function)
        set_location(r, r->builder, 0, 0, r->lines->function);
}

void tsr__spirv_end_function_lines(struct tsr__reader *r)
{
    if (!r->lines)
        return;
    r->lines->function = NULL;
    LLVMSetCurrentDebugLocation2(r->builder, NULL);
}
