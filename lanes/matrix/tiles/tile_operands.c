/* SPDX-License-Identifier: Apache-2.0
 * The operands of tile multiplications: which vectors a tile consists of, and whether they are the rows of a tile in memory, which a
 * tile load can read in place. */
#include <string.h>

#include "lanes/ir/calls.h"
#include "lanes/ir/lane_scalars.h"
#include "lanes/ir/match.h"
#include "lanes/ir/shuffles.h"
#include "lanes/matrix/tiles/tiles.h"

static LLVMValueRef base_object(LLVMValueRef address)
{
    while (LLVMIsAGetElementPtrInst(address))
        address = LLVMGetOperand(address, 0);
    return address;
}

LLVMValueRef tsr__tile_place(LLVMValueRef address)
{
    LLVMValueRef base = base_object(address), callee = LLVMIsACallInst(base) ? tsr__callee(base) : NULL;
    return callee && !strcmp(tsr__name(callee), TSR__BLOCK2D_PLACE) ? base : NULL;
}

bool tsr__tile_same_matrix(LLVMValueRef a, LLVMValueRef b)
{
    a = tsr__tile_place(a);
    b = tsr__tile_place(b);
    for (unsigned i = TSR__PLACE_BASE; a && b && i <= TSR__PLACE_PITCH; i++)
        if (LLVMGetOperand(a, i) != LLVMGetOperand(b, i))
            return false;
    return !a == !b;
}

bool tsr__tile_may_write(const struct tsr__tiles *t, LLVMValueRef inst)
{
    static const char *const harmless[] = {"llvm.x86.tile", "llvm.x86.tdp", TSR__RT_PREFIX "tile_", TSR__BLOCK2D_PLACE, TSR__NIBBLES};
    switch (LLVMGetInstructionOpcode(inst)) {
    case LLVMStore: /* into the buffers of this pass */
        return !tsr__map_get(&t->buffers, base_object(LLVMGetOperand(inst, 1)));
    case LLVMFence:
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg:
        return true;
    case LLVMCall: {
        struct tsr__mad mad;
        LLVMValueRef callee = tsr__callee(inst);
        for (size_t i = 0; callee && i < TSR_ARRAY_LEN(harmless); i++)
            if (tsr__starts_with(tsr__name(callee), harmless[i]))
                return false;
        return !tsr__mad_read(inst, &mad) && (!callee || tsr__may_change_memory(callee));
    }
    default:
        return false;
    }
}

/* Does memory still hold at `point` what `v` reads? */
static bool is_unchanged(const struct tsr__tiles *t, LLVMValueRef v, LLVMValueRef point)
{
    enum { MOST_BLOCKS = 4 };
    LLVMBasicBlockRef from = LLVMGetInstructionParent(v), at = LLVMGetInstructionParent(point);
    for (int n = 0; n < MOST_BLOCKS; n++) { /* backwards, where there is one way only */
        LLVMValueRef first = at == from ? v : LLVMGetFirstInstruction(at);
        for (LLVMValueRef i = first; i && i != point; i = LLVMGetNextInstruction(i))
            if (tsr__tile_may_write(t, i))
                return false;
        if (at == from)
            return true;
        const struct tsr__alloc_block *place = &t->registers.places.at[tsr__map_number(&t->registers.places.number, at)];
        if (place->before_count != 1)
            return false;
        at = t->registers.places.at[place->before[0]].ref;
        point = NULL;
    }
    return false;
}

static bool is_live_load(const struct tsr__tiles *t, LLVMValueRef v, LLVMValueRef point)
{
    return LLVMIsALoadInst(v) && !LLVMGetVolatile(v) && is_unchanged(t, v, point);
}

bool tsr__tile_is_full(const struct tsr__source *s)
{
    return s->rows == s->shape.rows && s->chunks * s->chunk_bytes == s->shape.bytes;
}

