/* SPDX-License-Identifier: Apache-2.0
 * Recipes: texts in the language for sizes that the caller names. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tensor/api/object.h"

enum { TALL_ROWS = 128, BLOCK_ROWS = 64, BLOCK_COLS = 48 };

/* ---- texts ---- */

static const char *zero_of(enum tsr__t_number number)
{
    static const char *const zeros[] = {[TSR__T_INTEGER] = "0", [TSR__T_FLOATING] = "0.0", [TSR__T_COMPLEX] = "[0.0, 0.0]"};
    return zeros[tsr__t_numbers[number].class];
}

static void put_size(struct tsr_buf *text, const char *before, int64_t size)
{
    if (size == TINYTC_DYNAMIC)
        tsr_buf_printf(text, "%s?", before);
    else
        tsr_buf_printf(text, "%s%" PRId64, before, size);
}

/* A matrix, or a batch of them. */
struct matrix {
    int64_t rows, cols, ld, stride;
    bool batch;
};

static void put_type(struct tsr_buf *text, enum tsr__t_number number, const struct matrix *m)
{
    tsr_buf_printf(text, "memref<%s", tsr__t_numbers[number].text);
    put_size(text, "x", m->rows);
    put_size(text, "x", m->cols);
    tsr_buf_printf(text, m->batch ? "x?,strided<1" : ",strided<1");
    put_size(text, ",", m->ld);
    if (m->batch)
        put_size(text, ",", m->stride);
    tsr_buf_printf(text, ">>");
}

/* The head of a kernel, and beta. */
static void put_head(struct tsr_buf *text, enum tsr__t_number number, bool beta_zero, const struct matrix matrices[3],
                     const int32_t *alignment)
{
    static const char *const names[] = {"A", "B", "C"};
    const char *type = tsr__t_numbers[number].text;
    tsr_buf_printf(text, "func @gemm%s(%%alpha: %s", beta_zero ? "_beta0" : "", type);
    for (int i = 0; i < 3; i++) {
        if (i == 2)
            tsr_buf_printf(text, ", %%%s: %s", beta_zero ? "unused" : "beta", type);
        tsr_buf_printf(text, ", %%%s: ", names[i]);
        put_type(text, number, &matrices[i]);
        if (alignment && alignment[i] > 0)
            tsr_buf_printf(text, " {alignment=%d}", (int)alignment[i]);
    }
    tsr_buf_printf(text, ") {\n  %%g = builtin.group_id : index\n");
    if (beta_zero)
        tsr_buf_printf(text, "  %%beta = constant %s : %s\n", zero_of(number), type);
}

static void put_batched(struct tsr_buf *text, enum tsr__t_number number, bool beta_zero, struct matrix matrices[3],
                        const bool transposed[2])
{
    static const char *const names[] = {"a", "b", "c"};
    put_head(text, number, beta_zero, matrices, NULL);
    for (int i = 0; i < 3; i++) {
        struct matrix one = matrices[i];
        one.batch = false;
        tsr_buf_printf(text, "  %%%s = subview %%%c[:,:,%%g] : ", names[i], "ABC"[i]);
        put_type(text, number, &one);
        tsr_buf_printf(text, "\n");
    }
    tsr_buf_printf(text, "  gemm.%c.%c %%alpha, %%a, %%b, %%beta, %%c\n}\n", transposed[0] ? 't' : 'n', transposed[1] ? 't' : 'n');
}

/* The part of a matrix from %m on, of `rows` rows and of all columns. */
static void put_rows(struct tsr_buf *text, enum tsr__t_number number, char name, const struct matrix *m, int64_t rows)
{
    struct matrix part = {.rows = rows, .cols = m->cols, .ld = m->ld};
    tsr_buf_printf(text, "    %%%c = subview %%%c[%%m:", name + ('a' - 'A'), name);
    if (rows == TINYTC_DYNAMIC)
        tsr_buf_printf(text, "%%left");
    else
        put_size(text, "", rows);
    tsr_buf_printf(text, ", :] : ");
    put_type(text, number, &part);
    tsr_buf_printf(text, "\n");
}

