// SPDX-License-Identifier: Apache-2.0
// kernel: votes
// global: 150
// local: 75
// local: 64
// local: 24
// needs: cl_khr_subgroup_ballot
// needs: cl_intel_subgroup_split_matrix_multiply_accumulate
// options: -cl-std=CL3.0 -DW=8
// options: -cl-std=CL3.0 -DW=16
// options: -cl-std=CL3.0 -DW=32
// options: -cl-std=CL3.0 -DW=8 -DPAIR
// buffer: int 150 = 0
// expect: 0 = 0

/* Votes, ballots and logical reductions, in full sub-groups, in the rest of the group of 75, and by some of the lanes. A bit of the result
 * stands for a function that answered wrong. */
#define YES(i) ((i) * 5 % 7 < 3)
#define WRONG(bit, condition) wrong |= (condition) ? 0 : 1 << (bit)

uint yes(uint lanes)
{
    uint r = 0;
    for (int i = 0; i < 32; i++)
        r |= YES(i) ? lanes & 1u << i : 0;
    return r;
}

/* Two values that are true, and zero. */
#define TRUTH(i) (YES(i) ? 2 + (i) % 2 : 0)
#define LOGICAL(f, mask, bit)                                                                                                              \
    WRONG(bit, f##_and(TRUTH(l)) == !((mask) & lanes & ~y));                                                                               \
    WRONG(bit, f##_or(TRUTH(l)) == (((mask) & y) != 0));                                                                                   \
    WRONG(bit, f##_xor(TRUTH(l)) == (popcount((mask) & y) & 1));
#define LOGICAL_CLUSTER(c, bit)                                                                                                            \
    {                                                                                                                                      \
        uint mask = (~0u >> (32 - c)) << (l / c * c);                                                                                      \
        WRONG(bit, sub_group_clustered_reduce_logical_and(TRUTH(l), c) == !(mask & lanes & ~y));                                           \
        WRONG(bit, sub_group_clustered_reduce_logical_or(TRUTH(l), c) == ((mask & y) != 0));                                               \
        WRONG(bit, sub_group_clustered_reduce_logical_xor(TRUTH(l), c) == (popcount(mask & y) & 1));                                       \
    }

int votes_of(uint lanes, int l)
{
    int wrong = 0;
    uint y = yes(lanes), below = (1u << l) - 1;
    uint4 b = sub_group_ballot(TRUTH(l));
    WRONG(0, b.x == y && !any(b.yzw != 0));
    WRONG(1, sub_group_elect() == !(lanes & below));
    WRONG(2, sub_group_non_uniform_all(TRUTH(l)) == (y == lanes) && sub_group_non_uniform_all(1));
    WRONG(3, sub_group_non_uniform_any(TRUTH(l)) == (y != 0) && !sub_group_non_uniform_any(0));
    WRONG(4, sub_group_inverse_ballot(b) == YES(l) && sub_group_ballot_bit_extract(b, (uint)l) == YES(l));
    WRONG(4, sub_group_ballot_bit_extract(b, 3u) == (int)(y >> 3 & 1));
    WRONG(5, sub_group_ballot_bit_count(b) == popcount(y));
    WRONG(6, sub_group_ballot_inclusive_scan(b) == popcount(y & (2 * below + 1)) && sub_group_ballot_exclusive_scan(b) == popcount(y & below));
    WRONG(7, !y || (sub_group_ballot_find_lsb(b) == popcount((y & -y) - 1) && sub_group_ballot_find_msb(b) == 31 - clz(y)));
    LOGICAL(sub_group_non_uniform_reduce_logical, ~0u, 8)
    LOGICAL(sub_group_non_uniform_scan_inclusive_logical, 2 * below + 1, 9)
    LOGICAL(sub_group_non_uniform_scan_exclusive_logical, below, 10)
    LOGICAL_CLUSTER(1, 11)
    LOGICAL_CLUSTER(4, 11)
    LOGICAL_CLUSTER(W, 11)
    return wrong;
}

/* With PAIR, packets are of two sub-groups. */
#ifdef PAIR
#define START intel_sub_group_i8_i8_split_matrix_mad_k32(0, (int8)0, (int2)0).x
#else
#define START 0
#endif

__attribute__((intel_reqd_sub_group_size(W))) kernel void votes(global int *result)
{
    int l = (int)get_sub_group_local_id(), n = (int)get_sub_group_size();
    uint lanes = ~0u >> (32 - n), all_lanes = ~0u >> (32 - W), below = (1u << l) - 1;
    int wrong = START;
    for (int i = 0; i < 3; i++) {
        uint those = lanes & (i == 0 ? ~0u : i == 1 ? 0x92492492u : 0x60u);
        if (those >> l & 1)
            wrong |= votes_of(those, l) << (i ? 15 : 0);
        sub_group_barrier(CLK_LOCAL_MEM_FENCE); /* no round catches up with another */
    }
    WRONG(12, sub_group_all(TRUTH(l)) == (yes(lanes) == lanes) && sub_group_all(l < n) && !sub_group_all(l != n / 2));
    WRONG(13, sub_group_any(TRUTH(l)) == (yes(lanes) != 0) && sub_group_any(l == n - 1) && !sub_group_any(l >= n));
    WRONG(14, get_sub_group_eq_mask().x == 1u << l && get_sub_group_lt_mask().x == below && get_sub_group_le_mask().x == 2 * below + 1);
    WRONG(14, get_sub_group_ge_mask().x == (all_lanes & ~below) && get_sub_group_gt_mask().x == (all_lanes & ~(2 * below + 1)));
    /* A branch on a vote, and one where only some vote. */
    if (sub_group_any(l == 2) && l > 0)
        WRONG(28, sub_group_ballot(1).x == (lanes & ~1u));
    result[get_global_id(0)] = wrong;
}
