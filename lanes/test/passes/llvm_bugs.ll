; SPDX-License-Identifier: Apache-2.0
; The right shift of a product of 64 bits sees a freeze, a selection between numbers and ternary logic is one of numbers with a fraction.
; RUN: tessera-opt -cpu=avx512 -passes=llvm_bugs %s | FileCheck %s
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"

; CHECK-LABEL: define <8 x i64> @product(
; CHECK: [[P:%.*]] = mul <8 x i64>
; CHECK: [[F:%.*]] = freeze <8 x i64> [[P]]
; CHECK: lshr <8 x i64> [[F]]
define <8 x i64> @product(<8 x i64> %a, <8 x i64> %b) {
  %p = mul <8 x i64> %a, %b
  %s = lshr <8 x i64> %p, splat (i64 32)
  ret <8 x i64> %s
}
; CHECK-LABEL: define <16 x i32> @logic(
; CHECK: select <16 x i1> %c, <16 x float>
define <16 x i32> @logic(<16 x i1> %c, <16 x i32> %a, <16 x i32> %b, <16 x i32> %d) {
  %x = and <16 x i32> %a, %b
  %y = xor <16 x i32> %x, %d
  %s = select <16 x i1> %c, <16 x i32> %y, <16 x i32> zeroinitializer
  ret <16 x i32> %s
}
; CHECK-LABEL: define <16 x i32> @intrinsic(
; CHECK: select <16 x i1> %c, <16 x float>
declare <16 x i32> @llvm.x86.avx512.pternlog.d.512(<16 x i32>, <16 x i32>, <16 x i32>, i32)
define <16 x i32> @intrinsic(<16 x i1> %c, <16 x i32> %a, <16 x i32> %d) {
  %t = call <16 x i32> @llvm.x86.avx512.pternlog.d.512(<16 x i32> %a, <16 x i32> splat (i32 1), <16 x i32> %d, i32 166)
  %s = select <16 x i1> %c, <16 x i32> %t, <16 x i32> %d
  ret <16 x i32> %s
}
; CHECK-LABEL: define <16 x i32> @harmless(
; CHECK: select <16 x i1> %c, <16 x i32>
define <16 x i32> @harmless(<16 x i1> %c, <16 x i32> %a, <16 x i32> %b) {
  %x = and <16 x i32> %a, %b
  %s = select <16 x i1> %c, <16 x i32> %x, <16 x i32> zeroinitializer
  ret <16 x i32> %s
}
