/* SPDX-License-Identifier: Apache-2.0
 * The compiler's inside: what the files of this folder call of each other. */
#ifndef TESSERA_CLC_SERVICE_SERVICE_H
#define TESSERA_CLC_SERVICE_SERVICE_H

#include "clc/common/names.h"
#include "clc/common/options.h"
#include "clc/common/wire.h"
#include "tessera/program.h"

#include <limits.h>
#include <llvm-c/Core.h>

/* ---- parts.c: the files beside the compiler, read once ---- */

struct tsr__parts {
    const unsigned char *builtins; /* the built-in library, see shelf.c */
    const char *header;            /* tessera-opencl.h */
    size_t header_size;
    const char *cooperative; /* tessera-cooperative-matrix.h */
    size_t cooperative_size;
    const void *helpers; /* tessera-rt.o: what code generation calls and libc lacks */
    size_t helpers_size;
};
/* NULL: *why says which file is missing (static text, or malloc'd and never freed). Any thread. */
const struct tsr__parts *tsr__parts(const char **why);

/* ---- front.c: source → module ---- */

struct tsr_clang_files;
struct tsr_clang_input;
/* The module of the source. NULL: the log says why. `extra` is one more word for clang, or NULL. */
LLVMModuleRef tsr__front_compile(const struct tsr_wire_request *request, const struct tsr_clc_options *options, const char *extra,
                                 const struct tsr__parts *parts, LLVMContextRef context, struct tsr_clang_files *files,
                                 struct tsr_buf *log);
/* plain_types.c: the same module, or another in its place. `images`: of a device that has them; else their types stay, and kernels with
 * them are refused. */
LLVMModuleRef tsr__plain_types(LLVMModuleRef module, bool images);

/* ---- blocks.c: blocks that kernels enqueue ---- */

/* Makes names of the addresses of their kernels, which are marked. */
void tsr__name_blocks(LLVMModuleRef module, const struct tsr_clc_text *source);
bool tsr__has_blocks(LLVMModuleRef module);

/* ---- program.c: programs that others have installed ---- */

/* `name`, or name-<version> for a version from newest to oldest: the first that PATH has, with these words (NULL ends them). It reads its
 * standard input, which can be opened as a file as well, and writes to standard output. */
struct tsr__program {
    const char *name;
    int newest, oldest;
    const char *const *words;
};
enum { TSR__PROGRAM_NOT_FOUND = -1, TSR__PROGRAM_NOT_STARTED = -2 };
struct tsr__program_end {
    int status; /* as waitpid has it, or one of these two */
    char path[PATH_MAX];
    char *out, *complaint; /* what it wrote to standard output and standard error */
    uint64_t out_size, complaint_size;
};
/* Runs it, with `last` as its last word if that is not "", and waits. Not behind the jail. */
void tsr__program_run(const struct tsr__program *program, const char *last, const void *input, size_t size, struct tsr__program_end *end);
/* False: it did not do it; told in the log. */
bool tsr__program_judge(const struct tsr__program *program, const struct tsr__program_end *end, struct tsr_buf *log);
void tsr__program_free(struct tsr__program_end *end);

/* ---- translate.c: SPIR-V by the translator of the Khronos group ---- */

/* Whether TESSERA_SPIRV asks for it. */
bool tsr__translate_wanted(void);
/* If so: makes the process that starts translators, or without a jail lets this one do so. Called once, before the first request and the
 * jail. */
void tsr__translate_prepare(bool jailed);
/* The module of the source. NULL: the log says why. */
LLVMModuleRef tsr__translate(const struct tsr_wire_request *request, LLVMContextRef context, struct tsr_buf *log);

/* ---- meta.c: what the module says of its kernels ---- */

bool tsr__cc_is_kernel(LLVMValueRef function);
/* Whether the kernel is that of a block, which kernels enqueue. */
bool tsr__is_block(LLVMValueRef function);
/* Fills info->kernels, sorted by name, as lanes.h asks for. False: a required size that cannot be; the log names the kernel. */
bool tsr__meta_read(LLVMModuleRef module, struct tsr_arena *arena, struct tsr_program_info *info, struct tsr_buf *log);

