/* SPDX-License-Identifier: Apache-2.0
 * The generator's sentences: assignments, control flow, memory, and what work-items do together. */
#include "address.h"

#include <stdio.h>

void assign(struct gen *g)
{
    const struct variable *v = &g->variables[g->fixed + (int)below(g, (unsigned)(g->variable_count - g->fixed))];
    put(g, "%s", v->name);
    if (v->type.width > 1 && chance(g, 35)) {
        static const unsigned widths[] = {1, 2, 3, 4, 8};
        unsigned to = widths[below(g, 5)];
        to = to < v->type.width ? to : 1;
        swizzle(g, v->type.width, to, true);
        put(g, " = ");
        expression(g, (struct type){v->type.base, to}, 2);
    } else {
        put(g, " = ");
        expression(g, v->type, 1 + (int)below(g, 3));
    }
    put(g, ";");
}

/* Conditions that part the work-items hide what may not be in divergent flow. */
struct flow {
    bool together, may_leave;
};

static struct flow enter(struct gen *g, bool uniform)
{
    struct flow before = {g->together, g->may_leave};
    g->together = g->together && uniform;
    return before;
}

static void leave(struct gen *g, struct flow before)
{
    g->together = before.together;
    g->may_leave = before.may_leave;
}

static void block(struct gen *g, int depth)
{
    put(g, "{");
    g->indent++;
    statements(g, depth);
    g->indent--;
    line(g);
    put(g, "}");
}

static void if_else(struct gen *g, int depth)
{
    bool uniform = chance(g, 25);
    put(g, "if (");
    condition(g, uniform);
    put(g, ") ");
    struct flow before = enter(g, uniform);
    block(g, depth - 1);
    if (chance(g, 50)) {
        put(g, " else ");
        block(g, depth - 1);
    }
    leave(g, before);
}

static void loop(struct gen *g, int depth)
{
    bool uniform = chance(g, 45);
    char c[8];
    snprintf(c, sizeof c, "c%u", g->next_counter++ % 1000u);
    struct flow before = enter(g, uniform);
    g->may_leave = !g->convergent || !g->together; /* else all work-items must come to the next round */
    char *counter = g->counters[g->counter_count].name;
    int kind = (int)below(g, 3);
    if (kind == 0) {
        put(g, "for (uint %s = 0; %s < ", c, c);
        if (uniform) {
            put(g, "(");
            uniform_value(g);
            put(g, " & 3) + %u", below(g, 4));
        } else {
            put(g, "(");
            expression(g, scalar(UINT), 1);
            put(g, " & 7)");
        }
        put(g, "; %s++) ", c);
    } else if (kind == 1) {
        put(g, "for (int %s = ", c);
        if (uniform) {
            put(g, "(int)(");
            uniform_value(g);
            put(g, " & 3) + %u", below(g, 3));
        } else {
            put(g, "(int)(");
            expression(g, scalar(UINT), 1);
            put(g, " & 7)");
        }
        put(g, "; %s > 0; %s--) ", c, c);
    } else {
        put(g, "{ uint %s = 0; do ", c);
    }
    snprintf(counter, sizeof g->counters[0].name, "%s", c);
    g->counters[g->counter_count++].uniform = uniform;
    block(g, depth - 1);
    if (kind == 2) {
        put(g, " while (++%s < ", c);
        if (uniform)
            put(g, "(n%u & 3) + %u", below(g, 4), below(g, 3));
        else {
            put(g, "(");
            leaf(g, scalar(UINT));
            put(g, " & 7)");
        }
        put(g, "); }");
    }
    g->counter_count--;
    leave(g, before);
}

static void switch_case(struct gen *g, int depth)
{
    bool uniform = chance(g, 25);
    put(g, "switch (");
    if (uniform)
        uniform_value(g);
    else
        expression(g, scalar(UINT), 1);
    put(g, " & 7) {");
    struct flow before = enter(g, uniform);
    bool may_leave = g->may_leave;
    unsigned cases = 2 + below(g, 4);
    for (unsigned i = 0; i < cases; i++) {
        line(g);
        if (i + 1 == cases && chance(g, 60))
            put(g, "default: ");
        else
            put(g, "case %u: ", i + i / 2);
        g->may_leave = false; /* break would be the switch's */
        block(g, depth - 1);
        g->may_leave = may_leave;
        if (chance(g, 75))
            put(g, " break;");
    }
    line(g);
    put(g, "}");
    leave(g, before);
}

