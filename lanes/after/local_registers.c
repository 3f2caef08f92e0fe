/* SPDX-License-Identifier: Apache-2.0
 * Local memory all of whose places are known is in registers, where a work-group of known size is a packet: a tile, a tree of sums, the
 * values of neighbours. A load of lanes that do not begin where a store before did waits until that has left for the cache.
 *
 * Accesses that overlap each other are of one array. It becomes variables of one register each, which begin where most of its accesses do,
 * and LLVM makes values of these; accesses are shuffles. Elements that are never read have no value. */
#include <stdlib.h>
#include <string.h>

#include "lanes/after/local_places.h"
#include "lanes/ir/costs.h"
#include "lanes/ir/explain.h"
#include "lanes/ir/shuffles.h"

struct array {
    size_t object;
    int64_t from, to, bytes; /* bytes: of an element */
    LLVMTypeRef element;
    unsigned lanes; /* elements of a register */
    int64_t origin; /* where the first register begins */
    unsigned registers;
    LLVMValueRef *variable;
    bool *is_read; /* by element, from the origin on */
    bool stays, has_vectors, has_stores, has_loads;
};

struct rewriting {
    struct tsr__compilation *l;
    LLVMBuilderRef b;
    struct tsr__local_accesses found;
    struct array *arrays;
    size_t array_count;
    size_t *array_of; /* by access */
};

static unsigned lane_count(const struct tsr__local_access *a)
{
    return a->lanes ? a->lanes : 1;
}

/* ---- arrays ---- */

static int by_place(const void *x, const void *y)
{
    const struct tsr__local_access *a = x, *b = y;
    if (a->object != b->object)
        return a->object < b->object ? -1 : 1;
    return a->from < b->from ? -1 : a->from > b->from;
}

static void find_arrays(struct rewriting *r)
{
    struct tsr__local_access *a = r->found.access;
    qsort(a, r->found.count, sizeof *a, by_place);
    for (size_t i = 0; i < r->found.count; i++) {
        struct array *last = r->array_count ? &r->arrays[r->array_count - 1] : NULL;
        if (!last || last->object != a[i].object || a[i].from >= last->to) {
            last = &r->arrays[r->array_count++];
            *last = (struct array){.object = a[i].object, .from = a[i].from, .to = a[i].to, .bytes = a[i].bytes, .element = a[i].element};
        }
        last->to = a[i].to > last->to ? a[i].to : last->to;
        last->stays = last->stays || a[i].bytes != last->bytes;
        last->has_vectors = last->has_vectors || a[i].lanes;
        *(a[i].load ? &last->has_loads : &last->has_stores) = true;
        last->lanes = a[i].lanes > last->lanes ? a[i].lanes : last->lanes;
        r->array_of[i] = r->array_count - 1;
    }
}

/* Lanes that hold elements side by side, in order. */
static bool is_side_by_side(const struct tsr__local_access *a)
{
    for (unsigned i = 1; i < lane_count(a); i++)
        if (a->at[i] != TSR__NO_PLACE && a->at[i - 1] != TSR__NO_PLACE && a->at[i] != a->at[i - 1] + a->bytes)
            return false;
    return true;
}

/* Stores count twice, as one that goes into two registers needs what these were. */
static void choose_origin(struct rewriting *r, size_t n)
{
    struct array *array = &r->arrays[n];
    unsigned votes[TSR__MAX_ELEMENTS] = {0}, best = 0;
    for (size_t i = 0; i < r->found.count; i++) {
        const struct tsr__local_access *a = &r->found.access[i];
        if (r->array_of[i] == n && a->lanes && a->at[0] != TSR__NO_PLACE && is_side_by_side(a))
            votes[(a->at[0] - array->from) / array->bytes % array->lanes] += a->load ? 1 : 2;
    }
    for (unsigned i = 1; i < array->lanes; i++)
        best = votes[i] > votes[best] ? i : best;
    array->origin = array->from - (best ? (int64_t)(array->lanes - best) * array->bytes : 0);
    array->registers = (unsigned)((array->to - array->origin + array->lanes * array->bytes - 1) / (array->lanes * array->bytes));
}

static unsigned element_of(const struct array *array, const struct tsr__local_access *a, unsigned lane)
{
    return a->at[lane] == TSR__NO_PLACE ? TSR__NO_ELEMENT : (unsigned)((a->at[lane] - array->origin) / array->bytes);
}

