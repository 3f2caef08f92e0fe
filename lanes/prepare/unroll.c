/* SPDX-License-Identifier: Apache-2.0
 * Unrolling for scalar replacement of private arrays.
 *
 * Marks the loops that LLVM shall unroll fully so that private arrays become registers: those on whose counters alone the arrays'
 * indices depend. In a packet an array in memory costs a vector store and a vector load for each element, or even gathers. */
#include "lanes/prepare/unroll.h"
#include "lanes/ir/costs.h"

#include "lanes/analysis/packet_support.h"
#include "lanes/analysis/round_cycle.h"
#include "lanes/analysis/shape.h"
#include "lanes/ir/calls.h"
#include "lanes/ir/match.h"

#include <string.h>

#include <llvm-c/DebugInfo.h>

enum {
    MAX_DEPENDS = 4096, /* instructions that are followed back from one index */
};

struct unroll {
    struct tsr__compilation *l;
    struct tsr__cfg cfg;
    struct tsr_arena arena;
    bool *wanted, *checked, *all; /* per loop: by this search, with a known end, by any search */
    struct tsr__map seen;         /* instructions followed back already */
    int followed;
    bool lane_is_known; /* the lane's number counts as a constant */
};

/* ---- what an index depends on ---- */

static int loop_of_header(const struct unroll *u, LLVMValueRef phi)
{
    int block = tsr__cfg_number(&u->cfg, LLVMGetInstructionParent(phi));
    int loop = block == TSR__NONE ? TSR__NONE : u->cfg.blocks[block].loop;
    return loop != TSR__NONE && u->cfg.loops[loop].header == block ? loop : TSR__NONE;
}

static int64_t trip_count(const struct unroll *u, int loop);

/* Whose turn it is of the parts of an array, in a loop of which no end is known: multiple_buffers.c makes arrays of them. */
static bool is_turn(const struct unroll *u, LLVMValueRef v)
{
    struct tsr__round_cycle turn;
    return tsr__find_round_cycle(&u->cfg, v, &turn) && turn.loop != TSR__NONE && !trip_count(u, turn.loop);
}

/* True if `v` is a function of constants and of counters of loops, which are wanted then. */
static bool depends_on_counters(struct unroll *u, LLVMValueRef v)
{
    if (!LLVMIsAInstruction(v))
        return LLVMIsAConstant(v);
    if (u->lane_is_known && tsr__call_of(v) == TSR__CALL_LANE)
        return true;
    if (tsr__map_get(&u->seen, v))
        return true; /* looked at already, or being looked at */
    tsr__map_set(&u->seen, v, 1);
    if (++u->followed > MAX_DEPENDS)
        return false;
    if (is_turn(u, v))
        return true;
    if (LLVMGetInstructionOpcode(v) == LLVMPHI) {
        int loop = loop_of_header(u, v);
        if (loop == TSR__NONE)
            return false;
        u->wanted[loop] = true;
        for (unsigned i = 0; i < LLVMCountIncoming(v); i++)
            if (!depends_on_counters(u, LLVMGetIncomingValue(v, i)))
                return false;
        return true;
    }
    bool plain = LLVMIsABinaryOperator(v) || LLVMIsACastInst(v) || LLVMIsAICmpInst(v) || LLVMIsASelectInst(v);
    for (int i = 0; plain && i < LLVMGetNumOperands(v); i++)
        plain = depends_on_counters(u, LLVMGetOperand(v, (unsigned)i));
    return plain;
}

