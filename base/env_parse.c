/* SPDX-License-Identifier: Apache-2.0
 * Environment variables as numbers, sizes and words, and one complaint for each malformed value. Apart from env.c, because the log, which
 * takes the complaints, reads its own variables there. */
#include <ctype.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/internal.h"

_Static_assert(TSR_ENV_COUNT <= 64, "one bit for each variable");

static void complain(enum tsr_env_name name, const char *value, const char *why)
{
    static _Atomic uint64_t complained;
    uint64_t bit = UINT64_C(1) << name;
    if (!(atomic_fetch_or(&complained, bit) & bit))
        tsr_log(TSR_LOG_WARN, "%s=%s is ignored: %s; accepted: %s", tsr__env_variables[name].name, value, why,
                tsr__env_variables[name].values);
}

static const char *after_spaces(const char *s)
{
    while (isspace((unsigned char)*s))
        s++;
    return s;
}

long long tsr_env_int(enum tsr_env_name name, long long fallback, long long min, long long max)
{
    const char *value = tsr_env(name);
    if (!value)
        return fallback;
    char *end;
    errno = 0;
    long long v = strtoll(value, &end, 0);
    if (end == value || *after_spaces(end))
        complain(name, value, "not a number");
    else if (errno || v < min || v > max)
        complain(name, value, "out of range");
    else
        return v;
    return fallback;
}

uint64_t tsr_env_size(enum tsr_env_name name, uint64_t fallback)
{
    const char *value = tsr_env(name);
    if (!value)
        return fallback;
    const char *digits = after_spaces(value);
    char *end;
    errno = 0;
    unsigned long long v = strtoull(digits, &end, 0);
    unsigned shift = 0;
    switch (toupper((unsigned char)*end)) {
    case 'K':
        shift = 10;
        break;
    case 'M':
        shift = 20;
        break;
    case 'G':
        shift = 30;
        break;
    }
    /* strtoull takes a sign and wraps; a size has none. */
    if (!isdigit((unsigned char)*digits) || *after_spaces(end + (shift != 0)))
        complain(name, value, "not a size");
    else if (errno || v > UINT64_MAX >> shift)
        complain(name, value, "out of range");
    else
        return (uint64_t)v << shift;
    return fallback;
}

int tsr_env_choice(enum tsr_env_name name, const char *const *choices, unsigned count, int fallback)
{
    const char *value = tsr_env(name);
    if (!value)
        return fallback;
    for (unsigned i = 0; i < count; i++)
        if (!strcasecmp(value, choices[i]))
            return (int)i;
    complain(name, value, "unknown word");
    return fallback;
}

bool tsr_env_bool(enum tsr_env_name name, bool fallback)
{
    static const char *const words[] = {"0", "1", "no", "yes", "off", "on", "false", "true"};
    int i = tsr_env_choice(name, words, TSR_ARRAY_LEN(words), -1);
    return i < 0 ? fallback : i & 1;
}
