/* SPDX-License-Identifier: Apache-2.0
 * What a loader relies on: the symbols, the dispatch table, functions by name, cl_khr_icd 2.0's data, and the functions of what is absent.
 */
#include <dlfcn.h>

#include "icd/test/cl_test.h"

#include <CL/cl_egl.h>
#include <CL/cl_gl.h>

static const char *const slots[] = {
#define TSR_SLOT(name, kind) #name,
#define TSR_NAMED(name)
#include "icd/dispatch.def"
#undef TSR_SLOT
#undef TSR_NAMED
};
static const char *const named[] = {
#define TSR_SLOT(name, kind)
#define TSR_NAMED(name) #name,
#include "icd/dispatch.def"
#undef TSR_SLOT
#undef TSR_NAMED
};
enum { SLOTS = sizeof(slots) / sizeof(*slots), NAMED = sizeof(named) / sizeof(*named) };

/* The driver itself, as a loader opens it. Under a loader of cl_khr_icd 2.0 the handles of the API are the driver's own, too. */
static struct {
    void *library;
    cl_int(CL_API_CALL *platforms)(cl_uint, cl_platform_id *, cl_uint *);
    void *(CL_API_CALL *by_name)(cl_platform_id, const char *);
    cl_int(CL_API_CALL *set_data)(cl_platform_id, void *);
    void *(CL_API_CALL *extension)(const char *);
    cl_platform_id platform;
} driver;

static int open_driver(void **state)
{
    (void)state;
    const char *path = getenv("OCL_ICD_FILENAMES");
    driver.library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!driver.library)
        fail_msg("%s", dlerror());
    *(void **)&driver.platforms = dlsym(driver.library, "clIcdGetPlatformIDsKHR");
    *(void **)&driver.by_name = dlsym(driver.library, "clIcdGetFunctionAddressForPlatformKHR");
    *(void **)&driver.set_data = dlsym(driver.library, "clIcdSetPlatformDispatchDataKHR");
    *(void **)&driver.extension = dlsym(driver.library, "clGetExtensionFunctionAddress");
    CHECK_THAT(driver.platforms && driver.by_name && driver.set_data && driver.extension && dlsym(driver.library, "clGetPlatformInfo"));
    CHECK(driver.platforms(1, &driver.platform, NULL));
    return 0;
}

static void table(void **state)
{
    (void)state;
    void **dispatch = *(void ***)driver.platform;
    for (int i = 0; i < SLOTS; i++) {
        if (!dispatch[i])
            fail_msg("slot %d (%s) is empty", i, slots[i]);
        bool tag = !strcmp(slots[i], "clGetPlatformIDs") || !strcmp(slots[i], "clUnloadCompiler");
        void *address = driver.by_name(driver.platform, slots[i]);
        if (tag ? dispatch[i] != (void *)CL_ICD2_TAG_KHR || !address : dispatch[i] != address)
            fail_msg("slot %d holds %p, but %s is %p", i, dispatch[i], slots[i], address);
        /* All within the driver: none was replaced by the loader's function of that name. */
        Dl_info where, own;
        CHECK_THAT(dladdr(address, &where) && dladdr((void *)driver.platforms, &own));
        if (where.dli_fbase != own.dli_fbase)
            fail_msg("%s is in %s", slots[i], where.dli_fname);
    }
    assert_int_equal(SLOTS, 150);
}

static void enumeration(void **state)
{
    (void)state;
    cl_platform_id platforms[2] = {NULL};
    cl_uint count = 0;
    CHECK(driver.platforms(2, platforms, &count));
    CHECK_THAT(count == 1 && platforms[0] == driver.platform && !platforms[1]);
    CHECK(driver.platforms(0, NULL, &count));
    CHECK_CODE(driver.platforms(0, platforms, &count), CL_INVALID_VALUE);
    CHECK_CODE(driver.platforms(1, NULL, NULL), CL_INVALID_VALUE);
}

static void by_name(void **state)
{
    (void)state;
    for (int i = 0; i < NAMED; i++)
        CHECK_THAT(driver.by_name(driver.platform, named[i]) && driver.extension(named[i]));
    CHECK_THAT(!driver.by_name(driver.platform, "clNoSuchFunction") && !driver.extension("clNoSuchFunction"));
    CHECK_THAT(!driver.by_name(NULL, "clCreateBuffer") && !driver.extension(NULL));
    /* What is not supported is not given out: programs test for it so. */
    CHECK_THAT(!driver.extension("clCreateFromGLBuffer") && !driver.extension("clCreateSubDevicesEXT"));
    CHECK_THAT(driver.extension("clGetKernelSubGroupInfoKHR"));

    cl_platform_id platform = test_platform();
    CHECK_THAT(clGetExtensionFunctionAddressForPlatform(platform, "clCreateCommandQueueWithPropertiesKHR"));
    CHECK_THAT(!clGetExtensionFunctionAddressForPlatform(platform, "clNoSuchFunctionKHR"));
}

