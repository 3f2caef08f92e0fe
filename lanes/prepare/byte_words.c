/* SPDX-License-Identifier: Apache-2.0
 * Operations on bytes, or on numbers of 16 bits, that are put together to words in the end, or stored as vectors, are done on words:
 * `as_int4((q & 15) - 8)`, also where a program computes each byte by itself in an array. A packet has a register for each byte of a
 * vector, but for each word, too: so it takes a fourth, and nothing has to be put together.
 *
 * A carry does not leave its byte: sums are those of the lower bits, and the highest one comes by exclusive or. */
#include <string.h>

#include "lanes/ir/explain.h"
#include "lanes/ir/match.h"
#include "lanes/ir/shuffles.h"
#include "lanes/prepare/loop_motion.h"
#include "lanes/prepare/packet_kernel.h"

enum { WORD_BITS = 32, MOST_ELEMENTS = 64, MOST_LOADS = 64, MOST_DEPTH = 8, MOST_STEPS = 1000 /* in search of words */ };

/* An element of a vector, or a number by itself. */
struct element {
    LLVMValueRef v;
    int at; /* < 0: the number itself */
};

/* Consecutive elements as words. */
struct words {
    LLVMValueRef v;   /* <count x i32>, of one word i32 */
    bool top_is_zero; /* the highest bit of each element */
};

/* Loads that became one. */
struct joined_load {
    const struct element *elements;
    LLVMValueRef words;
    unsigned count;
};

struct joining {
    struct tsr__compilation *l;
    LLVMBuilderRef b;
    unsigned bits, in_word; /* of an element; elements of a word */
    struct joined_load loads[MOST_LOADS];
    unsigned load_count, steps;
};

static bool find_words(struct joining *j, const struct element *e, unsigned count, unsigned depth, struct words *found);

/* ---- elements ---- */

/* What was put into the vector there; NULL: it is unknown, or there is nothing. */
static struct element element_of(LLVMValueRef v, int at)
{
    for (;;) {
        if (LLVMIsAInsertElementInst(v) && LLVMIsAConstantInt(LLVMGetOperand(v, 2))) {
            if ((int)LLVMConstIntGetZExtValue(LLVMGetOperand(v, 2)) == at)
                return (struct element){LLVMGetOperand(v, 1), -1};
            v = LLVMGetOperand(v, 0);
        } else if (LLVMIsAShuffleVectorInst(v)) {
            unsigned operand, element;
            if (!tsr__shuffle_source(v, (unsigned)at, &operand, &element))
                return (struct element){0};
            v = LLVMGetOperand(v, operand);
            at = (int)element;
        } else if (LLVMIsAConstant(v)) {
            LLVMValueRef number = LLVMGetAggregateElement(v, (unsigned)at);
            return (struct element){number && LLVMIsAConstantInt(number) ? number : NULL, -1};
        } else
            return (struct element){v, at};
    }
}

/* The elements' operand, where each is an operation. */
static void operands_of(const struct element *e, unsigned count, unsigned operand, struct element *found)
{
    for (unsigned i = 0; i < count; i++) {
        LLVMValueRef v = LLVMGetOperand(e[i].v, operand);
        found[i] = e[i].at < 0 ? (struct element){v, -1} : element_of(v, e[i].at);
    }
}

static bool are_constant(const struct element *e, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        if (!e[i].v || e[i].at >= 0 || !LLVMIsAConstantInt(e[i].v))
            return false;
    return true;
}

/* Is each the same operation, and nothing else needs its result? */
static bool are_operations(const struct element *e, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        if (!e[i].v || !LLVMIsABinaryOperator(e[i].v) || !tsr__only_user(e[i].v) ||
            LLVMGetInstructionOpcode(e[i].v) != LLVMGetInstructionOpcode(e[0].v))
            return false;
    return true;
}

/* ---- words ---- */

static LLVMTypeRef words_type(const struct joining *j, unsigned count)
{
    LLVMTypeRef word = LLVMInt32TypeInContext(j->l->context);
    return count > j->in_word ? LLVMVectorType(word, count / j->in_word) : word;
}

/* The same bits of each element. */
static uint64_t in_each(const struct joining *j, uint64_t bits)
{
    uint64_t all = 0;
    for (unsigned i = 0; i < j->in_word; i++)
        all |= (bits & ((UINT64_C(1) << j->bits) - 1)) << i * j->bits;
    return all;
}

static LLVMValueRef splat(const struct joining *j, LLVMValueRef like, uint64_t bits)
{
    return tsr__splat_number(LLVMTypeOf(like), in_each(j, bits));
}

