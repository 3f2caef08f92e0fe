// SPDX-License-Identifier: Apache-2.0
// kernel: constants
// options: -cl-std=CL3.0
// global: 64
// needs: __opencl_c_integer_dot_product_input_4x8bit
// buffer: char 256 = i*37+i/5
// buffer: uchar 256 = i*91+i/3
// buffer: int 64 = 0
// expect: 2 = 1

/* Dot products of bytes with constants, which may be taken with a sign or without if they are below 128. */
kernel void constants(global const char4 *a, global const uchar4 *b, global int *ok)
{
    const size_t i = get_global_id(0);
    const char4 x = a[i];
    const uchar4 y = b[i];
    const int top = 0x7fffffff - 200;
    int good = dot(x, (char4)(1)) == x.x + x.y + x.z + x.w;
    good &= dot((char4)(3, 0, 127, 5), x) == 3 * x.x + 127 * x.z + 5 * x.w;
    good &= dot(x, (char4)(3, -1, 127, 5)) == 3 * x.x - x.y + 127 * x.z + 5 * x.w;
    good &= dot(x, (char4)(-128, 1, 1, 1)) == -128 * x.x + x.y + x.z + x.w;
    good &= dot(y, (uchar4)(1)) == (uint)(y.x + y.y + y.z + y.w);
    good &= dot((uchar4)(1, 127, 2, 0), y) == (uint)(y.x + 127 * y.y + 2 * y.z);
    good &= dot(y, (uchar4)(1, 128, 2, 255)) == (uint)(y.x + 128 * y.y + 2 * y.z + 255 * y.w);
    good &= dot(x, (uchar4)(1, 128, 2, 255)) == x.x + 128 * x.y + 2 * x.z + 255 * x.w;
    good &= dot((char4)(100), (char4)(1, 2, 3, -4)) == 200;
    good &= dot_acc_sat(x, (char4)(1), top) == (int)min((long)top + x.x + x.y + x.z + x.w, 0x7fffffffL);
    good &= dot_acc_sat(y, (uchar4)(1), 0x7fffff80u) == 0x7fffff80u + y.x + y.y + y.z + y.w;
    good &= dot_acc_sat((uchar4)(1), y, 0xffffff80u) == (uint)min(0xffffff80L + y.x + y.y + y.z + y.w, 0xffffffffL);
    ok[i] = good;
}
