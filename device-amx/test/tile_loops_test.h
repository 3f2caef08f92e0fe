/* SPDX-License-Identifier: Apache-2.0
 * Loops over K for tests: operands in memory that ends where nobody may touch it, and what the sums must be. */
#ifndef TSR_DEVICE_AMX_TEST_TILE_LOOPS_TEST_H
#define TSR_DEVICE_AMX_TEST_TILE_LOOPS_TEST_H

#include <sys/mman.h>

#include "tiles_test.h"

enum { PAGE = 4096 };

/* Memory that ends, or with `at_begin` begins, beside a page that nobody may touch. */
struct memory {
    char *all, *begin;
    size_t all_bytes, bytes;
};

static struct memory reserve(size_t bytes, bool at_begin)
{
    size_t pages = (bytes + PAGE - 1) / PAGE * PAGE;
    struct memory m = {.all_bytes = pages + 2 * PAGE, .bytes = bytes};
    m.all = mmap(NULL, m.all_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(m.all, MAP_FAILED);
    assert_int_equal(mprotect(m.all + PAGE, pages, PROT_READ | PROT_WRITE), 0);
    m.begin = m.all + PAGE + (at_begin ? 0 : pages - bytes);
    return m;
}

static void release(struct memory *m)
{
    munmap(m->all, m->all_bytes);
}

static void fill(struct memory *m, bool numbers)
{
    for (size_t i = 0; i < m->bytes; i++)
        m->begin[i] = (char)any_byte(numbers, (uintptr_t)(m->begin + i) % 2);
}

/* The rest of the tile is zero. */
static void copy_tile(unsigned char *to, const char *from, int64_t stride, int64_t rows, size_t bytes)
{
    memset(to, 0, TILE);
    for (int64_t r = 0; r < rows; r++)
        memcpy(to + r * TSR_TILE_ROW_BYTES, from + r * stride, bytes);
}

/* The tile of B at `from`, packed. */
static void copy_b(unsigned char *to, const char *from, const struct tsr_tile_loop *x)
{
    const bool rows = x->how & TSR_TILE_B_ROWS;
    if (x->how & TSR_TILE_B_COLUMNS) {
        memset(to, 0, TILE);
        for (unsigned w = 0; w < tsr__loop_words(x); w++)
            for (unsigned column = 0; column < tsr__loop_b_rows(x); column++)
                memcpy(to + w * TSR_TILE_ROW_BYTES + column * 4, from + column * x->b_stride + w * 4, 4);
        return;
    }
    const unsigned in_word = rows ? tsr__loop_in_word(x) : 1, bytes = 4 / in_word;
    memset(to, 0, TILE);
    for (unsigned k = 0; k < tsr__loop_words(x) * in_word; k++)
        for (unsigned column = 0; column < (x->how & TSR_TILE_HALF_N ? 8 : 16); column++)
            memcpy(to + k / in_word * TSR_TILE_ROW_BYTES + column * 4 + k % in_word * bytes, from + k * x->b_stride + column * bytes,
                   bytes);
}

/* Numbers of 4 bits, two in each of `bytes` bytes; what is behind is as many bytes. */
static void unpack(unsigned char *x, size_t bytes, bool is_signed)
{
    for (size_t i = 0; i < bytes; i++) {
        const int low = x[i] % 16, high = x[i] / 16;
        x[i] = (unsigned char)(is_signed && low > 7 ? low - 16 : low);
        x[bytes + i] = (unsigned char)(is_signed && high > 7 ? high - 16 : high);
    }
}

/* Operands of half a step become those of a whole one. */
static void unpack_operands(unsigned char *a, unsigned char *b, enum tsr_tile_product product)
{
    for (int r = 0; r < TSR_TILE_ROWS; r++)
        unpack(a + r * TSR_TILE_ROW_BYTES, TSR_TILE_ROW_BYTES / 2, product == TSR_TILE_S8S8 || product == TSR_TILE_S8U8);
    unpack(b, TILE / 2, product == TSR_TILE_S8S8 || product == TSR_TILE_U8S8);
}

/* One tile after the other. */
static void expect(const struct tsr_tile_loop *x, tile *c)
{
    enum tsr_tile_product product = x->how & TSR_TILE_PRODUCT;
    bool strict = !tsr__is_in_tiles(x) && (product == TSR_TILE_BF16 || product == TSR_TILE_F16 || product == TSR_TILE_TF32);
    for (int64_t i = 0; i < x->rows * x->columns; i++) {
        if (x->zero)
            memset(c[i], 0, TILE);
        for (int64_t step = 0; step < x->steps; step++) {
            tile a, b;
            copy_tile(a, x->a + step * x->a_step + i / x->columns * x->a_next, x->a_stride, x->tile_rows, 4 * tsr__loop_words(x));
            copy_b(b, x->b + step * x->b_step + i % x->columns * x->b_next, x);
            if (x->how & TSR_TILE_NIBBLES)
                unpack_operands(a, b, product);
            if (strict)
                strictly(c[i], a, b, tsr__loop_words(x), product);
            else
                tsr__tile_multiply_model(c[i], a, b, product | (x->how & TSR_TILE_NIBBLES ? 0 : x->how & TSR_TILE_HALF_K));
        }
    }
}

/* The values of an operand that is computed: by copies from where it would be read. */
struct copied {
    const char *at;
    int64_t stride, step, next, rows, bytes;
};

static void copy_steps(const void *values, int64_t first, int64_t steps, uint32_t tile, char *to, int64_t stride, int64_t next)
{
    const struct copied *from = values;
    for (int64_t s = 0; s < steps; s++)
        for (int64_t r = 0; r < from->rows; r++)
            memcpy(to + s * next + r * stride, from->at + (first + s) * from->step + tile * from->next + r * from->stride,
                   (size_t)from->bytes);
}

static struct copied copied_a(const struct tsr_tile_loop *x)
{
    return (struct copied){x->a, x->a_stride, x->a_step, x->a_next, x->tile_rows, 4 * (int64_t)tsr__loop_words(x)};
}

static struct copied copied_b(const struct tsr_tile_loop *x)
{
    return (struct copied){x->b, x->b_stride, x->b_step, x->b_next, tsr__loop_b_rows(x), tsr__loop_b_bytes(x)};
}

static bool has_fractions(uint64_t how)
{
    return (how & TSR_TILE_PRODUCT) >= TSR_TILE_BF16;
}

#endif
