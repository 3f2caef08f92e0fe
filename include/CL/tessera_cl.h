/* SPDX-License-Identifier: Apache-2.0
 * The OpenCL headers plus what older installed ones lack; every addition is guarded by its own name, so that newer headers win. */
#ifndef TESSERA_CL_H
#define TESSERA_CL_H

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 300
#endif
/* The driver defines the deprecated functions, too, and the tests call them. */
#define CL_USE_DEPRECATED_OPENCL_1_0_APIS
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CL_USE_DEPRECATED_OPENCL_2_0_APIS
#define CL_USE_DEPRECATED_OPENCL_2_1_APIS
#define CL_USE_DEPRECATED_OPENCL_2_2_APIS

#include <CL/cl.h>

/* What earlier revisions of cl_khr_command_buffer declare with other parameters. */
#define clCommandBarrierWithWaitListKHR tsr_installed_clCommandBarrierWithWaitListKHR
#define clCommandBarrierWithWaitListKHR_fn tsr_installed_clCommandBarrierWithWaitListKHR_fn
#define clCommandCopyBufferKHR tsr_installed_clCommandCopyBufferKHR
#define clCommandCopyBufferKHR_fn tsr_installed_clCommandCopyBufferKHR_fn
#define clCommandCopyBufferRectKHR tsr_installed_clCommandCopyBufferRectKHR
#define clCommandCopyBufferRectKHR_fn tsr_installed_clCommandCopyBufferRectKHR_fn
#define clCommandCopyBufferToImageKHR tsr_installed_clCommandCopyBufferToImageKHR
#define clCommandCopyBufferToImageKHR_fn tsr_installed_clCommandCopyBufferToImageKHR_fn
#define clCommandCopyImageKHR tsr_installed_clCommandCopyImageKHR
#define clCommandCopyImageKHR_fn tsr_installed_clCommandCopyImageKHR_fn
#define clCommandCopyImageToBufferKHR tsr_installed_clCommandCopyImageToBufferKHR
#define clCommandCopyImageToBufferKHR_fn tsr_installed_clCommandCopyImageToBufferKHR_fn
#define clCommandFillBufferKHR tsr_installed_clCommandFillBufferKHR
#define clCommandFillBufferKHR_fn tsr_installed_clCommandFillBufferKHR_fn
#define clCommandFillImageKHR tsr_installed_clCommandFillImageKHR
#define clCommandFillImageKHR_fn tsr_installed_clCommandFillImageKHR_fn
#define clCommandNDRangeKernelKHR tsr_installed_clCommandNDRangeKernelKHR
#define clCommandNDRangeKernelKHR_fn tsr_installed_clCommandNDRangeKernelKHR_fn
#define clUpdateMutableCommandsKHR tsr_installed_clUpdateMutableCommandsKHR
#define clUpdateMutableCommandsKHR_fn tsr_installed_clUpdateMutableCommandsKHR_fn
#define cl_mutable_dispatch_config_khr tsr_installed_cl_mutable_dispatch_config_khr
#define _cl_mutable_dispatch_config_khr tsr_installed_cl_mutable_dispatch_config_khr_tag
#include <CL/cl_ext.h>
#undef clCommandBarrierWithWaitListKHR
#undef clCommandBarrierWithWaitListKHR_fn
#undef clCommandCopyBufferKHR
#undef clCommandCopyBufferKHR_fn
#undef clCommandCopyBufferRectKHR
#undef clCommandCopyBufferRectKHR_fn
#undef clCommandCopyBufferToImageKHR
#undef clCommandCopyBufferToImageKHR_fn
#undef clCommandCopyImageKHR
#undef clCommandCopyImageKHR_fn
#undef clCommandCopyImageToBufferKHR
#undef clCommandCopyImageToBufferKHR_fn
#undef clCommandFillBufferKHR
#undef clCommandFillBufferKHR_fn
#undef clCommandFillImageKHR
#undef clCommandFillImageKHR_fn
#undef clCommandNDRangeKernelKHR
#undef clCommandNDRangeKernelKHR_fn
#undef clUpdateMutableCommandsKHR
#undef clUpdateMutableCommandsKHR_fn
#undef cl_mutable_dispatch_config_khr
#undef _cl_mutable_dispatch_config_khr

