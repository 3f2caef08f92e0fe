/* SPDX-License-Identifier: Apache-2.0
 * Images in kernels against a model in double, which computes by the specification's formulas alone (OpenCL 3.0, 8.2 to 8.4; OpenCL C 3.0,
 * 6.15.15): reads with every sampler, reads without one, and writes, of every format and kind of image that the device has.
 *
 * Sizes are powers of two and coordinates multiples of 1/64 of a pixel, so that all coordinates are exact and no pixel is doubtful. Numbers
 * that one pixel alone makes have to be the nearest floats; sums may be off by some units in the last place of the largest pixel. */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "host/host.h"

enum { WIDTH = 8, HEIGHT = 4, DEPTH = 2, LAYERS = 3, ITEMS = 131, MOST_BYTES = WIDTH * HEIGHT * LAYERS * 16 };

static const struct kind {
    cl_mem_object_type type;
    const char *name, *at, *whole; /* what a kernel calls it; coordinates of a float4 and of an int4 */
    bool y, z, layers, depth;
} kinds[] = {
    {CL_MEM_OBJECT_IMAGE1D, "image1d_t", "c.x", "i.x", false, false, false, false},
    {CL_MEM_OBJECT_IMAGE1D_ARRAY, "image1d_array_t", "c.xw", "i.xw", false, false, true, false},
    {CL_MEM_OBJECT_IMAGE2D, "image2d_t", "c.xy", "i.xy", true, false, false, false},
    {CL_MEM_OBJECT_IMAGE2D_ARRAY, "image2d_array_t", "c.xyww", "i.xyww", true, false, true, false},
    {CL_MEM_OBJECT_IMAGE3D, "image3d_t", "c.xyzz", "i.xyzz", true, true, false, false},
    {CL_MEM_OBJECT_IMAGE2D, "image2d_depth_t", "c.xy", "i.xy", true, false, false, true},
    {CL_MEM_OBJECT_IMAGE2D_ARRAY, "image2d_array_depth_t", "c.xyww", "i.xyww", true, false, true, true},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* ---- formats ---------------------------------------------------------------------------------------------------------------------- */

enum values { FLOATS, INTS, UINTS };

static enum values values_of(cl_channel_type type)
{
    if (type == CL_SIGNED_INT8 || type == CL_SIGNED_INT16 || type == CL_SIGNED_INT32)
        return INTS;
    return type == CL_UNSIGNED_INT8 || type == CL_UNSIGNED_INT16 || type == CL_UNSIGNED_INT32 ? UINTS : FLOATS;
}

/* For each component which channel of memory it is, in the order of the name; -1: 0, -2: 1. */
static const signed char *components_of(cl_channel_order order)
{
    static const signed char r[] = {0, -1, -1, -2}, a[] = {-1, -1, -1, 0}, rg[] = {0, 1, -1, -2}, ra[] = {0, -1, -1, 1},
                             rgb[] = {0, 1, 2, -2}, rgba[] = {0, 1, 2, 3}, bgra[] = {2, 1, 0, 3}, argb[] = {1, 2, 3, 0},
                             abgr[] = {3, 2, 1, 0}, intensity[] = {0, 0, 0, 0}, luminance[] = {0, 0, 0, -2};
    switch (order) {
    case CL_R:
    case CL_DEPTH:
        return r;
    case CL_A:
        return a;
    case CL_RG:
        return rg;
    case CL_RA:
        return ra;
    case CL_RGB:
        return rgb;
    case CL_RGBA:
    case CL_sRGBA:
        return rgba;
    case CL_BGRA:
    case CL_sBGRA:
        return bgra;
    case CL_ARGB:
        return argb;
    case CL_ABGR:
        return abgr;
    case CL_INTENSITY:
        return intensity;
    case CL_LUMINANCE:
        return luminance;
    default:
        REQUIRE(false, "channel order 0x%x is unknown to the model", order);
        return NULL;
    }
}

static int channels_of(cl_channel_order order)
{
    const signed char *c = components_of(order);
    int most = 0;
    for (int i = 0; i < 4; i++)
        most = c[i] > most ? c[i] : most;
    return most + 1;
}

/* Bits of a channel, and where they begin in a packed pixel; 0 bits: the type is not packed. */
static int packed_bits(cl_channel_type type, int channel, int *from)
{
    static const struct {
        cl_channel_type type;
        signed char bits[4], from[4];
    } packed[] = {
        {CL_UNORM_SHORT_565, {5, 6, 5, 0}, {11, 5, 0, 0}},
        {CL_UNORM_SHORT_555, {5, 5, 5, 0}, {10, 5, 0, 0}},
        {CL_UNORM_INT_101010, {10, 10, 10, 0}, {20, 10, 0, 0}},
        {CL_UNORM_INT_101010_2, {10, 10, 10, 2}, {22, 12, 2, 0}},
    };
    for (size_t i = 0; i < sizeof packed / sizeof *packed; i++)
        if (packed[i].type == type) {
            *from = packed[i].from[channel];
            return packed[i].bits[channel];
        }
    return 0;
}

static int channel_bytes(cl_channel_type type)
{
    switch (type) {
    case CL_SNORM_INT8:
    case CL_UNORM_INT8:
    case CL_SIGNED_INT8:
    case CL_UNSIGNED_INT8:
        return 1;
    case CL_SNORM_INT16:
    case CL_UNORM_INT16:
    case CL_SIGNED_INT16:
    case CL_UNSIGNED_INT16:
    case CL_HALF_FLOAT:
        return 2;
    default:
        return 4;
    }
}

static int pixel_bytes(const cl_image_format *f)
{
    int from;
    if (packed_bits(f->image_channel_data_type, 0, &from))
        return f->image_channel_data_type == CL_UNORM_SHORT_565 || f->image_channel_data_type == CL_UNORM_SHORT_555 ? 2 : 4;
    return channel_bytes(f->image_channel_data_type) * channels_of(f->image_channel_order);
}

static bool is_srgb(const cl_image_format *f)
{
    return f->image_channel_order == CL_sRGBA || f->image_channel_order == CL_sBGRA;
}

static double half_value(unsigned bits)
{
    int exponent = bits >> 10 & 31, mantissa = bits & 1023;
    double v = exponent ? ldexp(1024 + mantissa, exponent - 25) : ldexp(mantissa, -24);
    return bits >> 15 ? -v : v;
}

/* The number that a channel of a pixel stands for. */
static double channel_value(const cl_image_format *f, const unsigned char *pixel, int channel)
{
    cl_channel_type type = f->image_channel_data_type;
    uint32_t bits = 0, whole = 0;
    int from, width = packed_bits(type, channel, &from), bytes = channel_bytes(type);
    memcpy(&whole, pixel, pixel_bytes(f) < 4 ? (size_t)pixel_bytes(f) : 4);
    if (width)
        return (double)(whole >> from & ((1u << width) - 1)) / ((1u << width) - 1);
    memcpy(&bits, pixel + channel * bytes, (size_t)bytes);
    switch (type) {
    case CL_SNORM_INT8:
        return fmax((int8_t)bits / 127.0, -1);
    case CL_SNORM_INT16:
        return fmax((int16_t)bits / 32767.0, -1);
    case CL_UNORM_INT8: {
        double c = bits / 255.0;
        return !is_srgb(f) || channel == 3 ? c : c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
    }
    case CL_UNORM_INT16:
        return bits / 65535.0;
    case CL_HALF_FLOAT:
        return half_value(bits);
    case CL_FLOAT: {
        float v;
        memcpy(&v, &bits, sizeof v);
        return v;
    }
    case CL_SIGNED_INT8:
        return (int8_t)bits;
    case CL_SIGNED_INT16:
        return (int16_t)bits;
    case CL_SIGNED_INT32:
        return (int32_t)bits;
    default:
        return bits;
    }
}

/* ---- images ----------------------------------------------------------------------------------------------------------------------- */

struct image {
    const struct kind *kind;
    cl_image_format format;
    int w, h, d, layers;
    unsigned char bytes[MOST_BYTES];
    size_t size;
};

static uint32_t random_word(void)
{
    static uint64_t state = 88172645463325252u;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 16);
}

