/* SPDX-License-Identifier: Apache-2.0
 * The attention of a transformer in bfloat16: softmax(Q·Kᵀ / √d)·V for a few heads. usage: attention [LENGTH]
 *
 * LENGTH is the number of queries, and of keys. attention.cl says how the kernel goes about it; here is the same in plain C and double,
 * with which some of the outputs are compared. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "../common/host.h"

enum { D = 64, HEADS = 4, QUERIES = 16 /* of a sub-group of 16 */, GROUP = 4 /* sub-groups in a work-group */ };
enum { CHECKED = 16 /* queries of each head */, ROUNDS = 5 };
/* Weights and outputs are rounded to eight bits, so an output that is a mean of values up to 1 may be off by this. */
static const double tolerance = 0x1p-7;

static uint16_t *random_matrix(size_t count)
{
    uint16_t *matrix = must_alloc(count * sizeof(*matrix));
    for (size_t i = 0; i < count; i++)
        matrix[i] = bf16_of(random_float());
    return matrix;
}

/* The attention of one query. */
static void plain(const uint16_t *query, const uint16_t *k, const uint16_t *v, int keys, double *out)
{
    double *weight = must_alloc((size_t)keys * sizeof(*weight)), largest = -INFINITY, all = 0;
    for (int key = 0; key < keys; key++) {
        for (int i = 0; i < D; i++)
            weight[key] += (double)float_of(query[i]) * (double)float_of(k[key * D + i]);
        weight[key] /= sqrt(D);
        largest = fmax(largest, weight[key]);
    }
    for (int i = 0; i < D; i++)
        out[i] = 0;
    for (int key = 0; key < keys; key++) {
        double w = exp(weight[key] - largest);
        all += w;
        for (int i = 0; i < D; i++)
            out[i] += w * (double)float_of(v[key * D + i]);
    }
    for (int i = 0; i < D; i++)
        out[i] /= all;
    free(weight);
}

int main(int argc, char **argv)
{
    static const char *const needed[] = {"cl_intel_subgroup_matrix_multiply_accumulate", "cl_intel_required_subgroup_size",
                                         "cl_intel_subgroups", "cl_intel_subgroups_short", NULL};
    struct host host;
    int length = size_argument(argc, argv, 1024, QUERIES * GROUP);
    size_t in_head = (size_t)length * D, count = HEADS * in_head, bytes = count * sizeof(uint16_t);
    uint16_t *q = random_matrix(count), *k = random_matrix(count), *v = random_matrix(count), *o = must_alloc(bytes);
    float scale = 1.44269504f / sqrtf(D);

    /* Longer queries make some keys weigh far more than others. */
    for (size_t i = 0; i < count; i++)
        q[i] = bf16_of(4 * float_of(q[i]));
    host_open(&host, needed);
    cl_program program = host_build(&host, "attention/attention.cl", "-cl-std=CL3.0");
    cl_mem buffer_q = host_buffer(&host, bytes, q), buffer_k = host_buffer(&host, bytes, k), buffer_v = host_buffer(&host, bytes, v);
    cl_mem packed_k = host_buffer(&host, bytes, NULL), packed_v = host_buffer(&host, bytes, NULL), out = host_buffer(&host, bytes, NULL);

    const size_t words[2] = {in_head / 2, HEADS};
    const struct argument pack[] = {ARGUMENT(buffer_k), ARGUMENT(buffer_v), ARGUMENT(packed_k), ARGUMENT(packed_v)};
    double packing = host_run(&host, program, "pack", pack, 4, 2, words, NULL, 1);
    const size_t global[2] = {(size_t)length / QUERIES * 16, HEADS}, local[2] = {GROUP * 16, 1};
    const struct argument attend[] = {ARGUMENT(buffer_q), ARGUMENT(packed_k), ARGUMENT(packed_v),
                                      ARGUMENT(out),      ARGUMENT(length),   ARGUMENT(scale)};
    double seconds = host_run(&host, program, "attention", attend, 6, 2, global, local, ROUNDS);
    host_read(&host, out, bytes, o);

    double worst = 0;
    for (int head = 0; head < HEADS; head++)
        for (int i = 0; i < CHECKED; i++) {
            size_t query = (size_t)(i * (length - 1) / (CHECKED - 1)), first = (size_t)head * in_head;
            double want[D];
            plain(q + first + query * D, k + first, v + first, length, want);
            for (size_t c = 0; c < D; c++) {
                double error = fabs((double)float_of(o[first + query * D + c]) - want[c]);
                worst = error <= worst ? worst : error; /* a NaN counts, too */
            }
        }
    printf("%d heads, %d queries and keys of %d numbers: %.3f ms, %.1f Gop/s (K and V packed before in %.3f ms)\n", HEADS, length, D,
           seconds * 1e3, 4.0 * HEADS * length * length * D / seconds * 1e-9, packing * 1e3);
    printf("outputs differ from plain C in double by at most %.5f\n", worst);

    cl_mem buffers[] = {buffer_q, buffer_k, buffer_v, packed_k, packed_v, out};
    for (size_t i = 0; i < sizeof(buffers) / sizeof(buffers[0]); i++)
        clReleaseMemObject(buffers[i]);
    clReleaseProgram(program);
    host_close(&host);
    free(q);
    free(k);
    free(v);
    free(o);
    return !(worst <= tolerance);
}