static void put_tall(struct tsr_buf *text, enum tsr__t_number number, bool beta_zero, const struct matrix matrices[3],
                     const int32_t alignment[3], int64_t block)
{
    put_head(text, number, beta_zero, matrices, alignment);
    tsr_buf_printf(text,
                   "  %%wide = constant %" PRId64 " : index\n  %%m = arith.mul %%g, %%wide : index\n  %%rows = size %%C[0] : index\n"
                   "  %%left = arith.sub %%rows, %%m : index\n  %%short = cmp.lt %%left, %%wide : bool\n",
                   block);
    for (int is_short = 1; is_short >= 0; is_short--) {
        int64_t rows = is_short ? TINYTC_DYNAMIC : block;
        tsr_buf_printf(text, is_short ? "  if %%short {\n" : "  } else {\n");
        put_rows(text, number, 'A', &matrices[0], rows);
        put_rows(text, number, 'C', &matrices[2], rows);
        tsr_buf_printf(text, "    gemm.n.n %%alpha, %%a, %%B, %%beta, %%c\n");
    }
    tsr_buf_printf(text, "  }\n}\n");
}

/* What a view takes of a mode: its name in the brackets, and its size in the type. */
struct part {
    const char *range, *size;
};

static void put_view(struct tsr_buf *text, enum tsr__t_number number, char name, struct part rows, struct part cols, bool transposed)
{
    struct part first = transposed ? cols : rows, second = transposed ? rows : cols;
    tsr_buf_printf(text, "    %%%c = subview %%%c[%s, %s] : memref<%sx%sx%s,strided<1,?>>\n", name + ('a' - 'A'), name, first.range,
                   second.range, tsr__t_numbers[number].text, first.size, second.size);
}

static void put_gemm(struct tsr_buf *text, enum tsr__t_number number, bool beta_zero, const bool transposed[2])
{
    const struct matrix any = {.rows = TINYTC_DYNAMIC, .cols = TINYTC_DYNAMIC, .ld = TINYTC_DYNAMIC}, all[3] = {any, any, any};
    char fixed[4][24];
    snprintf(fixed[0], sizeof fixed[0], "%%m:%d", BLOCK_ROWS);
    snprintf(fixed[1], sizeof fixed[1], "%d", BLOCK_ROWS);
    snprintf(fixed[2], sizeof fixed[2], "%%n:%d", BLOCK_COLS);
    snprintf(fixed[3], sizeof fixed[3], "%d", BLOCK_COLS);
    const struct part rows[] = {{"%m:%high", "?"}, {fixed[0], fixed[1]}}, cols[] = {{"%n:%wide", "?"}, {fixed[2], fixed[3]}},
                      whole = {":", "?"};
    put_head(text, number, beta_zero, all, NULL);
    tsr_buf_printf(text,
                   "  %%block_rows = constant %d : index\n  %%block_cols = constant %d : index\n  %%more = constant %d : index\n"
                   "  %%area = constant %d : index\n  %%rows = size %%C[0] : index\n  %%cols = size %%C[1] : index\n"
                   "  %%up = arith.add %%rows, %%more : index\n  %%blocks = arith.div %%up, %%block_rows : index\n"
                   "  %%r = arith.rem %%g, %%blocks : index\n  %%q = arith.div %%g, %%blocks : index\n"
                   "  %%m = arith.mul %%r, %%block_rows : index\n  %%n = arith.mul %%q, %%block_cols : index\n"
                   "  %%below = arith.sub %%rows, %%m : index\n  %%behind = arith.sub %%cols, %%n : index\n"
                   "  %%high = arith.min %%below, %%block_rows : index\n  %%wide = arith.min %%behind, %%block_cols : index\n"
                   "  %%size = arith.mul %%high, %%wide : index\n  %%whole = cmp.eq %%size, %%area : bool\n",
                   BLOCK_ROWS, BLOCK_COLS, BLOCK_ROWS - 1, BLOCK_ROWS * BLOCK_COLS);
    for (int is_whole = 1; is_whole >= 0; is_whole--) {
        tsr_buf_printf(text, is_whole ? "  if %%whole {\n" : "  } else {\n");
        put_view(text, number, 'A', rows[is_whole], whole, transposed[0]);
        put_view(text, number, 'B', whole, cols[is_whole], transposed[1]);
        put_view(text, number, 'C', rows[is_whole], cols[is_whole], false);
        tsr_buf_printf(text, "    gemm.%c.%c %%alpha, %%a, %%b, %%beta, %%c\n", transposed[0] ? 't' : 'n', transposed[1] ? 't' : 'n');
    }
    tsr_buf_printf(text, "  }\n}\n");
}

