/* SPDX-License-Identifier: Apache-2.0
 * Tile stores: accumulators that a program stores with all rows at the same distance go to memory from their tile registers.
 *
 * All tiles that are stored in one place of the program are stored together, where the last of their vectors was stored. That is the
 * same if no two rows overlap. Whether they do is known only at run time, with the distance of rows; so the stores of vectors stay as
 * the other branch of a test. */
#include <string.h>

#include "lanes/ir/explain.h"
#include "lanes/ir/match.h"
#include "lanes/after/nontemporal.h"
#include "lanes/matrix/tiles/tiles.h"

enum { MAX_DEPTH = 8 };

/* Where a tile lies, against the first of the place: rows down, and bytes to the right. */
struct spot {
    struct tsr__live_range *life;
    struct tsr__unpacking *u;
    int64_t row, byte;
};

/* All that is stored in one place. */
struct tsr__pending_tile_store {
    struct tsr__pending_tile_store *next;
    struct tsr__tiles *t;
    LLVMBasicBlockRef block;
    struct spot *spots;
    size_t count;
    LLVMValueRef first, last; /* stores */
    struct tsr__polynomial origin, stride;
    int64_t left, right; /* bytes of a row that are written */
    int argument;        /* of the kernel, if the launch may want all of them past the caches; or -1 */
    bool waits;          /* a loop that waits makes it */
    LLVMValueRef done;   /* have the tiles been stored already? Or NULL */
};

/* ---- which ---- */

/* Does the phi get the vector from the block? */
static bool phi_receives(LLVMValueRef phi, LLVMValueRef v, LLVMBasicBlockRef block)
{
    for (unsigned i = 0; i < LLVMCountIncoming(phi); i++)
        if (LLVMGetIncomingValue(phi, i) == v && LLVMGetIncomingBlock(phi, i) == block)
            return true;
    return false;
}

/* The one store of the vector in the block, cast or not; NULL if it has other users there. */
static LLVMValueRef store_of(const struct tsr__webs *w, LLVMValueRef v, LLVMBasicBlockRef block)
{
    LLVMValueRef found = NULL;
    for (LLVMUseRef use = LLVMGetFirstUse(v); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use), stored = v;
        bool here = LLVMIsAPHINode(user) ? phi_receives(user, v, block) : LLVMGetInstructionParent(user) == block;
        if (!here || tsr__web_of_user(w, user))
            continue;
        LLVMUseRef only = LLVMIsABitCastInst(user) ? LLVMGetFirstUse(user) : NULL;
        if (only && !LLVMGetNextUse(only)) {
            stored = user;
            user = LLVMGetUser(only);
        }
        if (found || !tsr__is_plain_store(user) || LLVMGetInstructionParent(user) != block || LLVMGetOperand(user, 0) != stored)
            return NULL;
        found = user;
    }
    return found;
}

/* Of a tile with fewer rows or columns there are no stores but those of the device. */
static bool is_part(const struct tsr__live_range *life)
{
    return tsr__rows_of_block(life->block) < TSR_TILE_ROWS || tsr__row_of_block(life->block) < TSR_TILE_ROW_BYTES;
}

static bool find_stores(struct tsr__tiles *t, struct tsr__unpacking *u)
{
    const struct tsr__tile_block *block = t->life->block;
    unsigned index = tsr__web_index(u->f), m = u->f->m;
    u->stores = NULL;
    if (is_part(t->life) && tsr__map_get(&t->whole_stores, t->registers.places.at[u->place].ref))
        return false;
    LLVMValueRef *stores = tsr_arena_alloc(&t->l->scratch, (size_t)t->rows * block->columns * sizeof *stores);
    for (unsigned i = 0; i < t->rows * block->columns; i++) {
        unsigned r = i / block->columns, c = i % block->columns;
        stores[i] = store_of(&t->webs, block->fragments[r / m][c][index]->v[r % m], t->registers.places.at[u->place].ref);
        if (!stores[i])
            return false;
    }
    u->stores = stores;
    return true;
}

/* ---- where ---- */

static struct tsr__polynomial store_address(const struct tsr__pending_tile_store *x, LLVMValueRef store)
{
    return tsr__polynomial_of(x->t->l, LLVMGetOperand(store, 1));
}

