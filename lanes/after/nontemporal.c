/* SPDX-License-Identifier: Apache-2.0
 * Non-temporal stores.
 *
 * A non-temporal store writes a whole cache line without reading it first, and evicts no other line. The next reader must get the line
 * from memory. So such stores pay when the line would have left the caches by then; the launch decides (device-amx/nontemporal.c).
 *
 * x86 orders non-temporal stores with other CPUs' accesses by fences only. The device has one fence at the end of a thread's part of a
 * launch. So kernels that communicate while they run (atomics, fences, volatile accesses) have no non-temporal stores. */
#include <string.h>

#include "lanes/ir/mad_op.h"
#include "lanes/after/nontemporal.h"
#include "lanes/ir/ir.h"
#include "tessera/item.h"

enum { MOST_TOGETHER = 16 };

static unsigned metadata_kind(struct tsr__compilation *l)
{
    return LLVMGetMDKindIDInContext(l->context, "nontemporal", strlen("nontemporal"));
}

static uint64_t store_bytes(struct tsr__compilation *l, LLVMValueRef v)
{
    return LLVMABISizeOfType(LLVMGetModuleDataLayout(l->module), LLVMTypeOf(v));
}

void tsr__mark_nontemporal(struct tsr__compilation *l, LLVMValueRef store, int argument)
{
    LLVMMetadataRef node[2] = {LLVMValueAsMetadata(tsr__i32(l, 1)), LLVMValueAsMetadata(tsr__i32(l, (uint32_t)argument))};
    LLVMSetMetadata(store, metadata_kind(l), LLVMMetadataAsValue(l->context, LLVMMDNodeInContext2(l->context, node, 2)));
}

int tsr__nontemporal_argument(struct tsr__compilation *l, LLVMValueRef store)
{
    LLVMValueRef node = LLVMIsAStoreInst(store) ? LLVMGetMetadata(store, metadata_kind(l)) : NULL, operands[2];
    if (!node || LLVMGetMDNodeNumOperands(node) != 2)
        return -1;
    LLVMGetMDNodeOperands(node, operands);
    return (int)LLVMConstIntGetZExtValue(operands[1]);
}

/* ---- code ---- */

LLVMValueRef tsr__nontemporal_flag(struct tsr__compilation *l, LLVMBuilderRef b, LLVMValueRef item, int argument)
{
    LLVMTypeRef i64 = LLVMInt64TypeInContext(l->context);
    LLVMValueRef group = tsr__load_fixed(l, b, tsr__ptr(l), item, offsetof(struct tsr_item, group), 8);
    LLVMValueRef streams = tsr__load_fixed(l, b, i64, group, offsetof(struct tsr_group, nontemporal), 8);
    LLVMValueRef bit = LLVMBuildAnd(b, streams, tsr__i64(l, UINT64_C(1) << argument), "");
    return LLVMBuildICmp(b, LLVMIntNE, bit, tsr__i64(l, 0), "");
}

void tsr__nontemporal_store(struct tsr__compilation *l, LLVMBuilderRef b, LLVMValueRef value, LLVMValueRef to, unsigned align)
{
    LLVMValueRef made = LLVMBuildStore(b, value, to);
    LLVMMetadataRef one = LLVMValueAsMetadata(tsr__i32(l, 1));
    LLVMSetAlignment(made, align);
    LLVMSetMetadata(made, metadata_kind(l), LLVMMetadataAsValue(l->context, LLVMMDNodeInContext2(l->context, &one, 1)));
}

struct stream {
    struct tsr__compilation *l;
    LLVMValueRef function;
    LLVMBuilderRef b, entry;
    LLVMValueRef flags[TSR_SIZED_ARGUMENTS]; /* what the launch says, known at the function's start */
    LLVMValueRef run[MOST_TOGETHER];         /* stores with nothing between them that touches memory */
    unsigned count;
};

static unsigned align_for(struct stream *x, LLVMValueRef store)
{
    uint64_t most = tsr__has(x->l, TSR_CPU_AVX512F) ? 64 : tsr__has(x->l, TSR_CPU_AVX2) ? 32 : 16;
    uint64_t bytes = store_bytes(x->l, LLVMGetOperand(store, 0));
    return (unsigned)(bytes < most ? bytes : most);
}

