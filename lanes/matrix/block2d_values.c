/* SPDX-License-Identifier: Apache-2.0
 * 2D blocks in memory: operations on them, where they lie, and the values that a read makes of its rows. */
#include "lanes/matrix/block2d.h"
#include "lanes/ir/shuffles.h"

#include <string.h>

enum { LANES = TSR_BLOCK2D_LANES, LINE = TSR_CACHE_LINE };

/* ---- operations ---- */

bool tsr__is_block2d_operation(LLVMValueRef inst, const char *action)
{
    return tsr__calls(inst, TSR__BLOCK2D_PREFIX) && tsr__starts_with(tsr__name(tsr__callee(inst)) + strlen(TSR__BLOCK2D_PREFIX), action);
}

unsigned tsr__block2d_number(LLVMValueRef call, unsigned operand)
{
    return (unsigned)LLVMConstIntGetZExtValue(LLVMGetOperand(call, operand));
}

struct tsr__block2d_region tsr__block2d_region(struct tsr__blocks2d *o, LLVMValueRef call, unsigned rows, unsigned columns, unsigned size)
{
    struct tsr__block2d_region r = {.base = LLVMGetOperand(call, TSR__BLOCK2D_BASE), .rows = rows, .bytes = columns * size};
    LLVMValueRef *to[] = {[TSR__BLOCK2D_WIDTH] = &r.width,
                          [TSR__BLOCK2D_HEIGHT] = &r.height,
                          [TSR__BLOCK2D_PITCH] = &r.pitch,
                          [TSR__BLOCK2D_X] = &r.x,
                          [TSR__BLOCK2D_Y] = &r.y};
    for (unsigned i = TSR__BLOCK2D_WIDTH; i <= TSR__BLOCK2D_Y; i++)
        *to[i] = LLVMBuildIntCast2(o->b, LLVMGetOperand(call, i), LLVMInt64TypeInContext(o->l->context), true, "");
    r.x = LLVMBuildMul(o->b, r.x, tsr__block2d_i64(o, size), "");
    r.width = LLVMBuildAnd(o->b, r.width, tsr__block2d_i64(o, -(int64_t)size), ""); /* whole elements */
    return r;
}

LLVMValueRef tsr__block2d_row(struct tsr__blocks2d *o, LLVMValueRef base, LLVMValueRef pitch, LLVMValueRef row, LLVMValueRef byte)
{
    LLVMValueRef offset = LLVMBuildAdd(o->b, LLVMBuildMul(o->b, row, pitch, ""), byte, "");
    return tsr__plus_bytes(o->l, o->b, base, offset);
}

struct tsr__block2d_region tsr__block2d_region_of_read(struct tsr__blocks2d *o, LLVMValueRef call)
{
    unsigned columns = tsr__block2d_number(call, TSR__READ_COLUMNS) * tsr__block2d_number(call, TSR__READ_BLOCKS);
    return tsr__block2d_region(o, call, tsr__block2d_number(call, TSR__READ_ROWS), columns, tsr__block2d_number(call, TSR__READ_BITS) / 8);
}

/* ---- values of a read ---- */

static LLVMValueRef load_row_part(struct tsr__blocks2d *o, struct tsr__block2d_read *p, LLVMTypeRef type, unsigned row, unsigned byte)
{
    struct tsr__block2d_area *area = p->area;
    LLVMValueRef *at = &area->at[p->row + row];
    if (!*at)
        *at = p->row + row ? tsr__block2d_row(o, area->first, area->pitch, tsr__block2d_i64(o, p->row + row), tsr__block2d_i64(o, 0))
                           : area->first;
    LLVMValueRef made = LLVMBuildLoad2(o->b, type, tsr__at_offset(o->l, o->b, *at, p->byte + byte), "");
    LLVMSetAlignment(made, 1);
    return made;
}

/* Value i: that of one row, or of the two that share the lanes. */
static LLVMValueRef plain_value(struct tsr__blocks2d *o, struct tsr__block2d_read *p, LLVMTypeRef type, unsigned i, unsigned lanes_each,
                                unsigned count, unsigned byte)
{
    if (lanes_each == LANES)
        return load_row_part(o, p, type, i, byte);
    LLVMTypeRef half = LLVMVectorType(LLVMGetElementType(type), lanes_each);
    LLVMValueRef even = load_row_part(o, p, half, 2 * i, byte);
    return tsr__concat_pair(o->l, o->b, even, 2 * i + 1 < count ? load_row_part(o, p, half, 2 * i + 1, byte) : LLVMConstNull(half));
}

/* The order of bytes in which four rows become columns, from memory that LLVM does not look into: it would make a dozen instructions of the
 * shuffle, though one can do it. */
static LLVMValueRef byte_order(struct tsr__blocks2d *o, const unsigned *from)
{
    static const char name[] = "tsr.block2d.order";
    LLVMValueRef bytes[4 * LANES], memory = LLVMGetNamedGlobal(o->l->module, name);
    LLVMTypeRef type = LLVMVectorType(LLVMInt8TypeInContext(o->l->context), 4 * LANES);
    if (!memory) {
        for (unsigned i = 0; i < 4 * LANES; i++)
            bytes[i] = LLVMConstInt(LLVMInt8TypeInContext(o->l->context), from[i], false);
        memory = LLVMAddGlobal(o->l->module, type, name);
        LLVMSetLinkage(memory, LLVMInternalLinkage);
        LLVMSetInitializer(memory, LLVMConstVector(bytes, 4 * LANES));
    }
    return tsr__load_fixed(o->l, o->b, type, memory, 0, LINE);
}

