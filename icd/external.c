/* SPDX-License-Identifier: Apache-2.0
 * cl_khr_external_memory, cl_khr_external_memory_dma_buf: buffers and images in memory that another API has allocated. The object maps the
 * pages behind a descriptor, so nothing is copied. A memfd is taken as well as a dma-buf. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/dma-buf.h>
#include <pthread.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "icd/mem.h"

/* A descriptor that objects have been imported from. Several may have been, though the first one owns it: the last of them closes it. */
struct descriptor {
    struct tsr_fd fd; /* the application may have closed it all the same */
    unsigned objects;
    struct descriptor *next;
};

struct tsr__import {
    struct descriptor *descriptor;    /* counts this object */
    bool syncs;                       /* a dma-buf: the kernel is told when the CPU begins and ends to use it */
    const cl_mem_properties *devices; /* CL_MEM_DEVICE_HANDLE_LIST_KHR in the object's properties */
    size_t device_count;              /* 0: all devices of the context */
};

/* ---- properties ---- */

static bool imports(const struct _cl_device_id *device)
{
    return device->caps->extensions.has[TSR_HAS_cl_khr_external_memory_dma_buf];
}

/* CL_INVALID_DEVICE unless each device that is named, or else each of the context, can import. */
static cl_int check_devices(const char *function, struct _cl_context *context, const cl_mem_properties *list,
                            const struct tsr__mem_properties *p)
{
    for (size_t i = 0; i < p->device_count; i++) {
        struct _cl_device_id *device = (struct _cl_device_id *)(uintptr_t)list[p->devices + i];
        if (!tsr__valid(device, TSR_TAG_DEVICE) || !tsr__context_has(context, device))
            return tsr__error(context, CL_INVALID_DEVICE, function, "CL_MEM_DEVICE_HANDLE_LIST_KHR",
                              "entry %zu is no device of the context", i);
    }
    for (cl_uint i = 0; i < context->device_count; i++)
        if (context->own_memory || !imports(context->devices[i]))
            return tsr__error(context, CL_INVALID_DEVICE, function, "CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR",
                              "a device of the context cannot import memory; make a context of the CPU device alone");
    return CL_SUCCESS;
}

/* Reads the value of one property, whose name is list[*at]; *at becomes the index of the next name. NULL, or what is wrong. */
static const char *read_property(const cl_mem_properties *list, size_t *at, bool is_buffer, struct tsr__mem_properties *p)
{
    cl_mem_properties name = list[*at], value = list[*at + 1];
    size_t first = *at + 1;
    *at += 2;
    if (name == CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT && is_buffer) {
        if (p->has_address)
            return "stands twice in the list";
        p->has_address = true;
        p->addressed = value;
        return value == CL_TRUE || value == CL_FALSE ? NULL : "is CL_TRUE or CL_FALSE";
    }
    if (name == CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR) {
        if (p->imports)
            return "stands twice in the list";
        p->imports = true;
        p->fd = value > INT_MAX ? -1 : (int)value;
        return fcntl(p->fd, F_GETFD) >= 0 ? NULL : "is no open file descriptor";
    }
    if (name == CL_MEM_DEVICE_HANDLE_LIST_KHR) {
        if (p->devices)
            return "stands twice in the list";
        p->devices = first;
        while (list[first + p->device_count] != CL_MEM_DEVICE_HANDLE_LIST_END_KHR)
            p->device_count++;
        *at = first + p->device_count + 1;
        return p->device_count ? NULL : "is an empty list";
    }
    return "is no property of this kind of object";
}

cl_int tsr__read_mem_properties(const char *function, struct _cl_context *context, const cl_mem_properties *list, bool is_buffer,
                                struct tsr__mem_properties *p)
{
    *p = (struct tsr__mem_properties){.fd = -1};
    if (!list)
        return CL_SUCCESS;
    size_t at = 0;
    while (list[at]) {
        cl_mem_properties name = list[at];
        const char *why = read_property(list, &at, is_buffer, p);
        if (why)
            return tsr__error(context, CL_INVALID_PROPERTY, function, "properties", "property 0x%llx %s", (unsigned long long)name, why);
    }
    p->words = at + 1;
    if (p->devices && !p->imports)
        return tsr__error(context, CL_INVALID_PROPERTY, function, "CL_MEM_DEVICE_HANDLE_LIST_KHR",
                          "CL_MEM_DEVICE_HANDLE_LIST_KHR goes with a handle of external memory");
    return p->imports ? check_devices(function, context, list, p) : CL_SUCCESS;
}

/* ---- descriptors ---- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* what follows, and the counts of objects; no fork meanwhile */
static struct descriptor *descriptors;

static void lock_descriptors(void)
{
    tsr_no_fork_begin();
    pthread_mutex_lock(&lock);
}

static void unlock_descriptors(void)
{
    pthread_mutex_unlock(&lock);
    tsr_no_fork_end();
}

