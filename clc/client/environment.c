/* SPDX-License-Identifier: Apache-2.0
 * What of the environment reaches the compiler: the column `side` of tessera/env.def. */
#include <string.h>
#include <unistd.h>

#include "client.h"

static const struct {
    const char *name;
    enum { HOST, COMPILER, BOTH } side;
} variables[] = {
#define TSR_ENV(name, obeys, side, values, default_value, text) {"TESSERA_" #name, side},
#include "tessera/env.def"
#undef TSR_ENV
};

/* A privileged program starts no process: the user who called it could take such a process over before that has closed itself up. */
bool tsr_clc_is_library(void)
{
    const char *mode = tsr_env(TSR_ENV_CC_MODE);
    return tsr_is_privileged() || (mode && !strcmp(mode, "inprocess"));
}

struct tsr_hash tsr__environment_hash(void)
{
    struct tsr_buf buf = {0};
    for (int i = 0; i < TSR_ENV_COUNT; i++)
        if (variables[i].side != HOST)
            tsr_buf_str(&buf, tsr_env((enum tsr_env_name)i));
    struct tsr_hash hash = tsr_hash_bytes(buf.data, buf.size);
    tsr_buf_free(&buf);
    return hash;
}

/* Whether the line NAME=VALUE is of a variable that the driver alone reads, or names libraries that the application is to run with: a
 * sanitizer's runtime finds no room within the compiler's limit of memory, and a library that builds programs when it is loaded would start
 * compilers without end. */
static bool is_hosts(const char *line)
{
    static const char prefix[] = "TESSERA_", *const libraries[] = {"LD_PRELOAD=", "LD_AUDIT="};
    for (size_t i = 0; i < TSR_ARRAY_LEN(libraries); i++)
        if (!strncmp(line, libraries[i], strlen(libraries[i])))
            return true;
    if (strncmp(line, prefix, sizeof(prefix) - 1) != 0)
        return false;
    size_t length = strcspn(line, "=");
    for (int i = 0; i < TSR_ENV_COUNT; i++)
        if (!strncmp(line, variables[i].name, length) && !variables[i].name[length])
            return variables[i].side == HOST;
    return false;
}

char **tsr__compiler_environment(char *more)
{
    char **all = tsr_environ();
    size_t count = 0, kept = 0;
    while (all && all[count])
        count++;
    char **list = tsr_calloc(count + 2, sizeof(*list));
    for (size_t i = 0; list && i < count; i++)
        if (!is_hosts(all[i]))
            list[kept++] = all[i];
    if (list && more)
        list[kept] = more;
    return list;
}
