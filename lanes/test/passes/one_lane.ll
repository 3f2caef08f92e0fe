; SPDX-License-Identifier: Apache-2.0
; A kernel whose vectors of sixteen do not fit into the registers as sixteen registers each runs a work-item at a time; not one whose few do, nor
; one that knows its sub-groups. A required size of one is the same for a kernel with local memory; other kernels fill packets from many groups.
; RUN: tessera-opt -packets=16 -cpu=avx512 -passes=one_lane %s | FileCheck %s
; Vectors of small numbers do not fill them, but are taken apart and put together in many steps. So does one that waits at a lock behind which others wait for it: not if one lane alone waits, or each round exchanges what it has read.
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"

declare i64 @__tsr_global_id(i32) memory(none) nounwind willreturn
declare i32 @__tsr_lane() memory(none) nounwind willreturn

; CHECK: define spir_kernel void @many({{.*}}) [[ONE:#[0-9]+]] {
define spir_kernel void @many(ptr addrspace(1) %a, i32 %n) {
entry:
  %i = call i64 @__tsr_global_id(i32 0)
  %p = getelementptr <16 x i32>, ptr addrspace(1) %a, i64 %i
  %x = load <16 x i32>, ptr addrspace(1) %p
  %q = getelementptr i8, ptr addrspace(1) %p, i64 64
  %y = load <16 x i32>, ptr addrspace(1) %q
  br label %round
round:
  %k = phi i32 [ 0, %entry ], [ %k1, %round ]
  %u = phi <16 x i32> [ %x, %entry ], [ %v, %round ]
  %v = phi <16 x i32> [ %y, %entry ], [ %t, %round ]
  %s = add <16 x i32> %u, %v
  %t = xor <16 x i32> %s, %x
  %k1 = add i32 %k, 1
  %c = icmp ult i32 %k1, %n
  br i1 %c, label %round, label %out
out:
  store <16 x i32> %t, ptr addrspace(1) %p
  ret void
}
; CHECK: define spir_kernel void @few({{.*}}) [[PACKETS:#[0-9]+]] {
define spir_kernel void @few(ptr addrspace(1) %a, i32 %n) {
entry:
  %i = call i64 @__tsr_global_id(i32 0)
  %p = getelementptr <16 x i32>, ptr addrspace(1) %a, i64 %i
  %x = load <16 x i32>, ptr addrspace(1) %p
  br label %round
round:
  %k = phi i32 [ 0, %entry ], [ %k1, %round ]
  %u = phi <16 x i32> [ %x, %entry ], [ %t, %round ]
  %s = insertelement <16 x i32> poison, i32 %k, i32 0
  %w = shufflevector <16 x i32> %s, <16 x i32> poison, <16 x i32> zeroinitializer
  %t = add <16 x i32> %u, %w
  %k1 = add i32 %k, 1
  %c = icmp ult i32 %k1, %n
  br i1 %c, label %round, label %out
out:
  store <16 x i32> %t, ptr addrspace(1) %p
  ret void
}
; CHECK: define spir_kernel void @lanes({{.*}}) [[PACKETS]] {
define spir_kernel void @lanes(ptr addrspace(1) %a, i32 %n) {
entry:
  %i = call i64 @__tsr_global_id(i32 0)
  %l = call i32 @__tsr_lane()
  %p = getelementptr <16 x i32>, ptr addrspace(1) %a, i64 %i
  %x = load <16 x i32>, ptr addrspace(1) %p
  %q = getelementptr i8, ptr addrspace(1) %p, i64 64
  %y = load <16 x i32>, ptr addrspace(1) %q
  br label %round
round:
  %k = phi i32 [ %l, %entry ], [ %k1, %round ]
  %u = phi <16 x i32> [ %x, %entry ], [ %v, %round ]
  %v = phi <16 x i32> [ %y, %entry ], [ %t, %round ]
  %s = add <16 x i32> %u, %v
  %t = xor <16 x i32> %s, %x
  %k1 = add i32 %k, 1
  %c = icmp ult i32 %k1, %n
  br i1 %c, label %round, label %out
out:
  store <16 x i32> %t, ptr addrspace(1) %p
  ret void
}
; CHECK: define spir_kernel void @lock({{.*}}) [[ONE]] {
define spir_kernel void @lock(ptr addrspace(1) %lock, ptr addrspace(1) %sum) {
entry:
  br label %round
round:
  %old = atomicrmw volatile xchg ptr addrspace(1) %lock, i32 1 seq_cst
  %c = icmp eq i32 %old, 0
  br i1 %c, label %mine, label %round
mine:
  %x = load i32, ptr addrspace(1) %sum
  %x1 = add i32 %x, 1
  store i32 %x1, ptr addrspace(1) %sum
  store volatile i32 0, ptr addrspace(1) %lock
  ret void
}
; CHECK: define spir_kernel void @first_lane({{.*}}) [[PACKETS]] {
define spir_kernel void @first_lane(ptr addrspace(1) %lock, ptr addrspace(1) %sum) {
entry:
  %i = call i64 @__tsr_global_id(i32 0)
  %first = icmp eq i64 %i, 0
  br i1 %first, label %round, label %out
round:
  %old = atomicrmw volatile xchg ptr addrspace(1) %lock, i32 1 seq_cst
  %c = icmp eq i32 %old, 0
  br i1 %c, label %mine, label %round
mine:
  store i32 1, ptr addrspace(1) %sum
  store volatile i32 0, ptr addrspace(1) %lock
  br label %out
out:
  ret void
}
; CHECK: define spir_kernel void @exchange({{.*}}) [[PACKETS]] {
define spir_kernel void @exchange(ptr addrspace(1) %sum, i32 %by) {
entry:
  br label %round
round:
  %old = load volatile i32, ptr addrspace(1) %sum
  %new = mul i32 %old, %by
  %found = cmpxchg volatile ptr addrspace(1) %sum, i32 %old, i32 %new seq_cst seq_cst
  %c = extractvalue { i32, i1 } %found, 1
  br i1 %c, label %out, label %round
out:
  %0 = atomicrmw volatile add ptr addrspace(1) %sum, i32 1 seq_cst
  ret void
}
; CHECK: define spir_kernel void @small({{.*}}) [[ONE]] {
define spir_kernel void @small(ptr addrspace(1) %a, ptr addrspace(1) %b) {
  %i = call i64 @__tsr_global_id(i32 0)
  %p = getelementptr <8 x i16>, ptr addrspace(1) %a, i64 %i
  %q = getelementptr <8 x i16>, ptr addrspace(1) %b, i64 %i
  %x = load <8 x i16>, ptr addrspace(1) %p
  %y = load <8 x i16>, ptr addrspace(1) %q
  %s = add <8 x i16> %x, %y
  store <8 x i16> %s, ptr addrspace(1) %q
  ret void
}
; CHECK-DAG: attributes [[ONE]] = { "tsr-one-lane" "tsr-user" }
; CHECK-DAG: attributes [[PACKETS]] = { "tsr-user" }
