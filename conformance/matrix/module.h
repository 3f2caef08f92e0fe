/* SPDX-License-Identifier: Apache-2.0
 * Writes modules in SPIR-V, word by word: for instructions that no packaged assembler knows. */
#ifndef MATRIX_MODULE_H
#define MATRIX_MODULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Storage classes. */
enum { MODULE_FUNCTION = 7, MODULE_CROSS_WORKGROUP = 5 };

/* In the order in which they stand in a module. */
enum module_section {
    MODULE_DECLARATIONS,
    MODULE_MODEL,
    MODULE_ENTRY_POINTS,
    MODULE_MODES,
    MODULE_DECORATIONS,
    MODULE_GLOBALS,
    MODULE_CODE,
    MODULE_SECTIONS
};

struct module {
    struct module_words {
        uint32_t *at;
        size_t count, capacity;
    } section[MODULE_SECTIONS], whole;
    uint32_t bound;
    uint32_t sub_group, global_id; /* variables of SubgroupId and GlobalInvocationId */
};

/* Operands as an array, and their number. */
#define MODULE_WORDS(...) (const uint32_t[]){__VA_ARGS__}, sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t)
#define MODULE_NONE NULL, 0

/* With these capabilities and extensions, and the usual ones of kernels. The lists end with 0 and NULL. */
void module_begin(struct module *m, const uint32_t *capabilities, const char *const *extensions);
void module_free(struct module *m);
/* All of it as bytes; valid until the module changes. */
const void *module_bytes(struct module *m, size_t *size);

/* An instruction without a result. */
void module_put(struct module *m, enum module_section section, uint32_t opcode, const uint32_t *operands, size_t count);
/* A type (type 0) or a constant: each once, so that equal ones have one id. */
uint32_t module_global(struct module *m, uint32_t opcode, uint32_t type, const uint32_t *operands, size_t count);
/* An instruction of a function, and the id of its result. */
uint32_t module_code(struct module *m, uint32_t opcode, uint32_t type, const uint32_t *operands, size_t count);
/* The same with an id that module_id has given. */
void module_code_as(struct module *m, uint32_t opcode, uint32_t type, uint32_t id, const uint32_t *operands, size_t count);
uint32_t module_id(struct module *m);

/* A type by its name in OpenCL C, which has no sign here: uint8 and int8 are one. */
uint32_t module_type(struct module *m, const char *name);
uint32_t module_array(struct module *m, uint32_t element, uint32_t count);
uint32_t module_int(struct module *m, uint32_t bits);
uint32_t module_float(struct module *m, uint32_t bits);
uint32_t module_pointer(struct module *m, uint32_t storage, uint32_t to);
/* A constant of a type of up to 32 bits, or of 64 bits below 2^32. */
uint32_t module_constant(struct module *m, const char *type, uint32_t value);
/* Constants of 32 and of 64 bits. */
uint32_t module_u32(struct module *m, uint32_t value);
uint32_t module_u64(struct module *m, uint64_t value);

/* Begins a kernel whose parameters are pointers to global memory of these elements; their ids go to `parameters`. size: of the sub-group, 0
 * for none that is required. */
void module_kernel(struct module *m, const char *name, uint32_t size, const uint32_t *elements, uint32_t *parameters, size_t count);
void module_end_kernel(struct module *m);
/* The value of SubgroupId, as 64 bits. */
uint32_t module_sub_group(struct module *m);
/* get_global_id(0) as 64 bits. */
uint32_t module_global_id(struct module *m);
/* A pointer to the element at an index of 64 bits. */
uint32_t module_at(struct module *m, uint32_t storage, uint32_t element, uint32_t pointer, uint32_t index);

#endif
