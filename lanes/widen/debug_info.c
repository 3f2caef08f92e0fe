/* SPDX-License-Identifier: Apache-2.0
 * Debug information of packet functions: each gets a subprogram of its own, to which the kernel's source locations are mapped. */
#include "lanes/widen/widener.h"

#include <string.h>

#include <llvm-c/DebugInfo.h>

/* A subprogram belongs to a unit, and LLVM-C makes subprograms in units of its own only: one for all packet functions of the module. */
static void open_unit(struct tsr__compilation *l, LLVMMetadataRef file)
{
    static const char producer[] = "Tessera";
    l->lines = LLVMCreateDIBuilder(l->module);
    LLVMDIBuilderCreateCompileUnit(l->lines, LLVMDWARFSourceLanguageOpenCL, file, producer, sizeof producer - 1, true, "", 0, 0, "", 0,
                                   LLVMDWARFEmissionFull, 0, true, false, "", 0, "", 0);
}

void tsr__debug_info_begin(struct tsr__compilation *l, LLVMValueRef kernel, LLVMValueRef packet)
{
    LLVMMetadataRef old = LLVMGetSubprogram(kernel);
    if (!old)
        return;
    LLVMMetadataRef file = LLVMDIScopeGetFile(old);
    if (!l->lines)
        open_unit(l, file);
    const char *name = tsr__name(packet);
    unsigned line = LLVMDISubprogramGetLine(old);
    LLVMMetadataRef type = LLVMDIBuilderCreateSubroutineType(l->lines, file, NULL, 0, LLVMDIFlagZero);
    LLVMSetSubprogram(packet, LLVMDIBuilderCreateFunction(l->lines, file, name, strlen(name), "", 0, file, line, type, true, true, line,
                                                          LLVMDIFlagZero, true));
}

void tsr__debug_info_end(struct tsr__compilation *l)
{
    if (!l->lines)
        return;
    LLVMDIBuilderFinalize(l->lines);
    LLVMDisposeDIBuilder(l->lines);
    l->lines = NULL;
}

/* The same place; what stands in the kernel itself stands in the packet function now. */
static LLVMMetadataRef carried_over(struct tsr__widener *s, LLVMMetadataRef location)
{
    LLVMMetadataRef made = (LLVMMetadataRef)tsr__map_get(&s->locations, location);
    if (made)
        return made;
    LLVMMetadataRef scope = LLVMDILocationGetScope(location), caller = LLVMDILocationGetInlinedAt(location);
    if (caller) {
        caller = carried_over(s, caller);
    } else {
        LLVMMetadataRef file = LLVMDIScopeGetFile(scope), packet = LLVMGetSubprogram(s->to);
        scope = file == LLVMDIScopeGetFile(packet) ? packet : LLVMDIBuilderCreateLexicalBlockFile(s->l->lines, packet, file, 0);
    }
    made =
        LLVMDIBuilderCreateDebugLocation(s->l->context, LLVMDILocationGetLine(location), LLVMDILocationGetColumn(location), scope, caller);
    tsr__map_set(&s->locations, location, (uintptr_t)made);
    return made;
}

void tsr__debug_info_move(struct tsr__compilation *l, LLVMValueRef packet)
{
    struct tsr_arena arena = {0};
    struct tsr__widener s = {.l = l, .arena = &arena, .to = packet, .locations = {.arena = &arena}};
    size_t count;
    LLVMValueRef *code = tsr__instructions(l, packet, &count);
    for (size_t i = 0; LLVMGetSubprogram(packet) && i < count; i++) {
        LLVMMetadataRef location = LLVMInstructionGetDebugLoc(code[i]);
        if (location)
            LLVMInstructionSetDebugLoc(code[i], carried_over(&s, location));
    }
    tsr_arena_free(&arena);
}

void tsr__debug_info_at(struct tsr__widener *s, LLVMValueRef inst)
{
    LLVMMetadataRef packet = LLVMGetSubprogram(s->to), location = packet ? LLVMInstructionGetDebugLoc(inst) : NULL;
    if (location)
        location = carried_over(s, location);
    else if (packet) /* copies of the instruction must not keep a scope that is not the function's */
        location = LLVMDIBuilderCreateDebugLocation(s->l->context, 0, 0, packet, NULL);
    LLVMSetCurrentDebugLocation2(s->b, location);
}
