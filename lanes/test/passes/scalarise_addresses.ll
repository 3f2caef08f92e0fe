; SPDX-License-Identifier: Apache-2.0
; Kernels of pairs of sub-groups: a lane of a vector of addresses is computed by itself, so that two of them can be seen to be a
; constant apart. Others keep their vectors.
; RUN: tessera-opt -packets=16 -cpu=avx512 -passes=scalarise_addresses %s | FileCheck %s
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"

; CHECK-LABEL: define internal void @k.whole(
; CHECK: [[AT:%.*]] = add i64 %x, 8
; CHECK: [[E:%.*]] = mul i64 [[AT]], 100
; CHECK: store i64 [[E]]
define internal void @k.whole(ptr addrspace(1) %a, i64 %x) {
  %v = insertelement <16 x i64> poison, i64 %x, i64 0
  %s = shufflevector <16 x i64> %v, <16 x i64> poison, <16 x i32> zeroinitializer
  %i = add <16 x i64> %s, <i64 0, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7, i64 8, i64 9, i64 10, i64 11, i64 12, i64 13, i64 14, i64 15>
  %m = mul <16 x i64> %i, splat (i64 100)
  %e = extractelement <16 x i64> %m, i64 8
  store i64 %e, ptr addrspace(1) %a
  ret void
}
define spir_kernel void @k(ptr addrspace(1) %a, i64 %x) "tsr-sub-group-pairs" {
  call void @k.whole(ptr addrspace(1) %a, i64 %x)
  ret void
}
