// SPDX-License-Identifier: Apache-2.0
// kernel: masked
// global: 64
// local: 16
// local: 64
// local: 24
// buffer: int 64 = 0
// buffer: int 256 = i
// buffer: int 256 = i
// expect: 0 = 1023

/* Accesses of some lanes, side by side or scattered, must leave what the others would have written as it is: in arrays that lie next to
 * each other in local memory and in private memory, and in global memory. */
#define SOME(l) ((l) * 7 % 5 < 3)
#define SIZE 19

kernel void masked(global int *ok, global int *out, global const int *table)
{
    local uchar c[SIZE];
    local short h[SIZE];
    local int x[SIZE], y[SIZE];
    local long w[SIZE];
    local int spread[128];
    int i = get_global_id(0), l = get_local_id(0), size = get_local_size(0), bits = 0;
    for (int e = l; e < SIZE; e += size) {
        c[e] = 200 - e;
        h[e] = -e;
        x[e] = e * 3;
        y[e] = e * 5;
        w[e] = -e * 7l;
    }
    for (int e = l; e < 128; e += size)
        spread[e] = -1;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (SOME(l) && l + 1 < SIZE) {
        c[l + 1] += 9;
        h[l + 1] += 9;
        x[l + 1] += 9;
        w[l + 1] += 9;
    }
    if (l < SIZE - 2 && l & 1)
        y[SIZE - 1 - l] = l;
    if (SOME(l) && l < 40)
        spread[l * 5 & 127] = table[l * 3] + l;
    barrier(CLK_LOCAL_MEM_FENCE);
    bool good[5] = {true, true, true, true, true};
    for (int e = 0; e < SIZE; e++) {
        int more = e && e <= size && SOME(e - 1) ? 9 : 0, from = SIZE - 1 - e;
        good[0] = good[0] && c[e] == (uchar)(200 - e + more);
        good[1] = good[1] && h[e] == (short)(more - e);
        good[2] = good[2] && x[e] == e * 3 + more;
        good[3] = good[3] && w[e] == more - e * 7l;
        good[4] = good[4] && y[e] == (from < SIZE - 2 && from < size && from & 1 ? from : e * 5);
    }
    for (int k = 0; k < 5; k++)
        bits |= good[k] << k;
    bool all = true;
    for (int e = 0; e < 128; e++) {
        int want = -1;
        for (int k = 0; k < size && k < 40; k++)
            want = SOME(k) && (k * 5 & 127) == e ? k * 4 : want;
        all = all && spread[e] == want;
    }
    bits |= all << 5;

    /* The others' numbers stay, and those of the next group. */
    if (SOME(i))
        out[i] = -i;
    barrier(CLK_GLOBAL_MEM_FENCE);
    all = true;
    for (int e = i - l; e < i - l + size; e++)
        all = all && out[e] == (SOME(e) ? -e : e);
    bits |= all << 6;

    /* Vectors from anywhere, and what lanes without one keep. */
    int4 v = -1;
    long2 u = -2;
    float4 f = 3;
    if (SOME(i + 1)) {
        v = ((global const int4 *)table)[i * 11 & 63];
        u = ((global const long2 *)table)[i * 7 & 63];
        f = ((global const float4 *)table)[i * 5 & 63];
    }
    int at = (i * 11 & 63) * 4, on = (i * 7 & 63) * 4, of = (i * 5 & 63) * 4;
    if (SOME(i + 1)) {
        all = v.x == at && v.y == at + 1 && v.z == at + 2 && v.w == at + 3 && (int)u.x == on && u.x >> 32 == on + 1 && (int)u.y == on + 2 &&
              u.y >> 32 == on + 3;
        all = all && as_int(f.x) == of && as_int(f.y) == of + 1 && as_int(f.z) == of + 2 && as_int(f.w) == of + 3;
    } else {
        all = v.x == -1 && v.y == -1 && v.z == -1 && v.w == -1 && u.x == -2 && u.y == -2 && f.x == 3 && f.y == 3 && f.z == 3 && f.w == 3;
    }
    bits |= all << 7;
    int4 other = ((global const int4 *)table)[i * 13 & 63];
    at = (i * 13 & 63) * 4;
    bits |= (other.x == at && other.y == at + 1 && other.z == at + 2 && other.w == at + 3) << 8;

    /* An array of each work-item's own. */
    int own[12];
    for (int k = 0; k < 12; k++)
        own[k] = table[k];
    for (int k = 0; k < 12; k++)
        if (SOME(i + k))
            own[(k + table[1]) % 12] += i;
    all = true;
    for (int k = 0; k < 12; k++)
        all = all && own[(k + 1) % 12] == (k + 1) % 12 + (SOME(i + k) ? i : 0);
    bits |= all << 9;
    ok[i] = bits;
}
