; SPDX-License-Identifier: Apache-2.0
; A whole store to memory that the kernel only writes stands twice; the launch chooses by a flag of the work-item, and it must be aligned.
; RUN: tessera-opt -packets=16 -cpu=avx512 -passes=..nontemporal %s | FileCheck %s
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"

; CHECK-LABEL: define void @k.kernel(
; CHECK: store <16 x float> {{.*}}, align 64, !nontemporal
; CHECK: store <16 x float> {{.*}}, align 4{{$}}
declare i64 @__tsr_global_id(i32) memory(none) nounwind willreturn

define spir_kernel void @k(ptr addrspace(1) %a, ptr addrspace(1) %b) {
  %i = call i64 @__tsr_global_id(i32 0)
  %p = getelementptr inbounds float, ptr addrspace(1) %a, i64 %i
  %x = load float, ptr addrspace(1) %p
  %q = getelementptr inbounds float, ptr addrspace(1) %b, i64 %i
  store float %x, ptr addrspace(1) %q
  ret void
}
