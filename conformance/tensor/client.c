/* SPDX-License-Identifier: Apache-2.0
 * A client of the C interface to the tensor language: programs from texts, their kernels, messages, modules in SPIR-V, and the recipes
 * against plain C. */
#include "expect.h"

#include "../host/host.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <tinytc/tinytc.h>
#include <tinytc/tinytc_cl.h>
#include <unistd.h>

static struct session session;
static tinytc_compiler_context_t context;
static tinytc_core_info_t info;

/* ---- programs ---- */

static const char scale[] = "func @scale(%a: f32, %X: memref<f32x16x?>) {\n  %g = builtin.group_id : index\n"
                            "  %x = subview %X[:,%g] : memref<f32x16>\n  %z = constant 0.0 : f32\n  axpby.n %a, %x, %a, %x\n}\n";

/* X of the kernel becomes 2 a X. */
static void run_scale(cl_program program)
{
    enum { ROWS = 16, COLS = 5 };
    float x[ROWS * COLS], a = 3;
    cl_long cols = COLS;
    cl_int error;
    cl_kernel kernel = clCreateKernel(program, "scale", &error);
    size_t groups[] = {COLS, 1, 1}, local[3], global[3];
    for (int i = 0; i < ROWS * COLS; i++)
        x[i] = (float)i;
    EXPECT(tinytc_cl_get_group_size(kernel, local) == tinytc_status_success && local[0] == 16 && local[1] == 1 && local[2] == 1);
    tinytc_cl_get_global_size(groups, local, global);
    cl_mem memory = clCreateBuffer(session.context, CL_MEM_COPY_HOST_PTR, sizeof x, x, NULL);
    error |= clSetKernelArg(kernel, 0, sizeof a, &a);
    error |= clSetKernelArg(kernel, 1, sizeof memory, &memory);
    error |= clSetKernelArg(kernel, 2, sizeof cols, &cols);
    error |= clEnqueueNDRangeKernel(session.queue, kernel, 3, NULL, global, local, 0, NULL, NULL);
    error |= clEnqueueReadBuffer(session.queue, memory, CL_TRUE, 0, sizeof x, x, 0, NULL, NULL);
    int wrong = error != 0;
    for (int i = 0; i < ROWS * COLS; i++)
        wrong += x[i] != 6 * (float)i;
    EXPECT(!wrong);
    clReleaseMemObject(memory);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
}

static void programs(void)
{
    tinytc_prog_t program, again;
    tinytc_binary_t binary, copy;
    tinytc_bundle_format_t format;
    tinytc_compiler_context_t own;
    cl_program bundle;
    const uint8_t *data;
    size_t size;
    char *text, *second;
    EXPECT(tinytc_parse_string(&program, sizeof scale, scale, context) == tinytc_status_success);
    EXPECT(tinytc_prog_get_compiler_context(program, &own) == tinytc_status_success && own == context);
    EXPECT(tinytc_prog_print_to_string(program, &text) == tinytc_status_success);
    EXPECT(tinytc_parse_string(&again, strlen(text), text, NULL) == tinytc_status_success); /* a context of its own */
    EXPECT(tinytc_prog_print_to_string(again, &second) == tinytc_status_success && !strcmp(text, second));
    EXPECT(tinytc_cl_kernel_bundle_create_with_program(&bundle, session.context, session.device, program, 0) == tinytc_status_success);
    run_scale(bundle);
    EXPECT(tinytc_prog_compile_to_spirv_and_assemble(&binary, program, info) == tinytc_status_success);
    EXPECT(tinytc_binary_get_raw(binary, &format, &size, &data) == tinytc_status_success);
    EXPECT(format == tinytc_bundle_format_spirv && size > 20 && size % 4 == 0 && data[0] == 0x03 && data[1] == 0x02 && data[2] == 0x23);
    EXPECT(tinytc_binary_create(&copy, NULL, format, size, data, 0) == tinytc_status_success);
    EXPECT(tinytc_binary_release(binary) == tinytc_status_success);
    EXPECT(tinytc_cl_kernel_bundle_create_with_binary(&bundle, session.context, session.device, copy) == tinytc_status_success);
    run_scale(bundle);
    tinytc_binary_release(copy);
    tinytc_string_destroy(text);
    tinytc_string_destroy(second);
    tinytc_prog_release(again);
    tinytc_prog_release(program);
}

