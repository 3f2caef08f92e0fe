/* SPDX-License-Identifier: Apache-2.0
 * Loop versioning by checks of ranges: kernels with matrix functions get a second body for work-groups in which all checks hold.
 *
 * A kernel for matrices of any size checks what it loads and stores against their edges. In most work-groups all of these checks hold for
 * each work-item and in each round, if the sizes are multiples of its steps. These work-groups run a copy in which the comparisons are
 * constants, so that it is what its author would have written without edges. The beginning of the kernel finds out which way to go, from
 * the largest ids of the work-group and the last rounds of loops (group_bounds.c): the way is the same for all of its work-items.
 *
 * Work-groups at edges, and all where the last round of a loop is not whole, run the code as it was; its loops may still run most of their
 * rounds without checks (range_checks.c). Packets that lack work-items are at an edge, as a rule, and have only that code. */
#include <string.h>

#include "lanes/analysis/packet_support.h"
#include "lanes/ir/blocks.h"
#include "lanes/ir/calls.h"
#include "lanes/ir/explain.h"
#include "lanes/ir/match.h"
#include "lanes/prepare/group_bounds.h"

enum { MOST_BLOCKS = 1024, MOST_INSTRUCTIONS = 16384 }; /* of a kernel that is copied */
enum { MOST_GUARDS = 64, MOST_MINIMA = 64 };

/* Where code is, a bit for each counter: in its loop, behind the test with which that begins, if it does; and where the loop goes on behind
 * this round. */
struct where {
    uint32_t inside, goes_on;
};

/* A check of ranges. */
struct found {
    struct tsr__check check;
    struct where where;
    /* It compares base + more with the bound. */
    LLVMIntPredicate how;
    LLVMValueRef base, bound;
    int64_t more;
};

struct range_versions {
    struct tsr__compilation *l;
    struct tsr_arena arena;
    LLVMValueRef kernel;
    LLVMBasicBlockRef body; /* all but allocations */
    struct tsr__cfg cfg;
    struct tsr__group_bounds g;
    struct tsr__inequality ends[TSR__MAX_COUNTERS]; /* of counters, which hold in rounds behind which their loops go on */
    uint32_t tests_first;                           /* counters of loops that begin with their test: a bit each */
    LLVMValueRef last[TSR__MAX_COUNTERS], before_last[TSR__MAX_COUNTERS]; /* what counters are in these rounds */
    struct guard {
        LLVMBasicBlockRef to;
        struct where where; /* code from there on */
    } guards[MOST_GUARDS];
    unsigned guard_count;
    struct tsr__map ends_of_loops; /* conditions with which loops go on → 1 */
    struct found found[TSR__MAX_CHECKS];
    unsigned found_count;
    struct minimum {
        LLVMValueRef call; /* its first operand is no more than the other one */
        int counter;       /* … where the loop of this one goes on; less than 0: everywhere */
    } minima[MOST_MINIMA];
    unsigned minimum_count;
    struct tsr__map copies;
};

/* ---- checks ---- */

/* Does the value differ between work-items, work-groups or rounds? */
static bool has_place(const struct range_versions *x, LLVMValueRef v, int depth)
{
    const enum tsr__engine_call call = tsr__call_of(v);
    if (call == TSR__CALL_GROUP_ID || !LLVMIsAInstruction(v))
        return call == TSR__CALL_GROUP_ID;
    if (!tsr__is_same(&x->g, v) || !depth)
        return true;
    for (int i = 0; i < LLVMGetNumOperands(v); i++)
        if (has_place(x, LLVMGetOperand(v, (unsigned)i), depth - 1))
            return true;
    return false;
}

/* Is it what places are compared with in a check that has been found? */
static bool is_bound(const struct range_versions *x, LLVMValueRef v)
{
    for (unsigned i = 0; i < x->found_count; i++)
        if (LLVMGetOperand(x->found[i].check.comparison, 0) == v || LLVMGetOperand(x->found[i].check.comparison, 1) == v)
            return true;
    return false;
}

/* A comparison of a place with a bound that is no number of the program; or of such a number, as places before a loop may be, with a bound
 * of others. */
