// SPDX-License-Identifier: Apache-2.0
// kernel: stream_past
// global: 64 6 4
// local: 64 1 1
// local: 32 2 2
// local: 16 3 1
// buffer: uint 1640 = 7
// edge-buffer: uint 6144 = 7
// buffer: ulong 1540 = 7
// buffer: uint 1 = 4
// expect: 0 = 7+(i>=4)*((i-4)%68<64)*((i-4)/68<24)*(i*3-7)
// expect: 1 = i/4+i%4*5
// expect: 2 = 7+(i>=3)*(i<1539)*(i*i-7)

/* Stores that go past the caches with TESSERA_STREAM=1, if their addresses are right for that: those of every other row, records that fill their
 * lines, and some that never are. What lies between rows stays as it is. */
kernel void stream_past(global uint *rows, global uint4 *records, global ulong *shifted, global const uint *shift)
{
    size_t x = get_global_id(0), row = get_global_id(2) * 6 + get_global_id(1), item = row * 64 + x;
    uint at = (uint)(row * 68 + x) + shift[0];
    rows[row * 68 + x + shift[0]] = at * 3;
    records[item] = (uint)item + (uint4)(0, 5, 10, 15);
    shifted[item + 3] = (item + 3) * (item + 3);
}
