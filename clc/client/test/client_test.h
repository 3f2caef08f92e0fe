/* SPDX-License-Identifier: Apache-2.0
 * What the tests of clc/client share: a scratch folder, the fake compiler, requests. */
#ifndef TESSERA_CLC_CLIENT_TEST_H
#define TESSERA_CLC_CLIENT_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "clc/client/client.h"
#include "tessera/sanitizer.h"

#define UNUSED __attribute__((unused))

static char scratch[64] = "/tmp/tessera-client-XXXXXX";

/* Fresh folder, fake compiler, no cache. */
static UNUSED int begin(void **state)
{
    (void)state;
    strcpy(scratch, "/tmp/tessera-client-XXXXXX");
    assert_non_null(mkdtemp(scratch));
    char path[100];
    snprintf(path, sizeof(path), "%s/runs", scratch);
    setenv("FAKE_RUNS", path, 1);
    /* A copy: the build folder may be closed to whom a test becomes. */
    char compiler[100], command[600];
    snprintf(compiler, sizeof(compiler), "%s/compiler", scratch);
    snprintf(command, sizeof(command), "cp %s %s", FAKE_COMPILER, compiler);
    assert_int_equal(system(command), 0);
    setenv("TESSERA_CC", compiler, 1);
    setenv("TESSERA_CACHE", "0", 1);
    unsetenv("TESSERA_CC_TIMEOUT");
    unsetenv("TESSERA_CC_MODE");
    tsr_clc_unload(); /* a process of the test before has its environment */
    return 0;
}

static UNUSED int end(void **state)
{
    (void)state;
    tsr_clc_unload();
    char command[120];
    snprintf(command, sizeof(command), "rm -rf %s", scratch);
    return system(command);
}

static UNUSED struct tsr_clc_request request_for(const char *source)
{
    return (struct tsr_clc_request){.op = TSR_CLC_BUILD, .source = {NULL, source, strlen(source)}, .options = "", .target.macros = ""};
}

/* Runs the source; the caller frees the result. */
static UNUSED struct tsr_clc_result run(const char *source)
{
    struct tsr_clc_request request = request_for(source);
    struct tsr_clc_result result;
    tsr_clc_run(&request, &result);
    return result;
}

static UNUSED void expect(const char *source, enum tsr_clc_outcome outcome, const char *log_has)
{
    struct tsr_clc_result result = run(source);
    assert_non_null(result.log);
    if (result.outcome != outcome || !strstr(result.log, log_has))
        fail_msg("\"%s\": outcome %d, expected %d with \"%s\"; log:\n%s", source, result.outcome, outcome, log_has, result.log);
    tsr_clc_result_free(&result);
}

/* The image as text. The caller frees it. */
static UNUSED char *image_of(const char *source)
{
    struct tsr_clc_result result = run(source);
    if (result.outcome != TSR_CLC_DONE)
        fail_msg("\"%s\": outcome %d, log:\n%s", source, result.outcome, result.log);
    char *text = tsr_strndup((const char *)result.image, result.image_size);
    tsr_clc_result_free(&result);
    return text;
}

static UNUSED long runs(void)
{
    struct stat st;
    return stat(getenv("FAKE_RUNS"), &st) ? 0 : (long)st.st_size;
}

#endif
