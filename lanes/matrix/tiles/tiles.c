/* SPDX-License-Identifier: Apache-2.0
 * The pass `tiles`: matrix operations in AMX's tile registers. Accumulators stay in registers through loops. A and B are tile loads
 * where their rows lie at a constant distance in memory; else they go by way of a buffer on the stack.
 *
 * The device configures the registers once for a range of work-groups, since that takes longer than a hundred multiplications. As a rule
 * every register has 16 rows of 64 bytes, and operands with fewer rows or bytes lie in a buffer that is filled up with zeros. Kernels with
 * single operations of 32 bytes of K (the last step where K is odd, the only step of a small matrix) reserve two registers of the shapes
 * of such operands, *halves*; and in kernels whose blocks all have eight rows or fewer accumulators and A have eight. */
#include <string.h>

#include "lanes/ir/explain.h"
#include "lanes/ir/match.h"
#include "lanes/matrix/tiles/tiles.h"
#include "lanes/prepare/unroll.h"

/* ---- A and B ---- */

/* Calls the device, which packs the tile into the buffer, or if that need not be has it elsewhere. Answers where it is. */
static LLVMValueRef emit_pack(struct tsr__tiles *t, const struct tsr__source *s, LLVMValueRef memory, LLVMValueRef from,
                              const struct tsr__polynomial *stride, bool by_columns, bool in_buffer)
{
    unsigned how = tsr__tile_product_bits(t, s->product) | (s->half ? TSR_TILE_HALF_K : 0u) | (by_columns ? TSR_TILE_B_COLUMNS : 0u);
    LLVMValueRef args[5] = {NULL, memory, LLVMBuildAddrSpaceCast(t->b, from, tsr__ptr(t->l), ""), tsr__polynomial_build(t->l, t->b, stride),
                            tsr__i32(t->l, how)};
    if (!in_buffer && tsr__tile_is_full(s))
        args[4] = LLVMBuildOr(t->b, args[4], tsr__tile_keeps(t, from), "");
    LLVMValueRef call = tsr__tile_call(t, tsr__ptr(t->l), TSR__RT_PREFIX "tile_pack", args, 5);
    tsr__tile_note_early(t, call);
    return call;
}

static enum tsr__operand_place load_operand_tile(struct tsr__tiles *t, int to, const struct tsr__source *s, LLVMValueRef point)
{
    struct tsr__polynomial stride;
    const bool in_memory = to >= TSR_TILE_COUNT && t->unit == TSR__TILES_AMX;
    if (!in_memory && tsr__tile_in_place(t, s, point, &stride)) {
        tsr__tile_load(t, to, LLVMGetOperand(s->from[0], 0), tsr__polynomial_build(t->l, t->b, &stride), s);
        return TSR__IN_PLACE;
    }
    LLVMValueRef memory = in_memory ? tsr__tile_slot(t, to) : tsr__tile_buffer(t, !tsr__tile_is_full(s)), first;
    const bool by_rows = s->product && tsr__tile_by_rows(t, s, point, &first, &stride),
               by_columns = s->product && !by_rows && tsr__tile_by_columns(t, s, point, &first, &stride);
    if (by_rows || by_columns)
        memory = emit_pack(t, s, memory, first, &stride, by_columns, in_memory);
    for (unsigned i = 0; !by_rows && !by_columns && i < s->rows * s->chunks; i++) {
        LLVMValueRef at = tsr__at_offset(t->l, t->b, memory, i / s->chunks * TSR_TILE_ROW_BYTES + i % s->chunks * s->chunk_bytes),
                     store = LLVMBuildStore(t->b, s->from[i], at);
        LLVMSetAlignment(store, s->chunk_bytes);
        if (!in_memory)
            tsr__tile_note_early(t, store);
    }
    if (!in_memory)
        tsr__tile_load(t, to, memory, tsr__i64(t->l, TSR_TILE_ROW_BYTES), s);
    return by_rows ? TSR__PACKED : by_columns ? TSR__PACKED_COLUMNS : TSR__FROM_VECTORS;
}

/* Forgets what may have changed since the last operation. */
static void drop_stale(struct tsr__tiles *t, LLVMValueRef point)
{
    bool holds = t->block == LLVMGetInstructionParent(point);
    for (LLVMValueRef i = holds ? t->last : point; i != point; i = LLVMGetNextInstruction(i))
        holds = holds && !tsr__clobbers_tiles(i);
    if (!holds)
        memset(t->loaded, 0, sizeof t->loaded);
    t->block = LLVMGetInstructionParent(point);
    t->last = point;
}

