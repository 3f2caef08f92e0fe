// SPDX-License-Identifier: Apache-2.0
// kernel: parts
// global: 100
// local: 20
// buffer: uint 1600 = (i*2654435761)^(i<<13)
// buffer: int 100 = 0
// expect: 1 = 1

/* Private arrays that are written in other types than they are read in, at indices that are the same for all work-items and at others. */
kernel void parts(global const uint *in, global int *ok)
{
    int g = get_global_id(0), good = 1;
    global const uint *own = in + 16 * g;
    uint w[32];
    for (int i = 0; i < 16; i++)
        w[i] = as_uint(as_uchar4(own[i]).wzyx);
    for (int i = 16; i < 32; i++)
        w[i] = rotate(w[i - 16] ^ w[i - 3], (uint)(i & 7));
    *(ushort4 *)&w[own[2] & 30] = as_ushort4(((global const ulong *)own)[1]).yxwz;
    uchar4 bytes = *(uchar4 *)&w[(own[1] ^ g) & 31];

    uint one[32]; /* in one type */
    for (int i = 0; i < 16; i++)
        one[i] = own[i] << 24 | (own[i] & 0xff00) << 8 | (own[i] >> 8 & 0xff00) | own[i] >> 24;
    for (int i = 16; i < 32; i++)
        one[i] = (one[i - 16] ^ one[i - 3]) << (i & 7) | (ulong)(one[i - 16] ^ one[i - 3]) >> (32 - (i & 7));
    one[own[2] & 30] = own[2] << 16 | own[2] >> 16;
    one[(own[2] & 30) + 1] = own[3] << 16 | own[3] >> 16;
    for (int i = 0; i < 32; i++)
        good &= w[i] == one[i];
    uint found = one[(own[1] ^ g) & 31];
    good &= bytes.x == (found & 255) && bytes.y == (found >> 8 & 255) && bytes.z == (found >> 16 & 255) && bytes.w == found >> 24;

    ulong wide[8]; /* of halves */
    for (int i = 0; i < 8; i++)
        *(uint2 *)&wide[i ^ (g & 1)] = (uint2)(own[i], own[i + 8]);
    for (int i = 0; i < 8; i++)
        good &= wide[i] == ((ulong)own[(i ^ (g & 1)) + 8] << 32 | own[i ^ (g & 1)]);
    ok[g] = good;
}
