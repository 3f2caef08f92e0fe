/* SPDX-License-Identifier: Apache-2.0
 * What the files that write random programs share: the program so far, choices, and the statements of each kind. A statement's function
 * returns false, and has written nothing, if the views at hand do not suit it. */
#ifndef TESSERA_CONFORMANCE_TENSOR_GEN_H
#define TESSERA_CONFORMANCE_TENSOR_GEN_H

#include "generate.h"

#include <stdio.h>
#include <string.h>

enum { MOST_VIEWS = 24, PALETTE = 4, TRIES = 60, TRIES_OF_A_KIND = 10, TYPES = 10 };
enum number_class { WHOLE, FLOATING, COMPLEX };

struct number_type {
    const char *name;
    double exact; /* integers up to here are exact; 0: of any size, they wrap */
    enum number_class class;
    uint32_t bytes;
    bool atomic;
    int real; /* the type of the real part */
};

extern const struct number_type types[TYPES];

struct view {
    char name[16];
    int type;
    uint32_t order;
    int mode[MOST_MODES]; /* of the palette */
    bool local;
    bool first_open; /* the type does not tell the stride of the first mode */
    int64_t first;   /* that stride */
    uint32_t memory; /* views of the same memory */
};

struct gen {
    struct generated *g;
    struct tsr_buf text;
    uint64_t state;
    int64_t size[PALETTE]; /* sizes of modes that the program has */
    bool open[PALETTE];
    uint32_t modes; /* of these it takes the first ones */
    struct view views[MOST_VIEWS];
    uint32_t view_count, memories, next_name, indent;
    const int *family;               /* of a program of products; otherwise NULL */
    bool adds;                       /* the loop that is being written runs more than once: beta is 1 */
    double memory_bound[MOST_VIEWS]; /* of the numbers of each memory */
};

/* ---- choices (generate.c) ---- */

uint32_t below(struct gen *g, uint32_t limit);
bool chance(struct gen *g, uint32_t percent);
struct view *any_view(struct gen *g);
/* A view of a type that goes into `type`, of these modes; NULL: none was found. A negative type is any. */
struct view *find_view(struct gen *g, int type, uint32_t order, const int *mode);
/* A type that a loop may count in; all sizes fit into each. */
const char *any_width(struct gen *g);

/* As the table of promotions in the language's manual. */
bool promotable(int a, int b);
/* Whether integers up to the bound are exact in the type. */
bool fits(int type, double bound);
double bound_of(const struct gen *g, const struct view *v);
void raise_bound(struct gen *g, const struct view *v, double bound);

/* ---- text (generate.c) ---- */

void line(struct gen *g);
/* The number as %cNAME of the type. */
void put_constant(struct gen *g, uint32_t name, int type, int value);
/* A small number of a type that goes into `type`, and its name. */
uint32_t put_scalar(struct gen *g, int type, int value);
void put_size(struct gen *g, int mode);
/* ",strided<" and the stride of the view's first mode. */
void put_first_stride(struct gen *g, const struct view *v);
struct view *add_view(struct gen *g, int type, uint32_t order, const int *mode, uint32_t memory, bool local);

/* ---- statements ---- */

/* generate_views.c */
bool put_alloca(struct gen *g);
bool put_column(struct gen *g);
bool put_window(struct gen *g);
bool put_expanded(struct gen *g);

/* generate_spmd.c */
bool put_foreach(struct gen *g);
bool put_sub_group(struct gen *g);
bool put_exchange(struct gen *g);

/* generate_values.c */
bool put_values(struct gen *g);

/* generate_coop.c */
bool put_coop(struct gen *g);
bool put_tiles(struct gen *g);

/* generate_later.c */
bool put_atomics(struct gen *g);
bool put_turns(struct gen *g);
bool put_reduction(struct gen *g);

#endif