static struct words words_of_constants(const struct joining *j, const struct element *e, unsigned count)
{
    LLVMValueRef word[MOST_ELEMENTS];
    struct words w = {.top_is_zero = true};
    for (unsigned i = 0; i < count; i += j->in_word) {
        uint64_t all = 0;
        for (unsigned k = 0; k < j->in_word; k++) {
            const uint64_t number = LLVMConstIntGetZExtValue(e[i + k].v);
            all |= number << k * j->bits;
            w.top_is_zero = w.top_is_zero && !(number >> (j->bits - 1));
        }
        word[i / j->in_word] = tsr__i32(j->l, (uint32_t)all);
    }
    w.v = count > j->in_word ? LLVMConstVector(word, count / j->in_word) : word[0];
    return w;
}

/* Sum, or difference, of elements: that of their lower bits, and what that makes of the highest ones. */
static LLVMValueRef sum(struct joining *j, const struct words *x, const struct words *y, bool minus)
{
    LLVMBuilderRef b = j->b;
    const uint64_t top_bit = UINT64_C(1) << (j->bits - 1);
    LLVMValueRef top = splat(j, x->v, top_bit), lower = splat(j, x->v, top_bit - 1);
    if (minus) {
        LLVMValueRef difference = LLVMBuildSub(b, LLVMBuildOr(b, x->v, top, ""), LLVMBuildAnd(b, y->v, lower, ""), "");
        LLVMValueRef same = LLVMBuildNot(b, LLVMBuildXor(b, x->v, y->v, ""), "");
        return LLVMBuildXor(b, difference, LLVMBuildAnd(b, same, top, ""), "");
    }
    LLVMValueRef of_x = x->top_is_zero ? x->v : LLVMBuildAnd(b, x->v, lower, ""),
                 of_y = y->top_is_zero ? y->v : LLVMBuildAnd(b, y->v, lower, ""), all = LLVMBuildAdd(b, of_x, of_y, "");
    if (x->top_is_zero && y->top_is_zero)
        return all;
    LLVMValueRef other = x->top_is_zero ? y->v : y->top_is_zero ? x->v : LLVMBuildXor(b, x->v, y->v, "");
    return LLVMBuildXor(b, all, LLVMBuildAnd(b, other, top, ""), "");
}

/* The number of bits by which all elements are shifted; false: not the same one, or too many. */
static bool shift_distance(const struct joining *j, const struct element *e, unsigned count, unsigned *by)
{
    if (!are_constant(e, count))
        return false;
    *by = (unsigned)LLVMConstIntGetZExtValue(e[0].v);
    for (unsigned i = 1; i < count; i++)
        if (LLVMConstIntGetZExtValue(e[i].v) != *by)
            return false;
    return *by < j->bits;
}

static struct words shifted(struct joining *j, LLVMOpcode opcode, const struct words *x, unsigned by)
{
    const uint64_t all = (UINT64_C(1) << j->bits) - 1;
    LLVMValueRef distance = tsr__splat_number(LLVMTypeOf(x->v), by);
    if (opcode == LLVMShl)
        return (struct words){.v = LLVMBuildAnd(j->b, LLVMBuildShl(j->b, x->v, distance, ""), splat(j, x->v, all << by), "")};
    LLVMValueRef right = LLVMBuildAnd(j->b, LLVMBuildLShr(j->b, x->v, distance, ""), splat(j, x->v, all >> by), "");
    if (opcode == LLVMLShr)
        return (struct words){.v = right, .top_is_zero = by > 0 || x->top_is_zero};
    /* The sign, turned, is taken off again: what is below zero borrows from the bits above. */
    const uint64_t sign = (all + 1) / 2 >> by;
    struct words turned = {.v = LLVMBuildXor(j->b, right, splat(j, x->v, sign), ""), .top_is_zero = by > 0};
    struct words minus = {.v = splat(j, x->v, all + 1 - sign)};
    return (struct words){.v = sum(j, &turned, &minus, false)};
}

