/* SPDX-License-Identifier: Apache-2.0
 * The generator: writes a kernel from left to right, so that a random number decides at each place what comes next.
 *
 * What the language leaves open is not written: signed arithmetic goes through unsigned types or has small operands, floats are only
 * added, multiplied, fused and rounded, work-items write to places of their own or atomically without looking at the result, pointers stay
 * inside of what they were set to, and barriers and sub-group functions stand where all work-items of the group reach them. */
#include "address.h"
#include "matrix.h"

#include <stdio.h>

static void add_variable(struct gen *g, struct type t, const char *name)
{
    struct variable *v = &g->variables[g->variable_count++];
    v->type = t;
    snprintf(v->name, sizeof v->name, "%s", name);
}

/* The declaration of the second buffer, if there is one. */
static const char *second_input(const struct gen *g, const char *before, const char *behind)
{
    static char text[48];
    *text = 0;
    if (g->k.has_second)
        snprintf(text, sizeof text, "%sglobal const %s *in2%s", before, type_name(g->second_type), behind);
    return text;
}

static void helper(struct gen *g)
{
    struct type t = chance(g, 70) ? scalar(chance(g, 50) ? INT : any_integer(g)) : any_type(g);
    int number = g->helper_count++;
    g->helper_types[number] = t;
    g->variable_count = g->fixed = 0;
    g->in_helper = g->may_return = true;
    g->may_leave = g->together = false;
    g->budget = 5;
    put(g, "%s h%llu_%d(global const uint *in, %ssize_t gid, uint lid, uint n0, uint n1, uint n2, uint n3, %s x, uint y)\n{", type_name(t),
        (unsigned long long)g->k.seed, number, second_input(g, "", ", "), type_name(t));
    g->indent = 1;
    add_variable(g, scalar(UINT), "y");
    g->fixed = 1;
    add_variable(g, t, "x");
    add_variable(g, scalar(INT), "z");
    line(g);
    put(g, "int z = (int)(y >> 3);");
    statements(g, 2);
    line(g);
    put(g, "return ");
    expression(g, t, 1);
    put(g, ";\n}\n");
    g->helpers_usable = g->helper_count;
    g->in_helper = false;
}

void choose_range(struct gen *g)
{
    unsigned w = g->width;
    const unsigned sizes[] = {1, 3, w - 1, w, w + 1, 2 * w + 3, 2 * w, 4}, small[] = {1, 2, 3, 4, 5, 7, 8, 1};
    g->k.dim = 1 + (chance(g, 50) ? 0 : 1 + below(g, 2));
    size_t items = 1, total = 1;
    for (unsigned d = 0; d < 3; d++) {
        size_t local = 1, global = 1;
        if (d == 0)
            local = (g->small_groups ? small : sizes)[below(g, 8)];
        else if (d < g->k.dim)
            local = g->small_groups && chance(g, 70) ? 1 : 1 + below(g, 3);
        while (items * local > KGEN_LOCAL_WORDS)
            local = (local + 1) / 2;
        items *= local;
        if (d < g->k.dim) {
            global = local * (1 + below(g, d ? 2 : 4));
            if (chance(g, 30))
                global += below(g, (unsigned)local);
            while (total * global > 600 && global > 1)
                global = global / 2 + (global / 2 == 0);
            g->k.offset[d] = chance(g, 25) ? below(g, 20) * (chance(g, 50) ? 1 : w) : 0;
        }
        total *= global;
        g->k.local[d] = local < global || d >= g->k.dim ? local : global;
        g->k.global[d] = global;
    }
}

size_t output_row(struct gen *g, struct type t)
{
    size_t at = g->offset, room = t.width == 3 ? 4 : t.width;
    g->offset += (g->items * room * base_bytes[t.base] + 127) / 128 * 128;
    return at;
}

/* Writes the variable to the output at the end of the kernel: each has a part of the output of its own. */
static void write_variable(struct gen *g, const struct variable *v)
{
    struct type t = v->type;
    const char *index[] = {"item", "items - 1 - item"};
    static const struct {
        enum base base;
        const char *nan;
    } bits[BASES] = {[FLOAT] = {UINT, "0x7fc00000u"}, [DOUBLE] = {ULONG, "0x7ff8000000000000ul"}, [HALF] = {USHORT, "0x7e00"}};
    line(g);
    const char *nan = bits[t.base].nan; /* which one it is, is left open */
    t.base = nan ? bits[t.base].base : t.base;
    size_t at = output_row(g, t);
    char value[128];
    if (!nan)
        snprintf(value, sizeof value, "%s", v->name);
    else if (t.width == 1)
        snprintf(value, sizeof value, "(isnan(%s) ? (%s)%s : as_%s(%s))", v->name, type_name(t), nan, type_name(t), v->name);
    else
        snprintf(value, sizeof value, "select(as_%s(%s), (%s)%s, isnan(%s))", type_name(t), v->name, type_name(t), nan, v->name);
    if (t.width == 3 || (t.width > 1 && chance(g, 40))) /* a whole vector of three has a fourth element */
        put(g, "vstore%u(%s, %s, (global %s *)((global uchar *)out + %zu));", t.width, value, index[chance(g, 30)], base_names[t.base], at);
    else
        put(g, "((global %s *)((global uchar *)out + %zu))[%s] = %s;", type_name(t), at, index[chance(g, 30)], value);
}

