; SPDX-License-Identifier: Apache-2.0
; A tile that the lanes run down, t[x][y] with x of the lane, is laid out the other way round: (x, y) lies at 16 * y + x.
; RUN: tessera-opt -packets=16 -cpu=avx512 -passes=local_memory,transpose_local %s | FileCheck %s
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"

declare i64 @__tsr_local_id(i32) memory(none) nounwind willreturn

@t = internal addrspace(3) global [16 x [16 x float]] undef
; CHECK-LABEL: define spir_kernel void @k(
; CHECK: [[T:%.*]] = call ptr addrspace(3) @__tsr_local_array(
; CHECK: [[X1:%.*]] = mul nsw i64 %x, 1
; CHECK: [[X:%.*]] = add nsw i64 [[X1]], 0
; CHECK: [[Y1:%.*]] = mul nsw i64 %y, 1
; CHECK: [[Y:%.*]] = add nsw i64 [[Y1]], 0
; CHECK: [[ROW:%.*]] = mul nsw i64 [[Y]], 16
; CHECK: add nsw i64 [[ROW]], [[X]]
define spir_kernel void @k(float %v) {
  %x64 = call i64 @__tsr_local_id(i32 0)
  %y64 = call i64 @__tsr_local_id(i32 1)
  %x = and i64 %x64, 15
  %y = and i64 %y64, 15
  %p = getelementptr inbounds [16 x [16 x float]], ptr addrspace(3) @t, i64 0, i64 %x, i64 %y
  store float %v, ptr addrspace(3) %p
  ret void
}
