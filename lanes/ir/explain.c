/* SPDX-License-Identifier: Apache-2.0
 * TESSERA_EXPLAIN: collects the passes' notes on each kernel, sorts them by source line, and prints them as text or as one JSON object
 * per line. */
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <llvm-c/DebugInfo.h>

#include "lanes/ir/explain.h"
#include "lanes/ir/calls.h"
#include "tessera/item.h"

enum { SAVED_BYTES = 56 }; /* of a frame: the caller's registers, and what aligns it */

struct note {
    size_t number; /* order of arrival */
    uint32_t kernel;
    const char *file; /* NULL: the program's source */
    unsigned line, column;
    unsigned from; /* line in the kernel of the call that led there, or 0 */
    unsigned count;
    const char *topic, *verdict, *text;
};

/* Where a kernel stands, or zeros. */
struct source {
    LLVMMetadataRef file;
    unsigned line, body; /* clang's kernel calls its body, and seems to do so in a line of the source */
};

struct tsr__explain {
    struct note *notes;
    size_t count, room;
    struct source *sources; /* per kernel */
    unsigned array_kind;    /* metadata of the program's private arrays */
};

/* ---- notes ---- */

static bool is_rare(const char *suffix)
{
    static const char *const rare[] = {"." TSR__PARTIAL, "." TSR__WRAPPING, "." TSR__LONE, "." TSR__LONE_PARTIAL};
    for (size_t i = 0; i < TSR_ARRAY_LEN(rare); i++)
        if (!strcmp(suffix, rare[i]))
            return true;
    return false;
}

/* The kernel whose code a function is. Bodies for what is rare are of no interest. */
static bool find_kernel(const struct tsr__compilation *l, const char *name, uint32_t *kernel)
{
    return tsr__kernel_of_code(l, name, kernel) && !is_rare(name + strcspn(name, "."));
}

static void find_place(struct tsr__compilation *l, LLVMValueRef inst, struct note *note)
{
    const struct source *source = &l->explain->sources[note->kernel];
    LLVMMetadataRef location = LLVMInstructionGetDebugLoc(inst);
    if (!location)
        return;
    LLVMMetadataRef file = LLVMDIScopeGetFile(LLVMDILocationGetScope(location));
    unsigned length = 0;
    if (file && file != source->file) {
        const char *name = LLVMDIFileGetFilename(file, &length);
        note->file = tsr_arena_format(&l->scratch, "%.*s", (int)length, name);
    }
    note->line = LLVMDILocationGetLine(location);
    note->column = LLVMDILocationGetColumn(location);
    while ((location = LLVMDILocationGetInlinedAt(location)) != NULL) {
        unsigned line = LLVMDILocationGetLine(location);
        if (line != source->line && line != source->body)
            note->from = line;
    }
}

static struct note *add_note(struct tsr__compilation *l, LLVMValueRef at)
{
    struct tsr__explain *e = l->explain;
    bool is_function = LLVMIsAFunction(at) != NULL;
    struct note note = {.number = e->count, .count = 1};
    if (!find_kernel(l, tsr__name(is_function ? at : LLVMGetBasicBlockParent(LLVMGetInstructionParent(at))), &note.kernel))
        return NULL;
    if (!is_function)
        find_place(l, at, &note);
    if (e->count == e->room) {
        struct note *old = e->notes;
        e->room = e->room ? 2 * e->room : 64;
        e->notes = tsr_arena_alloc(&l->scratch, e->room * sizeof *e->notes);
        if (e->count)
            memcpy(e->notes, old, e->count * sizeof *old);
    }
    e->notes[e->count] = note;
    return &e->notes[e->count++];
}

void tsr__explain(struct tsr__compilation *l, LLVMValueRef at, const char *topic, const char *verdict, const char *format, ...)
{
    struct note *note = l->explain ? add_note(l, at) : NULL;
    if (!note)
        return;
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    note->topic = topic;
    note->verdict = verdict;
    note->text = tsr_arena_format(&l->scratch, "%s", text);
}

size_t tsr__explain_count(const struct tsr__compilation *l)
{
    return l->explain ? l->explain->count : 0;
}

void tsr__explain_forget(struct tsr__compilation *l, size_t count)
{
    if (l->explain)
        l->explain->count = count;
}

