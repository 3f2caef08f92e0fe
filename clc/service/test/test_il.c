/* SPDX-License-Identifier: Apache-2.0
 * The target SPIR-V: what an executable for a device's driver holds, and what is refused. */
#include "service_test.h"

#include "tessera/il_code.h"

enum { OP_EXECUTION_MODE = 16, MODE_SUB_GROUP_SIZE = 35, HEADER_WORDS = 5 };

enum { TYPES = TSR_IL_INT4 | TSR_IL_INT8 | TSR_IL_FP16 | TSR_IL_BF16 };

static const struct tsr_target dg2 = {
    .triple = TSR_TRIPLE_SPIRV64, .features = 8 | TYPES | TSR_IL_PAIRS, .default_sub_group_size = 32, .sub_group_sizes = 8 | 16 | 32};
static const struct tsr_target mtl = {.triple = TSR_TRIPLE_SPIRV64, .default_sub_group_size = 32, .sub_group_sizes = 8 | 16 | 32};
static const struct tsr_target pvc = {
    .triple = TSR_TRIPLE_SPIRV64, .features = 16 | TYPES | TSR_IL_TF32, .default_sub_group_size = 32, .sub_group_sizes = 16 | 32};

/* An answer of a new process: each ends after it has made SPIR-V. */
static struct answer ask_for(const struct tsr_target *target, struct tsr_clc_request request)
{
    stop();
    start();
    request.target = *target;
    request.target.macros = tsr_clc_all_macros();
    if (!request.options)
        request.options = "";
    return ask(&request);
}

static struct answer build_for(const struct tsr_target *target, enum tsr_clc_op op, const char *source, const char *options)
{
    return ask_for(target, (struct tsr_clc_request){.op = op, .source = {NULL, source, strlen(source)}, .options = options});
}

static struct tsr_il_code code_of(struct answer *answer)
{
    struct tsr_il_code code;
    expect(answer, TSR_CLC_DONE, NULL);
    assert_int_equal(answer->info.kind, TSR_IMAGE_EXECUTABLE);
    assert_string_equal(answer->info.triple, TSR_TRIPLE_SPIRV64);
    assert_int_equal(tsr_il_code_read(answer->info.code, answer->info.code_size, &answer->arena, &code), TSR_OK);
    assert_null(tsr_spirv_check(code.spirv, code.spirv_size));
    return code;
}

static uint32_t word(const struct tsr_il_code *code, size_t index)
{
    uint32_t value;
    assert_true(index < code->spirv_size / 4);
    memcpy(&value, (const char *)code->spirv + 4 * index, 4);
    return value;
}

/* The sub-group size that an entry point requires; 0: none. */
static uint32_t required_size(const struct tsr_il_code *code)
{
    for (size_t at = HEADER_WORDS; at < code->spirv_size / 4; at += word(code, at) >> 16)
        if ((word(code, at) & 0xffff) == OP_EXECUTION_MODE && word(code, at + 2) == MODE_SUB_GROUP_SIZE)
            return word(code, at + 3);
    return 0;
}

static bool has_name(const struct tsr_il_code *code, const char *name)
{
    return memmem(code->spirv, code->spirv_size, name, strlen(name) + 1);
}

