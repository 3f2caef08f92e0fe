/* SPDX-License-Identifier: Apache-2.0
 * Shared by the files that make loads and stores: the class of an access, and vectors of components in memory order. */
#ifndef TESSERA_LANES_WIDEN_MEMORY_ACCESS_H
#define TESSERA_LANES_WIDEN_MEMORY_ACCESS_H

#include "lanes/widen/widener.h"
#include "lanes/ir/costs.h"
#include "lanes/analysis/index_parts.h"

enum tsr__access_class {
    TSR__ACCESS_UNIFORM,
    TSR__ACCESS_CONSECUTIVE,
    TSR__ACCESS_REVERSED,
    TSR__ACCESS_INTERLEAVED,
    TSR__ACCESS_GATHERED
};

struct tsr__access {
    LLVMValueRef inst; /* the load or store */
    enum tsr__access_class class;
    LLVMValueRef pointer;
    LLVMTypeRef type, scalar;
    unsigned component_count, align, scalar_bytes;
    bool simple;   /* the components are scalars of whole bytes, side by side */
    unsigned each; /* scalars of the program that travel as one `scalar`, an integer; or 1 */
    /* Interleaved: `step` scalars from one lane to the next, of which those with a bit in `members` are accessed, by the `joined` loads or
     * stores of the program in `all`. */
    unsigned step;
    uint32_t members;
    unsigned joined;
    const LLVMValueRef *all;
    bool copied; /* accesses copies on the stack, so the program's alias metadata is not true of it */
};

/* ---- accesses without gathers ---- */

/* `p` is lane 0's address; a vector for each component, or for each scalar of a record. */

/* Consecutive, reversed or interleaved: chooses between the functions below. (contiguous.c) */
void tsr__contiguous_load(struct tsr__widener *s, const struct tsr__access *a, LLVMValueRef p, LLVMValueRef *components);
void tsr__contiguous_store(struct tsr__widener *s, const struct tsr__access *a, LLVMValueRef p, LLVMValueRef *components);
/* Consecutive or interleaved, of all lanes or with masks for which the CPU has instructions. (interleave_shuffle.c) */
void tsr__direct_load(struct tsr__widener *s, const struct tsr__access *a, LLVMValueRef p, LLVMValueRef *components);
void tsr__direct_store(struct tsr__widener *s, const struct tsr__access *a, LLVMValueRef p, LLVMValueRef *components);
/* Masked, in memory that no other thread sees: inactive lanes are read and written as well. (masked_emulate.c) */
bool tsr__is_blended(const struct tsr__widener *s, const struct tsr__access *a);
void tsr__blended_load(struct tsr__widener *s, const struct tsr__access *a, LLVMValueRef p, LLVMValueRef *components);
void tsr__blended_store(struct tsr__widener *s, const struct tsr__access *a, LLVMValueRef p, LLVMValueRef *components);
/* Masked, where the CPU has no instruction for the mask. (masked_emulate.c) */
bool tsr__needs_mask_emulation(const struct tsr__widener *s, const struct tsr__access *a);
void tsr__emulated_load(struct tsr__widener *s, const struct tsr__access *a, LLVMValueRef p, LLVMValueRef *components);
void tsr__emulated_store(struct tsr__widener *s, const struct tsr__access *a, LLVMValueRef p, LLVMValueRef *components);
/* One vector of any type; `mask` NULL: all lanes. (masked_access.c) */
LLVMValueRef tsr__masked_load(struct tsr__widener *s, const struct tsr__access *a, LLVMTypeRef type, LLVMValueRef p, LLVMValueRef mask);
void tsr__masked_store(struct tsr__widener *s, const struct tsr__access *a, LLVMValueRef value, LLVMValueRef p, LLVMValueRef mask);
/* Classifies an access by the shape of its address, or by a given shape. (classify.c) */
struct tsr__access tsr__classify_access(struct tsr__widener *s, LLVMValueRef inst, LLVMValueRef pointer, LLVMTypeRef type);
struct tsr__access tsr__classify_as(struct tsr__widener *s, LLVMValueRef inst, LLVMValueRef pointer, LLVMTypeRef type,
                                    struct tsr__shape shape);
/* Is the load or store strided, so that it may join an interleaved group? Fills `a`. (classify.c) */
bool tsr__may_interleave(struct tsr__widener *s, LLVMValueRef inst, struct tsr__access *a);
/* Sets the value of a load, or gets that of a store, as components. `components` has room for all scalars of the value. (classify.c) */
void tsr__set_loaded_components(struct tsr__widener *s, const struct tsr__access *a, LLVMValueRef *components);
void tsr__stored_components(struct tsr__widener *s, const struct tsr__access *a, LLVMValueRef *components);

