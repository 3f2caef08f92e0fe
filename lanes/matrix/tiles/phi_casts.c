/* SPDX-License-Identifier: Apache-2.0
 * Moves bitcasts so that tile_webs.c can follow values through phis.
 *
 * LLVM puts a cast before a phi rather than behind it: where float accumulators are stored as integers behind a loop, each incoming
 * value is cast by itself. Such phis become phis of the uncast type. Where LLVM has unrolled a loop and peeled the odd round, the values
 * of that round go to two phis, one of the loop and one behind it; if the two differ by poison only, one replaces the other. Phis of a
 * single value, which LLVM's passes on loops leave behind some of several loops' values, are that value. Casts of values in webs sink to
 * their users, so that all stores of a value are seen. */
#include "lanes/matrix/tiles/tiles.h"
#include "lanes/ir/match.h"

/* The type from which all that flows into the phi is cast, constants aside; NULL: there is none. */
static LLVMTypeRef cast_from(LLVMValueRef phi)
{
    LLVMTypeRef type = NULL;
    for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
        LLVMValueRef v = LLVMGetIncomingValue(phi, i);
        if (LLVMIsAConstant(v) && (LLVMIsNull(v) || LLVMIsUndef(v)))
            continue;
        if (!LLVMIsABitCastInst(v) || (type && LLVMTypeOf(LLVMGetOperand(v, 0)) != type))
            return NULL;
        type = LLVMTypeOf(LLVMGetOperand(v, 0));
    }
    return type && LLVMGetTypeKind(type) == LLVMVectorTypeKind ? type : NULL;
}

static LLVMValueRef strip_cast(LLVMValueRef v, LLVMTypeRef type)
{
    if (!LLVMIsAConstant(v))
        return LLVMGetOperand(v, 0);
    return LLVMIsPoison(v) ? LLVMGetPoison(type) : LLVMIsUndef(v) ? LLVMGetUndef(type) : LLVMConstNull(type);
}

/* What the cast of `v` is cast back to is `v`. */
static void drop_casts_back(LLVMValueRef cast, LLVMValueRef v)
{
    for (LLVMUseRef use = LLVMGetFirstUse(cast), next; use; use = next) {
        LLVMValueRef user = LLVMGetUser(use);
        next = LLVMGetNextUse(use);
        if (!LLVMIsABitCastInst(user) || LLVMTypeOf(user) != LLVMTypeOf(v))
            continue;
        LLVMReplaceAllUsesWith(user, v);
        LLVMInstructionEraseFromParent(user);
    }
}

static void retype_phi(struct tsr__compilation *l, LLVMValueRef phi, LLVMTypeRef type)
{
    LLVMBuilderRef b = tsr__builder_before(l, phi);
    LLVMValueRef made = LLVMBuildPhi(b, type, "");
    for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
        LLVMValueRef v = strip_cast(LLVMGetIncomingValue(phi, i), type);
        LLVMBasicBlockRef from = LLVMGetIncomingBlock(phi, i);
        LLVMAddIncoming(made, &v, &from, 1);
    }
    LLVMPositionBuilderBefore(b, tsr__after_phis(phi));
    LLVMValueRef cast = LLVMBuildBitCast(b, made, LLVMTypeOf(phi), "");
    LLVMReplaceAllUsesWith(phi, cast);
    drop_casts_back(cast, made);
    for (unsigned i = LLVMCountIncoming(phi); i-- > 0;) {
        LLVMValueRef in = LLVMGetIncomingValue(phi, i);
        LLVMSetOperand(phi, i, LLVMGetPoison(LLVMTypeOf(phi)));
        if (LLVMIsABitCastInst(in) && !LLVMGetFirstUse(in))
            LLVMInstructionEraseFromParent(in);
    }
    LLVMInstructionEraseFromParent(phi);
    LLVMDisposeBuilder(b);
}

/* Does `x` have the values of `phi` wherever that has any? */
static bool stands_for(LLVMValueRef x, LLVMValueRef phi)
{
    if (x == phi || LLVMTypeOf(x) != LLVMTypeOf(phi))
        return false;
    for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
        LLVMValueRef v = LLVMGetIncomingValue(phi, i);
        if (!LLVMIsPoison(v) && v != tsr__incoming_from(x, LLVMGetIncomingBlock(phi, i)))
            return false;
    }
    return true;
}

