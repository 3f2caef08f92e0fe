/* SPDX-License-Identifier: Apache-2.0
 * Loads a program without a file, for processes in which none can be had: a limit on file sizes, no free descriptor, memfd_create or open
 * forbidden, no /proc. dlopen needs one. The compiler's output needs little of a loader: segments, four kinds of relocations, and libc's
 * mem functions. Debuggers and profilers do not see such a program. */
#include <elf.h>
#include <string.h>
#include <sys/mman.h>

#include "device-amx/cpu.h"

enum { PAGE = TSR_PAGE };

/* What the dynamic section says, as offsets into the memory. */
struct tables {
    uint64_t symbols, strings, string_size, hash, rela, rela_size, plt, plt_size;
};

/* Address of `size` bytes at an offset of the loaded program, NULL if they are not all in it. */
static void *at(const struct tsr__elf *elf, uint64_t offset, uint64_t size)
{
    return offset <= elf->size && size <= elf->size - offset ? elf->base + offset : NULL;
}

static const char *name_of(const struct tsr__elf *elf, const Elf64_Sym *symbol)
{
    const char *name = symbol->st_name < elf->string_size ? at(elf, elf->strings + symbol->st_name, 1) : NULL;
    return name && memchr(name, 0, elf->string_size - symbol->st_name) ? name : NULL;
}

static Elf64_Phdr segment_of(const void *code, unsigned index)
{
    Elf64_Ehdr header;
    Elf64_Phdr segment;
    memcpy(&header, code, sizeof header);
    memcpy(&segment, (const char *)code + header.e_phoff + index * sizeof segment, sizeof segment);
    return segment;
}

/* Maps memory for all segments and fills it. */
static const char *map_segments(struct tsr__elf *elf, const void *code, unsigned count)
{
    const uint64_t most = (uint64_t)1 << 36;
    uint64_t end = 0;
    for (unsigned i = 0; i < count; i++) {
        Elf64_Phdr s = segment_of(code, i);
        if (s.p_type == PT_TLS)
            return "it has thread-local variables";
        if (s.p_type != PT_LOAD)
            continue;
        if (s.p_vaddr > most || s.p_memsz > most || s.p_filesz > s.p_memsz || s.p_align > PAGE)
            return "its segments make no sense";
        end = s.p_vaddr + s.p_memsz > end ? s.p_vaddr + s.p_memsz : end;
    }
    elf->size = (end + PAGE - 1) / PAGE * PAGE;
    void *base = elf->size ? mmap(NULL, elf->size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) : MAP_FAILED;
    if (base == MAP_FAILED)
        return elf->size ? "no memory" : "it is empty";
    elf->base = base;
    for (unsigned i = 0; i < count; i++) {
        Elf64_Phdr s = segment_of(code, i);
        if (s.p_type == PT_LOAD)
            memcpy(elf->base + s.p_vaddr, (const char *)code + s.p_offset, s.p_filesz);
    }
    return NULL;
}

static const char *read_tables(struct tsr__elf *elf, const void *code, unsigned count, struct tables *t)
{
    for (unsigned i = 0; i < count; i++) {
        Elf64_Phdr s = segment_of(code, i);
        const unsigned char *entries = s.p_type == PT_DYNAMIC ? at(elf, s.p_vaddr, s.p_memsz) : NULL;
        for (uint64_t k = 0; entries && (k + 1) * sizeof(Elf64_Dyn) <= s.p_memsz; k++) {
            Elf64_Dyn d;
            memcpy(&d, entries + k * sizeof d, sizeof d);
            switch (d.d_tag) {
#define ENTRY(tag, field)                                                                                                                  \
    case tag:                                                                                                                              \
        t->field = d.d_un.d_val;                                                                                                           \
        break
                ENTRY(DT_SYMTAB, symbols);
                ENTRY(DT_STRTAB, strings);
                ENTRY(DT_STRSZ, string_size);
                ENTRY(DT_GNU_HASH, hash);
                ENTRY(DT_RELA, rela);
                ENTRY(DT_RELASZ, rela_size);
                ENTRY(DT_JMPREL, plt);
                ENTRY(DT_PLTRELSZ, plt_size);
#undef ENTRY
            case DT_NEEDED:
            case DT_INIT:
            case DT_INIT_ARRAY:
            case DT_REL:
            case DT_RELR:
                return "it asks for more than this loader does";
            }
        }
    }
    elf->symbols = t->symbols;
    elf->strings = t->strings;
    elf->string_size = t->string_size;
    elf->hash = t->hash;
    return t->symbols && t->hash && at(elf, t->strings, t->string_size) ? NULL : "it has no table of symbols";
}

