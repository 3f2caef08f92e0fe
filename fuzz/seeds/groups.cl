// SPDX-License-Identifier: Apache-2.0
// A seed of fuzz_source: barriers, collectives, atomics, local memory.
typedef struct { int a; float4 b; char c[3]; } item;
constant float table[4] = {1.0f, 2.0f, 3.0f, 4.0f};
global int counter;

static int helper(global const item *items, int i)
{
    switch (i & 3) {
    case 0: return items[i].a;
    case 1: return (int)items[i].b.y;
    default: return items[i].c[i % 3];
    }
}

__attribute__((reqd_work_group_size(16, 1, 1))) kernel void reduce(global const item *items, global int *out, local int *room, uint n)
{
    local int sum[16];
    size_t i = get_global_id(0), l = get_local_id(0);
    sum[l] = i < n ? helper(items, (int)i) : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint step = 8; step; step /= 2) {
        if (l < step)
            sum[l] += sum[l + step];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    room[l] = work_group_scan_inclusive_add(sum[l]) + sub_group_reduce_max((int)l);
    if (l == 0)
        atomic_fetch_add_explicit((global atomic_int *)&counter, room[0], memory_order_relaxed, memory_scope_device);
    out[i] = room[15 - l] + (int)table[l & 3];
}

kernel void vectors(global float4 *a, global const half *h, global uchar16 *c, double d)
{
    size_t i = get_global_linear_id();
    float4 v = fma(a[i], (float4)(2.0f), vload_half4(i, h)).wzyx;
    a[i] = select(normalize(v), sqrt(fabs(v)), isgreater(v, a[i]));
    c[i] = convert_uchar16_sat(as_char16(a[i])) << (uchar)3;
    a[i].s0 += (float)pow(d, 2.0) + native_sin(v.x) + mad24((int)i, 3, 4);
    printf("%v4f %d %s\n", v, (int)i, "text");
}
