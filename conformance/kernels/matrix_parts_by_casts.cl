// SPDX-License-Identifier: Apache-2.0
// kernel: parts_by_casts
// global: 16 1
// offset: 16 4
// local: 16 1
// needs: 16
// buffer: int 48 = 0
// buffer: float 1024 = i%7-3
// buffer: float 4096 = i%5-2
// buffer: float 1024 = 0
// buffer: int 4 = 2 9 32 0
// buffer: char 64 = i*37
// expect: 0 = 1

/* Numbers with a fraction that the program writes as `uint`, by casts of pointers to its variables, and reads as what they are. */
kernel __attribute__((intel_reqd_sub_group_size(16))) void parts_by_casts(global int *ok, global const float *a, global const float *b, global float *c,
                                                                          global const int *n, global const char *v)
{
    const ulong lane = get_sub_group_local_id(), row = get_global_id(1) * 3, column = get_global_id(0) / 16 * 16, pitch = n[2];
    float part[3];
    uint turn = 0;
    if (((n[1] > 5 ? (uint)v[get_global_id(0)] : 1) & 8) != 0)
        goto middle;
begin:
    if (turn > 5)
        goto end;
middle:
    if (++turn < 1)
        goto begin;
end:
    for (int i = 0; i < 3; i++)
        part[i] = 0;
    uint left = 2;
    for (ulong k = 0; left-- > 0; k++) {
        float x[3];
        float8 y;
        for (int i = 0; i < 3; i++)
            ((private uint *)&x[i])[0] = intel_sub_group_block_read((global const uint *)a + (row + i) * 8 + k * 141);
        for (int r = 0; r < 8; r++)
            ((private float *)&y)[r] = b[(r + k * 8) * pitch + column + lane];
        for (int i = 0; i < 3; i++)
            part[i] = intel_sub_group_tf32_tf32_matrix_mad_k8(x[i], y, part[i]);
    }
    for (int i = 0; i < 3; i++)
        c[(row + i) * pitch + column + lane] = part[i];

    left = 2;
    for (ulong k = 0; left-- > 0; k++) {
        float x[3];
        float8 y;
        for (int i = 0; i < 3; i++)
            ((private uint *)&x[i])[0] = intel_sub_group_block_read((global const uint *)a + (row + i) * 8 + k * 141);
        intel_sub_group_2d_block_read_32b_8r16x1c((global void *)b, 128, 16, (int)pitch * 4, (int2)(column, k * 8), (private uint *)&y);
        for (int i = 0; i < 3; i++)
            part[2 - i] = intel_sub_group_tf32_tf32_matrix_mad_k8(x[2 - i], y, part[2 - i]);
    }
    for (int i = 0; i < 3; i++) {
        float sum = 0;
        for (int k = 0; k < 16; k++)
            sum += a[(row + i) * 8 + k / 8 * 141 + k % 8] * b[k * pitch + column + lane];
        ok[i * 16 + lane] = c[(row + i) * pitch + column + lane] == sum && part[i] == 2 * sum;
    }
}
