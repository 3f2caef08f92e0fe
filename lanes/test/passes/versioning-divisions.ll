; SPDX-License-Identifier: Apache-2.0
; In launches whose rows are whole packets, and whose numbers of work-items are not negative as int, the first body has multiples of the width
; for sizes, and shifts for divisions; the other one has what the program says.
; RUN: tessera-opt -packets=16 -cpu=avx512 -passes=inline_calls..widen_full %s | FileCheck %s
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"

; CHECK-LABEL: define spir_kernel void @k(
; CHECK: [[SIZE:%.*]] = call i64 @__tsr_global_size(i32 0)
; CHECK: [[REST:%.*]] = and i64 {{.*}}, 15
; CHECK: icmp eq i64 {{.*}}, 0
; CHECK: call void @k.wrapping(
; CHECK-LABEL: define internal void @k.whole(
; CHECK: and i64 {{.*}}, -16
; CHECK: lshr i32
; CHECK-LABEL: define internal void @k.wrapping(
; CHECK-NOT: and i64 {{.*}}, -16
; CHECK: ret void
declare i64 @__tsr_global_id(i32) memory(none) nounwind willreturn
declare i64 @__tsr_global_size(i32) memory(none) nounwind willreturn
define spir_func <8 x i32> @_Z36intel_sub_group_i8_i8_matrix_mad_k32Dv8_iS_S_(<8 x i32> %a, <8 x i32> %b, <8 x i32> %acc) convergent {
  ret <8 x i32> %acc
}
define spir_kernel void @k(ptr addrspace(1) %a, ptr addrspace(1) %c) {
entry:
  %x = call i64 @__tsr_global_id(i32 0)
  %y = call i64 @__tsr_global_id(i32 1)
  %w = call i64 @__tsr_global_size(i32 0)
  %rows = mul i64 %y, %w
  %all = add i64 %rows, %x
  %id = trunc i64 %all to i32
  %g = sdiv i32 %id, 16
  %at = sext i32 %g to i64
  %p = getelementptr inbounds <8 x i32>, ptr addrspace(1) %a, i64 %at
  %va = load <8 x i32>, ptr addrspace(1) %p, align 32
  %sum = call spir_func <8 x i32> @_Z36intel_sub_group_i8_i8_matrix_mad_k32Dv8_iS_S_(<8 x i32> %va, <8 x i32> %va, <8 x i32> zeroinitializer)
  %r = getelementptr inbounds <8 x i32>, ptr addrspace(1) %c, i64 %all
  store <8 x i32> %sum, ptr addrspace(1) %r, align 32
  ret void
}
