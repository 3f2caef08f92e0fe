/* SPDX-License-Identifier: Apache-2.0
 * Functions of optional features and extensions that the driver lacks: sharing with OpenGL, EGL and Direct3D, the old device
 * fission. The dispatch table has slots for them, so each answers with the error that its specification gives for "not supported here". */
#include "icd/entry.h"

static void *no_object(cl_context context, cl_int *errcode_ret, cl_int code, const char *function, const char *what)
{
    cl_int err;
    if (tsr__valid(context, TSR_TAG_CONTEXT))
        err = tsr__error(context, code, function, "not supported", "%s is not supported by any device", what);
    else
        err = tsr__error(NULL, CL_INVALID_CONTEXT, function, "context", "the context is not valid");
    if (errcode_ret)
        *errcode_ret = err;
    return NULL;
}

static cl_int no_enqueue(cl_command_queue queue, cl_int code, const char *function, const char *what)
{
    RETURN_IF(NULL, !tsr__valid(queue, TSR_TAG_QUEUE), CL_INVALID_COMMAND_QUEUE, "%s: the command queue is not valid", function);
    return tsr__error(queue->context, code, function, "not supported", "%s is not supported by any device", what);
}

/* ---- OpenGL ---- */

/* "CL_INVALID_CONTEXT if context is not a valid context or was not created from a GL context" */

#define NO_GL(context, errcode) no_object(context, errcode, CL_INVALID_CONTEXT, __func__, "sharing with OpenGL")

TSR_API cl_mem CL_API_CALL clCreateFromGLBuffer(cl_context context, cl_mem_flags flags, cl_GLuint bufobj, cl_int *errcode_ret)
{
    (void)flags, (void)bufobj;
    return NO_GL(context, errcode_ret);
}

TSR_API cl_mem CL_API_CALL clCreateFromGLTexture(cl_context context, cl_mem_flags flags, cl_GLenum target, cl_GLint miplevel,
                                                 cl_GLuint texture, cl_int *errcode_ret)
{
    (void)flags, (void)target, (void)miplevel, (void)texture;
    return NO_GL(context, errcode_ret);
}

TSR_API cl_mem CL_API_CALL clCreateFromGLTexture2D(cl_context context, cl_mem_flags flags, cl_GLenum target, cl_GLint miplevel,
                                                   cl_GLuint texture, cl_int *errcode_ret)
{
    (void)flags, (void)target, (void)miplevel, (void)texture;
    return NO_GL(context, errcode_ret);
}

TSR_API cl_mem CL_API_CALL clCreateFromGLTexture3D(cl_context context, cl_mem_flags flags, cl_GLenum target, cl_GLint miplevel,
                                                   cl_GLuint texture, cl_int *errcode_ret)
{
    (void)flags, (void)target, (void)miplevel, (void)texture;
    return NO_GL(context, errcode_ret);
}

TSR_API cl_mem CL_API_CALL clCreateFromGLRenderbuffer(cl_context context, cl_mem_flags flags, cl_GLuint renderbuffer, cl_int *errcode_ret)
{
    (void)flags, (void)renderbuffer;
    return NO_GL(context, errcode_ret);
}

static cl_int no_gl_object(cl_mem memobj, const char *function)
{
    RETURN_IF(NULL, !tsr__valid(memobj, TSR_TAG_MEM), CL_INVALID_MEM_OBJECT, "%s: the memory object is not valid", function);
    /* "CL_INVALID_GL_OBJECT if there is no GL object associated with memobj." */
    return tsr__error(memobj->context, CL_INVALID_GL_OBJECT, function, "memobj", "the memory object was not made from a GL object");
}

TSR_API cl_int CL_API_CALL clGetGLObjectInfo(cl_mem memobj, cl_gl_object_type *gl_object_type, cl_GLuint *gl_object_name)
{
    (void)gl_object_type, (void)gl_object_name;
    return no_gl_object(memobj, __func__);
}

TSR_API cl_int CL_API_CALL clGetGLTextureInfo(cl_mem memobj, cl_gl_texture_info param_name, size_t param_value_size, void *param_value,
                                              size_t *param_value_size_ret)
{
    (void)param_name, (void)param_value_size, (void)param_value, (void)param_value_size_ret;
    return no_gl_object(memobj, __func__);
}

