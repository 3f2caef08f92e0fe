/* SPDX-License-Identifier: Apache-2.0
 * What the tests of cooperative and joint matrices share: matrices in plain C with their memory, and the instructions of SPIR-V that load
 * and store them, in all generations. */
#ifndef MATRIX_JOINT_H
#define MATRIX_JOINT_H

#include "conformance/matrix/device.h"
#include "conformance/matrix/module.h"

#define JOINT_COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* ---- components ---- */

enum component { NO_COMPONENT, S2, U2, S4, U4, S8, U8, S16, U16, S32, U32, S64, BFLOAT16, F16, TF32, F32, F64 };

struct info {
    unsigned bits;                      /* of one number */
    unsigned storage;                   /* of a component, which has several of 2 and 4 bits */
    bool fraction, is_float, is_signed; /* is_float: a floating-point type in the module */
    unsigned meaning;                   /* of revision 10 */
};
extern const struct info infos[];

/* ---- matrices ---- */

enum generation { KHRONOS, JOINT, DRAFT };
enum layout { BY_ROWS, BY_COLUMNS, PACKED };
enum use { A, B, ACCUMULATOR };
enum { SUB_GROUPS = 2, PADDING = 3, FIRST = 1, PATTERN = 0xa5 };
enum { GLOBAL = 5, LOCAL = 4, GENERIC = 8, FUNCTION = 7 };
enum { WORK_GROUP = 2, SUB_GROUP = 3 };

/* A matrix as the test has it: numbers, and the memory that it comes from or goes to. Sub-group s has its own, `size` components on. */
struct matrix {
    enum component type;
    enum use use;
    enum layout layout;
    unsigned rows, columns; /* in components */
    unsigned stride;        /* in components */
    size_t size;
    int64_t *value[SUB_GROUPS]; /* rows · columns · parts; of A parts are neighbours in a row, of B in a column */
    unsigned char *memory;
};

/* Numbers in a component. */
unsigned parts_of(enum component c);
/* The bits of a number. */
uint64_t encode(enum component c, int64_t value);
int64_t random_value(enum component c, uint32_t *state);
/* Rows of B in a line of memory. */
unsigned packing(const struct matrix *m);
/* Where a component is in memory, in components from the first. */
size_t index_of(const struct matrix *m, unsigned row, unsigned column);
/* Of the memory of all sub-groups. */
size_t bytes_of(const struct matrix *m);
/* Its memory is filled with a pattern. */
void make_matrix(struct matrix *m, enum component type, enum use use, enum layout layout, unsigned rows, unsigned columns);
void free_matrix(struct matrix *m);
/* The numbers of a component. */
int64_t *values_at(const struct matrix *m, unsigned s, unsigned row, unsigned column);
/* All numbers to memory. */
void write_all(const struct matrix *m, unsigned char *memory);
/* Chooses all numbers, and writes them. */
void fill_matrix(struct matrix *m, uint32_t *state, int64_t (*choose)(enum component c, uint32_t *state));
/* Number k of a row of A, or of a column of B. */
int64_t number_of(const struct matrix *m, unsigned s, unsigned line, unsigned k);
uint32_t component_type(struct module *m, enum component c);
uint32_t matrix_type(struct module *m, enum generation g, const struct matrix *x, uint32_t scope);
/* Where the matrix of this sub-group begins. */
uint32_t matrix_place(struct module *m, const struct matrix *x, uint32_t storage, uint32_t pointer, uint32_t sub_group);
uint32_t joint_load(struct module *m, enum generation g, const struct matrix *x, uint32_t type, uint32_t place, uint32_t scope);
void joint_store(struct module *m, enum generation g, const struct matrix *x, uint32_t value, uint32_t place, uint32_t scope);
/* A module that declares what matrices of the generation need. */
void joint_begin(struct module *m, enum generation g);
/* Whether the device has sub-groups of this size, 0: any. */
bool joint_has(unsigned lanes);
/* Whether it has this type: double precision is not on every GPU. */
bool joint_has_type(enum component c);
/* Fails with the log. */
cl_program joint_build(struct module *m);
/* What a component of this type keeps of a number. */
int64_t as_component(enum component c, int64_t value);
/* Fails where memory is not what the matrix is, or has changed elsewhere. A matrix of a work-group is that of its first sub-group. */
void joint_expect(const struct matrix *x, uint32_t scope, const unsigned char *is, const char *what);

extern struct device joint_device;

#endif
