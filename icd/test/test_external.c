/* SPDX-License-Identifier: Apache-2.0
 * Tests of memory that is imported from a file descriptor (cl_khr_external_memory). There are no dma-bufs to be had here: a memfd stands
 * for one. */
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "icd/test/cl_test.h"

#define DMA_BUF CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR
enum { BYTES = 3 * 4096 + 100 };

static cl_int(CL_API_CALL *acquire)(cl_command_queue, cl_uint, const cl_mem *, cl_uint, const cl_event *, cl_event *);
static cl_int(CL_API_CALL *release)(cl_command_queue, cl_uint, const cl_mem *, cl_uint, const cl_event *, cl_event *);

static int find_functions(void **state)
{
    (void)state;
    const struct test_function list[] = {{&acquire, "clEnqueueAcquireExternalMemObjectsKHR"},
                                         {&release, "clEnqueueReleaseExternalMemObjectsKHR"}};
    test_find_functions(list, sizeof list / sizeof *list);
    return 0;
}

static int make_fd(size_t size)
{
    int fd = memfd_create("pixels", 0);
    CHECK_THAT(fd >= 0 && !ftruncate(fd, (off_t)size));
    return fd;
}

static bool is_open(int fd)
{
    return fcntl(fd, F_GETFD) >= 0;
}

/* The other API's view of the memory. */
static unsigned char *map(int fd, size_t size)
{
    unsigned char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    CHECK_THAT(memory != MAP_FAILED);
    return memory;
}

static cl_mem import(cl_context context, int fd, cl_mem_flags flags, size_t size)
{
    const cl_mem_properties list[] = {DMA_BUF, (cl_mem_properties)fd, 0};
    cl_mem mem;
    CHECK_CREATE(mem, clCreateBufferWithProperties(context, list, flags, size, NULL, &err), CL_SUCCESS);
    return mem;
}

static void test_queries(void **state)
{
    (void)state;
    cl_external_memory_handle_type_khr types[4];
    size_t size;
    CHECK_THAT(test_has_extension(test_device(), "cl_khr_external_memory_dma_buf"));
    CHECK(clGetDeviceInfo(test_device(), CL_DEVICE_EXTERNAL_MEMORY_IMPORT_HANDLE_TYPES_KHR, sizeof types, types, &size));
    CHECK_THAT(size == sizeof *types && types[0] == DMA_BUF);
    CHECK(
        clGetDeviceInfo(test_device(), CL_DEVICE_EXTERNAL_MEMORY_IMPORT_ASSUME_LINEAR_IMAGES_HANDLE_TYPES_KHR, sizeof types, types, &size));
    CHECK_THAT(size == sizeof *types && types[0] == DMA_BUF);
    CHECK(clGetPlatformInfo(test_platform(), CL_PLATFORM_EXTERNAL_MEMORY_IMPORT_HANDLE_TYPES_KHR, sizeof types, types, &size));
    CHECK_THAT(size == sizeof *types && types[0] == DMA_BUF);
}

