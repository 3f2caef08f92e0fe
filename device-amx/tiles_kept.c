/* SPDX-License-Identifier: Apache-2.0
 * Tiles of B that packets pack for themselves, since their loops do not run together, as keys and values in attention: work-groups that
 * read the same B find what others of the launch have packed on the same worker. Where few are met again no more are kept. */
#include <string.h>

#include "device-amx/cpu.h"
#include "device-amx/tiles.h"

enum {
    TILES = 1 << 10, /* a power of two; half of a second cache, or less */
    LOOK = 1 << 12,  /* tiles after which to look how many were met again */
    LEAST_PART = 2,  /* of these, so that it pays */
};

struct tsr__kept_tiles {
    uint64_t launch;
    uint64_t number; /* of the tile that was asked for last */
    uint32_t asked, met;
    bool gives_up;
    struct kept {
        const char *from; /* NULL: none */
        int64_t stride;
        uint32_t how;
        uint64_t number; /* when it was asked for last */
    } of[TILES];
    _Alignas(TSR_TILE_ROW_BYTES) char tiles[TILES][TSR_TILE_BYTES];
};

static struct tsr__kept_tiles *make_kept(struct tsr__run *run)
{
    const uint64_t launch = run->launch->blocks.launch;
    struct tsr__kept_tiles *k = tsr_worker_scratch(run->seat, TSR__SCRATCH_KEPT, sizeof *k);
    if (k && (!launch || k->launch != launch)) {
        k->launch = launch;
        k->number = k->asked = k->met = 0;
        k->gives_up = false;
        memset(k->of, 0, sizeof k->of);
    }
    return k;
}

static bool pays(struct tsr__kept_tiles *k)
{
    if (k->asked++ == LOOK) {
        k->gives_up = k->met * LEAST_PART < k->asked;
        k->asked = k->met = 0;
    }
    return !k->gives_up;
}

/* The tile, packed by this launch before or now, in memory of the worker. NULL: too few are met again, or its place is taken. */
static const void *find_kept(struct tsr_item *item, const char *from, int64_t stride, uint32_t how)
{
    struct tsr__run *run = ((struct tsr__work_item *)item)->run;
    if (!run->kept)
        run->kept = make_kept(run);
    struct tsr__kept_tiles *k = run->kept;
    if (!k || k->gives_up || !pays(k))
        return NULL;
    k->number++;
    const uint32_t at = (uint32_t)(((uintptr_t)from * UINT64_C(0x9e3779b97f4a7c15)) >> 54) % TILES;
    struct kept *of = &k->of[at];
    if (of->from == from && of->stride == stride && of->how == how) {
        k->met++;
        of->number = k->number;
        return k->tiles[at];
    }
    if (of->from && k->number - of->number <= TSR_TILE_KEPT) /* its packet may not have loaded it yet */
        return NULL;
    *of = (struct kept){from, stride, how, k->number};
    tsr__tile_pack_rows(k->tiles[at], TSR_TILE_ROW_BYTES, from, stride, how);
    return k->tiles[at];
}

const void *tsr__tile_pack(struct tsr_item *item, void *to, const void *from, int64_t stride, uint32_t how)
{
    const void *kept = how & TSR_TILE_KEEPS ? find_kept(item, from, stride, how) : NULL;
    if (kept)
        return kept;
    tsr__tile_pack_rows(to, TSR_TILE_ROW_BYTES, from, stride, how);
    return to;
}
