/* SPDX-License-Identifier: Apache-2.0
 * What the files that make memory accesses share: how the lanes' addresses lie to each other, and vectors in memory order. */
#ifndef TESSERA_LANES_WIDEN_MEMORY_ACCESS_H
#define TESSERA_LANES_WIDEN_MEMORY_ACCESS_H

#include "lanes/widen/widener.h"
#include "lanes/ir/costs.h"
#include "lanes/ir/polynomial.h"

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
    bool simple;   /* the parts are scalars of whole bytes, side by side */
    unsigned each; /* scalars of the program that travel as one `scalar`, an integer, or 1 */
    /* Scalars from one lane to the next, if they are few; of so many, those that are accessed, one bit each; and how many accesses of the
     * program these are, if they are several. */
    unsigned step;
    uint32_t members;
    unsigned joined;
    const LLVMValueRef *all;
    bool copied; /* what it meets are copies on the stack */
};

/* ---- straight accesses (access.c): `p` is lane 0's address, and there is a vector for each part, or each scalar of a record ---------- */

void tsr__contiguous_load(struct tsr__widener *s, const struct tsr__access *a, LLVMValueRef p, LLVMValueRef *components);
void tsr__contiguous_store(struct tsr__widener *s, const struct tsr__access *a, LLVMValueRef p, LLVMValueRef *components);
/* Those that need nothing more: side by side or interleaved, of all lanes or with masks that the CPU has. (interleave_shuffle.c) */
void tsr__direct_load(struct tsr__widener *s, const struct tsr__access *a, LLVMValueRef p, LLVMValueRef *components);
void tsr__direct_store(struct tsr__widener *s, const struct tsr__access *a, LLVMValueRef p, LLVMValueRef *components);
/* Those whose lanes lie further apart. (interleave_shuffle.c) */
void tsr__interleaved_load(struct tsr__widener *s, const struct tsr__access *a, LLVMValueRef p, LLVMValueRef *components);
void tsr__interleaved_store(struct tsr__widener *s, const struct tsr__access *a, LLVMValueRef p, LLVMValueRef *components);
/* Those that need no mask since nobody else sees the memory. (masked_emulate.c) */
bool tsr__is_blended(const struct tsr__widener *s, const struct tsr__access *a);
void tsr__blended_load(struct tsr__widener *s, const struct tsr__access *a, LLVMValueRef p, LLVMValueRef *components);
void tsr__blended_store(struct tsr__widener *s, const struct tsr__access *a, LLVMValueRef p, LLVMValueRef *components);
/* Those for whose masks the CPU has no instruction. (masked_emulate.c) */
bool tsr__needs_mask_emulation(const struct tsr__widener *s, const struct tsr__access *a);
void tsr__emulated_load(struct tsr__widener *s, const struct tsr__access *a, LLVMValueRef p, LLVMValueRef *components);
void tsr__emulated_store(struct tsr__widener *s, const struct tsr__access *a, LLVMValueRef p, LLVMValueRef *components);
/* A vector of any type; NULL: no mask. */
LLVMValueRef tsr__masked_load(struct tsr__widener *s, const struct tsr__access *a, LLVMTypeRef type, LLVMValueRef p, LLVMValueRef mask);
void tsr__masked_store(struct tsr__widener *s, const struct tsr__access *a, LLVMValueRef value, LLVMValueRef p, LLVMValueRef mask);
/* The access by the shape that its address has where it stands, or by another one. (classify.c) */
struct tsr__access tsr__classify_access(struct tsr__widener *s, LLVMValueRef inst, LLVMValueRef pointer, LLVMTypeRef type);
struct tsr__access tsr__classify_as(struct tsr__widener *s, LLVMValueRef inst, LLVMValueRef pointer, LLVMTypeRef type,
                                    struct tsr__shape shape);
/* Whether a load or store leaves room for others between its lanes: then it is described. */
bool tsr__may_interleave(struct tsr__widener *s, LLVMValueRef inst, struct tsr__access *a);
/* The vectors of a load's or a store's value. `components` has room for the scalars that travel together. */
void tsr__set_loaded_components(struct tsr__widener *s, const struct tsr__access *a, LLVMValueRef *components);
void tsr__stored_components(struct tsr__widener *s, const struct tsr__access *a, LLVMValueRef *components);

/* ---- addresses taken apart (address.c) ------------------------------------------------------------------------------------------- */

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

/* How far apart neighbouring lanes' addresses are as far as one can hope, in bytes; 0: no idea. */
int64_t tsr__speculated_stride(struct tsr__widener *s, const struct tsr__address *a);
/* A condition under which the hope comes true, and lane 0's address then. What tsr__address_lanes needs is there afterwards, so that it may
 * stand in a branch. */
LLVMValueRef tsr__stride_test(struct tsr__widener *s, const struct tsr__address *a, LLVMValueRef *first);

/* ---- scattered accesses (gather_scatter.c) ------------------------------------------------------------------------------------------- */

/* Pieces of 4 and 8 bytes, with AVX-512: the code generator does without AVX2's gathers, which are slow. */
bool tsr__has_gather(const struct tsr__widener *s, const struct tsr__access *a);
/* `components` has room for one vector per part. */
void tsr__gather(struct tsr__widener *s, const struct tsr__access *a, LLVMValueRef pointers, LLVMValueRef *components);
void tsr__scatter(struct tsr__widener *s, const struct tsr__access *a, LLVMValueRef pointers, LLVMValueRef *components);

/* ---- helpers (access.c) ------------------------------------------------------------------------------------------------------------- */

LLVMValueRef tsr__shuffle(struct tsr__widener *s, LLVMValueRef x, LLVMValueRef y, const int *from, unsigned count);
LLVMValueRef tsr__intrinsic(struct tsr__widener *s, const char *name, LLVMTypeRef *types, size_t type_count, LLVMValueRef *args,
                            unsigned count);
/* The scalars `from`, `from` + `step` … of two vectors side by side. */
LLVMValueRef tsr__every_nth(struct tsr__widener *s, LLVMValueRef x, LLVMValueRef y, unsigned from, unsigned step, unsigned count);
/* Vectors of so many lanes one behind the other; `count`, a power of two, of `pieces`, which change. (interleave_shuffle.c) */
LLVMValueRef tsr__concat_vectors(struct tsr__widener *s, LLVMValueRef *pieces, unsigned count, unsigned lanes);
/* What the program's access says about aliases, for one that does the same for all lanes. */
void tsr__copy_alias_metadata(struct tsr__widener *s, const struct tsr__access *a, LLVMValueRef made);
void tsr__set_argument_align(struct tsr__widener *s, LLVMValueRef call, unsigned argument, unsigned align);
/* The scalars in a vector of integers that hold `each` of them. */
void tsr__unpack(struct tsr__widener *s, LLVMValueRef packed, LLVMTypeRef scalar, unsigned each, LLVMValueRef *components);
LLVMValueRef tsr__pack(struct tsr__widener *s, LLVMValueRef *components, unsigned each);
/* Bytes from the start of a value in memory to its scalar number `component`. */
uint64_t tsr__component_offset(struct tsr__widener *s, LLVMTypeRef type, int component);

/* ---- notes (explain_widening.c) ---- */

/* A load or store; `hoped`: a test at run time finds out whether it is straight. */
void tsr__explain_access(struct tsr__widener *s, const struct tsr__access *a, bool hoped);

#endif
