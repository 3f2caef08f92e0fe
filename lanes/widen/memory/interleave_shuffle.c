/* SPDX-License-Identifier: Apache-2.0
 * Loads and stores of interleaved groups, by wide vectors and shuffles.
 *
 * Each lane has a record in memory, whose scalars lie side by side. Memory is read and written in vectors that fill a register,
 * *chunks*. Shuffles take from the chunks the vectors with one scalar per lane.
 *
 * A load without a mask may read gaps between the fields that the program reads: a gap is less than a page wide, so it is mapped if both
 * ends are. The load ends with the last scalar that the program reads. A store never writes a gap. */
#include "lanes/widen/memory/access.h"
#include "lanes/widen/reduce_scan.h"
#include "lanes/ir/mad_op.h"
#include "lanes/ir/layout.h"
#include "lanes/ir/record_network.h"

enum { SSE_BYTES = 16, AVX_BYTES = 32, AVX512_BYTES = 64 };

/* The number of lanes that are shuffled together, so that a chunk of one scalar for each of them fills a register. The records of these
 * lanes are as many chunks as a record has scalars. */
static unsigned lanes_at_once(const struct tsr__widener *s, const struct tsr__access *a)
{
    unsigned bytes = tsr__has(s->l, TSR_CPU_AVX512BW) ? AVX512_BYTES : tsr__has(s->l, TSR_CPU_AVX2) ? AVX_BYTES : SSE_BYTES;
    unsigned fit = bytes / a->scalar_bytes;
    return fit < s->width ? fit : s->width;
}

/* ---- shuffles ---- */

/* Elements `first`, `first` + 2 … of two vectors. */
static LLVMValueRef every_second(struct tsr__widener *s, LLVMValueRef x, LLVMValueRef y, unsigned first, unsigned lanes)
{
    unsigned from[TSR__MAX_ELEMENTS];
    for (unsigned i = 0; i < lanes; i++)
        from[i] = first + 2 * i;
    return tsr__pick_elements(s->l, s->b, x, y, from, lanes);
}

/* An odd number of chunks: the scalars of a member lie at different places of their chunks, so that blends bring them together, and one
 * shuffle puts them in order. */
static LLVMValueRef gather_members(struct tsr__widener *s, const LLVMValueRef *chunks, unsigned step, unsigned lanes, unsigned member)
{
    unsigned chunk_of[TSR__MAX_ELEMENTS], from[TSR__MAX_ELEMENTS];
    for (unsigned lane = 0; lane < lanes; lane++) {
        unsigned at = lane * step + member;
        chunk_of[at % lanes] = at / lanes;
        from[lane] = at % lanes;
    }
    LLVMValueRef all = chunks[0];
    for (unsigned c = 1; c < step; c++) {
        unsigned blend[TSR__MAX_ELEMENTS];
        bool any = false;
        for (unsigned i = 0; i < lanes; i++) {
            blend[i] = chunk_of[i] == c ? lanes + i : chunk_of[i] < c ? i : TSR__NO_ELEMENT;
            any = any || chunk_of[i] == c;
        }
        if (any)
            all = tsr__pick_elements(s->l, s->b, all, chunks[c], blend, lanes);
    }
    return tsr__pick_elements(s->l, s->b, all, NULL, from, lanes);
}

static void scatter_members(struct tsr__widener *s, LLVMValueRef *components, unsigned step, unsigned lanes, LLVMValueRef *chunks)
{
    LLVMValueRef placed[TSR__MAX_STRIDE];
    for (unsigned m = 0; m < step; m++) {
        unsigned at[TSR__MAX_ELEMENTS];
        for (unsigned lane = 0; lane < lanes; lane++)
            at[(lane * step + m) % lanes] = lane;
        placed[m] = tsr__pick_elements(s->l, s->b, components[m], NULL, at, lanes);
    }
    for (unsigned c = 0; c < step; c++) {
        chunks[c] = placed[0];
        for (unsigned m = 1; m < step; m++) {
            unsigned blend[TSR__MAX_ELEMENTS];
            for (unsigned i = 0; i < lanes; i++) {
                unsigned wanted = (c * lanes + i) % step;
                blend[i] = wanted == m ? lanes + i : wanted < m ? i : TSR__NO_ELEMENT;
            }
            chunks[c] = tsr__pick_elements(s->l, s->b, chunks[c], placed[m], blend, lanes);
        }
    }
}

