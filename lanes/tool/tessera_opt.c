/* SPDX-License-Identifier: Apache-2.0
 * Runs passes of the engine on a module: tessera-opt [-passes=a,b,…] [-link library.bc] [-O2] [-object file] [-info] module.ll > out.ll */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <llvm-c/Analysis.h>
#include <llvm-c/IRReader.h>
#include <llvm-c/Linker.h>

#include "lanes/prepare/packet_kernel.h"
#include "lanes/widen/widener.h"

static const char usage[] =
    "usage: tessera-opt [options] module.ll > out.ll\n"
    "  -passes=a,b..d  only these passes, in this order; b..d: all from b to d, from the first or to the last if a name is missing\n"
    "                  (default: the whole pipeline, with retries)\n"
    "  -link FILE      link the built-in library FILE into the module first\n"
    "  -O0 … -O3       level of the pass optimise (default 2)\n"
    "  -packets=N      the vector engine, with sub-groups of N\n"
    "  -lanes-in=x     likewise, and lanes follow x, y or z in all kernels that cannot tell\n"
    "  -groups         likewise, and packets have several small work-groups as lanes\n"
    "  -bodies=full    without the bodies of packets that are not full; -bodies=partial: these alone\n"
    "  -group-size=XxYxZ  likewise, and work-groups have this size\n"
    "  -checked=N      likewise, and packets look whether all their lanes come where all must\n"
    "  -cpu=LEVEL      code for CPUs of this level, as TESSERA_CPU names it, whatever this CPU has:\n"
    "                  sse2, avx2, avx512 or native (default), which is this CPU\n"
    "  -amx            with AMX's tiles of bytes and bfloat16 (after -cpu)\n"
    "  -g              keep frame pointers\n"
    "  -shapes         print how values differ between lanes, and where control flow does, instead of the module\n"
    "  -dump DIR       write the module after each pass to DIR\n"
    "  -times          print the time of each pass to standard error\n"
    "  -budget=N       kernels whose packets cost more are to be made again (TESSERA_BUDGET; default 0: never)\n"
    "  -object FILE    write what the pass emit made to FILE\n"
    "  -info           print what the engine found out about each kernel, instead of the module\n"
    "passes, what they get and for which engine:\n"
#define TSR_PASS(unit, engine, retry, name, text) "  " #name " (" #unit ", " #engine "): " text "\n"
#include "lanes/passes.def"
#undef TSR_PASS
    ;

static int die(const char *text, const char *more)
{
    fprintf(stderr, "tessera-opt: %s%s%s\n", text, more ? ": " : "", more ? more : "");
    return 1;
}

static LLVMModuleRef read_module(LLVMContextRef context, const char *path)
{
    char *message = NULL;
    LLVMMemoryBufferRef buffer;
    LLVMModuleRef module;
    if (LLVMCreateMemoryBufferWithContentsOfFile(path, &buffer, &message) || LLVMParseIRInContext(context, buffer, &module, &message)) {
        die(path, message);
        LLVMDisposeMessage(message);
        return NULL;
    }
    return module;
}

/* The name of the kernel that a function is or is the entry of, or NULL. Behind the pass entry kernels are functions like others. */
static const char *kernel_name(struct tsr_arena *arena, LLVMModuleRef module, LLVMValueRef f)
{
    const char *name = tsr__name(f);
    size_t length = strlen(name), suffix = strlen(TSR__ENTRY_SUFFIX);
    if (LLVMIsDeclaration(f))
        return NULL;
    if (length > suffix && !strcmp(name + length - suffix, TSR__ENTRY_SUFFIX))
        return tsr_arena_format(arena, "%.*s", (int)(length - suffix), name);
    return tsr__is_kernel(f) && !LLVMGetNamedFunction(module, tsr_arena_format(arena, "%s" TSR__ENTRY_SUFFIX, name)) ? name : NULL;
}

static bool has_uniform_groups(LLVMValueRef f)
{
    static const char name[] = "uniform-work-group-size";
    unsigned length = 0;
    LLVMAttributeRef attribute = LLVMGetStringAttributeAtIndex(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, name, sizeof name - 1);
    const char *value = attribute ? LLVMGetStringAttributeValue(attribute, &length) : "";
    return length == 4 && !strncmp(value, "true", length);
}

