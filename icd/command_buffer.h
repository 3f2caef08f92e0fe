/* SPDX-License-Identifier: Apache-2.0
 * What the files about command buffers share (cl_khr_command_buffer and cl_khr_command_buffer_mutable_dispatch). docs/queues.md says how
 * they work. */
#ifndef TESSERA_ICD_COMMAND_BUFFER_H
#define TESSERA_ICD_COMMAND_BUFFER_H

#include "icd/mem.h"
#include "icd/program.h"

/* What a function that records hands over: enqueuing the command on a queue, with copies of its arguments. */
struct tsr__recording {
    cl_command_type type;
    cl_int (*enqueue)(struct _cl_command_queue *queue, const void *args); /* NULL: a barrier */
    void (*clear)(void *args);                                            /* frees what args own; may be NULL */
    const void *args;
    size_t args_size;
    bool (*lacks)(const void *args); /* whether it cannot run yet; may be NULL */
    void *objects[2];                /* to hold, once they have turned out to be valid; NULL: none */
};

/* A recorded command, which is also the handle that mutable dispatches have. Lives as long as its command buffer. */
struct _cl_mutable_command_khr {
    struct tsr_object base;
    struct _cl_command_buffer_khr *buffer;
    struct tsr__recording recording;       /* its args and objects belong to the command */
    cl_command_properties_khr *properties; /* as given, zero-terminated; NULL if none was given */
    size_t property_count;                 /* words with the final zero */
    cl_uint wait_count, *waits;            /* commands that it waits for, by their numbers */
    bool awaited;                          /* a later command waits for it */
};

struct _cl_command_buffer_khr {
    struct tsr_object base;
    struct _cl_command_queue *queue;    /* held: the one that it was created with */
    struct _cl_command_queue *recorder; /* makes commands without enqueuing them */
    cl_command_buffer_properties_khr *properties;
    size_t property_count;
    cl_command_buffer_flags_khr flags;
    cl_mutable_dispatch_asserts_khr asserts;
    pthread_mutex_t lock; /* what follows, and the recorder */
    bool finalized;
    cl_uint count, room;
    struct _cl_mutable_command_khr **commands;
    cl_uint barrier; /* number of the last barrier, plus 1 */
};

/* Takes the lock, and a hold, as the context's callback may release the command buffer in the call that has the lock. fork() waits for the
 * call. */
static inline void tsr__command_buffer_lock(struct _cl_command_buffer_khr *buffer)
{
    tsr__hold(buffer);
    tsr_no_fork_begin();
    pthread_mutex_lock(&buffer->lock);
}

static inline void tsr__command_buffer_unlock(struct _cl_command_buffer_khr *buffer)
{
    pthread_mutex_unlock(&buffer->lock);
    tsr_no_fork_end();
    tsr__drop(buffer);
}

/* What every function that records was given besides its own parameters. */
struct tsr__record_call {
    const char *function;
    cl_command_buffer_khr buffer;
    cl_command_queue queue;
    const cl_command_properties_khr *properties;
    cl_uint wait_count;
    const cl_sync_point_khr *wait_list;
    cl_sync_point_khr *sync_point;
    cl_mutable_command_khr *handle;
};

/* The checks that begin every recording; `dispatch`: properties and a handle are allowed, the caller checks them.
 * CL_INVALID_COMMAND_BUFFER_KHR, CL_INVALID_COMMAND_QUEUE, CL_INVALID_OPERATION, CL_INVALID_VALUE, CL_INVALID_SYNC_POINT_WAIT_LIST_KHR. */
cl_int tsr__record_check(const struct tsr__record_call *call, bool dispatch);
/* Adds the command; after that its args belong to the command buffer. They stay the caller's on an error: CL_OUT_OF_HOST_MEMORY, or
 * CL_INVALID_OPERATION if another thread has finalized the command buffer since the check. */
cl_int tsr__record_add(const struct tsr__record_call *call, const struct tsr__recording *recording);

enum {
    TSR__MUTABLE_FIELDS = CL_MUTABLE_DISPATCH_GLOBAL_OFFSET_KHR | CL_MUTABLE_DISPATCH_GLOBAL_SIZE_KHR | CL_MUTABLE_DISPATCH_LOCAL_SIZE_KHR |
                          CL_MUTABLE_DISPATCH_ARGUMENTS_KHR | CL_MUTABLE_DISPATCH_EXEC_INFO_KHR,
};

#endif
