// SPDX-License-Identifier: Apache-2.0
// kernel: spaces
// global: 8
// local: 4
// needs: __opencl_c_generic_address_space
// buffer: int 8 = 0
// buffer: int 8 = 0
// expect: 1 = 111

/* Where a generic pointer points: each conversion answers for its own space alone, and get_fence agrees. */
kernel void spaces(global int *data, global int *result)
{
    local int shared[4];
    int own = 1;
    int *to_data = data, *to_shared = shared, *to_own = &own;
    int r = 0;
    r += to_global(to_data) == data && !to_local(to_data) && !to_private(to_data) && get_fence(to_data) == CLK_GLOBAL_MEM_FENCE;
    r += (to_local(to_shared) == shared && !to_global(to_shared) && !to_private(to_shared) && get_fence(to_shared) == CLK_LOCAL_MEM_FENCE) * 10;
    r += (to_private(to_own) == &own && !to_global(to_own) && !to_local(to_own)) * 100;
    result[get_global_id(0)] = r;
}
