; SPDX-License-Identifier: Apache-2.0
; A half of memory that all lanes need as a float is broadcast before it is widened, where the CPU widens vectors of halves.
; RUN: tessera-opt -packets=16 -cpu=avx512 -passes=split_kernels,widen_full %s | FileCheck %s --check-prefixes=CHECK,VECTOR
; RUN: tessera-opt -packets=4 -cpu=sse2 -passes=split_kernels,widen_full %s | FileCheck %s --check-prefixes=CHECK,SCALAR
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"

declare i64 @__tsr_global_id(i32) memory(none) nounwind willreturn

; CHECK-LABEL: define internal void @scale.whole(
; CHECK:  [[HALF:%.*]] = load half, ptr addrspace(1)
; VECTOR: insertelement <16 x half> poison, half [[HALF]], i32 0
; VECTOR: fpext <16 x half> {{.*}} to <16 x float>
; SCALAR: fpext half [[HALF]] to float
; SCALAR: insertelement <4 x float> poison, float
; CHECK:  fmul <
define spir_kernel void @scale(ptr addrspace(1) %a, ptr addrspace(1) %s) "tsr-user" {
  %i = call i64 @__tsr_global_id(i32 0)
  %p = getelementptr float, ptr addrspace(1) %a, i64 %i
  %h = load half, ptr addrspace(1) %s, align 2
  %f = fpext half %h to float
  %x = load float, ptr addrspace(1) %p
  %y = fmul float %x, %f
  store float %y, ptr addrspace(1) %p
  ret void
}
