/* SPDX-License-Identifier: Apache-2.0
 * The compiler's reports (TESSERA_EXPLAIN): their lines in the build log, as text and as JSON. */
#include "clc/service/test/service_test.h"

static const char explained[] = "float square(global const float *t, int i) { return t[i * i]; }\n"                          /* 1 */
                                "kernel void k(global const float *a, global float *o, global const float4 *v, int n)\n"     /* 2 */
                                "{\n"                                                                                        /* 3 */
                                "    int i = get_global_id(0);\n"                                                            /* 4 */
                                "    float q[64];\n"                                                                         /* 5 */
                                "    for (int j = 0; j < 64; j++)\n"                                                         /* 6 */
                                "        q[j] = a[j];\n"                                                                     /* 7 */
                                "    float r = a[i] + a[n - i] + v[i].y;\n"                                                  /* 8 */
                                "    r += square(a, i);\n"                                                                   /* 9 */
                                "    r += q[n & 63];\n"                                                                      /* 10 */
                                "    r += a[clamp(i - 1, 0, n)];\n"                                                          /* 11 */
                                "    if (r > 3)\n"                                                                           /* 12 */
                                "        o[64 * i] = r;\n"                                                                   /* 13 */
                                "    for (int j = 0; j < i; j++)\n"                                                          /* 14 */
                                "        o[i] += r;\n"                                                                       /* 15 */
                                "}\n"                                                                                        /* 16 */
                                "kernel __attribute__((intel_reqd_sub_group_size(8))) void m(global int *o, local int *t)\n" /* 17 */
                                "{\n"                                                                                        /* 18 */
                                "    int i = get_local_id(0);\n"                                                             /* 19 */
                                "    t[i] = i;\n"                                                                            /* 20 */
                                "    barrier(CLK_LOCAL_MEM_FENCE);\n"                                                        /* 21 */
                                "    atomic_add(o, t[i ^ 1]); atomic_max(&o[i], 5);\n"                                       /* 22 */
                                "}\n"
                                "kernel void own(global uint16 *a, int n)\n"
                                "{\n"
                                "    uint16 x = a[get_global_id(0)], y = x * 3;\n"
                                "    for (int j = 0; j < n; j++)\n"
                                "        x += rotate(y, x), y ^= x * a[3];\n"
                                "    a[get_global_id(0)] = x;\n"
                                "}\n"
                                "kernel void small(global int *o, local int *t)\n"
                                "{\n"
                                "    int i = get_local_id(0);\n"
                                "    t[i] = i;\n"
                                "    barrier(CLK_LOCAL_MEM_FENCE);\n"
                                "    o[get_global_id(0)] = t[get_local_size(0) - 1 - i];\n"
                                "}\n"
                                "kernel void rows(global int *o, int n) { o[get_global_id(0) * n + get_global_id(1)] = 1; }\n"
                                "kernel void together(global float *o, global const uchar *b, global uint *w)\n"
                                "{\n"
                                "    int i = get_global_id(0);\n"
                                "    float x = o[i], y = o[i + 64];\n"
                                "    o[i] = sub_group_reduce_add(x) * sub_group_reduce_add(y);\n"
                                "    w[i] = (b[2 * i] | b[2 * i + 1] << 8 | b[2 * i + 2] << 16 | b[2 * i + 3] << 24) & 0x0f0f0f0f;\n"
                                "}\n";

/* Kernel k's part of a report, then m's: pieces of lines in their order. */
static const char *const report[] = {
    "kernel k:\n",
    "sub-group  16 lanes      the default\n",
    "array      lane order    q, float[64]\n",
    "packets    loop ",
    "size       code ",
    "size       stack ",
    "  6:5      loop       uniform ",
    "  7:14     store      consecutive   private float\n",
    "  7:16     load       uniform       global float\n",
    "  8:15     load       consecutive   global float\n",
    "  8:22     load       reversed      global float\n",
    "  8:33     load       interleaved   global float4\n",
    "  1:53     load       gather        global float",
    " (called from line 9)\n",
    "  10:10    load       consecutive   private float\n",
    "  11:10    load       consecutive?  global float: ",
    "  12:11    branch     divergent ",
    "  13:19    store      scatter       global float, masked, 256 bytes from lane to lane",
    "  14:5     loop       divergent ",
    "  15:14    load       consecutive   global float, masked\n",
    "kernel m:\n",
    "sub-group  8 lanes       required by the kernel's attribute\n",
    "packets    regions ",
    "  20:10    store      consecutive   local int\n",
    "  21:5     barrier    cut ",
    "  22:5     atomic     one ",
    "  22:19    load       gather        local int",
    "  22:30    atomic     consecutive   int, 4 lanes at once\n",
    "kernel own:\n",
    "packets    one item      a work-item at a time, since its own vectors fill the registers\n",
    "kernel rows:\n",
    "packets    along y ",
    "kernel small:\n",
    "packets    regions ",
    "kernel together:\n",
    "reduction  joint         2 reductions of 16 lanes ",
    "code       words         4 numbers of 8 bits ",
};

/* TESSERA_EXPLAIN: what became of the kernels stands in the log of the build, also of one that may wait for its kernels. */
static void reports(void **state)
{
    (void)state;
    struct tsr_clc_request request = {
        .op = TSR_CLC_BUILD, .source = {NULL, explained, strlen(explained)}, .by_kernel = true, .options = ""};
    stop();
    setenv("TESSERA_EXPLAIN", "1", 1);
    start();
    struct answer answer = ask(&request);
    expect(&answer, TSR_CLC_DONE, NULL);
    assert_int_equal(answer.info.kind, TSR_IMAGE_EXECUTABLE);
    const char *at = answer.result.log;
    for (size_t i = 0; i < TSR_ARRAY_LEN(report); i++) {
        const char *found = strstr(at, report[i]);
        if (!found)
            fail_msg("no '%s' where it should be in\n%s", report[i], answer.result.log);
        at = found + strlen(report[i]);
    }
    end(&answer);
    struct tsr_clc_request groups = request;
    groups.target = (struct tsr_target){.triple = TSR_TRIPLE_X86_64,
                                        .features = tsr_cpu()->features,
                                        .engine = TSR_ENGINE_GROUPS,
                                        .default_sub_group_size = 16,
                                        .macros = tsr_clc_all_macros()};
    answer = ask(&groups);
    expect(&answer, TSR_CLC_DONE, "packets    groups        each has several small work-groups");
    end(&answer);
    stop();
    setenv("TESSERA_EXPLAIN", "json", 1);
    start();
    answer = ask(&request);
    expect(&answer, TSR_CLC_DONE,
           "{\"kernel\":\"k\",\"line\":8,\"column\":15,\"count\":1,\"topic\":\"load\",\"verdict\":\"consecutive\","
           "\"text\":\"global float\"}\n");
    expect(&answer, TSR_CLC_DONE, "\"line\":1,\"column\":53,\"from\":9,\"count\":1,\"topic\":\"load\",\"verdict\":\"gather\"");
    end(&answer);
    stop();
    setenv("TESSERA_ENGINE", "reference", 1);
    start();
    check(explained, "", TSR_CLC_DONE, "\"topic\":\"engine\",\"verdict\":\"reference\"");
    stop();
    unsetenv("TESSERA_ENGINE");
    unsetenv("TESSERA_EXPLAIN");
    start();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(reports)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