static void fill(struct image *m)
{
    m->size = (size_t)(m->w * m->h * m->d * m->layers * pixel_bytes(&m->format));
    for (size_t i = 0; i < m->size; i++)
        m->bytes[i] = (unsigned char)random_word();
    for (size_t i = 0; i < m->size; i += 4) {
        if (m->format.image_channel_data_type == CL_FLOAT) {
            float v = (float)((int)(random_word() % 20001) - 10000) / 64;
            memcpy(m->bytes + i, &v, sizeof v);
        } else if (m->format.image_channel_data_type == CL_HALF_FLOAT) { /* finite ones of moderate size */
            m->bytes[i + 1] = (unsigned char)((m->bytes[i + 1] & 0x80) | 0x30 | (m->bytes[i + 1] & 0xf));
            if (i + 3 < m->size)
                m->bytes[i + 3] = (unsigned char)((m->bytes[i + 3] & 0x80) | 0x30 | (m->bytes[i + 3] & 0xf));
        }
    }
}

static const unsigned char *pixel(const struct image *m, int x, int y, int z, int layer)
{
    return m->bytes + (((layer * m->d + z) * m->h + y) * m->w + x) * pixel_bytes(&m->format);
}

/* Component k of a pixel, or of the border. */
static double component(const struct image *m, int x, int y, int z, int layer, int k)
{
    bool inside = x >= 0 && x < m->w && y >= 0 && y < m->h && z >= 0 && z < m->d;
    cl_channel_order order = m->format.image_channel_order;
    int c = components_of(order)[k];
    if (!inside) /* OpenCL C 3.0, 6.15.15.1 */
        return k == 3 && (order == CL_R || order == CL_RG || order == CL_RGB || order == CL_LUMINANCE || order == CL_DEPTH);
    return c >= 0 ? channel_value(&m->format, pixel(m, x, y, z, layer), c) : c == -2;
}

