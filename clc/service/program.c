/* SPDX-License-Identifier: Apache-2.0
 * Runs a program that others have installed on bytes, and takes what it makes of them: translators of SPIR-V (translate.c). The jail of the
 * compiler process forbids it. */
#include "clc/service/service.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_COMPLAINT = 600, MOST_WORDS = 16 };

/* The name alone, then with the newest to the oldest version behind it, in the folders of PATH. */
static bool find_program(const struct tsr__program *program, char path[PATH_MAX])
{
    for (int version = program->newest + 1; version >= program->oldest; version--) {
        char name[64];
        snprintf(name, sizeof name, version > program->newest ? "%s" : "%s-%d", program->name, version);
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
_Noreturn static void become(const struct tsr__program *program, const char *path, const char *last, const int files[3])
{
    const char *words[MOST_WORDS + 2] = {path};
    unsigned count = 1;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (int i = 0; i < 3; i++)
        if (dup2(files[i], i) < 0)
            _exit(127);
    close_range(3, ~0u, 0);
    limit(RLIMIT_CORE, 0);
    uint64_t memory = tsr_env_size(TSR_ENV_CC_MEMORY);
    if (memory)
        limit(RLIMIT_AS, memory);
    for (const char *const *word = program->words; *word && count < MOST_WORDS; word++)
        words[count++] = *word;
    if (*last)
        words[count++] = last;
    execv(path, (char *const *)(uintptr_t)words);
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

void tsr__program_run(const struct tsr__program *program, const char *last, const void *input, size_t size, struct tsr__program_end *end)
{
    int files[3], status;
    *end = (struct tsr__program_end){.status = TSR__PROGRAM_NOT_FOUND};
    if (!find_program(program, end->path)) {
        end->path[0] = 0;
        return;
    }
    end->status = TSR__PROGRAM_NOT_STARTED;
    for (int i = 0; i < 3; i++)
        files[i] = i == 0 ? tsr_memfd(program->name, input, size) : tsr_memfd(program->name, "", 0);
    bool ready = files[1] >= 0 && files[2] >= 0 && files[0] >= 0 && lseek(files[0], 0, SEEK_SET) == 0;
    pid_t pid = ready ? fork() : -1;
    if (pid == 0)
        become(program, end->path, last, files);
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
        continue;
    if (pid > 0 && take_file(files[1], &end->out_size, &end->out) && take_file(files[2], &end->complaint_size, &end->complaint))
        end->status = status;
    for (int i = 0; i < 3; i++)
        if (files[i] >= 0)
            close(files[i]);
}

bool tsr__program_judge(const struct tsr__program *program, const struct tsr__program_end *end, struct tsr_buf *log)
{
    int length = end->complaint ? (int)(end->complaint_size < MOST_COMPLAINT ? end->complaint_size : MOST_COMPLAINT) : 0;
    while (length && end->complaint[length - 1] == '\n')
        length--;
    if (end->status == 0)
        return true;
    if (end->status == TSR__PROGRAM_NOT_FOUND)
        tsr_buf_printf(log, "error: PATH has neither %s nor %s-%d to %s-%d\n", program->name, program->name, program->newest, program->name,
                       program->oldest);
    else if (end->status == TSR__PROGRAM_NOT_STARTED)
        tsr_buf_printf(log, "error: there is no memory, file or process for %s\n", program->name);
    else if (WIFSIGNALED(end->status))
        tsr_buf_printf(log, "error: %s crashes on the module, by signal %d: %.*s\n", end->path, WTERMSIG(end->status), length,
                       end->complaint);
    else
        tsr_buf_printf(log, "error: %s refuses the module, with exit status %d: %.*s\n", end->path, WEXITSTATUS(end->status), length,
                       end->complaint);
    return false;
}

void tsr__program_free(struct tsr__program_end *end)
{
    free(end->out);
    free(end->complaint);
}