static bool is_of_range(const struct range_versions *x, LLVMValueRef comparison)
{
    enum { DEPTH = 24 };
    LLVMValueRef left = LLVMGetOperand(comparison, 0), right = LLVMGetOperand(comparison, 1);
    const bool at_left = has_place(x, left, DEPTH), at_right = has_place(x, right, DEPTH);
    if (tsr__is_rest(&x->g, left) != tsr__is_rest(&x->g, right)) /* what is left of the range */
        return true;
    if (LLVMIsAConstant(left) || LLVMIsAConstant(right))
        return is_bound(x, LLVMIsAConstant(left) ? right : left) && !at_left && !at_right;
    return at_left != at_right;
}

static LLVMValueRef holds(struct range_versions *x, const struct found *f)
{
    for (unsigned i = 0; i < x->g.counter_count; i++) {
        const bool known = f->where.inside >> i & 1 || !(x->tests_first >> i & 1);
        x->g.counters[i].at = !known ? NULL : f->where.goes_on >> i & 1 ? x->before_last[i] : x->last[i];
    }
    return tsr__check_holds(&x->g, &f->check);
}

/* 1: the counter's loop goes on behind this round where the condition holds, and nowhere else; -1: where it does not; 0: neither. */
static int holds_where_it_goes_on(const struct range_versions *x, unsigned counter, LLVMValueRef condition)
{
    const struct tsr__counter *c = &x->g.counters[counter];
    const struct tsr__inequality *end = &x->ends[counter];
    struct tsr__inequality q;
    if (!c->step || !tsr__inequality_of(condition, &q) || q.is_signed != end->is_signed)
        return 0;
    if (q.b == end->b &&
        ((q.a == c->phi && q.distance == end->distance) || (q.a == c->next && q.distance == end->distance - (int64_t)c->step)))
        return 1;
    return q.a == end->b && q.b == c->phi && q.distance == -end->distance - 1 ? -1 : 0;
}

/* Of loops that go on where the condition holds, or else: a bit each. */
static uint32_t counters_that_go_on(const struct range_versions *x, LLVMValueRef condition)
{
    uint32_t all = 0;
    for (unsigned i = 0; i < x->g.counter_count; i++)
        all |= (uint32_t)!!holds_where_it_goes_on(x, i, condition) << i;
    return all;
}

/* Does the condition tell whether more than one other round of a loop follows, as where operands are copied several rounds ahead? It never
 * holds in all rounds. */
static bool asks_for_later_rounds(const struct range_versions *x, LLVMValueRef condition)
{
    struct tsr__inequality q;
    bool any = false;
    for (unsigned i = 0; i < x->g.counter_count && tsr__inequality_of(condition, &q); i++) {
        const struct tsr__counter *c = &x->g.counters[i];
        const struct tsr__inequality *end = &x->ends[i];
        const int64_t distance = q.distance + (q.a == c->next ? (int64_t)c->step : 0);
        any = any ||
              (c->step && q.is_signed == end->is_signed && q.b == end->b && (q.a == c->phi || q.a == c->next) && distance > end->distance);
    }
    return any;
}

/* The number to which a sum adds constants, and these. */
static LLVMValueRef base_of_sum(LLVMValueRef v, int64_t *sum)
{
    int64_t c;
    while (tsr__is_sum(v) && tsr__constant_int(LLVMGetOperand(v, 1), &c) && c >= 0) {
        *sum += c;
        v = LLVMGetOperand(v, 0);
    }
    return v;
}

static struct found found_of(const struct tsr__check *check, struct where where)
{
    struct found f = {.check = *check, .where = where, .how = LLVMGetICmpPredicate(check->comparison)};
    const LLVMIntPredicate how = check->holds_if ? f.how : tsr__opposite_of(f.how);
    const unsigned less = how == LLVMIntSLT || how == LLVMIntSLE || how == LLVMIntULT || how == LLVMIntULE ? 0 : 1;
    f.base = base_of_sum(LLVMGetOperand(check->comparison, less), &f.more);
    f.bound = LLVMGetOperand(check->comparison, !less);
    return f;
}