/* ---- addressing (OpenCL 3.0, 8.2) ------------------------------------------------------------------------------------------------- */

struct sampler {
    bool normalised, linear;
    cl_addressing_mode mode;
};

static int within(int x, int low, int high)
{
    return x < low ? low : x > high ? high : x;
}

static int addressed(int i, int size, const struct sampler *s)
{
    switch (s->mode) {
    case CL_ADDRESS_CLAMP_TO_EDGE:
        return within(i, 0, size - 1);
    case CL_ADDRESS_CLAMP:
        return within(i, -1, size);
    default:
        return i;
    }
}

/* The pixels along an axis, and how much of the second. */
static void along(double s, int size, const struct sampler *sampler, int i[2], double *a)
{
    double u = sampler->normalised ? s * size : s;
    if (sampler->mode == CL_ADDRESS_REPEAT)
        u = (s - floor(s)) * size;
    if (sampler->mode == CL_ADDRESS_MIRRORED_REPEAT)
        u = fabs(s - 2 * rint(0.5 * s)) * size;
    if (!sampler->linear) {
        i[0] = (int)floor(u);
        if (sampler->mode == CL_ADDRESS_REPEAT && i[0] > size - 1)
            i[0] -= size;
        if (sampler->mode == CL_ADDRESS_MIRRORED_REPEAT)
            i[0] = within(i[0], 0, size - 1);
        i[0] = i[1] = addressed(i[0], size, sampler);
        *a = 0;
        return;
    }
    double v = u - 0.5;
    i[0] = (int)floor(v);
    i[1] = i[0] + 1;
    *a = v - floor(v);
    if (sampler->mode == CL_ADDRESS_REPEAT) {
        i[0] += i[0] < 0 ? size : 0;
        i[1] -= i[1] > size - 1 ? size : 0;
    }
    for (int k = 0; k < 2; k++)
        i[k] = sampler->mode == CL_ADDRESS_MIRRORED_REPEAT ? within(i[k], 0, size - 1) : addressed(i[k], size, sampler);
}

