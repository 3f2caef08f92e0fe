/* SPDX-License-Identifier: Apache-2.0
 * What a MADW costs, both halves of it, beside the same in 64-bit C: picoseconds for each, in a kernel that makes many. One device, the
 * first with cl_tessera_madw. */
#include "bench.h"

enum { ITEMS = 1 << 16, CALLS = 64, ROUNDS = 21 };

/* x, y, z: the operands, which the halves become; p: a predicate. */
static const char head[] = "kernel void k(global const uint *in, global uint *out, int calls, uint step) {\n"
                           "  size_t i = get_global_id(0); A x = (A)in[i]; B y = (B)(in[i] * 5); C z = (C)(in[i] + 3);\n"
                           "  for (int n = 0; n < calls; n++, y += step) {\n";
static const char tail[] = "  }\n  out[i] = (uint)x ^ (uint)z;\n}\n";
#define MASKED                                                                                                                             \
    "int p = (int)(y & 4); uint l = tessera_madw_lo_masked((uint)x, p, x, y, z), h = tessera_madw_hi_masked((uint)z, p, x, y, z);\n"       \
    "x = (A)l; z = (C)h;\n"
static const char *const bodies[] = {
    "uint l = tessera_madw_lo(x, y, z), h = tessera_madw_hi(x, y, z); x = (A)l; z = (C)h;\n",
    MASKED,
    "ulong w = (ulong)(LA)x * (ulong)(LB)y + (ulong)(LC)z; x = (A)w; z = (C)(w >> 32);\n",
};
enum { BODIES = sizeof(bodies) / sizeof(bodies[0]) };

struct stage {
    cl_context context;
    cl_command_queue queue;
    cl_mem in, out;
};

static double picoseconds(const struct stage *s, cl_device_id device, unsigned signs, const char *body)
{
    char source[2048], options[200];
    const char *text = source, *types[2][2] = {{"uint", "ulong"}, {"int", "long"}};
    const char *const *a = types[signs & 1], *const *b = types[signs >> 1 & 1], *const *c = types[signs >> 2];
    cl_int err, calls = CALLS;
    cl_uint step = 3;
    size_t items = ITEMS;
    double us[ROUNDS];
    snprintf(source, sizeof source, "%s%s%s", head, body, tail);
    snprintf(options, sizeof options, "-cl-std=CL3.0 -DA=%s -DB=%s -DC=%s -DLA=%s -DLB=%s -DLC=%s", a[0], b[0], c[0], a[1], b[1], c[1]);
    cl_program program = clCreateProgramWithSource(s->context, 1, &text, NULL, &err);
    BENCH_CHECK(err);
    BENCH_CHECK(clBuildProgram(program, 1, &device, options, NULL, NULL));
    cl_kernel kernel = clCreateKernel(program, "k", &err);
    BENCH_CHECK(err);
    BENCH_CHECK(clSetKernelArg(kernel, 0, sizeof(cl_mem), &s->in));
    BENCH_CHECK(clSetKernelArg(kernel, 1, sizeof(cl_mem), &s->out));
    BENCH_CHECK(clSetKernelArg(kernel, 2, sizeof calls, &calls));
    BENCH_CHECK(clSetKernelArg(kernel, 3, sizeof step, &step));
    for (int i = 0; i < ROUNDS; i++) {
        double start = bench_now_us();
        BENCH_CHECK(clEnqueueNDRangeKernel(s->queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL));
        BENCH_CHECK(clFinish(s->queue));
        us[i] = bench_now_us() - start;
    }
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    qsort(us, ROUNDS, sizeof *us, bench_compare);
    return us[0] * 1e6 / ((double)ITEMS * CALLS);
}

int main(void)
{
    static cl_uint data[ITEMS];
    struct bench_driver drivers[BENCH_DRIVERS];
    struct stage s;
    cl_int err;
    int count = bench_drivers(drivers), at = 0;
    for (; at < count; at++) {
        char extensions[8192] = "";
        BENCH_CHECK(clGetDeviceInfo(drivers[at].device, CL_DEVICE_EXTENSIONS, sizeof extensions, extensions, NULL));
        if (strstr(extensions, "cl_tessera_madw"))
            break;
    }
    if (at == count) {
        fprintf(stderr, "no device has cl_tessera_madw\n");
        return 1;
    }
    cl_device_id device = drivers[at].device;
    s.context = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
    BENCH_CHECK(err);
    s.queue = clCreateCommandQueueWithProperties(s.context, device, NULL, &err);
    BENCH_CHECK(err);
    for (cl_uint i = 0; i < ITEMS; i++)
        data[i] = i * 2654435761u;
    s.in = clCreateBuffer(s.context, CL_MEM_COPY_HOST_PTR, sizeof data, data, &err);
    BENCH_CHECK(err);
    s.out = clCreateBuffer(s.context, CL_MEM_READ_WRITE, sizeof data, NULL, &err);
    BENCH_CHECK(err);
    printf("%-18s %9s %9s %9s %9s\n", "ps for both halves", "MADW", "masked", "64-bit C", "C / MADW");
    for (unsigned signs = 0; signs < 8; signs++) {
        static const char *const names[] = {"uint", "int"};
        double ps[BODIES];
        for (int i = 0; i < BODIES; i++)
            ps[i] = picoseconds(&s, device, signs, bodies[i]);
        printf("%-5s%-5s%-8s %9.1f %9.1f %9.1f %9.2f\n", names[signs & 1], names[signs >> 1 & 1], names[signs >> 2], ps[0], ps[1], ps[2],
               ps[2] / ps[0]);
    }
    clReleaseMemObject(s.in);
    clReleaseMemObject(s.out);
    clReleaseCommandQueue(s.queue);
    clReleaseContext(s.context);
    return 0;
}