void tsr__explain_drop(struct tsr__compilation *l, LLVMValueRef kernel, const char *topic, const char *verdict)
{
    struct tsr__explain *e = l->explain;
    uint32_t number;
    size_t left = 0;
    if (!e || !find_kernel(l, tsr__name(kernel), &number))
        return;
    for (size_t i = 0; i < e->count; i++)
        if (e->notes[i].kernel != number || strcmp(e->notes[i].topic, topic) || strcmp(e->notes[i].verdict, verdict))
            e->notes[left++] = e->notes[i];
    e->count = left;
}

/* ---- types, places in memory ---- */

const char *tsr__type_text(struct tsr__compilation *l, LLVMTypeRef type)
{
    static const struct {
        LLVMTypeKind kind;
        unsigned bits; /* of an integer */
        const char *text;
    } names[] = {
        {LLVMHalfTypeKind, 0, "half"},     {LLVMFloatTypeKind, 0, "float"},     {LLVMDoubleTypeKind, 0, "double"},
        {LLVMIntegerTypeKind, 8, "char"},  {LLVMIntegerTypeKind, 16, "short"},  {LLVMIntegerTypeKind, 32, "int"},
        {LLVMIntegerTypeKind, 64, "long"}, {LLVMPointerTypeKind, 0, "pointer"}, {LLVMStructTypeKind, 0, "struct"},
    };
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    if (kind == LLVMVectorTypeKind)
        return tsr_arena_format(&l->scratch, "%s%u", tsr__type_text(l, LLVMGetElementType(type)), LLVMGetVectorSize(type));
    if (kind == LLVMArrayTypeKind)
        return tsr_arena_format(&l->scratch, "%s[%lu]", tsr__type_text(l, LLVMGetElementType(type)),
                                (unsigned long)LLVMGetArrayLength2(type));
    for (size_t i = 0; i < TSR_ARRAY_LEN(names); i++)
        if (names[i].kind == kind && (!names[i].bits || names[i].bits == LLVMGetIntTypeWidth(type)))
            return names[i].text;
    return "bits";
}

/* ---- what passes have to say ---- */

void tsr__explain_serialised(struct tsr__compilation *l, LLVMValueRef inst)
{
    LLVMValueRef callee = tsr__callee(inst);
    const char *called = callee ? tsr__name(callee) : "";
    bool atomic = LLVMIsAAtomicRMWInst(inst) || LLVMIsAAtomicCmpXchgInst(inst);
    if (LLVMIsACallInst(inst))
        tsr__explain(l, inst, "call", "lane by lane", "%s",
                     tsr__call_of(inst) == TSR__CALL_NONE ? called : called + strlen(TSR__CALL_PREFIX));
    else
        tsr__explain(l, inst, atomic ? "atomic" : "code", "lane by lane", "%s",
                     tsr__type_text(l, LLVMTypeOf(atomic ? LLVMGetOperand(inst, 1) : inst)));
}

void tsr__explain_barriers(struct tsr__compilation *l, const struct tsr_kernel_info *kernel, LLVMValueRef item)
{
    if (!l->explain)
        return;
    bool cut = kernel->flags & TSR_KERNEL_BARRIER_REGIONS;
    if (kernel->flags & TSR_KERNEL_GROUP_LANES) {
        tsr__explain(l, item, "packets", "groups", "each has several small work-groups, whose lanes need not wait for each other");
        return;
    }
    if (kernel->flags & TSR_KERNEL_PACKET_LOOP)
        tsr__explain(l, item, "packets", "loop", "they never wait: one loop runs those of many work-groups");
    else if (cut)
        tsr__explain(l, item, "packets", "regions", "the code is cut at its barriers; a packet keeps %lu bytes between them",
                     (unsigned long)kernel->context_bytes);
    else
        tsr__explain(l, item, "packets", "fibers", "each has a stack: work-group functions exchange values in the midst of the code");
    size_t n;
    LLVMValueRef *code = tsr__instructions(l, item, &n);
    for (size_t i = 0; i < n; i++) {
        enum tsr__engine_call call = tsr__call_of(code[i]);
        bool barrier = call == TSR__CALL_BARRIER;
        bool exchange = call == TSR__CALL_EXCHANGE || call == TSR__CALL_EXCHANGE_UNIFORM || call == TSR__CALL_TOTAL;
        if (!barrier && !exchange)
            continue;
        LLVMValueRef scope = LLVMGetOperand(code[i], 0); /* of sub-groups are those that a packet has to itself */
        if (!LLVMIsAConstantInt(scope) || LLVMConstIntGetZExtValue(scope) != TSR_SCOPE_SUB_GROUP)
            tsr__explain(l, code[i], barrier ? "barrier" : "exchange", cut ? "cut" : "switch", "%s",
                         cut ? "the next packet goes on" : "to the next packet's stack");
    }
}

