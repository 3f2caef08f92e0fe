/* SPDX-License-Identifier: Apache-2.0
 * What stands below the passes: lists of blocks, parts of indices, sums of products, and how large functions are. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "lanes/ir/block_list.h"
#include "lanes/ir/match.h"
#include "lanes/analysis/polynomial.h"
#include "world.h"

/* ---- lists of blocks ---- */

static void assert_list(const struct tsr__block_list *list, const int *blocks, size_t count)
{
    for (size_t i = 0; i < count; i++, list = list->next) {
        assert_non_null(list);
        assert_int_equal(list->block, blocks[i]);
    }
    assert_null(list);
}

static const struct tsr__block_list *list_of(struct tsr_arena *arena, const int *blocks, size_t count)
{
    const struct tsr__block_list *list = NULL;
    for (size_t i = 0; i < count; i++)
        list = tsr__block_list_with(arena, list, blocks[i]);
    return list;
}

static void test_block_lists(void **state)
{
    (void)state;
    struct tsr_arena arena = {0};
    const struct tsr__block_list *odd = list_of(&arena, (int[]){7, 1, 5, 1, 3, 7}, 6), *some = list_of(&arena, (int[]){4, 3, 9}, 3);
    assert_list(odd, (int[]){1, 3, 5, 7}, 4);
    assert_list(tsr__block_list_union(&arena, odd, some), (int[]){1, 3, 4, 5, 7, 9}, 6);
    assert_list(tsr__block_list_union(&arena, some, odd), (int[]){1, 3, 4, 5, 7, 9}, 6);
    assert_list(odd, (int[]){1, 3, 5, 7}, 4); /* as it was */
    assert_list(some, (int[]){3, 4, 9}, 3);
    assert_ptr_equal(tsr__block_list_with(&arena, odd, 5), odd);
    assert_ptr_equal(tsr__block_list_union(&arena, odd, NULL), odd);
    assert_ptr_equal(tsr__block_list_union(&arena, NULL, odd), odd);
    assert_ptr_equal(tsr__block_list_union(&arena, odd, odd), odd);
    /* The end that both have is shared. */
    const struct tsr__block_list *front = tsr__block_list_with(&arena, odd, 0);
    assert_ptr_equal(front->next, odd);
    const struct tsr__block_list *both = tsr__block_list_union(&arena, front, tsr__block_list_with(&arena, odd->next, 2));
    assert_list(both, (int[]){0, 1, 2, 3, 5, 7}, 6);
    assert_ptr_equal(both->next->next->next, odd->next);
    tsr_arena_free(&arena);
}

/* Branches one inside the other, as partial linearisation sees them: the pending blocks of all of them together take as many elements as
 * there are branches, not the square. */
static void test_elements_of_nests(void **state)
{
    (void)state;
    enum { BRANCHES = 1000 };
    struct tsr_arena arena = {0};
    struct tsr__map seen = {.arena = &arena};
    size_t elements = 0;
    const struct tsr__block_list *pending = NULL;
    for (int i = 0; i < BRANCHES; i++) {
        int join = 2 * BRANCHES - i;
        const struct tsr__block_list *wanted = tsr__block_list_with(&arena, tsr__block_list_with(&arena, pending, join), i + 1);
        pending = tsr__block_list_union(&arena, NULL, wanted->next);
        for (const struct tsr__block_list *at = pending; at && !tsr__map_get(&seen, at); at = at->next, elements++)
            tsr__map_set(&seen, at, 1);
    }
    assert_int_equal(elements, BRANCHES);
    tsr_arena_free(&arena);
}

/* ---- polynomials ---- */

