/* SPDX-License-Identifier: Apache-2.0
 * What the CPU device reports of itself: CPUID, the process's share of CPUs and memory, and the limits of this driver. */
#include <cpuid.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "device-amx/caps.h"
#include "tessera/abi.h"
#include "tessera/program.h"

enum {
    KIB = 1024,
    MIB = 1024 * KIB,
    PRINTF_BUFFER = 1 * MIB,
    MAX_CONSTANT_BUFFER = 16 * MIB,
    MAX_GLOBAL_VARIABLE = 16 * MIB,
};

_Static_assert(TSR_MAX_WORK_GROUP < TSR_WORK_GROUP_BOUND, "what generated code relies on");

/* Numbers of OpenCL: CL_FP_*, and CL_DEVICE_GLOBAL_FP_ATOMIC_*, CL_DEVICE_LOCAL_FP_ATOMIC_*. */
enum {
    DENORM = 1 << 0,
    INF_NAN = 1 << 1,
    ROUND_TO_NEAREST = 1 << 2,
    ROUND_TO_ZERO = 1 << 3,
    ROUND_TO_INF = 1 << 4,
    FMA = 1 << 5,
    CORRECTLY_ROUNDED = 1 << 7,
    LOAD_STORE_ADD_MIN_MAX = 7,
    ALL_ATOMICS = LOAD_STORE_ADD_MIN_MAX | LOAD_STORE_ADD_MIN_MAX << 16,
};

static struct tsr_device_caps caps = {
    .spirv = true,
    .device_queues = true,
    .sub_slices = 1, /* one slice for each compute unit, as that number alone may differ in sub-devices */
    .eus = 1,
    .eu_threads = 1,
    .dp4a = true, /* dot products are there whatever the CPU has */
    .single_config = DENORM | INF_NAN | ROUND_TO_NEAREST | FMA | CORRECTLY_ROUNDED,
    .double_config = DENORM | INF_NAN | ROUND_TO_NEAREST | ROUND_TO_ZERO | ROUND_TO_INF | FMA,
    .half_config = DENORM | INF_NAN | ROUND_TO_NEAREST,
    .single_atomics = ALL_ATOMICS,
    .double_atomics = ALL_ATOMICS,
    .half_atomics = ALL_ATOMICS,
    .local_memory = TSR_CPU_LOCAL_MEMORY,
    .max_parameter_bytes = TSR_MAX_PARAMETER_BYTES,
    .printf_buffer = PRINTF_BUFFER,
    .max_global_variable = MAX_GLOBAL_VARIABLE,
    .native_kernels = true,
    /* Host and device memory are the same, and so are their atomics. */
    .svm = TSR_SVM_COARSE_GRAIN_BUFFER | TSR_SVM_FINE_GRAIN_BUFFER | TSR_SVM_FINE_GRAIN_SYSTEM | TSR_SVM_ATOMICS,
    .usm = {TSR_USM_ALL, TSR_USM_ALL, TSR_USM_ALL},
    .usm_cross = TSR_USM_ALL,
    .usm_system = TSR_USM_ALL,
};

/* PCI vendor ids, which OpenCL asks for, by the CPUID vendor. */
static uint32_t pci_vendor(const char *vendor)
{
    static const struct {
        const char *vendor;
        uint32_t id;
    } ids[] = {
        {"GenuineIntel", 0x8086}, {"AuthenticAMD", 0x1022}, {"HygonGenuine", 0x1d94}, {"CentaurHauls", 0x1106}, {"  Shanghai  ", 0x1d17},
    };
    for (size_t i = 0; i < TSR_ARRAY_LEN(ids); i++)
        if (!strcmp(vendor, ids[i].vendor))
            return ids[i].id;
    return 0;
}

/* Family, model and stepping as EAX of CPUID leaf 1 has them. */
static uint32_t signature(const struct tsr_cpu *cpu)
{
    uint32_t family = cpu->family < 15 ? cpu->family : 15;
    return (cpu->family - family) << 20 | cpu->model >> 4 << 16 | family << 8 | (cpu->model & 15) << 4 | cpu->stepping;
}

