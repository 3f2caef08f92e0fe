/* SPDX-License-Identifier: Apache-2.0
 * Runs clang: turns a request and its options into the words and files of one compilation. */
#include "clc/service/service.h"

#include "clc/service/clang_shim.h"

#include <ctype.h>
#include <string.h>

#include <llvm-c/Comdat.h>

/* clang's header of types and constants, from the LLVM that we are built with (base_header.S). */
extern const char tsr__base_header[], tsr__base_header_end[];

/* Options of every program. clang only emits code that is fit for optimisation, which the engine does. */
static const char *const fixed_words[] = {
    "-triple",
    "spir64-unknown-unknown",
    "-x",
    "cl",
    "-main-file-name",
    "input.cl",
    "-O2",
    "-disable-llvm-passes",
    "-fdeclare-opencl-builtins",
    "-internal-isystem",
    "/.tessera/.builtin",
    "--system-header-prefix=.builtin/",
    "-include", /* by a name that no folder of the application's search path has; -finclude-default-header would look there first */
    ".builtin/opencl-c-base.h",
    "-include",
    ".builtin/tessera-opencl.h",
    "-I/.tessera",
    "-ferror-limit",
    "50",
    "-fmessage-length=0",
    "-fbracket-depth",
    "256",
    "-cl-kernel-arg-info", /* programs ask without having passed it, as other drivers answer */
    "-fno-gnu-inline-asm", /* the module is for a device that has no instructions yet */
    "-U__has_embed",       /* clang crashes on it in a source that is no file */
    "-Wno-builtin-macro-redefined",
};

/* What clang reports as an error today and older versions reported as a warning; with -Werror it is an error as all warnings are. */
static const char *const lenient_words[] = {
    "-Wno-error=incompatible-pointer-types",
    "-Wno-error=int-conversion",
    "-Wno-error=implicit-function-declaration",
    "-Wno-error=implicit-int",
};

/* Options of C++ for OpenCL. What has to run before the first kernel or after the last one is refused, as nobody runs it. */
static const char *const cxx_words[] = {
    "-fno-rtti",
    "-fno-threadsafe-statics",
    "-fforbid-guard-variables", /* of static variables in functions */
    "-Werror=global-constructors",
    "-Werror=exit-time-destructors",
};

struct words {
    const char **at;
    uint32_t count;
};

static void add(struct words *words, const char *word)
{
    words->at[words->count++] = word;
}

enum { OPTION_WORDS = 3 }; /* at most, in the column of options.def */

static void add_each(struct words *words, const char *text, struct tsr_arena *arena)
{
    for (char *rest = tsr_arena_format(arena, "%s", text); rest;)
        add(words, strsep(&rest, " "));
}

/* OpenCL C 3.1 is 3.0 with functions that every device has which compiles it: for clang it is the same language. */
static void add_c_version(struct words *words, unsigned version, struct tsr_arena *arena)
{
    unsigned known = version > 300 ? 300 : version;
    add(words, tsr_arena_format(arena, "-cl-std=CL%u.%u", known / 100, known / 10 % 10));
    if (known != version) {
        add(words, "-U__OPENCL_C_VERSION__");
        add(words, tsr_arena_format(arena, "-D__OPENCL_C_VERSION__=%u", version));
    }
}

static void add_options(struct words *words, const struct tsr_clc_options *options, const char *folder, struct tsr_arena *arena)
{
    if (options->cxx_name)
        add(words, tsr_arena_format(arena, "-cl-std=%s", options->cxx_name));
    else
        add_c_version(words, options->c_version, arena);
    for (size_t i = 0; options->cxx_name && i < TSR_ARRAY_LEN(cxx_words); i++)
        add(words, cxx_words[i]);
    if (!tsr_clc_option_set(options, TSR_CLC_OPTION_WARNINGS_ARE_ERRORS))
        for (size_t i = 0; i < TSR_ARRAY_LEN(lenient_words); i++)
            add(words, lenient_words[i]);
    for (int i = 0; i < TSR_CLC_OPTION_COUNT; i++)
        if (tsr_clc_option_set(options, i) && tsr_clc_option_clang(i))
            add_each(words, tsr_clc_option_clang(i), arena);
    for (uint32_t i = 0; i < options->word_count; i++) {
        const char *word = options->words[i];
        if (word[1] == 'I' && word[2] != '/') {
            if (!folder)
                continue;
            word = tsr_arena_format(arena, "-I%s/%s", folder, word + 2);
        }
        add(words, word);
        if (word[1] == 'I')
            add(words, tsr_arena_format(arena, "--embed-dir=%s", word + 2));
    }
    if (!folder)
        return;
    add(words, tsr_arena_format(arena, "-I%s", folder)); /* last: relative #includes count from where the application stands */
    add(words, tsr_arena_format(arena, "--embed-dir=%s", folder));
}

