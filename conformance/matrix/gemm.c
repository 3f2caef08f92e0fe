/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance/matrix/gemm.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

const struct element_kind elements[] = {[S8] = {"i8", 8, false}, [U8] = {"u8", 8, true},       [S4] = {"i4", 4, false},
                                        [U4] = {"u4", 4, true},  [BF16] = {"bf16", 16, false}, [F16] = {"f16", 16, false}};

struct device device;
static char *source;

int gemm_open(void **state)
{
    (void)state;
    FILE *file = fopen(GEMM_SOURCE, "rb");
    source = calloc(1, 1 << 16);
    if (!file || !source || !fread(source, 1, (1 << 16) - 1, file))
        return -1;
    fclose(file);
    device_open(&device);
    return 0;
}

int gemm_close(void **state)
{
    (void)state;
    device_close(&device);
    free(source);
    return 0;
}

/* NULL: it does not build. */
static cl_program build(const struct way *w, char options[600])
{
    char mad[100];
    snprintf(mad, sizeof(mad), "intel_sub_group_%s_%s%s_matrix_mad_k%d", elements[w->a].name, elements[w->b].name, w->split ? "_split" : "",
             256 / elements[w->a].bits);
    snprintf(
        options, 600,
        "-cl-std=CL3.0 -DSG=%d -DM=%d -DA_ROWS=%d -DROWS=%d -DCOLUMNS=%d -DCHAIN=%d -DMAD=%s -Delement=%s -Da_scalar=%s%s -Db_scalar=%s %s",
        w->sub_group, w->m, w->split ? w->m / 2 : w->m, w->rows, w->columns, w->chain, mad, w->a >= BF16 ? "float" : "int",
        elements[w->a].is_unsigned ? "u" : "", w->sub_group == 16 ? "short" : "int", elements[w->b].is_unsigned ? "uint" : "int",
        w->options ? w->options : "");
    return device_build(&device, source, options);
}

bool gemm_has(const struct way *w)
{
    enum { FEW = 2 };
    static bool seen[2];
    static const char *const reasons[2] = {"sub-groups of 8, which this device does not have", "cannot be used: the device"};
    bool has_size = device_has_size(&device, (size_t)w->sub_group);
    bool has_pairs = !w->split || !device_is_gpu(&device) || device_has(&device, "cl_intel_subgroup_split_matrix_multiply_accumulate");
    bool has_units = !device_is_gpu(&device) || w->sub_group != 16 || device_has(&device, "cl_intel_subgroup_2d_block_io");
    if (has_size && has_pairs) /* functions that the units lack are much code: products with few of them are enough */
        return has_units || w->rows * w->columns * w->chain <= FEW;
    char options[600];
    if (!seen[has_size]) {
        assert_null(build(w, options));
        assert_non_null(strstr(device.log, reasons[has_size]));
    }
    seen[has_size] = true;
    return false;
}

cl_program gemm_build(const struct way *w)
{
    char options[600];
    cl_program program = build(w, options);
    if (!program)
        fprintf(stderr, "%s\n%s\n", options, device.log);
    assert_non_null(program);
    return program;
}

bool explains_tiles(void)
{
    const char *unit = getenv("TESSERA_TILES"), *report = getenv("TESSERA_EXPLAIN");
    return unit && !strcmp(unit, "model") && report && !strcmp(report, "json");
}
