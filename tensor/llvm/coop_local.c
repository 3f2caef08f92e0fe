/* SPDX-License-Identifier: Apache-2.0
 * Cooperative matrices by way of local memory, in which each sub-group has a place of its own. */
#include "tensor/llvm/coop.h"

LLVMValueRef tsr__te_sub_group_room(struct tsr__te *e, uint64_t bytes)
{
    const uint32_t *sizes = e->func->info.work_group_size;
    const uint32_t groups = sizes[0] * sizes[1] / e->func->info.sub_group_size;
    bytes = (bytes + TSR__T_LOCAL_ALIGNMENT - 1) / TSR__T_LOCAL_ALIGNMENT * TSR__T_LOCAL_ALIGNMENT;
    bytes = bytes > e->room_bytes ? bytes : e->room_bytes;
    LLVMValueRef scratch = e->unit.blocks && bytes * groups <= UINT32_MAX ? tsr__te_scratch(e, (uint32_t)(bytes * groups)) : NULL;
    if (!scratch || groups == 1)
        return scratch;
    e->room_bytes = (uint32_t)bytes;
    if (!e->room)
        e->room = LLVMAddGlobal(e->module, LLVMInt8TypeInContext(e->context), "room");
    LLVMTypeRef i64 = LLVMInt64TypeInContext(e->context);
    LLVMValueRef at =
        LLVMBuildMul(e->builder, LLVMBuildZExt(e->builder, tsr__te_sub_group_id(e), i64, ""), LLVMConstPtrToInt(e->room, i64), "");
    return LLVMBuildInBoundsGEP2(e->builder, LLVMInt8TypeInContext(e->context), scratch, &at, 1, "");
}

void tsr__te_wait_for_sub_group(struct tsr__te *e)
{
    enum { CLK_LOCAL = 1 };
    LLVMValueRef flags = tsr__te_i32(e, CLK_LOCAL);
    tsr__te_call(e, "sub_group_barrier", "j", LLVMVoidTypeInContext(e->context), &flags, 1);
}

/* ---- squares ---- */

/* Rows of the matrix lie side by side in memory, and each work-item wants one. All work-items read a piece of a row as a vector and write
 * it to a square, of which each then reads its row: a load that the vector engine makes of whole vectors and shuffles, where it would
 * gather. */
struct squares {
    const struct matrix *m;
    struct row row;
    uint32_t across; /* squares side by side */
};

/* Where the square of a part begins. */
static uint32_t square_at(const struct squares *s, uint32_t block, uint32_t piece, uint32_t part)
{
    return ((block * s->across + piece) * s->m->parts + part) * s->m->lanes * s->m->lanes;
}

/* The first column of a piece: the last one overlaps the one before. */
static uint32_t first_col(const struct matrix *m, uint32_t piece)
{
    uint32_t first = piece * m->lanes;
    return m->cols > m->lanes && first + m->lanes > m->cols ? m->cols - m->lanes : first;
}

static void fill_square(struct tsr__te *e, const struct squares *s, const struct tsr__te_memref *memory, const LLVMValueRef at[2],
                        uint32_t block, uint32_t piece)
{
    const struct matrix *m = s->m;
    LLVMValueRef own = tsr__te_lane(e), good = m->cols < m->lanes ? inside(e, own, tsr__te_i64(e, m->cols)) : NULL;
    for (uint32_t i = 0; i < m->lanes && block * m->lanes + i < (uint32_t)m->type->rows; i++) {
        LLVMValueRef index[] = {add(e, at[0], plus(e, own, first_col(m, piece))), plus(e, at[1], block * m->lanes + i)};
        struct tsr__te_number one = tsr__te_load_or_zero(e, memory, index, good);
        for (uint32_t p = 0; p < m->parts; p++)
            put_in(e, &s->row, plus(e, own, square_at(s, block, piece, p) + i * m->lanes), p ? one.im : one.re);
    }
}

static void read_square(struct tsr__te *e, const struct squares *s, LLVMValueRef *parts, uint32_t block, uint32_t piece)
{
    const struct matrix *m = s->m;
    LLVMValueRef own = tsr__te_lane(e), line = times(e, own, m->lanes), has = has_row(e, m, own, block);
    for (uint32_t p = 0; p < m->parts; p++) {
        for (uint32_t i = 0; i < m->lanes && i < m->cols; i++) {
            LLVMValueRef one = get_from(e, &s->row, plus(e, line, square_at(s, block, piece, p) + i));
            parts[(block * m->cols + first_col(m, piece) + i) * m->parts + p] = has ? choose(e, has, one, LLVMConstNull(s->row.type)) : one;
        }
    }
}

bool tsr__te_load_turned(struct tsr__te *e, const struct matrix *m, const struct tsr__te_memref *memory, const LLVMValueRef at[2],
                         LLVMValueRef *parts)
{
    uint32_t bytes = tsr__t_numbers[m->type->number].bytes / m->parts, half = m->lanes / 2;
    struct squares s = {.m = m, .across = (m->cols + m->lanes - 1) / m->lanes};
    if (m->cols < half || m->type->rows < half || tsr__te_known(memory->stride[0]) != 1)
        return false;
    s.row =
        (struct row){tsr__te_sub_group_room(e, (uint64_t)square_at(&s, m->blocks, 0, 0) * bytes), tsr__te_type(e, m->type->number), bytes};
    if (!s.row.first)
        return false;
    tsr__te_wait_for_sub_group(e);
    for (uint32_t block = 0; block < m->blocks; block++)
        for (uint32_t piece = 0; piece < s.across; piece++)
            fill_square(e, &s, memory, at, block, piece);
    tsr__te_wait_for_sub_group(e);
    for (uint32_t block = 0; block < m->blocks; block++)
        for (uint32_t piece = 0; piece < s.across; piece++)
            read_square(e, &s, parts, block, piece);
    return true;
}

bool tsr__te_is_row_of_function(const struct tsr__te *e, const struct tsr__t_inst *load)
{
    const struct tsr__t_type *type = load->results[0]->type;
    if (!e->unit.tiles || load->checked || type->use != TSR__T_MATRIX_A || (type->number != TSR__T_BF16 && type->number != TSR__T_F16))
        return false;
    for (const struct tsr__t_inst *inst = load->next; inst; inst = inst->next)
        if (inst->op == TSR__T_COOP_MUL_ADD && inst->operands[0] == load->results[0])
            return tsr__te_is_loaded(inst->operands[1], true);
    return false;
}
