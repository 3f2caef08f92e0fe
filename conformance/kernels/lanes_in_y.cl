// SPDX-License-Identifier: Apache-2.0
// kernel: lanes_in_y
// options: -cl-std=CL3.0 -D PLACE=(i*35+k)*17+j
// options: -cl-std=CL3.0 -D PLACE=(i*17+j)*35+k
// options: -cl-std=CL3.0 -D PLACE=(i*35+k)*17+j -D PARTS=(j%3==1)
// options: -cl-std=CL3.0 -D PLACE=(i*17+j)*35+k -D PARTS=(k%5>i)
// global: 6 17 35
// offset: 5 3 16
// local: 3 5 1
// local: 1 7 3
// local: 2 17 1
// local: 6 1 35
// local: 1 1 16
// edge-buffer: int 3570 = 0
// edge-buffer: int 3570 = i*7
// edge-buffer: int 6 = 0
// expect: 0 = 1
// expect: 1 = i*8
// expect: 2 = 595

/* Memory goes on along y or z, so lanes may follow these: each work-item must still see the ids of its own place, in every dimension, and
 * there must be a work-item in each place. */
#ifndef PARTS
#define PARTS 1
#endif

kernel void lanes_in_y(global int *ok, global int *data, global int *sums)
{
    size_t x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    size_t i = x - get_global_offset(0), j = y - get_global_offset(1), k = z - get_global_offset(2);
    int good = get_work_dim() == 3 && get_global_offset(0) == 5 && get_global_offset(1) == 3 && get_global_offset(2) == 16;
    good &= get_global_size(0) == 6 && get_global_size(1) == 17 && get_global_size(2) == 35 && get_global_size(3) == 1;
    good &= i < 6 && j < 17 && k < 35 && get_global_linear_id() == (k * 17 + j) * 6 + i;
    good &= i == get_group_id(0) * get_enqueued_local_size(0) + get_local_id(0);
    good &= j == get_group_id(1) * get_enqueued_local_size(1) + get_local_id(1);
    good &= k == get_group_id(2) * get_enqueued_local_size(2) + get_local_id(2);
    good &= get_local_id(0) < get_local_size(0) && get_local_id(1) < get_local_size(1) && get_local_id(2) < get_local_size(2);
    good &= get_local_size(0) == min(get_enqueued_local_size(0), 6 - get_group_id(0) * get_enqueued_local_size(0));
    good &= get_local_size(1) == min(get_enqueued_local_size(1), 17 - get_group_id(1) * get_enqueued_local_size(1));
    good &= get_local_size(2) == min(get_enqueued_local_size(2), 35 - get_group_id(2) * get_enqueued_local_size(2));
    good &= get_num_groups(1) == (17 + get_enqueued_local_size(1) - 1) / get_enqueued_local_size(1) && get_group_id(0) < get_num_groups(0);
    size_t at = PLACE;
    if (PARTS) {
        ok[at] = good;
        data[at] += at;
    } else {
        data[at] += at;
        ok[at] = good;
    }
    atomic_inc(sums + i);
}
