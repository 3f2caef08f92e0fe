/* SPDX-License-Identifier: Apache-2.0
 * Blocks of images (cl_intel_subgroups with its char, short and long forms): work-item i of a sub-group reads or writes word i of a row from
 * a place in bytes on, and the next rows below that. Bytes go as they are. What lies outside is read from the edge's pixel and not written,
 * byte by byte, whatever the size of a pixel. */
#include "collective.h"
#include "image_types.h"

/* Words need no alignment. */
#define PLACE(T) typedef T __attribute__((aligned(1))) placed_##T;
PLACE(uchar)
PLACE(ushort)
PLACE(uint)
PLACE(ulong)

enum { MOST_ROWS = 16, MOST_BYTES = 32 * sizeof(ulong) }; /* of a block; a multiple of a pixel */

/* This work-item's first word: the address where the whole block is in the image, else the byte and the row. */
struct block {
    bool inside;
    global uchar *first;
    int x, y;
};

/* `at` is the same in every work-item of the sub-group. Places far away become near ones at the same byte of a pixel, so that sums do not
 * overflow. */
INLINE struct block block_at(image_desc image, int2 at, int rows, int bytes)
{
    int2 same = __builtin_astype((ulong)__tsr_same_global((const global void *)__builtin_astype(at, ulong)), int2);
    image_level level = &image->level[0];
    int row = (int)(level->width << image->pixel_shift), height = (int)level->height, x = same.x, y = between(same.y, -MOST_ROWS, height);
    x = x < -MOST_BYTES ? x % 16 - MOST_BYTES : x;
    x = x > row ? row + x % 16 : x;
    bool inside = x >= 0 && y >= 0 && x + (int)__tsr_max_sub_group_size() * bytes <= row && y + rows <= height;
    global uchar *first = (global uchar *)(level->pixels + (ulong)(uint)y * level->row_pitch + (ulong)(uint)x);
    uint lane = __tsr_lane() * (uint)bytes;
    return (struct block){inside, first + lane, x + (int)lane, y};
}

#define EDGE(T)                                                                                                                            \
    static __attribute__((cold, noinline, pure)) T edge_##T(image_desc image, int x, int y)                                                \
    {                                                                                                                                      \
        image_level level = &image->level[0];                                                                                              \
        uint pixel_bytes = image->pixel_bytes;                                                                                             \
        const global uchar *row =                                                                                                          \
            (const global uchar *)(level->pixels + (ulong)(uint)between(y, 0, (int)level->height - 1) * level->row_pitch);                 \
        T word = 0;                                                                                                                        \
        for (uint b = 0; b < sizeof(T); b++) {                                                                                             \
            int at = x + (int)b, pixel = between(at >> image->pixel_shift, 0, (int)level->width - 1);                                      \
            word |= (T)((T)row[(uint)pixel * pixel_bytes + ((uint)at & (pixel_bytes - 1))] << 8 * b);                                      \
        }                                                                                                                                  \
        return word;                                                                                                                       \
    }                                                                                                                                      \
    static __attribute__((cold, noinline)) void store_edge_##T(image_desc image, int x, int y, T word)                                     \
    {                                                                                                                                      \
        image_level level = &image->level[0];                                                                                              \
        int end = (int)(level->width << image->pixel_shift);                                                                               \
        bool within = y >= 0 && y < (int)level->height;                                                                                    \
        global uchar *row = (global uchar *)(level->pixels + (ulong)(uint)y * level->row_pitch);                                           \
        for (uint b = 0; b < sizeof(T); b++) {                                                                                             \
            int at = x + (int)b;                                                                                                           \
            if (within && at >= 0 && at < end)                                                                                             \
                row[at] = (uchar)(word >> 8 * b);                                                                                          \
        }                                                                                                                                  \
    }
EDGE(uchar)
EDGE(ushort)
EDGE(uint)
EDGE(ulong)

/* Component i of a block of N rows. */
#define OF_(r, i) r
#define OF_2(r, i) (r)[i]
#define OF_4(r, i) (r)[i]
#define OF_8(r, i) (r)[i]
#define OF_16(r, i) (r)[i]
#define ROWS_ 1
#define ROWS_2 2
#define ROWS_4 4
#define ROWS_8 8
#define ROWS_16 16

#define READ(access, N, T, suffix)                                                                                                         \
    T##N CONVERGENT intel_sub_group_block_read##suffix##N(access image2d_t image, int2 at)                                                 \
    {                                                                                                                                      \
        image_desc desc = __tsr_image_descriptor(image);                                                                                   \
        struct block block = block_at(desc, at, ROWS_##N, sizeof(T));                                                                      \
        ulong pitch = desc->level[0].row_pitch;                                                                                            \
        T##N r;                                                                                                                            \
        if (block.inside)                                                                                                                  \
            _Pragma("unroll") for (int i = 0; i < ROWS_##N; i++) OF_##N(r, i) = *(const global placed_##T *)(block.first + i * pitch);     \
        else                                                                                                                               \
            _Pragma("unroll") for (int i = 0; i < ROWS_##N; i++) OF_##N(r, i) = edge_##T(desc, block.x, block.y + i);                      \
        return r;                                                                                                                          \
    }
#define WRITE(access, N, T, suffix)                                                                                                        \
    void CONVERGENT intel_sub_group_block_write##suffix##N(access image2d_t image, int2 at, T##N x)                                        \
    {                                                                                                                                      \
        image_desc desc = __tsr_image_descriptor(image);                                                                                   \
        struct block block = block_at(desc, at, ROWS_##N, sizeof(T));                                                                      \
        ulong pitch = desc->level[0].row_pitch;                                                                                            \
        if (block.inside)                                                                                                                  \
            _Pragma("unroll") for (int i = 0; i < ROWS_##N; i++) *(global placed_##T *)(block.first + i * pitch) = OF_##N(x, i);           \
        else                                                                                                                               \
            _Pragma("unroll") for (int i = 0; i < ROWS_##N; i++) store_edge_##T(desc, block.x, block.y + i, OF_##N(x, i));                 \
    }
#define EACH_OF(M, access, T, suffix) M(access, , T, suffix) M(access, 2, T, suffix) M(access, 4, T, suffix) M(access, 8, T, suffix)
#define EACH(M, access)                                                                                                                    \
    EACH_OF(M, access, uint, )                                                                                                             \
    EACH_OF(M, access, uint, _ui)                                                                                                          \
    EACH_OF(M, access, ushort, _us)                                                                                                        \
    M(access, 16, ushort, _us)                                                                                                             \
    EACH_OF(M, access, uchar, _uc)                                                                                                         \
    M(access, 16, uchar, _uc)                                                                                                              \
    EACH_OF(M, access, ulong, _ul)
EACH(READ, read_only)
EACH(READ, read_write)
EACH(WRITE, write_only)
EACH(WRITE, read_write)
