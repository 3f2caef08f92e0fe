/* SPDX-License-Identifier: Apache-2.0
 * The environment variables of tessera/env.def: their names and values. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/internal.h"

const struct tsr__env_variable tsr__env_variables[] = {
#define TSR_ENV(name, obeys, side, values, default_value, text) {"TESSERA_" #name, values, default_value, TSR__ENV_##obeys},
#include "tessera/env.def"
#undef TSR_ENV
};

/* ---- copies of the environment --------------------------------------------------------------------------------------------------------
 */

struct tsr_environment {
    char **lines; /* ended by NULL; their text lies behind them */
};
static _Thread_local const struct tsr_environment *used;

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

const struct tsr_environment *tsr_environment_use(const struct tsr_environment *copy)
{
    const struct tsr_environment *before = used;
    used = copy;
    return before;
}

char **tsr_environ(void)
{
    return used ? used->lines : environ;
}

const char *tsr_getenv(const char *name)
{
    const size_t length = strlen(name);
    if (!used)
        return getenv(name);
    for (char **line = used->lines; *line; line++)
        if (!strncmp(*line, name, length) && (*line)[length] == '=')
            return *line + length + 1;
    return NULL;
}

/* ---- the driver's variables -----------------------------------------------------------------------------------------------------------
 */

bool tsr_env_is_owners(enum tsr_env_name name)
{
    return tsr__env_variables[name].obeys == TSR__ENV_OWNER;
}

const char *tsr_env(enum tsr_env_name name)
{
    if (tsr_env_is_owners(name) && tsr_is_privileged())
        return NULL;
    const char *value = tsr_getenv(tsr__env_variables[name].name);
    return value && *value ? value : NULL;
}

const char *tsr_env_text(enum tsr_env_name name)
{
    const char *value = tsr_env(name);
    return value ? value : tsr__env_variables[name].default_value;
}
