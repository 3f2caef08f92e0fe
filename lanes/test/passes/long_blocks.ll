; SPDX-License-Identifier: Apache-2.0
; A block of more than 1000 accesses to memory is cut into pieces of 500: a loop, whose phi is in the first piece, and an entry block, whose
; slots stay there. One of 1000 is not.
; RUN: tessera-opt -packets=16 -cpu=avx2 -passes=long_blocks %s | FileCheck %s
target triple = "x86_64-unknown-linux-gnu"

; CHECK-LABEL: define void @loop(
; CHECK: br label %[[FIRST:[a-z0-9]+]]
; CHECK: [[FIRST]]:
; CHECK-NEXT: [[I:%.*]] = phi i32 [ 0, %0 ], [ %next, %loop ]
; CHECK-COUNT-500: store i8
; CHECK-NEXT: [[SP:%.*]] = call i64 @llvm.read_register.i64(metadata [[RSP:![0-9]+]])
; CHECK-NEXT: [[NEVER:%.*]] = icmp eq i64 [[SP]], 0
; CHECK-NEXT: br i1 [[NEVER]], label %[[TRAP:[a-z0-9]+]], label %[[SECOND:[a-z0-9]+]], !prof [[PROF:![0-9]+]]
; CHECK: [[SECOND]]:
; CHECK-COUNT-500: store i8
; CHECK-NEXT: call i64 @llvm.read_register.i64
; CHECK: br i1 {{.*}}, label %[[TRAP]], label %loop, !prof [[PROF]]
; CHECK: loop:
; CHECK-NEXT: store i8
; CHECK-NEXT: %next = add i32 [[I]], 1
; CHECK: [[TRAP]]:
; CHECK-NEXT: call void @llvm.trap()
; CHECK-NEXT: unreachable

; CHECK-LABEL: define void @entry(
; CHECK-COUNT-200: store i8
; CHECK-NEXT: [[SLOT:%.*]] = alloca i8
; CHECK-COUNT-500: store i8
; CHECK-NEXT: call i64 @llvm.read_register.i64
; CHECK: br i1
; CHECK-COUNT-301: store i8
; CHECK-NEXT: store i8 1, ptr [[SLOT]]
; CHECK-NEXT: ret void

; CHECK-LABEL: define void @short(
; CHECK-NOT: br
; CHECK: ret void

; CHECK: [[RSP]] = !{!"rsp"}
; CHECK: [[PROF]] = !{!"branch_weights", i32 0, i32 1}

define void @loop(ptr %p, i32 %n) {
  br label %loop
loop:
  %i = phi i32 [ 0, %0 ], [ %next, %loop ]
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}

define void @entry(ptr %p) {
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p
  %slot = alloca i8
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 1, ptr %slot
  ret void
}

define void @short(ptr %p) {
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p  store i8 0, ptr %p
  ret void
}