/* The order in which factors were multiplied does not count, wherever their values lie in memory. */
static void test_order_of_factors(void **state)
{
    (void)state;
    struct world w;
    setup(&w, HEADER "define i64 @f(i64 %x, i64 %y) {\n%a = mul i64 %x, %y\n%b = mul i64 %y, %x\n%c = sub i64 %a, %b\n%d = add i64 %c, 3\n"
                     "ret i64 %d }\n");
    LLVMValueRef a = tsr__first(function(&w, "f")), b = tsr__next(a), d = tsr__next(tsr__next(b));
    struct tsr__polynomial of_a = tsr__polynomial_of(&w.l, a), of_b = tsr__polynomial_of(&w.l, b), of_d = tsr__polynomial_of(&w.l, d);
    assert_true(tsr__polynomial_is_multiple(&of_a, &of_b, 1));
    assert_int_equal(of_d.count, 0);
    assert_int_equal(of_d.constant, 3);
    /* Code is made in the order of the source. */
    assert_ptr_equal(of_a.terms[0].factors[0].value, LLVMGetParam(function(&w, "f"), 0));
    assert_ptr_equal(of_b.terms[0].factors[0].value, LLVMGetParam(function(&w, "f"), 1));
    teardown(&w);
}

/* The instruction of this name. */
static LLVMValueRef named(struct world *w, const char *name)
{
    LLVMValueRef i = tsr__first(function(w, "f"));
    while (i && strcmp(tsr__name(i), name))
        i = tsr__next(i);
    assert_non_null(i);
    return i;
}

enum { NONE = TSR__EXT_NONE, SIGNED = TSR__EXT_SIGNED, ZERO = TSR__EXT_ZERO };

/* Which operations stay themselves when their result is extended, and which do not as they may wrap. */
static void test_parts(void **state)
{
    (void)state;
    static const struct {
        const char *code; /* of %v, from i32 %x and %y, or i64 %p and %q, or i16 %s */
        enum tsr__extension extension;
        enum tsr__parts_kind kind;
        int64_t scale, constant;
        uint32_t cleared;
    } cases[] = {
        {"add nsw i32 %x, %y", SIGNED, TSR__PARTS_SUM, 1, 0, 0},
        {"add nsw i32 %x, %y", ZERO, TSR__PARTS_NONE, 0, 0, 0},
        {"add nuw i32 %x, %y", ZERO, TSR__PARTS_SUM, 1, 0, 0},
        {"add nuw i32 %x, %y", SIGNED, TSR__PARTS_NONE, 0, 0, 0},
        {"add i64 %p, %q", NONE, TSR__PARTS_SUM, 1, 0, 0},
        {"sub nsw i32 %x, %y", SIGNED, TSR__PARTS_SUM, -1, 0, 0},
        {"sub i32 %x, %y", SIGNED, TSR__PARTS_NONE, 0, 0, 0},
        {"sub nuw i32 %x, %y", ZERO, TSR__PARTS_SUM, -1, 0, 0},
        {"mul nsw i32 %x, %y", SIGNED, TSR__PARTS_PRODUCT, 0, 0, 0},
        {"mul nsw i32 %x, -3", SIGNED, TSR__PARTS_MULTIPLE, -3, 0, 0},
        {"mul nuw i32 %x, -3", ZERO, TSR__PARTS_MULTIPLE, 4294967293, 0, 0},
        {"mul i32 %x, 3", SIGNED, TSR__PARTS_NONE, 0, 0, 0},
        {"mul i64 %p, -3", NONE, TSR__PARTS_MULTIPLE, -3, 0, 0},
        {"shl nsw i32 %x, 4", SIGNED, TSR__PARTS_MULTIPLE, 16, 0, 0},
        {"shl nsw i32 %x, 4", ZERO, TSR__PARTS_NONE, 0, 0, 0},
        {"shl nuw i32 %x, 4", ZERO, TSR__PARTS_MULTIPLE, 16, 0, 0},
        {"shl i32 %x, 4", SIGNED, TSR__PARTS_NONE, 0, 0, 0},
        {"shl i64 %p, 30", NONE, TSR__PARTS_MULTIPLE, 1 << 30, 0, 0},
        {"shl i64 %p, 31", NONE, TSR__PARTS_NONE, 0, 0, 0},
        {"shl i64 %p, %q", NONE, TSR__PARTS_NONE, 0, 0, 0},
        {"or disjoint i32 %x, 7", SIGNED, TSR__PARTS_SUM, 1, 0, 0},
        {"or i32 %x, 7", SIGNED, TSR__PARTS_BITS, 0, 7, 7},
        {"or i32 %x, -8", SIGNED, TSR__PARTS_NONE, 0, 0, 0},
        {"and i32 %x, -8", ZERO, TSR__PARTS_BITS, 0, 0, 7},
        {"and i32 %x, 7", ZERO, TSR__PARTS_NONE, 0, 0, 0},
        {"and i32 %x, %y", ZERO, TSR__PARTS_NONE, 0, 0, 0},
        {"lshr exact i32 %x, 2", ZERO, TSR__PARTS_NONE, 0, 0, 0},
        {"trunc i64 %p to i32", SIGNED, TSR__PARTS_NONE, 0, 0, 0},
        {"sext i32 %x to i64", NONE, TSR__PARTS_EXTENSION, 0, 0, 0},
        {"sext i16 %s to i32", SIGNED, TSR__PARTS_NONE, 0, 0, 0}, /* extended twice */
        {"sext i16 %s to i32", ZERO, TSR__PARTS_NONE, 0, 0, 0},
    };
    for (size_t i = 0; i < TSR_ARRAY_LEN(cases); i++) {
        struct world w;
        char text[512];
        snprintf(text, sizeof text, HEADER "define void @f(i32 %%x, i32 %%y, i64 %%p, i64 %%q, i16 %%s) {\n%%v = %s\nret void }\n",
                 cases[i].code);
        setup(&w, text);
        struct tsr__parts p = tsr__parts_of(named(&w, "v"), cases[i].extension);
        if (p.kind != cases[i].kind)
            fail_msg("%s, extension %d: kind %d", cases[i].code, cases[i].extension, p.kind);
        if (p.kind == TSR__PARTS_SUM || p.kind == TSR__PARTS_MULTIPLE)
            assert_int_equal(p.scale, cases[i].scale);
        if (p.kind == TSR__PARTS_BITS) {
            assert_int_equal(p.constant, cases[i].constant);
            assert_int_equal(p.cleared, cases[i].cleared);
        }
        assert_int_equal(tsr__is_split(named(&w, "v"), cases[i].extension), p.kind > TSR__PARTS_EXTENSION);
        teardown(&w);
    }
}

