/* SPDX-License-Identifier: Apache-2.0
 * Pipes: what clCreatePipe refuses, what is told of a pipe, which calls take one, and packets that go from kernel to kernel. */
#include "icd/test/program_fixture.h"

#include "tessera/pipe.h"

static const char source[] =
    "struct packet { int id; short a[4]; };\n"
    "kernel void put(write_only pipe struct packet p, int first, int count, global int *done) {\n"
    "    *done = 0;\n"
    "    for (int i = 0; i < count; i++) { struct packet x = {first + i, {1, 2, 3, 4}}; *done += write_pipe(p, &x) == 0; }\n"
    "}\n"
    "kernel void get(read_only pipe struct packet p, int first, int count, global int *done) {\n"
    "    *done = 0;\n"
    "    for (int i = 0; i < count; i++) {\n"
    "        struct packet x;\n"
    "        *done += read_pipe(p, &x) == 0 && x.id == first + *done && x.a[3] == 4;\n"
    "    }\n"
    "}\n"
    /* Two reservations, of which the second is committed first: its packet has to wait. */
    "kernel void late(write_only pipe int p, read_only pipe int q, global int *out) {\n"
    "    int x = 5, y = 6;\n"
    "    reserve_id_t first = reserve_write_pipe(p, 1), second = reserve_write_pipe(p, 1), third = reserve_write_pipe(p, 3);\n"
    "    out[0] = is_valid_reserve_id(first) && is_valid_reserve_id(second) && !is_valid_reserve_id(third);\n"
    "    out[1] = write_pipe(p, second, 0, &y) | write_pipe(p, first, 0, &x);\n"
    "    commit_write_pipe(p, second);\n"
    "    out[2] = read_pipe(q, &y);\n"
    "    commit_write_pipe(p, first);\n"
    "    out[3] = get_pipe_num_packets(q);\n"
    "    out[4] = read_pipe(q, &x);\n"
    "    out[5] = x;\n"
    "    out[6] = read_pipe(q, &y);\n"
    "    out[7] = y;\n"
    "    out[8] = read_pipe(q, &y);\n"
    "    out[9] = get_pipe_num_packets(p);\n"
    "}\n"
    "kernel void other_size(write_only pipe char p, global int *out) { char c = 0; *out = write_pipe(p, &c); }\n"
    "kernel void buffer(global int *p) {}\n";

static int begin(void **state)
{
    (void)state;
    return begin_with(source, "-cl-std=CL3.0 -cl-kernel-arg-info");
}

static cl_mem new_pipe(cl_uint bytes, cl_uint packets)
{
    cl_mem pipe;
    CHECK_CREATE(pipe, clCreatePipe(w.context, 0, bytes, packets, NULL, &err), CL_SUCCESS);
    return pipe;
}

static void created(void **state)
{
    (void)state;
    static const struct {
        cl_mem_flags flags;
        cl_uint bytes, packets;
        cl_int code;
    } cases[] = {
        {CL_MEM_HOST_NO_ACCESS, 1, 1, CL_SUCCESS},
        {CL_MEM_READ_WRITE | CL_MEM_HOST_NO_ACCESS, TSR_PIPE_PACKET, 3, CL_SUCCESS},
        {0, TSR_PIPE_PACKET + 1, 3, CL_INVALID_PIPE_SIZE},
        {0, 0, 3, CL_INVALID_PIPE_SIZE},
        {0, 4, 0, CL_INVALID_PIPE_SIZE},
        {0, TSR_PIPE_PACKET, ~0u, CL_MEM_OBJECT_ALLOCATION_FAILURE},
        {CL_MEM_READ_ONLY, 4, 4, CL_INVALID_VALUE},
        {CL_MEM_WRITE_ONLY, 4, 4, CL_INVALID_VALUE},
        {CL_MEM_HOST_READ_ONLY, 4, 4, CL_INVALID_VALUE},
        {CL_MEM_COPY_HOST_PTR, 4, 4, CL_INVALID_VALUE},
    };
    cl_mem pipe;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CHECK_CREATE(pipe, clCreatePipe(w.context, cases[i].flags, cases[i].bytes, cases[i].packets, NULL, &err), cases[i].code);
        if (pipe)
            CHECK(clReleaseMemObject(pipe));
    }
    const cl_pipe_properties none[] = {0};
    CHECK_CREATE(pipe, clCreatePipe(NULL, 0, 4, 4, NULL, &err), CL_INVALID_CONTEXT);
    CHECK_CREATE(pipe, clCreatePipe(w.context, 0, 4, 4, none, &err), CL_INVALID_VALUE);
    assert_null(clCreatePipe(w.context, 0, 0, 4, NULL, NULL));
}

