; SPDX-License-Identifier: Apache-2.0
; A load that is the same in each round moves before the loop, unless the loop writes to the same address space.
; RUN: tessera-opt -packets=16 -cpu=avx512 -passes=split_kernels,hoist_loads %s | FileCheck %s
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"

; CHECK-LABEL: @reads.item(
; CHECK: entry:
; CHECK-NEXT: load i32, ptr addrspace(1) %0
; CHECK: loop:
; CHECK-NOT: load
; CHECK: ret void
define spir_kernel void @reads(ptr addrspace(1) %a, ptr addrspace(1) %o) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %j, %loop ]
  %n = load i32, ptr addrspace(1) %a
  %j = add i32 %i, 1
  %c = icmp slt i32 %j, %n
  br i1 %c, label %loop, label %out
out:
  store i32 %j, ptr addrspace(1) %o
  ret void
}
; CHECK-LABEL: @writes.item(
; CHECK: loop:
; CHECK: load
define spir_kernel void @writes(ptr addrspace(1) %a, ptr addrspace(1) %o) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %j, %loop ]
  %n = load i32, ptr addrspace(1) %a
  store i32 %i, ptr addrspace(1) %o
  %j = add i32 %i, 1
  %c = icmp slt i32 %j, %n
  br i1 %c, label %loop, label %out
out:
  ret void
}
; CHECK-LABEL: @writes_elsewhere.item(
; CHECK: entry:
; CHECK-NEXT: load i32, ptr addrspace(3)
; CHECK: loop:
; CHECK-NOT: load
; CHECK: ret void
define spir_kernel void @writes_elsewhere(ptr addrspace(3) %a, ptr addrspace(1) %o) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %j, %loop ]
  %n = load i32, ptr addrspace(3) %a
  store i32 %i, ptr addrspace(1) %o
  %j = add i32 %i, 1
  %c = icmp slt i32 %j, %n
  br i1 %c, label %loop, label %out
out:
  ret void
}
; A generic pointer may lead anywhere.
; CHECK-LABEL: @writes_anywhere.item(
; CHECK: loop:
; CHECK: load
define spir_kernel void @writes_anywhere(ptr addrspace(3) %a, ptr addrspace(4) %o) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %j, %loop ]
  %n = load i32, ptr addrspace(3) %a
  store i32 %i, ptr addrspace(4) %o
  %j = add i32 %i, 1
  %c = icmp slt i32 %j, %n
  br i1 %c, label %loop, label %out
out:
  ret void
}
