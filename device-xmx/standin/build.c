/* SPDX-License-Identifier: Apache-2.0
 * From SPIR-V, or a native binary, to code that the engine runs. The compiler process does the work; here is what a GPU's compiler would
 * say besides: which build flags it takes, and what the persona has no unit for. */
#include <stdio.h>
#include <string.h>

#include "device-xmx/ze_newer.h"
#include "device-xmx/standin/standin.h"

/* ---- build flags ---- */

/* What each flag is for our compiler; "" means nothing to it. */
static const struct {
    const char *flag, *option;
} flags[] = {
    {"-ze-opt-disable", "-cl-opt-disable"},
    {"-ze-opt-level=0", "-cl-opt-disable"},
    {"-ze-opt-level=1", ""},
    {"-ze-opt-level=2", ""},
    {"-ze-opt-greater-than-4GB-buffer-required", ""},
    {"-ze-opt-large-register-file", ""},
    {"-ze-opt-has-buffer-offset-arg", ""},
    {"-ze-opt-regular-grf-kernel", ""},
    {"-ze-intel-enable-auto-large-GRF-mode", ""},
    {"-ze-kernel-uses-fp64-math", ""},
    {"-ze-take-global-address", ""},
    {"-library-compilation", ""},
    {"-vc-codegen", ""},
    {"-g", "-g"},
};

static bool has_word(const char *text, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = text; at && (at = strstr(at, word)); at += length)
        if ((at == text || at[-1] == ' ') && (!at[length] || at[length] == ' '))
            return true;
    return false;
}

/* Adds our options for one flag. False: it is unknown. */
static bool translate(const char *flag, size_t length, struct tsr_buf *options)
{
    for (size_t i = 0; i < TSR_ARRAY_LEN(flags); i++)
        if (strlen(flags[i].flag) == length && !memcmp(flags[i].flag, flag, length)) {
            tsr_buf_printf(options, "%s ", flags[i].option);
            return true;
        }
    if (length > 4 && !memcmp(flag, "-cl-", 4)) {
        tsr_buf_printf(options, "%.*s ", (int)length, flag);
        return true;
    }
    return false;
}

/* Our options for build flags; *wrong gets malloc'd text on failure. */
static bool read_flags(const char *text, struct tsr_buf *options, char **wrong)
{
    for (const char *at = text ? text : ""; *at; at += strspn(at, " ")) {
        size_t length = strcspn(at, " ");
        if (length && !translate(at, length, options)) {
            *wrong = tsr_format("error: unrecognized build option: %.*s\n", (int)length, at);
            return false;
        }
        at += length;
    }
    tsr_buf_bytes(options, "", 1);
    return !options->failed;
}

/* ---- what the persona lacks ---- */

enum {
    OP_CAPABILITY = 17,
    OP_DECORATE = 71,
    OP_MATRIX_MULTIPLY_INTEL = 6237,
    CAPABILITY_FLOAT64 = 10,
    DECORATION_LINKAGE = 41,
};

/* Why the device cannot run a function that the module imports; NULL: it can. */
static const char *refuse_import(const struct tsr__persona *persona, const char *name)
{
    if (!strstr(name, "matrix_mad"))
        return NULL;
    if (!persona->dpas_inputs)
        return "the device has no matrix unit";
    if (strstr(name, "split_matrix_mad") && !(persona->dp_caps & TSR_ZE_DP_DPAS_SIMD8))
        return "only devices with sub-groups of 8 have split matrix functions";
    if (strstr(name, "tf32") && !(persona->dpas_inputs & TSR_ZE_DP_INPUT_TF32))
        return "the matrix unit has no tf32";
    return NULL;
}

static const char *refuse_instruction(const struct tsr__persona *persona, const uint32_t *words, uint32_t length)
{
    uint32_t opcode = words[0] & 0xffff;
    if (opcode == OP_MATRIX_MULTIPLY_INTEL)
        return "the opcode 6237 is not supported";
    if (opcode == OP_CAPABILITY && words[1] == CAPABILITY_FLOAT64 && !persona->fp64)
        return "the device has no double precision";
    if (opcode == OP_DECORATE && length > 3 && words[2] == DECORATION_LINKAGE && memchr(words + 3, 0, 4 * (length - 3)))
        return refuse_import(persona, (const char *)(words + 3));
    return NULL;
}

/* Text of the reason, malloc'd; NULL: there is none, or the module is none, which the compiler will say. */
static char *refuse_module(const struct tsr__persona *persona, const void *module, size_t size)
{
    if (tsr_spirv_check(module, size))
        return NULL;
    uint32_t *words = tsr_malloc(size);
    const char *why = NULL;
    if (!words)
        return NULL;
    memcpy(words, module, size);
    bool swapped = words[0] != TSR_SPIRV_MAGIC;
    for (size_t i = 0; i < size / 4 && swapped; i++)
        words[i] = __builtin_bswap32(words[i]);
    for (size_t at = TSR_SPIRV_HEADER / 4; at < size / 4 && !why; at += words[at] >> 16)
        why = refuse_instruction(persona, words + at, words[at] >> 16);
    tsr_free(words);
    return why ? tsr_format("error: %s: %s\n", persona->word, why) : NULL;
}

