/* SPDX-License-Identifier: Apache-2.0
 * What stands before the types: capabilities, extensions, memory model, entry points, execution modes, names, decorations (SPIR-V
 * specification 2.4, "Logical Layout of a Module"). */
#include "clc/spirv/reader.h"

#include <string.h>

/* ---- capabilities and extensions ---- */

static const char *capability_name(uint32_t number)
{
    switch (number) {
#define TSR_SPIRV_CAP(name, number)                                                                                                        \
    case number:                                                                                                                           \
        return #name;
#include "spirv_grammar.inc"
    }
    return NULL;
}

static void read_capability(struct tsr__reader *r, const struct tsr__inst *in)
{
    const struct {
        uint32_t number;
        bool there;
    } known[] = {
#define TSR_SPIRV_CAPABILITY(name, number) {number, true},
#include "tessera/spirv.def"
#define TSR_SPIRV_IMAGE_CAPABILITY(name, number, feature) {number, r->input->images},
#include "tessera/spirv.def"
#define TSR_SPIRV_PIPE_CAPABILITY(name, number) {number, r->input->pipes},
#include "tessera/spirv.def"
    };
    for (size_t i = 0; i < TSR_ARRAY_LEN(known); i++)
        if (known[i].number == in->operand[0] && known[i].there)
            return;
    const char *name = capability_name(in->operand[0]);
    if (name)
        tsr__spirv_fail(r, in, "this device lacks the capability %s; CL_DEVICE_SPIRV_CAPABILITIES_KHR lists those it has", name);
    tsr__spirv_fail(r, in, "capability %u is not known; CL_DEVICE_SPIRV_CAPABILITIES_KHR lists those that this device has", in->operand[0]);
}

static void read_extension(struct tsr__reader *r, const struct tsr__inst *in)
{
    static const char *const accepted[] = {
#define TSR_SPIRV_EXTENSION(name) #name,
#include "tessera/spirv.def"
    };
    const char *name = tsr__spirv_text(r, in, 0, NULL);
    for (size_t i = 0; i < TSR_ARRAY_LEN(accepted); i++)
        if (!strcmp(accepted[i], name)) {
            r->relaxed_printf |= !strcmp(name, "SPV_EXT_relaxed_printf_string_address_space");
            return;
        }
    tsr__spirv_fail(r, in, "this device lacks the extension %.100s; CL_DEVICE_SPIRV_EXTENSIONS_KHR lists those it has", name);
}

static void read_import(struct tsr__reader *r, const struct tsr__inst *in)
{
    const char *name = tsr__spirv_text(r, in, 0, NULL);
    enum tsr__import *import = &r->ids[in->result].import;
    if (!strcmp(name, "OpenCL.std"))
        *import = TSR__OPENCL_STD;
    else if (!strcmp(name, "NonSemantic.Shader.DebugInfo.100") || !strcmp(name, "NonSemantic.Kernel.DebugInfo.100"))
        *import = TSR__DEBUG_LINES;
    else if (!strcmp(name, "OpenCL.DebugInfo.100") || !strncmp(name, "NonSemantic.", strlen("NonSemantic.")))
        *import = TSR__NO_SEMANTICS;
    else
        tsr__spirv_fail(r, in, "this device lacks the extended instruction set %.100s", name);
}

static void read_memory_model(struct tsr__reader *r, const struct tsr__inst *in)
{
    if (in->operand[0] != TSR__AddressingPhysical64)
        tsr__spirv_fail(r, in, "addressing model %u: the device has addresses of 64 bits, so it takes Physical64, 2, alone",
                        in->operand[0]);
    if (in->operand[1] != TSR__MemoryModelOpenCL)
        tsr__spirv_fail(r, in, "memory model %u: the device takes that of OpenCL, 2, alone", in->operand[1]);
}

/* ---- entry points ---- */

/* Functions and tables of the reader have such names. Those for debuggers that are like these are dropped, others refused. */
static bool is_reserved(const char *name)
{
    return !strncmp(name, TSR_CLC_SPIRV_MATRIX, strlen(TSR_CLC_SPIRV_MATRIX));
}

