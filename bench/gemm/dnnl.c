/* SPDX-License-Identifier: Apache-2.0
 * The product in oneDNN (2.x, C API): weights reordered beforehand to what its kernel wants. */
#include <dnnl.h>
#include <stdio.h>
#include <stdlib.h>

#include "gemm.h"

#define CHECK(call)                                                                                                                        \
    do {                                                                                                                                   \
        dnnl_status_t status_ = (call);                                                                                                    \
        if (status_ != dnnl_success) {                                                                                                     \
            fprintf(stderr, "%s:%d: %s answers %d\n", __FILE__, __LINE__, #call, (int)status_);                                            \
            exit(1);                                                                                                                       \
        }                                                                                                                                  \
    } while (0)

struct gemm_library {
    dnnl_engine_t engine;
    dnnl_stream_t stream;
    dnnl_primitive_t product;
    dnnl_memory_t memory[3];
};

static dnnl_memory_t memory_over(struct gemm_library *g, const dnnl_memory_desc_t *desc, void *data)
{
    dnnl_memory_t memory;
    CHECK(dnnl_memory_create(&memory, desc, g->engine, data));
    return memory;
}

static dnnl_memory_desc_t describe(int size, dnnl_data_type_t type, dnnl_format_tag_t tag)
{
    dnnl_memory_desc_t desc;
    dnnl_dims_t dims = {size, size};
    CHECK(dnnl_memory_desc_init_by_tag(&desc, 2, dims, type, tag));
    return desc;
}

static void reorder(struct gemm_library *g, dnnl_memory_t from, const dnnl_memory_desc_t *from_desc, dnnl_memory_t to,
                    const dnnl_memory_desc_t *to_desc)
{
    dnnl_primitive_desc_t desc;
    dnnl_primitive_t primitive;
    CHECK(dnnl_reorder_primitive_desc_create(&desc, from_desc, g->engine, to_desc, g->engine, NULL));
    CHECK(dnnl_primitive_create(&primitive, desc));
    dnnl_exec_arg_t args[2] = {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}};
    CHECK(dnnl_primitive_execute(primitive, g->stream, 2, args));
    CHECK(dnnl_stream_wait(g->stream));
    dnnl_primitive_destroy(primitive);
    dnnl_primitive_desc_destroy(desc);
}

struct gemm_library *gemm_library_make(enum gemm_type type, int size, const void *a, const void *b, void *c)
{
    struct gemm_library *g = calloc(1, sizeof(*g));
    dnnl_data_type_t in = type == GEMM_BF16 ? dnnl_bf16 : dnnl_s8, out = type == GEMM_BF16 ? dnnl_f32 : dnnl_s32;
    dnnl_memory_desc_t a_desc = describe(size, in, dnnl_ab), b_desc = describe(size, in, dnnl_format_tag_any),
                       plain_b = describe(size, in, dnnl_ab), c_desc = describe(size, out, dnnl_ab);
    dnnl_matmul_desc_t matmul;
    dnnl_primitive_desc_t desc;

    if (!g)
        abort();
    CHECK(dnnl_engine_create(&g->engine, dnnl_cpu, 0));
    CHECK(dnnl_stream_create(&g->stream, g->engine, dnnl_stream_default_flags));
    CHECK(dnnl_matmul_desc_init(&matmul, &a_desc, &b_desc, NULL, &c_desc));
    CHECK(dnnl_primitive_desc_create(&desc, &matmul, NULL, g->engine, NULL));
    CHECK(dnnl_primitive_create(&g->product, desc));
    const dnnl_memory_desc_t *packed = dnnl_primitive_desc_query_md(desc, dnnl_query_weights_md, 0);
    /* The library reads the operands only; its interface has no const. */
    dnnl_memory_t plain = memory_over(g, &plain_b, (void *)(uintptr_t)b);
    g->memory[0] = memory_over(g, &a_desc, (void *)(uintptr_t)a);
    g->memory[1] = memory_over(g, packed, DNNL_MEMORY_ALLOCATE);
    g->memory[2] = memory_over(g, &c_desc, c);
    reorder(g, plain, &plain_b, g->memory[1], packed);
    dnnl_memory_destroy(plain);
    dnnl_primitive_desc_destroy(desc);
    return g;
}

void gemm_library_run(struct gemm_library *g)
{
    dnnl_exec_arg_t args[3] = {{DNNL_ARG_SRC, g->memory[0]}, {DNNL_ARG_WEIGHTS, g->memory[1]}, {DNNL_ARG_DST, g->memory[2]}};
    CHECK(dnnl_primitive_execute(g->product, g->stream, 3, args));
    CHECK(dnnl_stream_wait(g->stream));
}

void gemm_library_free(struct gemm_library *g)
{
    for (int i = 0; i < 3; i++)
        dnnl_memory_destroy(g->memory[i]);
    dnnl_primitive_destroy(g->product);
    dnnl_stream_destroy(g->stream);
    dnnl_engine_destroy(g->engine);
    free(g);
}
