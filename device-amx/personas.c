/* SPDX-License-Identifier: Apache-2.0
 * Personas: device queries of the CPU device with the answers of an Intel GPU. A program that chooses its kernels by these queries then
 * runs its kernels for this GPU on the CPU. */
#include "device-amx/caps.h"

/* As CL_DEVICE_IP_VERSION_INTEL has it. */
#define IP_VERSION(architecture, release, revision) ((architecture) << 22 | (release) << 14 | (revision))

#define FP64                                                                                                                               \
    TSR_HAS_cl_khr_fp64, TSR_HAS___opencl_c_fp64, TSR_HAS___opencl_c_ext_fp64_global_atomic_add,                                           \
        TSR_HAS___opencl_c_ext_fp64_global_atomic_min_max, TSR_HAS___opencl_c_ext_fp64_local_atomic_add,                                   \
        TSR_HAS___opencl_c_ext_fp64_local_atomic_min_max

static const enum tsr_ext lacks_of_tgl[] = {
    FP64,
    TSR_HAS_cl_intel_subgroup_matrix_multiply_accumulate,
    TSR_HAS_cl_intel_subgroup_matrix_multiply_accumulate_tf32,
    TSR_HAS_cl_intel_subgroup_split_matrix_multiply_accumulate,
    TSR_HAS_cl_intel_subgroup_2d_block_io,
    TSR_HAS_cl_intel_bfloat16_conversions,
};
static const enum tsr_ext lacks_of_dg2[] = {
    FP64,
    TSR_HAS_cl_intel_subgroup_matrix_multiply_accumulate_tf32,
    TSR_HAS_cl_intel_subgroup_2d_block_io,
};
static const enum tsr_ext lacks_of_others[] = {TSR_HAS_cl_intel_subgroup_split_matrix_multiply_accumulate};

#define LACKS(list) .lacks = list, .lack_count = TSR_ARRAY_LEN(list)

const struct tsr__cpu_persona *tsr__cpu_find_persona(void)
{
    static const char *const words[] = {"cpu", "tgl", "dg2", "pvc", "bmg"};
    static const struct tsr__cpu_persona personas[] = {
        [1] = {"Intel(R) Iris(R) Xe Graphics", 0x9a49, IP_VERSION(12, 0, 0), 8, 512, false, LACKS(lacks_of_tgl)},
        [2] = {"Intel(R) Arc(TM) A770 Graphics", 0x56a0, IP_VERSION(12, 55, 8), 8, 1024, true, LACKS(lacks_of_dg2)},
        [3] = {"Intel(R) Data Center GPU Max 1550", 0x0bd5, IP_VERSION(12, 60, 7), 16, 1024, true, LACKS(lacks_of_others)},
        [4] = {"Intel(R) Arc(TM) B580 Graphics", 0xe20b, IP_VERSION(20, 1, 0), 16, 1024, true, LACKS(lacks_of_others)},
    };
    unsigned chosen = tsr_env_choice(TSR_ENV_PERSONA, words, TSR_ARRAY_LEN(words));
    return chosen ? &personas[chosen] : NULL;
}
