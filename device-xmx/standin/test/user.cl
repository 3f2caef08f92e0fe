// SPDX-License-Identifier: Apache-2.0
// A kernel with a function of another module.
int twice(int value);

kernel void use(global int *data)
{
    data[get_global_id(0)] = twice(data[get_global_id(0)]);
}