static void files(void)
{
    char path[] = "/tmp/tessera-client-XXXXXX";
    int file = mkstemp(path);
    tinytc_prog_t program;
    EXPECT(tinytc_parse_file(&program, "/nowhere/at/all", context) == tinytc_status_file_io_error);
    EXPECT(write(file, scale, sizeof scale - 1) == sizeof scale - 1);
    EXPECT(tinytc_parse_file(&program, path, context) == tinytc_status_success);
    EXPECT(tinytc_prog_print_to_file(program, path) == tinytc_status_success);
    tinytc_prog_release(program);
    EXPECT(tinytc_parse_file(&program, path, context) == tinytc_status_success);
    EXPECT(tinytc_prog_print_to_file(program, "/nowhere/at/all") == tinytc_status_file_io_error);
    tinytc_prog_release(program);
    close(file);
    unlink(path);
}

struct reports {
    int count;
    tinytc_location_t first;
    bool has_lines; /* of the text */
};

static void note(const char *what, const tinytc_location_t *location, void *data)
{
    struct reports *r = data;
    if (r->count++)
        return;
    r->first = *location;
    r->has_lines = strstr(what, "error: ") && strstr(what, "arith.add %a, %b");
}

static void errors(void)
{
    static const char wrong[] = "func @f(%a: f32, %b: f64) {\n    %x = arith.add %a, %b : f32\n}\n";
    static const char wide[] = "func @f() attributes {subgroup_size=8} {}\n";
    static const int32_t sixteen = 16;
    struct reports reports = {0};
    tinytc_prog_t program = NULL;
    tinytc_core_info_t other;
    tinytc_binary_t binary;
    EXPECT(tinytc_compiler_context_set_error_reporter(context, note, &reports) == tinytc_status_success);
    EXPECT(tinytc_parse_string(&program, sizeof wrong - 1, wrong, context) == tinytc_status_parse_error && !program);
    EXPECT(reports.count >= 2 && reports.first.begin.line == 2 && reports.has_lines); /* and a note that says where the value was defined */
    EXPECT(tinytc_parse_string(NULL, 1, "", context) == tinytc_status_invalid_arguments);
    size_t untouched[] = {7, 7, 7};
    tinytc_cl_get_global_size(NULL, untouched, untouched);
    EXPECT(untouched[0] == 7);
    EXPECT(tinytc_core_info_generic_create(&other, 1024, 64, 0, &sixteen) == tinytc_status_invalid_core_info);
    EXPECT(tinytc_core_info_generic_create(&other, 1024, 64, 1, &sixteen) == tinytc_status_success);
    EXPECT(tinytc_parse_string(&program, sizeof wide - 1, wide, context) == tinytc_status_success);
    EXPECT(tinytc_prog_compile_to_spirv_and_assemble(&binary, program, other) == tinytc_status_unsupported_subgroup_size);
    tinytc_prog_release(program);
    static const char large[] = "func @f() attributes {work_group_size=[64,2]} {}\n";
    EXPECT(tinytc_parse_string(&program, sizeof large - 1, large, context) == tinytc_status_success);
    EXPECT(tinytc_prog_compile_to_spirv_and_assemble(&binary, program, other) == tinytc_status_unsupported_work_group_size);
    tinytc_prog_release(program);
    tinytc_core_info_release(other);
    EXPECT(tinytc_core_info_intel_create_from_name(&other, "pvc") == tinytc_status_success);
    tinytc_core_info_release(other);
    EXPECT(tinytc_core_info_intel_create_from_name(&other, "none") == tinytc_status_unsupported_device);
    EXPECT(!strcmp(tinytc_status_to_string(tinytc_status_success), "Success"));
    EXPECT(tinytc_compiler_context_set_error_reporter(context, NULL, NULL) == tinytc_status_success);
}

static void numbers(void)
{
    EXPECT(tinytc_f32_to_bf16_as_ui16(1.00390625f) == 0x3f80 && tinytc_f32_to_bf16_as_ui16(1.01171875f) == 0x3f82); /* ties to even */
    EXPECT(tinytc_bf16_as_ui16_to_f32(0xc040) == -3.0f);
    EXPECT(tinytc_f32_to_f16_as_ui16(1.5f) == 0x3e00 && tinytc_f32_to_f16_as_ui16(65520.0f) == 0x7c00);
    EXPECT(tinytc_f16_as_ui16_to_f32(0x0001) == 0x1p-24f);
}

/* ---- recipes ---- */

enum { GAP = 2 };
static const struct type {
    tinytc_status_t (*get)(tinytc_type_t *, tinytc_compiler_context_t);
    size_t bytes;
    char kind;
} types[] = {{tinytc_f32_type_get, 4, 'f'},
             {tinytc_f64_type_get, 8, 'd'},
             {tinytc_i32_type_get, 4, 'i'},
             {tinytc_c32_type_get, 8, 'c'},
             {tinytc_bf16_type_get, 2, 'b'}};

