/* SPDX-License-Identifier: Apache-2.0
 * The operands of tile multiplications: which vectors a tile consists of, and whether they are the rows of a tile in memory, which a
 * tile load can read in place. */
#include "lanes/matrix/tiles/tiles.h"

static LLVMValueRef base_object(LLVMValueRef address)
{
    while (LLVMIsAGetElementPtrInst(address))
        address = LLVMGetOperand(address, 0);
    return address;
}

bool tsr__tile_may_write(const struct tsr__tiles *t, LLVMValueRef inst)
{
    static const char *const harmless[] = {"llvm.x86.tile",    "llvm.x86.tdp",  TSR__RT_PREFIX "tile_",
                                           "llvm.masked.load", "llvm.prefetch", "llvm.lifetime"};
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
        return !tsr__mad_read(inst, &mad);
    }
    default:
        return false;
    }
}

/* Is the vector a load, and does memory still hold the same at `point`? */
static bool is_live_load(const struct tsr__tiles *t, LLVMValueRef v, LLVMValueRef point)
{
    enum { MOST_BLOCKS = 4 };
    if (!LLVMIsALoadInst(v) || LLVMGetVolatile(v))
        return false;
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

bool tsr__tile_is_full(const struct tsr__source *s)
{
    unsigned rows = s->half && s->is_b ? TSR_TILE_ROWS / 2 : TSR_TILE_ROWS;
    return s->rows == rows && s->chunks * s->chunk_bytes == (s->half && !s->is_b ? TSR__ROW_BYTES : TSR_TILE_ROW_BYTES);
}

/* Vector (r, c) lies at r strides and c chunks after the first. */
bool tsr__tile_in_place(struct tsr__tiles *t, const struct tsr__source *s, LLVMValueRef point, struct tsr__polynomial *stride)
{
    struct tsr__polynomial first = {0};
    *stride = (struct tsr__polynomial){.valid = true};
    if (!tsr__tile_is_full(s))
        return false;
    for (unsigned i = 0; i < s->rows * s->chunks; i++) {
        if (!is_live_load(t, s->from[i], point))
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

bool tsr__tile_starts_zero(const struct tsr__tiles *t, const struct tsr__fragment *to, unsigned edge)
{
    const struct tsr__tile_block *block = t->life->block;
    for (unsigned i = 0; i < block->rows * block->columns; i++)
        if (tsr__external_value(block, to, edge, i / block->columns, i % block->columns)->kind != TSR__FRAGMENT_ZERO)
            return false;
    return true;
}

void tsr__tile_sources(struct tsr__tiles *t, const struct tsr__multiply *x, bool halves, struct tsr__source *a, struct tsr__source *b)
{
    const struct tsr__tile_block *block = x->life->block;
    unsigned chain = x->last->number - x->first->number + 1, columns = block->columns, m = x->first->mad.f->m;
    const struct tsr__tile_product *product = tsr__tile_product(t->l, x->first->mad.f);
    bool half = halves && chain == 1;
    *a = (struct tsr__source){.rows = t->rows, .chunks = chain, .chunk_bytes = TSR__ROW_BYTES, .product = product, .half = half};
    *b = (struct tsr__source){
        .rows = chain * TSR__WORDS, .chunks = columns, .chunk_bytes = t->chunk, .product = product, .is_b = true, .half = half};
    for (unsigned k = 0; k < chain; k++) {
        const struct tsr__tile_mad *mad = block->webs[0][0]->mads[x->first->number + k];
        for (unsigned r = 0; r < t->rows; r++)
            a->from[r * chain + k] = tsr__mad_a(&tsr__operation_of_web(block, mad, r / m, 0)->mad, r % m);
        for (unsigned i = 0; i < TSR__WORDS * columns; i++)
            b->from[k * TSR__WORDS * columns + i] = tsr__mad_b(&tsr__operation_of_web(block, mad, 0, i % columns)->mad, i / columns);
    }
}
