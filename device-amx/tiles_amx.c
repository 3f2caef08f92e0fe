/* SPDX-License-Identifier: Apache-2.0
 * Products in AMX's tile registers, for loops that the device runs. The registers have 16 rows of 64 bytes each, as the launch of a kernel
 * with TSR_KERNEL_AMX_TILES and whole tiles configures them; generated code keeps nothing in them where it calls. */
#include <immintrin.h>

#include "device-amx/tiles.h"

#define AMX __attribute__((target("amx-tile,amx-int8,amx-bf16,amx-fp16")))

enum {
    LINE = TSR_TILE_ROW_BYTES,
    AHEAD = 2, /* steps that B is fetched before it is needed */
};

/* Two tiles by two of a loop's accumulators. */
struct quarter {
    const char *a, *b;
    bool down, right;       /* there is a second one */
    int64_t a_next, b_next; /* to it; else 0 */
    char *c[4], *to[4];
    int64_t to_stride;
};

static struct quarter quarter_of(const struct tsr_tile_loop *x, int64_t i, int64_t j)
{
    const bool down = i + 1 < x->rows, right = j + 1 < x->columns;
    struct quarter q = {.a = x->a + i * x->a_next,
                        .b = x->b + j * x->b_next,
                        .down = down,
                        .right = right,
                        .a_next = down ? x->a_next : 0,
                        .b_next = right ? x->b_next : 0,
                        .to_stride = x->to ? x->to_stride : LINE};
    for (int64_t k = 0; k < 4; k++) {
        int64_t row = i + k / 2 * down, column = j + k % 2 * right;
        q.c[k] = x->c[row * x->columns + column];
        q.to[k] = x->to ? x->to + row * TSR_TILE_ROWS * x->to_stride + column * LINE : q.c[k];
    }
    return q;
}

AMX INLINE void zero_sums(void)
{
    _tile_zero(0);
    _tile_zero(1);
    _tile_zero(2);
    _tile_zero(3);
}

/* Fetches two tiles beside each other into the second cache. */
INLINE void fetch_tiles(const char *from, int64_t stride)
{
    for (unsigned r = 0; r < TSR_TILE_ROWS; r++, from += stride) {
        _mm_prefetch(from, _MM_HINT_T1);
        _mm_prefetch(from + LINE, _MM_HINT_T1);
    }
}

