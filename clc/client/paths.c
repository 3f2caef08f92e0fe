/* SPDX-License-Identifier: Apache-2.0
 * Where the files of the compiler are. */
#include "client.h"

static enum tsr_status parts_file(const char *name, char **path, char **why)
{
    char *folder = NULL;
    enum tsr_status status = tsr__parts_folder(&folder);
    *path = folder ? tsr_format("%s/%s", folder, name) : NULL;
    tsr_free(folder);
    *why = NULL;
    if (*path)
        return TSR_OK;
    if (status == TSR_OK || status == TSR_NO_MEMORY)
        return TSR_NO_MEMORY;
    *why = tsr_format("Where libtessera.so lies cannot be found out, and so not where tessera/%s beside it is (%s). Mount /proc, let the "
                      "application open the library by an absolute path, or set TESSERA_CC.",
                      name, tsr_status_text(status));
    return TSR_NO_FILE;
}

enum tsr_status tsr__parts_folder(char **folder)
{
    char *dir;
    enum tsr_status status = tsr_dir_of_code((const void *)tsr__parts_folder, &dir);
    *folder = dir ? tsr_format("%s/tessera", dir) : NULL;
    tsr_free(dir);
    return status == TSR_OK && !*folder ? TSR_NO_MEMORY : status;
}

enum tsr_status tsr__compiler_path(char **path, char **why)
{
    const char *named = tsr_env(TSR_ENV_CC);
    if (!named)
        return parts_file("tessera-cc", path, why);
    *why = NULL;
    *path = tsr_strdup(named);
    return *path ? TSR_OK : TSR_NO_MEMORY;
}

enum tsr_status tsr__library_path(char **path, char **why)
{
    return parts_file("libtessera-cc.so", path, why);
}
