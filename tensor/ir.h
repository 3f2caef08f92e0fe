/* SPDX-License-Identifier: Apache-2.0
 * A program of the tensor language in memory: functions, regions, instructions, values, types. All of it lies in the program's arena. */
#ifndef TESSERA_TENSOR_IR_H
#define TESSERA_TENSOR_IR_H

#include <setjmp.h>

#include "tessera/tensor.h"

/* ---- types (types.c) ---- */

enum tsr__t_number {
#define TSR_NUMBER(name, text, bytes, class, component) TSR__T_##name,
#include "tensor/numbers.def"
#undef TSR_NUMBER
    TSR__T_NUMBERS
};
enum tsr__t_class { TSR__T_INTEGER, TSR__T_FLOATING, TSR__T_COMPLEX };
struct tsr__t_number_info {
    const char *text;
    uint32_t bytes;
    enum tsr__t_class class;
    enum tsr__t_number component; /* of a complex number, otherwise itself */
};
extern const struct tsr__t_number_info tsr__t_numbers[TSR__T_NUMBERS];

enum tsr__t_kind { TSR__T_BOOL, TSR__T_NUMBER, TSR__T_MEMREF, TSR__T_GROUP, TSR__T_COOP };
enum tsr__t_use { TSR__T_MATRIX_A, TSR__T_MATRIX_B, TSR__T_MATRIX_ACC, TSR__T_USES };
extern const char *const tsr__t_use_names[TSR__T_USES];
#define TSR__T_DYNAMIC INT64_MIN /* '?' */

struct tsr__t_type {
    enum tsr__t_kind kind;
    enum tsr__t_number number;  /* of the value, the elements, the components */
    uint32_t order;             /* memref */
    int64_t *shape, *stride;    /* memref */
    bool local, has_space;      /* memref: in local memory; the text says where */
    struct tsr__t_type *memref; /* group: what it consists of */
    int64_t size, offset;       /* group */
    int64_t rows, cols;         /* coop */
    enum tsr__t_use use;        /* coop */
};

bool tsr__t_same_type(const struct tsr__t_type *a, const struct tsr__t_type *b);
/* Whether all values of `a` are values of `b`. */
bool tsr__t_promotable(enum tsr__t_number a, enum tsr__t_number b);
/* The one of both that has all values of the other. False: neither has. */
bool tsr__t_promote(enum tsr__t_number a, enum tsr__t_number b, enum tsr__t_number *result);
/* What products of matrices with elements `c` in C are summed up in. */
enum tsr__t_number tsr__t_sum_type(enum tsr__t_number c);
/* The product, or '?' where a factor is '?' or the product does not fit. */
int64_t tsr__t_product(int64_t a, int64_t b);
/* Neither is '?', and the product does not fit. */
bool tsr__t_overflows(int64_t a, int64_t b);
/* Fills stride[1 …] as in packed memory, from stride[0] on. */
void tsr__t_packed(const int64_t *shape, int64_t *stride, uint32_t order);
void tsr__t_print_type(const struct tsr__t_type *type, struct tsr_buf *out);
static inline bool tsr__t_is_number(const struct tsr__t_type *type, enum tsr__t_class class)
{
    return type->kind == TSR__T_NUMBER && tsr__t_numbers[type->number].class == class;
}

/* The part of a matrix that each work-item of a sub-group has, as release 0.4 lays it out: how many rows lie in work-items side by side, a
 * power of two; how many components a work-item has; and the element that is component `at` of work-item `lane`. False: there is none. */
uint32_t tsr__t_rows_side_by_side(const struct tsr__t_type *matrix, uint32_t lanes);
uint32_t tsr__t_components(const struct tsr__t_type *matrix, uint32_t lanes);
bool tsr__t_component(const struct tsr__t_type *matrix, uint32_t lanes, uint32_t lane, uint32_t at, uint32_t *row, uint32_t *col);

/* ---- attributes ---- */

enum tsr__t_attr_kind { TSR__T_ATTR_ARRAY, TSR__T_ATTR_BOOL, TSR__T_ATTR_DICT, TSR__T_ATTR_INT, TSR__T_ATTR_STRING };
struct tsr__t_attr {
    enum tsr__t_attr_kind kind;
    const char *name;   /* in a dictionary */
    bool quoted;        /* the name is one that the language does not know */
    int64_t number;     /* BOOL, INT */
    const char *string; /* STRING */
    struct tsr__t_attr *first, *next;
    uint32_t count; /* ARRAY, DICT */
};
/* NULL: the dictionary, which may be NULL, has no such entry. */
const struct tsr__t_attr *tsr__t_attr(const struct tsr__t_attr *dict, const char *name);

/* ---- values and instructions ---- */

struct tsr__t_value {
    const char *name; /* without '%'; NULL: made for a number in the place of an operand */
    const struct tsr__t_type *type;
    struct tsr_tensor_range at;
    const struct tsr__t_inst *by; /* NULL: a parameter, or a value of a loop */
    uint32_t index;               /* in its function */
};