/* Four members: eight shuffles of two registers transpose them, half of which move halves of registers only. */
static void quad_split(struct tsr__widener *s, LLVMValueRef *chunks, unsigned lanes, LLVMValueRef *components)
{
    unsigned half = lanes / 2;
    LLVMValueRef pairs[2][2]; /* of lanes; of members: 0 and 1, 2 and 3 */
    unsigned from[TSR__MAX_ELEMENTS];
    for (unsigned i = 0; i < 2; i++)
        for (unsigned k = 0; k < 2; k++) {
            for (unsigned j = 0; j < lanes; j++)
                from[j] = 4 * (j % half) + 2 * k + j / half;
            pairs[i][k] = tsr__pick_elements(s->l, s->b, chunks[2 * i], chunks[2 * i + 1], from, lanes);
        }
    for (unsigned i = 0; i < 4; i++) {
        for (unsigned j = 0; j < lanes; j++)
            from[j] = j % half + i % 2 * half + j / half * lanes;
        components[i] = tsr__pick_elements(s->l, s->b, pairs[0][i / 2], pairs[1][i / 2], from, lanes);
    }
}

static void quad_join(struct tsr__widener *s, LLVMValueRef *components, unsigned lanes, LLVMValueRef *chunks)
{
    unsigned half = lanes / 2;
    LLVMValueRef pairs[2][2];
    unsigned from[TSR__MAX_ELEMENTS];
    for (unsigned i = 0; i < 2; i++)
        for (unsigned k = 0; k < 2; k++) {
            for (unsigned j = 0; j < lanes; j++)
                from[j] = j % half + i * half + j / half * lanes;
            pairs[i][k] = tsr__pick_elements(s->l, s->b, components[2 * k], components[2 * k + 1], from, lanes);
        }
    for (unsigned i = 0; i < 4; i++) {
        for (unsigned j = 0; j < lanes; j++)
            from[j] = i % 2 * (lanes / 4) + j / 4 + j % 2 * half + j % 4 / 2 * lanes;
        chunks[i] = tsr__pick_elements(s->l, s->b, pairs[i / 2][0], pairs[i / 2][1], from, lanes);
    }
}

/* Before AVX-512, which puts any elements of two registers in any order, by shuffles within rows of 16 bytes. */
static bool has_network(struct tsr__widener *s, LLVMValueRef vector, unsigned step, unsigned lanes, struct tsr__record_network *n)
{
    LLVMTypeRef element = LLVMGetElementType(LLVMTypeOf(vector));
    return step >= 4 && !tsr__has(s->l, TSR_CPU_AVX512BW) && tsr__make_record_network(n, s->l, s->b, element, step, lanes);
}

/* Makes of the chunks of some lanes' records one vector for each member. LLVM drops the shuffles for members that are not used. */
static void deinterleave(struct tsr__widener *s, LLVMValueRef *chunks, unsigned step, unsigned lanes, LLVMValueRef *components)
{
    struct tsr__record_network network;
    if (has_network(s, chunks[0], step, lanes, &network)) {
        for (unsigned c = 0; c < step; c++)
            components[c] = chunks[c];
        tsr__take_records_apart(&network, components);
        return;
    }
    if (step % 2) {
        for (unsigned m = 0; m < step; m++)
            components[m] = step > 1 ? gather_members(s, chunks, step, lanes, m) : chunks[0];
        return;
    }
    if (step == 4 && lanes >= 4) {
        quad_split(s, chunks, lanes, components);
        return;
    }
    LLVMValueRef half[TSR__MAX_STRIDE / 2], its[TSR__MAX_STRIDE / 2];
    for (unsigned odd = 0; odd < 2; odd++) {
        for (unsigned c = 0; c < step / 2; c++)
            half[c] = every_second(s, chunks[2 * c], chunks[2 * c + 1], odd, lanes);
        deinterleave(s, half, step / 2, lanes, its);
        for (unsigned m = 0; m < step / 2; m++)
            components[2 * m + odd] = its[m];
    }
}

