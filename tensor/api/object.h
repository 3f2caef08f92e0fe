/* SPDX-License-Identifier: Apache-2.0
 * What stands behind the handles of the C interface. */
#ifndef TESSERA_TENSOR_API_OBJECT_H
#define TESSERA_TENSOR_API_OBJECT_H

#include "tensor/ir.h"
#include "tinytc/tinytc.h"

#include <stdatomic.h>

struct tinytc_type {
    struct tinytc_compiler_context *context;
    enum tsr__t_number number;
};

struct tinytc_compiler_context {
    atomic_uint references;
    tinytc_error_reporter_t reporter;
    void *user_data;
    int32_t level;
    struct tinytc_type types[TSR__T_NUMBERS];
};

struct tinytc_core_info {
    atomic_uint references;
    int32_t register_space, max_work_group_size, alignment;
    int32_t sub_group_sizes[8];
    size_t count;
    tinytc_core_feature_flags_t features;
};

struct tinytc_prog {
    atomic_uint references;
    struct tinytc_compiler_context *context;
    struct tsr_tensor_program *parsed; /* holds the text */
};

struct tinytc_binary {
    atomic_uint references;
    struct tinytc_compiler_context *context;
    tinytc_bundle_format_t format;
    tinytc_core_feature_flags_t features;
    size_t size;
    uint8_t *data;
};

enum tsr__ta_recipe { TSR__TA_BATCHED, TSR__TA_TALL, TSR__TA_GEMM };
struct tinytc_recipe {
    atomic_uint references;
    enum tsr__ta_recipe kind;
    struct tinytc_prog *program;
    struct tinytc_core_info info;           /* as it was */
    _Atomic(struct tinytc_binary *) binary; /* NULL: nobody has asked for it */
    enum tsr__t_number number;
    int64_t rows, ld[3];            /* TALL: TINYTC_DYNAMIC, or what the kernels were made for */
    bool transposed[2];             /* GEMM */
    int64_t block_rows, block_cols; /* of C for a work-group */
};

/* For programs that are made here. */
tinytc_status_t tsr__ta_parse(tinytc_prog_t *prg, const char *name, const char *text, size_t size, tinytc_compiler_context_t ctx);
void tsr__ta_report(struct tinytc_compiler_context *context, const char *what, const struct tinytc_location *location);
/* Whether the functions of the program may have the sizes that they require. */
tinytc_status_t tsr__ta_check(const struct tinytc_prog *prg, const struct tinytc_core_info *info);

#endif
