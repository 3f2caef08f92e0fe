/* SPDX-License-Identifier: Apache-2.0
 * CPU features: made-up machines on which CPUID promises more than the operating system gives, the cap, and this machine. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/internal.h"

/* A made-up machine: which leaves exist, which bits are set. */
static struct {
    uint32_t max_leaf, max_extended, max_subleaf7;
    bool osxsave, amd;
    unsigned family; /* 0: 6 */
    uint64_t xcr0, features;
} machine;

static const struct {
    uint32_t leaf, subleaf;
    unsigned reg, bit;
} table[] = {
#define ECX 2
#define EAX 0
#define EBX 1
#define EDX 3
#define TSR_CPU(name, llvm, leaf, subleaf, reg, bit, level) {leaf, subleaf, reg, bit},
#include "tessera/cpu.def"
#undef TSR_CPU
};

static void fake_cpuid(uint32_t leaf, uint32_t subleaf, uint32_t r[4])
{
    memset(r, 0, 16);
    if (leaf == 0) {
        const char *vendor = machine.amd ? "AuthenticAMD" : "GenuineIntel";
        r[0] = machine.max_leaf;
        memcpy(&r[1], vendor, 4);
        memcpy(&r[3], vendor + 4, 4);
        memcpy(&r[2], vendor + 8, 4);
        return;
    }
    if (leaf == 0x80000000) {
        r[0] = machine.max_extended;
        return;
    }
    if (leaf > (leaf & 0x80000000 ? machine.max_extended : machine.max_leaf))
        memset(r, 0xff, 16); /* what real CPUs answer here is the data of another leaf: must not be looked at */
    for (unsigned i = 0; i < TSR_CPU_COUNT; i++)
        if (table[i].leaf == leaf && table[i].subleaf == subleaf && machine.features >> i & 1)
            r[table[i].reg] |= UINT32_C(1) << table[i].bit;
    if (leaf == 1) {
        r[0] = 0x000c06f2; /* family 6, model 207, stepping 2 */
        if (machine.family)
            r[0] = (machine.family - 15) << 20 | 0x00000f20;
        r[2] |= machine.osxsave ? UINT32_C(1) << 27 : 0;
    }
    if (leaf == 7 && subleaf == 0)
        r[0] = machine.max_subleaf7;
    if (leaf == 7 && subleaf > machine.max_subleaf7)
        memset(r, 0xff, 16);
    if (leaf == 11 && machine.max_leaf >= 11) {
        r[1] = subleaf ? 16 : 2;
        r[2] = subleaf | (subleaf + 1) << 8; /* threads, cores */
    }
    if (leaf == 4 && subleaf < 4) {
        static const uint32_t level[] = {1, 1, 2, 3}, type[] = {1, 2, 3, 3}, sets[] = {64, 64, 2048, 114688};
        r[0] = type[subleaf] | level[subleaf] << 5;
        r[1] = 63 | (subleaf == 1 ? 11 : 15) << 22; /* 64-byte lines, 12 or 16 ways */
        r[2] = sets[subleaf] - 1;
    }
}

static uint64_t fake_xcr0(void)
{
    assert_true(machine.osxsave); /* XGETBV would be an illegal instruction */
    return machine.xcr0;
}

static const struct tsr__cpu_source fake = {fake_cpuid, fake_xcr0};
#define ALL ((UINT64_C(1) << TSR_CPU_COUNT) - 1)
#define BIT(name) (UINT64_C(1) << TSR_CPU_##name)
#define BASE (BIT(SSE3) | BIT(SSSE3) | BIT(SSE41) | BIT(SSE42) | BIT(POPCNT) | BIT(CX16))
#define GENERAL (BASE | BIT(MOVBE) | BIT(BMI1) | BIT(BMI2) | BIT(LZCNT))
#define YMM (GENERAL | BIT(AVX) | BIT(F16C) | BIT(FMA) | BIT(AVX2) | BIT(AVXVNNI))
#define TILES (BIT(AMX_TILE) | BIT(AMX_INT8) | BIT(AMX_BF16) | BIT(AMX_FP16))

static void whole_machine(void)
{
    machine.max_leaf = 32;
    machine.max_extended = 0x80000008;
    machine.max_subleaf7 = 1;
    machine.osxsave = true;
    machine.amd = false;
    machine.family = 0;
    machine.xcr0 = 0x602e7;
    machine.features = ALL;
}

static uint64_t detect(enum tsr_cpu_level cap)
{
    struct tsr_cpu cpu;
    tsr__cpu_detect(&cpu, &fake, cap);
    return cpu.features;
}

