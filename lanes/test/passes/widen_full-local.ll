; SPDX-License-Identifier: Apache-2.0
; Some lanes store to local memory: with AVX2 all of them do, absent ones what was there, which is frozen, as the code generator would make a
; slow masked store of it otherwise. Where the block is skipped its mask is zero, and LLVM is told so.
; RUN: tessera-opt -packets=16 -cpu=avx2 -passes=split_kernels,widen_full %s | FileCheck %s
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"

; CHECK-LABEL: define internal void @k.whole(
; CHECK: [[MASK:%.*]] = alloca <16 x i1>
; CHECK: [[OLD:%.*]] = load <16 x i32>, ptr addrspace(3) [[TO:%.*]], align
; CHECK-NEXT: [[KEPT:%.*]] = freeze <16 x i32> [[OLD]]
; CHECK-NEXT: [[ALL:%.*]] = select <16 x i1> %mask, <16 x i32> %{{.*}}, <16 x i32> [[KEPT]]
; CHECK-NEXT: store <16 x i32> [[ALL]], ptr addrspace(3) [[TO]]
; CHECK: skip:
; CHECK-NEXT: store <16 x i1> zeroinitializer, ptr [[MASK]]
declare i64 @__tsr_local_id(i32) memory(none) nounwind willreturn

define spir_kernel void @k(ptr addrspace(1) %a, ptr addrspace(3) %t) {
entry:
  %l = call i64 @__tsr_local_id(i32 0)
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %l
  %v = load i32, ptr addrspace(1) %p
  %c = icmp sgt i32 %v, 0
  br i1 %c, label %some, label %out
some:
  %q = getelementptr i32, ptr addrspace(3) %t, i64 %l
  store i32 %v, ptr addrspace(3) %q
  br label %out
out:
  ret void
}
