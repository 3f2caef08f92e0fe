; SPDX-License-Identifier: Apache-2.0
; Results are added to memory by atomic operations. Behind all loads of what was copied they are as stores. In front of one, by which the memory
; may have changed since it was copied, all stays.
; RUN: tessera-opt -packets=16 -cpu=avx2 -passes=unstage %s | FileCheck %s
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"

; CHECK-LABEL: define spir_kernel void @behind(
; CHECK-NOT: addrspace(3)
; CHECK: atomicrmw volatile fadd
; CHECK-LABEL: define spir_kernel void @exchange(
; CHECK-NOT: addrspace(3)
; CHECK: cmpxchg
; CHECK-LABEL: define spir_kernel void @same_type_restrict(
; CHECK-NOT: addrspace(3)
; CHECK: atomicrmw volatile add
; CHECK-LABEL: define spir_kernel void @same_type(
; CHECK: load i32, ptr addrspace(3)
; CHECK-LABEL: define spir_kernel void @before(
; CHECK: load i16, ptr addrspace(3)

declare i64 @__tsr_local_id(i32) memory(none) nounwind willreturn
declare ptr addrspace(3) @__tsr_local_base() memory(none) nounwind willreturn
declare void @__tsr_barrier(i32, i32) convergent nounwind
declare spir_func <8 x i32> @_Z36intel_sub_group_i8_i8_matrix_mad_k32Dv8_iS_S_(<8 x i32>, <8 x i32>, <8 x i32>) convergent nounwind memory(none)

define spir_kernel void @behind(ptr addrspace(1) %a, ptr addrspace(1) %c, <8 x i32> %x, i64 %k) !reqd_work_group_size !0 {
entry:
  %l = call i64 @__tsr_local_id(i32 0)
  %base = call ptr addrspace(3) @__tsr_local_base()
  br label %fill

fill:
  %i = phi i64 [ %l, %entry ], [ %next, %body ]
  %more = icmp ult i64 %i, 64
  br i1 %more, label %body, label %filled

body:
  %i.row = lshr i64 %i, 3
  %i.column = and i64 %i, 7
  %begin = mul i64 %i.row, %k
  %at = add i64 %begin, %i.column
  %from = getelementptr inbounds i16, ptr addrspace(1) %a, i64 %at
  %copied = load i16, ptr addrspace(1) %from, align 2, !tbaa !1
  %to = getelementptr inbounds i16, ptr addrspace(3) %base, i64 %i
  store i16 %copied, ptr addrspace(3) %to, align 2, !tbaa !1
  %next = add nuw nsw i64 %i, 32
  br label %fill

filled:
  call void @__tsr_barrier(i32 2, i32 1)
  %pair = and i64 %l, 3
  %column = lshr i64 %l, 2
  %odd.row = shl nuw nsw i64 %pair, 4
  %in.row = or disjoint i64 %odd.row, 8
  %place = add nuw nsw i64 %in.row, %column
  %p = getelementptr inbounds i16, ptr addrspace(3) %base, i64 %place
  %v = load i16, ptr addrspace(3) %p, align 2, !tbaa !1
  %w = sext i16 %v to i32
  %y = insertelement <8 x i32> %x, i32 %w, i32 0
  %d = call spir_func <8 x i32> @_Z36intel_sub_group_i8_i8_matrix_mad_k32Dv8_iS_S_(<8 x i32> %y, <8 x i32> %x, <8 x i32> %x)
  %r = extractelement <8 x i32> %d, i32 0
  %f = sitofp i32 %r to float
  %g = getelementptr inbounds float, ptr addrspace(1) %c, i64 %l
  %old = atomicrmw volatile fadd ptr addrspace(1) %g, float %f seq_cst, align 4
  ret void
}

define spir_kernel void @exchange(ptr addrspace(1) %a, ptr addrspace(1) %c, <8 x i32> %x, i64 %k) !reqd_work_group_size !0 {
entry:
  %l = call i64 @__tsr_local_id(i32 0)
  %base = call ptr addrspace(3) @__tsr_local_base()
  br label %fill

fill:
  %i = phi i64 [ %l, %entry ], [ %next, %body ]
  %more = icmp ult i64 %i, 64
  br i1 %more, label %body, label %filled

body:
  %i.row = lshr i64 %i, 3
  %i.column = and i64 %i, 7
  %begin = mul i64 %i.row, %k
  %at = add i64 %begin, %i.column
  %from = getelementptr inbounds i16, ptr addrspace(1) %a, i64 %at
  %copied = load i16, ptr addrspace(1) %from, align 2, !tbaa !1
  %to = getelementptr inbounds i16, ptr addrspace(3) %base, i64 %i
  store i16 %copied, ptr addrspace(3) %to, align 2, !tbaa !1
  %next = add nuw nsw i64 %i, 32
  br label %fill

filled:
  call void @__tsr_barrier(i32 2, i32 1)
  %pair = and i64 %l, 3
  %column = lshr i64 %l, 2
  %odd.row = shl nuw nsw i64 %pair, 4
  %in.row = or disjoint i64 %odd.row, 8
  %place = add nuw nsw i64 %in.row, %column
  %p = getelementptr inbounds i16, ptr addrspace(3) %base, i64 %place
  %v = load i16, ptr addrspace(3) %p, align 2, !tbaa !1
  %w = sext i16 %v to i32
  %y = insertelement <8 x i32> %x, i32 %w, i32 0
  %d = call spir_func <8 x i32> @_Z36intel_sub_group_i8_i8_matrix_mad_k32Dv8_iS_S_(<8 x i32> %y, <8 x i32> %x, <8 x i32> %x)
  %r = extractelement <8 x i32> %d, i32 0
  %f = sitofp i32 %r to float
  %g = getelementptr inbounds float, ptr addrspace(1) %c, i64 %l
  %bits = bitcast float %f to i32
  %pair.old = cmpxchg volatile ptr addrspace(1) %g, i32 0, i32 %bits seq_cst seq_cst, align 4
  ret void
}

define spir_kernel void @same_type_restrict(ptr addrspace(1) %a, ptr addrspace(1) noalias %c, <8 x i32> %x, i64 %k) !reqd_work_group_size !0 {
entry:
  %l = call i64 @__tsr_local_id(i32 0)
  %base = call ptr addrspace(3) @__tsr_local_base()
  br label %fill

fill:
  %i = phi i64 [ %l, %entry ], [ %next, %body ]
  %more = icmp ult i64 %i, 64
  br i1 %more, label %body, label %filled

body:
  %i.row = lshr i64 %i, 3
  %i.column = and i64 %i, 7
  %begin = mul i64 %i.row, %k
  %at = add i64 %begin, %i.column
  %from = getelementptr inbounds i32, ptr addrspace(1) %a, i64 %at
  %copied = load i32, ptr addrspace(1) %from, align 4, !tbaa !2
  %to = getelementptr inbounds i32, ptr addrspace(3) %base, i64 %i
  store i32 %copied, ptr addrspace(3) %to, align 4, !tbaa !2
  %next = add nuw nsw i64 %i, 32
  br label %fill

filled:
  call void @__tsr_barrier(i32 2, i32 1)
  %pair = and i64 %l, 3
  %column = lshr i64 %l, 2
  %odd.row = shl nuw nsw i64 %pair, 4
  %in.row = or disjoint i64 %odd.row, 8
  %place = add nuw nsw i64 %in.row, %column
  %p = getelementptr inbounds i32, ptr addrspace(3) %base, i64 %place
  %v = load i32, ptr addrspace(3) %p, align 4, !tbaa !2
  %w = xor i32 %v, 0
  %y = insertelement <8 x i32> %x, i32 %w, i32 0
  %d = call spir_func <8 x i32> @_Z36intel_sub_group_i8_i8_matrix_mad_k32Dv8_iS_S_(<8 x i32> %y, <8 x i32> %x, <8 x i32> %x)
  %r = extractelement <8 x i32> %d, i32 0
  %f = sitofp i32 %r to float
  %g = getelementptr inbounds float, ptr addrspace(1) %c, i64 %l
  %old = atomicrmw volatile add ptr addrspace(1) %g, i32 %r seq_cst, align 4
  ret void
}

define spir_kernel void @same_type(ptr addrspace(1) %a, ptr addrspace(1) %c, <8 x i32> %x, i64 %k) !reqd_work_group_size !0 {
entry:
  %l = call i64 @__tsr_local_id(i32 0)
  %base = call ptr addrspace(3) @__tsr_local_base()
  br label %fill

fill:
  %i = phi i64 [ %l, %entry ], [ %next, %body ]
  %more = icmp ult i64 %i, 64
  br i1 %more, label %body, label %filled

body:
  %i.row = lshr i64 %i, 3
  %i.column = and i64 %i, 7
  %begin = mul i64 %i.row, %k
  %at = add i64 %begin, %i.column
  %from = getelementptr inbounds i32, ptr addrspace(1) %a, i64 %at
  %copied = load i32, ptr addrspace(1) %from, align 4, !tbaa !2
  %to = getelementptr inbounds i32, ptr addrspace(3) %base, i64 %i
  store i32 %copied, ptr addrspace(3) %to, align 4, !tbaa !2
  %next = add nuw nsw i64 %i, 32
  br label %fill

filled:
  call void @__tsr_barrier(i32 2, i32 1)
  %pair = and i64 %l, 3
  %column = lshr i64 %l, 2
  %odd.row = shl nuw nsw i64 %pair, 4
  %in.row = or disjoint i64 %odd.row, 8
  %place = add nuw nsw i64 %in.row, %column
  %p = getelementptr inbounds i32, ptr addrspace(3) %base, i64 %place
  %v = load i32, ptr addrspace(3) %p, align 4, !tbaa !2
  %w = xor i32 %v, 0
  %y = insertelement <8 x i32> %x, i32 %w, i32 0
  %d = call spir_func <8 x i32> @_Z36intel_sub_group_i8_i8_matrix_mad_k32Dv8_iS_S_(<8 x i32> %y, <8 x i32> %x, <8 x i32> %x)
  %r = extractelement <8 x i32> %d, i32 0
  %f = sitofp i32 %r to float
  %g = getelementptr inbounds float, ptr addrspace(1) %c, i64 %l
  %old = atomicrmw volatile add ptr addrspace(1) %g, i32 %r seq_cst, align 4
  ret void
}

define spir_kernel void @before(ptr addrspace(1) %a, ptr addrspace(1) %c, <8 x i32> %x, i64 %k) !reqd_work_group_size !0 {
entry:
  %l = call i64 @__tsr_local_id(i32 0)
  %base = call ptr addrspace(3) @__tsr_local_base()
  br label %fill

fill:
  %i = phi i64 [ %l, %entry ], [ %next, %body ]
  %more = icmp ult i64 %i, 64
  br i1 %more, label %body, label %filled

body:
  %i.row = lshr i64 %i, 3
  %i.column = and i64 %i, 7
  %begin = mul i64 %i.row, %k
  %at = add i64 %begin, %i.column
  %from = getelementptr inbounds i16, ptr addrspace(1) %a, i64 %at
  %copied = load i16, ptr addrspace(1) %from, align 2, !tbaa !1
  %to = getelementptr inbounds i16, ptr addrspace(3) %base, i64 %i
  store i16 %copied, ptr addrspace(3) %to, align 2, !tbaa !1
  %next = add nuw nsw i64 %i, 32
  br label %fill

filled:
  call void @__tsr_barrier(i32 2, i32 1)
  %g = getelementptr inbounds float, ptr addrspace(1) %c, i64 %l
  %old = atomicrmw volatile fadd ptr addrspace(1) %g, float 1.0 seq_cst, align 4
  %pair = and i64 %l, 3
  %column = lshr i64 %l, 2
  %odd.row = shl nuw nsw i64 %pair, 4
  %in.row = or disjoint i64 %odd.row, 8
  %place = add nuw nsw i64 %in.row, %column
  %p = getelementptr inbounds i16, ptr addrspace(3) %base, i64 %place
  %v = load i16, ptr addrspace(3) %p, align 2, !tbaa !1
  %w = sext i16 %v to i32
  %y = insertelement <8 x i32> %x, i32 %w, i32 0
  %d = call spir_func <8 x i32> @_Z36intel_sub_group_i8_i8_matrix_mad_k32Dv8_iS_S_(<8 x i32> %y, <8 x i32> %x, <8 x i32> %x)
  %r = extractelement <8 x i32> %d, i32 0
  %f = sitofp i32 %r to float
  ret void
}

!0 = !{i32 32, i32 1, i32 1}
!1 = !{!3, !3, i64 0}
!2 = !{!4, !4, i64 0}
!3 = !{!"short", !5, i64 0}
!4 = !{!"int", !5, i64 0}
!5 = !{!"omnipotent char", !6, i64 0}
!6 = !{!"Simple C/C++ TBAA"}
