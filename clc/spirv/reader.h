/* SPDX-License-Identifier: Apache-2.0
 * The inside of the SPIR-V reader: what its files call of each other.
 *
 * words.c takes the module apart into instructions; sections.c reads what stands before the types; types.c, constants.c and variables.c
 * make the global values; function.c walks the functions and calls, for each instruction, the function that emit.def names. An error leaves
 * all of it through tsr__spirv_fail. */
#ifndef TESSERA_CLC_SPIRV_READER_H
#define TESSERA_CLC_SPIRV_READER_H

#include "clc/common/names.h"
#include "clc/spirv/spirv.h"
#include "clc/spirv/tokens.h"

#include <llvm-c/Target.h>
#include <setjmp.h>
#include <string.h>

/* A line of the grammar. */
struct tsr__op {
    uint16_t number;
    const char *name;     /* without "Op" */
    const char *operands; /* letters of grammar.py */
};

struct tsr__inst {
    const struct tsr__op *op;
    uint32_t at;           /* offset of its first word in the module */
    uint32_t type, result; /* ids, 0 where it has none */
    uint32_t count;        /* operands in words, without these two */
    const uint32_t *operand;
};

enum tsr__kind {
    TSR__VOID,
    TSR__BOOL,
    TSR__INT,
    TSR__FLOAT,
    TSR__VECTOR,
    TSR__ARRAY,
    TSR__STRUCT,
    TSR__POINTER,
    TSR__FUNCTION,
    TSR__EVENT,
    TSR__OPAQUE,
    TSR__IMAGE, /* image.c, as the next two */
    TSR__SAMPLER,
    TSR__SAMPLED_IMAGE, /* element: the image */
    TSR__PIPE,          /* pipe.c, as the next one */
    TSR__RESERVATION,
    TSR__QUEUE, /* enqueue.c, as the next one */
    TSR__DEVICE_EVENT,
    TSR__MATRIX, /* cooperative and joint ones: matrix.h */
};

struct tsr__type {
    enum tsr__kind kind;
    bool is_signed;                      /* INT: as the module says; kernels hardly use it */
    bool is_bfloat16;                    /* FLOAT: an integer of 16 bits for LLVM */
    bool is_int4;                        /* INT: a byte for LLVM; vectors of them: int4.c */
    uint32_t count;                      /* elements, members or parameters */
    uint32_t storage;                    /* POINTER: enum SpvStorageClass */
    LLVMTypeRef llvm;                    /* NULL until all of it is known */
    const struct tsr__type *element;     /* of a vector or an array; what a pointer points to, NULL: untyped; the result of a function */
    const struct tsr__type **members;    /* of a struct; the parameters of a function */
    const struct tsr__matrix *matrix;    /* MATRIX */
    const struct tsr__image_kind *image; /* IMAGE */
    uint32_t access;                     /* IMAGE, PIPE: 0 to 2, read only, write only, both */
};

struct tsr__decoration {
    uint32_t number;
    int64_t member; /* -1: of the id itself */
    uint32_t count;
    const uint32_t *operand;
    struct tsr__decoration *next;
};

enum tsr__import { TSR__NO_IMPORT, TSR__OPENCL_STD, TSR__NO_SEMANTICS, TSR__DEBUG_LINES }; /* the last have no semantics either */

struct tsr__id {
    const struct tsr__inst *inst; /* that defines it */
    const char *name;             /* NULL: it has none */
    struct tsr__decoration *decorations;
    struct tsr__type *type; /* of a value, or the type itself */
    LLVMValueRef value;     /* NULL: none, or not yet */
    LLVMBasicBlockRef block;
    const char *text; /* of OpString */
    enum tsr__import import;
};

struct tsr__mode {
    uint32_t number, count;
    const uint32_t *operand; /* ids in the forms that end in Id */
    bool ids;
    struct tsr__mode *next;
};

/* What FPFastMathDefault says of a type of numbers, for the whole module. */
struct tsr__fast_math {
    LLVMTypeRef type;
    uint32_t mode;
    struct tsr__fast_math *next;
};

struct tsr__entry_point {
    const char *name;
    uint32_t function;
    struct tsr__entry_point *next;
};

