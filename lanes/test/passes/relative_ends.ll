; SPDX-License-Identifier: Apache-2.0
; A loop whose counter and end begin at the same number of each lane counts from nought, to their distance.
; RUN: tessera-opt -packets=16 -passes=relative_ends %s | FileCheck %s
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"

; CHECK-LABEL: define void @sum(
; CHECK: %[[DISTANCE:.*]] = sext i32 %n to i64
; CHECK: round:
; CHECK: %[[COUNT:.*]] = phi i64 [ 0, %entry ], [ %[[NEXT:.*]], %round ]
; CHECK: %[[NEXT]] = add i64 %[[COUNT]], 1
; CHECK: %[[MORE:.*]] = icmp slt i64 %[[NEXT]], %{{.*}}
; CHECK: br i1 %[[MORE]], label %round, label %out
define void @sum(i32 %i, i32 %n) {
entry:
  %begin = mul nsw i32 %i, %n
  %end = add nsw i32 %n, %begin
  br label %round
round:
  %k = phi i32 [ %begin, %entry ], [ %k1, %round ]
  %k1 = add nsw i32 %k, 1
  %more = icmp slt i32 %k1, %end
  br i1 %more, label %round, label %out
out:
  ret void
}

; CHECK-LABEL: define void @products(
; CHECK: phi i64 [ 0, %entry ]
; CHECK: icmp sge i64
define void @products(i32 %i, i32 %n) {
entry:
  %begin = mul nsw i32 %i, %n
  %i1 = add nsw i32 %i, 1
  %end = mul nsw i32 %n, %i1
  br label %round
round:
  %k = phi i32 [ %begin, %entry ], [ %k1, %round ]
  %k1 = add nsw i32 %k, 3
  %ends = icmp sge i32 %k1, %end
  br i1 %ends, label %out, label %round
out:
  ret void
}

; Addresses count as signed distances from where they begin.
; CHECK-LABEL: define void @pointers(
; CHECK: phi i64 [ 0, %entry ]
; CHECK: add i64 %{{.*}}, 4
; CHECK: icmp slt i64
define void @pointers(ptr addrspace(1) %a, i64 %at, i32 %n) {
entry:
  %begin = getelementptr inbounds float, ptr addrspace(1) %a, i64 %at
  %wide = zext i32 %n to i64
  %end = getelementptr inbounds float, ptr addrspace(1) %begin, i64 %wide
  br label %round
round:
  %p = phi ptr addrspace(1) [ %begin, %entry ], [ %p1, %round ]
  %p1 = getelementptr inbounds i8, ptr addrspace(1) %p, i64 4
  %more = icmp ult ptr addrspace(1) %p1, %end
  br i1 %more, label %round, label %out
out:
  ret void
}

; Unsigned numbers that may wrap, in a loop that is entered below its end.
; CHECK-LABEL: define void @entered_below(
; CHECK: phi i32 [ 0, %before ]
; CHECK: icmp ult i32
define void @entered_below(i32 %i, i32 %n) {
entry:
  %begin = mul i32 %i, %n
  %i1 = add i32 %i, 1
  %end = mul i32 %i1, %n
  %any = icmp ult i32 %begin, %end
  br i1 %any, label %before, label %out
before:
  br label %round
round:
  %k = phi i32 [ %begin, %before ], [ %k1, %round ]
  %k1 = add i32 %k, 1
  %more = icmp ult i32 %k1, %end
  br i1 %more, label %round, label %out
out:
  ret void
}

; CHECK-LABEL: define void @entered_anywhere(
; CHECK: phi i32
; CHECK-NOT: phi i32
; CHECK: ret void
define void @entered_anywhere(i32 %i, i32 %n) {
entry:
  %begin = mul i32 %i, %n
  %i1 = add i32 %i, 1
  %end = mul i32 %i1, %n
  %any = icmp ule i32 %begin, %end
  br i1 %any, label %before, label %out
before:
  br label %round
round:
  %k = phi i32 [ %begin, %before ], [ %k1, %round ]
  %k1 = add i32 %k, 1
  %more = icmp ult i32 %k1, %end
  br i1 %more, label %round, label %out
out:
  ret void
}

; What is loaded from where another load says is left to each lane.
; CHECK-LABEL: define void @by_list(
; CHECK-NOT: phi i64
; CHECK: ret void
define void @by_list(ptr addrspace(1) %a, ptr addrspace(1) %b, i32 %i, i32 %n) {
entry:
  %begin = mul nsw i32 %i, %n
  %end = add nsw i32 %n, %begin
  br label %round
round:
  %k = phi i32 [ %begin, %entry ], [ %k1, %round ]
  %p = getelementptr i32, ptr addrspace(1) %a, i32 %k
  %x = load i32, ptr addrspace(1) %p
  %q = getelementptr i32, ptr addrspace(1) %b, i32 %x
  %y = load volatile i32, ptr addrspace(1) %q
  %k1 = add nsw i32 %k, 1
  %more = icmp slt i32 %k1, %end
  br i1 %more, label %round, label %out
out:
  ret void
}

; Sums that may wrap, one that does not as a signed number where unsigned ones are compared, and other factors.
; CHECK-LABEL: define void @may_wrap(
; CHECK-NOT: phi i64
; CHECK: ret void
define void @may_wrap(i32 %i, i32 %n) {
entry:
  %begin = mul i32 %i, %n
  %end = add i32 %begin, %n
  br label %round
round:
  %k = phi i32 [ %begin, %entry ], [ %k1, %round ]
  %k1 = add nsw i32 %k, 1
  %more = icmp slt i32 %k1, %end
  br i1 %more, label %round, label %out
out:
  ret void
}

; CHECK-LABEL: define void @other_sign(
; CHECK-NOT: phi i64
; CHECK: ret void
define void @other_sign(i32 %i, i32 %n) {
entry:
  %begin = mul i32 %i, %n
  %end = add nsw i32 %begin, %n
  br label %round
round:
  %k = phi i32 [ %begin, %entry ], [ %k1, %round ]
  %k1 = add nsw i32 %k, 1
  %more = icmp ult i32 %k1, %end
  br i1 %more, label %round, label %out
out:
  ret void
}

; CHECK-LABEL: define void @other_factors(
; CHECK-NOT: phi i64
; CHECK: ret void
define void @other_factors(i32 %i, i32 %n, i32 %m) {
entry:
  %begin = mul nsw i32 %i, %n
  %i1 = add nsw i32 %i, 1
  %end = mul nsw i32 %i1, %m
  br label %round
round:
  %k = phi i32 [ %begin, %entry ], [ %k1, %round ]
  %k1 = add nsw i32 %k, 1
  %more = icmp slt i32 %k1, %end
  br i1 %more, label %round, label %out
out:
  ret void
}
