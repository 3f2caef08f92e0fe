/* SPDX-License-Identifier: Apache-2.0
 * What the files of the code generator share. A function becomes a kernel whose work-items all run the whole body: values of collective
 * regions are the same in all of them, instructions of linear algebra give each its part of the result. */
#ifndef TESSERA_TENSOR_LLVM_EMIT_H
#define TESSERA_TENSOR_LLVM_EMIT_H

#include "tensor/ir.h"
#include "tensor/llvm/module.h"

#include <llvm-c/Core.h>

/* A number: its real part, and the imaginary one of a complex number (otherwise NULL). bf16 is an i16 with its bits. */
struct tsr__te_number {
    LLVMValueRef re, im;
};

/* A value of the text. Numbers and truth values have one part, complex numbers two; a memref its address, then the sizes, then the strides
 * (i64); a group the address of its addresses, the addresses of sizes and strides (NULL: static), its size and its offset; a matrix its
 * components, see coop.c. */
struct tsr__te_value {
    LLVMValueRef *part;
    uint32_t count;
};

/* Memory that instructions have touched since the last barrier: bits of FENCE_GLOBAL and FENCE_LOCAL. */
struct tsr__te_touched {
    uint32_t read, written;
};
static inline struct tsr__te_touched tsr__te_both(struct tsr__te_touched a, struct tsr__te_touched b)
{
    return (struct tsr__te_touched){a.read | b.read, a.written | b.written};
}

struct tsr__te {
    struct tsr_tensor_program *program;
    const struct tsr__t_func *func;
    struct tsr_arena *arena;
    struct tsr_buf *log;
    jmp_buf out;
    LLVMContextRef context;
    LLVMModuleRef module;
    LLVMBuilderRef builder;
    LLVMValueRef function;
    struct tsr__te_value *values; /* by index of the value; behind them there is room for TSR__TE_MORE_VALUES */
    uint32_t *local_offset;       /* of an alloca, by index of its value: bytes */
    LLVMValueRef local;           /* the bytes that these are in; NULL: none */
    struct tsr__te_memory {
        LLVMValueRef array; /* NULL: none */
        uint32_t bytes;
    } scratch[2];      /* local memory of single instructions, of collective and of SPMD regions */
    LLVMValueRef room; /* a global whose address stands for the bytes that each sub-group has of it, which are known in the end; or NULL */
    uint32_t room_bytes; /* so far */
    struct tsr_tensor_unit unit;
    LLVMValueRef item[2];    /* i64: local id */
    LLVMValueRef first_item; /* i1 */
    bool one_sub_group;      /* the work-group is one sub-group */
    bool spmd;               /* in an SPMD region */
    struct tsr__te_touched touched;
    const struct tsr__t_inst *last; /* of the body, behind which nothing touches memory; NULL: none */
    bool at_end;                    /* code for that one is made */
    void (*region)(struct tsr__te *e, const struct tsr__t_region *region);
    void (*inst)(struct tsr__te *e, const struct tsr__t_inst *inst);
};

