/* SPDX-License-Identifier: Apache-2.0
 * The generator's addresses: places that pointers point into, choices between them, variables that keep such choices, and what is read
 * there.
 *
 * An address is asked for by a target, which says how many elements have to lie behind it. So an index never leaves a place, whichever of
 * them is chosen. */
#include "address.h"

#include <stdio.h>
#include <string.h>

static const char *const space_names[SPACES] = {"global", "constant", "local", "private"};

/* ---- places ---- */

void add_place(struct gen *g, struct place p)
{
    if (g->place_count < MAX_PLACES)
        g->places[g->place_count++] = p;
}

static bool fits(const struct place *p, struct target t)
{
    return t.spaces & 1u << p->space && p->bytes >= t.room * base_bytes[t.base] && p->align >= base_bytes[t.base] &&
           !(t.holds == OWN && !p->is_own) && !(t.holds == INPUT && p->is_own) && !(t.is_typed && p->has_type);
}

static unsigned fitting(const struct gen *g, struct target t)
{
    unsigned count = 0;
    for (unsigned i = 0; i < g->place_count; i++)
        count += fits(&g->places[i], t);
    return count;
}

bool any_spaces(struct gen *g, struct target *t, unsigned among)
{
    static const unsigned sets[] = {IN_GLOBAL,
                                    IN_CONSTANT,
                                    IN_LOCAL,
                                    IN_PRIVATE,
                                    IN_GLOBAL | IN_LOCAL,
                                    IN_GLOBAL | IN_LOCAL | IN_PRIVATE,
                                    IN_LOCAL | IN_PRIVATE,
                                    IN_GLOBAL | IN_PRIVATE};
    for (int tries = 0; tries < 8; tries++) {
        t->spaces = chance(g, 40) ? IN_GLOBAL : sets[below(g, sizeof sets / sizeof *sets)];
        if ((t->spaces & ~among) == 0 && fitting(g, *t) >= (tries < 4 ? 2 : 1))
            return true;
    }
    return false;
}

const char *pointer_type(struct target t)
{
    static char names[4][48];
    static unsigned next;
    char *name = names[next++ % 4];
    const char *space = "";
    for (unsigned i = 0; i < SPACES; i++)
        if (t.spaces == 1u << i)
            space = space_names[i];
    snprintf(name, sizeof names[0], "%s%s%sany_%s *", space, *space ? " " : "", t.holds == OWN ? "" : "const ", base_names[t.base]);
    return name;
}

const char *typed_pointer(struct target t)
{
    static char names[2][48];
    static unsigned next;
    char *name = names[next++ % 2];
    snprintf(name, sizeof names[0], "%s", pointer_type(t));
    char *any = strstr(name, "any_");
    memmove(any, any + 4, strlen(any + 4) + 1);
    return name;
}

/* ---- addresses ---- */

static void place_and_index(struct gen *g, const struct place *p, struct target t, bool has_index)
{
    unsigned more = p->bytes / base_bytes[t.base] - t.room, count = 1;
    put(g, "((%s)(%s)", pointer_type(t), p->name);
    while (2 * count <= more + 1)
        count *= 2;
    if (count > 1 && has_index) {
        put(g, " + (");
        if (count >= 64 && chance(g, 60))
            load_index(g, count);
        else
            element(g, count);
        put(g, ")");
    }
    put(g, ")");
}

static const struct place *any_place(struct gen *g, struct target t)
{
    unsigned number = below(g, fitting(g, t)), at = 0;
    for (;; at++)
        if (fits(&g->places[at], t) && number-- == 0)
            return &g->places[at];
}

static const struct pointer *any_pointer(struct gen *g, struct target t)
{
    for (unsigned tries = 0; tries < 2 * g->pointer_count; tries++) {
        const struct pointer *p = &g->pointers[below(g, g->pointer_count)];
        if ((p->target.spaces & ~t.spaces) == 0 && p->target.base == t.base && p->target.room >= t.room &&
            (t.holds == READ || p->target.holds == t.holds) && p->target.is_typed >= t.is_typed)
            return p;
    }
    return NULL;
}

void pointer_name(struct gen *g, const struct pointer *p)
{
    put(g, "%s", p->name);
    if (p->count > 1) {
        put(g, "[");
        element(g, p->count);
        put(g, "]");
    }
}

static void choice(struct gen *g, struct target t, int depth)
{
    bool is_choosing = g->is_choosing;
    g->is_choosing = true; /* else most of a kernel would be addresses */
    put(g, "(");
    begin_choice(g);
    address(g, t, depth - 1);
    put(g, " : ");
    address(g, t, depth - 1);
    put(g, ")");
    g->is_choosing = is_choosing;
}