static void operating_system(void **state)
{
    (void)state;
    whole_machine();
    assert_int_equal(detect(TSR_CPU_LEVEL_NATIVE), ALL);
    for (unsigned bit = 17; bit <= 18; bit++) { /* tiles need both */
        machine.xcr0 = 0x602e7 & ~(UINT64_C(1) << bit);
        assert_int_equal(detect(TSR_CPU_LEVEL_NATIVE), ALL & ~TILES);
    }
    for (unsigned bit = 5; bit <= 7; bit++) { /* ZMM needs three */
        machine.xcr0 = 0x602e7 & ~(UINT64_C(1) << bit);
        assert_int_equal(detect(TSR_CPU_LEVEL_NATIVE), YMM | BIT(GFNI) | TILES);
    }
    for (unsigned bit = 1; bit <= 2; bit++) {
        machine.xcr0 = 0xe7 & ~(UINT64_C(1) << bit);
        assert_int_equal(detect(TSR_CPU_LEVEL_NATIVE), GENERAL | BIT(GFNI));
    }
    whole_machine();
    machine.osxsave = false;
    assert_int_equal(detect(TSR_CPU_LEVEL_NATIVE), GENERAL | BIT(GFNI));
}

static void masked_features(void **state)
{
    (void)state;
    whole_machine();
    machine.features = ALL & ~BIT(AVX512F);
    assert_int_equal(detect(TSR_CPU_LEVEL_NATIVE), YMM | BIT(GFNI) | TILES);
    machine.features = ALL & ~BIT(AVX);
    assert_int_equal(detect(TSR_CPU_LEVEL_NATIVE), GENERAL | BIT(GFNI) | TILES);
    machine.features = ALL & ~BIT(AMX_TILE);
    assert_int_equal(detect(TSR_CPU_LEVEL_NATIVE), ALL & ~TILES);
    machine.features = ALL & ~BIT(AVX512BW);
    assert_int_equal(detect(TSR_CPU_LEVEL_NATIVE) & (BIT(AVX512BF16) | BIT(AVX512FP16) | BIT(AVX512VNNI)), BIT(AVX512VNNI));
}

static void missing_leaves(void **state)
{
    (void)state;
    whole_machine();
    machine.max_leaf = 1;
    machine.max_extended = 0x80000000;
    assert_int_equal(detect(TSR_CPU_LEVEL_NATIVE), BASE | BIT(MOVBE) | BIT(AVX) | BIT(F16C) | BIT(FMA));
    whole_machine();
    machine.max_subleaf7 = 0;
    assert_int_equal(detect(TSR_CPU_LEVEL_NATIVE), (ALL & ~(BIT(AVXVNNI) | BIT(AVX512BF16) | BIT(AMX_FP16))) | BIT(SLOW_GATHERS));
}

/* Only where there are gathers at all. */
static void slow_gathers(void **state)
{
    (void)state;
    whole_machine();
    machine.features = ALL & ~BIT(AVXVNNI);
    assert_int_equal(detect(TSR_CPU_LEVEL_NATIVE), machine.features | BIT(SLOW_GATHERS));
    assert_int_equal(detect(TSR_CPU_LEVEL_AVX2), YMM & ~BIT(AVXVNNI));
    whole_machine();
    machine.amd = true;
    assert_int_equal(detect(TSR_CPU_LEVEL_NATIVE), ALL | BIT(BF16_PAIRS) | BIT(SLOW_GATHERS));
    assert_int_equal(detect(TSR_CPU_LEVEL_AVX512), (ALL & ~TILES) | BIT(SLOW_GATHERS));
    assert_int_equal(detect(TSR_CPU_LEVEL_SSE2), BASE);
}

static void cap(void **state)
{
    (void)state;
    whole_machine();
    assert_int_equal(detect(TSR_CPU_LEVEL_SSE2), BASE);
    assert_int_equal(detect(TSR_CPU_LEVEL_AVX2), YMM);
    assert_int_equal(detect(TSR_CPU_LEVEL_AVX512), ALL & ~TILES);
}

/* VDPBF16PS is there on both makes, but fast on one; the lower levels always compute the same. */
static void fast_pairs(void **state)
{
    (void)state;
    whole_machine();
    machine.amd = true;
    assert_int_equal(detect(TSR_CPU_LEVEL_NATIVE) & ~BIT(SLOW_GATHERS), ALL | BIT(BF16_PAIRS));
    assert_int_equal(detect(TSR_CPU_LEVEL_AVX512) & BIT(BF16_PAIRS), 0);
    machine.features = ALL & ~BIT(AVX512BF16);
    assert_int_equal(detect(TSR_CPU_LEVEL_NATIVE) & BIT(BF16_PAIRS), 0);
    machine.features = ALL & ~BIT(AVX512VL);
    assert_int_equal(detect(TSR_CPU_LEVEL_NATIVE) & BIT(BF16_PAIRS), 0);
}

