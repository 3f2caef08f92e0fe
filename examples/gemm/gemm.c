/* SPDX-License-Identifier: Apache-2.0
 * Products of square matrices of int8 and of bfloat16 with Intel's matrix functions: usage: gemm [SIZE]
 *
 * gemm.cl has four kernels that do the same, each in its own style: with plain loads, with block reads of the sub-group, with blocks of two
 * dimensions, and with split matrix functions, where two sub-groups share A. Rows of C are compared with plain C. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../common/host.h"

enum { PANEL = 16, BLOCK = 32 /* rows and columns of C that a sub-group makes */, GROUP = 4 /* sub-groups side by side */ };
enum { CHECKED_ROWS = 16, ROUNDS = 5 };

struct problem {
    bool bf16;
    int size, in_word, words; /* elements in a word, words in a row of A */
    uint8_t *a, *b, *packed;  /* A, B row by row, and B as the kernels take it */
};

/* Panels of 16 columns; in each, words of `in_word` elements of a column, 16 in a row. */
static void pack(const struct problem *p)
{
    size_t bytes = 4 / (size_t)p->in_word, n = (size_t)p->size;
    for (size_t k = 0; k < n; k++)
        for (size_t column = 0; column < n; column++) {
            size_t word = (column / PANEL * (size_t)p->words + k / (size_t)p->in_word) * PANEL + column % PANEL;
            memcpy(p->packed + word * 4 + k % (size_t)p->in_word * bytes, p->b + (k * n + column) * bytes, bytes);
        }
}

static struct problem make(bool bf16, int size)
{
    struct problem p = {.bf16 = bf16, .size = size, .in_word = bf16 ? 2 : 4};
    size_t count = (size_t)size * (size_t)size, bytes = count * 4 / (size_t)p.in_word;
    p.words = size / p.in_word;
    p.a = must_alloc(bytes);
    p.b = must_alloc(bytes);
    p.packed = must_alloc(bytes);
    for (size_t i = 0; i < 2 * count; i++) {
        uint8_t *to = i < count ? p.a : p.b;
        uint16_t number = bf16_of(random_float());
        if (bf16)
            memcpy(to + i % count * 2, &number, 2);
        else
            to[i % count] = (uint8_t)random_bits();
    }
    pack(&p);
    return p;
}

static double element(const struct problem *p, const uint8_t *matrix, int row, int column)
{
    size_t at = (size_t)row * (size_t)p->size + (size_t)column;
    uint16_t number;
    if (!p->bf16)
        return (int8_t)matrix[at];
    memcpy(&number, matrix + at * 2, 2);
    return (double)float_of(number);
}

/* Elements of C that are wrong, in some of its rows. */
static int check(const struct problem *p, const uint32_t *c)
{
    int wrong = 0, step = p->size > CHECKED_ROWS ? p->size / CHECKED_ROWS : 1;
    double *sum = must_alloc((size_t)p->size * sizeof(*sum)), *magnitude = must_alloc((size_t)p->size * sizeof(*magnitude));
    for (int row = step / 2; row < p->size; row += step) {
        memset(sum, 0, (size_t)p->size * sizeof(*sum));
        memset(magnitude, 0, (size_t)p->size * sizeof(*magnitude));
        for (int k = 0; k < p->size; k++) {
            double a = element(p, p->a, row, k);
            for (int column = 0; column < p->size; column++) {
                double product = a * element(p, p->b, k, column);
                sum[column] += product;
                magnitude[column] += fabs(product);
            }
        }
        for (int column = 0; column < p->size; column++) {
            uint32_t bits = c[(size_t)row * (size_t)p->size + (size_t)column];
            float got;
            memcpy(&got, &bits, 4);
            if (p->bf16)
                wrong += !(fabs((double)got - sum[column]) <= p->size * 0x1p-23 * magnitude[column]);
            else
                wrong += (int32_t)bits != (int32_t)sum[column];
        }
    }
    free(sum);
    free(magnitude);
    return wrong;
}

static int run(const struct host *host, bool bf16, int size)
{
    static const char *const kernels[] = {"gemm_plain", "gemm_blocks", "gemm_2d", "gemm_split"};
    struct problem p = make(bf16, size);
    size_t c_bytes = (size_t)size * (size_t)size * 4, bytes = c_bytes / (size_t)p.in_word;
    cl_program program = host_build(host, "gemm/gemm.cl", bf16 ? "-cl-std=CL3.0 -DBF16" : "-cl-std=CL3.0");
    cl_mem a = host_buffer(host, bytes, p.a), b = host_buffer(host, bytes, p.packed), c = host_buffer(host, c_bytes, NULL);
    uint32_t *result = must_alloc(c_bytes);
    /* 16 work-items, one sub-group or two, for each block of C. */
    size_t global[2] = {(size_t)size / BLOCK * PANEL, (size_t)size / BLOCK}, local[2] = {GROUP * PANEL, 1};
    int all_wrong = 0;

    for (size_t i = 0; i < sizeof(kernels) / sizeof(kernels[0]); i++) {
        const struct argument arguments[] = {ARGUMENT(a), ARGUMENT(b), ARGUMENT(c), ARGUMENT(p.words), ARGUMENT(size)};
        memset(result, 0xff, c_bytes);
        CHECK(clEnqueueWriteBuffer(host->queue, c, CL_TRUE, 0, c_bytes, result, 0, NULL, NULL));
        double seconds = host_run(host, program, kernels[i], arguments, 5, 2, global, local, ROUNDS);
        host_read(host, c, c_bytes, result);
        int wrong = check(&p, result);
        printf("%-5s %-12s %8.3f ms %8.1f Gop/s, %d wrong\n", bf16 ? "bf16" : "int8", kernels[i], seconds * 1e3,
               2.0 * size * size * size / seconds * 1e-9, wrong);
        all_wrong += wrong;
    }
    clReleaseMemObject(a);
    clReleaseMemObject(b);
    clReleaseMemObject(c);
    clReleaseProgram(program);
    free(result);
    free(p.a);
    free(p.b);
    free(p.packed);
    return all_wrong;
}

int main(int argc, char **argv)
{
    static const char *const needed[] = {"cl_intel_subgroup_matrix_multiply_accumulate",
                                         "cl_intel_subgroup_split_matrix_multiply_accumulate",
                                         "cl_intel_subgroup_2d_block_io",
                                         "cl_intel_required_subgroup_size",
                                         "cl_intel_subgroups",
                                         "cl_intel_subgroups_short",
                                         NULL};
    struct host host;
    int size = size_argument(argc, argv, 1024, BLOCK * GROUP);
    host_open(&host, needed);
    int wrong = run(&host, false, size) + run(&host, true, size);
    host_close(&host);
    return wrong != 0;
}
