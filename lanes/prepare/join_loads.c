/* SPDX-License-Identifier: Apache-2.0
 * Loads of bytes, or of 16 bits, that lie side by side become loads of words, and shifts of these, where lanes would gather them: as the
 * quantized weights of a work-item's own row. No CPU gathers less than a word, so each byte of each lane would be a load, and another
 * instruction that puts it into a register. Only words are read of which all bytes were, in the same block. */
#include <stdlib.h>

#include "lanes/analysis/index_parts.h"
#include "lanes/ir/calls.h"
#include "lanes/ir/explain.h"
#include "lanes/ir/layout.h"
#include "lanes/ir/match.h"
#include "lanes/prepare/packet_kernel.h"

enum {
    WORD_BYTES = 4,
    MOST_DEPTH = 64,
    NEAR = 16, /* bytes from lane to lane: a load and a shuffle read all lanes, as of the members of records */
};

/* A load of a narrow number: from `base`, and `index` times `unit` behind it if there is an index, at an offset. */
struct narrow {
    LLVMValueRef load, base, index;
    LLVMTypeRef unit;
    uintptr_t numbers[3]; /* of base, index and unit, in the order in which the code has them */
    int64_t at;
    uint64_t bytes;
    unsigned section; /* of the function: a part of a block in which no memory changes */
    size_t number;    /* in the order of the code */
};

/* Takes the address apart. The constants may stand on either side of the index. */
static void find_place(LLVMTargetDataRef layout, LLVMValueRef pointer, struct narrow *n)
{
    n->base = pointer;
    for (int depth = 0; depth < MOST_DEPTH && LLVMIsAGetElementPtrInst(n->base); depth++) {
        struct tsr__gep_walk walk = tsr__gep_walk(layout, n->base);
        struct tsr__gep_index index;
        int64_t offset = 0;
        bool constant = true;
        while (tsr__gep_next(&walk, &index)) {
            constant = constant && index.is_constant;
            offset += index.is_constant ? index.offset : 0;
        }
        if (!constant && (n->index || LLVMGetNumOperands(n->base) != 2))
            return;
        if (!constant) {
            n->index = LLVMGetOperand(n->base, 1);
            n->unit = LLVMGetGEPSourceElementType(n->base);
        }
        n->at += offset;
        n->base = LLVMGetOperand(n->base, 0);
    }
}

static bool is_gathered(const struct tsr__shapes *shapes, LLVMValueRef pointer)
{
    const struct tsr__shape s = tsr__shape_of(shapes, pointer);
    return s.kind == TSR__SHAPE_VARYING ? !s.halves : s.stride > NEAR || s.stride < -NEAR;
}

static bool find_narrow(LLVMTargetDataRef layout, const struct tsr__shapes *shapes, LLVMValueRef inst, struct narrow *n)
{
    if (!tsr__is_plain_load(inst))
        return false;
    LLVMTypeRef type = LLVMTypeOf(inst);
    LLVMValueRef pointer = LLVMGetOperand(inst, 0);
    const unsigned space = LLVMGetPointerAddressSpace(LLVMTypeOf(pointer));
    n->load = inst;
    n->bytes = LLVMStoreSizeOfType(layout, type);
    if (LLVMGetTypeKind(type) == LLVMVectorTypeKind || n->bytes >= WORD_BYTES || !tsr__fills_its_bytes(layout, type) ||
        space == TSR__PRIVATE_SPACE || !is_gathered(shapes, pointer))
        return false;
    find_place(layout, pointer, n);
    return true;
}

/* The number of a value or type; where they lie in memory would sort the loads another way in each run. */
static uintptr_t number_of(struct tsr__map *numbers, const void *key)
{
    if (key && !tsr__map_get(numbers, key))
        tsr__map_set(numbers, key, numbers->count + 1);
    return key ? tsr__map_get(numbers, key) : 0;
}

/* By where they read, those of one place by where they stand. */
static int compare_places(const struct narrow *x, const struct narrow *y)
{
    if (x->section != y->section)
        return x->section < y->section ? -1 : 1;
    for (int i = 0; i < 3; i++)
        if (x->numbers[i] != y->numbers[i])
            return x->numbers[i] < y->numbers[i] ? -1 : 1;
    return 0;
}

