/* SPDX-License-Identifier: Apache-2.0
 * Every conversion convert_D[_sat][_rounding](S): all pairs of types against a model in integers and long double; 8-bit sources
 * exhaustively, others on corners and random bits. convert [-n COUNT] [-w WIDTHS]: vector forms must equal the scalar form's results. */
#include <fenv.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "host/host.h"

enum kind { SIGNED, UNSIGNED, FLOATING };
enum mode { DEFAULT, RTE, RTZ, RTP, RTN, MODES };

static const struct type {
    const char *name;
    enum kind kind;
    int bits, digits, emin;
} types[] = {
    {"char", SIGNED, 8, 7, 0},         {"uchar", UNSIGNED, 8, 8, 0},        {"short", SIGNED, 16, 15, 0},
    {"ushort", UNSIGNED, 16, 16, 0},   {"int", SIGNED, 32, 31, 0},          {"uint", UNSIGNED, 32, 32, 0},
    {"long", SIGNED, 64, 63, 0},       {"ulong", UNSIGNED, 64, 64, 0},      {"half", FLOATING, 16, 11, -14},
    {"float", FLOATING, 32, 24, -126}, {"double", FLOATING, 64, 53, -1022},
};
enum { TYPES = sizeof types / sizeof types[0] };
static const char *const suffixes[MODES] = {"", "_rte", "_rtz", "_rtp", "_rtn"};

/* Every value of every type is one of long double, which has 64 bits. */
static long double value_of(const struct type *t, uint64_t bits)
{
    if (t->kind == UNSIGNED)
        return (long double)(t->bits == 64 ? bits : bits & ((1ULL << t->bits) - 1));
    if (t->kind == SIGNED)
        return (long double)((int64_t)(bits << (64 - t->bits)) >> (64 - t->bits));
    int mantissa_bits = t->digits - 1, exponent_bits = t->bits - t->digits;
    uint64_t mantissa = bits & ((1ULL << mantissa_bits) - 1), exponent = bits >> mantissa_bits & ((1ULL << exponent_bits) - 1);
    bool negative = bits >> (t->bits - 1) & 1;
    long double v;
    if (exponent == (1ULL << exponent_bits) - 1)
        v = mantissa ? NAN : INFINITY;
    else if (exponent == 0)
        v = ldexpl((long double)mantissa, t->emin - mantissa_bits);
    else
        v = ldexpl((long double)(mantissa | 1ULL << mantissa_bits), t->emin - mantissa_bits + (int)exponent - 1);
    return negative ? -v : v;
}

static long double rounded(long double v, enum mode mode)
{
    switch (mode) {
    case RTZ:
        return truncl(v);
    case RTP:
        return ceill(v);
    case RTN:
        return floorl(v);
    default:
        return rintl(v);
    }
}

/* False: the specification leaves the result open. */
static bool model(const struct type *d, long double v, enum mode mode, bool sat, long double *result)
{
    if (d->kind != FLOATING) {
        long double low = d->kind == SIGNED ? -ldexpl(1, d->digits) : 0, high = ldexpl(1, d->digits) - 1;
        if (isnan(v)) {
            *result = 0;
            return sat;
        }
        long double r = rounded(v, mode == DEFAULT ? RTZ : mode);
        *result = r < low ? low : r > high ? high : r;
        return sat || *result == r;
    }
    *result = v;
    if (!isfinite(v) || v == 0)
        return true;
    int e = ilogbl(v);
    long double u = ldexpl(1, (e < d->emin ? d->emin : e) + 1 - d->digits), r = rounded(v / u, mode == DEFAULT ? RTE : mode) * u;
    long double largest = ldexpl(2 - ldexpl(1, 1 - d->digits), 1 - d->emin);
    if (fabsl(r) > largest) {
        bool away = mode == DEFAULT || mode == RTE || (mode == RTP && v > 0) || (mode == RTN && v < 0);
        r = copysignl(away ? INFINITY : largest, v);
    }
    *result = copysignl(r, v);
    return true;
}

static uint64_t random_state = 88172645463325252ULL;
static uint64_t random_bits(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    return random_state ^= random_state << 17;
}

