// SPDX-License-Identifier: Apache-2.0
// kernel: pairs
// global: 203
// local: 29
// local: 1
// buffer: ushort 1624 = (i*40503)^(i<<7)
// buffer: uchar 1218 = (i*181)^(i>>3)
// buffer: ushort 1624 = i
// buffer: uchar 1624 = i*3
// buffer: int 203 = 0
// expect: 4 = 1

/* Records of eight and six small numbers, of which some are read and written: one of two neighbours alone, none of two, the last one or not. */
struct eight {
    ushort a, b, c, d, e, f, g, h;
};
struct six {
    uchar a, b, c, d, e, f;
};
struct bytes {
    uchar a, b, c, d, e, f, g, h;
};

kernel void pairs(global const ushort *in, global const uchar *bytes, global ushort *out, global uchar *small, global int *ok)
{
    int i = get_global_id(0), good = 1;
    struct eight x = ((global const struct eight *)in)[i];
    struct six y = ((global const struct six *)bytes)[i];
    global struct eight *o = (global struct eight *)out + i;
    global struct bytes *s = (global struct bytes *)small + i;
    o->a = x.c + y.a;
    o->b = x.b * 3;
    o->d = x.g - x.a;
    if (x.c & 4) {
        o->e = x.e ^ y.c;
        o->h = y.f;
    }
    s->b = y.b + y.d;
    s->c = x.d >> 3;
    s->g = y.f;

    for (int k = 0; k < 8; k++) {
        ushort r[8], was = 8 * i + k, got = out[8 * i + k];
        for (int j = 0; j < 8; j++)
            r[j] = ((8 * i + j) * 40503) ^ ((8 * i + j) << 7);
        uchar t[6];
        for (int j = 0; j < 6; j++)
            t[j] = ((6 * i + j) * 181) ^ ((6 * i + j) >> 3);
        ushort want = k == 0   ? r[2] + t[0]
                      : k == 1 ? r[1] * 3
                      : k == 3 ? r[6] - r[0]
                      : k == 4 ? (r[2] & 4 ? r[4] ^ t[2] : was)
                      : k == 7 ? (r[2] & 4 ? t[5] : was)
                               : was;
        uchar byte = k == 1 ? t[1] + t[3] : k == 2 ? r[3] >> 3 : k == 6 ? t[5] : was * 3;
        good &= got == want && small[8 * i + k] == byte;
    }
    ok[i] = good;
}
