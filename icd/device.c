/* SPDX-License-Identifier: Apache-2.0
 * Root devices and the device queries, which come from icd/info_device.def. */
#include "icd/icd.h"

static struct _cl_device_id cpu = {
    .base = {.dispatch = tsr__dispatch, .tag = TSR_TAG_DEVICE, .api = 1, .holds = 1},
    .ops = &tsr_cpu_device,
};
static struct _cl_device_id *roots[] = {&cpu};
static pthread_once_t roots_filled = PTHREAD_ONCE_INIT;

static void fill_roots(void)
{
    for (size_t i = 0; i < TSR_ARRAY_LEN(roots); i++) {
        roots[i]->caps = roots[i]->ops->caps();
        roots[i]->cpus = *tsr_cpus_allowed();
        roots[i]->compute_units = roots[i]->caps->compute_units;
    }
}

unsigned tsr__root_devices(struct _cl_device_id ***devices)
{
    pthread_once(&roots_filled, fill_roots);
    *devices = roots;
    return TSR_ARRAY_LEN(roots);
}
