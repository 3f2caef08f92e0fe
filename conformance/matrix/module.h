/* SPDX-License-Identifier: Apache-2.0
 * Writes modules in SPIR-V, of 64-bit addresses: what the tests of this folder need, and no more. */
#ifndef MATRIX_MODULE_H
#define MATRIX_MODULE_H

#include <stddef.h>
#include <stdint.h>

/* Opcodes and other numbers that the tests name. */
enum {
    OP_CONSTANT = 43,
    OP_FUNCTION_PARAMETER = 55,
    OP_VARIABLE = 59,
    OP_LOAD = 61,
    OP_STORE = 62,
    OP_COPY_MEMORY = 63,
    OP_PTR_ACCESS_CHAIN = 67,
    OP_COMPOSITE_CONSTRUCT = 80,
    OP_COMPOSITE_EXTRACT = 81,
    OP_BITCAST = 124,
    OP_BLOCK_PREFETCH_1D = 6221,
    OP_BLOCK_LOAD = 6231,
    OP_BLOCK_LOAD_TRANSFORM = 6232,
    OP_BLOCK_LOAD_TRANSPOSE = 6233,
    OP_BLOCK_PREFETCH = 6234,
    OP_BLOCK_STORE = 6235,
    OP_MULTIPLY_ACCUMULATE = 6237,
};
enum { STORAGE_CROSS_WORKGROUP = 5, STORAGE_FUNCTION = 7 };

enum { MODULE_WORDS = 1 << 17, MODULE_NAMES = 256 };

struct module {
    struct section {
        uint32_t words[MODULE_WORDS];
        size_t count;
    } head, entries, modes, types, code; /* as they follow each other; modes with decorations */
    uint32_t next_id, gid_variable;
    /* What there is one of: a type or a constant, by a text. */
    struct {
        char text[40];
        uint32_t id;
    } known[MODULE_NAMES];
    size_t known_count;
};

/* Begins with these capabilities and extensions, and the usual ones of kernels. The lists end with 0 and NULL. */
void module_begin(struct module *m, const uint32_t *capabilities, const char *const *extensions);
uint32_t module_id(struct module *m);
/* An instruction: `count` words behind the first. */
void module_put(struct section *s, uint32_t opcode, const uint32_t *words, size_t count);
#define MODULE_PUT(section, opcode, ...)                                                                                                   \
    module_put(section, opcode, (const uint32_t[]){__VA_ARGS__}, sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))
/* A type by its name in OpenCL C, which has no sign here: uint8 and int8 are one. */
uint32_t module_type(struct module *m, const char *name);
uint32_t module_array(struct module *m, const char *element, uint32_t count);
uint32_t module_pointer(struct module *m, uint32_t storage, uint32_t type);
/* A constant of a type of up to 32 bits, or of 64 bits below 2^32. */
uint32_t module_constant(struct module *m, const char *type, uint32_t value);
/* A result in the function that is open: of this type, with these operands. */
uint32_t module_make(struct module *m, uint32_t opcode, uint32_t type, const uint32_t *operands, size_t count);
#define MODULE_MAKE(m, opcode, type, ...)                                                                                                  \
    module_make(m, opcode, type, (const uint32_t[]){__VA_ARGS__}, sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))
/* Opens a kernel whose parameters point to these types; size: required size of its sub-groups. */
void module_kernel(struct module *m, const char *name, uint32_t size, const uint32_t *types, uint32_t *parameters, size_t count);
void module_end_kernel(struct module *m);
/* get_global_id(0) as 64 bits. */
uint32_t module_global_id(struct module *m);
/* pointer[index], of which `type` is the type. */
uint32_t module_element(struct module *m, uint32_t type, uint32_t pointer, uint32_t index);
/* The whole module; the caller frees it. */
uint32_t *module_finish(const struct module *m, size_t *bytes);

#endif
