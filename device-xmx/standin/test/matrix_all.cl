// SPDX-License-Identifier: Apache-2.0
// A kernel for every overload of the matrix functions that a device has, k<number of its line in tessera/matrix.def>. Compiled with M_SIZE, the
// sub-group size.
#pragma OPENCL EXTENSION cl_khr_fp16 : enable

#define JOIN(a, b) a##b
#define NAME(a, b) JOIN(a, b)
#define TAKE(name, n, a, b, c, number)                                                                                                     \
    c __attribute__((overloadable)) name(a, b, c);                                                                                         \
    __attribute__((intel_reqd_sub_group_size(n))) kernel void NAME(k, number)(global const a *x, global const b *y, global const c *z,     \
                                                                             global c *d)                                                  \
    {                                                                                                                                      \
        size_t i = get_global_id(0);                                                                                                       \
        d[i] = name(x[i], y[i], z[i]);                                                                                                     \
    }
#define LEAVE(name, n, a, b, c, number) enum { NAME(leave, number) };
#if M_SIZE == 8
#define FORM_N8 TAKE
#define FORM_SPLIT TAKE
#define FORM_N16 LEAVE
#define FORM_TF32 LEAVE
#else
#define FORM_N8 LEAVE
#define FORM_SPLIT LEAVE
#define FORM_N16 TAKE
#define FORM_TF32 TAKE
#endif
#define TSR_MATRIX(name, form, n, m, k, a, b, c, ea, eb, ec) FORM_##form(name, n, a, b, c, __COUNTER__)
#include "tessera/matrix.def"
