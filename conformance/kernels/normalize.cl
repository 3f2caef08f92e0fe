// SPDX-License-Identifier: Apache-2.0
// kernel: normalize_floats
// global: 1000
// local: 100
// buffer: uint 1000 = i*2654435761+12345
// buffer: int 1000 = 0
// expect: 1 = 31

/* Directions of vectors of any length, from denormals to what overflows if it is squared, with small elements in long vectors. Numbers of
 * double hold all squares. */
bool near(float got, float x, double square, int ulps)
{
    double want = x / sqrt(square);
    return fabs(got - want) <= ulps * 0x1p-24 * fabs(want) + 0x1p-149;
}

kernel void normalize_floats(global const uint *seed, global int *ok)
{
    int i = get_global_id(0), good = 0;
    uint s = seed[i];
    int least = -149 + i * 37 % 250, spread = i % 5 * 6;
    float4 v;
    for (int k = 0; k < 4; k++) {
        s = s * 1664525 + 1013904223;
        int exponent = min(least + (int)(s >> 8) % (spread + 1), 103);
        v[k] = ldexp((float)((int)s >> 7), exponent - 24 > -149 ? exponent - 24 : -149);
    }
    double4 d = convert_double4(v);
    float4 n4 = normalize(v);
    double square = d.x * d.x + d.y * d.y + d.z * d.z + d.w * d.w;
    good |= near(n4.x, v.x, square, 12) && near(n4.y, v.y, square, 12) && near(n4.z, v.z, square, 12) && near(n4.w, v.w, square, 12);
    float3 n3 = normalize(v.xyz);
    square = d.x * d.x + d.y * d.y + d.z * d.z;
    good |= (near(n3.x, v.x, square, 10) && near(n3.y, v.y, square, 10) && near(n3.z, v.z, square, 10)) << 1;
    float2 n2 = normalize(v.xy);
    square = d.x * d.x + d.y * d.y;
    good |= (near(n2.x, v.x, square, 8) && near(n2.y, v.y, square, 8)) << 2;
    /* Nothing, infinity. */
    float4 none = normalize((float4)(0.0f, -0.0f, 0.0f, 0.0f) * (float)(i + 1));
    good |= (all(as_int4(none) == as_int4((float4)(0.0f, -0.0f, 0.0f, 0.0f)))) << 3;
    float4 to = normalize((float4)(v.x, -INFINITY, v.y, 1.0f));
    good |= (to.y == -1.0f && to.x == 0 && to.z == 0 && to.w == 0 && isnan(normalize((float2)(NAN, v.x)).x)) << 4;
    ok[i] = good;
}
