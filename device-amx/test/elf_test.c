/* SPDX-License-Identifier: Apache-2.0
 * Programs that are loaded without a file: all kernels are found, and damage is found or does no harm. That they run as those of the
 * dynamic linker do is tested by launch_test, which runs a second time without files (device-amx/launch_without_files). */
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "harness.h"

static const char *const variants[] = {"kernels-O0", "kernels-O2", "kernels-packets=16"};

static void limit_files(rlim_t size)
{
    struct rlimit limit;
    getrlimit(RLIMIT_FSIZE, &limit);
    limit.rlim_cur = size;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

static void every_kernel_is_found(void **state)
{
    (void)state;
    for (size_t i = 0; i < TSR_ARRAY_LEN(variants); i++) {
        struct program usual, alone;
        program_load(&usual, variants[i]);
        limit_files(0);
        program_load(&alone, variants[i]);
        limit_files(RLIM_INFINITY);
        assert_non_null(usual.module->handle);
        assert_null(alone.module->handle);
        assert_true(!usual.module->sites == !alone.module->sites);
        for (uint32_t k = 0; k < alone.info.kernel_count; k++)
            assert_non_null(alone.module->entries[k].run);
        assert_null(tsr__elf_symbol(&alone.module->elf, "no_such_kernel"));
        assert_null(tsr__elf_symbol(&alone.module->elf, ""));
        program_free(&usual);
        program_free(&alone);
    }
}

/* Each byte of the headers, and many others, in turn. Loading never touches memory that is not the program's. */
static void damage_is_found_or_harmless(void **state)
{
    (void)state;
    struct program p;
    program_load(&p, variants[1]);
    size_t size = p.info.code_size;
    unsigned char *copy = tsr_malloc(size);
    unsigned random = 1, loaded = 0, refused = 0;
    for (int i = 0; i < 6000; i++) {
        memcpy(copy, p.code, size);
        random = random * 1664525 + 1013904223;
        size_t place = i < 600 ? (size_t)i : random % size;
        copy[place] = (unsigned char)(random >> 16);
        if (i % 3 == 0 && place + 8 < size)
            memset(copy + place, (int)(random >> 24), 8);
        struct tsr_program_info info = p.info;
        struct tsr_module *module;
        char *why = NULL;
        info.code = copy;
        limit_files(0);
        enum tsr_status status = tsr_cpu_device.module_load(test_device(), &info, &module, &why);
        limit_files(RLIM_INFINITY);
        if (status == TSR_OK)
            tsr_cpu_device.module_unload(module);
        assert_true(status == TSR_OK || why);
        *(status == TSR_OK ? &loaded : &refused) += 1;
        tsr_free(why);
    }
    assert_true(loaded > 100 && refused > 100);
    tsr_free(copy);
    program_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_kernel_is_found), cmocka_unit_test(damage_is_found_or_harmless)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
