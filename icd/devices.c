/* SPDX-License-Identifier: Apache-2.0
 * The root devices, from the table of device folders. TESSERA_DEVICES_DEF names it: tests make a driver with another
 * one. */
#include <stdlib.h>
#include <string.h>

#include "icd/icd.h"

#define TSR_DEVICE(kind, table) extern const struct tsr_device_ops table;
#include TESSERA_DEVICES_DEF
#undef TSR_DEVICE

static const struct folder {
    const char *kind; /* in TESSERA_DEVICES */
    const struct tsr_device_ops *ops;
} folders[] = {
#define TSR_DEVICE(kind, table) {#kind, &table},
#include TESSERA_DEVICES_DEF
#undef TSR_DEVICE
};

static struct _cl_device_id roots[TSR__MOST_ROOTS], *root_list[TSR__MOST_ROOTS];
static struct tsr__extensions extensions[TSR__MOST_ROOTS];
static char macros[TSR__MOST_ROOTS][TSR_CLC_MACROS_BYTES];
static unsigned root_count;

static void add_root(struct tsr_device *impl)
{
    struct _cl_device_id *device = &roots[root_count];
    *device = (struct _cl_device_id){
        .base = {.dispatch = tsr__dispatch, .tag = TSR_TAG_DEVICE, .api = 1, .holds = 1},
        .impl = impl,
        .ops = impl->ops,
        .caps = impl->caps,
        .extensions = &extensions[root_count],
        .macros = macros[root_count],
    };
    tsr__extensions_fill(&impl->caps->extensions, &extensions[root_count]);
    tsr_clc_macros(&impl->caps->extensions, macros[root_count]);
    root_list[root_count++] = device;
}

static void add_folder(const struct folder *folder)
{
    struct tsr_device **devices;
    unsigned count = folder->ops->roots(&devices);
    for (unsigned k = 0; k < count && root_count < TSR__MOST_ROOTS; k++) /* further devices are not listed */
        add_root(devices[k]);
}

/* The folder of a word, which ends at a comma; NULL: there is none. */
static const struct folder *find_folder(const char *word)
{
    for (size_t i = 0; i < TSR_ARRAY_LEN(folders); i++) {
        size_t length = strlen(folders[i].kind);
        if (!strncmp(word, folders[i].kind, length) && (!word[length] || word[length] == ','))
            return &folders[i];
    }
    return NULL;
}

static const char *next_word(const char *word)
{
    const char *comma = strchr(word, ',');
    return comma ? comma + 1 : NULL;
}

/* The folders of the list, each once. False: a word is none. */
static bool add_listed(const char *list)
{
    bool taken[TSR_ARRAY_LEN(folders)] = {false};
    for (const char *word = list; word; word = next_word(word))
        if (!find_folder(word))
            return false;
    for (const char *word = list; word; word = next_word(word)) {
        const struct folder *folder = find_folder(word);
        if (!taken[folder - folders])
            add_folder(folder);
        taken[folder - folders] = true;
    }
    return true;
}

static void find_roots(void)
{
    const char *list = tsr_env(TSR_ENV_DEVICES);
    if (list && add_listed(list))
        return;
    if (list)
        tsr_log(TSR_LOG_WARN, "TESSERA_DEVICES=%s: the value is ignored; it lists cpu, gpu, or both with a comma between them", list);
    for (size_t i = 0; i < TSR_ARRAY_LEN(folders); i++)
        add_folder(&folders[i]);
}

unsigned tsr__root_devices(struct _cl_device_id ***devices)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find_roots);
    *devices = root_list;
    return root_count;
}

/* Languages whose CL_DEVICE_TYPE_ALL is an int of 32 bits, as Java's bindings have it, extend its sign. */
static bool is_all(cl_device_type type)
{
    return type == CL_DEVICE_TYPE_ALL || type == ~(cl_device_type)0;
}

cl_int tsr__check_device_type(cl_device_type type, const char *function)
{
    const cl_device_type known =
        CL_DEVICE_TYPE_DEFAULT | CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_GPU | CL_DEVICE_TYPE_ACCELERATOR | CL_DEVICE_TYPE_CUSTOM;
    if (is_all(type) || (type && !(type & ~known)))
        return CL_SUCCESS;
    return tsr__error(NULL, CL_INVALID_DEVICE_TYPE, function, "device_type", "0x%llx is no device type", (unsigned long long)type);
}

unsigned tsr__devices_of_type(cl_device_type type, struct _cl_device_id **devices)
{
    struct _cl_device_id **all;
    unsigned count = tsr__root_devices(&all), found = 0;
    /* "CL_DEVICE_TYPE_ALL: all OpenCL devices available in the platform, except for custom devices." */
    cl_device_type wanted = is_all(type) ? ~(cl_device_type)(CL_DEVICE_TYPE_CUSTOM | CL_DEVICE_TYPE_DEFAULT) : type;
    for (unsigned i = 0; i < count; i++) {
        cl_device_type is = (cl_device_type)all[i]->caps->type | (i == 0 ? CL_DEVICE_TYPE_DEFAULT : 0);
        if (is & wanted)
            devices[found++] = all[i];
    }
    return found;
}
