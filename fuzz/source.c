/* SPDX-License-Identifier: Apache-2.0
 * Sends mutated kernels to the compiler process: fuzz_source SECONDS FOLDER FILE.cl…
 *
 * The driver must get a program or a log, in time, whatever the source is. A compiler that dies on one is no finding, as that is an error
 * of this build alone; such sources are counted and kept in FOLDER. */
#include <unistd.h>

#include "clc/common/wire.h"
#include "fuzz/fuzz.h"
#include "tessera/program.h"

enum { TIMEOUT_SECONDS = 20, MOST_SEEDS = 16, LONGEST = 32768, LONGEST_FILE = 1 << 20 };

static uint64_t state;

static unsigned below(unsigned limit)
{
    state = state * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return limit ? (unsigned)(state >> 33) % limit : 0;
}

/* What takes the place of a token: types, qualifiers, functions that need care, corner values. */
static const char *const words[] = {
    "int",
    "uchar3",
    "float16",
    "double",
    "half",
    "long",
    "bool",
    "void",
    "size_t",
    "event_t",
    "sampler_t",
    "image2d_t",
    "atomic_int",
    "global",
    "local",
    "constant",
    "private",
    "generic",
    "__kernel",
    "kernel",
    "const",
    "volatile",
    "restrict",
    "struct",
    "typedef",
    "static",
    "inline",
    "if",
    "for",
    "while",
    "do",
    "switch",
    "goto",
    "return",
    "break",
    "continue",
    "sizeof",
    "0",
    "1",
    "-1",
    "0x7fffffff",
    "0xffffffffffffffffUL",
    "1e38f",
    "NAN",
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    ";",
    ",",
    "*",
    "&",
    "/",
    "%",
    "<<",
    ">>",
    "=",
    "==",
    "?",
    ":",
    ".",
    "->",
    "#",
    "##",
    "\"",
    "\\\n",
    "barrier(CLK_LOCAL_MEM_FENCE)",
    "work_group_reduce_add",
    "sub_group_shuffle",
    "sub_group_broadcast",
    "get_global_id(0)",
    "get_local_id",
    "atomic_fetch_add",
    "printf(\"%v4f\", 1)",
    "vload16",
    "vstore_half",
    "convert_char4_sat_rte",
    "as_int4",
    "async_work_group_copy",
    "intel_sub_group_i8_i8_matrix_mad_k32",
    "intel_sub_group_block_read8",
    "tessera_madw_hi",
    "asm",
    "__builtin_trap()",
    "__builtin_unreachable()",
    "__attribute__((reqd_work_group_size(0,1,1)))",
    "__attribute__((intel_reqd_sub_group_size(8)))",
    "__attribute__((vec_type_hint(int)))",
    "__attribute__((packed))",
    "__attribute__((aligned(1<<30)))",
    "__attribute__((ext_vector_type(3)))",
    "\n#pragma unroll\n",
    "\n#pragma OPENCL EXTENSION all : enable\n",
    "\n#include \"/dev/zero\"\n",
    "\n#define A A A\n",
    "__LINE__",
    "__COUNTER__",
    "_Static_assert(0)",
    "alloca",
    "recursive",
    "\xff",
    "",
};

static struct tsr_clc_text seeds[MOST_SEEDS];
static unsigned seed_count;

