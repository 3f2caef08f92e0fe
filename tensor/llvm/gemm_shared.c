/* SPDX-License-Identifier: Apache-2.0
 * Products of the same kind in a region: one code for all, where that saves more than it costs. The code is long if sizes are arguments,
 * and what LLVM takes for a function grows faster than its length. The region becomes a loop whose rounds run what stands before a product,
 * a stretch, and then the code of the product's kind for the operands that the stretch has chosen; the last round is what stands behind the
 * last product. */
#include "tensor/llvm/emit.h"

enum {
    OPERANDS = TSR__TE_GEMM_OPERANDS,
    LEAST_OPEN = 2,  /* products of a kind that share their code, if sizes are arguments */
    LEAST_KNOWN = 5, /* if all sizes are known: that is less code, and may be as short as the choice of the operands */
};

struct product {
    const struct tsr__t_inst *inst;
    LLVMValueRef *parts[OPERANDS]; /* of its operands, at the end of its stretch */
    LLVMBasicBlockRef end;         /* of the stretch */
    uint32_t kind;
};

/* Products that differ in their operands alone. */
struct kind {
    const struct tsr__t_inst *first;
    LLVMBasicBlockRef code; /* that they share; NULL: they share none */
    uint32_t count;
};

/* Whether a value of the region is used in another stretch than the one that makes it; it is kept in memory in between then. */
struct crossing {
    uint32_t made, loaded; /* in which stretch, counted from 1; 0: in none */
    bool crosses;
    LLVMValueRef *slots;
};

struct shared {
    struct tsr__te *e;
    const struct tsr__t_region *region;
    struct product *products;
    struct kind *kinds;
    struct crossing *values; /* by index */
    uint32_t product_count, kind_count, now;
    struct tsr__te_touched touched; /* in any round */
    LLVMBasicBlockRef head;         /* of the loop */
    LLVMValueRef round;
};

/* ---- kinds ---- */

static bool is_open(const struct tsr__t_type *type)
{
    bool open = false;
    for (uint32_t i = 0; i < type->order; i++)
        open |= type->shape[i] == TSR__T_DYNAMIC;
    return open;
}

/* Products of a kind that are to be one code. */
static uint32_t least_count(const struct tsr__t_inst *product)
{
    bool open = is_open(product->operands[1]->type) || is_open(product->operands[OPERANDS - 1]->type);
    return open ? LEAST_OPEN : LEAST_KNOWN;
}

/* Code for a factor that is a constant is for that constant. */
static bool are_alike(const struct tsr__t_value *a, const struct tsr__t_value *b)
{
    double x = 0, y = 0;
    return tsr__t_same_type(a->type, b->type) && tsr__t_constant_number(a, &x) == tsr__t_constant_number(b, &y) && x == y;
}

static bool is_same_kind(const struct tsr__t_inst *a, const struct tsr__t_inst *b)
{
    bool same = b->transpose[0] == a->transpose[0] && b->transpose[1] == a->transpose[1] && b->atomic == a->atomic;
    for (int i = 0; i < OPERANDS && same; i++)
        same = are_alike(a->operands[i], b->operands[i]);
    return same;
}

static uint32_t kind_of(struct shared *s, const struct tsr__t_inst *inst)
{
    uint32_t k = 0;
    while (k < s->kind_count && !is_same_kind(s->kinds[k].first, inst))
        k++;
    if (k == s->kind_count)
        s->kinds[s->kind_count++] = (struct kind){.first = inst};
    s->kinds[k].count++;
    return k;
}

/* The products that share their code. */
static void find_products(struct shared *s)
{
    uint32_t count = 0, kept = 0;
    for (const struct tsr__t_inst *i = s->region->first; i; i = i->next)
        count += i->op == TSR__T_GEMM;
    s->products = tsr_arena_alloc(s->e->arena, count * sizeof *s->products + 1);
    s->kinds = tsr_arena_alloc(s->e->arena, count * sizeof *s->kinds + 1);
    for (const struct tsr__t_inst *i = s->region->first; i; i = i->next)
        if (i->op == TSR__T_GEMM)
            s->products[s->product_count++] = (struct product){.inst = i, .kind = kind_of(s, i)};
    for (uint32_t i = 0; i < count; i++)
        if (s->kinds[s->products[i].kind].count >= least_count(s->products[i].inst))
            s->products[kept++] = s->products[i];
    s->product_count = kept;
}

