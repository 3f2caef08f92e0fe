; SPDX-License-Identifier: Apache-2.0
; The upper half of a product of lanes is made of four products, also by a constant; scalars have an instruction.
; RUN: tessera-opt -packets=16 -cpu=avx2 -passes=wide_products %s | FileCheck %s
; RUN-SAME: tessera-opt -packets=16 -cpu=avx2 -passes=wide_products %s | FileCheck %s --check-prefix=STAYS

; CHECK-LABEL: define <4 x i64> @lanes(
; CHECK-NOT: i128
; CHECK-COUNT-4: mul <4 x i64>
; CHECK-NOT: mul
; CHECK: ret <4 x i64>
define <4 x i64> @lanes(<4 x i64> %x, <4 x i64> %y) {
  %a = zext <4 x i64> %x to <4 x i128>
  %b = zext <4 x i64> %y to <4 x i128>
  %p = mul nuw <4 x i128> %a, %b
  %f = freeze <4 x i128> %p
  %s = lshr <4 x i128> %f, splat (i128 64)
  %h = trunc nuw <4 x i128> %s to <4 x i64>
  ret <4 x i64> %h
}

; CHECK-LABEL: define <4 x i64> @constant(
; CHECK-NOT: i128
; CHECK: ret <4 x i64>
define <4 x i64> @constant(<4 x i64> %x) {
  %a = zext <4 x i64> %x to <4 x i128>
  %q = mul nuw <4 x i128> %a, splat (i128 14757395258967641293)
  %s = lshr <4 x i128> %q, splat (i128 64)
  %h = trunc nuw <4 x i128> %s to <4 x i64>
  ret <4 x i64> %h
}

; STAYS-LABEL: define i64 @scalar(
; STAYS: mul nuw i128
define i64 @scalar(i64 %x, i64 %y) {
  %a = zext i64 %x to i128
  %b = zext i64 %y to i128
  %p = mul nuw i128 %a, %b
  %s = lshr i128 %p, 64
  %h = trunc nuw i128 %s to i64
  ret i64 %h
}

; STAYS-LABEL: define <4 x i64> @other_bits(
; STAYS: mul nuw <4 x i128>
define <4 x i64> @other_bits(<4 x i64> %x, <4 x i64> %y) {
  %a = zext <4 x i64> %x to <4 x i128>
  %b = zext <4 x i64> %y to <4 x i128>
  %p = mul nuw <4 x i128> %a, %b
  %s = lshr <4 x i128> %p, splat (i128 32)
  %h = trunc <4 x i128> %s to <4 x i64>
  ret <4 x i64> %h
}
