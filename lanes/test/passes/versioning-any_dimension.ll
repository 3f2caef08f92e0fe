; SPDX-License-Identifier: Apache-2.0
; A local id in a dimension that is no constant is bounded by the largest work-group.
; RUN: tessera-opt -packets=8 -cpu=avx512 -passes=inline_calls..versioning %s | FileCheck %s
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"

declare i64 @__tsr_local_id(i32) memory(none) nounwind willreturn
define spir_func <8 x i32> @_Z36intel_sub_group_i8_i8_matrix_mad_k32Dv8_iS_S_(<8 x i32> %a, <8 x i32> %b, <8 x i32> %acc) convergent {
  ret <8 x i32> %acc
}
; CHECK-LABEL: define spir_kernel void @k(
; CHECK: add i64 %{{.*}}, 65535
; CHECK: call void @k.wrapping(
define spir_kernel void @k(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %c, i32 %n, i32 %dimension) {
entry:
  %l = call i64 @__tsr_local_id(i32 0)
  %item = trunc i64 %l to i32
  %other = call i64 @__tsr_local_id(i32 %dimension)
  %sub.group = trunc i64 %other to i32
  %lane = add i32 %item, %sub.group
  br label %loop
loop:
  %acc = phi <8 x i32> [ zeroinitializer, %entry ], [ %sum, %loop ]
  %i = phi i32 [ 0, %entry ], [ %j, %loop ]
  %row = shl i32 %i, 4
  %at = add i32 %row, %lane
  %x = zext i32 %at to i64
  %p = getelementptr inbounds <8 x i32>, ptr addrspace(1) %a, i64 %x
  %va = load <8 x i32>, ptr addrspace(1) %p, align 32
  %q = getelementptr inbounds <8 x i32>, ptr addrspace(1) %b, i64 %x
  %vb = load <8 x i32>, ptr addrspace(1) %q, align 32
  %sum = call spir_func <8 x i32> @_Z36intel_sub_group_i8_i8_matrix_mad_k32Dv8_iS_S_(<8 x i32> %va, <8 x i32> %vb, <8 x i32> %acc)
  %j = add i32 %i, 1
  %go = icmp ult i32 %j, %n
  br i1 %go, label %loop, label %out
out:
  %r = getelementptr inbounds <8 x i32>, ptr addrspace(1) %c, i64 %l
  store <8 x i32> %sum, ptr addrspace(1) %r, align 32
  ret void
}