static LLVMBasicBlockRef new_block(struct stream *x, LLVMBasicBlockRef before)
{
    return LLVMInsertBasicBlockInContext(x->l->context, before, "");
}

/* All up to the last store goes to a block in front, the stores excepted, which go to `plain`. */
static LLVMBasicBlockRef split_before_stores(struct stream *x, LLVMBasicBlockRef block, LLVMBasicBlockRef plain)
{
    LLVMBasicBlockRef head = new_block(x, block);
    for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(x->function); bb; bb = LLVMGetNextBasicBlock(bb)) {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(bb);
        for (unsigned i = 0; end && i < LLVMGetNumSuccessors(end); i++)
            if (LLVMGetSuccessor(end, i) == block)
                LLVMSetSuccessor(end, i, head);
    }
    unsigned next = 0;
    for (LLVMValueRef i; next < x->count;) {
        i = LLVMGetFirstInstruction(block);
        bool ours = i == x->run[next];
        LLVMInstructionRemoveFromParent(i);
        LLVMPositionBuilderAtEnd(x->b, ours ? plain : head);
        LLVMInsertIntoBuilder(x->b, i);
        next += ours;
    }
    return head;
}

/* The address without what keeps its alignment. */
static LLVMValueRef root_of(struct stream *x, LLVMValueRef address, unsigned align)
{
    while (LLVMIsAGetElementPtrInst(address) && LLVMGetNumOperands(address) == 2 && LLVMIsAConstantInt(LLVMGetOperand(address, 1))) {
        uint64_t unit = LLVMABISizeOfType(LLVMGetModuleDataLayout(x->l->module), LLVMGetGEPSourceElementType(address));
        if (unit * LLVMConstIntGetZExtValue(LLVMGetOperand(address, 1)) % align)
            break;
        address = LLVMGetOperand(address, 0);
    }
    return address;
}

/* At the builder: are all addresses multiples of what the CPU asks for? NULL: they surely are. */
static LLVMValueRef are_aligned(struct stream *x)
{
    LLVMTypeRef i64 = LLVMInt64TypeInContext(x->l->context);
    LLVMValueRef roots[MOST_TOGETHER], all = NULL;
    unsigned count = 0, most = 1;
    for (unsigned i = 0; i < x->count; i++) {
        unsigned align = align_for(x, x->run[i]), k = 0;
        most = align > most ? align : most;
        if (LLVMGetAlignment(x->run[i]) >= align)
            continue;
        LLVMValueRef root = root_of(x, LLVMGetOperand(x->run[i], 1), align);
        while (k < count && roots[k] != root)
            k++;
        if (k < count)
            continue;
        roots[count++] = root;
        LLVMValueRef number = LLVMBuildPtrToInt(x->b, root, i64, "");
        all = all ? LLVMBuildOr(x->b, all, number, "") : number;
    }
    return all ? LLVMBuildICmp(x->b, LLVMIntEQ, LLVMBuildAnd(x->b, all, tsr__i64(x->l, most - 1), ""), tsr__i64(x->l, 0), "") : NULL;
}

/* Makes the stores of the run, which ends in `block`, in both ways. */
static void emit_both_versions(struct stream *x, LLVMBasicBlockRef block, int argument)
{
    LLVMBasicBlockRef past = new_block(x, block), plain = new_block(x, block), head = split_before_stores(x, block, plain);
    LLVMMoveBasicBlockBefore(head, past);
    LLVMPositionBuilderAtEnd(x->b, head);
    LLVMValueRef *flag = &x->flags[argument];
    if (!*flag)
        *flag = tsr__nontemporal_flag(x->l, x->entry, LLVMGetParam(x->function, 0), argument);
    LLVMBasicBlockRef asks = new_block(x, past);
    LLVMBuildCondBr(x->b, *flag, asks, plain);
    LLVMPositionBuilderAtEnd(x->b, asks);
    LLVMValueRef aligned = are_aligned(x);
    if (aligned)
        LLVMBuildCondBr(x->b, aligned, past, plain);
    else
        LLVMBuildBr(x->b, past);
    LLVMPositionBuilderAtEnd(x->b, past);
    for (unsigned i = 0; i < x->count; i++)
        tsr__nontemporal_store(x->l, x->b, LLVMGetOperand(x->run[i], 0), LLVMGetOperand(x->run[i], 1), align_for(x, x->run[i]));
    LLVMBuildBr(x->b, block);
    LLVMPositionBuilderAtEnd(x->b, plain);
    for (unsigned i = 0; i < x->count; i++)
        LLVMSetMetadata(x->run[i], metadata_kind(x->l), NULL);
    LLVMBuildBr(x->b, block);
}