struct tsr__reader;

/* Where a function's instructions begin and end. */
struct tsr__extent {
    const struct tsr__inst *function;
    uint32_t first, last;
};

/* Where the reader is in a function. */
struct tsr__body {
    const struct tsr__inst *inst; /* OpFunction; NULL: outside */
    LLVMValueRef function;
    LLVMBuilderRef entry;        /* before the first instruction of the first block: for variables */
    LLVMBasicBlockRef block;     /* NULL: after the end of a block */
    LLVMValueRef after_phis;     /* in this block, the first instruction that puts a matrix together; NULL: none does */
    const struct tsr__inst *end; /* OpFunctionEnd */
    /* Makes a value that an instruction uses and that is not there yet. */
    LLVMValueRef (*missing)(struct tsr__reader *r, const struct tsr__inst *in, uint32_t id);
    struct tsr__loop {
        LLVMBasicBlockRef header;
        const struct tsr__inst *merge;
        struct tsr__loop *next;
    } *loops;
    struct tsr__builtin_use {
        uint32_t variable;
        struct tsr__builtin_use *next;
    } *builtins; /* variables of built-ins that have a copy here */
    struct tsr__later {
        uint32_t id;
        LLVMValueRef placeholder, value;
        struct tsr__later *next;
    } *later; /* values that were used before they were made */
    uint32_t later_count;
    struct tsr__large {
        LLVMValueRef value;
        struct tsr__large *next;
    } *large; /* values that lie in memory: tsr__spirv_in_place */
};

struct tsr__reader {
    const struct tsr_spirv_input *input;
    struct tsr_buf *log;
    struct tsr_arena arena;
    jmp_buf out;

    const uint32_t *words;
    uint32_t word_count;
    struct tsr__inst *insts;
    uint32_t inst_count;
    struct tsr__id *ids;
    uint32_t bound;

    LLVMContextRef context;
    LLVMModuleRef module;
    LLVMTargetDataRef layout;
    LLVMBuilderRef builder;
    struct tsr__extent *functions; /* in the order of the module */
    uint32_t function_count;
    struct tsr__entry_point *entry_points; /* in the order of the module */
    struct tsr__mode **modes;              /* by id, NULL: no function has any */
    bool relaxed_printf;                   /* formats may be in any memory */
    bool has_bfloat16, has_int4;           /* there is a type of them */
    struct tsr__lines *lines;              /* NULL: the module gets no debug locations */
    struct tsr__fast_math *fast_math;      /* of instructions that say nothing of it */
    struct tsr__body body;
    uint32_t matrix_lanes; /* the sub-group size of the matrices that are being made, 0 before the first */
    uint32_t sizes[3];     /* all sizes, in the order in which they are made */
    uint32_t size_count;
    bool *of_matrices; /* by id: globals and functions that have to do with matrices; NULL: there are none */
    bool is_draft;     /* it has matrices of the draft of SPV_INTEL_joint_matrix */
};

/* Ids behind the bound, for instructions that the reader takes apart. */
enum { TSR__SPARE_IDS = 5 };

/* ---- fail.c ---- */

/* Leaves the reader: the log gets the text, with the instruction's name and offset in front (`at` may be NULL). */
_Noreturn void tsr__spirv_fail(struct tsr__reader *r, const struct tsr__inst *at, const char *format, ...) TSR_PRINTF_LIKE(3, 4);

/* ---- lines.c: lines of the source ---- */

/* Writes "FILE:LINE:COLUMN: " to the log if the module says where the instruction comes from. */
void tsr__spirv_put_place(struct tsr__reader *r, const struct tsr__inst *in);
/* Before the functions, and after everything else: whether there are to be debug locations, and their end. */
void tsr__spirv_begin_lines(struct tsr__reader *r);
void tsr__spirv_end_lines(struct tsr__reader *r);
/* Instructions that are made from now on, also by `builder`, belong to this function; and to none. */
void tsr__spirv_function_lines(struct tsr__reader *r, const struct tsr__inst *in, LLVMValueRef function, LLVMBuilderRef builder);
void tsr__spirv_end_function_lines(struct tsr__reader *r);
/* Takes an instruction that says where the following ones come from. False: it is none. */
bool tsr__spirv_line(struct tsr__reader *r, const struct tsr__inst *in);
void tsr__spirv_end_of_line(struct tsr__reader *r);

