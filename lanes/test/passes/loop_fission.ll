; SPDX-License-Identifier: Apache-2.0
; Five sums of sixteen numbers take twenty of SSE2's sixteen registers: the loop becomes two, unless that makes too much twice or the
; sums need each other. AVX-512 has registers enough.
; RUN: tessera-opt -packets=16 -cpu=sse2 -passes=loop_fission %s | FileCheck %s
; RUN-SAME: tessera-opt -packets=16 -cpu=avx512 -passes=loop_fission %s | FileCheck %s --check-prefix=AVX512
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"

; CHECK-LABEL: define void @sums(
; CHECK-COUNT-2: br i1
; CHECK-NOT: br i1
; CHECK: ret void
; AVX512-LABEL: define void @sums(
; AVX512-COUNT-1: br i1
; AVX512-NOT: br i1
; AVX512: ret void
define void @sums(<16 x float> %x, ptr addrspace(3) %near, ptr addrspace(1) %far, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %j, %loop ]
  %a = phi <16 x float> [ %x, %entry ], [ %a1, %loop ]
  %b = phi <16 x float> [ %x, %entry ], [ %b1, %loop ]
  %c = phi <16 x float> [ %x, %entry ], [ %c1, %loop ]
  %d = phi <16 x float> [ %x, %entry ], [ %d1, %loop ]
  %e = phi <16 x float> [ %x, %entry ], [ %e1, %loop ]
  %j = add i32 %i, 1
  %a1 = fadd <16 x float> %a, %x
  %b1 = fadd <16 x float> %b, %x
  %c1 = fadd <16 x float> %c, %x
  %d1 = fadd <16 x float> %d, %x
  %e1 = fadd <16 x float> %e, %x
  %go = icmp slt i32 %j, %n
  br i1 %go, label %loop, label %out
out:
  store <16 x float> %a1, ptr addrspace(1) %far
  store <16 x float> %b1, ptr addrspace(1) %far
  store <16 x float> %c1, ptr addrspace(1) %far
  store <16 x float> %d1, ptr addrspace(1) %far
  store <16 x float> %e1, ptr addrspace(1) %far
  ret void
}
; CHECK-LABEL: define void @one_chain(
; CHECK-COUNT-1: br i1
; CHECK-NOT: br i1
; CHECK: ret void
; AVX512-LABEL: define void @one_chain(
; AVX512-COUNT-1: br i1
; AVX512-NOT: br i1
; AVX512: ret void
define void @one_chain(<16 x float> %x, ptr addrspace(3) %near, ptr addrspace(1) %far, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %j, %loop ]
  %a = phi <16 x float> [ %x, %entry ], [ %a1, %loop ]
  %b = phi <16 x float> [ %x, %entry ], [ %b1, %loop ]
  %c = phi <16 x float> [ %x, %entry ], [ %c1, %loop ]
  %d = phi <16 x float> [ %x, %entry ], [ %d1, %loop ]
  %e = phi <16 x float> [ %x, %entry ], [ %e1, %loop ]
  %j = add i32 %i, 1
  %a1 = fadd <16 x float> %a, %e
  %b1 = fadd <16 x float> %b, %a
  %c1 = fadd <16 x float> %c, %b
  %d1 = fadd <16 x float> %d, %c
  %e1 = fadd <16 x float> %e, %d
  %go = icmp slt i32 %j, %n
  br i1 %go, label %loop, label %out
out:
  store <16 x float> %a1, ptr addrspace(1) %far
  store <16 x float> %b1, ptr addrspace(1) %far
  store <16 x float> %c1, ptr addrspace(1) %far
  store <16 x float> %d1, ptr addrspace(1) %far
  store <16 x float> %e1, ptr addrspace(1) %far
  ret void
}
; CHECK-LABEL: define void @two_chains(
; CHECK-COUNT-2: br i1
; CHECK-NOT: br i1
; CHECK: ret void
; AVX512-LABEL: define void @two_chains(
; AVX512-COUNT-1: br i1
; AVX512-NOT: br i1
; AVX512: ret void
define void @two_chains(<16 x float> %x, ptr addrspace(3) %near, ptr addrspace(1) %far, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %j, %loop ]
  %a = phi <16 x float> [ %x, %entry ], [ %a1, %loop ]
  %b = phi <16 x float> [ %x, %entry ], [ %b1, %loop ]
  %c = phi <16 x float> [ %x, %entry ], [ %c1, %loop ]
  %d = phi <16 x float> [ %x, %entry ], [ %d1, %loop ]
  %e = phi <16 x float> [ %x, %entry ], [ %e1, %loop ]
  %j = add i32 %i, 1
  %a1 = fadd <16 x float> %a, %e
  %b1 = fadd <16 x float> %b, %a
  %c1 = fadd <16 x float> %c, %x
  %d1 = fadd <16 x float> %d, %c
  %e1 = fadd <16 x float> %e, %b
  %go = icmp slt i32 %j, %n
  br i1 %go, label %loop, label %out
out:
  store <16 x float> %a1, ptr addrspace(1) %far
  store <16 x float> %b1, ptr addrspace(1) %far
  store <16 x float> %c1, ptr addrspace(1) %far
  store <16 x float> %d1, ptr addrspace(1) %far
  store <16 x float> %e1, ptr addrspace(1) %far
  ret void
}
; CHECK-LABEL: define void @made_of_two(
; CHECK-COUNT-2: br i1
; CHECK-NOT: br i1
; CHECK: ret void
; AVX512-LABEL: define void @made_of_two(
; AVX512-COUNT-1: br i1
; AVX512-NOT: br i1
; AVX512: ret void
define void @made_of_two(<16 x float> %x, ptr addrspace(3) %near, ptr addrspace(1) %far, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %j, %loop ]
  %a = phi <16 x float> [ %x, %entry ], [ %a1, %loop ]
  %b = phi <16 x float> [ %x, %entry ], [ %b1, %loop ]
  %c = phi <16 x float> [ %x, %entry ], [ %c1, %loop ]
  %d = phi <16 x float> [ %x, %entry ], [ %d1, %loop ]
  %e = phi <16 x float> [ %x, %entry ], [ %e1, %loop ]
  %j = add i32 %i, 1
  %a1 = fadd <16 x float> %a, %x
  %b1 = fadd <16 x float> %b, %x
  %c1 = fadd <16 x float> %c, %x
  %d1 = fadd <16 x float> %d, %x
  %e1 = fadd <16 x float> %e, %x
  %g1 = fadd <16 x float> %a1, %e1
  %go = icmp slt i32 %j, %n
  br i1 %go, label %loop, label %out
out:
  store <16 x float> %g1, ptr addrspace(1) %far
  store <16 x float> %a1, ptr addrspace(1) %far
  store <16 x float> %b1, ptr addrspace(1) %far
  store <16 x float> %c1, ptr addrspace(1) %far
  store <16 x float> %d1, ptr addrspace(1) %far
  store <16 x float> %e1, ptr addrspace(1) %far
  ret void
}
; CHECK-LABEL: define void @near_memory(
; CHECK-COUNT-2: br i1
; CHECK-NOT: br i1
; CHECK: ret void
; AVX512-LABEL: define void @near_memory(
; AVX512-COUNT-1: br i1
; AVX512-NOT: br i1
; AVX512: ret void
define void @near_memory(<16 x float> %x, ptr addrspace(3) %near, ptr addrspace(1) %far, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %j, %loop ]
  %a = phi <16 x float> [ %x, %entry ], [ %a1, %loop ]
  %b = phi <16 x float> [ %x, %entry ], [ %b1, %loop ]
  %c = phi <16 x float> [ %x, %entry ], [ %c1, %loop ]
  %d = phi <16 x float> [ %x, %entry ], [ %d1, %loop ]
  %e = phi <16 x float> [ %x, %entry ], [ %e1, %loop ]
  %j = add i32 %i, 1
  %v = load <16 x float>, ptr addrspace(3) %near
  %a1 = fadd <16 x float> %a, %v
  %b1 = fadd <16 x float> %b, %v
  %c1 = fadd <16 x float> %c, %v
  %d1 = fadd <16 x float> %d, %v
  %e1 = fadd <16 x float> %e, %v
  %go = icmp slt i32 %j, %n
  br i1 %go, label %loop, label %out
out:
  store <16 x float> %a1, ptr addrspace(1) %far
  store <16 x float> %b1, ptr addrspace(1) %far
  store <16 x float> %c1, ptr addrspace(1) %far
  store <16 x float> %d1, ptr addrspace(1) %far
  store <16 x float> %e1, ptr addrspace(1) %far
  ret void
}
; CHECK-LABEL: define void @far_memory(
; CHECK-COUNT-1: br i1
; CHECK-NOT: br i1
; CHECK: ret void
; AVX512-LABEL: define void @far_memory(
; AVX512-COUNT-1: br i1
; AVX512-NOT: br i1
; AVX512: ret void
define void @far_memory(<16 x float> %x, ptr addrspace(3) %near, ptr addrspace(1) %far, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %j, %loop ]
  %a = phi <16 x float> [ %x, %entry ], [ %a1, %loop ]
  %b = phi <16 x float> [ %x, %entry ], [ %b1, %loop ]
  %c = phi <16 x float> [ %x, %entry ], [ %c1, %loop ]
  %d = phi <16 x float> [ %x, %entry ], [ %d1, %loop ]
  %e = phi <16 x float> [ %x, %entry ], [ %e1, %loop ]
  %j = add i32 %i, 1
  %v = load <16 x float>, ptr addrspace(1) %far
  %a1 = fadd <16 x float> %a, %v
  %b1 = fadd <16 x float> %b, %v
  %c1 = fadd <16 x float> %c, %v
  %d1 = fadd <16 x float> %d, %v
  %e1 = fadd <16 x float> %e, %v
  %go = icmp slt i32 %j, %n
  br i1 %go, label %loop, label %out
out:
  store <16 x float> %a1, ptr addrspace(1) %far
  store <16 x float> %b1, ptr addrspace(1) %far
  store <16 x float> %c1, ptr addrspace(1) %far
  store <16 x float> %d1, ptr addrspace(1) %far
  store <16 x float> %e1, ptr addrspace(1) %far
  ret void
}
; CHECK-LABEL: define void @volatile(
; CHECK-COUNT-1: br i1
; CHECK-NOT: br i1
; CHECK: ret void
; AVX512-LABEL: define void @volatile(
; AVX512-COUNT-1: br i1
; AVX512-NOT: br i1
; AVX512: ret void
define void @volatile(<16 x float> %x, ptr addrspace(3) %near, ptr addrspace(1) %far, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %j, %loop ]
  %a = phi <16 x float> [ %x, %entry ], [ %a1, %loop ]
  %b = phi <16 x float> [ %x, %entry ], [ %b1, %loop ]
  %c = phi <16 x float> [ %x, %entry ], [ %c1, %loop ]
  %d = phi <16 x float> [ %x, %entry ], [ %d1, %loop ]
  %e = phi <16 x float> [ %x, %entry ], [ %e1, %loop ]
  %j = add i32 %i, 1
  %v = load volatile <16 x float>, ptr addrspace(3) %near
  %a1 = fadd <16 x float> %a, %v
  %b1 = fadd <16 x float> %b, %v
  %c1 = fadd <16 x float> %c, %v
  %d1 = fadd <16 x float> %d, %v
  %e1 = fadd <16 x float> %e, %v
  %go = icmp slt i32 %j, %n
  br i1 %go, label %loop, label %out
out:
  store <16 x float> %a1, ptr addrspace(1) %far
  store <16 x float> %b1, ptr addrspace(1) %far
  store <16 x float> %c1, ptr addrspace(1) %far
  store <16 x float> %d1, ptr addrspace(1) %far
  store <16 x float> %e1, ptr addrspace(1) %far
  ret void
}
; CHECK-LABEL: define void @stores(
; CHECK-COUNT-1: br i1
; CHECK-NOT: br i1
; CHECK: ret void
; AVX512-LABEL: define void @stores(
; AVX512-COUNT-1: br i1
; AVX512-NOT: br i1
; AVX512: ret void
define void @stores(<16 x float> %x, ptr addrspace(3) %near, ptr addrspace(1) %far, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %j, %loop ]
  %a = phi <16 x float> [ %x, %entry ], [ %a1, %loop ]
  %b = phi <16 x float> [ %x, %entry ], [ %b1, %loop ]
  %c = phi <16 x float> [ %x, %entry ], [ %c1, %loop ]
  %d = phi <16 x float> [ %x, %entry ], [ %d1, %loop ]
  %e = phi <16 x float> [ %x, %entry ], [ %e1, %loop ]
  %j = add i32 %i, 1
  %a1 = fadd <16 x float> %a, %x
  %b1 = fadd <16 x float> %b, %x
  %c1 = fadd <16 x float> %c, %x
  %d1 = fadd <16 x float> %d, %x
  %e1 = fadd <16 x float> %e, %x
  store <16 x float> %a, ptr addrspace(3) %near
  %go = icmp slt i32 %j, %n
  br i1 %go, label %loop, label %out
out:
  store <16 x float> %a1, ptr addrspace(1) %far
  store <16 x float> %b1, ptr addrspace(1) %far
  store <16 x float> %c1, ptr addrspace(1) %far
  store <16 x float> %d1, ptr addrspace(1) %far
  store <16 x float> %e1, ptr addrspace(1) %far
  ret void
}
; CHECK-LABEL: define void @end_by_a_sum(
; CHECK-COUNT-1: br i1
; CHECK-NOT: br i1
; CHECK: ret void
; AVX512-LABEL: define void @end_by_a_sum(
; AVX512-COUNT-1: br i1
; AVX512-NOT: br i1
; AVX512: ret void
define void @end_by_a_sum(<16 x float> %x, ptr addrspace(3) %near, ptr addrspace(1) %far, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %j, %loop ]
  %a = phi <16 x float> [ %x, %entry ], [ %a1, %loop ]
  %b = phi <16 x float> [ %x, %entry ], [ %b1, %loop ]
  %c = phi <16 x float> [ %x, %entry ], [ %c1, %loop ]
  %d = phi <16 x float> [ %x, %entry ], [ %d1, %loop ]
  %e = phi <16 x float> [ %x, %entry ], [ %e1, %loop ]
  %a1 = fadd <16 x float> %a, %x
  %b1 = fadd <16 x float> %b, %x
  %c1 = fadd <16 x float> %c, %x
  %d1 = fadd <16 x float> %d, %x
  %e1 = fadd <16 x float> %e, %x
  %y = extractelement <16 x float> %a, i32 0
  %j = fptosi float %y to i32
  %go = icmp slt i32 %j, %n
  br i1 %go, label %loop, label %out
out:
  store <16 x float> %a1, ptr addrspace(1) %far
  store <16 x float> %b1, ptr addrspace(1) %far
  store <16 x float> %c1, ptr addrspace(1) %far
  store <16 x float> %d1, ptr addrspace(1) %far
  store <16 x float> %e1, ptr addrspace(1) %far
  ret void
}