static bool has_size(const struct tsr__persona *persona, uint32_t size)
{
    for (size_t i = 0; i < TSR_ARRAY_LEN(persona->sub_group_sizes); i++)
        if (persona->sub_group_sizes[i] == size)
            return true;
    return false;
}

/* ---- requests ---- */

/* One module in SPIR-V. */
struct input {
    const uint8_t *data;
    size_t size;
    const char *flags;
    const ze_module_constants_t *constants;
};

/* Values of specialisation constants in the order of ids, each once, as a request wants them. False: one is not in the module. */
static bool read_constants(const struct input *input, struct tsr_spirv_constant *to, uint32_t *count, char **wrong)
{
    const ze_module_constants_t *from = input->constants;
    *count = 0;
    for (uint32_t i = 0; from && i < from->numConstants; i++) {
        struct tsr_spirv_constant constant = {.id = from->pConstantIds[i], .data = from->pConstantValues[i]};
        constant.size = tsr_spirv_constant_size(input->data, input->size, constant.id);
        if (!constant.size) {
            *wrong = tsr_format("error: the module has no specialization constant %u\n", constant.id);
            return false;
        }
        uint32_t at = *count;
        for (; at && to[at - 1].id > constant.id; at--)
            to[at] = to[at - 1];
        to[at] = constant;
        ++*count;
    }
    return true;
}

static ze_result_t result_of(enum tsr_clc_outcome outcome, ze_result_t failure)
{
    return outcome == TSR_CLC_DONE ? ZE_RESULT_SUCCESS : outcome == TSR_CLC_NO_MEMORY ? ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY : failure;
}

/* Runs the request for the device; the result is the caller's to free. */
static void compile(struct tsr__device *device, struct tsr_clc_request *request, struct tsr_clc_result *result)
{
    const struct tsr_device_ops *ops = device->cpu->ops;
    ops->target(device->cpu, &request->target);
    request->target.default_sub_group_size = device->persona->sub_group_sizes[0];
    request->target.macros = device->macros;
    tsr_clc_run(request, result);
    struct tsr_arena arena = {0};
    struct tsr_program_info info;
    bool again = result->outcome == TSR_CLC_DONE && request->target.doubtful &&
                 tsr_image_read(result->image, result->image_size, &arena, &info) == TSR_OK &&
                 ops->compile_again(device->cpu, &info, &request->target);
    tsr_arena_free(&arena);
    if (!again)
        return;
    tsr_clc_result_free(result);
    tsr_clc_run(request, result);
}

/* Gives the caller the log of the result. */
static void take_log(struct tsr_clc_result *result, char **log)
{
    *log = result->log;
    result->log = NULL;
}

/* Loads what the compiler made, and adds to the log why it cannot. */
static ze_result_t load(struct tsr__device *device, struct tsr_clc_result *result, struct tsr__code **code, char **log)
{
    char *why = NULL;
    *code = tsr__standin_code_new(device, result->image, result->image_size, &why);
    result->image = NULL;
    if (*code)
        return ZE_RESULT_SUCCESS;
    ze_result_t answer = why ? ZE_RESULT_ERROR_MODULE_BUILD_FAILURE : ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    tsr_free(*log);
    *log = why;
    return answer;
}

/* Compiles one module into `result`; *wrong gets malloc'd text if it is not even tried. */
static bool compile_input(struct tsr__device *device, enum tsr_clc_op op, const struct input *input, struct tsr_clc_result *result,
                          char **wrong)
{
    struct tsr_buf options = {0};
    uint32_t most = input->constants ? input->constants->numConstants : 0;
    struct tsr_spirv_constant *constants = tsr_calloc(most + 1, sizeof *constants);
    struct tsr_clc_request request = {
        .op = op,
        .language = TSR_CLC_SPIRV,
        .source = {.data = (const char *)input->data, .size = input->size},
        .spec_constants = constants,
    };
    const char *no_module = tsr_spirv_check(input->data, input->size);
    if (no_module)
        *wrong = tsr_format("error: %s\n", no_module);
    else
        *wrong = refuse_module(device->persona, input->data, input->size);
    bool good =
        constants && !*wrong && read_flags(input->flags, &options, wrong) && read_constants(input, constants, &request.spec_count, wrong);
    if (good) {
        request.options = (const char *)options.data;
        compile(device, &request, result);
    }
    tsr_buf_free(&options);
    tsr_free(constants);
    return good;
}

static ze_result_t build_one(struct tsr__device *device, const struct input *input, struct tsr__code **code, char **log)
{
    struct tsr_clc_result result = {0};
    enum tsr_clc_op op = has_word(input->flags, "-library-compilation") ? TSR_CLC_COMPILE : TSR_CLC_BUILD;
    if (!compile_input(device, op, input, &result, log))
        return *log ? ZE_RESULT_ERROR_MODULE_BUILD_FAILURE : ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    take_log(&result, log);
    ze_result_t answer = result_of(result.outcome, ZE_RESULT_ERROR_MODULE_BUILD_FAILURE);
    if (!answer)
        answer = load(device, &result, code, log);
    tsr_clc_result_free(&result);
    return answer;
}

