/* SPDX-License-Identifier: Apache-2.0
 * A second opinion on SPIR-V: TESSERA_SPIRV=translator has an installed llvm-spirv, the translator of the Khronos group, make the module,
 * in place of our reader. It is a program, which the jail of the compiler process forbids to start; so a process of its own, made before
 * the jail closes, starts it. */
#include "clc/service/service.h"

#include "clc/spirv/spirv.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NEWEST = 22, OLDEST = 15, MOST_COMPLAINT = 2000 };

/* What goes to the process that starts translators: this, the values of specialisation constants as text, the module. */
struct question {
    uint64_t constants_size, module_size;
};
/* What comes back: this, the path of the program, what it wrote to standard output, and to standard error. */
struct reply {
    int32_t status; /* as waitpid has it; -1: no program was found, -2: there was none for want of memory, files or processes */
    uint32_t path_size;
    uint64_t out_size, complaint_size;
};
enum { NOT_FOUND = -1, NOT_STARTED = -2 };

/* NOWHERE: in an application, whose children are no business of ours. */
static enum { NOWHERE, HERE, BESIDE } where;
static int beside = -1; /* the socket to the process that starts translators */

bool tsr__translate_wanted(void)
{
    const char *value = tsr_env(TSR_ENV_SPIRV);
    return value && !strcmp(value, "translator");
}

/* ---- running the program ---------------------------------------------------------------------------------------------------------- */

/* llvm-spirv, then llvm-spirv-22 down to llvm-spirv-15, in the folders of PATH. */
static bool find_program(char path[PATH_MAX])
{
    for (int version = NEWEST + 1; version >= OLDEST; version--) {
        char name[32] = "llvm-spirv";
        if (version <= NEWEST)
            snprintf(name, sizeof name, "llvm-spirv-%d", version);
        for (const char *folder = getenv("PATH"); folder; folder = strchr(folder, ':') ? strchr(folder, ':') + 1 : NULL) {
            int length = (int)strcspn(folder, ":");
            struct stat facts;
            if (folder[0] == '/' && snprintf(path, PATH_MAX, "%.*s/%s", length, folder, name) < PATH_MAX && !access(path, X_OK) &&
                !stat(path, &facts) && S_ISREG(facts.st_mode))
                return true;
        }
    }
    return false;
}

static void limit(int resource, rlim_t most)
{
    struct rlimit limits;
    if (getrlimit(resource, &limits))
        return;
    if (limits.rlim_max > most)
        limits.rlim_max = most;
    limits.rlim_cur = limits.rlim_max;
    setrlimit(resource, &limits);
}

/* In the new process. Files stand for its standard streams, so that nobody waits for anybody. */
_Noreturn static void become(const char *path, const char *constants, const int files[3])
{
    char option[] = "--spec-const=",
         *words[] = {(char *)path, "-r", "/dev/stdin", "-o", "-", "--spirv-ext=+all", "--spirv-target-env=CL2.0", NULL, NULL};
    char *values = malloc(sizeof option + strlen(constants));
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (int i = 0; i < 3; i++)
        if (dup2(files[i], i) < 0)
            _exit(127);
    close_range(3, ~0u, 0);
    limit(RLIMIT_CORE, 0);
    uint64_t memory = tsr_env_size(TSR_ENV_CC_MEMORY);
    if (memory)
        limit(RLIMIT_AS, memory);
    if (*constants && values)
        words[7] = strcat(strcpy(values, option), constants);
    execv(path, words);
    _exit(127);
}

static bool take_file(int file, uint64_t *size, char **data)
{
    struct stat facts;
    if (fstat(file, &facts))
        return false;
    *size = (uint64_t)facts.st_size;
    *data = malloc(*size + 1);
    uint64_t got = 0;
    for (ssize_t n = 1; *data && got < *size && n > 0; got += (uint64_t)(n > 0 ? n : 0))
        n = pread(file, *data + got, *size - got, (off_t)got);
    return *data && got == *size;
}

