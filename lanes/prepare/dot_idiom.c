/* SPDX-License-Identifier: Apache-2.0
 * Recognises dot products of four bytes that a program writes out, p.x*q.x + p.y*q.y + p.z*q.z + p.w*q.w, and replaces them by calls of
 * the built-in library's functions, for which a packet has one or two instructions. Integer sums wrap, so their terms may be added in
 * any order. A sum of four bytes, p.x + p.y + p.z + p.w, is the product with four ones. */
#include "lanes/prepare/packet_kernel.h"
#include "lanes/ir/mad_op.h"
#include "lanes/ir/calls.h"

enum { BYTES = 4, ALL = 15 /* bits, one for each */ };

/* A byte as a number of 32 bits: number `at` of those of `whole`, a vector of four bytes or a word. */
struct byte {
    LLVMValueRef whole;
    unsigned at;
    bool is_signed;
};

struct term {
    LLVMValueRef v;
    struct byte a, b; /* of a product */
    bool is_product;
};

struct sum {
    struct tsr__compilation *l;
    struct tsr_arena *arena;
    LLVMTypeRef byte, word;
    LLVMValueRef root; /* the last addition */
    struct term *terms;
    size_t count;
    struct tsr__packet packet;
    struct tsr__cfg cfg; /* empty until something is found */
    struct tsr__shapes shapes;
};

/* ---- what a value is ---- */

static bool is_opcode(LLVMValueRef v, LLVMOpcode op)
{
    return LLVMIsAInstruction(v) && LLVMGetInstructionOpcode(v) == op;
}

static bool by_constant(LLVMValueRef v, LLVMOpcode op, uint64_t *constant)
{
    if (!is_opcode(v, op) || !LLVMIsAConstantInt(LLVMGetOperand(v, 1)))
        return false;
    *constant = LLVMConstIntGetZExtValue(LLVMGetOperand(v, 1));
    return true;
}

static bool is_vector_of(LLVMValueRef v, LLVMTypeRef element)
{
    LLVMTypeRef type = LLVMTypeOf(v);
    return LLVMGetTypeKind(type) == LLVMVectorTypeKind && LLVMGetVectorSize(type) == BYTES && LLVMGetElementType(type) == element;
}

/* Shifts and masks that take a byte out of a word. */
static bool byte_of_word(const struct sum *s, LLVMValueRef v, struct byte *found)
{
    uint64_t mask, right = 0, left = 0;
    if (LLVMTypeOf(v) != s->word)
        return false;
    if (by_constant(v, LLVMAnd, &mask)) {
        LLVMValueRef x = LLVMGetOperand(v, 0);
        bool shifted = by_constant(x, LLVMLShr, &right) || by_constant(x, LLVMAShr, &right);
        *found = (struct byte){shifted ? LLVMGetOperand(x, 0) : x, (unsigned)right / 8, false};
        return mask == 0xff && right % 8 == 0 && right < 32;
    }
    bool is_signed = by_constant(v, LLVMAShr, &right);
    if ((!is_signed && !by_constant(v, LLVMLShr, &right)) || right != 24)
        return false;
    LLVMValueRef x = LLVMGetOperand(v, 0);
    bool shifted = by_constant(x, LLVMShl, &left);
    *found = (struct byte){shifted ? LLVMGetOperand(x, 0) : x, 3 - (unsigned)left / 8, is_signed};
    return left % 8 == 0 && left < 32;
}

/* Element `at` of a vector of numbers of 32 bits that were bytes. */
static bool byte_of_extended(const struct sum *s, LLVMValueRef v, unsigned at, struct byte *found)
{
    if ((!is_opcode(v, LLVMSExt) && !is_opcode(v, LLVMZExt)) || !is_vector_of(LLVMGetOperand(v, 0), s->byte))
        return false;
    *found = (struct byte){LLVMGetOperand(v, 0), at, is_opcode(v, LLVMSExt)};
    return true;
}

static bool byte_of(const struct sum *s, LLVMValueRef v, struct byte *found)
{
    uint64_t at;
    if (by_constant(v, LLVMExtractElement, &at))
        return at < BYTES && byte_of_extended(s, LLVMGetOperand(v, 0), (unsigned)at, found);
    if (!is_opcode(v, LLVMSExt) && !is_opcode(v, LLVMZExt))
        return byte_of_word(s, v, found);
    LLVMValueRef x = LLVMGetOperand(v, 0);
    if (!by_constant(x, LLVMExtractElement, &at) || at >= BYTES || !is_vector_of(LLVMGetOperand(x, 0), s->byte))
        return false;
    *found = (struct byte){LLVMGetOperand(x, 0), (unsigned)at, is_opcode(v, LLVMSExt)};
    return true;
}