/* All of an 8-bit type; else small numbers, powers of two and their neighbours, then random bits with random magnitudes. */
static uint64_t source(const struct type *s, size_t i)
{
    if (s->bits == 8)
        return i;
    if (s->kind != FLOATING)
        return i < 128   ? (1ULL << (i % 64)) + i / 64 * 2 - 1
               : i < 256 ? -(1ULL << (i % 64)) + i / 64 - 2
                         : random_bits() >> random_bits() % 64;
    static const double special[] = {0.0,        -0.0,     0.5,       -0.5, 1.5,   -1.5,  2.5,      -2.5,
                                     0.49999997, INFINITY, -INFINITY, NAN,  65504, 65520, 65519.996};
    int mantissa_bits = s->digits - 1, bias = 1 - s->emin;
    double v = i < 15 ? special[i] : 0;
    uint64_t bits;
    if (i < 15) {
        float f = (float)v;
        uint32_t u;
        memcpy(&bits, &v, 8);
        memcpy(&u, &f, 4);
        if (s->bits == 64)
            return bits;
        if (s->bits == 32)
            return u;
        return random_bits();
    }
    if (i % 2)
        return random_bits();
    /* Exponents around those of integers. */
    int exponent = (int)(random_bits() % 70) - 3;
    if (exponent > bias)
        exponent = bias;
    bits = random_bits() & ((1ULL << mantissa_bits) - 1);
    if (i % 4 == 0)
        bits &= ~0ULL << (random_bits() % (unsigned)(mantissa_bits + 1));
    return (random_bits() & 1) << (s->bits - 1) | (uint64_t)(exponent + bias) << mantissa_bits | bits;
}

static size_t kernel_name(char *at, const struct type *d, const struct type *s, bool sat, enum mode mode, int width)
{
    return (size_t)sprintf(at, "%s_%s%s%s_%d", d->name, s->name, sat ? "_sat" : "", suffixes[mode], width);
}

static bool exists(const struct type *d, bool sat)
{
    return !sat || d->kind != FLOATING;
}

static cl_program program_to(const struct session *s, const struct type *d, const int *widths, int width_count)
{
    size_t room = (size_t)TYPES * 2 * MODES * 320 * (size_t)width_count + 256;
    char *text = malloc(room), *at = text, name[96];
    REQUIRE(text, "out of memory");
    at += sprintf(at, "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n");
    for (int k = 0; k < TYPES; k++)
        for (int sat = 0; sat < 2; sat++)
            for (int mode = 0; mode < MODES; mode++)
                for (int w = 0; w < width_count; w++) {
                    if (!exists(d, sat))
                        continue;
                    kernel_name(name, d, &types[k], sat, (enum mode)mode, widths[w]);
                    at += sprintf(at, "kernel void %s(global %s *in, global %s *out) { size_t i = get_global_id(0); ", name, types[k].name,
                                  d->name);
                    if (widths[w] == 1)
                        at += sprintf(at, "out[i] = convert_%s%s%s(in[i]); }\n", d->name, sat ? "_sat" : "", suffixes[mode]);
                    else
                        at += sprintf(at, "vstore%d(convert_%s%d%s%s(vload%d(i, in)), i, out); }\n", widths[w], d->name, widths[w],
                                      sat ? "_sat" : "", suffixes[mode], widths[w]);
                }
    cl_program p = build(s, text, "-cl-std=CL1.2");
    free(text);
    return p;
}

/* What the conversions of a pair of types are tried with. */
struct trial {
    const struct session *session;
    const struct type *from, *to;
    size_t n;
    uint64_t *bits;     /* of the sources */
    unsigned char *out; /* what came back */
    cl_mem in_buffer, out_buffer;
};

static void write_sources(struct trial *t, unsigned char *in)
{
    size_t bytes = (size_t)t->from->bits / 8;
    for (size_t i = 0; i < t->n; i++) {
        t->bits[i] = source(t->from, i) & (~0ULL >> (64 - t->from->bits));
        memcpy(in + i * bytes, &t->bits[i], bytes);
    }
    cl_int err = clEnqueueWriteBuffer(t->session->queue, t->in_buffer, CL_TRUE, 0, t->n * bytes, in, 0, NULL, NULL);
    REQUIRE(err == CL_SUCCESS, "clEnqueueWriteBuffer: %d", err);
}

