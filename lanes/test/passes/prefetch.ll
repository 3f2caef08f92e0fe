; SPDX-License-Identifier: Apache-2.0
; Lists by which a loop gathers are fetched ahead, if their rows lie where no prefetcher of a CPU looks.
; RUN: tessera-opt -packets=16 -cpu=avx512 -passes=prefetch %s | FileCheck %s
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"

declare <16 x i32> @llvm.masked.gather.v16i32.v16p1(<16 x ptr addrspace(1)>, <16 x i1>, <16 x i32>)
; CHECK-LABEL: define void @far_apart(
; CHECK: call void @llvm.prefetch.p1(
define void @far_apart(ptr addrspace(1) %x, ptr addrspace(1) %a, ptr addrspace(1) %o, i64 %pitch, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %j, %loop ]
  %s = phi <16 x i32> [ zeroinitializer, %entry ], [ %t, %loop ]
  %j = add nsw i64 %i, 1
  %r = mul nsw i64 %i, %pitch
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %r
  %k = load <16 x i32>, ptr addrspace(1) %p
  %w = sext <16 x i32> %k to <16 x i64>
  %q = getelementptr i32, ptr addrspace(1) %x, <16 x i64> %w
  %v = call <16 x i32> @llvm.masked.gather.v16i32.v16p1(<16 x ptr addrspace(1)> %q, <16 x i1> splat (i1 true), <16 x i32> %k)
  %t = add <16 x i32> %s, %v
  %c = icmp slt i64 %j, %n
  br i1 %c, label %loop, label %out
out:
  store <16 x i32> %t, ptr addrspace(1) %o
  ret void
}
; CHECK-LABEL: define void @rows_4k_apart(
; CHECK: call void @llvm.prefetch.p1(
define void @rows_4k_apart(ptr addrspace(1) %x, ptr addrspace(1) %a, ptr addrspace(1) %o, i64 %pitch, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %j, %loop ]
  %s = phi <16 x i32> [ zeroinitializer, %entry ], [ %t, %loop ]
  %j = add nsw i64 %i, 1
  %r = mul nsw i64 %i, 1024
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %r
  %k = load <16 x i32>, ptr addrspace(1) %p
  %w = sext <16 x i32> %k to <16 x i64>
  %q = getelementptr i32, ptr addrspace(1) %x, <16 x i64> %w
  %v = call <16 x i32> @llvm.masked.gather.v16i32.v16p1(<16 x ptr addrspace(1)> %q, <16 x i1> splat (i1 true), <16 x i32> %k)
  %t = add <16 x i32> %s, %v
  %c = icmp slt i64 %j, %n
  br i1 %c, label %loop, label %out
out:
  store <16 x i32> %t, ptr addrspace(1) %o
  ret void
}
; CHECK-LABEL: define void @near(
; CHECK-NOT: @llvm.prefetch
; CHECK: ret void
define void @near(ptr addrspace(1) %x, ptr addrspace(1) %a, ptr addrspace(1) %o, i64 %pitch, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %j, %loop ]
  %s = phi <16 x i32> [ zeroinitializer, %entry ], [ %t, %loop ]
  %j = add nsw i64 %i, 1
  %r = mul nsw i64 %i, 16
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %r
  %k = load <16 x i32>, ptr addrspace(1) %p
  %w = sext <16 x i32> %k to <16 x i64>
  %q = getelementptr i32, ptr addrspace(1) %x, <16 x i64> %w
  %v = call <16 x i32> @llvm.masked.gather.v16i32.v16p1(<16 x ptr addrspace(1)> %q, <16 x i1> splat (i1 true), <16 x i32> %k)
  %t = add <16 x i32> %s, %v
  %c = icmp slt i64 %j, %n
  br i1 %c, label %loop, label %out
out:
  store <16 x i32> %t, ptr addrspace(1) %o
  ret void
}
; CHECK-LABEL: define void @local(
; CHECK-NOT: @llvm.prefetch
; CHECK: ret void
define void @local(ptr addrspace(1) %x, ptr addrspace(3) %a, ptr addrspace(1) %o, i64 %pitch, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %j, %loop ]
  %s = phi <16 x i32> [ zeroinitializer, %entry ], [ %t, %loop ]
  %j = add nsw i64 %i, 1
  %r = mul nsw i64 %i, %pitch
  %p = getelementptr i32, ptr addrspace(3) %a, i64 %r
  %k = load <16 x i32>, ptr addrspace(3) %p
  %w = sext <16 x i32> %k to <16 x i64>
  %q = getelementptr i32, ptr addrspace(1) %x, <16 x i64> %w
  %v = call <16 x i32> @llvm.masked.gather.v16i32.v16p1(<16 x ptr addrspace(1)> %q, <16 x i1> splat (i1 true), <16 x i32> %k)
  %t = add <16 x i32> %s, %v
  %c = icmp slt i64 %j, %n
  br i1 %c, label %loop, label %out
out:
  store <16 x i32> %t, ptr addrspace(1) %o
  ret void
}
; CHECK-LABEL: define void @no_list(
; CHECK-NOT: @llvm.prefetch
; CHECK: ret void
define void @no_list(ptr addrspace(1) %x, ptr addrspace(1) %a, ptr addrspace(1) %o, i64 %pitch, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %j, %loop ]
  %s = phi <16 x i32> [ zeroinitializer, %entry ], [ %t, %loop ]
  %j = add nsw i64 %i, 1
  %r = mul nsw i64 %i, %pitch
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %r
  %k = load <16 x i32>, ptr addrspace(1) %p
  %w = sext <16 x i32> %k to <16 x i64>
  %q = getelementptr i32, ptr addrspace(1) %x, <16 x i64> zeroinitializer
  %v = call <16 x i32> @llvm.masked.gather.v16i32.v16p1(<16 x ptr addrspace(1)> %q, <16 x i1> splat (i1 true), <16 x i32> %k)
  %t = add <16 x i32> %s, %v
  %c = icmp slt i64 %j, %n
  br i1 %c, label %loop, label %out
out:
  store <16 x i32> %t, ptr addrspace(1) %o
  ret void
}
; CHECK-LABEL: define void @next_is_in_the_list(
; CHECK-NOT: @llvm.prefetch
; CHECK: ret void
define void @next_is_in_the_list(ptr addrspace(1) %x, ptr addrspace(1) %a, ptr addrspace(1) %o, i64 %pitch, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %j, %loop ]
  %s = phi <16 x i32> [ zeroinitializer, %entry ], [ %t, %loop ]
  %z = getelementptr i64, ptr addrspace(1) %o, i64 %i
  %j = load i64, ptr addrspace(1) %z
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i
  %k = load <16 x i32>, ptr addrspace(1) %p
  %w = sext <16 x i32> %k to <16 x i64>
  %q = getelementptr i32, ptr addrspace(1) %x, <16 x i64> %w
  %v = call <16 x i32> @llvm.masked.gather.v16i32.v16p1(<16 x ptr addrspace(1)> %q, <16 x i1> splat (i1 true), <16 x i32> %k)
  %t = add <16 x i32> %s, %v
  %c = icmp slt i64 %j, %n
  br i1 %c, label %loop, label %out
out:
  store <16 x i32> %t, ptr addrspace(1) %o
  ret void
}
