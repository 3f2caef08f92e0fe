// SPDX-License-Identifier: Apache-2.0
// kernel: tiles
// global: 64 16
// local: 16 16
// needs: cl_khr_fp64
// buffer: int 1024 = 0
// buffer: float 8192 = i
// buffer: int 8 = 5 3 17 64
// expect: 0 = 255

/* Local arrays of two dimensions that are stored across and read along, and some whose rows run into each other. */
kernel __attribute__((reqd_work_group_size(16, 16, 1))) void tiles(global int *ok, global const float *in, global const int *n)
{
    local float a[16][17], b[16][64 + 1];
    local char c[32][33];
    local double d[16][18];
    local short e[16][16];
    local int f[16][17];
    int lx = get_local_id(0), ly = get_local_id(1), l = ly * 16 + lx, width = n[3], bits = 0;

    a[lx][ly] = l;
    c[lx * 2 + 1][ly + 16] = (char)l;
    c[lx * 2][32 - ly] = (char)(l + 1);
    d[lx][ly + 2] = l * 0.5;
    e[lx][ly ^ 1] = (short)(l * 3);
    for (int i = l; i < 1024; i += 256)
        b[i % 16][i / 16] = i;
    f[lx][ly] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    bool good = true;
    for (int k = 0; k < 16; k++)
        good = good && a[k][ly] == ly * 16 + k && a[k][lx] == lx * 16 + k && a[(l + k) % 16][k] == k * 16 + (l + k) % 16;
    bits |= good;
    good = true;
    for (int k = 0; k < 16; k++)
        good = good && c[k * 2 + 1][lx + 16] == (char)(lx * 16 + k) && c[k * 2][32 - ly] == (char)(ly * 16 + k + 1);
    bits |= good << 1;
    bits |= (d[ly][lx + 2] == (lx * 16 + ly) * 0.5 && d[15][17] == 127.5) << 2;
    bits |= (e[ly][lx] == (short)(((lx ^ 1) * 16 + ly) * 3)) << 3;
    good = true;
    for (int k = 0; k < 64; k++)
        good = good && b[lx][k] == k * 16 + lx && b[ly][(k + l) % 64] == (k + l) % 64 * 16 + ly;
    bits |= good << 4;
    /* A row's end is the next one's beginning. */
    local int *flat = &f[0][0];
    good = true;
    for (int k = 0; k < 16; k++)
        good = good && flat[ly * 17 + k] == k * 16 + ly && f[0][n[2] * (k & 1) + lx] == lx * 16 + (k & 1);
    bits |= good << 5;
    /* Rounds over tiles of a matrix, of which the next is fetched ahead: none behind the last. */
    float sum = 0, want = 0;
    for (int start = 0; start < width; start += 16) {
        barrier(CLK_LOCAL_MEM_FENCE);
        a[lx][ly] = in[(start + ly) * width + lx];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < 16; k++)
            sum += a[ly][k] * (k + 1);
    }
    for (int start = 0; start < width; start += 16)
        for (int k = 0; k < 16; k++)
            want += in[(start + k) * width + ly] * (k + 1);
    bits |= (sum == want) << 6;
    barrier(CLK_LOCAL_MEM_FENCE);
    /* … and downwards, with an end in the middle. */
    sum = want = 0;
    for (int start = 48; start >= 0; start -= 16) {
        if (start == 16 && n[0] == 5)
            break;
        a[lx][ly] = in[8000 - start * width - l];
        barrier(CLK_LOCAL_MEM_FENCE);
        sum += a[ly][lx] - a[3][ly];
        barrier(CLK_LOCAL_MEM_FENCE);
        want += in[8000 - start * width - (lx * 16 + ly)] - in[8000 - start * width - (ly * 16 + 3)];
    }
    bits |= (sum == want) << 7;
    ok[get_global_id(1) * 64 + get_global_id(0)] = bits;
}