/* Registers from which a register full of its lanes comes, or goes to. */
static unsigned sources_of(const struct array *array, const struct tsr__local_access *a, unsigned first)
{
    unsigned sources = 0, number[TSR__MAX_ELEMENTS];
    for (unsigned i = first; i < lane_count(a) && i < first + array->lanes; i++) {
        unsigned element = element_of(array, a, i), k = 0;
        while (element != TSR__NO_ELEMENT && k < sources && number[k] != element / array->lanes)
            k++;
        if (element != TSR__NO_ELEMENT && k == sources)
            number[sources++] = element / array->lanes;
    }
    return sources;
}

static bool has_two_in_one_place(const struct tsr__local_access *a)
{
    for (unsigned i = 0; i < lane_count(a); i++)
        for (unsigned k = 0; k < i; k++)
            if (a->at[i] != TSR__NO_PLACE && a->at[i] == a->at[k])
                return true;
    return false;
}

static bool can_rewrite(const struct rewriting *r, const struct array *array, const struct tsr__local_access *a)
{
    const unsigned lanes = lane_count(a), most = tsr__has(r->l, TSR_CPU_AVX512F) ? TSR__LOCAL_SOURCES : 2;
    if (lanes > array->lanes && (lanes % array->lanes || (lanes / array->lanes & (lanes / array->lanes - 1))))
        return false;
    for (unsigned i = 0; i < lanes; i++)
        if (a->at[i] != TSR__NO_PLACE && (a->at[i] - array->from) % a->bytes)
            return false;
    for (unsigned i = 0; i < lanes; i += array->lanes)
        if (sources_of(array, a, i) > most)
            return false;
    return !a->mask || a->load || !has_two_in_one_place(a);
}

/* Arrays that fit into half of the registers, all together, and are more than a scalar that is stored and loaded. */
static void choose_arrays(struct rewriting *r)
{
    const bool wide = tsr__has(r->l, TSR_CPU_AVX512F);
    const int64_t in_register = wide ? 64 : tsr__has(r->l, TSR_CPU_AVX2) ? 32 : 16;
    unsigned room = wide ? 16 : 8;
    for (size_t n = 0; n < r->array_count; n++) {
        struct array *array = &r->arrays[n];
        array->stays = array->stays || !array->has_vectors || !array->has_stores || !array->has_loads;
        const unsigned most = (unsigned)(in_register / array->bytes), lanes = tsr__power_of_two_above(array->lanes);
        array->lanes = lanes < most ? lanes : most;
        if (array->stays || array->lanes < 2 || array->to - array->from > in_register * room) {
            array->stays = true;
            continue;
        }
        choose_origin(r, n);
        array->stays = array->registers > room;
        for (size_t i = 0; i < r->found.count && !array->stays; i++)
            array->stays = r->array_of[i] == n && !can_rewrite(r, array, &r->found.access[i]);
        room -= array->stays ? 0 : array->registers;
    }
}

/* ---- code ---- */

static void make_variables(struct rewriting *r, LLVMValueRef function, size_t n)
{
    struct array *array = &r->arrays[n];
    LLVMTypeRef type = LLVMVectorType(array->element, array->lanes);
    LLVMBuilderRef b = tsr__builder_at_entry(r->l, function);
    array->variable = tsr_arena_alloc(&r->l->scratch, array->registers * sizeof *array->variable);
    array->is_read = tsr_arena_alloc(&r->l->scratch, (size_t)array->registers * array->lanes);
    memset(array->is_read, 0, (size_t)array->registers * array->lanes);
    for (unsigned i = 0; i < array->registers; i++)
        array->variable[i] = LLVMBuildAlloca(b, type, "");
    for (unsigned i = 0; i < array->registers; i++) /* what nobody has stored is some number */
        LLVMBuildStore(b, LLVMConstNull(type), array->variable[i]);
    LLVMDisposeBuilder(b);
    for (size_t i = 0; i < r->found.count; i++) {
        const struct tsr__local_access *a = &r->found.access[i];
        for (unsigned k = 0; r->array_of[i] == n && a->load && k < lane_count(a); k++)
            if (a->at[k] != TSR__NO_PLACE)
                array->is_read[element_of(array, a, k)] = true;
    }
}

static LLVMValueRef register_value(struct rewriting *r, const struct array *array, unsigned number)
{
    return LLVMBuildLoad2(r->b, LLVMVectorType(array->element, array->lanes), array->variable[number], "");
}