static bool address_depends_on_counters(struct unroll *u, LLVMValueRef address)
{
    for (LLVMUseRef use = LLVMGetFirstUse(address); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        switch (LLVMGetInstructionOpcode(user)) {
        case LLVMGetElementPtr:
            for (int i = 1; i < LLVMGetNumOperands(user); i++)
                if (!depends_on_counters(u, LLVMGetOperand(user, (unsigned)i)))
                    return false;
            if (!address_depends_on_counters(u, user))
                return false;
            break;
        case LLVMPHI: /* behind a loop */
            if (LLVMCountIncoming(user) > 1 || !address_depends_on_counters(u, user))
                return false;
            break;
        case LLVMAddrSpaceCast: /* a helper function takes generic pointers */
            if (!address_depends_on_counters(u, user))
                return false;
            break;
        case LLVMLoad:
            break;
        case LLVMStore:
            if (LLVMGetOperand(user, 0) == address)
                return false;
            break;
        case LLVMCall:
            if (!LLVMIsAMemSetInst(user) && !LLVMIsAMemCpyInst(user) && !tsr__starts_with(tsr__name(tsr__callee(user)), "llvm.lifetime."))
                return false;
            break;
        default:
            return false;
        }
    }
    return true;
}

/* ---- how much code it makes ---- */

/* The one comparison that ends the loop, or NULL. */
static LLVMValueRef end_test(const struct unroll *u, int loop)
{
    LLVMValueRef found = NULL;
    for (int b = u->cfg.loops[loop].begin; b < u->cfg.loops[loop].end; b++)
        for (int k = 0; k < u->cfg.blocks[b].succ_count; k++) {
            if (tsr__in_loop(&u->cfg, u->cfg.blocks[b].succ[k], loop))
                continue;
            if (found || u->cfg.blocks[b].succ_count != 2)
                return NULL;
            found = LLVMGetCondition(u->cfg.blocks[b].terminator);
        }
    return found && LLVMIsAICmpInst(found) ? found : NULL;
}

static bool small_constant(LLVMValueRef v, int64_t *value)
{
    return tsr__constant_int(v, value) && *value > -(INT64_C(1) << 40) && *value < INT64_C(1) << 40;
}

/* At most how often the loop goes round; 0: unknown. A start that depends on another counter is taken to be 0, a limit that does to be that
 * of the loop around. */
static int64_t trip_count(const struct unroll *u, int loop)
{
    LLVMValueRef test = end_test(u, loop);
    int64_t limit, step = 0, start = 0;
    if (!test)
        return 0;
    if (!small_constant(LLVMGetOperand(test, 1), &limit) && !small_constant(LLVMGetOperand(test, 0), &limit)) {
        int around = u->cfg.loops[loop].parent;
        return around != TSR__NONE && u->wanted[around] ? trip_count(u, around) : 0;
    }
    LLVMBasicBlockRef header = u->cfg.blocks[u->cfg.loops[loop].header].ref;
    for (LLVMValueRef phi = LLVMGetFirstInstruction(header); LLVMGetInstructionOpcode(phi) == LLVMPHI; phi = LLVMGetNextInstruction(phi)) {
        LLVMValueRef next = NULL;
        int64_t by = 0, from = 0;
        for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
            LLVMValueRef v = LLVMGetIncomingValue(phi, i);
            int at = tsr__cfg_number(&u->cfg, LLVMGetIncomingBlock(phi, i));
            if (at != TSR__NONE && tsr__in_loop(&u->cfg, at, loop))
                next = v;
            else
                small_constant(v, &from);
        }
        if (next && LLVMIsAConstantInt(next) && (LLVMGetOperand(test, 0) == phi || LLVMGetOperand(test, 1) == phi))
            return 1; /* what LLVM makes of the counter of a single round */
        bool counts = next && LLVMIsABinaryOperator(next) && LLVMGetInstructionOpcode(next) == LLVMAdd && LLVMGetOperand(next, 0) == phi &&
                      small_constant(LLVMGetOperand(next, 1), &by) && by;
        for (int i = 0; counts && i < 2; i++)
            if (LLVMGetOperand(test, (unsigned)i) == phi || LLVMGetOperand(test, (unsigned)i) == next) {
                step = by;
                start = from;
            }
    }
    if (!step)
        return 0;
    int64_t distance = limit > start ? limit - start : start - limit, by = step < 0 ? -step : step;
    switch (LLVMGetICmpPredicate(test)) {
    case LLVMIntSLE:
    case LLVMIntULE:
    case LLVMIntSGE:
    case LLVMIntUGE:
        distance++;
        break;
    default:
        break;
    }
    return (distance + by - 1) / by;
}