static bool is_poison_somewhere(LLVMValueRef phi)
{
    for (unsigned i = 0; i < LLVMCountIncoming(phi); i++)
        if (LLVMIsPoison(LLVMGetIncomingValue(phi, i)))
            return true;
    return false;
}

static void merge_poison_phi(LLVMValueRef phi)
{
    for (LLVMValueRef x = LLVMGetFirstInstruction(LLVMGetInstructionParent(phi)); LLVMIsAPHINode(x); x = LLVMGetNextInstruction(x))
        if (stands_for(x, phi)) {
            LLVMReplaceAllUsesWith(phi, x);
            LLVMInstructionEraseFromParent(phi);
            return;
        }
}

void tsr__fold_phi_casts(struct tsr__compilation *l, LLVMValueRef function)
{
    for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(function); bb; bb = LLVMGetNextBasicBlock(bb))
        for (LLVMValueRef i = LLVMIsAPHINode(LLVMGetFirstInstruction(bb)), next; i; i = next) {
            LLVMTypeRef type = cast_from(i);
            next = LLVMIsAPHINode(LLVMGetNextInstruction(i)); /* what is no phi may be a cast that is erased here */
            if (LLVMCountIncoming(i) == 1 && LLVMGetIncomingValue(i, 0) != i) {
                LLVMReplaceAllUsesWith(i, LLVMGetIncomingValue(i, 0));
                LLVMInstructionEraseFromParent(i);
            } else if (type)
                retype_phi(l, i, type);
            else if (LLVMGetTypeKind(LLVMTypeOf(i)) == LLVMVectorTypeKind && is_poison_somewhere(i))
                merge_poison_phi(i);
        }
}

/* ---- casts ---- */

static LLVMValueRef *users_of(struct tsr__compilation *l, LLVMValueRef v, size_t *count)
{
    *count = 0;
    for (LLVMUseRef use = LLVMGetFirstUse(v); use; use = LLVMGetNextUse(use))
        ++*count;
    LLVMValueRef *all = tsr_arena_alloc(&l->scratch, (*count + 1) * sizeof *all);
    size_t n = 0;
    for (LLVMUseRef use = LLVMGetFirstUse(v); use; use = LLVMGetNextUse(use))
        all[n++] = LLVMGetUser(use);
    return all;
}

/* One cast for each user, in front of it. */
static void spread_cast(struct tsr__webs *w, LLVMValueRef cast)
{
    size_t count;
    LLVMValueRef *users = users_of(w->l, cast, &count);
    for (size_t i = 0; i < count; i++) {
        if (LLVMIsAPHINode(users[i]) || (count == 1 && LLVMGetInstructionParent(users[i]) == LLVMGetInstructionParent(cast)))
            continue;
        LLVMBuilderRef b = tsr__builder_before(w->l, users[i]);
        LLVMValueRef copy = LLVMInstructionClone(cast);
        LLVMInsertIntoBuilder(b, copy);
        LLVMDisposeBuilder(b);
        tsr__map_set(&w->order, copy, tsr__map_get(&w->order, users[i]));
        for (unsigned k = 0; k < (unsigned)LLVMGetNumOperands(users[i]); k++)
            if (LLVMGetOperand(users[i], k) == cast)
                LLVMSetOperand(users[i], k, copy);
    }
    if (!LLVMGetFirstUse(cast))
        LLVMInstructionEraseFromParent(cast);
}

void tsr__sink_phi_casts(struct tsr__webs *w)
{
    for (size_t i = 0; i < w->web_count; i++)
        for (unsigned n = 0; n < w->webs[i]->fragment_count * w->webs[i]->m; n++) {
            size_t count;
            LLVMValueRef *users = users_of(w->l, w->webs[i]->fragments[n / w->webs[i]->m]->v[n % w->webs[i]->m], &count);
            for (size_t k = 0; k < count; k++)
                if (LLVMIsABitCastInst(users[k]))
                    spread_cast(w, users[k]);
        }
}
