/* SPDX-License-Identifier: Apache-2.0
 * Launches: arguments, work-item functions against an independent computation, program-scope variables, arithmetic that must not trap. */
#include <dirent.h>
#include <fcntl.h>
#include <immintrin.h>
#include <limits.h>
#include <link.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness.h"

static struct program programs[3]; /* at O0, at O2, in packets */

static void test_vadd(void **state)
{
    (void)state;
    enum { N = 1000 };
    float a[N], b[N], c[N], *pa = a, *pb = b, *pc = c;
    for (size_t k = 0; k < TSR_ARRAY_LEN(programs); k++) {
        for (int i = 0; i < N; i++) {
            a[i] = (float)i;
            b[i] = (float)(3 * i) + 0.5f;
            c[i] = -1;
        }
        assert_int_equal(RUN(&programs[k], "vadd", range1(N, 20), ARG(pa), ARG(pb), ARG(pc)), 0);
        for (int i = 0; i < N; i++)
            assert_true(c[i] == a[i] + b[i]);
    }
}

struct mixed {
    int8_t c;
    double d;
    _Alignas(16) float f[4];
};

static void test_arguments(void **state)
{
    (void)state;
    for (size_t k = 0; k < TSR_ARRAY_LEN(programs); k++) {
        int8_t c = -3;
        int16_t s3[4] = {1, 2, -300, 4};
        struct mixed m = {7, 2.5, {0, 0, 0, 10}};
        _Alignas(128) double wide[16] = {[15] = 1000};
        float out[32] = {0}, *po = out;
        uint64_t last = 100000;
        assert_int_equal(RUN(&programs[k], "arguments", range1(32, 8), ARG(c), ARG(s3), ARG(m), ARG(wide), ARG(po),
                             LOCAL_ARG(8 * sizeof(float)), ARG(last)),
                         0);
        for (int i = 0; i < 32; i++)
            assert_true(out[i] == -3 - 300 + 7 + 3.5f + 10 + 1000 + 100000);
    }
}

/* The values that do not speak of sub-groups, computed from the definitions in the OpenCL specification. Answers the work-items of the
 * group. */
static uint64_t check_numbers(const uint64_t *o, const struct tsr_ndrange *r, const uint64_t g[3])
{
    uint64_t size[3], local[3], items = 1;
    for (int d = 0; d < 3; d++) {
        uint64_t group = g[d] / r->local[d], left = r->global[d] - group * r->local[d];
        size[d] = left < r->local[d] ? left : r->local[d];
        local[d] = g[d] % r->local[d];
        items *= size[d];
        assert_int_equal(o[d], g[d] + r->offset[d]);
        assert_int_equal(o[3 + d], local[d]);
        assert_int_equal(o[6 + d], group);
        assert_int_equal(o[9 + d], size[d]);
        assert_int_equal(o[12 + d], (r->global[d] + r->local[d] - 1) / r->local[d]);
        assert_int_equal(o[15 + d], r->local[d]);
    }
    assert_int_equal(o[18], (local[2] * size[1] + local[1]) * size[0] + local[0]);
    return items;
}

static void check_ids(const uint64_t *o, const struct tsr_ndrange *r, const uint64_t g[3], uint64_t sub_group)
{
    uint64_t items = check_numbers(o, r, g), in = o[18] / sub_group;
    assert_int_equal(o[19], in);
    assert_int_equal(o[20], o[18] % sub_group);
    assert_int_equal(o[21], items - in * sub_group < sub_group ? items - in * sub_group : sub_group);
    assert_int_equal(o[22], (items + sub_group - 1) / sub_group);
    assert_int_equal(o[23], r->dim);
}

static const struct tsr_ndrange ranges[] = {
    {1, {0, 0, 0}, {100, 1, 1}, {10, 1, 1}},        {1, {7, 0, 0}, {100, 1, 1}, {33, 1, 1}},   {2, {1, 2, 0}, {20, 30, 1}, {7, 4, 1}},
    {3, {5, 0, 9}, {9, 8, 7}, {3, 3, 3}},           {3, {0, 0, 0}, {5, 5, 5}, {5, 5, 5}},      {3, {0, 0, 0}, {1, 1, 40}, {1, 1, 7}},
    {2, {0, 1ull << 40, 0}, {3, 50, 1}, {2, 9, 1}}, {1, {32, 0, 0}, {300, 1, 1}, {64, 1, 1}},  {3, {0, 1, 0}, {40, 5, 3}, {16, 2, 2}},
    {1, {0, 0, 0}, {5003, 1, 1}, {1, 1, 1}},        {1, {13, 0, 0}, {3000, 1, 1}, {2, 1, 1}},  {2, {3, 0, 0}, {170, 33, 1}, {17, 3, 1}},
    {1, {15, 0, 0}, {1, 1, 1}, {1, 1, 1}},          {2, {0, 0, 0}, {2049, 3, 1}, {100, 2, 1}}, {1, {9, 0, 0}, {40, 1, 1}, {64, 1, 1}},
    {3, {0, 3, 4}, {32, 6, 5}, {32, 2, 1}},         {3, {64, 0, 1}, {64, 5, 7}, {32, 2, 2}},   {3, {0, 0, 0}, {80, 3, 4}, {32, 3, 2}},
    {3, {32, 0, 0}, {32, 1, 90}, {32, 1, 1}},       {2, {0, 0, 0}, {32, 40, 1}, {64, 1, 1}},
};

