// SPDX-License-Identifier: Apache-2.0
// A step of Gaussian elimination in the rows below the pivot's. The matrix lies row by row, but x counts its rows.
kernel void eliminate(global float *a, global const float *factors, int n, int pivot)
{
    int row = pivot + 1 + get_global_id(0), column = pivot + get_global_id(1);
    if (row < n && column < n)
        a[row * n + column] -= factors[row] * a[pivot * n + column];
}