static void write_struct(struct gen *g)
{
    unsigned long long number = g->k.seed;
    put(g, "struct s%llu { uchar c; int i[3]; ulong l; short2 s; half h; double d; };\n", number);
    put(g,
        "struct s%llu hs%llu(struct s%llu a, int x) { a.i[x & 1] = (int)((uint)a.i[2] + (uint)x); a.s.y ^= (short)x; "
        "if (x & 4) a.l++; if (x & 8) a.d += a.h; return a; }\n",
        number, number, number);
}

/* The numbers of the work-item in the range and in the group. In the order of columns, memory goes on along the last dimension. */
static void write_numbers(struct gen *g)
{
    bool columns = g->k.dim > 1 && !g->matrices && chance(g, 40);
    put(g, "const size_t gid = get_global_id(0), item = ");
    if (!columns) {
        put(g, "get_global_linear_id();");
        line(g);
        put(g, "const uint lid = (uint)get_local_linear_id();");
        return;
    }
    put(g,
        "((gid - get_global_offset(0)) * %zu + get_global_id(1) - get_global_offset(1)) * %zu + get_global_id(2) - get_global_offset(2);",
        g->k.global[1], g->k.global[2]);
    line(g);
    put(g, "const uint lid = (uint)((get_local_id(2) * get_local_size(1) + get_local_id(1)) * get_local_size(0) + get_local_id(0));");
}

static void write_head(struct gen *g, bool with_sub_group_size)
{
    if (with_sub_group_size)
        put(g, "__attribute__((intel_reqd_sub_group_size(%u)))\n", g->width);
    else if (g->k.local[0] * g->k.local[1] * g->k.local[2] == 1 && chance(g, 50))
        put(g, "__attribute__((reqd_work_group_size(1, 1, 1)))\n");
    put(g,
        "kernel void k%llu(global const uint *in, global uint *out, global uint *acc, local uint *la, uint n0, uint n1, uint n2, uint "
        "n3%s%s%s)\n{",
        (unsigned long long)g->k.seed, g->matrices ? ", global uchar *ma, global uchar *mb, global uchar *mc, int qa, int qb, int qc" : "",
        second_input(g, ", ", ""), g->k.has_constants ? ", constant uint *ic" : "");
    g->indent = 1;
    line(g);
    if (!matrix_is_bare(g)) {
        put(g, "local uint lm[8]; local ulong lw[4];");
        line(g);
    }
    put(g, "const size_t items = %zu, lsize = get_local_size(0) * get_local_size(1) * get_local_size(2);", g->items);
    line(g);
    write_numbers(g);
    line(g);
    put(g, "global any_uint *mine = out + item * %u;", OWN_WORDS);
}

/* Inputs that are not assigned to. */
static void write_inputs(struct gen *g)
{
    add_variable(g, scalar(INT), "r0");
    add_variable(g, scalar(UINT), "r1");
    add_variable(g, scalar(SHORT), "r2");
    g->fixed = 3;
    for (int i = 0; i < 3; i++) {
        line(g);
        put(g, "const %s %s = (%s)in[(item * %u + %u) & 1023];", type_name(g->variables[i].type), g->variables[i].name,
            type_name(g->variables[i].type), 1 + below(g, 4), below(g, 50));
    }
}

/* The private array, the variables of the struct, and variables of random types. */
static void write_variables(struct gen *g)
{
    g->array_type = scalar(chance(g, 20) ? any_float(g) : any_integer(g));
    line(g);
    put(g, "%s pa[%u];", type_name(g->array_type), PRIVATE_ELEMENTS);
    line(g);
    put(g, "for (int i = 0; i < %u; i++) pa[i] = (%s)(i * %u + (int)(lid & 7));", PRIVATE_ELEMENTS, type_name(g->array_type), below(g, 20));
    if (g->has_struct) {
        line(g);
        put(g, "struct s%llu st = {(uchar)r0, {r0, (int)lid, 3}, r1, (short2)(1, (short)r2), (half)(lid & 15), (double)r2}, sa[4];",
            (unsigned long long)g->k.seed);
        line(g);
        put(g, "for (int i = 0; i < 4; i++) { sa[i] = st; sa[i].i[1] ^= i; }");
    }
    unsigned own = 3 + below(g, 4);
    for (unsigned i = 0; i < own; i++) {
        char name[16];
        snprintf(name, sizeof name, "v%u", i);
        struct type t = i == 0 ? scalar(UINT) : any_type(g);
        line(g);
        put(g, "%s %s = ", type_name(t), name);
        expression(g, t, 1);
        put(g, ";");
        add_variable(g, t, name);
    }
}

