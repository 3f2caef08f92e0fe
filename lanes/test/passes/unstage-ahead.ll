; SPDX-License-Identifier: Apache-2.0
; A work-group of 32 copies 32 numbers of A into one of two buffers while it reads the other one, which the round before has filled: loads of
; global memory by the address of then take the place of those of local memory, and barriers go. The same with one buffer that is filled again
; behind the loads, with one that gets what the round before has loaded, and with three that are filled two rounds ahead. Where the copy is left out in a round that another one follows,
; where the copy before the loop is of another place than the one of round 0, where the load reads the buffer that is being filled, and where no barrier is in each round, all stays.
; RUN: tessera-opt -packets=16 -cpu=avx2 -passes=unstage %s | FileCheck %s
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"

; CHECK-LABEL: define spir_kernel void @in_turn(
; CHECK-NOT: addrspace(3)
; CHECK-NOT: @__tsr_barrier
; CHECK: [[K:%[a-z0-9.]+]] = phi i64 [ 0,
; CHECK: [[ROW:%[0-9]+]] = shl i64 [[K]], 5
; CHECK: [[AT:%[0-9]+]] = add i64 [[ROW]],
; CHECK: getelementptr i16, ptr addrspace(1) %a, i64 [[AT]]
; CHECK: load i16, ptr addrspace(1)
; CHECK-NOT: addrspace(3)
; CHECK: ret void
; CHECK-LABEL: define spir_kernel void @refilled(
; CHECK-NOT: addrspace(3)
; CHECK: ret void
; CHECK-LABEL: define spir_kernel void @registers(
; CHECK-NOT: addrspace(3)
; CHECK: ret void
; CHECK-LABEL: define spir_kernel void @registers_fewer(
; CHECK: load i16, ptr addrspace(3)
; CHECK-LABEL: define spir_kernel void @fewer(
; CHECK: load i16, ptr addrspace(3)
; CHECK-LABEL: define spir_kernel void @other_begin(
; CHECK: load i16, ptr addrspace(3)
; CHECK-LABEL: define spir_kernel void @being_filled(
; CHECK: load i16, ptr addrspace(3)
; CHECK-LABEL: define spir_kernel void @no_barrier(
; CHECK: load i16, ptr addrspace(3)
; CHECK-LABEL: define spir_kernel void @of_three(
; CHECK-NOT: addrspace(3)
; CHECK-NOT: @__tsr_barrier
; CHECK: [[K:%[a-z0-9.]+]] = phi i64 [ 0,
; CHECK: [[ROW:%[0-9]+]] = shl i64 [[K]], 5
; CHECK: [[AT:%[0-9]+]] = add i64 [[ROW]],
; CHECK: getelementptr i16, ptr addrspace(1) %a, i64 [[AT]]
; CHECK-NOT: addrspace(3)
; CHECK: ret void
; CHECK-LABEL: define spir_kernel void @of_three_by_quotient(
; CHECK-NOT: addrspace(3)
; CHECK: [[K:%[a-z0-9.]+]] = phi i64 [ 0,
; CHECK: lshr exact i64 [[K]], 4
; CHECK-NOT: addrspace(3)
; CHECK: ret void
; CHECK-LABEL: define spir_kernel void @of_three_fewer(
; CHECK: load i16, ptr addrspace(3)
; CHECK-LABEL: define spir_kernel void @of_three_other(
; CHECK: load i16, ptr addrspace(3)
; CHECK-LABEL: define spir_kernel void @of_three_twice(
; CHECK: load i16, ptr addrspace(3)
; The last round of this loop copies, too, and what is read behind it is that.
; CHECK-LABEL: define spir_kernel void @behind(
; CHECK: load i16, ptr addrspace(3)
; CHECK: load i16, ptr addrspace(3)

declare i64 @__tsr_local_id(i32) memory(none) nounwind willreturn
declare ptr addrspace(3) @__tsr_local_base() memory(none) nounwind willreturn
declare void @__tsr_barrier(i32, i32) convergent nounwind
declare spir_func <8 x i32> @_Z36intel_sub_group_i8_i8_matrix_mad_k32Dv8_iS_S_(<8 x i32>, <8 x i32>, <8 x i32>) convergent nounwind memory(none)

define spir_kernel void @in_turn(ptr addrspace(1) noalias %a, ptr addrspace(1) noalias %c, <8 x i32> %x, i64 %n) !reqd_work_group_size !0 {
entry:
  %l = call i64 @__tsr_local_id(i32 0)
  %base = call ptr addrspace(3) @__tsr_local_base()
  %from = getelementptr inbounds i16, ptr addrspace(1) %a, i64 %l
  %copied = load i16, ptr addrspace(1) %from, align 2
  %begin.to = getelementptr inbounds i16, ptr addrspace(3) %base, i64 %l
  store i16 %copied, ptr addrspace(3) %begin.to, align 2
  call void @__tsr_barrier(i32 2, i32 1)
  br label %loop

loop:
  %k = phi i64 [ 0, %entry ], [ %k.next, %latch ]
  %sum = phi <8 x i32> [ zeroinitializer, %entry ], [ %d, %latch ]
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

define spir_kernel void @refilled(ptr addrspace(1) noalias %a, ptr addrspace(1) noalias %c, <8 x i32> %x, i64 %n) !reqd_work_group_size !0 {
entry:
  %l = call i64 @__tsr_local_id(i32 0)
  %base = call ptr addrspace(3) @__tsr_local_base()
  %from = getelementptr inbounds i16, ptr addrspace(1) %a, i64 %l
  %copied = load i16, ptr addrspace(1) %from, align 2
  %begin.to = getelementptr inbounds i16, ptr addrspace(3) %base, i64 %l
  store i16 %copied, ptr addrspace(3) %begin.to, align 2
  call void @__tsr_barrier(i32 2, i32 1)
  br label %loop

loop:
  %k = phi i64 [ 0, %entry ], [ %k.next, %latch ]
  %sum = phi <8 x i32> [ zeroinitializer, %entry ], [ %d, %latch ]
  %more = icmp ult i64 %k, %n
  br i1 %more, label %body, label %done

body:
  %k.next = add nuw nsw i64 %k, 1
  %pair = and i64 %l, 3
  %column = lshr i64 %l, 2
  %row = shl nuw nsw i64 %pair, 3
  %place = or disjoint i64 %row, %column
  %p = getelementptr inbounds [32 x i16], ptr addrspace(3) %base, i64 0, i64 %place
  %v = load i16, ptr addrspace(3) %p, align 2
  %w = sext i16 %v to i32
  %y = insertelement <8 x i32> %x, i32 %w, i32 0
  %d = call spir_func <8 x i32> @_Z36intel_sub_group_i8_i8_matrix_mad_k32Dv8_iS_S_(<8 x i32> %y, <8 x i32> %x, <8 x i32> %sum)
  call void @__tsr_barrier(i32 2, i32 1)
  %again = icmp ult i64 %k.next, %n
  br i1 %again, label %fill, label %latch

fill:
  %next.row = shl i64 %k.next, 5
  %next.at = add i64 %next.row, %l
  %next.from = getelementptr inbounds i16, ptr addrspace(1) %a, i64 %next.at
  %next = load i16, ptr addrspace(1) %next.from, align 2
  %to = getelementptr inbounds [32 x i16], ptr addrspace(3) %base, i64 0, i64 %l
  store i16 %next, ptr addrspace(3) %to, align 2
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

define spir_kernel void @registers(ptr addrspace(1) noalias %a, ptr addrspace(1) noalias %c, <8 x i32> %x, i64 %n) !reqd_work_group_size !0 {
entry:
  %l = call i64 @__tsr_local_id(i32 0)
  %base = call ptr addrspace(3) @__tsr_local_base()
  %to = getelementptr inbounds i16, ptr addrspace(3) %base, i64 %l
  %from = getelementptr inbounds i16, ptr addrspace(1) %a, i64 %l
  %first = load i16, ptr addrspace(1) %from, align 2
  br label %loop

loop:
  %k = phi i64 [ 0, %entry ], [ %k.next, %latch ]
  %ahead = phi i16 [ %first, %entry ], [ %next, %latch ]
  %sum = phi <8 x i32> [ zeroinitializer, %entry ], [ %d, %latch ]
  %more = icmp ult i64 %k, %n
  br i1 %more, label %body, label %done

body:
  store i16 %ahead, ptr addrspace(3) %to, align 2
  call void @__tsr_barrier(i32 2, i32 1)
  %k.next = add nuw nsw i64 %k, 1
  %again = icmp ult i64 %k.next, %n
  br i1 %again, label %fetch, label %latch

fetch:
  %next.row = shl i64 %k.next, 5
  %next.at = add i64 %next.row, %l
  %next.from = getelementptr inbounds i16, ptr addrspace(1) %a, i64 %next.at
  %fetched = load i16, ptr addrspace(1) %next.from, align 2
  br label %latch

latch:
  %next = phi i16 [ %fetched, %fetch ], [ %ahead, %body ]
  %pair = and i64 %l, 3
  %column = lshr i64 %l, 2
  %row = shl nuw nsw i64 %pair, 3
  %place = or disjoint i64 %row, %column
  %p = getelementptr inbounds i16, ptr addrspace(3) %base, i64 %place
  %v = load i16, ptr addrspace(3) %p, align 2
  %w = sext i16 %v to i32
  %y = insertelement <8 x i32> %x, i32 %w, i32 0
  %d = call spir_func <8 x i32> @_Z36intel_sub_group_i8_i8_matrix_mad_k32Dv8_iS_S_(<8 x i32> %y, <8 x i32> %x, <8 x i32> %sum)
  call void @__tsr_barrier(i32 2, i32 1)
  br label %loop

done:
  %r = extractelement <8 x i32> %sum, i32 0
  %g = getelementptr inbounds i32, ptr addrspace(1) %c, i64 %l
  store i32 %r, ptr addrspace(1) %g, align 4
  ret void
}

define spir_kernel void @registers_fewer(ptr addrspace(1) noalias %a, ptr addrspace(1) noalias %c, <8 x i32> %x, i64 %n) !reqd_work_group_size !0 {
entry:
  %l = call i64 @__tsr_local_id(i32 0)
  %base = call ptr addrspace(3) @__tsr_local_base()
  %to = getelementptr inbounds i16, ptr addrspace(3) %base, i64 %l
  %from = getelementptr inbounds i16, ptr addrspace(1) %a, i64 %l
  %first = load i16, ptr addrspace(1) %from, align 2
  br label %loop

loop:
  %k = phi i64 [ 0, %entry ], [ %k.next, %latch ]
  %ahead = phi i16 [ %first, %entry ], [ %next, %latch ]
  %sum = phi <8 x i32> [ zeroinitializer, %entry ], [ %d, %latch ]
  %more = icmp ult i64 %k, %n
  br i1 %more, label %body, label %done

body:
  store i16 %ahead, ptr addrspace(3) %to, align 2
  call void @__tsr_barrier(i32 2, i32 1)
  %k.next = add nuw nsw i64 %k, 1
  %k.twice = add nuw nsw i64 %k, 2
  %again = icmp ult i64 %k.twice, %n
  br i1 %again, label %fetch, label %latch

fetch:
  %next.row = shl i64 %k.next, 5
  %next.at = add i64 %next.row, %l
  %next.from = getelementptr inbounds i16, ptr addrspace(1) %a, i64 %next.at
  %fetched = load i16, ptr addrspace(1) %next.from, align 2
  br label %latch

latch:
  %next = phi i16 [ %fetched, %fetch ], [ %ahead, %body ]
  %pair = and i64 %l, 3
  %column = lshr i64 %l, 2
  %row = shl nuw nsw i64 %pair, 3
  %place = or disjoint i64 %row, %column
  %p = getelementptr inbounds i16, ptr addrspace(3) %base, i64 %place
  %v = load i16, ptr addrspace(3) %p, align 2
  %w = sext i16 %v to i32
  %y = insertelement <8 x i32> %x, i32 %w, i32 0
  %d = call spir_func <8 x i32> @_Z36intel_sub_group_i8_i8_matrix_mad_k32Dv8_iS_S_(<8 x i32> %y, <8 x i32> %x, <8 x i32> %sum)
  call void @__tsr_barrier(i32 2, i32 1)
  br label %loop

done:
  %r = extractelement <8 x i32> %sum, i32 0
  %g = getelementptr inbounds i32, ptr addrspace(1) %c, i64 %l
  store i32 %r, ptr addrspace(1) %g, align 4
  ret void
}

define spir_kernel void @fewer(ptr addrspace(1) noalias %a, ptr addrspace(1) noalias %c, <8 x i32> %x, i64 %n) !reqd_work_group_size !0 {
entry:
  %l = call i64 @__tsr_local_id(i32 0)
  %base = call ptr addrspace(3) @__tsr_local_base()
  %from = getelementptr inbounds i16, ptr addrspace(1) %a, i64 %l
  %copied = load i16, ptr addrspace(1) %from, align 2
  %begin.to = getelementptr inbounds i16, ptr addrspace(3) %base, i64 %l
  store i16 %copied, ptr addrspace(3) %begin.to, align 2
  call void @__tsr_barrier(i32 2, i32 1)
  br label %loop

loop:
  %k = phi i64 [ 0, %entry ], [ %k.next, %latch ]
  %sum = phi <8 x i32> [ zeroinitializer, %entry ], [ %d, %latch ]
  %more = icmp ult i64 %k, %n
  br i1 %more, label %body, label %done

body:
  %k.next = add nuw nsw i64 %k, 1
  %k.twice = add nuw nsw i64 %k, 2
  %turn = and i64 %k, 1
  %other = xor i64 %turn, 1
  %again = icmp ult i64 %k.twice, %n
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

define spir_kernel void @other_begin(ptr addrspace(1) noalias %a, ptr addrspace(1) noalias %c, <8 x i32> %x, i64 %n) !reqd_work_group_size !0 {
entry:
  %l = call i64 @__tsr_local_id(i32 0)
  %base = call ptr addrspace(3) @__tsr_local_base()
  %begin = add i64 %l, 1
  %from = getelementptr inbounds i16, ptr addrspace(1) %a, i64 %begin
  %copied = load i16, ptr addrspace(1) %from, align 2
  %begin.to = getelementptr inbounds i16, ptr addrspace(3) %base, i64 %l
  store i16 %copied, ptr addrspace(3) %begin.to, align 2
  call void @__tsr_barrier(i32 2, i32 1)
  br label %loop

loop:
  %k = phi i64 [ 0, %entry ], [ %k.next, %latch ]
  %sum = phi <8 x i32> [ zeroinitializer, %entry ], [ %d, %latch ]
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

define spir_kernel void @being_filled(ptr addrspace(1) noalias %a, ptr addrspace(1) noalias %c, <8 x i32> %x, i64 %n) !reqd_work_group_size !0 {
entry:
  %l = call i64 @__tsr_local_id(i32 0)
  %base = call ptr addrspace(3) @__tsr_local_base()
  %from = getelementptr inbounds i16, ptr addrspace(1) %a, i64 %l
  %copied = load i16, ptr addrspace(1) %from, align 2
  %begin.to = getelementptr inbounds i16, ptr addrspace(3) %base, i64 %l
  store i16 %copied, ptr addrspace(3) %begin.to, align 2
  call void @__tsr_barrier(i32 2, i32 1)
  br label %loop

loop:
  %k = phi i64 [ 0, %entry ], [ %k.next, %latch ]
  %sum = phi <8 x i32> [ zeroinitializer, %entry ], [ %d, %latch ]
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
  %p = getelementptr inbounds [32 x i16], ptr addrspace(3) %base, i64 %other, i64 %place
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

define spir_kernel void @no_barrier(ptr addrspace(1) noalias %a, ptr addrspace(1) noalias %c, <8 x i32> %x, i64 %n) !reqd_work_group_size !0 {
entry:
  %l = call i64 @__tsr_local_id(i32 0)
  %base = call ptr addrspace(3) @__tsr_local_base()
  %from = getelementptr inbounds i16, ptr addrspace(1) %a, i64 %l
  %copied = load i16, ptr addrspace(1) %from, align 2
  %begin.to = getelementptr inbounds i16, ptr addrspace(3) %base, i64 %l
  store i16 %copied, ptr addrspace(3) %begin.to, align 2
  call void @__tsr_barrier(i32 2, i32 1)
  br label %loop

loop:
  %k = phi i64 [ 0, %entry ], [ %k.next, %latch ]
  %sum = phi <8 x i32> [ zeroinitializer, %entry ], [ %d, %latch ]
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
  br label %loop

done:
  %r = extractelement <8 x i32> %sum, i32 0
  %g = getelementptr inbounds i32, ptr addrspace(1) %c, i64 %l
  store i32 %r, ptr addrspace(1) %g, align 4
  ret void
}

define spir_kernel void @of_three(ptr addrspace(1) noalias %a, ptr addrspace(1) noalias %c, <8 x i32> %x, i64 %n) !reqd_work_group_size !0 {
entry:
  %l = call i64 @__tsr_local_id(i32 0)
  %base = call ptr addrspace(3) @__tsr_local_base()
  %from = getelementptr inbounds i16, ptr addrspace(1) %a, i64 %l
  %copied = load i16, ptr addrspace(1) %from, align 2
  %begin.to = getelementptr inbounds i16, ptr addrspace(3) %base, i64 %l
  store i16 %copied, ptr addrspace(3) %begin.to, align 2
  %second.at = or disjoint i64 %l, 32
  %second.from = getelementptr inbounds i16, ptr addrspace(1) %a, i64 %second.at
  %second = load i16, ptr addrspace(1) %second.from, align 2
  %second.to = getelementptr inbounds [32 x i16], ptr addrspace(3) %base, i64 1, i64 %l
  store i16 %second, ptr addrspace(3) %second.to, align 2
  br label %loop

loop:
  %k = phi i64 [ 0, %entry ], [ %k.next, %latch ]
  %stage = phi i64 [ 0, %entry ], [ %stage.next, %latch ]
  %sum = phi <8 x i32> [ zeroinitializer, %entry ], [ %d, %latch ]
  %more = icmp ult i64 %k, %n
  br i1 %more, label %body, label %done

body:
  call void @__tsr_barrier(i32 2, i32 1)
  %k.next = add nuw nsw i64 %k, 1
  %k.later = add nuw nsw i64 %k, 2
  %last = urem i64 %k.later, 3
  %again = icmp ult i64 %k.later, %n
  br i1 %again, label %fill, label %filled

fill:
  %next.row = shl i64 %k.later, 5
  %next.at = add i64 %next.row, %l
  %next.from = getelementptr inbounds i16, ptr addrspace(1) %a, i64 %next.at
  %next = load i16, ptr addrspace(1) %next.from, align 2
  %to = getelementptr inbounds [32 x i16], ptr addrspace(3) %base, i64 %last, i64 %l
  store i16 %next, ptr addrspace(3) %to, align 2
  br label %filled

filled:
  %pair = and i64 %l, 3
  %column = lshr i64 %l, 2
  %row = shl nuw nsw i64 %pair, 3
  %place = or disjoint i64 %row, %column
  %p = getelementptr inbounds [32 x i16], ptr addrspace(3) %base, i64 %stage, i64 %place
  %v = load i16, ptr addrspace(3) %p, align 2
  %w = sext i16 %v to i32
  %y = insertelement <8 x i32> %x, i32 %w, i32 0
  %d = call spir_func <8 x i32> @_Z36intel_sub_group_i8_i8_matrix_mad_k32Dv8_iS_S_(<8 x i32> %y, <8 x i32> %x, <8 x i32> %sum)
  br label %latch

latch:
  %stage.more = add nuw nsw i64 %stage, 1
  %stage.ends = icmp eq i64 %stage.more, 3
  %stage.next = select i1 %stage.ends, i64 0, i64 %stage.more
  br label %loop

done:
  %r = extractelement <8 x i32> %sum, i32 0
  %g = getelementptr inbounds i32, ptr addrspace(1) %c, i64 %l
  store i32 %r, ptr addrspace(1) %g, align 4
  ret void
}

define spir_kernel void @of_three_by_quotient(ptr addrspace(1) noalias %a, ptr addrspace(1) noalias %c, <8 x i32> %x, i64 %n) !reqd_work_group_size !0 {
entry:
  %l = call i64 @__tsr_local_id(i32 0)
  %base = call ptr addrspace(3) @__tsr_local_base()
  %from = getelementptr inbounds i16, ptr addrspace(1) %a, i64 %l
  %copied = load i16, ptr addrspace(1) %from, align 2
  %begin.to = getelementptr inbounds i16, ptr addrspace(3) %base, i64 %l
  store i16 %copied, ptr addrspace(3) %begin.to, align 2
  %second.at = or disjoint i64 %l, 32
  %second.from = getelementptr inbounds i16, ptr addrspace(1) %a, i64 %second.at
  %second = load i16, ptr addrspace(1) %second.from, align 2
  %second.to = getelementptr inbounds [32 x i16], ptr addrspace(3) %base, i64 1, i64 %l
  store i16 %second, ptr addrspace(3) %second.to, align 2
  br label %loop

loop:
  %k = phi i64 [ 0, %entry ], [ %k.next, %latch ]
  %stage = phi i64 [ 0, %entry ], [ %stage.next, %latch ]
  %sum = phi <8 x i32> [ zeroinitializer, %entry ], [ %d, %latch ]
  %more = icmp ult i64 %k, %n
  br i1 %more, label %body, label %done

body:
  call void @__tsr_barrier(i32 2, i32 1)
  %k.next = add nuw nsw i64 %k, 16
  %k.row = lshr exact i64 %k, 4
  %k.later = add nuw nsw i64 %k.row, 2
  %k.end = add nuw nsw i64 %k, 32
  %last = urem i64 %k.later, 3
  %again = icmp ult i64 %k.end, %n
  br i1 %again, label %fill, label %filled

fill:
  %next.row = shl i64 %k.later, 5
  %next.at = add i64 %next.row, %l
  %next.from = getelementptr inbounds i16, ptr addrspace(1) %a, i64 %next.at
  %next = load i16, ptr addrspace(1) %next.from, align 2
  %to = getelementptr inbounds [32 x i16], ptr addrspace(3) %base, i64 %last, i64 %l
  store i16 %next, ptr addrspace(3) %to, align 2
  br label %filled

filled:
  %pair = and i64 %l, 3
  %column = lshr i64 %l, 2
  %row = shl nuw nsw i64 %pair, 3
  %place = or disjoint i64 %row, %column
  %p = getelementptr inbounds [32 x i16], ptr addrspace(3) %base, i64 %stage, i64 %place
  %v = load i16, ptr addrspace(3) %p, align 2
  %w = sext i16 %v to i32
  %y = insertelement <8 x i32> %x, i32 %w, i32 0
  %d = call spir_func <8 x i32> @_Z36intel_sub_group_i8_i8_matrix_mad_k32Dv8_iS_S_(<8 x i32> %y, <8 x i32> %x, <8 x i32> %sum)
  br label %latch

latch:
  %stage.more = add nuw nsw i64 %stage, 1
  %stage.ends = icmp eq i64 %stage.more, 3
  %stage.next = select i1 %stage.ends, i64 0, i64 %stage.more
  br label %loop

done:
  %r = extractelement <8 x i32> %sum, i32 0
  %g = getelementptr inbounds i32, ptr addrspace(1) %c, i64 %l
  store i32 %r, ptr addrspace(1) %g, align 4
  ret void
}

define spir_kernel void @of_three_fewer(ptr addrspace(1) noalias %a, ptr addrspace(1) noalias %c, <8 x i32> %x, i64 %n) !reqd_work_group_size !0 {
entry:
  %l = call i64 @__tsr_local_id(i32 0)
  %base = call ptr addrspace(3) @__tsr_local_base()
  %from = getelementptr inbounds i16, ptr addrspace(1) %a, i64 %l
  %copied = load i16, ptr addrspace(1) %from, align 2
  %begin.to = getelementptr inbounds i16, ptr addrspace(3) %base, i64 %l
  store i16 %copied, ptr addrspace(3) %begin.to, align 2
  %second.at = or disjoint i64 %l, 32
  %second.from = getelementptr inbounds i16, ptr addrspace(1) %a, i64 %second.at
  %second = load i16, ptr addrspace(1) %second.from, align 2
  %second.to = getelementptr inbounds [32 x i16], ptr addrspace(3) %base, i64 1, i64 %l
  store i16 %second, ptr addrspace(3) %second.to, align 2
  br label %loop

loop:
  %k = phi i64 [ 0, %entry ], [ %k.next, %latch ]
  %stage = phi i64 [ 0, %entry ], [ %stage.next, %latch ]
  %sum = phi <8 x i32> [ zeroinitializer, %entry ], [ %d, %latch ]
  %more = icmp ult i64 %k, %n
  br i1 %more, label %body, label %done

body:
  call void @__tsr_barrier(i32 2, i32 1)
  %k.next = add nuw nsw i64 %k, 1
  %k.later = add nuw nsw i64 %k, 2
  %last = urem i64 %k.later, 3
  %k.further = add nuw nsw i64 %k, 3
  %again = icmp ult i64 %k.further, %n
  br i1 %again, label %fill, label %filled

fill:
  %next.row = shl i64 %k.later, 5
  %next.at = add i64 %next.row, %l
  %next.from = getelementptr inbounds i16, ptr addrspace(1) %a, i64 %next.at
  %next = load i16, ptr addrspace(1) %next.from, align 2
  %to = getelementptr inbounds [32 x i16], ptr addrspace(3) %base, i64 %last, i64 %l
  store i16 %next, ptr addrspace(3) %to, align 2
  br label %filled

filled:
  %pair = and i64 %l, 3
  %column = lshr i64 %l, 2
  %row = shl nuw nsw i64 %pair, 3
  %place = or disjoint i64 %row, %column
  %p = getelementptr inbounds [32 x i16], ptr addrspace(3) %base, i64 %stage, i64 %place
  %v = load i16, ptr addrspace(3) %p, align 2
  %w = sext i16 %v to i32
  %y = insertelement <8 x i32> %x, i32 %w, i32 0
  %d = call spir_func <8 x i32> @_Z36intel_sub_group_i8_i8_matrix_mad_k32Dv8_iS_S_(<8 x i32> %y, <8 x i32> %x, <8 x i32> %sum)
  br label %latch

latch:
  %stage.more = add nuw nsw i64 %stage, 1
  %stage.ends = icmp eq i64 %stage.more, 3
  %stage.next = select i1 %stage.ends, i64 0, i64 %stage.more
  br label %loop

done:
  %r = extractelement <8 x i32> %sum, i32 0
  %g = getelementptr inbounds i32, ptr addrspace(1) %c, i64 %l
  store i32 %r, ptr addrspace(1) %g, align 4
  ret void
}

define spir_kernel void @of_three_other(ptr addrspace(1) noalias %a, ptr addrspace(1) noalias %c, <8 x i32> %x, i64 %n) !reqd_work_group_size !0 {
entry:
  %l = call i64 @__tsr_local_id(i32 0)
  %base = call ptr addrspace(3) @__tsr_local_base()
  %from = getelementptr inbounds i16, ptr addrspace(1) %a, i64 %l
  %copied = load i16, ptr addrspace(1) %from, align 2
  %begin.to = getelementptr inbounds i16, ptr addrspace(3) %base, i64 %l
  store i16 %copied, ptr addrspace(3) %begin.to, align 2
  %second.at = or disjoint i64 %l, 64
  %second.from = getelementptr inbounds i16, ptr addrspace(1) %a, i64 %second.at
  %second = load i16, ptr addrspace(1) %second.from, align 2
  %second.to = getelementptr inbounds [32 x i16], ptr addrspace(3) %base, i64 1, i64 %l
  store i16 %second, ptr addrspace(3) %second.to, align 2
  br label %loop

loop:
  %k = phi i64 [ 0, %entry ], [ %k.next, %latch ]
  %stage = phi i64 [ 0, %entry ], [ %stage.next, %latch ]
  %sum = phi <8 x i32> [ zeroinitializer, %entry ], [ %d, %latch ]
  %more = icmp ult i64 %k, %n
  br i1 %more, label %body, label %done

body:
  call void @__tsr_barrier(i32 2, i32 1)
  %k.next = add nuw nsw i64 %k, 1
  %k.later = add nuw nsw i64 %k, 2
  %last = urem i64 %k.later, 3
  %again = icmp ult i64 %k.later, %n
  br i1 %again, label %fill, label %filled

fill:
  %next.row = shl i64 %k.later, 5
  %next.at = add i64 %next.row, %l
  %next.from = getelementptr inbounds i16, ptr addrspace(1) %a, i64 %next.at
  %next = load i16, ptr addrspace(1) %next.from, align 2
  %to = getelementptr inbounds [32 x i16], ptr addrspace(3) %base, i64 %last, i64 %l
  store i16 %next, ptr addrspace(3) %to, align 2
  br label %filled

filled:
  %pair = and i64 %l, 3
  %column = lshr i64 %l, 2
  %row = shl nuw nsw i64 %pair, 3
  %place = or disjoint i64 %row, %column
  %p = getelementptr inbounds [32 x i16], ptr addrspace(3) %base, i64 %stage, i64 %place
  %v = load i16, ptr addrspace(3) %p, align 2
  %w = sext i16 %v to i32
  %y = insertelement <8 x i32> %x, i32 %w, i32 0
  %d = call spir_func <8 x i32> @_Z36intel_sub_group_i8_i8_matrix_mad_k32Dv8_iS_S_(<8 x i32> %y, <8 x i32> %x, <8 x i32> %sum)
  br label %latch

latch:
  %stage.more = add nuw nsw i64 %stage, 1
  %stage.ends = icmp eq i64 %stage.more, 3
  %stage.next = select i1 %stage.ends, i64 0, i64 %stage.more
  br label %loop

done:
  %r = extractelement <8 x i32> %sum, i32 0
  %g = getelementptr inbounds i32, ptr addrspace(1) %c, i64 %l
  store i32 %r, ptr addrspace(1) %g, align 4
  ret void
}

define spir_kernel void @of_three_twice(ptr addrspace(1) noalias %a, ptr addrspace(1) noalias %c, <8 x i32> %x, i64 %n) !reqd_work_group_size !0 {
entry:
  %l = call i64 @__tsr_local_id(i32 0)
  %base = call ptr addrspace(3) @__tsr_local_base()
  %from = getelementptr inbounds i16, ptr addrspace(1) %a, i64 %l
  %copied = load i16, ptr addrspace(1) %from, align 2
  %begin.to = getelementptr inbounds i16, ptr addrspace(3) %base, i64 %l
  store i16 %copied, ptr addrspace(3) %begin.to, align 2
  %second.at = or disjoint i64 %l, 32
  %second.from = getelementptr inbounds i16, ptr addrspace(1) %a, i64 %second.at
  %second = load i16, ptr addrspace(1) %second.from, align 2
  %second.to = getelementptr inbounds [32 x i16], ptr addrspace(3) %base, i64 1, i64 %l
  store i16 %second, ptr addrspace(3) %second.to, align 2
  br label %loop

loop:
  %k = phi i64 [ 0, %entry ], [ %k.next, %latch ]
  %stage = phi i64 [ 0, %entry ], [ %stage.next, %latch ]
  %sum = phi <8 x i32> [ zeroinitializer, %entry ], [ %d, %latch ]
  %more = icmp ult i64 %k, %n
  br i1 %more, label %body, label %done

body:
  call void @__tsr_barrier(i32 2, i32 1)
  %k.next = add nuw nsw i64 %k, 1
  %k.later = add nuw nsw i64 %k, 2
  %last = urem i64 %k.later, 3
  %again = icmp ult i64 %k.later, %n
  br i1 %again, label %fill, label %filled

fill:
  %next.row = shl i64 %k.later, 5
  %next.at = add i64 %next.row, %l
  %next.from = getelementptr inbounds i16, ptr addrspace(1) %a, i64 %next.at
  %next = load i16, ptr addrspace(1) %next.from, align 2
  %to = getelementptr inbounds [32 x i16], ptr addrspace(3) %base, i64 %last, i64 %l
  store i16 %next, ptr addrspace(3) %to, align 2
  %more.from = getelementptr inbounds i16, ptr addrspace(1) %next.from, i64 1
  %more.next = load i16, ptr addrspace(1) %more.from, align 2
  store i16 %more.next, ptr addrspace(3) %to, align 2
  br label %filled

filled:
  %pair = and i64 %l, 3
  %column = lshr i64 %l, 2
  %row = shl nuw nsw i64 %pair, 3
  %place = or disjoint i64 %row, %column
  %p = getelementptr inbounds [32 x i16], ptr addrspace(3) %base, i64 %stage, i64 %place
  %v = load i16, ptr addrspace(3) %p, align 2
  %w = sext i16 %v to i32
  %y = insertelement <8 x i32> %x, i32 %w, i32 0
  %d = call spir_func <8 x i32> @_Z36intel_sub_group_i8_i8_matrix_mad_k32Dv8_iS_S_(<8 x i32> %y, <8 x i32> %x, <8 x i32> %sum)
  br label %latch

latch:
  %stage.more = add nuw nsw i64 %stage, 1
  %stage.ends = icmp eq i64 %stage.more, 3
  %stage.next = select i1 %stage.ends, i64 0, i64 %stage.more
  br label %loop

done:
  %r = extractelement <8 x i32> %sum, i32 0
  %g = getelementptr inbounds i32, ptr addrspace(1) %c, i64 %l
  store i32 %r, ptr addrspace(1) %g, align 4
  ret void
}

define spir_kernel void @behind(ptr addrspace(1) noalias %a, ptr addrspace(1) noalias %c, <8 x i32> %x, i64 %n) !reqd_work_group_size !0 {
entry:
  %l = call i64 @__tsr_local_id(i32 0)
  %base = call ptr addrspace(3) @__tsr_local_base()
  %to = getelementptr inbounds i16, ptr addrspace(3) %base, i64 %l
  %from = getelementptr inbounds i16, ptr addrspace(1) %a, i64 %l
  %first = load i16, ptr addrspace(1) %from, align 2
  store i16 %first, ptr addrspace(3) %to, align 2
  %pair = and i64 %l, 3
  %column = lshr i64 %l, 2
  %row = shl nuw nsw i64 %pair, 3
  %place = or disjoint i64 %row, %column
  %p = getelementptr inbounds i16, ptr addrspace(3) %base, i64 %place
  br label %loop

loop:
  %k = phi i64 [ 0, %entry ], [ %k.next, %loop ]
  %sum = phi <8 x i32> [ zeroinitializer, %entry ], [ %d, %loop ]
  call void @__tsr_barrier(i32 2, i32 1)
  %v = load i16, ptr addrspace(3) %p, align 2
  %w = sext i16 %v to i32
  %y = insertelement <8 x i32> %x, i32 %w, i32 0
  %d = call spir_func <8 x i32> @_Z36intel_sub_group_i8_i8_matrix_mad_k32Dv8_iS_S_(<8 x i32> %y, <8 x i32> %x, <8 x i32> %sum)
  call void @__tsr_barrier(i32 2, i32 1)
  %k.next = add nuw nsw i64 %k, 1
  %next.row = shl i64 %k.next, 5
  %next.at = add i64 %next.row, %l
  %next.from = getelementptr inbounds i16, ptr addrspace(1) %a, i64 %next.at
  %next = load i16, ptr addrspace(1) %next.from, align 2
  store i16 %next, ptr addrspace(3) %to, align 2
  %more = icmp ult i64 %k.next, %n
  br i1 %more, label %loop, label %done

done:
  call void @__tsr_barrier(i32 2, i32 1)
  %last = load i16, ptr addrspace(3) %p, align 2
  %last.wide = sext i16 %last to i32
  %r = extractelement <8 x i32> %d, i32 0
  %all = add i32 %r, %last.wide
  %g = getelementptr inbounds i32, ptr addrspace(1) %c, i64 %l
  store i32 %all, ptr addrspace(1) %g, align 4
  ret void
}

!0 = !{i32 32, i32 1, i32 1}
