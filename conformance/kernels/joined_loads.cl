// SPDX-License-Identifier: Apache-2.0
// kernel: joined_loads
// global: 83
// offset: 5
// local: 1
// local: 7
// local: 32
// local: 83
// buffer: uchar 1826 = (i*7+3)%256
// buffer: int 83 = 0
// expect: 1 = (i<83)*1

/* Rows of 22 bytes, one of each work-item, of numbers of 8 and 16 bits that lie at any place. The last row ends with the buffer. */
kernel void joined_loads(global const uchar *rows, global int *ok)
{
    const int id = (int)get_global_id(0) - 5;
    global const uchar *row = rows + 22 * id;
    uint sum = 0, all = 0;
    for (int i = 0; i < 8; i++) /* two words that begin at an odd place */
        sum += (row[3 + i] & 15) + (row[3 + i] >> 4) * (i + 1);
    sum += *(global const ushort *)(row + 12) * 3u + *(global const ushort *)(row + 14);
    if (row[0] % 3) /* in some lanes, up to the end of the row; three bytes are no word */
        sum += (char)row[18] * 5 + (char)row[19] * 7 + (char)row[20] * 11 + (char)row[21] * 13;
    else
        sum += row[11] + row[12] * 2 + row[13] * 3;
    for (int i = 0; i < 8; i++) {
        const uint v = (22u * id + 3 + i) * 7 + 3 & 255;
        all += (v & 15) + (v >> 4) * (i + 1);
    }
#define BYTE(at) ((22u * id + (at)) * 7 + 3 & 255)
    all += (BYTE(12) | BYTE(13) << 8) * 3 + (BYTE(14) | BYTE(15) << 8);
    if (BYTE(0) % 3)
        all += (char)BYTE(18) * 5 + (char)BYTE(19) * 7 + (char)BYTE(20) * 11 + (char)BYTE(21) * 13;
    else
        all += BYTE(11) + BYTE(12) * 2 + BYTE(13) * 3;
    ok[id] = sum == all;
}