/* Parts of tessera-opencl.h that take milliseconds to read, so only programs that mention what they declare get them. */
static const struct section {
    const char *word; /* for clang: declares it */
    const char *mentions[5];
} sections[] = {
    {"-DTESSERA_DECLARE_GROUPS", {"_group_", "intel_convert_"}},
    {"-DTESSERA_DECLARE_ALIGNED_HALF", {"vloada_half", "vstorea_half"}},
    {"-DTESSERA_DECLARE_MATRIX", {"matrix_mad", "madw", "tfloat32", "_2d_block_"}},
    {"-DTESSERA_DECLARE_COOPERATIVE_MATRIX", {"tessera_matrix_"}},
    {"-DTESSERA_DECLARE_CHECKED_COOPERATIVE_MATRIX",
     {"tessera_matrix_load_checked", "tessera_matrix_store_checked", "tessera_matrix_fill_checked"}},
};
enum { SECTIONS = TSR_ARRAY_LEN(sections) };

/* Bit per section that the text mentions. */
static unsigned mentioned(const char *text, size_t size)
{
    unsigned set = 0;
    for (unsigned i = 0; i < SECTIONS; i++)
        for (const char *const *m = sections[i].mentions; *m; m++)
            if (size && memmem(text, size, *m, strlen(*m)))
                set |= 1u << i;
    return set;
}

static unsigned mentioned_by_request(const struct tsr_clc_request *q)
{
    unsigned set = mentioned(q->source.data, q->source.size) | mentioned(q->options, q->options ? strlen(q->options) : 0);
    for (uint32_t i = 0; i < q->header_count; i++)
        set |= mentioned(q->headers[i].data, q->headers[i].size);
    return set;
}

static bool declared_in_section(const char *name)
{
    return mentioned(name, strlen(name)) != 0;
}

/* A program whose preprocessor makes up the names, or finds them in a file, fails with a message that has the name in it, and gets a second
 * try. */
static LLVMModuleRef compile(struct tsr_clang_input *input, const struct words *words, unsigned set, LLVMContextRef context,
                             struct tsr_clang_files *files, struct tsr_buf *log)
{
    size_t before = log->size;
    struct words all = *words;
    for (unsigned i = 0; i < SECTIONS; i++)
        if (set >> i & 1)
            add(&all, sections[i].word);
    input->words = all.at;
    input->word_count = all.count;
    LLVMModuleRef module = tsr_clang_compile(input, context, files, log);
    unsigned missed = module || log->failed ? 0 : mentioned((const char *)log->data + before, log->size - before) & ~set;
    if (!missed)
        return module;
    log->size = before;
    tsr_clang_files_free(files);
    return compile(input, words, set | missed, context, files, log);
}

/* C++: constructors that -w keeps clang from complaining of; and groups of copies of a function, of which a program has one only. */
static LLVMModuleRef finish_cxx(LLVMModuleRef module, struct tsr_buf *log)
{
    if (LLVMGetNamedGlobal(module, "llvm.global_ctors") || LLVMGetNamedGlobal(module, "llvm.global_dtors")) {
        tsr_buf_printf(log, "error: a variable of the program has a constructor or destructor that has to run; only constexpr ones are "
                            "possible there\n");
        LLVMDisposeModule(module);
        return NULL;
    }
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        LLVMSetComdat(f, NULL);
    for (LLVMValueRef g = LLVMGetFirstGlobal(module); g; g = LLVMGetNextGlobal(g))
        LLVMSetComdat(g, NULL);
    return module;
}

/* Before OpenCL C 2.0 there are no functions for what these macros promise, and programs choose by them. */
static bool is_before_its_version(const char *macro, const struct tsr_clc_options *options)
{
    static const char atomics[] = "-D__opencl_c_ext_";
    return !options->cxx_name && options->c_version < 200 && !strncmp(macro, atomics, sizeof atomics - 1);
}

/* clang has blocks in OpenCL C 2.0; in 3.0 they come with device-side enqueue. */
static bool has_blocks(const struct tsr_clc_request *q, const struct tsr_clc_options *options)
{
    return !options->cxx_name && options->c_version >= 200 && strstr(q->target.macros, "__opencl_c_device_enqueue");
}

/* clang looks for names like an unknown one in a time that grows with the square of its length: 0.5 s for 10,000 characters. */
enum { LONGEST_TO_CORRECT = 4096 };

static bool has_long_word(const struct tsr_clc_text *text)
{
    size_t length = 0;
    for (size_t i = 0; i < text->size && length <= LONGEST_TO_CORRECT; i++)
        length = isalnum((unsigned char)text->data[i]) || text->data[i] == '_' ? length + 1 : 0;
    return length > LONGEST_TO_CORRECT;
}

/* "queue == CLK_NULL_QUEUE" compares values of a type for which LLVM has no comparison until tsr__plain_types has been there. */
static const char *const words_of_blocks[] = {"-fblocks", "-disable-llvm-verifier"};

