/* SPDX-License-Identifier: Apache-2.0
 * Reads the variables STANDIN_…. They are no TESSERA_ variables: the driver above, which is another copy of the same code, must not see
 * them. What is wrong with a value ends the process: a test that runs without the fault that it asked for proves nothing. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device-xmx/standin/standin.h"

static const char *const names[] = {
#define TSR_SETTING(name, values, default_value, text) "STANDIN_" #name,
#include "device-xmx/standin/settings.def"
#undef TSR_SETTING
};
static const char *const defaults[] = {
#define TSR_SETTING(name, values, default_value, text) default_value,
#include "device-xmx/standin/settings.def"
#undef TSR_SETTING
};
static const char *const fault_names[] = {
#define TSR_FAULT(name, text) #name,
#include "device-xmx/standin/faults.def"
#undef TSR_FAULT
};

static struct tsr__settings settings;

static const char *value_of(enum tsr__setting name)
{
    const char *value = getenv(names[name]);
    return value && *value ? value : defaults[name];
}

static _Noreturn void wrong(enum tsr__setting name)
{
    fprintf(stderr, "stand-in: %s=%s means nothing\n", names[name], value_of(name));
    abort();
}

/* Index of the value among the words. */
static unsigned choice(enum tsr__setting name, const char *const *words, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        if (!strcmp(value_of(name), words[i]))
            return i;
    wrong(name);
}

static void read_devices(void)
{
    const char *at = value_of(TSR__SETTING_DEVICES);
    for (;; at++) {
        size_t length = strcspn(at, ",");
        const struct tsr__persona *persona = tsr__standin_persona(at, length);
        if (!persona || settings.device_count == TSR__MOST_DEVICES)
            wrong(TSR__SETTING_DEVICES);
        settings.devices[settings.device_count++] = persona;
        at += length;
        if (!*at)
            return;
    }
}

static void read_api(void)
{
    unsigned major, minor;
    if (sscanf(value_of(TSR__SETTING_API), "%u.%u", &major, &minor) != 2)
        wrong(TSR__SETTING_API);
    settings.api = ZE_MAKE_VERSION(major, minor);
}

/* One fault: name, name=number, or missing=EXTENSION. */
static void read_fault(const char *text, size_t length)
{
    static const char missing[] = "missing=";
    if (length > strlen(missing) && !memcmp(text, missing, strlen(missing)) && settings.missing_count < TSR__MOST_MISSING) {
        snprintf(settings.missing[settings.missing_count++], ZE_MAX_EXTENSION_NAME, "%.*s", (int)(length - strlen(missing)),
                 text + strlen(missing));
        return;
    }
    for (size_t i = 0; i < TSR_ARRAY_LEN(fault_names); i++) {
        size_t name = strlen(fault_names[i]);
        if (length < name || memcmp(text, fault_names[i], name) || (length > name && text[name] != '='))
            continue;
        settings.faulty[i] = true;
        settings.fault[i] = length > name ? strtoull(text + name + 1, NULL, 10) : 0;
        return;
    }
    wrong(TSR__SETTING_FAULT);
}

static void read_faults(void)
{
    for (const char *at = value_of(TSR__SETTING_FAULT); *at; at += *at == ',') {
        size_t length = strcspn(at, ",");
        read_fault(at, length);
        at += length;
    }
}

static void read_all(void)
{
    static const char *const strict[] = {"0", "1", "drivers"}, *const leaks[] = {"no", "report", "abort"},
                             *const memory[] = {"open", "closed"}, *const order[] = {"appended", "reversed"};
    read_devices();
    read_api();
    read_faults();
    settings.strict = (enum tsr__strict)choice(TSR__SETTING_STRICT, strict, 3);
    settings.leaks = (enum tsr__leaks)choice(TSR__SETTING_LEAKS, leaks, 3);
    settings.closed_memory = choice(TSR__SETTING_MEMORY, memory, 2);
    settings.reversed = choice(TSR__SETTING_ORDER, order, 2);
}

const struct tsr__settings *tsr__standin_settings(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, read_all);
    return &settings;
}
