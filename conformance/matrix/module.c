/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/matrix/module.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    EXTENSION = 10,
    MEMORY_MODEL = 14,
    ENTRY_POINT = 15,
    EXECUTION_MODE = 16,
    CAPABILITY = 17,
    TYPE_VOID = 19,
    TYPE_INT = 21,
    TYPE_FLOAT = 22,
    TYPE_VECTOR = 23,
    TYPE_ARRAY = 28,
    TYPE_POINTER = 32,
    TYPE_FUNCTION = 33,
    CONSTANT = 43,
    FUNCTION = 54,
    FUNCTION_PARAMETER = 55,
    FUNCTION_END = 56,
    VARIABLE = 59,
    LOAD = 61,
    IN_BOUNDS_PTR_ACCESS_CHAIN = 70,
    DECORATE = 71,
    COMPOSITE_EXTRACT = 81,
    U_CONVERT = 113,
    LABEL = 248,
    RETURN = 253,
};
enum { INPUT = 1, BUILT_IN = 11, MODE_SUBGROUP_SIZE = 35 };

static void add_word(struct module_words *w, uint32_t word)
{
    if (w->count == w->capacity) {
        w->capacity = w->capacity ? 2 * w->capacity : 256;
        w->at = realloc(w->at, w->capacity * sizeof *w->at);
        if (!w->at)
            abort();
    }
    w->at[w->count++] = word;
}

void module_put(struct module *m, enum module_section section, uint32_t opcode, const uint32_t *operands, size_t count)
{
    struct module_words *w = &m->section[section];
    add_word(w, (uint32_t)(count + 1) << 16 | opcode);
    for (size_t i = 0; i < count; i++)
        add_word(w, operands[i]);
}

/* Operands, then the text. */
static void put_text(struct module *m, enum module_section section, uint32_t opcode, const uint32_t *operands, size_t count,
                     const char *text)
{
    uint32_t words[64] = {0};
    if (count)
        memcpy(words, operands, count * sizeof *words);
    memcpy(words + count, text, strlen(text));
    module_put(m, section, opcode, words, count + strlen(text) / 4 + 1);
}

uint32_t module_id(struct module *m)
{
    return m->bound++;
}

static uint32_t put_result(struct module *m, enum module_section section, uint32_t opcode, uint32_t type, uint32_t id,
                           const uint32_t *operands, size_t count)
{
    struct module_words *w = &m->section[section];
    add_word(w, (uint32_t)(count + 2 + (type != 0)) << 16 | opcode);
    if (type)
        add_word(w, type);
    add_word(w, id);
    for (size_t i = 0; i < count; i++)
        add_word(w, operands[i]);
    return id;
}

uint32_t module_global(struct module *m, uint32_t opcode, uint32_t type, const uint32_t *operands, size_t count)
{
    const struct module_words *w = &m->section[MODULE_GLOBALS];
    size_t before = 2 + (type != 0);
    for (size_t i = 0; i < w->count; i += w->at[i] >> 16)
        if (w->at[i] == ((uint32_t)(count + before) << 16 | opcode) && (!type || w->at[i + 1] == type) &&
            (!count || !memcmp(&w->at[i + before], operands, count * sizeof *operands)))
            return w->at[i + before - 1];
    return put_result(m, MODULE_GLOBALS, opcode, type, module_id(m), operands, count);
}

uint32_t module_code(struct module *m, uint32_t opcode, uint32_t type, const uint32_t *operands, size_t count)
{
    return put_result(m, MODULE_CODE, opcode, type, module_id(m), operands, count);
}

void module_code_as(struct module *m, uint32_t opcode, uint32_t type, uint32_t id, const uint32_t *operands, size_t count)
{
    put_result(m, MODULE_CODE, opcode, type, id, operands, count);
}

uint32_t module_int(struct module *m, uint32_t bits)
{
    return module_global(m, TYPE_INT, 0, MODULE_WORDS(bits, 0));
}

uint32_t module_float(struct module *m, uint32_t bits)
{
    return module_global(m, TYPE_FLOAT, 0, MODULE_WORDS(bits));
}

uint32_t module_pointer(struct module *m, uint32_t storage, uint32_t to)
{
    return module_global(m, TYPE_POINTER, 0, MODULE_WORDS(storage, to));
}

uint32_t module_u32(struct module *m, uint32_t value)
{
    return module_global(m, CONSTANT, module_int(m, 32), MODULE_WORDS(value));
}

uint32_t module_u64(struct module *m, uint64_t value)
{
    return module_global(m, CONSTANT, module_int(m, 64), MODULE_WORDS((uint32_t)value, (uint32_t)(value >> 32)));
}

uint32_t module_type(struct module *m, const char *name)
{
    static const struct {
        const char *name;
        uint32_t opcode, bits;
    } scalars[] = {{"char", TYPE_INT, 8},  {"short", TYPE_INT, 16},  {"int", TYPE_INT, 32},
                   {"long", TYPE_INT, 64}, {"half", TYPE_FLOAT, 16}, {"float", TYPE_FLOAT, 32}};
    name += *name == 'u';
    size_t length = strcspn(name, "0123456789"), i = 0;
    while (strlen(scalars[i].name) != length || strncmp(scalars[i].name, name, length) != 0)
        i++;
    uint32_t scalar = scalars[i].opcode == TYPE_INT ? module_int(m, scalars[i].bits) : module_float(m, scalars[i].bits);
    return name[length] ? module_global(m, TYPE_VECTOR, 0, MODULE_WORDS(scalar, (uint32_t)atoi(name + length))) : scalar;
}

