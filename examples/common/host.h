/* SPDX-License-Identifier: Apache-2.0
 * What every OpenCL program needs and no example is about: a device, a build with its log, buffers, launches that are timed. Whatever
 * fails ends the program with a message. */
#ifndef EXAMPLES_HOST_H
#define EXAMPLES_HOST_H

#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CHECK(call) check_status(#call, call)
void check_status(const char *what, cl_int status);
_Noreturn void fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

struct host {
    cl_device_id device;
    cl_context context;
    cl_command_queue queue; /* with profiling */
};

/* The first device that has all of these extensions, which end with NULL. */
void host_open(struct host *host, const char *const *extensions);
void host_close(struct host *host);
/* Builds EXAMPLES_FOLDER/`file`. */
cl_program host_build(const struct host *host, const char *file, const char *options);
/* A buffer with a copy of `data`, or with whatever if that is NULL. */
cl_mem host_buffer(const struct host *host, size_t size, const void *data);
void host_read(const struct host *host, cl_mem buffer, size_t size, void *data);

struct argument {
    size_t size;
    const void *value;
};
#define ARGUMENT(x) {sizeof(x), &(x)}

/* Runs a kernel `rounds` times and answers the seconds of the fastest. */
double host_run(const struct host *host, cl_program program, const char *kernel, const struct argument *arguments, cl_uint count,
                cl_uint dims, const size_t *global, const size_t *local, int rounds);

void *must_alloc(size_t size);
/* The number that the command line gives, a multiple of `step`, or else `otherwise`. */
int size_argument(int argc, char **argv, int otherwise, int step);
/* Random numbers, the same in each run. */
uint32_t random_bits(void);
/* From -1 to 1. */
float random_float(void);
uint16_t bf16_of(float x); /* to nearest, ties to even */
float float_of(uint16_t bf16);

#endif