static int value(size_t i)
{
    return (int)(i * 2654435761u >> 24 & 3) - 1;
}

static void put(const struct type *type, void *memory, size_t i, int own)
{
    char *at = (char *)memory + i * type->bytes;
    float single[] = {(float)own, 0};
    double wide = own;
    int32_t whole = own;
    uint16_t half = tinytc_f32_to_bf16_as_ui16(single[0]);
    memcpy(at,
           type->kind == 'd'   ? (void *)&wide
           : type->kind == 'i' ? (void *)&whole
           : type->kind == 'b' ? (void *)&half
                               : (void *)single,
           type->bytes);
}

static double take(const struct type *type, const void *memory, size_t i)
{
    const char *at = (const char *)memory + i * type->bytes;
    float single;
    double wide;
    int32_t whole;
    uint16_t half;
    switch (type->kind) {
    case 'd':
        memcpy(&wide, at, sizeof wide);
        return wide;
    case 'i':
        memcpy(&whole, at, sizeof whole);
        return whole;
    case 'b':
        memcpy(&half, at, sizeof half);
        return (double)tinytc_bf16_as_ui16_to_f32(half);
    default:
        memcpy(&single, at, sizeof single);
        return (double)single;
    }
}

enum recipe { BATCHED, TALL, GEMM };
struct product {
    enum recipe recipe;
    int64_t m, n, k, count;
    bool transposed[2], fixed; /* fixed: TALL with sizes that are not arguments */
};

/* A matrix of one size or a batch of them, in shared memory, with a gap behind each column. */
struct matrix {
    int64_t rows, cols, ld, stride;
    char *memory, *before;
    size_t elements;
};

static struct matrix make_matrix(const struct type *type, int64_t rows, int64_t cols, int64_t count, size_t from)
{
    struct matrix m = {.rows = rows, .cols = cols, .ld = rows + GAP, .stride = (rows + GAP) * cols + GAP};
    m.elements = (size_t)(m.stride * count);
    m.memory = clSVMAlloc(session.context, CL_MEM_READ_WRITE, m.elements * type->bytes + 1, 0);
    m.before = malloc(m.elements * type->bytes + 1);
    for (size_t i = 0; i < m.elements; i++)
        put(type, m.before, i, value(i + from));
    clEnqueueSVMMemcpy(session.queue, CL_TRUE, m.memory, m.before, m.elements * type->bytes, 0, NULL, NULL);
    return m;
}

static void free_matrix(struct matrix *m)
{
    clSVMFree(session.context, m->memory);
    free(m->before);
}

static bool is_right(const struct type *type, const struct product *p, const struct matrix *x, int alpha, int beta)
{
    const struct matrix *a = &x[0], *b = &x[1], *c = &x[2];
    char *made = malloc(c->elements * type->bytes + 1);
    bool right = !clEnqueueSVMMemcpy(session.queue, CL_TRUE, made, c->memory, c->elements * type->bytes, 0, NULL, NULL);
    for (size_t at = 0; at < c->elements && right; at++) {
        int64_t g = (int64_t)at / c->stride, j = (int64_t)at % c->stride / c->ld, i = (int64_t)at % c->stride % c->ld;
        double expected = take(type, c->before, at);
        if (i < p->m && j < p->n) {
            double sum = 0;
            for (int64_t k = 0; k < p->k; k++)
                sum += take(type, a->before, (size_t)(g * a->stride + (p->transposed[0] ? k + i * a->ld : i + k * a->ld))) *
                       take(type, b->before, (size_t)(g * b->stride + (p->transposed[1] ? j + k * b->ld : k + j * b->ld)));
            expected = alpha * sum + beta * expected;
        }
        right = take(type, made, at) == expected;
        if (!right)
            fprintf(stderr, "recipe %d, type %c: element %zu is %g, not %g\n", (int)p->recipe, type->kind, at, take(type, made, at),
                    expected);
    }
    free(made);
    return right;
}

static tinytc_status_t make_recipe(tinytc_recipe_t *recipe, tinytc_type_t type, const struct product *p, const struct matrix *x)
{
    tinytc_transpose_t ta = p->transposed[0] ? tinytc_transpose_T : tinytc_transpose_N,
                       tb = p->transposed[1] ? tinytc_transpose_T : tinytc_transpose_N;
    if (p->recipe == BATCHED)
        return tinytc_recipe_small_gemm_batched_create(recipe, info, type, ta, tb, p->m, p->n, p->k, x[0].ld, x[0].stride, x[1].ld,
                                                       x[1].stride, x[2].ld, x[2].stride);
    if (p->recipe == GEMM)
        return tessera_recipe_gemm_create(recipe, info, type, ta, tb);
    return p->fixed ? tinytc_recipe_tall_and_skinny_create_specialized(recipe, info, type, p->m, p->n, p->k, x[0].ld, x[1].ld, x[2].ld, 0,
                                                                       0, 0, 32)
                    : tinytc_recipe_tall_and_skinny_create(recipe, info, type, p->n, p->k, 0);
}