static int compare(const void *a, const void *b)
{
    const struct narrow *x = a, *y = b;
    const int places = compare_places(x, y);
    if (places)
        return places;
    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

/* How many of the loads, which are sorted, read the word that begins with the first of them; 0: not all of it is read. */
static size_t in_word(const struct narrow *n, size_t count)
{
    int64_t end = n->at;
    size_t i = 0;
    for (; i < count && !compare_places(n, &n[i]) && n[i].at + (int64_t)n[i].bytes <= n->at + WORD_BYTES; i++) {
        if (n[i].at > end)
            return 0;
        end = n[i].at + (int64_t)n[i].bytes > end ? n[i].at + (int64_t)n[i].bytes : end;
    }
    return end == n->at + WORD_BYTES ? i : 0;
}

/* In front of the load that stands first. */
static LLVMValueRef load_word(struct tsr__compilation *l, const struct narrow *n, LLVMValueRef first)
{
    LLVMBuilderRef b = tsr__builder_before(l, first);
    LLVMValueRef offset = tsr__i64(l, (uint64_t)n->at), index = n->index;
    LLVMValueRef at = LLVMBuildGEP2(b, LLVMInt8TypeInContext(l->context), n->base, &offset, 1, "");
    at = index ? LLVMBuildGEP2(b, n->unit, at, &index, 1, "") : at;
    LLVMValueRef word = LLVMBuildLoad2(b, LLVMInt32TypeInContext(l->context), at, "");
    LLVMSetAlignment(word, LLVMGetAlignment(n->load));
    LLVMDisposeBuilder(b);
    return word;
}

static void take_from_word(struct tsr__compilation *l, const struct narrow *n, LLVMValueRef word, int64_t offset)
{
    LLVMTypeRef type = LLVMTypeOf(n->load), bits = LLVMIntTypeInContext(l->context, (unsigned)n->bytes * 8);
    LLVMBuilderRef b = tsr__builder_before(l, n->load);
    LLVMValueRef part = LLVMBuildTrunc(b, LLVMBuildLShr(b, word, tsr__i32(l, (uint32_t)offset * 8), ""), bits, "");
    part = LLVMBuildBitCast(b, part, type, "");
    LLVMDisposeBuilder(b);
    LLVMReplaceAllUsesWith(n->load, part);
    LLVMInstructionEraseFromParent(n->load);
}

static void join(struct tsr__compilation *l, const struct narrow *n, size_t count)
{
    const struct narrow *first = n;
    for (size_t i = 1; i < count; i++)
        first = n[i].number < first->number ? &n[i] : first;
    tsr__explain(l, first->load, "load", "words", "%zu loads of parts of a word are one", count);
    LLVMValueRef word = load_word(l, n, first->load);
    for (size_t i = 0; i < count; i++)
        take_from_word(l, &n[i], word, n[i].at - n->at);
}

static void join_in(struct tsr__compilation *l, LLVMValueRef function, const struct tsr__shapes *shapes)
{
    size_t code_count, count = 0;
    LLVMValueRef *code = tsr__instructions(l, function, &code_count);
    struct narrow *list = tsr_arena_alloc(&l->scratch, (code_count + 1) * sizeof *list);
    struct tsr__map numbers = {.arena = &l->scratch};
    unsigned section = 0;
    for (size_t i = 0; i < code_count; i++) {
        if (i && LLVMGetInstructionParent(code[i]) != LLVMGetInstructionParent(code[i - 1]))
            section++;
        struct narrow *n = &list[count];
        *n = (struct narrow){.section = section, .number = i};
        if (find_narrow(LLVMGetModuleDataLayout(l->module), shapes, code[i], n)) {
            n->numbers[0] = number_of(&numbers, n->base);
            n->numbers[1] = number_of(&numbers, n->index);
            n->numbers[2] = number_of(&numbers, n->unit);
            count++;
        } else if (tsr__may_write(code[i]))
            section++;
    }
    qsort(list, count, sizeof *list, compare);
    for (size_t i = 0, parts; i < count; i += parts ? parts : 1) {
        parts = in_word(&list[i], count - i);
        if (parts > 1)
            join(l, &list[i], parts);
    }
}

bool tsr__pass_join_loads(struct tsr__compilation *l, struct tsr__packet_kernel *k)
{
    struct tsr__cfg cfg;
    struct tsr__shapes shapes;
    if (!tsr__cfg_make(&cfg, k->item, &l->scratch))
        return true;
    tsr__shapes_find(&shapes, &cfg, k->packet, &l->scratch);
    join_in(l, k->item, &shapes);
    return true;
}
