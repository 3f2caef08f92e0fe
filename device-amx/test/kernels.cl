/* SPDX-License-Identifier: Apache-2.0
 * Kernels of the device's tests. */
#include "tessera/primitives.h"

kernel void vadd(global const float *a, global const float *b, global float *c)
{
    size_t i = get_global_id(0);
    c[i] = a[i] + b[i];
}

kernel void nothing(void) {}

struct mixed {
    char c;
    double d;
    float4 f;
};

kernel void arguments(char c, short3 s3, struct mixed m, double16 wide, global float *out, local float *scratch, ulong last)
{
    m.d += 1; /* the copy is this work-item's own */
    scratch[get_local_id(0)] = (float)m.d;
    out[get_global_id(0)] = c + s3.z + m.c + scratch[get_local_id(0)] + m.f.w + (float)wide.sf + last;
}

/* Work-item functions, one record of 24 words per work-item by global linear id. Answers the record. */
static global ulong *put_numbers(global ulong *out)
{
    global ulong *o = out + 24 * get_global_linear_id();
    for (uint d = 0; d < 3; d++) {
        o[d] = get_global_id(d);
        o[3 + d] = get_local_id(d);
        o[6 + d] = get_group_id(d);
        o[9 + d] = get_local_size(d);
        o[12 + d] = get_num_groups(d);
        o[15 + d] = get_enqueued_local_size(d);
    }
    o[18] = get_local_linear_id();
    return o;
}

kernel void ids(global ulong *out)
{
    global ulong *o = put_numbers(out);
    o[19] = get_sub_group_id();
    o[20] = get_sub_group_local_id();
    o[21] = get_sub_group_size();
    o[22] = get_num_sub_groups();
    o[23] = get_work_dim();
}

/* The same of a kernel that knows no sub-groups, and questions about a dimension that is no constant. */
kernel void numbers(global ulong *out, uint dim)
{
    global ulong *o = put_numbers(out);
    uint other = get_global_id(0) % 3;
    o[19] = get_local_id(dim);
    o[20] = get_group_id(dim);
    o[21] = get_local_id(other);
    o[22] = get_group_id(other);
    o[23]++;
}

/* Global ids alone, and how often each work-item ran. */
kernel void global_ids(global ulong *out)
{
    global ulong *o = out + 4 * get_global_linear_id();
    for (uint d = 0; d < 3; d++)
        o[d] = get_global_id(d);
    o[3]++;
}

/* Each work-item gets the sum of its group's global ids, through a local array and barriers in a loop. */
kernel void barrier_sum(global ulong *out)
{
    local ulong cells[4096];
    uint n = (uint)(get_local_size(0) * get_local_size(1) * get_local_size(2)), me = (uint)get_local_linear_id();
    cells[me] = get_global_linear_id();
    for (uint step = 1; step < n; step *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        ulong other = me + step < n ? cells[me + step] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (me % (2 * step) == 0)
            cells[me] += other;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_linear_id()] = cells[0];
}

/* Private arrays of 64 KiB that live across a barrier. */
kernel void large_private(global uint *out)
{
    uint mine[16384];
    uint me = (uint)get_local_id(0), n = (uint)get_local_size(0);
    for (uint i = 0; i < 16384; i++)
        mine[i] = i * (me + 1);
    barrier(CLK_GLOBAL_MEM_FENCE);
    uint sum = 0;
    for (uint i = 0; i < 16384; i++)
        sum += mine[(i * 7 + me) & 16383];
    out[get_global_id(0)] = sum + n;
}

kernel void large_private_alone(global uint *out)
{
    uint mine[65536];
    uint me = (uint)get_global_id(0);
    for (uint i = 0; i < 65536; i++)
        mine[i] = i * (me + 1);
    uint sum = 0;
    for (uint i = 0; i < 65536; i++)
        sum += mine[(i * 7 + me) & 65535];
    out[me] = sum;
}

/* ---- rendezvous ---- */

kernel void barrier_in_branch(int limit)
{
    if ((int)get_local_id(0) < limit)
        barrier(CLK_LOCAL_MEM_FENCE);
}

kernel void barrier_after_return(int limit)
{
    if ((int)get_local_id(0) < limit)
        return;
    barrier(CLK_LOCAL_MEM_FENCE);
}

kernel void different_barriers(int limit)
{
    if ((int)get_local_id(0) < limit)
        barrier(CLK_LOCAL_MEM_FENCE);
    else
        work_group_barrier(CLK_GLOBAL_MEM_FENCE);
}

kernel void sub_group_barrier_in_branch(int limit)
{
    if ((int)get_sub_group_local_id() < limit)
        sub_group_barrier(CLK_LOCAL_MEM_FENCE);
}

/* Nobody waits: a packet needs no stack of its own. */
kernel void reduce_in_branch(int limit)
{
    volatile int sum = 0;
    if ((int)get_sub_group_local_id() < limit)
        sum = sub_group_reduce_add(1);
}

