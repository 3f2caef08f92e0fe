; SPDX-License-Identifier: Apache-2.0
; Two reads of images with one constant sampler share a packet function of their own, a sampler that is no constant has another one, and the
; lanes' numbers go there and back in memory. A cold function of the library has a packet function, too, which is told which lanes are there; a
; cold function of the user is inlined, and a call for which all lanes have the same numbers stays one of the function itself.
; RUN: tessera-opt -packets=16 -cpu=avx512 -passes=inline_calls,split_kernels,widen_outlined,widen_full %s | FileCheck %s
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"

; CHECK-LABEL: define internal void @k.whole(
; CHECK: store <16 x i32> {{.*}}, align 64
; CHECK: call void @__tsr_image_fetch_f_1d.2.item.16(ptr addrspace(1) %0, i32 2, ptr
; CHECK: load <16 x float>, ptr {{.*}}, align 64
; CHECK: call void @__tsr_image_fetch_f_1d.2.item.16(ptr addrspace(1) %1, i32 2, ptr
; CHECK: call void @__tsr_image_fetch_f_1d.any.item.16(ptr addrspace(1) %0, i32 %2, ptr
; CHECK: icmp ne i16
; CHECK: store <16 x double> {{.*}}, align 64
; CHECK: store <16 x i32> {{.*}}, align 64
; CHECK: call void @far.item.16(ptr {{.*}}, ptr
; CHECK: load <16 x i64>, ptr {{.*}}, align 64
; CHECK: load <16 x i64>, ptr {{.*}}, align 64
; CHECK-NOT: call {{.*}}@mine
; CHECK: call spir_func <2 x i64> @far(double %
; CHECK-LABEL: define internal void @__tsr_image_fetch_f_1d.2.item.16(
; CHECK: load <16 x i32>
; CHECK: call <16 x float> @llvm.masked.gather
; CHECK: store <16 x float>
; CHECK-LABEL: define internal void @__tsr_image_fetch_f_1d.any.item.16(
; CHECK-LABEL: define internal void @far.item.16(
; CHECK: load <16 x i32>
; CHECK: call {{.*}}<16 x i64> @llvm.masked.gather
declare i64 @__tsr_global_id(i32) memory(none) nounwind willreturn
declare i32 @__tsr_lane() memory(none) nounwind willreturn

define spir_func <4 x float> @__tsr_image_fetch_f_1d(ptr addrspace(1) %image, i32 %sampler, i32 %x) noinline memory(read) {
  %pixels = load ptr addrspace(1), ptr addrspace(1) %image
  %i = add i32 %x, %sampler
  %p = getelementptr float, ptr addrspace(1) %pixels, i32 %i
  %v = load float, ptr addrspace(1) %p
  %r = insertelement <4 x float> zeroinitializer, float %v, i32 0
  ret <4 x float> %r
}

@table = internal addrspace(2) constant [4 x i64] [i64 1, i64 3, i64 7, i64 15]

define internal spir_func <2 x i64> @far(double %x) cold noinline memory(none) nounwind willreturn {
  %bits = bitcast double %x to i64
  %i = lshr i64 %bits, 62
  %p = getelementptr i64, ptr addrspace(2) @table, i64 %i
  %v = load i64, ptr addrspace(2) %p
  %one = insertelement <2 x i64> poison, i64 %v, i32 0
  %two = insertelement <2 x i64> %one, i64 %bits, i32 1
  ret <2 x i64> %two
}

define internal spir_func i64 @mine(i64 %x) cold noinline memory(none) nounwind willreturn "tsr-user" {
  %y = xor i64 %x, 12345
  ret i64 %y
}

define spir_kernel void @k(ptr addrspace(1) %a, ptr addrspace(1) %b, i32 %s, ptr addrspace(1) %o, double %same, ptr addrspace(1) %q) "tsr-user" {
entry:
  %i = call i64 @__tsr_global_id(i32 0)
  %x = trunc i64 %i to i32
  %v = call spir_func <4 x float> @__tsr_image_fetch_f_1d(ptr addrspace(1) %a, i32 2, i32 %x)
  %w = call spir_func <4 x float> @__tsr_image_fetch_f_1d(ptr addrspace(1) %b, i32 2, i32 %x)
  %u = call spir_func <4 x float> @__tsr_image_fetch_f_1d(ptr addrspace(1) %a, i32 %s, i32 %x)
  %vw = fadd <4 x float> %v, %w
  %sum = fadd <4 x float> %vw, %u
  %p = getelementptr <4 x float>, ptr addrspace(1) %o, i64 %i
  store <4 x float> %sum, ptr addrspace(1) %p
  %qi = getelementptr double, ptr addrspace(1) %q, i64 %i
  %d = load double, ptr addrspace(1) %qi
  %rare = fcmp ogt double %d, 1.000000e+06
  br i1 %rare, label %then, label %end
then:
  %f = call spir_func <2 x i64> @far(double %d)
  %f0 = extractelement <2 x i64> %f, i32 0
  %f1 = extractelement <2 x i64> %f, i32 1
  %fs = add i64 %f0, %f1
  br label %end
end:
  %r = phi i64 [ %fs, %then ], [ 0, %entry ]
  %m = call spir_func i64 @mine(i64 %r)
  %u0 = call spir_func <2 x i64> @far(double %same)
  %u1 = extractelement <2 x i64> %u0, i32 0
  %all = add i64 %m, %u1
  store i64 %all, ptr addrspace(1) %qi
  ret void
}