static void test_ids(void **state)
{
    (void)state;
    for (size_t i = 0; i < TSR_ARRAY_LEN(programs) * TSR_ARRAY_LEN(ranges); i++) {
        struct program *p = &programs[i % TSR_ARRAY_LEN(programs)];
        const struct tsr_ndrange *r = &ranges[i / TSR_ARRAY_LEN(programs)];
        uint64_t total = r->global[0] * r->global[1] * r->global[2], *out = calloc(total, 24 * 8);
        assert_int_equal(program_run(p, "ids", r, (struct argument[]){ARG(out)}, 1, NULL), 0);
        uint64_t g[3];
        const uint64_t *o = out;
        for (g[2] = 0; g[2] < r->global[2]; g[2]++) {
            for (g[1] = 0; g[1] < r->global[1]; g[1]++) {
                for (g[0] = 0; g[0] < r->global[0]; g[0]++, o += 24)
                    check_ids(o, r, g, program_kernel(p, "ids")->sub_group_size);
            }
        }
        free(out);
    }
}

static void test_numbers(void **state)
{
    (void)state;
    for (size_t i = 0; i < TSR_ARRAY_LEN(programs) * TSR_ARRAY_LEN(ranges); i++) {
        struct program *p = &programs[i % TSR_ARRAY_LEN(programs)];
        const struct tsr_ndrange *r = &ranges[i / TSR_ARRAY_LEN(programs)];
        uint64_t total = r->global[0] * r->global[1] * r->global[2], *out = calloc(total, 24 * 8), g[3];
        uint32_t dim = i % 3;
        assert_int_equal(program_run(p, "numbers", r, (struct argument[]){ARG(out), ARG(dim)}, 2, NULL), 0);
        const uint64_t *o = out;
        for (g[2] = 0; g[2] < r->global[2]; g[2]++)
            for (g[1] = 0; g[1] < r->global[1]; g[1]++)
                for (g[0] = 0; g[0] < r->global[0]; g[0]++, o += 24) {
                    uint64_t other = (g[0] + r->offset[0]) % 3;
                    check_numbers(o, r, g);
                    assert_int_equal(o[19], o[3 + dim]);
                    assert_int_equal(o[20], o[6 + dim]);
                    assert_int_equal(o[21], o[3 + other]);
                    assert_int_equal(o[22], o[6 + other]);
                    assert_int_equal(o[23], 1);
                }
        free(out);
    }
}

/* The range of a kernel that does not observe work-groups may be cut in any way. */
static void test_global_ids(void **state)
{
    (void)state;
    static const uint64_t sizes[][3] = {{1, 1, 1},   {3, 5, 7},   {17, 1, 1},   {1000, 3, 1}, {5000, 1, 1},
                                        {40, 30, 3}, {1, 1, 700}, {1500, 2, 2}, {2050, 3, 1}};
    for (size_t i = 0; i < TSR_ARRAY_LEN(programs) * TSR_ARRAY_LEN(sizes); i++) {
        struct program *p = &programs[i % TSR_ARRAY_LEN(programs)];
        const uint64_t *n = sizes[i / TSR_ARRAY_LEN(programs)];
        for (uint64_t offset = 0; offset < 33; offset += 4) {
            struct tsr_ndrange r = {3, {offset, offset % 5, 0}, {n[0], n[1], n[2]}, {n[0] % 7 + 1, 1, 1}};
            uint64_t total = n[0] * n[1] * n[2], *out = calloc(total, 4 * 8);
            assert_int_equal(program_run(p, "global_ids", &r, (struct argument[]){ARG(out)}, 1, NULL), 0);
            for (uint64_t k = 0; k < total; k++) {
                assert_int_equal(out[4 * k], offset + k % n[0]);
                assert_int_equal(out[4 * k + 1], offset % 5 + k / n[0] % n[1]);
                assert_int_equal(out[4 * k + 2], k / n[0] / n[1]);
                assert_int_equal(out[4 * k + 3], 1);
            }
            free(out);
        }
    }
}

