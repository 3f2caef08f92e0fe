// SPDX-License-Identifier: Apache-2.0
// A hash cracker: each work-item tries one word of six letters, and writes its number down if its MD5 is the one that is looked for.
#if WIDTH == 1
#define AS_WORD(x) (uint)(x)
#else
#define CAT_(a, b) a##b
#define CAT(a, b) CAT_(a, b)
#define AS_WORD CAT(as_uint, WIDTH)
#endif
#define ROUND(f, a, b, c, d, input, shift, sum)                                                                                            \
    a += f(b, c, d) + input + sum;                                                                                                          \
    a = b + rotate(a, (word)shift);
#define F1(x, y, z) bitselect(z, y, x)
#define F2(x, y, z) bitselect(y, x, z)
#define F3(x, y, z) ((x) ^ (y) ^ (z))
#define F4(x, y, z) ((y) ^ ((x) | ~(z)))
#define FOUR(f, w0, w1, w2, w3, s0, s1, s2, s3, k0, k1, k2, k3)                                                                            \
    ROUND(f, a, b, c, d, w0, s0, k0)                                                                                                       \
    ROUND(f, d, a, b, c, w1, s1, k1)                                                                                                       \
    ROUND(f, c, d, a, b, w2, s2, k2)                                                                                                       \
    ROUND(f, b, c, d, a, w3, s3, k3)

kernel void crack(global const uint *target, global uint *found, global int *hits, int first)
{
    word number = AS_WORD(first + (int)get_global_id(0) * WIDTH + LANES), rest = number;
    word text[2] = {0, 0x80u << 16};
    for (int i = 0; i < 6; i++) {
        text[i / 4] |= ('a' + rest % 26) << (i % 4 * 8);
        rest /= 26;
    }
    word w0 = text[0], w1 = text[1], length = 48;
    word a = 0x67452301, b = 0xefcdab89, c = 0x98badcfe, d = 0x10325476;
    FOUR(F1, w0, w1, 0, 0, 7, 12, 17, 22, 0xd76aa478u, 0xe8c7b756u, 0x242070dbu, 0xc1bdceeeu)
    FOUR(F1, 0, 0, 0, 0, 7, 12, 17, 22, 0xf57c0fafu, 0x4787c62au, 0xa8304613u, 0xfd469501u)
    FOUR(F1, 0, 0, 0, 0, 7, 12, 17, 22, 0x698098d8u, 0x8b44f7afu, 0xffff5bb1u, 0x895cd7beu)
    FOUR(F1, 0, 0, length, 0, 7, 12, 17, 22, 0x6b901122u, 0xfd987193u, 0xa679438eu, 0x49b40821u)
    FOUR(F2, w1, 0, 0, w0, 5, 9, 14, 20, 0xf61e2562u, 0xc040b340u, 0x265e5a51u, 0xe9b6c7aau)
    FOUR(F2, 0, 0, 0, 0, 5, 9, 14, 20, 0xd62f105du, 0x02441453u, 0xd8a1e681u, 0xe7d3fbc8u)
    FOUR(F2, 0, length, 0, 0, 5, 9, 14, 20, 0x21e1cde6u, 0xc33707d6u, 0xf4d50d87u, 0x455a14edu)
    FOUR(F2, 0, 0, 0, 0, 5, 9, 14, 20, 0xa9e3e905u, 0xfcefa3f8u, 0x676f02d9u, 0x8d2a4c8au)
    FOUR(F3, 0, 0, 0, length, 4, 11, 16, 23, 0xfffa3942u, 0x8771f681u, 0x6d9d6122u, 0xfde5380cu)
    FOUR(F3, w1, 0, 0, 0, 4, 11, 16, 23, 0xa4beea44u, 0x4bdecfa9u, 0xf6bb4b60u, 0xbebfbc70u)
    FOUR(F3, 0, w0, 0, 0, 4, 11, 16, 23, 0x289b7ec6u, 0xeaa127fau, 0xd4ef3085u, 0x04881d05u)
    FOUR(F3, 0, 0, 0, 0, 4, 11, 16, 23, 0xd9d4d039u, 0xe6db99e5u, 0x1fa27cf8u, 0xc4ac5665u)
    FOUR(F4, w0, 0, length, 0, 6, 10, 15, 21, 0xf4292244u, 0x432aff97u, 0xab9423a7u, 0xfc93a039u)
    FOUR(F4, 0, 0, 0, w1, 6, 10, 15, 21, 0x655b59c3u, 0x8f0ccc92u, 0xffeff47du, 0x85845dd1u)
    FOUR(F4, 0, 0, 0, 0, 6, 10, 15, 21, 0x6fa87e4fu, 0xfe2ce6e0u, 0xa3014314u, 0x4e0811a1u)
    FOUR(F4, 0, 0, 0, 0, 6, 10, 15, 21, 0xf7537e82u, 0xbd3af235u, 0x2ad7d2bbu, 0xeb86d391u)
    a += 0x67452301, b += 0xefcdab89, c += 0x98badcfe, d += 0x10325476;
#if WIDTH == 1
    if (a == target[0] && b == target[1] && c == target[2] && d == target[3])
        found[atomic_inc(hits)] = number;
#else
    whole same = a == target[0] && b == target[1] && c == target[2] && d == target[3];
    if (any(same))
        for (int i = 0; i < WIDTH; i++)
            if (((int *)&same)[i])
                found[atomic_inc(hits)] = ((uint *)&number)[i];
#endif
}
