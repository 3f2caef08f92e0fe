// SPDX-License-Identifier: Apache-2.0
// kernel: spaces
// global: 512
// local: 4
// local: 64
// buffer: ulong 1024 = 0
// buffer: int 512 = 0
// expect: 1 = 0

/* Pointers to private and local memory, told by work-items of the same group and of others, which run on other CPUs or have ended. Each group
 * waits a while for one that is not its own. */
int wrong_spaces(global ulong *shared, size_t group)
{
    private int *private_one = (private int *)*(volatile global ulong *)&shared[2 * group];
    local int *local_one = (local int *)*(volatile global ulong *)&shared[2 * group + 1];
    int wrong = 0;
    if (private_one)
        wrong += !to_private((generic int *)private_one) || to_global((generic int *)private_one) || to_local((generic int *)private_one);
    if (local_one)
        wrong += !to_local((generic int *)local_one) || to_global((generic int *)local_one) || to_private((generic int *)local_one);
    return wrong;
}

kernel void spaces(global ulong *shared, global int *errors)
{
    local int at_group;
    volatile int own = get_global_id(0);
    size_t group = get_group_id(0), groups = get_num_groups(0);
    if (get_local_id(0) == get_local_size(0) / 2) {
        at_group = 1;
        shared[2 * group + 1] = (ulong)&at_group;
        shared[2 * group] = (ulong)&own;
    }
    work_group_barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    int wrong = wrong_spaces(shared, group);
    if (get_local_id(0) == 0)
        for (int i = 0, others = 0; i < 200 && !others; i++)
            for (size_t g = 0; g < groups; g++)
                others += g != group && ((volatile global ulong *)shared)[2 * g] != 0;
    for (size_t g = 0; g < groups; g++)
        wrong += wrong_spaces(shared, g);
    errors[get_global_id(0)] = wrong + own - (int)get_global_id(0);
}
