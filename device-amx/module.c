/* SPDX-License-Identifier: Apache-2.0
 * Loads a program: the ELF shared object that the compiler made is written to a memory file of its own and opened with dlopen. So perf and
 * valgrind see an ordinary library, and each load has program-scope variables of its own. gdb does with TESSERA_KEEP_CODE, which gives the
 * file a name. Where no such file can be had, elf.c loads the object. */
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "device-amx/cpu.h"

/* dlopen maps what the headers say, even beyond the end of the file. */
static bool is_whole(const void *code, size_t size)
{
    Elf64_Ehdr header;
    if (size < sizeof header)
        return false;
    memcpy(&header, code, sizeof header);
    if (memcmp(header.e_ident, ELFMAG, SELFMAG) || header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_machine != EM_X86_64 ||
        header.e_type != ET_DYN || header.e_phentsize != sizeof(Elf64_Phdr) || header.e_phoff > size ||
        header.e_phnum > (size - header.e_phoff) / sizeof(Elf64_Phdr))
        return false;
    for (unsigned i = 0; i < header.e_phnum; i++) {
        Elf64_Phdr part;
        memcpy(&part, (const char *)code + header.e_phoff + i * sizeof part, sizeof part);
        if (part.p_offset > size || part.p_filesz > size - part.p_offset)
            return false;
    }
    return true;
}

/* A path of the descriptor that no earlier load has used: dlopen takes a library whose path it knows as loaded, and descriptor numbers are
 * used again. The number of the load is written in binary with "/." and "/", which mean nothing in a path; above it stands an address of
 * this copy of the code, as a process may have another one, which counts its own loads. The path names the thread: a debugger that opens
 * the paths of a process's libraries must not come to a descriptor of its own, which may be a pipe. */
static char *path_of(int fd, unsigned number)
{
    static const char own;
    enum { NUMBER_BITS = 28, PAGE_BITS = 12 };
    char bits[2 * 64 + 1] = "", *at = bits;
    for (uint64_t left = (uint64_t)(uintptr_t)&own >> PAGE_BITS << NUMBER_BITS | number % (1u << NUMBER_BITS); left; left >>= 1)
        at = stpcpy(at, left & 1 ? "/." : "/");
    return tsr_format("/proc/self/task/%d/fd%s/%d", (int)gettid(), bits, fd);
}

/* Writes the code into the folder that TESSERA_KEEP_CODE names; its path, malloc'd. Replaces nothing: in containers, processes get the same
 * numbers again and again. */
static char *keep_code(const char *folder, const char *name, unsigned number, const struct tsr_program_info *info, char **why)
{
    char file[65];
    snprintf(file, sizeof file, "%s", name);
    for (char *slash; (slash = strchr(file, '/'));) /* a name from a damaged binary must not lead to another folder */
        *slash = '_';
    for (unsigned copy = 0;; copy++) {
        char again[16] = "";
        if (copy)
            snprintf(again, sizeof again, ".%u", copy);
        char *path = tsr_format("%s/%s-%ld-%u%s.so", folder, file, (long)getpid(), number, again);
        enum tsr_status status = path ? tsr_file_write_new(AT_FDCWD, path, info->code, info->code_size) : TSR_NO_MEMORY;
        if (status == TSR_OK)
            return path;
        tsr_free(path);
        if (status != TSR_EXISTS) {
            *why = tsr_format("cannot write the code to TESSERA_KEEP_CODE=%s: %s", folder, tsr_status_text(status));
            return NULL;
        }
    }
}

static void *open_path(const char *path, char **why)
{
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
        const char *error = dlerror();
        *why = tsr_format("cannot load the code: %s", error ? error : "unknown error");
    }
    return handle;
}

/* Keeps the code in the folder TESSERA_KEEP_CODE and opens it there. */
static void *open_kept(const struct tsr_program_info *info, const char *folder, const char *name, unsigned number, char **why)
{
    char *path = keep_code(folder, name, number, info, why);
    void *handle = path ? open_path(path, why) : NULL;
    tsr_free(path);
    return handle;
}

/* Opens the code under a path that names a file which no other load has. */
static void *open_memory_file(const struct tsr_program_info *info, const char *name, unsigned number, char **why)
{
    char label[80];
    snprintf(label, sizeof label, "tessera:%.64s", name);
    int fd = tsr_memfd(label, info->code, info->code_size);
    if (fd < 0) {
        *why = tsr_format("cannot make a memory file for the code: %s", strerror(errno));
        return NULL;
    }
    char *path = path_of(fd, number + 1);
    void *handle = path ? open_path(path, why) : NULL;
    close(fd);
    tsr_free(path);
    return handle;
}

