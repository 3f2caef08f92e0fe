; SPDX-License-Identifier: Apache-2.0
; With tile registers a loop stays whole if it does nothing but load, multiply and count: its operands are computed with their checks. One that
; stores as well is split.
; RUN: tessera-opt -packets=16 -cpu=avx512 -amx -passes=range_checks %s | FileCheck %s
; RUN-SAME: tessera-opt -packets=16 -cpu=avx512 -amx -passes=range_checks %s | FileCheck %s --check-prefix=WHOLE
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"

; WHOLE-LABEL: define spir_kernel void @inside(
; WHOLE-NOT: inside:
; WHOLE: ret void
; CHECK-LABEL: define spir_kernel void @copies(
; CHECK: inside:

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

define spir_kernel void @copies(ptr addrspace(1) %a, ptr addrspace(1) %c, <8 x i32> %b, i32 %n) {
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
  store <8 x i32> %fetched, ptr addrspace(1) %c, align 4
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