static void check_name(struct tsr__reader *r, const struct tsr__inst *in, const char *name)
{
    if (is_reserved(name))
        tsr__spirv_fail(r, in, "names that begin with '%s' are those of the driver", TSR_CLC_SPIRV_MATRIX);
}

static void read_entry_point(struct tsr__reader *r, const struct tsr__inst *in)
{
    if (in->operand[0] != TSR__ExecutionModelKernel)
        tsr__spirv_fail(r, in, "execution model %u: the device takes Kernel, %d, alone", in->operand[0], TSR__ExecutionModelKernel);
    struct tsr__entry_point *entry = tsr_arena_alloc(&r->arena, sizeof *entry);
    entry->function = in->operand[1];
    entry->name = tsr__spirv_text(r, in, 2, NULL);
    check_name(r, in, entry->name);
    struct tsr__entry_point **last = &r->entry_points;
    for (; *last; last = &(*last)->next)
        if (!strcmp((*last)->name, entry->name))
            tsr__spirv_fail(r, in, "there are two entry points '%.100s'", entry->name);
    *last = entry;
}

/* Modes that would have the device calculate as it does not. */
static void refuse_mode(struct tsr__reader *r, const struct tsr__inst *in)
{
    static const struct {
        uint32_t number;
        const char *name, *why;
    } refused[] = {
        {TSR__ModeInitializer, "Initializer", "the device has no initializers"},
        {TSR__ModeFinalizer, "Finalizer", "the device has no finalizers"},
        {TSR__ModeDenormFlushToZero, "DenormFlushToZero", "the device keeps denormals"},
        {TSR__ModeRoundingModeRTZ, "RoundingModeRTZ", "the device rounds to nearest even"},
        {TSR__ModeRoundingModeRTP, "RoundingModeRTPINTEL", "the device rounds to nearest even"},
        {TSR__ModeRoundingModeRTN, "RoundingModeRTNINTEL", "the device rounds to nearest even"},
        {TSR__ModeFloatingPointModeALT, "FloatingPointModeALTINTEL", "the device calculates as IEEE 754 says"},
    };
    for (size_t i = 0; i < TSR_ARRAY_LEN(refused); i++)
        if (refused[i].number == in->operand[1])
            tsr__spirv_fail(r, in, "execution mode %s: %s", refused[i].name, refused[i].why);
}

static void read_mode(struct tsr__reader *r, const struct tsr__inst *in)
{
    refuse_mode(r, in);
    if (!r->modes)
        r->modes = tsr_arena_alloc(&r->arena, r->bound * sizeof(struct tsr__mode *));
    struct tsr__mode *mode = tsr_arena_alloc(&r->arena, sizeof *mode), **list = &r->modes[in->operand[0]];
    mode->number = in->operand[1];
    mode->count = in->count - 2;
    mode->operand = in->operand + 2;
    mode->ids = in->op->number == TSR__OpExecutionModeId;
    mode->next = *list;
    *list = mode;
}

const char *tsr__spirv_linked_name(struct tsr__reader *r, const struct tsr__inst *in, uint32_t *linkage)
{
    const struct tsr__decoration *d = tsr__spirv_decoration(r, in->result, TSR__DecorationLinkageAttributes, -1);
    uint32_t words = 0;
    if (!d)
        return NULL;
    struct tsr__inst text = *in;
    text.operand = d->operand;
    text.count = d->count;
    const char *name = tsr__spirv_text(r, &text, 0, &words);
    check_name(r, in, name);
    *linkage = tsr__spirv_word(r, &text, words);
    return name;
}

const struct tsr__mode *tsr__spirv_mode(const struct tsr__reader *r, uint32_t function, uint32_t number)
{
    const struct tsr__mode *mode = r->modes ? r->modes[function] : NULL;
    while (mode && mode->number != number)
        mode = mode->next;
    return mode;
}

/* ---- names and decorations ---- */

