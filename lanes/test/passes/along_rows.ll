; SPDX-License-Identifier: Apache-2.0
; @count goes along a row of each lane: where there are many rounds, they are those of a loop that is marked. The order of additions of
; floats would change in @total, so it stays as it was.
; RUN: tessera-opt -packets=16 -cpu=avx512 -passes=split_kernels,along_rows %s | FileCheck %s
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"

declare i64 @__tsr_global_id(i32) memory(none) nounwind willreturn

; CHECK-LABEL: @count.item(
; CHECK: icmp slt i64 32, %
; CHECK: br i1 {{.*}}, label %alone, label %[[ALONG:.*]]
; CHECK: [[ALONG]]:
; CHECK: br i1 {{.*}}, label %[[ALONG]], label %end, !llvm.loop ![[MARK:[0-9]+]]
; CHECK-LABEL: @total.item(
; CHECK: br i1 {{.*}}, label %loop, label %end{{$}}
; CHECK: ![[MARK]] = distinct !{![[MARK]], ![[HINT:[0-9]+]]}
; CHECK: ![[HINT]] = !{!"tessera.along.row"}
define spir_kernel void @count(ptr addrspace(1) %s, ptr addrspace(1) %o, i64 %n, i8 %c) {
entry:
  %i = call i64 @__tsr_global_id(i32 0)
  %row = mul i64 %i, %n
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %k1, %loop ]
  %sum = phi i32 [ 0, %entry ], [ %sum1, %loop ]
  %at = add i64 %row, %k
  %p = getelementptr i8, ptr addrspace(1) %s, i64 %at
  %v = load i8, ptr addrspace(1) %p
  %is = icmp eq i8 %v, %c
  %one = zext i1 %is to i32
  %sum1 = add i32 %sum, %one
  %k1 = add i64 %k, 1
  %more = icmp slt i64 %k1, %n
  br i1 %more, label %loop, label %end
end:
  %q = getelementptr i32, ptr addrspace(1) %o, i64 %i
  store i32 %sum1, ptr addrspace(1) %q
  ret void
}

define spir_kernel void @total(ptr addrspace(1) %s, ptr addrspace(1) %o, i64 %n) {
entry:
  %i = call i64 @__tsr_global_id(i32 0)
  %row = mul i64 %i, %n
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %k1, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %sum1, %loop ]
  %at = add i64 %row, %k
  %p = getelementptr float, ptr addrspace(1) %s, i64 %at
  %v = load float, ptr addrspace(1) %p
  %sum1 = fadd float %sum, %v
  %k1 = add i64 %k, 1
  %more = icmp slt i64 %k1, %n
  br i1 %more, label %loop, label %end
end:
  %q = getelementptr float, ptr addrspace(1) %o, i64 %i
  store float %sum1, ptr addrspace(1) %q
  ret void
}
