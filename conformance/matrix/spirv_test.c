/* SPDX-License-Identifier: Apache-2.0
 * The instructions of SPV_INTEL_subgroup_matrix_multiply_accumulate and SPV_INTEL_2d_block_io: each combination of the tables gives the
 * same bits as the function of OpenCL C, and every other one is refused with a reason. Each fifth of a table's lines is taken, all with the
 * word "all". */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "conformance/matrix/device.h"
#include "conformance/matrix/module.h"
#include "conformance/matrix/oracle.h"

enum {
    OP_VARIABLE = 59,
    OP_LOAD = 61,
    OP_STORE = 62,
    OP_COPY_MEMORY = 63,
    OP_COMPOSITE_CONSTRUCT = 80,
    OP_BITCAST = 124,
    OP_BLOCK_PREFETCH_1D = 6221,
    OP_BLOCK_LOAD = 6231,
    OP_BLOCK_LOAD_TRANSFORM = 6232,
    OP_BLOCK_LOAD_TRANSPOSE = 6233,
    OP_BLOCK_PREFETCH = 6234,
    OP_BLOCK_STORE = 6235,
    OP_MULTIPLY_ACCUMULATE = 6237,
};

static struct device device;
static struct module module;
static size_t step = 5; /* from one line of a table that is taken to the next */

static const uint32_t capabilities[] = {6220, 6228, 6229, 6230, 6236, 0};
static const char *const extensions[] = {"SPV_INTEL_subgroup_matrix_multiply_accumulate", "SPV_INTEL_2d_block_io",
                                         "SPV_INTEL_subgroup_buffer_prefetch", NULL};

/* NULL: the build failed; the log is kept. */
static cl_program build_module(void)
{
    size_t bytes;
    cl_int status;
    const void *words = module_bytes(&module, &bytes);
    cl_program program = clCreateProgramWithIL(device.context, words, bytes, &status);
    assert_int_equal(status, CL_SUCCESS);
    module_free(&module);
    status = clBuildProgram(program, 1, &device.id, NULL, NULL, NULL);
    clGetProgramBuildInfo(program, device.id, CL_PROGRAM_BUILD_LOG, sizeof device.log, device.log, NULL);
    if (status == CL_SUCCESS)
        return program;
    assert_int_equal(status, CL_BUILD_PROGRAM_FAILURE);
    clReleaseProgram(program);
    return NULL;
}

static void must_be_refused(const char *reason)
{
    cl_program program = build_module();
    if (program || !strstr(device.log, reason))
        fail_msg("wanted '%s', got %s", reason, program ? "a program" : device.log);
}

static void print_log(cl_program program)
{
    if (!program)
        fprintf(stderr, "%s\n", device.log);
    assert_non_null(program);
}

/* ---- products ---- */

/* The matrix operands, of what the function's name says: intel_sub_group_<elements of A>_<of B>_matrix_mad_k<K>. */
static uint32_t operands_of(const struct oracle_function *f)
{
    static const struct {
        const char *element;
        uint32_t a, b;
    } elements[] = {{"i8", 0x11, 0x22},       {"u8", 0x10, 0x20},    {"i4", 0x41, 0x82},    {"u4", 0x40, 0x80},
                    {"bf16", 0x1000, 0x2000}, {"f16", 0x400, 0x800}, {"tf32", 0x100, 0x200}};
    const char *a = f->name + strlen("intel_sub_group_"), *b = strchr(a, '_') + 1;
    uint32_t operands = 0;
    for (size_t i = 0; i < sizeof elements / sizeof *elements; i++) {
        size_t length = strlen(elements[i].element);
        operands |= !strncmp(a, elements[i].element, length) ? elements[i].a : 0;
        operands |= !strncmp(b, elements[i].element, length) ? elements[i].b : 0;
    }
    return operands | (!strncmp(a, "bf16", 4) && !strncmp(f->c, "short", 5) ? 0xc : 0); /* C and the result hold bfloat16 */
}

/* What a product is made with, where it is to be a wrong one. */
struct product {
    const char *a, *b, *c, *result, *k_type;
    uint32_t k, operands;
    unsigned n;
};