/* Everything that the kernel has computed goes to the output. */
static void write_results(struct gen *g)
{
    for (int i = g->fixed; i < g->variable_count; i++)
        write_variable(g, &g->variables[i]);
    struct variable sum = {.name = "sum", .type = scalar(ULONG)};
    line(g);
    put(g, "ulong sum = 0; for (int i = 0; i < %u; i++) sum = sum * 31 + (ulong)%s(pa[i]);", PRIVATE_ELEMENTS,
        is_float(g->array_type.base) ? "convert_int_sat" : "");
    if (g->has_struct) {
        line(g);
        put(g,
            "for (int i = 0; i < 4; i++) sum = sum * 33 + sa[i].l + sa[i].c + (uint)sa[i].i[0] + (uint)sa[i].i[1] * 5 + (uint)sa[i].i[2] + "
            "(ushort)sa[i].s.y + (uint)convert_int_sat(sa[i].h) * 7 + (uint)convert_int_sat(sa[i].d) * 11;");
        line(g);
        put(g, "sum ^= st.l + (uint)st.i[0] + (uint)st.i[1] * 3 + (ushort)st.s.y + (uint)convert_int_sat(st.h + st.d) * 5;");
    }
    sum_places(g);
    write_variable(g, &sum);
}

/* Statements around a loop over K, which often must do nothing that other work-items see before it is done. */
static void write_statements_and_loop(struct gen *g)
{
    int behind = (int)below(g, 8);
    g->budget = (int)below(g, 6);
    g->quiet = chance(g, 70);
    while (g->budget > 0)
        statement(g, 3);
    g->quiet = false;
    bool at_once = chance(g, 75), drop = node_begin(g);
    matrix_statement(g, false, at_once);
    node_end(g, drop);
    g->budget = behind;
    while (g->budget > 0)
        statement(g, 3);
    if (!at_once)
        matrix_end(g);
}

static void write_body(struct gen *g)
{
    if (!matrix_is_bare(g)) {
        write_inputs(g);
        write_variables(g);
    }
    if (g->has_places) {
        declare_places(g);
        declare_pointers(g);
    }
    if (g->matrices)
        matrix_declare(g);
    if (matrix_is_bare(g))
        matrix_statement(g, false, true);
    else if (g->matrices)
        write_statements_and_loop(g);
    while (!g->matrices && g->budget > 0)
        statement(g, 3);
    if (!matrix_is_bare(g))
        write_results(g);
}

/* One buffer or two, and whether the kernel chooses between other places as well. */
static void choose_inputs(struct gen *g)
{
    bool is_bare = matrix_is_bare(g);
    g->k.has_second = !is_bare && chance(g, 65);
    g->second_type = chance(g, 40) ? scalar(UINT) : (struct type){any_integer(g), 1u << below(g, 3)};
    g->has_places = !is_bare && chance(g, 50);
    g->k.has_constants = g->has_places && chance(g, 25);
    add_place(g, (struct place){"in", GLOBAL, KGEN_IN_WORDS * 4, 8, false, false});
    if (g->k.has_second)
        add_place(g, (struct place){"in2", GLOBAL, KGEN_IN_WORDS * 4, 8, false, false});
}

struct kgen_kernel kgen_generate(uint64_t seed, bool matrices, const bool *dropped, struct kgen_text *text)
{
    struct gen made = {.k = {.seed = seed}, .text = text, .state = seed * UINT64_C(0x2545f4914f6cdd1d) + 1, .dropped = dropped};
    struct gen *g = &made;
    static const unsigned widths[] = {8, 16, 32, 16}; /* the last: left to the driver */
    g->small_groups = chance(g, 40);
    g->own_vectors = g->small_groups && chance(g, 50);
    unsigned choice = g->small_groups ? 3 : below(g, 4);
    g->width = widths[choice];
    struct matrices chosen;
    if (matrices) {
        matrix_choose(g, &chosen);
        matrix_range(g);
        matrix_lay_out(g);
        choice = chance(g, 75) ? 0 : 3;
    } else {
        choose_range(g);
    }
    g->items = g->k.global[0] * g->k.global[1] * g->k.global[2];
    g->offset = (g->items * OWN_WORDS * 4 + 127) / 128 * 128;
    for (int i = 0; i < 4; i++)
        g->k.n[i] = below(g, 16);
    choose_inputs(g);
    g->has_struct = chance(g, 30);
    if (g->has_struct)
        write_struct(g);
    if (chance(g, 25))
        packed_function(g);
    for (unsigned i = chance(g, 40) ? 1 + below(g, MAX_HELPERS) : 0; i > 0; i--)
        helper(g);
    g->variable_count = g->fixed = 0;
    g->counter_count = 0;
    g->convergent = matrices || chance(g, g->small_groups ? 80 : 50);
    g->together = true;
    g->may_return = !g->convergent;
    g->may_leave = false;
    g->budget = 4 + (int)below(g, 14);
    if (matrices)
        matrix_function(g);
    if (g->k.has_constants)
        write_constants(g);
    write_head(g, choice < 3);
    write_body(g);
    put(g, "\n}\n");
    g->k.out_bytes = g->offset;
    g->k.acc_bytes = KGEN_ACC_WORDS * 4 + (g->has_places ? g->items * OWN_WORDS * 4 : 0);
    return g->k;
}