enum tsr__t_op {
#define TSR_OP(name, text, later, form, transposes, operands, region, group) TSR__T_##name,
#include "tensor/ops.def"
#undef TSR_OP
    TSR__T_OPS
};
enum tsr__t_form {
    TSR__T_FORM_VALUES,   /* operands, and the type of the result behind a colon */
    TSR__T_FORM_OPERANDS, /* operands alone */
    TSR__T_FORM_CONSTANT,
    TSR__T_FORM_BUILTIN,
    TSR__T_FORM_ALLOCA,
    TSR__T_FORM_EXPAND,
    TSR__T_FORM_FUSE,
    TSR__T_FORM_SUBVIEW,
    TSR__T_FORM_SIZE,
    TSR__T_FORM_LOAD,
    TSR__T_FORM_STORE,
    TSR__T_FORM_UPDATE,
    TSR__T_FORM_BARRIER,
    TSR__T_FORM_FOR,
    TSR__T_FORM_FOREACH,
    TSR__T_FORM_FOREACH_TILE,
    TSR__T_FORM_IF,
    TSR__T_FORM_PARALLEL,
    TSR__T_FORM_YIELD,
    TSR__T_FORM_BLAS,
    TSR__T_FORM_CUMSUM,
    TSR__T_FORM_COOP_LOAD,
    TSR__T_FORM_COOP_STORE,
    TSR__T_FORM_COOP_UPDATE,
    TSR__T_FORM_COOP_APPLY,
    TSR__T_FORM_COOP_PREFETCH,
    TSR__T_FORM_COOP_REDUCE,
};
enum tsr__t_region_kind { TSR__T_MIXED, TSR__T_COLLECTIVE, TSR__T_SPMD };
struct tsr__t_op_info {
    const char *text, *later; /* later: the spelling since release 0.4, or "" */
    enum tsr__t_form form;
    uint32_t transposes, operands;
    enum tsr__t_region_kind region;
};
extern const struct tsr__t_op_info tsr__t_ops[TSR__T_OPS];

enum tsr__t_atomic { TSR__T_PLAIN, TSR__T_ATOMIC, TSR__T_ATOMIC_ADD, TSR__T_ATOMIC_MAX, TSR__T_ATOMIC_MIN };
/* Of atomic instructions: who sees them, and how others are ordered by them. The first of each is what a text that names none means. */
enum tsr__t_memory_scope { TSR__T_WORK_GROUP, TSR__T_CROSS_DEVICE, TSR__T_DEVICE, TSR__T_SUBGROUP, TSR__T_SCOPES };
enum tsr__t_memory_order {
    TSR__T_RELAXED,
    TSR__T_ACQUIRE,
    TSR__T_RELEASE,
    TSR__T_ACQUIRE_RELEASE,
    TSR__T_SEQUENTIALLY_CONSISTENT,
    TSR__T_ORDERS
};
extern const char *const tsr__t_scope_names[TSR__T_SCOPES], *const tsr__t_order_names[TSR__T_ORDERS];
/* Whether the instruction is one of those that name them, and what it does to memory. */
static inline bool tsr__t_is_ordered(enum tsr__t_op op)
{
    return (op >= TSR__T_LOAD_ATOMIC && op <= TSR__T_UPDATE_MIN) || (op >= TSR__T_COOP_LOAD_ATOMIC && op <= TSR__T_COOP_UPDATE_MIN);
}
enum { TSR__T_ROWS_CHECKED = 1, TSR__T_COLS_CHECKED = 2 };
enum { TSR__T_FENCE_GLOBAL = 1, TSR__T_FENCE_LOCAL = 2 };
enum { TSR__T_LOCAL_ALIGNMENT = 128 }; /* bytes, of each alloca */
enum { TSR__T_MOST_VARIABLES = 64 };   /* of a foreach loop */

/* An offset, a size or a factor: a value, or a number where that is NULL. */
struct tsr__t_index {
    struct tsr__t_value *value;
    int64_t number;
};
struct tsr__t_slice {
    struct tsr__t_index offset, size;
    bool whole;    /* ':' */
    bool has_size; /* the text gives one */
};
/* The view has no such mode. */
static inline bool tsr__t_is_dropped(const struct tsr__t_slice *slice)
{
    return !slice->whole && (!slice->has_size || (!slice->size.value && !slice->size.number));
}

struct tsr__t_region {
    struct tsr__t_inst *first, *last;
};

