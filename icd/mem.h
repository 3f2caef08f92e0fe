/* SPDX-License-Identifier: Apache-2.0
 * What the files about memory objects share. */
#ifndef TESSERA_ICD_MEM_H
#define TESSERA_ICD_MEM_H

#include "icd/icd.h"

#define SIZE(name, bytes) name = bytes,
enum {
#include "icd/transfer.def"
};
#undef SIZE

/* A box of bytes: what the API calls origin, region, row pitch and slice pitch, with the defaults filled in. */
struct tsr__rect {
    size_t offset; /* of its first byte */
    size_t row_pitch, slice_pitch;
    size_t end;       /* offset just after its last byte; SIZE_MAX if that does not fit */
    size_t region[3]; /* bytes of a row, rows, slices */
};
/* Whether boxes in the same memory have a byte in common. Exact for all pitches: no command that is possible is refused. (icd/rect.c) */
bool tsr__rects_overlap(const struct tsr__rect *a, const struct tsr__rect *b);

/* A region that the application has mapped. Kept by the object that owns the memory, so that regions of sub-buffers and of images can be
 * compared. icd/map.c */
struct tsr__mapping {
    struct tsr__mapping *next;
    struct _cl_mem *owner; /* the object that was mapped, maybe a part of another; not held */
    unsigned char *pointer;
    struct tsr__rect rect; /* offsets in the memory of the root object */
    cl_map_flags flags;
    bool enqueued; /* its command has not ended */
    bool unmapped; /* out of the list; the command frees it */
};

/* The object that owns the memory: itself, the buffer of a sub-buffer, the buffer or image that an image was made from. */
static inline struct _cl_mem *tsr__mem_root(struct _cl_mem *mem)
{
    while (mem->parent)
        mem = mem->parent;
    return mem;
}

/* ---- objects (icd/mem_object.c) ---- */

/* An object of the context, with no memory yet; NULL: out of memory. It is freed by tsr__drop, with its memory if it owns that. */
struct _cl_mem *tsr__mem_new(struct _cl_context *context, cl_mem_object_type type, cl_mem_flags flags, size_t size);
/* The object lies in another one, which it holds, from this byte on. */
void tsr__mem_become_part(struct _cl_mem *mem, struct _cl_mem *parent, size_t origin);
/* True if no device of the context can hold `size` bytes in one object. */
bool tsr__mem_too_large(const struct _cl_context *context, size_t size);

/* Whether an object can be created with these flags. */
bool tsr__mem_flags_valid(cl_mem_flags flags);
/* The flags of a new object that has memory of its own, with the defaults filled in. */
cl_mem_flags tsr__mem_flags_of_root(cl_mem_flags flags);
/* False: an immutable object that would never have contents. */
bool tsr__mem_flags_give_contents(cl_mem_flags flags, bool imports);
/* CL_INVALID_VALUE if an object that is imported shall have memory of the host. */
cl_int tsr__check_import_flags(const char *function, struct _cl_context *context, cl_mem_flags flags, bool imports);
/* The flags of a new object that lies in another one: what `flags` leaves open is inherited. CL_INVALID_VALUE if they do not fit. */
cl_int tsr__mem_flags_of_part(const char *function, const struct _cl_mem *parent, cl_mem_flags flags, cl_mem_flags *all);
/* CL_INVALID_HOST_PTR if the pointer is there and the flags do not use it, or the other way round. */
cl_int tsr__check_host_pointer(const char *function, struct _cl_context *context, cl_mem_flags flags, const void *host_ptr);

/* What the list of properties of a new buffer or image says. */
struct tsr__mem_properties {
    size_t words;                 /* of the list, its end included; 0: NULL */
    bool has_address, addressed;  /* CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT, of buffers */
    bool imports;                 /* its memory is that of `fd` */
    int fd;                       /* CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR */
    size_t devices, device_count; /* CL_MEM_DEVICE_HANDLE_LIST_KHR: the place of its first entry in the list; 0: all devices */
};
/* CL_INVALID_PROPERTY, CL_INVALID_DEVICE. (icd/external.c) */
cl_int tsr__read_mem_properties(const char *function, struct _cl_context *context, const cl_mem_properties *list, bool is_buffer,
                                struct tsr__mem_properties *p);
/* Maps the memory behind the descriptor as that of the object, which has its flags, its size and its properties, and takes the descriptor
 * over. Else the descriptor stays the caller's: CL_INVALID_PROPERTY, CL_OUT_OF_HOST_MEMORY, CL_MEM_OBJECT_ALLOCATION_FAILURE. */
