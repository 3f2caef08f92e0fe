; SPDX-License-Identifier: Apache-2.0
; With AVX2 a kernel whose lanes go along rows of their own runs in packets of one register, and one whose doubles would not fit into the registers.
; Not one whose lanes read down columns, nor one with rows through which a round takes more than a cache line, nor one with few doubles; and not with
; AVX-512, where a register has sixteen lanes.
; RUN: tessera-opt -packets=16 -cpu=avx2 -passes=sub_group_size,narrow_packets %s | FileCheck %s
; RUN-SAME: tessera-opt -packets=16 -cpu=avx512 -passes=sub_group_size,narrow_packets %s | FileCheck %s --check-prefix=WIDE
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"

declare i64 @__tsr_global_id(i32) memory(none) nounwind willreturn
declare i64 @__tsr_local_id(i32) memory(none) nounwind willreturn

; CHECK: define spir_kernel void @rows({{.*}}) [[NARROW:#[0-9]+]] {
; WIDE-NOT: "tsr-narrow-packets"
define spir_kernel void @rows(ptr addrspace(1) %a, ptr addrspace(1) %sums, i32 %n) {
entry:
  %id = call i64 @__tsr_global_id(i32 0)
  %i = trunc i64 %id to i32
  br label %round
round:
  %j = phi i32 [ 0, %entry ], [ %j1, %round ]
  %s = phi float [ 0.0, %entry ], [ %s1, %round ]
  %row = mul nsw i32 %n, %i
  %at = add nsw i32 %row, %j
  %index = sext i32 %at to i64
  %p = getelementptr float, ptr addrspace(1) %a, i64 %index
  %x = load float, ptr addrspace(1) %p
  %s1 = fadd float %s, %x
  %j1 = add nuw nsw i32 %j, 1
  %more = icmp slt i32 %j1, %n
  br i1 %more, label %round, label %out
out:
  %q = getelementptr float, ptr addrspace(1) %sums, i64 %id
  store float %s1, ptr addrspace(1) %q
  ret void
}

; Backwards, by a pointer, in rows of 1024.
; CHECK: define spir_kernel void @back({{.*}}) [[NARROW]] {
define spir_kernel void @back(ptr addrspace(1) %a, i32 %n) {
entry:
  %id = call i64 @__tsr_global_id(i32 0)
  %row = getelementptr [1024 x float], ptr addrspace(1) %a, i64 %id
  %last = getelementptr float, ptr addrspace(1) %row, i64 1023
  br label %round
round:
  %j = phi i32 [ 0, %entry ], [ %j1, %round ]
  %p = phi ptr addrspace(1) [ %last, %entry ], [ %p1, %round ]
  %x = load float, ptr addrspace(1) %p
  %y = fmul float %x, 2.0
  store float %y, ptr addrspace(1) %p
  %p1 = getelementptr float, ptr addrspace(1) %p, i64 -1
  %j1 = add nuw nsw i32 %j, 1
  %more = icmp slt i32 %j1, %n
  br i1 %more, label %round, label %out
out:
  ret void
}

; CHECK: define spir_kernel void @columns({{.*}}) [[ANY:#[0-9]+]] {
define spir_kernel void @columns(ptr addrspace(1) %a, ptr addrspace(1) %sums, i32 %n) {
entry:
  %id = call i64 @__tsr_global_id(i32 0)
  %i = trunc i64 %id to i32
  br label %round
round:
  %j = phi i32 [ 0, %entry ], [ %j1, %round ]
  %s = phi float [ 0.0, %entry ], [ %s1, %round ]
  %row = mul nsw i32 %n, %j
  %at = add nsw i32 %row, %i
  %index = sext i32 %at to i64
  %p = getelementptr float, ptr addrspace(1) %a, i64 %index
  %x = load float, ptr addrspace(1) %p
  %s1 = fadd float %s, %x
  %j1 = add nuw nsw i32 %j, 1
  %more = icmp slt i32 %j1, %n
  br i1 %more, label %round, label %out
out:
  %q = getelementptr float, ptr addrspace(1) %sums, i64 %id
  store float %s1, ptr addrspace(1) %q
  ret void
}

; CHECK: define spir_kernel void @jumps({{.*}}) [[ANY]] {
define spir_kernel void @jumps(ptr addrspace(1) %a, i64 %n) {
entry:
  %id = call i64 @__tsr_global_id(i32 0)
  %start = mul i64 %id, %n
  br label %round
round:
  %j = phi i64 [ 0, %entry ], [ %j1, %round ]
  %at = add i64 %start, %j
  %p = getelementptr float, ptr addrspace(1) %a, i64 %at
  %x = load float, ptr addrspace(1) %p
  %y = fmul float %x, 2.0
  store float %y, ptr addrspace(1) %p
  %j1 = add nuw nsw i64 %j, 64
  %more = icmp slt i64 %j1, %n
  br i1 %more, label %round, label %out
out:
  ret void
}

; CHECK: define spir_kernel void @many_doubles({{.*}}) [[NARROW]] {
define spir_kernel void @many_doubles(ptr addrspace(1) %a, ptr addrspace(1) %o) {
entry:
  %id = call i64 @__tsr_global_id(i32 0)
  %i0 = add i64 %id, 0
  %i1 = add i64 %id, 64
  %i2 = add i64 %id, 128
  %i3 = add i64 %id, 192
  %i4 = add i64 %id, 256
  %p0 = getelementptr double, ptr addrspace(1) %a, i64 %i0
  %x0 = load double, ptr addrspace(1) %p0
  %p1 = getelementptr double, ptr addrspace(1) %a, i64 %i1
  %x1 = load double, ptr addrspace(1) %p1
  %p2 = getelementptr double, ptr addrspace(1) %a, i64 %i2
  %x2 = load double, ptr addrspace(1) %p2
  %p3 = getelementptr double, ptr addrspace(1) %a, i64 %i3
  %x3 = load double, ptr addrspace(1) %p3
  %p4 = getelementptr double, ptr addrspace(1) %a, i64 %i4
  %x4 = load double, ptr addrspace(1) %p4
  %s0 = fadd double %x0, %x0
  %s1 = fmul double %s0, %x1
  %s2 = fmul double %s1, %x2
  %s3 = fmul double %s2, %x3
  %s4 = fmul double %s3, %x4
  %t0 = fsub double %s4, %x0
  %t1 = fsub double %t0, %x1
  %t2 = fsub double %t1, %x2
  %t3 = fsub double %t2, %x3
  %t4 = fsub double %t3, %x4
  %q = getelementptr double, ptr addrspace(1) %o, i64 %id
  store double %t4, ptr addrspace(1) %q
  ret void
}

; It may see its work-groups.
; CHECK: define spir_kernel void @sees_groups({{.*}}) [[NARROW]] {
define spir_kernel void @sees_groups(ptr addrspace(1) %a, ptr addrspace(1) %o) {
entry:
  %id = call i64 @__tsr_local_id(i32 0)
  %i0 = add i64 %id, 0
  %i1 = add i64 %id, 64
  %i2 = add i64 %id, 128
  %i3 = add i64 %id, 192
  %i4 = add i64 %id, 256
  %p0 = getelementptr double, ptr addrspace(1) %a, i64 %i0
  %x0 = load double, ptr addrspace(1) %p0
  %p1 = getelementptr double, ptr addrspace(1) %a, i64 %i1
  %x1 = load double, ptr addrspace(1) %p1
  %p2 = getelementptr double, ptr addrspace(1) %a, i64 %i2
  %x2 = load double, ptr addrspace(1) %p2
  %p3 = getelementptr double, ptr addrspace(1) %a, i64 %i3
  %x3 = load double, ptr addrspace(1) %p3
  %p4 = getelementptr double, ptr addrspace(1) %a, i64 %i4
  %x4 = load double, ptr addrspace(1) %p4
  %s0 = fadd double %x0, %x0
  %s1 = fmul double %s0, %x1
  %s2 = fmul double %s1, %x2
  %s3 = fmul double %s2, %x3
  %s4 = fmul double %s3, %x4
  %t0 = fsub double %s4, %x0
  %t1 = fsub double %t0, %x1
  %t2 = fsub double %t1, %x2
  %t3 = fsub double %t2, %x3
  %t4 = fsub double %t3, %x4
  %q = getelementptr double, ptr addrspace(1) %o, i64 %id
  store double %t4, ptr addrspace(1) %q
  ret void
}

; CHECK: define spir_kernel void @few_doubles({{.*}}) [[ANY]] {
define spir_kernel void @few_doubles(ptr addrspace(1) %a, ptr addrspace(1) %o) {
entry:
  %id = call i64 @__tsr_global_id(i32 0)
  %i0 = add i64 %id, 0
  %i1 = add i64 %id, 64
  %p0 = getelementptr double, ptr addrspace(1) %a, i64 %i0
  %x0 = load double, ptr addrspace(1) %p0
  %p1 = getelementptr double, ptr addrspace(1) %a, i64 %i1
  %x1 = load double, ptr addrspace(1) %p1
  %s0 = fadd double %x0, %x0
  %s1 = fmul double %s0, %x1
  %t0 = fsub double %s1, %x0
  %t1 = fsub double %t0, %x1
  %q = getelementptr double, ptr addrspace(1) %o, i64 %id
  store double %t1, ptr addrspace(1) %q
  ret void
}

; CHECK-DAG: attributes [[NARROW]] = {{.*}}"tsr-narrow-packets"
; CHECK-DAG: attributes [[ANY]] = { {{[^}]*}}"tsr-any-width"{{[^}]*}} }
