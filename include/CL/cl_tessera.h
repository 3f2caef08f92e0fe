/* SPDX-License-Identifier: Apache-2.0
 * What Tessera's own extensions add to the host API. Khronos gives out numbers of 16 bits; Tessera's begin at 0x7E550000. */
#ifndef CL_TESSERA_H
#define CL_TESSERA_H

#include <CL/cl.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- cl_tessera_cooperative_matrix ---- */

/* Device query: an array of cl_device_matrix_combination_tessera. */
#define CL_DEVICE_MATRIX_COMBINATIONS_TESSERA 0x7E550000

/* Elements of a matrix. */
typedef cl_uint cl_matrix_element_tessera;
#define CL_MATRIX_INT8_TESSERA 1
#define CL_MATRIX_UINT8_TESSERA 2
#define CL_MATRIX_INT32_TESSERA 3
#define CL_MATRIX_BFLOAT16_TESSERA 4
#define CL_MATRIX_HALF_TESSERA 5
#define CL_MATRIX_TF32_TESSERA 6
#define CL_MATRIX_FLOAT_TESSERA 7

/* Shapes and elements of a product D = A·B + C of cooperative matrices, where A is M × K and B is K × N. Of each side either the size is
 * given, or, where that is 0, the largest one: then every size up to that is there. */
typedef struct cl_device_matrix_combination_tessera {
    cl_uint max_m, max_n, max_k;
    cl_uint m, n, k;
    cl_matrix_element_tessera a, b, c, d;
} cl_device_matrix_combination_tessera;

#ifdef __cplusplus
}
#endif

#endif
