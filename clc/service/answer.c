/* SPDX-License-Identifier: Apache-2.0
 * A request to its end: the pipeline of the compiler, stage by stage. */
#include "clc/service/service.h"

#include "clc/service/clang_shim.h"
#include "clc/spirv/spirv.h"
#include "tensor/llvm/module.h"
#include "tessera/il_code.h"
#include "tessera/lanes.h"
#include "tessera/tiles.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

struct job;

/* What programs can be written in: `read` makes job->module of the request's source. */
struct source {
    enum tsr_clc_language language;
    bool (*read)(struct job *job);
};

/* What code can be made for. Each function gets job->module and job->info as the one before it left them; false: told in the log. */
struct target {
    const char *triple;
    bool other_library;                                        /* functions of OpenCL C are the driver's: their names stay */
    bool whole;                                                /* the code of all kernels is made at once */
    bool (*prepare)(struct job *job);                          /* adds what the program calls */
    bool (*generate)(struct job *job, struct tsr_buf *object); /* makes machine code, fills job->info */
    bool (*package)(struct job *job, const struct tsr_buf *object, struct tsr_buf *code); /* makes what the device loads */
};

/* What one request needs while it runs. */
struct job {
    const struct tsr_wire_request *request;
    const struct tsr__answer_debug *debug;
    struct tsr__answer *answer;
    const struct target *target;
    struct tsr_clc_options options;
    const struct tsr__parts *parts;
    LLVMContextRef context;
    LLVMModuleRef module;
    struct tsr_arena arena;
    struct tsr_program_info info;
    struct tsr_clang_files files;
    enum tsr_clc_explain explain;
    enum tsr_bodies bodies;         /* that the code has */
    bool written_anew;              /* a program in SPIR-V, for the driver of a device */
    uint64_t wall_began, cpu_began; /* of the stage */
};

static bool fail(struct job *job, enum tsr_clc_outcome outcome)
{
    job->answer->outcome = outcome;
    return false;
}

/* Ends a stage; for the command line's --times. Processor time as well: it says more on a busy machine. */
static void stage(struct job *job, const char *name)
{
    struct timespec cpu;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu);
    uint64_t now = tsr_now_ns(), cpu_now = (uint64_t)cpu.tv_sec * 1000000000u + (uint64_t)cpu.tv_nsec;
    if (job->debug->times && name)
        tsr_buf_printf(job->debug->times, "%-10s %7.2f ms, processor %7.2f ms\n", name, (double)(now - job->wall_began) / 1e6,
                       (double)(cpu_now - job->cpu_began) / 1e6);
    job->wall_began = now;
    job->cpu_began = cpu_now;
}

static bool set(const struct job *job, enum tsr_clc_option option)
{
    return tsr_clc_option_set(&job->options, option);
}

/* ---- stages ---- */

static bool parse_options(struct job *job)
{
    char *why;
    const struct tsr_clc_request *q = &job->request->request;
    enum tsr_status status = tsr_clc_options_parse(q->op, q->language, q->options, &job->options, &why);
    if (status == TSR_OK)
        return true;
    if (!why)
        tsr__out_of_memory();
    tsr_buf_printf(&job->answer->log, "error: %s\n", why ? why : tsr_status_text(status));
    tsr_free(why);
    return fail(job, status == TSR_INVALID ? TSR_CLC_INVALID_OPTIONS : TSR_CLC_UNAVAILABLE);
}

static bool find_parts(struct job *job)
{
    const char *why;
    job->parts = tsr__parts(&why);
    if (job->parts)
        return true;
    tsr_buf_printf(&job->answer->log, "error: %s\n", why);
    return fail(job, TSR_CLC_UNAVAILABLE);
}

static const char line_tables[] = "-debug-info-kind=line-tables-only";

/* What the options mean for a module that has been read. A module in SPIR-V is for any device: with neither our functions nor our notes. */
static void apply_options(struct job *job)
{
    if (job->debug->emit_spirv)
        return;
    if (!job->target->other_library)
        tsr__link_relax(job->module, &job->options, job->parts);
    tsr__link_note_options(job->module, &job->options);
}

static bool has_feature(const struct tsr_target *target, enum tsr_cpu_feature feature)
{
    return target->features >> feature & 1;
}

/* Of the CPU: dot products in vector registers, also beside a unit for tiles, whose calls take too long for small products; of 32 or 16
 * registers some hold no sums. */