/* ---- core.c: types, constants, calls, control flow ---- */
LLVMTypeRef tsr__te_type(struct tsr__te *e, enum tsr__t_number number); /* of one part */
static inline bool tsr__te_is_complex(enum tsr__t_number number)
{
    return tsr__t_numbers[number].class == TSR__T_COMPLEX;
}
static inline uint32_t tsr__te_parts(enum tsr__t_number number)
{
    return tsr__te_is_complex(number) ? 2 : 1;
}
/* Number `i` of an array of them, each with so many parts. */
static inline struct tsr__te_number tsr__te_number_at(const LLVMValueRef *array, uint32_t parts, uint32_t i)
{
    return (struct tsr__te_number){array[i * parts], parts > 1 ? array[i * parts + 1] : NULL};
}
static inline void tsr__te_put_number(LLVMValueRef *array, uint32_t parts, uint32_t i, struct tsr__te_number number)
{
    array[i * parts] = number.re;
    if (parts > 1)
        array[i * parts + 1] = number.im;
}
LLVMValueRef tsr__te_i64(struct tsr__te *e, int64_t number);
LLVMValueRef tsr__te_i32(struct tsr__te *e, uint32_t number);
/* A static size, or -1. */
int64_t tsr__te_known(LLVMValueRef number);
/* What surely divides a size: of a known one itself, of a product its constant factor. */
uint64_t tsr__te_divisor(LLVMValueRef number);
_Noreturn void tsr__te_refuse(struct tsr__te *e, const struct tsr__t_inst *inst, const char *format, ...) TSR_PRINTF_LIKE(3, 4);
/* The attributes of all functions. */
void tsr__te_set_attributes(struct tsr__te *e, LLVMValueRef function);
/* Function of OpenCL C by its name and the codes of its parameters in mangled names. */
LLVMValueRef tsr__te_call(struct tsr__te *e, const char *name, const char *codes, LLVMTypeRef result, LLVMValueRef *args, unsigned count);
/* A function of the device, which one work-item calls. */
void tsr__te_device_call(struct tsr__te *e, const char *name, LLVMValueRef *args, unsigned count);
LLVMValueRef tsr__te_intrinsic(struct tsr__te *e, const char *name, LLVMTypeRef overloaded, LLVMValueRef *args, unsigned count);
/* i64: the number of the work-item in its sub-group. */
LLVMValueRef tsr__te_lane(struct tsr__te *e);
const char *tsr__te_code(enum tsr__t_number number); /* in mangled names, of one part */
void tsr__te_set(struct tsr__te *e, const struct tsr__t_value *value, LLVMValueRef *parts, uint32_t count);
LLVMValueRef *tsr__te_room(struct tsr__te *e, uint32_t count);
/* Memory of the work-item, made once at the beginning of the function. */
LLVMValueRef tsr__te_slot(struct tsr__te *e, LLVMTypeRef type);
struct tsr__te_number tsr__te_get_number(struct tsr__te *e, const struct tsr__t_value *value);
void tsr__te_set_number(struct tsr__te *e, const struct tsr__t_value *value, struct tsr__te_number number);

/* for (i = from; i < to; i += step), signed, with values that are carried on: tsr__te_loop begins the body, tsr__te_end_loop ends it with
 * their new values, after which `carried` holds the last ones. */
struct tsr__te_loop {
    LLVMBasicBlockRef head, end; /* NULL: there is no loop */
    LLVMValueRef index, step, *carried;
    uint32_t count;
    LLVMValueRef to; /* of a loop that surely has a round; otherwise NULL */
    bool saturating; /* index and step add up to the largest number of their type at most */
};
void tsr__te_loop(struct tsr__te *e, struct tsr__te_loop *loop, LLVMValueRef from, LLVMValueRef to, LLVMValueRef step, LLVMValueRef *first,
                  uint32_t count);
/* Where from < to, without carried values: the loop tests at its end only. */
void tsr__te_sure_loop(struct tsr__te *e, struct tsr__te_loop *loop, LLVMValueRef from, LLVMValueRef to, LLVMValueRef step);
/* If the loop is known to have one round, code for that round and no loop, which gets no hint. */
void tsr__te_loop_or_once(struct tsr__te *e, struct tsr__te_loop *loop, LLVMValueRef from, LLVMValueRef to, LLVMValueRef step);
void tsr__te_end_loop(struct tsr__te *e, struct tsr__te_loop *loop, LLVMValueRef *next);
/* Ends a loop that LLVM is not to unroll, as that would take longer to compile and no less to run. */
void tsr__te_end_rolled_loop(struct tsr__te *e, struct tsr__te_loop *loop, LLVMValueRef *next);
/* Number `i` of those that a loop carries on, each with so many parts. */
struct tsr__te_number tsr__te_carried(const struct tsr__te_loop *loop, uint32_t parts, uint32_t i);
/* A loop that carries on one number. The first function returns its value in the round, the second the last value. */
struct tsr__te_number tsr__te_number_loop(struct tsr__te *e, struct tsr__te_loop *loop, LLVMValueRef from, LLVMValueRef to,
                                          LLVMValueRef step, struct tsr__te_number first);