/* AMD's alone, from family 26 on, at each level with long vectors. */
static void four_vector_units(void **state)
{
    (void)state;
    whole_machine();
    machine.family = 26;
    assert_int_equal(detect(TSR_CPU_LEVEL_NATIVE) & BIT(FOUR_VECTOR_UNITS), 0);
    machine.amd = true;
    assert_int_equal(detect(TSR_CPU_LEVEL_NATIVE) & BIT(FOUR_VECTOR_UNITS), BIT(FOUR_VECTOR_UNITS));
    assert_int_equal(detect(TSR_CPU_LEVEL_AVX2), YMM | BIT(FOUR_VECTOR_UNITS));
    assert_int_equal(detect(TSR_CPU_LEVEL_SSE2), BASE);
    machine.family = 25;
    assert_int_equal(detect(TSR_CPU_LEVEL_NATIVE) & BIT(FOUR_VECTOR_UNITS), 0);
}

static void description(void **state)
{
    (void)state;
    whole_machine();
    struct tsr_cpu cpu;
    tsr__cpu_detect(&cpu, &fake, TSR_CPU_LEVEL_AVX2);
    assert_string_equal(cpu.vendor, "GenuineIntel");
    assert_int_equal(cpu.family, 6);
    assert_int_equal(cpu.model, 207);
    assert_int_equal(cpu.stepping, 2);
    assert_int_equal(cpu.vector_bits, 256);
    assert_int_equal(cpu.line_size, 64);
    assert_int_equal(cpu.l1d_size, 64 * 64 * 16);
    assert_int_equal(cpu.l2_size, 64 * 2048 * 16);
    assert_int_equal(cpu.l3_size, 64 * 114688 * 16);
    assert_int_equal(cpu.core_threads, 2);
    machine.max_leaf = 7;
    tsr__cpu_detect(&cpu, &fake, TSR_CPU_LEVEL_AVX2);
    assert_int_equal(cpu.core_threads, 1);
}

static void llvm_text(void **state)
{
    (void)state;
    char text[2048], small[10];
    tsr_cpu_llvm_features(BIT(SSE3) | BIT(AVX2), text, sizeof text);
    assert_memory_equal(text, "+sse3,-ssse3,", 13);
    assert_non_null(strstr(text, ",+avx2,-bmi,"));
    tsr_cpu_llvm_features(ALL, text, sizeof text);
    assert_null(strstr(text, ",-"));
    assert_true(strlen(text) < sizeof text - 500); /* room for more lines in the table */
    tsr_cpu_llvm_features(ALL, small, sizeof small);
    assert_int_equal(strlen(small), 9);
}

static void levels_by_name(void **state)
{
    (void)state;
    uint64_t all = 0;
    assert_true(tsr_cpu_features_of("sse2", &all));
    assert_int_equal(all, BASE);
    assert_true(tsr_cpu_features_of("AVX2", &all));
    assert_int_equal(all & ~BIT(TILES_VECTORS), YMM);
    assert_true(tsr_cpu_features_of("avx512", &all));
    assert_int_equal(all & ~BIT(TILES_VECTORS), ALL & ~TILES);
    assert_true(tsr_cpu_features_of("native", &all));
    assert_int_equal(all, tsr_cpu()->features);
    assert_false(tsr_cpu_features_of("avx", &all));
}

/* The compiler's own view of this machine is the oracle. */
static void this_machine(void **state)
{
    (void)state;
    const struct tsr_cpu *cpu = tsr_cpu();
    assert_ptr_equal(cpu, tsr_cpu());
    assert_int_equal(tsr_cpu_has(cpu, TSR_CPU_AVX2), __builtin_cpu_supports("avx2") != 0);
    assert_int_equal(tsr_cpu_has(cpu, TSR_CPU_FMA), __builtin_cpu_supports("fma") != 0);
    assert_int_equal(tsr_cpu_has(cpu, TSR_CPU_AVX512F), __builtin_cpu_supports("avx512f") != 0);
    assert_int_equal(tsr_cpu_has(cpu, TSR_CPU_AVX512VNNI), __builtin_cpu_supports("avx512vnni") != 0);
    assert_int_equal(tsr_cpu_has(cpu, TSR_CPU_AVX512BF16), __builtin_cpu_supports("avx512bf16") != 0);
    assert_int_equal(tsr_cpu_has(cpu, TSR_CPU_SSE42), __builtin_cpu_supports("sse4.2") != 0);
    assert_int_equal(tsr_cpu_has(cpu, TSR_CPU_BMI2), __builtin_cpu_supports("bmi2") != 0);
    assert_true(cpu->line_size >= 32 && cpu->l1d_size >= 8192);
    if (!tsr_cpu_has(cpu, TSR_CPU_AMX_TILE))
        assert_false(tsr_cpu_request_amx());
    else if (tsr_cpu_request_amx())
        assert_true(tsr_cpu_request_amx());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operating_system), cmocka_unit_test(masked_features),
        cmocka_unit_test(missing_leaves),   cmocka_unit_test(cap),
        cmocka_unit_test(fast_pairs),       cmocka_unit_test(four_vector_units),
        cmocka_unit_test(slow_gathers),     cmocka_unit_test(description),
        cmocka_unit_test(llvm_text),        cmocka_unit_test(levels_by_name),
        cmocka_unit_test(this_machine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
