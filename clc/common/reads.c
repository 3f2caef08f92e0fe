/* SPDX-License-Identifier: Apache-2.0
 * Whether a source can read files, judged by its words: most sources cannot, and then the build need not know the working directory. */
#include "clc/common/wire.h"

#include <ctype.h>
#include <string.h>

/* Whether a line is continued within a word, which the search for words would miss: "inc\", "lude". */
static bool splits_a_word(const char *data, size_t size)
{
    const char *end = data + size;
    for (const char *at = data; (at = memchr(at, '\n', (size_t)(end - at))); at++) {
        const char *before = at;
        while (before > data && isspace((unsigned char)before[-1]))
            before--;
        if (before > data && before[-1] == '\\')
            before--;
        else if (before - data >= 3 && !memcmp(before - 3, "?\?/", 3)) /* the backslash, as a trigraph */
            before -= 3;
        else
            continue;
        if (before > data && isalpha((unsigned char)before[-1]) && at + 1 < end && isalpha((unsigned char)at[1]))
            return true;
    }
    return false;
}

/* Whether there may be a directive at all, in any of its spellings: "#", "%:", the trigraph, or _Pragma. */
static bool has_directive(const char *data, size_t size)
{
    return memchr(data, '#', size) || memmem(data, size, "%:", 2) || memmem(data, size, "?\?", 2) || memmem(data, size, "_P", 2);
}

/* The words of all directives and operators that look for files, or a part of them. */
static bool may_read(const char *data, size_t size)
{
    static const char *const words[] = {"include", "import", "embed", "dependency"};
    if (!data || !has_directive(data, size))
        return false;
    for (size_t i = 0; i < TSR_ARRAY_LEN(words); i++)
        if (memmem(data, size, words[i], strlen(words[i])))
            return true;
    return splits_a_word(data, size);
}

bool tsr_wire_reads_files(const struct tsr_clc_request *request)
{
    if (request->language == TSR_CLC_SPIRV)
        return false;
    bool answer = may_read(request->source.data, request->source.size) || (request->options && strstr(request->options, "-I"));
    for (uint32_t i = 0; i < request->header_count && !answer; i++)
        answer = may_read(request->headers[i].data, request->headers[i].size);
    return answer;
}
