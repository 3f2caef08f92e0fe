/* SPDX-License-Identifier: Apache-2.0
 * What a container grants: CPU quota and memory of control groups, version 1 and 2, on every level that is visible. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scheduler/internal.h"

enum { FILE_LIMIT = 4 << 20 };

/* Text of root + path, or NULL. */
static char *read_text(const char *root, const char *path)
{
    unsigned char *data = NULL;
    size_t size;
    char *whole = tsr_format("%s%s", root, path);
    if (whole && tsr_file_read(whole, FILE_LIMIT, &data, &size))
        data = NULL;
    tsr_free(whole);
    return (char *)data;
}

static bool number(const char **text, uint64_t *value)
{
    char *end;
    const char *at = *text;
    while (*at == ' ')
        at++;
    errno = 0;
    *value = strtoull(at, &end, 10);
    if (*at < '0' || *at > '9' || errno || (*end && *end != ' ' && *end != '\n'))
        return false;
    *text = end;
    return true;
}

static bool is_word(const char *text, const char *word)
{
    size_t n = strlen(word);
    return !strncmp(text, word, n) && (!text[n] || text[n] == ' ' || text[n] == '\n');
}

static void lower_cpus(struct tsr__limits *limits, uint64_t quota, uint64_t period)
{
    if (!quota || !period)
        return;
    uint64_t cpus = quota / period + (quota % period != 0);
    if (cpus <= CPU_SETSIZE && (!limits->cpus || cpus < limits->cpus))
        limits->cpus = (unsigned)cpus;
}

static void lower_memory(struct tsr__limits *limits, uint64_t bytes)
{
    if (bytes && (!limits->memory || bytes < limits->memory))
        limits->memory = bytes;
}

static void odd(const char *folder, const char *file, const char *text)
{
    tsr_log(TSR_LOG_WARN, "%s/%s is not understood and not considered: %.40s", folder, file, text);
}

/* One file of a group's folder. NULL if it is not there, as for the root group. */
static char *group_file(const char *root, const char *folder, const char *file)
{
    char *path = tsr_format("%s/%s", folder, file);
    char *text = path ? read_text(root, path) : NULL;
    tsr_free(path);
    return text;
}

static void cpu_v2(const char *root, const char *folder, struct tsr__limits *limits)
{
    char *text = group_file(root, folder, "cpu.max"); /* "quota period" or "max period" */
    const char *at = text;
    uint64_t quota, period;
    if (text && !is_word(text, "max")) {
        if (number(&at, &quota) && number(&at, &period))
            lower_cpus(limits, quota, period);
        else
            odd(folder, "cpu.max", text);
    }
    tsr_free(text);
}

static void memory_v2(const char *root, const char *folder, struct tsr__limits *limits)
{
    char *text = group_file(root, folder, "memory.max");
    const char *at = text;
    uint64_t bytes;
    if (text && !is_word(text, "max")) {
        if (number(&at, &bytes))
            lower_memory(limits, bytes);
        else
            odd(folder, "memory.max", text);
    }
    tsr_free(text);
}

static void cpu_v1(const char *root, const char *folder, struct tsr__limits *limits)
{
    char *quota_text = group_file(root, folder, "cpu.cfs_quota_us"), *period_text = group_file(root, folder, "cpu.cfs_period_us");
    const char *quota_at = quota_text, *period_at = period_text;
    uint64_t quota, period;
    if (quota_text && !is_word(quota_text, "-1")) {
        if (period_text && number(&quota_at, &quota) && number(&period_at, &period))
            lower_cpus(limits, quota, period);
        else
            odd(folder, "cpu.cfs_quota_us", quota_text);
    }
    tsr_free(quota_text);
    tsr_free(period_text);
}

static void memory_v1(const char *root, const char *folder, struct tsr__limits *limits)
{
    char *text = group_file(root, folder, "memory.limit_in_bytes"); /* no limit: a number near 2^63, which lowers nothing */
    const char *at = text;
    uint64_t bytes;
    if (text) {
        if (number(&at, &bytes))
            lower_memory(limits, bytes);
        else
            odd(folder, "memory.limit_in_bytes", text);
    }
    tsr_free(text);
}

static const struct controller {
    const char *name; /* of version 1 */
    void (*v1)(const char *root, const char *folder, struct tsr__limits *limits);
    void (*v2)(const char *root, const char *folder, struct tsr__limits *limits);
} controllers[] = {{"cpu", cpu_v1, cpu_v2}, {"memory", memory_v1, memory_v2}};