struct tsr__t_inst {
    enum tsr__t_op op;
    struct tsr_tensor_range at; /* from the mnemonic to the end */
    bool transpose[2];
    enum tsr__t_atomic atomic;
    enum tsr__t_memory_scope scope;
    enum tsr__t_memory_order order;
    uint32_t checked; /* ROWS_CHECKED … */
    uint32_t fences;  /* barrier */
    bool later;       /* in the spelling since release 0.4, in which arithmetic on matrices is any that numbers have */
    char component;   /* built-in values: 'x', 'y', 'z', or 0 */
    struct tsr__t_value **operands, **results;
    uint32_t operand_count, result_count;
    /* Immediates: the mode of size, cumsum and expand, both of fuse; the component of extract and insert; 0 for a reduction of rows, 1 for
     * columns; the level of the caches of a prefetch; the constant. */
    int64_t mode[2];
    int64_t integer;
    double floating[2];
    bool constant_is_integer, constant_is_bool, constant_is_complex;
    struct tsr__t_slice *slices; /* subview */
    struct tsr__t_index *shape;  /* expand; foreach_tile: of a tile; prefetch: rows and columns */
    uint32_t slice_count;        /* of either */
    /* Regions: of loops the body, of `if` both. Variables of loops, then carried values, are values of the region. */
    struct tsr__t_region *regions[2];
    struct tsr__t_value **variables;
    uint32_t variable_count; /* for: 1 + carried values, whose first values are the last operands; foreach_tile: offsets, then sizes */
    bool has_step;
    const struct tsr__t_type **returned; /* types that the text gives to results of for and if */
    uint32_t returned_count;
    const struct tsr__t_attr *attributes;
    struct tsr__t_inst *next;
    bool hidden; /* a constant that the text has in the place of an operand */
};

struct tsr__t_param {
    struct tsr__t_value value;
    const struct tsr__t_attr *attributes;
};
struct tsr__t_func {
    const char *name;
    struct tsr_tensor_range at, head; /* of the whole; up to the closing parenthesis */
    struct tsr__t_param *params;
    uint32_t param_count, value_count;
    const struct tsr__t_attr *attributes;
    struct tsr__t_region *body;
    struct tsr_tensor_function_info info;
    struct tsr__t_func *next;
};

struct tsr_tensor_program {
    struct tsr_arena arena;
    jmp_buf out; /* how parsing ends early */
    const char *name, *text;
    size_t size;
    struct tsr_tensor_target target;
    struct tsr__t_func *first;
    const struct tsr__t_func *reading; /* the function that is read */
    uint32_t func_count;
    const struct tsr_tensor_diagnostic *diagnostics;
    const struct tsr_tensor_diagnostic **last_diagnostic;
    uint32_t diagnostic_count;
};

/* ---- diagnostics (diag.c) ---- */

/* From the arena; leaves by `out` if there is no memory. */
void *tsr__t_alloc(struct tsr_tensor_program *p, size_t size);
enum tsr__t_leave { TSR__T_NO_MEMORY = 1, TSR__T_STOP };
/* An error; parsing goes on, but not after a hundred. Returns it, so that notes can be added. */
struct tsr_tensor_diagnostic *tsr__t_error(struct tsr_tensor_program *p, struct tsr_tensor_range at, const char *format, ...)
    TSR_PRINTF_LIKE(3, 4);
/* An error after which parsing cannot go on. */
_Noreturn void tsr__t_stop(struct tsr_tensor_program *p, struct tsr_tensor_range at, const char *format, ...) TSR_PRINTF_LIKE(3, 4);
/* Adds "value defined here". */
void tsr__t_note_value(struct tsr_tensor_program *p, struct tsr_tensor_diagnostic *d, const struct tsr__t_value *value);

/* ---- checks (check_*.c) ---- */

/* Of an instruction without its regions, which are checked as they are read. */
void tsr__t_check_inst(struct tsr_tensor_program *p, const struct tsr__t_inst *inst, enum tsr__t_region_kind region);
/* Of a region of the instruction, NULL for the body of a function: the yield at its end if values are returned, and no other. */
void tsr__t_check_returns(struct tsr_tensor_program *p, const struct tsr__t_inst *inst, const struct tsr__t_region *region, bool is_else);
/* Of the head of a function, and its sizes into `info`. */
void tsr__t_check_func(struct tsr_tensor_program *p, struct tsr__t_func *func);
/* Once its body is there: smaller sub-groups, if it names no sizes and its products have rows that would leave half of them idle. */
void tsr__t_fit_work_group(struct tsr_tensor_program *p, struct tsr__t_func *func);
/* Of a memref or group and what the text says about it: parameters and alloca. */
void tsr__t_check_attributes(struct tsr_tensor_program *p, struct tsr_tensor_range at, const struct tsr__t_type *type,
                             const struct tsr__t_attr *attributes);

/* The arguments of the kernel, into `info`: signature.c. */
void tsr__t_make_signature(struct tsr_tensor_program *p, struct tsr__t_func *func);

/* The instruction that makes the value is a constant, and this is its number. */
bool tsr__t_constant_number(const struct tsr__t_value *value, double *number);
/* Calls `visit` for each instruction of the region and of those inside, in order. */
void tsr__t_visit(const struct tsr__t_region *region, void (*visit)(const struct tsr__t_inst *inst, void *data), void *data);
/* Calls `each` for each value that the instruction uses, in its regions as well. */
typedef void tsr__t_use_of(const struct tsr__t_value *value, void *data);
void tsr__t_each_use(const struct tsr__t_inst *inst, tsr__t_use_of *each, void *data);

#endif