/* Adds the check if it is known to be one of ranges. If the comparison is there already, it has to hold in both places. */
static void add_check(struct range_versions *x, const struct tsr__check *check, struct where where)
{
    struct found *f = &x->found[x->found_count];
    for (unsigned i = 0; i < x->found_count; i++)
        if (x->found[i].check.comparison == check->comparison) {
            x->found[i].where.inside &= where.inside;
            x->found[i].where.goes_on &= where.goes_on;
            return;
        }
    *f = found_of(check, where);
    if (x->found_count + 1 < TSR__MAX_CHECKS && is_of_range(x, check->comparison) && holds(x, f)) /* whose code goes unused */
        x->found_count++;
}

/* Is the value nothing but a part of the condition? */
static bool is_part_alone(LLVMValueRef v, LLVMValueRef condition)
{
    while (v != condition) {
        LLVMUseRef use = LLVMGetFirstUse(v);
        if (!use || LLVMGetNextUse(use))
            return false;
        v = LLVMGetUser(use);
    }
    return true;
}

static struct where where_is(const struct range_versions *x, LLVMBasicBlockRef place)
{
    struct where all = {0};
    for (unsigned i = 0; i < x->guard_count; i++)
        if (tsr__dominates(&x->cfg, tsr__cfg_number(&x->cfg, x->guards[i].to), tsr__cfg_number(&x->cfg, place))) {
            all.inside |= x->guards[i].where.inside;
            all.goes_on |= x->guards[i].where.goes_on;
        }
    return all;
}

/* Adds the comparisons that make the condition `way`. Where it has to hold, too, that a loop goes on, the others do not count in other
 * rounds. */
static void add_condition(struct range_versions *x, LLVMValueRef condition, bool way)
{
    struct tsr__checks all = {.count = 0};
    uint32_t goes_on = 0;
    if (tsr__map_get(&x->ends_of_loops, condition) || !tsr__add_checks(&all, condition, way))
        return;
    for (unsigned i = 0; i < all.count; i++)
        goes_on |= counters_that_go_on(x, all.at[i].comparison);
    for (unsigned i = 0; i < all.count; i++) {
        LLVMValueRef comparison = all.at[i].comparison;
        struct where where = where_is(x, LLVMGetInstructionParent(comparison));
        where.goes_on |= is_part_alone(comparison, condition) ? goes_on : 0;
        if (!counters_that_go_on(x, comparison) && !asks_for_later_rounds(x, comparison))
            add_check(x, &all.at[i], where);
    }
}

/* A branch around blocks that nothing else leads to, or to the kernel's end: the other way is the one where all is inside. */
static void add_branch(struct range_versions *x, const struct tsr__block *block)
{
    if (block->succ_count != 2 || !LLVMIsABranchInst(block->terminator) || block->succ[0] == block->succ[1])
        return;
    for (int i = 0; i < 2; i++)
        if (block->succ[i] == block->ipdom)
            add_condition(x, LLVMGetCondition(block->terminator),
                          LLVMGetSuccessor(block->terminator, 0) == x->cfg.blocks[block->succ[!i]].ref);
}

/* A zero instead of a number. */
static void add_select(struct range_versions *x, LLVMValueRef select)
{
    LLVMTypeRef condition = LLVMTypeOf(LLVMGetOperand(select, 0));
    const bool way = LLVMIsNull(LLVMGetOperand(select, 2));
    if (LLVMGetTypeKind(condition) == LLVMIntegerTypeKind && LLVMTypeOf(select) != condition &&
        (way || LLVMIsNull(LLVMGetOperand(select, 1))))
        add_condition(x, LLVMGetOperand(select, 0), way);
}

/* An index that is limited to the last one that there is: where that says what is done, or in rounds behind which the loop goes on, as it
 * is the next round's. */
