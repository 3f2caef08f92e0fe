; SPDX-License-Identifier: Apache-2.0
; A packet is a work-group: its size is known, there are no other packets, its lanes need not wait, and behind the barrier nothing is `restrict`.
; RUN: tessera-opt -packets=4 -group-size=4 -cpu=avx512 -passes=sub_group_size,split_kernels,group_lanes,widen_full %s | FileCheck %s
; RUN-SAME: tessera-opt -packets=4 -cpu=avx512 -passes=sub_group_size,split_kernels,group_lanes,widen_full %s | FileCheck %s --check-prefix=ALONE
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"

declare i64 @__tsr_local_id(i32) memory(none) nounwind willreturn
declare i64 @__tsr_local_size(i32) memory(none) nounwind willreturn
declare void @__tsr_barrier(i32, i32) convergent

; CHECK-LABEL: define spir_kernel void @k(
; CHECK-NEXT: call void @k.whole(
; CHECK-NEXT: ret void
; CHECK: define internal void @k.whole(ptr addrspace(1) %{{.*}}, ptr addrspace(3) %{{.*}})
; CHECK-NOT: @__tsr_local_size
; CHECK-NOT: call void @__tsr_barrier
; CHECK: call void @llvm.masked.scatter.v4i64.v4p1(<4 x i64> splat (i64 4)
; CHECK: ret void
; CHECK-NOT: @k.partial
; ALONE: @k.partial
; ALONE: define internal void @k.whole(ptr addrspace(1) noalias
; ALONE: call i64 @__tsr_local_size
; ALONE: call void @__tsr_barrier
define spir_kernel void @k(ptr addrspace(1) noalias %a, ptr addrspace(3) %s) {
  %l = call i64 @__tsr_local_id(i32 0)
  %n = call i64 @__tsr_local_size(i32 0)
  %p = getelementptr i64, ptr addrspace(3) %s, i64 %l
  store i64 %l, ptr addrspace(3) %p
  call void @__tsr_barrier(i32 2, i32 1)
  %x = load i64, ptr addrspace(3) %p
  %q = getelementptr i64, ptr addrspace(1) %a, i64 %x
  store i64 %n, ptr addrspace(1) %q
  ret void
}
