/* SPDX-License-Identifier: Apache-2.0
 * Runs kernel files that say themselves what must come out: run_kernels FILE.cl... (one file, one test; TESSERA_TEST_PLATFORM names a
 * platform other than Tessera). The comment lines at the top of a file are directives:
 *
 *   // kernel: NAME               the kernel to run
 *   // options: TEXT              build options; default -cl-std=CL3.0; several lines: runs once with each
 *   // global: X [Y [Z]]          work-items
 *   // offset: X [Y [Z]]          of the global ids
 *   // local: X [Y [Z]]           the size of a work-group, default the device's choice; several lines: runs once with each
 *   // buffer: TYPE COUNT = INIT  the next argument: a buffer; TYPE char uchar short ushort int uint long ulong float double
 *   // edge-buffer: TYPE COUNT = INIT   … that ends where memory ends, and begins so if it fills pages of 4096 bytes
 *   // buffer: as ARGUMENT        … the buffer that is argument number ARGUMENT, too
 *   // local-buffer: BYTES        the next argument: local memory
 *   // pipe: BYTES PACKETS        the next argument: a pipe of that many packets of that size
 *   // pipe: as ARGUMENT          … the pipe that is argument number ARGUMENT, too
 *   // queue: default             the next argument: an on-device queue, the default one
 *   // image: KIND ORDER TYPE X Y Z = INIT   the next argument: an image; KIND 1d 1d_array 2d 2d_array 3d, ORDER and TYPE from the tables
 *                                below, Y and Z 1 where the image has none, Z the layers of a 2D array, Y those of a 1D array
 *   // sampler: COORDINATES ADDRESSING FILTER   the next argument: a sampler; pixels or normalized, none clamp edge repeat or mirror,
 *                                nearest or linear
 *   // expect: ARGUMENT = VALUES  what buffer number ARGUMENT (from 0) must hold afterwards
 *   // needs: WORD                skipped (exit code 77) unless the device's extensions or OpenCL C features have the word, or kernels
 *                                see it as a macro; or the device has sub-groups of the size, if the word is a number
 *
 * Modules in the text form of SPIR-V (FILE.spvasm) begin with such lines, too, behind "; " in place of "// "; spirv_modules.py makes
 * binaries of them, for which --il FOLDER names the folder, and knows further directives, which stand for nothing here: refuse, accept,
 * prints.
 *
 * INIT and VALUES: a list of numbers, which repeats to the end, or an expression of i, the index: lines starting with i: as "i*2+1".
 * Expressions know + - * / % & | ^ << >> ( ) comparison and i, n (the count), in 64-bit integers; "~x" and "-x" too. */
#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "host/edge.h"

enum { MAX_ARGS = 16, MAX_RUNS = 40, MAX_GROUPINGS = 24, MAX_LINE = 4096, SKIP = 77 };

static const struct type {
    const char *name;
    size_t size;
    char kind; /* i, u, f */
} types[] = {{"char", 1, 'i'}, {"uchar", 1, 'u'}, {"short", 2, 'i'}, {"ushort", 2, 'u'}, {"int", 4, 'i'},
             {"uint", 4, 'u'}, {"long", 8, 'i'},  {"ulong", 8, 'u'}, {"float", 4, 'f'},  {"double", 8, 'f'}};

/* Channel types of images, each with the type of the numbers that lie in its memory. */
static const struct channel_type {
    const char *name;
    cl_channel_type number;
    const char *memory;
} channel_types[] = {{"unorm8", CL_UNORM_INT8, "uchar"},    {"int8", CL_SIGNED_INT8, "char"},      {"uint8", CL_UNSIGNED_INT8, "uchar"},
                     {"int32", CL_SIGNED_INT32, "int"},     {"uint32", CL_UNSIGNED_INT32, "uint"}, {"uint16", CL_UNSIGNED_INT16, "ushort"},
                     {"unorm16", CL_UNORM_INT16, "ushort"}, {"float", CL_FLOAT, "float"}};

static const struct channel_order {
    const char *name;
    cl_channel_order number;
    size_t channels;
} channel_orders[] = {{"R", CL_R, 1}, {"RG", CL_RG, 2}, {"RGBA", CL_RGBA, 4}, {"BGRA", CL_BGRA, 4}, {"DEPTH", CL_DEPTH, 1}};