/* The descriptor of a number, for one more object; NULL: out of memory. */
static struct descriptor *descriptor_of(int number)
{
    lock_descriptors();
    struct descriptor *d = descriptors;
    while (d && (d->fd.number != number || !tsr_fd_is_ours(&d->fd)))
        d = d->next;
    if (!d && (d = tsr_malloc(sizeof *d))) {
        *d = (struct descriptor){tsr_fd_keep(number), 0, descriptors};
        descriptors = d;
    }
    if (d)
        d->objects++;
    unlock_descriptors();
    return d;
}

static void let_go(struct descriptor *d)
{
    lock_descriptors();
    if (!--d->objects) {
        struct descriptor **link = &descriptors;
        while (*link != d)
            link = &(*link)->next;
        *link = d->next;
        tsr_fd_close(&d->fd);
        tsr_free(d);
    }
    unlock_descriptors();
}

/* ---- import ---- */

/* Tells the kernel that the CPU begins or ends to use the dma-buf. False: it is none, or the exporter has failed. */
static bool sync_dma_buf(int fd, uint64_t flags)
{
    struct dma_buf_sync sync = {.flags = flags};
    int result;
    do
        result = ioctl(fd, DMA_BUF_IOCTL_SYNC, &sync);
    while (result && (errno == EINTR || errno == EAGAIN));
    return !result;
}

static bool is_dma_buf(int fd)
{
    return sync_dma_buf(fd, DMA_BUF_SYNC_START | DMA_BUF_SYNC_READ) && sync_dma_buf(fd, DMA_BUF_SYNC_END | DMA_BUF_SYNC_READ);
}

/* Bytes behind the descriptor. Pages past the end of a mapping's file end the process, so more is never mapped. */
static uint64_t size_of(int fd)
{
    struct stat file;
    if (!fstat(fd, &file) && S_ISREG(file.st_mode))
        return (uint64_t)file.st_size;
    off_t end = lseek(fd, 0, SEEK_END); /* as dma-buf has it */
    lseek(fd, 0, SEEK_SET);
    return end > 0 ? (uint64_t)end : 0;
}

cl_int tsr__mem_import(const char *function, struct _cl_mem *mem, const struct tsr__mem_properties *p)
{
    static const char what[] = "CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR";
    bool syncs = is_dma_buf(p->fd);
    if (!syncs && fcntl(p->fd, F_GET_SEALS) < 0)
        return tsr__error(mem->context, CL_INVALID_PROPERTY, function, what, "descriptor %d is neither a dma-buf nor a memfd", p->fd);
    if (size_of(p->fd) < mem->size)
        return tsr__error(mem->context, CL_INVALID_PROPERTY, function, what, "the object has %zu bytes, and descriptor %d only %llu",
                          mem->size, p->fd, (unsigned long long)size_of(p->fd));
    int access = mem->flags & CL_MEM_IMMUTABLE_EXT ? PROT_READ : PROT_READ | PROT_WRITE;
    void *data = mmap(NULL, mem->size, access, MAP_SHARED, p->fd, 0);
    if (data == MAP_FAILED) {
        bool refused = errno == EACCES || errno == EPERM;
        return tsr__error(mem->context, refused ? CL_INVALID_PROPERTY : CL_MEM_OBJECT_ALLOCATION_FAILURE, function, what,
                          refused ? "descriptor %d was not opened for reading and writing, which all but CL_MEM_IMMUTABLE_EXT needs"
                                  : "the system does not map descriptor %d",
                          p->fd);
    }
    struct tsr__import *import = tsr_malloc(sizeof *import);
    struct descriptor *descriptor = import ? descriptor_of(p->fd) : NULL;
    if (!descriptor) {
        tsr_free(import);
        munmap(data, mem->size);
        return tsr__error(mem->context, CL_OUT_OF_HOST_MEMORY, function, what, "no memory for an object");
    }
    fcntl(p->fd, F_SETFD, FD_CLOEXEC); /* "importing memory from a file descriptor transfers ownership" */
    *import = (struct tsr__import){descriptor, syncs, p->devices ? mem->properties + p->devices : NULL, p->device_count};
    mem->data = data;
    mem->import = import;
    return CL_SUCCESS;
}

void tsr__import_end(struct _cl_mem *mem)
{
    if (!mem->import)
        return;
    munmap(mem->data, mem->size);
    let_go(mem->import->descriptor);
    tsr_free(mem->import);
}

/* ---- commands ---- */

struct payload {
    bool acquires;
    cl_uint count;
    struct _cl_mem *mems[]; /* held */
};

