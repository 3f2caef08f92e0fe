// SPDX-License-Identifier: Apache-2.0
// kernel: fields
// global: 1024
// buffer: ulong 1024 = i*7919*2654435761+(i<<60)
// buffer: uint 1 = 0
// expect: 1 = 0
// needs: cl_khr_extended_bit_ops

/* Fields of every place and length, of no bits and of all, in every type, bit by bit. */
#define CHECK(condition) bad += !(condition)
#define EACH(T, U, S, BITS)                                                                                                                \
    for (uint offset = 0; offset <= BITS; offset += 1 + offset % 3)                                                                        \
        for (uint count = 0; offset + count <= BITS; count += 1 + count % 5) {                                                             \
            T base = (T)x, more = (T)y, inserted = 0, wanted = (T)0;                                                                       \
            ulong field = 0;                                                                                                               \
            for (uint bit = 0; bit < BITS; bit++) {                                                                                        \
                bool in = bit >= offset && bit < offset + count;                                                                           \
                ulong b = in ? (ulong)more >> (bit - offset) & 1 : (ulong)base >> bit & 1;                                                 \
                wanted |= (T)(b << bit);                                                                                                   \
                field |= in ? ((ulong)base >> bit & 1) << (bit - offset) : 0;                                                              \
            }                                                                                                                              \
            ulong sign = count && count < 64 && (field >> (count - 1) & 1) ? ~0UL << count : 0;                                            \
            CHECK(bitfield_insert(base, more, offset, count) == wanted);                                                                   \
            CHECK(bitfield_extract_unsigned(base, offset, count) == (U)field);                                                             \
            CHECK(bitfield_extract_signed(base, offset, count) == (S)(field | sign));                                                      \
        }                                                                                                                                  \
    {                                                                                                                                      \
        T reversed = 0;                                                                                                                    \
        for (uint bit = 0; bit < BITS; bit++)                                                                                              \
            reversed |= (T)(((ulong)(T)x >> bit & 1) << (BITS - 1 - bit));                                                                 \
        CHECK(bit_reverse((T)x) == reversed);                                                                                              \
        CHECK(bit_reverse((T##2)((T)x, (T)y)).y == bit_reverse((T)y));                                                                     \
        CHECK(all(bitfield_insert((T##4)(T)x, (T##4)(T)y, 2, 3) == (T##4)bitfield_insert((T)x, (T)y, 2, 3)));                              \
    }

kernel void fields(global const ulong *in, global uint *failures)
{
    size_t i = get_global_id(0);
    ulong x = in[i], y = ~x * 5 + i;
    uint bad = 0;
    switch (i % 8) {
    case 0:
        EACH(char, uchar, char, 8)
        break;
    case 1:
        EACH(uchar, uchar, char, 8)
        break;
    case 2:
        EACH(short, ushort, short, 16)
        break;
    case 3:
        EACH(ushort, ushort, short, 16)
        break;
    case 4:
        EACH(int, uint, int, 32)
        break;
    case 5:
        EACH(uint, uint, int, 32)
        break;
    case 6:
        EACH(long, ulong, long, 64)
        break;
    case 7:
        EACH(ulong, ulong, long, 64)
        break;
    }
    if (bad)
        atomic_add(failures, bad);
}