/* ---- words.c: bytes → instructions ---- */

void tsr__spirv_split(struct tsr__reader *r);
/* NULL: no such opcode in the grammar. */
const struct tsr__op *tsr__spirv_op(uint32_t number);
/* Text that begins at that operand; *words, if not NULL, is how many it takes. */
const char *tsr__spirv_text(struct tsr__reader *r, const struct tsr__inst *in, uint32_t operand, uint32_t *words);
/* Operands, with the checks that nothing else makes: that there are so many, that an id is defined, and as what. */
uint32_t tsr__spirv_word(struct tsr__reader *r, const struct tsr__inst *in, uint32_t operand);
struct tsr__id *tsr__spirv_id(struct tsr__reader *r, const struct tsr__inst *in, uint32_t operand);
struct tsr__type *tsr__spirv_type(struct tsr__reader *r, const struct tsr__inst *in, uint32_t operand);
LLVMValueRef tsr__spirv_value(struct tsr__reader *r, const struct tsr__inst *in, uint32_t operand);
/* The type of the value that the operand names. */
const struct tsr__type *tsr__spirv_type_of(struct tsr__reader *r, const struct tsr__inst *in, uint32_t operand);
const struct tsr__type *tsr__spirv_result_type(struct tsr__reader *r, const struct tsr__inst *in);
/* A value that has to be a constant integer; `what` for the message. */
uint64_t tsr__spirv_constant(struct tsr__reader *r, const struct tsr__inst *in, uint32_t operand, const char *what);

/* ---- sections.c: capabilities, names, decorations, entry points ---- */

/* Reads one instruction. False: it belongs to another section. */
bool tsr__spirv_section(struct tsr__reader *r, const struct tsr__inst *in);
/* NULL: the id, or that member of it, is not decorated so. member: -1 for the id itself. */
const struct tsr__decoration *tsr__spirv_decoration(const struct tsr__reader *r, uint32_t id, uint32_t number, int64_t member);
/* The name by which the id is linked, and the kind of linkage; NULL: it is not. */
const char *tsr__spirv_linked_name(struct tsr__reader *r, const struct tsr__inst *in, uint32_t *linkage);
const struct tsr__mode *tsr__spirv_mode(const struct tsr__reader *r, uint32_t function, uint32_t number);

/* ---- types.c, constants.c, variables.c ---- */