static void read_required_size(LLVMValueRef f, uint64_t size[3])
{
    static const char name[] = "reqd_work_group_size";
    LLVMContextRef context = LLVMGetModuleContext(LLVMGetGlobalParent(f));
    size_t count;
    LLVMValueMetadataEntry *all = LLVMGlobalCopyAllMetadata(f, &count);
    for (unsigned i = 0; i < count; i++) {
        if (LLVMValueMetadataEntriesGetKind(all, i) != LLVMGetMDKindIDInContext(context, name, sizeof name - 1))
            continue;
        LLVMValueRef node = LLVMMetadataAsValue(context, LLVMValueMetadataEntriesGetMetadata(all, i)), numbers[3];
        if (LLVMGetMDNodeNumOperands(node) != TSR_ARRAY_LEN(numbers))
            continue;
        LLVMGetMDNodeOperands(node, numbers);
        for (int d = 0; d < 3; d++)
            size[d] = LLVMConstIntGetZExtValue(numbers[d]);
    }
    LLVMDisposeValueMetadataEntries(all);
}

/* What the front end and the passes before would have filled in. */
static void find_kernels(LLVMModuleRef module, struct tsr_arena *arena, struct tsr_program_info *info)
{
    uint32_t count = 0;
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        count++;
    info->kernels = tsr_arena_alloc(arena, count * sizeof *info->kernels);
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        const char *name = kernel_name(arena, module, f);
        if (!name)
            continue;
        struct tsr_kernel_info *kernel = &info->kernels[info->kernel_count++];
        kernel->name = tsr_arena_format(arena, "%s", name);
        kernel->attributes = "";
        if (tsr__has_text_attr(f, TSR__WIDE_PACKETS))
            kernel->reqd_sub_group_size = TSR__WIDE_LANES;
        if (tsr__has_text_attr(f, TSR__NARROW_PACKETS))
            kernel->reqd_sub_group_size = TSR__NARROW_LANES;
        if (has_uniform_groups(f))
            kernel->flags |= TSR_KERNEL_UNIFORM_GROUPS;
        read_required_size(f, kernel->reqd_local_size);
        if (tsr__is_kernel(f)) {
            kernel->arg_count = LLVMCountParams(f) - tsr__has_text_attr(f, TSR__HAS_ITEM);
            kernel->args = tsr_arena_alloc(arena, kernel->arg_count * sizeof *kernel->args);
        } else {
            kernel->entry = tsr_arena_format(arena, "%s", tsr__name(f));
        }
    }
}

/* A dump between passes has its marks. */
static bool is_marked(LLVMModuleRef module)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        if (tsr__has_text_attr(f, TSR__USER))
            return true;
    return false;
}

