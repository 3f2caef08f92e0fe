; SPDX-License-Identifier: Apache-2.0
; Each access of a packet in which lanes are missing has the mask of those that are there. Loads with AVX2 have no test, stores have one.
; RUN: tessera-opt -packets=16 -cpu=avx2 -passes=split_kernels,widen_full,widen_partial %s | FileCheck %s --check-prefix=AVX2
; RUN: tessera-opt -packets=16 -cpu=avx512 -passes=split_kernels,widen_full,widen_partial %s | FileCheck %s --check-prefix=AVX512
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"

; AVX2-LABEL: define internal void @k.partial(
; AVX2-NOT: load <16 x i32>, ptr addrspace(1)
; AVX2: call <16 x i32> @llvm.masked.load.v16i32.p1(
; AVX2: store <16 x i32> {{.*}}, ptr addrspace(1)
; AVX2: call void @llvm.masked.store.v16i32.p1(
; AVX512-LABEL: define internal void @k.partial(
; AVX512: call <16 x i32> @llvm.masked.load.v16i32.p1(
; AVX512-NOT: store <16 x i32> {{.*}}, ptr addrspace(1)
; AVX512: call void @llvm.masked.store.v16i32.p1(
declare i64 @__tsr_global_id(i32) memory(none) nounwind willreturn

define spir_kernel void @k(ptr addrspace(1) %a, ptr addrspace(1) %o, i64 %n) {
entry:
  %i = call i64 @__tsr_global_id(i32 0)
  %c = icmp slt i64 %i, %n
  br i1 %c, label %some, label %out
some:
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  %v = load i32, ptr addrspace(1) %p
  %q = getelementptr i32, ptr addrspace(1) %o, i64 %i
  store i32 %v, ptr addrspace(1) %q
  br label %out
out:
  ret void
}