/* False: the instruction makes none of these. */
bool tsr__spirv_make_type(struct tsr__reader *r, const struct tsr__inst *in);
bool tsr__matrix_make_type(struct tsr__reader *r, const struct tsr__inst *in); /* matrix_layout.c */
bool tsr__spirv_make_constant(struct tsr__reader *r, const struct tsr__inst *in);
bool tsr__spirv_make_variable(struct tsr__reader *r, const struct tsr__inst *in);
/* image.c: fills the type, or makes the constant. False: it is none of images. */
bool tsr__image_make_type(struct tsr__reader *r, const struct tsr__inst *in, struct tsr__type *type);
bool tsr__image_make_constant(struct tsr__reader *r, const struct tsr__inst *in);
/* pipe.c: the same for pipes and reservations. */
bool tsr__pipe_make_type(struct tsr__reader *r, const struct tsr__inst *in, struct tsr__type *type);
enum { TSR__PIPE_WRITES = 1, TSR__PIPE_OF_GROUPS = 2 }; /* what emit.def says of instructions with reservations */
/* enqueue.c: the same for queues and events of the device. */
void tsr__enqueue_make_type(struct tsr__reader *r, const struct tsr__inst *in, struct tsr__type *type);
/* What emit.def says of its instructions. */
enum tsr__block_query { TSR__BLOCK_GROUP_SIZE, TSR__BLOCK_GROUP_MULTIPLE, TSR__BLOCK_SUB_GROUP_COUNT, TSR__BLOCK_SUB_GROUP_SIZE };
enum { TSR__BLOCK_MAX_SUB_GROUPS, TSR__BLOCK_SIZE_OF_SUB_GROUPS };
enum tsr__event_use { TSR__EVENT_RETAIN, TSR__EVENT_RELEASE, TSR__EVENT_SET, TSR__EVENT_PROFILE, TSR__EVENT_IS_VALID };
/* Workgroup or Subgroup; others are refused. (group.c) */
uint32_t tsr__spirv_execution_scope(struct tsr__reader *r, const struct tsr__inst *in, uint32_t operand);
/* intel_sub_group_block_<read or write><_uc, _us or _ul><elements>, of numbers that go as integers of their width. (group.c) */
const char *tsr__block_name(struct tsr__reader *r, const struct tsr__inst *in, const char *verb, LLVMTypeRef type);
LLVMTypeRef tsr__int_like(struct tsr__reader *r, LLVMTypeRef type);
/* As OpenCL C calls the type of an image, and the access to a type of any kind. */
const char *tsr__image_type_name(struct tsr__reader *r, const struct tsr__type *type);
const char *tsr__image_access_name(const struct tsr__type *type);
/* The number of LLVM's address space. */
unsigned tsr__spirv_address_space(struct tsr__reader *r, const struct tsr__inst *in, uint32_t storage);
/* The pointer to a built-in's value in the function that is being made. */
LLVMValueRef tsr__spirv_builtin_variable(struct tsr__reader *r, const struct tsr__inst *in, uint32_t id);

/* ---- memory.c: values of many elements ---- */

/* Whether values of the type stay in memory. */
bool tsr__spirv_is_large(const struct tsr__type *type);
/* Memory on the stack for one. */
LLVMValueRef tsr__spirv_new_place(struct tsr__reader *r, const struct tsr__type *type);
/* The value that the place has from here on: nothing may write to it any more. */
LLVMValueRef tsr__spirv_in_place(struct tsr__reader *r, const struct tsr__type *type, LLVMValueRef place, unsigned alignment);
/* Where the value lies, for reading; NULL: nowhere. */
LLVMValueRef tsr__spirv_place(struct tsr__reader *r, const struct tsr__type *type, LLVMValueRef value);
/* At the end of a function: removes the loads of such values that nothing uses. */
void tsr__spirv_drop_unused(struct tsr__reader *r);
/* Stores a value of any size. alignment: 0 for that of the type. */
void tsr__spirv_store(struct tsr__reader *r, const struct tsr__type *type, LLVMValueRef value, LLVMValueRef to, unsigned alignment,
                      bool is_volatile);

/* ---- function.c, control.c, kernel.c ---- */

/* Declares all functions, then makes their bodies. */
void tsr__spirv_functions(struct tsr__reader *r, uint32_t first);
/* Those that have to do with matrices once more, for another sub-group size. */
void tsr__spirv_functions_again(struct tsr__reader *r);
/* Makes an instruction's value by its line of emit.def and keeps it. */
void tsr__spirv_emit(struct tsr__reader *r, const struct tsr__inst *in);
/* Before the functions: what entry points say of the arithmetic of all instructions. */
void tsr__spirv_fast_math(struct tsr__reader *r);
/* Makes an instruction that does the same with each element of matrices, and keeps its value. False: it is none. (matrix_elementwise.c) */
bool tsr__matrix_elementwise(struct tsr__reader *r, const struct tsr__inst *in);
/* Whether functions that have to do with matrices are being made again, for another sub-group size (matrix_sizes.c). */
static inline bool tsr__matrix_again(const struct tsr__reader *r)
{
    return r->matrix_lanes != r->sizes[0];
}
/* Whether this function is to be made with the sub-group size at hand. */
bool tsr__matrix_belongs(const struct tsr__reader *r, uint32_t function);
/* The value alone, NULL if it has none. */
LLVMValueRef tsr__spirv_emit_value(struct tsr__reader *r, const struct tsr__inst *in);
/* Whether the instruction ends a block or belongs to its end; then it is done. */
bool tsr__spirv_control(struct tsr__reader *r, const struct tsr__inst *in);
/* Adds the operands of the phi instructions of a function whose instructions are first to last - 1. */
void tsr__spirv_finish_phis(struct tsr__reader *r, uint32_t first, uint32_t last);
/* Calling convention, sizes, and what the queries tell of the arguments. */
void tsr__spirv_kernel(struct tsr__reader *r, LLVMValueRef function, const struct tsr__inst *in, const char *name);