/* Do the vectors lie as in a tile? Then where against the first tile. */
static bool locate_store(struct tsr__pending_tile_store *x, struct spot *spot)
{
    unsigned columns = spot->life->block->columns, count = tsr__rows_of_block(spot->life->block) * columns;
    LLVMValueRef *stores = spot->u->stores;
    struct tsr__polynomial first = store_address(x, stores[0]);
    if (spot == x->spots) {
        x->origin = first;
        x->stride = tsr__polynomial_constant(INT64_C(1) << 32); /* of one row: no store lies so far to the right */
        if (count > columns) {
            x->stride = store_address(x, stores[columns]);
            x->stride = tsr__polynomial_minus(&x->stride, &first);
        }
    }
    for (unsigned i = 0; i < count; i++) {
        struct tsr__polynomial at = store_address(x, stores[i]),
                               in_row = tsr__polynomial_constant((int64_t)(i % columns * (tsr__row_of_block(spot->life->block) / columns)));
        at = tsr__polynomial_minus(&at, &first);
        at = tsr__polynomial_minus(&at, &in_row);
        if (!at.valid || !tsr__polynomial_is_multiple(&at, &x->stride, i / columns))
            return false;
    }
    first = tsr__polynomial_minus(&first, &x->origin);
    return tsr__polynomial_divide(&first, &x->stride, &spot->row, &spot->byte);
}

static bool spots_overlap(const struct spot *a, const struct spot *b)
{
    int64_t rows = a->row - b->row, right = a->byte - b->byte;
    return rows < TSR_TILE_ROWS && -rows < TSR_TILE_ROWS && right < TSR_TILE_ROW_BYTES && -right < TSR_TILE_ROW_BYTES;
}

static bool lie_apart(struct tsr__pending_tile_store *x)
{
    x->left = x->right = 0;
    for (size_t i = 0; i < x->count; i++) {
        if (!locate_store(x, &x->spots[i]))
            return false;
        int64_t left = x->spots[i].byte, right = left + tsr__row_of_block(x->spots[i].life->block);
        x->left = left < x->left ? left : x->left;
        x->right = right > x->right ? right : x->right;
        for (size_t k = 0; k < i; k++)
            if (spots_overlap(&x->spots[i], &x->spots[k]))
                return false;
    }
    return x->stride.count || x->stride.constant >= x->right - x->left;
}

/* ---- when ---- */

static unsigned stores_of(const struct spot *spot)
{
    return tsr__rows_of_block(spot->life->block) * spot->life->block->columns;
}

static bool is_ours(const struct tsr__pending_tile_store *x, LLVMValueRef inst)
{
    for (size_t i = 0; i < x->count; i++)
        for (unsigned k = 0; k < stores_of(&x->spots[i]); k++)
            if (x->spots[i].u->stores[k] == inst)
                return true;
    return false;
}

static bool adds_to(const struct tsr__live_range *life, LLVMValueRef inst)
{
    for (unsigned i = 0; i < life->block->rows * life->block->columns; i++) {
        const struct tsr__web *web = life->block->webs[i / life->block->columns][i % life->block->columns];
        for (unsigned k = 0; k < web->mad_count; k++)
            if (web->mads[k]->mad.call == inst)
                return true;
    }
    return false;
}

bool tsr__accesses_memory(LLVMValueRef inst)
{
    return LLVMIsALoadInst(inst) || LLVMIsACallInst(inst) || tsr__stores_or_orders(inst);
}

/* Can they wait for the last of them? Nothing else touches memory in between, and the registers hold the same until then. */
static bool can_delay(struct tsr__pending_tile_store *x)
{
    unsigned seen = 0, all = 0;
    for (size_t i = 0; i < x->count; i++)
        all += stores_of(&x->spots[i]);
    x->first = x->last = NULL;
    for (LLVMValueRef i = LLVMGetFirstInstruction(x->block); seen < all; i = LLVMGetNextInstruction(i)) {
        for (size_t k = 0; k < x->count; k++) {
            const struct tsr__fragment *f = x->spots[k].u->f;
            bool holds = !f->mad || f->block != x->block ||
                         tsr__map_get(&x->t->webs.order, i) - 1 > tsr__last_operation(x->spots[k].life->block, f->mad)->order;
            if (holds && adds_to(x->spots[k].life, i))
                return false;
        }
        if (is_ours(x, i)) {
            seen++;
            x->first = x->first ? x->first : i;
            x->last = i;
        } else if (x->first && tsr__accesses_memory(i)) {
            return false;
        }
    }
    return true;
}

