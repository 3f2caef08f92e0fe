/* SPDX-License-Identifier: Apache-2.0
 * What the passes of the engine share: the compilation at hand and helpers over the LLVM-C API. Private to lanes/. */
#ifndef TESSERA_LANES_IR_IR_H
#define TESSERA_LANES_IR_IR_H

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>

#include "lanes/ir/broken_shim.h"
#include "tessera/lanes.h"

/* Function attribute of what the user's program defines. */
#define TSR__USER "tsr-user"
/* Function attribute of what has got the work-item as its last parameter. */
#define TSR__HAS_ITEM "tsr-item"
/* Function attribute of kernels that behave the same in packets of any width, and of those that run in packets of TSR__WIDE_LANES or
 * TSR__NARROW_LANES. */
#define TSR__ANY_WIDTH "tsr-any-width"
#define TSR__WIDE_PACKETS "tsr-wide-packets"
#define TSR__NARROW_PACKETS "tsr-narrow-packets"
/* Function attribute of kernels whose packets are one work-item. */
#define TSR__ONE_LANE "tsr-one-lane"
/* Function attribute of packet functions for those with loops that run several of them at once, and metadata of their modules. */
#define TSR__INTERLEAVED "tsr-interleaved"
/* Function attribute of a packet function that only jumps to where its code will be (choose_bodies.c). */
#define TSR__ELSEWHERE "tsr-elsewhere"
/* … or would, if the request were for full packets alone: it does not count as their code then. */
#define TSR__MAY_WAIT "tsr-may-wait"
/* Function attribute of what uses AMX's tile registers. */
#define TSR__TILES "tsr-tiles"
/* … and the number of their shapes, enum tsr_tile_shapes. */
#define TSR__TILE_SHAPES "tsr-tile-shapes"
/* … whose loops over K may be done with those of other work-groups: TSR_KERNEL_SHARES_OPERANDS. */
#define TSR__SHARES "tsr-shares"
/* … whose packets may run twice for that: TSR_KERNEL_RUNS_TWICE. */
#define TSR__TWICE "tsr-twice"
/* Function attribute of what multiplies matrices by vectors of the packet. */
#define TSR__PRODUCTS "tsr-products"
/* What a kernel's entry symbol has after the kernel's name: no name in OpenCL C has a dot, so it meets no other symbol. */
#define TSR__ENTRY_SUFFIX ".kernel"
/* Calls that leave generated code: placeholders until the optimiser is done, then calls through struct tsr_rt (runtime_calls.c). */
#define TSR__RT_PREFIX "__tsr_rt_"

/* SPIR_FUNC, SPIR_KERNEL in LLVM's numbering of calling conventions, which the C API gives no names for. */
enum { TSR__SPIR_FUNC_CONV = 75, TSR__SPIR_KERNEL_CONV = 76 };

struct tsr__stack_frame {
    const char *function;
    uint64_t bytes;
};

/* How a kernel runs: as asked, or wider because that pays (width_choice.c); if its code is too much (size_late.c), without a body of its
 * own for launches in which indices wrap (versioning.c), then narrow, then alone. */
enum tsr__variant { TSR__VARIANT_AS_ASKED, TSR__VARIANT_WIDE, TSR__VARIANT_UNVERSIONED, TSR__VARIANT_NARROW, TSR__VARIANT_REFERENCE };
/* Address spaces. */
enum {
    TSR__PRIVATE_SPACE = TSR_SPACE_PRIVATE,
    TSR__GLOBAL_SPACE = TSR_SPACE_GLOBAL,
    TSR__CONSTANT_SPACE = TSR_SPACE_CONSTANT,
    TSR__LOCAL_SPACE = TSR_SPACE_LOCAL
};

/* Packets that are narrower or wider than asked for (size_late.c, width_choice.c). */
enum { TSR__NARROW_LANES = TSR_MIN_LANES, TSR__WIDE_LANES = TSR_MAX_LANES };

