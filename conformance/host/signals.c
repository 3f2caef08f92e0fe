/* SPDX-License-Identifier: Apache-2.0
 * What the driver must leave alone: signal handlers, the signal mask, the floating-point environment. And no kernel may raise SIGFPE. */
#include <fenv.h>
#include <signal.h>
#include <xmmintrin.h>

#include <CL/cl_ext.h>

#include "host.h"

#define SIGNALS 64

static void read_handlers(struct sigaction *handlers)
{
    for (int i = 1; i < SIGNALS; i++)
        if (sigaction(i, NULL, &handlers[i]) != 0)
            memset(&handlers[i], 0, sizeof handlers[i]);
}

/* Colours, descriptors of images and samplers are computed in the calls of the host; launches with a local size are timed. */
static void use_image(const struct session *s)
{
    static const float color[4] = {0.3f, 0.2f, 0.1f, 1.0f}, lod = 0.3f;
    const cl_image_format format = {CL_RGBA, CL_UNORM_INT8};
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 16, .image_height = 16};
    const size_t origin[3] = {0}, region[3] = {16, 16, 1}, local[2] = {4, 2};
    const cl_sampler_properties properties[] = {CL_SAMPLER_NORMALIZED_COORDS, CL_FALSE, 0};
    cl_sampler_properties levels[] = {CL_SAMPLER_LOD_MIN_KHR, 0, 0};
    memcpy(&levels[1], &lod, sizeof lod);
    cl_int err, data[256];
    cl_program program =
        build(s,
              "kernel void k(global int *o, read_only image2d_t i, sampler_t s) { int x = get_global_id(0), y = get_global_id(1);"
              " o[x + 16 * y] = convert_int_rte(255 * read_imagef(i, s, (int2)(x, y)).x); }",
              "");
    cl_kernel kernel = clCreateKernel(program, "k", &err);
    REQUIRE(kernel, "clCreateKernel: %d", err);
    cl_mem image = clCreateImage(s->context, CL_MEM_READ_WRITE, &format, &desc, NULL, &err);
    REQUIRE(image, "clCreateImage: %d", err);
    cl_mem buffer = clCreateBuffer(s->context, 0, sizeof data, NULL, &err);
    REQUIRE(buffer, "clCreateBuffer: %d", err);
    cl_sampler sampler = clCreateSamplerWithProperties(s->context, properties, &err), other;
    REQUIRE(sampler, "clCreateSamplerWithProperties: %d", err);
    other = clCreateSamplerWithProperties(s->context, levels, &err);
    REQUIRE(clEnqueueFillImage(s->queue, image, color, origin, region, 0, NULL, NULL) == CL_SUCCESS, "not filled");
    REQUIRE(!other || clSetKernelArg(kernel, 2, sizeof other, &other) == CL_SUCCESS, "the sampler is refused");
    REQUIRE(clSetKernelArg(kernel, 0, sizeof buffer, &buffer) == CL_SUCCESS &&
                clSetKernelArg(kernel, 1, sizeof image, &image) == CL_SUCCESS &&
                clSetKernelArg(kernel, 2, sizeof sampler, &sampler) == CL_SUCCESS,
            "arguments are refused");
    for (int i = 0; i < 20; i++) {
        err = clEnqueueNDRangeKernel(s->queue, kernel, 2, NULL, region, local, 0, NULL, NULL);
        REQUIRE(err == CL_SUCCESS && clFinish(s->queue) == CL_SUCCESS, "clEnqueueNDRangeKernel: %d", err);
    }
    err = clEnqueueReadBuffer(s->queue, buffer, CL_TRUE, 0, sizeof data, data, 0, NULL, NULL);
    REQUIRE(err == CL_SUCCESS, "clEnqueueReadBuffer: %d", err);
    for (int i = 0; i < 256; i++)
        REQUIRE(data[i] == 76, "pixel %d is %d", i, data[i]); /* of 76.5, to nearest even */
    if (other)
        clReleaseSampler(other);
    clReleaseSampler(sampler);
    clReleaseMemObject(buffer);
    clReleaseMemObject(image);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
}

int main(void)
{
    struct sigaction before[SIGNALS], after[SIGNALS];
    sigset_t mask_before = {0}, mask_after = {0}; /* the kernel writes a part of them */
    read_handlers(before);
    sigprocmask(SIG_BLOCK, NULL, &mask_before);
    /* Round down, flush denormals, trap all exceptions, also those of results that are not exact: the affair of the host alone. */
    feenableexcept(FE_ALL_EXCEPT);
    unsigned const control = 0x2000u | 0x8000u | 0x100u; /* an operand that is a denormal does not trap: FE_ALL_EXCEPT has no such thing */
    _mm_setcsr(control);

    struct session s = open_session();
    cl_int data[256];
    for (int i = 0; i < 256; i++)
        data[i] = i - 128;
    run_on_ints(&s,
                "int v = out[i]; int zero = v & 0; int min = INT_MIN | zero; int m1 = -1 | zero;"
                " volatile int q = v / zero; volatile int r = v % zero; volatile int o = min / m1; volatile int p = min % m1;"
                " volatile uint u = (uint)v / (uint)zero; volatile long l = (long)v / (long)zero; volatile long w = LONG_MIN / (long)m1;"
                " volatile short h = (short)v / (short)zero; int4 iv = (int4)(v) / (int4)(zero);"
                /* 1/3 rounded to nearest and a denormal kept, whatever the host's control word says */
                " float third = 1.0f / (float)(3 | zero); float tiny = as_float(1 | zero) * 4.0f;"
                " out[i] = as_int(third) == 0x3eaaaaab && as_int(tiny) == 4 ? v + (iv.x & 0) : 12345;",
                data, 256);
    for (int i = 0; i < 256; i++)
        REQUIRE(data[i] == i - 128, "element %d is %d", i, data[i]);
    use_image(&s);
    REQUIRE((_mm_getcsr() & ~0x3fu) == (control & ~0x3fu), "MXCSR was %x and is %x", control, _mm_getcsr());
    close_session(&s);
    fedisableexcept(FE_ALL_EXCEPT);
    _mm_setcsr(0x1f80);

    read_handlers(after);
    sigprocmask(SIG_BLOCK, NULL, &mask_after);
    for (int i = 1; i < SIGNALS; i++)
        REQUIRE(before[i].sa_handler == after[i].sa_handler && before[i].sa_flags == after[i].sa_flags, "handler of signal %d changed", i);
    REQUIRE(memcmp(&mask_before, &mask_after, sizeof mask_before) == 0, "signal mask changed");
    puts("signals and floating-point environment untouched");
    return 0;
}
