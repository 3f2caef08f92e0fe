/* SPDX-License-Identifier: Apache-2.0
 * Reads kernels, argument information and attributes from the metadata that clang leaves in the module. */
#include "clc/service/service.h"

#include "clc/common/names.h"

#include <stdlib.h>
#include <string.h>

enum { SPIR_KERNEL = 76 }; /* calling convention */

/* Numbers of OpenCL, in the order of clang's address spaces. */
enum {
    ADDRESS_GLOBAL = 0x119B,
    ADDRESS_LOCAL = 0x119C,
    ADDRESS_CONSTANT = 0x119D,
    ADDRESS_PRIVATE = 0x119E,
    ACCESS_READ_ONLY = 0x11A0,
    ACCESS_WRITE_ONLY = 0x11A1,
    ACCESS_READ_WRITE = 0x11A2,
    ACCESS_NONE = 0x11A3,
    TYPE_PIPE = 8,
};
static const uint32_t address_of_space[] = {ADDRESS_PRIVATE, ADDRESS_GLOBAL, ADDRESS_CONSTANT, ADDRESS_LOCAL};
static const struct {
    const char *word;
    uint64_t bit;
} type_words[] = {{"const", 1}, {"restrict", 2}, {"volatile", 4}, {"pipe", TYPE_PIPE}};

/* Metadata node of a kernel that lists a property of its arguments. */
struct list {
    LLVMValueRef *at;
    unsigned count;
    bool there;
};

struct source {
    LLVMContextRef context;
    LLVMValueMetadataEntry *entries;
    size_t entry_count;
    struct tsr_arena *arena;
};

static struct list get_list(const struct source *source, const char *name)
{
    struct list list = {0};
    unsigned kind = LLVMGetMDKindIDInContext(source->context, name, (unsigned)strlen(name));
    for (unsigned i = 0; i < source->entry_count; i++) {
        if (LLVMValueMetadataEntriesGetKind(source->entries, i) != kind)
            continue;
        LLVMValueRef node = LLVMMetadataAsValue(source->context, LLVMValueMetadataEntriesGetMetadata(source->entries, i));
        list.there = true;
        list.count = LLVMGetMDNodeNumOperands(node);
        list.at = tsr_arena_alloc(source->arena, (list.count + 1) * sizeof(LLVMValueRef));
        LLVMGetMDNodeOperands(node, list.at);
        break;
    }
    return list;
}

static const char *get_string(const struct source *source, const struct list *list, unsigned i)
{
    unsigned size = 0;
    const char *text = i < list->count && list->at[i] ? LLVMGetMDString(list->at[i], &size) : NULL;
    return text ? tsr_arena_format(source->arena, "%.*s", (int)size, text) : "";
}

static uint64_t get_number(const struct list *list, unsigned i)
{
    return i < list->count && LLVMIsAConstantInt(list->at[i]) ? LLVMConstIntGetZExtValue(list->at[i]) : 0;
}

bool tsr__cc_is_kernel(LLVMValueRef function)
{
    return LLVMGetFunctionCallConv(function) == SPIR_KERNEL && !LLVMIsDeclaration(function);
}

bool tsr__is_block(LLVMValueRef function)
{
    return LLVMGetStringAttributeAtIndex(function, LLVMAttributeFunctionIndex, TSR_CLC_BLOCK, sizeof TSR_CLC_BLOCK - 1);
}

static uint32_t access_number(const char *word)
{
    if (!strcmp(word, "read_only"))
        return ACCESS_READ_ONLY;
    if (!strcmp(word, "write_only"))
        return ACCESS_WRITE_ONLY;
    return strcmp(word, "read_write") ? ACCESS_NONE : ACCESS_READ_WRITE;
}

/* Numbers of CL_MEM_OBJECT_IMAGE*. */
static const struct {
    const char *name;
    uint32_t type;
    bool depth;
} image_types[] = {
    {"image1d_t", 0x10F4, false},      {"image1d_buffer_t", 0x10F6, false},     {"image1d_array_t", 0x10F5, false},
    {"image2d_t", 0x10F1, false},      {"image2d_array_t", 0x10F3, false},      {"image3d_t", 0x10F2, false},
    {"image2d_depth_t", 0x10F1, true}, {"image2d_array_depth_t", 0x10F3, true},
};

