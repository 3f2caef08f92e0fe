/* SPDX-License-Identifier: Apache-2.0
 * Records whose members lie side by side in memory, in registers: taken apart to vectors with one member of all of them, and put together.
 */
#ifndef TESSERA_LANES_IR_RECORD_NETWORK_H
#define TESSERA_LANES_IR_RECORD_NETWORK_H

#include "lanes/ir/ir.h"

enum { TSR__MOST_MEMBERS = 16 };

/* As many registers as a record has members, of consecutive records. */
struct tsr__record_network {
    struct tsr__compilation *l;
    LLVMBuilderRef b;
    unsigned members, member_bits; /* a power of two, and its log2 */
    unsigned row, row_bits;        /* elements of 16 bytes, a power of two, and its log2 */
    unsigned halves;               /* rows of a register, which are shuffled alike */
    unsigned exchanged;            /* bits of members' and lanes' numbers that change places */
};

/* False: there is none for `members` members of the type, in registers of `lanes` elements. */
bool tsr__make_record_network(struct tsr__record_network *n, struct tsr__compilation *l, LLVMBuilderRef b, LLVMTypeRef element,
                              unsigned members, unsigned lanes);
/* From registers in memory's order to those by member; and back. */
void tsr__take_records_apart(const struct tsr__record_network *n, LLVMValueRef *registers);
void tsr__put_records_together(const struct tsr__record_network *n, LLVMValueRef *registers);
/* The member that a shuffle takes out of all records; -1: it does something else. */
int tsr__taken_member(LLVMValueRef shuffle, unsigned members);

#endif
