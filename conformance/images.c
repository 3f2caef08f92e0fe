/* SPDX-License-Identifier: Apache-2.0
 * Images in kernels against a model in double, which computes by the specification's formulas alone (OpenCL 3.0, 8.2 to 8.4; OpenCL C 3.0,
 * 6.15.15): reads with every sampler, reads without one, and writes, of every format and kind of image that the device has; and levels of
 * mipmaps (OpenCL extensions, cl_khr_mipmap_image) by level of detail and by gradients.
 *
 * Sizes are powers of two and coordinates multiples of 1/64 of a pixel, so that all coordinates are exact and no pixel is doubtful. Numbers
 * that one pixel alone makes have to be the nearest floats; sums may be off by some units in the last place of the largest pixel. */
#include <CL/cl_ext.h>

#include "image_model.h"

enum { ITEMS = 131 }; /* of a launch */

/* ---- the device ---- */

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

/* ---- mipmaps ---- */

enum { LEVELS = 3, LODS = 17, RATES = 5 };

/* Items ask for levels of detail from -0.5 to 3.5 in turn, or for gradients of half a pixel of the first level up to eight. */
static const char source_of_levels[] =
    "#pragma OPENCL EXTENSION cl_khr_depth_images : enable\n"
    "#pragma OPENCL EXTENSION cl_khr_mipmap_image : enable\n"
    "kernel void lod(read_only %s m, sampler_t s, global const float4 *at, global %s *o)\n"
    "{ size_t g = get_global_id(0); float4 c = at[g]; o[g] = read_image%s(m, s, %s, (float)(g %% 17) / 4 - 0.5f); }\n"
    "kernel void gradient(read_only %s m, sampler_t s, global const float4 *at, global %s *o)\n"
    "{ size_t g = get_global_id(0); float4 c = at[g]; float r = (float)(1 << g %% 5) / 2;\n"
    "  float4 dx = (float4)(r / 8, 0, 0, 0), dy = (float4)(0, r / 8, 0, 0); o[g] = read_image%s(m, s, %s, dx.%s, dy.%s); }\n";

/* As cl_khr_mipmap_image has it: the nearest level, or two of them. */
static void sample_level(const struct image *levels, const struct sampler *s, double lod, bool between, const float c[4], double result[4])
{
    double second[4];
    lod = fmin(fmax(lod, 0), LEVELS - 1);
    int first = between ? (int)floor(lod) : lod <= 0.5 ? 0 : (int)ceil(lod + 0.5) - 1;
    sample(&levels[first], s, c, result);
    sample(&levels[within(first + 1, 0, LEVELS - 1)], s, c, second);
    for (int k = 0; between && k < 4; k++)
        result[k] += (lod - first) * (second[k] - result[k]);
}

static cl_mem make_levels(const struct device *d, const struct kind *k, const cl_image_format *format, struct image *levels)
{
    cl_image_desc desc = {.image_type = k->type,
                          .image_width = WIDTH,
                          .image_height = k->y ? HEIGHT : 0,
                          .image_depth = k->z ? DEPTH : 0,
                          .image_array_size = k->layers ? LAYERS : 0,
                          .num_mip_levels = LEVELS};
    cl_int err;
    cl_mem made = clCreateImage(d->session.context, CL_MEM_READ_ONLY, format, &desc, NULL, &err);
    REQUIRE(!err, "mipmaps of %s: %d", k->name, err);
    for (int i = 0; i < LEVELS; i++) {
        struct image *m = &levels[i];
        *m = (struct image){.kind = k,
                            .format = *format,
                            .w = WIDTH >> i,
                            .h = k->y ? within(HEIGHT >> i, 1, HEIGHT) : 1,
                            .d = k->z ? within(DEPTH >> i, 1, DEPTH) : 1,
                            .layers = k->layers ? LAYERS : 1};
        fill(m);
        size_t origin[4] = {0}, region[3] = {(size_t)m->w, 1, 1};
        int n = 1;
        if (k->y)
            region[n++] = (size_t)m->h;
        if (k->z || k->layers)
            region[n++] = (size_t)(k->z ? m->d : m->layers);
        origin[n] = (size_t)i;
        REQUIRE(!clEnqueueWriteImage(d->session.queue, made, CL_TRUE, origin, region, 0, 0, m->bytes, 0, NULL, NULL), "a level of %s",
                k->name);
    }
    return made;
}