/* Of the types that are plain in the module; of others the engine finds the kind out. */
static void read_kind(const char *base_type, struct tsr_arg_info *arg)
{
    arg->kind = !strcmp(base_type, "sampler_t") ? TSR_ARG_SAMPLER : !strcmp(base_type, "queue_t") ? TSR_ARG_QUEUE : TSR_ARG_VALUE;
    for (size_t i = 0; i < TSR_ARRAY_LEN(image_types); i++) {
        if (strcmp(base_type, image_types[i].name))
            continue;
        arg->kind = TSR_ARG_IMAGE;
        arg->image_type = image_types[i].type;
        arg->image_depth = image_types[i].depth;
    }
}

static uint64_t type_bits(const char *words)
{
    uint64_t bits = 0;
    for (const char *p = words; *p;) {
        size_t n = strcspn(p, " ");
        for (size_t i = 0; i < TSR_ARRAY_LEN(type_words); i++)
            if (strlen(type_words[i].word) == n && !strncmp(p, type_words[i].word, n))
                bits |= type_words[i].bit;
        p += n + (p[n] == ' ');
    }
    return bits;
}

static void read_args(const struct source *source, LLVMValueRef function, struct tsr_kernel_info *kernel)
{
    struct list spaces = get_list(source, "kernel_arg_addr_space"), access = get_list(source, "kernel_arg_access_qual");
    struct list types = get_list(source, "kernel_arg_type"), qualifiers = get_list(source, "kernel_arg_type_qual");
    struct list names = get_list(source, "kernel_arg_name"), base_types = get_list(source, "kernel_arg_base_type");
    kernel->arg_count = LLVMCountParams(function);
    kernel->args = tsr_arena_alloc(source->arena, (kernel->arg_count + 1) * sizeof *kernel->args);
    if (names.there)
        kernel->flags |= TSR_KERNEL_HAS_ARG_NAMES;
    for (uint32_t i = 0; i < kernel->arg_count; i++) {
        struct tsr_arg_info *arg = &kernel->args[i];
        uint64_t space = get_number(&spaces, i);
        arg->address_qualifier = space < TSR_ARRAY_LEN(address_of_space) ? address_of_space[space] : ADDRESS_PRIVATE;
        arg->access_qualifier = access_number(get_string(source, &access, i));
        read_kind(get_string(source, &base_types, i), arg);
        arg->type_qualifier = type_bits(get_string(source, &qualifiers, i));
        if (arg->type_qualifier & TYPE_PIPE) /* whose types are those of its packets */
            arg->kind = TSR_ARG_PIPE;
        if (names.there) {
            arg->name = get_string(source, &names, i);
            arg->type_name = get_string(source, &types, i);
        }
    }
}

static const char *scalar_name(LLVMTypeRef type, bool is_signed)
{
    switch (LLVMGetTypeKind(type)) {
    case LLVMHalfTypeKind:
        return "half";
    case LLVMFloatTypeKind:
        return "float";
    case LLVMDoubleTypeKind:
        return "double";
    case LLVMIntegerTypeKind:
        switch (LLVMGetIntTypeWidth(type)) {
        case 8:
            return is_signed ? "char" : "uchar";
        case 16:
            return is_signed ? "short" : "ushort";
        case 32:
            return is_signed ? "int" : "uint";
        case 64:
            return is_signed ? "long" : "ulong";
        }
        break;
    default:
        break;
    }
    return "";
}

static void put_attribute(struct tsr_buf *text, const char *name)
{
    tsr_buf_printf(text, "%s%s", text->size ? " " : "", name);
}

/* Sizes of work-groups: stored, and added to the text of CL_KERNEL_ATTRIBUTES. */
static void read_size(const struct source *source, const char *name, uint64_t size[3], struct tsr_buf *text)
{
    struct list list = get_list(source, name);
    if (!list.there)
        return;
    for (unsigned i = 0; i < 3; i++)
        size[i] = i < list.count ? get_number(&list, i) : 1;
    put_attribute(text, name);
    tsr_buf_printf(text, "(%llu,%llu,%llu)", (unsigned long long)size[0], (unsigned long long)size[1], (unsigned long long)size[2]);
}

