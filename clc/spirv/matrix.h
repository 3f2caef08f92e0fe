/* SPDX-License-Identifier: Apache-2.0
 * Matrices that a sub-group holds together: cooperative matrices (SPV_KHR_cooperative_matrix with SPV_INTEL_joint_matrix) and joint
 * matrices of older revisions of SPV_INTEL_joint_matrix.
 *
 * A matrix is an array of vectors in each work-item: the elements that the work-item holds, its *slots*. matrix_layout.c says which
 * elements these are. They lie as the operands of Intel's matrix functions do (docs/matrix.md), so that matrix_product.c multiplies by
 * calling these, and everything behind the reader sees what it would see of an OpenCL C kernel. */
#ifndef TESSERA_CLC_SPIRV_MATRIX_H
#define TESSERA_CLC_SPIRV_MATRIX_H

#include "clc/spirv/reader.h"

#include "tessera/matrix.h"

enum tsr__matrix_use { TSR__MATRIX_A, TSR__MATRIX_B, TSR__MATRIX_ACCUMULATOR };
enum tsr__matrix_memory { TSR__ROW_MAJOR, TSR__COLUMN_MAJOR, TSR__PACKED };
extern const char *const tsr__matrix_memory_names[]; /* for names of helper functions */
/* What the bits of a component are, where the type says it (SPV_INTEL_joint_matrix revision 10, "Component Type Interpretation"). */
enum tsr__matrix_meaning { TSR__MEANS_ITSELF, TSR__MEANS_TF32, TSR__MEANS_BFLOAT16, TSR__MEANS_INT2, TSR__MEANS_INT4 };

/* How the elements of a matrix lie over the work-items; l is the number of the work-item in the sub-group. */
enum tsr__matrix_order {
    TSR__COLUMNS, /* B and accumulators: a work-item has column l of each block, one slot for each row */
    TSR__ROWS,    /* A: a row of a block lies over the work-items, `run` elements in each; if it is shorter than a sub-group, so do the next
                     `rows_at_once` - 1 rows */
    TSR__LINEAR,  /* A of a shape that has no such blocks: slot i is element i · lanes + l in row-major order */
};

struct tsr__matrix_block {
    uint32_t row, column, rows, columns; /* the part of the matrix */
    uint32_t slot, slots;
};

struct tsr__matrix {
    const struct tsr__type *component;
    uint32_t rows, columns, use, scope, meaning;
    uint32_t lanes; /* of the sub-group */
    unsigned bits;  /* of a component, as it is in a slot */
    bool int4;      /* components are integers of 4 bits: bytes from 0 to 15 in slots, two in a byte of memory */
    enum tsr__matrix_order order;
    uint32_t deep;              /* A and B: elements in the direction of K that a block has, unless the matrix ends: 32 bytes */
    uint32_t run, rows_at_once; /* ROWS */
    uint32_t slots;
    uint32_t block_count;
    struct tsr__matrix_block *blocks; /* in the order of slots */
    uint32_t vector;                  /* slots in a vector, 1 to 16: each block has whole vectors */
    uint32_t vector_count;
    LLVMTypeRef vector_llvm, llvm; /* a vector, or a scalar if it has one slot; the array of them */
    const char *name;              /* for helper functions: use, shape, component */
};

/* ---- matrix_sizes.c ---- */

/* Before the first matrix type, which `in` makes: the sub-group sizes of the module's matrices, to r->sizes. */
void tsr__matrix_find_sizes(struct tsr__reader *r, const struct tsr__inst *in);

/* ---- matrix_layout.c ---- */

/* Where an element is: the work-item and its slot. */
void tsr__matrix_find(const struct tsr__matrix *m, uint32_t row, uint32_t column, uint32_t *lane, uint32_t *slot);
/* Row and column of a slot in the work-item `lane` (i64). *there: whether the work-item has it, NULL: each has. */
void tsr__matrix_position(struct tsr__reader *r, const struct tsr__matrix *m, uint32_t slot, LLVMValueRef lane, LLVMValueRef *row,
                          LLVMValueRef *column, LLVMValueRef *there);
/* Row and column of a slot (i64) of a linear matrix. */
void tsr__matrix_linear(struct tsr__reader *r, const struct tsr__matrix *m, LLVMValueRef slot, LLVMValueRef lane, LLVMValueRef *row,
                        LLVMValueRef *column);
/* Whether the work-item has any element of the block; NULL: each has. */
LLVMValueRef tsr__matrix_in_block(struct tsr__reader *r, const struct tsr__matrix *m, const struct tsr__matrix_block *b, LLVMValueRef lane);
/* The matrix of an operand or of the result; fails if it is none. */
const struct tsr__matrix *tsr__matrix_operand(struct tsr__reader *r, const struct tsr__inst *in, uint32_t operand);
const struct tsr__matrix *tsr__matrix_result(struct tsr__reader *r, const struct tsr__inst *in);
/* The matrix with other components in the same slots: no type of the module, but what an instruction has in between. */
const struct tsr__matrix *tsr__matrix_of(struct tsr__reader *r, const struct tsr__matrix *m, const struct tsr__type *component);

/* ---- matrix_move.c ---- */

/* The elements of a matrix in the slots of another one of the same shape and components, though maybe for another use. */
LLVMValueRef tsr__matrix_move(struct tsr__reader *r, const struct tsr__matrix *from, const struct tsr__matrix *to, LLVMValueRef value);
/* The elements so many rows and columns on, anything where the matrix ends before. */
LLVMValueRef tsr__matrix_shift(struct tsr__reader *r, const struct tsr__matrix *m, uint32_t rows, uint32_t columns, LLVMValueRef value);