struct tsr__te_number tsr__te_end_number_loop(struct tsr__te *e, struct tsr__te_loop *loop, struct tsr__te_number next);
/* A hint to LLVM about a loop that has been ended; `count` 0: the hint has no number. */
void tsr__te_hint(struct tsr__te *e, const struct tsr__te_loop *loop, const char *name, uint32_t count);
/* So many rounds become one when all else has been done to the code of packets: unrolled before, it would be more to compile. */
void tsr__te_unroll_late(struct tsr__te *e, const struct tsr__te_loop *loop, uint32_t rounds);
/* No code for several rounds at once, where lanes gather and the CPU is quick at that. */
void tsr__te_few_rounds(struct tsr__te *e, const struct tsr__te_loop *loop);
LLVMBasicBlockRef tsr__te_block(struct tsr__te *e); /* a new one at the end of the function */
/* if (condition) { … }: the block where it goes on. NULL condition: always, and nothing is made. */
LLVMBasicBlockRef tsr__te_if(struct tsr__te *e, LLVMValueRef condition);
/* Ends that block and begins the one for where the condition does not hold. */
LLVMBasicBlockRef tsr__te_else(struct tsr__te *e, LLVMBasicBlockRef end);
void tsr__te_end_if(struct tsr__te *e, LLVMBasicBlockRef end);
/* Indices i64 that lie over work-items in blocks: each block has as many as there are of these, so that all of them make the same rounds.
 */
struct tsr__te_spread {
    LLVMValueRef item; /* number of the work-item in the block */
    uint32_t width;    /* of a block */
    void (*body)(struct tsr__te *e, const void *context, LLVMValueRef index);
    const void *context;
};
enum tsr__te_blocks {
    TSR__TE_MASKED, /* work-items have no index where a block ends behind the last one */
    TSR__TE_WHOLE,  /* indices fill blocks, so there are no masks */
    TSR__TE_LAST,   /* one block, which they do not fill */
};
void tsr__te_spread(struct tsr__te *e, const struct tsr__te_spread *spread, enum tsr__te_blocks blocks, LLVMValueRef from, LLVMValueRef to);
/* The end of the indices that fill blocks. Those and the last block may be passes of their own through outer loops: the last block of a
 * column, had it to be read right behind the one before, would wait for the masked store of that. */
LLVMValueRef tsr__te_whole(struct tsr__te *e, LLVMValueRef from, LLVMValueRef to, uint32_t width);
/* What known indices are; MASKED: whole blocks and a last one, or not known. */
enum tsr__te_blocks tsr__te_blocks_of(LLVMValueRef from, LLVMValueRef to, uint32_t width);
/* An if whose body makes values; where the condition does not hold, they are 0. */
struct tsr__te_guard {
    LLVMBasicBlockRef before, end;
};
struct tsr__te_guard tsr__te_guard(struct tsr__te *e, LLVMValueRef condition);
void tsr__te_end_guard(struct tsr__te *e, const struct tsr__te_guard *guard, LLVMValueRef *values, uint32_t count);
void tsr__te_barrier(struct tsr__te *e, uint32_t fences);
/* A barrier for what the instruction that is being made has in tsr__te_scratch. */
void tsr__te_scratch_barrier(struct tsr__te *e);
/* Before an instruction of a collective region that touches this: the barrier that it needs. */
void tsr__te_touch(struct tsr__te *e, struct tsr__te_touched now);

/* ---- number.c: arithmetic ---- */
struct tsr__te_number tsr__te_convert(struct tsr__te *e, struct tsr__te_number a, enum tsr__t_number from, enum tsr__t_number to);
struct tsr__te_number tsr__te_arith(struct tsr__te *e, enum tsr__t_op op, enum tsr__t_number type, struct tsr__te_number a,
                                    struct tsr__te_number b);
struct tsr__te_number tsr__te_unary(struct tsr__te *e, enum tsr__t_op op, enum tsr__t_number type, struct tsr__te_number a);
LLVMValueRef tsr__te_compare(struct tsr__te *e, enum tsr__t_op op, enum tsr__t_number type, struct tsr__te_number a,
                             struct tsr__te_number b);
struct tsr__te_number tsr__te_math(struct tsr__te *e, enum tsr__t_op op, enum tsr__t_number type, struct tsr__te_number a);
/* c + a * b, for numbers with a fraction in one rounding. */
struct tsr__te_number tsr__te_fma(struct tsr__te *e, enum tsr__t_number type, struct tsr__te_number a, struct tsr__te_number b,
                                  struct tsr__te_number c);
