/* SPDX-License-Identifier: Apache-2.0
 * Environment variables as numbers, sizes and words, with one complaint for each malformed value. Complaints go to the log, which reads its
 * own variables by env.c alone. */
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

static const char *default_value(enum tsr_env_name name)
{
    return tsr__env_variables[name].default_value;
}

static const char *after_spaces(const char *s)
{
    while (isspace((unsigned char)*s))
        s++;
    return s;
}

/* ---- parsing: NULL, or what is wrong with the text, and then the value stays ---- */

static const char *parse_int(const char *text, long long min, long long max, long long *value)
{
    char *end;
    errno = 0;
    long long v = strtoll(text, &end, 0);
    if (end == text || *after_spaces(end))
        return "not a number";
    if (errno || v < min || v > max)
        return "out of range";
    *value = v;
    return NULL;
}

static const char *parse_size(const char *text, uint64_t *value)
{
    const char *digits = after_spaces(text);
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
        return "not a size";
    if (errno || v > UINT64_MAX >> shift)
        return "out of range";
    *value = (uint64_t)v << shift;
    return NULL;
}

static const char *parse_choice(const char *text, const char *const *choices, unsigned count, unsigned *value)
{
    for (unsigned i = 0; i < count; i++)
        if (!strcasecmp(text, choices[i])) {
            *value = i;
            return NULL;
        }
    return "unknown word";
}

static const char *parse_bool(const char *text, bool *value)
{
    static const char *const words[] = {"0", "1", "no", "yes", "off", "on", "false", "true"};
    unsigned i = 0;
    const char *wrong = parse_choice(text, words, TSR_ARRAY_LEN(words), &i);
    if (!wrong)
        *value = i & 1;
    return wrong;
}

/* ---- variables ---- */

long long tsr_env_int_or(enum tsr_env_name name, long long otherwise, long long min, long long max)
{
    const char *value = tsr_env(name), *wrong = value ? parse_int(value, min, max, &otherwise) : NULL;
    if (wrong)
        complain(name, value, wrong);
    return otherwise;
}

uint64_t tsr_env_size_or(enum tsr_env_name name, uint64_t otherwise)
{
    const char *value = tsr_env(name), *wrong = value ? parse_size(value, &otherwise) : NULL;
    if (wrong)
        complain(name, value, wrong);
    return otherwise;
}

bool tsr_env_bool_or(enum tsr_env_name name, bool otherwise)
{
    const char *value = tsr_env(name), *wrong = value ? parse_bool(value, &otherwise) : NULL;
    if (wrong)
        complain(name, value, wrong);
    return otherwise;
}

/* The defaults of the table can be parsed: base/test/env_test.c looks at each. */

long long tsr_env_int(enum tsr_env_name name, long long min, long long max)
{
    long long standard = 0;
    parse_int(default_value(name), min, max, &standard);
    return tsr_env_int_or(name, standard, min, max);
}

uint64_t tsr_env_size(enum tsr_env_name name)
{
    uint64_t standard = 0;
    parse_size(default_value(name), &standard);
    return tsr_env_size_or(name, standard);
}

bool tsr_env_bool(enum tsr_env_name name)
{
    bool standard = false;
    parse_bool(default_value(name), &standard);
    return tsr_env_bool_or(name, standard);
}

unsigned tsr_env_choice(enum tsr_env_name name, const char *const *choices, unsigned count)
{
    unsigned choice = 0;
    parse_choice(default_value(name), choices, count, &choice);
    const char *value = tsr_env(name), *wrong = value ? parse_choice(value, choices, count, &choice) : NULL;
    if (wrong)
        complain(name, value, wrong);
    return choice;
}

bool tsr_env_names_reference(void)
{
    static const char *const engines[] = {"reference", "lanes"};
    return tsr_env_choice(TSR_ENV_ENGINE, engines, TSR_ARRAY_LEN(engines)) == 0;
}
