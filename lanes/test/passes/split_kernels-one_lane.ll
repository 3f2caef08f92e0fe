; SPDX-License-Identifier: Apache-2.0
; A packet of one work-item is always full: there is one function, which is the code of a work-item.
; RUN: tessera-opt -packets=16 -cpu=avx512 -passes=split_kernels,widen_full %s | FileCheck %s
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"

declare i64 @__tsr_global_id(i32) memory(none) nounwind willreturn

; CHECK-NOT: @k.partial
; CHECK-LABEL: define spir_kernel void @k(
; CHECK-NEXT: call void @k.whole(ptr addrspace(1) %a)
; CHECK-NEXT: ret void
; CHECK-LABEL: define internal void @k.whole(
; CHECK: start:
; CHECK-NEXT: %v = alloca <16 x i32>
; CHECK: [[X:%.*]] = load <16 x i32>, ptr addrspace(1)
; CHECK-NOT: lifetime
; CHECK: store <16 x i32> [[X]], ptr %v
define spir_kernel void @k(ptr addrspace(1) %a) #0 {
  %v = alloca <16 x i32>
  %i = call i64 @__tsr_global_id(i32 0)
  %p = getelementptr <16 x i32>, ptr addrspace(1) %a, i64 %i
  %x = load <16 x i32>, ptr addrspace(1) %p
  call void @llvm.lifetime.start.p0(ptr %v)
  store <16 x i32> %x, ptr %v
  %e = getelementptr i32, ptr %v, i64 %i
  %y = load i32, ptr %e
  store i32 %y, ptr addrspace(1) %p
  call void @llvm.lifetime.end.p0(ptr %v)
  ret void
}
declare void @llvm.lifetime.start.p0(ptr)
declare void @llvm.lifetime.end.p0(ptr)
attributes #0 = { "tsr-one-lane" }
