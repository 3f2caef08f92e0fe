/* SPDX-License-Identifier: Apache-2.0
 * Mutable dispatches: updates of recorded launches, the fields that may change, arguments that are set by updates alone. */
#include "icd/test/command_buffer.h"

static cl_int update_one(cl_command_buffer_khr buffer, const cl_mutable_dispatch_config_khr *config)
{
    const cl_command_buffer_update_type_khr type = CL_STRUCTURE_TYPE_MUTABLE_DISPATCH_CONFIG_KHR;
    const void *configs[] = {config};
    return cb.update(buffer, 1, &type, configs);
}

static void updates(void **state)
{
    (void)state;
    struct world t = begin(0);
    cl_command_buffer_khr buffer = new_buffer(&t, CL_COMMAND_BUFFER_MUTABLE_KHR);
    cl_mutable_command_khr command;
    const size_t half = ITEMS / 2, eight = 8, four = 4, five = 5, offset = ITEMS / 2;
    CHECK(cb.fill(buffer, NULL, NULL, t.a, &zero, sizeof zero, 0, BYTES, 0, NULL, NULL, NULL));
    CHECK(cb.launch(buffer, NULL, NULL, t.ids, 1, NULL, &half, &eight, 0, NULL, NULL, &command));
    CHECK(cb.finalize(buffer));

    cl_int got[ITEMS];
    CHECK(cb.enqueue(0, NULL, buffer, 0, NULL, NULL));
    CHECK(clEnqueueReadBuffer(t.w.queue, t.a, CL_TRUE, 0, BYTES, got, 0, NULL, NULL));
    for (int i = 0; i < ITEMS; i++)
        assert_int_equal(got[i], i < ITEMS / 2 ? 8000 + i : 0);

    cl_mutable_dispatch_config_khr config = {.command = command, .work_dim = 1, .global_work_offset = &offset, .local_work_size = &four};
    CHECK(update_one(buffer, &config));
    CHECK(cb.enqueue(0, NULL, buffer, 0, NULL, NULL));
    CHECK(clEnqueueReadBuffer(t.w.queue, t.a, CL_TRUE, 0, BYTES, got, 0, NULL, NULL));
    for (int i = 0; i < ITEMS; i++)
        assert_int_equal(got[i], i >= ITEMS / 2 ? 4000 + i : 0);

    /* Of several updates, a wrong one takes all back. */
    const size_t all = ITEMS, none = 0;
    const cl_mutable_dispatch_config_khr good = {.command = command, .global_work_offset = &none, .global_work_size = &all};
    const cl_mutable_dispatch_arg_khr wrong_size = {0, 3, &t.b}, wrong_index = {1, sizeof t.b, &t.b};
    const struct {
        cl_mutable_dispatch_config_khr config;
        cl_int code;
    } wrong[] = {
        {{.command = command, .num_args = 1, .arg_list = &wrong_size}, CL_INVALID_ARG_SIZE},
        {{.command = command, .num_args = 1, .arg_list = &wrong_index}, CL_INVALID_ARG_INDEX},
        {{.command = command, .num_args = 1}, CL_INVALID_VALUE},
        {{.command = command, .arg_list = &wrong_size}, CL_INVALID_VALUE},
        {{.command = command, .num_svm_args = 1}, CL_INVALID_VALUE},
        {{.command = command, .num_exec_infos = 1}, CL_INVALID_VALUE},
        {{.command = command, .work_dim = 2}, CL_INVALID_OPERATION},
        {{.command = command, .local_work_size = &five}, CL_INVALID_OPERATION}, /* groups that are not uniform */
        {{.command = command, .local_work_size = &none}, CL_INVALID_WORK_GROUP_SIZE},
        {{.command = NULL}, CL_INVALID_MUTABLE_COMMAND_KHR},
        {{.command = (cl_mutable_command_khr)buffer}, CL_INVALID_MUTABLE_COMMAND_KHR},
    };
    const cl_command_buffer_update_type_khr types[] = {CL_STRUCTURE_TYPE_MUTABLE_DISPATCH_CONFIG_KHR,
                                                       CL_STRUCTURE_TYPE_MUTABLE_DISPATCH_CONFIG_KHR, 12345};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const void *configs[] = {&good, &wrong[i].config};
        CHECK_CODE(cb.update(buffer, 2, types, configs), wrong[i].code);
        size_t size;
        CHECK(cb.command_info(command, CL_MUTABLE_DISPATCH_GLOBAL_WORK_SIZE_KHR, sizeof size, &size, NULL));
        assert_int_equal(size, half);
    }
    const void *configs[] = {&good, NULL};
    CHECK_CODE(cb.update(NULL, 1, types, configs), CL_INVALID_COMMAND_BUFFER_KHR);
    CHECK_CODE(cb.update(buffer, 1, types, NULL), CL_INVALID_VALUE);
    CHECK_CODE(cb.update(buffer, 1, NULL, configs), CL_INVALID_VALUE);
    CHECK_CODE(cb.update(buffer, 0, types, NULL), CL_INVALID_VALUE);
    CHECK_CODE(cb.update(buffer, 2, types, configs), CL_INVALID_VALUE);
    CHECK_CODE(cb.update(buffer, 1, types + 2, configs), CL_INVALID_VALUE);
    CHECK(cb.update(buffer, 0, NULL, NULL));

    /* Two updates of a command add up. */
    const cl_mutable_dispatch_arg_khr other = {0, sizeof t.b, &t.b};
    const cl_mutable_dispatch_config_khr second = {.command = command, .num_args = 1, .arg_list = &other};
    const void *both[] = {&good, &second};
    CHECK(cb.update(buffer, 2, types, both));
    CHECK(cb.enqueue(0, NULL, buffer, 0, NULL, NULL));
    expect(&t, t.b, 4000, 1);
    CHECK(cb.release(buffer));
    end(&t);
}

