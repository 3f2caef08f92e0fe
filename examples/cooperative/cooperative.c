/* SPDX-License-Identifier: Apache-2.0
 * A layer of a network with cooperative matrices (cl_tessera_cooperative_matrix), of int8 and of bfloat16: usage: cooperative [SIZE]
 *
 * C = max(A·B + bias, 0) for square matrices; a sample of the elements of C is compared with plain C. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../common/host.h"

enum { SIDE = 16, BLOCK = 32 /* rows and columns of C that a sub-group makes */, GROUP = 4 /* sub-groups side by side */ };
enum { CHECKED = 2000, ROUNDS = 5 };

struct problem {
    bool bf16;
    size_t size, bytes;      /* elements in a row, bytes of an element */
    uint8_t *a, *b, *packed; /* A, B row by row, and B as the kernel takes it */
    uint32_t *bias;          /* int or float */
};

/* Panels of 16 columns; in each, words of four bytes of a column, 16 in a row. */
static void pack(const struct problem *p)
{
    size_t in_word = 4 / p->bytes;
    for (size_t k = 0; k < p->size; k++)
        for (size_t column = 0; column < p->size; column++) {
            size_t word = (column / SIDE * (p->size / in_word) + k / in_word) * SIDE + column % SIDE;
            memcpy(p->packed + (word * in_word + k % in_word) * p->bytes, p->b + (k * p->size + column) * p->bytes, p->bytes);
        }
}

static void fill(const struct problem *p, uint8_t *matrix)
{
    for (size_t i = 0; i < p->size * p->size; i++) {
        uint16_t number = bf16_of(random_float());
        if (p->bf16)
            memcpy(matrix + i * 2, &number, 2);
        else
            matrix[i] = (uint8_t)random_bits();
    }
}

static struct problem make(bool bf16, int size)
{
    struct problem p = {.bf16 = bf16, .size = (size_t)size, .bytes = bf16 ? 2 : 1};
    size_t bytes = p.size * p.size * p.bytes;
    p.a = must_alloc(bytes);
    p.b = must_alloc(bytes);
    p.packed = must_alloc(bytes);
    p.bias = must_alloc(p.size * sizeof(*p.bias));
    fill(&p, p.a);
    fill(&p, p.b);
    pack(&p);
    for (size_t i = 0; i < p.size; i++) {
        float number = random_float();
        if (bf16)
            memcpy(&p.bias[i], &number, 4);
        else
            p.bias[i] = random_bits() % 100000 - 50000;
    }
    return p;
}

static double element(const struct problem *p, const uint8_t *matrix, size_t row, size_t column)
{
    size_t at = row * p->size + column;
    uint16_t number;
    if (!p->bf16)
        return (int8_t)matrix[at];
    memcpy(&number, matrix + at * 2, 2);
    return (double)float_of(number);
}

/* A number of C or of the bias. */
static double number_of(const struct problem *p, uint32_t bits)
{
    float number;
    memcpy(&number, &bits, 4);
    return p->bf16 ? (double)number : (int32_t)bits;
}

static bool is_right(const struct problem *p, const uint32_t *c, size_t row, size_t column)
{
    double sum = 0, magnitude = 0, got = number_of(p, c[row * p->size + column]), bias = number_of(p, p->bias[column]);
    for (size_t k = 0; k < p->size; k++) {
        double product = element(p, p->a, row, k) * element(p, p->b, k, column);
        sum += product;
        magnitude += fabs(product);
    }
    double allowed = p->bf16 ? (double)p->size * 0x1p-23 * (magnitude + fabs(bias)) : 0;
    return fabs(got - fmax(sum + bias, 0)) <= allowed;
}

static int run(const struct host *host, bool bf16, int size)
{
    struct problem p = make(bf16, size);
    size_t count = p.size * p.size, bytes = count * p.bytes;
    cl_program program = host_build(host, "cooperative/cooperative.cl", bf16 ? "-cl-std=CL3.0 -DBF16" : "-cl-std=CL3.0");
    cl_mem a = host_buffer(host, bytes, p.a), b = host_buffer(host, bytes, p.packed);
    cl_mem bias = host_buffer(host, p.size * sizeof(*p.bias), p.bias), c = host_buffer(host, count * sizeof(uint32_t), NULL);
    uint32_t *result = must_alloc(count * sizeof(*result));
    const struct argument arguments[] = {ARGUMENT(a), ARGUMENT(b), ARGUMENT(bias), ARGUMENT(c), ARGUMENT(size), ARGUMENT(size)};
    size_t global[2] = {p.size / BLOCK * SIDE, p.size / BLOCK}, local[2] = {GROUP * SIDE, 1};
    int wrong = 0;

    double seconds = host_run(host, program, "layer", arguments, 6, 2, global, local, ROUNDS);
    host_read(host, c, count * sizeof(*result), result);
    for (int i = 0; i < CHECKED; i++)
        wrong += !is_right(&p, result, random_bits() % p.size, random_bits() % p.size);
    printf("%-5s %8.3f ms %8.1f Gop/s, %d of %d wrong\n", bf16 ? "bf16" : "int8", seconds * 1e3, 2.0 * size * size * size / seconds * 1e-9,
           wrong, CHECKED);

    clReleaseMemObject(a);
    clReleaseMemObject(b);
    clReleaseMemObject(bias);
    clReleaseMemObject(c);
    clReleaseProgram(program);
    free(result);
    free(p.a);
    free(p.b);
    free(p.packed);
    free(p.bias);
    return wrong;
}

int main(int argc, char **argv)
{
    static const char *const needed[] = {"cl_tessera_cooperative_matrix", "cl_intel_required_subgroup_size", NULL};
    struct host host;
    int size = size_argument(argc, argv, 1024, BLOCK * GROUP);
    host_open(&host, needed);
    int wrong = run(&host, false, size) + run(&host, true, size);
    host_close(&host);
    return wrong != 0;
}
