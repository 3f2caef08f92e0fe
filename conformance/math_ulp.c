/* SPDX-License-Identifier: Apache-2.0
 * Measures the error of every math function against long double and compares it with what OpenCL C allows (math.def).
 * math_ulp [-n COUNT] [-s SEED] [-w WIDTHS] [-t float|double|half] [-v] [NAME...]
 * COUNT random arguments per function beside the special ones; -w 2,3,4,8,16: vector forms, whose results must equal the scalar form's. */
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>

#include "host/host.h"

enum form { X, XY, XYZ, XN, I, XP, XPI, XYPI };
enum { ANY = -1 };

struct type {
    const char *name, *extension;
    int digits, emin, bytes;
};
static const struct type types[] = {
    {"float", "", 24, -126, 4},
    {"double", "cl_khr_fp64", 53, -1022, 8},
    {"half", "cl_khr_fp16", 11, -14, 2},
};
static const struct type *type; /* the one under test: some references depend on it */

/* One call: arguments and results. */
struct call {
    long double x, y, z;
    int n;
    long double second; /* second result, of P forms */
    int integer;        /* second result of PI forms, or the result of form I */
};

/* ---- numbers of the type under test ---- */

static long double largest(void)
{
    return ldexpl(2 - ldexpl(1, 1 - type->digits), 1 - type->emin);
}

static long double ulp_of(long double r)
{
    int e = r == 0 || !isfinite(r) ? type->emin : ilogbl(r);
    return ldexpl(1, (e < type->emin ? type->emin : e) + 1 - type->digits);
}

/* Rounds to the nearest value of the type, ties to even. */
static long double rounded(long double r)
{
    if (!isfinite(r) || r == 0)
        return r;
    long double u = ulp_of(r), s = rintl(r / u) * u;
    return fabsl(s) > largest() ? copysignl(INFINITY, r) : copysignl(s, r);
}

static void store(void *at, long double value)
{
    if (type->bytes == 8) {
        double d = (double)value;
        memcpy(at, &d, 8);
    } else if (type->bytes == 4) {
        float f = (float)value;
        memcpy(at, &f, 4);
    } else {
        uint16_t sign = signbit(value) ? 0x8000 : 0, bits;
        long double a = fabsl(value);
        if (isnan(value))
            bits = 0x7e00;
        else if (isinf(value))
            bits = 0x7c00;
        else if (a < 0x1p-14L)
            bits = (uint16_t)(a * 0x1p24L);
        else
            bits = (uint16_t)(((unsigned)(ilogbl(a) + 15) << 10) + (unsigned)((a / ldexpl(1, ilogbl(a)) - 1) * 1024));
        bits |= sign;
        memcpy(at, &bits, 2);
    }
}

static long double load(const void *at)
{
    if (type->bytes == 8) {
        double d;
        memcpy(&d, at, 8);
        return d;
    }
    if (type->bytes == 4) {
        float f;
        memcpy(&f, at, 4);
        return f;
    }
    uint16_t h;
    memcpy(&h, at, 2);
    int e = h >> 10 & 31, m = h & 0x3ff;
    long double a = e == 31 ? (m ? NAN : INFINITY) : e ? ldexpl(1024 + m, e - 25) : ldexpl(m, -24);
    return h & 0x8000 ? -a : a;
}

/* ---- references that libm lacks ---- */

static const long double pi = 3.14159265358979323846264338327950288L;

static long double sinpi_ref(long double x)
{
    if (!isfinite(x))
        return NAN;
    long double r = fmodl(x, 2);
    if (fabsl(r) == 1 || r == 0)
        return copysignl(0, x);
    if (fabsl(r) > 1)
        r -= copysignl(2, r);
    if (fabsl(r) > 0.5L)
        r = copysignl(1, r) - r;
    return sinl(pi * r);
}

static long double cospi_ref(long double x)
{
    if (!isfinite(x))
        return NAN;
    long double r = fabsl(fmodl(x, 2));
    if (r > 1)
        r = 2 - r;
    return r == 0.5L ? 0 : r > 0.5L ? -sinl(pi * (r - 0.5L)) : r < 0.25L ? cosl(pi * r) : sinl(pi * (0.5L - r));
}

