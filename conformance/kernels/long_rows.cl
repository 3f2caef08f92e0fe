// SPDX-License-Identifier: Apache-2.0
// kernel: long_rows
// options: -cl-std=CL3.0 -D ROUNDS=*length
// options: -cl-std=CL3.0 -D ROUNDS=*length/3
// options: -cl-std=CL3.0 -D ROUNDS=(*length-68)
// options: -cl-std=CL3.0 -D ROUNDS=*length/14
// global: 37
// local: 37
// local: 1
// edge-buffer: uchar 3700 = i%7
// edge-buffer: int 3737 = i
// edge-buffer: int 37 = 37
// edge-buffer: int 37 = 0
// edge-buffer: int 1 = 100
// expect: 3 = 1

/* Each work-item goes along a row of its own, whose length it does not know when it is compiled: counts, sums, what is written to the next place
 * of the row, so that rounds wait for each other, and a histogram in private memory. */
kernel void long_rows(global const uchar *bytes, global int *row, global const int *width, global int *good, global const int *length)
{
    int id = get_global_id(0), n = ROUNDS, count = 0, found = 0, bins[7];
    uint sum = 0, expected = 0;
    for (int k = 0; k < n; k++)
        count += bytes[id * n + k] == 3;
    for (int k = 0; k < n; k++)
        sum += bytes[id * n + k];
    for (int i = 0; i < 7; i++)
        bins[i] = 0;
    for (int k = 0; k < n; k++)
        bins[bytes[id * n + k] % 7]++;
    for (int k = id * n; k < (id + 1) * n; k++) {
        found += k % 7 == 3;
        expected += k % 7;
    }
    int right = count == found && sum == expected && bins[3] == found, all = 0;
    for (int i = 0; i < 7; i++)
        all += bins[i];
    right &= all == n;
    global int *own = row + id * (n + 1);
    own[0] = id;
    for (int k = 0; k < n; k++)
        own[k + 1] = own[k] + 1;
    for (int k = 0; k < n; k++)
        own[k] = own[k] * 2;
    for (int k = 0; k < n; k++)
        right &= own[k] == 2 * (id + k);
    good[id] = right & (own[n] == id + n) & (width[id] == 37);
}
