; SPDX-License-Identifier: Apache-2.0
; The counter of a loop of barriers is the same for all packets: the group keeps it in a register, and no packet needs a context for it, nor
; tells where it waits. A value of the packet's own goes to the context, and so does a counter of a loop that packets may leave apart.
; RUN: tessera-opt -packets=16 -cpu=avx512 -passes=canonicalise..simplify %s | FileCheck %s
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"

declare i64 @__tsr_local_id(i32) memory(none) nounwind willreturn
declare i64 @__tsr_local_size(i32) memory(none) nounwind willreturn

declare void @__tsr_barrier(i32, i32) convergent

; CHECK-LABEL: define void @counter.kernel(
; CHECK-NOT: %frame
; CHECK: phi i64 [ poison, %group
; CHECK-NOT: %frame
; CHECK-LABEL: define void @own.kernel(
define spir_kernel void @counter(ptr addrspace(1) %a, ptr addrspace(3) %l, i64 %n) {
  %i = call i64 @__tsr_local_id(i32 0)
  %q = getelementptr inbounds float, ptr addrspace(3) %l, i64 %i
  br label %loop
loop:
  %k = phi i64 [ 0, %0 ], [ %next, %loop ]
  %f = uitofp i64 %k to float
  store float %f, ptr addrspace(3) %q
  call void @__tsr_barrier(i32 2, i32 1)
  %next = add i64 %k, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}

; A bound that each packet has read.
; CHECK: [[KEPT:%.*]] = getelementptr inbounds i8, ptr %frame
; CHECK: store i64 {{.*}}, ptr [[KEPT]]
; CHECK: store i32 0, ptr %frame
define spir_kernel void @own(ptr addrspace(1) %a, ptr addrspace(3) %l, ptr addrspace(1) %bound) {
  %i = call i64 @__tsr_local_id(i32 0)
  %q = getelementptr inbounds float, ptr addrspace(3) %l, i64 %i
  %n = load i64, ptr addrspace(1) %bound
  br label %loop
loop:
  %k = phi i64 [ 0, %0 ], [ %next, %loop ]
  %f = uitofp i64 %k to float
  store float %f, ptr addrspace(3) %q
  call void @__tsr_barrier(i32 2, i32 1)
  %next = add i64 %k, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}
