; SPDX-License-Identifier: Apache-2.0
; The numbers by which elements are chosen are masked as a vector, unless their masks differ.
; RUN: tessera-opt -packets=16 -cpu=avx2 -passes=variable_shuffles %s | FileCheck %s

; CHECK-LABEL: define <4 x float> @words(
; CHECK: [[ALL:%.*]] = and <4 x i32> %m, splat (i32 3)
; CHECK: [[ONE:%.*]] = extractelement <4 x i32> [[ALL]], i32 0
; CHECK: extractelement <4 x float> %x, i32 [[ONE]]
; CHECK-NOT: and i32
; CHECK: ret <4 x float>
define <4 x float> @words(<4 x float> %x, <4 x i32> %m) {
  %m0 = extractelement <4 x i32> %m, i64 0
  %a0 = and i32 %m0, 3
  %e0 = extractelement <4 x float> %x, i32 %a0
  %r0 = insertelement <4 x float> poison, float %e0, i64 0
  %m1 = extractelement <4 x i32> %m, i64 1
  %a1 = and i32 %m1, 3
  %e1 = extractelement <4 x float> %x, i32 %a1
  %r1 = insertelement <4 x float> %r0, float %e1, i64 1
  %m2 = extractelement <4 x i32> %m, i64 2
  %a2 = and i32 %m2, 3
  %e2 = extractelement <4 x float> %x, i32 %a2
  %r2 = insertelement <4 x float> %r1, float %e2, i64 2
  %m3 = extractelement <4 x i32> %m, i64 3
  %a3 = and i32 %m3, 3
  %e3 = extractelement <4 x float> %x, i32 %a3
  %r3 = insertelement <4 x float> %r2, float %e3, i64 3
  ret <4 x float> %r3
}

; CHECK-LABEL: define <4 x float> @two_masks(
; CHECK-NOT: and <4 x i32>
; CHECK: ret <4 x float>
define <4 x float> @two_masks(<4 x float> %x, <4 x i32> %m) {
  %m0 = extractelement <4 x i32> %m, i64 0
  %a0 = and i32 %m0, 3
  %e0 = extractelement <4 x float> %x, i32 %a0
  %r0 = insertelement <4 x float> poison, float %e0, i64 0
  %m1 = extractelement <4 x i32> %m, i64 1
  %a1 = and i32 %m1, 3
  %e1 = extractelement <4 x float> %x, i32 %a1
  %r1 = insertelement <4 x float> %r0, float %e1, i64 1
  %m2 = extractelement <4 x i32> %m, i64 2
  %a2 = and i32 %m2, 3
  %e2 = extractelement <4 x float> %x, i32 %a2
  %r2 = insertelement <4 x float> %r1, float %e2, i64 2
  %m3 = extractelement <4 x i32> %m, i64 3
  %a3 = and i32 %m3, 1
  %e3 = extractelement <4 x float> %x, i32 %a3
  %r3 = insertelement <4 x float> %r2, float %e3, i64 3
  ret <4 x float> %r3
}
