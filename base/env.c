/* SPDX-License-Identifier: Apache-2.0
 * The environment variables of tessera/env.def: their names and values. */
#include <stdlib.h>

#include "base/internal.h"

const struct tsr__env_variable tsr__env_variables[] = {
#define TSR_ENV(name, obeys, side, values, default_value, text) {"TESSERA_" #name, values, default_value, TSR__ENV_##obeys},
#include "tessera/env.def"
#undef TSR_ENV
};

bool tsr_env_is_owners(enum tsr_env_name name)
{
    return tsr__env_variables[name].obeys == TSR__ENV_OWNER;
}

const char *tsr_env(enum tsr_env_name name)
{
    if (tsr_env_is_owners(name) && tsr_is_privileged())
        return NULL;
    const char *value = getenv(tsr__env_variables[name].name);
    return value && *value ? value : NULL;
}

const char *tsr_env_text(enum tsr_env_name name)
{
    const char *value = tsr_env(name);
    return value ? value : tsr__env_variables[name].default_value;
}
