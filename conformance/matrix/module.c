/* SPDX-License-Identifier: Apache-2.0
 * Modules in SPIR-V, word by word. */
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
    FUNCTION = 54,
    FUNCTION_END = 56,
    DECORATE = 71,
    LABEL = 248,
    RETURN = 253,
};
enum { MODE_SUBGROUP_SIZE = 35, STORAGE_INPUT = 1, BUILT_IN = 11, GLOBAL_INVOCATION_ID = 28 };
enum { MOST_WORDS = 64 };

static void add(struct section *s, uint32_t word)
{
    if (s->count == MODULE_WORDS) {
        fprintf(stderr, "the module is too long\n");
        abort();
    }
    s->words[s->count++] = word;
}

void module_put(struct section *s, uint32_t opcode, const uint32_t *words, size_t count)
{
    add(s, (uint32_t)(count + 1) << 16 | opcode);
    for (size_t i = 0; i < count; i++)
        add(s, words[i]);
}

/* The words, then the text. */
static void put_text(struct section *s, uint32_t opcode, const uint32_t *words, size_t count, const char *text)
{
    uint32_t all[MOST_WORDS] = {0};
    memcpy(all, words, count * 4);
    memcpy(all + count, text, strlen(text));
    module_put(s, opcode, all, count + strlen(text) / 4 + 1);
}

uint32_t module_id(struct module *m)
{
    return m->next_id++;
}

/* The id for this text. *is_new: it was not there, and the caller has to define it. */
static uint32_t known_id(struct module *m, const char *text, int *is_new)
{
    *is_new = 0;
    for (size_t i = 0; i < m->known_count; i++)
        if (!strcmp(m->known[i].text, text))
            return m->known[i].id;
    if (m->known_count == MODULE_NAMES)
        abort();
    *is_new = 1;
    snprintf(m->known[m->known_count].text, sizeof m->known[0].text, "%s", text);
    return m->known[m->known_count++].id = module_id(m);
}

uint32_t module_type(struct module *m, const char *name)
{
    static const struct {
        const char *name;
        uint32_t opcode, bits;
    } scalars[] = {{"void", TYPE_VOID, 0}, {"char", TYPE_INT, 8},    {"short", TYPE_INT, 16},  {"int", TYPE_INT, 32},
                   {"long", TYPE_INT, 64}, {"half", TYPE_FLOAT, 16}, {"float", TYPE_FLOAT, 32}};
    int is_new;
    name += *name == 'u';
    size_t length = strcspn(name, "0123456789");
    uint32_t id = 0, element = 0;
    if (name[length]) {
        char scalar[16];
        snprintf(scalar, sizeof scalar, "%.*s", (int)length, name);
        element = module_type(m, scalar);
    }
    id = known_id(m, name, &is_new);
    for (size_t i = 0; is_new && !element && i < sizeof scalars / sizeof *scalars; i++) {
        const uint32_t words[] = {id, scalars[i].bits, 0};
        if (!strcmp(scalars[i].name, name))
            module_put(&m->types, scalars[i].opcode, words, scalars[i].opcode == TYPE_INT ? 3 : scalars[i].opcode == TYPE_FLOAT ? 2 : 1);
    }
    if (is_new && element)
        MODULE_PUT(&m->types, TYPE_VECTOR, id, element, (uint32_t)atoi(name + length));
    return id;
}

uint32_t module_constant(struct module *m, const char *type, uint32_t value)
{
    char text[40];
    int is_new;
    uint32_t type_id = module_type(m, type);
    snprintf(text, sizeof text, "%s %u", type, value);
    uint32_t id = known_id(m, text, &is_new);
    const uint32_t words[] = {type_id, id, value, 0};
    if (is_new)
        module_put(&m->types, OP_CONSTANT, words, strcmp(type, "long") ? 3 : 4);
    return id;
}

uint32_t module_array(struct module *m, const char *element, uint32_t count)
{
    char text[40];
    int is_new;
    uint32_t type = module_type(m, element), length = module_constant(m, "int", count);
    snprintf(text, sizeof text, "array %u %u", type, count);
    uint32_t id = known_id(m, text, &is_new);
    if (is_new)
        MODULE_PUT(&m->types, TYPE_ARRAY, id, type, length);
    return id;
}