static tinytc_status_t set_args(tinytc_recipe_handler_t handler, const struct type *type, const struct product *p, const struct matrix *x,
                                const void *alpha, const void *beta)
{
    enum { SVM = tinytc_mem_type_svm_pointer };
    if (p->recipe == BATCHED)
        return tinytc_recipe_small_gemm_batched_set_args(handler, p->count, type->bytes, alpha, SVM, x[0].memory, SVM, x[1].memory,
                                                         type->bytes, beta, SVM, x[2].memory);
    if (p->recipe == GEMM)
        return tessera_recipe_gemm_set_args(handler, p->m, p->n, p->k, type->bytes, alpha, SVM, x[0].memory, x[0].ld, SVM, x[1].memory,
                                            x[1].ld, type->bytes, beta, SVM, x[2].memory, x[2].ld);
    return tinytc_recipe_tall_and_skinny_set_args(handler, p->m, type->bytes, alpha, SVM, x[0].memory, x[0].ld, SVM, x[1].memory, x[1].ld,
                                                  type->bytes, beta, SVM, x[2].memory, x[2].ld);
}

static void multiply(const struct type *type, const struct product *p)
{
    char alpha[16], beta[16];
    tinytc_type_t number;
    tinytc_recipe_t recipe, same;
    tinytc_recipe_handler_t handler;
    EXPECT(type->get(&number, context) == tinytc_status_success);
    for (int b = 0; b < 2; b++) {
        struct matrix x[] = {make_matrix(type, p->transposed[0] ? p->k : p->m, p->transposed[0] ? p->m : p->k, p->count, 1),
                             make_matrix(type, p->transposed[1] ? p->n : p->k, p->transposed[1] ? p->k : p->n, p->count, 77),
                             make_matrix(type, p->m, p->n, p->count, 5)};
        put(type, alpha, 0, 2);
        put(type, beta, 0, b);
        bool made = make_recipe(&recipe, number, p, x) == tinytc_status_success &&
                    tinytc_cl_recipe_handler_create(&handler, session.context, session.device, recipe) == tinytc_status_success;
        EXPECT(made);
        if (made) {
            EXPECT(tinytc_cl_recipe_handler_submit(handler, session.queue, 0, NULL, NULL) == tinytc_status_invalid_kernel_arguments);
            EXPECT(tinytc_recipe_handler_get_recipe(handler, &same) == tinytc_status_success && same == recipe);
            tinytc_recipe_release(same);
            EXPECT(set_args(handler, type, p, x, alpha, beta) == tinytc_status_success);
            EXPECT(tinytc_cl_recipe_handler_submit(handler, session.queue, 0, NULL, NULL) == tinytc_status_success);
            EXPECT(!clFinish(session.queue) && is_right(type, p, x, 2, b));
            tinytc_recipe_handler_release(handler);
            tinytc_recipe_release(recipe);
        }
        for (int i = 0; i < 3; i++)
            free_matrix(&x[i]);
    }
}

static void recipes(void)
{
    static const struct product products[] = {
        {BATCHED, 9, 5, 7, 11, {false, false}, false},
        {BATCHED, 16, 3, 8, 4, {true, true}, false},
        {TALL, 300, 9, 10, 1, {0}, false},
        {TALL, 64, 4, 6, 1, {0}, true},
        {TALL, 7, 3, 10, 1, {0}, true}, /* fewer rows than a block */
        {GEMM, 130, 50, 33, 1, {false, true}, false},
        {GEMM, 64, 96, 20, 1, {true, false}, false},
    };
    for (size_t i = 0; i < sizeof products / sizeof *products; i++)
        for (size_t t = 0; t < sizeof types / sizeof *types; t++)
            if (t == 0 || (i + t) % 3 == 0)
                multiply(&types[t], &products[i]);
}

enum { ASKERS = 4 };

struct asker {
    const_tinytc_recipe_t recipe;
    pthread_barrier_t *start;
    tinytc_binary_t binary;
};

static void *ask(void *data)
{
    struct asker *own = data;
    pthread_barrier_wait(own->start);
    return tinytc_recipe_get_binary(own->recipe, &own->binary) == tinytc_status_success ? own->binary : NULL;
}

