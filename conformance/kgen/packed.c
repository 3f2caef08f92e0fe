/* SPDX-License-Identifier: Apache-2.0
 * Words that a function of the kernel's makes of numbers of 8 or 16 bits: in a union one by one, by shifts, or as a vector. */
#include "gen.h"

enum { MOST_STEPS = 3, FAR = 16 /* bytes from a number to its partner */ };

static const char *element_name(const struct gen *g)
{
    return base_names[g->packed.base];
}

static unsigned elements(const struct gen *g)
{
    return g->packed.width;
}

/* What is done with each number x; y is another one. */
static void write_steps(struct gen *g)
{
    static const char *const by_constant[] = {"&", "|", "^", "+", "-"}, *const by_other[] = {"+", "-", "^", "&"};
    const unsigned bits = base_bytes[g->packed.base] * 8;
    const char *name = element_name(g), *cast = elements(g) > 4 / base_bytes[g->packed.base] ? "" : name;
    for (unsigned i = 1 + below(g, MOST_STEPS); i > 0; i--) {
        put(g, *cast ? "x = (%s)(x " : "x = (x ", cast);
        if (chance(g, 25))
            put(g, "%s y); ", by_other[below(g, 4)]);
        else if (chance(g, 40))
            put(g, "%s (%s)%u); ", chance(g, 50) ? "<<" : ">>", name, 1 + below(g, bits - 1));
        else
            put(g, "%s (%s)%u); ", by_constant[below(g, 5)], name, below(g, 1u << bits));
    }
}

static void write_one_by_one(struct gen *g, bool by_shifts)
{
    const unsigned bits = base_bytes[g->packed.base] * 8, count = elements(g);
    const char *name = element_name(g);
    put(g, "union { %s n[%u]; uint w; } all; for (int i = 0; i < %u; i++) { %s x = p[i], y = p[i + %u]; ", name, count, count, name,
        FAR / base_bytes[g->packed.base]);
    write_steps(g);
    put(g, "all.n[i] = x; } return ");
    for (unsigned i = 0; by_shifts && i < count; i++)
        put(g, "%s(uint)(%s)all.n[%u] << %u", i ? " | " : "", bits == 8 ? "uchar" : "ushort", i, i * bits);
    put(g, by_shifts ? "; }\n" : "all.w; }\n");
}

static void write_as_vector(struct gen *g)
{
    const char *name = element_name(g);
    const unsigned count = elements(g), size = base_bytes[g->packed.base];
    put(g, "%s%u x = vload%u(0, p), y = vload%u(0, p + %u); ", name, count, count, count, FAR / size);
    write_steps(g);
    put(g, "uint4 w = as_uint4(x); return w.x ^ w.y * 3 ^ w.z * 5 ^ w.w * 7; }\n");
}

void packed_function(struct gen *g)
{
    static const enum base bases[] = {UCHAR, CHAR, USHORT, SHORT};
    const unsigned form = below(g, 3);
    g->packed.base = bases[below(g, 4)];
    g->packed.width = (form == 2 ? 16 : 4) / base_bytes[g->packed.base];
    put(g, "uint w%llu(global const %s *p) { ", (unsigned long long)g->k.seed, element_name(g));
    if (form == 2)
        write_as_vector(g);
    else
        write_one_by_one(g, form == 1);
}

void packed_word(struct gen *g, const char *from)
{
    put(g, "w%llu((global const %s *)%s + (", (unsigned long long)g->k.seed, element_name(g), from);
    load_index(g, KGEN_IN_WORDS * 2 / base_bytes[g->packed.base]);
    put(g, "))");
}
