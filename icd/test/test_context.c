/* SPDX-License-Identifier: Apache-2.0
 * Contexts: properties, queries, callbacks, life, and wrong arguments. */
#include "icd/test/cl_test.h"

static void properties(void **state)
{
    (void)state;
    cl_device_id device = test_device();
    cl_context context;
    cl_context_properties good[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)test_platform(), CL_CONTEXT_INTEROP_USER_SYNC, CL_TRUE, 0};
    CHECK_CREATE(context, clCreateContext(good, 1, &device, NULL, NULL, &err), CL_SUCCESS);
    cl_context_properties list[8];
    size_t size;
    CHECK(clGetContextInfo(context, CL_CONTEXT_PROPERTIES, sizeof(list), list, &size));
    assert_int_equal(size, sizeof(good));
    assert_memory_equal(list, good, sizeof(good));
    CHECK(clReleaseContext(context));

    CHECK_CREATE(context, clCreateContext(NULL, 1, &device, NULL, NULL, &err), CL_SUCCESS);
    CHECK(clGetContextInfo(context, CL_CONTEXT_PROPERTIES, 0, NULL, &size));
    assert_int_equal(size, 0);
    CHECK(clReleaseContext(context));

    cl_context_properties unknown[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)test_platform(), 0x1234, 1, 0};
    CHECK_CREATE(context, clCreateContext(unknown, 1, &device, NULL, NULL, &err), CL_INVALID_PROPERTY);
    CHECK_CREATE(context, clCreateContextFromType(unknown, CL_DEVICE_TYPE_CPU, NULL, NULL, &err), CL_INVALID_PROPERTY);
    cl_context_properties value[] = {CL_CONTEXT_INTEROP_USER_SYNC, 2, 0};
    CHECK_CREATE(context, clCreateContext(value, 1, &device, NULL, NULL, &err), CL_INVALID_PROPERTY);
    cl_context_properties twice[] = {CL_CONTEXT_INTEROP_USER_SYNC, CL_TRUE, CL_CONTEXT_INTEROP_USER_SYNC, CL_TRUE, 0};
    CHECK_CREATE(context, clCreateContext(twice, 1, &device, NULL, NULL, &err), CL_INVALID_PROPERTY);
}

static void wrong_arguments(void **state)
{
    (void)state;
    cl_device_id device = test_device(), none = NULL;
    cl_context context;
    int data;
    CHECK_CREATE(context, clCreateContext(NULL, 1, &none, NULL, NULL, &err), CL_INVALID_DEVICE);
    CHECK_CREATE(context, clCreateContext(NULL, 0, &device, NULL, NULL, &err), CL_INVALID_VALUE);
    CHECK_CREATE(context, clCreateContext(NULL, 1, NULL, NULL, NULL, &err), CL_INVALID_VALUE);
    CHECK_CREATE(context, clCreateContext(NULL, 1, &device, NULL, &data, &err), CL_INVALID_VALUE);
    CHECK_THAT(!clCreateContext(NULL, 0, &device, NULL, NULL, NULL)); /* nobody asks for the code */

    cl_context_properties list[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)test_platform(), 0};
    CHECK_CREATE(context, clCreateContextFromType(list, 0, NULL, NULL, &err), CL_INVALID_DEVICE_TYPE);
    CHECK_CREATE(context, clCreateContextFromType(list, 1 << 6, NULL, NULL, &err), CL_INVALID_DEVICE_TYPE);
    CHECK_CREATE(context, clCreateContextFromType(list, ~(cl_device_type)0, NULL, NULL, &err), CL_SUCCESS);
    CHECK(clReleaseContext(context));
    CHECK_CREATE(context, clCreateContextFromType(list, CL_DEVICE_TYPE_GPU, NULL, NULL, &err), CL_DEVICE_NOT_FOUND);
    CHECK_CREATE(context, clCreateContextFromType(list, CL_DEVICE_TYPE_CPU, NULL, &data, &err), CL_INVALID_VALUE);

    CHECK_CODE(clRetainContext(NULL), CL_INVALID_CONTEXT);
    CHECK_CODE(clReleaseContext(NULL), CL_INVALID_CONTEXT);
    CHECK_CODE(clRetainContext((cl_context)device), CL_INVALID_CONTEXT);
    CHECK_CODE(clReleaseContext((cl_context)device), CL_INVALID_CONTEXT);
    CHECK_CODE(clGetContextInfo((cl_context)device, CL_CONTEXT_NUM_DEVICES, 0, NULL, NULL), CL_INVALID_CONTEXT);
    CHECK_CODE(clSetContextDestructorCallback(NULL, NULL, NULL), CL_INVALID_CONTEXT);
}

