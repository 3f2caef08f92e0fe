/* SPDX-License-Identifier: Apache-2.0
 * Fuzzer of the build options: the first byte is the operation and the language, the rest the application's text. */
#include "clc/common/options.h"

#include "fuzz/fuzz.h"

void fuzz_begin(void) {}

bool fuzz_seed(unsigned index, struct tsr_buf *seed)
{
    static const char *const texts[] = {
#define TSR_OPTION(name, word, takers, clang) word " "
#include "clc/common/options.def"
#undef TSR_OPTION
        "-cl-std=CL3.0",
        "-DA -D B=1 -D 'C=\"x y\"' -Iinclude -I \"a b\" -D\\\"",
        "-cl-std=CL1.2 -D F(x)=x+1 -I. -x -cl-",
    };
    if (index >= 6 * TSR_ARRAY_LEN(texts))
        return false;
    unsigned char op = (unsigned char)(index % 6);
    tsr_buf_bytes(seed, &op, 1);
    tsr_buf_bytes(seed, texts[index / 6], strlen(texts[index / 6]));
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!size)
        return 0;
    enum tsr_clc_op op = data[0] % 3;
    enum tsr_clc_language language = data[0] / 3 % 2 ? TSR_CLC_SPIRV : TSR_CLC_OPENCL_C;
    char *text = tsr_strndup((const char *)data + 1, size - 1), *why = NULL, *only_checked = tsr_clc_check_options(op, language, text);
    struct tsr_clc_options options = {0};
    enum tsr_status status = tsr_clc_options_parse(op, language, text, &options, &why);
    FUZZ_CHECK(status == TSR_OK || status == TSR_INVALID);
    FUZZ_CHECK((status == TSR_OK) == !why && !why == !only_checked && (!why || !strcmp(why, only_checked)));
    if (status == TSR_OK) {
        FUZZ_CHECK(language == TSR_CLC_OPENCL_C || !options.word_count);
        for (uint32_t i = 0; i < options.word_count; i++)
            FUZZ_CHECK(options.words[i][0] == '-' && strchr("DIWp", options.words[i][1]) && options.words[i][2]);
        tsr_clc_options_free(&options);
    }
    tsr_free(why);
    tsr_free(only_checked);
    tsr_free(text);
    return 0;
}
