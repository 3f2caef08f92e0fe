/* SPDX-License-Identifier: Apache-2.0
 * Sums of the columns of B in a loop over K, as a zero point of A asks for:
 *
 *     for (k …) { s = mad(a, b, s);  sums += dot(ones, b); }     →     for (k …) { s = mad(a, b, s);  t = mad(ones, b, t); }
 *
 * Each row of t is the sums. Vectors that add up B would read it again for each packet, in rows that are apart. In a grid the ones are one
 * A for all rows of work-groups, so the device makes the sums once. With tile registers only. */
#include "lanes/ir/calls.h"
#include "lanes/ir/match.h"
#include "lanes/ir/shuffles.h"
#include "lanes/matrix/matrix.h"

enum { MOST_WORDS = 64, MOST_PRODUCTS = 64 };

struct sums {
    struct tsr__compilation *l;
    LLVMBasicBlockRef loop;
    struct tsr__mad mads[MOST_PRODUCTS];
    unsigned count;
    /* of one sum: the phi, what it becomes, and the words of B that are added */
    LLVMValueRef phi, next, words[MOST_WORDS];
    bool is_unsigned[MOST_WORDS], has_phi;
    unsigned word_count;
};

/* ---- what is summed ---- */

static bool is_ones(LLVMValueRef v)
{
    int64_t number;
    return tsr__same_number(v, &number) && (number & 0xff) == 1;
}

/* Notes a word whose four bytes are added. */
static bool add_word(struct sums *x, LLVMValueRef bytes, bool is_unsigned)
{
    if (!LLVMIsABitCastInst(bytes) || x->word_count == MOST_WORDS)
        return false;
    x->is_unsigned[x->word_count] = is_unsigned;
    x->words[x->word_count++] = LLVMGetOperand(bytes, 0);
    return true;
}

/* The parts of the sum `v`, all of which are in the loop and used for it alone. */
static bool find_parts(struct sums *x, LLVMValueRef v)
{
    if (v == x->phi) {
        const bool first = !x->has_phi;
        x->has_phi = true;
        return first;
    }
    if (LLVMIsNull(v))
        return true;
    if (!LLVMIsAInstruction(v) || !tsr__is_in_block(v, x->loop) || (v != x->next && tsr__use_count(v) != 1))
        return false;
    if (LLVMIsABinaryOperator(v) && LLVMGetInstructionOpcode(v) == LLVMAdd)
        return find_parts(x, LLVMGetOperand(v, 0)) && find_parts(x, LLVMGetOperand(v, 1));
    if (!tsr__calls(v, "llvm.x86.avx512.vpdpbusd.")) /* bytes without a sign times bytes with one */
        return false;
    const bool ones_first = is_ones(LLVMGetOperand(v, 1));
    if (!ones_first && !is_ones(LLVMGetOperand(v, 2)))
        return false;
    return find_parts(x, LLVMGetOperand(v, 0)) && add_word(x, LLVMGetOperand(v, ones_first ? 2 : 1), !ones_first);
}

/* Takes the words of the product's B away from those that are added. False: some are not among them. */
static bool take_words(struct sums *x, const struct tsr__mad *mad)
{
    unsigned at[TSR__WORDS];
    for (unsigned i = 0; i < TSR__WORDS; i++) {
        unsigned k = 0;
        while (k < x->word_count && (x->words[k] != tsr__mad_b(mad, i) || x->is_unsigned[k] != (mad->f->eb == TSR_ELEMENT_U8)))
            k++;
        if (k == x->word_count)
            return false;
        at[i] = k;
    }
    for (unsigned i = 0; i < TSR__WORDS; i++)
        x->words[at[i]] = NULL;
    return true;
}

/* The products whose B are added up, each once. False: something else is added, too, or several times. */
static bool find_products(struct sums *x, struct tsr__mad *of, unsigned *count)
{
    *count = 0;
    for (unsigned i = 0; i < x->count; i++)
        if (take_words(x, &x->mads[i]))
            of[(*count)++] = x->mads[i];
    for (unsigned i = 0; i < x->word_count; i++)
        if (x->words[i])
            return false;
    return *count;
}

/* ---- products with ones ---- */

/* Adds a product with ones to the rows. */
static void add_product(struct sums *x, const struct tsr__mad *of, LLVMValueRef *rows)
{
    LLVMValueRef operands[2 * TSR__MAX_M + TSR__WORDS];
    unsigned n = 0;
    LLVMBuilderRef b = tsr__builder_before(x->l, of->call);
    for (unsigned i = 0; i < of->a_count; i++) {
        LLVMTypeRef type = LLVMTypeOf(tsr__mad_a(of, i));
        operands[n++] = tsr__splat_number(type, LLVMGetIntTypeWidth(LLVMGetElementType(type)) == 16 ? 0x0101 : 0x01010101);
    }
    for (unsigned i = 0; i < TSR__WORDS; i++)
        operands[n++] = tsr__mad_b(of, i);
    for (unsigned i = 0; i < of->f->m; i++)
        operands[n++] = rows[i];
    LLVMValueRef call = tsr__mad_build(x->l, b, of->f, of->lanes, operands, n);
    for (unsigned i = 0; i < of->f->m; i++)
        rows[i] = LLVMBuildExtractValue(b, call, i, "");
    LLVMDisposeBuilder(b);
}