static void add_minimum(struct range_versions *x, const struct tsr__block *block, LLVMValueRef call)
{
    const char *name = tsr__name(tsr__callee(call));
    const bool is_signed = tsr__starts_with(name, "llvm.smin");
    int64_t more = 0;
    LLVMValueRef counter = base_of_sum(LLVMGetOperand(call, 0), &more);
    int n = (int)x->g.counter_count;
    if ((!is_signed && !tsr__starts_with(name, "llvm.umin")) || x->minimum_count == MOST_MINIMA ||
        LLVMGetTypeKind(LLVMTypeOf(call)) != LLVMIntegerTypeKind)
        return;
    while (--n >= 0 && (!x->g.counters[n].step || (x->g.counters[n].phi != counter && x->g.counters[n].next != counter)))
        ;
    LLVMBuilderRef b = tsr__builder_before(x->l, call);
    LLVMValueRef less = LLVMBuildICmp(b, is_signed ? LLVMIntSLE : LLVMIntULE, LLVMGetOperand(call, 0), LLVMGetOperand(call, 1), "");
    LLVMDisposeBuilder(b);
    const unsigned before = x->found_count;
    struct where where = where_is(x, block->ref);
    where.goes_on |= n >= 0 ? UINT32_C(1) << n : 0;
    if (LLVMIsAICmpInst(less))
        add_check(x, &(struct tsr__check){less, true}, where);
    if (x->found_count > before)
        x->minima[x->minimum_count++] = (struct minimum){call, n};
    else if (LLVMIsAICmpInst(less) && !LLVMGetFirstUse(less))
        LLVMInstructionEraseFromParent(less);
}

static bool is_known_minimum(const struct range_versions *x, LLVMValueRef call)
{
    for (unsigned i = 0; i < x->minimum_count; i++)
        if (x->minima[i].call == call)
            return true;
    return false;
}

static void find_checks(struct range_versions *x)
{
    for (int k = 0; k < x->cfg.block_count; k++) {
        for (LLVMValueRef i = LLVMGetFirstInstruction(x->cfg.blocks[k].ref); i; i = LLVMGetNextInstruction(i))
            if (LLVMIsASelectInst(i))
                add_select(x, i);
            else if (tsr__callee(i) && !is_known_minimum(x, i))
                add_minimum(x, &x->cfg.blocks[k], i);
        add_branch(x, &x->cfg.blocks[k]);
    }
}

static void note_guard(struct range_versions *x, const struct tsr__rounds *r, LLVMBasicBlockRef to, struct where where)
{
    if (x->guard_count < MOST_GUARDS && r->cfg->blocks[tsr__cfg_number(r->cfg, to)].pred_count == 1)
        x->guards[x->guard_count++] = (struct guard){to, where};
}

/* Where code of the loop begins that only runs behind its test, or if it goes on. */
static void note_guards(struct range_versions *x, const struct tsr__rounds *r, unsigned counter)
{
    const struct tsr__loop *loop = &r->cfg->loops[r->loop];
    const uint32_t bit = UINT32_C(1) << counter;
    if (x->tests_first & bit)
        note_guard(x, r, LLVMGetSuccessor(LLVMGetBasicBlockTerminator(r->header), r->goes_on_if ? 0 : 1), (struct where){bit, 0});
    for (int k = loop->begin; k < loop->end; k++) {
        const struct tsr__block *block = &r->cfg->blocks[k];
        if (block->ref == r->exiting || block->succ_count != 2 || !LLVMIsABranchInst(block->terminator))
            continue;
        const int holds = holds_where_it_goes_on(x, counter, LLVMGetCondition(block->terminator));
        if (holds)
            note_guard(x, r, LLVMGetSuccessor(block->terminator, holds > 0 ? 0 : 1), (struct where){0, bit});
    }
}

/* Finds what the counter is in the last round, behind the test of a loop that begins with it, and in the one before. */
static bool find_rounds(struct range_versions *x, const struct tsr__rounds *r, bool tests_first, unsigned n)
{
    struct tsr__counter *c = &x->g.counters[n];
    struct tsr__inequality *end = &x->ends[n];
    LLVMValueRef last = NULL, step;
    if (tsr__find_counter(&x->g, r, c, end) && (tests_first || tsr__is_same(&x->g, c->begin)))
        last = tsr__last_of_counter(&x->g, c, end);
    if (!last) {
        x->last[n] = tests_first ? tsr__find_limited(&x->g, r, c, end) : NULL;
        return x->last[n];
    }
    step = tsr__i64(x->l, c->step);
    x->last[n] = tests_first ? LLVMBuildSub(x->g.b, last, step, "") : last;
    x->before_last[n] = LLVMBuildSub(x->g.b, x->last[n], step, "");
    end->distance += tests_first ? (int64_t)c->step : 0;
    return true;
}

