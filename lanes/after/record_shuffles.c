/* SPDX-License-Identifier: Apache-2.0
 * Records of 64 bits, `uchar8` or `half4`, that are taken apart or put together in registers before AVX-512.
 *
 * A shuffle that takes a member out of the records of all lanes reads more registers than the CPU's shuffles do, and LLVM's code generator
 * makes and combines them element by element. Here all members come out of one network of shuffles of two registers. LLVM's passes do not
 * see this, so that until then they take the shuffles of both sides away where they can. */
#include "lanes/ir/record_network.h"
#include "lanes/ir/shuffles.h"

enum { RECORD_BITS = 64, MOST_ELEMENTS = 256, MOST_GROUPS = 16 };

struct records {
    struct tsr__record_network network;
    LLVMTypeRef element;
    unsigned lanes, in_register, groups; /* a group: as many registers as a record has members */
};

static bool set_records(struct records *r, struct tsr__compilation *l, LLVMBuilderRef b, LLVMTypeRef element, unsigned members,
                        unsigned lanes)
{
    unsigned bits = (unsigned)LLVMSizeOfTypeInBits(LLVMGetModuleDataLayout(l->module), element), row = 128 / bits;
    if ((bits != 8 && bits != 16) || members * bits != RECORD_BITS || (lanes & (lanes - 1)) || members * lanes > MOST_ELEMENTS)
        return false;
    *r = (struct records){.element = element, .lanes = lanes, .in_register = tsr__has(l, TSR_CPU_AVX2) && lanes > row ? 2 * row : row};
    r->groups = lanes / r->in_register;
    return r->groups && r->groups <= MOST_GROUPS && tsr__make_record_network(&r->network, l, b, element, members, r->in_register);
}

static LLVMValueRef slice(const struct records *r, LLVMValueRef x, unsigned first, unsigned count)
{
    return LLVMGetVectorSize(LLVMTypeOf(x)) == count ? x : tsr__take_lanes(r->network.l, r->network.b, x, NULL, first, count);
}

/* ---- taking apart ---- */

static void take_apart(const struct records *r, LLVMValueRef all, LLVMValueRef *members)
{
    unsigned count = r->network.members;
    LLVMValueRef parts[TSR__MOST_MEMBERS][MOST_GROUPS], registers[TSR__MOST_MEMBERS];
    for (unsigned g = 0; g < r->groups; g++) {
        for (unsigned i = 0; i < count; i++)
            registers[i] = slice(r, all, (g * count + i) * r->in_register, r->in_register);
        tsr__take_records_apart(&r->network, registers);
        for (unsigned m = 0; m < count; m++)
            parts[m][g] = registers[m];
    }
    for (unsigned m = 0; m < count; m++)
        members[m] = tsr__join_lanes(r->network.l, r->network.b, parts[m], r->groups);
}

/* Of the vector of records, whatever type it has. */
static LLVMValueRef root_of(LLVMValueRef v)
{
    LLVMValueRef from = LLVMIsABitCastInst(v) ? LLVMGetOperand(v, 0) : v;
    return LLVMGetTypeKind(LLVMTypeOf(from)) == LLVMVectorTypeKind ? from : v;
}

/* Notes what the block takes out of the value. A record that is a number has its first member in the lowest bits. */
static void note_takers(const struct records *r, LLVMValueRef v, LLVMBasicBlockRef block, LLVMValueRef *takers)
{
    LLVMTypeRef type = LLVMVectorType(r->element, r->lanes);
    for (LLVMUseRef use = LLVMGetFirstUse(v); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (LLVMIsABitCastInst(user) && root_of(user) == v)
            note_takers(r, user, block, takers);
        if (!LLVMIsAInstruction(user) || LLVMGetInstructionParent(user) != block || LLVMTypeOf(user) != type)
            continue;
        int member = LLVMIsATruncInst(user) ? 0 : -1;
        if (LLVMIsAShuffleVectorInst(user) && LLVMGetOperand(user, 0) == v && LLVMGetElementType(LLVMTypeOf(v)) == r->element)
            member = tsr__taken_member(user, r->network.members);
        if (member >= 0 && !takers[member])
            takers[member] = user;
    }
}

