; SPDX-License-Identifier: Apache-2.0
; A kernel that checks what it loads and stores gets a copy without these checks, for work-groups whose largest ids pass all of them in the
; last round. A check that is only made where the loop goes on has to hold in the round before the last one; a check of a number stands for
; one of a place if its bound is one of a place. What tells whether two rounds follow, which never holds in all of them, is no check of a
; range, nor what is the same for all of a launch, or compared for equality.
; RUN: tessera-opt -packets=16 -cpu=avx2 -passes=range_versions %s | FileCheck %s
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"

; CHECK-LABEL: define spir_kernel void @both(
; CHECK-DAG: call i64 @__tsr_local_size(i32 0)
; CHECK-DAG: call i32 @__tsr_whole_packet()
; CHECK: br i1 %{{[0-9]+}}, label %inside, label %entry
; CHECK: inside:
; CHECK: load <8 x i32>
; CHECK-NEXT: call spir_func <8 x i32> @_Z36intel_sub_group_i8_i8_matrix_mad_k32Dv8_iS_S_(
; CHECK-NOT: icmp ult
; CHECK: store <8 x i32>
; CHECK: loop:
; CHECK: br i1 %in, label %fetch, label %multiply
; CHECK: br i1 %row.in, label %store, label %common.ret

; CHECK-LABEL: define spir_kernel void @later(
; CHECK: br i1 %{{[0-9]+}}, label %inside{{[0-9]*}}, label %entry
; CHECK: inside{{[0-9]*}}:
; CHECK: [[AT:%[0-9]+]] = add nsw i32 %{{[0-9]+}}, 32
; CHECK: icmp slt i32 [[AT]], %n
; CHECK-LABEL: define spir_kernel void @ahead(
; CHECK: inside:
; CHECK-NOT: icmp slt i32 0, %n
; CHECK: br i1 %{{[0-9]+}}, label %[[FETCH:inside[0-9]*]], label %[[MULTIPLY:inside[0-9]*]]
; CHECK: [[FETCH]]:
; CHECK-NOT: br i1
; CHECK: br label %[[MULTIPLY]]

; CHECK-LABEL: define spir_kernel void @same_for_all(
; CHECK-NOT: inside
; CHECK-LABEL: define spir_kernel void @equal(
; CHECK-NOT: inside

declare i64 @__tsr_local_id(i32) memory(none) nounwind willreturn
declare spir_func <8 x i32> @_Z36intel_sub_group_i8_i8_matrix_mad_k32Dv8_iS_S_(<8 x i32>, <8 x i32>, <8 x i32>) convergent nounwind memory(none)

define spir_kernel void @both(ptr addrspace(1) %a, ptr addrspace(1) %c, <8 x i32> %b, i32 %n, i32 %rows) {
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
  %row.in = icmp ult i32 %i, %rows
  br i1 %row.in, label %store, label %end

store:
  store <8 x i32> %d, ptr addrspace(1) %c, align 4
  br label %end

end:
  ret void
}

define spir_kernel void @later(ptr addrspace(1) %a, ptr addrspace(1) %c, <8 x i32> %b, i32 %n, i32 %rows) {
entry:
  %id = call i64 @__tsr_local_id(i32 0)
  %i = trunc i64 %id to i32
  br label %loop

loop:
  %k = phi i32 [ 0, %entry ], [ %k.next, %multiply ]
  %sum = phi <8 x i32> [ zeroinitializer, %entry ], [ %d, %multiply ]
  %at = add nsw i32 %k, 32
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
  %row.in = icmp ult i32 %i, %rows
  br i1 %row.in, label %store, label %end

store:
  store <8 x i32> %d, ptr addrspace(1) %c, align 4
  br label %end

end:
  ret void
}

define spir_kernel void @ahead(ptr addrspace(1) %a, ptr addrspace(1) %c, <8 x i32> %b, i32 %n) {
entry:
  %id = call i64 @__tsr_local_id(i32 0)
  %i = trunc i64 %id to i32
  %some = icmp slt i32 0, %n
  br i1 %some, label %first, label %begin

first:
  %loaded = load <8 x i32>, ptr addrspace(1) %a, align 4
  br label %begin

begin:
  %start = phi <8 x i32> [ %loaded, %first ], [ zeroinitializer, %entry ]
  br label %loop

loop:
  %k = phi i32 [ 0, %begin ], [ %k.next, %multiply ]
  %x = phi <8 x i32> [ %start, %begin ], [ %next, %multiply ]
  %sum = phi <8 x i32> [ zeroinitializer, %begin ], [ %d, %multiply ]
  %k.next = add nuw nsw i32 %k, 16
  %more = icmp slt i32 %k.next, %n
  br i1 %more, label %check, label %multiply

check:
  %at = add nsw i32 %k.next, %i
  %in = icmp slt i32 %at, %n
  br i1 %in, label %fetch, label %multiply

fetch:
  %wide = sext i32 %at to i64
  %p = getelementptr inbounds <8 x i32>, ptr addrspace(1) %a, i64 %wide
  %fetched = load <8 x i32>, ptr addrspace(1) %p, align 4
  br label %multiply

multiply:
  %next = phi <8 x i32> [ %fetched, %fetch ], [ zeroinitializer, %check ], [ %x, %loop ]
  %d = call spir_func <8 x i32> @_Z36intel_sub_group_i8_i8_matrix_mad_k32Dv8_iS_S_(<8 x i32> %x, <8 x i32> %b, <8 x i32> %sum)
  br i1 %more, label %loop, label %done

done:
  store <8 x i32> %d, ptr addrspace(1) %c, align 4
  ret void
}

define spir_kernel void @same_for_all(ptr addrspace(1) %a, ptr addrspace(1) %c, <8 x i32> %b, i32 %n, i32 %flag) {
entry:
  %set = icmp slt i32 0, %flag
  br label %loop

loop:
  %k = phi i32 [ 0, %entry ], [ %k.next, %multiply ]
  %sum = phi <8 x i32> [ zeroinitializer, %entry ], [ %d, %multiply ]
  br i1 %set, label %fetch, label %multiply

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

define spir_kernel void @equal(ptr addrspace(1) %a, ptr addrspace(1) %c, <8 x i32> %b, i32 %n, i32 %only) {
entry:
  %id = call i64 @__tsr_local_id(i32 0)
  %i = trunc i64 %id to i32
  br label %loop

loop:
  %k = phi i32 [ 0, %entry ], [ %k.next, %multiply ]
  %sum = phi <8 x i32> [ zeroinitializer, %entry ], [ %d, %multiply ]
  %in = icmp eq i32 %i, %only
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
