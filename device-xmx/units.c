/* SPDX-License-Identifier: Apache-2.0
 * Whether a GPU has matrix units, and of which width: a device that lacks them must not be taken for one that has them, as the driver would
 * make slow code of the matrix functions, or none. What says most is asked first. */
#include "device-xmx/xmx.h"

enum {
    INTEGERS = TSR_ZE_DP_INPUT_INT8 | TSR_ZE_DP_INPUT_INT4,
    HALVES = TSR_ZE_DP_INPUT_FP16 | TSR_ZE_DP_INPUT_BF16,
    ALL_OF_8 = INTEGERS | HALVES,
    ALL_OF_16 = INTEGERS | HALVES | TSR_ZE_DP_INPUT_TF32,
};

/* dpasw is of the units with eight lanes. */
static struct tsr__xmx_units units(unsigned simd, unsigned inputs, bool pairs, const char *from)
{
    return (struct tsr__xmx_units){simd, simd ? inputs : 0, simd && pairs, from};
}

/* ---- by IP version ---- */

/* Graphics cores, by architecture and release; every revision counts. The last line that begins at or before a version is the one for it.
 * What is not known has no units unless its driver says so. */
static const struct core {
    uint32_t architecture, release;
    unsigned simd;
    bool pairs;
} cores[] = {
    {0, 0, 0, false},    /* before */
    {12, 55, 8, true},   /* DG2: 12.55 to 12.57 */
    {12, 58, 0, false},  /* - */
    {12, 60, 16, false}, /* Ponte Vecchio: 12.60, 12.61 */
    {12, 62, 0, false},  /* Meteor Lake, 12.70 and 12.71, has none */
    {12, 74, 8, false},  /* Arrow Lake H */
    {12, 75, 0, false},  /* - */
    {20, 0, 16, false},  /* Xe2: Battlemage 20.1 and 20.2, Lunar Lake 20.4 */
    {30, 0, 16, false},  /* Xe3: Panther Lake */
    {31, 0, 0, false},   /* - */
};

static const struct core *core_of(uint32_t ip)
{
    size_t found = 0;
    for (size_t i = 0; i < TSR_ARRAY_LEN(cores); i++)
        if (ip >= TSR_ZE_IP(cores[i].architecture, cores[i].release, 0))
            found = i;
    return &cores[found];
}

/* ---- by PCI id: drivers of 2022 tell nothing else ---- */

static bool is_dg2(uint32_t id)
{
    static const struct {
        uint32_t first, last;
    } ranges[] = {{0x4f80, 0x4f8c}, {0x5690, 0x56a6}, {0x56af, 0x56c1}};
    for (size_t i = 0; i < TSR_ARRAY_LEN(ranges); i++)
        if (id >= ranges[i].first && id <= ranges[i].last)
            return true;
    return false;
}

static uint32_t smallest_sub_group(const ze_device_compute_properties_t *compute)
{
    uint32_t smallest = 0;
    for (uint32_t i = 0; i < compute->numSubGroupSizes && i < ZE_SUBGROUPSIZE_COUNT; i++)
        if (!smallest || compute->subGroupSizes[i] < smallest)
            smallest = compute->subGroupSizes[i];
    return smallest;
}

/* ---- the answer ---- */

struct tsr__xmx_units tsr__xmx_units_of(const struct tsr__xmx_driver *driver, const struct tsr__xmx_facts *facts)
{
    bool intel = facts->properties.vendorId == TSR__PCI_INTEL;
    uint32_t ip = driver->has[TSR__XMX_IP_VERSION] ? facts->ip.ipVersion : 0;
    const struct core *core = core_of(ip);
    if (driver->has[TSR__XMX_DOT_PRODUCTS]) {
        bool deep = facts->dot.dp_caps & TSR_ZE_DP_DPAS_DEPTH8;
        bool narrow = facts->dot.dp_caps & TSR_ZE_DP_DPAS_SIMD8, wide = facts->dot.dp_caps & TSR_ZE_DP_DPAS_SIMD16;
        unsigned simd = !deep ? 0 : wide ? 16 : narrow ? 8 : 0;
        return units(simd, facts->dot.dpas_input_types, core->pairs && simd == 8, "the properties of dot products");
    }
    if (intel && ip)
        return units(core->simd, core->simd == 8 ? ALL_OF_8 : ALL_OF_16, core->pairs, "the IP version");
    uint32_t smallest = smallest_sub_group(&facts->compute);
    if (intel && smallest == 16) /* older GPUs have sub-groups of 8 */
        return units(16, ALL_OF_16, false, "the sub-group sizes");
    if (intel && smallest == 8 && is_dg2(facts->properties.deviceId))
        return units(8, ALL_OF_8, true, "the sub-group sizes and the PCI id");
    return units(0, 0, false, "the sub-group sizes");
}
