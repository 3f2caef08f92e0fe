/* SPDX-License-Identifier: Apache-2.0
 * What the files of the API's fuzzer share: the table of live objects, and choices made from the input. */
#ifndef TESSERA_FUZZ_API_H
#define TESSERA_FUZZ_API_H

#include <stdatomic.h>

#include "CL/tessera_cl.h"
#include "fuzz/fuzz.h"

enum fuzz_kind { DEVICE, CONTEXT, QUEUE, MEM, SAMPLER, PROGRAM, KERNEL, EVENT, KINDS };
enum { SLICE = 4096 };

struct fuzz_slot {
    void *handle;
    unsigned count;
    bool unset; /* a user event whose status is still to come */
};

extern struct fuzz_bytes fuzz_in;
extern cl_platform_id fuzz_platform;
extern unsigned char fuzz_pattern[256]; /* 0, 1, 2 … */
extern _Atomic int fuzz_mems_alive;
/* Of SLICE bytes or NULL; live until the end, as kernels may hold them. */
extern void *fuzz_svm[4];
extern cl_context fuzz_svm_context[4];

bool fuzz_odds(unsigned n); /* one of n */
/* Mostly a live object of this kind; also NULL, one of another kind, or memory that is no object. */
void *fuzz_pick(enum fuzz_kind kind);
struct fuzz_slot *fuzz_slot_of(enum fuzz_kind kind, const void *handle);
size_t fuzz_any_size(void);
cl_uint fuzz_any_flags(void);
/* A new object: into the table, or away with it if that is full. */
struct fuzz_slot *fuzz_keep(enum fuzz_kind kind, void *handle, cl_int err);
/* Before anything that blocks: no command waits for us any more. */
void fuzz_settle(void);

/* A wait list and a place for the event; `list` and `event` point into the struct. */
struct fuzz_wait {
    cl_uint count;
    cl_event events[3];
    const cl_event *list;
    cl_event out, *event;
};
void fuzz_make_wait(struct fuzz_wait *wait);
void fuzz_keep_event(cl_event event, cl_int err);

/* api_commands.c */
void fuzz_call_command_buffer(void);
/* api_memory.c */
struct fuzz_slot *fuzz_keep_mem(cl_mem mem, cl_int err);
void fuzz_mem_released(cl_mem mem);
void fuzz_memory_end(void);
void fuzz_call_buffer(void);
void fuzz_call_sub_buffer(void);
void fuzz_call_svm_alloc(void);
void fuzz_svm_free(unsigned i);
void fuzz_call_transfer(void);
void fuzz_call_rect(void);
/* Maps an object so; answers its address and how many bytes there are. */
typedef void *fuzz_map(cl_command_queue queue, cl_mem mem, cl_bool blocking, cl_map_flags flags, size_t *size, struct fuzz_wait *w,
                       cl_int *err);
void fuzz_map_with(fuzz_map *map);
void fuzz_call_map(void);
void fuzz_call_svm(void);
void fuzz_call_marker(void);

/* api_image.c */
void fuzz_images_end(void);
void fuzz_call_image(void);
void fuzz_call_image_transfer(void);
void fuzz_call_image_map(void);

/* api_bytes.c */
void fuzz_begin_bytes(void);
void fuzz_call_bytes(void);

/* api_program.c */
const char *fuzz_source(unsigned index);
void fuzz_wait_for_builds(void);
void fuzz_call_program(void);
void fuzz_call_build(void);
void fuzz_call_binary(void);
void fuzz_call_program_misc(void);
void fuzz_call_kernel(void);
void fuzz_call_arg(void);
void fuzz_call_launch(void);

#endif
