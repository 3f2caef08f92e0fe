/* SPDX-License-Identifier: Apache-2.0
 * Links the engine's object into the shared object that the host loads. All in memory: nothing touches the disk. */
#include "clc/service/service.h"

#include "clc/service/lld_shim.h"

#include <elf.h>
#include <pthread.h>
#include <string.h>

/* lld has state of its own. */
static pthread_mutex_t lld_lock = PTHREAD_MUTEX_INITIALIZER;

static _Thread_local bool linking; /* this thread holds the lock */

/* Whether [offset, offset + size) lies in the file. */
static bool inside(const struct tsr_buf *elf, uint64_t offset, uint64_t size)
{
    return offset <= elf->size && size <= elf->size - offset;
}

static const void *section(const struct tsr_buf *elf, uint32_t type, uint64_t *count, const char **names, uint64_t *names_size)
{
    const Elf64_Ehdr *head = (const Elf64_Ehdr *)elf->data;
    if (!inside(elf, 0, sizeof *head) || !inside(elf, head->e_shoff, (uint64_t)head->e_shnum * sizeof(Elf64_Shdr)))
        return NULL;
    const Elf64_Shdr *sections = (const Elf64_Shdr *)(elf->data + head->e_shoff);
    for (unsigned i = 0; i < head->e_shnum; i++) {
        const Elf64_Shdr *s = &sections[i];
        if (s->sh_type != type || s->sh_link >= head->e_shnum || !inside(elf, s->sh_offset, s->sh_size))
            continue;
        const Elf64_Shdr *strings = &sections[s->sh_link];
        if (!inside(elf, strings->sh_offset, strings->sh_size))
            return NULL;
        *count = s->sh_entsize ? s->sh_size / s->sh_entsize : 0;
        *names = (const char *)elf->data + strings->sh_offset;
        *names_size = strings->sh_size;
        return elf->data + s->sh_offset;
    }
    return NULL;
}

/* The host resolves symbols from libc alone: without this check another symbol would be missed only at dlopen, on the user's machine. */
static bool check_needs(const struct tsr_buf *elf, struct tsr_buf *log)
{
    static const char *const allowed[] = {"", "memcpy", "memmove", "memset", "memcmp"};
    uint64_t count = 0, names_size = 0;
    const char *names = NULL;
    const Elf64_Sym *symbols = section(elf, SHT_DYNSYM, &count, &names, &names_size);
    bool good = symbols;
    if (!good)
        tsr_buf_printf(log, "error: the linker's output is no shared object\n");
    for (uint64_t i = 0; symbols && i < count; i++) {
        if (symbols[i].st_shndx != SHN_UNDEF || symbols[i].st_name >= names_size)
            continue;
        const char *name = names + symbols[i].st_name;
        bool found = false;
        for (size_t k = 0; k < TSR_ARRAY_LEN(allowed); k++)
            found |= !strcmp(name, allowed[k]);
        if (!found)
            tsr_buf_printf(log, "error: the generated code needs '%s', which the driver does not have; please report this program\n", name);
        good &= found;
    }
    return good;
}

static void end_linking(void)
{
    linking = false;
    pthread_mutex_unlock(&lld_lock);
}

void tsr__emit_abandon(void)
{
    tsr_lld_abandon();
    if (linking)
        end_linking();
}

bool tsr__emit_shared(const struct tsr_buf *object, const struct tsr__parts *parts, struct tsr_buf *code, struct tsr_buf *log)
{
    const struct tsr_lld_input inputs[] = {
        {"object", object->data, object->size},
        {"helpers", parts->helpers, parts->helpers_size},
    };
    static const char *const words[] = {
        "ld.lld",
        "-shared",
        "--gc-sections",
        "--threads=1", /* starting threads would take longer than the link */
        "--build-id=none",
        "--hash-style=gnu",
        "-z",
        "noexecstack",
        "-z",
        "norelro",
        "-o",
        "code",
        "object",
        "helpers",
    };
    pthread_mutex_lock(&lld_lock);
    linking = true;
    bool good = tsr_lld_link(words, TSR_ARRAY_LEN(words), inputs, TSR_ARRAY_LEN(inputs), code, log);
    end_linking();
    return good && !code->failed && check_needs(code, log);
}
