; SPDX-License-Identifier: Apache-2.0
; What __builtin_expect says becomes weights of the branch: the intrinsic itself would be a call in each lane.
; RUN: tessera-opt -packets=16 -cpu=avx512 -passes=sub_group_size %s | FileCheck %s
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"

declare i64 @llvm.expect.i64(i64, i64)

; CHECK: define spir_kernel void @expects(
; CHECK-NOT: call i64 @llvm.expect
; CHECK: br i1 {{.*}}, !prof [[WEIGHTS:![0-9]+]]
; CHECK: [[WEIGHTS]] = !{!"branch_weights", !"expected", i32 1, i32 2000}
define spir_kernel void @expects(ptr addrspace(1) %a, i32 %n) {
  %c = icmp slt i32 %n, 0
  %w = zext i1 %c to i64
  %e = call i64 @llvm.expect.i64(i64 %w, i64 0)
  %t = icmp ne i64 %e, 0
  br i1 %t, label %rare, label %out
rare:
  store i32 7, ptr addrspace(1) %a
  br label %out
out:
  ret void
}
