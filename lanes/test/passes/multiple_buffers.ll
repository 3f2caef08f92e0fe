; SPDX-License-Identifier: Apache-2.0
; A loop fills one part of a private array while it reads another one: all are registers, exchanged in each round, by a number that is
; toggled, by the counter's lowest bit, or by a number that counts to three, and behind the loop, too. An array of which a half is read by a
; constant in the loop, one whose index alternates in a loop in another one, one whose index counts down from two, and one of three parts of
; which the first and the second, and the second and the third, take turns, stay.
; RUN: tessera-opt -packets=16 -cpu=avx2 -passes=multiple_buffers %s | FileCheck %s
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"

; CHECK-LABEL: define spir_kernel void @toggled(
; CHECK-NOT: alloca
; CHECK: loop:
; CHECK-DAG: [[NOW:%[a-z0-9.]+]] = phi i32 [ %first, %entry ], [ [[NEXT:%[a-z0-9.]+]], %loop ]
; CHECK: [[NEXT]] = load i32, ptr addrspace(1) %p
; CHECK: %sum.next = add i32 %sum, [[NOW]]
; CHECK: done:
; CHECK: add i32 %sum.next, [[NEXT]]

; CHECK-LABEL: define spir_kernel void @by_counter(
; CHECK-NOT: alloca
; CHECK: phi i32 [ %first, %entry ]
; CHECK: ret void

; CHECK-LABEL: define spir_kernel void @constant(
; CHECK: alloca [2 x i32]
; CHECK-LABEL: define spir_kernel void @inner(
; CHECK: alloca [2 x i32]
; CHECK-LABEL: define spir_kernel void @of_three(
; CHECK-NOT: alloca
; CHECK: [[NOW:%[a-z0-9.]+]] = phi i32 [ 0, %entry ], [ %next, %loop ]
; CHECK: store i32 [[NOW]], ptr addrspace(1) %c.p
; CHECK-LABEL: define spir_kernel void @down(
; CHECK: alloca [3 x i32]
; CHECK-LABEL: define spir_kernel void @two_pairs(
; CHECK: alloca [3 x i32]

define spir_kernel void @toggled(ptr addrspace(1) %a, ptr addrspace(1) %c, i64 %n) {
entry:
  %array = alloca [2 x i32], align 4
  %first = load i32, ptr addrspace(1) %a, align 4
  store i32 %first, ptr %array, align 4
  br label %loop

loop:
  %k = phi i64 [ 1, %entry ], [ %k.next, %loop ]
  %turn = phi i32 [ 0, %entry ], [ %other, %loop ]
  %sum = phi i32 [ 0, %entry ], [ %sum.next, %loop ]
  %other = xor i32 %turn, 1
  %other.wide = sext i32 %other to i64
  %to = getelementptr inbounds [2 x i32], ptr %array, i64 0, i64 %other.wide
  %p = getelementptr inbounds i32, ptr addrspace(1) %a, i64 %k
  %next = load i32, ptr addrspace(1) %p, align 4
  store i32 %next, ptr %to, align 4
  %turn.wide = sext i32 %turn to i64
  %from = getelementptr inbounds [2 x i32], ptr %array, i64 0, i64 %turn.wide
  %now = load i32, ptr %from, align 4
  %sum.next = add i32 %sum, %now
  %k.next = add nuw nsw i64 %k, 1
  %more = icmp ult i64 %k.next, %n
  br i1 %more, label %loop, label %done

done:
  %last.wide = sext i32 %other to i64
  %last.p = getelementptr inbounds [2 x i32], ptr %array, i64 0, i64 %last.wide
  %last = load i32, ptr %last.p, align 4
  %all = add i32 %sum.next, %last
  store i32 %all, ptr addrspace(1) %c, align 4
  ret void
}

define spir_kernel void @by_counter(ptr addrspace(1) %a, ptr addrspace(1) %c, i64 %n) {
entry:
  %array = alloca [2 x i32], align 4
  %first = load i32, ptr addrspace(1) %a, align 4
  store i32 %first, ptr %array, align 4
  br label %loop

loop:
  %k = phi i64 [ 0, %entry ], [ %k.next, %loop ]
  %sum = phi i32 [ 0, %entry ], [ %sum.next, %loop ]
  %k.next = add nuw nsw i64 %k, 16
  %bit = and i64 %k, 16
  %turn = lshr exact i64 %bit, 4
  %other = sub nuw nsw i64 1, %turn
  %to = getelementptr inbounds i32, ptr %array, i64 %other
  %p = getelementptr inbounds i32, ptr addrspace(1) %a, i64 %k.next
  %next = load i32, ptr addrspace(1) %p, align 4
  store i32 %next, ptr %to, align 4
  %from = getelementptr inbounds i32, ptr %array, i64 %turn
  %now = load i32, ptr %from, align 4
  %sum.next = add i32 %sum, %now
  %more = icmp ult i64 %k.next, %n
  br i1 %more, label %loop, label %done

done:
  store i32 %sum.next, ptr addrspace(1) %c, align 4
  ret void
}

define spir_kernel void @constant(ptr addrspace(1) %a, ptr addrspace(1) %c, i64 %n) {
entry:
  %array = alloca [2 x i32], align 4
  store i32 0, ptr %array, align 4
  br label %loop

loop:
  %k = phi i64 [ 0, %entry ], [ %k.next, %loop ]
  %turn = and i64 %k, 1
  %to = getelementptr inbounds i32, ptr %array, i64 %turn
  %p = getelementptr inbounds i32, ptr addrspace(1) %a, i64 %k
  %next = load i32, ptr addrspace(1) %p, align 4
  store i32 %next, ptr %to, align 4
  %now = load i32, ptr %array, align 4
  %c.p = getelementptr inbounds i32, ptr addrspace(1) %c, i64 %k
  store i32 %now, ptr addrspace(1) %c.p, align 4
  %k.next = add nuw nsw i64 %k, 1
  %more = icmp ult i64 %k.next, %n
  br i1 %more, label %loop, label %done

done:
  ret void
}

define spir_kernel void @inner(ptr addrspace(1) %a, ptr addrspace(1) %c, i64 %n) {
entry:
  %array = alloca [2 x i32], align 4
  br label %outer

outer:
  %row = phi i64 [ 0, %entry ], [ %row.next, %outer.next ]
  store i32 0, ptr %array, align 4
  br label %loop

loop:
  %k = phi i64 [ 0, %outer ], [ %k.next, %loop ]
  %turn = and i64 %k, 1
  %from = getelementptr inbounds i32, ptr %array, i64 %turn
  %now = load i32, ptr %from, align 4
  %other = xor i64 %turn, 1
  %to = getelementptr inbounds i32, ptr %array, i64 %other
  %more.now = add i32 %now, 1
  store i32 %more.now, ptr %to, align 4
  %k.next = add nuw nsw i64 %k, 1
  %more = icmp ult i64 %k.next, %n
  br i1 %more, label %loop, label %outer.next

outer.next:
  %c.p = getelementptr inbounds i32, ptr addrspace(1) %c, i64 %row
  store i32 %now, ptr addrspace(1) %c.p, align 4
  %row.next = add nuw nsw i64 %row, 1
  %rows = icmp ult i64 %row.next, %n
  br i1 %rows, label %outer, label %done

done:
  ret void
}

define spir_kernel void @of_three(ptr addrspace(1) %a, ptr addrspace(1) %c, i64 %n) {
entry:
  %array = alloca [3 x i32], align 4
  store i32 0, ptr %array, align 4
  br label %loop

loop:
  %k = phi i64 [ 0, %entry ], [ %k.next, %loop ]
  %turn = phi i64 [ 0, %entry ], [ %turn.next, %loop ]
  %turn.more = add nuw nsw i64 %turn, 1
  %turn.next = urem i64 %turn.more, 3
  %to = getelementptr inbounds i32, ptr %array, i64 %turn.next
  %p = getelementptr inbounds i32, ptr addrspace(1) %a, i64 %k
  %next = load i32, ptr addrspace(1) %p, align 4
  store i32 %next, ptr %to, align 4
  %from = getelementptr inbounds i32, ptr %array, i64 %turn
  %now = load i32, ptr %from, align 4
  %c.p = getelementptr inbounds i32, ptr addrspace(1) %c, i64 %k
  store i32 %now, ptr addrspace(1) %c.p, align 4
  %k.next = add nuw nsw i64 %k, 1
  %more = icmp ult i64 %k.next, %n
  br i1 %more, label %loop, label %done

done:
  ret void
}

define spir_kernel void @down(ptr addrspace(1) %a, ptr addrspace(1) %c, i64 %n) {
entry:
  %array = alloca [3 x i32], align 4
  store i32 0, ptr %array, align 4
  br label %loop

loop:
  %k = phi i64 [ 0, %entry ], [ %k.next, %loop ]
  %turn = phi i64 [ 0, %entry ], [ %turn.next, %loop ]
  %turn.more = add nuw nsw i64 %turn, 2
  %turn.next = urem i64 %turn.more, 3
  %to = getelementptr inbounds i32, ptr %array, i64 %turn.next
  %p = getelementptr inbounds i32, ptr addrspace(1) %a, i64 %k
  %next = load i32, ptr addrspace(1) %p, align 4
  store i32 %next, ptr %to, align 4
  %from = getelementptr inbounds i32, ptr %array, i64 %turn
  %now = load i32, ptr %from, align 4
  %c.p = getelementptr inbounds i32, ptr addrspace(1) %c, i64 %k
  store i32 %now, ptr addrspace(1) %c.p, align 4
  %k.next = add nuw nsw i64 %k, 1
  %more = icmp ult i64 %k.next, %n
  br i1 %more, label %loop, label %done

done:
  ret void
}

define spir_kernel void @two_pairs(ptr addrspace(1) %a, ptr addrspace(1) %c, i64 %n) {
entry:
  %array = alloca [3 x i32], align 4
  %third = getelementptr inbounds i8, ptr %array, i64 8
  store i32 0, ptr %array, align 4
  %second = getelementptr inbounds i8, ptr %array, i64 4
  store i32 1, ptr %second, align 4
  store i32 2, ptr %third, align 4
  br label %loop

loop:
  %k = phi i64 [ 0, %entry ], [ %k.next, %loop ]
  %turn = and i64 %k, 1
  %to = getelementptr inbounds i32, ptr %array, i64 %turn
  %from = getelementptr inbounds i8, ptr %to, i64 4
  %next = load i32, ptr %from, align 4
  %now = load i32, ptr %to, align 4
  %sum = add i32 %next, %now
  store i32 %sum, ptr %to, align 4
  %c.p = getelementptr inbounds i32, ptr addrspace(1) %c, i64 %k
  store i32 %sum, ptr addrspace(1) %c.p, align 4
  %k.next = add nuw nsw i64 %k, 1
  %more = icmp ult i64 %k.next, %n
  br i1 %more, label %loop, label %done

done:
  ret void
}
