/* SPDX-License-Identifier: Apache-2.0
 * What the devices say of themselves: the facts by which programs choose their kernels, as Intel's driver reports them. */
#include <string.h>

#include "device-xmx/ze_newer.h"
#include "device-xmx/standin/standin.h"

enum {
    COMPUTE = ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COMPUTE | ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COPY,
    COPY = ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COPY,
    DEPTH_AND_ROWS = TSR_ZE_DP_DPAS_DEPTH8 | TSR_ZE_DP_ROWS_UP_TO_8,
    INTEGERS = TSR_ZE_DP_INPUT_INT8 | TSR_ZE_DP_INPUT_INT4 | TSR_ZE_DP_INPUT_INT2,
    HALVES = TSR_ZE_DP_INPUT_FP16 | TSR_ZE_DP_INPUT_BF16,
    KIB = 1024,
};
#define GIB ((uint64_t)1 << 30)

static const struct tsr__persona personas[] = {
    {
        .word = "dg2",
        .images = true,
        .name = "Stand-in for Intel(R) Arc(TM) A770 Graphics",
        .device_id = 0x56a0,
        .ip_version = TSR_ZE_IP(12, 55, 8),
        .sub_group_sizes = {8, 16, 32},
        .dp_caps = TSR_ZE_DP_DP4A | TSR_ZE_DP_DPAS_SIMD8 | DEPTH_AND_ROWS,
        .dpas_inputs = INTEGERS | HALVES,
        .dpas_outputs = TSR_ZE_DP_OUTPUT_INT32 | TSR_ZE_DP_OUTPUT_FP32,
        .slices = 8,
        .sub_slices = 4,
        .units = 16,
        .threads = 8,
        .unit_width = 8,
        .clock_mhz = 2400,
        .timer_hz = 19200000,
        .timestamp_bits = 36,
        .kernel_timestamp_bits = 32,
        .memory = 16 * GIB,
        .most_allocation = 4 * GIB - 64 * KIB,
        .local_memory = 64 * KIB,
        .most_group = 1024,
        .groups = {{COMPUTE, 1, SIZE_MAX}, {COPY, 1, 4}},
    },
    {
        .word = "pvc",
        .fp64 = true,
        .name = "Stand-in for Intel(R) Data Center GPU Max 1550",
        .device_id = 0x0bd5,
        .ip_version = TSR_ZE_IP(12, 60, 7),
        .sub_group_sizes = {16, 32},
        .dp_caps = TSR_ZE_DP_DP4A | TSR_ZE_DP_DPAS_SIMD16 | DEPTH_AND_ROWS,
        .dpas_inputs = INTEGERS | HALVES | TSR_ZE_DP_INPUT_TF32,
        .dpas_outputs = TSR_ZE_DP_OUTPUT_INT32 | TSR_ZE_DP_OUTPUT_FP32 | TSR_ZE_DP_OUTPUT_FP16 | TSR_ZE_DP_OUTPUT_BF16,
        .slices = 1,
        .sub_slices = 64,
        .units = 8,
        .threads = 8,
        .unit_width = 16,
        .clock_mhz = 1600,
        .timer_hz = 12500000,
        .timestamp_bits = 36,
        .kernel_timestamp_bits = 32,
        .memory = 64 * GIB,
        .most_allocation = 64 * GIB,
        .local_memory = 128 * KIB,
        .most_group = 1024,
        .groups = {{COMPUTE, 4, SIZE_MAX}, {COPY, 7, 16}},
    },
    {
        .word = "bmg",
        .images = true,
        .fp64 = true,
        .name = "Stand-in for Intel(R) Arc(TM) B580 Graphics",
        .device_id = 0xe20b,
        .ip_version = TSR_ZE_IP(20, 1, 0),
        .sub_group_sizes = {16, 32},
        .dp_caps = TSR_ZE_DP_DP4A | TSR_ZE_DP_DPAS_SIMD16 | DEPTH_AND_ROWS,
        .dpas_inputs = INTEGERS | HALVES | TSR_ZE_DP_INPUT_TF32,
        .dpas_outputs = TSR_ZE_DP_OUTPUT_INT32 | TSR_ZE_DP_OUTPUT_FP32 | TSR_ZE_DP_OUTPUT_FP16 | TSR_ZE_DP_OUTPUT_BF16,
        .slices = 5,
        .sub_slices = 4,
        .units = 8,
        .threads = 8,
        .unit_width = 16,
        .clock_mhz = 2850,
        .timer_hz = 19200000,
        .timestamp_bits = 36,
        .kernel_timestamp_bits = 32,
        .memory = 12 * GIB,
        .most_allocation = 12 * GIB,
        .local_memory = 128 * KIB,
        .most_group = 1024,
        .groups = {{COMPUTE, 1, SIZE_MAX}, {COPY, 1, 16}},
    },
    {
        .word = "tgl",
        .images = true,
        .name = "Stand-in for Intel(R) Iris(R) Xe Graphics",
        .device_id = 0x9a49,
        .ip_version = TSR_ZE_IP(12, 0, 0),
        .integrated = true,
        .sub_group_sizes = {8, 16, 32},
        .dp_caps = TSR_ZE_DP_DP4A,
        .slices = 1,
        .sub_slices = 6,
        .units = 16,
        .threads = 7,
        .unit_width = 8,
        .clock_mhz = 1300,
        .timer_hz = 19200000,
        .timestamp_bits = 36,
        .kernel_timestamp_bits = 32,
        .memory = 16 * GIB,
        .most_allocation = 4 * GIB - 64 * KIB,
        .local_memory = 64 * KIB,
        .most_group = 512,
        .groups = {{COMPUTE, 1, SIZE_MAX}},
    },
};

const struct tsr__persona *tsr__standin_persona(const char *word, size_t length)
{
    for (size_t i = 0; i < TSR_ARRAY_LEN(personas); i++)
        if (strlen(personas[i].word) == length && !memcmp(personas[i].word, word, length))
            return &personas[i];
    return NULL;
}
