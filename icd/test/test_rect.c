/* SPDX-License-Identifier: Apache-2.0
 * Tests of boxes of buffers: every error, and random boxes against plain C, overlap included. */
#include "icd/test/cl_test.h"

struct box {
    size_t origin[3], row, slice;
};

static size_t place(const struct box *box, const size_t *region, size_t x, size_t y, size_t z)
{
    size_t row = box->row ? box->row : region[0], slice = box->slice ? box->slice : row * region[1];
    return (box->origin[2] + z) * slice + (box->origin[1] + y) * row + box->origin[0] + x;
}

static size_t end_of(const struct box *box, const size_t *region)
{
    return place(box, region, region[0] - 1, region[1] - 1, region[2] - 1) + 1;
}

static void copy_box(unsigned char *to, const struct box *to_box, const unsigned char *from, const struct box *from_box,
                     const size_t *region)
{
    for (size_t z = 0; z < region[2]; z++)
        for (size_t y = 0; y < region[1]; y++)
            for (size_t x = 0; x < region[0]; x++)
                to[place(to_box, region, x, y, z)] = from[place(from_box, region, x, y, z)];
}

static unsigned seed = 12345;
static size_t below(size_t limit)
{
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % limit;
}

static struct box random_box(const size_t *region)
{
    struct box box = {{below(6), below(4), below(3)}, 0, 0};
    if (below(3))
        box.row = region[0] + below(8);
    size_t row = box.row ? box.row : region[0];
    if (below(3))
        box.slice = row * (region[1] + below(3));
    return box;
}

enum { SIZE = 1 << 16 };
static unsigned char host[SIZE], expected[SIZE], back[SIZE], pattern[SIZE];

static void test_random(void **state)
{
    (void)state;
    struct test_world w = test_begin(0);
    cl_mem a = test_buffer(w.context, 0, SIZE, NULL), b = test_buffer(w.context, 0, SIZE, NULL);
    for (int round = 0; round < 300; round++) {
        size_t region[3] = {1 + below(20), 1 + below(8), 1 + below(6)};
        struct box box = random_box(region), other = random_box(region);
        assert_true(end_of(&box, region) <= SIZE && end_of(&other, region) <= SIZE);
        for (size_t i = 0; i < SIZE; i++)
            pattern[i] = (unsigned char)below(256);

        CHECK(clEnqueueWriteBuffer(w.queue, a, CL_FALSE, 0, SIZE, pattern, 0, NULL, NULL));
        memset(host, 0, SIZE);
        memset(expected, 0, SIZE);
        copy_box(expected, &other, pattern, &box, region);
        CHECK(clEnqueueReadBufferRect(w.queue, a, CL_TRUE, box.origin, other.origin, region, box.row, box.slice, other.row, other.slice,
                                      host, 0, NULL, NULL));
        CHECK_THAT(!memcmp(host, expected, SIZE));

        memset(host, 0, SIZE);
        CHECK(clEnqueueWriteBuffer(w.queue, b, CL_FALSE, 0, SIZE, host, 0, NULL, NULL));
        CHECK(clEnqueueWriteBufferRect(w.queue, b, CL_TRUE, other.origin, box.origin, region, other.row, other.slice, box.row, box.slice,
                                       pattern, 0, NULL, NULL));
        CHECK(clEnqueueReadBuffer(w.queue, b, CL_TRUE, 0, SIZE, back, 0, NULL, NULL));
        CHECK_THAT(!memcmp(back, expected, SIZE));

        CHECK(clEnqueueWriteBuffer(w.queue, b, CL_FALSE, 0, SIZE, host, 0, NULL, NULL));
        CHECK(clEnqueueCopyBufferRect(w.queue, a, b, box.origin, other.origin, region, box.row, box.slice, other.row, other.slice, 0, NULL,
                                      NULL));
        CHECK(clEnqueueReadBuffer(w.queue, b, CL_TRUE, 0, SIZE, back, 0, NULL, NULL));
        CHECK_THAT(!memcmp(back, expected, SIZE));
    }
    CHECK(clReleaseMemObject(a));
    CHECK(clReleaseMemObject(b));
    test_end(&w);
}

