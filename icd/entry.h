/* SPDX-License-Identifier: Apache-2.0
 * Prototypes of those entry points that cl.h and cl_ext.h leave out: OpenGL and EGL sharing from their own headers, Direct3D here, with
 * the types that exist on Windows only replaced by pointers. */
#ifndef TESSERA_ICD_ENTRY_H
#define TESSERA_ICD_ENTRY_H

#include "icd/icd.h"

#include <CL/cl_egl.h>
#include <CL/cl_gl.h>

typedef cl_uint tsr__d3d_enum; /* cl_d3d10_device_source_khr and its like */
typedef void *tsr__d3d_object; /* ID3D10Buffer * and its like */

#define TSR__DECLARE_D3D_DEVICE_IDS(name)                                                                                                  \
    cl_int CL_API_CALL name(cl_platform_id platform, tsr__d3d_enum source, void *object, tsr__d3d_enum set, cl_uint num_entries,           \
                            cl_device_id *devices, cl_uint *num_devices)
#define TSR__DECLARE_D3D_BUFFER(name)                                                                                                      \
    cl_mem CL_API_CALL name(cl_context context, cl_mem_flags flags, tsr__d3d_object resource, cl_int *errcode_ret)
#define TSR__DECLARE_D3D_TEXTURE(name)                                                                                                     \
    cl_mem CL_API_CALL name(cl_context context, cl_mem_flags flags, tsr__d3d_object resource, cl_uint subresource, cl_int *errcode_ret)
#define TSR__DECLARE_ENQUEUE_SHARED(name)                                                                                                  \
    cl_int CL_API_CALL name(cl_command_queue queue, cl_uint num_objects, const cl_mem *mem_objects, cl_uint num_events_in_wait_list,       \
                            const cl_event *event_wait_list, cl_event *event)

TSR__DECLARE_D3D_DEVICE_IDS(clGetDeviceIDsFromD3D10KHR);
TSR__DECLARE_D3D_BUFFER(clCreateFromD3D10BufferKHR);
TSR__DECLARE_D3D_TEXTURE(clCreateFromD3D10Texture2DKHR);
TSR__DECLARE_D3D_TEXTURE(clCreateFromD3D10Texture3DKHR);
TSR__DECLARE_ENQUEUE_SHARED(clEnqueueAcquireD3D10ObjectsKHR);
TSR__DECLARE_ENQUEUE_SHARED(clEnqueueReleaseD3D10ObjectsKHR);
TSR__DECLARE_D3D_DEVICE_IDS(clGetDeviceIDsFromD3D11KHR);
TSR__DECLARE_D3D_BUFFER(clCreateFromD3D11BufferKHR);
TSR__DECLARE_D3D_TEXTURE(clCreateFromD3D11Texture2DKHR);
TSR__DECLARE_D3D_TEXTURE(clCreateFromD3D11Texture3DKHR);
TSR__DECLARE_ENQUEUE_SHARED(clEnqueueAcquireD3D11ObjectsKHR);
TSR__DECLARE_ENQUEUE_SHARED(clEnqueueReleaseD3D11ObjectsKHR);
cl_int CL_API_CALL clGetDeviceIDsFromDX9MediaAdapterKHR(cl_platform_id platform, cl_uint num_adapters, tsr__d3d_enum *types, void *adapters,
                                                        tsr__d3d_enum set, cl_uint num_entries, cl_device_id *devices,
                                                        cl_uint *num_devices);
cl_mem CL_API_CALL clCreateFromDX9MediaSurfaceKHR(cl_context context, cl_mem_flags flags, tsr__d3d_enum type, void *surface, cl_uint plane,
                                                  cl_int *errcode_ret);
TSR__DECLARE_ENQUEUE_SHARED(clEnqueueAcquireDX9MediaSurfacesKHR);
TSR__DECLARE_ENQUEUE_SHARED(clEnqueueReleaseDX9MediaSurfacesKHR);

#endif
