; SPDX-License-Identifier: Apache-2.0
; Kernels whose loops end when other work-groups write to global memory are told apart from those that take locks, or work from a queue, that
; update by compare and exchange, that go through memory, or wait at local memory.
; RUN: tessera-opt -passes=group_waits -packets=16 -info %s | FileCheck %s
; RUN-SAME: tessera-opt -passes=group_waits -packets=16 %s | FileCheck %s --check-prefix=CODE
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"

; CODE: define spir_kernel void @by_or(

; CHECK-LABEL: kernel by_or
; CHECK-NEXT: flags {{.*}}WAITS_FOR_GROUPS
define spir_kernel void @by_or(ptr addrspace(1) %p, i32 %n) {
entry:
  br label %round
round:
  %v = atomicrmw or ptr addrspace(1) %p, i32 0 seq_cst
  %less = icmp ult i32 %v, %n
  br i1 %less, label %round, label %exit
exit:
  ret void
}

; CHECK-LABEL: kernel by_volatile_variable
; CHECK-NEXT: flags {{.*}}WAITS_FOR_GROUPS
define spir_kernel void @by_volatile_variable(ptr addrspace(1) %p, i32 %n) {
entry:
  %at = alloca ptr addrspace(1)
  %seen = alloca i32
  store ptr addrspace(1) %p, ptr %at
  store i32 0, ptr %seen
  br label %round
round:
  %s = load i32, ptr %seen
  %less = icmp ult i32 %s, %n
  br i1 %less, label %body, label %exit
body:
  %q = load ptr addrspace(1), ptr %at
  %v = load volatile i32, ptr addrspace(1) %q
  store i32 %v, ptr %seen
  br label %round
exit:
  ret void
}

; CHECK-LABEL: kernel lock
; CHECK-NOT: WAITS_FOR_GROUPS
define spir_kernel void @lock(ptr addrspace(1) %p) {
entry:
  br label %round
round:
  %v = atomicrmw xchg ptr addrspace(1) %p, i32 1 seq_cst
  %taken = icmp eq i32 %v, 1
  br i1 %taken, label %round, label %again
again:
  %pair = cmpxchg ptr addrspace(1) %p, i32 0, i32 1 seq_cst seq_cst
  %done = extractvalue { i32, i1 } %pair, 1
  br i1 %done, label %exit, label %again
exit:
  ret void
}

; CHECK-LABEL: kernel queue
; CHECK-NOT: WAITS_FOR_GROUPS
define spir_kernel void @queue(ptr addrspace(1) %p, i32 %n) {
entry:
  br label %round
round:
  %v = atomicrmw add ptr addrspace(1) %p, i32 1 seq_cst
  %less = icmp ult i32 %v, %n
  br i1 %less, label %round, label %exit
exit:
  ret void
}

; CHECK-LABEL: kernel compare_exchange
; CHECK-NOT: WAITS_FOR_GROUPS
define spir_kernel void @compare_exchange(ptr addrspace(1) %p) {
entry:
  br label %round
round:
  %v = load volatile i32, ptr addrspace(1) %p
  %w = add i32 %v, 1
  %pair = cmpxchg ptr addrspace(1) %p, i32 %v, i32 %w seq_cst seq_cst
  %found = extractvalue { i32, i1 } %pair, 0
  %done = icmp eq i32 %found, %v
  br i1 %done, label %exit, label %round
exit:
  ret void
}

; CHECK-LABEL: kernel list
; CHECK-NOT: WAITS_FOR_GROUPS
define spir_kernel void @list(ptr addrspace(1) %p) {
entry:
  br label %round
round:
  %at = phi i64 [ 0, %entry ], [ %next, %round ]
  %q = getelementptr i64, ptr addrspace(1) %p, i64 %at
  %next = load volatile i64, ptr addrspace(1) %q
  %more = icmp ne i64 %next, 0
  br i1 %more, label %round, label %exit
exit:
  ret void
}

; CHECK-LABEL: kernel local_memory
; CHECK-NOT: WAITS_FOR_GROUPS
define spir_kernel void @local_memory(ptr addrspace(3) %p) {
entry:
  br label %round
round:
  %v = load volatile i32, ptr addrspace(3) %p
  %more = icmp ne i32 %v, 0
  br i1 %more, label %round, label %exit
exit:
  ret void
}