/* The other way round. */
static void interleave(struct tsr__widener *s, LLVMValueRef *components, unsigned step, unsigned lanes, LLVMValueRef *chunks)
{
    struct tsr__record_network network;
    if (has_network(s, components[0], step, lanes, &network)) {
        for (unsigned m = 0; m < step; m++)
            chunks[m] = components[m];
        tsr__put_records_together(&network, chunks);
        return;
    }
    if (step % 2) {
        scatter_members(s, components, step, lanes, chunks);
        return;
    }
    if (step == 4 && lanes >= 4) {
        quad_join(s, components, lanes, chunks);
        return;
    }
    LLVMValueRef half[2][TSR__MAX_STRIDE / 2], its[TSR__MAX_STRIDE / 2];
    for (unsigned odd = 0; odd < 2; odd++) {
        for (unsigned m = 0; m < step / 2; m++)
            its[m] = components[2 * m + odd];
        interleave(s, its, step / 2, lanes, half[odd]);
    }
    for (unsigned c = 0; c < step; c++) {
        unsigned zip[TSR__MAX_ELEMENTS];
        for (unsigned i = 0; i < lanes; i++)
            zip[i] = c % 2 * lanes / 2 + i / 2 + i % 2 * lanes;
        chunks[c] = tsr__pick_elements(s->l, s->b, half[0][c / 2], half[1][c / 2], zip, lanes);
    }
}

/* ---- chunks in memory ---- */

/* A chunk's scalars, `first` of all records on: to which lane each belongs, or the width if it is none that the program accesses. */
struct chunk {
    unsigned first, lanes;
    unsigned lane[TSR__MAX_ELEMENTS];
    bool none, all;
};

static struct chunk chunk_at(const struct tsr__widener *s, const struct tsr__access *a, unsigned first, unsigned lanes)
{
    struct chunk c = {.first = first, .lanes = lanes, .none = true, .all = true};
    for (unsigned i = 0; i < lanes; i++) {
        bool wanted = a->members >> (first + i) % a->step & 1;
        c.lane[i] = wanted ? (first + i) / a->step : s->width;
        c.none = c.none && !wanted;
        c.all = c.all && wanted;
    }
    return c;
}

static LLVMValueRef chunk_mask(struct tsr__widener *s, const struct chunk *c)
{
    return tsr__pick_elements(s->l, s->b, tsr__mask_or_all(s, s->mask), LLVMConstNull(tsr__mask_type(s)), c->lane, c->lanes);
}

/* The access as the one of a chunk, and the address of that. */
static LLVMValueRef at_chunk(struct tsr__widener *s, const struct tsr__access *a, LLVMValueRef p, unsigned first, struct tsr__access *own)
{
    *own = *a;
    own->align = tsr__align_at(a->align, (uint64_t)first * a->scalar_bytes);
    LLVMValueRef by = tsr__i64(s->l, (uint64_t)first * a->scalar_bytes);
    return tsr__plus_bytes(s->l, s->b, p, by);
}

static LLVMValueRef load_chunk(struct tsr__widener *s, const struct tsr__access *a, LLVMValueRef p, const struct chunk *c)
{
    LLVMTypeRef type = LLVMVectorType(a->scalar, c->lanes);
    unsigned last = 31 - (unsigned)__builtin_clz(a->members), end = (s->width - 1) * a->step + last + 1;
    struct tsr__access own;
    if (c->none)
        return LLVMGetPoison(type);
    if (s->mask || c->first + c->lanes <= end) {
        LLVMValueRef at = at_chunk(s, a, p, c->first, &own);
        return tsr__masked_load(s, &own, type, at, s->mask ? chunk_mask(s, c) : NULL);
    }
    /* The end of the last record is not read: the chunk before that, moved down. */
    LLVMValueRef at = at_chunk(s, a, p, end - c->lanes, &own);
    LLVMValueRef before = tsr__masked_load(s, &own, type, at, NULL);
    unsigned from[TSR__MAX_ELEMENTS];
    for (unsigned i = 0; i < c->lanes; i++)
        from[i] = c->first + i < end ? c->first + i + c->lanes - end : TSR__NO_ELEMENT;
    return tsr__pick_elements(s->l, s->b, before, NULL, from, c->lanes);
}

/* Without AVX-512 each run of scalars is a store: what AVX2 has for masks is slow on some CPUs. */
static void store_runs(struct tsr__widener *s, const struct tsr__access *a, LLVMValueRef p, const struct chunk *c, LLVMValueRef value)
{
    for (unsigned i = 0, count; i < c->lanes; i += count + 1) {
        struct tsr__access own;
        for (count = 0; i + count < c->lanes && c->lane[i + count] < s->width;)
            count++;
        if (count) {
            LLVMValueRef at = at_chunk(s, a, p, c->first + i, &own);
            tsr__masked_store(s, &own, tsr__take_lanes(s->l, s->b, value, NULL, i, count), at, NULL);
        }
    }
}

