/* SPDX-License-Identifier: Apache-2.0
 * Programs in the tensor language through the API: the example of the language's manual with its group of matrices, what the queries tell
 * of kernels, build logs, and values of functions that random programs leave out. Runs in the engine that TESSERA_ENGINE names. */
#include "expect.h"

#include "../host/host.h"

#include <math.h>
#include <stdbool.h>

static cl_context context;
static cl_command_queue queue;
static cl_device_id device;

static cl_program build_text(const char *text, const char *options, cl_int *error, char *log, size_t size)
{
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, NULL);
    *error = clBuildProgram(program, 1, &device, options, NULL, NULL);
    clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, size, log, NULL);
    return program;
}

static cl_program build_good(const char *text)
{
    char log[4096] = "";
    cl_int error;
    cl_program program = build_text(text, "", &error, log, sizeof log);
    if (error)
        fprintf(stderr, "%s\n", log);
    EXPECT(!error);
    return program;
}

static const char fused[] = "func @fused_kernel(%alpha: f32,\n"
                            "                   %A: group<memref<f32x16x8>x?, offset: ?>,\n"
                            "                   %B: memref<f32x8x8>,\n"
                            "                   %C: memref<f32x8x16>,\n"
                            "                   %D: memref<f32x16x16x?>) {\n"
                            "  %0 = group_id : index\n"
                            "  %1 = load %A[%0]        : memref<f32x16x8>\n"
                            "  %2 = subview %D[:,:,%0] : memref<f32x16x16>\n"
                            "  %tmp0 = alloca : memref<f32x16x8>\n"
                            "  %zero = constant 0.0 : f32\n"
                            "  %one = constant 1.0 : f32\n"
                            "  gemm.n.t %one, %1, %B, %zero, %tmp0\n"
                            "  gemm.n.n %alpha, %tmp0, %C, %one, %2\n"
                            "}\n";

enum { GROUPS = 3, A_SIZE = 16 * 8, B_SIZE = 8 * 8, C_SIZE = 8 * 16, D_SIZE = 16 * 16, OFFSET = 5 };

static float *filled(size_t count, int from)
{
    float *memory = clSVMAlloc(context, CL_MEM_READ_WRITE, count * sizeof *memory, 0);
    clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_WRITE, memory, count * sizeof *memory, 0, NULL, NULL);
    for (size_t i = 0; i < count; i++)
        memory[i] = (float)((int)(i * 7 + (size_t)from) % 9 - 4);
    clEnqueueSVMUnmap(queue, memory, 0, NULL, NULL);
    clFinish(queue);
    return memory;
}

/* D + 2 A B^T C for one element, of matrices by columns. */
static float expected(const float *a, const float *b, const float *c, const float *d, int i, int j)
{
    float sum = 0;
    for (int k = 0; k < 8; k++) {
        float inner = 0;
        for (int l = 0; l < 8; l++)
            inner += a[i + 16 * l] * b[k + 8 * l];
        sum += inner * c[k + 8 * j];
    }
    return d[i + 16 * j] + 2 * sum;
}

static void the_sample_of_the_manual(void)
{
    cl_program program = build_good(fused);
    cl_int error;
    cl_kernel kernel = clCreateKernel(program, "fused_kernel", &error);
    float *a[GROUPS], *b = filled(B_SIZE, 1), *c = filled(C_SIZE, 2), *d = filled(D_SIZE * GROUPS, 3),
                      *before = malloc(D_SIZE * GROUPS * 4);
    float **pointers = clSVMAlloc(context, CL_MEM_READ_WRITE, sizeof a, 0), alpha = 2;
    cl_long count = GROUPS, offset = OFFSET;
    memcpy(before, d, D_SIZE * GROUPS * sizeof *before);
    for (int g = 0; g < GROUPS; g++)
        pointers[g] = a[g] = filled(A_SIZE + OFFSET, 10 * g);
    const void *indirect[] = {a[0], a[1], a[2]};
    error |= clSetKernelArg(kernel, 0, sizeof alpha, &alpha);
    error |= clSetKernelArgSVMPointer(kernel, 1, pointers);
    error |= clSetKernelArg(kernel, 2, sizeof count, &count);
    error |= clSetKernelArg(kernel, 3, sizeof offset, &offset);
    error |= clSetKernelArgSVMPointer(kernel, 4, b);
    error |= clSetKernelArgSVMPointer(kernel, 5, c);
    error |= clSetKernelArgSVMPointer(kernel, 6, d);
    error |= clSetKernelArg(kernel, 7, sizeof count, &count);
    error |= clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof indirect, indirect);
    size_t global[] = {16, 1, GROUPS};
    error |= clEnqueueNDRangeKernel(queue, kernel, 3, NULL, global, NULL, 0, NULL, NULL);
    error |= clFinish(queue);
    EXPECT(!error);
    int wrong = 0;
    for (int g = 0; g < GROUPS; g++)
        for (int j = 0; j < 16; j++)
            for (int i = 0; i < 16; i++)
                wrong += d[g * D_SIZE + i + 16 * j] != expected(a[g] + OFFSET, b, c, before + g * D_SIZE, i, j);
    EXPECT(!wrong);
    for (int g = 0; g < GROUPS; g++)
        clSVMFree(context, a[g]);
    clSVMFree(context, pointers);
    clSVMFree(context, b);
    clSVMFree(context, c);
    clSVMFree(context, d);
    free(before);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
}

