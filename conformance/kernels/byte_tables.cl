// SPDX-License-Identifier: Apache-2.0
// kernel: byte_tables
// global: 1024
// local: 64
// local: 24
// local: 1
// buffer: uchar 1027 = i*7
// buffer: ushort 1027 = i*257+3
// buffer: int 1024 = i*331%1024
// buffer: int 1024 = 0
// expect: 3 = 511

/* Elements of bytes and of 16 bits from anywhere, with tables that begin anywhere: in global, constant, local and private memory, by indices
 * of all types, negative ones among them, in all lanes and in some, also of structs and next to the end of the buffer. */
constant uchar squares[] = {0, 1, 4, 9, 16, 25, 36, 49, 64, 81, 100, 121, 144, 169, 196, 225, 0, 33, 68, 105, 144, 185, 228};
struct entry {
    uchar a, b, c, d, e;
};

kernel void byte_tables(global const uchar *bytes, global const ushort *shorts, global const int *index, global int *ok)
{
    local uchar mine[67];
    local short half_words[67];
    int i = get_global_id(0), l = get_local_id(0), size = get_local_size(0), at = index[i], good = 0;
    uchar own[23];
    for (int k = 0; k < 23; k++)
        own[k] = k * 3 + i;
    for (int k = l; k < 67; k += size) {
        mine[k] = k * 5;
        half_words[k] = -k * 300;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int shift = 0; shift < 4; shift++) {
        global const uchar *b = bytes + shift;
        global const ushort *s = shorts + shift;
        good |= b[at] != (uchar)((at + shift) * 7) || b[(uchar)at] != (uchar)(((uchar)at + shift) * 7);
        good |= (s[at] != (ushort)((at + shift) * 257 + 3)) << 1;
        /* From the last element back. */
        global const uchar *end = bytes + 1023 + shift;
        good |= (end[-at] != (uchar)((1023 + shift - at) * 7)) << 2;
        good |= (s[(uint)(at % 7)] != (at % 7 + shift) * 257 + 3) << 1;
        if (at % 5 < 2) {
            good |= b[at] != (uchar)((at + shift) * 7);
            good |= (end[(long)-at] != (uchar)((1023 + shift - at) * 7)) << 2;
            good |= (s[at] != (ushort)((at + shift) * 257 + 3)) << 1;
        }
    }
    good |= (squares[at % 23] != (uchar)(at % 23 * (at % 23))) << 3;
    good |= (mine[at % 67] != (uchar)(at % 67 * 5)) << 4;
    good |= (half_words[at % 67] != -(at % 67) * 300) << 5;
    good |= (own[at % 23] != (uchar)(at % 23 * 3 + i)) << 6;
    global const struct entry *entries = (global const struct entry *)bytes;
    good |= (entries[at % 205].d != (uchar)((at % 205 * 5 + 3) * 7)) << 7;
    int sum = 0, other = 0;
    for (int k = 0; k < at % 13; k++) {
        sum += bytes[(at + k * 3) % 1027];
        other += (uchar)((at + k * 3) % 1027 * 7);
    }
    good |= (sum != other) << 8;
    ok[i] = 511 ^ good;
}
