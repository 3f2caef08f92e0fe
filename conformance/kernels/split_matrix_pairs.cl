// SPDX-License-Identifier: Apache-2.0
// kernel: pairs
// global: 320
// local: 64
// local: 32
// local: 80
// local: 40
// needs: cl_intel_subgroup_split_matrix_multiply_accumulate
// options: -cl-std=CL3.0
// buffer: int 4096 = i*i+3*i
// buffer: uint 2560 = 0
// buffer: int 320 = 0
// expect: 1 = i*i+3*i+7
// expect: 2 = 0

/* What differs between the two sub-groups of a packet and not within them: ids, addresses, loop counts, values from memory. A bit of the
 * result stands for something that went wrong. In groups of 40 the last sub-group has no partner. */
#define WRONG(bit, condition) wrong |= (condition) ? 0 : 1 << (bit)
#define AT(i) ((i) * (i) + 3 * (i))

typedef struct {
    int x;
    float y;
} mixed;

__attribute__((intel_reqd_sub_group_size(8))) kernel void pairs(global const int *in, global uint *out, global int *result)
{
    local int shared[128];
    int l = (int)get_sub_group_local_id(), s = (int)get_sub_group_id(), wrong = 0, id = (int)get_local_id(0);
    int group = (int)get_group_id(0), items = (int)get_local_size(0), groups = (items + 7) / 8, number = group * groups + s;
    int odd = s & 1, alone = groups % 2 && s == groups - 1;
    /* The operation itself: every row of A is full of the row's number and 1, the pair's other half brings rows 2 and 3. */
    int8 b = l + 1 + s;
    int4 got = intel_sub_group_i8_i8_split_matrix_mad_k32((int2)(0x01010101 * (1 + 2 * odd), 0x01010101 * (2 + 2 * odd)), b, (int4)(l, s, id, 1));
    int4 column = 8 * (l + 1 + s); /* all words of B alike: their lowest bytes count */
    int4 rows = alone ? (int4)(1 + 2 * odd, 2 + 2 * odd, 0, 0) : (int4)(1, 2, 3, 4);
    WRONG(0, all(got == rows * column + (int4)(l, s, id, 1)));
    /* A matrix function of one sub-group beside it. */
    int2 e = intel_sub_group_i8_i8_matrix_mad_k32((int2)(0x01010101 * (s + 1), 0x01010101 * (l == 3)), b, (int2)(s, l));
    WRONG(1, all(e == (int2)((s + 1) * column.x + s, (l + 1 + s) + l)));
    /* Ids. */
    WRONG(2, l == id % 8 && s == id / 8 && get_sub_group_size() == (uint)min(8, items - 8 * s) && get_max_sub_group_size() == 8);
    WRONG(3, get_num_sub_groups() == (uint)groups && get_enqueued_num_sub_groups() == (get_enqueued_local_size(0) + 7) / 8);
    /* Memory: a value for the sub-group, its own piece, backwards, every other one, in small vectors, by a table. */
    WRONG(4, in[number * 5] == AT(number * 5));
    WRONG(5, in[number * 40 + l] == AT(number * 40 + l) && in[number * 40 + 7 - l] == AT(number * 40 + 7 - l));
    WRONG(6, in[number * 40 + 2 * l] == AT(number * 40 + 2 * l) && in[(number * 7 + l * 13) % 1024] == AT((number * 7 + l * 13) % 1024));
    int4 four = vload4(number * 10 + l, in), three = (int4)(vload3(l, in + number * 33), 0);
    WRONG(7, four.x == AT(number * 40 + 4 * l) && four.w == AT(number * 40 + 4 * l + 3) && three.z == AT(number * 33 + 3 * l + 2));
    global const char *bytes = (global const char *)in;
    WRONG(8, bytes[number * 9 + l] == (char)(AT((number * 9 + l) / 4) >> (number * 9 + l) % 4 * 8));
    /* Blocks, and a pointer that moves on by another distance in each sub-group. */
    uint8 block = intel_sub_group_block_read8((global const uint *)in + number * 64);
    WRONG(9, block.s0 == (uint)AT(number * 64 + l) && block.s7 == (uint)AT(number * 64 + 56 + l));
    intel_sub_group_block_write8(out + number * 64, block + 7);
    global const int *p = in + l;
    for (int i = 0; i < 3; i++, p += s + 8)
        WRONG(10, *p == AT(l + i * (s + 8)));
    /* As many rounds as the sub-group's number. */
    int sum = 0;
    for (int i = 0; i < s; i++)
        sum += in[i * 8 + l] + (i & 1 ? s : l);
    for (int i = 0; i < s; i++)
        sum -= AT(i * 8 + l) + (i & 1 ? s : l);
    WRONG(11, sum == 0);
    /* One of the two goes its own way. */
    if (odd) {
        WRONG(12, sub_group_reduce_add(l + s) == 28 + 8 * s && sub_group_broadcast(s * 10 + l, 2) == s * 10 + 2);
        WRONG(13, in[s * 3] == AT(s * 3) && in[s * 8 + l] == AT(s * 8 + l));
    } else {
        WRONG(14, sub_group_scan_inclusive_add(s) == (l + 1) * s && sub_group_any(l == 7) && !sub_group_any(l > 7));
    }
    /* Local and private memory, structs, and the whole work-group. */
    shared[id] = s * 100 + l;
    barrier(CLK_LOCAL_MEM_FENCE);
    WRONG(15, shared[(id + 8) % items] == (id + 8) % items / 8 * 100 + (id + 8) % items % 8 && shared[s * 8] == s * 100);
    int own[16];
    for (int i = 0; i < 16; i++)
        own[i] = i * s + l;
    WRONG(16, own[(s + l) & 15] == ((s + l) & 15) * s + l && own[s & 15] == (s & 15) * s + l);
    mixed m = {s, (float)l}, other = {l, (float)s};
    m = odd ? other : m;
    WRONG(17, m.x == (odd ? l : s) && m.y == (float)(odd ? s : l));
    WRONG(18, work_group_reduce_add(s + 1) == (int)(4 * groups * (groups + 1)) && work_group_scan_inclusive_add(1) == id + 1);
    WRONG(19, work_group_broadcast(s, 17) == 2 && work_group_all(l < 8) && work_group_any(s == groups - 1));
    result[get_global_id(0)] = wrong;
}