/* ---- recipes ---- */

/* The text is the recipe's program; it is given up here. */
static tinytc_status_t create(tinytc_recipe_t *recipe, const struct tinytc_core_info *info, tinytc_type_t type, const char *name,
                              struct tsr_buf *text, const struct tinytc_recipe *like)
{
    struct tinytc_recipe *made = malloc(sizeof *made);
    tinytc_status_t status = text->failed || !made ? tinytc_status_bad_alloc : tinytc_status_success;
    if (!status) {
        *made = *like;
        made->references = 1;
        made->number = type->number;
        made->info = *info;
        status = tsr__ta_parse(&made->program, name, (const char *)text->data, text->size, type->context);
    }
    if (!status) {
        status = tsr__ta_check(made->program, info);
        if (status)
            tinytc_prog_release(made->program);
    }
    tsr_buf_free(text);
    if (status)
        free(made);
    else
        *recipe = made;
    return status;
}

/* With the numbers of the type all is checked that the language would refuse: only sizes are the caller's. */
static bool is_layout(int64_t rows, int64_t cols, int64_t ld, int64_t stride)
{
    return rows > 0 && cols > 0 && (ld == TINYTC_DYNAMIC || ld >= rows) && (stride == TINYTC_DYNAMIC || stride / ld >= cols);
}

tinytc_status_t tinytc_recipe_small_gemm_batched_create(tinytc_recipe_t *recipe, const_tinytc_core_info_t info, tinytc_type_t number_ty,
                                                        tinytc_transpose_t tA, tinytc_transpose_t tB, int64_t M, int64_t N, int64_t K,
                                                        int64_t ldA, int64_t strideA, int64_t ldB, int64_t strideB, int64_t ldC,
                                                        int64_t strideC)
{
    if (!recipe || !info || !number_ty)
        return tinytc_status_invalid_arguments;
    const int64_t given[] = {M, N, K, ldA, strideA, ldB, strideB, ldC, strideC};
    const bool transposed[] = {tA == tinytc_transpose_T, tB == tinytc_transpose_T};
    struct matrix matrices[] = {{transposed[0] ? K : M, transposed[0] ? M : K, ldA, strideA, true},
                                {transposed[1] ? N : K, transposed[1] ? K : N, ldB, strideB, true},
                                {M, N, ldC, strideC, true}};
    for (size_t i = 0; i < TSR_ARRAY_LEN(given); i++)
        if (given[i] <= 0)
            return tinytc_status_invalid_arguments;
    for (int i = 0; i < 3; i++)
        if (!is_layout(matrices[i].rows, matrices[i].cols, matrices[i].ld, matrices[i].stride))
            return tinytc_status_invalid_arguments;
    struct tsr_buf text = {0};
    for (int zero = 0; zero < 2; zero++)
        put_batched(&text, number_ty->number, zero, matrices, transposed);
    const struct tinytc_recipe like = {.kind = TSR__TA_BATCHED};
    return create(recipe, info, number_ty, "recipe/small_gemm_batched", &text, &like);
}

tinytc_status_t tinytc_recipe_tall_and_skinny_suggest_block_size(const_tinytc_core_info_t info, int32_t *M_block_size)
{
    if (!info || !M_block_size)
        return tinytc_status_invalid_arguments;
    *M_block_size = info->max_work_group_size < TALL_ROWS ? info->max_work_group_size : TALL_ROWS;
    return tinytc_status_success;
}

tinytc_status_t tinytc_recipe_tall_and_skinny_create(tinytc_recipe_t *recipe, const_tinytc_core_info_t info, tinytc_type_t number_ty,
                                                     int64_t N, int64_t K, int32_t M_block_size)
{
    return tinytc_recipe_tall_and_skinny_create_specialized(recipe, info, number_ty, TINYTC_DYNAMIC, N, K, TINYTC_DYNAMIC, TINYTC_DYNAMIC,
                                                            TINYTC_DYNAMIC, 0, 0, 0, M_block_size);
}