#include <CL/cl_tessera.h>
#include <CL/tessera_command_buffer.h>

/* OpenCL 3.1 */
#ifndef CL_VERSION_3_1
cl_int CL_API_CALL clGetKernelSuggestedLocalWorkSize(cl_command_queue command_queue, cl_kernel kernel, cl_uint work_dim,
                                                     const size_t *global_work_offset, const size_t *global_work_size,
                                                     size_t *suggested_local_work_size);
#endif
#ifndef CL_DEVICE_MAX_WORK_GROUP_SIZES
#define CL_DEVICE_MAX_WORK_GROUP_SIZES CL_DEVICE_MAX_WORK_ITEM_SIZES
#define CL_DEVICE_INTEGER_DOT_PRODUCT_CAPABILITIES 0x1073
#define CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_8BIT 0x1074
#define CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_4x8BIT_PACKED 0x1075
#define CL_DEVICE_INTEGER_DOT_PRODUCT_INPUT_4x8BIT_PACKED (1 << 0)
#define CL_DEVICE_INTEGER_DOT_PRODUCT_INPUT_4x8BIT (1 << 1)
#endif
#ifndef CL_DEVICE_UUID
#define CL_DEVICE_UUID 0x106A
#define CL_DRIVER_UUID 0x106B
#define CL_DEVICE_LUID_VALID 0x106C
#define CL_DEVICE_LUID 0x106D
#define CL_DEVICE_NODE_MASK 0x106E
#define CL_UUID_SIZE 16
#define CL_LUID_SIZE 8
#endif
#ifndef CL_DEVICE_SPIRV_EXTENDED_INSTRUCTION_SETS
#define CL_DEVICE_SPIRV_EXTENDED_INSTRUCTION_SETS 0x12B9
#define CL_DEVICE_SPIRV_EXTENSIONS 0x12BA
#define CL_DEVICE_SPIRV_CAPABILITIES 0x12BB
#endif

/* cl_khr_external_memory 1.0 */
#ifndef CL_MEM_DEVICE_HANDLE_LIST_KHR
#define CL_MEM_DEVICE_HANDLE_LIST_KHR 0x2051
#define CL_MEM_DEVICE_HANDLE_LIST_END_KHR 0
#endif
#ifndef CL_DEVICE_EXTERNAL_MEMORY_IMPORT_ASSUME_LINEAR_IMAGES_HANDLE_TYPES_KHR
#define CL_DEVICE_EXTERNAL_MEMORY_IMPORT_ASSUME_LINEAR_IMAGES_HANDLE_TYPES_KHR 0x2052
#endif

