/* SPDX-License-Identifier: Apache-2.0
 * Addresses that a kernel chooses between. Private to kgen/. */
#ifndef TESSERA_CONFORMANCE_KGEN_ADDRESS_H
#define TESSERA_CONFORMANCE_KGEN_ADDRESS_H

#include "gen.h"

enum { CONSTANTS = 16 }; /* words of the program's own constant array */

/* ---- address.c ---- */

void add_place(struct gen *g, struct place p);
void write_constants(struct gen *g);  /* the array that the program has, before the kernel */
void declare_places(struct gen *g);   /* memory of the work-item and of the group */
void declare_pointers(struct gen *g); /* variables */
void sum_places(struct gen *g);       /* into `sum`: places that are not in buffers, and where pointers point */
/* Spaces, all of them in the set, that have places which fit: two of them if it can be. False: none. */
bool any_spaces(struct gen *g, struct target *t, unsigned among);
const char *pointer_type(struct target t);                 /* to a type that may be another one's alias */
const char *typed_pointer(struct target t);                /* to the type that functions of the library want */
struct target start_of(const struct pointer *p);           /* what the variable is set to: with room for all of its steps */
void pointer_name(struct gen *g, const struct pointer *p); /* of an element, if it is an array */
void address(struct gen *g, struct target t, int depth);   /* some place has to fit */

/* ---- pointer.c ---- */

void pointer_statement(struct gen *g);

#endif