static void sample(const struct image *m, const struct sampler *s, const float c[4], double result[4])
{
    int x[2], y[2] = {0, 0}, z[2] = {0, 0}, layer = m->kind->layers ? within((int)rint(c[3]), 0, m->layers - 1) : 0;
    double part[3] = {0, 0, 0};
    along(c[0], m->w, s, x, &part[0]);
    if (m->kind->y)
        along(c[1], m->h, s, y, &part[1]);
    if (m->kind->z)
        along(c[2], m->d, s, z, &part[2]);
    for (int k = 0; k < 4; k++) {
        result[k] = 0;
        for (int corner = 0; corner < 8; corner++) {
            double weight = 1;
            for (int axis = 0; axis < 3; axis++)
                weight *= corner >> axis & 1 ? part[axis] : 1 - part[axis];
            if (weight)
                result[k] += weight * component(m, x[corner & 1], y[corner >> 1 & 1], z[corner >> 2], layer, k);
        }
    }
}

/* ---- the device ------------------------------------------------------------------------------------------------------------------- */

static const char source_of_kind[] = "#pragma OPENCL EXTENSION cl_khr_depth_images : enable\n"
                                     "#pragma OPENCL EXTENSION cl_khr_3d_image_writes : enable\n"
                                     "kernel void read(read_only %s m, sampler_t s, global const float4 *at, global %s *o)\n"
                                     "{ size_t g = get_global_id(0); float4 c = at[g]; o[g] = read_image%s(m, s, %s); }\n"
                                     "kernel void fetch(read_only %s m, global const int4 *at, global %s *o)\n"
                                     "{ size_t g = get_global_id(0); int4 i = at[g]; o[g] = read_image%s(m, %s); }\n"
                                     "kernel void put(write_only %s m, global const int4 *at, global const %s *v)\n"
                                     "{ size_t g = get_global_id(0); int4 i = at[g]; write_image%s(m, %s, v[g]); }\n";

struct device {
    struct session session;
    cl_mem at, values;
    cl_kernel read[3], fetch[3], put[3]; /* by enum values */
    unsigned checks;
};

static void make_kernels(struct device *d, const struct kind *k)
{
    static const char *const types[] = {"float4", "int4", "uint4"}, *const ends[] = {"f", "i", "ui"};
    char source[4096];
    cl_int err;
    for (int v = 0; v < (k->depth ? 1 : 3); v++) {
        const char *type = k->depth ? "float" : types[v];
        snprintf(source, sizeof source, source_of_kind, k->name, type, ends[v], k->at, k->name, type, ends[v], k->whole, k->name, type,
                 ends[v], k->whole);
        cl_program program = build(&d->session, source, "-cl-std=CL3.0");
        d->read[v] = clCreateKernel(program, "read", &err);
        REQUIRE(!err, "kernel read of %s: %d", k->name, err);
        d->fetch[v] = clCreateKernel(program, "fetch", &err);
        REQUIRE(!err, "kernel fetch of %s: %d", k->name, err);
        d->put[v] = clCreateKernel(program, "put", &err);
        REQUIRE(!err, "kernel put of %s: %d", k->name, err);
        clReleaseProgram(program);
    }
}

static void drop_kernels(struct device *d, const struct kind *k)
{
    for (int v = 0; v < (k->depth ? 1 : 3); v++) {
        clReleaseKernel(d->read[v]);
        clReleaseKernel(d->fetch[v]);
        clReleaseKernel(d->put[v]);
    }
}