/* ---- values of other stretches ---- */

static void note_use(const struct tsr__t_value *value, void *data)
{
    struct shared *s = data;
    struct crossing *c = &s->values[value->index];
    c->crosses |= c->made && c->made != s->now;
}

static void find_crossing(struct shared *s)
{
    const struct product *next = s->products, *end = next + s->product_count;
    s->now = 1;
    for (const struct tsr__t_inst *i = s->region->first; i; i = i->next) {
        tsr__t_each_use(i, note_use, s);
        for (uint32_t r = 0; r < i->result_count; r++)
            s->values[i->results[r]->index].made = s->now;
        if (next < end && next->inst == i) {
            s->now++;
            next++;
        }
    }
}

/* Constants and arguments are there in any stretch. */
static void keep(struct shared *s, const struct tsr__t_value *value)
{
    const struct tsr__te_value *own = &s->e->values[value->index];
    struct crossing *c = &s->values[value->index];
    if (!c->crosses)
        return;
    c->slots = tsr__te_room(s->e, own->count);
    for (uint32_t i = 0; i < own->count; i++) {
        if (!own->part[i] || !LLVMIsAInstruction(own->part[i]))
            continue;
        c->slots[i] = tsr__te_slot(s->e, LLVMTypeOf(own->part[i]));
        LLVMBuildStore(s->e->builder, own->part[i], c->slots[i]);
    }
}

static void fetch_value(const struct tsr__t_value *value, void *data)
{
    struct shared *s = data;
    struct crossing *c = &s->values[value->index];
    struct tsr__te_value *own = &s->e->values[value->index];
    if (!c->slots || c->loaded == s->now)
        return;
    LLVMValueRef *parts = tsr__te_room(s->e, own->count);
    for (uint32_t i = 0; i < own->count; i++)
        parts[i] = c->slots[i] ? LLVMBuildLoad2(s->e->builder, LLVMGetAllocatedType(c->slots[i]), c->slots[i], "") : own->part[i];
    tsr__te_set(s->e, value, parts, own->count);
    c->loaded = s->now;
}

/* ---- the loop ---- */

/* From an instruction to the one before `end`; values that cross are loaded first, and stored as they are made. */
static void emit_stretch(struct shared *s, const struct tsr__t_inst *from, const struct tsr__t_inst *end)
{
    s->now++;
    for (const struct tsr__t_inst *i = from; i; i = i->next) {
        tsr__t_each_use(i, fetch_value, s);
        if (i == end)
            break;
        s->e->inst(s->e, i);
        for (uint32_t r = 0; r < i->result_count; r++) {
            keep(s, i->results[r]);
            s->values[i->results[r]->index].loaded = s->now;
        }
    }
}

static void emit_products(struct shared *s)
{
    struct tsr__te *e = s->e;
    const struct tsr__t_inst *from = s->region->first;
    LLVMTypeRef i32 = LLVMInt32TypeInContext(e->context);
    LLVMValueRef choice = LLVMBuildSwitch(e->builder, s->round, tsr__te_block(e), s->product_count);
    for (uint32_t i = 0; i < s->product_count; i++) {
        struct product *p = &s->products[i];
        struct kind *k = &s->kinds[p->kind];
        LLVMBasicBlockRef begin = tsr__te_block(e);
        LLVMAddCase(choice, LLVMConstInt(i32, i, false), begin);
        LLVMPositionBuilderAtEnd(e->builder, begin);
        emit_stretch(s, from, p->inst);
        for (uint32_t o = 0; o < OPERANDS; o++)
            p->parts[o] = e->values[p->inst->operands[o]->index].part;
        p->end = LLVMGetInsertBlock(e->builder);
        k->code = k->code ? k->code : tsr__te_block(e);
        LLVMBuildBr(e->builder, k->code);
        e->touched = s->touched;
        from = p->inst->next;
    }
    LLVMPositionBuilderAtEnd(e->builder, LLVMGetSwitchDefaultDest(choice));
}

