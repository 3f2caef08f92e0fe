/* SPDX-License-Identifier: Apache-2.0
 * Whether the files that a build looked up are still as the build found them. */
#include "client.h"

enum { LARGEST_FILE = 256 << 20 };

static bool holds(const struct tsr_wire_file *file)
{
    unsigned char *data;
    size_t size;
    if (tsr_file_read(file->path, LARGEST_FILE, &data, &size) != TSR_OK)
        return false;
    struct tsr_hash hash = tsr_hash_bytes(data, size);
    tsr_free(data);
    return hash.lo == file->hash.lo && hash.hi == file->hash.hi;
}

bool tsr__files_unchanged(const struct tsr_wire_result *wire)
{
    if (!wire->file_count)
        return true;
    struct identity {
        dev_t device;
        ino_t inode;
    } *seen = tsr_calloc(wire->file_count, sizeof(*seen));
    bool same = seen != NULL;
    for (uint32_t i = 0; i < wire->file_count && same; i++) {
        const struct tsr_wire_file *file = &wire->files[i];
        struct stat st;
        enum tsr_wire_found expected = file->found == TSR_WIRE_READ ? TSR_WIRE_PRESENT : file->found;
        uint32_t first = i;
        same = tsr_wire_look(file->path, &st) ==
               expected; /* only regular files are opened: a FIFO could block, and opening a device can have effects */
        if (same && st.st_ino) {
            seen[i] = (struct identity){st.st_dev, st.st_ino};
            for (first = 0; seen[first].device != st.st_dev || seen[first].inode != st.st_ino;)
                first++;
        }
        same = same && first == file->same_as && (file->found != TSR_WIRE_READ || holds(file));
    }
    tsr_free(seen);
    return same;
}