static cl_mem make_image(const struct device *d, struct image *m, cl_mem_flags flags)
{
    cl_image_desc desc = {.image_type = m->kind->type,
                          .image_width = (size_t)m->w,
                          .image_height = m->kind->y ? (size_t)m->h : 0,
                          .image_depth = m->kind->z ? (size_t)m->d : 0,
                          .image_array_size = m->kind->layers ? (size_t)m->layers : 0};
    cl_int err;
    cl_mem made = clCreateImage(d->session.context, flags | CL_MEM_COPY_HOST_PTR, &m->format, &desc, m->bytes, &err);
    REQUIRE(!err, "clCreateImage of %s, order 0x%x, type 0x%x: %d", m->kind->name, m->format.image_channel_order,
            m->format.image_channel_data_type, err);
    return made;
}

static void set(cl_kernel kernel, cl_uint index, size_t size, const void *value)
{
    REQUIRE(!clSetKernelArg(kernel, index, size, value), "argument %u", index);
}

static void run(const struct device *d, cl_kernel kernel)
{
    size_t items = ITEMS;
    REQUIRE(!clEnqueueNDRangeKernel(d->session.queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL), "launch");
    REQUIRE(!clFinish(d->session.queue), "clFinish");
}

static size_t value_bytes(const struct image *m)
{
    return m->kind->depth ? sizeof(cl_float) : sizeof(cl_float4);
}

/* Component k of item g of what a kernel has stored. */
static double stored(const struct image *m, const void *values, int g, int k)
{
    int i = m->kind->depth ? g : 4 * g + k;
    enum values v = values_of(m->format.image_channel_data_type);
    return v == FLOATS ? (double)((const float *)values)[i]
           : v == INTS ? (double)((const int32_t *)values)[i]
                       : (double)((const uint32_t *)values)[i];
}

static double largest(const struct image *m)
{
    double most = 1;
    for (int i = 0; i < (int)m->size / pixel_bytes(&m->format); i++)
        for (int c = 0; c < channels_of(m->format.image_channel_order); c++)
            most = fmax(most, fabs(channel_value(&m->format, m->bytes + i * pixel_bytes(&m->format), c)));
    return most;
}

static void compare(struct device *d, const struct image *m, const char *what, int g, const double wanted[4], const void *values,
                    double tolerance)
{
    for (int k = 0; k < (m->kind->depth ? 1 : 4); k++) {
        double got = stored(m, values, g, k),
               exact = tolerance || values_of(m->format.image_channel_data_type) != FLOATS ? wanted[k] : (double)(float)wanted[k];
        d->checks++;
        REQUIRE(fabs(got - exact) <= tolerance, "%s, order 0x%x, type 0x%x, %s, item %d, component %d: %.9g, not %.9g", m->kind->name,
                m->format.image_channel_order, m->format.image_channel_data_type, what, g, k, got, exact);
    }
}