/* Work-items of a row that is a packet, at least: those of shorter ones fill too little of a register. */
enum { TSR__LEAST_ROW = 4 };

/* Elements of the longest vector that is made or taken apart element by element: two packets, which a shuffle joins. */
enum { TSR__MAX_ELEMENTS = 2 * TSR_MAX_GROUP_LANES };

/* One compilation. */
struct tsr__compilation {
    LLVMModuleRef module;
    LLVMContextRef context;
    const struct tsr_lanes_options *options;
    struct tsr_arena *arena;       /* strings of the result */
    struct tsr_arena scratch;      /* everything else; freed at the end */
    struct tsr_program_info *info; /* kernels sorted as the caller gave them */
    struct tsr_buf *object;
    LLVMTargetMachineRef machine;
    LLVMDIBuilderRef lines;          /* while packet functions are made of code with debug information (debug_info.c) */
    struct tsr__stack_frame *frames; /* stack frames of the machine functions, from the code generator */
    size_t frame_count, frame_room;
    char features[2048];
    struct tsr__explain *explain; /* NULL: nobody asks, or not now (explain.c) */
    enum tsr__variant *variants;  /* of each kernel; NULL: as asked, whatever it costs */
    const char **without_tiles;   /* of each kernel: why its products are not to be in tiles, or NULL; NULL: there was no retry for that */
    bool retried;                 /* there was a retry */
    bool retry;                   /* set by a pass of TSR__RETRY_MAY: the next pass is that of TSR__RETRY_START */
    bool verify;                  /* after each pass and stage */
    const char *pass_name;        /* number and name of the one that runs */
    char *why;                    /* set by tsr__fail */
};

/* Sets the reason, once, and answers false. */
bool tsr__fail(struct tsr__compilation *l, const char *format, ...) TSR_PRINTF_LIKE(2, 3);

/* ---- passes: passes.def lists them in the order in which they run ---- */

/* The columns of passes.def. */
enum tsr__pass_engine { TSR__PASS_ANY, TSR__PASS_VECTOR, TSR__PASS_PACKETS, TSR__PASS_ITEMS };
enum tsr__pass_retry { TSR__RETRY_NO, TSR__RETRY_START, TSR__RETRY_MAY };

struct tsr__packet_kernel;

struct tsr__pass {
    const char *name;
    /* One of these, by the column "unit". False: l->why says why. */
    bool (*module)(struct tsr__compilation *l);
    bool (*function)(struct tsr__compilation *l, LLVMValueRef function);
    bool (*kernel)(struct tsr__compilation *l, struct tsr__packet_kernel *kernel);
    enum tsr__pass_engine engine;
    enum tsr__pass_retry retry;
};
#define TSR__ARGUMENTS_module struct tsr__compilation *l
#define TSR__ARGUMENTS_function struct tsr__compilation *l, LLVMValueRef function
#define TSR__ARGUMENTS_kernel struct tsr__compilation *l, struct tsr__packet_kernel *kernel
#define TSR_PASS(unit, engine, retry, name, text) bool tsr__pass_##name(TSR__ARGUMENTS_##unit);
#include "lanes/passes.def"
#undef TSR_PASS
extern const struct tsr__pass tsr__passes[];
extern const size_t tsr__pass_count;
/* Runs the whole pipeline, with retries. It leaves a module that is the caller's or one to dispose of. */
bool tsr__run_pipeline(struct tsr__compilation *l);
/* The place of a pass in the pipeline, the first one of its name; tsr__pass_count: there is none. */
size_t tsr__find_pass(const char *name);
/* Runs the passes from place `first` to the one before `end`. */
bool tsr__run_passes(struct tsr__compilation *l, size_t first, size_t end);
/* Runs one pass if it applies, verifies what it made if asked to, and dumps it if asked to. */
bool tsr__run_pass(struct tsr__compilation *l, const struct tsr__pass *pass, unsigned number);
/* The module as text, to <name>.ll in the folder of dumps. */
bool tsr__dump_module(struct tsr__compilation *l, const char *name);
/* Verifies what was made if asked to, and dumps it if asked to: first, as it may be invalid. */
bool tsr__verify_and_dump(struct tsr__compilation *l, const char *name);
/* The code generator, l->machine: made once the module is for x86-64, with 0, 1 or 2 for how hard it works. (retarget.c) */
bool tsr__make_machine(struct tsr__compilation *l, int level);
extern const char tsr__triple[];
/* Gives a function with the C calling convention the CPU and the features of all others. (retarget.c) */
void tsr__set_target(struct tsr__compilation *l, LLVMValueRef function);

