/* SPDX-License-Identifier: Apache-2.0
 * CPU features: what CPUID names, the operating system has enabled in XCR0, and TESSERA_CPU allows. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "base/internal.h"

#define BIT(feature) (UINT64_C(1) << TSR_CPU_##feature)
_Static_assert(TSR_CPU_FOUR_VECTOR_UNITS < 64, "one bit for each feature");

enum { EAX, EBX, ECX, EDX };

static const struct feature {
    const char *llvm;
    uint32_t leaf, subleaf;
    unsigned reg, bit;
    enum tsr_cpu_level level;
} features[] = {
#define TSR_CPU(name, llvm, leaf, subleaf, reg, bit, level) {llvm, leaf, subleaf, reg, bit, TSR_CPU_LEVEL_##level},
#include "tessera/cpu.def"
#undef TSR_CPU
};

/* Register state that the operating system must save and restore (XCR0). */
static const struct {
    uint64_t feature, xcr0;
} needs_state[] = {
    {BIT(AVX), 0x6},          /* SSE, AVX */
    {BIT(AVX512F), 0xe6},     /* and opmask, upper halves, ZMM16-31 */
    {BIT(AMX_TILE), 0x60000}, /* XTILECFG, XTILEDATA */
};

/* A virtual machine may mask a feature and leave the features that are built on it: these are removed. In an order in which one pass
 * suffices. */
static const struct {
    uint64_t features, need;
} needs_feature[] = {
    {BIT(F16C) | BIT(FMA) | BIT(AVX2), BIT(AVX)},
    {BIT(AVXVNNI), BIT(AVX2)},
    {BIT(AVX512F), BIT(AVX2) | BIT(F16C) | BIT(FMA)},
    {BIT(AVX512DQ) | BIT(AVX512IFMA) | BIT(AVX512CD) | BIT(AVX512BW) | BIT(AVX512VL) | BIT(AVX512VNNI) | BIT(AVX512VPOPCNTDQ),
     BIT(AVX512F)},
    {BIT(AVX512VBMI) | BIT(AVX512VBMI2) | BIT(AVX512BITALG) | BIT(AVX512BF16), BIT(AVX512BW)},
    {BIT(AVX512FP16), BIT(AVX512BW) | BIT(AVX512DQ) | BIT(AVX512VL)},
    {BIT(AMX_INT8) | BIT(AMX_BF16) | BIT(AMX_FP16), BIT(AMX_TILE)},
};

static const char *const level_names[] = {"sse2", "avx2", "avx512", "native"};

/* Each leaf is asked for once: in a virtual machine every CPUID is an exit of some microseconds. */
struct asked {
    const struct tsr__cpu_source *source;
    struct {
        uint32_t leaf, subleaf, regs[4];
    } answers[24];
    unsigned count;
};

static void ask(struct asked *asked, uint32_t leaf, uint32_t subleaf, uint32_t regs[4])
{
    unsigned i = 0;
    while (i < asked->count && (asked->answers[i].leaf != leaf || asked->answers[i].subleaf != subleaf))
        i++;
    if (i < asked->count) {
        memcpy(regs, asked->answers[i].regs, sizeof asked->answers[i].regs);
        return;
    }
    asked->source->cpuid(leaf, subleaf, regs);
    if (i < TSR_ARRAY_LEN(asked->answers)) {
        asked->answers[i].leaf = leaf;
        asked->answers[i].subleaf = subleaf;
        memcpy(asked->answers[i].regs, regs, sizeof asked->answers[i].regs);
        asked->count++;
    }
}

static bool has_leaf(struct asked *asked, uint32_t leaf)
{
    uint32_t regs[4];
    ask(asked, leaf & 0x80000000, 0, regs);
    return regs[EAX] >= leaf && (regs[EAX] & 0x80000000) == (leaf & 0x80000000);
}