/* Notes the loop's counter. Changes no loop. */
static bool note_counter(void *context, struct tsr__rounds *r)
{
    struct range_versions *x = context;
    const unsigned n = x->g.counter_count;
    const bool tests_first = r->exiting == r->header && r->exiting != r->latch;
    tsr__map_set(&x->ends_of_loops, r->goes_on, 1);
    if ((!tests_first && r->exiting != r->latch) || n == TSR__MAX_COUNTERS || !find_rounds(x, r, tests_first, n))
        return false;
    x->g.counter_count++;
    x->tests_first |= (uint32_t)tests_first << n;
    note_guards(x, r, n);
    return false;
}

/* ---- the two bodies ---- */

/* Is all of it blocks of branches, and little enough? */
static bool can_be_copied(const struct range_versions *x)
{
    const struct tsr__cfg *cfg = &x->cfg;
    unsigned instructions = 0;
    for (int k = 0; k < cfg->block_count; k++)
        for (LLVMValueRef i = LLVMGetFirstInstruction(cfg->blocks[k].ref); i; i = LLVMGetNextInstruction(i)) {
            instructions++;
            if (LLVMIsAAllocaInst(i) && LLVMGetInstructionParent(i) != LLVMGetEntryBasicBlock(x->kernel))
                return false;
        }
    return cfg->block_count <= MOST_BLOCKS && instructions <= MOST_INSTRUCTIONS;
}

/* Does the check hold where the other one does, as it compares less with the same bound? */
static bool is_implied(const struct found *f, const struct found *by)
{
    return f->how == by->how && f->check.holds_if == by->check.holds_if && f->bound == by->bound && f->base == by->base &&
           !memcmp(&f->where, &by->where, sizeof f->where) && (f->more < by->more || (f->more == by->more && f > by));
}

/* Do all checks hold, in a packet that lacks no work-item? */
static LLVMValueRef all_hold(struct range_versions *x)
{
    LLVMBuilderRef b = x->g.b;
    LLVMValueRef all = tsr__in_full_packet(&x->g);
    for (unsigned i = 0, k; i < x->found_count; i++) {
        for (k = 0; k < x->found_count && !is_implied(&x->found[i], &x->found[k]);)
            k++;
        if (k < x->found_count)
            continue;
        LLVMValueRef one = holds(x, &x->found[i]); /* not known any more: of a comparison in several places */
        all = LLVMBuildAnd(b, all, one ? LLVMBuildFreeze(b, one, "") : LLVMConstNull(LLVMTypeOf(all)), "");
    }
    return LLVMBuildAnd(b, all, LLVMBuildFreeze(b, x->g.sound, ""), "");
}

/* In the copy a minimum is its first operand, or is where the loop goes on. */
static void choose_minimum(struct range_versions *x, const struct minimum *m)
{
    LLVMValueRef call = tsr__copy_of(&x->copies, m->call), first = LLVMGetOperand(call, 0);
    if (m->counter < 0) {
        LLVMReplaceAllUsesWith(call, first);
        return;
    }
    const struct tsr__inequality *end = &x->ends[m->counter];
    LLVMValueRef counter = tsr__copy_of(&x->copies, x->g.counters[m->counter].phi);
    LLVMTypeRef type = LLVMTypeOf(counter);
    LLVMBuilderRef b = tsr__builder_before(x->l, LLVMGetNextInstruction(call));
    LLVMValueRef far = LLVMConstInt(type, (uint64_t)end->distance, true), bound = end->b ? end->b : LLVMConstNull(type);
    LLVMValueRef next = end->is_signed ? LLVMBuildNSWAdd(b, counter, far, "") : LLVMBuildNUWAdd(b, counter, far, "");
    LLVMValueRef goes_on = LLVMBuildICmp(b, end->is_signed ? LLVMIntSLT : LLVMIntULT, next, tsr__copy_of(&x->copies, bound), "");
    LLVMValueRef made = LLVMBuildSelect(b, goes_on, first, LLVMConstNull(LLVMTypeOf(call)), "");
    LLVMReplaceAllUsesWith(call, made);
    LLVMSetOperand(made, 2, call);
    LLVMDisposeBuilder(b);
}

