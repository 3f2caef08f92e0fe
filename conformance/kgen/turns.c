/* SPDX-License-Identifier: Apache-2.0
 * Private arrays whose parts take turns in a loop, as those of double buffers do: by the counter, by a number that is toggled, or by what
 * only looks so; parts of one pair, of pairs that share one, and elements that are always the same. */
#include "gen.h"

enum { MOST_PARTS = 4, MOST_ELEMENTS = 3 };

struct turns {
    struct type type;
    unsigned parts, elements; /* of the array, and of a part */
};

/* Zero or one. The counter is unknown behind the loop. */
static void turn(struct gen *g, bool in_loop)
{
    static const char *const forms[] = {"turn",        "(turn ^ 1)",        "!turn",       "(1 - turn)",
                                        "(round & 1)", "((round + 1) & 1)", "(round % 2)", "(round >> 1 & 1)"};
    enum { FORMS = sizeof forms / sizeof *forms, WITHOUT_COUNTER = 4 };
    put(g, "%s", forms[below(g, in_loop ? FORMS : WITHOUT_COUNTER)]);
}

static void part_element(struct gen *g, const struct turns *t, bool in_loop)
{
    const unsigned size = t->parts * t->elements;
    if (chance(g, 12)) {
        put(g, "parts[%u]", below(g, size));
        return;
    }
    put(g, "parts[");
    turn(g, in_loop);
    put(g, " * %u + %u]", t->elements, below(g, size - t->elements));
}

/* One of the loop's sentences. */
static void use_parts(struct gen *g, const struct turns *t)
{
    static const char *const ops[] = {"=", "+=", "^=", "-="};
    if (chance(g, 15)) {
        put(g, "if (");
        condition(g, false);
        put(g, ") %s; ", chance(g, 50) ? "continue" : "break");
    } else if (chance(g, 35)) {
        put(g, "seen = seen * 3u + ");
        part_element(g, t, true);
        put(g, "; ");
    } else {
        part_element(g, t, true);
        put(g, " %s ", ops[below(g, sizeof ops / sizeof *ops)]);
        part_element(g, t, true);
        put(g, " * %uu + ", 1 + below(g, 7));
        leaf(g, t->type);
        put(g, "; ");
    }
}

void take_turns(struct gen *g)
{
    static const enum base bases[] = {UCHAR, USHORT, UINT, ULONG}; /* sums of which are always defined */
    const struct turns t = {scalar(bases[below(g, 4)]), 2 + below(g, MOST_PARTS - 1), 1 + below(g, MOST_ELEMENTS)};
    const unsigned size = t.parts * t.elements;
    const struct variable *v = &g->variables[g->fixed + (int)below(g, (unsigned)(g->variable_count - g->fixed))];
    const char *type = type_name(t.type);
    put(g, "{ %s parts[%u], seen = 0; int turn = %u; ", type, size, below(g, 2));
    for (unsigned i = 0; i < size; i++) {
        put(g, "parts[%u] = ", i);
        leaf(g, t.type);
        put(g, "; ");
    }
    const unsigned step = chance(g, 75) ? 1 : 2 + below(g, 2);
    put(g, "for (uint round = %u, rounds = ", chance(g, 70) ? 0 : below(g, 4));
    if (chance(g, 50))
        uniform_value(g);
    else
        leaf(g, scalar(UINT));
    put(g, " & %u; round < rounds; round += %u) { ", chance(g, 50) ? 7u : 15u, step);
    for (unsigned n = 2 + below(g, 4); n > 0; n--)
        use_parts(g, &t);
    if (chance(g, 85))
        put(g, "turn ^= 1; ");
    put(g, "} %s = (%s)(seen", v->name, type_name(v->type));
    for (unsigned n = 1 + below(g, 2); n > 0; n--) {
        put(g, " + ");
        part_element(g, &t, false);
    }
    put(g, "); }");
}
