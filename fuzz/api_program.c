/* SPDX-License-Identifier: Apache-2.0
 * The API's fuzzer: programs, kernels, launches. */
#include <sched.h>

#include "fuzz/api.h"
#include "icd/test/spirv_module.h"

static _Atomic int builds_pending;

/* ---- programs and kernels ---- */

/* The kernels write where every object has memory, whatever arguments they get. */
static const char *const sources[] = {
    "kernel void touch(global uchar *a, uint n, local uchar *l, constant uchar *c)\n"
    "{ if (l) l[0] = 1; if (a) a[0] = (uchar)(n + (c ? c[0] : 0)); }\n"
    "kernel void none(void) {}\n",
    "kernel void meet(float4 v, global uchar *a, double d)\n"
    "{ barrier(CLK_LOCAL_MEM_FENCE); int n = work_group_reduce_add(1); if (a) a[0] = (uchar)(n + v.x + d); }\n",
    "kernel __attribute__((reqd_work_group_size(4, 1, 1))) void four(short s, global uchar *a) { if (a) a[0] = get_sub_group_size(); "
    "}\n",
    "kernel void paint(write_only image2d_t o, read_only image2d_t i, sampler_t s)\n"
    "{ int2 at = (int2)(get_global_id(0), get_global_id(1)); write_imagef(o, at, read_imagef(i, s, convert_float2(at) * 0.7f)); }\n"
    "kernel void lines(read_write image1d_array_t o, read_only image3d_t i)\n"
    "{ write_imageui(o, (int2)(get_global_id(0), get_global_id(1)), read_imageui(i, (int4)(get_global_id(0)))); }\n",
    "#include \"h.h\"\nint helper(int x); kernel void calls(global uchar *a) { if (a) a[0] = helper(H); }\n",
    "int helper(int x) { return x + 1; }\n",
    "#define H 1\n",
    "kernel void wrong(global int *a) { a[0] = ; }\n",
    "",
};
static const char *const option_texts[] = {
    NULL, "", "-w", "-cl-std=CL3.0 -cl-kernel-arg-info", "-cl-opt-disable -g", "-create-library", "-cl-std=CL3.0", "-x"};
static const char *const kernel_names[] = {"touch", "meet", "four", "calls", "none", "wrong", "", "helper", "paint", "lines"};

static const char *any_options(void)
{
    return option_texts[fuzz_below(&fuzz_in, TSR_ARRAY_LEN(option_texts))];
}

static void CL_CALLBACK on_build(cl_program program, void *data)
{
    (void)program, (void)data;
    builds_pending--;
}

void fuzz_wait_for_builds(void)
{
    while (builds_pending)
        sched_yield();
}

/* Half of the modules have a word changed. The kernel stores nothing, as its argument may be NULL. */
static cl_program create_with_il(cl_context context, cl_int *err)
{
    enum { WORDS = sizeof spirv_module / 4, STORE = SPIRV_OP(62, 5), NO_OPERATION = SPIRV_OP(0, 1) };
    uint32_t module[WORDS];
    for (unsigned i = 0, nops = 0; i < WORDS; i++) {
        nops = spirv_module[i] == STORE ? 5 : nops ? nops - 1 : 0;
        module[i] = nops ? NO_OPERATION : spirv_module[i];
    }
    if (fuzz_odds(2))
        module[fuzz_below(&fuzz_in, WORDS)] ^= fuzz_odds(4) ? (uint32_t)fuzz_any_size() : 1u << fuzz_below(&fuzz_in, 32);
    return clCreateProgramWithIL(context, fuzz_odds(16) ? NULL : module, fuzz_odds(8) ? fuzz_byte(&fuzz_in) : sizeof module, err);
}

void fuzz_call_program(void)
{
    cl_int err = 1;
    cl_uint count = 1 + fuzz_below(&fuzz_in, 2);
    const char *texts[2] = {sources[fuzz_below(&fuzz_in, TSR_ARRAY_LEN(sources))],
                            fuzz_odds(8) ? NULL : sources[fuzz_below(&fuzz_in, TSR_ARRAY_LEN(sources))]};
    size_t lengths[2] = {strlen(texts[0]), 0};
    cl_program program;
    cl_context context = fuzz_pick(CONTEXT);
    switch (fuzz_below(&fuzz_in, 10)) {
    case 0:
        program = create_with_il(context, &err);
        break;
    case 1:
        program = clCreateProgramWithBuiltInKernels(context, 1, (cl_device_id[]){fuzz_pick(DEVICE)}, fuzz_odds(8) ? NULL : "a;b", &err);
        break;
    default:
        program = clCreateProgramWithSource(context, fuzz_odds(16) ? 0 : count, fuzz_odds(32) ? NULL : texts, fuzz_odds(2) ? NULL : lengths,
                                            &err);
        break;
    }
    fuzz_keep(PROGRAM, program, err);
}

