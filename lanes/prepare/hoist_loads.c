/* SPDX-License-Identifier: Apache-2.0
 * Loop-invariant code motion of loads.
 *
 * A load that is the same in each round of a loop moves before the loop. In a loop that lanes leave in different rounds the load would
 * be masked, and no later pass could hoist it. LLVM's own pass drops flags and metadata that the address analysis needs. */
#include "lanes/prepare/packet_kernel.h"
#include "lanes/ir/match.h"
#include "lanes/prepare/loop_motion.h"

static unsigned spaces_written_in(const struct tsr__cfg *cfg, const struct tsr__loop *loop)
{
    unsigned spaces = 0;
    for (int i = loop->begin; i < loop->end; i++)
        for (LLVMValueRef inst = LLVMGetFirstInstruction(cfg->blocks[i].ref); inst; inst = LLVMGetNextInstruction(inst))
            spaces |= tsr__spaces_written(inst);
    return spaces;
}

bool tsr__pass_hoist_loads(struct tsr__compilation *l, struct tsr__packet_kernel *k)
{
    struct tsr_arena arena = {0};
    struct tsr__cfg cfg;
    LLVMBuilderRef b = LLVMCreateBuilderInContext(l->context);
    int loops = tsr__cfg_make(&cfg, k->item, &arena) ? cfg.loop_count : 0;
    for (int i = loops - 1; i >= 0; i--) { /* inner loops first */
        const struct tsr__loop *loop = &cfg.loops[i];
        int before = tsr__preheader_of(&cfg, loop);
        unsigned written = before == TSR__NONE ? TSR__ALL_SPACES : spaces_written_in(&cfg, loop);
        if (written == TSR__ALL_SPACES)
            continue;
        LLVMPositionBuilderBefore(b, cfg.blocks[before].terminator);
        struct tsr__loop_of where = {&cfg, i};
        /* Every round makes the loads of the header, the first one, too. */
        for (LLVMValueRef inst = LLVMGetFirstInstruction(cfg.blocks[loop->header].ref), next; inst; inst = next) {
            next = LLVMGetNextInstruction(inst);
            bool plain = tsr__is_plain_load(inst);
            enum { DEPTH = 4 };
            if (plain && !(tsr__space_bit(LLVMGetOperand(inst, 0)) & written) && tsr__can_hoist(&where, LLVMGetOperand(inst, 0), DEPTH))
                tsr__hoist(&where, b, inst);
        }
    }
    LLVMDisposeBuilder(b);
    tsr_arena_free(&arena);
    return true;
}