/* What is promised not to be negative counts as signed; numbers and constants have the sign that their extension gives them. */
static void test_extensions(void **state)
{
    (void)state;
    struct world w;
    setup(&w, HEADER "define void @f(i32 %x) {\n%s = sext i32 %x to i64\n%z = zext i32 %x to i64\n%n = zext nneg i32 %x to i64\n"
                     "ret void }\n");
    assert_int_equal(tsr__parts_of(named(&w, "s"), NONE).extension, SIGNED);
    assert_int_equal(tsr__parts_of(named(&w, "z"), NONE).extension, ZERO);
    assert_int_equal(tsr__parts_of(named(&w, "n"), NONE).extension, SIGNED);
    LLVMValueRef minus_one = LLVMConstInt(LLVMInt32TypeInContext(w.l.context), UINT32_MAX, false);
    assert_int_equal(tsr__parts_of(minus_one, SIGNED).constant, -1);
    assert_int_equal(tsr__parts_of(minus_one, ZERO).constant, UINT32_MAX);
    teardown(&w);
}

/* Each kind of index of a GEP, in order. */
static void test_gep_indices(void **state)
{
    (void)state;
    struct world w;
    setup(&w, HEADER "define void @f(ptr %a, i64 %i, i32 %n) {\n"
                     "%v = getelementptr [5 x { i32, [7 x double] }], ptr %a, i64 %i, i32 -2, i32 1, i32 %n\nret void }\n");
    static const struct tsr__gep_index wanted[] = {
        {.extension = NONE, .bytes = 5 * 64},
        {.is_constant = true, .offset = -2 * 64, .bytes = 64},
        {.is_constant = true, .is_field = true, .offset = 8},
        {.extension = SIGNED, .bytes = 8},
    };
    struct tsr__gep_index index;
    struct tsr__gep_walk walk = tsr__gep_walk(LLVMGetModuleDataLayout(w.l.module), named(&w, "v"));
    for (size_t i = 0; i < TSR_ARRAY_LEN(wanted); i++) {
        assert_true(tsr__gep_next(&walk, &index));
        assert_ptr_equal(index.value, LLVMGetOperand(named(&w, "v"), (unsigned)i + 1));
        assert_int_equal(index.extension, wanted[i].extension);
        assert_int_equal(index.is_constant, wanted[i].is_constant);
        assert_int_equal(index.is_field, wanted[i].is_field);
        assert_int_equal(index.offset, wanted[i].offset);
        assert_int_equal(index.bytes, wanted[i].bytes);
    }
    assert_false(tsr__gep_next(&walk, &index));
    teardown(&w);
}

