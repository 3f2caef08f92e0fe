// SPDX-License-Identifier: Apache-2.0
// kernel: atomic_words
// global: 192
// local: 64
// local: 48
// local: 1
// buffer: ushort 384 = i*37+i/5
// buffer: uint 192 = 0
// expect: 1 = 1

#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable

/* Local words of 64 bits are updated where 16-bit numbers say, by other such numbers, which come out of wider words. */
kernel void atomic_words(global const ushort *in, global uint *ok)
{
    local ulong places[4];
    size_t i = get_global_id(0), l = get_local_id(0), size = get_local_size(0), first = i - l;
    if (l == 0)
        for (int k = 0; k < 4; k++)
            places[k] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atom_xor(&places[in[(i & 127) * 3] & 3], (ulong)(in[i] << 3));
    barrier(CLK_LOCAL_MEM_FENCE);
    ulong expected = 0;
    for (size_t k = first; k < first + size; k++)
        if ((in[(k & 127) * 3] & 3) == (i & 3))
            expected ^= (ulong)(in[k] << 3);
    ok[i] = places[i & 3] == expected;
}