/* True if the list "a,b,c" that ends at `end` characters has the word. */
static bool in_list(const char *list, const char *end, const char *word)
{
    size_t n = strlen(word);
    for (const char *at = list; at < end;) {
        const char *comma = memchr(at, ',', (size_t)(end - at));
        size_t length = (size_t)((comma ? comma : end) - at);
        if (length == n && !memcmp(at, word, n))
            return true;
        at += length + 1;
    }
    return false;
}

/* This process's group in the hierarchy of `controller` (NULL: version 2), as /proc/self/cgroup tells: "id:controllers:path". */
static char *own_group(const char *groups, const char *controller)
{
    for (const char *line = groups; line && *line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
        const char *list = strchr(line, ':'), *path = list ? strchr(list + 1, ':') : NULL;
        size_t length = strcspn(line, "\n");
        if (!path || path >= line + length)
            continue;
        list++;
        if (controller ? in_list(list, path, controller) : (path == list && line[0] == '0'))
            return tsr_strndup(path + 1, (size_t)(line + length - path - 1));
    }
    return NULL;
}

/* mountinfo writes blanks and backslashes as \ooo. */
static void unescape(char *text)
{
    char *to = text;
    for (const char *from = text; *from;) {
        if (from[0] == '\\' && from[1] >= '0' && from[1] <= '3' && from[2] >= '0' && from[2] <= '7' && from[3] >= '0' && from[3] <= '7') {
            *to++ = (char)((from[1] - '0') << 6 | (from[2] - '0') << 3 | (from[3] - '0'));
            from += 4;
        } else {
            *to++ = *from++;
        }
    }
    *to = 0;
}

/* From the group's folder up to the mount point, as far as the folders are there. */
static void walk_up(const char *root, const char *mount, const char *mount_root, const char *group,
                    void (*look)(const char *, const char *, struct tsr__limits *), struct tsr__limits *limits)
{
    size_t skip = strcmp(mount_root, "/") ? strlen(mount_root) : 0;
    if (strncmp(group, mount_root, skip) || (group[skip] && group[skip] != '/') || strstr(group, "/.."))
        group = ""; /* outside of what is mounted here: only the mount's own limits are visible */
    else
        group += skip;
    char *folder = tsr_format("%s%s", strcmp(mount, "/") ? mount : "", group);
    if (!folder)
        return;
    size_t shortest = strlen(mount);
    for (;;) {
        size_t length = strlen(folder);
        while (length > shortest && folder[length - 1] == '/')
            folder[--length] = 0;
        look(root, folder, limits);
        char *slash = strrchr(folder, '/');
        if (!slash || (size_t)(slash - folder) < shortest)
            break;
        *slash = 0;
    }
    tsr_free(folder);
}

/* A line of mountinfo: "id parent major:minor root mountpoint options fields… - type source super-options". */
static void look_at_mount(const char *root, char *line, const char *groups, struct tsr__limits *limits)
{
    char *dash = strstr(line, " - "), *save = NULL;
    if (!dash)
        return;
    *dash = 0;
    char *words[5];
    unsigned count = 0;
    for (char *word = strtok_r(line, " ", &save); word && count < 5; word = strtok_r(NULL, " ", &save))
        words[count++] = word;
    char *type = strtok_r(dash + 3, " ", &save), *source = type ? strtok_r(NULL, " ", &save) : NULL;
    char *options = source ? strtok_r(NULL, " ", &save) : NULL;
    if (count < 5 || !options)
        return;
    unescape(words[3]);
    unescape(words[4]);
    bool second = !strcmp(type, "cgroup2");
    if (!second && strcmp(type, "cgroup"))
        return;
    for (unsigned i = 0; i < TSR_ARRAY_LEN(controllers); i++) {
        const struct controller *c = &controllers[i];
        if (!second && !in_list(options, options + strlen(options), c->name))
            continue;
        char *group = own_group(groups, second ? NULL : c->name);
        if (group)
            walk_up(root, words[4], words[3], group, second ? c->v2 : c->v1, limits);
        tsr_free(group);
    }
}

void tsr__limits_read(const char *root, struct tsr__limits *limits)
{
    *limits = (struct tsr__limits){0};
    char *meminfo = read_text(root, "/proc/meminfo");
    const char *total = meminfo ? strstr(meminfo, "MemTotal:") : NULL;
    uint64_t kilobytes;
    if (total && (total += strlen("MemTotal:"), number(&total, &kilobytes)))
        lower_memory(limits, kilobytes * 1024);
    tsr_free(meminfo);
    char *groups = read_text(root, "/proc/self/cgroup"), *mounts = read_text(root, "/proc/self/mountinfo"), *save = NULL;
    if (groups && mounts)
        for (char *line = strtok_r(mounts, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
            look_at_mount(root, line, groups, limits);
    tsr_free(groups);
    tsr_free(mounts);
}
