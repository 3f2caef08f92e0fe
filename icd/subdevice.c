/* SPDX-License-Identifier: Apache-2.0
 * Sub-devices: a device's compute units split equally, by counts, or by what they share. The device's folder makes the parts. */
#include <string.h>

#include "icd/icd.h"

/* In the order in which CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE tries them. */
static const struct {
    cl_device_affinity_domain cl;
    enum tsr_domain domain;
} domains[] = {
    {CL_DEVICE_AFFINITY_DOMAIN_NUMA, TSR_DOMAIN_NUMA},   {CL_DEVICE_AFFINITY_DOMAIN_L4_CACHE, TSR_DOMAIN_L4},
    {CL_DEVICE_AFFINITY_DOMAIN_L3_CACHE, TSR_DOMAIN_L3}, {CL_DEVICE_AFFINITY_DOMAIN_L2_CACHE, TSR_DOMAIN_L2},
    {CL_DEVICE_AFFINITY_DOMAIN_L1_CACHE, TSR_DOMAIN_L1},
};

cl_uint tsr__most_parts(const struct _cl_device_id *device)
{
    return device->ops->split_by_counts && device->impl->compute_units > 1 ? device->impl->compute_units : 0;
}

cl_device_affinity_domain tsr__affinity_domains(struct _cl_device_id *device)
{
    uint64_t found = atomic_load_explicit(&device->domains, memory_order_relaxed);
    if (!found) {
        for (size_t i = 0; i < TSR_ARRAY_LEN(domains); i++)
            if (device->ops->splits && device->ops->splits(device->impl, domains[i].domain))
                found |= domains[i].cl | CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE;
        found |= TSR__DOMAINS_KNOWN;
        atomic_store_explicit(&device->domains, found, memory_order_relaxed);
    }
    return found & ~TSR__DOMAINS_KNOWN;
}

static void destroy(struct tsr_object *object)
{
    struct _cl_device_id *device = TSR_CONTAINER_OF(object, struct _cl_device_id, base);
    device->base.tag = 0;
    device->ops->part_free(device->impl);
    tsr__drop(device->parent);
    tsr_free(device->partition);
    tsr_free(device);
}

/* Takes ownership of the part. NULL: out of memory, and the part is freed. */
static struct _cl_device_id *make_part(struct _cl_device_id *parent, struct tsr_device *part, const cl_device_partition_property *partition,
                                       size_t partition_count)
{
    struct _cl_device_id *device = tsr_calloc(1, sizeof(*device));
    cl_device_partition_property *copy = tsr_malloc(partition_count * sizeof(*copy));
    if (!device || !copy) {
        tsr_free(device);
        tsr_free(copy);
        parent->ops->part_free(part);
        return NULL;
    }
    tsr__object_init(&device->base, TSR_TAG_DEVICE, destroy);
    device->impl = part;
    device->ops = parent->ops;
    device->caps = parent->caps;
    device->extensions = parent->extensions;
    device->macros = parent->macros;
    tsr__hold(parent);
    device->parent = parent;
    memcpy(copy, partition, partition_count * sizeof(*copy));
    device->partition = copy;
    device->partition_count = partition_count;
    return device;
}

/* What a list of properties asks for. */
struct partition {
    cl_uint count;
    uint32_t *units; /* compute units of each part; NULL: along `domain` */
    enum tsr_domain domain;
    cl_device_partition_property *list; /* what CL_DEVICE_PARTITION_TYPE gives */
    size_t words;
};

static cl_int make_room(struct partition *p, bool with_units, const char *function)
{
    p->units = with_units ? tsr_calloc(p->count, sizeof(*p->units)) : NULL;
    p->list = tsr_calloc(p->words, sizeof(*p->list));
    if ((p->units || !with_units) && p->list)
        return CL_SUCCESS;
    return tsr__error(NULL, CL_OUT_OF_HOST_MEMORY, function, "make_room", "no memory for the sizes of %u sub-devices", p->count);
}

static cl_int split_equally(const struct _cl_device_id *device, const cl_device_partition_property *properties, struct partition *p)
{
    cl_uint all = device->impl->compute_units;
    RETURN_IF(NULL, properties[1] <= 0, CL_INVALID_VALUE, "sub-devices need at least one compute unit");
    RETURN_IF(NULL, properties[2] != 0, CL_INVALID_VALUE, "only one partitioning scheme can be given");
    RETURN_IF(NULL, properties[1] > all, CL_INVALID_DEVICE_PARTITION_COUNT, "the device has %u compute units", all);
    cl_uint units = (cl_uint)properties[1];
    RETURN_IF(NULL, all / units < 2, CL_DEVICE_PARTITION_FAILED, "%u compute units cannot be split into two times %u", all, units);
    p->count = all / units;
    p->words = 3;
    cl_int err = make_room(p, true, __func__);
    if (err)
        return err;
    memcpy(p->list, properties, 2 * sizeof(*properties));
    for (cl_uint i = 0; i < p->count; i++)
        p->units[i] = units;
    return CL_SUCCESS;
}

