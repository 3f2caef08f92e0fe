/* SPDX-License-Identifier: Apache-2.0
 * Extensions and OpenCL C features of a device as the queries give them. */
#include <string.h>

#include "icd/icd.h"

/* Which lists a line of the table appears in: QUIET extensions are for kernels only. */
enum { BY_CLANG = 1, BY_MACRO = 1, BY_HOST = 1, BY_QUIET = 0 };

static const struct {
    cl_name_version line;
    bool feature, named;
} lines[] = {
#define TSR_EXT(name, major, minor, patch, by) {{CL_MAKE_VERSION(major, minor, patch), #name}, false, BY_##by},
/* "Optional features report the OpenCL C version that they belong to." */
#define TSR_FEATURE(name, by) {{CL_MAKE_VERSION(3, 0, 0), #name}, true, true},
#include "tessera/ext.def"
#undef TSR_EXT
#undef TSR_FEATURE
};

void tsr__extensions_fill(const struct tsr_ext_set *set, struct tsr__extensions *all)
{
    char *end = all->names;
    for (unsigned i = 0; i < TSR_EXT_COUNT; i++) {
        if (!set->has[i] || !lines[i].named)
            continue;
        if (lines[i].feature) {
            all->features[all->feature_count++] = lines[i].line;
            continue;
        }
        all->list[all->count++] = lines[i].line;
        if (end != all->names)
            *end++ = ' ';
        end = stpcpy(end, lines[i].line.name);
    }
}