LLVMModuleRef tsr__front_compile(const struct tsr_wire_request *request, const struct tsr_clc_options *options, const char *extra,
                                 const struct tsr__parts *parts, LLVMContextRef context, struct tsr_clang_files *files, struct tsr_buf *log)
{
    const struct tsr_clc_request *q = &request->request;
    struct tsr_arena arena = {0};
    struct tsr_clc_words macros;
    if (options->cxx_name && !strstr(q->target.macros, "cl_ext_cxx_for_opencl")) {
        tsr_buf_printf(log, "error: this device does not compile C++ for OpenCL (cl_ext_cxx_for_opencl)\n");
        return NULL;
    }
    if (!options->cxx_name && !tsr_clc_takes_version(q->target.macros, options->c_version)) {
        tsr_buf_printf(log,
                       "error: this device does not compile OpenCL C %u.%u, of which it lacks functions; -cl-std=CL3.0 has the others\n",
                       options->c_version / 100, options->c_version / 10 % 10);
        return NULL;
    }
    if (tsr_clc_words_split(q->target.macros, &macros) != TSR_OK) {
        tsr__out_of_memory();
        return NULL;
    }
    size_t most = TSR_ARRAY_LEN(fixed_words) + TSR_ARRAY_LEN(lenient_words) + TSR_ARRAY_LEN(cxx_words) + macros.count +
                  2 * options->word_count + OPTION_WORDS * TSR_CLC_OPTION_COUNT + 10 + SECTIONS + TSR_ARRAY_LEN(words_of_blocks);
    struct words words = {.at = tsr_arena_alloc(&arena, most * sizeof(char *))};
    for (size_t i = 0; i < TSR_ARRAY_LEN(fixed_words); i++)
        add(&words, fixed_words[i]);
    for (uint32_t i = 0; i < macros.count; i++)
        if (!is_before_its_version(macros.at[i], options))
            add(&words, macros.at[i]);
    if (!strstr(q->target.macros, "__opencl_c_images"))
        add(&words, "-U__IMAGE_SUPPORT__"); /* which clang has for every target of its own SPIR */
    for (size_t i = 0; i < TSR_ARRAY_LEN(words_of_blocks) && has_blocks(q, options); i++)
        add(&words, words_of_blocks[i]);
    const bool machine_code = strcmp(q->target.triple, TSR_TRIPLE_SPIRV64) != 0;
    if (machine_code)
        add(&words, "-DTESSERA_BLOCK2D_PRIMITIVES"); /* which the engines of the CPU know */
    add_options(&words, options, request->directory, &arena);
    bool corrects = !has_long_word(&q->source);
    for (uint32_t i = 0; i < q->header_count; i++)
        corrects = corrects && !has_long_word(&q->headers[i]);
    if (!corrects)
        add(&words, "-fno-spell-checking");
    if (!tsr_wire_reads_files(q))
        add(&words, "-nostdsysteminc"); /* else clang looks whether these folders are there */
    if (extra)
        add(&words, extra);

    enum { OWN_HEADERS = 3 };
    struct tsr_clc_text *headers = tsr_arena_alloc(&arena, (q->header_count + OWN_HEADERS) * sizeof *headers);
    headers[0] = (struct tsr_clc_text){".builtin/opencl-c-base.h", tsr__base_header, (size_t)(tsr__base_header_end - tsr__base_header)};
    headers[1] = (struct tsr_clc_text){".builtin/tessera-opencl.h", parts->header, parts->header_size};
    headers[2] = (struct tsr_clc_text){".builtin/tessera-cooperative-matrix.h", parts->cooperative, parts->cooperative_size};
    if (q->header_count)
        memcpy(headers + OWN_HEADERS, q->headers, q->header_count * sizeof *headers);
    struct tsr_clang_input input = {
        .source = q->source, .header_count = q->header_count + OWN_HEADERS, .headers = headers, .declared_elsewhere = declared_in_section};
    LLVMModuleRef module = compile(&input, &words, mentioned_by_request(q), context, files, log);
    if (module && options->cxx_name)
        module = finish_cxx(module, log);
    if (module) /* SPIR-V has images and samplers */
        module = tsr__plain_types(module, machine_code && strstr(q->target.macros, "__opencl_c_images"));
    if (module && has_blocks(q, options))
        tsr__name_blocks(module, &q->source);
    for (LLVMValueRef f = module ? LLVMGetFirstFunction(module) : NULL; f; f = LLVMGetNextFunction(f))
        if (LLVMGetLinkage(f) == LLVMAvailableExternallyLinkage)
            LLVMSetLinkage(f, LLVMInternalLinkage); /* C99's inline: the other definition that it promises does not exist here */
    tsr_clc_words_free(&macros);
    tsr_arena_free(&arena);
    return module;
}
