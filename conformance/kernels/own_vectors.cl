// SPDX-License-Identifier: Apache-2.0
// kernel: own_vectors
// global: 41 6
// offset: 3 2
// local: 1 1
// local: 7 2
// local: 8 3
// local: 5 1
// buffer: int 246 = 0
// buffer: uint 256 = 0
// local-buffer: 1024
// options: -cl-std=CL3.0
// options: -cl-std=CL3.0 -D GROUP_OF_ONE
// expect: 0 = 255
// expect: 1 = i*0+(i<1)*246

/* Vectors of the kernel's own that fill the registers, in groups of one and of a few work-items: the engine may run one work-item after the
 * other. Every other sum is made once with vectors and once without. */
global uint turns = 1;

uint16 mix(uint16 a, uint16 b, uint k)
{
    uint16 steps[3];
    for (uint i = 0; i < 3; i++)
        steps[i] = rotate(a + b * (i + k), (uint16)(i + 1));
    return steps[k % 3] ^ steps[(k + 1) % 3];
}

uint mix_one(uint a, uint b, uint k)
{
    uint steps[3];
    for (uint i = 0; i < 3; i++)
        steps[i] = rotate(a + b * (i + k), i + 1);
    return steps[k % 3] ^ steps[(k + 1) % 3];
}

uint sum(uint16 v)
{
    uint8 a = v.lo + v.hi;
    uint4 b = a.lo + a.hi;
    return b.x + b.y * 3 + b.z * 5 + b.w * 7;
}

bool vectors(uint id)
{
    const uint16 iota = (uint16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    uint16 a = iota + id, b = iota * 3 ^ id, c = iota << 2, d = a * b;
    for (uint i = 0; i < 5 + id % 4; i++) {
        uint16 t = mix(a, d, i);
        if (id & 1)
            d = select(c, t, a < b);
        else if (i == 3)
            break;
        c = b + i, b = a, a = t;
    }
    bool good = true;
    for (uint e = 0; e < 16; e++) {
        uint p = e + id, q = e * 3 ^ id, r = e << 2, s = p * q;
        for (uint i = 0; i < 5 + id % 4; i++) {
            uint t = mix_one(p, s, i);
            if (id & 1)
                s = p < q ? t : r;
            else if (i == 3)
                break;
            r = q + i, q = p, p = t;
        }
        good = good && ((uint *)&a)[e] == p && ((uint *)&b)[e] == q && ((uint *)&c)[e] == r && ((uint *)&d)[e] == s;
    }
    return good;
}

/* Each work-item reads what its neighbour has put down, and keeps vectors past the barriers. */
bool barriers(uint id, uint lid, uint items, local uint *shared)
{
    uint16 a = (uint16)(id, lid, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16), b = a * 7, c = a ^ b, kept = a;
    uint expected = 0;
    for (uint i = 0; i < 3; i++) {
        shared[lid] = sum(a) + i;
        barrier(CLK_LOCAL_MEM_FENCE);
        expected += shared[(lid + 1) % items] - shared[lid];
        if (items > 4)
            barrier(CLK_LOCAL_MEM_FENCE);
        a = a + b, b = b ^ c, c = rotate(c, (uint16)5);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    uint16 x = (uint16)(id, lid, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16), y = x * 7, z = x ^ y;
    for (uint i = 0; i < 3; i++)
        x = x + y, y = y ^ z, z = rotate(z, (uint16)5);
    return all(kept == (uint16)(id, lid, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)) && all(a == x) && all(b == y) && all(c == z) &&
           (items > 1 || expected == 0);
}

#ifdef GROUP_OF_ONE
__attribute__((work_group_size_hint(1, 1, 1)))
#endif
kernel void own_vectors(global int *ok, global uint *counts, local uint *shared)
{
    local uint total, numbers[2][130];
    local uint16 wide;
    size_t x = get_global_id(0) - get_global_offset(0), y = get_global_id(1) - get_global_offset(1);
    uint lid = get_local_linear_id(), items = get_local_size(0) * get_local_size(1), id = x + y * get_global_size(0);
    bool in_group = get_local_id(0) < get_local_size(0) && lid == get_local_id(0) + get_local_id(1) * get_local_size(0) &&
                    get_global_id(0) == get_group_id(0) * get_enqueued_local_size(0) + get_local_id(0) + get_global_offset(0) &&
                    get_global_id(1) == get_group_id(1) * get_enqueued_local_size(1) + get_local_id(1) + 2 &&
                    get_num_groups(0) == (get_global_size(0) + get_enqueued_local_size(0) - 1) / get_enqueued_local_size(0) &&
                    get_global_linear_id() == id && get_work_dim() == 2;
    int good = in_group | vectors(id) << 1 | barriers(id, lid, items, shared) << 2;

    if (lid == 0)
        total = 0, wide = (uint16)id;
    barrier(CLK_LOCAL_MEM_FENCE);
    uint first = wide.s0;
    atomic_add(&total, lid + 1);
    numbers[lid & 1][lid] = id * 2;
    barrier(CLK_LOCAL_MEM_FENCE);
    good |= (total == items * (items + 1) / 2 && first <= id) << 3;
    uint other = items - 1 - lid, row = get_global_size(0), corner = id - get_local_id(0) - get_local_id(1) * row;
    uint id_of_other = corner + other % get_local_size(0) + other / get_local_size(0) * row;
    good |= (numbers[other & 1][other] == 2 * id_of_other) << 4;

    event_t done = async_work_group_copy(shared, counts + 128, 16, 0); /* these stay 0 */
    wait_group_events(1, &done);
    uint16 zeros = vload16(0, shared);
    good |= !any(zeros != 0) << 5;

    uint own[4] = {id, 1, 2, 3};
    uint *either = lid & 1 ? &own[id & 3] : (uint *)&shared[15]; /* a generic pointer */
    barrier(CLK_LOCAL_MEM_FENCE);
    good |= (*either == (lid & 1 ? ((id & 3) ? (id & 3) : id) : 0)) << 6;
    atomic_fetch_add_explicit((volatile global atomic_uint *)counts, turns, memory_order_relaxed, memory_scope_device);
    good |= (get_max_sub_group_size() >= 8) << 7;
    ok[id] = good;
}