/* A part of an operand in the round's product. */
static LLVMValueRef chosen(struct shared *s, uint32_t kind, uint32_t operand, uint32_t part)
{
    LLVMValueRef first = NULL;
    bool same = true;
    for (uint32_t i = 0; i < s->product_count; i++) {
        if (s->products[i].kind != kind)
            continue;
        LLVMValueRef own = s->products[i].parts[operand][part];
        first = first ? first : own;
        same &= own == first;
    }
    if (same)
        return first;
    LLVMValueRef phi = LLVMBuildPhi(s->e->builder, LLVMTypeOf(first), "");
    for (uint32_t i = 0; i < s->product_count; i++)
        if (s->products[i].kind == kind)
            LLVMAddIncoming(phi, &s->products[i].parts[operand][part], &s->products[i].end, 1);
    return phi;
}

/* Values behind those of the function stand for the operands. */
static void emit_kind(struct shared *s, uint32_t kind)
{
    struct tsr__te *e = s->e;
    const struct tsr__t_inst *first = s->kinds[kind].first;
    struct tsr__t_value values[OPERANDS], *operands[OPERANDS];
    struct tsr__t_inst any = *first;
    any.operands = operands;
    LLVMPositionBuilderAtEnd(e->builder, s->kinds[kind].code);
    for (uint32_t i = 0; i < OPERANDS; i++) {
        uint32_t count = e->values[first->operands[i]->index].count;
        LLVMValueRef *part = tsr__te_room(e, count);
        for (uint32_t p = 0; p < count; p++)
            part[p] = chosen(s, kind, i, p);
        values[i] = *first->operands[i];
        values[i].index = e->func->value_count + i;
        operands[i] = &values[i];
        tsr__te_set(e, &values[i], part, count);
    }
    e->touched = s->touched;
    tsr__te_emit_gemm(e, &any);
    LLVMBasicBlockRef end = LLVMGetInsertBlock(e->builder);
    LLVMValueRef next = LLVMBuildAdd(e->builder, s->round, tsr__te_i32(e, 1), "");
    LLVMBuildBr(e->builder, s->head);
    LLVMAddIncoming(s->round, &next, &end, 1);
}

bool tsr__te_emit_shared(struct tsr__te *e, const struct tsr__t_region *region)
{
    struct shared s = {.e = e, .region = region};
    find_products(&s);
    if (!s.product_count)
        return false;
    s.values = tsr_arena_alloc(e->arena, e->func->value_count * sizeof *s.values + 1);
    s.touched = tsr__te_both(e->touched, tsr__te_touched_by(region));
    find_crossing(&s);
    s.now = 0;
    s.head = tsr__te_block(e);
    LLVMBasicBlockRef before = LLVMGetInsertBlock(e->builder);
    LLVMValueRef none = tsr__te_i32(e, 0);
    LLVMBuildBr(e->builder, s.head);
    LLVMPositionBuilderAtEnd(e->builder, s.head);
    s.round = LLVMBuildPhi(e->builder, LLVMTypeOf(none), "");
    LLVMAddIncoming(s.round, &none, &before, 1);
    emit_products(&s);
    LLVMBasicBlockRef last = LLVMGetInsertBlock(e->builder);
    for (uint32_t k = 0; k < s.kind_count; k++)
        if (s.kinds[k].code)
            emit_kind(&s, k);
    LLVMPositionBuilderAtEnd(e->builder, last);
    e->touched = s.touched;
    emit_stretch(&s, s.products[s.product_count - 1].inst->next, NULL);
    return true;
}