/* Answers the sums at the end of a round. */
static LLVMValueRef make_products(struct sums *x, const struct tsr__mad *of, unsigned count)
{
    LLVMValueRef rows[TSR__MAX_M], phis[TSR__MAX_M], zero = LLVMConstNull(LLVMTypeOf(x->phi));
    LLVMBasicBlockRef before = LLVMGetIncomingBlock(x->phi, LLVMGetIncomingBlock(x->phi, 0) == x->loop), from[] = {before, x->loop};
    LLVMBuilderRef b = tsr__builder_before(x->l, x->phi);
    for (unsigned i = 0; i < of->f->m; i++)
        rows[i] = phis[i] = LLVMBuildPhi(b, LLVMTypeOf(x->phi), "");
    LLVMDisposeBuilder(b);
    for (unsigned i = 0; i < count; i++)
        add_product(x, &of[i], rows);
    for (unsigned i = 0; i < of->f->m; i++) {
        LLVMValueRef v[] = {zero, rows[i]};
        LLVMAddIncoming(phis[i], v, from, 2);
    }
    return rows[0];
}

/* ---- loops ---- */

/* Notes the products of a loop that does nothing but load, compute and multiply bytes, eight rows at a time. */
static bool find_mads(struct sums *x, enum tsr__tile_unit unit)
{
    LLVMValueRef phi = LLVMGetFirstInstruction(x->loop);
    if (!tsr__exit_of_loop(x->loop) || !LLVMIsAPHINode(phi) || LLVMCountIncoming(phi) != 2)
        return false;
    for (LLVMValueRef i = phi; i; i = LLVMGetNextInstruction(i)) {
        struct tsr__mad *mad = &x->mads[x->count];
        if (!tsr__mad_read(i, mad)) {
            if (tsr__may_write(i))
                return false;
            continue;
        }
        if (++x->count == MOST_PRODUCTS || !tsr__tile_product(x->l, unit, mad->f) || mad->f->m != TSR__MAX_M ||
            mad->f->ec != TSR_ELEMENT_S32 || tsr__nibbles_of(tsr__mad_b(mad, 0), NULL))
            return false;
    }
    return x->count;
}

/* Is the sum looked at in the loop by nothing but the next round? */
static bool stays_for_next_round(const struct sums *x)
{
    for (LLVMUseRef use = LLVMGetFirstUse(x->next); use; use = LLVMGetNextUse(use))
        if (LLVMGetUser(use) != x->phi && tsr__is_in_block(LLVMGetUser(use), x->loop))
            return false;
    return true;
}

static bool replace_sum(struct sums *x, LLVMValueRef phi)
{
    struct tsr__mad of[MOST_PRODUCTS];
    unsigned count;
    const unsigned other = LLVMGetIncomingBlock(phi, 0) == x->loop;
    x->phi = phi;
    x->next = tsr__incoming_from(phi, x->loop);
    x->word_count = 0;
    x->has_phi = false;
    if (LLVMTypeOf(phi) != LLVMTypeOf(tsr__mad_c(&x->mads[0], 0)) || !LLVMIsNull(LLVMGetIncomingValue(phi, other)) ||
        tsr__use_count(phi) != 1 || !stays_for_next_round(x) || !find_parts(x, x->next) || !x->has_phi || !find_products(x, of, &count))
        return false;
    LLVMReplaceAllUsesWith(x->next, make_products(x, of, count));
    return true;
}

bool tsr__pass_column_sums(struct tsr__compilation *l, LLVMValueRef function)
{
    bool changed = false;
    const enum tsr__tile_unit unit = tsr__has_mads(function) ? tsr__tile_unit_of(l, function) : TSR__TILES_NONE;
    if (unit != TSR__TILES_AMX && unit != TSR__TILES_MODEL)
        return true;
    struct sums *x = tsr_arena_alloc(&l->scratch, sizeof *x);
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b)) {
        x->l = l;
        x->loop = b;
        x->count = 0;
        if (!find_mads(x, unit))
            continue;
        for (LLVMValueRef phi = LLVMGetFirstInstruction(b); LLVMIsAPHINode(phi); phi = LLVMGetNextInstruction(phi))
            changed = replace_sum(x, phi) || changed;
    }
    return !changed || tsr__run_llvm_on(l, function, "dce");
}
