/* SPDX-License-Identifier: Apache-2.0
 * What generated code calls for a loop over K: now, or together with the loops of other work-groups. */
#include "device-amx/cpu.h"
#include "device-amx/tiles.h"

uint32_t tsr__tile_loop(struct tsr_item *item, const struct tsr_tile_loop *loop)
{
    struct tsr__run *run = loop->how & (TSR_TILE_TWICE | TSR_TILE_MAY_WAIT) ? ((struct tsr__work_item *)item)->run : NULL;
    assert(loop->rows >= 1 && loop->columns >= 1 && loop->steps >= 1 && loop->rows * loop->columns <= TSR_TILE_LOOP_MAX);
    assert(loop->tile_rows == TSR_TILE_ROWS || (loop->rows == 1 && loop->tile_rows >= 1 && loop->tile_rows < TSR_TILE_ROWS));
    assert(!(loop->how & TSR_TILE_HALF_N) || (loop->rows == 1 && loop->columns == 1 && !(loop->how & TSR_TILE_B_EDGES)));
    assert(!(loop->how & TSR_TILE_A_COMPUTED) || !(loop->how & (TSR_TILE_NIBBLES | TSR_TILE_A_EDGES)));
    assert(!(loop->how & TSR_TILE_B_COMPUTED) ||
           !(loop->how & (TSR_TILE_NIBBLES | TSR_TILE_B_EDGES | TSR_TILE_B_UNPACKED | TSR_TILE_HALF_N)));
    for (int64_t i = 0; i < loop->rows * loop->columns; i++)
        assert((uintptr_t)loop->c[i] % TSR_TILE_ROW_BYTES == 0);
    if (run && run->pass == TSR__FIRST_PASS) {
        tsr__tile_twice_note(run, loop);
        return true;
    }
    if (run && run->pass == TSR__SECOND_PASS && tsr__tile_twice_take(run, loop))
        return false;
    if (run && loop->how & TSR_TILE_TWICE && run->pass == TSR__ONLY_PASS)
        tsr__tile_twice_missed(run);
    if (loop->apart) {
        tsr__tile_sums_apart(loop, NULL, 0, 0);
        return false;
    }
    if (run && tsr__tile_loop_waits(run, loop))
        return true;
    if (run && loop->how & TSR_TILE_IN_ORDER)
        tsr__tile_loops_end(run);
    struct tsr_tile_loop x = *loop;
    x.to = x.tile_rows == TSR_TILE_ROWS && (!tsr__is_in_tiles(&x) || tsr__loads_tiles_in_place(&x)) ? tsr__tile_goal(loop) : NULL;
    x.past = x.past && x.to && tsr__fills_lines(&x);
    if (x.how & TSR_TILE_HALF_N || (x.how & TSR_TILE_A_EDGES && !tsr__loop_a_is_within(&x, &x.a_matrix)) ||
        (x.how & TSR_TILE_B_EDGES && !tsr__loop_b_is_within(&x, &x.b_matrix))) {
        tsr__tile_loop_at_edges(item, &x);
        return false;
    }
    (tsr__is_computed(&x) ? tsr__tile_loop_computed : tsr__tile_loop_now)(item, &x);
    return x.to != NULL;
}