static const struct image_kind {
    const char *name;
    cl_mem_object_type number;
} image_kinds[] = {{"1d", CL_MEM_OBJECT_IMAGE1D},
                   {"1d_array", CL_MEM_OBJECT_IMAGE1D_ARRAY},
                   {"2d", CL_MEM_OBJECT_IMAGE2D},
                   {"2d_array", CL_MEM_OBJECT_IMAGE2D_ARRAY},
                   {"3d", CL_MEM_OBJECT_IMAGE3D}};

struct argument {
    const struct type *type; /* NULL: local memory, a pipe, a queue or a sampler */
    size_t count, local_bytes;
    cl_uint packet_bytes, packets; /* of a pipe; 0: no new one */
    int same_as;                   /* the argument that has the pipe or buffer, -1: none */
    char init[MAX_LINE], expect[MAX_LINE];
    bool expected, edge, queue;
    cl_mem_object_type image; /* 0: none */
    cl_image_format format;
    size_t region[3];
    cl_sampler_properties sampler[7]; /* [0] 0: none */
};

struct test {
    char kernel[256], options[MAX_RUNS][256];
    int runs, groupings;
    size_t global[3], offset[3], local[MAX_GROUPINGS][3]; /* 0: the device's choice */
    cl_uint dims;
    struct argument args[MAX_ARGS];
    cl_uint arg_count;
};

/* ---- expressions ---- */

struct expression {
    const char *at;
    int64_t i, n;
};

static int64_t binary(struct expression *e, int level);

static int64_t unary(struct expression *e)
{
    while (isspace((unsigned char)*e->at))
        e->at++;
    char c = *e->at;
    if (c == '-' || c == '~' || c == '!') {
        e->at++;
        int64_t v = unary(e);
        return c == '-' ? (int64_t)(0 - (uint64_t)v) : c == '~' ? ~v : !v;
    }
    if (c == '(') {
        e->at++;
        int64_t v = binary(e, 0);
        REQUIRE(*e->at == ')', "')' expected at '%s'", e->at);
        e->at++;
        return v;
    }
    if (c == 'i' || c == 'n') {
        e->at++;
        return c == 'i' ? e->i : e->n;
    }
    REQUIRE(isdigit((unsigned char)c), "number expected at '%s'", e->at);
    char *end;
    int64_t v = (int64_t)strtoull(e->at, &end, 0);
    e->at = end;
    return v;
}

/* Operators from the weakest level to the strongest. */
static const char *const levels[][4] = {{"|"},        {"^"},      {"&"},          {"==", "!="}, {"<=", ">=", "<", ">"},
                                        {"<<", ">>"}, {"+", "-"}, {"*", "/", "%"}};
enum { LEVELS = sizeof levels / sizeof levels[0] };

static int64_t apply(const char *op, int64_t a, int64_t b)
{
    uint64_t x = (uint64_t)a, y = (uint64_t)b;
    switch (op[0]) {
    case '|':
        return a | b;
    case '^':
        return a ^ b;
    case '&':
        return a & b;
    case '=':
        return a == b;
    case '!':
        return a != b;
    case '+':
        return (int64_t)(x + y);
    case '-':
        return (int64_t)(x - y);
    case '*':
        return (int64_t)(x * y);
    case '/':
        REQUIRE(b, "division by zero");
        return a / b;
    case '%':
        REQUIRE(b, "division by zero");
        return a % b;
    case '<':
        return op[1] == '<' ? (int64_t)(x << (y & 63)) : op[1] == '=' ? a <= b : a < b;
    default:
        return op[1] == '>' ? a >> (y & 63) : op[1] == '=' ? a >= b : a > b;
    }
}

static int64_t binary(struct expression *e, int level)
{
    if (level == LEVELS)
        return unary(e);
    int64_t v = binary(e, level + 1);
    for (;;) {
        while (isspace((unsigned char)*e->at))
            e->at++;
        const char *op = NULL;
        for (int k = 0; k < 4 && levels[level][k] && !op; k++) {
            size_t length = strlen(levels[level][k]);
            bool longer = length == 1 && (*e->at == '<' || *e->at == '>') && (e->at[1] == *e->at || e->at[1] == '=');
            if (!strncmp(e->at, levels[level][k], length) && !longer)
                op = levels[level][k];
        }
        if (!op)
            return v;
        e->at += strlen(op);
        v = apply(op, v, binary(e, level + 1));
    }
}

