; SPDX-License-Identifier: Apache-2.0
; A loop over lanes that go through a loop of their own one by one makes as many rounds of one as its hint says.
; RUN: tessera-opt -packets=16 -cpu=avx512 -passes=late_unroll %s | FileCheck %s
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"

; CHECK: br i1 %c, label %loop, label %out, !llvm.loop [[L:![0-9]+]]
; CHECK-NOT: tessera.unroll
; CHECK: !{!"llvm.loop.unroll.count", i32 4}
define void @k.whole(ptr addrspace(1) %a, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %j, %loop ]
  store volatile i32 %i, ptr addrspace(1) %a
  %j = add i32 %i, 1
  %c = icmp slt i32 %j, %n
  br i1 %c, label %loop, label %out, !llvm.loop !0
out:
  ret void
}
!0 = distinct !{!0, !1}
!1 = !{!"tessera.unroll.late", i32 4}
