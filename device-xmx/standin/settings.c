/* SPDX-License-Identifier: Apache-2.0
 * Reads the variables STANDIN_…. They are no TESSERA_ variables: the driver above, which is another copy of the same code, must not see
 * them. What is wrong with a value ends the process: a test that runs without the fault that it asked for proves nothing. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device-xmx/standin/standin.h"
#include "device-xmx/ze_newer.h"

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
enum { ALONE, NUMBER };
static const struct {
    const char *name;
    bool numbered;
} faults[] = {
#define TSR_FAULT(name, number, text) {#name, number},
#include "device-xmx/standin/faults.def"
#undef TSR_FAULT
};

static const char *const extensions[] = {
#define TSR_EXTENSION(name, version) name,
#include "device-xmx/standin/extensions.def"
#undef TSR_EXTENSION
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
    const char *value = value_of(TSR__SETTING_API);
    int end = 0;
    if (sscanf(value, "%u.%u%n", &major, &minor, &end) != 2 || value[end])
        wrong(TSR__SETTING_API);
    settings.api = ZE_MAKE_VERSION(major, minor);
}

static void read_missing(const char *name, size_t length)
{
    for (size_t i = 0; i < TSR_ARRAY_LEN(extensions); i++)
        if (length == strlen(extensions[i]) && !memcmp(name, extensions[i], length) && settings.missing_count < TSR__MOST_MISSING) {
            settings.missing[settings.missing_count++] = extensions[i];
            return;
        }
    wrong(TSR__SETTING_FAULT);
}

/* One fault: name, name=number, or missing=EXTENSION. */
static void read_fault(const char *text, size_t length)
{
    static const char missing[] = "missing=";
    if (length > strlen(missing) && !memcmp(text, missing, strlen(missing))) {
        read_missing(text + strlen(missing), length - strlen(missing));
        return;
    }
    for (size_t i = 0; i < TSR_ARRAY_LEN(faults); i++) {
        size_t name = strlen(faults[i].name);
        if (length < name || memcmp(text, faults[i].name, name) || (length > name && text[name] != '='))
            continue;
        char *end = (char *)text + name;
        if (faults[i].numbered && length > name + 1)
            settings.fault[i] = strtoull(text + name + 1, &end, 10);
        if ((faults[i].numbered && end <= text + name + 1) || end != text + length)
            wrong(TSR__SETTING_FAULT);
        settings.faulty[i] = true;
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