static void queries_tell_the_arguments(void)
{
    static const char *const types[] = {"float", "ulong*", "long", "long", "float*", "float*", "float*", "long"};
    static const char *const names[] = {"alpha", "A", "A.size", "A.offset", "B", "C", "D", "D.shape2"};
    cl_program program = build_good(fused);
    cl_kernel kernel = clCreateKernel(program, "fused_kernel", NULL);
    cl_uint count = 0;
    size_t size[3] = {0};
    char text[64] = "";
    clGetKernelInfo(kernel, CL_KERNEL_NUM_ARGS, sizeof count, &count, NULL);
    EXPECT(count == 8);
    for (cl_uint i = 0; i < count && i < 8; i++) {
        EXPECT(!clGetKernelArgInfo(kernel, i, CL_KERNEL_ARG_TYPE_NAME, sizeof text, text, NULL) && !strcmp(text, types[i]));
        EXPECT(!clGetKernelArgInfo(kernel, i, CL_KERNEL_ARG_NAME, sizeof text, text, NULL) && !strcmp(text, names[i]));
    }
    clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof size, size, NULL);
    EXPECT(size[0] == 16 && size[1] == 1 && size[2] == 1);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
}

static void logs_have_lines_and_notes(void)
{
    static const char *const texts[][2] = {
        {"func @f(%a: f32) {\n  %0 = arith.neg %a : f64\n}\n", "input.tensor:2.8-25: error: Type of operand must match return type"},
        {"func @f(%a: f32) {\n  %0 = arith.neg %a : f64\n}\n", "input.tensor:1.9-15: note: value defined here"},
        {"func @f() {\n  parallel { %a = constant 1.0 : coopmatrix<f32x512x1024,matrix_acc>\n %m = constant 1.0 : "
         "coopmatrix<f32x512x512,matrix_a>\n"
         " %n = constant 1.0 : coopmatrix<f32x512x1024,matrix_b>\n %r = cooperative_matrix_mul_add %m, %n, %a : "
         "coopmatrix<f32x512x1024,matrix_acc> }\n}\n",
         "too large"},
        {"func @f() {\n  parallel { %a = constant 1.0 : coopmatrix<f32x512x512,matrix_acc>\n %m = constant 1.0 : "
         "coopmatrix<f16x512x512,matrix_a>\n"
         " %n = constant 1.0 : coopmatrix<f16x512x512,matrix_b>\n %r = cooperative_matrix_mul_add %m, %n, %a : "
         "coopmatrix<f32x512x512,matrix_acc> }\n}\n",
         "too large"},
        {"func @f() attributes{subgroup_size=64} {}", "Unsupported subgroup size"},
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char log[4096] = "";
        cl_int error;
        cl_program program = build_text(texts[i][0], "", &error, log, sizeof log);
        EXPECT(error == CL_BUILD_PROGRAM_FAILURE);
        EXPECT(strstr(log, texts[i][1]));
        if (!strstr(log, texts[i][1]))
            fprintf(stderr, "%s\n", log);
        clReleaseProgram(program);
    }
}

struct memory {
    void *at;
    size_t bytes;
};