void address(struct gen *g, struct target t, int depth)
{
    bool drop = node_begin(g);
    const struct pointer *p = chance(g, 40) ? any_pointer(g, t) : NULL;
    if (depth > 0 && chance(g, 65)) {
        choice(g, t, depth);
    } else if (p) {
        put(g, "((%s)", pointer_type(t));
        pointer_name(g, p);
        put(g, ")");
    } else {
        place_and_index(g, any_place(g, t), t, chance(g, 75));
    }
    node_end(g, drop);
    unsigned first = 0;
    while (!fits(&g->places[first], t))
        first++;
    if (drop)
        place_and_index(g, &g->places[first], t, false);
}

bool chosen_load(struct gen *g, struct type t)
{
    bool raw_float = is_float(t.base); /* small numbers: any bits would do, but NaN has many */
    struct target at = {.base = raw_float ? SHORT : t.base, .room = t.width > 1 ? 16 : 1u << below(g, 4)};
    at.is_typed = t.width > 1;
    if (at.is_typed && at.base != INT && at.base != UINT)
        at.holds = INPUT;
    if (!any_spaces(g, &at, EVERYWHERE))
        return false;
    if (raw_float)
        put(g, "convert_%s", type_name(t));
    else if (t.width == 1)
        put(g, "(%s)", type_name(t));
    if (t.width > 1) {
        put(g, "(vload%u(%u, (%s)", t.width, below(g, 16 / t.width), typed_pointer(at));
        address(g, at, 2);
        put(g, "))");
    } else if (chance(g, 50)) {
        put(g, "(*");
        address(g, at, 2);
        put(g, ")");
    } else {
        put(g, "(");
        address(g, at, 2);
        put(g, "[");
        element(g, at.room);
        put(g, "])");
    }
    return true;
}

void compare_pointers(struct gen *g)
{
    const struct pointer *p = &g->pointers[below(g, g->pointer_count)];
    static const char *const spaces[] = {"global", "local", "private"};
    if (p->target.spaces & (p->target.spaces - 1) && chance(g, 40)) {
        put(g, "to_%s(", spaces[below(g, 3)]);
        pointer_name(g, p);
        put(g, ") != 0");
        return;
    }
    pointer_name(g, p);
    put(g, chance(g, 50) ? " == " : " != ");
    address(g, p->target, 1);
}

/* ---- declarations ---- */

/* Rows that all work-items of the group read, and for each of them words of its own in two arrays. */
static void declare_local(struct gen *g)
{
    size_t group = g->k.local[0] * g->k.local[1] * g->k.local[2];
    line(g);
    put(g, "local any_uint lo[%zu] __attribute__((aligned(8))), lq[%zu] __attribute__((aligned(8)));", group * 4, group * 2);
    line(g);
    put(g,
        "for (uint i = 0; i < 4; i++) lo[lid * 4 + i] = in[(lid * 4 + i) & 1023]; for (uint i = 0; i < 2; i++) lq[lid * 2 + i] = lid + i;");
    add_place(g, (struct place){"lo + lid * 4", LOCAL, 16, 8, true, false});
    add_place(g, (struct place){"lq + lid * 2", LOCAL, 8, 8, true, false});
    if (g->convergent && chance(g, 60)) {
        line(g);
        put(g, "local any_uint lt[64] __attribute__((aligned(8)));");
        line(g);
        put(g, "for (uint i = lid; i < 64; i += (uint)lsize) lt[i] = in[i * %u]; barrier(CLK_LOCAL_MEM_FENCE);", 1 + below(g, 9));
        add_place(g, (struct place){"lt", LOCAL, 256, 8, false, false});
    }
}

/* An array, the kernel's other array, and variables whose address is taken. */
static void declare_private(struct gen *g)
{
    line(g);
    put(g, "any_uint pu[%u] __attribute__((aligned(8))); for (uint i = 0; i < %u; i++) pu[i] = i * %u + lid;", PRIVATE_ELEMENTS,
        PRIVATE_ELEMENTS, below(g, 9));
    add_place(g, (struct place){"pu", PRIVATE, PRIVATE_ELEMENTS * 4, 8, true, false});
    unsigned bytes = base_bytes[g->array_type.base];
    if (!is_float(g->array_type.base) && chance(g, 50)) /* another NaN would show */
        add_place(g, (struct place){"pa", PRIVATE, PRIVATE_ELEMENTS * bytes, bytes, true, true});
    for (int i = g->fixed; i < g->variable_count; i++) {
        const struct variable *v = &g->variables[i];
        struct place p = {.space = PRIVATE, .bytes = base_bytes[v->type.base], .align = base_bytes[v->type.base], .is_own = true};
        p.has_type = true;
        snprintf(p.name, sizeof p.name, "&%.14s", v->name);
        if (v->type.width == 1 && !is_float(v->type.base) && chance(g, 40))
            add_place(g, p);
    }
}