/* Sums through extensions, shifts and phis: `far` bytes apart, or it is not known how far. */
static void test_distances(void **state)
{
    (void)state;
    enum { UNKNOWN = -1 };
    static const struct {
        const char *code; /* of %v and %w */
        int64_t far;
    } cases[] = {
        {"%e = sext i32 %x to i64\n%v = getelementptr float, ptr %a, i64 %e\n%o = add nsw i32 %x, 3\n%h = sext i32 %o to i64\n"
         "%w = getelementptr float, ptr %a, i64 %h\n",
         12},
        {"%e = sext i32 %x to i64\n%v = getelementptr float, ptr %a, i64 %e\n%o = add i32 %x, 3\n%h = sext i32 %o to i64\n"
         "%w = getelementptr float, ptr %a, i64 %h\n",
         UNKNOWN},
        {"%v = getelementptr float, ptr %a, i32 %x\n%e = zext i32 %x to i64\n%w = getelementptr float, ptr %a, i64 %e\n", UNKNOWN},
        {"%v = getelementptr float, ptr %a, i32 %x\n%e = zext nneg i32 %x to i64\n%w = getelementptr float, ptr %a, i64 %e\n", 0},
        {"%m = shl nuw i32 %x, 2\n%e = zext i32 %m to i64\n%v = getelementptr i8, ptr %a, i64 %e\n%z = zext i32 %x to i64\n"
         "%g = getelementptr [4 x i8], ptr %a, i64 %z\n%w = getelementptr i8, ptr %g, i64 1\n",
         1},
        {"%m = sub nsw i32 %x, %y\n%e = sext i32 %m to i64\n%n = add nsw i32 %m, %y\n%h = sext i32 %n to i64\n"
         "%d = sub i64 %h, %e\n%v = getelementptr i8, ptr %a, i64 %d\n%t = sext i32 %y to i64\n%w = getelementptr i8, ptr %a, i64 %t\n",
         0},
        {"br i1 %c, label %l, label %r\nl:\n%s = sext i32 %x to i64\n%t = add i64 %s, 1\nbr label %j\nr:\n"
         "%u = sext i32 %x to i64\n%q = add i64 %u, 1\nbr label %j\nj:\n%p = phi i64 [ %t, %l ], [ %q, %r ]\n"
         "%v = getelementptr i8, ptr %a, i32 %x\n%w = getelementptr i8, ptr %a, i64 %p\n",
         1},
        {"br i1 %c, label %l, label %j\nl:\nbr label %j\nj:\n%p = phi i32 [ %x, %0 ], [ %y, %l ]\n"
         "%v = getelementptr i8, ptr %a, i32 %x\n%w = getelementptr i8, ptr %a, i32 %p\n",
         UNKNOWN},
    };
    for (size_t i = 0; i < TSR_ARRAY_LEN(cases); i++) {
        struct world w;
        char text[1024];
        snprintf(text, sizeof text, HEADER "define void @f(ptr %%a, i32 %%x, i32 %%y, i1 %%c) {\n%sret void }\n", cases[i].code);
        setup(&w, text);
        struct tsr__polynomial from = tsr__polynomial_of(&w.l, named(&w, "v")), to = tsr__polynomial_of(&w.l, named(&w, "w"));
        struct tsr__polynomial far = tsr__polynomial_minus(&to, &from);
        assert_true(far.valid);
        if (cases[i].far == UNKNOWN ? far.count == 0 : far.count || far.constant != cases[i].far)
            fail_msg("case %zu: %u terms, %ld bytes", i, far.count, (long)far.constant);
        teardown(&w);
    }
}

/* ---- sizes ---- */