/* ---- private arrays ---- */

static bool is_array(LLVMValueRef inst)
{
    return LLVMIsAAllocaInst(inst) && LLVMGetTypeKind(LLVMGetAllocatedType(inst)) == LLVMArrayTypeKind;
}

/* What one array became; what is said last holds. Pieces that LLVM took it apart into have its name and a suffix. */
static void explain_array(struct tsr__compilation *l, LLVMValueRef array, const char *verdict)
{
    const char *name = tsr__name(array);
    struct note *note = *name ? add_note(l, array) : NULL; /* printf's arguments have no name */
    if (!note)
        return;
    note->line = note->column = note->from = 0;
    note->file = NULL;
    note->topic = "array";
    note->verdict = verdict;
    note->text = tsr_arena_format(&l->scratch, "%.*s, %s", (int)strcspn(name, "."), name, tsr__type_text(l, LLVMGetAllocatedType(array)));
    for (struct note *old = l->explain->notes; old < note; old++)
        if (old->kernel == note->kernel && old->topic == note->topic && !strncmp(old->text, note->text, strcspn(note->text, ",") + 1)) {
            old->verdict = verdict;
            l->explain->count--;
            return;
        }
}

void tsr__explain_array(struct tsr__compilation *l, LLVMValueRef array, bool lane_order)
{
    if (l->explain && is_array(array))
        explain_array(l, array, lane_order ? "lane order" : "lane by lane");
}

void tsr__explain_arrays(struct tsr__compilation *l)
{
    for (uint32_t k = 0; l->explain && k < l->info->kernel_count; k++) {
        size_t n;
        LLVMValueRef *code = tsr__instructions(l, tsr__kernel(l, &l->info->kernels[k]), &n);
        for (size_t i = 0; i < n; i++)
            if (is_array(code[i]) && LLVMGetMetadata(code[i], l->explain->array_kind))
                explain_array(l, code[i], "registers");
    }
}

static void mark_arrays(struct tsr__compilation *l)
{
    static const char kind[] = "tessera.array";
    l->explain->array_kind = LLVMGetMDKindIDInContext(l->context, kind, sizeof kind - 1);
    LLVMValueRef mark = LLVMMetadataAsValue(l->context, LLVMMDNodeInContext2(l->context, NULL, 0));
    for (LLVMValueRef f = LLVMGetFirstFunction(l->module); f; f = LLVMGetNextFunction(f)) {
        size_t n = 0;
        LLVMValueRef *code = tsr__has_text_attr(f, TSR__USER) ? tsr__instructions(l, f, &n) : NULL;
        for (size_t i = 0; i < n; i++)
            if (is_array(code[i]))
                LLVMSetMetadata(code[i], l->explain->array_kind, mark);
    }
}

/* ---- machine code ---- */

struct size {
    uint64_t code, partial, frame, variables;
};

static void add_code_sizes(struct tsr__compilation *l, struct size *sizes)
{
    const unsigned char *data = l->object->data;
    const Elf64_Ehdr *head = (const Elf64_Ehdr *)data;
    const Elf64_Shdr *sections = (const Elf64_Shdr *)(data + head->e_shoff);
    for (int i = 0; i < head->e_shnum; i++) {
        if (sections[i].sh_type != SHT_SYMTAB)
            continue;
        const Elf64_Sym *symbols = (const Elf64_Sym *)(data + sections[i].sh_offset);
        const char *names = (const char *)data + sections[sections[i].sh_link].sh_offset;
        for (uint64_t k = 0; k < sections[i].sh_size / sizeof *symbols; k++) {
            uint32_t kernel;
            const char *name = names + symbols[k].st_name, *suffix = strchr(name, '.');
            bool counts = find_kernel(l, name, &kernel) || (suffix && !strcmp(suffix, "." TSR__LONE));
            if (ELF64_ST_TYPE(symbols[k].st_info) == STT_FUNC && kernel < l->info->kernel_count)
                *(counts ? &sizes[kernel].code : &sizes[kernel].partial) += symbols[k].st_size;
        }
    }
}

