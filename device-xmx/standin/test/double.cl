// SPDX-License-Identifier: Apache-2.0
kernel void half_of(global double *data)
{
    data[get_global_id(0)] *= 0.5;
}