static void try_sampler(struct device *d, const struct image *m, cl_mem image, const struct sampler *s)
{
    float at[ITEMS][4];
    static unsigned char values[ITEMS * sizeof(cl_float4)];
    const int size[3] = {m->w, m->h, m->d};
    enum values v = values_of(m->format.image_channel_data_type);
    for (int g = 0; g < ITEMS; g++) {
        for (int axis = 0; axis < 3; axis++) {
            int pixels = (int)(random_word() % (unsigned)(4 * 64 * size[axis])) - 64 * size[axis] * 3 / 2;
            if (s->mode == CL_ADDRESS_NONE) /* what is outside is undefined */
                pixels = 32 + (int)(random_word() % (unsigned)(64 * size[axis] - 63));
            at[g][axis] = (float)pixels / 64 / (float)(s->normalised ? size[axis] : 1);
        }
        at[g][3] = (float)((int)(random_word() % 24) - 6) / 4 + 0.125f;
    }
    cl_int err;
    cl_sampler_properties properties[] = {CL_SAMPLER_NORMALIZED_COORDS,
                                          s->normalised,
                                          CL_SAMPLER_ADDRESSING_MODE,
                                          s->mode,
                                          CL_SAMPLER_FILTER_MODE,
                                          s->linear ? CL_FILTER_LINEAR : CL_FILTER_NEAREST,
                                          0};
    cl_sampler sampler = clCreateSamplerWithProperties(d->session.context, properties, &err);
    REQUIRE(!err, "clCreateSamplerWithProperties: %d", err);
    REQUIRE(!clEnqueueWriteBuffer(d->session.queue, d->at, CL_TRUE, 0, sizeof at, at, 0, NULL, NULL), "write");
    set(d->read[v], 0, sizeof image, &image);
    set(d->read[v], 1, sizeof sampler, &sampler);
    set(d->read[v], 2, sizeof d->at, &d->at);
    set(d->read[v], 3, sizeof d->values, &d->values);
    run(d, d->read[v]);
    REQUIRE(!clEnqueueReadBuffer(d->session.queue, d->values, CL_TRUE, 0, ITEMS * value_bytes(m), values, 0, NULL, NULL), "read");
    double tolerance = s->linear ? 4e-7 * largest(m) : is_srgb(&m->format) ? 4e-7 : 0;
    char what[96];
    snprintf(what, sizeof what, "sampler %s %s 0x%x", s->normalised ? "normalised" : "unnormalised", s->linear ? "linear" : "nearest",
             s->mode);
    for (int g = 0; g < ITEMS; g++) {
        double wanted[4];
        sample(m, s, at[g], wanted);
        compare(d, m, what, g, wanted, values, tolerance);
    }
    clReleaseSampler(sampler);
}

static void try_samplers(struct device *d, const struct image *m, cl_mem image)
{
    static const cl_addressing_mode modes[] = {CL_ADDRESS_NONE, CL_ADDRESS_CLAMP_TO_EDGE, CL_ADDRESS_CLAMP, CL_ADDRESS_REPEAT,
                                               CL_ADDRESS_MIRRORED_REPEAT};
    for (int linear = 0; linear < (values_of(m->format.image_channel_data_type) == FLOATS ? 2 : 1); linear++)
        for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
            for (int normalised = 0; normalised < 2; normalised++) {
                struct sampler s = {normalised, linear, modes[i]};
                if (normalised || (modes[i] != CL_ADDRESS_REPEAT && modes[i] != CL_ADDRESS_MIRRORED_REPEAT))
                    try_sampler(d, m, image, &s);
            }
}

static void place_of(const struct image *m, int g, int32_t at[4])
{
    at[0] = g % m->w;
    at[1] = g / m->w % m->h;
    at[2] = g / (m->w * m->h) % m->d;
    at[3] = g / (m->w * m->h * m->d) % m->layers;
}

static void try_fetch(struct device *d, const struct image *m, cl_mem image)
{
    int32_t at[ITEMS][4];
    static unsigned char values[ITEMS * sizeof(cl_float4)];
    enum values v = values_of(m->format.image_channel_data_type);
    for (int g = 0; g < ITEMS; g++)
        place_of(m, g, at[g]);
    REQUIRE(!clEnqueueWriteBuffer(d->session.queue, d->at, CL_TRUE, 0, sizeof at, at, 0, NULL, NULL), "write");
    set(d->fetch[v], 0, sizeof image, &image);
    set(d->fetch[v], 1, sizeof d->at, &d->at);
    set(d->fetch[v], 2, sizeof d->values, &d->values);
    run(d, d->fetch[v]);
    REQUIRE(!clEnqueueReadBuffer(d->session.queue, d->values, CL_TRUE, 0, ITEMS * value_bytes(m), values, 0, NULL, NULL), "read");
    for (int g = 0; g < ITEMS; g++) {
        double wanted[4];
        for (int k = 0; k < 4; k++)
            wanted[k] = component(m, at[g][0], at[g][1], at[g][2], at[g][3], k);
        compare(d, m, "without a sampler", g, wanted, values, is_srgb(&m->format) ? 4e-7 : 0);
    }
}