/* The numbers by which SYCL knows CPUs with matrix units. */
static uint32_t ip_version(const struct tsr_cpu *cpu)
{
    enum { WITHOUT_MATRICES = 0, INT8_BF16 = 8, INT8_BF16_FP16 = 9 };
    if (!tsr_cpu_has(cpu, TSR_CPU_AMX_INT8) || !tsr_cpu_has(cpu, TSR_CPU_AMX_BF16))
        return WITHOUT_MATRICES;
    return tsr_cpu_has(cpu, TSR_CPU_AMX_FP16) ? INT8_BF16_FP16 : INT8_BF16;
}

/* The beginning of a file of the kernel, which has no size of its own; "" if it cannot be read. */
static void read_start(const char *path, char *text, size_t size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got = fd < 0 ? 0 : read(fd, text, size - 1);
    if (fd >= 0)
        close(fd);
    text[got > 0 ? got : 0] = 0;
}

/* Highest clock that the processor, else the kernel, names; 0 if neither does. */
static uint32_t clock_mhz(void)
{
    unsigned base, max, bus, unused;
    if (__get_cpuid_count(0x16, 0, &base, &max, &bus, &unused) && (max & 0xffff))
        return max & 0xffff;
    char text[2048];
    read_start("/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq", text, sizeof(text));
    if (*text)
        return (uint32_t)(strtoul(text, NULL, 10) / 1000);
    read_start("/proc/cpuinfo", text, sizeof(text));
    const char *line = strstr(text, "cpu MHz"), *colon = line ? strchr(line, ':') : NULL;
    return colon ? (uint32_t)strtoul(colon + 1, NULL, 10) : 0;
}

/* The brand string without the blanks that fill it. */
static const char *brand(const struct tsr_cpu *cpu)
{
    static char name[sizeof(cpu->brand)];
    size_t used = 0;
    for (const char *p = cpu->brand; *p; p++)
        if (*p != ' ' || (used && name[used - 1] != ' '))
            name[used++] = *p;
    while (used && name[used - 1] == ' ')
        used--;
    name[used] = 0;
    return used ? name : "x86-64 CPU";
}

/* The texts of variables are copied: the application may change its environment while a query reads them. */
static const char *text_or(enum tsr_env_name name, const char *otherwise)
{
    const char *text = tsr_env(name);
    const char *copy = text ? strdup(text) : NULL;
    return copy ? copy : otherwise;
}

static enum tsr_device_type reported_type(void)
{
    static const char *const words[] = {"cpu", "gpu", "accelerator"};
    static const enum tsr_device_type types[] = {TSR_DEVICE_CPU, TSR_DEVICE_GPU, TSR_DEVICE_ACCELERATOR};
    return types[tsr_env_choice(TSR_ENV_DEVICE_TYPE, words, TSR_ARRAY_LEN(words))];
}

/* The sizes from TESSERA_SUB_GROUP_SIZE on, else from the persona's smallest, smallest first. */
static void list_sub_group_sizes(const struct tsr__cpu_persona *persona)
{
    static const char *const words[] = {"8", "16", "32"};
    static const uint32_t sizes[] = {8, 16, 32};
    caps.sub_group_size_count = 0;
    uint32_t smallest = sizes[tsr_env_choice(TSR_ENV_SUB_GROUP_SIZE, words, TSR_ARRAY_LEN(words))];
    if (persona && !tsr_env(TSR_ENV_SUB_GROUP_SIZE))
        smallest = persona->smallest_sub_group;
    for (size_t i = 0; i < TSR_ARRAY_LEN(sizes); i++)
        if (sizes[i] >= smallest)
            caps.sub_group_sizes[caps.sub_group_size_count++] = sizes[i];
}

/* Some programs launch the largest work-group, and count on those of a GPU. */
static void limit_work_groups(uint32_t most)
{
    caps.max_work_group_size = most;
    for (size_t i = 0; i < TSR_ARRAY_LEN(caps.max_work_item_sizes); i++)
        caps.max_work_item_sizes[i] = most;
    caps.max_sub_groups = most / TSR_MIN_LANES; /* a kernel may require these whatever the list of sizes names */
}