static uint64_t variable_bytes(struct tsr__compilation *l, LLVMValueRef function)
{
    LLVMTargetDataRef layout = LLVMGetModuleDataLayout(l->module);
    uint64_t bytes = 0;
    size_t n;
    LLVMValueRef *code = tsr__instructions(l, function, &n);
    for (size_t i = 0; i < n; i++)
        if (LLVMIsAAllocaInst(code[i]))
            bytes += LLVMABISizeOfType(layout, LLVMGetAllocatedType(code[i]));
    return bytes;
}

void tsr__explain_code(struct tsr__compilation *l)
{
    if (!l->explain)
        return;
    struct size *sizes = tsr_arena_alloc(&l->scratch, (l->info->kernel_count + 1) * sizeof *sizes);
    add_code_sizes(l, sizes);
    for (size_t i = 0; i < l->frame_count; i++) {
        uint32_t k;
        LLVMValueRef f = LLVMGetNamedFunction(l->module, l->frames[i].function);
        if (!f || !find_kernel(l, l->frames[i].function, &k))
            continue;
        sizes[k].frame += l->frames[i].bytes;
        sizes[k].variables += variable_bytes(l, f);
    }
    for (uint32_t k = 0; k < l->info->kernel_count; k++) {
        uint64_t frame = sizes[k].frame, variables = sizes[k].variables, others = variables + SAVED_BYTES;
        LLVMValueRef entry = LLVMGetNamedFunction(l->module, l->info->kernels[k].entry);
        tsr__explain(l, entry, "size", "code", "%lu bytes%s", (unsigned long)sizes[k].code,
                     sizes[k].partial ? tsr_arena_format(&l->scratch, ", and %lu for partial packets", (unsigned long)sizes[k].partial)
                                      : "");
        tsr__explain(l, entry, "size", "stack", "%lu bytes: %lu for arrays and the like, about %lu for spilled registers",
                     (unsigned long)frame, (unsigned long)variables, (unsigned long)(frame > others ? frame - others : 0));
    }
}

/* ---- from begin to end ---- */

static void find_source(struct tsr__compilation *l, LLVMValueRef kernel, struct source *source)
{
    LLVMMetadataRef subprogram = LLVMGetSubprogram(kernel);
    if (!subprogram)
        return;
    source->file = LLVMDIScopeGetFile(subprogram);
    source->line = LLVMDISubprogramGetLine(subprogram);
    size_t n;
    LLVMValueRef *code = tsr__instructions(l, kernel, &n);
    for (size_t i = 0; i < n; i++)
        if (tsr__callee(code[i]) && tsr__starts_with(tsr__name(tsr__callee(code[i])), "__clang_ocl_kern_imp_"))
            source->body = LLVMGetDebugLocLine(code[i]);
}

void tsr__explain_begin(struct tsr__compilation *l)
{
    const struct tsr_lanes_options *o = l->options;
    uint32_t count = l->info->kernel_count;
    if (!o->explain)
        return;
    l->explain = tsr_arena_alloc(&l->scratch, sizeof *l->explain);
    l->explain->sources = tsr_arena_alloc(&l->scratch, (count + 1) * sizeof *l->explain->sources);
    for (uint32_t k = 0; k < count; k++) {
        const struct tsr_kernel_info *kernel = &l->info->kernels[k];
        LLVMValueRef f = tsr__kernel(l, kernel);
        if (!f)
            continue;
        find_source(l, f, &l->explain->sources[k]);
        bool stated = kernel->attributes && strstr(kernel->attributes, "reqd_sub_group_size");
        tsr__explain(l, f, "sub-group", tsr_arena_format(&l->scratch, "%u lanes", tsr__sub_group_size(l, kernel)), "%s",
                     !kernel->reqd_sub_group_size ? "the default"
                     : stated                     ? "required by the kernel's attribute"
                                                  : "required by matrix or 2D block functions");
        if (!o->packets)
            tsr__explain(l, f, "engine", "reference", "a work-item at a time: %s",
                         o->opt_level ? "TESSERA_ENGINE does not say lanes" : "-cl-opt-disable");
    }
    mark_arrays(l);
}