/* Is it a register for such operands? */
static bool register_suits(const struct tsr__tiles *t, const struct tsr__source *s, int number)
{
    const struct tsr_tile_shape shape = tsr_tile_shape(t->shapes, (unsigned)number);
    return shape.rows == s->shape.rows && shape.bytes == s->shape.bytes && !(t->registers.in_memory && number == TSR__SCRATCH_TILE);
}

/* The answer is the register that has the operand; `not` is in use. */
static int operand_register(struct tsr__tiles *t, const struct tsr__source *s, LLVMValueRef point, int not)
{
    uint32_t count = s->rows * s->chunks, taken = t->registers.places.at[tsr__map_number(&t->registers.places.number, t->block)].taken;
    int to = -1;
    t->clock++;
    for (int i = 0; i < TSR_TILE_COUNT; i++) {
        struct tsr__loaded *have = &t->loaded[i];
        if (have->count == count && have->product == s->product && have->is_b == s->is_b &&
            !memcmp(have->from, s->from, count * sizeof *s->from)) {
            have->used = t->clock;
            return i;
        }
        if (!(taken >> i & 1) && i != not && register_suits(t, s, i) && (to < 0 || have->used < t->loaded[to].used))
            to = i;
    }
    TSR__REQUIRE(to >= 0); /* accumulators leave a register for each side of a product */
    t->loaded[to] = (struct tsr__loaded){.count = count, .used = t->clock, .product = s->product, .is_b = s->is_b};
    t->loaded[to].place = load_operand_tile(t, to, s, point);
    memcpy(t->loaded[to].from, s->from, count * sizeof *s->from);
    return to;
}

/* ---- accumulators ---- */

/* Fills the accumulator with vectors that come from elsewhere, before `point`, where the builder stands. */
static void fill_accumulator(struct tsr__tiles *t, const struct tsr__fragment *to, unsigned edge, LLVMValueRef point)
{
    unsigned columns = t->life->block->columns, m = to->m;
    struct tsr__source all = {.rows = t->rows, .chunks = columns, .chunk_bytes = t->chunk, .shape = {TSR_TILE_ROWS, TSR_TILE_ROW_BYTES}};
    for (unsigned i = 0; i < t->rows * columns; i++)
        all.from[i] = tsr__external_value(t->life->block, to, edge, i / columns / m, i % columns)->v[i / columns % m];
    if (tsr__tile_starts_zero(t, to, edge))
        tsr__tile_zero(t, t->life->accumulator);
    else
        load_operand_tile(t, t->life->accumulator, &all, point);
}

static void note_places(const struct tsr__multiply *x, enum tsr__operand_place a, enum tsr__operand_place b, bool in_loop,
                        const char *runs_now, bool twice)
{
    const struct tsr__tile_block *block = x->life->block;
    for (unsigned n = x->first->number; n <= x->last->number; n++)
        for (unsigned i = 0; i < block->rows * block->columns; i++) {
            struct tsr__tile_mad *mad = block->webs[i / block->columns][i % block->columns]->mads[n];
            mad->a = a;
            mad->b = b;
            mad->in_loop = in_loop;
            mad->runs_now = runs_now;
            mad->twice = twice;
            mad->in_memory = x->life->accumulator >= TSR_TILE_COUNT;
        }
}

static void emit_multiply(struct tsr__tiles *t, const struct tsr__multiply *x)
{
    struct tsr__source a, b;
    LLVMValueRef point = x->latest->mad.call;
    enum tsr__operand_place place_of_a, place_of_b;
    const char *runs_now;
    bool twice;
    tsr__tiles_select(t, x->life);
    if (tsr__in_tile_loop(t, x, &place_of_a, &place_of_b, &runs_now, &twice)) {
        note_places(x, place_of_a, place_of_b, true, runs_now, twice);
        return;
    }
    LLVMPositionBuilderBefore(t->b, point);
    if (!x->first->c->web)
        fill_accumulator(t, x->first->d, 0, point);
    tsr__tile_sources(t, x, t->shapes, &a, &b);
    drop_stale(t, point);
    int in_a = operand_register(t, &a, point, -1), in_b = operand_register(t, &b, point, in_a);
    tsr__tile_multiply(t, &a, x->life->accumulator, in_a, in_b);
    note_places(x, t->loaded[in_a].place, t->loaded[in_b].place, false, NULL, false);
}

/* ---- vectors again ---- */

/* Behind the operation that stands in the place, or at its start. */
static void stand_for_unpacking(struct tsr__tiles *t, const struct tsr__unpacking *u)
{
    LLVMBasicBlockRef block = t->registers.places.at[u->place].ref;
    LLVMValueRef at = LLVMGetFirstInstruction(block);
    if (u->f->mad && u->f->block == block)
        at = LLVMGetNextInstruction(tsr__last_operation(t->life->block, u->f->mad)->mad.call);
    LLVMPositionBuilderBefore(t->b, tsr__after_phis(at));
}

