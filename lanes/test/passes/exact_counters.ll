; SPDX-License-Identifier: Apache-2.0
; Sums and multiples of a counter are marked where its bound leaves them room: below n / 16 there is room for two more steps and for 8 times
; the counter, below n only for the next step of one. The sum in the head of the loop may be that of a counter behind its bound.
; RUN: tessera-opt -packets=16 -cpu=avx2 -passes=exact_counters %s | FileCheck %s
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"

; CHECK-LABEL: define spir_kernel void @quotient(
; CHECK: %head = add i32 %s, 2
; CHECK: %ahead = add nuw nsw i32 %s, 2
; CHECK: %row = shl nuw nsw i32 %s, 3
; CHECK: %words = mul i32 %s, 100
; CHECK: %next = add nuw nsw i32 %s, 1
; CHECK-LABEL: define spir_kernel void @any(
; CHECK: %ahead = add i32 %s, 2
; CHECK: %next = add nuw i32 %s, 1
; CHECK-LABEL: define spir_kernel void @up_to_last(
; CHECK: %next = add nuw nsw i32 %s, 1
; CHECK-LABEL: define spir_kernel void @no_matrix(
; CHECK-SAME: ptr addrspace(1) %c, i16 %n)
; CHECK: %next = add i32 %s, 1
declare spir_func <8 x i32> @_Z36intel_sub_group_i8_i8_matrix_mad_k32Dv8_iS_S_(<8 x i32>, <8 x i32>, <8 x i32>) convergent nounwind memory(none)

define spir_kernel void @quotient(ptr addrspace(1) %c, <8 x i32> %x, i32 %n) {
entry:
  %steps = lshr i32 %n, 4
  br label %loop
loop:
  %s = phi i32 [ 0, %entry ], [ %next, %body ]
  %acc = phi <8 x i32> [ zeroinitializer, %entry ], [ %sum, %body ]
  %head = add i32 %s, 2
  store i32 %head, ptr addrspace(1) %c
  %more = icmp ult i32 %s, %steps
  br i1 %more, label %body, label %out
body:
  %ahead = add i32 %s, 2
  store i32 %ahead, ptr addrspace(1) %c
  %row = shl i32 %s, 3
  store i32 %row, ptr addrspace(1) %c
  %words = mul i32 %s, 100
  store i32 %words, ptr addrspace(1) %c
  %sum = call spir_func <8 x i32> @_Z36intel_sub_group_i8_i8_matrix_mad_k32Dv8_iS_S_(<8 x i32> %x, <8 x i32> %x, <8 x i32> %acc)
  %next = add i32 %s, 1
  br label %loop
out:
  store <8 x i32> %acc, ptr addrspace(1) %c, align 32
  ret void
}

define spir_kernel void @any(ptr addrspace(1) %c, <8 x i32> %x, i32 %n) {
entry:
  br label %loop
loop:
  %s = phi i32 [ 0, %entry ], [ %next, %body ]
  %acc = phi <8 x i32> [ zeroinitializer, %entry ], [ %sum, %body ]
  %ends = icmp uge i32 %s, %n
  br i1 %ends, label %out, label %body
body:
  %ahead = add i32 %s, 2
  store i32 %ahead, ptr addrspace(1) %c
  %sum = call spir_func <8 x i32> @_Z36intel_sub_group_i8_i8_matrix_mad_k32Dv8_iS_S_(<8 x i32> %x, <8 x i32> %x, <8 x i32> %acc)
  %next = add i32 %s, 1
  br label %loop
out:
  store <8 x i32> %acc, ptr addrspace(1) %c, align 32
  ret void
}

define spir_kernel void @up_to_last(ptr addrspace(1) %c, <8 x i32> %x, i16 %n) {
entry:
  %last = zext i16 %n to i32
  br label %loop
loop:
  %s = phi i32 [ 0, %entry ], [ %next, %body ]
  %acc = phi <8 x i32> [ zeroinitializer, %entry ], [ %sum, %body ]
  %ends = icmp ugt i32 %s, %last
  br i1 %ends, label %out, label %body
body:
  %sum = call spir_func <8 x i32> @_Z36intel_sub_group_i8_i8_matrix_mad_k32Dv8_iS_S_(<8 x i32> %x, <8 x i32> %x, <8 x i32> %acc)
  %next = add i32 %s, 1
  br label %loop
out:
  store <8 x i32> %acc, ptr addrspace(1) %c, align 32
  ret void
}

define spir_kernel void @no_matrix(ptr addrspace(1) %c, i16 %n) {
entry:
  %last = zext i16 %n to i32
  br label %loop
loop:
  %s = phi i32 [ 0, %entry ], [ %next, %body ]
  %more = icmp ult i32 %s, %last
  br i1 %more, label %body, label %out
body:
  store i32 %s, ptr addrspace(1) %c
  %next = add i32 %s, 1
  br label %loop
out:
  ret void
}
