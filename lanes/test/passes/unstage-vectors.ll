; SPDX-License-Identifier: Apache-2.0
; Each work-item of 32 stores two numbers of a row of 32, 64 bytes apart, as block writes of vectors do. Which of both stores has written what is
; loaded, the place in the row tells, but not if both write to the same places.
; RUN: tessera-opt -packets=16 -cpu=avx2 -passes=unstage %s | FileCheck %s
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"

; CHECK-LABEL: define spir_kernel void @apart(
; CHECK-NOT: addrspace(3)
; CHECK: [[BEGIN:%[0-9]+]] = getelementptr inbounds i32, ptr addrspace(1) %a, i64 %k
; CHECK: [[FROM:%[0-9]+]] = getelementptr inbounds i32, ptr addrspace(1) [[BEGIN]], i64 %{{[0-9]+}}
; CHECK: [[SECOND:%[0-9]+]] = getelementptr inbounds nuw i8, ptr addrspace(1) [[FROM]], i64 64
; CHECK: load i32, ptr addrspace(1) [[SECOND]]
; CHECK-LABEL: define spir_kernel void @mixed(
; CHECK: load i32, ptr addrspace(3)

declare i64 @__tsr_local_id(i32) memory(none) nounwind willreturn
declare ptr addrspace(3) @__tsr_local_base() memory(none) nounwind willreturn
declare spir_func ptr addrspace(1) @__tsr_same_global(ptr addrspace(1)) memory(none) nounwind willreturn
declare void @__tsr_barrier(i32, i32) convergent nounwind
declare spir_func <8 x i32> @_Z36intel_sub_group_i8_i8_matrix_mad_k32Dv8_iS_S_(<8 x i32>, <8 x i32>, <8 x i32>) convergent nounwind memory(none)

define spir_kernel void @apart(ptr addrspace(1) noalias %a, ptr addrspace(1) noalias %c, <8 x i32> %x, i64 %k) !reqd_work_group_size !0 {
entry:
  %l = call i64 @__tsr_local_id(i32 0)
  %base = call ptr addrspace(3) @__tsr_local_base()
  %row = lshr i64 %l, 4
  %column = and i64 %l, 15
  %begin = mul i64 %row, %k
  %start = getelementptr inbounds i32, ptr addrspace(1) %a, i64 %begin
  %same = call spir_func ptr addrspace(1) @__tsr_same_global(ptr addrspace(1) %start)
  %from = getelementptr inbounds i32, ptr addrspace(1) %same, i64 %column
  %one = load i32, ptr addrspace(1) %from, align 4
  %further = getelementptr inbounds nuw i8, ptr addrspace(1) %from, i64 64
  %two = load i32, ptr addrspace(1) %further, align 4
  %far = shl nuw nsw i64 %row, 5
  %place = add nuw nsw i64 %far, %column
  %to = getelementptr inbounds i32, ptr addrspace(3) %base, i64 %place
  store i32 %one, ptr addrspace(3) %to, align 4
  %beside = getelementptr inbounds nuw i8, ptr addrspace(3) %to, i64 64
  store i32 %two, ptr addrspace(3) %beside, align 4
  call void @__tsr_barrier(i32 2, i32 1)
  %at = getelementptr inbounds i32, ptr addrspace(3) %base, i64 %column
  %p = getelementptr inbounds nuw i8, ptr addrspace(3) %at, i64 192
  %v = load i32, ptr addrspace(3) %p, align 4
  %y = insertelement <8 x i32> %x, i32 %v, i32 0
  %d = call spir_func <8 x i32> @_Z36intel_sub_group_i8_i8_matrix_mad_k32Dv8_iS_S_(<8 x i32> %y, <8 x i32> %x, <8 x i32> %x)
  %r = extractelement <8 x i32> %d, i32 0
  %g = getelementptr inbounds i32, ptr addrspace(1) %c, i64 %l
  store i32 %r, ptr addrspace(1) %g, align 4
  ret void
}

define spir_kernel void @mixed(ptr addrspace(1) noalias %a, ptr addrspace(1) noalias %c, <8 x i32> %x, i64 %k) !reqd_work_group_size !0 {
entry:
  %l = call i64 @__tsr_local_id(i32 0)
  %base = call ptr addrspace(3) @__tsr_local_base()
  %row = lshr i64 %l, 4
  %column = and i64 %l, 15
  %begin = mul i64 %row, %k
  %start = getelementptr inbounds i32, ptr addrspace(1) %a, i64 %begin
  %same = call spir_func ptr addrspace(1) @__tsr_same_global(ptr addrspace(1) %start)
  %from = getelementptr inbounds i32, ptr addrspace(1) %same, i64 %column
  %one = load i32, ptr addrspace(1) %from, align 4
  %further = getelementptr inbounds nuw i8, ptr addrspace(1) %from, i64 64
  %two = load i32, ptr addrspace(1) %further, align 4
  %far = shl nuw nsw i64 %row, 5
  %place = add nuw nsw i64 %far, %column
  %to = getelementptr inbounds i32, ptr addrspace(3) %base, i64 %place
  store i32 %one, ptr addrspace(3) %to, align 4
  %beside = getelementptr inbounds nuw i8, ptr addrspace(3) %to, i64 32
  store i32 %two, ptr addrspace(3) %beside, align 4
  call void @__tsr_barrier(i32 2, i32 1)
  %at = getelementptr inbounds i32, ptr addrspace(3) %base, i64 %column
  %p = getelementptr inbounds nuw i8, ptr addrspace(3) %at, i64 160
  %v = load i32, ptr addrspace(3) %p, align 4
  %y = insertelement <8 x i32> %x, i32 %v, i32 0
  %d = call spir_func <8 x i32> @_Z36intel_sub_group_i8_i8_matrix_mad_k32Dv8_iS_S_(<8 x i32> %y, <8 x i32> %x, <8 x i32> %x)
  %r = extractelement <8 x i32> %d, i32 0
  %g = getelementptr inbounds i32, ptr addrspace(1) %c, i64 %l
  store i32 %r, ptr addrspace(1) %g, align 4
  ret void
}

!0 = !{i32 32, i32 1, i32 1}
