/* SPDX-License-Identifier: Apache-2.0
 * Kernels that begin with a comparison of ids run a part of their range only. Each condition is the beginning of a kernel, and a value that
 * another one stores for all work-items: where it holds, the first must have added one. Numbers are small ones, as large as the ids,
 * and the largest of their types; ranges begin at zero, in the middle of a packet, and where ids no longer fit into an `int`. */
#include <stdbool.h>
#include <stdint.h>

#include "host/host.h"

enum { COLUMNS = 53, ROWS = 7, TRIALS = 40, PLACES = 2 };

/* `sums`: adds signed numbers, which must not wrap. */
static const struct {
    const char *text;
    bool sums;
} conditions[] = {
    {"x < n", false},
    {"x <= n", false},
    {"n < x", false},
    {"x >= n && x < m", false},
    {"x == n", false},
    {"x != n", false},
    {"!(x >= n || y < m)", false},
    {"x < n && y < m && x >= y0", false},
    {"x < n || y < m", false},
    {"(x < n) == (y < m)", false},
    {"x < y", false},
    {"x % 3 < n", false},
    {"x < (m == 0 ? n : n / 3)", false},
    {"x < min(n, m)", false},
    {"x < max(n, 20) && y == m", false},
    {"x < n ? y < m : y > 2", false},
    {"x > 0 && x < 1023", false},
    {"x >= 17 && x <= 33 && y > 1 && y < 5", false},
    {"ux < un", false},
    {"ux > un", false},
    {"ux + um < un", false},
    {"ux + um <= un", false},
    {"ux + um > un", false},
    {"un <= ux - um", false},
    {"ux - um < un", false},
    {"ux + um == un", false},
    {"ux < un * um", false},
    {"ux - 5 < 20u", false},
    {"gx < ln", false},
    {"gx >= ln", false},
    {"gx <= un", false},
    {"lx < (long)ln", false},
    {"lx <= (long)ln", false},
    {"lx > (long)ln", false},
    {"lx - m < n", false},
    {"gx + m < n", false},
    {"gx + m + 1 >= un", false},
    {"gx < get_global_size(0) + get_global_offset(0) - 9", false},
    {"gx - get_global_offset(0) > 9", false},
    {"x + m < n", true},
    {"x - m <= n", true},
    {"x + 1 > n + m", true},
    {"x + m == n", true},
    {"(long)(x + m) < (long)ln", true},
    {"y * 16 + x < n", true},
    {"x * 4 < n", true},
    {"4 * x + 3 <= n", true},
    {"(x + 1) * 3 > m", true},
    {"x * 16 + 5 == n", true},
    {"2 * (3 * x + m) >= n && y * 8 < 40", true},
    {"gx * 2 + 1 < ln", true},
    {"ux * 4 < un", false},
    {"gx * 8 > un", false},
};
enum { CONDITIONS = sizeof conditions / sizeof *conditions };

static const char *const head =
    "#define HEAD size_t gx = get_global_id(0), gy = get_global_id(1); int x = gx, y = gy, y0 = 2; long lx = gx;"
    " uint ux = gx, un = n, um = m; size_t at = PLACE(gx - get_global_offset(0), gy - get_global_offset(1));\n"
    "#define ARGS (global int *out, int n, int m, ulong ln, int which)\n";
static const char *const places[PLACES] = {"-D PLACE(i,j)=((j)*53+(i))", "-D PLACE(i,j)=((i)*7+(j))"};
static const uint64_t offsets[] = {0, 5, 48, 2147483648 - 20, 4294967296 - 11};
enum { OFFSETS = sizeof offsets / sizeof *offsets };

static uint64_t random_state = 88172645463325252;
static uint64_t random_bits(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    return random_state ^= random_state << 17;
}

/* Every second kernel returns early, in the other program the others. */
static cl_program program_of(const struct session *s, int place)
{
    static char text[CONDITIONS * 512 + 1024];
    char *at = text;
    at += sprintf(at, "%s", head);
    for (int i = 0; i < CONDITIONS; i++)
        at += sprintf(at,
                      (i + place) % 2 ? "kernel void k%d ARGS { HEAD if (!(%s)) return; out[at] += 1; }\n"
                                      : "kernel void k%d ARGS { HEAD if (%s) out[at] += 1; }\n",
                      i, conditions[i].text);
    at += sprintf(at, "kernel void value ARGS { HEAD switch (which) {\n");
    for (int i = 0; i < CONDITIONS; i++)
        at += sprintf(at, "case %d: out[at] = (%s) ? 1 : 0; break;\n", i, conditions[i].text);
    sprintf(at, "} }\n");
    return build(s, text, places[place]);
}

