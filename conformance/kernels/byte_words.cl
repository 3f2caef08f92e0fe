// SPDX-License-Identifier: Apache-2.0
// kernel: words
// global: 67
// local: 67
// local: 5
// edge-buffer: char 4272 = ((i*89+i/7*13)&255^128)-128
// edge-buffer: char 1072 = 0
// edge-buffer: char 1072 = 0
// edge-buffer: char 1072 = 0
// edge-buffer: char 1072 = 0
// edge-buffer: char 1072 = 0
// edge-buffer: char 1072 = 0
// edge-buffer: char 1072 = 0
// edge-buffer: char 1072 = 0
// edge-buffer: char 1072 = 0
// edge-buffer: char 1072 = 1
// edge-buffer: char 536 = i%8
// edge-buffer: char 1072 = 0
// edge-buffer: ushort 536 = 9
// expect: 1 = (((((((i/16*64+i%16+0)*89+(i/16*64+i%16+0)/7*13)&255)&15)-8)&255)^128)-128
// expect: 2 = (((((((i/16*64+i%16+0)*89+(i/16*64+i%16+0)/7*13)&255)>>4)-8)&255)^128)-128
// expect: 3 = (((((((i/16*64+i%16+0)*89+(i/16*64+i%16+0)/7*13)&255)&15^8)-8)&255)^128)-128
// expect: 4 = ((((((i/16*64+i%16+0)*89+(i/16*64+i%16+0)/7*13)&255)+(((i/16*64+i%16+32)*89+(i/16*64+i%16+32)/7*13)&255))&255)^128)-128
// expect: 5 = ((((((i/16*64+i%16+0)*89+(i/16*64+i%16+0)/7*13)&255)-(((i/16*64+i%16+32)*89+(i/16*64+i%16+32)/7*13)&255))&255)^128)-128
// expect: 6 = ((((((i/16*64+i%16+0)*89+(i/16*64+i%16+0)/7*13)&255)&51|(((i/16*64+i%16+32)*89+(i/16*64+i%16+32)/7*13)&255)*4&204)&255)^128)-128
// expect: 7 = ((((((i/16*64+i%16+0)*89+(i/16*64+i%16+0)/7*13)&255)+i%16*3)&255)^128)-128
// expect: 8 = ((((((((i/16*64+i%16+1)*89+(i/16*64+i%16+1)/7*13)&255)>>3)+(((i/16*64+i%16+17)*89+(i/16*64+i%16+17)/7*13)&255)-((((i/16*64+i%16+17)*89+(i/16*64+i%16+17)/7*13)&255)&15)-((((i/16*64+i%16+1)*89+(i/16*64+i%16+1)/7*13)&255)>>5)+((((i/16*64+i%16+1)*89+(i/16*64+i%16+1)/7*13)&255)>>7)*8)^(i%4 == 0)*(i/16))&255)^128)-128
// expect: 9 = ((((((((((i/16*64+i%16/2*2+0)*89+(i/16*64+i%16/2*2+0)/7*13)&255)+((((i/16*64+i%16/2*2+0)+1)*89+((i/16*64+i%16/2*2+0)+1)/7*13)&255)*256)&1023)-500+(((((i/16*64+i%16/2*2+16)*89+(i/16*64+i%16/2*2+16)/7*13)&255)+((((i/16*64+i%16/2*2+16)+1)*89+((i/16*64+i%16/2*2+16)+1)/7*13)&255)*256)>>9)-(((((i/16*64+i%16/2*2+16)*89+(i/16*64+i%16/2*2+16)/7*13)&255)+((((i/16*64+i%16/2*2+16)+1)*89+((i/16*64+i%16/2*2+16)+1)/7*13)&255)*256)>>15)*128)&65535)>>i%2*8)&255)^128)-128
// expect: 10 = ((((i%8 < 4)*(((((i/16*64+i%16+0)*89+(i/16*64+i%16+0)/7*13)&255)&15)-8)+(i%8 >= 4)*(((((i/16*64+i%16+4)*89+(i/16*64+i%16+4)/7*13)&255)>>4)-8))&255)^128)-128
// expect: 11 = (i%8 < 4)*(i%8)+(i%8 >= 4)*(i%8-3)+(i%8 == 0)*73
// expect: 12 = ((((i%16 < 8)*(((((i/16*64+i%16+0)*89+(i/16*64+i%16+0)/7*13)&255)^90)+(((i/16*64+i%16+8)*89+(i/16*64+i%16+8)/7*13)&255))+(i%16 >= 8)*(255-(((i/16*64+i%16+0)*89+(i/16*64+i%16+0)/7*13)&255)))&255)^128)-128
// expect: 13 = (i%8 == 2 | i%8 == 4 | i%8 == 6)*(((((i/8*64)+0)*89+((i/8*64)+0)/7*13)&255)+((((i/8*64)+1)*89+((i/8*64)+1)/7*13)&255)*256)+(i%8 == 3)*(((((i/8*64)+2)*89+((i/8*64)+2)/7*13)&255)+((((i/8*64)+3)*89+((i/8*64)+3)/7*13)&255)*256)

