; SPDX-License-Identifier: Apache-2.0
; Records of 16 bytes at places that only the lanes know are a gather of 16 bytes, and then a load for each lane and shuffles of whole
; registers. Lanes that take no part read a place on the stack.
; RUN: tessera-opt -packets=16 -cpu=avx512 -passes=split_kernels,widen_full,register_gathers %s | FileCheck --check-prefixes=CHECK,WIDE %s
; RUN: tessera-opt -packets=16 -cpu=avx2 -passes=split_kernels,widen_full,register_gathers %s | FileCheck --check-prefixes=CHECK,HALF %s
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"

declare i64 @__tsr_global_id(i32) memory(none) nounwind willreturn

; CHECK-LABEL: define internal void @all.whole(
; CHECK-NOT: masked.gather
; CHECK-COUNT-16: load <4 x i32>
; WIDE: shufflevector <16 x i32>
; HALF: shufflevector <8 x i32>
; CHECK-LABEL: define internal void @some.whole(
; CHECK-NOT: masked.gather
; CHECK: select <16 x i1> {{.*}}, <16 x ptr addrspace(1)>
; CHECK-COUNT-16: load <4 x i32>
; CHECK: ret void
define spir_kernel void @all(ptr addrspace(1) %a, ptr addrspace(1) %o) "tsr-user" {
entry:
  %i = call i64 @__tsr_global_id(i32 0)
  %k = mul i64 %i, %i
  %p = getelementptr <4 x float>, ptr addrspace(1) %a, i64 %k
  %v = load <4 x float>, ptr addrspace(1) %p, align 16
  %q = getelementptr <4 x float>, ptr addrspace(1) %o, i64 %i
  store <4 x float> %v, ptr addrspace(1) %q, align 16
  ret void
}

define spir_kernel void @some(ptr addrspace(1) %a, ptr addrspace(1) %x, ptr addrspace(1) %o) "tsr-user" {
entry:
  %i = call i64 @__tsr_global_id(i32 0)
  %r = getelementptr i32, ptr addrspace(1) %x, i64 %i
  %j = load i32, ptr addrspace(1) %r
  %there = icmp sge i32 %j, 0
  br i1 %there, label %then, label %end

then:
  %p = getelementptr <4 x float>, ptr addrspace(1) %a, i32 %j
  %v = load <4 x float>, ptr addrspace(1) %p, align 16
  %q = getelementptr <4 x float>, ptr addrspace(1) %o, i64 %i
  store <4 x float> %v, ptr addrspace(1) %q, align 16
  br label %end

end:
  ret void
}