/* Both sides see what the other one has written, and the descriptor lives as long as the object. */
static void test_buffer_is_shared(void **state)
{
    (void)state;
    static const char source[] = "kernel void twice(global uchar *p) { p[get_global_id(0)] *= 2; }";
    struct test_world w = test_begin(0);
    cl_program program = test_build(w.context, w.device, source, "");
    cl_kernel kernel = test_kernel(program, "twice");
    int fd = make_fd(BYTES);
    unsigned char *outside = map(fd, BYTES), back[BYTES];
    cl_mem mem = import(w.context, fd, CL_MEM_READ_WRITE, BYTES);
    CHECK_THAT(fcntl(fd, F_GETFD) & FD_CLOEXEC);
    for (int i = 0; i < BYTES; i++)
        outside[i] = (unsigned char)(i % 100);
    const size_t items = BYTES;
    cl_event event;
    cl_command_type type;
    CHECK(acquire(w.queue, 1, &mem, 0, NULL, &event));
    CHECK(clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL));
    CHECK_THAT(type == CL_COMMAND_ACQUIRE_EXTERNAL_MEM_OBJECTS_KHR);
    CHECK(clReleaseEvent(event));
    CHECK(clSetKernelArg(kernel, 0, sizeof mem, &mem));
    CHECK(clEnqueueNDRangeKernel(w.queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL));
    CHECK(clEnqueueReadBuffer(w.queue, mem, CL_TRUE, 0, BYTES, back, 0, NULL, NULL));
    CHECK(release(w.queue, 1, &mem, 0, NULL, &event));
    CHECK(clWaitForEvents(1, &event));
    CHECK(clReleaseEvent(event));
    for (int i = 0; i < BYTES; i++)
        CHECK_THAT(back[i] == i % 100 * 2 && outside[i] == back[i]);
    /* A part of it keeps it. */
    const cl_buffer_region region = {4096, 64};
    cl_mem part;
    CHECK_CREATE(part, clCreateSubBuffer(mem, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &err), CL_SUCCESS);
    CHECK(clReleaseMemObject(mem));
    CHECK_THAT(is_open(fd));
    CHECK(clEnqueueFillBuffer(w.queue, part, "7", 1, 0, 64, 0, NULL, NULL));
    CHECK(clFinish(w.queue));
    CHECK_THAT(outside[4095] != '7' && outside[4096] == '7' && outside[4159] == '7' && outside[4160] != '7');
    CHECK(clReleaseKernel(kernel)); /* the argument is not held, but a launch was */
    CHECK(clReleaseMemObject(part));
    CHECK_THAT(!is_open(fd) && errno == EBADF);
    CHECK(munmap(outside, BYTES));
    CHECK(clReleaseProgram(program));
    test_end(&w);
}

static void test_image_is_shared(void **state)
{
    (void)state;
    enum { WIDTH = 10, HEIGHT = 7, PITCH = 64 };
    struct test_world w = test_begin(0);
    const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};
    cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = WIDTH, .image_height = HEIGHT, .image_row_pitch = PITCH};
    int fd = make_fd(PITCH * HEIGHT);
    unsigned char *outside = map(fd, PITCH * HEIGHT), back[HEIGHT][WIDTH][4];
    const cl_mem_properties list[] = {DMA_BUF, (cl_mem_properties)fd, 0};
    cl_mem image;
    for (int i = 0; i < PITCH * HEIGHT; i++)
        outside[i] = (unsigned char)i;
    CHECK_CREATE(image, clCreateImageWithProperties(w.context, list, 0, &format, &desc, NULL, &err), CL_SUCCESS);
    const size_t origin[3] = {0}, region[3] = {WIDTH, HEIGHT, 1}, one[3] = {1, 1, 1};
    const cl_uint color[4] = {1, 2, 3, 4};
    CHECK(acquire(w.queue, 1, &image, 0, NULL, NULL));
    CHECK(clEnqueueReadImage(w.queue, image, CL_TRUE, origin, region, 0, 0, back, 0, NULL, NULL));
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++)
            CHECK_THAT(back[y][x][3] == (unsigned char)(y * PITCH + x * 4 + 3));
    CHECK(clEnqueueFillImage(w.queue, image, color, (const size_t[]){9, 6, 0}, one, 0, NULL, NULL));
    CHECK(release(w.queue, 1, &image, 0, NULL, NULL));
    CHECK(clFinish(w.queue));
    CHECK_THAT(!memcmp(outside + 6 * PITCH + 9 * 4, "\1\2\3\4", 4));
    CHECK(clReleaseMemObject(image));
    CHECK_THAT(!is_open(fd));
    CHECK(munmap(outside, PITCH * HEIGHT));
    /* One row more than there is. */
    fd = make_fd(PITCH * HEIGHT - PITCH);
    CHECK_CREATE(image,
                 clCreateImageWithProperties(w.context, (const cl_mem_properties[]){DMA_BUF, (cl_mem_properties)fd, 0}, 0, &format, &desc,
                                             NULL, &err),
                 CL_INVALID_PROPERTY);
    cl_mem buffer = test_buffer(w.context, 0, PITCH * HEIGHT, NULL);
    desc.mem_object = buffer;
    CHECK_CREATE(image,
                 clCreateImageWithProperties(w.context, (const cl_mem_properties[]){DMA_BUF, (cl_mem_properties)fd, 0}, 0, &format, &desc,
                                             NULL, &err),
                 CL_INVALID_PROPERTY);
    CHECK_THAT(is_open(fd) && !close(fd));
    CHECK(clReleaseMemObject(buffer));
    test_end(&w);
}

