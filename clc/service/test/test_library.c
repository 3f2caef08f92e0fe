/* SPDX-License-Identifier: Apache-2.0
 * The compiler as a library: loaded as the driver loads it, it answers, also to several threads at once, and exports two functions. */
#include "clc/common/wire.h"
#include "tessera/program.h"

#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static __typeof__(tsr_cc_answer) *answer;
static __typeof__(tsr_cc_free) *release;
static void *handle;

/* Builds a kernel; the outcome, or -1 if the answer is none. */
static int build(const char *source)
{
    struct tsr_wire_request request = {.request = {.source = {NULL, source, strlen(source)},
                                                   .macros = tsr_clc_device_macros(),
                                                   .cpu_features = tsr_cpu()->features,
                                                   .default_sub_group_size = 16}};
    struct tsr_buf buf = {0};
    tsr_wire_write_request(&request, &buf);
    size_t size;
    unsigned char *bytes = answer(buf.data, buf.size, &size);
    tsr_buf_free(&buf);
    struct tsr_arena arena = {0};
    struct tsr_wire_result result;
    struct tsr_program_info info;
    int outcome = bytes && tsr_wire_read_result(bytes, size, &arena, &result) == TSR_OK ? (int)result.outcome : -1;
    if (outcome == TSR_CLC_DONE && (tsr_image_read(result.image, result.image_size, &arena, &info) != TSR_OK || info.kernel_count != 1))
        outcome = -1;
    tsr_arena_free(&arena);
    release(bytes);
    return outcome;
}

static void load(void **state)
{
    (void)state;
    handle = dlopen(TESSERA_CC_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (!handle)
        fail_msg("%s", dlerror());
    *(void **)&answer = dlsym(handle, "tsr_cc_answer");
    *(void **)&release = dlsym(handle, "tsr_cc_free");
    assert_non_null(answer);
    assert_non_null(release);
    assert_null(dlsym(handle, "LLVMContextCreate"));
    assert_int_equal(build("kernel void k(global int *p) { *p = 1; }"), TSR_CLC_DONE);
    assert_int_equal(build("kernel void k(global int *p) { *p = x; }"), TSR_CLC_FAILED);
}

static void *many(void *data)
{
    int *good = data;
    for (int i = 0; i < 5; i++)
        *good += build("kernel void k(global float *p) { *p = exp(*p); }") == TSR_CLC_DONE;
    return NULL;
}

static void several_at_once(void **state)
{
    (void)state;
    enum { THREADS = 4 };
    pthread_t threads[THREADS];
    int good[THREADS] = {0};
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, many, &good[i]), 0);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(good[i], 5);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(load), cmocka_unit_test(several_at_once)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