static bool accesses_memory(LLVMValueRef inst)
{
    return LLVMIsAStoreInst(inst) || LLVMIsALoadInst(inst) || LLVMIsACallInst(inst);
}

/* The next run of the block: stores to one argument. Its number, or -1: there is none. */
static int find_run(struct stream *x, LLVMBasicBlockRef block)
{
    int argument = -1;
    x->count = 0;
    for (LLVMValueRef i = LLVMGetFirstInstruction(block); i && x->count < MOST_TOGETHER; i = LLVMGetNextInstruction(i)) {
        int its = tsr__nontemporal_argument(x->l, i);
        if (x->count && (its >= 0 ? its != argument : accesses_memory(i)))
            break;
        if (its < 0)
            continue;
        argument = its;
        x->run[x->count++] = i;
    }
    return argument;
}

/* Bytes that a packet writes so. */
static void version_stores(struct tsr__compilation *l, LLVMValueRef function, uint64_t bytes[TSR_SIZED_ARGUMENTS])
{
    struct stream x = {.l = l, .function = function, .b = LLVMCreateBuilderInContext(l->context)};
    x.entry = tsr__builder_at_entry(l, function);
    for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(function), next; bb; bb = next) {
        next = LLVMGetNextBasicBlock(bb);
        for (int argument; (argument = find_run(&x, bb)) >= 0;) {
            for (unsigned i = 0; i < x.count; i++)
                bytes[argument] += store_bytes(l, LLVMGetOperand(x.run[i], 0));
            emit_both_versions(&x, bb, argument);
        }
    }
    LLVMDisposeBuilder(x.entry);
    LLVMDisposeBuilder(x.b);
}

/* What was not inlined into an entry does not see the flags. */
static void drop_marks(struct tsr__compilation *l, LLVMValueRef function)
{
    size_t n;
    LLVMValueRef *code = tsr__instructions(l, function, &n);
    for (size_t i = 0; i < n; i++)
        if (tsr__nontemporal_argument(l, code[i]) >= 0)
            LLVMSetMetadata(code[i], metadata_kind(l), NULL);
}

bool tsr__pass_nontemporal(struct tsr__compilation *l)
{
    for (uint32_t k = 0; k < l->info->kernel_count; k++) {
        struct tsr_kernel_info *kernel = &l->info->kernels[k];
        uint64_t bytes[TSR_SIZED_ARGUMENTS] = {0};
        uint32_t lanes = tsr_packet_width(kernel);
        LLVMValueRef entry = tsr__entry(l, kernel);
        if (!entry)
            return false;
        if (l->options->bodies != TSR_BODIES_PARTIAL) /* that entry does not see the flags either */
            version_stores(l, entry, bytes);
        kernel->flags &= ~(uint32_t)TSR_KERNEL_NONTEMPORAL;
        for (uint32_t i = 0; i < kernel->arg_count; i++) {
            kernel->args[i].nontemporal_bytes = i < TSR_SIZED_ARGUMENTS && lanes ? (uint32_t)(bytes[i] / lanes) : 0;
            kernel->flags |= kernel->args[i].nontemporal_bytes ? TSR_KERNEL_NONTEMPORAL : 0;
        }
    }
    size_t count;
    LLVMValueRef *functions = tsr__defined_functions(l, &count);
    for (size_t i = 0; i < count; i++)
        drop_marks(l, functions[i]);
    return true;
}