/* ---- addresses taken apart (address.c) ---- */

enum { TSR__ADDRESS_TERMS = 6 }; /* half of them uniform */

struct tsr__term {
    LLVMValueRef value;
    enum tsr__extension extension; /* to 64 bits */
    int64_t scale;                 /* bytes */
};

/* pointer = base + offset + Σ term: base and all terms but those from `first_varying` on are uniform. */
struct tsr__address {
    LLVMValueRef base;
    int64_t offset;
    struct tsr__term terms[TSR__ADDRESS_TERMS];
    int count, first_varying;
};

/* Takes apart what a pointer is in the block being built, down to a base of any shape; NULL if the sum is too long. */
void tsr__address_sum(struct tsr__widener *s, LLVMValueRef pointer, struct tsr__address *a);
/* False: it is no sum with a uniform base and a varying index. */
bool tsr__address_of(struct tsr__widener *s, LLVMValueRef pointer, struct tsr__address *a);
/* The uniform part of the sum. */
LLVMValueRef tsr__address_base(struct tsr__widener *s, const struct tsr__address *a);
/* The pointers of all lanes, in the form in which a gather takes a scalar base and 32-bit indices; `gathers`: it is worth an operation. */
LLVMValueRef tsr__address_lanes(struct tsr__widener *s, const struct tsr__address *a, bool gathers);
/* The pointer of one lane, a `base` of tsr__address_base ahead. Of a lane that is not there it may be anything. */
LLVMValueRef tsr__address_of_lane(struct tsr__widener *s, const struct tsr__address *a, LLVMValueRef base, unsigned lane);
/* The values of the sum will be read in the block. */
void tsr__address_prepare(struct tsr__widener *s, LLVMValueRef pointer);

/* How far apart neighbouring lanes' addresses are if nothing wraps and no limit is met, in bytes; 0: not known. */
int64_t tsr__speculated_stride(struct tsr__widener *s, const struct tsr__address *a);
/* A condition under which they are so, and lane 0's address then. What tsr__address_lanes needs is there afterwards, so that it may
 * stand in a branch. */
LLVMValueRef tsr__stride_test(struct tsr__widener *s, const struct tsr__address *a, LLVMValueRef *first);

/* ---- scattered accesses (gather_scatter.c) ---- */

/* Pieces of 4 and 8 bytes, with AVX-512: the code generator does without AVX2's gathers, which are slow. */
bool tsr__has_gather(const struct tsr__widener *s, const struct tsr__access *a);
/* Do whole registers of SSE travel between each lane's place and registers, instead of gathers and scatters of scalars? */
bool tsr__moves_registers(const struct tsr__access *a);
/* `components` has room for one vector per part. */
void tsr__gather(struct tsr__widener *s, const struct tsr__access *a, LLVMValueRef pointers, LLVMValueRef *components);
void tsr__scatter(struct tsr__widener *s, const struct tsr__access *a, LLVMValueRef pointers, LLVMValueRef *components);

/* ---- helpers (vector.c, access.c) ---- */

/* What the program's access says about aliases, for one that does the same for all lanes. */
void tsr__copy_alias_metadata(struct tsr__widener *s, const struct tsr__access *a, LLVMValueRef made);
void tsr__set_argument_align(struct tsr__widener *s, LLVMValueRef call, unsigned argument, unsigned align);
/* The scalars in a vector of integers that hold `each` of them. */
void tsr__unpack(struct tsr__widener *s, LLVMValueRef packed, LLVMTypeRef scalar, unsigned each, LLVMValueRef *components);
/* Vectors with a scalar for each lane as one with `count` scalars, a power of two, for each. */
LLVMValueRef tsr__interleave_vectors(struct tsr__widener *s, LLVMValueRef *components, unsigned count);
/* Whether pieces of a word of 32 bits have just been read, and one shuffle brings them together: extending and shifting each of them is
 * more. The pass `tiles` knows words of B by their shifts. */
bool tsr__is_loaded_word(struct tsr__widener *s, const LLVMValueRef *pieces, unsigned count, unsigned bits);
LLVMValueRef tsr__pack(struct tsr__widener *s, LLVMValueRef *components, unsigned each);
/* Bytes from the start of a value in memory to its scalar number `component`. */
uint64_t tsr__component_offset(struct tsr__widener *s, LLVMTypeRef type, int component);

/* ---- notes (explain_widening.c) ---- */

/* A load or store; `speculated`: a test at run time finds out whether it is straight. */
void tsr__explain_access(struct tsr__widener *s, const struct tsr__access *a, bool speculated);

#endif