void fuzz_call_build(void)
{
    cl_program program = fuzz_pick(PROGRAM), other = fuzz_pick(PROGRAM), made = NULL;
    cl_device_id devices[] = {fuzz_pick(DEVICE), fuzz_pick(DEVICE)};
    cl_uint count = fuzz_odds(2) ? 0 : 1 + fuzz_odds(4);
    cl_device_id *list = count || fuzz_odds(16) ? devices : NULL;
    const char *options = any_options(), *header_names[] = {"h.h", fuzz_odds(16) ? NULL : "i.h"};
    void(CL_CALLBACK * notify)(cl_program, void *) = fuzz_odds(3) ? on_build : NULL;
    cl_int err = 1;
    if (notify)
        builds_pending++;
    switch (fuzz_below(&fuzz_in, 4)) {
    case 0: {
        cl_uint headers = fuzz_below(&fuzz_in, 3);
        err = clCompileProgram(program, count, list, options, headers,
                               headers || fuzz_odds(16) ? (cl_program[]){other, fuzz_pick(PROGRAM)} : NULL,
                               headers || fuzz_odds(16) ? header_names : NULL, notify, NULL);
        break;
    }
    case 1: {
        cl_uint inputs = fuzz_below(&fuzz_in, 3);
        made = clLinkProgram(fuzz_pick(CONTEXT), count, list, options, inputs,
                             inputs || fuzz_odds(16) ? (cl_program[]){program, other} : NULL, notify, NULL, &err);
        if (made)
            fuzz_keep(PROGRAM, made, CL_SUCCESS); /* a program that did not link is one, too */
        break;
    }
    default:
        err = clBuildProgram(program, count, list, options, notify, NULL);
        break;
    }
    /* Refused calls do not call back; begun ones do, whatever comes of them. */
    if (notify && err && !made && err != CL_BUILD_PROGRAM_FAILURE && err != CL_COMPILE_PROGRAM_FAILURE && err != CL_LINK_PROGRAM_FAILURE &&
        builds_pending)
        builds_pending--;
    fuzz_wait_for_builds();
}

/* The binary of a program, perhaps damaged, as a new program. */
void fuzz_call_binary(void)
{
    cl_program program = fuzz_pick(PROGRAM);
    cl_uint count = 0;
    size_t sizes[8] = {0};
    unsigned char *binaries[8] = {0};
    if (clGetProgramInfo(program, CL_PROGRAM_NUM_DEVICES, sizeof count, &count, NULL) || !count || count > 8 ||
        clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof sizes, sizes, NULL) || !sizes[0])
        return;
    for (cl_uint i = 0; i < count; i++)
        binaries[i] = malloc(sizes[i] + 1);
    FUZZ_CHECK(!clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof binaries, binaries, NULL));
    if (fuzz_odds(2))
        binaries[0][fuzz_below(&fuzz_in, 65535) % sizes[0]] ^= (unsigned char)fuzz_byte(&fuzz_in);
    size_t length = fuzz_odds(4) ? fuzz_below(&fuzz_in, 256) % (sizes[0] + 1) : sizes[0];
    cl_int err = 1, status = 1;
    cl_device_id device = fuzz_pick(DEVICE);
    cl_program copy = clCreateProgramWithBinary(fuzz_pick(CONTEXT), fuzz_odds(16) ? 0 : 1, &device, fuzz_odds(16) ? NULL : &length,
                                                (const unsigned char **)binaries, fuzz_odds(2) ? &status : NULL, &err);
    fuzz_keep(PROGRAM, copy, err);
    for (cl_uint i = 0; i < count; i++)
        free(binaries[i]);
}

void fuzz_call_program_misc(void)
{
    cl_program program = fuzz_pick(PROGRAM);
    cl_kernel kernels[3] = {0};
    cl_uint count = 0;
    cl_int err = 1;
    switch (fuzz_below(&fuzz_in, 5)) {
    case 0:
        clSetProgramSpecializationConstant(program,
                                           fuzz_odds(2)   ? SPIRV_NUMBER_ID
                                           : fuzz_odds(2) ? SPIRV_FLAG_ID
                                                          : fuzz_byte(&fuzz_in),
                                           fuzz_odds(2) ? 4 : fuzz_any_size() & 15, fuzz_odds(16) ? NULL : fuzz_pattern);
        break;
    case 1:
        clUnloadPlatformCompiler(fuzz_odds(4) ? fuzz_pick(DEVICE) : fuzz_platform);
        break;
    case 2:
        err = clCreateKernelsInProgram(program, fuzz_below(&fuzz_in, 4), fuzz_odds(4) ? NULL : kernels, &count);
        for (unsigned i = 0; i < 3 && kernels[i]; i++)
            fuzz_keep(KERNEL, kernels[i], err);
        break;
    case 3:
        fuzz_keep(KERNEL, clCloneKernel(fuzz_pick(KERNEL), &err), err);
        break;
    default:
        clGetExtensionFunctionAddressForPlatform(fuzz_odds(2) ? fuzz_platform : fuzz_pick(DEVICE),
                                                 kernel_names[fuzz_below(&fuzz_in, TSR_ARRAY_LEN(kernel_names))]);
        break;
    }
}