/* The argument that all the stores are marked with, or -1. */
static int streamed_to(const struct tsr__pending_tile_store *x)
{
    int argument = tsr__nontemporal_argument(x->t->l, x->first);
    for (size_t i = 0; i < x->count; i++)
        for (unsigned k = 0; k < stores_of(&x->spots[i]); k++)
            if (tsr__nontemporal_argument(x->t->l, x->spots[i].u->stores[k]) != argument)
                return -1;
    return argument;
}

static struct tsr__pending_tile_store *all_from(struct tsr__tiles *t, int place, size_t most)
{
    struct tsr__pending_tile_store *x = tsr_arena_alloc(&t->l->scratch, sizeof *x);
    *x = (struct tsr__pending_tile_store){
        .t = t, .block = t->registers.places.at[place].ref, .spots = tsr_arena_alloc(&t->l->scratch, most * sizeof(struct spot))};
    for (size_t n = 0; n < t->webs.block_count; n++) {
        struct tsr__live_range *life = &t->registers.live_ranges[n];
        for (size_t k = 0; k < life->unpacking_count && life->accumulator >= 0; k++)
            if (life->unpackings[k].place == place && life->unpackings[k].stores)
                x->spots[x->count++] = (struct spot){.life = life, .u = &life->unpackings[k]};
    }
    return x;
}

void tsr__tile_stores_find(struct tsr__tiles *t)
{
    size_t most = 0;
    for (size_t n = 0; n < t->webs.block_count; n++) {
        if (t->registers.live_ranges[n].accumulator < 0)
            continue;
        tsr__tiles_select(t, &t->registers.live_ranges[n]);
        for (size_t k = 0; k < t->life->unpacking_count; k++)
            most += find_stores(t, &t->life->unpackings[k]);
    }
    for (int place = 0; place < t->registers.places.count && most; place++) {
        struct tsr__pending_tile_store *x = all_from(t, place, most);
        if (x->count && x->block != LLVMGetEntryBasicBlock(t->webs.function) && lie_apart(x) && can_delay(x)) {
            x->next = t->pending_stores;
            x->argument = streamed_to(x);
            t->pending_stores = x;
            continue;
        }
        for (size_t i = 0; i < x->count; i++)
            x->spots[i].u->stores = NULL;
    }
}

static bool has_parts(const struct tsr__pending_tile_store *x)
{
    for (size_t i = 0; i < x->count; i++)
        if (is_part(x->spots[i].life))
            return true;
    return false;
}

bool tsr__tile_stores_refuse(struct tsr__tiles *t)
{
    bool any = false;
    for (struct tsr__pending_tile_store *x = t->pending_stores; x; x = x->next)
        if (has_parts(x) && !x->waits) {
            tsr__map_set(&t->whole_stores, x->block, 1);
            any = true;
        }
    return any;
}

/* ---- early ---- */

/* But in the next round of the loop of one block that makes it. */
static bool is_only_stored(const struct spot *spot)
{
    const struct tsr__fragment *f = spot->u->f;
    if (spot->life->unpacking_count != 1)
        return false;
    for (unsigned i = 0; i < f->web->fragment_count; i++) {
        const struct tsr__fragment *other = f->web->fragments[i];
        for (unsigned e = 0; e < other->in_count; e++)
            if (other->in[e] == f && other->block != f->block)
                return false;
    }
    for (unsigned i = 0; i < f->web->mad_count; i++)
        if (f->web->mads[i]->c == f)
            return false;
    return true;
}

/* Is it the first thing that the block does to memory? */
static bool comes_first(const struct tsr__pending_tile_store *x)
{
    LLVMValueRef i = LLVMGetFirstInstruction(x->block);
    while (!tsr__accesses_memory(i))
        i = LLVMGetNextInstruction(i);
    return i == x->first;
}

static const struct spot *spot_of(const struct tsr__pending_tile_store *x, const struct tsr__live_range *life)
{
    for (size_t i = 0; i < x->count; i++)
        if (x->spots[i].life == life)
            return &x->spots[i];
    return NULL;
}

/* Is the value known where `from` begins, or can be? What stands in it or in the block of the stores is made there once more, if it is
 * arithmetic. */
