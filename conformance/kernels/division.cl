// SPDX-License-Identifier: Apache-2.0
// kernel: division
// global: 4096
// local: 64
// local: 7
// buffer: uint 4096 = i*2654435761+(i%64)*3
// buffer: uint 16 = 0
// buffer: int 4096 = 0
// expect: 2 = 1

/* Quotients and remainders of all sizes against those of 64 bits, which are computed in another way. Each number that is hard meets each
 * other one. */
constant uint hard[] = {1, 2, 3, 7, 127, 128, 255, 256, 32767, 32768, 65535, 65536, 2147483647, 2147483648, 4294967294, 4294967295};

#define AGREES(T, W, x, y)                                                                                                                 \
    ((y) == 0 || ((W)(T)((x) / (y)) == (W)(T)((W)(x) / (W)(y)) && (W)(T)((x) % (y)) == (W)(T)((W)(x) % (W)(y))))

static int agree(uint a, uint b)
{
    int x = a, y = b;
    ushort us = a, ut = b;
    short ss = a, st = b;
    uchar uc = a, ud = b;
    char sc = a, sd = b;
    bool wraps = x == INT_MIN && y == -1;
    ushort4 quotients = (ushort4)(us, us, ut, ut) / (ushort4)(max(ut, (ushort)1), 3, max(us, (ushort)1), 65535);
    return AGREES(uint, ulong, a, b) && (wraps || AGREES(int, long, x, y)) && AGREES(ushort, ulong, us, ut) && AGREES(short, long, ss, st) &&
           AGREES(uchar, ulong, uc, ud) && AGREES(char, long, sc, sd) && quotients.x == us / max(ut, (ushort)1) && quotients.y == us / 3 &&
           quotients.z == ut / max(us, (ushort)1) && quotients.w == ut / 65535;
}

kernel void division(global const uint *number, global const uint *zero, global int *good)
{
    uint i = get_global_id(0), a = hard[i / 16 % 16], b = hard[i % 16], n = number[i], m = number[4095 - i] >> i % 32;
    int all = agree(a, b) && agree(a - 1, b) && agree(n, b) && agree(a, m) && agree(n, m);
    /* Only some lanes come here. */
    if (n % 5 == 1)
        all = all && agree(n * 3, m + 1) && agree(n, hard[(i + *zero) % 16]);
    /* The same divisor in all lanes. */
    for (uint k = 0; k < 16; k++)
        all = all && agree(n, hard[k + *zero]);
    good[i] = all;
}
