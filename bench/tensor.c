/* SPDX-License-Identifier: Apache-2.0
 * bench_tensor [-t THREADS] [-r ROUNDS] [-s M,N,K] [-k "f32 tiles"] [-c 1]: one large product C = A B by columns in the tensor language, as
 * people write it: all in one work-group, with sizes in the text or as arguments, or a tile for each work-group. Beside it oneDNN 2.x,
 * whose library is looked for when the program runs. Medians of rounds in turn. What is wrong gets no time. Sizes have to be multiples of
 * 64 for tiles. -c 1: by CPU time, which other programs on the machine disturb less. */
#include "products.h"

#include <math.h>

enum { MOST_ROUNDS = 99, MOST_TEXT = 4096, TILE = 64 };

#define TILE_VIEWS                                                                                                                         \
    "  %x = builtin.group_id : index\n  %tiles = constant $m : index\n  %r = arith.rem %x, %tiles : index\n"                               \
    "  %q = arith.div %x, %tiles : index\n  %side = constant 64 : index\n  %i = arith.mul %r, %side : index\n"                             \
    "  %j = arith.mul %q, %side : index\n  %c = subview %C[%i:64, %j:64] : memref<$Ox64x64,strided<1,?>>\n"
#define OPEN "func @mm(%A: memref<$Tx?x?>, %B: memref<$Tx?x?>, %C: memref<$Ox?x?>) {\n"
#define NUMBERS "  %one = constant $1 : $T\n  %zero = constant $0 : $O\n"
#define K_LOOP                                                                                                                             \
    "  %depth = size %A[1] : index\n  %none = constant 0 : index\n  %more = constant $1 : $O\n"                                            \
    "  axpby.n %zero, %c, %zero, %c\n  for %k = %none, %depth, %side {\n"                                                                  \
    "    %a = subview %A[%i:64, %k:64] : memref<$Tx64x64,strided<1,?>>\n    %b = subview %B[%k:64, %j:64] : "                              \
    "memref<$Tx64x64,strided<1,?>>\n"

/* $T, $O: types of A and B, and of C; $1, $0: numbers; $M, $N, $K: sizes; $m: tiles of rows. */
static const struct way {
    const char *name, *text;
    bool tiles, open, a_transposed, b_transposed;
} ways[] = {
    {"static",
     "func @mm(%A: memref<$Tx$Mx$K>, %B: memref<$Tx$Kx$N>, %C: memref<$Ox$Mx$N>) {\n" NUMBERS "  gemm.n.n %one, %A, %B, %zero, %C\n}\n",
     .open = false},
    {"open", OPEN NUMBERS "  gemm.n.n %one, %A, %B, %zero, %C\n}\n", .open = true},
    {"open t.n", OPEN NUMBERS "  gemm.t.n %one, %A, %B, %zero, %C\n}\n", .open = true, .a_transposed = true},
    {"open n.t", OPEN NUMBERS "  gemm.n.t %one, %A, %B, %zero, %C\n}\n", .open = true, .b_transposed = true},
    {"tiles",
     OPEN NUMBERS TILE_VIEWS "  %a = subview %A[%i:64, :] : memref<$Tx64x?,strided<1,?>>\n"
                             "  %b = subview %B[:, %j:64] : memref<$Tx?x64,strided<1,?>>\n  gemm.n.n %one, %a, %b, %zero, %c\n}\n",
     .tiles = true, .open = true},
    {"K in steps", OPEN NUMBERS TILE_VIEWS K_LOOP "    gemm.n.n %one, %a, %b, %more, %c\n  }\n}\n", .tiles = true, .open = true},
};

struct problem {
    const struct type *type;
    int m, n, k;
    void *memory[3];
    size_t elements[3], bytes[3];
};

/* ---- problems ---- */

static struct problem make_problem(const struct type *type, const int *size)
{
    struct problem p = {.type = type, .m = size[0], .n = size[1], .k = size[2]};
    const int counts[][2] = {{p.m, p.k}, {p.k, p.n}, {p.m, p.n}};
    for (int w = 0; w < 3; w++) {
        p.elements[w] = (size_t)counts[w][0] * (size_t)counts[w][1];
        p.bytes[w] = p.elements[w] * (size_t)(w == 2 ? type->out_bytes : type->in_bytes);
        p.memory[w] = aligned_alloc(4096, (p.bytes[w] + 4095) / 4096 * 4096);
        if (!p.memory[w])
            abort();
        for (size_t i = 0; w < 2 && i < p.elements[w]; i++)
            put(type, p.memory[w], i, value(i + (size_t)w * OTHER));
    }
    return p;
}

/* Some elements; C is spoilt for the next one to be looked at. */
static bool is_right(const struct problem *p, bool a_transposed, bool b_transposed)
{
    enum { STEP = 17 };
    bool right = true;
    for (size_t at = 0; at < p->elements[2];
         at += at + STEP < p->elements[2] || at + 1 == p->elements[2] ? STEP : p->elements[2] - 1 - at) {
        int i = (int)(at % (size_t)p->m), j = (int)(at / (size_t)p->m), sum = 0;
        for (int k = 0; k < p->k; k++)
            sum += value((size_t)(a_transposed ? k + i * p->k : i + k * p->m)) *
                   value((size_t)(b_transposed ? j + k * p->n : k + j * p->k) + OTHER);
        right &= number(p->type, p->memory[2], at) == sum;
        if (at > p->elements[2] / 8 && at < p->elements[2] / 8 * 7)
            at = p->elements[2] / 8 * 7;
    }
    memset(p->memory[2], 0, p->bytes[2]);
    return right;
}

