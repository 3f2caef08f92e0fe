/* SPDX-License-Identifier: Apache-2.0
 * Samplers. A kernel gets the word that tessera/sampler.def makes of one. */
#include <float.h>
#include <string.h>

#include "icd/image.h"
#include "tessera/floats.h"

static void sampler_destroy(struct tsr_object *object)
{
    struct _cl_sampler *sampler = (struct _cl_sampler *)object;
    object->tag = 0;
    tsr__drop(sampler->context);
    tsr_free(sampler->properties);
    tsr__unwatch(sampler);
}

/* A level of detail in sixteenths, from 0 to 255; NaN is 0. */
static uint32_t sixteenths(float lod)
{
    return lod > 0 ? lod < 255 / 16.0f ? (uint32_t)(lod * 16) : 255 : 0;
}

uint32_t tsr__sampler_word(const struct _cl_sampler *sampler)
{
    enum property { COORDS, ADDRESSING, FILTER };
    static const struct {
        enum property property;
        cl_uint value;
        uint32_t bits;
    } table[] = {
#define TSR_SAMPLER(property, value, constant, bits) {property, value, bits},
#include "tessera/sampler.def"
#undef TSR_SAMPLER
    };
    const cl_uint has[] = {[COORDS] = sampler->normalized, [ADDRESSING] = sampler->addressing, [FILTER] = sampler->filter};
    uint32_t bits = sampler->mip_filter == CL_FILTER_LINEAR ? TSR_SAMPLER_MIP_LINEAR : 0;
    for (size_t i = 0; i < TSR_ARRAY_LEN(table); i++)
        if (has[table[i].property] == table[i].value)
            bits |= table[i].bits;
    const unsigned begun = tsr_floats_begin();
    bits |= sixteenths(sampler->lod_min) << TSR_SAMPLER_LOD_MIN_SHIFT | (255 - sixteenths(sampler->lod_max)) << TSR_SAMPLER_LOD_MAX_SHIFT;
    tsr_floats_end(begun);
    return bits;
}

/* One value of a sampler: where it is kept, and which numbers it can have. */
struct property {
    cl_sampler_properties name;
    cl_uint *value;
    cl_uint low, high;
};

/* Reads a list of names and values into the properties; *words gets its length with the final zero. "CL_INVALID_VALUE if the property name
 * in sampler_properties is not a supported property name, if the value specified for a supported property name is not valid, or if the
 * same property name is specified more than once." */
static cl_int read_properties(const char *function, struct _cl_context *context, const cl_sampler_properties *list,
                              const struct property *properties, size_t count, size_t *words)
{
    unsigned seen = 0;
    size_t at = 0;
    for (; list && list[at]; at += 2) {
        size_t i = 0;
        while (i < count && properties[i].name != list[at])
            i++;
        if (i == count)
            return tsr__error(context, CL_INVALID_VALUE, function, "sampler_properties", "no sampler has the property 0x%llx",
                              (unsigned long long)list[at]);
        if (seen >> i & 1)
            return tsr__error(context, CL_INVALID_VALUE, function, "sampler_properties", "property 0x%llx stands twice in the list",
                              (unsigned long long)list[at]);
        seen |= 1u << i;
        if (list[at + 1] < properties[i].low || list[at + 1] > properties[i].high)
            return tsr__error(context, CL_INVALID_VALUE, function, "sampler_properties", "property 0x%llx cannot be 0x%llx",
                              (unsigned long long)list[at], (unsigned long long)list[at + 1]);
        *properties[i].value = (cl_uint)list[at + 1];
    }
    *words = list ? at + 1 : 0;
    return CL_SUCCESS;
}

static cl_int make(const char *function, cl_context context, const cl_sampler_properties *list, bool keep, struct _cl_sampler **made)
{
    if (!tsr__valid(context, TSR_TAG_CONTEXT))
        return tsr__error(NULL, CL_INVALID_CONTEXT, function, "context", "not a context: %p", (void *)context);
    if (!tsr__context_has_images(context))
        return tsr__error(context, CL_INVALID_OPERATION, function, "CL_DEVICE_IMAGE_SUPPORT", "the devices have no images, so no samplers");
    enum { ALWAYS = 3 };
    struct _cl_sampler values = {.normalized = CL_TRUE,
                                 .addressing = CL_ADDRESS_CLAMP,
                                 .filter = CL_FILTER_NEAREST,
                                 .mip_filter = CL_FILTER_NEAREST,
                                 .lod_max = FLT_MAX};
    cl_uint lod[2];
    memcpy(&lod[0], &values.lod_min, sizeof lod[0]);
    memcpy(&lod[1], &values.lod_max, sizeof lod[1]);
    const struct property properties[] = {
        {CL_SAMPLER_NORMALIZED_COORDS, &values.normalized, CL_FALSE, CL_TRUE},
        {CL_SAMPLER_ADDRESSING_MODE, &values.addressing, CL_ADDRESS_NONE, CL_ADDRESS_MIRRORED_REPEAT},
        {CL_SAMPLER_FILTER_MODE, &values.filter, CL_FILTER_NEAREST, CL_FILTER_LINEAR},
        {CL_SAMPLER_MIP_FILTER_MODE_KHR, &values.mip_filter, CL_FILTER_NEAREST, CL_FILTER_LINEAR},
        {CL_SAMPLER_LOD_MIN_KHR, &lod[0], 0, UINT32_MAX},
        {CL_SAMPLER_LOD_MAX_KHR, &lod[1], 0, UINT32_MAX},
    };
    size_t count = tsr__context_has_mipmaps(context) ? TSR_ARRAY_LEN(properties) : ALWAYS, words;
    cl_int err = read_properties(function, context, list, properties, count, &words);
    if (err != CL_SUCCESS)
        return err;
    memcpy(&values.lod_min, &lod[0], sizeof lod[0]);
    memcpy(&values.lod_max, &lod[1], sizeof lod[1]);
    struct _cl_sampler *sampler = tsr_calloc(1, sizeof *sampler);
    if (!sampler)
        return tsr__error(context, CL_OUT_OF_HOST_MEMORY, function, "sampler", "no memory for a sampler");
    *sampler = values;
    tsr__object_init(&sampler->base, TSR_TAG_SAMPLER, sampler_destroy);
    tsr__hold(context);
    sampler->context = context;
    *made = sampler;
    if (!tsr__keep_properties(keep ? list : NULL, words, &sampler->properties, &sampler->property_count))
        return tsr__error(context, CL_OUT_OF_HOST_MEMORY, function, "properties", "no memory for a sampler");
    return CL_SUCCESS;
}

