/* SPDX-License-Identifier: Apache-2.0
 * Fuzzer of the printf of kernels: any format with arguments of any types that the engine packs. */
#include "tessera/printf.h"

#include "device-amx/cpu.h"
#include "fuzz/fuzz.h"

enum { MOST_ARGS = 12 };

void fuzz_begin(void) {}

/* A byte for the number of arguments, two for each one's type, then the format; the values are made of the format's bytes. */
bool fuzz_seed(unsigned index, struct tsr_buf *seed)
{
    static const struct {
        const char *types, *format;
    } seeds[] = {
        {"\3\0\2\1\3\3\0", "%d %5.2f|%s\n"},
        {"\2\4\2\5\1", "%v4hlx %v2lf %%"},
        {"\4\0\0\0\1\0\2\0\3", "%hhd %#o %-+ 08ld %c"},
        {"\2\2\0\3\0", "%p %.3s %a %E %v16hhu"},
    };
    if (index >= TSR_ARRAY_LEN(seeds))
        return false;
    size_t types = 1 + 2 * (size_t)seeds[index].types[0];
    tsr_buf_bytes(seed, seeds[index].types, types);
    tsr_buf_bytes(seed, seeds[index].format, strlen(seeds[index].format));
    return true;
}

/* As lanes/lower/lower_printf.c packs: 4 bytes of tag, the value, padding. */
static void add_argument(struct tsr_buf *args, unsigned kind, unsigned shape, struct fuzz_bytes values)
{
    static const unsigned counts[] = {1, 2, 3, 4, 8, 16};
    static const char *const strings[] = {"", "text", "a longer text with a percent sign: %d", NULL};
    unsigned count = counts[kind / 4 % TSR_ARRAY_LEN(counts)], bytes = 1u << shape % 4;
    enum tsr_print_kind what = kind % 4 + TSR_PRINT_INT;
    unsigned char value[16 * 8];
    for (size_t i = 0; i < sizeof value; i++)
        value[i] = (unsigned char)fuzz_byte(&values);
    if (what == TSR_PRINT_FLOAT && bytes == 1)
        bytes = 2;
    if (what == TSR_PRINT_STRING || what == TSR_PRINT_POINTER)
        bytes = 8;
    for (unsigned i = 0; what == TSR_PRINT_STRING && i < count; i++)
        memcpy(value + 8 * i, &strings[shape % TSR_ARRAY_LEN(strings)], 8);
    tsr_buf_u32(args, TSR_PRINT_TAG(what, bytes, count));
    tsr_buf_bytes(args, value, (size_t)bytes * count);
    while (args->size % 8)
        tsr_buf_bytes(args, "", 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_bytes bytes = {data, size};
    struct tsr_buf args = {0}, text = {0};
    unsigned count = fuzz_below(&bytes, MOST_ARGS);
    tsr_buf_u32(&args, count);
    tsr_buf_u32(&args, 0);
    unsigned char types[2 * MOST_ARGS];
    for (unsigned i = 0; i < 2 * count; i++)
        types[i] = (unsigned char)fuzz_byte(&bytes);
    for (unsigned i = 0; i < count; i++)
        add_argument(&args, types[2 * i], types[2 * i + 1], bytes);
    char *format = tsr_strndup((const char *)bytes.at, bytes.left);
    /* A copy of just the size, so that a read behind the end is seen. */
    unsigned char *exact = tsr_malloc(args.size);
    FUZZ_CHECK(!args.failed && exact && format);
    memcpy(exact, args.data, args.size);
    tsr__print(&text, format, exact);
    FUZZ_CHECK(!text.failed);
    if (!strchr(format, '%'))
        FUZZ_CHECK(text.size == strlen(format) && !memcmp(text.data ? (const char *)text.data : "", format, text.size));
    tsr_free(exact);
    tsr_free(format);
    tsr_buf_free(&args);
    tsr_buf_free(&text);
    return 0;
}
