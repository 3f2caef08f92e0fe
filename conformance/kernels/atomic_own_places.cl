// SPDX-License-Identifier: Apache-2.0
// kernel: counts
// global: 512
// local: 64
// local: 128
// local: 1
// buffer: uchar 512 = i * 7 + i / 3
// buffer: short 512 = i * 37 % 64 - 32
// buffer: int 512 = i * 11 % 32 - 16
// buffer: int 64 = 0
// buffer: long 32 = 0
// buffer: int 512 = 0
// buffer: int 512 = 0
// expect: 3 = 8
// expect: 4 = 1048576 0
// expect: 6 = 31

/* Each lane updates a place of its own, by indices of all widths and signs; some meet there, and not all lanes come. */
kernel void counts(global const uchar *bytes, global const short *shorts, global const int *ints, global int *even, global long *wide,
                   global int *owner, global int *ok)
{
    local int bins[256], signs[64], turns[4], order[4][128];
    int l = get_local_id(0), size = get_local_size(0), id = get_global_id(0), first = id - l, bits = 0;
    for (int i = l; i < 256; i += size)
        bins[i] = 0;
    for (int i = l; i < 64; i += size)
        signs[i] = 0;
    for (int i = l; i < 4; i += size)
        turns[i] = 0;
    for (int i = l; i < 512; i += size)
        order[i / 128][i % 128] = -1;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_inc(&bins[bytes[id]]);
    if (shorts[id] != 5)
        atomic_add(&signs[32 + shorts[id]], id);
    int kind = bytes[id] & 3;
    order[kind][atomic_add(&turns[kind], 1)] = l;
    atomic_inc(&even[32 + shorts[id]]);
    if (ints[id] & 1)
        bits |= 16;
    else
        bits |= (atom_add(&wide[ints[id] + 16], 65536L) & 65535) == 0 ? 16 : 0;
    int place = id * 5 & 511;
    if (id != 100)
        bits |= atomic_cmpxchg(&owner[place], 0, id + 1) == 0 && atomic_cmpxchg(&owner[place], 0, 7) == id + 1;
    else
        bits |= 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    int count = 0, sum = 0, found = 0, own = 0;
    for (int i = first; i < first + size; i++) {
        count += bytes[i] == bytes[id];
        sum += shorts[i] == shorts[id] && shorts[i] != 5 ? i : 0;
    }
    for (int i = 0; i < 128; i++) {
        found += order[kind][i] >= 0;
        own += order[kind][i] == l;
    }
    bits |= (bins[bytes[id]] == count) << 1 | (signs[32 + shorts[id]] == sum) << 2 | (own == 1 && found == turns[kind]) << 3;
    ok[id] = bits;
}