static void store_chunk(struct tsr__widener *s, const struct tsr__access *a, LLVMValueRef p, const struct chunk *c, LLVMValueRef value)
{
    struct tsr__access own;
    if (c->none)
        return;
    if (!s->mask && !c->all && !tsr__has(s->l, TSR_CPU_AVX512BW)) {
        store_runs(s, a, p, c, value);
        return;
    }
    LLVMValueRef at = at_chunk(s, a, p, c->first, &own);
    tsr__masked_store(s, &own, value, at, s->mask || !c->all ? chunk_mask(s, c) : NULL);
}

/* ---- accesses ---- */

static void interleaved_load(struct tsr__widener *s, const struct tsr__access *a, LLVMValueRef p, LLVMValueRef *components)
{
    unsigned lanes = lanes_at_once(s, a), turns = s->width / lanes;
    LLVMValueRef chunks[TSR__MAX_STRIDE], its[TSR__MAX_STRIDE], pieces[TSR__MAX_STRIDE][TSR__MAX_ELEMENTS];
    for (unsigned t = 0; t < turns; t++) {
        for (unsigned c = 0; c < a->step; c++) {
            struct chunk chunk = chunk_at(s, a, (t * a->step + c) * lanes, lanes);
            chunks[c] = load_chunk(s, a, p, &chunk);
        }
        deinterleave(s, chunks, a->step, lanes, its);
        for (unsigned m = 0; m < a->step; m++)
            pieces[m][t] = its[m];
    }
    for (unsigned m = 0; m < a->step; m++)
        if (a->members >> m & 1)
            components[m] = tsr__join_lanes(s->l, s->b, pieces[m], turns);
}

static void interleaved_store(struct tsr__widener *s, const struct tsr__access *a, LLVMValueRef p, LLVMValueRef *components)
{
    unsigned lanes = lanes_at_once(s, a), turns = s->width / lanes;
    LLVMValueRef chunks[TSR__MAX_STRIDE], its[TSR__MAX_STRIDE];
    for (unsigned t = 0; t < turns; t++) {
        for (unsigned m = 0; m < a->step; m++)
            its[m] = a->members >> m & 1 ? tsr__take_lanes(s->l, s->b, components[m], NULL, t * lanes, lanes)
                                         : LLVMGetPoison(LLVMVectorType(a->scalar, lanes));
        interleave(s, its, a->step, lanes, chunks);
        for (unsigned c = 0; c < a->step; c++) {
            struct chunk chunk = chunk_at(s, a, (t * a->step + c) * lanes, lanes);
            store_chunk(s, a, p, &chunk, chunks[c]);
        }
    }
}

static LLVMValueRef reverse_lanes(struct tsr__widener *s, LLVMValueRef v)
{
    unsigned from[TSR__MAX_ELEMENTS];
    for (unsigned i = 0; i < s->width; i++)
        from[i] = s->width - 1 - i;
    return tsr__pick_elements(s->l, s->b, v, NULL, from, s->width);
}

static LLVMValueRef last_lane_pointer(struct tsr__widener *s, const struct tsr__access *a, LLVMValueRef first)
{
    LLVMValueRef by = LLVMConstInt(LLVMInt64TypeInContext(s->l->context), (uint64_t)-(int64_t)((s->width - 1) * a->scalar_bytes), true);
    return tsr__plus_bytes(s->l, s->b, first, by);
}

void tsr__direct_load(struct tsr__widener *s, const struct tsr__access *a, LLVMValueRef p, LLVMValueRef *components)
{
    if (a->class == TSR__ACCESS_CONSECUTIVE) {
        components[0] = tsr__masked_load(s, a, tsr__vector_of(s, a->scalar), p, s->mask);
    } else if (a->class == TSR__ACCESS_REVERSED) {
        LLVMValueRef mask = s->mask ? reverse_lanes(s, s->mask) : NULL;
        components[0] = reverse_lanes(s, tsr__masked_load(s, a, tsr__vector_of(s, a->scalar), last_lane_pointer(s, a, p), mask));
    } else {
        interleaved_load(s, a, p, components);
    }
}

void tsr__direct_store(struct tsr__widener *s, const struct tsr__access *a, LLVMValueRef p, LLVMValueRef *components)
{
    if (a->class == TSR__ACCESS_CONSECUTIVE)
        tsr__masked_store(s, a, components[0], p, s->mask);
    else if (a->class == TSR__ACCESS_REVERSED)
        tsr__masked_store(s, a, reverse_lanes(s, components[0]), last_lane_pointer(s, a, p), s->mask ? reverse_lanes(s, s->mask) : NULL);
    else
        interleaved_store(s, a, p, components);
}
