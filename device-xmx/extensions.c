/* SPDX-License-Identifier: Apache-2.0
 * Which extensions and OpenCL C features a GPU has. */
#include "device-xmx/xmx.h"

#define TSR_XMX_EXT(name, condition) +1
_Static_assert(0
#include "device-xmx/extensions.def"
                   == TSR_EXT_COUNT,
               "each line of tessera/ext.def has one in extensions.def");
#undef TSR_XMX_EXT

void tsr__xmx_extensions(const struct tsr__xmx_device *device, const struct tsr__xmx_facts *facts, struct tsr_ext_set *set)
{
    const struct tsr__xmx_units *units = &device->units;
    ze_device_module_flags_t flags = facts->module.flags;
    unsigned svm = device->caps.svm;
    bool images = device->caps.images;
    uint32_t half = facts->atomics.fp16Flags, single = facts->atomics.fp32Flags, twice = facts->atomics.fp64Flags;
#define TSR_XMX_EXT(name, condition) set->has[TSR_HAS_##name] = condition;
#include "device-xmx/extensions.def"
#undef TSR_XMX_EXT
}
