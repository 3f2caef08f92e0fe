/* SPDX-License-Identifier: Apache-2.0
 * Fuzzer of the front end of the tensor language: texts that are changed by tokens. Ranges of messages lie in the text, and what is good is
 * printed, parses again, and is printed the same. Seeds are the good texts of the tests. */
#include "tensor/lexer.h"

#include <ctype.h>

#include "fuzz/fuzz.h"

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);

static const char *const seeds[] = {
#define TEXT(...) #__VA_ARGS__,
#include "tensor/test/good.def"
#undef TEXT
};

void fuzz_begin(void) {}

bool fuzz_seed(unsigned index, struct tsr_buf *seed)
{
    if (index >= TSR_ARRAY_LEN(seeds))
        return false;
    tsr_buf_bytes(seed, seeds[index], strlen(seeds[index]));
    return true;
}

/* ---- mutations ---- */

/* Begin and length of a word or a sign of the text, from a random place on. */
static size_t word_at(const uint8_t *data, size_t size, size_t at, size_t *length)
{
    while (at < size && isspace(data[at]))
        at++;
    *length = at < size;
    while (at < size && at + *length < size && (isalnum(data[at]) || data[at] == '%' || data[at] == '.') &&
           (isalnum(data[at + *length]) || data[at + *length] == '_' || data[at + *length] == '.'))
        ++*length;
    return at;
}

/* Puts one word of the text in the place of another, before it, or takes it out. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    uint64_t state = seed * 6364136223846793005u + 1442695040888963407u;
    if (size < 8 || seed % 4 == 0)
        return LLVMFuzzerMutate(data, size, max_size);
    for (unsigned n = 1 + seed / 4 % 3; n; n--) {
        uint8_t word[64];
        size_t length, old_length;
        state = state * 6364136223846793005u + 1442695040888963407u;
        size_t from = word_at(data, size, (state >> 33) % size, &length), to = word_at(data, size, (state >> 13) % size, &old_length);
        unsigned how = (state >> 60) % 4; /* 0: before, 1: nothing in its place, otherwise: in its place */
        length = how == 1 || length > sizeof word ? 0 : length;
        old_length = how == 0 ? 0 : old_length;
        if (size - old_length + length > max_size)
            continue;
        memcpy(word, data + from, length);
        memmove(data + to + length, data + to + old_length, size - to - old_length);
        memcpy(data + to, word, length);
        size = size - old_length + length;
        if (size < 8)
            break;
    }
    return size;
}

/* ---- the test ---- */

static struct tsr_tensor_program *parse(const void *text, size_t size)
{
    struct tsr_tensor_program *p = tsr_tensor_parse(text, size, "fuzz", &tsr_tensor_cpu_target);
    FUZZ_CHECK(p);
    for (const struct tsr_tensor_diagnostic *d = tsr_tensor_diagnostics(p); d; d = d->next) {
        FUZZ_CHECK(d->text[0] && d->at.line && d->at.column);
        FUZZ_CHECK(d->at.line < d->at.end_line || (d->at.line == d->at.end_line && d->at.column <= d->at.end_column));
    }
    return p;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tsr_buf once = {0}, twice = {0}, messages = {0};
    struct tsr_tensor_program *p = parse(data, size), *again;
    tsr_tensor_is_text(data, size);
    tsr_tensor_print_diagnostics(p, &messages);
    if (!tsr_tensor_diagnostics(p)) {
        tsr_tensor_print(p, &once);
        again = parse(once.data, once.size);
        FUZZ_CHECK(!tsr_tensor_diagnostics(again));
        tsr_tensor_print(again, &twice);
        FUZZ_CHECK(once.size == twice.size && !memcmp(once.data, twice.data, once.size));
        tsr_tensor_free(again);
    }
    tsr_tensor_free(p);
    tsr_buf_free(&once);
    tsr_buf_free(&twice);
    tsr_buf_free(&messages);
    return 0;
}
