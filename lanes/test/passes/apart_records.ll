; SPDX-License-Identifier: Apache-2.0
; A block whose stores to fields of records keep loads of another argument's apart has a version for launches in which the two share no memory.
; RUN: tessera-opt -packets=16 -cpu=avx512 -passes=split_kernels,apart_records %s | FileCheck %s
; RUN-SAME: tessera-opt -packets=16 -cpu=avx512 -passes=split_kernels,apart_records %s | FileCheck %s --check-prefix=STAYS
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"
declare i64 @__tsr_global_id(i32) memory(none) nounwind willreturn

; CHECK-LABEL: define internal void @two.item(
; CHECK: br i1 %{{.*}}, label %[[ALONE:.*]], label %shared
; CHECK: [[ALONE]]:
; CHECK: store float %{{.*}}, ptr addrspace(1) %{{.*}}, align 4, !tessera.alone
; CHECK: load float, ptr addrspace(1) %{{.*}}, align 4, !tessera.alone
; CHECK: shared:
; CHECK: store float %{{.*}}, ptr addrspace(1) %{{.*}}, align 4{{$}}
define spir_kernel void @two(ptr addrspace(1) %a, ptr addrspace(1) %o) {
  %i = call i64 @__tsr_global_id(i32 0)
  %p = getelementptr [2 x float], ptr addrspace(1) %a, i64 %i
  %q = getelementptr [2 x float], ptr addrspace(1) %o, i64 %i
  %x = load float, ptr addrspace(1) %p
  store float %x, ptr addrspace(1) %q
  %p2 = getelementptr i8, ptr addrspace(1) %p, i64 4
  %q2 = getelementptr i8, ptr addrspace(1) %q, i64 4
  %y = load float, ptr addrspace(1) %p2
  store float %y, ptr addrspace(1) %q2
  ret void
}
; STAYS-LABEL: define internal void @kept_apart.item(
; STAYS-NOT: br i1
; STAYS: ret void
define spir_kernel void @kept_apart(ptr addrspace(1) noalias %a, ptr addrspace(1) noalias %o) {
  %i = call i64 @__tsr_global_id(i32 0)
  %p = getelementptr [2 x float], ptr addrspace(1) %a, i64 %i
  %q = getelementptr [2 x float], ptr addrspace(1) %o, i64 %i
  %x = load float, ptr addrspace(1) %p
  store float %x, ptr addrspace(1) %q
  %p2 = getelementptr i8, ptr addrspace(1) %p, i64 4
  %q2 = getelementptr i8, ptr addrspace(1) %q, i64 4
  %y = load float, ptr addrspace(1) %p2
  store float %y, ptr addrspace(1) %q2
  ret void
}
; STAYS-LABEL: define internal void @no_records.item(
; STAYS-NOT: br i1
; STAYS: ret void
define spir_kernel void @no_records(ptr addrspace(1) %a, ptr addrspace(1) %o, i64 %n) {
  %i = call i64 @__tsr_global_id(i32 0)
  %p = getelementptr float, ptr addrspace(1) %a, i64 %i
  %q = getelementptr float, ptr addrspace(1) %o, i64 %i
  %x = load float, ptr addrspace(1) %p
  store float %x, ptr addrspace(1) %q
  %p2 = getelementptr float, ptr addrspace(1) %p, i64 %n
  %y = load float, ptr addrspace(1) %p2
  %q2 = getelementptr float, ptr addrspace(1) %q, i64 %n
  store float %y, ptr addrspace(1) %q2
  ret void
}