static void read_attributes(const struct source *source, struct tsr_kernel_info *kernel)
{
    struct tsr_buf text = {0};
    read_size(source, "reqd_work_group_size", kernel->reqd_local_size, &text);
    read_size(source, "work_group_size_hint", kernel->local_size_hint, &text);
    struct list hint = get_list(source, "vec_type_hint");
    if (hint.there && hint.count) {
        LLVMTypeRef type = LLVMTypeOf(hint.at[0]);
        bool vector = LLVMGetTypeKind(type) == LLVMVectorTypeKind;
        const char *scalar = scalar_name(vector ? LLVMGetElementType(type) : type, get_number(&hint, 1));
        put_attribute(&text, "vec_type_hint");
        if (vector)
            tsr_buf_printf(&text, "(%s%u)", scalar, LLVMGetVectorSize(type));
        else
            tsr_buf_printf(&text, "(%s)", scalar);
    }
    struct list sub_group = get_list(source, "intel_reqd_sub_group_size");
    if (sub_group.there) {
        kernel->reqd_sub_group_size = (uint32_t)get_number(&sub_group, 0);
        put_attribute(&text, "intel_reqd_sub_group_size");
        tsr_buf_printf(&text, "(%u)", kernel->reqd_sub_group_size);
    }
    if (get_list(source, TSR_CLC_NO_ATTRIBUTES).there)
        text.size = 0;
    kernel->attributes = tsr_arena_format(source->arena, "%.*s", (int)text.size, text.data ? (const char *)text.data : "");
    tsr_buf_free(&text);
}

/* clang's attribute: set by -cl-uniform-work-group-size and by OpenCL C before 2.0. */
static bool wants_uniform_groups(LLVMValueRef function)
{
    static const char name[] = "uniform-work-group-size";
    LLVMAttributeRef attribute = LLVMGetStringAttributeAtIndex(function, LLVMAttributeFunctionIndex, name, sizeof name - 1);
    unsigned length = 0;
    const char *value = attribute ? LLVMGetStringAttributeValue(attribute, &length) : "";
    return length == 4 && !strncmp(value, "true", length);
}

static bool check(const struct tsr_kernel_info *kernel, struct tsr_buf *log)
{
    uint32_t s = kernel->reqd_sub_group_size;
    if (s && s != 8 && s != 16 && s != 32) {
        tsr_buf_printf(log, "error: kernel '%s': intel_reqd_sub_group_size(%u): this device has sub-groups of 8, 16 and 32\n", kernel->name,
                       s);
        return false;
    }
    return true;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct tsr_kernel_info *)a)->name, ((const struct tsr_kernel_info *)b)->name);
}

bool tsr__meta_read(LLVMModuleRef module, struct tsr_arena *arena, struct tsr_program_info *info, struct tsr_buf *log)
{
    bool good = true;
    uint32_t count = 0;
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        count += tsr__cc_is_kernel(f);
    info->kernels = tsr_arena_alloc(arena, (count + 1) * sizeof *info->kernels);
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        if (!tsr__cc_is_kernel(f))
            continue;
        struct source source = {.context = LLVMGetModuleContext(module), .arena = arena};
        source.entries = LLVMGlobalCopyAllMetadata(f, &source.entry_count);
        struct tsr_kernel_info *kernel = &info->kernels[info->kernel_count++];
        size_t size;
        kernel->name = tsr_arena_format(arena, "%s", LLVMGetValueName2(f, &size));
        read_args(&source, f, kernel);
        read_attributes(&source, kernel);
        if (tsr__is_block(f))
            kernel->flags |= TSR_KERNEL_BLOCK;
        if (wants_uniform_groups(f))
            kernel->flags |= TSR_KERNEL_UNIFORM_GROUPS;
        LLVMDisposeValueMetadataEntries(source.entries);
        good &= check(kernel, log);
    }
    qsort(info->kernels, info->kernel_count, sizeof *info->kernels, by_name);
    return good;
}