static cl_int create(cl_context context, const cl_mem_properties *list, cl_mem_flags flags, size_t size, void *host)
{
    cl_int err = 1;
    cl_mem mem = clCreateBufferWithProperties(context, list, flags, size, host, &err);
    CHECK_THAT((mem != NULL) == (err == CL_SUCCESS));
    if (mem)
        CHECK(clReleaseMemObject(mem));
    return err;
}

/* A call that fails leaves the descriptor as it was. */
static void test_errors(void **state)
{
    (void)state;
    struct test_world w = test_begin(0);
    cl_context c = w.context;
    int fd = make_fd(8192), pipes[2];
    char host[64];
    CHECK_THAT(!pipe(pipes));
    const cl_mem_properties memfd = (cl_mem_properties)fd, device = (cl_mem_properties)(uintptr_t)w.device;
    const struct {
        cl_mem_properties list[8];
        cl_mem_flags flags;
        size_t size;
        void *host;
        cl_int code;
    } cases[] = {
        {{DMA_BUF, (cl_mem_properties)-1, 0}, 0, 64, NULL, CL_INVALID_PROPERTY},
        {{DMA_BUF, 1u << 30, 0}, 0, 64, NULL, CL_INVALID_PROPERTY},
        {{DMA_BUF, (cl_mem_properties)1 << 40 | memfd, 0}, 0, 64, NULL, CL_INVALID_PROPERTY},
        {{DMA_BUF, (cl_mem_properties)pipes[0], 0}, 0, 64, NULL, CL_INVALID_PROPERTY},
        {{DMA_BUF, memfd, DMA_BUF, memfd, 0}, 0, 64, NULL, CL_INVALID_PROPERTY},
        {{CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR, memfd, 0}, 0, 64, NULL, CL_INVALID_PROPERTY},
        {{DMA_BUF, memfd, 0}, 0, 8193, NULL, CL_INVALID_PROPERTY},
        {{DMA_BUF, memfd, 0}, 0, 0, NULL, CL_INVALID_BUFFER_SIZE},
        {{DMA_BUF, memfd, 0}, CL_MEM_USE_HOST_PTR, 64, host, CL_INVALID_VALUE},
        {{DMA_BUF, memfd, 0}, CL_MEM_COPY_HOST_PTR, 64, host, CL_INVALID_VALUE},
        {{DMA_BUF, memfd, 0}, CL_MEM_ALLOC_HOST_PTR, 64, NULL, CL_INVALID_VALUE},
        {{DMA_BUF, memfd, 0}, 0, 64, host, CL_INVALID_HOST_PTR},
        {{CL_MEM_DEVICE_HANDLE_LIST_KHR, device, 0, 0}, 0, 64, NULL, CL_INVALID_PROPERTY},
        {{DMA_BUF, memfd, CL_MEM_DEVICE_HANDLE_LIST_KHR, 0, 0}, 0, 64, NULL, CL_INVALID_PROPERTY},
        {{DMA_BUF, memfd, CL_MEM_DEVICE_HANDLE_LIST_KHR, device, (cl_mem_properties)(uintptr_t)host, 0, 0}, 0, 64, NULL, CL_INVALID_DEVICE},
        {{DMA_BUF, memfd, CL_MEM_DEVICE_HANDLE_LIST_KHR, (cl_mem_properties)(uintptr_t)c, 0, 0}, 0, 64, NULL, CL_INVALID_DEVICE},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cl_int code = create(c, cases[i].list, cases[i].flags, cases[i].size, cases[i].host);
        if (code != cases[i].code)
            fail_msg("case %zu: %d, expected %d", i, code, cases[i].code);
        CHECK_THAT(is_open(fd) && !(fcntl(fd, F_GETFD) & FD_CLOEXEC));
    }
    /* A file that is refused stays as it was, an empty one too. */
    int empty = make_fd(0);
    CHECK_THAT(lseek(empty, 17, SEEK_SET) == 17);
    CHECK_CODE(create(c, (cl_mem_properties[]){DMA_BUF, (cl_mem_properties)empty, 0}, 0, 64, NULL), CL_INVALID_PROPERTY);
    CHECK_THAT(lseek(empty, 0, SEEK_CUR) == 17 && !close(empty));
    /* What may only be read serves for objects that nobody may write. */
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    int readable = open(path, O_RDONLY);
    const cl_mem_properties to_read[] = {DMA_BUF, (cl_mem_properties)readable, 0};
    CHECK_THAT(readable >= 0);
    CHECK_CODE(create(c, to_read, 0, 64, NULL), CL_INVALID_PROPERTY);
    CHECK_CODE(create(c, to_read, CL_MEM_READ_ONLY, 64, NULL), CL_INVALID_PROPERTY); /* the host may write it */
    CHECK_CODE(create(c, to_read, CL_MEM_IMMUTABLE_EXT, 64, NULL), CL_SUCCESS);
    CHECK_THAT(!is_open(readable));
    /* All of the file, in a list with devices and an address. */
    const cl_mem_properties all[] = {
        CL_MEM_DEVICE_HANDLE_LIST_KHR, device, 0, CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT, CL_TRUE, DMA_BUF, memfd, 0};
    CHECK_CODE(create(c, all, 0, 8192, NULL), CL_SUCCESS);
    CHECK_THAT(!is_open(fd) && !close(pipes[0]) && !close(pipes[1]));
    test_end(&w);
}