/* Signs of zeros and infinities as the specification of tanpi lists them: tanpi(n) is +0 for even, -0 for odd positive n … */
static long double tanpi_ref(long double x)
{
    if (!isfinite(x))
        return NAN;
    long double r = fmodl(fabsl(x), 2), s;
    if (r == 0 || r == 1)
        s = r == 0 ? 0.0L : -0.0L;
    else if (r == 0.5L || r == 1.5L)
        s = r == 0.5L ? INFINITY : -INFINITY;
    else
        s = sinpi_ref(r) / cospi_ref(r);
    return signbit(x) ? -s : s;
}

static long double acospi_ref(long double x)
{
    return acosl(x) / pi;
}
static long double asinpi_ref(long double x)
{
    return asinl(x) / pi;
}
static long double atanpi_ref(long double x)
{
    return atanl(x) / pi;
}
static long double atan2pi_ref(long double y, long double x)
{
    return atan2l(y, x) / pi;
}
static long double sqrt_ref(long double x)
{
    return type->bytes == 8 ? sqrt((double)x) : sqrtl(x); /* long double would be rounded twice */
}
static long double fdim_ref(long double x, long double y)
{
    return type->bytes == 8 ? fdim((double)x, (double)y) : fdiml(x, y);
}
static long double rsqrt_ref(long double x)
{
    return 1 / sqrtl(x);
}
static long double lgamma_ref(long double x)
{
    return lgammal(x);
}
static long double maxmag_ref(long double x, long double y)
{
    return fabsl(x) > fabsl(y) ? x : fabsl(y) > fabsl(x) ? y : fmaxl(x, y);
}
static long double minmag_ref(long double x, long double y)
{
    return fabsl(x) < fabsl(y) ? x : fabsl(y) < fabsl(x) ? y : fminl(x, y);
}

static long double nextafter_ref(long double x, long double y)
{
    if (isnan(x) || isnan(y))
        return NAN;
    if (x == y)
        return y;
    if (x == 0)
        return copysignl(ldexpl(1, type->emin + 1 - type->digits), y);
    if (isinf(x))
        return copysignl(largest(), x);
    bool outward = (y > x) == (x > 0);
    long double u = ulp_of(x), a = fabsl(x);
    if (outward)
        a += u;
    else
        a -= a == ldexpl(1, ilogbl(a)) && ilogbl(a) > type->emin ? u / 2 : u;
    return copysignl(a > largest() ? INFINITY : a, x);
}

static long double fma_ref(long double x, long double y, long double z)
{
    if (type->bytes == 8)
        return fma((double)x, (double)y, (double)z);
    if (type->bytes == 4)
        return fmaf((float)x, (float)y, (float)z);
    long double p = x * y;
    if (!isfinite(p) || !isfinite(z) || p + z == 0)
        return p + z;
    /* Exact in 113 bits; rounded to odd in long double, so that one rounding to half remains. */
    __float128 exact = (__float128)p + z;
    long double r = (long double)exact;
    if ((__float128)r != exact && fmodl(r / ldexpl(1, ilogbl(r) - 63), 2) == 0)
        r = nextafterl(r, (__float128)r < exact ? INFINITY : -INFINITY);
    return r;
}

