; SPDX-License-Identifier: Apache-2.0
; A sum of which only eight elements are used has eight around its loop; one of which all are used stays.
; RUN: tessera-opt -packets=16 -cpu=avx2 -passes=narrow_values %s | FileCheck %s
declare <16 x float> @llvm.fma.v16f32(<16 x float>, <16 x float>, <16 x float>)

; CHECK-LABEL: define void @half(
; CHECK: phi <8 x float> [ zeroinitializer, %entry ], [ %[[sum:.*]], %loop ]
; CHECK: %[[few:.*]] = load <8 x float>
; CHECK: %[[sum]] = call <8 x float> @llvm.fma.v8f32(<8 x float> %[[few]], <8 x float> %{{.*}}, <8 x float>
; CHECK: store <8 x float> %[[sum]], ptr %q
define void @half(ptr %p, ptr %q, float %y) {
entry:
  %first = insertelement <16 x float> poison, float %y, i64 0
  %all = shufflevector <16 x float> %first, <16 x float> poison, <16 x i32> zeroinitializer
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %next, %loop ]
  %s = phi <16 x float> [ zeroinitializer, %entry ], [ %t, %loop ]
  %at = getelementptr float, ptr %p, i64 %k
  %few = load <8 x float>, ptr %at, align 4
  %x = shufflevector <8 x float> %few, <8 x float> poison, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison>
  %t = call <16 x float> @llvm.fma.v16f32(<16 x float> %x, <16 x float> %all, <16 x float> %s)
  %next = add i64 %k, 8
  %more = icmp slt i64 %next, 800
  br i1 %more, label %loop, label %end
end:
  %low = shufflevector <16 x float> %t, <16 x float> poison, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  store <8 x float> %low, ptr %q, align 4
  ret void
}

; The last element counts.
; CHECK-LABEL: define float @last(
; CHECK: load <16 x float>
; CHECK: fadd <16 x float>
define float @last(ptr %p) {
  %x = load <16 x float>, ptr %p, align 4
  %y = fadd <16 x float> %x, %x
  %z = extractelement <16 x float> %y, i64 15
  ret float %z
}

; What becomes bytes is a whole register of them in any case.
; CHECK-LABEL: define i8 @bytes(
; CHECK: trunc <16 x i32> %{{.*}} to <16 x i8>
define i8 @bytes(ptr %p) {
  %x = load <16 x i32>, ptr %p, align 4
  %y = trunc <16 x i32> %x to <16 x i8>
  %z = extractelement <16 x i8> %y, i64 1
  ret i8 %z
}
