/* SPDX-License-Identifier: Apache-2.0
 * The dispatch table of cl_khr_icd and the look-up of functions by name, both from icd/dispatch.def. */
#include <assert.h>
#include <string.h>

#include "icd/entry.h"

#include <CL/cl_icd.h>

/* The order of the slots is the ABI: each slot is at the place that the loader's header gives it. */
enum {
#define TSR_SLOT(name, kind) SLOT_##name,
#define TSR_NAMED(name)
#include "icd/dispatch.def"
#undef TSR_SLOT
#undef TSR_NAMED
    SLOT_COUNT
};
#define STANDS(name) static_assert(offsetof(cl_icd_dispatch, name) == SLOT_##name * sizeof(void *), "slot of " #name);
#define STANDS_CORE(name) STANDS(name)
#define STANDS_TAG(name) STANDS(name)
#define STANDS_EXT(name) STANDS(name)
#define STANDS_ABSENT(name) STANDS(name)
#ifdef CL_VERSION_3_1
#define STANDS_CORE31(name) STANDS(name)
#else
#define STANDS_CORE31(name) static_assert(sizeof(cl_icd_dispatch) == SLOT_##name * sizeof(void *), "slot of " #name);
#endif
#define TSR_SLOT(name, kind) STANDS_##kind(name)
#define TSR_NAMED(name)
#include "icd/dispatch.def"
#undef TSR_SLOT
#undef TSR_NAMED

#define HELD_CORE(name) (void *)name
#define HELD_CORE31(name) (void *)name
#define HELD_EXT(name) (void *)name
#define HELD_ABSENT(name) (void *)name
#define HELD_TAG(name) (void *)CL_ICD2_TAG_KHR
const void *const tsr__dispatch[SLOT_COUNT] = {
#define TSR_SLOT(name, kind) [SLOT_##name] = HELD_##kind(name),
#define TSR_NAMED(name)
#include "icd/dispatch.def"
#undef TSR_SLOT
#undef TSR_NAMED
};

enum kind { CORE, CORE31, TAG, EXT, ABSENT, NAMED };
static const struct {
    const char *name;
    void *address;
    enum kind kind;
} functions[] = {
#define TSR_SLOT(name, kind) {#name, (void *)name, kind},
#define TSR_NAMED(name) {#name, (void *)name, NAMED},
#include "icd/dispatch.def"
#undef TSR_SLOT
#undef TSR_NAMED
};

void *tsr__function_by_name(const char *name, bool absent_too)
{
    if (!name)
        return NULL;
    for (size_t i = 0; i < TSR_ARRAY_LEN(functions); i++)
        if (!strcmp(name, functions[i].name))
            return functions[i].kind == ABSENT && !absent_too ? NULL : functions[i].address;
    return NULL;
}