static cl_int execute(struct _cl_event *command, struct tsr_worker *worker, uint64_t begin, uint64_t end)
{
    const struct payload *payload = (const struct payload *)(const void *)command->payload;
    (void)worker, (void)begin, (void)end;
    for (cl_uint i = 0; i < payload->count; i++) {
        const struct _cl_mem *mem = payload->mems[i];
        uint64_t access = mem->flags & CL_MEM_IMMUTABLE_EXT ? DMA_BUF_SYNC_READ : DMA_BUF_SYNC_RW;
        uint64_t when = payload->acquires ? DMA_BUF_SYNC_START : DMA_BUF_SYNC_END;
        const struct tsr_fd *fd = &mem->import->descriptor->fd;
        if (mem->import->syncs && (!tsr_fd_is_ours(fd) || !sync_dma_buf(fd->number, when | access)))
            return CL_OUT_OF_RESOURCES;
    }
    return CL_SUCCESS;
}

static void cleanup(struct _cl_event *command)
{
    struct payload *payload = (struct payload *)(void *)command->payload;
    for (cl_uint i = 0; i < payload->count; i++)
        tsr__drop(payload->mems[i]);
}

static bool is_for(const struct tsr__import *import, const struct _cl_device_id *device)
{
    bool found = !import->device_count;
    for (size_t i = 0; i < import->device_count; i++)
        found |= (uintptr_t)import->devices[i] == (uintptr_t)device;
    return found;
}

static cl_int check(const char *function, cl_command_queue queue, cl_uint count, const cl_mem *mems, cl_uint wait_count,
                    const cl_event *wait_list)
{
    cl_int err = tsr__check_queue(function, queue);
    if (err != CL_SUCCESS)
        return err;
    struct _cl_context *context = queue->context;
    if (!count != !mems)
        return tsr__error(context, CL_INVALID_VALUE, function, "mem_objects", "%u objects at %p", count, (const void *)mems);
    for (cl_uint i = 0; i < count; i++) {
        if (!tsr__valid(mems[i], TSR_TAG_MEM) || !mems[i]->import)
            return tsr__error(context, CL_INVALID_MEM_OBJECT, function, "mem_objects", "entry %u is no object of external memory: %p", i,
                              (void *)mems[i]);
        if (!tsr__context_has(mems[i]->context, queue->device) || !is_for(mems[i]->import, queue->device))
            return tsr__error(context, CL_INVALID_COMMAND_QUEUE, function, "command_queue",
                              "object %u was not imported for the device of the queue", i);
    }
    err = tsr__check_wait_list(context, wait_count, wait_list);
    for (cl_uint i = 0; i < wait_count && err == CL_SUCCESS; i++)
        if (atomic_load(&wait_list[i]->status) < 0)
            err = tsr__error(context, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, function, "event_wait_list",
                             "event %u of the wait list has ended with an error", i);
    return err;
}

static cl_int enqueue(const char *function, cl_command_type type, cl_command_queue queue, cl_uint count, const cl_mem *mems,
                      cl_uint wait_count, const cl_event *wait_list, cl_event *event)
{
    cl_int err = check(function, queue, count, mems, wait_count, wait_list);
    if (err != CL_SUCCESS)
        return err;
    struct _cl_event *command = tsr__command_new(queue, type, sizeof(struct payload) + count * sizeof(*mems));
    if (command) {
        struct payload *payload = (struct payload *)(void *)command->payload;
        payload->acquires = type == CL_COMMAND_ACQUIRE_EXTERNAL_MEM_OBJECTS_KHR;
        command->execute = execute;
        command->cleanup = cleanup;
        command->task.units = 0;
        for (; payload->count < count; payload->count++) {
            struct _cl_mem *mem = mems[payload->count];
            tsr__hold(mem);
            payload->mems[payload->count] = mem;
            if (mem->import->syncs)
                command->task.units = 1;
        }
    }
    return tsr__submit_or_report(function, queue, command, wait_count, wait_list, event, false);
}

/* clEnqueueAcquireExternalMemObjectsKHR, clEnqueueReleaseExternalMemObjectsKHR: OpenCL 3.1, "Acquiring and Releasing External Memory
 * Objects". The CPU's caches see what other APIs write, but for what the kernel has to do for a dma-buf of some devices. */
TSR_API cl_int CL_API_CALL clEnqueueAcquireExternalMemObjectsKHR(cl_command_queue command_queue, cl_uint num_mem_objects,
                                                                 const cl_mem *mem_objects, cl_uint num_events_in_wait_list,
                                                                 const cl_event *event_wait_list, cl_event *event)
{
    return enqueue(__func__, CL_COMMAND_ACQUIRE_EXTERNAL_MEM_OBJECTS_KHR, command_queue, num_mem_objects, mem_objects,
                   num_events_in_wait_list, event_wait_list, event);
}

TSR_API cl_int CL_API_CALL clEnqueueReleaseExternalMemObjectsKHR(cl_command_queue command_queue, cl_uint num_mem_objects,
                                                                 const cl_mem *mem_objects, cl_uint num_events_in_wait_list,
                                                                 const cl_event *event_wait_list, cl_event *event)
{
    return enqueue(__func__, CL_COMMAND_RELEASE_EXTERNAL_MEM_OBJECTS_KHR, command_queue, num_mem_objects, mem_objects,
                   num_events_in_wait_list, event_wait_list, event);
}
