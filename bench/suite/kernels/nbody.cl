// SPDX-License-Identifier: Apache-2.0
// All pairs of bodies; a tile of them in local memory, as in GPU Gems 3.
kernel void nbody(global const float4 *restrict position, global float4 *restrict velocity, int n, float dt, float soft, local float4 *tile)
{
    int i = get_global_id(0), l = get_local_id(0), size = get_local_size(0);
    float4 me = position[i];
    float3 force = (float3)(0.0f);
    for (int start = 0; start < n; start += size) {
        tile[l] = position[start + l];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int j = 0; j < size; j++) {
            float4 other = tile[j];
            float3 d = other.xyz - me.xyz;
            float inverse = rsqrt(dot(d, d) + soft);
            force += d * (other.w * inverse * inverse * inverse);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    float4 v = velocity[i];
    v.xyz += force * dt;
    velocity[i] = v;
}
