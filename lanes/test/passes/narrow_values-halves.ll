; SPDX-License-Identifier: Apache-2.0
; With registers of 64 bytes halves of them count. A number that is broadcast for vectors of both lengths is broadcast twice, of which LLVM makes one.
; RUN: tessera-opt -packets=16 -cpu=avx512 -passes=narrow_values %s | FileCheck %s
declare <16 x float> @llvm.fma.v16f32(<16 x float>, <16 x float>, <16 x float>)
declare <16 x float> @llvm.x86.avx512bf16.dpbf16ps.512(<16 x float>, <32 x bfloat>, <32 x bfloat>)
declare <16 x i32> @llvm.x86.avx512.vpdpbusd.512(<16 x i32>, <64 x i8>, <64 x i8>)

; CHECK-LABEL: define void @half(
; CHECK: phi <8 x float> [ zeroinitializer, %entry ], [ %[[sum:.*]], %loop ]
; CHECK: phi <16 x float>
; CHECK: %[[few:.*]] = insertelement <8 x float> {{.*}}, float %y
; CHECK: %[[broadcast:.*]] = shufflevector <8 x float> %[[few]], <8 x float> {{.*}}, <8 x i32> zeroinitializer
; CHECK: %[[sum]] = call <8 x float> @llvm.fma.v8f32(<8 x float> %{{.*}}, <8 x float> %[[broadcast]], <8 x float>
; CHECK: call <16 x float> @llvm.fma.v16f32(
define void @half(ptr %p, ptr %q, float %y) {
entry:
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %next, %loop ]
  %s = phi <16 x float> [ zeroinitializer, %entry ], [ %t, %loop ]
  %u = phi <16 x float> [ zeroinitializer, %entry ], [ %v, %loop ]
  %first = insertelement <16 x float> poison, float %y, i64 0
  %all = shufflevector <16 x float> %first, <16 x float> poison, <16 x i32> zeroinitializer
  %at = getelementptr float, ptr %p, i64 %k
  %x = load <16 x float>, ptr %at, align 4
  %t = call <16 x float> @llvm.fma.v16f32(<16 x float> %x, <16 x float> %all, <16 x float> %s)
  %v = call <16 x float> @llvm.fma.v16f32(<16 x float> %x, <16 x float> %all, <16 x float> %u)
  %next = add i64 %k, 16
  %more = icmp slt i64 %next, 1600
  br i1 %more, label %loop, label %end
end:
  %low = shufflevector <16 x float> %t, <16 x float> poison, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  store <8 x float> %low, ptr %q, align 4
  %after = getelementptr i8, ptr %q, i64 32
  store <16 x float> %v, ptr %after, align 4
  ret void
}

; Dot products of half as many lanes, with the same part of each operand.
; CHECK-LABEL: define void @dots(
; CHECK: load <8 x i32>
; CHECK: bitcast <8 x i32> %{{.*}} to <16 x bfloat>
; CHECK: call <8 x float> @llvm.x86.avx512bf16.dpbf16ps.256(<8 x float> zeroinitializer, <16 x bfloat>
define void @dots(ptr %p, ptr %q, i32 %word) {
  %x = load <16 x i32>, ptr %p, align 4
  %a = bitcast <16 x i32> %x to <32 x bfloat>
  %first = insertelement <16 x i32> poison, i32 %word, i64 0
  %all = shufflevector <16 x i32> %first, <16 x i32> poison, <16 x i32> zeroinitializer
  %b = bitcast <16 x i32> %all to <32 x bfloat>
  %s = call <16 x float> @llvm.x86.avx512bf16.dpbf16ps.512(<16 x float> zeroinitializer, <32 x bfloat> %a, <32 x bfloat> %b)
  %low = shufflevector <16 x float> %s, <16 x float> poison, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  store <8 x float> %low, ptr %q, align 4
  ret void
}

; Of four lanes as well there are eight.
; CHECK-LABEL: define void @four(
; CHECK: call <8 x i32> @llvm.x86.avx512.vpdpbusd.256(
define void @four(ptr %p, ptr %q) {
  %a = load <64 x i8>, ptr %p, align 4
  %s = call <16 x i32> @llvm.x86.avx512.vpdpbusd.512(<16 x i32> zeroinitializer, <64 x i8> %a, <64 x i8> %a)
  %low = shufflevector <16 x i32> %s, <16 x i32> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  store <4 x i32> %low, ptr %q, align 4
  ret void
}