TSR_API cl_event CL_API_CALL clCreateEventFromGLsyncKHR(cl_context context, cl_GLsync sync, cl_int *errcode_ret)
{
    (void)sync;
    return NO_GL(context, errcode_ret);
}

TSR_API cl_int CL_API_CALL clGetGLContextInfoKHR(const cl_context_properties *properties, cl_gl_context_info param_name,
                                                 size_t param_value_size, void *param_value, size_t *param_value_size_ret)
{
    (void)properties, (void)param_name, (void)param_value_size, (void)param_value, (void)param_value_size_ret;
    return tsr__error(NULL, CL_INVALID_OPERATION, __func__, "not supported", "sharing with OpenGL is not supported by any device");
}

/* ---- enqueues of shared objects ---- */

#define ENQUEUE_SHARED(name, code, what)                                                                                                   \
    TSR_API TSR__DECLARE_ENQUEUE_SHARED(name)                                                                                              \
    {                                                                                                                                      \
        (void)num_objects, (void)mem_objects, (void)num_events_in_wait_list, (void)event_wait_list, (void)event;                           \
        return no_enqueue(queue, code, __func__, what);                                                                                    \
    }
/* "CL_INVALID_CONTEXT if context associated with command_queue was not created from an OpenGL context" (Direct3D, DX9: likewise). */
ENQUEUE_SHARED(clEnqueueAcquireGLObjects, CL_INVALID_CONTEXT, "sharing with OpenGL")
ENQUEUE_SHARED(clEnqueueReleaseGLObjects, CL_INVALID_CONTEXT, "sharing with OpenGL")
ENQUEUE_SHARED(clEnqueueAcquireD3D10ObjectsKHR, CL_INVALID_CONTEXT, "sharing with Direct3D 10")
ENQUEUE_SHARED(clEnqueueReleaseD3D10ObjectsKHR, CL_INVALID_CONTEXT, "sharing with Direct3D 10")
ENQUEUE_SHARED(clEnqueueAcquireD3D11ObjectsKHR, CL_INVALID_CONTEXT, "sharing with Direct3D 11")
ENQUEUE_SHARED(clEnqueueReleaseD3D11ObjectsKHR, CL_INVALID_CONTEXT, "sharing with Direct3D 11")
ENQUEUE_SHARED(clEnqueueAcquireDX9MediaSurfacesKHR, CL_INVALID_CONTEXT, "sharing with DirectX 9 media")
ENQUEUE_SHARED(clEnqueueReleaseDX9MediaSurfacesKHR, CL_INVALID_CONTEXT, "sharing with DirectX 9 media")
/* No object can have been made from an EGL image: "CL_INVALID_EGL_OBJECT_KHR if memory objects … have not been created from EGL". */
ENQUEUE_SHARED(clEnqueueAcquireEGLObjectsKHR, CL_INVALID_EGL_OBJECT_KHR, "sharing with EGL")
ENQUEUE_SHARED(clEnqueueReleaseEGLObjectsKHR, CL_INVALID_EGL_OBJECT_KHR, "sharing with EGL")

/* ---- EGL ---- */

TSR_API cl_mem CL_API_CALL clCreateFromEGLImageKHR(cl_context context, CLeglDisplayKHR egldisplay, CLeglImageKHR eglimage,
                                                   cl_mem_flags flags, const cl_egl_image_properties_khr *properties, cl_int *errcode_ret)
{
    (void)egldisplay, (void)eglimage, (void)flags, (void)properties;
    /* "CL_INVALID_OPERATION if there are no devices in context that support images." */
    return no_object(context, errcode_ret, CL_INVALID_OPERATION, __func__, "sharing with EGL");
}

TSR_API cl_event CL_API_CALL clCreateEventFromEGLSyncKHR(cl_context context, CLeglSyncKHR sync, CLeglDisplayKHR display,
                                                         cl_int *errcode_ret)
{
    (void)sync, (void)display;
    return no_object(context, errcode_ret, CL_INVALID_OPERATION, __func__, "sharing with EGL");
}

/* ---- Direct3D ---- */