static void kernels_are_described(void **state)
{
    (void)state;
    static const char source[] =
        "struct s { char c; double8 d; };\n"
        "global int counter[10];\n"
        "kernel void b(global int *a, struct s v, local int *l, char c, constant float *k) { a[0] = v.c + l[0] + c + (int)k[0]; }\n"
        "kernel __attribute__((reqd_work_group_size(4, 2, 1))) void a(global int *a) { counter[1]++; *a = counter[0]; }\n";
    struct answer answer = build_for(&dg2, TSR_CLC_BUILD, source, "-cl-std=CL3.0 -cl-kernel-arg-info");
    struct tsr_il_code code = code_of(&answer);
    const struct tsr_kernel_info *a = &answer.info.kernels[0], *b = &answer.info.kernels[1];
    assert_int_equal(answer.info.kernel_count, 2);
    assert_int_equal(answer.info.global_bytes, 40);
    assert_string_equal(a->name, "a");
    assert_int_equal(a->reqd_local_size[1], 2);
    assert_int_equal(a->sub_group_size, 32);
    assert_int_equal(b->arg_count, 5);
    assert_int_equal(b->args[0].kind, TSR_ARG_POINTER);
    assert_int_equal(b->args[1].kind, TSR_ARG_VALUE);
    assert_int_equal(b->args[1].size, 128);
    assert_int_equal(b->args[1].offset, 64);
    assert_int_equal(b->args[2].kind, TSR_ARG_LOCAL);
    assert_int_equal(b->args[3].size, 1);
    assert_string_equal(b->args[4].name, "k");
    assert_int_equal(required_size(&code), 0);
    assert_false(code.unoptimised || code.debug || code.constant_count || code.native);
    end(&answer);

    answer = build_for(&dg2, TSR_CLC_BUILD, source, "-cl-std=CL3.0 -cl-opt-disable -g");
    code = code_of(&answer);
    assert_true(code.unoptimised && code.debug);
    end(&answer);
}

static void matrix_functions_keep_their_names(void **state)
{
    (void)state;
    static const char source[] = "kernel void k(global const int8 *a, global const int8 *b, global int8 *c)\n"
                                 "{ size_t i = get_local_id(0); c[i] = intel_sub_group_i8_i8_matrix_mad_k32(a[i], b[i], c[i]); }\n";
    struct answer answer = build_for(&dg2, TSR_CLC_BUILD, source, "");
    struct tsr_il_code code = code_of(&answer);
    assert_true(has_name(&code, "_Z36intel_sub_group_i8_i8_matrix_mad_k32Dv8_iS_S_"));
    assert_int_equal(required_size(&code), 8); /* the source does not say so */
    assert_int_equal(answer.info.kernels[0].sub_group_size, 8);
    assert_int_equal(answer.info.kernels[0].reqd_sub_group_size, 0);
    end(&answer);
}

static void sub_groups_that_the_device_lacks(void **state)
{
    (void)state;
    struct answer answer = build_for(&pvc, TSR_CLC_BUILD, "__attribute__((intel_reqd_sub_group_size(8))) kernel void k(void) {}", "");
    expect(&answer, TSR_CLC_FAILED, "kernel 'k' requires sub-groups of 8, which this device does not have");
    end(&answer);
    answer = build_for(&pvc, TSR_CLC_BUILD, "__attribute__((intel_reqd_sub_group_size(16))) kernel void k(void) {}", "");
    struct tsr_il_code code = code_of(&answer);
    assert_int_equal(required_size(&code), 16);
    end(&answer);
}

/* Whether the driver has to know a matrix function. */
static bool calls_driver(const struct tsr_il_code *code)
{
    bool found = false;
    for (unsigned length = 30; length < 50; length++) {
        char mangled[32];
        int size = snprintf(mangled, sizeof mangled, "_Z%uintel_sub_group_", length);
        found |= memmem(code->spirv, code->spirv_size, mangled, (size_t)size) != NULL;
    }
    return found;
}

