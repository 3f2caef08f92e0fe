; SPDX-License-Identifier: Apache-2.0
; A work-group of 32 copies 128 numbers of A into local memory, four of each work-item, by way of a private array: one loop fills the array,
; another one stores it to local memory, behind the loads of local memory or in front of them. Rows of eight follow each other in
; local memory, and are %pitch apart in A. Loads of global memory take the place of those of local memory, and nothing of the array is left.
; RUN: tessera-opt -packets=16 -cpu=avx2 -passes=unstage %s | FileCheck %s
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"

; CHECK-LABEL: define spir_kernel void @next(
; CHECK-NOT: addrspace(3)
; CHECK-NOT: alloca
; CHECK-NOT: @__tsr_barrier
; CHECK: [[ROW:%[0-9]+]] = and i64 %l, 15
; CHECK: [[COLUMN:%[0-9]+]] = lshr i64 %l, 4
; CHECK: %k = phi i64 [ 0,
; CHECK: [[BEHIND:%[0-9]+]] = mul nuw nsw i64 [[COLUMN]], 2
; CHECK: [[OF_ROW:%[0-9]+]] = add nuw nsw i64 %{{[0-9]+}}, [[ROW]]
; CHECK: [[BEGIN:%[0-9]+]] = mul i64 [[OF_ROW]], %pitch
; CHECK: [[IN_ROW:%[0-9]+]] = add i64 [[BEGIN]], 0
; CHECK: [[AT:%[0-9]+]] = add i64 [[IN_ROW]], %k
; CHECK: [[FIRST:%[0-9]+]] = getelementptr i16, ptr addrspace(1) %a, i64 [[AT]]
; CHECK: [[FROM:%[0-9]+]] = getelementptr inbounds i8, ptr addrspace(1) [[FIRST]], i64 [[BEHIND]]
; CHECK: load i16, ptr addrspace(1) [[FROM]]
; CHECK-NOT: addrspace(3)
; CHECK: ret void
; CHECK-LABEL: define spir_kernel void @before_products(
; CHECK-NOT: addrspace(3)
; CHECK-NOT: alloca
; CHECK-NOT: @__tsr_barrier
; CHECK: ret void

declare i64 @__tsr_local_id(i32) memory(none) nounwind willreturn
declare ptr addrspace(3) @__tsr_local_base() memory(none) nounwind willreturn
declare void @__tsr_barrier(i32, i32) convergent nounwind
declare i64 @llvm.smin.i64(i64, i64)
declare spir_func <8 x i32> @_Z36intel_sub_group_i8_i8_matrix_mad_k32Dv8_iS_S_(<8 x i32>, <8 x i32>, <8 x i32>) convergent nounwind memory(none)

define spir_kernel void @next(ptr addrspace(1) noalias %a, ptr addrspace(1) noalias %c, <8 x i32> %x, i64 %pitch, i64 %n, i1 %flag) !reqd_work_group_size !0 {
entry:
  %next = alloca [4 x i16], align 2
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
  %f.element = getelementptr inbounds i16, ptr %next, i64 %f
  store i16 %f.loaded, ptr %f.element, align 2
  %f.next = add nuw nsw i64 %f, 1
  br label %f.head

f.done:
  br label %u.head

u.head:
  %u = phi i64 [ 0, %f.done ], [ %u.next, %u.body ]
  %u.more = icmp ult i64 %u, 4
  br i1 %u.more, label %u.body, label %u.done

u.body:
  %u.items = shl nuw nsw i64 %u, 5
  %u.number = add nuw nsw i64 %u.items, %l
  %u.element = getelementptr inbounds i16, ptr %next, i64 %u
  %u.kept = load i16, ptr %u.element, align 2
  %u.to = getelementptr inbounds i16, ptr addrspace(3) %base, i64 %u.number
  store i16 %u.kept, ptr addrspace(3) %u.to, align 2
  %u.next = add nuw nsw i64 %u, 1
  br label %u.head

u.done:
  call void @__tsr_barrier(i32 2, i32 1)
  br label %loop

loop:
  %k = phi i64 [ 0, %u.done ], [ %k.next, %latch ]
  %sum = phi <8 x i32> [ zeroinitializer, %u.done ], [ %d, %latch ]
  %more = icmp slt i64 %k, %n
  br i1 %more, label %body, label %done

body:
  %k.next = add nuw nsw i64 %k, 1
  %again = icmp slt i64 %k.next, %n
  br i1 %again, label %more.to.load, label %loaded

more.to.load:
  br label %g.head

g.head:
  %g = phi i64 [ 0, %more.to.load ], [ %g.next, %g.body ]
  %g.more = icmp ult i64 %g, 4
  br i1 %g.more, label %g.body, label %g.done

g.body:
  %g.items = shl nuw nsw i64 %g, 5
  %g.number = add nuw nsw i64 %g.items, %l
  %g.row = lshr i64 %g.number, 3
  %g.column = and i64 %g.number, 7
  %g.begin = mul i64 %g.row, %pitch
  %g.in.row = add i64 %g.begin, %g.column
  %g.at = add i64 %g.in.row, %k.next
  %g.from = getelementptr inbounds i16, ptr addrspace(1) %a, i64 %g.at
  %g.loaded = load i16, ptr addrspace(1) %g.from, align 2
  %g.element = getelementptr inbounds i16, ptr %next, i64 %g
  store i16 %g.loaded, ptr %g.element, align 2
  %g.next = add nuw nsw i64 %g, 1
  br label %g.head

g.done:
  br label %loaded

loaded:
  %row = and i64 %l, 15
  %column = lshr i64 %l, 4
  %rows = shl nuw nsw i64 %row, 3
  %place = or disjoint i64 %rows, %column
  %p = getelementptr inbounds [128 x i16], ptr addrspace(3) %base, i64 0, i64 %place
  %v = load i16, ptr addrspace(3) %p, align 2
  %w = sext i16 %v to i32
  %y = insertelement <8 x i32> %x, i32 %w, i32 0
  %d = call spir_func <8 x i32> @_Z36intel_sub_group_i8_i8_matrix_mad_k32Dv8_iS_S_(<8 x i32> %y, <8 x i32> %x, <8 x i32> %sum)
  call void @__tsr_barrier(i32 2, i32 1)
  br label %s.head

s.head:
  %s = phi i64 [ 0, %loaded ], [ %s.next, %s.body ]
  %s.more = icmp ult i64 %s, 4
  br i1 %s.more, label %s.body, label %s.done

s.body:
  %s.items = shl nuw nsw i64 %s, 5
  %s.number = add nuw nsw i64 %s.items, %l
  %s.element = getelementptr inbounds i16, ptr %next, i64 %s
  %s.kept = load i16, ptr %s.element, align 2
  %s.to = getelementptr inbounds i16, ptr addrspace(3) %base, i64 %s.number
  store i16 %s.kept, ptr addrspace(3) %s.to, align 2
  %s.next = add nuw nsw i64 %s, 1
  br label %s.head

s.done:
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

define spir_kernel void @before_products(ptr addrspace(1) noalias %a, ptr addrspace(1) noalias %c, <8 x i32> %x, i64 %pitch, i64 %n, i1 %flag) !reqd_work_group_size !0 {
entry:
  %next = alloca [4 x i16], align 2
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
  %f.element = getelementptr inbounds i16, ptr %next, i64 %f
  store i16 %f.loaded, ptr %f.element, align 2
  %f.next = add nuw nsw i64 %f, 1
  br label %f.head

f.done:
  br label %loop

loop:
  %k = phi i64 [ 0, %f.done ], [ %k.next, %latch ]
  %sum = phi <8 x i32> [ zeroinitializer, %f.done ], [ %d, %latch ]
  %more = icmp slt i64 %k, %n
  br i1 %more, label %body, label %done

body:
  %k.next = add nuw nsw i64 %k, 1
  br label %s.head

s.head:
  %s = phi i64 [ 0, %body ], [ %s.next, %s.body ]
  %s.more = icmp ult i64 %s, 4
  br i1 %s.more, label %s.body, label %s.done

s.body:
  %s.items = shl nuw nsw i64 %s, 5
  %s.number = add nuw nsw i64 %s.items, %l
  %s.element = getelementptr inbounds i16, ptr %next, i64 %s
  %s.kept = load i16, ptr %s.element, align 2
  %s.to = getelementptr inbounds i16, ptr addrspace(3) %base, i64 %s.number
  store i16 %s.kept, ptr addrspace(3) %s.to, align 2
  %s.next = add nuw nsw i64 %s, 1
  br label %s.head

s.done:
  call void @__tsr_barrier(i32 2, i32 1)
  %again = icmp slt i64 %k.next, %n
  br i1 %again, label %more.to.load, label %loaded

more.to.load:
  br label %g.head

g.head:
  %g = phi i64 [ 0, %more.to.load ], [ %g.next, %g.body ]
  %g.more = icmp ult i64 %g, 4
  br i1 %g.more, label %g.body, label %g.done

g.body:
  %g.items = shl nuw nsw i64 %g, 5
  %g.number = add nuw nsw i64 %g.items, %l
  %g.row = lshr i64 %g.number, 3
  %g.column = and i64 %g.number, 7
  %g.begin = mul i64 %g.row, %pitch
  %g.in.row = add i64 %g.begin, %g.column
  %g.at = add i64 %g.in.row, %k.next
  %g.from = getelementptr inbounds i16, ptr addrspace(1) %a, i64 %g.at
  %g.loaded = load i16, ptr addrspace(1) %g.from, align 2
  %g.element = getelementptr inbounds i16, ptr %next, i64 %g
  store i16 %g.loaded, ptr %g.element, align 2
  %g.next = add nuw nsw i64 %g, 1
  br label %g.head

g.done:
  br label %loaded

loaded:
  %row = and i64 %l, 15
  %column = lshr i64 %l, 4
  %rows = shl nuw nsw i64 %row, 3
  %place = or disjoint i64 %rows, %column
  %p = getelementptr inbounds [128 x i16], ptr addrspace(3) %base, i64 0, i64 %place
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