static void give_vectors(struct tsr__tiles *t, const struct tsr__unpacked *from, LLVMBasicBlockRef block, LLVMValueRef v, unsigned row,
                         unsigned column)
{
    size_t n = 0;
    for (LLVMUseRef use = LLVMGetFirstUse(v); use; use = LLVMGetNextUse(use))
        n++;
    LLVMValueRef *users = tsr_arena_alloc(&t->l->scratch, (n + 1) * sizeof *users);
    n = 0;
    for (LLVMUseRef use = LLVMGetFirstUse(v); use; use = LLVMGetNextUse(use))
        if (!tsr__web_of_user(&t->webs, LLVMGetUser(use)))
            users[n++] = LLVMGetUser(use);
    for (size_t i = 0; i < n; i++)
        for (unsigned k = 0; k < (unsigned)LLVMGetNumOperands(users[i]); k++) {
            LLVMBasicBlockRef at = LLVMIsAPHINode(users[i]) ? LLVMGetIncomingBlock(users[i], k) : LLVMGetInstructionParent(users[i]);
            if (at == block && LLVMGetOperand(users[i], k) == v)
                LLVMSetOperand(users[i], k, from->rows[row][column]);
        }
}

/* Gives the users in one place vectors. */
static void emit_unpacking(struct tsr__tiles *t, const struct tsr__unpacking *u)
{
    const struct tsr__tile_block *block = t->life->block;
    unsigned index = tsr__web_index(u->f), m = u->f->m;
    struct tsr__unpacked made;
    stand_for_unpacking(t, u);
    tsr__tile_vectors(t, LLVMTypeOf(u->f->v[0]), &made);
    for (unsigned r = 0; r < t->rows; r++)
        for (unsigned c = 0; c < block->columns; c++)
            give_vectors(t, &made, t->registers.places.at[u->place].ref, block->fragments[r / m][c][index]->v[r % m], r, c);
}

/* ---- calls ---- */

/* Where the function is left for a while, as at a barrier, accumulators wait on the stack. */
static void save_around_calls(struct tsr__tiles *t)
{
    LLVMValueRef buffers[TSR_TILE_COUNT] = {0};
    for (int p = 0; p < t->registers.places.count; p++) {
        const struct tsr__alloc_block *place = &t->registers.places.at[p];
        for (LLVMValueRef i = LLVMGetFirstInstruction(place->ref); i && place->taken; i = LLVMGetNextInstruction(i)) {
            if (!tsr__clobbers_tiles(i))
                continue;
            for (int n = 0; n < TSR_TILE_COUNT; n++) {
                if (!(place->taken >> n & 1))
                    continue;
                buffers[n] = buffers[n] ? buffers[n] : tsr__tile_buffer(t, false);
                LLVMPositionBuilderBefore(t->b, i);
                tsr__tile_put(t, n, buffers[n]);
                LLVMPositionBuilderBefore(t->b, LLVMGetNextInstruction(i));
                tsr__tile_fetch(t, n, buffers[n]);
            }
        }
    }
}

/* ---- a function ---- */

static struct tsr__multiply *all_multiplies(struct tsr__tiles *t, size_t *count)
{
    struct tsr__multiply *list = tsr_arena_alloc(&t->l->scratch, (t->webs.mad_count + 1) * sizeof *list);
    *count = 0;
    for (size_t n = 0; n < t->webs.block_count; n++) {
        struct tsr__live_range *life = &t->registers.live_ranges[n];
        const struct tsr__web *first = life->block->webs[0][0];
        for (unsigned i = 0; i < first->mad_count && life->accumulator >= 0; i++) {
            const struct tsr__tile_mad *begin = first->mads[i];
            i += begin->joins_next;
            struct tsr__multiply x = {life, begin, first->mads[i], tsr__last_operation(life->block, first->mads[i])};
            size_t at = (*count)++;
            for (; at > 0 && list[at - 1].latest->order > x.latest->order; at--)
                list[at] = list[at - 1];
            list[at] = x;
        }
    }
    return list;
}

static bool share_operand(struct tsr__tiles *t, const struct tsr__multiply *x, const struct tsr__multiply *y)
{
    struct tsr__source a[2], b[2];
    tsr__tiles_select(t, x->life);
    tsr__tile_sources(t, x, t->shapes, &a[0], &b[0]);
    tsr__tiles_select(t, y->life);
    tsr__tile_sources(t, y, t->shapes, &a[1], &b[1]);
    return !memcmp(a[0].from, a[1].from, sizeof a[0].from) || !memcmp(b[0].from, b[1].from, sizeof b[0].from);
}

