/* SPDX-License-Identifier: Apache-2.0
 * TESSERA_TRACE: every range that was run, as a line of Chrome's JSON trace format (the closing bracket may be missing there). */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "scheduler/internal.h"

static const char *path; /* NULL: off */
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* Lines are collected, and the file is opened for each write: nothing has to be done at exit, and no descriptor is kept. */
static struct tsr__lock lock;
static char lines[1 << 15];
static size_t used;

static void read_environment(void)
{
    const char *value = tsr_env(TSR_ENV_TRACE);
    path = value ? tsr_strdup(value) : NULL;
}

bool tsr__trace_on(void)
{
    pthread_once(&once, read_environment);
    return path;
}

/* Under the lock. */
static void write_lines(void)
{
    int fd = used ? tsr_append_open(path) : -1;
    if (fd >= 0) {
        struct stat st;
        if (!fstat(fd, &st) && !st.st_size)
            tsr_write_all(fd, "[\n", 2);
        tsr_write_all(fd, lines, used); /* a trace that cannot be written is no reason to fail */
        close(fd);
    }
    used = 0;
}

void tsr__trace_range(const struct tsr_task *task, const struct tsr__seat *seat, uint64_t begin, uint64_t end, uint64_t start_ns,
                      uint64_t end_ns)
{
    char line[512], label[128];
    size_t length = 0;
    for (const char *c = task->label ? task->label : "task"; *c && length < sizeof label - 1; c++)
        if ((unsigned char)*c >= ' ' && *c != '"' && *c != '\\')
            label[length++] = *c;
    label[length] = 0;
    int size = snprintf(line, sizeof line,
                        "{\"name\":\"%s\",\"ph\":\"X\",\"pid\":%d,\"tid\":%u,\"ts\":%llu.%03u,\"dur\":%llu.%03u,"
                        "\"args\":{\"task\":\"%p\",\"begin\":%llu,\"end\":%llu}},\n",
                        label, (int)getpid(), seat->worker.index, (unsigned long long)(start_ns / 1000), (unsigned)(start_ns % 1000),
                        (unsigned long long)((end_ns - start_ns) / 1000), (unsigned)((end_ns - start_ns) % 1000), (const void *)task,
                        (unsigned long long)begin, (unsigned long long)end);
    tsr__lock(&lock);
    if (used + (size_t)size > sizeof lines)
        write_lines();
    memcpy(lines + used, line, (size_t)size);
    used += (size_t)size;
    tsr__unlock(&lock);
}

void tsr__trace_flush(void)
{
    if (!tsr__trace_on())
        return;
    tsr__lock(&lock);
    write_lines();
    tsr__unlock(&lock);
}

void tsr__trace_reset(void)
{
    atomic_store(&lock.word, 0);
    used = 0; /* the parent writes these */
}