static uint64_t detect_features(struct asked *asked, enum tsr_cpu_level cap)
{
    uint64_t found = 0;
    for (unsigned i = 0; i < TSR_CPU_COUNT; i++) {
        const struct feature *f = &features[i];
        uint32_t regs[4];
        if (f->level > cap || !has_leaf(asked, f->leaf))
            continue;
        if (f->subleaf) {
            ask(asked, f->leaf, 0, regs); /* EAX: highest sub-leaf */
            if (regs[EAX] < f->subleaf)
                continue;
        }
        ask(asked, f->leaf, f->subleaf, regs);
        if (regs[f->reg] >> f->bit & 1)
            found |= UINT64_C(1) << i;
    }
    uint32_t regs[4];
    ask(asked, 1, 0, regs);
    uint64_t xcr0 = regs[ECX] >> 27 & 1 ? asked->source->xcr0() : 0; /* OSXSAVE */
    for (unsigned i = 0; i < TSR_ARRAY_LEN(needs_state); i++)
        if ((xcr0 & needs_state[i].xcr0) != needs_state[i].xcr0)
            found &= ~needs_state[i].feature;
    for (unsigned i = 0; i < TSR_ARRAY_LEN(needs_feature); i++)
        if ((found & needs_feature[i].need) != needs_feature[i].need)
            found &= ~needs_feature[i].features;
    return found;
}

static bool is_amd(const struct tsr_cpu *cpu)
{
    return !strcmp(cpu->vendor, "AuthenticAMD") || !strcmp(cpu->vendor, "HygonGenuine");
}

static void detect_caches(struct tsr_cpu *cpu, struct asked *asked)
{
    /* Intel's leaf 4 and AMD's leaf 0x8000001D have the same form. */
    uint32_t leaf = is_amd(cpu) ? 0x8000001d : 4;
    if (!has_leaf(asked, leaf))
        return;
    for (uint32_t i = 0; i < 16; i++) {
        uint32_t r[4];
        ask(asked, leaf, i, r);
        unsigned type = r[EAX] & 31, level = r[EAX] >> 5 & 7;
        if (!type)
            break;
        if (type == 2) /* instructions */
            continue;
        unsigned line = (r[EBX] & 0xfff) + 1, partitions = (r[EBX] >> 12 & 0x3ff) + 1, ways = (r[EBX] >> 22) + 1, sets = r[ECX] + 1;
        unsigned size = line * partitions * ways * sets;
        if (level == 1)
            cpu->l1d_size = size;
        else if (level == 2)
            cpu->l2_size = size;
        else if (level == 3)
            cpu->l3_size = size;
        cpu->line_size = line;
    }
}

static unsigned find_core_threads(struct asked *asked)
{
    enum { TOPOLOGY = 11, THREADS = 1 };
    uint32_t r[4];
    if (!has_leaf(asked, TOPOLOGY))
        return 1;
    ask(asked, TOPOLOGY, 0, r);
    return (r[ECX] >> 8 & 255) == THREADS && r[EBX] & 0xffff ? r[EBX] & 0xffff : 1;
}

/* Gathers of AVX-512 that the CPU makes of many smaller operations. Intel's are fast from the first CPUs with AVX-VNNI on; earlier CPUs
 * have slow ones, or a microcode update against sampling of gathered data. */
static bool has_slow_gathers(const struct tsr_cpu *cpu)
{
    bool fast = !strcmp(cpu->vendor, "GenuineIntel") && cpu->features & BIT(AVXVNNI);
    return cpu->features & BIT(AVX512F) && !fast;
}

