// SPDX-License-Identifier: Apache-2.0
// kernel: conversions
// global: 1
// needs: cl_intel_bfloat16_conversions
// buffer: ushort 8 = 0
// buffer: int 1 = 0
// expect: 0 = 0x3f80 0x3f80 0x3f82 0x3f81 0x7f80 0x7fc0 0x8000 0xc049
// expect: 1 = 1

/* Ties go to even, overflow to infinity, a NaN stays one. */
kernel void conversions(global ushort *r, global int *ok)
{
    r[0] = intel_convert_bfloat16_as_ushort(1.0f);
    r[1] = intel_convert_bfloat16_as_ushort(1.0f + 0x1p-8f);
    r[2] = intel_convert_bfloat16_as_ushort(1.0f + 0x3p-8f);
    r[3] = intel_convert_bfloat16_as_ushort(1.0f + 0x1p-8f + 0x1p-20f);
    r[4] = intel_convert_bfloat16_as_ushort(FLT_MAX);
    r[5] = intel_convert_bfloat16_as_ushort(as_float(0x7f800001));
    r[6] = intel_convert_bfloat16_as_ushort(-0.0f);
    r[7] = intel_convert_bfloat16_as_ushort(-3.14159265f);
    ushort2 v = intel_convert_bfloat162_as_ushort2((float2)(2, -2));
    ok[0] = all(intel_convert_as_bfloat162_float2(v) == (float2)(2, -2)) && intel_convert_as_bfloat16_float(0x3f81) == 1 + 0x1p-7f;
}