/* Builds the program and runs @f by one sub-group, on copies of this memory, which then gets what is there. */
static void run_f(const char *text, const struct memory *memory, cl_uint count)
{
    enum { MOST = 4 };
    cl_program program = build_good(text);
    cl_kernel kernel = clCreateKernel(program, "f", NULL);
    cl_mem copies[MOST];
    const size_t items[] = {16, 1, 1};
    for (cl_uint i = 0; i < count && i < MOST; i++) {
        copies[i] = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, memory[i].bytes, memory[i].at, NULL);
        EXPECT(!clSetKernelArg(kernel, i, sizeof copies[i], &copies[i]));
    }
    EXPECT(!clEnqueueNDRangeKernel(queue, kernel, 3, NULL, items, items, 0, NULL, NULL));
    for (cl_uint i = 0; i < count && i < MOST; i++) {
        EXPECT(!clEnqueueReadBuffer(queue, copies[i], CL_TRUE, 0, memory[i].bytes, memory[i].at, 0, NULL, NULL));
        clReleaseMemObject(copies[i]);
    }
    clReleaseKernel(kernel);
    clReleaseProgram(program);
}

/* Each variable of a loop has the type of its own bounds. */
static void bounds_may_be_of_several_types(void)
{
    enum { ROWS = 20, COLS = 7 };
    static const char text[] =
        "func @f(%A: memref<i32x20x7>) {\n"
        "  %a = constant 0 : i8 %b = constant 20 : i8 %c = constant 0 : index %d = constant 7 : index %h = constant 100 : i32\n"
        "  foreach (%i,%j)=(%a,%c),(%b,%d) {\n"
        "    %x = cast %i : index %y = cast %i : i32 %z = cast %j : i32\n"
        "    %u = mul %z, %h : i32 %w = add %y, %u : i32 store %w, %A[%x,%j]\n"
        "  }\n}\n";
    cl_int a[ROWS * COLS] = {0};
    int wrong = 0;
    run_f(text, &(const struct memory){a, sizeof a}, 1);
    for (int i = 0; i < ROWS * COLS; i++)
        wrong += a[i] != i % ROWS + 100 * (i / ROWS);
    EXPECT(!wrong);
}

/* The step of a round, which is the number of work-items, is more than the type of the variable has. */
static void small_variables_count_to_their_end(void)
{
    enum { N = 120, RUNS = 3 };
    static const char form[] = "func @f(%%x: memref<i32x120>) attributes{work_group_size=[%d,%d]} {\n"
                               "  %%from = constant -60 : i8 %%to = constant 60 : i8 %%c60 = constant 60 : i8 %%one = constant 1 : i32\n"
                               "  foreach (%%i):i8 = (%%from),(%%to) {\n"
                               "    %%k = cast %%i : index %%w = cast %%c60 : index %%j = arith.add %%k, %%w : index\n"
                               "    store.atomic_add %%one, %%x[%%j]\n"
                               "  }\n}\n";
    static const size_t sizes[RUNS][3] = {{16, 1, 1}, {128, 1, 1}, {128, 2, 1}};
    for (int r = 0; r < RUNS; r++) {
        char text[1024];
        cl_int x[N] = {0};
        snprintf(text, sizeof text, form, (int)sizes[r][0], (int)sizes[r][1]);
        cl_program program = build_good(text);
        cl_kernel kernel = clCreateKernel(program, "f", NULL);
        cl_mem memory = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof x, x, NULL);
        clSetKernelArg(kernel, 0, sizeof memory, &memory);
        EXPECT(!clEnqueueNDRangeKernel(queue, kernel, 3, NULL, sizes[r], sizes[r], 0, NULL, NULL));
        clEnqueueReadBuffer(queue, memory, CL_TRUE, 0, sizeof x, x, 0, NULL, NULL);
        int wrong = 0;
        for (int i = 0; i < N; i++)
            wrong += x[i] != 1;
        EXPECT(!wrong);
        clReleaseMemObject(memory);
        clReleaseKernel(kernel);
        clReleaseProgram(program);
    }
}

/* Rounds of loops whose last number and step add up to more than the type has: bounds that are known, arguments, and different in each
 * lane. */
