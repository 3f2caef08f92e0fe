; SPDX-License-Identifier: Apache-2.0
; Two reads of images with one constant sampler share a packet function of their own, a sampler that is no constant has another one, and the
; lanes' numbers go there and back in memory.
; RUN: tessera-opt -packets=16 -cpu=avx512 -passes=inline_calls,split_kernels,widen_images,widen_full %s | FileCheck %s
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"

; CHECK-LABEL: define internal void @k.whole(
; CHECK: store <16 x i32> {{.*}}, align 64
; CHECK: call void @__tsr_image_fetch_f_1d.2.item.16(ptr addrspace(1) %0, i32 2, ptr
; CHECK: load <16 x float>, ptr {{.*}}, align 64
; CHECK: call void @__tsr_image_fetch_f_1d.2.item.16(ptr addrspace(1) %1, i32 2, ptr
; CHECK: call void @__tsr_image_fetch_f_1d.any.item.16(ptr addrspace(1) %0, i32 %2, ptr
; CHECK-LABEL: define internal void @__tsr_image_fetch_f_1d.2.item.16(
; CHECK: load <16 x i32>
; CHECK: call <16 x float> @llvm.masked.gather
; CHECK: store <16 x float>
; CHECK-LABEL: define internal void @__tsr_image_fetch_f_1d.any.item.16(
declare i64 @__tsr_global_id(i32) memory(none) nounwind willreturn
declare i32 @__tsr_lane() memory(none) nounwind willreturn

define spir_func <4 x float> @__tsr_image_fetch_f_1d(ptr addrspace(1) %image, i32 %sampler, i32 %x) noinline memory(read) {
  %pixels = load ptr addrspace(1), ptr addrspace(1) %image
  %i = add i32 %x, %sampler
  %p = getelementptr float, ptr addrspace(1) %pixels, i32 %i
  %v = load float, ptr addrspace(1) %p
  %r = insertelement <4 x float> zeroinitializer, float %v, i32 0
  ret <4 x float> %r
}

define spir_kernel void @k(ptr addrspace(1) %a, ptr addrspace(1) %b, i32 %s, ptr addrspace(1) %o) "tsr-user" {
entry:
  %i = call i64 @__tsr_global_id(i32 0)
  %x = trunc i64 %i to i32
  %v = call spir_func <4 x float> @__tsr_image_fetch_f_1d(ptr addrspace(1) %a, i32 2, i32 %x)
  %w = call spir_func <4 x float> @__tsr_image_fetch_f_1d(ptr addrspace(1) %b, i32 2, i32 %x)
  %u = call spir_func <4 x float> @__tsr_image_fetch_f_1d(ptr addrspace(1) %a, i32 %s, i32 %x)
  %vw = fadd <4 x float> %v, %w
  %sum = fadd <4 x float> %vw, %u
  %p = getelementptr <4 x float>, ptr addrspace(1) %o, i64 %i
  store <4 x float> %sum, ptr addrspace(1) %p
  ret void
}
