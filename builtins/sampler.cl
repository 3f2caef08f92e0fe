/* SPDX-License-Identifier: Apache-2.0
 * Samplers: OpenCL C's constants have the values that the host gives kernels. There are no functions on images yet. */
#define TSR_SAMPLER(property, value, constant, bits) _Static_assert(constant == bits, #constant);
#include "tessera/sampler.def"
