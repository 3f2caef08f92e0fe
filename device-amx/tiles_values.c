/* SPDX-License-Identifier: Apache-2.0
 * Values of packets from which the operands of loops over K are computed. Each packet has them on its stack; those that are the same bytes
 * are kept once, so that their address tells operands apart as that of other operands does. */
#include "device-amx/tiles_share.h"

void tsr__values_clear(struct tsr__values *v)
{
    v->count = v->used = v->last[0] = v->last[1] = 0;
    memset(v->number, 0, sizeof v->number);
}

void tsr__values_begin(struct tsr__values *v, uint64_t launch)
{
    if (v->launch != launch)
        tsr__values_clear(v);
    v->launch = launch;
}

static uint32_t hash_of(const char *values, uint64_t bytes)
{
    uint64_t hash = bytes;
    for (uint64_t i = 0, word; i < bytes; i += sizeof word) {
        memcpy(&word, values + i, sizeof word);
        hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 29;
    }
    return (uint32_t)(hash >> 32) % TSR__VALUES_HASH;
}

static bool is_entry(const struct tsr__values *v, uint32_t number, const char *values, uint64_t bytes)
{
    return number < v->count && v->entries[number].bytes == bytes && !memcmp(v->memory + v->entries[number].at, values, bytes);
}

/* Mostly they are those of the last operand of the side, or the ones behind these. */
static bool find_entry(struct tsr__values *v, bool is_b, const char *values, uint64_t bytes, uint32_t *number)
{
    for (*number = v->last[is_b]; *number < v->last[is_b] + 3; ++*number)
        if (is_entry(v, *number, values, bytes))
            return true;
    uint32_t i = hash_of(values, bytes);
    while (v->number[i] && !is_entry(v, v->number[i] - 1u, values, bytes))
        i = (i + 1) % TSR__VALUES_HASH;
    *number = v->number[i] ? v->number[i] - 1u : v->count;
    if (v->number[i])
        return true;
    if (v->count == TSR__MOST_VALUES || TSR__VALUES_BYTES - v->used < bytes)
        return false;
    v->number[i] = (uint16_t)(v->count + 1);
    v->entries[v->count].at = v->used;
    v->entries[v->count++].bytes = (uint32_t)bytes;
    memcpy(v->memory + v->used, values, bytes);
    v->used += (uint32_t)bytes;
    return true;
}

const char *tsr__values_keep(struct tsr__values *v, bool is_b, const void *values, uint64_t bytes)
{
    uint32_t number;
    assert(bytes && bytes % sizeof(uint64_t) == 0);
    if (!find_entry(v, is_b, values, bytes, &number))
        return NULL;
    v->last[is_b] = number;
    return v->memory + v->entries[number].at;
}

const char *tsr__values_of_operand(struct tsr__values *v, const struct tsr_tile_loop *x, bool is_b)
{
    if (is_b)
        return x->how & TSR_TILE_B_COMPUTED ? tsr__values_keep(v, true, x->b, x->b_bytes) : x->b;
    return x->how & TSR_TILE_A_COMPUTED ? tsr__values_keep(v, false, x->a, x->a_bytes) : x->a;
}