static long double ldexp_ref(long double x, int n)
{
    return ldexpl(x, n);
}
static long double pown_ref(long double x, int n)
{
    return powl(x, n);
}
static long double powr_ref(long double x, long double y)
{
    if (isnan(x) || isnan(y) || x < 0 || (x == 0 && y == 0) || (isinf(x) && y == 0) || (x == 1 && isinf(y)))
        return NAN;
    return powl(fabsl(x), y);
}
static long double rootn_ref(long double x, int n)
{
    if (n == 0 || (x < 0 && n % 2 == 0))
        return NAN;
    long double r = n % 2 == 0 && x == 0 ? powl(0, 1.0L / n) : powl(fabsl(x), 1.0L / n);
    if (isfinite(r) && r > 0) /* 1/n is not exact: one step of Newton on log r */
        r *= 1 + (logl(fabsl(x)) / n - logl(r));
    return n % 2 != 0 ? copysignl(r, x) : r;
}
static int ilogb_ref(long double x)
{
    return isnan(x) ? INT32_MAX : x == 0 ? INT32_MIN : isinf(x) ? INT32_MAX : ilogbl(x);
}
static long double fract_ref(long double x, long double *whole)
{
    *whole = floorl(x);
    if (!isfinite(x))
        return isnan(x) ? x : copysignl(0, x);
    long double r = rounded(x - *whole);
    return x == 0 ? x : r >= 1 ? 1 - ldexpl(1, -type->digits) : r;
}
static long double modf_ref(long double x, long double *whole)
{
    return modfl(x, whole);
}
static long double sincos_ref(long double x, long double *cosine)
{
    *cosine = cosl(x);
    return sinl(x);
}
static long double frexp_ref(long double x, int *exponent)
{
    *exponent = 0;
    return frexpl(x, exponent);
}
static long double lgamma_r_ref(long double x, int *sign)
{
    long double r = lgammal_r(x, sign);
    if (isnan(x) || isinf(x) || (x < 0 && x == floorl(x)))
        *sign = INT32_MIN; /* any */
    return r;
}
static long double remquo_ref(long double x, long double y, int *quotient)
{
    return remquol(x, y, quotient);
}

/* ---- the functions ---- */

typedef long double (*ref_x)(long double);
typedef long double (*ref_xy)(long double, long double);
typedef long double (*ref_xyz)(long double, long double, long double);
typedef long double (*ref_xn)(long double, int);
typedef int (*ref_i)(long double);
typedef long double (*ref_xp)(long double, long double *);
typedef long double (*ref_xpi)(long double, int *);
typedef long double (*ref_xypi)(long double, long double, int *);

static const struct function {
    const char *name;
    enum form form;
    void (*reference)(void);
    int allowed[3];
} functions[] = {
#define F(name, form, reference, f, d, h) {#name, form, (void (*)(void))reference, {f, d, h}},
#include "math.def"
#undef F
};
enum { FUNCTIONS = sizeof functions / sizeof functions[0] };

static long double refer(const struct function *f, struct call *c)
{
    switch (f->form) {
    case X:
        return ((ref_x)f->reference)(c->x);
    case XY:
        return ((ref_xy)f->reference)(c->x, c->y);
    case XYZ:
        return ((ref_xyz)f->reference)(c->x, c->y, c->z);
    case XN:
        return ((ref_xn)f->reference)(c->x, c->n);
    case I:
        c->integer = ((ref_i)f->reference)(c->x);
        return 0;
    case XP:
        return ((ref_xp)f->reference)(c->x, &c->second);
    case XPI:
        return ((ref_xpi)f->reference)(c->x, &c->integer);
    case XYPI:
        return ((ref_xypi)f->reference)(c->x, c->y, &c->integer);
    }
    return NAN;
}

/* Error in ulp; infinite when the class is wrong. */
static long double error_of(long double got, long double want, bool any, bool any_zero)
{
    long double nearest = rounded(want);
    if (isnan(nearest) || isnan(got))
        return isnan(nearest) && isnan(got) ? 0 : INFINITY;
    if (got == nearest)
        return signbit(got) == signbit(nearest) || want != 0 || any_zero ? 0 : INFINITY;
    if (any)
        return isinf(got) != isinf(nearest) ? INFINITY : 0;
    if (isinf(want))
        return INFINITY;
    long double beyond = 2 * ldexpl(1, -type->emin + 1);
    if (isinf(got))
        got = copysignl(beyond, got);
    return fabsl(got - want) / ulp_of(want);
}

/* ---- arguments ---- */

static uint64_t random_state = 1;
static uint64_t random_bits(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state * 0x2545f4914f6cdd1dULL;
}