/* A loop that is entered at two places, which no loop of the language is. */
static void tangle(struct gen *g, int depth)
{
    unsigned number = g->next_counter++;
    bool uniform = chance(g, 25);
    put(g, "{ uint t%u = 0; if (", number);
    condition(g, uniform);
    put(g, ") goto m%u; l%u: ", number, number);
    struct flow before = enter(g, uniform);
    bool may_leave = g->may_leave;
    g->may_leave = false; /* it would leave the loop around */
    block(g, depth - 1);
    if (chance(g, 40)) {
        put(g, " if (");
        condition(g, uniform);
        put(g, ") goto e%u;", number);
    } else {
        put(g, " if (t%u > 5) goto e%u;", number, number);
    }
    put(g, " m%u: ", number);
    block(g, depth - 1);
    put(g, " if (++t%u < ", number);
    if (uniform) {
        put(g, "(");
        uniform_value(g);
        put(g, " & 3) + %u", below(g, 3));
    } else {
        put(g, "(");
        expression(g, scalar(UINT), 1);
        put(g, " & 7)");
    }
    put(g, ") goto %s%u; e%u:; }", chance(g, 70) ? "l" : "m", number, number);
    g->may_leave = may_leave;
    leave(g, before);
}

/* One with three entries. A part leads to the next one, and to any of the three, but not for ever. */
static void knot(struct gen *g, int depth)
{
    enum { ENTRIES = 3 };
    unsigned number = g->next_counter++, first = below(g, ENTRIES);
    bool uniform = chance(g, 25), may_leave = g->may_leave;
    put(g, "{ uint t%u = 0; switch ((", number);
    if (uniform)
        uniform_value(g);
    else
        expression(g, scalar(UINT), 1);
    put(g, ") %% %u) { case 0: goto k%u_%u; case 1: goto k%u_%u; default: goto k%u_%u; }", ENTRIES, number, first, number,
        (first + 1) % ENTRIES, number, (first + 2) % ENTRIES);
    struct flow before = enter(g, uniform);
    g->may_leave = false; /* it would leave the loop around */
    for (unsigned i = 0; i < ENTRIES; i++) {
        line(g);
        put(g, "k%u_%u: ", number, i);
        bool drop = node_begin(g);
        assign(g); /* so that no round is like another */
        node_end(g, drop);
        block(g, depth - 1);
        put(g, " if (++t%u > ((", number);
        if (uniform)
            uniform_value(g);
        else
            expression(g, scalar(UINT), 1);
        put(g, ") & 7) + %u) goto e%u;", below(g, 4), number);
        bool last = i + 1 == ENTRIES;
        if (!last && chance(g, 20))
            continue;
        put(g, " if (");
        condition(g, uniform);
        put(g, ") goto k%u_%u;", number, last ? 0 : below(g, ENTRIES));
        if (last && chance(g, 60))
            put(g, " goto k%u_%u;", number, below(g, ENTRIES));
    }
    put(g, " e%u:; }", number);
    g->may_leave = may_leave;
    leave(g, before);
}

static void jump(struct gen *g)
{
    bool can_leave = g->may_leave && g->counter_count;
    bool returns = g->may_return && (!can_leave || chance(g, 30));
    if (!returns && !can_leave) {
        assign(g);
        return;
    }
    put(g, "if (");
    condition(g, false);
    put(g, returns ? ") return%s;" : ") %s;", returns ? (g->in_helper ? " x" : "") : chance(g, 50) ? "break" : "continue");
}

/* One operation for each of the words at `first`, or the order would matter. */
static void atomic_update(struct gen *g, enum base base, unsigned first, unsigned words)
{
    static const char *const ops[] = {"add", "sub", "or", "xor", "and", "min", "max"};
    unsigned op = below(g, 7);
    bool explicit = chance(g, 50);
    put(g, "%s%s%s%s((global %s%s *)acc + %u + (", base == ULONG && !explicit ? "atom_" : "atomic_", explicit ? "fetch_" : "", ops[op],
        explicit ? "_explicit" : "", explicit ? "atomic_" : "", base_names[base], first + words * op);
    element(g, words);
    put(g, "), ");
    expression(g, scalar(base), 1);
    put(g, explicit ? ", memory_order_relaxed);" : ");");
}

/* An element of a private array, chosen at run time. */
static void write_private(struct gen *g)
{
    put(g, "pa[");
    element(g, PRIVATE_ELEMENTS);
    put(g, "] = ");
    expression(g, g->array_type, 2);
    put(g, ";");
}

