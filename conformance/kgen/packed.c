/* SPDX-License-Identifier: Apache-2.0
 * Words that a function of the kernel's makes of numbers of 8 or 16 bits: in a union one by one, by shifts, or as a vector. */
#include "gen.h"

enum { MOST_STEPS = 3, FAR = 16 /* bytes from a number to its partner */ };

static const char *element_name(const struct gen *g)
{
    return base_names[g->packed.base];
}

/* What is done with each number x; y is another one. */
static void write_steps(struct gen *g)
{
    static const char *const by_constant[] = {"&", "|", "^", "+", "-"}, *const by_other[] = {"+", "-", "^", "&"};
    const unsigned bits = base_bytes[g->packed.base] * 8;
    const char *name = element_name(g), *cast = g->packed.width > 4 / base_bytes[g->packed.base] ? "" : name;
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
    const unsigned bits = base_bytes[g->packed.base] * 8, count = g->packed.width;
    const char *name = element_name(g);
    put(g, "union { %s n[%u]; uint w; } all; for (int i = 0; i < %u; i++) { %s x = p[i], y = p[i + %u]; ", name, count, count, name,
        FAR / base_bytes[g->packed.base]);
    write_steps(g);
    put(g, "all.n[i] = x; } return ");
    for (unsigned i = 0; by_shifts && i < count; i++)
        put(g, "%s(uint)(%s)all.n[%u] << %u", i ? " | " : "", bits == 8 ? "uchar" : "ushort", i, i * bits);
    put(g, by_shifts ? "; }\n" : "all.w; }\n");
}

static void write_elements(struct gen *g, const char *of, unsigned first, unsigned count)
{
    put(g, "%s.s", of);
    for (unsigned i = 0; i < count; i++)
        put(g, "%x", first + i);
}

/* Elements of x that make a word, and all of them but the last, go to other words of a vector, among zeros or y's. */
static void write_moved_elements(struct gen *g, const char *name, unsigned count)
{
    const unsigned in_word = 4 / base_bytes[g->packed.base], first = chance(g, 60) ? 0 : below(g, count - in_word + 1);
    put(g, "%s%u z = %s; ", name, count, chance(g, 50) ? "0" : "y");
    for (unsigned i = 0; i < 2; i++) {
        write_elements(g, "z", in_word * below(g, count / in_word), in_word - i);
        put(g, " = ");
        write_elements(g, "x", first, in_word - i);
        put(g, "; ");
    }
    put(g, "x = z; ");
}

static void write_as_vector(struct gen *g)
{
    const char *name = element_name(g);
    const unsigned count = g->packed.width, size = base_bytes[g->packed.base];
    put(g, "%s%u x = vload%u(0, p), y = vload%u(0, p + %u); ", name, count, count, count, FAR / size);
    if (chance(g, 50))
        write_moved_elements(g, name, count);
    else
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