/* ---- matrix_int4.c ---- */

/* Loads a matrix of integers of 4 bits from memory at `base`, with so many bytes (i64) from a row, or a column, to the next; and stores it.
 */
LLVMValueRef tsr__matrix_load_int4(struct tsr__reader *r, const struct tsr__matrix *m, enum tsr__matrix_memory memory, LLVMValueRef base,
                                   LLVMValueRef stride);
void tsr__matrix_store_int4(struct tsr__reader *r, const struct tsr__matrix *m, enum tsr__matrix_memory memory, LLVMValueRef base,
                            LLVMValueRef stride, LLVMValueRef value);

/* ---- matrix_element.c ---- */

/* OpCompositeConstruct and OpConstantComposite. */
LLVMValueRef tsr__matrix_construct(struct tsr__reader *r, const struct tsr__inst *in);
/* Row and column (i64) of a slot (i64) that the work-item has. */
void tsr__matrix_coordinates(struct tsr__reader *r, const struct tsr__matrix *m, LLVMValueRef slot, LLVMValueRef *row,
                             LLVMValueRef *column);
/* How many slots the work-item has, i64. */
LLVMValueRef tsr__matrix_length(struct tsr__reader *r, const struct tsr__matrix *m);
/* The element at an index of the matrix at `place`. */
LLVMValueRef tsr__matrix_element(struct tsr__reader *r, const struct tsr__matrix *m, LLVMValueRef place, LLVMValueRef index);
LLVMValueRef tsr__matrix_extract(struct tsr__reader *r, const struct tsr__inst *in, const struct tsr__matrix *m, LLVMValueRef value,
                                 LLVMValueRef index);
LLVMValueRef tsr__matrix_insert(struct tsr__reader *r, const struct tsr__inst *in, const struct tsr__matrix *m, LLVMValueRef value,
                                LLVMValueRef element, LLVMValueRef index);
/* A phi instruction of matrices is one of each vector. The builder stands behind the phi instructions of the block. */
LLVMValueRef tsr__matrix_phi(struct tsr__reader *r, const struct tsr__matrix *m);
void tsr__matrix_add_incoming(struct tsr__reader *r, LLVMValueRef phi, LLVMValueRef value, LLVMBasicBlockRef from);

/* ---- matrix_value.c: matrices as LLVM values ---- */

/* `count` slots from `first` on, as a vector or, if it is one, a scalar. */
LLVMValueRef tsr__matrix_get(struct tsr__reader *r, const struct tsr__matrix *m, LLVMValueRef value, uint32_t first, uint32_t count);
LLVMValueRef tsr__matrix_put(struct tsr__reader *r, const struct tsr__matrix *m, LLVMValueRef value, uint32_t first, LLVMValueRef part);
LLVMValueRef tsr__matrix_fill(struct tsr__reader *r, const struct tsr__matrix *m, LLVMValueRef scalar);
/* The number of the work-item in its sub-group, i64. */
LLVMValueRef tsr__matrix_lane(struct tsr__reader *r);

/* Whether the work-item is in the sub-group that holds the matrix: of a matrix of the work-group the first one, while the others have a
 * copy, which they do not store. NULL: each sub-group holds its own. */
LLVMValueRef tsr__matrix_holder(struct tsr__reader *r, const struct tsr__matrix *m);
/* An operand that has to be an integer, as i64. */
LLVMValueRef tsr__matrix_integer(struct tsr__reader *r, const struct tsr__inst *in, uint32_t operand);

/* Numbers in constant memory. */
LLVMValueRef tsr__constant_table(struct tsr__reader *r, const char *name, LLVMTypeRef type, LLVMValueRef *numbers, uint32_t count);

/* A function of this module that is inlined wherever it is called. tsr__helper_begin is true for the first of a name, whose body the
 * builder then makes until tsr__helper_end. */
struct tsr__helper {
    LLVMValueRef function;
    LLVMBasicBlockRef caller;
    LLVMMetadataRef line; /* debug location of the caller */
};
bool tsr__helper_begin(struct tsr__reader *r, struct tsr__helper *h, const char *name, LLVMTypeRef result, const LLVMTypeRef *parameters,
                       unsigned count);
/* Ends the body by returning the value, NULL for none. */
void tsr__helper_end(struct tsr__reader *r, struct tsr__helper *h, LLVMValueRef value);
LLVMValueRef tsr__helper_call(struct tsr__reader *r, const struct tsr__helper *h, LLVMValueRef *args, unsigned count);

/* Code that runs where a condition holds. */
struct tsr__guard {
    LLVMBasicBlockRef before, after;
};
/* condition NULL: everywhere. */
void tsr__guard_begin(struct tsr__reader *r, struct tsr__guard *g, LLVMValueRef condition);
/* `value` where the condition holds, else `other`; both NULL if there is none. */
LLVMValueRef tsr__guard_end(struct tsr__reader *r, struct tsr__guard *g, LLVMValueRef value, LLVMValueRef other);

/* A loop of `count` rounds, at least one. */
struct tsr__matrix_loop {
    LLVMBasicBlockRef body;
    uint64_t count;
    LLVMValueRef index, sum; /* of this round; what the round before made */
};
/* The index, i64. first: the sum of the first round, NULL: none. */
LLVMValueRef tsr__loop_begin(struct tsr__reader *r, struct tsr__matrix_loop *l, uint64_t count, LLVMValueRef first);
/* next: the sum of the next round, and of what follows the loop; NULL: none. */
void tsr__loop_end(struct tsr__reader *r, struct tsr__matrix_loop *l, LLVMValueRef next);

#endif
