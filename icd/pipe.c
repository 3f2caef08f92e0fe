/* SPDX-License-Identifier: Apache-2.0
 * Pipes: OpenCL 3.0, 5.4. A pipe lies in the host's memory, which devices with memory of their own do not see: they have none. */
#include <string.h>

#include "icd/mem.h"
#include "tessera/pipe.h"

static bool context_has_pipes(const struct _cl_context *context)
{
    for (cl_uint i = 0; i < context->device_count; i++)
        if (context->devices[i]->caps->extensions.has[TSR_HAS___opencl_c_pipes])
            return true;
    return false;
}

static size_t round_up(size_t n)
{
    return (n + TSR_MAX_ALIGN - 1) / TSR_MAX_ALIGN * TSR_MAX_ALIGN;
}

/* TSR_PIPE_PACKET and 32 bits of packets: the sum fits. */
static size_t bytes_before_packets(cl_uint max_packets)
{
    return round_up(sizeof(struct tsr_pipe) + (size_t)max_packets * sizeof(tsr_pipe_u32));
}

/* clCreatePipe: OpenCL 3.0, 5.4.1. */
TSR_API cl_mem CL_API_CALL clCreatePipe(cl_context context, cl_mem_flags flags, cl_uint packet_size, cl_uint max_packets,
                                        const cl_pipe_properties *properties, cl_int *errcode_ret)
{
    const cl_mem_flags known = CL_MEM_READ_WRITE | CL_MEM_HOST_NO_ACCESS;
    struct _cl_mem *mem = NULL;
    cl_int err = CL_SUCCESS;
    FAIL_IF(NULL, !tsr__valid(context, TSR_TAG_CONTEXT), CL_INVALID_CONTEXT, "not a context: %p", (void *)context);
    FAIL_IF(context, !context_has_pipes(context), CL_INVALID_OPERATION, "no device of the context has pipes");
    FAIL_IF(context, flags & ~known, CL_INVALID_VALUE, "flags 0x%llx: a pipe takes CL_MEM_READ_WRITE and CL_MEM_HOST_NO_ACCESS only",
            (unsigned long long)flags);
    FAIL_IF(context, properties, CL_INVALID_VALUE, "properties has to be NULL: pipes have none");
    FAIL_IF(context, !packet_size || packet_size > TSR_PIPE_PACKET, CL_INVALID_PIPE_SIZE,
            "packets of %u bytes: 1 to CL_DEVICE_PIPE_MAX_PACKET_SIZE, %d, are possible", packet_size, TSR_PIPE_PACKET);
    FAIL_IF(context, !max_packets, CL_INVALID_PIPE_SIZE, "a pipe for no packet");
    size_t before = bytes_before_packets(max_packets), size = before + (size_t)packet_size * max_packets;
    FAIL_IF(context, tsr__mem_too_large(context, size), CL_MEM_OBJECT_ALLOCATION_FAILURE,
            "%zu bytes are more than CL_DEVICE_MAX_MEM_ALLOC_SIZE of any device", size);

    mem = tsr__mem_new(context, CL_MEM_OBJECT_PIPE, flags ? flags | CL_MEM_READ_WRITE : known, size);
    FAIL_IF(context, !mem, CL_OUT_OF_HOST_MEMORY, "no memory for a pipe object");
    mem->data = tsr__mem_allocate(size);
    FAIL_IF(context, !mem->data, CL_MEM_OBJECT_ALLOCATION_FAILURE, "the system has no %zu bytes", size);
    mem->owns_data = true;
    struct tsr_pipe *pipe = memset(mem->data, 0, before);
    pipe->packet_bytes = packet_size;
    pipe->max_packets = max_packets;
    pipe->packets = before;
fail:
    return tsr__created(mem, err, errcode_ret);
}

/* clGetPipeInfo: OpenCL 3.0, 5.4.2. */
TSR_API cl_int CL_API_CALL clGetPipeInfo(cl_mem mem, cl_pipe_info name, size_t size, void *value, size_t *size_ret)
{
    RETURN_IF(NULL, !tsr__valid(mem, TSR_TAG_MEM) || mem->type != CL_MEM_OBJECT_PIPE, CL_INVALID_MEM_OBJECT, "not a pipe: %p", (void *)mem);
    struct tsr_info_out out = {size, value, size_ret};
    const struct tsr_pipe *pipe = (const void *)mem->data;
    switch (name) {
    case CL_PIPE_PACKET_SIZE:
        return tsr__info_value(out, cl_uint, pipe->packet_bytes);
    case CL_PIPE_MAX_PACKETS:
        return tsr__info_value(out, cl_uint, pipe->max_packets);
    case CL_PIPE_PROPERTIES:
        return tsr__info_bytes(out, NULL, 0);
    default:
        return tsr__error(mem->context, CL_INVALID_VALUE, __func__, "param_name", "no pipe has the property 0x%x", name);
    }
}