static void run_conversion(struct trial *t, cl_program program, const char *name, int width)
{
    cl_int err;
    cl_kernel kernel = clCreateKernel(program, name, &err);
    REQUIRE(kernel, "clCreateKernel(%s): %d", name, err);
    clSetKernelArg(kernel, 0, sizeof t->in_buffer, &t->in_buffer);
    clSetKernelArg(kernel, 1, sizeof t->out_buffer, &t->out_buffer);
    size_t global = t->n / (size_t)width;
    err = clEnqueueNDRangeKernel(t->session->queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL);
    REQUIRE(err == CL_SUCCESS, "clEnqueueNDRangeKernel(%s): %d", name, err);
    err = clEnqueueReadBuffer(t->session->queue, t->out_buffer, CL_TRUE, 0, t->n * (size_t)t->to->bits / 8, t->out, 0, NULL, NULL);
    REQUIRE(err == CL_SUCCESS, "clEnqueueReadBuffer(%s): %d", name, err);
    clReleaseKernel(kernel);
}

/* False: told. */
static bool check_conversion(const struct trial *t, const char *name, bool sat, enum mode mode)
{
    const struct type *d = t->to, *s = t->from;
    bool floating = d->kind == FLOATING && s->kind == FLOATING, integers = d->kind != FLOATING && s->kind != FLOATING;
    for (size_t i = 0; i < t->n; i++) {
        uint64_t got_bits = 0;
        memcpy(&got_bits, t->out + i * (size_t)d->bits / 8, (size_t)d->bits / 8);
        long double v = value_of(s, t->bits[i]), got = value_of(d, got_bits), want;
        if (!sat && integers) /* narrowing wraps, even without _sat */
            want = s->kind == SIGNED ? value_of(d, (uint64_t)(int64_t)v) : value_of(d, t->bits[i]);
        else if (!model(d, v, mode, sat, &want))
            continue;
        if (got == want ? !floating || signbit(got) == signbit(want) : isnan(got) && isnan(want))
            continue;
        printf("FAIL %s: from %La (0x%llx) got %La, want %La\n", name, v, (unsigned long long)t->bits[i], got, want);
        return false;
    }
    return true;
}

/* Every conversion between the two types; the program has them all. */
static int try_pair(struct trial *t, cl_program program, const int *widths, int width_count, int *tested)
{
    int failed = 0;
    for (int variant = 0; variant < 2 * MODES * width_count; variant++) {
        bool sat = variant & 1;
        enum mode mode = (enum mode)(variant / 2 % MODES);
        int width = widths[variant / 2 / MODES];
        if (!exists(t->to, sat))
            continue;
        char name[96];
        kernel_name(name, t->to, t->from, sat, mode, width);
        run_conversion(t, program, name, width);
        failed += !check_conversion(t, name, sat, mode);
        ++*tested;
    }
    return failed;
}

int main(int argc, char **argv)
{
    size_t n = 2048;
    int widths[8] = {1}, width_count = 1;
    for (int i = 1; i + 1 < argc; i += 2) {
        if (!strcmp(argv[i], "-n"))
            n = strtoul(argv[i + 1], NULL, 10);
        else if (!strcmp(argv[i], "-w"))
            for (char *p = strtok(argv[i + 1], ","); p && width_count < 8; p = strtok(NULL, ","))
                widths[width_count++] = atoi(p);
    }
    n = (n + 47) / 48 * 48; /* a multiple of every width */
    fesetround(FE_TONEAREST);
    struct session s = open_session();
    unsigned char *in = calloc(n, 8);
    struct trial t = {.session = &s, .n = n, .bits = calloc(n, sizeof *t.bits), .out = calloc(n, 8)};
    REQUIRE(in && t.bits && t.out, "out of memory");
    cl_int err;
    t.in_buffer = clCreateBuffer(s.context, CL_MEM_READ_ONLY, n * 8, NULL, &err);
    t.out_buffer = clCreateBuffer(s.context, CL_MEM_READ_WRITE, n * 8, NULL, &err);
    REQUIRE(t.in_buffer && t.out_buffer, "clCreateBuffer: %d", err);
    int failed = 0, tested = 0;
    for (t.to = types; t.to < types + TYPES; t.to++) {
        cl_program program = program_to(&s, t.to, widths, width_count);
        for (t.from = types; t.from < types + TYPES; t.from++) {
            write_sources(&t, in);
            failed += try_pair(&t, program, widths, width_count, &tested);
        }
        clReleaseProgram(program);
    }
    clReleaseMemObject(t.in_buffer);
    clReleaseMemObject(t.out_buffer);
    free(in);
    free(t.bits);
    free(t.out);
    close_session(&s);
    printf("%d conversions tested, %d failures\n", tested, failed);
    return failed || !tested;
}