static struct tsr_tensor_unit tensor_unit(const struct job *job)
{
    const struct tsr_target *target = &job->request->request.target;
    bool cpu = !job->target->other_library && !job->debug->emit_spirv;
    bool wide = !cpu || has_feature(target, TSR_CPU_AVX512F), model = has_feature(target, TSR_CPU_TILES_MODEL), dots = cpu && !model;
    bool blocks = !cpu || has_feature(target, TSR_CPU_AMX_TILE) || model;
    bool amx = has_feature(target, TSR_CPU_AMX_INT8) && has_feature(target, TSR_CPU_AMX_BF16);
    return (struct tsr_tensor_unit){.tiles = !cpu    ? 0
                                             : amx   ? TSR_TILE_IN_AMX
                                             : model ? TSR_TILE_IN_MODEL
                                                     : 0,
                                    .tiles_of_f16 = !amx || has_feature(target, TSR_CPU_AMX_FP16),
                                    .dots_of_bytes = dots && has_feature(target, TSR_CPU_AVX512VNNI),
                                    .dots_of_bf16 = dots && has_feature(target, TSR_CPU_BF16_PAIRS),
                                    .dots_of_i16 = dots && has_feature(target, TSR_CPU_AVX512BW),
                                    .pairs = dots && !has_feature(target, TSR_CPU_AVX512VNNI) && has_feature(target, TSR_CPU_AVX2),
                                    .mad_first = wide || blocks,
                                    .mad_of_f16 = !cpu || has_feature(target, TSR_CPU_AMX_FP16) || model,
                                    .multiplies_apart = cpu && !has_feature(target, TSR_CPU_FMA),
                                    .blocks = cpu,
                                    .half_registers =
                                        cpu && has_feature(target, TSR_CPU_BF16_PAIRS) && !has_feature(target, TSR_CPU_FOUR_VECTOR_UNITS),
                                    .registers = wide ? 24 : 12,
                                    .register_bytes = wide ? 64 : 32,
                                    .block_rows = wide ? 256 : 96};
}

/* As clang does where the option is given, but for blocks. */
static void note_uniform_groups(struct job *job)
{
    static const char name[] = "uniform-work-group-size", value[] = "true";
    LLVMAttributeRef attribute = LLVMCreateStringAttribute(job->context, name, sizeof name - 1, value, sizeof value - 1);
    for (LLVMValueRef f = LLVMGetFirstFunction(job->module); f; f = LLVMGetNextFunction(f))
        if (tsr__cc_is_kernel(f))
            LLVMAddAttributeAtIndex(f, (unsigned)LLVMAttributeFunctionIndex, attribute);
}

/* A source in the tensor language comes by the same calls as OpenCL C, and with the same options. */
static bool compile_source(struct job *job)
{
    const struct tsr_clc_text *source = &job->request->request.source;
    bool is_tensor = tsr_tensor_is_text(source->data, source->size);
    struct tsr_tensor_unit unit = tensor_unit(job);
    const char *lines = job->explain && !set(job, TSR_CLC_OPTION_DEBUG_INFO) ? line_tables : NULL;
    if (is_tensor)
        job->module = tsr_tensor_module(source->data, source->size, &unit, job->context, &job->answer->log);
    else
        job->module = tsr__front_compile(job->request, &job->options, lines, job->parts, job->context, &job->files, &job->answer->log);
    stage(job, is_tensor ? "tensor" : "clang");
    if (!job->module)
        return fail(job, TSR_CLC_FAILED);
    if (set(job, TSR_CLC_OPTION_UNIFORM_GROUPS))
        note_uniform_groups(job);
    apply_options(job);
    return true;
}

static LLVMModuleRef read_module(struct job *job, bool lines, LLVMContextRef context, struct tsr_buf *log)
{
    const struct tsr_clc_text *source = &job->request->request.source;
    struct tsr_spirv_input input = {.data = source->data,
                                    .size = source->size,
                                    .constants = job->request->request.spec_constants,
                                    .constant_count = job->request->request.spec_count,
                                    .images = strstr(job->request->request.target.macros, "__opencl_c_images"),
                                    .pipes = strstr(job->request->request.target.macros, "__opencl_c_pipes"),
                                    .lines = lines};
    return tsr__translate_wanted() ? tsr__translate(job->request, context, log) : tsr_spirv_read(&input, context, log);
}