/* Boxes in one buffer, and in two parts of one buffer with pitches of their own: refused exactly if they share a byte. */
static void test_overlap(void **state)
{
    (void)state;
    struct test_world w = test_begin(0);
    cl_mem a = test_buffer(w.context, 0, SIZE, NULL), parts[2];
    cl_buffer_region regions[2] = {{0, SIZE}, {128, SIZE - 128}};
    for (int i = 0; i < 2; i++)
        CHECK_CREATE(parts[i], clCreateSubBuffer(a, 0, CL_BUFFER_CREATE_TYPE_REGION, &regions[i], &err), CL_SUCCESS);
    int refused = 0, done = 0;
    for (int round = 0; round < 2000; round++) {
        size_t region[3] = {1 + below(6), 1 + below(4), 1 + below(4)};
        struct box box = random_box(region), other = random_box(region);
        bool same = below(2);
        if (same) {
            other.row = box.row;
            other.slice = box.slice;
        }
        size_t shift = same ? 0 : 128;
        memset(host, 0, SIZE);
        bool shared = false;
        for (int pass = 0; pass < 2; pass++)
            for (size_t z = 0; z < region[2]; z++)
                for (size_t y = 0; y < region[1]; y++)
                    for (size_t x = 0; x < region[0]; x++)
                        if (pass == 0)
                            host[place(&box, region, x, y, z)] = 1;
                        else
                            shared |= host[place(&other, region, x, y, z) + shift];
        cl_int answer = clEnqueueCopyBufferRect(w.queue, same ? a : parts[0], same ? a : parts[1], box.origin, other.origin, region,
                                                box.row, box.slice, other.row, other.slice, 0, NULL, NULL);
        CHECK_THAT(answer == (shared ? CL_MEM_COPY_OVERLAP : CL_SUCCESS));
        refused += shared;
        done += !shared;
    }
    CHECK_THAT(refused > 100 && done > 100);
    CHECK(clFinish(w.queue));
    for (int i = 0; i < 2; i++)
        CHECK(clReleaseMemObject(parts[i]));
    CHECK(clReleaseMemObject(a));
    test_end(&w);
}

