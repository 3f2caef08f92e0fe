/* SPDX-License-Identifier: Apache-2.0
 * The tensor language (docs/tensor.md): text in, a program that has been checked out, which can be printed, interpreted in plain C, and
 * made an LLVM module of. Everything but the module needs libc only. */
#ifndef TESSERA_TENSOR_H
#define TESSERA_TENSOR_H

#include "tessera/base.h"

/* Part of the text; lines and columns count from 1 and bytes, and the end is inclusive. */
struct tsr_tensor_range {
    uint32_t line, column, end_line, end_column;
};

/* What is wrong with a text, or a note to that: where a value that is concerned was defined. */
struct tsr_tensor_diagnostic {
    struct tsr_tensor_range at;
    const char *text;
    const struct tsr_tensor_diagnostic *notes; /* a list by `next` */
    const struct tsr_tensor_diagnostic *next;
};

/* What the text is checked against. Sizes of work-groups and sub-groups are in work-items. */
struct tsr_tensor_target {
    uint32_t sub_group_sizes[4]; /* that a function may require, smallest first; 0 ends the list */
    uint32_t default_sub_group_size;
    uint32_t max_work_group_size;
};
/* The CPU device. */
extern const struct tsr_tensor_target tsr_tensor_cpu_target;

struct tsr_tensor_program;

/* Parses and checks. The program is returned in any case but for a lack of memory (NULL); tsr_tensor_diagnostics tells whether it is good.
 * `name` stands before messages. The text is copied. Any thread. */
struct tsr_tensor_program *tsr_tensor_parse(const char *text, size_t size, const char *name, const struct tsr_tensor_target *target);
void tsr_tensor_free(struct tsr_tensor_program *program);
/* What is wrong, in the order in which it was found. NULL: nothing. */
const struct tsr_tensor_diagnostic *tsr_tensor_diagnostics(const struct tsr_tensor_program *program);
/* Appends the diagnostics as text: "name:range: error: …", with the lines of the source. */
void tsr_tensor_print_diagnostics(const struct tsr_tensor_program *program, struct tsr_buf *out);
/* One of them, or a note to one. */
void tsr_tensor_print_diagnostic(const struct tsr_tensor_program *program, const struct tsr_tensor_diagnostic *diagnostic, bool is_note,
                                 struct tsr_buf *out);
/* Appends the program as text that parses to the same program. Only of a good one. */
void tsr_tensor_print(const struct tsr_tensor_program *program, struct tsr_buf *out);

/* Whether a text is in this language and not in OpenCL C: its first token is `func`, and a global name follows, or `$`, a name and `=`. */
bool tsr_tensor_is_text(const void *text, size_t size);

/* ---- functions, as the host sees them ---- */

enum tsr_tensor_argument {
    TSR_TENSOR_VALUE,         /* a number, by value */
    TSR_TENSOR_POINTER,       /* global memory: the elements of a memref */
    TSR_TENSOR_LOCAL,         /* local memory for the elements of a memref */
    TSR_TENSOR_POINTERS,      /* global memory: the addresses of the memrefs of a group */
    TSR_TENSOR_SIZE,          /* an int64: a size or a stride that the type leaves open, or the offset of a group */
    TSR_TENSOR_POINTER_SIZES, /* global memory: such a number for each memref of a group */
};
struct tsr_tensor_argument_info {
    enum tsr_tensor_argument kind;
    uint32_t size;         /* bytes */
    const char *type;      /* as the queries of OpenCL spell it */
    const char *name;      /* X, X.shape0, X.stride1, X.size, X.offset */
    const char *parameter; /* that it belongs to */
};
struct tsr_tensor_function_info {
    const char *name;
    uint32_t sub_group_size, work_group_size[2];
    uint32_t argument_count;
    const struct tsr_tensor_argument_info *arguments;
};
/* Functions of a good program; NULL behind the last one. */
const struct tsr_tensor_function_info *tsr_tensor_function(const struct tsr_tensor_program *program, uint32_t index);

/* ---- interpreter ---- */

/* Runs work-groups 0 … groups - 1 of a function, one after the other, in plain C. `arguments` are those that a kernel gets: for pointers,
 * and for local memory, the address of a variable with the address. OK, INVALID (*why says what the program did: never freed), NO_MEMORY.
 */
enum tsr_status tsr_tensor_interpret(const struct tsr_tensor_program *program, uint32_t function, const void *const *arguments,
                                     const uint64_t groups[3], const char **why);

#endif