static ze_result_t link_images(struct tsr__device *device, uint32_t count, const struct tsr_clc_input *inputs, struct tsr__code **code,
                               char **log)
{
    struct tsr_clc_request request = {.op = TSR_CLC_LINK, .input_count = count, .inputs = inputs, .options = ""};
    struct tsr_clc_result result = {0};
    compile(device, &request, &result);
    take_log(&result, log);
    ze_result_t answer = result_of(result.outcome, ZE_RESULT_ERROR_MODULE_LINK_FAILURE);
    if (!answer)
        answer = load(device, &result, code, log);
    tsr_clc_result_free(&result);
    return answer;
}

/* ZE_experimental_module_program: several modules become one. */
static ze_result_t build_several(struct tsr__device *device, const ze_module_program_exp_desc_t *several, struct tsr__code **code,
                                 char **log)
{
    struct tsr_clc_result *results = tsr_calloc(several->count, sizeof *results);
    struct tsr_clc_input *inputs = tsr_calloc(several->count, sizeof *inputs);
    ze_result_t answer = results && inputs ? ZE_RESULT_SUCCESS : ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    for (uint32_t i = 0; i < several->count && !answer; i++) {
        struct input input = {
            .data = several->pInputModules[i],
            .size = several->inputSizes[i],
            .flags = several->pBuildFlags ? several->pBuildFlags[i] : NULL,
            .constants = several->pConstants ? several->pConstants[i] : NULL,
        };
        tsr_free(*log);
        *log = NULL;
        if (!compile_input(device, TSR_CLC_COMPILE, &input, &results[i], log))
            answer = *log ? ZE_RESULT_ERROR_MODULE_BUILD_FAILURE : ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
        else
            answer = result_of(results[i].outcome, ZE_RESULT_ERROR_MODULE_BUILD_FAILURE);
        if (results[i].log)
            take_log(&results[i], log);
        inputs[i] = (struct tsr_clc_input){results[i].image, results[i].image_size};
    }
    if (!answer) {
        tsr_free(*log);
        answer = link_images(device, several->count, inputs, code, log);
    }
    for (uint32_t i = 0; results && i < several->count; i++)
        tsr_clc_result_free(&results[i]);
    tsr_free(results);
    tsr_free(inputs);
    return answer;
}

/* IGC refuses a kernel that requires a size which the device has not. */
static ze_result_t check_sizes(const struct tsr__device *device, struct tsr__code **code, char **log)
{
    const struct tsr_program_info *info = &(*code)->info;
    for (uint32_t i = 0; i < info->kernel_count; i++) {
        const struct tsr_kernel_info *kernel = &info->kernels[i];
        if (!kernel->reqd_sub_group_size || has_size(device->persona, kernel->reqd_sub_group_size))
            continue;
        tsr_free(*log);
        *log = tsr_format("error: kernel %s requires sub-groups of %u, which %s has not\n", kernel->name, kernel->reqd_sub_group_size,
                          device->persona->word);
        tsr__standin_code_drop(*code);
        *code = NULL;
        return ZE_RESULT_ERROR_MODULE_BUILD_FAILURE;
    }
    return ZE_RESULT_SUCCESS;
}

ze_result_t tsr__standin_build(struct tsr__device *device, const ze_module_desc_t *desc, struct tsr__code **code, char **log)
{
    *log = NULL;
    if (tsr__standin_settings()->faulty[TSR__FAULT_build]) {
        *log = tsr_strdup("error: STANDIN_FAULT=build\n");
        return ZE_RESULT_ERROR_MODULE_BUILD_FAILURE;
    }
    const ze_module_program_exp_desc_t *several = tsr__standin_chained(desc->pNext, ZE_STRUCTURE_TYPE_MODULE_PROGRAM_EXP_DESC);
    ze_result_t result;
    if (several && tsr__standin_has_extension(ZE_MODULE_PROGRAM_EXP_NAME)) {
        result = build_several(device, several, code, log);
    } else {
        struct input input = {desc->pInputModule, desc->inputSize, desc->pBuildFlags, desc->pConstants};
        result = build_one(device, &input, code, log);
    }
    return result ? result : check_sizes(device, code, log);
}

ze_result_t tsr__standin_link(struct tsr__device *device, uint32_t count, struct tsr__code *const *codes, struct tsr__code **code,
                              char **log)
{
    struct tsr_clc_input *inputs = tsr_calloc(count, sizeof *inputs);
    *log = NULL;
    if (!inputs)
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    for (uint32_t i = 0; i < count; i++)
        inputs[i] = (struct tsr_clc_input){codes[i]->image, codes[i]->image_size};
    ze_result_t result = link_images(device, count, inputs, code, log);
    tsr_free(inputs);
    return result ? result : check_sizes(device, code, log);
}
