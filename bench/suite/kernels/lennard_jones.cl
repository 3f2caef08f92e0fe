// SPDX-License-Identifier: Apache-2.0
// Forces of Lennard and Jones from lists of neighbours, which lie transposed so that work-items read side by side.
kernel void forces(global const float4 *restrict position, global float4 *restrict force, global const int *restrict count,
                   global const int *restrict neighbour, int n, float cutoff, float sigma6, float epsilon)
{
    int i = get_global_id(0);
    float4 me = position[i], sum = 0;
    int many = count[i];
    for (int j = 0; j < many; j++) {
        float4 d = me - position[neighbour[j * n + i]];
        float square = d.x * d.x + d.y * d.y + d.z * d.z;
        if (square < cutoff) {
            float inverse = 1.0f / square, sixth = inverse * inverse * inverse * sigma6;
            float strength = 24.0f * epsilon * inverse * sixth * (2.0f * sixth - 1.0f);
            sum.xyz += d.xyz * strength;
            sum.w += 4.0f * epsilon * sixth * (sixth - 1.0f);
        }
    }
    force[i] = sum;
}
