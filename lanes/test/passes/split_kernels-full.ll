; SPDX-License-Identifier: Apache-2.0
; Uniform groups of a required size that is made of packets: @k has no function for packets that are not full. @by_id reads global ids, so
; its packets may begin anywhere; @rest has groups whose last packet is not full; @ragged may get such groups.
; RUN: tessera-opt -packets=16 -cpu=avx512 -passes=split_kernels %s | FileCheck %s
; RUN: tessera-opt -packets=16 -cpu=avx512 -passes=split_kernels,widen_full,widen_partial -info %s | FileCheck %s --check-prefix=INFO
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"

declare i64 @__tsr_global_id(i32) memory(none) nounwind willreturn
declare i64 @__tsr_group_id(i32) memory(none) nounwind willreturn

; CHECK-LABEL: define spir_kernel void @k(
; CHECK-NEXT: call void @k.whole(ptr addrspace(1) %a)
; CHECK-NEXT: ret void
; CHECK-NOT: @k.partial
; CHECK: call void @by_id.partial(
; CHECK: call void @rest.partial(
; CHECK: call void @ragged.partial(
; INFO: kernel k
; INFO-NEXT: flags UNIFORM_GROUPS PACKETS MIXED_GROUPS IGNORES_SUB_GROUPS FULL_PACKETS
; INFO-NOT: FULL_PACKETS
define spir_kernel void @k(ptr addrspace(1) %a) #0 !reqd_work_group_size !0 {
  %i = call i64 @__tsr_group_id(i32 0)
  %p = getelementptr i64, ptr addrspace(1) %a, i64 %i
  store i64 %i, ptr addrspace(1) %p
  ret void
}
define spir_kernel void @by_id(ptr addrspace(1) %a) #0 !reqd_work_group_size !0 {
  %i = call i64 @__tsr_global_id(i32 0)
  %p = getelementptr i64, ptr addrspace(1) %a, i64 %i
  store i64 %i, ptr addrspace(1) %p
  ret void
}
define spir_kernel void @rest(ptr addrspace(1) %a) #0 !reqd_work_group_size !1 {
  %i = call i64 @__tsr_group_id(i32 0)
  store i64 %i, ptr addrspace(1) %a
  ret void
}
define spir_kernel void @ragged(ptr addrspace(1) %a) !reqd_work_group_size !0 {
  %i = call i64 @__tsr_group_id(i32 0)
  store i64 %i, ptr addrspace(1) %a
  ret void
}
attributes #0 = { "uniform-work-group-size"="true" }
!0 = !{i32 32, i32 2, i32 1}
!1 = !{i32 24, i32 1, i32 1}
