; SPDX-License-Identifier: Apache-2.0
; A loop that is marked as one along a lane's row has vectors, one without a mark has not.
; RUN: tessera-opt -packets=16 -cpu=avx2 -passes=vectorise_rows %s | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

; CHECK-LABEL: define i32 @sum(
; CHECK: load <8 x i32>, ptr addrspace(1)
; CHECK: call i32 @llvm.vector.reduce.add.v8i32(
define i32 @sum(ptr addrspace(1) %a, i64 %n) #0 {
entry:
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %k1, %loop ]
  %s = phi i32 [ 0, %entry ], [ %s1, %loop ]
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %k
  %v = load i32, ptr addrspace(1) %p
  %s1 = add i32 %s, %v
  %k1 = add nuw nsw i64 %k, 1
  %more = icmp ult i64 %k1, %n
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret i32 %s1
}
; CHECK-LABEL: define i32 @usual(
; CHECK-NOT: <8 x i32>
; CHECK: ret i32
define i32 @usual(ptr addrspace(1) %a, i64 %n) #0 {
entry:
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %k1, %loop ]
  %s = phi i32 [ 0, %entry ], [ %s1, %loop ]
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %k
  %v = load i32, ptr addrspace(1) %p
  %s1 = add i32 %s, %v
  %k1 = add nuw nsw i64 %k, 1
  %more = icmp ult i64 %k1, %n
  br i1 %more, label %loop, label %end
end:
  ret i32 %s1
}
attributes #0 = { "target-features"="+avx2" }
!0 = distinct !{!0, !1}
!1 = !{!"tessera.along.row"}