/* ---- helpers (ir.c) ---- */

/* Map from pointers to numbers; a key that was never set has the value 0. Lives in an arena. */
struct tsr__map {
    struct tsr_arena *arena;
    const void **keys;
    uintptr_t *values;
    size_t capacity, count;
};
void tsr__map_set(struct tsr__map *map, const void *key, uintptr_t value);
uintptr_t tsr__map_get(const struct tsr__map *map, const void *key);
/* Adds the key to a set of keys. False: it was there. */
bool tsr__map_add(struct tsr__map *map, const void *key);
/* The number of a key that is in a map of numbers + 1. */
size_t tsr__map_number(const struct tsr__map *map, const void *key);

/* All functions with a body, all global variables, all instructions of a function (snapshots, so that they may be changed meanwhile). */
LLVMValueRef *tsr__defined_functions(struct tsr__compilation *l, size_t *count);
LLVMValueRef *tsr__globals(struct tsr__compilation *l, size_t *count);
LLVMValueRef *tsr__instructions(struct tsr__compilation *l, LLVMValueRef function, size_t *count);
LLVMValueRef *tsr__all_instructions(struct tsr__compilation *l, size_t *count); /* of all functions */
/* The function that an instruction calls, or NULL. */
LLVMValueRef tsr__callee(LLVMValueRef instruction);
/* Is it a call of a function whose name begins with this, such as an intrinsic for any type? */
bool tsr__calls(LLVMValueRef v, const char *prefix);
const char *tsr__name(LLVMValueRef value);
bool tsr__starts_with(const char *text, const char *prefix);
/* Kernel function of the module by its info record, or NULL. */
LLVMValueRef tsr__kernel(struct tsr__compilation *l, const struct tsr_kernel_info *kernel);
bool tsr__is_kernel(LLVMValueRef function);
/* Which kernel a function of this name has code of, by what stands before the first dot. False: none. */
bool tsr__kernel_of_code(const struct tsr__compilation *l, const char *name, uint32_t *kernel);
/* Has the function LLVM's attribute memory(none)? */
bool tsr__touches_no_memory(LLVMValueRef function);
/* Of a vector the type of its elements, else the type. */
static inline LLVMTypeRef tsr__element_type(LLVMTypeRef type)
{
    return LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMGetElementType(type) : type;
}
/* Arithmetic, comparisons, casts, choices, addresses, elements of vectors, and intrinsics that touch no memory: does the instruction give
 * the same wherever it is done for the same operands? */
bool tsr__is_pure(LLVMValueRef inst);
/* What the device calls, made by the pass "entry"; NULL, and a reason, before it. */
LLVMValueRef tsr__entry(struct tsr__compilation *l, const struct tsr_kernel_info *kernel);
/* The least power of two that is not below the number. */
uint32_t tsr__power_of_two_above(uint32_t n);
/* Of the kernel's code: what it requires, or the default. */
unsigned tsr__sub_group_size(const struct tsr__compilation *l, const struct tsr_kernel_info *kernel);