/* ---- values ---- */

static void put(const struct type *t, unsigned char *at, int64_t integer, double real)
{
    float f = (float)real;
    if (t->kind == 'f')
        memcpy(at, t->size == 4 ? (void *)&f : (void *)&real, t->size);
    else
        memcpy(at, &integer, t->size); /* little-endian */
}

/* Fills a buffer from INIT or VALUES. */
static void fill(const struct argument *a, const char *text, unsigned char *data)
{
    bool expression = strchr(text, 'i') && !strstr(text, "inf");
    const char *at = text;
    for (size_t i = 0; i < a->count; i++) {
        if (expression) {
            struct expression e = {text, (int64_t)i, (int64_t)a->count};
            int64_t v = binary(&e, 0);
            REQUIRE(!*e.at, "'%s' does not belong to an expression", e.at);
            put(a->type, data + i * a->type->size, v, (double)v);
            continue;
        }
        while (isspace((unsigned char)*at))
            at++;
        if (!*at)
            at = text;
        char *end;
        double real = strtod(at, &end);
        int64_t integer = *at == '-' ? strtoll(at, NULL, 0) : (int64_t)strtoull(at, NULL, 0);
        REQUIRE(end != at, "number expected at '%s'", at);
        at = end;
        while (isspace((unsigned char)*at))
            at++;
        put(a->type, data + i * a->type->size, integer, real);
    }
}

static void show(const struct type *t, const unsigned char *at)
{
    int64_t v = 0;
    float f;
    double d;
    memcpy(&v, at, t->size);
    memcpy(&f, at, 4);
    if (t->kind == 'f') {
        memcpy(&d, at, t->size == 8 ? 8 : 4);
        printf("%a", t->size == 4 ? (double)f : d);
    } else {
        v = t->kind == 'i' ? (int64_t)((uint64_t)v << (64 - 8 * t->size)) >> (64 - 8 * t->size) : v;
        printf(t->kind == 'i' ? "%lld" : "%llu", (long long)v);
    }
}

static bool same(const struct type *t, const unsigned char *a, const unsigned char *b)
{
    if (t->kind != 'f')
        return !memcmp(a, b, t->size);
    double x, y;
    float fx, fy;
    memcpy(&fx, a, 4);
    memcpy(&fy, b, 4);
    x = fx;
    y = fy;
    if (t->size == 8) {
        memcpy(&x, a, 8);
        memcpy(&y, b, 8);
    }
    return x == y || (isnan(x) && isnan(y));
}

/* ---- one test ---- */

/* Whether kernels see a macro of this name: some extensions are for kernels only, and the queries do not name them. */
static bool has_macro(const struct session *s, const char *word)
{
    char text[256];
    const char *source = text;
    snprintf(text, sizeof text, "#ifndef %s\n#error none\n#endif\nkernel void k(void) {}\n", word);
    cl_int err;
    cl_program program = clCreateProgramWithSource(s->context, 1, &source, NULL, &err);
    REQUIRE(err == CL_SUCCESS, "clCreateProgramWithSource: %d", err);
    err = clBuildProgram(program, 1, &s->device, "", NULL, NULL);
    clReleaseProgram(program);
    return err == CL_SUCCESS;
}

static bool has_word(const struct session *s, const char *word)
{
    static char text[65536];
    clGetDeviceInfo(s->device, CL_DEVICE_EXTENSIONS, sizeof text, text, NULL);
    if (strstr(text, word))
        return true;
    static cl_name_version features[256];
    size_t size = 0;
    if (clGetDeviceInfo(s->device, CL_DEVICE_OPENCL_C_FEATURES, sizeof features, features, &size) != CL_SUCCESS)
        return false;
    for (size_t i = 0; i < size / sizeof features[0]; i++) {
        if (!strcmp(features[i].name, word))
            return true;
    }
    return has_macro(s, word);
}

