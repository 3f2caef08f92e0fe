// SPDX-License-Identifier: Apache-2.0
// kernel: narrow
// global: 2 4 600
// local: 1 2 3
// local: 2 4 1
// local: 1 1 6
// buffer: uint 4800 = 0
// expect: 0 = 1

/* Lanes may follow z in such a range, but not in a kernel that asks for linear ids. */
kernel void narrow(global uint *out)
{
    const uint i = get_local_linear_id();
    out[get_global_linear_id()] = i == (get_local_id(2) * get_local_size(1) + get_local_id(1)) * get_local_size(0) + get_local_id(0);
}
