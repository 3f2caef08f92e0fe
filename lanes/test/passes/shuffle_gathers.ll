; SPDX-License-Identifier: Apache-2.0
; Gathers of lanes that are close together are loads and shuffles; in local memory, without AVX-512, of whole vectors from a multiple of
; their size on.
; RUN: tessera-opt -packets=16 -cpu=avx2 -passes=shuffle_gathers %s | FileCheck %s
; RUN: tessera-opt -packets=16 -cpu=avx512 -passes=shuffle_gathers %s | FileCheck %s --check-prefix=MASKS
declare <4 x float> @llvm.masked.gather.v4f32.v4p3(<4 x ptr addrspace(3)>, <4 x i1>, <4 x float>)
declare <4 x float> @llvm.masked.gather.v4f32.v4p1(<4 x ptr addrspace(1)>, <4 x i1>, <4 x float>)
declare void @llvm.masked.scatter.v4f32.v4p3(<4 x float>, <4 x ptr addrspace(3)>, <4 x i1>)
declare void @llvm.masked.scatter.v4f32.v4p1(<4 x float>, <4 x ptr addrspace(1)>, <4 x i1>)

; The neighbours to the right, the last one its own: elements 1 to 3 of a vector of four.
; CHECK-LABEL: define <4 x float> @right(
; CHECK: %[[first:.*]] = getelementptr float, ptr addrspace(3) %{{.*}}, i64 -1
; CHECK: %[[all:.*]] = load <4 x float>, ptr addrspace(3) %[[first]], align 4
; CHECK: shufflevector <4 x float> %[[all]], <4 x float> poison, <4 x i32> <i32 1, i32 2, i32 3, i32 3>
; MASKS-LABEL: define <4 x float> @right(
; MASKS: load <3 x float>
; MASKS: shufflevector <3 x float> %{{.*}}, <3 x float> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 2>
define <4 x float> @right(ptr addrspace(3) %p) {
  %q = getelementptr i8, ptr addrspace(3) %p, i64 4
  %a = getelementptr i8, ptr addrspace(3) %q, <4 x i64> <i64 0, i64 4, i64 8, i64 8>
  %v = call <4 x float> @llvm.masked.gather.v4f32.v4p3(<4 x ptr addrspace(3)> align 4 %a, <4 x i1> splat (i1 true), <4 x float> poison)
  ret <4 x float> %v
}

; In global memory nothing is read behind the last element, and a lane that is not there keeps what it had.
; CHECK-LABEL: define <4 x float> @global(
; CHECK: load <5 x float>, ptr addrspace(1)
; CHECK: %[[found:.*]] = shufflevector <5 x float> %{{.*}}, <5 x float> poison, <4 x i32> <i32 0, i32 4, i32 poison, i32 2>
; CHECK: select <4 x i1> <i1 true, i1 true, i1 false, i1 true>, <4 x float> %[[found]], <4 x float> %w
define <4 x float> @global(ptr addrspace(1) %p, <4 x float> %w) {
  %a = getelementptr i8, ptr addrspace(1) %p, <4 x i64> <i64 0, i64 16, i64 poison, i64 8>
  %v = call <4 x float> @llvm.masked.gather.v4f32.v4p1(<4 x ptr addrspace(1)> align 4 %a, <4 x i1> <i1 true, i1 true, i1 false, i1 true>, <4 x float> %w)
  ret <4 x float> %v
}

; The third lane has been sent nowhere. What lies between the elements is written as it was; of two lanes with one place the last wins.
; CHECK-LABEL: define void @store(
; CHECK: %[[value:.*]] = shufflevector <4 x float> %v, <4 x float> poison, <4 x i32> <i32 1, i32 poison, i32 3, i32 poison>
; CHECK: %[[old:.*]] = load <4 x float>, ptr addrspace(3)
; CHECK: %[[new:.*]] = shufflevector <4 x float> %[[value]], <4 x float> %[[old]], <4 x i32> <i32 0, i32 5, i32 2, i32 7>
; CHECK: store <4 x float> %[[new]], ptr addrspace(3)
; MASKS-LABEL: define void @store(
; MASKS: call void @llvm.masked.scatter.v4f32.v4p3(
define void @store(ptr addrspace(3) %p, <4 x float> %v) {
  %nowhere = alloca [4 x i8], align 4, !tessera.nowhere !0
  %n = addrspacecast ptr %nowhere to ptr addrspace(3)
  %a = getelementptr i8, ptr addrspace(3) %p, <4 x i64> <i64 0, i64 0, i64 4, i64 8>
  %b = insertelement <4 x ptr addrspace(3)> %a, ptr addrspace(3) %n, i64 2
  call void @llvm.masked.scatter.v4f32.v4p3(<4 x float> %v, <4 x ptr addrspace(3)> align 4 %b, <4 x i1> splat (i1 true))
  ret void
}

; In global memory others may write what lies between; without gaps, the order is no matter. Lanes too far apart stay.
; CHECK-LABEL: define void @others(
; CHECK: call void @llvm.masked.scatter.v4f32.v4p1(<4 x float> %v
; CHECK: %[[turned:.*]] = shufflevector <4 x float> %v, <4 x float> poison, <4 x i32> <i32 3, i32 2, i32 1, i32 0>
; CHECK: store <4 x float> %[[turned]], ptr addrspace(1)
; CHECK: call <4 x float> @llvm.masked.gather.v4f32.v4p3(
define void @others(ptr addrspace(1) %p, ptr addrspace(3) %l, <4 x float> %v) {
  %a = getelementptr i8, ptr addrspace(1) %p, <4 x i64> <i64 0, i64 4, i64 8, i64 16>
  call void @llvm.masked.scatter.v4f32.v4p1(<4 x float> %v, <4 x ptr addrspace(1)> align 4 %a, <4 x i1> splat (i1 true))
  %b = getelementptr i8, ptr addrspace(1) %p, <4 x i64> <i64 12, i64 8, i64 4, i64 0>
  call void @llvm.masked.scatter.v4f32.v4p1(<4 x float> %v, <4 x ptr addrspace(1)> align 4 %b, <4 x i1> splat (i1 true))
  %c = getelementptr i8, ptr addrspace(3) %l, <4 x i64> <i64 0, i64 4, i64 8, i64 32>
  %w = call <4 x float> @llvm.masked.gather.v4f32.v4p3(<4 x ptr addrspace(3)> align 4 %c, <4 x i1> splat (i1 true), <4 x float> poison)
  store <4 x float> %w, ptr addrspace(1) %p
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

; Masked lanes side by side in local memory, too few for all and too many for a vector of their own.
declare <8 x i32> @llvm.masked.load.v8i32.p3(ptr addrspace(3), <8 x i1>, <8 x i32>)
declare void @llvm.masked.store.v8i32.p3(<8 x i32>, ptr addrspace(3), <8 x i1>)
; MASKS-LABEL: define <8 x i32> @left(
; MASKS: %[[all:.*]] = load <8 x i32>, ptr addrspace(3) %{{.*}}, align 4
; MASKS: shufflevector <8 x i32> %[[all]], <8 x i32> poison, <8 x i32> <i32 poison, i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6>
define <8 x i32> @left(ptr addrspace(3) %p) {
  %q = getelementptr i8, ptr addrspace(3) %p, i64 -4
  %v = call <8 x i32> @llvm.masked.load.v8i32.p3(ptr addrspace(3) align 4 %q, <8 x i1> <i1 false, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>, <8 x i32> poison)
  ret <8 x i32> %v
}
; MASKS-LABEL: define void @behind_first(
; MASKS: %[[old:.*]] = load <8 x i32>
; MASKS: freeze <8 x i32> %[[old]]
; MASKS: store <8 x i32>
define void @behind_first(ptr addrspace(3) %p, <8 x i32> %v) {
  call void @llvm.masked.store.v8i32.p3(<8 x i32> %v, ptr addrspace(3) align 4 %p, <8 x i1> <i1 false, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 false>)
  ret void
}
; MASKS-LABEL: define <8 x i32> @half(
; MASKS: call <8 x i32> @llvm.masked.load
define <8 x i32> @half(ptr addrspace(3) %p) {
  %v = call <8 x i32> @llvm.masked.load.v8i32.p3(ptr addrspace(3) align 4 %p, <8 x i1> <i1 true, i1 true, i1 true, i1 true, i1 false, i1 false, i1 false, i1 false>, <8 x i32> poison)
  ret <8 x i32> %v
}
