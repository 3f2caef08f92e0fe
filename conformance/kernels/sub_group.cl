// SPDX-License-Identifier: Apache-2.0
// kernel: lanes
// global: 150
// local: 50
// needs: cl_khr_subgroup_ballot
// needs: cl_khr_fp64
// needs: cl_khr_subgroup_rotate
// buffer: int 150 = 0
// expect: 0 = 1

/* Sub-group functions of a size that the group of 50 leaves a rest of; some called by half of the lanes only. */
kernel void lanes(global int *ok)
{
    int l = (int)get_sub_group_local_id(), n = (int)get_sub_group_size(), good = 1;
    good &= sub_group_reduce_add(l) == n * (n - 1) / 2 && sub_group_scan_inclusive_add(1) == l + 1;
    good &= sub_group_scan_exclusive_max((float)l) == (l ? l - 1 : -INFINITY) && sub_group_reduce_min((char)(l - 3)) == -3;
    good &= sub_group_broadcast((double)l, 1u) == 1 && all(sub_group_broadcast((short3)((short)l), 0u) == (short3)0);
    good &= sub_group_any(l == 0) && !sub_group_all(l != 0) && sub_group_all(1);
    uint4 even = sub_group_ballot(l % 2 == 0);
    good &= even.x == (0x55555555u & (n == 32 ? ~0u : (1u << n) - 1)) && sub_group_inverse_ballot(even) == (l % 2 == 0);
    good &= sub_group_ballot_bit_count(even) == (n + 1) / 2 && sub_group_ballot_exclusive_scan(even) == (l + 1) / 2;
    good &= sub_group_ballot_find_lsb(even) == 0 && sub_group_ballot_find_msb(even) == (n - 1) / 2 * 2;
    good &= get_sub_group_eq_mask().x == 1u << l && get_sub_group_lt_mask().x == (1u << l) - 1;
    if (l % 2 == 0) {
        good &= sub_group_non_uniform_reduce_add(1) == (n + 1) / 2 && sub_group_elect() == (l == 0);
        good &= sub_group_non_uniform_scan_inclusive_mul(2L) == 1L << (l / 2 + 1) && sub_group_non_uniform_all(l % 2 == 0);
        good &= sub_group_broadcast_first(l) == 0 && !sub_group_non_uniform_any(l % 2);
    } else {
        good &= sub_group_broadcast_first(l) == 1 && sub_group_non_uniform_all_equal(l % 2);
    }
    int partner = l ^ 1;
    if (partner < n && n % 2 == 0)
        good &= sub_group_shuffle_xor(l, 1u) == partner && sub_group_shuffle(l * 2, (uint)partner) == partner * 2;
    if (n == (int)get_max_sub_group_size()) {
        good &= sub_group_rotate(l, 3) == (l + 3) % n && sub_group_clustered_reduce_add(1, 4u) == 4;
        int up = sub_group_shuffle_up(l, 1u), down = sub_group_shuffle_down(l, 2u);
        good &= sub_group_clustered_reduce_max(l, 2u) == (l | 1) && (l == 0 || up == l - 1) && (l + 2 >= n || down == l + 2);
    } else {
        good &= n == 50 % (int)get_max_sub_group_size();
    }
    ok[get_global_id(0)] = good;
}