/* ---- call.c: functions of the built-in library ---- */

enum tsr__sign { TSR__SIGNED, TSR__UNSIGNED };
/* An argument of a function of the library: its C type, of which the mangled name is made, is that of the value. */
struct tsr__arg {
    LLVMValueRef value;
    enum tsr__sign sign;
    LLVMTypeRef pointee; /* of a pointer: what it points to; NULL: void */
    bool is_const;       /* of a pointer: the pointee */
    bool is_event;       /* the value, or the pointee of a pointer, is an event_t */
    const char *opaque;  /* of an image or a sampler: the code of its type */
};
enum { TSR__PURE = 1, TSR__MEETS = 2 }; /* reads and writes no memory; meets other work-items */

/* Calls the overload of `name` for these arguments. */
LLVMValueRef tsr__spirv_call(struct tsr__reader *r, const char *name, LLVMTypeRef result, const struct tsr__arg *args, unsigned count,
                             unsigned flags);
/* The same for a function whose name is not mangled. */
LLVMValueRef tsr__spirv_call_plain(struct tsr__reader *r, const char *name, LLVMTypeRef result, const LLVMValueRef *args, unsigned count,
                                   unsigned flags);
LLVMValueRef tsr__spirv_call_intrinsic(struct tsr__reader *r, const char *name, LLVMTypeRef overloaded, const LLVMValueRef *args,
                                       unsigned count);
/* The type that OpenCL C calls so (char to double, with u and a number of elements), and if `sign` is not NULL, its sign. */
LLVMTypeRef tsr__spirv_c_type(struct tsr__reader *r, const char *name, enum tsr__sign *sign);

/* ---- std.c ---- */

/* A call of a function of the module. */
LLVMValueRef tsr__spirv_call_function(struct tsr__reader *r, LLVMValueRef function, LLVMValueRef *arguments, unsigned count);
/* The largest error of the instruction's result, in units in the last place; infinite: nothing is promised. */
float tsr__spirv_promised_error(struct tsr__reader *r, const struct tsr__inst *in);

/* ---- convert.c ---- */

/* One number, or each of a vector; to bfloat16 rounded to nearest even. */
LLVMValueRef tsr__spirv_bfloat16_to_float(struct tsr__reader *r, LLVMValueRef value);
LLVMValueRef tsr__spirv_float_to_bfloat16(struct tsr__reader *r, LLVMValueRef value);

/* ---- int4.c: integers of 4 bits ---- */

/* What a vector of so many is for LLVM. */
LLVMTypeRef tsr__int4_vector(struct tsr__reader *r, uint32_t count);
/* A component of such a vector, and the vector with another one there. */
LLVMValueRef tsr__int4_get(struct tsr__reader *r, LLVMValueRef vector, LLVMValueRef index);
LLVMValueRef tsr__int4_put(struct tsr__reader *r, LLVMValueRef vector, LLVMValueRef number, LLVMValueRef index);
/* The bytes that hold a number or a vector while it is computed with. */
LLVMTypeRef tsr__int4_bytes(struct tsr__reader *r, const struct tsr__type *type);
/* A value of the type, one number or a vector, as bytes from 0 to 15; and of the low bits of as many bytes a value of the type. */
LLVMValueRef tsr__int4_unpack(struct tsr__reader *r, const struct tsr__type *type, LLVMValueRef value);
LLVMValueRef tsr__int4_pack(struct tsr__reader *r, const struct tsr__type *type, LLVMValueRef numbers);
/* Bytes from 0 to 15, or from -8 to 7, of the low bits of bytes. */
LLVMValueRef tsr__int4_extend(struct tsr__reader *r, LLVMValueRef numbers, bool is_signed);
/* Bytes brought to the range of integers of 4 bits. */
LLVMValueRef tsr__int4_clamp(struct tsr__reader *r, LLVMValueRef numbers, bool is_signed);
/* A vector of constants. */
LLVMValueRef tsr__int4_constant(const struct tsr__type *type, const LLVMValueRef *parts);
/* Whether the instruction may have such operands or results (SPV_INTEL_int4, "Validation Rules"). */
bool tsr__int4_allows(uint32_t opcode);

