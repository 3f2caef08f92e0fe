// SPDX-License-Identifier: Apache-2.0
// kernel: blocks
// global: 64
// local: 64
// needs: cl_intel_subgroups_long
// needs: __opencl_c_read_write_images
// options: -cl-std=CL3.0 -DW=8 -DT=uchar -DF=_uc -DWIDE
// options: -cl-std=CL3.0 -DW=16 -DT=uchar -DF=_uc -DWIDE
// options: -cl-std=CL3.0 -DW=32 -DT=uchar -DF=_uc -DWIDE
// options: -cl-std=CL3.0 -DW=8 -DT=ushort -DF=_us -DWIDE
// options: -cl-std=CL3.0 -DW=32 -DT=ushort -DF=_us -DWIDE
// options: -cl-std=CL3.0 -DW=8 -DT=uint -DF=
// options: -cl-std=CL3.0 -DW=16 -DT=uint -DF=_ui
// options: -cl-std=CL3.0 -DW=32 -DT=uint -DF=
// options: -cl-std=CL3.0 -DW=8 -DT=ulong -DF=_ul
// options: -cl-std=CL3.0 -DW=16 -DT=ulong -DF=_ul
// image: 2d RGBA uint8 80 19 1 = i*37%256
// image: 2d R uint8 301 19 1 = i*41%256
// image: 2d RGBA uint32 20 19 1 = i*2654435761%4294967296
// image: 2d RGBA uint8 80 19 1 = i*37%256
// buffer: int 64 = 0
// expect: 4 = 0

/* Blocks of images of every number of rows, within the image, over its edges and far outside, against pixels that are read one by one. */
#define CAT3_(a, b, c) a##b##c
#define CAT3(a, b, c) CAT3_(a, b, c)
#define READ(N, image, at) CAT3(intel_sub_group_block_read, F, N)(image, at)
#define WRITE(N, image, at, v) CAT3(intel_sub_group_block_write, F, N)(image, at, v)

/* A byte of the nearest pixel; a pixel has 1 << pixel bytes, a channel 1 << channel. */
uint byte_of(read_only image2d_t image, int pixel, int channel, int x, int y)
{
    int b = x & ((1 << pixel) - 1);
    int2 at = (int2)(clamp(x >> pixel, 0, get_image_width(image) - 1), clamp(y, 0, get_image_height(image) - 1));
    uint4 colour = read_imageui(image, at);
    uint channels[4] = {colour.x, colour.y, colour.z, colour.w};
    return channels[b >> channel] >> 8 * (b & ((1 << channel) - 1)) & 255;
}

T word_of(read_only image2d_t image, int pixel, int channel, int x, int y)
{
    T word = 0;
    for (int b = 0; b < (int)sizeof(T); b++)
        word |= (T)((T)byte_of(image, pixel, channel, x + b, y) << 8 * b);
    return word;
}

#define SAME(i, vi) wrong |= vi != word_of(image, pixel, channel, at.x + l * (int)sizeof(T), at.y + i);
#define EACH_1(M) M(0, v)
#define EACH_2(M) M(0, v.s0) M(1, v.s1)
#define EACH_4(M) EACH_2(M) M(2, v.s2) M(3, v.s3)
#define EACH_8(M) EACH_4(M) M(4, v.s4) M(5, v.s5) M(6, v.s6) M(7, v.s7)
#define EACH_16(M) EACH_8(M) M(8, v.s8) M(9, v.s9) M(10, v.sa) M(11, v.sb) M(12, v.sc) M(13, v.sd) M(14, v.se) M(15, v.sf)
#define CHECK_READ(N, EACH)                                                                                                                \
    {                                                                                                                                      \
        CAT3(T, N, ) v = READ(N, image, at);                                                                                               \
        EACH(SAME)                                                                                                                         \
    }

int reads(read_only image2d_t image, int pixel, int channel, int2 at)
{
    int l = (int)get_sub_group_local_id(), wrong = 0;
    CHECK_READ(, EACH_1)
    CHECK_READ(2, EACH_2)
    CHECK_READ(4, EACH_4)
    CHECK_READ(8, EACH_8)
#ifdef WIDE
    CHECK_READ(16, EACH_16)
#endif
    return wrong;
}

/* What the first sub-group writes, and that all else stays; then all is as it was. */
#define MARK(x, y) ((uint)((x) * 7 + (y) * 31 + 5) & 255)
T marked(int x, int y)
{
    T word = 0;
    for (int b = 0; b < (int)sizeof(T); b++)
        word |= (T)((T)MARK(x + b, y) << 8 * b);
    return word;
}
#define SET(i, vi) vi = marked(at.x + l * (int)sizeof(T), at.y + i);
#define CHECK_WRITE(N, EACH, rows)                                                                                                         \
    if (get_sub_group_id() == 0) {                                                                                                         \
        CAT3(T, N, ) v;                                                                                                                    \
        EACH(SET)                                                                                                                          \
        WRITE(N, image, at, v);                                                                                                            \
    }                                                                                                                                      \
    barrier(CLK_IMAGE_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);                                                                                   \
    wrong |= written(image, before, at, rows);                                                                                             \
    barrier(CLK_IMAGE_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);

int written(read_write image2d_t image, read_only image2d_t before, int2 at, int rows)
{
    int wrong = 0;
    for (int p = (int)get_local_id(0); p < 80 * 19; p += 64) {
        int2 place = (int2)(p % 80, p / 80);
        uint4 now = read_imageui(image, place), then = read_imageui(before, place);
        uint has[4] = {now.x, now.y, now.z, now.w}, had[4] = {then.x, then.y, then.z, then.w};
        for (int c = 0; c < 4; c++) {
            int x = place.x * 4 + c, y = place.y;
            bool in = x >= at.x && x < at.x + W * (int)sizeof(T) && y >= at.y && y < at.y + rows;
            wrong |= has[c] != (in ? MARK(x, y) : had[c]);
        }
        write_imageui(image, place, then);
    }
    return wrong;
}

int writes(read_write image2d_t image, read_only image2d_t before, int2 at)
{
    int l = (int)get_sub_group_local_id(), wrong = 0;
    CHECK_WRITE(, EACH_1, 1)
    CHECK_WRITE(2, EACH_2, 2)
    CHECK_WRITE(4, EACH_4, 4)
    CHECK_WRITE(8, EACH_8, 8)
#ifdef WIDE
    CHECK_WRITE(16, EACH_16, 16)
#endif
    return wrong;
}

constant int2 places[] = {(int2)(0, 0), (int2)(8, 2), (int2)(-12, -3), (int2)(312, 17), (int2)(-100000, -100000), (int2)(100000, 100000),
                          (int2)(INT_MAX - 3, INT_MIN), (int2)(INT_MIN, INT_MAX), (int2)(64, 10)};

__attribute__((intel_reqd_sub_group_size(W))) kernel void blocks(read_only image2d_t bytes, read_only image2d_t narrow,
                                                                 read_only image2d_t wide, read_write image2d_t changed, global int *result)
{
    int wrong = 0;
    for (int i = 0; i < 9; i++) {
        int2 at = places[i];
        wrong |= writes(changed, bytes, at);
        if (i < 6 || i == 8) {
            at += (int2)((int)get_sub_group_id() * 3, (int)get_sub_group_id());
            wrong |= reads(bytes, 2, 0, at) << 1 | reads(narrow, 0, 0, at) << 2 | reads(wide, 4, 2, at) << 3;
        }
    }
    result[get_local_id(0)] = wrong;
}