struct tsr__te_number tsr__te_zero(struct tsr__te *e, enum tsr__t_number type);

/* ---- memory.c: memrefs ---- */
struct tsr__te_memref {
    const struct tsr__t_type *type;
    LLVMValueRef pointer, *shape, *stride;
};
struct tsr__te_memref tsr__te_get_memref(struct tsr__te *e, const struct tsr__t_value *value);
/* The address of an element. */
LLVMValueRef tsr__te_address(struct tsr__te *e, const struct tsr__te_memref *memref, LLVMValueRef *index);
/* The address of element (i, j) of a matrix; `transposed`: of (j, i). */
LLVMValueRef tsr__te_element_address(struct tsr__te *e, const struct tsr__te_memref *memref, bool transposed, LLVMValueRef i,
                                     LLVMValueRef j);
struct tsr__te_number tsr__te_load_number(struct tsr__te *e, const struct tsr__te_memref *memref, LLVMValueRef address);
/* The element `index` where `good` holds (NULL: always), otherwise 0; without a branch around what follows, where all lanes have to be. */
struct tsr__te_number tsr__te_load_or_zero(struct tsr__te *e, const struct tsr__te_memref *memref, LLVMValueRef *index, LLVMValueRef good);
/* The element, or 0, as a number of type `number`. */
struct tsr__te_number tsr__te_load_as(struct tsr__te *e, const struct tsr__te_memref *memref, LLVMValueRef *index, LLVMValueRef good,
                                      enum tsr__t_number number);
/* Element (i, j) of a matrix, `transposed`: (j, i), or 0 where `good` does not hold, as a number of type `number`. */
struct tsr__te_number tsr__te_load_element(struct tsr__te *e, const struct tsr__te_memref *memref, bool transposed, LLVMValueRef i,
                                           LLVMValueRef j, LLVMValueRef good, enum tsr__t_number number);
/* Part `at` of a column of a matrix whose columns have no gaps, as a number of type `number`; the parts of complex numbers follow each
 * other. */
LLVMValueRef tsr__te_load_part(struct tsr__te *e, const struct tsr__te_memref *memref, LLVMValueRef col, LLVMValueRef at,
                               enum tsr__t_number number);
/* Prefetches element (i, j) of a matrix, which may be behind its end, or `rows` rows of a column. Nothing for local memory. */
void tsr__te_prefetch_at(struct tsr__te *e, LLVMValueRef address);
void tsr__te_prefetch(struct tsr__te *e, const struct tsr__te_memref *memref, LLVMValueRef i, LLVMValueRef j);
void tsr__te_prefetch_rows(struct tsr__te *e, const struct tsr__te_memref *memref, LLVMValueRef first, LLVMValueRef col, uint32_t rows);
/* An atomic load; an update, which returns what was there before. */
struct tsr__te_number tsr__te_load_atomic(struct tsr__te *e, const struct tsr__te_memref *memref, LLVMValueRef address);
struct tsr__te_number tsr__te_update_memory(struct tsr__te *e, const struct tsr__te_memref *memref, LLVMValueRef address,
                                            struct tsr__te_number number, enum tsr__t_atomic atomic);
/* What the order of an atomic store demands beyond what it does by itself. */
void tsr__te_order_behind(struct tsr__te *e, const struct tsr__t_inst *inst);
void tsr__te_store_number(struct tsr__te *e, const struct tsr__te_memref *memref, LLVMValueRef address, struct tsr__te_number number,
                          enum tsr__t_atomic atomic);
static inline uint32_t tsr__te_space(const struct tsr__t_type *memref)
{
    return memref->local ? TSR__T_FENCE_LOCAL : TSR__T_FENCE_GLOBAL;
}

/* ---- scalar.c ---- */
/* A function of OpenCL C on one number of each work-item of a sub-group; of bf16 it is computed in f32 and rounded once. */
struct tsr__te_number tsr__te_sub_group(struct tsr__te *e, const char *name, enum tsr__t_number number, struct tsr__te_number a);
/* Which of its work-group's sub-groups this is, i64; 0 where that is one sub-group. */
LLVMValueRef tsr__te_sub_group_id(struct tsr__te *e);
/* The number that work-item `lane` of the sub-group has. */
struct tsr__te_number tsr__te_broadcast(struct tsr__te *e, enum tsr__t_number number, struct tsr__te_number a, LLVMValueRef lane);
/* The number that work-item `from` of the sub-group has, an i32 of each work-item's own. */
struct tsr__te_number tsr__te_shuffle(struct tsr__te *e, enum tsr__t_number number, struct tsr__te_number a, LLVMValueRef from);

