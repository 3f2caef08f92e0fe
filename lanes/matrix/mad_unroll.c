/* SPDX-License-Identifier: Apache-2.0
 * Unroll hints for loops with matrix operations.
 *
 * A tile takes twice the K of one operation. So a loop whose matrix operations add to their accumulators once in a round is unrolled by
 * two. Loops that the device may run as a whole (tile_loops.c) are not: they take any K in a round. */
#include "lanes/analysis/polynomial.h"
#include "lanes/matrix/matrix.h"
#include "lanes/prepare/unroll.h"
#include "lanes/ir/cfg.h"
#include "lanes/ir/match.h"

/* The operation that the accumulator comes from, or NULL. */
static LLVMValueRef made_by(LLVMValueRef c)
{
    struct tsr__mad mad;
    return LLVMIsAExtractValueInst(c) && tsr__mad_read(LLVMGetOperand(c, 0), &mad) ? LLVMGetOperand(c, 0) : NULL;
}

/* Is there an operation that would be in tiles, and none that adds to the result of another one of the same round? */
static bool adds_once(struct tsr__compilation *l, enum tsr__tile_unit unit, const struct tsr__cfg *cfg, int loop)
{
    bool any = false;
    for (int b = cfg->loops[loop].begin; b < cfg->loops[loop].end; b++)
        for (LLVMValueRef i = LLVMGetFirstInstruction(cfg->blocks[b].ref); i; i = LLVMGetNextInstruction(i)) {
            struct tsr__mad mad;
            if (!tsr__mad_read(i, &mad) || !tsr__tile_product(l, unit, mad.f))
                continue;
            LLVMValueRef before = made_by(tsr__mad_c(&mad, 0));
            if (before && tsr__in_loop(cfg, tsr__cfg_number(cfg, LLVMGetInstructionParent(before)), loop))
                return false;
            any = any || !LLVMIsNull(tsr__mad_c(&mad, 0)); /* else it begins with zero in each round */
        }
    return any;
}

static bool is_innermost(const struct tsr__cfg *cfg, int loop)
{
    for (int i = 0; i < cfg->loop_count; i++)
        if (cfg->loops[i].parent == loop)
            return false;
    return true;
}

/* Does the loop look as if vectors will get all of its rounds at once? */
static bool may_run_as_a_whole(enum tsr__tile_unit unit, const struct tsr__cfg *cfg, int loop)
{
    if (unit != TSR__TILES_VECTORS || cfg->loops[loop].end - cfg->loops[loop].begin != 1)
        return false;
    for (LLVMValueRef i = LLVMGetFirstInstruction(cfg->blocks[cfg->loops[loop].begin].ref); i; i = LLVMGetNextInstruction(i))
        if (tsr__stores_or_orders(i))
            return false;
    return true;
}

/* Do rows of A go on elsewhere in the next round? Then halves of tiles come straight from memory. Whole ones, of two rounds, would be put
 * together on the stack. */
static bool has_distant_rounds(struct tsr__compilation *l, enum tsr__tile_unit unit, const struct tsr__cfg *cfg, int loop)
{
    LLVMBasicBlockRef block = cfg->blocks[cfg->loops[loop].begin].ref;
    bool any = false;
    if (unit == TSR__TILES_VECTORS || cfg->loops[loop].end - cfg->loops[loop].begin != 1)
        return false;
    for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i)) {
        struct tsr__mad mad;
        if (!tsr__mad_read(i, &mad))
            continue;
        LLVMValueRef a = tsr__mad_a(&mad, 0);
        if (!LLVMIsALoadInst(a))
            return false;
        struct tsr__polynomial at = tsr__polynomial_of(l, LLVMGetOperand(a, 0)), step;
        if (!tsr__polynomial_step(l, &at, block, &step) || (!step.count && step.constant == TSR_TILE_ROW_BYTES / 2))
            return false;
        any = true;
    }
    return any;
}

void tsr__mark_mad_unroll(struct tsr__compilation *l, LLVMValueRef function, const struct tsr__map *except)
{
    const enum tsr__tile_unit unit = tsr__tile_unit_of(l, function);
    struct tsr__cfg cfg;
    if (!unit || !tsr__cfg_make(&cfg, function, &l->scratch))
        return;
    for (int loop = 0; loop < cfg.loop_count; loop++)
        if (cfg.loops[loop].latch != TSR__NONE && is_innermost(&cfg, loop) && adds_once(l, unit, &cfg, loop) &&
            !may_run_as_a_whole(unit, &cfg, loop) && !has_distant_rounds(l, unit, &cfg, loop) &&
            !(except && tsr__map_get(except, cfg.blocks[cfg.loops[loop].begin].ref)))
            tsr__set_loop_hint(l, cfg.blocks[cfg.loops[loop].latch].terminator, "llvm.loop.unroll.count", 2);
}