static cl_int split_by_counts(const struct _cl_device_id *device, const cl_device_partition_property *properties, struct partition *p)
{
    /* "CL_INVALID_DEVICE_PARTITION_COUNT if … the number of sub-devices requested exceeds CL_DEVICE_PARTITION_MAX_SUB_DEVICES or the total
     * number of compute units requested exceeds CL_DEVICE_MAX_COMPUTE_UNITS …, or the number … is less than zero." */
    cl_uint count = 0, all = device->impl->compute_units, left = all;
    for (; properties[1 + count] != CL_DEVICE_PARTITION_BY_COUNTS_LIST_END; count++) {
        cl_device_partition_property units = properties[1 + count];
        RETURN_IF(NULL, units < 0 || units > left, CL_INVALID_DEVICE_PARTITION_COUNT,
                  "part %u asks for %lld compute units; %u of %u are left", count, (long long)units, left, all);
        left -= (cl_uint)units;
    }
    RETURN_IF(NULL, !count, CL_INVALID_VALUE, "the list of counts is empty");
    RETURN_IF(NULL, all < 2, CL_DEVICE_PARTITION_FAILED, "one compute unit cannot be split");
    p->count = count;
    p->words = count + 3;
    cl_int err = make_room(p, true, __func__);
    if (err)
        return err;
    memcpy(p->list, properties, (count + 1) * sizeof(*properties)); /* then the end of the counts and of the list, both 0 */
    for (cl_uint i = 0; i < count; i++)
        p->units[i] = (uint32_t)properties[1 + i];
    return CL_SUCCESS;
}

static cl_int split_by_domain(const struct _cl_device_id *device, const cl_device_partition_property *properties, struct partition *p)
{
    cl_device_affinity_domain wanted = (cl_device_affinity_domain)properties[1];
    bool any = wanted == CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE, known = any;
    size_t found = TSR_ARRAY_LEN(domains);
    for (size_t i = 0; i < TSR_ARRAY_LEN(domains) && found == TSR_ARRAY_LEN(domains); i++) {
        known |= wanted == domains[i].cl;
        if (any || wanted == domains[i].cl) {
            p->count = device->ops->split_by_domain(device->impl, domains[i].domain, NULL);
            if (p->count > 1)
                found = i;
        }
    }
    RETURN_IF(NULL, !known, CL_INVALID_VALUE, "0x%llx is no affinity domain", (unsigned long long)wanted);
    RETURN_IF(NULL, properties[2] != 0, CL_INVALID_VALUE, "only one partitioning scheme can be given");
    /* "CL_INVALID_VALUE if values specified in properties are valid but not supported by the device": there is no such domain here at all.
     * A sub-device that lies within one domain of its parent's "could not be further partitioned". */
    if (found == TSR_ARRAY_LEN(domains))
        return tsr__error(NULL, device->parent ? CL_DEVICE_PARTITION_FAILED : CL_INVALID_VALUE, __func__, "affinity domain",
                          "all %u compute units share this domain, or the machine has none of the kind", device->impl->compute_units);
    p->words = 3;
    cl_int err = make_room(p, false, __func__);
    if (err)
        return err;
    p->domain = domains[found].domain;
    p->list[0] = CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN;
    p->list[1] = (cl_device_partition_property)domains[found].cl; /* for "next partitionable", the one that it was */
    return CL_SUCCESS;
}

/* Makes the parts and their handles, all or none. */
static cl_int make_parts(struct _cl_device_id *device, const struct partition *p, cl_device_id *out_devices)
{
    struct tsr_device **parts = tsr_calloc(p->count, sizeof(*parts));
    bool made = parts && (p->units ? device->ops->split_by_counts(device->impl, p->units, p->count, parts)
                                   : device->ops->split_by_domain(device->impl, p->domain, parts) == p->count);
    cl_uint done = 0, failed = 0;
    for (; made && done < p->count; done++) {
        out_devices[done] = make_part(device, parts[done], p->list, p->words);
        failed += !out_devices[done];
    }
    tsr_free(parts);
    if (made && !failed)
        return CL_SUCCESS;
    while (done)
        if (out_devices[--done])
            tsr__api_release(out_devices[done], TSR_TAG_DEVICE, CL_INVALID_DEVICE);
    return tsr__error(NULL, CL_OUT_OF_HOST_MEMORY, __func__, "made && !failed", "no memory for %u sub-devices", p->count);
}

TSR_API cl_int CL_API_CALL clCreateSubDevices(cl_device_id in_device, const cl_device_partition_property *properties, cl_uint num_devices,
                                              cl_device_id *out_devices, cl_uint *num_devices_ret)
{
    RETURN_IF(NULL, !tsr__valid(in_device, TSR_TAG_DEVICE), CL_INVALID_DEVICE, "the device is not valid");
    RETURN_IF(NULL, !properties, CL_INVALID_VALUE, "properties is NULL");
    /* "CL_INVALID_VALUE if values specified in properties are … not supported by the device." */
    RETURN_IF(NULL, !in_device->ops->split_by_counts, CL_INVALID_VALUE, "the device cannot be split");

    struct partition p = {0};
    cl_int err;
    switch (properties[0]) {
    case CL_DEVICE_PARTITION_EQUALLY:
        err = split_equally(in_device, properties, &p);
        break;
    case CL_DEVICE_PARTITION_BY_COUNTS:
        err = split_by_counts(in_device, properties, &p);
        break;
    case CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN:
        err = split_by_domain(in_device, properties, &p);
        break;
    default:
        err = tsr__error(NULL, CL_INVALID_VALUE, __func__, "properties", "no partitioning scheme 0x%llx", (long long)properties[0]);
    }
    if (err)
        goto fail;
    FAIL_IF(NULL, out_devices && num_devices < p.count, CL_INVALID_VALUE, "there will be %u sub-devices, num_devices is %u", p.count,
            num_devices);
    err = out_devices ? make_parts(in_device, &p, out_devices) : CL_SUCCESS;
    if (!err && num_devices_ret)
        *num_devices_ret = p.count;
fail:
    tsr_free(p.units);
    tsr_free(p.list);
    return err;
}