/* B comes past the first cache, where A is to stay. */
#define BLOCKS(name, multiply)                                                                                                             \
    AMX static void name##_square(const struct tsr__tile_square *x)                                                                        \
    {                                                                                                                                      \
        const char *a = x->a, *b = x->b;                                                                                                   \
        const int64_t a_stride = x->a_stride, b_stride = x->b_stride, b_step = TSR_TILE_ROWS * b_stride;                                   \
        const bool down = x->rows > 1;                                                                                                     \
        if (x->zero) {                                                                                                                     \
            zero_sums();                                                                                                                   \
        } else {                                                                                                                           \
            _tile_loadd(0, x->from[0][0].at, x->from[0][0].stride);                                                                        \
            _tile_loadd(1, x->from[0][1].at, x->from[0][1].stride);                                                                        \
            if (down) {                                                                                                                    \
                _tile_loadd(2, x->from[1][0].at, x->from[1][0].stride);                                                                    \
                _tile_loadd(3, x->from[1][1].at, x->from[1][1].stride);                                                                    \
            }                                                                                                                              \
        }                                                                                                                                  \
        _tile_stream_loadd(6, b, b_stride);                                                                                                \
        for (int64_t left = x->steps; left; left--, a += x->a_step) {                                                                      \
            _tile_loadd(4, a, a_stride);                                                                                                   \
            _tile_stream_loadd(7, b + LINE, b_stride);                                                                                     \
            multiply(0, 4, 6);                                                                                                             \
            if (down)                                                                                                                      \
                _tile_loadd(5, a + x->a_next, a_stride);                                                                                   \
            multiply(1, 4, 7);                                                                                                             \
            if (down)                                                                                                                      \
                multiply(2, 5, 6);                                                                                                         \
            if (x->b_in_place)                                                                                                             \
                fetch_tiles(b + AHEAD * b_step, b_stride);                                                                                 \
            b += b_step;                                                                                                                   \
            if (left > 1)                                                                                                                  \
                _tile_stream_loadd(6, b, b_stride);                                                                                        \
            if (down)                                                                                                                      \
                multiply(3, 5, 7);                                                                                                         \
        }                                                                                                                                  \
        _tile_stored(0, x->to[0][0].at, x->to[0][0].stride);                                                                               \
        _tile_stored(1, x->to[0][1].at, x->to[0][1].stride);                                                                               \
        if (down) {                                                                                                                        \
            _tile_stored(2, x->to[1][0].at, x->to[1][0].stride);                                                                           \
            _tile_stored(3, x->to[1][1].at, x->to[1][1].stride);                                                                           \
        }                                                                                                                                  \
    }                                                                                                                                      \
    /* Tiles in rows i and i + 1, columns j and j + 1 of a loop; the last one in place of one behind it. */                                \
    AMX static void name##_in_place(const struct tsr_tile_loop *x, int64_t i, int64_t j)                                                   \
    {                                                                                                                                      \
        const struct quarter q = quarter_of(x, i, j);                                                                                      \
        const char *a = q.a, *b = q.b;                                                                                                     \
        if (x->zero) {                                                                                                                     \
            zero_sums();                                                                                                                   \
        } else {                                                                                                                           \
            _tile_loadd(0, q.c[0], LINE);                                                                                                  \
            _tile_loadd(1, q.c[1], LINE);                                                                                                  \
            _tile_loadd(2, q.c[2], LINE);                                                                                                  \
            _tile_loadd(3, q.c[3], LINE);                                                                                                  \
        }                                                                                                                                  \
        for (int64_t step = 0; step < x->steps; step++, a += x->a_step, b += x->b_step) {                                                  \
            _tile_loadd(6, b, x->b_stride);                                                                                                \
            _tile_loadd(4, a, x->a_stride);                                                                                                \
            multiply(0, 4, 6);                                                                                                             \
            _tile_loadd(7, b + q.b_next, x->b_stride);                                                                                     \
            multiply(1, 4, 7);                                                                                                             \
            _tile_loadd(5, a + q.a_next, x->a_stride);                                                                                     \
            multiply(2, 5, 6);                                                                                                             \
            multiply(3, 5, 7);                                                                                                             \
        }                                                                                                                                  \
        _tile_stored(0, q.to[0], q.to_stride);                                                                                             \
        if (q.right)                                                                                                                       \
            _tile_stored(1, q.to[1], q.to_stride);                                                                                         \
        if (q.down)                                                                                                                        \
            _tile_stored(2, q.to[2], q.to_stride);                                                                                         \
        if (q.down && q.right)                                                                                                             \
            _tile_stored(3, q.to[3], q.to_stride);                                                                                         \
    }                                                                                                                                      \
    AMX static void name##_one(void *c, const void *a, const void *b)                                                                      \
    {                                                                                                                                      \
        _tile_loadd(0, c, LINE);                                                                                                           \
        _tile_loadd(4, a, LINE);                                                                                                           \
        _tile_loadd(6, b, LINE);                                                                                                           \
        multiply(0, 4, 6);                                                                                                                 \
        _tile_stored(0, c, LINE);                                                                                                          \
    }
BLOCKS(s8s8, _tile_dpbssd)
BLOCKS(s8u8, _tile_dpbsud)
BLOCKS(u8s8, _tile_dpbusd)
BLOCKS(u8u8, _tile_dpbuud)
BLOCKS(bf16, _tile_dpbf16ps)
BLOCKS(f16, _tile_dpfp16ps)

static const struct {
    void (*square)(const struct tsr__tile_square *);
    void (*one)(void *c, const void *a, const void *b);
    void (*in_place)(const struct tsr_tile_loop *x, int64_t i, int64_t j);
} of_product[] = {
#define ROW(name) {name##_square, name##_one, name##_in_place}
    [TSR_TILE_S8S8] = ROW(s8s8), [TSR_TILE_S8U8] = ROW(s8u8), [TSR_TILE_U8S8] = ROW(u8s8),
    [TSR_TILE_U8U8] = ROW(u8u8), [TSR_TILE_BF16] = ROW(bf16), [TSR_TILE_F16] = ROW(f16),
#undef ROW
};

void tsr__tile_square_amx(const struct tsr__tile_square *square, enum tsr_tile_product product)
{
    of_product[product].square(square);
}

void tsr__tile_loop_amx(const struct tsr_tile_loop *x)
{
    for (int64_t i = 0; i < x->rows; i += 2)
        for (int64_t j = 0; j < x->columns; j += 2)
            of_product[x->how & TSR_TILE_PRODUCT].in_place(x, i, j);
}

void tsr__tile_multiply_amx(void *accumulator, const void *a, const void *b, enum tsr_tile_product product)
{
    of_product[product].one(accumulator, a, b);
}
