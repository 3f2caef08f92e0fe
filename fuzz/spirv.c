/* SPDX-License-Identifier: Apache-2.0
 * Fuzzer of the SPIR-V reader. It changes modules by instructions and by ids, so that most inputs are instructions of the right form with
 * wrong operands. The log says why a module is refused; one that is read passes LLVM's verifier, and is read in the other byte order as
 * well. Seeds are the modules of fuzz/seeds, assembled when the fuzzer is built. */
#include "clc/spirv/spirv.h"

#include <llvm-c/Analysis.h>

#include "fuzz/fuzz.h"

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);

enum { HEADER = TSR_SPIRV_HEADER / 4, BOUND = 3, MOST_WORDS = 1 << 16, MOST_CHANGES = 4 };

static const char *const seed_files[] = {TSR_SPIRV_SEEDS};

void fuzz_begin(void) {}

bool fuzz_seed(unsigned index, struct tsr_buf *seed)
{
    if (index >= TSR_ARRAY_LEN(seed_files))
        return false;
    FILE *file = fopen(seed_files[index], "rb");
    FUZZ_CHECK(file);
    char part[4096];
    for (size_t n; (n = fread(part, 1, sizeof part, file)) > 0;)
        tsr_buf_bytes(seed, part, n);
    fclose(file);
    return true;
}

/* ---- mutations: a module as instructions ---- */

struct module {
    uint32_t words[MOST_WORDS];
    size_t count;                      /* of words */
    size_t at[MOST_WORDS], inst_count; /* where instructions begin */
    uint64_t state;                    /* of the random numbers */
};

static uint32_t random_below(struct module *m, size_t limit)
{
    m->state = m->state * 6364136223846793005u + 1442695040888963407u;
    return limit ? (uint32_t)((m->state >> 33) % limit) : 0;
}

static void find_instructions(struct module *m)
{
    m->inst_count = 0;
    for (size_t at = HEADER; at < m->count; at += m->words[at] >> 16 ? m->words[at] >> 16 : 1)
        m->at[m->inst_count++] = at;
}

static size_t length_of(const struct module *m, size_t inst)
{
    size_t end = inst + 1 < m->inst_count ? m->at[inst + 1] : m->count;
    return end - m->at[inst];
}

/* Puts `count` words, which may be part of the module, before the instruction. False: there is no room. */
static bool insert(struct module *m, size_t inst, const uint32_t *words, size_t count)
{
    uint32_t copy[1024];
    if (count > TSR_ARRAY_LEN(copy) || m->count + count > MOST_WORDS)
        return false;
    memcpy(copy, words, count * sizeof *copy);
    size_t at = inst < m->inst_count ? m->at[inst] : m->count;
    memmove(m->words + at + count, m->words + at, (m->count - at) * sizeof *m->words);
    memcpy(m->words + at, copy, count * sizeof *copy);
    m->count += count;
    return true;
}

/* Removes the instruction. The copy of one that claims too many words counts the instructions behind it as its own, so there may be none of
 * this index any more. */
static void cut(struct module *m, size_t inst)
{
    if (inst >= m->inst_count)
        return;
    size_t at = m->at[inst], count = length_of(m, inst);
    memmove(m->words + at, m->words + at + count, (m->count - at - count) * sizeof *m->words);
    m->count -= count;
}

/* One of the words behind the first of the instruction; NULL: there is none. */
static uint32_t *operand(struct module *m, size_t inst)
{
    size_t length = length_of(m, inst);
    return length > 1 ? &m->words[m->at[inst] + 1 + random_below(m, length - 1)] : NULL;
}

static void change(struct module *m)
{
    static const uint32_t numbers[] = {0, 1, 2, 3, 4, 7, 8, 16, 32, 64, 0x7fffffff, 0x80000000, 0xffffffff};
    find_instructions(m);
    if (!m->inst_count)
        return;
    size_t inst = random_below(m, m->inst_count), other = random_below(m, m->inst_count);
    uint32_t *first = &m->words[m->at[inst]], *word = operand(m, inst), *source = operand(m, other); /* NULL: no operands */
    switch (random_below(m, 12)) {
    case 0: /* the same operands for another instruction */
    case 1:
        *first = (*first & 0xffff0000) | (m->words[m->at[other]] & 0xffff);
        break;
    case 2:
        *first = (*first & 0xffff0000) | random_below(m, random_below(m, 8) ? 450 : 6600);
        break;
    case 3:
    case 4:
    case 5: /* an operand of another instruction: mostly an id */
        if (word && source)
            *word = *source;
        break;
    case 6:
        if (word)
            *word = random_below(m, m->words[BOUND] + 2);
        break;
    case 7:
        if (word)
            *word = numbers[random_below(m, TSR_ARRAY_LEN(numbers))];
        break;
    case 8:
        insert(m, other, first, length_of(m, inst));
        break;
    case 9:
        cut(m, inst);
        break;
    case 10: { /* one operand more or less */
        size_t length = length_of(m, inst);
        uint32_t longer[64];
        if (length < 2 || length >= TSR_ARRAY_LEN(longer))
            break;
        memcpy(longer, first, length * sizeof *longer);
        longer[length] = longer[1 + random_below(m, length - 1)];
        size_t now = random_below(m, 2) ? length + 1 : length - 1;
        longer[0] = (longer[0] & 0xffff) | (uint32_t)now << 16;
        cut(m, inst);
        find_instructions(m);
        insert(m, inst, longer, now);
        break;
    }
    default: /* two instructions in turn */
        if (!insert(m, other, first, length_of(m, inst)))
            break;
        find_instructions(m);
        cut(m, inst + (other <= inst));
        break;
    }
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    static struct module m;
    m.state = seed;
    m.count = size / 4;
    if (m.count <= HEADER || size > sizeof m.words || random_below(&m, 16) == 0)
        return LLVMFuzzerMutate(data, size, max_size);
    memcpy(m.words, data, m.count * 4);
    for (uint32_t i = 1 + random_below(&m, MOST_CHANGES); i; i--)
        change(&m);
    size = m.count * 4 < max_size ? m.count * 4 : max_size / 4 * 4;
    memcpy(data, m.words, size);
    return size;
}

/* ---- the test ---- */

static bool read_module(const void *data, size_t size)
{
    static const uint64_t value = 0x0102030405060708;
    const struct tsr_spirv_constant constants[] = {{0, 4, &value}, {1, 1, &value}, {2, 8, &value}, {3, 2, &value}};
    struct tsr_spirv_input input = {data, size, constants, TSR_ARRAY_LEN(constants), .lines = size % 8 == 0};
    struct tsr_buf log = {0};
    LLVMContextRef context = LLVMContextCreate();
    LLVMModuleRef module = tsr_spirv_read(&input, context, &log);
    FUZZ_CHECK(module || log.size);
    FUZZ_CHECK(!module || !LLVMVerifyModule(module, LLVMReturnStatusAction, NULL));
    if (module)
        LLVMDisposeModule(module);
    LLVMContextDispose(context);
    tsr_buf_free(&log);
    return module != NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!read_module(data, size))
        return 0;
    uint8_t *swapped = malloc(size);
    FUZZ_CHECK(swapped);
    for (size_t i = 0; i < size; i++) /* a module that was read is a whole number of words */
        swapped[i] = data[i ^ 3];
    FUZZ_CHECK(read_module(swapped, size));
    free(swapped);
    return 0;
}