static void make_versions(struct range_versions *x)
{
    const struct tsr__cfg *cfg = &x->cfg;
    LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(x->kernel), *blocks = tsr_arena_alloc(&x->arena, MOST_BLOCKS * sizeof *blocks);
    size_t count = 0;
    for (int k = 0; k < cfg->block_count; k++)
        if (cfg->blocks[k].ref != entry)
            blocks[count++] = cfg->blocks[k].ref;
    LLVMValueRef inside = all_hold(x), end = LLVMGetBasicBlockTerminator(entry);
    tsr__copy_blocks(x->l, blocks, count, x->body, x->body, "inside", &x->copies);
    for (unsigned i = 0; i < x->found_count; i++) {
        LLVMValueRef copy = tsr__copy_of(&x->copies, x->found[i].check.comparison);
        LLVMReplaceAllUsesWith(copy, LLVMConstInt(LLVMTypeOf(copy), x->found[i].check.holds_if, false));
    }
    for (unsigned i = 0; i < x->minimum_count; i++)
        choose_minimum(x, &x->minima[i]);
    LLVMPositionBuilderBefore(x->g.b, end);
    LLVMBuildCondBr(x->g.b, inside, tsr__copy_of_block(&x->copies, x->body), x->body);
    LLVMInstructionEraseFromParent(end);
}

/* The entry block keeps its allocations alone. */
static void split_entry(struct range_versions *x)
{
    LLVMValueRef first = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(x->kernel));
    while (LLVMIsAAllocaInst(first))
        first = LLVMGetNextInstruction(first);
    tsr__split_block(x->l, LLVMGetEntryBasicBlock(x->kernel), first);
    x->body = LLVMGetNextBasicBlock(LLVMGetEntryBasicBlock(x->kernel));
}

static bool make_two(struct range_versions *x, const struct tsr_kernel_info *info)
{
    x->ends_of_loops.arena = x->copies.arena = &x->arena;
    split_entry(x);
    LLVMBuilderRef b = tsr__builder_before(x->l, LLVMGetBasicBlockTerminator(LLVMGetEntryBasicBlock(x->kernel)));
    x->g = tsr__group_bounds_in(x->l, info, b, &x->arena);
    tsr__change_loops(x->l, x->kernel, note_counter, x);
    const bool good = tsr__cfg_make(&x->cfg, x->kernel, &x->arena) && can_be_copied(x);
    LLVMValueRef sound = x->g.sound;                /* of the counters; looking for checks leaves code that goes unused */
    for (int again = 0; good && again < 2; again++) /* since checks tell bounds */
        find_checks(x);
    x->g.sound = sound;
    if (good && x->found_count)
        make_versions(x);
    LLVMDisposeBuilder(b);
    return good && x->found_count;
}

bool tsr__pass_range_versions(struct tsr__compilation *l)
{
    for (uint32_t i = 0; i < l->info->kernel_count; i++) {
        const struct tsr_kernel_info *info = &l->info->kernels[i];
        struct range_versions x = {.l = l, .kernel = tsr__kernel(l, info)};
        if (!tsr__multiplies_tiles(l, x.kernel) || (l->variants && l->variants[i] != TSR__VARIANT_AS_ASKED))
            continue;
        if (!tsr__run_llvm_on(l, x.kernel, "lower-switch,loop-simplify,lcssa"))
            return false;
        const bool made = make_two(&x, info);
        if (made)
            tsr__explain(l, x.kernel, "range checks", "left out", "in work-groups in which %u comparisons hold for all work-items",
                         x.found_count);
        tsr_arena_free(&x.arena);
        if (!tsr__run_llvm_on(l, x.kernel, made ? "instsimplify,simplifycfg,adce" : "simplifycfg,adce"))
            return false;
    }
    return true;
}
