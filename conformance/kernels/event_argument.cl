// SPDX-License-Identifier: Apache-2.0
// options: -cl-std=CL3.0 -cl-opt-disable
// kernel: through
// global: 64
// local: 32
// buffer: int 64 = i*3
// buffer: int 64 = 0
// expect: 1 = i*3+1

/* Events pass through functions of the program, in code that nothing optimises. */
event_t fetch(local int *to, global const int *from, event_t before)
{
    return async_work_group_copy(to, from, 32, before);
}

void wait_twice(event_t *events)
{
    wait_group_events(1, events);
    wait_group_events(1, events);
}

kernel void through(global int *in, global int *out)
{
    local int room[32];
    event_t event = fetch(room, in + 32 * get_group_id(0), 0);
    wait_twice(&event);
    out[get_global_id(0)] = room[get_local_id(0)] + 1;
}
