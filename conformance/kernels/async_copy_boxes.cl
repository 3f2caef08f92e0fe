// SPDX-License-Identifier: Apache-2.0
// needs: cl_khr_extended_async_copies
// kernel: boxes
// global: 96
// local: 4
// local: 48
// local: 96
// buffer: uchar 1216 = i*7+i/256
// buffer: uchar 29184 = 170
// buffer: int 96 = 0
// expect: 2 = 0

#define BYTES 1216

struct sizes {
    uint planes, lines, line, from_offset, from_line, from_plane, to_offset, to_line, to_plane;
};

/* The element of the source that belongs to element `at` of the destination, or -1: it is none of the box's. */
int source_of(struct sizes s, uint at)
{
    uint plane = (at - s.to_offset) / s.to_plane, line = (at - s.to_offset) % s.to_plane / s.to_line;
    uint x = (at - s.to_offset) % s.to_plane % s.to_line;
    bool inside = at >= s.to_offset && plane < s.planes && line < s.lines && x < s.line;
    return inside ? (int)(s.from_offset + plane * s.from_plane + line * s.from_line + x) : -1;
}

uchar wanted(struct sizes s, global const uchar *in, uint size, uint byte)
{
    int element = source_of(s, byte / size);
    return element < 0 ? 170 : in[element * size + byte % size];
}

/* Copies to local memory and back to a place of the group's own, with the gaps of the source closed and opened again. */
int there_and_back(struct sizes s, uint size, global uchar *in, global uchar *out, local uchar *room)
{
    int wrong = 0;
    for (uint i = get_local_id(0); i < BYTES; i += get_local_size(0))
        room[i] = out[i] = 170;
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    event_t e = s.planes == 1 ? async_work_group_copy_2D2D(room, s.to_offset, in, s.from_offset, size, s.line, s.lines, s.from_line, s.to_line, 0)
                              : async_work_group_copy_3D3D(room, s.to_offset, in, s.from_offset, size, s.line, s.lines, s.planes,
                                                           s.from_line, s.from_plane, s.to_line, s.to_plane, 0);
    wait_group_events(1, &e);
    for (uint i = get_local_id(0); i < BYTES; i += get_local_size(0))
        wrong += room[i] != wanted(s, in, size, i);
    e = s.planes == 1 ? async_work_group_copy_2D2D(out, s.from_offset, room, s.to_offset, size, s.line, s.lines, s.to_line, s.from_line, 0)
                      : async_work_group_copy_3D3D(out, s.from_offset, room, s.to_offset, size, s.line, s.lines, s.planes, s.to_line,
                                                   s.to_plane, s.from_line, s.from_plane, 0);
    wait_group_events(1, &e);
    struct sizes back = s;
    back.from_offset = back.to_offset = s.from_offset;
    back.to_line = s.from_line;
    back.to_plane = s.from_plane;
    for (uint i = get_local_id(0); i < BYTES; i += get_local_size(0))
        wrong += out[i] != wanted(back, in, size, i);
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    return wrong;
}

kernel void boxes(global uchar *in, global uchar *out, global int *errors)
{
    local uchar room[BYTES];
    global uchar *mine = out + get_group_id(0) * BYTES;
    const struct sizes shapes[] = {
        {1, 1, 1, 0, 1, 1, 0, 1, 1},        {1, 5, 7, 3, 9, 45, 1, 8, 64},     {1, 8, 8, 0, 8, 64, 0, 8, 64},
        {1, 3, 20, 2, 24, 72, 0, 20, 60},   {3, 4, 5, 1, 6, 30, 2, 7, 35},     {2, 2, 2, 0, 2, 4, 0, 2, 4},
        {5, 1, 9, 4, 11, 13, 0, 9, 9},      {1, 0, 4, 0, 4, 16, 0, 4, 16},     {1, 4, 0, 0, 4, 16, 0, 4, 16},
        {4, 6, 2, 8, 3, 20, 3, 4, 25},
    };
    const uint sizes[] = {1, 2, 3, 8, 12};
    int wrong = 0;
    for (uint i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (uint k = 0; k < sizeof sizes / sizeof *sizes; k++)
            wrong += there_and_back(shapes[i], sizes[k], in, mine, room);
    errors[get_global_id(0)] = wrong;
}
