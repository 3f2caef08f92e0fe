/* SPDX-License-Identifier: Apache-2.0
 * What all clGet*Info functions share: the rules for sizes, and lists of properties as they were given. */
#include <string.h>

#include "icd/icd.h"

cl_int tsr__info_bytes(struct tsr_info_out out, const void *data, size_t size)
{
    if (out.size_ret)
        *out.size_ret = size;
    if (!out.value)
        return CL_SUCCESS;
    if (out.room < size)
        return tsr__error(NULL, CL_INVALID_VALUE, __func__, "param_value_size is too small",
                          "the value takes %zu bytes, there is room for %zu", size, out.room);
    if (size)
        memcpy(out.value, data, size);
    return CL_SUCCESS;
}

cl_int tsr__info_str(struct tsr_info_out out, const char *text)
{
    if (!text)
        text = "";
    return tsr__info_bytes(out, text, strlen(text) + 1);
}

bool tsr__keep_properties(const cl_properties *list, size_t words, cl_properties **kept, size_t *count)
{
    *kept = list ? tsr_malloc(words * sizeof *list) : NULL;
    *count = *kept ? words : 0;
    if (*kept)
        memcpy(*kept, list, words * sizeof *list);
    return !list || *kept;
}