struct trial {
    uint64_t offset;
    cl_int n, m;
    cl_ulong ln;
};

static cl_int number_near(uint64_t offset, bool sums)
{
    static const cl_int largest[] = {INT32_MIN, INT32_MIN + 1, -1, 0, 1, INT32_MAX - 1, INT32_MAX};
    uint64_t which = random_bits() % 8;
    if (which == 0 && !sums)
        return largest[random_bits() % 7];
    return (cl_int)(uint32_t)((which % 2 ? offset : 0) + random_bits() % 80 - 12);
}

static struct trial make_trial(bool sums)
{
    struct trial t = {.offset = offsets[random_bits() % (sums ? 3 : OFFSETS)]};
    t.n = number_near(t.offset, sums);
    t.m = number_near(0, sums);
    t.ln = random_bits() % 8 ? t.offset + random_bits() % 80 - 12 : random_bits();
    return t;
}

static void run(const struct session *s, cl_program program, const char *name, int condition, const struct trial *t, cl_mem buffer,
                cl_int *out)
{
    static const cl_int zero = 0;
    const size_t offset[2] = {(size_t)t->offset, 0}, global[2] = {COLUMNS, ROWS}, bytes = COLUMNS * ROWS * sizeof *out;
    cl_int err;
    cl_kernel kernel = clCreateKernel(program, name, &err);
    REQUIRE(kernel, "clCreateKernel(%s): %d", name, err);
    clSetKernelArg(kernel, 0, sizeof buffer, &buffer);
    clSetKernelArg(kernel, 1, sizeof t->n, &t->n);
    clSetKernelArg(kernel, 2, sizeof t->m, &t->m);
    clSetKernelArg(kernel, 3, sizeof t->ln, &t->ln);
    clSetKernelArg(kernel, 4, sizeof condition, &condition);
    err = clEnqueueFillBuffer(s->queue, buffer, &zero, sizeof zero, 0, bytes, 0, NULL, NULL);
    REQUIRE(err == CL_SUCCESS, "clEnqueueFillBuffer: %d", err);
    err = clEnqueueNDRangeKernel(s->queue, kernel, 2, offset, global, NULL, 0, NULL, NULL);
    REQUIRE(err == CL_SUCCESS, "clEnqueueNDRangeKernel(%s): %d", name, err);
    err = clEnqueueReadBuffer(s->queue, buffer, CL_TRUE, 0, bytes, out, 0, NULL, NULL);
    REQUIRE(err == CL_SUCCESS, "clEnqueueReadBuffer: %d", err);
    clReleaseKernel(kernel);
}

int main(void)
{
    struct session s = open_session();
    cl_int err, value[COLUMNS * ROWS], out[COLUMNS * ROWS];
    cl_mem buffer = clCreateBuffer(s.context, CL_MEM_READ_WRITE, sizeof out, NULL, &err);
    REQUIRE(buffer, "clCreateBuffer: %d", err);
    int busy = 0, idle = 0;
    for (int p = 0; p < PLACES; p++) {
        cl_program program = program_of(&s, p);
        for (int i = 0; i < CONDITIONS; i++)
            for (int k = 0; k < TRIALS; k++) {
                struct trial t = make_trial(conditions[i].sums);
                char name[16];
                snprintf(name, sizeof name, "k%d", i);
                run(&s, program, "value", i, &t, buffer, value);
                run(&s, program, name, i, &t, buffer, out);
                for (int j = 0; j < COLUMNS * ROWS; j++)
                    *(value[j] ? &busy : &idle) += 1;
                REQUIRE(!memcmp(out, value, sizeof out), "if (%s), offset %llu, n %d, m %d, ln %llu, %s", conditions[i].text,
                        (unsigned long long)t.offset, t.n, t.m, (unsigned long long)t.ln, places[p]);
            }
        clReleaseProgram(program);
    }
    REQUIRE(busy > idle / 4 && idle > busy / 4, "%d work-items have something to do, %d do not: the numbers are badly chosen", busy, idle);
    clReleaseMemObject(buffer);
    close_session(&s);
    return 0;
}
