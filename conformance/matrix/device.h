/* SPDX-License-Identifier: Apache-2.0
 * What the tests of this folder ask of OpenCL, by its public API: one device, programs, and kernels over plain arrays. */
#ifndef MATRIX_DEVICE_H
#define MATRIX_DEVICE_H

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 300
#endif
#include <CL/cl.h>
#include <stdbool.h>
#include <stddef.h>

enum { DEVICE_LOG = 65536, DEVICE_MAX_ARGS = 10 };

struct device {
    cl_device_id id;
    cl_context context;
    cl_command_queue queue;
    char *extensions;
    char log[DEVICE_LOG]; /* of the last build */
};

/* Text that grows. */
struct text {
    char *at;
    size_t size;
};
void text_add(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The first device with the matrix functions. Ends the test program if there is none. */
void device_open(struct device *d);
void device_close(struct device *d);
bool device_has(const struct device *d, const char *extension);
bool device_has_size(const struct device *d, size_t sub_group);
bool device_is_gpu(const struct device *d);
/* Builds; NULL if that fails, and the log is kept in either case. */
cl_program device_build(struct device *d, const char *source, const char *options);
/* Builds as OpenCL C 3.0 and frees the text; prints the log and answers NULL if that fails. */
cl_program device_build_text(struct device *d, struct text *source);

/* One argument of a kernel: `in` is copied to the device before, and the memory to `out` after, where they are not NULL. */
struct device_arg {
    size_t size;
    const void *in;
    void *out;
};
/* Runs a kernel of a program over `global` work-items in groups of `local`, and waits. CL_SUCCESS or the first error. */
cl_int device_run(struct device *d, cl_program program, const char *kernel, size_t global, size_t local, const struct device_arg *args,
                  unsigned count);

#endif
