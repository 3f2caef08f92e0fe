; SPDX-License-Identifier: Apache-2.0
; In code for work-groups of 3 x 2, ids follow from the linear one, and the range may begin anywhere.
; RUN: tessera-opt -packets=16 -group-size=3x2 -passes=sub_group_size %s | FileCheck %s
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"

declare i64 @__tsr_local_id(i32) memory(none) nounwind willreturn
declare i64 @__tsr_global_id(i32) memory(none) nounwind willreturn
declare i64 @__tsr_local_size(i32) memory(none) nounwind willreturn

; CHECK-LABEL: define spir_kernel void @k(
; CHECK-NOT: call i64 @__tsr_local_id
; CHECK-NOT: call i64 @__tsr_global_id
; CHECK-NOT: call i64 @__tsr_local_size
; CHECK-DAG: %[[linear:.*]] = call range(i32 0, 6) i32 @__tsr_linear_id()
; CHECK-DAG: udiv i32 %{{.*}}, 3
; CHECK-DAG: urem i32 %{{.*}}, 3
; CHECK-DAG: call i64 @__tsr_global_offset(i32 0)
; CHECK-DAG: call i64 @__tsr_group_id(i32 0)
; CHECK: ret void
define spir_kernel void @k(ptr addrspace(1) %a, ptr addrspace(3) %s) {
  %x = call i64 @__tsr_local_id(i32 0)
  %y = call i64 @__tsr_local_id(i32 1)
  %g = call i64 @__tsr_global_id(i32 0)
  %n = call i64 @__tsr_local_size(i32 0)
  %p = getelementptr i64, ptr addrspace(3) %s, i64 %y
  store i64 %n, ptr addrspace(3) %p
  %q = getelementptr i64, ptr addrspace(1) %a, i64 %g
  store i64 %x, ptr addrspace(1) %q
  ret void
}