/* Address that a symbol stands for; false: a symbol that the driver does not have. */
static bool value_of(const struct tsr__elf *elf, uint32_t index, uint64_t *value)
{
    static const struct {
        const char *name;
        void *(*function)(void);
    } functions[] = {
#define FUNCTION(name) {#name, (void *(*)(void))(uintptr_t)name}
        FUNCTION(memcpy),
        FUNCTION(memmove),
        FUNCTION(memset),
        FUNCTION(memcmp),
#undef FUNCTION
    };
    Elf64_Sym symbol;
    const void *entry = at(elf, elf->symbols + index * sizeof symbol, sizeof symbol);
    if (!entry)
        return false;
    memcpy(&symbol, entry, sizeof symbol);
    if (symbol.st_shndx != SHN_UNDEF || !index) {
        *value = index ? (uintptr_t)elf->base + symbol.st_value : 0;
        return !index || at(elf, symbol.st_value, symbol.st_size);
    }
    const char *name = name_of(elf, &symbol);
    for (size_t i = 0; name && i < TSR_ARRAY_LEN(functions); i++) {
        if (!strcmp(name, functions[i].name)) {
            *value = (uintptr_t)functions[i].function;
            return true;
        }
    }
    *value = 0;
    return ELF64_ST_BIND(symbol.st_info) == STB_WEAK;
}

static const char *relocate(const struct tsr__elf *elf, uint64_t offset, uint64_t size)
{
    const unsigned char *entries = at(elf, offset, size);
    if (!entries)
        return "its relocations make no sense";
    for (uint64_t i = 0; i < size / sizeof(Elf64_Rela); i++) {
        Elf64_Rela r;
        uint64_t value = (uintptr_t)elf->base;
        memcpy(&r, entries + i * sizeof r, sizeof r);
        uint64_t type = ELF64_R_TYPE(r.r_info);
        void *place = at(elf, r.r_offset, sizeof value);
        if (!place || (type != R_X86_64_RELATIVE && type != R_X86_64_64 && type != R_X86_64_GLOB_DAT && type != R_X86_64_JUMP_SLOT))
            return "it has a relocation that this loader does not know";
        if (type != R_X86_64_RELATIVE && !value_of(elf, (uint32_t)ELF64_R_SYM(r.r_info), &value))
            return "it needs a function that the driver does not have";
        if (type == R_X86_64_RELATIVE || type == R_X86_64_64)
            value += (uint64_t)r.r_addend;
        memcpy(place, &value, sizeof value);
    }
    return NULL;
}

static const char *protect(const struct tsr__elf *elf, const void *code, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        Elf64_Phdr s = segment_of(code, i);
        uint64_t begin = s.p_vaddr / PAGE * PAGE, end = (s.p_vaddr + s.p_memsz + PAGE - 1) / PAGE * PAGE;
        int access = (s.p_flags & PF_R ? PROT_READ : 0) | (s.p_flags & PF_W ? PROT_WRITE : 0) | (s.p_flags & PF_X ? PROT_EXEC : 0);
        if (s.p_type == PT_LOAD && end > begin && mprotect(elf->base + begin, end - begin, access))
            return "the operating system does not let this process make code";
    }
    return NULL;
}

const char *tsr__elf_load(struct tsr__elf *elf, const void *code)
{
    Elf64_Ehdr header;
    struct tables t = {0};
    memcpy(&header, code, sizeof header);
    *elf = (struct tsr__elf){0};
    const char *why = map_segments(elf, code, header.e_phnum);
    if (!why)
        why = read_tables(elf, code, header.e_phnum, &t);
    if (!why && t.rela_size)
        why = relocate(elf, t.rela, t.rela_size);
    if (!why && t.plt_size)
        why = relocate(elf, t.plt, t.plt_size);
    if (!why)
        why = protect(elf, code, header.e_phnum);
    if (why)
        tsr__elf_unload(elf);
    return why;
}

/* Word `index` of the hash table. */
static bool hash_word(const struct tsr__elf *elf, uint64_t index, uint32_t *word)
{
    const void *place = at(elf, elf->hash + 4 * index, 4);
    if (place)
        memcpy(word, place, 4);
    return place;
}

void *tsr__elf_symbol(const struct tsr__elf *elf, const char *name)
{
    uint32_t hash = 5381, buckets, first, blooms, index, stored;
    for (const unsigned char *c = (const unsigned char *)name; *c; c++)
        hash = 33 * hash + *c;
    /* layout: number of buckets, first symbol, words of the Bloom filter (which is not used), its shift; the filter; the buckets; the
     * chains of hashes */
    if (!hash_word(elf, 0, &buckets) || !hash_word(elf, 1, &first) || !hash_word(elf, 2, &blooms) || !buckets)
        return NULL;
    uint64_t table = 4 + 2 * (uint64_t)blooms, chains = table + buckets;
    if (!hash_word(elf, table + hash % buckets, &index) || index < first)
        return NULL;
    for (; hash_word(elf, chains + index - first, &stored); index++) {
        Elf64_Sym symbol;
        const void *entry = at(elf, elf->symbols + index * sizeof symbol, sizeof symbol);
        if (!entry)
            return NULL;
        memcpy(&symbol, entry, sizeof symbol);
        const char *found = (stored | 1) == (hash | 1) && symbol.st_shndx != SHN_UNDEF ? name_of(elf, &symbol) : NULL;
        if (found && !strcmp(found, name))
            return at(elf, symbol.st_value, 1);
        if (stored & 1)
            return NULL;
    }
    return NULL;
}

void tsr__elf_unload(struct tsr__elf *elf)
{
    if (elf->base)
        munmap(elf->base, elf->size);
    *elf = (struct tsr__elf){0};
}