static void position_behind(LLVMBuilderRef b, LLVMValueRef v, LLVMBasicBlockRef block)
{
    bool here = LLVMIsAInstruction(v) && LLVMGetInstructionParent(v) == block;
    LLVMPositionBuilderBefore(b, tsr__after_phis(here ? LLVMGetNextInstruction(v) : LLVMGetFirstInstruction(block)));
}

/* What the shuffle's block takes out of the same records; the number of members, 0: the shuffle does something else. */
static unsigned find_takers(struct records *r, struct tsr__compilation *l, LLVMBuilderRef b, LLVMValueRef shuffle, LLVMValueRef *takers)
{
    LLVMValueRef source = LLVMGetOperand(shuffle, 0);
    unsigned lanes = LLVMGetNumMaskElements(shuffle), count = LLVMGetVectorSize(LLVMTypeOf(source)) / lanes, taken = 0;
    if (LLVMIsAConstant(root_of(source)) || count < 2 || !set_records(r, l, b, LLVMGetElementType(LLVMTypeOf(source)), count, lanes) ||
        tsr__taken_member(shuffle, count) < 0)
        return 0;
    note_takers(r, root_of(source), LLVMGetInstructionParent(shuffle), takers);
    for (unsigned m = 0; m < count; m++)
        taken += takers[m] != NULL;
    return taken;
}

/* All by one network, where they are half of the members or more. */
static bool replace_takers(struct tsr__compilation *l, LLVMBuilderRef b, LLVMValueRef shuffle)
{
    LLVMValueRef takers[TSR__MOST_MEMBERS] = {0}, members[TSR__MOST_MEMBERS], source = LLVMGetOperand(shuffle, 0);
    struct records r;
    unsigned taken = find_takers(&r, l, b, shuffle, takers);
    if (!taken || 2 * taken < r.network.members)
        return false;
    position_behind(b, root_of(source), LLVMGetInstructionParent(shuffle));
    take_apart(&r, LLVMBuildBitCast(b, root_of(source), LLVMTypeOf(source), ""), members);
    for (unsigned m = 0; m < r.network.members; m++)
        if (takers[m])
            LLVMReplaceAllUsesWith(takers[m], members[m]);
    return true;
}

/* LLVM computes with whole records where it needs few members of the result. These are better taken out before. */
static bool compute_behind(struct tsr__compilation *l, LLVMBuilderRef b, LLVMValueRef shuffle)
{
    LLVMValueRef takers[TSR__MOST_MEMBERS] = {0}, all = LLVMGetOperand(shuffle, 0), its[2];
    unsigned from[MOST_ELEMENTS];
    struct records r;
    unsigned taken = LLVMIsABinaryOperator(all) ? find_takers(&r, l, b, shuffle, takers) : 0;
    if (!taken || 2 * taken >= r.network.members)
        return false;
    for (unsigned i = 0; i < r.lanes; i++)
        from[i] = i * r.network.members + (unsigned)tsr__taken_member(shuffle, r.network.members);
    LLVMPositionBuilderBefore(b, shuffle);
    for (unsigned i = 0; i < 2; i++)
        its[i] = tsr__pick_elements(l, b, LLVMGetOperand(all, i), NULL, from, r.lanes);
    LLVMReplaceAllUsesWith(shuffle, LLVMBuildBinOp(b, LLVMGetInstructionOpcode(all), its[0], its[1], ""));
    return true;
}

/* ---- putting together ---- */

static LLVMValueRef put_together(const struct records *r, LLVMValueRef *members)
{
    unsigned count = r->network.members;
    LLVMValueRef all[MOST_ELEMENTS];
    for (unsigned g = 0; g < r->groups; g++) {
        for (unsigned m = 0; m < count; m++)
            all[g * count + m] = slice(r, members[m], g * r->in_register, r->in_register);
        tsr__put_records_together(&r->network, all + g * count);
    }
    return tsr__join_lanes(r->network.l, r->network.b, all, r->groups * count);
}

/* How many members a shuffle puts together; 1 or 0: it does something else. */
static unsigned joined_members(LLVMValueRef shuffle)
{
    unsigned all = LLVMGetNumMaskElements(shuffle), count = 1; /* element 1 of member 0 is behind one of each */
    while (count < all && tsr__shuffle_number(shuffle, count) != 1)
        count++;
    for (unsigned i = 0; i < all; i++) {
        unsigned from = tsr__shuffle_number(shuffle, i);
        if (from != TSR__NO_ELEMENT && (all % count || from != i % count * (all / count) + i / count))
            return 0;
    }
    return count < all ? count : 0;
}

