; SPDX-License-Identifier: Apache-2.0
; Code of full packets jumps to the other function, whose address is in the work-group; the code of the others has that function alone.
; Kernels that cost much get both at once. A kernel whose work-groups have rows of 8 has no full packets of 16, and no code for these; it
; has both in packets of 8.
; RUN: tessera-opt -packets=16 -cpu=avx512 -bodies=full -passes=..choose_bodies %s | FileCheck %s --check-prefix=FULL
; RUN: tessera-opt -packets=16 -cpu=avx512 -bodies=partial -passes=..choose_bodies %s | FileCheck %s --check-prefix=PARTIAL
; RUN-SAME: tessera-opt -packets=16 -cpu=avx512 -bodies=full -budget=200 -passes=..choose_bodies %s | FileCheck %s --check-prefix=BOTH
; RUN: tessera-opt -packets=16 -cpu=avx512 -bodies=full -passes=..choose_bodies %s | FileCheck %s --check-prefix=ROWS
; RUN-SAME: tessera-opt -packets=8 -cpu=avx512 -passes=..choose_bodies %s | FileCheck %s --check-prefix=NARROW
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"

; FULL-LABEL: define internal void @k.partial(
; FULL: load ptr, ptr %item
; FULL: load ptr, ptr %
; FULL: call void %{{[0-9]+}}(ptr addrspace(1) %{{[0-9]+}}, i8 signext %{{[0-9]+}}, ptr byval(i64) align 8 %
; FULL-NEXT: ret void
; FULL: define void @k.kernel(

; PARTIAL-NOT: @k.kernel
; PARTIAL: define {{.*}}void @k.partial(
; PARTIAL: @llvm.masked.store
; PARTIAL-NOT: @k.kernel

; BOTH-LABEL: define internal void @k.partial(
; BOTH: @llvm.masked.store
; BOTH: define void @k.kernel(
; ROWS-NOT: @rows.whole
; ROWS: define internal void @rows.partial(
; ROWS: @llvm.masked.store
; ROWS-NOT: @rows.whole

; NARROW: define internal void @rows.whole(
declare i64 @__tsr_global_id(i32) memory(none) nounwind willreturn

define spir_kernel void @k(ptr addrspace(1) %a, i8 signext %y, ptr byval(i64) align 8 %z) {
  %x = sext i8 %y to i32
  %i = call i64 @__tsr_global_id(i32 0)
  %p = getelementptr inbounds i32, ptr addrspace(1) %a, i64 %i
  store i32 %x, ptr addrspace(1) %p
  ret void
}

declare void @__tsr_barrier(i32, i32) convergent nounwind
declare i64 @__tsr_local_id(i32) memory(none) nounwind willreturn

define spir_kernel void @rows(ptr addrspace(1) %a, ptr addrspace(3) %t) !reqd_work_group_size !0 {
  %l = call i64 @__tsr_local_id(i32 0)
  %i = call i64 @__tsr_global_id(i32 0)
  %p = getelementptr inbounds i32, ptr addrspace(3) %t, i64 %l
  store i32 1, ptr addrspace(3) %p
  call void @__tsr_barrier(i32 2, i32 1)
  %v = load i32, ptr addrspace(3) %t
  %q = getelementptr inbounds i32, ptr addrspace(1) %a, i64 %i
  store i32 %v, ptr addrspace(1) %q
  ret void
}

!0 = !{i32 8, i32 8, i32 1}