/* ---- what the lines of emit.def call ---- */

enum { TSR__CLASS_NAN, TSR__CLASS_INFINITE, TSR__CLASS_FINITE, TSR__CLASS_NORMAL };
enum { TSR__IN_BOUNDS = 1, TSR__POINTER_INDEX = 2, TSR__UNTYPED = 4 };
enum { TSR__DOT_SS, TSR__DOT_UU, TSR__DOT_SU, TSR__DOT_SATURATE = 4 };
enum { TSR__NON_UNIFORM = 1 };
enum { TSR__WITH_LOD = 1 };
enum { TSR__QUERY_FORMAT, TSR__QUERY_ORDER, TSR__QUERY_LEVELS };
/* Makes the value of an instruction, NULL if it has none. `argument` is that of the line. */
typedef LLVMValueRef tsr__emit_fn(struct tsr__reader *r, const struct tsr__inst *in, int argument);
#define TSR_SPIRV_EMIT(op, function, argument) tsr__emit_fn tsr__emit_##function;
#include "clc/spirv/emit.def"
#undef TSR_SPIRV_EMIT

/* ---- small helpers of all of these ---- */

static inline bool tsr__is_vector(LLVMTypeRef type)
{
    return LLVMGetTypeKind(type) == LLVMVectorTypeKind;
}
static inline LLVMTypeRef tsr__scalar(LLVMTypeRef type)
{
    return tsr__is_vector(type) ? LLVMGetElementType(type) : type;
}
/* The type with another scalar type. */
static inline LLVMTypeRef tsr__with_scalar(LLVMTypeRef type, LLVMTypeRef scalar)
{
    return tsr__is_vector(type) ? LLVMVectorType(scalar, LLVMGetVectorSize(type)) : scalar;
}
static inline bool tsr__is_int(LLVMTypeRef type)
{
    return LLVMGetTypeKind(tsr__scalar(type)) == LLVMIntegerTypeKind;
}
static inline bool tsr__is_float(LLVMTypeRef type)
{
    LLVMTypeKind kind = LLVMGetTypeKind(tsr__scalar(type));
    return kind == LLVMHalfTypeKind || kind == LLVMFloatTypeKind || kind == LLVMDoubleTypeKind || kind == LLVMBFloatTypeKind;
}
static inline bool tsr__is_bfloat16(const struct tsr__type *type)
{
    return type && (type->is_bfloat16 || (type->kind == TSR__VECTOR && type->element->is_bfloat16));
}
/* A vector of integers of 4 bits, which for LLVM is one integer (int4.c). */
static inline bool tsr__is_int4_vector(const struct tsr__type *type)
{
    return type->kind == TSR__VECTOR && type->element->is_int4;
}
/* One integer of 4 bits, a vector or a matrix of them. */
static inline bool tsr__is_int4(const struct tsr__type *type)
{
    return type && (type->is_int4 || ((type->kind == TSR__VECTOR || type->kind == TSR__MATRIX) && type->element->is_int4));
}
static inline LLVMTypeRef tsr__i32(struct tsr__reader *r)
{
    return LLVMInt32TypeInContext(r->context);
}
static inline LLVMValueRef tsr__u32(struct tsr__reader *r, uint32_t value)
{
    return LLVMConstInt(tsr__i32(r), value, false);
}
/* Whether the opcode is in the list. */
static inline bool tsr__is_one_of(uint32_t opcode, const uint16_t *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (list[i] == opcode)
            return true;
    return false;
}
/* The value in each element of the type; of a constant a constant. */
LLVMValueRef tsr__spirv_splat(struct tsr__reader *r, LLVMTypeRef type, LLVMValueRef scalar);

#endif
