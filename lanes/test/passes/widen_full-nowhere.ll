; SPDX-License-Identifier: Apache-2.0
; Lanes that are masked out of a gather of whole registers read zeros: whatever a stack holds may be denormal numbers, which are slow to
; compute with. Those of a scatter write to a place that nobody reads.
; RUN: tessera-opt -packets=16 -cpu=avx512 -passes=split_kernels,widen_full %s | FileCheck %s
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"

declare i64 @__tsr_global_id(i32) memory(none) nounwind willreturn

; CHECK-LABEL: define internal void @gather.whole(
; CHECK: [[PLACE:%nowhere[0-9]*]] = alloca [16 x i8], align 16
; CHECK: call void @llvm.memset.p0.i64(ptr align 16 [[PLACE]], i8 0, i64 16, i1 false)
; CHECK: select <16 x i1>
define spir_kernel void @gather(ptr addrspace(1) %a, i64 %n, i64 %width, ptr addrspace(1) %o) "tsr-user" {
entry:
  %i = call i64 @__tsr_global_id(i32 0)
  %c = icmp slt i64 %i, %n
  br i1 %c, label %some, label %out
some:
  %at = mul i64 %i, %width
  %p = getelementptr double, ptr addrspace(1) %a, i64 %at
  %v = load <4 x double>, ptr addrspace(1) %p, align 8
  %x = extractelement <4 x double> %v, i32 0
  %y = extractelement <4 x double> %v, i32 3
  %s = fadd double %x, %y
  %q = getelementptr double, ptr addrspace(1) %o, i64 %i
  store double %s, ptr addrspace(1) %q, align 8
  br label %out
out:
  ret void
}

; Numbers without a fraction may be anything.
; CHECK-LABEL: define internal void @integers.whole(
; CHECK: alloca [16 x i8]
; CHECK-NOT: memset
define spir_kernel void @integers(ptr addrspace(1) %a, i64 %n, i64 %width, ptr addrspace(1) %o) "tsr-user" {
entry:
  %i = call i64 @__tsr_global_id(i32 0)
  %c = icmp slt i64 %i, %n
  br i1 %c, label %some, label %out
some:
  %at = mul i64 %i, %width
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %at
  %v = load <4 x i32>, ptr addrspace(1) %p, align 4
  %x = extractelement <4 x i32> %v, i32 0
  %q = getelementptr i32, ptr addrspace(1) %o, i64 %i
  store i32 %x, ptr addrspace(1) %q, align 4
  br label %out
out:
  ret void
}

; CHECK-LABEL: define internal void @scatter.whole(
; CHECK-NOT: memset
; CHECK: ret void
define spir_kernel void @scatter(ptr addrspace(1) %a, i64 %n, i64 %width, <4 x double> %v) "tsr-user" {
entry:
  %i = call i64 @__tsr_global_id(i32 0)
  %c = icmp slt i64 %i, %n
  br i1 %c, label %some, label %out
some:
  %at = mul i64 %i, %width
  %p = getelementptr double, ptr addrspace(1) %a, i64 %at
  store <4 x double> %v, ptr addrspace(1) %p, align 8
  br label %out
out:
  ret void
}
