; SPDX-License-Identifier: Apache-2.0
; The stack slot of a value that is written once, before all that read it, is the value; another one is reset for each packet.
; RUN: tessera-opt -packets=16 -cpu=avx512 -passes=split_kernels,widen_full,packet_loop %s | FileCheck %s
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"

; CHECK-LABEL: define internal void @k.whole(
; CHECK: = alloca
; CHECK-NOT: = alloca
; CHECK: [[SUM:%.*]] = add i64 %{{.*}}, 7
; CHECK: store i64 [[SUM]], ptr addrspace(1)
; CHECK: store i64 poison
; CHECK-NOT: store {{.*}} poison
define spir_kernel void @k(ptr addrspace(1) %a, i64 %n) {
entry:
  %once = add i64 %n, 7
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %p = getelementptr inbounds i64, ptr addrspace(1) %a, i64 %i
  store i64 %once, ptr addrspace(1) %p
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}