/* ---- module.c ---- */
/* Local memory of `bytes` bytes for the instruction that is being made. All instructions of regions of the same kind share it, so the first
 * access is behind a barrier. NULL: the function's own local memory leaves too little. */
LLVMValueRef tsr__te_scratch(struct tsr__te *e, uint32_t bytes);

/* ---- region.c ---- */
struct tsr__te_touched tsr__te_touched_by(const struct tsr__t_region *region);
struct tsr__te_touched tsr__te_touched_by_inst(const struct tsr__t_inst *inst);

/* ---- layout.c ---- */
/* Where the allocas of the function lie: fills local_offset, by the index of the value; returns the bytes of all, or TOO_MUCH. */
#define TSR__TE_TOO_MUCH UINT32_MAX
uint32_t tsr__te_layout(const struct tsr__t_func *func, struct tsr_arena *arena, uint32_t *local_offset);

/* ---- what an instruction becomes, by its group ---- */
#define TSR_TE_FUNCTION(group) void tsr__te_emit_##group(struct tsr__te *e, const struct tsr__t_inst *inst)
TSR_TE_FUNCTION(arith);
TSR_TE_FUNCTION(unary);
TSR_TE_FUNCTION(compare);
TSR_TE_FUNCTION(cast);
TSR_TE_FUNCTION(math);
TSR_TE_FUNCTION(constant);
TSR_TE_FUNCTION(builtin);
TSR_TE_FUNCTION(broadcast);
TSR_TE_FUNCTION(subgroup);
TSR_TE_FUNCTION(alloca);
TSR_TE_FUNCTION(lifetime);
TSR_TE_FUNCTION(expand);
TSR_TE_FUNCTION(fuse);
TSR_TE_FUNCTION(subview);
TSR_TE_FUNCTION(size);
TSR_TE_FUNCTION(associated);
TSR_TE_FUNCTION(load);
TSR_TE_FUNCTION(store);
TSR_TE_FUNCTION(update);
TSR_TE_FUNCTION(barrier);
TSR_TE_FUNCTION(for);
TSR_TE_FUNCTION(foreach);
TSR_TE_FUNCTION(foreach_tile);
TSR_TE_FUNCTION(if);
TSR_TE_FUNCTION(parallel);
TSR_TE_FUNCTION(yield);
TSR_TE_FUNCTION(axpby);
TSR_TE_FUNCTION(cumsum);
TSR_TE_FUNCTION(gemm);
TSR_TE_FUNCTION(gemv);
TSR_TE_FUNCTION(ger);
TSR_TE_FUNCTION(hadamard);
TSR_TE_FUNCTION(sum);
TSR_TE_FUNCTION(coop_load);
TSR_TE_FUNCTION(coop_mul_add);
TSR_TE_FUNCTION(coop_construct);
TSR_TE_FUNCTION(coop_scale);
TSR_TE_FUNCTION(coop_store);
TSR_TE_FUNCTION(coop_update);
TSR_TE_FUNCTION(coop_apply);
TSR_TE_FUNCTION(coop_extract);
TSR_TE_FUNCTION(coop_insert);
TSR_TE_FUNCTION(coop_prefetch);
TSR_TE_FUNCTION(coop_reduce);

enum { TSR__TE_FIRST_LEVEL = 32 << 10 }; /* bytes of the first level of the caches */

/* ---- operands.c ---- */
/* alpha, the factors, beta and the result of such an instruction. */
struct tsr__te_blas {
    struct tsr__te_number alpha, beta;
    enum tsr__t_number alpha_type, beta_type;
    enum tsr__t_number sum; /* in which all but products of matrices is computed; low bits of integers are the same in any type */
    bool alpha_one, beta_zero, beta_one; /* constants */
    struct tsr__te_memref a, b, c;       /* b: that of instructions with two factors */
    bool has_b;
    enum tsr__t_atomic atomic;
    LLVMValueRef adds; /* whether beta * C is added, if beta is not 0; NULL: it is */
};
struct tsr__te_blas tsr__te_begin_blas(struct tsr__te *e, const struct tsr__t_inst *inst);
/* Whether an update of C is code for each lane, or a loop over them, which takes longer than the sum: it is atomic, or lanes write bytes or
 * halves that do not lie side by side. */
