; SPDX-License-Identifier: Apache-2.0
; The function for partial packets goes on to the one without barriers where a work-group is one row and one packet.
; RUN: tessera-opt -packets=16 -cpu=avx512 -passes=split_kernels,widen_full,widen_partial,lone_packets,barrier_regions %s | FileCheck %s
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"

; CHECK-LABEL: define internal void @k.partial(
; CHECK: [[PACKETS:%.*]] = call i32 @__tsr_num_sub_groups()
; CHECK: [[ROWS:%.*]] = mul i64 %{{.*}}, %{{.*}}
; CHECK: [[ONE:%.*]] = icmp eq i32 [[PACKETS]], 1
; CHECK: [[ROW:%.*]] = icmp eq i64 [[ROWS]], 1
; CHECK: [[BOTH:%.*]] = and i1 [[ONE]], [[ROW]]
; CHECK: br i1 [[BOTH]], label %[[ALONE:.*]], label %group
; CHECK: [[ALONE]]:
; CHECK-NEXT: call void @k.lone_partial(
; CHECK: group:
declare i64 @__tsr_local_id(i32) memory(none) nounwind willreturn
declare void @__tsr_barrier(i32, i32) convergent

define spir_kernel void @k(ptr addrspace(1) %a, ptr addrspace(3) %s) {
  %l = call i64 @__tsr_local_id(i32 0)
  %p = getelementptr i64, ptr addrspace(3) %s, i64 %l
  store i64 %l, ptr addrspace(3) %p
  call void @__tsr_barrier(i32 2, i32 1)
  %x = load i64, ptr addrspace(3) %s
  %to = getelementptr i64, ptr addrspace(1) %a, i64 %l
  store i64 %x, ptr addrspace(1) %to
  ret void
}
