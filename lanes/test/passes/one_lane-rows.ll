; SPDX-License-Identifier: Apache-2.0
; A kernel in which each work-item goes along a row of its own, in vectors of 16 bytes, runs a work-item at a time; not one in which they lie side by side.
; RUN: tessera-opt -packets=16 -cpu=avx512 -passes=one_lane %s | FileCheck %s
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"
declare i64 @__tsr_global_id(i32) memory(none) nounwind willreturn

; CHECK: define spir_kernel void @rows({{.*}}) [[ONE:#[0-9]+]] {
define spir_kernel void @rows(ptr addrspace(1) %a, ptr addrspace(1) %b, i64 %n) {
entry:
  %i = call i64 @__tsr_global_id(i32 0)
  %row = mul nsw i64 %i, %n
  br label %round
round:
  %k = phi i64 [ 0, %entry ], [ %k1, %round ]
  %s = phi <4 x i32> [ zeroinitializer, %entry ], [ %t, %round ]
  %j = add nsw i64 %row, %k
  %p = getelementptr <4 x i32>, ptr addrspace(1) %a, i64 %j
  %x = load <4 x i32>, ptr addrspace(1) %p
  %t = add <4 x i32> %s, %x
  %q = getelementptr <4 x i32>, ptr addrspace(1) %b, i64 %j
  store <4 x i32> %t, ptr addrspace(1) %q
  %k1 = add nuw nsw i64 %k, 1
  %c = icmp slt i64 %k1, %n
  br i1 %c, label %round, label %out
out:
  ret void
}
; CHECK: define spir_kernel void @columns({{.*}}) [[PACKETS:#[0-9]+]] {
define spir_kernel void @columns(ptr addrspace(1) %a, ptr addrspace(1) %b, i64 %n) {
entry:
  %i = call i64 @__tsr_global_id(i32 0)
  br label %round
round:
  %k = phi i64 [ 0, %entry ], [ %k1, %round ]
  %s = phi <4 x i32> [ zeroinitializer, %entry ], [ %t, %round ]
  %row = mul nsw i64 %k, %n
  %j = add nsw i64 %row, %i
  %p = getelementptr <4 x i32>, ptr addrspace(1) %a, i64 %j
  %x = load <4 x i32>, ptr addrspace(1) %p
  %t = add <4 x i32> %s, %x
  %q = getelementptr <4 x i32>, ptr addrspace(1) %b, i64 %j
  store <4 x i32> %t, ptr addrspace(1) %q
  %k1 = add nuw nsw i64 %k, 1
  %c = icmp slt i64 %k1, %n
  br i1 %c, label %round, label %out
out:
  ret void
}
; CHECK-DAG: attributes [[ONE]] = { "tsr-one-lane" "tsr-user" }
; CHECK-DAG: attributes [[PACKETS]] = { "tsr-user" }
