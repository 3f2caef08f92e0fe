/* SPDX-License-Identifier: Apache-2.0
 * Setup and teardown of tests that share a context, a queue and a program. */
#ifndef TESSERA_ICD_TEST_PROGRAM_FIXTURE_H
#define TESSERA_ICD_TEST_PROGRAM_FIXTURE_H

#include "icd/test/cl_test.h"

static struct test_world w;
static cl_program program;

static int begin_with(const char *text, const char *options)
{
    w = test_begin(0);
    program = test_build(w.context, w.device, text, options);
    return 0;
}

static int end(void **state)
{
    (void)state;
    CHECK(clReleaseProgram(program));
    test_end(&w);
    return 0;
}

#endif
