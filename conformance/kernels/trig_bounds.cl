// SPDX-License-Identifier: Apache-2.0
// kernel: bounds
// global: 65536
// needs: cl_khr_fp64
// buffer: int 7 = 0
// expect: 0 = 0 0 0 0 0 0 0

/* No sine and no cosine is beyond 1, neither of small arguments nor next to the places where one is 1 or -1. */
kernel void bounds(global int *beyond)
{
    int i = (int)get_global_id(0);
    float x = as_float(0x35000000 + i * 1021), peak = as_float(as_uint((float)(i >> 4) * M_PI_2_F) + (i & 15) - 8), cosine;
    double dx = as_double(0x3e50000000000000 + i * 0x4000000001021), dpeak = as_double(as_ulong((double)(i >> 4) * M_PI_2) + (i & 15) - 8), dcosine;
    float turn = (float)(i >> 4) * 0.5f + (float)(i & 15) * 0x1p-14f;
    if (fabs(cos(x)) > 1 || fabs(sin(x)) > 1)
        atomic_inc(beyond + 0);
    if (fabs(cos(peak)) > 1 || fabs(sin(peak)) > 1)
        atomic_inc(beyond + 1);
    if (fabs(cospi(x)) > 1 || fabs(cospi(turn)) > 1 || fabs(sinpi(turn)) > 1)
        atomic_inc(beyond + 2);
    if (fabs(sincos(peak, &cosine)) > 1 || fabs(cosine) > 1 || fabs(sincos(x, &cosine)) > 1 || fabs(cosine) > 1)
        atomic_inc(beyond + 3);
    if (fabs(cos(dx)) > 1 || fabs(sin(dx)) > 1)
        atomic_inc(beyond + 4);
    if (fabs(cos(dpeak)) > 1 || fabs(sin(dpeak)) > 1)
        atomic_inc(beyond + 5);
    if (fabs(sincos(dpeak, &dcosine)) > 1 || fabs(dcosine) > 1 || fabs(sinpi((double)turn)) > 1 || fabs(cospi((double)turn)) > 1)
        atomic_inc(beyond + 6);
}