static bool can_come(const struct tsr__pending_tile_store *x, LLVMBasicBlockRef from, LLVMValueRef v, int depth)
{
    LLVMBasicBlockRef at = LLVMIsAInstruction(v) ? LLVMGetInstructionParent(v) : NULL;
    if (!at || (at != from && at != x->block) || (at == from && LLVMIsAPHINode(v)))
        return true;
    bool arithmetic = LLVMIsABinaryOperator(v) || LLVMIsACastInst(v) || LLVMIsAICmpInst(v) || LLVMIsASelectInst(v);
    for (int i = 0; arithmetic && i < LLVMGetNumOperands(v); i++)
        arithmetic = depth && can_come(x, from, LLVMGetOperand(v, (unsigned)i), depth - 1);
    return arithmetic;
}

static LLVMValueRef value_from(const struct tsr__pending_tile_store *x, LLVMBasicBlockRef from, LLVMValueRef v)
{
    LLVMBasicBlockRef at = LLVMIsAInstruction(v) ? LLVMGetInstructionParent(v) : NULL;
    if (!at || (at != from && at != x->block) || LLVMIsAPHINode(v))
        return v;
    LLVMValueRef copy = LLVMInstructionClone(v);
    for (int i = 0; i < LLVMGetNumOperands(v); i++)
        LLVMSetOperand(copy, (unsigned)i, value_from(x, from, LLVMGetOperand(v, (unsigned)i)));
    LLVMInsertIntoBuilder(x->t->b, copy);
    return copy;
}

static bool all_can_come(const struct tsr__pending_tile_store *x, LLVMBasicBlockRef from, const struct tsr__polynomial *sum)
{
    for (unsigned i = 0; i < sum->count; i++)
        for (int k = 0; k < TSR__MAX_FACTORS; k++)
            if (sum->terms[i].factors[k].value && !can_come(x, from, sum->terms[i].factors[k].value, MAX_DEPTH))
                return false;
    return true;
}

static LLVMValueRef build_early(const struct tsr__pending_tile_store *x, LLVMBasicBlockRef from, struct tsr__polynomial sum)
{
    for (unsigned i = 0; i < sum.count; i++)
        for (int k = 0; k < TSR__MAX_FACTORS; k++)
            if (sum.terms[i].factors[k].value)
                sum.terms[i].factors[k].value = value_from(x, from, sum.terms[i].factors[k].value);
    return tsr__polynomial_build(x->t->l, x->t->b, &sum);
}

struct tsr__pending_tile_store *tsr__tile_store_at(struct tsr__tiles *t, LLVMBasicBlockRef block, LLVMBasicBlockRef from,
                                                   struct tsr__live_range *const *live_ranges, unsigned rows, unsigned columns)
{
    struct tsr__pending_tile_store *x = t->pending_stores;
    while (x && x->block != block)
        x = x->next;
    if (!x || x->count != rows * columns || x->done || !comes_first(x) || !all_can_come(x, from, &x->origin) ||
        !all_can_come(x, from, &x->stride))
        return NULL;
    for (unsigned i = 0; i < rows * columns; i++) {
        const struct spot *spot = spot_of(x, live_ranges[i]);
        if (!spot || !is_only_stored(spot) || spot->row != (int64_t)(i / columns * TSR_TILE_ROWS) ||
            spot->byte != (int64_t)(i % columns * TSR_TILE_ROW_BYTES))
            return NULL;
    }
    return x;
}

bool tsr__tile_store_has(const struct tsr__pending_tile_store *x, LLVMValueRef store)
{
    return is_ours(x, store);
}

bool tsr__tile_store_is_global(const struct tsr__pending_tile_store *x)
{
    return tsr__is_global_memory(LLVMGetOperand(x->first, 1));
}

LLVMBasicBlockRef tsr__tile_store_block(const struct tsr__pending_tile_store *x)
{
    return x->block;
}

LLVMValueRef tsr__tile_store_address(const struct tsr__pending_tile_store *x)
{
    return LLVMGetOperand(x->first, 1);
}

/* Do tiles at this distance not overlap? */
static LLVMValueRef are_apart(const struct tsr__pending_tile_store *x, LLVMValueRef stride)
{
    return LLVMBuildICmp(x->t->b, LLVMIntSGE, stride, tsr__i64(x->t->l, (uint64_t)(x->right - x->left)), "");
}

