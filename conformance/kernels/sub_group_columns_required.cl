// SPDX-License-Identifier: Apache-2.0
// kernel: columns_required
// global: 4 4 32
// offset: 3 5 7
// local: 1 1 16
// buffer: uint 512 = 0
// expect: 0 = 30000+i%4*10000+500+i/4%4*100+i/256*32+22-i/16

/* Work-groups that are required to be columns, which lanes follow from the start: each work-item gets the place of the one opposite, by local
 * memory and by the functions of sub-groups. */
__attribute__((intel_reqd_sub_group_size(16), reqd_work_group_size(1, 1, 16))) kernel void columns_required(global uint *out)
{
    local uint places[16];
    const uint lane = get_sub_group_local_id(), opposite = 15 - lane, z = get_global_id(2);
    places[get_local_id(2)] = get_global_id(0) * 10000 + get_global_id(1) * 100 + z;
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint place = places[opposite];
    uint good = intel_sub_group_shuffle(z, opposite) == place % 100 && sub_group_broadcast(place, 3) == places[12];
    good &= sub_group_scan_inclusive_add(1u) == lane + 1 && get_local_linear_id() == lane && get_sub_group_id() == 0 && get_num_sub_groups() == 1;
    good &= get_num_groups(0) == 4 && get_num_groups(2) == 2 && get_global_size(2) == 32 && get_global_offset(2) == 7;
    out[get_global_linear_id()] = good ? place : 0;
}