static void test_program_scope(void **state)
{
    (void)state;
    for (size_t k = 0; k < TSR_ARRAY_LEN(programs); k++) {
        struct program again;
        program_load(&again, k ? "kernels-O2" : "kernels-O0");
        int out = 0, *po = &out;
        for (int i = 1; i <= 3; i++) {
            assert_int_equal(RUN(&again, "count", range1(1, 1), ARG(po)), 0);
            assert_int_equal(out, 5 + 10 * i);
        }
        struct program other;
        program_load(&other, k ? "kernels-O2" : "kernels-O0");
        assert_int_equal(RUN(&other, "count", range1(1, 1), ARG(po)), 0);
        assert_int_equal(out, 15);
        program_free(&other);
        program_free(&again);
    }
}

static void test_divide(void **state)
{
    (void)state;
    static const int values[] = {0, 1, -1, 7, -7, INT_MAX, INT_MIN, 128, -128, 256};
    enum { N = TSR_ARRAY_LEN(values) * TSR_ARRAY_LEN(values) };
    int a[N], b[N], q[N], r[N], *pa = a, *pb = b, *pq = q, *pr = r;
    for (int i = 0; i < N; i++) {
        a[i] = values[i % TSR_ARRAY_LEN(values)];
        b[i] = values[i / TSR_ARRAY_LEN(values)];
    }
    for (size_t k = 0; k < TSR_ARRAY_LEN(programs); k++) {
        assert_int_equal(RUN(&programs[k], "divide", range1(N, 1), ARG(pa), ARG(pb), ARG(pq), ARG(pr)), 0);
        for (int i = 0; i < N; i++) {
            if (b[i] == 0 || (a[i] == INT_MIN && b[i] == -1))
                continue;
            assert_int_equal(q[i], a[i] / b[i]);
            assert_int_equal(r[i], a[i] % b[i]);
        }
    }
}

static void test_denormals(void **state)
{
    (void)state;
    float x = 1.5e-38f, *px = &x;
    unsigned before = _mm_getcsr();
    _mm_setcsr(before | 0x8040 | 0x6000); /* what the application does is not what kernels get */
    assert_int_equal(RUN(&programs[1], "denormals", range1(1, 1), ARG(px)), 0);
    assert_int_equal(_mm_getcsr() & 0xe040, 0xe040);
    _mm_setcsr(before);
    assert_true(x == 7.5e-39f && x != 0);
}

static void test_large_private(void **state)
{
    (void)state;
    for (size_t k = 0; k < TSR_ARRAY_LEN(programs); k++) {
        struct program *p = &programs[k];
        assert_true(program_kernel(p, "large_private")->private_bytes + program_kernel(p, "large_private")->context_bytes >= 65536);
        assert_true(tsr_cpu_device.max_work_group(test_device(), program_kernel(p, "large_private"), 0) >= 1);
        uint32_t out[256] = {0}, *po = out;
        assert_int_equal(RUN(p, "large_private", range1(256, 256), ARG(po)), 0);
        for (uint32_t i = 0; i < 256; i++)
            assert_int_equal(out[i], (uint32_t)(16383u * 8192u * (uint64_t)(i + 1)) + 256);
        assert_int_equal(RUN(p, "large_private_alone", range1(16, 4), ARG(po)), 0);
        for (uint32_t i = 0; i < 16; i++)
            assert_int_equal(out[i], (uint32_t)(65535ull * 32768ull * (i + 1)));
    }
}

static void test_limits(void **state)
{
    (void)state;
    const struct tsr_kernel_info *k = program_kernel(&programs[1], "barrier_sum");
    struct tsr_device two = *test_device();
    two.compute_units = 2;
    uint64_t most = tsr_cpu_device.max_work_group(test_device(), k, 0);
    assert_in_range(most, 1, test_device()->caps->max_work_group_size);
    assert_int_equal(tsr_cpu_device.max_work_group(test_device(), k, test_device()->caps->local_memory), 0);
    for (uint64_t n = 1; n < 3000; n = n * 3 / 2 + 1) {
        struct tsr_ndrange r = range1(n, 1);
        tsr_cpu_device.suggest_local_size(&two, k, &r);
        assert_in_range(r.local[0], 1, most);
        assert_int_equal(n % r.local[0], 0);
    }
    struct tsr_ndrange odd = range1(100003, 1); /* a prime */
    tsr_cpu_device.suggest_local_size(&two, program_kernel(&programs[2], "ids"), &odd);
    assert_int_equal(odd.local[0], 256);
    struct tsr_ndrange r = range3(64, 64, 4, 1, 1, 1);
    tsr_cpu_device.suggest_local_size(&two, program_kernel(&programs[1], "vadd"), &r);
    assert_int_equal(r.local[0] * r.local[1] * r.local[2], 256);
}

