/* SPDX-License-Identifier: Apache-2.0
 * Links from the built-in library, a sequence of small modules with an index of names (builtins/pack.py defines the form), the modules that
 * a program needs. The time depends on what is used, not on the size of the library. */
#include <string.h>

#include "link_shim.h"
#include "service.h"

enum { ROUNDS = 32 }; /* of linking; chains of functions that call functions of other modules are far shorter */

struct shelf {
    const unsigned char *data;
    uint32_t names, modules;
    const unsigned char *table, *hashes, *numbers;
};

static uint32_t word(const unsigned char *at)
{
    uint32_t v;
    memcpy(&v, at, sizeof v);
    return v;
}

static uint64_t quad(const unsigned char *at)
{
    uint64_t v;
    memcpy(&v, at, sizeof v);
    return v;
}

enum { HEAD = 24, VERSION = 1 };

static struct shelf open_shelf(const unsigned char *data)
{
    struct shelf s = {.data = data, .names = word(data + 12), .modules = word(data + 16), .table = data + HEAD};
    s.hashes = s.table + 16 * (size_t)s.modules;
    s.numbers = s.hashes + 8 * (size_t)s.names;
    return s;
}

bool tsr__shelf_is_whole(const unsigned char *data, size_t size)
{
    if (size < HEAD || memcmp(data, "TSRSHELF", 8) != 0 || word(data + 8) != VERSION)
        return false;
    const struct shelf s = open_shelf(data);
    if ((size - HEAD) / 16 < s.modules || (size - HEAD - 16 * (size_t)s.modules) / 12 < s.names)
        return false;
    for (uint32_t i = 0; i < s.modules; i++) {
        uint64_t at = quad(s.table + 16 * (size_t)i), length = quad(s.table + 16 * (size_t)i + 8);
        if (at > size || length > size - at)
            return false;
    }
    return true;
}

/* Number of the module that defines the name, or -1. */
static int64_t find(const struct shelf *s, const char *name, size_t length)
{
    uint64_t hash = 0xcbf29ce484222325;
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)name[i]) * 0x100000001b3;
    size_t low = 0, high = s->names;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (quad(s->hashes + 8 * middle) < hash)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == s->names || quad(s->hashes + 8 * low) != hash)
        return -1;
    uint32_t number = word(s->numbers + 4 * low);
    return number < s->modules ? (int)number : -1;
}

bool tsr__shelf_has(const unsigned char *data, const char *name)
{
    const struct shelf s = open_shelf(data);
    return find(&s, name, strlen(name)) >= 0;
}

bool tsr__shelf_link(LLVMModuleRef module, const unsigned char *data, bool (*wanted)(const char *name))
{
    const struct shelf s = open_shelf(data);
    unsigned char *needed = tsr_malloc(s.modules);
    if (!needed) {
        tsr__out_of_memory();
        return false;
    }
    bool good = true, more = true;
    for (int round = 0; good && more && round < ROUNDS; round++) {
        memset(needed, 0, s.modules);
        more = false;
        for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
            size_t length;
            const char *name = LLVMGetValueName2(f, &length);
            if (!LLVMIsDeclaration(f) || !LLVMGetFirstUse(f) || LLVMGetIntrinsicID(f) || (wanted && !wanted(name)))
                continue;
            int64_t number = find(&s, name, length);
            if (number >= 0)
                needed[number] = more = true;
        }
        for (uint32_t i = 0; good && i < s.modules; i++) {
            const unsigned char *entry = s.table + 16 * (size_t)i;
            if (needed[i])
                good = tsr_link_needed(module, data + quad(entry), quad(entry + 8));
        }
    }
    tsr_free(needed);
    return good;
}