static void try_levels_with(struct device *d, const struct image *levels, cl_mem image, cl_kernel kernel, bool gradient, bool linear,
                            bool between)
{
    static unsigned char values[ITEMS * sizeof(cl_float4)];
    float at[ITEMS][4];
    const struct sampler s = {true, linear, CL_ADDRESS_CLAMP_TO_EDGE};
    const cl_sampler_properties properties[] = {CL_SAMPLER_NORMALIZED_COORDS,
                                                CL_TRUE,
                                                CL_SAMPLER_ADDRESSING_MODE,
                                                s.mode,
                                                CL_SAMPLER_FILTER_MODE,
                                                linear ? CL_FILTER_LINEAR : CL_FILTER_NEAREST,
                                                CL_SAMPLER_MIP_FILTER_MODE_KHR,
                                                between ? CL_FILTER_LINEAR : CL_FILTER_NEAREST,
                                                0};
    cl_int err;
    cl_sampler sampler = clCreateSamplerWithProperties(d->session.context, properties, &err);
    REQUIRE(!err, "a sampler of mipmaps: %d", err);
    for (int g = 0; g < ITEMS; g++) {
        for (int axis = 0; axis < 3; axis++)
            at[g][axis] = (float)((int)(random_word() % 200) - 36) / 128 + 1.0f / 512; /* no pixel of any level is doubtful */
        at[g][3] = (float)(g % (LAYERS + 1));
    }
    REQUIRE(!clEnqueueWriteBuffer(d->session.queue, d->at, CL_TRUE, 0, sizeof at, at, 0, NULL, NULL), "write");
    set(kernel, 0, sizeof image, &image);
    set(kernel, 1, sizeof sampler, &sampler);
    set(kernel, 2, sizeof d->at, &d->at);
    set(kernel, 3, sizeof d->values, &d->values);
    run(d, kernel);
    REQUIRE(!clEnqueueReadBuffer(d->session.queue, d->values, CL_TRUE, 0, ITEMS * value_bytes(levels), values, 0, NULL, NULL), "read");
    char what[96];
    snprintf(what, sizeof what, "%s, %s, %s level", gradient ? "gradient" : "level of detail", linear ? "linear" : "nearest",
             between ? "between" : "nearest");
    for (int g = 0; g < ITEMS; g++) {
        double wanted[4], most = fmax(largest(&levels[0]), fmax(largest(&levels[1]), largest(&levels[2])));
        sample_level(levels, &s, gradient ? g % RATES - 1 : (double)(g % LODS) / 4 - 0.5, between, at[g], wanted);
        compare(d, levels, what, g, wanted, values, linear || between ? 8e-7 * most : 0);
    }
    clReleaseSampler(sampler);
}

static void try_levels(struct device *d, const struct kind *k)
{
    static const cl_image_format formats[] = {{CL_RGBA, CL_UNORM_INT8},
                                              {CL_RGBA, CL_FLOAT},
                                              {CL_RG, CL_HALF_FLOAT},
                                              {CL_BGRA, CL_UNSIGNED_INT8}},
                                 depth = {CL_DEPTH, CL_FLOAT};
    static const char *const names[] = {"lod", "gradient"};
    static struct image levels[LEVELS];
    for (size_t i = 0; i < (k->depth ? 1 : sizeof formats / sizeof *formats); i++) {
        const cl_image_format *format = k->depth ? &depth : &formats[i];
        bool floats = values_of(format->image_channel_data_type) == FLOATS;
        const char *type = k->depth ? "float" : floats ? "float4" : "uint4", *end = floats ? "f" : "ui";
        char source[4096];
        snprintf(source, sizeof source, source_of_levels, k->name, type, end, k->at, k->name, type, end, k->at, k->gradient, k->gradient);
        cl_program program = build(&d->session, source, "-cl-std=CL3.0");
        cl_mem image = make_levels(d, k, format, levels);
        for (int gradient = 0; gradient < 2; gradient++) {
            cl_int err;
            cl_kernel kernel = clCreateKernel(program, names[gradient], &err);
            REQUIRE(!err, "kernel %s of %s: %d", names[gradient], k->name, err);
            for (int mode = 0; mode < (floats ? 4 : 1); mode++)
                try_levels_with(d, levels, image, kernel, gradient, mode & 1, mode & 2);
            clReleaseKernel(kernel);
        }
        clReleaseMemObject(image);
        clReleaseProgram(program);
    }
}

/* ---- writes (OpenCL 3.0, 8.3) ---- */

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

/* Rows of one and of two pixels: of RGBA of bytes, linear filters read two neighbours at once where there are two. */
static void try_narrow(struct device *d, struct image *m)
{
    if (m->format.image_channel_order != CL_RGBA || m->format.image_channel_data_type != CL_UNORM_INT8)
        return;
    for (m->w = 1; m->w <= 2; m->w++) {
        fill(m);
        cl_mem image = make_image(d, m, CL_MEM_READ_ONLY);
        try_samplers(d, m, image);
        clReleaseMemObject(image);
    }
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
        try_narrow(d, &m);
    }
    drop_kernels(d, k);
}

static bool has_extension(const struct device *d, const char *name)
{
    static char text[1 << 16];
    REQUIRE(!clGetDeviceInfo(d->session.device, CL_DEVICE_EXTENSIONS, sizeof text, text, NULL), "CL_DEVICE_EXTENSIONS");
    return strstr(text, name);
}

enum { SKIPPED = 77 };

int main(void)
{
    struct device d = {.session = open_session()};
    cl_bool images = CL_FALSE;
    clGetDeviceInfo(d.session.device, CL_DEVICE_IMAGE_SUPPORT, sizeof images, &images, NULL);
    if (!images) {
        printf("the device has no images\n");
        close_session(&d.session);
        return SKIPPED;
    }
    cl_int err;
    d.at = clCreateBuffer(d.session.context, CL_MEM_READ_ONLY, ITEMS * 16, NULL, &err);
    REQUIRE(!err, "clCreateBuffer: %d", err);
    d.values = clCreateBuffer(d.session.context, CL_MEM_READ_WRITE, ITEMS * 16, NULL, &err);
    REQUIRE(!err, "clCreateBuffer: %d", err);
    for (int i = 0; i < KINDS; i++) {
        if (kinds[i].depth && !has_extension(&d, "cl_khr_depth_images"))
            continue;
        try_kind(&d, &kinds[i]);
        if (has_extension(&d, "cl_khr_mipmap_image"))
            try_levels(&d, &kinds[i]);
    }
    printf("%u numbers compared\n", d.checks);
    clReleaseMemObject(d.at);
    clReleaseMemObject(d.values);
    close_session(&d.session);
    return 0;
}
