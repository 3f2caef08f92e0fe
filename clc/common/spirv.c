/* SPDX-License-Identifier: Apache-2.0
 * A look at a SPIR-V module that the driver can afford: whether it is one, and which specialisation constants it has. */
#include "tessera/spirv.h"

#include <string.h>

/* Of the SPIR-V specification, 3.49; the driver has no other use for its header. */
enum {
    OP_TYPE_BOOL = 20,
    OP_TYPE_INT = 21,
    OP_TYPE_FLOAT = 22,
    OP_SPEC_CONSTANT_TRUE = 48,
    OP_SPEC_CONSTANT_FALSE = 49,
    OP_SPEC_CONSTANT = 50,
    OP_FUNCTION = 54,
    OP_DECORATE = 71,
    DECORATION_SPEC_ID = 1,
};

/* A module in either byte order, word by word. */
struct words {
    const unsigned char *bytes;
    size_t count;
    bool swapped;
};

static uint32_t word(const struct words *words, size_t index)
{
    uint32_t value;
    memcpy(&value, words->bytes + 4 * index, sizeof value);
    return words->swapped ? __builtin_bswap32(value) : value;
}

static struct words words_of(const void *module, size_t size)
{
    struct words words = {module, size / 4, false};
    words.swapped = word(&words, 0) != TSR_SPIRV_MAGIC;
    return words;
}

/* Words of the instruction; 0: it goes beyond the module. */
static uint32_t length_of(const struct words *words, size_t at)
{
    uint32_t length = word(words, at) >> 16;
    return length <= words->count - at ? length : 0;
}

static bool is_known_version(uint32_t version)
{
    static const uint32_t versions[] = {
#define TSR_SPIRV_VERSION(major, minor) (major) << 16 | (minor) << 8,
#include "tessera/spirv.def"
    };
    for (size_t i = 0; i < TSR_ARRAY_LEN(versions); i++)
        if (versions[i] == version)
            return true;
    return false;
}

const char *tsr_spirv_check(const void *module, size_t size)
{
    if (size < TSR_SPIRV_HEADER)
        return "it is shorter than the header of SPIR-V";
    struct words words = words_of(module, size);
    if (word(&words, 0) != TSR_SPIRV_MAGIC)
        return "it does not begin with the magic number of SPIR-V";
    if (size % 4)
        return "it does not consist of whole words";
    if (!is_known_version(word(&words, 1)))
        return "its version of SPIR-V is none that this driver knows";
    if (word(&words, 4))
        return "the word of its instruction schema is not 0";
    uint32_t length;
    for (size_t at = TSR_SPIRV_HEADER / 4; at < words.count; at += length) {
        length = length_of(&words, at);
        if (!length)
            return "an instruction does not end within it";
    }
    return NULL;
}

/* Whether the instruction decorates something with this SpecId. */
static bool decorates(const struct words *words, size_t at, uint32_t id)
{
    return (word(words, at) & 0xffff) == OP_DECORATE && length_of(words, at) == 4 && word(words, at + 2) == DECORATION_SPEC_ID &&
           word(words, at + 3) == id;
}

/* The first instruction that makes this id, at operand number `operand`, by one of the instructions `first` to `last`; 0: there
 * is none before the functions. */
static size_t find_result(const struct words *words, uint32_t id, unsigned operand, uint32_t first, uint32_t last)
{
    for (size_t at = TSR_SPIRV_HEADER / 4; at < words->count; at += length_of(words, at)) {
        uint32_t op = word(words, at) & 0xffff;
        if (op == OP_FUNCTION)
            return 0;
        if (op >= first && op <= last && length_of(words, at) > operand && word(words, at + operand) == id)
            return at;
    }
    return 0;
}

/* Bytes of a scalar type; 0: it is none that a specialisation constant can have. */
static uint32_t type_size(const struct words *words, uint32_t id)
{
    size_t at = find_result(words, id, 1, OP_TYPE_BOOL, OP_TYPE_FLOAT);
    if (!at)
        return 0;
    if ((word(words, at) & 0xffff) == OP_TYPE_BOOL)
        return 1;
    uint32_t bits = length_of(words, at) > 2 ? word(words, at + 2) : 0;
    return bits == 8 || bits == 16 || bits == 32 || bits == 64 ? bits / 8 : 0;
}

uint32_t tsr_spirv_constant_size(const void *module, size_t size, uint32_t id)
{
    struct words words = words_of(module, size);
    size_t at = TSR_SPIRV_HEADER / 4;
    while (at < words.count && !decorates(&words, at, id))
        at += length_of(&words, at);
    if (at == words.count)
        return 0;
    size_t constant = find_result(&words, word(&words, at + 1), 2, OP_SPEC_CONSTANT_TRUE, OP_SPEC_CONSTANT);
    return constant ? type_size(&words, word(&words, constant + 1)) : 0;
}