/* Of elements that each are the same operation. */
static bool words_of_operations(struct joining *j, const struct element *e, unsigned count, unsigned depth, struct words *found)
{
    struct element first[MOST_ELEMENTS], second[MOST_ELEMENTS];
    struct words x, y;
    unsigned by;
    const LLVMOpcode opcode = LLVMGetInstructionOpcode(e[0].v);
    operands_of(e, count, 0, first);
    operands_of(e, count, 1, second);
    if (!find_words(j, first, count, depth, &x))
        return false;
    switch (opcode) {
    case LLVMShl:
    case LLVMLShr:
    case LLVMAShr:
        if (!shift_distance(j, second, count, &by))
            return false;
        *found = shifted(j, opcode, &x, by);
        return true;
    case LLVMAnd:
    case LLVMOr:
    case LLVMXor:
    case LLVMAdd:
    case LLVMSub:
        break;
    default:
        return false;
    }
    if (!find_words(j, second, count, depth, &y))
        return false;
    if (opcode == LLVMAdd || opcode == LLVMSub)
        *found = (struct words){.v = sum(j, &x, &y, opcode == LLVMSub)};
    else
        *found = (struct words){.v = LLVMBuildBinOp(j->b, opcode, x.v, y.v, ""),
                                .top_is_zero = opcode == LLVMAnd ? x.top_is_zero || y.top_is_zero : x.top_is_zero && y.top_is_zero};
    return true;
}

/* ---- loads ---- */

/* An address as another one and a constant distance in bytes. */
static LLVMValueRef address_of(const struct joining *j, const struct element *e, int64_t *offset)
{
    LLVMValueRef p = LLVMGetOperand(e->v, 0);
    int64_t far;
    *offset = e->at < 0 ? 0 : e->at * (int64_t)(j->bits / 8);
    while (LLVMIsAGetElementPtrInst(p) && LLVMGetNumOperands(p) == 2 && tsr__constant_int(LLVMGetOperand(p, 1), &far)) {
        LLVMTargetDataRef layout = LLVMGetModuleDataLayout(j->l->module);
        *offset += far * (int64_t)LLVMABISizeOfType(layout, LLVMGetGEPSourceElementType(p));
        p = LLVMGetOperand(p, 0);
    }
    return p;
}

/* Loads of one block from places side by side. */
static bool are_consecutive_loads(const struct joining *j, const struct element *e, unsigned count)
{
    int64_t first = 0, offset;
    LLVMValueRef base = NULL;
    for (unsigned i = 0; i < count; i++) {
        if (!e[i].v || !tsr__is_plain_load(e[i].v) || LLVMGetInstructionParent(e[i].v) != LLVMGetInstructionParent(e[0].v))
            return false;
        LLVMValueRef its = address_of(j, &e[i], &offset);
        first = i ? first : offset;
        base = i ? base : its;
        if (its != base || offset != first + (int64_t)i * (int64_t)(j->bits / 8))
            return false;
    }
    return true;
}

static bool is_among(const struct element *e, unsigned count, LLVMValueRef v)
{
    for (unsigned i = 0; i < count; i++)
        if (e[i].v == v)
            return true;
    return false;
}

/* The last of the loads, if nothing writes their memory behind the first one; else NULL. */
static LLVMValueRef last_load(const struct element *e, unsigned count)
{
    LLVMValueRef last = NULL;
    bool written = false;
    for (LLVMValueRef i = LLVMGetFirstInstruction(LLVMGetInstructionParent(e[0].v)); i; i = LLVMGetNextInstruction(i)) {
        if (is_among(e, count, i)) {
            if (written)
                return NULL;
            last = i;
        } else if (last)
            written = written || (tsr__spaces_written(i) & tsr__space_bit(LLVMGetOperand(e[0].v, 0)));
    }
    return last;
}

static bool are_same(const struct element *e, const struct element *f, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        if (e[i].v != f[i].v || e[i].at != f[i].at)
            return false;
    return true;
}

static LLVMValueRef known_load(const struct joining *j, const struct element *e, unsigned count)
{
    for (unsigned i = 0; i < j->load_count; i++)
        if (j->loads[i].count == count && are_same(j->loads[i].elements, e, count))
            return j->loads[i].words;
    return NULL;
}

static void note_load(struct joining *j, const struct element *e, unsigned count, LLVMValueRef words)
{
    if (j->load_count == MOST_LOADS)
        return;
    struct element *elements = tsr_arena_alloc(&j->l->scratch, count * sizeof *elements);
    memcpy(elements, e, count * sizeof *elements);
    j->loads[j->load_count++] = (struct joined_load){elements, words, count};
}

