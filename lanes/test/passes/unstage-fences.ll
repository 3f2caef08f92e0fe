; SPDX-License-Identifier: Apache-2.0
; Barriers that order global memory go if nothing is written in front of them. What the kernel writes by the argument that it copies stays local.
; Copies by some of the work-items only, and loops that ask behind each round, are read through.
; RUN: tessera-opt -packets=16 -cpu=avx2 -passes=unstage %s | FileCheck %s
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"

; CHECK-LABEL: define spir_kernel void @fenced(
; CHECK-NOT: addrspace(3)
; CHECK-NOT: @__tsr_barrier
; CHECK: ret void
; CHECK-LABEL: define spir_kernel void @written_before(
; CHECK: @__tsr_barrier
; CHECK-LABEL: define spir_kernel void @in_place(
; CHECK-NOT: @__tsr_alone
; CHECK: load i16, ptr addrspace(3)
; CHECK-LABEL: define spir_kernel void @by_some(
; CHECK-NOT: addrspace(3)
; CHECK: ret void
; CHECK-LABEL: define spir_kernel void @asks_behind(
; CHECK-NOT: addrspace(3)
; CHECK: ret void
; A counter from a negative number on is compared with its sign.
; CHECK-LABEL: define spir_kernel void @from_below(
; CHECK: icmp slt i64 %start, 32
; CHECK-NEXT: br i1 %first, label %copy
; CHECK: icmp slt i64 %next, 32
; CHECK-NEXT: br i1 %again, label %copy

declare i64 @__tsr_local_id(i32) memory(none) nounwind willreturn
declare i64 @__tsr_local_size(i32) memory(none) nounwind willreturn
declare ptr addrspace(3) @__tsr_local_base() memory(none) nounwind willreturn
declare void @__tsr_barrier(i32, i32) convergent nounwind
declare spir_func <8 x i32> @_Z36intel_sub_group_i8_i8_matrix_mad_k32Dv8_sDv8_iS0_(<8 x i16>, <8 x i32>, <8 x i32>) convergent nounwind memory(none)

define spir_kernel void @fenced(ptr addrspace(1) noalias %a, ptr addrspace(1) noalias %b, ptr addrspace(1) noalias %c) !reqd_work_group_size !0 {
entry:
  %l = call i64 @__tsr_local_id(i32 0)
  %base = call ptr addrspace(3) @__tsr_local_base()
  %from = getelementptr inbounds i16, ptr addrspace(1) %a, i64 %l
  %value = load i16, ptr addrspace(1) %from, align 2
  %to = getelementptr inbounds i16, ptr addrspace(3) %base, i64 %l
  store i16 %value, ptr addrspace(3) %to, align 2
  call void @__tsr_barrier(i32 2, i32 3)
  %lane = and i64 %l, 15
  %p0 = getelementptr inbounds i16, ptr addrspace(3) %base, i64 %lane
  %v0 = load i16, ptr addrspace(3) %p0, align 2
  %x0 = insertelement <8 x i16> poison, i16 %v0, i32 0
  %i1 = or disjoint i64 %lane, 16
  %p1 = getelementptr inbounds i16, ptr addrspace(3) %base, i64 %i1
  %v1 = load i16, ptr addrspace(3) %p1, align 2
  %x1 = insertelement <8 x i16> %x0, i16 %v1, i32 1
  %i2 = or disjoint i64 %lane, 0
  %p2 = getelementptr inbounds i16, ptr addrspace(3) %base, i64 %i2
  %v2 = load i16, ptr addrspace(3) %p2, align 2
  %x2 = insertelement <8 x i16> %x1, i16 %v2, i32 2
  %i3 = or disjoint i64 %lane, 16
  %p3 = getelementptr inbounds i16, ptr addrspace(3) %base, i64 %i3
  %v3 = load i16, ptr addrspace(3) %p3, align 2
  %x3 = insertelement <8 x i16> %x2, i16 %v3, i32 3
  %i4 = or disjoint i64 %lane, 0
  %p4 = getelementptr inbounds i16, ptr addrspace(3) %base, i64 %i4
  %v4 = load i16, ptr addrspace(3) %p4, align 2
  %x4 = insertelement <8 x i16> %x3, i16 %v4, i32 4
  %i5 = or disjoint i64 %lane, 16
  %p5 = getelementptr inbounds i16, ptr addrspace(3) %base, i64 %i5
  %v5 = load i16, ptr addrspace(3) %p5, align 2
  %x5 = insertelement <8 x i16> %x4, i16 %v5, i32 5
  %i6 = or disjoint i64 %lane, 0
  %p6 = getelementptr inbounds i16, ptr addrspace(3) %base, i64 %i6
  %v6 = load i16, ptr addrspace(3) %p6, align 2
  %x6 = insertelement <8 x i16> %x5, i16 %v6, i32 6
  %i7 = or disjoint i64 %lane, 16
  %p7 = getelementptr inbounds i16, ptr addrspace(3) %base, i64 %i7
  %v7 = load i16, ptr addrspace(3) %p7, align 2
  %x7 = insertelement <8 x i16> %x6, i16 %v7, i32 7
  %q = getelementptr inbounds <8 x i32>, ptr addrspace(1) %b, i64 %l
  %y = load <8 x i32>, ptr addrspace(1) %q, align 32
  %d = call spir_func <8 x i32> @_Z36intel_sub_group_i8_i8_matrix_mad_k32Dv8_sDv8_iS0_(<8 x i16> %x7, <8 x i32> %y, <8 x i32> zeroinitializer)
  %out = getelementptr inbounds <8 x i32>, ptr addrspace(1) %c, i64 %l
  store <8 x i32> %d, ptr addrspace(1) %out, align 32
  ret void
}

define spir_kernel void @written_before(ptr addrspace(1) noalias %a, ptr addrspace(1) noalias %b, ptr addrspace(1) noalias %c) !reqd_work_group_size !0 {
entry:
  %l = call i64 @__tsr_local_id(i32 0)
  %base = call ptr addrspace(3) @__tsr_local_base()
  %from = getelementptr inbounds i16, ptr addrspace(1) %a, i64 %l
  %value = load i16, ptr addrspace(1) %from, align 2
  %to = getelementptr inbounds i16, ptr addrspace(3) %base, i64 %l
  store i16 %value, ptr addrspace(3) %to, align 2
  %early = getelementptr inbounds i32, ptr addrspace(1) %c, i64 %l
  store i32 1, ptr addrspace(1) %early, align 4
  call void @__tsr_barrier(i32 2, i32 3)
  %lane = and i64 %l, 15
  %p0 = getelementptr inbounds i16, ptr addrspace(3) %base, i64 %lane
  %v0 = load i16, ptr addrspace(3) %p0, align 2
  %x0 = insertelement <8 x i16> poison, i16 %v0, i32 0
  %i1 = or disjoint i64 %lane, 16
  %p1 = getelementptr inbounds i16, ptr addrspace(3) %base, i64 %i1
  %v1 = load i16, ptr addrspace(3) %p1, align 2
  %x1 = insertelement <8 x i16> %x0, i16 %v1, i32 1
  %i2 = or disjoint i64 %lane, 0
  %p2 = getelementptr inbounds i16, ptr addrspace(3) %base, i64 %i2
  %v2 = load i16, ptr addrspace(3) %p2, align 2
  %x2 = insertelement <8 x i16> %x1, i16 %v2, i32 2
  %i3 = or disjoint i64 %lane, 16
  %p3 = getelementptr inbounds i16, ptr addrspace(3) %base, i64 %i3
  %v3 = load i16, ptr addrspace(3) %p3, align 2
  %x3 = insertelement <8 x i16> %x2, i16 %v3, i32 3
  %i4 = or disjoint i64 %lane, 0
  %p4 = getelementptr inbounds i16, ptr addrspace(3) %base, i64 %i4
  %v4 = load i16, ptr addrspace(3) %p4, align 2
  %x4 = insertelement <8 x i16> %x3, i16 %v4, i32 4
  %i5 = or disjoint i64 %lane, 16
  %p5 = getelementptr inbounds i16, ptr addrspace(3) %base, i64 %i5
  %v5 = load i16, ptr addrspace(3) %p5, align 2
  %x5 = insertelement <8 x i16> %x4, i16 %v5, i32 5
  %i6 = or disjoint i64 %lane, 0
  %p6 = getelementptr inbounds i16, ptr addrspace(3) %base, i64 %i6
  %v6 = load i16, ptr addrspace(3) %p6, align 2
  %x6 = insertelement <8 x i16> %x5, i16 %v6, i32 6
  %i7 = or disjoint i64 %lane, 16
  %p7 = getelementptr inbounds i16, ptr addrspace(3) %base, i64 %i7
  %v7 = load i16, ptr addrspace(3) %p7, align 2
  %x7 = insertelement <8 x i16> %x6, i16 %v7, i32 7
  %q = getelementptr inbounds <8 x i32>, ptr addrspace(1) %b, i64 %l
  %y = load <8 x i32>, ptr addrspace(1) %q, align 32
  %d = call spir_func <8 x i32> @_Z36intel_sub_group_i8_i8_matrix_mad_k32Dv8_sDv8_iS0_(<8 x i16> %x7, <8 x i32> %y, <8 x i32> zeroinitializer)
  %out = getelementptr inbounds <8 x i32>, ptr addrspace(1) %c, i64 %l
  store <8 x i32> %d, ptr addrspace(1) %out, align 32
  ret void
}

define spir_kernel void @in_place(ptr addrspace(1) %a, ptr addrspace(1) %b) !reqd_work_group_size !0 {
entry:
  %l = call i64 @__tsr_local_id(i32 0)
  %base = call ptr addrspace(3) @__tsr_local_base()
  %from = getelementptr inbounds i16, ptr addrspace(1) %a, i64 %l
  %value = load i16, ptr addrspace(1) %from, align 2
  %to = getelementptr inbounds i16, ptr addrspace(3) %base, i64 %l
  store i16 %value, ptr addrspace(3) %to, align 2
  call void @__tsr_barrier(i32 2, i32 1)
  %lane = and i64 %l, 15
  %p0 = getelementptr inbounds i16, ptr addrspace(3) %base, i64 %lane
  %v0 = load i16, ptr addrspace(3) %p0, align 2
  %x0 = insertelement <8 x i16> poison, i16 %v0, i32 0
  %i1 = or disjoint i64 %lane, 16
  %p1 = getelementptr inbounds i16, ptr addrspace(3) %base, i64 %i1
  %v1 = load i16, ptr addrspace(3) %p1, align 2
  %x1 = insertelement <8 x i16> %x0, i16 %v1, i32 1
  %i2 = or disjoint i64 %lane, 0
  %p2 = getelementptr inbounds i16, ptr addrspace(3) %base, i64 %i2
  %v2 = load i16, ptr addrspace(3) %p2, align 2
  %x2 = insertelement <8 x i16> %x1, i16 %v2, i32 2
  %i3 = or disjoint i64 %lane, 16
  %p3 = getelementptr inbounds i16, ptr addrspace(3) %base, i64 %i3
  %v3 = load i16, ptr addrspace(3) %p3, align 2
  %x3 = insertelement <8 x i16> %x2, i16 %v3, i32 3
  %i4 = or disjoint i64 %lane, 0
  %p4 = getelementptr inbounds i16, ptr addrspace(3) %base, i64 %i4
  %v4 = load i16, ptr addrspace(3) %p4, align 2
  %x4 = insertelement <8 x i16> %x3, i16 %v4, i32 4
  %i5 = or disjoint i64 %lane, 16
  %p5 = getelementptr inbounds i16, ptr addrspace(3) %base, i64 %i5
  %v5 = load i16, ptr addrspace(3) %p5, align 2
  %x5 = insertelement <8 x i16> %x4, i16 %v5, i32 5
  %i6 = or disjoint i64 %lane, 0
  %p6 = getelementptr inbounds i16, ptr addrspace(3) %base, i64 %i6
  %v6 = load i16, ptr addrspace(3) %p6, align 2
  %x6 = insertelement <8 x i16> %x5, i16 %v6, i32 6
  %i7 = or disjoint i64 %lane, 16
  %p7 = getelementptr inbounds i16, ptr addrspace(3) %base, i64 %i7
  %v7 = load i16, ptr addrspace(3) %p7, align 2
  %x7 = insertelement <8 x i16> %x6, i16 %v7, i32 7
  %q = getelementptr inbounds <8 x i32>, ptr addrspace(1) %b, i64 %l
  %y = load <8 x i32>, ptr addrspace(1) %q, align 32
  %d = call spir_func <8 x i32> @_Z36intel_sub_group_i8_i8_matrix_mad_k32Dv8_sDv8_iS0_(<8 x i16> %x7, <8 x i32> %y, <8 x i32> zeroinitializer)
  %n = extractelement <8 x i32> %d, i32 0
  %t = trunc i32 %n to i16
  %out = getelementptr inbounds i16, ptr addrspace(1) %a, i64 %l
  store i16 %t, ptr addrspace(1) %out, align 2
  ret void
}

define spir_kernel void @by_some(ptr addrspace(1) noalias %a, ptr addrspace(1) noalias %b, ptr addrspace(1) noalias %c) !reqd_work_group_size !0 {
entry:
  %l = call i64 @__tsr_local_id(i32 0)
  %base = call ptr addrspace(3) @__tsr_local_base()
  %few = icmp ult i64 %l, 32
  br i1 %few, label %copy, label %copied

copy:
  %from = getelementptr inbounds i16, ptr addrspace(1) %a, i64 %l
  %value = load i16, ptr addrspace(1) %from, align 2
  %to = getelementptr inbounds i16, ptr addrspace(3) %base, i64 %l
  store i16 %value, ptr addrspace(3) %to, align 2
  br label %copied

copied:
  call void @__tsr_barrier(i32 2, i32 1)
  %lane = and i64 %l, 15
  %p0 = getelementptr inbounds i16, ptr addrspace(3) %base, i64 %lane
  %v0 = load i16, ptr addrspace(3) %p0, align 2
  %x0 = insertelement <8 x i16> poison, i16 %v0, i32 0
  %i1 = or disjoint i64 %lane, 16
  %p1 = getelementptr inbounds i16, ptr addrspace(3) %base, i64 %i1
  %v1 = load i16, ptr addrspace(3) %p1, align 2
  %x1 = insertelement <8 x i16> %x0, i16 %v1, i32 1
  %i2 = or disjoint i64 %lane, 0
  %p2 = getelementptr inbounds i16, ptr addrspace(3) %base, i64 %i2
  %v2 = load i16, ptr addrspace(3) %p2, align 2
  %x2 = insertelement <8 x i16> %x1, i16 %v2, i32 2
  %i3 = or disjoint i64 %lane, 16
  %p3 = getelementptr inbounds i16, ptr addrspace(3) %base, i64 %i3
  %v3 = load i16, ptr addrspace(3) %p3, align 2
  %x3 = insertelement <8 x i16> %x2, i16 %v3, i32 3
  %i4 = or disjoint i64 %lane, 0
  %p4 = getelementptr inbounds i16, ptr addrspace(3) %base, i64 %i4
  %v4 = load i16, ptr addrspace(3) %p4, align 2
  %x4 = insertelement <8 x i16> %x3, i16 %v4, i32 4
  %i5 = or disjoint i64 %lane, 16
  %p5 = getelementptr inbounds i16, ptr addrspace(3) %base, i64 %i5
  %v5 = load i16, ptr addrspace(3) %p5, align 2
  %x5 = insertelement <8 x i16> %x4, i16 %v5, i32 5
  %i6 = or disjoint i64 %lane, 0
  %p6 = getelementptr inbounds i16, ptr addrspace(3) %base, i64 %i6
  %v6 = load i16, ptr addrspace(3) %p6, align 2
  %x6 = insertelement <8 x i16> %x5, i16 %v6, i32 6
  %i7 = or disjoint i64 %lane, 16
  %p7 = getelementptr inbounds i16, ptr addrspace(3) %base, i64 %i7
  %v7 = load i16, ptr addrspace(3) %p7, align 2
  %x7 = insertelement <8 x i16> %x6, i16 %v7, i32 7
  %q = getelementptr inbounds <8 x i32>, ptr addrspace(1) %b, i64 %l
  %y = load <8 x i32>, ptr addrspace(1) %q, align 32
  %d = call spir_func <8 x i32> @_Z36intel_sub_group_i8_i8_matrix_mad_k32Dv8_sDv8_iS0_(<8 x i16> %x7, <8 x i32> %y, <8 x i32> zeroinitializer)
  %out = getelementptr inbounds <8 x i32>, ptr addrspace(1) %c, i64 %l
  store <8 x i32> %d, ptr addrspace(1) %out, align 32
  ret void
}

define spir_kernel void @asks_behind(ptr addrspace(1) noalias %a, ptr addrspace(1) noalias %b, ptr addrspace(1) noalias %c) !reqd_work_group_size !0 {
entry:
  %l = call i64 @__tsr_local_id(i32 0)
  %base = call ptr addrspace(3) @__tsr_local_base()
  %size = call i64 @__tsr_local_size(i32 0)
  %first = icmp ult i64 %l, 32
  br i1 %first, label %copy, label %copied

copy:
  %k = phi i64 [ %l, %entry ], [ %next, %copy ]
  %from = getelementptr inbounds i16, ptr addrspace(1) %a, i64 %k
  %value = load i16, ptr addrspace(1) %from, align 2
  %to = getelementptr inbounds i16, ptr addrspace(3) %base, i64 %k
  store i16 %value, ptr addrspace(3) %to, align 2
  %next = add nuw nsw i64 %k, %size
  %again = icmp ult i64 %next, 32
  br i1 %again, label %copy, label %copied

copied:
  call void @__tsr_barrier(i32 2, i32 1)
  %lane = and i64 %l, 15
  %p0 = getelementptr inbounds i16, ptr addrspace(3) %base, i64 %lane
  %v0 = load i16, ptr addrspace(3) %p0, align 2
  %x0 = insertelement <8 x i16> poison, i16 %v0, i32 0
  %i1 = or disjoint i64 %lane, 16
  %p1 = getelementptr inbounds i16, ptr addrspace(3) %base, i64 %i1
  %v1 = load i16, ptr addrspace(3) %p1, align 2
  %x1 = insertelement <8 x i16> %x0, i16 %v1, i32 1
  %i2 = or disjoint i64 %lane, 0
  %p2 = getelementptr inbounds i16, ptr addrspace(3) %base, i64 %i2
  %v2 = load i16, ptr addrspace(3) %p2, align 2
  %x2 = insertelement <8 x i16> %x1, i16 %v2, i32 2
  %i3 = or disjoint i64 %lane, 16
  %p3 = getelementptr inbounds i16, ptr addrspace(3) %base, i64 %i3
  %v3 = load i16, ptr addrspace(3) %p3, align 2
  %x3 = insertelement <8 x i16> %x2, i16 %v3, i32 3
  %i4 = or disjoint i64 %lane, 0
  %p4 = getelementptr inbounds i16, ptr addrspace(3) %base, i64 %i4
  %v4 = load i16, ptr addrspace(3) %p4, align 2
  %x4 = insertelement <8 x i16> %x3, i16 %v4, i32 4
  %i5 = or disjoint i64 %lane, 16
  %p5 = getelementptr inbounds i16, ptr addrspace(3) %base, i64 %i5
  %v5 = load i16, ptr addrspace(3) %p5, align 2
  %x5 = insertelement <8 x i16> %x4, i16 %v5, i32 5
  %i6 = or disjoint i64 %lane, 0
  %p6 = getelementptr inbounds i16, ptr addrspace(3) %base, i64 %i6
  %v6 = load i16, ptr addrspace(3) %p6, align 2
  %x6 = insertelement <8 x i16> %x5, i16 %v6, i32 6
  %i7 = or disjoint i64 %lane, 16
  %p7 = getelementptr inbounds i16, ptr addrspace(3) %base, i64 %i7
  %v7 = load i16, ptr addrspace(3) %p7, align 2
  %x7 = insertelement <8 x i16> %x6, i16 %v7, i32 7
  %q = getelementptr inbounds <8 x i32>, ptr addrspace(1) %b, i64 %l
  %y = load <8 x i32>, ptr addrspace(1) %q, align 32
  %d = call spir_func <8 x i32> @_Z36intel_sub_group_i8_i8_matrix_mad_k32Dv8_sDv8_iS0_(<8 x i16> %x7, <8 x i32> %y, <8 x i32> zeroinitializer)
  %out = getelementptr inbounds <8 x i32>, ptr addrspace(1) %c, i64 %l
  store <8 x i32> %d, ptr addrspace(1) %out, align 32
  ret void
}

define spir_kernel void @from_below(i64 %start, ptr addrspace(1) noalias %a, ptr addrspace(1) noalias %b, ptr addrspace(1) noalias %c) !reqd_work_group_size !0 {
entry:
  %l = call i64 @__tsr_local_id(i32 0)
  %base = call ptr addrspace(3) @__tsr_local_base()
  %size = call i64 @__tsr_local_size(i32 0)
  %first = icmp slt i64 %start, 32
  br i1 %first, label %copy, label %copied

copy:
  %k = phi i64 [ %start, %entry ], [ %next, %copy ]
  %from = getelementptr inbounds i16, ptr addrspace(1) %a, i64 %k
  %value = load i16, ptr addrspace(1) %from, align 2
  %to = getelementptr inbounds i16, ptr addrspace(3) %base, i64 %k
  store i16 %value, ptr addrspace(3) %to, align 2
  %next = add nuw nsw i64 %k, %size
  %again = icmp slt i64 %next, 32
  br i1 %again, label %copy, label %copied

copied:
  call void @__tsr_barrier(i32 2, i32 1)
  %lane = and i64 %l, 15
  %p0 = getelementptr inbounds i16, ptr addrspace(3) %base, i64 %lane
  %v0 = load i16, ptr addrspace(3) %p0, align 2
  %x0 = insertelement <8 x i16> poison, i16 %v0, i32 0
  %i1 = or disjoint i64 %lane, 16
  %p1 = getelementptr inbounds i16, ptr addrspace(3) %base, i64 %i1
  %v1 = load i16, ptr addrspace(3) %p1, align 2
  %x1 = insertelement <8 x i16> %x0, i16 %v1, i32 1
  %i2 = or disjoint i64 %lane, 0
  %p2 = getelementptr inbounds i16, ptr addrspace(3) %base, i64 %i2
  %v2 = load i16, ptr addrspace(3) %p2, align 2
  %x2 = insertelement <8 x i16> %x1, i16 %v2, i32 2
  %i3 = or disjoint i64 %lane, 16
  %p3 = getelementptr inbounds i16, ptr addrspace(3) %base, i64 %i3
  %v3 = load i16, ptr addrspace(3) %p3, align 2
  %x3 = insertelement <8 x i16> %x2, i16 %v3, i32 3
  %i4 = or disjoint i64 %lane, 0
  %p4 = getelementptr inbounds i16, ptr addrspace(3) %base, i64 %i4
  %v4 = load i16, ptr addrspace(3) %p4, align 2
  %x4 = insertelement <8 x i16> %x3, i16 %v4, i32 4
  %i5 = or disjoint i64 %lane, 16
  %p5 = getelementptr inbounds i16, ptr addrspace(3) %base, i64 %i5
  %v5 = load i16, ptr addrspace(3) %p5, align 2
  %x5 = insertelement <8 x i16> %x4, i16 %v5, i32 5
  %i6 = or disjoint i64 %lane, 0
  %p6 = getelementptr inbounds i16, ptr addrspace(3) %base, i64 %i6
  %v6 = load i16, ptr addrspace(3) %p6, align 2
  %x6 = insertelement <8 x i16> %x5, i16 %v6, i32 6
  %i7 = or disjoint i64 %lane, 16
  %p7 = getelementptr inbounds i16, ptr addrspace(3) %base, i64 %i7
  %v7 = load i16, ptr addrspace(3) %p7, align 2
  %x7 = insertelement <8 x i16> %x6, i16 %v7, i32 7
  %q = getelementptr inbounds <8 x i32>, ptr addrspace(1) %b, i64 %l
  %y = load <8 x i32>, ptr addrspace(1) %q, align 32
  %d = call spir_func <8 x i32> @_Z36intel_sub_group_i8_i8_matrix_mad_k32Dv8_sDv8_iS0_(<8 x i16> %x7, <8 x i32> %y, <8 x i32> zeroinitializer)
  %out = getelementptr inbounds <8 x i32>, ptr addrspace(1) %c, i64 %l
  store <8 x i32> %d, ptr addrspace(1) %out, align 32
  ret void
}

!0 = !{i32 64, i32 1, i32 1}
