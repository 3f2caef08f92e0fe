/* SPDX-License-Identifier: Apache-2.0
 * What the files about programs and kernels share. Private to icd/. */
#ifndef TESSERA_ICD_PROGRAM_H
#define TESSERA_ICD_PROGRAM_H

#include "icd/icd.h"
#include "tessera/clc.h"

/* ---- programs (icd/program.c) ---- */

/* A program of these devices, nothing built. NULL: out of memory. */
struct _cl_program *tsr__program_new(struct _cl_context *context, cl_uint device_count, struct _cl_device_id *const *devices, int origin);
/* The build of the program for the device; NULL if it is not one of its devices. */
struct tsr_build *tsr__program_build_of(const struct _cl_program *program, const struct _cl_device_id *device);
/* The build that the device uses. "If a program binary has not been built for a sub-device, the program binary associated with the parent
 * device will be used" (clBuildProgram). The program's lock is held, or a kernel is attached. */
struct tsr_build *tsr__program_build_for(const struct _cl_program *program, const struct _cl_device_id *device);
/* True if its kernels can run. The program's lock is held, or a kernel is attached, which forbids a change. */
bool tsr__build_is_executable(const struct tsr_build *build);

/* ---- programs in SPIR-V (icd/il.c) ---- */

/* The value that the next builds give to a specialisation constant. */
struct tsr__spec_value {
    uint32_t id, size;
    unsigned char bytes[8];
};

/* ---- machine code (icd/code.c) ---- */

/* A result of the compiler that is DONE: if it is an executable, the device makes its own code of it. (icd/finish.c) */
void tsr__code_finish(const struct _cl_device_id *device, struct tsr_clc_result *result);
/* tsr_clc_run for the target of the build's device, in the environment of the build, and once more if the device asks for another
 * compilation. */
void tsr__code_compile(const struct tsr_build *build, struct tsr_clc_request *request, struct tsr_clc_result *result);
/* A thread that builds: its stack does not depend on the limit of the process, and no signal handler of the application runs on it. */
bool tsr__build_thread(pthread_t *thread, void *(*function)(void *), void *data);
/* Takes the image (tsr_malloc'd) into `code`, which must be empty. DAMAGED, MISMATCH (also: of another target), NO_MEMORY: the image stays
 * the caller's. */
enum tsr_status tsr__code_take(const struct _cl_device_id *device, struct tsr_code *code, unsigned char *image, size_t size);
void tsr__code_clear(const struct _cl_device_id *device, struct tsr_code *code);
/* Loads the code, once. CL_OUT_OF_RESOURCES; the context's callback gets the reason. */
cl_int tsr__code_load(struct _cl_program *program, const struct _cl_device_id *device, struct tsr_code *code, struct tsr_module **module);

/* ---- machine code of kernels (icd/kernel_code.c) ---- */

/* The code with kernel number `index` of an executable; the code that CL_PROGRAM_BINARIES gives: made now if it is not there. The program's
 * lock is held, and released while the compiler works. CL_OUT_OF_RESOURCES, CL_OUT_OF_HOST_MEMORY. */
cl_int tsr__code_of_kernel(struct _cl_program *program, struct tsr_build *build, uint32_t index, struct tsr_code **code);
cl_int tsr__code_of_binary(struct _cl_program *program, struct tsr_build *build, struct tsr_code **code);
/* Adds to the numbers of objects and of wanted objects of kernel number `index`. True: code has to be made now. The program's lock is
 * held. */
bool tsr__code_count(struct tsr_build *build, uint32_t index, int objects, int wanted);
/* Has the code of wanted kernels made in the background. Returns at once, without the program's lock. */
void tsr__code_begin(struct _cl_program *program);
/* For the program's fork_waits: in the child no thread makes code. */
void tsr__code_forget(struct tsr_fork_mutex *fork_waits);

