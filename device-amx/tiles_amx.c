/* SPDX-License-Identifier: Apache-2.0
 * Products in AMX's tile registers, for loops that the device runs. The registers have 16 rows of 64 bytes each, as the launch of a kernel
 * with TSR_KERNEL_AMX_TILES and whole tiles configures them; generated code keeps nothing in them where it calls. */
#include "device-amx/tiles_square.h"

enum { LINE = TSR_TILE_ROW_BYTES };

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

#define BLOCKS(name, multiply)                                                                                                             \
    AMX static void name##_square(const struct tsr__tile_square *x)                                                                        \
    {                                                                                                                                      \
        name##_square_inline(x);                                                                                                           \
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
TSR__TILE_PRODUCTS(BLOCKS)

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