/* `count` elements of `v` from `first` on. */
static LLVMValueRef part_of(const struct records *r, LLVMValueRef v, unsigned first, unsigned count)
{
    while (LLVMGetVectorSize(LLVMTypeOf(v)) > count && tsr__is_concat_pair(v)) {
        unsigned half = LLVMGetVectorSize(LLVMTypeOf(v)) / 2;
        v = LLVMGetOperand(v, first >= half);
        first %= half;
    }
    return slice(r, v, first, count);
}

/* If all members come out of one or two vectors of records: each record's members in another order, register by register. NULL: else. */
static LLVMValueRef permuted(const struct records *r, LLVMValueRef *members)
{
    unsigned count = r->network.members, registers = r->groups * count, its[TSR__MOST_MEMBERS];
    LLVMValueRef roots[2] = {0}, all[MOST_ELEMENTS];
    unsigned from[MOST_ELEMENTS];
    LLVMTypeRef type = LLVMVectorType(r->element, count * r->lanes);
    for (unsigned m = 0; m < count; m++) {
        bool taken = LLVMIsAShuffleVectorInst(members[m]) && LLVMTypeOf(LLVMGetOperand(members[m], 0)) == type;
        int member = taken ? tsr__taken_member(members[m], count) : -1;
        LLVMValueRef root = member < 0 ? NULL : LLVMGetOperand(members[m], 0);
        if (!root || (roots[0] && roots[0] != root && roots[1] && roots[1] != root))
            return NULL;
        unsigned which = roots[0] && roots[0] != root;
        roots[which] = root;
        its[m] = (unsigned)member + which * r->in_register;
    }
    for (unsigned i = 0; i < r->in_register; i++)
        from[i] = i / count * count + its[i % count];
    for (unsigned i = 0; i < registers; i++) {
        LLVMValueRef x = slice(r, roots[0], i * r->in_register, r->in_register);
        LLVMValueRef y = roots[1] ? slice(r, roots[1], i * r->in_register, r->in_register) : NULL;
        all[i] = tsr__pick_elements(r->network.l, r->network.b, x, y, from, r->in_register);
    }
    return tsr__join_lanes(r->network.l, r->network.b, all, registers);
}

static bool replace_join(struct tsr__compilation *l, LLVMBuilderRef b, LLVMValueRef shuffle)
{
    LLVMValueRef members[TSR__MOST_MEMBERS], made;
    LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(shuffle, 0));
    unsigned count = joined_members(shuffle), all = LLVMGetNumMaskElements(shuffle), in_operand = LLVMGetVectorSize(type);
    struct records r;
    if (count < 2 || (in_operand != all && 2 * in_operand != all) || !set_records(&r, l, b, LLVMGetElementType(type), count, all / count))
        return false;
    LLVMPositionBuilderBefore(b, shuffle);
    for (unsigned m = 0; m < count; m++)
        members[m] = part_of(&r, LLVMGetOperand(shuffle, m * r.lanes >= in_operand), m * r.lanes % in_operand, r.lanes);
    made = permuted(&r, members);
    LLVMReplaceAllUsesWith(shuffle, made ? made : put_together(&r, members));
    return true;
}

static bool replace_all(struct tsr__compilation *l, LLVMValueRef function,
                        bool (*replace)(struct tsr__compilation *, LLVMBuilderRef, LLVMValueRef))
{
    size_t count;
    LLVMValueRef *code = tsr__instructions(l, function, &count);
    LLVMBuilderRef b = LLVMCreateBuilderInContext(l->context);
    bool any = false;
    for (size_t i = 0; i < count; i++)
        if (LLVMIsAShuffleVectorInst(code[i]) && LLVMGetFirstUse(code[i]))
            any = replace(l, b, code[i]) || any;
    LLVMDisposeBuilder(b);
    return any;
}

bool tsr__pass_record_shuffles(struct tsr__compilation *l, LLVMValueRef function)
{
    if (tsr__has(l, TSR_CPU_AVX512BW))
        return true;
    bool any = replace_all(l, function, replace_join);
    any = replace_all(l, function, compute_behind) || any;
    any = replace_all(l, function, replace_takers) || any;
    return !any || tsr__run_llvm_on(l, function, "dce");
}
