/* SPDX-License-Identifier: Apache-2.0
 * cl_tessera_cooperative_matrix against plain C: loads and stores of every type in every layout and address space, elements and their
 * coordinates, products of all types, and what is refused. Numbers with a fraction are small integers, so that sums are exact in any
 * order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "conformance/matrix/device.h"
#include "conformance/matrix/oracle.h"
#include "tessera/matrix_math.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* ---- matrices in memory ---- */

enum use { A, B, ACCUMULATOR };
enum layout { ROWS, COLUMNS, PACKED, LAYOUTS };
enum number { S8, U8, BFLOAT16, F16, S32, F32 };
enum { SUB_GROUPS = 2, LANES = 16, SIDE = 16, K_BYTES = 64, PADDING = 3, FIRST = 1, PATTERN = 0xa5 };

static const struct type {
    const char *matrix, *element;
    enum use use;
    enum number number;
    unsigned size; /* bytes of an element */
} types[] = {
    {"tessera_matrix_a_char", "char", A, S8, 1},
    {"tessera_matrix_a_uchar", "uchar", A, U8, 1},
    {"tessera_matrix_a_bfloat16", "ushort", A, BFLOAT16, 2},
    {"tessera_matrix_a_half", "half", A, F16, 2},
    {"tessera_matrix_b_char", "char", B, S8, 1},
    {"tessera_matrix_b_uchar", "uchar", B, U8, 1},
    {"tessera_matrix_b_bfloat16", "short", B, BFLOAT16, 2},
    {"tessera_matrix_b_half", "half", B, F16, 2},
    {"tessera_matrix_int", "int", ACCUMULATOR, S32, 4},
    {"tessera_matrix_float", "float", ACCUMULATOR, F32, 4},
};
enum { MOST_ELEMENTS = SIDE * K_BYTES };

static unsigned rows_of(const struct type *t)
{
    return t->use == B ? K_BYTES / t->size : SIDE;
}

static unsigned columns_of(const struct type *t)
{
    return t->use == A ? K_BYTES / t->size : SIDE;
}

static unsigned packing(const struct type *t, enum layout layout)
{
    return layout == PACKED && t->use == B ? 4 / t->size : 1;
}

/* In elements; lines do not begin at multiples of words. */
static unsigned stride_of(const struct type *t, enum layout layout)
{
    return (layout == COLUMNS ? rows_of(t) : columns_of(t) * packing(t, layout)) + PADDING;
}

static size_t index_of(const struct type *t, enum layout layout, unsigned row, unsigned column)
{
    unsigned stride = stride_of(t, layout), in_word = packing(t, layout);
    return layout == COLUMNS ? (size_t)column * stride + row : (size_t)(row / in_word) * stride + (size_t)column * in_word + row % in_word;
}

/* Elements from one sub-group's matrix to the next's, and of all; the same for all layouts. */
enum { APART = 2 * MOST_ELEMENTS, ALL = SUB_GROUPS * APART + FIRST };

static size_t place_of(const struct type *t, enum layout layout, unsigned sub_group, unsigned row, unsigned column)
{
    return FIRST + sub_group * (size_t)APART + index_of(t, layout, row, column);
}

static uint32_t encode(enum number number, int value)
{
    float f = (float)value;
    uint32_t bits;
    switch (number) {
    case S8:
    case U8:
        return (uint8_t)value;
    case BFLOAT16:
        return tsr_bf16_of_float(f);
    case F16:
        return tsr_f16_of_float(f);
    case S32:
        return (uint32_t)value;
    default:
        memcpy(&bits, &f, 4);
        return bits;
    }
}

static int random_value(enum number number, uint32_t *state)
{
    int r = (int)(oracle_random(state) >> 8 & 0xff);
    return number == S8 ? r - 128 : number == U8 ? r : number == S32 ? r * 70000 : r % 17 - 8;
}

/* A matrix of each sub-group, and the memory that it lies in. */
struct matrix {
    const struct type *type;
    enum layout layout;
    int value[SUB_GROUPS][MOST_ELEMENTS]; /* row by row */
    unsigned char memory[ALL * 4];
};

static int *value_at(struct matrix *m, unsigned sub_group, unsigned row, unsigned column)
{
    return &m->value[sub_group][row * columns_of(m->type) + column];
}

static size_t bytes_of(const struct type *t)
{
    return (size_t)ALL * t->size;
}

