// SPDX-License-Identifier: Apache-2.0
// kernel: blocks
// global: 64
// local: 32
// needs: cl_intel_subgroups_short
// buffer: uint 512 = i
// buffer: uint 512 = 0
// buffer: ushort 256 = i
// buffer: int 64 = 0
// expect: 1 = i
// expect: 3 = 1

/* Block reads and writes, and shuffles with two sources. */
__attribute__((intel_reqd_sub_group_size(16))) kernel void blocks(global uint *in, global uint *out, global ushort *narrow, global int *ok)
{
    uint l = get_sub_group_local_id(), base = (uint)get_group_id(0) * 2 + get_sub_group_id();
    uint8 v = intel_sub_group_block_read8(in + base * 128);
    int good = v.s0 == base * 128 + l && v.s7 == base * 128 + 112 + l;
    intel_sub_group_block_write8(out + base * 128, v);
    ushort4 s = intel_sub_group_block_read_us4(narrow + base * 64);
    good &= s.x == base * 64 + l && s.w == base * 64 + 48 + l;
    good &= intel_sub_group_shuffle(l * 3, 5u) == 15 && intel_sub_group_shuffle_xor(l, 4u) == (l ^ 4);
    good &= intel_sub_group_shuffle_down(l, l + 100, 3u) == (l + 3 < 16 ? l + 3 : l + 3 - 16 + 100);
    good &= intel_sub_group_shuffle_up(l + 100, l, 3u) == (l >= 3 ? l - 3 : l + 13 + 100);
    good &= all(intel_sub_group_shuffle((float2)(l, -(float)l), 2u) == (float2)(2, -2));
    good &= intel_sub_group_broadcast((short)l, 9u) == 9 && intel_sub_group_reduce_add((short)1) == 16;
    ok[get_global_id(0)] = good;
}