/* What units lack comes from our library, and the report says why; what has no body there, or needs another sub-group, is refused. */
static void matrix_functions_that_the_device_lacks(void **state)
{
    (void)state;
    static const char wide[] = "kernel void k(global short8 *a, global int8 *b, global int8 *c)\n"
                               "{ *c = intel_sub_group_i8_i8_matrix_mad_k32(*a, *b, *c); }\n";
    static const char narrow[] = "kernel void k(global int8 *a, global int8 *b, global int8 *c)\n"
                                 "{ *c = intel_sub_group_i8_i8_matrix_mad_k32(*a, *b, *c); }\n";
    static const char tf32[] = "kernel void k(global float4 *a, global float8 *b, global float8 *c)\n"
                               "{ *c = intel_sub_group_tf32_tf32_matrix_mad_k8(*a, *b, *c); }\n";
    static const char four[] = "kernel void k(global int8 *a, global int8 *b, global int8 *c)\n"
                               "{ *c = intel_sub_group_i4_i4_matrix_mad_k64(*a, *b, *c); }\n";
    static const char split[] = "kernel void k(global int4 *a, global int8 *b, global int8 *c)\n"
                                "{ *c = intel_sub_group_i8_i8_split_matrix_mad_k32(*a, *b, *c); }\n";
    static const char block[] = "kernel void k(global uint *a)\n"
                                "{ intel_sub_group_2d_block_prefetch_8b_8r32x1c(a, 64, 64, 64, (int2)(0)); }\n";
    static const char read[] = "kernel void k(global uint *a)\n"
                               "{ ushort v[8]; intel_sub_group_2d_block_read_16b_8r16x1c(a, 64, 64, 64, (int2)(0), v); a[9] = v[7]; }\n";
    static const char rotate[] = "kernel void k(global int *a) { a[get_local_id(0)] = sub_group_rotate(*a, 3); }\n";
    struct tsr_target no_pairs = dg2, no_int4 = dg2;
    no_pairs.features &= ~(uint64_t)TSR_IL_PAIRS;
    no_int4.features &= ~(uint64_t)TSR_IL_INT4;
    const struct {
        const struct tsr_target *target;
        const char *source, *why;
        enum tsr_clc_outcome outcome;
    } cases[] = {
        {&dg2, wide, "is Tessera's: the device's matrix units are for another sub-group size", TSR_CLC_DONE},
        {&dg2, tf32, "is Tessera's: the device's matrix units are for another sub-group size", TSR_CLC_DONE},
        {&no_int4, four, "is Tessera's: the device's matrix units lack its types", TSR_CLC_DONE},
        {&no_int4, narrow, NULL, TSR_CLC_DONE},
        {&dg2, four, NULL, TSR_CLC_DONE},
        {&dg2, split, NULL, TSR_CLC_DONE},
        {&pvc, wide, NULL, TSR_CLC_DONE},
        {&pvc, tf32, NULL, TSR_CLC_DONE},
        {&mtl, wide, "is Tessera's: the device has no matrix units", TSR_CLC_DONE},
        {&mtl, narrow, "is Tessera's: the device has no matrix units", TSR_CLC_DONE},
        {&mtl, split, "cannot be used: the device has no matrix units", TSR_CLC_FAILED},
        {&no_pairs, split, "cannot be used: the device's matrix units do not work in pairs", TSR_CLC_FAILED},
        {&dg2, block, "is Tessera's: the device has no 2D blocks", TSR_CLC_DONE},
        {&pvc, block, NULL, TSR_CLC_DONE},
        {&pvc, read, NULL, TSR_CLC_DONE},
        {&mtl, read, "is Tessera's: the device has no 2D blocks", TSR_CLC_DONE},
        {&pvc, rotate, "sub_group_rotate(int, int) is Tessera's: not all drivers know it", TSR_CLC_DONE},
        {&pvc, narrow, "sub-groups of 8, which this device does not have", TSR_CLC_FAILED},
    };
    for (size_t i = 0; i < TSR_ARRAY_LEN(cases); i++) {
        setenv("TESSERA_EXPLAIN", "1", 1);
        struct answer answer = build_for(cases[i].target, TSR_CLC_BUILD, cases[i].source, "");
        unsetenv("TESSERA_EXPLAIN");
        expect(&answer, cases[i].outcome, cases[i].why);
        if (cases[i].outcome == TSR_CLC_DONE) {
            struct tsr_il_code code = code_of(&answer);
            assert_int_equal(!cases[i].why, calls_driver(&code));
        }
        end(&answer);
    }
}

