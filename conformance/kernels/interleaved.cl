// SPDX-License-Identifier: Apache-2.0
// kernel: interleaved
// global: 41 6
// offset: 3 2
// local: 1 1
// local: 2 1
// local: 3 2
// local: 5 3
// local: 41 1
// buffer: int 246 = 0
// buffer: uint 256 = 0
// options: -cl-std=CL3.0 -D PART=0
// options: -cl-std=CL3.0 -D PART=1
// options: -cl-std=CL3.0 -D PART=2
// options: -cl-std=CL3.0 -D PART=3
// options: -cl-std=CL3.0 -D PART=4
// expect: 0 = 1
// expect: 1 = (i<1)*246

/* Vectors of the kernel's own in one long chain, of which the engine may run several work-items side by side, with all ways to part: before
 * anything is done, at the ends of loops, where something was found, and behind stores. Each finds the same result in another way. */
typedef uint16 vector;

/* A step: t is what x was before. */
#define STEP(x, y, t, k) (y += x ^ (k), y = (y << 11 | y >> 21) + (t ^ (x << 3)), t ^= x, x = (x ^ y) + (t << 7 | t >> 25))

vector first(uint id)
{
    return (vector)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15) * 77777u + id;
}

/* The same with the elements in the other order, and a number of rounds that is computed. */
bool is_chain(vector v, uint id, uint rounds)
{
    vector x = first(id).sfedcba9876543210, y = x * 3u, t = x ^ id;
    for (uint k = 0; k < rounds; k++)
        STEP(x, y, t, k);
    return all(v.sfedcba9876543210 == x + y + t);
}

kernel void interleaved(global int *ok, global uint *count)
{
    const uint column = get_global_id(0) - 3, row = get_global_id(1) - 2, id = row * 41 + column;
#if PART == 0 /* they part before anything is done; and at the end of a loop, behind which they go on together */
    if (id % 5 == 3) {
        ok[id] = 1;
        atomic_inc(count);
        return;
    }
    vector x = first(id), y = x * 3u, t = x ^ id;
    uint rounds = 0;
    for (; rounds < 9 + id % 3; rounds++)
        STEP(x, y, t, rounds);
    uint inner = 0;
    for (uint k = 0; k < 3; k++) {
        for (uint m = 0; m < k + (id & 2); m++, inner++)
            STEP(x, y, t, rounds + inner);
        if (column == 7)
            break;
    }
    uint expected = (column == 7 ? 0 : 3) + (id & 2) * (column == 7 ? 1 : 3);
    ok[id] = inner == expected && is_chain(x + y + t, id, rounds + inner);
    atomic_inc(count);
#elif PART == 1 /* what is found is told, by several of those that run together, in any round */
    vector x = first(id), y = x * 3u, t = x ^ id, wanted = first(id);
    uint at = id % 7, found = 0;
    for (uint k = 0; k < at; k++) {
        vector z = wanted * 3u, u = wanted;
        STEP(wanted, z, u, 0);
    }
    vector w = first(id);
    for (uint k = 0; k < 7; k++) {
        if (id % 3 == 0 && any(w == wanted) && k == at)
            atomic_add(&count[1 + k], 0), found += atomic_add(&count[0], 1) < 1000;
        vector z = w * 3u, u = w;
        STEP(w, z, u, 0);
        STEP(x, y, t, k);
    }
    if (id % 3)
        atomic_inc(count);
    ok[id] = is_chain(x + y + t, id, 7) && found == (id % 3 == 0);
#elif PART == 2 /* stores come before */
    vector x = first(id), y = x * 3u, t = x ^ id;
    for (uint k = 0; k < 20; k++) {
        STEP(x, y, t, k);
        ok[id] += k;
        if ((id >> 1 & 15) == k)
            ok[id] += atomic_add(count + 1, 0);
        if (((id ^ k) & 7) == 7)
            ok[id] -= k;
        else
            ok[id] += id - k - id;
    }
    ok[id] = ok[id] == 0 && is_chain(x + y + t, id, 20);
    atomic_inc(count);
#elif PART == 3 /* ids, and a private array that is filled one way or the other */
    uint parts[8];
    size_t group = get_group_id(0), local_id = get_local_id(0), size = get_enqueued_local_size(0);
    bool good = group * size + local_id == column && get_group_id(1) * get_enqueued_local_size(1) + get_local_id(1) == row &&
                local_id + get_local_id(1) * get_local_size(0) == get_local_linear_id() && local_id < get_local_size(0);
    for (uint p = 0; p < 8; p++)
        parts[p] = id & 1 ? p : 7 - p;
    for (uint p = 0; p < id % 8; p++)
        parts[(id + p) % 8] ^= 8;
    vector x = first(id), y = x * 3u, t = x ^ id;
    uint sum = 0;
    for (uint k = 0; k < 16; k++) {
        STEP(x, y, t, k);
        sum += parts[(k * (uint)get_local_size(0) + id) % 8] & 8;
        good = good && parts[k % 8] % 8 == (id & 1 ? k % 8 : 7 - k % 8);
    }
    for (uint k = 0; k < 16; k++)
        sum -= (((k * (uint)get_local_size(0) + id) % 8 - id) % 8 < id % 8) << 3;
    ok[id] = good && sum == 0 && is_chain(x + y + t, id, 16);
    atomic_inc(count);
#else /* a loop that each leaves by its own vectors, in one that all leave together; what the loop has counted is needed behind it */
    uint total = 0, expected = 0;
    vector x = first(id), y = x * 3u, t = x ^ id;
    for (uint k = 0; k < 4; k++) {
        uint rounds = 0;
        do
            STEP(x, y, t, rounds);
        while (++rounds < 40 && all((x & 63u) != k));
        total += rounds;
        if (k == 2 && (id & 1))
            continue;
        total ^= k << 8;
    }
    vector p = first(id).sfedcba9876543210, q = p * 3u, r = p ^ id;
    for (uint k = 0; k < 4; k++) {
        uint rounds = 0;
        for (uint fixed = 0; fixed < 40; fixed++) {
            vector p0 = p, q0 = q, r0 = r;
            STEP(p, q, r, fixed);
            bool goes_on = rounds == fixed;
            rounds += goes_on;
            p = goes_on ? p : p0, q = goes_on ? q : q0, r = goes_on ? r : r0;
            rounds += goes_on && any((p & 63u) == k) ? 64 : 0;
        }
        expected += rounds & 63;
        if (k != 2 || !(id & 1))
            expected ^= k << 8;
    }
    ok[id] = total == expected && all(x.sfedcba9876543210 == p);
    atomic_inc(count);
#endif
}
