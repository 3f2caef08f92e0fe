/* SPDX-License-Identifier: Apache-2.0
 * What later versions of Level Zero added to API 1.4, whose headers are those of Debian 12 (package libze-dev): numbers, structs and
 * function types of the specification, under names of our own, so that they meet no newer header. What belongs to a version is asked for
 * only if the driver or the loader says that it has it. */
#ifndef TESSERA_DEVICE_XMX_ZE_NEWER_H
#define TESSERA_DEVICE_XMX_ZE_NEWER_H

#include <level_zero/ze_api.h>

/* Values of ze_structure_type_t. */
#define TSR_ZE_DEVICE_IP_VERSION_EXT ((ze_structure_type_t)0x1000f)
#define TSR_ZE_INIT_DRIVER_TYPE_DESC ((ze_structure_type_t)0x20021)
#define TSR_ZE_DEVICE_COMPUTE_DOTPRODUCT_EXT_PROPERTIES ((ze_structure_type_t)0x20043)

/* ---- API 1.5: the version of the graphics core, chained to ze_device_properties_t ---- */

#define TSR_ZE_DEVICE_IP_VERSION_EXT_NAME "ZE_extension_device_ip_version"

struct tsr_ze_device_ip_version {
    ze_structure_type_t stype;
    const void *pNext;
    uint32_t ipVersion; /* as TSR_ZE_IP has it */
};

/* 12.55.8 is DG2: architecture in bits 31 to 22, release in 21 to 14, revision in 5 to 0. */
#define TSR_ZE_IP(architecture, release, revision) ((uint32_t)(architecture) << 22 | (uint32_t)(release) << 14 | (uint32_t)(revision))

/* ---- API 1.6: queues of immediate command lists ---- */

/* Bit of ze_command_queue_flags_t: each command begins when the one before it has ended. */
enum { TSR_ZE_COMMAND_QUEUE_FLAG_IN_ORDER = 1 << 1 };

/* ---- API 1.10: drivers by kind, in place of zeInit and zeDriverGet ---- */

enum { TSR_ZE_INIT_DRIVER_TYPE_FLAG_GPU = 1 << 0 };

struct tsr_ze_init_driver_type {
    ze_structure_type_t stype;
    const void *pNext;
    uint32_t flags;
};

typedef ze_result_t(ZE_APICALL *tsr_ze_init_drivers)(uint32_t *count, ze_driver_handle_t *drivers, struct tsr_ze_init_driver_type *desc);

/* ---- API 1.17: what the matrix units multiply, chained to ze_device_compute_properties_t ---- */

#define TSR_ZE_DEVICE_COMPUTE_DOTPRODUCT_EXT_NAME "ZE_extension_device_compute_dotproduct_ext_properties"

enum tsr_ze_dp_caps {
    TSR_ZE_DP_DP4A = 1 << 0,
    TSR_ZE_DP_DPAS_SIMD8 = 1 << 1,
    TSR_ZE_DP_DPAS_SIMD16 = 1 << 2,
    TSR_ZE_DP_BDPAS_SIMD16 = 1 << 3,
    TSR_ZE_DP_DPAS_DEPTH4 = 1 << 4,
    TSR_ZE_DP_DPAS_DEPTH8 = 1 << 5,
    TSR_ZE_DP_BDPAS_DEPTH8 = 1 << 6,
    TSR_ZE_DP_ROWS_UP_TO_8 = 1 << 7,
    TSR_ZE_DP_ROWS_FIXED_8 = 1 << 8,
};

enum tsr_ze_dp_input {
    TSR_ZE_DP_INPUT_NONE = 1 << 0,
    TSR_ZE_DP_INPUT_INT8 = 1 << 1, /* four in each lane */
    TSR_ZE_DP_INPUT_INT4 = 1 << 2, /* eight */
    TSR_ZE_DP_INPUT_INT2 = 1 << 3,
    TSR_ZE_DP_INPUT_TF32 = 1 << 4,
    TSR_ZE_DP_INPUT_FP16 = 1 << 5,
    TSR_ZE_DP_INPUT_BF16 = 1 << 6,
    TSR_ZE_DP_INPUT_FP8 = 1 << 7,
    TSR_ZE_DP_INPUT_BF8 = 1 << 8,
};

enum tsr_ze_dp_output {
    TSR_ZE_DP_OUTPUT_INT32 = 1 << 0,
    TSR_ZE_DP_OUTPUT_FP32 = 1 << 1,
    TSR_ZE_DP_OUTPUT_FP16 = 1 << 2,
    TSR_ZE_DP_OUTPUT_BF16 = 1 << 3,
};

struct tsr_ze_device_compute_dotproduct {
    ze_structure_type_t stype;
    void *pNext;
    uint32_t dp_caps; /* enum tsr_ze_dp_caps */
    uint32_t dp4a_input_types, dp4a_output_types;
    uint32_t dpas_input_types, dpas_output_types; /* enum tsr_ze_dp_input, tsr_ze_dp_output */
    uint32_t bdpas_input_types, bdpas_output_types;
};

#endif