/* Sub-groups may go different ways. */
kernel void sub_groups_apart(global int *out)
{
    int r = 0;
    for (uint i = 0; i <= get_sub_group_id(); i++) {
        sub_group_barrier(CLK_LOCAL_MEM_FENCE);
        r++;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = r;
}

/* scope, mode: as the primitive takes them. Each work-item brings its global id + 1; out: per work-item the mask, then 64 slots. */
static void exchange(uint scope, uint mode, global ulong *out)
{
    ulong value = get_global_id(0) + 1, mask;
    const ulong *slots = __tsr_exchange(scope, mode, &value, sizeof value, &mask);
    global ulong *o = out + 65 * get_global_id(0);
    o[0] = mask;
    uint count = scope == TSR_SCOPE_SUB_GROUP ? get_max_sub_group_size()
                 : scope == TSR_SCOPE_PAIR    ? 2 * get_max_sub_group_size()
                                              : (uint)get_local_size(0);
    for (uint i = 0; i < 64; i++)
        o[1 + i] = i < count ? slots[i] : 0;
}

kernel void exchange_sub_group(global ulong *out) { exchange(TSR_SCOPE_SUB_GROUP, TSR_EXCHANGE_ALL, out); }
kernel void exchange_pair(global ulong *out) { exchange(TSR_SCOPE_PAIR, TSR_EXCHANGE_ALL, out); }
kernel void exchange_group(global ulong *out) { exchange(TSR_SCOPE_WORK_GROUP, TSR_EXCHANGE_ALL, out); }

/* One helper called from two places: two sites. Odd lanes and even lanes see only each other. */
kernel void exchange_active(global ulong *out)
{
    if (get_sub_group_local_id() & 1)
        exchange(TSR_SCOPE_SUB_GROUP, TSR_EXCHANGE_ACTIVE, out);
    else
        exchange(TSR_SCOPE_SUB_GROUP, TSR_EXCHANGE_ACTIVE, out);
}

/* Work-items leave a loop one by one; the rest still meets. out: how many took part in the last round of each. */
kernel void exchange_leaving(global uint *out)
{
    uint last = 0;
    for (uint i = 0; i <= get_sub_group_local_id(); i++) {
        ulong mask;
        uint value = i;
        __tsr_exchange(TSR_SCOPE_SUB_GROUP, TSR_EXCHANGE_ACTIVE, &value, sizeof value, &mask);
        last = (uint)popcount(mask);
    }
    out[get_global_id(0)] = last;
}

/* An array stays valid until the next exchange but one, also while others meet elsewhere. */
kernel void exchange_keeps(global ulong *out)
{
    ulong value = get_global_id(0) + 1, zero = 0, mask;
    const ulong *first = __tsr_exchange(TSR_SCOPE_SUB_GROUP, TSR_EXCHANGE_ACTIVE, &value, sizeof value, &mask);
    if (get_sub_group_local_id() < 4)
        for (uint i = 0; i < 4; i++)
            __tsr_exchange(TSR_SCOPE_PAIR, TSR_EXCHANGE_ACTIVE, &zero, sizeof zero, &mask);
    __tsr_exchange(TSR_SCOPE_SUB_GROUP, TSR_EXCHANGE_ACTIVE, &zero, sizeof zero, &mask);
    ulong sum = 0;
    for (uint i = 0; i < get_sub_group_size(); i++)
        sum += first[i];
    out[get_global_id(0)] = sum;
}

/* ---- arithmetic ---- */

kernel void divide(global const int *a, global const int *b, global int *quotient, global int *rest)
{
    size_t i = get_global_id(0);
    quotient[i] = a[i] / b[i];
    rest[i] = a[i] % b[i];
    int4 q = (int4)(a[i]) / (int4)(b[i], 0, -1, 1);
    uint u = (uint)a[i] % (uint)b[i];
    char c = (char)(((char)a[i]) / ((char)b[i]));
    if (q.x == 12345 && u == 54321 && c == 99)
        quotient[i] = 0;
}

kernel void denormals(global float *x)
{
    x[get_global_id(0)] *= 0.5f;
}

/* ---- printf ---- */

kernel void print_groups(void)
{
    if (get_local_id(0) == 0)
        printf("group %u\n", (uint)get_group_id(0));
}

kernel void print_in_barrier(void)
{
    printf("before %d|", (int)get_local_id(0));
    barrier(CLK_LOCAL_MEM_FENCE);
    printf("after %d|", (int)get_local_id(0));
}

kernel void print_kinds(float x, int4 v, char3 c, global int *p)
{
    int r = printf("%d %5.2f %v4d %v3hhd %v3hhx %s %c %%|%p|%v4hlx %v2hlf %a\n", 42, x, v, c, c, "text", 'z', p == 0 ? p : p, v,
                   (float2)(0.5f, -1.0f), 1.0);
    printf("%d\n", r);
}

/* ---- program scope ---- */

global int counter = 5;
constant int table[4] = {1, 10, 100, 1000};

kernel void count(global int *out)
{
    counter += table[1];
    *out = counter;
}