static bool choose_pointer(struct gen *g, struct pointer *p)
{
    p->target = (struct target){.base = any_integer(g), .room = 1u << below(g, 3), .holds = chance(g, 50) ? OWN : READ};
    p->target.is_typed = chance(g, 40);
    p->count = chance(g, 25) ? 4 : 1;
    p->steps = p->count == 1 && chance(g, 50) ? 1 + below(g, p->target.holds == OWN ? 3 : 20) : 0;
    struct target from = p->target;
    from.room += p->steps;
    bool found = any_spaces(g, &from, EVERYWHERE);
    p->target.spaces = from.spaces;
    return found;
}

struct target start_of(const struct pointer *p)
{
    struct target t = p->target;
    t.room += p->steps;
    return t;
}

void declare_pointers(struct gen *g)
{
    struct pointer chosen[MAX_POINTERS];
    unsigned count = 0;
    for (unsigned i = 1 + below(g, MAX_POINTERS); i > 0; i--)
        count += choose_pointer(g, &chosen[count]);
    for (unsigned i = 0; i < count; i++) {
        struct pointer *p = &chosen[i];
        snprintf(p->name, sizeof p->name, "p%u", i);
        line(g);
        put(g, "%s%s", pointer_type(p->target), p->name);
        put(g, p->count > 1 ? "[%u] = {" : " = ", p->count);
        for (unsigned k = 0; k < p->count; k++) {
            put(g, k ? ", " : "");
            address(g, start_of(p), 1);
        }
        put(g, p->count > 1 ? "};" : ";");
        if (p->steps)
            put(g, " uint %ss = 0;", p->name);
        g->pointers[g->pointer_count++] = *p;
    }
}

void declare_places(struct gen *g)
{
    line(g);
    put(g, "global any_uint *mine2 = acc + %u + item * %u;", KGEN_ACC_WORDS, OWN_WORDS);
    add_place(g, (struct place){"mine", GLOBAL, OWN_WORDS * 4, 8, true, false});
    add_place(g, (struct place){"mine2", GLOBAL, OWN_WORDS * 4, 8, true, false});
    if (g->k.has_constants) {
        add_place(g, (struct place){"ic", CONSTANT, KGEN_CONSTANT_WORDS * 4, 8, false, false});
        struct place p = {.space = CONSTANT, .bytes = CONSTANTS * 4, .align = 8};
        snprintf(p.name, sizeof p.name, "kc%llu", (unsigned long long)g->k.seed);
        add_place(g, p);
    }
    g->has_private_places = chance(g, 50);
    g->has_local_places = !g->matrices && chance(g, 40);
    if (g->has_local_places)
        declare_local(g);
    if (g->has_private_places)
        declare_private(g);
}

void write_constants(struct gen *g)
{
    put(g, "constant uint kc%llu[%u] __attribute__((aligned(8))) = {", (unsigned long long)g->k.seed, CONSTANTS);
    for (unsigned i = 0; i < CONSTANTS; i++)
        put(g, "%s0x%xu", i ? ", " : "", (unsigned)(kgen_random(&g->state) >> (32 + below(g, 32))));
    put(g, "};\n");
}

void sum_places(struct gen *g)
{
    if (g->has_private_places) {
        line(g);
        put(g, "for (int i = 0; i < %u; i++) sum = sum * 35 + pu[i];", PRIVATE_ELEMENTS);
    }
    if (g->has_local_places) {
        line(g);
        put(g, "sum = sum * 37 + lo[lid * 4] + lo[lid * 4 + 1] * 3 + lo[lid * 4 + 2] * 5 + lo[lid * 4 + 3] * 7 + lq[lid * 2] * 9 + "
               "lq[lid * 2 + 1] * 11;");
    }
    for (unsigned i = 0; i < g->pointer_count; i++) {
        line(g);
        put(g, "sum = sum * 39 + (ulong)*");
        pointer_name(g, &g->pointers[i]);
        put(g, ";");
    }
}