/* Bits of a vector's element in a register. (target.c) */
unsigned tsr__element_bits(const struct tsr__compilation *l, LLVMTypeRef type);
/* Vector registers that a value of the type takes on this CPU; 1 if it is no vector. (size_late.c) */
uint64_t tsr__vector_registers(const struct tsr__compilation *l, LLVMTypeRef type);
/* May the code use it? */
bool tsr__has(const struct tsr__compilation *l, enum tsr_cpu_feature feature);
/* Kernels that cost more than `most` are to go back to the start of a retry and become less; 0: any may cost what it does. (size_late.c) */
void tsr__retry_costly_kernels(struct tsr__compilation *l, uint64_t most);
/* What a function and all that it calls cost, by the same measure. (size_late.c) */
uint64_t tsr__code_cost(struct tsr__compilation *l, LLVMValueRef function);
/* How large a function is to LLVM's code generator; `alone`: its module has no packets. (emit.c) */
enum tsr__code_size { TSR__CODE_USUAL, TSR__CODE_MANY_BLOCKS, TSR__CODE_LARGE, TSR__CODE_HUGE };
enum tsr__code_size tsr__code_size(LLVMValueRef function, bool alone);
/* The functions that are to be inlined, since kernels that run in packets call them. Kernels that would be too much code then run alone,
 * and keep their calls. (size_early.c) */
struct tsr__map tsr__inlined_functions(struct tsr__compilation *l);

/* Functions from which a function with `seed` true can be reached by calls, itself included: map function → 1. */
struct tsr__map tsr__functions_reaching(struct tsr__compilation *l, bool (*seed)(LLVMValueRef called));

unsigned tsr__attr_kind(const char *name);
/* What the attribute `align` of a parameter says, or 1. */
unsigned tsr__param_align(LLVMValueRef function, unsigned param);
/* Function, result and `params` first parameters of another function get what these have. */
void tsr__copy_attributes(struct tsr__compilation *l, LLVMValueRef from, LLVMValueRef to, unsigned params);
void tsr__drop_fn_attr(LLVMValueRef function, const char *name);
void tsr__drop_attr(LLVMValueRef function, LLVMAttributeIndex at, const char *name);
void tsr__drop_call_attr(LLVMValueRef call, LLVMAttributeIndex at, const char *name);
void tsr__add_fn_attr(struct tsr__compilation *l, LLVMValueRef function, const char *name);
void tsr__set_fn_text(struct tsr__compilation *l, LLVMValueRef function, const char *name, const char *value);
void tsr__drop_fn_text(LLVMValueRef function, const char *name);
LLVMAttributeRef tsr__int_attr(struct tsr__compilation *l, const char *name, uint64_t value);

/* What holds where the comparison does not; what holds once its operands are exchanged. */
LLVMIntPredicate tsr__opposite_of(LLVMIntPredicate how);
LLVMIntPredicate tsr__swapped(LLVMIntPredicate how);
/* What holds of a comparison, with the operand `left` on the left, where a branch on it goes to the block. */
LLVMIntPredicate tsr__holds_on_way(LLVMValueRef branch, LLVMBasicBlockRef to, unsigned left);
/* A copy of a call, before it, to another function with `extra` (may be NULL) as one more argument at the end. */
LLVMValueRef tsr__call_like(struct tsr__compilation *l, LLVMBuilderRef b, LLVMValueRef call, LLVMValueRef function, LLVMValueRef extra);
/* The instruction, or the next one that is no phi. */
LLVMValueRef tsr__after_phis(LLVMValueRef instruction);
LLVMBuilderRef tsr__builder_before(struct tsr__compilation *l, LLVMValueRef instruction);
/* Moves an instruction, with the source line that it has. The builder is there then. */
void tsr__move_instruction(LLVMBuilderRef b, LLVMValueRef instruction, LLVMValueRef before);
/* At the start of the entry block. */
LLVMBuilderRef tsr__builder_at_entry(struct tsr__compilation *l, LLVMValueRef function);
/* base + offset, in bytes. */
LLVMValueRef tsr__at_offset(struct tsr__compilation *l, LLVMBuilderRef b, LLVMValueRef base, uint64_t offset);
/* The same for a number of bytes, or a vector of them, that may lead out of the object. */
LLVMValueRef tsr__plus_bytes(struct tsr__compilation *l, LLVMBuilderRef b, LLVMValueRef base, LLVMValueRef bytes);
/* A load that no store of the program can change, at base + offset. */
LLVMValueRef tsr__load_fixed(struct tsr__compilation *l, LLVMBuilderRef b, LLVMTypeRef type, LLVMValueRef base, uint64_t offset,
                             unsigned align);
