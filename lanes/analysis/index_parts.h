/* SPDX-License-Identifier: Apache-2.0
 * What an address or an index is computed from, one operation at a time: the indices of a GEP and what each counts, and the parts of a sum,
 * product or extension. Which operations stay exact when their result is extended to 64 bits is decided here, for all analyses of
 * addresses; what they make of the parts is their own. */
#ifndef TESSERA_LANES_ANALYSIS_INDEX_PARTS_H
#define TESSERA_LANES_ANALYSIS_INDEX_PARTS_H

#include "lanes/ir/ir.h"

/* How a value that is narrower than 64 bits counts. */
enum tsr__extension { TSR__EXT_NONE, TSR__EXT_SIGNED, TSR__EXT_ZERO };

/* ---- indices of a GEP ---- */

struct tsr__gep_index {
    LLVMValueRef value;
    enum tsr__extension extension; /* of the value */
    bool is_field;                 /* of a struct */
    bool is_constant;              /* a field, or a constant number: it adds `offset` bytes */
    int64_t offset;
    int64_t bytes; /* that each counts; not of a field */
};

/* for (walk = tsr__gep_walk(layout, gep); tsr__gep_next(&walk, &index);) */
struct tsr__gep_walk {
    LLVMTargetDataRef layout;
    LLVMValueRef gep;
    LLVMTypeRef type; /* that the next index counts, or goes into */
    unsigned next;
};
struct tsr__gep_walk tsr__gep_walk(LLVMTargetDataRef layout, LLVMValueRef gep);
/* False: there are no more. */
bool tsr__gep_next(struct tsr__gep_walk *walk, struct tsr__gep_index *index);

/* ---- parts of a number ---- */

enum tsr__parts_kind {
    TSR__PARTS_NONE,      /* of this file, none: the value is a variable */
    TSR__PARTS_CONSTANT,  /* `constant` */
    TSR__PARTS_EXTENSION, /* `first`, which is narrower */
    TSR__PARTS_SUM,       /* first + scale · second */
    TSR__PARTS_MULTIPLE,  /* scale · first */
    TSR__PARTS_PRODUCT,   /* first · second */
    TSR__PARTS_BITS,      /* first without the bits `cleared`, + constant */
};

/* The operands count extended as well, to 64 bits. All is modulo 2^64. */
struct tsr__parts {
    enum tsr__parts_kind kind;
    LLVMValueRef first, second;
    enum tsr__extension extension; /* of the operands */
    int64_t scale, constant;
    uint32_t cleared;
};

/* Of a value that is extended to 64 bits; NONE: that has so many. */
struct tsr__parts tsr__parts_of(LLVMValueRef v, enum tsr__extension extension);
/* Is the value an operation on its operands once all are extended, that is, not a variable, constant or extension? */
bool tsr__is_split(LLVMValueRef v, enum tsr__extension extension);
/* Does the operation, which may wrap, give the exact result, so that extending the operands gives the same as extending it? */
bool tsr__is_exact(LLVMValueRef v, enum tsr__extension extension);
/* By how much the operation shifts; 0: by no constant that is less than 64. */
unsigned tsr__constant_shift(LLVMValueRef v);

#endif