bool tsr__te_updates_lanes(const struct tsr__te_blas *o);
/* C := alpha * product + beta * C for an element; the sum is made in `sum`, the type of the product. */
void tsr__te_update(struct tsr__te *e, const struct tsr__te_blas *o, LLVMValueRef address, struct tsr__te_number product,
                    enum tsr__t_number sum);
/* An element of C. `good` NULL: it surely is one. */
struct tsr__te_target {
    LLVMValueRef address, good;
};
/* Makes of products, the last rows of which have masks, what is stored, before any of it is: what is read of a column would otherwise wait
 * for the masked store of the column in front of it. False: nothing is read, and nothing was made. */
bool tsr__te_update_apart(struct tsr__te *e, const struct tsr__te_blas *o, const struct tsr__te_target *targets, LLVMValueRef *products,
                          uint32_t count, enum tsr__t_number sum);
/* Columns of C that are updated so: all are read before one is written. */
enum { TSR__TE_COLUMNS_TOGETHER = 4, TSR__TE_MOST_COLUMNS_TOGETHER = 8 };
struct tsr__te_together {
    const struct tsr__te_blas *o;
    LLVMValueRef end, last; /* of the columns; the last one, which is read in the place of those behind it, or NULL: there are none */
    uint32_t count;         /* together */
    struct tsr__te_target targets[TSR__TE_MOST_COLUMNS_TOGETHER];
    LLVMValueRef products[2 * TSR__TE_MOST_COLUMNS_TOGETHER];
};
/* `most`: TSR__TE_MOST_COLUMNS_TOGETHER if their number is known; or TSR__TE_COLUMNS_TOGETHER, which there are then each time, if there are
 * as many. False: they need not be together, as nothing is read. */
bool tsr__te_begin_together(struct tsr__te *e, const struct tsr__te_blas *o, LLVMValueRef columns, uint32_t most,
                            struct tsr__te_together *all);
/* The number of column `i` of those from `first` on. */
LLVMValueRef tsr__te_one_together(struct tsr__te *e, const struct tsr__te_together *all, LLVMValueRef first, uint32_t i);
void tsr__te_put_together(struct tsr__te *e, struct tsr__te_together *all, uint32_t i, LLVMValueRef *index, struct tsr__te_number product);
void tsr__te_update_together(struct tsr__te *e, struct tsr__te_together *all, LLVMValueRef first);
/* An update, or, behind that function (`apart`), its store. */
void tsr__te_finish_update(struct tsr__te *e, const struct tsr__te_blas *o, const struct tsr__te_target *target,
                           struct tsr__te_number product, enum tsr__t_number sum, bool apart);

/* The sum with a number of A added to it or, where there is a vector B, the product of that number and element `k` of B. */
struct tsr__te_number tsr__te_accumulate(struct tsr__te *e, const struct tsr__te_blas *o, struct tsr__te_number a, LLVMValueRef k,
                                         struct tsr__te_number sum);

/* Registers that hold so many bytes of a vector. */
uint32_t tsr__te_registers(const struct tsr__te *e, uint32_t bytes);
/* Columns of a tile of C whose rows take so many registers: as many as registers hold, with a column of A and a number of B. */
enum { TSR__TE_MOST_COLUMNS = 12 };
uint32_t tsr__te_columns(const struct tsr__te *e, uint32_t registers);
/* Numbers of each work-item that two thirds of the registers hold. */
enum { TSR__TE_MOST_TOGETHER = 16 };
uint32_t tsr__te_together(const struct tsr__te *e, enum tsr__t_number number);
/* Where work-items take `count` rows each, side by side, which are a piece of a column: prefetches that of a later column. */
void tsr__te_prefetch_piece(struct tsr__te *e, const struct tsr__te_memref *memref, LLVMValueRef first, LLVMValueRef col, uint32_t count);
/* Rows of C of each work-item, whose numbers registers hold. */
uint32_t tsr__te_rows_together(const struct tsr__te *e, const struct tsr__te_blas *o);

