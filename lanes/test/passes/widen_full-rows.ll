; SPDX-License-Identifier: Apache-2.0
; Where a packet is a work-group, whose rows a later pass makes stores of, a scatter stands behind a test whether all lanes are there.
; RUN: tessera-opt -packets=16 -group-size=8x2x1 -cpu=avx2 -passes=sub_group_size,split_kernels,widen_full %s | FileCheck %s
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"

declare i64 @__tsr_local_id(i32) memory(none) nounwind willreturn

; CHECK-LABEL: define internal void @rows.whole(
; CHECK: call void @llvm.masked.scatter.v16f32.v16p1(<16 x float> %{{.*}}, <16 x ptr addrspace(1)> align 4 %[[AT:.*]], <16 x i1> splat (i1 true))
; CHECK: select <16 x i1> %{{.*}}, <16 x ptr addrspace(1)> %[[AT]], <16 x ptr addrspace(1)>
; CHECK: call void @llvm.masked.scatter.v16f32.v16p1(
define spir_kernel void @rows(ptr addrspace(1) %a, ptr addrspace(3) %t, i64 %n) {
entry:
  %x = call i64 @__tsr_local_id(i32 0)
  %y = call i64 @__tsr_local_id(i32 1)
  %q = getelementptr float, ptr addrspace(3) %t, i64 %x
  %v = load float, ptr addrspace(3) %q
  %c = fcmp ogt float %v, 0.0
  br i1 %c, label %do, label %out
do:
  %row = mul i64 %y, %n
  %at = add i64 %row, %x
  %p = getelementptr float, ptr addrspace(1) %a, i64 %at
  store float %v, ptr addrspace(1) %p
  br label %out
out:
  ret void
}
