; SPDX-License-Identifier: Apache-2.0
; Ids in a work-group, and what is made of a few, are made floats as numbers of 32 bits; those in the range need all their bits.
; RUN: tessera-opt -packets=16 -cpu=avx2 -passes=split_kernels,widen_full %s | FileCheck %s
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"

; CHECK-LABEL: define internal void @k.whole(
; CHECK: [[SMALL:%.*]] = trunc <16 x i64> %{{.*}} to <16 x i32>
; CHECK-NEXT: sitofp <16 x i32> [[SMALL]] to <16 x float>
; CHECK: uitofp <16 x i64> %{{.*}} to <16 x float>
; CHECK: [[PRODUCT:%.*]] = trunc <16 x i64> %{{.*}} to <16 x i32>
; CHECK-NEXT: uitofp <16 x i32> [[PRODUCT]] to <16 x float>
; CHECK: uitofp <16 x i64> %{{.*}} to <16 x float>
declare i64 @__tsr_local_id(i32) memory(none) nounwind willreturn
declare i64 @__tsr_global_id(i32) memory(none) nounwind willreturn

define spir_kernel void @k(ptr addrspace(1) %a) {
  %l = call i64 @__tsr_local_id(i32 0)
  %x = uitofp i64 %l to float
  %g = call i64 @__tsr_global_id(i32 0)
  %y = uitofp i64 %g to float
  %m = call i64 @__tsr_local_id(i32 1)
  %two = mul i64 %l, %m
  %z = uitofp i64 %two to float
  %three = mul i64 %two, %l
  %w = uitofp i64 %three to float
  %u = fadd float %x, %y
  %v = fadd float %z, %w
  %s = fadd float %u, %v
  %p = getelementptr float, ptr addrspace(1) %a, i64 %g
  store float %s, ptr addrspace(1) %p
  ret void
}