/* The bodies that code gets first: the device says later which launches need others. */
enum tsr_bodies tsr__first_bodies(const struct _cl_device_id *device);
/* The code for packets that are not full, of a kernel with TSR_KERNEL_PARTIAL_LATER. */
cl_int tsr__code_of_partial(struct _cl_program *program, struct tsr_build *build, const struct tsr_kernel_info *kernel,
                            struct tsr_code **code);

/* Code of the kernel for work-groups of the range's local size: small ones are lanes of a packet, or it is for this size alone. NULL: it is
 * not there; *never: and cannot be made. `wanted` blocks while the compiler works; other threads go on without it. (icd/group_lanes.c) */
struct tsr_code *tsr__code_of_groups(struct _cl_program *program, const struct _cl_device_id *device, const struct tsr_kernel_info *kernel,
                                     enum tsr_group_code which, const uint64_t local[3], bool wanted, bool *never);

/* ---- images of a build (icd/code.c) ---- */

/* Forgets image, information, log, options and module. */
void tsr__build_clear(struct tsr_build *build);
/* Takes the image over (tsr_malloc'd) if it is good: DAMAGED, MISMATCH, NO_MEMORY. The build must be clear of an image. */
enum tsr_status tsr__build_take_image(struct tsr_build *build, unsigned char *image, size_t size);
/* The same of an image that the application has: one made on another CPU or by another version is good if the next build can make its code
 * anew (build->moved). */
enum tsr_status tsr__build_take_binary(struct tsr_build *build, unsigned char *image, size_t size);

/* Blocks of kernel code are the program's own business. */
static inline bool tsr__is_visible(const struct tsr_kernel_info *kernel)
{
    return !(kernel->flags & TSR_KERNEL_BLOCK);
}
static inline uint32_t tsr__visible_kernels(const struct tsr_program_info *info)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < info->kernel_count; i++)
        count += tsr__is_visible(&info->kernels[i]);
    return count;
}

/* ---- kernels ---- */

struct tsr__arg_state {
    bool set, svm;       /* a pointer of SVM or USM that is not NULL */
    void *object;        /* watched: memory object or sampler; NULL if none */
    uint64_t local_size; /* of a local argument */
};

/* The argument with this index: CL_INVALID_KERNEL, CL_INVALID_ARG_INDEX. (icd/args.c) */
cl_int tsr__find_arg(const char *function, cl_kernel kernel, cl_uint index, const struct tsr_arg_info **arg);

/* The kernel as it is compiled for build number `at`, on which it exists: waits for its code. CL_OUT_OF_RESOURCES, CL_OUT_OF_HOST_MEMORY;
 * the context's callback gets the reason. (icd/kernel.c) */
cl_int tsr__kernel_coded(struct _cl_kernel *kernel, cl_uint at, const struct tsr_kernel_info **info);
/* Notes that launches of the kernel are to be expected: the code is made in the background. */
void tsr__kernel_want(struct _cl_kernel *kernel);
/* A kernel with the same arguments. NULL: out of memory. (icd/kernel.c) */
struct _cl_kernel *tsr__kernel_clone(struct _cl_kernel *source);
/* The checks of clEnqueueNDRangeKernel that concern kernel and range, both of them of the queue's context. `incomplete`: arguments may be
 * missing. (icd/enqueue_ndrange.c) */
cl_int tsr__check_launch(struct _cl_command_queue *queue, struct _cl_kernel *kernel, cl_uint dim, const size_t *offset,
                         const size_t *global, const size_t *local, bool incomplete);

/* Number of sub-groups of a work-group. */
static inline uint64_t tsr__sub_group_count(const struct tsr_kernel_info *info, const uint64_t local[3])
{
    return tsr_sub_group_count(local[0] * local[1] * local[2], info->sub_group_size);
}

/* Gives each local argument its offset in the local memory of a work-group, from `begin` on: it depends on the sizes of the local arguments
 * before it. The kernel's lock is held. icd/args.c */
void tsr__kernel_place_locals(struct _cl_kernel *kernel, uint64_t begin);

#endif
