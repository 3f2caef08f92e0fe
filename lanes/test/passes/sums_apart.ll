; SPDX-License-Identifier: Apache-2.0
; A loop whose products begin with zero in each round: a loop for the device, whose accumulators go round; one that reads the sums which
; that one has left; and the loop as it was.
; RUN: TESSERA_TILES=vectors tessera-opt -packets=16 -cpu=avx512 -passes=..sums_apart %s | FileCheck %s
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"

; CHECK-LABEL: define void @k.kernel(
; CHECK: [[ROUND:%.*]] = phi <16 x i32> [ zeroinitializer, %{{.*}} ], [ %{{.*}}, %[[MULTIPLIES:.*]] ]
; CHECK: call {{.*}} @tsr.mad16{{.*}} <16 x i32> [[ROUND]])
; CHECK-NOT: mul <16 x i32>
; CHECK: br i1 {{.*}}, label %[[MULTIPLIES]], {{.*}}!tsr.sums.apart [[MARK:![0-9]+]]
; CHECK: inttoptr i64
; CHECK: br i1 {{.*}}, label %[[READS:.*]], label %[[LOOP:.*]]
; CHECK: {{^}}[[LOOP]]:
; CHECK: call {{.*}} @tsr.mad16{{.*}} <16 x i32> zeroinitializer)
; CHECK: {{^}}[[READS]]:
; CHECK-NOT: @tsr.mad16
; CHECK: [[READ:%.*]] = load <16 x i32>
; CHECK: mul <16 x i32> [[READ]], [[READ]]
; CHECK: [[WAY:%.*]] = call i1 @tsr.block2d.shares(i32 1)
; CHECK-NEXT: br i1 [[WAY]], label %[[MULTIPLIES]], label %[[LOOP]]
; CHECK: [[MARK]] = !{i32 1}
declare i64 @__tsr_local_id(i32) memory(none) nounwind willreturn
define spir_func i32 @_Z36intel_sub_group_i8_i8_matrix_mad_k32sDv8_ii(i16 %a, <8 x i32> %b, i32 %acc) convergent {
  ret i32 %acc
}
define spir_kernel void @k(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %c, i32 %n) {
entry:
  %l = call i64 @__tsr_local_id(i32 0)
  br label %loop
loop:
  %all = phi i32 [ 0, %entry ], [ %next, %loop ]
  %i = phi i32 [ 0, %entry ], [ %j, %loop ]
  %row = zext i32 %i to i64
  %first = shl i64 %row, 4
  %at = add i64 %first, %l
  %p = getelementptr inbounds i16, ptr addrspace(1) %a, i64 %at
  %va = load i16, ptr addrspace(1) %p, align 2
  %q = getelementptr inbounds <8 x i32>, ptr addrspace(1) %b, i64 %at
  %vb = load <8 x i32>, ptr addrspace(1) %q, align 32
  %sum = call spir_func i32 @_Z36intel_sub_group_i8_i8_matrix_mad_k32sDv8_ii(i16 %va, <8 x i32> %vb, i32 0)
  %square = mul i32 %sum, %sum
  %next = add i32 %all, %square
  %j = add i32 %i, 1
  %go = icmp ult i32 %j, %n
  br i1 %go, label %loop, label %out
out:
  %r = getelementptr inbounds i32, ptr addrspace(1) %c, i64 %l
  store i32 %next, ptr addrspace(1) %r, align 4
  ret void
}
