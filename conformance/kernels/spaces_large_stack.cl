// SPDX-License-Identifier: Apache-2.0
// kernel: spaces
// global: 64
// local: 16
// options: -cl-std=CL3.0 -DBARRIER=0
// options: -cl-std=CL3.0 -DBARRIER=1
// buffer: int 262144 = 7
// buffer: int 64 = 0
// expect: 1 = 0

/* Private memory that is too large for the thread's own stack, beside buffers that may lie anywhere. */
kernel void spaces(global int *numbers, global int *errors)
{
    volatile int large[6000];
    size_t i = get_global_id(0);
    for (int k = 0; k < 6000; k += 500)
        large[k + i] = numbers[i] + k;
#if BARRIER
    work_group_barrier(CLK_GLOBAL_MEM_FENCE);
#endif
    generic int *own = (generic int *)&large[numbers[i]], *element = (generic int *)&numbers[large[i] - 7 + i];
    errors[i] = (!to_private(own) || to_global(own) || to_local(own)) + 10 * (!to_global(element) || to_private(element) || to_local(element));
}