/* clCreateSamplerWithProperties, clCreateSampler: OpenCL 3.0, 5.7.1. */
TSR_API cl_sampler CL_API_CALL clCreateSamplerWithProperties(cl_context context, const cl_sampler_properties *properties,
                                                             cl_int *errcode_ret)
{
    struct _cl_sampler *sampler = NULL;
    cl_int err = make(__func__, context, properties, true, &sampler);
    return tsr__created(sampler, err, errcode_ret);
}

TSR_API cl_sampler CL_API_CALL clCreateSampler(cl_context context, cl_bool normalized, cl_addressing_mode addressing, cl_filter_mode filter,
                                               cl_int *errcode_ret)
{
    const cl_sampler_properties list[] = {
        CL_SAMPLER_NORMALIZED_COORDS, normalized, CL_SAMPLER_ADDRESSING_MODE, addressing, CL_SAMPLER_FILTER_MODE, filter, 0};
    struct _cl_sampler *sampler = NULL;
    cl_int err = make(__func__, context, list, false, &sampler);
    return tsr__created(sampler, err, errcode_ret);
}

/* clRetainSampler, clReleaseSampler, clGetSamplerInfo: OpenCL 3.0, 5.7. */
TSR_API cl_int CL_API_CALL clRetainSampler(cl_sampler sampler)
{
    return tsr__api_retain(sampler, TSR_TAG_SAMPLER, CL_INVALID_SAMPLER);
}

TSR_API cl_int CL_API_CALL clReleaseSampler(cl_sampler sampler)
{
    return tsr__api_release(sampler, TSR_TAG_SAMPLER, CL_INVALID_SAMPLER);
}

TSR_API cl_int CL_API_CALL clGetSamplerInfo(cl_sampler sampler, cl_sampler_info name, size_t size, void *value, size_t *size_ret)
{
    RETURN_IF(NULL, !tsr__valid(sampler, TSR_TAG_SAMPLER), CL_INVALID_SAMPLER, "not a sampler: %p", (void *)sampler);
    struct tsr_info_out out = {size, value, size_ret};
    bool mipmaps = tsr__context_has_mipmaps(sampler->context);
    switch (name) {
    case CL_SAMPLER_REFERENCE_COUNT:
        return tsr__info_value(out, cl_uint, (cl_uint)atomic_load(&sampler->base.api));
    case CL_SAMPLER_CONTEXT:
        return tsr__info_value(out, cl_context, sampler->context);
    case CL_SAMPLER_NORMALIZED_COORDS:
        return tsr__info_value(out, cl_bool, sampler->normalized);
    case CL_SAMPLER_ADDRESSING_MODE:
        return tsr__info_value(out, cl_addressing_mode, sampler->addressing);
    case CL_SAMPLER_FILTER_MODE:
        return tsr__info_value(out, cl_filter_mode, sampler->filter);
    case CL_SAMPLER_PROPERTIES:
        return tsr__info_bytes(out, sampler->properties, sampler->property_count * sizeof *sampler->properties);
    case CL_SAMPLER_MIP_FILTER_MODE_KHR:
        if (mipmaps)
            return tsr__info_value(out, cl_filter_mode, sampler->mip_filter);
        break;
    case CL_SAMPLER_LOD_MIN_KHR:
        if (mipmaps)
            return tsr__info_value(out, cl_float, sampler->lod_min);
        break;
    case CL_SAMPLER_LOD_MAX_KHR:
        if (mipmaps)
            return tsr__info_value(out, cl_float, sampler->lod_max);
        break;
    default:
        break;
    }
    return tsr__error(sampler->context, CL_INVALID_VALUE, __func__, "param_name", "no sampler has the property 0x%x", name);
}
