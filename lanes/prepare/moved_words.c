/* SPDX-License-Identifier: Apache-2.0
 * Vectors of a work-item that it moves and computes nothing with, `p = inside ? a[k] : black; o[i] = p` of `uchar4` or `float2`, are
 * integers: a packet would take them apart into their elements, and put these together again.
 *
 * What is joined by phis and choices has one type. So values are put into webs, of which one stays as it is if any of its members is used
 * otherwise. */
#include "lanes/ir/memory_notes.h"
#include "lanes/ir/explain.h"
#include "lanes/ir/match.h"

struct words {
    struct tsr__compilation *l;
    LLVMTargetDataRef layout;
    struct tsr__map number; /* value → number + 1 */
    LLVMValueRef *values;
    size_t *web; /* by number: another member, or itself: it stands for the web */
    bool *stays, *loads;
    size_t count;
};

static LLVMTypeRef integer_of(const struct words *w, LLVMTypeRef type)
{
    if (!tsr__is_vector_type(type))
        return NULL;
    LLVMTypeKind kind = LLVMGetTypeKind(LLVMGetElementType(type));
    const unsigned long long bits = LLVMSizeOfTypeInBits(w->layout, type);
    if ((kind != LLVMIntegerTypeKind && kind != LLVMHalfTypeKind && kind != LLVMFloatTypeKind) || (bits != 32 && bits != 64) ||
        bits != 8 * LLVMStoreSizeOfType(w->layout, type) || LLVMSizeOfTypeInBits(w->layout, LLVMGetElementType(type)) % 8)
        return NULL;
    return LLVMIntTypeInContext(w->l->context, (unsigned)bits);
}

static bool is_plain(LLVMValueRef access)
{
    return tsr__is_plain_access(access) && LLVMGetPointerAddressSpace(LLVMTypeOf(tsr__accessed_pointer(access))) != TSR__PRIVATE_SPACE;
}

static size_t web_of(struct words *w, size_t n)
{
    while (w->web[n] != n)
        n = w->web[n] = w->web[w->web[n]];
    return n;
}

static void join(struct words *w, size_t a, size_t b)
{
    a = web_of(w, a);
    b = web_of(w, b);
    w->web[a] = b;
    w->stays[b] = w->stays[b] || w->stays[a];
    w->loads[b] = w->loads[b] || w->loads[a];
}

static bool is_choice(LLVMValueRef v)
{
    return LLVMIsAPHINode(v) || (LLVMIsASelectInst(v) && !tsr__is_vector(LLVMGetOperand(v, 0)));
}

static unsigned first_value(LLVMValueRef choice)
{
    return LLVMIsASelectInst(choice) ? 1 : 0;
}

/* Whether it is moved alone: by a store, or to a member of its web. */
static bool is_moved_by(const struct words *w, LLVMValueRef v, LLVMValueRef user)
{
    if (LLVMIsAStoreInst(user))
        return LLVMGetOperand(user, 0) == v && is_plain(user);
    return is_choice(user) && tsr__map_get(&w->number, user);
}

static void find_webs(struct words *w)
{
    for (size_t n = 0; n < w->count; n++) {
        LLVMValueRef v = w->values[n];
        w->web[n] = n;
        w->loads[n] = LLVMIsALoadInst(v);
        w->stays[n] = LLVMIsALoadInst(v) ? !is_plain(v) : !is_choice(v);
        for (LLVMUseRef use = LLVMGetFirstUse(v); use && !w->stays[n]; use = LLVMGetNextUse(use))
            w->stays[n] = !is_moved_by(w, v, LLVMGetUser(use));
    }
    for (size_t n = 0; n < w->count; n++)
        for (int i = (int)first_value(w->values[n]); is_choice(w->values[n]) && i < LLVMGetNumOperands(w->values[n]); i++) {
            size_t other = tsr__map_get(&w->number, LLVMGetOperand(w->values[n], (unsigned)i));
            if (other)
                join(w, n, other - 1);
        }
}

/* As an integer: what a vector was made of, or a constant. */
static LLVMValueRef word_of(struct words *w, LLVMBuilderRef b, LLVMValueRef v)
{
    return LLVMBuildBitCast(b, v, integer_of(w, LLVMTypeOf(v)), "");
}

