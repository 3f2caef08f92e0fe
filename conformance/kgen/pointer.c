/* SPDX-License-Identifier: Apache-2.0
 * The generator's statements on pointers: assignments under conditions, walks, and writes through addresses that the kernel chooses. */
#include "address.h"

#include <stdio.h>

/* An integer variable of the kernel, of which the first one is one. */
static const struct variable *integer_variable(struct gen *g)
{
    for (int tries = 0; tries < 8; tries++) {
        const struct variable *v = &g->variables[g->fixed + (int)below(g, (unsigned)(g->variable_count - g->fixed))];
        if (v->type.width == 1 && !is_float(v->type.base))
            return v;
    }
    return &g->variables[g->fixed];
}

static struct pointer *a_pointer(struct gen *g)
{
    return &g->pointers[below(g, g->pointer_count)];
}

static void assign_pointer(struct gen *g)
{
    const struct pointer *p = a_pointer(g);
    bool is_divergent = chance(g, 60);
    if (is_divergent) {
        put(g, "if (");
        condition(g, chance(g, 15));
        put(g, ") ");
    }
    if (p->steps)
        put(g, "%ss = 0, ", p->name);
    pointer_name(g, p);
    put(g, " = ");
    address(g, start_of(p), is_divergent ? 1 : 2);
    put(g, ";");
}

/* Two variables of one type change their values. */
static void swap_pointers(struct gen *g)
{
    const struct pointer *p = a_pointer(g), *q = a_pointer(g);
    bool alike = p != q && p->count == 1 && q->count == 1 && p->target.spaces == q->target.spaces && p->target.base == q->target.base &&
                 p->target.holds == q->target.holds && p->target.is_typed == q->target.is_typed && p->steps == 0 && q->steps == 0 &&
                 p->target.room == q->target.room;
    if (!alike) {
        assign_pointer(g);
        return;
    }
    put(g, "if (");
    condition(g, chance(g, 15));
    put(g, ") { %st = %s; %s = %s; %s = t; }", pointer_type(p->target), p->name, p->name, q->name, q->name);
}

/* A step forward or back, as often as the place has room for. */
static void step_pointer(struct gen *g)
{
    const struct pointer *p = a_pointer(g);
    if (!p->steps) {
        assign_pointer(g);
        return;
    }
    unsigned step = 1 + below(g, p->steps < 3 ? p->steps : 3);
    bool is_divergent = chance(g, 50), forward = chance(g, 75);
    put(g, forward ? "if (%ss + %u <= %u" : "if (%ss >= %u", p->name, step, p->steps);
    if (is_divergent) {
        put(g, " && (");
        condition(g, false);
        put(g, ")");
    }
    put(g, forward ? ") { %s += %u; %ss += %u; }" : ") { %s -= %u; %ss -= %u; }", p->name, step, p->name, step);
}

/* A loop in which a pointer goes on by steps, and may go to another place. */
static void walk(struct gen *g)
{
    bool writes = chance(g, 40) && !g->quiet, uniform = chance(g, 50);
    unsigned most = writes ? 3 : 7, step = writes ? 1 : 1 + below(g, 3);
    struct target t = {.base = any_integer(g), .room = 1 + most * step, .holds = writes ? OWN : READ};
    if (!any_spaces(g, &t, EVERYWHERE)) {
        step_pointer(g);
        return;
    }
    unsigned number = g->next_counter++ % 1000u;
    put(g, "{ %st%u = ", pointer_type(t), number);
    address(g, t, 2);
    put(g, "; for (uint c%u = 0; c%u < ((", number, number);
    if (uniform)
        uniform_value(g);
    else
        expression(g, scalar(UINT), 1);
    put(g, ") & %u); c%u++) {", most, number);
    snprintf(g->counters[g->counter_count].name, sizeof g->counters[0].name, "c%u", number);
    g->counters[g->counter_count++].uniform = uniform;
    const struct variable *v = integer_variable(g);
    if (writes) {
        put(g, " *t%u %s= ", number, chance(g, 50) ? "" : "^");
        expression(g, scalar(t.base), 1);
        put(g, ";");
    } else if (chance(g, 50)) {
        put(g, " %s ^= (%s)*t%u;", v->name, type_name(v->type), number);
    } else {
        put(g, " %s = (%s)((ulong)%s * 31 + (ulong)*t%u);", v->name, type_name(v->type), v->name, number);
    }
    switch (below(g, 4)) {
    case 0:
        put(g, " t%u += (n%u & 1) * %u;", number, below(g, 4), step);
        break;
    case 1:
        put(g, " if (");
        condition(g, false);
        put(g, ") t%u += %u;", number, step);
        break;
    default:
        put(g, " t%u += %u;", number, step);
        break;
    }
    if (chance(g, 40)) {
        put(g, " if (");
        condition(g, chance(g, 20));
        put(g, ") t%u = ", number);
        address(g, t, 1);
        put(g, ";");
    }
    g->counter_count--;
    put(g, " } }");
}