/* Can it wait for the next one? Its results are not looked at where it stands. */
static bool can_join_next(const struct tsr__tiles *t, const struct tsr__multiply *x, const struct tsr__multiply *next)
{
    for (size_t i = 0; i < x->life->unpacking_count; i++)
        if (t->registers.places.at[x->life->unpackings[i].place].ref == x->latest->block)
            return false;
    return x->latest->block == next->latest->block && x->life != next->life;
}

/* With few registers for operands, each is to have one in common with that before it: along one row of a block, and back along the next. */
static void go_back_and_forth(struct tsr__tiles *t, struct tsr__multiply *list, size_t count)
{
    for (size_t i = 1; i + 1 < count; i++) {
        struct tsr__multiply x = list[i];
        if (share_operand(t, &list[i - 1], &x) || !share_operand(t, &list[i - 1], &list[i + 1]) || !can_join_next(t, &x, &list[i + 1]))
            continue;
        list[i] = list[i + 1];
        list[i + 1] = x;
        list[i + 1].latest = list[i].latest;
    }
}

static void fill_for_phis(struct tsr__tiles *t)
{
    const struct tsr__web *first = t->life->block->webs[0][0];
    for (unsigned i = 0; i < first->fragment_count; i++) {
        struct tsr__fragment *f = first->fragments[i];
        for (unsigned e = 0; e < f->in_count; e++) {
            const struct tsr__fragment *phi = f;
            unsigned edge = e;
            if (f->in[e]->web || !tsr__is_first_receiver(t->life->block, &phi, &edge) || tsr__tile_loop_fills(t, t->life, f))
                continue;
            LLVMValueRef end = LLVMGetBasicBlockTerminator(LLVMGetIncomingBlock(f->v[0], e));
            LLVMPositionBuilderBefore(t->b, end);
            fill_accumulator(t, f, e, end);
        }
    }
}

static void explain_webs(struct tsr__tiles *t, const struct tsr__tile_mad *in_tiles)
{
    const struct tsr__mad *mad = &in_tiles->mad;
    static const char *const text[] = {
        [TSR__TILES_AMX] = "accumulators stay in tile registers",
        [TSR__TILES_MODEL] = "tiles in plain C, as TESSERA_TILES asks",
        [TSR__TILES_VECTORS] = "blocks of 16 x 16, 64 bytes of K at a time",
    };
    enum tsr_tile_product number = tsr__tile_product(t->l, t->unit, mad->f)->number;
    const char *bytes = tsr__has(t->l, TSR_CPU_AVX512VNNI) ? "VPDPBUSD" : "VPMADDWD";
    const char *by_vectors = number < TSR_TILE_BF16 ? bytes : number == TSR_TILE_BF16_PAIRS ? "VDPBF16PS" : "VFMADD";
    const char *verdict = t->unit == TSR__TILES_AMX ? "AMX" : t->unit == TSR__TILES_MODEL ? "model" : by_vectors;
    static const char *const from[] = {[TSR__FROM_VECTORS] = "by way of the stack",
                                       [TSR__IN_PLACE] = "straight from memory",
                                       [TSR__PACKED] = "from rows in memory, which are packed",
                                       [TSR__PACKED_COLUMNS] = "from columns in memory, a lane each, which are packed",
                                       [TSR__COMPUTED] = "computed by the loop's code where it is packed"};
    bool same = in_tiles->a == in_tiles->b;
    const char *more = in_tiles->in_loop ? "; all rounds of the loop at once" : "", *others = "", *why = "";
    if (in_tiles->in_loop && in_tiles->runs_now) {
        others = ", but without those of other work-groups: ";
        why = in_tiles->runs_now;
    } else if (in_tiles->in_loop) {
        others = ", with those of work-groups that share A or B, which are packed once for all of them";
        why = in_tiles->twice ? "; work-groups run up to the loop first, and once more with its results" : "";
    }
    if (in_tiles->in_memory && !in_tiles->in_loop)
        more = "; the accumulator lies in memory, as there are more than registers";
    tsr__explain(t->l, mad->call, "matrix", verdict, "%s for %u lanes%s: %s; A%s%s%s %s%s%s%s", mad->called->name, mad->lanes,
                 tsr__mad_origin(mad), text[t->unit], same ? "" : " ", same ? "" : from[in_tiles->a], same ? " and B" : ", B",
                 from[in_tiles->b], more, others, why);
}

