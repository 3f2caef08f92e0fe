; SPDX-License-Identifier: Apache-2.0
; A packet function with a barrier runs all packets of a work-group, each up to its next barrier: what a packet needs behind it is stored
; to its context and loaded again.
; RUN: tessera-opt -packets=16 -cpu=avx512 -passes=split_kernels,widen_full,widen_partial,barrier_regions %s | FileCheck %s
; RUN: tessera-opt -packets=16 -cpu=avx512 -passes=split_kernels,widen_full,widen_partial,barrier_regions -info %s | FileCheck %s --check-prefix=INFO
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"

declare i64 @__tsr_local_id(i32) memory(none) nounwind willreturn

declare void @__tsr_barrier(i32, i32) convergent
; INFO: context_bytes {{[1-9]}}
; CHECK-LABEL: define internal void @k.whole(
; CHECK-NOT: call void @__tsr_barrier
; CHECK: [[FRAME:%.*]] = {{.*}}@__tsr_contexts
; CHECK: switch
; CHECK-LABEL: define internal void @k.partial(
; CHECK-NOT: call void @__tsr_barrier
; CHECK: switch
define spir_kernel void @k(ptr addrspace(1) noalias %a, ptr addrspace(3) %l) {
  %i = call i64 @__tsr_local_id(i32 0)
  %p = getelementptr inbounds float, ptr addrspace(1) %a, i64 %i
  %q = getelementptr inbounds float, ptr addrspace(3) %l, i64 %i
  %x = load float, ptr addrspace(1) %p
  store float %x, ptr addrspace(3) %q
  call void @__tsr_barrier(i32 2, i32 1)
  %y = load float, ptr addrspace(3) %l
  %z = fadd float %x, %y
  store float %z, ptr addrspace(1) %p
  ret void
}
