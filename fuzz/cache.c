/* SPDX-License-Identifier: Apache-2.0
 * Fuzzer of cache entries: an entry is stored, its file is changed as the input says, and what comes back is what was stored or nothing. */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "clc/client/client.h"
#include "fuzz/fuzz.h"

static char folder[] = "/tmp/tessera-fuzz-cache-XXXXXX";

static void remove_folder(void)
{
    rmdir(folder);
}

void fuzz_begin(void)
{
    FUZZ_CHECK(mkdtemp(folder) && !setenv("TESSERA_CACHE_DIR", folder, 1) && !setenv("TESSERA_CACHE", "1", 1));
    atexit(remove_folder);
}

/* u16 offset, u16 new length or 0xffff for the old one, bytes written at the offset, or behind the end */
bool fuzz_seed(unsigned index, struct tsr_buf *seed)
{
    static const unsigned char seeds[][6] = {
        {0, 0, 255, 255, 'T', 'S'}, {8, 0, 255, 255, 1, 2}, {40, 0, 100, 0, 9, 9}, {0, 0, 10, 0, 0, 0}};
    if (index >= TSR_ARRAY_LEN(seeds))
        return false;
    tsr_buf_bytes(seed, seeds[index], sizeof seeds[index]);
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char content[] = "what a compiler answered, of which no byte may change";
    struct fuzz_bytes bytes = {data, size};
    off_t offset = (off_t)fuzz_below(&bytes, 65536), length = (off_t)fuzz_below(&bytes, 65536);
    struct tsr_hash key = {1, 2};
    char name[33];
    tsr_hash_hex(key, name);
    tsr__cache_put(key, content, sizeof content);
    char *path = tsr_format("%s/%s", folder, name);
    int fd = open(path, O_RDWR | O_CLOEXEC);
    FUZZ_CHECK(fd >= 0 && (length == 65535 || !ftruncate(fd, length)));
    FUZZ_CHECK(pwrite(fd, bytes.at, bytes.left, offset) == (ssize_t)bytes.left);
    close(fd);
    size_t got_size = 0;
    unsigned char *got = tsr__cache_get(key, &got_size);
    FUZZ_CHECK(!got || (got_size == sizeof content && !memcmp(got, content, sizeof content)));
    FUZZ_CHECK(got || access(path, F_OK)); /* a defective file goes */
    tsr_free(got);
    tsr__cache_remove(key);
    tsr_free(path);
    return 0;
}