/* Or is it A of a block of few rows, or B of half the columns, which it fills? */
static bool fills_part(const struct tsr__source *s)
{
    struct tsr__source whole = *s;
    if (s->is_b)
        whole.chunk_bytes *= 2;
    else
        whole.rows = s->shape.rows;
    return tsr__tile_is_full(s) || (s->any_part && tsr__tile_is_full(&whole));
}

/* Vector (r, c) lies at r strides and c chunks after the first. */
bool tsr__tile_in_place(struct tsr__tiles *t, const struct tsr__source *s, LLVMValueRef point, struct tsr__polynomial *stride)
{
    struct tsr__polynomial first = {0};
    *stride = (struct tsr__polynomial){.valid = true};
    if (!fills_part(s))
        return false;
    for (unsigned i = 0; i < s->rows * s->chunks; i++) {
        if (!is_live_load(t, s->from[i], point) || !tsr__tile_same_matrix(LLVMGetOperand(s->from[i], 0), LLVMGetOperand(s->from[0], 0)))
            return false;
        struct tsr__polynomial at = tsr__polynomial_of(t->l, LLVMGetOperand(s->from[i], 0));
        if (i == 0)
            first = at;
        struct tsr__polynomial in_row = {.valid = true, .constant = (int64_t)(i % s->chunks * s->chunk_bytes)};
        at = tsr__polynomial_minus(&at, &first);
        at = tsr__polynomial_minus(&at, &in_row);
        if (i == s->chunks)
            *stride = at;
        if (!at.valid || !tsr__polynomial_is_multiple(&at, stride, i / s->chunks))
            return false;
    }
    return true;
}

/* Makes it an operand of half a step of K, with half the words of B, or half the bytes of A's rows. */
static void halve(struct tsr__source *s)
{
    s->half = true;
    if (s->is_b)
        s->shape.rows /= 2;
    else
        s->shape.bytes /= 2;
}

static bool pack_nibbles(struct tsr__source *s)
{
    const unsigned count = s->rows * s->chunks / 2;
    if (s->is_b ? s->rows != 2 * TSR__WORDS : s->chunks != 2)
        return false;
    for (unsigned i = 0; i < count; i++) {
        bool first_is_upper, second_is_upper;
        LLVMValueRef first = tsr__nibbles_of(s->from[s->is_b ? i : 2 * i], &first_is_upper),
                     second = tsr__nibbles_of(s->from[s->is_b ? count + i : 2 * i + 1], &second_is_upper);
        if (!first || first != second || first_is_upper || !second_is_upper)
            return false;
        s->from[i] = first;
    }
    halve(s);
    if (s->is_b)
        s->rows = TSR__WORDS;
    else
        s->chunks = 1;
    return true;
}

bool tsr__tile_pack_nibbles(struct tsr__source *a, struct tsr__source *b)
{
    struct tsr__source packed_a = *a, packed_b = *b;
    if (!pack_nibbles(&packed_a) || !pack_nibbles(&packed_b))
        return false;
    *a = packed_a;
    *b = packed_b;
    return true;
}

static unsigned bits_of_element(LLVMValueRef vector)
{
    return LLVMGetIntTypeWidth(LLVMGetElementType(LLVMTypeOf(vector)));
}

/* Finds what the bits from `shift` up to `limit` of words are made of: vectors of elements of `bits` bits, each at its place in the word.
 * Everything else counts as zero. */