LLVMValueRef tsr__tile_store_destination(struct tsr__pending_tile_store *x, LLVMBasicBlockRef from, LLVMValueRef *stride,
                                         LLVMValueRef *past)
{
    LLVMBuilderRef b = x->t->b;
    LLVMTypeRef ptr = tsr__ptr(x->t->l);
    *past = tsr__i64(x->t->l, 0);
    if (x->argument >= 0)
        *past = LLVMBuildZExt(b, tsr__tile_nontemporal_flag(x->t, x->argument), LLVMInt64TypeInContext(x->t->l->context), "");
    *stride = build_early(x, from, x->stride);
    LLVMValueRef at = LLVMBuildIntToPtr(b, build_early(x, from, x->origin), ptr, "");
    return LLVMBuildSelect(b, are_apart(x, *stride), at, LLVMConstNull(ptr), "");
}

void tsr__tile_store_waits(struct tsr__pending_tile_store *x)
{
    x->waits = true;
}

void tsr__tile_store_done(struct tsr__pending_tile_store *x, LLVMBasicBlockRef from, LLVMValueRef done)
{
    struct tsr__tiles *t = x->t;
    x->done = done;
    if (from == x->block)
        return;
    LLVMPositionBuilderBefore(t->b, LLVMGetFirstInstruction(x->block));
    x->done = LLVMBuildPhi(t->b, LLVMTypeOf(done), "");
    for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(t->webs.function); bb; bb = LLVMGetNextBasicBlock(bb)) {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(bb), v = bb == from ? done : LLVMConstNull(LLVMTypeOf(done));
        for (unsigned i = 0; i < LLVMGetNumSuccessors(end); i++)
            if (LLVMGetSuccessor(end, i) == x->block)
                LLVMAddIncoming(x->done, &v, &bb, 1);
    }
}

/* ---- code ---- */

static void move_to_end(struct tsr__tiles *t, LLVMValueRef inst, LLVMBasicBlockRef block)
{
    LLVMInstructionRemoveFromParent(inst);
    LLVMPositionBuilderAtEnd(t->b, block);
    LLVMInsertIntoBuilder(t->b, inst);
}

/* All up to the last store goes to a block in front, the stores excepted, which go to `slow`. */
static LLVMBasicBlockRef split_before_stores(struct tsr__pending_tile_store *x, LLVMBasicBlockRef slow)
{
    struct tsr__tiles *t = x->t;
    LLVMBasicBlockRef block = x->block, head = LLVMInsertBasicBlockInContext(t->l->context, block, "");
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(t->webs.function); b; b = LLVMGetNextBasicBlock(b)) {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(b);
        for (unsigned i = 0; end && i < LLVMGetNumSuccessors(end); i++)
            if (LLVMGetSuccessor(end, i) == block)
                LLVMSetSuccessor(end, i, head);
    }
    for (LLVMValueRef i = LLVMGetFirstInstruction(block), next; i; i = next) {
        next = i == x->last ? NULL : LLVMGetNextInstruction(i);
        move_to_end(t, i, is_ours(x, i) ? slow : head);
    }
    return head;
}

/* In `slow`, which holds the stores: what they store. */
static void store_vectors(struct tsr__pending_tile_store *x, LLVMBasicBlockRef slow)
{
    struct tsr__tiles *t = x->t;
    LLVMValueRef first = LLVMGetFirstInstruction(slow);
    for (size_t i = 0; i < x->count; i++) {
        struct tsr__unpacked made;
        unsigned columns = x->spots[i].life->block->columns;
        tsr__tiles_select(t, x->spots[i].life);
        LLVMPositionBuilderBefore(t->b, first);
        tsr__tile_vectors(t, LLVMTypeOf(x->spots[i].u->f->v[0]), &made);
        for (unsigned k = 0; k < stores_of(&x->spots[i]); k++)
            LLVMSetOperand(x->spots[i].u->stores[k], 0, made.rows[k / columns][k % columns]);
    }
}

/* At the builder: whether the launch wants the tiles past the caches, and all their rows fill lines. NULL: never. */
static LLVMValueRef goes_past(struct tsr__pending_tile_store *x, LLVMValueRef stride)
{
    struct tsr__tiles *t = x->t;
    LLVMValueRef all = stride;
    if (x->argument < 0)
        return NULL;
    for (size_t i = 0; i < x->count; i++) {
        LLVMValueRef at = LLVMBuildPtrToInt(t->b, LLVMGetOperand(x->spots[i].u->stores[0], 1), LLVMTypeOf(stride), "");
        all = LLVMBuildOr(t->b, all, at, "");
    }
    LLVMValueRef rest = LLVMBuildAnd(t->b, all, tsr__i64(t->l, TSR_TILE_ROW_BYTES - 1), "");
    LLVMValueRef fills = LLVMBuildICmp(t->b, LLVMIntEQ, rest, tsr__i64(t->l, 0), "");
    return LLVMBuildAnd(t->b, tsr__tile_nontemporal_flag(t, x->argument), fills, "");
}

