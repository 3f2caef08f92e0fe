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

static int open_part(const char *folder, const char *name)
{
    char *path = tsr_format("%s/%s", folder, name);
    int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (fd < 0) {
        failure = tsr_format("%s: %s; Tessera's folder tessera/ is incomplete", path ? path : name, strerror(errno));
        if (!failure)
            failure = "out of memory";
    }
    tsr_free(path);
    return fd;
}

static const void *map_part(const char *folder, const char *name, size_t *size)
{
    int fd = open_part(folder, name);
    if (fd < 0)
        return NULL;
    struct stat st;
    void *data = MAP_FAILED;
    if (!fstat(fd, &st) && st.st_size > 0)
        data = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    close(fd);
    if (data == MAP_FAILED) {
        failure = "a file of Tessera's folder tessera/ is empty or cannot be mapped";
        return NULL;
    }
    *size = (size_t)st.st_size;
    return data;
}

static void load(void)
{
    char *folder;
    enum tsr_status status = tsr_dir_of_code((const void *)load, &folder);
    if (status != TSR_OK) {
        failure = status == TSR_NO_MEMORY ? "out of memory" : "the folder of the compiler cannot be found";
        return;
    }
    parts.builtins = map_part(folder, "builtins.shelf", &parts.builtins_size);
    if (!failure)
        parts.header = map_part(folder, "tessera-opencl.h", &parts.header_size);
    if (!failure)
        parts.cooperative = map_part(folder, "tessera-cooperative-matrix.h", &parts.cooperative_size);
    if (!failure)
        parts.helpers = map_part(folder, "tessera-rt.o", &parts.helpers_size);
    tsr_free(folder);
}

const struct tsr__parts *tsr__parts(const char **why)
{
    pthread_once(&once, load);
    *why = failure;
    return failure ? NULL : &parts;
}
