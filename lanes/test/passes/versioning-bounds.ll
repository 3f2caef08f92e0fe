; SPDX-License-Identifier: Apache-2.0
; Bounds of counters: a loop up to n / 16 - 1 where the launch tells that n is no less than 16, and a number that grows by n in each round of
; a loop that another counter ends. The sum n / 16 + -1 itself wraps without signs, and is not marked.
; RUN: tessera-opt -packets=8 -cpu=avx512 -passes=inline_calls..versioning %s | FileCheck %s
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"

; CHECK-LABEL: define spir_kernel void @up_to_last(
; CHECK: [[STEPS:%.*]] = lshr i64 {{.*}}, 4
; CHECK: [[LEAST:%.*]] = lshr i64 {{.*}}, 4
; CHECK: icmp uge i64 [[LEAST]], 1
; CHECK: sub i64 [[STEPS]], 1
; CHECK-LABEL: define internal void @up_to_last.item(
; CHECK: %last = add nsw i32 %steps, -1
; CHECK: shl nuw i32 %i, 4, !tessera.no_wrap
; CHECK: add nuw i32 %i, 1, !tessera.no_wrap
; CHECK-LABEL: define internal void @beside.item(
; CHECK: add nuw i32 %i, %{{[0-9]+}}, !tessera.no_wrap
declare i64 @__tsr_local_id(i32) memory(none) nounwind willreturn
define spir_func <8 x i32> @_Z36intel_sub_group_i8_i8_matrix_mad_k32Dv8_iS_S_(<8 x i32> %a, <8 x i32> %b, <8 x i32> %acc) convergent {
  ret <8 x i32> %acc
}
define spir_kernel void @up_to_last(ptr addrspace(1) %a, ptr addrspace(1) %c, i32 %n) {
entry:
  %l = call i64 @__tsr_local_id(i32 0)
  %lane = trunc i64 %l to i32
  %steps = lshr i32 %n, 4
  %last = add nsw i32 %steps, -1
  br label %loop
loop:
  %acc = phi <8 x i32> [ zeroinitializer, %entry ], [ %sum, %loop ]
  %i = phi i32 [ 0, %entry ], [ %j, %loop ]
  %row = shl i32 %i, 4
  %at = add i32 %row, %lane
  %x = zext i32 %at to i64
  %p = getelementptr inbounds <8 x i32>, ptr addrspace(1) %a, i64 %x
  %va = load <8 x i32>, ptr addrspace(1) %p, align 32
  %sum = call spir_func <8 x i32> @_Z36intel_sub_group_i8_i8_matrix_mad_k32Dv8_iS_S_(<8 x i32> %va, <8 x i32> %va, <8 x i32> %acc)
  %j = add i32 %i, 1
  %ends = icmp ugt i32 %j, %last
  br i1 %ends, label %out, label %loop
out:
  %r = getelementptr inbounds <8 x i32>, ptr addrspace(1) %c, i64 %l
  store <8 x i32> %sum, ptr addrspace(1) %r, align 32
  %end = zext i32 %last to i64
  %s = getelementptr inbounds <8 x i32>, ptr addrspace(1) %c, i64 %end
  store <8 x i32> %sum, ptr addrspace(1) %s, align 32
  ret void
}
define spir_kernel void @beside(ptr addrspace(1) %a, ptr addrspace(1) %c, i32 %n) {
entry:
  %l = call i64 @__tsr_local_id(i32 0)
  %lane = trunc i64 %l to i32
  br label %loop
loop:
  %acc = phi <8 x i32> [ zeroinitializer, %entry ], [ %sum, %loop ]
  %i = phi i32 [ 0, %entry ], [ %j, %loop ]
  %k = phi i32 [ 0, %entry ], [ %k1, %loop ]
  %at = add i32 %i, %lane
  %x = zext i32 %at to i64
  %p = getelementptr inbounds <8 x i32>, ptr addrspace(1) %a, i64 %x
  %va = load <8 x i32>, ptr addrspace(1) %p, align 32
  %sum = call spir_func <8 x i32> @_Z36intel_sub_group_i8_i8_matrix_mad_k32Dv8_iS_S_(<8 x i32> %va, <8 x i32> %va, <8 x i32> %acc)
  %j = add i32 %i, %n
  %k1 = add nuw nsw i32 %k, 16
  %go = icmp slt i32 %k1, %n
  br i1 %go, label %loop, label %out
out:
  %r = getelementptr inbounds <8 x i32>, ptr addrspace(1) %c, i64 %l
  store <8 x i32> %sum, ptr addrspace(1) %r, align 32
  ret void
}
