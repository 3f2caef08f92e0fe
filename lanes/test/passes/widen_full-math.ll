; SPDX-License-Identifier: Apache-2.0
; Pieces of math functions that were not inlined are instructions of AVX-512, a register at a time. Of a value that is the same for all lanes the
; call stays.
; RUN: tessera-opt -packets=16 -cpu=avx512 -passes=split_kernels,widen_full %s | FileCheck %s
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"

declare i64 @__tsr_global_id(i32) memory(none)
declare float @__tsr_rsqrt_f(float) "tsr-math-op"
declare double @__tsr_ldexp_d(double, i32) "tsr-math-op"
declare i32 @__tsr_odd_f(float) "tsr-math-op"
declare i32 @__tsr_apart_f(float) "tsr-math-op"

; CHECK-LABEL: define internal void @k.whole(
; CHECK: call <16 x float> @llvm.x86.avx512.rsqrt14.ps.512(
; CHECK: call <16 x float> @llvm.fma.v16f32(
; CHECK: call <8 x double> @llvm.x86.avx512.mask.scalef.pd.512(
; CHECK: call <8 x double> @llvm.x86.avx512.mask.scalef.pd.512(
; CHECK: call <16 x i32> @llvm.x86.avx512.mask.cvttps2dq.512(
; CHECK: shl <16 x i32>
; CHECK: store <16 x i32> zeroinitializer
; CHECK: call spir_func float @__tsr_rsqrt_f(float
; CHECK: ret void
define spir_kernel void @k(ptr addrspace(1) %a, ptr addrspace(1) %d, float %u) {
  %i = call i64 @__tsr_global_id(i32 0)
  %p = getelementptr float, ptr addrspace(1) %a, i64 %i
  %x = load float, ptr addrspace(1) %p
  %r = call spir_func float @__tsr_rsqrt_f(float %x)
  store float %r, ptr addrspace(1) %p
  %n = trunc i64 %i to i32
  %q = getelementptr double, ptr addrspace(1) %d, i64 %i
  %y = load double, ptr addrspace(1) %q
  %l = call spir_func double @__tsr_ldexp_d(double %y, i32 %n)
  store double %l, ptr addrspace(1) %q
  %o = call spir_func i32 @__tsr_odd_f(float %r)
  store i32 %o, ptr addrspace(1) %p
  %v = call spir_func i32 @__tsr_apart_f(float %r)
  store i32 %v, ptr addrspace(1) %p
  %s = call spir_func float @__tsr_rsqrt_f(float %u)
  store float %s, ptr addrspace(1) %a
  ret void
}