static bool read_spirv(struct job *job)
{
    job->module = read_module(job, job->explain || set(job, TSR_CLC_OPTION_DEBUG_INFO), job->context, &job->answer->log);
    stage(job, "spirv");
    if (!job->module)
        return fail(job, TSR_CLC_FAILED);
    tsr__name_blocks(job->module, &job->request->request.source);
    if (set(job, TSR_CLC_OPTION_UNIFORM_GROUPS))
        note_uniform_groups(job);
    apply_options(job);
    return true;
}

static const struct source sources[] = {
    {TSR_CLC_OPENCL_C, compile_source},
    {TSR_CLC_SPIRV, read_spirv},
};

static bool read_source(struct job *job)
{
    for (size_t i = 0; i < TSR_ARRAY_LEN(sources); i++)
        if (sources[i].language == job->request->request.language)
            return sources[i].read(job);
    tsr_buf_printf(&job->answer->log, "error: this compiler does not know the language of the source\n");
    return fail(job, TSR_CLC_UNAVAILABLE);
}

/* Machine code fits one target only, and bitcode has the device's extensions compiled in. */
static bool same_target(struct job *job, const struct tsr_program_info *info)
{
    if (!strcmp(info->triple, job->target->triple))
        return true;
    tsr_buf_printf(&job->answer->log, "error: an input was compiled for %s, not for %s\n", info->triple, job->target->triple);
    return fail(job, TSR_CLC_FAILED);
}

/* The options that a library was made with do not matter to the program that uses it. */
static const uint64_t library_options = 1ull << TSR_CLC_OPTION_CREATE_LIBRARY | 1ull << TSR_CLC_OPTION_ENABLE_LINK_OPTIONS;

static const void *unpack(struct job *job, const void *packed, size_t packed_size, size_t *size)
{
    const void *bitcode = tsr__unpack_module(packed, packed_size, &job->arena, size);
    if (!bitcode)
        tsr_buf_printf(&job->answer->log, "error: %s\n", tsr_status_text(TSR_DAMAGED));
    return bitcode;
}

static bool join_inputs(struct job *job)
{
    const struct tsr_clc_request *q = &job->request->request;
    job->module = LLVMModuleCreateWithNameInContext("program", job->context);
    bool enabled = true;
    for (uint32_t i = 0; i < q->input_count; i++) {
        struct tsr_program_info info;
        enum tsr_status status = tsr_image_read(q->inputs[i].data, q->inputs[i].size, &job->arena, &info);
        if (status != TSR_OK || (info.kind != TSR_IMAGE_OBJECT && info.kind != TSR_IMAGE_LIBRARY)) {
            tsr_buf_printf(&job->answer->log, "error: input program %u: %s\n", i,
                           status == TSR_OK ? "it is an executable; only compiled programs and libraries can be linked"
                                            : tsr_status_text(status));
            return fail(job, TSR_CLC_FAILED);
        }
        if (!same_target(job, &info))
            return false;
        size_t size;
        const void *bitcode = unpack(job, info.code, info.code_size, &size);
        LLVMModuleRef module = bitcode ? tsr__link_parse(bitcode, size, job->context, &job->answer->log) : NULL;
        if (!module)
            return fail(job, TSR_CLC_FAILED);
        if (i == 0) { /* the empty module has no target to compare with */
            LLVMSetTarget(job->module, LLVMGetTarget(module));
            LLVMSetDataLayout(job->module, LLVMGetDataLayoutStr(module));
        }
        enabled &= info.kind != TSR_IMAGE_LIBRARY || tsr__link_noted_options(module) >> TSR_CLC_OPTION_ENABLE_LINK_OPTIONS & 1;
        if (!tsr__link_add(job->module, module, &job->answer->log))
            return fail(job, TSR_CLC_FAILED);
    }
    /* Options of the link apply to libraries only if the libraries allow it. A module has one setting, so they apply to all libraries or to
     * none. */
    uint64_t own = enabled || set(job, TSR_CLC_OPTION_CREATE_LIBRARY) ? job->options.set : 0;
    own |= job->options.set & (1ull << TSR_CLC_OPTION_CREATE_LIBRARY);
    job->options.set = own | (tsr__link_noted_options(job->module) & ~library_options);
    stage(job, "join");
    return true;
}