static const long double special[] = {0.0L,
                                      -0.0L,
                                      1,
                                      -1,
                                      0.5L,
                                      -0.5L,
                                      2,
                                      -2,
                                      3,
                                      -3,
                                      1.5L,
                                      -1.5L,
                                      2.5L,
                                      -2.5L,
                                      4,
                                      7,
                                      8,
                                      10,
                                      -10,
                                      16.25L,
                                      100.5L,
                                      -33,
                                      1e3L,
                                      1e4L,
                                      INFINITY,
                                      -INFINITY,
                                      NAN,
                                      0.785398163397448L,
                                      1.5707963267948966L,
                                      3.14159265358979L,
                                      -3.14159265358979L,
                                      2.718281828459045L,
                                      0.99999L,
                                      1.00001L,
                                      0.1L,
                                      1e-3L};

/* The errors of all steps of a tangent of a double add up here, and of a tangent of a multiple of pi at the last. */
static const long double tangents[] = {0x1.24fb20075b28p+16L, 0x1.0cf1ab568c34p+19L, -0x1.00000000002p+605L, 0x1.ffbdc171928a6p-3L};

/* The logarithm of such x, times y, is about half way between whole numbers, and its low part is large. */
static const long double powers[][2] = {
    {0x1.73f00b87fccep0L, 0x1.6c784c2a327520p10L}, {-0x1.759aaa9f658b8p-1L, 1967}, {0x1.79102c54ca52p-1L, 0x1.b4525df3aa0f4p10L}};

/* The i-th argument: special values, edges of the format, tangents, then random: any bits, of moderate size, or near one in turns. */
static long double argument(size_t i)
{
    enum { S = sizeof special / sizeof special[0] };
    long double tiny = ldexpl(1, type->emin + 1 - type->digits), normal = ldexpl(1, type->emin);
    const long double edges[] = {tiny,
                                 -tiny,
                                 2 * tiny,
                                 -3 * tiny,
                                 normal,
                                 -normal,
                                 normal - tiny,
                                 largest(),
                                 -largest(),
                                 1 + ldexpl(1, 1 - type->digits),
                                 1 - ldexpl(1, -type->digits),
                                 ldexpl(1, type->digits - 1) + 1,
                                 ldexpl(1, type->digits)};
    enum { E = sizeof edges / sizeof edges[0], T = sizeof tangents / sizeof tangents[0] };
    if (i < S)
        return rounded(special[i]);
    if (i < S + E)
        return edges[i - S];
    if (i < S + E + T)
        return rounded(tangents[i - S - E]);
    uint64_t bits = random_bits();
    long double unit = (long double)(random_bits() >> 11) * 0x1p-53L;
    switch (bits % 4) {
    case 0: {
        uint64_t any = random_bits();
        return load(&any);
    }
    case 1:
        return rounded((unit * 2 - 1) * 20);
    case 2:
        return rounded((unit * 2 - 1) * ldexpl(1, (int)(bits >> 8 & 31) - 16));
    default:
        return rounded(1 + (unit * 2 - 1) * 0.25L) * (bits & 256 ? -1 : 1);
    }
}
enum { CROSSED = 49 }; /* so many arguments are combined with each other */

static void fill(const struct function *f, struct call *calls, size_t n)
{
    bool two = f->form == XY || f->form == XYZ || f->form == XYPI || f->form == XN;
    static const int whole[] = {0,    1,     -1,   2,     -2,        3,         -3, 4,   5,   7,    10,    -10, 100,
                                1000, -1000, 2000, -2000, INT32_MAX, INT32_MIN, 23, -24, 149, -149, -1074, 1023};
    enum { W = sizeof whole / sizeof whole[0] };
    for (size_t i = 0; i < n; i++) {
        struct call *c = &calls[i];
        bool crossed = two && i < CROSSED * CROSSED;
        c->x = argument(crossed ? i / CROSSED : i);
        c->y = argument(crossed ? i % CROSSED : CROSSED + i);
        c->z = argument(i < 200 ? random_bits() % CROSSED : i);
        c->n = crossed ? whole[i % CROSSED % W] : (int)(random_bits() >> 33) >> (random_bits() % 32);
        if (f->form == XYZ && i >= CROSSED * CROSSED && i % 4 == 0) /* near cancellation */
            c->z = rounded(-c->x * c->y);
        if (f->form == XYZ && i < CROSSED * CROSSED)
            c->z = argument(random_bits() % CROSSED);
        size_t power = i - CROSSED * CROSSED;
        if (two && !crossed && power < sizeof powers / sizeof powers[0]) {
            c->x = rounded(powers[power][0]);
            c->y = rounded(powers[power][1]);
            c->n = (int)powers[power][1];
        }
    }
}

