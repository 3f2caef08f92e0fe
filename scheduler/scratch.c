/* SPDX-License-Identifier: Apache-2.0
 * Scratch memory of workers and helpers: it grows, is kept, and belongs to the thread that has the seat. */
#include "scheduler/internal.h"

void *tsr_worker_scratch(struct tsr_worker *worker, unsigned slot, size_t size)
{
    if (slot >= TSR_SCRATCH_SLOTS)
        return NULL;
    struct tsr__seat *seat = TSR_CONTAINER_OF(worker, struct tsr__seat, worker);
    if (size > seat->scratch[slot].size || !seat->scratch[slot].data) {
        size_t room = size > TSR_PAGE ? size : TSR_PAGE;
        void *data = tsr_aligned(TSR_SCRATCH_ALIGN, room);
        if (!data)
            return NULL;
        /* The new block is stored first: a child forked in between finds a valid pointer. */
        void *old = seat->scratch[slot].data;
        seat->scratch[slot].size = 0;
        seat->scratch[slot].data = data;
        seat->scratch[slot].size = room;
        tsr_free(old);
    }
    return seat->scratch[slot].data;
}