static bool words_of_loads(struct joining *j, const struct element *e, unsigned count, struct words *found)
{
    int64_t offset;
    if (!are_consecutive_loads(j, e, count))
        return false;
    LLVMValueRef words = known_load(j, e, count), last = words ? NULL : last_load(e, count);
    if (!words && !last)
        return false;
    if (!words) {
        LLVMValueRef base = address_of(j, &e[0], &offset);
        LLVMBuilderRef b = tsr__builder_before(j->l, last);
        words = LLVMBuildLoad2(b, words_type(j, count), tsr__at_offset(j->l, b, base, (uint64_t)offset), "");
        LLVMSetAlignment(words, e[0].at <= 0 ? LLVMGetAlignment(e[0].v) : j->bits / 8);
        LLVMDisposeBuilder(b);
        note_load(j, e, count, words);
    }
    *found = (struct words){.v = words};
    return true;
}

/* ---- together ---- */

/* Elements that were words before. */
static bool words_of_words(struct joining *j, const struct element *e, unsigned count, struct words *found)
{
    LLVMValueRef from = e[0].v && LLVMIsABitCastInst(e[0].v) ? LLVMGetOperand(e[0].v, 0) : NULL;
    LLVMTypeRef type = from ? LLVMTypeOf(from) : NULL;
    if (!type || e[0].at < 0 || e[0].at % (int)j->in_word || LLVMGetTypeKind(type) != LLVMVectorTypeKind ||
        LLVMGetElementType(type) != LLVMInt32TypeInContext(j->l->context))
        return false;
    for (unsigned i = 0; i < count; i++)
        if (e[i].v != e[0].v || e[i].at != e[0].at + (int)i)
            return false;
    const unsigned first = (unsigned)e[0].at / j->in_word;
    found->top_is_zero = false;
    found->v = count > j->in_word ? tsr__take_lanes(j->l, j->b, from, NULL, first, count / j->in_word)
                                  : LLVMBuildExtractElement(j->b, from, tsr__i32(j->l, first), "");
    return true;
}

/* Twice as many words. */
static LLVMValueRef both(struct joining *j, LLVMValueRef lower, LLVMValueRef upper, unsigned words)
{
    if (words > 2)
        return tsr__concat_pair(j->l, j->b, lower, upper);
    LLVMValueRef first = LLVMBuildInsertElement(j->b, LLVMGetPoison(LLVMVectorType(LLVMTypeOf(lower), 2)), lower, tsr__i32(j->l, 0), "");
    return LLVMBuildInsertElement(j->b, first, upper, tsr__i32(j->l, 1), "");
}

static bool words_of_halves(struct joining *j, const struct element *e, unsigned count, unsigned depth, struct words *found)
{
    struct words lower, upper;
    const unsigned half = count / 2;
    if (half % j->in_word || !half || !find_words(j, e, half, depth, &lower) || !find_words(j, e + half, half, depth, &upper))
        return false;
    *found = (struct words){.v = both(j, lower.v, upper.v, count / j->in_word), .top_is_zero = lower.top_is_zero && upper.top_is_zero};
    return true;
}

static bool find_words(struct joining *j, const struct element *e, unsigned count, unsigned depth, struct words *found)
{
    if (!depth || ++j->steps > MOST_STEPS)
        return false;
    if (are_constant(e, count)) {
        *found = words_of_constants(j, e, count);
        return true;
    }
    if (are_operations(e, count) && words_of_operations(j, e, count, depth - 1, found))
        return true;
    return words_of_loads(j, e, count, found) || words_of_words(j, e, count, found) || words_of_halves(j, e, count, depth, found);
}

/* ---- what is words in the end ---- */

static bool is_i32(LLVMTypeRef type)
{
    return LLVMGetTypeKind(type) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) == WORD_BITS;
}

static bool set_bits(struct joining *j, unsigned bits)
{
    j->bits = bits;
    j->in_word = bits ? WORD_BITS / bits : 0;
    return bits == 8 || bits == 16;
}

/* The elements of a vector that a program has computed; their number, or 0. */
static unsigned elements_of_vector(struct joining *j, LLVMValueRef v, struct element *e)
{
    LLVMTypeRef type = LLVMTypeOf(v);
    const bool computed = LLVMIsABinaryOperator(v) || LLVMIsAInsertElementInst(v) || LLVMIsAShuffleVectorInst(v);
    if (!computed || LLVMGetTypeKind(type) != LLVMVectorTypeKind || LLVMGetTypeKind(LLVMGetElementType(type)) != LLVMIntegerTypeKind)
        return 0;
    const unsigned count = LLVMGetVectorSize(type);
    if (count > MOST_ELEMENTS || count & (count - 1) || !set_bits(j, LLVMGetIntTypeWidth(LLVMGetElementType(type))) || count % j->in_word)
        return 0;
    for (unsigned i = 0; i < count; i++)
        e[i] = element_of(v, (int)i);
    return count;
}