void fuzz_call_kernel(void)
{
    cl_int err = 1;
    cl_kernel kernel =
        clCreateKernel(fuzz_pick(PROGRAM), fuzz_odds(32) ? NULL : kernel_names[fuzz_below(&fuzz_in, TSR_ARRAY_LEN(kernel_names))], &err);
    fuzz_keep(KERNEL, kernel, err);
}

void fuzz_call_arg(void)
{
    static const size_t sizes[] = {8, 8, 8, 4, 16, 1, 0, 3};
    size_t size = fuzz_odds(8) ? fuzz_any_size() : sizes[fuzz_below(&fuzz_in, 8)];
    union {
        void *handle; /* what is read as a handle is one, or memory */
        unsigned char bytes[256];
    } value = {.handle = fuzz_odds(8) ? fuzz_pick(SAMPLER) : fuzz_pick(MEM)};
    cl_kernel kernel = fuzz_pick(KERNEL);
    cl_uint index = fuzz_below(&fuzz_in, 6);
    void *pointer = fuzz_svm[fuzz_below(&fuzz_in, TSR_ARRAY_LEN(fuzz_svm))];
    static const cl_kernel_exec_info infos[] = {
        CL_KERNEL_EXEC_INFO_SVM_PTRS,       CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM,      CL_KERNEL_EXEC_INFO_SVM_PTRS + 2,
        CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL, CL_KERNEL_EXEC_INFO_INDIRECT_HOST_ACCESS_INTEL, CL_KERNEL_EXEC_INFO_DEVICE_PTRS_EXT,
    };
    switch (fuzz_below(&fuzz_in, 8)) {
    case 0:
        clSetKernelArgSVMPointer(kernel, index, pointer);
        break;
    case 2:
        clSetKernelArgMemPointerINTEL(kernel, index, pointer);
        break;
    case 3:
        clSetKernelArgDevicePointerEXT(kernel, index, (uintptr_t)pointer);
        break;
    case 1: {
        size_t count = fuzz_below(&fuzz_in, 3);
        clSetKernelExecInfo(kernel, infos[fuzz_below(&fuzz_in, TSR_ARRAY_LEN(infos))], fuzz_odds(4) ? fuzz_any_size() & 31 : 8 * count,
                            fuzz_odds(8) ? NULL : fuzz_svm);
        break;
    }
    default:
        clSetKernelArg(kernel, index, size, fuzz_odds(3) ? NULL : &value);
        break;
    }
}

void fuzz_call_launch(void)
{
    cl_command_queue queue = fuzz_pick(QUEUE);
    cl_kernel kernel = fuzz_pick(KERNEL);
    cl_uint dimensions = fuzz_odds(16) ? fuzz_byte(&fuzz_in) : 1 + fuzz_below(&fuzz_in, 3);
    size_t offset[3], global[3], local[3];
    for (int i = 0; i < 3; i++) {
        offset[i] = fuzz_any_size();
        global[i] = fuzz_odds(16) ? 0 : 1 + fuzz_below(&fuzz_in, 24);
        local[i] = fuzz_odds(16) ? fuzz_any_size() : 1 + fuzz_below(&fuzz_in, 8);
    }
    struct fuzz_wait w;
    fuzz_make_wait(&w);
    cl_int err;
    if (fuzz_odds(8)) {
        size_t suggested[3];
        err = clGetKernelSuggestedLocalWorkSizeKHR(queue, kernel, dimensions, offset, global, suggested);
    } else if (fuzz_odds(8)) {
        err = clEnqueueTask(queue, kernel, w.count, w.list, w.event);
    } else {
        err = clEnqueueNDRangeKernel(queue, kernel, dimensions, fuzz_odds(4) ? offset : NULL, fuzz_odds(32) ? NULL : global,
                                     fuzz_odds(2) ? NULL : local, w.count, w.list, w.event);
    }
    fuzz_keep_event(w.out, err);
}

const char *fuzz_source(unsigned index)
{
    return sources[index];
}
