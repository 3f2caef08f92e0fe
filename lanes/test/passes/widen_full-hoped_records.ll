; SPDX-License-Identifier: Apache-2.0
; Lanes that are a few elements apart, unless an index wraps, are one wide access and a shuffle where a test finds it so.
; RUN: tessera-opt -packets=16 -cpu=avx512 -passes=split_kernels,widen_full %s | FileCheck %s
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"
declare i64 @__tsr_global_id(i32) memory(none) nounwind willreturn

; CHECK-LABEL: define internal void @third.whole(
; CHECK: br i1
; CHECK: load <
; CHECK: shufflevector
; CHECK: call <16 x i32> @llvm.masked.gather
define spir_kernel void @third(ptr addrspace(1) %a, ptr addrspace(1) %o) {
  %i = call i64 @__tsr_global_id(i32 0)
  %n = mul i64 %i, 3
  %t = trunc i64 %n to i32
  %x = sext i32 %t to i64
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %x
  %v = load i32, ptr addrspace(1) %p
  %q = getelementptr i32, ptr addrspace(1) %o, i64 %i
  store i32 %v, ptr addrspace(1) %q
  ret void
}