static bool is_of_images(unsigned extension)
{
    static const char *const names[] = {
#define TSR_EXT(name, major, minor, patch, by) #name,
#define TSR_FEATURE(name, by) #name,
#include "tessera/ext.def"
#undef TSR_EXT
#undef TSR_FEATURE
    };
    return strstr(names[extension], "image");
}

/* The limits that the full profile asks for (OpenCL 3.0, table 5), and for images of a buffer as many pixels of any format as an object can
 * have. */
static struct tsr_image_limits image_limits(void)
{
    enum { MOST_PIXEL = 16, ARGS = 128 };
    const uint64_t fits = caps.max_allocation / MOST_PIXEL, most = 1 << 27;
    return (struct tsr_image_limits){
        .side_2d = 16384,
        .side_3d = 2048,
        .layers = 2048,
        .buffer = fits < most ? fits : most,
        .read_args = ARGS,
        .write_args = ARGS,
        .read_write_args = ARGS,
        .samplers = 16,
    };
}

static void find_out(void)
{
    const struct tsr_cpu *cpu = tsr_cpu();
    const struct tsr__cpu_persona *persona = tsr__cpu_find_persona();
    caps.type = reported_type();
    caps.ends_in_order = persona;          /* as on GPUs, which some programs count on */
    caps.dpas = !persona || persona->dpas; /* matrices of sub-groups are there whatever the CPU has */
    caps.name = text_or(TSR_ENV_DEVICE_NAME, persona ? persona->name : brand(cpu));
    caps.vendor = text_or(TSR_ENV_DEVICE_VENDOR, persona ? "Intel(R) Corporation" : cpu->vendor);
    list_sub_group_sizes(persona);
    limit_work_groups(persona ? persona->most_work_items : TSR_MAX_WORK_GROUP);
    caps.vendor_id = (uint32_t)tsr_env_int_or(TSR_ENV_VENDOR_ID, pci_vendor(persona ? "GenuineIntel" : cpu->vendor), 0, UINT32_MAX);
    caps.device_id = persona ? persona->device_id : signature(cpu);
    caps.ip_version = (uint32_t)tsr_env_int_or(TSR_ENV_IP_VERSION, persona ? persona->ip_version : ip_version(cpu), 0, UINT32_MAX);
    caps.compute_units = tsr_cpu_count(tsr_cpus_allowed());
    caps.clock_mhz = clock_mhz();
    caps.vector_bits = cpu->vector_bits;
    caps.global_memory = tsr_memory_limit();
    /* The host needs the rest: it is the same memory. */
    caps.max_allocation = caps.global_memory / 2 / TSR_PAGE * TSR_PAGE;
    caps.constant_buffer = caps.max_allocation < MAX_CONSTANT_BUFFER ? caps.max_allocation : MAX_CONSTANT_BUFFER;
    caps.global_cache = cpu->l3_size ? cpu->l3_size : cpu->l2_size;
    caps.global_cache_line = cpu->line_size;
    caps.fast_dot_products = tsr_cpu_has(cpu, TSR_CPU_AVX512VNNI); /* one instruction each, or a few, in the vector engine */
    caps.images = tsr_env_bool(TSR_ENV_IMAGES);
    caps.image = image_limits();
    for (unsigned i = 0; i < TSR_EXT_COUNT; i++)
        caps.extensions.has[i] = caps.images || !is_of_images(i);
    for (size_t i = 0; persona && i < persona->lack_count; i++)
        caps.extensions.has[persona->lacks[i]] = false;
    tsr_log(TSR_LOG_DEVICE, "cpu: %u compute units, %u MHz, %llu MiB of memory", caps.compute_units, caps.clock_mhz,
            (unsigned long long)(caps.global_memory / MIB));
}

const struct tsr_device_caps *tsr__cpu_caps(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find_out);
    return &caps;
}