/* Reads a TSR_IMAGE_PROGRAM, or the module that an executable carries: the kernels that are asked for, or all. */
static bool take_program(struct job *job)
{
    const struct tsr_clc_request *q = &job->request->request;
    struct tsr_program_info info;
    enum tsr_status status = q->input_count != 1 ? TSR_INVALID : tsr_image_read(q->inputs[0].data, q->inputs[0].size, &job->arena, &info);
    bool has_code = status == TSR_OK && info.kind == TSR_IMAGE_EXECUTABLE;
    if (status != TSR_OK || (has_code ? !info.module_size : info.kind != TSR_IMAGE_PROGRAM)) {
        tsr_buf_printf(&job->answer->log, "error: %s\n", status == TSR_OK ? "the input has no module" : tsr_status_text(status));
        return fail(job, TSR_CLC_FAILED);
    }
    if (!same_target(job, &info))
        return false;
    uint32_t first = 0, count = q->kernel_count ? q->kernel_count : 1;
    while (q->kernel && first < info.kernel_count && strcmp(info.kernels[first].name, q->kernel) != 0)
        first++;
    if (q->kernel && (first == info.kernel_count || count > info.kernel_count - first)) {
        tsr_buf_printf(&job->answer->log, "error: the program has no %u kernels from '%s' on\n", count, q->kernel);
        return fail(job, TSR_CLC_FAILED);
    }
    size_t size;
    const void *bitcode = has_code ? unpack(job, info.module, info.module_size, &size) : unpack(job, info.code, info.code_size, &size);
    if (bitcode)
        job->module = tsr__link_take(bitcode, size, q->kernel ? &info.kernels[first] : NULL, count, job->context, &job->answer->log);
    if (!job->module)
        return fail(job, TSR_CLC_FAILED);
    job->options.set |= tsr__link_noted_options(job->module) & ~library_options;
    stage(job, "take");
    return true;
}

static bool check_module(struct job *job, LLVMModuleRef module, struct tsr_buf *log)
{
    bool good = tsr__verify(module, log);
    return tsr__matrix_check(module, &job->info, log) && good;
}

/* The module of the source with lines. */
static LLVMModuleRef lined_module(struct job *job, LLVMContextRef context, struct tsr_clang_files *files, struct tsr_buf *log)
{
    if (job->request->request.language == TSR_CLC_SPIRV)
        return read_module(job, true, context, log);
    return tsr__front_compile(job->request, &job->options, line_tables, job->parts, context, files, log);
}

/* For errors that concern a call: makes the module once more with line tables, so that the message has a line number. */
static bool check_program(struct job *job)
{
    struct tsr_buf first = {0};
    bool good = check_module(job, job->module, &first);
    const struct tsr_clc_request *q = &job->request->request;
    if (!good && q->op == TSR_CLC_BUILD && !set(job, TSR_CLC_OPTION_DEBUG_INFO) && !job->explain) {
        LLVMContextRef context = LLVMContextCreate();
        struct tsr_clang_files files = {0};
        struct tsr_buf ignored = {0};
        LLVMModuleRef lined = lined_module(job, context, &files, &ignored);
        if (lined) {
            tsr_buf_free(&first);
            first = (struct tsr_buf){0};
            tsr__plain_symbols(lined, &ignored);
            check_module(job, lined, &first);
            LLVMDisposeModule(lined);
        }
        tsr_clang_files_free(&files);
        tsr_buf_free(&ignored);
        LLVMContextDispose(context);
    }
    tsr_buf_bytes(&job->answer->log, first.data, first.size);
    tsr_buf_free(&first);
    return good || fail(job, TSR_CLC_FAILED);
}

/* `kernels`: if not NULL, the image lists their names and attributes. */
static bool write_bitcode(struct job *job, enum tsr_image_kind kind, const struct tsr_program_info *kernels)
{
    struct tsr_buf packed = {0};
    tsr__pack_module(job->module, &packed);
    struct tsr_program_info info = {.kind = kind, .triple = job->target->triple, .code = packed.data, .code_size = packed.size};
    if (kernels) {
        info.global_bytes = kernels->global_bytes;
        info.kernel_count = kernels->kernel_count;
        info.kernels = kernels->kernels;
    }
    tsr_image_write(&info, &job->answer->image);
    tsr_buf_free(&packed);
    stage(job, "bitcode");
    return true;
}

