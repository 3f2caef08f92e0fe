/* SPDX-License-Identifier: Apache-2.0
 * A network of shuffles of two registers, each of which interleaves halves of two rows of 16 bytes: an instruction of any CPU.
 *
 * The number of an element is the number of its lane, and below that the one of its member. Its lower bits say where the element lies in a
 * row, the others in which row. To interleave all pairs of rows whose numbers differ in one bit rotates the bits within a row to the left:
 * the uppermost one becomes a bit of the row's number, and that one the lowest. So a few of these rounds exchange the lower bits of members
 * for those of lanes, and back; where a record has more bits than a row, the others stay as they are. */
#include "lanes/ir/record_network.h"
#include "lanes/ir/shuffles.h"

enum { ROW_BYTES = 16, MOST_ROW_BITS = 4, OF_MEMBER = 16 /* and above: a bit of the member's number, below: of the lane's */ };

bool tsr__make_record_network(struct tsr__record_network *n, struct tsr__compilation *l, LLVMBuilderRef b, LLVMTypeRef element,
                              unsigned members, unsigned lanes)
{
    unsigned bits = (unsigned)LLVMSizeOfTypeInBits(LLVMGetModuleDataLayout(l->module), element);
    if (members < 2 || members > TSR__MOST_MEMBERS || (members & (members - 1)) || bits < 8 || bits > 64 || (bits & (bits - 1)))
        return false;
    *n = (struct tsr__record_network){.l = l, .b = b, .members = members, .row = 8 * ROW_BYTES / bits};
    n->member_bits = (unsigned)__builtin_ctz(members);
    n->row_bits = (unsigned)__builtin_ctz(n->row);
    n->halves = lanes / n->row;
    n->exchanged = n->member_bits < n->row_bits ? n->member_bits : n->row_bits;
    return lanes == n->row || lanes == 2 * n->row;
}

/* ---- shuffles ---- */

static LLVMValueRef shuffle(const struct tsr__record_network *n, LLVMValueRef x, LLVMValueRef y, const unsigned *from)
{
    return tsr__pick_elements(n->l, n->b, x, y, from, n->halves * n->row);
}

/* The lower, or upper, halves of the rows of two registers, one element from each in turn. */
static LLVMValueRef interleaved(const struct tsr__record_network *n, LLVMValueRef x, LLVMValueRef y, bool upper)
{
    unsigned from[2 * ROW_BYTES], all = n->halves * n->row;
    for (unsigned i = 0; i < all; i++)
        from[i] = i / n->row * n->row + (upper ? n->row / 2 : 0) + i % n->row / 2 + i % 2 * all;
    return shuffle(n, x, y, from);
}

/* All pairs of registers whose numbers differ in one of the bits that are exchanged. */
static void interleave_pairs(const struct tsr__record_network *n, LLVMValueRef *registers, unsigned bit)
{
    unsigned apart = 1U << (n->member_bits - n->exchanged + bit);
    for (unsigned i = 0; i < n->members; i++)
        if (!(i & apart)) {
            LLVMValueRef x = registers[i], y = registers[i | apart];
            registers[i] = interleaved(n, x, y, false);
            registers[i | apart] = interleaved(n, x, y, true);
        }
}

/* Two rows that follow each other in memory are one register there, and the same half of two registers in the network. */
static void exchange_halves(const struct tsr__record_network *n, LLVMValueRef *registers, bool to_memory)
{
    LLVMValueRef old[TSR__MOST_MEMBERS];
    unsigned from[2 * ROW_BYTES], pairs = n->members / 2;
    for (unsigned i = 0; i < n->members; i++)
        old[i] = registers[i];
    for (unsigned half = 0; half < 2; half++) {
        for (unsigned i = 0; i < 2 * n->row; i++)
            from[i] = i % n->row + i / n->row * 2 * n->row + half * n->row;
        for (unsigned i = 0; i < pairs; i++) {
            unsigned x = to_memory ? 2 * i : i, y = to_memory ? 2 * i + 1 : i + pairs;
            registers[to_memory ? half * pairs + i : 2 * i + half] = shuffle(n, old[x], old[y], from);
        }
    }
}

/* ---- networks ---- */

/* Registers by the member that they hold: `held` says which bit of its number each exchanged bit of a register's number is now. */
static void sort_by_member(const struct tsr__record_network *n, const unsigned *held, LLVMValueRef *registers)
{
    LLVMValueRef old[TSR__MOST_MEMBERS];
    unsigned kept = n->member_bits - n->exchanged;
    for (unsigned i = 0; i < n->members; i++)
        old[i] = registers[i];
    for (unsigned i = 0; i < n->members; i++) {
        unsigned member = (i & ((1U << kept) - 1)) << n->exchanged;
        for (unsigned bit = 0; bit < n->exchanged; bit++)
            member |= (i >> (kept + bit) & 1) << (held[bit] - OF_MEMBER);
        registers[member] = old[i];
    }
}

void tsr__take_records_apart(const struct tsr__record_network *n, LLVMValueRef *registers)
{
    unsigned held[MOST_ROW_BITS], in_row[MOST_ROW_BITS], of_lanes = n->row_bits - n->exchanged;
    for (unsigned i = 0; i < n->exchanged; i++) {
        held[i] = of_lanes + i;
        in_row[i] = OF_MEMBER + i;
    }
    for (unsigned i = 0; i < of_lanes; i++)
        in_row[n->exchanged + i] = i;
    if (n->halves == 2)
        exchange_halves(n, registers, false);
    for (unsigned next = n->row_bits; next-- > 0;) { /* the bit of the lane's number that becomes the lowest */
        unsigned bit = 0;
        while (held[bit] != next)
            bit++;
        interleave_pairs(n, registers, bit);
        held[bit] = in_row[n->row_bits - 1];
        for (unsigned i = n->row_bits; i-- > 1;)
            in_row[i] = in_row[i - 1];
        in_row[0] = next;
    }
    sort_by_member(n, held, registers);
}

void tsr__put_records_together(const struct tsr__record_network *n, LLVMValueRef *registers)
{
    LLVMValueRef old[TSR__MOST_MEMBERS];
    unsigned kept = n->member_bits - n->exchanged;
    for (unsigned i = 0; i < n->members; i++)
        old[i] = registers[i];
    for (unsigned i = 0; i < n->members; i++)
        registers[i >> n->exchanged | (i & ((1U << n->exchanged) - 1)) << kept] = old[i];
    for (unsigned bit = n->exchanged; bit-- > 0;)
        interleave_pairs(n, registers, bit);
    if (n->halves == 2)
        exchange_halves(n, registers, true);
}

int tsr__taken_member(LLVMValueRef shuffle, unsigned members)
{
    int member = -1;
    for (unsigned i = 0; i < LLVMGetNumMaskElements(shuffle); i++) {
        unsigned from = tsr__shuffle_number(shuffle, i), its = from - i * members;
        if (from == TSR__NO_ELEMENT)
            continue;
        if (from < i * members || its >= members || (member >= 0 && its != (unsigned)member))
            return -1;
        member = (int)its;
    }
    return member;
}