static void loops_end_at_their_bound(void)
{
    enum { RUNS = 3, LANES = 16, STEP = 50 };
    static const struct {
        const char *type;
        long long to;
    } runs[RUNS] = {{"i8", INT8_MAX}, {"i16", INT16_MAX}, {"i32", INT32_MAX}};
    static const char form[] =
        "func @f(%%y: memref<i32x16x3>, %%b: memref<%1$s>) attributes{subgroup_size=16} {\n"
        "  %%a = constant %2$lld : %1$s %%k = constant %3$lld : %1$s %%s = constant 50 : %1$s %%t = load %%b[] : %1$s\n"
        "  %%0 = constant 0 : i32 %%1 = constant 1 : i32 %%p = constant 9223372036854775800 : index %%q = constant 9223372036854775807 : "
        "index\n"
        "  %%w = constant 5 : index\n"
        "  %%m = for %%i=%%p,%%q,%%w init(%%c=%%0) -> (i32) { %%d = arith.add %%c, %%1 : i32 yield (%%d) }\n"
        "  %%n = for %%i:%1$s=%%a,%%k,%%s init(%%c=%%m) -> (i32) { %%d = arith.add %%c, %%1 : i32 yield (%%d) }\n"
        "  parallel {\n    %%l = builtin.subgroup_local_id : i32 %%li = cast %%l : index %%lt = cast %%l : %1$s\n"
        "    %%v = constant %4$lld : %1$s %%lv = arith.mul %%lt, %%v : %1$s %%f = arith.sub %%a, %%lv : %1$s\n"
        "    %%u = for %%i:%1$s=%%f,%%t,%%s init(%%c=%%0) -> (i32) { %%d = arith.add %%c, %%1 : i32 yield (%%d) }\n"
        "    store %%n, %%y[%%li,0] store %%u, %%y[%%li,1]\n  }\n}\n";
    for (int r = 0; r < RUNS; r++) {
        enum { FROM = 7 /* below the bound */, MOVE = 11 };
        char text[2048], bound[4];
        cl_int y[3 * LANES] = {0}, to = (cl_int)runs[r].to;
        memcpy(bound, &to, sizeof bound);
        snprintf(text, sizeof text, form, runs[r].type, runs[r].to - FROM, runs[r].to, (long long)MOVE);
        run_f(text, (const struct memory[]){{y, sizeof y}, {bound, sizeof bound}}, 2);
        for (int lane = 0; lane < LANES; lane++) {
            EXPECT(y[lane] == 2 + 1);
            EXPECT(y[LANES + lane] == (FROM + MOVE * lane + STEP - 1) / STEP);
        }
    }
}

/* Two sub-groups whose matrices of several sizes go by way of local memory: neither writes where the other one has yet to read. */
static void sub_groups_have_rooms(void)
{
    enum { SIDE = 32, ROWS = 4, COLS = 16, DEEP = 16, SUB_GROUPS = 2, BEGIN = 3 };
    static const char text[] =
        "func @f(%x: memref<f32x32x32>, %y: memref<f32x4x16x2>) attributes{subgroup_size=16,work_group_size=[32,1]} {\n"
        "  parallel {\n"
        "    %0 = constant 0 : index %three = constant 3.0 : f32\n"
        "    %s = builtin.subgroup_id : i32 %t = cast %s : index\n"
        "    %a = cooperative_matrix_load.t %x[%0,%0] : coopmatrix<f32x4x16,matrix_a>\n"
        "    %b = cooperative_matrix_load.t %x[%0,%0] : coopmatrix<f32x16x16,matrix_b>\n"
        "    %c = cooperative_matrix_construct %three : coopmatrix<f32x4x16,matrix_acc>\n"
        "    %d = cooperative_matrix_mul_add %a, %b, %c : coopmatrix<f32x4x16,matrix_acc>\n"
        "    %own = subview %y[:,:,%t] : memref<f32x4x16>\n"
        "    cooperative_matrix_store %d, %own[%0,%0]\n  }\n}\n";
    static const char *const options[] = {"", "-cl-opt-disable"};
    const size_t items[] = {SUB_GROUPS * 16, 1, 1};
    float x[SIDE * SIDE], y[ROWS * COLS * SUB_GROUPS];
    for (int i = 0; i < SIDE * SIDE; i++)
        x[i] = (float)(i * 7 % 9 - 4);
    for (size_t o = 0; o < sizeof options / sizeof *options; o++) {
        char log[4096] = "";
        cl_int error, wrong = 0;
        cl_program program = build_text(text, options[o], &error, log, sizeof log);
        cl_kernel kernel = clCreateKernel(program, "f", NULL);
        cl_mem of_x = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof x, x, NULL),
               of_y = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof y, NULL, NULL);
        EXPECT(!error && !clSetKernelArg(kernel, 0, sizeof of_x, &of_x) && !clSetKernelArg(kernel, 1, sizeof of_y, &of_y));
        EXPECT(!clEnqueueNDRangeKernel(queue, kernel, 3, NULL, items, items, 0, NULL, NULL));
        EXPECT(!clEnqueueReadBuffer(queue, of_y, CL_TRUE, 0, sizeof y, y, 0, NULL, NULL));
        for (int i = 0; i < ROWS * COLS * SUB_GROUPS; i++) {
            const int row = i % ROWS, col = i / ROWS % COLS;
            float sum = BEGIN;
            for (int k = 0; k < DEEP; k++)
                sum += x[k + SIDE * row] * x[col + SIDE * k];
            wrong += y[i] != sum;
        }
        EXPECT(!wrong);
        clReleaseMemObject(of_x);
        clReleaseMemObject(of_y);
        clReleaseKernel(kernel);
        clReleaseProgram(program);
    }
}

