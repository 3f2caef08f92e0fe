; SPDX-License-Identifier: Apache-2.0
; Reductions of several vectors meet in one register at each step; one whose input comes behind a result, and those by another
; operation, stay alone.
; RUN: tessera-opt -packets=8 -passes=join_reductions %s | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare <4 x float> @llvm.maxnum.v4f32(<4 x float>, <4 x float>)
declare <2 x float> @llvm.maxnum.v2f32(<2 x float>, <2 x float>)
declare <1 x float> @llvm.maxnum.v1f32(<1 x float>, <1 x float>)

; CHECK-LABEL: define <4 x float> @four(
; CHECK-COUNT-3: fadd reassoc <8 x float>
; CHECK: fadd reassoc <4 x float>
; CHECK-NOT: fadd
; CHECK: ret <4 x float>
define <4 x float> @four(<8 x float> %a, <8 x float> %b, <8 x float> %c, <8 x float> %d) {
  %a.l4 = shufflevector <8 x float> %a, <8 x float> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %a.u4 = shufflevector <8 x float> %a, <8 x float> poison, <4 x i32> <i32 4, i32 5, i32 6, i32 7>
  %a.4 = fadd reassoc <4 x float> %a.l4, %a.u4
  %a.l2 = shufflevector <4 x float> %a.4, <4 x float> poison, <2 x i32> <i32 0, i32 1>
  %a.u2 = shufflevector <4 x float> %a.4, <4 x float> poison, <2 x i32> <i32 2, i32 3>
  %a.2 = fadd reassoc <2 x float> %a.l2, %a.u2
  %a.l1 = shufflevector <2 x float> %a.2, <2 x float> poison, <1 x i32> <i32 0>
  %a.u1 = shufflevector <2 x float> %a.2, <2 x float> poison, <1 x i32> <i32 1>
  %a.1 = fadd reassoc <1 x float> %a.l1, %a.u1
  %b.l4 = shufflevector <8 x float> %b, <8 x float> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %b.u4 = shufflevector <8 x float> %b, <8 x float> poison, <4 x i32> <i32 4, i32 5, i32 6, i32 7>
  %b.4 = fadd reassoc <4 x float> %b.l4, %b.u4
  %b.l2 = shufflevector <4 x float> %b.4, <4 x float> poison, <2 x i32> <i32 0, i32 1>
  %b.u2 = shufflevector <4 x float> %b.4, <4 x float> poison, <2 x i32> <i32 2, i32 3>
  %b.2 = fadd reassoc <2 x float> %b.l2, %b.u2
  %b.l1 = shufflevector <2 x float> %b.2, <2 x float> poison, <1 x i32> <i32 0>
  %b.u1 = shufflevector <2 x float> %b.2, <2 x float> poison, <1 x i32> <i32 1>
  %b.1 = fadd reassoc <1 x float> %b.l1, %b.u1
  %c.l4 = shufflevector <8 x float> %c, <8 x float> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %c.u4 = shufflevector <8 x float> %c, <8 x float> poison, <4 x i32> <i32 4, i32 5, i32 6, i32 7>
  %c.4 = fadd reassoc <4 x float> %c.l4, %c.u4
  %c.l2 = shufflevector <4 x float> %c.4, <4 x float> poison, <2 x i32> <i32 0, i32 1>
  %c.u2 = shufflevector <4 x float> %c.4, <4 x float> poison, <2 x i32> <i32 2, i32 3>
  %c.2 = fadd reassoc <2 x float> %c.l2, %c.u2
  %c.l1 = shufflevector <2 x float> %c.2, <2 x float> poison, <1 x i32> <i32 0>
  %c.u1 = shufflevector <2 x float> %c.2, <2 x float> poison, <1 x i32> <i32 1>
  %c.1 = fadd reassoc <1 x float> %c.l1, %c.u1
  %d.l4 = shufflevector <8 x float> %d, <8 x float> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %d.u4 = shufflevector <8 x float> %d, <8 x float> poison, <4 x i32> <i32 4, i32 5, i32 6, i32 7>
  %d.4 = fadd reassoc <4 x float> %d.l4, %d.u4
  %d.l2 = shufflevector <4 x float> %d.4, <4 x float> poison, <2 x i32> <i32 0, i32 1>
  %d.u2 = shufflevector <4 x float> %d.4, <4 x float> poison, <2 x i32> <i32 2, i32 3>
  %d.2 = fadd reassoc <2 x float> %d.l2, %d.u2
  %d.l1 = shufflevector <2 x float> %d.2, <2 x float> poison, <1 x i32> <i32 0>
  %d.u1 = shufflevector <2 x float> %d.2, <2 x float> poison, <1 x i32> <i32 1>
  %d.1 = fadd reassoc <1 x float> %d.l1, %d.u1
  %ab = shufflevector <1 x float> %a.1, <1 x float> %b.1, <2 x i32> <i32 0, i32 1>
  %cd = shufflevector <1 x float> %c.1, <1 x float> %d.1, <2 x i32> <i32 0, i32 1>
  %all = shufflevector <2 x float> %ab, <2 x float> %cd, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  ret <4 x float> %all
}

; Both rows, in their order, out of the last step.
; CHECK-LABEL: define void @two(
; CHECK: [[LOWER:%.*]] = shufflevector <8 x float> %a, <8 x float> %b, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
; CHECK: [[UPPER:%.*]] = shufflevector <8 x float> %a, <8 x float> %b, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
; CHECK: call <8 x float> @llvm.maxnum.v8f32(<8 x float> [[LOWER]], <8 x float> [[UPPER]])
; CHECK: call <4 x float> @llvm.maxnum.v4f32(
; CHECK: [[BOTH:%.*]] = call <2 x float> @llvm.maxnum.v2f32(
; CHECK: [[FIRST:%.*]] = shufflevector <2 x float> [[BOTH]], <2 x float> poison, <1 x i32> zeroinitializer
; CHECK: [[SECOND:%.*]] = shufflevector <2 x float> [[BOTH]], <2 x float> poison, <1 x i32> <i32 1>
; CHECK: store <1 x float> [[FIRST]], ptr %p
; CHECK: store <1 x float> [[SECOND]], ptr %q
define void @two(<8 x float> %a, <8 x float> %b, ptr %p, ptr %q) {
  %a.l4 = shufflevector <8 x float> %a, <8 x float> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %a.u4 = shufflevector <8 x float> %a, <8 x float> poison, <4 x i32> <i32 4, i32 5, i32 6, i32 7>
  %a.4 = call <4 x float> @llvm.maxnum.v4f32(<4 x float> %a.l4, <4 x float> %a.u4)
  %a.l2 = shufflevector <4 x float> %a.4, <4 x float> poison, <2 x i32> <i32 0, i32 1>
  %a.u2 = shufflevector <4 x float> %a.4, <4 x float> poison, <2 x i32> <i32 2, i32 3>
  %a.2 = call <2 x float> @llvm.maxnum.v2f32(<2 x float> %a.l2, <2 x float> %a.u2)
  %a.l1 = shufflevector <2 x float> %a.2, <2 x float> poison, <1 x i32> <i32 0>
  %a.u1 = shufflevector <2 x float> %a.2, <2 x float> poison, <1 x i32> <i32 1>
  %a.1 = call <1 x float> @llvm.maxnum.v1f32(<1 x float> %a.l1, <1 x float> %a.u1)
  store <1 x float> %a.1, ptr %p, align 4
  %b.l4 = shufflevector <8 x float> %b, <8 x float> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %b.u4 = shufflevector <8 x float> %b, <8 x float> poison, <4 x i32> <i32 4, i32 5, i32 6, i32 7>
  %b.4 = call <4 x float> @llvm.maxnum.v4f32(<4 x float> %b.l4, <4 x float> %b.u4)
  %b.l2 = shufflevector <4 x float> %b.4, <4 x float> poison, <2 x i32> <i32 0, i32 1>
  %b.u2 = shufflevector <4 x float> %b.4, <4 x float> poison, <2 x i32> <i32 2, i32 3>
  %b.2 = call <2 x float> @llvm.maxnum.v2f32(<2 x float> %b.l2, <2 x float> %b.u2)
  %b.l1 = shufflevector <2 x float> %b.2, <2 x float> poison, <1 x i32> <i32 0>
  %b.u1 = shufflevector <2 x float> %b.2, <2 x float> poison, <1 x i32> <i32 1>
  %b.1 = call <1 x float> @llvm.maxnum.v1f32(<1 x float> %b.l1, <1 x float> %b.u1)
  store <1 x float> %b.1, ptr %q, align 4
  ret void
}

; CHECK-LABEL: define <1 x i32> @one_after_the_other(
; CHECK-NOT: add <8 x i32>
; CHECK: ret <1 x i32>
define <1 x i32> @one_after_the_other(<8 x i32> %a, <8 x i32> %b) {
  %a.l4 = shufflevector <8 x i32> %a, <8 x i32> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %a.u4 = shufflevector <8 x i32> %a, <8 x i32> poison, <4 x i32> <i32 4, i32 5, i32 6, i32 7>
  %a.4 = add <4 x i32> %a.l4, %a.u4
  %a.l2 = shufflevector <4 x i32> %a.4, <4 x i32> poison, <2 x i32> <i32 0, i32 1>
  %a.u2 = shufflevector <4 x i32> %a.4, <4 x i32> poison, <2 x i32> <i32 2, i32 3>
  %a.2 = add <2 x i32> %a.l2, %a.u2
  %a.l1 = shufflevector <2 x i32> %a.2, <2 x i32> poison, <1 x i32> <i32 0>
  %a.u1 = shufflevector <2 x i32> %a.2, <2 x i32> poison, <1 x i32> <i32 1>
  %a.1 = add <1 x i32> %a.l1, %a.u1
  %all = shufflevector <1 x i32> %a.1, <1 x i32> poison, <8 x i32> zeroinitializer
  %more = mul <8 x i32> %all, %b
  %b.l4 = shufflevector <8 x i32> %more, <8 x i32> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %b.u4 = shufflevector <8 x i32> %more, <8 x i32> poison, <4 x i32> <i32 4, i32 5, i32 6, i32 7>
  %b.4 = add <4 x i32> %b.l4, %b.u4
  %b.l2 = shufflevector <4 x i32> %b.4, <4 x i32> poison, <2 x i32> <i32 0, i32 1>
  %b.u2 = shufflevector <4 x i32> %b.4, <4 x i32> poison, <2 x i32> <i32 2, i32 3>
  %b.2 = add <2 x i32> %b.l2, %b.u2
  %b.l1 = shufflevector <2 x i32> %b.2, <2 x i32> poison, <1 x i32> <i32 0>
  %b.u1 = shufflevector <2 x i32> %b.2, <2 x i32> poison, <1 x i32> <i32 1>
  %b.1 = add <1 x i32> %b.l1, %b.u1
  ret <1 x i32> %b.1
}

; CHECK-LABEL: define <1 x i32> @other_operations(
; CHECK-NOT: shufflevector <8 x i32> %a, <8 x i32> %b
; CHECK: ret <1 x i32>
define <1 x i32> @other_operations(<8 x i32> %a, <8 x i32> %b) {
  %a.l4 = shufflevector <8 x i32> %a, <8 x i32> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %a.u4 = shufflevector <8 x i32> %a, <8 x i32> poison, <4 x i32> <i32 4, i32 5, i32 6, i32 7>
  %a.4 = and <4 x i32> %a.l4, %a.u4
  %a.l2 = shufflevector <4 x i32> %a.4, <4 x i32> poison, <2 x i32> <i32 0, i32 1>
  %a.u2 = shufflevector <4 x i32> %a.4, <4 x i32> poison, <2 x i32> <i32 2, i32 3>
  %a.2 = and <2 x i32> %a.l2, %a.u2
  %a.l1 = shufflevector <2 x i32> %a.2, <2 x i32> poison, <1 x i32> <i32 0>
  %a.u1 = shufflevector <2 x i32> %a.2, <2 x i32> poison, <1 x i32> <i32 1>
  %a.1 = and <1 x i32> %a.l1, %a.u1
  %b.l4 = shufflevector <8 x i32> %b, <8 x i32> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %b.u4 = shufflevector <8 x i32> %b, <8 x i32> poison, <4 x i32> <i32 4, i32 5, i32 6, i32 7>
  %b.4 = or <4 x i32> %b.l4, %b.u4
  %b.l2 = shufflevector <4 x i32> %b.4, <4 x i32> poison, <2 x i32> <i32 0, i32 1>
  %b.u2 = shufflevector <4 x i32> %b.4, <4 x i32> poison, <2 x i32> <i32 2, i32 3>
  %b.2 = or <2 x i32> %b.l2, %b.u2
  %b.l1 = shufflevector <2 x i32> %b.2, <2 x i32> poison, <1 x i32> <i32 0>
  %b.u1 = shufflevector <2 x i32> %b.2, <2 x i32> poison, <1 x i32> <i32 1>
  %b.1 = or <1 x i32> %b.l1, %b.u1
  %r = xor <1 x i32> %a.1, %b.1
  ret <1 x i32> %r
}
