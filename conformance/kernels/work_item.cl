// SPDX-License-Identifier: Apache-2.0
// kernel: ids
// global: 10 6 2
// local: 4 3 2
// buffer: int 120 = 0
// expect: 0 = 1

/* Ids of a range that the groups do not divide, and of dimensions past the last. */
kernel void ids(global int *ok)
{
    size_t x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    int good = get_work_dim() == 3 && get_global_size(0) == 10 && get_num_groups(0) == 3 && get_enqueued_local_size(0) == 4;
    good &= get_global_linear_id() == (z * 6 + y) * 10 + x && x == get_group_id(0) * 4 + get_local_id(0);
    good &= get_local_size(0) == (get_group_id(0) == 2 ? 2 : 4);
    good &= get_local_linear_id() == (get_local_id(2) * get_local_size(1) + get_local_id(1)) * get_local_size(0) + get_local_id(0);
    good &= get_global_id(3) == 0 && get_local_id(7) == 0 && get_group_id(3) == 0 && get_global_offset(3) == 0;
    good &= get_global_size(3) == 1 && get_local_size(3) == 1 && get_num_groups(99) == 1 && get_enqueued_local_size(3) == 1;
    ok[get_global_linear_id()] = good;
}
