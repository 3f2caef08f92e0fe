/* SPDX-License-Identifier: Apache-2.0
 * Shared virtual memory: allocation. To devices that use the memory of the process coarse and fine allocations differ in name only, and
 * atomics work across host and device. */
#include "icd/mem.h"

void tsr__svm_free(struct _cl_context *context, void *pointer)
{
    if (pointer && !tsr__allocation_free(context, pointer, TSR__SVM))
        tsr__error(context, CL_INVALID_VALUE, "clSVMFree", "svm_pointer", "%p is no pointer from clSVMAlloc, or was freed before; ignored",
                   pointer);
}

/* clSVMAlloc: OpenCL 3.0, 5.6.1. NULL for any error; the log and the context's callback get the reason. */
TSR_API void *CL_API_CALL clSVMAlloc(cl_context context, cl_svm_mem_flags flags, size_t size, cl_uint alignment)
{
    cl_svm_mem_flags access = flags & (CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY);
    cl_svm_mem_flags rest = flags & ~access;
    void *memory;
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
    if (!size && tsr__context_has_unified_svm(context))
        return NULL; /* which is no error there */
    FAIL_IF(context, size == 0, CL_INVALID_VALUE, "an allocation of 0 bytes");
    for (cl_uint i = 0; i < context->device_count; i++)
        FAIL_IF(context, context->devices[i]->caps->svm && size > context->devices[i]->caps->max_allocation, CL_INVALID_VALUE,
                "%zu bytes are more than CL_DEVICE_MAX_MEM_ALLOC_SIZE of device %u", size, i);
    FAIL_IF(context, alignment & (alignment - 1) || alignment > TSR_MAX_ALIGN, CL_INVALID_VALUE,
            "alignment %u: powers of two up to %d are possible", alignment, TSR_MAX_ALIGN);
    FAIL_IF(context, context->usm_split, CL_INVALID_OPERATION, "devices of the context have drivers that share no memory");
    memory = tsr__allocate(context, (struct tsr__allocation){.size = size, .kind = TSR__SVM, .fine = flags & CL_MEM_SVM_FINE_GRAIN_BUFFER});
    FAIL_IF(context, !memory, CL_OUT_OF_RESOURCES, "the system has no %zu bytes", size);
    return memory;
fail:
    (void)err; /* the function has no parameter for the code */
    return NULL;
}

/* clSVMFree: OpenCL 3.0, 5.6.1. */
TSR_API void CL_API_CALL clSVMFree(cl_context context, void *pointer)
{
    if (tsr__valid(context, TSR_TAG_CONTEXT))
        tsr__svm_free(context, pointer);
}