/* Opens the code with dlopen if a file can be had, else with the loader of elf.c. False: neither works; *why says why if there is memory
 * for the text. */
static bool open_code(struct tsr_module *m, const struct tsr_program_info *info, char **why)
{
    static _Atomic unsigned loads;
    const char *keep = tsr_env(TSR_ENV_KEEP_CODE), *name = info->kernel_count ? info->kernels[0].name : "program";
    unsigned number = atomic_fetch_add(&loads, 1);
    tsr_no_fork_begin();
    m->handle = keep ? open_kept(info, keep, name, number, why) : open_memory_file(info, name, number, why);
    tsr_no_fork_end();
    if (m->handle || keep)
        return m->handle;
    const char *refusal = tsr__elf_load(&m->elf, info->code);
    if (!refusal)
        tsr_log(TSR_LOG_COMPILE, "the code of %s is loaded without a file: %s", name, *why ? *why : "out of memory");
    else
        tsr_log(TSR_LOG_COMPILE, "nor without a file: %s", refusal);
    if (!refusal) {
        tsr_free(*why);
        *why = NULL;
    }
    return !refusal;
}

static void *symbol_of(const struct tsr_module *m, const char *name)
{
    if (!m->handle)
        return tsr__elf_symbol(&m->elf, name);
    tsr_no_fork_begin();
    void *symbol = dlsym(m->handle, name);
    tsr_no_fork_end();
    return symbol;
}

static enum tsr__group_way wanted_group_way(void)
{
    static const char *const words[] = {"auto", "lanes", "sized", "regions"};
    return (enum tsr__group_way)tsr_env_choice(TSR_ENV_GROUPS, words, TSR_ARRAY_LEN(words));
}

enum tsr_status tsr__module_load(const struct tsr_program_info *info, struct tsr_module **module, char **why)
{
    *why = NULL;
    *module = NULL;
    if (info->kind != TSR_IMAGE_EXECUTABLE) {
        *why = tsr_strdup("the image holds no executable code");
        return TSR_INVALID;
    }
    if (!is_whole(info->code, info->code_size)) {
        *why = tsr_strdup("the code is damaged or not for x86-64");
        return TSR_DAMAGED;
    }
    if (tsr_uses_tiles(info) && !tsr_cpu_request_amx()) {
        *why = tsr_strdup("the code uses AMX's tile registers, which the operating system does not grant this process");
        return TSR_MISMATCH;
    }
    struct tsr_module *m = tsr_calloc(1, sizeof *m + info->kernel_count * sizeof m->entries[0]);
    if (!m)
        return TSR_NO_MEMORY;
    m->kernels = info->kernels;
    m->kernel_count = info->kernel_count;
    m->group_way = wanted_group_way();
    enum tsr_status status = open_code(m, info, why) ? TSR_OK : *why ? TSR_DAMAGED : TSR_NO_MEMORY;
    if (!status)
        m->sites = symbol_of(m, TSR_SITES_SYMBOL);
    for (uint32_t i = 0; i < info->kernel_count && !status; i++) {
        void *symbol = symbol_of(m, info->kernels[i].entry);
        m->entries[i].run = (void (*)(struct tsr_item *))(uintptr_t)symbol;
        m->entries[i].name = tsr_strdup(info->kernels[i].name);
        if (!m->entries[i].name) {
            status = TSR_NO_MEMORY;
        } else if (!symbol) {
            *why = tsr_format("the code has no symbol '%s'", info->kernels[i].entry);
            status = TSR_DAMAGED;
        }
    }
    if (status) {
        tsr__module_unload(m);
        return status;
    }
    *module = m;
    return TSR_OK;
}

void tsr__module_unload(struct tsr_module *module)
{
    for (uint32_t i = 0; i < module->kernel_count; i++)
        tsr_free(module->entries[i].name);
    tsr_no_fork_begin();
    if (module->handle)
        dlclose(module->handle);
    tsr_no_fork_end();
    tsr__elf_unload(&module->elf);
    tsr_free(module);
}

struct tsr__entry *tsr__module_entry(struct tsr_module *module, const struct tsr_kernel_info *kernel)
{
    uintptr_t first = (uintptr_t)module->kernels, at = (uintptr_t)kernel;
    if (at >= first && at < first + module->kernel_count * sizeof *kernel)
        return &module->entries[(at - first) / sizeof *kernel];
    for (uint32_t i = 0; i < module->kernel_count; i++) {
        if (!strcmp(module->entries[i].name, kernel->name))
            return &module->entries[i];
    }
    return NULL;
}
