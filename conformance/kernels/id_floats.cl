// SPDX-License-Identifier: Apache-2.0
// kernel: id_floats
// options: -cl-std=CL3.0
// global: 2000
// local: 1
// local: 16
// local: 17
// local: 1000
// buffer: int 2000 = 0
// buffer: uint 2000 = i
// expect: 0 = 31

/* Ids and sizes as numbers with a fraction: as those of integers from memory. */
kernel void id_floats(global int *ok, global const uint *in)
{
    size_t i = get_global_id(0), l = get_local_id(0), n = get_local_size(0);
    int good = (float)get_local_id(0) == (float)in[l];
    good |= ((float)(long)get_local_linear_id() * 0.5f == in[l] * 0.5f) << 1;
    good |= ((float)get_local_size(0) - (float)get_local_id(0) == (float)(in[n - 1] + 1 - in[l])) << 2;
    good |= ((float)get_global_id(0) + (float)get_local_id(0) == (float)(in[i] + in[l])) << 3;
    good |= ((float)(get_local_id(0) * get_local_size(0)) == (float)(in[l] * in[n - 1] + in[l]) &&
             (float)(int)(get_local_id(0) * -3) == (float)((int)in[l] * -3)) << 4;
    ok[i] = good;
}