static bool write_text(struct job *job)
{
    char *text = LLVMPrintModuleToString(job->module);
    tsr_buf_bytes(&job->answer->image, text, strlen(text));
    LLVMDisposeMessage(text);
    return true;
}

static bool write_spirv(struct job *job)
{
    bool good = tsr__il_write(job->module, true, &job->answer->image, &job->answer->log);
    stage(job, "writer");
    return good || fail(job, TSR_CLC_FAILED);
}

/* ---- x86-64 ---- */

static bool add_builtins(struct job *job)
{
    tsr_lanes_mark(job->module);
    bool good = tsr__link_builtins(job->module, job->parts, &job->answer->log);
    stage(job, "builtins");
    return good;
}

/* Whether the vector engine makes the code: as the target says, or TESSERA_ENGINE. */
static bool use_packets(const struct tsr_target *target)
{
    return target->engine == TSR_ENGINE_ANY ? !tsr_env_names_reference() : target->engine != TSR_ENGINE_REFERENCE;
}

static bool generate_code(struct job *job, struct tsr_buf *object)
{
    const struct tsr_clc_request *q = &job->request->request;
    struct tsr_lanes_options options = {
        .cpu_features = q->target.features,
        .default_sub_group_size = q->target.default_sub_group_size,
        .opt_level = set(job, TSR_CLC_OPTION_OPT_DISABLE) ? 0 : 2,
        .packets = use_packets(&q->target) && !set(job, TSR_CLC_OPTION_OPT_DISABLE),
        .group_lanes = q->target.engine == TSR_ENGINE_GROUPS,
        .lanes_in = q->target.engine >= TSR_ENGINE_LANES_IN_X ? 1 + q->target.engine - TSR_ENGINE_LANES_IN_X : 0,
        .group_size = {q->target.group_size[0], q->target.group_size[1], q->target.group_size[2]},
        .bodies = job->bodies,
        .check = tsr_env_bool(TSR_ENV_CHECK),
        /* LLVM takes some seconds for the default. Whether partial packets cost too much, the request for full ones has decided. */
        .code_budget = job->bodies == TSR_BODIES_PARTIAL ? 0 : (uint64_t)tsr_env_int(TSR_ENV_BUDGET, 0, INT64_MAX),
        .log = &job->answer->log,
        .debug = set(job, TSR_CLC_OPTION_DEBUG_INFO),
        .denorms_are_zero = set(job, TSR_CLC_OPTION_DENORMS_ARE_ZERO),
        .explain = job->explain ? &job->answer->log : NULL,
        .explain_json = job->explain == TSR_CLC_EXPLAIN_JSON,
        .times = job->debug->times,
        .dump_dir = job->debug->dump_dir,
    };
    /* For the engine, the sub-group size that matrix functions need counts as required by the source. */
    uint32_t *required = tsr_arena_alloc(&job->arena, (job->info.kernel_count + 1) * sizeof *required);
    for (uint32_t i = 0; i < job->info.kernel_count; i++) {
        struct tsr_kernel_info *kernel = &job->info.kernels[i];
        required[i] = kernel->reqd_sub_group_size;
        if (kernel->sub_group_size)
            kernel->reqd_sub_group_size = kernel->sub_group_size;
    }
    char *why = NULL;
    bool good = tsr_lanes_run(job->module, &options, &job->arena, &job->info, object, &why);
    for (uint32_t i = 0; i < job->info.kernel_count; i++)
        job->info.kernels[i].reqd_sub_group_size = required[i];
    if (!good && !why)
        tsr__out_of_memory();
    if (!good)
        tsr_buf_printf(&job->answer->log, "error: %s\n", why ? why : "the engine gives no reason");
    tsr_free(why);
    stage(job, "lanes");
    return good || fail(job, TSR_CLC_FAILED);
}

static bool link_shared(struct job *job, const struct tsr_buf *object, struct tsr_buf *code)
{
    if (object->failed)
        tsr__out_of_memory();
    bool good = tsr__emit_shared(object, job->parts, code, &job->answer->log);
    if (code->failed)
        tsr__out_of_memory();
    stage(job, "lld");
    return good;
}

/* ---- SPIR-V for a device's driver ---- */

static bool check_builtins(struct job *job)
{
    bool good = tsr__link_check(job->module, job->parts, &job->answer->log);
    stage(job, "check");
    return good;
}

