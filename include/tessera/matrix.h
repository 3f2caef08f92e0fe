/* SPDX-License-Identifier: Apache-2.0
 * The matrix functions as the host side and the compiler see them: the table of include/tessera/matrix.def with mangled names, and the
 * reference that every engine is compared with. All functions are pure and may be called from any thread. (base/matrix.c) */
#ifndef TESSERA_MATRIX_H
#define TESSERA_MATRIX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tessera/matrix_math.h"

struct tsr_matrix_builtin {
    const char *name;      /* intel_sub_group_i8_i8_matrix_mad_k32 */
    const char *a, *b, *c; /* OpenCL C types of the arguments; the result has the type c */
    enum tsr_matrix_form form;
    enum tsr_element ea, eb, ec;
    uint8_t n; /* the sub-group size that a kernel must have in order to call it: 8 or 16 */
    uint8_t m, k;
    uint8_t a_size, b_size, c_size; /* bytes of the arguments of one work-item */
};

/* The table, in the order of matrix.def. */
extern const struct tsr_matrix_builtin tsr_matrix_builtins[];
extern const size_t tsr_matrix_builtin_count;

/* Longest text of the two functions below, with the final zero. */
enum { TSR_MATRIX_TEXT = 128 };

/* The overload with this mangled name (Itanium, as clang makes it for OpenCL C), or NULL if it is none of the matrix functions. */
const struct tsr_matrix_builtin *tsr_matrix_find(const char *mangled);
void tsr_matrix_mangle(const struct tsr_matrix_builtin *f, char out[TSR_MATRIX_TEXT]);
/* For messages: intel_sub_group_i8_i8_matrix_mad_k32(int8, int8, int8). */
void tsr_matrix_signature(const struct tsr_matrix_builtin *f, char out[TSR_MATRIX_TEXT]);

/* D of one sub-group, or of one pair for the split form. The arrays hold the arguments of the work-items one after the other, `lanes` of
 * them: up to n, or up to 2n for a pair, where those from n on belong to the second sub-group. Absent work-items count as zero. */
void tsr_matrix_reference(const struct tsr_matrix_builtin *f, unsigned lanes, const void *a, const void *b, const void *c, void *d);

#endif
