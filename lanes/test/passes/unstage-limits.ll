; SPDX-License-Identifier: Apache-2.0
; With two buffers and a copy in each round, of what the next one reads or of the last again, all is read through, but not if the one before the
; last is the limit. Nor is what a round stores that has loaded a number, but keeps the one of the round before.
; RUN: tessera-opt -packets=16 -cpu=avx2 -passes=unstage %s | FileCheck %s
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"

; CHECK-LABEL: define spir_kernel void @kept(
; CHECK: load i16, ptr addrspace(3)
; CHECK-LABEL: define spir_kernel void @limited(
; CHECK-NOT: addrspace(3)
; CHECK-NOT: alloca
; CHECK-NOT: @__tsr_barrier
; CHECK: ret void
; CHECK-LABEL: define spir_kernel void @limited_before(
; CHECK: load i16, ptr addrspace(3)

declare i64 @__tsr_local_id(i32) memory(none) nounwind willreturn
declare ptr addrspace(3) @__tsr_local_base() memory(none) nounwind willreturn
declare void @__tsr_barrier(i32, i32) convergent nounwind
declare i64 @llvm.smin.i64(i64, i64)
declare spir_func <8 x i32> @_Z36intel_sub_group_i8_i8_matrix_mad_k32Dv8_iS_S_(<8 x i32>, <8 x i32>, <8 x i32>) convergent nounwind memory(none)

define spir_kernel void @kept(ptr addrspace(1) noalias %a, ptr addrspace(1) noalias %c, <8 x i32> %x, i64 %pitch, i64 %n, i1 %flag) !reqd_work_group_size !0 {
entry:
  %l = call i64 @__tsr_local_id(i32 0)
  %base = call ptr addrspace(3) @__tsr_local_base()
  %from = getelementptr inbounds i16, ptr addrspace(1) %a, i64 %l
  %begin = load i16, ptr addrspace(1) %from, align 2
  br label %loop

loop:
  %k = phi i64 [ 0, %entry ], [ %k.next, %latch ]
  %own = phi i16 [ %begin, %entry ], [ %own.next, %latch ]
  %sum = phi <8 x i32> [ zeroinitializer, %entry ], [ %d, %latch ]
  %more = icmp slt i64 %k, %n
  br i1 %more, label %body, label %done

body:
  %k.next = add nuw nsw i64 %k, 1
  %to = getelementptr inbounds i16, ptr addrspace(3) %base, i64 %l
  store i16 %own, ptr addrspace(3) %to, align 2
  call void @__tsr_barrier(i32 2, i32 1)
  %at = add i64 %k.next, %l
  %from.next = getelementptr inbounds i16, ptr addrspace(1) %a, i64 %at
  %ahead = load i16, ptr addrspace(1) %from.next, align 2
  br i1 %flag, label %take, label %taken

take:
  call void @__tsr_barrier(i32 2, i32 1)
  br label %taken

taken:
  %own.next = phi i16 [ %ahead, %take ], [ %own, %body ]
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
  br label %latch

latch:
  br label %loop

done:
  %r = extractelement <8 x i32> %sum, i32 0
  %to.c = getelementptr inbounds i32, ptr addrspace(1) %c, i64 %l
  store i32 %r, ptr addrspace(1) %to.c, align 4
  ret void
}

define spir_kernel void @limited(ptr addrspace(1) noalias %a, ptr addrspace(1) noalias %c, <8 x i32> %x, i64 %pitch, i64 %n, i1 %flag) !reqd_work_group_size !0 {
entry:
  %l = call i64 @__tsr_local_id(i32 0)
  %base = call ptr addrspace(3) @__tsr_local_base()
  br label %f.head

f.head:
  %f = phi i64 [ 0, %entry ], [ %f.next, %f.body ]
  %f.more = icmp ult i64 %f, 4
  br i1 %f.more, label %f.body, label %f.done

f.body:
  %f.items = shl nuw nsw i64 %f, 5
  %f.number = add nuw nsw i64 %f.items, %l
  %f.row = lshr i64 %f.number, 3
  %f.column = and i64 %f.number, 7
  %f.begin = mul i64 %f.row, %pitch
  %f.in.row = add i64 %f.begin, %f.column
  %f.at = add i64 %f.in.row, 0
  %f.from = getelementptr inbounds i16, ptr addrspace(1) %a, i64 %f.at
  %f.loaded = load i16, ptr addrspace(1) %f.from, align 2
  %f.to = getelementptr inbounds [128 x i16], ptr addrspace(3) %base, i64 0, i64 %f.number
  store i16 %f.loaded, ptr addrspace(3) %f.to, align 2
  %f.next = add nuw nsw i64 %f, 1
  br label %f.head

f.done:
  call void @__tsr_barrier(i32 2, i32 1)
  br label %loop

loop:
  %k = phi i64 [ 0, %f.done ], [ %k.next, %latch ]
  %sum = phi <8 x i32> [ zeroinitializer, %f.done ], [ %d, %latch ]
  %more = icmp slt i64 %k, %n
  br i1 %more, label %body, label %done

body:
  %k.next = add nuw nsw i64 %k, 1
  %turn = and i64 %k, 1
  %other = xor i64 %turn, 1
  %last = add nsw i64 %n, -1
  %limited = call i64 @llvm.smin.i64(i64 %k.next, i64 %last)
  br label %s.head

s.head:
  %s = phi i64 [ 0, %body ], [ %s.next, %s.body ]
  %s.more = icmp ult i64 %s, 4
  br i1 %s.more, label %s.body, label %s.done

s.body:
  %s.items = shl nuw nsw i64 %s, 5
  %s.number = add nuw nsw i64 %s.items, %l
  %s.row = lshr i64 %s.number, 3
  %s.column = and i64 %s.number, 7
  %s.begin = mul i64 %s.row, %pitch
  %s.in.row = add i64 %s.begin, %s.column
  %s.at = add i64 %s.in.row, %limited
  %s.from = getelementptr inbounds i16, ptr addrspace(1) %a, i64 %s.at
  %s.loaded = load i16, ptr addrspace(1) %s.from, align 2
  %s.to = getelementptr inbounds [128 x i16], ptr addrspace(3) %base, i64 %other, i64 %s.number
  store i16 %s.loaded, ptr addrspace(3) %s.to, align 2
  %s.next = add nuw nsw i64 %s, 1
  br label %s.head

s.done:
  %row = and i64 %l, 15
  %column = lshr i64 %l, 4
  %rows = shl nuw nsw i64 %row, 3
  %place = or disjoint i64 %rows, %column
  %p = getelementptr inbounds [128 x i16], ptr addrspace(3) %base, i64 %turn, i64 %place
  %v = load i16, ptr addrspace(3) %p, align 2
  %w = sext i16 %v to i32
  %y = insertelement <8 x i32> %x, i32 %w, i32 0
  %d = call spir_func <8 x i32> @_Z36intel_sub_group_i8_i8_matrix_mad_k32Dv8_iS_S_(<8 x i32> %y, <8 x i32> %x, <8 x i32> %sum)
  call void @__tsr_barrier(i32 2, i32 1)
  br label %latch

latch:
  br label %loop

done:
  %r = extractelement <8 x i32> %sum, i32 0
  %to.c = getelementptr inbounds i32, ptr addrspace(1) %c, i64 %l
  store i32 %r, ptr addrspace(1) %to.c, align 4
  ret void
}

define spir_kernel void @limited_before(ptr addrspace(1) noalias %a, ptr addrspace(1) noalias %c, <8 x i32> %x, i64 %pitch, i64 %n, i1 %flag) !reqd_work_group_size !0 {
entry:
  %l = call i64 @__tsr_local_id(i32 0)
  %base = call ptr addrspace(3) @__tsr_local_base()
  br label %f.head

f.head:
  %f = phi i64 [ 0, %entry ], [ %f.next, %f.body ]
  %f.more = icmp ult i64 %f, 4
  br i1 %f.more, label %f.body, label %f.done

f.body:
  %f.items = shl nuw nsw i64 %f, 5
  %f.number = add nuw nsw i64 %f.items, %l
  %f.row = lshr i64 %f.number, 3
  %f.column = and i64 %f.number, 7
  %f.begin = mul i64 %f.row, %pitch
  %f.in.row = add i64 %f.begin, %f.column
  %f.at = add i64 %f.in.row, 0
  %f.from = getelementptr inbounds i16, ptr addrspace(1) %a, i64 %f.at
  %f.loaded = load i16, ptr addrspace(1) %f.from, align 2
  %f.to = getelementptr inbounds [128 x i16], ptr addrspace(3) %base, i64 0, i64 %f.number
  store i16 %f.loaded, ptr addrspace(3) %f.to, align 2
  %f.next = add nuw nsw i64 %f, 1
  br label %f.head

f.done:
  call void @__tsr_barrier(i32 2, i32 1)
  br label %loop

loop:
  %k = phi i64 [ 0, %f.done ], [ %k.next, %latch ]
  %sum = phi <8 x i32> [ zeroinitializer, %f.done ], [ %d, %latch ]
  %more = icmp slt i64 %k, %n
  br i1 %more, label %body, label %done

body:
  %k.next = add nuw nsw i64 %k, 1
  %turn = and i64 %k, 1
  %other = xor i64 %turn, 1
  %last = add nsw i64 %n, -2
  %limited = call i64 @llvm.smin.i64(i64 %k.next, i64 %last)
  br label %s.head

s.head:
  %s = phi i64 [ 0, %body ], [ %s.next, %s.body ]
  %s.more = icmp ult i64 %s, 4
  br i1 %s.more, label %s.body, label %s.done

s.body:
  %s.items = shl nuw nsw i64 %s, 5
  %s.number = add nuw nsw i64 %s.items, %l
  %s.row = lshr i64 %s.number, 3
  %s.column = and i64 %s.number, 7
  %s.begin = mul i64 %s.row, %pitch
  %s.in.row = add i64 %s.begin, %s.column
  %s.at = add i64 %s.in.row, %limited
  %s.from = getelementptr inbounds i16, ptr addrspace(1) %a, i64 %s.at
  %s.loaded = load i16, ptr addrspace(1) %s.from, align 2
  %s.to = getelementptr inbounds [128 x i16], ptr addrspace(3) %base, i64 %other, i64 %s.number
  store i16 %s.loaded, ptr addrspace(3) %s.to, align 2
  %s.next = add nuw nsw i64 %s, 1
  br label %s.head

s.done:
  %row = and i64 %l, 15
  %column = lshr i64 %l, 4
  %rows = shl nuw nsw i64 %row, 3
  %place = or disjoint i64 %rows, %column
  %p = getelementptr inbounds [128 x i16], ptr addrspace(3) %base, i64 %turn, i64 %place
  %v = load i16, ptr addrspace(3) %p, align 2
  %w = sext i16 %v to i32
  %y = insertelement <8 x i32> %x, i32 %w, i32 0
  %d = call spir_func <8 x i32> @_Z36intel_sub_group_i8_i8_matrix_mad_k32Dv8_iS_S_(<8 x i32> %y, <8 x i32> %x, <8 x i32> %sum)
  call void @__tsr_barrier(i32 2, i32 1)
  br label %latch

latch:
  br label %loop

done:
  %r = extractelement <8 x i32> %sum, i32 0
  %to.c = getelementptr inbounds i32, ptr addrspace(1) %c, i64 %l
  store i32 %r, ptr addrspace(1) %to.c, align 4
  ret void
}

!0 = !{i32 32, i32 1, i32 1}