/* ---- writes (OpenCL 3.0, 8.3) ----------------------------------------------------------------------------------------------------- */

/* Whether the channel of a pixel is what the write of `v` may leave there. */
static bool is_written(const cl_image_format *f, const unsigned char *pixel, int channel, double v)
{
    cl_channel_type type = f->image_channel_data_type;
    int from, width = packed_bits(type, channel, &from);
    double got = channel_value(f, pixel, channel), most, least = 0;
    switch (type) {
    case CL_FLOAT:
        return got == v;
    case CL_HALF_FLOAT: { /* the nearest half: not further away than half a unit in the last place */
        int exponent;
        frexp(v, &exponent);
        return fabs(got - v) <= ldexp(0.5, (exponent < -13 ? -13 : exponent) - 11);
    }
    case CL_SIGNED_INT8:
    case CL_SIGNED_INT16:
    case CL_SIGNED_INT32:
        most = ldexp(1, 8 * channel_bytes(type) - 1) - 1;
        return got == fmin(fmax(v, -most - 1), most);
    case CL_UNSIGNED_INT8:
    case CL_UNSIGNED_INT16:
    case CL_UNSIGNED_INT32:
        return got == fmin(v, ldexp(1, 8 * channel_bytes(type)) - 1);
    case CL_SNORM_INT8:
    case CL_SNORM_INT16:
        most = type == CL_SNORM_INT8 ? 127 : 32767;
        least = -most;
        break;
    default:
        most = width ? ldexp(1, width) - 1 : type == CL_UNORM_INT8 ? 255 : 65535;
    }
    if (is_srgb(f) && channel != 3) {
        got = got <= 0.04045 / 12.92 ? 12.92 * got : 1.055 * pow(got, 1 / 2.4) - 0.055;
        v = fmin(fmax(v, 0), 1);
        v = v < 0.0031308 ? 12.92 * v : 1.055 * pow(v, 1 / 2.4) - 0.055;
        return fabs(got * 255 - v * 255) <= 0.6; /* as OpenCL C allows */
    }
    /* To the nearest integer; the product itself is rounded to a float. */
    double scaled = fmin(fmax(v * most, least), most);
    return fabs(got * most - scaled) <= 0.5 + 1e-6 * most;
}

