/* SPDX-License-Identifier: Apache-2.0
 * Sub-group sizes of kernels with matrices. A matrix lies over the work-items of one sub-group, so a matrix type is another one for each
 * size. What has to do with matrices, globals and functions, is made once for each size that kernels require; everything else is made once.
 */
#include "clc/spirv/matrix.h"

enum { USUAL = 16 };

static bool is_matrix_type(uint32_t opcode)
{
    return opcode == TSR__OpTypeCooperativeMatrixKHR || opcode == TSR__OpTypeJointMatrixINTEL || opcode == TSR__OpTypeJointMatrixDraftINTEL;
}

/* ---- what has to do with matrices ---- */

/* Functions that name a function, which has a list of them. */
struct caller {
    uint32_t function;
    struct caller *next;
};

struct search {
    struct tsr__reader *r;
    struct caller **callers; /* by id */
    uint32_t *found, count;  /* functions that have to do with matrices, whose callers are to be looked at */
};

static void mark(struct search *s, uint32_t id, bool is_function)
{
    if (!id || s->r->of_matrices[id])
        return;
    s->r->of_matrices[id] = true;
    if (is_function)
        s->found[s->count++] = id;
}

static void visit_id(struct search *s, const struct tsr__inst *in, uint32_t function, uint32_t id)
{
    if (s->r->of_matrices[id])
        mark(s, function ? function : in->result, function != 0);
    const struct tsr__inst *named = s->r->ids[id].inst;
    if (!function || !named || named->op->number != TSR__OpFunction)
        return;
    struct caller *caller = tsr_arena_alloc(&s->r->arena, sizeof *caller);
    *caller = (struct caller){function, s->callers[id]};
    s->callers[id] = caller;
}

/* The ids among the operands. function: the one that the instruction stands in, 0: none. */
static void visit(struct search *s, const struct tsr__inst *in, uint32_t function)
{
    uint32_t operand = 0;
    if (is_matrix_type(in->op->number))
        mark(s, in->result, false);
    if (in->type)
        visit_id(s, in, function, in->type);
    for (const char *p = in->op->operands; *p && operand < in->count; p++) {
        if (*p == 'T' || *p == 'R')
            continue;
        if (*p != 'I' && *p != 'L' && *p != 'V') /* these are a word each; what follows others names neither types nor functions */
            return;
        do {
            uint32_t id = in->operand[operand++];
            if (*p == 'I' && id < s->r->bound)
                visit_id(s, in, function, id);
        } while (p[1] == '*' && operand < in->count);
        p += p[1] == '*' || p[1] == '?';
    }
}

static void find_dependents(struct tsr__reader *r)
{
    struct search s = {.r = r};
    s.callers = tsr_arena_alloc(&r->arena, r->bound * sizeof *s.callers);
    s.found = tsr_arena_alloc(&r->arena, r->bound * sizeof *s.found);
    r->of_matrices = tsr_arena_alloc(&r->arena, r->bound * sizeof *r->of_matrices);
    for (uint32_t i = 0, function = 0; i < r->inst_count; i++) {
        if (r->insts[i].op->number == TSR__OpFunction)
            function = r->insts[i].result;
        visit(&s, &r->insts[i], function);
    }
    while (s.count)
        for (const struct caller *c = s.callers[s.found[--s.count]]; c; c = c->next)
            mark(&s, c->function, true);
}

/* ---- sizes ---- */

/* What the function of an entry point requires, 0: nothing. */
static uint32_t required(const struct tsr__reader *r, uint32_t function)
{
    const struct tsr__mode *mode = tsr__spirv_mode(r, function, TSR__ModeSubgroupSize);
    return mode && mode->count ? mode->operand[0] : 0;
}

static bool has_size(const struct tsr__reader *r, uint32_t size)
{
    for (uint32_t i = 0; i < r->size_count; i++)
        if (r->sizes[i] == size)
            return true;
    return false;
}

void tsr__matrix_find_sizes(struct tsr__reader *r, const struct tsr__inst *in)
{
    find_dependents(r);
    for (const struct tsr__entry_point *e = r->entry_points; e; e = e->next) {
        uint32_t size = e->function < r->bound && r->of_matrices[e->function] ? required(r, e->function) : 0;
        if (!size || has_size(r, size))
            continue;
        if (size != 8 && size != 16 && size != 32)
            tsr__spirv_fail(r, in, "matrices need a sub-group size of 8, 16 or 32, not %u", size);
        r->sizes[r->size_count++] = size;
    }
    if (!r->size_count)
        r->sizes[r->size_count++] = USUAL;
    r->matrix_lanes = r->sizes[0];
}

/* The size that the entry point's matrices have, where the module has several: what it requires; or the usual size, if any kernel requires
 * that, else the first that one requires. */
static uint32_t size_of(const struct tsr__reader *r, uint32_t function)
{
    uint32_t size = required(r, function);
    return size ? size : has_size(r, USUAL) ? USUAL : r->sizes[0];
}

bool tsr__matrix_belongs(const struct tsr__reader *r, uint32_t function)
{
    if (r->size_count < 2 || !r->of_matrices[function])
        return !tsr__matrix_again(r);
    for (const struct tsr__entry_point *e = r->entry_points; e; e = e->next)
        if (e->function == function)
            return size_of(r, function) == r->matrix_lanes;
    return true;
}
