; SPDX-License-Identifier: Apache-2.0
; A short loop that reads the work-item's own row again in each round of the loop around it is unrolled.
; RUN: tessera-opt -packets=16 -cpu=avx512 -passes=unroll %s | FileCheck %s
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"
declare i64 @__tsr_global_id(i32) memory(none) nounwind willreturn

; CHECK-LABEL: define spir_kernel void @own(
; CHECK-COUNT-16: load float
; CHECK: ret void
define spir_kernel void @own(ptr addrspace(1) %a, ptr addrspace(1) %o, i64 %n) {
entry:
  %i = call i64 @__tsr_global_id(i32 0)
  %row = getelementptr [16 x float], ptr addrspace(1) %a, i64 %i
  br label %points
points:
  %j = phi i64 [ 0, %entry ], [ %j1, %next ]
  %best = phi float [ 0.0, %entry ], [ %s1, %next ]
  br label %sum
sum:
  %k = phi i64 [ 0, %points ], [ %k1, %sum ]
  %s = phi float [ %best, %points ], [ %s1, %sum ]
  %p = getelementptr float, ptr addrspace(1) %row, i64 %k
  %x = load float, ptr addrspace(1) %p
  %y = uitofp i64 %j to float
  %t = fmul float %x, %y
  %s1 = fadd float %s, %t
  %k1 = add nuw nsw i64 %k, 1
  %c = icmp ult i64 %k1, 16
  br i1 %c, label %sum, label %next
next:
  %j1 = add nuw nsw i64 %j, 1
  %d = icmp ult i64 %j1, %n
  br i1 %d, label %points, label %out
out:
  %q = getelementptr float, ptr addrspace(1) %o, i64 %i
  store float %s1, ptr addrspace(1) %q
  ret void
}