static void test_errors(void **state)
{
    (void)state;
    struct test_world w = test_begin(0);
    cl_command_queue q = w.queue;
    cl_context other = test_context(w.device);
    cl_mem a = test_buffer(w.context, 0, 1000, NULL), b = test_buffer(w.context, 0, 1000, NULL),
           foreign = test_buffer(other, 0, 1000, NULL);
    cl_mem no_access = test_buffer(w.context, CL_MEM_HOST_NO_ACCESS, 1000, NULL);
    const size_t zero[3] = {0, 0, 0}, far[3] = {1, 0, 0}, cube[3] = {10, 10, 10}, flat[3] = {10, 0, 10},
                 wild[3] = {SIZE_MAX, SIZE_MAX, SIZE_MAX};

#define BOTH(code, queue, buffer, bo, ho, region, brp, bsp, hrp, hsp, pointer, count)                                                      \
    CHECK_CODE(clEnqueueReadBufferRect(queue, buffer, CL_FALSE, bo, ho, region, brp, bsp, hrp, hsp, pointer, count, NULL, NULL), code);    \
    CHECK_CODE(clEnqueueWriteBufferRect(queue, buffer, CL_FALSE, bo, ho, region, brp, bsp, hrp, hsp, pointer, count, NULL, NULL), code)
    BOTH(CL_INVALID_COMMAND_QUEUE, NULL, a, zero, zero, cube, 0, 0, 0, 0, host, 0);
    BOTH(CL_INVALID_MEM_OBJECT, q, NULL, zero, zero, cube, 0, 0, 0, 0, host, 0);
    BOTH(CL_INVALID_CONTEXT, q, foreign, zero, zero, cube, 0, 0, 0, 0, host, 0);
    BOTH(CL_INVALID_VALUE, q, a, NULL, zero, cube, 0, 0, 0, 0, host, 0);
    BOTH(CL_INVALID_VALUE, q, a, zero, NULL, cube, 0, 0, 0, 0, host, 0);
    BOTH(CL_INVALID_VALUE, q, a, zero, zero, NULL, 0, 0, 0, 0, host, 0);
    BOTH(CL_INVALID_VALUE, q, a, far, zero, cube, 0, 0, 0, 0, host, 0);
    BOTH(CL_INVALID_VALUE, q, a, wild, zero, cube, 0, 0, 0, 0, host, 0);
    BOTH(CL_INVALID_VALUE, q, a, zero, wild, cube, 0, 0, 0, 0, host, 0);
    BOTH(CL_INVALID_VALUE, q, a, zero, zero, wild, 0, 0, 0, 0, host, 0);
    BOTH(CL_INVALID_VALUE, q, a, zero, zero, flat, 0, 0, 0, 0, host, 0);
    BOTH(CL_INVALID_VALUE, q, a, zero, zero, cube, 9, 0, 0, 0, host, 0);
    BOTH(CL_INVALID_VALUE, q, a, zero, zero, cube, 10, 99, 0, 0, host, 0);
    BOTH(CL_INVALID_VALUE, q, a, zero, zero, cube, 10, 105, 0, 0, host, 0);
    BOTH(CL_INVALID_VALUE, q, a, zero, zero, cube, 0, 0, 9, 0, host, 0);
    BOTH(CL_INVALID_VALUE, q, a, zero, zero, cube, 0, 0, 10, 99, host, 0);
    BOTH(CL_INVALID_VALUE, q, a, zero, zero, cube, 0, 0, 10, 105, host, 0);
    BOTH(CL_INVALID_VALUE, q, a, zero, zero, cube, 0, 0, 0, 0, NULL, 0);
    BOTH(CL_INVALID_EVENT_WAIT_LIST, q, a, zero, zero, cube, 0, 0, 0, 0, host, 1);
    BOTH(CL_INVALID_OPERATION, q, no_access, zero, zero, cube, 0, 0, 0, 0, host, 0);
    BOTH(CL_SUCCESS, q, a, zero, zero, cube, 0, 0, 0, 0, host, 0);

#define COPY(code, queue, from, to, fo, to_origin, region, frp, fsp, trp, tsp, count)                                                      \
    CHECK_CODE(clEnqueueCopyBufferRect(queue, from, to, fo, to_origin, region, frp, fsp, trp, tsp, count, NULL, NULL), code)
    COPY(CL_INVALID_COMMAND_QUEUE, NULL, a, b, zero, zero, cube, 0, 0, 0, 0, 0);
    COPY(CL_INVALID_MEM_OBJECT, q, NULL, b, zero, zero, cube, 0, 0, 0, 0, 0);
    COPY(CL_INVALID_MEM_OBJECT, q, a, NULL, zero, zero, cube, 0, 0, 0, 0, 0);
    COPY(CL_INVALID_CONTEXT, q, a, foreign, zero, zero, cube, 0, 0, 0, 0, 0);
    COPY(CL_INVALID_VALUE, q, a, b, NULL, zero, cube, 0, 0, 0, 0, 0);
    COPY(CL_INVALID_VALUE, q, a, b, zero, NULL, cube, 0, 0, 0, 0, 0);
    COPY(CL_INVALID_VALUE, q, a, b, zero, zero, NULL, 0, 0, 0, 0, 0);
    COPY(CL_INVALID_VALUE, q, a, b, zero, zero, flat, 0, 0, 0, 0, 0);
    COPY(CL_INVALID_VALUE, q, a, b, far, zero, cube, 0, 0, 0, 0, 0);
    COPY(CL_INVALID_VALUE, q, a, b, zero, far, cube, 0, 0, 0, 0, 0);
    COPY(CL_INVALID_VALUE, q, a, b, zero, zero, cube, 9, 0, 0, 0, 0);
    COPY(CL_INVALID_VALUE, q, a, b, zero, zero, cube, 0, 0, 0, 99, 0);
    COPY(CL_INVALID_VALUE, q, a, b, zero, zero, cube, 0, 0, 0, 101, 0);
    const size_t small[3] = {2, 2, 2}, high[3] = {5, 5, 5};
    COPY(CL_INVALID_VALUE, q, a, a, zero, high, small, 10, 100, 12, 120, 0);
    COPY(CL_INVALID_VALUE, q, a, a, zero, high, small, 10, 100, 10, 110, 0);
    COPY(CL_MEM_COPY_OVERLAP, q, a, a, zero, zero, small, 10, 100, 10, 100, 0);
    COPY(CL_INVALID_EVENT_WAIT_LIST, q, a, b, zero, zero, cube, 0, 0, 0, 0, 1);
    COPY(CL_SUCCESS, q, a, a, zero, high, small, 10, 100, 10, 100, 0);

    cl_mem all[] = {a, b, foreign, no_access};
    CHECK(clFinish(q));
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        CHECK(clReleaseMemObject(all[i]));
    CHECK(clReleaseContext(other));
    test_end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random), cmocka_unit_test(test_overlap), cmocka_unit_test(test_errors)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