/* A pointer that leads nowhere in some work-items. */
static void null_or_address(struct gen *g)
{
    const struct variable *v = integer_variable(g);
    struct target t = {.base = any_integer(g), .room = 1, .holds = g->quiet || chance(g, 50) ? READ : OWN};
    if (!any_spaces(g, &t, EVERYWHERE)) {
        assign_pointer(g);
        return;
    }
    unsigned number = g->next_counter++ % 1000u;
    put(g, "{ %st%u = 0; if (", pointer_type(t), number);
    condition(g, chance(g, 20));
    put(g, ") t%u = ", number);
    address(g, t, 1);
    put(g, "; if (t%u) ", number);
    if (t.holds == OWN) {
        put(g, "*t%u = ", number);
        expression(g, scalar(t.base), 1);
        put(g, "; }");
    } else {
        put(g, "%s ^= (%s)*t%u; }", v->name, type_name(v->type), number);
    }
}

static void write_element(struct gen *g, struct target t)
{
    if (chance(g, 50)) {
        put(g, "*");
        address(g, t, 2);
    } else {
        address(g, t, 2);
        put(g, "[");
        element(g, t.room);
        put(g, "]");
    }
    static const char *const ops[] = {"", "", "^", "|", "&"};
    put(g, " %s= ", ops[below(g, 5)]);
    expression(g, scalar(t.base), 2);
    put(g, ";");
}

static void write_vector(struct gen *g, struct target t)
{
    unsigned width = t.room;
    put(g, "vstore%u(", width);
    expression(g, (struct type){t.base, width}, 1);
    put(g, ", 0, (%s)", typed_pointer(t));
    address(g, t, 2);
    put(g, ");");
}

/* From one chosen place to another. */
static void copy_element(struct gen *g, struct target t)
{
    struct target from = t;
    from.holds = READ;
    any_spaces(g, &from, EVERYWHERE);
    put(g, "*");
    address(g, t, 1);
    put(g, " = *");
    address(g, from, 1);
    put(g, ";");
}

/* An atomic operation on a word that no other work-item knows, so that its result is known as well. */
static void change_own(struct gen *g, struct target t)
{
    static const char *const ops[] = {"add", "sub", "or", "xor", "and", "min", "max"};
    const struct variable *v = integer_variable(g);
    bool generic = t.spaces & (t.spaces - 1), explicit = generic || chance(g, 40);
    const char *space = t.spaces == IN_LOCAL ? "local " : generic ? "" : "global ", *op = ops[below(g, 7)];
    put(g, "%s = (%s)", v->name, type_name(v->type));
    if (explicit)
        put(g, "atomic_fetch_%s_explicit((volatile %satomic_uint *)", op, space);
    else if (chance(g, 30))
        put(g, "atomic_xchg((volatile %suint *)", space);
    else
        put(g, "atomic_%s((volatile %suint *)", op, space);
    address(g, t, 2);
    put(g, ", ");
    expression(g, scalar(UINT), 1);
    put(g, explicit ? ", memory_order_relaxed);" : ");");
}

/* The same operation by all work-items on words of one buffer or the other, of which those of one are this statement's own. */
static void change_common(struct gen *g)
{
    static const char *const ops[] = {"add", "sub", "or", "xor", "and", "min", "max"};
    enum { WORDS = 8 };
    unsigned op = below(g, 7);
    size_t at = g->offset / 4;
    g->offset += 128;
    put(g, "atomic_%s(", ops[op]);
    begin_choice(g);
    put(g, "acc + %u + (", WORDS * op);
    element(g, WORDS);
    put(g, ") : out + %zu + (", at);
    element(g, WORDS);
    put(g, "), ");
    expression(g, scalar(UINT), 1);
    put(g, ");");
}

/* A write to a place of the work-item's own. */
static void write_through(struct gen *g)
{
    unsigned what = below(g, 6);
    if (what == 5) {
        change_common(g);
        return;
    }
    struct target t = {.base = any_integer(g), .room = 1u << below(g, 3), .holds = OWN};
    if (what >= 3) {
        static const unsigned rooms[] = {2, 4};
        t.base = what == 3 && chance(g, 50) ? INT : UINT;
        t.room = what == 3 ? rooms[below(g, 2)] : 1;
        t.is_typed = true;
    }
    if (!any_spaces(g, &t, what == 4 ? IN_GLOBAL | IN_LOCAL : EVERYWHERE)) {
        assign_pointer(g);
        return;
    }
    static void (*const writes[])(struct gen *, struct target) = {write_element, write_element, copy_element, write_vector, change_own};
    writes[what](g, t);
}

void pointer_statement(struct gen *g)
{
    unsigned what = below(g, 100);
    if (what < 25)
        assign_pointer(g);
    else if (what < 30)
        swap_pointers(g);
    else if (what < 45)
        step_pointer(g);
    else if (what < 60 && g->counter_count < MAX_LOOPS)
        walk(g);
    else if (what < 70)
        null_or_address(g);
    else if (!g->quiet)
        write_through(g);
    else
        assign_pointer(g);
}
