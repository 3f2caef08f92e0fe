/* SPDX-License-Identifier: Apache-2.0
 * gemm.cl, built one way or another. */
#ifndef TESSERA_MATRIX_GEMM_H
#define TESSERA_MATRIX_GEMM_H

#include "conformance/matrix/device.h"

enum element { S8, U8, S4, U4, BF16, F16 };
struct element_kind {
    const char *name;
    int bits;
    bool is_unsigned;
};
extern const struct element_kind elements[];

struct way {
    int sub_group, m, rows, columns, chain;
    enum element a, b;
    int steps;      /* of chain · 32 bytes in K */
    int sub_groups; /* in a work-group */
    bool split;
    const char *options;     /* macros of gemm.cl */
    int scale, skip, packed; /* what they mean */
};

#define PLAIN_INDICES "-DPLAIN -DLANE=get_local_id(0)"
#define UNSIGNED_INDICES "-Dindex=uint"

extern struct device device;

/* Of a group of tests. */
int gemm_open(void **state);
int gemm_close(void **state);
/* Whether the device has the sub-groups that it needs, or pairs of them, and is fast enough. If it lacks them, the build fails, as this
 * sees the first time. */
bool gemm_has(const struct way *w);
/* The program; device.log is then the build log. */
cl_program gemm_build(const struct way *w);
/* Does the build log tell what becomes tiles, in those of the model? */
bool explains_tiles(void);

#endif