static void queries(void **state)
{
    (void)state;
    cl_device_id device = test_device(), pair[2] = {device, device}, found[2] = {NULL};
    cl_context context;
    CHECK_CREATE(context, clCreateContext(NULL, 2, pair, NULL, NULL, &err), CL_SUCCESS);
    cl_uint count = 0;
    size_t size;
    CHECK(clGetContextInfo(context, CL_CONTEXT_NUM_DEVICES, sizeof(count), &count, &size));
    CHECK_THAT(count == 1 && size == sizeof(count)); /* "duplicate devices are ignored" */
    CHECK(clGetContextInfo(context, CL_CONTEXT_DEVICES, sizeof(found), found, &size));
    CHECK_THAT(found[0] == device && size == sizeof(device));
    CHECK_CODE(clGetContextInfo(context, CL_CONTEXT_DEVICES, size - 1, found, NULL), CL_INVALID_VALUE);
    CHECK_CODE(clGetContextInfo(context, 0x1234, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK(clRetainContext(context));
    CHECK(clGetContextInfo(context, CL_CONTEXT_REFERENCE_COUNT, sizeof(count), &count, NULL));
    assert_int_equal(count, 2);
    CHECK(clReleaseContext(context));
    CHECK(clReleaseContext(context));

    cl_context_properties list[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)test_platform(), 0};
    const cl_device_type types[] = {CL_DEVICE_TYPE_CPU, CL_DEVICE_TYPE_DEFAULT, CL_DEVICE_TYPE_ALL};
    for (int i = 0; i < 3; i++) {
        CHECK_CREATE(context, clCreateContextFromType(list, types[i], NULL, NULL, &err), CL_SUCCESS);
        CHECK(clGetContextInfo(context, CL_CONTEXT_NUM_DEVICES, sizeof(count), &count, NULL));
        assert_int_equal(count, 1);
        CHECK(clReleaseContext(context));
    }
}

static char order[8];
static void CL_CALLBACK note(cl_context context, void *letter)
{
    cl_uint count;
    CHECK(clGetContextInfo(context, CL_CONTEXT_NUM_DEVICES, sizeof(count), &count, NULL)); /* still whole */
    strcat(order, letter);
}

static void destructors(void **state)
{
    (void)state;
    cl_context context = test_context(test_device());
    CHECK_CODE(clSetContextDestructorCallback(context, NULL, NULL), CL_INVALID_VALUE);
    CHECK(clSetContextDestructorCallback(context, note, "a"));
    CHECK(clSetContextDestructorCallback(context, note, "b"));
    CHECK(clSetContextDestructorCallback(context, note, "c"));
    CHECK(clRetainContext(context));
    CHECK(clReleaseContext(context));
    assert_string_equal(order, "");
    /* An object of the context keeps it. */
    cl_event event;
    CHECK_CREATE(event, clCreateUserEvent(context, &err), CL_SUCCESS);
    CHECK(clReleaseContext(context));
    assert_string_equal(order, "");
    CHECK_CODE(clReleaseContext(context), CL_INVALID_CONTEXT);
    /* … and a query of that object gives it back. */
    cl_context again;
    CHECK(clGetEventInfo(event, CL_EVENT_CONTEXT, sizeof(again), &again, NULL));
    CHECK_THAT(again == context);
    CHECK(clRetainContext(again));
    CHECK(clSetUserEventStatus(event, CL_COMPLETE));
    CHECK(clReleaseEvent(event));
    assert_string_equal(order, "");
    CHECK(clReleaseContext(again));
    assert_string_equal(order, "cba");
}

static cl_mem of_dying;
static void CL_CALLBACK keep(cl_context context, void *kept)
{
    CHECK(clRetainContext(context));
    CHECK_CREATE(of_dying, clCreateBuffer(context, 0, 64, NULL, &err), CL_SUCCESS);
    *(cl_context *)kept = context;
}

/* A callback that retains the context keeps it. */
static void kept_by_a_destructor(void **state)
{
    (void)state;
    cl_context context = test_context(test_device()), kept = NULL;
    *order = 0;
    CHECK(clSetContextDestructorCallback(context, keep, &kept));
    CHECK(clReleaseContext(context));
    CHECK_THAT(kept == context);
    CHECK(clSetContextDestructorCallback(context, note, "d"));
    CHECK(clReleaseContext(context));
    CHECK_CODE(clReleaseContext(context), CL_INVALID_CONTEXT); /* the buffer keeps it still */
    assert_string_equal(order, "");
    CHECK(clReleaseMemObject(of_dying));
    assert_string_equal(order, "d");
}

static char last_message[2048];
static void CL_CALLBACK remember(const char *message, const void *private_info, size_t cb, void *user_data)
{
    (void)private_info, (void)cb;
    CHECK_THAT(user_data == last_message);
    snprintf(last_message, sizeof(last_message), "%s", message);
}

static void errors_are_told(void **state)
{
    (void)state;
    cl_device_id device = test_device();
    cl_context context;
    CHECK_CREATE(context, clCreateContext(NULL, 1, &device, remember, last_message, &err), CL_SUCCESS);
    CHECK_CODE(clGetContextInfo(context, 0x1234, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_THAT(strstr(last_message, "clGetContextInfo") && strstr(last_message, "0x1234"));
    CHECK(clReleaseContext(context));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(properties),  cmocka_unit_test(wrong_arguments),      cmocka_unit_test(queries),
        cmocka_unit_test(destructors), cmocka_unit_test(kept_by_a_destructor), cmocka_unit_test(errors_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