// Bytes, and numbers of 16 bits, that are computed one by one, or as vectors, and are words in the end.
#define BY_ONES(name, expression)                                                                                                          \
    void name(global const char *p, global int *to)                                                                                        \
    {                                                                                                                                      \
        union {                                                                                                                            \
            char byte[16];                                                                                                                 \
            int word[4];                                                                                                                   \
        } made;                                                                                                                            \
        for (int i = 0; i < 16; i++) {                                                                                                     \
            char x = p[i], y = p[i + 32];                                                                                                  \
            made.byte[i] = (char)(expression);                                                                                             \
        }                                                                                                                                  \
        for (int w = 0; w < 4; w++)                                                                                                        \
            to[w] = made.word[w];                                                                                                          \
    }
BY_ONES(lower, (x & 15) - 8)
BY_ONES(upper, ((uchar)x >> 4) - 8)
BY_ONES(signed_lower, (char)(x << 4) >> 4)
BY_ONES(sums, x + y)
BY_ONES(differences, x - y)
BY_ONES(mixed, (x & 0x33) | (y << 2 & 0xcc))
BY_ONES(numbered, x + 3 * i)

int4 vectors(global const uchar *p)
{
    const uchar16 x = vload16(0, p), y = vload16(1, p);
    return as_int4((x >> (uchar)3) + y - (y & (uchar)15) - as_uchar16(as_char16(x) >> (char)5)) ^ (int)get_global_id(0);
}

// From an address that is a multiple of two.
void shorts(global const short *s, global int *to)
{
    union {
        short number[8];
        int word[4];
    } made;
    for (int i = 0; i < 8; i++)
        made.number[i] = (short)((s[i] & 0x3ff) - 500 + (s[i + 8] >> 9));
    for (int w = 0; w < 4; w++)
        to[w] = made.word[w];
}

// Written as sums of products of two, and in two parts.
int2 halves(global const uchar *p)
{
    uchar made[8];
    for (int i = 0; i < 4; i++) {
        made[i] = (p[i] & 15) - 8;
        made[i + 4] = (p[i + 8] >> 4) - 8;
    }
    return (int2)(made[0] | made[1] << 8 | made[2] << 16 | made[3] << 24, made[7] << 24 | made[5] << 8 | made[4] | made[6] << 16);
}

void stored(global const uchar *p, global uchar *to)
{
    vstore8((vload8(0, p) ^ (uchar)90) + vload8(1, p), 0, to);
    vstore8((uchar)255 - vload8(1, p), 1, to);
}

// What is written between two loads counts; `q` is `p`.
int between(global char *p, global char *q)
{
    union {
        char byte[4];
        int word;
    } made;
    made.byte[0] = p[0] + 1;
    made.byte[1] = p[1] + 1;
    made.byte[2] = p[2] + 1;
    q[0] = 73;
    made.byte[3] = p[3] + 1;
    return made.word;
}

kernel void words(global const char *in, global int *lower_to, global int *upper_to, global int *signed_lower_to, global int *sums_to, global int *differences_to, global int *mixed_to, global int *numbered_to, global int *vectors_to, global int *shorts_to, global int *halves_to, global char *changed,
                  global uchar *stored_to, global ushort8 *shuffled)
{
    const size_t g = get_global_id(0);
    global const char *p = in + g * 64;
    lower(p, lower_to + g * 4);
    upper(p, upper_to + g * 4);
    signed_lower(p, signed_lower_to + g * 4);
    sums(p, sums_to + g * 4);
    differences(p, differences_to + g * 4);
    mixed(p, mixed_to + g * 4);
    numbered(p, numbered_to + g * 4);
    vstore4(vectors((global const uchar *)p + 1), g, vectors_to);
    shorts((global const short *)p, shorts_to + g * 4);
    vstore2(halves((global const uchar *)p), 2 * g, halves_to);
    vstore2(halves((global const uchar *)p + 8), 2 * g + 1, halves_to);
    stored((global const uchar *)p, stored_to + g * 16);
    ushort8 all = 0; // the same load begins words of two kinds
    all.S6432 = vload4(0, (global const ushort *)p).xxyx;
    shuffled[g] = all;
    *(global int *)(changed + g * 8 + 4) = between(changed + g * 8, changed + g * 8 + (g >> 20));
}
