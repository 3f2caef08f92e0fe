/* SPDX-License-Identifier: Apache-2.0
 * Hashes. The references are written from the definitions, with tables that are computed. */
#include <math.h>

#include "suite.h"

static uint32_t left(uint32_t x, int n)
{
    return x << n | x >> (32 - n);
}
static uint32_t right(uint32_t x, int n)
{
    return x >> n | x << (32 - n);
}

/* The first 32 bits of the fraction of a root of the i-th prime. */
static uint32_t root_of_prime(int i, bool cube)
{
    int prime = 1;
    for (int found = -1; found < i; found++) {
        bool is_prime;
        do {
            prime++;
            is_prime = true;
            for (int d = 2; d * d <= prime; d++)
                is_prime = is_prime && prime % d;
        } while (!is_prime);
    }
    long double root = cube ? cbrtl(prime) : sqrtl(prime);
    return (uint32_t)((root - floorl(root)) * 4294967296.0L);
}

static void sha256_block(const uint32_t *message, const uint32_t *k, const uint32_t *initial, uint32_t *digest)
{
    uint32_t w[64], s[8];
    for (int t = 0; t < 64; t++)
        w[t] = t < 16 ? message[t]
                      : (right(w[t - 2], 17) ^ right(w[t - 2], 19) ^ w[t - 2] >> 10) + w[t - 7] +
                            (right(w[t - 15], 7) ^ right(w[t - 15], 18) ^ w[t - 15] >> 3) + w[t - 16];
    for (int i = 0; i < 8; i++)
        s[i] = initial[i];
    for (int t = 0; t < 64; t++) {
        uint32_t t1 = s[7] + (right(s[4], 6) ^ right(s[4], 11) ^ right(s[4], 25)) + ((s[4] & s[5]) ^ (~s[4] & s[6])) + k[t] + w[t];
        uint32_t t2 = (right(s[0], 2) ^ right(s[0], 13) ^ right(s[0], 22)) + ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
        for (int i = 7; i > 0; i--)
            s[i] = s[i - 1];
        s[4] += t1;
        s[0] = t1 + t2;
    }
    for (int i = 0; i < 8; i++)
        digest[i] = initial[i] + s[i];
}

void suite_case_sha256(struct suite_case *c)
{
    size_t n = c->quick ? 512 : 1 << 16, all = n * suite_times(c, 8);
    uint32_t *message = suite_alloc(64), *expected = suite_alloc(n * 32), k[64], initial[8], digest[8], block[16];
    for (int i = 0; i < 64; i++)
        k[i] = root_of_prime(i, true);
    for (int i = 0; i < 8; i++)
        initial[i] = root_of_prime(i, false);
    for (int i = 0; i < 16; i++)
        block[i] = message[i] = suite_random();
    for (size_t i = 0; i < n; i++) {
        block[0] = (uint32_t)i;
        sha256_block(block, k, initial, digest);
        for (size_t t = 0; t < 8; t++)
            expected[t * n + i] = digest[t];
    }
    int out = suite_output(c, all * 32);
    suite_launch(c, "sha256", 1, SUITE_SIZE(all), SUITE_SIZE(128), "bbi", suite_input(c, message, 64), out, (int)all);
    suite_expect_bytes(c, out, expected, all == n ? n * 32 : n * 4, 0); /* the first words of all digests come first */
}

static void md5_block(const uint32_t *message, uint32_t *state)
{
    static const int shifts[4][4] = {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};
    static const uint32_t initial[4] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
    uint32_t a = initial[0], b = initial[1], c = initial[2], d = initial[3];
    for (int i = 0; i < 64; i++) {
        int round = i / 16, word = round == 0 ? i : round == 1 ? (5 * i + 1) % 16 : round == 2 ? (3 * i + 5) % 16 : 7 * i % 16;
        uint32_t f = round == 0 ? (b & c) | (~b & d) : round == 1 ? (d & b) | (~d & c) : round == 2 ? b ^ c ^ d : c ^ (b | ~d);
        uint32_t sum = a + f + message[word] + (uint32_t)(fabs(sin(i + 1)) * 4294967296.0);
        a = d;
        d = c;
        c = b;
        b += left(sum, shifts[round][i % 4]);
    }
    state[0] = a + initial[0];
    state[1] = b + initial[1];
    state[2] = c + initial[2];
    state[3] = d + initial[3];
}

void suite_case_md5(struct suite_case *c)
{
    size_t n = (c->quick ? 2048 : 1 << 20) * suite_times(c, 1);
    uint32_t first = 12345678, number = first + (uint32_t)n / 3, rest = number, message[16] = {0};
    uint32_t *target = suite_alloc(16);
    int32_t *expected = suite_alloc(8);
    for (int i = 0; i < 6; i++, rest /= 26)
        message[i / 4] |= ('a' + rest % 26) << (i % 4 * 8);
    message[1] |= 0x80u << 16;
    message[14] = 48;
    md5_block(message, target);
    expected[0] = (int32_t)number;
    expected[1] = 1;
    int found = suite_inout(c, NULL, 64), hits = suite_inout(c, NULL, 4);
    suite_launch(c, "crack", 1, SUITE_SIZE(n), SUITE_SIZE(128), "bbbi", suite_input(c, target, 16), found, hits, (int)first);
    suite_expect_bytes(c, found, &expected[0], 4, 0);
    suite_expect_bytes(c, hits, &expected[1], 4, 0);
}