/* ---- running ---- */

struct buffers {
    cl_mem x, y, z, n, out, second, integer;
};

__attribute__((format(printf, 2, 3))) static void append(char **at, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    *at += vsprintf(*at, format, args);
    va_end(args);
}

/* One kernel: loads vectors of `width`, calls, stores. */
static void kernel_text(char **at, const struct function *f, int width)
{
    char v[24], iv[24], w[8];
    w[0] = '\0';
    if (width > 1)
        snprintf(w, sizeof w, "%d", width);
    snprintf(v, sizeof v, "%s%s", type->name, w);
    snprintf(iv, sizeof iv, "int%s", w);
    append(at,
           "kernel void t_%s%s(global %s *xs, global %s *ys, global %s *zs, global int *ns, global %s *out, global %s *seconds,"
           " global int *integers) {\n size_t i = get_global_id(0);\n",
           f->name, w, type->name, type->name, type->name, type->name, type->name);
#define LOAD(name, T, from) append(at, width > 1 ? " %s " name " = vload%d(i, " from ");\n" : " %s " name " = " from "[i];\n", T, width)
    LOAD("x", v, "xs");
    if (f->form == XY || f->form == XYZ || f->form == XYPI)
        LOAD("y", v, "ys");
    if (f->form == XYZ)
        LOAD("z", v, "zs");
    if (f->form == XN)
        LOAD("n", iv, "ns");
    static const char *const arguments[] = {[X] = "x", [XY] = "x, y",  [XYZ] = "x, y, z", [XN] = "x, n",
                                            [I] = "x", [XP] = "x, &p", [XPI] = "x, &k",   [XYPI] = "x, y, &k"};
    if (f->form == XP)
        append(at, " %s p;\n", v);
    append(at, " %s k = 0;\n %s r = 0;\n", iv, v);
    append(at, " %s = %s(%s);\n", f->form == I ? "k" : "r", f->name, arguments[f->form]);
    if (width > 1)
        append(at, " vstore%d(r, i, out); vstore%d(k, i, integers);%s", width, width, "");
    else
        append(at, " out[i] = r; integers[i] = k;");
    if (f->form == XP)
        append(at, width > 1 ? " vstore%d(p, i, seconds);" : " seconds[i] = p;", width);
    append(at, "\n}\n");
}

static cl_program program_of(const struct session *s, const struct function *const *wanted, int count, int width)
{
    char *text = malloc((size_t)count * 1024 + 256), *at = text;
    REQUIRE(text, "out of memory");
    if (*type->extension)
        append(&at, "#pragma OPENCL EXTENSION %s : enable\n", type->extension);
    for (int i = 0; i < count; i++)
        kernel_text(&at, wanted[i], width);
    cl_program p = build(s, text, "-cl-std=CL1.2");
    free(text);
    return p;
}

static cl_mem buffer(const struct session *s, size_t size)
{
    cl_int err;
    cl_mem m = clCreateBuffer(s->context, CL_MEM_READ_WRITE, size, NULL, &err);
    REQUIRE(m, "clCreateBuffer: %d", err);
    return m;
}

