; SPDX-License-Identifier: Apache-2.0
; A loop that carries a chain of multiplications would wait for its own results: two registers are two chains, if the CPU has enough.
; RUN: tessera-opt -packets=16 -cpu=avx512 -passes=sub_group_size,widen_latency_bound %s | FileCheck %s
; RUN-SAME: tessera-opt -packets=16 -cpu=avx2 -passes=sub_group_size,widen_latency_bound %s | FileCheck %s --check-prefix=FEW
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"

declare i64 @__tsr_global_id(i32) memory(none) nounwind willreturn

; CHECK: "tsr-wide-packets"
; FEW-NOT: "tsr-wide-packets"
define spir_kernel void @k(ptr addrspace(1) %a, i64 %n) {
entry:
  %i = call i64 @__tsr_global_id(i32 0)
  %p = getelementptr i64, ptr addrspace(1) %a, i64 %i
  %x = load i64, ptr addrspace(1) %p
  br label %round
round:
  %c = phi i64 [ 0, %entry ], [ %c.next, %round ]
  %s0 = phi i64 [ %x, %entry ], [ %s3, %round ]
  %f1 = add i64 %x, 3
  %v1 = mul i64 %s0, %f1
  %s1 = xor i64 %s0, %v1
  %f2 = add i64 %x, 6
  %v2 = mul i64 %s1, %f2
  %s2 = xor i64 %s1, %v2
  %f3 = add i64 %x, 9
  %v3 = mul i64 %s2, %f3
  %s3 = xor i64 %s2, %v3
  %c.next = add i64 %c, 1
  %more = icmp slt i64 %c.next, %n
  br i1 %more, label %round, label %out
out:
  store i64 %s3, ptr addrspace(1) %p
  ret void
}