/* An application that closes the descriptor all the same: a file of its own that gets the number stays open. */
static void test_closed_by_the_application(void **state)
{
    (void)state;
    struct test_world w = test_begin(0);
    int fd = make_fd(BYTES);
    cl_mem mem = import(w.context, fd, 0, BYTES);
    unsigned char fives[BYTES], back[BYTES];
    memset(fives, 5, sizeof fives);
    CHECK_THAT(!close(fd));
    int own = open("/dev/null", O_RDONLY);
    CHECK_THAT(own == fd);
    CHECK(acquire(w.queue, 1, &mem, 0, NULL, NULL));
    CHECK(clEnqueueWriteBuffer(w.queue, mem, CL_TRUE, 0, BYTES, fives, 0, NULL, NULL));
    CHECK(clEnqueueReadBuffer(w.queue, mem, CL_TRUE, 0, BYTES, back, 0, NULL, NULL));
    CHECK_THAT(!memcmp(back, fives, BYTES));
    CHECK(release(w.queue, 1, &mem, 0, NULL, NULL));
    CHECK(clFinish(w.queue));
    CHECK(clReleaseMemObject(mem));
    CHECK_THAT(is_open(own) && !close(own));
    test_end(&w);
}

/* An application that imports a descriptor several times, which the first object owns: the last object closes it, and only once. */
static void test_imported_twice(void **state)
{
    (void)state;
    struct test_world w = test_begin(0);
    int fd = make_fd(BYTES), copy = dup(fd);
    cl_mem first = import(w.context, fd, 0, BYTES), second = import(w.context, fd, 0, BYTES), third = import(w.context, fd, 0, 64);
    CHECK_THAT(copy >= 0);
    CHECK(clReleaseMemObject(first));
    CHECK_THAT(is_open(fd));
    CHECK(clReleaseMemObject(third));
    int own = dup(copy); /* the same file */
    CHECK_THAT(own >= 0 && own != fd);
    CHECK(clReleaseMemObject(second));
    CHECK_THAT(!is_open(fd) && is_open(copy) && is_open(own));
    cl_mem again = import(w.context, own, 0, BYTES);
    CHECK(clReleaseMemObject(again));
    CHECK_THAT(!is_open(own) && !close(copy));
    test_end(&w);
}