static bool has_size(const struct session *s, size_t sub_group)
{
    enum { SUB_GROUP_SIZES_INTEL = 0x4108 };
    size_t sizes[8], bytes = 0;
    bool found = false;
    if (clGetDeviceInfo(s->device, SUB_GROUP_SIZES_INTEL, sizeof sizes, sizes, &bytes))
        return false;
    for (size_t i = 0; i < bytes / sizeof sizes[0]; i++)
        found |= sizes[i] == sub_group;
    return found;
}

static void read_pipe(struct test *t, const char *value)
{
    REQUIRE(t->arg_count < MAX_ARGS, "too many arguments");
    struct argument *a = &t->args[t->arg_count++];
    a->same_as = -1;
    bool known =
        sscanf(value, "as %d", &a->same_as) == 1 && a->same_as >= 0 && (cl_uint)a->same_as < t->arg_count && t->args[a->same_as].packets;
    REQUIRE(known || sscanf(value, "%u %u", &a->packet_bytes, &a->packets) == 2, "pipe: BYTES PACKETS expected, not '%s'", value);
}

static const struct type *type_named(const char *name)
{
    for (size_t k = 0; k < sizeof types / sizeof types[0]; k++) {
        if (!strcmp(types[k].name, name))
            return &types[k];
    }
    REQUIRE(false, "no type %s", name);
    return NULL;
}