static void write_own_word(struct gen *g)
{
    put(g, "mine[");
    element(g, OWN_WORDS);
    put(g, "] = ");
    expression(g, scalar(UINT), 2);
    put(g, ";");
}

/* The same bytes by another type. */
static void write_own_as(struct gen *g)
{
    enum base base = any_integer(g);
    put(g, "((global any_%s *)mine)[", base_names[base]);
    element(g, OWN_WORDS * 4 / base_bytes[base]);
    put(g, "] %s= ", chance(g, 50) ? "" : "^");
    expression(g, scalar(base), 2);
    put(g, ";");
}

static void write_own_vector(struct gen *g)
{
    struct type t = {chance(g, 50) ? UINT : INT, 2 + below(g, 3)}; /* the library's store is one of this type */
    put(g, "vstore%u(", t.width);
    expression(g, t, 1);
    put(g, ", %u, (global %s *)mine);", below(g, OWN_WORDS * 4 / base_bytes[t.base] / t.width), base_names[t.base]);
}

static void add_uint(struct gen *g)
{
    atomic_update(g, UINT, 0, 8);
}

static void add_ulong(struct gen *g)
{
    atomic_update(g, ULONG, 32, 2);
}

/* The element of another work-item, each that of one other. */
static void write_neighbour(struct gen *g)
{
    struct type t = scalar(any_integer(g));
    unsigned k = below(g, 5);
    size_t at = output_row(g, t);
    const char *row = base_names[t.base];
    if (chance(g, 50))
        put(g, "if (item >= %u) ((global %s *)((global uchar *)out + %zu))[(uint)item - %u] = ", k, row, at, k);
    else
        put(g, "if (item + %u < items) ((global %s *)((global uchar *)out + %zu))[(int)items - 1 - %u - (int)item] = ", k, row, at, k);
    expression(g, t, 2);
    put(g, ";");
}

/* Additions by compare and exchange, in words that nothing else changes. */
static void add_by_exchange(struct gen *g)
{
    put(g, "{ uint old = 0, found, more = ");
    expression(g, scalar(UINT), 1);
    put(g, "; volatile global uint *place = &acc[56 + (");
    element(g, 8);
    put(g, ")]; while ((found = atomic_cmpxchg(place, old, old + more)) != old) old = found; }");
}

/* A variable of the kernel with a scalar type that sub-group functions take. */
static const struct variable *sub_group_variable(struct gen *g, bool floats)
{
    for (int tries = 0; tries < 30; tries++) {
        const struct variable *v = &g->variables[g->fixed + (int)below(g, (unsigned)(g->variable_count - g->fixed))];
        if (v->type.width == 1 && (floats || !is_float(v->type.base)))
            return v;
    }
    return NULL;
}

/* An operation on places side by side, of which each work-item has one: it knows what was there. */
static void change_row(struct gen *g)
{
    static const enum base bases[] = {INT, UINT, LONG, ULONG};
    static const char *const ops[] = {"add", "sub", "or", "xor", "and", "min", "max", "xchg", "cmpxchg"};
    static const char *const places[] = {"item + ", "(uint)item + ", "(int)item + ", "items - 1 - item + "};
    enum { SHIFTS = 8, OPS = sizeof ops / sizeof *ops };
    const struct variable *v = sub_group_variable(g, false);
    unsigned op = below(g, OPS);
    struct type t = scalar(bases[below(g, 4)]);
    size_t at = g->offset, bytes = base_bytes[t.base];
    g->offset += ((g->items + SHIFTS) * bytes + 127) / 128 * 128;
    if (v && chance(g, 60))
        put(g, "%s = (%s)", v->name, type_name(v->type));
    put(g, "%s%s((global %s *)out + %zu + %s%u, ", bytes == 8 ? "atom_" : "atomic_", ops[op], base_names[t.base], at / bytes,
        places[below(g, 4)], below(g, SHIFTS));
    if (op == OPS - 1) {
        expression(g, t, 1);
        put(g, ", ");
    }
    expression(g, t, 1);
    put(g, ");");
}

static void write_array_of_struct(struct gen *g)
{
    put(g, "st.i[");
    element(g, 3);
    put(g, "] = ");
    expression(g, scalar(INT), 2);
    put(g, ";");
}

static void write_integer_of_structs(struct gen *g)
{
    put(g, "sa[");
    element(g, 4);
    put(g, "].%s = ", chance(g, 50) ? "l" : "c");
    expression(g, scalar(UCHAR), 2);
    put(g, ";");
}

