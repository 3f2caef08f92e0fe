; SPDX-License-Identifier: Apache-2.0
; A dot product of two numbers of 16 bits is VPMADDWD, whose result is added to the third argument.
; RUN: tessera-opt -packets=16 -cpu=avx2 -passes=split_kernels,widen_full %s | FileCheck %s
; RUN: tessera-opt -packets=32 -cpu=avx2 -passes=split_kernels,widen_full %s | FileCheck -check-prefix=FOUR %s
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"

declare i64 @__tsr_global_id(i32) memory(none)
declare i32 @_Z19tessera_dot_add_i16jji(i32, i32, i32)
; CHECK-LABEL: define internal void @sum.whole(
; CHECK: [[X:%.*]] = load <16 x i32>
; CHECK-COUNT-2: call <8 x i32> @llvm.x86.avx2.pmadd.wd(<16 x i16> {{%.*}}, <16 x i16> {{%.*}})
; CHECK: add <16 x i32> {{%.*}}, [[X]]
; CHECK-NOT: pmadd.wd
; CHECK: ret void
; FOUR-LABEL: define internal void @sum.whole(
; FOUR-COUNT-4: call <8 x i32> @llvm.x86.avx2.pmadd.wd(
; FOUR: shufflevector <16 x i32> {{%.*}}, <16 x i32> {{%.*}}, <32 x i32>
; FOUR: add <32 x i32>
define spir_kernel void @sum(ptr addrspace(1) %a, ptr addrspace(1) %o) {
  %i = call i64 @__tsr_global_id(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  %x = load i32, ptr addrspace(1) %p
  %u = load i32, ptr addrspace(1) %a
  %s = call i32 @_Z19tessera_dot_add_i16jji(i32 %u, i32 %x, i32 %x)
  %q = getelementptr i32, ptr addrspace(1) %o, i64 %i
  store i32 %s, ptr addrspace(1) %q
  ret void
}
