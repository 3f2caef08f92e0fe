// SPDX-License-Identifier: Apache-2.0
// kernel: columns_required
// global: 4 4 32
// local: 1 1 16
// buffer: uint 512 = 0
// expect: 0 = i/256*32+15-i/16

/* Work-groups that are required to be columns, which lanes follow from the start: each work-item gets z of the one opposite in its sub-group. */
__attribute__((intel_reqd_sub_group_size(16), reqd_work_group_size(1, 1, 16))) kernel void columns_required(global uint *out)
{
    const uint z = get_global_id(2), opposite = 15 - get_sub_group_local_id();
    out[get_global_linear_id()] = intel_sub_group_shuffle(z, opposite);
}