static void write_float_of_structs(struct gen *g)
{
    bool is_double = chance(g, 50);
    put(g, "sa[");
    element(g, 4);
    put(g, "].%s = ", is_double ? "d" : "h");
    expression(g, scalar(is_double ? DOUBLE : HALF), 2);
    put(g, ";");
}

/* One struct or another one. */
static void write_chosen_struct(struct gen *g)
{
    put(g, "(");
    begin_choice(g);
    put(g, "&st : &sa[");
    element(g, 4);
    put(g, "])->%s = ", chance(g, 50) ? "l" : "i[0]");
    expression(g, scalar(UINT), 2);
    put(g, ";");
}

static void copy_struct(struct gen *g)
{
    if (chance(g, 50)) {
        put(g, "st = sa[");
        element(g, 4);
        put(g, "];");
    } else {
        put(g, "sa[");
        element(g, 4);
        put(g, "] = hs%llu(st, ", (unsigned long long)g->k.seed);
        expression(g, scalar(INT), 1);
        put(g, ");");
    }
}

/* A write to memory. */
static void memory(struct gen *g)
{
    static void (*const writes[])(struct gen *) = {
        write_private, write_own_word, write_own_as, write_own_vector, add_uint, write_neighbour, add_by_exchange, add_ulong, change_row,
    };
    static void (*const struct_writes[])(struct gen *) = {
        write_array_of_struct, write_integer_of_structs, write_float_of_structs, write_chosen_struct, copy_struct,
    };
    enum { WRITES = sizeof writes / sizeof *writes, STRUCT_WRITES = sizeof struct_writes / sizeof *struct_writes };
    unsigned what = below(g, g->has_struct ? WRITES + STRUCT_WRITES : WRITES);
    if (what < WRITES)
        writes[what](g);
    else
        struct_writes[what - WRITES](g);
}

static const char *const ops[] = {"add", "min", "max", "mul"}, *const bits[] = {"and", "or", "xor"};
static const char *const scans[] = {"reduce", "scan_inclusive", "scan_exclusive"};

/* A value that the active work-items of the sub-group make together. */
static void among_active(struct gen *g, const struct variable *v)
{
    const char *type = type_name(v->type);
    switch (below(g, 9)) {
    case 0:
    case 1:
        put(g, "sub_group_non_uniform_%s_%s(", scans[below(g, 3)], ops[below(g, 4)]);
        expression(g, v->type, 1);
        put(g, ")");
        return;
    case 2:
        if (is_float(v->type.base))
            put(g, "sub_group_clustered_reduce_%s(", ops[below(g, 4)]);
        else
            put(g, "sub_group_clustered_reduce_%s(", bits[below(g, 3)]);
        expression(g, v->type, 1);
        put(g, ", %uu)", 1u << below(g, 4));
        return;
    case 3:
        put(g, "(%s)sub_group_non_uniform_%s_logical_%s(", type, scans[below(g, 3)], bits[below(g, 3)]);
        condition(g, false);
        put(g, ")");
        return;
    case 4:
        put(g, "(%s)sub_group_clustered_reduce_logical_%s(", type, bits[below(g, 3)]);
        condition(g, false);
        put(g, ", %uu)", 1u << below(g, 4));
        return;
    case 5: {
        static const char *const votes[] = {"sub_group_non_uniform_all(", "sub_group_non_uniform_any("};
        put(g, "(%s)(sub_group_elect() + 2 * %s", type, votes[below(g, 2)]);
        condition(g, false);
        put(g, "))");
        return;
    }
    case 6:
        put(g, "(%s)sub_group_non_uniform_all_equal(", type);
        expression(g, v->type, 1);
        put(g, ")");
        return;
    case 7:
        put(g, "(%s)(sub_group_ballot(", type);
        condition(g, false);
        put(g, ").x)");
        return;
    default:
        put(g, "sub_group_broadcast_first(");
        expression(g, v->type, 1);
        put(g, ")");
        return;
    }
}