static void extension_functions(void **state)
{
    (void)state;
    cl_device_id device = test_device();
    cl_context context = test_context(device);
    clCreateCommandQueueWithPropertiesKHR_fn create;
    *(void **)&create = clGetExtensionFunctionAddressForPlatform(test_platform(), "clCreateCommandQueueWithPropertiesKHR");
    cl_queue_properties_khr list[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0};
    cl_command_queue queue;
    CHECK_CREATE(queue, create(context, device, list, &err), CL_SUCCESS);
    CHECK(clReleaseCommandQueue(queue));
    CHECK(clReleaseContext(context));
}

/* cl_khr_icd 2.0: "the implementation is responsible for propagating this information to new objects" */
static void dispatch_data(void **state)
{
    (void)state;
    struct object {
        void *dispatch, *data;
    } *platform = (void *)driver.platform;
    void *before = platform->data;
    int data;
    CHECK_CODE(driver.set_data(NULL, &data), CL_INVALID_PLATFORM);
    CHECK(driver.set_data(driver.platform, &data));
    CHECK_THAT(platform->data == &data);
    cl_int(CL_API_CALL * devices)(cl_platform_id, cl_device_type, cl_uint, cl_device_id *, cl_uint *);
    *(void **)&devices = driver.by_name(driver.platform, "clGetDeviceIDs");
    cl_context(CL_API_CALL * create)(const cl_context_properties *, cl_uint, const cl_device_id *,
                                     void(CL_CALLBACK *)(const char *, const void *, size_t, void *), void *, cl_int *);
    *(void **)&create = driver.by_name(driver.platform, "clCreateContext");
    cl_int(CL_API_CALL * release)(cl_context);
    *(void **)&release = driver.by_name(driver.platform, "clReleaseContext");
    cl_device_id device;
    CHECK(devices(driver.platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL));
    CHECK_THAT(((struct object *)device)->data == &data && ((struct object *)device)->dispatch == platform->dispatch);
    cl_context context = create(NULL, 1, &device, NULL, NULL, NULL);
    CHECK_THAT(context && ((struct object *)context)->data == &data);
    CHECK(driver.set_data(driver.platform, before));
    CHECK(release(context));
}

/* The functions of what the driver lacks can be called, and say so. */
static void absent(void **state)
{
    (void)state;
    struct test_world w = test_begin(0);
    cl_mem mem, buffer = test_buffer(w.context, CL_MEM_READ_WRITE, 64, NULL);
    CHECK_CREATE(mem, clCreateFromGLBuffer(w.context, CL_MEM_READ_ONLY, 1, &err), CL_INVALID_CONTEXT);
    CHECK_CREATE(mem, clCreateFromGLTexture(w.context, CL_MEM_READ_ONLY, 0, 0, 1, &err), CL_INVALID_CONTEXT);
    CHECK_CREATE(mem, clCreateFromGLRenderbuffer(w.context, CL_MEM_READ_ONLY, 1, &err), CL_INVALID_CONTEXT);
    CHECK_CODE(clGetGLObjectInfo(buffer, NULL, NULL), CL_INVALID_GL_OBJECT);
    CHECK_CODE(clGetGLTextureInfo(buffer, CL_GL_MIPMAP_LEVEL, 0, NULL, NULL), CL_INVALID_GL_OBJECT);
    CHECK_CODE(clEnqueueAcquireGLObjects(w.queue, 0, NULL, 0, NULL, NULL), CL_INVALID_CONTEXT);
    CHECK_CODE(clEnqueueReleaseGLObjects(w.queue, 0, NULL, 0, NULL, NULL), CL_INVALID_CONTEXT);
    CHECK_CODE(clReleaseMemObject(buffer), CL_SUCCESS);

    cl_mem(CL_API_CALL * egl)(cl_context, CLeglDisplayKHR, CLeglImageKHR, cl_mem_flags, const cl_egl_image_properties_khr *, cl_int *);
    *(void **)&egl = driver.by_name(driver.platform, "clCreateFromEGLImageKHR");
    CHECK_CREATE(mem, egl(NULL, NULL, NULL, 0, NULL, &err), CL_INVALID_CONTEXT);
    test_end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(table),         cmocka_unit_test(enumeration), cmocka_unit_test(by_name), cmocka_unit_test(extension_functions),
        cmocka_unit_test(dispatch_data), cmocka_unit_test(absent),
    };
    return cmocka_run_group_tests(tests, open_driver, NULL);
}
