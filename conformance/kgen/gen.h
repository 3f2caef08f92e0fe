/* SPDX-License-Identifier: Apache-2.0
 * What the parts of the generator share. Private to kgen/. */
#ifndef TESSERA_CONFORMANCE_KGEN_GEN_H
#define TESSERA_CONFORMANCE_KGEN_GEN_H

#include "generate.h"

enum base { CHAR, UCHAR, SHORT, USHORT, INT, UINT, LONG, ULONG, FLOAT, DOUBLE, HALF, BASES };
extern const char *const base_names[BASES];
extern const unsigned base_bytes[BASES];

struct type {
    enum base base;
    unsigned width; /* 1: scalar */
};

struct variable {
    char name[16];
    struct type type;
};

enum { MAX_VARIABLES = 16, MAX_LOOPS = 8, MAX_HELPERS = 3, OWN_WORDS = 8, PRIVATE_ELEMENTS = 8, MAX_PLACES = 16, MAX_POINTERS = 4 };

enum space { GLOBAL, CONSTANT, LOCAL, PRIVATE, SPACES };
enum { IN_GLOBAL = 1 << GLOBAL, IN_CONSTANT = 1 << CONSTANT, IN_LOCAL = 1 << LOCAL, IN_PRIVATE = 1 << PRIVATE };
enum { EVERYWHERE = IN_GLOBAL | IN_CONSTANT | IN_LOCAL | IN_PRIVATE };

/* Memory that pointers point into. */
struct place {
    char name[24]; /* where it begins */
    enum space space;
    unsigned bytes, align;
    bool is_own;   /* this work-item alone reads and writes it; of others nothing is written while the kernel reads them */
    bool has_type; /* it is read and written as a type of its own, so with no other one but by way of any_T */
};

/* What an address has to be good for. */
struct target {
    unsigned spaces;                 /* a set; of several: it is a generic pointer */
    enum base base;                  /* an integer */
    unsigned room;                   /* elements from the address on */
    enum { READ, OWN, INPUT } holds; /* anything; places that are the work-item's own, to be written; places that are not */
    bool is_typed;                   /* not only by way of any_T */
};

/* A variable. */
struct pointer {
    char name[8];
    struct target target; /* of each of its values */
    unsigned count;       /* of an array */
    unsigned steps;       /* elements that it may go on from where it was set */
};

struct gen {
    struct kgen_kernel k;
    struct kgen_text *text;
    uint64_t state;
    const bool *dropped;
    int muted, indent;
    struct variable variables[MAX_VARIABLES];
    int variable_count, fixed; /* the first `fixed` are not assigned to */
    struct {
        char name[8];
        bool uniform;
    } counters[MAX_LOOPS];
    int counter_count;
    unsigned next_counter;
    struct type helper_types[MAX_HELPERS], array_type;
    int helper_count, helpers_usable;
    struct place places[MAX_PLACES];
    struct pointer pointers[MAX_POINTERS];
    unsigned place_count, pointer_count;
    bool has_places, has_local_places, has_private_places; /* other than buffers that are read */
    struct type second_type;                               /* of the elements of in2 */
    bool is_choosing;                                      /* inside of what chooses an address */
    bool in_helper, has_struct;
    struct type packed;        /* what the function of packed.c makes words of; width 0: there is none */
    bool convergent;           /* the kernel has barriers and sub-group functions, so no work-item returns early */
    bool small_groups;         /* small work-groups, and no sub-group functions: several may be lanes of a packet */
    bool own_vectors;          /* the same, and mostly long vectors: packets may be one work-item */
    bool together;             /* all work-items of the group reach this place together */
    bool may_leave;            /* break and continue may be divergent here */
    bool may_return;           /* likewise return */
    int budget;                /* statements left */
    bool quiet;                /* nothing is written to memory, and work-items do not meet */
    size_t items, offset;      /* work-items; bytes of the output that are given away */
    unsigned width;            /* of a sub-group, or what it may be */
    struct matrices *matrices; /* what the kernel multiplies, or NULL */
};

/* ---- expression.c ---- */

unsigned below(struct gen *g, unsigned n); /* a random number in [0, n) */
bool chance(struct gen *g, unsigned percent);
__attribute__((format(printf, 2, 3))) void put(struct gen *g, const char *format, ...);
void line(struct gen *g); /* starts one */
/* A node is what the reducer may drop: between begin and end nothing is written if it does. */
bool node_begin(struct gen *g);
void node_end(struct gen *g, bool drop);

const char *type_name(struct type t);
struct type scalar(enum base base);
enum base any_integer(struct gen *g);
enum base any_float(struct gen *g);
bool is_float(enum base base);
struct type any_type(struct gen *g);

void expression(struct gen *g, struct type t, int depth);
void leaf(struct gen *g, struct type t);
void element(struct gen *g, unsigned size);     /* an index in [0, size), size a power of two or 3 */
void load_index(struct gen *g, unsigned count); /* likewise, count a power of two of at least 8; often in the order of work-items */
void uniform_value(struct gen *g);              /* an uint that is the same for the work-group */
void condition(struct gen *g, bool uniform);
/* "(condition) ? ": the two choices follow, with " : " between them. */
void begin_choice(struct gen *g);
size_t output_row(struct gen *g, struct type t);                    /* offset of a part of the output with an element for each work-item */
void swizzle(struct gen *g, unsigned from, unsigned to, bool once); /* `once`: no element twice */

/* ---- address.c ---- */

bool chosen_load(struct gen *g, struct type t); /* from one of several places. False: there are none */
void compare_pointers(struct gen *g);           /* a truth value */

/* ---- packed.c ---- */

void packed_function(struct gen *g);
void packed_word(struct gen *g, const char *from); /* a call of it, of a buffer's elements */

/* ---- turns.c ---- */

void take_turns(struct gen *g);

/* ---- statement.c ---- */

void statement(struct gen *g, int depth);
void statements(struct gen *g, int depth); /* a few */
void assign(struct gen *g);                /* to a variable */

/* ---- generate.c ---- */

void choose_range(struct gen *g);

/* ---- matrix.c, matrix_loop.c ---- */

void matrix_choose(struct gen *g, struct matrices *m); /* what the kernel multiplies */
void matrix_range(struct gen *g);
void matrix_lay_out(struct gen *g); /* once the range is known */
void matrix_function(struct gen *g);
void matrix_declare(struct gen *g);
void matrix_begin(struct gen *g); /* gives accumulators their first values */
void matrix_end(struct gen *g);   /* stores accumulators */
/* A loop over K. `is_inside`: it may be in another loop. `stores`: the accumulators, behind it */
void matrix_statement(struct gen *g, bool is_inside, bool stores);
bool matrix_is_bare(const struct gen *g);  /* the kernel has nothing else */
bool matrix_has_room(const struct gen *g); /* for another loop */

#endif