static bool is_product(const struct sum *s, LLVMValueRef v, struct byte *a, struct byte *b)
{
    uint64_t at;
    bool found;
    if (by_constant(v, LLVMExtractElement, &at) && at < BYTES && is_opcode(LLVMGetOperand(v, 0), LLVMMul)) {
        LLVMValueRef all = LLVMGetOperand(v, 0);
        found =
            byte_of_extended(s, LLVMGetOperand(all, 0), (unsigned)at, a) && byte_of_extended(s, LLVMGetOperand(all, 1), (unsigned)at, b);
    } else {
        found = is_opcode(v, LLVMMul) && byte_of(s, LLVMGetOperand(v, 0), a) && byte_of(s, LLVMGetOperand(v, 1), b);
    }
    return found && a->at == b->at && LLVMTypeOf(a->whole) == LLVMTypeOf(b->whole);
}

/* A byte alone is a product with one, of the sign for which there is an instruction. */
static bool is_byte(const struct sum *s, LLVMValueRef v, struct byte *a, struct byte *one)
{
    if (!byte_of(s, v, a))
        return false;
    LLVMValueRef ones[BYTES];
    for (int i = 0; i < BYTES; i++)
        ones[i] = LLVMConstInt(s->byte, 1, false);
    const bool in_word = LLVMTypeOf(a->whole) == s->word;
    *one = (struct byte){in_word ? LLVMConstInt(s->word, 0x01010101, false) : LLVMConstVector(ones, BYTES), a->at, !a->is_signed};
    return true;
}

/* ---- sums ---- */

static bool is_add(const struct sum *s, LLVMValueRef v)
{
    return LLVMTypeOf(v) == s->word && is_opcode(v, LLVMAdd);
}

/* The one user, if it stands in the same block; or NULL. */
static LLVMValueRef user_nearby(LLVMValueRef v)
{
    LLVMUseRef use = LLVMIsAInstruction(v) ? LLVMGetFirstUse(v) : NULL;
    if (!use || LLVMGetNextUse(use))
        return NULL;
    LLVMValueRef user = LLVMGetUser(use);
    return LLVMIsAInstruction(user) && LLVMGetInstructionParent(user) == LLVMGetInstructionParent(v) ? user : NULL;
}

static void find_terms(struct sum *s)
{
    s->count = 2;
    for (unsigned k = 0; k < 2; k++)
        s->terms[k] = (struct term){.v = LLVMGetOperand(s->root, k)};
    for (size_t i = 0; i < s->count;) {
        struct term *t = &s->terms[i];
        bool nearby = user_nearby(t->v) != NULL;
        if (nearby && is_add(s, t->v)) {
            s->terms[s->count++] = (struct term){.v = LLVMGetOperand(t->v, 1)};
            t->v = LLVMGetOperand(t->v, 0);
            continue;
        }
        t->is_product = nearby && (is_product(s, t->v, &t->a, &t->b) || is_byte(s, t->v, &t->a, &t->b));
        i++;
    }
}

static bool same_side(const struct byte *x, const struct byte *y)
{
    return x->whole == y->whole && x->is_signed == y->is_signed;
}

/* Four products of the same sides as term number `first`, one for each byte. */
static bool find_four(const struct sum *s, size_t first, struct term **four)
{
    const struct term *one = &s->terms[first];
    unsigned seen = 0;
    for (size_t i = first; i < s->count && seen != ALL; i++) {
        struct term *t = &s->terms[i];
        bool straight = same_side(&t->a, &one->a) && same_side(&t->b, &one->b);
        bool crossed = same_side(&t->a, &one->b) && same_side(&t->b, &one->a);
        if (!t->is_product || !(straight || crossed))
            continue;
        four[t->a.at] = t;
        seen |= 1u << t->a.at;
    }
    return seen == ALL;
}

