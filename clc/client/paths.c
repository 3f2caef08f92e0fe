/* SPDX-License-Identifier: Apache-2.0
 * Where the files of the compiler are. */
#include "client.h"

char *tsr__parts_folder(void)
{
    char *dir = tsr_dir_of_code((const void *)tsr__parts_folder);
    char *parts = dir ? tsr_format("%s/tessera", dir) : NULL;
    tsr_free(dir);
    return parts;
}

char *tsr__compiler_path(void)
{
    const char *named = tsr_env(TSR_ENV_CC);
    if (named)
        return tsr_strdup(named);
    char *parts = tsr__parts_folder();
    char *path = parts ? tsr_format("%s/tessera-cc", parts) : NULL;
    tsr_free(parts);
    return path;
}