/* A function of `blocks` blocks: the first one has `first` instructions, each other one `others`. */
static void write_blocks(struct tsr_buf *text, unsigned blocks, unsigned first, unsigned others)
{
    tsr_buf_printf(text, HEADER "define void @f(ptr %%p) {\n");
    for (unsigned b = 0; b < blocks; b++) {
        tsr_buf_printf(text, "b%u:\n", b);
        for (unsigned i = 1; i < (b ? others : first); i++)
            tsr_buf_printf(text, "store volatile i32 1, ptr %%p\n");
        if (b + 1 < blocks)
            tsr_buf_printf(text, "br label %%b%u\n", b + 1);
        else
            tsr_buf_printf(text, "ret void\n");
    }
    tsr_buf_printf(text, "}\n");
    tsr_buf_bytes(text, "", 1);
}

/* On both sides of each number from which on the code generator does less. */
static void test_code_sizes(void **state)
{
    (void)state;
    static const struct {
        unsigned blocks, first, others;
        enum tsr__code_size packets, alone;
    } cases[] = {
        {1, 1, 1, TSR__CODE_USUAL, TSR__CODE_USUAL},
        {500, 1, 1, TSR__CODE_USUAL, TSR__CODE_USUAL},
        {501, 1, 1, TSR__CODE_MANY_BLOCKS, TSR__CODE_MANY_BLOCKS},
        {1500, 1, 1, TSR__CODE_MANY_BLOCKS, TSR__CODE_MANY_BLOCKS},
        {1501, 1, 1, TSR__CODE_LARGE, TSR__CODE_LARGE},
        {5000, 1, 1, TSR__CODE_LARGE, TSR__CODE_LARGE},
        {5001, 1, 1, TSR__CODE_HUGE, TSR__CODE_HUGE},
        {1, 8000, 1, TSR__CODE_USUAL, TSR__CODE_USUAL},
        {1, 8001, 1, TSR__CODE_USUAL, TSR__CODE_HUGE},
        {100, 400, 400, TSR__CODE_USUAL, TSR__CODE_USUAL},
        {100, 401, 400, TSR__CODE_USUAL, TSR__CODE_HUGE},
    };
    for (size_t i = 0; i < TSR_ARRAY_LEN(cases); i++) {
        struct world w;
        struct tsr_buf text = {0};
        write_blocks(&text, cases[i].blocks, cases[i].first, cases[i].others);
        setup(&w, (const char *)text.data);
        assert_int_equal(tsr__code_size(function(&w, "f"), false), cases[i].packets);
        assert_int_equal(tsr__code_size(function(&w, "f"), true), cases[i].alone);
        teardown(&w);
        tsr_buf_free(&text);
    }
}

/* A kernel that runs a work-item at a time keeps its call of a function that is inlined for another kernel's packets, if that has more than
 * 100 instructions; a branch is one of them. */
static void test_kept_calls(void **state)
{
    (void)state;
    static const struct {
        unsigned additions, branches;
        bool kept;
    } cases[] = {{99, 0, false}, {100, 0, true}, {48, 25, false}, {49, 25, true}};
    for (size_t i = 0; i < TSR_ARRAY_LEN(cases); i++) {
        struct world w;
        struct tsr_buf text = {0};
        tsr_buf_printf(&text, HEADER "define spir_func i64 @h(i64 %%x0) {\nb0:\n");
        for (unsigned n = 0; n < cases[i].additions; n++)
            tsr_buf_printf(&text, "%%x%u = add i64 %%x%u, %u\n", n + 1, n, n);
        for (unsigned n = 0; n < cases[i].branches; n++)
            tsr_buf_printf(&text, "%%c%u = icmp eq i64 %%x0, %u\nbr i1 %%c%u, label %%out, label %%b%u\nb%u:\n", n, n, n, n + 1, n + 1);
        tsr_buf_printf(&text, cases[i].branches ? "br label %%out\nout: ret i64 %%x0\n}\n" : "ret i64 %%x0\n}\n");
        for (const char *name = "kl"; *name; name++)
            tsr_buf_printf(&text,
                           "define spir_kernel void @%c(ptr addrspace(1) %%p, i64 %%x) {\n%%y = call spir_func i64 @h(i64 %%x)\n"
                           "store i64 %%y, ptr addrspace(1) %%p\nret void }\n",
                           *name);
        tsr_buf_bytes(&text, "", 1);
        setup(&w, (const char *)text.data);
        assert_int_equal(w.info.kernel_count, 2);
        w.options.code_budget = 10000;
        w.l.variants = tsr_arena_alloc(&w.l.scratch, 2 * sizeof *w.l.variants);
        w.l.variants[1] = TSR__VARIANT_REFERENCE;
        struct tsr__map inlined = tsr__inlined_functions(&w.l);
        assert_int_equal(tsr__map_get(&inlined, function(&w, "h")), 1);
        for (unsigned k = 0; k < 2; k++) {
            LLVMValueRef call = tsr__first(tsr__kernel(&w.l, &w.info.kernels[k]));
            bool kept = LLVMGetCallSiteEnumAttribute(call, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, tsr__attr_kind("noinline"));
            assert_int_equal(kept, k == 1 && cases[i].kept);
        }
        tsr_buf_free(&text);
        teardown(&w);
    }
}