uint32_t module_pointer(struct module *m, uint32_t storage, uint32_t type)
{
    char text[40];
    int is_new;
    snprintf(text, sizeof text, "pointer %u %u", storage, type);
    uint32_t id = known_id(m, text, &is_new);
    if (is_new)
        MODULE_PUT(&m->types, TYPE_POINTER, id, storage, type);
    return id;
}

uint32_t module_make(struct module *m, uint32_t opcode, uint32_t type, const uint32_t *operands, size_t count)
{
    uint32_t words[MOST_WORDS] = {type, module_id(m)};
    memcpy(words + 2, operands, count * 4);
    module_put(&m->code, opcode, words, count + 2);
    return words[1];
}

void module_begin(struct module *m, const uint32_t *capabilities, const char *const *extensions)
{
    static const uint32_t usual[] = {4,  6,  7,  9,
                                     11, 22, 39, 58}; /* Addresses, Kernel, Vector16, Float16, Int64, Int16, Int8, SubgroupDispatch */
    memset(m, 0, sizeof *m);
    m->next_id = 1;
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
        MODULE_PUT(&m->head, CAPABILITY, usual[i]);
    for (; *capabilities; capabilities++)
        MODULE_PUT(&m->head, CAPABILITY, *capabilities);
    for (; *extensions; extensions++)
        put_text(&m->head, EXTENSION, NULL, 0, *extensions);
    MODULE_PUT(&m->head, MEMORY_MODEL, 2, 2);
    uint32_t pointer = module_pointer(m, STORAGE_INPUT, module_type(m, "long3"));
    m->gid_variable = module_id(m);
    MODULE_PUT(&m->modes, DECORATE, m->gid_variable, BUILT_IN, GLOBAL_INVOCATION_ID);
    MODULE_PUT(&m->types, OP_VARIABLE, pointer, m->gid_variable, STORAGE_INPUT);
}

void module_kernel(struct module *m, const char *name, uint32_t size, const uint32_t *types, uint32_t *parameters, size_t count)
{
    uint32_t words[MOST_WORDS] = {module_id(m), module_type(m, "void")}, function = module_id(m);
    for (size_t i = 0; i < count; i++)
        words[2 + i] = module_pointer(m, STORAGE_CROSS_WORKGROUP, types[i]);
    module_put(&m->types, TYPE_FUNCTION, words, count + 2);
    put_text(&m->entries, ENTRY_POINT, (const uint32_t[]){6, function}, 2, name);
    /* Execution modes stand behind all entry points and before decorations, which the driver does not ask for. */
    MODULE_PUT(&m->entries, EXECUTION_MODE, function, MODE_SUBGROUP_SIZE, size);
    MODULE_PUT(&m->code, FUNCTION, words[1], function, 0, words[0]);
    for (size_t i = 0; i < count; i++) {
        parameters[i] = module_id(m);
        MODULE_PUT(&m->code, OP_FUNCTION_PARAMETER, words[2 + i], parameters[i]);
    }
    MODULE_PUT(&m->code, LABEL, module_id(m));
}

void module_end_kernel(struct module *m)
{
    module_put(&m->code, RETURN, NULL, 0);
    module_put(&m->code, FUNCTION_END, NULL, 0);
}

uint32_t module_global_id(struct module *m)
{
    uint32_t all = MODULE_MAKE(m, OP_LOAD, module_type(m, "long3"), m->gid_variable);
    return MODULE_MAKE(m, OP_COMPOSITE_EXTRACT, module_type(m, "long"), all, 0);
}

uint32_t module_element(struct module *m, uint32_t type, uint32_t pointer, uint32_t index)
{
    return MODULE_MAKE(m, OP_PTR_ACCESS_CHAIN, module_pointer(m, STORAGE_CROSS_WORKGROUP, type), pointer, index);
}

uint32_t *module_finish(const struct module *m, size_t *bytes)
{
    const struct section *const sections[] = {&m->head, &m->entries, &m->modes, &m->types, &m->code};
    const uint32_t header[] = {0x07230203, 0x00010400, 0, m->next_id, 0};
    size_t count = sizeof header / 4;
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++)
        count += sections[i]->count;
    uint32_t *words = malloc(count * 4), *at = words;
    if (!words)
        abort();
    memcpy(at, header, sizeof header);
    at += sizeof header / 4;
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++) {
        memcpy(at, sections[i]->words, sections[i]->count * 4);
        at += sections[i]->count;
    }
    *bytes = count * 4;
    return words;
}
