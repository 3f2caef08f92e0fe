/* SPDX-License-Identifier: Apache-2.0
 * A second opinion on SPIR-V: TESSERA_SPIRV=translator has an installed llvm-spirv, the translator of the Khronos group, make the module,
 * in place of our reader. It is a program, which the jail of the compiler process forbids to start; so a process of its own, made before
 * the jail closes, starts it. */
#include "clc/service/service.h"

#include "clc/spirv/spirv.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

static const struct tsr__program translator = {
    "llvm-spirv", 22, 15, (const char *const[]){"-r", "/dev/stdin", "-o", "-", "--spirv-ext=+all", "--spirv-target-env=CL2.0", NULL}};

/* What goes to the process that starts translators: this, its last word, the module. */
struct question {
    uint64_t word_size, module_size;
};

/* NOWHERE: in an application, whose children are no business of ours. */
static enum { NOWHERE, HERE, BESIDE } where;
static int beside = -1; /* the socket to the process that starts translators */

bool tsr__translate_wanted(void)
{
    const char *value = tsr_env(TSR_ENV_SPIRV);
    return value && !strcmp(value, "translator");
}

/* ---- the process beside the jail ---- */

static bool read_all(int from, void *data, size_t size)
{
    for (char *at = data; size;) {
        ssize_t n = read(from, at, size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        at += n;
        size -= (size_t)n;
    }
    return true;
}

static bool serve_one(int socket)
{
    struct question q;
    if (!read_all(socket, &q, sizeof q) || q.word_size > SIZE_MAX / 4 || q.module_size > SIZE_MAX / 4)
        return false;
    char *word = calloc(1, q.word_size + 1), *module = malloc(q.module_size + 1);
    bool good = word && module && read_all(socket, word, q.word_size) && read_all(socket, module, q.module_size);
    if (good) {
        struct tsr__program_end end;
        tsr__program_run(&translator, word, module, q.module_size, &end);
        good = tsr_write_all(socket, &end, sizeof end) && tsr_write_all(socket, end.out, end.out_size) &&
               tsr_write_all(socket, end.complaint, end.complaint_size);
        tsr__program_free(&end);
    }
    free(word);
    free(module);
    return good;
}

void tsr__translate_prepare(bool jailed)
{
    int pair[2];
    if (!tsr__translate_wanted())
        return;
    where = HERE;
    if (!jailed)
        return;
    where = BESIDE;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
        return;
    pid_t parent = getpid(), pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        close(pair[0]);
        while (getppid() == parent && serve_one(pair[1]))
            continue;
        _exit(0);
    }
    close(pair[1]);
    beside = pid > 0 ? pair[0] : -1;
}

/* Asks the process beside; false: it is gone, or there is no memory for its answer. */
static bool ask(const char *word, const void *module, size_t size, struct tsr__program_end *end)
{
    struct question q = {strlen(word), size};
    *end = (struct tsr__program_end){0};
    if (beside < 0 || !tsr_write_all(beside, &q, sizeof q) || !tsr_write_all(beside, word, q.word_size) ||
        !tsr_write_all(beside, module, size) || !read_all(beside, end, sizeof *end)) {
        *end = (struct tsr__program_end){0};
        return false;
    }
    end->out = malloc(end->out_size + 1); /* the pointers are those of the other process */
    end->complaint = malloc(end->complaint_size + 1);
    return end->out && end->complaint && read_all(beside, end->out, end->out_size) && read_all(beside, end->complaint, end->complaint_size);
}

/* ---- the module ---- */

/* The option that gives the values of specialisation constants: id:i<bits>:<value>, one after the other. */
static void put_constants(struct tsr_buf *text, const struct tsr_wire_request *request)
{
    for (uint32_t i = 0; i < request->request.spec_count; i++) {
        const struct tsr_spirv_constant *c = &request->request.spec_constants[i];
        uint64_t bits = 0;
        memcpy(&bits, c->data, c->size < sizeof bits ? c->size : sizeof bits);
        tsr_buf_printf(text, "%s%u:i%u:%llu", i ? " " : "--spec-const=", c->id, 8 * (unsigned)c->size, (unsigned long long)bits);
    }
    tsr_buf_bytes(text, "", 1);
}

LLVMModuleRef tsr__translate(const struct tsr_wire_request *request, LLVMContextRef context, struct tsr_buf *log)
{
    const struct tsr_clc_text *source = &request->request.source;
    struct tsr_buf constants = {0};
    struct tsr__program_end end = {0};
    LLVMModuleRef module = NULL;
    bool ended = where == HERE;
    put_constants(&constants, request);
    if (constants.failed)
        tsr__out_of_memory();
    if (where == NOWHERE)
        tsr_buf_printf(log, "error: TESSERA_SPIRV=translator needs a compiler process: set TESSERA_CC_MODE=process\n");
    else if (where == HERE)
        tsr__program_run(&translator, (const char *)constants.data, source->data, source->size, &end);
    else if (!(ended = ask((const char *)constants.data, source->data, source->size, &end)))
        tsr_buf_printf(log, "error: TESSERA_SPIRV=translator: the process that starts it could not be had, or is gone\n");
    if (ended && tsr__program_judge(&translator, &end, log)) {
        module = tsr__link_parse(end.out, end.out_size, context, log);
        if (!module)
            tsr_buf_printf(log, "error: %s writes a module that LLVM cannot read\n", end.path);
    }
    tsr__program_free(&end);
    tsr_buf_free(&constants);
    if (!module)
        return NULL;
    LLVMSetTarget(module, tsr_spirv_triple); /* older LLVMs say the same in other words */
    LLVMSetDataLayout(module, tsr_spirv_data_layout);
    return tsr__plain_types(module, true);
}
