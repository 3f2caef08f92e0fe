/* SPDX-License-Identifier: Apache-2.0
 * The generator's words: random numbers, text, types and expressions. */
#include "gen.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

const char *const base_names[BASES] = {"char", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "float", "double", "half"};
const unsigned base_bytes[BASES] = {1, 1, 2, 2, 4, 4, 8, 8, 4, 8, 2};

uint64_t kgen_random(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

unsigned below(struct gen *g, unsigned n)
{
    return (unsigned)(kgen_random(&g->state) >> 32) % n;
}

bool chance(struct gen *g, unsigned percent)
{
    return below(g, 100) < percent;
}

/* ---- text ---- */

void put(struct gen *g, const char *format, ...)
{
    va_list args;
    if (g->muted)
        return;
    struct kgen_text *t = g->text;
    va_start(args, format);
    int n = vsnprintf(NULL, 0, format, args);
    va_end(args);
    while (t->length + (size_t)n + 1 > t->room) {
        t->room = t->room ? 2 * t->room : 16384;
        t->at = realloc(t->at, t->room);
        if (!t->at)
            abort();
    }
    va_start(args, format);
    vsnprintf(t->at + t->length, (size_t)n + 1, format, args);
    va_end(args);
    t->length += (size_t)n;
}

void line(struct gen *g)
{
    put(g, "\n%*s", 4 * g->indent, "");
}

bool node_begin(struct gen *g)
{
    unsigned number = g->k.nodes++;
    bool drop = g->dropped && g->dropped[number];
    g->muted += drop;
    return drop;
}

void node_end(struct gen *g, bool drop)
{
    g->muted -= drop;
}

const char *type_name(struct type t)
{
    static char names[4][16];
    static unsigned next;
    char *name = names[next++ % 4];
    if (t.width == 1)
        return base_names[t.base];
    snprintf(name, sizeof names[0], "%s%u", base_names[t.base], t.width);
    return name;
}

/* ---- types ---- */

struct type scalar(enum base base)
{
    return (struct type){base, 1};
}

enum base any_integer(struct gen *g)
{
    return chance(g, 50) ? (chance(g, 50) ? INT : UINT) : (enum base)below(g, FLOAT);
}

enum base any_float(struct gen *g)
{
    return chance(g, 50) ? FLOAT : chance(g, 50) ? DOUBLE : HALF;
}

bool is_float(enum base base)
{
    return base >= FLOAT;
}

struct type any_type(struct gen *g)
{
    static const unsigned widths[] = {2, 3, 4, 8, 16};
    struct type t = {chance(g, 20) ? any_float(g) : any_integer(g), 1};
    if (g->own_vectors && chance(g, 50))
        return (struct type){t.base, chance(g, 30) ? 8 : 16};
    if (chance(g, 25))
        t.width = widths[chance(g, 85) ? below(g, 3) : below(g, 5)];
    return t;
}

static bool is_signed(enum base base)
{
    return base < FLOAT && base % 2 == 0;
}

/* ---- expressions ---- */

static void literal(struct gen *g, enum base base)
{
    static const char *const floats[] = {"0.0f", "1.0f", "-1.5f", "0.25f", "3.0e5f", "-7.0f", "1.0e-3f", "100.5f"};
    if (is_float(base)) {
        put(g, "(%s)%s", base_names[base], floats[below(g, 8)]);
        return;
    }
    uint64_t value = kgen_random(&g->state);
    switch (below(g, 4)) {
    case 0:
        value %= 16;
        break;
    case 1:
        value = UINT64_C(1) << value % (8 * base_bytes[base]);
        break;
    case 2:
        value = ~(value % 4);
        break;
    default:
        break;
    }
    if (base_bytes[base] < 8)
        value &= (UINT64_C(1) << 8 * base_bytes[base]) - 1;
    put(g, "(%s)0x%llx%s", base_names[base], (unsigned long long)value, base_bytes[base] == 8 ? "ul" : "u");
}

void element(struct gen *g, unsigned size)
{
    if (chance(g, 30)) {
        put(g, "%u", below(g, size));
    } else if (g->counter_count && chance(g, 40)) {
        put(g, size == 3 ? "%s %% 3" : "%s & %u", g->counters[below(g, (unsigned)g->counter_count)].name, size - 1);
    } else {
        expression(g, scalar(UINT), 1);
        put(g, size == 3 ? " %% 3" : " & %u", size - 1);
    }
}

/* Converts text that `from` describes; the text follows in parentheses. */
static void conversion(struct gen *g, struct type from, struct type to)
{
    if (is_float(from.base) && !is_float(to.base))
        put(g, "convert_%s_sat", type_name(to));
    else if (to.width == 1)
        put(g, "(%s)", type_name(to));
    else
        put(g, "convert_%s", type_name(to));
}

void uniform_value(struct gen *g)
{
    int uniform = -1;
    for (int i = 0; i < g->counter_count; i++)
        if (g->counters[i].uniform)
            uniform = i;
    if (uniform >= 0 && chance(g, 40))
        put(g, "%s", g->counters[uniform].name);
    else if (!g->in_helper && chance(g, 20))
        put(g, "(uint)get_group_id(%u)", below(g, 2));
    else
        put(g, "n%u", below(g, 4));
}

/* A scalar at a place that rises or falls from work-item to work-item, without a mask that would hide it; `p` is what is read. */
static void straight_load(struct gen *g, const char *p, bool small)
{
    const char *l = chance(g, 50) ? "lid" : "(uint)get_local_id(0)"; /* below KGEN_LOCAL_WORDS */
    unsigned c = below(g, 200), k = 1 + below(g, 6), n = below(g, 4), scale = small ? 1 + below(g, 3) : 1;
    static const char *const bits[] = {">>", "&", "/", "%", "^", "|"};
    switch (below(g, 8)) {
    case 0:
        put(g, "(%s >= n%u ? %s[%s - n%u] : 5)", l, n, p, l, n);
        break;
    case 1:
        put(g, "((int)%s - %u >= 0 ? %s[(int)%s - %u] : 6)", l, k, p, l, k);
        break;
    case 2:
        put(g, "%s[%s * %u + %u]", p, l, scale, c);
        break;
    case 3:
        put(g, "%s[%u - (int)%s * %u]", p, KGEN_LOCAL_WORDS * scale + c / 2, l, scale);
        break;
    case 4:
        put(g, "%s[(uchar)(%s * %u + %u)]", p, l, scale, c);
        break;
    case 5:
        put(g, "(%s >= %u ? %s[(ushort)(%s + %u)] : 7)", l, k, p, l, 65536 - k);
        break;
    case 6:
        put(g, "((%s + %u & %u) == 0 ? %s[(%s + %u) | %u] : 8)", l, c, k, p, l, c, k);
        break;
    default:
        put(g, "%s[%s %s %u]", p, l, bits[below(g, 6)], k);
        break;
    }
}

void load_index(struct gen *g, unsigned count)
{
    switch (below(g, 9)) {
    case 0:
        put(g, "(uint)gid & %u", count - 1);
        break;
    case 5: { /* consecutive but at the edges */
        unsigned least = below(g, count / 4);
        put(g, "clamp((int)gid %+d, %u, %u)", (int)below(g, 9) - 4, least, least + below(g, count - least));
        break;
    }
    case 6:
        put(g, "min((uint)gid + %u, %uu)", below(g, 9), below(g, count));
        break;
    case 7: /* rows and columns */
        put(g, "((uint)get_global_id(1) * (n%u + %u) + (uint)gid) & %u", below(g, 4), below(g, 40), count - 1);
        break;
    case 8: {
        unsigned factor = 2 + below(g, 4);
        put(g, "(((uint)gid & %u) * %u + %u)", count / 8 - 1, factor, below(g, factor));
        break;
    }
    case 1:
        put(g, "((uint)gid * %u + %u) & %u", 1 + below(g, 9), below(g, 5), count - 1);
        break;
    case 2:
        put(g, "(%u - (int)lid) & %u", 700 + below(g, 300), count - 1);
        break;
    case 3:
        put(g, "(");
        uniform_value(g);
        put(g, " + %u) & %u", below(g, 64), count - 1);
        break;
    default:
        put(g, "(");
        expression(g, scalar(UINT), 1);
        put(g, ") & %u", count - 1);
        break;
    }
}

/* The buffer that is read, or the other one. */
static const char *input(struct gen *g)
{
    return g->k.has_second && chance(g, 40) ? "in2" : "in";
}

static void load(struct gen *g, struct type t)
{
    if (g->packed.width && t.width == 1 && (t.base == INT || t.base == UINT) && chance(g, 50)) {
        put(g, "(%s)", type_name(t));
        packed_word(g, input(g));
        return;
    }
    if (g->place_count > 1 && !g->is_choosing && chance(g, 40) && chosen_load(g, t))
        return;
    unsigned bytes = base_bytes[t.base] * t.width;
    unsigned count = KGEN_IN_WORDS * 4 / bytes;
    while (count & (count - 1)) /* an index below a power of two */
        count &= count - 1;
    if (t.width == 1 && !is_float(t.base) && chance(g, 40)) {
        char p[96];
        if (g->k.has_second && chance(g, 20))
            snprintf(p, sizeof p, "((global const %s *)(lid & %u ? in : (global const uint *)in2))", base_names[t.base], 1u << below(g, 4));
        else
            snprintf(p, sizeof p, "((global const %s *)%s)", base_names[t.base], input(g));
        put(g, "(%s)", base_names[t.base]);
        straight_load(g, p, bytes < 8);
        return;
    }
    bool raw_float = is_float(t.base); /* small numbers: any bits would do, but NaN has many */
    struct type as = raw_float ? (struct type){SHORT, t.width} : t;
    if (raw_float)
        put(g, "convert_%s", type_name(t));
    if (t.width == 1)
        put(g, "(((global const %s *)%s)[", type_name(as), input(g));
    else
        put(g, "(vload%u(", t.width);
    load_index(g, count);
    if (t.width == 1)
        put(g, "])");
    else
        put(g, ", (global const %s *)%s))", base_names[as.base], input(g));
}

void swizzle(struct gen *g, unsigned from, unsigned to, bool once)
{
    unsigned used = 0;
    put(g, ".s");
    for (unsigned i = 0; i < to; i++) {
        unsigned at = below(g, from);
        while (once && used >> at & 1)
            at = (at + 1) % from;
        used |= 1u << at;
        put(g, "%x", at);
    }
}

/* A value made of the variable. False: it is of no use for the type. */
static bool leaf_of(struct gen *g, const struct variable *v, struct type t)
{
    bool same_base = v->type.base == t.base;
    if (v->type.width == t.width) {
        if (!same_base)
            conversion(g, v->type, t);
        put(g, same_base ? "%s" : "(%s)", v->name);
        return true;
    }
    if (v->type.width > 1 && t.width == 1) {
        conversion(g, scalar(v->type.base), t);
        if (chance(g, 20)) {
            put(g, "(((private %s *)&%s)[", base_names[v->type.base], v->name);
            element(g, v->type.width);
            put(g, "])");
            return true;
        }
        put(g, "(%s", v->name);
        swizzle(g, v->type.width, 1, false);
        put(g, ")");
        return true;
    }
    if (v->type.width > 1 && same_base) {
        put(g, "%s", v->name);
        swizzle(g, v->type.width, t.width, false);
        return true;
    }
    return false;
}

static void private_element(struct gen *g, struct type t)
{
    if (is_float(g->array_type.base) && !is_float(t.base))
        put(g, "convert_%s_sat", type_name(t));
    put(g, "(pa[");
    element(g, PRIVATE_ELEMENTS);
    put(g, "])");
}

static void struct_member(struct gen *g, struct type t)
{
    static const struct {
        const char *name;
        bool is_array, is_float;
    } members[] = {{"c", false, false},   {"i", true, false}, {"l", false, false},
                   {"s.y", false, false}, {"h", false, true}, {"d", false, true}};
    unsigned member = below(g, 6);
    if (members[member].is_float && !is_float(t.base))
        put(g, "convert_%s_sat", type_name(t));
    if (chance(g, 20))
        put(g, "((lid & %u ? &st : &sa[n2 & 3])->%s", 1u << below(g, 4), members[member].name);
    else
        put(g, chance(g, 50) ? "(st.%s" : "(sa[n1 & 3].%s", members[member].name);
    if (members[member].is_array) {
        put(g, "[");
        element(g, 3);
        put(g, "]");
    }
    put(g, ")");
}

static void scalar_leaf(struct gen *g, struct type t)
{
    put(g, "(%s)(", type_name(t));
    unsigned what = below(g, 6);
    if (what == 0)
        uniform_value(g);
    else if (what == 1 && g->counter_count)
        put(g, "%s", g->counters[below(g, (unsigned)g->counter_count)].name);
    else if (what == 1 || (what == 3 && g->in_helper))
        put(g, "gid");
    else if (what == 2)
        put(g, "lid");
    else if (what == 3)
        private_element(g, t);
    else if (what == 4 && g->has_struct && !g->in_helper)
        struct_member(g, t);
    else
        literal(g, t.base);
    put(g, ")");
}

void leaf(struct gen *g, struct type t)
{
    for (int tries = 0; tries < 6; tries++)
        if (leaf_of(g, &g->variables[below(g, (unsigned)g->variable_count)], t))
            return;
    if (t.width == 1) {
        scalar_leaf(g, t);
        return;
    }
    put(g, "(%s)(", type_name(t));
    bool all = chance(g, 50);
    for (unsigned i = 0; i < (all ? t.width : 1); i++) {
        put(g, i ? ", " : "");
        leaf(g, scalar(t.base));
    }
    put(g, ")");
}

/* A truth value. */
void condition(struct gen *g, bool uniform)
{
    static const char *const compare[] = {"<", "<=", ">", ">=", "==", "!="};
    if (uniform) {
        put(g, "(");
        uniform_value(g);
        put(g, chance(g, 50) ? " & %u) != 0" : ") > %u", 1 + below(g, 7));
        return;
    }
    if (g->pointer_count && !g->is_choosing && chance(g, 8)) {
        compare_pointers(g);
        return;
    }
    if (chance(g, 40)) {
        put(g, "(");
        expression(g, scalar(UINT), 1);
        put(g, " & %u) %s", 1u << below(g, 4), chance(g, 50) ? "!= 0" : "== 0");
        return;
    }
    struct type t = scalar(chance(g, 20) ? any_float(g) : any_integer(g));
    expression(g, t, 1);
    put(g, " %s ", compare[below(g, 6)]);
    expression(g, t, 1);
}

static void call(struct gen *g, struct type t, int depth)
{
    static const struct {
        const char *name;
        unsigned arguments;
        bool for_float, to_unsigned;
    } functions[] = {
        {"min", 2, false, false},     {"max", 2, false, false},     {"add_sat", 2, false, false},  {"sub_sat", 2, false, false},
        {"mul_hi", 2, false, false},  {"hadd", 2, false, false},    {"rhadd", 2, false, false},    {"rotate", 2, false, false},
        {"clz", 1, false, false},     {"ctz", 1, false, false},     {"popcount", 1, false, false}, {"bitselect", 3, false, false},
        {"mad_sat", 3, false, false}, {"abs", 1, false, true},      {"abs_diff", 2, false, true},  {"fma", 3, true, false},
        {"fabs", 1, true, false},     {"floor", 1, true, false},    {"ceil", 1, true, false},      {"trunc", 1, true, false},
        {"rint", 1, true, false},     {"copysign", 2, true, false},
    };
    unsigned first = is_float(t.base) ? 15 : 0, count = is_float(t.base) ? 7 : 15;
    unsigned f = first + below(g, count);
    bool convert = functions[f].to_unsigned && is_signed(t.base);
    if (convert)
        put(g, t.width == 1 ? "(%s)" : "as_%s", type_name(t));
    put(g, convert ? "(%s(" : "%s(", functions[f].name);
    for (unsigned i = 0; i < functions[f].arguments; i++) {
        put(g, i ? ", " : "");
        expression(g, t, depth - 1);
    }
    put(g, convert ? "))" : ")");
}

static void binary(struct gen *g, struct type t, int depth)
{
    static const char *const ops[] = {"+", "-", "*", "&", "|", "^", "<<", ">>", "/", "%"};
    unsigned op = below(g, is_float(t.base) ? 3 : 10);
    bool divides = op >= 8;
    if (t.width > 1 || is_float(t.base)) {
        put(g, "(");
        expression(g, t, depth - 1);
        put(g, " %s ", ops[op]);
        if (divides)
            leaf(g, t);
        else
            expression(g, t, depth - 1);
        put(g, ")");
        return;
    }
    /* Small operands: the front end says that these do not overflow. */
    if (t.base == INT && op < 3 && chance(g, 40)) {
        put(g, "((");
        expression(g, t, depth - 1);
        put(g, " & %u) %s (", 255 + 256 * below(g, 2), ops[op]);
        expression(g, t, depth - 1);
        put(g, " & 511))");
        return;
    }
    enum base wide = base_bytes[t.base] == 8 ? ULONG : UINT;
    const char *cast = op < 3 ? base_names[wide] : base_names[t.base];
    put(g, "(%s)((%s)", type_name(t), cast);
    expression(g, t, depth - 1);
    put(g, " %s (%s)", ops[op], cast);
    /* A divisor that is zero by its text would be the front end's business. */
    if (divides)
        put(g, "%s)", g->variables[below(g, (unsigned)g->fixed)].name);
    else {
        expression(g, t, depth - 1);
        put(g, ")");
    }
}

void begin_choice(struct gen *g)
{
    put(g, "(");
    condition(g, chance(g, 15));
    put(g, ") ? ");
}

/* One of two values, by a truth value or, in vectors, element by element. */
static void selection(struct gen *g, struct type t, int depth)
{
    if (t.width == 1) {
        put(g, "(%s)(", type_name(t));
        begin_choice(g);
        expression(g, t, depth - 1);
        put(g, " : ");
        expression(g, t, depth - 1);
        put(g, ")");
        return;
    }
    put(g, "select(");
    leaf(g, t);
    put(g, ", ");
    expression(g, t, depth - 1);
    put(g, ", (");
    leaf(g, t);
    put(g, " < ");
    expression(g, t, depth - 1);
    put(g, "))");
}

static void through_another_type(struct gen *g, struct type t, int depth)
{
    struct type other = {chance(g, 15) ? any_float(g) : any_integer(g), t.width};
    conversion(g, other, t);
    put(g, "(");
    expression(g, other, depth - 1);
    put(g, ")");
}

/* A call of a function of the program that has this type. False: there is none. */
static bool helper_call(struct gen *g, struct type t, int depth)
{
    int helper = -1;
    for (int i = 0; i < g->helpers_usable; i++)
        if (g->helper_types[i].base == t.base && g->helper_types[i].width == t.width)
            helper = i;
    if (helper < 0)
        return false;
    put(g, "h%llu_%d(", (unsigned long long)g->k.seed, helper);
    if (g->k.has_second && chance(g, 30)) {
        begin_choice(g);
        put(g, "in : (global const uint *)in2");
    } else {
        put(g, "in");
    }
    put(g, "%s, gid, lid, n0, n1, n2, n3, ", g->k.has_second ? ", in2" : "");
    expression(g, t, depth - 1);
    put(g, ", ");
    expression(g, scalar(UINT), depth - 1);
    put(g, ")");
    return true;
}

void expression(struct gen *g, struct type t, int depth)
{
    if (depth <= 0) {
        leaf(g, t);
        return;
    }
    bool drop = node_begin(g);
    unsigned what = below(g, 9);
    if (what == 0)
        leaf(g, t);
    else if (what == 1)
        load(g, t);
    else if (what == 2)
        call(g, t, depth);
    else if (what == 3)
        selection(g, t, depth);
    else if (what == 4)
        through_another_type(g, t, depth);
    else if (what != 5 || !helper_call(g, t, depth))
        binary(g, t, depth);
    node_end(g, drop);
    if (drop)
        put(g, "(%s)1", type_name(t));
}
