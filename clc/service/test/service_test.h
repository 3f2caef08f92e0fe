/* SPDX-License-Identifier: Apache-2.0
 * What the tests of the compiler process share: the process, questions and answers. */
#ifndef TESSERA_CLC_SERVICE_TEST_H
#define TESSERA_CLC_SERVICE_TEST_H

#include "clc/common/wire.h"
#include "tessera/program.h"

#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define SERVICE_TEST_UNUSED __attribute__((unused))

extern char **environ;

/* ---- the process ---- */

static pid_t compiler;
static int line = -1; /* the socket to it */
static char folder[] = "/tmp/tessera-test-XXXXXX";

static void start(void)
{
    int pair[2];
    posix_spawn_file_actions_t actions;
    char *argv[] = {(char *)"tessera-cc", NULL};
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, pair[1], 0);
    assert_int_equal(posix_spawn(&compiler, TESSERA_CC, &actions, NULL, argv, environ), 0);
    posix_spawn_file_actions_destroy(&actions);
    close(pair[1]);
    line = pair[0];
}

static int stop(void)
{
    int status;
    close(line);
    assert_int_equal(waitpid(compiler, &status, 0), compiler);
    return status;
}

/* One answer. Texts and image lead into `bytes`. */
struct answer {
    struct tsr_wire_result result;
    struct tsr_program_info info; /* if DONE */
    unsigned char *bytes;
    struct tsr_arena arena;
};

static struct answer ask(const struct tsr_clc_request *request)
{
    struct tsr_wire_request wire = {.request = *request, .directory = tsr_wire_reads_files(request) ? folder : NULL};
    if (!wire.request.target.triple)
        wire.request.target = (struct tsr_target){
            .triple = TSR_TRIPLE_X86_64, .features = tsr_cpu()->features, .default_sub_group_size = 16, .macros = tsr_clc_all_macros()};
    struct tsr_buf buf = {0};
    struct answer answer = {0};
    uint32_t kind;
    size_t size;
    tsr_wire_write_request(&wire, &buf);
    assert_int_equal(tsr_wire_send(line, TSR_WIRE_REQUEST, buf.data, buf.size, UINT64_MAX), TSR_OK);
    assert_int_equal(tsr_wire_receive(line, &kind, &answer.bytes, &size, tsr_now_ns() + 120000000000u), TSR_OK);
    assert_int_equal(kind, TSR_WIRE_RESULT);
    assert_int_equal(tsr_wire_read_result(answer.bytes, size, &answer.arena, &answer.result), TSR_OK);
    if (answer.result.outcome == TSR_CLC_DONE)
        assert_int_equal(tsr_image_read(answer.result.image, answer.result.image_size, &answer.arena, &answer.info), TSR_OK);
    tsr_buf_free(&buf);
    return answer;
}

static void end(struct answer *answer)
{
    tsr_free(answer->bytes);
    tsr_arena_free(&answer->arena);
}

static struct answer compile(enum tsr_clc_op op, const char *source, const char *options)
{
    struct tsr_clc_request request = {.op = op, .source = {NULL, source, strlen(source)}, .options = options};
    return ask(&request);
}

static SERVICE_TEST_UNUSED struct answer link_two(const struct answer *a, const struct answer *b, const char *options)
{
    struct tsr_clc_input inputs[] = {{a->result.image, a->result.image_size}, {b->result.image, b->result.image_size}};
    struct tsr_clc_request request = {.op = TSR_CLC_LINK, .input_count = 2, .inputs = inputs, .options = options};
    return ask(&request);
}

static void expect(const struct answer *answer, enum tsr_clc_outcome outcome, const char *in_log)
{
    if (answer->result.outcome != outcome)
        fail_msg("outcome %d, not %d: %s", (int)answer->result.outcome, (int)outcome, answer->result.log);
    if (in_log && !strstr(answer->result.log, in_log))
        fail_msg("no \"%s\" in the log: %s", in_log, answer->result.log);
}

/* Builds and expects this outcome with this text in the log. */
static SERVICE_TEST_UNUSED void check(const char *source, const char *options, enum tsr_clc_outcome outcome, const char *in_log)
{
    struct answer answer = compile(TSR_CLC_BUILD, source, options);
    expect(&answer, outcome, in_log);
    end(&answer);
}

/* A program that every test may build. */
static const SERVICE_TEST_UNUSED char vadd[] = "kernel void vadd(global const float *a, global float *b, int n)\n"
                                               "{\n"
                                               "    size_t i = get_global_id(0);\n"
                                               "    if (i < n)\n"
                                               "        b[i] = a[i] + sin(b[i]);\n"
                                               "}\n";

static int set_up(void **state)
{
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    start();
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    stop();
    char *command = tsr_format("rm -rf '%s'", folder);
    int result = command ? system(command) : -1;
    tsr_free(command);
    return result;
}

#endif
