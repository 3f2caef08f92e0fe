// SPDX-License-Identifier: Apache-2.0
// STREAM's triad.
kernel void triad(global real *a, global const real *b, global const real *c, float s)
{
    size_t i = get_global_id(0);
    a[i] = b[i] + s * c[i];
}