/* A program that is a module of SPIR-V goes to the driver as it is, unless that would not know it; what the module says of kernels, our
 * reader tells. */
static bool goes_as_it_is(const struct job *job)
{
    return job->request->request.op == TSR_CLC_BUILD && job->request->request.language == TSR_CLC_SPIRV && !job->written_anew;
}

/* Finds what the driver would not know, and gives it bodies of ours. */
static bool replace_unknown(struct job *job, const struct tsr__il_report *report)
{
    const struct tsr_clc_request *q = &job->request->request;
    const char *capability = goes_as_it_is(job) ? tsr__il_new_capability(q->source.data, q->source.size) : NULL;
    bool replaced;
    if (!tsr__il_check_units(job->module, &q->target, report, &replaced, &job->answer->log))
        return false;
    if (capability)
        tsr__il_note_module(report, &job->info, capability);
    job->written_anew |= replaced || capability;
    return true;
}

static bool generate_il(struct job *job, struct tsr_buf *object)
{
    struct tsr_buf *log = &job->answer->log;
    const struct tsr__il_report report = {job->explain ? log : NULL, job->explain == TSR_CLC_EXPLAIN_JSON};
    bool good = tsr__il_describe(job->module, &job->request->request.target, &job->info, log);
    job->info.global_bytes = tsr__link_variable_bytes(job->module);
    good = good && replace_unknown(job, &report);
    if (good && !goes_as_it_is(job))
        good = tsr__il_check_images(job->module, log) && tsr__il_add_own(job->module, job->parts, &report, log);
    if (good && goes_as_it_is(job)) {
        tsr__il_forbid_uneven_groups(job->module, &job->info);
        tsr__il_copy(&job->request->request.source, object);
    } else if (good) {
        good = !tsr__il_asks_for_range(job->module, &job->info) || tsr__il_add_range(job->module, &job->info, log);
        good = good && tsr__il_split_values(job->module, log) && tsr__il_write(job->module, false, object, log);
    }
    stage(job, "writer");
    return good || fail(job, TSR_CLC_FAILED);
}

static bool package_il(struct job *job, const struct tsr_buf *object, struct tsr_buf *code)
{
    const struct tsr_clc_request *q = &job->request->request;
    struct tsr_spirv_constant *constants = tsr_arena_alloc(&job->arena, (q->spec_count + 1) * sizeof *constants);
    for (uint32_t i = 0; i < q->spec_count; i++)
        constants[i] = q->spec_constants[i];
    struct tsr_il_code il = {
        .spirv = object->data,
        .spirv_size = object->size,
        .constants = constants,
        .constant_count = goes_as_it_is(job) ? q->spec_count : 0, /* else the reader has put them in */
        .unoptimised = set(job, TSR_CLC_OPTION_OPT_DISABLE),
        .debug = set(job, TSR_CLC_OPTION_DEBUG_INFO),
    };
    if (object->failed)
        tsr__out_of_memory();
    tsr_il_code_write(&il, code);
    if (code->failed)
        tsr__out_of_memory();
    return true;
}

static const struct target targets[] = {
    {TSR_TRIPLE_X86_64, false, false, add_builtins, generate_code, link_shared},
    {TSR_TRIPLE_SPIRV64, true, true, check_builtins, generate_il, package_il},
};

static bool find_target(struct job *job)
{
    const char *triple = job->request->request.target.triple;
    for (size_t i = 0; i < TSR_ARRAY_LEN(targets) && triple; i++)
        if (!strcmp(targets[i].triple, triple))
            job->target = &targets[i];
    if (job->target)
        return true;
    tsr_buf_printf(&job->answer->log, "error: this compiler makes no code for '%s'\n", triple ? triple : "");
    return fail(job, TSR_CLC_UNAVAILABLE);
}

/* ---- executables ---- */

/* Lays out the arguments of all kernels, as an application may set those of a kernel before its code is there. False: the device lacks a
 * type, which the engine reports; the report should come with the build. */
static bool lay_out_arguments(struct job *job)
{
    bool good = true;
    for (uint32_t i = 0; i < job->info.kernel_count && good; i++) {
        struct tsr_kernel_info *kernel = &job->info.kernels[i];
        char *why = NULL;
        kernel->entry = "";
        good = tsr_lanes_lay_out(LLVMGetNamedFunction(job->module, kernel->name), kernel, false, &why);
        tsr_free(why);
    }
    return good;
}