static void drop_web(struct tsr__tiles *t, struct tsr__web *web)
{
    for (unsigned i = 0; i < web->mad_count; i++)
        explain_webs(t, web->mads[i]);
    for (unsigned i = 0; i < web->fragment_count; i++)
        for (unsigned k = 0; k < web->m; k++) {
            LLVMValueRef v = web->fragments[i]->v[k];
            LLVMReplaceAllUsesWith(v, LLVMGetPoison(LLVMTypeOf(v)));
            LLVMInstructionEraseFromParent(v);
        }
    for (unsigned i = 0; i < web->mad_count; i++)
        LLVMInstructionEraseFromParent(web->mads[i]->mad.call);
}

/* Leaves a note at each operation that stays a vector's. */
static void note_reasons(struct tsr__tiles *t)
{
    size_t n;
    LLVMValueRef *code = tsr__instructions(t->l, t->webs.function, &n);
    for (size_t i = 0; i < n; i++) {
        struct tsr__mad mad;
        if (tsr__mad_read(code[i], &mad))
            tsr__mad_note(t->l, code[i],
                          tsr__tile_product(t->l, t->unit, mad.f) ? "its result is not taken apart at once"
                                                                  : "they have no product of these types");
    }
    for (size_t i = 0; i < t->webs.mad_count; i++) {
        const struct tsr__web *web = t->webs.mads[i].d->web;
        if (!web->in_block)
            tsr__mad_note(t->l, t->webs.mads[i].mad.call, web->why);
    }
}

/* Have all blocks eight rows or fewer? */
static bool has_few_rows(const struct tsr__tiles *t)
{
    for (size_t i = 0; i < t->webs.block_count; i++)
        if (t->registers.live_ranges[i].accumulator >= 0 && tsr__rows_of_block(t->registers.live_ranges[i].block) > TSR__MAX_M)
            return false;
    return t->unit != TSR__TILES_VECTORS;
}

static void analyse_function(struct tsr__tiles *t, struct tsr__compilation *l, LLVMValueRef function, bool once)
{
    *t = (struct tsr__tiles){.l = l,
                             .unit = tsr__tile_unit_of(l, function),
                             .buffers = {.arena = &l->scratch},
                             .columns = {.arena = &l->scratch},
                             .packed = {.arena = &l->scratch},
                             .once = once};
    tsr__fold_phi_casts(l, function);
    tsr__tile_loops_prepare(l, function);
    tsr__tile_operands_prepare(t, function);
    bool loops_only = t->unit == TSR__TILES_VECTORS, again;
    do { /* products behind loops are worth tiles to AMX, unless the loops get none for that */
        tsr__webs_find(&t->webs, l, function, loops_only);
        tsr__sink_phi_casts(&t->webs);
        tsr__allocate_tiles(&t->registers, &t->webs);
        again = t->registers.two_values && !loops_only;
        loops_only = true;
    } while (again);
    t->may_have_eight_rows = has_few_rows(t);
}

static bool has_tiles(const struct tsr__tiles *t)
{
    for (size_t i = 0; i < t->webs.web_count; i++)
        if (t->webs.webs[i]->in_block)
            return true;
    return false;
}

/* Finds what there is to be made, until everything in it is worth it. Changes no code, but may add code that computes addresses. */
static struct tsr__multiply *find_all(struct tsr__tiles *t, size_t *count)
{
    struct tsr__multiply *list;
    bool again;
    t->whole_stores = (struct tsr__map){.arena = &t->l->scratch};
    do {
        t->pending_stores = NULL;
        t->rounds = NULL;
        t->twice = (struct tsr__map){.arena = &t->l->scratch};
        tsr__tile_stores_find(t);
        list = all_multiplies(t, count);
        if (t->shapes != TSR_TILE_SHAPES_WHOLE)
            go_back_and_forth(t, list, *count);
        tsr__tile_loops_find(t, list, *count);
        again = tsr__tile_loops_reject(t) || tsr__tile_stores_refuse(t);
    } while (again);
    return list;
}

