; SPDX-License-Identifier: Apache-2.0
; What the first round reads is copied behind a comparison that holds if there is such a round. Where it need not hold, all stays.
; RUN: tessera-opt -packets=16 -cpu=avx2 -passes=unstage %s | FileCheck %s
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"

; CHECK-LABEL: define spir_kernel void @not_zero(
; CHECK-NOT: addrspace(3)
; CHECK: ret void
; CHECK-LABEL: define spir_kernel void @quotient(
; CHECK-NOT: addrspace(3)
; CHECK: ret void
; CHECK-LABEL: define spir_kernel void @more(
; CHECK: load i16, ptr addrspace(3)
; CHECK-LABEL: define spir_kernel void @quotient_more(
; CHECK: load i16, ptr addrspace(3)

declare i64 @__tsr_local_id(i32) memory(none) nounwind willreturn
declare ptr addrspace(3) @__tsr_local_base() memory(none) nounwind willreturn
declare void @__tsr_barrier(i32, i32) convergent nounwind
declare spir_func <8 x i32> @_Z36intel_sub_group_i8_i8_matrix_mad_k32Dv8_iS_S_(<8 x i32>, <8 x i32>, <8 x i32>) convergent nounwind memory(none)

define spir_kernel void @not_zero(ptr addrspace(1) noalias %a, ptr addrspace(1) noalias %c, <8 x i32> %x, i64 %n) !reqd_work_group_size !0 {
entry:
  %l = call i64 @__tsr_local_id(i32 0)
  %base = call ptr addrspace(3) @__tsr_local_base()
  %any = icmp ne i64 %n, 0
  br i1 %any, label %first, label %begun

first:
  %from = getelementptr inbounds i16, ptr addrspace(1) %a, i64 %l
  %copied = load i16, ptr addrspace(1) %from, align 2
  %begin.to = getelementptr inbounds i16, ptr addrspace(3) %base, i64 %l
  store i16 %copied, ptr addrspace(3) %begin.to, align 2
  br label %begun

begun:
  call void @__tsr_barrier(i32 2, i32 1)
  br label %loop

loop:
  %k = phi i64 [ 0, %begun ], [ %k.next, %latch ]
  %sum = phi <8 x i32> [ zeroinitializer, %begun ], [ %d, %latch ]
  %more = icmp ult i64 %k, %n
  br i1 %more, label %body, label %done

body:
  %k.next = add nuw nsw i64 %k, 1
  %turn = and i64 %k, 1
  %other = xor i64 %turn, 1
  %again = icmp ult i64 %k.next, %n
  br i1 %again, label %fill, label %filled

fill:
  %next.row = shl i64 %k.next, 5
  %next.at = add i64 %next.row, %l
  %next.from = getelementptr inbounds i16, ptr addrspace(1) %a, i64 %next.at
  %next = load i16, ptr addrspace(1) %next.from, align 2
  %to = getelementptr inbounds [32 x i16], ptr addrspace(3) %base, i64 %other, i64 %l
  store i16 %next, ptr addrspace(3) %to, align 2
  br label %filled

filled:
  %pair = and i64 %l, 3
  %column = lshr i64 %l, 2
  %row = shl nuw nsw i64 %pair, 3
  %place = or disjoint i64 %row, %column
  %p = getelementptr inbounds [32 x i16], ptr addrspace(3) %base, i64 %turn, i64 %place
  %v = load i16, ptr addrspace(3) %p, align 2
  %w = sext i16 %v to i32
  %y = insertelement <8 x i32> %x, i32 %w, i32 0
  %d = call spir_func <8 x i32> @_Z36intel_sub_group_i8_i8_matrix_mad_k32Dv8_iS_S_(<8 x i32> %y, <8 x i32> %x, <8 x i32> %sum)
  br label %latch

latch:
  call void @__tsr_barrier(i32 2, i32 1)
  br label %loop

done:
  %r = extractelement <8 x i32> %sum, i32 0
  %g = getelementptr inbounds i32, ptr addrspace(1) %c, i64 %l
  store i32 %r, ptr addrspace(1) %g, align 4
  ret void
}

define spir_kernel void @quotient(ptr addrspace(1) noalias %a, ptr addrspace(1) noalias %c, <8 x i32> %x, i64 %m) !reqd_work_group_size !0 {
entry:
  %l = call i64 @__tsr_local_id(i32 0)
  %base = call ptr addrspace(3) @__tsr_local_base()
  %n = lshr i64 %m, 4
  %any = icmp ugt i64 %m, 15
  br i1 %any, label %first, label %begun

first:
  %from = getelementptr inbounds i16, ptr addrspace(1) %a, i64 %l
  %copied = load i16, ptr addrspace(1) %from, align 2
  %begin.to = getelementptr inbounds i16, ptr addrspace(3) %base, i64 %l
  store i16 %copied, ptr addrspace(3) %begin.to, align 2
  br label %begun

begun:
  call void @__tsr_barrier(i32 2, i32 1)
  br label %loop

loop:
  %k = phi i64 [ 0, %begun ], [ %k.next, %latch ]
  %sum = phi <8 x i32> [ zeroinitializer, %begun ], [ %d, %latch ]
  %more = icmp ult i64 %k, %n
  br i1 %more, label %body, label %done

body:
  %k.next = add nuw nsw i64 %k, 1
  %turn = and i64 %k, 1
  %other = xor i64 %turn, 1
  %again = icmp ult i64 %k.next, %n
  br i1 %again, label %fill, label %filled

fill:
  %next.row = shl i64 %k.next, 5
  %next.at = add i64 %next.row, %l
  %next.from = getelementptr inbounds i16, ptr addrspace(1) %a, i64 %next.at
  %next = load i16, ptr addrspace(1) %next.from, align 2
  %to = getelementptr inbounds [32 x i16], ptr addrspace(3) %base, i64 %other, i64 %l
  store i16 %next, ptr addrspace(3) %to, align 2
  br label %filled

filled:
  %pair = and i64 %l, 3
  %column = lshr i64 %l, 2
  %row = shl nuw nsw i64 %pair, 3
  %place = or disjoint i64 %row, %column
  %p = getelementptr inbounds [32 x i16], ptr addrspace(3) %base, i64 %turn, i64 %place
  %v = load i16, ptr addrspace(3) %p, align 2
  %w = sext i16 %v to i32
  %y = insertelement <8 x i32> %x, i32 %w, i32 0
  %d = call spir_func <8 x i32> @_Z36intel_sub_group_i8_i8_matrix_mad_k32Dv8_iS_S_(<8 x i32> %y, <8 x i32> %x, <8 x i32> %sum)
  br label %latch

latch:
  call void @__tsr_barrier(i32 2, i32 1)
  br label %loop

done:
  %r = extractelement <8 x i32> %sum, i32 0
  %g = getelementptr inbounds i32, ptr addrspace(1) %c, i64 %l
  store i32 %r, ptr addrspace(1) %g, align 4
  ret void
}

define spir_kernel void @more(ptr addrspace(1) noalias %a, ptr addrspace(1) noalias %c, <8 x i32> %x, i64 %n) !reqd_work_group_size !0 {
entry:
  %l = call i64 @__tsr_local_id(i32 0)
  %base = call ptr addrspace(3) @__tsr_local_base()
  %any = icmp ugt i64 %n, 1
  br i1 %any, label %first, label %begun

first:
  %from = getelementptr inbounds i16, ptr addrspace(1) %a, i64 %l
  %copied = load i16, ptr addrspace(1) %from, align 2
  %begin.to = getelementptr inbounds i16, ptr addrspace(3) %base, i64 %l
  store i16 %copied, ptr addrspace(3) %begin.to, align 2
  br label %begun

begun:
  call void @__tsr_barrier(i32 2, i32 1)
  br label %loop

loop:
  %k = phi i64 [ 0, %begun ], [ %k.next, %latch ]
  %sum = phi <8 x i32> [ zeroinitializer, %begun ], [ %d, %latch ]
  %more = icmp ult i64 %k, %n
  br i1 %more, label %body, label %done

body:
  %k.next = add nuw nsw i64 %k, 1
  %turn = and i64 %k, 1
  %other = xor i64 %turn, 1
  %again = icmp ult i64 %k.next, %n
  br i1 %again, label %fill, label %filled

fill:
  %next.row = shl i64 %k.next, 5
  %next.at = add i64 %next.row, %l
  %next.from = getelementptr inbounds i16, ptr addrspace(1) %a, i64 %next.at
  %next = load i16, ptr addrspace(1) %next.from, align 2
  %to = getelementptr inbounds [32 x i16], ptr addrspace(3) %base, i64 %other, i64 %l
  store i16 %next, ptr addrspace(3) %to, align 2
  br label %filled

filled:
  %pair = and i64 %l, 3
  %column = lshr i64 %l, 2
  %row = shl nuw nsw i64 %pair, 3
  %place = or disjoint i64 %row, %column
  %p = getelementptr inbounds [32 x i16], ptr addrspace(3) %base, i64 %turn, i64 %place
  %v = load i16, ptr addrspace(3) %p, align 2
  %w = sext i16 %v to i32
  %y = insertelement <8 x i32> %x, i32 %w, i32 0
  %d = call spir_func <8 x i32> @_Z36intel_sub_group_i8_i8_matrix_mad_k32Dv8_iS_S_(<8 x i32> %y, <8 x i32> %x, <8 x i32> %sum)
  br label %latch

latch:
  call void @__tsr_barrier(i32 2, i32 1)
  br label %loop

done:
  %r = extractelement <8 x i32> %sum, i32 0
  %g = getelementptr inbounds i32, ptr addrspace(1) %c, i64 %l
  store i32 %r, ptr addrspace(1) %g, align 4
  ret void
}

define spir_kernel void @quotient_more(ptr addrspace(1) noalias %a, ptr addrspace(1) noalias %c, <8 x i32> %x, i64 %m) !reqd_work_group_size !0 {
entry:
  %l = call i64 @__tsr_local_id(i32 0)
  %base = call ptr addrspace(3) @__tsr_local_base()
  %n = lshr i64 %m, 4
  %any = icmp ugt i64 %m, 16
  br i1 %any, label %first, label %begun

first:
  %from = getelementptr inbounds i16, ptr addrspace(1) %a, i64 %l
  %copied = load i16, ptr addrspace(1) %from, align 2
  %begin.to = getelementptr inbounds i16, ptr addrspace(3) %base, i64 %l
  store i16 %copied, ptr addrspace(3) %begin.to, align 2
  br label %begun

begun:
  call void @__tsr_barrier(i32 2, i32 1)
  br label %loop

loop:
  %k = phi i64 [ 0, %begun ], [ %k.next, %latch ]
  %sum = phi <8 x i32> [ zeroinitializer, %begun ], [ %d, %latch ]
  %more = icmp ult i64 %k, %n
  br i1 %more, label %body, label %done

body:
  %k.next = add nuw nsw i64 %k, 1
  %turn = and i64 %k, 1
  %other = xor i64 %turn, 1
  %again = icmp ult i64 %k.next, %n
  br i1 %again, label %fill, label %filled

fill:
  %next.row = shl i64 %k.next, 5
  %next.at = add i64 %next.row, %l
  %next.from = getelementptr inbounds i16, ptr addrspace(1) %a, i64 %next.at
  %next = load i16, ptr addrspace(1) %next.from, align 2
  %to = getelementptr inbounds [32 x i16], ptr addrspace(3) %base, i64 %other, i64 %l
  store i16 %next, ptr addrspace(3) %to, align 2
  br label %filled

filled:
  %pair = and i64 %l, 3
  %column = lshr i64 %l, 2
  %row = shl nuw nsw i64 %pair, 3
  %place = or disjoint i64 %row, %column
  %p = getelementptr inbounds [32 x i16], ptr addrspace(3) %base, i64 %turn, i64 %place
  %v = load i16, ptr addrspace(3) %p, align 2
  %w = sext i16 %v to i32
  %y = insertelement <8 x i32> %x, i32 %w, i32 0
  %d = call spir_func <8 x i32> @_Z36intel_sub_group_i8_i8_matrix_mad_k32Dv8_iS_S_(<8 x i32> %y, <8 x i32> %x, <8 x i32> %sum)
  br label %latch

latch:
  call void @__tsr_barrier(i32 2, i32 1)
  br label %loop

done:
  %r = extractelement <8 x i32> %sum, i32 0
  %g = getelementptr inbounds i32, ptr addrspace(1) %c, i64 %l
  store i32 %r, ptr addrspace(1) %g, align 4
  ret void
}

!0 = !{i32 32, i32 1, i32 1}
