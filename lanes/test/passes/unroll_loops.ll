; SPDX-License-Identifier: Apache-2.0
; Loops with a hint are unrolled, and functions that nothing uses go.
; RUN: tessera-opt -packets=16 -cpu=avx512 -passes=unroll_loops %s | FileCheck %s
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"

; CHECK-NOT: @unused
; CHECK-LABEL: define void @f(
; CHECK-COUNT-4: store volatile
define internal void @unused() {
  ret void
}
define void @f(i32 %n, ptr %a) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %j, %loop ]
  store volatile i32 %i, ptr %a
  %j = add i32 %i, 1
  %c = icmp slt i32 %j, %n
  br i1 %c, label %loop, label %out, !llvm.loop !0
out:
  ret void
}
!0 = distinct !{!0, !1}
!1 = !{!"llvm.loop.unroll.count", i32 4}