static cl_int no_d3d_devices(cl_platform_id platform, cl_uint num_entries, cl_device_id *devices, cl_uint *num_devices,
                             const char *function)
{
    RETURN_IF(NULL, !tsr__valid(platform, TSR_TAG_PLATFORM), CL_INVALID_PLATFORM, "%s: the platform is not valid", function);
    RETURN_IF(NULL, !num_entries && devices, CL_INVALID_VALUE, "%s: num_entries is 0, but devices is not NULL", function);
    if (num_devices)
        *num_devices = 0;
    return tsr__error(NULL, CL_DEVICE_NOT_FOUND, function, "not supported", "no device shares memory with Direct3D");
}

#define D3D_DEVICE_IDS(name)                                                                                                               \
    TSR_API TSR__DECLARE_D3D_DEVICE_IDS(name)                                                                                              \
    {                                                                                                                                      \
        (void)source, (void)object, (void)set;                                                                                             \
        return no_d3d_devices(platform, num_entries, devices, num_devices, __func__);                                                      \
    }
D3D_DEVICE_IDS(clGetDeviceIDsFromD3D10KHR)
D3D_DEVICE_IDS(clGetDeviceIDsFromD3D11KHR)

TSR_API cl_int CL_API_CALL clGetDeviceIDsFromDX9MediaAdapterKHR(cl_platform_id platform, cl_uint num_adapters, tsr__d3d_enum *types,
                                                                void *adapters, tsr__d3d_enum set, cl_uint num_entries,
                                                                cl_device_id *devices, cl_uint *num_devices)
{
    (void)num_adapters, (void)types, (void)adapters, (void)set;
    return no_d3d_devices(platform, num_entries, devices, num_devices, __func__);
}

/* "CL_INVALID_CONTEXT if context is not a valid context" — none can have been made with a Direct3D device. */
#define D3D_BUFFER(name)                                                                                                                   \
    TSR_API TSR__DECLARE_D3D_BUFFER(name)                                                                                                  \
    {                                                                                                                                      \
        (void)flags, (void)resource;                                                                                                       \
        return no_object(context, errcode_ret, CL_INVALID_CONTEXT, __func__, "sharing with Direct3D");                                     \
    }
D3D_BUFFER(clCreateFromD3D10BufferKHR)
D3D_BUFFER(clCreateFromD3D11BufferKHR)

#define D3D_TEXTURE(name)                                                                                                                  \
    TSR_API TSR__DECLARE_D3D_TEXTURE(name)                                                                                                 \
    {                                                                                                                                      \
        (void)flags, (void)resource, (void)subresource;                                                                                    \
        return no_object(context, errcode_ret, CL_INVALID_CONTEXT, __func__, "sharing with Direct3D");                                     \
    }
D3D_TEXTURE(clCreateFromD3D10Texture2DKHR)
D3D_TEXTURE(clCreateFromD3D10Texture3DKHR)
D3D_TEXTURE(clCreateFromD3D11Texture2DKHR)
D3D_TEXTURE(clCreateFromD3D11Texture3DKHR)

TSR_API cl_mem CL_API_CALL clCreateFromDX9MediaSurfaceKHR(cl_context context, cl_mem_flags flags, tsr__d3d_enum type, void *surface,
                                                          cl_uint plane, cl_int *errcode_ret)
{
    (void)flags, (void)type, (void)surface, (void)plane;
    return no_object(context, errcode_ret, CL_INVALID_CONTEXT, __func__, "sharing with DirectX 9 media");
}

/* ---- cl_ext_device_fission ---- */

/* Replaced by clCreateSubDevices, whose property lists have another element type. */

TSR_API cl_int CL_API_CALL clCreateSubDevicesEXT(cl_device_id device, const cl_device_partition_property_ext *properties,
                                                 cl_uint num_entries, cl_device_id *out_devices, cl_uint *num_devices)
{
    (void)properties, (void)num_entries, (void)out_devices, (void)num_devices;
    RETURN_IF(NULL, !tsr__valid(device, TSR_TAG_DEVICE), CL_INVALID_DEVICE, "the device is not valid");
    return tsr__error(NULL, CL_INVALID_OPERATION, __func__, "not supported", "use clCreateSubDevices");
}

TSR_API cl_int CL_API_CALL clRetainDeviceEXT(cl_device_id device)
{
    return clRetainDevice(device);
}

TSR_API cl_int CL_API_CALL clReleaseDeviceEXT(cl_device_id device)
{
    return clReleaseDevice(device);
}