static void run(const struct session *s, cl_program program, const struct function *f, int width, size_t n, const struct buffers *b)
{
    char name[64];
    snprintf(name, sizeof name, width > 1 ? "t_%s%d" : "t_%s", f->name, width);
    cl_int err;
    cl_kernel kernel = clCreateKernel(program, name, &err);
    REQUIRE(kernel, "clCreateKernel(%s): %d", name, err);
    const cl_mem args[] = {b->x, b->y, b->z, b->n, b->out, b->second, b->integer};
    for (cl_uint i = 0; i < 7; i++)
        REQUIRE(clSetKernelArg(kernel, i, sizeof(cl_mem), &args[i]) == CL_SUCCESS, "argument %u", i);
    size_t global = n / (size_t)width;
    err = clEnqueueNDRangeKernel(s->queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL);
    REQUIRE(err == CL_SUCCESS, "clEnqueueNDRangeKernel(%s): %d", name, err);
    clReleaseKernel(kernel);
}

static void move(const struct session *s, cl_mem m, void *data, size_t size, bool write)
{
    cl_int err = write ? clEnqueueWriteBuffer(s->queue, m, CL_TRUE, 0, size, data, 0, NULL, NULL)
                       : clEnqueueReadBuffer(s->queue, m, CL_TRUE, 0, size, data, 0, NULL, NULL);
    REQUIRE(err == CL_SUCCESS, "transfer: %d", err);
}

static bool verbose;

static bool same_integer(const struct function *f, const struct call *c, int got, long double want)
{
    if (f->form == I && (isnan(c->x) || c->x == 0)) /* FP_ILOGBNAN and FP_ILOGB0 may each be one of two */
        return got == INT32_MIN || got == (isnan(c->x) ? INT32_MAX : -INT32_MAX);
    if (f->form == XPI)
        return !isfinite(c->x) || c->integer == INT32_MIN || got == c->integer;
    if (f->form == XYPI) {
        bool negative = signbit(c->x) != signbit(c->y);
        return isnan(want) || ((abs(got) & 7) == (abs(c->integer) & 7) && (got == 0 || (got < 0) == negative));
    }
    return f->form != I || got == c->integer;
}

/* An angle in units of pi that is a multiple of a quarter, or the sine or cosine of multiples of a half: no error is allowed. */
static bool exact_angle(const struct function *f, const struct call *c)
{
    if (f->reference == (void (*)(void))sinpi_ref || f->reference == (void (*)(void))cospi_ref)
        return fmodl(c->x, 0.5L) == 0;
    if (f->reference == (void (*)(void))atan2pi_ref)
        return c->x == 0 || c->y == 0 || isinf(c->x) || isinf(c->y) || fabsl(c->x) == fabsl(c->y);
    bool arc = f->reference == (void (*)(void))asinpi_ref || f->reference == (void (*)(void))acospi_ref;
    return (arc || f->reference == (void (*)(void))atanpi_ref) && (c->x == 0 || fabsl(c->x) == 1 || isinf(c->x));
}

static bool is_lgamma(const struct function *f)
{
    return f->reference == (void (*)(void))lgamma_ref || f->reference == (void (*)(void))lgamma_r_ref;
}

