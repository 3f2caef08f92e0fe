// SPDX-License-Identifier: Apache-2.0
// SHA-256 of one block per work-item: sixteen words, of which the first is the work-item's number.
constant uint table[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be,
    0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa,
    0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85,
    0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3,
    0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f,
    0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

#define ROT(x, n) rotate((word)(x), (word)(32 - (n)))
#define CAT_(a, b) a##b
#define CAT(a, b) CAT_(a, b)
#if WIDTH == 1
#define AS_WORD(x) x
#else
#define AS_WORD CAT(as_uint, WIDTH)
#endif

kernel void sha256(global const uint *message, global word *digest, int count)
{
    int i = get_global_id(0);
    word w[16];
    word h[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    for (int t = 0; t < 16; t++)
        w[t] = message[t];
    w[0] = (uint)i * WIDTH + AS_WORD(LANES);
    word a = h[0], b = h[1], c = h[2], d = h[3], e = h[4], f = h[5], g = h[6], k = h[7];
    for (int t = 0; t < 64; t++) {
        if (t >= 16) {
            word x = w[(t + 1) & 15], y = w[(t + 14) & 15];
            w[t & 15] += (ROT(x, 7) ^ ROT(x, 18) ^ (x >> 3)) + w[(t + 9) & 15] + (ROT(y, 17) ^ ROT(y, 19) ^ (y >> 10));
        }
        word t1 = k + (ROT(e, 6) ^ ROT(e, 11) ^ ROT(e, 25)) + bitselect(g, f, e) + table[t] + w[t & 15];
        word t2 = (ROT(a, 2) ^ ROT(a, 13) ^ ROT(a, 22)) + bitselect(a, b, c ^ a);
        k = g, g = f, f = e, e = d + t1, d = c, c = b, b = a, a = t1 + t2;
    }
    h[0] += a, h[1] += b, h[2] += c, h[3] += d, h[4] += e, h[5] += f, h[6] += g, h[7] += k;
    for (int t = 0; t < 8; t++)
        digest[t * (count / WIDTH) + i] = h[t];
}