/* ---- transpose.c ---- */
enum { TSR__TE_MOST_SIDE = 16 };
/* How squares of a matrix are transposed, of whose columns the elements lie side by side in memory. */
struct tsr__te_transposition {
    LLVMValueRef local; /* memory for one square */
    LLVMTypeRef type;
    uint32_t bytes;    /* of an element */
    LLVMValueRef last; /* column: it is read in the place of those behind it; NULL: there are none */
    LLVMValueRef rows; /* of the matrix, if they are fewer than those of a square; otherwise NULL */
    LLVMValueRef (*load)(struct tsr__te *e, const void *context, LLVMValueRef col, LLVMValueRef row); /* lanes have rows side by side */
    void (*prefetch)(struct tsr__te *e, const void *context, LLVMValueRef col, LLVMValueRef row);     /* NULL: nothing is prefetched */
    const void *context;
};
/* Rows and columns of a square; 0: work-groups of this size have none. */
uint32_t tsr__te_square_side(const struct tsr__te *e);
/* The square whose first element is (row, col): each lane gets the elements of its column. */
void tsr__te_transpose(struct tsr__te *e, const struct tsr__te_transposition *t, LLVMValueRef col, LLVMValueRef row,
                       LLVMValueRef *elements);
/* Stores an element in the transposed matrix: lanes have columns side by side. */
typedef void tsr__te_store_transposed(struct tsr__te *e, const void *context, LLVMValueRef col, LLVMValueRef row, LLVMValueRef element);
/* A matrix of known sizes. `store` is called for columns that fill squares: behind the last column with that one's elements again. */
void tsr__te_transpose_all(struct tsr__te *e, struct tsr__te_transposition t, uint32_t cols, uint32_t rows,
                           tsr__te_store_transposed *store);

/* ---- blas_columns.c ---- */
/* sum or gemv with a transposed A. False: there is no such code, and nothing was made. */
bool tsr__te_blas_columns(struct tsr__te *e, const struct tsr__te_blas *o);
/* The sum of a vector. */
void tsr__te_sum_vector(struct tsr__te *e, const struct tsr__te_blas *o);

/* ---- axpby_transposed.c ---- */
/* axpby with a transposed A. False: there is no such code, and nothing was made. */
bool tsr__te_axpby_transposed(struct tsr__te *e, const struct tsr__te_blas *o);

/* ---- gemm_shared.c ---- */
enum { TSR__TE_GEMM_OPERANDS = 5, TSR__TE_MORE_VALUES = TSR__TE_GEMM_OPERANDS };
/* A region with several products that can share their code. False: it has none, and nothing was made. */
bool tsr__te_emit_shared(struct tsr__te *e, const struct tsr__t_region *region);

/* ---- gemm_steps.c ---- */
/* A loop that adds up a product in steps of K. False: it is none, or had better stay a loop, and nothing was made. */
bool tsr__te_emit_steps(struct tsr__te *e, const struct tsr__t_inst *loop);

/* ---- dot.c: dot products of words ---- */
enum tsr__te_dot {
    TSR__TE_NO_DOT,
    TSR__TE_DOT_BYTES, /* of four bytes; those of B are unsigned */
    TSR__TE_DOT_I16,   /* of two */
    TSR__TE_DOT_BF16,  /* of two */
};
/* The dot products that the CPU has for a product of matrices of these types, by a work-group of one sub-group; of cooperative ones. */
enum tsr__te_dot tsr__te_dot_of(const struct tsr__te *e, enum tsr__t_number a, enum tsr__t_number b, enum tsr__t_number sum);
enum tsr__te_dot tsr__te_coop_dot_of(const struct tsr__te *e, enum tsr__t_number a, enum tsr__t_number b, enum tsr__t_number sum);
/* Whether a unit multiplies tiles of these types, by a work-group of one sub-group. */
bool tsr__te_has_tiles(const struct tsr__te *e, enum tsr__t_number a, enum tsr__t_number b, enum tsr__t_number sum);
/* Whether numbers of these types are multiplied in pairs, as i16: bytes as well, where the CPU has no dot product of four. */
bool tsr__te_has_pairs(const struct tsr__te *e, enum tsr__t_number a, enum tsr__t_number b, enum tsr__t_number sum);
/* A word of memory, at a multiple of so many bytes. */
LLVMValueRef tsr__te_load_word(struct tsr__te *e, LLVMValueRef address, uint32_t align);
/* The sum with the dot product of two words added to it. */
LLVMValueRef tsr__te_dot_add(struct tsr__te *e, enum tsr__te_dot dot, LLVMValueRef a, LLVMValueRef b, LLVMValueRef sum);
/* Adds 128 to each of four signed bytes, for TSR__TE_DOT_BYTES. A product is too large then by 128 times the sum of the bytes of A, which
 * tsr__te_add_excess adds up. */