cl_int tsr__mem_import(const char *function, struct _cl_mem *mem, const struct tsr__mem_properties *p);
void tsr__import_end(struct _cl_mem *mem); /* also of objects that are not imported */

/* Memory for an object of this size (icd/memory.c): aligned, committed by the system when touched. NULL: none left. */
unsigned char *tsr__mem_allocate(size_t size);
void tsr__mem_free(unsigned char *memory); /* also NULL */

/* For a root object. `filled`: the host has its contents; else they are undefined. `shared`: not NULL if every device reaches the host's
 * side, which begins there. NULL: out of memory. */
struct tsr__residence *tsr__residence_new(const struct _cl_context *context, size_t size, bool filled, const void *shared);
void tsr__residence_free(struct tsr__residence *residence); /* also NULL */
/* An image in another object dies: what only a device's image of it has is brought to the host, and these images are freed. */
void tsr__residence_forget(struct _cl_mem *image);
/* Allocates it on every device with own memory. CL_MEM_OBJECT_ALLOCATION_FAILURE, CL_OUT_OF_RESOURCES. */
cl_int tsr__residence_allocate(struct tsr__residence *residence);
/* The root buffer's first byte as kernels of the device see it. It is allocated there, or the device uses the host's memory. */
uint64_t tsr__mem_address(const struct _cl_mem *root, const struct _cl_device_id *device);

/* cl_khr_unified_svm (icd/unified_svm.c): whether the device, or each device of the context, has it; the capabilities of its types. */
bool tsr__has_unified_svm(const struct _cl_device_id *device);
bool tsr__context_has_unified_svm(const struct _cl_context *context);
/* As clSVMFree. */
void tsr__svm_free(struct _cl_context *context, void *pointer);
/* As tsr__check_queue, and "CL_INVALID_OPERATION if the device associated with command queue does not support SVM". (icd/enqueue_svm.c) */
cl_int tsr__check_svm_queue(const char *function, cl_command_queue queue);
/* The whole of clEnqueueSVMMemcpy and clEnqueueSVMMemFill, and of their counterparts for USM. Any memory of the process will do, not only
 * allocations of the context. (icd/enqueue_svm.c) */
cl_int tsr__enqueue_memcpy(const char *function, cl_command_queue queue, cl_command_type type, cl_bool blocking, void *to, const void *from,
                           size_t size, cl_uint wait_count, const cl_event *wait_list, cl_event *event);
cl_int tsr__enqueue_memfill(const char *function, cl_command_queue queue, cl_command_type type, void *pointer, const void *pattern,
                            size_t pattern_size, size_t size, cl_uint wait_count, const cl_event *wait_list, cl_event *event);

/* Checks that open every command on buffers (icd/check.c): CL_INVALID_COMMAND_QUEUE, then for each buffer CL_INVALID_MEM_OBJECT and
 * CL_INVALID_CONTEXT.
 */
cl_int tsr__check_queue(const char *function, cl_command_queue queue);
cl_int tsr__check_buffer(const char *function, cl_command_queue queue, cl_mem buffer);
/* CL_INVALID_VALUE unless [offset, offset + size) lies in the buffer. */
cl_int tsr__check_range(const char *function, cl_mem buffer, size_t offset, size_t size);
/* CL_INVALID_OPERATION if the host may not read or write it, by the flags that it was created with. */
cl_int tsr__check_host_access(const char *function, cl_mem mem, bool reads, bool writes);
/* CL_INVALID_OPERATION if no command may write it: CL_MEM_IMMUTABLE_EXT. */
cl_int tsr__check_mutable(const char *function, cl_mem mem);
/* CL_INVALID_VALUE unless a pattern of this size can fill `size` bytes from `start` on (an offset or an address). */
cl_int tsr__check_pattern(const char *function, struct _cl_context *context, const void *pattern, size_t pattern_size, uintptr_t start,
                          size_t size);

bool tsr__map_flags_valid(cl_map_flags flags);
/* CL_INVALID_VALUE for flags that are wrong; CL_INVALID_OPERATION as tsr__check_host_access. (icd/check.c) */
cl_int tsr__check_map_flags(const char *function, cl_mem mem, cl_map_flags flags);
/* The end of the entry points that map: a mapping that begins at `pointer`, and its command. CL_INVALID_OPERATION if a part of the region
 * is mapped for writing already, CL_OUT_OF_HOST_MEMORY. (icd/map.c) */