static void fields_that_may_change(void **state)
{
    (void)state;
    struct world t = begin(0);
    cl_mutable_dispatch_fields_khr all;
    CHECK(clGetDeviceInfo(t.w.device, CL_DEVICE_MUTABLE_DISPATCH_CAPABILITIES_KHR, sizeof all, &all, NULL));
    set_add(&t, t.a, 1);
    const size_t eight = 8, none = 0;
    const cl_bool no = CL_FALSE;
    const cl_mutable_dispatch_arg_khr arg = {0, sizeof t.b, &t.b};
    const cl_mutable_dispatch_exec_info_khr exec = {CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM, sizeof no, &no};
    for (unsigned bit = 0; bit < 5; bit++) {
        for (int allowed = 0; allowed < 2; allowed++) {
            cl_command_buffer_khr buffer = new_buffer(&t, CL_COMMAND_BUFFER_MUTABLE_KHR);
            cl_mutable_command_khr command;
            const cl_command_properties_khr list[] = {CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR, allowed ? 1u << bit : all & ~(1u << bit),
                                                      0};
            CHECK(cb.launch(buffer, NULL, list, t.add, 1, NULL, &items, &eight, 0, NULL, NULL, &command));
            cl_mutable_dispatch_config_khr config = {.command = command};
            if (bit == 0)
                config.global_work_offset = &none;
            else if (bit == 1)
                config.global_work_size = &items;
            else if (bit == 2)
                config.local_work_size = &eight;
            else if (bit == 3)
                config.num_args = 1, config.arg_list = &arg;
            else
                config.num_exec_infos = 1, config.exec_info_list = &exec;
            CHECK_CODE(update_one(buffer, &config), CL_INVALID_OPERATION); /* not finalized */
            CHECK(cb.finalize(buffer));
            cl_int code = update_one(buffer, &config);
            if (allowed && bit == 4 && code == CL_INVALID_OPERATION) { /* a device without SVM */
                cl_device_svm_capabilities svm;
                CHECK(clGetDeviceInfo(t.w.device, CL_DEVICE_SVM_CAPABILITIES, sizeof svm, &svm, NULL));
                assert_int_equal(svm, 0);
            } else {
                assert_int_equal(code, allowed ? CL_SUCCESS : CL_INVALID_OPERATION);
            }
            cl_command_properties_khr got[3];
            size_t size;
            CHECK(cb.command_info(command, CL_MUTABLE_COMMAND_PROPERTIES_ARRAY_KHR, sizeof got, got, &size));
            assert_int_equal(size, sizeof list);
            assert_memory_equal(got, list, sizeof list);
            CHECK(cb.release(buffer));
        }
    }
    cl_command_buffer_khr fixed = new_buffer(&t, 0);
    cl_mutable_command_khr command;
    CHECK(cb.launch(fixed, NULL, NULL, t.add, 1, NULL, &items, NULL, 0, NULL, NULL, &command));
    CHECK(cb.finalize(fixed));
    const cl_mutable_dispatch_config_khr config = {.command = command};
    CHECK_CODE(update_one(fixed, &config), CL_INVALID_OPERATION);
    CHECK(cb.release(fixed));
    end(&t);
}

