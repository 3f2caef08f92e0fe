/* SPDX-License-Identifier: Apache-2.0
 * The product in oneDNN (2.x, C API), which is looked for when the program runs: weights reordered beforehand to what its kernel wants. */
#include "gemm.h"

#if __has_include(<dnnl.h>)
#include <stdio.h>
#include <stdlib.h>

#define DNNL_FUNCTIONS(F)                                                                                                                  \
    F(engine_create)                                                                                                                       \
    F(engine_destroy)                                                                                                                      \
    F(stream_create)                                                                                                                       \
    F(stream_wait)                                                                                                                         \
    F(stream_destroy)                                                                                                                      \
    F(memory_create)                                                                                                                       \
    F(memory_destroy)                                                                                                                      \
    F(memory_desc_init_by_strides)                                                                                                         \
    F(memory_desc_init_by_tag)                                                                                                             \
    F(reorder_primitive_desc_create)                                                                                                       \
    F(primitive_create)                                                                                                                    \
    F(primitive_execute)                                                                                                                   \
    F(primitive_destroy)                                                                                                                   \
    F(primitive_desc_create)                                                                                                               \
    F(primitive_desc_query_md)                                                                                                             \
    F(primitive_desc_destroy)                                                                                                              \
    F(matmul_desc_init)

#include "../dnnl_library.h"

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
    CHECK(lib.memory_create(&memory, desc, g->engine, data));
    return memory;
}

/* rows x columns, in a matrix of so many; pitch 0: as the library likes it. */
static dnnl_memory_desc_t describe(int count, int rows, int columns, int room, int pitch, dnnl_data_type_t type)
{
    dnnl_memory_desc_t desc;
    dnnl_dims_t sizes = {count, rows, columns}, strides = {(dnnl_dim_t)room * pitch, pitch, 1};
    const int one = count > 1 ? 0 : 1; /* dimension less */
    if (pitch)
        CHECK(lib.memory_desc_init_by_strides(&desc, 3 - one, sizes + one, type, strides + one));
    else
        CHECK(lib.memory_desc_init_by_tag(&desc, 3 - one, sizes + one, type, dnnl_format_tag_any));
    return desc;
}

static void reorder(struct gemm_library *g, dnnl_memory_t from, const dnnl_memory_desc_t *from_desc, dnnl_memory_t to,
                    const dnnl_memory_desc_t *to_desc)
{
    dnnl_primitive_desc_t desc;
    dnnl_primitive_t primitive;
    CHECK(lib.reorder_primitive_desc_create(&desc, from_desc, g->engine, to_desc, g->engine, NULL));
    CHECK(lib.primitive_create(&primitive, desc));
    dnnl_exec_arg_t args[2] = {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}};
    CHECK(lib.primitive_execute(primitive, g->stream, 2, args));
    CHECK(lib.stream_wait(g->stream));
    lib.primitive_destroy(primitive);
    lib.primitive_desc_destroy(desc);
}

struct gemm_library *gemm_library_make(const struct gemm_problem *p, void *c)
{
    if (!find_library() || p->type == GEMM_INT4)
        return NULL;
    struct gemm_library *g = calloc(1, sizeof(*g));
    static const dnnl_data_type_t types[GEMM_TYPES] = {
        [GEMM_INT8] = dnnl_s8, [GEMM_BF16] = dnnl_bf16, [GEMM_F16] = dnnl_f16, [GEMM_TF32] = dnnl_f32};
    dnnl_data_type_t in = types[p->type], out = p->type == GEMM_INT8 ? dnnl_s32 : dnnl_f32;
    dnnl_memory_desc_t a_desc = describe(p->count, p->size.rows, p->size.depth, p->room.rows, p->room.depth, in),
                       b_desc = describe(p->count, p->size.depth, p->size.columns, p->room.depth, 0, in),
                       plain_b = describe(p->count, p->size.depth, p->size.columns, p->room.depth, p->room.columns, in),
                       c_desc = describe(p->count, p->size.rows, p->size.columns, p->room.rows, p->room.columns, out);
    dnnl_matmul_desc_t matmul;
    dnnl_primitive_desc_t desc;

    if (!g)
        abort();
    CHECK(lib.engine_create(&g->engine, dnnl_cpu, 0));
    CHECK(lib.stream_create(&g->stream, g->engine, dnnl_stream_default_flags));
    CHECK(lib.matmul_desc_init(&matmul, &a_desc, &b_desc, NULL, &c_desc));
    dnnl_status_t status = lib.primitive_desc_create(&desc, &matmul, NULL, g->engine, NULL);
    if (status == dnnl_unimplemented) { /* bfloat16 without AVX-512, half */
        lib.stream_destroy(g->stream);
        lib.engine_destroy(g->engine);
        free(g);
        return NULL;
    }
    CHECK(status);
    CHECK(lib.primitive_create(&g->product, desc));
    const dnnl_memory_desc_t *packed = lib.primitive_desc_query_md(desc, dnnl_query_weights_md, 0);
    /* The library reads the operands only; its interface has no const. */
    dnnl_memory_t plain = memory_over(g, &plain_b, (void *)(uintptr_t)p->b);
    g->memory[0] = memory_over(g, &a_desc, (void *)(uintptr_t)p->a);
    g->memory[1] = memory_over(g, packed, DNNL_MEMORY_ALLOCATE);
    g->memory[2] = memory_over(g, &c_desc, c);
    reorder(g, plain, &plain_b, g->memory[1], packed);
    lib.memory_destroy(plain);
    lib.primitive_desc_destroy(desc);
    return g;
}

void gemm_library_run(struct gemm_library *g)
{
    dnnl_exec_arg_t args[3] = {{DNNL_ARG_SRC, g->memory[0]}, {DNNL_ARG_WEIGHTS, g->memory[1]}, {DNNL_ARG_DST, g->memory[2]}};
    CHECK(lib.primitive_execute(g->product, g->stream, 3, args));
    CHECK(lib.stream_wait(g->stream));
}

void gemm_library_free(struct gemm_library *g)
{
    for (int i = 0; i < 3; i++)
        lib.memory_destroy(g->memory[i]);
    lib.primitive_destroy(g->product);
    lib.stream_destroy(g->stream);
    lib.engine_destroy(g->engine);
    free(g);
}
#else
#include <stddef.h>

struct gemm_library *gemm_library_make(const struct gemm_problem *p, void *c)
{
    (void)p, (void)c;
    return NULL;
}

void gemm_library_run(struct gemm_library *g)
{
    (void)g;
}

void gemm_library_free(struct gemm_library *g)
{
    (void)g;
}
#endif
