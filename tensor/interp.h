/* SPDX-License-Identifier: Apache-2.0
 * What the files of the interpreter share. All work-items of a work-group take each instruction together; those that do not take part in a
 * branch are masked out. It is written to be obviously right, and slow. */
#ifndef TESSERA_TENSOR_INTERP_H
#define TESSERA_TENSOR_INTERP_H

#include "tensor/ir.h"

/* A number of any type: integers and truth values in i, sign-extended; numbers with a fraction in re and im, each one that the type has. */
struct tsr__ti_number {
    int64_t i;
    double re, im;
};

/* A value. Numbers: one for each work-item. Memrefs: for each work-item an address, then shape, then strides. Groups: the address of the
 * addresses, those of the sizes and strides (0: static), size, offset; once. Matrices: for each sub-group all elements, by columns. */
struct tsr__ti_value {
    struct tsr__ti_number *number, *next; /* next: room, for values that change at the same time */
    int64_t *word;
    uint32_t words; /* of a work-item */
};

struct tsr__ti {
    const struct tsr__t_func *func;
    struct tsr_arena *arena;
    jmp_buf out;
    const char *why;
    uint32_t items, lanes;        /* of the work-group, of a sub-group */
    uint64_t group[3], groups[3]; /* the work-group that runs, and how many there are */
    struct tsr__ti_value *values; /* by index of the value */
    bool *active;                 /* by work-item: takes part */
    bool spmd;
    void (*region)(struct tsr__ti *t, const struct tsr__t_region *region);
};

/* Ends the run: the program did what the language leaves undefined. */
_Noreturn void tsr__ti_fail(struct tsr__ti *t, const char *why);
void *tsr__ti_alloc(struct tsr__ti *t, size_t size);
static inline struct tsr__ti_value *tsr__ti_value(struct tsr__ti *t, const struct tsr__t_value *value)
{
    return &t->values[value->index];
}

/* Numbers of a value: of work-items, or elements of the matrices of all sub-groups. */
static inline uint32_t tsr__ti_count(const struct tsr__ti *t, const struct tsr__t_type *type)
{
    return type->kind == TSR__T_COOP ? t->items / t->lanes * (uint32_t)(type->rows * type->cols) : t->items;
}

/* ---- interp_number.c ---- */
/* The number that a type has for a result: integers wrap, others are rounded to nearest even. */
struct tsr__ti_number tsr__ti_round(enum tsr__t_number type, struct tsr__ti_number a);
struct tsr__ti_number tsr__ti_convert(struct tsr__ti_number a, enum tsr__t_number from, enum tsr__t_number to);
struct tsr__ti_number tsr__ti_arith(enum tsr__t_op op, enum tsr__t_number type, struct tsr__ti_number a, struct tsr__ti_number b);
struct tsr__ti_number tsr__ti_unary(enum tsr__t_op op, enum tsr__t_number type, struct tsr__ti_number a);
struct tsr__ti_number tsr__ti_fma(enum tsr__t_number type, struct tsr__ti_number a, struct tsr__ti_number b, struct tsr__ti_number c);
bool tsr__ti_compare(enum tsr__t_op op, enum tsr__t_number type, struct tsr__ti_number a, struct tsr__ti_number b);
struct tsr__ti_number tsr__ti_math(enum tsr__t_op op, enum tsr__t_number type, struct tsr__ti_number a);
struct tsr__ti_number tsr__ti_read(enum tsr__t_number type, const void *memory);
void tsr__ti_write(enum tsr__t_number type, void *memory, struct tsr__ti_number a);

/* ---- interp_memory.c ---- */
struct tsr__ti_memref {
    const struct tsr__t_type *type;
    char *pointer;
    const int64_t *shape, *stride;
};
struct tsr__ti_memref tsr__ti_memref(struct tsr__ti *t, const struct tsr__t_value *value, uint32_t item);
/* The address of an element, which must be one of the memref's. */
void *tsr__ti_address(struct tsr__ti *t, const struct tsr__ti_memref *memref, const int64_t *index);
/* Returns what was there before. */
struct tsr__ti_number tsr__ti_store(const struct tsr__ti_memref *memref, void *address, struct tsr__ti_number a, enum tsr__t_atomic atomic);

#define TSR_TI_FUNCTION(group) void tsr__ti_run_##group(struct tsr__ti *t, const struct tsr__t_inst *inst)
TSR_TI_FUNCTION(arith);
TSR_TI_FUNCTION(unary);
TSR_TI_FUNCTION(compare);
TSR_TI_FUNCTION(cast);
TSR_TI_FUNCTION(math);
TSR_TI_FUNCTION(constant);
TSR_TI_FUNCTION(builtin);
TSR_TI_FUNCTION(broadcast);
TSR_TI_FUNCTION(subgroup);
TSR_TI_FUNCTION(alloca);
TSR_TI_FUNCTION(lifetime);
TSR_TI_FUNCTION(expand);
TSR_TI_FUNCTION(fuse);
TSR_TI_FUNCTION(subview);
TSR_TI_FUNCTION(size);
TSR_TI_FUNCTION(associated);
TSR_TI_FUNCTION(load);
TSR_TI_FUNCTION(store);
TSR_TI_FUNCTION(update);
TSR_TI_FUNCTION(barrier);
TSR_TI_FUNCTION(for);
TSR_TI_FUNCTION(foreach);
TSR_TI_FUNCTION(foreach_tile);
TSR_TI_FUNCTION(if);
TSR_TI_FUNCTION(parallel);
TSR_TI_FUNCTION(yield);
TSR_TI_FUNCTION(axpby);
TSR_TI_FUNCTION(cumsum);
TSR_TI_FUNCTION(gemm);
TSR_TI_FUNCTION(gemv);
TSR_TI_FUNCTION(ger);
TSR_TI_FUNCTION(hadamard);
TSR_TI_FUNCTION(sum);
TSR_TI_FUNCTION(coop_load);
TSR_TI_FUNCTION(coop_mul_add);
TSR_TI_FUNCTION(coop_construct);
TSR_TI_FUNCTION(coop_scale);
TSR_TI_FUNCTION(coop_store);
TSR_TI_FUNCTION(coop_update);
TSR_TI_FUNCTION(coop_apply);
TSR_TI_FUNCTION(coop_extract);
TSR_TI_FUNCTION(coop_insert);
TSR_TI_FUNCTION(coop_prefetch);
TSR_TI_FUNCTION(coop_reduce);

#endif