/* ---- matrix.c: sub-group sizes and matrix functions ---- */

/* Checks every kernel against the matrix functions that it reaches, and gives kernels without a required sub-group size the one that
 * these need, in sub_group_size. False: told in the log, with source lines where the module has them. */
bool tsr__matrix_check(LLVMModuleRef module, struct tsr_program_info *info, struct tsr_buf *log);

/* ---- verify.c: what clang lets through ---- */

/* Resolves aliases, and drops attributes that a device cannot follow, with a warning in the log. */
void tsr__plain_symbols(LLVMModuleRef module, struct tsr_buf *log);
/* False: recursion that a kernel reaches, constructors, arguments beyond CL_DEVICE_MAX_PARAMETER_SIZE; told in the log, with source lines
 * where the module has them. */
bool tsr__verify(LLVMModuleRef module, struct tsr_buf *log);

/* ---- trouble.c: the way out of a request ---- */

/* Calls `work`. False: memory ended, or LLVM gave up, and then *fatal is LLVM's text (valid until the thread's next call). The memory of
 * `work` is lost. Any thread. */
bool tsr__guard(void (*work)(void *), void *data, const char **fatal);
/* Ends the request of this thread by a jump out of tsr__guard. Returns only if the thread has no request. */
void tsr__out_of_memory(void);

/* ---- link.c: modules → one module ---- */

/* Module of bitcode; NULL: told in the log. */
LLVMModuleRef tsr__link_parse(const void *bitcode, size_t size, LLVMContextRef context, struct tsr_buf *log);
/* Adds `source`, which is consumed. False: a symbol defined twice, told in the log. */
bool tsr__link_add(LLVMModuleRef module, LLVMModuleRef source, struct tsr_buf *log);
/* The name as the source has it. Release with free; NULL: out of memory. */
char *tsr__source_name(LLVMValueRef function);
/* Where the name of a C++-mangled function begins, with what follows it, and its length; NULL: it is none. */
const char *tsr__mangled_name(const char *mangled, size_t *length);
/* Calls of math functions get the cheaper forms of builtins/relaxed.cl where the options of their source allow that. */
void tsr__link_relax(LLVMModuleRef module, const struct tsr_clc_options *options, const struct tsr__parts *parts);
/* Adds what is needed of the built-in library, makes all but kernels internal, removes what is unused. False: told in the log. */
bool tsr__link_builtins(LLVMModuleRef module, const struct tsr__parts *parts, struct tsr_buf *log);
/* Without adding anything: makes all but kernels internal, removes what is unused, and checks that the library has what is missing. */
bool tsr__link_check(LLVMModuleRef module, const struct tsr__parts *parts, struct tsr_buf *log);
/* Module of the bitcode of a program: of these kernels and what they refer to, or, if `kernels` is NULL, whole. NULL: told in the log. */
LLVMModuleRef tsr__link_take(const void *bitcode, size_t size, const struct tsr_kernel_info *kernels, uint32_t count,
                             LLVMContextRef context, struct tsr_buf *log);
/* Whether there are program-scope variables, which all kernels of a program share. */
bool tsr__link_has_variables(LLVMModuleRef module);
/* Their size. */
uint64_t tsr__link_variable_bytes(LLVMModuleRef module);
/* shelf.c: adds what is needed of the built-in library, in the form that builtins/pack.py writes; with `wanted`, of these names alone.
 * False: told through the context's diagnostic handler. */
bool tsr__shelf_link(LLVMModuleRef module, const unsigned char *data, bool (*wanted)(const char *name));
/* Whether the library defines the name. */
bool tsr__shelf_has(const unsigned char *data, const char *name);
/* Whether the bytes of the file are such a library, for the two above, and none is missing. */
bool tsr__shelf_is_whole(const unsigned char *data, size_t size);
/* Options of the sources, kept in the module so that clLinkProgram knows them. */
void tsr__link_note_options(LLVMModuleRef module, const struct tsr_clc_options *options);
uint64_t tsr__link_noted_options(LLVMModuleRef module);