/* ---- Tessera ---- */

static void write_text(char *to, const struct way *way, const struct problem *p)
{
    for (const char *from = way->text; *from; from++) {
        if (*from != '$') {
            *to++ = *from;
            continue;
        }
        switch (*++from) {
        case 'T':
            to += sprintf(to, "%s", p->type->in);
            break;
        case 'O':
            to += sprintf(to, "%s", p->type->out);
            break;
        case '1':
            to += sprintf(to, "%s", p->type->is_int ? "1" : "1.0");
            break;
        case '0':
            to += sprintf(to, "%s", p->type->is_int ? "0" : "0.0");
            break;
        default:
            to += sprintf(to, "%d", *from == 'M' ? p->m : *from == 'N' ? p->n : *from == 'K' ? p->k : p->m / TILE);
        }
    }
    *to = 0;
}

static struct kernel make_kernel(const struct way *way, const struct problem *p)
{
    char text[MOST_TEXT];
    write_text(text, way, p);
    struct kernel k = build_kernel(text);
    cl_uint next = 0;
    const cl_long sizes[][2] = {{way->a_transposed ? p->k : p->m, way->a_transposed ? p->m : p->k},
                                {way->b_transposed ? p->n : p->k, way->b_transposed ? p->k : p->n},
                                {p->m, p->n}};
    for (int w = 0; w < 3; w++) {
        k.memory[w] = clCreateBuffer(host.context, CL_MEM_USE_HOST_PTR, p->bytes[w], p->memory[w], NULL);
        BENCH_CHECK(clSetKernelArg(k.kernel, next++, sizeof(cl_mem), &k.memory[w]));
        for (int i = 0; way->open && i < 3; i++)
            BENCH_CHECK(clSetKernelArg(k.kernel, next++, sizeof(cl_long), &sizes[w][i % 2]));
    }
    if (way->tiles)
        k.global[2] = (size_t)(p->m / TILE) * (size_t)(p->n / TILE);
    return k;
}

/* ---- measurements ---- */

static clockid_t used_clock = CLOCK_MONOTONIC;

static void measure(const struct way *way, const struct problem *p, int rounds)
{
    static double own[MOST_ROUNDS], theirs[MOST_ROUNDS];
    struct product other;
    struct kernel kernel = make_kernel(way, p);
    bool made = make_product(p->type, 0, p->m, p->n, p->k, p->memory[0], p->memory[1], p->memory[2], &other), beside = made;
    run_kernel(&kernel);
    bool right = is_right(p, way->a_transposed, way->b_transposed);
    if (beside) {
        run_product(&other);
        beside = is_right(p, false, false);
    }
    for (int r = 0; r < rounds; r++) {
        double began = bench_clock_us(used_clock);
        run_kernel(&kernel);
        own[r] = bench_clock_us(used_clock) - began;
        began = bench_clock_us(used_clock);
        if (beside)
            run_product(&other);
        theirs[r] = bench_clock_us(used_clock) - began;
    }
    double operations = 2.0 * p->m * p->n * p->k, time = right ? bench_median(own, rounds) : NAN,
           least = beside ? bench_median(theirs, rounds) : NAN;
    printf("%-5s %4d x %4d x %4d  %-12s %9.0f us %7.1f Gop/s   oneDNN %9.0f us   ratio %5.2f%s\n", p->type->in, p->m, p->n, p->k, way->name,
           time, operations / time / 1e3, least, least / time, right ? "" : "   WRONG");
    fflush(stdout);
    if (made)
        free_product(&other);
    free_kernel(&kernel);
}

static bool is_named(const char *names, const struct type *type, const struct way *way)
{
    char name[64];
    snprintf(name, sizeof name, "%s %s", type->in, way->name);
    return strstr(name, names) != NULL;
}

int main(int argc, char **argv)
{
    int rounds = 7, size[3] = {1024, 1024, 1024};
    const char *names = "";
    for (int i = 1; i + 1 < argc; i += 2) {
        if (!strcmp(argv[i], "-r"))
            rounds = atoi(argv[i + 1]);
        else if (!strcmp(argv[i], "-k"))
            names = argv[i + 1];
        else if (!strcmp(argv[i], "-c"))
            used_clock = atoi(argv[i + 1]) ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC;
        else if (!strcmp(argv[i], "-s") && sscanf(argv[i + 1], "%d,%d,%d", &size[0], &size[1], &size[2]) == 1)
            size[1] = size[2] = size[0];
        else if (!strcmp(argv[i], "-t")) {
            setenv("TESSERA_THREADS", argv[i + 1], 1);
            setenv("OMP_NUM_THREADS", argv[i + 1], 1);
        }
    }
    rounds = rounds < 1 ? 1 : rounds > MOST_ROUNDS ? MOST_ROUNDS : rounds;
    if (!open_host()) {
        fprintf(stderr, "there is no CPU device of Tessera\n");
        return 1;
    }
    if (!open_library())
        printf("oneDNN 2.x is not there\n");
    for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
        struct problem p = make_problem(&types[t], size);
        for (size_t w = 0; w < sizeof ways / sizeof *ways; w++)
            if (is_named(names, &types[t], &ways[w]) && (!ways[w].tiles || (p.m % TILE == 0 && p.n % TILE == 0 && p.k % TILE == 0)))
                measure(&ways[w], &p, rounds);
        for (int w = 0; w < 3; w++)
            free(p.memory[w]);
    }
    return 0;
}