/* A recipe is not changed by those who ask for its binary, as far as they can tell. */
static void threads_share_a_binary(const_tinytc_recipe_t recipe)
{
    struct asker askers[ASKERS];
    pthread_t threads[ASKERS];
    pthread_barrier_t start;
    void *made;
    pthread_barrier_init(&start, NULL, ASKERS);
    for (int i = 0; i < ASKERS; i++) {
        askers[i] = (struct asker){recipe, &start, NULL};
        pthread_create(&threads[i], NULL, ask, &askers[i]);
    }
    for (int i = 0; i < ASKERS; i++) {
        pthread_join(threads[i], &made);
        EXPECT(made != NULL && made == askers[0].binary);
        tinytc_binary_release(made);
    }
    pthread_barrier_destroy(&start);
}

static void recipes_refuse(void)
{
    tinytc_recipe_t recipe;
    tinytc_recipe_handler_t handler;
    tinytc_type_t f32;
    tinytc_binary_t binary;
    tinytc_prog_t program;
    float one = 1;
    int64_t size = 1;
    tinytc_f32_type_get(&f32, context);
    EXPECT(tinytc_recipe_small_gemm_batched_create(&recipe, info, f32, tinytc_transpose_N, tinytc_transpose_N, 8, 8, 8, 7, 64, 8, 64, 8,
                                                   64) == tinytc_status_invalid_arguments); /* columns of A overlap */
    EXPECT(tinytc_recipe_small_gemm_batched_create(&recipe, info, f32, tinytc_transpose_N, tinytc_transpose_N, 8, 8, TINYTC_DYNAMIC, 8, 64,
                                                   8, 64, 8, 64) == tinytc_status_invalid_arguments);
    EXPECT(tinytc_recipe_small_gemm_batched_create(&recipe, info, f32, tinytc_transpose_N, tinytc_transpose_N, 8, 8, 8, 8, 64, 8, 64, 8,
                                                   64) == tinytc_status_success);
    threads_share_a_binary(recipe);
    for (int i = 0; i < 2; i++) { /* what a recipe hands out belongs to the one who asks */
        EXPECT(tinytc_recipe_get_binary(recipe, &binary) == tinytc_status_success);
        EXPECT(tinytc_binary_release(binary) == tinytc_status_success);
        EXPECT(tinytc_recipe_get_prog(recipe, &program) == tinytc_status_success);
        EXPECT(tinytc_prog_release(program) == tinytc_status_success);
    }
    EXPECT(tinytc_cl_recipe_handler_create(&handler, session.context, session.device, recipe) == tinytc_status_success);
    cl_mem memory = clCreateBuffer(session.context, 0, 64 * sizeof one, NULL, NULL);
    EXPECT(tinytc_recipe_small_gemm_batched_set_args(handler, 1, sizeof size, &size, tinytc_mem_type_buffer, memory, tinytc_mem_type_buffer,
                                                     memory, sizeof one, &one, tinytc_mem_type_buffer,
                                                     memory) == tinytc_status_invalid_arguments); /* alpha is no f32 */
    EXPECT(tinytc_recipe_tall_and_skinny_set_args(handler, 1, sizeof one, &one, tinytc_mem_type_buffer, memory, 1, tinytc_mem_type_buffer,
                                                  memory, 1, sizeof one, &one, tinytc_mem_type_buffer, memory,
                                                  1) == tinytc_status_invalid_arguments);
    EXPECT(tinytc_recipe_small_gemm_batched_set_args(handler, 0, sizeof one, &one, tinytc_mem_type_buffer, memory, tinytc_mem_type_buffer,
                                                     memory, sizeof one, &one, tinytc_mem_type_buffer, memory) == tinytc_status_success);
    EXPECT(tinytc_cl_recipe_handler_submit(handler, session.queue, 0, NULL, NULL) == tinytc_status_success); /* nothing to do */
    clFinish(session.queue);
    clReleaseMemObject(memory);
    tinytc_recipe_handler_release(handler);
    tinytc_recipe_release(recipe);
}

int main(void)
{
    tinytc_support_level_t level;
    session = open_session();
    EXPECT(tinytc_cl_get_support_level(session.device, &level) == tinytc_status_success && level == tinytc_support_level_tuned);
    EXPECT(tinytc_cl_core_info_create(&info, session.device) == tinytc_status_success);
    EXPECT(tinytc_compiler_context_create(&context) == tinytc_status_success);
    programs();
    files();
    errors();
    numbers();
    recipes();
    recipes_refuse();
    tinytc_compiler_context_release(context);
    tinytc_core_info_release(info);
    close_session(&session);
    return failures != 0;
}
