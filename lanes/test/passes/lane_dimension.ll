; SPDX-License-Identifier: Apache-2.0
; Lanes follow y where memory goes on along y, and not along x. Of a transposition they follow what is stored, if gathers are fast; else x where as
; much goes on along x; not where a loop would then end for each lane alone; not along a dimension that the kernel does not ask for; not with local memory or a linear id,
; unless work-groups are required to be columns.
; RUN: tessera-opt -packets=16 -cpu=avx2 -passes=lane_dimension %s | FileCheck %s
; RUN: tessera-opt -packets=16 -cpu=avx2 -passes=lane_dimension -info %s | FileCheck %s --check-prefix=ROWS
; RUN: tessera-opt -packets=16 -cpu=avx512 -passes=lane_dimension %s | FileCheck %s --check-prefix=GATHERS
; RUN: tessera-opt -packets=16 -cpu=avx512 -passes=lane_dimension -info %s | FileCheck %s --check-prefix=ROWS
; ROWS: kernel columns {{.*}} column_rows 0
; ROWS: kernel transposed {{.*}} column_rows 16
; ROWS: kernel transposed_reads {{.*}} column_rows 8
; GATHERS-LABEL: define spir_kernel void @transposed(
; GATHERS: %x = call i64 @__tsr_global_id(i32 1)
; GATHERS: %y = call i64 @__tsr_global_id(i32 0)
; GATHERS-LABEL: define spir_kernel void @transposed_reads(
; GATHERS: %x = call i64 @__tsr_global_id(i32 0)
; RUN-SAME: tessera-opt -packets=16 -lanes-in=x -passes=lane_dimension %s | FileCheck %s --check-prefix=SAME
; SAME-LABEL: @columns(
; SAME: call i64 @__tsr_global_id(i32 0)
; SAME: call i64 @__tsr_global_id(i32 1)
; RUN: tessera-opt -packets=16 -lanes-in=z -passes=lane_dimension %s | FileCheck %s --check-prefix=FORCED
; FORCED-LABEL: @columns(
; FORCED: %x = call i64 @__tsr_global_id(i32 2)
; FORCED: %y = call i64 @__tsr_global_id(i32 1)
; FORCED: %z = call i64 @__tsr_global_id(i32 0)
; FORCED-LABEL: @linear(
; FORCED: %x = call i64 @__tsr_global_id(i32 0)
; FORCED-LABEL: @in_sub_groups(
; FORCED: %z = call i64 @__tsr_local_id(i32 0)
; FORCED-LABEL: @column(
; FORCED: %z = call i64 @__tsr_local_id(i32 0)
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"

declare i64 @__tsr_global_id(i32) memory(none) nounwind willreturn
declare i64 @__tsr_local_id(i32) memory(none) nounwind willreturn
declare i64 @__tsr_group_id(i32) memory(none) nounwind willreturn
declare i64 @__tsr_local_size(i32) memory(none) nounwind willreturn
declare i32 @__tsr_linear_id() memory(none) nounwind willreturn
declare i32 @__tsr_lane() memory(none) nounwind willreturn

; CHECK-LABEL: define spir_kernel void @columns(
; CHECK: %x = call i64 @__tsr_global_id(i32 1)
; CHECK: %y = call i64 @__tsr_global_id(i32 0)
; CHECK: %z = call i64 @__tsr_global_id(i32 2)
; CHECK: %size = call i64 @__tsr_local_size(i32 1)
define spir_kernel void @columns(ptr addrspace(1) %a, i64 %n) {
  %x = call i64 @__tsr_global_id(i32 0)
  %y = call i64 @__tsr_global_id(i32 1)
  %z = call i64 @__tsr_global_id(i32 2)
  %size = call i64 @__tsr_local_size(i32 0)
  %rows = mul i64 %n, %x
  %planes = mul i64 %n, %z
  %row = add i64 %rows, %planes
  %at = add i64 %row, %y
  %p = getelementptr i64, ptr addrspace(1) %a, i64 %at
  store i64 %size, ptr addrspace(1) %p
  ret void
}

; CHECK-LABEL: define spir_kernel void @planes(
; CHECK: %x = call i64 @__tsr_group_id(i32 2)
; CHECK: %z = call i64 @__tsr_local_id(i32 0)
define spir_kernel void @planes(ptr addrspace(1) %a, i64 %n) {
  %x = call i64 @__tsr_group_id(i32 0)
  %l = call i64 @__tsr_local_id(i32 0)
  %z = call i64 @__tsr_local_id(i32 2)
  %rows = mul i64 %n, %x
  %row = mul i64 %rows, %l
  %at = add i64 %row, %z
  %p = getelementptr float, ptr addrspace(1) %a, i64 %at
  store float 1.0, ptr addrspace(1) %p
  ret void
}

; CHECK-LABEL: define spir_kernel void @transposed(
; CHECK: %x = call i64 @__tsr_global_id(i32 0)
; CHECK: %y = call i64 @__tsr_global_id(i32 1)
define spir_kernel void @transposed(ptr addrspace(1) %a, ptr addrspace(1) %b, i64 %n) {
  %x = call i64 @__tsr_global_id(i32 0)
  %y = call i64 @__tsr_global_id(i32 1)
  %row = mul i64 %n, %y
  %from = add i64 %row, %x
  %p = getelementptr float, ptr addrspace(1) %a, i64 %from
  %v = load float, ptr addrspace(1) %p
  %column = mul i64 %n, %x
  %to = add i64 %column, %y
  %q = getelementptr float, ptr addrspace(1) %b, i64 %to
  store float %v, ptr addrspace(1) %q
  ret void
}

define spir_kernel void @transposed_reads(ptr addrspace(1) %a, ptr addrspace(1) %b, i64 %n) {
  %x = call i64 @__tsr_global_id(i32 0)
  %y = call i64 @__tsr_global_id(i32 1)
  %row = mul i64 %n, %x
  %from = add i64 %row, %y
  %p = getelementptr double, ptr addrspace(1) %a, i64 %from
  %v = load double, ptr addrspace(1) %p
  %column = mul i64 %n, %y
  %to = add i64 %column, %x
  %q = getelementptr double, ptr addrspace(1) %b, i64 %to
  store double %v, ptr addrspace(1) %q
  ret void
}

; CHECK-LABEL: define spir_kernel void @triangle(
; CHECK: %x = call i64 @__tsr_global_id(i32 0)
; CHECK: %y = call i64 @__tsr_global_id(i32 1)
define spir_kernel void @triangle(ptr addrspace(1) %a, i64 %n) {
entry:
  %x = call i64 @__tsr_global_id(i32 0)
  %y = call i64 @__tsr_global_id(i32 1)
  %row = mul i64 %n, %x
  %at = add i64 %row, %y
  %p = getelementptr float, ptr addrspace(1) %a, i64 %at
  br label %round
round:
  %k = phi i64 [ 0, %entry ], [ %k1, %round ]
  %s = load float, ptr addrspace(1) %p
  %t = fmul float %s, %s
  store float %t, ptr addrspace(1) %p
  %k1 = add i64 %k, 1
  %more = icmp ult i64 %k1, %y
  br i1 %more, label %round, label %out
out:
  ret void
}

; CHECK-LABEL: define spir_kernel void @one_place(
; CHECK: %x = call i64 @__tsr_global_id(i32 0)
define spir_kernel void @one_place(ptr addrspace(1) %a, i64 %n) {
  %x = call i64 @__tsr_global_id(i32 0)
  %at = mul i64 %n, %x
  %p = getelementptr float, ptr addrspace(1) %a, i64 %at
  store float 1.0, ptr addrspace(1) %p
  ret void
}

; CHECK-LABEL: define spir_kernel void @local_memory(
; CHECK: %x = call i64 @__tsr_global_id(i32 0)
define spir_kernel void @local_memory(ptr addrspace(1) %a, ptr addrspace(3) %l, i64 %n) {
  %x = call i64 @__tsr_global_id(i32 0)
  %y = call i64 @__tsr_global_id(i32 1)
  %v = load float, ptr addrspace(3) %l
  %row = mul i64 %n, %x
  %at = add i64 %row, %y
  %p = getelementptr float, ptr addrspace(1) %a, i64 %at
  store float %v, ptr addrspace(1) %p
  ret void
}

; CHECK-LABEL: define spir_kernel void @linear(
; CHECK: %x = call i64 @__tsr_global_id(i32 0)
define spir_kernel void @linear(ptr addrspace(1) %a, i64 %n) {
  %x = call i64 @__tsr_global_id(i32 0)
  %y = call i64 @__tsr_global_id(i32 1)
  %v = call i32 @__tsr_linear_id()
  %row = mul i64 %n, %x
  %at = add i64 %row, %y
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %at
  store i32 %v, ptr addrspace(1) %p
  ret void
}

; CHECK-LABEL: define spir_kernel void @in_sub_groups(
; CHECK: %z = call i64 @__tsr_local_id(i32 2)
define spir_kernel void @in_sub_groups(ptr addrspace(1) %a) {
  %z = call i64 @__tsr_local_id(i32 2)
  %i = call i32 @__tsr_linear_id()
  %lane = call i32 @__tsr_lane()
  %s = add i32 %lane, %i
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %z
  store i32 %s, ptr addrspace(1) %p
  ret void
}

; CHECK-LABEL: define spir_kernel void @column(
; CHECK: %z = call i64 @__tsr_local_id(i32 0)
define spir_kernel void @column(ptr addrspace(1) %a, ptr addrspace(3) %l) !reqd_work_group_size !0 {
  %z = call i64 @__tsr_local_id(i32 2)
  %v = load i32, ptr addrspace(3) %l
  %i = call i32 @__tsr_linear_id()
  %s = add i32 %v, %i
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %z
  store i32 %s, ptr addrspace(1) %p
  ret void
}
; CHECK-LABEL: define spir_kernel void @plane(
; CHECK: %z = call i64 @__tsr_local_id(i32 2)
define spir_kernel void @plane(ptr addrspace(1) %a) !reqd_work_group_size !1 {
  %z = call i64 @__tsr_local_id(i32 2)
  %i = call i32 @__tsr_linear_id()
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %z
  store i32 %i, ptr addrspace(1) %p
  ret void
}
!0 = !{i32 1, i32 1, i32 16}
!1 = !{i32 1, i32 2, i32 8}
