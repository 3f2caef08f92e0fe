/* SPDX-License-Identifier: Apache-2.0
 * What generated code calls for a loop over K: now, or together with the loops of other work-groups. */
#include "device-amx/cpu.h"
#include "device-amx/tiles.h"

uint32_t tsr__tile_loop(struct tsr_item *item, const struct tsr_tile_loop *loop)
{
    struct tsr_tile_loop x = *loop;
    struct tsr__run *run = x.how & TSR_TILE_TWICE ? ((struct tsr__work_item *)item)->run : NULL;
    assert(x.rows >= 1 && x.columns >= 1 && x.steps >= 1 && x.rows * x.columns <= TSR_TILE_LOOP_MAX);
    assert(x.tile_rows == TSR_TILE_ROWS || (x.rows == 1 && x.tile_rows >= 1 && x.tile_rows < TSR_TILE_ROWS));
    for (int64_t i = 0; i < x.rows * x.columns; i++)
        assert((uintptr_t)x.c[i] % TSR_TILE_ROW_BYTES == 0);
    if (run && run->pass == TSR__FIRST_PASS) {
        tsr__tile_twice_note(run, &x);
        return true;
    }
    if (run && run->pass == TSR__SECOND_PASS && tsr__tile_twice_take(run, &x))
        return false;
    if (tsr__tile_loop_waits(item, &x))
        return true;
    x.to = x.tile_rows == TSR_TILE_ROWS && (!tsr__is_in_tiles(&x) || tsr__loads_tiles_in_place(&x)) ? x.to : NULL;
    if ((x.how & TSR_TILE_A_EDGES && !tsr__loop_a_is_within(&x, &x.a_matrix)) ||
        (x.how & TSR_TILE_B_EDGES && !tsr__loop_b_is_within(&x, &x.b_matrix))) {
        tsr__tile_loop_at_edges(item, &x);
        return false;
    }
    tsr__tile_loop_now(item, &x);
    return x.to != NULL;
}
