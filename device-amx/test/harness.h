/* SPDX-License-Identifier: Apache-2.0
 * Runs kernels without a driver: a program that the build compiled with tessera-opt is loaded and launched on one or several threads. */
#ifndef TESSERA_DEVICE_TEST_HARNESS_H
#define TESSERA_DEVICE_TEST_HARNESS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "device-amx/cpu.h"

struct program {
    struct tsr_arena arena;
    struct tsr_program_info info;
    struct tsr_module *module;
    unsigned char *code;
};

/* KERNELS_DIR/<name>.so and .info, made by the build. Fails the test if it cannot. */
void program_load(struct program *p, const char *name);
void program_free(struct program *p);
const struct tsr_kernel_info *program_kernel(const struct program *p, const char *name);

/* The root device. */
const struct tsr_device *test_device(void);

struct argument {
    const void *value; /* NULL: local memory */
    size_t size;
};
#define ARG(variable) ((struct argument){&(variable), sizeof(variable)})
#define LOCAL_ARG(bytes) ((struct argument){NULL, bytes})

/* Runs a kernel over a range to its end. Answers the status; *why, if given, gets the text of a failure. */
int program_run(struct program *p, const char *kernel, const struct tsr_ndrange *range, const struct argument *args, size_t count,
                char **why);
/* Runs a launch to its end, and answers the status; the caller ends it. */
int launch_run(struct tsr_launch *launch);
struct tsr_ndrange range1(uint64_t global, uint64_t local);
struct tsr_ndrange range3(uint64_t gx, uint64_t gy, uint64_t gz, uint64_t lx, uint64_t ly, uint64_t lz);

#define RUN(p, kernel, range, ...)                                                                                                         \
    program_run(p, kernel, &(struct tsr_ndrange[]){range}[0], (struct argument[]){__VA_ARGS__},                                            \
                sizeof((struct argument[]){__VA_ARGS__}) / sizeof(struct argument), NULL)

#endif