/* The library's function, or NULL: the program has one of that name. */
static LLVMValueRef function_for(const struct sum *s, const struct term *one)
{
    LLVMTypeRef side = LLVMTypeOf(one->a.whole), sides[2] = {side, side};
    const char *name = tsr__dot_name(one->a.is_signed, one->b.is_signed, side == s->word);
    LLVMValueRef f = LLVMGetNamedFunction(s->l->module, name);
    if (!f) {
        f = tsr__declare(s->l, name, LLVMFunctionType(s->word, sides, 2, false));
        tsr__add_fn_attr(s->l, f, "willreturn");
        tsr__add_fn_attr(s->l, f, "memory"); /* none */
    }
    return tsr__is_dot(s->l, f) ? f : NULL;
}

/* What all lanes have in common stays as it is, so that the result is known to be, too; lanes that go through a loop one by one have no
 * instruction for it (serial_loop.c). */
static bool is_profitable(struct sum *s, const struct term *one)
{
    LLVMBasicBlockRef bb = LLVMGetInstructionParent(s->root);
    if (!s->cfg.function) {
        if (!tsr__cfg_make(&s->cfg, LLVMGetBasicBlockParent(bb), s->arena))
            return false;
        tsr__shapes_find(&s->shapes, &s->cfg, s->packet, s->arena);
    }
    int block = tsr__cfg_number(&s->cfg, bb), loop = block == TSR__NONE ? TSR__NONE : s->cfg.blocks[block].loop;
    while (loop != TSR__NONE && !s->shapes.divergent_loop[loop])
        loop = s->cfg.loops[loop].parent;
    return block != TSR__NONE && loop == TSR__NONE &&
           !(tsr__is_uniform(tsr__shape_of(&s->shapes, one->a.whole)) && tsr__is_uniform(tsr__shape_of(&s->shapes, one->b.whole)));
}

static LLVMValueRef add_up(LLVMBuilderRef b, LLVMValueRef sum, LLVMValueRef more)
{
    return sum ? LLVMBuildAdd(b, sum, more, "") : more;
}

/* NULL: there is no dot product among the terms. */
static LLVMValueRef with_dots(struct sum *s, LLVMBuilderRef b)
{
    LLVMValueRef made = NULL;
    for (size_t i = 0; i < s->count; i++) {
        struct term *one = &s->terms[i], *four[BYTES];
        LLVMValueRef f = NULL, sides[2] = {one->a.whole, one->b.whole};
        if (one->is_product && find_four(s, i, four) && is_profitable(s, one))
            f = function_for(s, one);
        if (!f)
            continue;
        LLVMValueRef call = LLVMBuildCall2(b, LLVMGlobalGetValueType(f), f, sides, 2, "");
        LLVMSetInstructionCallConv(call, LLVMGetFunctionCallConv(f));
        made = add_up(b, made, call);
        for (int k = 0; k < BYTES; k++)
            *four[k] = (struct term){0};
    }
    for (size_t i = 0; made && i < s->count; i++)
        if (s->terms[i].v)
            made = add_up(b, made, s->terms[i].v);
    return made;
}

bool tsr__pass_dot_idiom(struct tsr__compilation *l, struct tsr__packet_kernel *k)
{
    if (!tsr__has(l, TSR_CPU_AVX512VNNI) || k->packet.width == 1)
        return true;
    size_t count;
    bool any = false;
    LLVMValueRef *code = tsr__instructions(l, k->item, &count);
    struct tsr_arena arena = {0};
    struct sum s = {.l = l,
                    .arena = &arena,
                    .byte = LLVMInt8TypeInContext(l->context),
                    .word = LLVMInt32TypeInContext(l->context),
                    .packet = k->packet,
                    .terms = tsr_arena_alloc(&arena, (count + 1) * sizeof *s.terms)};
    for (size_t i = 0; i < count; i++) {
        LLVMValueRef user = user_nearby(code[i]);
        if (!is_add(&s, code[i]) || (user && is_add(&s, user)))
            continue;
        s.root = code[i];
        find_terms(&s);
        LLVMBuilderRef b = tsr__builder_before(l, s.root);
        LLVMValueRef made = with_dots(&s, b);
        LLVMDisposeBuilder(b);
        if (made)
            LLVMReplaceAllUsesWith(s.root, made);
        any = any || made;
    }
    tsr_arena_free(&arena);
    return !any || tsr__run_llvm_on(l, k->item, "dce");
}
