; SPDX-License-Identifier: Apache-2.0
; What does not vary moves out of loops, and nothing is computed twice.
; RUN: tessera-opt -packets=16 -cpu=avx512 -passes=hoist_and_number %s | FileCheck %s
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"

; CHECK-LABEL: define void @f(
; CHECK: entry:
; CHECK-NEXT: mul i32 %x, %y
; CHECK: loop:
; CHECK-NOT: mul
; CHECK: ret void
define void @f(i32 %x, i32 %y, i32 %n, ptr %a) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %j, %loop ]
  %p = mul i32 %x, %y
  %q = mul i32 %x, %y
  store volatile i32 %p, ptr %a
  store volatile i32 %q, ptr %a
  %j = add i32 %i, 1
  %c = icmp slt i32 %j, %n
  br i1 %c, label %loop, label %out
out:
  ret void
}