/* Instructions of the loop after unrolling; -1 if it cannot be unrolled or grows too much. */
static int64_t unrolled_size(const struct unroll *u, int loop)
{
    int64_t size = 0, count = u->wanted[loop] ? trip_count(u, loop) : 1;
    if (!count || count > TSR__UNROLL_TRIPS)
        return -1;
    for (int b = u->cfg.loops[loop].begin; b < u->cfg.loops[loop].end; b++) {
        int inner = u->cfg.blocks[b].loop;
        while (inner != loop && u->cfg.loops[inner].parent != loop)
            inner = u->cfg.loops[inner].parent;
        if (inner != loop) {
            int64_t inside = unrolled_size(u, inner);
            if (inside < 0)
                return -1;
            size += inside;
            b = u->cfg.loops[inner].end - 1;
            continue;
        }
        for (LLVMValueRef i = LLVMGetFirstInstruction(u->cfg.blocks[b].ref); i; i = LLVMGetNextInstruction(i))
            size++;
    }
    size *= count;
    return size > TSR__UNROLL_CODE ? -1 : size;
}

/* What ends the wanted loops must be known, too. */
static bool ends_depend_on_counters(struct unroll *u)
{
    for (bool again = true; again;) {
        again = false;
        for (int k = 0; k < u->cfg.loop_count; k++) {
            if (!u->wanted[k] || u->checked[k])
                continue;
            LLVMValueRef test = end_test(u, k);
            if (!test || !depends_on_counters(u, test))
                return false;
            u->checked[k] = again = true;
        }
    }
    return true;
}

static int outermost_loop(const struct unroll *u, int loop)
{
    while (u->cfg.loops[loop].parent != TSR__NONE)
        loop = u->cfg.loops[loop].parent;
    return loop;
}

/* ---- marks ---- */

/* The name and the number, if any, of the first hint of the loop whose name begins so. False: it has none. */
static bool find_hint(struct tsr__compilation *l, LLVMValueRef branch, const char *hint, LLVMValueRef name_and_number[2])
{
    LLVMValueRef node = LLVMGetMetadata(branch, LLVMGetMDKindIDInContext(l->context, "llvm.loop", 9));
    int count = node ? LLVMGetMDNodeNumOperands(node) : 0;
    LLVMValueRef *hints = tsr_arena_alloc(&l->scratch, (size_t)(count + 1) * sizeof *hints);
    if (node)
        LLVMGetMDNodeOperands(node, hints);
    for (int i = 1; i < count; i++) {
        LLVMValueRef parts[4] = {NULL};
        unsigned length;
        if (!hints[i] || !LLVMIsAMDNode(hints[i]) || LLVMGetMDNodeNumOperands(hints[i]) > 4 || LLVMGetMDNodeNumOperands(hints[i]) < 1)
            continue;
        LLVMGetMDNodeOperands(hints[i], parts);
        const char *text = parts[0] ? LLVMGetMDString(parts[0], &length) : NULL;
        name_and_number[0] = parts[0];
        name_and_number[1] = parts[1];
        if (text && length >= strlen(hint) && memcmp(text, hint, strlen(hint)) == 0)
            return true;
    }
    return false;
}

bool tsr__has_loop_hint(struct tsr__compilation *l, LLVMValueRef branch, const char *hint)
{
    LLVMValueRef found[2];
    return find_hint(l, branch, hint, found);
}