static bool write_all(int to, const void *data, size_t size)
{
    for (const char *at = data; size;) {
        ssize_t n = write(to, at, size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        at += n;
        size -= (size_t)n;
    }
    return true;
}

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

/* What a translator makes of the module; *out and *complaint are to be freed. */
static struct reply translate(const char *constants, const void *module, size_t size, char path[PATH_MAX], char **out, char **complaint)
{
    struct reply reply = {.status = NOT_STARTED};
    int files[3];
    *out = *complaint = NULL;
    path[0] = 0;
    if (!find_program(path))
        return (struct reply){.status = NOT_FOUND};
    for (int i = 0; i < 3; i++)
        files[i] = memfd_create("tessera-spirv", MFD_CLOEXEC);
    pid_t pid = write_all(files[0], module, size) && files[1] >= 0 && files[2] >= 0 ? fork() : -1;
    if (pid == 0)
        become(path, constants, files);
    int status;
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
        continue;
    if (pid > 0 && take_file(files[1], &reply.out_size, out) && take_file(files[2], &reply.complaint_size, complaint))
        reply.status = status;
    else
        reply.out_size = reply.complaint_size = 0;
    reply.path_size = (uint32_t)strlen(path);
    for (int i = 0; i < 3; i++)
        close(files[i]);
    return reply;
}

/* ---- the process beside the jail ---------------------------------------------------------------------------------------------------- */

static bool serve_one(int socket)
{
    struct question q;
    if (!read_all(socket, &q, sizeof q) || q.constants_size > SIZE_MAX / 4 || q.module_size > SIZE_MAX / 4)
        return false;
    char *constants = calloc(1, q.constants_size + 1), *module = malloc(q.module_size + 1), *out, *complaint, path[PATH_MAX];
    bool good = constants && module && read_all(socket, constants, q.constants_size) && read_all(socket, module, q.module_size);
    if (good) {
        struct reply reply = translate(constants, module, q.module_size, path, &out, &complaint);
        good = write_all(socket, &reply, sizeof reply) && write_all(socket, path, reply.path_size) &&
               write_all(socket, out, reply.out_size) && write_all(socket, complaint, reply.complaint_size);
        free(out);
        free(complaint);
    }
    free(constants);
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

/* Asks the process beside; false: it is gone. */
static bool ask(const char *constants, const void *module, size_t size, char path[PATH_MAX], struct reply *reply, char **out,
                char **complaint)
{
    struct question q = {strlen(constants), size};
    *out = *complaint = NULL;
    if (!write_all(beside, &q, sizeof q) || !write_all(beside, constants, q.constants_size) || !write_all(beside, module, size) ||
        !read_all(beside, reply, sizeof *reply) || reply->path_size >= PATH_MAX || !read_all(beside, path, reply->path_size))
        return false;
    path[reply->path_size] = 0;
    *out = malloc(reply->out_size + 1);
    *complaint = malloc(reply->complaint_size + 1);
    return *out && *complaint && read_all(beside, *out, reply->out_size) && read_all(beside, *complaint, reply->complaint_size);
}

/* ---- the module --------------------------------------------------------------------------------------------------------------------- */

/* id:i<bits>:<value>, one after the other. */
static void put_constants(struct tsr_buf *text, const struct tsr_wire_request *request)
{
    for (uint32_t i = 0; i < request->request.spec_count; i++) {
        const struct tsr_spirv_constant *c = &request->request.spec_constants[i];
        uint64_t bits = 0;
        memcpy(&bits, c->data, c->size < sizeof bits ? c->size : sizeof bits);
        tsr_buf_printf(text, "%s%u:i%u:%llu", i ? " " : "", c->id, 8 * (unsigned)c->size, (unsigned long long)bits);
    }
    tsr_buf_bytes(text, "", 1);
}

/* False: there is no module; told in the log. */
static bool judge(const struct reply *reply, const char *path, const char *complaint, struct tsr_buf *log)
{
    int length = complaint ? (int)(reply->complaint_size < MOST_COMPLAINT ? reply->complaint_size : MOST_COMPLAINT) : 0;
    while (length && complaint[length - 1] == '\n')
        length--;
    if (reply->status == 0)
        return true;
    if (reply->status == NOT_FOUND)
        tsr_buf_printf(log, "error: TESSERA_SPIRV=translator: PATH has neither llvm-spirv nor llvm-spirv-%d to llvm-spirv-%d\n", NEWEST,
                       OLDEST);
    else if (reply->status == NOT_STARTED)
        tsr_buf_printf(log, "error: TESSERA_SPIRV=translator: there is no memory, file or process for it\n");
    else if (WIFSIGNALED(reply->status))
        tsr_buf_printf(log, "error: %s crashes on the module, by signal %d: %.*s\n", path, WTERMSIG(reply->status), length, complaint);
    else
        tsr_buf_printf(log, "error: %s refuses the module, with exit status %d: %.*s\n", path, WEXITSTATUS(reply->status), length,
                       complaint);
    return false;
}

LLVMModuleRef tsr__translate(const struct tsr_wire_request *request, LLVMContextRef context, struct tsr_buf *log)
{
    const struct tsr_clc_text *source = &request->request.source;
    struct tsr_buf constants = {0};
    struct reply reply = {.status = NOT_STARTED};
    char path[PATH_MAX] = "", *out = NULL, *complaint = NULL;
    LLVMModuleRef module = NULL;
    put_constants(&constants, request);
    if (constants.failed)
        tsr__out_of_memory();
    const char *values = (const char *)constants.data;
    if (where == NOWHERE)
        tsr_buf_printf(log, "error: TESSERA_SPIRV=translator needs a compiler process: set TESSERA_CC_MODE=process\n");
    else if (where == BESIDE && (beside < 0 || !ask(values, source->data, source->size, path, &reply, &out, &complaint)))
        tsr_buf_printf(log, "error: TESSERA_SPIRV=translator: the process that starts it could not be had, or is gone\n");
    else if (where == HERE)
        reply = translate(values, source->data, source->size, path, &out, &complaint);
    if ((where == HERE || out) && judge(&reply, path, complaint, log)) {
        if (!(module = tsr__link_parse(out, reply.out_size, context, log)))
            tsr_buf_printf(log, "error: %s writes a module that LLVM cannot read\n", path);
    }
    free(out);
    free(complaint);
    tsr_buf_free(&constants);
    if (!module)
        return NULL;
    LLVMSetTarget(module, tsr_spirv_triple); /* older LLVMs say the same in other words */
    LLVMSetDataLayout(module, tsr_spirv_data_layout);
    return tsr__plain_events(module);
}
