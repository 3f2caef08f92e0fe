// SPDX-License-Identifier: Apache-2.0
// kernel: wide_words_in_local
// global: 64
// local: 1
// local: 2
// local: 8
// local: 16
// local: 64
// buffer: uint 4096 = (i%64*3+i/64)%8*8388608+1065353216
// buffer: int 64 = 0
// expect: 1 = 1

/* Arrays in local memory that are filled by casts of pointers to them, and read as what they are behind the barrier. */
kernel void wide_words_in_local(global const uint *a, global int *ok)
{
    local float t[64];
    local ushort h[128];
    uint l = get_local_id(0), g = get_global_id(0), n = get_local_size(0);
    float s = 0, e = 0;
    uint hs = 0, he = 0;
    for (uint k = 0; k < 64; k++) {
        ((local uint *)t)[l] = a[k * 64 + g];
        ((local uint *)h)[l] = a[k * 64 + g];
        barrier(CLK_LOCAL_MEM_FENCE);
        s += t[n - 1 - l];
        hs += h[2 * (n - 1 - l) + 1];
        barrier(CLK_LOCAL_MEM_FENCE);
        e += as_float(a[k * 64 + g - l + n - 1 - l]);
        he += a[k * 64 + g - l + n - 1 - l] >> 16;
    }
    ok[g] = s == e && hs == he;
}