/* By kernel, then line; notes without a line first. */
static int compare_notes(const void *x, const void *y)
{
    const struct note *a = x, *b = y;
    unsigned la = a->from ? a->from : a->line, lb = b->from ? b->from : b->line;
    if (a->kernel != b->kernel)
        return a->kernel < b->kernel ? -1 : 1;
    if (la != lb)
        return la < lb ? -1 : 1;
    if (a->line != b->line)
        return a->line < b->line ? -1 : 1;
    if (a->column != b->column)
        return a->column < b->column ? -1 : 1;
    return a->number < b->number ? -1 : a->number > b->number;
}

static bool same_file(const struct note *a, const struct note *b)
{
    return a->file == b->file || (a->file && b->file && !strcmp(a->file, b->file));
}

/* Loops that were unrolled say things several times. */
static void merge_notes(struct tsr__explain *e)
{
    for (size_t i = 0; i < e->count; i++)
        for (size_t k = i + 1; e->notes[i].count && k < e->count; k++) {
            struct note *a = &e->notes[i], *b = &e->notes[k];
            if (a->kernel != b->kernel || a->line != b->line || a->column != b->column || a->from != b->from)
                break;
            if (b->count && same_file(a, b) && !strcmp(a->topic, b->topic) && !strcmp(a->verdict, b->verdict) &&
                !strcmp(a->text, b->text)) {
                a->count += b->count;
                b->count = 0;
            }
        }
}

static void put_string(struct tsr_buf *out, const char *key, const char *value)
{
    tsr_buf_printf(out, ",\"%s\":\"", key);
    for (; *value; value++)
        tsr_buf_printf(out, *value == '"' || *value == '\\' ? "\\%c" : (unsigned char)*value < ' ' ? "\\u%04x" : "%c", *value);
    tsr_buf_printf(out, "\"");
}

static void put_number(struct tsr_buf *out, const char *key, unsigned value)
{
    if (value)
        tsr_buf_printf(out, ",\"%s\":%u", key, value);
}

static void put_json(struct tsr_buf *out, const struct tsr__compilation *l, const struct note *n)
{
    tsr_buf_printf(out, "{\"kernel\":\"%s\"", l->info->kernels[n->kernel].name);
    if (n->file)
        put_string(out, "file", n->file);
    put_number(out, "line", n->line);
    put_number(out, "column", n->column);
    put_number(out, "from", n->from);
    put_number(out, "count", n->count);
    put_string(out, "topic", n->topic);
    put_string(out, "verdict", n->verdict);
    put_string(out, "text", n->text);
    tsr_buf_printf(out, "}\n");
}

static void put_text(struct tsr_buf *out, const struct note *n)
{
    char place[64] = "", from[32] = "", times[32] = "";
    if (n->line)
        snprintf(place, sizeof place, "%s%s%u:%u", n->file ? n->file : "", n->file ? ":" : "", n->line, n->column);
    if (n->from)
        snprintf(from, sizeof from, " (called from line %u)", n->from);
    if (n->count > 1)
        snprintf(times, sizeof times, " (%u times)", n->count);
    tsr_buf_printf(out, "  %-8s %-10s %-13s %s%s%s\n", place, n->topic, n->verdict, n->text, from, times);
}

void tsr__explain_print(struct tsr__compilation *l)
{
    struct tsr__explain *e = l->explain;
    struct tsr_buf *out = l->options->explain;
    if (!e || !e->count)
        return;
    qsort(e->notes, e->count, sizeof *e->notes, compare_notes);
    merge_notes(e);
    for (size_t i = 0; i < e->count; i++) {
        const struct note *n = &e->notes[i];
        if (!l->options->explain_json && (i == 0 || n->kernel != n[-1].kernel))
            tsr_buf_printf(out, "kernel %s:\n", l->info->kernels[n->kernel].name);
        if (!n->count)
            continue;
        if (l->options->explain_json)
            put_json(out, l, n);
        else
            put_text(out, n);
    }
}
