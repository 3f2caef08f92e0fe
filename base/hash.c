/* SPDX-License-Identifier: Apache-2.0
 * 128-bit content hash: XXH3, compiled in, so that no library is needed at run time. */
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <stdio.h>
#include <string.h>

#include "base/internal.h"

struct tsr_hasher {
    XXH3_state_t state;
};

static struct tsr_hash from_xxh(XXH128_hash_t h)
{
    return (struct tsr_hash){.lo = h.low64, .hi = h.high64};
}

struct tsr_hasher *tsr_hasher_new(void)
{
    struct tsr_hasher *h = tsr_aligned(_Alignof(struct tsr_hasher), sizeof *h);
    if (h) {
        XXH3_INITSTATE(&h->state);
        XXH3_128bits_reset(&h->state);
    }
    return h;
}

void tsr_hasher_add(struct tsr_hasher *h, const void *data, size_t size)
{
    if (h && size)
        XXH3_128bits_update(&h->state, data, size);
}

void tsr_hasher_add_str(struct tsr_hasher *h, const char *s)
{
    uint64_t size = s ? strlen(s) : UINT64_MAX;
    tsr_hasher_add(h, &size, sizeof size);
    if (s)
        tsr_hasher_add(h, s, size);
}

struct tsr_hash tsr_hasher_end(struct tsr_hasher *h)
{
    if (!h)
        return (struct tsr_hash){0};
    struct tsr_hash hash = from_xxh(XXH3_128bits_digest(&h->state));
    tsr_free(h);
    return hash;
}

struct tsr_hash tsr_hash_bytes(const void *data, size_t size)
{
    return from_xxh(XXH3_128bits(data, size));
}

void tsr_hash_hex(struct tsr_hash hash, char out[33])
{
    snprintf(out, 33, "%016llx%016llx", (unsigned long long)hash.hi, (unsigned long long)hash.lo);
}