LLVMValueRef tsr__te_make_unsigned(struct tsr__te *e, LLVMValueRef bytes);
LLVMValueRef tsr__te_add_excess(struct tsr__te *e, LLVMValueRef a, LLVMValueRef sum);
/* The numbers as a vector; one number is itself. */
LLVMValueRef tsr__te_vector(struct tsr__te *e, const LLVMValueRef *numbers, uint32_t count);
/* Integers as a word of 32 bits, the first one lowest. The vector engine sees that they are all that is in it. */
LLVMValueRef tsr__te_word(struct tsr__te *e, const LLVMValueRef *parts, uint32_t count);

/* ---- mad.c: the matrix functions; `number` is the type of A and B ---- */
enum { TSR__TE_MAD_LANES = 16 };
bool tsr__te_has_mad(const struct tsr__te *e, enum tsr__t_number a, enum tsr__t_number b, enum tsr__t_number sum);
/* Columns of A that a call takes. */
uint32_t tsr__te_mad_depth(enum tsr__t_number number);
/* The operand that `count` numbers of the work-item's row of A make. */
LLVMValueRef tsr__te_mad_row(struct tsr__te *e, const LLVMValueRef *numbers, uint32_t count);
/* The part of an operand that a work-item has of a column of B: one number, or two that follow each other. */
LLVMValueRef tsr__te_mad_part(struct tsr__te *e, const LLVMValueRef *numbers, uint32_t count);
/* Adds the products of a row with the parts of `count` columns to the work-item's sums. */
void tsr__te_mad(struct tsr__te *e, enum tsr__t_number number, const LLVMValueRef *parts, LLVMValueRef row, LLVMValueRef *sums,
                 uint32_t count);
/* ---- gemm_pack.c ---- */
/* Puts copies in local memory in the place of a transposed A, and of a B of another type than the sum, where they are worth it. */
void tsr__te_pack_operands(struct tsr__te *e, struct tsr__te_blas *o, bool *ta, enum tsr__t_number sum);
/* ---- gemm_mad.c ---- */
/* False: there is no function for these types and sizes, and nothing was made. */
bool tsr__te_gemm_by_mad(struct tsr__te *e, const struct tsr__t_inst *inst, const struct tsr__te_blas *o);
/* Whether there is. */
bool tsr__te_fits_mad(const struct tsr__te *e, const struct tsr__t_inst *inst, const struct tsr__te_blas *o);
/* ---- gemm_tiles.c ---- */
/* Answers what tsr__te_gemm_by_blocks does. */
bool tsr__te_gemm_by_tiles(struct tsr__te *e, const struct tsr__t_inst *inst, const struct tsr__te_blas *o, LLVMBasicBlockRef *otherwise);
/* ---- gemm_dot.c ---- */
/* False: K is not known, or there is no dot product of these types, and nothing was made. */
bool tsr__te_gemm_by_dots(struct tsr__te *e, const struct tsr__t_inst *inst, const struct tsr__te_blas *o);
/* ---- gemm_blocks.c ---- */
enum { TSR__TE_LEAST_SIZE = 24 }; /* rows, columns, and elements of K of what is cut; of pairs fewer are enough */
/* True: the product is made. False and *otherwise NULL: nothing was made. False and *otherwise a block: what was made is for large sizes;
 * the caller makes code for the others and then calls tsr__te_end_if with that block. */
bool tsr__te_gemm_by_blocks(struct tsr__te *e, const struct tsr__t_inst *inst, const struct tsr__te_blas *o, LLVMBasicBlockRef *otherwise);

#endif
