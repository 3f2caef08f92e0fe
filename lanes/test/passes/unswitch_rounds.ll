; SPDX-License-Identifier: Apache-2.0
; A loop of barriers with short code: the code from one barrier to the next has a loop over the packets of its own, which asks for nothing
; but the number of packets.
; RUN: tessera-opt -packets=16 -cpu=avx512 -passes=canonicalise..unswitch_rounds %s | FileCheck %s
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"

declare i64 @__tsr_local_id(i32) memory(none) nounwind willreturn
declare void @__tsr_barrier(i32, i32) convergent

; CHECK-LABEL: define void @k.kernel(
; CHECK: {{^}}dispatch{{.*}}.us:
; CHECK: store <16 x float>
; CHECK-NEXT: %[[NEXT:.*]] = add
; CHECK-NEXT: %[[MORE:.*]] = icmp ult i64 %[[NEXT]],
; CHECK-NEXT: br i1 %[[MORE]], label %advance{{.*}}.us, label %round
define spir_kernel void @k(ptr addrspace(3) %l, i64 %n) {
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
