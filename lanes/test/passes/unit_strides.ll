; SPDX-License-Identifier: Apache-2.0
; A kernel whose indices are all multiplied by arguments gets a copy for launches in which those that lanes are multiplied by are 1, and one for
; launches in which B lies by columns. Not where K counts elements: there the argument is the distance of columns.
; RUN: tessera-opt -packets=16 -cpu=avx2 -passes=unit_strides %s | FileCheck %s
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1"
target triple = "spir64-unknown-unknown"

; CHECK-LABEL: define spir_kernel void @any_layout(
; CHECK: [[K:%[0-9]+]] = icmp eq i32 %of.k, 1
; CHECK: [[COLUMN:%[0-9]+]] = icmp eq i32 %of.column, 1
; CHECK: and i1 [[K]], [[COLUMN]]
; CHECK: br i1 %{{[0-9]+}}, label %[[ROWS:side.by.side[0-9]*]], label %[[ELSE:[0-9]+]]
; CHECK: [[ELSE]]:
; CHECK: icmp eq i32 %of.k, 1
; CHECK: icmp eq i32 %of.b, 1
; CHECK-NOT: icmp eq
; CHECK: br i1 %{{[0-9]+}}, label %[[COLUMNS:side.by.side[0-9]*]], label %entry
; CHECK: entry:
; CHECK: mul i32 %{{.*}}, %of.k
; CHECK: mul i32 %{{.*}}, %of.b
; CHECK: mul i32 %{{.*}}, %of.column
; CHECK: [[ROWS]]:
; CHECK-NOT: %of.column
; CHECK: mul i32 %{{.*}}, %of.b
; CHECK-NOT: %of.column
; CHECK: [[COLUMNS]]:
; CHECK-NOT: %of.b
; CHECK: mul i32 %{{.*}}, %of.column
; CHECK-NOT: %of.b
; CHECK: {{^}}}

; CHECK-LABEL: define spir_kernel void @columns(
; CHECK-NOT: side.by.side
; CHECK: ret void

declare i32 @__tsr_lane() memory(none) nounwind willreturn
declare spir_func <8 x i32> @_Z36intel_sub_group_i8_i8_matrix_mad_k32Dv8_iS_S_(<8 x i32>, <8 x i32>, <8 x i32>) convergent nounwind memory(none)

define spir_kernel void @any_layout(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %c, <8 x i32> %x, i32 %depth, i32 %of.k, i32 %of.b, i32 %of.column) {
entry:
  %lane = call i32 @__tsr_lane()
  br label %loop

loop:
  %k = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi <8 x i32> [ zeroinitializer, %entry ], [ %d, %loop ]
  %k.lane = add i32 %k, %lane
  %at.a = mul i32 %k.lane, %of.k
  %wide.a = sext i32 %at.a to i64
  %p.a = getelementptr i32, ptr addrspace(1) %a, i64 %wide.a
  %v.a = load i32, ptr addrspace(1) %p.a, align 4
  %at.k = mul i32 %k, %of.b
  %at.lane = mul i32 %lane, %of.column
  %at.b = add i32 %at.k, %at.lane
  %wide.b = sext i32 %at.b to i64
  %p.b = getelementptr i32, ptr addrspace(1) %b, i64 %wide.b
  %v.b = load i32, ptr addrspace(1) %p.b, align 4
  %y = insertelement <8 x i32> %x, i32 %v.a, i32 0
  %z = insertelement <8 x i32> %x, i32 %v.b, i32 0
  %d = call spir_func <8 x i32> @_Z36intel_sub_group_i8_i8_matrix_mad_k32Dv8_iS_S_(<8 x i32> %y, <8 x i32> %z, <8 x i32> %sum)
  %next = add nsw i32 %k, 32
  %more = icmp slt i32 %next, %depth
  br i1 %more, label %loop, label %end

end:
  %r = extractelement <8 x i32> %d, i32 0
  %wide.c = sext i32 %lane to i64
  %p.c = getelementptr i32, ptr addrspace(1) %c, i64 %wide.c
  store i32 %r, ptr addrspace(1) %p.c, align 4
  ret void
}

define spir_kernel void @columns(ptr addrspace(1) %b, ptr addrspace(1) %c, <8 x i32> %x, i32 %depth, i32 %of.column) {
entry:
  %lane = call i32 @__tsr_lane()
  %at.lane = mul i32 %lane, %of.column
  br label %loop

loop:
  %k = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi <8 x i32> [ zeroinitializer, %entry ], [ %d, %loop ]
  %at.b = add i32 %k, %at.lane
  %wide.b = sext i32 %at.b to i64
  %p.b = getelementptr i32, ptr addrspace(1) %b, i64 %wide.b
  %v.b = load i32, ptr addrspace(1) %p.b, align 4
  %z = insertelement <8 x i32> %x, i32 %v.b, i32 0
  %d = call spir_func <8 x i32> @_Z36intel_sub_group_i8_i8_matrix_mad_k32Dv8_iS_S_(<8 x i32> %x, <8 x i32> %z, <8 x i32> %sum)
  %next = add nsw i32 %k, 32
  %more = icmp slt i32 %next, %depth
  br i1 %more, label %loop, label %end

end:
  %r = extractelement <8 x i32> %d, i32 0
  %wide.c = sext i32 %lane to i64
  %p.c = getelementptr i32, ptr addrspace(1) %c, i64 %wide.c
  store i32 %r, ptr addrspace(1) %p.c, align 4
  ret void
}