bool tsr__is_fixed_load(struct tsr__compilation *l, LLVMValueRef inst);
/* An intrinsic of LLVM's for the types that it is overloaded by, and a call of it. */
LLVMValueRef tsr__intrinsic(struct tsr__compilation *l, const char *name, LLVMTypeRef *types, size_t type_count);
LLVMValueRef tsr__build_intrinsic(struct tsr__compilation *l, LLVMBuilderRef b, const char *name, LLVMTypeRef *types, size_t type_count,
                                  LLVMValueRef *args, unsigned count);
/* Prefetches the cache line of an address, for reading, to all levels of the cache. */
void tsr__build_prefetch(struct tsr__compilation *l, LLVMBuilderRef b, LLVMValueRef address);
/* Declares or finds a function. */
LLVMValueRef tsr__declare(struct tsr__compilation *l, const char *name, LLVMTypeRef type);
/* The same of one that returns, waits for nobody and calls nobody. */
LLVMValueRef tsr__declare_returning(struct tsr__compilation *l, const char *name, LLVMTypeRef type);
/* The same of one that computes from its arguments alone, so that LLVM moves and joins its calls. */
LLVMValueRef tsr__declare_pure(struct tsr__compilation *l, const char *name, LLVMTypeRef type);
/* A call of a placeholder that may leave generated code: convergent, nounwind. */
LLVMValueRef tsr__call(struct tsr__compilation *l, LLVMBuilderRef b, LLVMValueRef function, LLVMValueRef *args, unsigned count);
LLVMTypeRef tsr__ptr(struct tsr__compilation *l);
LLVMValueRef tsr__i32(struct tsr__compilation *l, uint32_t value);
LLVMValueRef tsr__i64(struct tsr__compilation *l, uint64_t value);
/* Runs a textual pipeline of LLVM's passes. */
bool tsr__run_llvm(struct tsr__compilation *l, const char *pipeline);
bool tsr__run_llvm_on(struct tsr__compilation *l, LLVMValueRef function, const char *pipeline);

/* Do all kernels run a work-item at a time, as their packets would be too much code? */
bool tsr__all_run_as_reference(const struct tsr__compilation *l);
/* The parameter that carries the work-item, always the last, of a function to which pass "lower_primitives" gave one. */
LLVMValueRef tsr__item_of(LLVMValueRef function);
bool tsr__has_text_attr(LLVMValueRef function, const char *name);
/* Its value; NULL: the function does not have it. */
const char *tsr__fn_text(struct tsr__compilation *l, LLVMValueRef function, const char *name);

/* What multiplies tiles. Without AMX they lie on the stack, and functions of the device stand for its instructions. */
enum tsr__tile_unit { TSR__TILES_NONE, TSR__TILES_AMX, TSR__TILES_MODEL, TSR__TILES_VECTORS };
enum tsr__tile_unit tsr__tile_unit(const struct tsr__compilation *l);
/* Why no product of the function's kernel is to be in tiles, or NULL. */
const char *tsr__why_without_tiles(const struct tsr__compilation *l, LLVMValueRef function);

/* What the body for launches of which an index may wrap is called, behind the kernel's name and a dot. */
#define TSR__WRAPPING "wrapping"
/* The same for the body of packets that are not full. */
#define TSR__PARTIAL "partial"
/* The same for the bodies of packets that are work-groups. */
#define TSR__LONE "lone"
#define TSR__LONE_PARTIAL "lone_partial"

#endif
