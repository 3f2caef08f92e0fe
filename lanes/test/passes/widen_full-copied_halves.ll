; SPDX-License-Identifier: Apache-2.0
; Numbers of 16 bits of which some lanes have none are copied to the stack, where the others read zeros and no denormal numbers.
; RUN: tessera-opt -packets=16 -cpu=avx2 -passes=split_kernels,widen_full %s | FileCheck %s
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"

; CHECK-LABEL: define internal void @k.whole(
; CHECK: store <16 x i16> zeroinitializer, ptr %lanes, align 64
; CHECK: store i16 %{{.*}}
; CHECK: load <16 x i16>
; CHECK-NOT: store <16 x i16> zeroinitializer
declare i64 @__tsr_global_id(i32) memory(none) nounwind willreturn

define spir_kernel void @k(ptr addrspace(1) %a, ptr addrspace(1) %o, i64 %n) {
entry:
  %i = call i64 @__tsr_global_id(i32 0)
  %c = icmp slt i64 %i, %n
  br i1 %c, label %some, label %out
some:
  %p = getelementptr i16, ptr addrspace(1) %a, i64 %i
  %v = load i16, ptr addrspace(1) %p
  %q = getelementptr i16, ptr addrspace(1) %o, i64 %i
  store i16 %v, ptr addrspace(1) %q
  br label %out
out:
  ret void
}