static bool find_elements(LLVMValueRef v, unsigned shift, unsigned limit, unsigned bits, LLVMValueRef *elements, int depth)
{
    unsigned width = bits_of_element(v);
    int64_t by;
    limit = shift + width < limit ? shift + width : limit;
    if (width == bits) {
        bool free = shift % bits == 0 && limit == shift + bits && !elements[shift / bits];
        if (free)
            elements[shift / bits] = v;
        return free;
    }
    if (!depth || !LLVMIsAInstruction(v))
        return false;
    LLVMValueRef x = LLVMGetOperand(v, 0);
    switch (LLVMGetInstructionOpcode(v)) {
    case LLVMOr: /* the parts are apart, since each element is found once */
    case LLVMXor:
    case LLVMAdd:
        return find_elements(x, shift, limit, bits, elements, depth - 1) &&
               find_elements(LLVMGetOperand(v, 1), shift, limit, bits, elements, depth - 1);
    case LLVMShl:
        return tsr__same_number(LLVMGetOperand(v, 1), &by) && by >= 0 && by < (int64_t)width &&
               find_elements(x, shift + (unsigned)by, limit, bits, elements, depth - 1);
    case LLVMZExt:
        return find_elements(x, shift, limit, bits, elements, depth - 1);
    case LLVMSExt: /* copies of the sign fall out of the word */
        return shift + bits_of_element(x) >= limit && find_elements(x, shift, limit, bits, elements, depth - 1);
    default:
        return false;
    }
}

bool tsr__tile_by_rows(struct tsr__tiles *t, const struct tsr__source *s, LLVMValueRef point, LLVMValueRef *address,
                       struct tsr__polynomial *stride)
{
    enum { WORD = 32, MOST_IN_WORD = 4, DEPTH = 8 };
    unsigned bits = s->product->number < TSR_TILE_BF16 ? 8 : 16, in_word = WORD / bits;
    struct tsr__polynomial first = {0};
    if (!s->is_b || s->product->number == TSR_TILE_TF32 || !fills_part(s))
        return false;
    for (unsigned i = 0; i < s->rows * s->chunks; i++) {
        LLVMValueRef elements[MOST_IN_WORD] = {0};
        LLVMTypeRef type = LLVMTypeOf(s->from[i]);
        if (LLVMGetTypeKind(type) != LLVMVectorTypeKind || LLVMGetTypeKind(LLVMGetElementType(type)) != LLVMIntegerTypeKind ||
            !find_elements(s->from[i], 0, WORD, bits, elements, DEPTH))
            return false;
        for (unsigned k = 0; k < in_word; k++) {
            unsigned row = i / s->chunks * in_word + k;
            if (!elements[k] || !is_live_load(t, elements[k], point))
                return false;
            struct tsr__polynomial at = tsr__polynomial_of(t->l, LLVMGetOperand(elements[k], 0)),
                                   in_row = {.valid = true, .constant = (int64_t)(i % s->chunks * s->chunk_bytes / in_word)};
            if (i == 0 && k == 0) {
                first = at;
                *address = LLVMGetOperand(elements[k], 0);
            }
            if (!tsr__tile_same_matrix(LLVMGetOperand(elements[k], 0), *address))
                return false;
            at = tsr__polynomial_minus(&at, &first);
            at = tsr__polynomial_minus(&at, &in_row);
            if (i == 0 && k == 1)
                *stride = at;
            if (!at.valid || (row && !tsr__polynomial_is_multiple(&at, stride, row)))
                return false;
        }
    }
    return true;
}

static LLVMValueRef without_casts(LLVMValueRef v)
{
    while (LLVMIsAFreezeInst(v) || (LLVMIsABitCastInst(v) && LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(v, 0))) == LLVMVectorTypeKind &&
                                    LLVMGetVectorSize(LLVMTypeOf(LLVMGetOperand(v, 0))) == LLVMGetVectorSize(LLVMTypeOf(v))))
        v = LLVMGetOperand(v, 0);
    return v;
}

