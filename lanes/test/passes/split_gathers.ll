; SPDX-License-Identifier: Apache-2.0
; Gathers and scatters of rows of consecutive elements are accesses of the rows; others stay.
; RUN: tessera-opt -packets=16 -cpu=avx2 -passes=split_gathers %s | FileCheck %s
declare <8 x float> @llvm.masked.gather.v8f32.v8p0(<8 x ptr>, <8 x i1>, <8 x float>)
declare <8 x i8> @llvm.masked.gather.v8i8.v8p0(<8 x ptr>, <8 x i1>, <8 x i8>)
declare void @llvm.masked.scatter.v8f32.v8p0(<8 x float>, <8 x ptr>, <8 x i1>)

; Lane / 4 rows of n elements, and lane % 4 in the row, with an index of 32 bits that does not wrap.
; CHECK-LABEL: define <8 x float> @two_rows(
; CHECK: %[[second:.*]] = mul nsw i32 %n, 1
; CHECK: load <4 x float>, ptr %{{.*}}, align 4
; CHECK: load <4 x float>, ptr %{{.*}}, align 4
; CHECK-NOT: freeze
; CHECK: ret <8 x float>
define <8 x float> @two_rows(ptr %p, i32 %n) {
  %one = insertelement <8 x i32> poison, i32 %n, i64 0
  %all = shufflevector <8 x i32> %one, <8 x i32> poison, <8 x i32> zeroinitializer
  %row = mul nsw <8 x i32> %all, <i32 0, i32 0, i32 0, i32 0, i32 1, i32 1, i32 1, i32 1>
  %at = add nsw <8 x i32> %row, <i32 0, i32 1, i32 2, i32 3, i32 0, i32 1, i32 2, i32 3>
  %wide = sext <8 x i32> %at to <8 x i64>
  %q = getelementptr float, ptr %p, <8 x i64> %wide
  %v = call <8 x float> @llvm.masked.gather.v8f32.v8p0(<8 x ptr> align 4 %q, <8 x i1> splat (i1 true), <8 x float> poison)
  %f = freeze <8 x float> %v
  ret <8 x float> %f
}

; An index that may wrap within a row, one that grows by two, one lane too far, lanes that may not be there, and rows of fewer than 16 bytes.
; CHECK-LABEL: define void @others(
; CHECK-COUNT-4: call <8 x float> @llvm.masked.gather.v8f32.v8p0(
; CHECK: call <8 x i8> @llvm.masked.gather.v8i8.v8p0(
; CHECK-NOT: load
; CHECK: ret void
define void @others(ptr %p, i32 %n, <8 x i1> %m, ptr %to) {
  %one = insertelement <8 x i32> poison, i32 %n, i64 0
  %all = shufflevector <8 x i32> %one, <8 x i32> poison, <8 x i32> zeroinitializer
  %may.wrap = add <8 x i32> %all, <i32 0, i32 1, i32 2, i32 3, i32 0, i32 1, i32 2, i32 3>
  %wide = sext <8 x i32> %may.wrap to <8 x i64>
  %q = getelementptr float, ptr %p, <8 x i64> %wide
  %a = call <8 x float> @llvm.masked.gather.v8f32.v8p0(<8 x ptr> align 4 %q, <8 x i1> splat (i1 true), <8 x float> poison)
  store <8 x float> %a, ptr %to
  %by.two = getelementptr i8, ptr %p, <8 x i64> <i64 0, i64 8, i64 16, i64 24, i64 32, i64 40, i64 48, i64 56>
  %b = call <8 x float> @llvm.masked.gather.v8f32.v8p0(<8 x ptr> align 4 %by.two, <8 x i1> splat (i1 true), <8 x float> poison)
  store <8 x float> %b, ptr %to
  %far = getelementptr i8, ptr %p, <8 x i64> <i64 0, i64 4, i64 8, i64 16, i64 32, i64 36, i64 40, i64 44>
  %c = call <8 x float> @llvm.masked.gather.v8f32.v8p0(<8 x ptr> align 4 %far, <8 x i1> splat (i1 true), <8 x float> poison)
  store <8 x float> %c, ptr %to
  %rows = getelementptr i8, ptr %p, <8 x i64> <i64 0, i64 4, i64 8, i64 12, i64 32, i64 36, i64 40, i64 44>
  %d = call <8 x float> @llvm.masked.gather.v8f32.v8p0(<8 x ptr> align 4 %rows, <8 x i1> %m, <8 x float> poison)
  store <8 x float> %d, ptr %to
  %bytes = getelementptr i8, ptr %p, <8 x i64> <i64 0, i64 1, i64 2, i64 3, i64 32, i64 33, i64 34, i64 35>
  %e = call <8 x i8> @llvm.masked.gather.v8i8.v8p0(<8 x ptr> align 1 %bytes, <8 x i1> splat (i1 true), <8 x i8> poison)
  store <8 x i8> %e, ptr %to
  ret void
}

; The second row is stored last, as its lanes are.
; CHECK-LABEL: define void @scatter(
; CHECK: %[[low:.*]] = shufflevector <8 x float> %v, <8 x float> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
; CHECK: store <4 x float> %[[low]], ptr %{{.*}}, align 4
; CHECK: %[[high:.*]] = shufflevector <8 x float> %v, <8 x float> poison, <4 x i32> <i32 4, i32 5, i32 6, i32 7>
; CHECK: store <4 x float> %[[high]], ptr %{{.*}}, align 4
define void @scatter(ptr %p, <8 x float> %v) {
  %rows = getelementptr i8, ptr %p, <8 x i64> <i64 0, i64 4, i64 8, i64 12, i64 32, i64 36, i64 40, i64 44>
  call void @llvm.masked.scatter.v8f32.v8p0(<8 x float> %v, <8 x ptr> align 4 %rows, <8 x i1> splat (i1 true))
  ret void
}

; Lanes that are not there are sent elsewhere: rows of those that are, if what is added is signed.
; CHECK-LABEL: define void @some_lanes(
; CHECK: call <4 x float> @llvm.masked.load.v4f32.p0(ptr align 4 %{{.*}}, <4 x i1> %{{.*}}, <4 x float> poison)
; CHECK: call <4 x float> @llvm.masked.load.v4f32.p0(
; CHECK: call <8 x float> @llvm.masked.gather.v8f32.v8p0(
; CHECK: ret void
define void @some_lanes(ptr %p, <8 x i1> %m, i32 %n, ptr %to) {
  %nowhere = alloca [4 x i8], align 4, !tessera.nowhere !0
  %place = insertelement <8 x ptr> poison, ptr %nowhere, i64 0
  %places = shufflevector <8 x ptr> %place, <8 x ptr> poison, <8 x i32> zeroinitializer
  %one = insertelement <8 x i32> poison, i32 %n, i64 0
  %all = shufflevector <8 x i32> %one, <8 x i32> poison, <8 x i32> zeroinitializer
  %row = mul nsw <8 x i32> %all, <i32 0, i32 0, i32 0, i32 0, i32 1, i32 1, i32 1, i32 1>
  %at = add nuw nsw <8 x i32> %row, <i32 0, i32 1, i32 2, i32 3, i32 0, i32 1, i32 2, i32 3>
  %signed = sext <8 x i32> %at to <8 x i64>
  %q = getelementptr float, ptr %p, <8 x i64> %signed
  %sent = select <8 x i1> %m, <8 x ptr> %q, <8 x ptr> %places
  %a = call <8 x float> @llvm.masked.gather.v8f32.v8p0(<8 x ptr> align 4 %sent, <8 x i1> splat (i1 true), <8 x float> poison)
  store <8 x float> %a, ptr %to
  %unsigned = zext <8 x i32> %at to <8 x i64>
  %r = getelementptr float, ptr %p, <8 x i64> %unsigned
  %sent.too = select <8 x i1> %m, <8 x ptr> %r, <8 x ptr> %places
  %b = call <8 x float> @llvm.masked.gather.v8f32.v8p0(<8 x ptr> align 4 %sent.too, <8 x i1> splat (i1 true), <8 x float> poison)
  store <8 x float> %b, ptr %to
  ret void
}

; Lanes read one place of the program's or another: all of these count.
; CHECK-LABEL: define void @one_or_other(
; CHECK: call <8 x float> @llvm.masked.gather.v8f32.v8p0(
; CHECK: ret void
define void @one_or_other(ptr %p, ptr %other, <8 x i1> %m, ptr %to) {
  %place = insertelement <8 x ptr> poison, ptr %other, i64 0
  %places = shufflevector <8 x ptr> %place, <8 x ptr> poison, <8 x i32> zeroinitializer
  %q = getelementptr float, ptr %p, <8 x i64> <i64 0, i64 1, i64 2, i64 3, i64 8, i64 9, i64 10, i64 11>
  %either = select <8 x i1> %m, <8 x ptr> %q, <8 x ptr> %places
  %a = call <8 x float> @llvm.masked.gather.v8f32.v8p0(<8 x ptr> align 4 %either, <8 x i1> splat (i1 true), <8 x float> poison)
  store <8 x float> %a, ptr %to
  ret void
}

; Numbers of 24 bits lie closer to each other in a vector than in an array.
; CHECK-LABEL: define void @of_24_bits(
; CHECK: call <8 x i24> @llvm.masked.gather.v8i24.v8p1(
; CHECK: call void @llvm.masked.scatter.v8i24.v8p1(
define void @of_24_bits(ptr addrspace(1) %p, ptr addrspace(1) %to) {
  %a = getelementptr i8, ptr addrspace(1) %p, <8 x i64> <i64 0, i64 4, i64 8, i64 12, i64 16, i64 20, i64 24, i64 28>
  %v = call <8 x i24> @llvm.masked.gather.v8i24.v8p1(<8 x ptr addrspace(1)> align 1 %a, <8 x i1> splat (i1 true), <8 x i24> poison)
  %b = getelementptr i8, ptr addrspace(1) %to, <8 x i64> <i64 0, i64 4, i64 8, i64 12, i64 16, i64 20, i64 24, i64 28>
  call void @llvm.masked.scatter.v8i24.v8p1(<8 x i24> %v, <8 x ptr addrspace(1)> align 1 %b, <8 x i1> splat (i1 true))
  ret void
}

!0 = !{}

; Elements of 16 bytes, each a row by itself, stay for the pass "register_gathers".
; CHECK-LABEL: define <8 x i128> @registers(
; CHECK: call <8 x i128> @llvm.masked.gather.v8i128.v8p0(
declare <8 x i128> @llvm.masked.gather.v8i128.v8p0(<8 x ptr>, <8 x i1>, <8 x i128>)
define <8 x i128> @registers(<8 x ptr> %p) {
  %v = call <8 x i128> @llvm.masked.gather.v8i128.v8p0(<8 x ptr> align 4 %p, <8 x i1> splat (i1 true), <8 x i128> poison)
  ret <8 x i128> %v
}