/* `operand`: where the decoration's number stands. */
static void decorate(struct tsr__reader *r, const struct tsr__inst *in, uint32_t id, int64_t member, uint32_t operand)
{
    struct tsr__decoration *d = tsr_arena_alloc(&r->arena, sizeof *d);
    d->number = in->operand[operand];
    d->member = member;
    d->count = in->count - operand - 1;
    d->operand = in->operand + operand + 1;
    d->next = r->ids[id].decorations;
    r->ids[id].decorations = d;
}

/* Gives the target what the group is decorated with. */
static void apply_group(struct tsr__reader *r, const struct tsr__inst *in, uint32_t group, uint32_t target, int64_t member)
{
    for (const struct tsr__decoration *d = r->ids[group].decorations; d; d = d->next) {
        struct tsr__decoration *copy = tsr_arena_alloc(&r->arena, sizeof *copy);
        if (group == target)
            tsr__spirv_fail(r, in, "a group of decorations decorates itself");
        *copy = *d;
        copy->member = member;
        copy->next = r->ids[target].decorations;
        r->ids[target].decorations = copy;
    }
}

static void read_groups(struct tsr__reader *r, const struct tsr__inst *in)
{
    bool members = in->op->number == TSR__OpGroupMemberDecorate;
    for (uint32_t i = 1; i < in->count; i += 1 + members) {
        tsr__spirv_id(r, in, i);
        apply_group(r, in, in->operand[0], in->operand[i], members ? (int64_t)tsr__spirv_word(r, in, i + 1) : -1);
    }
}

const struct tsr__decoration *tsr__spirv_decoration(const struct tsr__reader *r, uint32_t id, uint32_t number, int64_t member)
{
    const struct tsr__decoration *d = r->ids[id].decorations;
    while (d && (d->number != number || d->member != member))
        d = d->next;
    return d;
}

bool tsr__spirv_section(struct tsr__reader *r, const struct tsr__inst *in)
{
    switch (in->op->number) {
    case TSR__OpNop:
    case TSR__OpSource:
    case TSR__OpSourceContinued:
    case TSR__OpSourceExtension:
    case TSR__OpMemberName:
    case TSR__OpModuleProcessed:
    case TSR__OpDecorationGroup:
    case TSR__OpLine:
    case TSR__OpNoLine:
    case TSR__OpAliasDomainDeclINTEL: /* scopes of what does not overlap: hints, which nothing is made of */
    case TSR__OpAliasScopeDeclINTEL:
    case TSR__OpAliasScopeListDeclINTEL:
        return true;
    case TSR__OpCapability:
        read_capability(r, in);
        return true;
    case TSR__OpExtension:
        read_extension(r, in);
        return true;
    case TSR__OpExtInstImport:
        read_import(r, in);
        return true;
    case TSR__OpExtInst:
        return r->ids[in->operand[0]].import >= TSR__NO_SEMANTICS;
    case TSR__OpMemoryModel:
        read_memory_model(r, in);
        return true;
    case TSR__OpEntryPoint:
        read_entry_point(r, in);
        return true;
    case TSR__OpExecutionMode:
    case TSR__OpExecutionModeId:
        read_mode(r, in);
        return true;
    case TSR__OpString:
        r->ids[in->result].text = tsr__spirv_text(r, in, 0, NULL);
        return true;
    case TSR__OpName:
        if (!is_reserved(tsr__spirv_text(r, in, 1, NULL)))
            r->ids[in->operand[0]].name = tsr__spirv_text(r, in, 1, NULL);
        return true;
    case TSR__OpDecorate:
    case TSR__OpDecorateId:
    case TSR__OpDecorateString:
        decorate(r, in, in->operand[0], -1, 1);
        return true;
    case TSR__OpMemberDecorate:
    case TSR__OpMemberDecorateString:
        decorate(r, in, in->operand[0], in->operand[1], 2);
        return true;
    case TSR__OpGroupDecorate:
    case TSR__OpGroupMemberDecorate:
        read_groups(r, in);
        return true;
    default:
        return false;
    }
}