/* In JSON: an object for each kernel that reaches such a function. */
static void reports_in_json(void **state)
{
    (void)state;
    static const char source[] = "int8 f(int8 c) { return intel_sub_group_i8_i8_matrix_mad_k32((short8)(1), c, c); }\n"
                                 "kernel void one(global int8 *c) { *c = f(f(*c)); }\n"
                                 "kernel void none(global int8 *c) { *c = 1; }\n"
                                 "kernel void two(global int8 *c) { *c = f(intel_sub_group_i8_i8_matrix_mad_k32((short8)(1), *c, *c)); }\n";
    setenv("TESSERA_EXPLAIN", "json", 1);
    struct answer answer = build_for(&dg2, TSR_CLC_BUILD, source, "-cl-opt-disable");
    unsetenv("TESSERA_EXPLAIN");
    code_of(&answer);
    expect(&answer, TSR_CLC_DONE,
           "{\"kernel\":\"one\",\"count\":2,\"topic\":\"function\",\"verdict\":\"Tessera's\",\"text\":\"intel_sub_group_i8_i8_matrix_mad_"
           "k32(");
    expect(&answer, TSR_CLC_DONE, "{\"kernel\":\"two\",\"count\":2,");
    expect(&answer, TSR_CLC_DONE, "the device's matrix units are for another sub-group size\"}\n");
    assert_null(strstr(answer.result.log, "\"none\""));
    end(&answer);
}

/* A module in SPIR-V that a driver would not take is written anew, with the values of its constants: one that calls what the device lacks,
 * or has a capability that not all drivers know. */
static void modules_that_drivers_do_not_take(void **state)
{
    (void)state;
    enum { OP_CAPABILITY = 17, MATRIX_MULTIPLY_ACCUMULATE = 6236, EXTRA = 2 };
    static const char source[] = "kernel void k(global short8 *a, global int8 *b, global int8 *c)\n"
                                 "{ size_t i = get_global_linear_id(); c[i] = intel_sub_group_i8_i8_matrix_mad_k32(a[i], b[i], c[i]); }\n";
    struct answer first = build_for(&pvc, TSR_CLC_BUILD, source, "-cl-std=CL3.0 -cl-uniform-work-group-size");
    struct tsr_il_code code = code_of(&first);
    uint32_t *words = malloc(code.spirv_size + EXTRA * 4), capability[EXTRA] = {EXTRA << 16 | OP_CAPABILITY, MATRIX_MULTIPLY_ACCUMULATE};
    for (int declared = 0; declared < 2; declared++) {
        size_t head = HEADER_WORDS * 4, more = declared ? sizeof capability : 0;
        memcpy(words, code.spirv, head);
        memcpy((char *)words + head, capability, more);
        memcpy((char *)words + head + more, (const char *)code.spirv + head, code.spirv_size - head);
        setenv("TESSERA_EXPLAIN", "1", 1);
        struct answer again =
            ask_for(declared ? &pvc : &dg2, (struct tsr_clc_request){.op = TSR_CLC_BUILD,
                                                                     .language = TSR_CLC_SPIRV,
                                                                     .source = {NULL, (const char *)words, code.spirv_size + more}});
        unsetenv("TESSERA_EXPLAIN");
        struct tsr_il_code anew = code_of(&again);
        expect(
            &again, TSR_CLC_DONE,
            declared
                ? "note: the SPIR-V for the driver is Tessera's: not all drivers know the capability SubgroupMatrixMultiplyAccumulateINTEL"
                : "is Tessera's: the device's matrix units are for another sub-group size");
        assert_int_equal(declared, calls_driver(&anew));
        for (size_t at = HEADER_WORDS; at < anew.spirv_size / 4; at += word(&anew, at) >> 16)
            assert_false((word(&anew, at) & 0xffff) == OP_CAPABILITY && word(&anew, at + 1) == MATRIX_MULTIPLY_ACCUMULATE);
        assert_int_equal(again.info.kernels[0].arg_count, 3);
        assert_int_equal(required_size(&anew), 16);
        assert_int_equal(again.info.kernels[0].flags & (TSR_KERNEL_RANGE_ARGUMENT | TSR_KERNEL_UNIFORM_GROUPS), TSR_KERNEL_RANGE_ARGUMENT);
        end(&again);
    }
    free(words);
    end(&first);
}