static void write_memory(struct matrix *m)
{
    memset(m->memory, PATTERN, sizeof m->memory);
    for (unsigned s = 0; s < SUB_GROUPS; s++)
        for (unsigned row = 0; row < rows_of(m->type); row++)
            for (unsigned column = 0; column < columns_of(m->type); column++) {
                uint32_t bits = encode(m->type->number, *value_at(m, s, row, column));
                memcpy(m->memory + place_of(m->type, m->layout, s, row, column) * m->type->size, &bits, m->type->size);
            }
}

static struct matrix *make_matrix(const struct type *t, enum layout layout, uint32_t *state)
{
    struct matrix *m = calloc(1, sizeof *m);
    assert_non_null(m);
    m->type = t;
    m->layout = layout;
    for (unsigned s = 0; s < SUB_GROUPS; s++)
        for (size_t i = 0; i < (size_t)rows_of(t) * columns_of(t); i++)
            m->value[s][i] = random_value(t->number, state);
    write_memory(m);
    return m;
}

/* The matrix as memory in another layout; bytes beside it are as they were. */
static void expect(struct matrix *m, enum layout layout, const unsigned char *is, const char *what)
{
    m->layout = layout;
    write_memory(m);
    for (size_t i = 0; i < bytes_of(m->type); i++)
        if (is[i] != m->memory[i])
            fail_msg("%s: %s in layout %d: byte %zu is 0x%02x, not 0x%02x", what, m->type->matrix, layout, i, is[i], m->memory[i]);
}

/* ---- programs ---- */

static struct device device;
static unsigned char before[ALL * 4], out[ALL * 4];

/* What all programs begin with: place of a sub-group's matrix. */
static void begin_program(struct text *source)
{
    text_add(source,
             "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"
             "#pragma OPENCL EXTENSION cl_tessera_cooperative_matrix : enable\n"
             "#if cl_tessera_cooperative_matrix != 1\n#error the extension is not there\n#endif\n"
             "#define FIRST %d\n#define APART %d\n#define PLACE (FIRST + (size_t)get_sub_group_id() * APART)\n",
             FIRST, APART);
}

/* So that kernels have no body for partial sub-groups. */
#define WHOLE_GROUPS "__attribute__((reqd_work_group_size(32, 1, 1)))\n"

static cl_program build(struct text *source, const char *options)
{
    cl_program program = device_build(&device, source->at, options);
    if (!program)
        fail_msg("%s\n%s", device.log, source->at);
    free(source->at);
    *source = (struct text){0};
    return program;
}

static void run(cl_program program, const char *kernel, struct device_arg *args, unsigned count)
{
    memset(before, PATTERN, sizeof before);
    cl_int status = device_run(&device, program, kernel, SUB_GROUPS * LANES, SUB_GROUPS * LANES, args, count);
    if (status != CL_SUCCESS)
        fail_msg("kernel %s ends with %d", kernel, status);
}

/* ---- loads and stores ---- */

/* Loaded from global memory, stored to local memory, loaded from there and stored to global memory. The three kernels of a type have each
 * layout once in each place; through generic pointers there is one of them. The sub-group size is not required by an attribute: the
 * functions say which it is. */
static unsigned last_layout(unsigned first)
{
    return (first + 1) % LAYOUTS;
}

static void add_transfer(struct text *source, const struct type *t, unsigned from, bool generic)
{
    unsigned between = (from + 2) % LAYOUTS, to = last_layout(from);
    text_add(source, WHOLE_GROUPS "kernel void t%u_%u(global %s *in, global %s *out)\n{\n    local %s half_way[%d];\n",
             (unsigned)(t - types), from, t->element, t->element, t->element, ALL);
    text_add(source, "    %s m, x;\n    %s %s *from = in + PLACE, *to = out + PLACE;\n    %s %s *through = half_way + PLACE;\n", t->matrix,
             generic ? "" : "global", t->element, generic ? "" : "local", t->element);
    text_add(source, "    tessera_matrix_load(&m, from, %u, %u);\n    tessera_matrix_store(m, through, %u, %u);\n", from,
             stride_of(t, (enum layout)from), between, stride_of(t, (enum layout)between));
    text_add(source, "    barrier(CLK_LOCAL_MEM_FENCE);\n    tessera_matrix_load(&x, through, %u, %u);\n", between,
             stride_of(t, (enum layout)between));
    text_add(source, "    tessera_matrix_store(x, to, %u, %u);\n}\n", to, stride_of(t, (enum layout)to));
}