/* Users that are not in the web yet have the vector until they are. */
static void replace(LLVMBuilderRef b, LLVMValueRef v, LLVMValueRef word)
{
    LLVMValueRef vector = LLVMBuildBitCast(b, word, LLVMTypeOf(v), "");
    LLVMReplaceAllUsesWith(v, vector);
}

static void make_load(struct words *w, LLVMBuilderRef b, LLVMValueRef load)
{
    LLVMPositionBuilderBefore(b, load);
    LLVMValueRef made = LLVMBuildLoad2(b, integer_of(w, LLVMTypeOf(load)), LLVMGetOperand(load, 0), "");
    tsr__copy_memory_notes(load, made, LLVMGetAlignment(load));
    replace(b, load, made);
}

static void make_choice(struct words *w, LLVMBuilderRef b, LLVMValueRef choice)
{
    LLVMPositionBuilderBefore(b, choice);
    if (LLVMIsASelectInst(choice)) {
        replace(b, choice,
                LLVMBuildSelect(b, LLVMGetOperand(choice, 0), word_of(w, b, LLVMGetOperand(choice, 1)),
                                word_of(w, b, LLVMGetOperand(choice, 2)), ""));
        return;
    }
    LLVMValueRef phi = LLVMBuildPhi(b, integer_of(w, LLVMTypeOf(choice)), "");
    for (unsigned i = 0; i < LLVMCountIncoming(choice); i++) {
        LLVMBasicBlockRef from = LLVMGetIncomingBlock(choice, i);
        LLVMPositionBuilderBefore(b, LLVMGetBasicBlockTerminator(from));
        LLVMValueRef word = word_of(w, b, LLVMGetIncomingValue(choice, i));
        LLVMAddIncoming(phi, &word, &from, 1);
    }
    LLVMPositionBuilderBefore(b, tsr__after_phis(choice));
    replace(b, choice, phi);
}

static void make_stores(struct words *w, LLVMBuilderRef b, LLVMValueRef *code, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        size_t number = LLVMIsAStoreInst(code[i]) ? tsr__map_get(&w->number, LLVMGetOperand(code[i], 0)) : 0;
        if (!number || w->stays[web_of(w, number - 1)] || !w->loads[web_of(w, number - 1)])
            continue;
        LLVMPositionBuilderBefore(b, code[i]);
        LLVMSetOperand(code[i], 0, word_of(w, b, LLVMGetOperand(code[i], 0)));
    }
}

bool tsr__pass_moved_words(struct tsr__compilation *l, LLVMValueRef function)
{
    struct words w = {.l = l, .layout = LLVMGetModuleDataLayout(l->module), .number = {.arena = &l->scratch}};
    size_t count;
    bool any = false;
    LLVMValueRef *code = tsr__instructions(l, function, &count);
    w.values = tsr_arena_alloc(&l->scratch, count * sizeof *w.values);
    w.web = tsr_arena_alloc(&l->scratch, count * sizeof *w.web);
    w.stays = tsr_arena_alloc(&l->scratch, count * sizeof *w.stays);
    w.loads = tsr_arena_alloc(&l->scratch, count * sizeof *w.loads);
    for (size_t i = 0; i < count; i++)
        if (integer_of(&w, LLVMTypeOf(code[i]))) {
            w.values[w.count] = code[i];
            tsr__map_set(&w.number, code[i], ++w.count);
        }
    find_webs(&w);
    LLVMBuilderRef b = LLVMCreateBuilderInContext(l->context);
    make_stores(&w, b, code, count);
    for (size_t n = 0; n < w.count; n++) {
        if (w.stays[web_of(&w, n)] || !w.loads[web_of(&w, n)])
            continue;
        tsr__explain(l, w.values[n], "vector", "a word", "it is moved and not computed with");
        (LLVMIsALoadInst(w.values[n]) ? make_load : make_choice)(&w, b, w.values[n]);
        any = true;
    }
    LLVMDisposeBuilder(b);
    return !any || tsr__run_llvm_on(l, function, "instsimplify,dce");
}