static void try_writes(struct device *d, struct image *m)
{
    int32_t at[ITEMS][4];
    static union {
        float f[ITEMS * 4];
        uint32_t u[ITEMS * 4];
    } values;
    static unsigned char before[MOST_BYTES];
    enum values v = values_of(m->format.image_channel_data_type);
    int pixels = m->w * m->h * m->d * m->layers, each = m->kind->depth ? 1 : 4;
    cl_mem image = make_image(d, m, CL_MEM_WRITE_ONLY);
    memcpy(before, m->bytes, m->size);
    for (int g = 0; g < ITEMS; g++) {
        place_of(m, g, at[g]);
        if (g >= pixels || g % 7 == 3) /* outside: dropped */
            at[g][0] = g % 2 ? m->w + g : -1 - g;
        for (int k = 0; k < each; k++) {
            if (v == FLOATS)
                values.f[each * g + k] =
                    (float)((int)(random_word() % 3001) - 1000) / 1000 * (m->format.image_channel_data_type == CL_FLOAT ? 99 : 1);
            else
                values.u[each * g + k] = random_word() >> (random_word() % 32);
        }
    }
    REQUIRE(!clEnqueueWriteBuffer(d->session.queue, d->at, CL_TRUE, 0, sizeof at, at, 0, NULL, NULL), "write");
    REQUIRE(!clEnqueueWriteBuffer(d->session.queue, d->values, CL_TRUE, 0, ITEMS * value_bytes(m), &values, 0, NULL, NULL), "write");
    set(d->put[v], 0, sizeof image, &image);
    set(d->put[v], 1, sizeof d->at, &d->at);
    set(d->put[v], 2, sizeof d->values, &d->values);
    run(d, d->put[v]);
    size_t origin[3] = {0}, region[3] = {(size_t)m->w, 1, 1}, *r = region + 1;
    if (m->kind->y)
        *r++ = (size_t)m->h;
    if (m->kind->z || m->kind->layers)
        *r = (size_t)(m->kind->z ? m->d : m->layers);
    REQUIRE(!clEnqueueReadImage(d->session.queue, image, CL_TRUE, origin, region, 0, 0, m->bytes, 0, NULL, NULL), "clEnqueueReadImage");
    for (int g = 0; g < pixels && g < ITEMS; g++) {
        int32_t place[4];
        place_of(m, g, place);
        const unsigned char *p = pixel(m, place[0], place[1], place[2], place[3]);
        if (g % 7 == 3) {
            d->checks++;
            REQUIRE(!memcmp(p, before + (p - m->bytes), (size_t)pixel_bytes(&m->format)), "%s: pixel %d was not to be written",
                    m->kind->name, g);
            continue;
        }
        for (int k = 3; k >= 0; k--) {
            int c = components_of(m->format.image_channel_order)[k], first = k;
            for (int j = 0; j < k; j++)
                first = components_of(m->format.image_channel_order)[j] == c ? j < first ? j : first : first;
            if (c < 0 || first != k)
                continue; /* INTENSITY and LUMINANCE are R */
            double wanted = stored(m, &values, g, k);
            d->checks++;
            REQUIRE(is_written(&m->format, p, c, wanted), "%s, order 0x%x, type 0x%x, write of %.9g to pixel %d, component %d: %.9g",
                    m->kind->name, m->format.image_channel_order, m->format.image_channel_data_type, wanted, g, k,
                    channel_value(&m->format, p, c));
        }
    }
    clReleaseMemObject(image);
}

static void try_kind(struct device *d, const struct kind *k)
{
    cl_image_format formats[256];
    cl_uint count = 0;
    REQUIRE(!clGetSupportedImageFormats(d->session.context, CL_MEM_READ_WRITE, k->type, 256, formats, &count), "formats of %s", k->name);
    make_kernels(d, k);
    for (cl_uint i = 0; i < count && i < 256; i++) {
        if ((formats[i].image_channel_order == CL_DEPTH) != k->depth)
            continue;
        static struct image m;
        m = (struct image){
            .kind = k, .format = formats[i], .w = WIDTH, .h = k->y ? HEIGHT : 1, .d = k->z ? DEPTH : 1, .layers = k->layers ? LAYERS : 1};
        fill(&m);
        cl_mem image = make_image(d, &m, CL_MEM_READ_ONLY);
        try_samplers(d, &m, image);
        try_fetch(d, &m, image);
        clReleaseMemObject(image);
        try_writes(d, &m);
    }
    drop_kernels(d, k);
}

int main(void)
{
    struct device d = {.session = open_session()};
    cl_bool images = CL_FALSE;
    clGetDeviceInfo(d.session.device, CL_DEVICE_IMAGE_SUPPORT, sizeof images, &images, NULL);
    if (!images) {
        printf("the device has no images\n");
        close_session(&d.session);
        return 1;
    }
    cl_int err;
    d.at = clCreateBuffer(d.session.context, CL_MEM_READ_ONLY, ITEMS * 16, NULL, &err);
    REQUIRE(!err, "clCreateBuffer: %d", err);
    d.values = clCreateBuffer(d.session.context, CL_MEM_READ_WRITE, ITEMS * 16, NULL, &err);
    REQUIRE(!err, "clCreateBuffer: %d", err);
    for (int i = 0; i < KINDS; i++)
        try_kind(&d, &kinds[i]);
    printf("%u numbers compared\n", d.checks);
    clReleaseMemObject(d.at);
    clReleaseMemObject(d.values);
    close_session(&d.session);
    return 0;
}
