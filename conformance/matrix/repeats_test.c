/* SPDX-License-Identifier: Apache-2.0
 * Work-groups that make many tiles of C, one after the other in a loop, against plain C that does the same in the same order. A, B and C
 * are parts of one buffer, so what a group stores may be what it stores or reads later.
 *
 * What two tiles store to the same place, the same work-item stores, and what others read is read after several products, for which they
 * wait for each other; else there would be no order.
 *
 * Where the report has it, loops over K wait for each other in spite of the loop around them if this makes no difference that the compiler
 * can see; the device has to find out about the rest. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "conformance/matrix/device.h"

enum { STEP = 32 /* bytes of K */, ROW = 64 /* bytes of a tile of C */, MOST_BYTES = 1 << 20 };

static struct device device;

/* Tile t has the operands A of (t * turn % tiles) / across and B of (t * turn % tiles) % across, and C of these modulo c_down and c_across.
 * All distances are in bytes. With `skew` the place of C depends on both in another way than by a sum. */
struct walk {
    const char *name;
    long groups, tiles, across, turn, steps, down, beside;
    long a, a_pitch, a_next, b, b_pitch, b_next, c, c_pitch, c_down, c_next_down, c_across, c_next_across, skew;
};

enum { FIELDS = sizeof(struct walk) / sizeof(long) - 1 };

/* How the number of steps depends on the tile. */
struct depth {
    const char *text;
    long (*of)(long tile, long steps);
    bool waits; /* it does not keep loops from that */
};

static long same(long tile, long steps)
{
    (void)tile;
    return steps;
}

static long longer(long tile, long steps)
{
    return steps + tile % 3;
}

static long some_none(long tile, long steps)
{
    return tile % 3 ? steps : 0;
}

static const struct depth depths[] = {{"steps", same, true}, {"steps + t % 3", longer, false}, {"t % 3 ? steps : 0", some_none, false}};

/* Eight rows under each other `down` times, and 16 columns `beside` times. */
static cl_program build(const struct walk *w, const struct depth *depth)
{
    struct text text = {0};
    text_add(&text,
             "enum { DOWN = %ld, BESIDE = %ld, SKEW = %ld };\n"
             "__attribute__((intel_reqd_sub_group_size(16)))\n"
             "kernel void k(global char *m, constant long *w)\n"
             "{\n"
             "    const long groups = w[0], tiles = w[1], across = w[2], turn = w[3], steps = w[4];\n"
             "    const long a = w[7], a_pitch = w[8], a_next = w[9], b = w[10], b_pitch = w[11], b_next = w[12];\n"
             "    const long c = w[13], c_pitch = w[14], c_down = w[15], c_next_down = w[16], c_across = w[17], c_next_across = w[18];\n"
             "    const long lane = get_sub_group_local_id();\n"
             "    for (long t = get_group_id(0); t < tiles; t += groups) {\n"
             "        const long tile = t * turn %% tiles, row = tile / across, column = tile %% across;\n"
             "        const long c_row = SKEW ? row ^ (row & column & SKEW) : row %% c_down;\n"
             "        int8 sum[DOWN][BESIDE] = {};\n"
             "        for (long s = 0; s < (%s); s++) {\n"
             "            int8 y[BESIDE];\n"
             "            for (int j = 0; j < BESIDE; j++)\n"
             "                for (int i = 0; i < 8; i++)\n"
             "                    y[j][i] = *(global int *)(m + b + (8 * s + i) * b_pitch + column * b_next + 64 * j + 4 * lane);\n"
             "            for (int d = 0; d < DOWN; d++) {\n"
             "                short8 x;\n"
             "                for (int r = 0; r < 8; r++)\n"
             "                    x[r] = *(global short *)(m + a + (8 * d + r) * a_pitch + row * a_next + 32 * s + 2 * lane);\n"
             "                for (int j = 0; j < BESIDE; j++)\n"
             "                    sum[d][j] = intel_sub_group_i8_i8_matrix_mad_k32(x, y[j], sum[d][j]);\n"
             "            }\n"
             "        }\n"
             "        for (int d = 0; d < DOWN; d++)\n"
             "            for (int j = 0; j < BESIDE; j++)\n"
             "                for (int r = 0; r < 8; r++)\n"
             "                    *(global int *)(m + c + (8 * d + r) * c_pitch + c_row * c_next_down +\n"
             "                                    column %% c_across * c_next_across + 64 * j + 4 * lane) = sum[d][j][r];\n"
             "    }\n"
             "}\n",
             w->down, w->beside, w->skew, depth->text);
    return device_build_text(&device, &text);
}

