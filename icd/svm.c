/* SPDX-License-Identifier: Apache-2.0
 * Shared virtual memory: allocation, and the context's list of allocations. All of it is ordinary memory of the process, so that coarse
 * and fine allocations differ in name only, and atomics work across host and device. */
#include <string.h>

#include "icd/mem.h"

/* One allocation; the context's array is sorted by address. */
struct tsr__svm_range {
    unsigned char *base;
    size_t size;
};

/* Index of the first allocation that begins behind the pointer. Under the context's lock. */
static size_t upper_bound(const struct _cl_context *context, const void *pointer)
{
    size_t low = 0, high = context->svm_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if ((uintptr_t)context->svm[middle].base <= (uintptr_t)pointer)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool add_range(struct _cl_context *context, unsigned char *base, size_t size)
{
    bool added = true;
    pthread_mutex_lock(&context->lock);
    if (context->svm_count == context->svm_room) {
        size_t room = context->svm_room ? 2 * context->svm_room : 16;
        struct tsr__svm_range *larger = tsr_realloc(context->svm, room * sizeof *larger);
        added = larger;
        if (larger) {
            context->svm = larger;
            context->svm_room = room;
        }
    }
    if (added) {
        size_t at = upper_bound(context, base);
        memmove(context->svm + at + 1, context->svm + at, (context->svm_count - at) * sizeof *context->svm);
        context->svm[at] = (struct tsr__svm_range){base, size};
        context->svm_count++;
    }
    pthread_mutex_unlock(&context->lock);
    return added;
}

/* Takes the allocation that begins at `base` out of the list; false if there is none. */
static bool remove_range(struct _cl_context *context, const void *base)
{
    pthread_mutex_lock(&context->lock);
    size_t behind = upper_bound(context, base);
    bool found = behind && context->svm[behind - 1].base == base;
    if (found) {
        memmove(context->svm + behind - 1, context->svm + behind, (context->svm_count - behind) * sizeof *context->svm);
        context->svm_count--;
    }
    pthread_mutex_unlock(&context->lock);
    return found;
}

bool tsr__svm_find(struct _cl_context *context, const void *pointer, void **base, size_t *bytes_left)
{
    pthread_mutex_lock(&context->lock);
    size_t behind = upper_bound(context, pointer);
    struct tsr__svm_range range = behind ? context->svm[behind - 1] : (struct tsr__svm_range){NULL, 0};
    pthread_mutex_unlock(&context->lock);
    size_t offset = (uintptr_t)pointer - (uintptr_t)range.base;
    if (!range.base || offset >= range.size)
        return false;
    *base = range.base;
    *bytes_left = range.size - offset;
    return true;
}

void tsr__svm_forget(struct _cl_context *context)
{
    tsr_free(context->svm);
    context->svm = NULL;
    context->svm_count = context->svm_room = 0;
}

void tsr__svm_free(struct _cl_context *context, void *pointer)
{
    if (pointer && remove_range(context, pointer))
        tsr__mem_free(pointer);
    else if (pointer)
        tsr__error(context, CL_INVALID_VALUE, "clSVMFree", "svm_pointer", "%p is no pointer from clSVMAlloc, or was freed before; ignored",
                   pointer);
}

/* clSVMAlloc: OpenCL 3.0, 5.6.1. NULL for any error; the log and the context's callback get the reason. */
TSR_API void *CL_API_CALL clSVMAlloc(cl_context context, cl_svm_mem_flags flags, size_t size, cl_uint alignment)
{
    cl_svm_mem_flags access = flags & (CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY);
    cl_svm_mem_flags rest = flags & ~access;
    unsigned char *memory = NULL;
    cl_int err;
    FAIL_IF(NULL, !tsr__valid(context, TSR_TAG_CONTEXT), CL_INVALID_CONTEXT, "not a context: %p", (void *)context);
    FAIL_IF(context, rest & CL_MEM_SVM_ATOMICS && !(rest & CL_MEM_SVM_FINE_GRAIN_BUFFER), CL_INVALID_VALUE,
            "CL_MEM_SVM_ATOMICS needs CL_MEM_SVM_FINE_GRAIN_BUFFER");
    FAIL_IF(context, access & (access - 1) || rest & ~(cl_svm_mem_flags)(CL_MEM_SVM_ATOMICS | CL_MEM_SVM_FINE_GRAIN_BUFFER),
            CL_INVALID_VALUE, "flags 0x%llx: unknown, or some that exclude each other", (unsigned long long)flags);
    unsigned svm = context->svm_caps;
    FAIL_IF(context, !svm, CL_INVALID_OPERATION, "no device of the context has SVM");
    FAIL_IF(context, rest & CL_MEM_SVM_FINE_GRAIN_BUFFER && !(svm & TSR_SVM_FINE_GRAIN_BUFFER), CL_INVALID_VALUE,
            "no device of the context has CL_DEVICE_SVM_FINE_GRAIN_BUFFER");
    FAIL_IF(context, rest & CL_MEM_SVM_ATOMICS && !(svm & TSR_SVM_ATOMICS), CL_INVALID_VALUE,
            "no device of the context has CL_DEVICE_SVM_ATOMICS");
    FAIL_IF(context, size == 0, CL_INVALID_VALUE, "an allocation of 0 bytes");
    for (cl_uint i = 0; i < context->device_count; i++)
        FAIL_IF(context, context->devices[i]->caps->svm && size > context->devices[i]->caps->max_allocation, CL_INVALID_VALUE,
                "%zu bytes are more than CL_DEVICE_MAX_MEM_ALLOC_SIZE of device %u", size, i);
    FAIL_IF(context, alignment & (alignment - 1) || alignment > TSR_MAX_ALIGN, CL_INVALID_VALUE,
            "alignment %u: powers of two up to %d are possible", alignment, TSR_MAX_ALIGN);
    memory = tsr__mem_allocate(size);
    FAIL_IF(context, !memory, CL_OUT_OF_RESOURCES, "the system has no %zu bytes", size);
    FAIL_IF(context, !add_range(context, memory, size), CL_OUT_OF_HOST_MEMORY, "no memory to list an allocation");
    return memory;
fail:
    tsr__mem_free(memory);
    (void)err; /* the function has no parameter for the code */
    return NULL;
}

/* clSVMFree: OpenCL 3.0, 5.6.1. */
TSR_API void CL_API_CALL clSVMFree(cl_context context, void *pointer)
{
    if (tsr__valid(context, TSR_TAG_CONTEXT))
        tsr__svm_free(context, pointer);
}
