// SPDX-License-Identifier: Apache-2.0
// Seven points of a heat equation; each work-item walks along z and keeps what it has read.
kernel void stencil(global const float *restrict in, global float *restrict out, int nx, int ny, int nz, float centre, float side)
{
    int x = get_global_id(0), y = get_global_id(1), plane = nx * ny, at = y * nx + x;
    bool inside = x > 0 && y > 0 && x < nx - 1 && y < ny - 1;
    float below = in[at], here = in[at + plane];
    out[at] = below;
    at += plane;
    for (int z = 1; z < nz - 1; z++, at += plane) {
        float above = in[at + plane], value = here;
        if (inside)
            value = centre * here + side * (below + above + in[at - 1] + in[at + 1] + in[at - nx] + in[at + nx]);
        out[at] = value;
        below = here;
        here = above;
    }
    out[at] = here;
}