/* Functions whose results need not be the nearest number. */
static void functions(void)
{
    static const char text[] =
        "func @f(%x: memref<f32x64>, %y: memref<f32x8x64>, %d: memref<f64x2x64>) {\n"
        "  %0 = constant 0 : index %n = constant 64 : index\n"
        "  foreach (%i) = (%0), (%n) {\n"
        "    %a = load %x[%i] : f32  %w = cast %a : f64  %z = cast %a : c32\n"
        "    %r0 = math.exp %a : f32         store %r0, %y[0,%i]\n"
        "    %r1 = math.native_exp %a : f32  store %r1, %y[1,%i]\n"
        "    %r2 = exp2 %a : f32             store %r2, %y[2,%i]\n"
        "    %r3 = sin %a : f32              store %r3, %y[3,%i]\n"
        "    %r4 = native_cos %a : f32       store %r4, %y[4,%i]\n"
        "    %e = arith.abs %a : f32 %l = log2 %e : f32  store %l, %y[5,%i]\n"
        "    %i1 = constant [0.0, 1.0] : c32 %p = arith.mul %z, %i1 : c32 %q = math.exp %p : c32\n"
        "    %r6 = arith.re %q : f32 store %r6, %y[6,%i] %r7 = arith.im %q : f32 store %r7, %y[7,%i]\n"
        "    %d0 = math.exp %w : f64 store %d0, %d[0,%i]\n"
        "    %zd = cast %w : c64 %h = constant [3.0,-4.0] : c64 %s = arith.div %zd, %h : c64 %m = arith.abs %s : f64\n"
        "    store %m, %d[1,%i]\n"
        "  }\n}\n";
    enum { N = 64 };
    float x[N], y[8 * N] = {0};
    double d[2 * N] = {0};
    for (int i = 0; i < N; i++)
        x[i] = (float)(i - 31.5) / 8;
    run_f(text, (const struct memory[]){{x, sizeof x}, {y, sizeof y}, {d, sizeof d}}, 3);
    for (int i = 0; i < N; i++) {
        double v = x[i], exact[] = {exp(v), exp(v), exp2(v), sin(v), cos(v), log2(fabs(v)), cos(v), sin(v)};
        for (int k = 0; k < 8; k++) {
            bool near = fabs(y[8 * i + k] - exact[k]) <= 4e-6 * fabs(exact[k]) + 2e-7; /* native functions are the least exact */
            EXPECT(near);
            if (!near)
                fprintf(stderr, "function %d of %g: %g, not %g\n", k, v, (double)y[8 * i + k], exact[k]);
        }
        EXPECT(fabs(d[2 * i] - exp(v)) <= 1e-15 * exp(v));
        EXPECT(fabs(d[2 * i + 1] - fabs(v) / 5) <= 1e-15);
    }
}

static void infinities(void)
{
    static const char text[] =
        "func @f(%x: memref<f32x4>, %h: memref<bf16x2>) {\n"
        "  %0 = constant inf : f32  %1 = constant -inf : f32  %2 = constant nan : f32\n"
        "  %3 = arith.sub %0, %0 : f32  %b = constant -inf : bf16  %c = constant nan : bf16\n"
        "  store %0, %x[0]  store %1, %x[1]  store %2, %x[2]  store %3, %x[3]  store %b, %h[0]  store %c, %h[1]\n}\n";
    float x[4] = {0};
    cl_ushort h[2] = {0};
    run_f(text, (const struct memory[]){{x, sizeof x}, {h, sizeof h}}, 2);
    EXPECT(isinf(x[0]) && x[0] > 0 && isinf(x[1]) && x[1] < 0 && isnan(x[2]) && isnan(x[3]));
    EXPECT(h[0] == 0xff80 && (h[1] & 0x7fff) > 0x7f80);
}

