; SPDX-License-Identifier: Apache-2.0
; A private array of four floats becomes one of the packet, in which element e of lane l lies at 64 * e + 4 * l.
; RUN: tessera-opt -packets=16 -cpu=avx512 -passes=split_kernels,soa_arrays %s | FileCheck %s
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"

; CHECK-LABEL: @k.item(
; CHECK: %t{{.*}} = alloca [256 x i8], align 64
; CHECK: [[LANE:%.*]] = call i32 @__tsr_lane()
; CHECK: [[WIDE:%.*]] = zext i32 [[LANE]] to i64
; CHECK: [[OWN:%.*]] = mul i64 [[WIDE]], 4
; CHECK: mul i64 %1, 64
; CHECK: store float
define spir_kernel void @k(ptr addrspace(1) %a, i64 %i, float %x) {
  %t = alloca [4 x float]
  %p = getelementptr inbounds [4 x float], ptr %t, i64 0, i64 %i
  store float %x, ptr %p
  %q = getelementptr inbounds [4 x float], ptr %t, i64 0, i64 1
  %y = load float, ptr %q
  store float %y, ptr addrspace(1) %a
  ret void
}

; Vectors of smaller parts are cut into elements; a smaller part alone is none, which leaves the array as it is.
; CHECK-LABEL: @cut.item(
; CHECK: alloca [512 x i8], align 64
; CHECK: [[INT:%.*]] = bitcast <4 x i8> %{{.*}} to i32
; CHECK: store i32 [[INT]], ptr {{.*}}, align 4
; CHECK: [[PAIR:%.*]] = bitcast <4 x i16> %{{.*}} to <2 x i32>
; CHECK: extractelement <2 x i32> [[PAIR]], i32 0
; CHECK: extractelement <2 x i32> [[PAIR]], i32 1
; CHECK: load i32, ptr {{.*}}, align 4
; CHECK: [[BYTES:%.*]] = load i32, ptr {{.*}}, align 4
; CHECK: bitcast i32 [[BYTES]] to <4 x i8>
define spir_kernel void @cut(ptr addrspace(1) %a, i64 %i, <4 x i8> %v, <4 x i16> %w) {
  %t = alloca [8 x i32]
  %p = getelementptr inbounds [8 x i32], ptr %t, i64 0, i64 %i
  store <4 x i8> %v, ptr %p
  %q = getelementptr inbounds i8, ptr %p, i64 4
  store <4 x i16> %w, ptr %q
  %x = load i32, ptr %t
  store i32 %x, ptr addrspace(1) %a
  %y = load <4 x i8>, ptr %p
  store <4 x i8> %y, ptr addrspace(1) %a
  ret void
}
; CHECK-LABEL: @part.item(
; CHECK: alloca [8 x i32]
define spir_kernel void @part(ptr addrspace(1) %a, i64 %i, i8 %v) {
  %t = alloca [8 x i32]
  %p = getelementptr inbounds [8 x i32], ptr %t, i64 0, i64 %i
  store i8 %v, ptr %p
  %x = load i32, ptr %t
  store i32 %x, ptr addrspace(1) %a
  ret void
}

; Steps of bytes that are made of those of elements; those of halves of elements are none.
; CHECK-LABEL: @bytes.item(
; CHECK: alloca [512 x i8], align 64
; CHECK: alloca [8 x float]
define spir_kernel void @bytes(ptr addrspace(1) %a, i64 %i, i64 %j, float %x) {
  %t = alloca [8 x float]
  %h = alloca [8 x float]
  %r = shl i64 %i, 4
  %c = mul i64 %j, 12
  %b = sub i64 %r, %c
  %p = getelementptr i8, ptr %t, i64 %b
  store float %x, ptr %p
  %d = mul i64 %j, 6
  %q = getelementptr i8, ptr %h, i64 %d
  store float %x, ptr %q
  ret void
}
