; SPDX-License-Identifier: Apache-2.0
; A loop over packets ends behind the first packet whose ids are above the number that ids are compared with, in a work-group of one row. Not so
; if a packet with larger ids has something to do, or if code behind the loop knows what the last packet was.
; RUN: tessera-opt -packets=16 -cpu=avx512 -passes=cut_rounds %s | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

; CHECK-LABEL: define void @below(
; CHECK-DAG: [[LAST:%.*]] = lshr i64 %n, 4
; CHECK-DAG: [[FULL:%.*]] = mul i64 %{{.*}}, 16
; CHECK-DAG: [[ROWS:%.*]] = icmp uge i64 [[FULL]], %size
; CHECK: arrive:
; CHECK: [[BUSY:%.*]] = icmp ule i64 %packet, [[LAST]]
; CHECK: [[GO:%.*]] = or i1 [[BUSY]], [[ROWS]]
; CHECK: [[MORE:%.*]] = icmp ult i64 %begun, %packets
; CHECK: [[BOTH:%.*]] = and i1 [[MORE]], [[GO]]
; CHECK: br i1 [[BOTH]], label %advance, label %out
; CHECK-LABEL: define void @above(
; CHECK-NOT: icmp ule
; CHECK-LABEL: define i64 @known(
; CHECK-NOT: icmp ule
; CHECK-LABEL: define i64 @same(
; CHECK: icmp ule
define void @below(ptr %p, i64 %packets, i64 %size, i64 %n) {
entry:
  br label %dispatch
dispatch:
  %packet = phi i64 [ 0, %entry ], [ %begun, %advance ]
  %id = phi i64 [ 0, %entry ], [ %next, %advance ]
  %any = icmp ult i64 %id, %n
  br i1 %any, label %work, label %arrive
work:
  store i64 %id, ptr %p
  br label %arrive
arrive:
  %begun = add nuw i64 %packet, 1
  %more = icmp ult i64 %begun, %packets
  br i1 %more, label %advance, label %out, !tessera.rounds !0
advance:
  %after = add nuw i64 %id, 16
  %wraps = icmp uge i64 %after, %size
  %next = select i1 %wraps, i64 0, i64 %after
  br label %dispatch
out:
  ret void
}

define void @above(ptr %p, i64 %packets, i64 %size, i64 %n) {
entry:
  br label %dispatch
dispatch:
  %packet = phi i64 [ 0, %entry ], [ %begun, %advance ]
  %id = phi i64 [ 0, %entry ], [ %next, %advance ]
  %any = icmp ult i64 %id, %n
  br i1 %any, label %arrive, label %work
work:
  store i64 %id, ptr %p
  br label %arrive
arrive:
  %begun = add nuw i64 %packet, 1
  %more = icmp ult i64 %begun, %packets
  br i1 %more, label %advance, label %out, !tessera.rounds !0
advance:
  %after = add nuw i64 %id, 16
  %wraps = icmp uge i64 %after, %size
  %next = select i1 %wraps, i64 0, i64 %after
  br label %dispatch
out:
  ret void
}

define i64 @known(ptr %p, i64 %packets, i64 %size, i64 %n) {
entry:
  br label %dispatch
dispatch:
  %packet = phi i64 [ 0, %entry ], [ %begun, %advance ]
  %id = phi i64 [ 0, %entry ], [ %next, %advance ]
  %any = icmp eq i64 %id, %n
  br i1 %any, label %work, label %arrive
work:
  store i64 %id, ptr %p
  br label %arrive
arrive:
  %last = phi i64 [ 7, %work ], [ %id, %dispatch ]
  %begun = add nuw i64 %packet, 1
  %more = icmp ult i64 %begun, %packets
  br i1 %more, label %advance, label %out, !tessera.rounds !0
advance:
  %after = add nuw i64 %id, 16
  %wraps = icmp uge i64 %after, %size
  %next = select i1 %wraps, i64 0, i64 %after
  br label %dispatch
out:
  ret i64 %last
}

define i64 @same(ptr %p, i64 %packets, i64 %size, i64 %n) {
entry:
  br label %dispatch
dispatch:
  %packet = phi i64 [ 0, %entry ], [ %begun, %advance ]
  %id = phi i64 [ 0, %entry ], [ %next, %advance ]
  %any = icmp eq i64 %id, %n
  br i1 %any, label %work, label %arrive
work:
  store i64 %id, ptr %p
  br label %arrive
arrive:
  %last = phi i64 [ %id, %work ], [ 7, %dispatch ]
  %begun = add nuw i64 %packet, 1
  %more = icmp ult i64 %begun, %packets
  br i1 %more, label %advance, label %out, !tessera.rounds !0
advance:
  %after = add nuw i64 %id, 16
  %wraps = icmp uge i64 %after, %size
  %next = select i1 %wraps, i64 0, i64 %after
  br label %dispatch
out:
  ret i64 %last
}
!0 = !{}