/* The gather of all lanes whose elements have the vector's words at place `word`, or NULL. */
static LLVMValueRef gather_of_words(LLVMValueRef v, unsigned *word)
{
    const unsigned lanes = LLVMGetVectorSize(LLVMTypeOf(v));
    *word = 0;
    v = without_casts(v);
    if (LLVMIsATruncInst(v)) {
        v = without_casts(LLVMGetOperand(v, 0));
    } else if (LLVMIsAShuffleVectorInst(v)) { /* every second word of pairs, or every fourth of 16 bytes */
        LLVMValueRef words = LLVMGetOperand(v, 0);
        const unsigned each = LLVMGetVectorSize(LLVMTypeOf(words)) / lanes;
        *word = tsr__shuffle_number(v, 0);
        if (*word >= each || (each != 2 && each != 4) || !LLVMIsABitCastInst(words) || !tsr__picks_every(v, *word, each))
            return NULL;
        v = without_casts(LLVMGetOperand(words, 0));
    }
    int64_t all;
    const bool gathers = tsr__calls(v, "llvm.masked.gather.") && LLVMGetVectorSize(LLVMTypeOf(v)) == lanes;
    return gathers && tsr__same_number(LLVMGetOperand(v, 1), &all) && all ? v : NULL;
}

/* Pointers that are the same distance apart from lane to lane. */
struct columns {
    LLVMValueRef first;
    struct tsr__polynomial at, stride;
    bool good;
};

static const struct columns *find_columns(struct tsr__tiles *t, LLVMValueRef pointers)
{
    while (LLVMIsAAddrSpaceCastInst(pointers))
        pointers = LLVMGetOperand(pointers, 0);
    struct columns *c = (struct columns *)tsr__map_get(&t->columns, pointers);
    if (c)
        return c;
    struct tsr__lane_scalars lanes;
    c = tsr_arena_alloc(&t->l->scratch, sizeof *c);
    *c = (struct columns){.good = true};
    tsr__map_set(&t->columns, pointers, (uintptr_t)c);
    tsr__lane_scalars_begin(&lanes, t->l);
    for (unsigned i = 0; i < LLVMGetVectorSize(LLVMTypeOf(pointers)) && c->good; i++) {
        LLVMValueRef pointer = tsr__lane_scalar(&lanes, pointers, i);
        struct tsr__polynomial at = tsr__polynomial_of(t->l, pointer), apart;
        if (i == 0) {
            c->first = pointer;
            c->at = at;
        }
        apart = tsr__polynomial_minus(&at, &c->at);
        if (i == 1)
            c->stride = apart;
        c->good = apart.valid && (!i || tsr__polynomial_is_multiple(&apart, &c->stride, i));
    }
    tsr__lane_scalars_end(&lanes);
    return c;
}

bool tsr__tile_by_columns(struct tsr__tiles *t, const struct tsr__source *s, LLVMValueRef point, LLVMValueRef *address,
                          struct tsr__polynomial *stride)
{
    enum { WORD_BYTES = 4 };
    struct tsr__polynomial first = {0};
    if (!s->is_b || !fills_part(s))
        return false;
    for (unsigned i = 0; i < s->rows * s->chunks; i++) {
        unsigned word;
        LLVMValueRef gather = gather_of_words(s->from[i], &word);
        if (!gather || !is_unchanged(t, gather, point))
            return false;
        const struct columns *c = find_columns(t, LLVMGetOperand(gather, 0));
        struct tsr__polynomial at = c->at;
        at.constant += (int64_t)WORD_BYTES * word;
        if (i == 0) {
            first = at;
            *address = c->first;
            *stride = c->stride;
        }
        at = tsr__polynomial_minus(&at, &first);
        at.constant -= (int64_t)WORD_BYTES * (i / s->chunks);
        if (!c->good || (i == 0 && word) || !tsr__polynomial_is_multiple(&c->stride, stride, 1) || !at.valid ||
            !tsr__polynomial_is_multiple(&at, stride, i % s->chunks * s->chunk_bytes / WORD_BYTES))
            return false;
    }
    return true;
}

bool tsr__tile_starts_zero(const struct tsr__tiles *t, const struct tsr__fragment *to, unsigned edge)
{
    const struct tsr__tile_block *block = t->life->block;
    for (unsigned i = 0; i < block->rows * block->columns; i++)
        if (tsr__external_value(block, to, edge, i / block->columns, i % block->columns)->kind != TSR__FRAGMENT_ZERO)
            return false;
    return true;
}