/* A register of which each element is one of these values' elements, or none. */
struct mixture {
    LLVMValueRef value[TSR__MAX_ELEMENTS];
    unsigned count;
    unsigned from[TSR__MAX_ELEMENTS]; /* by element: the number of the value, or TSR__NO_ELEMENT */
    unsigned element[TSR__MAX_ELEMENTS];
};

static void begin_mixture(struct mixture *m, unsigned n)
{
    m->count = 0;
    for (unsigned i = 0; i < n; i++)
        m->from[i] = TSR__NO_ELEMENT;
}

static void mix_in(struct mixture *m, unsigned i, LLVMValueRef value, unsigned element)
{
    unsigned k = 0;
    while (k < m->count && m->value[k] != value)
        k++;
    m->value[k] = value;
    m->count = k < m->count ? m->count : k + 1;
    m->from[i] = k;
    m->element[i] = element;
}

/* Two values in each shuffle, or what came of the last one and another value. */
static LLVMValueRef mix(struct rewriting *r, const struct mixture *m, LLVMTypeRef element, unsigned n)
{
    unsigned pick[TSR__MAX_ELEMENTS];
    LLVMValueRef made = m->count ? m->value[0] : LLVMGetPoison(LLVMVectorType(element, n));
    bool same = m->count == 1;
    for (unsigned i = 0; i < n; i++)
        same = same && (m->from[i] == TSR__NO_ELEMENT || m->element[i] == i);
    for (unsigned k = 1; !same && k < (m->count > 2 ? m->count : 2) && m->count; k++) {
        for (unsigned i = 0; i < n; i++) {
            const unsigned from = m->from[i];
            pick[i] = from > k ? TSR__NO_ELEMENT : from == k ? n + m->element[i] : k == 1 ? m->element[i] : i;
        }
        made = tsr__pick_elements(r->l, r->b, made, k < m->count ? m->value[k] : NULL, pick, n);
    }
    return made;
}

/* As many lanes as a register has, from lane `first` on; lanes that access nothing have no value. */
static LLVMValueRef load_register(struct rewriting *r, const struct array *array, const struct tsr__local_access *a, unsigned first)
{
    const unsigned n = array->lanes;
    LLVMValueRef *values = tsr_arena_alloc(&r->l->scratch, array->registers * sizeof *values);
    struct mixture m;
    memset(values, 0, array->registers * sizeof *values);
    begin_mixture(&m, n);
    for (unsigned i = 0; i < n && first + i < lane_count(a); i++) {
        const unsigned element = element_of(array, a, first + i);
        if (element == TSR__NO_ELEMENT)
            continue;
        if (!values[element / n])
            values[element / n] = register_value(r, array, element / n);
        mix_in(&m, i, values[element / n], element % n);
    }
    return mix(r, &m, array->element, n);
}

/* The lanes of an access, in elements of the array's type. */
static LLVMValueRef load_lanes(struct rewriting *r, const struct array *array, const struct tsr__local_access *a)
{
    LLVMValueRef parts[TSR__MAX_ELEMENTS];
    const unsigned lanes = lane_count(a), n = array->lanes;
    for (unsigned i = 0; i < lanes; i += n)
        parts[i / n] = load_register(r, array, a, i);
    return lanes < n ? tsr__take_lanes(r->l, r->b, parts[0], NULL, 0, lanes) : tsr__join_lanes(r->l, r->b, parts, lanes / n);
}

static LLVMValueRef cast(struct rewriting *r, LLVMValueRef value, LLVMTypeRef type)
{
    return LLVMTypeOf(value) == type ? value : LLVMBuildBitCast(r->b, value, type, "");
}

static void replace_load(struct rewriting *r, const struct array *array, const struct tsr__local_access *a)
{
    LLVMTypeRef type = LLVMTypeOf(a->inst);
    LLVMValueRef made;
    if (!a->lanes) {
        const unsigned element = element_of(array, a, 0);
        made = LLVMBuildExtractElement(r->b, register_value(r, array, element / array->lanes), tsr__i32(r->l, element % array->lanes), "");
    } else {
        made = load_lanes(r, array, a);
    }
    made = cast(r, made, type);
    if (LLVMIsACallInst(a->inst) && !LLVMIsPoison(LLVMGetOperand(a->inst, 2)))
        made = LLVMBuildSelect(r->b, LLVMGetOperand(a->inst, 1), made, LLVMGetOperand(a->inst, 2), "");
    LLVMReplaceAllUsesWith(a->inst, made);
}