/* 0, or 1 with the worst call printed. */
static int check(const struct function *f, struct call *calls, size_t n, const unsigned char *out, const unsigned char *second,
                 const int *integers)
{
    int allowed = f->allowed[type - types];
    /* The specification leaves the sign of a zero open where two zeros compare equal. */
    bool any_zero = f->reference == (void (*)(void))fminl || f->reference == (void (*)(void))fmaxl || f->form == XP ||
                    f->reference == (void (*)(void))maxmag_ref || f->reference == (void (*)(void))minmag_ref;
    long double worst = 0, bad_want = 0, bad_got = 0;
    const struct call *bad = NULL;
    for (size_t i = 0; i < n; i++) {
        struct call *c = &calls[i];
        long double want = refer(f, c), got = load(out + i * (size_t)type->bytes), e = 0;
        if (f->form != I)
            e = error_of(got, want, allowed == ANY, any_zero);
        /* Left of zero the result is a difference, which may be near zero: the error is one of what it is made of. */
        if (is_lgamma(f) && c->x < 0 && fabsl(want) < 1 && isfinite(e))
            e *= ulp_of(want) / ulp_of(1);
        if (e > 0 && exact_angle(f, c))
            e = INFINITY;
        if (f->form == XP) {
            long double got2 = load(second + i * (size_t)type->bytes), e2 = error_of(got2, c->second, false, any_zero);
            if (e2 > e)
                e = e2, want = c->second, got = got2;
        }
        if (!same_integer(f, c, integers[i], want)) {
            e = INFINITY;
            want = c->integer;
            got = integers[i];
        }
        if (e > worst || (!bad && e > 0)) {
            worst = e;
            bad = c;
            bad_want = want;
            bad_got = got;
        }
    }
    bool failed = worst > (allowed > 0 ? allowed : 0); /* exact functions give the nearest value itself */
    if (failed || verbose) {
        printf("%s %s(%s): %.3Lf ulp of %d", failed ? "FAIL" : "ok  ", f->name, type->name, worst, allowed);
        if (bad)
            printf(" at x=%La y=%La z=%La n=%d: got %La, want %La", bad->x, bad->y, bad->z, bad->n, bad_got, bad_want);
        putchar('\n');
    }
    return failed;
}

enum { MOST_WIDTHS = 8, TYPES = sizeof types / sizeof *types };

/* What the command line asks for. */
struct command {
    size_t n; /* calls of each function */
    int widths[MOST_WIDTHS], width_count;
    const char *only_type;
    const struct function *functions[FUNCTIONS];
    int function_count;
};

static void parse_command(int argc, char **argv, struct command *command)
{
    *command = (struct command){.n = 20000, .widths = {1}, .width_count = 1};
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "-n") && i + 1 < argc)
            command->n = strtoul(argv[++i], NULL, 10);
        else if (!strcmp(argv[i], "-s") && i + 1 < argc)
            random_state = strtoull(argv[++i], NULL, 10) | 1;
        else if (!strcmp(argv[i], "-t") && i + 1 < argc)
            command->only_type = argv[++i];
        else if (!strcmp(argv[i], "-v"))
            verbose = true;
        else if (!strcmp(argv[i], "-w") && i + 1 < argc) {
            for (char *p = strtok(argv[++i], ","); p && command->width_count < MOST_WIDTHS; p = strtok(NULL, ","))
                command->widths[command->width_count++] = atoi(p);
        } else {
            int before = command->function_count;
            for (int k = 0; k < FUNCTIONS; k++)
                if (!strcmp(functions[k].name, argv[i]))
                    command->functions[command->function_count++] = &functions[k];
            REQUIRE(command->function_count > before, "no function %s", argv[i]);
        }
    }
    if (!command->function_count)
        for (; command->function_count < FUNCTIONS; command->function_count++)
            command->functions[command->function_count] = &functions[command->function_count];
    command->n = (command->n + 47) / 48 * 48; /* a multiple of every width */
}

/* Calls and their results on the host; `scalar` results are those that the vector forms have to give too. */
struct host {
    struct call *calls;
    unsigned char *out, *scalar, *second, *staging;
    int *integers, *scalar_integers;
};

static struct host host_memory(size_t n)
{
    struct host h = {calloc(n, sizeof *h.calls), malloc(n * 8), malloc(n * 8), malloc(n * 8), malloc(n * 8), malloc(n * 4), malloc(n * 4)};
    REQUIRE(h.calls && h.out && h.scalar && h.second && h.staging && h.integers && h.scalar_integers, "out of memory");
    return h;
}

static void free_host(struct host *h)
{
    free(h->calls);
    free(h->out);
    free(h->scalar);
    free(h->second);
    free(h->staging);
    free(h->integers);
    free(h->scalar_integers);
}

