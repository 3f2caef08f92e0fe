; SPDX-License-Identifier: Apache-2.0
; Where every work-group has the size that the kernel requires, there is nothing to ask for.
; RUN: tessera-opt -packets=16 -cpu=avx512 -passes=split_kernels,widen_full,packet_loop %s | FileCheck %s
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"

; CHECK-LABEL: define internal void @k.whole(
; CHECK: end:
; CHECK: [[NEXT:%.*]] = add {{.*}}i64 {{.*}}, 16
; CHECK: [[MORE:%.*]] = icmp ult i64 [[NEXT]], 32
; CHECK: br i1 [[MORE]], label %x, label
; CHECK: icmp ult i64 {{.*}}, 2
; CHECK: br i1 {{.*}}, label %y, label
; CHECK: icmp ult i64 {{.*}}, 1
; CHECK: br i1 {{.*}}, label %z, label
declare i64 @__tsr_local_id(i32) memory(none) nounwind willreturn

define spir_kernel void @k(ptr addrspace(1) %a) #0 !reqd_work_group_size !0 {
  %i = call i64 @__tsr_local_id(i32 0)
  %p = getelementptr inbounds i64, ptr addrspace(1) %a, i64 %i
  store i64 %i, ptr addrspace(1) %p
  ret void
}
attributes #0 = { "uniform-work-group-size"="true" }
!0 = !{i32 32, i32 2, i32 1}