unsigned tsr__loop_hint_number(struct tsr__compilation *l, LLVMValueRef branch, const char *hint)
{
    LLVMValueRef found[2];
    bool numbered = find_hint(l, branch, hint, found) && found[1] && LLVMIsAConstantInt(found[1]);
    return numbered ? (unsigned)LLVMConstIntGetZExtValue(found[1]) : 0;
}

void tsr__set_loop_hint(struct tsr__compilation *l, LLVMValueRef branch, const char *hint, unsigned number)
{
    LLVMContextRef c = l->context;
    unsigned kind = LLVMGetMDKindIDInContext(c, "llvm.loop", 9);
    if (tsr__has_loop_hint(l, branch, "llvm.loop.unroll"))
        return;
    LLVMMetadataRef words[2] = {LLVMMDStringInContext2(c, hint, strlen(hint)), LLVMValueAsMetadata(tsr__i32(l, number))};
    LLVMMetadataRef self = LLVMTemporaryMDNode(c, NULL, 0), parts[2] = {self, LLVMMDNodeInContext2(c, words, number ? 2 : 1)};
    LLVMMetadataRef node = LLVMMDNodeInContext2(c, parts, 2);
    LLVMMetadataReplaceAllUsesWith(self, node);
    LLVMSetMetadata(branch, kind, LLVMMetadataAsValue(c, node));
}

static void mark_loop(struct unroll *u, int loop, const char *hint)
{
    if (u->cfg.loops[loop].latch != TSR__NONE)
        tsr__set_loop_hint(u->l, u->cfg.blocks[u->cfg.loops[loop].latch].terminator, hint, 0);
}

static void begin_search(struct unroll *u)
{
    u->seen = (struct tsr__map){.arena = &u->arena};
    u->followed = 0;
    memset(u->wanted, 0, (size_t)u->cfg.loop_count);
    memset(u->checked, 0, (size_t)u->cfg.loop_count);
}

/* Takes over the loops that the search found, unless they are unknown or too long. */
static void finish_search(struct unroll *u)
{
    if (!ends_depend_on_counters(u))
        return;
    for (int k = 0; k < u->cfg.loop_count; k++)
        if (u->wanted[k] && unrolled_size(u, outermost_loop(u, k)) < 0 && unrolled_size(u, k) < 0)
            return;
    for (int k = 0; k < u->cfg.loop_count; k++)
        u->all[k] = u->all[k] || u->wanted[k];
}

/* Arrays, vectors of which a counter picks an element, and shuffles: a register with a constant pattern is moved in one instruction. */
static void look_at(struct unroll *u, LLVMValueRef inst)
{
    enum tsr__engine_call call = tsr__call_of(inst);
    LLVMTargetDataRef layout = LLVMGetModuleDataLayout(u->l->module);
    begin_search(u);
    if (LLVMIsAAllocaInst(inst)) {
        if (LLVMABISizeOfType(layout, LLVMGetAllocatedType(inst)) <= UINT64_C(4) * TSR__UNROLL_ARRAY &&
            address_depends_on_counters(u, inst))
            finish_search(u);
    } else if (LLVMIsAExtractElementInst(inst) || LLVMIsAInsertElementInst(inst)) {
        LLVMValueRef index = LLVMGetOperand(inst, (unsigned)LLVMGetNumOperands(inst) - 1);
        if (!LLVMIsAConstant(index) && depends_on_counters(u, index))
            finish_search(u);
    } else if (tsr__is_collective(call) && tsr__call_info(call)->result == TSR__RESULT_BY_LANE) {
        u->lane_is_known = true;
        if (depends_on_counters(u, LLVMGetOperand(inst, 2)))
            finish_search(u);
        u->lane_is_known = false;
    }
}

/* A loop that only fills local memory, `for (e = lane; e < N; e += 256)`, or sorts it, with barriers. LLVM unrolls it if it surely ends, so
 * that should be after a few rounds. */
