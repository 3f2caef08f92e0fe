; SPDX-License-Identifier: Apache-2.0
; A work-group of one packet needs no barriers, and if the packet is full, its local size is known; other groups run as before. There are
; no such functions where lanes may have parted before a barrier, or where the required local size is larger than a packet.
; RUN: tessera-opt -packets=16 -cpu=avx512 -passes=split_kernels,widen_full,widen_partial,lone_packets %s | FileCheck %s
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"

; CHECK-LABEL: define spir_kernel void @k(
; CHECK: [[PACKETS:%.*]] = call i32 @__tsr_num_sub_groups()
; CHECK: [[ALONE:%.*]] = icmp eq i32 [[PACKETS]], 1
; CHECK: br i1 [[ALONE]], label %[[LONE:.*]], label %[[USUAL:.*]]
; CHECK: [[USUAL]]:
; CHECK-NEXT: call void @k.whole(
; CHECK: [[LONE]]:
; CHECK-NEXT: call void @k.lone(
; CHECK-LABEL: define internal void @k.whole(
; CHECK: call void @__tsr_barrier(
; CHECK-LABEL: define internal void @k.lone(ptr addrspace(1) %{{.*}}, ptr addrspace(3) %{{.*}})
; CHECK-NOT: call void @__tsr_barrier(
; CHECK: sub i64 16, 1
; CHECK: ret void
; CHECK-LABEL: define internal void @k.lone_partial(ptr addrspace(1) %{{.*}}, ptr addrspace(3) %{{.*}})
; CHECK: [[GROUPS:%.*]] = call i64 @__tsr_row_groups(i32 0)
; CHECK-NOT: call void @__tsr_barrier(
; CHECK: end:
; CHECK: icmp ult i64 %{{.*}}, [[GROUPS]]
; CHECK-NOT: @parted.lone
; CHECK-NOT: @large.lone
declare i64 @__tsr_local_id(i32) memory(none) nounwind willreturn
declare i64 @__tsr_local_size(i32) memory(none) nounwind willreturn
declare void @__tsr_barrier(i32, i32) convergent

define spir_kernel void @k(ptr addrspace(1) noalias %a, ptr addrspace(3) %s) {
  %l = call i64 @__tsr_local_id(i32 0)
  %n = call i64 @__tsr_local_size(i32 0)
  %p = getelementptr i64, ptr addrspace(3) %s, i64 %l
  store i64 %l, ptr addrspace(3) %p
  call void @__tsr_barrier(i32 2, i32 1)
  %last = sub i64 %n, 1
  %other = sub i64 %last, %l
  %q = getelementptr i64, ptr addrspace(3) %s, i64 %other
  %x = load i64, ptr addrspace(3) %q
  %to = getelementptr i64, ptr addrspace(1) %a, i64 %l
  store i64 %x, ptr addrspace(1) %to
  ret void
}

define spir_kernel void @parted(ptr addrspace(1) %a) {
entry:
  %l = call i64 @__tsr_local_id(i32 0)
  %p = getelementptr i64, ptr addrspace(1) %a, i64 %l
  %x = load i64, ptr addrspace(1) %p
  %c = icmp eq i64 %x, 0
  br i1 %c, label %meet, label %out
meet:
  call void @__tsr_barrier(i32 2, i32 1)
  br label %out
out:
  ret void
}

define spir_kernel void @large(ptr addrspace(1) %a) !reqd_work_group_size !0 {
  %l = call i64 @__tsr_local_id(i32 0)
  call void @__tsr_barrier(i32 2, i32 1)
  %p = getelementptr i64, ptr addrspace(1) %a, i64 %l
  store i64 %l, ptr addrspace(1) %p
  ret void
}
!0 = !{i32 8, i32 4, i32 1}
