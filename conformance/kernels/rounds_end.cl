// SPDX-License-Identifier: Apache-2.0
// kernel: rounds_end
// options: -cl-std=CL3.0 -D WHO=l==0
// options: -cl-std=CL3.0 -D WHO=l==n-1
// options: -cl-std=CL3.0 -D INDEX=int -D WHO=l==17%n
// options: -cl-std=CL3.0 -D WHO=x==0
// options: -cl-std=CL3.0 -D WHO=l<n/2+1
// options: -cl-std=CL3.0 -D INDEX=int -D WHO=x<in[0]
// options: -cl-std=CL3.0 -D INDEX=int -D WHO=x-3<0
// options: -cl-std=CL3.0 -D INDEX=ushort -D WHO=l>=n/2
// options: -cl-std=CL3.0 -D INDEX=uint -D WHO=(l==0||l==16)
// options: -cl-std=CL3.0 -D INDEX=uint -D WHO=x-16<n
// global: 480 4
// local: 1 1
// local: 15 1
// local: 16 1
// local: 17 1
// local: 48 1
// local: 100 2
// local: 32 4
// local: 64 2
// buffer: int 1920 = 0
// buffer: uint 1920 = i*7%60+2
// local-buffer: 1024
// expect: 0 = 1

/* The rounds of a tree of sums, and what stands behind the last barrier, are for some work-items of the group only; which ones, a comparison
 * with an id says. Groups of one row and of several. All others have their result before the last barrier. */
#ifndef INDEX
#define INDEX size_t
#endif

kernel void rounds_end(global int *ok, global const uint *in, local uint *t)
{
    INDEX x = get_local_id(0), l = get_local_linear_id(), n = get_local_size(0) * get_local_size(1);
    size_t id = get_global_linear_id(), corner = id - get_local_id(1) * get_global_size(0) - get_local_id(0);
    t[l] = in[id];
    for (INDEX count = n; count > 1; count = (count + 1) / 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < count / 2)
            t[l] += t[l + (count + 1) / 2];
    }
    if (!(WHO))
        ok[id] = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (WHO) {
        uint sum = 0;
        for (size_t i = 0; i < get_local_size(1); i++)
            for (size_t k = 0; k < get_local_size(0); k++)
                sum += in[corner + i * get_global_size(0) + k];
        ok[id] = t[0] == sum;
    }
}