tinytc_status_t tinytc_recipe_tall_and_skinny_create_specialized(tinytc_recipe_t *recipe, const_tinytc_core_info_t info,
                                                                 tinytc_type_t number_ty, int64_t M, int64_t N, int64_t K, int64_t ldA,
                                                                 int64_t ldB, int64_t ldC, int32_t alignA, int32_t alignB, int32_t alignC,
                                                                 int32_t M_block_size)
{
    const struct matrix matrices[] = {
        {.rows = M, .cols = K, .ld = ldA}, {.rows = K, .cols = N, .ld = ldB}, {.rows = M, .cols = N, .ld = ldC}};
    const int32_t alignment[] = {alignA, alignB, alignC};
    if (!recipe || !info || !number_ty || M_block_size < 0)
        return tinytc_status_invalid_arguments;
    for (int i = 0; i < 3; i++)
        if (!is_layout(matrices[i].rows == TINYTC_DYNAMIC ? 1 : matrices[i].rows, matrices[i].cols, matrices[i].ld, TINYTC_DYNAMIC))
            return tinytc_status_invalid_arguments;
    if (!M_block_size)
        tinytc_recipe_tall_and_skinny_suggest_block_size(info, &M_block_size);
    const int64_t most[] = {M, ldA, ldC}; /* rows, if they are known */
    for (size_t i = 0; i < TSR_ARRAY_LEN(most); i++)
        if (most[i] != TINYTC_DYNAMIC && most[i] > 0 && most[i] < M_block_size)
            M_block_size = (int32_t)most[i];
    struct tsr_buf text = {0};
    for (int zero = 0; zero < 2; zero++)
        put_tall(&text, number_ty->number, zero, matrices, alignment, M_block_size);
    const struct tinytc_recipe like = {.kind = TSR__TA_TALL, .rows = M, .ld = {ldA, ldB, ldC}, .block_rows = M_block_size};
    return create(recipe, info, number_ty, "recipe/tall_and_skinny", &text, &like);
}

tinytc_status_t tessera_recipe_gemm_create(tinytc_recipe_t *recipe, const_tinytc_core_info_t info, tinytc_type_t number_ty,
                                           tinytc_transpose_t tA, tinytc_transpose_t tB)
{
    const bool transposed[] = {tA == tinytc_transpose_T, tB == tinytc_transpose_T};
    struct tsr_buf text = {0};
    if (!recipe || !info || !number_ty)
        return tinytc_status_invalid_arguments;
    for (int zero = 0; zero < 2; zero++)
        put_gemm(&text, number_ty->number, zero, transposed);
    const struct tinytc_recipe like = {
        .kind = TSR__TA_GEMM, .transposed = {transposed[0], transposed[1]}, .block_rows = BLOCK_ROWS, .block_cols = BLOCK_COLS};
    return create(recipe, info, number_ty, "recipe/gemm", &text, &like);
}

tinytc_status_t tinytc_recipe_retain(tinytc_recipe_t object)
{
    if (!object)
        return tinytc_status_invalid_arguments;
    atomic_fetch_add(&object->references, 1);
    return tinytc_status_success;
}

tinytc_status_t tinytc_recipe_release(tinytc_recipe_t object)
{
    if (!object)
        return tinytc_status_invalid_arguments;
    if (atomic_fetch_sub(&object->references, 1) > 1)
        return tinytc_status_success;
    struct tinytc_binary *binary = atomic_load(&object->binary);
    tinytc_prog_release(object->program);
    if (binary)
        tinytc_binary_release(binary);
    free(object);
    return tinytc_status_success;
}

tinytc_status_t tinytc_recipe_get_prog(const_tinytc_recipe_t recipe, tinytc_prog_t *prg)
{
    if (!recipe || !prg)
        return tinytc_status_invalid_arguments;
    *prg = recipe->program;
    return tinytc_prog_retain(*prg);
}

/* Made when somebody asks for the first time. The recipe is const, so several threads may ask at once: all get the one that came first. */
tinytc_status_t tinytc_recipe_get_binary(const_tinytc_recipe_t recipe, tinytc_binary_t *bin)
{
    struct tinytc_recipe *own = (struct tinytc_recipe *)(uintptr_t)recipe;
    struct tinytc_binary *first = NULL, *made = NULL;
    if (!recipe || !bin)
        return tinytc_status_invalid_arguments;
    *bin = atomic_load(&own->binary);
    if (*bin)
        return tinytc_binary_retain(*bin);
    tinytc_status_t status = tinytc_prog_compile_to_spirv_and_assemble(&made, own->program, &own->info);
    if (status)
        return status;
    if (!atomic_compare_exchange_strong(&own->binary, &first, made))
        tinytc_binary_release(made);
    *bin = first ? first : made;
    return tinytc_binary_retain(*bin);
}