static void run_tile(const struct walk *w, const struct depth *depth, char *m, long t)
{
    static int32_t sum[32][32];
    const long tile = t * w->turn % w->tiles, row = tile / w->across, column = tile % w->across, words = 16 * w->beside,
               c_row = row ^ (row & column & w->skew);
    for (long r = 0; r < 8 * w->down; r++)
        for (long n = 0; n < words; n++) {
            const char *a = m + w->a + r * w->a_pitch + row * w->a_next, *b = m + w->b + column * w->b_next + 4 * n;
            uint32_t v = 0;
            for (long k = 0; k < depth->of(t, w->steps) * STEP; k++)
                v += (uint32_t)((signed char)a[k] * (signed char)b[k / 4 * w->b_pitch + k % 4]);
            sum[r][n] = (int32_t)v;
        }
    for (long d = 0; d < w->down; d++) /* in the order of the kernel's stores */
        for (long j = 0; j < w->beside; j++)
            for (long r = 8 * d; r < 8 * d + 8; r++)
                memcpy(m + w->c + r * w->c_pitch + c_row % w->c_down * w->c_next_down + column % w->c_across * w->c_next_across + ROW * j,
                       &sum[r][16 * j], ROW);
}

static void check(const struct walk *w, const struct depth *depth, cl_program program)
{
    static char in[MOST_BYTES], out[MOST_BYTES], expected[MOST_BYTES];
    cl_long fields[FIELDS];
    uint32_t seed = 5;
    for (size_t i = 0; i < sizeof in; i++)
        in[i] = (char)((seed = seed * 1664525u + 1013904223u) >> 24);
    memcpy(expected, in, sizeof in);
    for (long g = 0; g < w->groups; g++)
        for (long t = g; t < w->tiles; t += w->groups)
            run_tile(w, depth, expected, t);
    for (size_t i = 0; i < FIELDS; i++)
        fields[i] = (&w->groups)[i];
    const struct device_arg args[] = {{sizeof in, in, out}, {sizeof fields, fields, NULL}};
    for (int again = 0; again < 2; again++) { /* the second launch knows what the first one was like */
        assert_int_equal(device_run(&device, program, "k", (size_t)w->groups * 16, 16, args, 2), CL_SUCCESS);
        for (size_t i = 0; i < sizeof out; i++)
            if (out[i] != expected[i])
                fail_msg("%s, %s steps: byte %zu, launch %d", w->name, depth->text, i, again);
    }
}

/* A, B and C apart from each other, in matrices of 16 x 12 tiles and five steps of K. */
#define A .a = 64, .a_pitch = 200
#define B .b = 65536, .b_pitch = 16 * ROW
#define C .c = 131072, .c_pitch = 16 * ROW + 4

