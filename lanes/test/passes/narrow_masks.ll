; SPDX-License-Identifier: Apache-2.0
; Accesses of a constant run of lanes are not masked; others stay.
; RUN: tessera-opt -packets=16 -passes=narrow_masks %s | FileCheck %s
declare <4 x float> @llvm.masked.load.v4f32.p0(ptr, <4 x i1>, <4 x float>)
declare void @llvm.masked.store.v4f32.p0(<4 x float>, ptr, <4 x i1>)

; CHECK-LABEL: define void @first_two(
; CHECK: load <2 x float>, ptr %p, align 4
; CHECK: shufflevector <4 x float> %x, <4 x float> poison, <2 x i32> <i32 0, i32 1>
; CHECK: store <2 x float> %{{.*}}, ptr %p, align 4
define void @first_two(ptr %p, ptr %q, <4 x float> %x) {
  %v = call <4 x float> @llvm.masked.load.v4f32.p0(ptr align 4 %p, <4 x i1> <i1 true, i1 true, i1 false, i1 false>, <4 x float> poison)
  store <4 x float> %v, ptr %q
  call void @llvm.masked.store.v4f32.p0(<4 x float> %x, ptr align 4 %p, <4 x i1> <i1 true, i1 true, i1 false, i1 false>)
  ret void
}

; CHECK-LABEL: define <4 x float> @last(
; CHECK: %[[at:.*]] = getelementptr float, ptr %p, i64 3
; CHECK: load <1 x float>, ptr %[[at]], align 4
; CHECK: select <4 x i1> <i1 false, i1 false, i1 false, i1 true>, <4 x float> %{{.*}}, <4 x float> %x
define <4 x float> @last(ptr %p, <4 x float> %x) {
  %v = call <4 x float> @llvm.masked.load.v4f32.p0(ptr align 16 %p, <4 x i1> <i1 false, i1 false, i1 false, i1 true>, <4 x float> %x)
  ret <4 x float> %v
}

; Three lanes would be two accesses, and these two lie apart; the last mask is not known.
; CHECK-LABEL: define void @others(
; CHECK-COUNT-3: call void @llvm.masked.store.v4f32.p0(
define void @others(ptr %p, <4 x float> %x, <4 x i1> %m) {
  call void @llvm.masked.store.v4f32.p0(<4 x float> %x, ptr align 4 %p, <4 x i1> <i1 true, i1 true, i1 true, i1 false>)
  call void @llvm.masked.store.v4f32.p0(<4 x float> %x, ptr align 4 %p, <4 x i1> <i1 true, i1 false, i1 true, i1 false>)
  call void @llvm.masked.store.v4f32.p0(<4 x float> %x, ptr align 4 %p, <4 x i1> %m)
  ret void
}

; Whatever a register holds could be a denormal number.
; CHECK-LABEL: define <4 x float> @no_lane(
; CHECK-NOT: freeze <4 x float> poison
; CHECK: fadd <4 x float> %x, zeroinitializer
; CHECK: freeze <4 x float> %y
define <4 x float> @no_lane(<4 x float> %x, <4 x float> %y) {
  %v = freeze <4 x float> poison
  %w = fadd <4 x float> %x, %v
  %z = freeze <4 x float> %y
  %s = fadd <4 x float> %w, %z
  ret <4 x float> %s
}
