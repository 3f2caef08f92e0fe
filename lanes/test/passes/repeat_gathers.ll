; SPDX-License-Identifier: Apache-2.0
; Gathers in which lanes read the same places read each place once, whatever wraps; other gathers stay.
; RUN: tessera-opt -packets=16 -passes=repeat_gathers %s | FileCheck %s
declare <8 x float> @llvm.masked.gather.v8f32.v8p0(<8 x ptr>, <8 x i1>, <8 x float>)

; Both rows are alike: a gather of four lanes, here without a mask four loads.
; CHECK-LABEL: define <8 x float> @rows_alike(
; CHECK-COUNT-4: load float, ptr
; CHECK: shufflevector <4 x float> %{{.*}}, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 0, i32 1, i32 2, i32 3>
; CHECK: ret <8 x float>
define <8 x float> @rows_alike(ptr %p, i32 %n) {
  %one = insertelement <8 x i32> poison, i32 %n, i64 0
  %all = shufflevector <8 x i32> %one, <8 x i32> poison, <8 x i32> zeroinitializer
  %at = mul <8 x i32> %all, <i32 0, i32 1, i32 2, i32 3, i32 0, i32 1, i32 2, i32 3>
  %wide = zext <8 x i32> %at to <8 x i64>
  %q = getelementptr float, ptr %p, <8 x i64> %wide
  %v = call <8 x float> @llvm.masked.gather.v8f32.v8p0(<8 x ptr> align 4 %q, <8 x i1> splat (i1 true), <8 x float> poison)
  ret <8 x float> %v
}

; All of a row are the same, in a loop; a place is read if any lane of its row is there.
; CHECK-LABEL: define void @same_in_row(
; CHECK: %[[any:.*]] = or <2 x i1>
; CHECK: call <2 x float> @llvm.masked.gather.v2f32.v2p0(<2 x ptr> align 4 %{{.*}}, <2 x i1> %{{.*}}, <2 x float> poison)
; CHECK: shufflevector <2 x float> %{{.*}}, <8 x i32> <i32 0, i32 0, i32 0, i32 0, i32 1, i32 1, i32 1, i32 1>
define void @same_in_row(ptr %p, ptr %to, <8 x i1> %m, i32 %n) {
entry:
  br label %round
round:
  %at = phi <8 x i32> [ <i32 0, i32 0, i32 0, i32 0, i32 9, i32 9, i32 9, i32 9>, %entry ], [ %next, %round ]
  %k = phi i32 [ 0, %entry ], [ %k1, %round ]
  %q = getelementptr float, ptr %p, <8 x i32> %at
  %v = call <8 x float> @llvm.masked.gather.v8f32.v8p0(<8 x ptr> align 4 %q, <8 x i1> %m, <8 x float> poison)
  store <8 x float> %v, ptr %to
  %next = add <8 x i32> %at, splat (i32 1)
  %k1 = add i32 %k, 1
  %more = icmp ult i32 %k1, %n
  br i1 %more, label %round, label %out
out:
  ret void
}

; Lanes that are not there read elsewhere.
; CHECK-LABEL: define <8 x float> @sent_elsewhere(
; CHECK: select <4 x i1> %{{.*}}, <4 x ptr> %{{.*}}, <4 x ptr> %{{.*}}
; CHECK: call <4 x float> @llvm.masked.gather.v4f32.v4p0(
define <8 x float> @sent_elsewhere(ptr %p, <8 x i1> %m) {
  %nowhere = alloca [4 x i8], align 4, !tessera.nowhere !0
  %one = insertelement <8 x ptr> poison, ptr %nowhere, i64 0
  %all = shufflevector <8 x ptr> %one, <8 x ptr> poison, <8 x i32> zeroinitializer
  %q = getelementptr float, ptr %p, <8 x i64> <i64 0, i64 1, i64 5, i64 3, i64 0, i64 1, i64 5, i64 3>
  %sent = select <8 x i1> %m, <8 x ptr> %q, <8 x ptr> %all
  %v = call <8 x float> @llvm.masked.gather.v8f32.v8p0(<8 x ptr> align 4 %sent, <8 x i1> splat (i1 true), <8 x float> poison)
  ret <8 x float> %v
}

; One lane differs; addresses from memory.
; CHECK-LABEL: define void @others(
; CHECK-COUNT-2: call <8 x float> @llvm.masked.gather.v8f32.v8p0(
define void @others(ptr %p, ptr %to, <8 x i64> %i) {
  %q = getelementptr float, ptr %p, <8 x i64> <i64 0, i64 1, i64 5, i64 3, i64 0, i64 1, i64 5, i64 4>
  %a = call <8 x float> @llvm.masked.gather.v8f32.v8p0(<8 x ptr> align 4 %q, <8 x i1> splat (i1 true), <8 x float> poison)
  store <8 x float> %a, ptr %to
  %r = getelementptr float, ptr %p, <8 x i64> %i
  %b = call <8 x float> @llvm.masked.gather.v8f32.v8p0(<8 x ptr> align 4 %r, <8 x i1> splat (i1 true), <8 x float> poison)
  store <8 x float> %b, ptr %to
  ret void
}

; Lanes read one place of the program's or another, as a mask says that is no row's.
; CHECK-LABEL: define <8 x float> @one_or_other(
; CHECK: call <8 x float> @llvm.masked.gather.v8f32.v8p0(
define <8 x float> @one_or_other(ptr %p, ptr %other, <8 x i1> %m) {
  %one = insertelement <8 x ptr> poison, ptr %other, i64 0
  %all = shufflevector <8 x ptr> %one, <8 x ptr> poison, <8 x i32> zeroinitializer
  %q = insertelement <8 x ptr> poison, ptr %p, i64 0
  %qs = shufflevector <8 x ptr> %q, <8 x ptr> poison, <8 x i32> zeroinitializer
  %either = select <8 x i1> %m, <8 x ptr> %qs, <8 x ptr> %all
  %v = call <8 x float> @llvm.masked.gather.v8f32.v8p0(<8 x ptr> align 4 %either, <8 x i1> splat (i1 true), <8 x float> poison)
  ret <8 x float> %v
}

!0 = !{}
