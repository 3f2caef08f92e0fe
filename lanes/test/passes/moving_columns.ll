; SPDX-License-Identifier: Apache-2.0
; A pointer that moves along a column of each lane's own is where the column begins and a distance. One that begins a constant number of
; bytes from that of the lane before stays a pointer.
; RUN: tessera-opt -packets=16 -cpu=avx2 -passes=moving_columns %s | FileCheck %s
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"

; CHECK-LABEL: define spir_kernel void @columns(
; CHECK: [[D:%.*]] = phi i64 [ 0, %entry ], [ [[NEXT:%.*]], %loop ]
; CHECK: %q = phi ptr addrspace(1)
; CHECK: [[P:%.*]] = getelementptr i8, ptr addrspace(1) %column, i64 [[D]]
; CHECK: load <8 x i32>, ptr addrspace(1) [[P]]
; CHECK: [[NEXT]] = add i64 [[D]], 32
; CHECK-LABEL: define spir_kernel void @no_matrix(
; CHECK: %p = phi ptr addrspace(1)
declare i32 @__tsr_lane() memory(none) nounwind willreturn
declare spir_func <8 x i32> @_Z36intel_sub_group_i8_i8_matrix_mad_k32Dv8_sDv8_iS0_(<8 x i16>, <8 x i32>, <8 x i32>) convergent nounwind memory(none)

define spir_kernel void @columns(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %c, <8 x i16> %x, i32 %k) {
entry:
  %lane = call i32 @__tsr_lane()
  %at = mul nsw i32 %lane, %k
  %far = sext i32 %at to i64
  %column = getelementptr i8, ptr addrspace(1) %b, i64 %far
  %near = zext i32 %lane to i64
  %row = getelementptr i16, ptr addrspace(1) %a, i64 %near
  br label %loop
loop:
  %acc = phi <8 x i32> [ zeroinitializer, %entry ], [ %sum, %loop ]
  %i = phi i32 [ 0, %entry ], [ %j, %loop ]
  %p = phi ptr addrspace(1) [ %column, %entry ], [ %p.next, %loop ]
  %q = phi ptr addrspace(1) [ %row, %entry ], [ %q.next, %loop ]
  %y = load <8 x i32>, ptr addrspace(1) %p, align 4
  %v = load i16, ptr addrspace(1) %q, align 2
  %z = insertelement <8 x i16> %x, i16 %v, i32 0
  %sum = call spir_func <8 x i32> @_Z36intel_sub_group_i8_i8_matrix_mad_k32Dv8_sDv8_iS0_(<8 x i16> %z, <8 x i32> %y, <8 x i32> %acc)
  %p.next = getelementptr inbounds i8, ptr addrspace(1) %p, i64 32
  %q.next = getelementptr inbounds i8, ptr addrspace(1) %q, i64 32
  %j = add i32 %i, 1
  %go = icmp ult i32 %j, %k
  br i1 %go, label %loop, label %out
out:
  store <8 x i32> %sum, ptr addrspace(1) %c
  ret void
}

define spir_kernel void @no_matrix(ptr addrspace(1) %b, ptr addrspace(1) %c, i32 %k) {
entry:
  %lane = call i32 @__tsr_lane()
  %at = mul nsw i32 %lane, %k
  %far = sext i32 %at to i64
  %column = getelementptr i8, ptr addrspace(1) %b, i64 %far
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %j, %loop ]
  %p = phi ptr addrspace(1) [ %column, %entry ], [ %p.next, %loop ]
  %y = load i32, ptr addrspace(1) %p, align 4
  store i32 %y, ptr addrspace(1) %c
  %p.next = getelementptr inbounds i8, ptr addrspace(1) %p, i64 32
  %j = add i32 %i, 1
  %go = icmp ult i32 %j, %k
  br i1 %go, label %loop, label %out
out:
  ret void
}