/* Arguments may be given after the recording, if the recording says so. */
static void arguments_that_come_later(void **state)
{
    (void)state;
    struct world t = begin(0);
    cl_kernel bare = test_kernel(t.program, "add");
    cl_command_buffer_khr buffer = new_buffer(&t, CL_COMMAND_BUFFER_MUTABLE_KHR), fixed = new_buffer(&t, 0);
    cl_mutable_command_khr command;
    const cl_command_properties_khr list[] = {CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR, CL_MUTABLE_DISPATCH_ARGUMENTS_KHR, 0};
    CHECK_CODE(cb.launch(buffer, NULL, NULL, bare, 1, NULL, &items, NULL, 0, NULL, NULL, &command), CL_INVALID_KERNEL_ARGS);
    CHECK_CODE(cb.launch(fixed, NULL, list, bare, 1, NULL, &items, NULL, 0, NULL, NULL, &command), CL_INVALID_KERNEL_ARGS);
    CHECK(cb.launch(buffer, NULL, list, bare, 1, NULL, &items, NULL, 0, NULL, NULL, &command));
    CHECK(cb.finalize(buffer));
    assert_int_equal(state_of(buffer), CL_COMMAND_BUFFER_STATE_FINALIZED_KHR);
    CHECK_CODE(cb.enqueue(0, NULL, buffer, 0, NULL, NULL), CL_INVALID_OPERATION);
    const cl_int nine = 9;
    const cl_mutable_dispatch_arg_khr args[] = {{0, sizeof t.a, &t.a}, {1, sizeof nine, &nine}};
    for (int i = 0; i < 2; i++) {
        const cl_mutable_dispatch_config_khr config = {.command = command, .num_args = 1, .arg_list = &args[i]};
        assert_int_equal(state_of(buffer), CL_COMMAND_BUFFER_STATE_FINALIZED_KHR);
        CHECK(update_one(buffer, &config));
    }
    assert_int_equal(state_of(buffer), CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR);
    CHECK(clEnqueueFillBuffer(t.w.queue, t.a, &zero, sizeof zero, 0, BYTES, 0, NULL, NULL));
    CHECK(cb.enqueue(0, NULL, buffer, 0, NULL, NULL));
    expect(&t, t.a, 9, 0);
    CHECK(clReleaseKernel(bare));
    CHECK(cb.release(buffer));
    CHECK(cb.release(fixed));
    end(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(updates),
        cmocka_unit_test(fields_that_may_change),
        cmocka_unit_test(arguments_that_come_later),
    };
    return cmocka_run_group_tests(tests, find_functions, NULL);
}