/* ---- pack.c: modules in images ---- */

/* Appends the module as images hold it. */
void tsr__pack_module(LLVMModuleRef module, struct tsr_buf *packed);
/* Its bitcode, in the arena. NULL: it is damaged. */
const void *tsr__unpack_module(const void *packed, size_t packed_size, struct tsr_arena *arena, size_t *size);

/* ---- emit.c: object → shared object ---- */

/* Appends an ELF shared object that needs nothing but libc's mem functions. False: told in the log, or there was no memory for `code`
 * (code->failed). */
bool tsr__emit_shared(const struct tsr_buf *object, const struct tsr__parts *parts, struct tsr_buf *code, struct tsr_buf *log);
/* Releases the linker if the calling thread holds it; before the thread leaves its request. */
void tsr__emit_abandon(void);

/* ---- il.c: module → SPIR-V for the compiler of a device's driver ---- */

/* Fills what the request's target and the module say of arguments and sizes of each kernel. False: told in the log. */
bool tsr__il_describe(LLVMModuleRef module, const struct tsr_target *target, struct tsr_program_info *info, struct tsr_buf *log);
/* tsr__il_inline makes the functions that have been marked parts of their callers, and removes what is unused. False: told in the log. */
void tsr__il_mark_inline(LLVMValueRef function);
bool tsr__il_inline(LLVMModuleRef module, struct tsr_buf *log);
/* Where the report of a build goes that tells which functions are ours; no log: there is none. */
struct tsr__il_report {
    struct tsr_buf *log;
    bool json;
};
/* Says that a declared function is ours, and why: a note, or in JSON an object for each kernel that reaches it. (il_report.c) */
void tsr__il_note(const struct tsr__il_report *report, LLVMValueRef function, const char *reason);
/* Says that a program in SPIR-V does not go to the driver as it is, because it declares this capability. (il_report.c) */
void tsr__il_note_module(const struct tsr__il_report *report, const struct tsr_program_info *info, const char *capability);
/* Looks at the functions of matrices and 2D blocks that the module calls. Those that the device lacks become calls of our bodies, which
 * tsr__il_add_own adds; *replaced: there are such. False: there are some that have no body, which the log tells. (il_units.c) */
bool tsr__il_check_units(LLVMModuleRef module, const struct tsr_target *target, const struct tsr__il_report *report, bool *replaced,
                         struct tsr_buf *log);
/* The first capability of a checked module in SPIR-V that not all drivers know, and that our reader makes other code of. NULL: none.
 * (il_capabilities.c) */
const char *tsr__il_new_capability(const void *module, size_t size);
/* Begins the names of such bodies (builtins/matrix_il.cl, block2d_il.cl). */
#define TSR__IL_BODY "tessera_il_"
/* Whether functions have arrays as values; makes these their elements. False: told in the log. (il_arrays.c) */
bool tsr__il_has_arrays(LLVMModuleRef module);
bool tsr__il_split_arrays(LLVMModuleRef module, struct tsr_buf *log);
/* Makes vectors of lengths that SPIR-V lacks, which LLVM's writer would write all the same, and matrices of our reader their components.
 * False: told in the log. */
bool tsr__il_split_values(LLVMModuleRef module, struct tsr_buf *log);
/* Makes calls of printf those that LLVM's writer can write. True: all formats are in constant memory, so that the extension for others is
 * not needed, which the next function takes out of the module in SPIR-V. (il_printf.c) */