static void rewrite_function(struct tsr__tiles *t)
{
    size_t count;
    struct tsr__multiply *list = has_tiles(t) ? find_all(t, &count) : NULL;
    note_reasons(t);
    if (!has_tiles(t))
        return;
    if (t->unit == TSR__TILES_AMX && t->shapes == TSR_TILE_SHAPES_WHOLE)
        tsr__tile_loops_use_memory(t, list, count);
    t->b = LLVMCreateBuilderInContext(t->l->context);
    t->entry = tsr__builder_at_entry(t->l, t->webs.function);
    tsr__tile_keeps_find(t, count);
    for (size_t i = 0; i < count; i++)
        emit_multiply(t, &list[i]);
    for (size_t i = 0; i < t->webs.block_count; i++) {
        if (t->registers.live_ranges[i].accumulator < 0)
            continue;
        tsr__tiles_select(t, &t->registers.live_ranges[i]);
        fill_for_phis(t);
        for (size_t k = 0; k < t->life->unpacking_count; k++)
            if (!t->life->unpackings[k].stores)
                emit_unpacking(t, &t->life->unpackings[k]);
    }
    if (t->unit == TSR__TILES_AMX)
        save_around_calls(t);
    tsr__tile_move_early(t);
    tsr__tile_loops_make(t);
    tsr__tile_stores_make(t);
    for (size_t i = 0; i < t->webs.web_count; i++)
        if (t->webs.webs[i]->in_block)
            drop_web(t, t->webs.webs[i]);
    tsr__tile_loops_leave(t);
    if (t->unit == TSR__TILES_AMX)
        tsr__set_fn_text(t->l, t->webs.function, TSR__TILES, "");
    if (t->shapes != TSR_TILE_SHAPES_WHOLE)
        tsr__set_fn_text(t->l, t->webs.function, TSR__TILE_SHAPES, tsr_arena_format(&t->l->scratch, "%d", (int)t->shapes));
    LLVMDisposeBuilder(t->entry);
    LLVMDisposeBuilder(t->b);
}

/* ---- shapes of registers ---- */

/* Has it a single operation with an operand in place? Then the registers of halves are what it wants. */
static bool wants_halves(struct tsr__tiles *t)
{
    size_t count = 0;
    const struct tsr__multiply *list = has_tiles(t) ? find_all(t, &count) : NULL;
    struct tsr__map waits = {.arena = &t->l->scratch};
    tsr__tile_loops_that_wait(t, &waits);
    for (size_t i = 0; i < count; i++) {
        struct tsr__source a, b;
        struct tsr__polynomial stride;
        if (tsr__map_get(&waits, list[i].latest->block))
            continue;
        LLVMValueRef point = list[i].latest->mad.call;
        tsr__tiles_select(t, list[i].life);
        tsr__tile_sources(t, &list[i], TSR_TILE_SHAPES_HALVES, &a, &b);
        if (a.half && (tsr__tile_in_place(t, &a, point, &stride) || tsr__tile_in_place(t, &b, point, &stride)))
            return true;
    }
    return false;
}

/* Does the device run loops of the function with those of other work-groups, or make products of matrices? It wants all registers for whole
 * operands, and that is more than other shapes gain. To be asked behind wants_halves(). */
static bool has_loops_that_wait(const struct tsr__tiles *t)
{
    LLVMValueRef product = LLVMGetNamedFunction(t->l->module, TSR__RT_PREFIX "matrix_product");
    if (product && LLVMGetFirstUse(product))
        return true;
    struct tsr__map waits = {.arena = &t->l->scratch};
    tsr__tile_loops_that_wait(t, &waits);
    return waits.count;
}

/* Has each accumulator a register that is left to it, whatever the shapes? A loop with places, which has to wait, needs them all. */
static bool has_room_for_shapes(const struct tsr__tiles *t)
{
    for (size_t i = 0; i < t->webs.block_count; i++)
        if (t->registers.live_ranges[i].accumulator > TSR__LAST_SHAPED_ACCUMULATOR)
            return false;
    return true;
}

/* Does the function run the packets that are not full? They are few: they do not keep the full ones from registers of other shapes. */
static bool is_partial(const struct tsr__tiles *t)
{
    const char *suffix = strrchr(tsr__name(t->webs.function), '.');
    return suffix && !strcmp(suffix, "." TSR__PARTIAL);
}

/* Leaves to vectors what has no register of its shape. */
static void make_room_for_shapes(struct tsr__tiles *t)
{
    for (size_t i = 0; i < t->webs.block_count; i++) {
        struct tsr__live_range *life = &t->registers.live_ranges[i];
        const bool too_many_rows = t->shapes == TSR_TILE_SHAPES_EIGHT_ROWS && tsr__rows_of_block(life->block) > TSR__MAX_M;
        if (life->accumulator > TSR__LAST_SHAPED_ACCUMULATOR || (life->accumulator >= 0 && too_many_rows))
            tsr__reject_tile(life, "the tiles of full packets leave no room for it");
    }
    tsr__free_rejected_registers(&t->registers, &t->webs);
    t->registers.in_memory = false;
}

static struct tsr__tiles *leading_function(struct tsr__tiles *t)
{
    while (t->same_kernel)
        t = t->same_kernel;
    return t;
}

/* The registers are configured for all that a kernel calls. */
static void join_callees(struct tsr__tiles *all, const struct tsr__map *number, struct tsr__tiles *caller)
{
    size_t n;
    LLVMValueRef *code = tsr__instructions(caller->l, caller->webs.function, &n);
    for (size_t i = 0; i < n; i++) {
        LLVMValueRef callee = tsr__callee(code[i]);
        size_t called = callee ? tsr__map_get(number, callee) : 0;
        struct tsr__tiles *x = leading_function(caller), *y = called ? leading_function(&all[called - 1]) : x;
        if (x != y)
            y->same_kernel = x;
    }
}

