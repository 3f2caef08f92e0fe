/* SPDX-License-Identifier: Apache-2.0
 * What of the environment reaches the compiler. */
#include <string.h>
#include <unistd.h>

#include "client.h"

/* A privileged program starts none: the user who called it could take such a process over before that
 * has closed itself up. */
bool tsr__library_only(void)
{
    const char *mode = tsr_env(TSR_ENV_CC_MODE);
    return tsr_is_privileged() || (mode && !strcmp(mode, "inprocess"));
}

struct tsr_hash tsr__environment_hash(void)
{
    /* Every variable but those that only this side reads. To count one too many costs a miss, one too few a wrong answer. */
    static const bool ours[TSR_ENV_COUNT] = {
        [TSR_ENV_CC] = true,        [TSR_ENV_CC_MODE] = true,    [TSR_ENV_CC_TIMEOUT] = true, [TSR_ENV_CACHE] = true,
        [TSR_ENV_CACHE_DIR] = true, [TSR_ENV_CACHE_SIZE] = true, [TSR_ENV_FAIL_ALLOC] = true,
    };
    struct tsr_buf buf = {0};
    for (int i = 0; i < TSR_ENV_COUNT; i++)
        tsr_buf_str(&buf, ours[i] ? NULL : tsr_env((enum tsr_env_name)i));
    struct tsr_hash hash = tsr_hash_bytes(buf.data, buf.size);
    tsr_buf_free(&buf);
    return hash;
}

/* Without what is meant for the host alone: memory that runs out there must not run out in the compiler at the same count. */
char **tsr__compiler_environment(char *more)
{
    static const char skipped[] = "TESSERA_FAIL_ALLOC=";
    size_t count = 0, kept = 0;
    while (environ && environ[count])
        count++;
    char **list = tsr_calloc(count + 2, sizeof(*list));
    for (size_t i = 0; list && i < count; i++)
        if (strncmp(environ[i], skipped, sizeof(skipped) - 1) != 0)
            list[kept++] = environ[i];
    if (list && more)
        list[kept] = more;
    return list;
}
