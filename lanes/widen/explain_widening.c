/* SPDX-License-Identifier: Apache-2.0
 * Notes for TESSERA_EXPLAIN on how accesses, loops and branches of a kernel run in a packet. */
#include "lanes/ir/explain.h"
#include "lanes/widen/memory/access.h"
#include "lanes/widen/serial_loop.h"

static const char *space_text(LLVMValueRef pointer)
{
    static const char *const names[] = {"private", "global", "constant", "local", "generic"};
    LLVMTypeRef type = LLVMTypeOf(pointer);
    unsigned space = LLVMGetTypeKind(type) == LLVMPointerTypeKind ? LLVMGetPointerAddressSpace(type) : TSR_ARRAY_LEN(names);
    return space < TSR_ARRAY_LEN(names) ? names[space] : "other";
}

void tsr__explain_access(struct tsr__widener *s, const struct tsr__access *a, bool speculated)
{
    static const char *const names[] = {
        [TSR__ACCESS_UNIFORM] = "uniform",         [TSR__ACCESS_CONSECUTIVE] = "consecutive", [TSR__ACCESS_REVERSED] = "reversed",
        [TSR__ACCESS_INTERLEAVED] = "interleaved", [TSR__ACCESS_GATHERED] = "scattered",
    };
    if (!s->l->explain)
        return;
    bool load = LLVMIsALoadInst(a->inst) != NULL;
    struct tsr__shape shape = tsr__shape_here(s, a->pointer);
    const char *verdict = names[a->class], *more = s->mask ? ", masked" : "";
    if (shape.halves && !(shape.distance_known && shape.apart == shape.stride * (int64_t)s->sub_group) && a->class != TSR__ACCESS_GATHERED)
        more = ", by each sub-group of the pair";
    if (speculated) {
        verdict = "consecutive?";
        more = load ? ": tested at run time; a gather where it is not" : ": tested at run time; a scatter where it is not";
    } else if (a->class == TSR__ACCESS_GATHERED) {
        verdict = load ? "gather" : "scatter";
        if (shape.kind == TSR__SHAPE_AFFINE)
            more = tsr_arena_format(&s->l->scratch, "%s, %ld bytes from lane to lane", more, (long)shape.stride);
        if (tsr__moves_registers(a))
            more = tsr_arena_format(&s->l->scratch, "%s; %s of 16 bytes of each lane", more, load ? "loads" : "stores");
        else if (!tsr__has_gather(s, a))
            more = tsr_arena_format(&s->l->scratch, "%s; without a %s instruction", more, verdict);
    } else if (a->joined > 1) {
        more = tsr_arena_format(&s->l->scratch, "%s, %d of every %u elements by %u joined accesses", more, __builtin_popcount(a->members),
                                a->step, a->joined);
    } else if (a->class == TSR__ACCESS_INTERLEAVED && a->step > a->component_count) {
        more = tsr_arena_format(&s->l->scratch, "%s, %u of every %u elements", more, a->component_count, a->step);
    } else if (a->class == TSR__ACCESS_UNIFORM && !load) {
        more = ", the last lane's value";
    }
    tsr__explain(s->l, a->inst, load ? "load" : "store", verdict, "%s %s%s", space_text(a->pointer), tsr__type_text(s->l, a->type), more);
}

/* A branch, or, if it has no line, the first instruction of the blocks [begin, end) that has. */
static LLVMValueRef with_line(const struct tsr__cfg *cfg, int branch, int begin, int end)
{
    LLVMValueRef terminator = cfg->blocks[branch].terminator;
    if (LLVMGetDebugLocLine(terminator))
        return terminator;
    for (int b = begin; b < end; b++)
        for (LLVMValueRef i = LLVMGetFirstInstruction(cfg->blocks[b].ref); i; i = LLVMGetNextInstruction(i))
            if (LLVMGetDebugLocLine(i))
                return i;
    return terminator;
}

void tsr__explain_control_flow(struct tsr__widener *s)
{
    const struct tsr__cfg *cfg = &s->cfg;
    if (!s->l->explain)
        return;
    for (int i = 0; i < cfg->loop_count; i++) {
        const struct tsr__loop *loop = &cfg->loops[i];
        bool divergent = s->shapes.divergent_loop[i];
        int branch = loop->latch == TSR__NONE ? loop->header : loop->latch;
        LLVMValueRef at = with_line(cfg, branch, loop->begin, loop->end);
        if (!divergent)
            tsr__explain(s->l, at, "loop", "uniform", "%s", "");
        else if (s->serial[i].lanes == s->width)
            tsr__explain(s->l, at, "loop", "lane by lane",
                         "gathers in a round: %u; about %u cycles for all lanes together, %u for one by itself", s->serial[i].gathers,
                         s->serial[i].packet, s->serial[i].lane);
        else if (s->serial[i].lanes)
            tsr__explain(s->l, at, "loop", "divergent", "goes round; once %u or fewer lanes are left, they go on one by one",
                         s->serial[i].lanes);
        else
            tsr__explain(s->l, at, "loop", "divergent", "goes round until the last lane leaves");
    }
    for (int i = 0; i < cfg->block_count; i++) {
        const struct tsr__block *b = &cfg->blocks[i];
        bool goes_back = false;
        for (int k = 0; k < b->succ_count; k++)
            goes_back = goes_back || tsr__back_edge(i, b->succ[k]);
        /* A branch without a line of its own gets that of the code that it guards, which comes next. */
        if (s->shapes.divergent_branch[i] && !goes_back && tsr__serial_loop_around(s, i) == TSR__NONE)
            tsr__explain(s->l, with_line(cfg, i, i, cfg->block_count), "branch", "divergent", "both ways run, under masks");
    }
}
