; SPDX-License-Identifier: Apache-2.0
; Sums of vectors: what is ready first is added first, and a constant that the code generator would add last comes from memory.
; RUN: tessera-opt -packets=16 -cpu=avx512 -passes=short_chains %s | FileCheck %s
; RUN-SAME: tessera-opt -packets=16 -cpu=avx512 -passes=short_chains %s | FileCheck %s --check-prefix=STAYS
target triple = "x86_64-unknown-linux-gnu"

; CHECK: [[TEN:@.*]] = private unnamed_addr constant i32 10
; CHECK: [[LIST:@.*]] = private unnamed_addr constant <4 x i64> <i64 1, i64 2, i64 3, i64 4>

; CHECK-LABEL: define <16 x i32> @late(
; CHECK: [[N:%.*]] = load i32, ptr [[TEN]]
; CHECK: [[ONE:%.*]] = insertelement <16 x i32> poison, i32 [[N]]
; CHECK: [[ALL:%.*]] = shufflevector <16 x i32> [[ONE]]
; CHECK: [[EARLY:%.*]] = add <16 x i32> %a, [[ALL]]
; CHECK: [[SUM:%.*]] = add <16 x i32> %f, [[EARLY]]
; CHECK: ret <16 x i32> [[SUM]]
define <16 x i32> @late(<16 x i32> %a, <16 x i32> %b) {
  %e = xor <16 x i32> %b, %a
  %f = and <16 x i32> %e, %b
  %s = add <16 x i32> %a, %f
  %t = add <16 x i32> %s, splat (i32 10)
  ret <16 x i32> %t
}

; In that order already, but the code generator would change it.
; CHECK-LABEL: define <4 x i64> @in_order(
; CHECK: [[C:%.*]] = load <4 x i64>, ptr [[LIST]]
; CHECK: [[EARLY:%.*]] = add <4 x i64> %a, [[C]]
; CHECK: add <4 x i64> [[EARLY]], %f
define <4 x i64> @in_order(<4 x i64> %a, <4 x i64> %b) {
  %f = xor <4 x i64> %b, %a
  %s = add <4 x i64> %a, <i64 1, i64 2, i64 3, i64 4>
  %t = add <4 x i64> %s, %f
  ret <4 x i64> %t
}

; Exclusive ors of numbers, of which the one that is looked up comes last.
; CHECK-LABEL: define i32 @looked_up(
; CHECK: [[EARLY:%.*]] = xor i32 {{%[xk]}}, {{%[xk]}}
; CHECK: xor i32 {{.*}}[[EARLY]]
; CHECK-NEXT: ret
define i32 @looked_up(ptr %t, i64 %i, i32 %x, i32 %k) {
  %p = getelementptr i32, ptr %t, i64 %i
  %v = load i32, ptr %p
  %s = xor i32 %v, %k
  %u = xor i32 %s, %x
  ret i32 %u
}

; Four that are ready together, two and two.
; CHECK-LABEL: define <16 x i32> @balanced(
; CHECK: add <16 x i32> %{{[a-d]}}, %{{[a-d]}}
; CHECK: add <16 x i32> %{{[a-d]}}, %{{[a-d]}}
define <16 x i32> @balanced(<16 x i32> %a, <16 x i32> %b, <16 x i32> %c, <16 x i32> %d) {
  %s = add <16 x i32> %a, %b
  %t = add <16 x i32> %s, %c
  %u = add <16 x i32> %t, %d
  ret <16 x i32> %u
}

; Sums that stay: of numbers, of small vectors, where the constant may be last, where a part of the sum has another user.
; STAYS-LABEL: define i32 @number(
; STAYS: %s = add i32 %a, %f
; STAYS: %t = add i32 %s, 10
define i32 @number(i32 %a, i32 %b) {
  %f = and i32 %a, %b
  %s = add i32 %a, %f
  %t = add i32 %s, 10
  ret i32 %t
}

; STAYS-LABEL: define <2 x i32> @small(
; STAYS: %s = add <2 x i32> %a, %f
; STAYS: %t = add <2 x i32> %s, splat (i32 10)
define <2 x i32> @small(<2 x i32> %a, <2 x i32> %b) {
  %f = and <2 x i32> %a, %b
  %s = add <2 x i32> %a, %f
  %t = add <2 x i32> %s, splat (i32 10)
  ret <2 x i32> %t
}

; STAYS-LABEL: define <16 x i32> @together(
; STAYS: %s = add <16 x i32> %a, %b
; STAYS: %t = add <16 x i32> %s, splat (i32 10)
define <16 x i32> @together(<16 x i32> %a, <16 x i32> %b) {
  %s = add <16 x i32> %a, %b
  %t = add <16 x i32> %s, splat (i32 10)
  ret <16 x i32> %t
}

; STAYS-LABEL: define <16 x i32> @used(
; STAYS: %s = add <16 x i32> %a, %f
; STAYS: %t = add <16 x i32> %s, splat (i32 10)
define <16 x i32> @used(<16 x i32> %a, <16 x i32> %b, ptr %p) {
  %f = and <16 x i32> %a, %b
  %s = add <16 x i32> %a, %f
  store <16 x i32> %s, ptr %p
  %t = add <16 x i32> %s, splat (i32 10)
  ret <16 x i32> %t
}
