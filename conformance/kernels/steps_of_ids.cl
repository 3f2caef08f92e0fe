// SPDX-License-Identifier: Apache-2.0
// kernel: steps_of_ids
// global: 100 3
// local: 20 1
// local: 5 3
// local: 1 1
// buffer: uchar 903 = i*7
// buffer: uchar 903 = 5
// buffer: ulong 4 = 100+(i>0)*(i*9223372036854775807)
// buffer: int 300 = 0
// expect: 1 = (i<900)*(255-i*7%256)+(i>=900)*5
// expect: 3 = 15

/* Indices that may wrap before they are extended, a few elements apart; and quotients of numbers of 64 bits, small and large ones. */
kernel void steps_of_ids(global const uchar *in, global uchar *out, global const ulong *divisors, global int *ok)
{
    size_t id = get_global_id(1) * get_global_size(0) + get_global_id(0);
    int at = id * 3, good = 0;
    out[at] = 255 - in[at];
    out[at + 1] = 255 - in[at + 1];
    out[at + 2] = 255 - in[at + 2];
    ulong w = divisors[0], big = divisors[1 + id % 3], n = id * 0x9E3779B97F4A7C15UL + (id % 4 ? 0 : id);
    good |= id % w == get_global_id(0) && id / w == get_global_id(1);
    ulong q = n / big, r = n % big;
    good |= (q * big + r == n && r < big) << 1;
    long m = (long)n >> id % 50, d = (long)big >> id % 60 | 1;
    long sq = m / d, sr = m % d;
    good |= (sq * d + sr == m && (sr < 0 ? -sr : sr) < (d < 0 ? -d : d) && (sr == 0 || (sr < 0) == (m < 0))) << 2;
    ulong by_seven = n / 7, id_by_seven = id / 7;
    good |= (n - by_seven * 7 < 7 && id - id_by_seven * 7 < 7 && id % 1000 == id - id / 1000 * 1000) << 3;
    ok[id] = good;
}