/* The module with a capability that not all drivers know, and an extension if `name` is not NULL; malloc'd. */
static char *declaring(const struct tsr_il_code *code, const char *name, size_t *size)
{
    enum { OP_EXTENSION = 10, OP_CAPABILITY = 17, MATRIX_MULTIPLY_ACCUMULATE = 6236, MOST_WORDS = 32, HEAD = HEADER_WORDS * 4 };
    const uint32_t capability[2] = {2 << 16 | OP_CAPABILITY, MATRIX_MULTIPLY_ACCUMULATE};
    uint32_t words = name ? 2 + (uint32_t)strlen(name) / 4 : 0, extension[MOST_WORDS] = {words << 16 | OP_EXTENSION};
    size_t at = HEADER_WORDS, more = words * 4;
    while ((word(code, at) & 0xffff) == OP_CAPABILITY)
        at += word(code, at) >> 16;
    if (name)
        strcpy((char *)(extension + 1), name);
    size_t head = at * 4;
    *size = code->spirv_size + sizeof capability + more;
    char *text = malloc(*size);
    memcpy(text, code->spirv, HEAD);
    memcpy(text + HEAD, capability, sizeof capability);
    memcpy(text + HEAD + sizeof capability, (const char *)code->spirv + HEAD, head - HEAD);
    memcpy(text + head + sizeof capability, extension, more);
    memcpy(text + head + sizeof capability + more, (const char *)code->spirv + head, code->spirv_size - head);
    return text;
}

/* Gives each printf of the module the first parameter of its function as the format. */
static void print_by_parameter(char *text, size_t size)
{
    enum { OP_EXT_INST = 12, OP_FUNCTION = 54, OP_FUNCTION_PARAMETER = 55, PRINTF = 184 };
    uint32_t words[6], parameter = 0;
    for (size_t at = HEADER_WORDS * 4; at < size; at += (words[0] >> 16) * 4) {
        memcpy(words, text + at, size - at < sizeof words ? size - at : sizeof words);
        uint32_t op = words[0] & 0xffff;
        if (op == OP_FUNCTION)
            parameter = 0;
        else if (op == OP_FUNCTION_PARAMETER && !parameter)
            parameter = words[2];
        else if (op == OP_EXT_INST && words[4] == PRINTF)
            memcpy(text + at + 5 * 4, &parameter, sizeof parameter);
    }
}

/* A module in SPIR-V whose format is an argument, and that is written anew: its printf stays what it is. */
static void formats_in_global_memory(void **state)
{
    (void)state;
    static const char extension[] = "SPV_EXT_relaxed_printf_string_address_space";
    struct answer first =
        build_for(&dg2, TSR_CLC_BUILD, "kernel void k(global char *format, int x) { printf(\"%d\", x); }\n", "-cl-std=CL3.0");
    struct tsr_il_code code = code_of(&first);
    size_t size;
    char *text = declaring(&code, extension, &size);
    print_by_parameter(text, size);
    struct answer again =
        ask_for(&dg2, (struct tsr_clc_request){.op = TSR_CLC_BUILD, .language = TSR_CLC_SPIRV, .source = {NULL, text, size}});
    struct tsr_il_code anew = code_of(&again);
    assert_non_null(memmem(anew.spirv, anew.spirv_size, extension, sizeof extension));
    free(text);
    end(&again);
    end(&first);
}