/* Loops around each element, whose bounds differ by known numbers: some rounds, every second one, none. */
static void windows(void)
{
    enum { COUNT = 40 };
    static const char text[] =
        "func @f(%y: memref<i64x40>) {\n"
        "  %c0 = constant 0 : index  %c1 = constant 1 : index  %c2 = constant 2 : index  %c4 = constant 4 : index\n"
        "  %n = constant 40 : index  %zero = constant 0 : i64  %ten = constant 10 : i64\n"
        "  foreach (%i)=(%c0),(%n) {\n"
        "    %from = arith.sub %i, %c1 : index  %to = arith.add %i, %c2 : index  %far = arith.add %from, %c4 : index\n"
        "    %a = for %k=%from,%to init(%s=%zero) -> (i64) {\n"
        "      %v = cast %k : i64  %t = arith.add %s, %v : i64  yield (%t)\n    }\n"
        "    %b = for %k=%from,%far,%c2 init(%s=%a) -> (i64) {\n"
        "      %v = cast %k : i64  %w = arith.mul %v, %ten : i64  %t = arith.add %s, %w : i64  yield (%t)\n    }\n"
        "    %c = for %k=%to,%from init(%s=%b) -> (i64) { yield (%zero) }\n"
        "    store %c, %y[%i]\n  }\n}\n";
    cl_long y[COUNT] = {0};
    run_f(text, (const struct memory[]){{y, sizeof y}}, 1);
    for (int i = 0; i < COUNT; i++)
        EXPECT(y[i] == 3 * i + 10 * (2 * i));
}

/* A buffer may be left out. */
static void absent_memory(void)
{
    static const char text[] = "func @f(%a: memref<f32x4>, %g: group<memref<f32x4>x2>, %y: memref<i32x3>) {\n"
                               "  %l = alloca : memref<f32x4,local>  %0 = constant 1 : i32\n"
                               "  %p = associated %a : bool  %q = associated %g : bool  %r = associated %l : bool\n"
                               "  if %p { store %0, %y[0] }  if %q { store %0, %y[1] }  if %r { store %0, %y[2] }\n}\n";
    cl_program program = build_good(text);
    cl_kernel kernel = clCreateKernel(program, "f", NULL);
    cl_mem some = clCreateBuffer(context, 0, 64, NULL, NULL);
    size_t one[] = {16, 1, 1};
    for (int there = 0; there < 2; there++) {
        cl_int y[3] = {0};
        cl_mem result = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof y, y, NULL);
        for (cl_uint i = 0; i < 2; i++)
            EXPECT(!clSetKernelArg(kernel, i, sizeof(cl_mem), there ? &some : NULL));
        EXPECT(!clSetKernelArg(kernel, 2, sizeof result, &result));
        EXPECT(!clEnqueueNDRangeKernel(queue, kernel, 3, NULL, one, one, 0, NULL, NULL));
        clEnqueueReadBuffer(queue, result, CL_TRUE, 0, sizeof y, y, 0, NULL, NULL);
        EXPECT(y[0] == there && y[1] == there && y[2] == 1);
        clReleaseMemObject(result);
    }
    clReleaseMemObject(some);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
}

/* A parameter in local memory is an argument of that kind: each work-group has its own. */
static void local_parameters(void)
{
    static const char text[] = "func @f(%L: memref<f32x?,local>, %Y: memref<f32x8x4>) attributes {work_group_size=[32,2]} {\n"
                               "  %g = builtin.group_id : index  %y = subview %Y[:,%g] : memref<f32x8>\n"
                               "  %l = subview %L[1:8] : memref<f32x8,local>\n"
                               "  %one = constant 1.0 : f32  %zero = constant 0.0 : f32\n"
                               "  axpby.n %one, %y, %zero, %l  cumsum %one, %l, 0, %zero, %y\n}\n";
    cl_program program = build_good(text);
    cl_kernel kernel = clCreateKernel(program, "f", NULL);
    cl_kernel_arg_address_qualifier space = 0;
    EXPECT(!clGetKernelArgInfo(kernel, 0, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof space, &space, NULL) &&
           space == CL_KERNEL_ARG_ADDRESS_LOCAL);
    float y[32];
    for (int i = 0; i < 32; i++)
        y[i] = (float)(i / 8 + 1);
    cl_mem memory = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof y, y, NULL);
    cl_long size = 9;
    size_t global[] = {32, 2, 4};
    cl_int error = clSetKernelArg(kernel, 0, 9 * sizeof(float), NULL) | clSetKernelArg(kernel, 1, sizeof size, &size) |
                   clSetKernelArg(kernel, 2, sizeof memory, &memory);
    error |= clEnqueueNDRangeKernel(queue, kernel, 3, NULL, global, NULL, 0, NULL, NULL);
    error |= clEnqueueReadBuffer(queue, memory, CL_TRUE, 0, sizeof y, y, 0, NULL, NULL);
    EXPECT(!error);
    for (int i = 0; i < 32; i++)
        EXPECT(y[i] == (float)((i / 8 + 1) * (i % 8 + 1)));
    clReleaseMemObject(memory);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
}