static void told(void **state)
{
    (void)state;
    cl_mem pipe = new_pipe(12, 7), buffer = test_buffer(w.context, 0, 64, NULL);
    cl_uint number = 0;
    cl_mem_object_type type = 0;
    cl_mem_flags flags = 0;
    size_t size = 1;
    CHECK(clGetPipeInfo(pipe, CL_PIPE_PACKET_SIZE, sizeof number, &number, &size));
    assert_int_equal(number, 12);
    assert_int_equal(size, sizeof number);
    CHECK(clGetPipeInfo(pipe, CL_PIPE_MAX_PACKETS, sizeof number, &number, NULL));
    assert_int_equal(number, 7);
    CHECK(clGetPipeInfo(pipe, CL_PIPE_PROPERTIES, 0, NULL, &size));
    assert_int_equal(size, 0);
    CHECK_CODE(clGetPipeInfo(pipe, CL_PIPE_MAX_PACKETS, 1, &number, NULL), CL_INVALID_VALUE);
    CHECK_CODE(clGetPipeInfo(pipe, CL_MEM_SIZE, sizeof number, &number, NULL), CL_INVALID_VALUE);
    CHECK_CODE(clGetPipeInfo(buffer, CL_PIPE_MAX_PACKETS, sizeof number, &number, NULL), CL_INVALID_MEM_OBJECT);
    CHECK_CODE(clGetPipeInfo(NULL, CL_PIPE_MAX_PACKETS, sizeof number, &number, NULL), CL_INVALID_MEM_OBJECT);
    CHECK(clGetMemObjectInfo(pipe, CL_MEM_TYPE, sizeof type, &type, NULL));
    assert_int_equal(type, CL_MEM_OBJECT_PIPE);
    CHECK(clGetMemObjectInfo(pipe, CL_MEM_FLAGS, sizeof flags, &flags, NULL));
    assert_int_equal(flags, CL_MEM_READ_WRITE | CL_MEM_HOST_NO_ACCESS);

    /* The host does not reach packets. */
    unsigned char data[64];
    CHECK_CODE(clEnqueueReadBuffer(w.queue, pipe, CL_TRUE, 0, 4, data, 0, NULL, NULL), CL_INVALID_MEM_OBJECT);
    CHECK_CODE(clEnqueueWriteBuffer(w.queue, pipe, CL_TRUE, 0, 4, data, 0, NULL, NULL), CL_INVALID_MEM_OBJECT);
    CHECK_CODE(clEnqueueCopyBuffer(w.queue, buffer, pipe, 0, 0, 4, 0, NULL, NULL), CL_INVALID_MEM_OBJECT);
    CHECK_CODE(clEnqueueFillBuffer(w.queue, pipe, data, 4, 0, 4, 0, NULL, NULL), CL_INVALID_MEM_OBJECT);
    void *mapped;
    CHECK_CREATE(mapped, clEnqueueMapBuffer(w.queue, pipe, CL_TRUE, CL_MAP_READ, 0, 4, 0, NULL, NULL, &err), CL_INVALID_MEM_OBJECT);
    cl_mem part;
    const cl_buffer_region region = {0, 4};
    CHECK_CREATE(part, clCreateSubBuffer(pipe, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &err), CL_INVALID_MEM_OBJECT);
    const cl_image_format format = {CL_R, CL_FLOAT};
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER, .image_width = 4, .mem_object = pipe};
    CHECK_CREATE(part, clCreateImage(w.context, 0, &format, &desc, NULL, &err), CL_INVALID_IMAGE_DESCRIPTOR);
    CHECK(clReleaseMemObject(buffer));
    CHECK(clReleaseMemObject(pipe));
}

