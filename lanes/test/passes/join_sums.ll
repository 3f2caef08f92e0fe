; SPDX-License-Identifier: Apache-2.0
; Two accumulators of integers, of which the sum alone is stored, are one: the second operation adds to the first one's result.
; RUN: tessera-opt -packets=16 -cpu=avx512 -passes=..join_sums %s | FileCheck %s
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"

; CHECK-LABEL: define void @k.kernel(
; CHECK: [[ALL:%.*]] = phi <16 x i32> [ {{.*}} ]
; CHECK: [[EVEN:%.*]] = call {{.*}} @tsr.mad16{{.*}} <16 x i32> [[ALL]])
; CHECK: [[ROW:%.*]] = extractvalue {{.*}} [[EVEN]], 0
; CHECK: [[ODD:%.*]] = call {{.*}} @tsr.mad16{{.*}} <16 x i32> [[ROW]])
; CHECK: [[SUM:%.*]] = extractvalue {{.*}} [[ODD]], 0
; CHECK-NOT: add <16 x i32>
; CHECK: store <16 x i32> [[SUM]]
declare i64 @__tsr_local_id(i32) memory(none) nounwind willreturn
define spir_func i32 @_Z36intel_sub_group_i8_i8_matrix_mad_k32sDv8_ii(i16 %a, <8 x i32> %b, i32 %acc) convergent {
  ret i32 %acc
}
define spir_kernel void @k(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %c, i32 %n) {
entry:
  %l = call i64 @__tsr_local_id(i32 0)
  br label %loop
loop:
  %even = phi i32 [ 0, %entry ], [ %even.next, %loop ]
  %odd = phi i32 [ 0, %entry ], [ %odd.next, %loop ]
  %i = phi i32 [ 0, %entry ], [ %j, %loop ]
  %row = zext i32 %i to i64
  %first = shl i64 %row, 5
  %at = add i64 %first, %l
  %further = add i64 %at, 16
  %p = getelementptr inbounds i16, ptr addrspace(1) %a, i64 %at
  %va = load i16, ptr addrspace(1) %p, align 2
  %q = getelementptr inbounds <8 x i32>, ptr addrspace(1) %b, i64 %at
  %vb = load <8 x i32>, ptr addrspace(1) %q, align 32
  %p2 = getelementptr inbounds i16, ptr addrspace(1) %a, i64 %further
  %va2 = load i16, ptr addrspace(1) %p2, align 2
  %q2 = getelementptr inbounds <8 x i32>, ptr addrspace(1) %b, i64 %further
  %vb2 = load <8 x i32>, ptr addrspace(1) %q2, align 32
  %even.next = call spir_func i32 @_Z36intel_sub_group_i8_i8_matrix_mad_k32sDv8_ii(i16 %va, <8 x i32> %vb, i32 %even)
  %odd.next = call spir_func i32 @_Z36intel_sub_group_i8_i8_matrix_mad_k32sDv8_ii(i16 %va2, <8 x i32> %vb2, i32 %odd)
  %j = add i32 %i, 1
  %go = icmp ult i32 %j, %n
  br i1 %go, label %loop, label %out
out:
  %sum = add i32 %even.next, %odd.next
  %r = getelementptr inbounds i32, ptr addrspace(1) %c, i64 %l
  store i32 %sum, ptr addrspace(1) %r, align 4
  ret void
}