/* The row of a table that has the name. */
#define NAMED(row, table, wanted)                                                                                                          \
    for (row = table; strcmp(row->name, wanted); row++)                                                                                    \
    REQUIRE(row + 1 < table + sizeof table / sizeof table[0], "'%s' is not in the table " #table, wanted)

static void read_image(struct argument *a, const char *value)
{
    char kind[16], order[16], type[16];
    int used = 0;
    size_t *size = a->region;
    REQUIRE(sscanf(value, "%15s %15s %15s %zu %zu %zu = %n", kind, order, type, &size[0], &size[1], &size[2], &used) == 6 && used,
            "image: KIND ORDER TYPE X Y Z = INIT expected, not '%s'", value);
    const struct image_kind *k;
    const struct channel_order *o;
    const struct channel_type *t;
    NAMED(k, image_kinds, kind);
    NAMED(o, channel_orders, order);
    NAMED(t, channel_types, type);
    a->image = k->number;
    a->format = (cl_image_format){o->number, t->number};
    a->type = type_named(t->memory);
    a->count = size[0] * size[1] * size[2] * o->channels;
    snprintf(a->init, sizeof a->init, "%s", value + used);
}

static void read_sampler(struct argument *a, const char *value)
{
    static const char *const modes[] = {"none", "edge", "clamp", "repeat", "mirror"}; /* in the order of CL_ADDRESS_* */
    char coordinates[16], addressing[16], filter[16];
    unsigned mode = 0;
    REQUIRE(sscanf(value, "%15s %15s %15s", coordinates, addressing, filter) == 3, "sampler: COORDINATES ADDRESSING FILTER expected");
    while (strcmp(modes[mode], addressing))
        REQUIRE(++mode < sizeof modes / sizeof modes[0], "no addressing '%s'", addressing);
    const cl_sampler_properties list[] = {CL_SAMPLER_NORMALIZED_COORDS,
                                          !strcmp(coordinates, "normalized"),
                                          CL_SAMPLER_ADDRESSING_MODE,
                                          CL_ADDRESS_NONE + mode,
                                          CL_SAMPLER_FILTER_MODE,
                                          strcmp(filter, "linear") ? CL_FILTER_NEAREST : CL_FILTER_LINEAR,
                                          0};
    memcpy(a->sampler, list, sizeof list);
}

/* False: the device lacks what the test needs. */
static bool directive(const struct session *s, struct test *t, const char *key, const char *value)
{
    static const char *const others[] = {"SPDX-License-Identifier", "Version", "refuse", "accept", "prints", "llvm", "explain"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (!strcmp(key, others[i]))
            return true;
    if (!strcmp(key, "kernel"))
        snprintf(t->kernel, sizeof t->kernel, "%s", value);
    else if (!strcmp(key, "options")) {
        REQUIRE(t->runs < MAX_RUNS, "too many options");
        snprintf(t->options[t->runs++], sizeof t->options[0], "%s", value);
    } else if (!strcmp(key, "global"))
        t->dims = (cl_uint)sscanf(value, "%zu %zu %zu", &t->global[0], &t->global[1], &t->global[2]);
    else if (!strcmp(key, "offset"))
        sscanf(value, "%zu %zu %zu", &t->offset[0], &t->offset[1], &t->offset[2]);
    else if (!strcmp(key, "local")) {
        REQUIRE(t->groupings < MAX_GROUPINGS, "too many local sizes");
        size_t *local = t->local[t->groupings++];
        sscanf(value, "%zu %zu %zu", &local[0], &local[1], &local[2]);
    } else if (!strcmp(key, "needs"))
        return isdigit((unsigned char)*value) ? has_size(s, strtoul(value, NULL, 10)) : has_word(s, value);
    else if (!strcmp(key, "local-buffer") || !strcmp(key, "buffer") || !strcmp(key, "edge-buffer") || !strcmp(key, "image") ||
             !strcmp(key, "sampler")) {
        REQUIRE(t->arg_count < MAX_ARGS, "too many arguments");
        struct argument *a = &t->args[t->arg_count++];
        a->same_as = -1;
        if (*key == 'i' || *key == 's') {
            (*key == 'i' ? read_image : read_sampler)(a, value);
            return true;
        }
        if (*key == 'l') {
            a->local_bytes = strtoul(value, NULL, 0);
            return true;
        }
        if (sscanf(value, "as %d", &a->same_as) == 1) {
            REQUIRE(a->same_as >= 0 && (cl_uint)a->same_as + 1 < t->arg_count && t->args[a->same_as].type,
                    "buffer: as ARGUMENT expected, not '%s'", value);
            return true;
        }
        a->edge = *key == 'e';
        char type[16];
        int used = 0;
        REQUIRE(sscanf(value, "%15s %zu = %n", type, &a->count, &used) == 2 && used, "buffer: TYPE COUNT = INIT expected, not '%s'", value);
        a->type = type_named(type);
        snprintf(a->init, sizeof a->init, "%s", value + used);
    } else if (!strcmp(key, "pipe")) {
        read_pipe(t, value);
    } else if (!strcmp(key, "queue")) {
        REQUIRE(t->arg_count < MAX_ARGS, "too many arguments");
        t->args[t->arg_count].same_as = -1;
        t->args[t->arg_count++].queue = true;
    } else if (!strcmp(key, "expect")) {
        unsigned number;
        int used = 0;
        REQUIRE(sscanf(value, "%u = %n", &number, &used) == 1 && used && number < t->arg_count && t->args[number].type,
                "expect: ARGUMENT = VALUES expected, not '%s'", value);
        snprintf(t->args[number].expect, sizeof t->args[number].expect, "%s", value + used);
        t->args[number].expected = true;
    } else {
        REQUIRE(0, "no directive '%s'", key);
    }
    return true;
}

/* What the lines at the top say. False: the device lacks something. */
static bool read_test(const struct session *s, struct test *t, const char *path, const char *source)
{
    const char *prefix = *source == ';' ? "; " : "// ";
    size_t skip = strlen(prefix);
    memset(t, 0, sizeof *t);
    for (const char *line = source; !strncmp(line, prefix, skip); line = strchr(line, '\n') + 1) {
        char text[MAX_LINE], *colon;
        snprintf(text, sizeof text, "%.*s", (int)(strcspn(line, "\n") - skip), line + skip);
        REQUIRE((colon = strchr(text, ':')) != NULL && strchr(line, '\n'), "%s: directive expected, not '%s'", path, text);
        *colon = '\0';
        if (!directive(s, t, text, colon + 1 + strspn(colon + 1, " ")))
            return false;
    }
    REQUIRE(*t->kernel && t->dims, "%s says no kernel or no size", path);
    if (!t->runs)
        strcpy(t->options[t->runs++], "-cl-std=CL3.0");
    return true;
}

/* How many numbers of a buffer are not what they should be; adds to `compared` how many there are. */
static int compare(const struct session *s, const struct test *t, cl_uint number, cl_mem buffer, int *compared, const char *title)
{
    const struct argument *a = &t->args[number];
    size_t bytes = a->count * a->type->size;
    unsigned char *got = malloc(bytes), *want = malloc(bytes);
    int failed = 0;
    REQUIRE(got && want, "out of memory");
    fill(a, a->expect, want);
    const size_t origin[3] = {0};
    cl_int err = a->image ? clEnqueueReadImage(s->queue, buffer, CL_TRUE, origin, a->region, 0, 0, got, 0, NULL, NULL)
                          : clEnqueueReadBuffer(s->queue, buffer, CL_TRUE, 0, bytes, got, 0, NULL, NULL);
    REQUIRE(err == CL_SUCCESS, "%s: what came out cannot be read: %d", title, err);
    for (size_t k = 0; k < a->count; k++, ++*compared) {
        const unsigned char *g = got + k * a->type->size, *w = want + k * a->type->size;
        if (same(a->type, g, w) || ++failed > 8)
            continue;
        printf("FAIL %s: argument %u [%zu]: got ", title, number, k);
        show(a->type, g);
        printf(", want ");
        show(a->type, w);
        putchar('\n');
    }
    free(got);
    free(want);
    return failed;
}

/* Folder of the modules that stand for the sources: FOLDER/<name>-<number of the line of options>.spv; NULL: none do. */
static const char *il_folder;

/* NULL: there is no such module. */
static cl_program build_il(const struct session *s, const char *path, int line)
{
    char name[MAX_LINE];
    const char *base = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    snprintf(name, sizeof name, "%s/%.*s-%d.spv", il_folder, (int)strcspn(base, "."), base, line);
    FILE *file = fopen(name, "rb");
    if (!file)
        return NULL;
    enum { MOST = 1 << 24 };
    unsigned char *words = malloc(MOST);
    REQUIRE(words, "out of memory");
    size_t size = fread(words, 1, MOST, file);
    fclose(file);
    cl_int err;
    cl_program program = clCreateProgramWithIL(s->context, words, size, &err);
    REQUIRE(program, "%s: clCreateProgramWithIL: %d", name, err);
    err = clBuildProgram(program, 1, &s->device, "", NULL, NULL);
    if (err != CL_SUCCESS) {
        char log[2048] = "";
        clGetProgramBuildInfo(program, s->device, CL_PROGRAM_BUILD_LOG, sizeof log - 1, log, NULL);
        REQUIRE(false, "%s: clBuildProgram: %d\n%s", name, err, log);
    }
    free(words);
    return program;
}

/* A copy of the pixels. */
static cl_mem make_image(const struct session *s, const struct argument *a, void *pixels, cl_int *err)
{
    bool row_array = a->image == CL_MEM_OBJECT_IMAGE1D_ARRAY, plane_array = a->image == CL_MEM_OBJECT_IMAGE2D_ARRAY;
    const cl_image_desc desc = {.image_type = a->image,
                                .image_width = a->region[0],
                                .image_height = row_array ? 1 : a->region[1],
                                .image_depth = plane_array ? 1 : a->region[2],
                                .image_array_size = a->region[row_array ? 1 : 2]};
    return clCreateImage(s->context, CL_MEM_COPY_HOST_PTR, &a->format, &desc, pixels, err);
}

/* What an argument is made of; NULL and 0 where it has none. */
struct made {
    cl_mem memory;
    cl_sampler sampler;
    cl_command_queue queue;
    struct region region;
};

/* `others`: those before it. */
static struct made set_argument(const struct session *s, const struct argument *a, const struct made *others, cl_kernel kernel, cl_uint i)
{
    cl_int err;
    struct made made = {0};
    if (a->sampler[0]) {
        made.sampler = clCreateSamplerWithProperties(s->context, a->sampler, &err);
        REQUIRE(made.sampler && clSetKernelArg(kernel, i, sizeof made.sampler, &made.sampler) == CL_SUCCESS, "argument %u: a sampler", i);
        return made;
    }
    if (a->queue) {
        const cl_queue_properties list[] = {CL_QUEUE_PROPERTIES,
                                            CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0};
        made.queue = clCreateCommandQueueWithProperties(s->context, s->device, list, &err);
        REQUIRE(made.queue && clSetKernelArg(kernel, i, sizeof made.queue, &made.queue) == CL_SUCCESS, "argument %u: a queue, %d", i, err);
        return made;
    }
    if (a->packets || a->same_as >= 0) {
        made.memory = a->packets ? clCreatePipe(s->context, 0, a->packet_bytes, a->packets, NULL, &err) : others[a->same_as].memory;
        REQUIRE(made.memory && clSetKernelArg(kernel, i, sizeof made.memory, &made.memory) == CL_SUCCESS, "argument %u: a pipe or buffer",
                i);
        REQUIRE(a->packets || clRetainMemObject(made.memory) == CL_SUCCESS, "argument %u: a pipe or buffer", i);
        return made;
    }
    if (!a->type) {
        REQUIRE(clSetKernelArg(kernel, i, a->local_bytes, NULL) == CL_SUCCESS, "argument %u: local memory", i);
        return made;
    }
    size_t bytes = a->count * a->type->size;
    made.region = region_for(bytes, false, false);
    fill(a, a->init, made.region.data);
    cl_mem_flags flags = a->edge ? CL_MEM_USE_HOST_PTR : CL_MEM_COPY_HOST_PTR;
    made.memory = a->image ? make_image(s, a, made.region.data, &err) : clCreateBuffer(s->context, flags, bytes, made.region.data, &err);
    REQUIRE(made.memory && clSetKernelArg(kernel, i, sizeof(cl_mem), &made.memory) == CL_SUCCESS, "argument %u: an object, %d", i, err);
    return made;
}

static void release_argument(struct made *made)
{
    if (made->sampler)
        clReleaseSampler(made->sampler);
    if (made->queue)
        clReleaseCommandQueue(made->queue);
    if (made->memory)
        clReleaseMemObject(made->memory);
    if (made->region.at)
        release(&made->region);
}

/* `line`: which of the test's lines of options. */
static int run_with(const struct session *s, const struct test *t, const char *source, int line, const size_t *local, const char *path)
{
    char title[MAX_LINE];
    const char *options = t->options[line];
    snprintf(title, sizeof title, "%s (%s; groups of %zu %zu %zu)", path, options, local[0], local[1], local[2]);
    cl_program program = il_folder ? build_il(s, path, line) : build(s, source, options);
    if (!program)
        return 0;
    cl_int err;
    cl_kernel kernel = clCreateKernel(program, t->kernel, &err);
    REQUIRE(kernel, "%s: clCreateKernel(%s): %d", title, t->kernel, err);
    struct made made[MAX_ARGS];
    for (cl_uint i = 0; i < t->arg_count; i++)
        made[i] = set_argument(s, &t->args[i], made, kernel, i);
    err = clEnqueueNDRangeKernel(s->queue, kernel, t->dims, t->offset, t->global, local[0] ? local : NULL, 0, NULL, NULL);
    REQUIRE(err == CL_SUCCESS, "%s: clEnqueueNDRangeKernel: %d", title, err);
    err = clFinish(s->queue);
    REQUIRE(err == CL_SUCCESS, "%s: clFinish: %d", title, err);
    int failed = 0, compared = 0;
    for (cl_uint i = 0; i < t->arg_count; i++) {
        if (t->args[i].expected)
            failed += compare(s, t, i, made[i].memory, &compared, title);
        release_argument(&made[i]);
    }
    REQUIRE(compared, "%s expects nothing", path);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    return failed;
}

static int run(const struct session *s, const char *path)
{
    static struct test t;
    char *source = read_file(path);
    int failed = 0;
    bool can_run = read_test(s, &t, path, source);
    if (!can_run)
        printf("skip %s\n", path);
    for (int i = 0; can_run && i < t.runs; i++)
        for (int k = 0; k < (t.groupings ? t.groupings : 1); k++)
            failed += run_with(s, &t, source, i, t.local[k], path);
    free(source);
    return can_run ? failed != 0 : SKIP;
}

int main(int argc, char **argv)
{
    if (argc > 2 && !strcmp(argv[1], "--il")) {
        il_folder = argv[2];
        argc -= 2;
        argv += 2;
    }
    REQUIRE(argc > 1, "usage: run_kernels [--il FOLDER] FILE.cl...");
    struct session s = open_session();
    int failed = 0, skipped = 0;
    for (int i = 1; i < argc; i++) {
        int result = run(&s, argv[i]);
        failed += result == 1;
        skipped += result == SKIP;
    }
    close_session(&s);
    return failed ? 1 : skipped == argc - 1 ? SKIP : 0;
}