static bool in_word(char c)
{
    return c == '_' || (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z');
}

static size_t token_length(const char *at, size_t left)
{
    size_t n = 0;
    while (n < left && in_word(at[n]))
        n++;
    return n ? n : left ? 1 : 0;
}

/* A place in the text where a token begins. */
static size_t any_token(const struct tsr_buf *text)
{
    size_t at = below((unsigned)text->size);
    while (at > 0 && in_word((char)text->data[at]) && in_word((char)text->data[at - 1]))
        at--;
    return at;
}

/* `to` gets `from` with `length` bytes at `at` replaced. */
static void splice(struct tsr_buf *text, size_t at, size_t length, const void *with, size_t with_size)
{
    struct tsr_buf out = {0};
    tsr_buf_bytes(&out, text->data, at);
    tsr_buf_bytes(&out, with, with_size);
    tsr_buf_bytes(&out, text->data + at + length, text->size - at - length);
    tsr_buf_free(text);
    *text = out;
}

static void mutate(struct tsr_buf *text)
{
    size_t at = any_token(text), length = token_length((const char *)text->data + at, text->size - at);
    switch (below(8)) {
    case 0: /* away with some tokens */
        for (unsigned i = below(4); i && at + length < text->size; i--)
            length += token_length((const char *)text->data + at + length, text->size - at - length);
        splice(text, at, length, "", 0);
        break;
    case 1:
    case 2: { /* another word */
        const char *word = words[below(TSR_ARRAY_LEN(words))];
        char *spaced = tsr_format(" %s ", word);
        FUZZ_CHECK(spaced);
        splice(text, at, below(2) ? length : 0, spaced, strlen(spaced));
        tsr_free(spaced);
        break;
    }
    case 3: { /* a part of the same text once more, often */
        size_t from = any_token(text), size = below(200), times = below(16) ? 1 : 200;
        size = size < text->size - from ? size : text->size - from;
        struct tsr_buf part = {0};
        for (size_t i = 0; i < times; i++)
            tsr_buf_bytes(&part, text->data + from, size);
        splice(text, at, 0, part.data ? part.data : (unsigned char *)"", part.size);
        tsr_buf_free(&part);
        break;
    }
    case 4: { /* a part of another text */
        const struct tsr_clc_text *other = &seeds[below(seed_count)];
        size_t from = below((unsigned)other->size), size = below(600);
        splice(text, at, 0, other->data + from, size < other->size - from ? size : other->size - from);
        break;
    }
    case 5: { /* a token from elsewhere in the text */
        size_t from = any_token(text), size = token_length((const char *)text->data + from, text->size - from);
        char *token = tsr_strndup((const char *)text->data + from, size);
        FUZZ_CHECK(token);
        splice(text, at, length, token, strlen(token));
        tsr_free(token);
        break;
    }
    case 6: /* the end cut off */
        if (below(8) == 0)
            text->size = at ? at : 1;
        break;
    default: /* any byte */
        text->data[at] = (unsigned char)below(256);
    }
}

static void read_seeds(char **paths)
{
    for (; *paths && seed_count < MOST_SEEDS; paths++) {
        unsigned char *data;
        size_t size;
        if (tsr_file_read(*paths, LONGEST_FILE, &data, &size) == TSR_OK && size)
            seeds[seed_count++] = (struct tsr_clc_text){.data = (const char *)data, .size = size};
        else
            fprintf(stderr, "%s cannot be read\n", *paths);
    }
}

/* False: what came back breaks the contract. */
static bool right_result(const struct tsr_clc_result *result, uint64_t ns)
{
    if (ns > (TIMEOUT_SECONDS + 10) * UINT64_C(1000000000) || !result->log)
        return false;
    if (result->outcome == TSR_CLC_FAILED || result->outcome == TSR_CLC_DIED || result->outcome == TSR_CLC_NO_MEMORY)
        return result->log[0];
    struct tsr_arena arena = {0};
    struct tsr_program_info info;
    bool right = result->outcome == TSR_CLC_DONE && tsr_image_read(result->image, result->image_size, &arena, &info) == TSR_OK;
    tsr_arena_free(&arena);
    return right;
}

/* The source, with its options in the first line and the build log behind it, as a file that no other process of this fuzzer writes. */
static void keep(const char *folder, const char *what, unsigned long number, const struct tsr_clc_request *request, const char *log)
{
    struct tsr_buf file = {0};
    tsr_buf_printf(&file, "// options: %s\n", request->options);
    tsr_buf_bytes(&file, request->source.data, request->source.size);
    tsr_buf_printf(&file, "\n#if 0\n%s\n#endif\n", log ? log : "no log");
    char *path = tsr_format("%s/source-%s-%d-%lu.cl", folder, what, (int)getpid(), number);
    if (path && !file.failed && tsr_file_write_atomic(path, file.data, file.size) == TSR_OK)
        fprintf(stderr, "%s\n", path);
    tsr_free(path);
    tsr_buf_free(&file);
}

int main(int argc, char **argv)
{
    if (argc < 4)
        return fprintf(stderr, "Usage: fuzz_source SECONDS FOLDER FILE.cl…\n"), 2;
    read_seeds(argv + 3);
    FUZZ_CHECK(seed_count);
    char *timeout = tsr_format("%d", TIMEOUT_SECONDS);
    FUZZ_CHECK(timeout && !setenv("TESSERA_CACHE", "0", 1) && !setenv("TESSERA_CC_TIMEOUT", timeout, 0));
    tsr_free(timeout);
    uint64_t begin = tsr_now_ns(), end = begin + strtoull(argv[1], NULL, 10) * 1000000000u, slowest = 0;
    state = begin;
    unsigned long runs = 0, built = 0, died = 0, late = 0, wrong = 0;
    static const char *const options[] = {
        "", "-cl-opt-disable", "-cl-fast-relaxed-math", "-g -cl-kernel-arg-info", "-cl-std=CL3.0", "-cl-std=CL1.2"};
    while (tsr_now_ns() < end) {
        struct tsr_buf text = {0};
        const struct tsr_clc_text *seed = &seeds[below(seed_count)];
        tsr_buf_bytes(&text, seed->data, seed->size);
        for (unsigned i = 1 + below(1u << below(4)); i && text.size && text.size < LONGEST; i--)
            mutate(&text);
        FUZZ_CHECK(!text.failed);
        struct tsr_clc_request request = {.op = TSR_CLC_BUILD,
                                          .source = {.data = (const char *)text.data, .size = text.size},
                                          .options = options[below(TSR_ARRAY_LEN(options))],
                                          .target = {.triple = TSR_TRIPLE_X86_64,
                                                     .features = tsr_cpu()->features,
                                                     .default_sub_group_size = 16,
                                                     .macros = tsr_clc_all_macros()}};
        struct tsr_clc_result result;
        uint64_t start = tsr_now_ns();
        tsr_clc_run(&request, &result);
        uint64_t ns = tsr_now_ns() - start;
        runs++;
        slowest = ns > slowest ? ns : slowest;
        built += result.outcome == TSR_CLC_DONE;
        if (!right_result(&result, ns)) {
            wrong++;
            fprintf(stderr, "outcome %d after %.1f s: %s\n", result.outcome, (double)ns / 1e9, result.log ? result.log : "no log");
            keep(argv[2], "wrong", runs, &request, result.log);
        } else if (strstr(result.log, "error: the compiler process")) {
            died++;
            keep(argv[2], "died", runs, &request, result.log);
        } else if (strstr(result.log, "error: the build took longer")) {
            late++;
            keep(argv[2], "late", runs, &request, result.log);
        }
        tsr_clc_result_free(&result);
        tsr_buf_free(&text);
    }
    for (unsigned i = 0; i < seed_count; i++)
        tsr_free((void *)seeds[i].data);
    printf(
        "%lu sources in %.0f s: %lu built, %lu refused, compiler died on %lu, stopped on %lu, slowest %.1f s, against the contract %lu\n",
        runs, (double)(tsr_now_ns() - begin) / 1e9, built, runs - built - died - late - wrong, died, late, (double)slowest / 1e9, wrong);
    return wrong ? 1 : 0;
}