/* cl_khr_unified_svm */
#ifndef CL_SVM_CAPABILITY_SINGLE_ADDRESS_SPACE_KHR
typedef cl_bitfield cl_svm_capabilities_khr;
typedef cl_properties cl_svm_alloc_properties_khr;
typedef cl_bitfield cl_svm_alloc_access_flags_khr;
typedef cl_properties cl_svm_free_properties_khr;
typedef cl_bitfield cl_svm_free_flags_khr;
typedef cl_uint cl_svm_pointer_info_khr;
#define CL_PLATFORM_SVM_TYPE_CAPABILITIES_KHR 0x0909
#define CL_DEVICE_SVM_TYPE_CAPABILITIES_KHR 0x1077
#define CL_SVM_CAPABILITY_SINGLE_ADDRESS_SPACE_KHR (1 << 0)
#define CL_SVM_CAPABILITY_SYSTEM_ALLOCATED_KHR (1 << 1)
#define CL_SVM_CAPABILITY_DEVICE_OWNED_KHR (1 << 2)
#define CL_SVM_CAPABILITY_DEVICE_UNASSOCIATED_KHR (1 << 3)
#define CL_SVM_CAPABILITY_CONTEXT_ACCESS_KHR (1 << 4)
#define CL_SVM_CAPABILITY_HOST_OWNED_KHR (1 << 5)
#define CL_SVM_CAPABILITY_HOST_READ_KHR (1 << 6)
#define CL_SVM_CAPABILITY_HOST_WRITE_KHR (1 << 7)
#define CL_SVM_CAPABILITY_HOST_MAP_KHR (1 << 8)
#define CL_SVM_CAPABILITY_DEVICE_READ_KHR (1 << 9)
#define CL_SVM_CAPABILITY_DEVICE_WRITE_KHR (1 << 10)
#define CL_SVM_CAPABILITY_DEVICE_ATOMIC_ACCESS_KHR (1 << 11)
#define CL_SVM_CAPABILITY_CONCURRENT_ACCESS_KHR (1 << 12)
#define CL_SVM_CAPABILITY_CONCURRENT_ATOMIC_ACCESS_KHR (1 << 13)
#define CL_SVM_CAPABILITY_INDIRECT_ACCESS_KHR (1 << 14)
#define CL_SVM_ALLOC_ASSOCIATED_DEVICE_HANDLE_KHR 0x2078
#define CL_SVM_ALLOC_ACCESS_FLAGS_KHR 0x2079
#define CL_SVM_ALLOC_ALIGNMENT_KHR 0x207A
#define CL_SVM_ALLOC_ACCESS_HOST_NOREAD_KHR (1 << 0)
#define CL_SVM_ALLOC_ACCESS_HOST_NOWRITE_KHR (1 << 1)
#define CL_SVM_ALLOC_ACCESS_DEVICE_NOREAD_KHR (1 << 8)
#define CL_SVM_ALLOC_ACCESS_DEVICE_NOWRITE_KHR (1 << 9)
#define CL_SVM_INFO_TYPE_INDEX_KHR 0x2088
#define CL_SVM_INFO_CAPABILITIES_KHR 0x2089
#define CL_SVM_INFO_PROPERTIES_KHR 0x208A
#define CL_SVM_INFO_ACCESS_FLAGS_KHR 0x208B
#define CL_SVM_INFO_BASE_PTR_KHR 0x419B
#define CL_SVM_INFO_SIZE_KHR 0x419C
#define CL_SVM_INFO_ASSOCIATED_DEVICE_HANDLE_KHR 0x419D
#define CL_KERNEL_EXEC_INFO_SVM_INDIRECT_ACCESS_KHR 0x11BB
typedef void *(CL_API_CALL *clSVMAllocWithPropertiesKHR_fn)(cl_context context, const cl_svm_alloc_properties_khr *properties,
                                                            cl_uint svm_type_index, size_t size, cl_int *errcode_ret);
typedef cl_int(CL_API_CALL *clSVMFreeWithPropertiesKHR_fn)(cl_context context, const cl_svm_free_properties_khr *properties,
                                                           cl_svm_free_flags_khr flags, void *ptr);
typedef cl_int(CL_API_CALL *clGetSVMPointerInfoKHR_fn)(cl_context context, cl_device_id device, const void *ptr,
                                                       cl_svm_pointer_info_khr param_name, size_t param_value_size, void *param_value,
                                                       size_t *param_value_size_ret);
typedef cl_int(CL_API_CALL *clGetSVMSuggestedTypeIndexKHR_fn)(cl_context context, cl_svm_capabilities_khr required_capabilities,
                                                              cl_svm_capabilities_khr desired_capabilities,
                                                              const cl_svm_alloc_properties_khr *properties, size_t size,
                                                              cl_uint *suggested_svm_type_index);
void *CL_API_CALL clSVMAllocWithPropertiesKHR(cl_context context, const cl_svm_alloc_properties_khr *properties, cl_uint svm_type_index,
                                              size_t size, cl_int *errcode_ret);
cl_int CL_API_CALL clSVMFreeWithPropertiesKHR(cl_context context, const cl_svm_free_properties_khr *properties, cl_svm_free_flags_khr flags,
                                              void *ptr);
cl_int CL_API_CALL clGetSVMPointerInfoKHR(cl_context context, cl_device_id device, const void *ptr, cl_svm_pointer_info_khr param_name,
                                          size_t param_value_size, void *param_value, size_t *param_value_size_ret);