/* Of a vector that is taken for words. */
static unsigned elements_of_cast(struct joining *j, LLVMValueRef cast, struct element *e)
{
    if (!LLVMIsABitCastInst(cast) || !is_i32(tsr__element_type(LLVMTypeOf(cast))))
        return 0;
    return elements_of_vector(j, LLVMGetOperand(cast, 0), e);
}

static bool is_or(LLVMValueRef v)
{
    return LLVMIsABinaryOperator(v) && LLVMGetInstructionOpcode(v) == LLVMOr;
}

/* Notes the elements that are put together to a word by shifts and `or`, each in its place; false: something else is among them. */
static bool note_elements(struct joining *j, LLVMValueRef v, struct element *e)
{
    int64_t by = 0;
    if (is_or(v))
        return note_elements(j, LLVMGetOperand(v, 0), e) && note_elements(j, LLVMGetOperand(v, 1), e);
    if (LLVMIsABinaryOperator(v) && LLVMGetInstructionOpcode(v) == LLVMShl) {
        if (!tsr__constant_int(LLVMGetOperand(v, 1), &by))
            return false;
        v = LLVMGetOperand(v, 0);
    }
    LLVMValueRef from = LLVMIsAZExtInst(v) ? LLVMGetOperand(v, 0) : NULL;
    const unsigned bits = from ? LLVMGetIntTypeWidth(LLVMTypeOf(from)) : 0;
    if (!from || (j->bits ? bits != j->bits : !set_bits(j, bits)) || by < 0 || by >= WORD_BITS || by % j->bits || e[by / j->bits].v)
        return false;
    e[by / j->bits] = (struct element){from, -1};
    return true;
}

static unsigned elements_of_or(struct joining *j, LLVMValueRef v, struct element *e)
{
    LLVMValueRef user = tsr__only_user(v);
    if (!is_or(v) || !is_i32(LLVMTypeOf(v)) || (user && is_or(user)))
        return 0;
    j->bits = 0;
    for (unsigned i = 0; i < MOST_ELEMENTS; i++)
        e[i] = (struct element){0};
    if (!note_elements(j, v, e))
        return 0;
    for (unsigned i = 0; i < j->in_word; i++)
        if (!e[i].v)
            return 0;
    return j->in_word;
}

static unsigned elements_of_store(struct joining *j, LLVMValueRef v, struct element *e)
{
    return tsr__is_plain_store(v) ? elements_of_vector(j, LLVMGetOperand(v, 0), e) : 0;
}

static void put_words(struct joining *j, LLVMValueRef v, LLVMValueRef words)
{
    if (!LLVMIsAStoreInst(v)) {
        LLVMReplaceAllUsesWith(v, LLVMBuildBitCast(j->b, words, LLVMTypeOf(v), ""));
        return;
    }
    LLVMSetAlignment(LLVMBuildStore(j->b, words, LLVMGetOperand(v, 1)), LLVMGetAlignment(v));
    LLVMInstructionEraseFromParent(v);
}

/* `v`: a vector of elements as words, a word of elements that are put together, or a store of such a vector. */
static bool join_elements(struct joining *j, LLVMValueRef v)
{
    static unsigned (*const of[])(struct joining *, LLVMValueRef, struct element *) = {elements_of_cast, elements_of_or, elements_of_store};
    struct element e[MOST_ELEMENTS];
    struct words made;
    unsigned count = 0;
    for (size_t i = 0; i < TSR_ARRAY_LEN(of) && !count; i++)
        count = of[i](j, v, e);
    if (!count)
        return false;
    j->b = tsr__builder_before(j->l, v);
    j->load_count = j->steps = 0;
    const bool found = find_words(j, e, count, MOST_DEPTH, &made);
    if (found) {
        tsr__explain(j->l, v, "code", "words", "%u numbers of %u bits that are put together are computed together", count, j->bits);
        put_words(j, v, made.v);
    }
    LLVMDisposeBuilder(j->b);
    return found;
}

bool tsr__pass_byte_words(struct tsr__compilation *l, struct tsr__packet_kernel *k)
{
    if (k->packet.width == 1)
        return true;
    size_t count;
    bool any = false;
    LLVMValueRef *code = tsr__instructions(l, k->item, &count);
    struct joining j = {.l = l};
    for (size_t i = 0; i < count; i++)
        any = join_elements(&j, code[i]) || any;
    return !any || tsr__run_llvm_on(l, k->item, "dce");
}