/* A register after the store of a vector, which has been cut into `parts`. Of lanes with one place the last one stores. */
static void store_register(struct rewriting *r, const struct array *array, const struct tsr__local_access *a, LLVMValueRef *parts,
                           unsigned number)
{
    const unsigned n = array->lanes;
    LLVMValueRef old = NULL;
    struct mixture m;
    begin_mixture(&m, n);
    for (unsigned i = 0; i < lane_count(a); i++) {
        const unsigned element = element_of(array, a, i);
        if (element != TSR__NO_ELEMENT && element / n == number)
            mix_in(&m, element % n, parts[i / n], i % n);
    }
    if (!m.count)
        return;
    for (unsigned i = 0; i < n; i++) {
        if (m.from[i] != TSR__NO_ELEMENT || !array->is_read[number * n + i])
            continue;
        old = old ? old : register_value(r, array, number);
        mix_in(&m, i, old, i);
    }
    LLVMBuildStore(r->b, mix(r, &m, array->element, n), array->variable[number]);
}

static void store_scalar(struct rewriting *r, const struct array *array, const struct tsr__local_access *a)
{
    const unsigned element = element_of(array, a, 0), n = array->lanes, number = element / n;
    bool keeps = false;
    for (unsigned i = 0; i < n; i++)
        keeps = keeps || (i != element % n && array->is_read[number * n + i]);
    LLVMValueRef value = cast(r, LLVMGetOperand(a->inst, 0), array->element),
                 old = keeps ? register_value(r, array, number) : LLVMGetPoison(LLVMVectorType(array->element, n));
    LLVMBuildStore(r->b, LLVMBuildInsertElement(r->b, old, value, tsr__i32(r->l, element % n), ""), array->variable[number]);
}

static void replace_store(struct rewriting *r, const struct array *array, const struct tsr__local_access *a)
{
    const unsigned lanes = lane_count(a), n = array->lanes;
    LLVMValueRef value = LLVMGetOperand(a->inst, 0), parts[TSR__MAX_ELEMENTS];
    value = cast(r, value, LLVMVectorType(array->element, lanes));
    if (a->mask)
        value = LLVMBuildSelect(r->b, a->mask, value, load_lanes(r, array, a), "");
    if (lanes <= n) {
        unsigned pick[TSR__MAX_ELEMENTS];
        for (unsigned i = 0; i < n; i++)
            pick[i] = i < lanes ? i : TSR__NO_ELEMENT;
        parts[0] = lanes == n ? value : tsr__pick_elements(r->l, r->b, value, NULL, pick, n);
    }
    for (unsigned i = 0; lanes > n && i < lanes; i += n)
        parts[i / n] = tsr__take_lanes(r->l, r->b, value, NULL, i, n);
    for (unsigned i = 0; i < array->registers; i++)
        store_register(r, array, a, parts, i);
}

bool tsr__pass_local_registers(struct tsr__compilation *l, LLVMValueRef function)
{
    struct tsr__lane_scalars c;
    struct rewriting r = {.l = l};
    bool changed = false;
    tsr__lane_scalars_begin(&c, l);
    if (tsr__find_local_accesses(&c, function, &r.found)) {
        r.b = LLVMCreateBuilderInContext(l->context);
        r.arrays = tsr_arena_alloc(&l->scratch, r.found.count * sizeof *r.arrays);
        r.array_of = tsr_arena_alloc(&l->scratch, r.found.count * sizeof *r.array_of);
        find_arrays(&r);
        choose_arrays(&r);
        for (size_t n = 0; n < r.array_count; n++)
            if (!r.arrays[n].stays)
                make_variables(&r, function, n);
        for (size_t i = 0; i < r.found.count; i++) {
            const struct tsr__local_access *a = &r.found.access[i];
            const struct array *array = &r.arrays[r.array_of[i]];
            if (array->stays)
                continue;
            tsr__explain(l, a->inst, a->load ? "load" : "store", "in registers", "local memory whose places are known is in %u registers",
                         array->registers);
            LLVMPositionBuilderBefore(r.b, a->inst);
            (a->load ? replace_load : a->lanes ? replace_store : store_scalar)(&r, array, a);
            LLVMInstructionEraseFromParent(a->inst);
            changed = true;
        }
        LLVMDisposeBuilder(r.b);
    }
    tsr__lane_scalars_end(&c);
    return !changed || tsr__run_llvm_on(l, function, "mem2reg");
}