/* In packets a matrix function is an operation, however long the code is that a work-item alone would run. */
static void test_matrix_functions_are_not_inlined(void **state)
{
    (void)state;
    static const char *const names[] = {"_Z36intel_sub_group_i8_i8_matrix_mad_k32Dv8_sDv8_iS0_", "other"};
    enum { ADDITIONS = 3000 };
    for (unsigned i = 0; i < TSR_ARRAY_LEN(names); i++) {
        struct world w;
        struct tsr_buf text = {0};
        tsr_buf_printf(&text, HEADER "define spir_func <8 x i32> @%s(<8 x i16> %%a, <8 x i32> %%b, <8 x i32> %%x0) {\n", names[i]);
        for (unsigned n = 0; n < ADDITIONS; n++)
            tsr_buf_printf(&text, "%%x%u = add <8 x i32> %%x%u, %%b\n", n + 1, n);
        tsr_buf_printf(&text,
                       "ret <8 x i32> %%x%d\n}\ndefine spir_kernel void @k(ptr addrspace(1) %%p, <8 x i32> %%b) {\n"
                       "%%y = call spir_func <8 x i32> @%s(<8 x i16> zeroinitializer, <8 x i32> %%b, <8 x i32> %%b)\n"
                       "store <8 x i32> %%y, ptr addrspace(1) %%p\nret void }\n",
                       ADDITIONS, names[i]);
        tsr_buf_bytes(&text, "", 1);
        setup(&w, (const char *)text.data);
        w.options.code_budget = 10000; /* a quarter of it may be inlined */
        w.l.variants = tsr_arena_alloc(&w.l.scratch, sizeof *w.l.variants);
        tsr__inlined_functions(&w.l);
        assert_int_equal(w.l.variants[0] == TSR__VARIANT_REFERENCE, i == 1);
        tsr_buf_free(&text);
        teardown(&w);
    }
}

/* The function for packets that are not full does not count where a request for the others alone would leave it out. */
static void test_what_may_wait(void **state)
{
    (void)state;
    struct world w;
    setup(&w, HEADER "define void @partial(ptr %p) {\n%x = load i64, ptr %p\n%y = add i64 %x, 1\nstore i64 %y, ptr %p\nret void }\n"
                     "define void @entry(ptr %p) {\ncall void @partial(ptr %p)\nret void }\n");
    LLVMValueRef entry = function(&w, "entry"), partial = function(&w, "partial");
    const uint64_t both = tsr__code_cost(&w.l, entry), one = tsr__code_cost(&w.l, partial);
    assert_true(one);
    tsr__set_fn_text(&w.l, partial, TSR__MAY_WAIT, "");
    assert_int_equal(tsr__code_cost(&w.l, entry), both - one);
    teardown(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_block_lists),      cmocka_unit_test(test_elements_of_nests),
        cmocka_unit_test(test_order_of_factors), cmocka_unit_test(test_parts),
        cmocka_unit_test(test_extensions),       cmocka_unit_test(test_gep_indices),
        cmocka_unit_test(test_distances),        cmocka_unit_test(test_code_sizes),
        cmocka_unit_test(test_kept_calls),       cmocka_unit_test(test_matrix_functions_are_not_inlined),
        cmocka_unit_test(test_what_may_wait),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
