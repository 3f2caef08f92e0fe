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

/* ---- the environment: of the process, or the copy that this thread reads ---- */

static _Thread_local const struct tsr_environment *used;

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

/* ---- the driver's variables ---- */

/* Does a privileged process find it unset? */
static bool is_owners(enum tsr_env_name name)
{
    return tsr__env_variables[name].obeys == TSR__ENV_OWNER;
}

const char *tsr_env(enum tsr_env_name name)
{
    if (is_owners(name) && tsr_is_privileged())
        return NULL;
    const char *value = tsr_getenv(tsr__env_variables[name].name);
    return value && *value ? value : NULL;
}

const char *tsr_env_text(enum tsr_env_name name)
{
    const char *value = tsr_env(name);
    return value ? value : tsr__env_variables[name].default_value;
}
