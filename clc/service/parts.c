/* SPDX-License-Identifier: Apache-2.0
 * Finds and reads the data files that lie beside the compiler. */
#include "clc/service/service.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static struct tsr__parts parts;
static const char *failure;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void fail(const char *folder, const char *name, const char *why, bool of_the_file)
{
    failure = tsr_format("%s/%s: %s%s", folder, name, why, of_the_file ? "; install Tessera again" : "");
    if (!failure)
        failure = "out of memory";
}

static const void *map_part(const char *folder, const char *name, size_t *size)
{
    char *path = tsr_format("%s/%s", folder, name);
    int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    tsr_free(path);
    struct stat st;
    void *data = MAP_FAILED;
    *size = 0;
    if (fd >= 0 && !fstat(fd, &st)) {
        *size = (size_t)st.st_size;
        data = mmap(NULL, *size, PROT_READ, MAP_PRIVATE, fd, 0);
    }
    if (data == MAP_FAILED)
        fail(folder, name, fd >= 0 && !*size ? "it is empty" : strerror(errno), errno != ENOMEM);
    if (fd >= 0)
        close(fd);
    return data == MAP_FAILED ? NULL : data;
}

static void load(void)
{
    static const char builtins[] = "builtins.shelf";
    char *folder;
    size_t builtins_size;
    enum tsr_status status = tsr_dir_of_code((const void *)load, &folder);
    if (status != TSR_OK) {
        failure = status == TSR_NO_MEMORY ? "out of memory" : "the folder of the compiler cannot be found";
        return;
    }
    parts.builtins = map_part(folder, builtins, &builtins_size);
    if (!failure)
        parts.header = map_part(folder, "tessera-opencl.h", &parts.header_size);
    if (!failure)
        parts.cooperative = map_part(folder, "tessera-cooperative-matrix.h", &parts.cooperative_size);
    if (!failure)
        parts.helpers = map_part(folder, "tessera-rt.o", &parts.helpers_size);
    if (!failure && !tsr__shelf_is_whole(parts.builtins, builtins_size))
        fail(folder, builtins, "it is damaged or cut off", true);
    tsr_free(folder);
}

const struct tsr__parts *tsr__parts(const char **why)
{
    pthread_once(&once, load);
    *why = failure;
    return failure ? NULL : &parts;
}
