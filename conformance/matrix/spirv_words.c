/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/matrix/spirv_words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CAPABILITY = 17, EXTENSION = 10, ENTRY_POINT = 15, MODE = 16, MEMORY_MODEL = 14, DECORATE = 71 };

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
    memcpy(words, operands, count * sizeof *words);
    memcpy(words + count, text, strlen(text));
    module_put(m, section, opcode, words, count + strlen(text) / 4 + 1);
}

void module_capability(struct module *m, uint32_t number)
{
    module_put(m, MODULE_DECLARATIONS, CAPABILITY, &number, 1);
}

void module_extension(struct module *m, const char *name)
{
    put_text(m, MODULE_DECLARATIONS, EXTENSION, NULL, 0, name);
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
    return module_global(m, 21, 0, MODULE_WORDS(bits, 0));
}

uint32_t module_float(struct module *m, uint32_t bits)
{
    return module_global(m, 22, 0, MODULE_WORDS(bits));
}

uint32_t module_pointer(struct module *m, uint32_t storage, uint32_t to)
{
    return module_global(m, 32, 0, MODULE_WORDS(storage, to));
}

uint32_t module_u32(struct module *m, uint32_t value)
{
    return module_global(m, 43, module_int(m, 32), MODULE_WORDS(value));
}

uint32_t module_u64(struct module *m, uint64_t value)
{
    return module_global(m, 43, module_int(m, 64), MODULE_WORDS((uint32_t)value, (uint32_t)(value >> 32)));
}

void module_begin(struct module *m)
{
    static const uint32_t capabilities[] = {4, 6, 9, 10, 11, 22, 38, 39}; /* addresses, kernels, types */
    *m = (struct module){.bound = 1};
    for (size_t i = 0; i < sizeof capabilities / sizeof *capabilities; i++)
        module_capability(m, capabilities[i]);
    module_put(m, MODULE_MODEL, MEMORY_MODEL, MODULE_WORDS(2, 2));
    m->builtin_sub_group = module_global(m, 59, module_pointer(m, 1, module_int(m, 32)), MODULE_WORDS(1));
    module_put(m, MODULE_DECORATIONS, DECORATE, MODULE_WORDS(m->builtin_sub_group, 11, 40));
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
    uint32_t type[16] = {module_global(m, 19, 0, MODULE_NONE)}, id = module_id(m);
    for (size_t i = 0; i < count; i++)
        type[i + 1] = module_pointer(m, 5, elements[i]);
    uint32_t function = module_global(m, 33, 0, type, count + 1);
    uint32_t entry[] = {6, id};
    put_text(m, MODULE_ENTRY_POINTS, ENTRY_POINT, entry, 2, name);
    if (size)
        module_put(m, MODULE_MODES, MODE, MODULE_WORDS(id, 35, size));
    module_code_as(m, 54, type[0], id, MODULE_WORDS(0, function));
    for (size_t i = 0; i < count; i++)
        parameters[i] = module_code(m, 55, type[i + 1], MODULE_NONE);
    module_code(m, 248, 0, MODULE_NONE);
}

void module_end_kernel(struct module *m)
{
    module_put(m, MODULE_CODE, 253, MODULE_NONE);
    module_put(m, MODULE_CODE, 56, MODULE_NONE);
}

uint32_t module_sub_group(struct module *m)
{
    uint32_t id = module_code(m, 61, module_int(m, 32), MODULE_WORDS(m->builtin_sub_group));
    return module_code(m, 113, module_int(m, 64), MODULE_WORDS(id));
}

uint32_t module_at(struct module *m, uint32_t storage, uint32_t element, uint32_t pointer, uint32_t index)
{
    return module_code(m, 70, module_pointer(m, storage, element), MODULE_WORDS(pointer, index));
}