void tsr__cpu_detect(struct tsr_cpu *cpu, const struct tsr__cpu_source *source, enum tsr_cpu_level cap)
{
    struct asked all = {.source = source}, *asked = &all;
    *cpu = (struct tsr_cpu){.level = cap, .line_size = 64};
    uint32_t r[4];
    ask(asked, 0, 0, r);
    memcpy(cpu->vendor, &r[EBX], 4);
    memcpy(cpu->vendor + 4, &r[EDX], 4);
    memcpy(cpu->vendor + 8, &r[ECX], 4);
    if (has_leaf(asked, 0x80000004))
        for (uint32_t i = 0; i < 3; i++) {
            ask(asked, 0x80000002 + i, 0, r);
            memcpy(cpu->brand + 16 * i, r, 16);
        }
    ask(asked, 1, 0, r);
    cpu->stepping = r[EAX] & 15;
    cpu->model = r[EAX] >> 4 & 15;
    cpu->family = r[EAX] >> 8 & 15;
    if (cpu->family == 6 || cpu->family == 15)
        cpu->model |= (r[EAX] >> 16 & 15) << 4;
    if (cpu->family == 15)
        cpu->family += r[EAX] >> 20 & 255;
    cpu->features = detect_features(asked, cap);
    if (cap == TSR_CPU_LEVEL_NATIVE && is_amd(cpu) && cpu->features & BIT(AVX512BF16) && cpu->features & BIT(AVX512VL))
        cpu->features |= BIT(BF16_PAIRS);
    if (has_slow_gathers(cpu))
        cpu->features |= BIT(SLOW_GATHERS);
    if (is_amd(cpu) && cpu->family >= 26 && cpu->features & BIT(AVX2))
        cpu->features |= BIT(FOUR_VECTOR_UNITS);
    cpu->vector_bits = cpu->features & BIT(AVX512F) ? 512 : cpu->features & BIT(AVX2) ? 256 : 128;
    detect_caches(cpu, asked);
    cpu->core_threads = find_core_threads(asked);
}

static struct tsr_cpu this_cpu;

/* The features with TESSERA_TILES applied: some removed, others added. */
static uint64_t choose_tiles(uint64_t found)
{
    static const char *const choices[] = {"cpu", "vectors", "model", "none"};
    enum { CPU, VECTORS, MODEL };
    static const uint64_t amx = BIT(AMX_TILE) | BIT(AMX_INT8) | BIT(AMX_BF16) | BIT(AMX_FP16);
    static const uint64_t vectors = BIT(AVX2) | BIT(FMA) | BIT(F16C);
    unsigned choice = tsr_env_choice(TSR_ENV_TILES, choices, TSR_ARRAY_LEN(choices));
    if (choice != CPU)
        found &= ~amx;
    if (choice <= VECTORS && (found & vectors) == vectors)
        found |= BIT(TILES_VECTORS);
    return choice == MODEL ? found | BIT(TILES_MODEL) : found;
}

static void detect_this_cpu(void)
{
    static const struct tsr__cpu_source source = {tsr__cpuid, tsr__xcr0};
    unsigned cap = tsr_env_choice(TSR_ENV_CPU, level_names, TSR_ARRAY_LEN(level_names));
    tsr__cpu_detect(&this_cpu, &source, (enum tsr_cpu_level)cap);
    this_cpu.features = choose_tiles(this_cpu.features);
    tsr_log(TSR_LOG_DEVICE, "cpu: %s, family %u model %u, level %s, features %#llx, %u-bit vectors", this_cpu.brand, this_cpu.family,
            this_cpu.model, level_names[cap], (unsigned long long)this_cpu.features, this_cpu.vector_bits);
}

const struct tsr_cpu *tsr_cpu(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, detect_this_cpu);
    return &this_cpu;
}

bool tsr_cpu_features_of(const char *name, uint64_t *all)
{
    unsigned level = 0;
    while (level < TSR_ARRAY_LEN(level_names) && strcasecmp(name, level_names[level]))
        level++;
    if (level == TSR_ARRAY_LEN(level_names))
        return false;
    *all = 0;
    for (unsigned i = 0; i < TSR_CPU_COUNT; i++)
        *all |= (uint64_t)(features[i].level <= level) << i;
    *all = level == TSR_CPU_LEVEL_NATIVE ? tsr_cpu()->features : choose_tiles(*all);
    return true;
}

void tsr_cpu_llvm_features(uint64_t bits, char *out, size_t size)
{
    size_t used = 0;
    if (size)
        out[0] = 0;
    for (unsigned i = 0; i < TSR_CPU_COUNT && used < size; i++) {
        int n = snprintf(out + used, size - used, "%s%c%s", i ? "," : "", bits >> i & 1 ? '+' : '-', features[i].llvm);
        used += n > 0 ? (size_t)n : 0;
    }
}

bool tsr_cpu_request_amx(void)
{
    static _Atomic bool granted;
    if (granted)
        return true;
    if (!tsr_cpu_has(tsr_cpu(), TSR_CPU_AMX_TILE) || !tsr__request_tile_data())
        return false;
    granted = true;
    return true;
}
