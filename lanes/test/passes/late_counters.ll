; SPDX-License-Identifier: Apache-2.0
; A counter that is what another one was in the round before gets a sum of its own, if it begins a step before that one does, by numbers or
; by a sum that is there. Flags are those that both sums have. One that begins elsewhere stays, and so do those of kernels without matrix
; functions.
; RUN: tessera-opt -packets=16 -cpu=avx2 -passes=late_counters %s | FileCheck %s
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"

; CHECK-LABEL: define spir_kernel void @numbers(
; CHECK: %k = phi i32 [ 0, %entry ], [ [[OWN:%.*]], %loop ]
; CHECK: [[OWN]] = add nuw nsw i32 %k, 32
; CHECK-LABEL: define spir_kernel void @sum(
; CHECK: %k = phi i32 [ %start, %entry ], [ [[OWN:%.*]], %loop ]
; CHECK: [[OWN]] = add nsw i32 %k, 32
; CHECK-LABEL: define spir_kernel void @elsewhere(
; CHECK: %k = phi i32 [ 8, %entry ], [ %ahead, %loop ]
; CHECK-LABEL: define spir_kernel void @no_matrix(
; CHECK: %k = phi i32 [ 0, %entry ], [ %ahead, %loop ]
declare spir_func <8 x i32> @_Z36intel_sub_group_i8_i8_matrix_mad_k32Dv8_iS_S_(<8 x i32>, <8 x i32>, <8 x i32>) convergent nounwind memory(none)

define spir_kernel void @numbers(ptr addrspace(1) %c, <8 x i32> %x, i32 %n) {
entry:
  br label %loop
loop:
  %acc = phi <8 x i32> [ zeroinitializer, %entry ], [ %sum, %loop ]
  %ahead = phi i32 [ 32, %entry ], [ %next, %loop ]
  %k = phi i32 [ 0, %entry ], [ %ahead, %loop ]
  store i32 %k, ptr addrspace(1) %c
  %sum = call spir_func <8 x i32> @_Z36intel_sub_group_i8_i8_matrix_mad_k32Dv8_iS_S_(<8 x i32> %x, <8 x i32> %x, <8 x i32> %acc)
  %next = add nuw nsw i32 %ahead, 32
  %out = icmp sgt i32 %next, %n
  br i1 %out, label %behind, label %loop
behind:
  store <8 x i32> %sum, ptr addrspace(1) %c
  ret void
}

define spir_kernel void @sum(ptr addrspace(1) %c, <8 x i32> %x, i32 %n, i32 %start) {
entry:
  %first = add nsw i32 %start, 32
  br label %loop
loop:
  %acc = phi <8 x i32> [ zeroinitializer, %entry ], [ %sum, %loop ]
  %ahead = phi i32 [ %first, %entry ], [ %next, %loop ]
  %k = phi i32 [ %start, %entry ], [ %ahead, %loop ]
  store i32 %k, ptr addrspace(1) %c
  %sum = call spir_func <8 x i32> @_Z36intel_sub_group_i8_i8_matrix_mad_k32Dv8_iS_S_(<8 x i32> %x, <8 x i32> %x, <8 x i32> %acc)
  %next = add nuw nsw i32 %ahead, 32
  %out = icmp sgt i32 %next, %n
  br i1 %out, label %behind, label %loop
behind:
  store <8 x i32> %sum, ptr addrspace(1) %c
  ret void
}

define spir_kernel void @elsewhere(ptr addrspace(1) %c, <8 x i32> %x, i32 %n) {
entry:
  br label %loop
loop:
  %acc = phi <8 x i32> [ zeroinitializer, %entry ], [ %sum, %loop ]
  %ahead = phi i32 [ 32, %entry ], [ %next, %loop ]
  %k = phi i32 [ 8, %entry ], [ %ahead, %loop ]
  store i32 %k, ptr addrspace(1) %c
  %sum = call spir_func <8 x i32> @_Z36intel_sub_group_i8_i8_matrix_mad_k32Dv8_iS_S_(<8 x i32> %x, <8 x i32> %x, <8 x i32> %acc)
  %next = add nuw nsw i32 %ahead, 32
  %out = icmp sgt i32 %next, %n
  br i1 %out, label %behind, label %loop
behind:
  store <8 x i32> %sum, ptr addrspace(1) %c
  ret void
}

define spir_kernel void @no_matrix(ptr addrspace(1) %c, i32 %n) {
entry:
  br label %loop
loop:
  %ahead = phi i32 [ 32, %entry ], [ %next, %loop ]
  %k = phi i32 [ 0, %entry ], [ %ahead, %loop ]
  store i32 %k, ptr addrspace(1) %c
  %next = add nuw nsw i32 %ahead, 32
  %out = icmp sgt i32 %next, %n
  br i1 %out, label %behind, label %loop
behind:
  ret void
}