static void check_transfer(cl_program program, const struct type *t, unsigned from, uint32_t *seed)
{
    char kernel[16];
    struct matrix *m = make_matrix(t, (enum layout)from, seed);
    struct device_arg args[] = {{bytes_of(t), m->memory, NULL}, {bytes_of(t), before, out}};
    snprintf(kernel, sizeof kernel, "t%u_%u", (unsigned)(t - types), from);
    run(program, kernel, args, COUNT(args));
    expect(m, (enum layout)last_layout(from), out, kernel);
    free(m);
}

static void check_transfers(bool generic)
{
    uint32_t seed = 5;
    struct text source = {0};
    begin_program(&source);
    for (unsigned i = 0; i < COUNT(types) * LAYOUTS; i += generic ? LAYOUTS + 1 : 1)
        add_transfer(&source, &types[i / LAYOUTS], i % LAYOUTS, generic);
    cl_program program = build(&source, generic ? "-cl-std=CL3.0" : "-cl-std=CL1.2");
    for (unsigned i = 0; i < COUNT(types) * LAYOUTS; i += generic ? LAYOUTS + 1 : 1)
        check_transfer(program, &types[i / LAYOUTS], i % LAYOUTS, &seed);
    clReleaseProgram(program);
}

static void loads_and_stores(void **state)
{
    (void)state;
    check_transfers(false);
}

static void generic_loads_and_stores(void **state)
{
    (void)state;
    check_transfers(true);
}

/* ---- windows: matrices that memory ends within ---- */

/* Where the matrix begins in memory of so many lines, each of so many elements; lines are rows, columns, or rows of words. */
static const struct window {
    int x, y, lines, width;
} windows[] = {{0, 0, 64, 64},  {0, 0, 16, 64},   {3, 5, 40, 40}, {-3, 0, 17, 70}, {0, -5, 70, 16}, {9, 60, 20, 64},
               {70, 0, 16, 64}, {-99, -99, 9, 9}, {1, 2, 2, 3},   {0, 0, 15, 63},  {48, 48, 64, 64}};
enum { WINDOW = 70 * 70 };

static void add_window(struct text *source, const struct type *t, unsigned layout)
{
    text_add(source,
             "__attribute__((reqd_work_group_size(16, 1, 1)))\n"
             "kernel void w%u_%u(global %s *in, global %s *out, global %s *filled, global int *w)\n{\n    %s m, f;\n"
             "    tessera_matrix_load_checked(&m, in, w[0], w[1], %u, w[2], w[3], w[3]);\n"
             "    tessera_matrix_store_checked(m, out, w[0], w[1], %u, w[2], w[3], w[3]);\n"
             "    tessera_matrix_fill_checked(&f, w[0], w[1], w[2], w[3], %s);\n    tessera_matrix_store(f, filled + FIRST, 0, %u);\n}\n",
             (unsigned)(t - types), layout, t->element, t->element, t->element, t->matrix, layout, layout,
             t->number == BFLOAT16 ? "0x3f80" : "1", stride_of(t, ROWS));
}

/* What the kernel leaves in `out` and in `filled`, whose first element is `one`. */
static void make_window(const struct type *t, unsigned layout, const struct window *w, const unsigned char *in, unsigned char *to,
                        unsigned char *filled)
{
    unsigned in_word = packing(t, (enum layout)layout);
    uint32_t one = encode(t->number, 1), zero = 0;
    for (unsigned row = 0; row < rows_of(t); row++)
        for (unsigned column = 0; column < columns_of(t); column++) {
            long line = w->x + (long)(layout == COLUMNS ? column : row / in_word);
            long at = w->y + (long)(layout == COLUMNS ? row : column * in_word + row % in_word), r = w->x + (long)row,
                 c = w->y + (long)column;
            bool there = r >= 0 && r < w->lines && c >= 0 && c < w->width;
            memcpy(filled + place_of(t, ROWS, 0, row, column) * t->size, there ? &one : &zero, t->size);
            if (line >= 0 && line < w->lines && at >= 0 && at < w->width)
                memcpy(to + (size_t)(line * w->width + at) * t->size, in + (size_t)(line * w->width + at) * t->size, t->size);
        }
}