static void test_commands(void **state)
{
    (void)state;
    struct test_world w = test_begin(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    cl_mem mem = import(w.context, make_fd(64), 0, 64), plain = test_buffer(w.context, 0, 64, NULL), both[] = {mem, plain};
    cl_event user, event;
    CHECK(acquire(w.queue, 0, NULL, 0, NULL, &event));
    CHECK(clWaitForEvents(1, &event));
    CHECK_CODE(acquire(w.queue, 0, &mem, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_CODE(acquire(w.queue, 1, NULL, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_CODE(acquire(w.queue, 2, both, 0, NULL, NULL), CL_INVALID_MEM_OBJECT);
    CHECK_CODE(release(NULL, 1, &mem, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
    CHECK_CODE(release(w.queue, 1, &mem, 1, NULL, NULL), CL_INVALID_EVENT_WAIT_LIST);
    CHECK_CODE(release(w.queue, 1, &mem, 0, &event, NULL), CL_INVALID_EVENT_WAIT_LIST);
    CHECK(release(w.queue, 1, &mem, 1, &event, NULL));
    CHECK(clReleaseEvent(event));
    CHECK_CREATE(user, clCreateUserEvent(w.context, &err), CL_SUCCESS);
    CHECK(clSetUserEventStatus(user, -3));
    CHECK_CODE(acquire(w.queue, 1, &mem, 1, &user, NULL), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    CHECK(clReleaseEvent(user));
    /* The command keeps the object. */
    CHECK_CREATE(user, clCreateUserEvent(w.context, &err), CL_SUCCESS);
    CHECK(acquire(w.queue, 1, &mem, 1, &user, NULL));
    CHECK(clReleaseMemObject(mem));
    CHECK(clSetUserEventStatus(user, CL_COMPLETE));
    CHECK(clFinish(w.queue));
    CHECK(clReleaseEvent(user));
    CHECK(clReleaseMemObject(plain));
    test_end(&w);
}

/* Imported for one of two devices, an object is acquired on that one's queues. */
static void test_devices(void **state)
{
    (void)state;
    cl_device_id parts[2];
    cl_uint count = 0, units;
    CHECK(clGetDeviceInfo(test_device(), CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL));
    if (units < 2)
        skip();
    const cl_device_partition_property by[] = {CL_DEVICE_PARTITION_BY_COUNTS, 1, 1, CL_DEVICE_PARTITION_BY_COUNTS_LIST_END, 0};
    CHECK(clCreateSubDevices(test_device(), by, 2, parts, &count));
    cl_context context;
    CHECK_CREATE(context, clCreateContext(NULL, 2, parts, test_notify, NULL, &err), CL_SUCCESS);
    cl_command_queue queues[] = {test_queue(context, parts[0], 0), test_queue(context, parts[1], 0)};
    const cl_mem_properties list[] = {
        CL_MEM_DEVICE_HANDLE_LIST_KHR, (cl_mem_properties)(uintptr_t)parts[1], 0, DMA_BUF, (cl_mem_properties)make_fd(64), 0};
    cl_mem mem;
    CHECK_CREATE(mem, clCreateBufferWithProperties(context, list, 0, 64, NULL, &err), CL_SUCCESS);
    CHECK_CODE(acquire(queues[0], 1, &mem, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
    CHECK(acquire(queues[1], 1, &mem, 0, NULL, NULL));
    CHECK(clFinish(queues[1]));
    CHECK(clReleaseMemObject(mem));
    for (int i = 0; i < 2; i++) {
        CHECK(clReleaseCommandQueue(queues[i]));
        CHECK(clReleaseDevice(parts[i]));
    }
    CHECK(clReleaseContext(context));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_queries),
        cmocka_unit_test(test_buffer_is_shared),
        cmocka_unit_test(test_image_is_shared),
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_closed_by_the_application),
        cmocka_unit_test(test_commands),
        cmocka_unit_test(test_imported_twice),
        cmocka_unit_test(test_devices),
    };
    return cmocka_run_group_tests(tests, find_functions, NULL);
}