/* Images and samplers are types of SPIR-V; the data type is counted from another number there. */
static void images(void **state)
{
    (void)state;
    enum { OP_TYPE_IMAGE = 25, OP_CONSTANT = 43, OP_IMAGE_QUERY_FORMAT = 101, OP_IMAGE_QUERY_ORDER = 102, FIRST_DATA_TYPE = 0x10D0 };
    struct answer answer = build_for(&dg2, TSR_CLC_BUILD,
                                     "kernel void k(read_only image2d_t i, sampler_t s, global int *o)\n"
                                     "{ o[0] = get_image_channel_data_type(i) + (int)read_imagef(i, s, (float2)(o[1], 0)).x;\n"
                                     "  o[1] = get_image_channel_order(i); o[2] = (int)read_imageh(i, s, (int2)(o[1], 0)).x; }\n",
                                     "-cl-std=CL3.0");
    struct tsr_il_code code = code_of(&answer);
    const struct tsr_arg_info *args = answer.info.kernels[0].args;
    assert_int_equal(args[0].kind, TSR_ARG_IMAGE);
    assert_int_equal(args[0].size, 8);
    assert_int_equal(args[1].kind, TSR_ARG_SAMPLER);
    assert_int_equal(args[1].size, 4);
    bool type = false, query = false, first = false, order = false;
    for (size_t at = HEADER_WORDS; at < code.spirv_size / 4; at += word(&code, at) >> 16) {
        uint32_t op = word(&code, at) & 0xffff;
        type |= op == OP_TYPE_IMAGE;
        query |= op == OP_IMAGE_QUERY_FORMAT;
        order |= op == OP_IMAGE_QUERY_ORDER;
        first |= op == OP_CONSTANT && word(&code, at + 3) == FIRST_DATA_TYPE;
    }
    assert_true(type && query && first && order);
    static const char *const gone[] = {"get_image", "read_image"};
    for (size_t i = 0; i < TSR_ARRAY_LEN(gone); i++)
        assert_null(memmem(code.spirv, code.spirv_size, gone[i], strlen(gone[i]))); /* no driver has them by these names */
    /* What the driver takes goes to it as it is; the rest would have to be written anew, which cannot be done with images. */
    struct answer same = ask_for(
        &dg2, (struct tsr_clc_request){.op = TSR_CLC_BUILD, .language = TSR_CLC_SPIRV, .source = {NULL, code.spirv, code.spirv_size}});
    assert_int_equal(code_of(&same).spirv_size, code.spirv_size);
    size_t size;
    char *text = declaring(&code, NULL, &size);
    struct answer refused =
        ask_for(&dg2, (struct tsr_clc_request){.op = TSR_CLC_BUILD, .language = TSR_CLC_SPIRV, .source = {NULL, text, size}});
    expect(&refused, TSR_CLC_FAILED, "images of a program in SPIR-V go to this device only if all of the program does as it is");
    free(text);
    end(&refused);
    end(&same);
    end(&answer);
}

static void what_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *source, *log;
    } cases[] = {
        {"int f(int); kernel void k(global int *a) { *a = f(1); }", "undefined reference to 'f' in 'k'"},
        {"kernel void k(global int *a) { *a = 1 }", "expected ';'"},
    };
    for (size_t i = 0; i < TSR_ARRAY_LEN(cases); i++) {
        struct answer answer = build_for(&dg2, TSR_CLC_BUILD, cases[i].source, "-cl-std=CL3.0");
        expect(&answer, TSR_CLC_FAILED, cases[i].log);
        end(&answer);
    }
}

static void objects_are_linked(void **state)
{
    (void)state;
    struct answer one = build_for(&dg2, TSR_CLC_COMPILE, "int f(int x); kernel void k(global int *a) { *a = f(*a); }", "");
    struct answer two = build_for(&dg2, TSR_CLC_COMPILE, "int f(int x) { return x + 1; }", "");
    struct tsr_clc_input inputs[] = {{one.result.image, one.result.image_size}, {two.result.image, two.result.image_size}};
    struct answer linked = ask_for(&dg2, (struct tsr_clc_request){.op = TSR_CLC_LINK, .input_count = 2, .inputs = inputs});
    code_of(&linked);
    assert_int_equal(linked.info.kernel_count, 1);
    end(&one);
    end(&two);
    end(&linked);
}