/* Shuffles with two sources, rotations in clusters, rows of memory. */
static void intel_or_cluster(struct gen *g, const struct variable *v)
{
    const char *name = v->name, *type = type_name(v->type);
    switch (below(g, 3)) {
    case 0:
        put(g, "{ %s t = intel_sub_group_shuffle_%s(", type, chance(g, 50) ? "up" : "down");
        expression(g, v->type, 1);
        put(g, ", ");
        expression(g, v->type, 1);
        put(g, ", %uu); if (get_sub_group_size() == get_max_sub_group_size()) %s = t; }", below(g, 8), name);
        return;
    case 1:
        put(g, "{ uint o = get_sub_group_local_id(); %s t = sub_group_clustered_rotate(", type);
        expression(g, v->type, 1);
        put(g, ", %u, 4u); if ((o | 3u) < get_sub_group_size()) %s = t; }", below(g, 4), name);
        return;
    default: {
        static const struct {
            const char *type, *suffix;
        } rows[] = {{"uint", ""}, {"uchar", "_uc"}, {"ushort", "_us"}, {"uint", "_ui"}};
        unsigned row = below(g, 4), wide = chance(g, 50) ? 4 : 0;
        const char *from = "in";
        if (g->k.has_second && chance(g, 60))
            from = chance(g, 60) ? "(n2 > 7 ? in : (global const uint *)in2)" : "in2";
        put(g, "%s = (%s)(intel_sub_group_block_read%s%s((global const %s *)((global const uint *)%s + (", name, type, rows[row].suffix,
            wide ? "4" : "", rows[row].type, from);
        uniform_value(g);
        put(g, " & 255) * 4))%s);", wide ? ".s2" : "");
        return;
    }
    }
}

/* ---- statements that all work-items of the group reach ---- */

/* Values of other work-items through local memory. */
static void exchange_in_local(struct gen *g, const struct variable *v)
{
    put(g, "barrier(CLK_LOCAL_MEM_FENCE); la[lid] = ");
    expression(g, scalar(UINT), 2);
    put(g, "; barrier(CLK_LOCAL_MEM_FENCE); %s = (%s)la[(lid * %u + %u) %% (uint)lsize];", v->name, type_name(v->type), 1 + below(g, 3),
        below(g, 9));
}

/* `array` in local memory: set, then changed atomically by all, then read. */
static void update_local(struct gen *g, const struct variable *v, const char *array, unsigned count, const char *start,
                         const char *function, enum base base)
{
    put(g, "barrier(CLK_LOCAL_MEM_FENCE); if (lid == 0) for (int i = 0; i < %u; i++) %s[i] = %s; barrier(CLK_LOCAL_MEM_FENCE); %s(&%s[",
        count, array, start, function, array);
    element(g, count);
    put(g, "], ");
    expression(g, scalar(base), 1);
    put(g, "); barrier(CLK_LOCAL_MEM_FENCE); %s = (%s)%s[", v->name, type_name(v->type), array);
    element(g, count);
    put(g, "];");
}

static void add_in_local(struct gen *g, const struct variable *v)
{
    update_local(g, v, "lm", 8, "n2", "atomic_add", UINT);
}

static void xor_in_local(struct gen *g, const struct variable *v)
{
    update_local(g, v, "lw", 4, "n3", "atom_xor", ULONG);
}

static void broadcast(struct gen *g, const struct variable *v)
{
    put(g, "%s = sub_group_broadcast(", v->name);
    expression(g, v->type, 1);
    put(g, ", ");
    uniform_value(g);
    put(g, " %% get_sub_group_size());");
}

static void reduce_or_scan(struct gen *g, const struct variable *v)
{
    put(g, "%s = sub_group_%s_%s(", v->name, scans[below(g, 3)], ops[below(g, 3)]);
    expression(g, v->type, 1);
    put(g, ");");
}

static bool is_wide(const struct variable *v)
{
    return base_bytes[v->type.base] >= 4;
}

static void shuffle(struct gen *g, const struct variable *v)
{
    static const char *const forms[] = {"sub_group_shuffle(", "intel_sub_group_shuffle("};
    put(g, "%s = %s", v->name, forms[chance(g, is_wide(v) ? 40 : 0)]);
    expression(g, v->type, 1);
    put(g, ", ");
    expression(g, scalar(UINT), 1);
    put(g, " %% get_sub_group_size());");
}

/* Shuffles whose source may lie outside the sub-group: then the variable stays. */
static void shuffle_relative(struct gen *g, const struct variable *v)
{
    static const struct {
        const char *function, *source;
    } forms[] = {{"shuffle_xor", "o ^ d"}, {"shuffle_up", "o - d"}, {"shuffle_down", "o + d"}, {"rotate", "o + d"}};
    unsigned form = below(g, 4);
    put(g, "{ uint d = %u; uint o = get_sub_group_local_id(); uint p = %s; ", below(g, 8), forms[form].source);
    put(g, "%s t = sub_group_%s(", type_name(v->type), forms[form].function);
    expression(g, v->type, 1);
    put(g, ", d); if (p < get_sub_group_size()) %s = t; }", v->name);
}

