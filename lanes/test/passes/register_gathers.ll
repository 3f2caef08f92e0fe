; SPDX-License-Identifier: Apache-2.0
; A gather of 16 bytes is a load for each lane, from the uniform base and the lane's index, and shuffles in registers of four values; not in
; functions with matrix operations, nor gathers of halves.
; RUN: tessera-opt -packets=16 -cpu=avx512 -passes=register_gathers %s | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare <16 x i128> @llvm.masked.gather.v16i128.v16p0(<16 x ptr>, <16 x i1>, <16 x i128>)
declare <16 x i16> @llvm.masked.gather.v16i16.v16p0(<16 x ptr>, <16 x i1>, <16 x i16>)

; CHECK-LABEL: define <16 x i32> @words(
; CHECK: %index = add
; CHECK-NEXT: extractelement <16 x i64> %index
; CHECK: br label %loop
; CHECK: loop:
; CHECK-COUNT-16: load <4 x i32>, ptr {{.*}}, align 4
; CHECK-NOT: masked.gather
; CHECK: shufflevector <16 x i32>
; CHECK: ret <16 x i32>
define <16 x i32> @words(ptr %base, <16 x i64> %at, i1 %more) {
entry:
  %index = add <16 x i64> %at, splat (i64 1)
  br label %loop
loop:
  %sum = phi <16 x i32> [ zeroinitializer, %entry ], [ %next, %loop ]
  %pointers = getelementptr i8, ptr %base, <16 x i64> %index
  %values = call <16 x i128> @llvm.masked.gather.v16i128.v16p0(<16 x ptr> align 4 %pointers, <16 x i1> splat (i1 true), <16 x i128> poison)
  %frozen = freeze <16 x i128> %values
  %words = bitcast <16 x i128> %frozen to <64 x i32>
  %first = trunc <16 x i128> %frozen to <16 x i32>
  %third = shufflevector <64 x i32> %words, <64 x i32> poison, <16 x i32> <i32 2, i32 6, i32 10, i32 14, i32 18, i32 22, i32 26, i32 30, i32 34, i32 38, i32 42, i32 46, i32 50, i32 54, i32 58, i32 62>
  %both = add <16 x i32> %first, %third
  %next = add <16 x i32> %sum, %both
  br i1 %more, label %loop, label %out
out:
  ret <16 x i32> %next
}

; Lanes a known distance apart have the first one's address and a constant, also behind a sum with a number that all lanes have.
; CHECK-LABEL: define <16 x i32> @rows(
; CHECK: [[FIRST:%.*]] = getelementptr i8, ptr %{{.*}}, i64 16
; CHECK: getelementptr i8, ptr [[FIRST]], i64 2000
; CHECK: getelementptr i8, ptr [[FIRST]], i64 7500
; CHECK: ret <16 x i32>
define <16 x i32> @rows(ptr %base, i64 %n) {
  %one = insertelement <16 x i64> poison, i64 %n, i64 0
  %all = shufflevector <16 x i64> %one, <16 x i64> poison, <16 x i32> zeroinitializer
  %index = add <16 x i64> %all, <i64 0, i64 500, i64 1000, i64 1500, i64 2000, i64 2500, i64 3000, i64 3500, i64 4000, i64 4500, i64 5000, i64 5500, i64 6000, i64 6500, i64 7000, i64 7500>
  %rows = getelementptr i8, ptr %base, <16 x i64> %index
  %pointers = getelementptr i8, <16 x ptr> %rows, i64 16
  %values = call <16 x i128> @llvm.masked.gather.v16i128.v16p0(<16 x ptr> align 4 %pointers, <16 x i1> splat (i1 true), <16 x i128> poison)
  %words = bitcast <16 x i128> %values to <64 x i32>
  %second = shufflevector <64 x i32> %words, <64 x i32> poison, <16 x i32> <i32 1, i32 5, i32 9, i32 13, i32 17, i32 21, i32 25, i32 29, i32 33, i32 37, i32 41, i32 45, i32 49, i32 53, i32 57, i32 61>
  ret <16 x i32> %second
}

; Numbers of 16 bits beside such a gather, from the same index, are loaded from the addresses that there are.
; CHECK-LABEL: define <16 x i16> @beside(
; CHECK-NOT: masked.gather
; CHECK-COUNT-16: load i16, ptr {{.*}}, align 2
; CHECK-NOT: masked.gather
; CHECK: ret <16 x i16>
define <16 x i16> @beside(ptr %base, <16 x i64> %at, ptr %p) {
  %index = add <16 x i64> %at, splat (i64 1)
  %far = getelementptr i8, ptr %base, i64 2
  %pointers = getelementptr i8, ptr %far, <16 x i64> %index
  %values = call <16 x i128> @llvm.masked.gather.v16i128.v16p0(<16 x ptr> align 2 %pointers, <16 x i1> splat (i1 true), <16 x i128> poison)
  %first = trunc <16 x i128> %values to <16 x i32>
  store <16 x i32> %first, ptr %p
  %near = getelementptr i8, ptr %base, <16 x i64> %index
  %halves = call <16 x i16> @llvm.masked.gather.v16i16.v16p0(<16 x ptr> align 2 %near, <16 x i1> splat (i1 true), <16 x i16> poison)
  ret <16 x i16> %halves
}

; CHECK-LABEL: define <16 x i16> @halves(
; CHECK: call <16 x i16> @llvm.masked.gather
define <16 x i16> @halves(<16 x ptr> %pointers) {
  %values = call <16 x i16> @llvm.masked.gather.v16i16.v16p0(<16 x ptr> align 2 %pointers, <16 x i1> splat (i1 true), <16 x i16> poison)
  ret <16 x i16> %values
}

declare { <16 x i32> } @tsr.mad16.40.40.intel_sub_group_i8_i8_matrix_mad_k32(<16 x i16>, <16 x i32>, <16 x i32>, <16 x i32>, <16 x i32>, <16 x i32>, <16 x i32>, <16 x i32>, <16 x i32>, <16 x i32>)

; CHECK-LABEL: define <16 x i32> @with_products(
; CHECK: call <16 x i128> @llvm.masked.gather
define <16 x i32> @with_products(<16 x ptr> %pointers) {
  %values = call <16 x i128> @llvm.masked.gather.v16i128.v16p0(<16 x ptr> align 4 %pointers, <16 x i1> splat (i1 true), <16 x i128> poison)
  %first = trunc <16 x i128> %values to <16 x i32>
  %product = call { <16 x i32> } @tsr.mad16.40.40.intel_sub_group_i8_i8_matrix_mad_k32(<16 x i16> zeroinitializer, <16 x i32> zeroinitializer, <16 x i32> zeroinitializer, <16 x i32> zeroinitializer, <16 x i32> zeroinitializer, <16 x i32> zeroinitializer, <16 x i32> zeroinitializer, <16 x i32> zeroinitializer, <16 x i32> zeroinitializer, <16 x i32> zeroinitializer)
  ret <16 x i32> %first
}