/* The same by shifts: what it is made of is easier to see. */
static LLVMValueRef words_of_rows(struct tsr__blocks2d *o, struct tsr__block2d_read *p, LLVMTypeRef type, unsigned first, unsigned each,
                                  unsigned byte)
{
    LLVMTypeRef row = LLVMVectorType(LLVMIntTypeInContext(o->l->context, 32 / each), LANES);
    LLVMValueRef all = NULL;
    for (unsigned i = 0; i < each; i++) {
        LLVMValueRef part = LLVMBuildZExt(o->b, load_row_part(o, p, row, first + i, byte), type, "");
        part = i ? LLVMBuildShl(o->b, part, tsr__splat_number(type, i * 32 / each), "") : part;
        all = all ? LLVMBuildOr(o->b, all, part, "") : part;
    }
    return all;
}

/* Value i of a lane is its column of the rows first … first + each - 1. */
static LLVMValueRef transformed_value(struct tsr__blocks2d *o, struct tsr__block2d_read *p, LLVMTypeRef type, unsigned first, unsigned each,
                                      unsigned byte)
{
    LLVMTypeRef row = LLVMVectorType(LLVMIntTypeInContext(o->l->context, 32 / each), LANES);
    LLVMValueRef r[4], all;
    unsigned from[4 * LANES];
    for (unsigned i = 0; i < each; i++)
        r[i] = load_row_part(o, p, row, first + i, byte);
    for (unsigned i = 0; i < each * LANES; i++)
        from[i] = i % each * LANES + i / each;
    if (each == 2) {
        all = tsr__pick_elements(o->l, o->b, r[0], r[1], from, 2 * LANES);
    } else if (tsr__has(o->l, TSR_CPU_AVX512VBMI)) {
        LLVMValueRef args[] = {
            tsr__concat_pair(o->l, o->b, tsr__concat_pair(o->l, o->b, r[0], r[1]), tsr__concat_pair(o->l, o->b, r[2], r[3])),
            byte_order(o, from)};
        all = tsr__build_intrinsic(o->l, o->b, "llvm.x86.avx512.permvar.qi.512", NULL, 0, args, 2);
    } else {
        all = tsr__pick_elements(o->l, o->b, tsr__concat_pair(o->l, o->b, r[0], r[1]), tsr__concat_pair(o->l, o->b, r[2], r[3]), from,
                                 4 * LANES);
    }
    return LLVMBuildBitCast(o->b, all, type, "");
}

/* Column c of the rows first, first + step … becomes vector c. The rows of lanes 0 to 7 lie in the lower halves of eight vectors, those of
 * lanes 8 to 15 in the upper ones; each half is transposed by exchanging blocks of 4 x 4, 2 x 2 and 1 x 1. */
static void transposed_values(struct tsr__blocks2d *o, struct tsr__block2d_read *p, LLVMTypeRef type, unsigned first, unsigned step,
                              LLVMValueRef *columns)
{
    enum { SIDE = 8 };
    LLVMTypeRef half = LLVMVectorType(LLVMGetElementType(type), SIDE);
    for (unsigned i = 0; i < SIDE; i++)
        columns[i] = tsr__concat_pair(o->l, o->b, load_row_part(o, p, half, first + i * step, 0),
                                      load_row_part(o, p, half, first + (i + SIDE) * step, 0));
    for (unsigned d = SIDE / 2; d; d /= 2) {
        unsigned upper[LANES], lower[LANES];
        for (unsigned n = 0; n < LANES; n++) {
            upper[n] = n & d ? LANES + n - d : n;
            lower[n] = n & d ? LANES + n : n + d;
        }
        for (unsigned i = 0; i < SIDE; i++) {
            if (i & d)
                continue;
            LLVMValueRef a = columns[i], b = columns[i + d];
            columns[i] = tsr__pick_elements(o->l, o->b, a, b, upper, LANES);
            columns[i + d] = tsr__pick_elements(o->l, o->b, a, b, lower, LANES);
        }
    }
}

void tsr__block2d_values(struct tsr__blocks2d *o, struct tsr__block2d_read *p, LLVMTypeRef type, unsigned count, LLVMValueRef *values)
{
    LLVMValueRef call = p->call;
    unsigned bits = tsr__block2d_number(call, TSR__READ_BITS), rows = tsr__block2d_number(call, TSR__READ_ROWS),
             columns = tsr__block2d_number(call, TSR__READ_COLUMNS);
    unsigned each = LLVMGetIntTypeWidth(LLVMGetElementType(type)) / bits, in_block = count / tsr__block2d_number(call, TSR__READ_BLOCKS);
    for (unsigned i = 0; i < count; i++) {
        unsigned n = i % in_block, byte = i / in_block * columns * bits / 8;
        LLVMValueRef found[TSR__BLOCK2D_ROW_BYTES / 8];
        switch ((enum tsr_block2d_layout)tsr__block2d_number(call, TSR__READ_LAYOUT)) {
        case TSR_BLOCK2D_PLAIN:
            values[i] = plain_value(o, p, type, n, columns / each, rows, byte);
            break;
        case TSR_BLOCK2D_TRANSFORM:
            values[i] = (o->whole_words ? words_of_rows : transformed_value)(o, p, type, n * each, each, byte);
            break;
        case TSR_BLOCK2D_TRANSPOSE: /* value i is column i / deep of the rows deep · lane + i % deep */
            if (i >= rows / LANES)
                break;
            transposed_values(o, p, type, i, rows / LANES, found);
            for (unsigned c = 0; c < columns; c++)
                values[c * (rows / LANES) + i] = found[c];
            break;
        }
    }
}