/* Groups are uniform, and a range may begin anywhere. */
static void ranges(void)
{
    static const char text[] =
        "func @ids(%C: memref<i64x?>) {\n  %g = builtin.group_id : index\n  %v = cast %g : i64\n  store %v, %C[%g]\n}\n"
        "func @two(%C: memref<i64x?>) attributes {work_group_size=[32,2]} {\n  %g = builtin.group_id : index\n"
        "  %v = cast %g : i64\n  store %v, %C[%g]\n}\n";
    static const char *const names[] = {"ids", "two"};
    cl_program program = build_good(text);
    for (int i = 0; i < 2; i++) {
        cl_int error;
        cl_kernel kernel = clCreateKernel(program, names[i], &error);
        size_t offset[] = {3, 1}, global[] = {i ? 96 : 48, i ? 2 : 1}, odd[] = {global[0] - 1, global[1]};
        cl_long count = 3, ids[3] = {-1, -1, -1};
        cl_mem memory = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof ids, ids, NULL);
        error |= clSetKernelArg(kernel, 0, sizeof memory, &memory);
        error |= clSetKernelArg(kernel, 1, sizeof count, &count);
        error |= clEnqueueNDRangeKernel(queue, kernel, 2, offset, global, NULL, 0, NULL, NULL);
        error |= clEnqueueReadBuffer(queue, memory, CL_TRUE, 0, sizeof ids, ids, 0, NULL, NULL);
        EXPECT(!error && ids[0] == 0 && ids[1] == 1 && ids[2] == 2);
        EXPECT(clEnqueueNDRangeKernel(queue, kernel, 2, NULL, odd, NULL, 0, NULL, NULL) == CL_INVALID_WORK_GROUP_SIZE);
        clReleaseMemObject(memory);
        clReleaseKernel(kernel);
    }
    clReleaseProgram(program);
}

/* Products that follow each other have one code; each sees what the one before has made. A moves rows down by one, columns to the left, and
 * doubles them. */
static void products_in_a_row(void)
{
    enum { SIZE = 20, NAMES = 2 };
    static const char text[] =
#define PRODUCTS                                                                                                                           \
    "{\n  %one = constant 1.0 : f32\n  %zero = constant 0.0 : f32\n  gemm.n.n %one, %A, %X, %zero, %Y\n"                                   \
    "  gemm.n.n %one, %A, %Y, %zero, %Z\n  %a = subview %A[:, :] : memref<f32x?x?>\n  gemm.n.n %one, %Z, %a, %zero, %X\n}\n"
#define MATRICES "(%A: memref<f32x?x?>, %X: memref<f32x?x?>, %Y: memref<f32x?x?>, %Z: memref<f32x?x?>) "
        "func @one" MATRICES PRODUCTS "func @two" MATRICES "attributes {work_group_size=[32,1]} " PRODUCTS;
#undef PRODUCTS
#undef MATRICES
    static const char *const names[NAMES] = {"one", "two"};
    cl_program program = build_good(text);
    for (int which = 0; which < NAMES; which++) {
        static float x[SIZE * SIZE], a[SIZE * SIZE], made[SIZE * SIZE];
        cl_int error;
        cl_kernel kernel = clCreateKernel(program, names[which], &error);
        cl_mem memory[4];
        cl_uint next = 0;
        const cl_long size = SIZE;
        size_t local[3];
        for (int i = 0; i < SIZE * SIZE; i++) {
            x[i] = (float)(i % 97);
            a[i] = i % SIZE == (i / SIZE + 1) % SIZE ? 2 : 0;
        }
        for (int m = 0; m < 4; m++) {
            memory[m] = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof x, m == 0 ? a : x, NULL);
            error |= clSetKernelArg(kernel, next++, sizeof memory[m], &memory[m]);
            for (int i = 0; i < 3; i++)
                error |= clSetKernelArg(kernel, next++, sizeof size, &size);
        }
        error |= clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof local, local, NULL);
        error |= clEnqueueNDRangeKernel(queue, kernel, 3, NULL, local, local, 0, NULL, NULL);
        error |= clEnqueueReadBuffer(queue, memory[1], CL_TRUE, 0, sizeof made, made, 0, NULL, NULL);
        EXPECT(!error);
        for (int i = 0; i < SIZE * SIZE; i++)
            EXPECT(made[i] == 8 * x[(i % SIZE + SIZE - 2) % SIZE + (i / SIZE + 1) % SIZE * SIZE]);
        for (int m = 0; m < 4; m++)
            clReleaseMemObject(memory[m]);
        clReleaseKernel(kernel);
    }
    clReleaseProgram(program);
}

