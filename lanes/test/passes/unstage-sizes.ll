; SPDX-License-Identifier: Apache-2.0
; Kernels that require no local size, in code for work-groups of 64: local memory is read through, also where a store may change what is copied,
; as such launches have C alone. Work-items count vectors of eight, and rows of a buffer by the number of sub-groups. The usual code is left alone.
; RUN: tessera-opt -packets=16 -group-size=64 -cpu=avx2 -passes=sub_group_size,unstage %s | FileCheck %s
; RUN-SAME: tessera-opt -packets=16 -cpu=avx2 -passes=sub_group_size,unstage %s | FileCheck %s --check-prefix=ANY
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"

; CHECK-LABEL: define spir_kernel void @vectors(
; CHECK-NOT: addrspace(3)
; CHECK-NOT: @__tsr_barrier
; CHECK: load i32, ptr addrspace(1)
; CHECK-NOT: addrspace(3)
; CHECK: ret void
; ANY-LABEL: define spir_kernel void @vectors(
; ANY: load i32, ptr addrspace(3)

; CHECK-LABEL: define spir_kernel void @rows(
; CHECK-NOT: addrspace(3)
; CHECK-NOT: @__tsr_barrier
; CHECK: load i32, ptr addrspace(1)
; CHECK-NOT: addrspace(3)
; CHECK: ret void
; ANY-LABEL: define spir_kernel void @rows(
; ANY: load i32, ptr addrspace(3)

declare i64 @__tsr_local_id(i32) memory(none) nounwind willreturn
declare i64 @__tsr_local_size(i32) memory(none) nounwind willreturn
declare i32 @__tsr_lane() memory(none) nounwind willreturn
declare i32 @__tsr_sub_group_id() memory(none) nounwind willreturn
declare i32 @__tsr_num_sub_groups() memory(none) nounwind willreturn
declare ptr addrspace(3) @__tsr_local_base() memory(none) nounwind willreturn
declare void @__tsr_barrier(i32, i32) convergent nounwind
declare spir_func <8 x i32> @_Z36intel_sub_group_i8_i8_matrix_mad_k32Dv8_iS_S_(<8 x i32>, <8 x i32>, <8 x i32>) convergent nounwind memory(none)

define spir_kernel void @vectors(ptr addrspace(1) %a, ptr addrspace(1) %c, <8 x i32> %x, i64 %k) {
entry:
  %l = call i64 @__tsr_local_id(i32 0)
  %size = call i64 @__tsr_local_size(i32 0)
  %lane = call i32 @__tsr_lane()
  %base = call ptr addrspace(3) @__tsr_local_base()
  %first = shl nuw nsw i64 %l, 3
  %step = shl nuw nsw i64 %size, 3
  br label %fill

fill:
  %i = phi i64 [ %first, %entry ], [ %next, %body ]
  %more = icmp ult i64 %i, 1024
  br i1 %more, label %body, label %filled

body:
  %i.row = lshr i64 %i, 5
  %i.column = and i64 %i, 31
  %begin = mul i64 %i.row, %k
  %at = add i64 %begin, %i.column
  %from = getelementptr inbounds i32, ptr addrspace(1) %a, i64 %at
  %copied = load <8 x i32>, ptr addrspace(1) %from, align 4
  %to = getelementptr inbounds i32, ptr addrspace(3) %base, i64 %i
  store <8 x i32> %copied, ptr addrspace(3) %to, align 4
  %next = add nuw nsw i64 %step, %i
  br label %fill

filled:
  call void @__tsr_barrier(i32 2, i32 1)
  %wide = zext nneg i32 %lane to i64
  %read = getelementptr inbounds i32, ptr addrspace(3) %base, i64 %wide
  %further = getelementptr inbounds nuw i8, ptr addrspace(3) %read, i64 192
  %v = load i32, ptr addrspace(3) %further, align 4
  %y = insertelement <8 x i32> %x, i32 %v, i32 0
  %d = call spir_func <8 x i32> @_Z36intel_sub_group_i8_i8_matrix_mad_k32Dv8_iS_S_(<8 x i32> %y, <8 x i32> %x, <8 x i32> %x)
  %r = extractelement <8 x i32> %d, i32 0
  %g = getelementptr inbounds i32, ptr addrspace(1) %c, i64 %l
  store i32 %r, ptr addrspace(1) %g, align 4
  ret void
}

define spir_kernel void @rows(ptr addrspace(1) %a, ptr addrspace(1) %c, <8 x i32> %x, i64 %k) {
entry:
  %l = call i64 @__tsr_local_id(i32 0)
  %lane = call i32 @__tsr_lane()
  %group = call i32 @__tsr_sub_group_id()
  %groups = call i32 @__tsr_num_sub_groups()
  %base = call ptr addrspace(3) @__tsr_local_base()
  %wide = zext nneg i32 %lane to i64
  br label %fill

fill:
  %i = phi i32 [ %group, %entry ], [ %next, %body ]
  %more = icmp ult i32 %i, 8
  br i1 %more, label %body, label %filled

body:
  %row = zext nneg i32 %i to i64
  %begin = mul i64 %row, %k
  %at = add i64 %begin, %wide
  %from = getelementptr inbounds i32, ptr addrspace(1) %a, i64 %at
  %copied = load i32, ptr addrspace(1) %from, align 4
  %far = shl nuw nsw i64 %row, 4
  %place = add nuw nsw i64 %far, %wide
  %to = getelementptr inbounds i32, ptr addrspace(3) %base, i64 %place
  store i32 %copied, ptr addrspace(3) %to, align 4
  %next = add nuw nsw i32 %i, %groups
  br label %fill

filled:
  call void @__tsr_barrier(i32 2, i32 1)
  %read = getelementptr inbounds i32, ptr addrspace(3) %base, i64 %wide
  %further = getelementptr inbounds nuw i8, ptr addrspace(3) %read, i64 192
  %v = load i32, ptr addrspace(3) %further, align 4
  %y = insertelement <8 x i32> %x, i32 %v, i32 0
  %d = call spir_func <8 x i32> @_Z36intel_sub_group_i8_i8_matrix_mad_k32Dv8_iS_S_(<8 x i32> %y, <8 x i32> %x, <8 x i32> %x)
  %r = extractelement <8 x i32> %d, i32 0
  %g = getelementptr inbounds i32, ptr addrspace(1) %c, i64 %l
  store i32 %r, ptr addrspace(1) %g, align 4
  ret void
}