static struct product product_of(const struct oracle_function *f)
{
    return (struct product){f->a, f->b, f->c, f->c, "int", f->k, operands_of(f), f->n};
}

static void add_product(const char *name, const struct product *p)
{
    const char *const names[] = {p->a, p->b, p->c, p->result};
    uint32_t types[4], parameters[4], values[3];
    for (int i = 0; i < 4; i++)
        types[i] = module_type(&module, names[i]);
    uint32_t k = module_constant(&module, p->k_type, p->k);
    module_kernel(&module, name, p->n, types, parameters, 4);
    uint32_t id = module_global_id(&module);
    for (int i = 0; i < 3; i++)
        values[i] =
            module_code(&module, OP_LOAD, types[i], MODULE_WORDS(module_at(&module, MODULE_CROSS_WORKGROUP, types[i], parameters[i], id)));
    uint32_t made =
        p->operands ? module_code(&module, OP_MULTIPLY_ACCUMULATE, types[3], MODULE_WORDS(k, values[0], values[1], values[2], p->operands))
                    : module_code(&module, OP_MULTIPLY_ACCUMULATE, types[3], MODULE_WORDS(k, values[0], values[1], values[2]));
    module_put(&module, MODULE_CODE, OP_STORE, MODULE_WORDS(module_at(&module, MODULE_CROSS_WORKGROUP, types[3], parameters[3], id), made));
    module_end_kernel(&module);
}

static void compare_product(size_t index, cl_program source, cl_program spirv)
{
    enum { MOST = 32 };
    static unsigned char in[3][MOST * ORACLE_ARGUMENT], out[2][MOST * ORACLE_ARGUMENT];
    static struct oracle_case data;
    const struct oracle_function *f = &oracle_functions[index];
    size_t items = 2 * f->n;
    char kernel[24];
    snprintf(kernel, sizeof kernel, "k%zu", index);
    for (size_t i = 0; i < items; i++) {
        if (i % f->n == 0)
            oracle_fill(&data, f, i ? ORACLE_CORNERS : ORACLE_RANDOM, (uint32_t)(index + i));
        oracle_pack(&data, (unsigned)(i % f->n), in[0] + i * f->a_size, in[1] + i * 32, in[2] + i * f->c_size);
    }
    for (int which = 0; which < 2; which++) {
        const struct device_arg args[] = {{items * f->a_size, in[0], NULL},
                                          {items * 32, in[1], NULL},
                                          {items * f->c_size, in[2], NULL},
                                          {items * f->c_size, NULL, out[which]}};
        assert_int_equal(device_run(&device, which ? spirv : source, kernel, items, items, args, 4), CL_SUCCESS);
    }
    if (memcmp(out[0], out[1], items * f->c_size) != 0)
        fail_msg("%s with %u rows for sub-groups of %u", f->name, f->m, f->n);
}

/* There is no instruction for two sub-groups; and not every GPU has sub-groups of both sizes. */
static bool is_taken(const struct oracle_function *f)
{
    return !f->split && device_has_size(&device, f->n);
}

static void every_product(void **state)
{
    (void)state;
    struct text text = {0};
    module_begin(&module, capabilities, extensions);
    text_add(&text, "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n");
    for (size_t i = 0; i < oracle_function_count(); i += step) {
        const struct oracle_function *f = &oracle_functions[i];
        if (!is_taken(f))
            continue;
        char name[24];
        snprintf(name, sizeof name, "k%zu", i);
        const struct product p = product_of(f);
        add_product(name, &p);
        text_add(
            &text,
            "__attribute__((intel_reqd_sub_group_size(%u))) kernel void k%zu(global const %s *a, global const %s *b, global const %s *c,"
            " global %s *d) { size_t i = get_global_id(0); d[i] = %s(a[i], b[i], c[i]); }\n",
            f->n, i, f->a, f->b, f->c, f->c, f->name);
    }
    cl_program source = device_build_text(&device, &text), spirv = build_module();
    print_log(source && spirv ? spirv : NULL);
    for (size_t i = 0; i < oracle_function_count(); i += step)
        if (is_taken(&oracle_functions[i]))
            compare_product(i, source, spirv);
    clReleaseProgram(source);
    clReleaseProgram(spirv);
}