static void choose_shapes(struct tsr__compilation *l, struct tsr__tiles *all, size_t count)
{
    struct tsr__map number = {.arena = &l->scratch};
    struct {
        bool halves, whole, many_rows; /* whole: nothing else will do; many_rows: blocks of more than eight */
    } *wants = tsr_arena_alloc(&l->scratch, count * sizeof *wants);
    for (size_t i = 0; i < count; i++)
        tsr__map_set(&number, all[i].webs.function, i + 1);
    for (size_t i = 0; i < count; i++)
        join_callees(all, &number, &all[i]);
    for (size_t i = 0; i < count; i++) {
        const size_t leader = (size_t)(leading_function(&all[i]) - all);
        if (all[i].unit == TSR__TILES_VECTORS)
            continue;
        wants[leader].halves |= wants_halves(&all[i]);
        wants[leader].whole |= (!is_partial(&all[i]) && (!has_room_for_shapes(&all[i]) || has_loops_that_wait(&all[i]))) ||
                               tsr__has_places(all[i].webs.function);
        wants[leader].many_rows |= !is_partial(&all[i]) && !all[i].may_have_eight_rows;
    }
    for (size_t i = 0; i < count; i++) {
        const size_t leader = (size_t)(leading_function(&all[i]) - all);
        if (all[i].unit == TSR__TILES_VECTORS)
            continue;
        all[i].shapes = wants[leader].whole        ? TSR_TILE_SHAPES_WHOLE
                        : !wants[leader].many_rows ? TSR_TILE_SHAPES_EIGHT_ROWS
                        : wants[leader].halves     ? TSR_TILE_SHAPES_HALVES
                                                   : TSR_TILE_SHAPES_WHOLE;
        all[i].may_have_eight_rows = all[i].shapes == TSR_TILE_SHAPES_EIGHT_ROWS;
        if (all[i].shapes != TSR_TILE_SHAPES_WHOLE)
            make_room_for_shapes(&all[i]);
    }
}

static void analyse_loops(struct tsr__tiles *t, struct tsr__compilation *l, LLVMValueRef function, bool once)
{
    size_t count;
    analyse_function(t, l, function, once);
    if (has_tiles(t))
        find_all(t, &count);
}

/* Would packets of the function run twice? */
static bool repeats(struct tsr__compilation *l, LLVMValueRef function)
{
    struct tsr__tiles t;
    analyse_loops(&t, l, function, false);
    return t.twice.count && (!tsr__has_two_ways(function) || tsr__takes_device_way(&t));
}

static bool is_wrapping(LLVMValueRef function)
{
    const char *name = tsr__name(function), *dot = strrchr(name, '.');
    return dot && !strcmp(dot, "." TSR__WRAPPING);
}

/* The kernel's other function for full packets, which versioning has made, or NULL. */
static LLVMValueRef other_body(struct tsr__compilation *l, LLVMValueRef function)
{
    static const char *const suffixes[] = {"." TSR__WRAPPING, ".kernel"};
    const char *name = tsr__name(function);
    for (unsigned i = 0; i < TSR_ARRAY_LEN(suffixes); i++) {
        const size_t length = strlen(name), tail = strlen(suffixes[i]);
        if (length > tail && !strcmp(name + length - tail, suffixes[i]))
            return LLVMGetNamedFunction(l->module, tsr_arena_format(&l->scratch, "%.*s%s", (int)(length - tail), name, suffixes[!i]));
    }
    return NULL;
}

/* A launch runs all packets twice or none, whichever function they have. Where indices may wrap, packets that need not run twice skip the
 * first time (tsr__tile_skip_first); elsewhere packets run once if those do. */
static bool skips_first(struct tsr__compilation *l, LLVMValueRef function)
{
    LLVMValueRef other = tsr__has_mads(function) && is_wrapping(function) ? other_body(l, function) : NULL;
    return other && !repeats(l, function) && repeats(l, other);
}

static bool must_run_once(struct tsr__compilation *l, LLVMValueRef function)
{
    LLVMValueRef other = tsr__has_mads(function) && is_wrapping(function) ? other_body(l, function) : NULL;
    return other && repeats(l, function) && !repeats(l, other);
}

