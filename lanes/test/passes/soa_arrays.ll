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
