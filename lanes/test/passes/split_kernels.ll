; SPDX-License-Identifier: Apache-2.0
; The code of a kernel moves to @k.item; the kernel calls the function for full packets or the other one, which have no bodies yet.
; RUN: tessera-opt -packets=16 -cpu=avx512 -passes=split_kernels %s | FileCheck %s
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"

declare i64 @__tsr_global_id(i32) memory(none) nounwind willreturn

; CHECK-LABEL: define spir_kernel void @k(
; CHECK: [[FULL:%.*]] = call i32 @__tsr_whole_packet()
; CHECK: icmp ne i32 [[FULL]], 0
; CHECK: call void @k.whole(ptr addrspace(1) %a)
; CHECK: call void @k.partial(ptr addrspace(1) %a)
; CHECK: define internal void @k.item(ptr addrspace(1) %0) [[ITEM:#[0-9]+]]
; CHECK-NEXT: call i64 @__tsr_global_id(i32 0)
; CHECK: declare void @k.whole(ptr addrspace(1))
; CHECK: declare void @k.partial(ptr addrspace(1))
; CHECK: attributes [[ITEM]] = { "tsr-packet"="16" "tsr-sub-group"="16" }
define spir_kernel void @k(ptr addrspace(1) %a) {
  %i = call i64 @__tsr_global_id(i32 0)
  %p = getelementptr i64, ptr addrspace(1) %a, i64 %i
  store i64 %i, ptr addrspace(1) %p
  ret void
}