bool tsr__il_mend_formats(LLVMModuleRef module);
void tsr__il_forget_printf_extension(struct tsr_buf *spirv);
/* Mends calls of functions on images that LLVM's writer gets wrong; what comes of it is finished in the module in SPIR-V. (il_images.c) */
void tsr__il_mend_images(LLVMModuleRef module);
void tsr__il_mend_orders(struct tsr_buf *spirv);
/* False: the module has images as our reader of SPIR-V makes them, which the writer cannot write; told in the log. */
bool tsr__il_check_images(LLVMModuleRef module, struct tsr_buf *log);
/* Adds the functions of il_own.def that the module calls, as parts of their callers. False: told in the log. (il_own.c) */
bool tsr__il_add_own(LLVMModuleRef module, const struct tsr__parts *parts, const struct tsr__il_report *report, struct tsr_buf *log);
/* Whether a kernel, of those whose groups need not be uniform, asks for sizes and numbers of the range; what asks for it becomes ready for
 * the next function. (il_range.c) */
bool tsr__il_asks_for_range(LLVMModuleRef module, const struct tsr_program_info *info);
/* The same kernels get TSR_KERNEL_UNIFORM_GROUPS: those of a module that goes to the driver as it is. */
void tsr__il_forbid_uneven_groups(LLVMModuleRef module, struct tsr_program_info *info);
/* Gives these kernels TSR_KERNEL_RANGE_ARGUMENT. False: told in the log. */
bool tsr__il_add_range(LLVMModuleRef module, struct tsr_program_info *info, struct tsr_buf *log);
/* Appends SPIR-V of the module, which is of no use afterwards, with the extensions of il_extensions.def or with any. Once in a process.
 * False: told in the log. */
bool tsr__il_write(LLVMModuleRef module, bool any_extension, struct tsr_buf *spirv, struct tsr_buf *log);
/* Appends a checked module of SPIR-V as it is, in the byte order of this machine. */
void tsr__il_copy(const struct tsr_clc_text *module, struct tsr_buf *spirv);
/* Whether a process of the compiler has to end after this answer, as it could not write another module. */
bool tsr__il_ends_process(void);

/* ---- answer.c: a request to its end ---- */

struct tsr__answer {
    struct tsr_buf log, image;
    enum tsr_clc_outcome outcome;
    struct tsr_wire_file *files;
    uint32_t file_count;
    bool keep;
};
/* Options of the command line. */
struct tsr__answer_debug {
    const char *dump_dir;  /* NULL, or where the engine writes the module after each pass */
    bool emit_llvm;        /* the image is the text of the module as clang made it */
    bool emit_spirv;       /* … is SPIR-V of it */
    struct tsr_buf *times; /* NULL, or gets one line per stage */
};
void tsr__answer(const struct tsr_wire_request *request, const struct tsr__answer_debug *debug, struct tsr__answer *answer);
void tsr__answer_free(struct tsr__answer *answer);
/* The same from and to the byte forms of clc/common/wire.h. A request that is no request gets an answer that says so. False: a process
 * should end after the answer, as there was trouble that the answer names, or as it has made SPIR-V. No memory for the answer:
 * answer->failed. */
bool tsr__answer_bytes(const void *request, size_t size, struct tsr_buf *answer);
/* The answer of a process that has no memory for another. It is built in `room`. */
enum { TSR__NO_MEMORY_ROOM = 512 };
struct tsr_buf tsr__no_memory_answer(unsigned char room[TSR__NO_MEMORY_ROOM]);
/* For messages: the memory limit of the process, and whether it is the application's. Called once, before the first request. */
void tsr__state_memory_limit(uint64_t limit, bool inherited);

/* ---- stack.c ---- */

/* All zero at first. The memory is kept for the next call. */
struct tsr__stack {
    void *low;
    size_t size;
};
/* Whether `size` bytes of address space are left. Stacks leave at least their size for what runs on them. */
bool tsr__has_room(size_t size);
/* Runs the function on that stack, of 64 MiB if so much can be had, in the calling thread. One call at a time for each stack. False: not
 * run, as there is no memory for a stack. */
bool tsr__run_on_stack(struct tsr__stack *stack, void (*function)(void *), void *data);

/* ---- jail.c ---- */

/* Limits memory, forbids core dumps, network, new programs, new processes and writing to files, as far as the kernel
 * can. For good. */
void tsr__jail_enter(uint64_t memory_limit);

#endif