static void arguments(void **state)
{
    (void)state;
    cl_kernel put = test_kernel(program, "put"), plain = test_kernel(program, "buffer");
    cl_mem pipe = new_pipe(12, 7), buffer = test_buffer(w.context, 0, 64, NULL);
    struct test_world other = test_begin(0);
    cl_mem foreign;
    CHECK_CREATE(foreign, clCreatePipe(other.context, 0, 4, 4, NULL, &err), CL_SUCCESS);
    cl_mem none = NULL;
    CHECK(clSetKernelArg(put, 0, sizeof pipe, &pipe));
    CHECK_CODE(clSetKernelArg(put, 0, sizeof buffer, &buffer), CL_INVALID_MEM_OBJECT);
    CHECK_CODE(clSetKernelArg(put, 0, sizeof foreign, &foreign), CL_INVALID_MEM_OBJECT);
    CHECK_CODE(clSetKernelArg(put, 0, sizeof none, &none), CL_INVALID_MEM_OBJECT);
    CHECK_CODE(clSetKernelArg(put, 0, sizeof pipe, NULL), CL_INVALID_MEM_OBJECT);
    CHECK_CODE(clSetKernelArg(put, 0, 4, &pipe), CL_INVALID_ARG_SIZE);
    CHECK_CODE(clSetKernelArg(plain, 0, sizeof pipe, &pipe), CL_INVALID_ARG_VALUE);
    CHECK_CODE(clSetKernelArgSVMPointer(put, 0, pipe), CL_INVALID_ARG_VALUE);
    cl_kernel_arg_type_qualifier type = 0;
    cl_kernel_arg_access_qualifier access = 0;
    cl_kernel_arg_address_qualifier address = 0;
    CHECK(clGetKernelArgInfo(put, 0, CL_KERNEL_ARG_TYPE_QUALIFIER, sizeof type, &type, NULL));
    assert_int_equal(type, CL_KERNEL_ARG_TYPE_PIPE);
    CHECK(clGetKernelArgInfo(put, 0, CL_KERNEL_ARG_ACCESS_QUALIFIER, sizeof access, &access, NULL));
    assert_int_equal(access, CL_KERNEL_ARG_ACCESS_WRITE_ONLY);
    CHECK(clGetKernelArgInfo(put, 0, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof address, &address, NULL));
    assert_int_equal(address, CL_KERNEL_ARG_ADDRESS_GLOBAL);
    CHECK(clReleaseKernel(put));
    CHECK(clReleaseKernel(plain));
    CHECK(clReleaseMemObject(foreign));
    CHECK(clReleaseMemObject(buffer));
    CHECK(clReleaseMemObject(pipe));
    test_end(&other);
}