static void write_calls(const struct session *s, const struct host *h, size_t n, const struct buffers *b)
{
    const cl_mem inputs[] = {b->x, b->y, b->z};
    for (int a = 0; a < 3; a++) {
        for (size_t i = 0; i < n; i++)
            store(h->staging + i * (size_t)type->bytes, a == 0 ? h->calls[i].x : a == 1 ? h->calls[i].y : h->calls[i].z);
        move(s, inputs[a], h->staging, n * (size_t)type->bytes, true);
    }
    for (size_t i = 0; i < n; i++)
        memcpy(h->staging + 4 * i, &h->calls[i].n, 4);
    move(s, b->n, h->staging, n * 4, true);
}

/* 0, or 1 with the first difference printed. */
static int compare_with_scalar(const struct function *f, int width, const struct host *h, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        long double a = load(h->out + i * (size_t)type->bytes), c = load(h->scalar + i * (size_t)type->bytes);
        if ((a == c || (isnan(a) && isnan(c))) && h->integers[i] == h->scalar_integers[i])
            continue;
        printf("FAIL %s(%s%d) differs from the scalar form at x=%La y=%La n=%d: %La, not %La\n", f->name, type->name, width, h->calls[i].x,
               h->calls[i].y, h->calls[i].n, a, c);
        return 1;
    }
    return 0;
}

/* The scalar form against the reference, the others against the scalar form. */
static int test_function(const struct session *s, const struct command *command, const struct function *f, const cl_program *programs,
                         const struct host *h, const struct buffers *b)
{
    size_t n = command->n, bytes = n * (size_t)type->bytes;
    fill(f, h->calls, n);
    write_calls(s, h, n, b);
    run(s, programs[0], f, 1, n, b);
    move(s, b->out, h->scalar, bytes, false);
    move(s, b->integer, h->scalar_integers, n * 4, false);
    move(s, b->second, h->second, bytes, false);
    int failed = check(f, h->calls, n, h->scalar, h->second, h->scalar_integers);
    for (int w = 1; w < command->width_count; w++) {
        run(s, programs[w], f, command->widths[w], n, b);
        move(s, b->out, h->out, bytes, false);
        move(s, b->integer, h->integers, n * 4, false);
        failed += compare_with_scalar(f, command->widths[w], h, n);
    }
    return failed;
}

/* Every function of the command in the type under test. */
static int test_type(const struct session *s, const struct command *command, const struct host *h)
{
    size_t n = command->n, bytes = n * (size_t)type->bytes;
    struct buffers b = {buffer(s, bytes), buffer(s, bytes), buffer(s, bytes), buffer(s, n * 4),
                        buffer(s, bytes), buffer(s, bytes), buffer(s, n * 4)};
    cl_program programs[MOST_WIDTHS];
    int failed = 0;
    for (int w = 0; w < command->width_count; w++)
        programs[w] = program_of(s, command->functions, command->function_count, command->widths[w]);
    for (int k = 0; k < command->function_count; k++)
        failed += test_function(s, command, command->functions[k], programs, h, &b);
    for (int w = 0; w < command->width_count; w++)
        clReleaseProgram(programs[w]);
    const cl_mem all[] = {b.x, b.y, b.z, b.n, b.out, b.second, b.integer};
    for (int i = 0; i < 7; i++)
        clReleaseMemObject(all[i]);
    return failed;
}

int main(int argc, char **argv)
{
    struct command command;
    parse_command(argc, argv, &command);
    struct session s = open_session();
    size_t extensions_size = 0;
    clGetDeviceInfo(s.device, CL_DEVICE_EXTENSIONS, 0, NULL, &extensions_size);
    char *extensions = calloc(1, extensions_size + 1);
    REQUIRE(extensions, "out of memory");
    clGetDeviceInfo(s.device, CL_DEVICE_EXTENSIONS, extensions_size, extensions, NULL);
    struct host h = host_memory(command.n);
    int failed = 0, tested = 0;
    for (type = types; type < types + TYPES; type++) {
        if ((command.only_type && strcmp(command.only_type, type->name)) || !strstr(extensions, type->extension))
            continue;
        failed += test_type(&s, &command, &h);
        tested += command.function_count;
    }
    free(extensions);
    free_host(&h);
    close_session(&s);
    printf("%d functions tested, %d failures\n", tested, failed);
    return failed || !tested;
}