static const struct walk walks[] = {
#define MATRICES(d, s)                                                                                                                     \
    .steps = 5, .down = d, .beside = s, A, .a_next = 8 * d * 200, B, .b_next = s * ROW, C, .c_next_down = 8 * d * (16 * ROW + 4),          \
    .c_next_across = s * ROW
    {.name = "row after row", .groups = 1, .tiles = 192, .across = 16, .turn = 1, .c_down = 12, .c_across = 16, MATRICES(1, 1)},
    {.name = "in turns", .groups = 5, .tiles = 192, .across = 16, .turn = 1, .c_down = 12, .c_across = 16, MATRICES(1, 1)},
    {.name = "along diagonals", .groups = 2, .tiles = 192, .across = 16, .turn = 17, .c_down = 12, .c_across = 16, MATRICES(1, 1)},
    {.name = "far apart", .groups = 1, .tiles = 192, .across = 16, .turn = 53, .c_down = 12, .c_across = 16, MATRICES(1, 1)},
    {.name = "one row", .groups = 1, .tiles = 16, .across = 16, .turn = 1, .c_down = 1, .c_across = 16, MATRICES(1, 1)},
    {.name = "one column", .groups = 1, .tiles = 12, .across = 1, .turn = 1, .c_down = 12, .c_across = 1, MATRICES(1, 1)},
    {.name = "rows again", .groups = 1, .tiles = 192, .across = 16, .turn = 1, .c_down = 5, .c_across = 16, MATRICES(1, 1)},
    {.name = "columns again", .groups = 1, .tiles = 192, .across = 16, .turn = 7, .c_down = 12, .c_across = 3, MATRICES(1, 1)},
    {.name = "rows again in another order",
     .groups = 1,
     .tiles = 192,
     .across = 16,
     .turn = 17,
     .c_down = 5,
     .c_across = 16,
     MATRICES(1, 1)},
    {.name = "columns again in another order",
     .groups = 1,
     .tiles = 192,
     .across = 16,
     .turn = 53,
     .c_down = 12,
     .c_across = 5,
     MATRICES(1, 1)},
    {.name = "both again in another order",
     .groups = 1,
     .tiles = 192,
     .across = 16,
     .turn = 119,
     .c_down = 5,
     .c_across = 7,
     MATRICES(1, 1)},
    {.name = "rows that depend on columns",
     .groups = 1,
     .tiles = 192,
     .across = 16,
     .turn = 49,
     .c_down = 12,
     .c_across = 16,
     .skew = 4,
     MATRICES(1, 1)},
    {.name = "one place", .groups = 1, .tiles = 192, .across = 16, .turn = 5, .c_down = 1, .c_across = 1, MATRICES(1, 1)},
    {.name = "blocks", .groups = 1, .tiles = 24, .across = 8, .turn = 1, .c_down = 3, .c_across = 8, MATRICES(4, 2)},
    {.name = "blocks again", .groups = 1, .tiles = 24, .across = 8, .turn = 5, .c_down = 2, .c_across = 3, MATRICES(4, 2)},
#undef MATRICES
#define MATRICES(down_c, across_c, pitch_c)                                                                                                \
    .groups = 1, .tiles = 192, .across = 16, .c_down = 12, .c_across = 16, .steps = 4, .down = 1, .beside = 1, A, .a_next = 8 * 200, B,    \
    .b_next = ROW, .c = 131072, .c_pitch = pitch_c, .c_next_down = down_c, .c_next_across = across_c
    {.name = "half of the rows under each other", .turn = 1, MATRICES(4 * 16 * ROW, ROW, 16 * ROW)},
    {.name = "half of the rows in another order", .turn = 49, MATRICES(4 * 16 * ROW, ROW, 16 * ROW)},
    {.name = "columns beyond the row", .turn = 1, MATRICES(8 * 9 * ROW, ROW, 9 * ROW)},
    {.name = "rows right under each other", .turn = 1, MATRICES(8 * ROW, 12 * 8 * ROW, ROW)},
    {.name = "upwards", .turn = 1, MATRICES(-8 * 16 * ROW, ROW, 16 * ROW)},
    {.name = "from right to left", .turn = 1, MATRICES(8 * 16 * ROW, -ROW, 16 * ROW)},
    {.name = "upside down", .turn = 1, MATRICES(8 * 16 * ROW, ROW, -16 * ROW)},
    {.name = "a row and a bit", .turn = 1, MATRICES(8 * 16 * ROW + 4, ROW, 16 * ROW)},
#undef MATRICES
#define MATRICES .groups = 1, .across = 8, .turn = 1, .steps = 3, .down = 1, .beside = 1, A, .a_next = 8 * 200, B, .b_next = ROW
    {.name = "C is A of later rows",
     .tiles = 64,
     .c_down = 8,
     .c_across = 8,
     MATRICES,
     .c = 64 + 16 * 200,
     .c_pitch = 200,
     .c_next_down = 8 * 200,
     .c_next_across = 0},
    {.name = "C is B of later columns",
     .tiles = 64,
     .c_down = 8,
     .c_across = 8,
     MATRICES,
     .c = 65536 + ROW,
     .c_pitch = 16 * ROW,
     .c_next_down = 0,
     .c_next_across = ROW},
    {.name = "C is B of the row before",
     .tiles = 64,
     .c_down = 8,
     .c_across = 8,
     MATRICES,
     .c = 65536,
     .c_pitch = 16 * ROW,
     .c_next_down = 16 * ROW,
     .c_next_across = ROW},
#undef MATRICES
};

static void walks_of(const struct depth *depth)
{
    for (size_t i = 0; i < sizeof walks / sizeof walks[0]; i++) {
        const struct walk *w = &walks[i];
        cl_program program = build(w, depth);
        assert_non_null(program);
        if (strstr(device.log, "\"topic\":\"matrix\"")) {
            const bool waits = strstr(device.log, "with those of work-groups") != NULL;
            if (waits != depth->waits)
                fail_msg("%s, %s steps: %s", w->name, depth->text, device.log);
        }
        check(w, depth, program);
        clReleaseProgram(program);
    }
}

static void of_one_length(void **state)
{
    (void)state;
    walks_of(&depths[0]);
}

static void of_several_lengths(void **state)
{
    (void)state;
    walks_of(&depths[1]);
}

static void some_without_a_round(void **state)
{
    (void)state;
    walks_of(&depths[2]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(of_one_length), cmocka_unit_test(of_several_lengths),
                                       cmocka_unit_test(some_without_a_round)};
    device_open(&device);
    int failures = cmocka_run_group_tests(tests, NULL, NULL);
    device_close(&device);
    return failures;
}