static void test_damaged(void **state)
{
    (void)state;
    struct tsr_program_info info = programs[1].info;
    struct tsr_module *module;
    char *why = NULL;
    info.code_size /= 2;
    assert_int_not_equal(tsr_cpu_device.module_load(test_device(), &info, &module, &why), TSR_OK);
    assert_non_null(why);
    tsr_free(why);
    why = NULL;
    struct tsr_kernel_info k = {.name = "missing", .entry = "missing.kernel"};
    info = programs[1].info;
    info.kernels = &k;
    info.kernel_count = 1;
    assert_int_not_equal(tsr_cpu_device.module_load(test_device(), &info, &module, &why), TSR_OK);
    assert_non_null(strstr(why, "missing.kernel"));
    tsr_free(why);
}

static void skip_without_files(void)
{
    struct rlimit limit;
    if (!getrlimit(RLIMIT_FSIZE, &limit) && !limit.rlim_cur)
        skip();
}

/* Names that the next loads would give their files are taken: by a file, a folder and a link, as a process of the same number left them. */
static void test_keep_code_replaces_nothing(void **state)
{
    (void)state;
    skip_without_files();
    char folder[] = "/tmp/tessera-keep-XXXXXX", path[160], command[60];
    enum { LOADS = 2000 }; /* more than the tests of this program do */
    assert_non_null(mkdtemp(folder));
    for (int i = 0; i < LOADS; i++) {
        snprintf(path, sizeof path, "%s/add-%ld-%d.so", folder, (long)getpid(), i);
        assert_int_equal(symlink("../nowhere", path), 0);
    }
    struct tsr_program_info info = programs[1].info;
    struct tsr_kernel_info *kernels = calloc(info.kernel_count, sizeof *kernels);
    memcpy(kernels, info.kernels, info.kernel_count * sizeof *kernels);
    info.kernels = kernels;
    struct tsr_module *module;
    char *why = NULL;
    setenv("TESSERA_KEEP_CODE", folder, 1);
    static const char *const names[] = {"add", "../add", "/tmp/add"};
    for (int n = 0; n < 3; n++) {
        kernels[0].name = names[n];
        assert_int_equal(tsr_cpu_device.module_load(test_device(), &info, &module, &why), TSR_OK);
        tsr_cpu_device.module_unload(module);
    }
    unsetenv("TESSERA_KEEP_CODE");
    free(kernels);
    unsigned links = 0, files = 0;
    DIR *dir = opendir(folder);
    for (struct dirent *e; (e = readdir(dir)) != NULL;) {
        links += e->d_type == DT_LNK;
        files += e->d_type == DT_REG;
    }
    closedir(dir);
    assert_int_equal(links, LOADS);
    assert_int_equal(files, 3);
    snprintf(command, sizeof command, "rm -rf %s", folder);
    assert_int_equal(system(command), 0);
}

