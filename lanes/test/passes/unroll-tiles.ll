; SPDX-License-Identifier: Apache-2.0
; Loops that fill a tile of local memory are marked, for LLVM to unroll them later; a thousand rounds with barriers would be as many regions,
; and many rounds of long code as much code.
; RUN: tessera-opt -packets=16 -cpu=avx512 -passes=unroll %s | FileCheck %s
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"

declare void @__tsr_barrier(i32, i32) convergent

; CHECK-LABEL: define spir_kernel void @few(
; CHECK: br i1 {{.*}}, label %out, !llvm.loop
define spir_kernel void @few(ptr addrspace(3) %t, i32 %n) {
entry:
  %lane = call i32 @__tsr_lane()
  br label %loop
loop:
  %i = phi i32 [ %lane, %entry ], [ %j, %loop ]
  %p = getelementptr i32, ptr addrspace(3) %t, i32 %i
  store i32 %i, ptr addrspace(3) %p
  %j = add i32 %i, 16
  %c = icmp slt i32 %j, 64
  br i1 %c, label %loop, label %out
out:
  ret void
}

; CHECK-LABEL: define spir_kernel void @unknown(
; CHECK: br i1 {{.*}}, label %out, !llvm.loop
define spir_kernel void @unknown(ptr addrspace(3) %t, i32 %n) {
entry:
  %lane = call i32 @__tsr_lane()
  br label %loop
loop:
  %i = phi i32 [ %lane, %entry ], [ %j, %loop ]
  %p = getelementptr i32, ptr addrspace(3) %t, i32 %i
  store i32 %i, ptr addrspace(3) %p
  %j = add i32 %i, 16
  %c = icmp slt i32 %j, %n
  br i1 %c, label %loop, label %out
out:
  ret void
}

; CHECK-LABEL: define spir_kernel void @many(
; CHECK: br i1 {{.*}}, label %loop, label %out{{$}}
define spir_kernel void @many(ptr addrspace(3) %t, i32 %n) {
entry:
  %lane = call i32 @__tsr_lane()
  br label %loop
loop:
  %i = phi i32 [ %lane, %entry ], [ %j, %loop ]
  %p = getelementptr i32, ptr addrspace(3) %t, i32 %i
  store i32 %i, ptr addrspace(3) %p
  %j = add i32 %i, 16
  %c = icmp slt i32 %j, 16000
  br i1 %c, label %loop, label %out
out:
  ret void
}

; CHECK-LABEL: define spir_kernel void @waits(
; CHECK: br i1 {{.*}}, label %out, !llvm.loop
define spir_kernel void @waits(ptr addrspace(3) %t, i32 %n) {
entry:
  %lane = call i32 @__tsr_lane()
  br label %loop
loop:
  %i = phi i32 [ %lane, %entry ], [ %j, %loop ]
  %p = getelementptr i32, ptr addrspace(3) %t, i32 %i
  store i32 %i, ptr addrspace(3) %p
  call void @__tsr_barrier(i32 2, i32 1)
  %j = add i32 %i, 16
  %c = icmp slt i32 %j, 64
  br i1 %c, label %loop, label %out
out:
  ret void
}

; CHECK-LABEL: define spir_kernel void @many_wait(
; CHECK: br i1 {{.*}}, label %loop, label %out{{$}}
define spir_kernel void @many_wait(ptr addrspace(3) %t, i32 %n) {
entry:
  %lane = call i32 @__tsr_lane()
  br label %loop
loop:
  %i = phi i32 [ %lane, %entry ], [ %j, %loop ]
  %p = getelementptr i32, ptr addrspace(3) %t, i32 %i
  store i32 %i, ptr addrspace(3) %p
  call void @__tsr_barrier(i32 2, i32 1)
  %j = add i32 %i, 16
  %c = icmp slt i32 %j, 16000
  br i1 %c, label %loop, label %out
out:
  ret void
}
; Sixty-four rounds.
; CHECK-LABEL: define spir_kernel void @much(
; CHECK: br i1 {{.*}}, label %loop, label %out{{$}}
define spir_kernel void @much(ptr addrspace(3) %t, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %j, %loop ]
  %x0 = add i32 %i, %n
  %x1 = mul i32 %x0, %n
  %x2 = mul i32 %x1, %n
  %x3 = mul i32 %x2, %n
  %x4 = mul i32 %x3, %n
  %x5 = mul i32 %x4, %n
  %x6 = mul i32 %x5, %n
  %x7 = mul i32 %x6, %n
  %x8 = mul i32 %x7, %n
  %x9 = mul i32 %x8, %n
  %x10 = mul i32 %x9, %n
  %x11 = mul i32 %x10, %n
  %p = getelementptr i32, ptr addrspace(3) %t, i32 %i
  store i32 %x11, ptr addrspace(3) %p
  call void @__tsr_barrier(i32 2, i32 1)
  %j = add i32 %i, 1
  %c = icmp slt i32 %j, 64
  br i1 %c, label %loop, label %out
out:
  ret void
}

declare i32 @__tsr_lane()
; CHECK: llvm.loop.unroll.enable