/* In either byte order; the driver gets this machine's. */
static void modules_go_through_as_they_are(void **state)
{
    (void)state;
    static const uint16_t value = 7;
    struct tsr_spirv_constant constant = {3, 2, &value};
    struct answer first = build_for(&dg2, TSR_CLC_BUILD, "kernel void k(global int *a, int b) { a[get_global_id(0)] = b; }", "");
    struct tsr_il_code code = code_of(&first);
    uint32_t *words = malloc(code.spirv_size);
    memcpy(words, code.spirv, code.spirv_size);
    for (int swapped = 0; swapped < 2; swapped++) {
        for (size_t i = 0; swapped && i < code.spirv_size / 4; i++)
            words[i] = __builtin_bswap32(words[i]);
        struct answer again = ask_for(&dg2, (struct tsr_clc_request){.op = TSR_CLC_BUILD,
                                                                     .language = TSR_CLC_SPIRV,
                                                                     .source = {NULL, (const char *)words, code.spirv_size},
                                                                     .spec_count = 1,
                                                                     .spec_constants = &constant});
        struct tsr_il_code same = code_of(&again);
        assert_int_equal(same.spirv_size, code.spirv_size);
        assert_memory_equal(same.spirv, code.spirv, code.spirv_size);
        assert_int_equal(same.constant_count, 1);
        assert_int_equal(same.constants[0].id, 3);
        assert_memory_equal(same.constants[0].data, &value, 2);
        assert_int_equal(again.info.kernels[0].arg_count, 2);
        end(&again);
    }
    free(words);
    end(&first);
}

/* Functions that LLVM's writer gets wrong, or that drivers do not know: no call of their names is left, and no primitive of our engine. */
static void functions_of_our_library(void **state)
{
    (void)state;
    static const char source[] = "kernel void k(global char4 *a, global short4 *b, global uint *c, global float *d, global half *h)\n"
                                 "{ b[0] = convert_short4_sat_rte(a[0]); a[1] = convert_char4_sat(b[1]);\n"
                                 "c[2] = tessera_madw_hi(c[3], c[4], c[5]); c[6] = (uint)dot_acc_sat(a[2], a[3], (int)c[7]);\n"
                                 "vstore3(vloada_half3(1, h), 0, d); d[4] = dot(vload4(0, d), vload4(1, d)); }\n";
    setenv("TESSERA_EXPLAIN", "1", 1);
    struct answer answer = build_for(&dg2, TSR_CLC_BUILD, source, "-cl-std=CL3.0");
    unsetenv("TESSERA_EXPLAIN");
    struct tsr_il_code code = code_of(&answer);
    static const char *const gone[] = {"convert_", "madw", "dot_acc", "vloada", "__tsr_"};
    for (size_t i = 0; i < TSR_ARRAY_LEN(gone); i++)
        if (memmem(code.spirv, code.spirv_size, gone[i], strlen(gone[i])))
            fail_msg("'%s' is left", gone[i]);
    expect(&answer, TSR_CLC_DONE, "note: tessera_madw_hi");
    end(&answer);
}

/* Also in a module whose last function, a body of ours, has other registers than the caller of printf. */
static void formats_of_printf(void **state)
{
    (void)state;
    struct answer answer = build_for(&dg2, TSR_CLC_BUILD,
                                     "kernel void a(global int *a) { if (a[1]) printf(\"%d\\n\", a[0]); }\n"
                                     "kernel void b(global int *a) { a[1] = sub_group_rotate(a[1], 1); }\n",
                                     "-cl-std=CL3.0");
    struct tsr_il_code code = code_of(&answer);
    assert_null(memmem(code.spirv, code.spirv_size, "relaxed_printf", strlen("relaxed_printf")));
    end(&answer);
}

/* A variable of 128 bytes lies at a multiple of that. */
static void alignments(void **state)
{
    (void)state;
    enum { OP_DECORATE = 71, ALIGNMENT = 44 };
    struct answer answer =
        build_for(&dg2, TSR_CLC_BUILD,
                  "kernel void k(global long16 *a) { local long16 l[4]; l[get_local_id(0)] = *a; barrier(CLK_LOCAL_MEM_FENCE); "
                  "*a = l[get_local_id(0) ^ 1]; }",
                  "");
    struct tsr_il_code code = code_of(&answer);
    unsigned found = 0;
    for (size_t at = HEADER_WORDS; at < code.spirv_size / 4; at += word(&code, at) >> 16)
        if ((word(&code, at) & 0xffff) == OP_DECORATE && word(&code, at + 2) == ALIGNMENT) {
            assert_true(word(&code, at + 3) <= 128);
            found += word(&code, at + 3) == 128;
        }
    assert_true(found);
    end(&answer);
}