/* Row by row, from where the tile lies on the stack. */
static void store_past(struct tsr__pending_tile_store *x, const struct spot *spot, LLVMValueRef stride)
{
    struct tsr__tiles *t = x->t;
    LLVMTypeRef i8 = LLVMInt8TypeInContext(t->l->context),
                row = LLVMVectorType(LLVMInt32TypeInContext(t->l->context), TSR_TILE_ROW_BYTES / 4);
    LLVMValueRef to = LLVMGetOperand(spot->u->stores[0], 1), from = tsr__tile_on_stack(t, spot->life->accumulator);
    for (unsigned r = 0; r < TSR_TILE_ROWS; r++) {
        LLVMValueRef v = LLVMBuildLoad2(t->b, row, tsr__at_offset(t->l, t->b, from, r * TSR_TILE_ROW_BYTES), "");
        LLVMSetAlignment(v, TSR_TILE_ROW_BYTES);
        tsr__nontemporal_store(t->l, t->b, v, to, TSR_TILE_ROW_BYTES);
        to = LLVMBuildGEP2(t->b, i8, to, &stride, 1, "");
    }
}

static void emit_tile_store(struct tsr__pending_tile_store *x)
{
    struct tsr__tiles *t = x->t;
    tsr__explain(t->l, x->first, "store", "tiles", "%zu of them straight to memory%s, if their rows do not overlap", x->count,
                 x->done ? " at the end of the loop" : "");
    LLVMBasicBlockRef block = x->block;
    LLVMBasicBlockRef fast = LLVMInsertBasicBlockInContext(t->l->context, block, ""),
                      slow = LLVMInsertBasicBlockInContext(t->l->context, block, ""), head = split_before_stores(x, slow);
    LLVMMoveBasicBlockBefore(head, fast);
    store_vectors(x, slow);
    LLVMPositionBuilderAtEnd(t->b, slow);
    LLVMBuildBr(t->b, block);
    LLVMPositionBuilderAtEnd(t->b, head);
    if (x->done) {
        LLVMBasicBlockRef rest = LLVMInsertBasicBlockInContext(t->l->context, fast, "");
        LLVMBuildCondBr(t->b, LLVMBuildIsNull(t->b, x->done, ""), rest, block);
        LLVMPositionBuilderAtEnd(t->b, rest);
    }
    LLVMValueRef stride = tsr__polynomial_build(t->l, t->b, &x->stride);
    if (has_parts(x)) { /* which no tile store has */
        LLVMBuildBr(t->b, slow);
        LLVMDeleteBasicBlock(fast);
        return;
    }
    LLVMBuildCondBr(t->b, are_apart(x, stride), fast, slow);
    LLVMPositionBuilderAtEnd(t->b, fast);
    LLVMValueRef past = goes_past(x, stride);
    if (past) {
        LLVMBasicBlockRef usual = LLVMInsertBasicBlockInContext(t->l->context, slow, ""),
                          around = LLVMInsertBasicBlockInContext(t->l->context, slow, "");
        LLVMBuildCondBr(t->b, past, around, usual);
        LLVMPositionBuilderAtEnd(t->b, around);
        for (size_t i = 0; i < x->count; i++)
            store_past(x, &x->spots[i], stride);
        LLVMBuildBr(t->b, block);
        LLVMPositionBuilderAtEnd(t->b, usual);
    }
    for (size_t i = 0; i < x->count; i++)
        tsr__tile_store(t, x->spots[i].life->accumulator, LLVMGetOperand(x->spots[i].u->stores[0], 1), stride);
    LLVMBuildBr(t->b, block);
    tsr__sink_to_cold_block(t->l, slow);
}

void tsr__tile_stores_make(struct tsr__tiles *t)
{
    for (struct tsr__pending_tile_store *x = t->pending_stores; x; x = x->next)
        emit_tile_store(x);
}
