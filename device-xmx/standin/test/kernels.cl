// SPDX-License-Identifier: Apache-2.0
// Kernels of the stand-in's tests, compiled to SPIR-V when the tests are built.

kernel void add(global const int *a, global const int *b, global int *c)
{
    size_t i = get_global_id(0);
    c[i] = a[i] + b[i];
}

struct pair {
    int a;
    long b;
    float c[3];
};

// A struct, a vector and a byte by value, and a pointer that may be NULL.
kernel void values(struct pair pair, float4 vector, uchar byte, global const int *maybe, global float *out)
{
    size_t i = get_global_id(0);
    out[i] = (float)pair.a + (float)pair.b + pair.c[i % 3] + vector.w + (float)byte + (maybe ? 1000.0f : 0.0f);
}

// Local arguments of two sizes, with a barrier: each group reverses its part.
kernel void reverse(global int *data, local int *first, local char *second)
{
    size_t l = get_local_id(0), last = get_local_size(0) - 1;
    first[l] = data[get_global_id(0)];
    second[l] = (char)l;
    barrier(CLK_LOCAL_MEM_FENCE);
    data[get_global_id(0)] = first[last - l] * 2 + (second[last - l] == (char)(last - l));
}

kernel void ids(global uint *out)
{
    size_t x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    size_t i = ((z - get_global_offset(2)) * get_global_size(1) + (y - get_global_offset(1))) * get_global_size(0) + (x - get_global_offset(0));
    out[i] = (uint)(x | y << 8 | z << 16 | (ulong)get_work_dim() << 24);
}

// The size of sub-groups that the device chooses, and a shuffle.
kernel void sub_groups(global uint *out)
{
    size_t i = get_global_id(0);
    out[2 * i] = get_sub_group_size();
    out[2 * i + 1] = sub_group_shuffle((uint)i, 1u);
}

// A list through memory: only the first element is an argument.
struct node {
    global struct node *next;
    int value;
};
kernel void follow(global struct node *first, global int *sum)
{
    int total = 0;
    for (global struct node *at = first; at; at = at->next)
        total += at->value;
    *sum = total;
}

__attribute__((reqd_work_group_size(4, 2, 1))) kernel void fixed_group(global int *out)
{
    out[get_global_id(1) * get_global_size(0) + get_global_id(0)] = 1;
}

kernel void count(global int *counter)
{
    atomic_inc(counter);
}

// Takes about a millisecond for each thousand rounds.
kernel void busy(global uint *out, uint rounds)
{
    uint state = (uint)get_global_id(0) + 1;
    for (uint i = 0; i < rounds; i++)
        for (uint j = 0; j < 1000; j++)
            state = state * 1664525u + 1013904223u;
    out[get_global_id(0)] = state;
}

kernel void flip(read_only image2d_t from, write_only image2d_t to, sampler_t nearest)
{
    int2 at = (int2)((int)get_global_id(0), (int)get_global_id(1));
    write_imageui(to, at, 255 - read_imageui(from, nearest, (int2)(get_image_width(from) - 1 - at.x, at.y)));
}

kernel void read_buffer(read_only image1d_buffer_t from, global uint4 *to)
{
    int i = (int)get_global_id(0);
    to[i] = read_imageui(from, i);
}
