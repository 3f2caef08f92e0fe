// SPDX-License-Identifier: Apache-2.0
// kernel: copies
// global: 8
// buffer: float 256 = i
// buffer: float 256 = 0
// buffer: int 8 = 0
// expect: 2 = 1

/* vload and vstore of every width through private, local and global memory, at odd offsets; three elements are not four. */
kernel void copies(global float *in, global float *out, global int *ok)
{
    size_t i = get_global_id(0);
    local float shared[16 * 9];
    float own[40];
    int good = 1;
    for (int k = 0; k < 40; k++)
        own[k] = -1;
    vstore3(vload3(i, in + 1), 1, own);
    good &= own[2] == -1 && own[3] == 3 * i + 1 && own[5] == 3 * i + 3 && own[6] == -1;
    vstore16(vload16(1, in + i), 1, own + 1);
    good &= own[16] == -1 && own[17] == 16 + i && own[32] == 31 + i && own[33] == -1;
    if (i == 0) {
        vstore8(vload8(2, in), 0, shared + 1);
        good &= shared[1] == 16 && shared[8] == 23 && all(vload2(1, shared + 1) == (float2)(18, 19));
    }
    vstore4(vload4(i, in), i, out);
    good &= all(vload4(i, out) == (float4)(4 * i, 4 * i + 1, 4 * i + 2, 4 * i + 3));
    ok[i] = good;
}
