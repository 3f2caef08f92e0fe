; SPDX-License-Identifier: Apache-2.0
; Bytes, and numbers of 16 bits, that lie side by side in each lane's own memory are parts of words, of which all bytes are read in the same
; part of a block. Lanes side by side, and those that read the same, stay as they are.
; RUN: tessera-opt -packets=16 -cpu=avx512 -passes=split_kernels,join_loads %s | FileCheck %s
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"
declare i64 @__tsr_global_id(i32) memory(none)

; The index stands behind the constants, or in front of them; a byte is read twice, and one of the next word alone.
; CHECK-LABEL: define internal void @rows.item(
; CHECK: %[[at:.*]] = getelementptr i8, ptr addrspace(1) %0, i64 6
; CHECK: %[[row:.*]] = getelementptr [18 x i8], ptr addrspace(1) %[[at]], i64 %i
; CHECK: %[[word:.*]] = load i32, ptr addrspace(1) %[[row]], align 1
; CHECK: %[[b0:.*]] = lshr i32 %[[word]], 0
; CHECK: trunc i32 %[[b0]] to i8
; CHECK: lshr i32 %[[word]], 24
; CHECK-NOT: load i8
; CHECK: lshr i32 %[[word]], 8
; CHECK: lshr i32 %[[word]], 16
; CHECK: lshr i32 %[[word]], 16
; CHECK: load i8, ptr addrspace(1) %p10
; CHECK-NOT: load
define spir_kernel void @rows(ptr addrspace(1) %a, ptr addrspace(1) %o) {
  %i = call i64 @__tsr_global_id(i32 0)
  %row = getelementptr [18 x i8], ptr addrspace(1) %a, i64 %i
  %p6 = getelementptr i8, ptr addrspace(1) %row, i64 6
  %v6 = load i8, ptr addrspace(1) %p6
  %a9 = getelementptr i8, ptr addrspace(1) %a, i64 9
  %p9 = getelementptr [18 x i8], ptr addrspace(1) %a9, i64 %i
  %v9 = load i8, ptr addrspace(1) %p9
  %p7 = getelementptr i8, ptr addrspace(1) %row, i64 7
  %v7 = load i8, ptr addrspace(1) %p7
  %p8 = getelementptr i8, ptr addrspace(1) %row, i64 8
  %v8 = load i8, ptr addrspace(1) %p8
  %again = load i8, ptr addrspace(1) %p8
  %p10 = getelementptr i8, ptr addrspace(1) %row, i64 10
  %v10 = load i8, ptr addrspace(1) %p10
  %s1 = add i8 %v6, %v9
  %s2 = add i8 %s1, %v7
  %s3 = add i8 %s2, %v8
  %s4 = add i8 %s3, %again
  %s5 = add i8 %s4, %v10
  %to = getelementptr i8, ptr addrspace(1) %o, i64 %i
  store i8 %s5, ptr addrspace(1) %to
  ret void
}

; Two halves are a word; three bytes are none, as the fourth may not be there.
; CHECK-LABEL: define internal void @halves.item(
; CHECK: load i32, {{.*}}, align 2
; CHECK: bitcast i16 {{.*}} to half
; CHECK-COUNT-3: load i8
; CHECK-NOT: load
define spir_kernel void @halves(ptr addrspace(1) %a, ptr addrspace(1) %o) {
  %i = call i64 @__tsr_global_id(i32 0)
  %row = getelementptr [36 x i8], ptr addrspace(1) %a, i64 %i
  %v0 = load half, ptr addrspace(1) %row, align 2
  %p2 = getelementptr i8, ptr addrspace(1) %row, i64 2
  %v2 = load half, ptr addrspace(1) %p2, align 2
  %p5 = getelementptr i8, ptr addrspace(1) %row, i64 5
  %v5 = load i8, ptr addrspace(1) %p5
  %p6 = getelementptr i8, ptr addrspace(1) %row, i64 6
  %v6 = load i8, ptr addrspace(1) %p6
  %p7 = getelementptr i8, ptr addrspace(1) %row, i64 7
  %v7 = load i8, ptr addrspace(1) %p7
  %s1 = add i8 %v5, %v6
  %s2 = add i8 %s1, %v7
  %s3 = sitofp i8 %s2 to half
  %s4 = fadd half %v0, %v2
  %s5 = fadd half %s3, %s4
  %to = getelementptr half, ptr addrspace(1) %o, i64 %i
  store half %s5, ptr addrspace(1) %to
  ret void
}

; Memory changes in between; lanes lie side by side; all lanes read the same.
; CHECK-LABEL: define internal void @others.item(
; CHECK-NOT: load i32
; CHECK: ret void
define spir_kernel void @others(ptr addrspace(1) %a, ptr addrspace(1) %o) {
  %i = call i64 @__tsr_global_id(i32 0)
  %row = getelementptr [32 x i8], ptr addrspace(1) %a, i64 %i
  %v0 = load half, ptr addrspace(1) %row, align 2
  %to = getelementptr half, ptr addrspace(1) %o, i64 %i
  store half %v0, ptr addrspace(1) %to
  %p2 = getelementptr i8, ptr addrspace(1) %row, i64 2
  %v2 = load half, ptr addrspace(1) %p2, align 2
  store half %v2, ptr addrspace(1) %to
  %side = getelementptr half, ptr addrspace(1) %a, i64 %i
  %w0 = load half, ptr addrspace(1) %side, align 2
  %next = getelementptr half, ptr addrspace(1) %side, i64 1
  %w1 = load half, ptr addrspace(1) %next, align 2
  %u0 = load half, ptr addrspace(1) %a, align 2
  %u1p = getelementptr half, ptr addrspace(1) %a, i64 1
  %u1 = load half, ptr addrspace(1) %u1p, align 2
  %s1 = fadd half %w0, %w1
  %s2 = fadd half %u0, %u1
  %s3 = fadd half %s1, %s2
  store half %s3, ptr addrspace(1) %to
  ret void
}
