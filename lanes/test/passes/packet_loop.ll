; SPDX-License-Identifier: Apache-2.0
; Loops over work-groups, planes, rows and full packets.
; RUN: tessera-opt -packets=16 -cpu=avx512 -passes=split_kernels,widen_full,packet_loop %s | FileCheck %s
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"

; CHECK-LABEL: define internal void @k.whole(
; CHECK: end:
; CHECK: [[NEXT:%.*]] = add {{.*}}i64 {{.*}}, 16
; CHECK: [[MORE:%.*]] = icmp ult i64 [[NEXT]]
; CHECK: br i1 [[MORE]], label %x, label
; CHECK: z:
; CHECK: y:
; CHECK: x:
; CHECK: br i1 {{.*}}, label %y, label
; CHECK: br i1 {{.*}}, label %z, label
declare i64 @__tsr_global_id(i32) memory(none) nounwind willreturn

define spir_kernel void @k(ptr addrspace(1) %a) {
  %i = call i64 @__tsr_global_id(i32 0)
  %p = getelementptr inbounds i64, ptr addrspace(1) %a, i64 %i
  store i64 %i, ptr addrspace(1) %p
  ret void
}