/* Loops that the device may run together with others take any K in a round, so they are not unrolled. */
bool tsr__pass_mad_unroll(struct tsr__compilation *l, LLVMValueRef function)
{
    struct tsr__map waits = {.arena = &l->scratch};
    enum tsr__tile_unit unit = tsr__tile_unit_of(l, function);
    struct tsr__tiles t;
    const bool once = must_run_once(l, function);
    if (tsr__has_two_ways(function)) {
        analyse_loops(&t, l, function, once);
        if (!tsr__takes_device_way(&t) && !tsr__choose_way(l, function, false))
            return false;
    }
    if (unit == TSR__TILES_AMX || unit == TSR__TILES_MODEL) {
        analyse_loops(&t, l, function, once);
        tsr__tile_loops_that_wait(&t, &waits);
    }
    tsr__mark_mad_unroll(l, function, &waits);
    return true;
}

static bool settle_ways(struct tsr__compilation *l, LLVMValueRef function, bool once)
{
    struct tsr__tiles t;
    if (!tsr__has_two_ways(function))
        return true;
    analyse_loops(&t, l, function, once);
    return tsr__choose_way(l, function, tsr__takes_device_way(&t));
}

/* A loop that the device runs is left with the count of its rounds, which is a formula as a rule. */
static bool drop_counting_loops(const struct tsr__tiles *all, size_t count)
{
    bool good = true;
    for (size_t i = 0; i < count && good; i++)
        if (all[i].rounds)
            good = tsr__run_llvm_on(all[i].l, all[i].webs.function, "loop-simplify,lcssa,loop(indvars,loop-deletion),simplifycfg,dce");
    return good;
}

/* ---- without tiles ---- */

/* The functions that may have tiles; leaves a note at the products of others. */
static LLVMValueRef *functions_for_tiles(struct tsr__compilation *l, size_t *count)
{
    size_t all, kept = 0;
    LLVMValueRef *functions = tsr__defined_functions(l, &all);
    struct tsr__mad mad;
    for (size_t i = 0; i < all; i++) {
        const char *why = tsr__why_without_tiles(l, functions[i]);
        for (LLVMValueRef inst = why ? tsr__first(functions[i]) : NULL; inst; inst = tsr__next(inst))
            if (tsr__mad_read(inst, &mad))
                tsr__mad_note(l, inst, why);
        if (!why)
            functions[kept++] = functions[i];
    }
    *count = kept;
    return functions;
}

/* Passes before this one shape kernels with products for tiles: loops of their own for rounds without checks, addresses that are computed
 * ahead. A kernel of which no loop is run by the device then has more code than it needs, and spills. Such kernels are compiled again
 * without that. True: there are some. */
static bool retry_without_tiles(struct tsr__compilation *l, struct tsr__tiles *all, size_t count)
{
    const char **why = tsr_arena_alloc(&l->scratch, l->info->kernel_count * sizeof *why);
    bool *has = tsr_arena_alloc(&l->scratch, l->info->kernel_count);
    uint32_t kernel;
    for (size_t i = 0; i < count && l->without_tiles; i++) {
        size_t multiplies;
        if (is_partial(&all[i]) || !tsr__kernel_of_code(l, tsr__name(all[i].webs.function), &kernel))
            continue;
        if (has_tiles(&all[i]))
            find_all(&all[i], &multiplies);
        has[kernel] = has[kernel] || has_tiles(&all[i]);
        why[kernel] = all[i].rejected ? all[i].rejected : why[kernel];
    }
    for (kernel = 0; kernel < l->info->kernel_count && l->without_tiles; kernel++)
        if (why[kernel] && !has[kernel]) {
            l->without_tiles[kernel] = why[kernel];
            l->retry = true;
        }
    return l->retry;
}

bool tsr__pass_tiles(struct tsr__compilation *l)
{
    size_t count;
    if (!tsr__tile_unit(l))
        return true;
    LLVMValueRef *functions = functions_for_tiles(l, &count);
    struct tsr__tiles *all = tsr_arena_alloc(&l->scratch, (count + 1) * sizeof *all);
    bool *once = tsr_arena_alloc(&l->scratch, count), *skips = tsr_arena_alloc(&l->scratch, count);
    for (size_t i = 0; i < count; i++) {
        once[i] = must_run_once(l, functions[i]);
        skips[i] = skips_first(l, functions[i]);
    }
    for (size_t i = 0; i < count; i++)
        if (!settle_ways(l, functions[i], once[i]))
            return false;
    for (size_t i = 0; i < count; i++)
        analyse_function(&all[i], l, functions[i], once[i]);
    if (retry_without_tiles(l, all, count))
        return true;
    choose_shapes(l, all, count);
    for (size_t i = 0; i < count; i++)
        rewrite_function(&all[i]);
    for (size_t i = 0; i < count; i++)
        if (skips[i])
            tsr__tile_skip_first(l, functions[i]);
    tsr__packet_marks_drop(l);
    return tsr__drop_places(l) && drop_counting_loops(all, count);
}