static void print_info(const struct tsr_program_info *info)
{
    printf("global_bytes %lu\n", (unsigned long)info->global_bytes);
    for (uint32_t k = 0; k < info->kernel_count; k++) {
        const struct tsr_kernel_info *kernel = &info->kernels[k];
        printf("kernel %s entry %s args_size %u flags %u sub_group_size %u local_bytes %lu private_bytes %lu device_stack_bytes %lu "
               "context_bytes %lu groups_at_once %u column_rows %u\n",
               kernel->name, kernel->entry, kernel->args_size, kernel->flags, kernel->sub_group_size, (unsigned long)kernel->local_bytes,
               (unsigned long)kernel->private_bytes, (unsigned long)kernel->device_stack_bytes, (unsigned long)kernel->context_bytes,
               kernel->groups_at_once, kernel->column_rows);
        printf("%s", kernel->flags ? "  flags" : "");
#define TSR_KERNEL_FLAG(NAME, bit, text)                                                                                                   \
    if (kernel->flags & TSR_KERNEL_##NAME)                                                                                                 \
        printf(" %s", #NAME);
#include "tessera/kernel_flags.def"
#undef TSR_KERNEL_FLAG
        printf("%s", kernel->flags ? "\n" : "");
        for (uint32_t p = 0; p < kernel->arg_count; p++) {
            const struct tsr_arg_info *arg = &kernel->args[p];
            printf("  arg %u kind %d size %u align %u offset %u pointee_align %u\n", p, (int)arg->kind, arg->size, arg->align, arg->offset,
                   arg->pointee_align);
        }
    }
}

/* The place of a pass; an empty name is `unnamed`. */
static bool find_place(struct tsr__compilation *l, const char *name, size_t unnamed, size_t *place)
{
    *place = *name ? tsr__find_pass(name) : unnamed;
    return *place < tsr__pass_count || tsr__fail(l, "there is no pass '%s'", name);
}

/* Runs the passes that the option -passes names. */
static bool run_named(struct tsr__compilation *l, const char *names)
{
    char *list = tsr_arena_format(&l->scratch, "%s", names), *rest = list;
    for (char *name; (name = strsep(&rest, ",")) != NULL;) {
        char *dots = strstr(name, "..");
        const char *last_name = dots ? dots + 2 : name;
        size_t first, last;
        if (!*name) /* of an empty list */
            continue;
        if (dots)
            *dots = 0;
        if (!find_place(l, name, 0, &first) || !find_place(l, last_name, tsr__pass_count - 1, &last))
            return false;
        if (!tsr__run_passes(l, first, last + 1))
            return false;
    }
    return true;
}

/* The passes that -passes names, or all: but those of shapes only as far as they go. */
static bool run_passes(struct tsr__compilation *l, const char *passes, bool want_shapes)
{
    return passes ? run_named(l, passes) : want_shapes ? tsr__run_passes(l, 0, tsr__find_pass("dot_idiom")) : tsr__run_pipeline(l);
}

static bool print_shapes(struct tsr__compilation *l)
{
    struct tsr_buf text = {0};
    bool good = tsr__packet_shapes(l, &text);
    if (good)
        fwrite(text.data, 1, text.size, stdout);
    tsr_buf_free(&text);
    return good;
}

static bool write_file(const char *path, const struct tsr_buf *data)
{
    FILE *file = fopen(path, "wb");
    if (!file)
        return false;
    bool good = fwrite(data->data, 1, data->size, file) == data->size;
    return fclose(file) == 0 && good;
}

/* What the command line asks for. */
struct request {
    const char *passes, *object_path, *library, *input;
    bool want_info, want_shapes, want_times;
    struct tsr_lanes_options options;
};

static bool has_level(const char *a)
{
    return tsr__starts_with(a, "-O") && strlen(a) == 3 && a[2] >= '0' && a[2] <= '3';
}

/* "4x4x1", or fewer numbers. */
static int read_group_size(const char *text, uint32_t size[3])
{
    for (int d = 0; d < 3; d++) {
        char *end;
        size[d] = *text ? (uint32_t)strtoul(text, &end, 10) : 1;
        if (!size[d] || (*text && *end && *end != 'x'))
            return 0;
        text = !*text ? text : *end ? end + 1 : end;
    }
    return !*text;
}

/* One option, which may have its value behind it; answers how many words it takes, 0: it is none. */
static int parse_option(struct request *q, char **words, int left)
{
    struct tsr_lanes_options *options = &q->options;
    const char *a = words[0], *more = left > 1 ? words[1] : NULL;
    if (!strcmp(a, "-link") && more)
        return q->library = more, 2;
    if (!strcmp(a, "-object") && more)
        return q->object_path = more, 2;
    if (!strcmp(a, "-dump") && more)
        return options->dump_dir = more, 2;
    if (tsr__starts_with(a, "-passes="))
        q->passes = a + strlen("-passes=");
    else if (!strcmp(a, "-amx"))
        options->cpu_features |= UINT64_C(1) << TSR_CPU_AMX_TILE | UINT64_C(1) << TSR_CPU_AMX_INT8 | UINT64_C(1) << TSR_CPU_AMX_BF16;
    else if (tsr__starts_with(a, "-cpu="))
        return tsr_cpu_features_of(a + strlen("-cpu="), &options->cpu_features);
    else if (has_level(a))
        options->opt_level = a[2] - '0';
    else if (!strcmp(a, "-groups"))
        options->group_lanes = true;
    else if (tsr__starts_with(a, "-lanes-in=") && a[10] >= 'x' && a[10] <= 'z')
        options->lanes_in = 1 + (unsigned)(a[10] - 'x');
    else if (tsr__starts_with(a, "-group-size="))
        return read_group_size(strchr(a, '=') + 1, options->group_size);
    else if (tsr__starts_with(a, "-packets=") || tsr__starts_with(a, "-checked=")) {
        options->packets = true;
        options->check = a[1] == 'c';
        options->default_sub_group_size = (uint32_t)strtoul(strchr(a, '=') + 1, NULL, 10);
    } else if (tsr__starts_with(a, "-budget="))
        options->code_budget = strtoull(a + strlen("-budget="), NULL, 10);
    else if (!strcmp(a, "-bodies=full") || !strcmp(a, "-bodies=partial"))
        options->bodies = strchr(a, 'f') ? TSR_BODIES_FULL : TSR_BODIES_PARTIAL;
    else if (!strcmp(a, "-times"))
        q->want_times = true;
    else if (!strcmp(a, "-g"))
        options->debug = true;
    else if (!strcmp(a, "-shapes"))
        q->want_shapes = true;
    else if (!strcmp(a, "-info"))
        q->want_info = true;
    else if (*a != '-' && !q->input)
        q->input = a;
    else
        return 0;
    return 1;
}

static bool parse(struct request *q, int argc, char **argv)
{
    *q = (struct request){.options = {.cpu_features = tsr_cpu()->features, .default_sub_group_size = 16, .opt_level = 2}};
    for (int i = 1, words; i < argc; i += words)
        if ((words = parse_option(q, argv + i, argc - i)) == 0)
            return fprintf(stderr, "tessera-opt: unknown option or value: %s\n", argv[i]), false;
    q->options.packets = q->options.packets && q->options.opt_level > 0; /* as in the compiler */
    return q->input;
}

static void print_module(LLVMModuleRef module)
{
    char *text = LLVMPrintModuleToString(module);
    fputs(text, stdout);
    LLVMDisposeMessage(text);
}

int main(int argc, char **argv)
{
    struct request q;
    struct tsr_buf log = {0};
    if (!parse(&q, argc, argv))
        return fputs(usage, stderr), 2;
    q.options.log = &log;
    q.options.times = q.want_times ? &log : NULL;

    LLVMContextRef context = LLVMContextCreate();
    LLVMModuleRef module = read_module(context, q.input);
    if (!module)
        return 1;
    struct tsr_arena arena = {0};
    struct tsr_program_info info = {0};
    struct tsr_buf object = {0};
    find_kernels(module, &arena, &info);
    bool is_retargeted = !strcmp(LLVMGetTarget(module), tsr__triple);
    if (!is_retargeted && !is_marked(module))
        tsr_lanes_mark(module);
    if (q.library) {
        LLVMModuleRef other = read_module(context, q.library);
        if (!other || LLVMLinkModules2(module, other))
            return die("cannot link", q.library);
    }
    struct tsr__compilation l = {
        .module = module, .context = context, .options = &q.options, .arena = &arena, .info = &info, .object = &object};
    l.verify = true;
    if (q.options.code_budget)
        l.variants = tsr_arena_alloc(&l.scratch, (info.kernel_count + 1) * sizeof *l.variants);
    if (is_retargeted && !tsr__make_machine(&l, q.options.opt_level))
        return die(l.why, NULL);
    bool good = run_passes(&l, q.passes, q.want_shapes) && (!q.want_shapes || print_shapes(&l));
    tsr__debug_info_end(&l);
    fprintf(stderr, "%.*s", (int)log.size, (const char *)log.data);
    if (!good)
        return die(l.why, NULL);
    if (q.object_path && !write_file(q.object_path, &object))
        return die("cannot write", q.object_path);
    if (q.want_info)
        print_info(&info);
    else if (!q.object_path && !q.want_shapes)
        print_module(l.module);
    tsr_buf_free(&object);
    tsr_buf_free(&log);
    tsr_arena_free(&arena);
    tsr_arena_free(&l.scratch);
    if (l.machine)
        LLVMDisposeTargetMachine(l.machine);
    if (l.module != module)
        LLVMDisposeModule(l.module);
    LLVMDisposeModule(module);
    LLVMContextDispose(context);
    return 0;
}
