/* SPDX-License-Identifier: Apache-2.0
 * Goes from one stack to another: what a call preserves is saved on the old stack and taken from the new one.
 *
 * A suspended stack, from its stack pointer up: r15, r14, r13, r12, rbx, rbp, return address. The unwinding information holds before and
 * after the exchange of the stack pointer, so that a debugger can walk any suspended work-item. MXCSR and the x87 control word stay: all
 * stacks of a worker run with the same ones, no kernel changes them, and to save and load them would be most of the time. */
    .text

/* void tsr__switch(void **save, void *to) */
    .globl tsr__switch
    .hidden tsr__switch
    .type tsr__switch, @function
    .p2align 4
tsr__switch:
    .cfi_startproc
    pushq %rbp
    .cfi_adjust_cfa_offset 8
    .cfi_rel_offset %rbp, 0
    pushq %rbx
    .cfi_adjust_cfa_offset 8
    .cfi_rel_offset %rbx, 0
    pushq %r12
    .cfi_adjust_cfa_offset 8
    .cfi_rel_offset %r12, 0
    pushq %r13
    .cfi_adjust_cfa_offset 8
    .cfi_rel_offset %r13, 0
    pushq %r14
    .cfi_adjust_cfa_offset 8
    .cfi_rel_offset %r14, 0
    pushq %r15
    .cfi_adjust_cfa_offset 8
    .cfi_rel_offset %r15, 0
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    popq %r15
    .cfi_adjust_cfa_offset -8
    .cfi_restore %r15
    popq %r14
    .cfi_adjust_cfa_offset -8
    .cfi_restore %r14
    popq %r13
    .cfi_adjust_cfa_offset -8
    .cfi_restore %r13
    popq %r12
    .cfi_adjust_cfa_offset -8
    .cfi_restore %r12
    popq %rbx
    .cfi_adjust_cfa_offset -8
    .cfi_restore %rbx
    popq %rbp
    .cfi_adjust_cfa_offset -8
    .cfi_restore %rbp
    ret
    .cfi_endproc
    .size tsr__switch, . - tsr__switch

/* Where a new stack begins: r12 holds the argument, r13 the function, which does not return. */
    .globl tsr__fiber_entry
    .hidden tsr__fiber_entry
    .type tsr__fiber_entry, @function
    .p2align 4
tsr__fiber_entry:
    .cfi_startproc
    .cfi_undefined %rip
    movq %r12, %rdi
    callq *%r13
    ud2
    .cfi_endproc
    .size tsr__fiber_entry, . - tsr__fiber_entry

    .section .note.GNU-stack, "", @progbits
