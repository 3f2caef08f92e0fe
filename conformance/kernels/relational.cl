// SPDX-License-Identifier: Apache-2.0
// kernel: relations
// global: 1
// needs: cl_khr_fp64
// buffer: int 13 = 0
// expect: 0 = 1

/* Results of scalars are 0 and 1, of vectors 0 and -1; selection by the sign bit, and by zero for scalars. */
kernel void relations(global int *r)
{
    float inf = INFINITY, none = NAN;
    r[0] = isnan(none) == 1 && isnan(inf) == 0 && isinf(-inf) == 1 && isfinite(FLT_MAX) == 1;
    r[1] = all(isnan((float4)(none, 1, none, inf)) == (int4)(-1, 0, -1, 0));
    r[2] = all(isless((double2)(1, NAN), (double2)(2, 2)) == (long2)(-1, 0));
    r[3] = isunordered(none, 1.0f) == 1 && isordered(1.0f, 2.0f) == 1 && islessgreater(1.0f, 1.0f) == 0;
    r[4] = signbit(-0.0f) == 1 && signbit(0.0) == 0 && isnormal(FLT_MIN / 2) == 0 && isnormal(FLT_MIN) == 1;
    r[5] = select(1, 2, 1) == 2 && all(select((int2)(1, 1), (int2)(2, 2), (int2)(1, INT_MIN)) == (int2)(1, 2));
    r[6] = bitselect(0x0f0f0f0f, (int)0xf0f0f0f0, 0x00ff00ff) == 0x0ff00ff0;
    r[7] = any((char3)(0, -1, 0)) == 1 && any((int4)(1, 2, 3, 4)) == 0 && all((short2)(-1, SHRT_MIN)) == 1;
    r[8] = all(shuffle((int4)(10, 11, 12, 13), (uint8)(3, 2, 1, 0, 7, 6, 5, 4)) == (int8)(13, 12, 11, 10, 13, 12, 11, 10));
    r[9] = all(shuffle2((int2)(1, 2), (int2)(3, 4), (uint4)(3, 0, 2, 5)) == (int4)(4, 1, 3, 2));
    r[10] = clamp(5.0f, 1.0f, 3.0f) == 3 && mix(2.0f, 4.0f, 0.5f) == 3 && step(2.0f, 1.0f) == 0 && sign(-3.0f) == -1 && smoothstep(0.0f, 2.0f, 1.0f) == 0.5f;
    r[11] = all(cross((float3)(1, 0, 0), (float3)(0, 1, 0)) == (float3)(0, 0, 1)) && length((float2)(3e30f, 4e30f)) == 5e30f &&
            all(normalize((float2)(0, 2)) == (float2)(0, 1)) && dot((float4)(1, 2, 3, 4), (float4)(1)) == 10 && distance(1e-200, -2e-200) == 3e-200;
    /* The small elements of a very long or very short vector keep their bits. */
    r[12] = all(normalize((double2)(0x1p+560, -0x1.8p-470)) == (double2)(1, -0x1.8p-1030)) &&
            all(normalize((double2)(0x3p-1030, 0x4p-1030)) == (double2)(0.6, 0.8)) &&
            all(normalize((double3)(-INFINITY, 1, INFINITY)) == (double3)(-1 / M_SQRT2, 0, 1 / M_SQRT2));
}
