/* SPDX-License-Identifier: Apache-2.0
 * Copies of the environment. Who reads them: base/env.c. */
#include <string.h>

#include "base/internal.h"

struct tsr_environment *tsr_environment_copy(void)
{
    char **from = tsr_environ();
    size_t count = 0, bytes = 0;
    for (; from && from[count]; count++)
        bytes += strlen(from[count]) + 1;
    struct tsr_environment *copy = tsr_malloc(sizeof *copy + (count + 1) * sizeof(char *) + bytes);
    if (!copy)
        return NULL;
    copy->lines = (char **)(copy + 1);
    char *text = (char *)(copy->lines + count + 1);
    for (size_t i = 0; i < count; i++) {
        copy->lines[i] = text;
        text = stpcpy(text, from[i]) + 1;
    }
    copy->lines[count] = NULL;
    return copy;
}

void tsr_environment_free(struct tsr_environment *copy)
{
    tsr_free(copy);
}