/* Sums of rows in blocks and of those that are left over, of f16 in f32, rounded once. */
static void sums_of_rows(void)
{
    enum { ROWS = 700, COLS = 5, NAMES = 3 };
    static const char text[] = "func @product(%A: memref<f16x700x5>, %x: memref<f16x5>, %y: memref<f16x700>) {\n"
                               "  %one = constant 1.0 : f16\n  gemv.n %one, %A, %x, %one, %y\n}\n"
                               "func @open(%A: memref<f16x?x?>, %x: memref<f16x?>, %y: memref<f16x?>) {\n"
                               "  %one = constant 1.0 : f16\n  gemv.n %one, %A, %x, %one, %y\n}\n"
                               "func @sum(%A: memref<f16x?x?>, %x: memref<f16x?>, %y: memref<f16x?>) {\n"
                               "  %one = constant 1.0 : f16\n  sum.n %one, %A, %one, %y\n}\n";
    static const char *const names[NAMES] = {"product", "open", "sum"};
    static _Float16 a[ROWS * COLS], x[COLS], y[ROWS], made[ROWS];
    const cl_long sizes[][4] = {{ROWS, COLS, ROWS, -1}, {COLS, -1}, {ROWS, -1}};
    cl_program program = build_good(text);
    for (int i = 0; i < ROWS * COLS; i++)
        a[i] = (_Float16)((double)(i * 7919 % 2048 - 1024) / (1 << i % 12));
    for (int k = 0; k < COLS; k++)
        x[k] = (_Float16)(1.0 + k / 1024.0);
    for (int i = 0; i < ROWS; i++)
        y[i] = (_Float16)(i % 5 - 2);
    for (int which = 0; which < NAMES; which++) {
        cl_int error;
        cl_kernel kernel = clCreateKernel(program, names[which], &error);
        cl_mem memory[] = {clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof a, a, NULL),
                           clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof x, x, NULL),
                           clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof y, y, NULL)};
        cl_uint next = 0;
        size_t local[3];
        for (int m = 0; m < 3; m++) {
            error |= clSetKernelArg(kernel, next++, sizeof memory[m], &memory[m]);
            for (const cl_long *size = sizes[m]; which && *size >= 0; size++)
                error |= clSetKernelArg(kernel, next++, sizeof *size, size);
        }
        error |= clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof local, local, NULL);
        error |= clEnqueueNDRangeKernel(queue, kernel, 3, NULL, local, local, 0, NULL, NULL);
        error |= clEnqueueReadBuffer(queue, memory[2], CL_TRUE, 0, sizeof made, made, 0, NULL, NULL);
        EXPECT(!error);
        for (int i = 0; i < ROWS; i++) {
            float sum = 0;
            for (int k = 0; k < COLS; k++)
                sum = fmaf((float)a[i + k * ROWS], which < 2 ? (float)x[k] : 1, sum);
            EXPECT(made[i] == (_Float16)(sum + (float)y[i]));
        }
        for (int m = 0; m < 3; m++)
            clReleaseMemObject(memory[m]);
        clReleaseKernel(kernel);
    }
    clReleaseProgram(program);
}

int main(void)
{
    struct session s = open_session();
    device = s.device;
    context = s.context;
    queue = s.queue;
    the_sample_of_the_manual();
    ranges();
    infinities();
    windows();
    absent_memory();
    local_parameters();
    products_in_a_row();
    sums_of_rows();
    queries_tell_the_arguments();
    logs_have_lines_and_notes();
    bounds_may_be_of_several_types();
    small_variables_count_to_their_end();
    loops_end_at_their_bound();
    sub_groups_have_rooms();
    functions();
    close_session(&s);
    return failures != 0;
}