/* Whether some of the code can wait until a kernel is created or launched. Kernels that share variables, and those that enqueue blocks,
 * must be in one shared object, and reports of the engine belong into the log of the build. */
static bool can_wait(const struct job *job)
{
    return job->request->request.by_kernel && !job->target->whole && !job->explain && !tsr__link_has_variables(job->module) &&
           !tsr__has_blocks(job->module);
}

/* The bodies of packets that the request wants. A program of several kernels that has no code yet gets the code of each by a request. */
static enum tsr_bodies choose_bodies(const struct job *job)
{
    const struct tsr_clc_request *q = &job->request->request;
    return q->kernel || (can_wait(job) && job->info.kernel_count == 1) ? q->bodies : TSR_BODIES_ALL;
}

/* Whether the image carries the module beside the code: it is the whole program, of which a device with other features, or a later driver,
 * can make code. What the driver of a GPU gets is no machine code. */
static bool keeps_module(const struct job *job)
{
    return !job->request->request.kernel && !job->target->whole;
}

/* Leaves in the module what an image holds of it. */
static bool finish_module(struct job *job)
{
    if (!tsr__link_check(job->module, job->parts, &job->answer->log))
        return fail(job, TSR_CLC_FAILED);
    tsr__link_note_options(job->module, &job->options);
    return true;
}

static bool make_program(struct job *job)
{
    if (!finish_module(job))
        return false;
    job->info.global_bytes = tsr__link_has_variables(job->module);
    return write_bitcode(job, TSR_IMAGE_PROGRAM, &job->info);
}

static bool make_executable(struct job *job)
{
    struct tsr_buf *log = &job->answer->log;
    struct tsr_buf object = {0}, code = {0}, module = {0};
    tsr__plain_symbols(job->module, log);
    bool good = tsr__meta_read(job->module, &job->arena, &job->info, log) && check_program(job);
    bool later = (can_wait(job) && job->info.kernel_count > 1) || job->request->request.without_code;
    if (good && later && lay_out_arguments(job))
        return make_program(job);
    job->bodies = choose_bodies(job);
    if (good && keeps_module(job)) {
        good = finish_module(job);
        if (good)
            tsr__pack_module(job->module, &module);
        stage(job, "bitcode");
    }
    good = good && job->target->prepare(job) && job->target->generate(job, &object) && job->target->package(job, &object, &code);
    if (good) {
        job->info.kind = TSR_IMAGE_EXECUTABLE;
        job->info.triple = job->target->triple;
        job->info.code = code.data;
        job->info.code_size = code.size;
        job->info.module = module.data;
        job->info.module_size = module.size;
        tsr_image_write(&job->info, &job->answer->image);
    }
    tsr_buf_free(&object);
    tsr_buf_free(&code);
    tsr_buf_free(&module);
    return good || fail(job, TSR_CLC_FAILED);
}

static bool run(struct job *job)
{
    enum tsr_clc_op op = job->request->request.op;
    if (!find_target(job) || !parse_options(job) || !find_parts(job))
        return false;
    if (!(op == TSR_CLC_CODE ? take_program(job) : op == TSR_CLC_LINK ? join_inputs(job) : read_source(job)))
        return false;
    if (job->debug->emit_llvm)
        return write_text(job);
    if (job->debug->emit_spirv)
        return write_spirv(job);
    if (op == TSR_CLC_COMPILE)
        return write_bitcode(job, TSR_IMAGE_OBJECT, NULL);
    if (set(job, TSR_CLC_OPTION_CREATE_LIBRARY)) {
        tsr__link_note_options(job->module, &job->options);
        return write_bitcode(job, TSR_IMAGE_LIBRARY, NULL);
    }
    return make_executable(job);
}

