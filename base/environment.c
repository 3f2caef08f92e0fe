/* SPDX-License-Identifier: Apache-2.0
 * Copies of the environment. Who reads them: base/env.c. */
#include <stdlib.h>
#include <string.h>

#include "base/internal.h"

/* Another thread of the application may change the environment meanwhile. The C library frees no text of it, but the list when it grows: of
 * a list that has been replaced while it was read nothing is used. The old list is free before the new one can be seen, both under the C
 * library's lock; so that lock is taken once before the lists are compared, by removing a variable that there is not. */
static char **list_lines(size_t *count)
{
    for (;;) {
        char **from = tsr_environ(), *line;
        size_t most = 0;
        while (from && *(char *volatile *)&from[most])
            most++;
        char **lines = tsr_malloc((most + 1) * sizeof *lines);
        if (!lines)
            return NULL;
        for (*count = 0; *count < most && (line = *(char *volatile *)&from[*count]); ++*count)
            lines[*count] = line;
        unsetenv("no variable has this name");
        if (tsr_environ() == from)
            return lines;
        tsr_free(lines);
    }
}

struct tsr_environment *tsr_environment_copy(void)
{
    size_t count, bytes = 0;
    char **from = list_lines(&count);
    if (!from)
        return NULL;
    for (size_t i = 0; i < count; i++)
        bytes += strlen(from[i]) + 1;
    struct tsr_environment *copy = tsr_malloc(sizeof *copy + (count + 1) * sizeof(char *) + bytes);
    if (copy) {
        copy->lines = (char **)(copy + 1);
        char *text = (char *)(copy->lines + count + 1), *end = text + bytes;
        size_t kept = 0, size;
        /* A text that the application has given to putenv() may be longer now. */
        for (; kept < count && (size = strlen(from[kept]) + 1) <= (size_t)(end - text); kept++) {
            copy->lines[kept] = memcpy(text, from[kept], size);
            text += size;
        }
        copy->lines[kept] = NULL;
    }
    tsr_free(from);
    return copy;
}

void tsr_environment_free(struct tsr_environment *copy)
{
    tsr_free(copy);
}
