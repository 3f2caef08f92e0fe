// SPDX-License-Identifier: Apache-2.0
// Transforms of 1024 complex numbers, one per work-group: five radix-4 passes in local memory after Stockham.
float2 times(float2 a, float2 b) { return (float2)(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }

kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void fft(global const float2 *in, global float2 *out)
{
    local float2 x[1024];
    int l = get_local_id(0), base = get_group_id(0) * 1024;
    float2 v[4];
    for (int k = 0; k < 4; k++)
        v[k] = in[base + l + k * 256];
    for (int span = 1; span < 1024; span *= 4) {
        int within = l & (span - 1);
        float angle = -2.0f * M_PI_F * within / (span * 4);
        for (int k = 1; k < 4; k++)
            v[k] = times(v[k], (float2)(native_cos(angle * k), native_sin(angle * k)));
        float2 s02 = v[0] + v[2], d02 = v[0] - v[2], s13 = v[1] + v[3], d13 = v[1] - v[3];
        v[0] = s02 + s13;
        v[1] = (float2)(d02.x + d13.y, d02.y - d13.x);
        v[2] = s02 - s13;
        v[3] = (float2)(d02.x - d13.y, d02.y + d13.x);
        int to = (l - within) * 4 + within;
        for (int k = 0; k < 4; k++)
            x[to + k * span] = v[k];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < 4; k++)
            v[k] = x[l + k * 256];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int k = 0; k < 4; k++)
        out[base + l + k * 256] = v[k];
}