void tsr__answer(const struct tsr_wire_request *request, const struct tsr__answer_debug *debug, struct tsr__answer *answer)
{
    struct job job = {.request = request, .debug = debug, .answer = answer, .explain = tsr_clc_explain()};
    *answer = (struct tsr__answer){.outcome = TSR_CLC_DONE};
    job.context = LLVMContextCreate();
    stage(&job, NULL);
    run(&job);
    bool translated = request->request.language == TSR_CLC_SPIRV && tsr__translate_wanted(); /* by a program that may change */
    answer->keep = answer->outcome == TSR_CLC_DONE && !job.files.volatile_ && !translated;
    answer->files = job.files.at; /* handed over */
    answer->file_count = job.files.count;
    tsr_buf_bytes(&answer->log, "", 1);
    if (answer->log.failed || answer->image.failed)
        tsr__out_of_memory();
    if (job.module)
        LLVMDisposeModule(job.module);
    LLVMContextDispose(job.context);
    tsr_clc_options_free(&job.options);
    tsr_arena_free(&job.arena);
}

void tsr__answer_free(struct tsr__answer *answer)
{
    struct tsr_clang_files files = {answer->files, answer->file_count, false};
    tsr_clang_files_free(&files);
    tsr_buf_free(&answer->log);
    tsr_buf_free(&answer->image);
}

/* ---- byte forms ---- */

static struct {
    uint64_t bytes; /* 0: none of its own, as in an application */
    bool inherited;
} memory_limit;

void tsr__state_memory_limit(uint64_t limit, bool inherited)
{
    memory_limit.bytes = limit;
    memory_limit.inherited = inherited;
}

struct tsr_buf tsr__no_memory_answer(unsigned char room[TSR__NO_MEMORY_ROOM])
{
    char log[TSR__NO_MEMORY_ROOM / 2];
    if (memory_limit.bytes)
        snprintf(log, sizeof log, "error: out of memory: the compiler may have %llu MiB; %s, or make the program smaller\n",
                 (unsigned long long)(memory_limit.bytes >> 20),
                 memory_limit.inherited ? "raise the limit of the application (RLIMIT_AS or RLIMIT_DATA)" : "raise TESSERA_CC_MEMORY");
    else
        snprintf(log, sizeof log,
                 "error: out of memory: the compiler has no limit of its own, so the machine or the application has one\n");
    struct tsr_wire_result result = {.outcome = TSR_CLC_NO_MEMORY, .log = log};
    struct tsr_buf answer = {.data = room, .capacity = TSR__NO_MEMORY_ROOM}; /* enough, so that it does not grow */
    tsr_wire_write_result(&result, &answer);
    return answer;
}

struct exchange {
    const void *request;
    size_t size;
    struct tsr_buf *answer;
};

static void answer_request(void *data)
{
    static const struct tsr__answer_debug quiet;
    const struct exchange *e = data;
    struct tsr_arena arena = {0};
    struct tsr_wire_request decoded;
    enum tsr_status status = tsr_wire_read_request(e->request, e->size, &arena, &decoded);
    if (status == TSR_OK) {
        struct tsr__answer done;
        tsr__answer(&decoded, &quiet, &done);
        struct tsr_wire_result result = {
            .outcome = done.outcome,
            .keep = done.keep,
            .log = (const char *)done.log.data,
            .file_count = done.file_count,
            .files = done.files,
        };
        if (result.outcome == TSR_CLC_DONE) {
            result.image = done.image.data;
            result.image_size = done.image.size;
        }
        tsr_wire_write_result(&result, e->answer);
        tsr__answer_free(&done);
    } else {
        struct tsr_wire_result result = {.outcome = TSR_CLC_FAILED, .log = "error: the compiler got a request that makes no sense\n"};
        tsr_wire_write_result(&result, e->answer);
    }
    tsr_arena_free(&arena);
}

bool tsr__answer_bytes(const void *request, size_t size, struct tsr_buf *answer)
{
    struct exchange e = {request, size, answer};
    const char *fatal;
    if (tsr__guard(answer_request, &e, &fatal) && !answer->failed)
        return !tsr__il_ends_process();
    *answer = (struct tsr_buf){0};
    if (fatal) {
        char *log = tsr_format(
            "error: the compiler gives up on this program: %s\nThis is a bug in the compiler; please report the program.\n", fatal);
        struct tsr_wire_result result = {.outcome = TSR_CLC_FAILED, .log = log ? log : "error: the compiler gives up on this program\n"};
        tsr_wire_write_result(&result, answer);
        tsr_free(log);
    } else {
        unsigned char room[TSR__NO_MEMORY_ROOM];
        struct tsr_buf none = tsr__no_memory_answer(room);
        tsr_buf_bytes(answer, none.data, none.size);
    }
    return false;
}
