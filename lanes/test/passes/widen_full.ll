; SPDX-License-Identifier: Apache-2.0
; A work-item in each lane. A consecutive access is one of a vector, what is the same for all lanes stays scalar, lanes part by masks, and
; collectives are operations on vectors.
; RUN: tessera-opt -packets=16 -cpu=avx512 -passes=split_kernels,widen_full %s | FileCheck %s
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"

declare i64 @__tsr_global_id(i32) memory(none) nounwind willreturn

declare i32 @__tsr_reduce_add_int(i32, i32, i32) convergent
; CHECK-LABEL: define internal void @straight.whole(
; CHECK: load <16 x float>, ptr addrspace(1)
; CHECK: [[F:%.*]] = insertelement <16 x float> poison, float %1
; CHECK: [[S:%.*]] = shufflevector <16 x float> [[F]]
; CHECK: fmul <16 x float> {{.*}}
; CHECK: store <16 x float>
define spir_kernel void @straight(ptr addrspace(1) %a, float %f) {
  %i = call i64 @__tsr_global_id(i32 0)
  %p = getelementptr inbounds float, ptr addrspace(1) %a, i64 %i
  %x = load float, ptr addrspace(1) %p
  %y = fmul float %x, %f
  store float %y, ptr addrspace(1) %p
  ret void
}
; CHECK-LABEL: define internal void @branch.whole(
; CHECK: [[X:%.*]] = load <16 x i32>
; CHECK: [[MASK:%.*]] = icmp sgt <16 x i32> [[X]], zeroinitializer
; CHECK: call void @llvm.masked.store.v16i32.p1(<16 x i32> splat (i32 7), ptr addrspace(1) {{.*}}, <16 x i1>
define spir_kernel void @branch(ptr addrspace(1) %a) {
  %i = call i64 @__tsr_global_id(i32 0)
  %p = getelementptr inbounds i32, ptr addrspace(1) %a, i64 %i
  %x = load i32, ptr addrspace(1) %p
  %c = icmp sgt i32 %x, 0
  br i1 %c, label %then, label %out
then:
  store i32 7, ptr addrspace(1) %p
  br label %out
out:
  ret void
}
; CHECK-LABEL: define internal void @gather.whole(
; CHECK: call <16 x float> @llvm.masked.gather.v16f32
define spir_kernel void @gather(ptr addrspace(1) %a, ptr addrspace(1) %o) {
  %i = call i64 @__tsr_global_id(i32 0)
  %k = mul i64 %i, %i
  %p = getelementptr float, ptr addrspace(1) %a, i64 %k
  %x = load float, ptr addrspace(1) %p
  %q = getelementptr float, ptr addrspace(1) %o, i64 %i
  store float %x, ptr addrspace(1) %q
  ret void
}
; CHECK-LABEL: define internal void @sum.whole(
; CHECK: shufflevector <16 x i32>
; CHECK-NOT: @__tsr_reduce_add_int
; CHECK: ret void
define spir_kernel void @sum(ptr addrspace(1) %a) {
  %i = call i64 @__tsr_global_id(i32 0)
  %t = trunc i64 %i to i32
  %r = call spir_func i32 @__tsr_reduce_add_int(i32 0, i32 %t, i32 32)
  store i32 %r, ptr addrspace(1) %a
  ret void
}