cl_int tsr__map(const char *function, cl_command_queue queue, cl_command_type type, cl_mem mem, unsigned char *pointer,
                const struct tsr__rect *rect, cl_bool blocking, cl_map_flags flags, cl_uint wait_count, const cl_event *wait_list,
                cl_event *event);

/* ---- commands that move bytes (icd/transfer.c): large ones are split over the workers ---- */

/* One end of a transfer: `start` is the address on the host, within the host's side of `mem` unless that is NULL. Pitches in bytes. */
struct tsr__box {
    struct _cl_mem *mem;
    unsigned char *start;
    size_t row_pitch, slice_pitch;
};
/* A command that copies; the buffers (may be NULL), which `to` and `from` lie in, are held until it ends. NULL: out of memory. */
struct _cl_event *tsr__copy_command(struct _cl_command_queue *queue, cl_command_type type, struct _cl_mem *to_mem, void *to,
                                    struct _cl_mem *from_mem, const void *from, size_t size);
/* … that fills; pattern_size is a power of two up to TSR__MOST_PATTERN, size a multiple of it. */
struct _cl_event *tsr__fill_command(struct _cl_command_queue *queue, cl_command_type type, struct _cl_mem *mem, void *to, size_t size,
                                    const void *pattern, size_t pattern_size);
/* … that fills a box; sizes of patterns as before, and it divides the width of the region. Not on queues of devices
 * with memory of their own. */
struct _cl_event *tsr__fill_box_command(struct _cl_command_queue *queue, cl_command_type type, struct tsr__box to, const size_t region[3],
                                        const void *pattern, size_t pattern_size);
/* … that copies a box: region in bytes, rows, slices. */
struct _cl_event *tsr__box_command(struct _cl_command_queue *queue, cl_command_type type, struct tsr__box to, struct tsr__box from,
                                   const size_t region[3]);
/* Copies into the memory of a new object before the call returns. Large ones are split over the workers as commands are, so each page is
 * first touched by the worker that is to work on it, which on machines with several nodes decides where it lies. */
void tsr__take_contents(struct _cl_context *context, void *to, const void *from, size_t size);
/* Has the queue's device memory of its own, and does it move the bytes itself? */
static inline bool tsr__moved_by_device(const struct _cl_command_queue *queue)
{
    return queue->context->own_memory && queue->device->caps->own_memory;
}
/* The commands of such a queue. (icd/device_transfer.c) */
struct _cl_event *tsr__device_box_command(struct _cl_command_queue *queue, cl_command_type type, struct tsr__box to, struct tsr__box from,
                                          const size_t region[3]);
struct _cl_event *tsr__device_fill_command(struct _cl_command_queue *queue, cl_command_type type, struct _cl_mem *mem, void *to,
                                           size_t size, const void *pattern, size_t pattern_size);
/* What a device's function over memory means for the event of a command. */
static inline cl_int tsr__code_of_transfer(enum tsr_status status)
{
    return status == TSR_OK ? CL_SUCCESS : CL_OUT_OF_RESOURCES;
}
/* Commands over addresses that the application knows, in contexts with a usm_device: by the device to whose memory they lead, else by the
 * queue's. (icd/address_transfer.c) */
struct _cl_event *tsr__address_copy_command(struct _cl_command_queue *queue, cl_command_type type, void *to, const void *from, size_t size);
struct _cl_event *tsr__address_fill_command(struct _cl_command_queue *queue, cl_command_type type, void *to, size_t size,
                                            const void *pattern, size_t pattern_size);
/* A command that prefetches to the queue's device the given number of bytes from each pointer on, or the rest of its allocation where
 * `sizes` is NULL or has a 0. The command is empty if the device has no prefetches, or if the memory is to migrate to the host. */
struct _cl_event *tsr__prefetch_command(struct _cl_command_queue *queue, cl_command_type type, cl_mem_migration_flags flags, cl_uint count,
                                        const void **pointers, const size_t *sizes);
/* A command that does nothing but has its place in the order of the queue. `mem` (may be NULL) is held. */
struct _cl_event *tsr__empty_command(struct _cl_command_queue *queue, cl_command_type type, struct _cl_mem *mem);

/* The end of every entry point that makes one command: reports that there was no memory for the command, or submits it. */
cl_int tsr__submit_or_report(const char *function, struct _cl_command_queue *queue, struct _cl_event *command, cl_uint wait_count,
                             const cl_event *wait_list, cl_event *event, bool blocking);

#endif
