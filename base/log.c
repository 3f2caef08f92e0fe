/* SPDX-License-Identifier: Apache-2.0
 * The log: groups switched on by TESSERA_DEBUG, one write(2) a line, no allocation. */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/internal.h"

#define READY (UINT32_C(1) << 31)
#define EVERY_GROUP ((UINT32_C(1) << TSR_LOG_COUNT) - 1)
_Static_assert(TSR_LOG_COUNT < 31, "one bit for each group, one for READY");

static const char *const group_names[] = {
#define TSR_LOG(name, text) #name,
#include "tessera/log.def"
#undef TSR_LOG
};

static _Atomic uint32_t state; /* bit per group, and READY */
static pthread_once_t once = PTHREAD_ONCE_INIT;
static char file_path[4096];

/* The file is opened for each line: a descriptor kept open could be closed by the application and become one of its own files. */
static void put(const char *line, size_t size)
{
    int fd = file_path[0] ? tsr_append_open(file_path) : -1;
    tsr_write_all(fd >= 0 ? fd : STDERR_FILENO, line, size); /* nowhere to report a failure */
    if (fd >= 0)
        close(fd);
}

static void put_line(const char *group, const char *format, va_list args)
{
    int saved = errno, begun = tsr_no_cancel_begin();
    char line[2048];
    size_t limit = sizeof line - 5; /* room for "...\n" and the zero */
    int head = snprintf(line, limit, "tessera[%d:%d] ", (int)getpid(), (int)gettid());
    for (const char *c = group; *c && (size_t)head < limit; c++)
        line[head++] = *c | 0x20; /* the names are upper-case ASCII */
    line[head++] = ':';
    line[head++] = ' ';
    int text = vsnprintf(line + head, limit - (size_t)head, format, args);
    size_t size = (size_t)head + (text > 0 ? (size_t)text : 0);
    if (size >= limit) {
        size = limit - 1;
        memcpy(line + size, "...", 3);
        size += 3;
    }
    line[size++] = '\n';
    put(line, size);
    tsr_no_cancel_end(begun);
    errno = saved;
}

static void put_format(const char *group, const char *format, ...) TSR_PRINTF_LIKE(2, 3);
static void put_format(const char *group, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    put_line(group, format, args);
    va_end(args);
}

static uint32_t group_bits(const char *word, size_t length)
{
    if (length == 3 && !strncasecmp(word, "all", 3))
        return EVERY_GROUP;
    for (unsigned i = 0; i < TSR_LOG_COUNT; i++)
        if (strlen(group_names[i]) == length && !strncasecmp(word, group_names[i], length))
            return UINT32_C(1) << i;
    return 0;
}

static void read_environment(void)
{
    const char *path = tsr_env(TSR_ENV_LOG_FILE);
    if (path && strlen(path) < sizeof file_path)
        strcpy(file_path, path);
    uint32_t bits = 0;
    for (const char *word = tsr_env(TSR_ENV_DEBUG); word && *word;) {
        size_t length = strcspn(word, ",");
        uint32_t found = group_bits(word, length);
        bits |= found;
        /* A user who sets TESSERA_DEBUG wants to read something: an unknown word is reported whatever groups are on. */
        if (!found && length)
            put_format("WARN", "TESSERA_DEBUG: no group '%.*s'; README.md lists the groups", (int)length, word);
        word += length + (word[length] == ',');
    }
    atomic_store_explicit(&state, bits | READY, memory_order_release);
}

bool tsr_log_on(enum tsr_log_group group)
{
    uint32_t now = atomic_load_explicit(&state, memory_order_acquire);
    if (!(now & READY)) {
        pthread_once(&once, read_environment);
        now = atomic_load_explicit(&state, memory_order_acquire);
    }
    return now >> group & 1;
}

void tsr_log(enum tsr_log_group group, const char *format, ...)
{
    if (!tsr_log_on(group))
        return;
    va_list args;
    va_start(args, format);
    put_line(group_names[group], format, args);
    va_end(args);
}

void tsr_log_text(const char *text)
{
    tsr_log_on(TSR_LOG_ERR); /* tells where the log goes */
    put(text, strlen(text));
}
