; SPDX-License-Identifier: Apache-2.0
; Eight numbers that lie side by side in each lane's column are stored as a vector, in whichever order; four of them are another. Not where memory
; is read between them, nor where one is missing, nor where lanes lie side by side. The distance of columns may be a constant.
; What is stored so is noted, as rows behind are best stored next.
; RUN: tessera-opt -packets=16 -cpu=avx512 -passes=split_kernels,join_stores %s | FileCheck %s
; RUN: tessera-opt -packets=16 -cpu=avx512 -info -passes=split_kernels,join_stores %s | FileCheck %s --check-prefix=ROWS
; ROWS: kernel column {{.*}} column_rows 16
; ROWS: kernel side_by_side {{.*}} column_rows 0
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"
declare i64 @__tsr_global_id(i32) memory(none)
declare spir_func <8 x i32> @_Z36intel_sub_group_i8_i8_matrix_mad_k32Dv8_iS_S_(<8 x i32>, <8 x i32>, <8 x i32>) convergent nounwind memory(none)

; CHECK-LABEL: define internal void @column.item(
; CHECK-NOT: store i32
; CHECK: store <8 x i32> %{{.*}}, ptr addrspace(1) %p0, align 4
; CHECK-NOT: store
; CHECK: ret void
; CHECK-LABEL: define internal void @half.item(
; CHECK-NOT: store i32
; CHECK: store <4 x i32> %{{.*}}, ptr addrspace(1) %p0, align 4
; CHECK: store i32
; CHECK: ret void
; CHECK-LABEL: define internal void @reads.item(
; CHECK: store i32
; CHECK: store i32
; CHECK: load i32
; CHECK-COUNT-3: store i32
; CHECK-LABEL: define internal void @gap.item(
; CHECK-COUNT-4: store i32
; CHECK-LABEL: define internal void @pitch.item(
; CHECK-NOT: store i32
; CHECK: store <4 x i32>
; CHECK: ret void
; CHECK-LABEL: define internal void @side_by_side.item(
; CHECK-COUNT-4: store i32

define spir_kernel void @column(ptr addrspace(1) %a, ptr addrspace(1) %c, <8 x i32> %x, i64 %pitch) {
  %i = call i64 @__tsr_global_id(i32 0)
  %d = call spir_func <8 x i32> @_Z36intel_sub_group_i8_i8_matrix_mad_k32Dv8_iS_S_(<8 x i32> %x, <8 x i32> %x, <8 x i32> %x)
  %column = mul i64 %i, %pitch
  %row = getelementptr i32, ptr addrspace(1) %c, i64 %column
  %v1 = extractelement <8 x i32> %d, i32 1
  %p1 = getelementptr i32, ptr addrspace(1) %row, i64 1
  store i32 %v1, ptr addrspace(1) %p1, align 4
  %v0 = extractelement <8 x i32> %d, i32 0
  %p0 = getelementptr i32, ptr addrspace(1) %row, i64 0
  store i32 %v0, ptr addrspace(1) %p0, align 4
  %v2 = extractelement <8 x i32> %d, i32 2
  %p2 = getelementptr i32, ptr addrspace(1) %row, i64 2
  store i32 %v2, ptr addrspace(1) %p2, align 4
  %v3 = extractelement <8 x i32> %d, i32 3
  %p3 = getelementptr i32, ptr addrspace(1) %row, i64 3
  store i32 %v3, ptr addrspace(1) %p3, align 4
  %v5 = extractelement <8 x i32> %d, i32 5
  %p5 = getelementptr i32, ptr addrspace(1) %row, i64 5
  store i32 %v5, ptr addrspace(1) %p5, align 4
  %v4 = extractelement <8 x i32> %d, i32 4
  %p4 = getelementptr i32, ptr addrspace(1) %row, i64 4
  store i32 %v4, ptr addrspace(1) %p4, align 4
  %v6 = extractelement <8 x i32> %d, i32 6
  %p6 = getelementptr i32, ptr addrspace(1) %row, i64 6
  store i32 %v6, ptr addrspace(1) %p6, align 4
  %v7 = extractelement <8 x i32> %d, i32 7
  %p7 = getelementptr i32, ptr addrspace(1) %row, i64 7
  store i32 %v7, ptr addrspace(1) %p7, align 4
  ret void
}

define spir_kernel void @half(ptr addrspace(1) %a, ptr addrspace(1) %c, <8 x i32> %x, i64 %pitch) {
  %i = call i64 @__tsr_global_id(i32 0)
  %d = call spir_func <8 x i32> @_Z36intel_sub_group_i8_i8_matrix_mad_k32Dv8_iS_S_(<8 x i32> %x, <8 x i32> %x, <8 x i32> %x)
  %column = mul i64 %i, %pitch
  %row = getelementptr i32, ptr addrspace(1) %c, i64 %column
  %v0 = extractelement <8 x i32> %d, i32 0
  %p0 = getelementptr i32, ptr addrspace(1) %row, i64 0
  store i32 %v0, ptr addrspace(1) %p0, align 4
  %v1 = extractelement <8 x i32> %d, i32 1
  %p1 = getelementptr i32, ptr addrspace(1) %row, i64 1
  store i32 %v1, ptr addrspace(1) %p1, align 4
  %v2 = extractelement <8 x i32> %d, i32 2
  %p2 = getelementptr i32, ptr addrspace(1) %row, i64 2
  store i32 %v2, ptr addrspace(1) %p2, align 4
  %v3 = extractelement <8 x i32> %d, i32 3
  %p3 = getelementptr i32, ptr addrspace(1) %row, i64 3
  store i32 %v3, ptr addrspace(1) %p3, align 4
  %v6 = extractelement <8 x i32> %d, i32 6
  %p6 = getelementptr i32, ptr addrspace(1) %row, i64 6
  store i32 %v6, ptr addrspace(1) %p6, align 4
  ret void
}

define spir_kernel void @reads(ptr addrspace(1) %a, ptr addrspace(1) %c, <8 x i32> %x, i64 %pitch) {
  %i = call i64 @__tsr_global_id(i32 0)
  %d = call spir_func <8 x i32> @_Z36intel_sub_group_i8_i8_matrix_mad_k32Dv8_iS_S_(<8 x i32> %x, <8 x i32> %x, <8 x i32> %x)
  %column = mul i64 %i, %pitch
  %row = getelementptr i32, ptr addrspace(1) %c, i64 %column
  %v0 = extractelement <8 x i32> %d, i32 0
  %p0 = getelementptr i32, ptr addrspace(1) %row, i64 0
  store i32 %v0, ptr addrspace(1) %p0, align 4
  %v1 = extractelement <8 x i32> %d, i32 1
  %p1 = getelementptr i32, ptr addrspace(1) %row, i64 1
  store i32 %v1, ptr addrspace(1) %p1, align 4
  %other = load i32, ptr addrspace(1) %a, align 4
  store i32 %other, ptr addrspace(1) %a, align 4
  %v2 = extractelement <8 x i32> %d, i32 2
  %p2 = getelementptr i32, ptr addrspace(1) %row, i64 2
  store i32 %v2, ptr addrspace(1) %p2, align 4
  %v3 = extractelement <8 x i32> %d, i32 3
  %p3 = getelementptr i32, ptr addrspace(1) %row, i64 3
  store i32 %v3, ptr addrspace(1) %p3, align 4
  ret void
}

define spir_kernel void @gap(ptr addrspace(1) %a, ptr addrspace(1) %c, <8 x i32> %x, i64 %pitch) {
  %i = call i64 @__tsr_global_id(i32 0)
  %d = call spir_func <8 x i32> @_Z36intel_sub_group_i8_i8_matrix_mad_k32Dv8_iS_S_(<8 x i32> %x, <8 x i32> %x, <8 x i32> %x)
  %column = mul i64 %i, %pitch
  %row = getelementptr i32, ptr addrspace(1) %c, i64 %column
  %v0 = extractelement <8 x i32> %d, i32 0
  %p0 = getelementptr i32, ptr addrspace(1) %row, i64 0
  store i32 %v0, ptr addrspace(1) %p0, align 4
  %v1 = extractelement <8 x i32> %d, i32 1
  %p1 = getelementptr i32, ptr addrspace(1) %row, i64 1
  store i32 %v1, ptr addrspace(1) %p1, align 4
  %v2 = extractelement <8 x i32> %d, i32 2
  %p2 = getelementptr i32, ptr addrspace(1) %row, i64 2
  store i32 %v2, ptr addrspace(1) %p2, align 4
  %v4 = extractelement <8 x i32> %d, i32 4
  %p4 = getelementptr i32, ptr addrspace(1) %row, i64 4
  store i32 %v4, ptr addrspace(1) %p4, align 4
  ret void
}

define spir_kernel void @pitch(ptr addrspace(1) %a, ptr addrspace(1) %c, <8 x i32> %x) {
  %i = call i64 @__tsr_global_id(i32 0)
  %d = call spir_func <8 x i32> @_Z36intel_sub_group_i8_i8_matrix_mad_k32Dv8_iS_S_(<8 x i32> %x, <8 x i32> %x, <8 x i32> %x)
  %row = getelementptr [512 x i32], ptr addrspace(1) %c, i64 %i
  %v0 = extractelement <8 x i32> %d, i32 0
  store i32 %v0, ptr addrspace(1) %row, align 4
  %v1 = extractelement <8 x i32> %d, i32 1
  %p1 = getelementptr i32, ptr addrspace(1) %row, i64 1
  store i32 %v1, ptr addrspace(1) %p1, align 4
  %v2 = extractelement <8 x i32> %d, i32 2
  %p2 = getelementptr i32, ptr addrspace(1) %row, i64 2
  store i32 %v2, ptr addrspace(1) %p2, align 4
  %v3 = extractelement <8 x i32> %d, i32 3
  %p3 = getelementptr i32, ptr addrspace(1) %row, i64 3
  store i32 %v3, ptr addrspace(1) %p3, align 4
  ret void
}

define spir_kernel void @side_by_side(ptr addrspace(1) %a, ptr addrspace(1) %c, <8 x i32> %x, i64 %pitch) {
  %i = call i64 @__tsr_global_id(i32 0)
  %d = call spir_func <8 x i32> @_Z36intel_sub_group_i8_i8_matrix_mad_k32Dv8_iS_S_(<8 x i32> %x, <8 x i32> %x, <8 x i32> %x)
  %column = mul i64 %i, %pitch
  %row = getelementptr i32, ptr addrspace(1) %c, i64 %column
  %lane = getelementptr i32, ptr addrspace(1) %c, i64 %i
  %v0 = extractelement <8 x i32> %d, i32 0
  %p0 = getelementptr i32, ptr addrspace(1) %lane, i64 0
  store i32 %v0, ptr addrspace(1) %p0, align 4
  %v1 = extractelement <8 x i32> %d, i32 1
  %p1 = getelementptr i32, ptr addrspace(1) %lane, i64 1
  store i32 %v1, ptr addrspace(1) %p1, align 4
  %v2 = extractelement <8 x i32> %d, i32 2
  %p2 = getelementptr i32, ptr addrspace(1) %lane, i64 2
  store i32 %v2, ptr addrspace(1) %p2, align 4
  %v3 = extractelement <8 x i32> %d, i32 3
  %p3 = getelementptr i32, ptr addrspace(1) %lane, i64 3
  store i32 %v3, ptr addrspace(1) %p3, align 4
  ret void
}
