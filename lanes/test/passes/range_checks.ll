; SPDX-License-Identifier: Apache-2.0
; A loop that loads only what is inside of a matrix is split: first rounds in which all checks hold for the largest ids of the work-group,
; without them; then the loop as it was, unless all rounds are done. A bound that differs between work-items, or a check for equality
; with what grows, keeps it as it is. Packets that lack work-items run the loop as it was.
; RUN: tessera-opt -packets=16 -cpu=avx2 -passes=range_checks %s | FileCheck %s
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"

; CHECK-LABEL: define spir_kernel void @inside(
; CHECK: call i64 @__tsr_local_size(i32 0)
; CHECK: [[WHOLE:%[0-9]+]] = call i32 @__tsr_whole_packet()
; CHECK: [[FULL:%[0-9]+]] = icmp ne i32 [[WHOLE]], 0
; CHECK: [[STOP:%[0-9]+]] = trunc i64 %{{[0-9]+}} to i32
; CHECK: [[SOME:%[0-9]+]] = icmp slt i32 0, [[STOP]]
; CHECK: [[ENTER:%[0-9]+]] = and i1 [[SOME]], [[FULL]]
; CHECK: br i1 [[ENTER]], label %inside, label %rest
; CHECK: inside:
; CHECK-NOT: br i1
; CHECK: load <8 x i32>
; CHECK-NOT: br i1
; CHECK: call spir_func <8 x i32> @_Z36intel_sub_group_i8_i8_matrix_mad_k32Dv8_iS_S_(
; CHECK: [[MORE:%[0-9]+]] = icmp slt i32 %{{[0-9]+}}, [[STOP]]
; CHECK: br i1 [[MORE]], label %inside, label %rest
; CHECK: rest:
; CHECK: phi <8 x i32> [ zeroinitializer, %entry ], [ %{{[0-9]+}}, %inside ]
; CHECK: br i1 %{{[0-9]+}}, label %done, label %loop
; CHECK: loop:
; CHECK: br i1 %in, label %fetch, label %multiply

; Two pointers are exchanged in each round, and one is used behind the loop: it comes from the first rounds if these are all.
; CHECK-LABEL: define spir_kernel void @exchanged(
; CHECK: inside:
; CHECK-DAG: [[C:%[0-9]+]] = phi ptr addrspace(1) [ %c, %entry ], [ [[OTHER:%[0-9]+]], %inside ]
; CHECK-DAG: [[OTHER]] = phi ptr addrspace(1) [ %other, %entry ], [ [[C]], %inside ]
; CHECK: rest:
; CHECK: done:
; CHECK-NEXT: phi
; CHECK-NEXT: [[AT:%[0-9a-z.]+]] = phi ptr addrspace(1) [ %{{[0-9a-z.]+}}, %multiply ], [ [[LAST:%[0-9]+]], %rest ]
; CHECK: store <8 x i32> %{{[0-9a-z.]+}}, ptr addrspace(1) [[AT]]

; A counter that begins below zero is a large number without a sign at first: no round runs without the check.
; CHECK-LABEL: define spir_kernel void @below_zero(
; CHECK: freeze i1 false
; CHECK: rest:

; CHECK-LABEL: define spir_kernel void @bound_of_item(
; CHECK-NOT: inside:
; CHECK-LABEL: define spir_kernel void @equal(
; CHECK-NOT: inside:
; The index of the next round, or 0 where there is none, is no check either.
; CHECK-LABEL: define spir_kernel void @begins_again(
; CHECK-NOT: inside:

declare i64 @__tsr_local_id(i32) memory(none) nounwind willreturn
declare spir_func <8 x i32> @_Z36intel_sub_group_i8_i8_matrix_mad_k32Dv8_iS_S_(<8 x i32>, <8 x i32>, <8 x i32>) convergent nounwind memory(none)

define spir_kernel void @inside(ptr addrspace(1) %a, ptr addrspace(1) %c, <8 x i32> %b, i32 %n) {
entry:
  %id = call i64 @__tsr_local_id(i32 0)
  %i = trunc i64 %id to i32
  br label %loop

loop:
  %k = phi i32 [ 0, %entry ], [ %k.next, %multiply ]
  %sum = phi <8 x i32> [ zeroinitializer, %entry ], [ %d, %multiply ]
  %at = add nsw i32 %k, %i
  %in = icmp slt i32 %at, %n
  br i1 %in, label %fetch, label %multiply

fetch:
  %wide = sext i32 %at to i64
  %p = getelementptr inbounds <8 x i32>, ptr addrspace(1) %a, i64 %wide
  %fetched = load <8 x i32>, ptr addrspace(1) %p, align 4
  br label %multiply

multiply:
  %x = phi <8 x i32> [ %fetched, %fetch ], [ zeroinitializer, %loop ]
  %d = call spir_func <8 x i32> @_Z36intel_sub_group_i8_i8_matrix_mad_k32Dv8_iS_S_(<8 x i32> %x, <8 x i32> %b, <8 x i32> %sum)
  %k.next = add nuw nsw i32 %k, 16
  %more = icmp slt i32 %k.next, %n
  br i1 %more, label %loop, label %done

done:
  store <8 x i32> %d, ptr addrspace(1) %c, align 4
  ret void
}

define spir_kernel void @exchanged(ptr addrspace(1) %a, ptr addrspace(1) %c, ptr addrspace(1) %other, <8 x i32> %b, i32 %n) {
entry:
  %id = call i64 @__tsr_local_id(i32 0)
  %i = trunc i64 %id to i32
  br label %loop

loop:
  %k = phi i32 [ 0, %entry ], [ %k.next, %multiply ]
  %sum = phi <8 x i32> [ zeroinitializer, %entry ], [ %d, %multiply ]
  %now = phi ptr addrspace(1) [ %c, %entry ], [ %next, %multiply ]
  %next = phi ptr addrspace(1) [ %other, %entry ], [ %now, %multiply ]
  %at = add nsw i32 %k, %i
  %in = icmp slt i32 %at, %n
  br i1 %in, label %fetch, label %multiply

fetch:
  %wide = sext i32 %at to i64
  %p = getelementptr inbounds <8 x i32>, ptr addrspace(1) %a, i64 %wide
  %fetched = load <8 x i32>, ptr addrspace(1) %p, align 4
  br label %multiply

multiply:
  %x = phi <8 x i32> [ %fetched, %fetch ], [ zeroinitializer, %loop ]
  %d = call spir_func <8 x i32> @_Z36intel_sub_group_i8_i8_matrix_mad_k32Dv8_iS_S_(<8 x i32> %x, <8 x i32> %b, <8 x i32> %sum)
  %k.next = add nuw nsw i32 %k, 16
  %more = icmp slt i32 %k.next, %n
  br i1 %more, label %loop, label %done

done:
  store <8 x i32> %d, ptr addrspace(1) %next, align 4
  ret void
}

define spir_kernel void @below_zero(ptr addrspace(1) %a, ptr addrspace(1) %c, <8 x i32> %b, i32 %n) {
entry:
  %id = call i64 @__tsr_local_id(i32 0)
  %i = trunc i64 %id to i32
  br label %loop

loop:
  %k = phi i32 [ -16, %entry ], [ %k.next, %multiply ]
  %sum = phi <8 x i32> [ zeroinitializer, %entry ], [ %d, %multiply ]
  %at = add nsw i32 %k, %i
  %in = icmp ult i32 %k, %n
  br i1 %in, label %fetch, label %multiply

fetch:
  %wide = sext i32 %at to i64
  %p = getelementptr inbounds <8 x i32>, ptr addrspace(1) %a, i64 %wide
  %fetched = load <8 x i32>, ptr addrspace(1) %p, align 4
  br label %multiply

multiply:
  %x = phi <8 x i32> [ %fetched, %fetch ], [ zeroinitializer, %loop ]
  %d = call spir_func <8 x i32> @_Z36intel_sub_group_i8_i8_matrix_mad_k32Dv8_iS_S_(<8 x i32> %x, <8 x i32> %b, <8 x i32> %sum)
  %k.next = add nsw i32 %k, 16
  %more = icmp slt i32 %k.next, %n
  br i1 %more, label %loop, label %done

done:
  store <8 x i32> %d, ptr addrspace(1) %c, align 4
  ret void
}

define spir_kernel void @bound_of_item(ptr addrspace(1) %a, ptr addrspace(1) %c, <8 x i32> %b, i32 %n) {
entry:
  %id = call i64 @__tsr_local_id(i32 0)
  %i = trunc i64 %id to i32
  br label %loop

loop:
  %k = phi i32 [ 0, %entry ], [ %k.next, %multiply ]
  %sum = phi <8 x i32> [ zeroinitializer, %entry ], [ %d, %multiply ]
  %in = icmp slt i32 %k, %i
  br i1 %in, label %fetch, label %multiply

fetch:
  %wide = sext i32 %k to i64
  %p = getelementptr inbounds <8 x i32>, ptr addrspace(1) %a, i64 %wide
  %fetched = load <8 x i32>, ptr addrspace(1) %p, align 4
  br label %multiply

multiply:
  %x = phi <8 x i32> [ %fetched, %fetch ], [ zeroinitializer, %loop ]
  %d = call spir_func <8 x i32> @_Z36intel_sub_group_i8_i8_matrix_mad_k32Dv8_iS_S_(<8 x i32> %x, <8 x i32> %b, <8 x i32> %sum)
  %k.next = add nuw nsw i32 %k, 16
  %more = icmp slt i32 %k.next, %n
  br i1 %more, label %loop, label %done

done:
  store <8 x i32> %d, ptr addrspace(1) %c, align 4
  ret void
}

define spir_kernel void @equal(ptr addrspace(1) %a, ptr addrspace(1) %c, <8 x i32> %b, i32 %n) {
entry:
  br label %loop

loop:
  %k = phi i32 [ 0, %entry ], [ %k.next, %multiply ]
  %sum = phi <8 x i32> [ zeroinitializer, %entry ], [ %d, %multiply ]
  %out = icmp eq i32 %k, 32
  br i1 %out, label %multiply, label %fetch

fetch:
  %wide = sext i32 %k to i64
  %p = getelementptr inbounds <8 x i32>, ptr addrspace(1) %a, i64 %wide
  %fetched = load <8 x i32>, ptr addrspace(1) %p, align 4
  br label %multiply

multiply:
  %x = phi <8 x i32> [ %fetched, %fetch ], [ zeroinitializer, %loop ]
  %d = call spir_func <8 x i32> @_Z36intel_sub_group_i8_i8_matrix_mad_k32Dv8_iS_S_(<8 x i32> %x, <8 x i32> %b, <8 x i32> %sum)
  %k.next = add nuw nsw i32 %k, 16
  %more = icmp slt i32 %k.next, %n
  br i1 %more, label %loop, label %done

done:
  store <8 x i32> %d, ptr addrspace(1) %c, align 4
  ret void
}

define spir_kernel void @begins_again(ptr addrspace(1) %a, ptr addrspace(1) %c, <8 x i32> %b, i32 %n) {
entry:
  %first = load <8 x i32>, ptr addrspace(1) %a, align 4
  br label %loop

loop:
  %k = phi i32 [ 0, %entry ], [ %k.next, %loop ]
  %x = phi <8 x i32> [ %first, %entry ], [ %fetched, %loop ]
  %sum = phi <8 x i32> [ zeroinitializer, %entry ], [ %d, %loop ]
  %k.next = add nuw nsw i32 %k, 16
  %more = icmp slt i32 %k.next, %n
  %at = select i1 %more, i32 %k.next, i32 0
  %wide = sext i32 %at to i64
  %p = getelementptr inbounds <8 x i32>, ptr addrspace(1) %a, i64 %wide
  %fetched = load <8 x i32>, ptr addrspace(1) %p, align 4
  %d = call spir_func <8 x i32> @_Z36intel_sub_group_i8_i8_matrix_mad_k32Dv8_iS_S_(<8 x i32> %x, <8 x i32> %b, <8 x i32> %sum)
  br i1 %more, label %loop, label %done

done:
  store <8 x i32> %d, ptr addrspace(1) %c, align 4
  ret void
}