static bool fills_tile(const struct unroll *u, int loop)
{
    bool stores = false;
    int64_t size = 0, trips = trip_count(u, loop);
    if (trips > TSR__UNROLL_TRIPS)
        return false;
    for (int b = u->cfg.loops[loop].begin; b < u->cfg.loops[loop].end; b++) {
        if (u->cfg.blocks[b].loop != loop)
            return false;
        for (LLVMValueRef i = LLVMGetFirstInstruction(u->cfg.blocks[b].ref); i; i = LLVMGetNextInstruction(i)) {
            if (LLVMIsAStoreInst(i))
                stores = stores || LLVMGetPointerAddressSpace(LLVMTypeOf(LLVMGetOperand(i, 1))) == TSR__LOCAL_SPACE;
            if (++size > TSR__UNROLL_FILL || size * trips > TSR__UNROLL_FILL_ALL)
                return false;
        }
    }
    return stores;
}

static bool has_products(const struct unroll *u, int loop)
{
    for (int b = u->cfg.loops[loop].begin; b < u->cfg.loops[loop].end; b++)
        for (LLVMValueRef i = LLVMGetFirstInstruction(u->cfg.blocks[b].ref); i; i = LLVMGetNextInstruction(i))
            if (tsr__is_product(i))
                return true;
    return false;
}

/* A loop around one over K, whose number of rounds is not known, as those over the window of a convolution: the device runs a loop of each
 * of its rounds with the same call. */
static bool is_around_loop_over_k(const struct unroll *u, int loop)
{
    for (int k = 0; k < u->cfg.loop_count; k++)
        if (k != loop && tsr__in_loop(&u->cfg, u->cfg.loops[k].header, loop) && trip_count(u, k) < 1 && has_products(u, k))
            return true;
    return false;
}

/* A loop of few rounds with matrix functions in another loop, such as two steps of K in a round of that: then the other one is a loop over
 * K of one block, as the device runs them. */
static bool multiplies_steps(struct unroll *u, int loop)
{
    const int64_t trips = trip_count(u, loop);
    if (u->cfg.loops[loop].parent == TSR__NONE || trips < 1 || trips > TSR__UNROLL_STEPS)
        return false;
    begin_search(u);
    u->wanted[loop] = true;
    return unrolled_size(u, loop) >= 0 && has_products(u, loop);
}

/* A loop over K by itself, of more rounds than make one step of a tile: the device runs it as it is, whatever the program asks for. */
static bool is_loop_over_k(const struct unroll *u, int loop)
{
    return u->cfg.loops[loop].parent == TSR__NONE && trip_count(u, loop) > 2 && has_products(u, loop);
}

/* A hint in place of those that the loop has. */
static void replace_hints(struct unroll *u, int loop, const char *hint)
{
    const int latch = u->cfg.loops[loop].latch;
    if (latch != TSR__NONE)
        LLVMSetMetadata(u->cfg.blocks[latch].terminator, LLVMGetMDKindIDInContext(u->l->context, "llvm.loop", 9), NULL);
    mark_loop(u, loop, hint);
}

/* What an address of the inner loop is computed from. */
struct origin {
    const struct unroll *u;
    int loop;
    struct tsr__map seen;
    bool id, counter, other; /* which work-item asks, the loop's counter, what changes around the loop */
};

static void find_origin(struct origin *o, LLVMValueRef v)
{
    if (!LLVMIsAInstruction(v) || o->other || tsr__map_get(&o->seen, v))
        return;
    tsr__map_set(&o->seen, v, 1);
    const struct tsr__loop *around = &o->u->cfg.loops[o->u->cfg.loops[o->loop].parent];
    const int block = tsr__cfg_number(&o->u->cfg, LLVMGetInstructionParent(v));
    const bool inside = block >= around->begin && block < around->end;
    o->id = o->id || tsr__is_query(tsr__call_of(v));
    if (LLVMIsAPHINode(v) && inside) {
        bool own = loop_of_header(o->u, v) == o->loop;
        o->counter = o->counter || own;
        o->other = o->other || !own;
        return;
    }
    o->other = o->other || (inside && (LLVMIsALoadInst(v) || LLVMIsACallInst(v)) && !tsr__is_query(tsr__call_of(v)));
    for (int i = 0; i < LLVMGetNumOperands(v); i++)
        find_origin(o, LLVMGetOperand(v, (unsigned)i));
}