static void check_window(cl_program program, const struct type *t, unsigned layout, const struct window *w)
{
    static unsigned char in[WINDOW * 4], to[WINDOW * 4], wanted[WINDOW * 4], filled[ALL * 4], wanted_filled[ALL * 4];
    char kernel[16];
    size_t bytes = (size_t)w->lines * (size_t)w->width * t->size;
    for (size_t i = 0; i < bytes; i++)
        in[i] = (unsigned char)(i * 7 + 1);
    memset(wanted, PATTERN, sizeof wanted);
    memset(wanted_filled, PATTERN, sizeof wanted_filled);
    make_window(t, layout, w, in, wanted, wanted_filled);
    memset(before, PATTERN, sizeof before);
    struct device_arg args[] = {{bytes, in, NULL}, {bytes, before, to}, {bytes_of(t), before, filled}, {sizeof *w, w, NULL}};
    snprintf(kernel, sizeof kernel, "w%u_%u", (unsigned)(t - types), layout);
    assert_int_equal(device_run(&device, program, kernel, LANES, LANES, args, COUNT(args)), CL_SUCCESS);
    if (memcmp(to, wanted, bytes) != 0 || memcmp(filled, wanted_filled, bytes_of(t)) != 0)
        fail_msg("%s in layout %u: wrong %s at %d, %d of %d lines of %d", t->matrix, layout,
                 memcmp(to, wanted, bytes) ? "transfer" : "fill", w->x, w->y, w->lines, w->width);
}

/* Each use and each layout; with TESSERA_LONG_TESTS=1 each type in one layout. */
static void windows_of_memory(void **state)
{
    const unsigned step = getenv("TESSERA_LONG_TESTS") ? 1 : 4;
    struct text source = {0};
    (void)state;
    begin_program(&source);
    for (unsigned i = 0; i < COUNT(types); i += step)
        add_window(&source, &types[i], i / step % LAYOUTS);
    cl_program program = build(&source, "-cl-std=CL3.0");
    for (unsigned i = 0; i < COUNT(types); i += step)
        for (unsigned w = 0; w < COUNT(windows); w++)
            check_window(program, &types[i], i / step % LAYOUTS, &windows[w]);
    clReleaseProgram(program);
}

/* ---- elements ---- */

/* What element (row, column) becomes. */
static int made_value(unsigned row, unsigned column)
{
    return (int)(row + 3 * column) % 101;
}

/* `seen` gets each element at its coordinate and the length, `out` a matrix of made_value(), `filled` one of sevens. With `steps` 1 the
 * index is no constant, however the compiler unrolls the loop. */
static const char elements_body[] = "{\n"
                                    "    M m, f;\n"
                                    "    tessera_matrix_load(&m, in + PLACE, 0, STRIDE);\n"
                                    "    tessera_matrix_fill(&f, MADE(7));\n"
                                    "    tessera_matrix_store(f, filled + PLACE, 0, STRIDE);\n"
                                    "    seen[get_sub_group_id() * APART] = tessera_matrix_length(m);\n"
                                    "    for (uint i = 0; i < tessera_matrix_length(m); i += STEP) {\n"
                                    "        uint2 at = tessera_matrix_coordinate(m, i);\n"
                                    "        int x = VALUE(tessera_matrix_get(m, i));\n"
                                    "        atomic_add(&seen[1 + get_sub_group_id() * APART + at.x * WIDTH + at.y], x + 1000);\n"
                                    "        tessera_matrix_set(&m, i, MADE((at.x + 3 * at.y) % 101));\n"
                                    "    }\n"
                                    "    tessera_matrix_store(m, out + PLACE, 0, STRIDE);\n"
                                    "}\n";