/* ---- TF32 ---- */

/* A vector of A has two rows, of eight numbers each. */

static bool has_row_pairs(const struct tsr__tiles *t, const struct tsr__mad *mad)
{
    const struct tsr__tile_product *product = tsr__tile_product(t->l, t->unit, mad->f);
    return product && product->number == TSR_TILE_TF32;
}

/* The vector as its two halves, one after the other; NULL: it is not made so. */
static LLVMValueRef joined_rows(LLVMValueRef v)
{
    v = LLVMIsABitCastInst(v) ? LLVMGetOperand(v, 0) : v;
    return tsr__is_concat_pair(v) ? v : NULL;
}

void tsr__tile_operands_prepare(struct tsr__tiles *t, LLVMValueRef function)
{
    size_t count;
    LLVMValueRef *code = tsr__instructions(t->l, function, &count);
    for (size_t i = 0; i < count; i++) {
        struct tsr__mad mad;
        if (!tsr__mad_read(code[i], &mad) || !has_row_pairs(t, &mad))
            continue;
        LLVMBuilderRef b = tsr__builder_before(t->l, mad.call);
        for (unsigned k = 0; k < mad.a_count; k++) {
            LLVMValueRef v = tsr__mad_a(&mad, k);
            const unsigned half = LLVMGetVectorSize(LLVMTypeOf(v)) / 2;
            if (!joined_rows(v))
                LLVMSetOperand(
                    mad.call, k,
                    tsr__concat_pair(t->l, b, tsr__take_lanes(t->l, b, v, NULL, 0, half), tsr__take_lanes(t->l, b, v, NULL, half, half)));
        }
        LLVMDisposeBuilder(b);
    }
}

static LLVMValueRef row_of_a(const struct tsr__tiles *t, const struct tsr__mad *mad, unsigned row)
{
    return has_row_pairs(t, mad) ? LLVMGetOperand(joined_rows(tsr__mad_a(mad, row / 2)), row % 2) : tsr__mad_a(mad, row);
}

void tsr__tile_sources(struct tsr__tiles *t, const struct tsr__multiply *x, enum tsr_tile_shapes shapes, struct tsr__source *a,
                       struct tsr__source *b)
{
    const struct tsr__tile_block *block = x->life->block;
    unsigned chain = x->last->number - x->first->number + 1, columns = block->columns, m = x->first->mad.f->m;
    const struct tsr__tile_product *product = tsr__tile_product(t->l, t->unit, x->first->mad.f);
    const uint8_t rows_of_a = shapes == TSR_TILE_SHAPES_EIGHT_ROWS ? TSR_TILE_ROWS / 2 : TSR_TILE_ROWS;
    *a = (struct tsr__source){
        .rows = t->rows, .chunks = chain, .chunk_bytes = TSR__ROW_BYTES, .product = product, .shape = {rows_of_a, TSR_TILE_ROW_BYTES}};
    *b = (struct tsr__source){.rows = chain * TSR__WORDS,
                              .chunks = columns,
                              .chunk_bytes = t->chunk,
                              .product = product,
                              .shape = {TSR_TILE_ROWS, TSR_TILE_ROW_BYTES},
                              .is_b = true};
    if (shapes != TSR_TILE_SHAPES_WHOLE && chain == 1) {
        halve(a);
        halve(b);
    }
    for (unsigned k = 0; k < chain; k++) {
        const struct tsr__tile_mad *mad = block->webs[0][0]->mads[x->first->number + k];
        for (unsigned r = 0; r < t->rows; r++)
            a->from[r * chain + k] = row_of_a(t, &tsr__operation_of_web(block, mad, r / m, 0)->mad, r % m);
        for (unsigned i = 0; i < TSR__WORDS * columns; i++)
            b->from[k * TSR__WORDS * columns + i] = tsr__mad_b(&tsr__operation_of_web(block, mad, 0, i % columns)->mad, i / columns);
    }
}