/* One work-item of put or get; answers how many packets have gone through. */
static cl_int move(const char *name, cl_mem pipe, cl_int first, cl_int count)
{
    cl_kernel kernel = test_kernel(program, name);
    cl_mem done = test_buffer(w.context, 0, sizeof(cl_int), NULL);
    const size_t one = 1;
    cl_int moved = -1;
    CHECK(clSetKernelArg(kernel, 0, sizeof pipe, &pipe));
    CHECK(clSetKernelArg(kernel, 1, sizeof first, &first));
    CHECK(clSetKernelArg(kernel, 2, sizeof count, &count));
    CHECK(clSetKernelArg(kernel, 3, sizeof done, &done));
    CHECK(clEnqueueNDRangeKernel(w.queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
    CHECK(clEnqueueReadBuffer(w.queue, done, CL_TRUE, 0, sizeof moved, &moved, 0, NULL, NULL));
    CHECK(clReleaseMemObject(done));
    CHECK(clReleaseKernel(kernel));
    return moved;
}

/* More laps than one, with a start at each slot; a full and an empty pipe. */
static void from_kernel_to_kernel(void **state)
{
    (void)state;
    cl_mem pipe = new_pipe(12, 5);
    cl_int in = 0, out = 0;
    for (int round = 0; round < 4; round++) {
        assert_int_equal(move("put", pipe, in, 4), 4);
        in += 4;
        assert_int_equal(move("put", pipe, in, 3), 1);
        in += 1;
        assert_int_equal(move("put", pipe, in, 1), 0);
        assert_int_equal(move("get", pipe, out, 2), 2);
        out += 2;
        assert_int_equal(move("get", pipe, out, 6), 3);
        out += 3;
        assert_int_equal(move("get", pipe, out, 1), 0);
        assert_int_equal(move("put", pipe, in, 2), 2);
        in += 2;
        assert_int_equal(move("get", pipe, out, 2), 2);
        out += 2;
    }
    CHECK(clReleaseMemObject(pipe));
}

static void order_of_reservations(void **state)
{
    (void)state;
    static const cl_int wanted[10] = {1, 0, -1, 2, 0, 5, 0, 6, -1, 0};
    cl_kernel late = test_kernel(program, "late"), other_size = test_kernel(program, "other_size");
    cl_mem pipe = new_pipe(4, 4), out = test_buffer(w.context, 0, sizeof wanted, NULL);
    const size_t one = 1;
    cl_int got[10] = {0};
    CHECK(clSetKernelArg(late, 0, sizeof pipe, &pipe));
    CHECK(clSetKernelArg(late, 1, sizeof pipe, &pipe));
    CHECK(clSetKernelArg(late, 2, sizeof out, &out));
    CHECK(clEnqueueNDRangeKernel(w.queue, late, 1, NULL, &one, NULL, 0, NULL, NULL));
    CHECK(clEnqueueReadBuffer(w.queue, out, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
    for (size_t i = 0; i < 10; i++)
        assert_int_equal(got[i], wanted[i]);
    CHECK(clSetKernelArg(other_size, 0, sizeof pipe, &pipe));
    CHECK(clSetKernelArg(other_size, 1, sizeof out, &out));
    CHECK(clEnqueueNDRangeKernel(w.queue, other_size, 1, NULL, &one, NULL, 0, NULL, NULL));
    CHECK(clEnqueueReadBuffer(w.queue, out, CL_TRUE, 0, sizeof *got, got, 0, NULL, NULL));
    CHECK_THAT(got[0] < 0);
    CHECK(clReleaseMemObject(out));
    CHECK(clReleaseMemObject(pipe));
    CHECK(clReleaseKernel(late));
    CHECK(clReleaseKernel(other_size));
}

/* A kernel keeps its pipe. */
static void outlived_by_the_launch(void **state)
{
    (void)state;
    cl_kernel get = test_kernel(program, "get");
    cl_mem pipe = new_pipe(12, 5), done = test_buffer(w.context, 0, sizeof(cl_int), NULL);
    const size_t one = 1;
    cl_int number = 1, moved = -1;
    CHECK(clSetKernelArg(get, 0, sizeof pipe, &pipe));
    CHECK(clSetKernelArg(get, 1, sizeof number, &number));
    CHECK(clSetKernelArg(get, 2, sizeof number, &number));
    CHECK(clSetKernelArg(get, 3, sizeof done, &done));
    CHECK(clEnqueueNDRangeKernel(w.queue, get, 1, NULL, &one, NULL, 0, NULL, NULL));
    CHECK(clReleaseMemObject(pipe));
    CHECK(clReleaseKernel(get));
    CHECK(clEnqueueReadBuffer(w.queue, done, CL_TRUE, 0, sizeof moved, &moved, 0, NULL, NULL));
    assert_int_equal(moved, 0);
    CHECK(clReleaseMemObject(done));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(created),
        cmocka_unit_test(told),
        cmocka_unit_test(arguments),
        cmocka_unit_test(from_kernel_to_kernel),
        cmocka_unit_test(order_of_reservations),
        cmocka_unit_test(outlived_by_the_launch),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