cl_int CL_API_CALL clGetSVMSuggestedTypeIndexKHR(cl_context context, cl_svm_capabilities_khr required_capabilities,
                                                 cl_svm_capabilities_khr desired_capabilities,
                                                 const cl_svm_alloc_properties_khr *properties, size_t size,
                                                 cl_uint *suggested_svm_type_index);
#endif

/* cl_ext_buffer_device_address */
#ifndef CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT
typedef cl_ulong cl_mem_device_address_ext;
#define CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT 0x5000
#define CL_MEM_DEVICE_ADDRESS_EXT 0x5001
#define CL_KERNEL_EXEC_INFO_DEVICE_PTRS_EXT 0x5002
typedef cl_int(CL_API_CALL *clSetKernelArgDevicePointerEXT_fn)(cl_kernel kernel, cl_uint arg_index, cl_mem_device_address_ext arg_value);
cl_int CL_API_CALL clSetKernelArgDevicePointerEXT(cl_kernel kernel, cl_uint arg_index, cl_mem_device_address_ext arg_value);
#endif

/* cl_ext_float_atomics */
#ifndef CL_DEVICE_SINGLE_FP_ATOMIC_CAPABILITIES_EXT
typedef cl_bitfield cl_device_fp_atomic_capabilities_ext;
#define CL_DEVICE_SINGLE_FP_ATOMIC_CAPABILITIES_EXT 0x4231
#define CL_DEVICE_DOUBLE_FP_ATOMIC_CAPABILITIES_EXT 0x4232
#define CL_DEVICE_HALF_FP_ATOMIC_CAPABILITIES_EXT 0x4233
#define CL_DEVICE_GLOBAL_FP_ATOMIC_LOAD_STORE_EXT (1 << 0)
#define CL_DEVICE_GLOBAL_FP_ATOMIC_ADD_EXT (1 << 1)
#define CL_DEVICE_GLOBAL_FP_ATOMIC_MIN_MAX_EXT (1 << 2)
#define CL_DEVICE_LOCAL_FP_ATOMIC_LOAD_STORE_EXT (1 << 16)
#define CL_DEVICE_LOCAL_FP_ATOMIC_ADD_EXT (1 << 17)
#define CL_DEVICE_LOCAL_FP_ATOMIC_MIN_MAX_EXT (1 << 18)
#endif

/* cl_khr_kernel_clock */
#ifndef CL_DEVICE_KERNEL_CLOCK_CAPABILITIES_KHR
typedef cl_bitfield cl_device_kernel_clock_capabilities_khr;
#define CL_DEVICE_KERNEL_CLOCK_CAPABILITIES_KHR 0x1076
#define CL_DEVICE_KERNEL_CLOCK_SCOPE_DEVICE_KHR (1 << 0)
#define CL_DEVICE_KERNEL_CLOCK_SCOPE_WORK_GROUP_KHR (1 << 1)
#define CL_DEVICE_KERNEL_CLOCK_SCOPE_SUB_GROUP_KHR (1 << 2)
#endif

/* cl_khr_semaphore */
#ifndef CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR
#define CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR 0x2053
#define CL_SEMAPHORE_DEVICE_HANDLE_LIST_END_KHR 0
#endif

/* cl_ext_immutable_memory_objects */
#ifndef CL_MEM_IMMUTABLE_EXT
#define CL_MEM_IMMUTABLE_EXT (1 << 6)
#endif

/* cl_khr_icd_unloadable */
#ifndef CL_PLATFORM_UNLOADABLE_KHR
#define CL_PLATFORM_UNLOADABLE_KHR 0x0921
#endif

/* cl_khr_icd 2.0 */
#ifndef CL_ICD2_TAG_KHR
#include <stdint.h>
#define CL_ICD2_TAG_KHR ((intptr_t)0x4F50454E434C3331)
cl_int CL_API_CALL clIcdGetPlatformIDsKHR(cl_uint num_entries, cl_platform_id *platforms, cl_uint *num_platforms);
void *CL_API_CALL clIcdGetFunctionAddressForPlatformKHR(cl_platform_id platform, const char *func_name);
cl_int CL_API_CALL clIcdSetPlatformDispatchDataKHR(cl_platform_id platform, void *dispatch_data);
#endif

#endif