uint32_t module_array(struct module *m, uint32_t element, uint32_t count)
{
    return module_global(m, TYPE_ARRAY, 0, MODULE_WORDS(element, module_u32(m, count)));
}

uint32_t module_constant(struct module *m, const char *type, uint32_t value)
{
    const uint32_t words[] = {value, 0};
    return module_global(m, CONSTANT, module_type(m, type), words, strcmp(type, "long") ? 1 : 2);
}

/* A variable of a built-in. */
static uint32_t add_builtin(struct module *m, const char *type, uint32_t number)
{
    uint32_t pointer = module_pointer(m, INPUT, module_type(m, type)), id = module_id(m);
    put_result(m, MODULE_GLOBALS, VARIABLE, pointer, id, MODULE_WORDS(INPUT));
    module_put(m, MODULE_DECORATIONS, DECORATE, MODULE_WORDS(id, BUILT_IN, number));
    return id;
}

void module_begin(struct module *m, const uint32_t *capabilities, const char *const *extensions)
{
    /* Addresses, Kernel, Vector16, Float16, Float64, Int64, Int16, GenericPointer, Int8, SubgroupDispatch */
    static const uint32_t usual[] = {4, 6, 7, 9, 10, 11, 22, 38, 39, 58};
    enum { GLOBAL_INVOCATION_ID = 28, SUBGROUP_ID = 40 };
    *m = (struct module){.bound = 1};
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
        module_put(m, MODULE_DECLARATIONS, CAPABILITY, &usual[i], 1);
    for (; *capabilities; capabilities++)
        module_put(m, MODULE_DECLARATIONS, CAPABILITY, capabilities, 1);
    for (; *extensions; extensions++)
        put_text(m, MODULE_DECLARATIONS, EXTENSION, NULL, 0, *extensions);
    module_put(m, MODULE_MODEL, MEMORY_MODEL, MODULE_WORDS(2, 2));
    m->sub_group = add_builtin(m, "int", SUBGROUP_ID);
    m->global_id = add_builtin(m, "long3", GLOBAL_INVOCATION_ID);
}

void module_free(struct module *m)
{
    for (int i = 0; i < MODULE_SECTIONS; i++)
        free(m->section[i].at);
    free(m->whole.at);
}

const void *module_bytes(struct module *m, size_t *size)
{
    const uint32_t header[] = {0x07230203, 0x00010400, 0, m->bound, 0};
    m->whole.count = 0;
    for (size_t i = 0; i < 5; i++)
        add_word(&m->whole, header[i]);
    for (int i = 0; i < MODULE_SECTIONS; i++)
        for (size_t k = 0; k < m->section[i].count; k++)
            add_word(&m->whole, m->section[i].at[k]);
    *size = m->whole.count * sizeof *m->whole.at;
    return m->whole.at;
}

void module_kernel(struct module *m, const char *name, uint32_t size, const uint32_t *elements, uint32_t *parameters, size_t count)
{
    uint32_t type[16] = {module_global(m, TYPE_VOID, 0, MODULE_NONE)}, id = module_id(m);
    for (size_t i = 0; i < count; i++)
        type[i + 1] = module_pointer(m, MODULE_CROSS_WORKGROUP, elements[i]);
    uint32_t function = module_global(m, TYPE_FUNCTION, 0, type, count + 1);
    uint32_t entry[] = {6, id};
    put_text(m, MODULE_ENTRY_POINTS, ENTRY_POINT, entry, 2, name);
    if (size)
        module_put(m, MODULE_MODES, EXECUTION_MODE, MODULE_WORDS(id, MODE_SUBGROUP_SIZE, size));
    module_code_as(m, FUNCTION, type[0], id, MODULE_WORDS(0, function));
    for (size_t i = 0; i < count; i++)
        parameters[i] = module_code(m, FUNCTION_PARAMETER, type[i + 1], MODULE_NONE);
    module_code(m, LABEL, 0, MODULE_NONE);
}

void module_end_kernel(struct module *m)
{
    module_put(m, MODULE_CODE, RETURN, MODULE_NONE);
    module_put(m, MODULE_CODE, FUNCTION_END, MODULE_NONE);
}

uint32_t module_sub_group(struct module *m)
{
    uint32_t id = module_code(m, LOAD, module_int(m, 32), MODULE_WORDS(m->sub_group));
    return module_code(m, U_CONVERT, module_int(m, 64), MODULE_WORDS(id));
}

uint32_t module_global_id(struct module *m)
{
    uint32_t all = module_code(m, LOAD, module_type(m, "long3"), MODULE_WORDS(m->global_id));
    return module_code(m, COMPOSITE_EXTRACT, module_type(m, "long"), MODULE_WORDS(all, 0));
}

uint32_t module_at(struct module *m, uint32_t storage, uint32_t element, uint32_t pointer, uint32_t index)
{
    return module_code(m, IN_BOUNDS_PTR_ACCESS_CHAIN, module_pointer(m, storage, element), MODULE_WORDS(pointer, index));
}