static void test_keep_code(void **state)
{
    (void)state;
    skip_without_files();
    char folder[] = "/tmp/tessera-keep-XXXXXX", path[128];
    assert_non_null(mkdtemp(folder));
    setenv("TESSERA_KEEP_CODE", folder, 1);
    struct program p;
    program_load(&p, "kernels-O2");
    unsetenv("TESSERA_KEEP_CODE");
    int out = 0, *po = &out;
    assert_int_equal(RUN(&p, "count", range1(1, 1), ARG(po)), 0);
    assert_int_equal(out, 15);
    unsigned files = 0;
    DIR *dir = opendir(folder);
    for (struct dirent *e; (e = readdir(dir)) != NULL;) {
        if (e->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%s/%.64s", folder, e->d_name);
        unsigned char *data;
        size_t size;
        assert_int_equal(tsr_file_read(path, 64 << 20, &data, &size), TSR_OK);
        assert_int_equal(size, p.info.code_size);
        assert_memory_equal(data, p.code, size);
        tsr_free(data);
        unlink(path);
        files++;
    }
    closedir(dir);
    assert_int_equal(files, 1);
    assert_int_equal(rmdir(folder), 0);
    program_free(&p);
    /* A folder that is not there fails the load with its name. */
    setenv("TESSERA_KEEP_CODE", folder, 1);
    struct tsr_module *module;
    char *why = NULL;
    assert_int_not_equal(tsr_cpu_device.module_load(test_device(), &programs[1].info, &module, &why), TSR_OK);
    unsetenv("TESSERA_KEEP_CODE");
    assert_non_null(strstr(why, folder));
    tsr_free(why);
}

/* Is there a file of this name in another process, where the descriptors that the name may number are open? */
static int find_elsewhere(struct dl_phdr_info *library, size_t size, void *elsewhere)
{
    (void)size;
    if (strncmp(library->dlpi_name, "/proc/", 6))
        return 0;
    ((unsigned *)elsewhere)[0]++;
    ((unsigned *)elsewhere)[1] += !access(library->dlpi_name, F_OK);
    return 0;
}

/* A debugger opens the files of a process's libraries by their names: those of loaded code must not name a descriptor of its own. */
static void test_names_elsewhere(void **state)
{
    (void)state;
    skip_without_files();
    struct tsr_module *module;
    char *why = NULL;
    assert_int_equal(tsr_cpu_device.module_load(test_device(), &programs[1].info, &module, &why), TSR_OK);
    pid_t child = fork();
    assert_true(child >= 0);
    if (!child) {
        enum { NUMBERS = 64 };
        unsigned found[2] = {0};
        for (int fd = 0; fd < NUMBERS; fd++)
            if (fcntl(fd, F_GETFD) < 0)
                open("/dev/null", O_RDONLY);
        dl_iterate_phdr(find_elsewhere, found);
        _exit(found[0] && !found[1] ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    tsr_cpu_device.module_unload(module);
}

/* Stacks that cannot be had: the launch says so, and the next one works. */
static void test_no_memory(void **state)
{
    (void)state;
    struct program *p = &programs[1];
    uint64_t out[64] = {0}, *po = out;
    for (int i = 0; i < 3; i++) {
        /* More stacks than any address space holds. */
        struct tsr_kernel_info greedy = *program_kernel(p, "barrier_sum");
        greedy.private_bytes = (uint64_t)1 << 46;
        struct tsr_ndrange r = range1(64, 64);
        struct tsr_launch *launch = tsr_cpu_device.launch_make(p->module, &greedy, &r, &po, 0, NULL);
        assert_non_null(launch);
        int status = launch_run(launch);
        char *why = NULL;
        tsr_cpu_device.launch_end(launch, &why);
        assert_int_not_equal(status, 0);
        assert_non_null(strstr(why, "out of memory"));
        tsr_free(why);
        assert_int_equal(RUN(p, "barrier_sum", range1(64, 64), ARG(po)), 0);
        assert_int_equal(out[0], 63 * 64 / 2);
    }
}

/* Not a limit that a noisy machine may pass by chance: ten times what it costs. */
static void test_cost_of_nothing(void **state)
{
    (void)state;
    struct program *p = &programs[1];
    struct tsr_ndrange r = range1(1, 1);
    struct tsr_worker worker = {0};
    uint64_t best = UINT64_MAX;
    for (int i = 0; i < 1000; i++) {
        uint64_t start = tsr_now_ns();
        struct tsr_launch *launch = tsr_cpu_device.launch_make(p->module, program_kernel(p, "nothing"), &r, NULL, 0, NULL);
        assert_non_null(launch);
        assert_int_equal(tsr_cpu_device.launch_run(launch, &worker, 0, 1), 0);
        tsr_cpu_device.launch_end(launch, NULL);
        uint64_t took = tsr_now_ns() - start;
        best = took < best ? took : best;
    }
    print_message("an empty kernel: %lu ns\n", (unsigned long)best);
    assert_true(best < 10000);
}

static int load(void **state)
{
    (void)state;
    program_load(&programs[0], "kernels-O0");
    program_load(&programs[1], "kernels-O2");
    program_load(&programs[2], "kernels-packets=16");
    return 0;
}

static int unload(void **state)
{
    (void)state;
    for (size_t k = 0; k < TSR_ARRAY_LEN(programs); k++)
        program_free(&programs[k]);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_vadd),      cmocka_unit_test(test_arguments),       cmocka_unit_test(test_ids),
        cmocka_unit_test(test_numbers),   cmocka_unit_test(test_global_ids),      cmocka_unit_test(test_program_scope),
        cmocka_unit_test(test_divide),    cmocka_unit_test(test_denormals),       cmocka_unit_test(test_large_private),
        cmocka_unit_test(test_limits),    cmocka_unit_test(test_damaged),         cmocka_unit_test(test_cost_of_nothing),
        cmocka_unit_test(test_keep_code), cmocka_unit_test(test_names_elsewhere), cmocka_unit_test(test_keep_code_replaces_nothing),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, load, unload);
}