static void add_elements(struct text *source, const struct type *t, bool constant)
{
    static const char *const value[] = {
        [S8] = "x",        [U8] = "x", [BFLOAT16] = "(int)as_float((uint)(ushort)(x) << 16)", [F16] = "(int)(x)", [S32] = "(x) / 70000",
        [F32] = "(int)(x)"};
    static const char *const made[] = {[S8] = "x",  [U8] = "x",  [BFLOAT16] = "(as_uint((float)(x)) >> 16)",
                                       [F16] = "x", [S32] = "x", [F32] = "x"};
    text_add(source, "#undef M\n#undef STRIDE\n#undef WIDTH\n#undef VALUE\n#undef MADE\n#undef STEP\n");
    text_add(source, "#define M %s\n#define STRIDE %u\n#define WIDTH %u\n#define VALUE(x) %s\n#define MADE(x) %s\n#define STEP %s\n",
             t->matrix, stride_of(t, ROWS), columns_of(t), value[t->number], made[t->number], constant ? "1" : "step[0]");
    text_add(source, "__attribute__((intel_reqd_sub_group_size(16)))\n");
    text_add(source,
             WHOLE_GROUPS "kernel void e%zu_%d(global %s *in, global %s *out, global %s *filled, global int *seen, global uint *step)\n%s",
             t - types, constant, t->element, t->element, t->element, elements_body);
}

static void check_elements(cl_program program, const struct type *t, bool constant, uint32_t *seed)
{
    static int32_t seen[SUB_GROUPS * APART + 1];
    static unsigned char filled[ALL * 4];
    const uint32_t step = 1;
    char kernel[16];
    unsigned count = rows_of(t) * columns_of(t);
    struct matrix *m = make_matrix(t, ROWS, seed);
    memset(seen, 0, sizeof seen);
    struct device_arg args[] = {{bytes_of(t), m->memory, NULL},
                                {bytes_of(t), before, out},
                                {bytes_of(t), before, filled},
                                {sizeof seen, seen, seen},
                                {sizeof step, &step, NULL}};
    snprintf(kernel, sizeof kernel, "e%zu_%d", t - types, constant);
    run(program, kernel, args, COUNT(args));
    for (unsigned s = 0; s < SUB_GROUPS; s++) {
        assert_int_equal(seen[s * APART], count / LANES);
        for (unsigned i = 0; i < count; i++) {
            int value = t->number == S32 ? m->value[s][i] / 70000 : m->value[s][i];
            if (seen[1 + s * APART + i] != value + 1000)
                fail_msg("%s: element %u of sub-group %u: %d, not %d", t->matrix, i, s, seen[1 + s * APART + i], value + 1000);
            m->value[s][i] = made_value(i / columns_of(t), i % columns_of(t));
        }
    }
    expect(m, ROWS, out, kernel);
    for (unsigned s = 0; s < SUB_GROUPS; s++)
        for (unsigned i = 0; i < count; i++)
            m->value[s][i] = 7;
    expect(m, ROWS, filled, "fill");
    free(m);
}

static void elements_and_coordinates(void **state)
{
    struct text source = {0};
    uint32_t seed = 9;
    (void)state;
    begin_program(&source);
    for (size_t k = 0; k < COUNT(types); k++)
        for (int constant = k % 5 != 0; constant < 2; constant++)
            add_elements(&source, &types[k], constant);
    cl_program program = build(&source, "-cl-std=CL3.0");
    for (size_t k = 0; k < COUNT(types); k++)
        for (int constant = k % 5 != 0; constant < 2; constant++)
            check_elements(program, &types[k], constant, &seed);
    clReleaseProgram(program);
}

/* ---- products ---- */

static const struct kind {
    unsigned a, b, c; /* of `types` */
} kinds[] = {{0, 4, 8}, {0, 5, 8}, {1, 4, 8}, {1, 5, 8}, {2, 6, 9}, {3, 7, 9}};

/* Two products one after the other, of which the second has the first one's result: d = A·B + (A·B + C). */
static void add_product(struct text *source, const struct kind *k, unsigned layout)
{
    const struct type *a = &types[k->a], *b = &types[k->b], *c = &types[k->c];
    unsigned lb = (layout + 1) % LAYOUTS, lc = layout % 2;
    text_add(source, WHOLE_GROUPS "kernel void p%zu_%u(global %s *in_a, global %s *in_b, global %s *in_c, global %s *out)\n{\n", k - kinds,
             layout, a->element, b->element, c->element, c->element);
    text_add(source, "    %s a;\n    %s b;\n    %s c;\n", a->matrix, b->matrix, c->matrix);
    text_add(source, "    tessera_matrix_load(&a, in_a + PLACE, %u, %u);\n", layout, stride_of(a, (enum layout)layout));
    text_add(source, "    tessera_matrix_load(&b, in_b + PLACE, %u, %u);\n", lb, stride_of(b, (enum layout)lb));
    text_add(source, "    tessera_matrix_load(&c, in_c + PLACE, %u, %u);\n", lc, stride_of(c, (enum layout)lc));
    text_add(source, "    c = tessera_matrix_multiply_add(a, b, tessera_matrix_multiply_add(a, b, c));\n");
    text_add(source, "    tessera_matrix_store(c, out + PLACE, %u, %u);\n}\n", lc, stride_of(c, (enum layout)lc));
}