static void ballot(struct gen *g, const struct variable *v)
{
    put(g, "{ uint4 b = sub_group_ballot(");
    condition(g, false);
    put(g,
        "); %s %s= (%s)(b.x + sub_group_ballot_bit_count(b) + sub_group_ballot_exclusive_scan(b) + sub_group_ballot_find_msb(b) + "
        "sub_group_inverse_ballot(b)); }",
        v->name, is_float(v->type.base) ? "+" : "^", type_name(v->type));
}

static void vote(struct gen *g, const struct variable *v)
{
    put(g, "%s += (%s)sub_group_%s(", v->name, type_name(v->type), chance(g, 50) ? "all" : "any");
    condition(g, false);
    put(g, ");");
}

static void work_group_function(struct gen *g, const struct variable *v)
{
    if (is_wide(v)) {
        put(g, "%s = work_group_%s_%s(", v->name, scans[below(g, 3)], ops[below(g, 3)]);
        expression(g, v->type, 1);
        put(g, ");");
    } else {
        put(g, "%s += (%s)work_group_any(", v->name, type_name(v->type));
        condition(g, false);
        put(g, ");");
    }
}

/* Functions that only the work-items which reach them take part in. */
static void in_divergent_branches(struct gen *g, const struct variable *v)
{
    put(g, "if (");
    condition(g, false);
    put(g, ") { %s = ", v->name);
    among_active(g, v);
    put(g, "; }");
    if (chance(g, 50)) {
        put(g, " else { %s = ", v->name);
        among_active(g, v);
        put(g, "; }");
    }
    /* Without it work-items that took neither branch could go on and be active with the others in another round of a loop. */
    put(g, " sub_group_barrier(CLK_LOCAL_MEM_FENCE);");
}

/* A barrier or a function that all work-items of the group or sub-group take part in. */
static void convergent(struct gen *g)
{
    static const struct {
        unsigned weight;
        void (*write)(struct gen *g, const struct variable *v);
    } choices[] = {
        {2, exchange_in_local}, {1, add_in_local},          {1, xor_in_local}, {1, broadcast}, {2, reduce_or_scan},
        {1, shuffle},           {1, shuffle_relative},      {1, ballot},       {1, vote},      {1, work_group_function},
        {1, intel_or_cluster},  {3, in_divergent_branches},
    };
    enum { OF_GROUPS = 3 }; /* that know nothing of sub-groups */
    unsigned weights = 0, i = 0;
    for (unsigned k = 0; k < (g->small_groups ? OF_GROUPS : sizeof choices / sizeof *choices); k++)
        weights += choices[k].weight;
    const struct variable *v = sub_group_variable(g, chance(g, 30));
    if (!v) {
        put(g, "barrier(CLK_LOCAL_MEM_FENCE);");
        return;
    }
    for (unsigned at = below(g, weights); at >= choices[i].weight; i++)
        at -= choices[i].weight;
    choices[i].write(g, v);
}

void statement(struct gen *g, int depth)
{
    bool drop = node_begin(g);
    line(g);
    bool is_matrix = matrix_has_room(g) && g->together && !g->quiet && !g->in_helper && chance(g, 12);
    bool is_pointer = g->pointer_count && !g->in_helper && chance(g, 25);
    bool has_turns = !g->in_helper && chance(g, 4);
    unsigned what = below(g, 100);
    g->budget--;
    if (is_matrix)
        matrix_statement(g, true, chance(g, 50));
    else if (is_pointer)
        pointer_statement(g);
    else if (has_turns)
        take_turns(g);
    else if (depth > 0 && what < 18)
        if_else(g, depth);
    else if (depth > 0 && what < 32 && g->counter_count < 3)
        loop(g, depth);
    else if (depth > 0 && what < 37)
        switch_case(g, depth);
    else if (depth > 0 && what < 39)
        tangle(g, depth);
    else if (depth > 0 && what < 40)
        knot(g, depth);
    else if (what < 46)
        jump(g);
    else if (what < 75 && g->convergent && g->together && !g->in_helper && !g->quiet)
        convergent(g);
    else if (what < 62 && !g->in_helper && !g->quiet)
        memory(g);
    else
        assign(g);
    node_end(g, drop);
}

void statements(struct gen *g, int depth)
{
    for (unsigned n = 1 + below(g, 4); n > 0 && g->budget > 0; n--)
        statement(g, depth);
}
