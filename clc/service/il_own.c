/* SPDX-License-Identifier: Apache-2.0
 * Functions of OpenCL C that a program for a GPU gets from our library: clc/service/il_own.def says which, and why. They become parts of
 * their callers, so that nobody takes them for the driver's functions of these names; bodies, which have names of their own and are long,
 * stay functions. */
#include "clc/service/service.h"

#include <string.h>

static const struct own {
    const char *name, *arguments, *reason;
} owns[] = {
#define TSR_IL_OWN(name, arguments, reason) {name, arguments, reason},
#include "clc/service/il_own.def"
#undef TSR_IL_OWN
};

static const struct own *find_own(const char *mangled)
{
    size_t length;
    const char *name = tsr__mangled_name(mangled, &length);
    for (size_t i = 0; name && i < TSR_ARRAY_LEN(owns); i++) {
        size_t whole = strlen(owns[i].name);
        /* With arguments the name must be the whole one. */
        if (length >= whole && !strncmp(name, owns[i].name, whole) && (!*owns[i].arguments || length == whole) &&
            !strncmp(name + length, owns[i].arguments, strlen(owns[i].arguments)))
            return &owns[i];
    }
    return NULL;
}

/* A body for what the device's units lack. */
static bool is_body(const char *mangled)
{
    size_t length;
    const char *name = tsr__mangled_name(mangled, &length);
    return name && !strncmp(name, TSR__IL_BODY, sizeof TSR__IL_BODY - 1);
}

/* What is not mangled is a helper of such a body, but for the casts to address spaces, which LLVM's writer makes instructions of. */
static bool is_wanted(const char *name)
{
    if (strncmp(name, "_Z", 2) != 0)
        return strncmp(name, "__to_", 5) != 0;
    return is_body(name) || find_own(name);
}

/* Whether the module calls one; tells of each. */
static bool is_called(LLVMModuleRef module, const struct tsr__il_report *report)
{
    bool found = false;
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        size_t length;
        if (!LLVMIsDeclaration(f) || !LLVMGetFirstUse(f))
            continue;
        const char *mangled = LLVMGetValueName2(f, &length);
        const struct own *own = find_own(mangled);
        if (own)
            tsr__il_note(report, f, own->reason);
        found |= own || is_body(mangled);
    }
    return found;
}

/* Gives the primitives that bodies call the names of those for drivers. Whether there were any. */
static bool rename_primitives(LLVMModuleRef module)
{
    static const char prefix[] = "__tsr_";
    bool found = false;
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        size_t length;
        const char *name = LLVMGetValueName2(f, &length);
        if (!LLVMIsDeclaration(f) || !LLVMGetFirstUse(f) || strncmp(name, prefix, sizeof prefix - 1) != 0)
            continue;
        char *other = tsr_format(TSR__IL_BODY "%s", name + sizeof prefix - 1);
        if (!other)
            tsr__out_of_memory();
        LLVMSetValueName2(f, other, strlen(other));
        tsr_free(other);
        found = true;
    }
    return found;
}

bool tsr__il_add_own(LLVMModuleRef module, const struct tsr__parts *parts, const struct tsr__il_report *report, struct tsr_buf *log)
{
    if (!is_called(module, report))
        return true;
    /* What the program defines itself stays as it is. */
    struct tsr_arena arena = {0};
    unsigned count = 0, defined = 0;
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        count += !LLVMIsDeclaration(f);
    LLVMValueRef *before = tsr_arena_alloc(&arena, (count + 1) * sizeof *before);
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        if (!LLVMIsDeclaration(f))
            before[defined++] = f;
    bool good;
    do
        good = tsr__shelf_link(module, parts->builtins, is_wanted);
    while (good && rename_primitives(module));
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f && good; f = LLVMGetNextFunction(f)) {
        bool own = !LLVMIsDeclaration(f);
        for (unsigned i = 0; i < defined && own; i++)
            own = before[i] != f;
        if (!own)
            continue;
        size_t length;
        LLVMSetLinkage(f, LLVMInternalLinkage);
        if (!is_body(LLVMGetValueName2(f, &length)))
            tsr__il_mark_inline(f);
    }
    tsr_arena_free(&arena);
    return good && tsr__il_inline(module, log);
}
