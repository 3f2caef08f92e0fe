/* SPDX-License-Identifier: Apache-2.0
 * Modules in SPIR-V that not all drivers take. */
#include "clc/service/service.h"

#include <string.h>

#include "tessera/spirv.h"

enum capability {
#define TSR_SPIRV_CAPABILITY(name, number) CAPABILITY_##name = number,
#include "tessera/spirv.def"
};

enum { OP_CAPABILITY = 17 };

static const struct {
    const char *name;
    uint32_t capability, first, last; /* opcodes */
} news[] = {
#define TSR_IL_NEW(capability, first, last) {#capability, CAPABILITY_##capability, first, last},
#include "clc/service/il_capabilities.def"
#undef TSR_IL_NEW
};

const char *tsr__il_new_capability(const void *module, size_t size)
{
    uint32_t words[2];
    memcpy(words, module, sizeof words[0]);
    bool swapped = words[0] != TSR_SPIRV_MAGIC;
    for (size_t at = TSR_SPIRV_HEADER; at + sizeof words[0] <= size; at += (words[0] >> 16) * sizeof words[0]) {
        size_t here = size - at < sizeof words ? size - at : sizeof words;
        memcpy(words, (const char *)module + at, here);
        for (size_t i = 0; i < TSR_ARRAY_LEN(words) && swapped; i++)
            words[i] = __builtin_bswap32(words[i]);
        uint32_t opcode = words[0] & 0xffff;
        for (size_t i = 0; i < TSR_ARRAY_LEN(news); i++)
            if (opcode == OP_CAPABILITY ? words[1] == news[i].capability : opcode >= news[i].first && opcode <= news[i].last)
                return news[i].name;
    }
    return NULL;
}
