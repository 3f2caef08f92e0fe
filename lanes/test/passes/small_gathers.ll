; SPDX-License-Identifier: Apache-2.0
; Gathers of bytes and of 16 bits are gathers of the aligned words that these lie in, and shifts. Without AVX-512 the lanes load them, by
; indices of which several leave their vector at a time.
; RUN: tessera-opt -packets=16 -cpu=avx512 -passes=small_gathers %s | FileCheck %s
; RUN: tessera-opt -packets=16 -cpu=avx2 -passes=small_gathers %s | FileCheck %s --check-prefix=LANES
; RUN-SAME: tessera-opt -packets=16 -cpu=avx512 -passes=small_gathers %s | FileCheck %s --check-prefix=STAYS
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
declare <16 x i8> @llvm.masked.gather.v16i8.v16p0(<16 x ptr>, <16 x i1>, <16 x i8>)
declare <16 x half> @llvm.masked.gather.v16f16.v16p0(<16 x ptr>, <16 x i1>, <16 x half>)
declare <16 x i32> @llvm.masked.gather.v16i32.v16p0(<16 x ptr>, <16 x i1>, <16 x i32>)

; CHECK-LABEL: define <16 x i8> @table(
; CHECK: %[[index:.*]] = zext <16 x i8> %x to <16 x i32>
; CHECK: and i64 %{{.*}}, 3
; CHECK: %[[sum:.*]] = add <16 x i32> %[[index]],
; CHECK: %[[word:.*]] = lshr <16 x i32> %[[sum]], splat (i32 2)
; CHECK: %[[words:.*]] = call <16 x i32> @llvm.masked.gather.v16i32.v16p0(<16 x ptr> align 4 %
; CHECK: lshr <16 x i32>
; CHECK: trunc <16 x i32> %{{.*}} to <16 x i8>
; LANES-LABEL: define <16 x i8> @table(
; LANES: bitcast <16 x i8> %x to <2 x i64>
; LANES: extractelement <2 x i64> %{{.*}}, i32 0
; LANES-COUNT-8: load i8, ptr
; LANES: extractelement <2 x i64> %{{.*}}, i32 1
; LANES-COUNT-8: load i8, ptr
; LANES: ret <16 x i8>
define <16 x i8> @table(ptr %t, <16 x i8> %x) {
  %i = zext <16 x i8> %x to <16 x i64>
  %p = getelementptr [1 x i8], ptr %t, <16 x i64> %i
  %v = call <16 x i8> @llvm.masked.gather.v16i8.v16p0(<16 x ptr> align 1 %p, <16 x i1> splat (i1 true), <16 x i8> poison)
  ret <16 x i8> %v
}

; An index that may wrap when the table's odd bytes are added.
; CHECK-LABEL: define <16 x half> @halves(
; CHECK: ashr <16 x i32> %x, splat (i32 1)
; CHECK: @llvm.masked.gather.v16i32
; CHECK: bitcast <16 x i16> %{{.*}} to <16 x half>
; LANES-LABEL: define <16 x half> @halves(
; LANES: bitcast <16 x i32> %x to <8 x i64>
; LANES-COUNT-16: load half, ptr
define <16 x half> @halves(ptr %t, <16 x i32> %x) {
  %i = sext <16 x i32> %x to <16 x i64>
  %p = getelementptr half, ptr %t, <16 x i64> %i
  %v = call <16 x half> @llvm.masked.gather.v16f16.v16p0(<16 x ptr> align 2 %p, <16 x i1> splat (i1 true), <16 x half> poison)
  ret <16 x half> %v
}

; CHECK-LABEL: define <16 x i8> @pointers(
; CHECK: call <16 x ptr> @llvm.ptrmask.v16p0.v16i64(<16 x ptr> %p, <16 x i64> splat (i64 -4))
; CHECK: @llvm.masked.gather.v16i32
define <16 x i8> @pointers(<16 x ptr> %p) {
  %v = call <16 x i8> @llvm.masked.gather.v16i8.v16p0(<16 x ptr> align 1 %p, <16 x i1> splat (i1 true), <16 x i8> poison)
  ret <16 x i8> %v
}

; STAYS-LABEL: define <16 x half> @odd(
; STAYS: @llvm.masked.gather.v16f16
define <16 x half> @odd(<16 x ptr> %p) {
  %v = call <16 x half> @llvm.masked.gather.v16f16.v16p0(<16 x ptr> align 1 %p, <16 x i1> splat (i1 true), <16 x half> poison)
  ret <16 x half> %v
}
; STAYS-LABEL: define <16 x i32> @words(
; STAYS: @llvm.masked.gather.v16i32.v16p0(<16 x ptr> align 4 %p
define <16 x i32> @words(<16 x ptr> %p) {
  %v = call <16 x i32> @llvm.masked.gather.v16i32.v16p0(<16 x ptr> align 4 %p, <16 x i1> splat (i1 true), <16 x i32> poison)
  ret <16 x i32> %v
}