static void check_product(cl_program program, const struct kind *k, unsigned layout, uint32_t *seed)
{
    struct matrix *a = make_matrix(&types[k->a], (enum layout)layout, seed);
    struct matrix *b = make_matrix(&types[k->b], (enum layout)((layout + 1) % LAYOUTS), seed);
    struct matrix *c = make_matrix(&types[k->c], (enum layout)(layout % 2), seed);
    char kernel[16];
    struct device_arg args[] = {{bytes_of(a->type), a->memory, NULL},
                                {bytes_of(b->type), b->memory, NULL},
                                {bytes_of(c->type), c->memory, NULL},
                                {bytes_of(c->type), before, out}};
    snprintf(kernel, sizeof kernel, "p%zu_%u", k - kinds, layout);
    run(program, kernel, args, COUNT(args));
    for (unsigned s = 0; s < SUB_GROUPS; s++)
        for (unsigned row = 0; row < SIDE; row++)
            for (unsigned column = 0; column < SIDE; column++)
                for (unsigned i = 0; i < columns_of(a->type); i++)
                    *value_at(c, s, row, column) += 2 * *value_at(a, s, row, i) * *value_at(b, s, i, column);
    expect(c, c->layout, out, kernel);
    free(a);
    free(b);
    free(c);
}

static void products(void **state)
{
    struct text source = {0};
    uint32_t seed = 13;
    (void)state;
    begin_program(&source);
    for (size_t k = 0; k < COUNT(kinds); k++)
        for (unsigned layout = k % 2; layout < LAYOUTS; layout += 2)
            add_product(&source, &kinds[k], layout);
    cl_program program = build(&source, "-cl-std=CL1.2");
    for (size_t k = 0; k < COUNT(kinds); k++)
        for (unsigned layout = k % 2; layout < LAYOUTS; layout += 2)
            check_product(program, &kinds[k], layout, &seed);
    clReleaseProgram(program);
}

/* ---- what is refused ---- */

static void refused(void **state)
{
    static const struct {
        const char *source, *message;
    } cases[] = {
        {"kernel void k(global char *p) { tessera_matrix_a_char m; tessera_matrix_load(&m, p, 3, 64); }",
         "a matrix lies by rows, 0, by columns, 1, or packed, 2"},
        {"__attribute__((intel_reqd_sub_group_size(8))) kernel void k(global char *p)\n"
         "{ tessera_matrix_a_char m; tessera_matrix_load(&m, p, 0, 64); }",
         "tessera_matrix_load requires sub-group size 16, but kernel 'k' has intel_reqd_sub_group_size(8)"},
        {"kernel void k(global char *p) { tessera_matrix_a_bfloat16 m; tessera_matrix_load(&m, p, 0, 64); }", "tessera_matrix_load"},
        {"kernel void k(global int *p) { tessera_matrix_a_char a; tessera_matrix_b_half b; tessera_matrix_int c;\n"
         "tessera_matrix_multiply_add(a, b, c); }",
         "tessera_matrix_multiply_add"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        assert_null(device_build(&device, cases[i].source, "-cl-std=CL3.0"));
        if (!strstr(device.log, cases[i].message))
            fail_msg("case %zu: %s", i, device.log);
    }
}

/* With an argument only the tests that fit this pattern. */
int main(int count, char **words)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loads_and_stores),  cmocka_unit_test(generic_loads_and_stores),
        cmocka_unit_test(windows_of_memory), cmocka_unit_test(elements_and_coordinates),
        cmocka_unit_test(products),          cmocka_unit_test(refused),
    };
    if (count > 1)
        cmocka_set_test_filter(words[1]);
    device_open(&device);
    if (device_is_gpu(&device) && !device_has(&device, "cl_tessera_cooperative_matrix")) { /* those with sub-groups of 8 lack it */
        device_close(&device);
        return 77;
    }
    int failures = cmocka_run_group_tests(tests, NULL, NULL);
    device_close(&device);
    return failures;
}