static void refused_products(void **state)
{
    (void)state;
    static const struct {
        struct product product;
        const char *reason;
    } wrong[] = {
        {{"int8", "int8", "int8", "int8", "int", 16, 0x33, 8}, "the device has no product with K = 16 and the matrix operands 0x33"},
        {{"int8", "int8", "int8", "int8", "int", 0, 0x33, 8}, "the device has no product with K = 0"},
        {{"int8", "int8", "int8", "int8", "int", 32, 0, 8}, "the device has no product with K = 32 and the matrix operands 0x0"},
        {{"int8", "int8", "int8", "int8", "int", 32, 0x13, 8}, "and the matrix operands 0x13"},            /* B without a width */
        {{"int8", "int8", "int8", "int8", "int", 32, 0x93, 8}, "and the matrix operands 0x93"},            /* bytes and halves of them */
        {{"int8", "int8", "float8", "float8", "int", 16, 0x2400, 8}, "and the matrix operands 0x2400"},    /* half and bfloat16 */
        {{"short8", "int8", "short8", "short8", "int", 16, 0x3004, 16}, "and the matrix operands 0x3004"}, /* the result is no bfloat16 */
        {{"int8", "int8", "int8", "int8", "int", 32, 0xc000, 8}, "and the matrix operands 0xc000"},        /* float8 */
        {{"int8", "int8", "int8", "int8", "long", 32, 0x33, 8}, "K has to be an integer of 32 bits"},
        {{"int4", "int8", "int8", "int8", "int", 32, 0x33, 8}, "do not have the types of intel_sub_group_i8_i8_matrix_mad_k32"},
        {{"int8", "int4", "int8", "int8", "int", 32, 0x33, 8}, "do not have the types of intel_sub_group_i8_i8_matrix_mad_k32"},
        {{"int3", "int8", "int3", "int3", "int", 32, 0x31, 8}, "do not have the types of intel_sub_group_i8_u8_matrix_mad_k32"},
        {{"int8", "int8", "float8", "float8", "int", 32, 0x33, 8}, "do not have the types of intel_sub_group_i8_i8_matrix_mad_k32"},
        {{"char8", "int8", "int8", "int8", "int", 32, 0x33, 8}, "do not have the types of intel_sub_group_i8_i8_matrix_mad_k32"},
        {{"int8", "int8", "int8", "int4", "int", 32, 0x33, 8}, "C has to be of the type of the result"},
        {{"int8", "int8", "int8", "int8", "int", 32, 0x33, 16}, "requires sub-group size 8, but kernel 'k' has"},
        {{"short8", "int8", "int8", "int8", "int", 32, 0x33, 8}, "requires sub-group size 16, but kernel 'k' has"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        module_begin(&module, capabilities, extensions);
        add_product("k", &wrong[i].product);
        must_be_refused(wrong[i].reason);
    }
    static const uint32_t none[] = {0};
    module_begin(&module, none, extensions + 2); /* as all instructions, it is taken without its capability */
    add_product("k", &(struct product){"short8", "int8", "int8", "int8", "int", 32, 0x33, 16});
    cl_program program = build_module();
    print_log(program);
    clReleaseProgram(program);
}

/* ---- blocks ---- */

enum { LANES = 16, MATRIX_BYTES = 48 * 256, VALUE_BYTES = LANES * 512 };

static const struct function {
    uint32_t opcode;
    const char *name, *type; /* NULL: a prefetch */
    unsigned bits, rows, columns, blocks, n;
} functions[] = {
#define STRING_(x) #x
#define STRING(x) STRING_(x)
#define OP_PLAIN OP_BLOCK_LOAD
#define OP_TRANSFORM OP_BLOCK_LOAD_TRANSFORM
#define OP_TRANSPOSE OP_BLOCK_LOAD_TRANSPOSE
#define TSR_BLOCK2D_READ(name, layout, bits, rows, columns, blocks, T, n) {OP_##layout, STRING(name), #T, bits, rows, columns, blocks, n},
#define TSR_BLOCK2D_WRITE(name, bits, rows, columns, T, n) {OP_BLOCK_STORE, STRING(name), #T, bits, rows, columns, 1, n},
#define TSR_BLOCK2D_PREFETCH(name, bits, rows, columns, blocks) {OP_BLOCK_PREFETCH, STRING(name), NULL, bits, rows, columns, blocks, 0},
#include "tessera/block2d.def"
};
enum { FUNCTIONS = sizeof functions / sizeof functions[0] };

/* What a block instruction is made with, where it is to be a wrong one. */
struct access {
    uint32_t opcode, sizes[4]; /* bytes of an element, columns, rows, blocks */
    const char *values;        /* type of each; NULL: none */
    uint32_t n, storage;       /* of the pointer to them */
    const char *size_type, *region_type;
};

static struct access access_of(const struct function *f)
{
    return (struct access){f->opcode, {f->bits / 8, f->columns, f->rows, f->blocks}, f->type, f->n, MODULE_FUNCTION, "int", "int"};
}

/* kernel void name(global uchar *matrix, global const int5 *r, global T (*values)[n]) as in source_of_access. */
static void add_access(const char *name, const struct access *a)
{
    struct module *m = &module;
    const char *element = a->values ? a->values : "int";
    uint32_t row = module_array(m, module_type(m, element), a->n ? a->n : 1),
             types[] = {module_type(m, "char"), module_type(m, a->region_type), row};
    uint32_t parameters[3], sizes[4], r[5], operands[11];
    char vector[16];
    snprintf(vector, sizeof vector, "%s2", a->region_type);
    uint32_t coordinates = module_type(m, vector), variable = module_pointer(m, MODULE_FUNCTION, row);
    uint32_t to_element = module_pointer(m, a->storage, module_type(m, element));
    for (int i = 0; i < 4; i++)
        sizes[i] = module_constant(m, a->size_type, a->sizes[i]);
    for (uint32_t i = 0; i < 5; i++)
        r[i] = module_constant(m, "int", i);
    module_kernel(m, name, LANES, types, parameters, 3);
    uint32_t own = module_code(m, OP_VARIABLE, variable, MODULE_WORDS(MODULE_FUNCTION));
    uint32_t mine = module_at(m, MODULE_CROSS_WORKGROUP, row, parameters[2], module_global_id(m));
    for (int i = 0; i < 5; i++)
        r[i] = module_code(m, OP_LOAD, types[1], MODULE_WORDS(module_at(m, MODULE_CROSS_WORKGROUP, types[1], parameters[1], r[i])));
    uint32_t at = module_code(m, OP_COMPOSITE_CONSTRUCT, coordinates, MODULE_WORDS(r[3], r[4]));
    uint32_t first = module_code(m, OP_BITCAST, to_element, MODULE_WORDS(a->storage == MODULE_FUNCTION ? own : mine));
    size_t count = 4;
    memcpy(operands, sizes, sizeof sizes);
    if (a->opcode == OP_BLOCK_STORE) {
        module_put(m, MODULE_CODE, OP_COPY_MEMORY, MODULE_WORDS(own, mine));
        operands[count++] = first;
    }
    operands[count++] = parameters[0];
    for (int i = 0; i < 3; i++)
        operands[count++] = r[i];
    operands[count++] = at;
    if (a->opcode != OP_BLOCK_STORE && a->opcode != OP_BLOCK_PREFETCH)
        operands[count++] = first;
    module_put(m, MODULE_CODE, a->opcode, operands, count);
    if (a->opcode != OP_BLOCK_STORE && a->values)
        module_put(m, MODULE_CODE, OP_COPY_MEMORY, MODULE_WORDS(mine, own));
    module_end_kernel(m);
}

static void source_of_access(struct text *text, const struct function *f)
{
    const char *type = f->type ? f->type : "int";
    unsigned n = f->type ? f->n : 1;
    text_add(text,
             "kernel void %s(global uchar *matrix, global const int *r, global %s *values)\n{\n    %s v[%u];\n"
             "    values += get_global_id(0) * %u;\n    for (int k = 0; k < %u; k++) v[k] = values[k];\n"
             "    %s(matrix, r[0], r[1], r[2], (int2)(r[3], r[4])%s);\n"
             "    for (int k = 0; k < %u; k++) values[k] = v[k];\n}\n",
             f->name + strlen("intel_"), type, type, n, n, n, f->name, f->type ? ", v" : "", n);
}

static void compare_access(const struct function *f, cl_program source, cl_program spirv)
{
    static const int regions[][5] = {{256, 48, 256, 8, 3}, {100, 20, 112, 76, 14}, {128, 9, 256, -4, -2}};
    static unsigned char matrix[2][MATRIX_BYTES], values[2][VALUE_BYTES], in[MATRIX_BYTES];
    for (size_t i = 0; i < sizeof in; i++)
        in[i] = (unsigned char)(i * 7 + i / 251);
    for (size_t region = 0; region < sizeof regions / sizeof *regions; region++) {
        for (int which = 0; which < 2; which++) {
            const struct device_arg args[] = {
                {sizeof in, in, matrix[which]}, {sizeof regions[region], regions[region], NULL}, {VALUE_BYTES, in, values[which]}};
            const char *kernel = f->name + strlen("intel_");
            assert_int_equal(device_run(&device, which ? spirv : source, kernel, LANES, LANES, args, 3), CL_SUCCESS);
        }
        if (memcmp(matrix[0], matrix[1], sizeof in) != 0 || memcmp(values[0], values[1], VALUE_BYTES) != 0)
            fail_msg("%s at (%d, %d)", f->name, regions[region][3], regions[region][4]);
        bool changed = memcmp(matrix[1], in, sizeof in) != 0 || memcmp(values[1], in, VALUE_BYTES) != 0;
        assert_true(changed == (f->type != NULL) || region); /* the first one lies inside */
    }
}

static void every_block(void **state)
{
    (void)state;
    struct text text = {0};
    module_begin(&module, capabilities, extensions);
    for (size_t i = 0; i < FUNCTIONS; i += step) {
        const struct access a = access_of(&functions[i]);
        add_access(functions[i].name + strlen("intel_"), &a);
        source_of_access(&text, &functions[i]);
    }
    cl_program source = device_build_text(&device, &text), spirv = build_module();
    print_log(source && spirv ? spirv : NULL);
    for (size_t i = 0; i < FUNCTIONS; i += step)
        compare_access(&functions[i], source, spirv);
    clReleaseProgram(source);
    clReleaseProgram(spirv);
}

static void refused_blocks(void **state)
{
    (void)state;
    static const struct {
        struct access access;
        const char *reason;
    } wrong[] = {
        {{OP_BLOCK_LOAD, {1, 32, 3, 1}, "ushort", 3, MODULE_FUNCTION, "int", "int"}, "1 blocks of 3 rows of 32 elements of 1 bytes"},
        {{OP_BLOCK_LOAD, {2, 32, 4, 1}, "ushort", 8, MODULE_FUNCTION, "int", "int"}, "1 blocks of 4 rows of 32 elements of 2 bytes"},
        {{OP_BLOCK_LOAD, {8, 8, 8, 1}, "long", 8, MODULE_FUNCTION, "int", "int"}, "1 blocks of 8 rows of 8 elements of 8 bytes"},
        {{OP_BLOCK_LOAD, {3, 16, 8, 1}, "ushort", 8, MODULE_FUNCTION, "int", "int"}, "of 16 elements of 3 bytes"},
        {{OP_BLOCK_LOAD_TRANSFORM, {2, 16, 8, 1}, "uint", 8, MODULE_FUNCTION, "int", "int"}, "1 blocks of 8 rows"},
        {{OP_BLOCK_LOAD_TRANSPOSE, {4, 8, 8, 1}, "uint", 8, MODULE_FUNCTION, "int", "int"}, "1 blocks of 8 rows"},
        {{OP_BLOCK_STORE, {2, 16, 8, 2}, "ushort", 16, MODULE_FUNCTION, "int", "int"}, "2 blocks of 8 rows"},
        {{OP_BLOCK_STORE, {2, 16, 16, 1}, "ushort", 16, MODULE_FUNCTION, "int", "int"}, "1 blocks of 16 rows"},
        {{OP_BLOCK_PREFETCH, {2, 16, 64, 1}, NULL, 0, MODULE_FUNCTION, "int", "int"}, "1 blocks of 64 rows"},
        {{OP_BLOCK_LOAD, {2, 16, 8, 1}, "ushort", 8, MODULE_CROSS_WORKGROUP, "int", "int"},
         "operand 10 has to be a pointer to Function memory"},
        {{OP_BLOCK_STORE, {2, 16, 8, 1}, "ushort", 8, MODULE_CROSS_WORKGROUP, "int", "int"},
         "operand 5 has to be a pointer to Function memory"},
        {{OP_BLOCK_LOAD, {2, 16, 8, 1}, "ushort", 8, MODULE_FUNCTION, "long", "int"},
         "the size of an element has to be an integer of 32 bits"},
        {{OP_BLOCK_LOAD, {2, 16, 8, 1}, "ushort", 8, MODULE_FUNCTION, "int", "long"}, "width, height and pitch of the memory"},
        {{OP_BLOCK_LOAD_TRANSFORM, {2, 16, 16, 1}, "ushort", 16, MODULE_FUNCTION, "int", "int"},
         "operand 10 has to point to integers of 32 bits"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        module_begin(&module, capabilities, extensions);
        add_access("k", &wrong[i].access);
        must_be_refused(wrong[i].reason);
    }
}

/* Of any number of bytes: those that there are no prefetches of are ignored. */
static void prefetches(void **state)
{
    (void)state;
    static const char *const names[] = {"char", "short", "int", "long", "float"};
    int values[LANES], out[LANES] = {0};
    for (int i = 0; i < LANES; i++)
        values[i] = i * i;
    for (size_t t = 0; t < sizeof names / sizeof *names; t++) {
        module_begin(&module, capabilities, extensions);
        uint32_t types[] = {module_type(&module, names[t]), module_type(&module, "int")}, parameters[2], sizes[132];
        for (uint32_t bytes = 0; bytes < 132; bytes++)
            sizes[bytes] = module_constant(&module, "int", bytes);
        module_kernel(&module, "k", LANES, types, parameters, 2);
        for (uint32_t bytes = 0; bytes < 132; bytes++)
            module_put(&module, MODULE_CODE, OP_BLOCK_PREFETCH_1D, MODULE_WORDS(parameters[0], sizes[bytes]));
        module_put(&module, MODULE_CODE, OP_COPY_MEMORY,
                   MODULE_WORDS(module_at(&module, MODULE_CROSS_WORKGROUP, types[1], parameters[1], module_global_id(&module)),
                                module_at(&module, MODULE_CROSS_WORKGROUP, types[1], parameters[1], module_global_id(&module))));
        module_end_kernel(&module);
        if (!strcmp(names[t], "float")) {
            must_be_refused("operand 1 has to point to integers");
            return;
        }
        cl_program program = build_module();
        print_log(program);
        const struct device_arg args[] = {{64, values, NULL}, {sizeof values, values, out}};
        assert_int_equal(device_run(&device, program, "k", LANES, LANES, args, 2), CL_SUCCESS);
        assert_memory_equal(out, values, sizeof values);
        clReleaseProgram(program);
    }
}

int main(int argc, char **argv)
{
    step = argc > 1 && !strcmp(argv[1], "all") ? 1 : step;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_product),  cmocka_unit_test(refused_products), cmocka_unit_test(every_block),
        cmocka_unit_test(refused_blocks), cmocka_unit_test(prefetches),
    };
    device_open(&device);
    int failures = cmocka_run_group_tests(tests, NULL, NULL);
    device_close(&device);
    return failures;
}