/* A short loop in another one that reads, in each of its rounds, what belongs to the work-item and is the same in all rounds of the other
 * one, as a point's coordinates for each of many others: unrolled, it reads them once, before that. */
static bool reads_own_again(struct unroll *u, int loop)
{
    const struct tsr__loop *at = &u->cfg.loops[loop];
    const int64_t trips = trip_count(u, loop);
    if (at->parent == TSR__NONE || trips < 2 || trips > TSR__UNROLL_ROW)
        return false;
    begin_search(u);
    u->wanted[loop] = true;
    const int64_t size = unrolled_size(u, loop);
    if (size < 0 || size > TSR__UNROLL_FILL_ALL)
        return false;
    bool found = false;
    for (int b = at->begin; b < at->end; b++) {
        if (u->cfg.blocks[b].loop != loop)
            return false;
        for (LLVMValueRef i = LLVMGetFirstInstruction(u->cfg.blocks[b].ref); i; i = LLVMGetNextInstruction(i)) {
            if (LLVMIsAStoreInst(i))
                return false;
            if (!tsr__is_plain_load(i) || found)
                continue;
            struct origin o = {.u = u, .loop = loop, .seen = {.arena = &u->arena}};
            find_origin(&o, tsr__accessed_pointer(i));
            found = o.id && o.counter && !o.other;
        }
    }
    return found;
}

/* Marks, for LLVM, the loops of a canonical function without which its private arrays would be registers. False: it has no loops at all. */
static bool mark_array_unroll(struct tsr__compilation *l, LLVMValueRef function)
{
    struct unroll u = {.l = l};
    bool has_loops = tsr__cfg_make(&u.cfg, function, &u.arena) && u.cfg.loop_count;
    if (has_loops) {
        size_t loops = (size_t)u.cfg.loop_count;
        u.all = tsr_arena_alloc(&u.arena, loops);
        u.wanted = tsr_arena_alloc(&u.arena, loops);
        u.checked = tsr_arena_alloc(&u.arena, loops);
        for (int b = 0; b < u.cfg.block_count; b++)
            for (LLVMValueRef i = LLVMGetFirstInstruction(u.cfg.blocks[b].ref); i; i = LLVMGetNextInstruction(i))
                look_at(&u, i);
        begin_search(&u); /* nothing is wanted of the loops around one that fills a tile */
        for (int k = 0; k < u.cfg.loop_count; k++)
            if (!u.all[k] && is_around_loop_over_k(&u, k))
                mark_loop(&u, k, "llvm.loop.unroll.disable");
            else if (!u.all[k] && is_loop_over_k(&u, k))
                replace_hints(&u, k, "llvm.loop.unroll.disable");
            else if (u.all[k] || multiplies_steps(&u, k) || reads_own_again(&u, k))
                mark_loop(&u, k, "llvm.loop.unroll.full");
            else if (fills_tile(&u, k))
                mark_loop(&u, k, "llvm.loop.unroll.enable");
    }
    tsr_arena_free(&u.arena);
    return has_loops;
}

/* Unrolls what is marked, and short loops. */
static const char marked_loops[] = "function(loop(loop-rotate,loop-unroll-full),early-cse,sroa,simplifycfg)";

bool tsr__pass_unroll(struct tsr__compilation *l)
{
    bool loops = false;
    for (uint32_t i = 0; i < l->info->kernel_count; i++)
        loops |= mark_array_unroll(l, tsr__kernel(l, &l->info->kernels[i]));
    return !loops || tsr__run_llvm(l, marked_loops);
}