/* A kernel that asks for sizes or numbers of groups has one more argument, unless its groups are uniform; so has one that does so by way of
 * other functions. */
static void kernels_that_see_their_range(void **state)
{
    (void)state;
    static const char source[] = "size_t f(uint d) { return get_group_id(d); }\n"
                                 "kernel void asks(global ulong *o) { o[get_local_id(0)] = f(0) + get_global_linear_id(); }\n"
                                 "kernel void does_not(global ulong *o) { o[get_local_id(0)] = get_global_id(0) + get_local_size(0); }\n";
    struct answer answer = build_for(&dg2, TSR_CLC_BUILD, source, "-cl-std=CL3.0 -cl-kernel-arg-info");
    struct tsr_il_code code = code_of(&answer);
    assert_int_equal(answer.info.kernels[0].flags & (TSR_KERNEL_RANGE_ARGUMENT | TSR_KERNEL_UNIFORM_GROUPS), TSR_KERNEL_RANGE_ARGUMENT);
    assert_int_equal(answer.info.kernels[1].flags & (TSR_KERNEL_RANGE_ARGUMENT | TSR_KERNEL_UNIFORM_GROUPS), 0);
    assert_int_equal(answer.info.kernels[0].arg_count, 1);
    assert_string_equal(answer.info.kernels[0].args[0].name, "o");
    end(&answer);

    answer = build_for(&dg2, TSR_CLC_BUILD, source, "-cl-std=CL3.0 -cl-uniform-work-group-size");
    code = code_of(&answer);
    assert_int_equal(answer.info.kernels[0].flags & (TSR_KERNEL_RANGE_ARGUMENT | TSR_KERNEL_UNIFORM_GROUPS), TSR_KERNEL_UNIFORM_GROUPS);
    /* A module goes through as it is, without another argument: its kernels that ask take uniform groups. */
    struct answer module = ask_for(
        &dg2, (struct tsr_clc_request){.op = TSR_CLC_BUILD, .language = TSR_CLC_SPIRV, .source = {NULL, code.spirv, code.spirv_size}});
    code_of(&module);
    assert_int_equal(module.info.kernels[0].flags & (TSR_KERNEL_RANGE_ARGUMENT | TSR_KERNEL_UNIFORM_GROUPS), TSR_KERNEL_UNIFORM_GROUPS);
    assert_int_equal(module.info.kernels[1].flags & (TSR_KERNEL_RANGE_ARGUMENT | TSR_KERNEL_UNIFORM_GROUPS), 0);
    end(&module);
    end(&answer);
}

/* LLVM's writer cannot be used twice. */
static void the_process_ends_after_it(void **state)
{
    (void)state;
    struct answer answer = build_for(&dg2, TSR_CLC_BUILD, "kernel void k(void) {}", "");
    struct pollfd gone = {.fd = line};
    assert_int_equal(poll(&gone, 1, 10000), 1);
    assert_true(gone.revents & POLLHUP);
    end(&answer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_are_described),
        cmocka_unit_test(matrix_functions_keep_their_names),
        cmocka_unit_test(sub_groups_that_the_device_lacks),
        cmocka_unit_test(matrix_functions_that_the_device_lacks),
        cmocka_unit_test(reports_in_json),
        cmocka_unit_test(modules_that_drivers_do_not_take),
        cmocka_unit_test(formats_in_global_memory),
        cmocka_unit_test(images),
        cmocka_unit_test(what_is_refused),
        cmocka_unit_test(objects_are_linked),
        cmocka_unit_test(modules_go_through_as_they_are),
        cmocka_unit_test(kernels_that_see_their_range),
        cmocka_unit_test(functions_of_our_library),
        cmocka_unit_test(formats_of_printf),
        cmocka_unit_test(alignments),
        cmocka_unit_test(the_process_ends_after_it),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
