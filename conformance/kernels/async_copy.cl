// SPDX-License-Identifier: Apache-2.0
// kernel: reverse
// global: 96
// local: 32
// buffer: int 96 = i*3
// buffer: int 96 = 0
// buffer: int 48 = 0
// expect: 1 = (i/32)*96+(31-i%32)*3
// expect: 2 = i*6

/* Work-groups copy in, reverse, copy out; a strided copy takes every second. */
kernel void reverse(global int *in, global int *out, global int *halves)
{
    local int a[32], b[32], c[16];
    size_t base = get_group_id(0) * 32, i = get_local_id(0);
    event_t e = async_work_group_copy(a, in + base, 32, 0);
    e = async_work_group_strided_copy(c, in + base, 16, 2, e);
    wait_group_events(1, &e);
    b[31 - i] = a[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    event_t f[2];
    f[0] = async_work_group_copy(out + base, b, 32, 0);
    f[1] = async_work_group_copy(halves + base / 2, c, 16, 0);
    wait_group_events(2, f);
}
